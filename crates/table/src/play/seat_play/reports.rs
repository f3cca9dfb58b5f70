//! What a seat reports to its player.

use std::collections::VecDeque;

use dealerless_connection::storage::Storage;

use super::super::news::News;
use super::own_seat::OwnSeat;
use crate::log::Phase;

/// The news for the player.
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

impl Reports {
    pub(super) fn push(&mut self, news: News) {
        self.news.push_back(news);
    }

    pub(super) fn next(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Allows the question of this step to be asked again.
    pub(super) fn ask_again(&mut self) {
        self.asked = None;
    }

    /// Allows the question and the turn of this step to be reported again, on another connection.
    pub(super) fn repeat_step(&mut self) {
        (self.asked, self.reported_turn) = (None, None);
    }

    /// Whether the end of the match was reported.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}

impl<S: Storage, R> OwnSeat<S, R> {
    /// Asks the player a question, once in each step.
    pub(super) fn ask(&mut self, question: News) {
        let step = self.log.step();
        if self.reports.asked.replace(step) != Some(step) {
            self.reports.push(question);
        }
    }

    /// Returns the news that it is another seat's turn, once in each step of a connection.
    pub(super) fn their_turn(&mut self) -> Option<News> {
        let step = self.log.step();
        match self.log.phase() {
            Phase::Choose { seat, .. } if seat != self.seat => {
                let is_new = self.reports.reported_turn.replace(step) != Some(step);
                is_new.then_some(News::TheirTurn { seat })
            }
            _ => None,
        }
    }

    /// Reports that the match is over. After a conviction with several seats, this waits until all
    /// remaining seats have confirmed the end of the log.
    pub(super) fn report_end(&mut self) {
        if self.log.unconfirmed().is_empty() {
            self.report_unconfirmed_end();
        }
    }

    /// Reports once that the match is over, if an ack was the last confirmation after a conviction.
    pub(super) fn report_confirmed_end(&mut self) {
        if self.log.is_convicted() && !self.reports.ended {
            self.report_end();
        }
    }

    /// Reports that the match is over, even if the final chips can still change.
    pub(super) fn report_unconfirmed_end(&mut self) {
        let reports = &mut self.reports;
        if let Phase::Over(end) = self.log.phase()
            && !reports
                .news
                .iter()
                .any(|news| matches!(news, News::Over(_)))
        {
            reports.push(News::Over(end));
            reports.ended = true;
        }
    }
}
