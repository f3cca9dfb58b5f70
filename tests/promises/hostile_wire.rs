//! Whatever bytes a hostile peer sends, this side ends within the deadline, with an error that
//! names the fault.

use std::thread;
use std::time::{Duration, Instant};

use dealerless::mpc;
use dealerless::net::{
    CHUNK, Channel, Deadlines, Error, HEADER_BYTES, MAX_BODY_BYTES, Malformed, Message, Result,
    Tag, Transport, memory_pair, recv_hello, send_hello,
};
use dealerless::testing::line::over_each_line;
use dealerless::testing::session::{PATIENT, SOON};
use dealerless::testing::tap::{Fate, Frame, Tap, at, frame};
use serde::{Deserialize, Serialize};

/// A deadline that expires while the test waits.
const SHORT: Duration = Duration::from_millis(150);

const HASTY: Deadlines = Deadlines {
    message: SHORT,
    ..PATIENT
};

// Tags of the module `mpc`. Errors about a tag of this module name the other tags of the module.
const NOTE: Tag = mpc::Tag::Plan.tag();
const TABLES: Tag = mpc::Tag::Tables.tag();
const PAIRS: Tag = mpc::Tag::OpenedPairs.tag();
/// A tag of another protocol, whose name this side does not know.
const OTHER: Tag = Tag::new(200, "other");

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    numbers: Vec<u64>,
}

impl Message for Note {
    const TAG: Tag = NOTE;
    const MAX_BYTES: usize = 64;
}

/// Returns the errors of the victim, one for each transport, when the peer sends `bytes` and keeps
/// the connection open.
fn error_of<R>(bytes: &[u8], victim: impl Fn(&mut Channel) -> Result<R>) -> Vec<Error> {
    let errors = std::cell::RefCell::new(Vec::new());
    over_each_line(|mut peer, end| {
        peer.send(bytes.to_vec(), SOON).unwrap();
        let mut channel = Channel::new(end, PATIENT);
        let begun = Instant::now();
        let error = victim(&mut channel).err().expect("an error");
        assert!(
            begun.elapsed() < SOON,
            "only after {:?}: {error}",
            begun.elapsed()
        );
        assert!(matches!(channel.flush(), Err(Error::Ended)));
        errors.borrow_mut().push(error);
    });
    errors.into_inner()
}

#[track_caller]
fn assert_broken<R>(
    bytes: &[u8],
    malformed: Malformed,
    victim: impl Fn(&mut Channel) -> Result<R>,
) {
    for error in error_of(bytes, victim) {
        match error {
            Error::Malformed(found) => assert_eq!(found, malformed),
            other => panic!("{other}"),
        }
    }
}

fn too_long(tag: Tag, bytes: usize, limit: usize) -> Malformed {
    Malformed::TooLong { tag, bytes, limit }
}

/// The fault of bulk data in a frame of the wrong length.
fn length(bytes: usize, expected: usize) -> Malformed {
    let tag = TABLES;
    Malformed::Length {
        tag,
        bytes,
        expected,
    }
}

fn read_note(channel: &mut Channel) -> Result<Note> {
    channel.recv_message::<Note>()
}

fn read_tables(channel: &mut Channel) -> Result<()> {
    channel.recv_bytes(TABLES, &mut [0; 100])
}

fn read_hello(channel: &mut Channel) -> Result<u32> {
    recv_hello::<u32>(channel)
}

#[test]
fn length_is_checked_before_the_payload_arrives() {
    let (note, tables) = (NOTE.byte(), TABLES.byte());
    for len in [65, 1 << 20, 1 << 31, u32::MAX] {
        let found = too_long(NOTE, len as usize, 64);
        assert_broken(&frame(len, note, &[]), found, read_note);
    }
    for len in [0, 99, 101, u32::MAX] {
        let found = length(len as usize, 100);
        assert_broken(&frame(len, tables, &[]), found, read_tables);
    }
}

