//! Errors of a roll.

use crate::{Blame, net};

/// The result of a roll.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// The reason why a roll failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A check failed: the peer cheated, or the connection corrupts data.
    #[error("a check failed: {0}")]
    Check(#[from] Check),
    /// The channel failed.
    #[error(transparent)]
    Channel(#[from] net::Error),
}

impl Error {
    /// The party that can be at fault.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Check(_) => Blame::CheatOrConnection,
            Error::Channel(error) => error.blame(),
        }
    }
}

/// A check of a roll. An honest peer passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// The peer sent this party's own commitment back.
    #[error("the peer sent back this side's own commitment to the dice")]
    Reflected,
    /// The revealed values are not the committed values.
    #[error("the revealed dice do not match the commitment")]
    NotCommitted,
    /// A committed value is not below the number of sides.
    #[error("the value of die {die} is out of range")]
    OutOfRange {
        /// The number of the die, from 0.
        die: usize,
    },
}
