//! What a player asks for before the next match of the table, and its program signs with the result.

use super::world::World;
use super::{ONE, TWO};
use crate::log::{AfterHand, End, MatchLog, Phase};
use crate::play::news::{Command, NotNow};
use crate::rules::Stakes;
use crate::seat::Seat;

/// The first byte of a result.
const RESULT: u8 = 6;

/// What a seat has signed with the first result of a match of three.
fn signed(log: &MatchLog, seat: Seat) -> (AfterHand, u64) {
    let mut parts = log.history(0);
    let result = parts.find(|part| part.seat == seat && part.part[0] == RESULT);
    // After the chips of three seats.
    let next_and_buy = &result.unwrap().part[1 + 3 * 8..];
    let next = AfterHand::from_repr(next_and_buy[0]).unwrap();
    let buy = u64::from_le_bytes(next_and_buy[1..9].try_into().unwrap());
    (next, buy)
}

/// What a seat signs with the first result of a match of three, after these commands, and the phase after
/// it.
fn result_of(seat: Seat, commands: &[Command], change: bool) -> (AfterHand, u64, Phase) {
    let mut world = World::new(3, 3, 1);
    world.play_to_the_choice_of(seat);
    let play = &mut world.sides[seat.index()].play;
    play.set_change(change);
    for command in commands {
        play.command(command.clone()).unwrap();
    }
    world.thinks = None;
    let is_after = |log: &MatchLog| {
        log.attempt().hand == 2 && log.phase() == Phase::Deal
            || matches!(log.phase(), Phase::Over(_))
    };
    world.play_until(is_after);
    let mut logs = world.of.seats().map(|seat| world.log(seat));
    let log = logs.find(|log| is_after(log)).unwrap();
    let (next, buy) = signed(log, seat);
    (next, buy, log.phase())
}

#[test]
fn a_buy_is_signed_with_the_result_and_ends_the_match() {
    let buy = Command::Buy;
    let changed = Phase::Over(End::Changed);
    let bought = result_of(TWO, &[buy(5)], false);
    assert_eq!(bought, (AfterHand::Stay, 5, changed.clone()));
    let bought = result_of(TWO, &[buy(5), buy(7)], false);
    assert_eq!(bought, (AfterHand::Stay, 7, changed));
    let bought = result_of(TWO, &[buy(5), buy(0)], false);
    assert_eq!((bought.0, bought.1), (AfterHand::Stay, 0));
    assert_eq!(bought.2, Phase::Deal);
}

#[test]
fn the_first_seat_lets_others_sit_down() {
    let changed = Phase::Over(End::Changed);
    let host = result_of(Seat::HOST, &[], true);
    assert_eq!(host, (AfterHand::Change, 0, changed.clone()));
    let guest = result_of(ONE, &[], true);
    assert_eq!(guest, (AfterHand::Change, 0, Phase::Deal));
    let both = result_of(ONE, &[Command::Buy(5)], true);
    assert_eq!(both, (AfterHand::Change, 5, changed));
}

/// The seat sits out, so that it has no turn in which it would leave.
#[test]
fn a_seat_that_leaves_with_the_result_buys_nothing() {
    let mut world = World::new(3, 3, 1);
    let leave = Command::Leave { anyhow: true };
    let play = &mut world.sides[ONE.index()].play;
    play.set_change(true);
    for command in [Command::SitOut(true), Command::Buy(5), leave] {
        play.command(command).unwrap();
    }
    world.play();
    let log = world.log(Seat::HOST);
    assert_eq!(log.phase(), Phase::Over(End::Left(vec![ONE])));
    assert_eq!(signed(log, ONE), (AfterHand::Leave, 0));
}

#[test]
fn too_many_chips_cannot_be_bought() {
    let mut world = World::new(3, 1, 1);
    let play = &mut world.sides[0].play;
    assert_eq!(play.command(Command::Buy(Stakes::MAX_STACK)), Ok(()));
    let refused = play.command(Command::Buy(Stakes::MAX_STACK + 1));
    assert_eq!(refused, Err(NotNow::CannotBuy));
}
