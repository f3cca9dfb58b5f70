//! The phases of a match, and how it ends.

use super::part::PartKind;
use crate::rules::{BadCards, Legal, Opening, Outcome, Steal};
use crate::seat::Seat;
use dealerless::dice::Dice;

use super::foul::PartFoul;

/// The current phase of a match: what the log needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// All seats begin a try of a hand.
    Deal,
    /// This seat seals the deck.
    Seal(Seat),
    /// These seats open cards.
    Open(Vec<Opening>),
    /// A seat chooses.
    Choose {
        /// The seat whose turn it is.
        seat: Seat,
        /// The choices that it has.
        legal: Legal,
    },
    /// A hand is being reshuffled, and this seat reseals it.
    Reseal(Seat, Steal),
    /// All seats commit to dice.
    Commit(Dice),
    /// All seats reveal the dice that they have committed to.
    Reveal(Dice),
    /// All seats confirm the chips after the hand.
    Result(Outcome),
    /// The match is over.
    Over(End),
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// All hands were played.
    Played,
    /// Fewer than two seats have chips, and no rebuy was agreed on.
    NoChips,
    /// These seats ended the match, in one step.
    Stopped(Vec<(Seat, Stop)>),
    /// Cards were opened that do not belong to this deck, or that were opened before. The log
    /// cannot tell which seat lied; the hand is undecided.
    Cards(BadCards),
    /// A seat signed a part that it must not sign.
    Foul {
        /// The seat.
        seat: Seat,
        /// The rule that the part breaks.
        foul: PartFoul,
    },
    /// A seat signed two conflicting parts.
    Fork {
        /// The seat.
        seat: Seat,
    },
}

/// The way in which a seat ends a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The seat leaves for good.
    Leave,
    /// The seat gives up this hand, because it cannot continue it.
    Forfeit,
    /// The seat disputes the opening of a step because its MACs are invalid.
    Dispute {
        /// The step of the opening.
        step: u64,
    },
}

impl Phase {
    /// The seats that sign in a step of this phase, in a match with `seats` seats.
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

    /// Whether all seats have sealed the hand in play and it is not over.
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

    /// The kind of part that continues the match.
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
