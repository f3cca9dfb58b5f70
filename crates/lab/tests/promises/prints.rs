//! Output fits 80 columns and narrower terminals, is the same on a pipe and in a file, and ends
//! quietly if its reader is gone.
//! Invalid arguments get an explanation.

use std::fs;
#[cfg(unix)]
use std::io;
use std::path::Path;
use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;

use crate::common::PROGRAM;
use crate::common::processes::{PATIENT, assert_fits, run, start, start_run};

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
    ] {
        let finished = run(line);
        let printed = finished.stdout.lines().chain(finished.stderr.lines());
        // The path of a file may have any length.
        let printed = printed.filter(|line| !line.contains(folder.path().to_str().unwrap()));
        assert_fits(80, &printed.collect::<Vec<_>>().join("\n"), line);
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

/// The standard output of a command in a terminal of this width.
fn in_columns(columns: &str, line: &str) -> String {
    let output = Command::new(PROGRAM)
        .args(line.split(' '))
        .env("COLUMNS", columns)
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn stats_fit_40_columns() {
    let folder = tempfile::tempdir().unwrap();
    let [and, xor] = netlists(folder.path());
    for line in [
        "circuit stats",
        "circuit stats --draw 5,9 --comparison",
        &format!("circuit stats {and} {xor} --draw 9"),
    ] {
        let text = in_columns("40", line);
        assert!(text.lines().count() > 1, "{line}: {text}");
        assert_fits(40, &text, line);
    }
    let stats = in_columns("40", "circuit stats");
    assert!(stats.contains("Omitted to fit 40 columns:"), "{stats}");
    let [one, usual] = ["20", "80"].map(|columns| in_columns(columns, "circuit stats"));
    assert_fits(20, &one, "circuit stats");
    for columns in ["200", "0", "wide", ""] {
        assert_eq!(in_columns(columns, "circuit stats"), usual);
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
        "bench --cards 5 --draw 2 --rounds 1",
    ] {
        // The reading end is closed before the program begins.
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = Command::new(PROGRAM)
            .args(line.split_whitespace())
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
    for option in ["--connect", "--listen"] {
        run(&format!("circuit run x.txt {option} foo"))
            .exits(1)
            .says("HOST:PORT, for example ");
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
