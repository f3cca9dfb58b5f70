//! The checks of each table: admission, chips, statements, removals, players who are left out, and the records of all
//! matches.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Identity, Peer, PublicIdentity};
use dealerless_table::Seat;
use dealerless_table::log::{Evidence, MatchId, MatchLog, Member, Phase, SignedPart};
use dealerless_table::record::{Record, tables};
use dealerless_table::testing::test_match;
use serde_json::Value;

use super::disk::Disk;
use super::pages_checks::{end_text, records};
use crate::records::verify::{Read, outcome, pairs};

/// A seat is not removed unless it was in trouble for this time...
const TROUBLE: Duration = Duration::from_secs(10);
/// ...within this time before.
const LATELY: Duration = Duration::from_secs(600);

/// A history, and what a seat has signed after it.
type Spoken = ([u8; 32], Vec<u8>);

/// How a match has ended.
pub(super) struct Ended {
    pub(super) how: String,
    /// The number of seats that were gone.
    pub(super) gone: usize,
    /// The number of hands that were played to the end.
    pub(super) hands: usize,
    /// The number of players.
    pub(super) seats: usize,
}

/// Who has a seat at a table before the match, as a player is told.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) names: Vec<String>,
    /// Only for the host.
    pub(super) fingerprints: Vec<String>,
    /// The players whose connection the host has lost.
    pub(super) away: Vec<String>,
    pub(super) place: u64,
}

impl Entry {
    /// Who has a seat by an event.
    pub(super) fn of(event: &Value) -> Self {
        let players = event["players"].as_array().unwrap();
        let text =
            |player: &Value, field: &str| player[field].as_str().unwrap_or_default().to_owned();
        let away = players.iter().filter(|player| player["away"] == true);
        Entry {
            names: players.iter().map(|player| text(player, "name")).collect(),
            fingerprints: (players.iter())
                .map(|player| text(player, "fingerprint"))
                .collect(),
            away: away.map(|player| text(player, "fingerprint")).collect(),
            place: event["place"].as_u64().unwrap(),
        }
    }
}

/// What is known of the guests who ask the host for a seat. Players are named by their fingerprints.
#[derive(Default)]
pub(super) struct Door {
    is_open: bool,
    /// The guests that the host lets in without a question.
    expected: BTreeSet<String>,
    /// The guests whom the host's player has declined.
    declined: BTreeSet<String>,
    /// The guests at the door, and since when.
    waiting: BTreeMap<String, Duration>,
    /// Who has a seat, and since when.
    pub(super) table: Option<(Entry, Duration)>,
    /// The guests who were ever admitted.
    pub(super) admitted: BTreeSet<String>,
}

impl Door {
    /// A program of the host has started, which expects these peers.
    pub(super) fn opens(&mut self, is_open: bool, expected: &[PublicIdentity]) {
        let expected = expected.iter().map(|peer| peer.fingerprint().to_string());
        *self = Door {
            is_open,
            expected: expected.collect(),
            admitted: std::mem::take(&mut self.admitted),
            ..Door::default()
        };
    }

    /// This player was the host before, and can come back as a guest.
    pub(super) fn was_host(&mut self, player: &PublicIdentity) {
        self.admitted.insert(player.fingerprint().to_string());
    }

    /// The host's player sees the guests at the door: at most 16, each of them once, and nobody who was declined.
    pub(super) fn shows_door(&mut self, event: &Value, now: Duration) {
        let players = event["players"].as_array().unwrap();
        let before = std::mem::take(&mut self.waiting);
        for player in players {
            let fingerprint = player["fingerprint"].as_str().unwrap();
            assert!(
                !self.declined.contains(fingerprint),
                "a question about a declined guest"
            );
            let since = before.get(fingerprint).copied().unwrap_or(now);
            self.waiting.insert(fingerprint.to_owned(), since);
        }
        assert!(
            self.waiting.len() == players.len() && players.len() <= 16,
            "{event}"
        );
    }

    /// The host's player lets a guest in.
    pub(super) fn accepts(&mut self, fingerprint: &str) {
        if self.waiting.contains_key(fingerprint) {
            self.expected.insert(fingerprint.to_owned());
            self.admitted.insert(fingerprint.to_owned());
        }
    }

    /// The host's player turns a guest away. Returns whether the guest was there.
    pub(super) fn declines(&mut self, fingerprint: &str) -> bool {
        let is_there = self.waiting.contains_key(fingerprint);
        if is_there {
            self.declined.insert(fingerprint.to_owned());
        }
        is_there
    }

