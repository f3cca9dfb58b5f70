//! The host of a table and its guests before the match, in simulated time: who waits, who sits, and what they are told.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless::mpc::Attempts;
use dealerless_connection::identity::{Address, Identity, Name, Peer, PublicIdentity, SharedPeers};
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::{
    Admits, Credentials, Dial, DoorEvent, Invite, Invites, Place, PolledConnection, PolledDoor,
    Sockets, Stream, Timing,
};
use dealerless_table::Seat;
use dealerless_table::log::{Clock, Match, MatchId, Past, Player, Sitting};
use dealerless_table::play::{
    BuyTerms, Control, DealCircuit, GuestAddresses, Order, Proposal, Ready, Roster, TableTerms,
};
use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts, Stakes, Variety};
use serde_json::Value;

use super::wires::{LISTENER, Wires};
use super::{HOUR, Memory};
use crate::command::Said;
use crate::event::Event;
use crate::run::finding::request;
use crate::run::matches::{Kept, NO_SEAT, NewMatch, find, keep_number, kept_table};
use crate::run::other_guests::keep;
use crate::run::own::{Own, Stored, kept_peers};
use crate::run::{
    Guest, Host, Hosted, HostedAt, Input, Program as _, Requirements, Route, SeatWorld, Ways, door,
    host_table_again,
};
use crate::seat::PlayerNeeds;

const SECOND: Duration = Duration::from_secs(1);

/// A world whose sockets all lead to the host.
#[derive(Clone)]
struct AtTable {
    memory: Memory,
    wires: Wires,
}

impl SeatWorld for AtTable {
    type Sockets = Wires;
    type Files = Memory;

    const IN_PAGE: bool = false;

    fn sockets(&self) -> &Wires {
        &self.wires
    }

    fn report(&self, event: &Event) {
        self.memory.report(event);
    }

    fn attach_engine(&self, _: u32, _: Box<dyn Attempts>) {}

    fn detach_engine(&self) {}

    fn is_engine_settled(&self) -> bool {
        true
    }

    fn start_engine(
        &self,
        _: &mut PolledConnection<Wires>,
        _: Seat,
        _: &Arc<DealCircuit>,
    ) -> io::Result<()> {
        Ok(())
    }

    fn order_engine(&self, _: Order) {}

    fn count_voided_run(&self) -> io::Result<()> {
        Ok(())
    }
}

fn identity(player: u8) -> Arc<Identity> {
    Arc::new(Identity::from_seed([player; 32]))
}

fn public(player: u8) -> PublicIdentity {
    identity(player).public().clone()
}

fn fingerprint(player: u8) -> String {
    public(player).fingerprint().to_string()
}

/// The address of the host.
fn address() -> Address {
    "127.0.0.1:1".parse().unwrap()
}

fn own(player: u8, name: &str, wires: &Wires) -> Own<AtTable> {
    let (memory, identity) = (Memory::default(), identity(player));
    let invites = Invites::open(Box::new(MemoryVault::default())).unwrap();
    let stored = Stored {
        peers: SharedPeers::new(kept_peers(&memory, &identity).unwrap()),
        files: memory.clone(),
        identity,
        invites: Arc::new(Mutex::new(invites)),
        name: Name::clean(name),
    };
    let wires = wires.clone();
    Own::new(AtTable { memory, wires }, stored)
}

/// The player knows another one from now on.
fn meets(own: &Own<AtTable>, player: u8) {
    let name = Name::clean(&format!("Player {player}"));
    let mut peers = own.peers.lock();
    peers.remember(&public(player), &name, &[], None).unwrap();
}

/// The events of a program since the last call.
fn events(own: &Own<AtTable>) -> Vec<Value> {
    std::mem::take(&mut own.world.memory.0.borrow_mut().events)
}

/// The last of these events of one kind.
fn last<'a>(events: &'a [Value], kind: &str) -> Option<&'a Value> {
    events.iter().rfind(|event| event["event"] == kind)
}

fn count(events: &[Value], kind: &str) -> usize {
    let of_kind = events.iter().filter(|event| event["event"] == kind);
    of_kind.count()
}

/// The fingerprints of the players in an event.
fn players(event: &Value) -> Vec<String> {
    let players = event["players"].as_array().unwrap().iter();
    let fingerprints = players.map(|player| player["fingerprint"].as_str().unwrap().to_owned());
    fingerprints.collect()
}

