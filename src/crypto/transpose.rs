//! Transposition of bit matrices.

use super::Block;

/// Transposes a square of 128 rows of 128 bits: bit `r` of `columns[j]` becomes bit `j` of
/// `row(r)`.
///
/// # Panics
/// If there are not 128 `columns`.
#[inline]
pub fn transpose_128(row: impl Fn(usize) -> Block, columns: &mut [Block]) {
    assert_eq!(columns.len(), 128, "a square matrix");
    let mut square = [[0; 2]; 128];
    for (r, line) in square.iter_mut().enumerate() {
        let [low, high]: [u64; 2] = bytemuck::cast(row(r));
        *line = [u64::from_le(low), u64::from_le(high)];
    }
    transpose_square(&mut square);
    for (column, [low, high]) in columns.iter_mut().zip(square) {
        *column = bytemuck::cast([low.to_le(), high.to_le()]);
    }
}

/// Swaps the off-diagonal quadrants of ever smaller squares (Warren, "Hacker's Delight", 7-3).
fn transpose_square(square: &mut [[u64; 2]; 128]) {
    let (upper, lower) = square.split_at_mut(64);
    for (a, b) in upper.iter_mut().zip(lower) {
        std::mem::swap(&mut a[1], &mut b[0]);
    }
    let words = square.as_flattened_mut();
    swap_quadrants::<32>(words, 0x0000_0000_ffff_ffff);
    swap_quadrants::<16>(words, 0x0000_ffff_0000_ffff);
    swap_quadrants::<8>(words, 0x00ff_00ff_00ff_00ff);
    swap_quadrants::<4>(words, 0x0f0f_0f0f_0f0f_0f0f);
    swap_quadrants::<2>(words, 0x3333_3333_3333_3333);
    swap_quadrants::<1>(words, 0x5555_5555_5555_5555);
}

/// One step of it, for squares of `2 * SIZE` rows; `mask` has the lower `SIZE` of every `2 * SIZE`
/// bits. The size is a constant for the shifts to be, which makes it twice as fast.
#[inline(always)]
fn swap_quadrants<const SIZE: usize>(words: &mut [u64], mask: u64) {
    for rows in words.chunks_exact_mut(2 * 2 * SIZE) {
        let (upper, lower) = rows.split_at_mut(2 * SIZE);
        for (a, b) in upper.iter_mut().zip(lower) {
            let exchange = ((*a >> SIZE) ^ *b) & mask;
            *b ^= exchange;
            *a ^= exchange << SIZE;
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
                assert_eq!(column.bit(r), row.bit(j));
            }
        }
    }
}
