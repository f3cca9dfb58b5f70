//! The disk operations of a program. They are counted, and the program can kill itself at one of
//! them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use dealerless_connection::storage::{DiskStorage, FileVault, Storage, Vault};
use rustix::process::{Signal, getpid, kill_process};
use zeroize::Zeroizing;

use crate::points::{KillPoint, Kind, When};

#[derive(Default)]
struct Count {
    /// The operations so far, each with the length of the log.
    done: Vec<(Kind, u64)>,
    log: u64,
}

/// The disk operations of a program since its start.
#[derive(Clone, Default)]
pub(crate) struct Operations {
    kill_at: Option<KillPoint>,
    count: Arc<Mutex<Count>>,
}

/// Kills the process. None of its threads does anything after this.
fn die() -> ! {
    kill_process(getpid(), Signal::KILL).expect("the process can send itself a signal");
    unreachable!("the signal kills the process")
}

impl Operations {
    /// The program kills itself at this point, if there is one.
    pub(crate) fn new(kill_at: Option<KillPoint>) -> Self {
        Operations {
            kill_at,
            count: Arc::default(),
        }
    }

    /// The operations so far, each with the length of the log.
    pub(crate) fn done(&self) -> Vec<(Kind, u64)> {
        self.count.lock().unwrap().done.clone()
    }

    /// Counts an operation and performs it. If the program is killed at this operation, `half` or
    /// `whole` runs before, depending on the kill point.
    fn perform<T>(&self, kind: Kind, half: impl FnOnce(), whole: impl FnOnce() -> T) -> T {
        let number = {
            let mut count = self.count.lock().unwrap();
            let log = count.log;
            count.done.push((kind, log));
            count.done.len() - 1
        };
        let kill = self.kill_at.filter(|point| point.number == number);
        match kill.map(|point| point.when) {
            Some(When::Before) => die(),
            Some(When::Midway) => {
                half();
                die()
            }
            Some(When::After) => {
                whole();
                die()
            }
            None => whole(),
        }
    }
}

/// A file whose operations are counted.
pub(crate) struct CountedStorage {
    pub(crate) file: DiskStorage,
    /// Whether the file is the log.
    pub(crate) is_log: bool,
    pub(crate) operations: Operations,
}

impl Storage for CountedStorage {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.read()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let operations = self.operations.clone();
        let file = Mutex::new(&mut self.file);
        let write = |bytes| file.lock().unwrap().append(bytes);
        let half = || write(&bytes[..bytes.len() / 2]).unwrap();
        operations.perform(Kind::Append, half, || write(bytes))?;
        if self.is_log {
            let len = self.file.read()?.len();
            self.operations.count.lock().unwrap().log = len as u64;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.operations
            .perform(Kind::Sync, || {}, || self.file.sync())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let file = &mut self.file;
        self.operations
            .perform(Kind::Truncate, || {}, || file.truncate(len))
    }
}

/// A value whose operations are counted.
pub(crate) struct CountedVault {
    pub(crate) file: FileVault,
    /// The name of the file until it is completely written.
    pub(crate) unfinished: PathBuf,
    pub(crate) operations: Operations,
}

impl Vault for CountedVault {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        let half = || {
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).open(&self.unfinished);
            file.unwrap().write_all(&value[..value.len() / 2]).unwrap();
        };
        let file = &mut self.file;
        self.operations
            .perform(Kind::Keep, half, || file.keep(value))
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        self.file.kept()
    }

    fn destroy(&mut self) -> io::Result<()> {
        let file = &mut self.file;
        self.operations
            .perform(Kind::Destroy, || {}, || file.destroy())
    }
}
