//! A whole session of the engine `SemiHonest`, in either role, against a peer that sends what an
//! honest one sends, with any changes: it ends in an error, or with some result:
//! such a session trusts what its peer computes.
//!
//! Input: see `replay.rs`.

#![no_main]

mod line;
mod replay;

use std::sync::LazyLock;

use dealerless::mpc::SemiHonest;
use libfuzzer_sys::fuzz_target;
use replay::Honest;

static HONEST: LazyLock<Honest> = LazyLock::new(Honest::record::<SemiHonest>);

fuzz_target!(|input: &[u8]| HONEST.replay::<SemiHonest>(input));
