//! Meetings of two sides at a relay, and the connections after them, in memory.

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::core::Timing;
use super::super::error::{ConnectionError, MeetingError};
use super::super::invite::Invite;
use super::super::invites::Invites;
use super::super::meeting::Credentials;
use super::super::place::{Happened, Place, Socket, Sockets};
use super::super::polled::{Expected, PolledConnection, PolledMeeting};
use super::super::streams::Stream;
use crate::identity::{Identity, Name};
use crate::storage::MemoryVault;

const NOW: Duration = Duration::from_secs(1);

/// Sockets that keep what is sent, or are not ready for more.
#[derive(Clone, Default)]
struct Kept {
    sent: Rc<RefCell<Vec<u8>>>,
    is_full: Rc<Cell<bool>>,
}

impl Sockets for Kept {
    fn open(&self, _: &Place) -> u32 {
        1
    }

    fn send(&self, _: u32, bytes: &[u8]) -> bool {
        self.sent.borrow_mut().extend(bytes);
        !self.is_full.get()
    }

    fn close(&self, _: u32) {}
}

struct Players {
    identities: [Arc<Identity>; 2],
    names: [Name; 2],
    invites: Arc<Mutex<Invites>>,
    invite: Invite,
}

impl Players {
    fn new() -> Self {
        let identities = [1, 2].map(|seed| Arc::new(Identity::from_seed([seed; 32])));
        let mut invites = Invites::open(Box::<MemoryVault>::default()).unwrap();
        let invite = invites.invite(identities[0].public(), Vec::new(), None);
        Players {
            identities,
            names: ["Anna", "Bob"].map(Name::clean),
            invite: invite.unwrap(),
            invites: Arc::new(Mutex::new(invites)),
        }
    }

    fn own(&self, index: usize) -> Credentials {
        Credentials {
            identity: Arc::clone(&self.identities[index]),
            name: self.names[index].clone(),
        }
    }

    /// The host, and the guest of the invite or as a known peer.
    fn meetings(&self, by_invite: bool) -> [PolledMeeting; 2] {
        let timing = Timing::default();
        let (expected, guest) = if by_invite {
            let guest = PolledMeeting::by_invite(self.own(1), &self.invite, timing, NOW);
            (Expected::Invited(self.invite.clone()), Ok(guest))
        } else {
            let host = self.identities[0].public();
            let guest = PolledMeeting::with_known(self.own(1), host, timing, NOW);
            let known = self.identities[1].public().clone();
            (Expected::Known(known), guest)
        };
        [self.host(expected), guest.unwrap()]
    }

    fn host(&self, expected: Expected) -> PolledMeeting {
        let timing = Timing::default();
        let (invites, header) = (Arc::clone(&self.invites), b"header".to_vec());
        PolledMeeting::as_host(self.own(0), expected, invites, header, timing, NOW).unwrap()
    }
}

/// The token and the side of a request to a relay.
fn request(meeting: &mut PolledMeeting) -> [String; 2] {
    let request = String::from_utf8(meeting.outgoing()).unwrap();
    let words: Vec<&str> = request.trim_end().split(' ').collect();
    let ["please", "relay", token, "for", "side", side] = words[..] else {
        panic!("{request:?}");
    };
    [token, side].map(str::to_owned)
}

/// Pairs both sides, and passes on bytes in chunks.
fn meet(
    meetings: &mut [PolledMeeting; 2],
    sockets: &[Kept; 2],
    chunk: usize,
) -> [PolledConnection<Kept>; 2] {
    let [host, guest] = meetings.each_mut().map(request);
    assert_eq!(host[0], guest[0]);
    assert_ne!(host[1], guest[1]);
    let mut met = [None, None];
    let mut bytes = [b"ok\n".to_vec(), b"ok\n".to_vec()];
    for _ in 0..8 {
        for to in [0, 1] {
            for part in std::mem::take(&mut bytes[to]).chunks(chunk) {
                match &mut met[to] {
                    None => {
                        let joined = meetings[to].received(part, NOW).unwrap();
                        let socket = Socket::open(&sockets[to], &Place::Url("wss://relay".into()));
                        met[to] =
                            joined.map(|joined| joined.on(socket, None, Timing::default(), NOW));
                    }
                    Some(connection) => connection.happened(Happened::Received(part), NOW),
                }
            }
            bytes[1 - to].extend(meetings[to].outgoing());
        }
    }
    met.map(Option::unwrap)
}

