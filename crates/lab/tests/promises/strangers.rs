//! `circuit run` over a plain connection ends quickly against any peer, with an exit code that
//! names the party at fault, and never with a panic.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::common::processes::{Finished, PATIENT, Running, SHORT, start, start_run};
use crate::common::proxy::{Fault, From, Proxy};
use dealerless::testing::line::NOBODY;

/// A small shuffle, which needs frames of each kind.
const SHUFFLE: [&str; 6] = ["--algorithm", "cut", "--cards", "5", "--draw", "2"];

/// Starts the garbler, which listens.
fn start_listener(timeout: &str) -> (Running, SocketAddr) {
    let own = ["--garbler", "random", "--timeout", timeout];
    start_run(&[&SHUFFLE[..], &own].concat())
}

/// Starts the evaluator, which connects to `address`.
fn start_connector(address: &str, timeout: &str) -> Running {
    let own = ["--evaluator", "random", "--timeout", timeout];
    let line = ["circuit", "run", "--json", "--connect", address];
    start([&line[..], &SHUFFLE, &own].concat())
}

/// A hello of protocol version `version`, with an arbitrary body.
fn hello(version: u16, body: &[u8]) -> Vec<u8> {
    let length = (10 + 2 + body.len()) as u32;
    [
        &length.to_le_bytes()[..],
        &[1],
        b"dealerless",
        &version.to_le_bytes(),
        body,
    ]
    .concat()
}

fn newer_version() -> Vec<u8> {
    hello(9, b"the future")
}

/// The bytes that a stranger sends, the exit code, and a part of the error message.
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
            "speaks version 9 of the protocol, this side speaks version 6",
        ),
        (hello(6, b"no hello"), 2, "hello: cannot be decoded"),
        (
            hello(6, &[0; 1025]),
            2,
            "hello: 1025 bytes exceed the limit of 1024",
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
fn listener_identifies_and_drops_strangers() {
    thread::scope(|scope| {
        for (greeting, _, message) in strangers() {
            scope.spawn(move || {
                let (listener, address) = start_listener(SHORT);
                let mut stranger = TcpStream::connect(address).unwrap();
                stranger.write_all(&greeting).unwrap();
                stranger.shutdown(std::net::Shutdown::Write).unwrap();
                // The hello of another version, or an invalid one, ends the run. After other strangers
                // the listener keeps waiting.
                let speaks = message.contains("version 9") || message.starts_with("hello");
                let listener = listener
                    .finish()
                    .exits(if speaks { 2 } else { 3 })
                    .says(message);
                assert_eq!(listener.stderr.contains("Dropped"), !speaks);
                assert!(listener.json()["error"]["message"].is_string());
                assert!(listener.took < Duration::from_secs(25), "{listener:?}");
            });
        }
    });
}

/// A stranger that stays silent is dropped before the real party gives up.
#[test]
fn listener_outlives_silent_strangers() {
    let (listener, address) = start_listener(PATIENT);
    let silent = TcpStream::connect(address).unwrap();
    let connector = start_connector(&address.to_string(), PATIENT);
    connector.finish().exits(0);
    drop(silent);
    listener
        .finish()
        .exits(0)
        .says("waiting for the first byte of the peer");
}

#[test]
fn connector_identifies_strangers() {
    for (greeting, code, message) in strangers() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connector = start_connector(&address, PATIENT);
        let (mut stranger, _) = listener.accept().unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        connector.finish().exits(code).says(message);
    }
}

#[test]
fn silent_or_dripping_peer_times_out() {
    let hang = |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        thread::spawn(move || {
            let mut rest = Vec::new();
            // Reads until the other side closes.
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
                // Slower than the timeout for the whole message.
                thread::sleep(Duration::from_millis(500));
            }
        })
    };
    let peers = [
        (hang as fn(_) -> _, "waiting for the first byte of the peer"),
        (drip, "saying hello"),
    ];
    let listeners = peers.map(|(peer, during)| {
        let (listener, address) = start_listener(SHORT);
        (listener, peer(address), during)
    });
    for (listener, peer, during) in listeners {
        let listener = listener.finish().exits(3);
        let listener = listener.says(&format!("no answer from the peer within 5s while {during}"));
        assert!(listener.took < Duration::from_secs(25), "{listener:?}");
        peer.join().unwrap();
    }
}

#[test]
fn unreachable_addresses_are_reported() {
    start_connector(NOBODY, PATIENT)
        .finish()
        .exits(3)
        .says("refused")
        .says("Start both sides again");
    start_connector("host.invalid:5252", PATIENT)
        .finish()
        .exits(1)
        .says("cannot resolve");
    start_connector("no-port", PATIENT)
        .finish()
        .exits(1)
        .says("expected an address HOST:PORT");
}

/// Runs the shuffle through a proxy that spoils one frame. The timeout is that of the receiver of this
/// frame. Returns the receiver, the sender, and the number of frames that passed.
fn spoiled(from: From, number: usize, fault: Fault, timeout: &str) -> (Finished, Finished, usize) {
    let [listens, connects] = match from {
        From::Listener => [PATIENT, timeout],
        From::Connector => [timeout, PATIENT],
    };
    let (listener, address) = start_listener(listens);
    let proxy = Proxy::start(address, from, number, fault);
    let connector = start_connector(&proxy.address.to_string(), connects).finish();
    let listener = listener.finish();
    let frames = proxy.frames();
    match from {
        From::Listener => (connector, listener, frames),
        From::Connector => (listener, connector, frames),
    }
}

/// The number of frames that `from` sends in a run.
fn frames(from: From) -> usize {
    let (receiver, sender, frames) = spoiled(from, usize::MAX, Fault::Flip, PATIENT);
    assert_eq!((receiver.code, sender.code), (Some(0), Some(0)));
    assert!(frames > 8, "{frames}");
    frames
}

/// Runs the shuffle once for each frame except the hello, and spoils this frame. `check` gets the
/// name of the case, the receiver and the sender.
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

/// Asserts that the sender of a lost message ends too. Its exit code is 0 if the message was its
/// last, otherwise 2 or 3.
fn assert_ends(case: &str, sender: &Finished) {
    assert!(matches!(sender.code, Some(0 | 2 | 3)), "{case}: {sender:?}");
}

#[test]
fn cut_in_any_message_is_reported_as_lost_connection() {
    for fault in [Fault::CutInHeader, Fault::CutInPayload] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(3), "{case}: {receiver:?}");
            assert!(
                receiver.stderr.contains("the connection was lost while"),
                "{case}"
            );
            assert!(receiver.stderr.contains("Start both sides again"), "{case}");
            assert_ends(case, &sender);
        });
    }
}

#[test]
fn oversized_and_unexpected_messages_are_refused() {
    for fault in [Fault::Oversize, Fault::WrongTag] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(2), "{case}: {receiver:?}");
            assert!(receiver.stderr.contains("broke the protocol: "), "{case}");
            assert_ends(case, &sender);
        });
    }
}

#[test]
fn altered_messages_cause_no_panic_or_hang() {
    every_frame_spoiled(Fault::Flip, |case, receiver, sender| {
        assert_ends(case, &receiver);
        assert_ends(case, &sender);
    });
}

#[test]
fn silent_connection_times_out_at_any_stage() {
    thread::scope(|scope| {
        for from in [From::Listener, From::Connector] {
            for number in [1, 2, 3, 5, 8] {
                scope.spawn(move || {
                    let (receiver, sender, _) = spoiled(from, number, Fault::Stall, SHORT);
                    let case = format!("frame {number} from {from:?}");
                    assert!(
                        receiver.took < Duration::from_secs(60),
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
