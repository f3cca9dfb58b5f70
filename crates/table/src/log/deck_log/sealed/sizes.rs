//! The sizes of the parts of a sealed deck, which follow from the header.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::opening::CardOpening;
use crate::log::shape::{KIND, MIN_LEN};
use crate::rules::{Choice, Stakes};

/// The numbers that determine the sizes of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct Sizes {
    /// The number of cards that are drawn in a hand.
    pub(in crate::log) drawn: usize,
    /// The width in bits of a card, or of a hand of a board.
    width: u32,
    /// The number of output bits that tell whether the inputs are in range.
    pub(super) validity: usize,
}

impl Sizes {
    pub(in crate::log) fn new(stakes: &Stakes, validity: u8) -> Self {
        let (_, drawn) = stakes.deck();
        Sizes {
            drawn,
            width: stakes.word_bits(),
            validity: usize::from(validity),
        }
    }

    /// The length in bytes of a card, or of a hand of a board.
    fn word(&self) -> usize {
        if self.is_wide() { 8 } else { 2 }
    }

    /// Whether a card, or a hand of a board, takes more than 16 bits.
    fn is_wide(&self) -> bool {
        self.width > u16::BITS
    }

    /// Writes a card, or a hand of a board.
    pub(super) fn write_word(&self, writer: &mut Writer, word: u64) {
        match self.is_wide() {
            true => writer.u64(word),
            false => writer.u16(word as u16),
        };
    }

    /// Reads a card, or a hand of a board.
    pub(super) fn read_word(&self, reader: &mut Reader<'_>) -> Result<u64, Malformed> {
        let word = match self.is_wide() {
            true => reader.u64()?,
            false => reader.u16()?.into(),
        };
        (word >> self.width == 0).then_some(word).ok_or(Malformed)
    }

    /// The length in bytes of each part of a seat that seals. The seal of the `first` seat also has
    /// the masked values.
    pub(super) fn seal(&self, first: bool) -> usize {
        let masked = match first {
            true => self.word() * self.drawn + self.validity,
            false => 0,
        };
        KIND + masked + 32 * self.drawn + self.validity + 32
    }

    /// The length in bytes of each part of a seat that opens this number of cards.
    pub(super) fn open(&self, cards: usize) -> usize {
        let card = self.word() + CardOpening::OVERHEAD;
        (KIND + 2 + cards * card).max(MIN_LEN)
    }

    /// The length in bytes of each part of a seat that reseals a hand of this number of cards. The
    /// reseal of the `first` seat also has the masked values.
    pub(super) fn reseal(&self, cards: usize, first: bool) -> usize {
        let masked = if first { self.word() * cards } else { 0 };
        (KIND + 2 + masked + 2 + 32 * cards).max(MIN_LEN)
    }

    /// The length in bytes of each part while all seats commit to dice.
    pub(super) fn commit(&self) -> usize {
        KIND + 32
    }

    /// The length in bytes of each part while all seats reveal this number of dice.
    pub(super) fn reveal(&self, dice: u32) -> usize {
        KIND + 1 + 4 * dice as usize + 32
    }

    /// The length in bytes of the longest part.
    pub(in crate::log) fn longest(&self) -> usize {
        self.seal(true)
            .max(self.open(self.drawn))
            .max(self.reseal(self.drawn, true))
            .max(self.commit())
            .max(self.reveal(Choice::MAX_DICE))
    }
}
