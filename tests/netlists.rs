//! Netlists in the Bristol Fashion: what is written computes the circuit, what is read computes
//! the netlist, and what is not a netlist is refused with the line at fault.

use std::collections::HashMap;
use std::io::{self, BufReader, Read};

use dealerless::circuit::bristol::{self, NetlistErrorKind};
use dealerless::circuit::{Bit, Builder, Circuit};
use proptest::prelude::*;
use proptest::sample::Index;

/// Evaluates a well-formed netlist by its definition, and shares no code with the crate.
fn evaluate_netlist(netlist: &str, inputs: &[bool]) -> Vec<bool> {
    let mut lines = netlist
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|fields| !fields.is_empty());
    let mut header = || -> Vec<usize> {
        let fields = lines.next().expect("a header of three lines");
        fields.iter().map(|field| field.parse().unwrap()).collect()
    };
    let (sizes, _inputs, outputs) = (header(), header(), header());
    let mut wires: HashMap<usize, bool> = inputs.iter().copied().enumerate().collect();
    for fields in lines {
        let (numbers, operation) = fields.split_at(fields.len() - 1);
        let numbers: Vec<usize> = numbers.iter().map(|field| field.parse().unwrap()).collect();
        let (ins, outs) = numbers[2..].split_at(numbers[0]);
        let results: Vec<bool> = match operation[0] {
            "XOR" => vec![wires[&ins[0]] != wires[&ins[1]]],
            "AND" => vec![wires[&ins[0]] && wires[&ins[1]]],
            "INV" | "NOT" => vec![!wires[&ins[0]]],
            "EQ" => vec![ins[0] == 1],
            "EQW" => vec![wires[&ins[0]]],
            "MAND" => (0..outs.len())
                .map(|i| wires[&ins[i]] && wires[&ins[i + outs.len()]])
                .collect(),
            other => panic!("{other} is no operation"),
        };
        for (&wire, result) in outs.iter().zip(results) {
            assert_eq!(wires.insert(wire, result), None, "wire {wire} is set twice");
        }
    }
    let output_bits: usize = outputs[1..].iter().sum();
    (sizes[1] - output_bits..sizes[1])
        .map(|wire| wires[&wire])
        .collect()
}

/// Evaluates a circuit on bits that are dealt to its input values in order.
fn evaluate_circuit(circuit: &Circuit, inputs: &[bool]) -> Vec<bool> {
    let mut bits = inputs.iter().copied();
    let values: Vec<Vec<bool>> = circuit
        .inputs()
        .iter()
        .map(|&width| bits.by_ref().take(width).collect())
        .collect();
    let outputs = circuit
        .evaluate(&values)
        .expect("inputs of the right shape");
    outputs.concat()
}

fn written(circuit: &Circuit) -> String {
    let mut netlist = Vec::new();
    bristol::write(circuit, &mut netlist).expect("memory takes any write");
    String::from_utf8(netlist).expect("a netlist is ASCII")
}

fn read(netlist: &str) -> Circuit {
    bristol::parse(netlist.as_bytes()).unwrap_or_else(|error| panic!("{error} in\n{netlist}"))
}

/// A gate of a random netlist: its kind, and the earlier wires that it reads.
type RandomGate = (u8, Vec<Index>);

/// A random netlist with every operation, and its number of input bits.
///
/// The wires that are not inputs are numbered in a random order, except that those of the output
/// values are the last set, so that the gates set them in their order.
fn netlists() -> impl Strategy<Value = (String, usize)> {
    let widths = prop::collection::vec(0..5usize, 0..4);
    let gate = (0..7u8, prop::collection::vec(any::<Index>(), 6));
    let gates = prop::collection::vec(gate, 0..40);
    let outputs = prop::collection::vec(0..4usize, 0..4);
    (widths, gates, outputs, any::<u64>()).prop_map(|(inputs, gates, outputs, seed)| {
        let input_bits = inputs.iter().sum();
        (netlist(&inputs, &gates, outputs, seed), input_bits)
    })
}

