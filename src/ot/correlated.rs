//! Correlated OT: SoftSpokenOT (Roy, CRYPTO 2022, sections 3 to 5) over the trees of
//! [`all_but_one`](super::all_but_one), with the repetition code.
//!
//! Tree `i` is a small-field VOLE. Let `r_x` be the stream of its leaf `x`, and `Delta_i` the `K`
//! bits of Delta that belong to the tree. The receiver has `u_i = sum r_x` and `v_i = sum x * r_x`,
//! and the sender has `w_i = sum (x ^ Delta_i) * r_x`. The sender does not know the leaf
//! `x = Delta_i`, which contributes nothing to `w_i`, so `w_i = v_i ^ Delta_i * u_i`. The receiver
//! sends `c_i = u_i ^ u_0` for every tree except the first, and the sender adds `Delta_i * c_i`;
//! then all trees share the choice bits `u = u_0`. Row `i * K + j` of the matrix is bit `j` of tree
//! `i`. Each column is the key or MAC of one OT.
//!
//! **Check** (figure 7 of the paper): both parties hash their rows with a random linear hash. Here
//! the linear hash is POLYVAL. Its key is the challenge: a hash of the session, direction, batch
//! and the *whole* correction matrix. The last block of every row is sacrificed: it makes the hash
//! of `u` uniform, and is fresh for each batch. The receiver sends the hash of `u` and a digest of
//! the hashes of the rows `v`. The sender recomputes the digest from `w ^ Delta * u`. Before this
//! check, the sender sends nothing that depends on Delta or on these OTs.

mod matrix;
#[cfg(test)]
mod tests;

use bytemuck::{cast_slice, cast_slice_mut};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use self::matrix::Matrix;
use super::all_but_one::{K, TREES};
use super::{Check, Delta, Direction, Error, Key, Mac, Result, Tag};
use crate::crypto::{Block, Generator, Oracle, SecretBit, SecretVec, Step, UniversalHash};
use crate::net::{self, Message};
use crate::parallel;

/// The number of blocks of a row that serve only the check.
const SACRIFICED: usize = 1;

/// The maximum number of blocks of a row. With this limit a whole batch fits into the second-level
/// cache, and the streams of a tree fit into the first-level cache. The limit is also one batch for
/// AES with 512-bit registers.
const MAX_LENGTH: usize = 64;

/// The maximum size of a batch in units of 128 OTs.
pub(super) const MAX_BLOCKS: usize = MAX_LENGTH - SACRIFICED;

/// The number of [`Block`]s in the correction matrix of a batch of `128 * blocks` OTs.
pub(super) fn correction_blocks(blocks: usize) -> usize {
    (TREES - 1) * (blocks + SACRIFICED)
}

/// The receiver's message for the consistency check.
#[derive(Serialize, Deserialize)]
pub struct CotCheck {
    /// The hash of the choice bits `u`.
    choices: [u8; 16],
    /// The digest of the hashes of the rows `v`.
    rows: [u8; 32],
}

impl Message for CotCheck {
    const TAG: net::Tag = Tag::CotCheck.tag();
    const MAX_BYTES: usize = 48;
}

/// The public data about a batch. Both sides use it to compute the challenge.
#[derive(Clone, Copy)]
struct Batch {
    direction: Direction,
    number: u64,
    /// The number of blocks of each stream that earlier batches have used.
    position: u64,
}

impl Batch {
    fn first(direction: Direction) -> Self {
        Batch {
            direction,
            number: 0,
            position: 0,
        }
    }

    fn oracle(&self, step: Step) -> Oracle {
        self.direction.oracle(step, self.number)
    }

    fn challenge(&self, correction: &[Block]) -> UniversalHash {
        let challenge = self
            .oracle(Step::CotChallenge)
            .absorb_long(cast_slice(correction))
            .block();
        UniversalHash::new(challenge)
    }

    /// The digest of the hashes of all rows.
    fn rows_digest(&self, hashes: &[Block]) -> [u8; 32] {
        self.oracle(Step::CotRows)
            .absorb(cast_slice(hashes))
            .digest()
    }

    /// Returns this batch, whose rows have `length` blocks, and advances `self` to the next batch.
    /// Fails if the number of the batch exceeds the 32 bits that it has in the oracle's counter.
    fn take(&mut self, length: usize) -> Result<Self> {
        let taken = *self;
        if taken.number >> 32 != 0 {
            return Err(Error::Exhausted);
        }
        self.number += 1;
        self.position += length as u64;
        Ok(taken)
    }
}

/// The receiver's message for a batch: the correction matrix, tree after tree, and the check.
pub(super) type Correction = (Vec<Block>, CotCheck);

/// Returns at least `batches` matrices from `kept`: one for each batch that is computed in
/// parallel.
fn matrices(kept: &mut Vec<Matrix>, batches: usize) -> impl Iterator<Item = &mut Matrix> {
    if kept.len() < batches {
        kept.resize_with(batches, Matrix::new);
    }
    kept.iter_mut()
}

/// The party with the choice bits. It knows all leaves of all trees.
pub(super) struct Receiver {
    leaves: Vec<Generator>,
    next: Batch,
    /// The matrices of rows `v`, one for each parallel batch. Later batches overwrite them.
    matrices: Vec<Matrix>,
}

impl Receiver {
    pub(super) fn new(direction: Direction, leaves: Vec<Generator>) -> Self {
        Receiver {
            leaves,
            next: Batch::first(direction),
            matrices: Vec::new(),
        }
    }

