//! The disk of a program. The program is killed before a chosen operation. What was not synced is lost, in
//! whole or in part, if the machine crashes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dealerless_connection::storage::{MemoryStorage, Storage, TwoSlots, Vault as _};
use rand::RngExt;

use super::choices::Choices;

/// The payload of the panic that stops a killed program.
pub(super) struct Killed;

#[derive(Clone)]
enum Change {
    Append(Vec<u8>),
    Truncate(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Append(new) => bytes.extend_from_slice(new),
            Change::Truncate(len) => bytes.truncate(*len),
        }
    }
}

#[derive(Clone, Default)]
struct Contents {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    /// The changes since the last sync.
    changes: Vec<Change>,
}

/// The files of a disk. Their names and contents have the same number.
#[derive(Clone, Default)]
pub(super) struct Files {
    names: BTreeMap<String, (u32, u64)>,
    contents: BTreeMap<u32, Contents>,
    last: u32,
}

#[derive(Default)]
struct State {
    files: Files,
    /// The number of operations until the program is killed.
    kill_in: Option<u32>,
    /// The number of operations that fail.
    fail: u32,
    /// Whether an operation has failed since the program was started.
    has_failed: bool,
    is_dead: bool,
    /// The files that the program has opened.
    opened: BTreeSet<u32>,
}

#[derive(Clone, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

/// An open file.
pub(super) struct SimulatedFile {
    disk: Disk,
    number: u32,
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does an operation, unless it fails or the program is killed before it.
    fn operation<T>(&self, work: impl FnOnce(&mut Files) -> T) -> io::Result<T> {
        let mut state = self.lock();
        if state.is_dead {
            return Err(ErrorKind::Other.into());
        }
        if state.kill_in == Some(0) {
            state.is_dead = true;
            drop(state);
            std::panic::resume_unwind(Box::new(Killed));
        }
        state.kill_in = state.kill_in.map(|count| count - 1);
        if let Some(rest) = state.fail.checked_sub(1) {
            (state.fail, state.has_failed) = (rest, true);
            return Err(ErrorKind::StorageFull.into());
        }
        Ok(work(&mut state.files))
    }

    pub(super) fn kill_in(&self, operations: u32) {
        self.lock().kill_in = Some(operations);
    }

    /// The program is killed now.
    pub(super) fn kill(&self) {
        self.lock().is_dead = true;
    }

    pub(super) fn fail(&self, operations: u32) {
        self.lock().fail = operations;
    }

    /// Whether an operation has failed since the program was started.
    pub(super) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    pub(super) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    /// The program starts again. If the machine has crashed, each file has lost its changes since the last
    /// sync, except the first few, and has a part of the next one.
    pub(super) fn restart(&self, has_crashed: bool, rng: &mut Choices) {
        let mut state = self.lock();
        let files = std::mem::take(&mut state.files);
        *state = State {
            files,
            ..State::default()
        };
        if has_crashed {
            state.files.crash(rng);
        }
    }

    /// A backup of all files.
    pub(super) fn files(&self) -> Files {
        self.lock().files.clone()
    }

    pub(super) fn restore(&self, files: Files) {
        self.lock().files = files;
    }

    /// The name of a file or value that a crash would change, unless the program knows that it could not be
    /// written. The file of the time banks may be lost.
    pub(super) fn unsynced(&self) -> Option<String> {
        let state = self.lock();
        let files = &state.files;
        if state.has_failed {
            return None;
        }
        let is_unsynced = |(name, (number, _)): &(&String, &(u32, u64))| {
            let is_changed = !files.contents[number].changes.is_empty();
            if !is_changed || !state.opened.contains(number) || name.ends_with(".clock") {
                return false;
            }
            let Some((value, _)) = name.rsplit_once('.').filter(|(_, slot)| slot.len() == 1) else {
                return true;
            };
            let [now, later] = [false, true].map(|crashes| files.value(value, crashes));
            now != later
        };
        let found = files.names.iter().find(is_unsynced);
        found.map(|(name, _)| name.clone())
    }

