//! CDS: for each board one byte with its number, and one byte per rank as in RZD, with different
//! codes for the seats.

use super::rzd::ranks;
use crate::Board;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for board in boards {
        // The number has one byte, so 256 becomes 0.
        bytes.push((board.number % 256) as u8);
        bytes.extend(ranks(&board.deal, |owner| (owner as u8 + 1) % 4));
    }
    bytes
}
