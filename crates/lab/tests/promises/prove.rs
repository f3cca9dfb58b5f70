//! The promise to referees: exhaustive counting proves that a shuffle is uniform, or refutes it.

use dealerless::shuffle::Algorithm;
use serde_json::Value;

use crate::common::processes::run;

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
fn enumeration_proves_or_refutes_uniform_shuffles() {
    for algorithm in Algorithm::ALL {
        let line = format!("circuit prove --algorithm {algorithm} --cards 4 --draw 2 --json");
        let report = run(&line).exits(0).json();
        assert_eq!(
            (&report["uniform"], &report["complete"]),
            (&true.into(), &true.into())
        );
        assert_eq!(report["draws"], 12);
        for (part, honest) in report["parties"]
            .as_array()
            .unwrap()
            .iter()
            .zip(["garbler", "evaluator"])
        {
            assert_eq!(part["honest"], honest);
            assert_eq!(part["fixed"], part["of"]);
            assert_eq!(
                number(&part["each"]),
                number(&part["values"]) / 12,
                "{algorithm}"
            );
        }
    }
    for name in ["bubble-fair-bits", "fisher-yates-xor-modulo"] {
        let line = format!("circuit prove --algorithm {name} --cards 4");
        let refuted = run(&line).exits(4);
        assert!(
            refuted.stdout.contains("Not uniform: "),
            "{}",
            refuted.stdout
        );
        let report = run(&format!("{line} --json")).exits(4).json();
        let outcomes = report["counterexample"]["outcomes"].as_array().unwrap();
        assert_ne!(outcomes[0]["times"], outcomes[1]["times"], "{name}");
    }
}

#[test]
fn long_enumeration_is_refused_or_reported_as_incomplete() {
    let cut = "circuit prove --algorithm cut --cards 5";
    let some = run(&format!("{cut} --limit 2400 --json")).exits(0).json();
    assert_eq!(
        (&some["complete"], &some["evaluations"]),
        (&false.into(), &2400.into())
    );
    for part in some["parties"].as_array().unwrap() {
        assert_eq!((&part["fixed"], &part["of"]), (&10.into(), &120.into()));
    }
    let refused = run(&format!("{cut} --limit 200")).exits(1);
    refused
        .says("one fixed value takes 120 evaluations")
        .says("--limit 240");
    let refused = run("circuit prove --algorithm waksman --cards 52").exits(1);
    refused.says("use fewer cards");
    run("circuit prove --algorithm cut --cards 5 --draw 6").exits(1);
}

#[test]
fn checked_circuit_refuses_invalid_inputs_or_stays_uniform() {
    for algorithm in Algorithm::ALL {
        let line = format!("circuit prove --algorithm {algorithm} --cards 3 --draw 2 --checked");
        let report = run(&format!("{line} --json")).exits(0).json();
        assert_eq!(
            (&report["checked"], &report["complete"]),
            (&true.into(), &true.into())
        );
        let parts = report["parties"].as_array().unwrap();
        let values = |party: usize| number(&parts[party]["values"]);
        for (honest, part) in parts.iter().enumerate() {
            // Every bit string is tried. Seeds are accepted if they are in range; all settings of
            // switches are accepted.
            assert!(number(&part["of"]).is_power_of_two());
            let accepted = number(&part["of"]) - number(&part["refused"]);
            match number(&part["refused"]) {
                0 => assert!(algorithm.to_string() != "cut"),
                _ => assert_eq!(accepted, values(1 - honest), "{algorithm}"),
            }
            assert_eq!(number(&part["each"]), values(honest) / 6, "{algorithm}");
        }
    }
    let table = run("circuit prove --algorithm cut --cards 3 --checked").exits(0);
    assert!(table.stdout.contains("rejected"), "{}", table.stdout);
    run("circuit prove --algorithm bubble-fair-bits --cards 4 --checked")
        .exits(1)
        .says("bubble-fair-bits has no check");
}
