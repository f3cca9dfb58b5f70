//! The disk of a seat, kept in memory, and the moments at which the seat's program is killed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use dealerless_connection::storage::{Storage, Vault};
use zeroize::Zeroizing;

/// How far an action has got when the program is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The action has not begun.
    Before,
    /// Half of the bytes are written; a message does not arrive.
    Midway,
    /// The action is complete.
    After,
}

/// When the log has this length in bytes, `State` no longer keeps old files.
const LONG: usize = 1 << 17;

/// The kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Append,
    Keep,
    Destroy,
    Send,
    /// Any other action.
    Other,
}

impl When {
    pub const ALL: [Self; 3] = [When::Before, When::Midway, When::After];
}

/// Kills the program of a seat in one of its actions.
#[derive(Clone, Copy, Debug)]
pub struct Kill {
    /// The number of the action, counted from 0 over all runs of the program.
    pub action: usize,
    pub when: When,
    /// Older files to restore before the program starts again.
    pub restore: Option<Restore>,
}

/// Restores older files.
#[derive(Clone, Copy, Debug)]
pub struct Restore {
    /// The number of the action before which the disk had these files.
    pub action: usize,
    /// Whether to restore the log.
    pub log: bool,
    /// Whether to restore the deck.
    pub deck: bool,
}

/// The files of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub log: Vec<u8>,
    pub inputs: Vec<u8>,
    pub deck: Option<Vec<u8>>,
}

#[derive(Default)]
struct State {
    files: Files,
    /// The files before each action.
    before: Vec<Files>,
    /// The step of the log at each action.
    steps: Vec<u64>,
    kinds: Vec<Kind>,
    step: u64,
    kills: Vec<Kill>,
    killed: bool,
}

/// The disk of a seat. It records the actions of the program.
#[derive(Clone, Default)]
pub struct Disk(Arc<Mutex<State>>);

fn killed() -> io::Error {
    io::Error::other("killed")
}

impl Disk {
    /// A new disk with the same files. `kills` counts actions from 0 again.
    pub fn then_with(self, kills: Vec<Kill>) -> Self {
        let disk = Disk::of(self.files());
        disk.lock().kills = kills;
        disk
    }

    /// A disk with these files.
    pub fn of(files: Files) -> Self {
        let disk = Disk::default();
        disk.lock().files = files;
        disk
    }

    /// The current files.
    pub fn files(&self) -> Files {
        self.lock().files.clone()
    }

    /// The files before each action.
    pub fn before_each_action(&self) -> Vec<Files> {
        self.lock().before.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Performs an action whose effect outlives the program or reaches the peer. The effect is
    /// `done`, or `midway` if the program is killed in the middle of the action.
    pub fn action<T>(
        &self,
        kind: Kind,
        midway: impl FnOnce(&mut Self),
        done: impl FnOnce(&mut Self) -> T,
    ) -> io::Result<T> {
        let mut this = self.clone();
        let kill = {
            let mut state = self.lock();
            if state.killed {
                return Err(killed());
            }
            let (action, step) = (state.before.len(), state.step);
            // The states of a long match are not needed.
            let files = if state.files.log.len() < LONG {
                state.files.clone()
            } else {
                Files::default()
            };
            state.before.push(files);
            state.steps.push(step);
            state.kinds.push(kind);
            state
                .kills
                .iter()
                .find(|kill| kill.action == action)
                .copied()
        };
        let Some(kill) = kill else {
            return Ok(done(&mut this));
        };
        match kill.when {
            When::Before => {}
            When::Midway => midway(&mut this),
            When::After => drop(done(&mut this)),
        }
        let mut state = self.lock();
        state.killed = true;
        if let Some(restore) = kill.restore {
            let older = state.before[restore.action].clone();
            if restore.log {
                state.files.log = older.log;
            }
            if restore.deck {
                state.files.deck = older.deck;
            }
        }
        Err(killed())
    }

    /// Whether the program was killed since the last call.
    pub fn was_killed(&self) -> bool {
        std::mem::take(&mut self.lock().killed)
    }

    pub fn at_step(&self, step: u64) {
        self.lock().step = step;
    }

    /// The step of the log at each action.
    pub fn steps(&self) -> Vec<u64> {
        self.lock().steps.clone()
    }

    /// The kind of each action.
    pub fn kinds(&self) -> Vec<Kind> {
        self.lock().kinds.clone()
    }

    pub fn has_deck(&self) -> bool {
        self.lock().files.deck.is_some()
    }

    /// Whether these bytes are in the match file.
    pub fn log_contains(&self, bytes: &[u8]) -> bool {
        let state = self.lock();
        let mut windows = state.files.log.windows(bytes.len());
        windows.any(|window| window == bytes)
    }

    /// The match file, which contains the log.
    pub fn log(&self) -> Growing {
        let disk = self.clone();
        Growing {
            disk,
            file: |files| &mut files.log,
        }
    }

    /// The file with the seat's shuffle inputs.
    pub fn inputs(&self) -> Growing {
        let disk = self.clone();
        Growing {
            disk,
            file: |files| &mut files.inputs,
        }
    }
}

/// A file on `disk` to which records are appended.
#[derive(Clone)]
pub struct Growing {
    disk: Disk,
    file: fn(&mut Files) -> &mut Vec<u8>,
}

impl Storage for Growing {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok((self.file)(&mut self.disk.lock().files).clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file;
        let add = |disk: &mut Disk, count: usize| {
            file(&mut disk.lock().files).extend_from_slice(&bytes[..count]);
        };
        self.disk.action(
            Kind::Append,
            |disk| add(disk, bytes.len() / 2),
            |disk| add(disk, bytes.len()),
        )
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let file = self.file;
        let cut = |disk: &mut Disk| file(&mut disk.lock().files).truncate(len as usize);
        self.disk.action(Kind::Other, |_| {}, cut)
    }
}

impl Vault for Disk {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        // The file is replaced atomically.
        self.action(
            Kind::Keep,
            |_| {},
            |disk| disk.lock().files.deck = Some(deck.to_vec()),
        )
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(self.lock().files.deck.clone().map(Zeroizing::new))
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.action(Kind::Destroy, |_| {}, |disk| disk.lock().files.deck = None)
    }
}
