//! Tests the circuit against its definition, exhaustively for a small pack, and checks its cost.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::*;
use crate::circuit::Party;
use crate::mpc::Demand;
use crate::shuffle::Randomness;
use crate::testing::chi_square::{ln_p_of_pair, ln_p_of_places_and_cards, ln_survival};

fn circuit(ranks: usize, boards: usize) -> SplitCircuit {
    SplitCircuit::build(Split::new(ranks, boards).unwrap())
}

/// The four hands of a board by definition: card c goes to hand `word[places[c]]`.
fn by_definition(places: &[u32], word: &[u8]) -> Vec<u64> {
    let mut hands = vec![0; 4];
    for (card, &place) in places.iter().enumerate() {
        hands[usize::from(word[place as usize])] |= 1 << card;
    }
    hands
}

fn of(entry: &Entry) -> (Option<&[u32]>, Option<&[u8]>) {
    match entry {
        Entry::Places(places) => (Some(places), None),
        Entry::Hands(word) => (None, Some(word)),
    }
}

/// Runs the circuit on both inputs and returns the hands and the validity bits.
fn run(circuit: &SplitCircuit, entered: [&Randomness; 2]) -> (Vec<u64>, Vec<bool>) {
    let bits = entered.map(|of| of.bits().to_vec());
    let outputs = circuit.circuit().evaluate(&bits).unwrap();
    (
        circuit.decode(&outputs),
        outputs[circuit.validity()].clone(),
    )
}

#[test]
fn circuit_deals_by_the_definition() {
    let mut rng = StdRng::seed_from_u64(13);
    for (ranks, boards) in [(2, 1), (3, 2), (5, 7), (13, 1), (13, 6)] {
        let circuit = circuit(ranks, boards);
        for _ in 0..10 {
            let sampled = Party::BOTH.map(|party| circuit.sample(party, &mut rng));
            let [garblers, evaluators] = [0, 1].map(|party| {
                let bits = sampled[party].bits();
                circuit.entered(Party::BOTH[party], bits).unwrap()
            });
            let boards = garblers.iter().zip(&evaluators).enumerate();
            let expected: Vec<u64> = boards
                .flat_map(|(board, (garblers, evaluators))| {
                    let [(g, h), (e, f)] = [of(garblers), of(evaluators)];
                    let garbler = circuit.split().permutes(board) == Party::Garbler;
                    assert_eq!((garbler, !garbler), (g.is_some(), e.is_some()));
                    by_definition(g.or(e).unwrap(), h.or(f).unwrap())
                })
                .collect();
            let (hands, valid) = run(&circuit, [&sampled[0], &sampled[1]]);
            assert_eq!((hands, valid), (expected, vec![true, true]));
        }
    }
}

#[test]
fn encoded_entries_are_decoded_unchanged() {
    let mut rng = StdRng::seed_from_u64(5);
    let circuit = circuit(13, 3);
    for party in Party::BOTH {
        let sampled = circuit.sample(party, &mut rng);
        let entries = circuit.entered(party, sampled.bits()).unwrap();
        let again = circuit.encode(party, &entries).unwrap();
        let read = circuit.entered(party, again.bits()).unwrap();
        assert!(entries.iter().map(of).eq(read.iter().map(of)));
        assert!(circuit.entered(party, &sampled.bits()[1..]).is_none());
        let other = circuit.encode(party.other(), &entries).map(drop);
        assert_eq!(other, Err(EntryError(0)));
    }
}

