//! An optimised netlist computes the same outputs, is never larger, and cannot be made smaller by
//! another run.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use dealerless::circuit::bristol::{Inputs, Netlist, first_difference};
use dealerless::circuit::{Gate, Output, Wire};
use dealerless_logic::{Pass, Size, Watch, optimise};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Sees nothing, and stops after a number of questions.
struct StopAfter(AtomicUsize);

impl Watch for StopAfter {
    fn begin(&self, _: Pass, _: usize) {}
    fn end(&self, _: Pass, _: Size) {}
    fn is_stopped(&self) -> bool {
        let left = (self.0).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        left.is_err()
    }
}

fn never() -> StopAfter {
    StopAfter(AtomicUsize::new(usize::MAX))
}

fn size(netlist: &Netlist) -> Size {
    let structure = netlist.structure(None);
    Size {
        ands: structure.and,
        gates: structure.gates(),
    }
}

fn parse(text: &str) -> Netlist {
    Netlist::parse(text.as_bytes(), None).expect("a netlist")
}

/// Compares two netlists on all inputs, or on random ones if there are many input bits.
fn assert_equal(a: &Netlist, b: &Netlist) {
    let rng = &mut StdRng::seed_from_u64(1);
    let word = &mut || rng.random();
    let inputs = match a.inputs().iter().sum() {
        0..=14 => Inputs::All,
        _ => Inputs::Some {
            random: 1 << 12,
            word,
        },
    };
    assert_eq!(first_difference(a, b, inputs, |_| ()), Ok(None));
}

fn written(netlist: &Netlist) -> Vec<u8> {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("memory");
    text
}

/// Optimises a netlist, and checks the result.
fn optimised(netlist: &Netlist) -> Netlist {
    let smaller = optimise(netlist, None, &never());
    assert_equal(netlist, &smaller);
    let (before, after) = (size(netlist), size(&smaller));
    assert!(
        after.ands <= before.ands && after.gates <= before.gates,
        "{before:?} {after:?}"
    );
    let again = optimise(&smaller, None, &never());
    assert_eq!(size(&again), after, "a second run changes something");
    smaller
}

/// A netlist of random gates. The more recent a wire, the more often it is read.
fn random_netlist(rng: &mut StdRng, inputs: usize, gates: usize, outputs: usize) -> Netlist {
    let mut list = Vec::new();
    for gate in 0..gates {
        let wires = inputs + gate;
        let mut wire = || Wire::new(rng.random_range(0..wires).max(rng.random_range(0..wires)));
        let (a, b) = (wire(), wire());
        list.push(match rng.random_range(0..8) {
            0..4 => Gate::And(a, b),
            4..7 => Gate::Xor(a, b),
            _ => Gate::Not(a),
        });
    }
    let outputs = (0..outputs).map(|_| match rng.random_range(0..20) {
        0 => Output::Const(rng.random()),
        _ => Output::Wire(Wire::new(rng.random_range(0..inputs + gates))),
    });
    Netlist::new(vec![inputs], &list, &[outputs.collect()])
}

/// The sum of two numbers, with carries from three ANDs and two ORs, each OR from an AND and three
/// NOTs. `carry` is whether the carry is the last output.
fn wasteful_adder(bits: usize, carry: bool) -> Netlist {
    let mut gates = Vec::new();
    let mut push = |gate| {
        gates.push(gate);
        Wire::new(2 * bits + gates.len() - 1)
    };
    let mut sums = Vec::new();
    let mut last: Option<Wire> = None;
    for bit in 0..bits {
        let (a, b) = (Wire::new(bit), Wire::new(bits + bit));
        let half = push(Gate::Xor(a, b));
        let both = push(Gate::And(a, b));
        let Some(c) = last else {
            sums.push(half);
            last = Some(both);
            continue;
        };
        sums.push(push(Gate::Xor(half, c)));
        let mut or = |x, y| {
            let (x, y) = (push(Gate::Not(x)), push(Gate::Not(y)));
            let neither = push(Gate::And(x, y));
            push(Gate::Not(neither))
        };
        let any = or(a, b);
        let (with_any, both) = (push(Gate::And(any, c)), both);
        let mut or = |x, y| {
            let (x, y) = (push(Gate::Not(x)), push(Gate::Not(y)));
            let neither = push(Gate::And(x, y));
            push(Gate::Not(neither))
        };
        last = Some(or(with_any, both));
    }
    if carry {
        sums.extend(last);
    }
    let outputs = sums.into_iter().map(Output::Wire).collect();
    Netlist::new(vec![bits, bits], &gates, &[outputs])
}

