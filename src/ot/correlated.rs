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

use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::all_but_one::{K, LEAVES, TREES};
use super::{Check, Delta, Direction, Error, Key, Mac, Result, Tag};
use crate::crypto::{
    Block, Generator, Oracle, SecretBit, SecretVec, Step, UniversalHash, transpose_128,
};
use crate::net::{self, Message};
use crate::parallel;

/// Blocks of a row that only serve the check.
const SACRIFICED: usize = 1;

/// The most blocks of a row. A whole batch then stays in the second-level cache and the streams of a
/// tree in the first; and AES with 512-bit registers takes as many at once.
const MAX_LENGTH: usize = 64;

/// The most `blocks` of a batch, which makes `128 * blocks` OTs.
pub(super) const MAX_BLOCKS: usize = MAX_LENGTH - SACRIFICED;

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
    const TAG: net::Tag = Tag::CotCheck.tag();
    const MAX_BYTES: usize = 48;
}

/// What both sides know of a batch: enough to make its challenge.
#[derive(Clone, Copy)]
struct Batch {
    direction: Direction,
    number: u64,
    /// The blocks of each stream that earlier batches have taken.
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

    fn rows(&self, hashes: &[Block]) -> [u8; 32] {
        self.oracle(Step::CotRows)
            .absorb(cast_slice(hashes))
            .digest()
    }

