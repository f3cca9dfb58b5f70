//! The sealed deck: the output of a circuit, with each bit secret-shared between the seats.
//!
//! In a `Deal` each seat commits to its input bits of the circuit. Then the seats seal the deck one
//! after the other: each seat commits to its shares, and the host also signs the masked values. The
//! XOR of a card's masked value and all shares is the card. A card is opened when every seat that
//! has to open it has signed its share. A seat that finds an invalid seal declares the try void
//! before a card is opened.

mod asked;
mod commitment;
mod dice;
mod judge;
mod opening;
mod reseal;
mod seal;
mod shares;
mod sizes;

use dealerless::deck::Card;
use dealerless::dice::{Commitment, Dice, Reveal};

use super::Completed;
use crate::log::header::Header;
use crate::log::part::Part;
use crate::log::phase::{Opening, Phase};
use crate::rules::{Learners, Next, Steal};
use crate::seat::Seat;

pub use commitment::Attempt;
pub(in crate::log) use dice::{read_reveal, write_reveal};
pub use opening::CardOpening;
pub(in crate::log) use opening::read_openings;
pub use reseal::Reseal;
pub use seal::{Masked, Seal, SealedInput};
use shares::Shares;
pub(in crate::log) use sizes::Sizes;

/// The sealed decks of a match.
#[derive(Clone, Debug)]
pub(in crate::log) struct SealedLog {
    seats: usize,
    sizes: Sizes,
    circuit: [u8; 32],
    /// The number of the try of this hand, counted from 0.
    attempt: u32,
    /// The number of tries of this hand that each seat has declared void.
    voids: Vec<u32>,
    deck: Deck,
}

/// The deck of the current try. It is empty until all seats have dealt.
#[derive(Clone, Debug)]
struct Deck {
    /// The first step after the deals.
    since: u64,
    /// The number of hands in the batch that is prepared after this hand.
    batch: u32,
    seals: Vec<Seal>,
    shares: Shares,
    /// The complete openings, each with its step.
    openings: Vec<(u64, Opening)>,
    /// The resealed cards, by position.
    resealed: Vec<Option<Resealed>>,
    /// The last step that each seat has signed since the deal.
    last_signed: Vec<u64>,
    /// The step of the last choice that made the seats reshuffle a hand.
    stolen_in: u64,
    /// The reseals of the hand that is being reshuffled, as far as they are signed, in order of the
    /// seats.
    reseals: Vec<Reseal>,
    /// The commitments to the dice that are being revealed, in order of the seats.
    commitments: Vec<Commitment>,
}

/// A resealed card.
#[derive(Clone, Debug)]
struct Resealed {
    /// The step of the choice for which its hand was reshuffled, and the card's place in that hand.
    place: (u64, usize),
    masked: u64,
    /// The commitments to the shares, in order of the seats.
    commitments: Vec<[u8; 32]>,
}

impl SealedLog {
    pub(super) fn new(circuit: [u8; 32], header: &Header) -> Self {
        let shape = header.shape();
        SealedLog {
            seats: shape.seats,
            sizes: shape.deck,
            circuit,
            attempt: 0,
            voids: vec![0; shape.seats],
            deck: Deck::new(shape.seats, shape.deck.drawn, 0),
        }
    }

    pub(super) fn attempt(&self) -> u32 {
        self.attempt
    }

    pub(super) fn accepts(&self, input: &SealedInput) -> bool {
        input.circuit == self.circuit
    }

    pub(super) fn deal(&mut self, step: u64, inputs: &[&SealedInput]) -> Phase {
        let batch = inputs.first().map_or(0, |input| input.batch);
        let agreed = inputs.iter().all(|input| input.batch == batch);
        self.deck = Deck {
            since: step + 1,
            batch: if agreed { batch } else { 0 },
            ..Deck::new(self.seats, self.sizes.drawn, step)
        };
        Phase::Seal(Seat::HOST)
    }

    /// The first opening of each deck, unless it is complete. It is the host's: its shares of the cards
    /// that the rules ask for, or no card. Until this opening, the host may declare the try void.
    pub(in crate::log) fn first_opening(&self, next: &Next) -> Option<Phase> {
        let cards = match next {
            Next::Open(cards) => &cards[..],
            _ => &[],
        };
        let opening = || self.deck.opening(Seat::HOST, cards);
        let is_due = self.deck.openings.is_empty();
        is_due.then(|| Phase::Open(vec![opening()]))
    }

