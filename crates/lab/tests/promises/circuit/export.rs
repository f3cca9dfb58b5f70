//! `circuit export`: the netlists, and the draws of two parties who run them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use dealerless::circuit::Party;
use dealerless::shuffle::{self, Algorithm, Randomness, ShuffleCircuit, Spec};
use dealerless::testing::shuffles::{fresh_generator, random_seeds};
use serde_json::Value;

use crate::common::processes::run;

fn keys(object: &Value) -> HashSet<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

/// Exports the shuffle of 5 cards, 2 drawn. Returns the path and the JSON report.
fn export(folder: &Path, algorithm: Algorithm) -> (String, Value) {
    let path = folder.join(format!("{algorithm}.txt"));
    let path = path.to_str().unwrap().to_owned();
    let line =
        format!("circuit export --algorithm {algorithm} --cards 5 --draw 2 --output {path} --json");
    (path, run(&line).exits(0).json())
}

#[test]
fn export_describes_its_input_wires_and_writes_one_file() {
    let folder = tempfile::tempdir().unwrap();
    for algorithm in Algorithm::ALL {
        let (path, layout) = export(folder.path(), algorithm);
        assert_eq!(layout["file"], path.as_str());
        assert_eq!(keys(&layout["output"]), HashSet::from(["words", "bits"]));
        assert_eq!(layout["output"]["words"], 2);
        assert_eq!(layout["output"]["bits"], 3);
        let circuit = ShuffleCircuit::build(Spec::new(5, 2, algorithm).unwrap());
        let mut widths = vec![];
        for party in [Party::Garbler, Party::Evaluator] {
            let seeds = layout[party.to_string()].as_array().unwrap();
            for (seed, expected) in seeds.iter().zip(circuit.seeds(party)) {
                assert_eq!(seed["bits"], expected.bits);
                assert_eq!(seed["modulus"], expected.modulus);
                assert_eq!(seed["encoding"], expected.encoding.to_string());
            }
            let bits: u64 = seeds
                .iter()
                .map(|seed| seed["bits"].as_u64().unwrap())
                .sum();
            widths.push(bits.to_string());
        }
        let netlist = fs::read_to_string(&path).unwrap();
        let inputs = format!("2 {}", widths.join(" "));
        assert_eq!(netlist.lines().nth(1), Some(inputs.as_str()));
        assert_eq!(netlist.lines().nth(2), Some("2 3 3"));
        let line = format!("circuit export --algorithm {algorithm} --cards 5 --draw 2");
        assert_eq!(
            run(&line).exits(0).stdout,
            netlist,
            "standard output has the same netlist"
        );
    }
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, Algorithm::ALL.len());
}

#[test]
fn export_into_a_missing_folder_names_the_file() {
    run("circuit export --algorithm bubble --cards 5 --draw 2 -o no-such-folder/x.txt")
        .exits(1)
        .says("no-such-folder/x.txt");
}

#[test]
fn exported_netlists_draw_as_defined() {
    let folder = tempfile::tempdir().unwrap();
    for algorithm in Algorithm::ALL {
        let (path, _) = export(folder.path(), algorithm);
        let spec = Spec::new(5, 2, algorithm).unwrap();
        let circuit = ShuffleCircuit::build(spec);
        let (mine, theirs) = random_seeds(&circuit, &mut fresh_generator());
        let text = |party, values: &[u64]| -> String {
            let randomness = Randomness::from_values(&circuit, party, values).unwrap();
            randomness
                .bits()
                .iter()
                .map(|&bit| if bit { '1' } else { '0' })
                .collect()
        };
        let report = run(&format!(
            "circuit run {path} --garbler {} --evaluator {} --json",
            text(Party::Garbler, &mine),
            text(Party::Evaluator, &theirs)
        ))
        .exits(0)
        .json();
        assert_eq!(
            keys(&report),
            HashSet::from([
                "version", "command", "inputs", "outputs", "and", "security", "cost"
            ])
        );
        assert_eq!(report["and"], circuit.circuit().ands());
        assert_eq!(report["security"], "malicious");
        let drawn: Vec<u32> = report["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| {
                let first_wire_first = word.as_str().unwrap();
                let binary: String = first_wire_first.chars().rev().collect();
                u32::from_str_radix(&binary, 2).unwrap()
            })
            .collect();
        assert_eq!(drawn, shuffle::plaintext(spec, &mine, &theirs).unwrap());
    }
}

