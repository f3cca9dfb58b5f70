//! The file of what a player has entered into the shuffles of a match.
//!
//! A deal commits a seat to its input. What opens the commitment is kept here, on the disk before
//! the deal is said, so that the seats of a match that is over can open all of them to each other
//! and compute every deck anew. It outlives the hands, and is destroyed when that was done or
//! declined. Without the other seats' inputs it shows no card.

use std::io;

use zeroize::Zeroizing;

use super::deck_log::Attempt;
use super::record_file::{CannotWrite, RecordFile};
use super::records::{Chain, Records, Tags};
use super::storage::Storage;
use crate::wire::{Malformed, Reader, Writer};

const TAGS: Tags = Tags {
    check: "inputs length",
    mac: "inputs record",
};

/// How the first record begins.
const MAGIC: &[u8; 16] = b"dealerlessinput1";

/// A player's own file of inputs, opened for more.
pub struct Inputs<S> {
    file: RecordFile<S>,
    match_id: [u8; 32],
}

/// What opens the commitment of a deal.
#[derive(Clone, PartialEq, Eq)]
pub struct Input {
    /// The try.
    pub attempt: Attempt,
    /// The bits that the seat entered.
    pub bits: Zeroizing<Vec<bool>>,
    /// The nonce of the commitment.
    pub nonce: Zeroizing<[u8; 32]>,
}

impl Input {
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = Writer::default();
        writer.u32(self.attempt.hand).u32(self.attempt.attempt);
        writer.raw(&*self.nonce).u32(self.bits.len() as u32);
        for &bit in &*self.bits {
            writer.u8(u8::from(bit));
        }
        Zeroizing::new(writer.finish())
    }

    pub(crate) fn decode(bytes: &[u8], of: [u8; 32]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let of = Attempt {
            match_id: of,
            hand: reader.u32()?,
            attempt: reader.u32()?,
        };
        let nonce = Zeroizing::new(reader.array()?);
        let bits = reader.u32()? as usize;
        let bits = reader.raw(bits)?;
        reader.finish()?;
        let bits = bits.iter().map(|&bit| match bit {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        });
        Ok(Input {
            attempt: of,
            bits: Zeroizing::new(bits.collect::<Result<_, _>>()?),
            nonce,
        })
    }
}

/// A file of inputs as it was found.
pub struct OpenedInputs<S> {
    /// The file.
    pub file: Inputs<S>,
    /// What is in it, in the order in which it was written.
    pub inputs: Vec<Input>,
}

impl<S: Storage> Inputs<S> {
    /// Opens the file of the match `of`, which is begun if there is nothing in it. `key` is the
    /// identity's own for files. What a crash left incomplete at its end is cut off.
    ///
    /// # Errors
    /// If it cannot be read or written, or is anything else ([`io::ErrorKind::InvalidData`]):
    /// nothing is changed then.
    pub fn open(
        mut storage: S,
        key: Zeroizing<[u8; 32]>,
        of: [u8; 32],
    ) -> io::Result<OpenedInputs<S>> {
        let bytes = Zeroizing::new(storage.read()?);
        let mut records = Records::of_owner(&bytes, Chain::new(TAGS, key));
        let begun = match records.next().transpose().map_err(|_| changed())? {
            None => false,
            Some((_, first)) if first == first_record(&of) => true,
            Some(_) => return Err(changed()),
        };
        let mut inputs = Vec::new();
        for record in &mut records {
            let (_, content) = record.map_err(|_| changed())?;
            inputs.push(Input::decode(content, of).map_err(|_| changed())?);
        }
        let (chain, complete) = records.into_chain();
        let chain = chain.ok_or_else(changed)?;
        let file = RecordFile::repaired(storage, chain, complete, bytes.len())?;
        let mut file = Inputs { file, match_id: of };
        if !begun {
            file.write(first_record(&of))?;
        }
        Ok(OpenedInputs { file, inputs })
    }

    /// Writes what a deal is about to commit to. When this returns it outlives a crash.
    ///
    /// # Errors
    /// If it cannot be written. Nothing more can be written then until the file is opened anew.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn append(&mut self, input: &Input) -> io::Result<()> {
        debug_assert_eq!(input.attempt.match_id, self.match_id);
        self.write(input.encode().to_vec())
    }

    fn write(&mut self, content: Vec<u8>) -> io::Result<()> {
        self.file.write([content]).map_err(|error| match error {
            CannotWrite::Io(error) => error,
            CannotWrite::Failed => io::Error::other("an earlier write to this file has failed"),
        })
    }
}

