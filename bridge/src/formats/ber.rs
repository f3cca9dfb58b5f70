//! BER: for each board the owners of its 52 cards as `1` to `4`, and nothing between boards.

use crate::Board;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let owners = boards.iter().flat_map(|board| board.deal.owners());
    owners.map(|owner| b'1' + *owner as u8).collect()
}
