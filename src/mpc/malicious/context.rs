//! The constants of a session, and the opening of authenticated bits.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::share::Share;
use crate::circuit::Party;
use crate::crypto::{Oracle, SecretBit, SessionId, Step, TweakableHash};
use crate::mpc::channel_secret::ChannelSecret;
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::{self, recv_bits, send_bits};
use crate::mpc::plan::Plan;
use crate::mpc::tag::Tag;
use crate::net::{self, Channel, Message};
use crate::ot::Delta;

#[cfg(test)]
mod tests;

/// The data about the session that every step of the protocol needs.
pub(super) struct Context {
    pub(super) session: SessionId,
    pub(super) me: Party,
    pub(super) hash: TweakableHash,
    pub(super) channel_secret: ChannelSecret,
    /// The number of bits of statistical security of each batch.
    pub(super) statistical: u8,
}

/// The pad for bits that are sent in the clear: an endless iterator of zeros.
pub(super) fn no_pad() -> impl Iterator<Item = SecretBit> {
    std::iter::repeat(SecretBit::default())
}

/// The digest of the MACs of the sender's bits. Either the sender has just sent these bits, or the
/// receiver can compute them.
#[derive(Serialize, Deserialize)]
pub(super) struct MacDigest([u8; 32]);

impl Message for MacDigest {
    const TAG: net::Tag = Tag::MacDigest.tag();
    const MAX_BYTES: usize = 32;
}

/// The size of an opening of the given number of bits, in bytes on the wire.
pub(super) fn opening_bytes(bits: usize) -> u64 {
    packed_bits::sent_bytes(bits) + net::message_bytes::<MacDigest>()
}

impl Context {
    /// The oracle for a message of `sender` in a step. `number` is the number of the batch, run or
    /// opening.
    ///
    /// The oracle absorbs the channel secret. Otherwise a network attacker could compute the digest
    /// of an empty list of MACs.
    pub(super) fn oracle(&self, (step, number): (Step, u64), sender: Party) -> Oracle {
        let direction = u64::from(sender == Party::Evaluator);
        let oracle = Oracle::new(&self.session, step, (direction << 63) | number);
        self.channel_secret.absorbed_by(oracle)
    }

    /// Sends this party's plan.
    pub(super) fn send_plan(&self, channel: &mut Channel, plan: &Plan) -> Result<(), Fault> {
        Ok(plan.send(channel, self.me, &self.channel_secret)?)
    }

    /// Receives the peer's plan, which must be equal to `plan`.
    pub(super) fn expect_plan(&self, channel: &mut Channel, plan: &Plan) -> Result<(), Fault> {
        plan.expect(channel, self.me, &self.channel_secret)
    }

    /// Absorbs the MACs of this party's bits of `shares`. Returns the digest.
    pub(super) fn macs(&self, oracle: Oracle, shares: impl Iterator<Item = Share>) -> MacDigest {
        MacDigest(
            oracle
                .absorb_blocks(shares.map(|share| share.mac.0))
                .digest(),
        )
    }

    /// Absorbs the MACs of the peer's bits of `shares`, assuming that the bits are `bits`. Returns
    /// the digest.
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

    /// Sends this party's bits of `shares`, each XORed with a bit of `pad`, and the digest of their
    /// MACs. `oracle` returns the [oracle](Self::oracle) of this step for a sender.
    ///
    /// # Errors
    /// Any error of the channel.
    pub(super) fn send_opening(
        &self,
        channel: &mut Channel,
        (tag, oracle): (Tag, impl Fn(Party) -> Oracle),
        shares: impl Iterator<Item = Share> + Clone,
        pad: impl Iterator<Item = SecretBit>,
    ) -> Result<(), Fault> {
        let bits = shares
            .clone()
            .zip(pad)
            .map(|(share, pad)| (share.bit ^ pad).reveal());
        send_bits(channel, tag, bits)?;
        channel.send_message(&self.macs(oracle(self.me), shares))?;
        Ok(())
    }

    /// Receives the peer's bits of `shares`, which the peer has XORed with `pad`, and the digest of
    /// their MACs. Returns the bits without the pad.
    ///
    /// # Errors
    /// `check` if the digest does not match the MACs of the bits; any error of the channel.
    pub(super) fn recv_opening(
        &self,
        channel: &mut Channel,
        (tag, oracle): (Tag, impl Fn(Party) -> Oracle),
        delta: &Delta,
        shares: impl Iterator<Item = Share> + Clone,
        pad: impl Iterator<Item = SecretBit>,
        check: Check,
    ) -> Result<Zeroizing<Vec<bool>>, Fault> {
        let mut bits = Zeroizing::new(recv_bits(channel, tag, shares.clone().count())?);
        for (bit, pad) in bits.iter_mut().zip(pad) {
            *bit = (pad ^ *bit).reveal();
        }
        let oracle = oracle(self.me.other());
        let expected = self.expected_macs(oracle, delta, shares, bits.iter().copied());
        expected.recv_equal(channel, check)?;
        Ok(bits)
    }
}

#[cfg(test)]
impl Context {
    pub(super) fn of_test(session: SessionId, me: Party) -> Self {
        Context {
            session,
            me,
            hash: TweakableHash::new(&session),
            channel_secret: ChannelSecret::of_bytes([2; 32]),
            statistical: 50,
        }
    }
}

impl MacDigest {
    /// Receives the peer's digest, which must be equal to this one.
    ///
    /// # Errors
    /// `check` if it differs; any error of the channel.
    pub(super) fn recv_equal(&self, channel: &mut Channel, check: Check) -> Result<(), Fault> {
        let received: MacDigest = channel.recv_message()?;
        if bool::from(self.0.ct_eq(&received.0)) {
            Ok(())
        } else {
            Err(check.into())
        }
    }
}
