//! If a peer sends slowly or does not read, a call fails at the deadline. No call waits longer, not
//! even a close, a drop or an abort.

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net::{CHUNK, Channel, Deadlines, Error, HEADER_BYTES, Message, Tag, Transport};
use dealerless::testing::line::{over_each_line, tcp_pair};
use dealerless::testing::session::{PATIENT, SOON};
use serde::{Deserialize, Serialize};

/// A deadline that expires while the test waits.
const SHORT: Duration = Duration::from_millis(150);

/// A deadline that expires while the test waits, and that leaves a busy machine time to receive two
/// notes.
const MEDIUM: Duration = Duration::from_secs(2);

/// A deadline that does not expire in a passing test.
const LONG: Duration = PATIENT.message;

/// More time than queuing [`UNREAD`] bytes needs on a busy machine.
const QUEUEING: Duration = Duration::from_secs(4);

/// More bytes than the operating system buffers on the two sides of a connection.
const UNREAD: usize = 24 << 20;

const HASTY: Deadlines = Deadlines {
    message: SHORT,
    phase: LONG,
};

const NOTE_TAG: Tag = Tag::new(128, "note");
const BULK: Tag = Tag::new(129, "bulk");

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    number: u64,
}

impl Message for Note {
    const TAG: Tag = NOTE_TAG;
    const MAX_BYTES: usize = 8;
}

/// The bytes of a note on the wire.
const NOTE: [u8; HEADER_BYTES + 8] = [8, 0, 0, 0, NOTE_TAG.byte(), 7, 0, 0, 0, 0, 0, 0, 0];

/// Sends notes, `step` bytes at a time, until the peer disconnects.
fn drip(mut end: impl Transport, step: usize) {
    for part in NOTE.chunks(step).cycle() {
        if end.send(part.to_vec(), LONG).is_err() {
            return;
        }
        thread::sleep(SHORT / 5);
    }
}

#[test]
fn peer_that_drips_bytes_times_out_at_the_message_deadline() {
    over_each_line(|one, other| {
        thread::scope(|scope| {
            scope.spawn(|| drip(one, 1));
            let mut channel = Channel::new(other, HASTY);
            channel.begin_phase("waiting for drops");
            let begun = Instant::now();
            match channel.recv_message::<Note>().unwrap_err() {
                Error::Timeout { during, limit } => {
                    assert_eq!((during, limit), ("waiting for drops", SHORT));
                }
                other => panic!("{other}"),
            }
            assert!((SHORT..SOON).contains(&begun.elapsed()));
        });
    });
}

#[test]
fn each_message_has_its_own_deadline() {
    const EACH: Duration = Duration::from_secs(2);
    over_each_line(|mut one, other| {
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..3 {
                    thread::sleep(EACH * 2 / 5);
                    one.send(NOTE.to_vec(), LONG).unwrap();
                }
                one.close(LONG);
            });
            let deadlines = Deadlines {
                message: EACH,
                phase: LONG,
            };
            let mut channel = Channel::new(other, deadlines);
            let begun = Instant::now();
            for _ in 0..3 {
                channel.recv_message::<Note>().unwrap();
            }
            assert!(begun.elapsed() > EACH);
        });
    });
}

#[test]
fn peer_that_prolongs_a_phase_times_out_at_the_phase_deadline() {
    over_each_line(|one, other| {
        thread::scope(|scope| {
            scope.spawn(|| drip(one, NOTE.len()));
            let deadlines = Deadlines {
                message: LONG,
                phase: MEDIUM,
            };
            let mut channel = Channel::new(other, deadlines);
            thread::sleep(MEDIUM / 2);
            channel.begin_phase("being kept");
            let begun = Instant::now();
            let mut notes = 0;
            let error = loop {
                match channel.recv_message::<Note>() {
                    Ok(_) => notes += 1,
                    Err(error) => break error,
                }
                assert!(begun.elapsed() < SOON);
            };
            assert!(notes > 1);
            match error {
                Error::Timeout { during, limit } => {
                    assert_eq!((during, limit), ("being kept", MEDIUM));
                }
                other => panic!("{other}"),
            }
            assert!((MEDIUM..SOON).contains(&begun.elapsed()));
        });
    });
}

#[test]
fn peer_that_never_reads_times_out_and_closing_does_not_wait() {
    over_each_line(|one, _other| {
        let mut channel = Channel::new(one, HASTY);
        let begun = Instant::now();
        // On a busy machine, the deadline may expire while the bytes are being queued.
        let sent = channel.send_bytes(BULK, &vec![0; UNREAD]);
        let error = sent.and_then(|()| channel.drain()).unwrap_err();
        assert!(
            matches!(error, Error::Timeout { limit: SHORT, .. }),
            "{error}"
        );
        drop(channel);
        assert!((SHORT..SOON).contains(&begun.elapsed()));
    });
}

#[test]
fn sending_to_a_peer_that_never_reads_fails_at_a_later_call() {
    let (one, _other) = tcp_pair();
    let deadlines = Deadlines {
        message: QUEUEING,
        phase: LONG,
    };
    let mut channel = Channel::new(one, deadlines);
    channel.send_bytes(BULK, &vec![0; UNREAD]).unwrap();
    thread::sleep(2 * QUEUEING);
    let error = channel.send_bytes(BULK, &[0; CHUNK]).unwrap_err();
    assert!(
        matches!(error, Error::Timeout { limit, .. } if limit == QUEUEING),
        "{error}"
    );
}

#[test]
fn peer_that_reads_slowly_times_out_at_the_send_deadline() {
    let (mut one, mut other) = tcp_pair();
    thread::scope(|scope| {
        // After every few reads, the sender's socket accepts more bytes, well before the deadline.
        // Reading all bytes would take several times as long as the deadline.
        scope.spawn(move || {
            let mut buf = vec![0; CHUNK];
            while other.recv(&mut buf, LONG).is_ok_and(|len| len > 0) {
                thread::sleep(QUEUEING / 160);
            }
        });
        let begun = Instant::now();
        one.send(vec![0; 2 * UNREAD], QUEUEING).unwrap();
        let error = one.drain(0, LONG).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!((QUEUEING..SOON).contains(&begun.elapsed()));
        one.close(LONG);
    });
}

#[test]
fn dropping_a_channel_waits_at_most_for_the_deadline() {
    let (one, _other) = tcp_pair();
    let mut channel = Channel::new(one, HASTY);
    // On a busy machine, the deadline may expire while the bytes are being queued.
    let _ = channel.send_bytes(BULK, &vec![0; UNREAD]);
    let begun = Instant::now();
    drop(channel);
    assert!(begun.elapsed() < SOON);
}

#[test]
fn aborting_does_not_wait_for_a_peer_that_never_reads() {
    let (one, _other) = tcp_pair();
    let mut channel = Channel::new(one, PATIENT);
    channel.send_bytes(BULK, &vec![0; UNREAD]).unwrap();
    let begun = Instant::now();
    channel.abort();
    assert!(begun.elapsed() < SOON);
}
