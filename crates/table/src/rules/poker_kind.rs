//! The differences between the games of poker.

use super::ranking::{HandRank, best_five};
use dealerless::deck::Card;

/// A game of poker, played with a deck of 52 cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PokerKind {
    /// Texas hold'em.
    Holdem,
    /// Five-card draw.
    FiveCardDraw,
}

impl PokerKind {
    /// The number of cards in the deck.
    pub(super) const CARDS: u32 = 52;

    /// The number of hole cards of each seat.
    pub fn hole_cards(self) -> usize {
        match self {
            PokerKind::Holdem => 2,
            PokerKind::FiveCardDraw => 5,
        }
    }

    /// The maximum number of a seat's own cards, including those that it exchanges.
    fn max_own_cards(self) -> usize {
        match self {
            PokerKind::Holdem => self.hole_cards(),
            PokerKind::FiveCardDraw => 2 * self.hole_cards(),
        }
    }

    /// The number of betting rounds. With a fixed limit, bets are double in the second half.
    pub(super) fn rounds(self) -> usize {
        match self {
            PokerKind::Holdem => 4,
            PokerKind::FiveCardDraw => 2,
        }
    }

    /// The number of cards on the board in a round, counted from 0.
    pub(super) fn board(self, round: usize) -> usize {
        match (self, round) {
            (PokerKind::FiveCardDraw, _) | (PokerKind::Holdem, 0) => 0,
            (PokerKind::Holdem, _) => round + 2,
        }
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
