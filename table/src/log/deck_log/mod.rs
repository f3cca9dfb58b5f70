//! The deck as a log knows it: the parts with which the seats make it and open it.
//!
//! The rest of the log knows a [`DeckLog`] and no kind of deck: it asks which parts are allowed and
//! how long they are, has them judged, reports complete steps, and reads the cards that everybody
//! can compute. A kind of deck answers with phases of the log, so it decides who speaks when.
//!
//! # Another kind of deck
//! Another variant of [`DeckLog`] with a module beside `sealed`. Its parts are variants of `Part`
//! with codes of their own, its steps are variants of `Phase`, and its own fields of a `Deal` take
//! the place of [`DealInput`]. The compiler names the other places.

mod sealed;

use dealerless::deck::Card;
use dealerless::dice::Dice;

use super::foul::PartFoul;
use super::header::Header;
use super::part::{Part, PartKind};
use super::phase::Phase;
use crate::rules::{Hand, Opening, Steal};
use crate::seat::Seat;

pub use sealed::{Attempt, CardOpening, DealInput, Masked, Reseal, Seal};
pub(super) use sealed::{Sizes, read_openings, read_reveal, write_reveal};

/// The decks of a match: what follows from the complete steps about the deck of this hand.
#[derive(Clone, Debug)]
pub(super) enum DeckLog {
    /// Both seats hold shares of the output of a circuit. A card is opened by shares that fit the
    /// commitments in the seals.
    Sealed(sealed::SealedLog),
}

/// A seat whose turn it is, in a hand that was dealt.
pub(super) struct Turn<'a> {
    pub(super) seat: Seat,
    pub(super) phase: &'a Phase,
    pub(super) attempt: Attempt,
    pub(super) game: &'a Hand,
}

/// What a complete step of the deck leads to.
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

    /// The number of the try of this hand, from 0.
    pub(super) fn attempt(&self) -> u32 {
        match self {
            DeckLog::Sealed(deck) => deck.attempt(),
        }
    }

    /// Whether a seat may deal with this.
    pub(super) fn accepts(&self, input: &DealInput) -> bool {
        match self {
            DeckLog::Sealed(deck) => deck.accepts(input),
        }
    }

    /// All seats have dealt with these inputs, in order of the seats. Returns the first phase of the
    /// new deck.
    pub(super) fn deal(&mut self, step: u64, inputs: &[DealInput]) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.deal(step, inputs),
        }
    }

    /// The phase in which cards are opened as the rules ask.
    pub(super) fn open(&self, openings: Vec<Opening>) -> Phase {
        match self {
            DeckLog::Sealed(_) => Phase::Open(openings),
        }
    }

    /// The first phase of a roll.
    pub(super) fn roll(&self, dice: Dice) -> Phase {
        match self {
            DeckLog::Sealed(_) => Phase::Commit(dice),
        }
    }

    /// The first phase of a steal that a seat chose in this step.
    pub(super) fn steal(&mut self, step: u64, steal: Steal) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.steal(step, steal),
        }
    }

    /// The kinds of parts that a seat whose turn it is may sign instead of the one that goes on,
    /// but for [`PartKind::Leave`].
    pub(super) fn other_kinds(&self, phase: &Phase, seat: Seat) -> Vec<PartKind> {
        match self {
            DeckLog::Sealed(deck) => deck.other_kinds(phase, seat),
        }
    }

    /// The bytes of any part of this seat, in a phase of the deck.
    pub(super) fn size(&self, phase: &Phase, seat: Seat) -> usize {
        match self {
            DeckLog::Sealed(deck) => deck.size(phase, seat),
        }
    }

    /// Judges a part of the deck. Returns the hand after it, if this part alone changes the hand.
    pub(super) fn judge(&self, turn: &Turn<'_>, part: &Part) -> Result<Option<Hand>, PartFoul> {
        match self {
            DeckLog::Sealed(deck) => deck.judge(turn, part),
        }
    }

    /// These seats have spoken in a complete step, whatever it was about.
    pub(super) fn signed(&mut self, step: u64, seats: impl Iterator<Item = Seat>) {
        match self {
            DeckLog::Sealed(deck) => deck.signed(step, seats),
        }
    }

    /// A step of the deck is complete. Its parts come in order of the seats; each was judged, and
    /// none of them ends the match.
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

    /// The hand is over.
    pub(super) fn hand_over(&mut self) {
        match self {
            DeckLog::Sealed(deck) => deck.hand_over(),
        }
    }

    /// Whether this seat has a turn before the hand stands.
    pub(super) fn asks_before_it_stands(&self, phase: &Phase, seat: Seat) -> bool {
        match self {
            DeckLog::Sealed(_) => sealed::seals_later(phase, seat),
        }
    }

    /// The first step in which the deck could not be changed any more, if it has come: the deck is
    /// final, and a card was opened.
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