    /// Opens a file, and syncs what an earlier program has left.
    pub(super) fn open(&self, name: &str) -> Option<SimulatedFile> {
        let mut file = self.find(name)?;
        file.settle().ok()?;
        Some(file)
    }

    fn find(&self, name: &str) -> Option<SimulatedFile> {
        let number = self.lock().files.names.get(name)?.0;
        Some(self.file(number))
    }

    fn file(&self, number: u32) -> SimulatedFile {
        let disk = self.clone();
        SimulatedFile { disk, number }
    }

    pub(super) fn open_or_create(&self, name: &str, unix: u64) -> io::Result<SimulatedFile> {
        if let Some(mut file) = self.find(name) {
            file.settle()?;
            return Ok(file);
        }
        let number = self.operation(|files| {
            files.last += 1;
            files.names.insert(name.to_owned(), (files.last, unix));
            files.contents.insert(files.last, Contents::default());
            files.last
        })?;
        self.lock().opened.insert(number);
        Ok(self.file(number))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        if self.find(name).is_none() {
            return Ok(());
        }
        self.operation(|files| files.names.remove(name)).map(|_| ())
    }

    /// The names of the files with this ending, the newest first.
    pub(super) fn names(&self, ending: &str) -> Vec<(String, u64)> {
        let state = self.lock();
        let mut names: Vec<_> = (state.files.names.iter())
            .filter(|(name, _)| name.ends_with(ending))
            .map(|(name, (number, created))| (*number, name.clone(), *created))
            .collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names
            .into_iter()
            .map(|(_, name, created)| (name, created))
            .collect()
    }

    /// The contents of the files with this ending, the newest first.
    pub(super) fn read(&self, ending: &str) -> Vec<Vec<u8>> {
        let names = self.names(ending).into_iter();
        let read = |(name, _): (String, u64)| self.find(&name)?.read().ok();
        names.filter_map(read).collect()
    }
}

impl Files {
    /// Whether a file has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// A value, also as it would be after a crash.
    fn value(&self, name: &str, crashes: bool) -> Option<Vec<u8>> {
        let slot = |slot| {
            let number = self.names.get(&format!("{name}.{slot}"));
            let contents = number.map(|(number, _)| &self.contents[number]);
            let bytes = contents.map(|file| if crashes { &file.synced } else { &file.bytes });
            MemoryStorage::of(bytes.cloned().unwrap_or_default())
        };
        let kept = TwoSlots::new([0, 1].map(slot)).kept();
        kept.ok().flatten().map(|value| value.to_vec())
    }

    fn crash(&mut self, rng: &mut Choices) {
        for file in self.contents.values_mut() {
            let mut bytes = std::mem::take(&mut file.synced);
            let kept = rng.random_range(0..=file.changes.len());
            for (number, change) in file.changes.drain(..).enumerate() {
                match &change {
                    _ if number < kept => change.apply(&mut bytes),
                    Change::Append(new) if number == kept => {
                        let torn = rng.random_range(0..=new.len());
                        bytes.extend_from_slice(&new[..torn]);
                    }
                    _ => {}
                }
            }
            file.synced = bytes.clone();
            file.bytes = bytes;
        }
    }
}

impl SimulatedFile {
    /// Syncs what was not synced.
    fn settle(&mut self) -> io::Result<()> {
        let mut state = self.disk.lock();
        state.opened.insert(self.number);
        let is_synced = state.files.contents[&self.number].changes.is_empty();
        drop(state);
        if is_synced { Ok(()) } else { self.sync() }
    }

    fn change(&self, change: Change) -> io::Result<()> {
        self.disk.operation(|files| {
            if let Some(file) = files.contents.get_mut(&self.number) {
                change.apply(&mut file.bytes);
                file.changes.push(change);
            }
        })
    }
}

impl Storage for SimulatedFile {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let state = self.disk.lock();
        Ok(state.files.contents[&self.number].bytes.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.change(Change::Append(bytes.to_vec()))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.operation(|files| {
            if let Some(file) = files.contents.get_mut(&self.number) {
                file.synced = file.bytes.clone();
                file.changes.clear();
            }
        })
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.change(Change::Truncate(len as usize))
    }
}
