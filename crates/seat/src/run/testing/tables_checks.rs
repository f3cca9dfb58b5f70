//! The checks of each table: chips, statements, removals, and the records of all seats.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::Identity;
use dealerless_table::Seat;
use dealerless_table::log::{MatchId, MatchLog, Phase, SignedPart};
use dealerless_table::record::Record;
use dealerless_table::testing::test_match;
use serde_json::{Value, json};

use super::disk::Disk;
use super::pages_checks::{end_text, records};
use crate::records::verify::{Read, outcome, pairs};

/// A seat is not removed unless it was in trouble for this time...
const TROUBLE: Duration = Duration::from_secs(10);
/// ...within this time before.
const LATELY: Duration = Duration::from_secs(600);

/// A history, and what a seat has signed after it.
type Spoken = ([u8; 32], Vec<u8>);

/// What is known of all programs.
pub(super) struct Checks {
    chips: u64,
    /// What each seat has signed in each step of a match, in the log of any seat.
    spoken: BTreeMap<(MatchId, u64, Seat), Spoken>,
    /// The step up to which the log of each program was read.
    read: Vec<u64>,
    /// The times in which each program was in trouble. The last one may last.
    troubles: Vec<VecDeque<(Duration, Option<Duration>)>>,
    /// The programs whose players have said that they leave.
    pub(super) left: BTreeSet<usize>,
    gone: BTreeSet<usize>,
}

/// The keys of a program.
pub(super) fn identity(program: usize) -> Arc<Identity> {
    test_match::identity(Seat::new(program as u8))
}

/// The seat of a program in a match.
pub(super) fn seat_of(log: &MatchLog, program: usize) -> Seat {
    let identity = identity(program);
    let mut players = log.match_info().players().iter();
    let seat = players.position(|player| player.identity == *identity.public());
    Seat::new(seat.expect("a seat") as u8)
}

/// The program of a seat in a match.
pub(super) fn program_of(log: &MatchLog, seat: Seat) -> usize {
    let mut programs = 0..log.match_info().seats();
    let program = programs.find(|program| seat_of(log, *program) == seat);
    program.expect("a program")
}

