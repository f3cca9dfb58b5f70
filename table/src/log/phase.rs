//! What is being said now, and how a match ends.

use super::part::PartKind;
use crate::rules::{BadCards, Legal, Opening, Outcome, Steal};
use crate::seat::Seat;
use dealerless::dice::Dice;

use super::foul::PartFoul;

/// What the log asks for now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// All seats begin a try of a hand.
    Deal,
    /// A seat seals.
    Seal(Seat),
    /// These seats open cards.
    Open(Vec<Opening>),
    /// A seat chooses.
    Choose {
        /// Whose turn it is.
        seat: Seat,
        /// What it may say.
        legal: Legal,
    },
    /// A hand is shuffled again, and this seat seals it anew.
    Reseal(Seat, Steal),
    /// All seats commit to dice.
    Commit(Dice),
    /// All seats reveal the dice to which they have committed.
    Reveal(Dice),
    /// All seats say the chips after the hand.
    Result(Outcome),
    /// The match is over.
    Over(End),
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// All hands were played.
    Played,
    /// Fewer than two seats have chips, and no rebuy was agreed.
    NoChips,
    /// These seats ended it, in one step.
    Stopped(Vec<(Seat, Stop)>),
    /// The cards that came out are no cards of this deck, or came out before. Whoever lied, the
    /// log cannot tell; the hand is undecided.
    Cards(BadCards),
    /// A seat signed what it may not say.
    Foul {
        /// Who.
        seat: Seat,
        /// What.
        foul: PartFoul,
    },
    /// A seat signed two parts that no log can hold.
    Fork {
        /// Who.
        seat: Seat,
    },
}

/// How a seat ends a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It leaves for good.
    Leave,
    /// It cannot go on with this hand.
    Forfeit,
    /// It says that the MACs of the opening in this step do not fit.
    Dispute {
        /// The step.
        step: u64,
    },
}

impl Phase {
    /// The seats that speak in a step of this phase, of so many.
    pub(super) fn signers(&self, seats: usize) -> Vec<Seat> {
        match self {
            Phase::Deal | Phase::Commit(_) | Phase::Reveal(_) | Phase::Result(_) => {
                Seat::all(seats).collect()
            }
            Phase::Seal(seat) | Phase::Reseal(seat, _) | Phase::Choose { seat, .. } => vec![*seat],
            Phase::Open(openings) => openings.iter().map(|opening| opening.opener).collect(),
            Phase::Over(_) => Vec::new(),
        }
    }

    /// Whether the hand has all its seals, and is not over.
    pub(crate) fn is_sealed(&self) -> bool {
        matches!(
            self,
            Phase::Open(_)
                | Phase::Choose { .. }
                | Phase::Reseal(..)
                | Phase::Commit(_)
                | Phase::Reveal(_)
                | Phase::Result(_)
        )
    }

    /// The kind of part that goes on.
    pub(super) fn kind(&self) -> Option<PartKind> {
        match self {
            Phase::Deal => Some(PartKind::Deal),
            Phase::Seal(_) => Some(PartKind::Seal),
            Phase::Open(_) => Some(PartKind::Open),
            Phase::Choose { .. } => Some(PartKind::Move),
            Phase::Reseal(..) => Some(PartKind::Reseal),
            Phase::Commit(_) => Some(PartKind::Commit),
            Phase::Reveal(_) => Some(PartKind::Reveal),
            Phase::Result(_) => Some(PartKind::Result),
            Phase::Over(_) => None,
        }
    }
}
