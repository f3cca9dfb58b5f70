//! What a person types, and what the screen says to that.

use std::io;

use super::super::command::{Complaint, Said};
use super::super::event::Seated;
use super::super::player::Wish;
use super::super::prompt::{self, Asked, Typed};
use super::super::turn;
use super::Screen;

impl Screen {
    /// Reads what was typed.
    pub(crate) fn read(&mut self, text: &str) -> Result<Wish, Complaint> {
        // The terminal has ended the line of the prompt.
        self.unfinished = false;
        let asked = Asked {
            turn: self.turn.as_ref(),
            rebuy: self.rebuy,
            seat: self.own_seat(),
            seats: self.seated.as_ref().map_or(2, |seated| seated.names.len()),
            boards: self.seated.as_ref().and_then(Seated::boards),
        };
        let typed = prompt::read(text, &asked)?;
        let sure = std::mem::take(&mut self.sure);
        // That the terminal cannot be written to is noticed by the next event.
        match typed {
            Typed::Nothing => {
                let _ = self.ask_again();
            }
            Typed::Help => {
                let help = match asked.boards {
                    Some(_) => turn::HELP_WITH_BOARDS,
                    None => turn::HELP,
                };
                let _ = self.line(help).and_then(|()| self.ask_again());
            }
            Typed::Leave if sure == Some(Typed::Leave) || self.leaving => {
                return Ok(Wish::Say(Said::Leave {}, None));
            }
            Typed::Leave => {
                self.sure = Some(Typed::Leave);
                let text = "Leave the match for good? Say q once more; anything else goes on.";
                let _ = self.line(text).and_then(|()| self.ask_again());
            }
            Typed::Close if sure == Some(Typed::Close) => {
                return Ok(Wish::Say(Said::Close {}, None));
            }
            Typed::Close => {
                self.sure = Some(Typed::Close);
                let text = "Close the match here? Say close once more; anything else goes on.";
                let _ = self.line(text).and_then(|()| self.ask_again());
            }
            Typed::Say(said) => {
                if matches!(said, Said::Rebuy { .. }) {
                    self.rebuy = false;
                }
                return Ok(Wish::Say(said, None));
            }
        }
        Ok(Wish::Nothing)
    }

    /// The player leaves at its next turn.
    pub(crate) fn leaves(&mut self) {
        if !std::mem::replace(&mut self.leaving, true) {
            // That the terminal cannot be written to is noticed by the next event.
            let _ = self.line("You leave as soon as it is your turn to speak.");
        }
    }

    fn ask_again(&mut self) -> io::Result<()> {
        match self.turn.is_some() || self.rebuy {
            true => self.prompt(),
            false => Ok(()),
        }
    }

    /// The program ends: what is said next begins a line.
    pub(crate) fn ends(&mut self) {
        if std::mem::take(&mut self.unfinished) {
            // That the terminal cannot be written to does not matter any more.
            let _ = self.whole_line("");
        }
    }
}
