//! Why a seat cannot go on.

use std::io;

use dealerless::{Blame, deck};

use crate::log::{CannotResume, CannotSign, JournalError, Refused};

/// Why a seat cannot go on. The log stays as it is on the disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The file of the match fails.
    #[error("the match cannot be written down")]
    Journal(#[from] JournalError),
    /// The file of the inputs fails.
    #[error("what this seat enters into the shuffle cannot be kept")]
    Inputs(#[source] io::Error),
    /// The file of the deck fails.
    #[error("the deck cannot be kept")]
    Vault(#[source] io::Error),
    /// The deck of the hand in play is not as it was written, or of another hand. Nothing was done.
    #[error("the file of the deck was changed or cut, or belongs to another hand")]
    Deck,
    /// The line does not take what is sent.
    #[error("the connection was lost")]
    Connection(#[source] io::Error),
    /// What arrived is no part of this match, or none that can be said now.
    #[error("the peer broke the protocol of the table")]
    Refused(#[source] Refused),
    /// What arrived is not even a message of the log.
    #[error("the peer broke the protocol of the table: it sent no message of the log")]
    NoMessage,
    /// The other seat does not tell what it has as it should.
    #[error("the match cannot be resumed with the peer")]
    Resume(#[source] CannotResume),
    /// The engine's session is over.
    #[error("the shuffle failed")]
    Engine(#[source] deck::Error),
    /// What another seat has sealed does not pass the check of this side's engine. The hand was
    /// declared void, or the steal for which it was shuffled again; nobody has seen a card of it.
    #[error("a check of the sealed deck failed")]
    Seal(#[source] deck::Error),
    /// What another seat has opened does not pass the check of this side's engine. The hand is over,
    /// and all have signed a result by which this side wins.
    #[error("a check of an opened card failed, in a hand that this side won")]
    Opening(#[source] deck::Error),
    /// That another seat has declared a try void cannot be counted, or it did so too often.
    #[error("what the peer could have tried to cheat in cannot be counted")]
    Uncounted(#[source] io::Error),
    /// This program wants to say what the rules do not allow: a fault in it.
    #[error("this program has a fault: it wants to say what the rules do not allow")]
    Fault(#[from] CannotSign),
}

impl PlayError {
    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Journal(_)
            | Self::Inputs(_)
            | Self::Vault(_)
            | Self::Deck
            | Self::Uncounted(_)
            | Self::Fault(_) => Blame::ThisSide,
            Self::Connection(_) => Blame::Connection,
            Self::Refused(_) | Self::NoMessage | Self::Resume(_) => Blame::ProgramOrConnection,
            Self::Engine(error) | Self::Seal(error) | Self::Opening(error) => error.blame(),
        }
    }
}
