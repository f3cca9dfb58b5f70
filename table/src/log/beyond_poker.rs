//! What is said in a deck without rules when dice are rolled, and when a card is stolen.

use super::part::read_list;
use super::shape::Shape;
use crate::rules::Choice;
use crate::wire::{Malformed, Reader, Writer};
use dealerless::dice::Reveal;

/// What a seat says of its shares of a hand that was shuffled again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reseal {
    /// The masked values of the cards, which the seat that seals first says for all; of the others
    /// none.
    pub masked: Vec<u64>,
    /// The commitment to the share of each card.
    pub commitments: Vec<[u8; 32]>,
}

impl Reseal {
    pub(super) fn write(&self, writer: &mut Writer, shape: &Shape) {
        writer.u16(self.masked.len() as u16);
        for &card in &self.masked {
            shape.write_word(writer, card);
        }
        writer.u16(self.commitments.len() as u16);
        writer.raw(self.commitments.as_flattened());
    }

    pub(super) fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, Malformed> {
        let count = |reader: &mut Reader<'_>| match usize::from(reader.u16()?) {
            count if count <= shape.drawn => Ok(count),
            _ => Err(Malformed),
        };
        let cards = count(reader)?;
        let masked = read_list(cards, || shape.read_word(reader))?;
        let cards = count(reader)?;
        let commitments = read_list(cards, || reader.array())?;
        Ok(Reseal {
            masked,
            commitments,
        })
    }
}

/// How many dice, their values, the nonce.
pub(super) fn write_reveal(writer: &mut Writer, reveal: &Reveal) {
    let values = &reveal.values[..reveal.values.len().min(Choice::MAX_DICE as usize)];
    writer.u8(values.len() as u8);
    for &value in values {
        writer.u32(value);
    }
    writer.raw(&reveal.nonce);
}

pub(super) fn read_reveal(reader: &mut Reader<'_>) -> Result<Reveal, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > Choice::MAX_DICE as usize {
        return Err(Malformed);
    }
    Ok(Reveal {
        values: read_list(count, || reader.u32())?,
        nonce: reader.array()?,
    })
}
