//! The program behind the page: this same program once more, with `--json`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use hyper::body::Bytes;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::lines::{Lines, SEATED};
use crate::failure::BROKEN_OFF;

/// The longest line that a program says: the turn of 100 boards that are all open takes 40 kB.
const LONGEST: u64 = 4 << 20;
/// How long a program may go on when nothing more comes to it, and then once more when nobody hears it,
/// before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How long a program may take to read a command.
const READS: Duration = Duration::from_secs(5);
/// How long a command waits for its turn with the folder: a match that is over takes a moment to end, and the
/// commands for a lobby run one after the other.
const TURN: Duration = Duration::from_secs(5);
/// So many pages watch at once: a browser has 6 connections to a server, for all its pages.
const WATCHERS: usize = 3;

/// Why there is no program behind the page.
pub(super) const CANNOT_START: &str = "the program cannot be started: if its file was moved or replaced, end this \
                                       program and start it again";

/// Whose folder, and under what name they play: options of the program.
#[derive(Clone)]
pub(super) struct Own {
    folder: Vec<OsString>,
    name: Option<String>,
}

impl Own {
    pub(super) fn new(folder: Vec<OsString>, name: Option<&str>) -> Self {
        Own {
            folder,
            name: name.map(str::to_owned),
        }
    }

    /// The options of a command that does not play.
    pub(super) fn folder(&self) -> Vec<OsString> {
        self.folder.clone()
    }

    /// The options of a command that plays, under another name if one is given.
    pub(super) fn player(&self, name: Option<&str>) -> Vec<OsString> {
        let name = name.or(self.name()).map(|name| format!("--name={name}"));
        let name = name.map(OsString::from);
        self.folder.iter().cloned().chain(name).collect()
    }

    /// The name of the command line.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// Another program uses the folder.
#[derive(Debug, thiserror::Error)]
#[error("a match is being played, or waited for: end it first")]
pub(super) struct Busy;

/// Why a page gets no lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoPlace {
    #[error("another page plays")]
    Played,
    #[error("{WATCHERS} pages watch already: close one of them")]
    Watched,
}

/// Why a command was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotTaken {
    #[error("this page does not play")]
    Watches,
    #[error("the program has ended, or does not take commands any more")]
    Gone,
}

/// All that are started for the page, one after the other.
pub(super) struct Programs {
    pub(super) own: Own,
    this: PathBuf,
    /// Lock on the folder, held by a program that uses it and while one starts.
    folder: tokio::sync::Mutex<()>,
    last: Mutex<Option<Arc<Program>>>,
}

/// One of them.
pub(super) struct Program {
    number: u64,
    /// What it does: `host`, `join` or `resume`.
    subcommand: String,
    said: Mutex<Said>,
    changed: watch::Sender<()>,
    input: tokio::sync::Mutex<Option<ChildStdin>>,
    end: Notify,
}

/// What it has said, and to whom.
#[derive(Default)]
struct Said {
    lines: Lines,
    /// Two have sat down: there is a match that can be gone on with.
    seated: bool,
    ended: Option<Ended>,
    /// The page that plays.
    playing: Option<u64>,
    watching: usize,
    /// How many pages there were.
    pages: u64,
}

/// How it ended.
#[derive(Clone, Copy)]
struct Ended {
    exit_code: Option<i32>,
}

/// The last program, for a page.
#[derive(Serialize)]
pub(super) struct State {
    number: u64,
    command: String,
    running: bool,
    played: bool,
    exit_code: Option<i32>,
    /// The system has ended it, or somebody through the system.
    by_signal: bool,
}

