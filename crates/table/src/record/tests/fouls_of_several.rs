//! Records of matches with a verifiable deck that a foul ended.

use std::collections::BTreeSet;

use super::files::begun;
use crate::log::tests::cheats_of_several::{at_each_part, honest_part, signed_bytes};
use crate::log::tests::many_seats::{Table, verifiable};
use crate::log::{End, MatchLog, Part, Phase, Signed, SignedPart};
use crate::record::{MatchState, Record};
use crate::seat::Seat;

/// Checks that the file of a seat with this log and this foul names the signer and the step.
fn check(table: &Table, log: &MatchLog, foul: SignedPart) {
    let (mut journal, memory) = begun(&table.of, Seat::GUEST);
    let signed: Vec<Signed> = (log.statements(0).into_iter())
        .map(|one| one.signed)
        .collect();
    journal.append(&signed).unwrap();
    journal.append([&foul]).unwrap();
    for owner in [None, Some(&*table.of.identities[1])] {
        let record = Record::read(&memory.bytes(), owner).unwrap();
        let MatchState::Over(End::Foul { seat, .. }) = record.state() else {
            panic!("{:?}", record.state());
        };
        assert_eq!(seat, foul.seat);
        let fouls: Vec<_> = record.log.fouls().iter().map(|proof| &proof.part).collect();
        assert_eq!(fouls, [&foul]);
        assert_eq!(fouls[0].step, log.step());
    }
}

/// The first bytes of two kinds of parts.
const MOVE: u8 = 5;
const FINE: u8 = 16;

#[test]
fn record_with_a_foul_of_each_kind_names_the_seat_and_the_step() {
    let mut kinds = BTreeSet::new();
    at_each_part(|table, seat| {
        let honest = honest_part(table, seat);
        let log = table.seats[seat.next(3).index()].log.clone();
        let kind = honest.part[0];
        if !kinds.insert(kind) {
            return;
        }
        let mut bytes = honest.part.clone();
        match kind {
            // A complaint without a valid proof.
            FINE => bytes[0] = 17,
            MOVE => bytes[0] = 22,
            _ => bytes[1] ^= 2,
        }
        check(table, &log, signed_bytes(table, seat, bytes));
    });
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}

#[test]
fn record_with_a_wrong_share_of_a_leaver_names_it() {
    let mut table = Table::new(verifiable(3, 1), 1);
    let leaver = Seat::GUEST;
    table.seats[leaver.index()].leaves = true;
    table.play_until(|log| log.phase() == Phase::Key(leaver));
    table.deliver_all();
    let log = table.seats[0].log.clone();
    let foul = table.of.sign(&log, leaver, &Part::Key([7; 32]));
    check(&table, &log, foul);
}
