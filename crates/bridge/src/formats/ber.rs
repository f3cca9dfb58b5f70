//! BER: for each board the owners of the 52 cards as digits, from `1` for North to `4` for West.
//! There are no separators between boards.

use crate::Board;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let owners = boards.iter().flat_map(|board| board.deal.owners());
    owners.map(|owner| b'1' + *owner as u8).collect()
}
