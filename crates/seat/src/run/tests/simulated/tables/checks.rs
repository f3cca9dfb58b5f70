//! What must hold in every run of a table: chips, statements, removals, and the records of all seats.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, Phase, SignedPart};
use dealerless_table::record::Record;
use serde_json::{Value, json};

use super::super::disk::Disk;
use crate::records::verify::{Read, outcome, pairs};

/// A seat is not removed unless it was in trouble for this time...
const TROUBLE: Duration = Duration::from_secs(10);
/// ...within this time before.
const LATELY: Duration = Duration::from_secs(600);

/// A history, and what a seat has signed after it.
type Spoken = ([u8; 32], Vec<u8>);

/// What is known of all seats.
pub(super) struct Checks {
    chips: u64,
    /// What each seat has signed in each step, in the log of any seat.
    spoken: BTreeMap<(u64, Seat), Spoken>,
    /// The step up to which the log of each seat was read.
    read: Vec<u64>,
    /// The times in which each seat was in trouble. The last one may last.
    troubles: Vec<VecDeque<(Duration, Option<Duration>)>>,
    /// The seats whose players have said that they leave.
    pub(super) left: BTreeSet<Seat>,
    gone: BTreeSet<Seat>,
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

    /// The program of a seat has started.
    pub(super) fn started(&mut self, seat: usize) {
        self.read[seat] = 0;
    }

    /// Whether a seat is in trouble from now on: it does not run, or cannot be reached by others.
    pub(super) fn trouble(&mut self, seat: usize, is_in_trouble: bool, now: Duration) {
        let troubles = &mut self.troubles[seat];
        let last = troubles.back_mut().filter(|(_, end)| end.is_none());
        match (last, is_in_trouble) {
            (None, true) => troubles.push_back((now, None)),
            (Some((_, end)), false) => *end = Some(now),
            _ => {}
        }
    }

    /// Checks the log of a seat: nobody has signed two parts for one step, was convicted, or was removed
    /// without reason. Returns the seats that it has newly seen removed.
    pub(super) fn log(&mut self, number: usize, log: &MatchLog, now: Duration) -> Vec<Seat> {
        let is_convicted = !log.evidence().is_empty() || !log.fouls().is_empty();
        assert!(!is_convicted, "seat {number} sees a conviction");
        let step = log.step();
        for step in self.read[number]..=step {
            let before = log.hash_before(step);
            for seat in Seat::all(self.read.len()) {
                if let (Some(before), Some(part)) = (before, log.part(step, seat)) {
                    self.signed(step, seat, before, part);
                }
            }
        }
        self.read[number] = step;
        let own = Seat::new(number as u8);
        let own = log.is_removed().then_some(own);
        let gone = log.gone().iter().copied().chain(own);
        let new: Vec<Seat> = gone.filter(|seat| self.gone.insert(*seat)).collect();
        for seat in &new {
            if !self.left.contains(seat) {
                self.removed(*seat, now);
            }
        }
        new
    }

    fn signed(&mut self, step: u64, seat: Seat, before: [u8; 32], part: &SignedPart) {
        let spoken = (before, part.part.clone());
        let known = (self.spoken.entry((step, seat))).or_insert_with(|| spoken.clone());
        assert_eq!(
            *known, spoken,
            "{seat} has signed two parts for step {step}"
        );
    }

    /// Checks that a removed seat was in trouble.
    fn removed(&self, seat: Seat, now: Duration) {
        let begin = now.saturating_sub(LATELY);
        let troubles = self.troubles[seat.index()].iter();
        let times = troubles.map(|(from, to)| {
            let to = to.unwrap_or(now);
            to.saturating_sub(begin.max(*from))
        });
        let trouble: Duration = times.sum();
        assert!(
            trouble >= TROUBLE,
            "{seat} is removed after {trouble:?} of trouble"
        );
    }
}

/// Checks that the last part of a seat, which does not wait for others any more, is on the disk of each seat that
/// it needs.
pub(super) fn received(number: usize, log: &MatchLog, disks: &[Disk]) {
    let own = Seat::new(number as u8);
    for (peer, disk) in disks.iter().enumerate() {
        let seat = Seat::new(peer as u8);
        let is_needed = own == Seat::HOST || seat == Seat::HOST;
        if seat != own && is_needed && !log.gone().contains(&seat) {
            let is_stored = stored(disk, own) == last_part(log, own);
            assert!(is_stored, "{seat} lacks a part of {own}");
        }
    }
}

/// The last step in which a seat has signed.
pub(super) fn last_part(log: &MatchLog, seat: Seat) -> Option<u64> {
    let mut steps = (0..=log.step()).rev();
    steps.find(|step| log.part(*step, seat).is_some())
}

/// The last part of a seat that is on a disk.
pub(super) fn stored(disk: &Disk, seat: Seat) -> Option<u64> {
    let record = Record::read(&disk.read(".log")[0], None).expect("a record");
    last_part(&record.log, seat)
}

/// Checks the records after a match. Returns how it has ended, and how many seats were gone.
pub(super) fn ends(disks: &[Disk]) -> (String, usize) {
    let read = |(number, disk): (usize, &Disk)| {
        let records = disk.read(".log");
        assert_eq!(records.len(), 1);
        Read::of(number.to_string(), &records[0], None)
    };
    let files: Vec<Read> = disks.iter().enumerate().map(read).collect();
    let record = |file: &Read| file.record.as_ref().expect("a good record").log.clone();
    let logs: Vec<MatchLog> = files.iter().map(record).collect();
    let over = |log: &&MatchLog| matches!(log.phase(), Phase::Over(_)) && !log.is_removed();
    let one = logs.iter().find(over).expect("a match that is over");
    let gone = one.gone();
    for (number, log) in logs.iter().enumerate() {
        if !gone.contains(&Seat::new(number as u8)) {
            assert!(over(&log), "seat {number} does not know the end");
            assert_eq!(log.hash(), one.hash(), "the log of seat {number}");
        }
    }
    let Phase::Over(end) = one.phase() else {
        unreachable!()
    };
    assert_eq!(outcome(&files, &pairs(&files)), Ok(()), "{end:?}");
    let text = match end {
        End::Stopped(stops) => format!("{:?}", stops[0].1),
        end => format!("{end:?}"),
    };
    (text, gone.len())
}