fn terms(seats: u8, is_open: bool) -> TableTerms {
    let rules = BettingRules {
        stack: 100,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    let stakes = Stakes::new(Variety::Poker(PokerKind::Holdem, rules), seats, 1).unwrap();
    let buys = BuyTerms::of_stack(100);
    TableTerms::new(stakes, buys, 0, false, is_open, Clock::default()).unwrap()
}

/// A guest with a program that its test drives.
struct Driven {
    line: Line,
    heard: Vec<Control>,
}

enum Line {
    Calls(Box<Dial<Wires>>),
    Met(Box<PolledConnection<Wires>>),
    Refused,
}

/// The host of a table, and its guests.
struct Table {
    wires: Wires,
    own: Own<AtTable>,
    host: Host<AtTable>,
    proposal: Proposal,
    link: Invite,
    guests: Vec<Driven>,
    /// The door of another player, who hosts the table after this one. Who comes there is a guest, too.
    next_host: Option<PolledDoor<Wires>>,
    now: Duration,
}

impl Table {
    fn new(seats: u8) -> Self {
        Self::of(terms(seats, false))
    }

    fn of(terms: TableTerms) -> Self {
        Self::with(own(0, "Host", &Wires::default()), terms, Vec::new())
    }

    fn with(own: Own<AtTable>, terms: TableTerms, expected: Vec<PublicIdentity>) -> Self {
        let link = own.table_link(&terms, vec![address()], None).unwrap();
        let proposal = Proposal::from(terms);
        let hosted = Hosted {
            expected,
            ..Hosted::new(proposal.clone(), link.clone())
        };
        Self::hosted(own, &proposal, link, |own, door| {
            Host::new(own, door, hosted, PlayerNeeds::default(), HOUR)
        })
    }

    fn hosted(
        own: Own<AtTable>,
        proposal: &Proposal,
        link: Invite,
        host: impl FnOnce(&Own<AtTable>, PolledDoor<Wires>) -> Host<AtTable>,
    ) -> Self {
        let wires = own.world.wires.clone();
        let mut door = door(&own, &wires, proposal);
        door.listen(LISTENER);
        let host = host(&own, door);
        Table {
            wires,
            own,
            host,
            proposal: proposal.clone(),
            link,
            guests: Vec::new(),
            next_host: None,
            now: HOUR,
        }
    }

    /// Player 0, who has opened a table, and resumes its first match with players 1 and 2.
    fn resumed() -> (Self, MatchId) {
        let (own, terms) = (own(0, "Host", &Wires::default()), terms(3, false));
        let of = plays(&own, &terms, [0, 1, 2], address());
        let link = own.table_link(&terms, vec![address()], None).unwrap();
        let table = Self::hosted(own, &terms.into(), link, |own, door| {
            let at = HostedAt {
                ways: Arc::new(Plain),
                addresses: vec![address()],
                relay: None,
            };
            let kept = find(own, &of).unwrap().unwrap();
            host_table_again(own, door, at, kept, PlayerNeeds::default(), HOUR).unwrap()
        });
        (table, of)
    }

    /// A player connects by the link. Returns the number of the guest.
    fn connects(&mut self, player: u8, name: &str) -> usize {
        let link = self.link.clone();
        self.connects_by(&link, player, name)
    }

    fn connects_by(&mut self, link: &Invite, player: u8, name: &str) -> usize {
        let credentials = Credentials {
            identity: identity(player),
            name: Name::clean(name),
        };
        let (timing, now) = (Timing::default(), self.now);
        let dial = Dial::by_invite(
            &self.wires,
            credentials,
            link,
            &[address()],
            None,
            timing,
            now,
        );
        self.guests.push(Driven {
            line: Line::Calls(Box::new(dial.unwrap())),
            heard: Vec::new(),
        });
        self.settles();
        self.guests.len() - 1
    }

    /// A player connects by the link, and asks for a seat. Returns the number of the guest.
    fn sits(&mut self, player: u8) -> usize {
        let guest = self.connects(player, &format!("Guest {player}"));
        self.sends(guest, &Control::Sit);
        guest
    }

    /// A player sits down, and the host's player accepts it.
    fn is_accepted(&mut self, player: u8) -> usize {
        let guest = self.sits(player);
        self.accepts(player);
        guest
    }

    fn sends(&mut self, guest: usize, control: &Control) {
        let Line::Met(line) = &mut self.guests[guest].line else {
            panic!("guest {guest} has not met the host");
        };
        line.core.send(Stream::Control, &control.encode()).unwrap();
        self.settles();
    }

    fn loses(&mut self, guest: usize) {
        let Line::Met(line) = &self.guests[guest].line else {
            panic!("guest {guest} has not met the host");
        };
        self.wires.close(line.number());
        self.guests[guest].line = Line::Refused;
        self.settles();
    }

    fn says(&mut self, said: Said) {
        let input = Input::Said(said, None);
        self.host.input(&mut self.own, input, self.now).unwrap();
        self.settles();
    }

    fn accepts(&mut self, player: u8) {
        let fingerprint = fingerprint(player);
        self.says(Said::Accept { fingerprint });
    }

    fn declines(&mut self, player: u8) {
        let fingerprint = fingerprint(player);
        self.says(Said::Decline { fingerprint });
    }

    /// What a guest has heard since the last call.
    fn hears(&mut self, guest: usize) -> Vec<Control> {
        std::mem::take(&mut self.guests[guest].heard)
    }

    /// The place of a guest and the number of players who have a seat, as it was told last.
    fn place(&mut self, guest: usize) -> Option<(u8, usize)> {
        let heard = self.guests[guest].heard.iter().rev();
        let mut places = heard.filter_map(|control| match control {
            Control::Waits { place, players, .. } => Some((*place, players.len())),
            _ => None,
        });
        places.next()
    }

    fn events(&self) -> Vec<Value> {
        events(&self.own)
    }

    /// Those at the door, by the last event. `None` if there was no such event since the last call.
    fn at_door(&self) -> Option<Vec<String>> {
        last(&self.events(), "at-door").map(players)
    }

    fn knows(&self, player: u8) -> bool {
        self.own.peers.lock().get(&public(player)).is_some()
    }

    /// Lets everything happen that happens now.
    fn settles(&mut self) {
        loop {
            let is_over = self.host.step(&mut self.own, self.now).unwrap();
            assert!(!is_over);
            if let Some(door) = &mut self.next_host {
                door.step(self.now);
                while let Some(event) = door.next_event() {
                    if let DoorEvent::Connection(line) = event {
                        self.guests.push(Driven {
                            line: Line::Met(line),
                            heard: Vec::new(),
                        });
                    }
                }
            }
            for guest in &mut self.guests {
                let Line::Met(line) = &mut guest.line else {
                    continue;
                };
                line.flush(self.now);
                while let Ok(Some(message)) = line.core.next_message() {
                    guest.heard.extend(request(&message));
                }
            }
            let Some((socket, what)) = self.wires.next() else {
                return;
            };
            let what = what.happened();
            if self.host.has(socket) {
                let input = Input::Socket(socket, what);
                self.host.input(&mut self.own, input, self.now).unwrap();
                continue;
            }
            let is_used = |guest: &&mut Driven| match &guest.line {
                Line::Calls(call) => call.has(socket),
                Line::Met(line) => line.number() == socket,
                Line::Refused => false,
            };
            let Some(guest) = self.guests.iter_mut().find(is_used) else {
                if let Some(door) = &mut self.next_host {
                    door.happened(socket, what, self.now);
                }
                continue;
            };
            match &mut guest.line {
                Line::Calls(call) => match call.happened(socket, what, self.now) {
                    Ok(None) => {}
                    Ok(Some(line)) => guest.line = Line::Met(Box::new(line)),
                    Err(_) => guest.line = Line::Refused,
                },
                Line::Met(line) => line.happened(what, self.now),
                Line::Refused => {}
            }
        }
    }

    /// Goes forward, second by second.
    fn waits(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.now += SECOND;
            self.settles();
        }
    }
}

