//! The file with a player's inputs to the shuffles of a match.
//!
//! Each `Part::Deal` that a seat signs contains a commitment to the seat's input bits of the
//! shuffle. The opening of this commitment is written to the file and synced before the deal is
//! sent. When the match is over, the seats can audit the match: they exchange all openings and
//! recompute every deck. After the audit, or if it is declined, the file is deleted. The inputs of
//! one seat alone reveal no card.

use std::io;

use dealerless_connection::storage::Storage;
use dealerless_connection::wire::{Malformed, Reader, Writer};
use zeroize::Zeroizing;

use super::deck_log::Attempt;
use super::entries::{Chain, Entries, Tags};
use super::entry_file::EntryFile;
use super::journal::JournalError;
use super::players::MatchId;

const TAGS: Tags = Tags {
    check: "inputs length",
    mac: "inputs record",
};

/// The first bytes of the first entry.
const MAGIC: &[u8; 16] = b"dealerlessinput1";

/// The file with a player's own inputs, open for writing.
pub struct Inputs<S> {
    file: EntryFile<S>,
    match_id: MatchId,
}

/// The opening of the commitment in one deal: the committed bits and the nonce.
#[derive(Clone, PartialEq, Eq)]
pub struct Input {
    /// The try in which the seat uses these bits.
    pub attempt: Attempt,
    /// The seat's input bits of the shuffle.
    pub bits: Zeroizing<Vec<bool>>,
    /// The nonce of the commitment.
    pub nonce: Zeroizing<[u8; 32]>,
}

impl Input {
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = Writer::default();
        writer.u32(self.attempt.hand).u32(self.attempt.attempt);
        writer.raw(&*self.nonce).u32(self.bits.len() as u32);
        Zeroizing::new(writer.bools(&self.bits).finish())
    }

    pub(crate) fn decode(bytes: &[u8], match_id: MatchId) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let attempt = Attempt {
            match_id,
            hand: reader.u32()?,
            attempt: reader.u32()?,
        };
        let nonce = Zeroizing::new(reader.array()?);
        let bits = (0..reader.u32()?).map(|_| reader.bool());
        let bits = Zeroizing::new(bits.collect::<Result<_, _>>()?);
        reader.finish()?;
        Ok(Input {
            attempt,
            bits,
            nonce,
        })
    }
}

/// The result of [`Inputs::open`].
pub struct OpenedInputs<S> {
    /// The file, open for writing.
    pub file: Inputs<S>,
    /// The inputs in the file, in the order in which they were written.
    pub inputs: Vec<Input>,
}

impl<S: Storage> Inputs<S> {
    /// Opens a match's input file. Removes an incomplete entry that a crash left at the end. If
    /// the file is then empty, writes its first entry. `key` is the [file
    /// key](dealerless_connection::identity::Identity::file_key) of the player.
    ///
    /// # Errors
    /// If the file cannot be read or written; [`io::ErrorKind::InvalidData`] if the file was
    /// changed or belongs to another match or identity. Such a file is left as it is.
    pub fn open(
        mut storage: S,
        key: Zeroizing<[u8; 32]>,
        match_id: MatchId,
    ) -> io::Result<OpenedInputs<S>> {
        let bytes = Zeroizing::new(storage.read()?);
        let mut entries = Entries::of_owner(&bytes, Chain::new(TAGS, key));
        let has_first_entry = match entries.next().transpose().map_err(|_| changed())? {
            None => false,
            Some((_, first)) if first == first_entry(&match_id) => true,
            Some(_) => return Err(changed()),
        };
        let mut inputs = Vec::new();
        for entry in &mut entries {
            let (_, content) = entry.map_err(|_| changed())?;
            inputs.push(Input::decode(content, match_id).map_err(|_| changed())?);
        }
        let (chain, complete) = entries.into_chain();
        let chain = chain.ok_or_else(changed)?;
        let file = EntryFile::repaired(storage, chain, complete, bytes.len())?;
        let mut file = Inputs { file, match_id };
        if !has_first_entry {
            file.write(first_entry(&match_id))?;
        }
        Ok(OpenedInputs { file, inputs })
    }

