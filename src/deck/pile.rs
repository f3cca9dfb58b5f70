//! A pile of repeated cards, which are drawn in private and shown later.
//!
//! A pile of 14 knights and 5 castles is a sealed deck of 19 cards: cards 0 to 13 are knights, and
//! cards 14 to 18 are castles. All orders of the 19 cards are equally likely. So each sequence of
//! kinds has the correct probability.
//!
//! It is public which player has drawn or played each position. Only the player who drew a position
//! knows its card. A player shows a drawn card by opening its position to the other player, so the
//! player cannot show another card instead. To prove that a card is *still* in its hand, a player
//! shows a position in its hand.
//!
//! Cards of the same kind have different [numbers](Card). So a player who has seen a card
//! recognises it later, as if it were marked, even after a [steal](Pile::steal) has changed its
//! position.

use rand::CryptoRng;

use super::error::{Error, Result};
use super::{Card, SealedDeck};
use crate::circuit::Party;
use crate::mpc::{Audience, TwoParty};
use crate::shuffle::Spec;

/// The number of cards of each kind. It is public, and both parties agree on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds {
    counts: Vec<u32>,
}

/// The error for an invalid number of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pile has 2 to {max} cards", max = Spec::MAX_CARDS)]
pub struct KindsError;

impl Kinds {
    /// A pile with the given numbers of cards of kind 0, of kind 1, …: 2 to [`Spec::MAX_CARDS`]
    /// cards in total.
    ///
    /// # Errors
    /// When there are too few or too many cards.
    pub fn new(counts: &[u32]) -> Result<Self, KindsError> {
        let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if (2..=Spec::MAX_CARDS as u64).contains(&sum) {
            Ok(Kinds {
                counts: counts.to_vec(),
            })
        } else {
            Err(KindsError)
        }
    }

    /// The number of cards of each kind.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The total number of cards.
    pub fn cards(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    /// The kind of a card, from 0. `None` if the card does not exist.
    pub fn of(&self, card: Card) -> Option<usize> {
        self.place(card).map(|(kind, _)| kind)
    }

    /// The kind of a card, and its index among the cards of that kind, both from 0. `None` if the
    /// card does not exist.
    pub fn place(&self, card: Card) -> Option<(usize, u32)> {
        let mut place = u32::try_from(card.0).ok()?;
        for (kind, &count) in self.counts.iter().enumerate() {
            match place.checked_sub(count) {
                None => return Some((kind, place)),
                Some(rest) => place = rest,
            }
        }
        None
    }
}

/// The location of a card of a pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CardState {
    InPile,
    Held(Party),
    Played,
}

/// A shuffled pile, and the cards drawn from it.
pub struct Pile<S> {
    kinds: Kinds,
    deck: SealedDeck<S>,
    /// The location of the card at each position.
    states: Vec<CardState>,
}

impl<S: Clone> Pile<S> {
    /// A pile of these kinds, in the order of the deck. No card of the deck may have been opened.
    ///
    /// # Errors
    /// [`Error::Usage`] if the deck has a different number of cards.
    pub fn new(kinds: Kinds, deck: SealedDeck<S>) -> Result<Self> {
        if deck.cards() != kinds.cards() {
            return Err(Error::usage(format!(
                "a pile of {} cards cannot be dealt from a deck of {} cards",
                kinds.cards(),
                deck.cards()
            )));
        }
        Ok(Pile {
            states: vec![CardState::InPile; deck.len()],
            kinds,
            deck,
        })
    }

    /// The number of cards that can still be drawn.
    pub fn left(&self) -> usize {
        self.states
            .iter()
            .filter(|place| **place == CardState::InPile)
            .count()
    }

    /// The positions of the cards in a party's hand: the party drew or stole them, and has neither
    /// played nor lost them.
    pub fn hand(&self, party: Party) -> Vec<usize> {
        (0..self.states.len())
            .filter(|position| self.states[*position] == CardState::Held(party))
            .collect()
    }

    /// The kind of the card at a position, if this party has seen it.
    pub fn kind(&self, position: usize) -> Option<usize> {
        self.kinds.of(self.deck.seen(position)?)
    }

    /// Draws the next card for the party `by`; only `by` sees it. Returns the position. The
    /// [kind](Self::kind) is then known to `by`.
    ///
    /// # Errors
    /// [`Error::Usage`] if no cards are left; the errors of [`SealedDeck::open`].
    pub fn draw<P: TwoParty<Shared = S>>(&mut self, session: &mut P, by: Party) -> Result<usize> {
        let mut states = self.states.iter();
        let next = states.position(|place| *place == CardState::InPile);
        let next = next.ok_or_else(|| Error::usage("no cards are left to draw"))?;
        let openings = [(next, Audience::Only(by))];
        self.deck.open(session, &openings)?;
        self.states[next] = CardState::Held(by);
        Ok(next)
    }

    /// Shows the card at `position` to the party that does not hold it. The card stays in the hand.
    /// Returns the kind of the card.
    ///
    /// # Errors
    /// [`Error::Usage`] if nobody holds the card or both parties have seen it; the errors of
    /// [`SealedDeck::open`].
    pub fn show<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        position: usize,
    ) -> Result<usize> {
        let owner = self.owner(position)?;
        let openings = [(position, Audience::Only(owner.other()))];
        self.deck.open(session, &openings)?;
        self.public_kind(position)
    }

    /// Plays the card at `position`: both parties then see the card, and nobody holds it any more.
    /// Returns the kind of the card.
    ///
    /// # Errors
    /// [`Error::Usage`] if nobody holds the card; the errors of [`SealedDeck::open`].
    pub fn play<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        position: usize,
    ) -> Result<usize> {
        let owner = self.owner(position)?;
        let kind = if self.deck.is_open_to(position, owner.other()) {
            self.public_kind(position)
        } else {
            self.show(session, position)
        }?;
        self.states[position] = CardState::Played;
        Ok(kind)
    }

    /// Takes a random card from the hand of `owner` for the other party: see [`SealedDeck::steal`].
    /// Returns the kind of the card.
    ///
    /// # Errors
    /// Those of [`SealedDeck::steal`].
    pub fn steal<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        owner: Party,
        rng: &mut impl CryptoRng,
    ) -> Result<usize> {
        let hand = self.hand(owner);
        self.deck.steal(session, owner, &hand, rng)?;
        self.states[hand[0]] = CardState::Held(owner.other());
        self.public_kind(hand[0])
    }

    fn owner(&self, position: usize) -> Result<Party> {
        match self.states.get(position) {
            Some(CardState::Held(owner)) => Ok(*owner),
            _ => Err(Error::usage(format!("nobody holds card {position}"))),
        }
    }

    /// The kind of a card that both parties have seen.
    fn public_kind(&self, position: usize) -> Result<usize> {
        let kind = self.kind(position);
        kind.ok_or_else(|| Error::usage(format!("card {position} has not been seen")))
    }
}
