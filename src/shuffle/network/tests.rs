//! Tests that every network routes every permutation.

use rand::rngs::{StdRng, SysRng};
use rand::{CryptoRng, SeedableRng};

use super::*;
use crate::circuit::Party;
use crate::shuffle::construction::Construction;
use crate::shuffle::{Algorithm, Spec};
use crate::uniform;

/// A network as used in a composition of copies, with the number of wanted outputs.
struct Copy {
    name: String,
    network: Network,
    wanted: usize,
}

/// All kinds of networks on n lines, laid out for every number of outputs.
fn copies(n: usize, wanted: impl Iterator<Item = usize> + Clone) -> Vec<Copy> {
    let copy = |name: String, network, wanted| Copy {
        name,
        network,
        wanted,
    };
    let mut copies = vec![
        copy("bitonic".into(), bitonic(n), n),
        copy("odd-even".into(), odd_even(n), n),
        copy(
            "aligned bitonic".into(),
            bitonic::network(n, sorting::aligned),
            n,
        ),
        copy(
            "aligned odd-even".into(),
            odd_even::network(n, sorting::aligned),
            n,
        ),
    ];
    for m in wanted {
        let bitonic = sorting::flipped_for(n, m, |n, split| bitonic::network(n, split));
        let odd_even = sorting::flipped_for(n, m, |n, split| odd_even::network(n, split));
        copies.push(copy(format!("flipped bitonic for {m}"), bitonic, m));
        copies.push(copy(format!("flipped odd-even for {m}"), odd_even, m));
        copies.push(copy(format!("waksman for {m}"), waksman::network(n, m), m));
    }
    copies
}

fn routes(copy: &Copy, permutation: &[u32]) {
    let Copy {
        name,
        network,
        wanted,
    } = copy;
    let mut setting = network.route(permutation);
    // Switches that the wanted outputs do not need may have any setting.
    let mut unneeded = vec![true; setting.len()];
    for switch in network.needed(*wanted) {
        unneeded[switch] = false;
    }
    for (bit, unneeded) in setting.iter_mut().zip(unneeded) {
        *bit |= unneeded;
    }
    let items: Vec<u32> = (0..network.lines() as u32).collect();
    let outputs = network.apply(&setting, &items);
    assert_eq!(
        outputs[..*wanted],
        permutation[..*wanted],
        "{name}, {permutation:?}"
    );
}

#[test]
fn all_permutations_of_up_to_seven_lines_are_routed() {
    for n in 1..=7 {
        let copies = copies(n, 1..=n);
        for permutation in permutations(n) {
            for copy in &copies {
                routes(copy, &permutation);
            }
        }
    }
}

#[test]
fn random_permutations_of_many_lines_are_routed() {
    let mut rng = fresh_generator();
    for n in [52, 64, 100] {
        for copy in copies(n, [1, 2, 9, 20, 33, 51, n - 1, n].into_iter()) {
            for _ in 0..10 {
                routes(&copy, &sample(n, &mut rng));
            }
        }
    }
}

#[test]
fn networks_have_their_known_numbers_of_switches() {
    let mut sum = 0;
    for n in 1..=130_usize {
        sum += n.next_power_of_two().trailing_zeros() as usize;
        assert_eq!(waksman(n).switches().len(), sum, "{n} lines");
    }
    for k in 1..=10 {
        let n = 1 << k;
        assert_eq!(bitonic(n).switches().len(), n * k * (k + 1) / 4);
        assert_eq!(odd_even(n).switches().len(), n * k * (k - 1) / 4 + n - 1);
    }
    assert_eq!(bitonic(52).switches().len(), 466);
    assert_eq!(odd_even(52).switches().len(), 417);
    assert_eq!(waksman(52).switches().len(), 249);
}

#[test]
fn one_output_needs_a_tree_of_switches() {
    for n in 2..=70 {
        for copy in copies(n, 1..=1).iter().filter(|copy| copy.wanted == 1) {
            let needed = copy.network.needed(1).len();
            assert_eq!(needed, n - 1, "{} on {n} lines", copy.name);
        }
    }
}

#[test]
fn sorting_networks_sort_all_sequences_of_zeros_and_ones() {
    // The zero-one principle (Knuth, volume 3, 5.3.4, theorem Z).
    for n in 1..=12 {
        for network in [
            bitonic(n),
            odd_even(n),
            bitonic::network(n, sorting::aligned),
            odd_even::network(n, sorting::aligned),
        ] {
            for bits in 0..1u32 << n {
                let mut keys: Vec<bool> = (0..n).map(|i| bits >> i & 1 == 1).collect();
                for &Switch { upper, lower } in network.switches() {
                    (keys[upper], keys[lower]) =
                        (keys[upper] & keys[lower], keys[upper] | keys[lower]);
                }
                assert!(network.outputs().is_sorted_by_key(|&line| keys[line]));
            }
        }
    }
}

#[test]
fn translations_have_the_effect_of_the_switches() {
    let mut rng = fresh_generator();
    for (n, translated) in [(2, 1), (8, 7), (52, 49), (64, 63), (100, 97)] {
        for (network, all) in [
            (bitonic::network(n, sorting::aligned), true),
            (odd_even::network(n, sorting::aligned), true),
            (waksman(n), n.is_power_of_two()),
        ] {
            let translations = translation::translations(&network);
            if all {
                assert_eq!(translations.len(), translated, "{n} lines");
            }
            assert!(translations.len() >= n / 2, "{n} lines");
            for _ in 0..20 {
                let permutation = sample(n, &mut rng);
                let mut setting = network.route(&permutation);
                translation::translate(&translations, &mut setting);
                let mut cards: Vec<u32> = (0..n as u32).collect();
                for translation in &translations {
                    let bit = std::mem::take(&mut setting[translation.switch]);
                    for card in &mut cards[translation.block.clone()] {
                        *card ^= u32::from(bit) << translation.bit;
                    }
                }
                assert_eq!(network.apply(&setting, &cards), permutation, "{n} lines");
            }
        }
    }
}

#[test]
fn parties_have_one_bit_for_each_switch_of_their_copy() {
    let mut rng = fresh_generator();
    for algorithm in [Algorithm::Bitonic, Algorithm::OddEven, Algorithm::Waksman] {
        let Construction::Routed(copies) = algorithm.construction() else {
            panic!("{algorithm} is a network");
        };
        for m in [1, 9, 52] {
            let networks = Composed::new(Spec::new(52, m, algorithm).unwrap(), copies);
            for party in [Party::Garbler, Party::Evaluator] {
                let bits = networks.route(party, &sample(52, &mut rng));
                assert_eq!(bits.len(), networks.switches(party));
            }
        }
    }
}

/// All permutations of `0..n`.
fn permutations(n: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for item in 0..n as u32 {
        all = (all.iter())
            .flat_map(|shorter| {
                (0..=shorter.len()).map(move |place| {
                    let mut longer = shorter.clone();
                    longer.insert(place, item);
                    longer
                })
            })
            .collect();
    }
    all
}

/// A uniform permutation of `0..n`.
fn sample(n: usize, rng: &mut impl CryptoRng) -> Vec<u32> {
    uniform::permutation(n, || rng.next_u64())
}

fn fresh_generator() -> impl CryptoRng {
    StdRng::try_from_rng(&mut SysRng).expect("the operating system provides randomness")
}
