//! The checks of each match of two: chips, cards, and the records of both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dealerless_connection::hex;
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchId, Phase, Stop};
use dealerless_table::record::{BadRecord, Compared, Record, compare};
use serde_json::{Value, json};

use super::disk::Disk;
use super::simulation::Code;
use crate::records::verify::{Read, outcome, pairs};

/// A card that a seat has seen: the match, the hand, the try and the position.
type Place = (String, u64, u64, u64);

/// What the events of both sides must agree on.
#[derive(Default)]
pub(super) struct Checks {
    cards: BTreeMap<Place, String>,
    /// The match, its chips and the current try of each program.
    at: [(String, u64, u64); 2],
    /// The matches of each program in which both seats have signed something.
    begun: [BTreeSet<MatchId>; 2],
}

impl Checks {
    /// Checks that no record of a match that both sides have begun is lost.
    pub(super) fn keeps(&mut self, program: usize, disk: &Disk) {
        let logs: Vec<_> = records(disk)
            .into_iter()
            .map(|(_, record)| record.log)
            .collect();
        let is_kept = |of: &MatchId| logs.iter().any(|log| log.match_info().id() == *of);
        assert!(self.begun[program].iter().all(is_kept), "a record is lost");
        let begun = logs.iter().filter(|log| {
            let has_parts = |seat| log.history(0).any(|part| part.seat == seat);
            has_parts(Seat::HOST) && has_parts(Seat::GUEST)
        });
        self.begun[program].extend(begun.map(|log| log.match_info().id()));
    }

    /// The program has older files.
    pub(super) fn restored(&mut self, program: usize) {
        self.begun[program].clear();
    }

    /// The program plays no match.
    pub(super) fn ended(&mut self, program: usize) {
        self.at[program].0.clear();
    }

    /// Whether both programs play the same match.
    pub(super) fn is_one_match(&self) -> bool {
        let [host, guest] = &self.at;
        host.0 == guest.0 && !host.0.is_empty()
    }

    /// Checks an event of a program.
    pub(super) fn event(&mut self, program: usize, event: &Value) {
        let (of, chips, attempt) = &mut self.at[program];
        let sum = |field: &str| -> u64 {
            let stacks = event[field].as_array().unwrap();
            stacks.iter().map(|stack| stack.as_u64().unwrap()).sum()
        };
        match event["event"].as_str().unwrap() {
            "seated" => {
                *of = event["match"].as_str().unwrap().to_owned();
                *chips = event["stack"].as_u64().unwrap_or_default();
            }
            // The stacks are empty if the try is void by now.
            "dealt" if event["stacks"] == json!([]) => {}
            "dealt" => {
                *attempt = event["try"].as_u64().unwrap();
                let all = sum("stacks") + event["pot"].as_u64().unwrap();
                assert_chips(all, *chips, event);
            }
            "result" | "over" => assert_chips(sum("stacks"), *chips, event),
            "card" => {
                let [hand, position] = ["hand", "position"].map(|at| event[at].as_u64().unwrap());
                let card = event["card"].as_str().unwrap();
                let place = (of.clone(), hand, *attempt, position);
                let before = self.cards.entry(place).or_insert_with(|| card.to_owned());
                assert_eq!(before, card, "another card at the same place");
            }
            _ => {}
        }
    }
}

/// Checks that no chip was lost or made. A player without chips may have bought in again.
fn assert_chips(all: u64, each: u64, event: &Value) {
    let is_whole = (each == 0 && all == 0) || (all >= 2 * each && all.is_multiple_of(each));
    assert!(is_whole, "{all} chips in {event}");
}

/// The records on a disk.
pub(super) fn records(disk: &Disk) -> Vec<(Vec<u8>, Record)> {
    let read = |bytes: Vec<u8>| match Record::read(&bytes, None) {
        Ok(record) => Some((bytes, record)),
        // The program was killed while it created the file.
        Err(BadRecord::NeverBegun) => None,
        Err(error) => panic!("a record: {error}"),
    };
    disk.read(".log").into_iter().filter_map(read).collect()
}

fn is_over(record: &Record) -> bool {
    matches!(record.log.phase(), Phase::Over(_))
}

/// The match that is over in the records of both sides.
fn common(disks: &[Disk]) -> Option<[(Vec<u8>, Record); 2]> {
    let [host, guest] = [0, 1].map(|program| records(&disks[program]));
    let mut over = host.into_iter().filter(|(_, record)| is_over(record));
    let mut guest = guest;
    over.find_map(|host| {
        let id = host.1.log.match_info().id();
        let is_it =
            |(_, record): &(_, Record)| is_over(record) && record.log.match_info().id() == id;
        let at = guest.iter().position(is_it)?;
        Some([host, guest.swap_remove(at)])
    })
}