impl Programs {
    /// # Errors
    /// If it is not known where this program is.
    pub(super) fn new(own: Own) -> anyhow::Result<Self> {
        Ok(Programs {
            own,
            this: this_program().context("where this program is cannot be found")?,
            folder: tokio::sync::Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// Waits until no other program uses the folder, and locks it until the result is dropped.
    ///
    /// # Errors
    /// [`Busy`], if that takes longer than [`TURN`].
    pub(super) async fn turn(&self) -> Result<tokio::sync::MutexGuard<'_, ()>, Busy> {
        let turn = async {
            let turn = self.folder.lock().await;
            self.until_ended().await;
            turn
        };
        timeout(TURN, turn).await.map_err(|_| Busy)
    }

    /// Waits until the program that was started last has ended.
    async fn until_ended(&self) {
        let Some(last) = self.last() else {
            return;
        };
        let mut changes = last.changed.subscribe();
        while last.runs() && changes.changed().await.is_ok() {}
    }

    fn last_one(&self) -> MutexGuard<'_, Option<Arc<Program>>> {
        // Each change is one assignment.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program that was started last.
    pub(super) fn last(&self) -> Option<Arc<Program>> {
        self.last_one().clone()
    }

    /// This program with other arguments, in a process of its own.
    pub(super) fn process(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(&self.this);
        command.args(args).kill_on_drop(true);
        command
    }

    /// Starts a program that plays. Gives its number.
    ///
    /// # Errors
    /// [`Busy`], and if it cannot be started.
    pub(super) async fn start(&self, args: Vec<OsString>) -> anyhow::Result<u64> {
        let _turn = self.turn().await?;
        let mut last = self.last_one();
        let number = last.as_ref().map_or(0, |last| last.number) + 1;
        let mut child = self
            .process(&args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(CANNOT_START)?;
        let output = child.stdout.take().context("the program has no output")?;
        let subcommand = args.first().map(|arg| arg.to_string_lossy().into_owned());
        let program = Arc::new(Program {
            number,
            subcommand: subcommand.unwrap_or_default(),
            said: Mutex::default(),
            changed: watch::Sender::new(()),
            input: tokio::sync::Mutex::new(child.stdin.take()),
            end: Notify::new(),
        });
        tokio::spawn(program.clone().attend(child, output));
        *last = Some(program);
        Ok(number)
    }

    /// Ends the program that runs, if one does, and waits until it has ended.
    pub(super) async fn end(&self) {
        let Some(last) = self.last() else {
            return;
        };
        last.end.notify_one();
        // It is killed before that.
        let _ = timeout(3 * GRACE, self.until_ended()).await;
    }
}

impl Program {
    fn said(&self) -> MutexGuard<'_, Said> {
        // Each change leaves it whole.
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what the pages see, and tells them.
    fn change(&self, change: impl FnOnce(&mut Said)) {
        change(&mut self.said());
        self.changed.send_replace(());
    }

    fn runs(&self) -> bool {
        self.said().ended.is_none()
    }

    /// Whether its user has ended it in a match, here or at the terminal.
    pub(super) fn was_broken_off(&self) -> bool {
        let said = self.said();
        let ended = said.ended.and_then(|ended| ended.exit_code);
        said.seated && ended == Some(BROKEN_OFF.into())
    }

    /// How it stands.
    pub(super) fn state(&self) -> State {
        let said = self.said();
        State {
            number: self.number,
            command: self.subcommand.clone(),
            running: said.ended.is_none(),
            played: said.playing.is_some(),
            exit_code: said.ended.and_then(|ended| ended.exit_code),
            by_signal: said.ended.is_some_and(|ended| ended.exit_code.is_none()),
        }
    }

    /// Hears what the program says until it ends, or is to end.
    async fn attend(self: Arc<Self>, mut child: Child, output: ChildStdout) {
        let is_to_end = async {
            self.end.notified().await;
            // It breaks off when nothing more can come.
            *self.input.lock().await = None;
            sleep(GRACE).await;
        };
        let hangs = tokio::select! {
            () = self.hear(output) => false,
            () = is_to_end => true,
        };
        let status = match timeout(GRACE, child.wait()).await {
            Ok(status) => status,
            Err(_) => match child.kill().await {
                Ok(()) => child.wait().await,
                Err(error) => Err(error),
            },
        };
        *self.input.lock().await = None;
        let exit_code = status.ok().and_then(|status: ExitStatus| status.code());
        // One that was to end and had to be killed was ended by its user all the same.
        let exit_code = exit_code.or(hangs.then_some(BROKEN_OFF.into()));
        self.change(|said| said.ended = Some(Ended { exit_code }));
    }

    async fn hear(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        loop {
            match next_line(&mut output).await {
                Ok(Some(line)) => self.change(|said| {
                    said.seated |= line.starts_with(SEATED);
                    said.lines.push(line);
                }),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// The seat for a page: it plays, or watches. `takes` takes the seat from the page that has it.
    ///
    /// # Errors
    /// If there is no place for it.
    pub(super) fn sit(self: &Arc<Self>, plays: bool, takes: bool) -> Result<PageSeat, NoPlace> {
        let mut said = self.said();
        match plays {
            true if said.playing.is_some() && !takes => return Err(NoPlace::Played),
            false if said.watching == WATCHERS => return Err(NoPlace::Watched),
            _ => {}
        }
        said.pages += 1;
        let page = said.pages;
        match plays {
            true => said.playing = Some(page),
            false => said.watching += 1,
        }
        drop(said);
        self.changed.send_replace(());
        Ok(PageSeat {
            program: self.clone(),
            page,
            plays,
            next: 0,
            changes: self.changed.subscribe(),
        })
    }

    /// Says a command, which a page has sent.
    ///
    /// # Errors
    /// If that page does not play, or the program takes no command.
    pub(super) async fn say(self: &Arc<Self>, page: u64, command: &[u8]) -> Result<(), NotTaken> {
        let (program, line) = (self.clone(), [command, b"\n"].concat());
        // To its end, whether the page waits for that or not: half a line would spoil the next.
        let said = tokio::spawn(async move { program.write(page, &line).await });
        said.await.unwrap_or(Err(NotTaken::Gone))
    }

    async fn write(&self, page: u64, line: &[u8]) -> Result<(), NotTaken> {
        let mut input = self.input.lock().await;
        {
            let said = self.said();
            if said.ended.is_some() {
                return Err(NotTaken::Gone);
            }
            if said.playing != Some(page) {
                return Err(NotTaken::Watches);
            }
        }
        let open = input.as_mut().ok_or(NotTaken::Gone)?;
        match timeout(READS, open.write_all(line)).await {
            Ok(Ok(())) => Ok(()),
            // Half a line may have been written: nothing can be said behind it.
            _ => {
                *input = None;
                Err(NotTaken::Gone)
            }
        }
    }
}

/// A page that gets what a program says. When it is dropped its seat is free.
pub(super) struct PageSeat {
    program: Arc<Program>,
    pub(super) page: u64,
    plays: bool,
    /// The number of the line that comes next.
    next: u64,
    changes: watch::Receiver<()>,
}

impl PageSeat {
    /// Waits for what comes next. None if nothing does: the program has ended, or another page plays.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.changes.mark_unchanged();
            {
                let said = self.program.said();
                if self.plays && said.playing != Some(self.page) {
                    return None;
                }
                if let Some((chunk, next)) = said.lines.from(self.next) {
                    self.next = next;
                    return Some(chunk);
                }
                if said.ended.is_some() {
                    return None;
                }
            }
            self.changes.changed().await.ok()?;
        }
    }
}

impl Drop for PageSeat {
    fn drop(&mut self) {
        self.program.change(|said| match self.plays {
            true => said.playing = said.playing.filter(|&page| page != self.page),
            false => said.watching -= 1,
        });
    }
}

/// The file of this program. Where the system allows it, it is this very file, also when another one has been
/// put in its place since.
fn this_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    match cfg!(target_os = "linux") && running.exists() {
        true => Ok(running),
        false => std::env::current_exe(),
    }
}

/// The next line of a program, with its end. A program that says longer ones is not ours.
async fn next_line(output: &mut BufReader<ChildStdout>) -> io::Result<Option<Bytes>> {
    let mut line = Vec::new();
    output.take(LONGEST).read_until(b'\n', &mut line).await?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line.into())),
        // A program that was killed in the midst of a line has not said it.
        Some(_) => Ok(None),
    }
}
