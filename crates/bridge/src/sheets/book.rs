//! The division of the work on a set of boards between the two dealers.

/// One of the two dealers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealer {
    /// The dealer who begins with the first half of the first board.
    One,
    /// The other dealer.
    Two,
}

/// One half of the work on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The work with the first sheet: the dealer sorts the pack and deals it to piles.
    First,
    /// The work with the second sheet: the dealer deals the other dealer's pack to the hands.
    Second,
}

/// The work of `dealer` on `boards` boards, in order: the index of a board, and the half of the
/// work on this board.
///
/// The boards are divided into blocks of four. In each block, dealer one does the first halves of
/// the first two boards, and dealer two the first halves of the last two boards. Then the dealers
/// exchange packs, and each does the second halves of the other dealer's boards. If the last block
/// has three boards, dealer one does the first halves of two; if it has two boards or one, the
/// first half of one. So neither dealer does both halves of a board.
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
