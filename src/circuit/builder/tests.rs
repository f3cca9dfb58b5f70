//! Tests for sharing, folding, dead gates, the order of gates, and the digest.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;

use super::*;
use crate::circuit::{Gate, InputError, Output, Wire, gadgets};

/// The circuit's outputs for input number `input`, whose bits are split among the values in order.
fn run(circuit: &Circuit, input: u64) -> Vec<Vec<bool>> {
    let mut bits = (0..64).map(|i| input >> i & 1 == 1);
    let inputs: Vec<Vec<bool>> = circuit
        .inputs()
        .iter()
        .map(|&width| bits.by_ref().take(width).collect())
        .collect();
    circuit
        .evaluate(&inputs)
        .expect("the inputs have the right shape")
}

fn negations(b: &Builder, bit: Bit) -> [Bit; 2] {
    [bit, b.not(bit)]
}

#[test]
fn and_is_shared_under_negation_and_with_the_sum_of_operands() {
    let mut b = Builder::new(&[2]);
    let (x, y) = (b.input(0)[0], b.input(0)[1]);
    let sum = b.xor(x, y);
    let mut word = Vec::new();
    for (p, q) in [(x, y), (y, sum), (sum, x)] {
        for p in negations(&b, p) {
            for q in negations(&b, q) {
                word.extend([p, q, b.and(p, q), b.and(q, p), b.or(p, q)]);
            }
        }
    }
    let circuit = b.build(vec![word]);
    assert_eq!(circuit.ands(), 1);
    for input in 0..4 {
        for case in run(&circuit, input)[0].chunks(5) {
            let (p, q) = (case[0], case[1]);
            assert_eq!(case[2..], [p & q, p & q, p | q], "input {input:02b}");
        }
    }
}

#[test]
fn and_is_shared_whichever_pair_of_the_span_is_first() {
    for first in 0..3 {
        let mut b = Builder::new(&[2]);
        let (x, y) = (b.input(0)[0], b.input(0)[1]);
        let sum = b.xor(x, y);
        let mut pairs = [(x, y), (y, sum), (sum, x)];
        pairs.rotate_left(first);
        let products = pairs.map(|(p, q)| b.and(p, q));
        let circuit = b.build(vec![products.to_vec()]);
        assert_eq!(circuit.ands(), 1);
        for input in 0..4 {
            let (x, y) = (input & 1 == 1, input >> 1 == 1);
            let mut expected = [x & y, y & (x ^ y), (x ^ y) & x];
            expected.rotate_left(first);
            assert_eq!(run(&circuit, input), [expected]);
        }
    }
}

#[test]
fn constants_and_repetitions_are_folded() {
    let mut b = Builder::new(&[1]);
    let x = b.input(0)[0];
    let not_x = b.not(x);
    for bit in [Bit::ZERO, Bit::ONE, x, not_x] {
        assert_eq!(b.and(bit, Bit::ZERO), Bit::ZERO);
        assert_eq!(b.and(Bit::ONE, bit), bit);
        assert_eq!(b.and(bit, bit), bit);
        assert_eq!(b.and(bit, b.not(bit)), Bit::ZERO);
        assert_eq!(b.or(bit, Bit::ONE), Bit::ONE);
        assert_eq!(b.or(Bit::ZERO, bit), bit);
        assert_eq!(b.xor(bit, Bit::ZERO), bit);
        assert_eq!(b.xor(Bit::ONE, bit), b.not(bit));
        assert_eq!(b.xor(bit, bit), Bit::ZERO);
        assert_eq!(b.xor(b.not(bit), bit), Bit::ONE);
    }
    assert_eq!(Bit::from(false), Bit::ZERO);
    assert_eq!(Bit::from(true), Bit::ONE);
    assert_eq!(b.nodes(), 2, "the constant and the input");
}

#[test]
fn bits_with_the_same_linear_form_are_the_same_bit() {
    let mut b = Builder::new(&[3]);
    let [x, y, z] = b.input(0).try_into().expect("three bits");
    let (x_y, y_z) = (b.xor(x, y), b.xor(y, z));
    assert_eq!(b.xor(x_y, z), b.xor(x, y_z));
    assert_eq!(b.xor(x_y, y), x);
    let product = b.and(x_y, z);
    let sum = b.xor(product, y_z);
    assert_eq!(
        b.xor(sum, y_z),
        product,
        "products are members of linear forms"
    );
}

