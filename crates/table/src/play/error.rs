//! Errors that stop a seat.

use std::io;

use dealerless::{Blame, deck};

use crate::log::{CannotResume, CannotSign, JournalError, NoEvidence, Refused};

/// An error that stops a seat. The match file stays valid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The match file cannot be read or written.
    #[error("cannot write the file of the match")]
    Journal(#[from] JournalError),
    /// The file of inputs cannot be written.
    #[error("cannot write the file of this seat's inputs to the shuffles")]
    Inputs(#[source] io::Error),
    /// The file of the deck cannot be read or written.
    #[error("cannot read or write the file of the deck")]
    Vault(#[source] io::Error),
    /// The stored deck of the hand in play was changed or belongs to another hand. Its file is left
    /// as it is.
    #[error("the file of the deck was changed or truncated, or belongs to another hand")]
    Deck,
    /// The keys of the verifiable deck are not those that this seat has made, for example because
    /// the secret of the match was lost.
    #[error("the keys in the file of the match are not those of this seat's secret")]
    NotOwnKeys,
    /// Other seats have a statement of this seat for another history than the one that follows from the
    /// file and from what was received. The file was restored from an older copy.
    #[error(
        "another player has a statement of this seat for step {step} of another history: the file of the \
         match was restored from an older copy. This seat signs nothing more. Try again when all other \
         players are connected, or with a newer copy of the file"
    )]
    OwnHistory {
        /// The step of the statement.
        step: u64,
    },
    /// Sending failed because the connection was lost.
    #[error("the connection was lost")]
    Connection(#[source] io::Error),
    /// The peer sent a part that is not allowed in this match now.
    #[error("the peer violated the table protocol")]
    Refused(#[source] Refused),
    /// The peer sent bytes that are not a message of the log.
    #[error("the peer violated the table protocol: it sent an invalid message")]
    NoMessage,
    /// The peer sent evidence that convicts nobody.
    #[error("the peer violated the table protocol: it sent evidence that convicts nobody")]
    NoEvidence(#[source] NoEvidence),
    /// The peer does not send its history as the protocol requires.
    #[error("the match cannot be resumed with the peer")]
    Resume(#[source] CannotResume),
    /// The engine's session has failed.
    #[error("the shuffle failed")]
    Engine(#[source] deck::Error),
    /// Another seat's seal or reseal failed the check of this side's engine. This side has declared
    /// the try or the steal void, and nobody has seen a card of the sealed deck or hand.
    #[error("a check of the sealed deck failed")]
    Seal(#[source] deck::Error),
    /// Another seat's opening failed the check of this side's engine. The hand is over, and all
    /// seats have signed a result by which this side wins.
    #[error("a check of an opened card failed in a hand that this side won")]
    Opening(#[source] deck::Error),
    /// A try that another seat declared void could not be counted, or too many attempts were
    /// counted.
    #[error("cannot count an attempt in which the peer could have cheated")]
    Uncounted(#[source] io::Error),
    /// This program has a bug: it tried to sign a part that the rules do not allow.
    #[error("this program has a bug: it tried to sign a part that the rules do not allow")]
    Fault(#[from] CannotSign),
}

impl PlayError {
    /// Returns whose fault the error can be.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Journal(_)
            | Self::Inputs(_)
            | Self::Vault(_)
            | Self::Deck
            | Self::NotOwnKeys
            | Self::OwnHistory { .. }
            | Self::Uncounted(_)
            | Self::Fault(_) => Blame::ThisSide,
            Self::Connection(_) => Blame::Connection,
            Self::Refused(_) | Self::NoMessage | Self::NoEvidence(_) | Self::Resume(_) => {
                Blame::ProgramOrConnection
            }
            Self::Engine(error) | Self::Seal(error) | Self::Opening(error) => error.blame(),
        }
    }
}
