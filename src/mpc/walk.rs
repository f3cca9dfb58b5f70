//! The walk over the gates of a circuit. Both engines use it for garbling and for evaluating.
//!
//! The AND gates of a layer do not depend on each other, so the walk hashes the labels of many
//! gates at once. The engine passes a function that selects the labels to hash, and a function that
//! processes the hashes.

use std::ops::{BitXor, Range};

use zeroize::Zeroizing;

use super::label::{ActiveLabel, ZeroLabel};
use crate::circuit::{Circuit, Gate, Layer, Ownership, Party, Slots};
use crate::crypto::{Block, TweakDomain, TweakableHash};

/// The value that a party holds for one wire during the walk.
pub(super) trait WireValue: Copy + BitXor<Output = Self> {}

impl WireValue for ZeroLabel {}

impl WireValue for ActiveLabel {}

/// Consecutive gates of a circuit.
pub(super) struct Part<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) owners: &'a Ownership,
    /// The slots of the circuit's wires.
    pub(super) slots: &'a Slots,
    /// The indices of the gates.
    pub(super) gates: Range<usize>,
    /// The joint AND gates in `gates`, by their index among all joint AND gates (see
    /// [`Ownership`]).
    pub(super) ands: Range<usize>,
}

impl<'a> Part<'a> {
    /// All gates.
    pub(super) fn whole(circuit: &'a Circuit, owners: &'a Ownership, slots: &'a Slots) -> Self {
        Part {
            circuit,
            owners,
            slots,
            gates: 0..circuit.gates().len(),
            ands: 0..owners.joint_ands().len(),
        }
    }

    /// The gates, each with its output wire.
    pub(super) fn gates(&self) -> impl Iterator<Item = (Gate, usize)> + 'a {
        let gates = self.circuit.gates()[self.gates.clone()].iter();
        let first = self.circuit.input_bits() + self.gates.start;
        gates.copied().zip(first..)
    }

    /// The gates of this part in each layer.
    fn layers(&self) -> impl Iterator<Item = Layer> {
        let Range { start, end } = self.gates;
        let layers = self.circuit.layers();
        let first = layers.partition_point(|layer| layer.free.end <= start);
        let cut = move |range: &Range<usize>| range.start.max(start)..range.end.min(end);
        (layers[first..].iter())
            .take_while(move |layer| layer.ands.start < end)
            .map(move |layer| Layer {
                ands: cut(&layer.ands),
                free: cut(&layer.free),
            })
    }
}

/// The current AND gate of the walk.
pub(super) struct And<W> {
    /// The gate's index among the joint AND gates of the part.
    pub(super) index: usize,
    /// The values that the party holds for the input wires.
    pub(super) values: (W, W),
}

/// The tweakable hash for one run of a circuit.
pub(super) struct RunHash<'a> {
    pub(super) hash: &'a TweakableHash,
    /// The number of the run, which must not repeat in a session. The tweak consists of this number
    /// and the gate's index.
    pub(super) run: u64,
}

