//! The programs behind the page: child processes that run this program with `--json`.

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
use crate::settings::{PageSettings, Settings};
use crate::table::FolderArgs;

/// The maximum length of a line of output, in bytes. A turn with 100 open boards takes 40 kB.
const LONGEST: u64 = 4 << 20;
/// How long a program may continue after its input is closed, and again after its output is no
/// longer read, before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// Timeout for a program to read a command.
const READS: Duration = Duration::from_secs(5);
/// Timeout for a command that waits for the folder. A match that is over takes a moment to end, and
/// the commands for a lobby run one after another.
const TURN: Duration = Duration::from_secs(5);
/// The maximum number of pages that watch. A browser opens at most 6 connections to a server, for
/// all its pages together.
const WATCHERS: usize = 3;

/// The error if the program behind the page cannot be started.
pub(super) const CANNOT_START: &str = "cannot start the program: if its file was moved or replaced, end this program and start \
                                       it again";

/// The options that each program of the page gets: the folder and the name of the player.
#[derive(Clone)]
pub(super) struct ProgramArgs {
    folder: FolderArgs,
    name: Option<String>,
}

/// A program to start.
#[derive(Debug, PartialEq)]
pub(super) struct Start {
    pub(super) args: Vec<OsString>,
    /// The first line of its input. Other users of this machine can read arguments.
    pub(super) first_line: Option<String>,
}

impl ProgramArgs {
    pub(super) fn new(folder: &FolderArgs, name: Option<&str>) -> Self {
        ProgramArgs {
            folder: folder.clone(),
            name: name.map(str::to_owned),
        }
    }

    /// The stored settings of the page.
    ///
    /// # Errors
    /// If the settings of the folder cannot be read.
    pub(super) fn kept(&self) -> anyhow::Result<PageSettings> {
        Ok(Settings::read(&self.folder.folder()?)?.table)
    }

    /// Stores settings of the page. Settings that `new` does not contain stay.
    ///
    /// # Errors
    /// If the settings of the folder cannot be read or written.
    pub(super) fn keep(&self, new: PageSettings) -> anyhow::Result<()> {
        let change = |settings: &mut Settings| {
            settings.table.replace(new);
            Ok(true)
        };
        Settings::change(&self.folder.folder()?, change).map(drop)
    }

    /// The options of a command that does not play.
    pub(super) fn folder(&self) -> Vec<OsString> {
        self.folder.again()
    }

    /// The options of a command that plays, with another name if one is given.
    pub(super) fn player(&self, name: Option<&str>) -> Vec<OsString> {
        let name = name.or(self.name()).map(|name| format!("--name={name}"));
        let name = name.map(OsString::from);
        self.folder().into_iter().chain(name).collect()
    }

    /// The name from the command line.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// Another program uses the folder.
#[derive(Debug, thiserror::Error)]
#[error("a match is being played or waited for: end it first")]
pub(super) struct Busy;

/// The reason why a page gets no lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoPlace {
    #[error("another page is playing")]
    Played,
    #[error("{WATCHERS} pages are already watching: close one of them")]
    Watched,
}

/// The reason why a command was not accepted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotTaken {
    #[error("this page is not playing")]
    Watches,
    #[error("the program has ended, or no longer accepts commands")]
    Gone,
}

/// The programs that are started for the page, one after another.
pub(super) struct Programs {
    pub(super) own: ProgramArgs,
    this: PathBuf,
    /// Held while a command uses the folder, and while a program that plays starts.
    folder: tokio::sync::Mutex<()>,
    last: Mutex<Option<Arc<Program>>>,
}

/// A program that plays.
pub(super) struct Program {
    number: u64,
    /// The subcommand: `host`, `join` or `resume`.
    subcommand: String,
    transcript: Mutex<Transcript>,
    changed: watch::Sender<()>,
    input: tokio::sync::Mutex<Option<ChildStdin>>,
    end: Notify,
}

/// The output of a program, and the pages that read it.
#[derive(Default)]
struct Transcript {
    lines: Lines,
    /// Whether two players have sat down, so that there is a match that can be resumed.
    seated: bool,
    ended: Option<Ended>,
    /// The page that plays.
    playing: Option<u64>,
    watching: usize,
    /// The number of pages so far.
    pages: u64,
}

/// The end of a program.
#[derive(Clone, Copy)]
struct Ended {
    exit_code: Option<i32>,
}

