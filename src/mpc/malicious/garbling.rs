//! Authenticated garbling (Katz, Ranellucci, Rosulek, Wang 2018, section 4: half gates whose
//! tables the parties share).
//!
//! Gate `(a, b, c)` with masks `l`, masked values `V = value ^ l`, `s = l_a * l_b`. The garbler
//! sends
//!
//! ```text
//! G0 = H(La0, t0) ^ H(La0 ^ Delta_A, t0) ^ l_b1 * Delta_A ^ K[l_b2]
//! G1 = H(Lb0, t1) ^ H(Lb0 ^ Delta_A, t1) ^ l_a1 * Delta_A ^ K[l_a2] ^ La0
//! lsb(Lc0),  Lc0 = H(La0, t0) ^ H(Lb0, t1) ^ (s1 ^ l_c1) * Delta_A ^ K[s2] ^ K[l_c2]
//! ```
//!
//! and the evaluator computes, with its MACs,
//!
//! ```text
//! Lc = H(La, t0) ^ H(Lb, t1) ^ M[s2] ^ M[l_c2] ^ V_a * (G0 ^ M[l_b2]) ^ V_b * (G1 ^ M[l_a2] ^ La)
//! V_c = lsb(Lc0) ^ lsb(Lc),  Lc = Lc0 ^ V_c * Delta_A
//! ```

use super::share::Share;
use super::wires::MaskedLabel;
use crate::Result;
use crate::circuit::Circuit;
use crate::crypto::Block;
use crate::mpc::walk::{RunHash, walk};
use crate::ot::Delta;

/// Bytes of a garbled AND gate: `G0`, `G1` and the low bit.
pub(super) const TABLE_BYTES: usize = 33;

/// What both sides of a gate need of the preprocessing.
pub(super) struct Masks<'a> {
    /// The mask of every wire.
    pub(super) wires: &'a [Share],
    /// `<s>` of every AND gate.
    pub(super) products: &'a [Share],
}

/// The garbler's side. `labels` holds the label for 0 of every wire; those of the inputs are set.
pub(super) fn garble(
    circuit: &Circuit,
    labels: &mut [Block],
    masks: &Masks<'_>,
    delta: &Delta,
    hashes: &RunHash<'_>,
    mut emit: impl FnMut([u8; TABLE_BYTES]) -> Result<()>,
) -> Result<()> {
    let shift = delta.block();
    walk(
        circuit,
        labels,
        hashes,
        |a, b| [a, a ^ shift, b, b ^ shift],
        |label| label ^ shift,
        |gate, [ha0, ha1, hb0, hb1]| {
            let (a, b) = gate.wires;
            let (mask_a, mask_b) = (masks.wires[a.index()], masks.wires[b.index()]);
            let out = masks.products[gate.index] ^ masks.wires[gate.output];
            let g0 = *ha0 ^ *ha1 ^ delta.select(mask_b.bit) ^ mask_b.key;
            let g1 = *hb0 ^ *hb1 ^ delta.select(mask_a.bit) ^ mask_a.key ^ gate.values.0;
            let label = *ha0 ^ *hb0 ^ delta.select(out.bit) ^ out.key;
            let mut table = [0; TABLE_BYTES];
            table[..16].copy_from_slice(&g0.to_bytes());
            table[16..32].copy_from_slice(&g1.to_bytes());
            table[32] = u8::from(label.lsb());
            emit(table)?;
            Ok(label)
        },
    )
}

/// The evaluator's side. `wires` holds the label and the masked value of every wire; those of the
/// inputs are set. Gives the masked values of the AND gates.
pub(super) fn evaluate(
    circuit: &Circuit,
    wires: &mut [MaskedLabel],
    masks: &Masks<'_>,
    hashes: &RunHash<'_>,
    mut fetch: impl FnMut() -> Result<[u8; TABLE_BYTES]>,
) -> Result<Vec<bool>> {
    let mut values = Vec::with_capacity(circuit.ands());
    walk(
        circuit,
        wires,
        hashes,
        |a, b| [a.label, b.label],
        |wire| MaskedLabel {
            value: !wire.value,
            ..wire
        },
        |gate, [ha, hb]| {
            let table = fetch()?;
            let (g0, table) = table
                .split_first_chunk::<16>()
                .expect("a table has 33 bytes");
            let (g1, low) = table
                .split_first_chunk::<16>()
                .expect("a table has 33 bytes");
            let (a, b) = gate.wires;
            let (mask_a, mask_b) = (masks.wires[a.index()], masks.wires[b.index()]);
            let out = masks.products[gate.index] ^ masks.wires[gate.output];
            let (wire_a, wire_b) = gate.values;
            let label = *ha
                ^ *hb
                ^ out.mac
                ^ (Block::from(*g0) ^ mask_b.mac).select(wire_a.value)
                ^ (Block::from(*g1) ^ mask_a.mac ^ wire_a.label).select(wire_b.value);
            let value = (low[0] & 1 == 1) ^ label.lsb();
            values.push(value);
            Ok(MaskedLabel { label, value })
        },
    )?;
    Ok(values)
}
