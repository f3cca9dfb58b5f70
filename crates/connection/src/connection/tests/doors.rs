//! The door of a host, with sockets in memory.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zeroize::Zeroizing;

use super::super::core::Timing;
use super::super::door::{Admits, DoorEvent, PolledDoor};
use super::super::error::MeetingError;
use super::super::invite::Invite;
use super::super::invites::Invites;
use super::super::meeting::{Credentials, Established, Meeting, Met};
use super::super::place::{Happened, Place, Socket, Sockets};
use super::super::polled::PolledConnection;
use super::super::relay_request::RelayToken;
use super::super::spoken::{Exchanged, SpokenError, SpokenExchange};
use super::super::spoken_code::SpokenCode;
use super::super::streams::Stream;
use super::super::{Side, again, first};
use crate::identity::{Identity, KnownPeers, Name, SharedPeers};
use crate::storage::{MemoryVault, Vault};

const NOW: Duration = Duration::from_secs(100);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_secs(2);
const RENEW: Duration = PolledDoor::<Fake>::RENEW;

/// Sockets by number: whether each is open, and the bytes that the door has sent on it.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Numbered>>);

type Numbered = BTreeMap<u32, (bool, Vec<u8>)>;

impl Fake {
    fn add(&self) -> u32 {
        let mut sockets = self.0.lock().unwrap();
        let number = 1 + u32::try_from(sockets.len()).unwrap();
        sockets.insert(number, (true, Vec::new()));
        number
    }

    /// The numbers of the open sockets.
    fn open(&self) -> Vec<u32> {
        let sockets = self.0.lock().unwrap();
        let open = sockets.iter().filter(|(_, (is_open, _))| *is_open);
        open.map(|(number, _)| *number).collect()
    }

    /// The bytes that were sent on a socket since the last call.
    fn sent(&self, socket: u32) -> Vec<u8> {
        let mut sockets = self.0.lock().unwrap();
        std::mem::take(&mut sockets.get_mut(&socket).unwrap().1)
    }
}

impl Sockets for Fake {
    fn open(&self, _: &Place) -> u32 {
        self.add()
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        let mut sockets = self.0.lock().unwrap();
        let (is_open, sent) = sockets.get_mut(&socket).unwrap();
        assert!(*is_open);
        sent.extend(bytes);
        true
    }

    fn close(&self, socket: u32) {
        self.0.lock().unwrap().get_mut(&socket).unwrap().0 = false;
    }
}

/// A vault that can be full.
#[derive(Clone, Default)]
struct Disk {
    vault: MemoryVault,
    is_full: Arc<AtomicBool>,
}

impl Vault for Disk {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(ErrorKind::StorageFull.into());
        }
        self.vault.keep(value)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        self.vault.kept()
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.vault.destroy()
    }
}

type Connected = PolledConnection<Fake>;

struct Host {
    own: Credentials,
    sockets: Fake,
    disk: Disk,
    invites: Arc<Mutex<Invites>>,
    invite: Invite,
    peers: SharedPeers,
    door: PolledDoor<Fake>,
}

fn player(seed: u8) -> Credentials {
    Credentials {
        identity: Arc::new(Identity::from_seed([seed; 32])),
        name: Name::clean("Bob"),
    }
}

fn relay() -> Place {
    Place::Url("wss://relay".into())
}

fn ip(last: u8) -> IpAddr {
    [192, 0, 2, last].into()
}

/// A guest of an invite.
fn invited(guest: &Credentials, invite: &Invite) -> Meeting {
    let first = first::as_guest(guest.clone(), invite.clone(), &mut rand::rng());
    Meeting::guest(first.unwrap(), Duration::MAX)
}

/// A guest that knows the host.
fn known(guest: &Credentials, host: &Credentials) -> Meeting {
    let host = host.identity.public().clone();
    let first = again::as_guest(guest.clone(), host, &mut rand::rng());
    Meeting::guest(first.unwrap(), Duration::MAX)
}

impl Host {
    fn new() -> Self {
        let (own, disk, sockets) = (player(1), Disk::default(), Fake::default());
        let mut invites = Invites::open(Box::new(disk.clone())).unwrap();
        let invite = invites.invite(own.identity.public(), Vec::new(), None);
        let (invite, invites) = (invite.unwrap(), Arc::new(Mutex::new(invites)));
        let peers = KnownPeers::open(
            Box::<MemoryVault>::default(),
            Path::new("peers"),
            own.identity.succession().clone(),
            || 0,
        );
        let peers = SharedPeers::new(peers.unwrap());
        let admits = Admits::Invited(peers.clone());
        let door = Self::door(&own, &sockets, admits, &invites);
        Host {
            own,
            sockets,
            disk,
            invites,
            invite,
            peers,
            door,
        }
    }

    fn door(
        own: &Credentials,
        sockets: &Fake,
        admits: Admits,
        invites: &Arc<Mutex<Invites>>,
    ) -> PolledDoor<Fake> {
        let (invites, timing) = (Arc::clone(invites), Timing::default());
        let header = b"header".to_vec();
        PolledDoor::new(sockets, own.clone(), admits, invites, header, timing)
    }

    fn admits_only(&mut self, invite: Option<Invite>, players: &[&Credentials]) {
        let players = players.iter();
        let admits = Admits::Only {
            invite,
            players: players.map(|own| own.identity.public().clone()).collect(),
        };
        self.door = Self::door(&self.own, &self.sockets, admits, &self.invites);
    }

    fn another_invite(&self) -> Invite {
        let own = self.own.identity.public();
        let invite = self.invites.lock().unwrap().invite(own, Vec::new(), None);
        invite.unwrap()
    }

    /// The link of a table.
    fn link(&self) -> Invite {
        let own = self.own.identity.public();
        let mut invites = self.invites.lock().unwrap();
        invites.table_link(own, Vec::new(), None, [7; 32]).unwrap()
    }

    fn accepts(&mut self, from: IpAddr, now: Duration) -> u32 {
        let socket = self.sockets.add();
        self.door
            .happened(0, Happened::Accepted { socket, from }, now);
        self.door.step(now);
        socket
    }

    fn receives(&mut self, socket: u32, bytes: &[u8], now: Duration) {
        self.happened(socket, Happened::Received(bytes), now);
    }

