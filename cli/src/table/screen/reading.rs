//! What a person types, and what the screen says to that.

use dealerless_events::command::{Complaint, Said};
use dealerless_events::event::Ask;
use dealerless_events::seated::Seated;

use super::super::prompt::{self, Asked, Typed};
use super::super::turn;
use super::Screen;

impl Screen {
    /// Reads what was typed. None if the screen has answered it. [`Said::Leave`] without `anyhow` asks what
    /// it costs to leave.
    pub(crate) fn read(&mut self, text: &str) -> Result<Option<Said>, Complaint> {
        self.output.typed();
        if !self.listens {
            return Ok(None);
        }
        let said = self.said(text);
        if said == Ok(None) {
            // That the terminal cannot be written to is noticed by the next event.
            let _ = self.prompt();
        }
        said
    }

    /// The terminal has ended the row of the prompt.
    pub(crate) fn typed(&mut self) {
        self.output.typed();
    }

    fn said(&mut self, text: &str) -> Result<Option<Said>, Complaint> {
        if self.due().is_some() {
            let rebuy = self.rebuy;
            // As above.
            let _ = self.hurry();
            // Enter has shown the streets that waited, and nobody had seen a question behind them.
            if text.trim().is_empty() || self.rebuy != rebuy {
                return Ok(None);
            }
        }
        if let Some(question) = &self.question {
            let answer = question.answer(text)?;
            if answer.is_some() {
                self.question = None;
            }
            return Ok(answer);
        }
        let meant = self.sure.take();
        let typed = match (&meant, text.trim().to_lowercase().as_str()) {
            (Some(meant @ Typed::Say(_)), "y" | "yes") => meant.clone(),
            (Some(Typed::Say(_)), "n" | "no") => Typed::Nothing,
            _ => prompt::read(text, &self.asked())?,
        };
        if meant.as_ref() != Some(&typed) && self.doubts(&typed) {
            let leaves = typed == Typed::Leave;
            self.sure = Some(typed);
            return Ok(leaves.then_some(Said::Leave { anyhow: false }));
        }
        Ok(match typed {
            Typed::Nothing if std::mem::take(&mut self.paused) => Some(Said::Next {}),
            Typed::Nothing => {
                self.show_turn_again();
                None
            }
            Typed::Help => {
                let help = turn::help(self.seated.as_ref());
                // As above.
                let _ = self.output.lines(&help);
                self.show_turn_again();
                None
            }
            Typed::Leave => Some(Said::Leave { anyhow: true }),
            Typed::Close => Some(Said::Close {}),
            Typed::Say(said) => {
                self.rebuy &= !matches!(said, Said::Rebuy { .. });
                Some(said)
            }
        })
    }

    /// Shows once more what the player looks at before it chooses, if it is its turn.
    fn show_turn_again(&mut self) {
        if let Some(turn) = &self.turn {
            let block = turn::block(&self.names, self.ink, turn);
            // As above.
            let _ = self.line(&block);
        }
    }

    /// What typed words are an answer to.
    fn asked(&self) -> Asked<'_> {
        let seated = self.seated.as_ref();
        Asked {
            turn: self.turn.as_ref(),
            rebuy: self.rebuy,
            seat: self.own_seat(),
            seats: seated.map_or(2, |seated| seated.names.len()),
            has_chips: seated.is_some_and(|seated| seated.chips.is_some()),
            boards: seated.and_then(Seated::boards),
        }
    }

    /// Asks whether the player means what it has typed, if that is not to be undone. Returns whether it does.
    fn doubts(&mut self, typed: &Typed) -> bool {
        let ask = self.turn.as_ref().map(|turn| &turn.ask);
        let text = match (typed, ask) {
            // The seat asks, and tells what it costs.
            (Typed::Leave, _) => return true,
            (Typed::Close, _) => {
                "Close the match here? Say close once more; anything else goes on."
            }
            (Typed::Say(Said::Fold {}), Some(Ask::Bet { call: None, .. })) if self.confirms => {
                "You can check for free. Fold anyway? y or n"
            }
            (Typed::Say(Said::Muck {}), Some(Ask::ShowOrMuck { wins: true })) if self.confirms => {
                "No shown hand beats yours, and a muck gives the pot away. Muck anyway? y or n"
            }
            _ => return false,
        };
        // As above.
        let _ = self.line(text);
        true
    }

    /// The program ends: what is said next begins a line.
    pub(crate) fn ends(&mut self) {
        // That the terminal cannot be written to does not matter any more.
        let _ = self.hurry().and_then(|()| self.output.end());
    }
}
