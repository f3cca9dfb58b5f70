//! Matches whose seats can be removed: seats disappear, and the others go on.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::world::World;
use super::{ONE, TWO};
use crate::log::tests::many_seats::threshold;
use crate::log::{End, LogMessage, MatchLog, Missing, Phase, Signed, Statement};
use crate::play::news::Command;
use crate::play::orders::Event;
use crate::record::{Compared, MatchState, Record, compare};
use crate::seat::Seat;

const THREE: Seat = Seat::new(3);

/// A match of `seats`, any `opens` of which open a card. All are connected.
fn world(seats: u8, opens: usize, hands: u32, seed: u64) -> World {
    let mut world = World::of(threshold(seats, opens, hands), seed);
    world.reconnect_all();
    world
}

/// What the match waits for when seats disappear.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Shuffle,
    HoleCards,
    ItsTurn,
    AnothersTurn,
    Board,
    Show,
    Result,
    NextDeal,
}

const MOMENTS: [Moment; 8] = [
    Moment::Shuffle,
    Moment::HoleCards,
    Moment::ItsTurn,
    Moment::AnothersTurn,
    Moment::Board,
    Moment::Show,
    Moment::Result,
    Moment::NextDeal,
];

impl Moment {
    /// Whether the log is at this moment for the seat.
    fn is_now(self, log: &MatchLog, seat: Seat) -> bool {
        let phase = log.phase();
        let opens = matches!(phase, Phase::Open(_));
        let has_board = (0..20).any(|position| log.public_card(position).is_some());
        let is_over = log.game().is_some_and(|game| game.board().len() == 5);
        match self {
            Moment::Shuffle => matches!(phase, Phase::Shuffle(now) if now == seat),
            Moment::HoleCards => opens && !has_board,
            Moment::ItsTurn => matches!(phase, Phase::Choose { seat: now, .. } if now == seat),
            Moment::AnothersTurn => matches!(phase, Phase::Choose { seat: now, .. } if now != seat),
            Moment::Board => opens && has_board,
            Moment::Show => opens && is_over,
            Moment::Result => matches!(phase, Phase::Result(_)),
            Moment::NextDeal => phase == Phase::Deal && log.attempt().hand == 2,
        }
    }
}

/// Checks that all running programs have played the match to its end, without the seats that are gone,
/// and that their records agree.
fn check(world: &World, gone: &[Seat]) {
    world.check();
    let gone: BTreeSet<Seat> = gone.iter().copied().collect();
    assert_eq!(world.gone, gone);
    let records: Vec<Record> = (world.alive().into_iter())
        .map(|seat| Record::read(&world.sides[seat.index()].file.bytes(), None).unwrap())
        .collect();
    for record in &records {
        assert!(matches!(record.state(), MatchState::Over(End::Played)));
        assert!(matches!(
            compare(&records[0], record),
            Compared::Together { .. }
        ));
        let stacks = record.log.final_stacks();
        let bought: u64 = record.bought().iter().sum();
        assert_eq!(stacks.iter().sum::<u64>(), bought);
    }
}

#[test]
fn hands_go_on_without_seats_that_disappear_at_once() {
    let few = [Moment::ItsTurn, Moment::Board, Moment::NextDeal];
    for (seats, opens, victims, moments) in [
        (3, 2, vec![ONE], &few[..]),
        (4, 3, vec![Seat::HOST], &few[..]),
        (4, 2, vec![Seat::HOST, THREE], &MOMENTS[..]),
        (5, 3, vec![ONE, THREE], &few[..]),
    ] {
        for moment in moments {
            let hands = if matches!(moment, Moment::NextDeal) {
                2
            } else {
                1
            };
            let mut world = world(seats, opens, hands, 1);
            world.play_until(|log| moment.is_now(log, victims[0]));
            for victim in &victims {
                world.kill(*victim);
            }
            world.play_on(12);
            check(&world, &victims);
        }
    }
}