fn netlist(inputs: &[usize], gates: &[RandomGate], mut outputs: Vec<usize>, seed: u64) -> String {
    let input_bits: usize = inputs.iter().sum();
    let mut wires = input_bits;
    let mut lines: Vec<(Vec<usize>, Vec<usize>, &str)> = Vec::new();
    for (kind, operands) in gates {
        let (ins, outs, operation) = match kind % 7 {
            _ if wires == 0 => (vec![operands[0].index(2)], 1, "EQ"),
            0 => (vec![operands[0].index(2)], 1, "EQ"),
            kind => {
                let (ins, outs, operation) = match kind {
                    1 => (2, 1, "XOR"),
                    2 => (2, 1, "AND"),
                    3 => (1, 1, "INV"),
                    4 => (1, 1, "NOT"),
                    5 => (1, 1, "EQW"),
                    _ => (6, 3, "MAND"),
                };
                let ins = operands[..ins].iter().map(|operand| operand.index(wires));
                (ins.collect(), outs, operation)
            }
        };
        lines.push((ins, (wires..wires + outs).collect(), operation));
        wires += outs;
    }
    while outputs.iter().sum::<usize>() > wires {
        outputs.pop();
    }

    // Wires that are neither inputs nor outputs may have any of their numbers.
    let inner = input_bits..usize::max(input_bits, wires - outputs.iter().sum::<usize>());
    let mut numbers: Vec<usize> = (0..wires).collect();
    let mut state = seed | 1;
    for i in inner.clone().rev() {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let j = inner.start + (state >> 33) as usize % (i - inner.start + 1);
        numbers.swap(i, j);
    }

    let line = |values: &[usize]| {
        let fields: Vec<String> = values.iter().map(ToString::to_string).collect();
        fields.join(" ")
    };
    let mut text = format!("{} {wires}\n", lines.len());
    for values in [inputs, &outputs] {
        text += &format!("{} {}\n", values.len(), line(values));
    }
    text += "\n";
    for (ins, outs, operation) in lines {
        let number = |wires: &[usize]| wires.iter().map(|&wire| numbers[wire]).collect::<Vec<_>>();
        let read = if operation == "EQ" { ins } else { number(&ins) };
        let fields = [vec![read.len(), outs.len()], read, number(&outs)].concat();
        text += &format!("{} {operation}\n", line(&fields));
    }
    text
}

/// A header, gates that read and set mostly what they may, and the number of input bits. About one
/// in four is a netlist.
fn scribbles() -> impl Strategy<Value = (String, usize)> {
    let operations = prop::sample::select(vec![
        (2, 1, "XOR"),
        (2, 1, "AND"),
        (1, 1, "INV"),
        (1, 1, "EQW"),
        (1, 1, "EQ"),
        (4, 2, "MAND"),
        (1, 1, "XOR"),
        (2, 2, "AND"),
        (0, 0, "MAND"),
        (3, 1, "NAND"),
    ]);
    let wires = prop::collection::vec(any::<Index>(), 6);
    let gates = prop::collection::vec((operations, wires), 0..4);
    (1..3usize, 0..3usize, gates).prop_map(|(inputs, outputs, gates)| {
        let set: usize = gates.iter().map(|((_, outs, _), _)| outs).sum();
        let wires = inputs + set.max(outputs);
        let mut text = format!("{} {wires}\n1 {inputs}\n1 {outputs}\n", gates.len());
        let mut next = inputs;
        for ((ins, outs, operation), places) in gates {
            text += &format!("{ins} {outs}");
            for place in &places[..ins] {
                // One that is not set yet, now and then.
                text += &format!(" {}", place.index(8 * next + 1) / 8);
            }
            for place in &places[ins..ins + outs] {
                text += &format!(" {}", next + place.index(9) / 8);
                next += 1;
            }
            text += &format!(" {operation}\n");
        }
        (text, inputs)
    })
}

