//! Messages arrive completely and in order over every transport, and the traffic is counted.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net::{
    CHUNK, Channel, Error, HEADER_BYTES, MAX_BACKLOG, Message, Tag, TcpTransport, Traffic,
    memory_pair, recv_hello, send_hello,
};
use dealerless::testing::line::{End, NOBODY, over_each_line, tcp_pair};
use dealerless::testing::session::{PATIENT, SOON};
use dealerless::testing::tap::{Frame, Tap};
use serde::{Deserialize, Serialize};

const OFFER: Tag = Tag::new(128, "offer");
const BULK: Tag = Tag::new(129, "bulk");

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Offer {
    cards: u16,
    name: String,
}

impl Message for Offer {
    const TAG: Tag = OFFER;
    const MAX_BYTES: usize = 30;
}

fn offer() -> Offer {
    Offer {
        cards: 52,
        name: "holdem".into(),
    }
}

/// A bulk payload whose period is coprime to all powers of two, so that the tests notice a part
/// that is shifted or sent twice.
fn payload(len: usize) -> Vec<u8> {
    let period: Vec<u8> = (0..251).collect();
    let mut bytes = period.repeat(len / period.len() + 1);
    bytes.truncate(len);
    bytes
}

fn channels(one: End, other: End) -> (Channel, Channel) {
    let deadlines = PATIENT;
    (Channel::new(one, deadlines), Channel::new(other, deadlines))
}

#[test]
fn messages_and_bulk_data_arrive_in_order() {
    over_each_line(|one, other| {
        let (mut alice, mut bob) = channels(one, other);
        let lengths = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17];
        thread::scope(|scope| {
            scope.spawn(move || {
                send_hello(&mut alice, &7u32).unwrap();
                assert_eq!(recv_hello::<u32>(&mut alice).unwrap(), 8);
                for len in lengths {
                    alice.send_message(&offer()).unwrap();
                    alice.send_bytes(BULK, &payload(len)).unwrap();
                }
                alice.flush().unwrap();
            });
            send_hello(&mut bob, &8u32).unwrap();
            assert_eq!(recv_hello::<u32>(&mut bob).unwrap(), 7);
            for len in lengths {
                assert_eq!(bob.recv_message::<Offer>().unwrap(), offer());
                let mut received = vec![0; len];
                bob.recv_bytes(BULK, &mut received).unwrap();
                assert!(received == payload(len), "{len} bytes");
            }
        });
    });
}

#[test]
fn bytes_on_the_wire_are_unchanged() {
    let (alice, _bob) = memory_pair();
    let alice = Tap::new(alice);
    let record = alice.record();
    let mut alice = Channel::new(alice, PATIENT);
    send_hello(&mut alice, &0x0102_u16).unwrap();
    alice.send_message(&offer()).unwrap();
    alice.send_bytes(BULK, &[9, 8, 7]).unwrap();
    alice.flush().unwrap();
    alice.abort();

    let expected: &[&[u8]] = &[
        &[14, 0, 0, 0, 1],
        b"dealerless",
        &[6, 0],
        &[2, 1],
        &[16, 0, 0, 0, 128],
        &[52, 0],
        &[6, 0, 0, 0, 0, 0, 0, 0],
        b"holdem",
        &[3, 0, 0, 0, 129],
        &[9, 8, 7],
        &[0, 0, 0, 0, 2],
    ];
    let sent: Vec<u8> = (record.take_sent().iter())
        .flat_map(Frame::to_bytes)
        .collect();
    assert_eq!(sent, expected.concat());
}

#[test]
fn both_sides_can_send_64_mib_before_either_receives() {
    const LEN: usize = 64 << 20;
    fn exchange(mut channel: Channel) {
        let data = payload(LEN);
        channel.send_bytes(BULK, &data).unwrap();
        channel.flush().unwrap();
        let mut received = vec![0; LEN];
        channel.recv_bytes(BULK, &mut received).unwrap();
        assert!(received == data);
    }
    over_each_line(|one, other| {
        let (alice, bob) = channels(one, other);
        thread::scope(|scope| {
            scope.spawn(|| exchange(alice));
            exchange(bob);
        });
    });
}

#[test]
fn receiving_flushes_first() {
    over_each_line(|one, other| {
        let (mut alice, mut bob) = channels(one, other);
        thread::scope(|scope| {
            scope.spawn(move || {
                alice.send_message(&offer()).unwrap();
                alice.recv_message::<Offer>().unwrap();
            });
            bob.recv_message::<Offer>().unwrap();
            bob.send_message(&offer()).unwrap();
            bob.flush().unwrap();
        });
    });
}

#[test]
fn flushed_bytes_arrive_after_a_drop_and_then_the_connection_is_lost() {
    const LEN: usize = 24 << 20;
    over_each_line(|one, other| {
        let (mut alice, mut bob) = channels(one, other);
        thread::scope(|scope| {
            scope.spawn(move || {
                alice.send_bytes(BULK, &payload(LEN)).unwrap();
                alice.flush().unwrap();
            });
            thread::sleep(Duration::from_millis(50));
            let mut received = vec![0; LEN];
            bob.recv_bytes(BULK, &mut received).unwrap();
            assert!(received == payload(LEN));
            let error = bob.recv_message::<Offer>().unwrap_err();
            assert!(matches!(error, Error::Lost { .. }), "{error}");
        });
    });
}

