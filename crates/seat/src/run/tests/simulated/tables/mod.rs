//! Tables of 3 to 10 seats in simulated time, as the programs of [`simulated`](super): their disks, clocks and
//! players, and the network between them. Each seat calls and is called by all others. A seed determines
//! everything.
//!
//! `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-seat --lib tables -- --nocapture` plays 1000
//! matches. `DEALERLESS_SEED=7` plays match 7 alone, and prints what happens in it.

mod checks;
mod simulation;

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
