//! Leaky authenticated AND triples (Katz, Ranellucci, Rosulek, Wang 2018, figure 8).
//!
//! From random shared bits `<x>, <y>, <z>` the parties make `<x>, <y>, <x & y>`. Both do the same,
//! each with its own Delta. The triples are called leaky because a party that sends a wrong table
//! for one learns the other party's share of its `x`, unless it is caught, which happens with
//! probability 1/2. Buckets later remove the leak. Each `x` is fresh, and never the mask of a wire.
//!
//! The order is: the tables; the lowest bits; the equality check of [`Leaky::expected`]. A party
//! sends no table before the checks of the correlated OT have passed, and uses no triple before the
//! equality check has passed.

use zeroize::Zeroizing;

use super::share::{RandomShares, Share};
use crate::circuit::Party;
use crate::crypto::{Block, SecretVec, TweakDomain, TweakableHash};
use crate::ot::Delta;

#[cfg(test)]
mod tests;

/// Three shared bits with `z = x & y`.
#[derive(Clone, Copy, Default)]
pub(super) struct Triple {
    pub(super) x: Share,
    pub(super) y: Share,
    pub(super) z: Share,
}

impl zeroize::DefaultIsZeroes for Triple {}

/// Hashes for each triple: of the key of `x`, of that key XOR Delta, and of the MAC of `x`.
const HASHES: usize = 3;
/// Triples that are hashed at once.
const STRIDE: usize = TweakableHash::LANES / HASHES;

/// A batch of leaky triples.
pub(super) struct Leaky<'a> {
    /// The random shared bits: all `x`, then all `y`, then all `z`.
    shares: &'a RandomShares,
    count: usize,
    /// The paper's `S` for each triple. Step 1 adds up what does not depend on the peer's table,
    /// and step 2 adds the rest. Step 3 turns it into the paper's `L`, which must be equal at both
    /// parties.
    sums: SecretVec<Block>,
    /// Whether to flip `z`, for each triple.
    flips: Vec<bool>,
}

impl<'a> Leaky<'a> {
    /// Step 1: computes the tables `G` of `count` triples, from the first `3 * count` of the
    /// `shares`.
    pub(super) fn tables(
        shares: &'a RandomShares,
        count: usize,
        hash: &TweakableHash,
        delta: &Delta,
        batch: u64,
    ) -> (Self, Vec<Block>) {
        let mut leaky = Leaky {
            shares,
            count,
            sums: SecretVec::with_capacity(count),
            flips: Vec::new(),
        };
        let mut tables = Vec::with_capacity(count);
        let mut lanes = Zeroizing::new([Block::ZERO; HASHES * STRIDE]);
        let mut tweaks = [Block::ZERO; HASHES * STRIDE];
        for first in (0..count).step_by(STRIDE) {
            let indices = first..count.min(first + STRIDE);
            let used = HASHES * indices.len();
            for ((index, lanes), tweaks) in indices
                .clone()
                .zip(lanes.chunks_exact_mut(HASHES))
                .zip(tweaks.chunks_exact_mut(HASHES))
            {
                let x = leaky.x(index);
                lanes.copy_from_slice(&[x.key.0, x.key.0 ^ delta.block(), x.mac.0]);
                tweaks.fill(TweakDomain::LeakyAnd.tweak(batch, index as u64));
            }
            hash.hash_each(&mut lanes[..used], &tweaks[..used]);
            for (index, hashes) in indices.zip(lanes.chunks_exact(HASHES)) {
                let c = leaky.y(index).cross(delta);
                let of_x = c.select(leaky.x(index).bit);
                let of_z = leaky.random_z(index).cross(delta);
                tables.push(hashes[0] ^ hashes[1] ^ c);
                leaky.sums.push(hashes[0] ^ hashes[2] ^ of_z ^ of_x);
            }
        }
        (leaky, tables)
    }

    /// Step 2: takes the peer's tables. Gives the lowest bits of all `S`, which are sent to the
    /// peer.
    pub(super) fn receive(&mut self, tables: &[Block]) -> Vec<bool> {
        (0..self.count)
            .zip(tables)
            .map(|(index, table)| {
                let s = self.sums[index] ^ table.select(self.x(index).bit);
                self.sums[index] = s;
                s.lsb().reveal()
            })
            .collect()
    }

    /// Step 3: notes which `z` to flip, and turns `S` into `L`. `flips` are the XORs of both
    /// parties' lowest bits.
    pub(super) fn correct(&mut self, flips: Vec<bool>, delta: &Delta) {
        for (s, flip) in self.sums.iter_mut().zip(&flips) {
            *s ^= delta.select(*flip);
        }
        self.flips = flips;
    }

    /// The paper's `L`, which must be equal at both parties: one block for each triple.
    pub(super) fn expected(&self) -> &[Block] {
        &self.sums
    }

    /// The `x` of a triple.
    #[inline]
    pub(super) fn x(&self, index: usize) -> Share {
        self.shares.get(index)
    }

    /// The `y` of a triple.
    #[inline]
    pub(super) fn y(&self, index: usize) -> Share {
        self.shares.get(self.count + index)
    }

    /// The `z` of a triple, after step 3. To be used only after the equality check.
    #[inline]
    pub(super) fn z(&self, index: usize, me: Party, delta: &Delta) -> Share {
        self.random_z(index).plus(self.flips[index], me, delta)
    }

    #[inline]
    fn random_z(&self, index: usize) -> Share {
        self.shares.get(2 * self.count + index)
    }
}
