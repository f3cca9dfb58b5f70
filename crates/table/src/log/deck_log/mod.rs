//! The deck from the log's point of view: the parts with which the seats make a deck and open its
//! cards.
//!
//! The other modules of the log ask [`DeckLog`] which parts are allowed, how long these parts are, and
//! whether a part is a foul. They report complete steps to the deck, and read the cards that everybody
//! can compute. The deck returns the next phase of the log, so it decides which seat signs when. What
//! only one kind of deck has, such as an ahead chain, they ask of that kind.
//!
//! # How to add a kind of deck
//! Add a variant of [`DeckLog`] with a module next to `sealed` and `verifiable`. Add the parts of the new kind to
//! `Part`, with their own codes, and its phases to `Phase`. Its fields of a `Deal` replace
//! [`DealInput`]. Compiler errors then show the other places that have to change.

mod sealed;
mod verifiable;

use dealerless::deck::Card;
use dealerless::dice::Dice;

use super::deal::DealInput;
use super::foul::PartFoul;
use super::header::DeckTerms;
use super::part::{Part, PartKind};
use super::phase::{End, Phase};
use super::players::Match;
use crate::rules::{BadCards, Hand, Learners, Steal};
use crate::seat::Seat;

pub use sealed::{Attempt, CardOpening, Masked, Reseal, Seal, SealedInput};
pub(super) use sealed::{SealedLog, Sizes, read_openings, read_reveal, write_reveal};
pub(super) use verifiable::{Checked, VerifiableLog, VerifiableSizes};
pub(crate) use verifiable::{DeckNow, KnownGoods, Opens};

/// The deck of the current hand, as far as the complete steps determine it.
#[derive(Clone, Debug)]
pub(super) enum DeckLog {
    /// Each seat has a share of the output of a circuit. A card is opened by shares that match the
    /// commitments in the seals.
    Sealed(SealedLog),
    /// Each seat shuffles in turn, with a proof. A card is opened by partial decryptions.
    Verifiable(VerifiableLog),
}

/// A seat whose turn it is.
pub(super) struct Turn<'a> {
    pub(super) seat: Seat,
    pub(super) phase: &'a Phase,
    pub(super) attempt: Attempt,
    /// The current step.
    pub(super) step: u64,
    /// The hash of all earlier steps.
    pub(super) before: [u8; 32],
}

/// The result of judging a part of the deck.
#[derive(Default)]
pub(super) struct Verdict {
    /// The hand after the part, if this part alone changes the hand.
    pub(super) after: Option<Hand>,
    /// What the check of the part has verified. It is kept until the step is complete.
    pub(super) checked: Option<Checked>,
}

/// The result of a complete step of the deck.
pub(super) enum Completed {
    /// The deck needs another step.
    Next(Phase),
    /// The deck is ready, and the rules decide what comes next.
    Ready,
    /// These cards are open to everybody. Of a verifiable deck, the rules ask for them until they are.
    Opened(Vec<(usize, Card)>),
    /// The dice show these faces.
    Rolled(Vec<u32>),
    /// A seat has mixed its goods.
    Mixed,
    /// The deck is void. The hand is dealt again.
    Void,
}

/// The phase after a request that the rules never make for this kind of deck.
const NOT_ASKED: Phase = Phase::Over(End::Cards(BadCards::NotDue));

impl DeckLog {
    pub(super) fn new(of: &Match) -> Self {
        let header = of.header();
        match &header.deck {
            DeckTerms::Sealed(terms) => DeckLog::Sealed(SealedLog::new(terms.circuit, header)),
            DeckTerms::Verifiable(seats) => {
                let deck = VerifiableLog::new(of.id(), *seats, &header.stakes);
                DeckLog::Verifiable(deck)
            }
        }
    }

    pub(super) fn sealed(&self) -> Option<&SealedLog> {
        match self {
            DeckLog::Sealed(deck) => Some(deck),
            DeckLog::Verifiable(_) => None,
        }
    }

    pub(super) fn sealed_mut(&mut self) -> Option<&mut SealedLog> {
        match self {
            DeckLog::Sealed(deck) => Some(deck),
            DeckLog::Verifiable(_) => None,
        }
    }

    pub(super) fn verifiable(&self) -> Option<&VerifiableLog> {
        match self {
            DeckLog::Sealed(_) => None,
            DeckLog::Verifiable(deck) => Some(deck),
        }
    }

    pub(super) fn verifiable_mut(&mut self) -> Option<&mut VerifiableLog> {
        match self {
            DeckLog::Sealed(_) => None,
            DeckLog::Verifiable(deck) => Some(deck),
        }
    }

    /// The number of the try of this hand, counted from 0.
    pub(super) fn attempt(&self) -> u32 {
        self.sealed().map_or(0, SealedLog::attempt)
    }

    /// Whether a seat may deal with this input.
    pub(super) fn accepts(&self, input: &DealInput) -> bool {
        match (self, input) {
            (DeckLog::Sealed(deck), DealInput::Sealed(input)) => deck.accepts(input),
            (DeckLog::Verifiable(_), DealInput::Verifiable { .. }) => true,
            _ => false,
        }
    }

