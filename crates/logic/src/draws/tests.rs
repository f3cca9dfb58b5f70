use std::collections::BTreeMap;

use dealerless::circuit::{Gate, Output, Wire};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::program::{Machine, Program, Source, WORDS, Wanted};
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
        let mut outputs = netlist.evaluate(std::slice::from_ref(&input)).unwrap();
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

/// A netlist without gates, whose output values are copies of input bits.
fn wiring(inputs: &[usize], outputs: &[&[usize]]) -> Netlist {
    let output = |&wire: &usize| Output::Wire(Wire::new(wire));
    let outputs: Vec<Vec<Output>> = (outputs.iter())
        .map(|bits| bits.iter().map(output).collect())
        .collect();
    Netlist::new(inputs.to_vec(), &[], &outputs)
}

/// The entries of a netlist whose first value is the garbler's and whose second the evaluator's.
fn entries(netlist: &Netlist) -> Vec<Entry> {
    let values = netlist.inputs().iter().zip(Party::BOTH);
    let entries = values.flat_map(|(&bits, party)| vec![Entry::Of(party); bits]);
    entries.collect()
}

/// What is found with the garbler honest, for all inputs of the evaluator.
fn examined(netlist: &Netlist, ranges: Vec<Range>, layout: &Layout, deck: Deck) -> Finding {
    let shuffle = Shuffle::new(netlist, entries(netlist), ranges);
    let space = shuffle.space(&[Party::Evaluator]);
    let finding = shuffle.examine(
        layout,
        &[Party::Garbler],
        &space,
        &Fixed::All,
        deck,
        &|_| ControlFlow::Continue(()),
    );
    finding.unwrap()
}

fn one_card(bits: ops::Range<usize>, valid: &[(usize, bool)]) -> Layout {
    Layout {
        cards: vec![bits],
        valid: valid.to_vec(),
    }
}

#[test]
fn numbers_are_counted_in_their_ranges() {
    // The garbler's number is the card.
    for (bits, low, count) in [(3, 0, 5), (3, 3, 5), (4, 9, 1), (4, 7, 2), (12, 100, 3000)] {
        let all: Vec<usize> = (0..bits).collect();
        let netlist = wiring(&[bits, 2], &[&all]);
        let range = Range {
            first_wire: 0,
            bits,
            low,
            count,
        };
        let layout = one_card(0..bits, &[]);
        let finding = examined(&netlist, vec![range], &layout, Deck::AtLeast(&[]));
        assert!(finding.counterexample.is_none(), "{bits} {low} {count}");
        let deck: Vec<u64> = (low..low + count).collect();
        assert_eq!((finding.deck, finding.each), (deck, Some((1, 1))));
        assert_eq!(finding.valid, Some((count, count)));
        assert_eq!((finding.fixed, finding.rejected), (4, 0));
    }
    // 9 to 10 differ in the lowest two bits, so only these vary.
    let netlist = wiring(&[4, 0], &[&[0]]);
    let range = Range {
        first_wire: 0,
        bits: 4,
        low: 9,
        count: 2,
    };
    let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![range]);
    let space = shuffle.space(&[Party::Garbler]);
    assert_eq!((space.bits(), space.inputs()), (2, Some(2)));
    assert_eq!(shuffle.any_bits(&[Party::Garbler]).inputs(), Some(16));
}

#[test]
fn draws_are_uniform_only_over_the_same_deck_for_each_fixed_input() {
    // The evaluator's bit is a bit of the card. So each fixed input lacks the cards of the other.
    let netlist = wiring(&[2, 1], &[&[0, 2]]);
    let layout = one_card(0..2, &[]);
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    assert_eq!(finding.deck, [0, 1, 2, 3]);
    let found = finding.counterexample.unwrap();
    let Bias::Unequal {
        least, distance, ..
    } = found.bias
    else {
        panic!("{:?}", found.bias);
    };
    let never = Outcome {
        cards: vec![0],
        times: 0,
    };
    assert_eq!((found.fixed[2], least), (true, never));
    assert_eq!(distance.fraction, Some((1, 2)));
    // With a deck of which only some cards occur, the first fixed input is a counterexample.
    let finding = examined(&netlist, vec![], &layout, Deck::Exactly(&[0, 1, 2, 3]));
    assert_eq!((finding.fixed, finding.counterexample.is_some()), (1, true));
    // The deck does not have all cards that occur.
    let finding = examined(&netlist, vec![], &layout, Deck::Exactly(&[0, 1, 2]));
    let found = finding.counterexample.unwrap();
    assert!(
        matches!(found.bias, Bias::Unequal { .. }),
        "{:?}",
        found.bias
    );
    let finding = examined(&netlist, vec![], &layout, Deck::Exactly(&[0]));
    let found = finding.counterexample.unwrap();
    assert!(
        matches!(found.bias, Bias::NoDraw { times: 2, .. }),
        "{:?}",
        found.bias
    );
}

