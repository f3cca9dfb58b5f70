//! Matches of many seeds, and some chosen faults.

use std::thread;

use dealerless::testing::soak::soak;

use super::pages::Pages;
use super::simulation::{Counts, Simulation};
use super::{of_pages, of_table, of_table_with_proofs};

/// Plays this number of matches, or the one that the environment names. Checks that all of `often` happens. Returns what
/// happened how often.
fn all_of(
    played: fn(u64, &[u8]) -> (Vec<String>, Counts),
    matches: usize,
    often: &[&str],
) -> Counts {
    if let Ok(seed) = std::env::var("DEALERLESS_SEED") {
        let (trace, counts) = played(seed.parse().expect("a number"), &[]);
        println!("{}\n{counts:?}", trace.join("\n"));
        return counts;
    }
    let matches = matches as u64;
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let play = |first| {
        let mut total = Counts::new();
        let seeds = (first..matches).step_by(threads as usize);
        for seed in seeds {
            add(&mut total, played(seed, &[]).1);
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
    total
}

fn add(total: &mut Counts, counts: Counts) {
    for (what, count) in counts {
        *total.entry(what).or_default() += count;
    }
}

#[test]
fn matches_end_with_equal_records_through_faults_of_all_kinds() {
    // What happens in some of the matches.
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
    all_of(of_pages, soak().unwrap_or(200), &OFTEN);
}

#[test]
fn evenings_at_tables_end_with_one_chain_of_records_through_faults_of_all_kinds() {
    const OFTEN: [&str; 22] = [
        "accept",
        "another host",
        "ask-table",
        "at-door",
        "broke",
        "cuts",
        "decline",
        "ended: Played",
        "full disk",
        "gone",
        "killed",
        "link-new",
        "matches",
        "meets: AtRelay",
        "meets: Directly",
        "more guests than seats",
        "open table",
        "resumed",
        "shuffles without proofs",
        "start",
        "table",
        "top-up",
    ];
    all_of(of_table, soak().unwrap_or(22), &OFTEN);
}

#[test]
fn tables_with_proofs_of_all_shuffles_end_with_equal_records() {
    // A soak plays about half as many hands as matches.
    let matches = soak().map_or(1, |matches| matches * 2 / 5);
    let total = all_of(of_table_with_proofs, matches, &["ended: Changed"]);
    assert!(!total.contains_key("shuffles without proofs"));
}

#[test]
fn run_is_determined_by_its_seed() {
    for played in [of_pages, of_table] {
        assert_eq!(played(1_001, &[]), played(1_001, &[]));
        assert_ne!(played(1_001, &[]).0, played(1_002, &[]).0);
    }
}

#[test]
fn players_audit_their_match_and_after_a_cut_again() {
    let mut failures = 0;
    // No faults happen in these matches.
    for seed in (0..48).step_by(4) {
        let mut simulation = Simulation::<Pages>::new(seed, &[]);
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
            let mut simulation = Simulation::<Pages>::new(seed, &[]);
            simulation.play_with_lost_end(fault);
            simulation.ends();
        }
    }
}