/// Makes the files of a first match of these players, the first of whom may be reached at this address.
fn plays(own: &Own<AtTable>, terms: &TableTerms, players: [u8; 3], others_at: Address) -> MatchId {
    let place = players
        .iter()
        .position(|player| public(*player) == *own.identity.public());
    let player = |player| Player {
        identity: public(player),
        nonce: [player; 32],
    };
    let sitting = Sitting {
        match_info: Match::new(terms.header(3).unwrap(), players.map(player).to_vec()).unwrap(),
        seat: Seat::new(place.unwrap() as u8),
        names: players
            .map(|player| Name::clean(&format!("Player {player}")))
            .to_vec(),
    };
    let new = NewMatch::create(own, sitting).unwrap();
    keep_number(own, &new.name, terms, 0).unwrap();
    let addresses = [(); 3].map(|()| GuestAddresses::new(vec![others_at.clone()]));
    keep(own, &new.name, &[], &addresses).unwrap();
    let of = new.sitting.match_info.id();
    drop(new.begin::<AtTable>(own, None).unwrap());
    of
}

#[test]
fn sixteen_guests_wait_for_an_answer_and_a_further_one_replaces_the_oldest() {
    let mut table = Table::new(3);
    let guests: Vec<usize> = (1..=16).map(|player| table.sits(player)).collect();
    let all: Vec<String> = (1..=16).map(fingerprint).collect();
    assert_eq!(table.at_door(), Some(all));
    table.sits(17);
    let last_16: Vec<String> = (2..=17).map(fingerprint).collect();
    assert_eq!(table.at_door(), Some(last_16));
    assert_eq!(table.hears(guests[0]), [Control::Taken]);
    assert_eq!(table.hears(guests[1]), []);
}

#[test]
fn player_waits_with_one_connection_the_newest() {
    let mut table = Table::new(3);
    let [old, new] = [0; 2].map(|_| table.sits(1));
    assert_eq!(table.at_door(), Some(vec![fingerprint(1)]));
    table.accepts(1);
    assert_eq!(table.place(old), None);
    assert_eq!(table.place(new), Some((0, 2)));
    // The same at the table: a player who comes again has one seat.
    table.events();
    let newest = table.sits(1);
    assert_eq!(table.place(newest), Some((0, 2)));
    assert_eq!(table.at_door(), None);
}

#[test]
fn host_answers_the_guests_in_any_order() {
    let mut table = Table::new(4);
    let [first, second, third] = [1, 2, 3].map(|player| table.sits(player));
    table.accepts(3);
    assert_eq!(table.place(third), Some((0, 2)));
    table.declines(1);
    assert_eq!(table.hears(first), [Control::Declined]);
    assert_eq!(table.hears(second), []);
    assert_eq!(table.at_door(), Some(vec![fingerprint(2)]));
    table.accepts(2);
    assert_eq!(table.place(second), Some((0, 3)));
    assert_eq!(table.at_door(), Some(Vec::new()));
    // Nobody waits any more.
    table.accepts(1);
    let events = table.events();
    assert_eq!(last(&events, "error").unwrap()["code"], "nobody-asked");
}

#[test]
fn declined_player_is_declined_without_a_question_until_the_link_is_replaced() {
    let mut table = Table::new(3);
    table.sits(1);
    table.declines(1);
    table.events();
    let again = table.sits(1);
    assert_eq!(table.hears(again), [Control::Declined]);
    assert_eq!(table.at_door(), None);
    table.says(Said::LinkNew {});
    table.link = new_link(&table.events());
    table.sits(1);
    assert_eq!(table.at_door(), Some(vec![fingerprint(1)]));
}

/// The link of the last event with one.
fn new_link(events: &[Value]) -> Invite {
    let invite = last(events, "invite").unwrap()["invite"].as_str().unwrap();
    invite.parse().unwrap()
}

#[test]
fn replaced_link_gets_no_answer_and_those_who_were_admitted_stay() {
    let mut table = Table::new(4);
    let seated = table.is_accepted(1);
    let old = table.link.clone();
    table.says(Said::LinkNew {});
    let new = new_link(&table.events());
    let late = table.connects_by(&old, 2, "Late");
    table.waits(SECOND * 11);
    assert!(matches!(table.guests[late].line, Line::Refused));
    let comes = table.connects_by(&new, 3, "Carla");
    table.sends(comes, &Control::Sit);
    table.accepts(3);
    assert_eq!(table.place(seated), Some((0, 3)));
    assert_eq!(table.place(comes), Some((0, 3)));
}

#[test]
fn guest_becomes_a_known_peer_when_it_is_admitted() {
    let mut table = Table::new(3);
    table.connects(1, "Anna");
    let guests = [2, 3].map(|player| table.sits(player));
    table.declines(2);
    assert!(!table.knows(1) && !table.knows(2) && !table.knows(3));
    table.accepts(3);
    assert!(table.knows(3) && !table.knows(2));
    assert_eq!(table.place(guests[1]), Some((0, 2)));
    // So does a guest with an invite to an earlier match of two.
    let link = table.own.invite(vec![address()], None).unwrap();
    let mut next = Table::with(table.own, terms(3, false), Vec::new());
    let late = next.connects_by(&link, 4, "Dora");
    next.sends(late, &Control::Sit);
    assert_eq!(next.at_door(), Some(vec![fingerprint(4)]));
    assert!(!next.knows(4));
    next.accepts(4);
    assert!(next.knows(4));
}

