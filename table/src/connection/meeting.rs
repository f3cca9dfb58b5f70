//! What both sides have when they have met, and what they say of themselves.

use std::io::ErrorKind;

use rand::CryptoRng;

use super::error::MeetingError;
use super::invite::InviteId;
use super::noise::{Agreed, NotGenuine};
use super::socket::Socket;
use crate::identity::{BadIdentity, Identity, Name, PublicIdentity, Succession};
use crate::wire::{Malformed, Reader, Writer};

/// The most bytes of the header of a match.
pub const MAX_HEADER: usize = 4096;
/// The longest message of a meeting.
pub(super) const MAX_MEETING_MESSAGE: usize = MAX_HEADER + 512 + Succession::PADDED;

/// What somebody brings to a meeting.
pub(super) struct Own<'a> {
    pub(super) identity: &'a Identity,
    pub(super) name: &'a Name,
}

/// Both sides of a meeting have what they need, and nothing else has been sent.
pub(super) struct Met {
    pub(super) socket: Socket,
    pub(super) agreed: Agreed,
    pub(super) peer: Succession,
    pub(super) peer_name: Name,
    /// What the host says of the match.
    pub(super) header: Vec<u8>,
    /// The host's, the guest's.
    pub(super) nonces: [[u8; 32]; 2],
    /// Whether an invite was used for the first time.
    pub(super) first: bool,
    /// The invite that was used.
    pub(super) invite: Option<InviteId>,
}

/// An identity, a name and whom the identity has succeeded, as they travel.
pub(super) fn introduction(own: &Own) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.raw(&own.identity.public().encode());
    writer.string(own.name.as_str().as_bytes());
    writer.raw(&own.identity.succession().padded()).finish()
}

/// What [`introduction`] writes, at the front of what the other says of itself. `key` is the X25519
/// key that it has proved to hold.
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
    MeetingError::Broken("a message of another form")
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
        opened.map_err(|NotGenuine| MeetingError::Broken("a message that does not verify"))
    }
}

/// What it means that a host closes the line where its first answer should come.
pub(super) fn unanswered(error: std::io::Error) -> MeetingError {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::TimedOut => {
            MeetingError::NotAnswered
        }
        _ => MeetingError::Connection(error),
    }
}
