//! The check of a run, or of one of its slices. Before this check no masked value is trusted, and
//! nothing is opened that depends on a masked value.
//!
//! For each joint AND gate `(a, b, c)` the shared bit `<V_a * V_b ^ V_a * l_b ^ V_b * l_a ^ s ^ V_c
//! ^ l_c>` must be 0. If this bit is 0, both parties hold the same share of it, and each party can
//! compute the MAC that the other party holds. The order matters:
//!
//! 1. The evaluator sends the masked values of all gates, and the digest of its MACs.
//! 2. The garbler verifies the digest. If it is wrong, the garbler sends nothing that depends on
//!    its shares.
//! 3. The garbler sends its own digest, and the evaluator verifies it.
//!
//! If the garbler's digest came first, an evaluator could flip one masked value, compare that
//! digest with the digests for both shares of the gate's bit, and so learn the value of a wire.
//!
//! The digests also cover the values that both parties must hold alike even if no AND gate reads
//! them: the masked values of all inputs, products and outputs, and the evaluator's labels of the
//! outputs (the garbler can compute these labels). Inputs and products are in the digests of the
//! first slice; outputs and their labels are in the digests of the last. Like all digests, they
//! absorb the channel secret. Otherwise, in a circuit without AND gates, a network attacker could
//! flip masked values and compute the digest for them.

use super::context::{Context, MacDigest};
use super::outputs::HeldOutput;
use super::share::Share;
use super::wires::{AndMasks, AndValues};
use crate::circuit::Party;
use crate::crypto::{Oracle, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::pack;
use crate::net::{self, Channel};
use crate::ot::Delta;

/// The data that this party holds for a slice before the check.
pub(super) struct Unchecked<'a> {
    /// The number of the run and slice.
    pub(super) number: u64,
    /// The masks of each joint AND gate, with the products.
    pub(super) masks: &'a [AndMasks],
    /// The masked values of each joint AND gate.
    pub(super) values: &'a [AndValues],
    /// The masked values of all inputs and products in the first slice.
    pub(super) entered: &'a [bool],
    /// The outputs in the last slice.
    pub(super) outputs: &'a [HeldOutput],
}

/// The bytes that each party sends in the check. The evaluator has sent the masked values of the
/// gates before.
pub(super) fn sent_bytes() -> u64 {
    net::message_bytes::<MacDigest>()
}

impl Unchecked<'_> {
    /// Runs the check. The evaluator has already sent the masked values of the AND gates.
    ///
    /// # Errors
    /// [`Check::AndGates`] if a gate is wrong, or the parties hold different masked values or
    /// labels; any error of the channel.
    pub(super) fn check(
        &self,
        context: &Context,
        channel: &mut Channel,
        delta: &Delta,
    ) -> Result<(), Fault> {
        let shares = || self.zero_shares(context.me, delta);
        let oracle = |sender| self.held_alike(context, sender, delta);
        let mine = context.macs(oracle(context.me), shares());
        let expected = || -> MacDigest {
            // If the bit is 0, both shares are equal.
            let bits = shares().map(|share| share.bit);
            context.expected_macs(oracle(context.me.other()), delta, shares(), bits)
        };
        match context.me {
            Party::Garbler => {
                expected().recv_equal(channel, Check::AndGates)?;
                channel.send_message(&mine)?;
                channel.flush()?;
            }
            Party::Evaluator => {
                channel.send_message(&mine)?;
                channel.flush()?;
                expected().recv_equal(channel, Check::AndGates)?;
            }
        }
        Ok(())
    }

    /// The oracle for the digest of `sender`, with everything absorbed except the MACs.
    fn held_alike(&self, context: &Context, sender: Party, delta: &Delta) -> Oracle {
        let oracle = context.oracle((Step::CheckMacs, self.number), sender);
        let entered = self.entered.iter().copied();
        let outputs = self.outputs.iter().map(|output| output.masked);
        let labels = (self.outputs.iter()).map(|output| output.active_label(delta).0);
        oracle
            .absorb(&pack(entered.chain(outputs)))
            .absorb_blocks(labels)
    }

    /// For each joint AND gate, this party's part of the shared bit that must be 0.
    fn zero_shares<'a>(&'a self, me: Party, delta: &'a Delta) -> impl Iterator<Item = Share> + 'a {
        self.masks
            .iter()
            .zip(self.values)
            .map(move |(and, values)| {
                let [a, b, c] = *values;
                let sum = and.b.times(a) ^ and.a.times(b) ^ and.out;
                sum.plus((a & b) ^ c, me, delta)
            })
    }
}
