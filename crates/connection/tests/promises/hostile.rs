//! An attacker between the two players can only cut their connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::testing::players::{Player, QUICK, SOON, connection};
use dealerless_connection::testing::proxy::{Fate, From, judge, proxy};
use dealerless_connection::testing::{Door, Guest};
use dealerless_connection::{ConnectionError, Timing};

const MOMENT: Duration = Duration::from_millis(100);

/// Records an honest meeting, without an invite if `again`. Returns the sender, number and length
/// of each message, and all bytes that the guest sent.
fn recorded(
    again: bool,
    host: &Player,
    guest: &Player,
    door: &Door,
) -> (Vec<(From, usize, usize)>, Vec<u8>) {
    let seen = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    let note = Arc::clone(&seen);
    let through = proxy(
        door.addresses()[0],
        judge(move |from, number, message| {
            let mut note = note.lock().unwrap();
            note.0.push((from, number, message.len()));
            if from == From::Guest {
                note.1.extend_from_slice(message);
            }
            Fate::Pass
        }),
    );
    let joined = if again {
        guest
            .guest()
            .join_again(host.home.identity().public(), &[through], None)
    } else {
        guest.join(&door.invite(vec![through], None).unwrap())
    };
    let (joined, let_in) = (joined.unwrap(), connection(door));
    thread::sleep(MOMENT);
    let seen = seen.lock().unwrap().clone();
    drop((joined, let_in));
    seen
}

fn assert_flips_are_noticed(again: bool) {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let (messages, _) = recorded(again, &host, &guest, &host.door());
    let mut places = Vec::new();
    for (from, number, len) in messages.into_iter().take(if again { 4 } else { 5 }) {
        places.extend((0..len).map(|at| (from, number, at)));
    }
    assert!(
        places.len() > if again { 240 } else { 500 },
        "{}",
        places.len()
    );
    thread::scope(|scope| {
        for part in places.chunks(places.len() / 8 + 1) {
            scope.spawn(move || flip_each(again, part));
        }
    });
}

fn flip_each(again: bool, places: &[(From, usize, usize)]) {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let door = host.door();
    for &(from, number, at) in places {
        let flip = judge(move |by, n, message| {
            if (by, n) != (from, number) {
                return Fate::Pass;
            }
            message[at] ^= 1 << (at % 8);
            // Then cuts the connection: if the flip enlarged a length, the receiver would wait.
            Fate::Last
        });
        let through = proxy(door.addresses()[0], flip);
        let joined = if again {
            guest
                .guest()
                .join_again(host.home.identity().public(), &[through], None)
        } else {
            guest.join(&door.invite(vec![through], None).unwrap())
        };
        match from {
            From::Host => assert!(joined.is_err(), "{from:?} {number} {at}"),
            From::Guest => {
                let wait = if joined.is_ok() {
                    MOMENT
                } else {
                    Duration::ZERO
                };
                assert!(door.next(wait).is_none(), "{from:?} {number} {at}");
            }
        }
        // If the guest noticed the flip, the host may have finished its part of the meeting before.
        while door.next(Duration::ZERO).is_some() {}
    }
}

#[test]
fn every_changed_byte_of_a_first_meeting_is_noticed() {
    assert_flips_are_noticed(false);
}

#[test]
fn every_changed_byte_of_a_meeting_of_known_peers_is_noticed() {
    assert_flips_are_noticed(true);
}

#[test]
fn repeated_or_dropped_frames_end_the_connection() {
    for repeat in [true, false] {
        let [host, guest] = ["Anna", "Bob"].map(Player::new);
        let door = host.door();
        let (note, noted) = channel();
        let change = judge(move |from, number, message| {
            if (from, number) == (From::Guest, 3) {
                note.send(()).unwrap();
                *message = if repeat {
                    [&message[..], message].concat()
                } else {
                    Vec::new()
                };
            }
            Fate::Pass
        });
        let through = proxy(door.addresses()[0], change);
        let joined = guest
            .join(&door.invite(vec![through], None).unwrap())
            .unwrap();
        let let_in = connection(&door);
        joined.send_log(b"one".to_vec()).unwrap();
        // Otherwise both messages could be in one frame.
        noted.recv_timeout(SOON).unwrap();
        // After a repeated frame the connection may have ended by now.
        drop(joined.send_log(b"two".to_vec()));
        if repeat {
            assert_eq!(let_in.recv(SOON).unwrap().bytes, b"one");
        }
        assert_eq!(let_in.recv(SOON), Err(ConnectionError::Forged));
    }
}

