//! Many boards as several files for a dealing machine.

use super::error::WriteError;
use super::{HIGHEST_FOR_MACHINES, in_a_row};
use crate::Board;

/// How many boards of a long set go into a file: the most below 99 after which dealer and vulnerability,
/// which repeat after 16 boards, begin anew.
const PIECE: u32 = 96;

/// The sets of boards that go into one file each; all in one, if a file holds them.
///
/// Within its file, board 97 has the number 1, and so on: the same dealer and vulnerability.
///
/// # Errors
/// If the boards are not in a row.
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
