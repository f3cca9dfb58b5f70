//! The promise: decks that two parties shuffle with a netlist are uniform, over thousands of
//! shuffles in one session.

mod common;

use common::chi_square::{ln_p_of_pair, ln_p_of_places_and_cards};
use common::line::End;
use common::session::{in_memory, input_of, sessions, system_rng};
use dealerless::circuit::{Circuit, Party, bristol};
use dealerless::mpc::{Opening, SemiHonest, To, TwoParty};
use dealerless::shuffle::comparison::biased::Biased;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::RngExt;

type Session = SemiHonest<End>;

/// Cards, and how many are drawn.
const DEALS: [(usize, usize); 2] = [(8, 8), (52, 5)];

const SHUFFLES: usize = 2_000;

/// ln 10^-9: an honest test fails once in 10^9 runs.
const SUSPICIOUS: f64 = -20.723;

/// ln 10^-30.
const CERTAIN: f64 = -69.078;

/// The circuit as any tool reads it: written as a netlist and read again.
fn as_netlist(circuit: &Circuit) -> Circuit {
    let mut netlist = Vec::new();
    bristol::write(circuit, &mut netlist).expect("a vector takes everything");
    bristol::parse(&netlist).expect("what was written can be read")
}

/// Runs the netlist once, with the bits of this party, and opens all cards to both.
fn deal(session: &mut Session, netlist: &Circuit, bits: &[bool]) -> Vec<u32> {
    let owners = [Party::Garbler, Party::Evaluator];
    let inputs = owners.map(|owner| input_of(owner, session, bits));
    let words = session.run(netlist, &inputs).expect("the circuit is run");
    let openings: Vec<_> = words
        .iter()
        .map(|bits| Opening { to: To::Both, bits })
        .collect();
    let opened = session.open(&openings).expect("the cards are opened");
    let number = |bits: Vec<bool>| bits.iter().rev().fold(0, |n, &bit| n << 1 | u32::from(bit));
    opened.into_iter().flatten().map(number).collect()
}

/// ln p of what is counted of the draws from n cards, each with its name.
fn ln_ps(draws: &[Vec<u32>], n: usize) -> Vec<(&'static str, f64)> {
    let mut ln_ps = vec![("places and cards", ln_p_of_places_and_cards(draws, n))];
    // Where a pair is seen often enough for its count to be about normal.
    if draws.len() >= 5 * n * (n - 1) {
        let last = draws[0].len() - 1;
        ln_ps.push(("the first two cards", ln_p_of_pair(draws, n, (0, 1))));
        ln_ps.push(("the first and the last", ln_p_of_pair(draws, n, (0, last))));
    }
    ln_ps
}

#[test]
fn decks_of_every_algorithm_are_uniform_when_two_parties_run_its_netlist() {
    let shuffles: Vec<_> = (Algorithm::ALL.iter())
        .flat_map(|&algorithm| DEALS.map(|(n, m)| Spec::new(n, m, algorithm).expect("a deal")))
        .map(|spec| {
            let shuffle = ShuffleCircuit::build(spec);
            let netlist = as_netlist(shuffle.circuit());
            (shuffle, netlist)
        })
        .collect();
    let [mine, theirs] = sessions(in_memory(), |session: &mut Session| {
        let mut draws = |(shuffle, netlist): &(ShuffleCircuit, Circuit)| -> Vec<Vec<u32>> {
            (0..SHUFFLES)
                .map(|_| {
                    let randomness = shuffle.sample(session.party(), &mut system_rng());
                    deal(session, netlist, randomness.bits())
                })
                .collect()
        };
        shuffles.iter().map(&mut draws).collect::<Vec<_>>()
    });
    assert_eq!(mine, theirs);
    for ((shuffle, _), draws) in shuffles.iter().zip(mine) {
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
fn the_same_test_rejects_the_bubble_network_of_fair_bits() {
    let circuit = Biased::FairBitBubble.circuit(8, 8).expect("a deal");
    let netlist = as_netlist(&circuit);
    let [decks, _] = sessions(in_memory(), |session: &mut Session| {
        let mut deck = || {
            let bits: Vec<bool> = (0..netlist.inputs()[0])
                .map(|_| system_rng().random())
                .collect();
            deal(session, &netlist, &bits)
        };
        (0..SHUFFLES).map(|_| deck()).collect::<Vec<_>>()
    });
    for (of, ln_p) in ln_ps(&decks, 8) {
        let message = format!("fair bits, {of}: log10 p = {}", ln_p / 10f64.ln());
        println!("{message}");
        assert!(ln_p < CERTAIN, "{message}");
    }
}
