//! Runs the program under test as a child process, with a time limit.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::PROGRAM;

/// The limit for everything that must happen, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(300);

/// A timeout in seconds that is long enough for an honest peer on a busy machine.
pub const PATIENT: &str = "200";

/// A timeout in seconds for tests that expect it to expire. Another program can start before that.
pub const SHORT: &str = "5";

/// A running process.
pub struct Running {
    child: Child,
    stdout: Stream,
    stderr: Stream,
    begun: Instant,
}

/// An output of a process, read by a thread so that the process never blocks.
struct Stream {
    lines: Receiver<String>,
    /// The lines that the test has read.
    read: String,
}

/// A finished process.
#[derive(Debug)]
pub struct Finished {
    /// The exit code; `None` if a signal ended the process.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// Starts the program.
pub fn start<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Running {
    start_in(Path::new("."), args)
}

/// Starts the program in a folder.
pub fn start_in<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Running {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .current_dir(folder)
        // A test must not use the user's folder.
        .env(
            "DEALERLESS_HOME",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/home"),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    Running {
        stdout: Stream::of(child.stdout.take().expect("piped")),
        stderr: Stream::of(child.stderr.take().expect("piped")),
        child,
        begun: Instant::now(),
    }
}

/// Runs the program to its end, with the arguments in `line`.
pub fn run(line: &str) -> Finished {
    start(line.split_whitespace()).finish()
}

/// Asserts that no line of the output of a command is wider than `columns`.
#[track_caller]
pub fn assert_fits(columns: usize, output: &str, line: &str) {
    for printed in output.lines() {
        let width = printed.width();
        assert!(width <= columns, "{line}: {width} columns: {printed}");
    }
}

/// Starts `circuit run` with a free port to listen on, and returns its address.
pub fn start_run(args: &[&str]) -> (Running, SocketAddr) {
    let listen = ["circuit", "run", "--json", "--listen", "127.0.0.1:0"];
    let mut side = start([&listen, args].concat());
    let address = side.listening_address();
    (side, address)
}

/// An address for a program that must come back to the same address. Its port is free and below the
/// range of ephemeral ports, and no other test of this process gets it.
pub fn free_address() -> String {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Other processes that run tests start elsewhere.
    let first = std::process::id().wrapping_mul(100);
    loop {
        let next = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let address = format!("127.0.0.1:{}", 15_000 + next % 17_000);
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

impl Stream {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).expect("UTF-8") == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Stream {
            lines,
            read: String::new(),
        }
    }

    /// Waits for the next line.
    fn line(&mut self) -> String {
        let line = self
            .lines
            .recv_timeout(LIMIT)
            .expect("no further line in time");
        self.read.push_str(&line);
        line
    }

    /// All output, once the process has ended.
    fn all(self) -> String {
        self.lines.iter().fold(self.read, |all, line| all + &line)
    }
}

impl Running {
    /// Waits for the printed address on which the process listens.
    pub fn listening_address(&mut self) -> SocketAddr {
        loop {
            let line = self.stderr.line();
            if let Some(address) = line.strip_prefix("Listening on ") {
                let address = address.trim_end().trim_end_matches('.');
                return address.parse().expect("an address and port");
            }
        }
    }

    /// Waits for a line on standard error that contains a text, and returns it.
    pub fn message_with(&mut self, text: &str) -> String {
        loop {
            let line = self.stderr.line();
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Sends a signal to the process by name, such as INT.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits until the process handles Ctrl-C; on Linux only.
    pub fn handles_interrupts(self) -> Self {
        let status = format!("/proc/{}/status", self.child.id());
        let handles = || -> Option<bool> {
            let text = std::fs::read_to_string(&status).expect("a running process");
            let line = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
            let caught = u64::from_str_radix(line.trim(), 16).ok()?;
            // The bit of signal 2, which is the second one.
            Some(caught >> 1 & 1 == 1)
        };
        while handles() != Some(true) {
            assert!(self.begun.elapsed() < LIMIT, "no handler of signals");
            thread::sleep(Duration::from_millis(2));
        }
        self
    }

    /// Waits until the process has ended.
    ///
    /// # Panics
    /// If the process has not ended within [`LIMIT`], or if it panicked.
    pub fn finish(mut self) -> Finished {
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if self.begun.elapsed() > LIMIT {
                self.child.kill().expect("a child");
                panic!("the process hangs");
            }
            thread::sleep(Duration::from_millis(2));
        };
        let finished = Finished {
            code: status.code(),
            took: self.begun.elapsed(),
            stdout: self.stdout.all(),
            stderr: self.stderr.all(),
        };
        assert!(!finished.stderr.contains("panicked"), "{finished:?}");
        finished
    }
}

impl Finished {
    /// The single JSON object that the process printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON objects that the process printed, one per line.
    pub fn json_lines(&self) -> Vec<Value> {
        let object =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        self.stdout.lines().map(object).collect()
    }

    /// Asserts the exit code.
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Asserts that standard error contains `text`.
    pub fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "{text:?} is missing in {self:?}"
        );
        self
    }
}
