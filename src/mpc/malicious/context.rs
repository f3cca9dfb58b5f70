//! What every step of the protocol needs to know of its session.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::share::Share;
use crate::circuit::Party;
use crate::crypto::{Oracle, SecretBit, SessionId, Step, TweakableHash};
use crate::mpc::channel_secret::ChannelSecret;
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::net::{self, Channel, Message, Transport};
use crate::ot::Delta;

#[cfg(test)]
mod tests;

/// Session, role, hash, what a reader of the line does not know, and the security of a batch.
pub(super) struct Context {
    pub(super) session: SessionId,
    pub(super) me: Party,
    pub(super) hash: TweakableHash,
    pub(super) channel_secret: ChannelSecret,
    /// Bits of statistical security.
    pub(super) statistical: u8,
}

/// The pad of bits that may be read on the line.
pub(super) fn no_pad() -> impl Iterator<Item = SecretBit> {
    std::iter::repeat(SecretBit::default())
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
    ///
    /// It takes in the channel secret: the digest of the MACs of nothing, say, would be known to
    /// everybody otherwise.
    pub(super) fn oracle(&self, (step, number): (Step, u64), sender: Party) -> Oracle {
        let direction = u64::from(sender == Party::Evaluator);
        let oracle = Oracle::new(&self.session, step, (direction << 63) | number);
        self.channel_secret.absorbed_by(oracle)
    }

    /// Sends a plan of this party.
    pub(super) fn send_plan<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        plan: &Plan,
    ) -> Result<(), Fault> {
        Ok(plan.send(channel, self.me, &self.channel_secret)?)
    }

    /// Receives the peer's plan, which must be this one.
    pub(super) fn expect_plan<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        plan: &Plan,
    ) -> Result<(), Fault> {
        plan.expect(channel, self.me, &self.channel_secret)
    }

    /// Closes an oracle with the MACs of this party's bits of `shares`.
    pub(super) fn macs(&self, oracle: Oracle, shares: impl Iterator<Item = Share>) -> MacDigest {
        MacDigest(
            oracle
                .absorb_blocks(shares.map(|share| share.mac.0))
                .digest(),
        )
    }

    /// Closes an oracle with the MACs of the peer's bits of `shares`, if these are `bits`.
    pub(super) fn expected_macs<B: Into<SecretBit>>(
        &self,
        oracle: Oracle,
        delta: &Delta,
        shares: impl Iterator<Item = Share>,
        bits: impl Iterator<Item = B>,
    ) -> MacDigest {
        let macs = shares
            .zip(bits)
            .map(|(share, bit)| delta.mac(share.key, bit).0);
        MacDigest(oracle.absorb_blocks(macs).digest())
    }

    /// Sends this party's bits of `shares`, each under a bit of the `pad`, and the digest of their
    /// MACs.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn send_opening<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        (tag, step): (Tag, (Step, u64)),
        shares: impl Iterator<Item = Share> + Clone,
        pad: impl Iterator<Item = SecretBit>,
    ) -> Result<(), Fault> {
        let bits = shares
            .clone()
            .zip(pad)
            .map(|(share, pad)| (share.bit ^ pad).reveal());
        send_bits(channel, tag, bits)?;
        channel.send_message(&self.macs(self.oracle(step, self.me), shares))?;
        Ok(())
    }

    /// Receives the peer's bits of `shares`, which it has sent under this `pad`.
    ///
    /// # Errors
    /// `check` if the MACs are not those of the bits; those of the channel.
    pub(super) fn recv_opening<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        (tag, step): (Tag, (Step, u64)),
        delta: &Delta,
        shares: impl Iterator<Item = Share> + Clone,
        pad: impl Iterator<Item = SecretBit>,
        check: Check,
    ) -> Result<Vec<bool>, Fault> {
        let mut bits = recv_bits(channel, tag, shares.clone().count())?;
        for (bit, pad) in bits.iter_mut().zip(pad) {
            *bit = (pad ^ *bit).reveal();
        }
        let oracle = self.oracle(step, self.me.other());
        let expected = self.expected_macs(oracle, delta, shares, bits.iter().copied());
        expected.recv_equal(channel, check)?;
        Ok(bits)
    }
}

impl MacDigest {
    /// Receives the peer's digest, which must be this one.
    ///
    /// # Errors
    /// `check` if it is not; those of the channel.
    pub(super) fn recv_equal<T: Transport>(
        &self,
        channel: &mut Channel<T>,
        check: Check,
    ) -> Result<(), Fault> {
        let received: MacDigest = channel.recv_message()?;
        match bool::from(self.0.ct_eq(&received.0)) {
            true => Ok(()),
            false => Err(check.into()),
        }
    }
}
