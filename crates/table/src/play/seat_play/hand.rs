//! The cards that a seat has seen in the try of a hand.

use dealerless::deck::Card;
use dealerless_connection::storage::Storage;

use super::super::cost::DealCost;
use super::super::news::News;
use super::own_seat::OwnSeat;
use crate::log::LogEvent;
use crate::rules::Game;

/// What a seat has seen of a try of a hand.
#[derive(Default)]
pub(super) struct HandState {
    /// The cards that this seat has seen, by position. Empty before the hand is dealt.
    known: Vec<Option<Card>>,
    /// Whether the seal was reported to the player.
    reported_sealed: bool,
}

impl HandState {
    /// The card at this position, if this seat has seen it.
    pub(super) fn card(&self, position: usize) -> Option<Card> {
        self.known.get(position).copied().flatten()
    }

    /// Whether there is a card at this position that this seat has not seen.
    pub(super) fn lacks(&self, position: usize) -> bool {
        self.known.get(position) == Some(&None)
    }

    /// Forgets the cards at these positions, which hold others now.
    pub(super) fn forget(&mut self, positions: &[usize]) {
        positions.iter().for_each(|at| self.known[*at] = None);
    }
}

impl<S: Storage, R> OwnSeat<S, R> {
    /// Begins a hand that is dealt, without any card.
    pub(super) fn begin_hand(&mut self) {
        let stakes = &self.log.match_info().header().stakes;
        let game = stakes.game().map(Game::first_coin);
        self.hand.known = vec![None; game.unwrap_or(stakes.deck().1)];
    }

    /// Begins the hand in play after the program has started.
    pub(super) fn restore_hand(&mut self) {
        if self.hand.known.is_empty()
            && let Some(begun) = self.log.begun()
        {
            self.begin_hand();
            self.reports.push(News::Log(LogEvent::Begun(begun)));
        }
    }

    /// Learns a card and reports it.
    pub(super) fn learn(&mut self, position: usize, card: Card) {
        self.hand.known[position] = Some(card);
        self.reports.push(News::Card { position, card });
    }

    /// Learns a card and reports it, unless this seat has seen it.
    pub(super) fn learn_new(&mut self, position: usize, card: Card) {
        if self.hand.lacks(position) {
            self.learn(position, card);
        }
    }

    /// Learns the cards that all seats know.
    pub(super) fn learn_public(&mut self) {
        for position in 0..self.hand.known.len() {
            if let Some(card) = self.log.public_card(position) {
                self.learn_new(position, card);
            }
        }
    }

    /// Reports once that the deck is final. Before the host's first opening the try can still
    /// become void.
    pub(super) fn report_sealed(&mut self, cost: impl FnOnce() -> Option<DealCost>) {
        let sealed = self.log.seal_hash().is_some();
        if sealed && !std::mem::replace(&mut self.hand.reported_sealed, true) {
            self.reports.push(News::Sealed { cost: cost() });
        }
    }
}
