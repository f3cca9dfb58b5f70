//! Every draw is equally likely if the seeds of one party are uniform and independent.

use std::collections::HashMap;

use dealerless::circuit::Party;
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::{Algorithm, Enumeration, Subject};
use dealerless::testing::chi_square::{
    SUSPICIOUS, ln_p_of_pair, ln_p_of_places_and_cards, ln_survival, ln_survival_of_sum,
};
use dealerless::testing::shuffles::{evaluate, fresh_generator, shuffle, words};
use rand::Rng;

const SHUFFLES: usize = 100_032;

/// ln 10^-30: for a biased shuffle, ln p must be below this value.
const CERTAIN: f64 = -69.078;

#[test]
fn every_draw_is_equally_frequent_over_the_seeds_of_each_party() {
    for algorithm in Algorithm::ALL {
        for n in 2..=5 {
            for m in 1..=n {
                let subject = Subject::Shuffle(algorithm);
                let enumeration = Enumeration::new(subject, n, m).expect("a small deck");
                for honest in Party::BOTH {
                    let rows = enumeration.over(honest).expect("few values");
                    let times = enumeration.values(honest) / enumeration.draws();
                    for fixed in 0..enumeration.values(honest.other()) {
                        assert_eq!(rows.against(fixed), Ok(times), "{algorithm} {m} of {n}");
                    }
                }
            }
        }
    }
}

#[test]
fn enumeration_rejects_the_biased_shuffles() {
    for biased in Biased::ALL {
        for n in 3..=4 {
            let enumeration =
                Enumeration::new(Subject::Biased(biased), n, n).expect("a small deck");
            for honest in Party::BOTH {
                let rows = enumeration.over(honest).expect("few values");
                for fixed in 0..enumeration.values(honest.other()) {
                    assert!(rows.against(fixed).is_err(), "{biased} {n}");
                }
            }
        }
    }
}

#[test]
fn draws_from_52_cards_are_uniform() {
    let mut rng = fresh_generator();
    for (algorithm, m) in [
        (Algorithm::FisherYates, 9),
        (Algorithm::FisherYates, 40),
        (Algorithm::FisherYates, 52),
        (Algorithm::Bubble, 52),
        (Algorithm::Lehmer, 20),
        (Algorithm::Cut, 9),
        (Algorithm::Cut, 52),
        (Algorithm::Bitonic, 20),
        (Algorithm::OddEven, 52),
        (Algorithm::Waksman, 9),
        (Algorithm::Waksman, 52),
    ] {
        let shuffle = shuffle(52, m, algorithm);
        let inputs: Vec<_> = (0..SHUFFLES)
            .map(|_| {
                [Party::Garbler, Party::Evaluator].map(|party| shuffle.sample(party, &mut rng))
            })
            .collect();
        let draws = evaluate(&shuffle, &inputs);
        for (of, ln_p) in [
            ("places and cards", ln_p_of_places_and_cards(&draws, 52)),
            ("the first two cards", ln_p_of_pair(&draws, 52, (0, 1))),
            (
                "the first and the last",
                ln_p_of_pair(&draws, 52, (0, m - 1)),
            ),
        ] {
            let message = format!("{algorithm} {m} of 52, {of}: p = {:e}", ln_p.exp());
            println!("{message}");
            assert!(ln_p > SUSPICIOUS, "{message}");
        }
    }
}

#[test]
fn same_statistics_reject_the_biased_shuffles() {
    let mut rng = fresh_generator();
    for biased in Biased::ALL {
        let circuit = biased.circuit(52, 52).expect("a deck of 52");
        let draws: Vec<_> = (0..SHUFFLES / 64)
            .flat_map(|_| {
                let mut lanes = |&bits: &usize| (0..bits).map(|_| rng.next_u64()).collect();
                let inputs: Vec<Vec<u64>> = circuit.inputs().iter().map(&mut lanes).collect();
                words(
                    &circuit
                        .evaluate_lanes(&inputs)
                        .expect("inputs of the circuit"),
                )
            })
            .collect();
        for (of, ln_p) in [
            ("places and cards", ln_p_of_places_and_cards(&draws, 52)),
            ("the first two cards", ln_p_of_pair(&draws, 52, (0, 1))),
        ] {
            let message = format!("{biased}, {of}: log10 p = {}", ln_p / 10f64.ln());
            println!("{message}");
            assert!(ln_p < CERTAIN, "{message}");
        }
    }
}

