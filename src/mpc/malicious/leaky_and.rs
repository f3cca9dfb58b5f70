//! Leaky authenticated AND triples (Katz, Ranellucci, Rosulek, Wang 2018, figure 8).
//!
//! The parties make `<x>, <y>, <x & y>` of random shared bits `<x>, <y>, <z>`. Both do the same, each
//! with its own Delta. A party that sends a wrong table is caught with probability 1/2, and learns
//! the other's bit of `x` if it is not: that is why the triples are called leaky. Buckets remove the
//! leak afterwards. All `x` are fresh: the mask of a wire is never an `x` here.
//!
//! Order: the tables; the low bits; the equality of what must be equal ([`Leaky::expected`]). No
//! table leaves before the checks of the correlated OT have passed, and nothing of the triples is
//! used before the equality has.

use zeroize::Zeroizing;

use super::share::{RandomShares, Share};
use crate::circuit::Party;
use crate::crypto::{Block, SecretVec, TweakDomain, TweakableHash};
use crate::ot::Delta;

#[cfg(test)]
mod tests;

/// Three shared bits with `z = x & y`, once everything is checked.
#[derive(Clone, Copy, Default)]
pub(super) struct Triple {
    pub(super) x: Share,
    pub(super) y: Share,
    pub(super) z: Share,
}

impl zeroize::DefaultIsZeroes for Triple {}

/// Hashes a triple: those of the key of `x` and of its shift by Delta, and of the MAC of `x`.
const HASHES: usize = 3;
/// Triples that are hashed side by side.
const STRIDE: usize = TweakableHash::LANES / HASHES;

/// A batch of triples, on the way to the equality check.
pub(super) struct Leaky<'a> {
    /// All `x`, then all `y`, then all `z`, as they were made at random.
    shares: &'a RandomShares,
    count: usize,
    /// The paper's `S` of each triple, step by step: first without the peer's table, then with it.
    /// Once its low bit is corrected it is `L`, which must be equal at both parties.
    sums: SecretVec<Block>,
    /// Whether `z` has to be flipped.
    flips: Vec<bool>,
}

impl<'a> Leaky<'a> {
    /// Step 1: the tables `G` of `count` triples, which take the first `3 * count` of the `shares`.
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

    /// Step 2: takes in the peer's tables. The low bits of the result are opened.
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

    /// Step 3: flips those `z` for which the low bits of both parties add up to 1.
    pub(super) fn correct(&mut self, flips: Vec<bool>, delta: &Delta) {
        for (s, flip) in self.sums.iter_mut().zip(&flips) {
            *s ^= delta.select(*flip);
        }
        self.flips = flips;
    }

    /// What must be equal at both parties, a block a triple.
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

    /// The `z` of a triple; only after the equality check.
    #[inline]
    pub(super) fn z(&self, index: usize, me: Party, delta: &Delta) -> Share {
        self.random_z(index).plus(self.flips[index], me, delta)
    }

    #[inline]
    fn random_z(&self, index: usize) -> Share {
        self.shares.get(2 * self.count + index)
    }
}
