//! A value that is replaced as a whole, over two files that can only be appended to and truncated.

use std::io;

use zeroize::Zeroizing;

use super::appended::Storage;
use super::vault::Vault;
use crate::hash::Hash;

/// The length of the sequence number and the checksum before a value, in bytes.
const HEADER: usize = 8 + 32;

/// The mark that is stored in place of a value that was replaced.
const REPLACED: &[u8] = b"replaced";

/// Stores one value in two files, for storage that cannot rename files. Each file holds at most one
/// value, with a sequence number and a checksum. The complete value with the larger number counts,
/// so a crash in the middle of a write leaves the previous value. A value that was changed later is
/// an error, and is left unchanged.
///
/// | first file | second file | meaning |
/// |---|---|---|
/// | a value | empty | the value |
/// | incomplete value | empty | no value: nothing was written, or the first write was interrupted |
/// | a value | the mark of a replaced value, or an older or incomplete value | the value |
/// | the mark of a replaced value, or an older or incomplete value | a value | the value |
/// | otherwise | | damaged |
pub struct TwoSlots<S> {
    slots: [S; 2],
}

/// The content of a slot.
struct Slot {
    number: u64,
    value: Zeroizing<Vec<u8>>,
}

impl Slot {
    /// Decodes the bytes of a file. `None` if they are not a complete value.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (header, value) = bytes.split_at_checked(HEADER)?;
        let (number, sum) = header.split_first_chunk()?;
        let number = u64::from_le_bytes(*number);
        (sum == checksum(number, value)).then(|| Slot {
            number,
            value: Zeroizing::new(value.to_vec()),
        })
    }

    fn encode(number: u64, value: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(HEADER + value.len()));
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(&checksum(number, value));
        bytes.extend_from_slice(value);
        bytes
    }
}

fn checksum(number: u64, value: &[u8]) -> [u8; 32] {
    Hash::new("slot").number(number).field(value).finish()
}

impl<S: Storage> TwoSlots<S> {
    /// A value in these two files. If both are empty, there is no value.
    pub fn new(slots: [S; 2]) -> Self {
        TwoSlots { slots }
    }

    /// The index and the content of the slot that counts.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if a value was kept and no slot has it.
    fn current(&mut self) -> io::Result<Option<(usize, Slot)>> {
        let newest = self.newest()?;
        // The first value is written to the first slot, while the second one is empty.
        if newest.is_none()
            && (self.slots[0].read()? == REPLACED || !self.slots[1].read()?.is_empty())
        {
            let damaged = "the stored value was changed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, damaged));
        }
        Ok(newest)
    }

    /// The complete slot with the larger number.
    fn newest(&mut self) -> io::Result<Option<(usize, Slot)>> {
        let mut newest: Option<(usize, Slot)> = None;
        for (index, storage) in self.slots.iter_mut().enumerate() {
            let slot = Slot::decode(&Zeroizing::new(storage.read()?));
            let best = newest.as_ref().map(|(_, slot)| slot.number);
            newest = match slot {
                Some(slot) if Some(slot.number) > best => Some((index, slot)),
                _ => newest,
            };
        }
        Ok(newest)
    }
}

