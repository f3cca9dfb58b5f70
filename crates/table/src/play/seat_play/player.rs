//! What the player of a seat has said.

use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;

use super::super::news::{Command, News, NotNow};
use super::SeatSetting;
use super::own_deck::OwnDeck;
use super::reports::Reports;
use crate::log::{MatchLog, Part, Phase};
use crate::rules::{Choice, Foul, Legal, Outcome};
use crate::seat::Seat;

/// What the player has said and the seat has not signed yet.
#[derive(Default)]
pub(super) struct Player {
    choice: Option<Choice>,
    rebuy: Option<bool>,
    leaving: bool,
    sits_out: bool,
    /// Whether this seat waits for [`Command::Next`] after each showdown.
    pauses: bool,
    /// Whether this seat is waiting after a showdown.
    paused: bool,
    /// Whether too few seats played in the last hand, because the others sat out.
    idle: bool,
}

impl Player {
    /// Processes a command of the player.
    ///
    /// # Errors
    /// [`NotNow`]. Nothing has changed.
    pub(super) fn command<S: Storage, V: Vault, R>(
        &mut self,
        command: Command,
        setting: &SeatSetting<S, R>,
        deck: &mut OwnDeck<S, V>,
        reports: &mut Reports,
    ) -> Result<(), NotNow> {
        let (log, seat) = (&setting.log, setting.seat);
        match command {
            Command::Choose(choice) => {
                let allowed = log.may_choose(seat, &choice);
                if let Err(Foul::OutOfTurn { .. } | Foul::NotAsked) = allowed {
                    return Err(NotNow::NotYourTurn);
                }
                if matches!(choice, Choice::Steal(_)) && !deck.can_steal() {
                    return Err(NotNow::OnlyOpens);
                }
                allowed.map_err(NotNow::Foul)?;
                self.choice = Some(choice);
            }
            Command::Rebuy(agreed) => {
                if log.phase() != Phase::Deal || broke(log).is_empty() {
                    return Err(NotNow::NobodyAsked);
                }
                self.rebuy = Some(agreed);
            }
            Command::DealAgain => {
                deck.deal_again(log, seat)?;
                reports.ask_again();
            }
            Command::Next => match std::mem::take(&mut self.paused) {
                true => {}
                false => return Err(NotNow::NobodyAsked),
            },
            Command::SitOut(out) => {
                self.sits_out = out;
                reports.ask_again();
            }
            Command::Leave { .. } => self.leaving = true,
            Command::Stay => match std::mem::take(&mut self.leaving) {
                true => {}
                false => return Err(NotNow::NotLeaving),
            },
            // The table, not the seat, connects and closes.
            Command::Close | Command::Again => return Err(NotNow::NobodyAsked),
        }
        Ok(())
    }

    pub(super) fn pause_after_showdowns(&mut self) {
        self.pauses = true;
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving
    }

    pub(super) fn sits_out(&self) -> bool {
        self.sits_out
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether too few seats played in the last hand, because the others sat out.
    pub(super) fn is_idle(&self) -> bool {
        self.idle
    }

    /// The choice of the player, who is asked for it.
    pub(super) fn choose(
        &mut self,
        step: u64,
        legal: Legal,
        reports: &mut Reports,
    ) -> Option<Part> {
        let choice = self.choice.take();
        if choice.is_none() {
            reports.ask(step, News::YourTurn { legal });
        }
        choice.map(Part::Move)
    }

    /// Forgets the choice, once this seat has signed a part. A choice that was made with an older file
    /// is not one for a later turn.
    pub(super) fn forget_choice(&mut self) {
        self.choice = None;
    }

    /// Whether the player has not said yet whether seats without chips may buy in again.
    pub(super) fn lacks_rebuy(&self) -> bool {
        self.rebuy.is_none()
    }

    /// For each seat, whether it may buy in again.
    pub(super) fn take_rebuys(&mut self, log: &MatchLog) -> Vec<bool> {
        let agreed = self.rebuy.take().unwrap_or(false);
        let seats = Seat::all(log.match_info().seats());
        seats.map(|seat| agreed && log.may_rebuy(seat)).collect()
    }

    pub(super) fn after_hand(&mut self, outcome: &Outcome) {
        self.paused = self.pauses && !outcome.shown.is_empty();
        self.idle = outcome.pots.is_empty();
    }
}

/// The seats that may buy in again before the deal. Empty in a game without chips.
pub(super) fn broke(log: &MatchLog) -> Vec<Seat> {
    let seats = Seat::all(log.match_info().seats());
    seats.filter(|seat| log.may_rebuy(*seat)).collect()
}
