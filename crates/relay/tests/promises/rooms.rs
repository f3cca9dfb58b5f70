//! Two clients with the same token meet, and bytes pass unchanged.

use std::io::{Read, Write};
use std::num::NonZeroU64;
use std::thread;
use std::time::Instant;

use dealerless_relay::Settings;
use proptest::prelude::*;
use tungstenite::Message;

use super::clients::{Running, line, next, until};

#[test]
fn two_sides_of_a_token_meet_and_others_wait() {
    let relay = Running::new();
    let mut host = relay.says(&line(1, 1));
    let same_side = relay.says(&line(1, 1));
    let other_token = relay.says(&line(2, 2));
    let mut guest = relay.says(&line(1, 2));
    // One of the two connections of the host. The other one is superfluous, and ends.
    guest.expect("ok\n");
    let mut hosts = [&mut host, &mut { same_side }];
    until(|| hosts.iter().all(|host| !host.is_waiting()));
    let mut answers = hosts.each_mut().map(|host| {
        let mut byte = [0];
        host.0.read(&mut byte).map_or(0, |len| len)
    });
    answers.sort_unstable();
    assert_eq!(answers, [0, 1]);
    assert!(other_token.is_waiting());
}

#[test]
fn token_without_a_side_meets_any_side() {
    let relay = Running::new();
    let without = format!("please relay {:064x}\n", 1);
    for other in [without.clone(), line(1, 5)] {
        let mut pair = [relay.says(&without), relay.says(&other)];
        pair.iter_mut().for_each(|end| end.expect("ok\n"));
    }
}

#[test]
fn malformed_line_is_a_bad_handshake() {
    let relay = Running::new();
    for line in ["is this a relay\n", "please\n", "\n", "please relay 12\n"] {
        relay.says(line).expect_end("bad handshake\n");
        let mut socket = relay.opens(line);
        assert_eq!(next(&mut socket), b"bad handshake\n");
        assert!(matches!(socket.read(), Ok(Message::Close(_))));
    }
    relay.says(&"a".repeat(256)).expect_end("bad handshake\n");
}

#[test]
fn bytes_before_the_peer_are_impatient() {
    let relay = Running::new();
    relay
        .says(&format!("{}early", line(1, 1)))
        .expect_end("impatient\n");
    let mut later = relay.says(&line(1, 1));
    later.send(b"early");
    later.expect_end("impatient\n");
    let mut socket = relay.opens(&line(1, 1));
    socket.send(Message::binary(vec![1])).unwrap();
    assert_eq!(next(&mut socket), b"impatient\n");
    // None of them waits any more.
    assert!(relay.says(&line(1, 2)).is_waiting());
}

#[test]
fn bytes_after_the_line_of_the_second_client_are_forwarded() {
    let relay = Running::new();
    let mut host = relay.says(&line(1, 1));
    until(|| host.is_waiting());
    let mut guest = relay.says(&format!("{}early", line(1, 2)));
    guest.expect("ok\n");
    host.expect("ok\nearly");
}

#[test]
fn line_in_single_bytes_is_read() {
    let relay = Running::new();
    let mut pair = [relay.connect(), relay.connect()];
    for (side, end) in (1..).zip(&mut pair) {
        for byte in line(1, side).bytes() {
            end.send(&[byte]);
        }
    }
    pair.iter_mut().for_each(|end| end.expect("ok\n"));
}

#[test]
fn program_and_page_meet() {
    let relay = Running::new();
    let mut program = relay.says(&line(1, 1));
    let mut page = relay.opens(&line(1, 2));
    program.expect("ok\n");
    assert_eq!(next(&mut page), b"ok\n");
    program.send(b"from the program");
    assert_eq!(next(&mut page), b"from the program");
    page.send(Message::binary(b"from the page".to_vec()))
        .unwrap();
    program.expect("from the page");
}

#[test]
fn room_forwards_no_more_than_its_rate_and_slows_no_other_room() {
    let rate = 1_000_000;
    let relay = Running::with(Settings {
        max_rate: NonZeroU64::new(rate),
        ..Settings::default()
    });
    let [one, mut two] = relay.pair();
    let len = 2_000_000;
    let begun = Instant::now();
    let writer = {
        let mut one = one.0.try_clone().unwrap();
        thread::spawn(move || one.write_all(&vec![7; len]).unwrap())
    };
    let mut other = [1, 2].map(|side| relay.says(&line(9, side)));
    other.iter_mut().for_each(|end| end.expect("ok\n"));
    let [here, there] = &mut other;
    here.send(b"a small message");
    there.expect("a small message");
    let mut received = vec![0; len];
    two.0.read_exact(&mut received).unwrap();
    assert!(received.iter().all(|byte| *byte == 7));
    writer.join().unwrap();
    // A second of the rate and what is read at once come in advance. A busy machine is slower.
    let most = rate as f64 * (begun.elapsed().as_secs_f64() + 1.0) + 17_000.0;
    assert!((len as f64) < most, "{:?}", begun.elapsed());
}

/// Data in pieces.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = (
        any::<u8>(),
        prop_oneof![0..200_usize, 16_300..16_500_usize, 0..70_000_usize],
    );
    let piece = piece.prop_map(|(first, len)| {
        (0..len)
            .map(|at| first.wrapping_add((at % 251) as u8))
            .collect()
    });
    proptest::collection::vec(piece, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn both_directions_are_forwarded_byte_by_byte(one in pieces(), other in pieces()) {
        let relay = Running::new();
        let mut ends = relay.pair();
        thread::scope(|scope| {
            for (end, (sent, received)) in ends.iter_mut().zip([(&one, &other), (&other, &one)]) {
                let mut writer = end.0.try_clone().unwrap();
                scope.spawn(move || sent.iter().for_each(|piece| writer.write_all(piece).unwrap()));
                scope.spawn(move || {
                    let mut bytes = vec![0; received.iter().map(Vec::len).sum()];
                    end.0.read_exact(&mut bytes).unwrap();
                    assert!(bytes == received.concat());
                });
            }
        });
    }

    #[test]
    fn frames_of_a_page_are_forwarded_byte_by_byte(one in pieces(), other in pieces()) {
        let relay = Running::new();
        let mut program = relay.says(&line(1, 1));
        let mut page = relay.opens(&line(1, 2));
        program.expect("ok\n");
        assert_eq!(next(&mut page), b"ok\n");
        let mut writer = program.0.try_clone().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| one.iter().for_each(|piece| writer.write_all(piece).unwrap()));
            scope.spawn(|| {
                let mut bytes = vec![0; other.iter().map(Vec::len).sum()];
                program.0.read_exact(&mut bytes).unwrap();
                assert!(bytes == other.concat());
            });
            for piece in &other {
                page.send(Message::binary(piece.clone())).unwrap();
            }
            let mut received = Vec::new();
            while received.len() < one.iter().map(Vec::len).sum() {
                received.extend(next(&mut page));
            }
            assert!(received == one.concat());
        });
    }
}
