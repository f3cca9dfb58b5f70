//! A whole session of the engine `SemiHonest`, in either role, against a peer that sends honest
//! bytes with arbitrary changes. The session ends with an error, or with any result, because a
//! semi-honest session trusts the computation of its peer.
//!
//! Input: see `replay.rs`.

#![no_main]

mod replay;
mod replayed_bytes;

use std::sync::LazyLock;

use dealerless::mpc::SemiHonest;
use libfuzzer_sys::fuzz_target;
use replay::Honest;

static HONEST: LazyLock<Honest> = LazyLock::new(Honest::record::<SemiHonest>);

fuzz_target!(|input: &[u8]| HONEST.replay::<SemiHonest>(input));
