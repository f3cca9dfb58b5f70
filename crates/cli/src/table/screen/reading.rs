//! The input of a person, and the screen's answers to it.

use dealerless_seat::command::{Complaint, Said};
use dealerless_seat::event::Ask;
use dealerless_seat::seated::Seated;

use super::super::prompt::{self, Asked, Typed};
use super::super::turn;
use super::Screen;
use super::asked::{Answer, Door};

impl Screen {
    /// Parses typed text. Returns `None` if the screen has answered the text. Returns
    /// [`Said::Leave`] without `anyhow` if the person asks what leaving costs.
    pub(crate) fn read(&mut self, text: &str) -> Result<Option<Said>, Complaint> {
        self.output.typed();
        if !self.listens {
            return Ok(None);
        }
        let said = self.said(text);
        if said == Ok(None) {
            // The next event reports an error of the terminal.
            let _ = self.prompt();
        }
        said
    }

    fn said(&mut self, text: &str) -> Result<Option<Said>, Complaint> {
        if self.due().is_some() {
            let rebuy = self.rebuy;
            // The next event reports an error of the terminal.
            let _ = self.hurry();
            // An empty line only shows the pending streets. The person did not see a question that
            // comes after the streets.
            if text.trim().is_empty() || self.rebuy != rebuy {
                return Ok(None);
            }
        }
        if let Some(question) = &self.question {
            return Ok(match question.answer(text)? {
                Answer::Nothing => None,
                Answer::Say(said) => {
                    self.question = None;
                    Some(said)
                }
                Answer::Details(details) => {
                    for line in details {
                        // The next event reports an error of the terminal.
                        let _ = self.line(&line);
                    }
                    None
                }
            });
        }
        if let Some(door) = &self.door
            && (self.narrator.seated().is_none() || Door::is_meant(text))
        {
            return door.answer(text);
        }
        let meant = self.sure.take();
        let typed = match (&meant, text.trim().to_lowercase().as_str()) {
            (Some(meant @ Typed::Say(_)), "y" | "yes") => meant.clone(),
            (Some(Typed::Say(_)), "n" | "no") => Typed::Nothing,
            _ => prompt::read(text, &self.asked())?,
        };
        if meant.as_ref() != Some(&typed) && self.asks_to_confirm(&typed) {
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
                let help = turn::help(self.narrator.seated());
                // The next event reports an error of the terminal.
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

    /// Shows the player's choices again if it is the player's turn.
    fn show_turn_again(&mut self) {
        if let Some(turn) = &self.turn {
            let block = turn::block(self.narrator.names(), self.ink, turn);
            // The next event reports an error of the terminal.
            let _ = self.line(&block);
        }
    }

    /// The state that decides how typed words are read.
    fn asked(&self) -> Asked<'_> {
        let seated = self.narrator.seated();
        Asked {
            turn: self.turn.as_ref(),
            rebuy: self.rebuy,
            seat: self.own_seat(),
            seats: seated.map_or(2, |seated| seated.names.len()),
            has_chips: seated.is_some_and(|seated| seated.chips.is_some()),
            boards: seated.and_then(Seated::boards),
        }
    }

    /// Asks for confirmation before `typed` leaves or closes the match or gives chips away. Returns
    /// whether a confirmation is needed.
    fn asks_to_confirm(&mut self, typed: &Typed) -> bool {
        let ask = self.turn.as_ref().map(|turn| &turn.ask);
        let text = match (typed, ask) {
            // The seat asks this question, with the cost of leaving (`SeatInPlay::ask_leave`).
            (Typed::Leave, _) => return true,
            (Typed::Close, _) => {
                "Close the match here? Type close again to confirm; any other input cancels."
            }
            (Typed::Say(Said::Fold {}), Some(Ask::Bet { call: None, .. })) if self.confirms => {
                "You can check for free. Fold anyway? y or n"
            }
            (Typed::Say(Said::Muck {}), Some(Ask::ShowOrMuck { wins: true })) if self.confirms => {
                "No shown hand beats yours, and mucking gives the pot away. Muck anyway? y or n"
            }
            _ => return false,
        };
        // The next event reports an error of the terminal.
        let _ = self.line(text);
        true
    }

    /// Prepares for the end of the program: the next output begins a line.
    pub(crate) fn ends(&mut self) {
        // It does not matter any more if the terminal cannot be written to.
        let _ = self.hurry().and_then(|()| self.output.end());
    }
}
