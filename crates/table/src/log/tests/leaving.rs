//! Seats that leave in the middle of a hand of a verifiable deck.

use dealerless::deck::Card;

use super::super::*;
use super::many_seats::{Table, TestSeat, verifiable, verifiable_draw};
use super::test_match::TestMatch;
use crate::seat::Seat;

/// All cards that a seat sees at the end of the hand.
fn cards(table: &mut Table, seat: Seat) -> Vec<Option<Card>> {
    let TestSeat { log, own, .. } = &mut table.seats[seat.index()];
    (0..25)
        .map(|position| {
            log.state()
                .deck
                .card(position)
                .or_else(|| own.card(log, position))
        })
        .collect()
}

/// The cards that all seats see, and the seats' own cards, before the result of the hand.
fn all_cards(table: &mut Table) -> Vec<Vec<Option<Card>>> {
    table.play_until(|log| matches!(log.phase(), Phase::Result(_) | Phase::Over(_)));
    let seats: Vec<Seat> = table.of.seats().collect();
    seats.into_iter().map(|seat| cards(table, seat)).collect()
}

/// Plays a hand in which all seats stay, and a copy of it from each choice on in which the seats
/// `leavers` after the one that chooses leave too, at their next choices. Calls `check` with the
/// seats that have left, the log, and the step of the first departure.
fn at_each_choice(of: TestMatch, leavers: u8, mut check: impl FnMut(&[Seat], &MatchLog, u64)) {
    let count = of.match_info.seats();
    let mut table = Table::new(of, 7);
    let mut copies = Vec::new();
    while !matches!(table.seats[0].log.phase(), Phase::Result(_)) {
        table.deliver_all();
        if let Phase::Choose { seat, .. } = table.seats[0].log.phase()
            && copies
                .last()
                .is_none_or(|(_, step, _)| *step < table.seats[0].log.step())
        {
            copies.push((table.copy(), table.seats[0].log.step(), seat));
        }
        assert!(table.advance());
    }
    let honest = all_cards(&mut table);
    for (mut copy, step, first) in copies {
        let mut seat = first;
        for _ in 0..leavers {
            copy.seats[seat.index()].leaves = true;
            seat = seat.next(count);
        }
        for (seat, cards) in all_cards(&mut copy).into_iter().enumerate() {
            for (position, card) in cards.into_iter().enumerate() {
                let known = honest[seat][position];
                // A seat that leaves does not show, and the winner need not.
                assert!(card.is_none() || known.is_none() || card == known);
            }
        }
        copy.play();
        assert!(copy.seats.iter().all(|seat| seat.refused.is_none()));
        let log = &copy.seats[0].log;
        let left = match copy.phase() {
            Phase::Over(End::Left(left)) => left,
            phase => panic!("{phase:?}"),
        };
        assert!(left.contains(&first));
        assert_eq!(log.stacks().iter().sum::<u64>(), 100 * count as u64);
        check(&left, log, step);
    }
}

fn kinds_since(log: &MatchLog, step: u64) -> Vec<(Seat, PartKind)> {
    let since = log.history(step).map(|part| {
        let decoded = Part::decode(&part.part, log.shape()).unwrap();
        (part.seat, decoded.kind())
    });
    since.collect()
}

#[test]
fn cards_are_the_same_after_a_seat_has_left_at_any_choice() {
    for (of, name) in [
        (verifiable(3, 2), "holdem"),
        (verifiable_draw(3, 2), "draw"),
    ] {
        let (mut with_key, mut without) = (0, 0);
        at_each_choice(of, 1, |left, log, step| {
            let [leaver] = left else {
                panic!("{left:?}");
            };
            let kinds = kinds_since(log, step);
            assert_eq!(kinds[0], (*leaver, PartKind::Leave));
            if kinds[1] == (*leaver, PartKind::Key) {
                with_key += 1;
            } else {
                without += 1;
                let opens = |(_, kind): &(Seat, PartKind)| *kind == PartKind::Partials;
                assert!(!kinds.iter().any(opens));
            }
            let signs_later = kinds[2..].iter().any(|(seat, _)| seat == leaver);
            assert!(!signs_later);
            // It keeps what it has not bet.
            assert!(log.stacks()[leaver.index()] <= 100);
        });
        assert!(with_key > 3 && without > 0, "{name}: {with_key} {without}");
    }
}

