//! Goods: cards of public kinds that seats gain, give away, and mix to hide them.
//!
//! A good that was gained in public is the ciphertext `(0, M)` of its kind. Its owner can mix its goods:
//! it shuffles them alone, with the proof of a shuffle. Afterwards only the owner knows which is which.
//! A hidden good is opened like a card.

use std::sync::Arc;

use rand::CryptoRng;

use super::context::Context;
use super::deck::{Cards, Ciphertext, Decks, VerifiedDeck};
use super::group::Point;
use super::shuffle::{BadShuffle, follow};
use crate::deck::Card;

/// The goods of a hand, by the order in which they were gained. All mixes of them were verified.
#[derive(Clone)]
pub struct Goods(Arc<VerifiedDeck>);

/// Goods of a seat before a mix of them: what the seat needs to know their kinds after it. It takes 64
/// bytes a good.
#[derive(Clone)]
pub struct Unmixed {
    count: usize,
    /// All points of the goods, encoded.
    points: Box<[u8]>,
}

impl Goods {
    /// No goods. `kinds` are made by [`Cards::kinds`].
    pub fn new(kinds: &Arc<Cards>) -> Self {
        Goods(Arc::new(VerifiedDeck {
            cards: Arc::clone(kinds),
            places: Vec::new(),
        }))
    }

    /// The number of goods that were gained.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Adds a good of a public kind. `None` if there is no such kind.
    pub fn gain(&mut self, kind: Card) -> Option<()> {
        let b = self.0.cards.point(kind)?;
        let a = Point::identity();
        Arc::make_mut(&mut self.0).places.push(Ciphertext { a, b });
        Some(())
    }

    /// The length of a mix of `count` goods with its proof, in bytes.
    pub fn mix_len(count: usize) -> usize {
        VerifiedDeck::shuffle_len(count)
    }

    /// Mixes the goods at these positions, which are in ascending order. Returns the part that the seat
    /// of the context signs, and the goods after it. The deck in the context is the number of the goods
    /// among the decks.
    ///
    /// The same random bytes give the same part for the same goods in the same context, and an unrelated
    /// one for any other.
    ///
    /// # Errors
    /// [`BadShuffle::Places`].
    pub fn mix(
        &self,
        context: &Context<'_>,
        positions: &[usize],
        rng: &mut impl CryptoRng,
    ) -> Result<(Vec<u8>, Self), BadShuffle> {
        let (part, mixed) = self.hand(positions)?.shuffle(context, rng);
        Ok((part, self.replaced(positions, mixed)))
    }

    /// The goods after a mix by the seat of the context. The rules name the positions.
    ///
    /// # Errors
    /// [`BadShuffle`].
    pub fn verify_mix(
        &self,
        context: &Context<'_>,
        positions: &[usize],
        part: &[u8],
    ) -> Result<Self, BadShuffle> {
        let mixed = self.hand(positions)?.verify_shuffle(context, part)?;
        Ok(self.replaced(positions, mixed))
    }

    /// The goods at these positions, for their owner to [follow](Unmixed::follow) a mix of them.
    ///
    /// # Errors
    /// [`BadShuffle::Places`].
    pub fn unmixed(&self, positions: &[usize]) -> Result<Unmixed, BadShuffle> {
        let hand = self.hand(positions)?;
        let points = hand.points().flat_map(|point| *point.bytes());
        Ok(Unmixed {
            count: hand.count(),
            points: points.collect(),
        })
    }

    /// The goods at these positions as a deck.
    fn hand(&self, positions: &[usize]) -> Result<VerifiedDeck, BadShuffle> {
        let most = self.0.cards.generators.len();
        let valid = positions.is_sorted_by(|a, b| a < b) && (1..=most).contains(&positions.len());
        let place = |&position: &usize| self.0.places.get(position).copied();
        let places: Option<Vec<Ciphertext>> = positions.iter().map(place).collect();
        let places = places.filter(|_| valid).ok_or(BadShuffle::Places)?;
        Ok(VerifiedDeck {
            cards: Arc::clone(&self.0.cards),
            places,
        })
    }

    /// These goods, with those of a hand replaced.
    fn replaced(&self, positions: &[usize], hand: VerifiedDeck) -> Self {
        let mut goods = self.clone();
        let places = &mut Arc::make_mut(&mut goods.0).places;
        for (&position, place) in positions.iter().zip(hand.places) {
            places[position] = place;
        }
        goods
    }
}

impl Decks {
    /// These decks and the goods, as one more deck.
    #[must_use]
    pub fn with_goods(mut self, goods: &Goods) -> Self {
        self.push(Arc::clone(&goods.0));
        self
    }
}

impl Unmixed {
    /// The kinds of the goods after [`Goods::mix`] with the same random bytes in this context, from the
    /// kinds before it. Both are in order of the positions.
    ///
    /// # Errors
    /// [`BadShuffle::Places`] if there is not one kind for each good.
    pub fn follow(
        &self,
        context: &Context<'_>,
        kinds: &[Card],
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<Card>, BadShuffle> {
        if kinds.len() != self.count {
            return Err(BadShuffle::Places);
        }
        let kinds = zeroize::Zeroizing::new(kinds.iter().map(|kind| kind.0).collect::<Vec<u64>>());
        let followed = follow(context, &self.points, &kinds, rng);
        Ok(followed.iter().map(|&kind| Card(kind)).collect())
    }
}

#[cfg(test)]
mod tests;
