//! Splitting many boards into several files for a dealing machine.

use super::error::WriteError;
use super::{HIGHEST_FOR_MACHINES, in_a_row};
use crate::Board;

/// The number of boards of a long set in one file: the largest multiple of 16 up to 99, since
/// dealer and vulnerability repeat after 16 boards.
const PIECE: u32 = 96;

/// Splits boards into sets for one file each, or returns a single set if one file can hold all
/// boards.
///
/// In its file, board 97 gets the number 1, and so on, which preserves dealer and vulnerability.
///
/// # Errors
/// If the boards are not consecutive.
pub fn split(boards: &[Board]) -> Result<Vec<Vec<Board>>, WriteError> {
    in_a_row("a set of several files", boards)?;
    if boards
        .iter()
        .all(|board| board.number <= HIGHEST_FOR_MACHINES)
    {
        return Ok(vec![boards.to_vec()]);
    }
    let piece = |board: &Board| board.number.saturating_sub(1) / PIECE;
    let pieces = boards.chunk_by(|a, b| piece(a) == piece(b));
    Ok(pieces
        .map(|boards| {
            boards
                .iter()
                .map(|board| Board {
                    number: board.number.saturating_sub(1) % PIECE + 1,
                    ..*board
                })
                .collect()
        })
        .collect())
}
