//! Names of files, labels and texts of others do not control the terminal: everything that the program
//! shows passes one function, `harmless` in `crates/command-line/src/output.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

/// A title of the window, a cleared screen, deleted characters, and a text in the other direction.
const HOSTILE: &str = "a\u{1b}]0;x\u{7}\u{1b}[2J\u{7f}\u{8}\u{9b}31m\r\u{202e}b\u{2066}.log";

/// Code that writes to standard output or standard error.
const WRITERS: [&str; 7] = [
    "println!", "print!(", "eprint!(", "dbg!(", ".print()", "stdout()", "stderr()",
];

/// The uses of [`WRITERS`], by file: in the function that all texts pass, of a terminal that is only
/// measured, of an output that is given to a `Player` or a `Screen`, and of the help.
const ALLOWED: [(&str, &str, usize); 6] = [
    ("command-line/src/output.rs", "stdout()", 2),
    ("command-line/src/output.rs", "stderr()", 1),
    ("command-line/src/progress.rs", "stderr()", 2),
    ("cli/src/table/own.rs", "stdout()", 3),
    ("command-line/src/usage.rs", ".print()", 1),
    ("command-line/src/usage.rs", "stderr()", 1),
];

/// Counts the writers in the sources of a folder, without tests.
fn count_writers(root: &Path, folder: &Path, found: &mut BTreeMap<(String, &str), usize>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        // Modules of tests.
        if ["tests", "testing"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            count_writers(root, &path, found);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let place = path.strip_prefix(root).unwrap().to_str().unwrap();
        for writer in WRITERS {
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let count: usize = lines.map(|line| line.matches(writer).count()).sum();
            if count > 0 {
                *found.entry((place.to_owned(), writer)).or_default() += count;
            }
        }
    }
}

#[test]
fn nothing_goes_round_the_function_that_makes_texts_harmless() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = BTreeMap::new();
    for name in [
        "cli",
        "command-line",
        "lab",
        "seat",
        "relay",
        "table",
        "connection",
        "bridge",
        "logic",
    ] {
        count_writers(root, &root.join(name).join("src"), &mut found);
    }
    let allowed = ALLOWED.map(|(file, writer, count)| ((file.to_owned(), writer), count));
    assert_eq!(found, BTreeMap::from(allowed));
}

/// Runs the program in a folder, and asserts that its output controls no terminal. Returns the output.
#[track_caller]
fn harmless(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dealerless"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.env("DEALERLESS_HOME", folder.join("home"));
    let output = command.output().unwrap();
    let [shown, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    for c in shown.chars().chain(said.chars()) {
        let controls = (c.is_control() && !"\n\t".contains(c)) || "\u{202e}\u{2066}".contains(c);
        assert!(!controls, "{args:?}: {shown:?} {said:?}");
    }
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    if args.contains(&"--json") {
        for line in shown.lines() {
            let read: Result<Value, _> = serde_json::from_str(line);
            assert!(read.is_ok(), "{args:?}: {line}");
        }
    }
    shown + &said
}

/// All commands, as their help lists them.
fn commands(folder: &Path, above: &[String]) -> Vec<Vec<String>> {
    let mut args: Vec<&str> = above.iter().map(String::as_str).collect();
    args.push("--help");
    let help = harmless(folder, &args);
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return vec![above.to_vec()];
    };
    let listed = list
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with(' '));
    let names = listed.filter_map(|line| {
        line.strip_prefix("  ")
            .filter(|name| !name.starts_with(' '))
    });
    let names = names
        .filter_map(|line| line.split(' ').next())
        .filter(|name| *name != "help");
    let below = names.flat_map(|name| commands(folder, &[above, &[name.to_owned()]].concat()));
    below.collect()
}

#[test]
fn no_command_shows_control_characters_of_its_arguments() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    // Nothing can be created below a file.
    let path = format!("file/{HOSTILE}");
    let commands = commands(folder.path(), &[]);
    assert!(commands.len() > 30, "{commands:?}");
    let (folder, path) = (folder.path(), &*path);
    thread::scope(|scope| {
        for commands in commands.chunks(commands.len().div_ceil(4)) {
            scope.spawn(move || {
                for command in commands {
                    let command: Vec<&str> = command.iter().map(String::as_str).collect();
                    let shown = harmless(folder, &[&command[..], &[path]].concat());
                    assert!(!shown.is_empty(), "{command:?}");
                    harmless(folder, &[&command[..], &[path, "--json"]].concat());
                }
            });
        }
    });
}

#[test]
fn existing_files_and_labels_with_control_characters_are_shown_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";
    fs::write(folder.path().join(HOSTILE), netlist).unwrap();
    for args in [
        &["verify", HOSTILE][..],
        &["show", HOSTILE],
        &["circuit", "stats", "--circuit", HOSTILE],
        &["circuit", "compare", HOSTILE, HOSTILE],
        &["bridge", "convert", HOSTILE],
        &["history", "--delete", HOSTILE],
        &["host", "--for", HOSTILE],
        &["join", HOSTILE],
        &["identity", "--home", HOSTILE],
        &["peers", "--identity", HOSTILE],
        &["doctor", "--listen", HOSTILE],
        &["doctor", "--relay", HOSTILE],
    ] {
        harmless(folder.path(), args);
        harmless(folder.path(), &[args, &["--json"]].concat());
    }
    let shown = harmless(folder.path(), &["verify", HOSTILE]);
    assert!(shown.contains(r"a\u001b]0;x\u0007"), "{shown}");
}
