//! Seats that cheat with their shuffles for the next hand.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::super::signed::{SignedPart, Statement};
use super::super::*;
use super::ahead::{
    SEATS, ahead, assert_played, chain_len, ends, fresh, shuffle_before, shuffles_in_hands,
    signed_ahead, signed_at, table_with,
};
use super::many_seats::{Table, verifiable};
use crate::seat::Seat;

/// Another valid shuffle of the seat.
fn other_shuffle(table: &Table, seat: Seat, seed: u64) -> Statement {
    let log = &table.seats[seat.index()].log;
    let deck = log.deck_now(seat).unwrap();
    let context = deck.ahead_context().unwrap();
    let mut rng = StdRng::seed_from_u64(seed);
    let (shuffle, _) = (deck.ahead_deck().unwrap()).shuffle(&context, &mut rng);
    signed_ahead(table, seat, Part::Shuffle(shuffle).encode(log.shape(), 0))
}

#[test]
fn changed_shuffle_is_refused_and_names_its_signer() {
    for seat in SEATS {
        let mut table = fresh(5);
        shuffle_before(&mut table, seat);
        let log = table.seats[seat.next(3).index()].log.clone();
        let honest = table.shuffle_ahead(seat).unwrap();
        let part = &ahead(&honest).part;
        table.seats[seat.index()].log = log.clone();
        let len = part.part.len();
        for at in (0..len).step_by(1009).chain([1, len - 1]) {
            let mut bytes = part.part.clone();
            bytes[at] ^= 1;
            let signed = signed_ahead(&table, seat, bytes.clone());
            let refused = log.clone().accept_statement(signed);
            let Err(Refused::Ahead { seat: named, .. }) = refused else {
                panic!("byte {at}: {refused:?}");
            };
            assert_eq!(named, seat);
            // Without the signature of the seat.
            let mut forged = ahead(&honest).clone();
            forged.part.part = bytes;
            let signed = Signed::Ahead(Box::new(forged));
            let before = honest.before;
            let refused = log.clone().accept_statement(Statement { before, signed });
            assert_eq!(refused, Err(Refused::Signature(seat)));
        }
        for bytes in [
            part.part[..len - 1].to_vec(),
            [&part.part[..], &[0]].concat(),
            Vec::new(),
            vec![16],
        ] {
            let refused = log
                .clone()
                .accept_statement(signed_ahead(&table, seat, bytes));
            assert!(matches!(refused, Err(Refused::Ahead { .. })), "{refused:?}");
        }
        // Each field of the statement.
        let bytes = honest.encode();
        for at in (0..32 + 1 + (4 + 32) + SignedPart::OVERHEAD).chain([bytes.len() - 1]) {
            for bit in [1, 128] {
                let mut bytes = bytes.clone();
                bytes[at] ^= bit;
                let Ok(changed) = Statement::decode(&bytes) else {
                    assert_eq!(at, 32);
                    continue;
                };
                let mut other = log.clone();
                let refused = other.accept_statement(changed).unwrap_err();
                let is_right = match refused {
                    Refused::Signature(_) | Refused::NoSuchSeat(_) => true,
                    Refused::OtherChain(named) => named == seat,
                    _ => false,
                };
                assert!(is_right, "byte {at}: {refused:?}");
                assert_eq!(other.accept_statement(honest.clone()), Ok(Accepted::Ahead));
            }
        }
    }
}

#[test]
fn shuffle_for_another_step_hand_or_history_is_refused() {
    let mut table = fresh(6);
    let bytes = ahead(&other_shuffle(&table, Seat::HOST, 1))
        .part
        .part
        .clone();
    let chain = table.seats[0].log.ahead().unwrap().clone();
    let (head, hash) = (chain.head, chain.hash);
    let log = |table: &Table| table.seats[1].log.clone();
    let mut other_head = head;
    other_head.hand += 1;
    let other_hand = signed_at(&table, Seat::HOST, other_head, 0, hash, bytes.clone());
    let refused = log(&table).accept_statement(other_hand);
    assert_eq!(refused, Err(Refused::OtherChain(Seat::HOST)));
    let later = signed_at(&table, Seat::HOST, head, 1, hash, bytes.clone());
    let refused = log(&table).accept_statement(later);
    assert_eq!(refused, Err(Refused::TooEarly { step: 1, now: 0 }));
    // The step of another seat.
    let of_other = signed_at(&table, Seat::GUEST, head, 0, hash, bytes.clone());
    let refused = log(&table).accept_statement(of_other);
    let (seat, foul) = (Seat::GUEST, PartFoul::NotItsTurn);
    assert_eq!(refused, Err(Refused::Ahead { seat, foul }));
    let other_history = signed_at(&table, Seat::HOST, head, 0, [1; 32], bytes);
    let refused = log(&table).accept_statement(other_history);
    let (seat, step) = (Seat::HOST, 0);
    assert_eq!(refused, Err(Refused::OtherHistory { seat, step }));
    // A shuffle of the log is not one of the chain.
    shuffle_before(&mut table, Seat::new(2));
    let in_log = table.seats[0].log.history(0).find(|part| {
        matches!(
            Part::decode(&part.part, table.seats[0].log.shape()),
            Ok(Part::Shuffle(_))
        )
    });
    let bytes = in_log.unwrap().part.clone();
    let refused = log(&table).accept_statement(signed_ahead(&table, Seat::new(2), bytes));
    assert!(matches!(refused, Err(Refused::Ahead { seat, .. }) if seat == Seat::new(2)));
}