    /// The host has replaced the link.
    pub(super) fn forgets_declined(&mut self) {
        self.declined.clear();
    }

    /// The host's player sees who has a seat: each player once, and only players who were admitted.
    pub(super) fn shows_table(&mut self, event: &Value, now: Duration) {
        let entry = Entry::of(event);
        let guests = &entry.fingerprints[1..];
        for guest in guests {
            // The guests of another host are not asked about again.
            let is_expected = self.expected.contains(guest) || self.admitted.contains(guest);
            let is_in = is_expected || self.is_open;
            let is_out = self.declined.contains(guest);
            assert!(is_in && !is_out, "{guest} was not admitted");
            self.admitted.insert(guest.clone());
        }
        let each: BTreeSet<&String> = entry.fingerprints.iter().collect();
        assert!(
            each.len() == entry.fingerprints.len(),
            "a player has two seats"
        );
        assert!(entry.names.len() as u64 <= event["seats"].as_u64().unwrap());
        self.table = Some((entry, now));
    }

    /// Checks that the host knows nobody who was never admitted. At an open table, a program may be killed before it
    /// shows whom it has let in.
    pub(super) fn knows(&self, known: &[Peer]) {
        for peer in known {
            let fingerprint = peer.identity.fingerprint().to_string();
            assert!(
                self.is_open || self.admitted.contains(&fingerprint),
                "{fingerprint} is a known peer without admission"
            );
        }
    }

    /// Since when a guest waits for the answer of the host's player.
    pub(super) fn waits_since(&self, fingerprint: &str) -> Option<Duration> {
        self.waiting.get(fingerprint).copied()
    }
}

/// What is known of all programs.
pub(super) struct Checks {
    pub(super) door: Door,
    /// What each seat has signed in each step of a match, in the log of any seat.
    spoken: BTreeMap<(MatchId, u64, Seat), Spoken>,
    /// The step up to which the log of each program was read.
    read: Vec<u64>,
    /// The times in which each program was in trouble. The last one may last.
    troubles: Vec<VecDeque<(Duration, Option<Duration>)>>,
    /// The programs whose players have said that they leave.
    pub(super) left: BTreeSet<usize>,
    /// The programs whose players have ever said so.
    pub(super) has_left: BTreeSet<usize>,
    gone: BTreeSet<(MatchId, usize)>,
    /// The programs whose players sit out.
    pub(super) sit_out: BTreeSet<usize>,
    /// The programs that were started with an older copy of their disks. Only they may sign two parts for one step.
    pub(super) restored: BTreeSet<usize>,
    /// The steps in which a seat has signed two parts.
    pub(super) second_parts: BTreeSet<(MatchId, u64, Seat)>,
    /// The open matches that were settled without absent players.
    pub(super) settled: BTreeSet<MatchId>,
    /// The number of shuffles without a proof.
    pub(super) unproven: usize,
}

/// The keys of a program.
pub(super) fn identity(program: usize) -> Arc<Identity> {
    test_match::identity(Seat::new(program as u8))
}

/// The seat of a program in a match, if it plays.
fn seat_in(log: &MatchLog, program: usize) -> Option<Seat> {
    let identity = identity(program);
    let mut players = log.match_info().players().iter();
    let seat = players.position(|player| player.identity == *identity.public());
    seat.map(|seat| Seat::new(seat as u8))
}

/// The seat of a program that plays in a match.
pub(super) fn seat_of(log: &MatchLog, program: usize) -> Seat {
    seat_in(log, program).expect("a seat")
}

/// The program of a seat in a match.
pub(super) fn program_of(log: &MatchLog, seat: Seat) -> usize {
    let mut programs = 0..=usize::from(u8::MAX);
    let program = programs.find(|program| seat_in(log, *program) == Some(seat));
    program.expect("a program")
}

impl Checks {
    /// The checks of this number of programs.
    pub(super) fn new(programs: usize) -> Self {
        Checks {
            door: Door::default(),
            spoken: BTreeMap::new(),
            read: vec![0; programs],
            troubles: vec![VecDeque::new(); programs],
            left: BTreeSet::new(),
            has_left: BTreeSet::new(),
            gone: BTreeSet::new(),
            sit_out: BTreeSet::new(),
            restored: BTreeSet::new(),
            second_parts: BTreeSet::new(),
            settled: BTreeSet::new(),
            unproven: 0,
        }
    }

