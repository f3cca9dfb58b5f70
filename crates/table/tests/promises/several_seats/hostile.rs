//! A host or a guest that cheats with what it sends. It costs the connection to the cheat, and no
//! honest seat is convicted or opens cards in a history that the other honest seats do not share.

use std::cell::RefCell;
use std::rc::Rc;

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::log::{
    End, Evidence, LogMessage, MatchId, MatchLog, Phase, Resume, Signed, SignedAck, Statement,
};
use dealerless_table::record::{Compared, compare};
use dealerless_table::testing::disk::Disk;
use dealerless_table::testing::test_match::verifiable;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::side::{Side, Style};
use super::world::{Meddle, Plan, World};

const GUESTS: [Seat; 2] = [Seat::new(1), Seat::new(2)];

/// A cheat with the messages of one direction.
#[derive(Clone, Copy, Debug)]
enum Cheat {
    Changes,
    Reorders,
    Repeats,
    Inserts,
}

const CHEATS: [Cheat; 4] = [
    Cheat::Changes,
    Cheat::Reorders,
    Cheat::Repeats,
    Cheat::Inserts,
];

/// Messages that no honest seat sends.
fn inventions(plan: &Plan, rng: &mut StdRng) -> Vec<Vec<u8>> {
    let match_id = verifiable(plan.seats, plan.hands).match_info.id();
    let other_match = verifiable(plan.seats, plan.hands + 1).match_info.id();
    let invented = |before: [u8; 32], step: u64, seat: u8| Statement {
        before,
        signed: Signed::Ack(SignedAck {
            step,
            seat: Seat::new(seat),
            signature: [7; 64],
        }),
    };
    let resume = |match_id: MatchId, parts| Resume {
        match_id,
        from: 0,
        before: *match_id.as_bytes(),
        parts,
    };
    let statements = [invented([1; 32], 9, 1), invented([2; 32], 9, 1)];
    let mut messages = vec![
        Vec::new(),
        vec![0xff; 40],
        (0..rng.random_range(1..200))
            .map(|_| rng.random())
            .collect(),
        LogMessage::RequestAll.encode(),
        LogMessage::RequestFrom(0).encode(),
        LogMessage::RequestFrom(u64::MAX).encode(),
        LogMessage::Resume(resume(match_id, u32::MAX)).encode(),
        LogMessage::Resume(resume(other_match, 0)).encode(),
        LogMessage::Evidence(Box::new(Evidence {
            match_id,
            statements,
        }))
        .encode(),
    ];
    let first = *match_id.as_bytes();
    for (before, step, seat) in [(first, 0, 1), ([3; 32], 5, 2), (first, u64::MAX, 9)] {
        messages.push(LogMessage::Statement(invented(before, step, seat)).encode());
    }
    messages
}

/// Cheats with some messages from one seat to others, and then no more.
fn cheating(cheat: Cheat, from: Seat, plan: &Plan) -> Meddle {
    let mut rng = StdRng::seed_from_u64(plan.seed + 100);
    let mut left = 6;
    let mut held: Vec<(Seat, Seat, Vec<u8>)> = Vec::new();
    let inventions = inventions(plan, &mut rng);
    Box::new(move |by, to, mut message| {
        if by != from || left == 0 || rng.random_range(0..8) > 0 {
            // The messages that were kept back follow the next one.
            let kept =
                held.extract_if(.., |(sender, receiver, _)| (*sender, *receiver) == (by, to));
            let messages = std::iter::once(message);
            return messages.chain(kept.map(|(.., message)| message)).collect();
        }
        left -= 1;
        match cheat {
            Cheat::Changes => {
                let at = rng.random_range(0..message.len());
                message[at] ^= 1 << rng.random_range(0..8);
                vec![message]
            }
            Cheat::Reorders => {
                held.push((by, to, message));
                Vec::new()
            }
            Cheat::Repeats => vec![message.clone(), message],
            Cheat::Inserts => {
                let mut inventions = inventions.clone();
                inventions.shuffle(&mut rng);
                inventions.truncate(2);
                inventions.push(message);
                inventions
            }
        }
    })
}

