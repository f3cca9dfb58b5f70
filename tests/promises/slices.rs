//! A run in slices gives the outputs of the plaintext circuit, for any size of the slices.

use dealerless::circuit::{Circuit, Party};
use dealerless::mpc::{
    AuthenticatedBit, Demand, Disagreement, Error, Input, Malicious, Run, TwoParty,
};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::circuits::{bits, random_circuit_of};
use dealerless::testing::session::{in_memory, reveal, sessions, system_rng};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

type Session = Malicious;

/// Runs a circuit on two fresh values and a shared value, and checks the outputs. Returns the
/// shared outputs and their values.
fn check(
    session: &mut Session,
    circuit: &Circuit,
    fresh: &[Vec<bool>; 2],
    (shared, clear): (&[AuthenticatedBit], &[bool]),
) -> (Vec<AuthenticatedBit>, Vec<bool>) {
    let [one, other] = Input::ONE_EACH;
    let inputs = [one, other, Input::Shared(shared)];
    let mine = &fresh[session.role() as usize];
    let outputs = session.run(Run::new(circuit, &inputs, mine)).unwrap();
    let [one, other] = fresh.clone();
    let expected = circuit.evaluate(&[one, other, clear.to_vec()]).unwrap();
    let expected = expected.concat();
    assert_eq!(reveal(session, outputs.bits()).unwrap(), expected);
    (outputs.bits().to_vec(), expected)
}

#[test]
fn random_circuits_in_slices_match_plaintext_and_feed_other_circuits() {
    let seed: u64 = system_rng().random();
    println!("seed {seed}");
    sessions(in_memory(), |session: &mut Session| {
        let coins = &mut ChaCha20Rng::seed_from_u64(seed);
        let (mut shared, mut clear) = (Vec::new(), Vec::new());
        for _ in 0..150 {
            session.run_in_slices_of(coins.random_range(1..6));
            let widths = [coins.random_range(0..6), coins.random_range(0..6)];
            let circuit = random_circuit_of(&[widths[0], widths[1], shared.len()], coins);
            let fresh = widths.map(|width| bits(coins, width));
            (shared, clear) = check(session, &circuit, &fresh, (&shared, &clear));
        }
    });
}

#[test]
fn shuffles_in_slices_match_plaintext() {
    for algorithm in Algorithm::ALL {
        let shuffle = ShuffleCircuit::build_checked(Spec::new(9, 4, algorithm).unwrap());
        let circuit = shuffle.circuit();
        let values = [0, 1].map(|value| bits(&mut system_rng(), circuit.inputs()[value]));
        let ands = Demand::of(circuit).ands;
        let outputs = sessions(in_memory(), |session: &mut Session| {
            [1 + ands / 3, ands, 7].map(|slice| {
                session.run_in_slices_of(slice);
                let mine = &values[session.role() as usize];
                let outputs = session.run(Run::new(circuit, &Input::ONE_EACH, mine));
                reveal(session, outputs.unwrap().bits()).unwrap()
            })
        });
        let expected = circuit.evaluate(&values).unwrap().concat();
        assert_eq!(
            outputs,
            [(); 2].map(|()| [(); 3].map(|()| expected.clone()))
        );
    }
}

#[test]
fn different_slices_are_noticed() {
    let shuffle = ShuffleCircuit::build(Spec::new(9, 4, Algorithm::Waksman).unwrap());
    let circuit = shuffle.circuit();
    let demand = Demand::of(circuit);
    let outcomes = sessions(in_memory(), |session: &mut Session| {
        session.prepare(demand).unwrap();
        let evaluator = session.role() == Party::Evaluator;
        session.run_in_slices_of(if evaluator {
            demand.ands
        } else {
            demand.ands / 2
        });
        let mine = vec![false; circuit.inputs()[session.role() as usize]];
        let run = Run::new(circuit, &Input::ONE_EACH, &mine);
        session.run(run).map(drop).unwrap_err()
    });
    let disagree = |error: &Error| matches!(error, Error::Disagreement(Disagreement::Plan));
    assert!(outcomes.iter().any(disagree), "{outcomes:?}");
}
