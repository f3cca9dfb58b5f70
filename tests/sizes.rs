//! The promise: how many AND gates a shuffle of 52 cards costs.

mod common;

use common::shuffles::shuffle;
use dealerless::shuffle::Algorithm;
use dealerless::shuffle::comparison::sort_by_joint_keys;

/// The cards drawn, in the columns of the tables below.
const DRAWS: [usize; 5] = [5, 9, 20, 26, 52];

/// The AND gates to be reached, without a check of the inputs.
const PUBLISHED: [(Algorithm, [usize; 5]); 5] = [
    (Algorithm::FisherYates, [882, 1_863, 4_524, 5_727, 8_183]),
    (Algorithm::Bubble, [1_609, 2_842, 5_793, 7_047, 9_518]),
    (Algorithm::Bitonic, [4_419, 4_467, 4_593, 4_659, 4_929]),
    (Algorithm::OddEven, [3_458, 3_596, 3_860, 3_962, 4_232]),
    (Algorithm::Waksman, [2_030, 2_078, 2_204, 2_270, 2_474]),
];

/// The AND gates that are reached.
const REACHED: [(Algorithm, [usize; 5]); 5] = [
    (Algorithm::FisherYates, [159, 486, 2_293, 3_831, 7_799]),
    (Algorithm::Bubble, [781, 1_657, 4_058, 5_169, 7_465]),
    (Algorithm::Bitonic, [2_451, 2_667, 3_243, 3_585, 4_563]),
    (Algorithm::OddEven, [2_174, 2_372, 2_858, 3_128, 4_004]),
    (Algorithm::Waksman, [1_386, 1_536, 1_746, 1_884, 2_226]),
];

fn ands(algorithm: Algorithm) -> [usize; 5] {
    DRAWS.map(|m| shuffle(52, m, algorithm).circuit().ands())
}

#[test]
fn and_counts_are_at_or_below_the_published_table() {
    for (algorithm, bounds) in PUBLISHED {
        for ((ands, bound), m) in ands(algorithm).into_iter().zip(bounds).zip(DRAWS) {
            assert!(
                ands <= bound,
                "{algorithm} {m} of 52: {ands} ANDs, not {bound}"
            );
        }
    }
}

#[test]
fn and_counts_are_the_ones_in_the_table() {
    assert_eq!(
        Algorithm::ALL.map(|algorithm| (algorithm, ands(algorithm))),
        REACHED
    );
}

#[test]
fn sorting_by_keys_of_48_bits_costs_ten_times_as_much() {
    let ands = DRAWS.map(|m| sort_by_joint_keys(52, m, 48).ands());
    let published = [38_199, 39_015, 41_157, 42_279, 46_869];
    assert!(
        ands.iter()
            .zip(published)
            .all(|(&ands, bound)| ands <= bound)
    );
    assert_eq!(ands, [38_055, 38_775, 40_677, 41_655, 45_621]);
}

#[test]
fn waksman_shuffles_of_powers_of_two_cost_what_their_formula_says() {
    for w in 3..=9 {
        let n = 1usize << w;
        // The garbler's copy: input layers, whose differences have few bits; four lines at the
        // seam; the inner output layers.
        let input_layers: usize = (1..=w).map(|k| (n / 2 - (n >> k)) * (k - 1)).sum();
        let squares = (n / 4 - 1) * (w + 1);
        let output_layers: usize = (2..w - 1).map(|depth| (n / 2 - (1 << depth)) * w).sum();
        for a in 1..=w {
            // The evaluator's copy, one word a switch.
            let m = 1usize << a;
            let switches = a * (n + m) / 2 + n - 2 * m + 1;
            let expected = input_layers + squares + output_layers + switches * w;
            let ands = shuffle(n, m, Algorithm::Waksman).circuit().ands();
            assert_eq!(ands, expected, "{m} of {n}");
        }
    }
}
