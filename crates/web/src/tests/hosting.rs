//! A page that hosts: its guests are a native program, another page, and strangers.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless_connection::identity::{Identity, KnownPeers, Name, SharedPeers};
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::time::unix;
use dealerless_connection::{ConnectionError, Credentials, Invite, MeetingError, Timing};
use dealerless_native::NativeFiles;
use dealerless_native::testing::stored;
use dealerless_table::log::{Header, MatchId};
use dealerless_table::play::{Control, Proposal, Term};
use serde_json::{Value, json};

use super::disk::Disk;
use super::native_host::Hosted;
use super::playing::{FILES, RELAY, agree, error, react};
use super::relay;
use super::tab::{Act, Closed, Fault, PATIENCE, Player, Relays, open, plays, with_tab};

/// A request to host hands of a small deck.
fn hands(hands: u32) -> Value {
    json!({ "name": "Anna", "relay": RELAY, "game": "deck", "hands": hands, "cards": 3, "draw": 2 })
}

/// The match of two that a host proposes.
fn proposed(connection: &Connection) -> Header {
    match Proposal::decode(&connection.met.header) {
        Ok(Proposal::Match(header)) => *header,
        proposal => panic!("{proposal:?}"),
    }
}

/// A page that hosts in its own thread.
struct HostPage {
    relay: SocketAddr,
    invites: Receiver<String>,
    lines: Receiver<Value>,
    acts: Sender<Act>,
    thread: JoinHandle<Closed<Result<i32, String>>>,
}

/// A player who also does what a test sends, and reports the invite and all events.
fn reporting(invites: Sender<String>, lines: Sender<Value>, mut player: Player) -> Player {
    Box::new(move |event| {
        if event["event"] == "invite" {
            let _ = invites.send(event["invite"].as_str().unwrap().into());
        }
        let _ = lines.send(event.clone());
        player(event)
    })
}

impl HostPage {
    fn new(body: Value) -> Self {
        Self::open(
            relay::start(),
            Disk::new(FILES),
            "/host",
            body,
            Box::new(react),
        )
    }

    fn open(
        relay: SocketAddr,
        disk: Disk,
        path: &'static str,
        body: Value,
        player: Player,
    ) -> Self {
        let relays = relay::through(relay);
        let (invite, invites) = channel();
        let (line, lines) = channel();
        let (acts, to_do) = channel();
        let player = reporting(invite, line, player);
        let thread = thread::spawn(move || {
            open(disk, relays, player, move || {
                with_tab(|tab| tab.also = Some(to_do));
                plays(path, body)()
            })
        });
        HostPage {
            relay,
            invites,
            lines,
            acts,
            thread,
        }
    }

    fn invite(&self) -> String {
        self.invites.recv_timeout(PATIENCE).unwrap()
    }

    /// Waits for an event.
    fn until(&self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            if is(&line) {
                return line;
            }
        }
    }

    fn until_notice(&self, has: &str) {
        self.until(|line| line["text"].as_str().is_some_and(|text| text.contains(has)));
    }

    fn act(&self, act: Act) {
        self.acts.send(act).unwrap();
    }

    fn closed(self) -> Closed<Result<i32, String>> {
        self.thread.join().unwrap()
    }

    /// Ends the page, which has not ended by itself.
    fn end(self) -> Closed<Result<i32, String>> {
        self.act(Act::Post("/end".into(), Vec::new()));
        let closed = self.closed();
        assert_eq!(closed.result, Some(Ok(130)), "{}", error(&closed.lines));
        closed
    }
}

/// A native guest.
struct Native {
    /// The folder of the matches.
    folder: tempfile::TempDir,
    identity: Arc<Identity>,
    name: Name,
    invite: Invite,
}

