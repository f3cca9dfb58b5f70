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
