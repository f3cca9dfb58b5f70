//! The phases of a match, and the ways in which a match ends.

use super::part::PartKind;
use crate::rules::{BadCards, Learners, Legal, Outcome, Steal};
use crate::seat::Seat;
use dealerless::dice::Dice;

use super::foul::PartFoul;

/// The current phase of a match, which determines who signs next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// All seats sign a deal, which starts a try of a hand.
    Deal,
    /// This seat seals the shuffled deck: it commits to its shares of the cards.
    Seal(Seat),
    /// Each seat that is the opener of one of these openings opens its shares of cards.
    Open(Vec<Opening>),
    /// A seat makes a choice.
    Choose {
        /// The seat whose turn it is.
        seat: Seat,
        /// The choices that the rules allow.
        legal: Legal,
    },
    /// A hand is being reshuffled for a steal, and this seat seals its new cards.
    Reseal(Seat, Steal),
    /// All seats commit to dice.
    Commit(Dice),
    /// All seats reveal the dice that they have committed to.
    Reveal(Dice),
    /// All seats sign their first parts for the keys of a verifiable deck.
    Keys,
    /// All seats sign their second parts for the keys.
    KeyDealing,
    /// All seats confirm their shares of the keys, or complain.
    Complaints,
    /// This seat shuffles the verifiable deck.
    Shuffle(Seat),
    /// This seat mixes its goods.
    Mix {
        /// The seat.
        seat: Seat,
        /// The positions of its goods, in ascending order.
        positions: Vec<usize>,
    },
    /// This seat has left in the middle of the hand, and publishes its share of the secret of the
    /// deck's key.
    Key(Seat),
    /// All seats confirm the chips after the hand.
    Result(Outcome),
    /// The match is over.
    Over(End),
}

/// The cards that one seat opens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The seat that opens the cards.
    pub opener: Seat,
    /// The positions of the cards, in ascending order, and who learns each of them.
    pub cards: Vec<(usize, Learners)>,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// All hands were played.
    Played,
    /// Fewer than two seats have chips, and with a sealed deck no rebuy was agreed on.
    NoChips,
    /// These seats ended the match, all in the same step.
    Stopped(Vec<(Seat, Stop)>),
    /// These seats left. The last hand was played to its end. Only with a verifiable deck.
    Left(Vec<Seat>),
    /// A seat has bought chips, or the first seat lets others sit down. The last hand was played to its
    /// end. Only with a verifiable deck.
    Changed,
    /// These seats left in the middle of a hand, and too few seats remain to open its cards. Only with
    /// roll calls.
    TooFew(Vec<Seat>),
    /// The other seats have removed the owner of the log by a roll call, and go on. Only with roll calls.
    Removed,
    /// The keys of the seats do not add up to keys of a deck, which happens only by chance.
    NoKeys,
    /// Opened cards do not belong to this deck, or were opened before at another position. The log
    /// cannot tell which seat lied, so the hand is undecided.
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
    /// The seat gives up the hand because it cannot continue, and the match ends.
    Forfeit,
    /// The seat disputes an opening because the MACs of the opened shares are invalid.
    Dispute {
        /// The step of the opening.
        step: u64,
    },
}

impl Phase {
    /// The seats that sign in a step of this phase, in a match with `seats` seats.
    pub(super) fn signers(&self, seats: usize) -> Vec<Seat> {
        match self {
            Phase::Deal
            | Phase::Commit(_)
            | Phase::Reveal(_)
            | Phase::Keys
            | Phase::KeyDealing
            | Phase::Complaints
            | Phase::Result(_) => Seat::all(seats).collect(),
            Phase::Seal(seat)
            | Phase::Reseal(seat, _)
            | Phase::Choose { seat, .. }
            | Phase::Shuffle(seat)
            | Phase::Mix { seat, .. }
            | Phase::Key(seat) => vec![*seat],
            Phase::Open(openings) => openings.iter().map(|opening| opening.opener).collect(),
            Phase::Over(_) => Vec::new(),
        }
    }

    /// Whether the deck of the hand in play is made, and the match is not over: all seats have sealed
    /// it, or have shuffled it.
    pub(crate) fn is_sealed(&self) -> bool {
        matches!(
            self,
            Phase::Open(_)
                | Phase::Choose { .. }
                | Phase::Reseal(..)
                | Phase::Commit(_)
                | Phase::Reveal(_)
                | Phase::Mix { .. }
                | Phase::Key(_)
                | Phase::Result(_)
        )
    }

    /// The kind of part that continues the match. An opening of a verifiable deck consists of other
    /// kinds.
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
            Phase::Keys => Some(PartKind::Keys),
            Phase::KeyDealing => Some(PartKind::KeyDealing),
            Phase::Complaints => Some(PartKind::Fine),
            Phase::Shuffle(_) => Some(PartKind::Shuffle),
            Phase::Mix { .. } => Some(PartKind::Mix),
            Phase::Key(_) => Some(PartKind::Key),
            Phase::Over(_) => None,
        }
    }
}
