//! Two processes of `circuit run` over a plain connection end soon whoever else is on it, with the exit
//! code that says whose fault it is, and never by a panic.

use crate::common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use common::processes::{Finished, PATIENT, Running, SHORT, start, start_run};
use common::proxy::{Fault, From, Proxy};

/// A small shuffle, which takes a frame of each kind.
const SHUFFLE: [&str; 6] = ["--algorithm", "cut", "--cards", "5", "--draw", "2"];

/// Starts the garbler, which listens.
fn listens(timeout: &str) -> (Running, SocketAddr) {
    let own = ["--garbler", "random", "--timeout", timeout];
    start_run(&[&SHUFFLE[..], &own].concat())
}

/// Starts the evaluator, which connects to `address`.
fn connects(address: &str, timeout: &str) -> Running {
    let own = ["--evaluator", "random", "--timeout", timeout];
    let line = ["circuit", "run", "--json", "--connect", address];
    start([&line[..], &SHUFFLE, &own].concat())
}

/// A hello of protocol version 9, whose body is anything.
fn newer_version() -> Vec<u8> {
    let body = b"the future";
    let length = (10 + 2 + body.len()) as u32;
    [
        &length.to_le_bytes()[..],
        &[1],
        b"dealerless",
        &[9, 0],
        body,
    ]
    .concat()
}

/// What a stranger sends, the exit code, and what the message names.
fn strangers() -> Vec<(Vec<u8>, i32, &'static str)> {
    vec![
        (
            b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            (1u64 << 60).to_be_bytes().to_vec(),
            2,
            "does not speak dealerless",
        ),
        (vec![0xff; 4096], 2, "does not speak dealerless"),
        (vec![0; 4096], 2, "does not speak dealerless"),
        (
            newer_version(),
            2,
            "speaks version 9 of the protocol, and this is version 6",
        ),
        (
            newer_version()[..9].to_vec(),
            3,
            "the connection was lost while saying hello",
        ),
        (vec![], 3, "the connection was lost while saying hello"),
    ]
}

#[test]
fn a_stranger_who_comes_to_a_listener_is_called_what_it_is_and_dropped() {
    thread::scope(|scope| {
        for (greeting, _, message) in strangers() {
            scope.spawn(move || {
                let (listener, address) = listens(SHORT);
                let mut stranger = TcpStream::connect(address).unwrap();
                stranger.write_all(&greeting).unwrap();
                stranger.shutdown(std::net::Shutdown::Write).unwrap();
                // Another version ends the run. After any other stranger the listener waits on.
                let other_version = message.contains("version 9");
                let listener = listener
                    .finish()
                    .exits(if other_version { 2 } else { 3 })
                    .says(message);
                assert_eq!(listener.stderr.contains("Dropped"), !other_version);
                assert!(listener.json()["error"]["message"].is_string());
                assert!(listener.took < Duration::from_secs(20), "{listener:?}");
            });
        }
    });
}

#[test]
fn a_stranger_to_whom_one_connects_is_called_what_it_is() {
    for (greeting, code, message) in strangers() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connector = connects(&address, PATIENT);
        let (mut stranger, _) = listener.accept().unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        connector.finish().exits(code).says(message);
    }
}

#[test]
fn a_peer_that_says_nothing_or_drips_is_cut_at_the_deadline() {
    let hang = |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        thread::spawn(move || {
            let mut rest = Vec::new();
            // Until the other side has had enough.
            let _ = stream.read_to_end(&mut rest);
        })
    };
    let drip = |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        thread::spawn(move || {
            for byte in newer_version().iter().cycle() {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(200));
            }
        })
    };
    let listeners = [hang as fn(_) -> _, drip].map(|peer| {
        let (listener, address) = listens(SHORT);
        (listener, peer(address))
    });
    for (listener, peer) in listeners {
        let listener = listener.finish().exits(3);
        let listener = listener.says("no answer from the peer within 1s while saying hello");
        assert!(listener.took < Duration::from_secs(10), "{listener:?}");
        peer.join().unwrap();
    }
}