#[test]
fn expected_player_sits_down_without_a_question() {
    let table = Table::new(3);
    let mut table = Table::with(table.own, terms(3, false), vec![public(1)]);
    let guest = table.sits(1);
    assert_eq!(table.place(guest), Some((0, 2)));
    assert_eq!(table.at_door(), None);
}

#[test]
fn everybody_sits_down_at_an_open_table() {
    let mut table = Table::of(terms(4, true));
    let guests = [1, 2].map(|player| table.sits(player));
    assert_eq!(table.place(guests[0]), Some((0, 3)));
    assert_eq!(table.place(guests[1]), Some((0, 3)));
    let events = table.events();
    assert_eq!(count(&events, "at-door"), 0);
    let seated = last(&events, "table").map(players);
    assert_eq!(seated, Some([0, 1, 2].map(fingerprint).to_vec()));
}

#[test]
fn blocked_player_is_declined_and_not_shown() {
    for is_open in [false, true] {
        let mut table = Table::of(terms(3, is_open));
        table.is_accepted(1);
        let mut peers = table.own.peers.lock();
        peers.block(&public(1), true).unwrap();
        drop(peers);
        table.events();
        let guest = table.sits(1);
        assert_eq!(table.hears(guest), [Control::Declined]);
        assert_eq!(table.at_door(), None);
    }
}

#[test]
fn guests_without_a_seat_are_told_their_place_and_move_up() {
    let mut table = Table::new(3);
    let guests = [1, 2, 3, 4].map(|player| table.is_accepted(player));
    let places = guests.map(|guest| table.place(guest));
    let seated = Some((0, 3));
    assert_eq!(places, [seated, seated, Some((1, 3)), Some((2, 3))]);
    // One that comes again in time has its place.
    table.loses(guests[2]);
    table.waits(SECOND * 5);
    let again = table.sits(3);
    assert_eq!(table.place(again), Some((1, 3)));
    // A seat becomes free.
    table.declines(2);
    assert_eq!(table.place(again), seated);
    assert_eq!(table.place(guests[3]), Some((1, 3)));
}

#[test]
fn lost_guest_keeps_its_seat_for_a_minute_and_is_shown_as_away() {
    let mut table = Table::new(4);
    let guests = [1, 2].map(|player| table.is_accepted(player));
    table.loses(guests[0]);
    let away =
        |table: &Table| last(&table.events(), "table").unwrap()["players"][1]["away"] == true;
    assert!(away(&table));
    table.waits(SECOND * 59);
    let again = table.sits(1);
    assert!(!away(&table));
    assert_eq!(table.place(again), Some((0, 3)));
    table.loses(guests[1]);
    table.waits(SECOND * 61);
    assert_eq!(table.place(again), Some((0, 2)));
    // It stays admitted.
    table.events();
    let late = table.sits(2);
    assert_eq!(table.place(late), Some((0, 3)));
    assert_eq!(table.at_door(), None);
}

/// The list of players that a guest was given last.
fn roster(table: &mut Table, guest: usize) -> Option<Roster> {
    let heard = table.guests[guest].heard.iter().rev();
    let mut rosters = heard.filter_map(|control| match control {
        Control::Roster(roster) => Some((**roster).clone()),
        _ => None,
    });
    rosters.next()
}

/// The number for which a guest has to be ready, as it was told last. 0 if it has to wait.
fn number(table: &Table, guest: usize) -> u16 {
    let heard = table.guests[guest].heard.iter().rev();
    let mut numbers = heard.filter_map(|control| match control {
        Control::Waits { number, .. } => Some(*number),
        _ => None,
    });
    numbers.next().unwrap_or_default()
}

fn is_ready(table: &mut Table, guest: usize) {
    let ready = Ready {
        past: None,
        number: number(table, guest),
        nonce: [guest as u8; 32],
        buy: 100,
        addresses: GuestAddresses::default(),
    };
    table.sends(guest, &Control::Ready(Box::new(ready)));
}

#[test]
fn host_starts_with_those_who_have_a_seat() {
    let mut table = Table::new(6);
    table.says(Said::Start {});
    let events = table.events();
    assert_eq!(last(&events, "error").unwrap()["code"], "not-allowed");
    let guests = [1, 2].map(|player| table.is_accepted(player));
    let at_door = table.sits(3);
    assert_eq!(guests.map(|guest| number(&table, guest)), [0, 0]);
    table.says(Said::Start {});
    assert_eq!(guests.map(|guest| number(&table, guest)), [1, 1]);
    is_ready(&mut table, guests[0]);
    assert!(table.host.seat().is_none());
    is_ready(&mut table, guests[1]);
    for guest in guests {
        let list = roster(&mut table, guest).expect("a list");
        let players = list.players.iter().map(|player| player.identity.clone());
        assert_eq!(players.collect::<Vec<_>>(), [0, 1, 2].map(public));
        assert_eq!(list.header.table.unwrap().buys, [100; 3]);
    }
    // The player at the door may still be admitted.
    assert_eq!(table.hears(at_door), []);
    let seat = table.host.seat().expect("a match");
    assert_eq!(seat.log().match_info().seats(), 3);
}

#[test]
fn match_begins_when_all_seats_are_taken_and_those_who_wait_keep_waiting() {
    let mut table = Table::new(3);
    let guests = [1, 2, 3].map(|player| table.is_accepted(player));
    assert_eq!(table.place(guests[2]), Some((1, 3)));
    for guest in &guests[..2] {
        is_ready(&mut table, *guest);
    }
    assert_eq!(number(&table, guests[2]), 0);
    assert!(!table.hears(guests[2]).contains(&Control::Taken));
    assert!(table.host.seat().is_some());
}

