//! What can go wrong with a roll.

use crate::{Blame, net};

/// The result of a roll.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// Why there are no faces.
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
    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Check(_) => Blame::CheatOrConnection,
            Error::Channel(error) => error.blame(),
        }
    }
}

/// A check of a roll, which an honest peer passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// The peer sent this party's own commitment back.
    #[error("the commitment to the dice is this side's own")]
    Reflected,
    /// What is revealed is not what was committed to.
    #[error("the revealed dice are not those of the commitment")]
    NotCommitted,
    /// A committed value is not below the number of sides.
    #[error("the value of die {die} is out of range")]
    OutOfRange {
        /// The die, from 0.
        die: usize,
    },
}
