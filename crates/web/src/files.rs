//! The files of the player: named files in the numbered files that the worker has opened.
//!
//! A browser keeps the *names* of new files in a database that it does not sync, so a file that is created
//! at a deal may be lost in a crash with all that was synced in it. Therefore the worker creates numbered
//! files at the first visit, and a numbered file begins with the name of the file that is in it:
//!
//! ```text
//! checksum (32 bytes) | u64 time of creation | u8 length of the name | name, padded with zeros to 87 bytes | the contents
//! ```

use std::cell::RefCell;
use std::io::{self, ErrorKind};

use dealerless_connection::storage::{Storage, TwoSlots, Vault as _};

use crate::host;

/// The length of the head of a numbered file in bytes.
const HEAD: u64 = 128;
const CHECKSUM: usize = 32;
/// The maximum length of a name in bytes.
const MAX_NAME: usize = 87;
/// The offset of the length of the name.
const NAME: usize = CHECKSUM + 8;
/// The maximum length of the contents that are read, in bytes.
const MAX_READ: u64 = 64 << 20;

/// The content of a numbered file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Slot {
    Free,
    Named {
        name: String,
        /// The time of creation, in seconds since 1970.
        created: u64,
    },
    /// The head is damaged and there are contents, or the removal is not synced yet. Nobody uses the file.
    Damaged,
}

impl Slot {
    fn has_name(&self, wanted: &str) -> bool {
        matches!(self, Slot::Named { name, .. } if name == wanted)
    }
}

thread_local! {
    static SLOTS: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
}

/// Reads the names in the numbered files 0 to `count`, and syncs what an earlier page has written. If the
/// creation of a file has failed, and the file was then created with another number, two have its name. The one
/// without contents is free.
///
/// # Errors
/// If a file cannot be read or synced, or two with contents have the same name.
pub(crate) fn open(count: u32) -> io::Result<()> {
    let mut slots: Vec<Slot> = Vec::new();
    for number in 0..count {
        let mut slot = read_head(number)?;
        if slot != Slot::Free {
            host::file_flush(number)?;
        }
        if let Slot::Named { name, .. } = &slot
            && let Some(other) = slots.iter().position(|other| other.has_name(name))
        {
            if host::file_size(number)? <= HEAD {
                slot = Slot::Free;
            } else if host::file_size(other as u32)? <= HEAD {
                slots[other] = Slot::Free;
            } else {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    "two files of this page have the same name",
                ));
            }
        }
        slots.push(slot);
    }
    SLOTS.set(slots);
    Ok(())
}

/// The worker has opened new, empty files: those from the last number up to `count`.
pub(crate) fn add(count: u32) {
    SLOTS.with_borrow_mut(|slots| {
        let count = slots.len().max(count as usize);
        slots.resize(count, Slot::Free);
    });
}

/// The number of numbered files that are free.
pub(crate) fn free() -> usize {
    SLOTS.with_borrow(|slots| slots.iter().filter(|slot| **slot == Slot::Free).count())
}

/// Checks that `count` files can be created.
///
/// # Errors
/// If fewer numbered files are free.
pub(crate) fn check_free(count: usize) -> io::Result<()> {
    if free() < count {
        Err(none_free())
    } else {
        Ok(())
    }
}

fn none_free() -> io::Error {
    io::Error::new(
        ErrorKind::StorageFull,
        "this page has no free file left: load it again to make more",
    )
}

/// The names of all files that end in `ending`, and the times of their creation in seconds since 1970, the
/// newest first.
pub(crate) fn names(ending: &str) -> Vec<(String, u64)> {
    let mut names: Vec<(String, u64)> = SLOTS.with_borrow(|slots| {
        let named = slots.iter().filter_map(|slot| match slot {
            Slot::Named { name, created } if name.ends_with(ending) => {
                Some((name.clone(), *created))
            }
            _ => None,
        });
        named.collect()
    });
    names.sort_by_key(|(_, created)| std::cmp::Reverse(*created));
    names
}

fn checksum(rest: &[u8]) -> [u8; CHECKSUM] {
    *blake3::Hasher::new_derive_key("dealerless-web file head 1")
        .update(rest)
        .finalize()
        .as_bytes()
}

fn head(name: &str, created: u64) -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[CHECKSUM..NAME].copy_from_slice(&created.to_le_bytes());
    head[NAME] = name.len() as u8;
    head[NAME + 1..][..name.len()].copy_from_slice(name.as_bytes());
    let sum = checksum(&head[CHECKSUM..]);
    head[..CHECKSUM].copy_from_slice(&sum);
    head
}