#[test]
fn host_and_guest_meet_at_a_relay_and_exchange_messages_in_chunks_of_any_size() {
    let players = Players::new();
    for by_invite in [true, false] {
        for chunk in [1, 3, 10_000] {
            let sockets: [Kept; 2] = Default::default();
            let mut met = meet(&mut players.meetings(by_invite), &sockets, chunk);
            assert_eq!(met[0].met.handshake_hash, met[1].met.handshake_hash);
            assert_eq!(met[1].met.header, b"header");
            assert_eq!(met[0].met.came_by(&players.invite), by_invite);
            for from in [0, 1] {
                let peer = players.identities[1 - from].public();
                assert_eq!(met[from].met.peer, *peer);
                met[from].core.send(Stream::Log, b"hello").unwrap();
                met[from].flush(NOW);
                assert_eq!(met[from].timer(), NOW + Timing::default().ping);
                sockets[from]
                    .sent
                    .take()
                    .chunks(chunk)
                    .for_each(|part| met[1 - from].happened(Happened::Received(part), NOW));
                let message = met[1 - from].core.next_message().unwrap().unwrap();
                assert_eq!(message.bytes, b"hello");
            }
            met[0].happened(Happened::Received(b"forged frame"), NOW);
            met[0].happened(Happened::Received(&[0xff; 0x10_0000]), NOW);
            assert_eq!(met[0].core.ended(), Some(&ConnectionError::Forged));
            met[1].happened(Happened::Closed(ErrorKind::UnexpectedEof.into()), NOW);
            let cut = ConnectionError::Cut(ErrorKind::UnexpectedEof);
            assert_eq!(met[1].core.ended(), Some(&cut));
            met[1].flush(NOW);
            assert_eq!(met[1].timer(), Duration::MAX);
            assert!(sockets[1].sent.take().is_empty());
        }
    }
}

#[test]
fn messages_wait_for_the_socket_and_the_connection_ends_if_the_peer_accepts_nothing() {
    let players = Players::new();
    let sockets: [Kept; 2] = Default::default();
    let [mut host, mut guest] = meet(&mut players.meetings(true), &sockets, 10_000);
    sockets[0].is_full.set(true);
    host.core.send(Stream::Log, &[1; 100_000]).unwrap();
    host.flush(NOW);
    let first = sockets[0].sent.take().len();
    assert!((32_768..100_000).contains(&first), "{first}");
    // A message of the control stream does not wait for the rest of the other.
    host.core.send(Stream::Control, b"first").unwrap();
    host.flush(NOW);
    assert!(sockets[0].sent.take().is_empty());
    host.happened(Happened::Ready, NOW);
    host.flush(NOW);
    assert!(!sockets[0].sent.take().is_empty());
    // The guest is not silent, but accepts nothing.
    let dead = NOW + Timing::default().dead;
    let before = dead - Duration::from_millis(1);
    guest.core.send(Stream::Log, b"still here").unwrap();
    guest.flush(before);
    host.happened(Happened::Received(&sockets[1].sent.take()), before);
    host.flush(before);
    assert_eq!((host.core.ended(), host.timer()), (None, dead));
    host.flush(dead);
    assert_eq!(host.core.ended(), Some(&ConnectionError::Silent));
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
        let [_, mut guest] = players.meetings(true);
        let met = guest.received(answer.as_bytes(), NOW);
        assert!(matches!(met, Err(MeetingError::NoRelay(_))), "{answer:?}");
        assert!(matches!(guest.received(b"ok\n", NOW), Ok(None)));
    }
    let [_, guest] = players.meetings(true);
    let refused = guest.failed(ErrorKind::ConnectionRefused.into());
    assert!(matches!(refused, MeetingError::NoRelay(_)));
}

#[test]
fn guest_waits_ten_seconds_for_the_host_and_the_host_a_minute_for_the_guest() {
    let players = Players::new();
    let limits = [PolledMeeting::RENEW, Timing::default().meeting];
    for (mut meeting, limit) in players.meetings(true).into_iter().zip(limits) {
        assert_eq!(meeting.deadline(), NOW + limit);
        let early = meeting.received(b"o", NOW + limit - Duration::from_millis(1));
        assert!(matches!(early, Ok(None)));
        let late = meeting.received(b"", NOW + limit);
        assert!(matches!(late, Err(MeetingError::NobodyWaits)));
    }
    // Then the peer has as long for the meeting.
    let [_, mut guest] = players.meetings(true);
    let paired = NOW + Duration::from_secs(5);
    assert!(matches!(guest.received(b"ok\n", paired), Ok(None)));
    assert_eq!(guest.deadline(), paired + Timing::default().meeting);
    let late = guest.received(b"", guest.deadline());
    assert!(matches!(late, Err(MeetingError::NotAnswered)));
}

#[test]
fn host_answers_only_the_guest_that_it_expects() {
    let players = Players::new();
    let other = Players::new();
    let strangers = [
        PolledMeeting::by_invite(players.own(1), &other.invite, Timing::default(), NOW),
        players.meetings(true).into_iter().next_back().unwrap(),
        players.meetings(false).into_iter().next_back().unwrap(),
    ];
    let known = Expected::Known(Identity::from_seed([3; 32]).public().clone());
    let invited = |players: &Players| Expected::Invited(players.invite.clone());
    let expected = [invited(&players), known, invited(&players)];
    for (mut stranger, expected) in strangers.into_iter().zip(expected) {
        let mut host = players.host(expected);
        for meeting in [&mut host, &mut stranger] {
            meeting.outgoing();
            assert!(matches!(meeting.received(b"ok\n", NOW), Ok(None)));
        }
        let refused = host.received(&stranger.outgoing(), NOW);
        assert!(matches!(refused, Err(MeetingError::NotAnswered)));
        assert_eq!(host.outgoing(), b"");
    }
}
