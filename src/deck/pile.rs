//! A pile of repeated cards: drawn in private, shown later.
//!
//! A pile of 14 knights and 5 castles is a sealed deck of 19 cards, of which the first 14 are
//! knights. All orders of the 19 cards are equally likely, so all orders that can be told apart by
//! kinds come up as often as they must.
//!
//! Who has drawn which position is public, and so is who has played it. What lies there is known to
//! who drew it. A party shows what it drew by opening that very position to the other: it can show
//! no other card for it. So to prove that one *still* holds a card is to show a position that one
//! holds.
//!
//! Cards of one kind have different [numbers](Card). So who has seen a card knows it again, even
//! after a [steal](Pile::steal) has changed its position, as if it was marked on its face.

use rand::CryptoRng;

use super::error::{Error, Result};
use super::{Card, SealedDeck};
use crate::circuit::Party;
use crate::mpc::{Audience, TwoParty};
use crate::shuffle::Spec;

/// How many cards there are of each kind: public, and agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds {
    counts: Vec<u32>,
}

/// Why there is no pile of such cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pile has 2 to {max} cards", max = Spec::MAX_CARDS)]
pub struct KindsError;

impl Kinds {
    /// So many cards of kind 0, of kind 1, …: 2 to [`Spec::MAX_CARDS`] in all.
    ///
    /// # Errors
    /// If they are too few or too many.
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

    /// How many cards there are of each kind.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How many cards there are in all.
    pub fn cards(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    /// The kind of a card, from 0. `None` if there is no such card.
    pub fn of(&self, card: Card) -> Option<usize> {
        self.place(card).map(|(kind, _)| kind)
    }

    /// The kind of a card, and its place among the cards of that kind, both from 0. `None` if there
    /// is no such card.
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

/// Where a card of a pile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CardState {
    InPile,
    Held(Party),
    Played,
}

/// A shuffled pile, and the cards that were drawn from it.
pub struct Pile<S> {
    kinds: Kinds,
    deck: SealedDeck<S>,
    /// By position.
    states: Vec<CardState>,
}

impl<S: Clone> Pile<S> {
    /// The pile of these kinds, as the deck lies. Nothing of the deck has been opened.
    ///
    /// # Errors
    /// [`Error::Usage`] if the deck has not as many cards.
    pub fn new(kinds: Kinds, deck: SealedDeck<S>) -> Result<Self> {
        if deck.cards() != kinds.cards() {
            return Err(Error::usage(format!(
                "a pile of {} cards cannot be dealt from a deck of {}",
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

    /// How many cards can still be drawn.
    pub fn left(&self) -> usize {
        self.states
            .iter()
            .filter(|place| **place == CardState::InPile)
            .count()
    }

    /// The positions that a party holds: what it drew or stole, and has not played.
    pub fn hand(&self, party: Party) -> Vec<usize> {
        (0..self.states.len())
            .filter(|position| self.states[*position] == CardState::Held(party))
            .collect()
    }

    /// The kind of the card at a position, if this party has seen it.
    pub fn kind(&self, position: usize) -> Option<usize> {
        self.kinds.of(self.deck.seen(position)?)
    }

    /// A party draws the next card, which it alone sees. Gives the position; the
    /// [kind](Self::kind) is then known to who drew it.
    ///
    /// # Errors
    /// [`Error::Usage`] if nothing is left; those of [`SealedDeck::open`].
    pub fn draw<P: TwoParty<Shared = S>>(&mut self, session: &mut P, by: Party) -> Result<usize> {
        let mut states = self.states.iter();
        let next = states.position(|place| *place == CardState::InPile);
        let next = next.ok_or_else(|| Error::usage("no card is left to be drawn"))?;
        let openings = [(next, Audience::Only(by))];
        self.deck.open(session, &openings)?;
        self.states[next] = CardState::Held(by);
        Ok(next)
    }

    /// Who holds the card at `position` shows it to the other, and goes on holding it. Gives its
    /// kind.
    ///
    /// # Errors
    /// [`Error::Usage`] if nobody holds it, or both have seen it; those of [`SealedDeck::open`].
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

    /// Who holds the card at `position` plays it: both see it then, and nobody holds it any more.
    /// Gives its kind.
    ///
    /// # Errors
    /// [`Error::Usage`] if nobody holds it; those of [`SealedDeck::open`].
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

    /// The other party takes a random card out of the hand of `owner`: see
    /// [`SealedDeck::steal`]. Gives its kind.
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

    /// The kind of a card that both have seen.
    fn public_kind(&self, position: usize) -> Result<usize> {
        let kind = self.kind(position);
        kind.ok_or_else(|| Error::usage(format!("card {position} has not been seen")))
    }
}
