//! Two connections joined in memory: they are cut at each frame, fall silent, are suspended, and
//! receive hostile bytes.

use std::io::ErrorKind;
use std::time::Duration;

use super::super::core::{Core, Task, Timing};
use super::super::error::ConnectionError;
use super::super::incoming::Incoming;
use super::super::internals::MOST_KEPT;
use super::super::noise::{Handshake, Sealer};
use super::super::streams::{
    BYE, CONTROL, MAX_BACKLOG, MAX_MESSAGE, MAX_UNSENT, Priority, RUN_WINDOW, Stream,
};
use crate::identity::Identity;

const SECOND: Duration = Duration::from_secs(1);
const CUT: ConnectionError = ConnectionError::Cut(ErrorKind::UnexpectedEof);

/// One side of a connection, without threads, and all that it has received.
struct Side {
    core: Core,
    incoming: Incoming,
    sealer: Sealer,
    messages: Vec<Vec<u8>>,
    engine: Vec<u8>,
}

impl Side {
    /// The encrypted frames that may be sent now.
    fn frames(&mut self, now: Duration) -> Vec<Vec<u8>> {
        let (mut frames, mut plain) = (Vec::new(), Vec::new());
        while let Ok(Task::Send { by }) = self.core.next_frame(now, &mut plain) {
            assert_eq!(by, now + Timing::default().dead);
            frames.push(Vec::new());
            self.sealer.seal(&plain, frames.last_mut().unwrap());
        }
        frames
    }

    /// Receives bytes, and reads all messages and engine bytes.
    fn receive(&mut self, mut bytes: &[u8], now: Duration) {
        while !bytes.is_empty() && self.core.check().is_ok() {
            let room = self.incoming.room();
            let (taken, rest) = bytes.split_at(room.len().min(bytes.len()));
            room[..taken.len()].copy_from_slice(taken);
            let core = &mut self.core;
            let received = self
                .incoming
                .received(taken.len(), |frame| core.received(frame, now));
            if let Err(why) = received {
                core.end(why);
            }
            bytes = rest;
        }
        while let Ok(Some(message)) = self.core.next_message() {
            self.messages.push(message.bytes);
        }
        let mut buf = vec![0; 10_000];
        while let Ok(Some(count @ 1..)) = self.core.read_engine(&mut buf) {
            self.engine.extend_from_slice(&buf[..count]);
        }
    }

    fn ended(&self) -> Option<ConnectionError> {
        self.core.ended().cloned()
    }
}

/// The two sides of a new connection.
fn sides() -> [Side; 2] {
    let [guest, host] = [1, 2].map(|seed| Identity::from_seed([seed; 32]));
    let mut to = Handshake::again_guest(&guest, host.public(), b"");
    let mut from = Handshake::again_host(&host, guest.public(), b"");
    from.read(&to.write(&[])).unwrap();
    to.read(&from.write(&[])).unwrap();
    [to.finish(), from.finish()].map(|agreed| Side {
        core: Core::new(Timing::default(), Duration::ZERO),
        incoming: Incoming::new(agreed.opener),
        sealer: agreed.sealer,
        messages: Vec::new(),
        engine: Vec::new(),
    })
}

/// The messages that each side sends.
fn messages() -> Vec<Vec<u8>> {
    let sizes = [1, 300, 40_000, 3];
    (1..)
        .zip(sizes)
        .map(|(fill, len)| vec![fill; len])
        .collect()
}

/// The engine bytes that each side sends: more than the window.
fn engine_bytes() -> Vec<u8> {
    (0..RUN_WINDOW as usize + 50_000).map(|n| n as u8).collect()
}

/// Both sides send messages and engine bytes. The guest says goodbye when it has received
/// everything, and the host answers it. `deliver` passes on a frame, numbered from 0, or returns `false`: the connection is
/// cut. Returns the number of frames.
fn converse(
    both: &mut [Side; 2],
    mut deliver: impl FnMut(usize, &[u8], &mut Side, Duration) -> bool,
) -> usize {
    let engine = engine_bytes();
    for side in &mut *both {
        for message in messages() {
            side.core.send(Stream::Log, &message).unwrap();
        }
        side.core.begin_engine(1).unwrap();
        let sent = side.core.send_engine(&engine, SECOND, Duration::ZERO);
        sent.unwrap();
    }
    let mut number = 0;
    for round in 0..1000 {
        let (now, before) = (round * Duration::from_millis(1), number);
        if both.iter().all(|side| side.engine.len() == engine.len()) {
            both[0].core.close();
        }
        if both[1].ended() == Some(ConnectionError::Closed) {
            both[1].core.close();
        }
        for from in [0, 1] {
            for frame in both[from].frames(now) {
                if !deliver(number, &frame, &mut both[1 - from], now) {
                    both.iter_mut().for_each(|side| side.core.end(CUT));
                    return number;
                }
                number += 1;
            }
        }
        if number == before {
            return number;
        }
    }
    panic!("the sides send frames forever");
}

