//! Changes to honest bytes, as requested by an input. An exhausted input requests no changes.

use libfuzzer_sys::arbitrary::{Result, Unstructured};

/// Changes bytes at up to three positions.
pub fn edit(bytes: &mut Vec<u8>, input: &mut Unstructured) -> Result<()> {
    for _ in 0..input.int_in_range(0..=3)? {
        let at = match bytes.len() {
            0 => 0,
            len => input.int_in_range(0..=len - 1)?,
        };
        let count = usize::from(input.arbitrary::<u8>()?);
        let end = bytes.len().min(at + count);
        match input.int_in_range(0..=7)? {
            0 => {
                let bit = 1 << (count % 8);
                bytes.iter_mut().skip(at).take(1).for_each(|b| *b ^= bit);
            }
            1 => {
                let new = input.bytes(input.len().min(count % 40))?;
                let end = bytes.len().min(at + new.len());
                drop(bytes.splice(at..end, new.iter().copied()));
            }
            2 => bytes[at..end].fill(input.arbitrary()?),
            3 => drop(bytes.splice(at..at, std::iter::repeat_n(input.arbitrary()?, count))),
            4 => drop(bytes.drain(at..end)),
            5 => bytes.truncate(at),
            6 => {
                let copy = bytes[at..end].to_vec();
                let to = input.int_in_range(0..=bytes.len())?;
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let new = input.bytes(input.len().min(count % 40))?.to_vec();
                drop(bytes.splice(at..at, new));
            }
        }
    }
    Ok(())
}
