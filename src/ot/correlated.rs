//! Correlated OT: SoftSpokenOT (Roy, CRYPTO 2022, sections 3 to 5) over the trees of
//! [`all_but_one`](super::all_but_one), with the repetition code.
//!
//! Tree `i` is a small-field VOLE: with `r_x` the streams of its leaves, the receiver has
//! `u_i = sum r_x` and `v_i = sum x * r_x`, the sender `w_i = sum (x ^ Delta_i) * r_x`, to which
//! the unknown leaf contributes nothing, so `w_i = v_i ^ Delta_i * u_i`. The receiver sends
//! `c_i = u_i ^ u_0` for every tree but the first, and the sender adds `Delta_i * c_i`: then all
//! trees share the choice bits `u = u_0`. Row `i * K + j` of the matrix is bit `j` of tree `i`;
//! a column is the key or MAC of one OT.
//!
//! **Check** (figure 7 of the paper): both hash their rows with a random linear hash, here POLYVAL
//! under a challenge that is the hash of session, direction, batch and the *whole* correction
//! matrix. The last block of every row is sacrificed: it makes the hash of `u` uniform, and is
//! fresh for each batch. The receiver sends the hash of `u` and a digest of the hashes of the rows
//! `v`; the sender recomputes it from `w ^ Delta * u`. Nothing made from Delta or from these OTs
//! leaves the sender before.

use bytemuck::allocation::cast_vec;
use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use super::all_but_one::{K, LEAVES, TREES};
use super::{CotBits, Delta, Key, Mac};
use crate::crypto::{Block, Generator, Oracle, SessionId, Step, UniversalHash, transpose_128};
use crate::net::{Message, Tag};
use crate::{Check, Error, Result};

/// Rows of the matrix.
const ROWS: usize = K * TREES;

/// Blocks of a row that are expanded at once: they, the accumulators and the stream of a leaf fit
/// in the first-level cache.
const STRIDE: usize = 64;

/// Blocks of every row that only serve the check.
const SACRIFICED: usize = 1;

/// Blocks of the correction matrix of `128 * blocks` OTs.
pub(super) fn correction_blocks(blocks: usize) -> usize {
    (TREES - 1) * (blocks + SACRIFICED)
}

/// What the receiver sends for the consistency check.
#[derive(Serialize, Deserialize)]
pub struct CotCheck {
    /// The hash of the choice bits `u`.
    choices: [u8; 16],
    /// The digest of the hashes of the rows `v`.
    rows: [u8; 32],
}

impl Message for CotCheck {
    const TAG: Tag = Tag::CotCheck;
    const MAX_BYTES: usize = 48;
}

/// What both sides know of a batch: enough to make its challenge.
struct Batch {
    session: SessionId,
    direction: u64,
    number: u64,
}

impl Batch {
    fn first(session: &SessionId, direction: u64) -> Self {
        Batch {
            session: *session,
            direction,
            number: 0,
        }
    }

    fn oracle(&self, step: Step) -> Oracle {
        Oracle::new(&self.session, step, (self.direction << 32) | self.number)
    }

    fn challenge(&self, correction: &[Block]) -> UniversalHash {
        let challenge = self
            .oracle(Step::CotChallenge)
            .absorb(cast_slice(correction))
            .block();
        UniversalHash::new(challenge)
    }

    fn rows(&self, hashes: &[Block]) -> [u8; 32] {
        self.oracle(Step::CotRows)
            .absorb(cast_slice(hashes))
            .digest()
    }

    /// Moves on to the next batch; the number has 32 bits in the oracle's counter.
    fn finish(&mut self) -> Result<()> {
        self.number += 1;
        if self.number >> 32 == 0 {
            Ok(())
        } else {
            Err(Error::usage("a session makes at most 2^32 batches of OTs"))
        }
    }
}

/// Adds the streams of a tree's leaves to its rows: stream `x` to row `j` for every bit `j` of
/// `x`, and to `total` if there is one. `first` is the number of the first leaf.
fn accumulate(
    leaves: &mut [Generator],
    first: usize,
    rows: &mut [Block],
    mut total: Option<&mut [Block]>,
) {
    let length = rows.len() / K;
    let mut stream = Zeroizing::new([Block::ZERO; STRIDE]);
    for start in (0..length).step_by(STRIDE) {
        let range = start..length.min(start + STRIDE);
        let stream = &mut stream[..range.len()];
        for (x, leaf) in (first..).zip(leaves.iter_mut()) {
            leaf.fill(stream);
            if let Some(total) = &mut total {
                xor_into(&mut total[range.clone()], stream);
            }
            for bit in (0..K).filter(|bit| x >> bit & 1 == 1) {
                xor_into(&mut rows[bit * length..][range.clone()], stream);
            }
        }
    }
}