impl Native {
    fn new(seed: u8, relay: SocketAddr, invite: &str) -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        Native {
            folder: memory.or_else(|_| tempfile::tempdir()).unwrap(),
            identity: Arc::new(Identity::from_seed([seed; 32])),
            name: Name::clean("Bob"),
            invite: invite
                .parse::<Invite>()
                .unwrap()
                .at_relay(Some(relay.into())),
        }
    }

    fn guest(&self) -> Guest<'_> {
        Guest {
            identity: &self.identity,
            name: &self.name,
            timing: Timing::default(),
        }
    }

    fn joins(&self) -> Result<Connection, MeetingError> {
        self.guest().join(&self.invite)
    }

    fn asks(&self, control: &Control) -> Connection {
        let connection = self.joins().unwrap();
        connection.send_control(control.encode()).unwrap();
        connection
    }

    /// Sits down, and makes no choice until it resumes the match.
    fn sits(&self) -> Hosted {
        let connection = self.asks(&Control::Sit);
        assert_eq!(answer(&connection), Some(Control::Sit));
        let header = proposed(&connection);
        self.begins(header, connection, false)
    }

    fn begins(&self, header: Header, connection: Connection, chooses: bool) -> Hosted {
        let (file, succession) = (MemoryVault::default(), self.identity.succession().clone());
        let peers = KnownPeers::open(Box::new(file), Path::new("peers"), succession, unix);
        let credentials = Credentials {
            identity: Arc::clone(&self.identity),
            name: self.name.clone(),
        };
        let files = NativeFiles::Folder(self.folder.path().into());
        let stored = stored(files, credentials, SharedPeers::new(peers.unwrap()));
        Hosted::begin(stored, header, connection, chooses)
    }

    fn plays(&self) -> Hosted {
        let connection = self.asks(&Control::Sit);
        assert_eq!(answer(&connection), Some(Control::Sit));
        let header = proposed(&connection);
        let mut hosted = self.begins(header, connection, true);
        hosted.finish();
        hosted
    }
}

/// The next control message. `None` if the connection ends.
fn answer(connection: &Connection) -> Option<Control> {
    match connection.recv(PATIENCE) {
        Ok(message) => Some(Control::decode(&message.bytes).unwrap()),
        Err(ConnectionError::TimedOut) => panic!("no answer"),
        Err(_) => None,
    }
}

fn notices(lines: &[Value], has: &str) -> usize {
    let notices = lines.iter().filter(|line| line["event"] == "notice");
    let texts = notices.filter_map(|line| line["text"].as_str());
    texts.filter(|text| text.contains(has)).count()
}

#[test]
fn native_guest_plays_with_a_page_from_the_invite_to_the_end() {
    let host = HostPage::new(hands(2));
    let guest = Native::new(1, host.relay, &host.invite());
    let hosted = guest.plays();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &[hosted.record()]);
}

/// Joins as a page.
fn page_joins(relays: Relays, disk: Disk, invite: &str) -> Closed<Result<i32, String>> {
    let body = json!({ "name": "Bob", "whom": invite, "relay": RELAY });
    open(disk, relays, Box::new(react), plays("/join", body))
}

/// Checks that two pages have the same finished match.
fn pages_agree(host: &Closed<Result<i32, String>>, guest: &Closed<Result<i32, String>>) {
    assert_eq!(host.result, Some(Ok(0)), "{}", error(&host.lines));
    assert_eq!(guest.result, Some(Ok(0)), "{}", error(&guest.lines));
    let record = host.disk.named(".log").expect("a record");
    let hash = dealerless_table::record::Record::read(&record, None).unwrap();
    let record = super::native_host::Record {
        bytes: record,
        hash: hash.log.hash(),
        is_over: true,
    };
    agree(&guest.disk, &[record]);
}

#[test]
fn two_pages_play_holdem_from_the_invite_to_the_end() {
    let body = json!({ "name": "Anna", "relay": RELAY, "game": "holdem", "hands": 2, "stack": 100, "blinds": "1/2" });
    let host = HostPage::new(body);
    let guest = page_joins(relay::through(host.relay), Disk::new(FILES), &host.invite());
    pages_agree(&host.closed(), &guest);
}

/// The files of two pages that have played a match with each other.
pub(super) fn played() -> [Disk; 2] {
    let host = HostPage::new(hands(2));
    let guest = page_joins(relay::through(host.relay), Disk::new(FILES), &host.invite());
    let host = host.closed();
    pages_agree(&host, &guest);
    [host.disk, guest.disk]
}

#[test]
fn player_learns_of_a_second_guest_with_the_same_invite() {
    let host = HostPage::new(hands(1));
    let invite = host.invite();
    let first = Native::new(1, host.relay, &invite);
    let second = Native::new(2, host.relay, &invite);
    drop(first.joins().unwrap());
    let third = Native::new(3, host.relay, &invite);
    // Each is reported once, and only the first with the explanation.
    for other in [&second, &second, &third] {
        match other.joins() {
            Err(MeetingError::Used) => {}
            other => panic!("{:?}", other.err()),
        }
    }
    host.until_notice("Another player used the invite");
    // The guest of the invite still plays.
    let hosted = first.plays();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    assert_eq!(notices(&closed.lines, "A second player used the invite"), 1);
    for other in [second, third] {
        let fingerprint = other.identity.public().fingerprint().to_string();
        assert_eq!(notices(&closed.lines, &fingerprint), 1);
    }
    agree(&closed.disk, &[hosted.record()]);
}

