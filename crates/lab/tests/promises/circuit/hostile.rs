//! Invalid netlists, values and outputs are reported with the place of the fault, and no file is
//! left half written.

use std::fs;
use std::path::Path;

use crate::common::processes::{Finished, run, start};
use crate::common::{PROGRAM, small_netlist, write};

/// The commands that read a netlist, with their other arguments.
const READERS: [&str; 4] = ["stats", "evaluate", "optimise -o -", "run"];

#[track_caller]
fn refuses(finished: Finished, complaint: &str) {
    let finished = finished.exits(1).says(complaint);
    assert_eq!(finished.stdout, "");
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

#[test]
fn invalid_netlist_is_refused_with_the_place_of_the_fault() {
    let folder = tempfile::tempdir().unwrap();
    let header = "1 3\n2 1 1\n1 1\n";
    for (gates, complaint) in [
        (
            "",
            "line 4 of the netlist: expected a gate, found the end of the file",
        ),
        (
            "2 1 0 5 2 AND",
            "line 4 of the netlist: wire 5 does not exist",
        ),
        (
            "2 1 0 2 2 AND",
            "line 4 of the netlist: wire 2 is read before it is set",
        ),
        (
            "2 1 0 1 1 AND",
            "line 4 of the netlist: wire 1 is set twice",
        ),
        (
            "2 1 0 1 2 AND\n\n2 1 0 1 2 XOR",
            "line 6 of the netlist: there are more lines",
        ),
        (
            "2 1 0 1 2 and",
            "line 4 of the netlist: unknown operation \"and\"; expected XOR, AND",
        ),
        ("2 1 0 -1 2 AND", "expected a decimal number"),
        (
            "2 1 0 1² 2 AND",
            "line 4 of the netlist: not plain ASCII text",
        ),
        ("2 1 0 1\0 2 AND", "expected a decimal number"),
        ("2 1 0 1 2", "a field is missing"),
        (
            "0 0 MAND",
            "a gate of this kind cannot have 0 inputs and 0 outputs",
        ),
        ("1 1 99999999999999999999 2 EQ", "the number is too large"),
        ("18446744073709551615 2 0 1 2 AND", "a field is missing"),
    ] {
        let netlist = write(folder.path(), "odd.txt", &format!("{header}{gates}"));
        refuses(run(&format!("circuit stats {netlist}")), complaint);
    }
    for (text, complaint) in [
        ("", "line 1 of the netlist: expected the number of gates"),
        (
            "1000000000 3\n2 1 1\n1 1\n",
            "line 1 of the netlist: 1000000000 gates declared",
        ),
        (
            "1 3\n2 1 99999999999999999999\n1 1\n",
            "line 2 of the netlist: the number is too large",
        ),
        (
            "1 3\n2 18446744073709551615 2\n1 1\n",
            "have more bits than there are wires (3)",
        ),
        (
            "\u{feff}\u{feff}1 3\n",
            "line 1 of the netlist: not plain ASCII text",
        ),
        (
            "1 3\r2 1 1\r1 1\r2 1 0 1 2 AND\r",
            "line 1 of the netlist: too many fields",
        ),
        ("0 0\n0 0 0\n", "too many fields"),
    ] {
        let netlist = write(folder.path(), "odd.txt", text);
        for reader in READERS {
            refuses(run(&format!("circuit {reader} {netlist}")), complaint);
        }
        refuses(
            run(&format!("circuit compare {netlist} {netlist}")),
            complaint,
        );
    }
}

#[test]
fn netlist_without_inputs_gates_or_outputs_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    for (text, outputs) in [
        ("0 0\n0\n0\n", ""),
        ("1 1\n0\n1 1\n1 1 1 0 EQ\n", "output 1: 1\n"),
        ("1 1\r\n0\r\n1 1\r\n\r\n1 1 1 0 EQ", "output 1: 1\n"),
    ] {
        let netlist = write(folder.path(), "bare.txt", text);
        for command in ["evaluate", "run"] {
            let line = format!("circuit {command} {netlist}");
            assert_eq!(run(&line).exits(0).stdout, outputs, "{line}");
        }
        run(&format!("circuit compare {netlist} {netlist}")).exits(0);
        run(&format!("circuit stats {netlist}")).exits(0);
        let small = small_netlist(folder.path());
        refuses(
            run(&format!("circuit compare {small} {netlist}")),
            "the input values have 2 + 2 bits in the first netlist and 0 in the second",
        );
    }
}

