//! Transposition of bit matrices with 128 rows.

use super::Block;

/// Transposes a matrix of 128 rows into its columns.
///
/// `rows` holds the rows one after another, each of `blocks` blocks (so `128 * blocks` columns);
/// bit `j` of a row is bit `j % 128` of its block `j / 128`. Bit `r` of column `j` of the answer
/// is bit `j` of row `r`.
///
/// # Panics
/// If `rows` does not hold 128 rows.
pub fn transpose_128(rows: &[Block]) -> Vec<Block> {
    assert_eq!(rows.len() % 128, 0, "a matrix of 128 rows");
    let blocks = rows.len() / 128;
    let mut columns = Vec::with_capacity(rows.len());
    let mut square = [[0u64; 2]; 128];
    for strip in 0..blocks {
        for (r, line) in square.iter_mut().enumerate() {
            *line = bytemuck::cast(rows[r * blocks + strip]);
            *line = line.map(u64::from_le);
        }
        transpose_square(&mut square);
        columns.extend(
            square
                .iter()
                .map(|line| bytemuck::cast::<_, Block>(line.map(u64::to_le))),
        );
    }
    columns
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
        let mut rows = vec![Block::ZERO; 3 * 128];
        Generator::new(Block::ZERO).fill(&mut rows);
        let columns = transpose_128(&rows);
        for (j, column) in columns.iter().enumerate() {
            for r in 0..128 {
                assert_eq!(column.bit(r), rows[r * 3 + j / 128].bit(j % 128));
            }
        }
    }
}
