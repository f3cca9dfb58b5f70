//! The classical bitonic shuffle: sort the deck by random keys that neither party knows.

use crate::circuit::{Bit, Builder, Circuit, gadgets};
use crate::shuffle::network;
use crate::shuffle::spec::bits_below;

/// The circuit that sorts n cards by keys with a bitonic network and outputs the m cards with the
/// smallest keys, in the order of their keys.
///
/// Input value 0 is the garbler's part of the keys, and value 1 the evaluator's part: n words of
/// `key_bits`, card after card, least significant bit first. The key of a card is the XOR of both
/// parts. The outputs are m words of ceil(log2 n) bits.
///
/// The result is not exactly uniform: cards with equal keys are left in an order that depends on
/// the network. Among n keys of k bits, some are equal with probability below n² / 2^(k+1). The
/// circuit costs ten times as much as routed networks, since each switch not only exchanges two
/// keys but also compares them.
///
/// # Panics
/// Panics if there are fewer than 2 cards, or if `draw` is not between 1 and n.
pub fn sort_by_joint_keys(cards: usize, draw: usize, key_bits: usize) -> Circuit {
    assert!(cards >= 2, "at least two cards");
    assert!(
        (1..=cards).contains(&draw),
        "`draw` must be between 1 and the number of cards"
    );
    let sorter = network::bitonic(cards);
    let word_bits = bits_below(cards);
    let mut b = Builder::new(&[cards * key_bits; 2]);
    let parts: Vec<(Bit, Bit)> = b.input(0).into_iter().zip(b.input(1)).collect();
    let keys: Vec<Bit> = parts.into_iter().map(|(x, y)| b.xor(x, y)).collect();
    // Each line carries a key followed by the card.
    let mut lines: Vec<Vec<Bit>> = (0..cards)
        .map(|card| {
            let key = &keys[card * key_bits..][..key_bits];
            [key, &gadgets::constant(card as u64, word_bits)].concat()
        })
        .collect();
    for number in sorter.needed(draw) {
        let network::Switch { upper, lower } = sorter.switches()[number];
        let in_order =
            gadgets::greater_equal(&mut b, &lines[lower][..key_bits], &lines[upper][..key_bits]);
        let exchange = b.not(in_order);
        (lines[upper], lines[lower]) =
            gadgets::conditional_swap(&mut b, exchange, &lines[upper], &lines[lower]);
    }
    let cards = (sorter.outputs()[..draw].iter())
        .map(|&line| lines[line][key_bits..].to_vec())
        .collect();
    b.build(cards)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn cards_are_output_in_the_order_of_their_keys() {
        let mut rng = StdRng::seed_from_u64(1);
        for (n, m) in [(2, 2), (5, 3), (13, 13), (52, 9)] {
            let circuit = sort_by_joint_keys(n, m, 40);
            for _ in 0..5 {
                let parts: [Vec<u64>; 2] =
                    [0, 1].map(|_| (0..n).map(|_| rng.random::<u64>() >> 24).collect());
                let outputs = circuit
                    .evaluate(&parts.each_ref().map(|words: &Vec<u64>| -> Vec<bool> {
                        (words.iter())
                            .flat_map(|word| (0..40).map(move |i| word >> i & 1 == 1))
                            .collect()
                    }))
                    .unwrap();
                let drawn: Vec<usize> = (outputs.iter())
                    .map(|word| {
                        word.iter()
                            .rev()
                            .fold(0, |v, &bit| v << 1 | usize::from(bit))
                    })
                    .collect();
                let mut expected: Vec<usize> = (0..n).collect();
                expected.sort_by_key(|&card| parts[0][card] ^ parts[1][card]);
                assert_eq!(drawn, expected[..m]);
            }
        }
    }
}
