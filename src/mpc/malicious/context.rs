//! What every step of the protocol needs to know of its session.

use super::share::Share;
use crate::circuit::Party;
use crate::crypto::{Oracle, SessionId, Step, TweakableHash};
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::tag::Tag;
use crate::net::{self, Channel, Message, Transport};
use crate::ot::Delta;
use crate::{Check, Error, Result};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

#[cfg(test)]
mod tests;

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
    const TAG: net::Tag = Tag::MacDigest.tag();
    const MAX_BYTES: usize = 32;
}

impl Context {
    /// The oracle for what `sender` says in a step; `number` is that of the batch, run or opening.
    pub(super) fn oracle(&self, step: Step, sender: Party, number: u64) -> Oracle {
        let direction = u64::from(sender == Party::Evaluator);
        Oracle::new(&self.session, step, (direction << 63) | number)
    }

    /// The digest of the MACs of this party's bits of `shares`.
    pub(super) fn macs(
        &self,
        (step, number): (Step, u64),
        shares: impl Iterator<Item = Share>,
    ) -> MacDigest {
        let oracle = self.oracle(step, self.me, number);
        MacDigest(oracle.absorb_blocks(shares.map(|share| share.mac)).digest())
    }

    /// The digest of the MACs of the peer's bits of `shares`, if these are `bits`.
    pub(super) fn expected_macs(
        &self,
        (step, number): (Step, u64),
        delta: &Delta,
        shares: impl Iterator<Item = Share>,
        bits: impl Iterator<Item = bool>,
    ) -> MacDigest {
        let oracle = self.oracle(step, self.me.other(), number);
        let keys = shares
            .zip(bits)
            .map(|(share, bit)| share.key ^ delta.select(bit));
        MacDigest(oracle.absorb_blocks(keys).digest())
    }

    /// This party's bits of `shares` and the digest of their MACs, for the peer.
    pub(super) fn opening(
        &self,
        step: (Step, u64),
        shares: impl Iterator<Item = Share> + Clone,
    ) -> OpenedBits {
        OpenedBits {
            bits: shares.clone().map(|share| share.bit).collect(),
            macs: self.macs(step, shares),
        }
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
        shares: impl Iterator<Item = Share> + Clone,
        check: Check,
    ) -> Result<Vec<bool>> {
        let bits = recv_bits(channel, tag, shares.clone().count())?;
        let expected = self.expected_macs(step, delta, shares, bits.iter().copied());
        expected.recv_equal(channel, check)?;
        Ok(bits)
    }
}

/// Bits that a party opens to the other, ready to be sent.
pub(super) struct OpenedBits {
    bits: Vec<bool>,
    macs: MacDigest,
}

impl OpenedBits {
    /// Sends them.
    pub(super) fn send<T: Transport>(self, channel: &mut Channel<T>, tag: Tag) -> Result<()> {
        send_bits(channel, tag, self.bits)?;
        Ok(channel.send_message(&self.macs)?)
    }
}

impl MacDigest {
    /// Receives the peer's digest, which must be this one.
    ///
    /// # Errors
    /// [`Error::Check`] with `check` if it is not.
    pub(super) fn recv_equal<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        check: Check,
    ) -> Result<()> {
        let received: MacDigest = channel.recv_message()?;
        if bool::from(self.0.ct_eq(&received.0)) {
            Ok(())
        } else {
            Err(Error::Check(check))
        }
    }
}
