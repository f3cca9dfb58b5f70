use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::thread;

use dealerless::circuit::bristol::{Inputs, Netlist, first_difference, write};
use dealerless::circuit::{Bit, Builder, gadgets, to_bits};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::cnf::Stop;
use super::cones::{Cones, Proof};
use super::literal::Literal;
use super::nodes::Nodes;
use super::window::Window;
use super::{Verdict, decide, outputs};

fn parse(text: &str) -> Netlist {
    Netlist::parse(text.as_bytes(), None).unwrap()
}

/// A netlist of two words of `width` bits, with one output word.
fn netlist(width: usize, build: impl Fn(&mut Builder, &[Bit], &[Bit]) -> Vec<Bit>) -> Netlist {
    let mut builder = Builder::new(&[width, width]);
    let (x, y) = (builder.input(0), builder.input(1));
    let output = build(&mut builder, &x, &y);
    let mut text = Vec::new();
    write(&builder.build(vec![output]), &mut text).unwrap();
    Netlist::parse(&text, None).unwrap()
}

fn decided(a: &Netlist, b: &Netlist) -> Verdict {
    decide(a, b, || false, |_, _| ()).unwrap()
}

/// Whether the netlists are equal. Checks the input on which they differ.
fn equal(a: &Netlist, b: &Netlist) -> bool {
    match decided(a, b) {
        Verdict::Equal => true,
        Verdict::Different(input) => {
            assert_ne!(outputs(a, &input), outputs(b, &input));
            false
        }
        Verdict::Undecided { .. } => panic!("nothing stopped the search"),
    }
}

/// An adder with one carry from the bits `x`, `y` and the carry before.
fn ripple(width: usize, carry: impl Fn(&mut Builder, Bit, Bit, Bit) -> Bit) -> Netlist {
    netlist(width, |b, x, y| {
        let mut last = Bit::ZERO;
        let mut sum = Vec::new();
        for (&x, &y) in x.iter().zip(y) {
            let partial = b.xor(x, y);
            sum.push(b.xor(partial, last));
            last = carry(b, x, y, last);
        }
        sum.push(last);
        sum
    })
}

fn own_adder(width: usize) -> Netlist {
    netlist(width, |b, x, y| {
        let (mut sum, carry) = gadgets::add(b, x, y, Bit::ZERO);
        sum.push(carry);
        sum
    })
}

/// An adder in which each carry is computed in logarithmic depth (a Kogge-Stone adder).
fn prefix_adder(width: usize) -> Netlist {
    netlist(width, |b, x, y| {
        let pairs = || x.iter().zip(y);
        let mut propagate: Vec<Bit> = pairs().map(|(&x, &y)| b.xor(x, y)).collect();
        let mut generate: Vec<Bit> = pairs().map(|(&x, &y)| b.and(x, y)).collect();
        let partial = propagate.clone();
        let mut distance = 1;
        while distance < width {
            for place in (distance..width).rev() {
                let carried = b.and(propagate[place], generate[place - distance]);
                generate[place] = b.xor(generate[place], carried);
                propagate[place] = b.and(propagate[place], propagate[place - distance]);
            }
            distance *= 2;
        }
        let mut sum = vec![partial[0]];
        sum.extend((1..width).map(|place| b.xor(partial[place], generate[place - 1])));
        sum.push(generate[width - 1]);
        sum
    })
}

#[test]
fn adders_of_different_designs_are_equal() {
    for width in [32, 64] {
        let own = own_adder(width);
        let three = ripple(width, |b, x, y, z| {
            let products = [b.and(x, y), b.and(y, z), b.and(x, z)];
            let sum = b.xor(products[0], products[1]);
            b.xor(sum, products[2])
        });
        let or = ripple(width, |b, x, y, z| {
            let (either, both) = (b.or(x, y), b.and(x, y));
            let carried = b.and(either, z);
            b.or(both, carried)
        });
        let prefix = prefix_adder(width);
        assert!(three.structure(None).and > 2 * own.structure(None).and);
        for other in [&three, &or, &prefix] {
            assert!(equal(&own, other));
            assert!(equal(other, &own));
        }
        assert!(equal(&or, &prefix));
    }
}