#[test]
fn small_functions_reach_their_multiplicative_complexity() {
    let ab_bc = "3 6\n3 1 1 1\n1 1\n2 1 0 1 3 AND\n2 1 1 2 4 AND\n2 1 3 4 5 XOR\n";
    let full_adder = "5 8\n3 1 1 1\n2 1 1\n2 1 0 1 3 XOR\n2 1 0 1 4 AND\n2 1 3 2 5 AND\n\
         2 1 3 2 6 XOR\n2 1 4 5 7 XOR\n";
    let majority = "5 8\n3 1 1 1\n1 1\n2 1 0 1 3 AND\n2 1 1 2 4 AND\n2 1 0 2 5 AND\n\
         2 1 3 4 6 XOR\n2 1 5 6 7 XOR\n";
    for (text, ands) in [(ab_bc, 1), (full_adder, 1), (majority, 1)] {
        assert_eq!(size(&optimised(&parse(text))).ands, ands, "{text}");
    }
}

/// Whether a is greater than b, from the highest bit down: greater in this bit, or equal so far.
#[test]
fn comparator_of_four_bits_needs_four_ands() {
    let mut gates = String::new();
    let (mut next, mut count) = (8, 0);
    let mut gate = |line: std::fmt::Arguments<'_>| {
        writeln!(
            gates,
            "{}",
            line.to_string().replace("OUT", &next.to_string())
        )
        .unwrap();
        next += 1;
        count += 1;
        next - 1
    };
    let mut greater: Option<u32> = None;
    let mut equal: Option<u32> = None;
    for bit in (0..4).rev() {
        let not = gate(format_args!("1 1 {} OUT INV", 4 + bit));
        let here = gate(format_args!("2 1 {bit} {not} OUT AND"));
        let differ = gate(format_args!("2 1 {bit} {} OUT XOR", 4 + bit));
        let same = gate(format_args!("1 1 {differ} OUT INV"));
        let (Some(before), Some(so_far)) = (greater, equal) else {
            (greater, equal) = (Some(here), Some(same));
            continue;
        };
        let now = gate(format_args!("2 1 {here} {so_far} OUT AND"));
        equal = Some(gate(format_args!("2 1 {same} {so_far} OUT AND")));
        let (x, y) = (
            gate(format_args!("1 1 {before} OUT INV")),
            gate(format_args!("1 1 {now} OUT INV")),
        );
        let neither = gate(format_args!("2 1 {x} {y} OUT AND"));
        greater = Some(gate(format_args!("1 1 {neither} OUT INV")));
    }
    let netlist = parse(&format!("{count} {next}\n2 4 4\n1 1\n{gates}"));
    assert_eq!(size(&netlist).ands, 4 + 3 + 3 + 3);
    assert_eq!(size(&optimised(&netlist)).ands, 4);
}

#[test]
fn adder_with_four_ands_a_bit_becomes_one_with_one() {
    let adder = wasteful_adder(32, true);
    assert_eq!(size(&adder).ands, 1 + 4 * 31);
    assert_eq!(size(&optimised(&adder)).ands, 32);
    assert_eq!(size(&optimised(&wasteful_adder(32, false))).ands, 31);
}

