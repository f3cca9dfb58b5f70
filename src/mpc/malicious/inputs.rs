//! Inputs: which wire comes from where, and its masked value on the wire.
//!
//! The other party has opened its share of an input's mask `l` to the owner only, ahead, and the
//! owner sends `V = x ^ l`. The clear bit never travels, and nobody but the owner ever holds `V` and
//! both shares.

use super::AuthenticatedBit;
use crate::Result;
use crate::circuit::{Circuit, Party};
use crate::mpc::Input;
use crate::mpc::packed_bits::{recv_bits, send_bits};
use crate::mpc::tag::Tag;
use crate::net::{Channel, Transport};

/// Which input wire comes from where.
pub(super) struct InputLayout<'a> {
    me: Party,
    /// What this party enters stays where its caller holds it: there are no copies to wipe.
    pub(super) mine: Vec<(usize, &'a bool)>,
    theirs: Vec<usize>,
    pub(super) shared: Vec<(usize, &'a AuthenticatedBit)>,
}

impl<'a> InputLayout<'a> {
    pub(super) fn new(
        me: Party,
        circuit: &Circuit,
        inputs: &[Input<'a, AuthenticatedBit>],
    ) -> Self {
        let mut layout = InputLayout {
            me,
            mine: Vec::new(),
            theirs: Vec::new(),
            shared: Vec::new(),
        };
        let mut wire = 0;
        for (input, bits) in inputs.iter().zip(circuit.inputs()) {
            let wires = wire..wire + bits;
            wire = wires.end;
            match *input {
                Input::Mine(values) => layout.mine.extend(wires.zip(values)),
                Input::Peer => layout.theirs.extend(wires),
                Input::Shared(shared) => layout.shared.extend(wires.zip(shared)),
            }
        }
        layout
    }

    /// The wires that `owner` enters, in order.
    pub(super) fn owned_by(&self, owner: Party) -> Vec<usize> {
        if owner == self.me {
            self.mine.iter().map(|(wire, _)| *wire).collect()
        } else {
            self.theirs.clone()
        }
    }

    /// The wires that somebody enters: the garbler's, then the evaluator's.
    pub(super) fn entered(&self) -> Vec<usize> {
        [
            self.owned_by(Party::Garbler),
            self.owned_by(Party::Evaluator),
        ]
        .concat()
    }
}

/// Sends this party's masked values of `wires`.
pub(super) fn send_values<T: Transport>(
    channel: &mut Channel<T>,
    values: &[bool],
    wires: Vec<usize>,
) -> Result<()> {
    let values = wires.into_iter().map(|wire| values[wire]);
    send_bits(channel, Tag::MaskedValues, values)
}

/// Receives the peer's masked values of `wires`.
pub(super) fn recv_values<T: Transport>(
    channel: &mut Channel<T>,
    values: &mut [bool],
    wires: Vec<usize>,
) -> Result<()> {
    let received = recv_bits(channel, Tag::MaskedValues, wires.len())?;
    for (wire, value) in wires.into_iter().zip(received) {
        values[wire] = value;
    }
    Ok(())
}
