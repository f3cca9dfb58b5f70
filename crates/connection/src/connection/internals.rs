//! Access to the internals of a connection for fuzz targets. They act as a hostile peer, which
//! chooses the plaintext of handshake messages and frames freely.

use zeroize::Zeroizing;

use super::invite::{Invite, InviteSecret};
use super::noise::{Agreed, Handshake};
use super::prelude::Prelude;
use super::streams::{MESSAGE_WINDOW, RUN_WINDOW};
use crate::identity::{Address, Identity, PublicIdentity};
use crate::random::system_rng;

/// The maximum number of unread bytes of the control stream, the log and the engine that one side
/// of a connection keeps.
pub const MOST_KEPT: [usize; 3] = [
    MESSAGE_WINDOW as usize,
    MESSAGE_WINDOW as usize,
    RUN_WINDOW as usize,
];

/// Creates an invite with any contents.
pub fn invite(
    host: &Identity,
    secret: [u8; 32],
    addresses: Vec<Address>,
    relay: Option<Address>,
) -> Invite {
    let secret = InviteSecret(Zeroizing::new(secret));
    Invite::new(*host.public().x25519(), secret, addresses, relay)
}

/// A peer that has valid keys but sends any messages.
pub struct Stranger(Handshake);

impl Stranger {
    /// Starts the handshake of a guest with the host of an invite. Also returns the guest's
    /// prelude.
    pub fn guest(own: &Identity, invite: &Invite) -> (Self, Vec<u8>) {
        let prelude = Prelude::First(invite.secret.id()).encode();
        let (key, secret) = (&invite.host_key, &invite.secret);
        let handshake = Handshake::first_guest(own, key, secret, &prelude);
        (Stranger(handshake), prelude)
    }

    /// Starts the handshake of a guest with a known peer. Also returns the guest's prelude. `None`
    /// if the peer's key has small order.
    pub fn guest_again(own: &Identity, peer: &PublicIdentity) -> Option<(Self, Vec<u8>)> {
        let secret = own.secret_with(peer)?;
        let prelude = Prelude::again(&secret, &mut system_rng()).encode();
        let handshake = Handshake::again_guest(own, peer, &prelude);
        Some((Stranger(handshake), prelude))
    }

    /// Starts the handshake of a host with the guest of an invite that has sent this prelude.
    pub fn host(own: &Identity, invite: &Invite, prelude: &[u8]) -> Self {
        Stranger(Handshake::first_host(own, &invite.secret, prelude))
    }

    /// Starts the handshake of a host with a known peer that has sent this prelude.
    pub fn host_again(own: &Identity, peer: &PublicIdentity, prelude: &[u8]) -> Self {
        Stranger(Handshake::again_host(own, peer, prelude))
    }

    /// Writes the next message with this payload, without a length prefix.
    pub fn write(&mut self, payload: &[u8]) -> Vec<u8> {
        self.0.write(payload)
    }

    /// Reads the peer's next message. Returns whether it is genuine.
    pub fn read(&mut self, message: &[u8]) -> bool {
        self.0.read(message).is_ok()
    }

    /// Ends the handshake after its last message.
    pub fn finish(self) -> Frames {
        Frames(self.0.finish())
    }
}

/// Encrypts frames with any plaintext after a handshake.
pub struct Frames(Agreed);

impl Frames {
    /// Encrypts the next frame, with a length prefix.
    pub fn seal(&mut self, plain: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        self.0.sealer.seal(plain, &mut frame);
        frame
    }
}