#[test]
fn several_seats_leave_in_one_hand() {
    for leavers in [2, 3] {
        let mut most = 0;
        at_each_choice(verifiable(4, 2), leavers, |left, log, step| {
            most = most.max(left.len());
            let shares = kinds_since(log, step);
            let shares = shares.iter().filter(|(_, kind)| *kind == PartKind::Key);
            assert!(shares.count() <= left.len());
            if left.len() == 3 {
                let stays = log.match_info();
                let stays = Seat::all(stays.seats()).find(|seat| !left.contains(seat));
                assert!(log.stacks()[stays.unwrap().index()] > 100);
            }
        });
        assert_eq!(most, usize::from(leavers));
    }
}

/// A match in which a seat has left and an ack of the seats that stay is due.
fn after_departure() -> (Table, Seat) {
    let mut table = Table::new(verifiable(3, 2), 3);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    let Phase::Choose { seat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    table.seats[seat.index()].leaves = true;
    let gone = |log: &MatchLog| !log.state().deck.is_live(seat);
    table.play_until(gone);
    table.play_until(|log| gone(log) && log.is_release());
    (table, seat)
}

#[test]
fn ack_of_a_seat_that_has_left_is_treated_alike_before_and_after_its_step() {
    let (mut table, gone) = after_departure();
    table.deliver_all();
    let log = table.seats.iter().map(|seat| &seat.log);
    let mut log = log.min_by_key(|log| log.step()).unwrap().clone();
    let identity = &table.of.identities[gone.index()];
    let of = table.of.match_info.id();
    let ack = SignedAck::sign(identity, &of, log.step(), &log.hash(), gone);
    let statement = Statement {
        before: log.hash(),
        signed: Signed::Ack(ack),
    };
    let lacks: Vec<_> = table.of.seats().map(|seat| log.lacks(seat)).collect();
    let early = log.accept_statement(statement.clone());
    assert!(early.is_ok(), "{early:?}");
    assert!(table.of.seats().map(|seat| log.lacks(seat)).eq(lacks));
    table.play();
    let late = table.seats[0].log.accept_statement(statement);
    assert_eq!(late, Ok(Accepted::Ack));
    // A seat that lost the last steps takes all of them back from this one.
    let mut behind = log;
    for statement in table.seats[0].log.statements(0) {
        behind.accept_statement(statement).unwrap();
    }
    assert_eq!(behind.phase(), table.seats[0].log.phase());
}

#[test]
fn share_of_the_key_is_a_foul_except_of_the_seat_that_leaves() {
    let mut table = Table::new(verifiable(3, 2), 3);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    let Phase::Choose { seat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    let sign = |log: &MatchLog, seat: Seat| {
        let bytes = Part::Key([1; 32]).encode(log.shape(), log.size(seat));
        let (of, identity) = (table.of.match_info.id(), &table.of.identities[seat.index()]);
        SignedPart::sign(
            identity,
            of.as_bytes(),
            log.step(),
            &log.hash(),
            seat,
            bytes,
        )
    };
    let foul = |log: &MatchLog, seat: Seat| match log.clone().accept(sign(log, seat)) {
        Err(Refused::Foul(proof)) => proof.foul,
        other => panic!("{other:?}"),
    };
    let mut log = table.seats[0].log.clone();
    assert_eq!(foul(&log, seat), PartFoul::Kind(PartKind::Key));
    log.sign(&table.of.identities[seat.index()], seat, &Part::Leave)
        .unwrap();
    assert_eq!(log.phase(), Phase::Key(seat));
    assert_eq!(foul(&log, seat), PartFoul::Share);
    assert_eq!(foul(&log, seat.next(3)), PartFoul::NotItsTurn);
    // The share is published only in a log that the others have.
    let others = [seat.next(3), seat.next(3).next(3)];
    assert!(others.iter().all(|other| log.owes_ack(*other)));
    assert_eq!(log.lacks(seat).len(), 2);
    let own = &mut table.seats[seat.index()].own;
    let key = own.part(&log).unwrap().unwrap();
    let identity = &table.of.identities[seat.index()];
    let refused = log.sign(identity, seat, &key);
    assert!(matches!(refused, Err(CannotSign::Unconfirmed(lacks)) if lacks.len() == 2));
    for other in others {
        log.sign_ack(&table.of.identities[other.index()], other)
            .unwrap();
    }
    log.sign(identity, seat, &key).unwrap();
}