#[test]
fn guest_who_is_not_ready_in_time_is_left_out_of_the_list() {
    let mut table = Table::new(4);
    let guests = [1, 2, 3].map(|player| table.is_accepted(player));
    for guest in &guests[1..] {
        is_ready(&mut table, *guest);
    }
    table.waits(SECOND * 9);
    assert!(table.host.seat().is_none());
    table.waits(SECOND * 2);
    let list = roster(&mut table, guests[1]).expect("a list");
    let players = list.players.iter().map(|player| player.identity.clone());
    assert_eq!(players.collect::<Vec<_>>(), [0, 2, 3].map(public));
}

#[test]
fn list_whose_players_do_not_sign_in_time_gives_way_to_one_without_them() {
    let mut table = Table::new(3);
    let guests = [1, 2, 3].map(|player| table.is_accepted(player));
    for guest in &guests[..2] {
        is_ready(&mut table, *guest);
    }
    let first = roster(&mut table, guests[0]).expect("a list");
    table.waits(SECOND * 40);
    // Nobody has signed in the first match. Its files are removed, and its players are not asked any more.
    assert!(table.host.seat().is_none());
    let state = table.own.files.0.borrow();
    assert!(!state.files.keys().any(|name| name.ends_with(".log")));
    drop(state);
    assert_eq!(table.place(guests[2]), Some((0, 2)));
    assert_eq!(number(&table, guests[2]), 0);
    // Another list can begin with number 1 again.
    let fourth = table.is_accepted(4);
    assert_eq!(number(&table, guests[2]), 1);
    for guest in [guests[2], fourth] {
        is_ready(&mut table, guest);
    }
    let second = roster(&mut table, fourth).expect("a list");
    assert_eq!(second.players[1].identity, public(3));
    // The new list has another nonce of the host.
    assert_ne!(first.players[0].nonce, second.players[0].nonce);
}

#[test]
fn host_is_told_of_a_second_player_with_the_same_name_once() {
    let mut table = Table::new(4);
    let joins = |table: &mut Table, player| {
        let guest = table.connects(player, if player == 1 { "Anna" } else { "anna" });
        table.sends(guest, &Control::Sit);
    };
    joins(&mut table, 1);
    table.accepts(1);
    joins(&mut table, 2);
    table.events();
    table.accepts(2);
    let told = |table: &Table| {
        let events = table.events();
        let mut texts = events.iter().filter_map(|event| event["text"].as_str());
        texts.any(|text| text.contains("is already here with another identity"))
    };
    assert!(told(&table));
    joins(&mut table, 2);
    assert!(!told(&table));
}

#[test]
fn guest_that_joins_the_queue_leaves_the_number_as_it_is() {
    let mut table = Table::new(3);
    let guests = [1, 2].map(|player| table.is_accepted(player));
    is_ready(&mut table, guests[0]);
    table.hears(guests[0]);
    let waits = table.is_accepted(3);
    assert_eq!(table.place(waits), Some((1, 3)));
    assert_eq!(table.hears(guests[0]), []);
    is_ready(&mut table, guests[1]);
    assert!(table.host.seat().is_some());
}

#[test]
fn host_turns_an_admitted_guest_away_for_good() {
    let mut table = Table::new(4);
    let guests = [1, 2].map(|player| table.is_accepted(player));
    table.declines(1);
    assert_eq!(table.hears(guests[0]).last(), Some(&Control::Declined));
    assert_eq!(table.place(guests[1]), Some((0, 2)));
    table.events();
    let again = table.sits(1);
    assert_eq!(table.hears(again), [Control::Declined]);
    assert_eq!(table.at_door(), None);
}

#[test]
fn new_link_closes_the_connections_at_the_door_that_came_by_the_old_one() {
    let mut table = Table::new(4);
    table.sits(1);
    assert_eq!(table.at_door(), Some(vec![fingerprint(1)]));
    table.says(Said::LinkNew {});
    assert_eq!(table.at_door(), Some(Vec::new()));
    table.accepts(1);
    let events = table.events();
    assert_eq!(last(&events, "error").unwrap()["code"], "nobody-asked");
}

#[test]
fn host_is_told_of_an_admitted_guest_that_takes_the_name_of_another() {
    let mut table = Table::new(4);
    for player in [1, 2] {
        table.is_accepted(player);
    }
    table.events();
    let renamed = table.connects(1, "Guest 2");
    table.sends(renamed, &Control::Sit);
    let events = table.events();
    let mut texts = events.iter().filter_map(|event| event["text"].as_str());
    assert!(texts.any(|text| text.contains("is already here with another identity")));
}

/// A guest's program at the table of a host that the test drives.
struct OfGuest {
    wires: Wires,
    door: PolledDoor<Wires>,
    line: Option<PolledConnection<Wires>>,
    own: Own<AtTable>,
    guest: Guest<AtTable>,
    heard: Vec<Control>,
    now: Duration,
    /// How the program has ended.
    error: Option<String>,
    terms: TableTerms,
}

struct Plain;

impl Requirements<AtTable> for Plain {
    fn asks(&self) -> bool {
        true
    }

    fn ways(&self) -> Option<Arc<dyn Ways<AtTable>>> {
        Some(Arc::new(Plain))
    }
}

impl Ways<AtTable> for Plain {
    fn listens_at(&self) -> &[String] {
        &[]
    }

    fn listen(
        &self,
        _: &Own<AtTable>,
        _: &mut PolledDoor<Wires>,
        _: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Address>)> {
        Ok((Vec::new(), Vec::new()))
    }

    fn route(&self, _: &Peer) -> Option<Route> {
        None
    }

    fn relay(&self) -> Option<Place> {
        None
    }
}

impl OfGuest {
    /// Player 1, who has come by the link and has agreed to the terms of a table of three.
    fn new() -> Self {
        let terms = terms(3, false);
        let mut this = Self::comes(terms.clone(), terms.into());
        let events = events(&this.own);
        let asked = last(&events, "ask-table").expect("a question");
        assert_eq!(asked["seats"], 3);
        assert_eq!(this.heard, []);
        let agrees = Input::Said(Said::Sit { agree: true }, None);
        this.guest.input(&mut this.own, agrees, HOUR).unwrap();
        this.settles();
        assert_eq!(this.heard, [Control::Sit]);
        this
    }