#[test]
fn invalid_shuffle_costs_only_the_shuffles_in_the_hand() {
    for cheat in SEATS {
        let mut table = fresh(7);
        shuffle_before(&mut table, cheat);
        let invalid = signed_ahead(&table, cheat, vec![18; 40]);
        table.seats[cheat.index()]
            .log
            .accept_statement(invalid.clone())
            .unwrap_err();
        table.send(&invalid);
        table.deliver_all();
        // A log that receives the history of another one ends the chain as well.
        let log = &table.seats[cheat.next(3).index()].log;
        let mut copy = table.of.log();
        for statement in log.statements(0) {
            let _ = copy.accept_statement(statement);
        }
        assert_eq!(copy.next_ahead(), None);
        assert_eq!(copy.statements(0), log.statements(0));
        assert_eq!(copy.accept_statement(invalid.clone()), Ok(Accepted::Known));
        // Another shuffle of the seat for this step convicts it.
        let valid = other_shuffle(&table, cheat, 1);
        let refused = copy.accept_statement(valid);
        assert!(matches!(refused, Err(Refused::Fork(evidence)) if evidence.seat() == cheat));
        for seat in &mut table.seats {
            assert_eq!(seat.log.next_ahead(), None);
            seat.refused = None;
        }
        table.play();
        assert_played(&table);
        let log = &table.seats[0].log;
        // The third hand has a deck that was shuffled ahead again.
        assert_eq!(shuffles_in_hands(log), 6);
        assert_eq!(ends(log, 2), [None; 3]);
        assert!(ends(log, 3)[0].is_some());
    }
}

#[test]
fn wrong_end_in_a_deal_costs_only_the_shuffles_in_the_hand() {
    for (number, cheat) in SEATS.into_iter().enumerate() {
        for end in [[0; 32], [7; 32]] {
            let mut table = Table::new(verifiable(3, 3), number as u64);
            table.play_until(|log| {
                log.phase() == Phase::Deal && log.attempt().hand == 2 && log.next_ahead().is_none()
            });
            let log = &mut table.seats[cheat.index()].log;
            if log.part(log.step(), cheat).is_some() {
                continue;
            }
            let input = DealInput::Verifiable { out: false, end };
            let deal = Part::Deal(log.deal(input, vec![false; 3]));
            let before = log.hash();
            let identity = &table.of.identities[cheat.index()];
            let (part, _) = log.sign(identity, cheat, &deal).unwrap();
            let signed = Signed::Part(part);
            table.send(&Statement { before, signed });
            table.play();
            assert_played(&table);
            assert_eq!(shuffles_in_hands(&table.seats[0].log), 6);
        }
    }
}

