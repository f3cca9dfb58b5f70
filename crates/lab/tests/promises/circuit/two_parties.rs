//! `circuit run`: any netlist between two parties.

use std::path::Path;

use crate::common::processes::{run, start};
use crate::common::{small_netlist, write};

fn outputs(line: &str) -> Vec<String> {
    let report = run(&format!("{line} --json")).exits(0).json();
    let outputs = report["outputs"].as_array().unwrap();
    outputs
        .iter()
        .map(|word| word.as_str().unwrap().into())
        .collect()
}

#[test]
fn bits_are_read_and_shown_first_wire_first() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    assert_eq!(
        outputs(&format!(
            "circuit run {netlist} --garbler 10 --evaluator 11"
        )),
        ["10", "01"]
    );
    assert_eq!(
        outputs(&format!(
            "circuit run {netlist} --garbler hex:01 --evaluator hex:03"
        )),
        ["10", "01"]
    );
    let screen = run(&format!(
        "circuit run {netlist} --garbler 10 --evaluator 11"
    ))
    .exits(0);
    assert_eq!(screen.stdout, "output 1: 10\noutput 2: 01\n");
}

/// Runs a netlist on two numbers. Returns its outputs with malicious and with semi-honest security.
fn compute(netlist: &str, bits: usize, [x, y]: [u32; 2]) -> [Vec<u32>; 2] {
    let text = |number: u32| -> String {
        let bit = |i| char::from(b'0' + (number >> i & 1) as u8);
        (0..bits).map(bit).collect()
    };
    let number = |bits: &String| {
        let digits: String = bits.chars().rev().collect();
        u32::from_str_radix(&digits, 2).unwrap()
    };
    let line = format!(
        "circuit run {netlist} --garbler {} --evaluator {}",
        text(x),
        text(y)
    );
    ["malicious", "semi-honest"].map(|security| {
        let outputs = outputs(&format!("{line} --security {security}"));
        outputs.iter().map(number).collect()
    })
}

#[test]
fn adder_of_the_readme_works_with_either_security() {
    let adder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adder.txt");
    for [x, y] in [[6, 5], [15, 15], [8, 9], [0, 0], [15, 1]] {
        assert_eq!(compute(adder, 4, [x, y]), [[x + y]; 2]);
    }
}

/// Writes a netlist for x < y and x = y, of 8 bits each, with every operation that a netlist may
/// have.
fn comparator(folder: &Path) -> String {
    let mut gates = Vec::new();
    let mut wires = 16;
    let mut gate = |gate: String, results: usize| {
        let first = wires;
        wires += results;
        let (operands, operation) = gate.rsplit_once(' ').unwrap();
        let ins = operands.split(' ').count();
        let results: Vec<String> = (first..wires).map(|wire| wire.to_string()).collect();
        let outs = results.len();
        let results = results.join(" ");
        gates.push(format!("{ins} {outs} {operands} {results} {operation}\n"));
        first
    };
    // After bit i: y_i if the bits differ, otherwise the previous value.
    let mut less = gate("0 EQ".into(), 1);
    let mut same = Vec::new();
    for (x, y) in (0..8).zip(8..16) {
        let differ = gate(format!("{x} {y} XOR"), 1);
        same.push(gate(
            format!("{differ} {}", if x < 4 { "INV" } else { "NOT" }),
            1,
        ));
        let change = gate(format!("{y} {less} XOR"), 1);
        let kept = gate(format!("{} {change} AND", same[x]), 1);
        less = gate(format!("{y} {kept} XOR"), 1);
    }
    while same.len() > 1 {
        let half = same.len() / 2;
        let operands: Vec<String> = same.iter().map(usize::to_string).collect();
        let first = gate(format!("{} MAND", operands.join(" ")), half);
        same = (first..first + half).collect();
    }
    gate(format!("{less} EQW"), 1);
    gate(format!("{} EQW", same[0]), 1);
    let header = format!("{} {wires}\n2 8 8\n2 1 1\n\n", gates.len());
    write(folder, "comparator.txt", &(header + &gates.concat()))
}

#[test]
fn comparator_works_with_either_security() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = comparator(folder.path());
    for [x, y] in [[0, 0], [255, 255], [7, 8], [8, 7], [128, 127], [200, 200]] {
        let expected = vec![u32::from(x < y), u32::from(x == y)];
        assert_eq!(compute(&netlist, 8, [x, y]), [expected.clone(), expected]);
    }
}