#[test]
fn guests_that_do_not_sit_down_are_reported_and_the_host_waits_again() {
    let host = HostPage::new(hands(1));
    let guest = Native::new(1, host.relay, &host.invite());
    for (control, told) in [
        (Control::Declines(Term::All), "declined the terms"),
        (Control::Taken, "not a request"),
    ] {
        let connection = guest.asks(&control);
        assert_eq!(answer(&connection), None, "{control:?}");
        host.until_notice(told);
    }
    let of = MatchId::new([7; 32]);
    for control in [Control::Resume(of), Control::Audit(of)] {
        let connection = guest.asks(&control);
        assert_eq!(answer(&connection), Some(Control::Unknown(of)));
    }
    let connection = guest.joins().unwrap();
    connection.send_control(vec![255; 300]).unwrap();
    assert_eq!(answer(&connection), None);
    host.until_notice("did not sit down");
    // The request to sit is no message of the log.
    let connection = guest.joins().unwrap();
    connection.send_log(Control::Sit.encode()).unwrap();
    assert_eq!(answer(&connection), None);
    host.until_notice("did not sit down");
    drop(guest.joins().unwrap());
    host.until_notice("did not sit down");
    let hosted = guest.plays();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &[hosted.record()]);
}

#[test]
fn guest_that_says_nothing_is_given_up_after_ten_minutes() {
    let host = HostPage::new(hands(1));
    let guest = Native::new(1, host.relay, &host.invite());
    let connection = guest.joins().unwrap();
    host.act(Act::Waits);
    host.until_notice("did not sit down");
    drop(connection);
    host.end();
}

#[test]
fn guest_that_asks_again_on_the_same_connection_changes_nothing() {
    let host = HostPage::new(hands(1));
    let guest = Native::new(1, host.relay, &host.invite());
    let connection = guest.asks(&Control::Sit);
    assert_eq!(answer(&connection), Some(Control::Sit));
    for control in [
        Control::Sit,
        Control::Resume(MatchId::new([7; 32])),
        Control::Unknown(MatchId::new([7; 32])),
        Control::Open(MatchId::new([7; 32])),
        Control::Declined,
        Control::Taken,
    ] {
        connection.send_control(control.encode()).unwrap();
    }
    let header = proposed(&connection);
    let mut hosted = guest.begins(header, connection, true);
    hosted.finish();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &[hosted.record()]);
}

#[test]
fn guest_with_an_open_match_is_told_of_it_when_it_sits_down_again() {
    let host = HostPage::new(hands(1));
    let guest = Native::new(1, host.relay, &host.invite());
    let mut hosted = guest.sits();
    let connection = guest.asks(&Control::Sit);
    assert_eq!(answer(&connection), Some(Control::Open(hosted.of)));
    let connection = guest.asks(&Control::Resume(MatchId::new([7; 32])));
    assert_eq!(answer(&connection), Some(Control::Open(hosted.of)));
    let peer = host_keys(&guest);
    let again = guest
        .guest()
        .join_again(&peer, &[], Some(&host.relay.into()));
    let again = again.unwrap();
    again
        .send_control(Control::Resume(hosted.of).encode())
        .unwrap();
    hosted.resume(again);
    hosted.finish();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &[hosted.record()]);
}

/// The keys of the host.
fn host_keys(guest: &Native) -> dealerless_connection::identity::PublicIdentity {
    guest.joins().unwrap().met.peer.clone()
}

