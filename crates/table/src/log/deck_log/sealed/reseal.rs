//! The part with which a seat seals a hand that was reshuffled for a steal.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::sizes::Sizes;
use crate::log::part::read_list;

/// A seat's commitments to its shares of a reshuffled hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reseal {
    /// The masked values of the cards, signed by the seat that seals first; empty for the other
    /// seats.
    pub masked: Vec<u64>,
    /// The commitment to the share of each card.
    pub commitments: Vec<[u8; 32]>,
}

impl Reseal {
    pub(in crate::log) fn write(&self, writer: &mut Writer, sizes: &Sizes) {
        writer.u16(self.masked.len() as u16);
        for &card in &self.masked {
            sizes.write_word(writer, card);
        }
        writer.u16(self.commitments.len() as u16);
        writer.raw(self.commitments.as_flattened());
    }

    pub(in crate::log) fn read(reader: &mut Reader<'_>, sizes: &Sizes) -> Result<Self, Malformed> {
        let count = |reader: &mut Reader<'_>| match usize::from(reader.u16()?) {
            count if count <= sizes.drawn => Ok(count),
            _ => Err(Malformed),
        };
        let cards = count(reader)?;
        let masked = read_list(cards, || sizes.read_word(reader))?;
        let cards = count(reader)?;
        let commitments = read_list(cards, || reader.array())?;
        Ok(Reseal {
            masked,
            commitments,
        })
    }
}
