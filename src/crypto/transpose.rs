//! Transposition of bit matrices.

use super::Block;

/// Transposes a square of 128 rows of 128 bits: bit `r` of `columns[j]` becomes bit `j` of
/// `row(r)`.
///
/// # Panics
/// If there are not 128 `columns`.
pub fn transpose_128(row: impl Fn(usize) -> Block, columns: &mut [Block]) {
    assert_eq!(columns.len(), 128, "a square matrix");
    let mut square = std::array::from_fn(|r| bytemuck::cast::<_, [u64; 2]>(row(r)));
    square
        .iter_mut()
        .for_each(|line| *line = line.map(u64::from_le));
    transpose_square(&mut square);
    for (column, line) in columns.iter_mut().zip(square) {
        *column = bytemuck::cast(line.map(u64::to_le));
    }
}

/// Swaps the off-diagonal quadrants of ever smaller squares (Warren, "Hacker's Delight", 7-3).
fn transpose_square(square: &mut [[u64; 2]; 128]) {
    let (upper, lower) = square.split_at_mut(64);
    for (a, b) in upper.iter_mut().zip(lower) {
        std::mem::swap(&mut a[1], &mut b[0]);
    }
    let mut mask = u64::MAX >> 32;
    let mut size = 32;
    while size > 0 {
        for start in (0..128).step_by(2 * size) {
            let (upper, lower) = square[start..start + 2 * size].split_at_mut(size);
            for (a, b) in upper.iter_mut().zip(lower) {
                for (a, b) in a.iter_mut().zip(b) {
                    let exchange = ((*a >> size) ^ *b) & mask;
                    *b ^= exchange;
                    *a ^= exchange << size;
                }
            }
        }
        size /= 2;
        mask ^= mask << size;
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
