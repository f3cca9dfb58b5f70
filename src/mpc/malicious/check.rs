//! The check of all AND gates: no masked value is believed, and nothing is opened, before it.
//!
//! For every gate `(a, b, c)` the shared bit
//! `<V_a * V_b ^ V_a * l_b ^ V_b * l_a ^ s ^ V_c ^ l_c>` must be 0, so both parties hold the same
//! bit of it, and each can compute the MACs that the other holds. Strictly in this order: the
//! evaluator sends all masked values and the digest of its MACs; the garbler verifies, and sends
//! nothing made from its shares if they are wrong; it sends its own digest; the evaluator
//! verifies. (If the garbler's digest came first, an evaluator that flips one masked value could
//! try both candidates of the gate's bit against it, and would learn a wire.)

use super::context::Context;
use super::garbling::Masks;
use super::share::Share;
use super::wires::{and_inputs, and_outputs};
use crate::circuit::{Circuit, Party};
use crate::crypto::{SecretVec, Step};
use crate::net::{Channel, Transport};
use crate::ot::Delta;
use crate::{Check, Result};

/// The masked values of all wires, after the check.
pub(super) struct CheckedValues(Vec<bool>);

impl CheckedValues {
    pub(super) fn of(&self, wire: usize) -> bool {
        self.0[wire]
    }
}

/// Runs the check on the masked values of all wires, which the evaluator has computed and sent.
///
/// # Errors
/// [`Check::AndGates`] if a gate is wrong.
pub(super) fn check<T: Transport>(
    context: &Context,
    channel: &mut Channel<T>,
    delta: &Delta,
    run: u64,
    circuit: &Circuit,
    masks: &Masks<'_>,
    values: Vec<bool>,
) -> Result<CheckedValues> {
    // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
    let mut shares = SecretVec::<Share>::with_capacity(circuit.ands());
    shares.extend(zero_shares(context.me, delta, circuit, masks, &values));
    let shares = || shares.iter().copied();
    let step = (Step::CheckMacs, run);
    let mine = context.macs(step, shares());
    // The peer's bit of a shared 0 is this party's.
    let expected = || context.expected_macs(step, delta, shares(), shares().map(|share| share.bit));
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
    Ok(CheckedValues(values))
}

/// What must be shares of 0, one for each AND gate.
fn zero_shares<'a>(
    me: Party,
    delta: &'a Delta,
    circuit: &'a Circuit,
    masks: &'a Masks<'_>,
    values: &'a [bool],
) -> impl Iterator<Item = Share> + 'a {
    and_inputs(circuit)
        .zip(and_outputs(circuit))
        .zip(masks.products)
        .map(move |(((a, b), c), product)| {
            let sum = masks.wires[b].times(values[a])
                ^ masks.wires[a].times(values[b])
                ^ *product
                ^ masks.wires[c];
            sum.plus((values[a] & values[b]) ^ values[c], me, delta)
        })
}
