//! An eavesdropper learns only what is opened to both parties. Over many runs, no affine
//! combination over F2 of all bits sent in both directions equals a secret bit or a sum of secret
//! bits, unless this follows from the bits that are opened to both parties. A secret bit is a bit
//! of an input, or of an output that is opened to one party or to nobody.
//!
//! These tests are about the masks of outputs. In a full deal the masks are dependent, since
//! conditional swaps preserve the sum of the words. In a circuit that only XORs its inputs the
//! masks are dependent as well.

use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::mpc::Audience;
use dealerless::shuffle::Algorithm;
use dealerless::testing::reader::{Learner, Play, initial, read};
use dealerless::testing::session::Engine;

dealerless::with_both_engines! {
    messages_of_circuits_reveal_nothing,
    messages_of_decks_reveal_nothing,
}

const GARBLER: Learner = Some(Audience::Only(Party::Garbler));
const EVALUATOR: Learner = Some(Audience::Only(Party::Evaluator));
const BOTH: Learner = Some(Audience::Both);
const NOBODY: Learner = None;

/// A circuit with two input bits of each party.
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
        "outputs that are inputs",
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

fn assert_nothing_leaks<E: Engine>(plays: Vec<Play>) {
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
        "the messages leak in {} of {} games:\n  {}",
        leaking.len(),
        plays.len(),
        leaking.join("\n  ")
    );
}

fn messages_of_circuits_reveal_nothing<E: Engine>() {
    assert_nothing_leaks::<E>(circuits());
}

fn messages_of_decks_reveal_nothing<E: Engine>() {
    assert_nothing_leaks::<E>(decks());
}