#[test]
fn bulk_data_requires_frames_of_the_agreed_lengths() {
    let tables = TABLES.byte();
    let halves = [frame(50, tables, &[0; 50]), frame(50, tables, &[0; 50])].concat();
    assert_broken(&halves, length(50, 100), read_tables);

    let whole = frame(CHUNK as u32 + 1, tables, &[0; CHUNK + 1]);
    assert_broken(&whole, length(CHUNK + 1, CHUNK), |channel| {
        channel.recv_bytes(TABLES, &mut [0; CHUNK + 1])
    });
}

#[test]
fn wrong_tag_is_named_before_the_payload_arrives() {
    let known = mpc::Tag::ALL.iter().map(|tag| tag.tag());
    let known: Vec<Tag> = known.chain([Tag::HELLO]).collect();
    let name = |byte| match known.iter().find(|tag| tag.byte() == byte) {
        Some(tag) => tag.to_string(),
        None => format!("tag {byte}"),
    };
    for found in (0..=u8::MAX).filter(|byte| ![NOTE.byte(), Tag::ABORT.byte()].contains(byte)) {
        let expected = NOTE;
        let malformed = Malformed::Tag { expected, found };
        assert_broken(&frame(8, found, &[]), malformed, read_note);
        let message = format!("expected plan, found {}", name(found));
        assert_eq!(malformed.to_string(), message);
    }
}

#[test]
fn sequence_longer_than_its_frame_is_not_allocated() {
    for claim in [7, 1 << 40, 1 << 60, u64::MAX] {
        let claim: u64 = claim;
        let payload = [&claim.to_le_bytes()[..], &[0; 48]].concat();
        assert_broken(
            &frame(56, NOTE.byte(), &payload),
            Malformed::Undecodable(NOTE),
            read_note,
        );
    }
}

#[test]
fn trailing_bytes_in_a_frame_are_an_error() {
    let mut payload = 1u64.to_le_bytes().to_vec();
    payload.extend([0; 9]);
    let (tag, extra) = (NOTE, 1);
    let found = Malformed::TrailingBytes { tag, extra };
    assert_broken(&frame(17, tag.byte(), &payload), found, read_note);
}

#[test]
fn other_protocols_are_recognized() {
    let strangers: &[&[u8]] = &[
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x16\x03\x01\x00\x01\x01\x00\x01\xfc\x03\x03",
        &[0; 64],
        &[0xff; 64],
        &frame(11, Tag::HELLO.byte(), b"dealerless\x04"),
        &frame(16, Tag::HELLO.byte(), b"Dealerless\x06\x00\x07\x00\x00\x00"),
        &frame(16, NOTE.byte(), b"dealerless\x06\x00\x07\x00\x00\x00"),
        &frame(1 << 16, Tag::HELLO.byte(), b"dealerless\x06\x00"),
    ];
    for bytes in strangers {
        assert_broken(bytes, Malformed::Stranger, read_hello);
    }
}

#[test]
fn other_version_is_named() {
    for (version, body) in [(0u16, 4), (4, 4), (4, 0), (516, 60_000)] {
        let content = [b"dealerless", &version.to_le_bytes()[..]].concat();
        for error in error_of(&frame(12 + body, Tag::HELLO.byte(), &content), read_hello) {
            assert!(
                matches!(error, Error::Version { theirs, ours: 6 } if theirs == version),
                "{error}"
            );
        }
    }
}

#[test]
fn hello_with_an_invalid_body_is_an_error() {
    let hello = |body: &[u8], len: u32| {
        let content = [b"dealerless\x06\x00", body].concat();
        frame(12 + len, Tag::HELLO.byte(), &content)
    };
    let (tag, extra) = (Tag::HELLO, 1);
    let trailing = Malformed::TrailingBytes { tag, extra };
    assert_broken(&hello(&[], 1025), too_long(tag, 1025, 1024), read_hello);
    assert_broken(&hello(&[0; 3], 3), Malformed::Undecodable(tag), read_hello);
    assert_broken(&hello(&[0; 5], 5), trailing, read_hello);
    const { assert!(MAX_BODY_BYTES == 1024) };
}

