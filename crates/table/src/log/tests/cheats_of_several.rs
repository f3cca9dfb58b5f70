//! Seats that cheat in a match of three with a verifiable deck.

use super::super::signed::SignedPart;
use super::super::*;
use super::many_seats::{Table, verifiable};
use super::test_match::TestMatch;
use crate::seat::Seat;

/// Plays a hand of three seats, and calls `at` before each part, with the table and the seat that signs
/// next.
pub(crate) fn at_each_part(at: impl FnMut(&mut Table, Seat)) {
    at_each_part_of(verifiable(3, 1), at);
}

/// The same for any match of one hand.
pub(super) fn at_each_part_of(of: TestMatch, mut at: impl FnMut(&mut Table, Seat)) {
    let mut table = Table::new(of, 5);
    loop {
        table.deliver_all();
        let seat = table.of.seats().find(|&seat| {
            let log = &table.seats[seat.index()].log;
            log.owes_ack(seat) || !log.may_sign(seat).is_empty() && log.lacks(seat).is_empty()
        });
        let Some(seat) = seat else {
            break;
        };
        if !table.seats[seat.index()].log.owes_ack(seat) {
            at(&mut table, seat);
        }
        let statement = table.sign(seat).expect("it is due");
        table.send(&statement);
    }
    assert_eq!(table.phase(), Phase::Over(End::Played));
}

/// The part that the seat signs next.
pub(crate) fn honest_part(table: &mut Table, seat: Seat) -> SignedPart {
    let before = table.seats[seat.index()].log.clone();
    let Some(Statement {
        signed: Signed::Part(part),
        ..
    }) = table.sign(seat)
    else {
        panic!("a part is due");
    };
    table.seats[seat.index()].log = before;
    part
}

pub(crate) fn signed_bytes(table: &Table, seat: Seat, bytes: Vec<u8>) -> SignedPart {
    let log = &table.seats[seat.index()].log;
    let identity = &table.of.identities[seat.index()];
    let of = table.of.match_info.id();
    SignedPart::sign(
        identity,
        of.as_bytes(),
        log.step(),
        &log.hash(),
        seat,
        bytes,
    )
}

/// The log of a seat that has not signed yet.
fn other_log(table: &Table, seat: Seat) -> MatchLog {
    table.seats[seat.next(3).index()].log.clone()
}

#[test]
fn changed_part_is_a_foul_that_names_its_signer() {
    let mut kinds = std::collections::BTreeSet::new();
    at_each_part(|table, seat| {
        let honest = honest_part(table, seat);
        let log = other_log(table, seat);
        let kind = Part::decode(&honest.part, log.shape()).unwrap().kind();
        kinds.insert(kind);
        let len = honest.part.len();
        // A shuffle takes milliseconds to check, so only some of its bytes are changed.
        let stride = if kind == PartKind::Shuffle { 501 } else { 7 };
        for at in (0..len).step_by(stride).chain([1, len - 1]) {
            let mut bytes = honest.part.clone();
            bytes[at] ^= 1;
            let changed = signed_bytes(table, seat, bytes);
            match log.clone().accept(changed) {
                Err(Refused::Foul(proof)) => assert_eq!(proof.part.seat, seat),
                // The commitment in the keys is opened by the dealing, and a pad of a dealing is
                // checked by its receiver, who then complains.
                Ok(Accepted::New(Part::Keys(_), _)) => assert!(at > 96, "byte {at} of {kind}"),
                Ok(Accepted::New(part, _)) => assert!(
                    matches!(
                        part,
                        Part::Deal(_) | Part::Move(_) | Part::Result { .. } | Part::KeyDealing(_)
                    ),
                    "byte {at} of {kind}"
                ),
                refused => panic!("byte {at} of {kind}: {refused:?}"),
            }
        }
        for bytes in [&honest.part[..len - 1], &[&honest.part[..], &[0]].concat()] {
            let changed = signed_bytes(table, seat, bytes.to_vec());
            let refused = log.clone().accept(changed);
            assert!(
                matches!(refused, Err(Refused::Foul(_))),
                "{kind}: {refused:?}"
            );
        }
        // The part of another seat, or without a signature, convicts nobody.
        let other = SignedPart {
            seat: seat.next(3),
            ..honest.clone()
        };
        let refused = log.clone().accept(other);
        assert!(
            // All seats sign the same `Fine`.
            matches!(refused, Err(Refused::Signature(_)) | Ok(Accepted::Known)),
            "{kind}: {refused:?}"
        );
    });
    use PartKind::*;
    for kind in [
        Keys, KeyDealing, Fine, Deal, Shuffle, Partials, Move, Show, Result,
    ] {
        assert!(kinds.contains(&kind), "{kind}");
    }
}