fn xor_into(sum: &mut [Block], other: &[Block]) {
    sum.iter_mut().zip(other).for_each(|(s, o)| *s ^= *o);
}

/// The columns of a matrix without those that the check has used up.
fn columns(rows: &[Block], blocks: usize) -> Vec<Block> {
    let mut columns = transpose_128(rows);
    columns[128 * blocks..].zeroize();
    columns.truncate(128 * blocks);
    columns
}

/// The party with the choice bits: all leaves of all trees.
pub(super) struct Receiver {
    leaves: Vec<Generator>,
    batch: Batch,
}

impl Receiver {
    pub(super) fn new(session: &SessionId, direction: u64, leaves: Vec<Generator>) -> Self {
        Receiver {
            leaves,
            batch: Batch::first(session, direction),
        }
    }

    /// The next `128 * blocks` OTs with what the sender needs: the correction matrix, tree after
    /// tree, and the check.
    pub(super) fn extend(&mut self, blocks: usize) -> Result<(CotBits, Vec<Block>, CotCheck)> {
        let length = blocks + SACRIFICED;
        let mut rows = Zeroizing::new(vec![Block::ZERO; ROWS * length]);
        let mut totals = Zeroizing::new(vec![Block::ZERO; TREES * length]);
        for ((leaves, rows), total) in self
            .leaves
            .chunks_mut(LEAVES)
            .zip(rows.chunks_mut(K * length))
            .zip(totals.chunks_mut(length))
        {
            accumulate(leaves, 0, rows, Some(total));
        }
        let (choices, others) = totals.split_at(length);
        let mut correction = others.to_vec();
        for row in correction.chunks_mut(length) {
            xor_into(row, choices);
        }
        let hash = self.batch.challenge(&correction);
        let hashes: Vec<Block> = rows.chunks(length).map(|row| hash.hash(row)).collect();
        let check = CotCheck {
            choices: hash.hash(choices).to_bytes(),
            rows: self.batch.rows(&hashes),
        };
        self.batch.finish()?;
        let bits = CotBits {
            choices: Zeroizing::new(
                (0..128 * blocks)
                    .map(|j| choices[j / 128].bit(j % 128))
                    .collect(),
            ),
            macs: Zeroizing::new(cast_vec::<Block, Mac>(columns(&rows, blocks))),
        };
        Ok((bits, correction, check))
    }
}

/// The party with Delta: all leaves but one of each tree, in relative order.
pub(super) struct Sender {
    leaves: Vec<Generator>,
    delta: Delta,
    batch: Batch,
}