    fn happened(&mut self, socket: u32, what: Happened<'_>, now: Duration) {
        assert!(self.door.has(socket));
        self.door.happened(socket, what, now);
        self.door.step(now);
    }

    fn closes(&mut self, socket: u32, why: ErrorKind, now: Duration) {
        self.happened(socket, Happened::Closed(why.into()), now);
    }

    fn opens(&mut self, socket: u32, now: Duration) -> String {
        self.happened(socket, Happened::Opened, now);
        String::from_utf8(self.sockets.sent(socket)).unwrap()
    }

    /// Runs a guest on a socket of the door. Returns the guest's result.
    fn runs(
        &mut self,
        socket: u32,
        guest: &mut Meeting,
        now: Duration,
    ) -> Result<Option<Established>, MeetingError> {
        for _ in 0..4 {
            let bytes = guest.outgoing();
            if !bytes.is_empty() && self.door.has(socket) {
                self.receives(socket, &bytes, now);
            }
            let sent = self.sockets.sent(socket);
            if let Some(met) = guest.received(&mut &sent[..], now)? {
                let last = guest.outgoing();
                if !last.is_empty() {
                    self.receives(socket, &last, now);
                }
                return Ok(Some(met));
            }
        }
        Ok(None)
    }

    /// A guest comes from this machine.
    fn comes(&mut self, mut guest: Meeting) -> Result<Option<Met>, MeetingError> {
        let socket = self.accepts(ip(1), NOW);
        let met = self.runs(socket, &mut guest, NOW)?;
        Ok(met.map(|(met, _)| met))
    }

    /// A guest gets no answer.
    fn refuses(&mut self, mut guest: Meeting) {
        let socket = self.accepts(ip(1), NOW);
        self.receives(socket, &guest.outgoing(), NOW);
        assert!(!self.door.has(socket) && self.sockets.sent(socket).is_empty());
        assert!(self.has_no_event());
    }

    fn connection(&mut self) -> Box<Connected> {
        match self.door.next_event() {
            Some(DoorEvent::Connection(connection)) => connection,
            _ => panic!("no connection"),
        }
    }

    fn has_no_event(&mut self) -> bool {
        self.door.next_event().is_none()
    }

    fn code(&mut self) -> SpokenCode {
        match self.door.next_event() {
            Some(DoorEvent::NewCode { code, .. }) => code,
            _ => panic!("no code"),
        }
    }

    fn void(&mut self) -> (SpokenError, bool) {
        match self.door.next_event() {
            Some(DoorEvent::CodeVoid { why, is_last, .. }) => (why, is_last),
            _ => panic!("no void code"),
        }
    }

    /// The relay gives a code on the last opened socket.
    fn gets_code(&mut self, now: Duration) -> (u32, SpokenCode) {
        let socket = *self.sockets.open().last().unwrap();
        let request = self.opens(socket, now);
        assert!(request.starts_with("please open a code as "), "{request}");
        self.receives(socket, b"code 7\n", now);
        (socket, self.code())
    }
}

#[test]
fn doors_can_move_to_another_thread() {
    fn check<T: Send>(_: &T) {}
    check(&Host::new().door);
}

#[test]
fn guests_with_an_invite_and_known_peers_meet_the_host() {
    let mut host = Host::new();
    let [bob, carol] = [2, 3].map(player);
    let met = host.comes(invited(&bob, &host.invite)).unwrap().unwrap();
    assert_eq!(
        (&met.peer, &met.header[..]),
        (host.own.identity.public(), &b"header"[..])
    );
    let connection = host.connection();
    assert!(connection.met.came_by(&host.invite));
    assert_eq!(connection.relay, None);
    assert_eq!(connection.met.peer, *bob.identity.public());
    drop(connection);
    // The invite serves its guest again, before and after it is a known peer.
    assert!(host.comes(invited(&bob, &host.invite)).unwrap().is_some());
    host.connection();
    host.refuses(known(&carol, &host.own));
    let (carols, name) = (carol.identity.public(), Name::clean("Carol"));
    let remembered = host.peers.lock().remember(carols, &name, &[], None);
    remembered.unwrap();
    assert!(host.comes(known(&carol, &host.own)).unwrap().is_some());
    assert_eq!(host.connection().met.peer, *carol.identity.public());
    assert!(host.sockets.open().is_empty());
}

#[test]
fn door_for_some_players_admits_nobody_else() {
    let mut host = Host::new();
    let [bob, carol] = [2, 3].map(player);
    let (invite, another) = (host.invite.clone(), host.another_invite());
    host.admits_only(None, &[&bob]);
    host.refuses(invited(&bob, &invite));
    host.refuses(known(&carol, &host.own));
    assert!(host.comes(known(&bob, &host.own)).unwrap().is_some());
    host.connection();
    host.admits_only(Some(invite.clone()), &[]);
    host.refuses(known(&bob, &host.own));
    host.refuses(invited(&bob, &another));
    assert!(host.comes(invited(&carol, &invite)).unwrap().is_some());
    host.connection();
}

#[test]
fn second_guest_of_an_invite_is_reported_and_told() {
    let mut host = Host::new();
    let [bob, carol] = [2, 3].map(player);
    assert!(host.comes(invited(&bob, &host.invite)).unwrap().is_some());
    host.connection();
    let refused = host.comes(invited(&carol, &host.invite));
    assert!(matches!(refused, Err(MeetingError::Used)));
    match host.door.next_event() {
        Some(DoorEvent::SecondGuest(met)) => {
            assert_eq!(met.invite, host.invite.secret.id());
            assert_eq!(met.first, *bob.identity.public());
            assert_eq!(met.second, *carol.identity.public());
            assert_eq!(met.name, carol.name);
        }
        _ => panic!("no second guest"),
    }
    assert!(host.sockets.open().is_empty());
}

#[test]
fn link_serves_all_guests_and_nothing_is_written() {
    let mut host = Host::new();
    let link = host.link();
    host.disk.is_full.store(true, Ordering::Relaxed);
    for guest in [2, 3, 4, 2].map(player) {
        let met = host.comes(invited(&guest, &link)).unwrap().unwrap();
        assert_eq!(met.header, b"header");
        let connection = host.connection();
        assert!(connection.met.came_by(&link));
        assert_eq!(connection.met.peer, *guest.identity.public());
    }
    assert!(host.has_no_event());
    host.disk.is_full.store(false, Ordering::Relaxed);
    // A one-time invite of the same host still belongs to one guest.
    let invite = host.invite.clone();
    assert!(host.comes(invited(&player(2), &invite)).unwrap().is_some());
    let second = host.comes(invited(&player(3), &invite));
    assert!(matches!(second, Err(MeetingError::Used)));
}

