//! Tests each gadget against integer arithmetic on every input of small words, and checks its cost.

use super::*;
use crate::circuit::{Builder, Circuit};

/// The outputs of the circuit on these input values, as numbers.
fn run(circuit: &Circuit, inputs: &[u64]) -> Vec<u64> {
    let bits: Vec<Vec<bool>> = inputs
        .iter()
        .zip(circuit.inputs())
        .map(|(&value, &width)| (0..width).map(|i| value >> i & 1 == 1).collect())
        .collect();
    let outputs = circuit
        .evaluate(&bits)
        .expect("the inputs have the right shape");
    outputs.iter().map(|word| number(word)).collect()
}

fn number(word: &[bool]) -> u64 {
    word.iter()
        .rev()
        .fold(0, |number, &bit| number << 1 | u64::from(bit))
}

/// A circuit with these input widths, whose outputs are those of the gadget.
fn circuit(
    widths: &[usize],
    gadget: impl Fn(&mut Builder, &[Vec<Bit>]) -> Vec<Vec<Bit>>,
) -> Circuit {
    let mut builder = Builder::new(widths);
    let inputs: Vec<_> = (0..widths.len())
        .map(|value| builder.input(value))
        .collect();
    let outputs = gadget(&mut builder, &inputs);
    builder.build(outputs)
}

fn bits_below(m: u64) -> usize {
    m.next_power_of_two().trailing_zeros() as usize
}

#[test]
fn modular_addition_is_correct_and_costs_two_ands_per_bit() {
    for m in 2..=17u64 {
        let k = bits_below(m);
        let circuit = circuit(&[k, k + 1, 1], |b, input| {
            vec![add_mod(b, &input[0], &input[1], input[2][0], m)]
        });
        for x in 0..m {
            for (y, carry) in (0..=m).flat_map(|y| [(y, 0), (y, 1)]) {
                if x + y + carry < 2 * m {
                    let sum = run(&circuit, &[x, y.wrapping_sub(m), carry]);
                    assert_eq!(sum, [(x + y + carry) % m], "{x} + {y} + {carry} mod {m}");
                }
            }
        }
        assert_eq!(circuit.ands(), 2 * k - 1 - m.trailing_zeros() as usize);
    }
}

#[test]
fn one_hot_code_marks_the_index_at_minimum_cost() {
    for m in 1..=40 {
        let k = bits_below(m);
        let circuit = circuit(&[k], |b, input| vec![one_hot(b, &input[0], m as usize)]);
        for index in 0..m {
            assert_eq!(run(&circuit, &[index]), [1 << index], "{index} of {m}");
        }
        assert_eq!(circuit.ands(), m as usize - 1 - k);
    }
}

#[test]
fn comparison_is_correct_for_words_of_different_lengths() {
    for (k, l) in [(3, 3), (4, 2), (2, 4), (0, 2)] {
        let circuit = circuit(&[k, l], |b, input| {
            vec![vec![greater_equal(b, &input[0], &input[1])]]
        });
        for x in 0..1 << k {
            for y in 0..1 << l {
                assert_eq!(run(&circuit, &[x, y]), [u64::from(x >= y)], "{x} >= {y}");
            }
        }
        assert!(circuit.ands() <= k.max(l));
    }
}

#[test]
fn comparison_with_a_constant_is_cheaper_than_with_a_word() {
    for bound in 0..=20u64 {
        let circuit = circuit(&[4], |b, input| vec![vec![at_least(b, &input[0], bound)]]);
        for x in 0..16 {
            assert_eq!(
                run(&circuit, &[x]),
                [u64::from(x >= bound)],
                "{x} >= {bound}"
            );
        }
        let cost = match bound {
            1..16 => 3 - bound.trailing_zeros() as usize,
            _ => 0,
        };
        assert_eq!(circuit.ands(), cost, "bound {bound}");
    }
}

#[test]
fn increment_and_decrement_of_four_bits_wrap_around_and_cost_three_ands() {
    type Step = fn(&mut Builder, Bit, &[Bit]) -> Vec<Bit>;
    for (gadget, step) in [(increment_if as Step, 1), (decrement_if, 15)] {
        let circuit = circuit(&[1, 4], |b, input| vec![gadget(b, input[0][0], &input[1])]);
        for x in 0..16 {
            assert_eq!(run(&circuit, &[0, x]), [x]);
            assert_eq!(run(&circuit, &[1, x]), [(x + step) % 16]);
        }
        assert_eq!(circuit.ands(), 3);
    }
}

