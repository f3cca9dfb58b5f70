//! What every step of the protocol needs to know of its session.

use super::share::Share;
use crate::circuit::Party;
use crate::crypto::{Oracle, SessionId, Step, TweakableHash};
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::net::{Channel, Message, Tag, Transport};
use crate::ot::Delta;
use crate::{Check, Error, Result};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Session, role and hash.
pub(super) struct Context {
    pub(super) session: SessionId,
    pub(super) me: Party,
    pub(super) hash: TweakableHash,
}

/// The digest of the MACs of bits that were sent just before, or that need not be sent.
#[derive(Serialize, Deserialize)]
pub(super) struct MacDigest([u8; 32]);

impl Message for MacDigest {
    const TAG: Tag = Tag::MacDigest;
    const MAX_BYTES: usize = 32;
}

impl Context {
    /// The oracle for what `sender` says in a step; `number` is that of the batch, run or opening.
    pub(super) fn oracle(&self, step: Step, sender: Party, number: u64) -> Oracle {
        let direction = u64::from(sender == Party::Evaluator);
        Oracle::new(&self.session, step, (direction << 63) | number)
    }

    /// Sends the digest of the MACs of this party's bits of `shares`.
    pub(super) fn send_macs<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        (step, number): (Step, u64),
        shares: impl Iterator<Item = Share>,
    ) -> Result<()> {
        let oracle = self.oracle(step, self.me, number);
        let digest = oracle.absorb_blocks(shares.map(|share| share.mac)).digest();
        channel.send_message(&MacDigest(digest))
    }

    /// Receives the digest of the MACs of the peer's bits, and checks that they are `bits`.
    ///
    /// # Errors
    /// [`Error::Check`] with `check` if they are not.
    pub(super) fn verify_macs<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        (step, number): (Step, u64),
        delta: &Delta,
        opened: impl Iterator<Item = (Share, bool)>,
        check: Check,
    ) -> Result<()> {
        let oracle = self.oracle(step, self.me.other(), number);
        let keys = opened.map(|(share, bit)| share.key ^ delta.select(bit));
        let expected = oracle.absorb_blocks(keys).digest();
        let MacDigest(received) = channel.recv_message()?;
        if bool::from(expected.ct_eq(&received)) {
            Ok(())
        } else {
            Err(Error::Check(check))
        }
    }

    /// Opens `shares` to the peer: this party's bits, and the digest of their MACs.
    pub(super) fn send_opening<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        tag: Tag,
        step: (Step, u64),
        shares: &[Share],
    ) -> Result<()> {
        send_bits(channel, tag, shares.iter().map(|share| share.bit))?;
        self.send_macs(channel, step, shares.iter().copied())
    }

    /// Receives the peer's bits of `shares`.
    ///
    /// # Errors
    /// [`Error::Check`] with `check` if the MACs are not those of the bits.
    pub(super) fn recv_opening<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        tag: Tag,
        step: (Step, u64),
        delta: &Delta,
        shares: &[Share],
        check: Check,
    ) -> Result<Vec<bool>> {
        let bits = recv_bits(channel, tag, shares.len())?;
        let opened = shares.iter().copied().zip(bits.iter().copied());
        self.verify_macs(channel, step, delta, opened, check)?;
        Ok(bits)
    }
}
