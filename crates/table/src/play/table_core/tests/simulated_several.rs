//! Several seats with a verifiable deck play in simulated time. Programs end and start again, programs are
//! stopped, connections are cut, and cheats delay or withhold statements. Seats can be removed by roll
//! calls. The number of a match determines everything that happens in it.
//! `DEALERLESS_SOAK=2000 cargo test -p dealerless-table --lib simulated_several -- --nocapture` plays
//! 2000 random matches.

mod world;

use std::collections::{BTreeMap, BTreeSet};

use dealerless::testing::soak::soak;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use self::world::{Fault, Happening, Kind, Style, World, pair};
use crate::log::{End, Signed};

const CLOCK: (u32, u32) = (5, 20);

/// The ack of a cheat for the first release reaches one seat only, just in time. Its part never comes.
#[test]
fn ack_that_reaches_one_seat_late_removes_no_honest_seat() {
    for seats in [4, 5] {
        let mut world = World::new(seats, seats - 2, 1, CLOCK, 1);
        world.sides.iter_mut().for_each(|side| side.rate = 1.0);
        world.cheat_by(seats - 1, |sending| match (sending.kind, sending.signed) {
            (Kind::Open, Signed::Vote(_)) if sending.nth == 0 => {
                Some((30.3 - sending.since).max(0.0))
            }
            (Kind::Open, Signed::Ack(_)) if sending.nth == 0 => (sending.to == 2).then_some(18.7),
            (Kind::Open, _) => None,
            _ => Some(0.0),
        });
        let clean: Vec<usize> = (0..seats - 1).collect();
        world.plays_well(&clean);
    }
}

#[test]
fn restart_in_a_turn_takes_no_time_of_a_later_turn() {
    let mut world = World::new(4, 3, 1, (1, 40), 2);
    world.sides[3].thinks = vec![0.1, 0.98];
    world.watch(Kind::Choice, Some(3), 0, 2.0, Fault::Restart(3, 14.0));
    world.plays_well(&[0, 1, 2, 3]);
}

#[test]
fn choices_of_a_cheat_that_come_late_take_no_time_of_another_seat() {
    let mut world = World::new(4, 3, 2, (1, 40), 3);
    world.sides[0].thinks = vec![0.2, 0.2, 0.2, 0.98];
    world.cheat_by(3, |sending| {
        let is_late = sending.kind == Kind::Choice && sending.to == 0;
        Some(if is_late && matches!(sending.signed, Signed::Part(_)) {
            5.2
        } else {
            0.0
        })
    });
    world.plays_well(&[0, 1, 2]);
}

#[test]
fn release_goes_on_after_one_seat_was_away_and_another_has_started_again() {
    for seats in [3, 4] {
        let mut world = World::new(seats, seats - 1, 1, CLOCK, 4);
        world.watch(Kind::Open, None, 0, 0.0, Fault::Restart(0, 23.0));
        world.watch(Kind::Open, None, 0, 3.0, Fault::Restart(1, 0.5));
        world.plays_well(&[]);
    }
}

#[test]
fn three_restarts_in_a_turn_of_several_seats_leave_nobody_stuck() {
    let mut world = World::new(4, 3, 1, (3, 5), 5);
    world.sides[0].thinks = vec![0.95];
    for (after, seats) in [(2.0, &[0, 1, 3][..]), (7.5, &[0]), (13.0, &[0])] {
        for number in seats {
            world.watch(
                Kind::Choice,
                Some(0),
                0,
                after,
                Fault::Restart(*number, 0.3),
            );
        }
    }
    world.plays_well(&[2]);
}

#[test]
fn three_restarts_in_a_turn_do_not_begin_it_again() {
    let mut world = World::new(4, 3, 1, CLOCK, 6);
    world.sides[3].thinks = vec![0.97];
    for after in [6.0, 12.0, 20.0] {
        world.watch(Kind::Choice, Some(3), 0, after, Fault::Restart(3, 0.5));
    }
    world.plays_well(&[0, 1, 2, 3]);
}