/// Whether the two words together are the number.
fn is_number(b: &mut Builder, x: &[Bit], y: &[Bit], number: u64) -> Bit {
    let bits = [x, y].concat();
    let mut all = Bit::ONE;
    for (&bit, expected) in bits.iter().zip(to_bits(number, bits.len()).unwrap()) {
        let agrees = b.xor(bit, Bit::from(!expected));
        all = b.and(all, agrees);
    }
    all
}

#[test]
fn difference_on_a_single_input_is_found() {
    let number = 0x9abc_def0_1234_5677;
    let rare = netlist(32, |b, x, y| vec![is_number(b, x, y, number)]);
    let never = netlist(32, |_, _, _| vec![Bit::ZERO]);
    let input = to_bits(number, 64).unwrap();
    assert_eq!(decided(&rare, &never), Verdict::Different(input.clone()));
    let wrong = netlist(32, |b, x, y| {
        let (mut sum, carry) = gadgets::add(b, x, y, Bit::ZERO);
        let flip = is_number(b, x, y, number);
        sum[17] = b.xor(sum[17], flip);
        sum.push(carry);
        sum
    });
    assert_eq!(
        decided(&prefix_adder(32), &wrong),
        Verdict::Different(input)
    );
}

/// The product of two words.
fn multiplier(width: usize, swap: bool) -> Netlist {
    netlist(width, |b, x, y| {
        let (x, y) = if swap { (y, x) } else { (x, y) };
        let mut sum = vec![Bit::ZERO; 2 * width];
        for (place, &y) in y.iter().enumerate() {
            let row: Vec<Bit> = x.iter().map(|&x| b.and(x, y)).collect();
            let (added, carry) = gadgets::add(b, &sum[place..place + width], &row, Bit::ZERO);
            sum[place..place + width].copy_from_slice(&added);
            sum[place + width] = carry;
        }
        sum
    })
}

#[test]
fn search_ends_soon_after_the_caller_stops_it() {
    let [a, b] = [false, true].map(|swap| multiplier(16, swap));
    for limit in [0, 1, 100, 10_000, 300_000] {
        let calls = Rc::new(Cell::new(0));
        let counted = Rc::clone(&calls);
        let stop = move || {
            counted.set(counted.get() + 1);
            counted.get() > limit
        };
        let verdict = decide(&a, &b, stop, |_, _| ()).unwrap();
        let Verdict::Undecided { proved, of } = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(of, 32);
        assert!(proved < 32);
        assert!(calls.get() <= limit + 10, "{} calls", calls.get());
    }
    assert!(equal(&multiplier(5, false), &multiplier(5, true)));
}

#[test]
fn deep_netlists_need_no_deep_stack() {
    // Each gate reads the gate before it and an input. With `swap`, the inputs of pairs of gates
    // are swapped.
    let chain = |gates: usize, operation: &str, swap: usize| {
        let lines = (0..gates).map(|gate| {
            let input = (gate ^ swap) % 40;
            let before = if gate == 0 { 39 } else { 39 + gate };
            format!("2 1 {before} {input} {} {operation}\n", 40 + gate)
        });
        let lines: String = lines.collect();
        parse(&format!("{gates} {}\n1 40\n1 1\n{lines}", 40 + gates))
    };
    let check = move || {
        let [a, b] = [0, 1].map(|swap| chain(1_000_000, "XOR", swap));
        assert!(equal(&a, &b));
        // Gates that no rule simplifies: x AND, y XOR, in turn.
        let mixed = |gates: usize, last: &str| {
            let lines = (0..gates).map(|gate| {
                let operation = if gate % 2 == 0 { "AND" } else { "XOR" };
                let operation = if gate + 1 == gates { last } else { operation };
                let input = (gate * gate + gate / 7) % 39;
                format!("2 1 {} {input} {} {operation}\n", 39 + gate, 40 + gate)
            });
            let lines: String = lines.collect();
            parse(&format!("{gates} {}\n1 40\n1 1\n{lines}", 40 + gates))
        };
        assert!(equal(&mixed(100_000, "AND"), &mixed(100_000, "AND")));
        assert!(!equal(&mixed(100_000, "AND"), &mixed(100_000, "XOR")));
    };
    let small = thread::Builder::new().stack_size(256 << 10);
    small.spawn(check).unwrap().join().unwrap();
}