#[test]
fn gates_that_no_output_needs_are_dropped() {
    let mut b = Builder::new(&[3]);
    let [x, y, z] = b.input(0).try_into().expect("three bits");
    let wanted = b.and(x, y);
    let unwanted = b.and(wanted, z);
    b.xor(unwanted, x);
    let circuit = b.build(vec![vec![wanted]]);
    assert_eq!(circuit.gates(), [Gate::And(Wire(0), Wire(1))]);
}

#[test]
fn outputs_may_be_constants_inputs_negations_and_repetitions() {
    let mut b = Builder::new(&[1, 1]);
    let (x, y) = (b.input(0)[0], b.input(1)[0]);
    let product = b.and(x, y);
    let (not_x, neither) = (b.not(x), b.not(product));
    let circuit = b.build(vec![
        vec![neither, Bit::ONE, x],
        vec![],
        vec![not_x, Bit::ZERO, product, neither],
    ]);
    // The NOT of an input is in layer 0, the NOT of a product after it.
    let gates = [
        Gate::Not(Wire(0)),
        Gate::And(Wire(0), Wire(1)),
        Gate::Not(Wire(3)),
    ];
    assert_eq!(circuit.gates(), gates);
    let wire = |number| Output::Wire(Wire(number));
    assert_eq!(
        circuit.outputs(),
        [
            vec![wire(4), Output::Const(true), wire(0)],
            vec![],
            vec![wire(2), Output::Const(false), wire(3), wire(4)],
        ]
    );
    let stats = circuit.stats();
    assert_eq!((stats.and, stats.xor, stats.not), (1, 0, 2));
    assert_eq!(stats.and_depth, 1);
    assert_eq!((stats.inputs, stats.outputs), (vec![1, 1], vec![3, 0, 4]));
}

#[test]
fn circuit_without_gates_has_one_empty_layer() {
    let circuit = Builder::new(&[]).build(vec![]);
    assert_eq!(circuit.layers().len(), 1);
    assert_eq!(circuit.stats().and_depth, 0);
    assert_eq!(circuit.evaluate(&[]), Ok(vec![]));
}

#[test]
fn inputs_with_the_wrong_shape_are_rejected() {
    let circuit = Builder::new(&[2, 0, 1]).build(vec![]);
    let given = |shape: &[usize]| {
        let inputs: Vec<_> = shape.iter().map(|&width| vec![false; width]).collect();
        circuit.evaluate(&inputs)
    };
    assert_eq!(given(&[2, 0, 1]), Ok(vec![]));
    let values = InputError::Values {
        expected: 3,
        given: 2,
    };
    assert_eq!(given(&[2, 1]), Err(values));
    let bits = InputError::Bits {
        value: 2,
        expected: 1,
        given: 3,
    };
    assert_eq!(given(&[2, 0, 3]), Err(bits));
}

/// Two inputs, an XOR, an AND and a NOT, with outputs of each kind.
fn small_circuit() -> Circuit {
    let mut b = Builder::new(&[2, 1]);
    let (x, y) = (b.input(0), b.input(1)[0]);
    let sum = b.xor(x[0], x[1]);
    let product = b.and(sum, y);
    let last = b.not(product);
    b.build(vec![vec![last, Bit::ONE], vec![Bit::ZERO, x[1]]])
}

#[test]
fn digest_matches_the_documented_encoding() {
    let count = |count: u64| count.to_le_bytes().to_vec();
    let wire = |wire: u32| wire.to_le_bytes().to_vec();
    let encoding = [
        [count(2), count(2), count(1)].concat(),
        count(3),
        [vec![0], wire(0), wire(1)].concat(),
        [vec![1], wire(3), wire(2)].concat(),
        [vec![2], wire(4)].concat(),
        count(2),
        [count(2), vec![2], wire(5), vec![1]].concat(),
        [count(2), vec![0], vec![2], wire(1)].concat(),
    ]
    .concat();
    let digest = small_circuit().digest();
    assert_eq!(
        digest,
        blake3::derive_key("dealerless circuit v1", &encoding)
    );
    assert_eq!(
        blake3::Hash::from(digest).to_string(),
        "139de3bc5848cebec9f7e69cea8dcdb3ecc3389b3d707d9345a300b69a20d069"
    );
}