impl<S: Storage + Send> Vault for TwoSlots<S> {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        let (old, number) = match self.current()? {
            // Only a file that another program wrote can have the last number.
            Some((old, slot)) => {
                let next = slot.number.checked_add(1);
                (old, next.ok_or(io::ErrorKind::InvalidData)?)
            }
            None => (1, 0),
        };
        let new = &mut self.slots[1 - old];
        new.truncate(0)?;
        new.append(&Slot::encode(number, value))?;
        new.sync()?;
        // Removes the old value. If a crash restores it, the new value still counts.
        let old = &mut self.slots[old];
        old.truncate(0)?;
        old.append(REPLACED)?;
        old.sync()
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(self.current()?.map(|(_, slot)| slot.value))
    }

    fn destroy(&mut self) -> io::Result<()> {
        // The older value is destroyed first: otherwise it would count after a crash.
        let newest = self.newest()?.map_or(0, |(index, _)| index);
        for index in [1 - newest, newest] {
            self.slots[index].truncate(0)?;
            self.slots[index].sync()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::storage::MemoryStorage;

    /// A file whose machine crashes at an action. What was not synced is then lost in part.
    #[derive(Clone)]
    struct Crashing {
        file: MemoryStorage,
        synced: Arc<Mutex<Vec<u8>>>,
        actions: Arc<Mutex<usize>>,
    }

    impl Crashing {
        fn new(actions: &Arc<Mutex<usize>>) -> Self {
            Crashing {
                file: MemoryStorage::default(),
                synced: Arc::default(),
                actions: Arc::clone(actions),
            }
        }

        fn action(&self) -> io::Result<()> {
            let mut actions = self.actions.lock().unwrap();
            *actions = actions.checked_sub(1).ok_or(io::ErrorKind::Other)?;
            Ok(())
        }

        /// The possible contents after the crash: what was synced and, if more was done since, what
        /// was written and parts of it.
        fn contents(&self) -> Vec<Vec<u8>> {
            let (synced, written) = (self.synced.lock().unwrap().clone(), self.file.bytes());
            let mut contents = vec![synced];
            if contents[0] != written {
                let parts = (0..written.len()).step_by(7);
                contents.extend(parts.map(|len| written[..len].to_vec()));
                contents.push(written);
            }
            contents
        }
    }

    impl Storage for Crashing {
        fn read(&mut self) -> io::Result<Vec<u8>> {
            self.file.read()
        }

        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.action()?;
            self.file.append(bytes)
        }

        fn sync(&mut self) -> io::Result<()> {
            self.action()?;
            *self.synced.lock().unwrap() = self.file.bytes();
            Ok(())
        }

        fn truncate(&mut self, len: u64) -> io::Result<()> {
            self.action()?;
            self.file.truncate(len)
        }
    }

    fn kept(slots: [Vec<u8>; 2]) -> Option<Vec<u8>> {
        let kept = TwoSlots::new(slots.map(MemoryStorage::of)).kept().unwrap();
        kept.map(|value| value.to_vec())
    }

    #[test]
    fn crash_at_any_action_leaves_a_value_that_was_kept() {
        let values = ["one", "the second value", "three", ""].map(str::as_bytes);
        for crash in 0..40 {
            let actions = Arc::new(Mutex::new(crash));
            let slots = [(); 2].map(|()| Crashing::new(&actions));
            let mut vault = TwoSlots::new(slots.clone());
            // The last value whose write was completed, and the one that was being written.
            let (mut complete, mut current) = (None, None);
            for value in values.map(Some).into_iter().chain([None]) {
                current = value;
                let done = match value {
                    Some(value) => vault.keep(value),
                    None => vault.destroy(),
                };
                if done.is_err() {
                    break;
                }
                complete = value;
            }
            for one in slots[0].contents() {
                for other in slots[1].contents() {
                    let kept = kept([one.clone(), other]);
                    let is_either = [complete, current].contains(&kept.as_deref());
                    assert!(is_either, "crash at action {crash}: {kept:?}");
                }
            }
        }
    }

    #[test]
    fn changed_value_is_an_error_and_is_not_replaced() {
        for keeps in 1..4 {
            let slots = [(); 2].map(|()| MemoryStorage::default());
            let mut vault = TwoSlots::new(slots.clone());
            for _ in 0..keeps {
                vault.keep(b"value").unwrap();
            }
            let bytes = slots.map(|slot| slot.bytes());
            assert_eq!(kept(bytes.clone()).as_deref(), Some(&b"value"[..]));
            // The first value is in the first slot.
            let slot = (keeps + 1) % 2;
            for at in 0..bytes[slot].len() {
                let [mut flipped, mut cut] = [bytes.clone(), bytes.clone()];
                flipped[slot][at] ^= 1;
                cut[slot].truncate(at);
                for changed in [flipped, cut] {
                    let slots = changed.clone().map(MemoryStorage::of);
                    let mut vault = TwoSlots::new(slots.clone());
                    for error in [vault.kept().err(), vault.keep(b"new").err()] {
                        let kind = error.map(|error| error.kind());
                        assert_eq!(kind, Some(io::ErrorKind::InvalidData), "byte {at}");
                    }
                    assert_eq!(slots.map(|slot| slot.bytes()), changed);
                    vault.destroy().unwrap();
                    vault.keep(b"new").unwrap();
                }
            }
        }
    }

    #[test]
    fn old_value_is_removed_once_the_new_one_is_kept() {
        let slots = [(); 2].map(|()| MemoryStorage::default());
        let mut vault = TwoSlots::new(slots.clone());
        for value in [&b"old"[..], b"new"] {
            vault.keep(value).unwrap();
        }
        let holds = |slot: &MemoryStorage| Slot::decode(&slot.bytes()).is_some();
        assert_eq!(slots.iter().filter(|slot| holds(slot)).count(), 1);
        vault.destroy().unwrap();
        assert!(slots.iter().all(|slot| slot.bytes().is_empty()));
    }
}
