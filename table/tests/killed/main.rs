//! A match continues after one of its programs is killed at any point, with the same cards and the
//! same chips. No try becomes void after anybody has seen a card of it.
//!
//! The programs are processes with files and a connection over TCP, and the operating system kills
//! them at each write and each frame. The tests in `resuming` do the same in memory, where they can
//! test more cases. `DEALERLESS_SOAK=1 cargo test --release -p dealerless-table --test killed --
//! --nocapture` tests every combination.
#![cfg(unix)]

mod operations;
mod pair;
mod points;
mod proxy;
mod seat;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dealerless::testing::soak::soak;

use pair::{Outcome, Pair};
use points::{Frame, KillPoint, Plan};

/// The name of the test that runs as a program.
const SEAT_PROCESS: &str = "seat_in_its_own_process";

#[test]
#[ignore = "the other tests start it in separate processes"]
fn seat_in_its_own_process() {
    seat::play();
}

/// The combined results of many matches.
#[derive(Default)]
struct Counts {
    /// The number of matches by the number of killed programs.
    killed: [AtomicUsize; 3],
    /// The number of void tries.
    void: AtomicUsize,
}

impl Counts {
    fn killed(&self, programs: usize) -> usize {
        self.killed[programs].load(Ordering::Relaxed)
    }

    fn void(&self) -> usize {
        self.void.load(Ordering::Relaxed)
    }
}

/// Plays matches with these plans, several at a time.
fn play_all(plans: &[Plan]) -> Counts {
    let (next, counts) = (AtomicUsize::new(0), Counts::default());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = Pair::play(*plan);
                    counts.killed[outcome.kills].fetch_add(1, Ordering::Relaxed);
                    counts.void.fetch_add(outcome.void, Ordering::Relaxed);
                }
            });
        }
    });
    counts
}

/// Plays a match in which nothing goes wrong.
fn undisturbed() -> Outcome {
    let outcome = Pair::play(Plan::default());
    assert_eq!((outcome.kills, outcome.void), (0, 0));
    outcome
}

/// All points at which the program of a seat can be killed, each with the step of the log.
fn kill_points(outcome: &Outcome, seat: usize) -> Vec<(KillPoint, u64)> {
    let operations = outcome.operations[seat].iter().enumerate();
    let points = operations.flat_map(|(number, &(kind, step))| {
        let whens = kind.moments().iter();
        whens.map(move |&when| (KillPoint { number, when }, step))
    });
    points.collect()
}

#[test]
fn program_is_killed_before_during_and_after_each_write() {
    let outcome = undisturbed();
    let plans = [0, 1].map(|seat| {
        let plan = move |(point, _)| {
            let mut plan = Plan::default();
            plan.kill_at[seat] = Some(point);
            plan
        };
        kill_points(&outcome, seat).into_iter().map(plan)
    });
    let plans: Vec<Plan> = plans.into_iter().flatten().collect();
    let counts = play_all(&plans);
    let (killed, void) = (counts.killed(1), counts.void());
    println!("killed at {killed} points; {void} tries were void");
    // The background work of the engine has no fixed order, and a few points may not be reached at
    // all.
    assert!(killed > 200 && killed * 20 >= plans.len() * 19);
    assert!(void > 0 && void < killed);
}

/// Every second frame still arrives after its sender was killed. A soak tests both cases for each
/// frame.
#[test]
fn program_is_killed_after_each_frame_that_it_sends() {
    let outcome = undisturbed();
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for number in 0..outcome.frames[seat] {
            for arrives in [false, true] {
                if soak().is_some() || arrives == number.is_multiple_of(2) {
                    plans.push(Plan {
                        frame: Some(Frame {
                            seat,
                            number,
                            arrives,
                        }),
                        ..Plan::default()
                    });
                }
            }
        }
    }
    let counts = play_all(&plans);
    let (killed, void) = (counts.killed(1), counts.void());
    println!("killed at {killed} frames; {void} tries were void");
    // The number of messages in one frame depends on the timing, so a match can have fewer frames.
    assert!(killed > 100 && killed * 5 >= plans.len() * 4);
    assert!(void > 0 && void < killed);
}

/// Both programs are killed at some pairs of points of a step, or at all pairs in a soak.
#[test]
fn both_programs_are_killed_in_the_same_step() {
    let outcome = undisturbed();
    let mut plans = Vec::new();
    for (number, (point, step)) in kill_points(&outcome, 0).into_iter().enumerate() {
        for (other_number, (other, other_step)) in kill_points(&outcome, 1).into_iter().enumerate()
        {
            let sampled = (number + 3 * other_number).is_multiple_of(29);
            if step == other_step && (soak().is_some() || sampled) {
                plans.push(Plan {
                    kill_at: [Some(point), Some(other)],
                    frame: None,
                });
            }
        }
    }
    let counts = play_all(&plans);
    let (both, one) = (counts.killed(2), counts.killed(1));
    println!("killed both at {both} pairs of points of the same step, and one at {one}");
    assert!(both > 20 && both + one == plans.len());
}