/// A random table of six input bits as sums of minterms: it needs at most 2^6 - 7 ANDs, because so
/// many functions of six variables are independent, up to affine functions.
#[test]
fn table_of_six_bits_needs_at_most_57_ands() {
    let rng = &mut StdRng::seed_from_u64(3);
    let mut gates = Vec::new();
    let mut push = |gate| {
        gates.push(gate);
        Wire::new(6 + gates.len() - 1)
    };
    let negated: Vec<Wire> = (0..6).map(|bit| push(Gate::Not(Wire::new(bit)))).collect();
    let minterms: Vec<Wire> = (0..64)
        .map(|value: usize| {
            let literal = |bit: usize| match value >> bit & 1 {
                1 => Wire::new(bit),
                _ => negated[bit],
            };
            (1..6).fold(literal(0), |product, bit| {
                push(Gate::And(product, literal(bit)))
            })
        })
        .collect();
    let outputs: Vec<Output> = (0..8)
        .map(|_| {
            let chosen = minterms.iter().copied().filter(|_| rng.random());
            let sum = chosen.reduce(|sum, minterm| push(Gate::Xor(sum, minterm)));
            Output::Wire(sum.expect("some minterms"))
        })
        .collect();
    let netlist = Netlist::new(vec![6], &gates, &[outputs]);
    assert_eq!(size(&netlist).ands, 320);
    assert!(size(&optimised(&netlist)).ands <= 57);
}

/// With one AND, `!a & !b` is `a & b`, `!a` and `b` added: that saves an AND and costs two XORs.
#[test]
fn and_that_costs_more_gates_than_it_saves_stays() {
    let text = "4 6\n2 1 1\n4 1 1 1 1\n2 1 0 1 2 AND\n1 1 0 3 INV\n1 1 1 4 INV\n2 1 3 4 5 AND\n";
    let netlist = parse(text);
    assert_eq!(size(&optimised(&netlist)), size(&netlist));
}

/// The products of all pairs of different sums of four inputs, one pair for each plane. Six of these
/// 35 products are independent, but the others as sums of these six need more gates.
#[test]
fn limit_of_gates_allows_a_part_of_the_replacements() {
    let mut gates = Vec::new();
    let mut push = |gate| {
        gates.push(gate);
        Wire::new(4 + gates.len() - 1)
    };
    let mut sums: Vec<Wire> = vec![Wire::new(0)];
    for mask in 1..16usize {
        let last = mask.ilog2() as usize;
        sums.push(match mask ^ 1 << last {
            0 => Wire::new(last),
            rest => push(Gate::Xor(sums[rest], Wire::new(last))),
        });
    }
    let planes = (1..16).flat_map(|a| (a + 1..16).map(move |b| (a, b)));
    let products = planes
        .filter(|(a, b)| a ^ b > *b)
        .map(|(a, b)| push(Gate::And(sums[a], sums[b])));
    let mut outputs: Vec<Wire> = products.collect();
    outputs.extend(&sums[1..]);
    let outputs = outputs.into_iter().map(Output::Wire).collect();
    let netlist = Netlist::new(vec![4], &gates, &[outputs]);
    assert_eq!(
        size(&netlist),
        Size {
            ands: 35,
            gates: 46
        }
    );
    let ands = size(&optimised(&netlist)).ands;
    assert!(ands > 6 && ands < 35, "{ands}");
}

#[test]
fn netlists_without_inputs_outputs_or_gates_are_allowed() {
    let constants = vec![vec![], vec![Output::Const(true), Output::Const(false)]];
    let same_wire = vec![vec![Output::Wire(Wire::new(0)); 3]];
    for (inputs, outputs) in [
        (vec![], vec![]),
        (vec![0, 0], constants),
        (vec![0, 2], vec![]),
        (vec![1], same_wire),
    ] {
        let netlist = Netlist::new(inputs, &[], &outputs);
        assert_eq!(size(&optimised(&netlist)).gates, 0);
    }
}

#[test]
fn random_netlists_become_smaller_in_the_same_way_and_stay_equal() {
    let rng = &mut StdRng::seed_from_u64(2);
    let mut saved = 0;
    for _ in 0..400 {
        let inputs = rng.random_range(1..9);
        let gates = rng.random_range(0..120);
        let outputs = rng.random_range(1..9);
        let netlist = random_netlist(rng, inputs, gates, outputs);
        let smaller = optimised(&netlist);
        saved += size(&netlist).ands - size(&smaller).ands;
        let again = optimise(&netlist, None, &never());
        assert_eq!(
            written(&again),
            written(&smaller),
            "the result is not deterministic"
        );
    }
    assert!(saved > 10_000, "{saved}");
}

