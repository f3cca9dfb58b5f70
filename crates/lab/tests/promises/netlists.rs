//! The promise to users with netlists of their own: netlists of either format are counted,
//! evaluated, compared, optimised and run, with inputs in convenient notations.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::processes::{Finished, run};
use crate::common::write;

const ADDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adder.txt");

#[track_caller]
fn assert_shows(finished: &Finished, text: &str) {
    assert!(finished.stdout.contains(text), "{}", finished.stdout);
}

/// The adder in the old format, whose header has two lines instead of three.
fn old_adder(folder: &Path) -> String {
    let text = fs::read_to_string(ADDER).unwrap();
    let gates = text.split_once("\n\n").unwrap().1;
    write(folder, "old.txt", &format!("17 25\n4 4   5\n\n{gates}"))
}

/// A wasteful adder with a repeated AND, a constant, and unused gates.
fn wasteful_adder(folder: &Path) -> String {
    let text = fs::read_to_string(ADDER).unwrap();
    let gates = text.split_once("\n\n").unwrap().1;
    // Inner wires keep their numbers. The five outputs come after the new wires.
    let moved = |field: &str| match field.parse::<usize>() {
        Ok(wire @ 20..) => (wire + 5).to_string(),
        _ => field.to_owned(),
    };
    let line = |line: &str| {
        let (counts, rest) = line.split_at("2 1".len());
        let fields: Vec<String> = rest.split_whitespace().map(moved).collect();
        format!("{counts} {}\n", fields.join(" "))
    };
    let gates: String = gates.lines().map(line).collect();
    let more = "2 1 4 0 20 AND\n1 1 1 21 EQ\n2 1 21 20 22 AND\n2 1 22 1 23 AND\n1 1 23 24 INV\n";
    let text = format!("22 30\n2 4 4\n1 5\n\n{gates}{more}");
    write(folder, "wasteful.txt", &text)
}

fn outputs(line: &str) -> Value {
    run(&format!("{line} --json")).exits(0).json()["outputs"].clone()
}

#[test]
fn netlist_is_counted_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let wasteful = wasteful_adder(folder.path());
    let report = run(&format!("circuit stats {wasteful} --json"));
    let report = report.exits(0).json();
    assert_eq!(report["file"], wasteful.as_str());
    assert_eq!(report["format"], "fashion");
    let row = &report["rows"][0];
    for (field, count) in [
        ("and", 7),
        ("run_and", 4),
        ("joint_and", 7),
        ("garbler_and", 0),
        ("evaluator_and", 0),
        ("xor", 13),
        ("not", 1),
        ("copies", 1),
        ("dead", 4),
        ("and_depth", 4),
        ("widest_layer", 1),
        ("garbler_inputs", 4),
        ("evaluator_inputs", 4),
        ("outputs", 5),
        ("half_gate_bytes", 7 * 32),
    ] {
        assert_eq!(row[field], count, "{field}");
    }
    let plain = run(&format!("circuit stats {ADDER} --json"));
    let plain = plain.exits(0).json();
    assert_ne!(plain["rows"][0]["and"], row["and"]);
    assert_eq!(plain["rows"][0]["digest"], row["digest"]);
}

#[test]
fn netlists_and_shuffles_share_one_table_of_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let old = old_adder(folder.path());
    let files = format!("circuit stats {ADDER} {old}");
    let screen = run(&format!("{files} --draw 9 --algorithm cut,waksman"));
    let screen = screen.exits(0).stdout;
    for text in [
        "adder.txt",
        "old.txt",
        "9 of 52",
        "cut",
        "362",
        "waksman",
        "1,536",
        "joint",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let widest = screen.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{screen}");

    let lines = run(&format!("{files} --draw 9 --algorithm cut --json"));
    let lines = lines.exits(0).json_lines();
    let formats: Vec<_> = lines.iter().map(|line| line["format"].as_str()).collect();
    assert_eq!(formats, [Some("fashion"), Some("old"), None]);
    let digests: Vec<_> = lines
        .iter()
        .map(|line| &line["rows"][0]["digest"])
        .collect();
    assert_eq!(digests[0], digests[1]);
    let csv = run(&format!("{files} --draw 9 --algorithm cut --csv"));
    let csv = csv.exits(0).stdout;
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 5);
    let columns = rows[0].split(',').count();
    assert!(rows.iter().all(|row| row.split(',').count() == columns));
    assert!(
        rows[1].starts_with(",,,false,false,4,13,0,17,4,4,4,5,128,4,0,0,4,"),
        "{csv}"
    );
}