#[test]
fn hands_go_on_without_seats_that_disappear_one_after_the_other() {
    for (seed, (first, second)) in (0..).zip([
        (Moment::HoleCards, Moment::ItsTurn),
        (Moment::ItsTurn, Moment::Board),
        (Moment::Board, Moment::Show),
        (Moment::Shuffle, Moment::HoleCards),
    ]) {
        let mut world = world(5, 3, 1, seed);
        world.play_until(|log| first.is_now(log, TWO));
        world.kill(TWO);
        world.play_until(|log| second.is_now(log, Seat::HOST));
        world.kill(Seat::HOST);
        world.play_on(12);
        check(&world, &[TWO, Seat::HOST]);
    }
}

#[test]
fn cards_of_a_hand_do_not_depend_on_who_disappears() {
    let public = |victims: &[Seat]| {
        let mut world = world(4, 2, 1, 3);
        world.play_until(|log| Moment::AnothersTurn.is_now(log, TWO));
        for victim in victims {
            world.kill(*victim);
        }
        world.play_on(12);
        check(&world, victims);
        let bytes = world.sides[ONE.index()].file.bytes();
        Record::read(&bytes, None).unwrap().hands[0].public.clone()
    };
    let all = public(&[]);
    for victims in [&[Seat::HOST][..], &[TWO, THREE]] {
        let some = public(victims);
        assert!(some.len() >= 5);
        assert!(some.iter().all(|(position, card)| {
            let other = all.get(position);
            other.is_none_or(|other| other == card)
        }));
    }
}

/// Timeouts that run out at random, although no seat is silent, can cost seats their places. They
/// convict nobody, and the seats that stay have the same log.
#[test]
fn timeouts_at_the_wrong_time_convict_nobody() {
    for seed in 0..3 {
        let mut world = world(4 + seed as u8 % 2, 3, 1, seed);
        world.reconnects = true;
        for _ in 0..400 {
            if world.rng.random_bool(0.05) {
                let seat = *world.alive().choose(&mut world.rng).unwrap();
                let all: Vec<Seat> = world.of.seats().collect();
                world.late(seat, &all);
            }
            world.step();
        }
        world.play_on(20);
        let ends = |world: &World, end: End| {
            let seats = world.of.seats();
            let is_end = |seat: &Seat| world.log(*seat).phase() == Phase::Over(end.clone());
            seats.filter(is_end).collect::<Vec<Seat>>()
        };
        let (played, removed) = (ends(&world, End::Played), ends(&world, End::Removed));
        assert_eq!(played.len() + removed.len(), world.sides.len(), "{seed}");
        assert!(played.len() >= 3);
        for seat in &played {
            assert_eq!(world.log(*seat).hash(), world.log(played[0]).hash());
            assert_eq!(world.log(*seat).gone(), removed);
        }
    }
}

#[test]
fn seats_whose_connection_is_cut_learn_from_a_third_one() {
    let mut world = world(4, 3, 2, 1);
    world.cut(ONE, TWO);
    world.play_until(|log| Moment::AnothersTurn.is_now(log, Seat::HOST));
    world.kill(Seat::HOST);
    world.play_on(200);
    check(&world, &[Seat::HOST]);
}

/// The time for the ack was out when it arrived. The time for the part begins then.
#[test]
fn seat_whose_ack_is_late_is_not_named_for_its_part() {
    let mut world = world(4, 3, 1, 1);
    world.play_until(|log| Moment::HoleCards.is_now(log, ONE));
    for other in [Seat::HOST, ONE, THREE] {
        world.cut(TWO, other);
    }
    world.play();
    let lacks = |world: &World, what| {
        let play = &world.sides[ONE.index()].play;
        assert!(play.missing().unwrap().contains_key(&(TWO, what)));
        assert!(play.may_name().contains(TWO));
    };
    lacks(&world, Missing::Statement);
    world.late(ONE, &[TWO]);
    let mut log = world.log(ONE).clone();
    let before = log.hash();
    let signed = log.sign_ack(&world.of.identities[TWO.index()], TWO);
    let signed = Signed::Ack(signed.unwrap());
    let ack = LogMessage::Statement(Statement { before, signed }).encode();
    for seat in [Seat::HOST, ONE, THREE] {
        let from = if seat == ONE { Seat::HOST } else { ONE };
        let play = &mut world.sides[seat.index()].play;
        play.receive(Event::Received(from, ack.clone())).unwrap();
    }
    world.play();
    lacks(&world, Missing::Part);
    let has_called = |world: &World| {
        let mut statements = world.statements.values();
        statements.any(|one| matches!(one.signed, Signed::Vote(_)))
    };
    assert!(!has_called(&world));
    world.late(ONE, &[TWO]);
    world.play();
    assert!(has_called(&world));
}

