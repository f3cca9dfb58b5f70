//! Leaky authenticated AND triples (Katz, Ranellucci, Rosulek, Wang 2018, figure 8).
//!
//! From random shared bits `<x>, <y>, <z>` to `<x>, <y>, <x & y>`; both parties do the same, each
//! with its own Delta. *Leaky*, because a party that sends a wrong table learns the other's bit of
//! `x` if it is not caught, and it is caught with probability 1/2. All `x` are fresh, and the
//! buckets remove the leak: a wire's mask is never an `x` here.
//!
//! Order: the tables; the low bits; the equality of what must be equal ([`Leaky::expected`]). No
//! table leaves before the checks of the correlated OT have passed, and nothing of the triples is
//! used before the equality has.

use zeroize::Zeroizing;

use super::share::Share;
use crate::circuit::Party;
use crate::crypto::{Block, TweakDomain, TweakableHash};
use crate::ot::Delta;

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

/// A batch of triples between its tables and its equality check.
pub(super) struct Leaky {
    triples: Zeroizing<Vec<Triple>>,
    /// `S`, but for the peer's table.
    partial: Zeroizing<Vec<Block>>,
}

impl Leaky {
    /// Step 1: the tables `G`, one a triple. `shares` are `x`, `y`, `z` of each in turn.
    pub(super) fn tables(
        mut shares: impl ExactSizeIterator<Item = Share>,
        hash: &TweakableHash,
        delta: &Delta,
        batch: u64,
    ) -> (Self, Vec<Block>) {
        let count = shares.len() / 3;
        let mut triples = Zeroizing::new(Vec::with_capacity(count));
        let mut partial = Zeroizing::new(Vec::with_capacity(count));
        let mut tables = Vec::with_capacity(count);
        let mut lanes = Zeroizing::new([Block::ZERO; HASHES * STRIDE]);
        let mut tweaks = [Block::ZERO; HASHES * STRIDE];
        while triples.len() < count {
            let first = triples.len();
            let mut used = 0;
            for ((index, lanes), tweaks) in (first..count)
                .zip(lanes.chunks_exact_mut(HASHES))
                .zip(tweaks.chunks_exact_mut(HASHES))
            {
                let mut next = || shares.next().expect("three shares a triple");
                let triple = Triple {
                    x: next(),
                    y: next(),
                    z: next(),
                };
                let x = &triple.x;
                lanes.copy_from_slice(&[x.key, x.key ^ delta.block(), x.mac]);
                tweaks.fill(TweakDomain::LeakyAnd.tweak(batch, index as u64));
                triples.push(triple);
                used += HASHES;
            }
            hash.hash_each(&mut lanes[..used], &tweaks[..used]);
            for (triple, hashes) in triples[first..].iter().zip(lanes.chunks_exact(HASHES)) {
                let c = triple.y.cross(delta);
                tables.push(hashes[0] ^ hashes[1] ^ c);
                partial
                    .push(hashes[0] ^ hashes[2] ^ triple.z.cross(delta) ^ c.select(triple.x.bit));
            }
        }
        (Leaky { triples, partial }, tables)
    }

    /// Step 2: takes in the peer's tables. The low bits of the result are opened.
    pub(super) fn receive(&mut self, tables: &[Block]) -> Vec<bool> {
        self.partial
            .iter_mut()
            .zip(self.triples.iter())
            .zip(tables)
            .map(|((s, triple), table)| {
                *s ^= table.select(triple.x.bit);
                s.lsb()
            })
            .collect()
    }

    /// Step 3: corrects `z` by the sum of both parties' low bits.
    pub(super) fn correct(&mut self, sums: impl Iterator<Item = bool>, me: Party, delta: &Delta) {
        for ((triple, s), d) in self
            .triples
            .iter_mut()
            .zip(self.partial.iter_mut())
            .zip(sums)
        {
            triple.z = triple.z.plus(d, me, delta);
            *s ^= delta.select(d);
        }
    }

    /// What must be equal at both parties, a block a triple.
    pub(super) fn expected(&self) -> &[Block] {
        &self.partial
    }

    /// The triples; only after the equality check.
    pub(super) fn into_triples(self) -> Zeroizing<Vec<Triple>> {
        self.triples
    }
}
