//! The division of the work on a set of boards between the two dealers.

/// One of the two dealers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealer {
    /// The dealer who begins with the first half of the first board.
    One,
    /// The other dealer.
    Two,
}

/// One of the two sheets of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The sheet for the sorted pack.
    First,
    /// The sheet for the pack that the other dealer has prepared.
    Second,
}

/// The work of a dealer for the given number of boards, as the index of each board and the half to
/// do. The boards are divided into blocks of four.
///
/// In each block, dealer one does the first halves of the first two boards, and dealer two those of
/// the last two boards. Then they exchange packs. A last block of three or two boards is divided in
/// the same way. If the last block has one board, dealer one does its first half and dealer two the
/// second half. So nobody ever has both halves of a board.
pub fn halves(boards: usize, dealer: Dealer) -> Vec<(usize, Half)> {
    let mut halves = Vec::new();
    for start in (0..boards).step_by(4) {
        let end = boards.min(start + 4);
        let middle = start + (end - start).div_ceil(2);
        let (own, others) = match dealer {
            Dealer::One => (start..middle, middle..end),
            Dealer::Two => (middle..end, start..middle),
        };
        halves.extend(own.map(|board| (board, Half::First)));
        halves.extend(others.map(|board| (board, Half::Second)));
    }
    halves
}