fn read_head(number: u32) -> io::Result<Slot> {
    let size = host::file_size(number)?;
    let mut head = [0; HEAD as usize];
    let read = host::file_read(number, 0, &mut head)?;
    let (sum, rest) = head.split_at(CHECKSUM);
    let name = || {
        let len = usize::from(head[NAME]);
        let name = head.get(NAME + 1..)?.get(..len)?;
        String::from_utf8(name.to_vec()).ok()
    };
    Ok(match (name(), rest.first_chunk()) {
        (Some(name), Some(created)) if read == head.len() && sum == checksum(rest) => Slot::Named {
            name,
            created: u64::from_le_bytes(*created),
        },
        // The browser was killed while it created the file, which has no contents yet.
        _ if size <= HEAD => Slot::Free,
        _ => Slot::Damaged,
    })
}

fn find(name: &str) -> Option<u32> {
    SLOTS.with_borrow(|slots| Some(slots.iter().position(|slot| slot.has_name(name))? as u32))
}

/// Finds or creates the file with this name. Returns its number.
fn create(name: &str) -> io::Result<u32> {
    if let Some(number) = find(name) {
        return Ok(number);
    }
    assert!(
        (1..=MAX_NAME).contains(&name.len()),
        "names of files are short"
    );
    let free = SLOTS.with_borrow(|slots| slots.iter().position(|slot| *slot == Slot::Free));
    let number = free.ok_or_else(none_free)? as u32;
    host::file_truncate(number, 0)?;
    let created = host::unix();
    host::file_write(number, 0, &head(name, created))?;
    host::file_flush(number)?;
    let name = name.to_owned();
    SLOTS.with_borrow_mut(|slots| slots[number as usize] = Slot::Named { name, created });
    Ok(number)
}

/// A named file. Another file can take the number of one that was removed, so each operation looks up the name.
/// Whatever is written to a file after its removal is lost.
#[derive(Debug)]
pub(crate) struct NamedFile {
    name: String,
    /// Whether the first bytes create the file.
    is_created_later: bool,
}

impl NamedFile {
    /// Opens a file. `None` if no file has this name.
    pub(crate) fn open(name: &str) -> Option<Self> {
        find(name).map(|_| NamedFile {
            name: name.to_owned(),
            is_created_later: false,
        })
    }

    /// Opens a file, or creates an empty one. Its name is on the disk when this returns.
    ///
    /// # Errors
    /// If no numbered file is free, or it cannot be written.
    pub(crate) fn open_or_create(name: &str) -> io::Result<Self> {
        create(name)?;
        Ok(NamedFile {
            name: name.to_owned(),
            is_created_later: false,
        })
    }

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn remove(name: &str) -> io::Result<()> {
        let Some(number) = find(name) else {
            return Ok(());
        };
        let set = |slot| SLOTS.with_borrow_mut(|slots| slots[number as usize] = slot);
        host::file_truncate(number, 0)?;
        // Until the flush, a crash may restore the file.
        set(Slot::Damaged);
        host::file_flush(number)?;
        set(Slot::Free);
        Ok(())
    }
}

impl Storage for NamedFile {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let Some(number) = find(&self.name) else {
            return Ok(Vec::new());
        };
        let len = host::file_size(number)?.saturating_sub(HEAD);
        if len > MAX_READ {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let mut bytes = vec![0; len as usize];
        let read = host::file_read(number, HEAD, &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let number = match find(&self.name) {
            None if self.is_created_later => create(&self.name)?,
            None => return Ok(()),
            Some(number) => number,
        };
        host::file_write(number, host::file_size(number)?, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        find(&self.name).map_or(Ok(()), host::file_flush)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let number = find(&self.name);
        number.map_or(Ok(()), |number| host::file_truncate(number, HEAD + len))
    }
}

/// A value that is kept as a whole, in two files.
pub(crate) type Value = TwoSlots<NamedFile>;

/// A value. Its two files are created when it is kept.
pub(crate) fn value(name: &str) -> Value {
    TwoSlots::new([0, 1].map(|number| NamedFile {
        name: format!("{name}.{number}"),
        is_created_later: true,
    }))
}

/// Removes the two files of a value.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn remove_value(name: &str) -> io::Result<()> {
    // The older value is destroyed first: otherwise it would count after a crash.
    value(name).destroy()?;
    [0, 1]
        .into_iter()
        .try_for_each(|number| NamedFile::remove(&format!("{name}.{number}")))
}
