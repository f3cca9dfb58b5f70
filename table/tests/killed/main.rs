//! A match goes on wherever one of its programs is killed: with the same cards and the same chips,
//! and no try is void of which anybody has seen a card.
//!
//! Here the programs are processes with files, and a line over TCP, and the operating system kills
//! them: after each write and each frame. `resuming` does the same in memory, where more can be hit.
//! `DEALERLESS_SOAK=1 cargo test --release -p dealerless-table --test killed -- --nocapture` leaves
//! no point out.
#![cfg(unix)]

mod deeds;
#[path = "../line/frames.rs"]
mod frames;
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

/// Plays matches with these plans, several at a time. Says in how many a program was killed, and how
/// many tries were void.
fn play_all(plans: &[Plan]) -> (usize, usize) {
    let [next, killed, void] = [(); 3].map(|()| AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let went = Pair::play(*plan);
                    killed.fetch_add(usize::from(went.kills > 0), Ordering::Relaxed);
                    void.fetch_add(went.void, Ordering::Relaxed);
                }
            });
        }
    });
    (killed.into_inner(), void.into_inner())
}

fn undisturbed() -> Went {
    let went = Pair::play(Plan::default());
    assert_eq!((went.kills, went.void), (0, 0));
    went
}

/// The plans in which a program is killed in one of its deeds.
fn deeds(went: &Went, seat: usize) -> Vec<Plan> {
    let deeds = went.did[seat].iter().enumerate();
    let plans = deeds.flat_map(|(number, (kind, _))| {
        kind.moments().iter().map(move |&when| {
            let mut plan = Plan::default();
            plan.deeds[seat] = Some(Deed { number, when });
            plan
        })
    });
    plans.collect()
}

#[test]
fn a_program_is_killed_after_each_write() {
    let begun = std::time::Instant::now();
    let went = undisturbed();
    println!("{:?} {:?} {:?}", begun.elapsed(), went.did, went.frames);
    let plans = [deeds(&went, 0), deeds(&went, 1)].concat();
    let (killed, void) = play_all(&plans);
    println!("killed at {killed} of {} moments; {void} tries were void {:?}", plans.len(), begun.elapsed());
}

#[test]
fn a_program_is_killed_after_each_frame() {
    let begun = std::time::Instant::now();
    let went = undisturbed();
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for number in 0..went.frames[seat] {
            plans.extend([false, true].map(|arrives| Plan {
                frame: Some(Frame {
                    seat,
                    number,
                    arrives,
                }),
                ..Plan::default()
            }));
        }
    }
    let (killed, void) = play_all(&plans);
    println!("killed at {killed} of {} frames; {void} tries were void {:?}", plans.len(), begun.elapsed());
    let _ = soak();
}
