use std::collections::BTreeSet;

use rand::RngExt;

use super::{Aig, Encoding, Position, write};
use crate::circuit::bristol::{Inputs, Netlist, Step, first_difference};
use crate::circuit::{Gate, Output, Wire};
use crate::testing::circuits::random_circuit_of;
use crate::testing::session::system_rng;

const ENCODINGS: [Encoding; 2] = [Encoding::Ascii, Encoding::Binary];

fn read(text: &str) -> Netlist {
    let aig = Aig::parse(text.as_bytes()).unwrap();
    aig.netlist(None, None).unwrap()
}

fn written(netlist: &Netlist, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(netlist, encoding, &mut bytes).unwrap();
    bytes
}

/// The numbers of AND, XOR and NOT gates, and of constants and copies.
fn counts(netlist: &Netlist) -> [usize; 4] {
    let structure = netlist.structure(None);
    [
        structure.and,
        structure.xor,
        structure.not,
        structure.copies,
    ]
}

#[track_caller]
fn assert_same_function(a: &Netlist, b: &Netlist) {
    assert_eq!(first_difference(a, b, Inputs::All, |_| ()), Ok(None));
}

/// The outputs for each input, as digits. The first bit of the first value is the lowest bit of
/// the input.
fn table(netlist: &Netlist) -> Vec<String> {
    let bits: usize = netlist.inputs().iter().sum();
    let inputs = (0..1 << bits).map(|input: usize| {
        let mut bits = (0..bits).map(|bit| input >> bit & 1 == 1);
        let widths = netlist.inputs().iter();
        widths
            .map(|&width| bits.by_ref().take(width).collect())
            .collect::<Vec<_>>()
    });
    let digits = |bits: &[bool]| {
        bits.iter()
            .map(|&bit| char::from(b'0' + u8::from(bit)))
            .collect()
    };
    inputs
        .map(|input| {
            let words = netlist.evaluate(&input).unwrap();
            let words: Vec<String> = words.iter().map(|word| digits(word)).collect();
            words.join(" ")
        })
        .collect()
}

/// The half adder of the format's report, whose ANDs are not in order.
const HALF_ADDER: &str = "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\n\
     i0 x\ni1 y\no0 s\no1 c\nc\nhalf adder\n\u{fffd}";

#[test]
fn small_files_in_both_encodings_compute_their_functions() {
    let half_adder = read(HALF_ADDER);
    assert_eq!(table(&half_adder), ["0 0", "1 0", "1 0", "0 1"]);
    // The carry is an output, so its AND is kept beside the XOR.
    assert_eq!(counts(&half_adder), [1, 1, 0, 0]);

    let and = "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n";
    assert_eq!(table(&read(and)), ["0", "0", "0", "1"]);
    let or = "aag 3 2 0 1 1\n2\n4\n7\n6 3 5\n";
    assert_eq!(table(&read(or)), ["0", "1", "1", "1"]);
    assert_eq!(counts(&read(or)), [1, 0, 3, 0]);
    // Literal 6 is the AND of literals 4 and 2: the differences are 2 and 2.
    let binary_and = "aig 3 2 0 1 1\n6\n\u{2}\u{2}i0 x\ni1 y\n";
    assert_eq!(table(&read(binary_and)), ["0", "0", "0", "1"]);
    assert_eq!(read(binary_and).inputs(), [1, 1]);

    let constants = "aag 1 1 0 4 0\n2\n0\n1\n2\n3\n";
    assert_eq!(table(&read(constants)), ["0101", "0110"]);
    assert_eq!(read("aag 0 0 0 0 0\n").wires(), 0);
    assert_eq!(
        read("aag 0 0 0 1 0 0 0 0 0\n1\n").evaluate(&[]),
        Ok(vec![vec![true]])
    );
    // Windows line ends.
    assert_eq!(table(&read(&and.replace('\n', "\r\n"))), table(&read(and)));
}

#[test]
fn written_netlist_reads_back_the_same() {
    let rng = &mut system_rng();
    for _ in 0..400 {
        let circuit = random_circuit_of(&[3, 0, 4], rng);
        let netlist = Netlist::from(&circuit);
        let [ascii, binary] = ENCODINGS.map(|encoding| {
            let bytes = written(&netlist, encoding);
            let netlist = Aig::parse(&bytes).unwrap().netlist(None, None).unwrap();
            assert_eq!(netlist.inputs(), [3, 4]);
            netlist
        });
        assert_eq!(ascii.steps(), binary.steps());
        assert_same_function(&netlist, &ascii);
        let [and, xor, ..] = counts(&netlist);
        let [and_again, xor_again, ..] = counts(&ascii);
        assert!(and_again <= and, "{and_again} {and}");
        assert!(xor_again + and_again <= xor + and);
    }
}