#[test]
fn circuits_that_differ_in_any_part_have_different_digests() {
    let build = |inputs: &[usize], swapped: bool, outputs: fn(Bit, Bit) -> Vec<Vec<Bit>>| {
        let mut b = Builder::new(inputs);
        let bits: Vec<Bit> = (0..inputs.len()).flat_map(|value| b.input(value)).collect();
        let (x, y) = if swapped { (1, 0) } else { (0, 1) };
        let product = b.and(bits[x], bits[y]);
        let sum = b.xor(bits[0], bits[1]);
        b.build(outputs(product, sum)).digest()
    };
    let mut digests = vec![
        build(&[1, 1], false, |p, s| vec![vec![p, s]]),
        build(&[2], false, |p, s| vec![vec![p, s]]),
        build(&[1, 2], false, |p, s| vec![vec![p, s]]),
        build(&[1, 1], true, |p, s| vec![vec![p, s]]),
        build(&[1, 1], false, |p, s| vec![vec![s, p]]),
        build(&[1, 1], false, |p, s| vec![vec![p], vec![s]]),
        build(&[1, 1], false, |p, _| vec![vec![p, Bit::ZERO]]),
        build(&[1, 1], false, |p, _| vec![vec![p, Bit::ONE]]),
    ];
    let all = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), all);
}

/// One call of the builder: its kind, and the indices of its operands, modulo the number of bits so
/// far.
type Step = (u8, usize, usize);

const INPUT_BITS: usize = 6;

fn programs() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..4u8, any::<usize>(), any::<usize>()), 1..80)
}

/// Runs a program on bits of some type and returns all bits, inputs first.
fn follow<T: Copy>(
    program: &[Step],
    mut bits: Vec<T>,
    mut step: impl FnMut(u8, T, T) -> T,
) -> Vec<T> {
    for &(call, a, b) in program {
        let bit = step(call, bits[a % bits.len()], bits[b % bits.len()]);
        bits.push(bit);
    }
    bits
}

fn build(program: &[Step]) -> Circuit {
    build_by(Builder::new(&[4, 2]), program)
}

fn build_by(mut b: Builder, program: &[Step]) -> Circuit {
    let inputs = [b.input(0), b.input(1)].concat();
    let bits = follow(program, inputs, |call, x, y| match call {
        0 => b.xor(x, y),
        1 => b.and(x, y),
        2 => b.or(x, y),
        _ => b.not(x),
    });
    let outputs = bits.chunks(7).map(<[Bit]>::to_vec).collect();
    b.build(outputs)
}