#[test]
fn deals_of_all_seats_are_not_complete_without_the_chain_that_they_name() {
    let mut table = Table::new(verifiable(3, 2), 8);
    table.play();
    let log = &table.seats[0].log;
    let mut other = table.of.log();
    let is_ahead = |statement: &Statement| matches!(statement.signed, Signed::Ahead(_));
    let (chain, rest): (Vec<_>, Vec<_>) = log.statements(0).into_iter().partition(is_ahead);
    let mut chain = chain.into_iter();
    let mut missing = 0;
    for statement in rest {
        while other.accept_statement(statement.clone()) == Err(Refused::UnknownDeck) {
            missing += 1;
            other.accept_statement(chain.next().unwrap()).unwrap();
        }
    }
    assert_eq!((missing, other.hash()), (3, log.hash()));
    // Nor can a seat complete them itself.
    let mut other = table.of.log();
    let last = |part: &SignedPart| part.seat == Seat::new(2);
    let step = log
        .history(0)
        .filter(|part| last(part) && part.part[0] == 0)
        .nth(1)
        .unwrap()
        .step;
    for part in log
        .history(0)
        .filter(|part| part.step < step || part.step == step && !last(part))
    {
        other.accept(part.clone()).unwrap();
    }
    let end = ends(log, 2)[0].unwrap();
    let deal = |end| other.deal(DealInput::Verifiable { out: false, end }, vec![false; 3]);
    let (named, none) = (Part::Deal(deal(end)), Part::Deal(deal([0; 32])));
    let identity = &table.of.identities[2];
    let refused = other.sign(identity, Seat::new(2), &named);
    assert_eq!(refused, Err(CannotSign::UnknownDeck));
    other.sign(identity, Seat::new(2), &none).unwrap();
    assert_eq!(other.phase(), Phase::Shuffle(Seat::HOST));
}

#[test]
fn two_statements_of_a_seat_in_one_chain_convict_it() {
    for cheat in SEATS {
        let mut table = fresh(9);
        shuffle_before(&mut table, cheat);
        let (one, two) = (
            other_shuffle(&table, cheat, 1),
            other_shuffle(&table, cheat, 2),
        );
        let bytes = ahead(&one).part.part.clone();
        let head = ahead(&one).head;
        let step = cheat.index() as u64;
        let elsewhere = signed_at(&table, cheat, head, step, [5; 32], bytes.clone());
        let other_place = signed_at(&table, cheat, head, step + 1, [5; 32], bytes);
        let log = &table.seats[cheat.next(3).index()].log;
        for conflict in [two, elsewhere] {
            let mut log = log.clone();
            log.accept_statement(one.clone()).unwrap();
            let Err(Refused::Fork(evidence)) = log.accept_statement(conflict.clone()) else {
                panic!("no conflict");
            };
            let decoded = Evidence::decode_statements(&evidence.encode()).unwrap();
            assert_eq!(decoded, *evidence);
            assert!(Evidence::decode_parts(&evidence.encode()).is_err());
            assert_eq!(evidence.seat(), cheat);
            // It convicts in every log of the match, also in one without the chain, and in no other
            // match.
            let mut empty = table.of.log();
            empty.record_fork(decoded.clone()).unwrap();
            assert_eq!(empty.phase(), Phase::Over(End::Fork { seat: cheat }));
            let other = verifiable(3, 2);
            let mut renamed = decoded.clone();
            assert!(!renamed.holds(&other.match_info));
            renamed.match_id = other.match_info.id();
            assert!(!renamed.holds(&other.match_info));
            // What the head is computed from is part of the evidence.
            for changed in 0..2 {
                for change in [
                    |head: &mut Head| head.hand ^= 1,
                    |head: &mut Head| {
                        head.after[31] ^= 1;
                    },
                ] {
                    let mut evidence = decoded.clone();
                    let Signed::Ahead(ahead) = &mut evidence.statements[changed].signed else {
                        panic!("a chain");
                    };
                    change(&mut ahead.head);
                    assert!(!evidence.holds(&table.of.match_info));
                }
            }
            log.record_fork(*evidence).unwrap();
            assert_eq!(log.phase(), Phase::Over(End::Fork { seat: cheat }));
            assert_eq!(log.next_ahead(), None);
        }
        // For two steps, there is no conflict.
        let match_id = table.of.match_info.id();
        let statements = [one, other_place];
        assert!(
            !Evidence {
                match_id,
                statements
            }
            .holds(&table.of.match_info)
        );
    }
}

/// Evidence of two parts of a seat for a history that no log has.
fn foreign_evidence(table: &Table, seat: Seat) -> Evidence {
    let (identity, of) = (&table.of.identities[seat.index()], table.of.match_info.id());
    let part = |byte| SignedPart::sign(identity, of.as_bytes(), 5, &[7; 32], seat, vec![byte]);
    Evidence::of_parts(of, [7; 32], [part(1), part(2)])
}

#[test]
fn log_with_a_conviction_still_takes_the_chains_that_deals_name() {
    let mut table = Table::new(verifiable(3, 3), 1);
    table.play();
    let (log, mut late) = (&table.seats[0].log, table.of.log());
    assert!(
        late.record_fork(foreign_evidence(&table, SEATS[2]))
            .unwrap()
    );
    for statement in log.statements(0) {
        late.accept_statement(statement).unwrap();
    }
    assert_eq!(late.hash(), log.hash());
}