#[test]
fn every_xor_that_was_written_is_recovered() {
    let rng = &mut system_rng();
    for _ in 0..100 {
        let inputs = 6;
        let mut gates = Vec::new();
        for gate in 0..30 {
            let [a, b] = [(); 2].map(|()| Wire::new(rng.random_range(0..inputs + gate)));
            gates.push(if gate % 3 == 0 {
                Gate::And(a, b)
            } else {
                Gate::Xor(a, b)
            });
        }
        let outputs = (inputs..inputs + gates.len()).map(|wire| Output::Wire(Wire::new(wire)));
        let netlist = Netlist::new(vec![inputs], &gates, &[outputs.collect()]);
        for encoding in ENCODINGS {
            let aig = Aig::parse(&written(&netlist, encoding)).unwrap();
            assert_eq!(aig.ands(), 10 + 3 * 20);
            let again = aig.netlist(None, None).unwrap();
            // Operands may be swapped.
            let steps = |netlist: &Netlist| -> Vec<_> {
                let reads = |step: &Step| step.operation.reads().collect::<BTreeSet<_>>();
                let steps = netlist.steps().iter();
                steps.map(|step| (step.sets, reads(step))).collect()
            };
            assert_eq!(steps(&again), steps(&netlist));
            assert_eq!(counts(&again), counts(&netlist));
        }
    }
}

#[test]
fn gates_on_constants_and_copies_survive_as_a_function() {
    // An inner constant and a copy, a XOR with both constants, a XOR and an AND of equal operands.
    let text = "9 11\n1 2\n2 1 2\n1 1 1 2 EQ\n1 1 0 3 EQW\n2 1 2 3 4 XOR\n2 1 4 2 5 AND\n\
         2 1 1 1 6 XOR\n2 1 1 1 7 AND\n2 1 6 5 8 XOR\n2 1 7 5 9 AND\n1 1 7 10 INV\n";
    let netlist = Netlist::parse(text.as_bytes(), None).unwrap();
    for encoding in ENCODINGS {
        let again = Aig::parse(&written(&netlist, encoding)).unwrap();
        let again = again.netlist(None, None).unwrap();
        assert_eq!(again.outputs(), [1, 2]);
        assert_same_function(&netlist, &again);
    }
}

#[test]
fn operands_of_a_xor_are_kept_if_they_have_another_reader() {
    let xor = "10\n6 4 2\n8 5 3\n10 9 7\n";
    let with = |header: &str, more: &str| counts(&read(&format!("{header}\n2\n4\n{xor}{more}")));
    assert_eq!(with("aag 5 2 0 1 3", ""), [0, 1, 0, 0]);
    // An AND that reads one of them. No output needs this AND, but it is kept as written.
    assert_eq!(with("aag 6 2 0 1 4", "12 6 2\n"), [2, 1, 0, 0]);
    // An output that is the other.
    let text = format!("aag 5 2 0 2 3\n2\n4\n9\n{xor}");
    assert_eq!(counts(&read(&text)), [1, 1, 3, 0]);
    // The outputs are the OR and the XOR.
    assert_eq!(table(&read(&text)), ["00", "11", "11", "10"]);
}

#[test]
fn xnor_and_negated_operands_need_no_and() {
    // XOR of x and a negated y, with the operands of the second AND in the other order.
    let text = "aag 5 2 0 2 3\n2\n4\n10\n11\n6 5 2\n8 3 4\n10 9 7\ni0 x\ni1 y\no0 xnor\no1 xor\n";
    assert_eq!(table(&read(text)), ["1 0", "0 1", "0 1", "1 0"]);
    assert_eq!(counts(&read(text))[..3], [0, 1, 1]);
    // Not a XOR: the pairs are not complementary.
    let text = "aag 6 3 0 1 3\n2\n4\n6\n12\n8 4 2\n10 5 7\n12 11 9\n";
    assert_eq!(counts(&read(text))[..2], [3, 0]);
}

