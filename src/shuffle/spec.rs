//! The specification of a shuffle: the size of the deck, the number of drawn cards, and the
//! algorithm.

use serde::{Deserialize, Serialize};

use super::algorithm::Algorithm;

/// The specification of a shuffle that draws m cards from a deck of the n cards `0..n`.
///
/// Every `Spec` is within the bounds of [`Spec::new`], even if it was deserialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct Spec {
    cards: usize,
    draw: usize,
    algorithm: Algorithm,
}

impl Spec {
    /// The maximum number of cards in a deck.
    ///
    /// Except for permutation networks, the size of a circuit grows as n m log n. A circuit that
    /// draws all cards of the deck has five million AND gates for 1024 cards, and a hundred million
    /// for 4096 cards. Such a circuit is too large for the memory of most machines. Code that
    /// accepts a spec from a peer must therefore apply a stricter limit before it builds the
    /// circuit.
    pub const MAX_CARDS: usize = 4096;

    /// The maximum number of cards for which sizes are [computed](super::Computed).
    pub(super) const MAX_CARDS_TO_COUNT: usize = 1 << 16;

    /// A shuffle of `cards` cards (2 to [`MAX_CARDS`](Self::MAX_CARDS)), of which `draw` (1 to
    /// `cards`) are drawn.
    ///
    /// # Errors
    /// A [`SpecError`] if `cards` or `draw` is out of bounds.
    pub fn new(cards: usize, draw: usize, algorithm: Algorithm) -> Result<Self, SpecError> {
        if !(2..=Self::MAX_CARDS).contains(&cards) {
            return Err(SpecError::Cards(cards));
        }
        Self::to_count(cards, draw, algorithm)
    }

    /// Like [`new`](Self::new), for a shuffle whose size is computed without building the circuit:
    /// allows up to [`MAX_CARDS_TO_COUNT`](Self::MAX_CARDS_TO_COUNT) cards.
    pub(super) fn to_count(
        cards: usize,
        draw: usize,
        algorithm: Algorithm,
    ) -> Result<Self, SpecError> {
        if !(2..=Self::MAX_CARDS_TO_COUNT).contains(&cards) {
            return Err(SpecError::CardsToCount(cards));
        }
        if !(1..=cards).contains(&draw) {
            return Err(SpecError::Draw { draw, cards });
        }
        Ok(Self {
            cards,
            draw,
            algorithm,
        })
    }

    /// n, the number of cards in the deck.
    pub fn cards(&self) -> usize {
        self.cards
    }

    /// m, the number of cards drawn.
    pub fn draw(&self) -> usize {
        self.draw
    }

    /// The algorithm of the shuffle.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// w = ceil(log2 n), the number of bits of a card.
    pub fn word_bits(&self) -> usize {
        bits_below(self.cards)
    }
}

/// ceil(log2 bound), the number of bits that suffice for every number below `bound`. `bound` must
/// be at least 2.
pub(super) fn bits_below(bound: usize) -> usize {
    (usize::BITS - (bound - 1).leading_zeros()) as usize
}

/// The reason why a [`Spec`] is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The number of cards is not allowed for a deck.
    #[error("a deck has 2 to {max} cards, not {0}", max = Spec::MAX_CARDS)]
    Cards(usize),
    /// The number of cards is not allowed for [computed](super::Computed) sizes.
    #[error("sizes are computed for decks of 2 to {max} cards, not {0}", max = Spec::MAX_CARDS_TO_COUNT)]
    CardsToCount(usize),
    /// The number of cards to draw is zero, or exceeds the number of cards in the deck.
    #[error("cannot draw {draw} of {cards} cards; draw 1 to {cards}")]
    Draw {
        /// The number of cards to draw.
        draw: usize,
        /// The number of cards in the deck.
        cards: usize,
    },
}

/// The serialized form of a [`Spec`]. The numbers may be out of bounds.
#[derive(Serialize, Deserialize)]
struct Fields {
    cards: usize,
    draw: usize,
    algorithm: Algorithm,
}

impl From<Spec> for Fields {
    fn from(spec: Spec) -> Self {
        Self {
            cards: spec.cards,
            draw: spec.draw,
            algorithm: spec.algorithm,
        }
    }
}

impl TryFrom<Fields> for Spec {
    type Error = SpecError;

    fn try_from(fields: Fields) -> Result<Self, SpecError> {
        Self::new(fields.cards, fields.draw, fields.algorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_decks_and_draws_are_enforced() {
        let new = |cards, draw| Spec::new(cards, draw, Algorithm::Bubble);
        for cards in [0, 1, Spec::MAX_CARDS + 1, usize::MAX] {
            assert_eq!(new(cards, 1), Err(SpecError::Cards(cards)));
        }
        for draw in [0, 53, usize::MAX] {
            assert_eq!(new(52, draw), Err(SpecError::Draw { draw, cards: 52 }));
        }
        assert!(new(2, 1).is_ok() && new(2, 2).is_ok());
        assert!(new(Spec::MAX_CARDS, Spec::MAX_CARDS).is_ok());
    }

    #[test]
    fn cards_have_the_minimum_number_of_bits() {
        assert_eq!(
            [2, 3, 4, 5, 8, 9, 52, 64, 65, 4096].map(|cards| Spec::new(
                cards,
                1,
                Algorithm::Bubble
            )
            .unwrap()
            .word_bits()),
            [1, 2, 2, 3, 3, 4, 6, 6, 7, 12]
        );
    }

    #[test]
    fn deserialization_checks_the_bounds() {
        let spec = Spec::new(52, 9, Algorithm::FisherYates).unwrap();
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(json, r#"{"cards":52,"draw":9,"algorithm":"fisher-yates"}"#);
        assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
        let too_many = r#"{"cards":52,"draw":53,"algorithm":"fisher-yates"}"#;
        assert!(serde_json::from_str::<Spec>(too_many).is_err());
    }
}
