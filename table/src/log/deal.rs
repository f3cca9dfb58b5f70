//! The part that starts a try of a hand.

use super::deck_log::DealInput;
use super::part::{read_bit, read_list, write_bit};
use super::shape::Shape;
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

/// The content of a part that starts a try of a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The number of the hand, counted from 1.
    pub hand: u32,
    /// The number of the try, counted from 0.
    pub attempt: u32,
    /// The chips of each seat, including `rebuys`; all 0 in a game without chips.
    pub stacks: Vec<u64>,
    /// The seat that has the button.
    pub button: Seat,
    /// The digest of the stakes.
    pub stakes: [u8; 32],
    /// The fields for the shuffle of the deck.
    pub deck: DealInput,
    /// For each seat, whether it buys in again. A rebuy takes place only if all seats agree on it.
    pub rebuys: Vec<bool>,
}

impl Deal {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u32(self.hand).u32(self.attempt);
        for &stack in &self.stacks {
            writer.u64(stack);
        }
        writer.u8(self.button.number()).raw(&self.stakes);
        self.deck.write(writer);
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
            deck: DealInput::read(reader)?,
            rebuys: read_list(shape.seats, || read_bit(reader))?,
        })
    }
}
