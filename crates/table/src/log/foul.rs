//! The reasons for which a part is refused.

use super::part::PartKind;
use super::signed::{Evidence, SignedPart};
use crate::rules;
use crate::seat::Seat;
use dealerless::dice;
use dealerless::verifiable::{BadKeys, BadPartials, BadShow, BadShuffle};

/// Why a signed part is a foul. Anybody who has the log can verify the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartFoul {
    /// It is not this seat's turn.
    #[error("it was not this seat's turn")]
    NotItsTurn,
    /// The encoding of the part is not canonical, or has the wrong length for this phase.
    #[error("the signed part is malformed or has a non-canonical encoding")]
    Malformed,
    /// A part of this kind is not allowed in this phase.
    #[error("a {0} is not allowed here")]
    Kind(PartKind),
    /// The deal is for a different hand or try.
    #[error("the deal is for a different hand or try")]
    Number,
    /// The stacks in the deal do not match the last result and the rebuys.
    #[error("the stacks in the deal do not match the last result and the rebuys")]
    Stacks,
    /// The button in the deal is at the wrong seat.
    #[error("the button in the deal is at the wrong seat")]
    Button,
    /// The deal is for different stakes or a different circuit.
    #[error("the deal is for different stakes or a different circuit")]
    Terms,
    /// The deal has a rebuy for a seat that may not buy in again.
    #[error("the deal has a rebuy for a seat that may not buy in again")]
    Rebuy,
    /// The host's seal lacks the masked values, another seat's seal has them, or a reseal has the
    /// wrong number of values.
    #[error("the seal has the wrong content for this seat")]
    Seal,
    /// The opened cards are not those that the rules ask for.
    #[error("the opened cards are not those that the rules ask for")]
    OtherCards,
    /// The share of the card at this position does not match its commitment.
    #[error("the share of card {0} does not open its commitment")]
    Commitment(usize),
    /// The revealed dice do not match the commitment, or have a value that no such die has.
    #[error("the revealed dice do not match the commitment or are out of range")]
    Dice(#[source] dice::Check),
    /// The rules do not allow the choice.
    #[error("the rules do not allow this choice")]
    Choice(#[source] rules::Foul),
    /// The result differs from the one that the rules give.
    #[error("the claimed result differs from the one that the rules give")]
    Result,
    /// A seat that leaves buys chips, or a seat buys too many, or in a game without chips.
    #[error("the seat may not buy these chips")]
    Buy,
    /// No other seat opened a card to this seat in the disputed step of this try.
    #[error("the disputed step {0} opened nothing to this seat")]
    NothingToDispute(u64),
    /// The dispute of this step is too late: the seat has signed a later step.
    #[error("the dispute of step {0} is too late: the seat has signed a later step")]
    LateDispute(u64),
    /// A part for the keys of a verifiable deck does not verify.
    #[error("the part for the keys of the deck does not verify")]
    Keys(#[source] BadKeys),
    /// The seat dealt a wrong share of the keys to another seat, which has proved it.
    #[error("a share of the keys that the seat dealt is wrong")]
    WrongShare,
    /// The seat complained about a share of the keys that fits.
    #[error("the share of the keys that the seat complained about is valid")]
    FalseComplaint,
    /// A shuffle does not verify.
    #[error("the shuffle does not verify")]
    Shuffle(#[source] BadShuffle),
    /// Partial decryptions do not verify.
    #[error("the partial decryptions do not verify")]
    Partials(#[source] BadPartials),
    /// A shown card does not verify.
    #[error("the shown cards do not verify")]
    Show(#[source] BadShow),
    /// A mix of goods does not verify.
    #[error("the mix of goods does not verify")]
    Mix(#[source] BadShuffle),
    /// A hidden good that the seat gave is not of the kind that the seat named.
    #[error("a good that the seat gave is not of the kind that the seat named")]
    OtherKind,
    /// The published share is not the seat's share of the secret of the deck's key.
    #[error("the published share of the deck's key is not the seat's own")]
    Share,
}

/// Returns the foul as an error unless `allowed` is true.
pub(super) fn require(allowed: bool, foul: PartFoul) -> Result<(), PartFoul> {
    if allowed { Ok(()) } else { Err(foul) }
}

/// Why a part was refused. The log is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The seat does not exist.
    #[error("{0} does not exist")]
    NoSuchSeat(Seat),
    /// The part belongs to a later step than the current one.
    #[error("a part of step {step} arrived before step {now} is complete")]
    TooEarly {
        /// The step of the part.
        step: u64,
        /// The current step.
        now: u64,
    },
    /// The part belongs to an old hand. The log has forgotten this hand, but the match file has it.
    #[error("step {step} belongs to an old hand that is only in the file")]
    Forgotten {
        /// The step of the part.
        step: u64,
    },
    /// The signature is not valid for this seat, the step of the part and the history of this log.
    #[error("the signature of {0} is not valid for this step of this match")]
    Signature(Seat),
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// The signed part is a foul.
    #[error("{} committed a foul", .0.part.seat)]
    Foul(#[source] Box<Proof>),
    /// The seat has signed another statement for this step that no log can contain together with
    /// this one.
    #[error("{} has signed two conflicting statements for one step", .0.seat())]
    Fork(Box<Evidence>),
    /// The seat signed the statement for another history than that of this log. Some seat has signed
    /// two conflicting statements, which the two histories contain.
    #[error("{seat} has another history before step {step}")]
    OtherHistory {
        /// The seat.
        seat: Seat,
        /// The step of the statement.
        step: u64,
    },
    /// The seat signed an ack in a match of two seats.
    #[error("{0} signed an ack in a match without acks")]
    NoAck(Seat),
    /// The seat voted in a match or a step without roll calls, or on a call that cannot be made in this
    /// step.
    #[error("{0} signed an invalid vote")]
    Vote(Seat),
    /// The shuffle belongs to an ahead chain that this log does not use.
    #[error("{0} shuffled in an ahead chain that is not in use")]
    OtherChain(Seat),
    /// A signed shuffle of an ahead chain is invalid. It ends the chain and convicts nobody: a log
    /// that does not use the chain could not verify it.
    #[error("{seat} signed an invalid shuffle for the next hand")]
    Ahead {
        /// The seat.
        seat: Seat,
        /// The rule that the shuffle breaks.
        #[source]
        foul: PartFoul,
    },
    /// All seats name the end of an ahead chain that this log does not have.
    #[error("all seats have dealt with a deck whose shuffles this log does not have")]
    UnknownDeck,
}

/// A foul, with the signature of the seat that committed it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{foul}")]
pub struct Proof {
    /// The signed part.
    pub part: SignedPart,
    /// The rule that the part breaks.
    #[source]
    pub foul: PartFoul,
}