    /// The phase in which all seats open the shares of these cards that they have not opened yet.
    pub(super) fn open(&self, cards: &[(usize, Learners)]) -> Phase {
        let openings = Seat::all(self.seats).map(|opener| self.deck.opening(opener, cards));
        Phase::Open(openings.filter(|o| !o.cards.is_empty()).collect())
    }

    pub(super) fn steal(&mut self, step: u64, steal: Steal) -> Phase {
        self.deck.stolen_in = step;
        Phase::Reseal(Seat::HOST, steal)
    }

    /// Records that these seats have signed a complete step of any kind.
    pub(in crate::log) fn signed(&mut self, step: u64, seats: impl Iterator<Item = Seat>) {
        for seat in seats {
            self.deck.last_signed[seat.index()] = step;
        }
    }

    pub(super) fn complete(
        &mut self,
        step: u64,
        phase: Phase,
        parts: &[(Seat, Part)],
    ) -> Completed {
        if parts.iter().any(|(_, part)| matches!(part, Part::Again)) {
            return self.void(parts);
        }
        match phase {
            Phase::Seal(seat) => self.sealed(seat, parts),
            Phase::Open(openings) => {
                let is_first = self.deck.openings.is_empty();
                let public = self.deck.opened(step, openings, parts);
                match is_first {
                    true => Completed::Ready,
                    false => Completed::Opened(public),
                }
            }
            Phase::Reseal(seat, steal) => self.resealed(seat, steal, parts),
            Phase::Commit(dice) => self.deck.committed(dice, parts),
            Phase::Reveal(dice) => Completed::Rolled(dice.faces(&revealed(parts))),
            // These are not steps of a sealed deck.
            phase => Completed::Next(phase),
        }
    }

    fn void(&mut self, parts: &[(Seat, Part)]) -> Completed {
        for (seat, _) in parts {
            self.voids[seat.index()] += 1;
        }
        self.attempt += 1;
        self.deck = Deck::new(self.seats, self.sizes.drawn, 0);
        Completed::Void
    }

    fn sealed(&mut self, seat: Seat, parts: &[(Seat, Part)]) -> Completed {
        let seals = parts.iter().filter_map(|(_, part)| match part {
            Part::Seal(seal) => Some(seal.clone()),
            _ => None,
        });
        self.deck.seals.extend(seals);
        match self.is_last(seat) {
            true => Completed::Ready,
            false => Completed::Next(Phase::Seal(seat.next(self.seats))),
        }
    }

    fn resealed(&mut self, seat: Seat, steal: Steal, parts: &[(Seat, Part)]) -> Completed {
        for (_, part) in parts {
            match part {
                Part::Reseal(reseal) => self.deck.reseals.push(reseal.clone()),
                // The reshuffle was declared void.
                _ => {
                    self.deck.reseals.clear();
                    return Completed::Ready;
                }
            }
        }
        if !self.is_last(seat) {
            return Completed::Next(Phase::Reseal(seat.next(self.seats), steal));
        }
        self.deck.replace(&steal.hand);
        Completed::Ready
    }

    /// Whether this seat seals last.
    fn is_last(&self, seat: Seat) -> bool {
        seat.index() + 1 == self.seats
    }

    pub(super) fn hand_over(&mut self) {
        self.attempt = 0;
        self.voids.fill(0);
        self.deck = Deck::new(self.seats, self.sizes.drawn, 0);
    }

    pub(super) fn final_since(&self) -> Option<u64> {
        let opened = !self.deck.openings.is_empty();
        opened.then_some(self.deck.since + self.seats as u64)
    }

    /// The length in bytes of each part that this seat may sign in a phase of the deck.
    pub(super) fn size(&self, phase: &Phase, seat: Seat) -> usize {
        match phase {
            Phase::Seal(_) => self.sizes.seal(seat == Seat::HOST),
            Phase::Open(openings) => {
                let mine = openings.iter().find(|opening| opening.opener == seat);
                self.sizes
                    .open(mine.map_or(0, |opening| opening.cards.len()))
            }
            Phase::Reseal(_, steal) => self.sizes.reseal(steal.hand.len(), seat == Seat::HOST),
            Phase::Commit(_) => self.sizes.commit(),
            Phase::Reveal(dice) => self.sizes.reveal(dice.count()),
            // These are not steps of a sealed deck.
            _ => 0,
        }
    }