#[test]
fn unknown_owners_are_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let text = "3 6\n3 1 1 1\n1 1\n2 1 0 1 3 AND\n2 1 2 2 4 AND\n2 1 3 4 5 AND\n";
    let netlist = write(folder.path(), "three.txt", text);
    let row = |more: &str| {
        let report = run(&format!("circuit stats {netlist} {more} --json"));
        report.exits(0).json()["rows"][0].clone()
    };
    assert_eq!(row("")["joint_and"], Value::Null);
    assert_eq!(row("")["garbler_inputs"], Value::Null);
    let screen = run(&format!("circuit stats {netlist}")).exits(0);
    assert_shows(&screen, "owners unknown");
    let known = row("--owner g,g,e");
    let counts = ["joint_and", "garbler_and", "evaluator_and"].map(|name| known[name].clone());
    assert_eq!(counts, [1, 1, 1]);
    run(&format!("circuit stats {netlist} --owner g,e"))
        .exits(1)
        .says("3 input values, but --owner names 2");
}

#[test]
fn format_is_recognised_or_given() {
    let folder = tempfile::tempdir().unwrap();
    let old = old_adder(folder.path());
    for more in ["", "--format old"] {
        let line = format!("circuit evaluate {old} --input 6,5 --output-format dec {more}");
        assert_eq!(run(&line).exits(0).stdout, "output 1: 11\n");
    }
    run(&format!(
        "circuit evaluate {old} --input 6,5 --format fashion"
    ))
    .exits(1)
    .says("line 2 of the netlist");
    // The old format also works in a run of two parties.
    let line = format!("circuit run {old} --garbler 0x6 --evaluator dec:5 --output-format hex");
    assert_eq!(run(&line).exits(0).stdout, "output 1: 0x0b\n");
}

#[test]
fn inputs_and_outputs_have_several_notations() {
    let folder = tempfile::tempdir().unwrap();
    let secret = write(folder.path(), "secret", "0xd\n");
    for (inputs, more, output) in [
        ("6,5", "", "11010"),
        ("0110,1010", "", "11010"),
        ("0x6,dec:5", "--output-format hex", "0x0b"),
        ("hex:06,bits:1010", "--output-format dec", "11"),
        (&format!("@{secret},dec:1"), "--output-format dec", "14"),
        ("6,5", "--bit-order msb", "11010"),
    ] {
        let line = format!("circuit evaluate {ADDER} --input {inputs} {more}");
        // The first wire of a number is its least significant bit. Reversed, 0110 stays the same
        // and 1010 becomes 0101.
        let output = if more.contains("msb") {
            "00001"
        } else {
            output
        };
        assert_eq!(
            run(&line).exits(0).stdout,
            format!("output 1: {output}\n"),
            "{line}"
        );
    }
    let random = run(&format!("circuit evaluate {ADDER} --input random,0"));
    random
        .exits(1)
        .says("input value 2 has 4 bits, but 1 were given");
    let random = run(&format!(
        "circuit evaluate {ADDER} --input random,0000 --output-format dec"
    ));
    let random = random.exits(0).stdout;
    let numbers: Vec<&str> = random
        .lines()
        .map(|line| line.split_once(": ").unwrap().1)
        .collect();
    assert_eq!((numbers[0], numbers[1]), (numbers[2], "0"));
}