/// The state of the last program, for a page.
#[derive(Serialize)]
pub(super) struct State {
    number: u64,
    command: String,
    running: bool,
    played: bool,
    exit_code: Option<i32>,
    /// Whether the program was ended by a signal.
    by_signal: bool,
}

impl Programs {
    /// # Errors
    /// If the file of this program cannot be found.
    pub(super) fn new(own: ProgramArgs) -> anyhow::Result<Self> {
        Ok(Programs {
            own,
            this: this_program().context("cannot find the file of this program")?,
            folder: tokio::sync::Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// Waits until no other program uses the folder, and locks it until the guard is dropped.
    ///
    /// # Errors
    /// [`Busy`], if the wait takes longer than [`TURN`].
    pub(super) async fn turn(&self) -> Result<tokio::sync::MutexGuard<'_, ()>, Busy> {
        let turn = async {
            let turn = self.folder.lock().await;
            self.until_ended().await;
            turn
        };
        timeout(TURN, turn).await.map_err(|_| Busy)
    }

    /// Waits until the last program has ended.
    async fn until_ended(&self) {
        let Some(last) = self.last() else {
            return;
        };
        let mut changes = last.changed.subscribe();
        while last.runs() && changes.changed().await.is_ok() {}
    }

    fn last_one(&self) -> MutexGuard<'_, Option<Arc<Program>>> {
        // Every change is a single assignment.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program that was started last.
    pub(super) fn last(&self) -> Option<Arc<Program>> {
        self.last_one().clone()
    }

    /// This program with other arguments, in a separate process.
    pub(super) fn process(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(&self.this);
        command.args(args).kill_on_drop(true);
        command
    }

    /// Starts a program that plays. Returns its number.
    ///
    /// # Errors
    /// [`Busy`], or that the program cannot be started.
    pub(super) async fn start(&self, Start { args, first_line }: Start) -> anyhow::Result<u64> {
        let _turn = self.turn().await?;
        let mut child = self
            .process(&args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(CANNOT_START)?;
        let output = child.stdout.take().context("the program has no output")?;
        let mut input = child.stdin.take().context("the program has no input")?;
        if let Some(line) = first_line {
            let line = line + "\n";
            let written = timeout(READS, input.write_all(line.as_bytes())).await;
            match written.context(CANNOT_START)? {
                // The program has ended, and its output says why.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                written => written.context(CANNOT_START)?,
            }
        }
        let mut last = self.last_one();
        let number = last.as_ref().map_or(0, |last| last.number) + 1;
        let subcommand = args.first().map(|arg| arg.to_string_lossy().into_owned());
        let program = Arc::new(Program {
            number,
            subcommand: subcommand.unwrap_or_default(),
            transcript: Mutex::default(),
            changed: watch::Sender::new(()),
            input: tokio::sync::Mutex::new(Some(input)),
            end: Notify::new(),
        });
        tokio::spawn(program.clone().attend(child, output));
        *last = Some(program);
        Ok(number)
    }

    /// Ends the running program, if there is one, and waits until it has ended.
    pub(super) async fn end(&self) {
        let Some(last) = self.last() else {
            return;
        };
        last.end.notify_one();
        // The program is killed before this timeout.
        let _ = timeout(3 * GRACE, self.until_ended()).await;
    }
}

impl Program {
    fn transcript(&self) -> MutexGuard<'_, Transcript> {
        // Every change leaves the value consistent.
        self.transcript
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state that pages see, and notifies them.
    fn change(&self, change: impl FnOnce(&mut Transcript)) {
        change(&mut self.transcript());
        self.changed.send_replace(());
    }

    fn runs(&self) -> bool {
        self.transcript().ended.is_none()
    }

    /// Whether the user has ended the program during a match, here or in the terminal.
    pub(super) fn was_broken_off(&self) -> bool {
        let transcript = self.transcript();
        let ended = transcript.ended.and_then(|ended| ended.exit_code);
        transcript.seated && ended == Some(BROKEN_OFF.into())
    }

    /// The state for a page.
    pub(super) fn state(&self) -> State {
        let transcript = self.transcript();
        State {
            number: self.number,
            command: self.subcommand.clone(),
            running: transcript.ended.is_none(),
            played: transcript.playing.is_some(),
            exit_code: transcript.ended.and_then(|ended| ended.exit_code),
            by_signal: transcript
                .ended
                .is_some_and(|ended| ended.exit_code.is_none()),
        }
    }

    /// Reads the output of the program until the output ends or the program is asked to end. Then
    /// waits for the process to exit, or kills it.
    async fn attend(self: Arc<Self>, mut child: Child, output: ChildStdout) {
        let is_to_end = async {
            self.end.notified().await;
            // The program breaks off when its input ends.
            *self.input.lock().await = None;
            sleep(GRACE).await;
        };
        let hangs = tokio::select! {
            () = self.read_output(output) => false,
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
        // A program that was asked to end but had to be killed counts as ended by its user.
        let exit_code = exit_code.or(hangs.then_some(BROKEN_OFF.into()));
        self.change(|transcript| transcript.ended = Some(Ended { exit_code }));
    }

    async fn read_output(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        loop {
            match next_line(&mut output).await {
                Ok(Some(line)) => self.change(|transcript| {
                    transcript.seated |= line.starts_with(SEATED);
                    transcript.lines.push(line);
                }),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// A seat for a page, which plays or watches. If `takes`, a page that plays already loses its
    /// seat.
    ///
    /// # Errors
    /// If no seat is free.
    pub(super) fn sit(self: &Arc<Self>, plays: bool, takes: bool) -> Result<PageSeat, NoPlace> {
        let mut transcript = self.transcript();
        match plays {
            true if transcript.playing.is_some() && !takes => return Err(NoPlace::Played),
            false if transcript.watching == WATCHERS => return Err(NoPlace::Watched),
            _ => {}
        }
        transcript.pages += 1;
        let page = transcript.pages;
        if plays {
            transcript.playing = Some(page)
        } else {
            transcript.watching += 1
        }
        drop(transcript);
        self.changed.send_replace(());
        Ok(PageSeat {
            program: self.clone(),
            page,
            plays,
            next: 0,
            changes: self.changed.subscribe(),
        })
    }

    /// Sends a command from a page to the program.
    ///
    /// # Errors
    /// If `page` is not playing, or the program does not accept commands.
    pub(super) async fn send(self: &Arc<Self>, page: u64, command: &[u8]) -> Result<(), NotTaken> {
        let (program, line) = (self.clone(), [command, b"\n"].concat());
        // This task runs to its end even if the page disconnects: half a line would corrupt the
        // next line.
        let written = tokio::spawn(async move { program.write(page, &line).await });
        written.await.unwrap_or(Err(NotTaken::Gone))
    }

    async fn write(&self, page: u64, line: &[u8]) -> Result<(), NotTaken> {
        let mut input = self.input.lock().await;
        {
            let transcript = self.transcript();
            if transcript.ended.is_some() {
                return Err(NotTaken::Gone);
            }
            if transcript.playing != Some(page) {
                return Err(NotTaken::Watches);
            }
        }
        let open = input.as_mut().ok_or(NotTaken::Gone)?;
        match timeout(READS, open.write_all(line)).await {
            Ok(Ok(())) => Ok(()),
            // Half a line may have been written, so no other line can follow.
            _ => {
                *input = None;
                Err(NotTaken::Gone)
            }
        }
    }
}

/// A page that receives the output of a program. Dropping it releases the seat.
pub(super) struct PageSeat {
    program: Arc<Program>,
    pub(super) page: u64,
    plays: bool,
    /// The number of the next line.
    next: u64,
    changes: watch::Receiver<()>,
}

impl PageSeat {
    /// Waits for the next lines. Returns `None` when the program has ended or another page plays.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.changes.mark_unchanged();
            {
                let transcript = self.program.transcript();
                if self.plays && transcript.playing != Some(self.page) {
                    return None;
                }
                if let Some((chunk, next)) = transcript.lines.from(self.next) {
                    self.next = next;
                    return Some(chunk);
                }
                if transcript.ended.is_some() {
                    return None;
                }
            }
            self.changes.changed().await.ok()?;
        }
    }
}

impl Drop for PageSeat {
    fn drop(&mut self) {
        self.program.change(|transcript| {
            if self.plays {
                transcript.playing = transcript.playing.filter(|&page| page != self.page)
            } else {
                transcript.watching -= 1
            }
        });
    }
}

/// The path of this program. On Linux the path leads to the running file, even after another file
/// has replaced it.
fn this_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        Ok(running)
    } else {
        std::env::current_exe()
    }
}

/// The next line of a program, with its line ending. Returns `None` at the end of the output, and
/// for a line that is longer than any line of this program.
async fn next_line(output: &mut BufReader<ChildStdout>) -> io::Result<Option<Bytes>> {
    let mut line = Vec::new();
    output.take(LONGEST).read_until(b'\n', &mut line).await?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line.into())),
        // The program was killed in the middle of this line, or the line is too long.
        Some(_) => Ok(None),
    }
}
