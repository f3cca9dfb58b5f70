//! What a seat reports to its player.

use std::collections::VecDeque;

use super::super::news::News;
use crate::log::End;
use crate::seat::Seat;

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

    /// Asks the player a question, once in each step.
    pub(super) fn ask(&mut self, step: u64, question: News) {
        if self.asked.replace(step) != Some(step) {
            self.push(question);
        }
    }

    /// Allows the question of this step to be asked again.
    pub(super) fn ask_again(&mut self) {
        self.asked = None;
    }

    /// Returns the news that it is another seat's turn, once in each step.
    pub(super) fn their_turn(&mut self, step: u64, seat: Seat) -> Option<News> {
        let is_new = self.reported_turn.replace(step) != Some(step);
        is_new.then_some(News::TheirTurn { seat })
    }

    /// Allows the question and the turn of this step to be reported again, on another connection.
    pub(super) fn repeat_step(&mut self) {
        (self.asked, self.reported_turn) = (None, None);
    }

    /// Reports that the match is over, unless the player is about to read this.
    pub(super) fn end(&mut self, end: End) {
        if !self.news.iter().any(|news| matches!(news, News::Over(_))) {
            self.push(News::Over(end));
            self.ended = true;
        }
    }

    /// Whether the end of the match was reported.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}
