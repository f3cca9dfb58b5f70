//! The errors of oblivious transfer.

use crate::net;

/// The result of an operation of oblivious transfer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of oblivious transfer. After an error, the outputs of the failed call must not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the channel.
    #[error(transparent)]
    Channel(#[from] net::Error),
    /// A cryptographic check failed: the peer cheated, or the connection corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The session has used up all batch numbers, which have 32 bits.
    #[error("a session makes at most 2^32 batches of OTs")]
    Exhausted,
}

impl From<Check> for Error {
    fn from(check: Check) -> Self {
        Error::Check(check)
    }
}

impl From<net::Malformed> for Error {
    fn from(malformed: net::Malformed) -> Self {
        Error::Channel(malformed.into())
    }
}

/// A check of oblivious transfer. Its text names the protocol and the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// A point from the receiver of the base OTs is not canonical, or is the identity.
    #[error("base OT: a receiver's point is not a valid point")]
    BaseOtReceiverPoint,
    /// The point from the sender of the base OTs is not canonical, or is the identity.
    #[error("base OT: the sender's point is not a valid point")]
    BaseOtSenderPoint,
    /// The sender of the base OTs failed to prove its challenge: it tried to guess the receiver's
    /// choices.
    #[error("base OT: the sender's challenge")]
    BaseOtChallenge,
    /// The receiver of the base OTs does not know a pad of every instance.
    #[error("base OT: the receiver's answer")]
    BaseOtAnswer,
    /// The sums of the all-but-one OTs do not fit any trees: their sender tried to guess Delta.
    #[error("all-but-one OT: the check of the trees")]
    Trees,
    /// The correction matrix of a batch of correlated OTs is not consistent.
    #[error("correlated OT: the consistency check")]
    CotConsistency,
}