#[test]
fn draining_bounds_the_unsent_bytes() {
    let (alice, bob) = memory_pair();
    let mut alice = Channel::new(alice, PATIENT);
    let mut bob = Channel::new(bob, PATIENT);
    let total = 4 * MAX_BACKLOG;
    let sent = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..total / CHUNK {
                alice.send_bytes(BULK, &[0; CHUNK]).unwrap();
                alice.drain().unwrap();
                sent.fetch_add(CHUNK, Ordering::SeqCst);
            }
        });
        let begun = Instant::now();
        while sent.load(Ordering::SeqCst) <= MAX_BACKLOG - 2 * CHUNK {
            assert!(begun.elapsed() < SOON);
            thread::yield_now();
        }
        thread::sleep(Duration::from_millis(100));
        assert!(sent.load(Ordering::SeqCst) <= MAX_BACKLOG);
        for received in (CHUNK..=total).step_by(CHUNK) {
            bob.recv_bytes(BULK, &mut [0; CHUNK]).unwrap();
            // Bytes that the receiving channel has buffered count as sent.
            assert!(sent.load(Ordering::SeqCst) <= received + MAX_BACKLOG + 2 * CHUNK);
        }
    });
}

#[test]
fn draining_waits_for_a_slow_reader_over_tcp() {
    let (alice, bob) = tcp_pair();
    let mut alice = Channel::new(alice, PATIENT);
    let mut bob = Channel::new(bob, PATIENT);
    // More than the operating system buffers on the two sides of a connection.
    let total = 64 << 20;
    let pause = Duration::from_millis(200);
    let begun = Instant::now();
    thread::scope(|scope| {
        let streaming = scope.spawn(move || {
            for _ in 0..total / CHUNK {
                alice.send_bytes(BULK, &[0; CHUNK]).unwrap();
                alice.drain().unwrap();
            }
            begun.elapsed()
        });
        thread::sleep(pause);
        for _ in 0..total / CHUNK {
            bob.recv_bytes(BULK, &mut [0; CHUNK]).unwrap();
        }
        assert!(streaming.join().unwrap() >= pause);
    });
}

#[test]
fn traffic_counts_every_byte_and_flight() {
    over_each_line(|one, other| {
        let (mut alice, mut bob) = channels(one, other);
        let offer_bytes = (HEADER_BYTES + 2 + 8 + 6) as u64;
        let bulk_bytes = (2 * HEADER_BYTES + CHUNK + 1) as u64;
        let expected = Traffic {
            bytes_sent: 3 * offer_bytes + bulk_bytes,
            bytes_received: 2 * offer_bytes,
            flights_sent: 2,
            flights_received: 1,
        };
        let mirrored = Traffic {
            bytes_sent: expected.bytes_received,
            bytes_received: expected.bytes_sent,
            flights_sent: expected.flights_received,
            flights_received: expected.flights_sent,
        };
        thread::scope(|scope| {
            scope.spawn(move || {
                alice.send_message(&offer()).unwrap();
                assert_eq!(
                    alice.traffic(),
                    Traffic::default(),
                    "nothing has been sent yet"
                );
                alice.flush().unwrap();
                alice.flush().unwrap();
                alice.send_message(&offer()).unwrap();
                alice.recv_message::<Offer>().unwrap();
                alice.recv_message::<Offer>().unwrap();
                alice.send_bytes(BULK, &payload(CHUNK + 1)).unwrap();
                alice.send_message(&offer()).unwrap();
                alice.flush().unwrap();
                assert_eq!(alice.traffic(), expected);
            });
            bob.recv_message::<Offer>().unwrap();
            bob.recv_message::<Offer>().unwrap();
            bob.send_message(&offer()).unwrap();
            bob.send_message(&offer()).unwrap();
            bob.recv_bytes(BULK, &mut [0; CHUNK + 1]).unwrap();
            bob.recv_message::<Offer>().unwrap();
            assert_eq!(bob.traffic(), mirrored);
        });
    });
}

#[test]
fn oversized_message_is_refused_and_the_channel_stays_usable() {
    over_each_line(|one, other| {
        let (mut alice, mut bob) = channels(one, other);
        let long = Offer {
            cards: 52,
            name: "x".repeat(21),
        };
        let error = alice.send_message(&long).unwrap_err();
        assert!(matches!(error, Error::Unsendable { .. }), "{error}");
        alice.send_message(&offer()).unwrap();
        alice.flush().unwrap();
        assert_eq!(bob.recv_message::<Offer>().unwrap(), offer());
    });
}

#[test]
fn waiting_for_a_connection_has_a_deadline() {
    let limit = Duration::from_millis(100);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let error = TcpTransport::accept(&listener, limit).err().unwrap();
    assert!(
        matches!(error, Error::Timeout { limit: l, .. } if l == limit),
        "{error}"
    );

    let error = TcpTransport::connect(NOBODY, SOON).err().unwrap();
    assert!(matches!(error, Error::Lost { .. }), "{error}");
}