/// A side has received a part of what the other side sends, from its beginning.
fn assert_prefix(side: &Side) {
    assert!(messages().starts_with(&side.messages));
    assert!(engine_bytes().starts_with(&side.engine));
}

#[test]
fn sides_receive_everything_in_chunks_of_any_size() {
    for chunk in [1, 7, 5_000] {
        let mut both = sides();
        converse(&mut both, |_, frame, to, now| {
            frame.chunks(chunk).for_each(|part| to.receive(part, now));
            true
        });
        for side in &both {
            assert_eq!(side.messages, messages());
            assert_eq!(side.engine, engine_bytes());
            assert_eq!(side.ended(), Some(ConnectionError::Closed));
        }
    }
}

#[test]
fn connection_that_is_cut_at_any_frame_keeps_what_arrived_before() {
    let mut both = sides();
    let count = converse(&mut both, |_, frame, to, now| {
        to.receive(frame, now);
        true
    });
    for last in 0..count {
        let mut both = sides();
        converse(&mut both, |number, frame, to, now| {
            // Of the last frame, a part arrives.
            let part = if number < last {
                frame.len()
            } else {
                frame.len() / 2
            };
            to.receive(&frame[..part], now);
            number < last
        });
        for side in &mut both {
            assert_prefix(side);
            let why = side.ended();
            assert!(
                why == Some(CUT) || why == Some(ConnectionError::Closed),
                "{why:?}"
            );
            assert_eq!(side.core.send(Stream::Log, b"late").err(), why);
            assert_eq!(side.core.next_message().err(), why);
        }
        // The goodbye of a side means that the other one has lost nothing.
        if both
            .iter()
            .any(|side| side.ended() == Some(ConnectionError::Closed))
        {
            assert!(both.iter().all(|side| side.messages == messages()));
        }
    }
}

/// The plaintext of the next frame, if there is one.
fn next_frame(side: &mut Side) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let task = side.core.next_frame(SECOND, &mut plain);
    matches!(task, Ok(Task::Send { .. })).then_some(plain)
}

#[test]
fn goodbye_is_answered_with_a_goodbye_alone_when_the_holder_closes() {
    let [mut guest, mut host] = sides();
    for side in [&mut guest, &mut host] {
        side.core.begin_engine(1).unwrap();
        let sent = side.core.send_engine(&engine_bytes(), SECOND, SECOND);
        sent.unwrap();
    }
    guest.core.send(Stream::Log, b"last").unwrap();
    guest.core.close();
    host.core.send(Stream::Log, b"late").unwrap();
    host.core.tick(5 * SECOND);
    let frames = guest.frames(SECOND);
    // Engine bytes that were not sent before the goodbye are not sent after it.
    assert_eq!(frames.len(), 2);
    frames.iter().for_each(|frame| host.receive(frame, SECOND));
    assert_eq!(host.messages, [b"last"]);
    assert_eq!(host.ended(), Some(ConnectionError::Closed));
    assert_eq!(host.core.next_timer(), Duration::MAX);
    // The holder may not have processed the message yet.
    assert_eq!(next_frame(&mut host), None);
    host.core.close();
    host.core.close();
    assert_eq!(next_frame(&mut host), Some(vec![CONTROL, BYE]));
    for side in [&mut guest, &mut host] {
        let task = side.core.next_frame(SECOND, &mut Vec::new());
        assert_eq!(task, Ok(Task::Close));
    }
}

#[test]
fn two_goodbyes_that_cross_end_both_sides() {
    let mut both = sides();
    let frames = both.each_mut().map(|side| {
        side.core.send(Stream::Log, b"last").unwrap();
        side.core.close();
        side.frames(SECOND)
    });
    for (to, frames) in both.iter_mut().rev().zip(frames) {
        assert_eq!(frames.len(), 2);
        frames.iter().for_each(|frame| to.receive(frame, SECOND));
        assert_eq!(to.messages, [b"last"]);
        assert_eq!(to.ended(), Some(ConnectionError::Closed));
        to.core.close();
        assert_eq!(next_frame(to), None);
    }
}