    /// Appends `input` and syncs the file. Must be called before the deal that commits to `input`
    /// is sent.
    ///
    /// # Errors
    /// If `input` cannot be written. Then every later call fails until the file is opened again.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn append(&mut self, input: &Input) -> io::Result<()> {
        debug_assert_eq!(input.attempt.match_id, self.match_id);
        self.write(input.encode().to_vec())
    }

    fn write(&mut self, content: Vec<u8>) -> io::Result<()> {
        self.file.write([content]).map_err(|error| match error {
            JournalError::Io(error) => error,
            _ => io::Error::other("an earlier write to this file has failed"),
        })
    }
}

fn first_entry(match_id: &MatchId) -> Vec<u8> {
    [&MAGIC[..], match_id.as_bytes()].concat()
}

fn changed() -> io::Error {
    let what = "the file of inputs was changed or belongs to another match or identity";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dealerless_connection::storage::MemoryStorage;

    fn key() -> Zeroizing<[u8; 32]> {
        Zeroizing::new([3; 32])
    }

    const MATCH_ID: MatchId = MatchId::new([9; 32]);

    fn input(hand: u32) -> Input {
        let attempt = Attempt {
            match_id: MATCH_ID,
            hand,
            attempt: 1,
        };
        Input {
            attempt,
            bits: Zeroizing::new(vec![true, false, hand.is_multiple_of(2)]),
            nonce: Zeroizing::new([hand as u8; 32]),
        }
    }

    /// The bytes of a file with three inputs.
    fn file() -> Vec<u8> {
        let mut file = Inputs::open(MemoryStorage::default(), key(), MATCH_ID)
            .unwrap()
            .file;
        for hand in 1..=3 {
            file.append(&input(hand)).unwrap();
        }
        file.file.storage.bytes()
    }

    #[test]
    fn inputs_are_read_in_the_order_written_and_new_inputs_follow_them() {
        let opened = Inputs::open(MemoryStorage::of(file()), key(), MATCH_ID).unwrap();
        assert!(opened.inputs == [1, 2, 3].map(input));
        let mut file = opened.file;
        file.append(&input(4)).unwrap();
        let again = Inputs::open(file.file.storage, key(), MATCH_ID).unwrap();
        assert!(again.inputs == [1, 2, 3, 4].map(input));
    }

    #[test]
    fn nothing_is_written_after_a_failed_write() {
        /// Writes half of the bytes of each append and then fails.
        struct Full(MemoryStorage);

        impl Storage for Full {
            fn read(&mut self) -> io::Result<Vec<u8>> {
                self.0.read()
            }

            fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
                self.0.append(&bytes[..bytes.len() / 2])?;
                Err(io::ErrorKind::StorageFull.into())
            }

            fn sync(&mut self) -> io::Result<()> {
                Ok(())
            }

            fn truncate(&mut self, _: u64) -> io::Result<()> {
                unreachable!()
            }
        }

        let without_inputs = Inputs::open(MemoryStorage::default(), key(), MATCH_ID)
            .unwrap()
            .file;
        let mut file = Inputs::open(Full(without_inputs.file.storage), key(), MATCH_ID)
            .unwrap()
            .file;
        assert!(file.append(&input(1)).is_err());
        let written = file.file.storage.0.bytes().len();
        assert!(file.append(&input(2)).is_err());
        assert_eq!(file.file.storage.0.bytes().len(), written);
    }

    #[test]
    fn incomplete_last_entry_is_removed_and_a_changed_or_foreign_file_is_refused() {
        let whole = file();
        let mut ends = Vec::new();
        for len in 0..=whole.len() {
            let opened =
                Inputs::open(MemoryStorage::of(whole[..len].to_vec()), key(), MATCH_ID).unwrap();
            let all = [1, 2, 3].map(input);
            let complete = opened.inputs.len();
            assert!(opened.inputs == all[..complete]);
            ends.push(complete);
            // The next entry replaces the incomplete entry.
            let mut file = opened.file;
            file.append(&input(4)).unwrap();
            let again = Inputs::open(file.file.storage, key(), MATCH_ID)
                .unwrap()
                .inputs;
            assert!(again.len() == complete + 1 && again[complete] == input(4));
        }
        assert!(ends.is_sorted() && ends[whole.len()] == 3);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            let opened = Inputs::open(MemoryStorage::of(changed), key(), MATCH_ID);
            let error = opened.err().expect("the change is detected");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "byte {at}");
        }
        for (key, match_id) in [([4; 32], MATCH_ID), ([3; 32], MatchId::new([8; 32]))] {
            let opened = Inputs::open(
                MemoryStorage::of(whole.clone()),
                Zeroizing::new(key),
                match_id,
            );
            assert!(opened.is_err());
        }
    }
}
