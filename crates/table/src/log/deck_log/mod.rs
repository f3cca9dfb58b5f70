//! The deck from the log's point of view: the parts with which the seats make a deck and open its
//! cards.
//!
//! The other modules of the log depend only on [`DeckLog`], and not on a specific kind of deck.
//! They ask the deck which parts are allowed, how long these parts are, and whether a part is a
//! foul. They report complete steps to the deck, and read the cards that everybody can compute. The
//! deck returns the next phase of the log, so it decides which seat signs when.
//!
//! # How to add a kind of deck
//! Add a variant of [`DeckLog`] with a module next to `sealed` and `verifiable`. Add the parts of the new kind to
//! `Part`, with their own codes, and its phases to `Phase`. Its fields of a `Deal` replace
//! [`DealInput`]. Compiler errors then show the other places that have to change.

mod sealed;
mod verifiable;

use dealerless::deck::Card;
use dealerless::dice::Dice;

use super::ahead_chain::Head;
use super::deal::DealInput;
use super::foul::PartFoul;
use super::header::{DeckTerms, Header};
use super::part::{Part, PartKind};
use super::phase::{End, Phase};
use crate::rules::{BadCards, Hand, Learners, Next, Steal};
use crate::seat::Seat;

pub use sealed::{Attempt, CardOpening, Masked, Reseal, Seal, SealedInput};
pub(super) use sealed::{Sizes, read_openings, read_reveal, write_reveal};
pub(super) use verifiable::{Checked, VerifiableSizes};
pub(crate) use verifiable::{DeckNow, KnownGoods, Opens};

/// The deck of the current hand, as far as the complete steps determine it.
#[derive(Clone, Debug)]
pub(super) enum DeckLog {
    /// Each seat has a share of the output of a circuit. A card is opened by shares that match the
    /// commitments in the seals.
    Sealed(sealed::SealedLog),
    /// Each seat shuffles in turn, with a proof. A card is opened by partial decryptions.
    Verifiable(verifiable::VerifiableLog),
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
    pub(super) fn new(header: &Header) -> Self {
        match &header.deck {
            DeckTerms::Sealed(terms) => {
                DeckLog::Sealed(sealed::SealedLog::new(terms.circuit, header))
            }
            DeckTerms::Verifiable(seats) => {
                let deck = verifiable::VerifiableLog::new(*seats, &header.stakes);
                DeckLog::Verifiable(deck)
            }
        }
    }

