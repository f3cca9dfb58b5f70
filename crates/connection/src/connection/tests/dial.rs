//! A guest that races over the routes to its host. The test decides what happens to its sockets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::super::core::Timing;
use super::super::dial::Dial;
use super::super::error::MeetingError;
use super::super::meeting::{Credentials, Established, Meeting};
use super::super::place::{Happened, Place, Sockets};
use super::super::polled::PolledConnection;
use super::meetings::Players;
use crate::identity::{Address, Identity, Name};

const NOW: Duration = Duration::from_secs(1000);
/// The address of the host, and another one.
const ADDRESSES: [&str; 2] = ["198.51.100.7:4000", "[2001:db8::7]:4000"];

/// The open sockets, with their places and what was sent on them.
#[derive(Clone, Default)]
pub(super) struct Network(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    last: u32,
    open: BTreeMap<u32, (Place, Vec<u8>)>,
}

impl Sockets for Network {
    fn open(&self, place: &Place) -> u32 {
        let mut state = self.0.borrow_mut();
        state.last += 1;
        let number = state.last;
        state.open.insert(number, (place.clone(), Vec::new()));
        number
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        let mut state = self.0.borrow_mut();
        let (_, sent) = state.open.get_mut(&socket).unwrap();
        sent.extend(bytes);
        true
    }

    fn close(&self, socket: u32) {
        self.0.borrow_mut().open.remove(&socket);
    }
}

impl Network {
    pub(super) fn open_sockets(&self) -> Vec<u32> {
        self.0.borrow().open.keys().copied().collect()
    }

    fn place(&self, socket: u32) -> Place {
        self.0.borrow().open[&socket].0.clone()
    }

    /// Takes what was sent on a socket.
    pub(super) fn sent(&self, socket: u32) -> Vec<u8> {
        let mut state = self.0.borrow_mut();
        std::mem::take(&mut state.open.get_mut(&socket).unwrap().1)
    }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn tcp() -> Place {
    Place::Tcp("relay.example:4001".parse().unwrap())
}

fn url() -> Place {
    Place::Url("wss://relay.example".into())
}

type Met = Result<Option<PolledConnection<Network>>, MeetingError>;

/// A guest, and the hosts that it reaches.
struct Race {
    network: Network,
    dial: Dial<Network>,
    now: Duration,
}

impl Race {
    fn new(players: &Players, addresses: &[&str], relay: Option<Place>) -> Self {
        Self::of(players, players.own(1), true, addresses, relay).unwrap()
    }

    fn of(
        players: &Players,
        own: Credentials,
        by_invite: bool,
        addresses: &[&str],
        relay: Option<Place>,
    ) -> Result<Self, MeetingError> {
        let network = Network::default();
        let addresses: Vec<Address> = addresses.iter().map(|at| at.parse().unwrap()).collect();
        let (host, invite) = (players.identities[0].public(), &players.invite);
        let (timing, at) = (Timing::default(), &addresses);
        let dial = if by_invite {
            Dial::by_invite(&network, own, invite, at, relay, timing, NOW)
        } else {
            Dial::with_known(&network, own, host, at, relay, timing, NOW)
        };
        Ok(Race {
            network,
            dial: dial?,
            now: NOW,
        })
    }

    fn happens(&mut self, socket: u32, what: Happened<'_>) -> Met {
        self.dial.happened(socket, what, self.now)
    }

    /// Bytes arrive on a socket, and the meeting continues.
    fn receives(&mut self, socket: u32, bytes: &[u8]) {
        assert!(self.try_receive(socket, bytes).unwrap().is_none());
    }

    fn try_receive(&mut self, socket: u32, bytes: &[u8]) -> Met {
        self.happens(socket, Happened::Received(bytes))
    }

    fn opened(&mut self, socket: u32) {
        assert!(self.happens(socket, Happened::Opened).unwrap().is_none());
    }

    fn closed(&mut self, socket: u32, why: ErrorKind) -> Met {
        self.happens(socket, Happened::Closed(why.into()))
    }

    /// Waits until this time after the start.
    fn until(&mut self, after: Duration) -> Met {
        self.now = NOW + after;
        self.dial.step(self.now)
    }

    /// The time of the timer after the start. `None` if there is no timer.
    fn timer(&self) -> Option<Duration> {
        Some(self.dial.timer())
            .filter(|timer| *timer < Duration::MAX)
            .map(|timer| timer - NOW)
    }