    /// A match has begun: no chip was lost or made, and whoever is left out has left, is broke, or was in trouble.
    pub(super) fn begins(&self, log: &MatchLog, now: Duration) {
        let header = log.match_info().header();
        let at = header.table.as_ref().expect("a table");
        let Some(past) = &at.past else {
            return;
        };
        let sum = |count: fn(&Member) -> u64| past.players.iter().map(count).sum::<u64>();
        assert_eq!(
            sum(|member| member.chips),
            sum(|member| member.bought),
            "the sums of a list"
        );
        for seat in &past.without {
            let (player, chips) = past.player(*seat).expect("a player");
            let mut programs = 0..self.read.len();
            let is_it = |program: &usize| identity(*program).public().fingerprint() == player;
            let program = programs.find(is_it).expect("a program");
            let ended: BTreeSet<usize> = self.gone.iter().map(|(_, program)| *program).collect();
            let has_left = self.left.contains(&program) || self.has_left.contains(&program);
            if chips > 0 && !has_left && !ended.contains(&program) {
                self.removed(program, now);
            }
        }
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
        self.convicted(log);
        let step = log.step();
        for step in self.read[number]..=step {
            let before = log.hash_before(step);
            for seat in Seat::all(log.match_info().seats()) {
                if let (Some(before), Some(part)) = (before, log.part(step, seat)) {
                    self.signed(log, before, part);
                }
            }
        }
        self.read[number] = step;
        let of = log.match_info().id();
        let own = log.is_removed().then_some(number);
        let gone = log.gone().iter().map(|seat| program_of(log, *seat));
        let new: Vec<usize> = gone
            .chain(own)
            .filter(|program| self.gone.insert((of, *program)))
            .collect();
        for program in &new {
            if !self.has_left.contains(program) {
                self.removed(*program, now);
            }
        }
        new
    }

    /// Checks that no seat is convicted whose program has its newest disk. Returns whether one is convicted.
    fn convicted(&self, log: &MatchLog) -> bool {
        let forks = log.evidence().iter().map(Evidence::seat);
        let fouls = log.fouls().iter().map(|foul| foul.part.seat);
        let convicted: Vec<Seat> = forks.chain(fouls).collect();
        for seat in &convicted {
            let program = program_of(log, *seat);
            assert!(self.restored.contains(&program), "{program} is convicted");
        }
        !convicted.is_empty()
    }

