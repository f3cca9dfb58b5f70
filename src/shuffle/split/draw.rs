//! The size of a deal: the number of boards, and the number of cards in each pack.

use crate::circuit::Party;
use crate::shuffle::spec::bits_below;

/// The number of hands of a board, and of suits of a pack.
pub(super) const HANDS: usize = 4;
/// The number of boards after which the pattern of roles repeats.
const BLOCK: usize = 4;

/// Boards that are dealt together: for each board, a pack of four suits is dealt to four hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    ranks: usize,
    boards: usize,
}

/// The reason why a [`Split`] is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// The number of cards in a suit is out of bounds.
    #[error("a suit has 2 to {max} cards, not {0}", max = Split::MAX_RANKS)]
    Ranks(usize),
    /// The number of boards is out of bounds.
    #[error("1 to {max} boards can be dealt at once, not {0}", max = Split::MAX_BOARDS)]
    Boards(usize),
}

impl Split {
    /// The maximum number of cards of a suit.
    pub const MAX_RANKS: usize = 13;
    /// The maximum number of boards.
    pub const MAX_BOARDS: usize = 100;

    /// A deal of `boards` boards, with packs of four suits of `ranks` cards (2 to 13).
    ///
    /// # Errors
    /// A [`SplitError`] that names the number out of bounds.
    pub fn new(ranks: usize, boards: usize) -> Result<Self, SplitError> {
        if !(2..=Self::MAX_RANKS).contains(&ranks) {
            return Err(SplitError::Ranks(ranks));
        }
        if !(1..=Self::MAX_BOARDS).contains(&boards) {
            return Err(SplitError::Boards(boards));
        }
        Ok(Split { ranks, boards })
    }

    /// r, the number of cards in a suit and in a hand.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The number of boards dealt.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// The number of cards in a pack.
    pub fn cards(&self) -> usize {
        HANDS * self.ranks
    }

    /// The number of hands dealt. The hands of board `b`, counted from 0, are `4b` to `4b + 3`.
    pub fn hands(&self) -> usize {
        HANDS * self.boards
    }

    /// The number of ANDs of the circuit, or up to two more.
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

    /// The party that enters the permutation of a board, counted from 0. The other party enters its
    /// word.
    ///
    /// In each block of four boards, the garbler enters the permutations of the first two boards,
    /// and the evaluator those of the last two. If the last block has three, two or one boards, the
    /// garbler enters two, one or one of its permutations. This keeps two people who deal by hand
    /// busy at the same time.
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
    fn errors_name_the_number_out_of_bounds() {
        assert_eq!(Split::new(1, 1), Err(SplitError::Ranks(1)));
        assert_eq!(Split::new(14, 1), Err(SplitError::Ranks(14)));
        assert_eq!(Split::new(13, 0), Err(SplitError::Boards(0)));
        assert_eq!(Split::new(13, 101), Err(SplitError::Boards(101)));
        let split = Split::new(13, 100).unwrap();
        assert_eq!((split.cards(), split.hands()), (52, 400));
    }

    #[test]
    fn parties_change_roles_within_each_block() {
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
