//! The disk of a program. The program is killed before a chosen operation. What was not synced is lost, in
//! whole or in part, if the machine crashes.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dealerless_connection::storage::Storage;
use rand::rngs::StdRng;
use rand::RngExt;

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
    is_dead: bool,
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
            state.fail = rest;
            return Err(ErrorKind::StorageFull.into());
        }
        Ok(work(&mut state.files))
    }

    pub(super) fn kill_in(&self, operations: u32) {
        self.lock().kill_in = Some(operations);
    }

    pub(super) fn fail(&self, operations: u32) {
        self.lock().fail = operations;
    }

    pub(super) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    /// The program starts again. If the machine has crashed, each file has lost its changes since the last
    /// sync, except the first few, and has a part of the next one.
    pub(super) fn restart(&self, has_crashed: bool, rng: &mut StdRng) {
        let mut state = self.lock();
        (state.is_dead, state.kill_in, state.fail) = (false, None, 0);
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

    /// The name of a file that was changed and not synced. The file of the time banks may be lost.
    pub(super) fn unsynced(&self) -> Option<String> {
        let state = self.lock();
        let is_unsynced = |number: &u32| !state.files.contents[number].changes.is_empty();
        let names = &mut state.files.names.iter();
        let found = names.find(|(name, (file, _))| !name.ends_with(".clock") && is_unsynced(file));
        found.map(|(name, _)| name.clone())
    }

    pub(super) fn open(&self, name: &str) -> Option<SimulatedFile> {
        let number = self.lock().files.names.get(name)?.0;
        Some(self.file(number))
    }

    fn file(&self, number: u32) -> SimulatedFile {
        let disk = self.clone();
        SimulatedFile { disk, number }
    }

    pub(super) fn open_or_create(&self, name: &str, unix: u64) -> io::Result<SimulatedFile> {
        if let Some(file) = self.open(name) {
            return Ok(file);
        }
        let number = self.operation(|files| {
            files.last += 1;
            files.names.insert(name.to_owned(), (files.last, unix));
            files.contents.insert(files.last, Contents::default());
            files.last
        })?;
        Ok(self.file(number))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        if self.open(name).is_none() {
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
        names.into_iter().map(|(_, name, created)| (name, created)).collect()
    }

    /// The contents of the files with this ending, the newest first.
    pub(super) fn read(&self, ending: &str) -> Vec<Vec<u8>> {
        let names = self.names(ending).into_iter();
        let read = |(name, _): (String, u64)| self.open(&name)?.read().ok();
        names.filter_map(read).collect()
    }
}

impl Files {
    fn crash(&mut self, rng: &mut StdRng) {
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
