//! The check of a run: no masked value is believed, and nothing is opened, before it.
//!
//! For every AND gate `(a, b, c)` the shared bit
//! `<V_a * V_b ^ V_a * l_b ^ V_b * l_a ^ s ^ V_c ^ l_c>` must be 0, so both parties hold the same
//! bit of it, and each can compute the MACs that the other holds. Strictly in this order: the
//! evaluator sends all masked values and the digest of its MACs; the garbler verifies, and sends
//! nothing made from its shares if they are wrong; it sends its own digest; the evaluator
//! verifies. (If the garbler's digest came first, an evaluator that flips one masked value could
//! try both candidates of the gate's bit against it, and would learn a wire.)
//!
//! The digests also take in what both parties must hold alike and no AND gate need have read: the
//! masked values of all inputs and outputs, and the evaluator's labels of the outputs, which the
//! garbler computes. (As every digest they take in the channel secret. Without it, somebody on the line
//! could make that of a circuit without AND gates, for masked values that were flipped on the way.)

use super::context::{Context, MacDigest};
use super::garbling::Masks;
use super::outputs::HeldOutput;
use super::share::Share;
use super::wires::{and_inputs, and_outputs};
use crate::circuit::{Circuit, Party};
use crate::crypto::{Oracle, SecretVec, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::pack;
use crate::net::{Channel, Transport};
use crate::ot::Delta;

/// What this party holds of a run before the check.
pub(super) struct Unchecked<'a> {
    pub(super) run: u64,
    pub(super) circuit: &'a Circuit,
    pub(super) masks: Masks<'a>,
    /// The masked values of all wires.
    pub(super) values: &'a [bool],
    pub(super) outputs: &'a [HeldOutput],
}

impl Unchecked<'_> {
    /// Runs the check, after the evaluator has sent the masked values of the AND gates.
    ///
    /// # Errors
    /// [`Check::AndGates`] if a gate is wrong, or the parties do not hold the same.
    pub(super) fn check<T: Transport>(
        &self,
        context: &Context,
        channel: &mut Channel<T>,
        delta: &Delta,
    ) -> Result<(), Fault> {
        let mut shares = SecretVec::<Share>::with_capacity(self.circuit.ands());
        shares.extend(self.zero_shares(context.me, delta));
        let shares = || shares.iter().copied();
        let oracle = |sender| self.held_alike(context, sender, delta);
        let mine = context.macs(oracle(context.me), shares());
        let expected = || -> MacDigest {
            // The peer's bit of a shared 0 is this party's.
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

    /// The digest of `sender`, up to the MACs.
    fn held_alike(&self, context: &Context, sender: Party, delta: &Delta) -> Oracle {
        let oracle = context.oracle((Step::CheckMacs, self.run), sender);
        let inputs = self.values[..self.circuit.input_bits()].iter();
        let outputs = self.outputs.iter().map(|output| &output.masked);
        let labels = (self.outputs.iter()).map(|output| output.active_label(delta).0);
        oracle
            .absorb(&pack(inputs.chain(outputs).copied()))
            .absorb_blocks(labels)
    }

    /// What must be shares of 0, one for each AND gate.
    fn zero_shares<'a>(&'a self, me: Party, delta: &'a Delta) -> impl Iterator<Item = Share> + 'a {
        let (wires, values) = (self.masks.wires, self.values);
        and_inputs(self.circuit)
            .zip(and_outputs(self.circuit))
            .zip(self.masks.products)
            .map(move |(((a, b), c), product)| {
                let sum =
                    wires[b].times(values[a]) ^ wires[a].times(values[b]) ^ *product ^ wires[c];
                sum.plus((values[a] & values[b]) ^ values[c], me, delta)
            })
    }
}
