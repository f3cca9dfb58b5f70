//! The numbered files of a page, in memory. They fail, and the machine crashes, at a chosen operation.

use dealerless_table::record::{MatchState, Record};

/// The error code of an operation.
const FAILED: i32 = -1;

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Write(at, new) => {
                let end = at + new.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at..end].copy_from_slice(new);
            }
            Change::Truncate(len) => bytes.resize(*len, 0),
        }
    }
}

/// A file, and what of it survives a crash.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    synced: Vec<u8>,
    /// The changes since the last flush.
    changes: Vec<Change>,
}

/// All files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    pub(crate) files: Vec<File>,
    /// The number of changes and flushes so far.
    pub(crate) operations: usize,
    /// The first operation that fails, and the number of operations that fail from it on.
    pub(crate) fails: Option<(usize, usize)>,
    /// The operation before which the page is killed.
    pub(crate) dies_before: Option<usize>,
    is_dead: bool,
}

impl Disk {
    pub(crate) fn new(files: usize) -> Self {
        Disk {
            files: vec![File::default(); files],
            ..Disk::default()
        }
    }

    /// Counts an operation. Returns whether it succeeds; `None` if the page is killed.
    fn operation(&mut self) -> Option<bool> {
        if self.is_dead {
            return Some(false);
        }
        if self.dies_before == Some(self.operations) {
            self.is_dead = true;
            return None;
        }
        let number = self.operations;
        self.operations += 1;
        let fails = |(first, count)| (first..first + count).contains(&number);
        Some(!self.fails.is_some_and(fails))
    }

    fn change(&mut self, file: u32, change: Change) -> Option<i32> {
        if !self.operation()? {
            return Some(FAILED);
        }
        let file = &mut self.files[file as usize];
        change.apply(&mut file.bytes);
        file.changes.push(change);
        Some(0)
    }

    pub(crate) fn write(&mut self, file: u32, at: usize, bytes: &[u8]) -> Option<i32> {
        self.change(file, Change::Write(at, bytes.to_vec()))
    }

    pub(crate) fn truncate(&mut self, file: u32, len: usize) -> Option<i32> {
        self.change(file, Change::Truncate(len))
    }

    pub(crate) fn flush(&mut self, file: u32) -> Option<i32> {
        if !self.operation()? {
            return Some(FAILED);
        }
        let file = &mut self.files[file as usize];
        file.synced = file.bytes.clone();
        file.changes.clear();
        Some(0)
    }

    pub(crate) fn read(&self, file: u32, at: usize, buf: &mut [u8]) -> i32 {
        let rest = self.files[file as usize]
            .bytes
            .get(at..)
            .unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        len as i32
    }

    /// The machine crashes. Each file loses its changes since the last flush, except the first `kept` of
    /// them, and keeps half of the next one.
    pub(crate) fn crash(&mut self, kept: usize) {
        for file in &mut self.files {
            let mut bytes = file.synced.clone();
            for (number, change) in file.changes.drain(..).enumerate() {
                match &change {
                    _ if number < kept => change.apply(&mut bytes),
                    Change::Write(at, new) if number == kept && kept > 0 => {
                        Change::Write(*at, new[..new.len() / 2].to_vec()).apply(&mut bytes);
                    }
                    _ => {}
                }
            }
            file.bytes = bytes.clone();
            file.synced = bytes;
        }
        self.dies_before = None;
        self.is_dead = false;
    }

    /// The contents of the file with this name, after its head.
    pub(crate) fn named(&self, ending: &str) -> Option<Vec<u8>> {
        let number = self.number_of(ending)?;
        Some(self.files[number].bytes[128..].to_vec())
    }

    /// The first digits of the id of the match that has been begun and is not over.
    pub(crate) fn open_match(&self) -> Option<String> {
        let number = self.number_of(".log")?;
        let file = &self.files[number].bytes;
        let record = Record::read(&file[128..], None).ok()?;
        let is_open = matches!(record.state(), MatchState::Open { .. });
        let has_parts = record.log.history(0).next().is_some();
        (is_open && has_parts).then(|| String::from_utf8(file[41..57].to_vec()).unwrap())
    }

    /// The number of the first file whose name has this ending.
    pub(crate) fn number_of(&self, ending: &str) -> Option<usize> {
        self.files.iter().position(|file| {
            let name =
                |bytes: &[u8]| Some(bytes.get(41..128)?.get(..usize::from(bytes[40]))?.to_vec());
            name(&file.bytes).is_some_and(|name| name.ends_with(ending.as_bytes()))
        })
    }
}
