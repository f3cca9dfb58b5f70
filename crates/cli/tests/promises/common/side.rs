//! The program as one side of a table, controlled by JSON.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::processes::LIMIT;

/// One side of a table.
pub struct Side {
    pub child: Child,
    pub input: Option<ChildStdin>,
    /// The output lines, read by a thread so that the process never blocks.
    output: Receiver<String>,
    begun: Instant,
}

impl Side {
    /// Starts the program with this folder as its home.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        Side::start_program(Path::new(env!("CARGO_BIN_EXE_dealerless")), folder, args)
    }

    /// Starts the program at this path.
    pub fn start_program(program: &Path, folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(args)
            .env("DEALERLESS_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Side {
            input: child.stdin.take(),
            output: lines(child.stdout.take().expect("piped")),
            child,
            begun: Instant::now(),
        }
    }

    /// Starts a host. Returns the host and its invite.
    pub fn host(folder: &Path, args: &[&str]) -> (Self, String) {
        let listen = [
            "host",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--name",
            "Anna",
        ];
        let mut host = Side::start(folder, &[&listen, args].concat());
        let invite = host.event();
        assert_eq!(
            (&invite["event"], &invite["version"]),
            (&json!("invite"), &json!(2))
        );
        let invite = invite["invite"].as_str().expect("an invite").to_owned();
        (host, invite)
    }

    /// Starts a guest that accepts any terms.
    pub fn join(folder: &Path, whom: &str, args: &[&str]) -> Self {
        let join = ["join", whom, "--json", "--yes", "--name", "Bert"];
        Side::start(folder, &[&join, args].concat())
    }

    /// The next event. A program that waits for ever may still print an event from time to time.
    pub fn event(&mut self) -> Value {
        assert!(self.begun.elapsed() < 2 * LIMIT, "the program does not end");
        let line = self
            .output
            .recv_timeout(LIMIT)
            .expect("no further line in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The next event of this kind.
    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event();
            if event["event"] == kind {
                return event;
            }
        }
    }

    /// The events up to the second event of this kind.
    pub fn up_to(&mut self, kind: &str) -> Vec<Value> {
        let mut events = Vec::new();
        while of_kind(&events, kind).len() < 2 {
            events.push(self.event());
        }
        events
    }

    /// Sends a command.
    pub fn say(&mut self, command: &Value) {
        self.type_line(&command.to_string());
    }

    /// Sends a line.
    pub fn type_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").expect("the program reads its input");
    }

    /// Sends a signal to the process by name, such as INT.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("cannot run kill").success());
    }

    /// Kills the process. Returns the printed events that were not read before.
    pub fn kill(mut self) -> Vec<Value> {
        self.child.kill().expect("a running process");
        let mut events = Vec::new();
        for line in &self.output {
            // The last line may be incomplete.
            events.extend(serde_json::from_str::<Value>(&line));
        }
        events
    }

    /// Waits until the process has ended. Returns the remaining events and the exit code.
    pub fn finish(mut self) -> (Vec<Value>, i32) {
        let mut events = Vec::new();
        loop {
            match self.output.recv_timeout(LIMIT) {
                Ok(line) => events.push(serde_json::from_str(&line).expect("JSON")),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no further event in time: {:?}", events.last())
                }
            }
        }
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (events, status.code().expect("no signal"));
            }
            assert!(begun.elapsed() < LIMIT, "the process hangs");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Reads the lines of a process in a thread.
pub fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

impl Drop for Side {
    fn drop(&mut self) {
        // This fails if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Two temporary folders.
pub fn folders() -> [tempfile::TempDir; 2] {
    [(); 2].map(|()| tempfile::tempdir().expect("a folder"))
}

/// The events of a kind, without their sentences, which depend on the reader.
pub fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
    let found = events.iter().filter(|event| event["event"] == kind);
    let mut found: Vec<Value> = found.cloned().collect();
    for event in &mut found {
        event
            .as_object_mut()
            .expect("an object")
            .remove("sentences");
    }
    found
}
