//! The log compared with a model of the protocol. `tests/phases.txt` lists every possible log of two
//! seats and up to three tries of a small hand. For each log it has the parts that each seat may sign
//! next.
//!
//! The model calls the host G (garbler) and the guest E (evaluator). The model's hand consists of
//! the seals, openings of G and E, moves of E and G, an opening of both (`w`), and the result. The
//! test plays it as the second hand of a hold'em match up to the flop. After the flop, both seats
//! play honestly until the result is due.

use std::collections::{BTreeSet, HashMap};

use super::super::*;
use super::test_match::{TestMatch, due, holdem};
use crate::seat::Seat;

const PHASES: &str = include_str!("../../../tests/phases.txt");

struct Row<'a> {
    log: &'a str,
    phase: &'a str,
    attempt: u32,
    over: &'a str,
    may: [&'a str; 2],
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    let rows = PHASES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [log, phase, attempt, over, host, guest] = fields[..] else {
            panic!("{line}");
        };
        Row {
            log: log.trim_matches('-'),
            phase,
            attempt: attempt.parse().unwrap(),
            over,
            may: [host, guest].map(|may| may.trim_matches('-')),
        }
    })
}

/// The hole cards that each seat opens, and the flop.
const HOLE: [[usize; 2]; 2] = [[1, 3], [0, 2]];
const FLOP: [usize; 3] = [4, 5, 6];

/// The part for a letter of the model. An opening with a capital letter does not match its
/// commitment.
fn part(table: &TestMatch, log: &MatchLog, seat: Seat, letter: char) -> Part {
    let kind = match letter.to_ascii_lowercase() {
        'd' => PartKind::Deal,
        's' => PartKind::Seal,
        'a' => PartKind::Again,
        'm' => PartKind::Move,
        'r' => PartKind::Result,
        'l' => PartKind::Leave,
        'f' => PartKind::Forfeit,
        'c' => PartKind::Dispute,
        'o' => return opening(table, log, seat, letter, &HOLE[seat.index()]),
        'w' => return opening(table, log, seat, letter, &FLOP),
        other => panic!("{other}"),
    };
    table.part(kind, log, seat)
}

fn opening(table: &TestMatch, log: &MatchLog, seat: Seat, letter: char, cards: &[usize]) -> Part {
    let mut part = table.opening(log, seat, cards);
    if let (Part::Open(cards), true) = (&mut part, letter.is_uppercase()) {
        cards[0].share ^= 1;
    }
    part
}

/// The letters of the parts that a seat may sign.
fn may_sign(log: &MatchLog, seat: Seat, phase: &str) -> BTreeSet<char> {
    let letter = |kind| match kind {
        PartKind::Deal => 'd',
        PartKind::Seal => 's',
        PartKind::Again => 'a',
        PartKind::Open if phase == "show" => 'w',
        PartKind::Open => 'o',
        PartKind::Move => 'm',
        PartKind::Result => 'r',
        PartKind::Leave => 'l',
        PartKind::Forfeit => 'f',
        PartKind::Dispute => 'c',
        kind => panic!("{kind} is not a part of hold'em"),
    };
    log.may_sign(seat).into_iter().map(letter).collect()
}

fn phase(log: &MatchLog) -> &'static str {
    match log.phase() {
        Phase::Deal => "deal",
        Phase::Seal(Seat::HOST) => "sealG",
        Phase::Seal(_) => "sealE",
        Phase::Open(openings) if openings.len() == 2 => "show",
        Phase::Open(openings) if openings[0].opener == Seat::HOST => "openG",
        Phase::Open(_) => "openE",
        Phase::Choose {
            seat: Seat::HOST, ..
        } => "moveG",
        Phase::Choose { .. } => "moveE",
        Phase::Result(_) => "result",
        Phase::Over(_) => "over",
        phase => panic!("{phase:?} is not a phase of hold'em with a sealed deck"),
    }
}

fn end_name(log: &MatchLog) -> String {
    let Phase::Over(end) = log.phase() else {
        return "-".into();
    };
    match end {
        End::Played => "result".into(),
        End::Foul { seat, .. } => format!("foul{}", seat.number()),
        End::Stopped(stops) => match stops[..] {
            [(seat, stop)] => {
                let name = match stop {
                    Stop::Leave => "leave",
                    Stop::Forfeit => "forfeit",
                    Stop::Dispute { .. } => "dispute",
                };
                format!("{name}{}", seat.number())
            }
            _ => "both".into(),
        },
        end => format!("{end:?}"),
    }
}