#[test]
fn abort_is_reported_at_any_time() {
    let abort = frame(0, Tag::ABORT.byte(), &[]);
    for error in error_of(&abort, read_note) {
        assert!(matches!(error, Error::Aborted), "{error}");
    }
    for error in error_of(&abort, read_hello) {
        assert!(matches!(error, Error::Aborted), "{error}");
    }
    let within = [frame(CHUNK as u32, TABLES.byte(), &[0; CHUNK]), abort].concat();
    for error in error_of(&within, |channel| {
        channel.recv_bytes(TABLES, &mut [0; 2 * CHUNK])
    }) {
        assert!(matches!(error, Error::Aborted), "{error}");
    }
}

#[test]
fn abort_with_a_payload_is_malformed_anywhere() {
    for bit in 0..32 {
        let len: u32 = 1 << bit;
        let abort = frame(len, Tag::ABORT.byte(), &[0]);
        let found = too_long(Tag::ABORT, len as usize, 0);
        assert_broken(&abort, found, read_note);
        assert_broken(&abort, found, read_hello);
        assert_broken(&abort, found, read_tables);
    }
}

#[test]
fn streaming_party_learns_of_an_abort_behind_unread_frames() {
    over_each_line(|one, other| {
        let mut alice = Channel::new(one, PATIENT);
        let mut bob = Channel::new(other, PATIENT);
        bob.send_bytes(PAIRS, &[0; 10_000]).unwrap();
        bob.flush().unwrap();
        bob.send_message(&Note { numbers: vec![1] }).unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(50));
                bob.abort();
                assert!(matches!(bob.flush(), Err(Error::Ended)));
            });
            let begun = Instant::now();
            let error = loop {
                let sent = alice.send_bytes(TABLES, &[0; CHUNK]);
                if let Err(error) = sent.and_then(|()| alice.drain()) {
                    break error;
                }
            };
            assert!(matches!(error, Error::Aborted), "{error}");
            assert!(begun.elapsed() < SOON);
        });
    });
}

#[test]
fn unflushed_bytes_are_not_sent_after_an_abort() {
    let (alice, mut bob) = memory_pair();
    let mut alice = Channel::new(alice, PATIENT);
    alice.send_bytes(PAIRS, &[1; 100]).unwrap();
    alice.abort();
    let mut received = [0; 200];
    assert_eq!(bob.recv(&mut received, SOON).unwrap(), 5);
    assert_eq!(received[..5], frame(0, Tag::ABORT.byte(), &[]));
    assert_eq!(bob.recv(&mut received, SOON).unwrap(), 0);
}

/// Whether the error names a fault in the bytes of the peer.
fn is_finding(error: &Error) -> bool {
    matches!(error, Error::Malformed(_) | Error::Version { .. })
}

/// A dialogue with messages and bulk data between a liar and an honest party. Returns the outcome
/// of the honest party.
fn dialogue(
    liar: impl Transport + 'static,
    honest: impl Transport + 'static,
    deadlines: Deadlines,
) -> Result<()> {
    thread::scope(|scope| {
        let liar = scope.spawn(move || -> Result<()> {
            let mut channel = Channel::new(liar, PATIENT);
            send_hello(&mut channel, &1u32)?;
            channel.send_message(&Note {
                numbers: vec![3, 4],
            })?;
            channel.send_bytes(TABLES, &[5; 20])?;
            channel.send_bytes(PAIRS, &[6; 3])?;
            channel.flush()?;
            channel.recv_message::<Note>()?;
            Ok(())
        });
        let outcome = (|| {
            let mut channel = Channel::new(honest, deadlines);
            recv_hello::<u32>(&mut channel)?;
            channel.recv_message::<Note>()?;
            channel.recv_bytes(TABLES, &mut [0; 20])?;
            channel.recv_bytes(PAIRS, &mut [0; 3])?;
            channel.send_message(&Note { numbers: vec![] })?;
            channel.flush()
        })();
        // The liar must end, but its outcome does not matter.
        let _ = liar.join().expect("no panic");
        outcome
    })
}

