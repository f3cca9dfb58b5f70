//! Evidence for older steps, and how much of it a log keeps.

use super::super::*;
use super::many_seats::{Table, verifiable};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// Two parts of a seat for one history.
fn two_parts(table: &Table, seat: Seat, step: u64, before: [u8; 32], parts: [Part; 2]) -> Evidence {
    let (of, log) = (&table.of.match_info, &table.seats[seat.index()].log);
    let identity = &table.of.identities[seat.index()];
    let statements = parts.map(|part| {
        let bytes = part.encode(log.shape(), log.shape().choose());
        let part = SignedPart::sign(identity, of.id().as_bytes(), step, &before, seat, bytes);
        let signed = Signed::Part(part);
        Statement { before, signed }
    });
    Evidence {
        match_id: of.id(),
        statements,
    }
}

/// A match of three in which the first seat to choose has bet all its chips in the returned step,
/// and the next seat has called. The seats are the one that bets, the one that calls and the third.
fn called() -> (Table, [Seat; 3], u64) {
    let mut table = Table::new(verifiable(3, 1), 4);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let Phase::Choose { seat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    let step = table.seats[0].log.step();
    let seats = [seat, seat.next(3), seat.next(3).next(3)];
    table.seats[seat.index()].choose = |legal, _| match legal {
        Legal::Bet {
            raise: Some(range), ..
        } => Choice::Raise { to: range.max },
        legal => panic!("{legal:?}"),
    };
    for seat in &seats[..2] {
        let statement = table.sign(*seat).unwrap();
        table.send(&statement);
        table.deliver_all();
    }
    assert_eq!(table.seats[0].log.step(), step + 2);
    (table, seats, step)
}

/// The seat signs that its log ends here, and sends this to another log.
fn confirm(table: &Table, log: &mut MatchLog, seat: Seat, to: &mut MatchLog) {
    let identity = &table.of.identities[seat.index()];
    let (before, ack) = (log.hash(), log.sign_ack(identity, seat).unwrap());
    let signed = Signed::Ack(ack);
    let accepted = to.accept_statement(Statement { before, signed });
    assert_eq!(accepted, Ok(Accepted::Ack));
}

#[test]
fn bet_that_was_called_is_not_taken_back_with_a_second_part() {
    let (table, [cheat, caller, third], step) = called();
    let before = table.seats[0].log.hash_before(step).unwrap();
    let parts = [
        Part::Move(Choice::Raise { to: 100 }),
        Part::Move(Choice::Call),
    ];
    let evidence = two_parts(&table, cheat, step, before, parts);
    let mut logs = [caller, third].map(|seat| table.seats[seat.index()].log.clone());
    for log in &mut logs {
        assert_eq!(log.record_fork(evidence.clone()), Ok(true));
        assert_eq!(log.record_fork(evidence.clone()), Ok(false));
        // The third seat may have another log, as far as anybody can tell.
        assert_eq!(log.counted_steps(), step);
        assert_eq!(
            log.unconfirmed(),
            Seat::all(3)
                .filter(|seat| *seat != cheat)
                .collect::<Vec<_>>()
        );
    }
    let undone = logs[0].final_stacks();
    assert!(undone[cheat.index()] >= 98, "{undone:?}");
    let [one, other] = &mut logs;
    confirm(&table, one, caller, other);
    assert_eq!(other.counted_steps(), step);
    confirm(&table, other, third, one);
    for log in &logs {
        assert_eq!((log.counted_steps(), log.unconfirmed()), (step + 2, vec![]));
        let mut chips = vec![150; 3];
        chips[cheat.index()] = 0;
        assert_eq!(log.final_stacks(), chips);
    }
}

#[test]
fn convicted_seat_confirms_nothing_and_nobody_confirms_without_a_conviction() {
    let (table, [cheat, caller, _], step) = called();
    let mut log = table.seats[caller.index()].log.clone();
    let identity = &table.of.identities[caller.index()];
    assert_eq!(log.unconfirmed(), []);
    assert_eq!(log.sign_ack(identity, caller), Err(CannotSign::NoAck));
    let before = log.hash_before(step).unwrap();
    let parts = [Part::Move(Choice::Fold), Part::Move(Choice::Call)];
    let evidence = two_parts(&table, cheat, step, before, parts);
    log.record_fork(evidence).unwrap();
    let identity = &table.of.identities[cheat.index()];
    assert_eq!(log.sign_ack(identity, cheat), Err(CannotSign::NoAck));
    assert_eq!(
        log.sign(identity, cheat, &Part::Move(Choice::Fold)),
        Err(CannotSign::Over)
    );
}

#[test]
fn log_keeps_one_evidence_of_each_step_and_one_of_each_seat() {
    let (table, [cheat, caller, third], step) = called();
    let mut log = table.seats[caller.index()].log.clone();
    let parts = || [Part::Move(Choice::Fold), Part::Move(Choice::Call)];
    // Parts for histories that no log has.
    for number in 0..20 {
        let evidence = two_parts(&table, cheat, step, [number; 32], parts());
        assert_eq!(log.record_fork(evidence), Ok(number == 0));
    }
    assert_eq!(log.counted_steps(), log.step());
    // Each of them is the second evidence against this seat, or the first one against another.
    for seat in [cheat, third] {
        for of in 0..=log.step() {
            let before = log.hash_before(of).unwrap();
            let evidence = two_parts(&table, seat, of, before, parts());
            assert_eq!(log.record_fork(evidence), Ok(seat == cheat || of == 0));
        }
    }
    assert_eq!(log.evidence().len() as u64, 1 + (log.step() + 1) + 1);
}
