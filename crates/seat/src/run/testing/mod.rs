//! Programs in simulated time, with their disks, clocks, engines and players, and the network between them. There
//! are no threads, files or sockets. A seed determines everything: commands, delays, cuts, crashes between any two
//! operations of a disk, restored backups, suspended programs, wrong clocks, and all randomness.
//!
//! `DEALERLESS_SOAK=2000 cargo test --release -p dealerless-seat --lib run::testing -- --nocapture` plays 2000
//! matches of each kind. It also plays 800 tables, with about 1000 hands, in which all shuffles have proofs. In the
//! other ones, the seats trust their shuffles. `DEALERLESS_SEED=7` plays match 7 alone, and prints what happens in it.

#![cfg_attr(not(test), allow(dead_code, reason = "some functions are for tests"))]

mod choices;
mod clock;
mod disk;
mod engine;
mod network;
mod pages;
mod pages_checks;
mod person;
mod simulation;
mod tables;
mod tables_checks;
#[cfg(test)]
mod tests;
mod world;

use pages::Pages;
use simulation::{Counts, Simulation};
use tables::Tables;

/// The relay of all programs.
const RELAY: &str = "wss://relay";
/// The same relay over TCP.
const RELAY_OVER_TCP: &str = "relay:4001";

/// Plays a match of two pages. Returns its trace, and what happened how often.
fn of_pages(seed: u64, given: &[u8]) -> (Vec<String>, Counts) {
    let mut simulation = Simulation::<Pages>::new(seed, given);
    simulation.play();
    simulation.ends()
}

/// Plays a match of several programs. Returns its trace, and what happened how often.
fn of_table(seed: u64, given: &[u8]) -> (Vec<String>, Counts) {
    let mut simulation = Simulation::<Tables>::new(seed, given);
    simulation.play();
    simulation.ends()
}

/// Plays a match of several programs with proofs of all shuffles, in a new thread. Returns its trace, and what happened
/// how often.
#[cfg(test)]
fn of_table_with_proofs(seed: u64, given: &[u8]) -> (Vec<String>, Counts) {
    let mut simulation = Simulation::<Tables>::with_proofs(seed, given);
    simulation.play();
    simulation.ends()
}

/// Plays a match with faults. The first byte says which one, and the others are the first choices in it. A check that
/// fails panics.
pub fn play(input: &[u8]) {
    let Some((kind, given)) = input.split_first() else {
        return;
    };
    // In matches with these seeds, faults happen.
    let seed = u64::from(kind >> 1) * 4 + 1 + u64::from(kind >> 1) % 3;
    match kind % 2 {
        0 => of_table(seed, given),
        _ => of_pages(seed, given),
    };
}