#[test]
fn errors_do_not_repeat_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let secret = write(folder.path(), "secret", "97531\n");
    for garbler in [
        "97531",
        "0x97531",
        "dec:97531",
        "hex:97531",
        "97531,1",
        &format!("@{secret}"),
    ] {
        let refused = run(&format!(
            "circuit run {ADDER} --garbler {garbler} --evaluator 6"
        ))
        .exits(1);
        assert!(!refused.stderr.contains("97531"), "{}", refused.stderr);
        refused.says("the garbler's input");
    }
    for seeds in ["97531,0", "9753x,0", "97531"] {
        let refused = run(&format!(
            "circuit run --algorithm cut --cards 4 --draw 2 --garbler-seeds {seeds} --evaluator random"
        ));
        let refused = refused.exits(1);
        assert!(!refused.stderr.contains("9753"), "{}", refused.stderr);
    }
}

#[test]
fn small_netlists_are_proven_equal() {
    let folder = tempfile::tempdir().unwrap();
    let old = old_adder(folder.path());
    let equal = run(&format!("circuit compare {ADDER} {old}")).exits(0);
    assert_shows(
        &equal,
        "equal: all 256 inputs of 8 bits give the same outputs",
    );
    let report = run(&format!(
        "circuit compare {ADDER} {old} --trials 1000 --seed 7 --json"
    ));
    let report = report.exits(0).json();
    assert_eq!(
        (&report["equal"], &report["exhaustive"]),
        (&true.into(), &false.into())
    );
    assert_eq!(
        (&report["seed"], &report["trials"]),
        (&7.into(), &1000.into())
    );
}

#[test]
fn different_netlists_are_reported_with_the_first_input() {
    let folder = tempfile::tempdir().unwrap();
    // The last AND reads a bit of y without the carry.
    let text = fs::read_to_string(ADDER).unwrap();
    let wrong = text.replace("2 1 17 18 19 AND", "2 1 17 7 19 AND");
    assert_ne!(wrong, text);
    let wrong = write(folder.path(), "wrong.txt", &wrong);
    let differ = run(&format!("circuit compare {ADDER} {wrong} --json")).exits(4);
    let report = differ.says("the netlists differ").json();
    assert_eq!(report["equal"], false);
    let difference = &report["difference"];
    let inputs: Vec<&str> = (difference["inputs"].as_array().unwrap().iter())
        .map(|input| input.as_str().unwrap())
        .collect();
    for (netlist, name) in [(ADDER, "first"), (wrong.as_str(), "second")] {
        let line = format!("circuit evaluate {netlist} --input {}", inputs.join(","));
        assert_eq!(outputs(&line), difference[name]);
    }
    assert_ne!(difference["first"], difference["second"]);
    // The number of the input shows that all earlier inputs agree.
    let bits = inputs.concat();
    let number = (bits.bytes().rev()).fold(0, |number, bit| 2 * number + u64::from(bit - b'0'));
    assert_eq!(report["inputs_tried"], number + 1);
    let differ = run(&format!("circuit compare {ADDER} {wrong} --trials 1000")).exits(4);
    assert_shows(&differ, "different: on input");
}

#[test]
fn netlists_of_different_shapes_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = write(folder.path(), "and.txt", "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND\n");
    run(&format!("circuit compare {ADDER} {netlist}"))
        .exits(1)
        .says("4 + 4 bits in the first netlist and 1 + 1 in the second");
}

#[test]
fn optimised_netlist_is_smaller_and_equal() {
    let folder = tempfile::tempdir().unwrap();
    let wasteful = wasteful_adder(folder.path());
    let small = folder.path().join("small.txt");
    let small = small.to_str().unwrap();
    let report = run(&format!("circuit optimise {wasteful} -o {small} --json"));
    let report = report.exits(0).json();
    assert_eq!(
        (&report["before"]["and"], &report["after"]["and"]),
        (&7.into(), &4.into())
    );
    assert_eq!(report["check"]["exhaustive"], true);
    run(&format!("circuit compare {wasteful} {small}")).exits(0);
    let counted = run(&format!("circuit stats {small} --json"))
        .exits(0)
        .json();
    assert_eq!(counted["rows"][0]["and"], 4);
    assert_eq!(counted["rows"][0]["dead"], 0);
    let shown = run(&format!("circuit optimise {wasteful} -o -")).exits(0);
    assert_eq!(shown.stdout, fs::read_to_string(small).unwrap());
    shown.says("saved");
}

