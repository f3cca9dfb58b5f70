//! A peer that stops responding, in each phase of each game. Once its time and the grace period are
//! over, the match can be closed. The file stays valid, no chips move, and the match can be
//! resumed.

mod connected;
mod first_opening;
mod simulated;
mod simulated_several;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dealerless::shuffle::Algorithm;
use dealerless_connection::random::{SystemRng, system_rng};
use dealerless_connection::storage::MemoryStorage;
use dealerless_connection::storage::MemoryVault;

use super::super::deal_circuit::DealCircuit;
use super::*;
use crate::log::tests::test_match::{
    TestMatch, boards, draw, free_deck, holdem, identity, sealed_deck, setting,
};
use crate::log::{Claimed, Clock, End, Header, Journal, Match, MatchLog, SignedPart};
use crate::record::Record;
use crate::rules::Legal;

type TestTable = TableCore<MemoryStorage, MemoryVault, SystemRng>;

/// One seat of a match with the given log, without an engine, and the file of the match.
fn at_a_table(
    test: &TestMatch,
    log: &MatchLog,
    own: Seat,
    circuit: &Arc<DealCircuit>,
) -> (TestTable, MemoryStorage) {
    let file = MemoryStorage::default();
    let parts: Vec<_> = log.history(0).cloned().collect();
    test.journal(own, file.clone()).append(&parts).unwrap();
    let place = (own, test.match_info.id());
    let deck = sealed_deck(place, Default::default(), circuit).unwrap();
    let setting = setting(own, file.clone(), deck, system_rng()).unwrap();
    (TableCore::new(setting, Duration::ZERO).unwrap(), file)
}

/// Whether this side also waits for the other seat's engine while it has to sign itself.
fn waits_for_engines(phase: &Phase) -> bool {
    matches!(phase, Phase::Seal(_))
}

/// The name of a phase.
fn named(phase: &Phase) -> String {
    match phase {
        Phase::Deal => "deal".to_owned(),
        Phase::Seal(seat) => format!("seal of {seat}"),
        Phase::Open(_) => "open".to_owned(),
        Phase::Choose { legal, .. } => match legal {
            Legal::Bet { .. } => "bet".to_owned(),
            Legal::Exchange => "exchange".to_owned(),
            Legal::ShowOrMuck => "show or muck".to_owned(),
            Legal::Speak { .. } => "speak".to_owned(),
            Legal::Goods { .. } => panic!("a board game has no sealed deck"),
        },
        Phase::Reseal(seat, _) => format!("reseal of {seat}"),
        Phase::Commit(_) => "commit".to_owned(),
        Phase::Reveal(_) => "reveal".to_owned(),
        Phase::Result(_) => "result".to_owned(),
        Phase::Over(_) => "over".to_owned(),
        phase => panic!("{phase:?} is not a phase of a sealed deck"),
    }
}

/// Lets the other seat stop responding. Returns whether the match could be closed; if so, it was
/// closed.
fn closes_when_peer_stops(
    test: &TestMatch,
    log: &MatchLog,
    (own, up): (Seat, bool),
    circuit: &Arc<DealCircuit>,
) -> bool {
    let (mut table, file) = at_a_table(test, log, own, circuit);
    if up {
        table.play.begin(own.next(2));
    }
    // Skips news from before.
    while table.play.news().is_some() {}
    let clock = test.match_info.header().clock;
    let limited = clock != Clock::default();
    let time = match limited {
        true => u64::from(clock.each_move + clock.bank) + 10,
        false => 600,
    };
    let at = |running| Moment { running, unix: 0 };
    let time = Duration::from_secs(time);
    table.update_clocks(at(Duration::ZERO)).unwrap();
    let shortly_before = time - Duration::from_millis(1);
    table.update_clocks(at(shortly_before)).unwrap();
    let own_news = |news: &News| matches!(news, News::OutOfTime { seat, .. } if *seat == own);
    while let Some(news) = table.play.news() {
        assert!(own_news(&news), "{news:?}");
    }
    assert_eq!(table.may_close(), None);
    table.update_clocks(at(time)).unwrap();
    let other = own.next(2);
    let Some(late) = table.may_close() else {
        return false;
    };
    assert_eq!(late, other);
    table.record_close(0).unwrap();

    let record = Record::read(&file.bytes(), None).unwrap();
    assert_eq!(record.log.hash(), log.hash());
    let claims: Vec<_> = record.claims.iter().map(|claim| claim.what).collect();
    let away = !up && log.waits_for().contains(&own);
    let expected = match (limited, up, away) {
        (true, _, false) => vec![Claimed::OutOfTime, Claimed::Closed],
        (false, true, _) => vec![Claimed::Closed],
        _ => vec![Claimed::Away, Claimed::Closed],
    };
    assert_eq!(claims, expected);
    assert!(
        record
            .claims
            .iter()
            .all(|claim| claim.is_valid(&record.log))
    );

    let key = identity(own).file_key();
    let opened = Journal::open(MemoryStorage::of(file.bytes()), key).unwrap();
    assert!(opened.is_closed());
    assert_eq!(opened.log.final_stacks(), log.final_stacks());
    let mut resumed = opened.log;
    test.play_until(&mut resumed, |log| matches!(log.phase(), Phase::Over(_)));
    assert_eq!(resumed.phase(), Phase::Over(End::Played));
    true
}