/// Computes the value that the party holds for the output wire of each gate of `part`. Skips output
/// wires that nothing reads. The values of the wires before `part` must already be in `wires`.
///
/// For each AND gate that a party owns, `product` returns the value of its output wire, or `None`
/// if that value is already in `wires`. `product` is called layer by layer, and within a layer in
/// the order of the gates. For each joint AND gate, `labels` receives the values of its two input
/// wires and returns `H` labels. The first half of these labels is hashed with the gate's first
/// tweak, the second half with the gate's second tweak. `and` receives the hashes and returns the
/// value of the output wire. `not` returns the value of a negated wire.
///
/// # Errors
/// Any error that `and` returns.
///
/// # Panics
/// If `wires` is shorter than the number of slots, or `H` is above [`TweakableHash::LANES`].
pub(super) fn walk<W: WireValue, E, const H: usize>(
    part: &Part<'_>,
    wires: &mut [W],
    mut product: impl FnMut(Party) -> Option<W>,
    hashes: &RunHash<'_>,
    labels: impl Fn(W, W) -> [Block; H],
    not: impl Fn(W) -> W,
    mut and: impl FnMut(And<W>, &[Block; H]) -> Result<W, E>,
) -> Result<(), E> {
    let Part { slots, circuit, .. } = *part;
    let (gates, inputs) = (circuit.gates(), circuit.input_bits());
    let mut joint = &part.owners.joint_ands()[part.ands.clone()];
    let mut batch = Batch::<H>::default();
    let mut index = 0;
    for layer in part.layers() {
        let of_layer = joint.partition_point(|&gate| (gate as usize) < layer.ands.end);
        let (of_layer, deeper) = joint.split_at(of_layer);
        joint = deeper;
        for numbers in of_layer.chunks(Batch::<H>::STRIDE) {
            let first = part.ands.start + index;
            let hashed = batch.hash(hashes, first, numbers, |number| {
                let (a, b) = and_slots(&gates[number as usize], slots);
                labels(wires[a], wires[b])
            });
            for (&number, hashed) in numbers.iter().zip(hashed) {
                let (a, b) = and_slots(&gates[number as usize], slots);
                let values = (wires[a], wires[b]);
                wires[slots.of(inputs + number as usize)] = and(And { index, values }, hashed)?;
                index += 1;
            }
        }
        if of_layer.len() < layer.ands.len() {
            for wire in layer.ands.map(|gate| inputs + gate) {
                let held = part.owners.wires()[wire].and_then(&mut product);
                if let (Some(held), Some(slot)) = (held, slots.of_output(wire)) {
                    wires[slot] = held;
                }
            }
        }
        for gate in layer.free {
            let Some(slot) = slots.of_output(inputs + gate) else {
                continue;
            };
            wires[slot] = match gates[gate] {
                Gate::Xor(a, b) => wires[slots.of(a.index())] ^ wires[slots.of(b.index())],
                Gate::Not(a) => not(wires[slots.of(a.index())]),
                Gate::And(..) => unreachable!("the range `free` of a layer contains no AND gate"),
            };
        }
    }
    Ok(())
}

/// The labels of AND gates that are hashed at once, `H` for each gate.
struct Batch<const H: usize> {
    lanes: Zeroizing<[Block; TweakableHash::LANES]>,
    tweaks: [Block; TweakableHash::LANES],
}

impl<const H: usize> Default for Batch<H> {
    fn default() -> Self {
        Batch {
            lanes: Zeroizing::new([Block::ZERO; TweakableHash::LANES]),
            tweaks: [Block::ZERO; TweakableHash::LANES],
        }
    }
}

impl<const H: usize> Batch<H> {
    /// The maximum number of AND gates in a batch.
    const STRIDE: usize = TweakableHash::LANES / H;

    /// Hashes the labels of the AND gates `numbers`. `first` is the index of the first of them
    /// among all joint AND gates.
    #[inline]
    fn hash(
        &mut self,
        hashes: &RunHash<'_>,
        first: usize,
        numbers: &[u32],
        labels: impl Fn(u32) -> [Block; H],
    ) -> &[[Block; H]] {
        let lanes = self.lanes.chunks_exact_mut(H);
        let tweaks = self.tweaks.chunks_exact_mut(H);
        for (index, (&number, (lanes, tweaks))) in
            (first..).zip(numbers.iter().zip(lanes.zip(tweaks)))
        {
            lanes.copy_from_slice(&labels(number));
            let tweak = |half| hashes.tweak(2 * index + half);
            tweaks[..H / 2].fill(tweak(0));
            tweaks[H / 2..].fill(tweak(1));
        }
        let used = lanes_to_hash(H * numbers.len());
        (hashes.hash).hash_each(&mut self.lanes[..used], &self.tweaks[..used]);
        self.lanes.as_chunks().0
    }
}

impl RunHash<'_> {
    #[inline]
    fn tweak(&self, index: usize) -> Block {
        TweakDomain::Garbling.tweak(self.run, index as u64)
    }
}

/// The slots of the input wires of an AND gate.
#[inline]
fn and_slots(gate: &Gate, slots: &Slots) -> (usize, usize) {
    match gate {
        Gate::And(a, b) => (slots.of(a.index()), slots.of(b.index())),
        _ => unreachable!("the range `ands` of a layer contains only AND gates"),
    }
}

/// The number of lanes to hash if the first `used` are filled. With wide registers, hashing a full
/// batch costs less than hashing a nearly full one. So a batch that is more than half full is
/// hashed completely; its last lanes may hold labels of earlier gates.
fn lanes_to_hash(used: usize) -> usize {
    if 2 * used > TweakableHash::LANES {
        TweakableHash::LANES
    } else {
        used
    }
}
