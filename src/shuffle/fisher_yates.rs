//! `fisher-yates`: draw i swaps the cards at positions i and i + r_i (Knuth, The Art of Computer
//! Programming, volume 2, 3.4.2, algorithm P). See [`additive`] for r_i.
//!
//! There are two circuits. They output the same cards for the same seeds:
//!
//! - *The network* moves the cards. r_i is decoded to its one-hot code, and card i is conditionally
//!   swapped with each card after it. This takes about m n (w + 1) ANDs.
//! - *The trace* moves no cards. To find the card at position p in draw i, the circuit follows p
//!   back through the earlier swaps. If swap s has put a card there, that card came from position
//!   s, so the search continues at position s. This takes about m² w ANDs, independently of n.
//!
//! Few draws are cheaper with the trace, and a full shuffle is cheaper with the network. The
//! cheaper one is recorded.

use super::Spec;
use super::additive;
use super::construction::{Additive, Construction, Cost};
use super::deck::{Card, fresh_deck, put_if};
use super::spec::bits_below;
use crate::circuit::{Bit, Builder, gadgets};

pub(super) const CONSTRUCTION: Construction = Construction::Additive(Additive {
    plaintext,
    record,
    cost,
});

/// The m drawn cards, given the r_i.
fn plaintext(spec: Spec, indices: &[usize]) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..spec.cards() as u32).collect();
    for (i, r) in indices.iter().enumerate() {
        deck.swap(i, i + r);
    }
    deck.truncate(spec.draw());
    deck
}

/// Records the cheaper circuit and returns the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    if trace_cost(spec).ands < network_cost(spec) {
        trace(b, spec)
    } else {
        network(b, spec)
    }
}

/// The number of ANDs of [`record`].
fn cost(spec: Spec) -> Cost {
    let (trace, network) = (trace_cost(spec), network_cost(spec));
    if trace.ands < network {
        trace
    } else {
        Cost::exact(network)
    }
}

fn network(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let mut deck = fresh_deck(spec);
    for draw in additive::draws_of(b, spec) {
        b.forget_others(deck.iter_mut().flatten());
        let one_hot = draw.one_hot(b);
        swap(b, &mut deck[draw.first..], &one_hot);
    }
    deck.truncate(spec.draw());
    deck
}

/// Swaps the first card with the one at position r, given the one-hot code of r.
pub(super) fn swap(b: &mut Builder, deck: &mut [Card], one_hot: &[Bit]) {
    let (drawn, others) = deck.split_first_mut().expect("a card to be drawn");
    let first = drawn.clone();
    for (place, &chosen) in others.iter_mut().zip(&one_hot[1..]) {
        put_if(b, chosen, place, &first, drawn);
    }
}

/// The number of ANDs of [`network`].
///
/// A swap takes as many ANDs as the difference of its two words has independent bits, modulo
/// constants. After draw s, the word at a later position p is p XOR words of the span of p and 1,
/// …, s, each multiplied by a wire of its own: draw s adds the difference of the words at s and p,
/// multiplied by a bit of the one-hot code. That difference is the constant s XOR p plus the terms
/// of the two words. The bits of the one-hot code are independent, so their ANDs with independent
/// wires are too. The span of 1, …, s is that of the low bits of s; p adds one dimension if it has
/// higher bits. If only one card is drawn, the output is r_0, and no swap is needed.
fn network_cost(spec: Spec) -> usize {
    let (n, m) = (spec.cards(), spec.draw());
    let swaps = |i: usize| match i {
        0 => 0,
        _ => {
            let low_bits = bits_below(i + 1);
            let higher = n.saturating_sub(usize::max(1 << low_bits, i + 1));
            (n - i - 1) * low_bits + higher
        }
    };
    let layers: usize = match m {
        1 => 0,
        _ => (0..additive::draws(spec))
            .map(|i| n - i - 1 - bits_below(n - i) + swaps(i))
            .sum(),
    };
    additive::indices_cost(spec) + layers
}

fn trace(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let word_bits = spec.word_bits();
    let mut swapped: Vec<Vec<Bit>> = Vec::with_capacity(spec.draw());
    let mut drawn = Vec::with_capacity(spec.draw());
    for draw in additive::draws_of(b, spec) {
        b.forget_others(swapped.iter_mut().chain(&mut drawn).flatten());
        let place = draw.place(b, word_bits);
        drawn.push(trace_back(b, &swapped, place.clone()));
        swapped.push(place);
    }
    if drawn.len() < spec.draw() {
        let last = gadgets::constant(drawn.len() as u64, word_bits);
        drawn.push(trace_back(b, &swapped, last));
    }
    drawn
}

/// The card at `place` after the swaps of positions s and `swapped[s]`, s = 0, 1, ….
fn trace_back(b: &mut Builder, swapped: &[Vec<Bit>], mut place: Vec<Bit>) -> Card {
    for (s, other) in swapped.iter().enumerate().rev() {
        // `place` is a position after s here, so only the other position of the swap can match.
        let found = equal(b, &place, other);
        let origin = gadgets::constant(s as u64, place.len());
        place = gadgets::mux(b, found, &origin, &place);
    }
    place
}

