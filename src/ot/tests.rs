//! A peer that reflects messages cannot complete any OT, because every hash is bound to the
//! direction.

#[cfg(feature = "parallel")]
mod threads;

use std::convert::Infallible;

use rand::{TryCryptoRng, TryRng};

use super::*;
use crate::net::memory_pair;
use crate::testing::session::{PATIENT, system_rng};

/// Sends the next message of type `M` back unchanged.
fn reflect<M: crate::net::Message>(channel: &mut Channel) -> Result<()> {
    let message: M = channel.recv_message()?;
    Ok(channel.send_message(&message)?)
}

#[test]
fn peer_that_reflects_every_base_ot_message_is_caught() {
    for me in [Party::Garbler, Party::Evaluator] {
        let (honest, mirror) = memory_pair();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut channel = Channel::new(mirror, PATIENT);
                // An error is expected here: the honest party detects the reflection and aborts.
                let _ = reflect::<BaseOtPoints>(&mut channel)
                    .and_then(|()| reflect::<BaseOtPads>(&mut channel))
                    .and_then(|()| reflect::<BaseOtAnswer>(&mut channel))
                    .and_then(|()| reflect::<TreeSums>(&mut channel))
                    .and_then(|()| Ok(channel.flush()?));
            });
            let mut channel = Channel::new(honest, PATIENT);
            let rng = &mut system_rng();
            let delta = Delta::random(me == Party::Garbler, rng);
            let outcome = setup_both(&mut channel, &SessionId([3; 32]), me, delta, rng);
            assert!(matches!(outcome, Err(Error::Check(Check::BaseOtChallenge))));
            channel.abort();
        });
    }
}

/// A random generator that returns the given blocks, starting with the last one.
struct Blocks(Vec<u128>);

impl TryRng for Blocks {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> std::result::Result<u32, Infallible> {
        unreachable!("blocks are drawn as bytes")
    }

    fn try_next_u64(&mut self) -> std::result::Result<u64, Infallible> {
        unreachable!("blocks are drawn as bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> std::result::Result<(), Infallible> {
        bytes.copy_from_slice(&self.0.pop().expect("another block").to_le_bytes());
        Ok(())
    }
}

impl TryCryptoRng for Blocks {}

#[test]
fn delta_of_0_or_1_is_redrawn() {
    for lsb in [false, true] {
        let rng = &mut Blocks(vec![6, 1, 0]);
        let delta = Delta::random(lsb, rng).block();
        assert_eq!(delta.to_bytes(), (6 | u128::from(lsb)).to_le_bytes());
        assert!(rng.0.is_empty());
    }
}
