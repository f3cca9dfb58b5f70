//! A channel that receives arbitrary bytes from a peer never panics, never allocates an amount
//! chosen by the peer (detected by `-malloc_limit_mb`, which `crates/fuzz/run` sets), and fails
//! permanently at the first error.
//!
//! Input: the number of steps, one byte for each step, the number of bytes per read, and the bytes
//! on the wire.

#![no_main]

mod replayed_bytes;

use dealerless::net::{Channel, Deadlines, Error, Message, Result, Tag, recv_hello};
use libfuzzer_sys::fuzz_target;
use replayed_bytes::ReplayedBytes;
use serde::{Deserialize, Serialize};

/// A message with every type that the codec can encode.
#[derive(Serialize, Deserialize)]
enum Everything {
    Nothing,
    Numbers(Vec<u64>, [u16; 3]),
    Texts {
        text: String,
        pairs: std::collections::BTreeMap<char, Option<i128>>,
        rest: (bool, f64, Vec<Vec<u8>>),
    },
}

impl Message for Everything {
    const TAG: Tag = Tag::new(128, "everything");
    const MAX_BYTES: usize = 1000;
}

#[derive(Serialize, Deserialize)]
struct Small(u32);

impl Message for Small {
    const TAG: Tag = Tag::new(129, "small");
    const MAX_BYTES: usize = 4;
}

fn step(channel: &mut Channel, step: u8) -> Result<()> {
    match step % 5 {
        0 => recv_hello::<Everything>(channel).map(drop),
        1 => channel.recv_message::<Everything>().map(drop),
        2 => channel.recv_message::<Small>().map(drop),
        3 => channel.recv_bytes(Tag::new(130, "bulk"), &mut [0; 40]),
        _ => channel.send_message(&Small(1)),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&steps, input)) = input.split_first() else {
        return;
    };
    let Some((steps, input)) = input.split_at_checked(usize::from(steps % 8)) else {
        return;
    };
    let Some((&at_once, wire)) = input.split_first() else {
        return;
    };
    let transport = ReplayedBytes::new(wire.to_vec(), usize::from(at_once));
    let mut channel = Channel::new(transport, Deadlines::default());
    let mut failed = false;
    for &kind in steps {
        match step(&mut channel, kind) {
            Ok(()) => assert!(!failed),
            Err(Error::Ended) => assert!(failed),
            Err(
                Error::Malformed(_) | Error::Version { .. } | Error::Lost { .. } | Error::Aborted,
            ) => {
                assert!(!failed);
                failed = true;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(channel.traffic().bytes_received <= wire.len() as u64);
});
