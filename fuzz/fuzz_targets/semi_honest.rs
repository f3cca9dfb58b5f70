//! A whole session of the engine `SemiHonest`, in either role, against a peer that sends what an
//! honest one sends, with any changes: it ends in an error, or with some result:
//! such a session trusts what its peer computes.
//!
//! Input: see `replay.rs`.

#![no_main]

mod line;
mod replay;

use std::sync::LazyLock;

use dealerless::Result;
use dealerless::circuit::Party;
use dealerless::mpc::SemiHonest;
use dealerless::net::{Channel, Transport};
use libfuzzer_sys::fuzz_target;
use rand::rngs::StdRng;
use replay::{Engine, Honest};

struct Tested;

impl Engine for Tested {
    type Party<T: Transport> = SemiHonest<T>;

    const CATCHES_LIES: bool = false;

    fn begin<T: Transport>(
        channel: Channel<T>,
        party: Party,
        rng: &mut StdRng,
    ) -> Result<SemiHonest<T>> {
        SemiHonest::new(channel, party, rng)
    }
}

static HONEST: LazyLock<Honest> = LazyLock::new(Honest::record::<Tested>);

fuzz_target!(|input: &[u8]| HONEST.replay::<Tested>(input));