/// The frames that the liar of the dialogue sends when it does not lie.
fn honest_dialogue() -> Vec<Frame> {
    let (one, other) = memory_pair();
    let tap = Tap::new(one);
    let record = tap.record();
    dialogue(tap, other, PATIENT).unwrap();
    record.take_sent()
}

#[test]
fn every_flipped_bit_of_a_header_is_found() {
    for honest in honest_dialogue() {
        for bit in 0..8 * HEADER_BYTES {
            let (one, other) = memory_pair();
            let flipped = move |frame: &Frame| {
                let mut bytes = frame.to_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                Fate::Sent(bytes)
            };
            let tap = Tap::with(one, at(honest.number, flipped));
            let error = dialogue(tap, other, HASTY).unwrap_err();
            // A frame that claims to be longer ends in a timeout if its message may be that long.
            assert!(
                is_finding(&error) || matches!(error, Error::Timeout { .. }),
                "frame {}, bit {bit}: {error}",
                honest.number
            );
        }
    }
}

#[test]
fn connection_cut_after_any_byte_is_lost() {
    for honest in honest_dialogue() {
        for end in 0..honest.to_bytes().len() {
            over_each_line(|one, other| {
                let cut = move |frame: &Frame| Fate::Cut(frame.to_bytes()[..end].to_vec());
                let tap = Tap::with(one, at(honest.number, cut));
                let error = dialogue(tap, other, PATIENT).unwrap_err();
                let lost = matches!(error, Error::Lost { .. });
                assert!(lost, "frame {}, byte {end}: {error}", honest.number);
            });
        }
    }
}

#[test]
fn peer_that_stalls_within_any_frame_times_out() {
    for honest in honest_dialogue() {
        for end in [0, 3, honest.to_bytes().len() - 1] {
            over_each_line(|one, other| {
                let stalled = move |frame: &Frame| Fate::Stalled(frame.to_bytes()[..end].to_vec());
                let tap = Tap::with(one, at(honest.number, stalled));
                let begun = Instant::now();
                let error = dialogue(tap, other, HASTY).unwrap_err();
                let timeout = matches!(error, Error::Timeout { limit: SHORT, .. });
                assert!(timeout, "frame {}, byte {end}: {error}", honest.number);
                assert!((SHORT..SOON).contains(&begun.elapsed()));
            });
        }
    }
}

#[test]
fn dropped_repeated_or_replaced_frame_is_found() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Fault {
        Dropped,
        Replaced,
        Repeated,
    }
    let honest = honest_dialogue();
    for number in 0..honest.len() {
        for fault in [Fault::Dropped, Fault::Replaced, Fault::Repeated] {
            over_each_line(|one, other| {
                let spoiled = move |honest: &Frame| {
                    Fate::Sent(match fault {
                        Fault::Dropped => Vec::new(),
                        Fault::Replaced => frame(3, OTHER.byte(), &[1, 2, 3]),
                        Fault::Repeated => honest.to_bytes().repeat(2),
                    })
                };
                let tap = Tap::with(one, at(number, spoiled));
                // If the last frame is missing, the honest party times out. If the last frame is
                // repeated, the honest party does not read the second copy.
                let last = number + 1 == honest.len();
                let times_out = last && fault == Fault::Dropped;
                let outcome = dialogue(tap, other, if times_out { HASTY } else { PATIENT });
                let expected = match outcome {
                    Err(ref error) if is_finding(error) => !times_out,
                    Err(Error::Timeout { .. }) => times_out,
                    Ok(()) => last && fault == Fault::Repeated,
                    Err(_) => false,
                };
                assert!(expected, "{fault:?}: {outcome:?}");
            });
        }
    }
}