#[test]
fn unsent_messages_of_a_side_that_closes_give_way_to_its_answer() {
    let [mut guest, mut host] = sides();
    host.core.send(Stream::Log, b"late").unwrap();
    host.core.close();
    guest.core.close();
    let frames = guest.frames(SECOND);
    frames.iter().for_each(|frame| host.receive(frame, SECOND));
    assert_eq!(next_frame(&mut host), Some(vec![CONTROL, BYE]));
    assert_eq!(next_frame(&mut host), None);
}

/// Advances a side by its timers alone until it has sent a frame or has ended. Returns the time.
fn next_event(side: &mut Side, mut now: Duration, pings: &mut Vec<Duration>) -> Duration {
    let until = side.core.next_timer();
    assert!(until > now, "the timer stands still");
    now = until;
    pings.extend(side.frames(now).iter().map(|_| now));
    now
}

#[test]
fn silence_is_answered_with_pings_and_then_ends_the_connection() {
    let [mut guest, mut host] = sides();
    host.core.send(Stream::Log, b"hello").unwrap();
    let start = 3 * SECOND;
    host.frames(start)
        .iter()
        .for_each(|frame| guest.receive(frame, start));
    let (mut now, mut pings) = (start, Vec::new());
    while guest.ended().is_none() {
        now = next_event(&mut guest, now, &mut pings);
    }
    assert_eq!(guest.ended(), Some(ConnectionError::Silent));
    assert_eq!(now, start + 20 * SECOND);
    assert_eq!(pings, [8, 13, 18].map(|at| at * SECOND));
    assert_eq!(guest.messages, [b"hello"]);
}

#[test]
fn quiet_connection_lives_for_a_day_on_its_pings() {
    let mut both = sides();
    let (mut now, mut frames) = (Duration::ZERO, 0);
    while now < 86_400 * SECOND {
        let timers = both.each_ref().map(|side| side.core.next_timer());
        assert!(timers[0].min(timers[1]) > now);
        now = timers[0].min(timers[1]);
        // The pings, then the answers.
        for from in [0, 1, 0, 1] {
            for frame in both[from].frames(now) {
                both[1 - from].receive(&frame, now);
                frames += 1;
            }
        }
        for side in &both {
            assert_eq!(side.ended(), None);
            assert_eq!(side.core.silent_for(now), Duration::ZERO);
        }
    }
    assert!(frames <= 4 * 86_400 / 5, "{frames}");
}

#[test]
fn suspended_side_does_not_take_its_own_absence_for_silence() {
    // It was suspended before it sent a ping, after one, and shortly before the end.
    for awake in [1, 6, 19] {
        for answered in [false, true] {
            let [mut guest, mut host] = sides();
            let mut pings = Vec::new();
            while guest.core.next_timer() <= awake * SECOND {
                let timer = guest.core.next_timer();
                next_event(&mut guest, timer - SECOND / 2, &mut pings);
            }
            host.core.send(Stream::Log, b"waiting").unwrap();
            let waiting = host.frames(SECOND).concat();
            // The timer comes before the data that is waiting.
            let now = 3600 * SECOND;
            assert_eq!(guest.frames(now).len(), 1);
            assert_eq!(guest.ended(), None);
            if answered {
                guest.receive(&waiting, now);
                assert_eq!(guest.messages, [b"waiting"]);
                assert_eq!(guest.core.next_timer(), now + 5 * SECOND);
            } else {
                let mut at = now;
                while guest.ended().is_none() {
                    at = next_event(&mut guest, at, &mut pings);
                }
                assert_eq!(at, now + 15 * SECOND);
            }
        }
    }
}

