//! Whoever else is on the line, two processes end soon, with the exit code that says whose fault it
//! is, and never by a panic.

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use common::processes::{Finished, PATIENT, SHORT, start_host, start_join};
use common::proxy::{Fault, From, Proxy};

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
fn a_stranger_who_knocks_at_the_host_is_called_what_it_is() {
    for (greeting, code, message) in strangers() {
        let (host, address) = start_host(&["--timeout", PATIENT]);
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        let host = host.finish().exits(code).says(message);
        let events = host.events();
        assert_eq!(events.last().unwrap()["event"], "error");
        assert_eq!(events.last().unwrap()["exit_code"], code);
        assert!(host.took < Duration::from_secs(20), "{host:?}");
    }
}

#[test]
fn a_stranger_whom_one_joins_is_called_what_it_is() {
    for (greeting, code, message) in strangers() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let joiner = start_join(&address, &["--timeout", PATIENT]);
        let (mut stranger, _) = listener.accept().unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        joiner.finish().exits(code).says(message);
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
    let hosts = [hang as fn(_) -> _, drip].map(|peer| {
        let (host, address) = start_host(&["--timeout", SHORT]);
        (host, peer(address))
    });
    for (host, peer) in hosts {
        let host = host.finish().exits(3);
        let host = host.says("no answer from the peer within 1s while saying hello");
        assert!(host.took < Duration::from_secs(10), "{host:?}");
        peer.join().unwrap();
    }
}

#[test]
fn a_host_whom_nobody_joins_gives_up_only_if_it_was_told_to() {
    let (host, _) = start_host(&["--timeout", "0.2"]);
    host.finish()
        .exits(3)
        .says("waiting for the peer to connect");
}

#[test]
fn a_joiner_without_a_host_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    start_join(&address, &[])
        .finish()
        .exits(3)
        .says("refused")
        .says("Begin anew");
    start_join("host.invalid:5252", &[])
        .finish()
        .exits(1)
        .says("cannot resolve");
    start_join("no-port", &[])
        .finish()
        .exits(1)
        .says("an address is HOST:PORT");
}

/// Plays a hand of hold'em through a proxy that spoils one frame. Gives the receiver of that frame,
/// its sender, and the number of frames that passed.
fn spoiled(from: From, number: usize, fault: Fault, timeout: &str) -> (Finished, Finished, usize) {
    let (host, address) = start_host(&["--timeout", timeout]);
    let proxy = Proxy::start(address, from, number, fault);
    let joiner = start_join(&proxy.address.to_string(), &["--timeout", timeout]).finish();
    let host = host.finish();
    let frames = proxy.frames();
    match from {
        From::Host => (joiner, host, frames),
        From::Joiner => (host, joiner, frames),
    }
}

/// How many frames a hand of hold'em takes.
fn frames(from: From) -> usize {
    let (receiver, sender, frames) = spoiled(from, usize::MAX, Fault::Flip, PATIENT);
    assert_eq!((receiver.code, sender.code), (Some(0), Some(0)));
    assert!(frames > 10, "{frames}");
    frames
}

/// Spoils every frame of a hand in turn, and hands receiver and sender to `check`.
fn every_frame_spoiled(fault: Fault, check: impl Fn(&str, Finished, Finished) + Sync) {
    thread::scope(|scope| {
        for from in [From::Host, From::Joiner] {
            let check = &check;
            scope.spawn(move || {
                for number in 0..frames(from) {
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
        for from in [From::Host, From::Joiner] {
            for number in [0, 1, 3, 5, 8] {
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
