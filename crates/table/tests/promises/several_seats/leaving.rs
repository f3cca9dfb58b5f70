//! A seat that leaves in the middle of a hand publishes its share of the deck's key. Its program is
//! killed, or its connection is cut, on the way to that.

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::log::End;
use dealerless_table::testing::disk::{Kill, When};
use dealerless_table::testing::network::Cut;

use super::count_lost;
use super::side::Style;
use super::world::{Plan, World};

const LEAVER: Seat = Seat::new(1);

/// The seat leaves in the first of two hands.
fn plan() -> Plan {
    Plan::new(3, 2, Style::Leaves(LEAVER), 1)
}

/// The actions of a seat from the step in which the leaver leaves on, without faults.
fn actions_since_leaving(world: &World, seat: Seat) -> Vec<usize> {
    let program = world.sides[seat.index()].program.as_ref().unwrap();
    let mut parts = program.log().history(0);
    let left = parts.find(|part| part.seat == LEAVER && part.part[0] == LEAVE);
    let left = left.expect("the seat has left").step;
    let steps = world.sides[seat.index()].disk.steps();
    let is_later = |action: &usize| steps[*action] >= left;
    (0..steps.len()).filter(is_later).collect()
}

/// The first byte of the part with which a seat leaves.
const LEAVE: u8 = 7;

#[test]
fn leaver_publishes_its_share_and_the_others_finish_the_hand() {
    for leaver in Seat::all(3) {
        let world = World::played(&Plan::new(3, 2, Style::Leaves(leaver), 1));
        assert_eq!(world.sides[0].end, Some(End::Left(vec![leaver])));
        assert_eq!(
            world.said.releases(leaver, 0),
            2,
            "its partials, and its share"
        );
    }
}

/// Also between the part with which it leaves and its share.
#[test]
fn program_of_a_leaver_is_killed_in_each_of_its_actions_since_it_leaves() {
    let world = World::played(&plan());
    let mut plans = Vec::new();
    for seat in world.seats() {
        let actions = actions_since_leaving(&world, seat);
        assert!(actions.len() > 4);
        for (number, action) in actions.into_iter().enumerate() {
            for (place, when) in When::ALL.into_iter().enumerate() {
                if soak().is_none() && (seat != LEAVER || number % 3 != place) {
                    continue;
                }
                let mut plan = plan();
                plan.kills[seat.index()] = vec![Kill {
                    action,
                    when,
                    restore: None,
                }];
                plans.push(plan);
            }
        }
    }
    let lost = count_lost(&plans);
    println!("{} matches, {lost} lost connections", plans.len());
    assert!(lost + 4 >= plans.len());
}

#[test]
fn connection_of_a_leaver_is_cut() {
    let world = World::played(&plan());
    let sent = world.sent[&(LEAVER, Seat::HOST)];
    let last = sent.saturating_sub(if soak().is_some() { sent } else { 5 });
    let cuts = (last..sent).map(|message| {
        let mut plan = plan();
        plan.cuts = vec![Cut {
            from: LEAVER,
            to: Seat::HOST,
            message,
            arrives: message % 2 == 0,
        }];
        plan
    });
    let plans: Vec<Plan> = cuts.collect();
    assert_eq!(count_lost(&plans), plans.len());
}

#[test]
fn seat_that_sits_out_gets_no_cards_and_leaves_at_the_end_of_the_hand() {
    let seat = Seat::new(1);
    let world = World::played(&Plan::new(3, 2, Style::SitsOutAndLeaves(seat), 1));
    world.check_files();
    let record = world.record(Seat::HOST);
    assert!(record.hands[0].held[seat.index()].is_empty());
    assert_eq!(record.log.final_stacks()[seat.index()], 100);
}