impl Sender {
    pub(super) fn new(
        session: &SessionId,
        direction: u64,
        delta: Delta,
        leaves: Vec<Generator>,
    ) -> Self {
        Sender {
            leaves,
            delta,
            batch: Batch::first(session, direction),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        &self.delta
    }

    /// The keys of the next `128 * blocks` OTs.
    ///
    /// # Errors
    /// [`Check::CotConsistency`] if the receiver's matrix is not consistent; `correction` must have the
    /// length of [`correction_blocks`].
    pub(super) fn extend(
        &mut self,
        blocks: usize,
        correction: &[Block],
        check: &CotCheck,
    ) -> Result<Vec<Key>> {
        let length = blocks + SACRIFICED;
        let mut rows = Zeroizing::new(vec![Block::ZERO; ROWS * length]);
        for (leaves, rows) in self
            .leaves
            .chunks_mut(LEAVES - 1)
            .zip(rows.chunks_mut(K * length))
        {
            accumulate(leaves, 1, rows, None);
        }
        for (r, row) in rows.chunks_mut(length).enumerate().skip(K) {
            let bit = self.delta.block().bit(r);
            let correction = &correction[(r / K - 1) * length..][..length];
            for (w, c) in row.iter_mut().zip(correction) {
                *w ^= c.select(bit);
            }
        }
        let hash = self.batch.challenge(correction);
        let choices = Block::from(check.choices);
        let hashes = Zeroizing::new(
            rows.chunks(length)
                .enumerate()
                .map(|(r, row)| hash.hash(row) ^ choices.select(self.delta.block().bit(r)))
                .collect::<Vec<_>>(),
        );
        if !bool::from(self.batch.rows(&hashes).ct_eq(&check.rows)) {
            return Err(Error::Check(Check::CotConsistency));
        }
        self.batch.finish()?;
        Ok(cast_vec(columns(&rows, blocks)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::all_but_one::{self, tests::ideal_base_ot};
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    const SESSION: SessionId = SessionId([8; 32]);

    fn pair(seed: u8) -> (Sender, Receiver) {
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let delta = Delta::random(true, &mut rng);
        let (pads, chosen) = ideal_base_ot(&delta, &mut rng);
        let (all, sums) = all_but_one::plant(&SESSION, 0, &pads);
        let known = all_but_one::puncture(&SESSION, 0, &delta, &chosen, &sums).unwrap();
        (
            Sender::new(&SESSION, 0, delta, known),
            Receiver::new(&SESSION, 0, all),
        )
    }

    #[test]
    fn every_mac_is_the_key_plus_the_choice_times_delta() {
        let (mut sender, mut receiver) = pair(1);
        for blocks in [1, 2, 63, 64, 130] {
            let (bits, correction, check) = receiver.extend(blocks).unwrap();
            let keys = sender.extend(blocks, &correction, &check).unwrap();
            assert_eq!(keys.len(), 128 * blocks);
            for ((key, mac), bit) in keys.iter().zip(bits.macs.iter()).zip(bits.choices.iter()) {
                let expected = key.0 ^ sender.delta.select(*bit);
                assert_eq!(mac.0.to_bytes(), expected.to_bytes());
            }
            let ones = bits.choices.iter().filter(|b| **b).count();
            assert!(ones > 0 && ones < 128 * blocks, "choices are random");
        }
    }

    #[test]
    fn a_wrong_correction_is_caught_unless_it_guesses_deltas_bits() {
        // The adversary's errors are in tree 5: it adds e to the correction. Its own check is
        // computed after the challenge, as an attacker would, for Delta_5 = guess; it passes
        // exactly if the guess is right, which for K = 4 bits has probability 1/16.
        for guess in 0..LEAVES {
            let (mut sender, mut receiver) = pair(2);
            let path: usize = (0..K)
                .map(|bit| usize::from(sender.delta.block().bit(5 * K + bit)) << bit)
                .sum();
            let (_, mut correction, _) = receiver.extend(1).unwrap();
            correction[4 * 2] ^= Block::from([1; 16]);
            // Recompute the honest rows from a fresh copy of the receiver.
            let (_, mut receiver) = pair(2);
            let length = 2;
            let mut rows = vec![Block::ZERO; ROWS * length];
            let mut totals = vec![Block::ZERO; TREES * length];
            for ((leaves, rows), total) in receiver
                .leaves
                .chunks_mut(LEAVES)
                .zip(rows.chunks_mut(K * length))
                .zip(totals.chunks_mut(length))
            {
                accumulate(leaves, 0, rows, Some(total));
            }
            for bit in (0..K).filter(|bit| guess >> bit & 1 == 1) {
                rows[(5 * K + bit) * length] ^= Block::from([1; 16]);
            }
            let hash = receiver.batch.challenge(&correction);
            let hashes: Vec<Block> = rows.chunks(length).map(|row| hash.hash(row)).collect();
            let check = CotCheck {
                choices: hash.hash(&totals[..length]).to_bytes(),
                rows: receiver.batch.rows(&hashes),
            };
            let outcome = sender.extend(1, &correction, &check);
            assert_eq!(outcome.is_ok(), guess == path);
        }
    }

    #[test]
    fn every_field_of_the_check_counts_and_no_batch_can_be_repeated() {
        let honest = || {
            let (sender, mut receiver) = pair(3);
            let (_, correction, check) = receiver.extend(1).unwrap();
            (sender, correction, check)
        };
        let (mut sender, correction, check) = honest();
        assert!(sender.extend(1, &correction, &check).is_ok());
        assert!(sender.extend(1, &correction, &check).is_err(), "repeated");

        let (mut sender, correction, mut check) = honest();
        check.choices[0] ^= 1;
        assert!(sender.extend(1, &correction, &check).is_err());
        let (mut sender, correction, mut check) = honest();
        check.rows[0] ^= 1;
        assert!(sender.extend(1, &correction, &check).is_err());
        for index in 0..correction_blocks(1) {
            let (mut sender, mut correction, check) = honest();
            correction[index] ^= Block::from([0x10; 16]);
            assert!(sender.extend(1, &correction, &check).is_err());
        }
    }

    #[test]
    fn known_answers() {
        let (mut sender, mut receiver) = pair(4);
        let (bits, correction, check) = receiver.extend(2).unwrap();
        let keys = sender.extend(2, &correction, &check).unwrap();
        let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_string();
        assert_eq!(
            [
                digest(cast_slice(&correction)),
                digest(&check.choices),
                digest(&check.rows),
                digest(cast_slice(&keys)),
                digest(cast_slice(&bits.macs)),
            ],
            [
                "e3fe87fadd1486e0",
                "68bf7ec9854c2c88",
                "88e96b140ddb46fc",
                "be07febf28057a9e",
                "b6e15f9a58160a4b"
            ]
        );
    }
}
