//! Programs that start again with older files, or without the secret of the match.

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::log::Phase;
use dealerless_table::play::PlayError;
use dealerless_table::testing::disk::{Disk, Files};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::side::{Style, start};
use super::world::{Plan, World};

/// Plays a number of steps, at most until the end of the hand.
fn play_steps(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let host = world.side(Seat::HOST).program.as_ref();
        if host.is_some_and(|host| matches!(host.log().phase(), Phase::Result(_))) {
            return;
        }
        assert!(world.step());
    }
}

/// Kills the program of a seat and restores an older copy of its match file. The secret of the match
/// stays.
fn restore_older(world: &mut World, seat: Seat) {
    world.kill(seat);
    let copies = world.side(seat).disk.before_each_action();
    let older = copies[world.rng.random_range(0..copies.len())].log.clone();
    let side = world.side(seat);
    let files = side.disk.files();
    // The first copies are older than the secret.
    let log = if older.is_empty() {
        files.log.clone()
    } else {
        older
    };
    side.disk = Disk::of(Files { log, ..files });
}

fn restored(seats: &[Seat], hands: u32, seed: u64) {
    let mut world = World::new(Plan::new(3, hands, Style::Mixed, seed));
    let steps = world.rng.random_range(20..300);
    play_steps(&mut world, steps);
    // Another seat has all statements that were sent.
    world.deliver_all();
    for seat in seats {
        restore_older(&mut world, *seat);
    }
    world.play();
    world.check();
}

/// The seat takes back what it has signed from the other seats, also its shuffle for the second hand.
#[test]
fn older_file_of_one_seat_is_restored() {
    for seed in 0..soak().unwrap_or(2) as u64 {
        for seat in Seat::all(3) {
            restored(&[seat], 1 + seed as u32 % 2, seed);
        }
    }
}

/// The third seat has all statements.
#[test]
fn older_files_of_two_seats_are_restored() {
    for seed in 0..soak().unwrap_or(8) as u64 {
        for seat in Seat::all(3) {
            restored(&[seat, seat.next(3)], 1, seed);
        }
    }
}

/// The world in the middle of a hand.
fn interrupted() -> World {
    let mut world = World::new(Plan::new(3, 1, Style::Passive, 3));
    play_steps(&mut world, 150);
    world
}

#[test]
fn seat_without_its_secret_does_not_start() {
    let mut world = interrupted();
    for seat in world.seats() {
        let files = world.side(seat).disk.files();
        let secret = files.deck.clone().expect("a secret");
        let other = secret.iter().map(|byte| byte ^ 1).collect();
        let short = secret[..31].to_vec();
        for deck in [None, Some(Vec::new()), Some(short), Some(other)] {
            let disk = Disk::of(Files {
                deck,
                ..files.clone()
            });
            assert!(matches!(start(&disk, seat, 1), Err(PlayError::NotOwnKeys)));
            assert_eq!(disk.files().log, files.log);
        }
        assert!(start(&Disk::of(files), seat, 1).is_ok());
    }
}

/// A seat has lost its secret and everything that it has signed. It draws a new secret, and stops
/// as soon as the others have sent its old keys.
#[test]
fn seat_with_a_new_secret_signs_nothing() {
    let mut rng = StdRng::seed_from_u64(1);
    for guest in [1, 2].map(Seat::new) {
        for _ in 0..3 {
            let mut world = World::new(Plan::new(3, 1, Style::Passive, rng.random()));
            let steps = rng.random_range(60..150);
            play_steps(&mut world, steps);
            world.deliver_all();
            let side = world.side(guest);
            let log = side.disk.before_each_action()[0].log.clone();
            world.kill(guest);
            let side = world.side(guest);
            side.disk = Disk::of(Files {
                log,
                ..Files::default()
            });
            side.draws_anew = true;
            world.play();
            let side = world.side(guest);
            assert!(
                matches!(side.stopped, Some(PlayError::NotOwnKeys)),
                "{:?}",
                side.stopped
            );
            for side in &world.sides {
                let program = side.program.as_ref();
                assert!(program.is_none_or(|program| program.log().evidence().is_empty()));
            }
        }
    }
}
