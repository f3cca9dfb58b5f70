//! Netlists and other texts in the forms that other programs write.

use super::{run, write};

/// `(a & b) | c` for three values of one bit.
const BLIF: &str = ".model and_or\n.inputs a b c\n.outputs y\n.names a b c y\n11- 1\n--1 1\n.end\n";

#[test]
fn blif_is_read_and_converted() {
    let folder = tempfile::tempdir().unwrap();
    let blif = write(folder.path(), "and_or.blif", BLIF);
    let at = folder.path().display();
    for (input, output) in [("1,1,0", "1"), ("0,1,0", "0"), ("0,0,1", "1")] {
        let found = run(&format!("circuit evaluate {blif} --input {input}")).exits(0);
        assert_eq!(
            found.stdout.trim(),
            format!("output 1: {output}"),
            "{input}"
        );
    }
    let report = run(&format!("circuit convert {blif} -o {at}/and_or.txt --json"));
    assert_eq!(report.exits(0).json()["format"], "blif");
    run(&format!("circuit compare {blif} {at}/and_or.txt")).exits(0);
    let latch = BLIF.replace(".names", ".latch a y re c 0\n.names");
    let latch = write(folder.path(), "latch.blif", &latch);
    run(&format!("circuit stats {latch}"))
        .exits(1)
        .says("line 4 of the BLIF file: latches are not supported");
}

#[test]
fn or_gates_are_read_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let or = write(
        folder.path(),
        "or.txt",
        "2 6\n2 2 2\n1 2\n\n2 1 0 1 4 OR\n2 1 2 3 5 XOR\n",
    );
    for (input, output) in [("00,01", "01"), ("10,00", "10"), ("11,11", "10")] {
        let line = format!("circuit evaluate {or} --input {input} --bit-order lsb");
        let found = run(&line).exits(0).says("1 OR gates were read as an AND");
        assert_eq!(
            found.stdout.trim(),
            format!("output 1: {output}"),
            "{input}"
        );
    }
    let report = run(&format!("circuit stats {or} --json")).exits(0).json();
    let structure = &report["rows"][0];
    assert_eq!(
        (&structure["and"], &structure["not"]),
        (&1.into(), &3.into())
    );
    let nor = write(folder.path(), "nor.txt", "1 3\n2 1 1\n1 1\n2 1 0 1 2 NOR\n");
    run(&format!("circuit stats {nor}"))
        .exits(1)
        .says("line 4 of the netlist: unknown operation \"NOR\"");
}

#[test]
fn formats_of_other_programs_are_named_with_the_way_to_convert_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, expected) in [
        (
            "a.v",
            "// adder\nmodule adder(a, b);\nendmodule\n",
            "in Verilog; convert it with Yosys",
        ),
        ("a.vhd", "-- adder\nlibrary ieee;\n", "in VHDL"),
        (
            "a.bench",
            "# c17\nINPUT(1)\n",
            "in BENCH or EQN; convert it with ABC",
        ),
        (
            "a.aby",
            "#constant zero\nC 0 1 2\nS 3 4\n",
            "in the format of ABY",
        ),
    ] {
        let file = write(folder.path(), name, text);
        run(&format!("circuit stats {file}"))
            .exits(1)
            .says(expected);
    }
}

#[test]
fn a_byte_order_mark_is_skipped_in_every_text() {
    let folder = tempfile::tempdir().unwrap();
    let marked = |name: &str, text: &str| write(folder.path(), name, &format!("\u{feff}{text}"));
    let aiger = marked("and.aag", "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n");
    let blif = marked("and_or.blif", BLIF);
    let bristol = marked("and.txt", "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND\n");
    for netlist in [&aiger, &blif, &bristol] {
        run(&format!("circuit stats {netlist}")).exits(0);
    }
    let value = marked("value.txt", "1\n");
    let found = run(&format!("circuit evaluate {bristol} --input @{value},1")).exits(0);
    assert_eq!(found.stdout.trim(), "output 1: 1");
}