#[test]
fn invalid_value_is_refused_with_an_explanation() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    let evaluate =
        |value: &str| start(["circuit", "evaluate", &netlist, "--input", value]).finish();
    for (value, complaint) in [
        ("", "2 input values, but --input gives 1"),
        ("1,1,1", "2 input values, but --input gives 3"),
        ("11,", "input value 2 has 2 bits, but none were given"),
        (
            "0X1,11",
            "input value 1: character 2 is not a digit; use bits, a number, 0x,",
        ),
        ("1e1,11", "character 2 is not a digit"),
        ("Random,11", "character 1 is not a digit"),
        ("11, 1", "input value 2: character 1 is not a digit"),
        ("²,11", "character 1 is not a digit"),
        (
            "1,11",
            "has 2 bits, but 1 were given (a decimal number of only 0s and 1s needs dec:)",
        ),
        ("4,11", "has 2 bits, but the given number has more"),
        ("bits:,11", "has 2 bits, but 0 were given\n"),
        ("dec:,11", "has no digits"),
        ("hex:,11", "takes 2 hexadecimal digits, but 0 were given"),
        ("@,11", "@ must be followed by the name of a file"),
        ("-1", "input values, but --input gives 1"),
        (
            "-1,11",
            "unknown option -1; negative values are not allowed",
        ),
    ] {
        refuses(evaluate(value), complaint);
    }
    let value = folder.path().join("value");
    fs::write(&value, b"\xff\xfe").unwrap();
    for (path, complaint) in [
        (value.as_path(), "cannot read"),
        (folder.path(), "cannot read"),
        (&folder.path().join("missing"), "cannot open"),
    ] {
        refuses(evaluate(&format!("@{},11", path.display())), complaint);
    }
}

#[test]
fn netlist_is_replaced_only_by_a_complete_one() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    let before = run(&format!("circuit evaluate {netlist} --input 10,11")).exits(0);
    let again = folder.path().join("again.txt");
    fs::copy(&netlist, &again).unwrap();
    run(&format!(
        "circuit optimise {} -o {netlist}",
        again.display()
    ))
    .exits(0);
    let after = run(&format!("circuit evaluate {netlist} --input 10,11")).exits(0);
    assert_eq!(before.stdout, after.stdout);
    let odd = write(folder.path(), "odd.txt", "1 3\n2 1 1\n1 1\n");
    refuses(
        run(&format!("circuit optimise {odd} -o {netlist}")),
        "odd.txt: line 4",
    );
    assert_eq!(
        run(&format!("circuit evaluate {netlist} --input 10,11")).stdout,
        before.stdout
    );
    let missing = folder.path().join("missing/small.txt");
    refuses_to_write(&netlist, &missing);
    refuses_to_write(&netlist, folder.path());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

fn refuses_to_write(netlist: &str, path: &Path) {
    let path = path.display();
    run(&format!("circuit optimise {netlist} -o {path}"))
        .exits(1)
        .says(&format!("cannot write {path}"));
}

#[cfg(target_os = "linux")]
mod devices {
    use std::process::{Command, Stdio};

    use super::*;

    /// Runs a shell command in which `$D` is the program.
    fn shell(line: &str) -> Finished {
        let begun = std::time::Instant::now();
        let output = Command::new("sh")
            .args(["-c", line])
            .env("D", PROGRAM)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Finished {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took: begun.elapsed(),
        }
    }

    #[test]
    fn full_output_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let netlist = small_netlist(folder.path());
        refuses_to_write(&netlist, Path::new("/dev/full"));
        for command in [
            &format!("circuit evaluate {netlist} --input 10,11"),
            &format!("circuit compare {netlist} {netlist} --json"),
            &format!("circuit optimise {netlist} -o -"),
            "circuit --help",
        ] {
            let full = shell(&format!("\"$D\" {command} > /dev/full"));
            refuses(full, "cannot write to standard output: No space left");
        }
        // A file is also written if standard output is closed.
        let closed = shell(&format!(
            "cd {} && \"$D\" circuit optimise {netlist} -o whole.txt >&-",
            folder.path().display()
        ));
        closed.exits(0);
        let whole = folder.path().join("whole.txt");
        run(&format!("circuit compare {netlist} {}", whole.display())).exits(0);
    }

    #[test]
    fn netlist_is_read_from_a_pipe_but_not_from_a_folder_or_endless_device() {
        let folder = tempfile::tempdir().unwrap();
        let netlist = small_netlist(folder.path());
        let piped = shell(&format!(
            "cat {netlist} | \"$D\" circuit evaluate /dev/stdin --input 10,11"
        ));
        assert_eq!(piped.exits(0).stdout, "output 1: 10\noutput 2: 01\n");
        let folder = folder.path().display();
        refuses(
            run(&format!("circuit stats {folder}")),
            "cannot read the netlist",
        );
        refuses(
            run("circuit stats /dev/zero"),
            "/dev/zero: the netlist is too large: a stream may have at most 268435456 bytes",
        );
    }

    #[test]
    fn sizes_in_a_header_are_not_allocated() {
        let folder = tempfile::tempdir().unwrap();
        let text = "90000000 200000000\n1 100000000\n1 100000000\n";
        let netlist = write(folder.path(), "sparse.txt", text);
        // A sparse file of 1 GiB.
        let file = fs::File::options().write(true).open(&netlist).unwrap();
        file.set_len(1 << 30).unwrap();
        refuses(
            shell(&format!("ulimit -v 700000; \"$D\" circuit stats {netlist}")),
            "line 4 of the netlist: longer than 16777216 bytes",
        );
    }
}