#[test]
fn two_shuffles_of_a_seat_undo_no_step_and_each_log_states_the_same_chips() {
    let mut table = table_with(0, 1);
    let host = table.shuffle_ahead(Seat::HOST);
    let shuffle = host.unwrap_or_else(|| ahead_of(&table, Seat::HOST));
    let mut logs = [table.seats[0].log.clone(), table.seats[1].log.clone()];
    let head = ahead(&shuffle).head;
    let forged = [[1; 32], [2; 32]].map(|before| {
        let bytes = ahead(&shuffle).part.part.clone();
        signed_at(&table, Seat::HOST, head, 0, before, bytes)
    });
    // Each log knows other evidence against the seat.
    for (log, other) in logs.iter_mut().zip(forged) {
        let evidence = Evidence {
            match_id: table.of.match_info.id(),
            statements: [shuffle.clone(), other],
        };
        assert!(log.record_fork(evidence.clone()).unwrap());
        assert!(!log.record_fork(evidence).unwrap());
        assert_eq!(log.counted_steps(), log.step());
    }
    assert_eq!(logs[0].phase(), Phase::Over(End::Fork { seat: Seat::HOST }));
    assert_eq!(logs[0].settled(), logs[1].settled());
}

/// The shuffle that a seat has made for the next hand.
fn ahead_of(table: &Table, seat: Seat) -> Statement {
    let chain = table.seats[seat.index()].log.ahead().unwrap();
    chain.statements[seat.index()].clone()
}

#[test]
fn statement_of_the_log_and_one_of_a_chain_for_one_step_convict_nobody() {
    let mut table = table_with(3, 10);
    table.play_until(|log| log.attempt().hand == 2 && chain_len(log) == 3 && log.game().is_some());
    let of = &table.of.match_info;
    let all = table.seats[0].log.statements(0);
    let (chains, log): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| one.signed.head().is_some());
    let mut pairs = 0;
    // Two chains are two histories as well.
    for (one, other) in chains
        .iter()
        .flat_map(|one| log.iter().chain(&chains).map(move |b| (one, b)))
    {
        let place = |one: &Statement| (one.signed.seat(), one.signed.step());
        if place(one) == place(other) && one != other {
            let match_id = of.id();
            for statements in [[one.clone(), other.clone()], [other.clone(), one.clone()]] {
                assert!(
                    !Evidence {
                        match_id,
                        statements
                    }
                    .holds(of)
                );
                pairs += 1;
            }
        }
    }
    assert!(pairs >= 24, "{pairs}");
}

/// Each log receives all statements of the others.
fn exchange(table: &mut Table, among: &[Seat]) {
    for _ in 0..3 {
        for (&to, &from) in among
            .iter()
            .flat_map(|to| among.iter().map(move |from| (to, from)))
        {
            for statement in table.seats[from.index()].log.statements(0) {
                let log = &mut table.seats[to.index()].log;
                match log.accept_statement(statement) {
                    Err(Refused::Fork(evidence)) if !log.is_convicted() => {
                        log.record_fork(*evidence).unwrap();
                    }
                    Err(Refused::Foul(proof)) => panic!("{proof:?}"),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn honest_seats_convict_a_seat_that_shows_them_two_shuffles_or_shuffle_in_the_hand() {
    for cheat in SEATS {
        let honest = [cheat.next(3), cheat.next(3).next(3)];
        let mut table = fresh(11);
        shuffle_before(&mut table, cheat);
        for (number, to) in honest.into_iter().enumerate() {
            let shown = other_shuffle(&table, cheat, number as u64);
            table.seats[to.index()].log.accept_statement(shown).unwrap();
        }
        // Each honest seat continues with what it has seen.
        for seat in honest {
            if let Some(statement) = table.shuffle_ahead(seat) {
                let from = [seat];
                for to in honest.into_iter().filter(|to| !from.contains(to)) {
                    let _ = table.seats[to.index()]
                        .log
                        .accept_statement(statement.clone());
                }
            }
        }
        // A seat that received a shuffle for another chain does not wait for its own chain.
        let ended = honest.map(|seat| table.seats[seat.index()].log.next_ahead().is_none());
        assert!(ended.contains(&true), "{cheat}");
        exchange(&mut table, &honest);
        for seat in honest {
            let end = End::Fork { seat: cheat };
            assert_eq!(
                table.seats[seat.index()].log.phase(),
                Phase::Over(end),
                "{cheat}"
            );
        }
    }
}
