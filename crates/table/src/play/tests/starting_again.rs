//! Seats that start again in a match whose seats can be removed: what they wait for, and what they sign.

use std::collections::{BTreeSet, VecDeque};

use super::world::World;
use super::{ONE, TWO};
use crate::log::tests::many_seats::{passive, threshold};
use crate::log::{Early, LogMessage, MatchLog, Phase, Signed, Statement};
use crate::play::error::PlayError;
use crate::play::news::Command;
use crate::play::orders::{Event, NoEngine};
use crate::seat::Seat;

const THREE: Seat = Seat::new(3);

/// A match of four seats, any `opens` of which open a card. The others have removed the last seat, which
/// has signed its move. Also an older copy of the file of seat 1, without its vote.
fn removed(opens: usize, hands: u32) -> (World, Vec<u8>) {
    let mut world = World::of(threshold(4, opens, hands), 1);
    world.reconnect_all();
    let is_its_turn = |log: &MatchLog| matches!(log.phase(), Phase::Choose { seat: THREE, .. });
    world.play_until(is_its_turn);
    while !is_its_turn(world.log(THREE)) {
        world.step();
    }
    world.advance(THREE);
    for other in [Seat::HOST, ONE, TWO] {
        world.cut(THREE, other);
    }
    while world.step() {}
    let copy = world.sides[ONE.index()].file.bytes();
    world.thinks = Some(TWO);
    world.tick();
    assert_eq!(world.gone, BTreeSet::from([THREE]));
    (world, copy)
}

/// Delivers messages until nothing more is to be done. No time passes.
fn deliver(world: &mut World) {
    while world.step() {}
}

fn signed_by(world: &World, seat: Seat) -> usize {
    let signed = world.statements.keys();
    signed.filter(|(_, signer, ..)| *signer == seat).count()
}

/// Checks that the match goes on to its end without the removed seat.
fn check(world: &mut World) {
    world.thinks = None;
    world.reconnect_all();
    world.play_on(20);
    world.kill(THREE);
    world.check();
}

/// The removed seat shows a step that is complete with its move. The restored seat has signed a call
/// in this step.
#[test]
fn restored_seat_that_hears_the_removed_one_first_follows_its_own_vote() {
    for opens in [2, 3] {
        let (mut world, copy) = removed(opens, 2);
        let signed = signed_by(&world, ONE);
        world.restore(ONE, copy);
        world.reconnect(ONE, THREE);
        match opens {
            // The others come before the time is out.
            2 => deliver(&mut world),
            // Two seats are not enough, however long it takes.
            _ => world.play(),
        }
        assert!(!world.sides[ONE.index()].play.is_synced());
        assert_eq!(signed_by(&world, ONE), signed);
        world.reconnect(ONE, TWO);
        world.play();
        if opens == 3 {
            // The removed seat does not count.
            assert!(!world.sides[ONE.index()].play.is_synced());
            world.reconnect(ONE, Seat::HOST);
            world.play();
        }
        assert_eq!(world.log(ONE).gone(), [THREE]);
        assert_eq!(world.log(ONE).hash(), world.log(TWO).hash());
        check(&mut world);
    }
}

/// Lets a seat receive the history of another one without some statements.
fn tell(world: &mut World, to: Seat, from: Seat, keeps: impl Fn(&Statement) -> bool) {
    let log = world.log(from);
    let mut statements = log.statements(0);
    statements.retain(keeps);
    let mut resume = log.resume_from(0);
    resume.parts = statements.len() as u32;
    let statements = statements.into_iter().map(LogMessage::Statement);
    let messages = [LogMessage::Resume(resume)].into_iter().chain(statements);
    world.ways.insert((to, from), VecDeque::new());
    let play = &mut world.sides[to.index()].play;
    play.resume(from).unwrap();
    for message in messages {
        play.receive(Event::Received(from, message.encode()))
            .unwrap();
    }
}

