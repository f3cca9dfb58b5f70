//! The matrix of a batch of correlated OTs.

use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use fearless_simd::{Level, Simd, dispatch};
use zeroize::Zeroizing;

use super::MAX_LENGTH;
use crate::crypto::{Block, Generator, transpose};
use crate::ot::all_but_one::{K, LEAVES, TREES};

/// The matrix of a batch: `K * TREES` rows. Row `i * K + j` is bit `j` of tree `i`.
pub(super) struct Matrix {
    rows: Zeroizing<Vec<Block>>,
    /// The number of blocks of a row.
    length: usize,
}

/// The distance between the starts of two rows in blocks. It is odd; otherwise rows that are
/// transposed together would compete for the same cache sets.
const PITCH: usize = MAX_LENGTH + 1;

impl Matrix {
    pub(super) fn new() -> Self {
        Matrix {
            rows: Zeroizing::new(vec![Block::ZERO; PITCH * K * TREES]),
            length: 0,
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[Block]> {
        self.rows.chunks(PITCH).map(|row| &row[..self.length])
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [Block]> {
        let length = self.length;
        self.rows
            .chunks_mut(PITCH)
            .map(move |row| &mut row[..length])
    }

    /// Writes the first columns of the matrix to `columns`, one block for each column.
    pub(super) fn transpose(&self, columns: &mut [Block]) {
        transpose(|strip, row| self.rows[row * PITCH + strip], columns);
    }

    /// Expands the leaves of all trees to streams of `length` blocks, starting at block number
    /// `position`. Row `j` of a tree becomes the sum of the streams whose leaf number has bit `j`
    /// set. `first` is the number of the first leaf of each tree in `leaves`: 0 at the receiver, 1
    /// at the sender. Calls `total` with each tree and the sum of all its streams.
    pub(super) fn expand(
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

/// The number of blocks added at once, in 512-bit registers if available.
const LANES: usize = 4;

/// Sets row `j` to the sum of the streams whose leaf number has bit `j` set, and `total` to the sum
/// of all streams. Each step adds neighbouring sums. This takes two thirds of the additions that a
/// separate sum for each row would take (Roy 2022, section 5).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fold_sums_the_streams_whose_number_has_the_bit() {
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
}
