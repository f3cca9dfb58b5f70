//! Netlists and other texts in the forms that other programs write.

use crate::common::processes::run;
use crate::common::write;

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
    for line in [
        format!("circuit run {or} --garbler random --evaluator random"),
        format!("bench --netlist {or} --rounds 1"),
    ] {
        run(&line).exits(0).says("because they are ORs: 1.");
    }
    for (input, output) in [("00,01", "01"), ("10,00", "10"), ("11,11", "10")] {
        let line = format!("circuit evaluate {or} --input {input} --bit-order lsb");
        let found = run(&line).exits(0).says("because they are ORs: 1.");
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

/// A decoder of eight bits in BLIF, from decoders of two and of four bits, as the one of EPFL. It needs
/// fewer ANDs if it may have more gates.
#[test]
fn limit_of_gates_is_told_and_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let list = |letter: &str, count: usize| -> String {
        (0..count)
            .map(|number| format!(" {letter}{number}"))
            .collect()
    };
    let mut text = format!(".inputs{}\n.outputs{}\n", list("a", 8), list("y", 256));
    for pair in 0..4 {
        for value in 0..4 {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let (low, high) = (value & 1, value >> 1);
            text += &format!(".names a{a} a{b} p{pair}_{value}\n{low}{high} 1\n");
        }
    }
    for half in 0..2 {
        for value in 0..16 {
            let (a, b) = (2 * half, 2 * half + 1);
            let (low, high) = (value % 4, value / 4);
            text += &format!(".names p{a}_{low} p{b}_{high} q{half}_{value}\n11 1\n");
        }
    }
    for value in 0..256 {
        let (low, high) = (value % 16, value / 16);
        text += &format!(".names q0_{low} q1_{high} y{value}\n11 1\n");
    }
    let blif = write(folder.path(), "decoder.blif", &text);
    let out = folder.path().join("out.txt").display().to_string();
    let optimised = |options: &str| {
        let line = format!("circuit optimise {blif} -o {out} {options} --json");
        run(&line).exits(0).json()
    };
    let (usual, any) = (optimised(""), optimised("--max-gates any"));
    let ands = |report: &serde_json::Value| report["after"]["and"].as_u64().expect("a count");
    assert!(ands(&any) < ands(&usual), "{any} {usual}");
    assert_eq!(
        (&usual["limited"], &any["limited"]),
        (&true.into(), &false.into())
    );
    assert!(any["max_gates"].is_null());
    let most = usual["max_gates"].as_u64().expect("a limit");
    run(&format!("circuit optimise {blif} -o {out} --max-gates 1"))
        .exits(1)
        .says(&format!("need {most} gates"));
    assert_eq!(
        optimised(&format!("--max-gates {}", 2 * most))["max_gates"],
        2 * most
    );
    run(&format!(
        "circuit optimise {blif} -o {out} --max-gates many"
    ))
    .exits(1)
    .says("expected a number or any");
}
