//! A whole session of the engine `Malicious`, in either role, against a peer that sends honest
//! bytes with arbitrary changes. The session ends with an error, or with the result of an honest
//! session.
//!
//! Input: see `replay.rs`.

#![no_main]

mod replay;
mod replayed_bytes;

use std::sync::LazyLock;

use dealerless::mpc::Malicious;
use libfuzzer_sys::fuzz_target;
use replay::Honest;

static HONEST: LazyLock<Honest> = LazyLock::new(Honest::record::<Malicious>);

fuzz_target!(|input: &[u8]| HONEST.replay::<Malicious>(input));
