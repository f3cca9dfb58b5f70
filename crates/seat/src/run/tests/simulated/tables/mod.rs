//! Tables of 3 to 10 seats in simulated time, as the programs of [`simulated`](super): their disks, clocks and
//! players, and the network between them. Each seat calls and is called by all others. A seed determines
//! everything.
//!
//! `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-seat --lib tables -- --nocapture` plays 1000
//! matches. `DEALERLESS_SEED=7` plays match 7 alone, and prints what happens in it.

mod checks;
mod simulation;

use std::time::Duration;

use super::{Counts, all_of};
use simulation::Simulation;

/// Plays a match. Returns its trace, and what happened how often.
fn played(seed: u64) -> (Vec<String>, Counts) {
    let mut simulation = Simulation::new(seed);
    simulation.play();
    simulation.ends()
}

#[test]
fn tables_end_with_equal_records_through_faults_of_all_kinds() {
    all_of(played, 30, &OFTEN);
}

/// What happens in some of the matches.
const OFTEN: [&str; 4] = ["cuts", "ended: Played", "killed", "full disk"];

#[test]
fn run_of_a_table_is_determined_by_its_seed() {
    assert_eq!(played(1_001), played(1_001));
    assert_ne!(played(1_001).0, played(1_002).0);
}

#[test]
fn host_answers_a_goodbye_only_if_it_has_stored_all_messages() {
    for restarts in [false, true] {
        for seed in [0, 4, 8] {
            for millis in (3_000..5_000).step_by(500) {
                let mut simulation = Simulation::new(seed);
                let is_answered =
                    simulation.play_with_goodbye(Duration::from_millis(millis), restarts);
                // A host that has started again waits for the history of the third seat.
                assert_eq!(is_answered, !restarts, "match {seed}");
            }
        }
    }
}

#[test]
fn goodbye_that_arrives_with_the_history_before_it_in_the_last_call_is_answered() {
    for seed in [0, 4, 12] {
        assert!(Simulation::new(seed).play_with_goodbye_in_the_last_call());
    }
}