/// A seat is dead and a cheat does not vote.
#[test]
fn cheat_that_does_not_vote_is_removed_or_the_match_may_be_closed() {
    for opens in [3, 2] {
        let mut world = World::new(4, opens, 1, CLOCK, 7);
        world.cheat_by(2, |sending| {
            (!matches!(sending.signed, Signed::Vote(_))).then_some(0.0)
        });
        world.watch(Kind::Open, None, 0, 0.5, Fault::Kill(3));
        let world = world.plays_well(&[0, 1]);
        let ends = [0, 1].map(|number| world.ends(number));
        let expected = (opens == 2).then_some(End::Played);
        assert_eq!(ends, [expected.clone(), expected]);
    }
}

/// A seat is away when its turn begins, and then uses the time on its screen.
#[test]
fn turn_that_begins_late_has_its_full_time() {
    let mut world = World::new(4, 3, 1, CLOCK, 8);
    // All times of the others end in the same moment.
    world.sides.iter_mut().for_each(|side| side.rate = 1.0);
    world.sides[3].thinks = vec![0.02, 0.98];
    world.watch(Kind::Choice, Some(2), 1, 0.0, Fault::Restart(3, 14.0));
    world.plays_well(&[0, 1, 2, 3]);
}

/// A seat is cut off while it chooses, and a third one dies. The call that names the first seat needs the
/// vote of the dead one, and the call after that needs the vote of the seat that was cut off, which has
/// passed the step with its choice.
#[test]
fn seat_that_was_cut_off_in_its_turn_votes_on_the_call_that_follows() {
    let mut world = World::new(4, 3, 1, CLOCK, 10);
    for (after, fault) in [
        (0.5, Fault::Cut(0, 2, 40.0)),
        (0.5, Fault::Cut(1, 2, 40.0)),
        (1.0, Fault::Kill(3)),
    ] {
        world.watch(Kind::Choice, Some(2), 0, after, fault);
    }
    world.sides[2].thinks = vec![0.1];
    let world = world.plays_well(&[0, 1, 2]);
    for number in [0, 1, 2] {
        assert_eq!(world.ends(number), Some(End::Played));
    }
}

/// A seat starts again, and hears only a seat that the others have removed: it needs the history of the
/// third one, which never comes.
#[test]
fn seat_that_hears_only_a_removed_seat_after_a_start_may_close() {
    let mut world = World::new(3, 2, 1, CLOCK, 11);
    world.cheat_by(0, |sending| {
        let is_hidden = matches!(sending.signed, Signed::Vote(_)) && sending.to == 1;
        (!is_hidden).then_some(0.0)
    });
    world.sides[2].thinks = vec![0.97];
    for (after, fault) in [
        (0.5, Fault::Stop(2, 40.0)),
        (39.0, Fault::Restart(1, 10.0)),
        (45.0, Fault::Kill(0)),
    ] {
        world.watch(Kind::Choice, Some(2), 0, after, fault);
    }
    let world = world.plays_well(&[]);
    assert!(world.ends(1).is_none());
}

/// The host disappears, and the guests have no connection to each other. One of them starts again.
#[test]
fn guest_that_hears_nobody_may_close() {
    for restarts in [false, true] {
        let mut world = World::new(4, 2, 1, CLOCK, 12);
        world.is_mesh = false;
        world.watch(Kind::Choice, Some(2), 0, 0.5, Fault::Kill(0));
        if restarts {
            world.watch(Kind::Choice, Some(2), 0, 1.0, Fault::Restart(1, 10.0));
        }
        let world = world.plays_well(&[1, 2, 3]);
        assert!([1, 2, 3].iter().all(|seat| world.ends(*seat).is_none()));
    }
}

