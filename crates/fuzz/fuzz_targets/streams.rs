//! Two honest ends of a connection send, transmit frames and read, in any order. Everything that
//! one end sends arrives at the other end in order. Then one end becomes hostile: it has the keys
//! and sends arbitrary frames. The honest end stores no more than it has announced room for.
//!
//! Input: the events, step by step.

#![no_main]

use std::collections::VecDeque;
use std::time::Duration;

use dealerless_connection::{Core, MAX_MESSAGE, Message, Priority, Stream, Task, Timing};
use dealerless_connection::testing::MOST_KEPT;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// The maximum plaintext of a frame: 65 535 bytes minus the authentication tag.
const LONGEST: usize = 65_535 - 16;

/// The time of all calls.
const NOW: Duration = Duration::ZERO;

/// An end, and the data that it has sent.
struct Side {
    end: Core,
    /// The messages of each stream that the other end has not read.
    sent: [VecDeque<Vec<u8>>; 2],
    /// The session of this end's engine.
    session: Option<u64>,
    /// The bytes that this end has sent in the session.
    engine: Vec<u8>,
    /// The number of bytes that this end has read in the session.
    read: usize,
}

impl Side {
    fn new() -> Self {
        Side {
            end: Core::new(Timing::default(), NOW),
            sent: Default::default(),
            session: None,
            engine: Vec::new(),
            read: 0,
        }
    }
}

/// The plaintext of the next frame that may be sent.
fn next_frame(end: &mut Core) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    let task = end.next_frame(NOW, &mut frame);
    matches!(task, Ok(Task::Send { .. })).then_some(frame)
}

fn any_message(input: &mut Unstructured) -> Result<Message> {
    let stream = if input.arbitrary()? {
        Stream::Control
    } else {
        Stream::Log
    };
    let mut bytes = input.bytes(input.len().min(3))?.to_vec();
    let len = match input.int_in_range(0..=7)? {
        6 => MAX_MESSAGE,
        7 => input.int_in_range(1..=MAX_MESSAGE)?,
        _ => input.int_in_range(1..=300)?,
    };
    bytes.resize(len, 7);
    Ok(Message { stream, bytes })
}

fn of(stream: Stream) -> usize {
    usize::from(stream == Stream::Log)
}

/// One step between honest ends. `by` acts, and `to` is the other end.
fn honest_step(by: &mut Side, to: &mut Side, input: &mut Unstructured) -> Result<()> {
    match input.int_in_range(0..=5)? {
        0 => {
            let message = any_message(input)?;
            by.end
                .send(message.stream, &message.bytes)
                .expect("the message has an allowed length");
            by.sent[of(message.stream)].push_back(message.bytes);
        }
        1 => {
            let read = by.end.next_message().expect("the other end is honest");
            if let Some(message) = read {
                let sent = to.sent[of(message.stream)].pop_front();
                assert!(
                    sent.as_ref() == Some(&message.bytes),
                    "the message differs from the one sent"
                );
            }
        }
        2 if by.session.is_none() => {
            by.session = Some(1);
            by.end.begin_engine(1).expect("no session has started");
        }
        3 if by.session.is_some() => {
            let len = input.int_in_range(0..=100_000)?;
            let bytes: Vec<u8> = (by.engine.len()..).take(len).map(|at| at as u8).collect();
            let priority = if input.arbitrary()? {
                Priority::Run
            } else {
                Priority::Pool
            };
            by.end.set_engine_priority(priority);
            let sent = by.end.send_engine(&bytes, Duration::MAX, NOW);
            sent.expect("the queue is short");
            by.engine.extend(bytes);
        }
        4 if by.session.is_some() => {
            let mut buf = vec![0; input.int_in_range(1..=50_000)?];
            let read = by.end.read_engine(&mut buf);
            if let Some(count) = read.expect("the other end is honest") {
                let sent = &to.engine[by.read..];
                assert!(count > 0 && sent.starts_with(&buf[..count]));
                by.read += count;
            }
        }
        _ => {
            for _ in 0..input.arbitrary::<u8>()? {
                let Some(frame) = next_frame(&mut by.end) else {
                    break;
                };
                assert!(frame.len() <= LONGEST);
                let received = to.end.received(&frame, NOW);
                received.expect("an honest frame is accepted");
            }
        }
    }
    Ok(())
}

/// The plaintext of a frame from a peer that has the keys.
fn hostile_frame(input: &mut Unstructured) -> Result<Vec<u8>> {
    let mut frame = match input.int_in_range(0..=5)? {
        0 => input.bytes(input.len().min(40))?.to_vec(),
        1 => vec![0],
        stream => vec![stream as u8 - 1],
    };
    for _ in 0..input.int_in_range(0..=6)? {
        let kind = input.int_in_range(0..=7)?;
        frame.push(kind);
        match kind {
            1 => frame.push(input.int_in_range(0..=3)?),
            2..=4 => {}
            _ => continue,
        }
        let number = if input.arbitrary()? {
            input.int_in_range(0..=9)?
        } else {
            input.arbitrary::<u64>()?
        };
        frame.extend(number.to_le_bytes());
    }
    let longer = match input.int_in_range(0..=3)? {
        0 => input.int_in_range(0..=LONGEST)?,
        1 => 4096,
        _ => 0,
    };
    frame.resize((frame.len() + longer).min(LONGEST), input.arbitrary()?);
    Ok(frame)
}

/// Returns whether the connection is still open.
fn hostile_step(own: &mut Core, sessions: &mut u64, input: &mut Unstructured) -> Result<bool> {
    let goes_on = match input.int_in_range(0..=9)? {
        0 => match own.next_message() {
            Ok(Some(message)) => {
                assert!((1..=MAX_MESSAGE).contains(&message.bytes.len()));
                true
            }
            Ok(None) => true,
            Err(_) => false,
        },
        1 => {
            let mut buf = vec![0; input.int_in_range(1..=50_000)?];
            let _ = own.read_engine(&mut buf);
            true
        }
        2 => {
            own.end_engine();
            *sessions += 1;
            let _ = own.begin_engine(*sessions);
            true
        }
        3 => {
            let message = any_message(input)?;
            let _ = own.send(message.stream, &message.bytes);
            true
        }
        4 => {
            own.set_engine_priority(Priority::Pool);
            let bytes = vec![1; input.int_in_range(0..=100_000)?];
            let _ = own.send_engine(&bytes, Duration::MAX, NOW);
            true
        }
        5 => {
            while let Some(frame) = next_frame(own) {
                assert!(frame.len() <= LONGEST);
            }
            true
        }
        _ => {
            let frame = hostile_frame(input)?;
            let times = if input.ratio(1, 4)? {
                input.int_in_range(1..=40)?
            } else {
                1
            };
            (0..times).all(|_| own.received(&frame, NOW).is_ok())
        }
    };
    for (kept, most) in own.kept().into_iter().zip(MOST_KEPT) {
        assert!(kept <= most, "{kept} bytes are stored");
    }
    Ok(goes_on)
}

fn run(input: &mut Unstructured) -> Result<()> {
    let mut sides = [Side::new(), Side::new()];
    for _ in 0..input.int_in_range(0..=40)? {
        if input.is_empty() {
            break;
        }
        let [one, other] = &mut sides;
        if input.arbitrary()? {
            honest_step(one, other, input)?
        } else {
            honest_step(other, one, input)?
        }
    }
    let [
        Side {
            mut end, session, ..
        },
        _,
    ] = sides;
    let mut sessions = session.unwrap_or(0);
    while !input.is_empty() && hostile_step(&mut end, &mut sessions, input)? {}
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
