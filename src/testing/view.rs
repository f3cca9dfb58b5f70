//! The bits that a party holds in each of many runs, and the bits that it must not know.

use crate::crypto::Block;
use crate::net::Channel;
use crate::{mpc, ot};

use super::affine::{Samples, leak};
use super::line::End;
use super::session::{Engine, PATIENT, both, in_memory, system_rng};
use super::tap::{Record, Tap};

/// The bits that a party holds after many runs, and the bits that it must not know.
#[derive(Default)]
pub struct View {
    pub held: Samples,
    pub secret: Samples,
}

impl View {
    /// Returns the first secret that the party can compute, alone or as a sum with earlier secrets.
    pub fn leak(&self) -> Option<usize> {
        leak(&self.held, &self.secret)
    }
}

pub fn bits_of_bytes(bytes: &[u8]) -> impl Iterator<Item = bool> {
    (bytes.iter()).flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1))
}

pub fn bits_of_block(block: Block) -> impl Iterator<Item = bool> {
    (0..128).map(move |bit| block.bit(bit).reveal())
}

/// The frames that pass a party's tap.
pub struct Wire(Record);

impl Wire {
    /// The payloads that have passed since the last call, in both directions, with three
    /// exceptions. Plans are omitted, because a plan is a digest of data that both parties know.
    /// Digests of MACs are omitted, because a receiver accepts only the digest that it has computed
    /// itself from keys and bits that it holds. Correlated OTs are omitted, because they are made
    /// for many runs at once and have their own test.
    pub fn payloads(&self) -> Vec<Vec<u8>> {
        let known = [
            mpc::Tag::Plan.byte(),
            mpc::Tag::MacDigest.byte(),
            ot::Tag::CotCorrection.byte(),
            ot::Tag::CotCheck.byte(),
        ];
        let mut frames = self.0.take();
        frames.retain(|frame| !known.contains(&frame.tag));
        // The order must be the same in every run, although both parties send at the same time.
        frames.sort_by_key(|frame| !frame.sent);
        frames.into_iter().map(|frame| frame.payload).collect()
    }

    /// The bits of the [`payloads`](Self::payloads).
    pub fn bits(&self) -> Vec<bool> {
        bits_of_bytes(&self.payloads().concat()).collect()
    }
}

/// Sets up a session in memory and runs `act` for both parties, each with the frames of its tap.
pub fn sessions_with_taps<E: Engine, R: Send>(act: impl Fn(&mut E, &Wire) -> R + Sync) -> [R; 2] {
    both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let wire = Wire(tap.record());
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        act(&mut session, &wire)
    })
}
