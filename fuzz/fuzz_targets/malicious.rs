//! A whole session of the engine `Malicious`, in either role, against a peer that sends what an
//! honest one sends, with any changes: it ends in an error, or with what honest parties
//! learn.
//!
//! Input: see `replay.rs`.

#![no_main]

mod line;
mod replay;

use std::sync::LazyLock;

use dealerless::mpc::Malicious;
use libfuzzer_sys::fuzz_target;
use replay::Honest;

static HONEST: LazyLock<Honest> = LazyLock::new(Honest::record::<Malicious>);

fuzz_target!(|input: &[u8]| HONEST.replay::<Malicious>(input));
