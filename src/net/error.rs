//! The errors of a connection between two parties, independent of the protocol above.

use std::io;
use std::time::Duration;

use super::Tag;
use crate::Blame;

/// The result of an operation on a channel.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a channel. [`blame`](Self::blame) tells who can be at fault.
///
/// After any error except [`Error::Unsendable`] the channel is unusable. No error contains sent or
/// received data, so errors can be shown and logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer sent a message that this version of the protocol does not allow, or does not allow
    /// at this point.
    #[error("the peer broke the protocol: {0}")]
    Malformed(Malformed),
    /// The peer speaks a different version of the protocol.
    #[error("the peer speaks version {theirs} of the protocol, this side speaks version {ours}")]
    Version {
        /// The peer's version.
        theirs: u16,
        /// This side's version.
        ours: u16,
    },
    /// The peer ended the session on purpose, without giving a reason.
    #[error("the peer aborted the session")]
    Aborted,
    /// The connection was closed or broke.
    #[error("the connection was lost while {during}")]
    Lost {
        /// The phase of the session.
        during: &'static str,
        /// The error of the transport.
        source: io::Error,
    },
    /// The peer did not answer in time.
    #[error("no answer from the peer within {limit:?} while {during}")]
    Timeout {
        /// The phase of the session.
        during: &'static str,
        /// The time limit that was exceeded.
        limit: Duration,
    },
    /// The peer's address is invalid, or its name is unknown.
    #[error("cannot resolve the peer's address")]
    Address(#[source] io::Error),
    /// A message of this side is longer than its type allows, or cannot be encoded. Nothing was
    /// sent, and the channel is unchanged.
    #[error("{tag}: cannot be encoded in {limit} bytes")]
    Unsendable {
        /// The tag of the message.
        tag: Tag,
        /// The maximum size in bytes.
        limit: usize,
    },
    /// An earlier error made this channel unusable, or this side has aborted the session.
    #[error("this channel has ended and cannot be used again")]
    Ended,
}

impl Error {
    /// Returns who can be at fault.
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

/// A defect in a message, detected before the content of the message is used. The error does not
/// quote the content, because a peer could put control codes for a terminal into it.
///
/// The channel detects most of these defects. The code that reads a message detects
/// [`PaddingBits`](Self::PaddingBits) and [`ListLength`](Self::ListLength).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The first bytes are not a valid hello.
    #[error("it does not speak dealerless")]
    Stranger,
    /// The tag of the frame is not the expected one.
    #[error("expected {expected}, found {}", expected.name_of(*found))]
    Tag {
        /// The expected tag.
        expected: Tag,
        /// The tag byte received.
        found: u8,
    },
    /// The message is longer than its type allows.
    #[error("{tag}: {bytes} bytes exceed the limit of {limit}")]
    TooLong {
        /// The tag of the message.
        tag: Tag,
        /// The claimed length in bytes.
        bytes: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// The length of a frame of bulk data differs from the length that this side has computed.
    #[error("{tag}: a frame has {bytes} bytes instead of {expected}")]
    Length {
        /// The tag of the message.
        tag: Tag,
        /// The claimed length in bytes.
        bytes: usize,
        /// The expected length in bytes.
        expected: usize,
    },
    /// The bytes do not decode to a message of this type.
    #[error("{0}: cannot be decoded")]
    Undecodable(Tag),
    /// The frame is longer than the message.
    #[error("{tag}: {extra} trailing bytes after the message")]
    TrailingBytes {
        /// The tag of the message.
        tag: Tag,
        /// The number of bytes after the message.
        extra: usize,
    },
    /// The unused bits of the last byte of packed bits are not all zero.
    #[error("{0}: nonzero padding bits")]
    PaddingBits(Tag),
    /// The length of a list in the message differs from the length that the protocol requires.
    #[error("{list}: {found} elements instead of {expected}")]
    ListLength {
        /// The name of the list.
        list: &'static str,
        /// The number of elements received.
        found: usize,
        /// The expected number of elements.
        expected: usize,
    },
}
