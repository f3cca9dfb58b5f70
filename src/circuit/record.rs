//! A finished circuit.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::gates::{Gate, Gates, Output};
use super::ownership::Ownership;
use super::party::Party;
use super::slots::Slots;

/// The gates of one AND-depth, as two consecutive ranges of gate numbers.
///
/// The ANDs of a layer read only wires of earlier layers, so they may be garbled as one batch. The
/// free gates of the layer read wires of earlier layers, of these ANDs, and of preceding free
/// gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    /// AND gates only; empty in layer 0.
    pub(crate) ands: Range<usize>,
    /// XOR and NOT gates only, in topological order.
    pub(crate) free: Range<usize>,
}

/// A cache for the last [`Ownership`] that was requested, because a circuit is run many times with
/// the same owners. It holds only one, because an ownership is nearly as large as the circuit.
/// Clones of the circuit share the cache.
#[derive(Clone, Default)]
pub(super) struct LastOwnership(Arc<Mutex<Option<Arc<Ownership>>>>);

/// A Boolean circuit, in layer order, without dead gates.
///
/// Created by a [`Builder`](super::Builder) and immutable. Every wire that a gate or an output
/// refers to exists, and every gate reads only wires with lower numbers.
#[derive(Clone)]
pub struct Circuit {
    pub(super) inputs: Vec<usize>,
    pub(super) input_bits: usize,
    pub(super) gates: Vec<Gate>,
    pub(super) layers: Vec<Layer>,
    pub(super) outputs: Vec<Vec<Output>>,
    pub(super) digest: [u8; 32],
    pub(super) ownership: LastOwnership,
}

impl Circuit {
    /// The number of bits of each input value.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The total number of bits of all input values. These bits are the first wires, value after
    /// value, each with its least significant bit first.
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// The gates, in layer order. Gate `g` sets wire `input_bits + g`.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The layers, by AND-depth from 0. Together they contain all gates, in order.
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The output values, each a word of bits, least significant first.
    pub fn outputs(&self) -> &[Vec<Output>] {
        &self.outputs
    }

    /// The number of wires: input bits plus gates.
    pub fn wires(&self) -> usize {
        self.input_bits + self.gates.len()
    }

    /// The number of AND gates.
    pub fn ands(&self) -> usize {
        self.layers.iter().map(|layer| layer.ands.len()).sum()
    }

    /// The total number of bits of all output values.
    pub fn output_bits(&self) -> usize {
        self.outputs.iter().map(Vec::len).sum()
    }

    /// The number of output bits that are not constants.
    pub(crate) fn output_wires(&self) -> usize {
        self.outputs
            .iter()
            .flatten()
            .filter(|output| matches!(output, Output::Wire(_)))
            .count()
    }

    /// The result of [`Ownership::of`], computed once for consecutive calls with the same owners.
    ///
    /// # Panics
    /// Panics if there is not exactly one owner for each input value.
    pub(crate) fn ownership(
        &self,
        values: impl IntoIterator<Item = Option<Party>>,
    ) -> Arc<Ownership> {
        let values: Vec<_> = values.into_iter().collect();
        // Only complete values are stored, so the value left by a call that panicked is valid.
        let mut last = (self.ownership.0.lock()).unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(found) if found.of_values == values => found.clone(),
            _ => {
                // Drop the old ownership first: two would take twice the memory.
                *last = None;
                let found = Arc::new(Ownership::of(self, values));
                *last = Some(found.clone());
                found
            }
        }
    }

    /// The inputs, gates and outputs, without the derived fields.
    pub(super) fn parts(&self) -> Gates<'_> {
        Gates {
            inputs: &self.inputs,
            list: &self.gates,
            outputs: &self.outputs,
        }
    }

    /// The BLAKE3 digest of the circuit. Two circuits have the same digest only if they have the
    /// same inputs, gates and outputs in the same order.
    ///
    /// The digest is computed by BLAKE3 in key-derivation mode with the context string `dealerless
    /// circuit v1`, over: the number of input values and the bits of each; the number of gates, and
    /// for each gate a byte (0 XOR, 1 AND, 2 NOT) and the wires that it reads; the number of output
    /// values, for each value its number of bits, and for each bit a byte (0 zero, 1 one, 2 a wire,
    /// which follows). Counts take 8 bytes and wires 4 bytes, little-endian.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

#[cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public with the feature `internals`")
)]
impl Ownership {
    /// The ownership of a circuit's wires, given the party that knows each input value. Linear in
    /// the number of gates.
    ///
    /// # Panics
    /// Panics if there is not exactly one owner for each input value.
    pub fn of(circuit: &Circuit, values: impl IntoIterator<Item = Option<Party>>) -> Self {
        Ownership::of_gates(circuit.parts(), values.into_iter().collect())
    }

    /// The storage slots of the wires in a run of `circuit`, which must be the circuit that this
    /// ownership was computed for. Computed at the first call.
    pub(crate) fn slots(&self, circuit: &Circuit) -> &Slots {
        self.slots_of(circuit.parts())
    }
}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuit")
            .field("inputs", &self.inputs)
            .field("gates", &self.gates.len())
            .field("ands", &self.ands())
            .field("layers", &self.layers.len())
            .field("outputs", &self.outputs.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Builder;

    #[test]
    fn circuit_and_its_clones_cache_the_last_ownership() {
        let mut builder = Builder::new(&[1, 1]);
        let both = builder.and(builder.input(0)[0], builder.input(1)[0]);
        let circuit = builder.build(vec![vec![both]]);
        let (ours, mine) = (Party::BOTH.map(Some), [Some(Party::Garbler); 2]);
        let first = circuit.ownership(ours);
        assert!(Arc::ptr_eq(&first, &circuit.clone().ownership(ours)));
        let other = circuit.ownership(mine);
        assert_eq!((first.joint_ands().len(), other.joint_ands().len()), (1, 0));
        assert!(Arc::ptr_eq(&other, &circuit.ownership(mine)));
        assert!(!Arc::ptr_eq(&first, &circuit.ownership(ours)));
    }
}