#[test]
fn repeated_first_message_of_a_link_gets_no_answer() {
    let mut host = Host::new();
    let link = host.link();
    let first = invited(&player(2), &link).outgoing();
    let socket = host.accepts(ip(1), NOW);
    host.receives(socket, &first, NOW);
    assert!(!host.sockets.sent(socket).is_empty());
    let again = host.accepts(ip(1), NOW);
    host.receives(again, &first, NOW);
    assert!(!host.door.has(again) && host.sockets.sent(again).is_empty());
    assert!(host.door.has(socket) && host.has_no_event());
}

#[test]
fn holders_of_a_replaced_link_get_no_answer_and_the_door_waits_for_them_no_longer() {
    let mut host = Host::new();
    let old = host.link();
    host.door.wait_for_invite(relay(), &old, NOW);
    host.door.step(NOW);
    assert_eq!(host.sockets.open(), [1]);
    host.door.offer_code(relay(), &old, NOW);
    host.door.step(NOW);
    host.gets_code(NOW);
    // A guest whose meeting has begun.
    let mut early = invited(&player(2), &old);
    let socket = host.accepts(ip(1), NOW);
    host.receives(socket, &early.outgoing(), NOW);
    let answer = host.sockets.sent(socket);
    assert!(early.received(&mut &answer[..], NOW).unwrap().is_none());

    host.invites.lock().unwrap().end(&old).unwrap();
    host.door.step(NOW);
    assert_eq!(host.sockets.open(), [socket]);
    host.receives(socket, &early.outgoing(), NOW);
    assert!(host.sockets.sent(socket).is_empty() && !host.door.has(socket));
    host.refuses(invited(&player(2), &old));
    assert_eq!(host.door.timer(), Duration::MAX);

    let new = host.link();
    host.door.wait_for_invite(relay(), &new, NOW);
    host.door.step(NOW);
    let socket = *host.sockets.open().last().unwrap();
    let token = RelayToken(new.secret.relay_token());
    assert_eq!(host.opens(socket, NOW), token.request(Side::Host));
    assert!(host.comes(invited(&player(2), &new)).unwrap().is_some());
    assert!(host.connection().met.came_by(&new));
}

#[test]
fn host_is_told_once_that_its_link_is_used_up() {
    let mut host = Host::new();
    let (old, other) = (host.link(), host.invite.clone());
    for number in 0..1_u32 << 14 {
        let mut invites = host.invites.lock().unwrap();
        let answered = invites.answer(&old.secret.id(), &number.to_le_bytes());
        answered.unwrap();
    }
    for is_first in [true, false] {
        let mut guest = invited(&player(2), &old);
        let socket = host.accepts(ip(1), NOW);
        host.receives(socket, &guest.outgoing(), NOW);
        assert!(host.sockets.sent(socket).is_empty() && !host.door.has(socket));
        match host.door.next_event() {
            Some(DoorEvent::LinkUsedUp(link)) => {
                assert!(is_first && link == old.secret.id());
            }
            event => assert!(event.is_none() && !is_first),
        }
    }
    assert!(host.comes(invited(&player(2), &other)).unwrap().is_some());
    host.connection();
    let new = host.link();
    assert!(host.comes(invited(&player(2), &new)).unwrap().is_some());
}

#[test]
fn holders_of_a_link_cannot_keep_known_peers_and_invited_guests_away() {
    let mut host = Host::new();
    let (link, invite, bob) = (host.link(), host.invite.clone(), player(2));
    let remembered = host
        .peers
        .lock()
        .remember(bob.identity.public(), &bob.name, &[], None);
    remembered.unwrap();
    // They have shown the secret of the link, and some of them an identity.
    let mut strangers = Vec::new();
    for seed in 0..16 {
        let mut guest = invited(&player(100 + seed), &link);
        let socket = host.accepts(ip(1), NOW);
        host.receives(socket, &guest.outgoing(), NOW);
        if seed % 2 == 0 {
            let sent = host.sockets.sent(socket);
            assert!(guest.received(&mut &sent[..], NOW).unwrap().is_none());
            host.receives(socket, &guest.outgoing(), NOW);
            assert!(!host.sockets.sent(socket).is_empty());
        }
        strangers.push(socket);
    }
    for guest in [known(&bob, &host.own), invited(&bob, &invite)] {
        let mut guest = guest;
        let socket = host.accepts(ip(2), NOW);
        host.receives(socket, &guest.outgoing(), NOW);
        // Others come with the link before the guest continues.
        for seed in 0..32 {
            let socket = host.accepts(ip(1), NOW);
            let first = invited(&player(100 + seed), &link).outgoing();
            host.receives(socket, &first, NOW);
        }
        assert!(host.runs(socket, &mut guest, NOW).unwrap().is_some());
        assert_eq!(host.connection().met.peer, *bob.identity.public());
    }
    assert!(!host.door.has(strangers[0]));
}

#[test]
fn guest_gets_no_answer_if_the_invite_cannot_be_burned() {
    let mut host = Host::new();
    let bob = player(2);
    host.disk.is_full.store(true, Ordering::Relaxed);
    let mut guest = invited(&bob, &host.invite);
    let socket = host.accepts(ip(1), NOW);
    assert!(host.runs(socket, &mut guest, NOW).unwrap().is_none());
    assert!(matches!(
        host.door.next_event(),
        Some(DoorEvent::CannotBurn(_))
    ));
    assert!(host.sockets.open().is_empty());
    host.disk.is_full.store(false, Ordering::Relaxed);
    assert!(host.comes(invited(&bob, &host.invite)).unwrap().is_some());
}

