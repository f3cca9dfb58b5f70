//! The deck from the log's point of view: the parts with which the seats make a deck and open its
//! cards.
//!
//! The other modules of the log depend only on [`DeckLog`], and not on a specific kind of deck.
//! They ask the deck which parts are allowed, how long these parts are, and whether a part is a
//! foul. They report complete steps to the deck, and read the cards that everybody can compute. The
//! deck returns the next phase of the log, so it decides which seat signs when.
//!
//! # How to add a kind of deck
//! Add a variant of [`DeckLog`] with a module next to `sealed`. Add the parts of the new kind to
//! `Part`, with their own codes, and its phases to `Phase`. Its fields of a `Deal` replace
//! [`DealInput`]. Compiler errors then show the other places that have to change.

mod sealed;

use dealerless::deck::Card;
use dealerless::dice::Dice;

use super::foul::PartFoul;
use super::header::Header;
use super::part::{Part, PartKind};
use super::phase::Phase;
use crate::rules::{Hand, Learners, Next, Steal};
use crate::seat::Seat;

pub use sealed::{Attempt, CardOpening, DealInput, Masked, Reseal, Seal};
pub(super) use sealed::{Sizes, read_openings, read_reveal, write_reveal};

/// The deck of the current hand, as far as the complete steps determine it.
#[derive(Clone, Debug)]
pub(super) enum DeckLog {
    /// Each seat has a share of the output of a circuit. A card is opened by shares that match the
    /// commitments in the seals.
    Sealed(sealed::SealedLog),
}

/// A seat whose turn it is in a hand that was dealt.
pub(super) struct Turn<'a> {
    pub(super) seat: Seat,
    pub(super) phase: &'a Phase,
    pub(super) attempt: Attempt,
    pub(super) game: &'a Hand,
}

/// The result of a complete step of the deck.
pub(super) enum Completed {
    /// The deck needs another step.
    Next(Phase),
    /// The deck is ready, and the rules decide what comes next.
    Ready,
    /// These cards are open to everybody.
    Opened(Vec<(usize, Card)>),
    /// The dice show these faces.
    Rolled(Vec<u32>),
    /// The deck is void. The hand is dealt again.
    Void,
}

impl DeckLog {
    pub(super) fn new(header: &Header) -> Self {
        DeckLog::Sealed(sealed::SealedLog::new(header))
    }

    /// The number of the try of this hand, counted from 0.
    pub(super) fn attempt(&self) -> u32 {
        match self {
            DeckLog::Sealed(deck) => deck.attempt(),
        }
    }

    /// Whether a seat may deal with this input.
    pub(super) fn accepts(&self, input: &DealInput) -> bool {
        match self {
            DeckLog::Sealed(deck) => deck.accepts(input),
        }
    }

    /// Starts a new deck after all seats have dealt. `inputs` are in order of the seats. Returns
    /// the first phase of the deck.
    pub(super) fn deal(&mut self, step: u64, inputs: &[DealInput]) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.deal(step, inputs),
        }
    }

    /// The opening with which the deck has to start before the rules continue with `next`. `None`
    /// if there is no such opening, or it is complete.
    pub(super) fn first_opening(&self, next: &Next) -> Option<Phase> {
        match self {
            DeckLog::Sealed(deck) => deck.first_opening(next),
        }
    }

    /// The phase that opens the cards that the rules ask for.
    pub(super) fn open(&self, cards: &[(usize, Learners)]) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.open(cards),
        }
    }

    /// The first phase of a dice roll.
    pub(super) fn roll(&self, dice: Dice) -> Phase {
        match self {
            DeckLog::Sealed(_) => Phase::Commit(dice),
        }
    }

    /// Starts a steal that a seat chose in this step. Returns the first phase of the steal.
    pub(super) fn steal(&mut self, step: u64, steal: Steal) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.steal(step, steal),
        }
    }

    /// The kinds of parts that `seat`, whose turn it is, may sign instead of the kind that
    /// continues the match. [`PartKind::Leave`], which is always allowed, is not included.
    pub(super) fn other_kinds(&self, phase: &Phase, seat: Seat) -> Vec<PartKind> {
        match self {
            DeckLog::Sealed(deck) => deck.other_kinds(phase, seat),
        }
    }

    /// The length in bytes of each part that this seat may sign in a phase of the deck.
    pub(super) fn size(&self, phase: &Phase, seat: Seat) -> usize {
        match self {
            DeckLog::Sealed(deck) => deck.size(phase, seat),
        }
    }

    /// Judges a part of the deck. Returns the hand after it if this part alone changes the hand.
    pub(super) fn judge(&self, turn: &Turn<'_>, part: &Part) -> Result<Option<Hand>, PartFoul> {
        match self {
            DeckLog::Sealed(deck) => deck.judge(turn, part),
        }
    }

    /// Records that these seats have signed a complete step of any kind.
    pub(super) fn signed(&mut self, step: u64, seats: impl Iterator<Item = Seat>) {
        match self {
            DeckLog::Sealed(deck) => deck.signed(step, seats),
        }
    }

    /// Updates the deck after a complete step of the deck. `parts` are in order of the seats. Each
    /// part was judged, and none ends the match.
    pub(super) fn complete(
        &mut self,
        step: u64,
        phase: Phase,
        parts: &[(Seat, Part)],
    ) -> Completed {
        match self {
            DeckLog::Sealed(deck) => deck.complete(step, phase, parts),
        }
    }

    /// Resets the deck after the end of a hand.
    pub(super) fn hand_over(&mut self) {
        match self {
            DeckLog::Sealed(deck) => deck.hand_over(),
        }
    }

    /// Whether this seat has another turn before all seats have sealed.
    pub(super) fn has_turn_before_sealed(&self, phase: &Phase, seat: Seat) -> bool {
        match self {
            DeckLog::Sealed(_) => sealed::seals_later(phase, seat),
        }
    }

    /// The first step after the last seal. `None` until the deck is final: all seats have sealed it
    /// and the first opening is complete, so it can no longer be changed or declared void.
    pub(super) fn final_since(&self) -> Option<u64> {
        match self {
            DeckLog::Sealed(deck) => deck.final_since(),
        }
    }

    /// The card at a position, if everybody can compute it.
    pub(super) fn card(&self, position: usize) -> Option<Card> {
        match self {
            DeckLog::Sealed(deck) => deck.card(position),
        }
    }
}
