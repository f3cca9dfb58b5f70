//! A guest that sends the end of its last match to a host that does not know it.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::Name;
use dealerless_connection::{Admits, DoorEvent, Happened, PolledConnection, PolledDoor, Stream};
use dealerless_table::Seat;
use dealerless_table::log::{Match, MatchId, Player};
use dealerless_table::play::Control;
use dealerless_table::rules::{Stakes, Variety};
use dealerless_table::testing::test_match::{TestMatch, proposal};

use super::{HOUR, Memory};
use crate::guest::{END_SENT, END_UNCONFIRMED};
use crate::run::door::door_for;
use crate::run::own::Own;
use crate::run::{AnyMatch, Files as _, Guest, Input, Program as _, Route, SeatInPlay, matches};
use crate::seat::{LAST_CALL, PlayerNeeds};

const LISTENER: u32 = 0;

/// A guest and its host, with the records of a match that is over. The guest has joined the host again.
struct Two {
    guest: Guest<Memory>,
    own: Own<Memory>,
    has_ended: bool,
    host: Own<Memory>,
    door: PolledDoor<Memory>,
    /// The last connection, until it is that of the seat.
    met: Option<PolledConnection<Memory>>,
    seat: Option<SeatInPlay<Memory>>,
    now: Duration,
    of: MatchId,
    /// Whether the guest has asked to resume the match.
    resumes: bool,
    /// The socket of the last connection.
    socket: u32,
}

impl Two {
    fn new() -> Self {
        let [host, own] = [(); 2].map(|()| Own::open(Memory::default()).unwrap());
        let variety = Variety::Deck { cards: 3, drawn: 2 };
        let (header, _) = proposal(Stakes::new(variety, 2, 1).unwrap());
        let identities = [&host, &own].map(|own| Arc::clone(&own.identity));
        let player = |number: u8| Player {
            identity: identities[usize::from(number)].public().clone(),
            nonce: [number; 32],
        };
        let players = (0..2).map(player).collect();
        let played = TestMatch {
            match_info: Match::new(header.clone(), players).unwrap(),
            identities: identities.to_vec(),
        };
        let (of, log) = (played.match_info.id(), played.played());
        for (own, seat) in [(&host, Seat::HOST), (&own, Seat::GUEST)] {
            let name = own.files.record_name(&of, &Name::clean("Bert"));
            let file = own.files.open_or_create_file(&name).unwrap();
            let parts = log.history(0).cloned();
            played.journal(seat, file).append(parts).unwrap();
        }
        let admits = Admits::Only {
            invite: None,
            players: vec![own.identity.public().clone()],
        };
        let mut door = door_for(&host, &host.world, admits, header.encode());
        door.listen(LISTENER);
        let route = Route {
            invite: None,
            peer: Some(host.identity.public().clone()),
            addresses: vec!["127.0.0.1:1".parse().unwrap()],
            relay: None,
        };
        let needs = PlayerNeeds::default();
        Two {
            guest: Guest::joining(&own, Box::new(AnyMatch), needs, route, HOUR).unwrap(),
            own,
            has_ended: false,
            host,
            door,
            met: None,
            seat: None,
            now: HOUR,
            of,
            resumes: false,
            socket: 0,
        }
    }

    fn guest_learns(&mut self, what: Happened<'_>) {
        if !self.has_ended {
            let input = Input::Socket(self.socket, what);
            self.guest.input(&mut self.own, input, self.now).unwrap();
        }
    }

    fn host_learns(&mut self, what: Happened<'_>) {
        match (&mut self.seat, &mut self.met) {
            (Some(seat), _) => seat.input(Input::Socket(self.socket, what), self.now),
            (None, Some(connection)) => connection.happened(what, self.now),
            (None, None) => self.door.happened(self.socket, what, self.now),
        }
    }

    /// One step of both programs. The first answer of the host names the match.
    fn step(&mut self) {
        if !self.has_ended {
            self.has_ended = self.guest.step(&mut self.own, self.now).unwrap();
        }
        let last = self.own.world.0.borrow().last;
        if last != self.socket {
            (self.socket, self.met) = (last, None);
            self.host.world.0.borrow_mut().open.insert(last);
            let accepted = Happened::Accepted {
                socket: last,
                from: IpAddr::V4(Ipv4Addr::LOCALHOST),
            };
            self.door.happened(LISTENER, accepted, self.now);
            self.guest_learns(Happened::Opened);
        }
        let sent = std::mem::take(&mut self.own.world.0.borrow_mut().sent);
        self.host_learns(Happened::Received(&sent));
        self.door.step(self.now);
        if let Some(DoorEvent::Connection(connection)) = self.door.next_event() {
            self.met = Some(*connection);
        }
        if let Some(connection) = self.met.as_mut().filter(|_| !self.resumes) {
            let message = connection.core.next_message().unwrap();
            match message.map(|message| Control::decode(&message.bytes).unwrap()) {
                Some(Control::Resume(_)) => self.resumes = true,
                Some(_) => {
                    let open = Control::Open(self.of).encode();
                    connection.core.send(Stream::Control, &open).unwrap();
                }
                None => {}
            }
            connection.flush(self.now);
        }
        self.seat.take_if(|seat| seat.step(self.now).is_some());
        let sent = std::mem::take(&mut self.host.world.0.borrow_mut().sent);
        self.guest_learns(Happened::Received(&sent));
    }

    /// Steps until the guest has asked to resume the match.
    fn resuming() -> Self {
        let mut two = Two::new();
        (0..20).for_each(|_| {
            if !two.resumes {
                two.step();
            }
        });
        assert!(two.resumes);
        two
    }

    /// The last event of the guest, once its program has ended.
    fn last_text(&self) -> String {
        assert!(self.has_ended);
        let events = &self.own.world.0.borrow().events;
        events.last().unwrap()["text"].as_str().unwrap().to_owned()
    }
}

#[test]
fn guest_whose_connection_is_lost_does_not_say_that_the_host_knows_the_end() {
    let mut two = Two::resuming();
    two.guest_learns(Happened::Closed(ErrorKind::UnexpectedEof.into()));
    two.step();
    two.now += LAST_CALL;
    two.step();
    assert_eq!(two.last_text(), END_UNCONFIRMED);
}

#[test]
fn guest_says_that_the_host_knows_the_end_after_the_goodbye_of_the_host() {
    let mut two = Two::resuming();
    let kept = matches::find(&two.host, &two.of).unwrap().unwrap();
    let connection = two.met.take().unwrap();
    two.seat = Some(matches::sending_end(&two.host, kept, connection, HOUR).unwrap());
    (0..20).for_each(|_| two.step());
    assert_eq!(two.last_text(), END_SENT);
}
