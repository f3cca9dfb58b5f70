//! The program `dealerless` in processes of its own, none of which a test waits for in vain.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// No test process lasts longer.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Long enough for an honest peer on a busy machine, where nobody is expected to time out.
pub const PATIENT: &str = "30";

/// A deadline for the tests in which somebody does.
pub const SHORT: &str = "1";

/// A process that runs.
pub struct Running {
    child: Child,
    stdout: Stream,
    stderr: Stream,
    begun: Instant,
}

/// What a process writes, read by a thread so that it never waits for the test.
struct Stream {
    lines: Receiver<String>,
    /// The lines that the test has looked at.
    read: String,
}

/// A process that has ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code; absent if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// Starts the program.
pub fn start<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(args)
        // A folder of the user is no business of a test.
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

/// Starts `circuit run` with a free port to listen on, and gives its address.
pub fn start_run(args: &[&str]) -> (Running, SocketAddr) {
    let listen = ["circuit", "run", "--json", "--listen", "127.0.0.1:0"];
    let mut side = start([&listen, args].concat());
    let address = side.says_where();
    (side, address)
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
        let line = self.lines.recv_timeout(LIMIT).expect("one more line");
        self.read.push_str(&line);
        line
    }

    /// Everything, once the process has ended.
    fn all(self) -> String {
        self.lines.iter().fold(self.read, |all, line| all + &line)
    }
}

impl Running {
    /// Waits until it says on which address it listens.
    pub fn says_where(&mut self) -> SocketAddr {
        loop {
            let line = self.stderr.line();
            if let Some(address) = line.strip_prefix("Listening on ") {
                let address = address.trim_end().trim_end_matches('.');
                return address.parse().expect("an address and port");
            }
        }
    }

    /// Sends it a signal by its name, such as INT.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// If there is none within [`LIMIT`], in which case the process is ended; or if it panicked.
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
    /// The lines of JSON that it printed.
    pub fn events(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).expect("a line of JSON");
        self.stdout.lines().map(parse).collect()
    }

    /// The one JSON object that it printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON objects that it printed, one a line.
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

    /// Asserts that standard error says `text`.
    pub fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "not {text:?} in {self:?}");
        self
    }
}
