//! A match goes on wherever one of its programs is killed: with the same cards and the same chips,
//! and no try is void of which anybody has seen a card.
//!
//! Here the programs are processes with files, and a line over TCP, and the operating system kills
//! them, at each write and each frame. `resuming` does the same in memory, where more can be tried.
//! `DEALERLESS_SOAK=1 cargo test --release -p dealerless-table --test killed -- --nocapture` leaves
//! none out.
#![cfg(unix)]

mod deeds;
mod pair;
mod points;
mod seat;
mod way;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dealerless::testing::soak::soak;

use pair::{Pair, Went};
use points::{Deed, Frame, Plan};

/// The test that is a program.
const A_SEAT: &str = "a_seat_in_a_process_of_its_own";

#[test]
#[ignore = "the other tests start it, in processes of their own"]
fn a_seat_in_a_process_of_its_own() {
    seat::play();
}

/// What came of many matches.
#[derive(Default)]
struct Counts {
    /// Matches in which so many programs were killed.
    killed: [AtomicUsize; 3],
    /// Tries that were declared void.
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
                    let went = Pair::play(*plan);
                    counts.killed[went.kills].fetch_add(1, Ordering::Relaxed);
                    counts.void.fetch_add(went.void, Ordering::Relaxed);
                }
            });
        }
    });
    counts
}

/// A match in which nothing goes wrong.
fn undisturbed() -> Went {
    let went = Pair::play(Plan::default());
    assert_eq!((went.kills, went.void), (0, 0));
    went
}

/// All moments of a seat at which its program can be killed, with the step of the log.
fn moments(went: &Went, seat: usize) -> Vec<(Deed, u64)> {
    let deeds = went.did[seat].iter().enumerate();
    let moments = deeds.flat_map(|(number, &(kind, step))| {
        let whens = kind.moments().iter();
        whens.map(move |&when| (Deed { number, when }, step))
    });
    moments.collect()
}

#[test]
fn a_program_is_killed_before_in_the_midst_of_and_after_each_write() {
    let went = undisturbed();
    let plans = [0, 1].map(|seat| {
        let plan = move |(deed, _)| {
            let mut plan = Plan::default();
            plan.deeds[seat] = Some(deed);
            plan
        };
        moments(&went, seat).into_iter().map(plan)
    });
    let plans: Vec<Plan> = plans.into_iter().flatten().collect();
    let counts = play_all(&plans);
    let (killed, void) = (counts.killed(1), counts.void());
    println!("killed at {killed} moments; {void} tries were void");
    // What the engine does beside the hand comes in no fixed order, and a few may not come at all.
    assert!(killed > 200 && killed * 20 >= plans.len() * 19);
    assert!(void > 0 && void < killed);
}

/// Each frame of each side; it arrives, or, of every second one and in a soak of all, it does not.
#[test]
fn a_program_is_killed_after_each_frame_that_it_sends() {
    let went = undisturbed();
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for number in 0..went.frames[seat] {
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
    // How much the two say in one frame depends on when they say it.
    assert!(killed > 100 && killed * 5 >= plans.len() * 4);
    assert!(void > 0 && void < killed);
}

/// Both are killed in the same step: at some pairs of moments, or, in a soak, at all.
#[test]
fn both_programs_are_killed_in_the_same_step() {
    let went = undisturbed();
    let mut plans = Vec::new();
    for (number, (deed, step)) in moments(&went, 0).into_iter().enumerate() {
        for (other_number, (other, other_step)) in moments(&went, 1).into_iter().enumerate() {
            let sampled = (number + 3 * other_number).is_multiple_of(29);
            if step == other_step && (soak().is_some() || sampled) {
                plans.push(Plan {
                    deeds: [Some(deed), Some(other)],
                    frame: None,
                });
            }
        }
    }
    let counts = play_all(&plans);
    let (both, one) = (counts.killed(2), counts.killed(1));
    println!("killed both at {both} pairs of moments of the same step, and one at {one}");
    assert!(both > 20 && both + one == plans.len());
}
