//! `circuit compare` and `circuit evaluate` at their bounds.

use super::{run, write};

#[test]
fn inputs_of_24_bits_are_all_tried_and_of_25_some_with_what_that_is_worth() {
    let folder = tempfile::tempdir().unwrap();
    let report = |bits: usize| {
        let text = format!("1 {}\n1 {bits}\n1 1\n2 1 0 1 {bits} AND\n", bits + 1);
        let netlist = write(folder.path(), "wide.txt", &text);
        let line = format!("circuit compare {netlist} {netlist}");
        let report = run(&format!("{line} --json")).exits(0).json();
        (report, run(&line).exits(0).stdout)
    };
    let (all, said) = report(24);
    assert_eq!(
        (&all["exhaustive"], &all["seed"]),
        (&true.into(), &().into())
    );
    assert_eq!(all["inputs_tried"], 1 << 24);
    assert!(said.contains("all 16,777,216 inputs of 24 bits"), "{said}");
    let (some, said) = report(25);
    assert_eq!(
        (&some["exhaustive"], &some["trials"]),
        (&false.into(), &65_536.into())
    );
    // Zeros, ones and the 25 single ones, filled up to a multiple of 64.
    assert_eq!(some["inputs_tried"], 65_536 + 64);
    // ln(1000) / 65,536 is one in 9,487, and it is rounded to the safe side.
    let said = said.replace('\n', " ");
    assert!(
        said.contains("differ on one input in 9,484 would have been told apart"),
        "{said}"
    );
}

#[test]
fn a_value_without_bits_may_be_left_out_or_given_as_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1 3\n3 1 0 1\n1 1\n2 1 0 1 2 AND\n";
    let netlist = write(folder.path(), "gap.txt", text);
    for (input, output) in [("1,1", 1), ("1,,1", 1), ("1,0", 0), ("0,,1", 0)] {
        let line = format!("circuit evaluate {netlist} --input {input}");
        assert_eq!(
            run(&line).exits(0).stdout,
            format!("output 1: {output}\n"),
            "{line}"
        );
    }
    run(&format!("circuit evaluate {netlist} --input 1,1,1"))
        .exits(1)
        .says("input value 2 has 0 bits, 1 were given");
}
