//! Which dealer gets which halves of which boards.

/// One of the two dealers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealer {
    /// Who begins with the first half of the first board.
    One,
    /// The other one.
    Two,
}

/// One of the two sheets of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The sheet for the sorted pack.
    First,
    /// The sheet for the pack that the other dealer has made.
    Second,
}

/// What a dealer does with a set of so many boards, in blocks of four: the places of the boards, from
/// 0 on, and which half.
///
/// In each block dealer one does the first halves of the first two boards, and dealer two those of the
/// others. Then they change packs. The last block is divided in the same way, if it has three boards
/// or two. If it has one, dealer one does its first half and dealer two the second. So nobody ever has
/// both halves of a board.
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
