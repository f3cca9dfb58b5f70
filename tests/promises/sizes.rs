//! The number of AND gates of a shuffle of 52 cards.

use dealerless::mpc::Demand;
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::comparison::sort_by_joint_keys;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::shuffles::shuffle;

/// The numbers of drawn cards, one for each column of the tables below.
const DRAWS: [usize; 5] = [5, 9, 20, 26, 52];

/// Upper bounds: the published numbers of AND gates, without a check of the inputs.
const PUBLISHED: [(Algorithm, [usize; 5]); 6] = [
    (Algorithm::FisherYates, [882, 1_863, 4_524, 5_727, 8_183]),
    (Algorithm::Bubble, [1_609, 2_842, 5_793, 7_047, 9_518]),
    (Algorithm::Lehmer, [158, 485, 2_292, 3_819, 14_817]),
    (Algorithm::Bitonic, [4_419, 4_467, 4_593, 4_659, 4_929]),
    (Algorithm::OddEven, [3_458, 3_596, 3_860, 3_962, 4_232]),
    (Algorithm::Waksman, [2_030, 2_078, 2_204, 2_270, 2_474]),
];

/// The actual numbers of AND gates, without a check of the inputs.
const REACHED: [(Algorithm, [usize; 5]); 7] = [
    (Algorithm::FisherYates, [159, 486, 2_293, 3_831, 7_799]),
    (Algorithm::Bubble, [781, 1_657, 4_058, 5_169, 7_465]),
    (Algorithm::Lehmer, [154, 445, 1_872, 2_972, 9_730]),
    (Algorithm::Cut, [127, 362, 1_644, 2_679, 9_403]),
    (Algorithm::Bitonic, [2_451, 2_667, 3_243, 3_585, 4_563]),
    (Algorithm::OddEven, [2_174, 2_372, 2_858, 3_128, 4_004]),
    (Algorithm::Waksman, [1_386, 1_536, 1_746, 1_884, 2_226]),
];

/// The numbers of AND gates of the check of the inputs, for all algorithms with additive seeds. The
/// switches of the other algorithms need no check.
const CHECK: [usize; 5] = [49, 95, 222, 272, 449];

/// The numbers of AND gates of the biased networks, for comparison.
const BIASED: [(Biased, [usize; 5]); 2] = [
    (Biased::FairBitBubble, [1_302, 2_299, 4_683, 5_709, 7_659]),
    (Biased::XorThenModulo, [826, 1_759, 4_288, 5_438, 7_709]),
];

fn ands(algorithm: Algorithm) -> [usize; 5] {
    DRAWS.map(|m| shuffle(52, m, algorithm).circuit().ands())
}

fn checked_ands(cards: usize, draw: usize, algorithm: Algorithm) -> usize {
    let spec = Spec::new(cards, draw, algorithm).expect("a spec within its bounds");
    ShuffleCircuit::build_checked(spec).circuit().ands()
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
fn and_counts_match_the_table() {
    assert_eq!(
        Algorithm::ALL.map(|algorithm| (algorithm, ands(algorithm))),
        REACHED
    );
    for (biased, expected) in BIASED {
        let ands = |m| biased.circuit(52, m).expect("a deck of 52").ands();
        assert_eq!(DRAWS.map(ands), expected, "{biased}");
    }
}

#[test]
fn and_counts_of_the_input_check_match_the_table() {
    for (algorithm, unchecked) in REACHED {
        let checked = DRAWS.map(|m| checked_ands(52, m, algorithm));
        let check: Vec<_> = checked.iter().zip(unchecked).map(|(a, b)| a - b).collect();
        let expected = match algorithm {
            Algorithm::Bitonic | Algorithm::OddEven | Algorithm::Waksman => [0; 5],
            _ => CHECK,
        };
        assert_eq!(check, expected, "{algorithm}");
    }
}

#[test]
fn auto_chooses_the_fewest_joint_ands() {
    for (n, draws) in [(8, 1..=8), (20, 1..=20), (52, 1..=52), (100, 38..=42)] {
        for m in draws {
            let joint = |algorithm| Demand::of(shuffle(n, m, algorithm).circuit()).ands;
            let choice = Algorithm::cheapest(n, m).expect("a spec within its bounds");
            let fewest = Algorithm::ALL.map(joint).into_iter().min();
            assert_eq!(Some(joint(choice)), fewest, "{m} of {n}: {choice}");
        }
    }
}

#[test]
fn sorting_by_48_bit_keys_costs_ten_times_as_much() {
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
fn waksman_shuffles_of_powers_of_two_match_their_formula() {
    for w in 3..=9 {
        let n = 1usize << w;
        // The garbler's copy of the network: the input layers, where the differences of two words
        // have few bits; the squares of four wires between input and output layers; and the inner
        // output layers.
        let input_layers: usize = (1..=w).map(|k| (n / 2 - (n >> k)) * (k - 1)).sum();
        let squares = (n / 4 - 1) * (w + 1);
        let output_layers: usize = (2..w - 1).map(|depth| (n / 2 - (1 << depth)) * w).sum();
        for a in 1..=w {
            // The evaluator's copy of the network: each switch takes an AND for each bit of a word.
            let m = 1usize << a;
            let switches = a * (n + m) / 2 + n - 2 * m + 1;
            let expected = input_layers + squares + output_layers + switches * w;
            let ands = shuffle(n, m, Algorithm::Waksman).circuit().ands();
            assert_eq!(ands, expected, "{m} of {n}");
        }
    }
}