#[test]
fn sixteen_strangers_wait_and_those_that_have_shown_least_leave_first() {
    let mut host = Host::new();
    let bob = player(2);
    let strangers: Vec<u32> = (0..16).map(|_| host.accepts(ip(1), NOW)).collect();
    // The first stranger shows the secret of the invite, and the second one only its prelude.
    let mut guest = invited(&bob, &host.invite);
    host.receives(strangers[0], &guest.outgoing(), NOW);
    let prelude = invited(&bob, &host.invite).outgoing();
    host.receives(strangers[1], &prelude[..14], NOW);
    let crowd: Vec<u32> = (0..100).map(|_| host.accepts(ip(2), NOW)).collect();
    let mut open = strangers[..2].to_vec();
    open.extend(&crowd[86..]);
    assert_eq!(host.sockets.open(), open);
    assert!(host.runs(strangers[0], &mut guest, NOW).unwrap().is_some());
    let last = host.accepts(ip(2), NOW);
    assert!(host.door.has(strangers[1]) && host.door.has(last));
    assert!(host.door.has(crowd[86]));
    host.connection();
    // If all strangers know the secret, a new one must leave.
    for socket in host.sockets.open() {
        if socket != strangers[0] {
            let guest = invited(&bob, &host.invite).outgoing();
            let prelude = if socket == strangers[1] {
                prelude.clone()
            } else {
                guest
            };
            let prelude = &prelude[if socket == strangers[1] { 14 } else { 0 }..];
            host.receives(socket, prelude, NOW);
        }
    }
    let open = host.sockets.open();
    let refused = host.accepts(ip(3), NOW);
    assert!(!host.door.has(refused));
    assert_eq!(host.sockets.open(), open);
}

#[test]
fn strangers_have_ten_seconds_and_one_second_after_five_failures_of_their_source() {
    let mut host = Host::new();
    let timing = Timing::default();
    for failures in 0..8 {
        let socket = host.accepts(ip(1), NOW);
        let limit = if failures < 5 { timing.meeting } else { SECOND };
        assert_eq!(host.door.timer(), NOW + limit, "{failures}");
        host.receives(socket, b"something else", NOW);
        assert!(!host.door.has(socket));
    }
    let [paused, other] = [1, 2].map(|last| host.accepts(ip(last), NOW));
    host.door.step(NOW + SECOND - MS);
    assert!(host.door.has(paused));
    host.door.step(NOW + SECOND);
    assert!(!host.door.has(paused) && host.door.has(other));
    assert_eq!(host.door.timer(), NOW + timing.meeting);
    host.door.step(NOW + timing.meeting);
    assert!(host.sockets.open().is_empty() && host.door.timer() == Duration::MAX);
    // A guest in time is admitted.
    assert!(
        host.comes(invited(&player(2), &host.invite))
            .unwrap()
            .is_some()
    );
    let later = NOW + Duration::from_secs(62);
    host.accepts(ip(1), later);
    host.connection();
    assert_eq!(host.door.timer(), later + timing.meeting);
}

#[test]
fn stranger_that_leaves_after_a_live_prelude_is_no_failure() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    let first = |bytes: usize| invited(&player(2), &invite).outgoing()[..bytes].to_vec();
    let is_paused = |host: &mut Host, from| {
        host.accepts(ip(from), NOW);
        host.door.timer() == NOW + SECOND
    };
    for (from, bytes, expected) in [(1, 20, false), (2, 5, true)] {
        for _ in 0..6 {
            let socket = host.accepts(ip(from), NOW);
            host.receives(socket, &first(bytes), NOW);
            host.closes(socket, ErrorKind::UnexpectedEof, NOW);
        }
        assert_eq!(is_paused(&mut host, from), expected);
    }
}

#[test]
fn guest_comes_through_a_relay_where_the_host_soon_waits_again() {
    let mut host = Host::new();
    let bob = player(2);
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW + SECOND);
    assert_eq!(host.door.timer(), NOW + SECOND);
    let now = NOW + SECOND;
    host.door.step(now);
    assert_eq!(host.door.timer(), now + RENEW);
    let request = host.opens(1, now);
    let token = RelayToken(invite.secret.relay_token());
    assert_eq!(request, token.request(Side::Host));
    let mut guest = invited(&bob, &invite);
    let bytes = [&b"ok\n"[..], &guest.outgoing()].concat();
    let (answer, rest) = bytes.split_at(2);
    host.receives(1, answer, now);
    host.receives(1, rest, now);
    assert_eq!(host.sockets.open(), [1]);
    assert_eq!(host.door.timer(), now + BETWEEN);
    host.door.step(now + BETWEEN);
    assert_eq!(host.sockets.open(), [1, 2]);
    assert!(host.runs(1, &mut guest, now).unwrap().is_some());
    assert_eq!(host.connection().relay, Some(relay()));
    // A known peer has another token.
    host.door
        .wait_for_known(relay(), bob.identity.public(), now);
    host.door.step(now + BETWEEN);
    let secret = bob
        .identity
        .secret_with(host.own.identity.public())
        .unwrap();
    let of_host = |identity: &crate::identity::PublicIdentity| {
        RelayToken::of_peers(&secret, identity).request(Side::Host)
    };
    assert_eq!(host.opens(3, now), of_host(host.own.identity.public()));
    // The peer waits with another one, so that nobody who waits and calls is paired with itself.
    let own = host.own.identity.public();
    assert_ne!(of_host(own), of_host(bob.identity.public()));
}

#[test]
fn door_waits_at_relays_for_the_known_peers_of_the_last_calls_and_for_its_invite() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    let peers: Vec<_> = (2..62).map(player).collect();
    for peer in &peers {
        host.door
            .wait_for_known(relay(), peer.identity.public(), NOW);
        // Again and again for the first one.
        host.door
            .wait_for_known(relay(), peers[0].identity.public(), NOW);
    }
    host.door.step(NOW);
    let open = host.sockets.open();
    let requests: Vec<String> = open.iter().map(|one| host.opens(*one, NOW)).collect();
    assert_eq!(requests.len(), 1 + 48);
    let waits_for = |peer: &Credentials| {
        let secret = host.own.identity.secret_with(peer.identity.public());
        let token = RelayToken::of_peers(&secret.unwrap(), host.own.identity.public());
        requests.contains(&token.request(Side::Host))
    };
    assert!(waits_for(&peers[0]) && waits_for(&peers[59]));
    assert!(!waits_for(&peers[1]));
}