#[test]
fn parts_of_a_sealed_deck_and_parts_out_of_turn_are_fouls() {
    at_each_part(|table, seat| {
        let log = other_log(table, seat);
        let size = log.size(seat);
        for code in (0..=21).filter(|code| [1, 2, 3, 4, 8, 9, 10, 11, 12, 13].contains(code)) {
            let mut bytes = vec![code];
            bytes.resize(size, 0);
            let refused = log.clone().accept(signed_bytes(table, seat, bytes));
            assert!(
                matches!(refused, Err(Refused::Foul(_))),
                "{code}: {refused:?}"
            );
        }
        let due = table
            .of
            .seats()
            .filter(|other| log.may_sign(*other).is_empty());
        for other in due {
            let is_due = log.part(log.step(), other).is_some();
            let identity = &table.of.identities[other.index()];
            let of = table.of.match_info.id();
            let part = SignedPart::sign(
                identity,
                of.as_bytes(),
                log.step(),
                &log.hash(),
                other,
                vec![16; 9],
            );
            match log.clone().accept(part) {
                Err(Refused::Fork(evidence)) => assert!(is_due && evidence.seat() == other),
                Err(Refused::Foul(proof)) => assert_eq!(proof.foul, PartFoul::NotItsTurn),
                refused => panic!("{refused:?}"),
            }
        }
    });
}

#[test]
fn wrong_share_of_the_keys_convicts_its_dealer() {
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play_until(|log| log.phase() == Phase::KeyDealing);
    let dealer = Seat::GUEST;
    let honest = honest_part(&mut table, dealer);
    let mut bytes = honest.part;
    // The last pad is for the last seat.
    *bytes.last_mut().unwrap() ^= 1;
    let wrong = signed_bytes(&table, dealer, bytes);
    let before = table.seats[dealer.index()].log.hash();
    table.seats[dealer.index()]
        .log
        .accept(wrong.clone())
        .unwrap();
    table.send(&Statement {
        before,
        signed: Signed::Part(wrong),
    });
    table.play();
    let foul = PartFoul::WrongShare;
    assert_eq!(table.phase(), Phase::Over(End::Foul { seat: dealer, foul }));
    // A complaint with a changed key or proof, or about a seat that does not exist, is a foul.
    let complaint = table.seats[0].log.history(0).last().unwrap().clone();
    // The same complaint is false if the share is the right one.
    let mut right = Table::new(verifiable(3, 1), 2);
    right.play_until(|log| log.phase() == Phase::Complaints);
    let part = signed_bytes(&right, complaint.seat, complaint.part.clone());
    let mut log = right.of.log();
    for statement in right.seats[0].log.statements(0) {
        if statement.signed.step() < right.seats[0].log.step() {
            log.accept_statement(statement).unwrap();
        }
    }
    let Err(Refused::Foul(proof)) = log.accept(part) else {
        panic!("a false complaint");
    };
    assert_eq!(
        (proof.part.seat, proof.foul),
        (complaint.seat, PartFoul::FalseComplaint)
    );
    let mut log = table.of.log();
    for statement in table.seats[0].log.statements(0) {
        if statement.signed != Signed::Part(complaint.clone()) {
            log.accept_statement(statement).unwrap();
        }
    }
    for at in 1..complaint.part.len() {
        let mut bytes = complaint.part.clone();
        bytes[at] ^= 4;
        let identity = &table.of.identities[complaint.seat.index()];
        let of = table.of.match_info.id();
        let part = SignedPart::sign(
            identity,
            of.as_bytes(),
            log.step(),
            &log.hash(),
            complaint.seat,
            bytes,
        );
        let refused = log.clone().accept(part);
        assert!(
            matches!(refused, Err(Refused::Foul(_))),
            "{at}: {refused:?}"
        );
    }
}

