//! The two parts with which a try of a hand begins: what a seat enters it with, and what it says of the
//! deck that comes out.

use super::part::read_list;
use super::shape::Shape;
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

/// What a seat enters a try of a hand with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The number of the hand, from 1.
    pub hand: u32,
    /// The number of the try, from 0.
    pub attempt: u32,
    /// The chips of each seat, with the rebuys that this seat names; all 0 in a game without chips.
    pub stacks: Vec<u64>,
    /// Who has the button.
    pub button: Seat,
    /// The digest of the stakes.
    pub stakes: [u8; 32],
    /// The digest of the circuit.
    pub circuit: [u8; 32],
    /// The commitment to the bits that the seat enters.
    pub input: [u8; 32],
    /// How many hands the batch holds that is made behind this hand: none, or one number that all
    /// seats name.
    pub batch: u32,
    /// Who buys in again. What not all seats name is not bought.
    pub rebuys: Vec<bool>,
}

/// What a seat says of its shares of a deck that was made and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The masked values, which the seat that seals first says for all.
    pub masked: Option<Masked>,
    /// The commitment to the share of each card.
    pub commitments: Vec<[u8; 32]>,
    /// The shares of the bits that say whether the inputs are in range.
    pub validity: Vec<bool>,
    /// The digest of the MACs of these shares.
    pub validity_macs: [u8; 32],
}

/// The masked values of all output bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// Of each card: its number once all shares are added by XOR.
    pub cards: Vec<u64>,
    /// Of the bits that say whether the inputs are in range.
    pub validity: Vec<bool>,
}

impl Deal {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u32(self.hand).u32(self.attempt);
        for &stack in &self.stacks {
            writer.u64(stack);
        }
        let digests = [self.stakes, self.circuit, self.input];
        writer
            .u8(self.button.number())
            .raw(digests.as_flattened())
            .u32(self.batch);
        self.rebuys
            .iter()
            .for_each(|&rebuy| write_bit(writer, rebuy));
    }

    pub(super) fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, Malformed> {
        Ok(Deal {
            hand: reader.u32()?,
            attempt: reader.u32()?,
            stacks: read_list(shape.seats, || reader.u64())?,
            button: Seat::new(reader.u8()?),
            stakes: reader.array()?,
            circuit: reader.array()?,
            input: reader.array()?,
            batch: reader.u32()?,
            rebuys: read_list(shape.seats, || read_bit(reader))?,
        })
    }
}

impl Seal {
    pub(super) fn write(&self, writer: &mut Writer, shape: &Shape) {
        if let Some(masked) = &self.masked {
            for &card in &masked.cards {
                shape.write_word(writer, card);
            }
            masked
                .validity
                .iter()
                .for_each(|&bit| write_bit(writer, bit));
        }
        writer.raw(self.commitments.as_flattened());
        self.validity.iter().for_each(|&bit| write_bit(writer, bit));
        writer.raw(&self.validity_macs);
    }

    pub(super) fn read(
        reader: &mut Reader<'_>,
        shape: &Shape,
        first: bool,
    ) -> Result<Self, Malformed> {
        Ok(Seal {
            masked: first.then(|| Masked::read(reader, shape)).transpose()?,
            commitments: read_list(shape.drawn, || reader.array())?,
            validity: read_list(shape.validity, || read_bit(reader))?,
            validity_macs: reader.array()?,
        })
    }
}

impl Masked {
    fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, Malformed> {
        let cards = read_list(shape.drawn, || shape.read_word(reader))?;
        let validity = read_list(shape.validity, || read_bit(reader))?;
        Ok(Masked { cards, validity })
    }
}

fn write_bit(writer: &mut Writer, bit: bool) {
    writer.u8(u8::from(bit));
}

fn read_bit(reader: &mut Reader<'_>) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed),
    }
}
