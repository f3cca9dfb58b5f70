//! What a program does to its disk, counted; and the one deed in which it kills itself.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use dealerless::mpc::{Attempt, Attempts};
use dealerless_table::log::{DiskStorage, Storage};
use dealerless_table::play::{FileVault, Vault};
use rustix::process::{Signal, getpid, kill_process};
use zeroize::Zeroizing;

use crate::points::{Deed, Kind, When};

#[derive(Default)]
struct Count {
    /// The deeds until now: each with the step of the log in which it was done.
    done: Vec<(Kind, u64)>,
    step: u64,
}

/// The deeds of a program, from its start.
#[derive(Clone, Default)]
pub(crate) struct Deeds {
    kill: Option<Deed>,
    count: Arc<Mutex<Count>>,
}

/// The process ends here. None of its threads does anything more.
fn die() -> ! {
    kill_process(getpid(), Signal::KILL).expect("a signal to oneself");
    unreachable!("nobody outlives this signal")
}

impl Deeds {
    /// The program kills itself in this deed, if there is one.
    pub(crate) fn until(kill: Option<Deed>) -> Self {
        Deeds {
            kill,
            count: Arc::default(),
        }
    }

    /// The log has come to this step.
    pub(crate) fn at_step(&self, step: u64) {
        self.count.lock().unwrap().step = step;
    }

    /// What was done, and in which step of the log.
    pub(crate) fn done(&self) -> Vec<(Kind, u64)> {
        self.count.lock().unwrap().done.clone()
    }

    fn deed<T>(&self, kind: Kind, midway: impl FnOnce(), deed: impl FnOnce() -> T) -> T {
        let number = {
            let mut count = self.count.lock().unwrap();
            let step = count.step;
            count.done.push((kind, step));
            count.done.len() - 1
        };
        let kill = self.kill.filter(|kill| kill.number == number);
        match kill.map(|kill| kill.when) {
            Some(When::Before) => die(),
            Some(When::Midway) => {
                midway();
                die()
            }
            Some(When::After) => {
                deed();
                die()
            }
            None => deed(),
        }
    }
}

/// A file that grows.
pub(crate) struct Growing {
    pub(crate) file: DiskStorage,
    pub(crate) deeds: Deeds,
}

impl Storage for Growing {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.read()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let deeds = self.deeds.clone();
        let file = Mutex::new(&mut self.file);
        let write = |bytes| file.lock().unwrap().append(bytes);
        let half = || write(&bytes[..bytes.len() / 2]).unwrap();
        deeds.deed(Kind::Append, half, || write(bytes))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.deeds.deed(Kind::Sync, || {}, || self.file.sync())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let file = &mut self.file;
        self.deeds
            .deed(Kind::Truncate, || {}, || file.truncate(len))
    }
}

/// The place of the deck.
pub(crate) struct Kept {
    pub(crate) file: FileVault,
    /// What a deck is called until all of it is written.
    pub(crate) unfinished: PathBuf,
    pub(crate) deeds: Deeds,
}

impl Vault for Kept {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        let half = || {
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).open(&self.unfinished);
            file.unwrap().write_all(&deck[..deck.len() / 2]).unwrap();
        };
        let file = &mut self.file;
        self.deeds.deed(Kind::Keep, half, || file.keep(deck))
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        self.file.kept()
    }

    fn destroy(&mut self) -> io::Result<()> {
        let file = &mut self.file;
        self.deeds.deed(Kind::Destroy, || {}, || file.destroy())
    }
}

/// The attempts, in the list of known peers.
pub(crate) struct Tried {
    pub(crate) counted: Box<dyn Attempts>,
    pub(crate) deeds: Deeds,
}

impl Attempts for Tried {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        let counted = &mut self.counted;
        self.deeds
            .deed(Kind::Attempt, || {}, || counted.begins(attempt))
    }

    fn ends_well(&mut self, attempt: Attempt) {
        let counted = &mut self.counted;
        self.deeds
            .deed(Kind::Attempt, || {}, || counted.ends_well(attempt));
    }
}
