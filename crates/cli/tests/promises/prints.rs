//! Output fits 80 columns and narrower terminals, is the same on a pipe and in a file, and ends
//! quietly if its reader is gone.
//! Invalid arguments get an explanation.

use crate::common;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unicode_width::UnicodeWidthStr;

use common::processes::{Finished, PATIENT, start, start_run};
use common::side::{Side, folders};

fn run(line: &str) -> Finished {
    start(line.split_whitespace()).finish()
}

#[track_caller]
fn assert_fits(text: &str, line: &str) {
    assert_fits_in(80, text, line);
}

#[track_caller]
fn assert_fits_in(columns: usize, text: &str, line: &str) {
    for printed in text.lines() {
        let width = printed.width();
        assert!(width <= columns, "{line}: {width} columns: {printed}");
    }
}

/// Writes netlists of x AND y, and of x XOR y.
fn netlists(folder: &Path) -> [String; 2] {
    ["AND", "XOR"].map(|gate| {
        let path = folder.join(format!("a-name-that-is-longer-than-a-column-{gate}.txt"));
        fs::write(&path, format!("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 {gate}\n")).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn tables_fit_80_columns_and_name_omitted_columns() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = netlists(folder.path());
    for line in [
        "circuit stats",
        "circuit stats --draw 5,9,20,26,52",
        "circuit stats --cards 52,129 --draw 52 --comparison",
        "circuit stats --cards 1024 --draw 9,99 --algorithm cut,waksman",
        &format!("circuit stats {a} {b} --draw 9 --algorithm auto"),
        &format!("circuit compare {a} {b}"),
        &format!("circuit optimise {a} -o {a}.txt"),
        "bench --cards 52 --draw 9 --rounds 1",
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
        let names = finished.stdout.lines().chain(finished.stderr.lines());
        // The path of a file may have any length.
        let names = names.filter(|line| !line.contains(folder.path().to_str().unwrap()));
        let names = names.filter(|line| !line.contains("/home"));
        assert_fits(&names.collect::<Vec<_>>().join("\n"), line);
    }
    let cut = run("circuit stats --draw 5,9,20,26,52").exits(0).stdout;
    assert!(
        cut.contains("Omitted to fit 80 columns: gates, NOT, outputs"),
        "{cut}"
    );
    assert!(
        cut.replace('\n', " ").contains("--csv and --json include"),
        "{cut}"
    );
    let header = cut.lines().next().unwrap();
    assert!(!header.contains("outputs"), "{cut}");
    assert!(header.contains("joint"), "{cut}");
    let one = run("circuit stats --draw 5 --algorithm cut")
        .exits(0)
        .stdout;
    assert!(
        one.contains("Omitted to fit 80 columns: gates, NOT. "),
        "{one}"
    );
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
        assert_fits(&String::from_utf8(output.stdout).unwrap(), line);
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
fn demo_history_and_stats_fit_40_columns() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "1", "--auto"]);
    Side::join(b.path(), &invite, &["--auto"]).finish();
    host.finish();
    let [and, xor] = netlists(a.path());
    for line in [
        "demo --hands 2",
        "demo --game draw",
        "history",
        "circuit stats",
        "circuit stats --draw 5,9 --comparison",
        &format!("circuit stats {and} {xor} --draw 9"),
    ] {
        let text = in_columns("40", a.path(), line);
        assert!(text.lines().count() > 1, "{line}: {text}");
        assert_fits_in(40, &text, line);
    }
    let stats = in_columns("40", a.path(), "circuit stats");
    assert!(stats.contains("Omitted to fit 40 columns:"), "{stats}");
    let [one, usual] = ["20", "80"].map(|columns| in_columns(columns, a.path(), "circuit stats"));
    assert_fits_in(20, &one, "circuit stats");
    for columns in ["200", "0", "wide", ""] {
        assert_eq!(in_columns(columns, a.path(), "circuit stats"), usual);
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
        assert_fits(&text.collect::<Vec<_>>().join("\n"), command);
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
    let folder = tempfile::tempdir().unwrap();
    let [a, _] = netlists(folder.path());
    let file = folder.path().join("written");
    for line in [
        "circuit export --algorithm cut --cards 5 --draw 2",
        "circuit plot --cards 9",
        &format!("circuit optimise {a}"),
    ] {
        let printed = run(&format!("{line} -o -")).exits(0).stdout;
        run(&format!("{line} -o {}", file.display())).exits(0);
        assert_eq!(fs::read_to_string(&file).unwrap(), printed, "{line}");
        run(&format!("{line} -o - --json")).exits(1).says("--json");
    }
    let page = run("man -o -").exits(0).stdout;
    assert_eq!(page, run("man").exits(0).stdout);
    assert!(!Path::new("-").exists());
}

#[cfg(unix)]
#[test]
fn closed_standard_output_ends_the_program_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = netlists(folder.path());
    for line in [
        "circuit stats",
        "circuit stats --json",
        "circuit stats --draw 1..9 --csv",
        "circuit export --algorithm bubble --cards 52 --draw 9",
        "circuit export --algorithm bubble --cards 52 --draw 9 -o -",
        "circuit plot --cards 9",
        &format!("circuit compare {a} {b}"),
        &format!("circuit evaluate {a} --input 1,1"),
        &format!("circuit optimise {a} -o -"),
        &format!("circuit run {a} --garbler 1 --evaluator 1"),
        "completions bash",
        "demo",
        "demo --json",
        "bench --cards 5 --draw 2 --rounds 1",
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
        ("circuit stats --cards -5", "expected numbers and ranges"),
        ("circuit stats --draw 1e9", "expected numbers and ranges"),
        ("circuit stats --cards 99999999999", "a deck has at most"),
        (
            "circuit export --algorithm cut --cards -5 --draw 2",
            "that is not negative",
        ),
        (
            "circuit export --algorithm cut --cards 5 --draw 1e9",
            "a whole number in digits",
        ),
        (
            "circuit export --algorithm cut --cards 5 --draw 99999999999999999999",
            "too large",
        ),
        ("bench --rounds 0", "a whole number from 1"),
        ("bench --pool 99999999999", "a whole number from 1"),
        ("bench --pool -1", "a whole number from 1"),
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
        ("circuit plot --cards -5", "expected numbers and ranges"),
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
        "circuit run x.txt --connect foo",
        "circuit run x.txt --listen foo",
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
fn both_sides_of_a_run_report_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = netlists(folder.path());
    let one = ["--garbler", "1"];
    for (mine, theirs, [here, there]) in [
        (
            vec![&a[..]],
            vec![&b[..]],
            ["the peer has a different netlist, with digest"; 2],
        ),
        (
            vec![&a, "--owner", "g,e"],
            vec![&a, "--owner", "e,g"],
            ["the peer has different owners of the inputs"; 2],
        ),
        (
            vec![&a],
            vec![&a, "--security", "semi-honest"],
            ["the peer wants semi-honest", "the peer wants malicious"],
        ),
    ] {
        let (near, address) = start_run(&[&mine[..], &one, &["--timeout", PATIENT]].concat());
        let address = address.to_string();
        let far = ["circuit", "run", "--evaluator", "1", "--connect", &address];
        start([&far[..], &theirs].concat())
            .finish()
            .exits(2)
            .says(there);
        near.finish().exits(2).says(here);
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