/// The host does not forward the statements of one guest to another one, and these two are not
/// connected. The guest that waits signs a call. The third one refuses it with what is lacking.
#[test]
fn call_is_refused_with_what_the_caller_lacks() {
    let mut world = world(4, 3, 1, 1);
    world.play_until(|log| Moment::HoleCards.is_now(log, ONE));
    world.cut(ONE, TWO);
    world.withheld = Some((ONE, TWO, None));
    world.play();
    let mut calls = 0;
    while !matches!(world.log(ONE).phase(), Phase::Over(_)) {
        let step = world.log(ONE).step();
        let all: Vec<Seat> = world.of.seats().collect();
        world.late(ONE, &all);
        world.play();
        assert!(world.log(ONE).step() > step);
        calls += 1;
    }
    assert!(calls > 0);
    check(&world, &[]);
}

/// The seat has signed its part, which nobody has received.
#[test]
fn removed_seat_learns_it_from_the_others_and_signs_nothing_more() {
    let mut world = world(4, 3, 2, 1);
    world.play_until(|log| Moment::ItsTurn.is_now(log, TWO));
    while !matches!(world.log(TWO).phase(), Phase::Choose { seat: TWO, .. }) {
        world.step();
    }
    world.advance(TWO);
    for other in [Seat::HOST, ONE, THREE] {
        world.cut(TWO, other);
    }
    world.play();
    world.tick();
    assert_eq!(world.gone, BTreeSet::from([TWO]));
    assert!(!matches!(world.log(TWO).phase(), Phase::Over(_)));
    let signed = |world: &World| {
        let signers = world.statements.keys().map(|(_, signer, ..)| *signer);
        signers.filter(|signer| *signer == TWO).count()
    };
    let before = signed(&world);
    world.reconnect(TWO, THREE);
    world.play();
    assert_eq!(world.log(TWO).phase(), Phase::Over(End::Removed));
    world.restart(TWO);
    assert_eq!(world.log(TWO).phase(), Phase::Over(End::Removed));
    world.reconnect_all();
    world.play_on(12);
    assert_eq!(signed(&world), before);
    world.kill(TWO);
    check(&world, &[TWO]);
}

/// A seat votes after a start as before it.
#[test]
fn seat_that_starts_again_during_a_call_votes_on_it() {
    for (seats, opens) in [(5, 3), (4, 3)] {
        let mut world = world(seats, opens, 2, 1);
        world.play_until(|log| Moment::ItsTurn.is_now(log, TWO));
        world.kill(TWO);
        world.play();
        world.restart(ONE);
        world.reconnect_all();
        world.play_on(12);
        check(&world, &[TWO]);
    }
}

#[test]
fn foul_costs_the_seat_its_place_without_a_timeout() {
    let mut world = world(4, 3, 2, 1);
    world.play_to_the_choice_of(TWO);
    world.thinks = None;
    world.send_foul(TWO, ONE);
    world.kill(TWO);
    world.play();
    check(&world, &[TWO]);
}

