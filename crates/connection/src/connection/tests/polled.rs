//! Connections after a meeting, in memory.

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::rc::Rc;
use std::time::Duration;

use super::super::core::Timing;
use super::super::error::ConnectionError;
use super::super::place::{Happened, Place, Socket, Sockets};
use super::super::polled::PolledConnection;
use super::super::streams::Stream;
use super::meetings::{Players, run};

const NOW: Duration = Duration::from_secs(1);

/// Sockets that keep what is sent, or are not ready for more.
#[derive(Clone, Default)]
struct Kept {
    sent: Rc<RefCell<Vec<u8>>>,
    is_full: Rc<Cell<bool>>,
    is_closed: Rc<Cell<bool>>,
}

impl Sockets for Kept {
    fn open(&self, _: &Place) -> u32 {
        1
    }

    fn send(&self, _: u32, bytes: &[u8]) -> bool {
        self.sent.borrow_mut().extend(bytes);
        !self.is_full.get()
    }

    fn close(&self, _: u32) {
        self.is_closed.set(true);
    }
}

/// The connections of the host and of the guest.
fn connected(sockets: &[Kept; 2]) -> [PolledConnection<Kept>; 2] {
    let mut meetings = Players::new().meetings(true);
    let mut sockets = sockets.iter();
    run(&mut meetings, 10_000, |_, bytes| bytes).map(|met| {
        let socket = Socket::open(sockets.next().unwrap(), &Place::Url("wss://relay".into()));
        let met = met.unwrap().unwrap();
        PolledConnection::new(socket, None, met, &[], Timing::default(), NOW)
    })
}

#[test]
fn messages_arrive_in_chunks_of_any_size_until_the_connection_ends() {
    for chunk in [1, 3, 10_000] {
        let sockets: [Kept; 2] = Default::default();
        let mut met = connected(&sockets);
        for from in [0, 1] {
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

#[test]
fn messages_wait_for_the_socket_and_the_connection_ends_if_the_peer_accepts_nothing() {
    let sockets: [Kept; 2] = Default::default();
    let [mut host, mut guest] = connected(&sockets);
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

/// A guest that has said goodbye to its host.
fn left(sockets: &[Kept; 2]) -> [PolledConnection<Kept>; 2] {
    let [mut host, mut guest] = connected(sockets);
    guest.core.send(Stream::Log, b"last").unwrap();
    guest.core.close();
    guest.flush(NOW);
    host.happened(Happened::Received(&sockets[1].sent.take()), NOW);
    [host, guest]
}

#[test]
fn socket_stays_open_until_a_goodbye_is_answered_and_the_answer_is_accepted() {
    for accepts in [true, false] {
        let sockets: [Kept; 2] = Default::default();
        let [mut host, mut guest] = left(&sockets);
        host.flush(NOW);
        assert_eq!(host.core.next_message().unwrap().unwrap().bytes, b"last");
        assert_eq!(host.core.next_message(), Err(ConnectionError::Closed));
        host.flush(NOW);
        let is_open = |number: usize| !sockets[number].is_closed.get();
        assert!(!host.is_answering() && sockets[0].sent.take().is_empty());
        assert!(is_open(0) && host.timer() == Duration::MAX);
        // The guest waits for the answer.
        assert!(is_open(1) && !guest.is_answering() && guest.core.ended().is_none());

        sockets[0].is_full.set(!accepts);
        host.core.close();
        assert!(host.is_answering());
        host.flush(NOW);
        if !accepts {
            assert!(host.is_answering() && is_open(0));
            assert_eq!(host.timer(), NOW + Timing::default().dead);
            host.happened(Happened::Ready, NOW);
            host.flush(NOW);
        }
        assert!(!host.is_answering() && !is_open(0));
        assert_eq!(host.timer(), Duration::MAX);
        guest.happened(Happened::Received(&sockets[0].sent.take()), NOW);
        assert_eq!(guest.core.ended(), Some(&ConnectionError::Closed));
        guest.flush(NOW);
        assert!(!guest.is_answering() && !is_open(1));
        assert!(sockets[1].sent.take().is_empty());
    }
}

#[test]
fn answer_that_cannot_be_sent_is_given_up() {
    for is_cut in [true, false] {
        let sockets: [Kept; 2] = Default::default();
        let [mut host, _] = left(&sockets);
        sockets[0].is_full.set(!is_cut);
        host.core.close();
        let mut now = NOW;
        if is_cut {
            host.happened(Happened::Closed(ErrorKind::UnexpectedEof.into()), now);
        } else {
            host.flush(now);
            sockets[0].sent.take();
            now = host.timer();
        }
        host.flush(now);
        assert!(!host.is_answering() && sockets[0].is_closed.get());
        assert_eq!(host.timer(), Duration::MAX);
        assert!(sockets[0].sent.take().is_empty());
        // What arrived before the goodbye is still there.
        assert!(host.core.next_message().unwrap().is_some());
        assert_eq!(host.core.ended(), Some(&ConnectionError::Closed));
    }
}

#[test]
fn peer_that_never_answers_a_goodbye_is_silent_and_one_that_closes_its_socket_is_cut() {
    let sockets: [Kept; 2] = Default::default();
    let [_, mut guest] = left(&sockets);
    let dead = NOW + Timing::default().dead;
    while guest.core.ended().is_none() {
        assert!((NOW..=dead).contains(&guest.timer()));
        guest.flush(guest.timer());
    }
    assert_eq!(guest.core.ended(), Some(&ConnectionError::Silent));
    assert!(sockets[1].is_closed.get());

    let [_, mut guest] = left(&Default::default());
    guest.happened(Happened::Closed(ErrorKind::UnexpectedEof.into()), NOW);
    let cut = ConnectionError::Cut(ErrorKind::UnexpectedEof);
    assert_eq!(guest.core.ended(), Some(&cut));
}
