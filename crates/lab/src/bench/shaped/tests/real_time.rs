//! Checks in real time that a shaped link has the given round trip and bandwidth.
//!
//! `cargo test --release -p dealerless-lab --lib real_time -- --nocapture` prints the measured
//! times next to the expected times.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net::{TcpTransport, Transport, memory_pair};

use super::super::{Shape, Shaped, shaped};

const PATIENCE: Duration = Duration::from_secs(20);

/// Receives the given number of bytes, and checks that they count up from 0.
fn receive(transport: &mut impl Transport, bytes: usize) {
    let mut buf = vec![0; 64 * 1024];
    let mut received = 0;
    while received < bytes {
        let len = transport.recv(&mut buf, PATIENCE).unwrap();
        assert_ne!(len, 0);
        for byte in &buf[..len] {
            assert_eq!(*byte, received as u8);
            received += 1;
        }
    }
    assert_eq!(received, bytes);
}

fn numbered(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| byte as u8).collect()
}

/// Prints both times, and checks that `taken` is at least `expected`. The upper limit allows for a
/// busy machine, but not for a wrong unit such as seconds for milliseconds.
#[track_caller]
fn compare(what: &str, taken: Duration, expected: Duration) {
    let ratio = taken.as_secs_f64() / expected.as_secs_f64();
    println!(
        "{what}: {:.2} ms, expected {:.2} ms, {:+.2} %",
        1e3 * taken.as_secs_f64(),
        1e3 * expected.as_secs_f64(),
        100.0 * (ratio - 1.0)
    );
    assert!(taken >= expected, "{what}: too early");
    assert!(taken < 20 * expected + PATIENCE / 4, "{what}: too late");
}

fn round_trips(rtt: Duration, mut left: impl Transport, mut right: impl Transport + 'static) {
    const TRIPS: u32 = 4;
    let peer = thread::spawn(move || {
        for _ in 0..TRIPS {
            receive(&mut right, 100);
            right.send(numbered(100), PATIENCE).unwrap();
        }
    });
    let begun = Instant::now();
    for _ in 0..TRIPS {
        left.send(numbered(100), PATIENCE).unwrap();
        receive(&mut left, 100);
    }
    compare("four round trips", begun.elapsed(), TRIPS * rtt);
    peer.join().unwrap();
}

#[test]
fn answering_messages_take_the_expected_round_trips() {
    for rtt in [10, 50, 150].map(Duration::from_millis) {
        let shape = Shape {
            rtt,
            bandwidth: None,
        };
        let (left, right) = memory_pair();
        let (left, right) = shaped(shape, left, right);
        round_trips(rtt, left, right);
    }
}

#[test]
fn bulk_data_stays_in_order_and_takes_its_bytes_plus_half_a_round_trip() {
    const BYTES: usize = 200_000;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for rtt in [10, 50, 150].map(Duration::from_millis) {
        let left = TcpTransport::connect(listener.local_addr().unwrap(), PATIENCE).unwrap();
        let right = TcpTransport::accept(&listener, PATIENCE).unwrap();
        let bandwidth = NonZeroU64::new(20_000_000);
        let shape = Shape { rtt, bandwidth };
        let (mut left, mut right): (Shaped<_>, Shaped<_>) = shaped(shape, left, right);
        let begun = Instant::now();
        let sender = thread::spawn(move || {
            left.send(numbered(BYTES), PATIENCE).unwrap();
            left
        });
        receive(&mut right, BYTES);
        // 1.6 million bits at 20 million bits per second.
        let expected = Duration::from_millis(80) + rtt / 2;
        compare("200 kB at 20 Mbit/s", begun.elapsed(), expected);
        sender.join().unwrap();
    }
}