/// Random gates on `inputs` bits. The last 4 wires are outputs.
fn random_text(generator: &mut StdRng, inputs: usize, gates: usize) -> String {
    let lines = (0..gates).map(|gate| {
        let sets = inputs + gate;
        // Late wires more often, so that most gates are needed.
        let mut wire = || {
            let low = if generator.random_range(0..3) == 0 {
                0
            } else {
                sets.saturating_sub(12)
            };
            generator.random_range(low..sets)
        };
        let (a, b) = (wire(), wire());
        match generator.random_range(0..8) {
            0 => format!("1 1 {a} {sets} INV\n"),
            1..5 => format!("2 1 {a} {b} {sets} AND\n"),
            _ => format!("2 1 {a} {b} {sets} XOR\n"),
        }
    });
    let lines: String = lines.collect();
    format!("{gates} {}\n1 {inputs}\n1 4\n\n{lines}", inputs + gates)
}

/// The text of a netlist with one wrong gate: another operation, another operand, or a NOT that
/// became a copy.
fn wrong(generator: &mut StdRng, text: &str) -> String {
    let (header, gates) = text.split_once("\n\n").unwrap();
    let mut lines: Vec<String> = gates.lines().map(str::to_owned).collect();
    let place = generator.random_range(0..lines.len());
    let mut fields: Vec<String> = lines[place].split(' ').map(str::to_owned).collect();
    let operation = fields.len() - 1;
    if fields[operation] == "INV" {
        fields[operation] = "EQW".into();
    } else if generator.random() {
        let other = if fields[operation] == "AND" {
            "XOR"
        } else {
            "AND"
        };
        fields[operation] = other.into();
    } else {
        let operand = 2 + usize::from(generator.random::<bool>());
        let wire = match generator.random_range(0..=place) {
            0 => "0",
            earlier => {
                let line = &lines[earlier - 1];
                line.rsplit(' ').nth(1).unwrap()
            }
        };
        fields[operand] = wire.to_owned();
    }
    lines[place] = fields.join(" ");
    format!("{header}\n\n{}\n", lines.join("\n"))
}

#[test]
fn verdict_on_a_wrong_gate_is_that_of_all_inputs() {
    let mut generator = StdRng::seed_from_u64(1);
    let mut equals = 0;
    for round in 0..400 {
        let text = random_text(&mut generator, 8, 20 + round % 100);
        let (right, wrong) = (parse(&text), parse(&wrong(&mut generator, &text)));
        let difference = first_difference(&right, &wrong, Inputs::All, |_| ()).unwrap();
        assert_eq!(equal(&right, &wrong), difference.is_none(), "{text}");
        equals += usize::from(difference.is_none());
    }
    assert!((40..360).contains(&equals), "{equals}");
}

#[test]
fn wrong_gate_in_a_shuffle_is_found() {
    let mut generator = StdRng::seed_from_u64(2);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../circuits");
    for name in [
        "cut-9-of-52.txt",
        "bitonic-9-of-52.txt",
        "waksman-25-of-25.txt",
    ] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let right = parse(&text);
        for _ in 0..20 {
            let wrong = parse(&wrong(&mut generator, &text));
            if equal(&right, &wrong) {
                let inputs = Inputs::Some {
                    random: 1 << 12,
                    word: &mut || generator.random(),
                };
                let difference = first_difference(&right, &wrong, inputs, |_| ()).unwrap();
                assert_eq!(difference, None);
            }
        }
    }
}