#[test]
fn negations_are_shared_and_constants_folded() {
    // Three ANDs read the negated input 1; literal 8 is 0 and literal 10 is input 0.
    let text = "aag 8 2 0 3 6\n2\n4\n6\n12\n16\n6 5 2\n8 6 0\n10 2 9\n12 10 5\n14 1 5\n16 14 12\n";
    let netlist = read(text);
    assert_eq!(counts(&netlist), [3, 0, 1, 0]);
    assert_eq!(table(&netlist), ["000", "111", "000", "000"]);
}

#[test]
fn names_with_indices_form_values() {
    let values = |names: &[&str]| {
        let names = (0..).zip(names).map(|(place, name)| match *name {
            "" => String::new(),
            name => format!("i{place} {name}\n"),
        });
        let names: Vec<String> = names.collect();
        let bits = names.len();
        let lines: String = (1..=bits)
            .map(|variable| format!("{}\n", 2 * variable))
            .collect();
        // The outputs are the inputs, in one value: the order of the inputs is visible.
        let text = format!(
            "aag {bits} {bits} 0 {bits} 0\n{lines}{lines}{}",
            names.concat()
        );
        let netlist = read(&text);
        let mut copies: Vec<_> = (netlist.steps().iter())
            .flat_map(|step| step.operation.reads())
            .map(Wire::index)
            .collect();
        let places = copies.clone();
        copies.sort_unstable();
        assert_eq!(copies, (0..bits).collect::<Vec<_>>());
        (netlist.inputs().to_vec(), places)
    };
    let in_order = |bits: usize| (0..bits).collect::<Vec<_>>();
    for (names, widths) in [
        (&["a[0]", "a[1]", "b[0]"][..], &[2, 1][..]),
        (&["x", "y", "z"], &[1, 1, 1]),
        (&["a[0]", "a", "a[1]x"], &[1, 1, 1]),
        (&["m[0][4]", "m[0][5]", "m[1][4]"], &[2, 1]),
        (
            &["a[x]", "a[]", "a[-1]", "[0]", "a[99999999999999999999]"],
            &[1, 1, 1, 1, 1],
        ),
        // Without all names, or with the same name twice, nothing is known.
        (&["a[0]", "", "a[1]"], &[3]),
        (&["a[0]", "b[0]", "a[00]"], &[3]),
        (&["", ""], &[2]),
    ] {
        assert_eq!(
            values(names),
            (widths.to_vec(), in_order(names.len())),
            "{names:?}"
        );
    }
    let interleaved = values(&["b[1]", "a[5]", "b[0]", "a[4]", "c"]);
    assert_eq!(interleaved, (vec![2, 2, 1], vec![1, 3, 0, 2, 4]));
    assert_eq!(values(&[]), (vec![], vec![]));
}

#[test]
fn given_widths_take_precedence_over_names() {
    let aig = Aig::parse(HALF_ADDER.as_bytes()).unwrap();
    let netlist = aig.netlist(Some(&[2]), Some(&[0, 2])).unwrap();
    assert_eq!(
        (netlist.inputs(), netlist.outputs()),
        (&[2][..], &[0, 2][..])
    );
    assert_eq!(table(&netlist), [" 00", " 10", " 10", " 01"]);
    let error = aig.netlist(None, Some(&[1, usize::MAX])).unwrap_err();
    assert_eq!(
        (error.what, error.bits, error.sum),
        ("output", 2, usize::MAX)
    );
    let error = aig.netlist(Some(&[1]), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the netlist has 2 input bits, but the given widths add up to 1"
    );
}

