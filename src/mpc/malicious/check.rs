//! The check of a run. Before it no masked value is trusted, and nothing is opened.
//!
//! For each joint AND gate `(a, b, c)` the shared bit
//! `<V_a * V_b ^ V_a * l_b ^ V_b * l_a ^ s ^ V_c ^ l_c>` must be 0. Then both parties hold the same
//! share of it, and each can compute the MACs that the other holds. The order matters:
//!
//! 1. The evaluator sends the masked values of all gates, and the digest of its MACs.
//! 2. The garbler verifies the digest. If it is wrong, it sends nothing that is made from its
//!    shares.
//! 3. The garbler sends its own digest, and the evaluator verifies it.
//!
//! (If the garbler's digest came first, an evaluator could flip one masked value, compare that
//! digest with those for both shares of the gate's bit, and so learn the value of a wire.)
//!
//! The digests also cover what both parties must hold alike even if no AND gate reads it: the
//! masked values of all inputs, products and outputs, and the evaluator's labels of the outputs, which the
//! garbler can compute. Like all digests they absorb the channel secret. Otherwise, in a circuit
//! without AND gates, a network attacker could flip masked values and compute the digest for them.

use super::context::{Context, MacDigest};
use super::garbling::Masks;
use super::outputs::HeldOutput;
use super::share::Share;
use super::wires::joint_ands;
use crate::circuit::{Circuit, Ownership, Party};
use crate::crypto::{Oracle, SecretVec, Step};
use crate::mpc::error::{Check, Fault};
use crate::mpc::packed_bits::pack;
use crate::net::{self, Channel, Transport};
use crate::ot::Delta;

/// What this party holds of a run before the check.
pub(super) struct Unchecked<'a> {
    pub(super) run: u64,
    pub(super) circuit: &'a Circuit,
    pub(super) owners: &'a Ownership,
    pub(super) masks: Masks<'a>,
    /// The masked value of each wire.
    pub(super) values: &'a [bool],
    pub(super) outputs: &'a [HeldOutput],
}

/// The bytes that each party sends in the check. (The evaluator has sent the masked values before.)
pub(super) fn sent_bytes() -> u64 {
    net::message_bytes::<MacDigest>()
}

impl Unchecked<'_> {
    /// Runs the check. The evaluator has already sent the masked values of the AND gates.
    ///
    /// # Errors
    /// [`Check::AndGates`] if a gate is wrong, or the parties hold different masked values or
    /// labels; those of the channel.
    pub(super) fn check<T: Transport>(
        &self,
        context: &Context,
        channel: &mut Channel<T>,
        delta: &Delta,
    ) -> Result<(), Fault> {
        let mut shares = SecretVec::<Share>::with_capacity(self.owners.joint_ands().len());
        shares.extend(self.zero_shares(context.me, delta));
        let shares = || shares.iter().copied();
        let oracle = |sender| self.held_alike(context, sender, delta);
        let mine = context.macs(oracle(context.me), shares());
        let expected = || -> MacDigest {
            // Both shares of a 0 are equal.
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

    /// The oracle for the digest of `sender`, with everything absorbed but the MACs.
    fn held_alike(&self, context: &Context, sender: Party, delta: &Delta) -> Oracle {
        let oracle = context.oracle((Step::CheckMacs, self.run), sender);
        let inputs = self.values[..self.circuit.input_bits()].iter().copied();
        let products = Party::BOTH.map(|owner| self.owners.products(owner));
        let products = products
            .into_iter()
            .flatten()
            .map(|&wire| self.values[wire]);
        let outputs = self.outputs.iter().map(|output| output.masked);
        let labels = (self.outputs.iter()).map(|output| output.active_label(delta).0);
        oracle
            .absorb(&pack(inputs.chain(products).chain(outputs)))
            .absorb_blocks(labels)
    }

    /// For each joint AND gate, this party's part of the shared bit that must be 0.
    fn zero_shares<'a>(&'a self, me: Party, delta: &'a Delta) -> impl Iterator<Item = Share> + 'a {
        let (wires, values) = (self.masks.wires, self.values);
        joint_ands(self.circuit, self.owners)
            .zip(self.masks.products)
            .map(move |([a, b, c], product)| {
                let sum =
                    wires[b].times(values[a]) ^ wires[a].times(values[b]) ^ *product ^ wires[c];
                sum.plus((values[a] & values[b]) ^ values[c], me, delta)
            })
    }
}