impl Checks {
    pub(super) fn new(seats: usize, chips: u64) -> Self {
        Checks {
            chips,
            spoken: BTreeMap::new(),
            read: vec![0; seats],
            troubles: vec![VecDeque::new(); seats],
            left: BTreeSet::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Checks that no chip was lost or made in an event. A player without chips may have bought in again.
    pub(super) fn event(&self, event: &Value) {
        let sum = || -> u64 {
            let stacks = event["stacks"].as_array().unwrap().iter();
            stacks.map(|stack| stack.as_u64().unwrap()).sum()
        };
        let all = match event["event"].as_str().unwrap() {
            // The stacks are empty if the hand is over by now.
            "dealt" if event["stacks"] == json!([]) => return,
            "dealt" => sum() + event["pot"].as_u64().unwrap(),
            "result" | "over" => sum(),
            _ => return,
        };
        let seats = self.read.len() as u64;
        let is_whole = all >= seats * self.chips && all.is_multiple_of(self.chips);
        assert!(is_whole, "{all} chips in {event}");
    }

    /// A program has started.
    pub(super) fn started(&mut self, program: usize) {
        self.read[program] = 0;
    }

    /// Whether a program is in trouble from now on: it does not run, or cannot be reached by others.
    pub(super) fn trouble(&mut self, program: usize, is_in_trouble: bool, now: Duration) {
        let troubles = &mut self.troubles[program];
        let last = troubles.back_mut().filter(|(_, end)| end.is_none());
        match (last, is_in_trouble) {
            (None, true) => troubles.push_back((now, None)),
            (Some((_, end)), false) => *end = Some(now),
            _ => {}
        }
    }

    /// Checks the log of a program: nobody has signed two parts for one step, was convicted, or was removed
    /// without reason. Returns the programs that it has newly seen removed.
    pub(super) fn log(&mut self, number: usize, log: &MatchLog, now: Duration) -> Vec<usize> {
        let is_convicted = !log.evidence().is_empty() || !log.fouls().is_empty();
        assert!(!is_convicted, "program {number} sees a conviction");
        let step = log.step();
        for step in self.read[number]..=step {
            let before = log.hash_before(step);
            for seat in Seat::all(self.read.len()) {
                if let (Some(before), Some(part)) = (before, log.part(step, seat)) {
                    self.signed((log.match_info().id(), step, seat), before, part);
                }
            }
        }
        self.read[number] = step;
        let own = log.is_removed().then_some(number);
        let gone = log.gone().iter().map(|seat| program_of(log, *seat));
        let new: Vec<usize> = gone
            .chain(own)
            .filter(|program| self.gone.insert(*program))
            .collect();
        for program in &new {
            if !self.left.contains(program) {
                self.removed(*program, now);
            }
        }
        new
    }

    fn signed(&mut self, place: (MatchId, u64, Seat), before: [u8; 32], part: &SignedPart) {
        let spoken = (before, part.part.clone());
        let known = (self.spoken.entry(place)).or_insert_with(|| spoken.clone());
        let (_, step, seat) = place;
        assert_eq!(
            *known, spoken,
            "{seat} has signed two parts for step {step}"
        );
    }

    /// Checks that a removed program was in trouble.
    fn removed(&self, program: usize, now: Duration) {
        let begin = now.saturating_sub(LATELY);
        let troubles = self.troubles[program].iter();
        let times = troubles.map(|(from, to)| {
            let to = to.unwrap_or(now);
            to.saturating_sub(begin.max(*from))
        });
        let trouble: Duration = times.sum();
        assert!(
            trouble >= TROUBLE,
            "program {program} is removed after {trouble:?} of trouble"
        );
    }
}

/// The programs to which a program must be connected and that lack its last part.
pub(super) fn uninformed(number: usize, log: &MatchLog, disks: &[Disk]) -> Vec<usize> {
    let own = seat_of(log, number);
    let is_needed = |peer: &usize| {
        let seat = seat_of(log, *peer);
        let is_star = own == Seat::HOST || log.gone().contains(&Seat::HOST);
        *peer != number && (is_star || seat == Seat::HOST) && !log.gone().contains(&seat)
    };
    let lacks = |peer: &usize| stored(&disks[*peer], own) < last_part(log, own);
    (0..disks.len()).filter(is_needed).filter(lacks).collect()
}

/// The last step in which a seat has signed.
pub(super) fn last_part(log: &MatchLog, seat: Seat) -> Option<u64> {
    let mut steps = (0..=log.step()).rev();
    steps.find(|step| log.part(*step, seat).is_some())
}

/// The last part of a seat that is on a disk.
pub(super) fn stored(disk: &Disk, seat: Seat) -> Option<u64> {
    last_part(&begun(disk)?.1.log, seat)
}

/// The record of the match that has begun. There is only one: the others were not agreed to by all.
fn begun(disk: &Disk) -> Option<(Vec<u8>, Record)> {
    let has_parts = |(_, record): &(Vec<u8>, Record)| record.log.history(0).next().is_some();
    let mut begun = records(disk).into_iter().filter(has_parts);
    let first = begun.next();
    assert!(begun.next().is_none(), "two matches have begun");
    first
}

/// The log of a program for which the match has ended.
pub(super) fn ended_for(disk: &Disk, number: usize) -> Option<MatchLog> {
    let log = begun(disk)?.1.log;
    let is_over = matches!(log.phase(), Phase::Over(_));
    let has_ended = is_over || log.gone().contains(&seat_of(&log, number));
    has_ended.then_some(log)
}

/// Checks the records after a match. After faults, a program that was killed in the last step may lack parts of it.
/// Returns how the match has ended, and how many seats were gone.
pub(super) fn ends(disks: &[Disk], has_faults: bool) -> (String, usize) {
    let read = |(number, disk): (usize, &Disk)| {
        let (bytes, _) = begun(disk).expect("a match that has begun");
        Read::of(number.to_string(), &bytes, None)
    };
    let files: Vec<Read> = disks.iter().enumerate().map(read).collect();
    let record = |file: &Read| file.record.as_ref().expect("a good record").log.clone();
    let logs: Vec<MatchLog> = files.iter().map(record).collect();
    let over = |log: &&MatchLog| matches!(log.phase(), Phase::Over(_)) && !log.is_removed();
    let one = logs.iter().find(over).expect("a match that is over");
    let gone = one.gone();
    let Phase::Over(end) = one.phase() else {
        unreachable!()
    };
    for (number, log) in logs.iter().enumerate() {
        if !gone.contains(&seat_of(one, number)) {
            assert!(over(&log), "program {number} does not know the end");
            assert!(
                has_faults || log.hash() == one.hash(),
                "program {number} has another log"
            );
        }
    }
    assert_eq!(outcome(&files, &pairs(&files)), Ok(()), "{end:?}");
    (end_text(&end), gone.len())
}