#[test]
fn log_allows_exactly_what_the_model_allows() {
    let table = holdem(2, 2);
    let mut start = table.log();
    table.play_until(&mut start, |log| log.attempt().hand == 2);
    let mut logs: HashMap<&str, MatchLog> = HashMap::new();
    let mut refused = 0;
    for row in rows() {
        let mut log = match row.log.len() {
            0 => start.clone(),
            len => {
                let (before, last) = without_last(row.log, len);
                let mut log = logs[&before[..]].clone();
                add(&table, &mut log, last);
                log
            }
        };
        if row.phase == "result" && phase(&log) == "moveG" {
            table.play_until(&mut log, |log| phase(log) == "result");
        }
        compare(&row, &log);
        refused += refusals(&table, &row, &mut log);
        logs.insert(row.log, log);
    }
    assert!(
        logs.len() == 950 && refused > 5000,
        "{} {refused}",
        logs.len()
    );
}

/// Splits a log into the parts before the last one and the last part. A foul is always the last
/// part, wherever its step lists it, because no part is accepted after a foul.
fn without_last(log: &str, len: usize) -> (String, &str) {
    let at = log
        .find(|c: char| c.is_ascii_uppercase())
        .map_or(len - 2, |at| at - 1);
    ([&log[..at], &log[at + 2..]].concat(), &log[at..at + 2])
}

/// Adds a part in the notation `0d`: the seat and the letter.
fn add(table: &TestMatch, log: &mut MatchLog, last: &str) {
    let seat = Seat::new(last.as_bytes()[0] - b'0');
    let letter = last.chars().last().unwrap();
    let signed = table.sign(log, seat, &part(table, log, seat, letter));
    match log.accept(signed) {
        Err(Refused::Foul(proof)) if letter.is_uppercase() => assert!(log.record_foul(*proof)),
        result => assert!(matches!(result, Ok(Accepted::New(..))), "{last} {result:?}"),
    }
}

fn compare(row: &Row<'_>, log: &MatchLog) {
    assert_eq!(end_name(log), row.over, "{}", row.log);
    if row.over == "-" {
        assert_eq!(phase(log), row.phase, "{}", row.log);
        assert_eq!(log.attempt().attempt, row.attempt, "{}", row.log);
    }
    for (seat, may) in Seat::all(2).zip(row.may) {
        let may: BTreeSet<char> = may.chars().collect();
        assert_eq!(may_sign(log, seat, row.phase), may, "{} {seat}", row.log);
    }
}

/// Checks that every part that the model does not allow is refused and leaves the log unchanged.
/// Returns the number of refused parts.
fn refusals(table: &TestMatch, row: &Row<'_>, log: &mut MatchLog) -> usize {
    let (hash, mut refused) = (log.hash(), 0);
    for (seat, may) in Seat::all(2).zip(row.may) {
        if log.part(log.step(), seat).is_some() {
            continue;
        }
        for letter in "dsaomwrlfc".chars().filter(|&letter| !may.contains(letter)) {
            let part = part(table, log, seat, letter);
            let answer = log.accept(table.sign(log, seat, &part));
            let named = match &answer {
                Err(Refused::Foul(proof)) => proof.part.seat == seat,
                Err(Refused::Over) => row.over != "-",
                _ => false,
            };
            assert!(named, "{} {seat} {letter} {answer:?}", row.log);
            refused += 1;
        }
    }
    assert_eq!(log.hash(), hash);
    refused
}

#[test]
fn rules_open_the_hole_cards_and_the_flop_of_the_model() {
    let table = holdem(2, 1);
    let mut log = table.log();
    let mut opened = Vec::new();
    while opened.len() < 3 {
        if let Phase::Open(openings) = log.phase() {
            let seat = log.waits_for()[0];
            opened.push(due(&openings, seat).unwrap());
            table.play_until(&mut log, |log| {
                !matches!(log.phase(), Phase::Open(_)) || !log.waits_for().contains(&seat)
            });
        } else {
            table.sign_next(&mut log);
        }
    }
    assert_eq!(opened, [&HOLE[0][..], &HOLE[1], &FLOP]);
}