#[test]
fn netlist_of_a_shuffle_stays_equal() {
    for name in ["cut-9-of-52", "lehmer-9-of-52"] {
        let path = format!("{}/../../circuits/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        optimised(&parse(
            &std::fs::read_to_string(path).expect("a file of the repository"),
        ));
    }
}

#[test]
fn stopped_optimisation_gives_an_equal_netlist_that_is_not_larger() {
    let adder = wasteful_adder(16, true);
    let complete = size(&optimised(&adder));
    let mut sizes = Vec::new();
    for questions in [0, 1, 5, 20, 60, 200] {
        let stopped = optimise(&adder, None, &StopAfter(AtomicUsize::new(questions)));
        assert_equal(&adder, &stopped);
        sizes.push(size(&stopped));
        assert!(size(&stopped) <= size(&adder) && size(&stopped) >= complete);
    }
    assert!(sizes[0] > complete);
}

/// A decoder of eight bits into 256, from decoders of two and of four bits: 304 ANDs and eight NOTs. With
/// `dead` gates that no output needs.
fn decoder(dead: usize) -> Netlist {
    let mut gates: Vec<Gate> = (0..8).map(|bit| Gate::Not(Wire::new(bit))).collect();
    let mut ands = |low: &[Wire], high: &[Wire]| -> Vec<Wire> {
        let pairs = high.iter().flat_map(|&b| low.iter().map(move |&a| (a, b)));
        let and = |(a, b)| {
            gates.push(Gate::And(a, b));
            Wire::new(8 + gates.len() - 1)
        };
        pairs.map(and).collect()
    };
    let bit = |bit: usize| [Wire::new(8 + bit), Wire::new(bit)];
    let pairs = [0, 2, 4, 6].map(|first| ands(&bit(first), &bit(first + 1)));
    let halves = [ands(&pairs[0], &pairs[1]), ands(&pairs[2], &pairs[3])];
    let all = ands(&halves[0], &halves[1]);
    gates.extend((0..dead).map(|gate| Gate::Xor(Wire::new(gate % 8), Wire::new(8 + gate))));
    let outputs = all.into_iter().map(Output::Wire).collect();
    Netlist::new(vec![8], &gates, &[outputs])
}

/// Counts how often the limit prevented replacements.
#[derive(Default)]
struct Limited(AtomicUsize);

impl Watch for Limited {
    fn begin(&self, _: Pass, _: usize) {}
    fn end(&self, _: Pass, _: Size) {}
    fn limited(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn dead_gates_give_no_room_and_a_limit_is_reported() {
    let watch = Limited::default();
    let usual = optimise(&decoder(0), None, &watch);
    assert!(watch.0.into_inner() > 0, "the limit is not reported");
    let with_dead = optimise(&decoder(300), None, &never());
    assert_eq!(written(&with_dead), written(&usual));

    let watch = Limited::default();
    let any = optimise(&decoder(0), Some(usize::MAX), &watch);
    assert_equal(&decoder(0), &any);
    assert_eq!(watch.0.into_inner(), 0);
    let (usual, any) = (size(&usual), size(&any));
    assert!(
        any.ands < usual.ands && any.gates > usual.gates,
        "{usual:?} {any:?}"
    );
    let some = optimise(&decoder(0), Some((usual.gates + any.gates) / 2), &never());
    assert!((any.ands..=usual.ands).contains(&size(&some).ands));
}

#[test]
fn long_chains_need_no_stack() {
    let depth = 200_000;
    let gates: Vec<Gate> = (0..depth)
        .map(|gate| {
            let (last, input) = (Wire::new((gate + 2) - 1), Wire::new(gate % 2));
            match gate % 3 {
                0 => Gate::Xor(last, input),
                1 => Gate::And(last, input),
                _ => Gate::Not(last),
            }
        })
        .collect();
    let netlist = Netlist::new(vec![2], &gates, &[vec![Output::Wire(Wire::new(depth + 1))]]);
    optimised(&netlist);
}