#[test]
fn replayed_session_is_refused() {
    for again in [false, true] {
        let [host, guest] = ["Anna", "Bob"].map(Player::new);
        host.remember(&guest);
        guest.remember(&host);
        let door = host.door();
        let (_, bytes) = recorded(again, &host, &guest, &door);
        let replay = |door: &Door| {
            let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
            stream.write_all(&bytes).unwrap();
            stream.set_read_timeout(Some(SOON)).unwrap();
            let mut answer = Vec::new();
            // The connection is closed or reset.
            let _ = stream.read_to_end(&mut answer);
            assert!(door.next(MOMENT).is_none());
            answer.len()
        };
        let answered = replay(&door);
        // In the Noise pattern KK the host cannot detect a replayed first message, and answers it.
        assert!(answered == 0 || again && answered == 50, "{answered}");
        drop(door);
        assert!(replay(&host.door()) <= 50);
        // The two players can still meet after the replays.
        if again {
            let door = host.door();
            let at = door.addresses()[0].into();
            guest
                .guest()
                .join_again(host.home.identity().public(), &[at], None)
                .unwrap();
        }
    }
}

#[test]
fn dead_connection_is_noticed_on_both_sides() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door_with(QUICK);
    // Two messages of each side arrive after the meeting. Later messages are dropped, but nobody
    // closes the connection.
    let hole = judge(|from, number, _| {
        let meeting = if from == From::Guest { 3 } else { 2 };
        if number < meeting + 2 {
            Fate::Pass
        } else {
            Fate::Hole
        }
    });
    let through = proxy(door.addresses()[0], hole);
    let invite = door.invite(vec![through], None).unwrap();
    let joined = Guest {
        timing: QUICK,
        ..guest.guest()
    }
    .join(&invite)
    .unwrap();
    let let_in = connection(&door);
    for connection in [&joined, &let_in] {
        let error = connection.recv(SOON).unwrap_err();
        assert!(
            matches!(error, ConnectionError::Silent | ConnectionError::Cut(_)),
            "{error:?}"
        );
    }
    assert!(joined.silent_for() >= QUICK.ping);
}

#[test]
fn quiet_connection_stays_alive() {
    let (host, guest) = dealerless_connection::testing::players::met(Timing {
        dead: 2 * SOON,
        ..QUICK
    });
    thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    // Each ping that arrives makes `silent_for` start again from 0.
    while guest.silent_for() > Duration::from_millis(300) {
        assert!(begun.elapsed() < SOON);
        thread::sleep(Duration::from_millis(5));
    }
    host.send_log(b"still here".to_vec()).unwrap();
    assert_eq!(guest.recv(SOON).unwrap().bytes, b"still here");
}

#[test]
fn replayed_first_messages_of_a_known_peer_keep_nobody_out() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let door = host.door();
    let (messages, bytes) = recorded(true, &host, &guest, &door);
    let first = &bytes[..messages[0].2];
    // As many connections as the door holds at once. The door has answered each replay, and waits
    // for a proof that the peer has its key.
    let replays: Vec<TcpStream> = (0..16)
        .map(|_| {
            let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
            stream.write_all(first).unwrap();
            stream.set_read_timeout(Some(SOON)).unwrap();
            stream.read_exact(&mut [0; 50]).unwrap();
            stream
        })
        .collect();
    let at = door.addresses()[0].into();
    let joined = guest
        .guest()
        .join_again(host.home.identity().public(), &[at], None);
    assert!(joined.is_ok(), "{:?}", joined.err());
    drop(replays);
}
