//! Two seats that deal wrong shares of the keys, two complaints in one step, and dealings from which no
//! keys follow.

use super::super::*;
use super::cheats_of_several::{honest_part, signed_bytes};
use super::many_seats::{Table, verifiable};
use crate::seat::Seat;

const CHEATS: [Seat; 2] = [Seat::new(2), Seat::new(3)];

/// A table of four before the complaints. The third seat has dealt a wrong share to the first one, and
/// the fourth seat to the second one.
fn table() -> Table {
    let mut table = Table::new(verifiable(4, 1), 1);
    for seat in table.of.seats() {
        let keys = table.sign(seat).unwrap();
        table.send(&keys);
    }
    table.deliver_all();
    assert_eq!(table.phase(), Phase::KeyDealing);
    for seat in table.of.seats() {
        let honest = honest_part(&mut table, seat);
        let mut bytes = honest.part;
        // The pads of a dealing are at its end, in order of the receivers.
        if let Some(number) = CHEATS.iter().position(|cheat| *cheat == seat) {
            let at = bytes.len() - 32 * (3 - number);
            bytes[at] ^= 1;
        }
        let part = signed_bytes(&table, seat, bytes);
        let before = table.seats[seat.index()].log.hash();
        let signed = Signed::Part(part.clone());
        table.seats[seat.index()].log.accept(part).unwrap();
        table.send(&Statement { before, signed });
    }
    table.deliver_all();
    assert_eq!(table.phase(), Phase::Complaints);
    table
}

#[test]
fn two_complaints_in_one_step_convict_the_same_dealer_in_any_order() {
    let mut table = table();
    let complaints = [0, 1].map(|seat| honest_part(&mut table, Seat::new(seat)));
    let ends = CHEATS.map(|seat| {
        let foul = PartFoul::WrongShare;
        Phase::Over(End::Foul { seat, foul })
    });
    let start = table.seats[2].log.clone();
    for order in [[0, 1], [1, 0]] {
        let mut log = start.clone();
        log.accept(complaints[order[0]].clone()).unwrap();
        // A log with one complaint knows one of the dealers.
        assert_eq!(log.phase(), ends[order[0]]);
        assert!(log.waits_for().is_empty());
        assert_eq!(log.final_stacks(), [100; 4]);
        log.accept(complaints[order[1]].clone()).unwrap();
        assert_eq!(log.phase(), ends[0]);
        assert_eq!(log.final_stacks(), [100; 4]);
        // A log that receives the history of this one.
        let mut copy = table.of.log();
        for statement in log.statements(0) {
            copy.accept_statement(statement).unwrap();
        }
        assert_eq!((copy.phase(), copy.hash()), (log.phase(), log.hash()));
    }
}

#[test]
fn seats_that_have_one_complaint_each_agree_after_an_exchange() {
    let mut table = table();
    let complaints = [0, 1].map(|seat| honest_part(&mut table, Seat::new(seat)));
    let mut logs = complaints.map(|complaint| {
        let mut log = table.seats[2].log.clone();
        log.accept(complaint).unwrap();
        log
    });
    assert_ne!(logs[0].phase(), logs[1].phase());
    for (to, from) in [(0, 1), (1, 0)] {
        for statement in logs[from].statements(0) {
            logs[to].accept_statement(statement).unwrap();
        }
    }
    assert_eq!(logs[0].phase(), logs[1].phase());
    assert_eq!(logs[0].statements(0), logs[1].statements(0));
}

#[test]
fn match_without_keys_ends_with_all_chips_and_convicts_nobody() {
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play_until(|log| log.phase() == Phase::Complaints);
    for seat in &mut table.seats {
        let deck = seat.log.state_mut().deck.verifiable_mut();
        deck.unwrap().forget_dealings();
    }
    let log = table.seats[0].log.clone();
    for seat in table.of.seats() {
        let fine = table.of.sign(&log, seat, &Part::Fine);
        for receiver in &mut table.seats {
            receiver.log.accept(fine.clone()).unwrap();
        }
    }
    assert_eq!(table.phase(), Phase::Over(End::NoKeys));
    for seat in &table.seats {
        let log = &seat.log;
        assert!(log.fouls().is_empty() && log.evidence().is_empty() && log.waits_for().is_empty());
        assert_eq!(log.final_stacks(), [100; 3]);
        // The next match has other keys.
        let past = Past::of(log).unwrap();
        assert!(past.players.iter().all(|member| member.chips == 100));
    }
}