/// The text of a netlist under construction.
struct Writing {
    inputs: usize,
    lines: Vec<String>,
}

impl Writing {
    /// Adds a gate and returns the wire that it sets.
    fn gate(&mut self, operation: &str, operands: &[usize]) -> usize {
        let sets = self.inputs + self.lines.len();
        let wires: Vec<String> = operands.iter().map(usize::to_string).collect();
        let (count, wires) = (wires.len(), wires.join(" "));
        self.lines
            .push(format!("{count} 1 {wires} {sets} {operation}"));
        sets
    }

    fn netlist(mut self, outputs: &[usize]) -> Netlist {
        for &output in outputs {
            self.gate("EQW", &[output]);
        }
        let Writing { inputs, lines } = self;
        let (gates, outputs) = (lines.len(), outputs.len());
        let wires = inputs + gates;
        let lines = lines.join("\n");
        parse(&format!(
            "{gates} {wires}\n1 {inputs}\n1 {outputs}\n\n{lines}\n"
        ))
    }
}

/// An equal netlist in which gates are written in another way. If `flip` has a gate and values of
/// the first input bits, the result of this gate is wrong for these values.
fn rewritten(generator: &mut StdRng, text: &str, flip: Option<(usize, &[bool])>) -> Netlist {
    let inputs: usize = parse(text).inputs().iter().sum();
    let lines = Vec::new();
    let mut new = Writing { inputs, lines };
    let mut condition = None;
    for (bit, &value) in flip
        .iter()
        .flat_map(|(_, values)| values.iter().enumerate())
    {
        let literal = if value { bit } else { new.gate("INV", &[bit]) };
        condition = Some(match condition {
            None => literal,
            Some(before) => new.gate("AND", &[before, literal]),
        });
    }
    let mut numbers: Vec<usize> = (0..inputs).collect();
    for (place, line) in text.split_once("\n\n").unwrap().1.lines().enumerate() {
        let fields: Vec<&str> = line.split(' ').collect();
        let on = |field: usize| numbers[fields[field].parse::<usize>().unwrap()];
        let mut number = match (fields[fields.len() - 1], generator.random_range(0..3)) {
            ("AND", 0) => {
                // ab = a(a ^ b ^ 1)
                let sum = new.gate("XOR", &[on(2), on(3)]);
                let same = new.gate("INV", &[sum]);
                new.gate("AND", &[on(2), same])
            }
            ("AND", 1) => {
                // ab = !(!a | !b), with a | b = (a ^ b) ^ ab
                let (a, b) = (new.gate("INV", &[on(2)]), new.gate("INV", &[on(3)]));
                let both = new.gate("AND", &[a, b]);
                let sum = new.gate("XOR", &[a, b]);
                let either = new.gate("XOR", &[sum, both]);
                new.gate("INV", &[either])
            }
            ("XOR", 0) => {
                // a ^ b = (a | b) & !(ab)
                let both = new.gate("AND", &[on(2), on(3)]);
                let (a, b) = (new.gate("INV", &[on(2)]), new.gate("INV", &[on(3)]));
                let neither = new.gate("AND", &[a, b]);
                let not_both = new.gate("INV", &[both]);
                let either = new.gate("INV", &[neither]);
                new.gate("AND", &[either, not_both])
            }
            (operation @ ("AND" | "XOR"), _) => new.gate(operation, &[on(3), on(2)]),
            (operation, _) => new.gate(operation, &[on(2)]),
        };
        if let (Some((gate, _)), Some(condition)) = (flip, condition)
            && gate == place
        {
            number = new.gate("XOR", &[number, condition]);
        }
        numbers.push(number);
    }
    new.netlist(&numbers[numbers.len() - 4..])
}

#[test]
fn rewritten_netlists_are_equal() {
    let mut generator = StdRng::seed_from_u64(3);
    for round in 0..40 {
        let text = random_text(&mut generator, 40, 100 + 10 * round);
        let other = rewritten(&mut generator, &text, None);
        assert!(equal(&parse(&text), &other), "{text}");
    }
}