#[test]
fn others_play_on_after_a_seat_has_left_if_enough_remain() {
    let mut world = world(4, 3, 3, 1);
    world.play_to_the_choice_of(TWO);
    world.thinks = None;
    let leave = Command::Leave { anyhow: true };
    world.sides[TWO.index()]
        .play
        .command(leave.clone())
        .unwrap();
    world.advance(TWO);
    world.play_until(|log| log.gone() == [TWO]);
    while world
        .alive()
        .iter()
        .any(|seat| world.log(*seat).gone().is_empty())
    {
        assert!(world.step());
    }
    world.kill(TWO);
    world.play();
    check(&world, &[]);
    let parts = world.log(ONE).history(0);
    assert!(parts.into_iter().count() > 0);
}

#[test]
fn match_ends_when_too_few_seats_remain() {
    let mut world = world(3, 2, 3, 1);
    for seat in [TWO, ONE] {
        world.play_until(|log| Moment::ItsTurn.is_now(log, seat));
        while !matches!(world.log(seat).phase(), Phase::Choose { seat: now, .. } if now == seat) {
            assert!(world.step());
        }
        let leave = Command::Leave { anyhow: true };
        world.sides[seat.index()].play.command(leave).unwrap();
        world.play_until(|log| log.gone().contains(&seat));
    }
    world.play();
    for seat in [Seat::HOST, ONE] {
        assert_eq!(world.log(seat).phase(), Phase::Over(End::TooFew(vec![ONE])));
    }
}

/// Connections are lost, programs start again, some from older files, and timeouts run out. No honest
/// seat signs two different statements for one place, and the seats that stay have one log.
#[test]
fn restarts_and_restored_files_convict_nobody() {
    for seed in 0..3 {
        let mut world = world(4, 2 + seed as usize % 2, 1, seed);
        world.reconnects = true;
        let mut copies: Vec<_> = world.sides.iter().map(|side| side.file.bytes()).collect();
        for _ in 0..25 {
            for _ in 0..world.rng.random_range(0..60) {
                world.step();
            }
            let seat = Seat::new(world.rng.random_range(0..4));
            let other = seat.next(4);
            let is_over = |world: &World| matches!(world.log(seat).phase(), Phase::Over(_));
            match world.rng.random_range(0..6) {
                0 => world.cut(seat, other),
                1 => copies[seat.index()] = world.sides[seat.index()].file.bytes(),
                2 => {
                    // Otherwise nobody has received what the seat has sent last.
                    while world.step() {}
                    // The secret of a match that is over is destroyed.
                    if !is_over(&world) {
                        world.restore(seat, copies[seat.index()].clone());
                        world.reconnect_all();
                    }
                }
                3 => {
                    world.restart(seat);
                    world.reconnect_all();
                }
                4 => world.late(seat, &[other, other.next(4)]),
                _ => world.reconnect_all(),
            }
        }
        world.reconnect_all();
        world.play_on(20);
        let mut hash = None;
        for seat in world.of.seats() {
            match world.log(seat).phase() {
                Phase::Over(End::Played) => {
                    let own = world.log(seat).hash();
                    assert_eq!(*hash.get_or_insert(own), own);
                }
                Phase::Over(End::Removed) => {}
                // Two seats that name each other can leave too few.
                phase => assert!(!matches!(phase, Phase::Over(_)), "{seat}: {phase:?}"),
            }
        }
    }
}

/// A cheat can repeat old statements as often as it likes.
#[test]
fn statement_for_a_forgotten_step_does_not_make_a_seat_read_its_file() {
    let mut world = world(4, 3, 4, 1);
    world.play_until(|log| log.attempt().hand == 4 && log.game().is_some());
    let forgets = |seat: &Seat| !world.log(*seat).is_whole();
    let seat = world.of.seats().find(forgets).expect("an old hand");
    let old = world.sent.iter().find_map(|(way, message)| match message {
        LogMessage::Statement(old) if old.signed.step() == 1 => {
            (way.1 == seat).then_some((way.0, message))
        }
        _ => None,
    });
    let (from, bytes) = old.map(|(from, message)| (from, message.encode())).unwrap();
    let play = &mut world.sides[seat.index()].play;
    play.receive(Event::Received(from, bytes)).unwrap();
    assert!(!play.log().is_whole());
}
