//! What can go wrong between two parties, whatever they say to each other.

use std::io;
use std::time::Duration;

use super::Tag;
use crate::Blame;

/// The result of an operation on a channel.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a channel. [`blame`](Self::blame) says whose fault it can be.
///
/// After any of these but [`Error::Unsendable`] the channel is unusable. None carries anything that
/// was sent or received, so that an error can be shown and logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer sent a message that this version of the protocol does not send, or not here.
    #[error("the peer broke the protocol: {0}")]
    Malformed(Malformed),
    /// The peer speaks another version of the protocol.
    #[error("the peer speaks version {theirs} of the protocol, and this is version {ours}")]
    Version {
        /// The peer's.
        theirs: u16,
        /// This side's.
        ours: u16,
    },
    /// The peer ended the session on purpose, and does not say why.
    #[error("the peer aborted the session")]
    Aborted,
    /// The connection was closed or broke.
    #[error("the connection was lost while {during}")]
    Lost {
        /// What was going on.
        during: &'static str,
        /// What the transport said.
        source: io::Error,
    },
    /// The peer did not answer, or not fast enough.
    #[error("no answer from the peer within {limit:?} while {during}")]
    Timeout {
        /// What was going on.
        during: &'static str,
        /// The deadline that passed.
        limit: Duration,
    },
    /// The peer's address is invalid, or its name is unknown.
    #[error("cannot resolve the peer's address")]
    Address(#[source] io::Error),
    /// A message of this side is longer than its kind may be, or cannot be encoded. Nothing of it
    /// was sent, and the channel is as it was.
    #[error("this {tag} cannot be sent in {limit} bytes")]
    Unsendable {
        /// The kind of the message.
        tag: Tag,
        /// How long it may be.
        limit: usize,
    },
    /// An earlier error ended the use of this channel, or this side has aborted.
    #[error("this channel has ended and cannot be used again")]
    Ended,
}

impl Error {
    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Malformed(_) => Blame::ProgramOrConnection,
            Error::Version { .. } => Blame::Either,
            Error::Aborted => Blame::Peer,
            Error::Lost { .. } | Error::Timeout { .. } => Blame::Connection,
            Error::Address(_) | Error::Unsendable { .. } | Error::Ended => Blame::ThisSide,
        }
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Error::Malformed(malformed)
    }
}

/// What is wrong with a message, seen before its content is used. Nothing of the content is quoted,
/// which may be meant for the terminal.
///
/// Framing and codec find most of these. [`ListLength`](Self::ListLength) is for whoever reads the
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The first bytes are not a hello.
    #[error("it does not speak dealerless")]
    Stranger,
    /// The frame carries something else.
    #[error("{expected} expected, {} found", expected.name_beside(*found))]
    Tag {
        /// What is due.
        expected: Tag,
        /// The byte that came instead of its tag.
        found: u8,
    },
    /// The message is longer than its kind ever is.
    #[error("{tag}: {bytes} bytes, of at most {limit}")]
    TooLong {
        /// The kind of the message.
        tag: Tag,
        /// How long it says that it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A frame of bulk data has another length than both sides compute.
    #[error("{tag}: a frame of {bytes} bytes instead of {expected}")]
    Length {
        /// The kind of the message.
        tag: Tag,
        /// How long it says that it is.
        bytes: usize,
        /// How long it must be.
        expected: usize,
    },
    /// The bytes are no message of this kind.
    #[error("{0}: cannot be decoded")]
    Undecodable(Tag),
    /// The frame holds more than the message.
    #[error("{tag}: {extra} bytes follow the message in its frame")]
    TrailingBytes {
        /// The kind of the message.
        tag: Tag,
        /// How many bytes are too many.
        extra: usize,
    },
    /// The last byte of packed bits holds more than the bits.
    #[error("{0}: bits follow the last one")]
    PaddingBits(Tag),
    /// A list in the message has another length than the protocol's.
    #[error("{list}: {found} elements instead of {expected}")]
    ListLength {
        /// Which list.
        list: &'static str,
        /// How many elements came.
        found: usize,
        /// How many must come.
        expected: usize,
    },
}
