//! The rules against the model of the protocol: `tests/phases-3.txt` has every log of two seats and up
//! to three tries of a small hand, with what the model lets each seat say then, by the rules of
//! edition 3; `tests/phases-2.txt` has the same for edition 2.
//!
//! The model's hand is: seals, openings of G and E, a move of E, a move of G, an opening of both
//! (`w`), the result. It is played here as the second hand of hold'em up to the flop; what follows
//! the flop is played honestly until the result is due.

use std::collections::{BTreeSet, HashMap};

use super::super::*;
use super::test_match::{TestMatch, due, holdem};
use crate::rules::Edition;
use crate::seat::Seat;

const TWO: &str = include_str!("../../../tests/phases-2.txt");
const THREE: &str = include_str!("../../../tests/phases-3.txt");

struct Row<'a> {
    log: &'a str,
    phase: &'a str,
    attempt: u32,
    over: &'a str,
    may: [&'a str; 2],
}

fn rows(phases: &str) -> impl Iterator<Item = Row<'_>> {
    let rows = phases.lines().filter(|line| !line.starts_with('#'));
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

/// The hole cards that a seat opens, and the flop.
const HOLE: [[usize; 2]; 2] = [[1, 3], [0, 2]];
const FLOP: [usize; 3] = [4, 5, 6];

/// The part for which a letter of the model stands; a capital opens no commitment.
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

/// The letters of what a seat may say.
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
        kind => panic!("no {kind} in hold'em"),
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
        Phase::Reseal(..) | Phase::Commit(_) | Phase::Reveal(_) => panic!("none in hold'em"),
        Phase::Result(_) => "result",
        Phase::Over(_) => "over",
    }
}

fn how_it_ended(log: &MatchLog) -> String {
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
fn the_log_allows_what_the_model_allows_and_refuses_what_it_refuses() {
    follows(TWO, Edition::Two, 1171);
    follows(THREE, Edition::Three, 950);
}

fn follows(phases: &str, edition: Edition, count: usize) {
    let table = holdem(2, 2).of_edition(edition);
    let mut start = table.log();
    table.play_until(&mut start, |log| log.attempt().hand == 2);
    let mut logs: HashMap<&str, MatchLog> = HashMap::new();
    let mut refused = 0;
    for line in rows(phases) {
        let mut log = match line.log.len() {
            0 => start.clone(),
            len => {
                let (before, last) = without_last(line.log, len);
                let mut log = logs[&before[..]].clone();
                add(&table, &mut log, last);
                log
            }
        };
        if line.phase == "result" && phase(&log) == "moveG" {
            table.play_until(&mut log, |log| phase(log) == "result");
        }
        compare(&line, &log);
        refused += refusals(&table, &line, &mut log);
        logs.insert(line.log, log);
    }
    assert!(
        logs.len() == count && refused > 5000,
        "{} {refused}",
        logs.len()
    );
}

/// A log without its last part, and that part. A foul comes last: nothing is taken after it, though
/// the other seat may have spoken in the same step before.
fn without_last(log: &str, len: usize) -> (String, &str) {
    let at = log
        .find(|c: char| c.is_ascii_uppercase())
        .map_or(len - 2, |at| at - 1);
    ([&log[..at], &log[at + 2..]].concat(), &log[at..at + 2])
}

/// Adds the part that is written like `0d`.
fn add(table: &TestMatch, log: &mut MatchLog, last: &str) {
    let seat = Seat::new(last.as_bytes()[0] - b'0');
    let letter = last.chars().last().unwrap();
    let signed = table.sign(log, seat, &part(table, log, seat, letter));
    match log.accept(signed) {
        Err(Refused::Foul(proof)) if letter.is_uppercase() => log.record_foul(*proof),
        taken => assert!(matches!(taken, Ok(Accepted::New(..))), "{last} {taken:?}"),
    }
}

fn compare(line: &Row<'_>, log: &MatchLog) {
    assert_eq!(how_it_ended(log), line.over, "{}", line.log);
    if line.over == "-" {
        assert_eq!(phase(log), line.phase, "{}", line.log);
        assert_eq!(log.attempt().attempt, line.attempt, "{}", line.log);
    }
    for (seat, may) in Seat::all(2).zip(line.may) {
        let may: BTreeSet<char> = may.chars().collect();
        assert_eq!(may_sign(log, seat, line.phase), may, "{} {seat}", line.log);
    }
}

/// Whatever else a seat signs is refused, and changes nothing. Gives how much was.
fn refusals(table: &TestMatch, line: &Row<'_>, log: &mut MatchLog) -> usize {
    let (hash, mut refused) = (log.hash(), 0);
    for (seat, may) in Seat::all(2).zip(line.may) {
        if log.part(log.step(), seat).is_some() {
            continue;
        }
        for letter in "dsaomwrlfc".chars().filter(|&letter| !may.contains(letter)) {
            let part = part(table, log, seat, letter);
            let answer = log.accept(table.sign(log, seat, &part));
            let named = match &answer {
                Err(Refused::Foul(proof)) => proof.part.seat == seat,
                Err(Refused::Over) => line.over != "-",
                _ => false,
            };
            assert!(named, "{} {seat} {letter} {answer:?}", line.log);
            refused += 1;
        }
    }
    assert_eq!(log.hash(), hash);
    refused
}

#[test]
fn the_cards_of_the_models_hand_are_those_that_the_rules_ask_for() {
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