fn first_record(of: &[u8; 32]) -> Vec<u8> {
    [&MAGIC[..], of].concat()
}

fn changed() -> io::Error {
    let what = "the file of the inputs was changed, or belongs to another match or identity";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::super::storage::MemoryStorage;
    use super::*;

    fn key() -> Zeroizing<[u8; 32]> {
        Zeroizing::new([3; 32])
    }

    const OF: [u8; 32] = [9; 32];

    fn input(hand: u32) -> Input {
        let of = Attempt {
            match_id: OF,
            hand,
            attempt: 1,
        };
        Input {
            attempt: of,
            bits: Zeroizing::new(vec![true, false, hand.is_multiple_of(2)]),
            nonce: Zeroizing::new([hand as u8; 32]),
        }
    }

    /// A file with three inputs.
    fn file() -> Vec<u8> {
        let mut file = Inputs::open(MemoryStorage::default(), key(), OF)
            .unwrap()
            .file;
        for hand in 1..=3 {
            file.append(&input(hand)).unwrap();
        }
        file.file.storage.bytes()
    }

    #[test]
    fn what_was_written_is_read_in_its_order_and_more_is_written_behind_it() {
        let opened = Inputs::open(MemoryStorage::of(file()), key(), OF).unwrap();
        assert!(opened.inputs == [1, 2, 3].map(input));
        let mut file = opened.file;
        file.append(&input(4)).unwrap();
        let again = Inputs::open(file.file.storage, key(), OF).unwrap();
        assert!(again.inputs == [1, 2, 3, 4].map(input));
    }

    #[test]
    fn nothing_is_written_behind_a_write_that_has_failed() {
        struct Full(MemoryStorage);

        impl Storage for Full {
            fn read(&mut self) -> io::Result<Vec<u8>> {
                self.0.read()
            }

            fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
                self.0.append(&bytes[..bytes.len() / 2])?;
                let full = self.0.bytes().len() < 200;
                if full {
                    Err(io::ErrorKind::StorageFull.into())
                } else {
                    Ok(())
                }
            }

            fn sync(&mut self) -> io::Result<()> {
                Ok(())
            }

            fn truncate(&mut self, _: u64) -> io::Result<()> {
                unreachable!()
            }
        }

        let begun = Inputs::open(MemoryStorage::default(), key(), OF)
            .unwrap()
            .file;
        let mut file = Inputs::open(Full(begun.file.storage), key(), OF)
            .unwrap()
            .file;
        assert!(file.append(&input(1)).is_err());
        let written = file.file.storage.0.bytes().len();
        assert!(file.append(&input(2)).is_err());
        assert_eq!(file.file.storage.0.bytes().len(), written);
    }

    #[test]
    fn what_a_crash_left_incomplete_is_dropped_and_anything_else_is_refused() {
        let whole = file();
        let mut ends = Vec::new();
        for len in 0..=whole.len() {
            let opened = Inputs::open(MemoryStorage::of(whole[..len].to_vec()), key(), OF).unwrap();
            let all = [1, 2, 3].map(input);
            let complete = opened.inputs.len();
            assert!(opened.inputs == all[..complete]);
            ends.push(complete);
            // What is written next is not behind what a crash has left.
            let mut file = opened.file;
            file.append(&input(4)).unwrap();
            let again = Inputs::open(file.file.storage, key(), OF).unwrap().inputs;
            assert!(again.len() == complete + 1 && again[complete] == input(4));
        }
        assert!(ends.is_sorted() && ends[whole.len()] == 3);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            let opened = Inputs::open(MemoryStorage::of(changed), key(), OF);
            let error = opened.err().expect("a changed byte is noticed");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "byte {at}");
        }
        for (key, of) in [([4; 32], OF), ([3; 32], [8; 32])] {
            let opened = Inputs::open(MemoryStorage::of(whole.clone()), Zeroizing::new(key), of);
            assert!(opened.is_err());
        }
    }
}
