//! The part with which a seat opens cards.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::sizes::Sizes;
use crate::log::part::read_list;

/// A seat's share of a card, with the proof that it is the share that the seat has sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardOpening {
    /// The position of the card.
    pub position: u16,
    /// The bits of the share, as a number.
    pub share: u64,
    /// The nonce of the commitment to the share.
    pub nonce: [u8; 32],
    /// The digest of the MACs of the share's bits.
    pub macs: [u8; 32],
}

impl CardOpening {
    /// The length in bytes of an encoded opening without the share.
    pub(super) const OVERHEAD: usize = 2 + 32 + 32;

    pub(in crate::log) fn write(&self, writer: &mut Writer, sizes: &Sizes) {
        sizes.write_word(writer.u16(self.position), self.share);
        writer.raw(&self.nonce).raw(&self.macs);
    }

    fn read(reader: &mut Reader<'_>, sizes: &Sizes) -> Result<Self, Malformed> {
        Ok(CardOpening {
            position: reader.u16()?,
            share: sizes.read_word(reader)?,
            nonce: reader.array()?,
            macs: reader.array()?,
        })
    }
}

pub(in crate::log) fn read_openings(
    reader: &mut Reader<'_>,
    sizes: &Sizes,
) -> Result<Vec<CardOpening>, Malformed> {
    let count = usize::from(reader.u16()?);
    if count > sizes.drawn {
        return Err(Malformed);
    }
    read_list(count, || CardOpening::read(reader, sizes))
}
