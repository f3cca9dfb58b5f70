//! What can go wrong with a deck.

use crate::circuit::Party;
use crate::{Blame, mpc, net};

/// The result of a call on a deck.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// An error of a sealed deck, or of the session below it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller asked for something that cannot be done. Nothing was sent.
    #[error("{0}")]
    Usage(String),
    /// A check failed: the peer cheated, or the connection corrupts data.
    #[error("a check failed: {0}")]
    Check(Check),
    /// The session failed.
    #[error(transparent)]
    Session(#[from] mpc::Error),
}

impl From<net::Error> for Error {
    fn from(error: net::Error) -> Self {
        Error::Session(error.into())
    }
}

impl Error {
    pub(super) fn usage(what: impl Into<String>) -> Self {
        Error::Usage(what.into())
    }

    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Usage(_) => Blame::ThisSide,
            Error::Check(_) => Blame::CheatOrConnection,
            Error::Session(error) => error.blame(),
        }
    }
}

/// A check of a deck, which an honest peer passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// A party entered seeds that no honest one draws.
    #[error("the seeds of the {0} are out of range")]
    SeedsOutOfRange(Party),
    /// An opened card is not in the deck.
    #[error("an opened card is not in the deck")]
    NotInDeck,
    /// An opened card has been seen at another position.
    #[error("the same card was opened twice")]
    OpenedTwice,
    /// After a steal, the cards of a hand are not those that it had.
    #[error("the cards of the hand are not those from which one was stolen")]
    NotOfTheHand,
    /// What the peer shows of a kept card is not what was sealed.
    #[error("opening a kept card: the MACs of the mask shares")]
    KeptMacs,
}