    /// Starts a new deck after all seats have dealt. `inputs` are in order of the seats. Returns
    /// the first phase of the deck. `None` if the deck was already made.
    pub(super) fn deal(&mut self, step: u64, inputs: &[DealInput]) -> Option<Phase> {
        match self {
            DeckLog::Sealed(deck) => {
                let inputs: Vec<_> = inputs.iter().filter_map(DealInput::sealed).collect();
                Some(deck.deal(step, &inputs))
            }
            DeckLog::Verifiable(deck) => deck.deal(step, inputs),
        }
    }

    /// The phase that opens the cards that the rules ask for.
    pub(super) fn open(&self, cards: &[(usize, Learners)]) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.open(cards),
            DeckLog::Verifiable(deck) => deck.open(cards),
        }
    }

    /// The first phase of a dice roll. A verifiable deck opens the coin with this number.
    pub(super) fn roll(&self, dice: Dice, coin: u32) -> Phase {
        match self {
            DeckLog::Sealed(_) => Phase::Commit(dice),
            DeckLog::Verifiable(deck) => deck.roll(coin),
        }
    }

    /// The phase in which a seat mixes its goods.
    pub(super) fn mix(&self, seat: Seat, positions: Vec<usize>) -> Phase {
        let deck = self.verifiable();
        deck.map_or(NOT_ASKED, |_| Phase::Mix { seat, positions })
    }

    /// Starts a steal that a seat chose in this step. Returns the first phase of the steal.
    pub(super) fn steal(&mut self, step: u64, steal: Steal) -> Phase {
        let deck = self.sealed_mut();
        deck.map_or(NOT_ASKED, |deck| deck.steal(step, steal))
    }

    /// The kinds of parts that `seat`, whose turn it is, may sign instead of the kind that
    /// continues the match. [`PartKind::Leave`], which is always allowed, is not included.
    pub(super) fn other_kinds(&self, phase: &Phase, seat: Seat) -> Vec<PartKind> {
        match (self, phase) {
            (DeckLog::Sealed(deck), _) => deck.other_kinds(phase, seat),
            (DeckLog::Verifiable(_), Phase::Complaints) => vec![PartKind::Complain],
            _ => Vec::new(),
        }
    }

    /// The kind of part with which `seat`, whose turn it is, continues the match.
    pub(super) fn kind(&self, phase: &Phase, seat: Seat) -> Option<PartKind> {
        match (self, phase) {
            (DeckLog::Verifiable(deck), Phase::Open(openings)) => Some(deck.kind(openings, seat)),
            _ => phase.kind(),
        }
    }

    /// Whether a seat may leave in this phase.
    pub(super) fn may_leave(&self, phase: &Phase) -> bool {
        self.sealed().is_some() || matches!(phase, Phase::Choose { .. })
    }

    /// Whether this seat has not left. A seat can only leave a verifiable deck without ending the
    /// match.
    pub(super) fn is_live(&self, seat: Seat) -> bool {
        !self.gone().contains(&seat)
    }

    /// The seats that have left.
    pub(super) fn gone(&self) -> &[Seat] {
        self.verifiable().map_or(&[], VerifiableLog::gone)
    }

    /// The length in bytes of each part that this seat may sign in a phase of the deck.
    pub(super) fn size(&self, phase: &Phase, seat: Seat) -> usize {
        match self {
            DeckLog::Sealed(deck) => deck.size(phase, seat),
            DeckLog::Verifiable(deck) => deck.size(phase, seat),
        }
    }

    /// Judges a part of the deck. `game` is the hand in play, if one was dealt.
    pub(super) fn judge(
        &self,
        turn: &Turn<'_>,
        game: Option<&Hand>,
        part: &Part,
    ) -> Result<Verdict, PartFoul> {
        match (self, game) {
            (DeckLog::Sealed(deck), Some(game)) => Ok(Verdict {
                after: deck.judge(turn, game, part)?,
                checked: None,
            }),
            (DeckLog::Sealed(_), None) => Err(PartFoul::Kind(part.kind())),
            (DeckLog::Verifiable(deck), _) => Ok(Verdict {
                after: None,
                checked: deck.judge(turn, part)?,
            }),
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
            DeckLog::Verifiable(deck) => deck.complete(step, phase, parts),
        }
    }

    /// Resets the deck after the end of a hand.
    pub(super) fn hand_over(&mut self) {
        match self {
            DeckLog::Sealed(deck) => deck.hand_over(),
            DeckLog::Verifiable(deck) => deck.hand_over(),
        }
    }

    /// The first step after the last seal. `None` until the deck is final: all seats have sealed it
    /// and the first opening is complete, so it can no longer be changed or declared void.
    pub(super) fn final_since(&self) -> Option<u64> {
        match self {
            DeckLog::Sealed(deck) => deck.final_since(),
            DeckLog::Verifiable(deck) => deck.final_since(),
        }
    }

    /// The card at a position, if everybody can compute it.
    pub(super) fn card(&self, position: usize) -> Option<Card> {
        match self {
            DeckLog::Sealed(deck) => deck.card(position),
            DeckLog::Verifiable(deck) => deck.card(position),
        }
    }
}