#[test]
fn answer_of_the_relay_meeting_and_first_message_come_in_chunks_of_any_size() {
    let bob = player(2);
    for by_invite in [true, false] {
        for chunk in [1, 3, 10_000] {
            let mut host = Host::new();
            let invite = host.invite.clone();
            let mut guest = if by_invite {
                host.admits_only(Some(invite.clone()), &[]);
                host.door.wait_for_invite(relay(), &invite, NOW);
                invited(&bob, &invite)
            } else {
                host.admits_only(None, &[&bob]);
                host.door
                    .wait_for_known(relay(), bob.identity.public(), NOW);
                known(&bob, &host.own)
            };
            host.door.step(NOW);
            host.opens(1, NOW);
            let mut bytes = [&b"ok\n"[..], &guest.outgoing()].concat();
            let met = loop {
                for part in bytes.chunks(chunk) {
                    host.receives(1, part, NOW);
                }
                let sent = host.sockets.sent(1);
                assert!(!sent.is_empty());
                let met = guest.received(&mut &sent[..], NOW).unwrap();
                bytes = guest.outgoing();
                if let Some(met) = met {
                    break met;
                }
            };
            let sockets = Fake::default();
            let socket = Socket::open(&sockets, &relay());
            let mut guest = PolledConnection::new(socket, None, met, &[], Timing::default(), NOW);
            guest.core.send(Stream::Log, b"hello").unwrap();
            guest.flush(NOW);
            bytes.extend(sockets.sent(1));
            for part in bytes.chunks(chunk) {
                host.receives(1, part, NOW);
            }
            let mut connection = host.connection();
            assert_eq!(connection.met.handshake_hash, guest.met.handshake_hash);
            assert_eq!(connection.met.came_by(&invite), by_invite);
            let message = connection.core.next_message().unwrap().unwrap();
            assert_eq!(message.bytes, b"hello");
        }
    }
}

#[test]
fn failures_through_a_relay_pause_no_source_and_a_relay_cannot_fill_the_door_at_once() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    let mut now = NOW;
    for _ in 0..20 {
        host.door.step(now);
        let socket = *host.sockets.open().last().unwrap();
        host.opens(socket, now);
        host.receives(socket, b"ok\nsomething else", now);
        assert!(host.sockets.open().is_empty());
        assert_eq!(host.door.timer(), now + BETWEEN);
        now += BETWEEN;
    }
    assert!(host.has_no_event());
}

#[test]
fn pauses_for_strangers_of_all_places_at_relays_add_up_until_a_guest_is_met() {
    let mut host = Host::new();
    let bob = player(2);
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    for seed in 2..5 {
        let peer = player(seed);
        host.door
            .wait_for_known(relay(), peer.identity.public(), NOW);
    }
    // All wait at once.
    host.door.step(NOW);
    assert_eq!(host.sockets.open(), [1, 2, 3, 4]);
    for socket in 1..5 {
        host.opens(socket, NOW);
    }
    for socket in 2..5 {
        host.receives(socket, b"ok\nsomething else", NOW);
    }
    assert_eq!(host.sockets.open(), [1]);
    host.door.step(NOW + BETWEEN * 3 - MS);
    assert_eq!(host.sockets.open(), [1]);
    assert_eq!(host.door.timer(), NOW + BETWEEN * 3);
    host.receives(1, b"ok\n", NOW);
    let mut guest = invited(&bob, &invite);
    assert!(host.runs(1, &mut guest, NOW).unwrap().is_some());
    host.connection();
    assert_eq!(host.door.timer(), NOW + BETWEEN);
    host.door.step(NOW + BETWEEN);
    assert_eq!(host.sockets.open(), [5, 6, 7, 8]);
}

#[test]
fn waiting_connection_is_renewed_after_a_minute() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    for number in 1..5 {
        let now = NOW + RENEW * (number - 1);
        host.door.step(now);
        assert_eq!(host.sockets.open(), [number]);
        host.opens(number, now);
        host.door.step(now + RENEW - MS);
        assert_eq!(host.sockets.open(), [number]);
        assert_eq!(host.door.timer(), now + RENEW);
    }
    assert!(host.has_no_event());
}

#[test]
fn failure_of_a_relay_is_reported_once_until_it_works() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    let bob = player(2);
    host.door.wait_for_invite(relay(), &invite, NOW);
    host.door
        .wait_for_known(relay(), bob.identity.public(), NOW);
    host.door.step(NOW);
    let fails = |host: &mut Host, socket, what: Happened<'_>, now, expected| {
        host.happened(socket, what, now);
        let kind = match host.door.next_event() {
            Some(DoorEvent::RelayFails { relay: at, source }) if at == relay() => source.kind(),
            None => ErrorKind::Other,
            _ => panic!("another event"),
        };
        assert_eq!(kind, expected);
        assert!(!host.door.has(socket));
    };
    let refused = ErrorKind::ConnectionRefused;
    // A browser does not tell why.
    let eof = || Happened::Closed(ErrorKind::UnexpectedEof.into());
    fails(&mut host, 1, eof(), NOW, refused);
    fails(&mut host, 2, eof(), NOW, ErrorKind::Other);
    let mut now = NOW + PAUSE;
    assert_eq!(host.door.timer(), now);
    host.door.step(now);
    host.opens(3, now);
    fails(
        &mut host,
        3,
        Happened::Received(b"impatient\n"),
        now,
        ErrorKind::Other,
    );
    host.opens(4, now);
    // An open connection that ends, on which nobody has come, is no failure.
    fails(&mut host, 4, eof(), now, ErrorKind::Other);
    now += PAUSE;
    host.door.step(now);
    host.opens(5, now);
    // A relay that makes up guests does not work.
    host.receives(5, b"ok\nsomething else", now);
    let unreachable = || Happened::Closed(ErrorKind::HostUnreachable.into());
    fails(&mut host, 6, unreachable(), now, ErrorKind::Other);
    now += PAUSE;
    host.door.step(now);
    host.opens(7, now);
    host.receives(7, b"ok\n", now);
    let mut guest = invited(&bob, &invite);
    assert!(host.runs(7, &mut guest, now).unwrap().is_some());
    host.connection();
    fails(&mut host, 8, unreachable(), now, ErrorKind::HostUnreachable);
    // A relay that nobody uses works, too.
    now += PAUSE;
    host.door.step(now);
    host.opens(9, now);
    fails(&mut host, 10, eof(), now, ErrorKind::Other);
    host.door.step(now + RENEW);
    assert_eq!(host.sockets.open(), [11, 12]);
    fails(&mut host, 12, eof(), now + RENEW, refused);
}

