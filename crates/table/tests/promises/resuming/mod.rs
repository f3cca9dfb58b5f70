//! After the connection is cut at any message or a program is killed at any moment, a match
//! continues with the same cards and chips. A try, which is one attempt to deal a hand, is never
//! declared void after a seat has seen one of its cards.
//!
//! The programs and the engine are real. Disks and connections are in memory, so that every moment
//! can be tested. `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-table --test
//! promises resuming -- --nocapture` kills both sides at all pairs of moments, restores every older
//! state, and interrupts a match of 1,000 hands 200 times.

mod audit;
mod damaged;

use std::sync::atomic::{AtomicUsize, Ordering};

use dealerless::testing::soak::soak;
use dealerless_connection::storage::Storage;
use dealerless_table::Seat;
use dealerless_table::log::{End, Stop};
use dealerless_table::record::{Compared, Record, compare};
use dealerless_table::testing::disk::{Disk, Kill, Kind, Restore, When};
use dealerless_table::testing::network::Cut;
use dealerless_table::testing::threads;
use dealerless_table::testing::two_seats::games::{Game, long};
use dealerless_table::testing::two_seats::world::{MatchResult, Plan, World};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Plays matches with these plans, several at once.
fn play_all(plans: &[Plan], check: impl Fn(&Plan, &MatchResult) + Sync) {
    threads::play_all(4, plans, |plan| check(plan, &World::play(plan)));
}

fn kills(seat: usize, action: usize, when: When) -> Plan {
    let mut plan = Plan::default();
    let restore = None;
    plan.kills[seat].push(Kill {
        action,
        when,
        restore,
    });
    plan
}

fn cut(seat: usize, message: usize, arrives: bool) -> Cut {
    let from = Seat::new(seat as u8);
    Cut {
        from,
        to: from.next(2),
        message,
        arrives,
    }
}

fn assert_played(plan: &Plan, result: &MatchResult) {
    assert_eq!(result.ends, [End::Played, End::Played], "{plan:?}");
}

/// A match without faults, which counts the actions and messages of each side.
fn undisturbed(game: Game) -> MatchResult {
    let plan = Plan {
        game,
        ..Plan::default()
    };
    let result = World::play(&plan);
    assert_played(&plan, &result);
    assert_eq!((result.connections, result.void), (1, 0));
    result
}

/// The moments at which a seat's program can be killed.
fn moments(result: &MatchResult, seat: usize) -> Vec<(usize, When)> {
    let kinds = result.disks[seat].kinds();
    let moments = kinds.iter().enumerate().flat_map(|(action, kind)| {
        // Only an append can be half done.
        let whens = When::ALL.into_iter();
        whens.filter_map(move |when| {
            (when != When::Midway || *kind == Kind::Append).then_some((action, when))
        })
    });
    moments.collect()
}

#[test]
fn program_is_killed_in_each_of_its_actions() {
    let mut plans = Vec::new();
    for game in [Game::Holdem, Game::Deck, Game::Boards] {
        let result = undisturbed(game);
        for seat in [0, 1] {
            let kill = |(action, when)| Plan {
                game,
                ..kills(seat, action, when)
            };
            plans.extend(moments(&result, seat).into_iter().map(kill));
        }
    }
    let void = AtomicUsize::new(0);
    play_all(&plans, |plan, result| {
        assert_played(plan, result);
        // `void` counts a void try twice, once for each side.
        assert!(result.connections == 2 && result.void <= 2, "{plan:?}");
        void.fetch_add(result.void / 2, Ordering::Relaxed);
    });
    let void = void.into_inner();
    println!("killed at {} moments; {void} tries were void", plans.len());
    assert!(plans.len() > 150 && void > 0 && void < plans.len() / 2);
}

