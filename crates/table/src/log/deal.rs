//! The part that starts a try of a hand.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::deck_log::SealedInput;
use super::part::read_list;
use super::shape::Shape;
use crate::seat::Seat;

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
    /// The fields that depend on the kind of deck.
    pub deck: DealInput,
    /// For each seat, whether it buys in again. A rebuy takes place only if all seats agree on it. All false
    /// with a verifiable deck.
    pub rebuys: Vec<bool>,
}

/// The fields of a deal that depend on the kind of deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealInput {
    /// The seat's input for the shuffle of a sealed deck.
    Sealed(SealedInput),
    /// With a verifiable deck.
    Verifiable {
        /// Whether the seat sits out this hand.
        out: bool,
        /// The hash of the ahead chain with the deck of the hand, which the seat has and has
        /// verified. Zeros if the seat has no such chain.
        end: [u8; 32],
    },
}

impl DealInput {
    /// The seat's input for the shuffle of a sealed deck.
    pub fn sealed(&self) -> Option<&SealedInput> {
        match self {
            DealInput::Sealed(input) => Some(input),
            DealInput::Verifiable { .. } => None,
        }
    }

    /// The end of the ahead chain that the deal names, if it names one.
    pub(super) fn end(&self) -> Option<[u8; 32]> {
        match self {
            DealInput::Verifiable { end, .. } if *end != [0; 32] => Some(*end),
            _ => None,
        }
    }

    fn write(&self, writer: &mut Writer) {
        match self {
            DealInput::Sealed(input) => input.write(writer),
            DealInput::Verifiable { out, end } => {
                writer.bools(&[*out]).raw(end);
            }
        }
    }

    fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, Malformed> {
        Ok(match shape.verifiable {
            None => DealInput::Sealed(SealedInput::read(reader)?),
            Some(_) => DealInput::Verifiable {
                out: reader.bool()?,
                end: reader.array()?,
            },
        })
    }
}

impl Deal {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u32(self.hand).u32(self.attempt);
        for &stack in &self.stacks {
            writer.u64(stack);
        }
        writer.u8(self.button.number()).raw(&self.stakes);
        self.deck.write(writer);
        writer.bools(&self.rebuys);
    }

    pub(super) fn read(reader: &mut Reader<'_>, shape: &Shape) -> Result<Self, Malformed> {
        Ok(Deal {
            hand: reader.u32()?,
            attempt: reader.u32()?,
            stacks: read_list(shape.seats, || reader.u64())?,
            button: Seat::new(reader.u8()?),
            stakes: reader.array()?,
            deck: DealInput::read(reader, shape)?,
            rebuys: read_list(shape.seats, || reader.bool())?,
        })
    }
}