/// The guests are connected only to the host, and note each other as away.
#[test]
fn guests_without_a_connection_to_each_other_agree_to_the_settlement_of_the_host() {
    for (seats, opens) in [(4, 4), (5, 4)] {
        for (kind, due) in [
            (Kind::Choice, Some(3)),
            (Kind::Other, None),
            (Kind::Open, None),
        ] {
            let mut world = World::new(seats, opens, 1, CLOCK, 9);
            world.is_mesh = false;
            let absent: Vec<usize> = (opens - 1..seats).collect();
            for number in &absent {
                world.watch(kind, due, 0, 0.0, Fault::Kill(*number));
            }
            let world = world.plays_well(&[0, 1, 2]);
            assert_eq!(world.settled(0, &[1, 2]), absent, "{kind:?}");
        }
    }
}

/// A random match, and the seats that must not be removed.
fn random_world(seed: u64) -> (World, Vec<usize>) {
    let mut rng = StdRng::seed_from_u64(seed ^ 0x5eed);
    let r = &mut rng;
    let seats = *[3, 3, 4, 4, 5, 6].choose(r).unwrap();
    let least = usize::from(r.random_range(0..100) >= 8);
    let more = r.random_range(least..seats - 1);
    let opens = seats - more;
    let mut count = *[0, 1, 1, 1, 2, 3].choose(r).unwrap();
    count = count.min(if r.random_range(0..10) < 7 {
        more.min(1)
    } else {
        opens - 1
    });
    let is_mesh = r.random_range(0..10) < 6;
    let hands = 1 + u32::from(r.random_range(0..5) == 0);
    let mut world = World::new(seats, opens, hands, CLOCK, seed);
    world.is_mesh = is_mesh;
    let mut pool: Vec<usize> = (usize::from(!is_mesh)..seats).collect();
    pool.shuffle(r);
    pool.truncate(count);
    let cheats = pool;
    for number in &cheats {
        use Style::{Late, Mixed, Obstruct, Silent, Starve};
        let style = *[Late, Starve, Silent, Mixed, Obstruct, Mixed]
            .choose(r)
            .unwrap();
        let begins = r.random_range(3.0..120.0);
        let has_window = style == Silent || r.random_range(0..10) < 3;
        let length = *[15.0, 30.0, 60.0, 5000.0].choose(r).unwrap();
        let window = if has_window {
            (begins, begins + length)
        } else {
            (0.0, 0.0)
        };
        // After a start, a seat needs the histories of M seats.
        let withholds = cheats.len() == 1 && r.random();
        world.cheat(*number, style, window).withholds = withholds;
    }
    let honest = world.honest();
    for number in &honest {
        world.sides[*number].thinks = vec![*[0.02, 0.02, 0.3, 0.97].choose(r).unwrap()];
    }
    let (mut faulty, mut brief) = (BTreeSet::new(), BTreeSet::new());
    let fails: Vec<usize> = honest
        .iter()
        .copied()
        .filter(|of| is_mesh || *of > 0)
        .collect();
    let mut may_die = more.saturating_sub(cheats.len());
    // The keys are complete after three seconds.
    for number in fails {
        let x: f64 = r.random();
        let mut faults = Vec::new();
        // After a start, a seat needs the histories of M seats on its own connections.
        let may_restart = is_mesh || opens == 2;
        if x < 0.2 && may_restart {
            brief.insert(number);
            faults.push(Fault::Restart(number, r.random_range(0.2..4.0)));
        } else if x < 0.35 && may_restart {
            faulty.insert(number);
            for _ in 0..r.random_range(1..=3) {
                faults.push(Fault::Restart(
                    number,
                    *[0.5, 5.0, 15.0, 23.0, 40.0].choose(r).unwrap(),
                ));
            }
        } else if x < 0.45 {
            faulty.insert(number);
            faults.push(Fault::Stop(
                number,
                *[5.0, 15.0, 25.0, 45.0].choose(r).unwrap(),
            ));
        } else if x < 0.6 && may_die > 0 {
            may_die -= 1;
            faulty.insert(number);
            faults.push(Fault::Kill(number));
        }
        for fault in faults {
            world.plan(r.random_range(3.0..120.0), Happening::Fault(fault));
        }
    }
    let mut cuts = BTreeSet::new();
    if 2 * opens > seats + cheats.len() && r.random() {
        for _ in 0..r.random_range(1..=3) {
            let other = r.random_range(1..seats);
            let one = if is_mesh { r.random_range(0..other) } else { 0 };
            if cuts.insert((one, other)) {
                let length = *[3.0, 12.0, 22.0, 35.0, 60.0].choose(r).unwrap();
                let fault = Fault::Cut(one, other, length);
                world.plan(r.random_range(3.0..90.0), Happening::Fault(fault));
            }
        }
    }
    let host_fails = |number: usize| {
        cheats.contains(&0)
            || faulty.contains(&0)
            || brief.contains(&0)
            || cuts.contains(&(0, number))
    };
    let is_off = |one: usize, other: usize| {
        let is_direct = is_mesh || one == 0 || other == 0;
        let fails = !is_direct || cuts.contains(&pair(one, other));
        fails && (host_fails(one) || host_fails(other) || one == 0 || other == 0)
    };
    let is_clean = |number: &usize| {
        let off = honest
            .iter()
            .filter(|of| *of != number && is_off(**of, *number));
        // After a start, a seat votes only once it has heard as many seats as open a card.
        let hears =
            |of: &&usize| !faulty.contains(*of) && (*of == number || !is_off(**of, *number));
        let may_vote = !brief.contains(number) || honest.iter().filter(hears).count() >= opens;
        !faulty.contains(number) && may_vote && cheats.len() + off.count() < opens
    };
    let clean = honest.iter().copied().filter(is_clean).collect();
    world.say(format_args!(
        "match {seed}: {opens} of {seats} seats, mesh {is_mesh}, cheats {:?}, clean {clean:?}",
        cheats
            .iter()
            .map(|of| {
                let cheat = world.sides[*of].cheat.as_ref().unwrap();
                (*of, cheat.style, cheat.victim, cheat.window)
            })
            .collect::<Vec<_>>(),
    ));
    (world, clean)
}

