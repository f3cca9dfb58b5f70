//! Leaky authenticated AND triples (Katz, Ranellucci, Rosulek, Wang 2018, figure 8).
//!
//! From random shared bits `<x>, <y>, <z>` the parties compute `<x>, <y>, <x & y>`. Both parties do
//! the same, each with its own Delta. The triples are called leaky because a party that sends a
//! wrong table for a triple learns the other party's share of `x`, unless the party is caught,
//! which happens with probability 1/2. The buckets (see `bucket_size`) later remove the leak. Each
//! `x` is fresh, and is never the mask of a wire.
//!
//! The order is: the tables, the lowest bits, the equality check of [`Leaky::expected`]. A party
//! sends no table before the checks of the correlated OT have passed, and uses no triple before the
//! equality check has passed.

use zeroize::Zeroizing;

use super::share::{RandomShares, Share};
use crate::circuit::Party;
use crate::crypto::{Block, SecretVec, TweakDomain, TweakableHash};
use crate::ot::Delta;
use crate::parallel;

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

/// The number of hashes for each triple: of the key of `x`, of that key XOR Delta, and of the MAC
/// of `x`.
const HASHES: usize = 3;
/// The number of triples hashed at once.
const STRIDE: usize = TweakableHash::LANES / HASHES;
/// The number of triples whose tables one parallel task computes.
const PART: usize = 200 * STRIDE;

/// A batch of leaky triples, made from random shared bits: all `x`, then all `y`, then all `z`.
#[derive(Default)]
pub(super) struct Leaky {
    /// This party's tables `G`, later overwritten by the peer's tables.
    tables: Vec<Block>,
    /// The paper's `S` for each triple. Step 1 adds up the terms that do not depend on the peer's
    /// table, and step 2 adds the last term. Step 3 turns `S` into the paper's `L`, which must be
    /// equal at both parties.
    sums: SecretVec<Block>,
    /// Whether to flip `z`, for each triple.
    flips: Vec<bool>,
}

impl Leaky {
    /// Step 1: computes the tables `G` of `count` triples, from the first `3 * count` of the
    /// `shares`. The caller overwrites the returned tables with the peer's tables.
    pub(super) fn tables(
        &mut self,
        shares: &RandomShares,
        count: usize,
        hash: &TweakableHash,
        delta: &Delta,
        batch: u64,
    ) -> &mut [Block] {
        self.tables.resize(count, Block::ZERO);
        self.sums.reuse(count);
        let tables = self.tables.chunks_mut(PART);
        let parts = tables.zip(self.sums.chunks_mut(PART)).enumerate();
        parallel::map(parts.collect(), |(number, (tables, sums))| {
            let piece = Piece {
                start: number * PART,
                tables,
                sums,
            };
            fill_tables(shares, count, piece, hash, delta, batch);
        });
        &mut self.tables
    }

    /// Step 2, after the peer's tables have overwritten this party's tables. Returns the lowest
    /// bits of all `S`, which are sent to the peer.
    pub(super) fn receive(&mut self, shares: &RandomShares) -> Vec<bool> {
        (self.sums.iter_mut().zip(&self.tables).enumerate())
            .map(|(index, (s, table))| {
                *s ^= table.select(shares.get(index).bit);
                s.lsb().reveal()
            })
            .collect()
    }

    /// Step 3: records which `z` to flip, and turns `S` into `L`. `flips` are the XORs of both
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

    /// The `y` of a triple.
    #[inline]
    pub(super) fn y(&self, shares: &RandomShares, index: usize) -> Share {
        shares.get(self.sums.len() + index)
    }

    /// The `x` and `z` of a triple after step 3. They must not be used before the equality check.
    #[inline]
    pub(super) fn x_and_z(
        &self,
        shares: &RandomShares,
        index: usize,
        me: Party,
        delta: &Delta,
    ) -> (Share, Share) {
        let z = shares.get(2 * self.sums.len() + index);
        (shares.get(index), z.plus(self.flips[index], me, delta))
    }
}

/// The tables and sums of consecutive triples.
struct Piece<'a> {
    /// The index of the first triple.
    start: usize,
    tables: &'a mut [Block],
    sums: &'a mut [Block],
}

/// Computes one piece of the tables and sums of `count` triples.
fn fill_tables(
    shares: &RandomShares,
    count: usize,
    piece: Piece<'_>,
    hash: &TweakableHash,
    delta: &Delta,
    batch: u64,
) {
    let Piece {
        start,
        tables,
        sums,
    } = piece;
    let mut lanes = Zeroizing::new([Block::ZERO; HASHES * STRIDE]);
    let mut tweaks = [Block::ZERO; HASHES * STRIDE];
    let strides = tables.chunks_mut(STRIDE).zip(sums.chunks_mut(STRIDE));
    for (first, (tables, sums)) in (start..).step_by(STRIDE).zip(strides) {
        let used = HASHES * tables.len();
        for ((index, lanes), tweaks) in (first..)
            .zip(lanes[..used].chunks_exact_mut(HASHES))
            .zip(tweaks.chunks_exact_mut(HASHES))
        {
            let x = shares.get(index);
            lanes.copy_from_slice(&[x.key.0, x.key.0 ^ delta.block(), x.mac.0]);
            tweaks.fill(TweakDomain::LeakyAnd.tweak(batch, index as u64));
        }
        hash.hash_each(&mut lanes[..used], &tweaks[..used]);
        let made = tables.iter_mut().zip(sums);
        for ((index, hashes), (table, sum)) in (first..).zip(lanes.chunks_exact(HASHES)).zip(made) {
            let c = shares.get(count + index).cross(delta);
            let of_x = c.select(shares.get(index).bit);
            let of_z = shares.get(2 * count + index).cross(delta);
            *table = hashes[0] ^ hashes[1] ^ c;
            *sum = hashes[0] ^ hashes[2] ^ of_z ^ of_x;
        }
    }
}