    /// Moves on to the next batch after this one, whose rows have `length` blocks. Gives this one. The
    /// number has 32 bits in the oracle's counter.
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

/// The matrix of a batch: `K * TREES` rows, of which bit `j` of tree `i` is row `i * K + j`.
struct Matrix {
    rows: Zeroizing<Vec<Block>>,
    /// Blocks of a row.
    length: usize,
}

/// The rows stand this many blocks apart: an odd number, or those that are transposed together
/// would compete for the same few places of the cache.
const PITCH: usize = MAX_LENGTH + 1;

impl Matrix {
    fn new() -> Self {
        Matrix {
            rows: Zeroizing::new(vec![Block::ZERO; PITCH * K * TREES]),
            length: 0,
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[Block]> {
        self.rows.chunks(PITCH).map(|row| &row[..self.length])
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [Block]> {
        let length = self.length;
        self.rows
            .chunks_mut(PITCH)
            .map(move |row| &mut row[..length])
    }

    /// The columns of the first blocks of all rows: each is a block of `columns`.
    fn transpose(&self, columns: &mut [Block]) {
        for (strip, columns) in columns.chunks_mut(128).enumerate() {
            transpose_128(|row| self.rows[row * PITCH + strip], columns);
        }
    }

    /// Expands the leaves of all trees to streams of `length` blocks, from a position on. Row `j` of a tree becomes the
    /// sum of the streams whose number has bit `j`; `first` is the number of a tree's first leaf.
    /// Calls `total` with each tree and the sum of all of its streams.
    fn expand(
        &mut self,
        (position, length): (u64, usize),
        leaves: &[Generator],
        first: usize,
        mut total: impl FnMut(usize, &[Block]),
    ) {
        self.length = length;
        let mut streams = Zeroizing::new([[Block::ZERO; MAX_LENGTH]; LEAVES]);
        let mut sum = Zeroizing::new([Block::ZERO; MAX_LENGTH]);
        for (tree, (leaves, rows)) in leaves
            .chunks(LEAVES - first)
            .zip(self.rows.chunks_mut(PITCH * K))
            .enumerate()
        {
            for (leaf, stream) in leaves.iter().zip(&mut streams[first..]) {
                leaf.fill_from(position, &mut stream[..length]);
            }
            dispatch!(Level::new(), simd => {
                simd.vectorize(
                    #[inline(always)]
                    || fold(&streams, rows, &mut sum),
                )
            });
            total(tree, &sum[..length]);
        }
    }
}

/// Blocks that are added at once, in 512-bit registers where there are some.
const LANES: usize = 4;

/// Row `j` becomes the sum of the streams whose number has bit `j`, and `total` the sum of all.
/// Adding neighbours in each step takes two thirds of the additions that adding up each row by
/// itself would (Roy 2022, section 5).
#[inline(always)]
fn fold(
    streams: &[[Block; MAX_LENGTH]; LEAVES],
    rows: &mut [Block],
    total: &mut [Block; MAX_LENGTH],
) {
    for position in (0..MAX_LENGTH).step_by(LANES) {
        let mut sums: [[u64; 2 * LANES]; LEAVES] =
            std::array::from_fn(|leaf| load(&streams[leaf], position));
        let mut count = LEAVES;
        for row in 0..K {
            count /= 2;
            let mut with_bit = [0; 2 * LANES];
            for pair in 0..count {
                with_bit = add(with_bit, sums[2 * pair + 1]);
                sums[pair] = add(sums[2 * pair], sums[2 * pair + 1]);
            }
            store(with_bit, &mut rows[row * PITCH..], position);
        }
        store(sums[0], total, position);
    }
}

#[inline(always)]
fn load(blocks: &[Block; MAX_LENGTH], position: usize) -> [u64; 2 * LANES] {
    bytemuck::pod_read_unaligned(cast_slice(&blocks[position..position + LANES]))
}

#[inline(always)]
fn store(lanes: [u64; 2 * LANES], blocks: &mut [Block], position: usize) {
    cast_slice_mut(&mut blocks[position..position + LANES]).copy_from_slice(bytes_of(&lanes));
}

#[inline(always)]
fn add(a: [u64; 2 * LANES], b: [u64; 2 * LANES]) -> [u64; 2 * LANES] {
    std::array::from_fn(|lane| a[lane] ^ b[lane])
}

/// What the receiver of a batch sends: the correction matrix, tree after tree, and the check.
pub(super) type Correction = (Vec<Block>, CotCheck);

/// As many matrices as there are batches that are made at once.
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
    /// The rows `v`, for every batch anew.
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

    /// The next OTs, as many as there are `choices` and `macs`, in batches of `size`: a multiple of
    /// 128, of at most [`MAX_BLOCKS`] blocks. All batches are made at once. Gives what the sender needs
    /// for each.
    pub(super) fn extend(
        &mut self,
        size: usize,
        choices: &mut [SecretBit],
        macs: &mut [Mac],
    ) -> Result<Vec<Correction>> {
        let mut pieces = Vec::new();
        let matrices = matrices(&mut self.matrices, macs.len().div_ceil(size));
        let lists = choices.chunks_mut(size).zip(macs.chunks_mut(size));
        for ((choices, macs), matrix) in lists.zip(matrices) {
            let batch = self.next.take(macs.len() / 128 + SACRIFICED)?;
            pieces.push((batch, matrix, choices, macs));
        }
        let leaves = &self.leaves;
        let make = |(batch, matrix, choices, macs)| {
            batch_of_receiver(leaves, batch, matrix, choices, macs)
        };
        Ok(parallel::map(pieces.into_iter(), make))
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
        rows: batch.rows(&hashes),
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
    /// The rows `w`, for every batch anew.
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

    /// Fills `keys` with those of the next OTs, in batches of `size`, as the receiver makes them. There
    /// must be a correction for each batch, as long as [`correction_blocks`] says.
    ///
    /// # Errors
    /// [`Check::CotConsistency`] if the receiver's matrix is not consistent. The keys are not to be
    /// used then.
    pub(super) fn extend(
        &mut self,
        size: usize,
        corrections: &[Correction],
        keys: &mut [Key],
    ) -> Result<()> {
        let mut pieces = Vec::new();
        let matrices = matrices(&mut self.matrices, corrections.len());
        for ((keys, correction), matrix) in keys.chunks_mut(size).zip(corrections).zip(matrices) {
            let batch = self.next.take(keys.len() / 128 + SACRIFICED)?;
            pieces.push((batch, matrix, correction, keys));
        }
        let (leaves, delta) = (&self.leaves, &self.delta);
        let make = |(batch, matrix, correction, keys)| {
            batch_of_sender((leaves, delta), batch, matrix, correction, keys)
        };
        parallel::map(pieces.into_iter(), make)
            .into_iter()
            .collect()
    }
}

fn batch_of_sender(
    (leaves, delta): (&[Generator], &Delta),
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
    if !bool::from(batch.rows(&hashes).ct_eq(&check.rows)) {
        return Err(Error::Check(Check::CotConsistency));
    }
    matrix.transpose(cast_slice_mut(keys));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::all_but_one::{self, tests::ideal_base_ot};
    use std::slice;

    use super::*;
    use crate::circuit::Party;
    use crate::crypto::SessionId;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    const DIRECTION: Direction = Direction {
        session: SessionId([8; 32]),
        sender: Party::Garbler,
    };

    fn pair(seed: u8) -> (Sender, Receiver) {
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let delta = Delta::random(true, &mut rng);
        let (pads, chosen) = ideal_base_ot(&delta, &mut rng);
        let (all, sums) = all_but_one::plant(DIRECTION, &pads);
        let known = all_but_one::puncture(DIRECTION, &delta, &chosen, &sums).unwrap();
        (
            Sender::new(DIRECTION, delta, known),
            Receiver::new(DIRECTION, all),
        )
    }

    /// The next batch of a receiver, whose OTs are not looked at.
    fn matrix(receiver: &mut Receiver, blocks: usize) -> Correction {
        let mut choices = vec![SecretBit::default(); 128 * blocks];
        let mut macs = vec![Mac::default(); 128 * blocks];
        make(receiver, &mut choices, &mut macs)
    }

    /// The next batch of a receiver.
    fn make(receiver: &mut Receiver, choices: &mut [SecretBit], macs: &mut [Mac]) -> Correction {
        let mut made = receiver.extend(macs.len(), choices, macs).unwrap();
        assert_eq!(made.len(), 1);
        made.remove(0)
    }

    /// What the sender makes of a batch of one block.
    fn take(sender: &mut Sender, correction: &Correction) -> Result<()> {
        sender.extend(128, slice::from_ref(correction), &mut [Key::default(); 128])
    }

    #[test]
    fn every_mac_is_the_key_plus_the_choice_times_delta() {
        let (mut sender, mut receiver) = pair(1);
        for blocks in [1, 2, MAX_BLOCKS, 30, MAX_BLOCKS - 1] {
            let mut choices = vec![SecretBit::default(); 128 * blocks];
            let mut macs = vec![Mac::default(); 128 * blocks];
            let mut keys = vec![Key::default(); 128 * blocks];
            let correction = make(&mut receiver, &mut choices, &mut macs);
            let corrections = slice::from_ref(&correction);
            sender.extend(macs.len(), corrections, &mut keys).unwrap();
            for ((key, mac), bit) in keys.iter().zip(&macs).zip(&choices) {
                let expected = key.0 ^ sender.delta.select(*bit);
                assert_eq!(mac.0.to_bytes(), expected.to_bytes());
            }
            let ones = choices.iter().filter(|bit| bit.reveal()).count();
            assert!(ones > 0 && ones < 128 * blocks, "choices are random");
        }
    }

    #[test]
    fn no_batch_begins_as_an_earlier_one() {
        let (mut sender, mut receiver) = pair(5);
        let mut begun = Vec::new();
        for blocks in [1, 2, 1, MAX_BLOCKS, 1] {
            let mut choices = vec![SecretBit::default(); 128 * blocks];
            let mut macs = vec![Mac::default(); 128 * blocks];
            let mut keys = vec![Key::default(); 128 * blocks];
            let correction = make(&mut receiver, &mut choices, &mut macs);
            let corrections = slice::from_ref(&correction);
            sender.extend(macs.len(), corrections, &mut keys).unwrap();
            let choices: Vec<bool> = choices[..128].iter().map(|bit| bit.reveal()).collect();
            let first = (choices, keys[0].0.to_bytes());
            for (choices, key) in &begun {
                assert!(*choices != first.0 && *key != first.1);
            }
            begun.push(first);
        }
    }

    #[test]
    fn folding_adds_up_the_blocks_whose_number_has_a_bit() {
        let mut streams = [[Block::ZERO; MAX_LENGTH]; LEAVES];
        for (x, stream) in streams.iter_mut().enumerate() {
            Generator::new(Block::from([x as u8; 16])).fill(stream);
        }
        let mut rows = [Block::ZERO; K * PITCH];
        let mut total = [Block::ZERO; MAX_LENGTH];
        fold(&streams, &mut rows, &mut total);
        for position in 0..MAX_LENGTH {
            let sum = |chosen: &dyn Fn(usize) -> bool| {
                let chosen = (0..LEAVES).filter(|x| chosen(*x));
                let sum = chosen.fold(Block::ZERO, |sum, x| sum ^ streams[x][position]);
                sum.to_bytes()
            };
            assert_eq!(total[position].to_bytes(), sum(&|_| true));
            for j in 0..K {
                let row = rows[j * PITCH + position];
                assert_eq!(row.to_bytes(), sum(&|x| x >> j & 1 == 1));
            }
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
                .map(|bit| usize::from(sender.delta.block().bit(5 * K + bit).reveal()) << bit)
                .sum();
            let (mut correction, _) = matrix(&mut receiver, 1);
            correction[4 * 2] ^= Block::from([1; 16]);
            // Recompute the honest rows from a fresh copy of the receiver.
            let (_, mut receiver) = pair(2);
            let batch = receiver.next.take(2).unwrap();
            let mut choices = Vec::new();
            let mut matrix = Matrix::new();
            matrix.expand((batch.position, 2), &receiver.leaves, 0, |tree, total| {
                if tree == 0 {
                    choices = total.to_vec();
                }
            });
            for bit in (0..K).filter(|bit| guess >> bit & 1 == 1) {
                let row = matrix.rows_mut().nth(5 * K + bit).unwrap();
                row[0] ^= Block::from([1; 16]);
            }
            let hash = batch.challenge(&correction);
            let hashes: Vec<Block> = matrix.rows().map(|row| hash.hash(row)).collect();
            let check = CotCheck {
                choices: hash.hash(&choices).to_bytes(),
                rows: batch.rows(&hashes),
            };
            let outcome = take(&mut sender, &(correction, check));
            assert_eq!(outcome.is_ok(), guess == path);
        }
    }

    #[test]
    fn every_field_of_the_check_counts_and_no_batch_can_be_repeated() {
        let honest = || {
            let (sender, mut receiver) = pair(3);
            (sender, matrix(&mut receiver, 1))
        };
        let (mut sender, made) = honest();
        assert!(take(&mut sender, &made).is_ok());
        assert!(take(&mut sender, &made).is_err(), "repeated");

        let refused = |change: &dyn Fn(&mut Correction)| {
            let (mut sender, mut made) = honest();
            change(&mut made);
            assert!(take(&mut sender, &made).is_err());
        };
        refused(&|(_, check)| check.choices[0] ^= 1);
        refused(&|(_, check)| check.rows[0] ^= 1);
        for index in 0..correction_blocks(1) {
            refused(&|(correction, _)| correction[index] ^= Block::from([0x10; 16]));
        }
    }

    #[test]
    fn batches_that_are_made_at_once_are_those_that_are_made_one_by_one() {
        const SIZES: [usize; 3] = [256, 256, 128];
        let all = SIZES.iter().sum();
        let (mut sender, mut receiver) = pair(6);
        let mut choices = vec![SecretBit::default(); all];
        let mut macs = vec![Mac::default(); all];
        let mut keys = vec![Key::default(); all];
        let made = receiver.extend(256, &mut choices, &mut macs).unwrap();
        sender.extend(256, &made, &mut keys).unwrap();
        let (_, mut receiver) = pair(6);
        let mut first = 0;
        for (size, at_once) in SIZES.into_iter().zip(&made) {
            let one = matrix(&mut receiver, size / 128);
            assert_eq!(cast_slice::<_, u8>(&one.0), cast_slice::<_, u8>(&at_once.0));
            assert_eq!(one.1.rows, at_once.1.rows);
            for i in first..first + size {
                let expected = sender.delta.mac(keys[i], choices[i]);
                assert_eq!(macs[i].0.to_bytes(), expected.0.to_bytes());
            }
            first += size;
        }
        // A wrong batch among others is refused.
        for wrong in 0..SIZES.len() {
            let (mut sender, mut receiver) = pair(6);
            let mut made = receiver.extend(256, &mut choices, &mut macs).unwrap();
            made[wrong].1.rows[0] ^= 1;
            assert!(sender.extend(256, &made, &mut keys).is_err());
        }
    }

    #[test]
    fn what_is_hashed_for_a_check_is_bound_to_session_direction_and_batch() {
        let batch = |session, sender, finished| {
            let mut batch = Batch::first(Direction::of(&SessionId([session; 32]), sender));
            for _ in 0..finished {
                batch.take(1).unwrap();
            }
            batch
        };
        let batches = [
            batch(8, Party::Garbler, 0),
            batch(9, Party::Garbler, 0),
            batch(8, Party::Evaluator, 0),
            batch(8, Party::Garbler, 1),
        ];
        let blocks = [Block::from([1; 16]), Block::from([2; 16])];
        let challenges = batches.each_ref().map(|batch| {
            let hash = batch.challenge(&blocks).hash(&blocks);
            hash.to_bytes()
        });
        let rows = batches.map(|batch| batch.rows(&blocks));
        for i in 0..challenges.len() {
            assert!(!challenges[..i].contains(&challenges[i]));
            assert!(!rows[..i].contains(&rows[i]));
        }
    }

    #[test]
    fn a_session_ends_before_the_number_of_a_batch_would_run_into_the_direction() {
        let mut batch = Batch::first(DIRECTION);
        batch.number = (1 << 32) - 2;
        for number in [(1 << 32) - 2, (1 << 32) - 1] {
            assert_eq!(batch.take(1).unwrap().number, number);
        }
        assert!(matches!(batch.take(1), Err(Error::Exhausted)));
    }

    #[test]
    fn known_answers() {
        let (mut sender, mut receiver) = pair(4);
        let mut choices = [SecretBit::default(); 256];
        let mut macs = [Mac::default(); 256];
        let mut keys = [Key::default(); 256];
        let made = make(&mut receiver, &mut choices, &mut macs);
        sender
            .extend(256, slice::from_ref(&made), &mut keys)
            .unwrap();
        let (correction, check) = made;
        let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_string();
        assert_eq!(
            [
                digest(cast_slice(&correction)),
                digest(&check.choices),
                digest(&check.rows),
                digest(cast_slice(&keys)),
                digest(cast_slice(&macs)),
            ],
            [
                "e3fe87fadd1486e0",
                "3a528559b79adae1",
                "0d705c4025b32575",
                "be07febf28057a9e",
                "b6e15f9a58160a4b"
            ]
        );
    }
}