#[test]
fn bits_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for (garbler, complaint) in [
        ("1", "the garbler's input has 2 bits, but 1 were given"),
        ("1x", "character 2 is not a digit"),
        ("bits:1x", "character 2 is neither 0 nor 1"),
        ("12", "has 2 bits, but the given number has more"),
        ("hex:04", "an unused bit after them is not 0"),
        ("hex:1", "takes 2 hexadecimal digits, but 1 were given"),
        ("hex:0x", "digit 2 is not hexadecimal"),
    ] {
        run(&format!(
            "circuit run {netlist} --garbler {garbler} --evaluator 11"
        ))
        .exits(1)
        .says(complaint);
    }
    run(&format!("circuit run {netlist} --garbler 11"))
        .exits(1)
        .says("the evaluator's input of 2 bits is missing");
}

#[test]
fn single_input_value_belongs_to_the_garbler() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n";
    let netlist = write(folder.path(), "one.txt", text);
    assert_eq!(
        outputs(&format!("circuit run {netlist} --garbler 11")),
        ["1"]
    );
    assert_eq!(
        start([
            "circuit",
            "run",
            &netlist,
            "--garbler",
            "01",
            "--evaluator",
            ""
        ])
        .finish()
        .exits(0)
        .stdout,
        "output 1: 0\n"
    );
    run(&format!("circuit run {netlist} --garbler 11 --evaluator 1"))
        .exits(1)
        .says("the evaluator's input has 0 bits");
    assert_eq!(
        outputs(&format!("circuit run {netlist} --owner e --evaluator 11")),
        ["1"]
    );
}

#[test]
fn three_input_values_need_owners() {
    let folder = tempfile::tempdir().unwrap();
    // (a AND b) XOR c
    let text = "2 5\n3 1 1 1\n1 1\n\n2 1 0 1 3 AND\n2 1 3 2 4 XOR\n";
    let netlist = write(folder.path(), "three.txt", text);
    run(&format!("circuit run {netlist} --garbler 10 --evaluator 1"))
        .exits(1)
        .says("--owner");
    run(&format!(
        "circuit run {netlist} --owner g,e --garbler 10 --evaluator 1"
    ))
    .exits(1)
    .says("3 input values, but --owner names 2");
    for (garbler, evaluator, output) in [("10", "1", "1"), ("11", "1", "0"), ("01", "1", "1")] {
        let inputs = format!("--garbler {garbler} --evaluator {evaluator}");
        assert_eq!(
            outputs(&format!("circuit run {netlist} --owner g,e,g {inputs}")),
            [output]
        );
    }
}

#[test]
fn errors_in_a_netlist_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    for (text, line) in [
        ("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 NAND\n", "line 5"),
        ("1000000000000000000 3\n", "line 1"),
        ("", "line 1"),
    ] {
        let netlist = write(folder.path(), "odd.txt", text);
        run(&format!("circuit run {netlist} --garbler 1 --evaluator 1"))
            .exits(1)
            .says(line);
    }
}

#[test]
fn random_inputs_are_reported_and_reproduce_the_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for (circuit, given) in [
        (netlist.clone(), "--evaluator 10"),
        (
            "--algorithm cut --cards 5 --draw 2".to_owned(),
            "--evaluator random",
        ),
    ] {
        let line = format!("circuit run {circuit} {given} --json");
        let report = run(&format!("{line} --garbler random")).exits(0).json();
        let drawn = report["inputs"]["garbler"][0].as_str().unwrap();
        let evaluator = &report["inputs"]["evaluator"][0];
        assert_eq!(evaluator.is_null(), given == "--evaluator 10");
        let again = match evaluator.as_str() {
            Some(bits) => format!("circuit run {circuit} --evaluator {bits} --json"),
            None => line,
        };
        let again = run(&format!("{again} --garbler bits:{drawn}"))
            .exits(0)
            .json();
        assert_eq!(again["outputs"], report["outputs"]);
        assert!(again["inputs"]["garbler"][0].is_null());
    }
}

#[test]
fn only_shuffles_mention_the_deck() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for security in ["malicious", "semi-honest"] {
        let line = format!("circuit run --security {security} --garbler random --evaluator random");
        run(&format!("{line} --algorithm cut --cards 5 --draw 2"))
            .exits(0)
            .says("stack the deck");
        let other = run(&format!("{line} {netlist}")).exits(0).says("an output");
        assert!(!other.stderr.contains("deck"), "{}", other.stderr);
    }
}