proptest! {
    #[test]
    fn a_netlist_that_is_read_computes_what_its_lines_say(
        (netlist, input_bits) in netlists(),
        bits in prop::collection::vec(any::<bool>(), 16),
    ) {
        let circuit = read(&netlist);
        prop_assert_eq!(circuit.input_bits(), input_bits);
        let inputs = &bits[..input_bits];
        prop_assert_eq!(evaluate_circuit(&circuit, inputs), evaluate_netlist(&netlist, inputs));
    }

    #[test]
    fn a_netlist_that_is_written_computes_the_circuit_and_reads_back_the_same(
        (netlist, input_bits) in netlists(),
        bits in prop::collection::vec(any::<bool>(), 16),
    ) {
        let circuit = read(&netlist);
        let again = written(&circuit);
        let inputs = &bits[..input_bits];
        prop_assert_eq!(evaluate_netlist(&again, inputs), evaluate_circuit(&circuit, inputs));
        prop_assert_eq!(read(&again).digest(), circuit.digest());
        prop_assert_eq!(written(&read(&again)), again);
    }

    #[test]
    fn any_gates_are_read_as_their_lines_say_or_refused(
        (netlist, input_bits) in scribbles(),
        bits in prop::collection::vec(any::<bool>(), 16),
    ) {
        match bristol::parse(netlist.as_bytes()) {
            Ok(circuit) => {
                let inputs = &bits[..input_bits];
                let outputs = evaluate_netlist(&netlist, inputs);
                prop_assert_eq!(evaluate_circuit(&circuit, inputs), outputs);
            }
            // The header is in order.
            Err(error) => prop_assert!(error.line > 3, "{}", error),
        }
    }

    #[test]
    fn a_damaged_netlist_is_read_or_refused(
        (netlist, _) in netlists(),
        place in any::<Index>(),
        damage in prop::sample::select(vec!["", " ", "\n", "0", "9", "99999999999", "-", "X"]),
        length in 0..4usize,
    ) {
        let mut bytes = netlist.into_bytes();
        let start = place.index(bytes.len());
        let end = usize::min(start + length, bytes.len());
        bytes.splice(start..end, damage.bytes());
        if let Ok(circuit) = bristol::parse(&bytes) {
            prop_assert_eq!(read(&written(&circuit)).digest(), circuit.digest());
        }
    }
}

#[test]
fn the_gates_of_a_written_netlist_drive_its_outputs_directly() {
    let mut b = Builder::new(&[2, 1]);
    let ([x, y], [z]) = (
        b.input(0).try_into().expect("two bits"),
        b.input(1).try_into().expect("one bit"),
    );
    let sum: Bit = b.xor(x, y);
    let product = b.and(sum, z);
    let not_product = b.not(product);
    let circuit = b.build(vec![
        vec![not_product, Bit::ONE, x],
        vec![],
        vec![sum, not_product, Bit::ZERO],
    ]);
    // The sum and the negation have numbers among the last six wires; only the product is inner.
    assert_eq!(
        written(&circuit),
        "7 10\n\
         2 2 1\n\
         3 3 0 3\n\
         \n\
         2 1 0 1 7 XOR\n\
         2 1 7 2 3 AND\n\
         1 1 3 4 INV\n\
         1 1 1 5 EQ\n\
         1 1 0 6 EQW\n\
         1 1 4 8 EQW\n\
         1 1 0 9 EQ\n"
    );
}

#[test]
fn negations_keep_their_order_when_they_are_written_and_read() {
    let mut b = Builder::new(&[3]);
    let [x, y, z] = b.input(0).try_into().expect("three bits");
    // The XOR comes first here and second in the layer, which begins with both ANDs.
    let product = b.and(x, y);
    let sum = b.xor(product, z);
    let other_product = b.and(y, z);
    let negations = vec![b.not(sum), b.not(other_product)];
    let circuit = b.build(vec![negations]);
    assert_eq!(read(&written(&circuit)).digest(), circuit.digest());
}

