//! Output fits 80 columns and narrower terminals, is the same on a pipe and in a file, and ends
//! quietly if its reader is gone.
//! Invalid arguments get an explanation.

use crate::common;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::processes::{assert_fits, run};
use common::side::{Side, folders};

#[test]
fn output_fits_80_columns() {
    for line in [
        "demo --game draw",
        "demo --hands 2",
        "config",
        "doctor",
        "identity",
        "peers",
        "history",
        "resume --list",
    ] {
        let finished = run(line);
        let printed = finished.stdout.lines().chain(finished.stderr.lines());
        // The path of a home may have any length.
        let printed = printed.filter(|line| !line.contains("/home"));
        assert_fits(80, &printed.collect::<Vec<_>>().join("\n"), line);
    }
}

#[test]
fn lists_of_matches_and_peers_fit_80_columns() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "1", "--auto"]);
    Side::join(b.path(), &invite, &["--auto"]).finish();
    host.finish();
    for line in [
        "peers",
        "history",
        "history --older-than 3",
        "resume --list",
    ] {
        let output = common::matches::run(a.path(), &line.split(' ').collect::<Vec<_>>());
        assert_fits(80, &String::from_utf8(output.stdout).unwrap(), line);
    }
}

/// The standard output of a command in a terminal of this width.
fn in_columns(columns: &str, folder: &Path, line: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(line.split(' '))
        .env("COLUMNS", columns)
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn demo_and_history_fit_40_columns() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "1", "--auto"]);
    Side::join(b.path(), &invite, &["--auto"]).finish();
    host.finish();
    for line in ["demo --hands 2", "demo --game draw", "history"] {
        let text = in_columns("40", a.path(), line);
        assert!(text.lines().count() > 1, "{line}: {text}");
        assert_fits(40, &text, line);
    }
}

#[test]
fn numbers_of_seats_that_a_game_does_not_have_name_the_range() {
    for (line, range) in [
        ("--seats 11", "holdem is for 2 to 10 players, not 11"),
        ("--seats 1", "holdem is for 2 to 10 players, not 1"),
        ("--seats 0", "holdem is for 2 to 10 players, not 0"),
        ("--seats 6 --game draw", "draw is for 2 to 5 players, not 6"),
        ("--seats 6 --game bridge", "bridge is for 2 players, not 6"),
        ("--seats 3 --game deck", "deck is for 2 players, not 3"),
    ] {
        let refused = run(&format!("host {line}"));
        assert!(refused.stderr.contains(range), "{line}: {}", refused.stderr);
        refused.exits(1);
    }
}

/// All commands with their parent commands, from the names of the manual pages.
fn commands(folder: &Path) -> Vec<String> {
    run(&format!("man -o {}", folder.display()))
        .exits(0)
        .says("pages into");
    let files = fs::read_dir(folder).unwrap();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let names = files.map(|file| name(file.unwrap().path()));
    // Only this command has a hyphen in its name.
    let words = |name: &str| name.replace('-', " ").replace("own sheet", "own-sheet");
    let command = |name: String| words(name.strip_prefix("dealerless").unwrap());
    names.map(|name| command(name).trim().to_owned()).collect()
}

#[test]
fn help_of_every_command_names_its_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands(folder.path());
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let help = run(&format!("{command} --help")).exits(0).stdout;
        let (_, codes) = help
            .split_once("Exit codes: 0 ")
            .unwrap_or_else(|| panic!("{command}: {help}"));
        assert!(codes.contains("1 "), "{command}: {help}");
        // The usage line may be longer.
        let text = help.lines().filter(|line| !line.starts_with("Usage: "));
        assert_fits(80, &text.collect::<Vec<_>>().join("\n"), command);
        let page = folder
            .path()
            .join(format!("dealerless {command}").trim_end().replace(' ', "-") + ".1");
        let page = fs::read_to_string(page).unwrap();
        assert!(
            page.contains(".SH NAME") && page.contains("Exit codes: 0 "),
            "{command}"
        );
    }
    for (command, code) in [
        ("", "141 "),
        ("join", "130 "),
        ("host", "3 "),
        ("verify", "4 "),
        ("audit", "4 "),
        ("circuit compare", "4 "),
        ("circuit run", "2 "),
    ] {
        let help = run(&format!("{command} --help")).exits(0).stdout;
        let (_, codes) = help.split_once("Exit codes: ").unwrap();
        assert!(codes.contains(code), "{command}: {codes}");
    }
}

#[test]
fn dash_writes_to_standard_output() {
    let page = run("man -o -").exits(0).stdout;
    assert_eq!(page, run("man").exits(0).stdout);
    assert!(!Path::new("-").exists());
}

#[cfg(unix)]
#[test]
fn closed_standard_output_ends_the_program_quietly() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "completions bash",
        "demo",
        "demo --json",
        "doctor",
        "history",
        "identity",
        "join --json nobody",
        "man",
        "peers",
        "resume --list",
    ] {
        // The reading end is closed before the program begins.
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_dealerless"))
            .args(line.split_whitespace())
            .env("DEALERLESS_HOME", folder.path().join("home"))
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(141), "{line}: {errors}");
        assert!(
            !errors.contains("error") && !errors.contains("panicked"),
            "{line}: {errors}"
        );
    }
}

#[test]
fn invalid_numbers_get_an_explanation() {
    for (line, sentence) in [
        ("demo --hands -1", "a whole number from 0 to 4294967295"),
        (
            "demo --hands 99999999999",
            "a whole number from 0 to 4294967295",
        ),
        ("demo --hands many", "a whole number in digits"),
        ("host --timeout -1", "seconds above 0"),
        ("history --older-than -3", "a whole number from 0"),
        ("host --stack 1.5", "a whole number in digits"),
        ("join nobody --draw -2", "that is not negative"),
        ("show nobody --hand -1", "a whole number from 0"),
    ] {
        let refused = run(line).exits(1).says(sentence);
        for raw in [
            "invalid digit",
            "is not in",
            "unexpected argument",
            "out of range",
        ] {
            assert!(!refused.stderr.contains(raw), "{line}: {}", refused.stderr);
        }
    }
}

#[test]
fn invalid_address_gets_an_example() {
    for line in [
        "host --listen foo",
        "host --listen 1.2.3.4:99999",
        "host --relay foo",
        "config relay foo",
        "host --advertise foo",
        "join foo",
        "join foo --at foo",
        "doctor --listen foo",
    ] {
        run(line).exits(1).says("HOST:PORT, for example ");
    }
}

#[test]
fn host_sees_why_a_guest_did_not_sit_down() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(
        a.path(),
        &["--game", "deck", "--cards", "20", "--draw", "5"],
    );
    let args = ["--draw", "6", "--auto"];
    let (events, code) = Side::join(b.path(), &invite, &args).finish();
    assert_eq!(code, 1);
    let last = events.last().unwrap()["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        last.contains("you asked for --draw 6, but the host proposes 5"),
        "{last}"
    );
    let notice = loop {
        let notice = host.until("notice")["text"].as_str().unwrap().to_owned();
        if notice.contains("did not sit down") {
            break notice;
        }
    };
    assert!(
        notice.contains("the guest requires another number of cards drawn"),
        "{notice}"
    );
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}")).exits(0).stdout;
        for word in ["circuit", "stats", "four-colours"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    run("completions dos").exits(1).says("bash");
}