#[test]
fn host_pauses_after_each_failure_of_its_relay_and_waits_on_while_it_meets_strangers() {
    let id = [b"ok\ndltb\x02\x01".to_vec(), vec![7; 8]].concat();
    let again = [b"ok\ndltb\x02\x02".to_vec(), vec![7; 32]].concat();
    // The first ones are strangers, and the others failures of the relay.
    let strangers = 6;
    let junk = [
        (id, false),
        (again, false),
        (b"ok\nnonsense".to_vec(), true),
        (b"ok\n".to_vec(), true),
        (b"ok\n".to_vec(), false),
        ([b"ok\n".to_vec(), vec![0; 1 << 20]].concat(), false),
        (vec![b'x'; 1 << 20], false),
        (b"impatient\n".to_vec(), true),
        (b"bad handshake\n".to_vec(), false),
        (Vec::new(), true),
    ];
    let relay = relay::start();
    let (kinds, calls) = (junk.len(), 4 * junk.len());
    let pauses = (0..calls).filter(|call| call % 4 == 3 || call % kinds >= strangers);
    let pauses = u32::try_from(pauses.count()).unwrap();
    let relays: Relays = Box::new(move |call, _| match call % 4 {
        _ if call >= calls => super::tab::Relay::Passes(relay, Fault::None),
        3 => super::tab::Relay::Refuses,
        _ => {
            let (answer, closes) = junk[call % junk.len()].clone();
            super::tab::Relay::Answers(answer, closes)
        }
    });
    let (sent, later) = channel();
    let (invite, invites) = channel();
    let player = reporting(invite, channel().0, Box::new(react));
    let host = thread::spawn(move || {
        open(Disk::new(FILES), relays, player, move || {
            let result = plays("/host", hands(1))();
            with_tab(|tab| sent.send(tab.now()).unwrap());
            result
        })
    });
    let invite: String = invites.recv().unwrap();
    let guest = Native::new(1, relay, &invite);
    let hosted = guest.plays();
    let closed = host.join().unwrap();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    assert!(later.recv().unwrap() >= Duration::from_secs(2) * pauses);
    assert_eq!(
        notices(&closed.lines, "the relay wss://relay.example/ cannot"),
        1
    );
    agree(&closed.disk, &[hosted.record()]);
}

#[test]
fn host_page_that_was_ended_waits_no_longer() {
    let host = HostPage::new(hands(1));
    let relay = host.relay;
    let guest = Native::new(1, relay, &host.invite());
    let closed = host.end();
    let again = HostPage::open(
        relay,
        closed.disk,
        "/host",
        json!({ "again": true }),
        Box::new(react),
    );
    let closed = again.closed();
    assert_eq!(closed.result, Some(Err("no invite waits here".into())));
    // After the meeting, too.
    let host = HostPage::open(relay, closed.disk, "/host", hands(1), Box::new(react));
    let guest = Native {
        invite: host
            .invite()
            .parse::<Invite>()
            .unwrap()
            .at_relay(Some(relay.into())),
        ..guest
    };
    let connection = guest.joins().unwrap();
    let closed = host.end();
    assert_eq!(answer(&connection), None);
    // In the match.
    let host = HostPage::open(relay, closed.disk, "/host", hands(30), Box::new(react));
    let guest = Native {
        invite: host
            .invite()
            .parse::<Invite>()
            .unwrap()
            .at_relay(Some(relay.into())),
        ..guest
    };
    let mut hosted = guest.sits();
    hosted.until_begun();
    let closed = host.end();
    let of = closed.disk.open_match().expect("an open match");
    let body = json!({ "match": of, "relay": RELAY });
    let host = HostPage::open(relay, closed.disk, "/resume", body, Box::new(react));
    let peer = connection.met.peer.clone();
    let again = guest
        .guest()
        .join_again(&peer, &[], Some(&relay.into()))
        .unwrap();
    again
        .send_control(Control::Resume(hosted.of).encode())
        .unwrap();
    hosted.resume(again);
    hosted.finish();
    let closed = host.closed();
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &[hosted.record()]);
}

#[test]
fn page_that_was_killed_says_that_a_host_waits() {
    let dies: Player = Box::new(|_| vec![Act::Dies]);
    let host = HostPage::open(relay::start(), Disk::new(FILES), "/host", hands(1), dies);
    let invite = host.invite();
    let closed = host.closed();
    assert!(closed.result.is_none());
    let state = move || {
        crate::page::start(FILES as u32).unwrap();
        let (_, state) = super::tab::request(false, "/state", b"");
        let before = state["hosting"].clone();
        let (status, _) = super::tab::request(true, "/host", br#"{"again":true}"#);
        let (_, state) = super::tab::request(false, "/state", b"");
        super::tab::request(true, "/end", b"");
        let (_, last) = super::tab::request(false, "/state", b"");
        let invites = with_tab(|tab| tab.lines.clone());
        (
            before,
            status,
            state["hosting"].clone(),
            last["hosting"].clone(),
            invites,
        )
    };
    let relays: Relays = Box::new(|_, _| super::tab::Relay::Refuses);
    let again = open(closed.disk, relays, Box::new(react), state);
    let (before, status, playing, last, lines) = again.result.unwrap();
    assert_eq!((before, status), (json!({ "relay": RELAY }), 200));
    assert!(playing.is_null() && last.is_null());
    assert_eq!(lines[0]["invite"], invite);
}