    fn open(&self) -> Vec<u32> {
        self.network.open_sockets()
    }

    /// The relay on this socket pairs the guest with a host.
    fn paired(&mut self, socket: u32) {
        self.opened(socket);
        assert!(self.network.sent(socket).starts_with(b"please relay "));
        self.receives(socket, b"ok\n");
    }

    /// A host receives what was sent on a socket, and answers.
    fn answer(&self, socket: u32, host: &mut Meeting) -> Vec<u8> {
        let sent = self.network.sent(socket);
        assert!(
            host.received(&mut &sent[..], Duration::ZERO)
                .unwrap()
                .is_none()
        );
        host.outgoing()
    }

    /// Continues the meeting with a host on a socket, in chunks. Returns the result of the host, and the
    /// connection of the guest.
    fn meets(
        &mut self,
        socket: u32,
        host: &mut Meeting,
        chunk: usize,
    ) -> (Established, PolledConnection<Network>) {
        let (mut met, mut joined) = (None, None);
        for _ in 0..3 {
            let sent = self.network.sent(socket);
            met = host
                .received(&mut &sent[..], Duration::ZERO)
                .unwrap()
                .or(met);
            for part in host.outgoing().chunks(chunk) {
                joined = self.try_receive(socket, part).unwrap().or(joined);
            }
        }
        (met.unwrap(), joined.unwrap())
    }
}

fn host(players: &Players) -> Meeting {
    let [host, _] = players.meetings(true);
    host
}

/// The error of a meeting that fails.
fn error(met: Met) -> MeetingError {
    met.err().unwrap()
}

#[test]
fn guest_meets_its_host_on_each_kind_of_route_in_chunks_of_any_size() {
    let players = Players::new();
    let routes = [
        (&ADDRESSES[..1], None),
        (&[], Some(tcp())),
        (&[], Some(url())),
    ];
    for by_invite in [true, false] {
        for ((addresses, relay), chunk) in routes
            .iter()
            .flat_map(|route| [1, 3, 10_000].map(|chunk| (route, chunk)))
        {
            let own = players.own(1);
            let race = Race::of(&players, own, by_invite, addresses, relay.clone());
            let mut race = race.unwrap();
            assert_eq!(race.open(), [1]);
            assert!(race.dial.has(1) && !race.dial.has(2));
            if relay.is_some() {
                race.paired(1);
            } else {
                race.opened(1);
            }
            let [mut host, _] = players.meetings(by_invite);
            let ((met, _), connection) = race.meets(1, &mut host, chunk);
            assert_eq!(met.handshake_hash, connection.met.handshake_hash);
            assert_eq!(connection.met.came_by(&players.invite), by_invite);
            assert_eq!(connection.relay, *relay);
            assert_eq!(connection.number(), 1);
            assert_eq!(race.timer(), None);
        }
    }
}

#[test]
fn addresses_have_a_lead_over_the_relay() {
    let players = Players::new();
    let mut race = Race::new(&players, &ADDRESSES, Some(tcp()));
    assert_eq!(race.open(), [1, 2]);
    assert_eq!(race.timer(), Some(millis(250)));
    assert!(race.until(millis(249)).unwrap().is_none());
    assert_eq!(race.open(), [1, 2]);
    assert!(race.until(millis(250)).unwrap().is_none());
    assert_eq!(race.open(), [1, 2, 3]);
    assert_eq!(race.network.place(3), tcp());
    // The program limits the time for connecting over TCP.
    assert_eq!(race.timer(), None);
}

#[test]
fn relay_is_tried_earlier_if_all_addresses_have_failed() {
    let players = Players::new();
    let mut race = Race::new(&players, &ADDRESSES, Some(url()));
    race.now = NOW + millis(10);
    let refused = race.closed(2, ErrorKind::ConnectionRefused);
    assert!(refused.unwrap().is_none());
    assert_eq!(race.open(), [1]);
    race.opened(1);
    let cut = race.closed(1, ErrorKind::UnexpectedEof);
    assert!(cut.unwrap().is_none());
    assert_eq!(race.open(), [3]);
    // A relay alone is tried at once.
    assert_eq!(Race::new(&players, &[], Some(tcp())).open(), [1]);
}

#[test]
fn first_eight_addresses_are_tried() {
    let players = Players::new();
    let race = Race::new(&players, &[ADDRESSES[0]; 9], None);
    assert_eq!(race.open(), (1..=8).collect::<Vec<_>>());
}

#[test]
fn of_two_answers_at_once_only_one_gets_a_second_message_and_the_others_are_closed() {
    let players = Players::new();
    let mut race = Race::new(&players, &ADDRESSES, Some(tcp()));
    race.until(millis(250)).unwrap();
    race.paired(3);
    let mut hosts = [(); 2].map(|()| host(&players));
    for (socket, host) in [2, 1].into_iter().zip(&mut hosts) {
        race.opened(socket);
        let answer = race.answer(socket, host);
        race.receives(socket, &answer);
    }
    assert!(race.network.sent(1).is_empty());
    let (_, connection) = race.meets(2, &mut hosts[0], 10_000);
    assert_eq!(connection.number(), 2);
    assert_eq!(connection.relay, None);
    assert_eq!(race.open(), [2]);
    drop(connection);
    assert!(race.open().is_empty());
}

#[test]
fn turn_that_stalls_gives_way_after_two_seconds_if_another_host_has_answered() {
    let players = Players::new();
    let mut race = Race::new(&players, &ADDRESSES, None);
    let mut hosts = [(); 2].map(|()| host(&players));
    for (socket, host) in [1, 2].into_iter().zip(&mut hosts) {
        race.opened(socket);
        let answer = race.answer(socket, host);
        if socket == 1 {
            race.receives(socket, &answer);
            // No other host has answered.
            assert!(race.until(millis(1500)).unwrap().is_none());
            assert_eq!(race.timer(), Some(Timing::default().meeting));
        } else {
            race.receives(socket, &answer);
        }
    }
    assert_eq!(race.timer(), Some(millis(2000)));
    assert!(race.until(millis(1999)).unwrap().is_none());
    assert_eq!(race.open(), [1, 2]);
    assert!(race.network.sent(2).is_empty());
    assert!(race.until(millis(2000)).unwrap().is_none());
    assert_eq!(race.open(), [2]);
    race.meets(2, &mut hosts[1], 10_000);
    // An answer that comes later takes over at once.
    let mut race = Race::new(&players, &ADDRESSES, None);
    let mut hosts = [(); 2].map(|()| host(&players));
    race.opened(1);
    race.opened(2);
    let answer = race.answer(1, &mut hosts[0]);
    race.receives(1, &answer);
    assert!(race.until(millis(3000)).unwrap().is_none());
    assert_eq!(race.open(), [1, 2]);
    let answer = race.answer(2, &mut hosts[1]);
    race.receives(2, &answer);
    assert_eq!(race.open(), [2]);
    race.meets(2, &mut hosts[1], 10_000);
}

#[test]
fn relay_that_pairs_the_guest_with_dead_connections_is_tried_four_times() {
    let players = Players::new();
    for relay in [tcp(), url()] {
        let mut race = Race::new(&players, &[], Some(relay));
        for number in 1..=4 {
            assert_eq!(race.open(), [number]);
            race.paired(number);
            let sent = race.network.sent(number);
            let closed = race.closed(number, ErrorKind::UnexpectedEof);
            match number {
                4 => assert!(matches!(error(closed), MeetingError::NotAnswered)),
                _ => assert!(closed.unwrap().is_none()),
            }
            // Each try has a handshake of its own.
            let mut host = host(&players);
            assert!(
                host.received(&mut &sent[..], Duration::ZERO)
                    .unwrap()
                    .is_none()
            );
        }
        assert!(race.open().is_empty());
    }
    let mut race = Race::new(&players, &[], Some(tcp()));
    race.paired(1);
    race.closed(1, ErrorKind::UnexpectedEof).unwrap();
    race.paired(2);
    race.meets(2, &mut host(&players), 10_000);
}

#[test]
fn relay_that_pairs_nobody_is_tried_again_only_if_a_browser_hides_the_cause() {
    let players = Players::new();
    let tried = |relay, is_open: bool, why| {
        // A guest with an invite tries an open connection again.
        let race = Race::of(&players, players.own(1), !is_open, &[], Some(relay));
        let mut race = race.unwrap();
        for number in 1..9 {
            if is_open {
                race.opened(number);
            }
            if let Err(error) = race.closed(number, why) {
                assert!(race.open().is_empty());
                return (number, error);
            }
        }
        unreachable!()
    };
    for is_open in [true, false] {
        for why in [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset] {
            let (tries, error) = tried(tcp(), is_open, why);
            assert_eq!(tries, 1);
            assert!(matches!(error, MeetingError::Relay { .. }), "{error}");
        }
        let (tries, error) = tried(url(), is_open, ErrorKind::UnexpectedEof);
        let MeetingError::NoRelay(why) = error else {
            panic!("{error}");
        };
        let kind = [ErrorKind::ConnectionRefused, ErrorKind::UnexpectedEof][usize::from(is_open)];
        assert_eq!((tries, why.kind()), (4, kind));
    }
}

#[test]
fn guest_with_an_invite_that_a_relay_does_not_pair_tries_again_at_random_for_thirty_seconds() {
    let players = Players::new();
    for relay in [tcp(), url()] {
        let mut race = Race::new(&players, &[], Some(relay.clone()));
        let mut pauses = Vec::new();
        for number in 1.. {
            race.opened(number);
            assert!(race.network.sent(number).starts_with(b"please relay "));
            if race.now >= NOW + millis(30_000) {
                break;
            }
            let closed = race.closed(number, ErrorKind::UnexpectedEof);
            assert!(closed.unwrap().is_none() && race.open().is_empty());
            let next = race.timer().unwrap();
            let pause = NOW + next - race.now;
            assert!((millis(200)..=millis(2000)).contains(&pause), "{pause:?}");
            pauses.push(pause);
            assert!(race.until(next - millis(1)).unwrap().is_none());
            assert!(race.open().is_empty());
            assert!(race.until(next).unwrap().is_none());
            assert_eq!(race.open(), [number + 1]);
        }
        // The probability that this fails is below 2^-60.
        pauses.sort_unstable();
        pauses.dedup();
        assert!(pauses.len() > 10, "{pauses:?}");
        let mut last = *race.open().last().unwrap();
        let error = loop {
            match race.closed(last, ErrorKind::UnexpectedEof) {
                Ok(_) => last += 1,
                Err(error) => break error,
            }
            race.opened(last);
        };
        match error {
            MeetingError::Relay { .. } => assert_eq!(relay, tcp()),
            MeetingError::NoRelay(_) => assert_eq!(relay, url()),
            error => panic!("{error}"),
        }
    }
    // These tries do not count as those at a relay that pairs the guest with dead connections.
    let mut race = Race::new(&players, &[], Some(tcp()));
    for number in 1..=5 {
        race.opened(number);
        race.closed(number, ErrorKind::UnexpectedEof).unwrap();
        let next = race.timer().unwrap();
        race.until(next).unwrap();
    }
    for number in 6..9 {
        race.paired(number);
        race.closed(number, ErrorKind::UnexpectedEof).unwrap();
    }
    race.paired(9);
    race.meets(9, &mut host(&players), 10_000);
}

#[test]
fn relay_that_answers_anything_else_is_no_relay() {
    let players = Players::new();
    for answer in [
        "impatient\n",
        "bad handshake\n",
        "ok \n",
        "\n",
        &"o".repeat(65),
    ] {
        for relay in [tcp(), url()] {
            let mut race = Race::new(&players, &[], Some(relay.clone()));
            race.opened(1);
            match error(race.try_receive(1, answer.as_bytes())) {
                MeetingError::Relay { .. } => assert_eq!(relay, tcp()),
                MeetingError::NoRelay(_) => assert_eq!(relay, url()),
                error => panic!("{answer:?}: {error}"),
            }
            assert!(race.open().is_empty());
        }
    }
}

#[test]
fn relay_has_ten_seconds_to_pair_the_players_and_then_the_host_as_long_for_the_meeting() {
    let players = Players::new();
    let limit = Timing::default().meeting;
    // In a browser, the time for connecting counts.
    for (relay, until) in [(tcp(), limit + millis(5000)), (url(), limit)] {
        let mut race = Race::new(&players, &[], Some(relay.clone()));
        assert!(race.until(millis(5000)).unwrap().is_none());
        race.opened(1);
        assert_eq!(race.timer(), Some(until));
        race.receives(1, b"o");
        assert!(race.until(until - millis(1)).unwrap().is_none());
        match error(race.until(until)) {
            MeetingError::NobodyAtRelay(_) => assert_eq!(relay, tcp()),
            MeetingError::NobodyWaits => assert_eq!(relay, url()),
            error => panic!("{error}"),
        }
        assert!(race.open().is_empty());

        let mut race = Race::new(&players, &[], Some(relay));
        race.opened(1);
        assert!(race.until(millis(7000)).unwrap().is_none());
        race.receives(1, b"ok\n");
        assert_eq!(race.timer(), Some(limit + millis(7000)));
        // A second try follows.
        assert!(race.until(limit + millis(7000)).unwrap().is_none());
        assert_eq!(race.open(), [2]);
    }
    let mut race = Race::new(&players, &ADDRESSES[..1], None);
    assert!(race.until(limit * 2).unwrap().is_none());
    race.opened(1);
    assert_eq!(race.timer(), Some(limit * 3));
    race.receives(1, &[48]);
    assert!(matches!(
        error(race.until(limit * 3)),
        MeetingError::NotAnswered
    ));
}

#[test]
fn final_error_ends_the_race_at_once() {
    let players = Players::new();
    let mut race = Race::new(&players, &ADDRESSES[..1], None);
    race.opened(1);
    race.meets(1, &mut host(&players), 10_000);
    // The invite is this guest's.
    let carl = Credentials {
        identity: Arc::new(Identity::from_seed([3; 32])),
        name: Name::clean("Carl"),
    };
    let race = Race::of(&players, carl, true, &ADDRESSES, Some(tcp()));
    let (mut race, mut host) = (race.unwrap(), host(&players));
    race.opened(1);
    let answer = race.answer(1, &mut host);
    race.receives(1, &answer);
    let third = race.network.sent(1);
    assert!(host.received(&mut &third[..], Duration::ZERO).is_err());
    let used = error(race.try_receive(1, &host.outgoing()));
    assert!(matches!(used, MeetingError::Used), "{used}");
    let Race { network, dial, .. } = race;
    drop(dial);
    assert!(network.open_sockets().is_empty());
    let own = Race::of(&players, players.own(0), true, &ADDRESSES, None);
    assert!(matches!(own.err(), Some(MeetingError::Oneself)));
}

#[test]
fn bytes_that_no_host_sends_before_the_second_message_are_refused() {
    let players = Players::new();
    for flood in [1, 10_000_000] {
        let flood = vec![0; flood];
        // With the answer, or before the turn of its route.
        for is_early in [true, false] {
            let mut race = Race::new(&players, &ADDRESSES, None);
            let mut hosts = [(); 2].map(|()| host(&players));
            race.opened(1);
            race.opened(2);
            let first = race.answer(1, &mut hosts[0]);
            let mut second = race.answer(2, &mut hosts[1]);
            race.receives(1, &first);
            if is_early {
                second.extend(&flood);
            }
            race.receives(2, &second);
            if !is_early {
                assert_eq!(race.open(), [1, 2]);
                race.receives(2, &flood);
            }
            assert_eq!(race.open(), [1]);
            race.meets(1, &mut hosts[0], 10_000);
        }
    }
    let mut race = Race::new(&players, &ADDRESSES[..1], None);
    race.opened(1);
    // Of an answer that is too long, only the length is read.
    race.receives(1, &[0xff]);
    let long = error(race.try_receive(1, &[0xff; 100_000]));
    assert!(matches!(long, MeetingError::Broken("message too long")));
}

#[test]
fn error_is_the_most_informative_one_of_all_routes() {
    let players = Players::new();
    let refused = ErrorKind::ConnectionRefused;
    let none = Race::of(&players, players.own(1), true, &[], None);
    assert!(matches!(none.err(), Some(MeetingError::NoAddress)));
    let private = ["10.0.0.2:4000", "192.168.0.2:4000"];
    for addresses in [private, ADDRESSES] {
        let mut race = Race::new(&players, &addresses, None);
        race.closed(2, refused).unwrap();
        match error(race.closed(1, refused)) {
            MeetingError::OnlyPrivate { address, .. } => {
                assert_eq!(address.to_string(), private[0]);
            }
            MeetingError::Unreachable { address, .. } => {
                assert_eq!(address.to_string(), ADDRESSES[0]);
            }
            error => panic!("{error}"),
        }
    }
    // The relay says more than an address, and a program that does not answer more than both.
    for is_opened in [false, true] {
        let mut race = Race::new(&players, &private, Some(tcp()));
        if is_opened {
            race.opened(1);
        }
        race.closed(1, ErrorKind::ConnectionReset).unwrap();
        race.closed(2, refused).unwrap();
        match error(race.closed(3, refused)) {
            MeetingError::Relay { .. } => assert!(!is_opened),
            MeetingError::NotAnswered => assert!(is_opened),
            error => panic!("{error}"),
        }
    }
}