/// After a host has cheated for a while, the match still continues to its end.
#[test]
fn cheating_host_costs_only_connections() {
    for seed in 0..soak().unwrap_or(2) as u64 {
        for cheat in CHEATS {
            let plan = Plan::new(3, 1, Style::Mixed, seed);
            let mut world = World::new(plan.clone());
            world.meddle = Some(cheating(cheat, Seat::HOST, &plan));
            world.play_with_timeouts(&GUESTS);
            world.check();
        }
    }
}

/// The other seats drop the connection to a guest that cheats, and keep all others.
#[test]
fn cheating_guest_costs_only_its_own_connection() {
    for seed in 0..soak().unwrap_or(2) as u64 {
        for cheat in CHEATS {
            let plan = Plan::new(3, 1, Style::Mixed, seed);
            let mesh = seed % 2 > 0;
            let plan = Plan { mesh, ..plan };
            let mut world = World::new(plan.clone());
            world.meddle = Some(cheating(cheat, GUESTS[1], &plan));
            world.play_with_timeouts(&GUESTS[1..]);
            world.check();
            let mut errors = world.errors.iter();
            let cheat_only = errors.all(|(at, from, _)| [at, from].contains(&&GUESTS[1]));
            assert!(cheat_only, "{cheat:?} {:?}", world.errors);
            assert_eq!(world.connections_of(GUESTS[0]), 1);
        }
    }
}

/// The host withholds the statements of one guest from another one. The hand waits.
#[test]
fn withheld_statements_stop_the_hand() {
    for from in [4, 6, 8, 10, 12, 15] {
        let plan = Plan::new(4, 1, Style::Passive, from);
        let mut world = World::new(plan);
        world.meddle = Some(Box::new(move |by, to, message| {
            let withheld = match LogMessage::decode(&message) {
                Ok(LogMessage::Statement(Statement { signed, .. })) => {
                    signed.seat() == Seat::new(1) && signed.step() >= from
                }
                _ => false,
            };
            if by == Seat::HOST && to == Seat::new(2) && withheld {
                Vec::new()
            } else {
                vec![message]
            }
        }));
        world.most_connections = 5;
        world.play();
        let honest = [1, 2, 3].map(Seat::new);
        world.said.check_releases(&honest);
        for side in &world.sides {
            let log = side.program.as_ref().unwrap().log();
            assert!(!matches!(log.phase(), Phase::Over(_)), "the match waits");
            assert!(log.evidence().is_empty() && log.fouls().is_empty());
        }
    }
}

/// The host delays everything for one guest. Nobody opens a card without this guest meanwhile. When the
/// messages arrive, the match is played to its end.
#[test]
fn match_that_the_host_delays_for_one_guest_is_played_later() {
    let late = Seat::new(2);
    for first in [2, 8, 15, 25] {
        let mut world = World::new(Plan::new(4, 1, Style::Passive, first));
        let held = Rc::new(RefCell::new(Some(Vec::new())));
        let (kept, mut count) = (Rc::clone(&held), 0);
        world.meddle = Some(Box::new(move |by, to, message| {
            count += u64::from((by, to) == (Seat::HOST, late));
            match &mut *kept.borrow_mut() {
                Some(kept) if (by, to) == (Seat::HOST, late) && count > first => {
                    kept.push(message);
                    Vec::new()
                }
                _ => vec![message],
            }
        }));
        world.play();
        let seats = world.seats();
        world.said.check_releases(&seats);
        for side in &world.sides {
            let log = side.program.as_ref().unwrap().log();
            assert!(!matches!(log.phase(), Phase::Over(_)), "the match waits");
        }
        let messages: Vec<Vec<u8>> = held.take().unwrap();
        assert!(!messages.is_empty());
        world.send(Seat::HOST, late, messages);
        world.play();
        world.check();
        world.check_files();
        assert_eq!(world.lost_connections(), 0);
    }
}