    /// Player 1, who has come by the link of a table and gets this proposal.
    fn comes(terms: TableTerms, offer: Proposal) -> Self {
        Self::with(terms, offer, |own, route| {
            let needs = PlayerNeeds::default();
            Guest::joining(own, Box::new(Plain), needs, route, HOUR).unwrap()
        })
    }

    /// Player 1 with this program, who gets this proposal at the link.
    fn with(
        terms: TableTerms,
        offer: Proposal,
        program: impl FnOnce(&Own<AtTable>, Route) -> Guest<AtTable>,
    ) -> Self {
        let wires = Wires::default();
        let host = own(0, "Host", &wires);
        meets(&host, 1);
        let link = host.table_link(&terms, vec![address()], None).unwrap();
        let admits = Admits::Invited(host.peers.clone());
        let (keys, invites) = (host.credentials(), Arc::clone(&host.invites));
        let (offer, timing) = (offer.encode(), Timing::default());
        let mut door = PolledDoor::new(&wires, keys, admits, invites, offer, timing);
        door.listen(LISTENER);
        let own = own(1, "Anna", &wires);
        let guest = program(&own, Route::to_host(link));
        let mut this = OfGuest {
            wires,
            door,
            line: None,
            own,
            guest,
            heard: Vec::new(),
            now: HOUR,
            error: None,
            terms,
        };
        this.settles();
        this
    }

    fn settles(&mut self) {
        loop {
            if self.error.is_none() {
                let step = self.guest.step(&mut self.own, self.now);
                self.error = step.err().map(|error| format!("{error:#}"));
            }
            self.door.step(self.now);
            while let Some(event) = self.door.next_event() {
                if let DoorEvent::Connection(line) = event {
                    self.line = Some(*line);
                }
            }
            if let Some(line) = &mut self.line {
                line.flush(self.now);
                while let Ok(Some(message)) = line.core.next_message() {
                    self.heard.extend(request(&message));
                }
            }
            let Some((socket, what)) = self.wires.next() else {
                return;
            };
            let what = what.happened();
            let line = self.line.as_mut();
            if let Some(line) = line.filter(|line| line.number() == socket) {
                line.happened(what, self.now);
            } else if self.guest.has(socket) {
                let input = Input::Socket(socket, what);
                if let Err(error) = self.guest.input(&mut self.own, input, self.now) {
                    self.error.get_or_insert(format!("{error:#}"));
                }
            } else {
                self.door.happened(socket, what, self.now);
            }
        }
    }

    fn hears(&mut self, control: &Control) {
        let line = self.line.as_mut().unwrap();
        line.core.send(Stream::Control, &control.encode()).unwrap();
        self.settles();
    }

    fn waits(&mut self, seconds: u32) {
        for _ in 0..seconds {
            self.now += SECOND;
            self.settles();
        }
    }

    /// Is asked to be ready for number 1. Returns its nonce.
    fn nonce(&mut self) -> [u8; 32] {
        let players = ["Host", "Anna", "Bert"].map(Name::clean).to_vec();
        self.hears(&Control::Waits {
            place: 0,
            number: 1,
            players,
        });
        let heard = self.heard.iter().rev();
        let mut nonces = heard.filter_map(|control| match control {
            Control::Ready(ready) => Some(ready.nonce),
            _ => None,
        });
        nonces.next().expect("a nonce")
    }

    /// A list of the host, this player and player 2 with number 1.
    fn list(&mut self, terms: &TableTerms, past: Option<Past>, buys: Vec<u64>) -> Roster {
        let nonces = [[0; 32], self.nonce(), [2; 32]];
        let player = |(player, nonce)| Player {
            identity: public(player),
            nonce,
        };
        let players: Vec<Player> = (0..).zip(nonces).map(player).collect();
        Roster::sign(
            &identity(0),
            terms.header_of(&players, past, 1, buys).unwrap(),
            players,
            ["Host", "Anna", "Bert"].map(Name::clean).to_vec(),
            vec![GuestAddresses::default(); 3],
        )
    }

    /// Gets such a list of a first match.
    fn is_listed(&mut self, terms: &TableTerms) {
        let list = self.list(terms, None, vec![100; 3]);
        self.hears(&Control::Roster(Box::new(list)));
    }

    /// Why the program ends.
    fn error(&mut self) -> String {
        self.now += SECOND * 10;
        self.settles();
        self.error.clone().expect("an error")
    }

    /// Whether the guest has signed in the match of a list, or has its files.
    fn signs(&mut self) -> bool {
        let resumes = |control: &Control| matches!(control, Control::Resume(_));
        let has_record = |name: &String| name.ends_with(".log");
        let has_files = self.own.files.0.borrow().files.keys().any(has_record);
        assert_eq!(self.guest.seat().is_some(), has_files);
        has_files || self.heard.iter().any(resumes)
    }
}

#[test]
fn guest_signs_only_in_the_match_of_a_list_with_the_terms_of_the_table() {
    let mut guest = OfGuest::new();
    let terms = guest.terms.clone();
    guest.is_listed(&terms);
    assert!(guest.signs(), "{:?}", guest.error);

    let mut guest = OfGuest::new();
    let clock = Clock {
        each_move: 1,
        bank: 1,
    };
    let other = TableTerms {
        clock,
        ..guest.terms.clone()
    };
    guest.is_listed(&other);
    assert!(!guest.signs());
    let error = guest.error();
    assert!(error.contains("other terms"), "{error}");
}

/// The match in which the guest has signed.
fn signed_match(guest: &OfGuest) -> MatchId {
    let resumed = guest.heard.iter().rev().find_map(|control| match control {
        Control::Resume(of) => Some(*of),
        _ => None,
    });
    resumed.expect("a match")
}