#[test]
fn every_error_names_its_line_or_byte() {
    for (text, message) in [
        (
            "",
            "line 1: not AIGER: the first line must begin with `aag ` or `aig `",
        ),
        (
            "aag\n",
            "line 1: not AIGER: the first line must begin with `aag ` or `aig `",
        ),
        ("aag 1 1 0 0\n", "line 1: a number is missing"),
        ("aag 1 1 0 0 x\n", "line 1: expected a decimal number"),
        ("aag 1 1 0 0 -1\n", "line 1: expected a decimal number"),
        (
            "aag 1 1 0 0 4294967296\n",
            "line 1: the number is too large",
        ),
        ("aag 1 1 0 0 0 0 0 0 0 0\n", "line 1: too many numbers"),
        (
            "aag 1 0 1 0 0\n2 3\n",
            "line 1: latches are not supported: the circuit must be combinational",
        ),
        (
            "aag 1 1 0 0 0 1\n2\n2\n",
            "line 1: bad state properties are not supported: the circuit must be combinational",
        ),
        (
            "aag 1 1 0 0 0 0 1\n",
            "line 1: invariant constraints are not supported: the circuit must be combinational",
        ),
        (
            "aag 1 1 0 0 0 0 0 1\n",
            "line 1: justice properties are not supported: the circuit must be combinational",
        ),
        (
            "aag 1 1 0 0 0 0 0 0 1\n",
            "line 1: fairness constraints are not supported: the circuit must be combinational",
        ),
        (
            "aag 65537 1 0 0 0\n",
            "line 1: 65537 variables declared, but a file of this size may have at most 65536",
        ),
        (
            "aag 1 65537 0 0 0\n",
            "line 1: 65537 inputs declared, but a file of this size may have at most 65536",
        ),
        (
            "aag 1 1 0 65537 0\n",
            "line 1: 65537 outputs declared, but a file of this size may have at most 65536",
        ),
        (
            "aag 1 1 0 0 65537\n",
            "line 1: 65537 ANDs declared, but a file of this size may have at most 65536",
        ),
        (
            "aag 2 1 0 0 2\n",
            "line 1: the maximum variable is 2, but there are 3 inputs and ANDs",
        ),
        (
            "aig 3 1 0 0 1\n",
            "line 1: the maximum variable is 3, but there are 2 inputs and ANDs",
        ),
        (
            "aag 2 2 0 0 0\n2\n",
            "line 3: expected an input, found the end of the file",
        ),
        (
            "aag 1 1 0 2 0\n2\n2",
            "line 4: expected an output, found the end of the file",
        ),
        (
            "aag 2 1 0 0 1\n2\n",
            "line 3: expected an AND, found the end of the file",
        ),
        ("aag 1 1 0 0 0\n\n", "line 2: a number is missing"),
        ("aag 1 1 0 0 0\n2 2\n", "line 2: too many numbers"),
        (
            "aag 1 1 0 0 0\n\u{ff}\n",
            "line 2: expected a decimal number",
        ),
        (
            "aag 1 1 0 0 0\n3\n",
            "line 2: literal 3 cannot be defined: it must be even and not 0",
        ),
        (
            "aag 1 1 0 0 0\n0\n",
            "line 2: literal 0 cannot be defined: it must be even and not 0",
        ),
        (
            "aag 1 1 0 0 0\n4\n",
            "line 2: literal 4 is out of range: the maximum variable is 1",
        ),
        (
            "aag 2 2 0 0 0\n2\n2\n",
            "line 3: literal 2 is defined twice",
        ),
        (
            "aag 3 1 0 0 2\n2\n4 2 2\n4 2 2\n",
            "line 4: literal 4 is defined twice",
        ),
        (
            "aag 2 1 0 0 1\n2\n2 2 2\n",
            "line 3: literal 2 is defined twice",
        ),
        (
            "aag 2 1 0 0 1\n2\n4 2 6\n",
            "line 3: literal 6 is out of range: the maximum variable is 2",
        ),
        (
            "aag 2 1 0 1 0\n2\n5\n",
            "line 3: literal 5 is used, but its variable is not defined",
        ),
        (
            "aag 4 1 0 1 2\n2\n8\n8 4 2\n4 7 2\n",
            "line 5: literal 7 is used, but its variable is not defined",
        ),
        (
            "aag 2 1 0 0 1\n2\n4 5 2\n",
            "line 3: this AND depends on itself",
        ),
        (
            "aag 4 1 0 0 3\n2\n4 2 3\n6 2 8\n8 7 4\n",
            "line 5: this AND depends on itself",
        ),
        (
            "aag 1 1 0 0 0\n2\nx\n",
            "line 3: expected the name of an input or output (such as `i0 a`), or a comment (`c`)",
        ),
        (
            "aag 1 1 0 0 0\n2\ni0\n",
            "line 3: expected the name of an input or output (such as `i0 a`), or a comment (`c`)",
        ),
        (
            "aag 1 1 0 0 0\n2\ni 0\n",
            "line 3: expected the name of an input or output (such as `i0 a`), or a comment (`c`)",
        ),
        (
            "aag 1 1 0 0 0\n2\ni1 a\n",
            "line 3: a name for input 1, but there are 1, numbered from 0",
        ),
        (
            "aag 1 1 0 0 0\n2\no0 a\n",
            "line 3: a name for output 0, but there are 0, numbered from 0",
        ),
        (
            "aag 1 1 0 0 0\n2\ni0 a\ni0 b\n",
            "line 4: input 0 is named twice",
        ),
        (
            "aig 1 1 0 1 0\n4\n",
            "line 2: literal 4 is out of range: the maximum variable is 1",
        ),
        (
            "aig 1 1 0 1 0\n",
            "line 2: expected an output, found the end of the file",
        ),
        (
            "aig 3 1 0 0 2\n\u{2}\u{0}",
            "byte 16: expected an AND, found the end of the file",
        ),
        (
            "aig 2 1 0 0 1\n\u{0}\u{0}",
            "byte 14: invalid difference: the operands of an AND must be below its own literal",
        ),
        (
            "aig 2 1 0 0 1\n\u{5}\u{0}",
            "byte 14: invalid difference: the operands of an AND must be below its own literal",
        ),
        (
            "aig 2 1 0 0 1\n\u{2}\u{3}",
            "byte 14: invalid difference: the operands of an AND must be below its own literal",
        ),
        (
            "aig 2 1 0 0 1\n\u{2}\u{0}l0 x\n",
            "byte 16: expected the name of an input or output (such as `i0 a`), or a comment (`c`)",
        ),
    ] {
        let error = Aig::parse(text.as_bytes()).unwrap_err();
        let message = message.replacen(": ", " of the AIGER file: ", 1);
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}

#[test]
fn long_difference_is_refused_before_it_overflows() {
    let with = |difference: &[u8]| {
        let file = [b"aig 2 1 0 0 1\n", difference].concat();
        Aig::parse(&file).map_err(|error| (error.position, error.kind.to_string()))
    };
    // Differences of 2 and 0, with superfluous groups.
    assert!(with(&[0x82, 0x80, 0x80, 0x80, 0x00, 0x80, 0x00]).is_ok());
    for long in [
        &[0x82, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00][..],
        &[0x82, 0x80, 0x80, 0x80, 0x10, 0x00],
        &[0xff; 30],
    ] {
        let (position, message) = with(long).unwrap_err();
        assert_eq!(position, Position::Byte(14));
        assert!(message.starts_with("invalid difference"), "{message}");
    }
}

#[test]
fn deep_graph_in_reverse_order_is_sorted_without_recursion() {
    // AND g reads AND g + 1; the last one reads the inputs.
    let ands = 100_000;
    let mut text = format!("aag {} 2 0 1 {ands}\n2\n4\n6\n", ands + 2);
    for gate in 0..ands {
        let literal = 6 + 2 * gate;
        let below = if gate + 1 < ands { literal + 2 } else { 4 };
        text += &format!("{literal} {below} 2\n");
    }
    let netlist = read(&text);
    assert_eq!(netlist.structure(None).and_depth, ands);
    assert_eq!(table(&netlist), ["0", "0", "0", "1"]);
    // The same with a cycle through all of them.
    let cycle = text.replace(" 4 2\n", " 6 2\n");
    let error = Aig::parse(cycle.as_bytes()).unwrap_err();
    assert_eq!(error.position, Position::Line(4 + ands as u64));
}

#[test]
fn changed_bytes_give_an_error_or_another_readable_file() {
    let rng = &mut system_rng();
    let mut faults = 0;
    for _ in 0..3_000 {
        let netlist = Netlist::from(&random_circuit_of(&[2, 3], rng));
        let mut file = written(&netlist, ENCODINGS[rng.random_range(0..2)]);
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..file.len());
            file[at] = match rng.random_range(0..3) {
                0 => rng.random(),
                _ => b"0123456789 \n"[rng.random_range(0..12)],
            };
        }
        let Ok(aig) = Aig::parse(&file) else {
            faults += 1;
            continue;
        };
        let netlist = aig.netlist(None, None).unwrap();
        for encoding in ENCODINGS {
            let again = Aig::parse(&written(&netlist, encoding)).unwrap();
            let again = again.netlist(None, None).unwrap();
            let word = &mut || rng.random();
            let inputs = Inputs::Some { random: 64, word };
            assert_eq!(first_difference(&netlist, &again, inputs, |_| ()), Ok(None));
        }
    }
    assert!((300..2_900).contains(&faults), "{faults} faults");
}