#[test]
fn a_circuit_without_inputs_gates_or_outputs_can_be_written_and_read() {
    let empty = Builder::new(&[]).build(vec![]);
    assert_eq!(written(&empty), "0 0\n0\n0\n\n");
    assert_eq!(read("0 0\n0\n0\n\n").digest(), empty.digest());
    let constant = read("1 1\n0\n1 1\n\n1 1 1 0 EQ\n");
    assert_eq!(constant.evaluate(&[]), Ok(vec![vec![true]]));
    let identity = read("0 2\n2 0 2\n3 1 0 1\n");
    let outputs = identity.evaluate(&[vec![], vec![true, false]]);
    assert_eq!(outputs, Ok(vec![vec![true], vec![], vec![false]]));
}

#[test]
fn many_values_without_bits_are_read_in_no_time_and_more_are_refused() {
    let netlist = |inputs: usize, outputs: usize| {
        let values = |count| format!("{count}{}", " 0".repeat(count));
        format!("0 0\n{}\n{}\n", values(inputs), values(outputs))
    };
    let circuit = read(&netlist(65_536, 65_536));
    assert_eq!(circuit.inputs().len(), 65_536);
    assert_eq!(circuit.outputs().len(), 65_536);
    for (line, inputs, outputs) in [(2, 1_000_000, 1), (3, 1, 8_000_000)] {
        let error = bristol::parse(netlist(inputs, outputs).as_bytes()).expect_err("too many");
        let declared = inputs.max(outputs);
        assert_eq!(
            error.to_string(),
            format!(
                "line {line} of the netlist: it declares {declared} values without bits, \
                 more than the 65536 that a file of this size may"
            )
        );
    }
}

#[test]
fn many_values_of_one_bit_are_read_in_no_time() {
    let wires = 100_000;
    let ones = format!("{wires}{}", " 1".repeat(wires));
    let netlist = format!("0 {wires}\n{ones}\n{ones}\n{}", "\n".repeat(wires));
    assert_eq!(read(&netlist).outputs().len(), wires);
}

#[test]
fn blank_lines_tabs_carriage_returns_and_trailing_blanks_are_no_fault() {
    let plain = read("2 5\n2 1 2\n1 1\n\n2 1 0 1 3 AND\n2 1 3 2 4 XOR\n");
    let odd = read("\n2 5 \r\n\t2 1 2 \n\n1 1\n\r\n\n2 1\t0 1  3 AND\n\n 2 1 3 2 4 XOR \n \n\n");
    assert_eq!(odd.digest(), plain.digest());
    let without_a_last_line_end = read("2 5\n2 1 2\n1 1\n2 1 0 1 3 AND\n2 1 3 2 4 XOR");
    assert_eq!(without_a_last_line_end.digest(), plain.digest());
}

#[test]
fn a_mand_pairs_each_operand_with_the_one_half_a_list_later() {
    let circuit = read("1 6\n1 4\n1 2\n\n4 2 0 2 1 3 4 5 MAND\n");
    assert_eq!(circuit.ands(), 2);
    for input in 0..16 {
        let bits: Vec<bool> = (0..4).map(|i| input >> i & 1 == 1).collect();
        let expected = [bits[0] && bits[1], bits[2] && bits[3]];
        assert_eq!(evaluate_circuit(&circuit, &bits), expected);
    }
}

#[test]
fn bytes_beyond_the_stated_size_are_not_read() {
    let netlist = b"0 1\n1 1\n1 1\n";
    let endless = netlist.chain(io::repeat(b'\n'));
    let circuit = bristol::read(BufReader::new(endless), netlist.len() as u64);
    assert_eq!(circuit.expect("a netlist and no more").wires(), 1);
}

