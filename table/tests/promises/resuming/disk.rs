//! The disk of a seat, in memory, and the moments at which its program is killed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use dealerless_table::log::Storage;
use dealerless_table::play::Vault;
use zeroize::Zeroizing;

/// How far a deed comes in which the program is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// It was about to begin.
    Before,
    /// Half of what is written is there; what is sent does not arrive.
    Midway,
    /// It is done.
    After,
}

/// The bytes of the log of a long match.
const LONG: usize = 1 << 17;

/// What a deed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Append,
    Keep,
    Destroy,
    Send,
    /// Something else.
    Other,
}

impl When {
    pub(crate) const ALL: [Self; 3] = [When::Before, When::Midway, When::After];
}

/// The program is killed in this deed of its seat, counted from 0 over all its lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    pub(crate) deed: usize,
    pub(crate) when: When,
    /// What is on the disk when it starts again, if it is not what was left.
    pub(crate) put_back: Option<PutBack>,
}

/// An older state that somebody puts back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PutBack {
    /// As it was before this deed.
    pub(crate) deed: usize,
    pub(crate) log: bool,
    pub(crate) deck: bool,
}

/// What is on a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) log: Vec<u8>,
    pub(crate) inputs: Vec<u8>,
    pub(crate) deck: Option<Vec<u8>>,
}

#[derive(Default)]
struct State {
    files: Files,
    /// The files before each deed.
    before: Vec<Files>,
    /// The step of the log in which each deed was done.
    steps: Vec<u64>,
    kinds: Vec<Kind>,
    step: u64,
    kills: Vec<Kill>,
    killed: bool,
}

/// The disk of a seat. It remembers what its program does.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

fn killed() -> io::Error {
    io::Error::other("killed")
}

impl Disk {
    /// The same files, and from now on these kills.
    pub(crate) fn then_with(self, kills: Vec<Kill>) -> Self {
        let disk = Disk::of(self.files());
        disk.lock().kills = kills;
        disk
    }

    /// A disk with these files.
    pub(crate) fn of(files: Files) -> Self {
        let disk = Disk::default();
        disk.lock().files = files;
        disk
    }

    /// What is on it.
    pub(crate) fn files(&self) -> Files {
        self.lock().files.clone()
    }

    /// What was on it before each deed.
    pub(crate) fn before_each_deed(&self) -> Vec<Files> {
        self.lock().before.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Something that outlives the program, or that the other sees. `midway` is what is there if
    /// the program is killed in the midst of it.
    pub(crate) fn deed<T>(
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
            let (deed, step) = (state.before.len(), state.step);
            // Nobody looks at the states of a long match.
            let files = match state.files.log.len() < LONG {
                true => state.files.clone(),
                false => Files::default(),
            };
            state.before.push(files);
            state.steps.push(step);
            state.kinds.push(kind);
            state.kills.iter().find(|kill| kill.deed == deed).copied()
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
        if let Some(put_back) = kill.put_back {
            let older = state.before[put_back.deed].clone();
            if put_back.log {
                state.files.log = older.log;
            }
            if put_back.deck {
                state.files.deck = older.deck;
            }
        }
        Err(killed())
    }

    /// Whether the program was killed. It starts again then.
    pub(crate) fn was_killed(&self) -> bool {
        std::mem::take(&mut self.lock().killed)
    }

    pub(crate) fn at_step(&self, step: u64) {
        self.lock().step = step;
    }

    /// The step of the log in which each deed was done.
    pub(crate) fn steps(&self) -> Vec<u64> {
        self.lock().steps.clone()
    }

    /// What each deed was.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.lock().kinds.clone()
    }

    pub(crate) fn has_deck(&self) -> bool {
        self.lock().files.deck.is_some()
    }

    /// The file of the match.
    pub(crate) fn log(&self) -> Growing {
        let disk = self.clone();
        Growing {
            disk,
            file: |files| &mut files.log,
        }
    }

    /// The file of the inputs.
    pub(crate) fn inputs(&self) -> Growing {
        let disk = self.clone();
        Growing {
            disk,
            file: |files| &mut files.inputs,
        }
    }
}

/// A file that grows.
#[derive(Clone)]
pub(crate) struct Growing {
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
        self.disk.deed(
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
        self.disk.deed(Kind::Other, |_| {}, cut)
    }
}

impl Vault for Disk {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        // It is replaced as a whole.
        self.deed(
            Kind::Keep,
            |_| {},
            |disk| disk.lock().files.deck = Some(deck.to_vec()),
        )
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(self.lock().files.deck.clone().map(Zeroizing::new))
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.deed(Kind::Destroy, |_| {}, |disk| disk.lock().files.deck = None)
    }
}
