//! Decks that two parties shuffle with a netlist are uniform. The tests compare thousands of
//! shuffles in one session of each engine with the uniform distribution.

use dealerless::circuit::{Circuit, Party, bristol};
use dealerless::mpc::{Audience, Demand, Input, Malicious, Opening, Run, SemiHonest};
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::chi_square::{SUSPICIOUS, ln_p_of_pair, ln_p_of_places_and_cards};
use dealerless::testing::circuits::bits;
use dealerless::testing::session::{Engine, in_memory, sessions, system_rng};

dealerless::with_both_engines! {
    same_test_rejects_the_bubble_network_of_fair_bits,
}

/// The number of cards, of drawn cards, and of shuffles with each algorithm.
type Deal = (usize, usize, usize);

/// The number of shuffles that a session prepares at once.
const PREPARED: usize = 100;

/// ln 10^-30: for a biased shuffle, ln p must be below this value.
const CERTAIN: f64 = -69.078;

/// Writes a circuit as a netlist and reads it again.
fn as_netlist(circuit: &Circuit) -> Circuit {
    let mut netlist = Vec::new();
    bristol::write(circuit, &mut netlist).expect("writing to a vector");
    bristol::parse(&netlist).expect("a netlist of our own")
}

/// Runs the netlist once with the bits of this party, and opens all cards to both parties.
fn deal<E: Engine>(session: &mut E, netlist: &Circuit, bits: &[bool]) -> Vec<u32> {
    let run = Run::new(netlist, &Input::ONE_EACH, bits);
    let words = session.run(run).expect("a run of the netlist");
    let to = Audience::Both;
    let openings: Vec<_> = words.iter().map(|bits| Opening { to, bits }).collect();
    let opened = session.open(&openings).expect("an opening of the cards");
    let number = |bits: &[bool]| bits.iter().rev().fold(0, |n, &bit| n << 1 | u32::from(bit));
    opened.iter().flatten().map(number).collect()
}

/// Returns ln p of each statistic of the draws from n cards, with the name of the statistic.
fn ln_ps(draws: &[Vec<u32>], n: usize) -> Vec<(&'static str, f64)> {
    let mut ln_ps = vec![("places and cards", ln_p_of_places_and_cards(draws, n))];
    // Pairs are compared only if each pair is so frequent that its count is about normal.
    if draws.len() >= 5 * n * (n - 1) {
        let last = draws[0].len() - 1;
        ln_ps.push(("the first two cards", ln_p_of_pair(draws, n, (0, 1))));
        ln_ps.push(("the first and the last", ln_p_of_pair(draws, n, (0, last))));
    }
    ln_ps
}

/// Returns the draws of `shuffles` runs. `bits` returns the input of a party for a run.
fn draws<E: Engine>(
    session: &mut E,
    netlist: &Circuit,
    shuffles: usize,
    mut bits: impl FnMut(Party) -> Vec<bool>,
) -> Vec<Vec<u32>> {
    (0..shuffles)
        .map(|shuffle| {
            if shuffle % PREPARED == 0 {
                let count = PREPARED.min(shuffles - shuffle);
                let demand = Demand::of(netlist).times(count);
                session.prepare(demand).expect("a batch");
            }
            let bits = bits(session.role());
            deal(session, netlist, &bits)
        })
        .collect()
}

/// Deals with the netlist of every algorithm and compares the draws with the uniform distribution.
fn decks_of_every_algorithm_are_uniform<E: Engine>(deals: &[Deal]) {
    let shuffles: Vec<_> = (Algorithm::ALL.iter())
        .flat_map(|&algorithm| {
            (deals.iter()).map(move |&(n, m, count)| {
                let spec = Spec::new(n, m, algorithm).expect("a deal");
                let shuffle = ShuffleCircuit::build(spec);
                let netlist = as_netlist(shuffle.circuit());
                (shuffle, netlist, count)
            })
        })
        .collect();
    let [mine, theirs] = sessions(in_memory(), |session: &mut E| {
        (shuffles.iter())
            .map(|(shuffle, netlist, count)| {
                let sample = |party| shuffle.sample(party, &mut system_rng()).bits().to_vec();
                draws(session, netlist, *count, sample)
            })
            .collect::<Vec<_>>()
    });
    assert_eq!(mine, theirs);
    for ((shuffle, ..), draws) in shuffles.iter().zip(mine) {
        let spec = shuffle.spec();
        let (n, m, algorithm) = (spec.cards(), spec.draw(), spec.algorithm());
        for (of, ln_p) in ln_ps(&draws, n) {
            let message = format!("{algorithm} {m} of {n}, {of}: p = {:e}", ln_p.exp());
            println!("{message}");
            assert!(ln_p > SUSPICIOUS, "{message}");
        }
    }
}

#[test]
fn decks_of_every_algorithm_are_uniform_in_a_semi_honest_session() {
    decks_of_every_algorithm_are_uniform::<SemiHonest>(&[(8, 8, 2_000), (52, 5, 2_000)]);
}

/// Deals fewer and smaller decks, since an AND takes longer in a malicious session. The test
/// `many_hands` of the table deals from 52 cards.
#[test]
fn decks_of_every_algorithm_are_uniform_in_a_malicious_session() {
    decks_of_every_algorithm_are_uniform::<Malicious>(&[(8, 8, 500), (20, 5, 300)]);
}

fn same_test_rejects_the_bubble_network_of_fair_bits<E: Engine>() {
    let circuit = Biased::FairBitBubble.circuit(8, 8).expect("a deal");
    let netlist = as_netlist(&circuit);
    let [decks, _] = sessions(in_memory(), |session: &mut E| {
        let fair = |_| bits(&mut system_rng(), netlist.inputs()[0]);
        draws(session, &netlist, 2_000, fair)
    });
    for (of, ln_p) in ln_ps(&decks, 8) {
        let message = format!("fair bits, {of}: log10 p = {}", ln_p / 10f64.ln());
        println!("{message}");
        assert!(ln_p < CERTAIN, "{message}");
    }
}
