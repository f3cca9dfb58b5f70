use std::collections::BTreeMap;

use dealerless::circuit::{Gate, Output, Wire};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::*;

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(7)
}

/// A netlist of random gates on `bits` input bits, with `outputs` of its wires as one output value.
fn random_netlist(bits: usize, gates: usize, outputs: usize, rng: &mut ChaCha8Rng) -> Netlist {
    let mut list = Vec::new();
    for place in bits..bits + gates {
        let wire = |rng: &mut ChaCha8Rng| {
            // Mostly recent wires, so that the netlist is deep.
            let recent = rng.random_range(place.saturating_sub(20)..place);
            Wire::new(if rng.random() {
                recent
            } else {
                rng.random_range(0..place)
            })
        };
        let (a, b) = (wire(rng), wire(rng));
        list.push(match rng.random_range(0..5) {
            0 => Gate::Not(a),
            1 | 2 => Gate::And(a, b),
            _ => Gate::Xor(a, b),
        });
    }
    let all = bits + gates;
    let bit = |rng: &mut ChaCha8Rng| match rng.random_range(0..20) {
        0 => Output::Const(true),
        1 => Output::Wire(Wire::new(rng.random_range(0..bits))),
        _ => Output::Wire(Wire::new(rng.random_range(all - gates.min(30)..all))),
    };
    let outputs = (0..outputs).map(|_| bit(rng)).collect();
    Netlist::new(vec![bits], &list, &[outputs])
}

/// The outcomes over all varying bits, by the evaluation of the netlist gate by gate.
fn counted_one_by_one(
    netlist: &Netlist,
    sources: &[Source],
    fixed: &[bool],
    ranges: &[Range],
) -> BTreeMap<Vec<bool>, u64> {
    let varying = sources
        .iter()
        .filter(|s| matches!(s, Source::Varying(_)))
        .count();
    let mut counts = BTreeMap::new();
    for number in 0..1u64 << varying {
        let input: Vec<bool> = (sources.iter().zip(fixed))
            .map(|(source, &fixed)| match *source {
                Source::Const(bit) => bit,
                Source::Parameter(_) => fixed,
                Source::Varying(bit) => number >> bit & 1 == 1,
            })
            .collect();
        let in_range = |range: &Range| {
            let bits = input[range.wires()].iter().rev();
            let value = bits.fold(0u128, |value, &bit| 2 * value + u128::from(bit));
            (u128::from(range.low)..range.end()).contains(&value)
        };
        let mut outputs = netlist.evaluate(&[input.clone()]).unwrap();
        let mut outputs = outputs.pop().unwrap();
        // The last bit is the validity.
        if outputs.pop().unwrap() && ranges.iter().all(in_range) {
            *counts.entry(outputs).or_insert(0) += 1;
        }
    }
    counts
}

fn counted<const W: usize>(
    program: &Program,
    fixed: &[bool],
    start_each: bool,
) -> BTreeMap<Vec<bool>, u64> {
    let mut machine = Machine::new(program);
    machine.set(|wire| [u64::from(fixed[wire]).wrapping_neg(); WORDS]);
    let bits = program.outcome_bits();
    let mut counts = BTreeMap::new();
    for block in 0..1 << program.block_digits() {
        match block {
            0 => machine.start(0),
            _ if start_each => machine.start(block),
            _ => machine.advance(),
        }
        machine.outcomes::<W>(program.lanes(), |_, key| {
            let outcome = (0..bits).map(|bit| key[bit / 64] >> (bit % 64) & 1 == 1);
            *counts.entry(outcome.collect()).or_insert(0) += 1;
        });
    }
    counts
}

#[test]
fn compiled_netlist_has_the_same_outcomes_as_the_evaluation_gate_by_gate() {
    let mut rng = rng();
    for round in 0..60 {
        let varying = [0, 3, 6, 9, 12, 13][round % 6];
        let (constants, parameters) = (round % 4, round % 5);
        let bits = varying + constants + parameters;
        if bits == 0 {
            continue;
        }
        let outputs = [3, 20, 70, 130][round % 4];
        let netlist = random_netlist(bits, 200, outputs, &mut rng);
        let mut sources = vec![Source::Const(round % 2 == 0); bits];
        for (wire, source) in sources
            .iter_mut()
            .enumerate()
            .skip(constants)
            .take(parameters)
        {
            *source = Source::Parameter(wire);
        }
        for (number, source) in sources
            .iter_mut()
            .skip(constants + parameters)
            .rev()
            .enumerate()
        {
            *source = Source::Varying(number);
        }
        let fixed: Vec<bool> = (0..bits).map(|_| rng.random()).collect();
        let mut ranges = Vec::new();
        if varying > 3 {
            ranges.push(Range {
                first_wire: bits - 3,
                bits: 3,
                low: 2,
                count: 5,
            });
        }
        let first = netlist.first_output();
        let outcome: Vec<usize> = (first..netlist.wires() - 1).collect();
        let wanted = Wanted {
            outcome: &outcome,
            valid: &[(netlist.wires() - 1, true)],
            ranges: &ranges,
        };
        let program = Program::compile(&netlist, &sources, &wanted);
        let expected = counted_one_by_one(&netlist, &sources, &fixed, &ranges);
        assert_eq!(counted::<4>(&program, &fixed, false), expected, "{round}");
        assert_eq!(counted::<4>(&program, &fixed, true), expected, "{round}");
    }
}
