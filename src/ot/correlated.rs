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
struct Batch {
    direction: Direction,
    number: u64,
}

impl Batch {
    fn first(direction: Direction) -> Self {
        Batch {
            direction,
            number: 0,
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

    /// Moves on to the next batch; the number has 32 bits in the oracle's counter.
    fn finish(&mut self) -> Result<()> {
        self.number += 1;
        if self.number >> 32 == 0 {
            Ok(())
        } else {
            Err(Error::Exhausted)
        }
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

    /// Expands the leaves of all trees to streams of `length` blocks. Row `j` of a tree becomes the
    /// sum of the streams whose number has bit `j`; `first` is the number of a tree's first leaf.
    /// Calls `total` with each tree and the sum of all of its streams.
    fn expand(
        &mut self,
        length: usize,
        leaves: &mut [Generator],
        first: usize,
        mut total: impl FnMut(usize, &[Block]),
    ) {
        self.length = length;
        let mut streams = Zeroizing::new([[Block::ZERO; MAX_LENGTH]; LEAVES]);
        let mut sum = Zeroizing::new([Block::ZERO; MAX_LENGTH]);
        for (tree, (leaves, rows)) in leaves
            .chunks_mut(LEAVES - first)
            .zip(self.rows.chunks_mut(PITCH * K))
            .enumerate()
        {
            for (leaf, stream) in leaves.iter_mut().zip(&mut streams[first..]) {
                leaf.fill(&mut stream[..length]);
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

/// The party with the choice bits. It knows all leaves of all trees.
pub(super) struct Receiver {
    leaves: Vec<Generator>,
    batch: Batch,
    /// The rows `v`, for every batch anew.
    matrix: Matrix,
}

impl Receiver {
    pub(super) fn new(direction: Direction, leaves: Vec<Generator>) -> Self {
        Receiver {
            leaves,
            batch: Batch::first(direction),
            matrix: Matrix::new(),
        }
    }

    /// The next OTs, as many as there are `choices` and `macs`: a multiple of 128, of at most
    /// [`MAX_BLOCKS`] blocks. Gives what the sender needs: the correction matrix, tree after tree,
    /// and the check.
    pub(super) fn extend(
        &mut self,
        choices: &mut [SecretBit],
        macs: &mut [Mac],
    ) -> Result<(Vec<Block>, CotCheck)> {
        let blocks = macs.len() / 128;
        let length = blocks + SACRIFICED;
        let mut first = Zeroizing::new([Block::ZERO; MAX_LENGTH]);
        let first = &mut first[..length];
        let mut correction = Vec::with_capacity(correction_blocks(blocks));
        self.matrix
            .expand(length, &mut self.leaves, 0, |tree, total| match tree {
                0 => first.copy_from_slice(total),
                _ => correction.extend(total.iter().zip(&*first).map(|(u, u_0)| *u ^ *u_0)),
            });
        let hash = self.batch.challenge(&correction);
        let hashes: SecretVec<Block> = self.matrix.rows().map(|row| hash.hash(row)).collect();
        let check = CotCheck {
            choices: hash.hash(first).to_bytes(),
            rows: self.batch.rows(&hashes),
        };
        self.batch.finish()?;
        for (eight, byte) in choices.chunks_mut(8).zip(cast_slice::<_, u8>(first)) {
            for (bit, choice) in eight.iter_mut().enumerate() {
                *choice = SecretBit::lowest_of(byte >> bit);
            }
        }
        self.matrix.transpose(cast_slice_mut(macs));
        Ok((correction, check))
    }
}

/// The party with Delta. It knows all leaves but one of each tree, in relative order.
pub(super) struct Sender {
    leaves: Vec<Generator>,
    delta: Delta,
    batch: Batch,
    /// The rows `w`, for every batch anew.
    matrix: Matrix,
}

impl Sender {
    pub(super) fn new(direction: Direction, delta: Delta, leaves: Vec<Generator>) -> Self {
        Sender {
            leaves,
            delta,
            batch: Batch::first(direction),
            matrix: Matrix::new(),
        }
    }

    pub(super) fn delta(&self) -> &Delta {
        &self.delta
    }

    /// Fills `keys` with those of the next OTs, as many as the receiver makes. `correction` must be
    /// as long as [`correction_blocks`] says.
    ///
    /// # Errors
    /// [`Check::CotConsistency`] if the receiver's matrix is not consistent. The keys are not to be
    /// used then.
    pub(super) fn extend(
        &mut self,
        correction: &[Block],
        check: &CotCheck,
        keys: &mut [Key],
    ) -> Result<()> {
        let length = keys.len() / 128 + SACRIFICED;
        self.matrix.expand(length, &mut self.leaves, 1, |_, _| ());
        for (r, row) in self.matrix.rows_mut().enumerate().skip(K) {
            let mask = Block::mask(self.delta.block().bit(r));
            let correction = &correction[(r / K - 1) * length..][..length];
            for (w, c) in row.iter_mut().zip(correction) {
                *w ^= *c & mask;
            }
        }
        let hash = self.batch.challenge(correction);
        let choices = Block::from(check.choices);
        let hashes: SecretVec<Block> = (self.matrix.rows().enumerate())
            .map(|(r, row)| hash.hash(row) ^ choices.select(self.delta.block().bit(r)))
            .collect();
        if !bool::from(self.batch.rows(&hashes).ct_eq(&check.rows)) {
            return Err(Error::Check(Check::CotConsistency));
        }
        self.batch.finish()?;
        self.matrix.transpose(cast_slice_mut(keys));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::all_but_one::{self, tests::ideal_base_ot};
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
    fn matrix(receiver: &mut Receiver, blocks: usize) -> (Vec<Block>, CotCheck) {
        let mut choices = vec![SecretBit::default(); 128 * blocks];
        let mut macs = vec![Mac::default(); 128 * blocks];
        receiver.extend(&mut choices, &mut macs).unwrap()
    }

    /// What the sender makes of a batch of one block.
    fn take(sender: &mut Sender, correction: &[Block], check: &CotCheck) -> Result<()> {
        sender.extend(correction, check, &mut [Key::default(); 128])
    }

    #[test]
    fn every_mac_is_the_key_plus_the_choice_times_delta() {
        let (mut sender, mut receiver) = pair(1);
        for blocks in [1, 2, MAX_BLOCKS, 30, MAX_BLOCKS - 1] {
            let mut choices = vec![SecretBit::default(); 128 * blocks];
            let mut macs = vec![Mac::default(); 128 * blocks];
            let mut keys = vec![Key::default(); 128 * blocks];
            let (correction, check) = receiver.extend(&mut choices, &mut macs).unwrap();
            sender.extend(&correction, &check, &mut keys).unwrap();
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
            let (correction, check) = receiver.extend(&mut choices, &mut macs).unwrap();
            sender.extend(&correction, &check, &mut keys).unwrap();
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
            let mut choices = Vec::new();
            let leaves = &mut receiver.leaves;
            receiver.matrix.expand(2, leaves, 0, |tree, total| {
                if tree == 0 {
                    choices = total.to_vec();
                }
            });
            for bit in (0..K).filter(|bit| guess >> bit & 1 == 1) {
                let row = receiver.matrix.rows_mut().nth(5 * K + bit).unwrap();
                row[0] ^= Block::from([1; 16]);
            }
            let hash = receiver.batch.challenge(&correction);
            let hashes: Vec<Block> = receiver.matrix.rows().map(|row| hash.hash(row)).collect();
            let check = CotCheck {
                choices: hash.hash(&choices).to_bytes(),
                rows: receiver.batch.rows(&hashes),
            };
            let outcome = take(&mut sender, &correction, &check);
            assert_eq!(outcome.is_ok(), guess == path);
        }
    }

    #[test]
    fn every_field_of_the_check_counts_and_no_batch_can_be_repeated() {
        let honest = || {
            let (sender, mut receiver) = pair(3);
            let (correction, check) = matrix(&mut receiver, 1);
            (sender, correction, check)
        };
        let (mut sender, correction, check) = honest();
        assert!(take(&mut sender, &correction, &check).is_ok());
        assert!(take(&mut sender, &correction, &check).is_err(), "repeated");

        let (mut sender, correction, mut check) = honest();
        check.choices[0] ^= 1;
        assert!(take(&mut sender, &correction, &check).is_err());
        let (mut sender, correction, mut check) = honest();
        check.rows[0] ^= 1;
        assert!(take(&mut sender, &correction, &check).is_err());
        for index in 0..correction_blocks(1) {
            let (mut sender, mut correction, check) = honest();
            correction[index] ^= Block::from([0x10; 16]);
            assert!(take(&mut sender, &correction, &check).is_err());
        }
    }

    #[test]
    fn what_is_hashed_for_a_check_is_bound_to_session_direction_and_batch() {
        let batch = |session, sender, finished| {
            let mut batch = Batch::first(Direction::of(&SessionId([session; 32]), sender));
            (0..finished).for_each(|_| batch.finish().unwrap());
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
        assert!(batch.finish().is_ok());
        assert!(matches!(batch.finish(), Err(Error::Exhausted)));
    }

    #[test]
    fn known_answers() {
        let (mut sender, mut receiver) = pair(4);
        let mut choices = [SecretBit::default(); 256];
        let mut macs = [Mac::default(); 256];
        let mut keys = [Key::default(); 256];
        let (correction, check) = receiver.extend(&mut choices, &mut macs).unwrap();
        sender.extend(&correction, &check, &mut keys).unwrap();
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