/// The seats before the big blind makes its first choice, which is the last one before the flop.
pub(super) fn before_the_choice() -> World {
    before(
        Plan::new(4, 1, Style::Passive, 5),
        |log| matches!(log.phase(), Phase::Choose { seat, .. } if seat == ACCOMPLICE),
    )
}

/// The seats of a match when the host's log has reached a state.
fn before(plan: Plan, is_reached: impl Fn(&MatchLog) -> bool) -> World {
    let mut world = World::new(plan);
    while !is_reached(world.sides[0].program.as_ref().unwrap().log()) {
        assert!(world.step());
    }
    world
}

/// The big blind of the first hand of four seats.
pub(super) const ACCOMPLICE: Seat = Seat::new(2);
pub(super) const VICTIMS: [Seat; 2] = [Seat::new(1), Seat::new(3)];

/// The match continues from copies of all disks. The accomplice makes a choice of this style, and
/// only one of the two honest guests learns it.
pub(super) fn continued(world: &World, style: Style, victim: Seat) -> World {
    let hidden = VICTIMS.into_iter().filter(|other| *other != victim);
    continued_without(world, style, hidden.collect())
}

/// The match continues from copies of all disks, and the players choose in this style. Some guests
/// learn nothing from the current step on, and nobody learns anything from them.
fn continued_without(world: &World, style: Style, hidden: Vec<Seat>) -> World {
    let sides = world
        .sides
        .iter()
        .map(|side| Side::new(side.seat, Disk::of(side.disk.files())));
    let plan = Plan {
        style,
        ..world.plan.clone()
    };
    let step = world.sides[0].program.as_ref().unwrap().log().step();
    let mut world = World::of(plan, sides.collect());
    world.meddle = Some(Box::new(move |by, to, message| {
        let is_hidden = hidden.iter().any(|seat| [by, to].contains(seat));
        match LogMessage::decode(&message) {
            Ok(LogMessage::Statement(statement))
                if is_hidden && statement.signed.step() >= step =>
            {
                Vec::new()
            }
            Ok(LogMessage::Evidence(_)) if is_hidden => Vec::new(),
            _ => vec![message],
        }
    }));
    world.play();
    world
}

