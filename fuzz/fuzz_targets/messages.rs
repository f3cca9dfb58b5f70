//! The payload of each message of oblivious transfer is refused with an error, or is exactly what
//! the message read from it would send. (The messages of the engines are not public: they are
//! reached in `semi_honest` and `malicious`.)
//!
//! Input: which message, and its payload.

#![no_main]

mod line;

use std::time::Duration;

use dealerless::net::{Channel, Deadlines, Error, HEADER_BYTES, Message, memory_pair};
use dealerless::ot::{BaseOtAnswer, BaseOtPads, BaseOtPoints, CotCheck, TreeSums};
use libfuzzer_sys::fuzz_target;
use line::Bytes;

fn read<M: Message>(payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("an input below 4 GB");
    let frame = [&length.to_le_bytes()[..], &[M::TAG.byte()], payload].concat();
    let mut channel = Channel::new(Bytes::new(frame.clone(), frame.len()), Deadlines::default());
    match channel.recv_message::<M>() {
        Ok(message) => assert_eq!(written(&message), frame),
        Err(Error::Malformed(_)) => {
            assert!(matches!(channel.flush(), Err(Error::Ended)))
        }
        Err(other) => panic!("{other}"),
    }
}

fn written<M: Message>(message: &M) -> Vec<u8> {
    use dealerless::net::Transport;

    let (one, mut other) = memory_pair();
    let mut channel = Channel::new(one, Deadlines::default());
    channel.send_message(message).expect("what was read fits");
    channel.flush().expect("the other end is open");
    let mut frame = vec![0; HEADER_BYTES + M::MAX_BYTES];
    let length = other
        .recv(&mut frame, Duration::MAX)
        .expect("a frame was sent");
    frame.truncate(length);
    frame
}

fuzz_target!(|input: (u8, &[u8])| {
    let (which, payload) = input;
    match which % 5 {
        0 => read::<BaseOtPoints>(payload),
        1 => read::<BaseOtPads>(payload),
        2 => read::<BaseOtAnswer>(payload),
        3 => read::<TreeSums>(payload),
        _ => read::<CotCheck>(payload),
    }
});