/// Netlists that are none, each with the message that says why.
const MALFORMED: &[(&str, &str)] = &[
    // The header.
    (
        "",
        "line 1 of the netlist: the file ends where the number of gates and of wires should be",
    ),
    (
        "\n\n",
        "line 3 of the netlist: the file ends where the number of gates and of wires should be",
    ),
    ("1", "line 1 of the netlist: a field is missing"),
    ("1 2 3", "line 1 of the netlist: there is a field too many"),
    (
        "one 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "-1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "+1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "0x1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "18446744073709551616 2",
        "line 1 of the netlist: a number is too large",
    ),
    (
        "1000000000000000000 2",
        "line 1 of the netlist: it declares 1000000000000000000 gates, \
         more than the 65536 that a file of this size may",
    ),
    (
        "1 65537",
        "line 1 of the netlist: it declares 65537 wires, \
         more than the 65536 that a file of this size may",
    ),
    (
        "0 2",
        "line 2 of the netlist: the file ends where the input values should be",
    ),
    ("0 2\n2 1", "line 2 of the netlist: a field is missing"),
    (
        "0 2\n1 1 1",
        "line 2 of the netlist: there is a field too many",
    ),
    (
        "0 2\n18446744073709551615 1",
        "line 2 of the netlist: a field is missing",
    ),
    (
        "0 2\n2 1 2",
        "line 2 of the netlist: the input values have more bits than there are wires (2)",
    ),
    (
        "0 2\n2 2 18446744073709551615",
        "line 2 of the netlist: the input values have more bits than there are wires (2)",
    ),
    (
        "0 2\n2 1 1",
        "line 3 of the netlist: the file ends where the output values should be",
    ),
    (
        "0 2\n2 1 1\n1 3",
        "line 3 of the netlist: the output values have more bits than there are wires (2)",
    ),
    // The number of gates.
    (
        "1 3\n2 1 1\n1 1\n",
        "line 4 of the netlist: the file ends where a gate should be",
    ),
    (
        "0 2\n2 1 1\n1 1\n\n2 1 0 1 2 AND",
        "line 5 of the netlist: there are more lines than the 0 gates declared",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND\n\nthe end",
        "line 6 of the netlist: there are more lines than the 1 gates declared",
    ),
    // The fields of a gate.
    (
        "1 3\n2 1 1\n1 1\n2",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 AND",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 2 AND",
        "line 4 of the netlist: there is a field too many",
    ),
    (
        "1 3\n2 1 1\n1 1\n18446744073709551615 18446744073709551615 0 1 2 MAND",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 x 2 AND",
        "line 4 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 99999999999999999999 2 AND",
        "line 4 of the netlist: a number is too large",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 NAND",
        "line 4 of the netlist: it is none of XOR, AND, INV, NOT, EQ, EQW and MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 and",
        "line 4 of the netlist: it is none of XOR, AND, INV, NOT, EQ, EQW and MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 0 2 AND",
        "line 4 of the netlist: a gate of this kind does not have 1 inputs and 1 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 INV",
        "line 4 of the netlist: a gate of this kind does not have 2 inputs and 1 outputs",
    ),
    (
        "1 4\n2 1 1\n1 1\n2 2 0 1 2 3 XOR",
        "line 4 of the netlist: a gate of this kind does not have 2 inputs and 2 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n3 1 0 1 1 2 MAND",
        "line 4 of the netlist: a gate of this kind does not have 3 inputs and 1 outputs",
    ),
    (
        "1 2\n2 1 1\n1 1\n0 0 MAND",
        "line 4 of the netlist: a gate of this kind does not have 0 inputs and 0 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 2 2 EQ",
        "line 4 of the netlist: EQ takes the constant 0 or 1, not 2",
    ),
    // The wires of a gate.
    (
        "1 3\n2 1 1\n1 1\n2 1 0 3 2 AND",
        "line 4 of the netlist: wire 3 does not exist: there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 3 AND",
        "line 4 of the netlist: wire 3 does not exist: there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 18446744073709551615 2 EQW",
        "line 4 of the netlist: wire 18446744073709551615 does not exist: \
         there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 2 2 AND",
        "line 4 of the netlist: wire 2 is read before it is set",
    ),
    (
        "2 4\n2 1 1\n1 1\n1 1 3 2 INV\n2 1 0 1 3 AND",
        "line 4 of the netlist: wire 3 is read before it is set",
    ),
    (
        "1 6\n1 4\n1 2\n4 2 0 1 2 4 4 5 MAND",
        "line 4 of the netlist: wire 4 is read before it is set",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 1 XOR",
        "line 4 of the netlist: wire 1 is set for the second time",
    ),
    (
        "2 3\n2 1 1\n1 1\n2 1 0 1 2 XOR\n\n2 1 0 1 2 AND",
        "line 6 of the netlist: wire 2 is set for the second time",
    ),
    (
        "1 6\n1 4\n1 2\n4 2 0 1 2 3 4 4 MAND",
        "line 4 of the netlist: wire 4 is set for the second time",
    ),
    (
        "1 4\n2 1 1\n1 2\n2 1 0 1 3 AND\n",
        "line 5 of the netlist: the file ends and output wire 2 has not been set",
    ),
    // The text.
    (
        "0 2\n2 1 1\n1 ١\n",
        "line 3 of the netlist: it is not plain ASCII text",
    ),
];