/// A host and an accomplice show two guests two different choices. Neither guest opens a card after
/// this, and both files together convict the accomplice.
#[test]
fn two_histories_are_never_opened_and_convict_the_accomplice() {
    let world = before_the_choice();
    let step = world.sides[0].program.as_ref().unwrap().log().step();
    let styles = [Style::Passive, Style::Folds(ACCOMPLICE)];
    let mut worlds = [0, 1].map(|at| continued(&world, styles[at], VICTIMS[at]));
    for (world, victim) in worlds.iter().zip(VICTIMS) {
        let log = world.sides[victim.index()].program.as_ref().unwrap().log();
        assert!(
            log.part(step, ACCOMPLICE).is_some(),
            "the guest has learned the choice"
        );
        assert_eq!(world.said.releases(victim, step), 0);
        assert!(log.evidence().is_empty() && log.fouls().is_empty());
    }
    let records = [0, 1].map(|at| {
        let world = &mut worlds[at];
        // What a seat receives is on its disk once its program ends.
        let program = world.side(VICTIMS[at]).program.as_mut().unwrap();
        program.resume(Seat::HOST).unwrap();
        world.record(VICTIMS[at])
    });
    match compare(&records[0], &records[1]) {
        Compared::Forked { evidence, .. } => assert_eq!(evidence.seat(), ACCOMPLICE),
        compared => panic!("{compared:?}"),
    }
    // The first guest learns the second choice.
    let [one, other] = &mut worlds;
    let log = other.sides[VICTIMS[1].index()]
        .program
        .as_ref()
        .unwrap()
        .log();
    let statement = Statement {
        before: log.hash_before(step).unwrap(),
        signed: Signed::Part(log.part(step, ACCOMPLICE).unwrap().clone()),
    };
    one.lose(VICTIMS[0]);
    one.play();
    one.send(
        Seat::HOST,
        VICTIMS[0],
        vec![LogMessage::Statement(statement).encode()],
    );
    one.play();
    // The second guest connects to the other seats again.
    one.meddle = None;
    one.lose(VICTIMS[1]);
    one.play();
    // All others confirm the end of their logs. They and their files state the same chips.
    let log = |world: &World, seat: Seat| {
        let program = world.sides[seat.index()].program.as_ref();
        program.unwrap().log().clone()
    };
    let chips = log(one, Seat::HOST).final_stacks();
    assert_eq!(chips.iter().sum::<u64>(), chips.len() as u64 * 100);
    for side in &one.sides {
        let end = End::Fork { seat: ACCOMPLICE };
        let log = log(one, side.seat);
        assert_eq!(log.phase(), Phase::Over(end.clone()));
        assert_eq!(log.unconfirmed(), []);
        assert_eq!(log.final_stacks(), chips);
        assert_eq!(one.record(side.seat).log.final_stacks(), chips);
        assert_eq!(side.end, Some(end));
        assert!(!side.disk.has_deck());
    }
}

/// The host makes two versions of the last choice before the turn, one for each guest. No guest opens
/// a card after this. When the two guests connect to each other, they convict the host.
#[test]
fn host_that_shows_two_choices_is_convicted_when_its_guests_meet() {
    // The flop follows the three deals, the shuffles, the hole cards and three choices.
    let world = before(Plan::new(3, 1, Style::Passive, 2), |log| {
        let is_its_turn = matches!(
            log.phase(),
            Phase::Choose {
                seat: Seat::HOST,
                ..
            }
        );
        is_its_turn && log.step() > 11
    });
    let step = world.sides[0].program.as_ref().unwrap().log().step();
    let styles = [Style::Passive, Style::Folds(Seat::HOST)];
    let [one, other] = [0, 1].map(|at| {
        let mut world = continued_without(&world, styles[at], vec![GUESTS[1 - at]]);
        let victim = GUESTS[at];
        let program = world.side(victim).program.as_mut().unwrap();
        assert!(program.log().part(step, Seat::HOST).is_some());
        assert!(program.log().evidence().is_empty());
        // What a seat receives is on its disk once its program ends.
        program.resume(Seat::HOST).unwrap();
        assert_eq!(world.said.releases(victim, step), 0);
        world
    });
    let worlds = [&one, &one, &other].into_iter().zip(one.seats());
    let sides = worlds.map(|(world, seat)| {
        let files = world.sides[seat.index()].disk.files();
        Side::new(seat, Disk::of(files))
    });
    let plan = Plan {
        mesh: true,
        ..world.plan.clone()
    };
    let mut met = World::of(plan, sides.collect());
    met.play();
    let end = End::Fork { seat: Seat::HOST };
    let chips = GUESTS.map(|guest| {
        let side = &met.sides[guest.index()];
        let log = side.program.as_ref().unwrap().log();
        assert_eq!(log.phase(), Phase::Over(end.clone()));
        // Each guest confirms its own history, and the step in which they differ does not count.
        assert_eq!(log.unconfirmed().len(), 1);
        assert_eq!(log.counted_steps(), step);
        assert_eq!(met.record(guest).log.final_stacks(), log.final_stacks());
        assert_eq!(met.said.releases(guest, step), 0);
        log.final_stacks()
    });
    assert_eq!(chips[0], chips[1]);
    assert_eq!(chips[0].iter().sum::<u64>(), 300);
}
