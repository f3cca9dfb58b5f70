//! Transposition of bit matrices.

use fearless_simd::{Level, Simd, SimdBase, SimdCombine, SimdSplit, dispatch, u32x16};
use zeroize::Zeroizing;

use super::Block;

/// Transposes squares of 128 rows of 128 bits, one square for each 128 `columns`. Bit `r` of
/// `columns[j]` becomes bit `j` of `row(0, r)`, bit `r` of `columns[128 + j]` becomes bit `j` of
/// `row(1, r)`, and so on.
///
/// The algorithm swaps the off-diagonal quadrants of smaller and smaller squares (Warren, "Hacker's
/// Delight", 7-3). Rows that are 32 apart are stored next to each other, so that after the steps
/// for the two largest squares all swaps are between whole vectors.
///
/// # Panics
/// If the number of `columns` is not a multiple of 128.
#[inline]
pub fn transpose(row: impl Fn(usize, usize) -> Block, columns: &mut [Block]) {
    let (squares, rest) = columns.as_chunks_mut();
    assert!(
        rest.is_empty(),
        "the number of columns must be a multiple of 128"
    );
    let mut lines = Zeroizing::new([[0; 16]; 32]);
    for (square, columns) in squares.iter_mut().enumerate() {
        dispatch!(Level::new(), simd => {
            transpose_square(simd, |r| row(square, r), &mut lines, columns)
        });
    }
}

#[inline(always)]
fn transpose_square<S: Simd>(
    simd: S,
    row: impl Fn(usize) -> Block,
    lines: &mut [[u32; 16]; 32],
    columns: &mut [Block; 128],
) {
    // Transposing the words of four rows swaps the quadrants of 64 and of 32 bits.
    for (r, line) in lines.iter_mut().enumerate() {
        let words: [u32; 16] = bytemuck::cast([row(r), row(32 + r), row(64 + r), row(96 + r)]);
        let words = u32x16::from_slice(simd, &words.map(u32::from_le));
        interleave_halves(interleave_halves(words)).store_slice(line);
    }
    swap_quadrants::<16, S>(simd, lines, 0x0000_ffff);
    swap_quadrants::<8, S>(simd, lines, 0x00ff_00ff);
    swap_quadrants::<4, S>(simd, lines, 0x0f0f_0f0f);
    swap_quadrants::<2, S>(simd, lines, 0x3333_3333);
    swap_quadrants::<1, S>(simd, lines, 0x5555_5555);
    for (r, line) in lines.iter().enumerate() {
        for (part, words) in line.as_chunks::<4>().0.iter().enumerate() {
            columns[32 * part + r] = bytemuck::cast(words.map(u32::to_le));
        }
    }
}

/// Applied twice, this transposes a square of four by four words.
#[inline(always)]
fn interleave_halves<S: Simd>(words: u32x16<S>) -> u32x16<S> {
    let (low, high) = words.split();
    low.zip_low(high).combine(low.zip_high(high))
}

/// One step for squares of `2 * SIZE` rows; `mask` has the lower `SIZE` of every `2 * SIZE` bits
/// set.
#[inline(always)]
fn swap_quadrants<const SIZE: usize, S: Simd>(simd: S, lines: &mut [[u32; 16]; 32], mask: u32) {
    let mask = u32x16::splat(simd, mask);
    for square in lines.chunks_exact_mut(2 * SIZE) {
        let (upper, lower) = square.split_at_mut(SIZE);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let a = u32x16::from_slice(simd, upper);
            let b = u32x16::from_slice(simd, lower);
            let exchange = ((a >> SIZE as u32) ^ b) & mask;
            (a ^ (exchange << SIZE as u32)).store_slice(upper);
            (b ^ exchange).store_slice(lower);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Generator;

    #[test]
    fn bit_r_of_column_j_is_bit_j_of_row_r() {
        let mut rows = [[Block::ZERO; 128]; 3];
        Generator::new(Block::ZERO).fill(rows.as_flattened_mut());
        let mut columns = [Block::ZERO; 3 * 128];
        transpose(|square, r| rows[square][r], &mut columns);
        for (j, column) in columns.iter().enumerate() {
            for (r, row) in rows[j / 128].iter().enumerate() {
                assert_eq!(column.bit(r).reveal(), row.bit(j % 128).reveal());
            }
        }
    }
}