#[test]
fn no_card_is_opened_before_the_other_seats_have_confirmed_the_history() {
    let mut table = Table::new(verifiable(3, 1), 3);
    table.play_until(|log| matches!(log.phase(), Phase::Open(_)));
    let seat = Seat::new(1);
    let mut log = table.of.log();
    for statement in table.seats[1].log.statements(0) {
        if statement.signed.step() < table.seats[1].log.step() {
            log.accept_statement(statement).unwrap();
        }
    }
    let part = table.seats[1].own.part(&log).unwrap().unwrap();
    let identity = &table.of.identities[1];
    let acks = [0, 2].map(|other| {
        let (step, hash, of) = (log.step(), log.hash(), table.of.match_info.id());
        let identity = &table.of.identities[other];
        SignedAck::sign(identity, &of, step, &hash, Seat::new(other as u8))
    });
    // The seat that shuffled last has signed the history with its shuffle.
    assert_eq!(log.lacks(seat), [Seat::HOST]);
    assert_eq!(log.lacks(Seat::HOST), [Seat::GUEST]);
    let signed = log.sign(identity, seat, &part);
    assert_eq!(signed, Err(CannotSign::Unconfirmed(vec![Seat::HOST])));
    for ack in acks {
        let known = log.accept_signed(Signed::Ack(ack)).unwrap();
        assert!([Accepted::Ack, Accepted::Known].contains(&known));
    }
    assert_eq!(log.lacks(seat), []);
    log.sign(identity, seat, &part).unwrap();
}

/// A seat confirms two histories for one step: acks alone convict it.
#[test]
fn acks_for_two_histories_are_evidence_only_with_more_than_two_seats() {
    let mut table = Table::new(verifiable(3, 1), 3);
    table.play_until(|log| matches!(log.phase(), Phase::Open(_)));
    let (of, seat) = (&table.of.match_info, Seat::new(2));
    let log = &table.seats[0].log;
    let identity = &table.of.identities[2];
    let ack = |before: [u8; 32]| Statement {
        before,
        signed: Signed::Ack(SignedAck::sign(
            identity,
            &of.id(),
            log.step(),
            &before,
            seat,
        )),
    };
    let (one, two) = (ack(log.hash()), ack([8; 32]));
    let mut heard = log.clone();
    let _ = heard.accept_statement(one.clone());
    let Err(Refused::Fork(evidence)) = heard.accept_statement(two.clone()) else {
        panic!("two histories");
    };
    assert!(evidence.holds(of) && evidence.seat() == seat);
    let twice = Evidence {
        statements: [one.clone(), one.clone()],
        ..(*evidence).clone()
    };
    assert!(!twice.holds(of));
    let bytes = evidence.encode();
    assert_eq!(Evidence::decode_statements(&bytes), Ok(*evidence.clone()));
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        let changed = Evidence::decode_statements(&other);
        assert!(!changed.is_ok_and(|changed| changed.holds(of)), "{at}");
        assert!(Evidence::decode_statements(&bytes[..at]).is_err());
    }
    // An ack with a bad signature, or for a step that the log does not have yet.
    let mut forged = one.clone();
    if let Signed::Ack(ack) = &mut forged.signed {
        ack.signature[0] ^= 1;
    }
    let mut fresh = Table::new(verifiable(3, 1), 3);
    let refused = table.of.log().accept_statement(forged);
    assert!(
        matches!(refused, Err(Refused::TooEarly { .. })),
        "{refused:?}"
    );
    // An ack where none is due is only a statement.
    fresh.play_until(|log| log.phase() == Phase::Deal);
    let log = &fresh.seats[0].log;
    let early = SignedAck::sign(identity, &of.id(), log.step(), &log.hash(), seat);
    let mut with = log.clone();
    let accepted = with.accept_signed(Signed::Ack(early));
    assert_eq!(accepted, Ok(Accepted::Ack));
    assert_eq!(with.waits_for(), log.waits_for());
    // In a match of two, no ack is ever valid.
    let two_seats = verifiable(2, 1);
    let evidence = Evidence {
        match_id: two_seats.match_info.id(),
        statements: [[1; 32], [2; 32]].map(|before| Statement {
            before,
            signed: Signed::Ack(SignedAck::sign(
                &two_seats.identities[1],
                &two_seats.match_info.id(),
                0,
                &before,
                Seat::GUEST,
            )),
        }),
    };
    assert!(!evidence.holds(&two_seats.match_info));
}
