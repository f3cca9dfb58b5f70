//! Roll calls: how a seat takes part in the removal of silent seats, and learns of it.

use std::collections::BTreeMap;

use rand::CryptoRng;

use super::super::clocks::Lacks;
use super::super::error::PlayError;
use super::super::news::News;
use super::Play;
use crate::log::{CannotSign, LogEvent, Missing, Phase, Signed, SignedRollCall};
use crate::seat::Seat;
use crate::storage::Storage;
use crate::storage::Vault;

/// The seats whose time is out for what they lack, at a place of the log.
#[derive(Default)]
pub(super) struct Late {
    /// The step, and the number of roll calls that this seat has signed in it. Each roll call needs new
    /// timeouts.
    place: (u64, usize),
    seats: Vec<(Seat, Lacks)>,
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// What this seat lacks of other seats that have time for it, even if too few would be left without
    /// them. After a start, their histories, if too few have sent them. `None` in a match whose seats
    /// cannot be removed.
    pub(in crate::play) fn lacks(&self) -> Option<BTreeMap<Seat, Lacks>> {
        let log = &self.setting.log;
        let lacks = |(seat, missing)| match missing {
            Missing::Part if self.asks_player(seat) => Some((seat, Lacks::Choice)),
            Missing::Part => Some((seat, Lacks::Part)),
            Missing::Statement => Some((seat, Lacks::Statement)),
            Missing::Answer => Some((seat, Lacks::Answer)),
            // Their time is out, or they have none.
            Missing::Foul | Missing::Named => None,
        };
        if self.is_merging() {
            let unheard = log.unheard(&self.heard).iter();
            return Some(unheard.map(|seat| (seat, Lacks::Statement)).collect());
        }
        let has_roll_calls = log.match_info().has_roll_calls();
        has_roll_calls.then(|| {
            log.lacks_of_others()
                .into_iter()
                .filter_map(lacks)
                .collect()
        })
    }

    /// Whether the program of another seat may ask its player before it signs its part.
    fn asks_player(&self, seat: Seat) -> bool {
        match self.setting.log.phase() {
            Phase::Choose { seat: now, .. } => now == seat,
            Phase::Deal => self.idle || self.asks_about_rebuys(),
            _ => false,
        }
    }

    /// The seats that a roll call of this seat would name now. Empty if it may sign none.
    pub(in crate::play) fn may_name(&self) -> Vec<Seat> {
        let missing = self.setting.log.missing().into_iter();
        let may_sign = self.is_synced();
        missing.filter(|_| may_sign).map(|(seat, _)| seat).collect()
    }

    /// The number of this seat's roll calls in the current step that were lost.
    pub(in crate::play) fn lost_roll_calls(&self) -> usize {
        self.setting.log.own_roll_calls().1
    }

    fn place(&self) -> (u64, usize) {
        (self.setting.log.step(), self.setting.log.own_roll_calls().0)
    }

    /// Sets the other seats whose time is out now, and what this time was for.
    pub(in crate::play) fn set_late(&mut self, seats: Vec<(Seat, Lacks)>) {
        self.late = Late {
            place: self.place(),
            seats,
        };
    }

    /// Before this seat signs its first statement after a restart, forbids roll calls and answers in the
    /// current step and all earlier ones.
    pub(super) fn forbid_earlier_roll_calls(&mut self) {
        if std::mem::take(&mut self.is_restarted) {
            self.no_roll_calls = Some(self.setting.log.step());
            self.forbid_roll_calls();
        }
    }

    /// Forbids the log the same roll calls again, after it was read from the file.
    pub(super) fn forbid_roll_calls(&mut self) {
        if let Some(step) = self.no_roll_calls {
            self.setting.log.forbid_roll_calls_up_to(step);
        }
    }

    /// Whether this seat has left, and the others play on. Then it needs its secret no more.
    pub(super) fn plays_no_more(&self) -> bool {
        let log = &self.setting.log;
        log.match_info().has_roll_calls() && log.gone().contains(&self.setting.seat)
    }

    /// Signs the answer to a roll call, if this seat owes one.
    pub(super) fn answer_roll_call(&mut self) -> Result<bool, PlayError> {
        if self.setting.log.owes_answer().is_none() {
            return Ok(false);
        }
        let answer = self.setting.log.sign_answer(&self.setting.identity)?;
        self.send_own(answer.before, answer.signed);
        Ok(true)
    }

    /// Calls the roll, if the time of all missing seats is out.
    pub(super) fn call_roll(&mut self) -> Result<bool, PlayError> {
        if !self.setting.log.match_info().has_roll_calls() {
            return Ok(false);
        }
        let now = self.place();
        // After a late ack, the time for the part has not begun yet.
        let lacks = self.lacks().filter(|_| self.late.place == now);
        let lacks = lacks.unwrap_or_default();
        let late = self.late.seats.iter();
        let late = late.filter(|(seat, for_what)| lacks.get(seat) == Some(for_what));
        let late: Vec<Seat> = late.map(|(seat, _)| *seat).collect();
        let signed = (self.setting.log).sign_roll_call(&self.setting.identity, &late);
        let (statement, events) = match signed {
            Err(CannotSign::NoRollCall) => return Ok(false),
            signed => signed?,
        };
        if let Signed::RollCall(call) = &statement.signed {
            self.report_roll_call(call);
        }
        self.send_own(statement.before, statement.signed);
        self.after_roll_call(now.0, events)?;
        Ok(true)
    }

    /// Reacts to a roll call of another seat that was added to the log, and caused `events`.
    pub(super) fn after_their_roll_call(
        &mut self,
        call: &SignedRollCall,
        events: Vec<LogEvent>,
    ) -> Result<(), PlayError> {
        self.report_roll_call(call);
        if !call.is_answer() {
            // The seat lacks something. Other seats may have sent it to this side only.
            self.answer(call.seat, call.step);
        }
        self.after_roll_call(call.step, events)
    }

    fn after_roll_call(&mut self, step: u64, events: Vec<LogEvent>) -> Result<(), PlayError> {
        for event in events {
            self.handle_event(step, event)?;
        }
        self.report_end();
        Ok(())
    }

    fn report_roll_call(&mut self, call: &SignedRollCall) {
        if !call.is_answer() {
            self.news.push_back(News::RollCall {
                seat: call.seat,
                missing: call.missing.iter().collect(),
            });
        }
    }
}
