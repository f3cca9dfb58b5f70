//! RZD, of the program Kops: the number of boards in two bytes (little-endian), 11 spaces, and for
//! each board a byte for each rank, see [`ranks`].

use super::WriteError;
use crate::{Board, Compass, Deal};

/// Formats the boards.
///
/// # Errors
/// [`WriteError::TooMany`] if the number of boards does not fit in two bytes.
pub(super) fn write(boards: &[Board]) -> Result<Vec<u8>, WriteError> {
    let count = u16::try_from(boards.len()).map_err(|_| WriteError::TooMany(boards.len()))?;
    let mut bytes = count.to_le_bytes().to_vec();
    bytes.extend([b' '; 11]);
    for board in boards {
        bytes.extend(ranks(&board.deal, |owner| owner as u8));
    }
    Ok(bytes)
}

/// Returns a byte for each rank from the ace down. Each byte encodes the owners of the four
/// cards of the rank, spades in the highest bits. `code` returns the two bits of a seat.
pub(super) fn ranks(deal: &Deal, code: impl Fn(Compass) -> u8) -> [u8; 13] {
    std::array::from_fn(|rank| {
        let owners = deal.owners().iter().skip(rank).step_by(13);
        owners.fold(0, |byte, owner| byte << 2 | code(*owner))
    })
}
