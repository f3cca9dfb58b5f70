//! Matches of several seats with a verifiable deck. After a connection is cut at any message or a
//! program is killed at any moment, the match continues with the same cards, nobody signs two
//! conflicting statements, and nobody is convicted. A cheat stops the match at most.
//!
//! The programs are real; disks and connections are in memory. `DEALERLESS_SOAK=1 cargo test
//! --release -p dealerless-table --test promises several_seats` kills each program in each of its
//! actions alone.

mod hostile;
mod restored;
mod side;
mod world;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::resuming::disk::{Kill, When};
use side::Style;
use world::{Cut, Plan, World};

/// Plays matches with these plans, several at once.
fn play_all(plans: &[Plan], check: impl Fn(&World) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&World::played(plan));
                }
            });
        }
    });
}

#[test]
fn honest_seats_play_to_the_end_with_one_log() {
    for (seats, hands, style) in [(3, 2, Style::Mixed), (4, 1, Style::Passive)] {
        let world = World::played(&Plan::new(seats, hands, style, 1));
        assert_eq!(world.connections(), u32::from(seats) - 1);
        world.check_files();
    }
}

/// A hand of three seats without faults, which counts the actions and messages of each seat.
fn undisturbed() -> World {
    World::played(&Plan::new(3, 1, Style::Passive, 1))
}

/// The step between two faults of one match, and between two tested faults.
fn strides() -> (usize, usize) {
    match soak() {
        Some(_) => (usize::MAX, 1),
        None => (11, 4),
    }
}

/// Each program is killed in its actions. Without `DEALERLESS_SOAK`, it is killed several times in
/// each match.
#[test]
fn program_is_killed_in_its_actions() {
    let world = undisturbed();
    let (stride, step) = strides();
    let mut plans = Vec::new();
    for seat in world.seats() {
        let actions = world.actions(seat).len();
        for first in (0..actions.min(stride)).step_by(step) {
            for (number, when) in When::ALL.into_iter().enumerate() {
                if soak().is_none() && (first + number) % 3 != 0 {
                    continue;
                }
                let mut plan = Plan::new(3, 1, Style::Mixed, 1);
                let kill = |action| Kill { action, when, restore: None };
                let stride = if soak().is_some() { usize::MAX / 2 } else { stride };
                plan.kills[seat.index()] = (first..2 * actions).step_by(stride).map(kill).collect();
                plans.push(plan);
            }
        }
    }
    let now = std::time::Instant::now();
    let connections = AtomicUsize::new(0);
    play_all(&plans, |world| {
        connections.fetch_add(world.connections() as usize - 2, Ordering::Relaxed);
    });
    println!("{} matches with {connections:?} reconnections {:?}", plans.len(), now.elapsed());
}

#[test]
fn connections_are_cut_at_messages() {
    let world = undisturbed();
    let (stride, step) = strides();
    let mut plans = Vec::new();
    for (&(from, to), &sent) in &world.sent {
        for first in (0..sent.min(stride)).step_by(step) {
            for arrives in [false, true] {
                let mut plan = Plan::new(3, 1, Style::Mixed, 2);
                let cut = |message| Cut { from, to, message, arrives };
                let stride = if soak().is_some() { usize::MAX / 2 } else { stride };
                plan.cuts = (first..2 * sent).step_by(stride).map(cut).collect();
                plans.push(plan);
            }
        }
    }
    let now = std::time::Instant::now();
    let connections = AtomicUsize::new(0);
    play_all(&plans, |world| {
        connections.fetch_add(world.connections() as usize - 2, Ordering::Relaxed);
    });
    println!("{} matches with {connections:?} reconnections {:?}", plans.len(), now.elapsed());
}

/// All programs are killed and connections are cut at random moments.
#[test]
fn several_faults_happen_at_once() {
    let mut rng = StdRng::seed_from_u64(1);
    let plans: Vec<_> = (0..soak().unwrap_or(8) as u64).map(|seed| {
        let seats = 3 + (seed % 2) as u8;
        let mut plan = Plan::new(seats, 1, Style::Mixed, seed);
        for seat in Seat::all(usize::from(seats)) {
            for _ in 0..4 {
                let when = When::ALL[rng.random_range(0..3)];
                let action = rng.random_range(0..if seat == Seat::HOST { 100 } else { 40 });
                plan.kills[seat.index()].push(Kill { action, when, restore: None });
                let (from, to) = match (seat, rng.random()) {
                    (Seat::HOST, _) => (seat, Seat::GUEST),
                    (_, true) => (seat, Seat::HOST),
                    (_, false) => (Seat::HOST, seat),
                };
                plan.cuts.push(Cut { from, to, message: rng.random_range(0..40), arrives: rng.random() });
            }
        }
        plan
    }).collect();
    let now = std::time::Instant::now();
    play_all(&plans, |_| {});
    println!("{} matches {:?}", plans.len(), now.elapsed());
}
