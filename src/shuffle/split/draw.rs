//! What is dealt: how many packs, and how large they are.

use crate::circuit::Party;
use crate::shuffle::spec::bits_below;

/// How many hands and suits there are.
pub(super) const HANDS: usize = 4;
/// The boards in which the parties change roles once.
const BLOCK: usize = 4;

/// Boards that are dealt together: for each a pack of four suits, to four hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    ranks: usize,
    boards: usize,
}

/// Why there is no such [`Split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// No such pack is dealt.
    #[error("a suit has 2 to {most} cards, not {0}", most = Split::MAX_RANKS)]
    Ranks(usize),
    /// Too few or too many boards.
    #[error("1 to {most} boards are dealt at once, not {0}", most = Split::MAX_BOARDS)]
    Boards(usize),
}

impl Split {
    /// The most cards of a suit.
    pub const MAX_RANKS: usize = 13;
    /// The most boards.
    pub const MAX_BOARDS: usize = 100;

    /// So many boards, with packs of four suits of `ranks` cards (2 to 13).
    ///
    /// # Errors
    /// [`SplitError`] names the number that is out of its bounds.
    pub fn new(ranks: usize, boards: usize) -> Result<Self, SplitError> {
        if !(2..=Self::MAX_RANKS).contains(&ranks) {
            return Err(SplitError::Ranks(ranks));
        }
        if !(1..=Self::MAX_BOARDS).contains(&boards) {
            return Err(SplitError::Boards(boards));
        }
        Ok(Split { ranks, boards })
    }

    /// r, the cards of a suit, and of a hand.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// How many boards are dealt.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// The cards of a pack.
    pub fn cards(&self) -> usize {
        HANDS * self.ranks
    }

    /// How many hands are dealt: those of board `b`, counted from 0, are `4b` to `4b + 3`.
    pub fn hands(&self) -> usize {
        HANDS * self.boards
    }

    /// The ANDs of the circuit, or up to two more.
    pub fn estimated_ands(&self) -> usize {
        let cards = self.cards();
        let switches: usize = (1..=cards)
            .map(|lines| bits_below(lines.max(2)))
            .sum::<usize>()
            - 1;
        let counting = cards - cards.count_ones() as usize;
        let comparing = cards.ilog2() as usize + 1;
        self.boards * (2 * switches + 2 * cards + 3 * (counting + comparing))
    }

    /// Who enters the permutation of a board, counted from 0. The other enters its word.
    ///
    /// In each block of four boards the garbler enters those of the first two, and the evaluator those of
    /// the others; of a last block of three, two, or one, the garbler enters two, one, or one. So
    /// two people who deal by hand both have something to do all the time.
    pub fn permutes(&self, board: usize) -> Party {
        let start = board - board % BLOCK;
        let block = self.boards.saturating_sub(start).min(BLOCK);
        if board < start + block.div_ceil(2) {
            Party::Garbler
        } else {
            Party::Evaluator
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_bounds_is_named() {
        assert_eq!(Split::new(1, 1), Err(SplitError::Ranks(1)));
        assert_eq!(Split::new(14, 1), Err(SplitError::Ranks(14)));
        assert_eq!(Split::new(13, 0), Err(SplitError::Boards(0)));
        assert_eq!(Split::new(13, 101), Err(SplitError::Boards(101)));
        let split = Split::new(13, 100).unwrap();
        assert_eq!((split.cards(), split.hands()), (52, 400));
    }

    #[test]
    fn the_parties_change_roles_within_each_block() {
        let expected = ["g", "ge", "gge", "ggee", "ggeeg", "ggeege", "ggeegge"];
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 7].map(|boards| {
                let split = Split::new(13, boards).unwrap();
                (0..boards)
                    .map(|board| match split.permutes(board) {
                        Party::Garbler => 'g',
                        Party::Evaluator => 'e',
                    })
                    .collect::<String>()
            }),
            expected
        );
    }
}