#[test]
fn relay_that_answers_anything_else_is_no_relay() {
    for answer in [
        "impatient\n",
        "bad handshake\n",
        "ok \n",
        "\n",
        &"o".repeat(65),
    ] {
        let mut host = Host::new();
        let invite = host.invite.clone();
        host.door.wait_for_invite(relay(), &invite, NOW);
        host.door.step(NOW);
        host.opens(1, NOW);
        host.receives(1, answer.as_bytes(), NOW);
        match host.door.next_event() {
            Some(DoorEvent::RelayFails { source, .. }) => {
                assert_eq!(source.kind(), ErrorKind::InvalidData);
            }
            _ => panic!("{answer:?}"),
        }
        assert!(host.sockets.open().is_empty());
        assert_eq!(host.door.timer(), NOW + PAUSE);
    }
}

#[test]
fn relay_that_does_not_open_a_connection_fails() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    host.door.step(NOW);
    host.door.step(NOW + RENEW);
    match host.door.next_event() {
        Some(DoorEvent::RelayFails { source, .. }) => {
            assert_eq!(source.kind(), ErrorKind::TimedOut);
        }
        _ => panic!("no event"),
    }
    assert_eq!(host.door.timer(), NOW + RENEW + PAUSE);
}

#[test]
fn stopped_door_has_no_sockets_and_waits_again_at_once() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.wait_for_invite(relay(), &invite, NOW);
    host.accepts(ip(1), NOW);
    host.door.stop();
    assert!(host.sockets.open().is_empty());
    assert_eq!(host.door.timer(), Duration::MAX);
    host.door.begin(NOW + SECOND);
    assert_eq!(host.door.timer(), NOW + SECOND);
}

#[test]
fn connections_work_until_the_program_takes_them_and_those_beyond_16_are_closed() {
    let mut host = Host::new();
    let bob = player(2);
    let mut guests = Vec::new();
    for number in 0..20 {
        let mut guest = invited(&bob, &host.invite);
        let socket = host.accepts(ip(1), NOW);
        let met = host.runs(socket, &mut guest, NOW).unwrap().unwrap();
        assert_eq!(host.door.has(socket), number < 16);
        guests.push((socket, met));
    }
    assert_eq!(host.sockets.open().len(), 16);
    let (socket, met) = guests.swap_remove(0);
    let sockets = Fake::default();
    let own = Socket::open(&sockets, &relay());
    let mut guest = PolledConnection::new(own, None, met, &[], Timing::default(), NOW);
    guest.core.send(Stream::Log, b"hello").unwrap();
    guest.flush(NOW);
    host.receives(socket, &sockets.sent(1), NOW);
    // The door sends pings, too.
    let timer = host.door.timer();
    assert_eq!(timer, NOW + Timing::default().ping);
    host.sockets.sent(socket);
    host.door.step(timer);
    assert!(!host.sockets.sent(socket).is_empty());
    let mut connection = host.connection();
    assert!(!host.door.has(socket) && connection.number() == socket);
    let message = connection.core.next_message().unwrap().unwrap();
    assert_eq!(message.bytes, b"hello");
    drop(connection);
    assert_eq!(host.sockets.open().len(), 15);
}

#[test]
fn all_sockets_of_a_dropped_door_are_closed() {
    let mut host = Host::new();
    let (invite, bob) = (host.invite.clone(), player(2));
    let mut guest = invited(&bob, &invite);
    let socket = host.accepts(ip(1), NOW);
    host.runs(socket, &mut guest, NOW).unwrap();
    let taken = host.connection();
    let mut guest = invited(&bob, &invite);
    let socket = host.accepts(ip(1), NOW);
    host.runs(socket, &mut guest, NOW).unwrap();
    host.accepts(ip(1), NOW);
    host.door.wait_for_invite(relay(), &invite, NOW);
    host.door.offer_code(relay(), &host.another_invite(), NOW);
    host.door.step(NOW);
    assert_eq!(host.sockets.open().len(), 5);
    host.admits_only(None, &[]);
    assert_eq!(host.sockets.open(), [taken.number()]);
}

/// Uses a code like a guest. Returns the bytes for the host, and the exchange.
fn uses(host: &mut Host, socket: u32, code: SpokenCode, now: Duration) -> SpokenExchange {
    let mut guest = SpokenExchange::as_guest(code, now);
    guest.outgoing();
    host.receives(socket, b"ok\n", now);
    let rng = &mut rand::rng();
    let received = [&b"ok\n"[..], &host.sockets.sent(socket)].concat();
    guest.received(&received, now, rng).unwrap();
    guest
}

/// Enters other words.
fn guesses(host: &mut Host, socket: u32, code: &SpokenCode, now: Duration) {
    fails(host, socket, code, true, now);
    let (why, is_last) = host.void();
    assert!(matches!(why, SpokenError::Guessed) && !is_last, "{why}");
}

#[test]
fn guest_with_the_code_receives_the_invite_once() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.offer_code(relay(), &invite, NOW);
    host.door.step(NOW);
    let (socket, code) = host.gets_code(NOW);
    assert!(host.has_no_event());
    let mut guest = uses(&mut host, socket, code, NOW);
    host.receives(socket, &guest.outgoing(), NOW);
    let got = guest.received(&host.sockets.sent(socket), NOW, &mut rand::rng());
    match got.unwrap() {
        Some(Exchanged::Received(got)) => assert_eq!(got.to_string(), invite.to_string()),
        _ => panic!("no invite"),
    }
    assert!(host.has_no_event() && host.sockets.open().is_empty());
    assert_eq!(host.door.timer(), Duration::MAX);
}

