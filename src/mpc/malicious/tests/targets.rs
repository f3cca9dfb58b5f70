//! Tests the numbers in docs/protocol.md, section "Hashes": how much an attacker gains by local
//! computation against a session.

use crate::circuit::Party;
use crate::mpc::Demand;
use crate::mpc::malicious::triples::Amount;
use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

const PAGE: &str = include_str!("../../../../docs/protocol.md");

/// The number of hashes in a batch of triples and a run that the Delta of `holder` hides from the
/// other party: one for each leaky triple and, for the garbler's Delta, two more for each joint AND
/// gate.
fn targets(ands: usize, statistical: u8, holder: Party) -> usize {
    let leaky = Amount::for_at_least(ands, statistical).leaky;
    match holder {
        Party::Garbler => 2 * ands + leaky,
        Party::Evaluator => leaky,
    }
}

#[test]
fn protocol_page_states_the_targets_of_a_hand_and_of_a_batch() {
    let draws = [(9, Algorithm::Cut, 3_258), (52, Algorithm::Waksman, 12_048)];
    for (drawn, algorithm, expected) in draws {
        let spec = Spec::new(52, drawn, algorithm).unwrap();
        let ands = Demand::of(ShuffleCircuit::build_checked(spec).circuit()).ands;
        assert_eq!(targets(ands, 56, Party::Garbler), expected);
        let (thousands, rest) = (expected / 1000, expected % 1000);
        assert!(PAGE.contains(&format!("{thousands} {rest:03} targets")));
        // The number of hands that fit into a session with 2^24 targets.
        let fitting = (1 << 24) / expected / 10 * 10;
        assert!(
            PAGE.contains(&format!("{} {:03}", fitting / 1000, fitting % 1000)),
            "{fitting}"
        );
    }
    assert_eq!(targets(1 << 15, 50, Party::Garbler), 6 << 15);
    assert_eq!(targets(1 << 15, 50, Party::Evaluator), 4 << 15);
}

/// For 2^10 full batches at 50 bits. The gain and the number of calls are logarithms to base 2.
#[test]
fn above_2_to_the_60_local_calls_the_gain_exceeds_that_of_the_buckets() {
    let targets = 1024.0 * targets(1 << 15, 50, Party::Garbler) as f64;
    let gain = |calls: f64| calls + targets.log2() - 128.0;
    let rounded = |bits: f64| format!("2^{bits:.1}");
    assert_eq!(rounded(targets.log2()), "2^27.6");
    assert_eq!(rounded(gain(64.0)), "2^-36.4");
    assert!(PAGE.contains("2^27.6") && PAGE.contains("2^-36.4"));
    assert!(gain(60.0) < -40.0 && gain(61.0) > -40.0);
}
