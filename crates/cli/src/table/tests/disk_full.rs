//! A match on a disk that is full.

use std::io::{self, BufRead, BufReader};
use std::thread;

use dealerless::net::Deadlines;
use dealerless_connection::storage::{MemoryVault, Storage};
use dealerless_connection::system_rng;
use dealerless_seat::seat::{PlayerNeeds, SeatStory};
use dealerless_seat::seated::Seated;
use dealerless_table::Seat;
use dealerless_table::log::{Inputs, Journal, MatchLog};
use dealerless_table::play::{DeckSetting, PlayError, SealedSetting, Setting, Table};
use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts as Stakes_, Stakes, Variety};

use super::super::posts::Posts;
use super::super::seat::SeatRunner;
use super::super::session::Sessions;
use super::seats::{met, player, sit};
use crate::failure::{exit_code, explain};

/// A disk with room for the given number of writes.
struct Full(Vec<u8>, u32);

impl Storage for Full {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.1 = (self.1.checked_sub(1)).ok_or(io::ErrorKind::StorageFull)?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.truncate(len as usize);
        Ok(())
    }
}

#[test]
fn a_full_disk_stops_the_match_with_an_error_and_the_peer_waits() {
    let rules = BettingRules {
        stack: 100,
        limit: Limit::NoLimit,
        posts: Stakes_::Blinds { small: 1, big: 2 },
    };
    let stakes = Stakes::new(Variety::Poker(PokerKind::Holdem, rules), 2, 3).unwrap();
    let [host, guest] = met(&stakes);
    let (other, front) = player();
    let (sender, received) = std::sync::mpsc::channel();
    // The guest waits for its peer in this thread until the test ends.
    thread::spawn(move || sit(guest, other));
    thread::spawn(move || {
        for line in BufReader::new(front.events).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
        drop(front.commands);
    });

    let own = &host.own;
    let identity = own.home.identity().clone();
    let sitting = &host.seating.sitting;
    // Room for the first record and the deals, but not for the seal.
    let journal = Journal::create(Full(Vec::new(), 2), identity.file_key(), sitting).unwrap();
    let inputs = Full(Vec::new(), u32::MAX);
    let inputs = Inputs::open(inputs, identity.file_key(), sitting.match_info.id()).unwrap();
    let setting = Setting {
        seat: sitting.seat,
        log: MatchLog::new(sitting.match_info.clone(), sitting.seat),
        journal,
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: inputs.file,
            vault: MemoryVault::default(),
            circuit: host.seating.circuit.clone(),
        }),
        rng: system_rng(),
        identity,
    };
    let (me, _front) = player();
    let peer = host.connection.met.peer.clone();
    let mut sessions = Sessions::default();
    let attempts = sessions.counted(own, &peer).unwrap();
    let mut table = Table::new(setting, Deadlines::default()).unwrap();
    Posts::default().go_to(table.mailbox());
    table.begin(Seat::GUEST, host.connection, Some(attempts));
    let seated = Seated::of(sitting, None, false);
    let (log, needs) = (table.play().log(), PlayerNeeds::default());
    let story = SeatStory::new(sitting, &seated, log, own.peers.clone(), needs);
    let mut seat = SeatRunner {
        own,
        story,
        table,
        player: me,
        dialer: None,
        guests: None,
        sessions,
        banks: None,
        asks_until: None,
        told_declined: false,
    };
    let error = seat.play().unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(PlayError::Journal(_))));
    assert_eq!(exit_code(&error), 1);
    let text = explain(&error);
    for part in [
        "cannot write",
        "Everything that was sent is in the file",
        "dealerless resume",
    ] {
        assert!(text.contains(part), "{text}");
    }
    seat.table.lose_connections();
    let lost = received.iter().find(|line| line.contains("line-lost"));
    let kinds: Vec<String> = received.try_iter().collect();
    assert!(lost.is_some(), "{kinds:?}");
}
