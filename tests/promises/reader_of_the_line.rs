//! Somebody who reads the line learns nothing but what is opened to both: no affine combination over
//! F2 of all that travels in both directions, over many runs, is a bit of an input, of an output
//! that is opened to one party or to nobody, or a sum of such, unless it follows from what is opened
//! to both.
//!
//! The masks of outputs are what is at stake: those of a full deal are dependent, since conditional
//! swaps preserve the sum, and so are those of a circuit that reads its inputs by XOR.

use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::mpc::Audience;
use dealerless::shuffle::Algorithm;
use dealerless::testing::reader::{Learner, Play, initial, read};
use dealerless::testing::session::Engine;

dealerless::with_both_engines! {
    the_line_of_circuits_tells_nothing,
    the_line_of_decks_tells_nothing,
}

const GARBLER: Learner = Some(Audience::Only(Party::Garbler));
const EVALUATOR: Learner = Some(Audience::Only(Party::Evaluator));
const BOTH: Learner = Some(Audience::Both);
const NOBODY: Learner = None;

/// A circuit of two bits of each party.
fn circuit(outputs: impl FnOnce(&mut Builder, [Bit; 2], [Bit; 2]) -> Vec<Vec<Bit>>) -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let [a, b] = [0, 1].map(|party| builder.input(party)[..].try_into().expect("two bits"));
    let words = outputs(&mut builder, a, b);
    builder.build(words)
}

fn circuits() -> Vec<Play> {
    let sums = || circuit(|b, [a0, a1], [b0, b1]| vec![vec![b.xor(a0, b0)], vec![b.xor(a1, b1)]]);
    let products =
        || circuit(|b, [a0, a1], [b0, b1]| vec![vec![b.and(a0, b0)], vec![b.and(a1, b1)]]);
    // The sum of all words is 0.
    let dependent = circuit(|b, [a0, a1], [b0, b1]| {
        let (p, q) = (b.and(a0, b0), b.xor(a1, b1));
        vec![vec![p, q], vec![q], vec![p]]
    });
    let passed = circuit(|b, [a0, a1], [b0, b1]| {
        let not_a0 = b.not(a0);
        vec![vec![a0, b0], vec![not_a0, b0], vec![b1], vec![a1, Bit::ONE]]
    });
    let mut plays = Vec::new();
    for learner in [GARBLER, EVALUATOR, BOTH, NOBODY] {
        let of = |name: &str, circuit| {
            Play::of_circuit(
                &format!("{name}, to {}", initial(learner)),
                circuit,
                &[learner, NOBODY],
            )
        };
        plays.push(of("a sum", sums()));
        plays.push(of("a product", products()));
    }
    plays.push(Play::of_circuit(
        "words that add up to 0",
        dependent,
        &[GARBLER, EVALUATOR, EVALUATOR],
    ));
    plays.push(Play::of_circuit(
        "inputs that are outputs",
        passed,
        &[EVALUATOR, GARBLER, GARBLER, EVALUATOR],
    ));
    plays
}

/// Full and partial deals.
fn decks() -> Vec<Play> {
    use Algorithm::{Cut, FisherYates, OddEven, Waksman};
    let deal = |algorithm, cards, learners: &[Learner]| Play::of_deck(algorithm, cards, learners);
    vec![
        deal(Waksman, 4, &[GARBLER, GARBLER, EVALUATOR, EVALUATOR]),
        deal(Waksman, 4, &[GARBLER, EVALUATOR, EVALUATOR, EVALUATOR]),
        deal(Waksman, 4, &[GARBLER, GARBLER, GARBLER, EVALUATOR]),
        deal(Waksman, 4, &[BOTH, GARBLER, BOTH, EVALUATOR]),
        deal(Cut, 4, &[GARBLER, GARBLER, EVALUATOR, EVALUATOR]),
        deal(Cut, 4, &[EVALUATOR, GARBLER, GARBLER, GARBLER]),
        deal(FisherYates, 4, &[GARBLER, GARBLER, EVALUATOR, EVALUATOR]),
        deal(OddEven, 4, &[GARBLER, EVALUATOR]),
        deal(Cut, 4, &[GARBLER, EVALUATOR]),
        deal(FisherYates, 4, &[GARBLER, BOTH]),
        deal(Waksman, 3, &[GARBLER, EVALUATOR, EVALUATOR]),
        deal(Cut, 3, &[GARBLER, EVALUATOR, GARBLER]),
        deal(Cut, 2, &[GARBLER, EVALUATOR]),
    ]
}

fn a_reader_learns_nothing<E: Engine>(plays: Vec<Play>) {
    let mut leaking = Vec::new();
    for play in &plays {
        let reading = read::<E>(play, |_| Vec::new());
        let leaks = reading.leaks();
        println!(
            "{}: {}",
            play.name,
            if leaks.is_empty() { "nothing" } else { "LEAKS" }
        );
        if !leaks.is_empty() {
            leaking.push(format!("{}: {}", play.name, leaks.join(", ")));
        }
    }
    assert!(
        leaking.is_empty(),
        "the line tells, in {} of {}:\n  {}",
        leaking.len(),
        plays.len(),
        leaking.join("\n  ")
    );
}

fn the_line_of_circuits_tells_nothing<E: Engine>() {
    a_reader_learns_nothing::<E>(circuits());
}

fn the_line_of_decks_tells_nothing<E: Engine>() {
    a_reader_learns_nothing::<E>(decks());
}
