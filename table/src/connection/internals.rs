//! Access to the internals of a connection for fuzz targets. They act as a hostile peer, which
//! chooses the plaintext of handshake messages and frames freely.

use std::net::TcpStream;

use zeroize::Zeroizing;

use super::carrier::State;
use super::door::Door;
use super::error::ConnectionError;
use super::inbox::Read;
use super::invite::{Invite, InviteSecret};
use super::noise::{Agreed, Handshake};
use super::prelude::Prelude;
use super::streams::{MESSAGE_WINDOW, Message, Priority, RUN_WINDOW};
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

/// Passes a stream to a door like the connection of a guest that comes through a relay.
pub fn comes(door: &Door, stream: TcpStream) {
    door.inner.greet(stream, None);
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

/// One side of a connection, without its threads and its cipher.
pub struct ConnectionEnd(State);

impl Default for ConnectionEnd {
    fn default() -> Self {
        ConnectionEnd(State::new())
    }
}

impl ConnectionEnd {
    /// Processes the plaintext of a frame. After an error the connection has ended.
    ///
    /// # Errors
    /// The reason for the end of the connection.
    pub fn take_in(&mut self, frame: &[u8]) -> Result<(), ConnectionError> {
        self.0.take_in(frame, &mut Vec::new())
    }

    /// The next received message.
    ///
    /// # Errors
    /// The reason for the end of the connection.
    pub fn next_message(&mut self) -> Result<Option<Message>, ConnectionError> {
        let message = self.0.next_message();
        self.acknowledge();
        message
    }

    /// Queues a message.
    ///
    /// # Errors
    /// If the message is empty or too long.
    pub fn send(&mut self, message: &Message) -> Result<(), ConnectionError> {
        self.0.outbox.message(message.stream, &message.bytes)
    }

    /// Starts a session of the engine on this side.
    pub fn begin_engine(&mut self, number: u64) {
        self.0.outbox.begin_engine(number);
        self.0.inbox.want_from(number);
        self.acknowledge();
    }

    /// Ends the session of the engine on this side.
    pub fn end_engine(&mut self, number: u64) {
        self.0.outbox.end_engine();
        self.0.inbox.want_from(number + 1);
        self.acknowledge();
    }

    /// Queues bytes of the engine.
    pub fn send_engine(&mut self, bytes: &[u8], priority: Priority) {
        self.0.outbox.set_priority(priority);
        self.0.outbox.engine(bytes);
    }

    /// Reads received engine bytes. Returns `None` if no byte has arrived yet, and 0 if no more
    /// bytes will arrive.
    pub fn read_engine(&mut self, number: u64, buf: &mut [u8]) -> Option<usize> {
        let read = self.0.inbox.read_engine(number, buf);
        self.acknowledge();
        match read {
            Read::Bytes(count) => Some(count),
            Read::Ended => Some(0),
            Read::Nothing => None,
        }
    }

    /// The plaintext of the next frame that may be sent.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        let mut frame = Vec::new();
        self.0.outbox.next_frame(&mut frame).then_some(frame)
    }

    /// The number of received and unread bytes of the control stream, the log and the engine.
    pub fn kept(&self) -> [usize; 3] {
        self.0.inbox.kept()
    }

    fn acknowledge(&mut self) {
        let State { outbox, inbox, .. } = &mut self.0;
        for (stream, read) in inbox.acks() {
            outbox.ack(stream, read);
        }
    }
}