#[test]
fn swap_and_mux_follow_the_bit_and_cost_one_and_per_bit() {
    let circuit = circuit(&[1, 3, 3], |b, input| {
        let (first, second) = conditional_swap(b, input[0][0], &input[1], &input[2]);
        let chosen = mux(b, input[0][0], &input[2], &input[1]);
        vec![first, second, chosen]
    });
    for x in 0..8 {
        for y in 0..8 {
            assert_eq!(run(&circuit, &[0, x, y]), [x, y, x]);
            assert_eq!(run(&circuit, &[1, x, y]), [y, x, y]);
        }
    }
    assert_eq!(circuit.ands(), 3);
}

#[test]
fn scaling_costs_the_rank_modulo_the_bit_and_the_constant() {
    let circuit = circuit(&[4], |b, input| {
        let &[bit, x, y, z] = input[0].as_slice() else {
            unreachable!("four bits")
        };
        let (x_y, y_not_z) = (b.xor(x, y), b.xor(y, b.not(z)));
        // Rank 2: {x ^ y, y ^ z}. All other elements are sums of these two, the bit and the
        // constant.
        let sum = b.xor(x_y, y_not_z);
        let sum_and_bit = b.xor(sum, b.not(bit));
        let vector = [
            x_y,
            y_not_z,
            sum,
            b.not(sum),
            sum_and_bit,
            bit,
            b.not(bit),
            Bit::ZERO,
            Bit::ONE,
        ];
        let scaled = scale(b, bit, &vector);
        vec![vector.to_vec(), scaled]
    });
    for input in 0..16 {
        let outputs = run(&circuit, &[input]);
        let expected = if input & 1 == 1 { outputs[0] } else { 0 };
        assert_eq!(outputs[1], expected, "input {input:04b}");
    }
    assert_eq!(circuit.ands(), 2);
}

#[test]
fn scaling_by_a_constant_is_free() {
    let circuit = circuit(&[3], |b, input| {
        vec![
            scale(b, Bit::ZERO, &input[0]),
            scale(b, Bit::ONE, &input[0]),
        ]
    });
    for x in 0..8 {
        assert_eq!(run(&circuit, &[x]), [0, x]);
    }
    assert!(circuit.gates().is_empty());
}

#[test]
fn scaling_is_correct_when_the_rank_exceeds_the_fingerprint_bits() {
    let circuit = circuit(&[1, 50, 50, 50], |b, input| {
        let mut vector = input[1..].concat();
        let negations: Vec<Bit> = vector.iter().map(|&bit| b.not(bit)).collect();
        vector.extend(negations);
        let scaled = scale(b, input[0][0], &vector);
        scaled.chunks(50).map(<[Bit]>::to_vec).collect()
    });
    let words = [0x1_2345_6789_abcd, 0x3_fedc_ba98_7654, 0x2_0f1e_2d3c_4b5a];
    let [x, y, z] = words;
    let not = |word: u64| !word & ((1 << 50) - 1);
    assert_eq!(run(&circuit, &[0, x, y, z]), [0; 6]);
    let scaled = run(&circuit, &[1, x, y, z]);
    assert_eq!(scaled, [x, y, z, not(x), not(y), not(z)]);
    assert_eq!(circuit.ands(), 150);
}

#[test]
fn scaled_circuit_does_not_depend_on_fingerprints() {
    let build = || {
        circuit(&[1, 8], |b, input| {
            // All sums of the input bits. They have rank 8 and many bases.
            let sums: Vec<Bit> = (1..256)
                .map(|set: u32| {
                    (0..8)
                        .filter(|i| set >> i & 1 == 1)
                        .fold(Bit::from(set.is_multiple_of(3)), |sum, i| {
                            b.xor(sum, input[1][i])
                        })
                })
                .rev()
                .collect();
            vec![scale(b, input[0][0], &sums)]
        })
    };
    let first = build();
    assert_eq!(first.ands(), 8);
    for _ in 0..10 {
        assert_eq!(build().digest(), first.digest());
    }
}

#[test]
fn ones_are_counted_and_compared_on_all_inputs_of_ten_bits() {
    for n in 0..=10 {
        let circuit = circuit(&[n], |b, input| {
            let count = count_ones(b, &input[0]);
            let equal = equals(b, &count, 3);
            vec![count, vec![equal]]
        });
        for bits in 0..1u64 << n {
            let ones = u64::from(bits.count_ones());
            assert_eq!(run(&circuit, &[bits]), [ones, u64::from(ones == 3)]);
        }
    }
    assert_eq!(
        [3, 7, 15, 52].map(|n| circuit(&[n], |b, input| vec![count_ones(b, &input[0])]).ands()),
        [1, 4, 11, 49]
    );
}
