//! Matches in which seats fall silent, and the others go on without them.

use rand::RngExt;
use rand::rngs::StdRng;

use super::super::*;
use super::many_seats::{Table, threshold, threshold_draw};
use super::settlement::any_choice;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;
use crate::testing::choices;

/// The logs of the seats that were not removed.
fn remaining(table: &Table) -> Vec<&MatchLog> {
    let logs = table.seats.iter().map(|seat| &seat.log);
    logs.filter(|log| !log.is_removed()).collect()
}

/// The seats that are not silent have played the match to its end without the silent ones, and all
/// have the same log.
fn check_end(table: &Table, silent: &[Seat]) {
    let playing = |seat: &Seat| !silent.contains(seat);
    let logs: Vec<_> = (table.of.seats().filter(playing))
        .map(|seat| &table.seats[seat.index()].log)
        .collect();
    let chips = 100 * table.seats.len() as u64;
    for log in &logs {
        assert!(
            matches!(log.phase(), Phase::Over(End::Played)),
            "{silent:?}: step {} {:?}, waits for {:?}",
            log.step(),
            log.phase(),
            log.waits_for()
        );
        assert_eq!(log.hash(), logs[0].hash());
        assert_eq!(log.final_stacks().iter().sum::<u64>(), chips);
    }
    for seat in &table.seats {
        assert!(seat.refused.is_none(), "{:?}", seat.refused);
    }
}

/// A copy of the table, with the statements that are on their way.
fn copy(table: &Table) -> Table {
    Table {
        ways: table.ways.clone(),
        ..table.copy()
    }
}

/// Plays a match, and returns a copy of the table before each step.
fn snapshots(mut table: Table) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    loop {
        let step = table
            .seats
            .iter()
            .map(|seat| seat.log.step())
            .min()
            .unwrap();
        if step >= tables.len() as u64 {
            tables.push(copy(&table));
        }
        if !table.advance() {
            return tables;
        }
    }
}

fn bets(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet {
            call: None,
            bet: Some(amounts),
            ..
        } if rng.random_range(0..3) == 0 => Choice::Bet { to: amounts.min },
        _ => choices::passive(legal),
    }
}

#[test]
fn match_goes_on_without_a_seat_that_falls_silent_at_any_step() {
    for (of, seed) in [
        (threshold(4, 3, 2), 1),
        (threshold(4, 2, 1), 2),
        (threshold_draw(3, 2, 1), 3),
        (threshold(5, 3, 1), 4),
    ] {
        let mut table = Table::new(of, seed);
        for seat in &mut table.seats {
            seat.choose = bets;
        }
        let mut removed = 0;
        let tables = snapshots(table);
        for (step, table) in tables.iter().enumerate().skip(3) {
            // The seat that the first log waits for, and another one.
            let due = table.seats[0].log.waits_for();
            let Some(&due) = due.first() else {
                continue;
            };
            let mut silent = due;
            if step % 3 == 0 {
                silent = silent.next(table.seats.len());
            }
            let mut table = copy(table);
            for seat in &mut table.seats {
                seat.choose = bets;
            }
            table.play_without(&[silent]);
            check_end(&table, &[silent]);
            let gone = table.seats[silent.next(table.seats.len()).index()]
                .log
                .gone();
            removed += usize::from(gone == [silent]);
        }
        assert!(removed > 5, "{removed}");
    }
}

#[test]
fn match_goes_on_without_two_seats_at_once_or_one_after_the_other() {
    let mut tables = snapshots(Table::new(threshold(5, 3, 1), 5));
    let last = tables.len();
    for step in [3, 4, 6, 9, 10, 11, 14, 20] {
        let table = &mut tables[step.min(last - 1)];
        let (one, other) = (Seat::new(step as u8 % 5), Seat::new((step as u8 + 2) % 5));
        let mut both = copy(table);
        both.play_without(&[one, other]);
        check_end(&both, &[one, other]);
        assert_eq!(both.phase_of(one.next(5)), Phase::Over(End::Played));
        // The second one falls silent a few statements after the first is gone.
        let mut in_turn = copy(table);
        let gone = |table: &Table| table.seats[one.next(5).index()].log.gone().contains(&one);
        for _ in 0..400 {
            if gone(&in_turn) || !in_turn.advance_without(&[one]) {
                let seats: Vec<_> = in_turn.of.seats().filter(|seat| *seat != one).collect();
                for seat in seats {
                    if let Some(call) = in_turn.call(seat, &[one]) {
                        in_turn.send(&call);
                    }
                }
            }
        }
        in_turn.play_without(&[one, other]);
        check_end(&in_turn, &[one, other]);
    }
}