#[test]
fn every_changed_byte_ends_the_connection_and_nothing_false_is_received() {
    let sent = || {
        let [mut guest, host] = sides();
        for message in [&b"one"[..], b"two"] {
            guest.core.send(Stream::Log, message).unwrap();
            guest.core.send(Stream::Control, message).unwrap();
        }
        (guest.frames(SECOND), host)
    };
    let (frames, _) = sent();
    let bytes = frames.concat();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let (frames, mut host) = sent();
            let mut bytes = frames.concat();
            bytes[at] ^= 1 << bit;
            host.receive(&bytes, SECOND);
            let intact = frames.iter().scan(0, |end, frame| {
                *end += frame.len();
                Some(*end <= at)
            });
            let most = 2 * intact.filter(|intact| *intact).count();
            assert!(host.messages.len() <= most, "{at} {bit}");
            // If a length was enlarged, the rest of the frame never comes.
            host.core.tick(host.core.next_timer());
            while host.ended().is_none() {
                host.core.tick(host.core.next_timer());
            }
            let why = host.ended().unwrap();
            assert!(matches!(
                why,
                ConnectionError::Forged | ConnectionError::Silent
            ));
        }
    }
}

#[test]
fn peer_that_accepts_no_engine_bytes_is_silent_and_the_queue_is_bounded() {
    let [mut guest, mut host] = sides();
    guest.core.begin_engine(1).unwrap();
    host.core.begin_engine(1).unwrap();
    let limit = 10 * SECOND;
    let bytes = engine_bytes();
    guest.core.send_engine(&bytes, limit, SECOND).unwrap();
    // The last bytes were sent, as far as the window allows, after 2 seconds.
    let frames = guest.frames(2 * SECOND);
    guest.core.send_engine(&[1], limit, 12 * SECOND).unwrap();
    let late = guest.core.send_engine(&[1], limit, 13 * SECOND);
    assert_eq!(late, Err(ConnectionError::Silent));
    // The peer reads, and acknowledges what it has read.
    frames
        .iter()
        .for_each(|frame| host.receive(frame, 13 * SECOND));
    let acks = host.frames(13 * SECOND).concat();
    guest.receive(&acks, 13 * SECOND);
    guest.frames(13 * SECOND);
    guest.core.send_engine(&[1], limit, 14 * SECOND).unwrap();
    guest.frames(14 * SECOND);

    guest.core.set_engine_priority(Priority::Pool);
    let fill = vec![0; MAX_UNSENT - guest.core.engine_unsent()];
    guest.core.send_engine(&fill, limit, 14 * SECOND).unwrap();
    assert!(guest.core.send_engine(&[1], limit, 14 * SECOND).is_err());
    assert_eq!(guest.core.engine_unsent(), MAX_UNSENT);
}

#[test]
fn peer_that_reads_no_messages_is_lost_and_a_long_history_is_sent() {
    let [mut guest, mut host] = sides();
    let message = vec![1; MAX_MESSAGE];
    let count = MAX_BACKLOG / MAX_MESSAGE + 10;
    // A history is queued at once. The peer reads it.
    for _ in 0..count {
        guest.core.send(Stream::Log, &message).unwrap();
    }
    while host.messages.len() < count {
        for frame in guest.frames(SECOND) {
            host.receive(&frame, SECOND);
        }
        let acks = host.frames(SECOND).concat();
        guest.receive(&acks, SECOND);
    }
    // The peer answers pings and acknowledges nothing.
    let sent = (0..2 * count).take_while(|_| {
        guest.frames(SECOND);
        guest.core.received(&[CONTROL], SECOND).unwrap();
        guest.core.send(Stream::Log, &message).is_ok()
    });
    assert!(sent.count() * MAX_MESSAGE < MAX_BACKLOG + (2 << 20));
    assert_eq!(guest.ended(), Some(ConnectionError::Silent));
}

proptest::proptest! {
    /// A peer that has the keys sends any frames. This side stores a bounded number of bytes, and
    /// ends or continues without a panic.
    #[test]
    fn hostile_frames_do_not_panic_and_store_little(
        frames: Vec<(u8, Vec<u8>)>,
        repeat in 1..100usize,
    ) {
        let [_, mut host] = sides();
        host.core.begin_engine(1).unwrap();
        for (stream, bytes) in frames {
            let mut frame = vec![stream % 4];
            frame.extend(bytes);
            for _ in 0..repeat {
                let _ = host.core.received(&frame, SECOND);
                let kept = host.core.kept();
                assert!(kept.iter().zip(MOST_KEPT).all(|(kept, most)| *kept <= most));
            }
            host.frames(SECOND);
            while let Ok(Some(message)) = host.core.next_message() {
                assert!((1..=MAX_MESSAGE).contains(&message.bytes.len()));
            }
        }
    }
}
