//! Errors of a deck.

use crate::circuit::Party;
use crate::{Blame, mpc, net};

/// The result of a call on a deck.
pub type Result<R, E = Error> = std::result::Result<R, E>;

/// An error of a sealed deck, or of the underlying session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller requested something impossible. Nothing has been sent.
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

    /// The party that can be at fault.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Usage(_) => Blame::ThisSide,
            Error::Check(_) => Blame::CheatOrConnection,
            Error::Session(error) => error.blame(),
        }
    }
}

/// A check of a deck. An honest peer passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Check {
    /// A party entered seeds that an honest party never draws.
    #[error("the seeds of the {0} are out of range")]
    SeedsOutOfRange(Party),
    /// An opened card is not in the deck.
    #[error("an opened card is not in the deck")]
    NotInDeck,
    /// An opened card has already been seen at another position.
    #[error("the same card was opened twice")]
    OpenedTwice,
    /// The cards of a hand after a steal are not the cards of the hand before the steal.
    #[error("the cards of the hand changed in the steal")]
    NotOfTheHand,
    /// The peer's share of a kept card is not the share that was sealed.
    #[error("the MACs of the mask shares of a kept card are invalid")]
    KeptMacs,
}