#[test]
fn a_side_that_connects_to_nobody_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    connects(&address, PATIENT)
        .finish()
        .exits(3)
        .says("refused")
        .says("Begin anew");
    connects("host.invalid:5252", PATIENT)
        .finish()
        .exits(1)
        .says("cannot resolve");
    connects("no-port", PATIENT)
        .finish()
        .exits(1)
        .says("expected an address HOST:PORT");
}

/// Runs the shuffle through a proxy that spoils one frame. Returns the receiver of that frame, its
/// sender, and the number of frames that passed.
fn spoiled(from: From, number: usize, fault: Fault, timeout: &str) -> (Finished, Finished, usize) {
    let (listener, address) = listens(timeout);
    let proxy = Proxy::start(address, from, number, fault);
    let connector = connects(&proxy.address.to_string(), timeout).finish();
    let listener = listener.finish();
    let frames = proxy.frames();
    match from {
        From::Listener => (connector, listener, frames),
        From::Connector => (listener, connector, frames),
    }
}

/// The number of frames of a run.
fn frames(from: From) -> usize {
    let (receiver, sender, frames) = spoiled(from, usize::MAX, Fault::Flip, PATIENT);
    assert_eq!((receiver.code, sender.code), (Some(0), Some(0)));
    assert!(frames > 8, "{frames}");
    frames
}

/// Spoils every frame of a run but the hello in turn, and hands receiver and sender to `check`.
fn every_frame_spoiled(fault: Fault, check: impl Fn(&str, Finished, Finished) + Sync) {
    thread::scope(|scope| {
        for from in [From::Listener, From::Connector] {
            let check = &check;
            scope.spawn(move || {
                for number in 1..frames(from) {
                    let (receiver, sender, _) = spoiled(from, number, fault, PATIENT);
                    let case = format!("frame {number} from {from:?}");
                    check(&case, receiver, sender);
                }
            });
        }
    });
}

/// The sender of a message that was lost learns it too, unless it was its last.
fn ends_somehow(case: &str, sender: &Finished) {
    assert!(matches!(sender.code, Some(0 | 2 | 3)), "{case}: {sender:?}");
}

#[test]
fn a_connection_that_is_cut_in_the_middle_of_any_message_is_lost_and_not_hung() {
    for fault in [Fault::CutInHeader, Fault::CutInPayload] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(3), "{case}: {receiver:?}");
            assert!(
                receiver.stderr.contains("the connection was lost while"),
                "{case}"
            );
            assert!(receiver.stderr.contains("Begin anew"), "{case}");
            ends_somehow(case, &sender);
        });
    }
}

#[test]
fn a_message_of_four_gigabytes_or_of_another_kind_is_refused_wherever_it_comes() {
    for fault in [Fault::Oversize, Fault::WrongTag] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(2), "{case}: {receiver:?}");
            assert!(receiver.stderr.contains("broke the protocol: "), "{case}");
            ends_somehow(case, &sender);
        });
    }
}

#[test]
fn a_message_that_is_altered_on_the_line_makes_nobody_panic_or_hang() {
    every_frame_spoiled(Fault::Flip, |case, receiver, sender| {
        ends_somehow(case, &receiver);
        ends_somehow(case, &sender);
    });
}

#[test]
fn a_line_that_falls_silent_is_noticed_at_the_deadline_whatever_was_going_on() {
    thread::scope(|scope| {
        for from in [From::Listener, From::Connector] {
            for number in [1, 2, 3, 5, 8] {
                scope.spawn(move || {
                    let (receiver, sender, _) = spoiled(from, number, Fault::Stall, SHORT);
                    let case = format!("frame {number} from {from:?}");
                    assert!(
                        receiver.took < Duration::from_secs(30),
                        "{case}: {receiver:?}"
                    );
                    assert_eq!(receiver.code, Some(3), "{case}: {receiver:?}");
                    assert!(
                        receiver.stderr.contains("no answer"),
                        "{case}: {receiver:?}"
                    );
                    assert!(matches!(sender.code, Some(2 | 3)), "{case}: {sender:?}");
                });
            }
        }
    });
}