#[test]
fn shuffle_runs_with_given_permutations() {
    let shuffle = "circuit run --algorithm waksman --cards 5 --draw 3";
    // The evaluator's permutation is the identity.
    let draw = |garbler: &str, evaluator: &str| {
        run(&format!(
            "{shuffle} --garbler-permutation {garbler} --evaluator-permutation {evaluator} --json"
        ))
    };
    let from_one = draw("3,1,2,5,4", "1,2,3,4,5").exits(0).json();
    let from_zero = draw("2,0,1,4,3", "0,1,2,3,4").exits(0).json();
    assert_eq!(
        (&from_one["first_card"], &from_zero["first_card"]),
        (&1.into(), &0.into())
    );
    let cards = |report: &Value| -> Vec<u64> {
        let cards = report["cards"].as_array().unwrap();
        cards.iter().map(|card| card.as_u64().unwrap()).collect()
    };
    let expected = dealerless::shuffle::plaintext(
        dealerless::shuffle::Spec::new(5, 3, dealerless::shuffle::Algorithm::Waksman).unwrap(),
        &[2, 0, 1, 4, 3],
        &[0, 1, 2, 3, 4],
    );
    let expected: Vec<u64> = expected.unwrap().into_iter().map(u64::from).collect();
    assert_eq!(cards(&from_zero), expected);
    let from_one_too: Vec<u64> = expected.iter().map(|card| card + 1).collect();
    assert_eq!(cards(&from_one), from_one_too);
    draw("3,1,2,5,4", "0,1,2,3,4")
        .exits(1)
        .says("counts cards from 0");
    draw("3,1,2,5,5", "1,2,3,4,5")
        .exits(1)
        .says("repeats an earlier one");
    run(&format!(
        "{shuffle} --garbler-seeds 1,2,3 --evaluator random"
    ))
    .exits(1)
    .says("--garbler-permutation");
}

#[test]
fn checked_shuffle_refuses_seeds_out_of_range() {
    let shuffle = "circuit run --algorithm cut --cards 3 --draw 1 --checked";
    let cards = run(&format!(
        "{shuffle} --garbler-seeds 2 --evaluator-seeds 2 --json"
    ));
    let report = cards.exits(0).json();
    assert_eq!(
        (&report["cards"][0], &report["outputs"][1]),
        (&1.into(), &"11".into())
    );
    // The garbler's 3, `11`, is out of range. The evaluator enters its seed minus 3: 2 is entered
    // as -1, `111`, and `000` is out of range.
    for (garbler, evaluator, party) in [("11", "111", "garbler"), ("10", "000", "evaluator")] {
        let refused = run(&format!(
            "{shuffle} --garbler {garbler} --evaluator {evaluator}"
        ));
        let refused = refused.exits(2);
        assert_eq!(refused.stdout, "");
        refused.says(&format!("the seeds of the {party} are out of range"));
    }
    run("circuit run --checked examples/adder.txt").exits(1);
}

#[test]
fn shuffle_runs_with_given_seeds() {
    for (garbler, evaluator) in [([5, 0, 3], [0, 2, 1]), ([0, 0, 0], [0, 0, 0])] {
        let list = |seeds: [u64; 3]| seeds.map(|seed| seed.to_string()).join(",");
        let line = format!(
            "circuit run --algorithm cut --cards 6 --draw 3 --garbler-seeds {} --evaluator-seeds {}",
            list(garbler),
            list(evaluator)
        );
        let spec = dealerless::shuffle::Spec::new(6, 3, dealerless::shuffle::Algorithm::Cut);
        let cards = dealerless::shuffle::plaintext(spec.unwrap(), &garbler, &evaluator).unwrap();
        let cards: Vec<String> = cards.iter().map(u32::to_string).collect();
        assert_eq!(
            run(&line).exits(0).stdout,
            format!("cards: {}\n", cards.join(" "))
        );
    }
    run("circuit run --algorithm cut --cards 6 --draw 3 --garbler random --evaluator random")
        .exits(0);
    run("circuit run --algorithm cut --cards 6 --draw 3 --garbler-seeds 6,0,0 --evaluator random")
        .exits(1)
        .says("seed 0 must be below 6");
}
