//! What is refused, and why.

use super::part::PartKind;
use super::signed::{Evidence, SignedPart};
use crate::rules;
use crate::seat::Seat;
use dealerless::dice;

/// What a seat signed and may not say. The log alone proves it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartFoul {
    /// It is not this seat's turn.
    #[error("it is not its turn")]
    NotItsTurn,
    /// The part is not in the one encoding, or does not have the one size of this phase.
    #[error("what it signed is not in the one encoding")]
    Malformed,
    /// A part of this kind is not said here.
    #[error("no {0} is allowed here")]
    Kind(PartKind),
    /// A deal of another hand or try.
    #[error("it deals another hand or try")]
    Number,
    /// A deal with other chips than the last result and its rebuys give.
    #[error("it deals with other stacks than the last result and the rebuys give")]
    Stacks,
    /// A deal with the button elsewhere.
    #[error("it deals with the button elsewhere")]
    Button,
    /// A deal for other stakes, or with another circuit.
    #[error("it deals for other stakes, or with another circuit")]
    Terms,
    /// A rebuy of a seat that may not buy in again.
    #[error("it names a rebuy of a seat that may not buy in again")]
    Rebuy,
    /// Masked values that are not its to say, or that are missing.
    #[error("its seal does not have what this seat says")]
    Seal,
    /// An opening of other cards than the rules ask for.
    #[error("it opens other cards than the rules ask for")]
    OtherCards,
    /// A share that does not open its commitment.
    #[error("its share of card {0} does not open its commitment")]
    Commitment(usize),
    /// Dice to which it has not committed, or with a value that no such die has.
    #[error("it does not reveal dice to which it has committed")]
    Dice(#[source] dice::Check),
    /// A choice that the rules do not allow.
    #[error("the rules do not allow its choice")]
    Choice(#[source] rules::Foul),
    /// Other chips than the rules give.
    #[error("it claims another result than the rules give")]
    Result,
    /// A dispute of a step in which nothing was opened to it in this try.
    #[error("it disputes step {0}, which opened nothing to it")]
    NothingToDispute(u64),
    /// A dispute of an opening after which the seat has gone on.
    #[error("it disputes step {0} too late: it has gone on since")]
    LateDispute(u64),
}

/// Returns the foul unless the part is allowed.
pub(super) fn require(allowed: bool, foul: PartFoul) -> Result<(), PartFoul> {
    if allowed { Ok(()) } else { Err(foul) }
}

/// Why a part was not taken. The log is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Nobody has this seat.
    #[error("there is no {0}")]
    NoSuchSeat(Seat),
    /// The step before is not complete.
    #[error("step {step} comes before step {now} is complete")]
    TooEarly {
        /// Of the part.
        step: u64,
        /// What is being said now.
        now: u64,
    },
    /// It belongs to a hand of which only the file knows any more.
    #[error("step {step} is of a hand that is over for long")]
    Forgotten {
        /// Of the part.
        step: u64,
    },
    /// The signature is not that seat's, for this step of this history.
    #[error("the signature is not that of {0} for this step of this match")]
    Signature(Seat),
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// What the seat signed is a foul.
    #[error("a foul of {}", .0.part.seat)]
    Foul(#[source] Box<Proof>),
    /// The seat has signed something else for this step.
    #[error("{} has signed two different parts for one step", .0.seat())]
    Fork(Box<Evidence>),
}

/// A foul with the signature of who committed it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{foul}")]
pub struct Proof {
    /// What was signed.
    pub part: SignedPart,
    /// The rule that it breaks.
    #[source]
    pub foul: PartFoul,
}