#[test]
fn cards_stay_the_same_when_a_seat_is_removed() {
    let tables = snapshots(Table::new(threshold(4, 3, 1), 6));
    let public = |table: &Table, seat: usize| -> Vec<_> {
        let record = &table.seats[seat].log;
        let parts = record.history(0).count();
        assert!(parts > 0);
        let mut cards = Vec::new();
        let mut log = table.of.log_of(Seat::new(seat as u8));
        for statement in record.statements(0) {
            let events = match log.accept_statement(statement) {
                Ok(Accepted::New(_, events) | Accepted::Vote(events)) => events,
                Ok(_) => Vec::new(),
                Err(refused) => panic!("{refused:?}"),
            };
            for event in events {
                if let LogEvent::Board(faces) | LogEvent::Shown { cards: faces, .. } = event {
                    cards.extend(faces.into_iter().map(|face| (face.position, face.card)));
                }
            }
        }
        assert_eq!(log.hash(), record.hash());
        cards
    };
    let whole = public(tables.last().unwrap(), 0);
    let mut compared = 0;
    // After the shuffles.
    for (step, table) in tables.iter().enumerate().skip(8) {
        let silent = Seat::new(1 + step as u8 % 3);
        let mut table = copy(table);
        table.play_without(&[silent]);
        for (position, card) in public(&table, 0) {
            if let Some((_, other)) = whole.iter().find(|(other, _)| *other == position) {
                assert_eq!(card, *other, "position {position}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn removed_seat_is_not_dealt_in_again_and_keeps_its_chips() {
    let mut table = Table::new(threshold(4, 3, 3), 7);
    let silent = Seat::new(2);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.play_without(&[silent]);
    check_end(&table, &[silent]);
    let log = &table.seats[0].log;
    let posted = 100 - log.final_stacks()[2];
    assert!(posted <= 2, "{posted}");
    let deals = log.deals(silent);
    assert_eq!(deals.len(), 1, "the seat deals only the first hand");
    assert_eq!(log.deals(Seat::HOST).len(), 3);
    let hands = log.deals(Seat::HOST);
    assert!(hands[1..].iter().all(|deal| deal.button != silent));
}

impl Table {
    fn phase_of(&self, seat: Seat) -> Phase {
        self.seats[seat.index()].log.phase()
    }
}

#[test]
fn random_matches_with_random_silence_end_with_all_chips() {
    for seed in 0..12 {
        let of = match seed % 3 {
            0 => threshold(4, 2 + seed as usize % 2, 2),
            1 => threshold(5, 3, 1),
            _ => threshold_draw(4, 3, 1),
        };
        let seats = of.match_info.seats();
        let most = seats - if seats == 5 { 3 } else { 2 + seed as usize % 2 };
        let mut table = Table::new(of, seed);
        for seat in &mut table.seats {
            seat.choose = any_choice;
        }
        table.play_until(|log| log.step() >= 3);
        let mut silent: Vec<Seat> = Vec::new();
        loop {
            for _ in 0..table.rng.random_range(5..40) {
                table.advance_without(&silent);
            }
            if silent.len() == most.min(seats - table.threshold()) {
                break;
            }
            let next = Seat::new(table.rng.random_range(0..seats as u8));
            if !silent.contains(&next) {
                silent.push(next);
            }
        }
        table.play_without(&silent);
        let logs = remaining(&table);
        assert!(
            logs.iter()
                .all(|log| matches!(log.phase(), Phase::Over(_)) || log.step() < logs[0].step())
        );
        check_chips(&table, &silent);
    }
}

impl Table {
    fn threshold(&self) -> usize {
        match self.of.match_info.header().deck {
            DeckTerms::Verifiable(seats) => seats.threshold(),
            DeckTerms::Sealed(_) => 0,
        }
    }
}

fn check_chips(table: &Table, silent: &[Seat]) {
    let playing = table.of.seats().filter(|seat| !silent.contains(seat));
    let logs: Vec<_> = playing.map(|seat| &table.seats[seat.index()].log).collect();
    for log in &logs {
        assert!(matches!(log.phase(), Phase::Over(_)), "{:?}", log.phase());
        assert_eq!(log.hash(), logs[0].hash());
        let chips = 100 * table.seats.len() as u64;
        assert_eq!(log.final_stacks().iter().sum::<u64>(), chips);
    }
}