#[test]
fn guest_gives_up_a_match_that_its_host_does_not_know_and_asks_for_a_seat_again() {
    let mut guest = OfGuest::new();
    let terms = guest.terms.clone();
    guest.is_listed(&terms);
    assert!(guest.signs());
    let of = signed_match(&guest);
    guest.heard.clear();
    guest.line = None;
    guest.waits(2);
    assert_eq!(guest.heard, [Control::Resume(of)]);
    guest.heard.clear();
    guest.hears(&Control::Unknown(of));
    guest.waits(1);
    guest.line = None;
    guest.waits(2);
    assert!(!guest.signs());
    assert_eq!(count(&events(&guest.own), "ask-table"), 0);
    assert_eq!(guest.heard, [Control::Sit]);
    assert_eq!(guest.error, None);
}

#[test]
fn guest_that_is_connected_to_nobody_gives_up_a_match_that_has_not_begun_after_a_minute() {
    let mut guest = OfGuest::new();
    let terms = guest.terms.clone();
    guest.is_listed(&terms);
    guest.now += SECOND;
    guest.wires.0.borrow_mut().refuses = true;
    guest.line = None;
    guest.settles();
    guest.waits(60);
    assert!(guest.signs());
    guest.heard.clear();
    guest.waits(1);
    assert!(!guest.signs());
}

#[test]
fn guest_refuses_a_list_in_which_it_buys_more_than_it_has_asked_for() {
    let terms = terms(3, false);
    let buys = BuyTerms {
        most: 200,
        ..terms.buys
    };
    let terms = TableTerms { buys, ..terms };
    let mut guest = OfGuest::comes(terms.clone(), terms.clone().into());
    let agrees = Input::Said(Said::Sit { agree: true }, None);
    guest.guest.input(&mut guest.own, agrees, HOUR).unwrap();
    guest.settles();
    let list = guest.list(&terms, None, vec![100, 200, 100]);
    guest.hears(&Control::Roster(Box::new(list)));
    let error = guest.error();
    assert!(error.contains("with other chips"), "{error}");
}

#[test]
fn guest_that_is_asked_for_a_number_again_keeps_its_nonce_until_the_next_number() {
    let mut guest = OfGuest::new();
    let first = guest.nonce();
    let waits = |number| Control::Waits {
        place: 0,
        number,
        players: Vec::new(),
    };
    guest.hears(&waits(0));
    guest.heard.clear();
    // It answers, although it was ready for this number before.
    assert_eq!(guest.nonce(), first);
    guest.hears(&waits(2));
    let ready = guest.heard.iter().rev().find_map(|control| match control {
        Control::Ready(ready) => Some(ready),
        _ => None,
    });
    let ready = ready.expect("an answer");
    assert!(ready.number == 2 && ready.nonce != first);
}

/// The match may be over for the guest, and the host may not know it yet.
#[test]
fn guest_asks_a_host_that_resumes_a_match_for_its_seat_without_a_question() {
    let terms = terms(3, false);
    let header = terms.header(3).unwrap();
    let mut guest = OfGuest::comes(terms, header.into());
    assert_eq!(guest.heard, [Control::Sit]);
    assert_eq!(count(&events(&guest.own), "ask-table"), 0);
    guest.hears(&Control::Taken);
    let error = guest.error();
    assert!(error.contains("you have no seat"), "{error}");
}

/// Player 1, who has lost its chips at a table with these terms, and resumes. The host offers `offer`. Returns the guest, and
/// the name of the record.
fn without_chips(terms: &TableTerms, offer: TableTerms) -> (OfGuest, String) {
    let mut record = String::new();
    let guest = OfGuest::with(terms.clone(), offer.into(), |own, route| {
        let player = |player| Player {
            identity: public(player),
            nonce: [player; 32],
        };
        // This record is not over, so it is one with another host.
        let players = [3, 1, 2].map(player).to_vec();
        let sitting = Sitting {
            match_info: Match::new(terms.header(3).unwrap(), players).unwrap(),
            seat: Seat::GUEST,
            names: ["Host", "Anna", "Bert"].map(Name::clean).to_vec(),
        };
        record = NewMatch::create(own, sitting).unwrap().name;
        keep_number(own, &record, terms, NO_SEAT).unwrap();
        let kept = Kept::open(own, record.clone()).unwrap();
        let needs = PlayerNeeds::default();
        Guest::resuming(own, Box::new(Plain), needs, route, kept, HOUR).unwrap()
    });
    (guest, record)
}

#[test]
fn player_is_asked_again_when_the_host_has_changed_the_terms_of_its_table() {
    let terms = terms(3, false);
    let buys = BuyTerms {
        most: terms.buys.most * 2,
        ..terms.buys
    };
    let (mut guest, _) = without_chips(
        &terms,
        TableTerms {
            buys,
            ..terms.clone()
        },
    );
    let events = events(&guest.own);
    assert!(last(&events, "ask-table").is_some(), "{events:?}");
    let said = Input::Said(Said::TopUp { chips: 200 }, None);
    guest.guest.input(&mut guest.own, said, HOUR).unwrap();
    guest.settles();
    assert_eq!(guest.heard, []);
}

#[test]
fn player_without_chips_comes_back_by_resume_and_buys_only_when_it_says_so() {
    let terms = terms(3, false);
    let (mut guest, record) = without_chips(&terms, terms.clone());
    let told = last(&events(&guest.own), "notice").cloned();
    let text = told.expect("a notice")["text"].to_string();
    assert!(text.contains("`sit` sits down"), "{text}");
    assert_eq!(guest.heard, []);
    let mut says = |said| {
        let said = Input::Said(said, None);
        guest.guest.input(&mut guest.own, said, HOUR).unwrap();
        guest.settles();
    };
    says(Said::Sit { agree: true });
    says(Said::Leave { anyhow: true });
    assert_eq!(guest.heard[0], Control::Sit);
    // It does not come back by `resume` again.
    assert!(kept_table(&guest.own, &record).is_none());
}

