//! The cards that a seat has seen in the try of a hand.

use dealerless::deck::Card;

use super::super::news::News;
use super::reports::Reports;
use crate::log::{LogEvent, MatchLog};
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
    /// Starts with no cards, once the hand is dealt.
    pub(super) fn begin(&mut self, log: &MatchLog) {
        let stakes = &log.match_info().header().stakes;
        let game = stakes.game().map(Game::first_coin);
        self.known = vec![None; game.unwrap_or(stakes.deck().1)];
    }

    /// Begins the hand in play after the program has started.
    pub(super) fn restore(&mut self, log: &MatchLog, reports: &mut Reports) {
        if self.known.is_empty()
            && let Some(begun) = log.begun()
        {
            self.begin(log);
            reports.push(News::Log(LogEvent::Begun(begun)));
        }
    }

    /// The card at this position, if this seat has seen it.
    pub(super) fn card(&self, position: usize) -> Option<Card> {
        self.known.get(position).copied().flatten()
    }

    /// Whether there is a card at this position that this seat has not seen.
    pub(super) fn lacks(&self, position: usize) -> bool {
        self.known.get(position) == Some(&None)
    }

    /// The cards that all seats know.
    pub(super) fn public(&self, log: &MatchLog) -> Vec<(usize, Card)> {
        let positions = 0..self.known.len();
        let public = positions.filter_map(|at| Some((at, log.public_card(at)?)));
        public.collect()
    }

    /// Adds a card and reports it, unless this seat has seen it.
    pub(super) fn know(&mut self, position: usize, card: Card, reports: &mut Reports) {
        if self.lacks(position) {
            self.learn(position, card, reports);
        }
    }

    /// Adds a card and reports it.
    pub(super) fn learn(&mut self, position: usize, card: Card, reports: &mut Reports) {
        self.known[position] = Some(card);
        reports.push(News::Card { position, card });
    }

    /// Forgets the cards at these positions, which hold others now.
    pub(super) fn forget(&mut self, positions: &[usize]) {
        for &position in positions {
            self.known[position] = None;
        }
    }

    /// Whether the seal is to be reported now: once in a try.
    pub(super) fn report_sealed(&mut self) -> bool {
        !std::mem::replace(&mut self.reported_sealed, true)
    }
}
