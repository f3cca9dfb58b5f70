//! File extensions choose the format, no command overwrites its input, and a bad file does not hide
//! the good ones.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::json;

use crate::common::processes::run;
use crate::common::{PROGRAM, small_netlist, write};

#[test]
fn wrong_file_extension_is_refused_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    // The input files are missing, so a command that began to work would report the
    // missing file.
    for (line, endings) in [
        (
            "circuit export --algorithm cut --cards 5 --draw 2 -o {at}/a.v",
            ".txt or .bristol",
        ),
        (
            "circuit export --algorithm cut --cards 5 --draw 2 -o {at}/a.v.gz",
            ".txt or .bristol",
        ),
        ("circuit split -o {at}/a.svg", ".txt or .bristol"),
        ("circuit optimise missing -o {at}/a.v", ".txt or .bristol"),
        (
            "circuit plot --with missing -o {at}/a.ps",
            ".svg or .png or .pdf",
        ),
        (
            "circuit plot --with missing --points {at}/no/a.csv",
            "does not exist",
        ),
    ] {
        let line = line.replace("{at}", &at.to_string());
        run(&line).exits(1).says("cannot write").says(endings);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = GzDecoder::new(File::open(path).unwrap());
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn gz_extension_compresses_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for (line, name) in [
        (
            "circuit export --algorithm cut --cards 5 --draw 2",
            "export.txt",
        ),
        ("circuit split --ranks 2", "split.bristol"),
        (&format!("circuit optimise {netlist}"), "optimised.txt"),
        ("circuit plot --cards 5", "plot.svg"),
        ("circuit plot --cards 5", "plot.png"),
        ("circuit plot --cards 5", "plot.pdf"),
    ] {
        let [plain, packed] = ["", ".gz"].map(|gz| folder.path().join(format!("{name}{gz}")));
        for path in [&plain, &packed] {
            run(&format!("{line} -o {}", path.display())).exits(0);
        }
        assert_eq!(unpacked(&packed), fs::read(&plain).unwrap(), "{line}");
    }
    let [plain, packed] = ["export.txt", "export.txt.gz"].map(|name| folder.path().join(name));
    run(&format!(
        "circuit compare {} {}",
        plain.display(),
        packed.display()
    ))
    .exits(0);
}

#[test]
fn commands_do_not_overwrite_their_input() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    let before = fs::read(&netlist).unwrap();
    let bare = write(
        folder.path(),
        "bare",
        &fs::read_to_string(&netlist).unwrap(),
    );
    let at = folder.path().display();
    let mut lines = vec![
        format!("circuit optimise {netlist} -o {netlist}"),
        format!("circuit optimise {netlist} -o {at}/./small.txt"),
        format!("circuit plot --with {bare}@9 -o {bare}"),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&netlist, folder.path().join("link.txt")).unwrap();
        lines.push(format!("circuit optimise {netlist} -o {at}/link.txt"));
        lines.push(format!("circuit optimise {at}/link.txt -o {netlist}"));
    }
    for line in lines {
        run(&line).exits(1).says("it is an input of this command");
    }
    for path in [netlist, bare] {
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn stats_count_good_netlists_and_report_bad_ones() {
    let folder = tempfile::tempdir().unwrap();
    let good = small_netlist(folder.path());
    let bad = write(folder.path(), "bad.txt", "1 3\n2 1 1\n1 1\n");
    let missing = folder.path().join("missing.txt").display().to_string();
    let line = format!("circuit stats {bad} {good} {missing} {good}");
    let complaints = [
        format!("{bad}: line 4 of the netlist"),
        format!("cannot open {missing}"),
    ];
    let table = run(&line)
        .exits(1)
        .says(&complaints[0])
        .says(&complaints[1]);
    assert_eq!(
        table.stdout.matches("small.txt").count(),
        2,
        "{}",
        table.stdout
    );
    let csv = run(&format!("{line} --csv")).exits(1).says(&complaints[1]);
    assert_eq!(csv.stdout.lines().count(), 1 + 2);
    let lines = run(&format!("{line} --json")).exits(1).json_lines();
    let [first, second, error] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(first, second);
    assert_eq!(first["file"], json!(good));
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        complaints
            .iter()
            .all(|complaint| message.contains(complaint)),
        "{message}"
    );
    let none = run(&format!("circuit stats {bad}")).exits(1);
    assert_eq!(none.stdout, "");
}

#[test]
fn stats_name_the_netlist_that_does_not_fit_the_owners() {
    let folder = tempfile::tempdir().unwrap();
    let good = small_netlist(folder.path());
    let other = write(folder.path(), "other.txt", "1 2\n1 1\n1 1\n1 1 0 1 INV\n");
    run(&format!("circuit stats {good} {other} --owner g,e"))
        .exits(1)
        .says(&format!("{other}: the netlist has 1 input values"));
}

/// Runs a command with this file as standard input.
fn run_with_input(line: &str, input: &str) -> Output {
    Command::new(PROGRAM)
        .args(line.split_whitespace())
        .stdin(File::open(input).unwrap())
        .output()
        .unwrap()
}

#[test]
fn dash_reads_a_netlist_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for line in [
        "circuit stats FILE --csv",
        "circuit evaluate FILE --input 10,11",
        "circuit optimise FILE -o -",
        "circuit run FILE --garbler 10 --evaluator 11",
        &format!("circuit compare {netlist} FILE"),
    ] {
        let named = run(&line.replace("FILE", &netlist)).exits(0).stdout;
        let piped = run_with_input(&line.replace("FILE", "-"), &netlist);
        assert!(piped.status.success(), "{line}: {piped:?}");
        let printed = String::from_utf8(piped.stdout).unwrap();
        assert_eq!(
            printed
                .replace(",-,", &format!(",{netlist},"))
                .replace(",-\n", &format!(",{netlist}\n")),
            named,
            "{line}"
        );
    }
    let twice = run_with_input("circuit compare - -", &netlist);
    let error = String::from_utf8(twice.stderr).unwrap();
    assert!(
        error.contains("standard input: line 1 of the netlist: expected the number of gates"),
        "{error}"
    );
}
