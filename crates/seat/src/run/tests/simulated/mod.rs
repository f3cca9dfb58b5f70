//! Two programs in simulated time: a host and its guest, with their disks, clocks, engines and players, and the
//! relay and the network between them. There are no threads, files or sockets. A seed determines everything:
//! commands, delays, cuts, crashes between any two operations of a disk, restored backups, suspended programs,
//! wrong clocks, and all randomness.
//!
//! `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-seat --lib simulated -- --nocapture` plays 1000
//! matches. `DEALERLESS_SEED=7` plays match 7 alone, and prints what happens in it.

mod checks;
mod clock;
mod disk;
mod engine;
mod network;
mod person;
mod simulation;
mod tables;
mod world;

use std::thread;

use dealerless::testing::soak::soak;

use simulation::{Counts, Simulation};

/// The relay of all programs.
const RELAY: &str = "wss://relay";

/// Plays a match. Returns its trace, and what happened how often.
fn played(seed: u64) -> (Vec<String>, Counts) {
    let mut simulation = Simulation::new(seed);
    simulation.play();
    simulation.ends()
}

#[test]
fn matches_end_with_equal_records_through_faults_of_all_kinds() {
    all_of(played, 200, &OFTEN);
}

/// Plays `usual` matches, or those that the environment names. Checks that all of `often` happens.
fn all_of(played: fn(u64) -> (Vec<String>, Counts), usual: usize, often: &[&str]) {
    if let Ok(seed) = std::env::var("DEALERLESS_SEED") {
        let (trace, counts) = played(seed.parse().expect("a number"));
        println!("{}\n{counts:?}", trace.join("\n"));
        return;
    }
    let matches = soak().unwrap_or(usual) as u64;
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let play = |first| {
        let mut total = Counts::new();
        for seed in (first..matches).step_by(threads as usize) {
            add(&mut total, played(seed).1);
        }
        total
    };
    let mut total = Counts::new();
    thread::scope(|scope| {
        let running = (0..threads).map(|first| scope.spawn(move || play(first)));
        let running: Vec<_> = running.collect();
        for thread in running {
            add(&mut total, thread.join().unwrap());
        }
    });
    println!("{matches} matches: {total:?}");
    for what in often {
        assert!(total.contains_key(*what), "never: {what}");
    }
}

/// What happens in some of the matches.
const OFTEN: [&str; 14] = [
    "again",
    "cuts",
    "ended: Leave",
    "ended: NoChips",
    "ended: Played",
    "exit code 0",
    "exit code 1",
    "exit code 130",
    "exit code 3",
    "exit code 4",
    "full disk",
    "killed",
    "out-of-time",
    "restored",
];

fn add(total: &mut Counts, counts: Counts) {
    for (what, count) in counts {
        *total.entry(what).or_default() += count;
    }
}

#[test]
fn players_audit_their_match_and_after_a_cut_again() {
    let mut failures = 0;
    // No faults happen in these matches.
    for seed in (0..48).step_by(4) {
        let mut simulation = Simulation::new(seed);
        simulation.play();
        let mut answers = simulation.audit(2 + seed as usize / 4);
        if let [(500, host), (500, guest)] = &answers {
            failures += 1;
            for answer in [host, guest] {
                let text = answer["error"]["message"].as_str().unwrap();
                // A cut may be noticed only by the silence of the other player.
                let is_cut = text.contains("connect") || text.contains("has not responded");
                assert!(is_cut, "{text}");
            }
            answers = simulation.audit(usize::MAX);
        }
        // A cut may take the last message from one side.
        for (status, answer) in &answers {
            assert!(*status == 500 || answer["agrees"] == true, "{answer}");
        }
        let [(one, host), (other, guest)] = &answers;
        assert!(one + other < 1_000, "{answers:?}");
        assert!(one + other > 400 || host == guest, "{answers:?}");
    }
    assert!(failures > 0, "no cut has ended an audit");
}

#[test]
fn player_waits_for_one_who_has_lost_the_end_of_the_match() {
    // No other faults happen in these matches.
    for seed in (0..40).step_by(4) {
        for fault in [Simulation::cut_silently, Simulation::fill_disk] {
            let mut simulation = Simulation::new(seed);
            simulation.play_with_lost_end(fault);
            simulation.ends();
        }
    }
}

#[test]
fn run_is_determined_by_its_seed() {
    assert_eq!(played(1_000), played(1_000));
    assert_ne!(played(1_000).0, played(1_001).0);
}