    pub(super) fn card(&self, position: usize) -> Option<Card> {
        self.deck.card(position)
    }
}

/// The dice revealed by the parts of a step.
fn revealed(parts: &[(Seat, Part)]) -> Vec<&Reveal> {
    let mut reveals = Vec::with_capacity(parts.len());
    for (_, part) in parts {
        if let Part::Reveal(reveal) = part {
            reveals.push(reveal);
        }
    }
    reveals
}

/// The cards that a part opens.
fn cards(part: &Part) -> &[CardOpening] {
    match part {
        Part::Open(cards) => cards,
        _ => &[],
    }
}

impl Deck {
    fn new(seats: usize, drawn: usize, step: u64) -> Self {
        Deck {
            since: 0,
            batch: 0,
            seals: Vec::new(),
            shares: Shares::none(seats, drawn),
            openings: Vec::new(),
            resealed: vec![None; drawn],
            last_signed: vec![step; seats],
            stolen_in: 0,
            reseals: Vec::new(),
            commitments: Vec::new(),
        }
    }

    /// The opening of a seat when these cards are to be opened: the cards that are not for the seat
    /// alone and whose share it has not opened yet.
    fn opening(&self, opener: Seat, cards: &[(usize, Learners)]) -> Opening {
        let is_due = |&&(position, to): &&(usize, Learners)| {
            to != Learners::Seat(opener) && self.shares.of(opener, position).is_none()
        };
        let cards = cards.iter().filter(is_due).copied().collect();
        Opening { opener, cards }
    }

    /// Adds the shares in `parts`. Returns the cards that are now open to everybody.
    fn opened(
        &mut self,
        step: u64,
        openings: Vec<Opening>,
        parts: &[(Seat, Part)],
    ) -> Vec<(usize, Card)> {
        for (seat, part) in parts {
            for card in cards(part) {
                self.shares.add(*seat, card);
            }
        }
        let public = self.public(&openings);
        let of_step = openings.into_iter().map(|opening| (step, opening));
        self.openings.extend(of_step);
        public
    }

    /// The cards that these openings open to everybody, as far as everybody can compute them.
    fn public(&self, openings: &[Opening]) -> Vec<(usize, Card)> {
        let cards = openings.iter().flat_map(|opening| &opening.cards);
        let to_all = cards.filter(|(_, to)| *to == Learners::All);
        let mut positions: Vec<usize> = to_all.map(|&(position, _)| position).collect();
        positions.sort_unstable();
        positions.dedup();
        let card = |position| Some((position, self.card(position)?));
        positions.into_iter().filter_map(card).collect()
    }

    fn committed(&mut self, dice: Dice, parts: &[(Seat, Part)]) -> Completed {
        let commitment = |(_, part): &(Seat, Part)| match part {
            Part::Commit(commitment) => Some(Commitment(*commitment)),
            _ => None,
        };
        self.commitments = parts.iter().filter_map(commitment).collect();
        Completed::Next(Phase::Reveal(dice))
    }

    /// Replaces the cards of a hand by the cards that all seats have resealed.
    fn replace(&mut self, hand: &[usize]) {
        let reseals = std::mem::take(&mut self.reseals);
        for (place, &position) in hand.iter().enumerate() {
            let masked = reseals.first().and_then(|first| first.masked.get(place));
            let commitment = |reseal: &Reseal| reseal.commitments.get(place).copied();
            self.shares.forget(position);
            self.resealed[position] = masked.map(|&masked| Resealed {
                place: (self.stolen_in, place),
                masked,
                commitments: reseals.iter().filter_map(commitment).collect(),
            });
        }
    }

    /// The card at a position, if all its shares were opened.
    fn card(&self, position: usize) -> Option<Card> {
        self.shares.card(self.masked(position)?, position)
    }

    /// The masked value of the card at a position. `None` before the first seal.
    fn masked(&self, position: usize) -> Option<u64> {
        if let Some(Some(again)) = self.resealed.get(position) {
            return Some(again.masked);
        }
        let first = self.seals.first().and_then(|seal| seal.masked.as_ref())?;
        first.cards.get(position).copied()
    }
}
