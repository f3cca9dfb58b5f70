//! A shuffle circuit deals exactly the cards that the plaintext definition of its algorithm gives.

use dealerless::circuit::bristol;
use dealerless::shuffle::{Algorithm, plaintext};
use dealerless::testing::shuffles::{
    Seeds, cards, evaluate, fresh_generator, input_bits, lanes, random_seeds, shuffle,
};
use rand::Rng;

#[test]
fn circuits_agree_with_the_definition_on_random_seeds() {
    let mut rng = fresh_generator();
    let mut sizes = vec![
        (2, 1),
        (2, 2),
        (52, 5),
        (52, 36),
        (52, 52),
        (64, 64),
        (65, 9),
        (300, 4),
    ];
    sizes.extend((0..20).map(|_| {
        let n = 2 + rng.next_u64() as usize % 40;
        (n, 1 + rng.next_u64() as usize % n)
    }));
    for algorithm in Algorithm::ALL {
        for &(n, m) in &sizes {
            let shuffle = shuffle(n, m, algorithm);
            let seeds: Vec<Seeds> = (0..64).map(|_| random_seeds(&shuffle, &mut rng)).collect();
            let inputs: Vec<_> = seeds
                .iter()
                .map(|pair| input_bits(&shuffle, pair))
                .collect();
            for (draw, (a, b)) in evaluate(&shuffle, &inputs).iter().zip(&seeds) {
                let expected = plaintext(shuffle.spec(), a, b).expect("honest seeds");
                assert_eq!(
                    draw, &expected,
                    "{algorithm} {m} of {n}, seeds {a:?} and {b:?}"
                );
            }
        }
    }
}

#[test]
fn circuits_agree_with_the_definition_after_a_bristol_fashion_round_trip() {
    let mut rng = fresh_generator();
    for algorithm in Algorithm::ALL {
        for (n, m) in [(2, 2), (7, 7), (52, 9), (52, 52)] {
            let shuffle = shuffle(n, m, algorithm);
            let mut text = Vec::new();
            bristol::write(shuffle.circuit(), &mut text).expect("writing to a vector");
            let circuit = bristol::parse(&text).expect("a netlist of our own");

            let seeds: Vec<Seeds> = (0..64).map(|_| random_seeds(&shuffle, &mut rng)).collect();
            let inputs: Vec<_> = seeds
                .iter()
                .map(|pair| input_bits(&shuffle, pair))
                .collect();
            let outputs = circuit.evaluate_lanes(&lanes(&inputs));
            let draws = cards(&shuffle, &outputs.expect("inputs of this circuit"), 64);
            for (draw, (a, b)) in draws.iter().zip(&seeds) {
                let expected = plaintext(shuffle.spec(), a, b).expect("honest seeds");
                assert_eq!(
                    draw, &expected,
                    "{algorithm} {m} of {n}, seeds {a:?} and {b:?}"
                );
            }
        }
    }
}

#[test]
fn definitions_match_worked_examples() {
    let draw = |algorithm, seeds: [&[u64]; 2]| {
        let shuffle = shuffle(5, 5, algorithm);
        plaintext(shuffle.spec(), seeds[0], seeds[1]).expect("honest seeds")
    };
    // The drawn positions are 3, 0, 2, 1: the sums of the seeds modulo 5, 4, 3, 2.
    let seeds: [&[u64]; 2] = [&[4, 0, 1, 1], &[4, 0, 1, 0]];
    assert_eq!(draw(Algorithm::FisherYates, seeds), [3, 1, 4, 2, 0]);
    assert_eq!(draw(Algorithm::Bubble, seeds), [3, 0, 4, 2, 1]);
    assert_eq!(draw(Algorithm::Lehmer, seeds), [3, 0, 4, 2, 1]);
    // First card 3 of 0 1 2 3 4 is drawn, and then the first card of 0 1 2 4. A draw from four
    // cards also reverses the deck, which is then 4 2 1. Then the last card of 4 2 1 is drawn, and
    // the second card of 4 2.
    assert_eq!(draw(Algorithm::Cut, seeds), [3, 0, 1, 2, 4]);
    // The evaluator's permutation lists positions in the deck that the garbler has permuted.
    let permutations: [&[u64]; 2] = [&[4, 3, 0, 2, 1], &[1, 0, 3, 4, 2]];
    for algorithm in [Algorithm::Bitonic, Algorithm::OddEven, Algorithm::Waksman] {
        assert_eq!(draw(algorithm, permutations), [3, 4, 2, 1, 0]);
    }
}

#[test]
fn lehmer_and_bubble_draw_the_same_cards() {
    let mut rng = fresh_generator();
    for (n, m) in [(2, 2), (5, 5), (52, 9), (52, 52), (100, 37)] {
        let [lehmer, bubble] = [Algorithm::Lehmer, Algorithm::Bubble].map(|a| shuffle(n, m, a));
        for _ in 0..100 {
            let (a, b) = random_seeds(&lehmer, &mut rng);
            assert_eq!(
                plaintext(lehmer.spec(), &a, &b),
                plaintext(bubble.spec(), &a, &b)
            );
        }
    }
}

#[test]
fn drawn_cards_are_distinct_for_any_switch_bits() {
    let mut rng = fresh_generator();
    for algorithm in [Algorithm::Bitonic, Algorithm::OddEven, Algorithm::Waksman] {
        for (n, m) in [(2, 2), (5, 5), (52, 9), (52, 52), (100, 70)] {
            let shuffle = shuffle(n, m, algorithm);
            let inputs: Vec<Vec<u64>> = (shuffle.circuit().inputs().iter())
                .map(|&bits| (0..bits).map(|_| rng.next_u64()).collect())
                .collect();
            let outputs = shuffle.circuit().evaluate_lanes(&inputs);
            for mut draw in cards(&shuffle, &outputs.expect("inputs of this circuit"), 64) {
                draw.sort_unstable();
                assert!(draw.is_sorted_by(|a, b| a < b), "{algorithm} {m} of {n}");
                assert!(draw.iter().all(|&card| (card as usize) < n));
            }
        }
    }
}