/// Three seats have called a fourth one for its vote, and are bound. It comes back with that vote, which
/// is the last one on the earlier call.
#[test]
fn seat_that_comes_back_does_not_win_a_call_that_the_others_have_gone_beyond() {
    let (mut world, clean) = random_world(37_261_349);
    assert_eq!(world.played(&clean), [""; 0]);
}

#[test]
fn random_matches_of_several_seats() {
    let first = std::env::var("DEALERLESS_SEED")
        .ok()
        .map(|seed| seed.parse().unwrap());
    let matches = soak().unwrap_or(200) as u64;
    let (mut broken, mut ends) = (Vec::new(), BTreeMap::<String, usize>::new());
    let mut longest: f64 = 0.0;
    for seed in first.unwrap_or(0)..first.unwrap_or(0) + matches {
        let (mut world, clean) = random_world(seed);
        let found = world.played(&clean);
        if !found.is_empty() {
            println!("match {seed}: {found:?}");
            broken.push((seed, found));
        }
        for number in world.honest() {
            let share = world.sides[number].longest.as_secs_f64() / world.bound().as_secs_f64();
            longest = longest.max(share);
            let end = world
                .ends(number)
                .map_or("none".into(), |end| format!("{end:?}"));
            let end = end.split([' ', '(']).next().unwrap().to_owned();
            *ends.entry(end).or_default() += 1;
        }
    }
    println!(
        "{matches} matches, {} broken; ends {ends:?}; longest step {longest:.2}",
        broken.len()
    );
    assert!(broken.is_empty(), "{broken:?}");
}