/// Whether two words are equal. Costs w - 1 ANDs. They form a tree to limit the depth of the trace.
fn equal(b: &mut Builder, x: &[Bit], y: &[Bit]) -> Bit {
    let mut bits = Vec::with_capacity(x.len());
    for (&x, &y) in x.iter().zip(y) {
        let differ = b.xor(x, y);
        bits.push(b.not(differ));
    }
    while bits.len() > 1 {
        bits = bits
            .chunks(2)
            .map(|pair| pair.iter().fold(Bit::ONE, |all, &bit| b.and(all, bit)))
            .collect();
    }
    bits[0]
}

/// The number of ANDs of [`trace`]. It is slightly too high if so few cards are left at the last
/// draws that their indices have at least two bits fewer than a card.
///
/// A step of a search takes w - 1 ANDs to compare and w to replace the position. The bits of the
/// position are independent: its low bits have seeds of their own, and its highest bit has the
/// carry.
fn trace_cost(spec: Spec) -> Cost {
    let (n, m) = (spec.cards(), spec.draw());
    // The position of draw 0 is r_0. The last card of a full shuffle needs no index, but it needs a
    // trace.
    let draws = additive::draws(spec);
    let traces: usize = (1..draws).map(|i| draw_cost(spec, i)).sum();
    let last = (m - draws) * draws * step_cost(spec);
    Cost {
        ands: additive::index_cost(n) + traces + last,
        exact: m < n && m <= n - ((1 << spec.word_bits()) >> 2),
    }
}

/// The number of ANDs of one step of a search.
fn step_cost(spec: Spec) -> usize {
    2 * spec.word_bits() - 1
}

/// The number of ANDs of [`Draw::place`](additive::Draw::place) for draw i > 0, and of its search.
fn draw_cost(spec: Spec, i: usize) -> usize {
    let (n, w) = (spec.cards(), spec.word_bits());
    let k = bits_below(n - i);
    let constants = [n % (1 << w), i];
    // Below the lowest 1 of both numbers, nothing carries. If both numbers have this 1, the added
    // bit is constant, and its carry costs nothing.
    let lowest = (constants[0] | constants[1]).trailing_zeros() as usize;
    let addition = match (w - 1).saturating_sub(lowest) {
        0 => 0,
        carries => carries - ((constants[0] & constants[1]) >> lowest & 1),
    };
    let saved = match k {
        _ if k == w => 0,
        // If n - i is a power of two, i and n differ only in the highest bit, where the sign
        // cancels out. Without a carry into the highest bit, the first step has one independent bit
        // less to replace.
        _ => usize::from((n - i).is_power_of_two()) + usize::from(addition == 0),
    };
    k + addition + i * step_cost(spec) - saved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Circuit, Party};
    use crate::shuffle::{Algorithm, Randomness, ShuffleCircuit};

    type Construction = fn(&mut Builder, Spec) -> Vec<Card>;

    fn spec(cards: usize, draw: usize) -> Spec {
        Spec::new(cards, draw, Algorithm::FisherYates).unwrap()
    }

    fn circuit(spec: Spec, construction: Construction) -> Circuit {
        let bits = |party| {
            let seeds = additive::seeds(spec, party);
            seeds.iter().map(|seed| seed.bits).sum()
        };
        let mut builder = Builder::new(&[bits(Party::Garbler), bits(Party::Evaluator)]);
        let cards = construction(&mut builder, spec);
        builder.build(cards)
    }

    #[test]
    fn network_and_trace_match_the_definition() {
        for n in 2..=5 {
            for m in 1..=n {
                let spec = spec(n, m);
                let shuffle = ShuffleCircuit::build(spec);
                let circuits = [network, trace].map(|record| circuit(spec, record));
                // With the garbler's seeds all 0 or all at their maximum, the evaluator's seeds
                // give every r_i, both with and without reduction.
                let moduli: Vec<u64> = (0..additive::draws(spec)).map(|i| (n - i) as u64).collect();
                let highest: Vec<u64> = moduli.iter().map(|modulus| modulus - 1).collect();
                for a in [vec![0; moduli.len()], highest] {
                    for number in 0..moduli.iter().product() {
                        let mut rest: u64 = number;
                        let b: Vec<u64> = moduli
                            .iter()
                            .copied()
                            .map(|modulus| {
                                let digit = rest % modulus;
                                rest /= modulus;
                                digit
                            })
                            .collect();
                        let expected = plaintext(spec, &additive::indices(spec, &a, &b));
                        let inputs = [(Party::Garbler, &a), (Party::Evaluator, &b)].map(
                            |(party, values)| {
                                let seeds = Randomness::from_values(&shuffle, party, values);
                                seeds.unwrap().bits().to_vec()
                            },
                        );
                        for circuit in &circuits {
                            let outputs = circuit.evaluate(&inputs).unwrap();
                            assert_eq!(shuffle.decode(&outputs), expected, "{m} of {n}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn cheaper_circuit_is_recorded() {
        for n in [6, 17, 33] {
            for m in 1..=n {
                let spec = spec(n, m);
                let [network, trace, recorded]: [usize; 3] = [network, trace, record]
                    .map(|record: Construction| circuit(spec, record).ands());
                let cheapest = network.min(trace);
                assert_eq!(recorded, cheapest, "{m} of {n}");
            }
        }
    }
}