#[test]
fn biased_circuits_agree_with_their_definitions() {
    let mut rng = fresh_generator();
    for biased in Biased::ALL {
        for (n, m) in [(2, 1), (2, 2), (5, 3), (5, 5), (33, 20), (52, 52)] {
            let circuit = biased.circuit(n, m).expect("a spec within its bounds");
            let mut lanes = |&bits: &usize| (0..bits).map(|_| rng.next_u64()).collect();
            let inputs: Vec<Vec<u64>> = circuit.inputs().iter().map(&mut lanes).collect();
            let draws = words(
                &circuit
                    .evaluate_lanes(&inputs)
                    .expect("inputs of the circuit"),
            );
            for (lane, draw) in draws.into_iter().enumerate() {
                let bits =
                    (inputs[0].iter().zip(&inputs[1])).map(|(x, y)| (x ^ y) >> lane & 1 == 1);
                assert_eq!(
                    biased.plaintext(n, m, bits),
                    Ok(draw),
                    "{biased} {m} of {n}"
                );
            }
        }
    }
}

#[test]
fn bubble_network_of_fair_bits_is_biased_as_enumerated() {
    for (n, most) in [(3, 2), (4, 6), (5, 34)] {
        let draws = all_draws(Biased::FairBitBubble, n);
        let counts = count(&draws);
        assert_eq!(counts.values().min(), Some(&1), "{n} cards");
        assert_eq!(counts.values().max(), Some(&most), "{n} cards");
        // The first card is card 0, 1, … with probability 1/2, 1/4, …. The last two cards are
        // equally likely.
        let first = count(draws.iter().map(|draw| draw[0]));
        for card in 0..n {
            let halvings = (card + 1).min(n - 1);
            assert_eq!(first[&(card as u32)], draws.len() >> halvings, "{n} cards");
        }
    }
}

#[test]
fn fisher_yates_of_reduced_xors_is_biased_as_enumerated() {
    for (n, least, most) in [(3, 1, 2), (4, 1, 2), (5, 1, 4)] {
        let counts = count(all_draws(Biased::XorThenModulo, n));
        assert_eq!(counts.values().min(), Some(&least), "{n} cards");
        assert_eq!(counts.values().max(), Some(&most), "{n} cards");
    }
    let first = |seed: u32| {
        let bits = (0..6).map(|bit| seed >> bit & 1 == 1);
        Biased::XorThenModulo.plaintext(52, 1, bits).expect("52")[0]
    };
    let first = count((0..64).map(first));
    let of = |frequency| first.values().filter(|&&count| count == frequency).count();
    assert_eq!((of(2), of(1)), (12, 40));
}

/// Returns the full shuffles of n cards, one for each value of the XOR of the parties' bits.
fn all_draws(biased: Biased, n: usize) -> Vec<Vec<u32>> {
    let bits = biased.circuit(n, n).expect("a small deck").inputs()[0];
    (0..1u32 << bits)
        .map(|word| {
            let bits = (0..bits).map(|bit| word >> bit & 1 == 1);
            biased.plaintext(n, n, bits).expect("a small deck")
        })
        .collect()
}

#[test]
fn chi_square_survival_function_has_its_known_values() {
    for (x, degrees, p) in [
        (3.841_458_820_694_124, 1.0, 0.05),
        (18.307_038_053_275_146, 10.0, 0.05),
        (124.342_113_404_004_07, 100.0, 0.05),
        (6.634_896_601_021_213, 1.0, 0.01),
    ] {
        let found = ln_survival(x, degrees).exp();
        assert!((found / p - 1.0).abs() < 1e-10, "{found} for {p}");
    }
    // For even degrees, the function is a sum of Poisson probabilities.
    for (x, degrees) in [(0.5, 2), (700.0, 2), (3.0, 20), (900.0, 20), (2500.0, 2652)] {
        let mean: f64 = x / 2.0;
        let mut ln_term = -mean;
        let mut sum = 0.0;
        let mut terms = Vec::new();
        for i in 0..degrees / 2 {
            terms.push(ln_term);
            ln_term += mean.ln() - f64::from(i + 1).ln();
        }
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for term in terms {
            sum += (term - largest).exp();
        }
        let expected = largest + sum.ln();
        let found = ln_survival(x, f64::from(degrees));
        let scale = f64::max(1.0, expected.abs());
        assert!(
            (found - expected).abs() < 1e-9 * scale,
            "{found} for {expected}"
        );
    }
    // With weight 1, the sum is a chi-square variable as well.
    for (x, first, second) in [
        (60.0, 10.0, 40.0),
        (700.0, 408.0, 51.0),
        (1500.0, 408.0, 51.0),
    ] {
        let (sum, plain) = (
            ln_survival_of_sum(x, first, 1.0, second),
            ln_survival(x, first + second),
        );
        assert!((sum - plain).abs() < 1e-3, "{sum} for {plain}");
    }
}

fn count<T: std::hash::Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_insert(0) += 1;
    }
    counts
}