/// Kills both programs at some pairs of moments in the same step. If `DEALERLESS_SOAK` is set,
/// kills them at all pairs of moments.
#[test]
fn both_programs_are_killed() {
    let result = undisturbed(Game::Holdem);
    let [steps, others] = result.disks.each_ref().map(Disk::steps);
    let [of_host, of_guest] = [0, 1].map(|seat| moments(&result, seat));
    let mut plans = Vec::new();
    for &(action, when) in &of_host {
        for &(other, other_when) in &of_guest {
            let same = steps[action] == others[other] && when == other_when;
            if soak().is_some() || same && (action + other) % 3 == 0 {
                let mut plan = kills(0, action, when);
                plan.kills[1] = kills(1, other, other_when).kills[1].clone();
                plans.push(plan);
            }
        }
    }
    play_all(&plans, assert_played);
    println!("killed at {} pairs of moments", plans.len());
    assert!(plans.len() > 20);
}

#[test]
fn connection_is_cut_at_each_message() {
    let result = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for message in 0..result.sent[seat] {
            plans.extend([false, true].map(|arrives| Plan {
                cuts: vec![cut(seat, message, arrives)],
                ..Plan::default()
            }));
        }
    }
    // A second cut while the two sides resume.
    for plan in plans.clone().iter().step_by(3) {
        let [first] = plan.cuts[..] else { continue };
        for (seat, more) in [(0, 1), (1, 2), (1 - first.from.index(), 3)] {
            let message = if seat == first.from.index() {
                first.message + more
            } else {
                first.message.saturating_sub(more)
            };
            let mut plan = plan.clone();
            plan.cuts.push(cut(seat, message, more % 2 == 0));
            plans.push(plan);
        }
    }
    play_all(&plans, assert_played);
    println!("cut at {} places", plans.len());
    assert!(plans.len() > 80);
}

/// A program starts again with older files. It gets the missing parts from the peer and continues.
/// If it lacks the deck and could have seen a card, it forfeits the hand. Neither side is convicted
/// of cheating.
#[test]
fn older_state_is_restored() {
    let result = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    let step = if soak().is_some() { 1 } else { 5 };
    for seat in [0, 1] {
        let actions = result.disks[seat].steps().len();
        for action in (1..actions).step_by(step) {
            for older in (0..action).step_by(step) {
                for (log, deck) in [(true, false), (false, true), (true, true)] {
                    let mut plan = kills(seat, action, When::After);
                    let restore = Restore {
                        action: older,
                        log,
                        deck,
                    };
                    plan.kills[seat][0].restore = Some(restore);
                    plans.push(plan);
                }
            }
        }
    }
    let forfeits = AtomicUsize::new(0);
    play_all(&plans, |plan, result| {
        let seat = usize::from(plan.kills[0].is_empty());
        match &result.ends {
            [End::Played, End::Played] => {}
            [End::Stopped(stops), _] => {
                let due = [(Seat::new(seat as u8), Stop::Forfeit)];
                assert_eq!(stops[..], due, "{plan:?}");
                forfeits.fetch_add(1, Ordering::Relaxed);
            }
            ends => panic!("{plan:?} {ends:?}"),
        }
    });
    let forfeits = forfeits.into_inner();
    println!("{} states restored; {forfeits} forfeits", plans.len());
    assert!(forfeits > 0 && forfeits < plans.len());
}

/// A player who dislikes its cards disconnects and claims to have lost its deck. If it could have
/// seen a card, it forfeits the hand, which is not dealt again.
#[test]
fn interruption_after_cards_could_be_seen_is_a_forfeit() {
    let result = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        let kinds = result.disks[seat].kinds();
        let kept = kinds.iter().position(|kind| *kind == Kind::Keep).unwrap();
        let hand = kinds
            .iter()
            .position(|kind| *kind == Kind::Destroy)
            .unwrap();
        for action in kept + 1..hand {
            let mut plan = kills(seat, action, When::After);
            plan.kills[seat][0].restore = Some(Restore {
                action: kept,
                log: false,
                deck: true,
            });
            plans.push(plan);
        }
    }
    let counts = [(); 3].map(|()| AtomicUsize::new(0));
    play_all(&plans, |plan, result| {
        let seat = usize::from(plan.kills[0].is_empty());
        let outcome = match &result.ends[0] {
            End::Stopped(stops) => {
                assert_eq!(stops[..], [(Seat::new(seat as u8), Stop::Forfeit)]);
                0
            }
            // `World` has checked that nobody had seen a card of the void try.
            _ if result.void > 0 => 1,
            // All cards were open when the deck was lost.
            _ => 2,
        };
        counts[outcome].fetch_add(1, Ordering::Relaxed);
    });
    let [forfeits, void, over] = counts.map(AtomicUsize::into_inner);
    println!(
        "{forfeits} forfeits, {void} tries void before any card was seen, {over} kills after the \
         last opening"
    );
    assert!(forfeits > 10 && void > 0);
}