#[test]
fn used_codes_are_replaced_after_pauses_that_grow_and_by_four_words_after_four() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.offer_code(relay(), &invite, NOW);
    host.door.step(NOW);
    let mut now = NOW;
    for (used, pause) in [1, 2, 4, 8, 16, 32, 60, 60, 60].into_iter().enumerate() {
        let (socket, code) = host.gets_code(now);
        let words = if used < 4 { 2 } else { 4 };
        assert_eq!(code.to_string().split('-').count(), 1 + words);
        if used % 2 == 0 {
            guesses(&mut host, socket, &code, now);
        } else {
            host.receives(socket, b"ok\n", now);
            host.closes(socket, ErrorKind::UnexpectedEof, now);
            let (why, is_last) = host.void();
            assert!(matches!(why, SpokenError::Left) && !is_last, "{why}");
        }
        assert!(host.sockets.open().is_empty());
        now += Duration::from_secs(pause);
        assert_eq!(host.door.timer(), now);
        host.door.step(now);
    }
    // After a code that nobody has used, the pause is short again. The words stay four.
    host.gets_code(now);
    now += SpokenExchange::LIFETIME;
    host.door.step(now);
    assert!(matches!(host.void(), (SpokenError::Expired, false)));
    host.door.step(now);
    let (socket, code) = host.gets_code(now);
    assert_eq!(code.to_string().split('-').count(), 5);
    guesses(&mut host, socket, &code, now);
    assert_eq!(host.door.timer(), now + SECOND);
}

/// The relay opens the code 7 again on the last opened socket.
fn opens_again(host: &mut Host, now: Duration) -> u32 {
    let socket = *host.sockets.open().last().unwrap();
    let request = host.opens(socket, now);
    assert!(request.starts_with("please open code 7 as "), "{request}");
    host.receives(socket, b"code 7\n", now);
    assert!(host.has_no_event());
    socket
}

/// A guest gets the link by the code on a socket.
fn gets_link(host: &mut Host, socket: u32, code: &SpokenCode, link: &Invite, now: Duration) {
    let mut guest = uses(host, socket, code.clone(), now);
    host.receives(socket, &guest.outgoing(), now);
    let got = guest.received(&host.sockets.sent(socket), now, &mut rand::rng());
    match got.unwrap() {
        Some(Exchanged::Received(got)) => assert_eq!(got.to_string(), link.to_string()),
        _ => panic!("no invite"),
    }
    assert!(host.has_no_event() && !host.door.has(socket));
}

/// A use fails: somebody guesses, or leaves.
fn fails(host: &mut Host, socket: u32, code: &SpokenCode, guess: bool, now: Duration) {
    if guess {
        let mut words: Vec<String> = code.to_string().split('-').map(String::from).collect();
        words[1] = match words[1].as_str() {
            "crossbow" => "guitar".into(),
            _ => "crossbow".into(),
        };
        let mut guest = uses(host, socket, words.join("-").parse().unwrap(), now);
        host.receives(socket, &guest.outgoing(), now);
        let got = guest.received(&host.sockets.sent(socket), now, &mut rand::rng());
        assert!(matches!(got, Err(SpokenError::Wrong)), "{got:?}");
    } else {
        host.receives(socket, b"ok\n", now);
        host.closes(socket, ErrorKind::UnexpectedEof, now);
    }
}

#[test]
fn many_guests_of_a_table_get_its_link_by_one_code_until_the_link_is_replaced() {
    let mut host = Host::new();
    let link = host.link();
    host.door.offer_code(relay(), &link, NOW);
    host.door.step(NOW);
    let (mut socket, code) = host.gets_code(NOW);
    for _ in 0..30 {
        gets_link(&mut host, socket, &code, &link, NOW);
        socket = opens_again(&mut host, NOW);
    }
    // A guest has waited at the relay.
    gets_link(&mut host, socket, &code, &link, NOW);
    let socket = *host.sockets.open().last().unwrap();
    host.opens(socket, NOW);
    host.receives(socket, b"code 7\nok\n", NOW);
    assert!(host.has_no_event() && !host.sockets.sent(socket).is_empty());
    host.closes(socket, ErrorKind::UnexpectedEof, NOW);
    host.door.step(NOW + SECOND);
    opens_again(&mut host, NOW + SECOND);
    host.invites.lock().unwrap().end(&link).unwrap();
    host.door.step(NOW + SECOND);
    assert!(host.sockets.open().is_empty() && host.has_no_event());
    assert_eq!(host.door.timer(), Duration::MAX);
}

#[test]
fn words_of_a_table_allow_four_failed_uses_and_four_words_allow_one() {
    let mut host = Host::new();
    let link = host.link();
    host.door.offer_code(relay(), &link, NOW);
    host.door.step(NOW);
    let mut now = NOW;
    let (mut socket, code) = host.gets_code(now);
    for (failed, pause) in [1, 2, 4].into_iter().enumerate() {
        fails(&mut host, socket, &code, failed % 2 == 0, now);
        assert!(host.has_no_event() && host.sockets.open().is_empty());
        now += Duration::from_secs(pause);
        assert_eq!(host.door.timer(), now);
        host.door.step(now);
        socket = opens_again(&mut host, now);
        // Guests in between do not give more guesses.
        gets_link(&mut host, socket, &code, &link, now);
        socket = opens_again(&mut host, now);
    }
    fails(&mut host, socket, &code, true, now);
    assert!(matches!(host.void(), (SpokenError::Guessed, false)));
    for pause in [8, 16, 32, 60, 60] {
        now += Duration::from_secs(pause);
        assert_eq!(host.door.timer(), now);
        host.door.step(now);
        let (socket, new) = host.gets_code(now);
        assert_eq!(new.to_string().split('-').count(), 5);
        gets_link(&mut host, socket, &new, &link, now);
        let socket = opens_again(&mut host, now);
        fails(&mut host, socket, &new, false, now);
        assert!(matches!(host.void(), (SpokenError::Left, false)));
    }
}

