//! Splits a long set of boards into several files for a dealing machine.

use super::error::WriteError;
use super::{HIGHEST_FOR_MACHINES, in_a_row};
use crate::Board;

/// The maximum number of boards in a file if a set is split: the largest multiple of 16 up to 99,
/// since dealer and vulnerability repeat after 16 boards.
const PIECE: u32 = 96;

/// Splits boards into sets, one for each file. If no board number exceeds [`HIGHEST_FOR_MACHINES`],
/// returns a single set.
///
/// If the boards are split, their numbers in the files are reduced to 1 to 96: board 97 becomes
/// board 1 of the next file. This preserves dealer and vulnerability.
///
/// # Errors
/// [`WriteError::NotInARow`] if the boards are not consecutive.
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
