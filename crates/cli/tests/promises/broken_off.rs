//! A long match between two programs that are killed at random, again and again.
//!
//! `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-cli --test promises broken_off --
//! --nocapture` plays 1,000 hands with 200 kills.
#![cfg(unix)]

use crate::common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::matches::file;
use common::processes::LIMIT;
use common::processes::free_address;
use common::side::folders;
use dealerless::testing::soak::soak;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

/// A bot whose output goes to files.
struct Bot {
    folder: PathBuf,
    resume: Vec<String>,
    child: Child,
    /// The number of results that the bot had printed when it was last killed.
    results: usize,
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let output = |name: &str| {
        let mut options = File::options();
        let file = options.append(true).create(true).open(folder.join(name));
        Stdio::from(file.expect("a file"))
    };
    Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(arguments)
        .args(["--json", "--auto"])
        .env("DEALERLESS_HOME", folder)
        .stdin(Stdio::null())
        .stdout(output("events"))
        .stderr(output("errors"))
        .spawn()
        .expect("the program starts")
}

impl Bot {
    fn new(folder: &Path, arguments: &[&str], resume: &[&str]) -> Self {
        Bot {
            folder: folder.to_owned(),
            resume: resume.iter().map(|&argument| argument.to_owned()).collect(),
            child: start(folder, arguments),
            results: 0,
        }
    }

    /// Kills the program and starts it again.
    fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
        let arguments: Vec<&str> = self.resume.iter().map(String::as_str).collect();
        self.child = start(&self.folder, &arguments);
    }

    /// The exit code, if the program has ended.
    fn code(&mut self) -> Option<i32> {
        let status = self.child.try_wait().expect("a child")?;
        Some(status.code().expect("not ended by a signal"))
    }

    /// The events that all processes of this bot have printed.
    fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.join("events")).unwrap();
        // The kill of a process may have cut off its last line.
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        lines.collect()
    }

    fn log(&self) -> String {
        let log = file(&self.folder, "log");
        log.expect("a match").display().to_string()
    }
}

fn invite(folder: &Path) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(folder.join("events")).unwrap_or_default();
        if let Some(line) = text.lines().next().filter(|_| text.contains('\n')) {
            let event: Value = serde_json::from_str(line).unwrap();
            return event["invite"].as_str().unwrap().to_owned();
        }
        assert!(begun.elapsed() < LIMIT);
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn no_hand_is_lost_after_repeated_kills() {
    let hands = soak().unwrap_or(20);
    let kills = (hands / 5).max(3);
    let mut rng = StdRng::seed_from_u64(hands as u64);
    let [a, b] = folders();
    let at = free_address();
    let (count, stack) = (hands.to_string(), "100000");
    let host = ["host", "--listen", &at, "--hands", &count, "--stack", stack];
    let mut host = Bot::new(a.path(), &host, &["resume", "--listen", &at]);
    let invite = invite(a.path());
    let guest = ["join", &invite, "--hands", &count];
    let mut guest = Bot::new(b.path(), &guest, &["resume", "--at", &at]);

    let (mut killed, mut furthest, mut since) = (0, 0, Instant::now());
    loop {
        let codes = [host.code(), guest.code()];
        if let [Some(one), Some(other)] = codes {
            assert_eq!([one, other], [0, 0]);
            break;
        }
        assert!(since.elapsed() < LIMIT, "the match hangs: {codes:?}");
        thread::sleep(Duration::from_millis(rng.random_range(5..250)));
        let bot = if rng.random() { &mut host } else { &mut guest };
        let events = bot.events();
        let count = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
        let (results, over) = (count("result"), count("over") > 0);
        if results > furthest {
            (furthest, since) = (results, Instant::now());
        }
        // A program that has printed `over` is not killed. Other programs are killed at most once
        // per hand, because a bot gives up after eight failed attempts in a row.
        let plays = bot.code().is_none() && !over && results > bot.results;
        // The kills are spread over the match. The last kill comes some hands before its end.
        if killed < kills && plays && results * kills * 10 >= killed * hands * 9 {
            bot.results = results;
            bot.kill();
            killed += 1;
        }
    }
    let logs = [host.log(), guest.log()];
    let verified = read(&["verify", "--json", &logs[0], &logs[1]]);
    let record = &verified["records"][0]["record"];
    assert_eq!(record["hands"].as_u64(), Some(hands as u64), "{record}");
    let chips: u64 = record["stacks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_u64)
        .sum();
    let bought: u64 = record["bought"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(chips, bought);
    let shown = read(&["show", "--json", &logs[0]]);
    let tries = |hand: &Value| hand["voided"].as_array().unwrap().len();
    let void: usize = shown["hands"].as_array().unwrap().iter().map(tries).sum();
    println!(
        "{hands} hands, killed {killed} times, {void} tries void; {}",
        record["message"]
    );
    assert!(killed > 0 && killed >= kills / 2);
}

/// The JSON that the program prints about records.
fn read(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dealerless"));
    // A test must not use the user's folder.
    let home = concat!(env!("CARGO_TARGET_TMPDIR"), "/home");
    command.args(arguments).env("DEALERLESS_HOME", home);
    let printed = command.output().unwrap();
    assert!(printed.status.success(), "{printed:?}");
    serde_json::from_slice(&printed.stdout).unwrap()
}
