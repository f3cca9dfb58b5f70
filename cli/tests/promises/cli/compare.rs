//! `circuit compare` and `circuit evaluate` at their limits.

use super::{run, write};

#[test]
fn up_to_24_input_bits_are_tried_exhaustively() {
    let folder = tempfile::tempdir().unwrap();
    let report = |bits: usize| {
        let text = format!("1 {}\n1 {bits}\n1 1\n2 1 0 1 {bits} AND\n", bits + 1);
        let netlist = write(folder.path(), "wide.txt", &text);
        let line = format!("circuit compare {netlist} {netlist}");
        let report = run(&format!("{line} --json")).exits(0).json();
        (report, run(&line).exits(0).stdout)
    };
    let (all, output) = report(24);
    assert_eq!(
        (&all["exhaustive"], &all["seed"]),
        (&true.into(), &().into())
    );
    assert_eq!(all["inputs_tried"], 1 << 24);
    assert!(
        output.contains("all 16,777,216 inputs of 24 bits"),
        "{output}"
    );
    let (some, output) = report(25);
    assert_eq!(
        (&some["exhaustive"], &some["trials"]),
        (&false.into(), &65_536.into())
    );
    // The 64 other inputs have no bit set, all bits set, or one of 25 bits set, and are filled up
    // to a multiple of 64.
    assert_eq!(some["inputs_tried"], 65_536 + 64);
    // ln(1000) / 65,536 is one in 9,487. The program rounds to the safe side.
    let output = output.replace('\n', " ");
    assert!(
        output.contains("differ on one input in 9,484 would have been distinguished"),
        "{output}"
    );
}

#[test]
fn value_without_bits_may_be_omitted_or_empty() {
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
        .says("input value 2 has 0 bits, but 1 were given");
}