    /// Makes the next OTs, one for each element of `choices` and `macs`, in batches of `size` OTs:
    /// a multiple of 128, at most `128 * MAX_BLOCKS`. All batches are computed in parallel. Returns
    /// the message for each batch.
    pub(super) fn extend(
        &mut self,
        size: usize,
        choices: &mut [SecretBit],
        macs: &mut [Mac],
    ) -> Result<Vec<Correction>> {
        assert_eq!(choices.len(), macs.len(), "one MAC per choice");
        let mut pieces = Vec::new();
        let matrices = matrices(&mut self.matrices, macs.len().div_ceil(size));
        let lists = choices.chunks_mut(size).zip(macs.chunks_mut(size));
        for ((choices, macs), matrix) in lists.zip(matrices) {
            let batch = self.next.take(macs.len() / 128 + SACRIFICED)?;
            pieces.push((batch, matrix, choices, macs));
        }
        let leaves = &self.leaves;
        Ok(parallel::map(pieces, |(batch, matrix, choices, macs)| {
            batch_of_receiver(leaves, batch, matrix, choices, macs)
        }))
    }
}

fn batch_of_receiver(
    leaves: &[Generator],
    batch: Batch,
    matrix: &mut Matrix,
    choices: &mut [SecretBit],
    macs: &mut [Mac],
) -> Correction {
    let blocks = macs.len() / 128;
    let length = blocks + SACRIFICED;
    let mut first = Zeroizing::new([Block::ZERO; MAX_LENGTH]);
    let first = &mut first[..length];
    let mut correction = Vec::with_capacity(correction_blocks(blocks));
    matrix.expand(
        (batch.position, length),
        leaves,
        0,
        |tree, total| match tree {
            0 => first.copy_from_slice(total),
            _ => correction.extend(total.iter().zip(&*first).map(|(u, u_0)| *u ^ *u_0)),
        },
    );
    let hash = batch.challenge(&correction);
    let hashes: SecretVec<Block> = matrix.rows().map(|row| hash.hash(row)).collect();
    let check = CotCheck {
        choices: hash.hash(first).to_bytes(),
        rows: batch.rows_digest(&hashes),
    };
    for (eight, byte) in choices.chunks_mut(8).zip(cast_slice::<_, u8>(first)) {
        for (bit, choice) in eight.iter_mut().enumerate() {
            *choice = SecretBit::lowest_of(byte >> bit);
        }
    }
    matrix.transpose(cast_slice_mut(macs));
    (correction, check)
}

/// The party with Delta. It knows all leaves but one of each tree, in relative order.
pub(super) struct Sender {
    leaves: Vec<Generator>,
    delta: Delta,
    next: Batch,
    /// The matrices of rows `w`, one for each parallel batch. Later batches overwrite them.
    matrices: Vec<Matrix>,
}

impl Sender {
    pub(super) fn new(direction: Direction, delta: Delta, leaves: Vec<Generator>) -> Self {
        Sender {
            leaves,
            delta,
            next: Batch::first(direction),
            matrices: Vec::new(),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        &self.delta
    }

    /// Fills `keys` with the keys of the next OTs, in batches of `size` OTs. The receiver must use
    /// the same `size`. `corrections` must hold one correction for each batch, with
    /// [`correction_blocks`] blocks.
    ///
    /// # Errors
    /// [`Check::CotConsistency`] if the receiver's matrix is inconsistent. In this case the keys
    /// must not be used.
    pub(super) fn extend(
        &mut self,
        size: usize,
        corrections: &[Correction],
        keys: &mut [Key],
    ) -> Result<()> {
        let batches = keys.len().div_ceil(size);
        assert_eq!(corrections.len(), batches, "one correction per batch");
        let mut pieces = Vec::new();
        let matrices = matrices(&mut self.matrices, corrections.len());
        for ((keys, correction), matrix) in keys.chunks_mut(size).zip(corrections).zip(matrices) {
            let batch = self.next.take(keys.len() / 128 + SACRIFICED)?;
            pieces.push((batch, matrix, correction, keys));
        }
        let (leaves, delta) = (&self.leaves, &self.delta);
        parallel::map(pieces, |(batch, matrix, correction, keys)| {
            batch_of_sender(leaves, delta, batch, matrix, correction, keys)
        })
        .into_iter()
        .collect()
    }
}

fn batch_of_sender(
    leaves: &[Generator],
    delta: &Delta,
    batch: Batch,
    matrix: &mut Matrix,
    (correction, check): &Correction,
    keys: &mut [Key],
) -> Result<()> {
    let length = keys.len() / 128 + SACRIFICED;
    matrix.expand((batch.position, length), leaves, 1, |_, _| ());
    for (r, row) in matrix.rows_mut().enumerate().skip(K) {
        let mask = Block::mask(delta.block().bit(r));
        let correction = &correction[(r / K - 1) * length..][..length];
        for (w, c) in row.iter_mut().zip(correction) {
            *w ^= *c & mask;
        }
    }
    let hash = batch.challenge(correction);
    let choices = Block::from(check.choices);
    let hashes: SecretVec<Block> = (matrix.rows().enumerate())
        .map(|(r, row)| hash.hash(row) ^ choices.select(delta.block().bit(r)))
        .collect();
    if !bool::from(batch.rows_digest(&hashes).ct_eq(&check.rows)) {
        return Err(Error::Check(Check::CotConsistency));
    }
    matrix.transpose(cast_slice_mut(keys));
    Ok(())
}
