//! The differences between the games of poker.

use super::ranking::{HandRank, best_five};
use dealerless::deck::Card;

/// A game of poker, played with a deck of 52 cards. `PokerKind::facts` lists the facts of each
/// game; a method has what they cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PokerKind {
    /// Texas hold'em.
    Holdem,
    /// Five-card draw with one exchange of up to five cards.
    FiveCardDraw,
}

struct Facts {
    /// The first byte of encoded stakes, as listed for the header in `docs/records.md`.
    number: u8,
    title: &'static str,
    hole_cards: usize,
    exchanges: bool,
    /// The number of cards on the board in each betting round.
    board: &'static [usize],
}

impl PokerKind {
    /// All games of poker.
    pub const ALL: [Self; 2] = [PokerKind::Holdem, PokerKind::FiveCardDraw];
    /// The number of cards in the deck.
    pub(super) const CARDS: u32 = 52;

    const fn facts(self) -> &'static Facts {
        match self {
            PokerKind::Holdem => &Facts {
                number: 0,
                title: "Texas hold'em",
                hole_cards: 2,
                exchanges: false,
                board: &[0, 3, 4, 5],
            },
            PokerKind::FiveCardDraw => &Facts {
                number: 1,
                title: "five-card draw",
                hole_cards: 5,
                exchanges: true,
                board: &[0, 0],
            },
        }
    }

    /// The number of the game in encoded stakes.
    pub(super) fn number(self) -> u8 {
        self.facts().number
    }

    /// The title of the game, worded for the middle of a sentence, without its limit.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// The number of hole cards of each seat.
    pub fn hole_cards(self) -> usize {
        self.facts().hole_cards
    }

    /// Whether each seat may exchange all its cards once, before the last betting round.
    pub fn exchanges(self) -> bool {
        self.facts().exchanges
    }

    /// The maximum number of a seat's own cards, including those that it exchanges.
    fn max_own_cards(self) -> usize {
        self.hole_cards() * if self.exchanges() { 2 } else { 1 }
    }

    /// The number of betting rounds. With a fixed limit, bets are double in the second half.
    pub(super) fn rounds(self) -> usize {
        self.facts().board.len()
    }

    /// The number of cards on the board in a round, counted from 0.
    pub(super) fn board(self, round: usize) -> usize {
        self.facts().board[round]
    }

    /// The number of cards on the board in the last round.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn whole_board(self) -> usize {
        self.board(self.rounds() - 1)
    }

    /// The number of cards in the deck, and the maximum number of cards that a hand with `seats`
    /// seats needs.
    pub(super) fn deck(self, seats: usize) -> (usize, usize) {
        let drawn = seats * self.max_own_cards() + self.whole_board();
        (Self::CARDS as usize, drawn)
    }

    /// The maximum number of seats for which the deck has enough cards.
    pub fn most_seats(self) -> u8 {
        ((Self::CARDS as usize - self.whole_board()) / self.max_own_cards()) as u8
    }

    /// The rank of the best five of a seat's cards and the board, and these five cards. `None` if
    /// there are fewer than five cards.
    pub(super) fn best(self, own: &[Card], board: &[Card]) -> Option<(HandRank, Vec<Card>)> {
        match self {
            PokerKind::Holdem | PokerKind::FiveCardDraw => best_five(&[own, board].concat()),
        }
    }

    /// The hand that a seat's cards make with the board, in words. Before the flop, two cards can
    /// make a pair.
    pub(super) fn made(self, own: &[Card], board: &[Card]) -> Option<String> {
        let rank = match (self, board) {
            (PokerKind::Holdem, []) => HandRank::of_pair(own),
            (PokerKind::Holdem | PokerKind::FiveCardDraw, _) => {
                self.best(own, board).map(|(rank, _)| rank)
            }
        };
        rank.map(|rank| rank.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::betting_rules::{BettingRules, Limit, Posts};
    use super::super::stakes::{Stakes, Variety};
    use super::*;

    #[test]
    fn each_game_has_a_number_of_its_own_and_a_board_that_grows() {
        let rules = BettingRules {
            stack: 100,
            limit: Limit::NoLimit,
            posts: Posts::Blinds { small: 1, big: 2 },
        };
        for kind in PokerKind::ALL {
            // A number of another game would decode as that game.
            let stakes = Stakes::new(Variety::Poker(kind, rules), 2, 1).unwrap();
            assert_eq!(Stakes::decode(&stakes.encode()), Ok(stakes));
            assert!(kind.facts().board.is_sorted() && kind.rounds() > 0);
            // The compiler requires that a new variant is listed here. Add it to `ALL` as well.
            match kind {
                PokerKind::Holdem | PokerKind::FiveCardDraw => {}
            }
        }
    }
}
