//! What a seat has seen in a hand, and what it reports to its player.

use std::collections::VecDeque;

use dealerless::deck::Card;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::cost::DealCost;
use super::super::news::News;
use super::Play;
use super::own_seat::OwnSeat;
use crate::log::{LogEvent, Phase};
use crate::rules::Game;

#[derive(Default)]
pub(super) struct Reports {
    news: VecDeque<News>,
    /// The step of the last question to the player.
    asked: Option<u64>,
    /// The step of the last report about another seat's turn.
    reported_turn: Option<u64>,
    /// Whether [`News::Over`] was reported.
    ended: bool,
}

/// What a seat has seen of a try of a hand.
#[derive(Default)]
pub(super) struct HandState {
    /// The cards that this seat has seen, by position. Empty before the hand is dealt.
    known: Vec<Option<Card>>,
    /// Whether the seal was reported to the player.
    reported_sealed: bool,
}

impl Reports {
    pub(super) fn push(&mut self, news: News) {
        self.news.push_back(news);
    }

    /// Allows the question of this step to be asked again.
    pub(super) fn ask_again(&mut self) {
        self.asked = None;
    }

    /// Allows the question and the turn of this step to be reported again, on another connection.
    pub(super) fn repeat_step(&mut self) {
        (self.asked, self.reported_turn) = (None, None);
    }
}

impl HandState {
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

    /// Asks the player a question, once in each step.
    pub(super) fn ask(&mut self, question: News) {
        let step = self.log.step();
        if self.reports.asked.replace(step) != Some(step) {
            self.reports.push(question);
        }
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// The card at this position, if this seat has seen it in the hand in play.
    pub fn card(&self, position: usize) -> Option<Card> {
        let own = self.own.hand.known.get(position).copied().flatten();
        own.or_else(|| self.own.log.public_card(position))
    }

    /// Adds news for the player.
    pub(in crate::play) fn report(&mut self, news: News) {
        self.own.reports.push(news);
    }

    /// The next news for the player.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn news(&mut self) -> Option<News> {
        let next = self.own.reports.news.pop_front();
        next.or_else(|| self.their_turn())
    }

    /// Returns the news that it is another seat's turn, once in each step of a connection.
    fn their_turn(&mut self) -> Option<News> {
        let step = self.own.log.step();
        match self.own.log.phase() {
            Phase::Choose { seat, .. } if seat != self.own.seat && self.is_synced() => {
                let is_new = self.own.reports.reported_turn.replace(step) != Some(step);
                is_new.then_some(News::TheirTurn { seat })
            }
            _ => None,
        }
    }

    /// Reports that the match is over. After a conviction with several seats, this waits until all
    /// remaining seats have confirmed the end of the log.
    pub(super) fn report_end(&mut self) {
        if self.own.log.unconfirmed().is_empty() {
            self.report_unconfirmed_end();
        }
    }

    /// Reports once that the match is over, if an ack was the last confirmation after a conviction.
    pub(super) fn report_confirmed_end(&mut self) {
        if self.own.log.is_convicted() && !self.has_ended() {
            self.report_end();
        }
    }

    /// Reports that the match is over, even if the final chips can still change.
    pub(in crate::play) fn report_unconfirmed_end(&mut self) {
        let reports = &mut self.own.reports;
        let mut news = reports.news.iter();
        if let Phase::Over(end) = self.own.log.phase()
            && !news.any(|news| matches!(news, News::Over(_)))
        {
            reports.push(News::Over(end));
            reports.ended = true;
        }
    }

    pub(in crate::play) fn has_ended(&self) -> bool {
        self.own.reports.ended
    }
}
