//! The content of each position, as far as this party has seen it.

use zeroize::Zeroizing;

use super::Card;
use super::error::{Check, Error, Result};

/// The pack that is dealt, which determines what a position can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pack {
    /// Cards of a deck of the given size.
    Cards(u32),
    /// Hands of the given number of cards: those of board `b` are at the positions `4b` to `4b +
    /// 3`.
    Hands(u32),
}

impl Pack {
    /// The number of cards in the pack; for hands, in the pack of one board.
    pub(super) fn cards(self) -> u32 {
        match self {
            Pack::Cards(cards) => cards,
            Pack::Hands(ranks) => HANDS * ranks,
        }
    }

    /// Checks that a card or hand is possible at a position, given the cards or hands `seen` at
    /// other positions.
    ///
    /// # Errors
    /// [`Check::NotInDeck`] if `card` is not a card of the deck, or not a hand of the right size;
    /// [`Check::OpenedTwice`] if the card is at another position, or if a card of the hand is in
    /// another hand of its board.
    pub fn check(
        self,
        (position, card): (usize, Card),
        seen: impl IntoIterator<Item = (usize, Card)>,
    ) -> Result<(), Check> {
        let of_board = |position: usize| position / HANDS as usize;
        let mut others = seen.into_iter().filter(|(other, _)| *other != position);
        let (is_dealt, twice) = match self {
            Pack::Cards(cards) => (
                card.0 < u64::from(cards),
                others.any(|(_, other)| other == card),
            ),
            Pack::Hands(ranks) => (
                card.0.count_ones() == ranks && card.0.checked_shr(HANDS * ranks).unwrap_or(0) == 0,
                others.any(|(other, hand)| {
                    of_board(other) == of_board(position) && hand.0 & card.0 != 0
                }),
            ),
        };
        match (is_dealt, twice) {
            (false, _) => Err(Check::NotInDeck),
            (true, true) => Err(Check::OpenedTwice),
            (true, false) => Ok(()),
        }
    }
}

/// The number of hands on a board.
pub(super) const HANDS: u32 = 4;

/// The cards or hands that this party has seen.
pub(super) struct Faces {
    pack: Pack,
    /// The content of each position.
    seen: Zeroizing<Vec<Option<Card>>>,
}

impl Faces {
    pub(super) fn unseen(pack: Pack, drawn: usize) -> Self {
        Faces {
            pack,
            seen: Zeroizing::new(vec![None; drawn]),
        }
    }

    pub(super) fn pack(&self) -> Pack {
        self.pack
    }

    pub(super) fn at(&self, position: usize) -> Option<Card> {
        *self.seen.get(position)?
    }

    /// Forgets the card at a position that now holds another card.
    pub(super) fn forget(&mut self, position: usize) {
        self.seen[position] = None;
    }

    /// Records the opened bits of a position, lowest first.
    ///
    /// # Errors
    /// [`Check::NotInDeck`], [`Check::OpenedTwice`].
    pub(super) fn open(
        &mut self,
        position: usize,
        bits: impl DoubleEndedIterator<Item = bool>,
    ) -> Result<Card> {
        let number = (bits.rev()).fold(0, |number, bit| number << 1 | u64::from(bit));
        let card = Card(number);
        let seen = self.seen.iter().enumerate();
        let seen = seen.filter_map(|(position, card)| Some((position, (*card)?)));
        (self.pack.check((position, card), seen)).map_err(Error::Check)?;
        self.seen[position] = Some(card);
        Ok(card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(faces: &mut Faces, position: usize, number: u64) -> Result<Card, String> {
        let bits = (0..9).map(|bit| number >> bit & 1 == 1);
        faces
            .open(position, bits)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn card_must_be_in_the_deck_and_at_only_one_position() {
        let mut faces = Faces::unseen(Pack::Cards(7), 3);
        assert_eq!(open(&mut faces, 0, 6), Ok(Card(6)));
        assert_eq!(open(&mut faces, 0, 6), Ok(Card(6)));
        let not_there = open(&mut faces, 1, 7).unwrap_err();
        assert!(not_there.contains("not in the deck"));
        assert!(open(&mut faces, 1, 6).unwrap_err().contains("twice"));
        assert_eq!(faces.at(1), None);
    }

    #[test]
    fn hand_must_be_full_and_disjoint_from_others_of_its_board() {
        let mut faces = Faces::unseen(Pack::Hands(2), 8);
        assert_eq!(open(&mut faces, 0, 0b11), Ok(Card(0b11)));
        for wrong in [0, 0b100, 0b11100, 0b1_0000_0100] {
            assert!(open(&mut faces, 1, wrong).unwrap_err().contains("not in"));
        }
        assert!(open(&mut faces, 3, 0b110).unwrap_err().contains("twice"));
        assert_eq!(open(&mut faces, 3, 0b1100), Ok(Card(0b1100)));
        // The next board has a pack of its own.
        assert_eq!(open(&mut faces, 4, 0b110), Ok(Card(0b110)));
    }
}