#[test]
fn a_seat_with_a_sealed_deck_buys_nothing() {
    let test = holdem(2, 1);
    let header = test.match_info.header();
    let algorithm = header.sealed().unwrap().algorithm;
    let circuit = Arc::new(DealCircuit::of(&header.stakes, algorithm).unwrap());
    let (mut table, _) = at_a_table(&test, &test.log(), Seat::HOST, &circuit);
    for chips in [0, 5] {
        let refused = table.command(Command::Buy(chips));
        assert_eq!(refused, Err(NotNow::CannotBuy));
    }
}

/// All parts of a match. If `last_first`, the last of several seats signs first.
fn parts_of(test: &TestMatch, last_first: bool) -> Vec<SignedPart> {
    let (mut log, mut parts) = (test.log(), Vec::new());
    let signer = |log: &MatchLog| match last_first {
        true => log.waits_for().pop(),
        false => log.waits_for().first().copied(),
    };
    while let Some(seat) = signer(&log) {
        let part = test.honest(&log, seat);
        let identity = &test.identities[seat.index()];
        parts.push(log.sign(identity, seat, &part).unwrap().0);
    }
    parts
}

#[test]
fn match_can_be_closed_when_the_peer_stops_responding_in_any_phase() {
    let mut closed = BTreeSet::new();
    for (clock, last_first) in [(None, false), (Some(Clock::default()), true)] {
        for mut test in [holdem(2, 1), draw(2, 1), free_deck(2), boards(2)] {
            if let Some(clock) = clock {
                let header = test.match_info.header().clone();
                let players = test.match_info.players().to_vec();
                test.match_info = Match::new(Header { clock, ..header }, players).unwrap();
            }
            let header = test.match_info.header();
            let algorithm = match header.stakes.boards() {
                Some(_) => Algorithm::Waksman,
                None => header.sealed().unwrap().algorithm,
            };
            let circuit = Arc::new(DealCircuit::of(&header.stakes, algorithm).unwrap());
            let parts = parts_of(&test, last_first);
            for log in test.prefixes(&parts) {
                let (phase, waits_for) = (log.phase(), log.waits_for());
                for own in [Seat::HOST, Seat::GUEST]
                    .into_iter()
                    .filter(|_| !waits_for.is_empty())
                {
                    let waits = !waits_for.contains(&own) || waits_for_engines(&phase);
                    let of = |up| closes_when_peer_stops(&test, &log, (own, up), &circuit);
                    assert_eq!(of(true), waits, "{phase:?}, seat {own}");
                    assert!(of(false), "{phase:?}, seat {own}");
                    if waits {
                        closed.insert(format!(
                            "{} without seat {}",
                            named(&phase),
                            own.next(2).number()
                        ));
                    }
                }
            }
        }
    }
    let both = [
        "bet",
        "commit",
        "deal",
        "exchange",
        "open",
        "result",
        "reveal",
        "seal of seat 0",
        "seal of seat 1",
        "show or muck",
        "speak",
    ];
    let both = both
        .iter()
        .flat_map(|phase| [0, 1].map(|silent| (*phase, silent)));
    // When this side reseals, it waits for an engine; see the tests of the clocks.
    let reseals = [("reseal of seat 0", 0), ("reseal of seat 1", 1)];
    let expected = both.chain(reseals);
    let expected: BTreeSet<String> = expected
        .map(|(phase, silent)| format!("{phase} without seat {silent}"))
        .collect();
    assert_eq!(closed, expected);
}
