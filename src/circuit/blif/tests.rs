use rand::RngExt;

use super::{begins, read};
use crate::circuit::bristol::Netlist;
use crate::testing::session::system_rng;

fn netlist(text: &str) -> Netlist {
    let aig = read(text.as_bytes(), text.len() as u64).unwrap_or_else(|error| panic!("{error}"));
    aig.netlist(None, None).unwrap()
}

fn error(text: &str) -> String {
    let result = read(text.as_bytes(), text.len() as u64);
    result.map(|_| ()).unwrap_err().to_string()
}

/// The outputs for the input bits of `number`, as a number. All values have one bit.
fn evaluate(netlist: &Netlist, number: usize) -> usize {
    let inputs: Vec<Vec<bool>> = (0..netlist.inputs().len())
        .map(|bit| vec![number >> bit & 1 == 1])
        .collect();
    let outputs = netlist.evaluate(&inputs).unwrap();
    let bits = outputs.iter().enumerate();
    bits.fold(0, |all, (place, bit)| all | usize::from(bit[0]) << place)
}

#[test]
fn functions_are_read_in_any_order_over_continued_lines() {
    let text = "# a full adder\n.model adder\n.inputs a b \\\nc\n.outputs sum carry # both\n\
                .area 2.0\n.names half c sum\n10 1\n01 1\n\n.names a b c carry\n11- 1\n1-1 1\n-11 1\n\
                .names a b half\n00 0\n11 0\n.end\nwhat follows is ignored\n";
    let adder = netlist(text);
    assert_eq!(
        (adder.inputs(), adder.outputs()),
        (&[1, 1, 1][..], &[1, 1][..])
    );
    for number in 0..8 {
        assert_eq!(
            evaluate(&adder, number),
            number.count_ones() as usize,
            "{number}"
        );
    }
    // The sums are XORs; the carry is an OR of three ANDs.
    let structure = adder.structure(None);
    assert_eq!((structure.and, structure.xor), (5, 2));
}

#[test]
fn names_with_indices_are_values() {
    let text = ".inputs x[0] x[1] y\n.outputs s[0] s[1]\n.names x[0] y s[0]\n11 1\n.names x[1] s[1]\n0 1\n";
    let netlist = netlist(text);
    assert_eq!(
        (netlist.inputs(), netlist.outputs()),
        (&[2, 1][..], &[2][..])
    );
}

#[test]
fn constants_and_negated_functions_are_read() {
    let text = ".inputs a b\n.outputs one zero none never nand\n.names one\n1\n.names zero\n0\n\
                .names none\n.names a never\n.names a b nand\n11 0\n";
    let netlist = netlist(text);
    for number in 0..4 {
        let nand = usize::from(number != 3);
        assert_eq!(evaluate(&netlist, number), 1 | nand << 4, "{number}");
    }
}

#[test]
fn random_functions_are_read_as_they_are_listed() {
    let mut rng = system_rng();
    for _ in 0..300 {
        let inputs = rng.random_range(1..8);
        let lines: Vec<String> = (0..rng.random_range(0..12))
            .map(|_| {
                (0..inputs)
                    .map(|_| ['0', '1', '-'][rng.random_range(0..3)])
                    .collect()
            })
            .collect();
        let value: usize = rng.random_range(0..2);
        let names: Vec<String> = (0..inputs).map(|input| format!("i{input}")).collect();
        let names = names.join(" ");
        let mut text = format!(".inputs {names}\n.outputs y\n.names {names} y\n");
        for line in &lines {
            text += &format!("{line} {value}\n");
        }
        let netlist = netlist(&text);
        for number in 0..1 << inputs {
            let agrees = |line: &String| {
                let mut values = line.chars().enumerate();
                values.all(|(place, value)| match value {
                    '-' => true,
                    value => number >> place & 1 == usize::from(value == '1'),
                })
            };
            let expected = match lines.iter().any(agrees) {
                true => value,
                false if lines.is_empty() => 0,
                false => 1 - value,
            };
            assert_eq!(evaluate(&netlist, number), expected, "{text}{number}");
        }
    }
}

#[test]
fn parity_of_six_signals_costs_no_and() {
    let mut text = ".inputs a b c d e f\n.outputs y\n.names a b c d e f y\n".to_owned();
    for number in (0..64u32).filter(|number| number.count_ones() % 2 == 0) {
        text += &format!("{number:06b} 0\n");
    }
    let parity = netlist(&text);
    assert_eq!(
        (parity.structure(None).and, parity.structure(None).xor),
        (0, 5)
    );
    assert_eq!([7, 3].map(|number| evaluate(&parity, number)), [1, 0]);
}

#[test]
fn a_deep_circuit_needs_no_stack() {
    let mut text = ".inputs x0 y\n.outputs x100000\n".to_owned();
    for place in (0..100_000).rev() {
        text += &format!(".names x{place} y x{}\n11 1\n", place + 1);
    }
    assert_eq!(netlist(&text).structure(None).and, 100_000);
}

#[test]
fn what_is_not_combinational_or_wrong_is_named() {
    for (text, expected) in [
        (
            ".latch a b re c 0\n",
            "line 1 of the BLIF file: latches are not supported",
        ),
        (
            ".model m\n.subckt other a=b\n",
            "line 2 of the BLIF file: \".subckt\" is not supported",
        ),
        (
            ".model a\n.model b\n",
            "line 2 of the BLIF file: the file has several models",
        ),
        (".exdc\n", "\".exdc\" is not supported"),
        (".gate and2 a=b\n", "\".gate\" is not supported"),
        (".model m\n", "there are no outputs"),
        ("11 1\n", "expected a command"),
        (
            ".names a y\n1 1\n.outputs y\n1 1\n",
            "line 4 of the BLIF file: expected a command",
        ),
        (
            ".names a b y\n1 1\n",
            "line 2 of the BLIF file: expected 2 of 0, 1 and -",
        ),
        (".names a b y\n1x 1\n", "expected 2 of"),
        (".names a b y\n11 2\n", "expected 2 of"),
        (".names a b y\n11 1 1\n", "expected 2 of"),
        (".names y\n-\n", "expected 0 of"),
        (".names a y\n1 1\n0 0\n", "not both"),
        (".names\n", "name of a signal is missing"),
        (".names y\n.names y\n", "the signal \"y\" is defined twice"),
        (".inputs a a\n", "the signal \"a\" is defined twice"),
        (
            ".inputs a\n.names a\n.outputs a\n",
            "the signal \"a\" is defined twice",
        ),
        (
            ".outputs y\n.names a y\n1 1\n",
            "line 2 of the BLIF file: the signal \"a\" is not defined",
        ),
        (
            ".outputs y\n.names z y\n1 1\n.names y z\n1 1\n",
            "depends on itself",
        ),
        (".outputs y\n.names y y\n1 1\n", "depends on itself"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
    for (text, expected) in [
        (&b".model a"[..], true),
        (b"# a comment\n\n  .inputs a\n", true),
        (b"2 4\n", false),
        (b"# only a comment", false),
        (b".5\n", false),
    ] {
        assert_eq!(begins(text), expected);
    }
}