/// The bits of a seed that is out of range.
fn out_of_range(seed: &Value) -> String {
    let bit = match seed["encoding"].as_str().unwrap() {
        "unsigned" => "1",
        "minus-modulus" => "0",
        other => panic!("{other}"),
    };
    bit.repeat(seed["bits"].as_u64().unwrap() as usize)
}

#[test]
fn checked_export_reports_the_party_whose_input_is_out_of_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checked.txt");
    let export = |algorithm| {
        let line = format!(
            "circuit export --checked --algorithm {algorithm} --cards 5 --draw 2 --json -o {}",
            path.display()
        );
        run(&line).exits(0).json()
    };
    // A network accepts any input, so it has no check.
    assert_eq!(export(Algorithm::Waksman)["validity"], Value::Null);

    let layout = export(Algorithm::FisherYates);
    assert_eq!(
        (&layout["checked"], &layout["validity"]),
        (&true.into(), &2.into())
    );
    let spec = Spec::new(5, 2, Algorithm::FisherYates).unwrap();
    let circuit = ShuffleCircuit::build_checked(spec);
    let (mine, theirs) = random_seeds(&circuit, &mut fresh_generator());
    let good = |party, values: &[u64]| -> String {
        let randomness = Randomness::from_values(&circuit, party, values).unwrap();
        let bits = randomness.bits().iter();
        bits.map(|&bit| if bit { '1' } else { '0' }).collect()
    };
    let bad = |party: Party| -> String {
        let seeds = layout[party.to_string()].as_array().unwrap();
        seeds.iter().map(out_of_range).collect()
    };
    let inputs = [(Party::Garbler, &mine), (Party::Evaluator, &theirs)];
    let [good_g, good_e] = inputs.map(|(party, values)| good(party, values));
    for (garbler, evaluator, validity) in [
        (good_g.clone(), good_e.clone(), "11"),
        (bad(Party::Garbler), good_e, "01"),
        (good_g, bad(Party::Evaluator), "10"),
    ] {
        let line = format!(
            "circuit run {} --garbler {garbler} --evaluator {evaluator} --json",
            path.display()
        );
        let report = run(&line).exits(0).json();
        assert_eq!(report["and"], circuit.circuit().ands());
        assert_eq!(report["outputs"].as_array().unwrap().len(), 3);
        assert_eq!(report["outputs"][2], validity);
    }
}

#[test]
fn licence_is_two_comment_lines_at_the_end_and_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let path = path.to_str().unwrap();
    for line in [
        "circuit export --algorithm cut --cards 5 --draw 2",
        "circuit split --ranks 2",
    ] {
        let write = |options: &str| {
            run(&format!("{line} {options} -o {path}")).exits(0);
            fs::read_to_string(path).unwrap()
        };
        let plain = write("");
        assert!(!plain.contains('#'), "{line}");
        let lines = "# SPDX-FileCopyrightText: The dealerless authors\n\
                     # SPDX-License-Identifier: MIT OR Apache-2.0\n";
        assert!(write("--licence") == plain + lines, "{line}");
        run(&format!("circuit stats {path}")).exits(0);
        // AIGER has comments.
        let aiger = path.replace(".txt", ".aag");
        run(&format!("{line} -o {aiger}")).exits(0);
        let text = fs::read_to_string(&aiger).unwrap();
        let comment = format!("\nc\n{}", lines.replace("# ", ""));
        assert!(text.ends_with(&comment), "{text}");
        run(&format!("circuit compare {path} {aiger}")).exits(0);
    }
}
