//! A seat's commitment to its input for a shuffle, and the part with which the seat seals the
//! shuffled deck.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::sizes::Sizes;
use crate::log::part::read_list;

/// The fields of a deal for the shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedInput {
    /// The digest of the circuit.
    pub circuit: [u8; 32],
    /// The commitment to the seat's input bits.
    pub input: [u8; 32],
    /// The number of hands for which the engines do the preprocessing in a batch once this deck is
    /// final; 0 for no batch. If the seats sign different numbers, there is no batch.
    pub batch: u32,
}

/// A seat's commitments to its shares of a shuffled deck, and its shares of the validity bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The masked values. Only the seat that seals first signs them, for all seats.
    pub masked: Option<Masked>,
    /// The commitment to the share of each card.
    pub commitments: Vec<[u8; 32]>,
    /// The shares of the bits that tell whether the inputs are in range.
    pub validity: Vec<bool>,
    /// The digest of the MACs of these shares.
    pub validity_macs: [u8; 32],
}

/// The masked values of all output bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// For each card, a value whose XOR with all shares of the card is the number of the card.
    pub cards: Vec<u64>,
    /// The masked bits that tell whether the inputs are in range.
    pub validity: Vec<bool>,
}

impl SealedInput {
    pub(in crate::log) const LEN: usize = 2 * 32 + 4;

    pub(in crate::log) fn write(&self, writer: &mut Writer) {
        writer.raw(&self.circuit).raw(&self.input).u32(self.batch);
    }

    pub(in crate::log) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(SealedInput {
            circuit: reader.array()?,
            input: reader.array()?,
            batch: reader.u32()?,
        })
    }
}

impl Seal {
    pub(in crate::log) fn write(&self, writer: &mut Writer, sizes: &Sizes) {
        if let Some(masked) = &self.masked {
            for &card in &masked.cards {
                sizes.write_word(writer, card);
            }
            writer.bools(&masked.validity);
        }
        writer.raw(self.commitments.as_flattened());
        writer.bools(&self.validity).raw(&self.validity_macs);
    }

    pub(in crate::log) fn read(
        reader: &mut Reader<'_>,
        sizes: &Sizes,
        first: bool,
    ) -> Result<Self, Malformed> {
        Ok(Seal {
            masked: first.then(|| Masked::read(reader, sizes)).transpose()?,
            commitments: read_list(sizes.drawn, || reader.array())?,
            validity: read_list(sizes.validity, || reader.bool())?,
            validity_macs: reader.array()?,
        })
    }
}

impl Masked {
    fn read(reader: &mut Reader<'_>, sizes: &Sizes) -> Result<Self, Malformed> {
        let cards = read_list(sizes.drawn, || sizes.read_word(reader))?;
        let validity = read_list(sizes.validity, || reader.bool())?;
        Ok(Masked { cards, validity })
    }
}
