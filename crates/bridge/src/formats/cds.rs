//! CDS: for each board a byte with its number, and a byte for each rank as in RZD (`rzd.rs`). The
//! codes of the seats differ from RZD: 1, 2, 3 and 0 for North, East, South and West.

use super::rzd::ranks;
use crate::Board;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for board in boards {
        // Only one byte is available, so board 256 is written as 0.
        bytes.push((board.number % 256) as u8);
        bytes.extend(ranks(&board.deal, |owner| (owner as u8 + 1) % 4));
    }
    bytes
}