#[test]
fn verdict_on_a_rare_flip_of_a_gate_is_that_of_all_inputs() {
    let mut generator = StdRng::seed_from_u64(4);
    let mut equals = 0;
    for _ in 0..200 {
        let text = random_text(&mut generator, 40, 150);
        let values: Vec<bool> = (0..32).map(|_| generator.random()).collect();
        let gate = generator.random_range(0..150);
        let right = parse(&text);
        let wrong = rewritten(&mut generator, &text, Some((gate, &values)));
        let differ = (0..256_u64).any(|rest| {
            let input = [values.clone(), to_bits(rest, 8).unwrap()].concat();
            outputs(&right, &input) != outputs(&wrong, &input)
        });
        assert_eq!(equal(&right, &wrong), !differ, "{text}");
        equals += usize::from(!differ);
    }
    assert!((20..180).contains(&equals), "{equals}");
}

#[test]
fn netlists_without_inputs_outputs_or_gates_are_decided() {
    let constant = |bit: u8| parse(&format!("1 1\n0\n1 1\n1 1 {bit} 0 EQ\n"));
    assert!(equal(&constant(1), &constant(1)));
    assert!(!equal(&constant(1), &constant(0)));
    let nothing = parse("0 0\n0\n0\n");
    assert!(equal(&nothing, &nothing));
    let wires = parse("0 2\n1 2\n1 2\n");
    let swapped = parse("2 4\n1 2\n1 2\n1 1 1 2 EQW\n1 1 0 3 EQW\n");
    assert!(equal(&wires, &wires));
    assert!(!equal(&wires, &swapped));
    assert!(decide(&wires, &nothing, || false, |_, _| ()).is_err());
}

/// The majority of three literals with one AND and with three.
fn majorities(graph: &mut Nodes, [x, y, z]: [Literal; 3]) -> [Literal; 2] {
    let (p, q) = (graph.xor(x, z), graph.xor(y, z));
    let product = graph.and(p, q);
    let one = graph.xor(product, z);
    let products = [(x, y), (y, z), (x, z)].map(|(a, b)| graph.and(a, b));
    let sum = graph.xor(products[0], products[1]);
    [one, graph.xor(sum, products[2])]
}

#[test]
fn window_and_cones_prove_what_holds_and_nothing_else() {
    let stop: Stop = Rc::new(|| false);
    let inputs = 40;
    let mut graph = Nodes::new(inputs, StdRng::seed_from_u64(5));
    // Each operand is a long XOR of ANDs, outside of a small window.
    let mut operands = [Literal::ZERO; 3];
    for place in 1..inputs - 3 {
        let [a, b] = [place, place + 3].map(Literal::positive);
        let product = graph.and(a, b.negate_if(place % 2 == 0));
        operands[place % 3] = graph.xor(operands[place % 3], product);
    }
    let mut cones = Cones::new(&stop);
    let mut check = |graph: &Nodes, a: Literal, b: Literal, holds: bool| {
        assert_eq!(Window::prove(graph, [a, b], 100, &stop), holds);
        match cones.prove(graph, inputs, a, b, 10_000) {
            Proof::Equal => assert!(holds),
            Proof::Differ(input) => assert!(!holds && input.len() == inputs),
            Proof::Undecided => panic!("too few conflicts"),
        }
    };
    for negated in 0..8 {
        let place = |place: usize| operands[place].negate_if(negated >> place & 1 == 1);
        let [one, three] = majorities(&mut graph, [0, 1, 2].map(place));
        check(&graph, one, three, true);
        check(&graph, one.negate_if(true), three.negate_if(true), true);
        check(&graph, one.negate_if(true), three, false);
        check(&graph, one, three.negate_if(true), false);
        // They differ where all three operands and two inputs are 1.
        let mut all = graph.and(Literal::positive(1), Literal::positive(2));
        for literal in [0, 1, 2].map(place) {
            all = graph.and(all, literal);
        }
        let wrong = graph.xor(three, all);
        check(&graph, one, wrong, false);
    }
}
