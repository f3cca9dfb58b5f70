//! Random netlists keep their meaning when they are read and written. A damaged netlist is refused
//! or read as another netlist.

use std::collections::HashMap;

use dealerless::circuit::bristol;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{evaluate_circuit, read, written};

/// Evaluates a valid netlist by its definition. It shares no code with the crate.
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
            "OR" => vec![wires[&ins[0]] || wires[&ins[1]]],
            "INV" | "NOT" => vec![!wires[&ins[0]]],
            "EQ" => vec![ins[0] == 1],
            "EQW" => vec![wires[&ins[0]]],
            "MAND" => (0..outs.len())
                .map(|i| wires[&ins[i]] && wires[&ins[i + outs.len()]])
                .collect(),
            other => panic!("unknown operation {other}"),
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

/// A gate of a random netlist: its kind and the earlier wires that it reads.
type RandomGate = (u8, Vec<Index>);

/// Random netlists with every operation, and their numbers of input bits.
///
/// The inner wires are numbered in a random order. The wires of the output values are the last
/// wires that the gates set, in the order of the gates.
fn netlists() -> impl Strategy<Value = (String, usize)> {
    let widths = prop::collection::vec(0..5usize, 0..4);
    let gate = (0..8u8, prop::collection::vec(any::<Index>(), 6));
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
        let (ins, outs, operation) = match kind % 8 {
            _ if wires == 0 => (vec![operands[0].index(2)], 1, "EQ"),
            0 => (vec![operands[0].index(2)], 1, "EQ"),
            kind => {
                let (ins, outs, operation) = match kind {
                    1 => (2, 1, "XOR"),
                    2 => (2, 1, "AND"),
                    3 => (1, 1, "INV"),
                    4 => (1, 1, "NOT"),
                    5 => (1, 1, "EQW"),
                    6 => (2, 1, "OR"),
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

    // Wires that are neither inputs nor outputs are numbered in a random order.
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

/// Random texts, with their numbers of input bits. The header is valid, and most gates read and set
/// wires that they may read and set. About a quarter of the texts are valid netlists.
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
                // Some gates read a wire that is not set yet.
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
    fn circuit_that_was_read_computes_its_netlist(
        (netlist, input_bits) in netlists(),
        bits in prop::collection::vec(any::<bool>(), 16),
    ) {
        let circuit = read(&netlist);
        prop_assert_eq!(circuit.input_bits(), input_bits);
        let inputs = &bits[..input_bits];
        prop_assert_eq!(evaluate_circuit(&circuit, inputs), evaluate_netlist(&netlist, inputs));
    }

    #[test]
    fn written_netlist_computes_its_circuit_and_reads_back_unchanged(
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
    fn arbitrary_gates_are_read_correctly_or_refused(
        (netlist, input_bits) in scribbles(),
        bits in prop::collection::vec(any::<bool>(), 16),
    ) {
        match bristol::parse(netlist.as_bytes()) {
            Ok(circuit) => {
                let inputs = &bits[..input_bits];
                let outputs = evaluate_netlist(&netlist, inputs);
                prop_assert_eq!(evaluate_circuit(&circuit, inputs), outputs);
            }
            // The header is valid.
            Err(error) => prop_assert!(error.line > 3, "{}", error),
        }
    }

    #[test]
    fn damaged_netlist_is_read_or_refused(
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