/// Whether a match is over on both sides, and its files are.
pub(super) fn is_settled(disks: &[Disk]) -> bool {
    common(disks).is_some()
}

/// The id of the match that is over on both sides.
pub(super) fn settled(disks: &[Disk]) -> String {
    let [(_, record), _] = common(disks).expect("a match that is over on both sides");
    hex(record.log.match_info().id().as_bytes())
}

/// Whether a disk has a record of this match.
pub(super) fn has(disk: &Disk, of: &str) -> bool {
    disk.names(".log")
        .iter()
        .any(|(name, _)| name.starts_with(of))
}

/// Checks that no honest seat has signed two parts for one step, or was convicted.
pub(super) fn agree(disks: &[Disk], was_restored: bool) {
    let [host, guest] = [0, 1].map(|program| records(&disks[program]));
    for (_, record) in host.iter().chain(&guest) {
        match record.log.phase() {
            Phase::Over(End::Played | End::NoChips | End::Left(_)) => {}
            Phase::Over(End::Stopped(stops)) => {
                for (_, stop) in stops {
                    let is_fair = match stop {
                        Stop::Leave => true,
                        Stop::Forfeit => was_restored,
                        _ => false,
                    };
                    assert!(is_fair, "{stop:?}");
                }
            }
            Phase::Over(end) => panic!("convicted: {end:?}"),
            _ => {}
        }
    }
    for (_, one) in &host {
        for (_, other) in &guest {
            if one.log.match_info().id() == other.log.match_info().id() {
                let compared = compare(one, other);
                assert!(
                    matches!(compared, Compared::Together { .. }),
                    "{compared:?}"
                );
            }
        }
    }
}

/// Checks that each match that is over on one side is over on the other one.
pub(super) fn end_together(disks: &[Disk]) {
    let [host, guest] = [0, 1].map(|program| records(&disks[program]));
    for (_, one) in &host {
        for (_, other) in &guest {
            if one.log.match_info().id() == other.log.match_info().id() {
                assert_eq!(is_over(one), is_over(other), "only one side knows the end");
            }
        }
    }
}

/// Checks the match that is over on both sides. Returns how it has ended.
pub(super) fn ends(disks: &[Disk]) -> String {
    let both = common(disks).expect("a match that is over on both sides");
    let [one, other] = both.each_ref().map(|(_, record)| &record.log);
    assert_eq!(one.hash(), other.hash(), "the logs differ");
    let Phase::Over(end) = one.phase() else {
        unreachable!()
    };
    let files = both.map(|(bytes, record)| Read::of(record.owner.to_string(), &bytes, None));
    assert_eq!(outcome(&files, &pairs(&files)), Ok(()), "{end:?}");
    end_text(&end)
}

/// The end of a match.
pub(super) fn end_text(end: &End) -> String {
    match end {
        End::Stopped(stops) => format!("{:?}", stops[0].1),
        end => format!("{end:?}"),
    }
}

/// How long a program may have two live connections to the same peer: the old one is closed.
const TWO_CONNECTIONS: Duration = Duration::from_secs(5);

/// The use of the sockets of a program.
#[derive(Default)]
pub(super) struct Uses {
    /// The peers to whom there are two live connections, and since when.
    twice: BTreeMap<String, Duration>,
}

impl Uses {
    /// Checks that a program uses all its sockets, and closes the old one of two connections to the same peer, once the
    /// request of the peer has arrived on the new one. `sockets` are all sockets, the oldest first, and whether each is
    /// delayed.
    pub(super) fn check(&mut self, code: &mut impl Code, sockets: &[(u32, bool)], now: Duration) {
        let (mut once, mut twice) = (BTreeSet::new(), BTreeMap::new());
        for &(socket, is_delayed) in sockets {
            assert!(code.uses(socket), "socket {socket} has no use");
            let connection = code.connection(socket);
            let Some(connection) = connection.filter(|one| one.core.ended().is_none()) else {
                continue;
            };
            let peer = connection.met.peer.fingerprint().to_string();
            if !once.insert(peer.clone()) {
                let since = self.twice.get(&peer).copied().unwrap_or(now);
                assert!(
                    is_delayed || now < since + TWO_CONNECTIONS,
                    "two connections to {} for long, the last one is {socket}",
                    connection.met.peer_name
                );
                twice.insert(peer, since);
            }
        }
        self.twice = twice;
    }
}
