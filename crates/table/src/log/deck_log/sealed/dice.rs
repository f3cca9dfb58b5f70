//! The encoding of revealed dice.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use crate::log::part::read_list;
use crate::rules::Choice;
use dealerless::dice::Reveal;

/// Writes the number of dice, their values and the nonce.
pub(in crate::log) fn write_reveal(writer: &mut Writer, reveal: &Reveal) {
    let values = &reveal.values[..reveal.values.len().min(Choice::MAX_DICE as usize)];
    writer.u8(values.len() as u8);
    for &value in values {
        writer.u32(value);
    }
    writer.raw(&reveal.nonce);
}

pub(in crate::log) fn read_reveal(reader: &mut Reader<'_>) -> Result<Reveal, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > Choice::MAX_DICE as usize {
        return Err(Malformed);
    }
    Ok(Reveal {
        values: read_list(count, || reader.u32())?,
        nonce: reader.array()?,
    })
}