#[test]
fn invalid_entries_are_rejected_with_their_board() {
    let circuit = circuit(2, 2);
    let places = |places: &[u32]| Entry::Places(Zeroizing::new(places.to_vec()));
    let word = |word: &[u8]| Entry::Hands(Zeroizing::new(word.to_vec()));
    let good = || places(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let refused = |entries: &[Entry]| circuit.encode(Party::Garbler, entries).err();
    assert_eq!(refused(&[good(), word(&[3; 8])]), None);
    assert_eq!(refused(&[good(), word(&[4; 8])]), Some(EntryError(1)));
    assert_eq!(refused(&[good(), word(&[0; 7])]), Some(EntryError(1)));
    assert_eq!(
        refused(&[places(&[0; 8]), word(&[0; 8])]),
        Some(EntryError(0))
    );
    assert_eq!(refused(&[good()]), Some(EntryError(1)));
    let three = [good(), word(&[3; 8]), word(&[3; 8])];
    assert_eq!(refused(&three), Some(EntryError(2)));
}

/// A word is balanced if and only if it contains each hand equally often, and the validity bits
/// name the party.
#[test]
fn unbalanced_words_are_detected() {
    let circuit = circuit(2, 2);
    let fixed = |party| circuit.sample(party, &mut StdRng::seed_from_u64(1));
    let mut rng = StdRng::seed_from_u64(2);
    let mut balanced = 0;
    for _ in 0..3000 {
        let word: Vec<u8> = (0..8).map(|_| rng.random_range(0..4)).collect();
        let is_balanced = (0..4).all(|hand| word.iter().filter(|&&of| of == hand).count() == 2);
        balanced += usize::from(is_balanced);
        for (party, board) in [(Party::Evaluator, 0), (Party::Garbler, 1)] {
            let mut entries = circuit.entered(party, fixed(party).bits()).unwrap();
            entries[board] = Entry::Hands(Zeroizing::new(word.clone()));
            let entered = circuit.encode(party, &entries).unwrap();
            let other = fixed(party.other());
            let (_, valid) = match party {
                Party::Garbler => run(&circuit, [&entered, &other]),
                Party::Evaluator => run(&circuit, [&other, &entered]),
            };
            let expected = Party::BOTH.map(|p| p != party || is_balanced);
            assert_eq!(valid, expected, "{word:?}");
        }
    }
    assert!((50..200).contains(&balanced), "{balanced}");
}

/// For any fixed entry of one party, each of the 2520 splits of a pack of 8 cards results from
/// equally many entries of the other party.
#[test]
fn splits_are_equally_likely_if_one_party_is_honest() {
    let circuit = circuit(2, 1);
    let word = |order: &Vec<u32>| order.iter().map(|&place| place as u8 / 2).collect();
    let words: BTreeSet<Vec<u8>> = permutations(8).iter().map(word).collect();
    assert_eq!(words.len(), 2520);
    let count = |splits: &mut dyn Iterator<Item = Vec<u64>>| {
        let mut counts = BTreeMap::new();
        for split in splits {
            *counts.entry(split).or_insert(0) += 1;
        }
        counts
    };
    let places = [[0, 1, 2, 3, 4, 5, 6, 7], [3, 1, 7, 0, 2, 6, 5, 4]];
    for places in places {
        let garbler = entry(
            &circuit,
            Party::Garbler,
            Entry::Places(places.to_vec().into()),
        );
        let splits = count(&mut words.iter().map(|word| {
            let word = Entry::Hands(word.clone().into());
            let evaluator = entry(&circuit, Party::Evaluator, word);
            run(&circuit, [&garbler, &evaluator]).0
        }));
        assert_eq!(splits.len(), 2520);
    }
    for word in words.iter().step_by(1500) {
        let evaluator = Entry::Hands(word.clone().into());
        let evaluator = entry(&circuit, Party::Evaluator, evaluator);
        let counts = count(&mut permutations(8).into_iter().map(|places| {
            let garbler = entry(&circuit, Party::Garbler, Entry::Places(places.into()));
            run(&circuit, [&garbler, &evaluator]).0
        }));
        assert_eq!(counts.len(), 2520);
        assert!(counts.values().all(|&count| count == 16));
    }
}

/// In the dealt hands, the other party's entry would hide a bias, so each entry is tested alone.
#[test]
fn sampled_entries_are_uniform() {
    let mut rng = StdRng::seed_from_u64(8);
    let circuit = circuit(2, 2);
    for (party, permutes) in [(Party::Garbler, 0), (Party::Evaluator, 1)] {
        let (mut places, mut words) = (Vec::new(), BTreeMap::<Vec<u8>, u32>::new());
        for _ in 0..25_200 {
            let sampled = circuit.sample(party, &mut rng);
            let entries = circuit.entered(party, sampled.bits()).unwrap();
            places.push(of(&entries[permutes]).0.unwrap().to_vec());
            let word = of(&entries[1 - permutes]).1.unwrap();
            *words.entry(word.to_vec()).or_default() += 1;
        }
        let expected = 25_200.0 / 2520.0;
        let missing = (2520 - words.len()) as f64 * expected;
        let statistic = missing
            + words
                .values()
                .map(|&count| (f64::from(count) - expected).powi(2) / expected)
                .sum::<f64>();
        for (what, ln_p) in [
            ("words", ln_survival(statistic, 2519.0)),
            ("places", ln_p_of_places_and_cards(&places, 8)),
            ("first two places", ln_p_of_pair(&places, 8, (0, 1))),
        ] {
            assert!(ln_p > -20.0, "{what} of the {party}: ln p = {ln_p}");
        }
    }
}

fn entry(circuit: &SplitCircuit, party: Party, entry: Entry) -> Randomness {
    circuit.encode(party, &[entry]).unwrap()
}

/// All permutations of the numbers below `n`.
fn permutations(n: u32) -> Vec<Vec<u32>> {
    match n {
        0 => vec![Vec::new()],
        n => permutations(n - 1)
            .into_iter()
            .flat_map(|shorter| {
                (0..n as usize).map(move |at| {
                    let mut longer = shorter.clone();
                    longer.insert(at, n - 1);
                    longer
                })
            })
            .collect(),
    }
}

#[test]
fn cost_of_a_board_matches_the_table() {
    for boards in [1, 2, 36] {
        let circuit = circuit(13, boards);
        assert_eq!(Demand::of(circuit.circuit()).ands, 550 * boards);
        let owned = circuit.circuit().ands() - 550 * boards;
        // The checks of a party's words are joined.
        let joined = boards.min(2);
        assert_eq!(owned + joined, 217 * boards);
        let estimated = circuit.split().estimated_ands();
        assert_eq!(estimated, circuit.circuit().ands() + joined);
    }
}
