//! The promise to users of Yosys, ABC and other tools of logic synthesis: all commands read AIGER,
//! and write it if the name of the file says so.

use std::fs;

use serde_json::{Value, json};

use crate::common::processes::run;
use crate::common::write;

const ADDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adder.txt");

/// The sum of two bits; the values of both inputs and outputs have names.
const HALF_ADDER: &str =
    "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\ni1 y\no0 s[0]\no1 s[1]\nc\n";

fn json(line: &str) -> Value {
    run(&format!("{line} --json")).exits(0).json()
}

#[test]
fn netlist_survives_conversion_to_aiger_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let row = |file: &str| {
        let report = json(&format!("circuit stats {file}"));
        (report["format"].clone(), report["rows"][0].clone())
    };
    let (format, adder) = row(ADDER);
    assert_eq!(format, "fashion");
    for name in ["a.aag", "a.aig", "a.aig.gz", "a.AAG.gz"] {
        let written = format!("{at}/{name}");
        let report = json(&format!("circuit convert {ADDER} -o {written}"));
        assert_eq!(report["inputs"], json!([4, 4]));
        assert_eq!(report["outputs"], json!([5]));
        let (format, again) = row(&written);
        assert_eq!(format, "aiger", "{name}");
        for field in ["and", "xor", "not", "input_bits", "joint_and"] {
            assert_eq!(again[field], adder[field], "{name}: {field}");
        }
        let back = run(&format!("circuit convert {written} -o {at}/back.txt"));
        back.exits(0)
            .says("back.txt: 4 AND, 13 XOR, 0 NOT; inputs 4 + 4 bits, outputs 5 bits.");
        run(&format!("circuit compare {at}/back.txt {ADDER}")).exits(0);
    }
    let start = |name: &str| fs::read(folder.path().join(name)).unwrap()[..4].to_vec();
    assert_eq!([start("a.aag"), start("a.aig")], [*b"aag ", *b"aig "]);
}

#[test]
fn every_command_reads_aiger() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let aiger = format!("{at}/adder.aig");
    run(&format!("circuit convert {ADDER} -o {aiger}")).exits(0);
    let evaluate = format!("circuit evaluate {aiger} --input 6,5 --output-format dec");
    assert_eq!(run(&evaluate).exits(0).stdout, "output 1: 11\n");
    let session = format!("circuit run {aiger} --garbler 6 --evaluator 5 --output-format dec");
    assert_eq!(run(&session).exits(0).stdout, "output 1: 11\n");
    run(&format!("circuit compare {aiger} {ADDER}")).exits(0);
    let optimise = format!("circuit optimise {aiger} -o {at}/small.aag");
    run(&optimise).exits(0);
    run(&format!("circuit compare {at}/small.aag {ADDER}")).exits(0);
    let bench = json(&format!("bench --netlist {aiger} --rounds 1"));
    assert_eq!(bench["netlist"], "adder.aig");
    run(&format!(
        "circuit plot --cards 9 --with {aiger} -o {at}/a.svg"
    ))
    .exits(0);
    for line in [
        "circuit export --algorithm cut --cards 5 --draw 2",
        "circuit split --ranks 2",
    ] {
        run(&format!("{line} -o {at}/e.txt")).exits(0);
        run(&format!("{line} -o {at}/e.aig")).exits(0);
        run(&format!(
            "circuit compare {at}/e.aig {at}/e.txt --trials 64"
        ))
        .exits(0);
    }
}

#[test]
fn names_form_values_and_given_widths_replace_them() {
    let folder = tempfile::tempdir().unwrap();
    let adder = write(folder.path(), "half.aag", HALF_ADDER);
    let dec = "--output-format dec";
    let evaluated = |more: &str| {
        run(&format!("circuit evaluate {adder} {more}"))
            .exits(0)
            .stdout
    };
    assert_eq!(evaluated(&format!("--input 1,1 {dec}")), "output 1: 2\n");
    assert_eq!(
        evaluated(&format!(
            "--input 11 --input-bits 2 --output-bits 1,1 {dec}"
        )),
        "output 1: 0\noutput 2: 1\n"
    );
    // A netlist in Bristol Fashion can get other widths too, so that both can be compared.
    let bits = "--input-bits 3,5 --output-bits 2,3";
    let report = json(&format!("circuit compare {ADDER} {ADDER} {bits}"));
    assert_eq!(report["equal"], true);
    let wrong = run(&format!("circuit run {ADDER} --input-bits 9 --garbler 0"));
    wrong
        .exits(1)
        .says("adder.txt: the netlist has 8 input bits, but the given widths add up to 9");
    let regrouped = format!("circuit run {ADDER} --input-bits 8 --garbler 01101010");
    assert_eq!(run(&regrouped).exits(0).stdout, "output 1: 11010\n");
}

#[test]
fn invalid_aiger_is_refused_with_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    for (name, text, message) in [
        (
            "a",
            "aag 1 0 1 1 0\n2 3\n2\n",
            "a: line 1 of the AIGER file: latches are not supported",
        ),
        (
            "b",
            "aag 2 1 0 1 1\n2\n4\n4 5 2\n",
            "b: line 4 of the AIGER file: this AND depends on itself",
        ),
        (
            "c",
            "aig 2 1 0 0 1\n\u{0}\u{0}",
            "c: byte 14 of the AIGER file: invalid difference",
        ),
    ] {
        let file = write(folder.path(), name, text);
        run(&format!("circuit stats {file}")).exits(1).says(message);
    }
    let half = write(folder.path(), "half.aag", HALF_ADDER);
    run(&format!("circuit stats {half} --format fashion"))
        .exits(1)
        .says("line 1 of the netlist: expected a decimal number");
    run(&format!("circuit stats {ADDER} --format aiger"))
        .exits(1)
        .says("line 1 of the AIGER file: not AIGER");
    run(&format!("circuit stats {half} --format aiger")).exits(0);
    run(&format!(
        "circuit export --algorithm cut --cards 2000 --draw 2000 --memory 64M -o {at}/big.aig"
    ))
    .exits(1)
    .says("cannot be written in AIGER");
}