#[test]
fn code_of_a_table_outlives_its_hour_and_lost_connections_for_as_long_as_the_relay_holds_it() {
    let mut host = Host::new();
    let link = host.link();
    host.door.offer_code(relay(), &link, NOW);
    host.door.step(NOW);
    host.gets_code(NOW);
    let mut now = NOW + SpokenExchange::LIFETIME;
    host.door.step(now);
    host.door.step(now);
    let socket = opens_again(&mut host, now);
    host.closes(socket, ErrorKind::UnexpectedEof, now);
    let lost = now;
    for pause in [2, 4, 8, 16] {
        let socket = *host.sockets.open().last().unwrap();
        host.closes(socket, ErrorKind::HostUnreachable, now);
        assert!(host.has_no_event());
        now += Duration::from_secs(pause);
        assert_eq!(host.door.timer(), now);
        host.door.step(now);
    }
    assert_eq!(now, lost + 30 * SECOND);
    opens_again(&mut host, now);
    // The relay holds it no longer: 30 s after the connection was lost, or because it has restarted.
    for is_late in [true, false] {
        let lost = now;
        let socket = *host.sockets.open().last().unwrap();
        host.closes(socket, ErrorKind::UnexpectedEof, now);
        let socket = *host.sockets.open().last().unwrap();
        if is_late {
            now = lost + 31 * SECOND;
            host.closes(socket, ErrorKind::HostUnreachable, now);
        } else {
            host.opens(socket, now);
            host.receives(socket, b"no such code\n", now);
        }
        assert!(matches!(host.void(), (SpokenError::Relay(_), false)));
        let (_, new) = host.gets_code(now);
        assert_eq!(new.to_string().split('-').count(), 3);
    }
}

#[test]
fn relay_that_ends_the_connections_of_a_table_s_code_gets_24_of_them() {
    let mut host = Host::new();
    let link = host.link();
    host.door.offer_code(relay(), &link, NOW);
    host.door.step(NOW);
    host.gets_code(NOW);
    for lost in 1..=24 {
        let socket = *host.sockets.open().last().unwrap();
        host.closes(socket, ErrorKind::UnexpectedEof, NOW);
        if lost < 24 {
            opens_again(&mut host, NOW);
        }
    }
    assert!(matches!(host.void(), (SpokenError::Relay(_), true)));
    assert!(host.sockets.open().is_empty() && host.door.timer() == Duration::MAX);
}

#[test]
fn codes_end_after_24_that_nobody_has_used() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.offer_code(relay(), &invite, NOW);
    host.door.step(NOW);
    for code in 1..=24 {
        let (socket, _) = host.gets_code(NOW);
        host.closes(socket, ErrorKind::UnexpectedEof, NOW);
        let (why, is_last) = host.void();
        assert!(matches!(why, SpokenError::Relay(_)), "{why}");
        assert_eq!(is_last, code == 24);
    }
    assert!(host.sockets.open().is_empty() && host.door.timer() == Duration::MAX);
}

#[test]
fn first_code_is_given_within_four_seconds_or_not_at_all() {
    let offered = || {
        let mut host = Host::new();
        let invite = host.invite.clone();
        host.door.offer_code(relay(), &invite, NOW);
        host.door.step(NOW);
        host
    };
    let late = |error: &SpokenError| matches!(error, SpokenError::Relay(error) if error.kind() == ErrorKind::TimedOut);
    let mut host = offered();
    host.opens(1, NOW + SECOND);
    host.door.step(NOW + 5 * SECOND - MS);
    assert!(host.has_no_event() && host.door.timer() == NOW + 5 * SECOND);
    host.door.step(NOW + 5 * SECOND);
    assert!(matches!(host.void(), (why, true) if late(&why)));
    let mut host = offered();
    host.door.step(NOW + SpokenExchange::WITHIN);
    assert!(matches!(host.void(), (why, true) if late(&why)));
    let mut host = offered();
    host.closes(1, ErrorKind::ConnectionRefused, NOW);
    assert!(matches!(host.void(), (SpokenError::Relay(_), true)));
    let mut host = offered();
    host.opens(1, NOW);
    host.receives(1, b"bad handshake\n", NOW);
    assert!(matches!(host.void(), (SpokenError::NotOffered, true)));
    // A relay that uses the code at once gets no guess.
    let mut host = offered();
    host.opens(1, NOW);
    host.receives(1, b"code 7\nok\n", NOW);
    assert!(matches!(host.void(), (SpokenError::Relay(_), true)));
    assert!(host.sockets.open().is_empty() && host.door.timer() == Duration::MAX);
}

#[test]
fn later_code_is_asked_for_after_pauses_that_grow_and_the_failure_is_reported_once() {
    let mut host = Host::new();
    let invite = host.invite.clone();
    host.door.offer_code(relay(), &invite, NOW);
    host.door.step(NOW);
    let (socket, _) = host.gets_code(NOW);
    let (mut now, mut code_on) = (NOW, socket);
    for _ in 0..2 {
        host.closes(code_on, ErrorKind::UnexpectedEof, now);
        assert!(matches!(host.void(), (SpokenError::Relay(_), false)));
        for (failures, pause) in [2, 4, 8, 16, 32, 60, 60, 60].into_iter().enumerate() {
            let number = *host.sockets.open().last().unwrap();
            host.closes(number, ErrorKind::ConnectionRefused, now);
            if failures == 0 {
                assert!(matches!(host.void(), (SpokenError::NoNewCode(_), false)));
            }
            assert!(host.has_no_event());
            now += Duration::from_secs(pause);
            assert_eq!(host.door.timer(), now);
            host.door.step(now);
        }
        (code_on, _) = host.gets_code(now);
    }
    // The relay offers codes no longer.
    host.closes(code_on, ErrorKind::UnexpectedEof, now);
    host.void();
    let number = *host.sockets.open().last().unwrap();
    host.opens(number, now);
    host.receives(number, b"bad handshake\n", now);
    assert!(matches!(host.void(), (SpokenError::NotOffered, true)));
    assert!(host.sockets.open().is_empty() && host.door.timer() == Duration::MAX);
}

#[test]
fn codes_end_with_their_invites_and_on_request() {
    let mut host = Host::new();
    let invites = [host.invite.clone(), host.another_invite()];
    for invite in &invites {
        host.door.offer_code(relay(), invite, NOW);
        host.door.step(NOW);
        host.gets_code(NOW);
    }
    assert_eq!(host.sockets.open(), [1, 2]);
    assert!(
        host.comes(invited(&player(2), &invites[0]))
            .unwrap()
            .is_some()
    );
    host.connection();
    assert_eq!(host.sockets.open(), [2]);
    host.door.end_codes();
    assert!(host.sockets.open().is_empty() && host.has_no_event());
    // The program gets an answer even if the invite was used in the meantime.
    host.door.offer_code(relay(), &invites[0], NOW);
    host.door.step(NOW);
    let (socket, _) = host.gets_code(NOW);
    assert!(!host.door.has(socket));
}
