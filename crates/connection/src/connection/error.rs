//! Errors of connections and of meetings.

use std::io;

use super::invite::InviteId;
use crate::identity::{Address, BadIdentity, BadSuccession, Name, PublicIdentity};
use crate::wire::Malformed;

/// A connection has ended, or cannot do what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// Nothing arrived in time. The connection is still usable.
    #[error("nothing arrived from the other player in time")]
    TimedOut,
    /// The other player closed the connection.
    #[error("the other player closed the connection")]
    Closed,
    /// The connection was closed on this side.
    #[error("the connection was closed on this side")]
    ClosedHere,
    /// The connection was interrupted: the other player did not close it.
    #[error("the connection was interrupted ({0})")]
    Cut(io::ErrorKind),
    /// Nothing was received for too long, or the other player accepts no data.
    #[error("the other player has not responded for too long")]
    Silent,
    /// A received frame is not the one that the other player sent at this position: frames were
    /// modified, repeated, removed or forged.
    #[error("received data that the other player did not send")]
    Forged,
    /// The other player sent data that no honest program sends.
    #[error("the other player violated the connection protocol: {0}")]
    Broken(&'static str),
    /// A message is empty or too long to be sent.
    #[error("a message must have 1 to {most} bytes, not {0}", most = super::MAX_MESSAGE)]
    MessageSize(usize),
    /// An engine already uses the connection.
    #[error("an engine already uses the connection")]
    EngineInUse,
}

/// The error of a transport over the connection.
impl From<ConnectionError> for io::Error {
    fn from(error: ConnectionError) -> Self {
        let kind = match error {
            ConnectionError::Cut(kind) => kind,
            ConnectionError::Forged | ConnectionError::Broken(_) => io::ErrorKind::InvalidData,
            _ => io::ErrorKind::ConnectionAborted,
        };
        io::Error::new(kind, error)
    }
}

/// A meeting failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeetingError {
    /// No address of the host can be reached, and all of them are private: only machines in the
    /// host's own network can reach them.
    #[error(
        "{address} cannot be reached, and only private addresses are known: both players \
         must be in one network, or use a relay, or the host must forward a port (--advertise)"
    )]
    OnlyPrivate {
        /// The address that was tried first.
        address: Address,
        /// The cause.
        source: io::Error,
    },
    /// No address of the host can be reached.
    #[error("{address} cannot be reached: is the host still waiting, and is its port open?")]
    Unreachable {
        /// The address that was tried first.
        address: Address,
        /// The cause.
        source: io::Error,
    },
    /// There is no address to try.
    #[error("no address is known")]
    NoAddress,
    /// A program listens at the address, but does not answer this guest: the invite is outdated,
    /// the keys are unknown to the host, or the program is a different one.
    #[error(
        "a program listens at the address but does not answer: the invite is outdated; or one of you \
         has a new identity, and must use an invite once or send its succession statement; or \
         another program or version uses this address now"
    )]
    NotAnswered,
    /// Another guest has used the invite.
    #[error(
        "the invite was used by somebody else, or by you on another device: tell the host, and ask for a new one"
    )]
    Used,
    /// The answer was not made by the expected host.
    #[error("the answer is not from the expected host: somebody is intercepting the connection")]
    WrongHost,
    /// The other player has the same keys as this player.
    #[error("these are your own keys: you cannot play against yourself")]
    Oneself,
    /// The other player's identity is not valid.
    #[error("the other player's identity is not valid")]
    Identity(#[from] BadIdentity),
    /// The other player's succession is not valid.
    #[error("the other player's succession is not valid")]
    Succession(#[from] BadSuccession),
    /// The other player violated the meeting protocol.
    #[error("the other player violated the meeting protocol: {0}")]
    Broken(&'static str),
    /// The connection broke during the meeting, or the meeting took too long.
    #[error("the connection broke during the meeting")]
    Connection(#[source] io::Error),
    /// No host waits at this relay.
    #[error(
        "no host waits at {0}: is the host still waiting? To check the relay: dealerless doctor \
         --relay {0}"
    )]
    NobodyAtRelay(Address),
    /// The relay has not paired this guest with a host.
    #[error("no host waits at the relay: is the host still waiting?")]
    NobodyWaits,
    /// The relay cannot be reached, or does not answer like a transit relay.
    #[error("the relay of this invite cannot be reached, or is not a transit relay")]
    NoRelay(#[source] io::Error),
    /// The program at the address does not answer like a transit relay, or cannot be reached.
    #[error(
        "no transit relay answers at {relay}: check the address, or use another one with --relay"
    )]
    Relay {
        /// The address of the relay.
        relay: Address,
        /// The cause.
        source: io::Error,
    },
    /// The file of invites cannot be read or written.
    #[error("cannot read or write the file of invites")]
    Invites(#[source] io::Error),
    /// A second guest used a one-time invite. Only the host gets this error.
    #[error("{} used an invite that belongs to another guest", .0.second.fingerprint())]
    SecondGuest(Box<SecondGuest>),
    /// The host has answered the maximum number of first messages for the link of a table. It answers no more.
    /// Only the host gets this error.
    #[error("the link was used too often")]
    LinkUsedUp(InviteId),
}

/// A second guest used a one-time invite. It was told that the invite is used, and nothing else.
#[derive(Debug)]
pub struct SecondGuest {
    /// The invite.
    pub invite: InviteId,
    /// The guest that the invite belongs to.
    pub first: PublicIdentity,
    /// The second guest, whose keys have been verified.
    pub second: PublicIdentity,
    /// The name that the second guest chose.
    pub name: Name,
}

/// The error of a message that no honest program sends.
impl From<Malformed> for MeetingError {
    fn from(_: Malformed) -> Self {
        MeetingError::Broken("malformed message")
    }
}

impl MeetingError {
    /// Whether the expected host has answered. Another connection to the same host would give the same
    /// result.
    pub fn is_final(&self) -> bool {
        use MeetingError::{Identity, Oneself, Succession, Used};
        matches!(self, Used | Oneself | Identity(_) | Succession(_))
    }
}