proptest! {
    #[test]
    fn circuit_computes_its_program_in_every_lane(program in programs()) {
        let circuit = build(&program);
        // The 64 lanes are all values of the 6 input bits.
        let lanes: Vec<u64> = (0..INPUT_BITS)
            .map(|i| (0..64).fold(0, |word, lane| word | (lane >> i & 1) << lane))
            .collect();
        let expected = follow(&program, lanes.clone(), |call, x, y| match call {
            0 => x ^ y,
            1 => x & y,
            2 => x | y,
            _ => !x,
        });
        let inputs = [lanes[..4].to_vec(), lanes[4..].to_vec()];
        let outputs = circuit.evaluate_lanes(&inputs).expect("the inputs have the right shape");
        prop_assert_eq!(outputs.concat(), expected);
        for lane in [0, 1, 37, 63] {
            let bits: Vec<u64> = run(&circuit, lane).concat().into_iter().map(u64::from).collect();
            let sliced: Vec<u64> = outputs.concat().iter().map(|word| word >> lane & 1).collect();
            prop_assert_eq!(bits, sliced);
        }
    }

    #[test]
    fn same_calls_give_the_same_circuit(program in programs()) {
        let (one, other) = (build(&program), build(&program));
        prop_assert_eq!(one.gates(), other.gates());
        prop_assert_eq!(one.outputs(), other.outputs());
        prop_assert_eq!(one.digest(), other.digest());
    }

    #[test]
    fn sharing_at_the_end_gives_the_same_circuit(program in programs()) {
        let later = build_by(Builder::sharing_at_the_end(&[4, 2]), &program);
        prop_assert_eq!(later.digest(), build(&program).digest());
    }

    #[test]
    fn layers_order_gates_by_depth_with_ands_first(program in programs()) {
        let circuit = build(&program);
        let mut depth = vec![0; circuit.input_bits()];
        let mut end = 0;
        for (number, layer) in circuit.layers().iter().enumerate() {
            prop_assert_eq!(layer.ands.start, end);
            prop_assert_eq!(layer.free.start, layer.ands.end);
            end = layer.free.end;
            prop_assert!(number == 0 || !layer.ands.is_empty());
            for gate in layer.ands.start..end {
                let own = match circuit.gates()[gate] {
                    Gate::And(a, b) => {
                        prop_assert!(layer.ands.contains(&gate));
                        1 + usize::max(depth[a.index()], depth[b.index()])
                    }
                    Gate::Xor(a, b) => {
                        prop_assert!(layer.free.contains(&gate));
                        usize::max(depth[a.index()], depth[b.index()])
                    }
                    Gate::Not(a) => {
                        prop_assert!(layer.free.contains(&gate));
                        depth[a.index()]
                    }
                };
                prop_assert_eq!(own, number);
                depth.push(own);
            }
        }
        prop_assert_eq!(end, circuit.gates().len());
        prop_assert_eq!(depth.len(), circuit.wires());
    }

    #[test]
    fn all_gates_are_needed_and_no_and_repeats(program in programs()) {
        let circuit = build(&program);
        let mut needed = vec![false; circuit.wires()];
        for output in circuit.outputs().iter().flatten() {
            if let Output::Wire(wire) = output {
                needed[wire.index()] = true;
            }
        }
        let mut operands = Vec::new();
        for (gate, &operation) in circuit.gates().iter().enumerate().rev() {
            prop_assert!(needed[circuit.input_bits() + gate], "gate {} is dead", gate);
            let read = match operation {
                Gate::Xor(a, b) => vec![a, b],
                Gate::And(a, b) => {
                    operands.push((a.min(b), a.max(b)));
                    vec![a, b]
                }
                Gate::Not(a) => vec![a],
            };
            for wire in read {
                needed[wire.index()] = true;
            }
        }
        let ands = operands.len();
        operands.sort_unstable();
        operands.dedup();
        prop_assert_eq!(operands.len(), ands);
    }
}

/// Bits of two other builders: one of the same size as the builder under test, and a larger one.
fn foreign_bits() -> [Bit; 2] {
    [1, 200].map(|bits| Builder::new(&[bits]).input(0)[bits - 1])
}

/// The panic message of `act`, if it panics.
fn panic_of(act: impl FnOnce()) -> Option<&'static str> {
    let panic = catch_unwind(AssertUnwindSafe(act)).err()?;
    panic.downcast_ref::<&'static str>().copied()
}

#[test]
fn bit_of_another_builder_is_rejected_in_every_call() {
    for foreign in foreign_bits() {
        let uses: [fn(Builder, Bit, Bit); 6] = [
            |mut b, own, foreign| _ = b.xor(own, foreign),
            |mut b, own, foreign| _ = b.xor(foreign, own),
            |mut b, own, foreign| _ = b.and(own, foreign),
            |mut b, own, foreign| _ = b.or(foreign, own),
            |b, _, foreign| _ = b.build(vec![vec![foreign]]),
            |mut b, own, foreign| _ = gadgets::mux(&mut b, foreign, &[own], &[Bit::ONE]),
        ];
        for (number, act) in uses.into_iter().enumerate() {
            let b = Builder::new(&[1]);
            let own = b.input(0)[0];
            let panic = panic_of(move || act(b, own, foreign));
            let expected = Some("the bit belongs to another builder");
            assert_eq!(panic, expected, "use {number}");
        }
    }
}

#[test]
fn constants_belong_to_every_builder_even_if_folded_by_another() {
    let mut other = Builder::new(&[1]);
    let x = other.input(0)[0];
    let zero = other.xor(x, x);
    let not_x = other.not(x);
    let one = other.xor(x, not_x);
    assert_eq!([zero, one], [Bit::ZERO, Bit::ONE]);
    let mut b = Builder::new(&[1]);
    let y = b.input(0)[0];
    assert_eq!(b.and(y, one), y);
    assert_eq!(b.xor(y, zero), y);
}