/// The seat that is told of the removed seat's history also gets a later statement of its own.
#[test]
fn restored_seat_stops_if_its_own_statement_belongs_to_another_history() {
    let (mut world, copy) = removed(2, 2);
    world.restore(ONE, copy.clone());
    let named = |one: &Statement| match &one.signed {
        Signed::Vote(vote) => vote.call.named().contains(THREE).then_some(vote.step),
        _ => None,
    };
    let mut statements = world.log(TWO).statements(0).into_iter();
    let step = statements.find_map(|one| named(&one)).unwrap();
    assert!(world.log(TWO).last_signed(ONE) > Some(step));
    tell(&mut world, ONE, THREE, |_| true);
    tell(&mut world, ONE, TWO, |statement| {
        let is_vote = matches!(statement.signed, Signed::Vote(_));
        !(is_vote && statement.signed.step() == step)
    });
    let signed = signed_by(&world, ONE);
    world.advance(ONE);
    let stopped = world.sides[ONE.index()].play.stop_waiting();
    assert!(
        matches!(stopped, Err(PlayError::OwnHistory { .. })),
        "{stopped:?}"
    );
    assert_eq!(signed_by(&world, ONE), signed);
    // The file is as before, and the seat can start again when the others show all.
    assert_eq!(world.sides[ONE.index()].file.bytes(), copy);
    world.restore(ONE, copy);
    check(&mut world);
}

#[test]
fn seat_that_starts_again_waits_for_as_many_seats_as_open_a_card() {
    let mut world = World::of(threshold(5, 4, 1), 1);
    world.reconnect_all();
    world.thinks = Some(Seat::new(4));
    deliver(&mut world);
    world.restart(ONE);
    for (other, may_sign) in [(Seat::HOST, false), (TWO, false), (THREE, true)] {
        world.reconnect(ONE, other);
        world.play();
        assert_eq!(
            world.sides[ONE.index()].play.is_synced(),
            may_sign,
            "{other}"
        );
    }
    // All seats are enough at once.
    world.restart(ONE);
    world.reconnect_all();
    deliver(&mut world);
    assert!(world.sides[ONE.index()].play.is_synced());
    world.thinks = None;
    world.play_on(20);
    world.check();
}

/// One seat sends back what the restored seat has signed in a later step, and nobody what came before.
#[test]
fn restored_seat_signs_nothing_before_it_has_what_it_had_signed() {
    let mut world = World::of(threshold(4, 3, 2), 1);
    world.reconnect_all();
    let is_its_turn = |log: &MatchLog| matches!(log.phase(), Phase::Choose { seat: ONE, .. });
    world.play_until(is_its_turn);
    while !is_its_turn(world.log(ONE)) {
        world.step();
    }
    let copy = world.sides[ONE.index()].file.bytes();
    let step = world.log(ONE).step();
    world.play_until(|log| log.last_signed(ONE) > Some(step));
    world.thinks = Some(TWO);
    deliver(&mut world);
    let mut later = world.log(TWO).statements(step + 1);
    later.retain(|one| one.signed.head().is_none() && one.signed.seat() == ONE);
    world.restore(ONE, copy);
    for from in [Seat::HOST, TWO, THREE] {
        tell(&mut world, ONE, from, |one| one.signed.step() < step);
    }
    let play = &mut world.sides[ONE.index()].play;
    assert!(play.is_synced());
    let later = LogMessage::Statement(later[0].clone()).encode();
    play.receive(Event::Received(TWO, later)).unwrap();
    let Phase::Choose { legal, .. } = play.log().phase() else {
        panic!("not its turn");
    };
    let choice = passive(&legal, &mut world.rng);
    play.command(Command::Choose(choice)).unwrap();
    play.advance(&mut Vec::new(), &mut NoEngine).unwrap();
    assert!(play.log().part(step, ONE).is_none());
    for other in [Seat::HOST, TWO, THREE] {
        world.cut(ONE, other);
    }
    world.thinks = None;
    world.reconnect_all();
    world.play_on(20);
    world.check();
}

/// A seat takes back all hands since the first one, with the shuffles made ahead. Returns the length of a
/// file.
fn restore_from_the_first_hand(hands: u32) -> usize {
    let mut world = World::of(threshold(3, 2, hands), 1);
    world.reconnect_all();
    world.play_until(|log| log.attempt().hand == 1 && log.game().is_some());
    let copy = world.sides[ONE.index()].file.bytes();
    world.play_until(|log| log.attempt().hand == hands - 1 && log.game().is_some());
    let bytes = world.sides[TWO.index()].file.bytes().len();
    world.restore(ONE, copy);
    world.reconnect_all();
    world.play_on(20);
    world.check();
    bytes
}

#[test]
fn copy_of_the_first_hand_is_restored_after_several_hands() {
    restore_from_the_first_hand(4);
}

/// What the seat has to keep until it has heard enough seats is longer than the limit.
#[test]
#[ignore = "takes a minute"]
fn copy_of_the_first_hand_is_restored_after_many_hands() {
    let bytes = restore_from_the_first_hand(25);
    assert!(bytes > Early::MAX_BYTES_AT_START, "{bytes}");
}
