//! Code shared by both kinds of meetings: their result, and the introductions of the players.

use std::io::ErrorKind;

use rand::CryptoRng;

use super::error::MeetingError;
use super::invite::InviteId;
use super::noise::{Agreed, NotGenuine};
use super::socket::Socket;
use crate::identity::{BadIdentity, Identity, Name, PublicIdentity, Succession};
use crate::wire::{Malformed, Reader, Writer};

/// The maximum length of the header of a match in bytes.
pub const MAX_HEADER: usize = 4096;
/// The maximum length of a meeting message in bytes.
pub(super) const MAX_MEETING_MESSAGE: usize = MAX_HEADER + 512 + Succession::PADDED;

/// The identity and the name of this side.
pub(super) struct Own<'a> {
    pub(super) identity: &'a Identity,
    pub(super) name: &'a Name,
}

/// The result of a meeting. Only the messages of the meeting have been exchanged so far.
pub(super) struct Met {
    pub(super) socket: Socket,
    pub(super) agreed: Agreed,
    pub(super) peer: Succession,
    pub(super) peer_name: Name,
    /// The host's description of the match.
    pub(super) header: Vec<u8>,
    /// The nonces of the host and of the guest.
    pub(super) nonces: [[u8; 32]; 2],
    /// Whether the meeting was the first use of an invite.
    pub(super) first: bool,
    /// The invite that was used. `None` between known peers.
    pub(super) invite: Option<InviteId>,
}

/// Encodes the identity, the name and the past identities of this side.
pub(super) fn introduction(own: &Own) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.raw(&own.identity.public().encode());
    writer.string(own.name.as_str().as_bytes());
    writer.raw(&own.identity.succession().padded()).finish()
}

/// Decodes the peer's [`introduction`] and checks that it belongs to `key`, the X25519 key that the
/// peer has used in the handshake.
pub(super) fn introduced(
    reader: &mut Reader,
    key: &[u8; 32],
    own: &Own,
) -> Result<(Succession, Name), MeetingError> {
    let peer = PublicIdentity::decode(reader.raw(PublicIdentity::LEN).map_err(malformed)?)?;
    if peer.shares_a_key_with(own.identity.public()) {
        return Err(MeetingError::Oneself);
    }
    if peer.x25519() != key {
        return Err(BadIdentity::Proof.into());
    }
    let name = name(reader)?;
    let past = reader.raw(Succession::PADDED).map_err(malformed)?;
    Ok((Succession::of_padded(past, peer)?, name))
}

pub(super) fn name(reader: &mut Reader) -> Result<Name, MeetingError> {
    let name = reader.string(Name::MAX_BYTES).map_err(malformed)?;
    Ok(Name::from_peer(name))
}

pub(super) fn malformed(_: Malformed) -> MeetingError {
    MeetingError::Broken("malformed message")
}

pub(super) fn nonce(rng: &mut impl CryptoRng) -> [u8; 32] {
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    nonce
}

impl Agreed {
    /// Sends the next message of the meeting as a frame.
    pub(super) fn send(&mut self, socket: &mut Socket, plain: &[u8]) -> Result<(), MeetingError> {
        let mut frame = Vec::new();
        self.sealer.seal(plain, &mut frame);
        socket.write_all(&frame).map_err(MeetingError::Connection)
    }

    /// Receives the next message of the meeting.
    pub(super) fn recv(&mut self, socket: &mut Socket) -> Result<Vec<u8>, MeetingError> {
        let frame = socket
            .read_message(MAX_MEETING_MESSAGE)
            .map_err(MeetingError::Connection)?;
        let opened = self.opener.open_alone(&frame);
        opened.map_err(|NotGenuine| MeetingError::Broken("invalid encrypted message"))
    }
}

/// Converts the error of reading the host's first message.
pub(super) fn unanswered(error: std::io::Error) -> MeetingError {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::TimedOut => {
            MeetingError::NotAnswered
        }
        _ => MeetingError::Connection(error),
    }
}