#[test]
fn fixed_inputs_are_rejected_only_if_no_input_of_the_honest_party_is_valid() {
    // The evaluator's two bits must be 1 and 0.
    let netlist = wiring(&[3, 2], &[&[0, 1], &[3, 4]]);
    let layout = one_card(0..2, &[(2, true), (3, false)]);
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    assert_eq!((finding.fixed, finding.rejected), (4, 3));
    assert_eq!((finding.valid, finding.each), (Some((8, 8)), Some((2, 2))));
    // The garbler's third bit must be 1.
    let netlist = wiring(&[3, 2], &[&[0, 1], &[2]]);
    let layout = one_card(0..2, &[(2, true)]);
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    assert_eq!((finding.valid, finding.each), (Some((4, 4)), Some((1, 1))));
    // A bit that is never right.
    let layout = one_card(0..1, &[(1, true), (1, false)]);
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    assert_eq!(
        (finding.rejected, finding.valid, finding.each),
        (4, None, None)
    );
}

#[test]
fn counts_are_the_same_with_few_and_with_many_varying_bits() {
    // The card is the AND of two bits, and the others do not matter. With up to 8 bits, several
    // fixed inputs share a block; with more than 16, all threads count one of them.
    for bits in [2, 3, 8, 9, 10, 16, 17, 20] {
        let and = Gate::And(Wire::new(0), Wire::new(bits - 1));
        let card = Output::Wire(Wire::new(bits + 3));
        let netlist = Netlist::new(vec![bits, 3], &[and], &[vec![card]]);
        let finding = examined(&netlist, vec![], &one_card(0..1, &[]), Deck::AtLeast(&[]));
        let found = finding.counterexample.unwrap();
        let quarter = 1 << (bits - 2);
        let outcome = |card, times| Outcome {
            cards: vec![card],
            times,
        };
        let expected = Bias::Unequal {
            most: outcome(0, 3 * quarter),
            least: outcome(1, quarter),
            distance: Distance {
                fraction: Some((1, 4)),
                value: 0.25,
            },
        };
        assert_eq!((found.valid, found.bias), (4 * quarter, expected), "{bits}");
        assert_eq!(finding.evaluations, 1 << bits);
    }
}

#[test]
fn cards_are_read_across_words() {
    // Three cards of 50 bits, of which two bits vary.
    let mut rng = rng();
    let bits = 150;
    let zeros = vec![Output::Const(false); 48];
    let card = |first: usize| {
        let low = [first, first + 1].map(|wire| Output::Wire(Wire::new(wire)));
        [zeros.clone(), low.to_vec()].concat()
    };
    let netlist = Netlist::new(vec![6, 0], &[], &[card(0), card(2), card(4)]);
    let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![]);
    let samples = Samples::new(&shuffle, &mut rng).unwrap();
    let layout = Layout::infer(&shuffle, &samples, || false).unwrap();
    assert_eq!(layout.cards, [0..50, 50..100, 100..bits]);
    let deck: Vec<u64> = (0..4).map(|card| card << 48).collect();
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    assert_eq!(finding.deck, deck);
    let found = finding.counterexample.unwrap();
    // 64 - 4 · 3 · 2 outcomes repeat a card.
    let first = Outcome {
        cards: vec![0, 0, 0],
        times: 1,
    };
    assert_eq!(found.bias, Bias::NoDraw { first, times: 40 });
}

#[test]
fn first_missing_draw_is_found_in_lexicographic_order() {
    // Two cards of two bits: x, and x with its lowest bit flipped.
    let not = Gate::Not(Wire::new(0));
    let wire = |wire| Output::Wire(Wire::new(wire));
    let outputs = [vec![wire(0), wire(1)], vec![wire(2), wire(1)]];
    let netlist = Netlist::new(vec![2, 0], &[not], &outputs);
    let layout = Layout {
        cards: vec![0..2, 2..4],
        valid: vec![],
    };
    let finding = examined(&netlist, vec![], &layout, Deck::AtLeast(&[]));
    let Bias::Unequal {
        most,
        least,
        distance,
    } = finding.counterexample.unwrap().bias
    else {
        panic!("not uniform");
    };
    assert_eq!((most.cards, most.times), (vec![0, 1], 1));
    assert_eq!((least.cards, least.times), (vec![0, 2], 0));
    // 4 of 12 draws occur.
    assert_eq!(distance.fraction, Some((2, 3)));
    assert_eq!(number_of_draws(4, 2), Some(12));
    assert_eq!(number_of_draws(3, 4), Some(0));
    assert_eq!(number_of_draws(52, 52), None);
}