    /// The number of the try of this hand, counted from 0.
    pub(super) fn attempt(&self) -> u32 {
        match self {
            DeckLog::Sealed(deck) => deck.attempt(),
            DeckLog::Verifiable(_) => 0,
        }
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

    /// The opening with which the deck has to start before the rules continue with `next`. `None`
    /// if there is no such opening, or it is complete.
    pub(super) fn first_opening(&self, next: &Next) -> Option<Phase> {
        match self {
            DeckLog::Sealed(deck) => deck.first_opening(next),
            DeckLog::Verifiable(_) => None,
        }
    }

    /// The phase that opens the cards that the rules ask for.
    pub(super) fn open(&self, cards: &[(usize, Learners)]) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.open(cards),
            DeckLog::Verifiable(deck) => deck.open(cards),
        }
    }

    /// The public ones of these cards that the rules ask for, if all of these cards have been opened.
    pub(super) fn opened(&mut self, cards: &[(usize, Learners)]) -> Option<Vec<(usize, Card)>> {
        match self {
            DeckLog::Sealed(_) => None,
            DeckLog::Verifiable(deck) => deck.opened(cards),
        }
    }

    /// The faces of these dice, if the coin with this number has been opened.
    pub(super) fn rolled(&self, dice: Dice, coin: u32) -> Option<Vec<u32>> {
        match self {
            DeckLog::Sealed(_) => None,
            DeckLog::Verifiable(deck) => deck.rolled(dice, coin),
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
        match self {
            DeckLog::Sealed(_) => NOT_ASKED,
            DeckLog::Verifiable(_) => Phase::Mix { seat, positions },
        }
    }

    /// Adds the goods that seats have gained in this step.
    pub(super) fn gain(&mut self, game: &Hand) {
        if let DeckLog::Verifiable(deck) = self {
            deck.gain(game);
        }
    }

    /// Starts a steal that a seat chose in this step. Returns the first phase of the steal.
    pub(super) fn steal(&mut self, step: u64, steal: Steal) -> Phase {
        match self {
            DeckLog::Sealed(deck) => deck.steal(step, steal),
            DeckLog::Verifiable(_) => NOT_ASKED,
        }
    }

    /// The kinds of parts that `seat`, whose turn it is, may sign instead of the kind that
    /// continues the match. [`PartKind::Leave`], which is always allowed, is not included.
    pub(super) fn other_kinds(&self, phase: &Phase, seat: Seat) -> Vec<PartKind> {
        match self {
            DeckLog::Sealed(deck) => deck.other_kinds(phase, seat),
            DeckLog::Verifiable(_) if *phase == Phase::Complaints => vec![PartKind::Complain],
            DeckLog::Verifiable(_) => Vec::new(),
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
        match self {
            DeckLog::Sealed(_) => true,
            DeckLog::Verifiable(_) => matches!(phase, Phase::Choose { .. }),
        }
    }

    /// Whether this seat has not left. A seat can only leave a verifiable deck without ending the
    /// match.
    pub(super) fn is_live(&self, seat: Seat) -> bool {
        match self {
            DeckLog::Sealed(_) => true,
            DeckLog::Verifiable(deck) => deck.is_live(seat),
        }
    }

    /// The seats that have left.
    pub(super) fn gone(&self) -> &[Seat] {
        match self {
            DeckLog::Sealed(_) => &[],
            DeckLog::Verifiable(deck) => deck.gone(),
        }
    }

    /// Makes the public keys of a verifiable deck, after all seats have confirmed their shares.
    /// Returns the next phase.
    pub(super) fn make_roster(&mut self, match_id: &[u8; 32]) -> Phase {
        match self {
            DeckLog::Sealed(_) => Phase::Deal,
            DeckLog::Verifiable(deck) => deck.make_roster(match_id),
        }
    }

    /// Begins the ahead chain of the next hand.
    pub(super) fn begin_ahead(&mut self, match_id: &[u8; 32], head: Head) {
        if let DeckLog::Verifiable(deck) = self {
            deck.begin_ahead(match_id, head);
        }
    }

    /// Drops the ahead chain of the next hand.
    pub(super) fn drop_ahead(&mut self) {
        if let DeckLog::Verifiable(deck) = self {
            deck.ahead = None;
        }
    }

    /// Records that a seat has left without publishing its share of the deck's key, or was removed. A
    /// deck made ahead is void then.
    pub(super) fn leave(&mut self, seat: Seat) {
        if let DeckLog::Verifiable(deck) = self {
            deck.leave(seat);
        }
    }

    /// Whether the hand in play goes on with the cards of this deck, but no further hand.
    pub(super) fn is_last_hand(&self) -> bool {
        match self {
            DeckLog::Sealed(_) => false,
            DeckLog::Verifiable(deck) => deck.is_last_hand(),
        }
    }

    /// Whether a seat that leaves publishes its share of the deck's key if the others need it: all
    /// seats together open a card.
    pub(super) fn may_publish(&self) -> bool {
        match self {
            DeckLog::Sealed(_) => false,
            DeckLog::Verifiable(deck) => deck.may_publish(),
        }
    }

    /// Whether enough seats are left to open cards.
    pub(super) fn can_open(&self) -> bool {
        match self {
            DeckLog::Sealed(_) => true,
            DeckLog::Verifiable(deck) => deck.can_open(),
        }
    }

    /// Keeps what the check of an accepted part has verified until the step is complete.
    pub(super) fn keep(&mut self, seat: Seat, checked: Option<Checked>) {
        if let (DeckLog::Verifiable(deck), Some(checked)) = (self, checked) {
            deck.keep(seat, checked);
        }
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

    /// Records that these seats have signed a complete step of any kind.
    pub(super) fn signed(&mut self, step: u64, seats: impl Iterator<Item = Seat>) {
        match self {
            DeckLog::Sealed(deck) => deck.signed(step, seats),
            DeckLog::Verifiable(_) => {}
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

    /// Whether this seat has another turn before all seats have sealed.
    pub(super) fn has_turn_before_sealed(&self, phase: &Phase, seat: Seat) -> bool {
        match self {
            DeckLog::Sealed(_) => sealed::seals_later(phase, seat),
            DeckLog::Verifiable(_) => false,
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
