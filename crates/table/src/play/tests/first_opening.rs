//! The first opening of cards of a match, which a seat does only in time.

use super::world::World;
use super::{ONE, TWO};
use crate::log::tests::many_seats::threshold;
use crate::log::{Phase, Signed};
use crate::seat::{Seat, SeatSet};

/// A match of three, any two of whom open a card, in which each seat needs this number of parts of
/// others to open its first cards.
fn world(needed: [usize; 3]) -> World {
    let mut world = World::of(threshold(3, 2, 2), 1);
    for (side, needed) in world.sides.iter_mut().zip(needed) {
        side.play
            .open_after(Some((needed, SeatSet::of_mask(u16::MAX))));
    }
    world.play();
    world
}

fn has_opened(world: &World) -> [bool; 3] {
    [0, 1, 2].map(|seat| {
        let play = &world.sides[seat].play;
        assert_eq!(play.has_opened(), play.log().has_opening_of(play.seat()));
        play.has_opened()
    })
}

#[test]
fn a_seat_opens_its_first_cards_late_only_with_the_parts_of_others() {
    let late = world([1, 1, 1]);
    assert!(matches!(late.log(Seat::HOST).phase(), Phase::Open(_)));
    assert_eq!(has_opened(&late), [false; 3]);
    assert_eq!(has_opened(&world([0, 2, 2])), [true, false, false]);
    // The parts of some let others open their cards, and the match goes on.
    let mut begun = world([0, 1, 2]);
    assert_eq!(has_opened(&begun), [true; 3]);
    begun.play_until(|log| matches!(log.phase(), Phase::Over(_)));
    // In time.
    let mut in_time = late;
    for side in &mut in_time.sides {
        side.play.open_after(Some((0, SeatSet::of_mask(u16::MAX))));
    }
    in_time.play();
    assert_eq!(has_opened(&in_time), [true; 3]);
}

#[test]
fn a_seat_that_has_opened_no_cards_does_not_call_the_roll() {
    for is_on_hold in [true, false] {
        let mut world = World::of(threshold(3, 2, 2), 1);
        for seat in [Seat::HOST, ONE].into_iter().filter(|_| is_on_hold) {
            world.sides[seat.index()]
                .play
                .open_after(Some((0, SeatSet::of_mask(u16::MAX))));
        }
        // All have made the keys, and the last seat does not deal.
        world.play_until(|log| log.phase() == Phase::Deal);
        world.kill(TWO);
        world.play();
        for _ in 0..3 {
            world.tick();
        }
        let mut signed = world.statements.values().map(|statement| &statement.signed);
        let has_called = signed.any(|signed| matches!(signed, Signed::Vote(_)));
        assert_eq!(has_called, !is_on_hold);
        assert_eq!(world.log(Seat::HOST).gone().is_empty(), is_on_hold);
    }
}

/// After its first cards a seat has no limit, also if its program has started again.
#[test]
fn a_seat_that_has_opened_cards_is_bound_by_no_time() {
    let mut world = World::of(threshold(3, 2, 2), 1);
    world.play_to_the_choice_of(ONE);
    world.restart(ONE);
    world.reconnect_all();
    world.thinks = None;
    for side in &mut world.sides {
        assert!(side.play.has_opened());
        side.play.open_after(Some((9, SeatSet::of_mask(u16::MAX))));
        assert!(!side.play.awaits_opening());
    }
    world.play();
    assert!(matches!(world.log(ONE).phase(), Phase::Over(_)));
}
