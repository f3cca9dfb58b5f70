//! Authenticated garbling (Katz, Ranellucci, Rosulek, Wang 2018, section 4: half gates whose tables
//! the parties share).
//!
//! A joint gate has the inputs `a`, `b` and the output `c`, with masks `l` and masked values
//! `V = value ^ l`. Let `s = l_a * l_b`. The index 1 marks the garbler's share of a bit, and 2 the
//! evaluator's share. The garbler sends
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

use super::wires::{AndMasks, AndValues, MaskedLabel};
use crate::crypto::{Block, SecretBit};
use crate::mpc::label::{ActiveLabel, ZeroLabel};
use crate::mpc::layout::Wires;
use crate::mpc::tag::Tag;
use crate::mpc::walk::{Part, RunHash, walk};
use crate::net::{self, Malformed};
use crate::ot::Delta;

/// The size of a garbled AND gate in bytes: `G0`, `G1` and the lowest bit of `Lc0`.
pub(super) const TABLE_BYTES: usize = 33;

/// Garbles the joint gates of a part, with the masks of these gates. `wires` holds the labels for
/// 0; the labels of the wires before the part must be set.
pub(super) fn garble(
    part: &Part<'_>,
    wires: &mut Wires<ZeroLabel>,
    masks: &[AndMasks],
    delta: &Delta,
    hashes: &RunHash<'_>,
    mut emit: impl FnMut([u8; TABLE_BYTES]) -> net::Result<()>,
) -> net::Result<()> {
    let shift = delta.block();
    let mut products = wires.entered.products_from(part);
    walk(
        part,
        &mut wires.held,
        |owner| products[owner].next().copied(),
        hashes,
        |a, b| [a.0, a.0 ^ shift, b.0, b.0 ^ shift],
        |label| ZeroLabel(label.0 ^ shift),
        |gate, [ha0, ha1, hb0, hb1]| {
            let AndMasks { a, b, out } = masks[gate.index];
            let g0 = ZeroLabel(*ha0 ^ *ha1) ^ b.at_garbler(delta);
            let g1 = ZeroLabel(*hb0 ^ *hb1) ^ a.at_garbler(delta) ^ gate.values.0;
            let label = ZeroLabel(*ha0 ^ *hb0) ^ out.at_garbler(delta);
            let mut table = [0; TABLE_BYTES];
            table[..16].copy_from_slice(&g0.0.to_bytes());
            table[16..32].copy_from_slice(&g1.0.to_bytes());
            table[32] = u8::from(label.0.lsb().reveal());
            emit(table)?;
            Ok(label)
        },
    )
}

/// Evaluates the joint gates of a part. `wires` holds labels and masked values; those of the wires
/// before the part must be set. Returns the masked values of the joint AND gates.
pub(super) fn evaluate(
    part: &Part<'_>,
    wires: &mut Wires<MaskedLabel>,
    masks: &[AndMasks],
    hashes: &RunHash<'_>,
    mut fetch: impl FnMut() -> net::Result<[u8; TABLE_BYTES]>,
) -> net::Result<Vec<AndValues>> {
    let mut values = Vec::with_capacity(masks.len());
    let mut products = wires.entered.products_from(part);
    walk::<_, net::Error, 2>(
        part,
        &mut wires.held,
        |owner| products[owner].next().copied(),
        hashes,
        |a, b| [a.label.0, b.label.0],
        |wire| MaskedLabel {
            value: !wire.value,
            ..wire
        },
        |gate, [ha, hb]| {
            let (g0, g1, low) = rows(fetch()?)?;
            let AndMasks { a, b, out } = masks[gate.index];
            let (wire_a, wire_b) = gate.values;
            let label = ActiveLabel(*ha ^ *hb)
                ^ out.at_evaluator()
                ^ (g0 ^ b.at_evaluator()).select(wire_a.value)
                ^ (g1 ^ a.at_evaluator() ^ wire_a.label).select(wire_b.value);
            let value = (label.0.lsb() ^ low).reveal();
            values.push([wire_a.value, wire_b.value, value]);
            Ok(MaskedLabel { label, value })
        },
    )?;
    Ok(values)
}

/// Splits a table into `G0`, `G1` and the lowest bit.
///
/// # Errors
/// [`Malformed::PaddingBits`] if the last byte is neither 0 nor 1.
#[inline]
fn rows(table: [u8; TABLE_BYTES]) -> Result<(ActiveLabel, ActiveLabel, SecretBit), Malformed> {
    let ([g0, g1], [low]) = table.as_chunks::<16>() else {
        unreachable!("a table has 33 bytes")
    };
    if low & !1 != 0 {
        return Err(Malformed::PaddingBits(Tag::Tables.into()));
    }
    let row = |row: &[u8; 16]| ActiveLabel(Block::from(*row));
    Ok((row(g0), row(g1), SecretBit::lowest_of(*low)))
}
