//! The sizes of all that is said in a match. They follow from the header.

use super::part::{CardOpening, Part};
use crate::rules::{Choice, Stakes};
use crate::wire::{Malformed, Reader, Writer};

/// How many of what there are in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) seats: usize,
    /// The cards that are drawn in a hand.
    pub(super) drawn: usize,
    /// The bits of a card, or of a hand.
    pub(super) width: u32,
    /// The output bits that say whether the inputs are in range.
    pub(super) validity: usize,
    /// The most bytes of a choice.
    choice: usize,
}

/// The kind of a part.
const KIND: usize = 1;
/// Room for what may be said instead in any phase, to leave or to dispute.
const LEAST: usize = KIND + 8;

impl Shape {
    pub(super) fn new(stakes: &Stakes, validity: u8) -> Self {
        let (_, drawn) = stakes.deck();
        let chips = stakes.betting().is_some();
        Shape {
            seats: stakes.seats(),
            drawn,
            width: stakes.word_bits(),
            validity: usize::from(validity),
            choice: if chips {
                POKER_CHOICE
            } else {
                Choice::longest(stakes.most_proposed())
            },
        }
    }

    /// The bytes of a card, or of a hand.
    fn word(&self) -> usize {
        if self.is_wide() { 8 } else { 2 }
    }

    /// Whether a word takes more than 16 bits.
    pub(super) fn is_wide(&self) -> bool {
        self.width > u16::BITS
    }

    /// Writes a card, or a hand.
    pub(super) fn write_word(&self, writer: &mut Writer, word: u64) {
        match self.is_wide() {
            true => writer.u64(word),
            false => writer.u16(word as u16),
        };
    }

    /// Reads a card, or a hand.
    pub(super) fn read_word(&self, reader: &mut Reader<'_>) -> Result<u64, Malformed> {
        let word = match self.is_wide() {
            true => reader.u64()?,
            false => reader.u16()?.into(),
        };
        (word >> self.width == 0).then_some(word).ok_or(Malformed)
    }

    /// The most bytes of a choice.
    pub(super) fn choice(&self) -> usize {
        self.choice
    }

    /// The bytes of whatever is said in the phase of deals.
    pub(super) fn deal(&self) -> usize {
        let numbers = 4 + 4 + 4 + 1;
        KIND + numbers + 3 * 32 + 9 * self.seats
    }

    /// The bytes of whatever is said by a seat that seals; `first` says the masked values too.
    pub(super) fn seal(&self, first: bool) -> usize {
        let masked = match first {
            true => self.word() * self.drawn + self.validity,
            false => 0,
        };
        KIND + masked + 32 * self.drawn + self.validity + 32
    }

    /// The bytes of whatever is said by a seat that opens so many cards.
    pub(super) fn open(&self, cards: usize) -> usize {
        let card = self.word() + CardOpening::BESIDE_THE_SHARE;
        (KIND + 2 + cards * card).max(LEAST)
    }

    /// The bytes of whatever is said by a seat that chooses.
    pub(super) fn choose(&self) -> usize {
        KIND + 2 + self.choice
    }

    /// The bytes of whatever is said by a seat that seals a hand of so many cards anew; `first` says
    /// the masked values too.
    pub(super) fn reseal(&self, cards: usize, first: bool) -> usize {
        let masked = if first { self.word() * cards } else { 0 };
        (KIND + 2 + masked + 2 + 32 * cards).max(LEAST)
    }

    /// The bytes of whatever is said when all commit to dice.
    pub(super) fn commit(&self) -> usize {
        KIND + 32
    }

    /// The bytes of whatever is said when so many dice are revealed.
    pub(super) fn reveal(&self, dice: u32) -> usize {
        KIND + 1 + 4 * dice as usize + 32
    }

    /// The bytes of whatever is said when the hand is over.
    pub(super) fn result(&self) -> usize {
        (KIND + 8 * self.seats).max(LEAST)
    }

    /// The bytes of the longest part.
    pub(super) fn longest(&self) -> usize {
        let all = [
            self.deal(),
            self.seal(true),
            self.open(self.drawn),
            self.choose(),
            self.reseal(self.drawn, true),
            self.commit(),
            self.reveal(Choice::MAX_DICE),
            self.result(),
        ];
        all.into_iter().max().unwrap_or(Part::MAX_LEN)
    }
}

/// The most bytes of a choice in a game with bets: an amount, or an exchange of five cards.
const POKER_CHOICE: usize = 9;
