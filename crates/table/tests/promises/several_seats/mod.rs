//! Matches of several seats with a verifiable deck. After a connection is cut at any message or a
//! program is killed at any moment, the match continues with the same cards, nobody signs two
//! conflicting statements, and nobody is convicted. A cheat stops the match at most.
//!
//! The programs are real; disks and most connections are in memory. `DEALERLESS_SOAK=1 cargo test
//! --release -p dealerless-table --test promises several_seats` kills each program in each of its
//! actions alone.

mod checks;
mod convictions;
mod hostile;
mod leaving;
mod restored;
pub(crate) mod side;
pub(crate) mod world;

use std::sync::atomic::{AtomicUsize, Ordering};

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::testing::disk::{Kill, When};
use dealerless_table::testing::network::Cut;
use dealerless_table::testing::threads;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use side::Style;
use world::{Plan, World};

/// Plays matches with these plans, several at once.
fn play_all(plans: &[Plan], check: impl Fn(&World) + Sync) {
    threads::play_all(2, plans, |plan| check(&World::played(plan)));
}

#[test]
fn honest_seats_play_to_the_end_with_one_log() {
    for (seats, hands, style, mesh) in [
        (3, 2, Style::Mixed, false),
        (4, 1, Style::Passive, false),
        (5, 2, Style::Mixed, true),
    ] {
        let plan = Plan::new(seats, hands, style, 1);
        let world = World::played(&Plan { mesh, ..plan });
        assert_eq!(world.lost_connections(), 0);
        world.check_files();
    }
}

/// Hands of three seats without faults, which count the actions and messages of each seat.
fn undisturbed(hands: u32) -> World {
    World::played(&Plan::new(3, hands, Style::Passive, 1))
}

/// One hand in a mesh.
fn undisturbed_mesh() -> World {
    let plan = Plan::new(3, 1, Style::Passive, 1);
    World::played(&Plan { mesh: true, ..plan })
}

/// The numbers of the actions or messages with a fault, for each of several matches: every eleventh
/// one. With `DEALERLESS_SOAK`, each match has one fault.
fn faults(count: usize) -> Vec<Vec<usize>> {
    const STRIDE: usize = 11;
    match soak() {
        Some(_) => (0..count).map(|at| vec![at]).collect(),
        // After a restart, a match has more messages than without faults.
        None => (0..STRIDE.min(count))
            .step_by(4)
            .map(|first| (first..2 * count).step_by(STRIDE).collect())
            .collect(),
    }
}

/// Plays matches with these plans, and returns the number of connections that were lost in them.
fn count_lost(plans: &[Plan]) -> usize {
    let lost = AtomicUsize::new(0);
    play_all(plans, |world| {
        lost.fetch_add(world.lost_connections() as usize, Ordering::Relaxed);
    });
    lost.into_inner()
}

/// Kills each program in some of its actions.
fn kill_in_actions(world: &World) {
    let mut plans = Vec::new();
    for seat in world.seats() {
        for (number, actions) in faults(world.actions(seat)).into_iter().enumerate() {
            for (place, when) in When::ALL.into_iter().enumerate() {
                if soak().is_none() && number % 3 != place {
                    continue;
                }
                let plan = Plan::new(3, world.plan.hands, Style::Mixed, 1);
                let mesh = world.plan.mesh;
                let mut plan = Plan { mesh, ..plan };
                let kill = |&action| Kill {
                    action,
                    when,
                    restore: None,
                };
                plan.kills[seat.index()] = actions.iter().map(kill).collect();
                plans.push(plan);
            }
        }
    }
    let lost = count_lost(&plans);
    println!("{} matches, {lost} lost connections", plans.len());
    assert!(lost >= plans.len());
}

/// Two hands have one ahead chain.
#[test]
fn program_is_killed_in_its_actions() {
    kill_in_actions(&undisturbed(2));
}

#[test]
fn program_in_a_mesh_is_killed_in_its_actions() {
    kill_in_actions(&undisturbed_mesh());
}

/// Cuts each connection at some of its messages.
fn cut_at_messages(world: &World) {
    let mut plans = Vec::new();
    for (&(from, to), &sent) in &world.sent {
        for (number, messages) in faults(sent).into_iter().enumerate() {
            for arrives in [false, true] {
                if soak().is_none() && (number % 2 == 0) != arrives {
                    continue;
                }
                let plan = Plan::new(3, 1, Style::Mixed, 2);
                let mesh = world.plan.mesh;
                let mut plan = Plan { mesh, ..plan };
                let cut = |&message| Cut {
                    from,
                    to,
                    message,
                    arrives,
                };
                plan.cuts = messages.iter().map(cut).collect();
                plans.push(plan);
            }
        }
    }
    let lost = count_lost(&plans);
    println!("{} matches, {lost} lost connections", plans.len());
    assert!(lost >= plans.len() / 2);
}

#[test]
fn connections_are_cut_at_messages() {
    cut_at_messages(&undisturbed(1));
}

/// Each connection is cut at all shuffles for the next hand that a seat sends on it.
#[test]
fn connections_are_cut_at_shuffles_for_the_next_hand() {
    let world = undisturbed(2);
    let mut plans = Vec::new();
    for (number, &(from, to)) in world.sent.keys().enumerate() {
        let of_way = world
            .ahead
            .iter()
            .filter(|sent| (sent.0, sent.1) == (from, to));
        let messages: Vec<usize> = of_way.map(|sent| sent.2).collect();
        for arrives in [false, true] {
            if messages.is_empty() || soak().is_none() && (number % 2 == 0) != arrives {
                continue;
            }
            let mut plan = Plan::new(3, 2, Style::Passive, 1);
            let cut = |&message| Cut {
                from,
                to,
                message,
                arrives,
            };
            plan.cuts = messages.iter().map(cut).collect();
            plans.push(plan);
        }
    }
    assert!(plans.len() >= 4);
    assert!(count_lost(&plans) >= plans.len());
}

#[test]
fn connections_of_a_mesh_are_cut_at_messages() {
    cut_at_messages(&undisturbed_mesh());
}

/// All programs are killed and connections are cut at random moments.
#[test]
fn several_faults_happen_at_once() {
    let mut rng = StdRng::seed_from_u64(1);
    let plans: Vec<_> = (0..soak().unwrap_or(6) as u64)
        .map(|seed| {
            let seats = 3 + (seed % 2) as u8;
            let plan = Plan::new(seats, 1, Style::Mixed, seed);
            let mesh = seed % 3 > 0;
            let mut plan = Plan { mesh, ..plan };
            for seat in Seat::all(usize::from(seats)) {
                for _ in 0..4 {
                    let when = When::ALL[rng.random_range(0..3)];
                    let action = rng.random_range(0..if seat == Seat::HOST { 100 } else { 40 });
                    plan.kills[seat.index()].push(Kill {
                        action,
                        when,
                        restore: None,
                    });
                    let peer = match seat {
                        Seat::HOST => Seat::GUEST,
                        _ if mesh => seat.next(seats.into()),
                        _ => Seat::HOST,
                    };
                    let (from, to) = match rng.random() {
                        true => (seat, peer),
                        false => (peer, seat),
                    };
                    plan.cuts.push(Cut {
                        from,
                        to,
                        message: rng.random_range(0..40),
                        arrives: rng.random(),
                    });
                }
            }
            plan
        })
        .collect();
    let lost = count_lost(&plans);
    println!("{} matches, {lost} lost connections", plans.len());
    assert!(lost > plans.len());
}