#[test]
fn what_is_too_large_is_refused() {
    let error = |bits: usize, outputs: usize, layout: &Layout| {
        let outputs: Vec<usize> = (0..outputs).collect();
        let netlist = wiring(&[bits, 0], &[&outputs]);
        let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![]);
        let nobody = shuffle.space(&[]);
        let (honest, deck) = ([Party::Garbler], Deck::AtLeast(&[]));
        let finding = shuffle.examine(layout, &honest, &nobody, &Fixed::All, deck, &|_| {
            ControlFlow::Continue(())
        });
        finding.unwrap_err()
    };
    assert_eq!(error(40, 1, &one_card(0..1, &[])), CountError::Inputs(40));
    assert_eq!(error(13, 13, &one_card(0..13, &[])), CountError::Cards);
    assert_eq!(error(17, 17, &one_card(0..17, &[])), CountError::Outcomes);
    let layout = Layout {
        cards: vec![0..13; 40],
        valid: vec![],
    };
    assert_eq!(error(13, 13, &layout), CountError::OutcomeBits(520));
}

#[test]
fn random_fixed_inputs_are_not_all_rejected() {
    // One input of the evaluator in 2^12 is valid, and the garbler has many inputs.
    let mut gates = Vec::new();
    let mut all = Wire::new(18);
    for bit in 19..30 {
        gates.push(Gate::And(all, Wire::new(bit)));
        all = Wire::new(30 + gates.len() - 1);
    }
    let outputs = [vec![Output::Wire(Wire::new(0))], vec![Output::Wire(all)]];
    let netlist = Netlist::new(vec![18, 12], &gates, &outputs);
    let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![]);
    let space = shuffle.space(&[Party::Evaluator]);
    let fixed = Fixed::Random { seed: 7, count: 5 };
    let layout = one_card(0..1, &[(1, true)]);
    let honest = [Party::Garbler];
    let finding = shuffle.examine(
        &layout,
        &honest,
        &space,
        &fixed,
        Deck::AtLeast(&[]),
        &|_| ControlFlow::Continue(()),
    );
    let finding = finding.unwrap();
    assert_eq!((finding.fixed, finding.rejected), (5, 0));
    assert_eq!(finding.each, Some((1 << 17, 1 << 17)));
}

/// Whether a function of input bits is the AND of a function of the first ones and a function of the
/// others, from its values on all inputs.
fn is_and_of_two(bits: [usize; 2], of: impl Fn(usize, usize) -> bool) -> bool {
    let [first, second] = bits.map(|bits| 0..1usize << bits);
    let row = |g: usize| -> Vec<bool> { second.clone().map(|e| of(g, e)).collect() };
    let rows: Vec<Vec<bool>> = first.map(row).filter(|row| row.contains(&true)).collect();
    rows.windows(2).all(|pair| pair[0] == pair[1])
}

#[test]
fn separate_checks_are_told_from_joint_ones() {
    let mut rng = rng();
    let mut separate = 0;
    for round in 0..400 {
        let bits = [1 + round % 4, 1 + round / 4 % 4];
        let all = bits[0] + bits[1];
        let netlist = random_netlist(all, 4 + round % 9, 1, &mut rng);
        let netlist = netlist.regrouped(Some(&bits), Some(&[1])).unwrap();
        let input = |g: usize, e: usize| -> Vec<bool> {
            (0..all)
                .map(|bit| (g | e << bits[0]) >> bit & 1 == 1)
                .collect()
        };
        let of = |g: usize, e: usize| {
            let wires = input(g, e);
            let (g, e) = wires.split_at(bits[0]);
            netlist.evaluate(&[g.to_vec(), e.to_vec()]).unwrap()[0][0]
        };
        let pairs =
            (0..1usize << bits[0]).flat_map(|g| (0..1usize << bits[1]).map(move |e| (g, e)));
        let Some((g, e)) = pairs.clone().find(|&(g, e)| of(g, e)) else {
            continue;
        };
        let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![]);
        let found = shuffle.checks_separately(&[(0, true)], &input(g, e), || false);
        assert_eq!(found, is_and_of_two(bits, of), "round {round}");
        separate += usize::from(found);
    }
    assert!((50..350).contains(&separate), "{separate}");
}

#[test]
fn count_ends_when_the_caller_asks() {
    for bits in [3, 10, 20] {
        let netlist = wiring(&[bits, 20], &[&[0, bits]]);
        let shuffle = Shuffle::new(&netlist, entries(&netlist), vec![]);
        let space = shuffle.space(&[Party::Evaluator]);
        let (honest, deck) = ([Party::Garbler], Deck::AtLeast(&[]));
        let layout = one_card(0..1, &[]);
        let stop = |_| ControlFlow::Break(());
        let finding = shuffle.examine(&layout, &honest, &space, &Fixed::All, deck, &stop);
        let finding = finding.unwrap();
        assert!(finding.stopped && finding.fixed < 1 << 20, "{finding:?}");
        assert_eq!(finding.accepted, u128::from(finding.fixed) << bits);
    }
}