/// A long match with random cuts and kills.
#[test]
fn long_match_survives_random_interruptions() {
    let mut rng = StdRng::seed_from_u64(soak().unwrap_or(1) as u64);
    let breaks = (long() / 5) as usize;
    // In a hand each side has about thirty actions and a dozen messages.
    let (actions, messages) = (30 * long() as usize, 12 * long() as usize);
    let mut plan = Plan {
        game: Game::Long,
        ..Plan::default()
    };
    for number in 0..breaks {
        let seat = rng.random_range(0..2);
        if number % 2 == 0 {
            let when = When::ALL[rng.random_range(0..3)];
            let kill = kills(seat, rng.random_range(0..actions), when).kills[seat][0];
            plan.kills[seat].push(kill);
        } else {
            let (message, arrives) = (rng.random_range(0..messages), rng.random());
            plan.cuts.push(cut(seat, message, arrives));
        }
    }
    let result = World::play(&plan);
    assert_played(&plan, &result);
    let [one, other] = result.disks.each_ref().map(|disk| {
        let bytes = disk.log().read().unwrap();
        Record::read(&bytes, None).unwrap()
    });
    assert_eq!(
        (one.played(), other.played()),
        (long() as usize, long() as usize)
    );
    assert!(matches!(
        compare(&one, &other),
        Compared::Together { more: [0, 0], .. }
    ));
    println!(
        "{} hands on {} connections; {} tries were void",
        one.played(),
        result.connections,
        result.void / 2
    );
    assert!(result.connections as usize > breaks / 2);
}

/// A seat that has lost its dice after committing to them forfeits. It cannot roll again.
#[test]
fn lost_dice_are_a_forfeit() {
    let result = undisturbed(Game::Deck);
    let kinds = result.disks[0].kinds();
    let kept: Vec<usize> = (0..kinds.len())
        .filter(|&action| kinds[action] == Kind::Keep)
        .collect();
    // The second `Keep` stores the first dice. The append after it signs the commitment to them.
    let restore = Restore {
        action: kept[1],
        log: false,
        deck: true,
    };
    let mut plan = Plan {
        game: Game::Deck,
        ..Plan::default()
    };
    plan.kills[0].push(Kill {
        action: kept[1] + 1,
        when: When::After,
        restore: Some(restore),
    });
    let result = World::play(&plan);
    let forfeit = End::Stopped(vec![(Seat::HOST, Stop::Forfeit)]);
    assert_eq!(result.ends, [forfeit.clone(), forfeit]);
}

/// A card is stolen at most once. If the engine is lost before both seats have resealed the hand,
/// the hand stays the same.
#[test]
fn steal_survives_kills_and_cuts() {
    let game = Game::Steal;
    let result = undisturbed(game);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for (action, when) in moments(&result, seat) {
            plans.push(Plan {
                game,
                ..kills(seat, action, when)
            });
        }
        for message in 0..result.sent[seat] {
            plans.extend([false, true].map(|arrives| Plan {
                game,
                cuts: vec![cut(seat, message, arrives)],
                ..Plan::default()
            }));
        }
    }
    let stolen = AtomicUsize::new(0);
    play_all(&plans, |plan, result| {
        assert_played(plan, result);
        stolen.fetch_add(usize::from(result.stolen), Ordering::Relaxed);
    });
    let stolen = stolen.into_inner();
    println!(
        "killed or cut at {} moments, stolen in {stolen}",
        plans.len()
    );
    assert!(plans.len() > 150 && stolen > 50 && stolen < plans.len());
}