#[test]
fn guest_refuses_a_list_with_a_player_whom_it_has_blocked() {
    let mut guest = OfGuest::new();
    let peers = &guest.own.peers;
    let bert = identity(2);
    let name = Name::clean("Bert");
    peers
        .lock()
        .remember(bert.public(), &name, &[], None)
        .unwrap();
    peers.lock().block(&public(2), true).unwrap();
    let terms = guest.terms.clone();
    guest.is_listed(&terms);
    assert!(guest.error().contains("you have blocked"));
    assert!(!guest.signs());
}

#[test]
fn guest_is_told_who_has_a_seat_and_of_another_player_with_its_name() {
    let mut guest = OfGuest::new();
    let waits = |place, names: &[&str]| Control::Waits {
        place,
        number: 0,
        players: names.iter().map(|name| Name::clean(name)).collect(),
    };
    let told = |guest: &OfGuest| {
        let events = events(&guest.own);
        let table = last(&events, "table").expect("an event");
        let names = table["players"].as_array().unwrap().iter();
        let names = names.map(|player| player["name"].as_str().unwrap().to_owned());
        let place = table["place"].as_u64().unwrap();
        (place, names.collect::<Vec<_>>(), count(&events, "notice"))
    };
    guest.hears(&waits(1, &["Host", "Bert"]));
    assert_eq!(told(&guest), (1, vec!["Host".into(), "Bert".into()], 0));
    guest.hears(&waits(0, &["Host", "Anna"]));
    assert_eq!(told(&guest), (0, vec!["Host".into(), "Anna".into()], 0));
    guest.hears(&waits(0, &["Host", "Anna", "ANNA"]));
    let (_, names, notices) = told(&guest);
    assert_eq!((names.len(), notices), (3, 1));
}

#[test]
fn guest_whose_host_has_gone_comes_back_to_the_new_host() {
    let terms = terms(3, false);
    // Player 3 was the host, and is gone. The door is that of player 0.
    let mut guest = OfGuest::with(terms.clone(), terms.clone().into(), |own, route| {
        let of = plays(own, &terms, [3, 1, 0], address());
        let kept = find(own, &of).unwrap().unwrap();
        let route = Route {
            invite: None,
            peer: Some(public(3)),
            ..route
        };
        let needs = PlayerNeeds::default();
        Guest::resuming(own, Box::new(Plain), needs, route, kept, HOUR).unwrap()
    });
    guest.waits(20);
    let of = signed_match(&guest);
    guest.heard.clear();
    // Another guest can only speak of this match.
    guest.hears(&Control::WentOn(MatchId::new([9; 32]), 80));
    guest.waits(10);
    assert_eq!(guest.heard, []);
    guest.hears(&Control::WentOn(of, 80));
    guest.line = None;
    guest.waits(15);
    assert_eq!(guest.heard, [Control::Sit], "{:?}", guest.error);
    let is_open = |guest: &OfGuest| {
        let kept = find(&guest.own, &of).unwrap().unwrap();
        !kept.opened.is_closed()
    };
    assert!(is_open(&guest));
    // The host is full: the guest calls all players again after a pause, for ten minutes.
    guest.heard.clear();
    guest.hears(&Control::Taken);
    guest.line = None;
    guest.waits(30);
    assert_eq!(guest.heard.last(), Some(&Control::Sit));
    guest.wires.0.borrow_mut().refuses = true;
    guest.line = None;
    guest.waits(540);
    assert_eq!(guest.error, None);
    guest.waits(60);
    let error = guest.error.as_ref().expect("an error");
    assert!(error.contains("cannot be reached"), "{error}");
}

#[test]
fn guest_that_the_new_host_declines_ends() {
    let terms = terms(3, false);
    let mut guest = OfGuest::with(terms.clone(), terms.clone().into(), |own, route| {
        let of = plays(own, &terms, [0, 1, 2], address());
        let kept = find(own, &of).unwrap().unwrap();
        let needs = PlayerNeeds::default();
        Guest::resuming(own, Box::new(Plain), needs, route, kept, HOUR).unwrap()
    });
    let of = signed_match(&guest);
    guest.hears(&Control::WentOn(of, 80));
    guest.line = None;
    guest.waits(1);
    assert_eq!(guest.heard.last(), Some(&Control::Sit));
    guest.hears(&Control::Declined);
    let error = guest.error();
    assert!(error.contains("declined"), "{error}");
}

#[test]
fn host_gives_up_its_role_when_more_than_half_have_continued_its_match() {
    let (mut table, of) = Table::resumed();
    let says = |table: &mut Table, player| {
        let guest = table.connects(player, "Guest");
        table.sends(guest, &Control::WentOn(of, 120));
    };
    let went_on = |table: &Table| {
        let events = table.events();
        let texts = events.iter().filter_map(|event| event["text"].as_str());
        texts
            .filter(|text| text.contains("asks for a seat again"))
            .count()
    };
    // One of three players cannot end the table, whatever it says, and neither can one who does not play.
    says(&mut table, 1);
    says(&mut table, 1);
    says(&mut table, 3);
    assert_eq!(went_on(&table), 0);
    assert!(table.host.seat().is_some());
    // The second guest hosts the table now.
    let new = own(2, "Carla", &table.wires);
    meets(&new, 0);
    says(&mut table, 2);
    assert_eq!(went_on(&table), 1);
    assert!(table.host.seat().is_none());
    let mut door = door(&new, &table.wires, &table.proposal);
    door.listen(LISTENER);
    door.admit(Admits::Invited(new.peers.clone()), table.proposal.encode());
    table.next_host = Some(door);
    table.waits(SECOND * 40);
    let comes = table.guests.last().unwrap();
    assert_eq!(comes.heard, [Control::Sit]);
    // The link of the host has ended.
    let Proposal::Table(terms) = &table.proposal else {
        panic!("no table");
    };
    let link = table.own.table_link(terms, vec![address()], None).unwrap();
    assert_ne!(link.to_string(), table.link.to_string());
}
