//! The payload of each message of oblivious transfer is rejected with an error, or is exactly the
//! encoding of the decoded message. (The messages of the engines are not public; `semi_honest` and
//! `malicious` test them.)
//!
//! Input: the type of the message, and its payload.

#![no_main]

mod replayed_bytes;

use std::time::Duration;

use dealerless::net::{Channel, Deadlines, Error, HEADER_BYTES, Message, memory_pair};
use dealerless::ot::{BaseOtAnswer, BaseOtPads, BaseOtPoints, CotCheck, TreeSums};
use libfuzzer_sys::fuzz_target;
use replayed_bytes::ReplayedBytes;

fn read<M: Message>(payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("the input is smaller than 4 GiB");
    let frame = [&length.to_le_bytes()[..], &[M::TAG.byte()], payload].concat();
    let mut channel = Channel::new(
        ReplayedBytes::new(frame.clone(), frame.len()),
        Deadlines::default(),
    );
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
    channel
        .send_message(message)
        .expect("a decoded message fits");
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
