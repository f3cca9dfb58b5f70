//! A match continues after one of its programs is killed at any point, with the same cards and the
//! same chips. No try becomes void after anybody has seen a card of it.
//!
//! The programs are processes with files and connections over TCP, and the operating system kills
//! them at each write and each frame. The tests `resuming` of `dealerless-table` do the same in memory,
//! where they can test more cases. `DEALERLESS_SOAK=1 cargo test --release -p dealerless-native --test killed --
//! --nocapture` tests every combination.
#![cfg(unix)]

mod group;
mod operations;
mod points;
mod proxy;
mod seat;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dealerless::testing::soak::soak;
use dealerless_table::record::Record;

use group::{Group, Outcome};
use points::{Deck, Frame, KillPoint, Plan};

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
    killed: [AtomicUsize; 4],
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
                    let outcome = Group::play(*plan);
                    counts.killed[outcome.kills].fetch_add(1, Ordering::Relaxed);
                    counts.void.fetch_add(outcome.void, Ordering::Relaxed);
                }
            });
        }
    });
    counts
}

/// A match in which nothing goes wrong.
fn calm(deck: Deck) -> Plan {
    Plan {
        deck,
        ..Plan::default()
    }
}

fn undisturbed(deck: Deck) -> Outcome {
    let outcome = Group::play(calm(deck));
    assert_eq!((outcome.kills, outcome.void), (0, 0));
    outcome
}

/// All points at which the program of a seat can be killed, each with the step of the log.
fn kill_points(outcome: &Outcome, seat: usize) -> Vec<(KillPoint, u64)> {
    let mut steps = BTreeMap::new();
    let log = &outcome.logs[seat];
    let operations = outcome.operations[seat].iter().enumerate();
    let points = operations.flat_map(|(number, &(kind, len))| {
        let record = || Record::read(&log[..len as usize], None);
        let step =
            *(steps.entry(len)).or_insert_with(|| record().map_or(0, |record| record.log.step()));
        let whens = kind.moments().iter();
        whens.map(move |&when| (KillPoint { number, when }, step))
    });
    points.collect()
}

/// All frames after which a program can be killed, each arriving or not.
fn frames(outcome: &Outcome) -> Vec<Frame> {
    let frames = outcome.frames.iter().flat_map(|(&(from, to), &count)| {
        let both = (0..count).flat_map(|number| [(number, false), (number, true)]);
        both.map(move |(number, arrives)| Frame {
            from,
            to,
            number,
            arrives,
        })
    });
    frames.collect()
}

#[test]
fn program_is_killed_before_during_and_after_each_write() {
    let outcome = undisturbed(Deck::Sealed);
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
    let outcome = undisturbed(Deck::Sealed);
    let mut plans = Vec::new();
    for frame in frames(&outcome) {
        if soak().is_some() || frame.arrives == frame.number.is_multiple_of(2) {
            plans.push(Plan {
                frame: Some(frame),
                ..Plan::default()
            });
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
    let outcome = undisturbed(Deck::Sealed);
    let mut plans = Vec::new();
    for (number, (point, step)) in kill_points(&outcome, 0).into_iter().enumerate() {
        for (other_number, (other, other_step)) in kill_points(&outcome, 1).into_iter().enumerate()
        {
            let sampled = (number + 3 * other_number).is_multiple_of(29);
            if step == other_step && (soak().is_some() || sampled) {
                plans.push(Plan {
                    kill_at: [Some(point), Some(other), None],
                    ..Plan::default()
                });
            }
        }
    }
    let counts = play_all(&plans);
    let (both, one) = (counts.killed(2), counts.killed(1));
    println!("killed both at {both} pairs of points of the same step, and one at {one}");
    assert!(both > 20 && both + one == plans.len());
}

/// Three programs with a verifiable deck, of which all or two open a card. One is killed at some of its
/// writes and frames, or at all of them in a soak.
#[test]
fn one_of_three_programs_is_killed_at_its_writes_and_frames() {
    for threshold in [3, 2] {
        let deck = Deck::Verifiable(threshold);
        let outcome = undisturbed(deck);
        let points = (0..3).flat_map(|seat| {
            let points = kill_points(&outcome, seat).into_iter();
            points.map(move |(point, _)| {
                let mut plan = calm(deck);
                plan.kill_at[seat] = Some(point);
                plan
            })
        });
        let frames = frames(&outcome).into_iter().map(|frame| Plan {
            frame: Some(frame),
            ..calm(deck)
        });
        let mut all: Vec<Plan> = points.chain(frames).collect();
        let count = all.len();
        if soak().is_none() {
            let stride = count / 5;
            all = all.into_iter().skip(7).step_by(stride).collect();
        }
        let counts = play_all(&all);
        let killed = counts.killed(1);
        println!("{threshold} of 3: killed at {killed} of {count} points and frames");
        assert!(killed * 5 >= all.len() * 4 && counts.void() == 0);
    }
}
