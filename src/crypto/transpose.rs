//! Transposition of bit matrices.

use fearless_simd::{Level, Simd, SimdBase, dispatch, u32x16};

use super::Block;

/// Transposes a square of 128 rows of 128 bits: bit `r` of `columns[j]` becomes bit `j` of
/// `row(r)`.
///
/// The off-diagonal quadrants of ever smaller squares are swapped (Warren, "Hacker's Delight",
/// 7-3). Rows that are 32 apart stand side by side, so that after the two largest squares all
/// swaps are between whole vectors.
///
/// # Panics
/// If there are not 128 `columns`.
#[inline]
pub fn transpose_128(row: impl Fn(usize) -> Block, columns: &mut [Block]) {
    assert_eq!(columns.len(), 128, "a square matrix");
    // Transposing the words of four rows swaps the quadrants of 64 and of 32 bits.
    let mut lines: [[u32; 16]; 32] = std::array::from_fn(|r| {
        let rows: [[u32; 4]; 4] = std::array::from_fn(|part| bytemuck::cast(row(32 * part + r)));
        std::array::from_fn(|word| u32::from_le(rows[word % 4][word / 4]))
    });
    dispatch!(Level::new(), simd => swap_small(simd, &mut lines));
    for (r, line) in lines.iter().enumerate() {
        for (part, words) in line.as_chunks::<4>().0.iter().enumerate() {
            let [a, b, c, d] = *words;
            columns[32 * part + r] = bytemuck::cast([a.to_le(), b.to_le(), c.to_le(), d.to_le()]);
        }
    }
}

/// Swaps the quadrants of 16 bits and less.
#[inline(always)]
fn swap_small<S: Simd>(simd: S, lines: &mut [[u32; 16]; 32]) {
    swap_quadrants::<16, S>(simd, lines, 0x0000_ffff);
    swap_quadrants::<8, S>(simd, lines, 0x00ff_00ff);
    swap_quadrants::<4, S>(simd, lines, 0x0f0f_0f0f);
    swap_quadrants::<2, S>(simd, lines, 0x3333_3333);
    swap_quadrants::<1, S>(simd, lines, 0x5555_5555);
}

/// One step, for squares of `2 * SIZE` rows; `mask` has the lower `SIZE` of every `2 * SIZE` bits.
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
        let mut rows = [Block::ZERO; 128];
        Generator::new(Block::ZERO).fill(&mut rows);
        let mut columns = [Block::ZERO; 128];
        transpose_128(|r| rows[r], &mut columns);
        for (j, column) in columns.iter().enumerate() {
            for (r, row) in rows.iter().enumerate() {
                assert_eq!(column.bit(r).reveal(), row.bit(j).reveal());
            }
        }
    }
}
