//! Authenticated bits and shared bits (Wang, Ranellucci, Katz 2017, section 3).
//!
//! A bit `b` of one party is *authenticated* if this party holds `b` and a MAC `M`, the other party
//! holds a key `K`, and `M = K ^ b * Delta` with the other party's Delta. A *shared bit* `<x>`
//! consists of one authenticated bit of each party, whose XOR is `x`. [`Share`] is one party's part
//! of a shared bit.

use std::ops::{BitXor, BitXorAssign, Range};

use zeroize::DefaultIsZeroes;

use crate::circuit::Party;
use crate::crypto::{Block, SecretBit, SecretVec};
use crate::mpc::label::{ActiveLabel, ZeroLabel};
use crate::ot::{CotBits, Delta, Key, Mac};

/// One party's part of a shared bit: its own bit with the MAC, and the key of the other party's
/// bit.
#[derive(Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) bit: SecretBit,
    /// The MAC of `bit`, under the other party's Delta.
    pub(super) mac: Mac,
    /// The key of the other party's bit, under this party's Delta.
    pub(super) key: Key,
}

impl DefaultIsZeroes for Share {}

impl BitXor for Share {
    type Output = Share;

    #[inline]
    fn bitxor(self, other: Share) -> Share {
        Share {
            bit: self.bit ^ other.bit,
            mac: self.mac ^ other.mac,
            key: self.key ^ other.key,
        }
    }
}

impl BitXorAssign for Share {
    #[inline]
    fn bitxor_assign(&mut self, other: Share) {
        *self = *self ^ other;
    }
}

impl Share {
    /// `<x>` if the public bit `c` is 1, else the shared constant 0.
    #[inline]
    pub(super) fn times(self, c: bool) -> Share {
        Share {
            bit: self.bit & c,
            mac: Mac(self.mac.0.select(c)),
            key: Key(self.key.0.select(c)),
        }
    }

    /// `<x ^ c>` for a public bit `c`: the garbler flips its bit, the evaluator its key.
    #[inline]
    pub(super) fn plus(mut self, c: bool, me: Party, delta: &Delta) -> Share {
        match me {
            Party::Garbler => self.bit ^= c,
            Party::Evaluator => self.key.0 ^= delta.select(c),
        }
        self
    }

    /// `x1 * Delta ^ K[x2] ^ M[x1]`, where `x1` is this party's bit and `x2` the other party's bit.
    /// The XOR of both parties' results is `x * (Delta_A ^ Delta_B)`.
    #[inline]
    pub(super) fn cross(self, delta: &Delta) -> Block {
        delta.select(self.bit) ^ self.key.0 ^ self.mac.0
    }

    /// The garbler's share of `x * Delta_A`, which is `x1 * Delta_A ^ K[x2]`. This share is XORed
    /// into a label or a row of a table.
    #[inline]
    pub(super) fn at_garbler(self, delta: &Delta) -> ZeroLabel {
        ZeroLabel(delta.select(self.bit) ^ self.key.0)
    }

    /// The evaluator's share of `x * Delta_A`, which is `M[x2]`.
    #[inline]
    pub(super) fn at_evaluator(self) -> ActiveLabel {
        ActiveLabel(self.mac.0)
    }
}

/// Random shared bits. Each is made from two correlated OTs, one in each direction.
#[derive(Default)]
pub(super) struct RandomShares {
    pub(super) mine: CotBits,
    pub(super) keys: SecretVec<Key>,
}

impl RandomShares {
    /// The shared bit with the given index.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Share {
        Share {
            bit: self.mine.choices[index],
            mac: self.mine.macs[index],
            key: self.keys[index],
        }
    }

    /// This party's authenticated bits in `range`, as shared bits: the peer's share is 0.
    pub(super) fn mine(&self, range: Range<usize>) -> SecretVec<Share> {
        let bits = self.mine.choices[range.clone()].iter();
        bits.zip(&self.mine.macs[range])
            .map(|(&bit, &mac)| Share {
                bit,
                mac,
                key: Key::default(),
            })
            .collect()
    }

    /// The peer's authenticated bits in `range`, as shared bits: this party's share is 0.
    pub(super) fn theirs(&self, range: Range<usize>) -> SecretVec<Share> {
        (self.keys[range].iter())
            .map(|&key| Share {
                key,
                ..Share::default()
            })
            .collect()
    }

    /// The shared bits in `range`.
    pub(super) fn range(&self, range: Range<usize>) -> SecretVec<Share> {
        range.map(|index| self.get(index)).collect()
    }
}

#[cfg(test)]
impl RandomShares {
    /// The given shares, for tests.
    pub(super) fn dealt(shares: &[Share]) -> Self {
        RandomShares {
            mine: CotBits {
                choices: shares.iter().map(|share| share.bit).collect(),
                macs: shares.iter().map(|share| share.mac).collect(),
            },
            keys: shares.iter().map(|share| share.key).collect(),
        }
    }
}
