//! Exit codes, and arguments that are refused before any work.

use std::time::Duration;

use crate::common::processes::run;
use crate::common::small_netlist;

#[test]
fn wrong_usage_exits_with_1_and_prints_nothing() {
    for line in [
        "",
        "circuit",
        "circuit stats --cards 1",
        "circuit stats --json --csv",
        "circuit stats --latex --csv",
        "circuit stats --cards 8,16,...,100",
        "circuit stats --draw 5..1",
        "circuit stats --draw 1..5000000000",
        "circuit stats --cards 5,6 --draw 7",
        "circuit stats --algorithm bubble,riffle",
        "circuit plot --json",
        "circuit plot --cards 20,52",
        "circuit plot --draw 9",
        "circuit plot --against cards --draw 5,9",
        "circuit plot --against suits",
        "circuit standard",
        "circuit export --algorithm bubble --cards 5",
        "circuit export --algorithm bubble --cards 5 --draw 2 --json",
        "circuit run no-such-file --garbler 0",
        "circuit run no-such-file --garbler 0 --security none",
    ] {
        let finished = run(line).exits(1);
        if line.contains("--json") {
            // Only the error.
            assert_eq!(finished.stdout.lines().count(), 1, "{line}");
        } else {
            assert_eq!(finished.stdout, "", "{line}");
        }
        assert!(finished.stderr.len() > 20, "{line}: {finished:?}");
    }
}

#[test]
fn malicious_security_is_the_default_and_semi_honest_warns() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    let one_side = format!("circuit run {netlist} --evaluator 11");
    let circuit = format!("{one_side} --garbler 10");
    let caught = "Security: malicious.";
    let warning = "It does NOT protect against a peer that deviates";
    for (option, notice) in [("", caught), (" --security semi-honest", warning)] {
        run(&format!("{circuit}{option}")).exits(0).says(notice);
        run(&format!("{one_side} --connect 127.0.0.1:1{option}"))
            .exits(3)
            .says("Start both sides again")
            .says(notice)
            .says("neither encrypted nor authenticated");
    }
}

#[test]
fn too_large_memory_needs_are_refused_at_once() {
    for (line, what) in [
        ("bench --pool 2000", "2,000 shuffles at once"),
        ("bench --pool 4294967295", "4,294,967,295 shuffles at once"),
        (
            "bench --cards 4096 --draw 4096 --algorithm cut",
            "4,096 of 4,096 cards",
        ),
        (
            "circuit run --algorithm cut --cards 52 --draw 9 --garbler random --evaluator random \
             --memory 1M",
            "9 of 52 cards",
        ),
    ] {
        let refused = run(line).exits(1).says(what);
        assert!(refused.took < Duration::from_secs(10), "{line}");
        assert_eq!(refused.stdout, "", "{line}");
        let (_, enough) = refused.stderr.trim_end().rsplit_once(' ').unwrap();
        assert!(
            refused.stderr.contains("to allow more, use --memory"),
            "{line}"
        );
        if let Some(command) = line.strip_suffix("--memory 1M") {
            run(&format!("{command} --memory {enough}")).exits(0);
        }
    }
}

#[test]
fn bench_needs_at_least_one_shuffle_and_round() {
    for zero in [
        "--pool 0",
        "--rounds 0",
        "--pool 4294967296",
        "--rounds some",
    ] {
        let refused = run(&format!("bench {zero}")).exits(1);
        assert_eq!(refused.stdout, "", "{zero}");
        refused.says("a whole number from 1");
    }
    let line = "bench --cards 5 --draw 5 --pool 2 --rounds 1 --json";
    let report = run(line).exits(0).json();
    assert_eq!(
        (&report["pool_shuffles"], &report["rounds"]),
        (&2.into(), &1.into())
    );
    assert!(report["online"]["ms"].as_f64().unwrap() > 0.0);
}