#[test]
fn a_malformed_netlist_is_refused_with_its_line_and_fault() {
    for (netlist, message) in MALFORMED {
        match bristol::parse(netlist.as_bytes()) {
            Ok(_) => panic!("read without a fault: {netlist:?}"),
            Err(error) => assert_eq!(error.to_string(), *message, "{netlist:?}"),
        }
    }
    let not_utf8 = bristol::parse(b"0 2\n2 1 1\n1 \xff\n").expect_err("no netlist");
    assert_eq!(
        not_utf8.to_string(),
        "line 3 of the netlist: it is not plain ASCII text"
    );
}

#[test]
fn no_more_wires_are_believed_than_the_file_can_name() {
    let declare = |wires: u64, size: u64| {
        let netlist = format!("0 {wires}\n0\n0\n");
        bristol::read(netlist.as_bytes(), size)
    };
    assert!(declare(65_536, 12).is_ok());
    assert!(declare(100_000, 500_000).is_ok());
    let error = declare(100_001, 500_000).expect_err("one wire too many");
    assert!(matches!(error.kind, NetlistErrorKind::Implausible { .. }));
    let error = declare(1 << 31, u64::MAX).expect_err("no builder holds so many");
    assert!(matches!(error.kind, NetlistErrorKind::TooLarge));
}

#[test]
fn a_file_that_names_each_of_its_many_wires_in_few_bytes_is_believed() {
    // The shortest there are: every wire is an operand or a result once, in one long line.
    let wires = 65_538;
    let numbers: Vec<String> = (0..wires).map(|wire| wire.to_string()).collect();
    let (ins, outs) = (2 * wires / 3, wires / 3);
    let netlist = format!(
        "1 {wires}\n1 {ins}\n1 {outs}\n{ins} {outs} {} MAND\n",
        numbers.join(" ")
    );
    assert_eq!(read(&netlist).ands(), outs);
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let endless = BufReader::new(b"1 3\n2 1 1\n1 1\n".chain(io::repeat(b'1')));
    let error = bristol::read(endless, u64::MAX).expect_err("no netlist");
    assert_eq!(error.line, 4);
    assert!(matches!(error.kind, NetlistErrorKind::LongLine));
}

#[test]
fn a_reader_that_fails_is_reported_with_the_line() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let netlist = BufReader::new(b"1 3\n2 1 1\n".chain(Broken));
    let error = bristol::read(netlist, 100).expect_err("no netlist");
    assert_eq!(
        error.to_string(),
        "line 3 of the netlist: it cannot be read: the disk is gone"
    );
}
