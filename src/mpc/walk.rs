//! The walk over the gates of a circuit, which garbling and evaluating share in both engines.
//!
//! The ANDs of a layer do not depend on each other, so the walk hashes the labels of many gates at
//! once. The engine passes functions that say which labels to hash and what to do with the hashes.

use std::ops::BitXor;

use zeroize::Zeroizing;

use super::label::{ActiveLabel, ZeroLabel};
use crate::circuit::{Circuit, Gate, Ownership, Wire};
use crate::crypto::{Block, TweakDomain, TweakableHash};

/// What a party holds for one wire during the walk.
pub(super) trait WireValue: Copy + BitXor<Output = Self> {}

impl WireValue for ZeroLabel {}

impl WireValue for ActiveLabel {}

/// An AND gate that the walk has come to.
pub(super) struct And<W> {
    /// Its number among the joint ANDs of the circuit.
    pub(super) index: usize,
    /// Its input wires.
    pub(super) wires: (Wire, Wire),
    /// The number of its output wire.
    pub(super) output: usize,
    /// What the party holds for its input wires.
    pub(super) values: (W, W),
}

/// The tweakable hash, for one run of a circuit.
pub(super) struct RunHash<'a> {
    pub(super) hash: &'a TweakableHash,
    /// The number of the run, which must not repeat in a session. The tweak consists of it and of
    /// the gate's number.
    pub(super) run: u64,
}

/// Computes what the party holds for the output wires of all gates. That of the wires which a party
/// enters (inputs, and the outputs of ANDs that it owns) is already in `wires`.
///
/// For each joint AND gate, `labels` takes what is held for its two input wires, and gives `H` labels.
/// The first half of them is hashed under the gate's first tweak, the second half under its second.
/// `and` takes the hashes, and gives the value of the output wire. `not` gives the value of a
/// negated wire.
///
/// # Errors
/// Whatever `and` gives.
///
/// # Panics
/// If `wires` is shorter than the circuit's wires, or `H` is above [`TweakableHash::LANES`].
pub(super) fn walk<W: WireValue, E, const H: usize>(
    circuit: &Circuit,
    owners: &Ownership,
    wires: &mut [W],
    hashes: &RunHash<'_>,
    labels: impl Fn(W, W) -> [Block; H],
    not: impl Fn(W) -> W,
    mut and: impl FnMut(And<W>, &[Block; H]) -> Result<W, E>,
) -> Result<(), E> {
    let inputs = circuit.input_bits();
    let stride = TweakableHash::LANES / H;
    let mut index = 0;
    let mut joint = owners.joint_ands();
    let mut lanes = Zeroizing::new([Block::ZERO; TweakableHash::LANES]);
    let mut tweaks = [Block::ZERO; TweakableHash::LANES];
    for layer in circuit.layers() {
        let of_layer = joint.partition_point(|&gate| (gate as usize) < layer.ands.end);
        let (of_layer, deeper) = joint.split_at(of_layer);
        joint = deeper;
        for numbers in of_layer.chunks(stride) {
            for (number, ((gate, lanes), tweaks)) in numbers
                .iter()
                .map(|&number| &circuit.gates()[number as usize])
                .zip(lanes.chunks_exact_mut(H))
                .zip(tweaks.chunks_exact_mut(H))
                .enumerate()
            {
                let (a, b) = and_wires(gate);
                lanes.copy_from_slice(&labels(wires[a.index()], wires[b.index()]));
                let tweak = |half| hashes.tweak(2 * (index + number) + half);
                tweaks[..H / 2].fill(tweak(0));
                tweaks[H / 2..].fill(tweak(1));
            }
            let used = lanes_to_hash(H * numbers.len());
            hashes.hash.hash_each(&mut lanes[..used], &tweaks[..used]);
            let (hashed, _) = lanes.as_chunks();
            for (&number, hashed) in numbers.iter().zip(hashed) {
                let (a, b) = and_wires(&circuit.gates()[number as usize]);
                let output = inputs + number as usize;
                let gate = And {
                    index,
                    wires: (a, b),
                    output,
                    values: (wires[a.index()], wires[b.index()]),
                };
                wires[output] = and(gate, hashed)?;
                index += 1;
            }
        }
        for gate in layer.free.clone() {
            wires[inputs + gate] = match circuit.gates()[gate] {
                Gate::Xor(a, b) => wires[a.index()] ^ wires[b.index()],
                Gate::Not(a) => not(wires[a.index()]),
                Gate::And(..) => unreachable!("a layer's free gates hold no AND"),
            };
        }
    }
    Ok(())
}

impl RunHash<'_> {
    #[inline]
    fn tweak(&self, index: usize) -> Block {
        TweakDomain::Garbling.tweak(self.run, index as u64)
    }
}

#[inline]
fn and_wires(gate: &Gate) -> (Wire, Wire) {
    match gate {
        Gate::And(a, b) => (*a, *b),
        _ => unreachable!("a layer's ANDs hold nothing else"),
    }
}

/// How many lanes to hash if the first `used` are filled. With wide registers, a full batch costs
/// less than one that is nearly full; so the last lanes may hold labels of earlier gates.
fn lanes_to_hash(used: usize) -> usize {
    if 2 * used > TweakableHash::LANES {
        TweakableHash::LANES
    } else {
        used
    }
}