    fn signed(&mut self, log: &MatchLog, before: [u8; 32], part: &SignedPart) {
        let (step, seat) = (part.step, part.seat);
        let place = (log.match_info().id(), step, seat);
        let spoken = (before, part.part.clone());
        let Some(known) = self.spoken.get(&place) else {
            // In place of a proof, a shuffle that is trusted has zeros.
            self.unproven += usize::from(spoken.1.len() > 3_000 && spoken.1.ends_with(&[0; 64]));
            self.spoken.insert(place, spoken);
            return;
        };
        if *known != spoken {
            let is_restored = self.restored.contains(&program_of(log, seat));
            assert!(is_restored, "{seat} has signed two parts for step {step}");
            self.second_parts.insert(place);
        }
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

    /// Checks the records of all matches as those of one table.
    pub(super) fn evening(&self, disks: &[Disk], last: MatchId) {
        let all = disks.iter().flat_map(records);
        let all: Vec<Record> = all.map(|(_, record)| record).collect();
        let tables = tables(&all);
        let mut with_last = tables.iter().filter(|table| table.matches.contains(&last));
        let table = with_last.next().expect("a table");
        let is_exact = self.restored.is_empty();
        assert!(table.missing.is_empty(), "{table:?}");
        assert!(!is_exact || table.broken.is_empty(), "{table:?}");
        assert!(!is_exact || table.twice.is_empty(), "{table:?}");
        let sum = |count: fn(&Member) -> u64| {
            let members = table.list.iter().map(|(_, member)| member);
            members.map(count).sum::<u64>()
        };
        assert_eq!(sum(|member| member.chips), sum(|member| member.bought));
    }

    /// Checks the records of the players after a match. The logs have one history, as far as they go. Two of them can
    /// part only in a step with a roll call. Then the owner of one is gone in the other.
    pub(super) fn ends(&self, of: MatchId, disks: &[Disk]) -> Ended {
        let read = |(number, disk): (usize, &Disk)| {
            let all = records(disk).into_iter();
            let mut found = all.filter(|(_, record)| record.log.match_info().id() == of);
            let (bytes, record) = found.next()?;
            let file = Read::of(number.to_string(), &bytes, None);
            Some((file, (number, record.log)))
        };
        let read = disks.iter().enumerate().filter_map(read);
        let (files, logs): (Vec<Read>, Vec<(usize, MatchLog)>) = read.unzip();
        let seats = logs[0].1.match_info().seats();
        let has_record = |player: Fingerprint| {
            let programs = logs.iter().map(|(number, _)| *number);
            { programs }.any(|number| identity(number).public().fingerprint() == player)
        };
        for player in logs[0].1.match_info().players() {
            let player = player.identity.fingerprint();
            // A player who has opened no card can give the match up (S10).
            let has_opened = logs.iter().any(|(_, log)| log.has_opened(player));
            assert!(has_record(player) || !has_opened, "a player has no record");
        }
        let log_of: BTreeMap<usize, &MatchLog> =
            logs.iter().map(|(number, log)| (*number, log)).collect();
        let logs = || log_of.values().copied();
        let convictions = logs().filter(|log| self.convicted(log));
        let is_convicted = convictions.count() > 0;
        let is_over = |log: &MatchLog| matches!(log.phase(), Phase::Over(_)) && !log.is_removed();
        let is_gone = |log: &MatchLog, number| log.gone().contains(&seat_of(log, number));
        for (&number, &log) in &log_of {
            for (&before, &other) in log_of.range(..number) {
                let step = log.step().min(other.step());
                let is_one = log.hash_before(step) == other.hash_before(step);
                let has_removed = is_gone(log, before) || is_gone(other, number);
                assert!(
                    is_one || has_removed || is_convicted,
                    "programs {before} and {number} have two histories"
                );
                let is_longer = log.step() != other.step() && is_over(log) && is_over(other);
                assert!(
                    !is_longer || has_removed || is_convicted,
                    "programs {before} and {number} know other ends"
                );
            }
        }
        let over = || logs().filter(|log| is_over(log));
        // The end for those whom nobody has removed, if there are any.
        let is_in = |(number, log): &(&usize, &&MatchLog)| {
            is_over(log) && !over().any(|log| is_gone(log, **number))
        };
        let one = log_of.iter().find(is_in).map(|(_, log)| *log);
        let hands = files.iter().flat_map(|file| &file.record);
        let hands = hands.map(Record::played).max().unwrap_or_default();
        let Some(one) = one.or(over().next()) else {
            assert!(self.settled.contains(&of), "a match that is not over");
            return Ended {
                how: "Settled".to_owned(),
                gone: 0,
                hands,
                seats,
            };
        };
        let gone = one.gone();
        let Phase::Over(end) = one.phase() else {
            unreachable!()
        };
        if is_convicted {
            let pairs = pairs(&files);
            assert!(outcome(&files, &pairs).is_err(), "{end:?}");
        } else {
            assert_eq!(outcome(&files, &pairs(&files)), Ok(()), "{end:?}");
        }
        Ended {
            how: if is_convicted {
                "Convicted".to_owned()
            } else {
                end_text(&end)
            },
            gone: gone.len(),
            seats,
            hands,
        }
    }
}

/// The programs to which a program must be connected and that lack its last part.
pub(super) fn uninformed(number: usize, log: &MatchLog, disks: &[Disk]) -> Vec<usize> {
    let own = seat_of(log, number);
    let is_needed = |peer: &usize| {
        let Some(seat) = seat_in(log, *peer) else {
            return false;
        };
        let is_star = own == Seat::HOST || log.gone().contains(&Seat::HOST);
        *peer != number && (is_star || seat == Seat::HOST) && !log.gone().contains(&seat)
    };
    let of = log.match_info().id();
    let stored = |peer: usize| last_part(&log_of(&disks[peer], of)?, own);
    let lacks = |peer: &usize| stored(*peer) < last_part(log, own);
    (0..disks.len()).filter(is_needed).filter(lacks).collect()
}

/// The last step in which a seat has signed.
fn last_part(log: &MatchLog, seat: Seat) -> Option<u64> {
    let mut steps = (0..=log.step()).rev();
    steps.find(|step| log.part(*step, seat).is_some())
}

/// The log of a match on a disk.
pub(super) fn log_of(disk: &Disk, of: MatchId) -> Option<MatchLog> {
    let all = records(disk).into_iter().map(|(_, record)| record.log);
    { all }.find(|log| log.match_info().id() == of)
}

/// Whether a match has ended for a program.
pub(super) fn is_over_for(log: &MatchLog, number: usize) -> bool {
    let is_over = matches!(log.phase(), Phase::Over(_));
    is_over || log.gone().contains(&seat_of(log, number))
}
