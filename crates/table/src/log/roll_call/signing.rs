//! When the owner of a log signs a roll call or an answer.

use std::collections::BTreeMap;

use super::{FIRST_STEP, MAX_ROUNDS, SignedRollCall};
use crate::identity::Identity;
use crate::log::event::LogEvent;
use crate::log::match_log::{CannotSign, MatchLog};
use crate::log::phase::Phase;
use crate::log::signed::{Signed, Statement};
use crate::seat::{Seat, SeatSet};

/// The number of roll calls in one step that excuse a seat which does not sign its part.
const EXCUSES: usize = 3;

/// What a seat lacks from another one. It determines how long the seat waits before it signs a roll
/// call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A statement for the current release. The seat's machine signs it.
    Statement,
    /// The part that is due in the current step.
    Part,
    /// An answer to a roll call. The seat's machine signs it.
    Answer,
    /// Nothing can replace the part: the seat has committed a foul. No time has to pass.
    Foul,
    /// An open roll call of the owner names the seat. Its time was over before.
    Named,
}

impl MatchLog {
    /// The seats that a roll call of the owner would name now, in order, and what is missing from each:
    /// those that have committed fouls, or else all from which the owner lacks something. Empty if the
    /// owner may sign no roll call.
    pub(crate) fn missing(&self) -> Vec<(Seat, Missing)> {
        let Some(round) = self.next_round() else {
            return Vec::new();
        };
        let mut missing = self.lacking(round);
        // A seat with a foul is removed at once, and not when the time of other seats is over.
        if missing.values().any(|what| *what == Missing::Foul) {
            missing.retain(|_, what| *what == Missing::Foul);
        }
        let open: SeatSet = self.named_by_open_calls().collect();
        // While a roll call is open, only one that names more seats follows.
        if missing.keys().all(|seat| open.contains(*seat)) {
            return Vec::new();
        }
        for seat in open.iter() {
            missing.entry(seat).or_insert(Missing::Named);
        }
        let named = missing.keys().copied().collect();
        match self.are_too_few(self.live_at(self.step()), named) {
            true => Vec::new(),
            false => missing.into_iter().collect(),
        }
    }

    /// The number of the owner's next roll call in the current step. `None` if the owner may sign
    /// none, whoever is missing.
    fn next_round(&self) -> Option<u8> {
        let step = self.step();
        let is_playing = !self.is_over() && self.may_call_in(step);
        let is_used = |round: &u8| self.has_signed_round(step, *round);
        (0..MAX_ROUNDS)
            .filter(|_| is_playing)
            .find(|round| !is_used(round))
    }

    /// Whether the owner may sign roll calls and answers in this step.
    fn may_call_in(&self, step: u64) -> bool {
        self.match_info().has_roll_calls()
            && step >= FIRST_STEP
            && self.no_roll_calls.is_none_or(|last| step > last)
            && self.live_at(step).contains(self.owner)
    }

    fn has_signed_round(&self, step: u64, round: u8) -> bool {
        let mut calls = self.calls_at(step).iter();
        calls.any(|call| call.seat == self.owner && call.round == round)
    }

    /// The seats from which the owner lacks something in the current step, for a roll call with this
    /// number.
    fn lacking(&self, round: u8) -> BTreeMap<Seat, Missing> {
        let (step, owner) = (self.step(), self.owner);
        let lacks = self.lacks(owner);
        let shuffles_ahead = self.deal_waits_for();
        let (seats, what) = match (&lacks[..], shuffles_ahead) {
            ([], None) => (self.state.signers(), Missing::Part),
            // A deal waits for the shuffles that were made ahead.
            ([], Some(seat)) => (vec![seat], Missing::Part),
            _ => (lacks, Missing::Statement),
        };
        // A deal does not replace the shuffle for which the other deals wait.
        let has_signed = |seat: Seat| {
            let is_due = what == Missing::Part && shuffles_ahead.is_none();
            is_due && self.part(step, seat).is_some()
        };
        let seats =
            (seats.into_iter()).filter(|seat| !has_signed(*seat) && !self.is_excused(*seat));
        let mut missing: BTreeMap<_, _> = seats.map(|seat| (seat, what)).collect();
        let live = self.live_at(step);
        for call in self.calls.iter().filter(|call| !call.is_answer()) {
            let has_answered = |seat: &Seat| {
                let mut calls = self.calls.iter();
                calls.any(|other| other.round == call.round && other.seat == *seat)
            };
            let asked = live.without(call.missing).iter();
            for seat in asked.filter(|seat| call.round < round && !has_answered(seat)) {
                missing.insert(seat, Missing::Answer);
            }
        }
        let fouls = self.convictions.fouls().iter();
        for seat in fouls.map(|proof| proof.part.seat) {
            if live.contains(seat) {
                missing.insert(seat, Missing::Foul);
            }
        }
        missing.remove(&owner);
        missing
    }

    /// Whether an open roll call binds the seat, so that it owes no part. A seat that never stops
    /// calling the roll is not excused for ever.
    fn is_excused(&self, seat: Seat) -> bool {
        let calls = self.calls.iter();
        let own = calls.filter(|call| call.seat == seat && !call.is_answer());
        own.take(EXCUSES).any(|call| !self.is_lost(call))
    }

    /// Signs the roll call that names the [missing](Self::missing) seats, and adds it to the log. The
    /// time of the seats in `late` is over. Returns the roll call with its history, and the events of the
    /// step if the roll call ends it. The caller must [write](crate::log::Journal::append) it before
    /// sending it.
    ///
    /// # Errors
    /// [`CannotSign::NoRollCall`] if no seat is missing, the time of a missing seat is not over, or the
    /// owner may sign no roll call.
    pub(crate) fn sign_roll_call(
        &mut self,
        identity: &Identity,
        late: &[Seat],
    ) -> Result<(Statement, Vec<LogEvent>), CannotSign> {
        let missing = self.missing();
        let is_due = |(seat, what): &(Seat, Missing)| match what {
            Missing::Foul | Missing::Named => true,
            Missing::Statement | Missing::Part | Missing::Answer => late.contains(seat),
        };
        let round = self.next_round().ok_or(CannotSign::NoRollCall)?;
        if missing.is_empty() || !missing.iter().all(is_due) {
            return Err(CannotSign::NoRollCall);
        }
        let named = missing.into_iter().map(|(seat, _)| seat).collect();
        let call = self.signed_call(identity, self.step(), round, named);
        let call = call.ok_or(CannotSign::NoRollCall)?;
        let events = self.insert_call(call.1.clone());
        let (before, call) = call;
        let signed = Signed::RollCall(Box::new(call));
        Ok((Statement { before, signed }, events))
    }

    /// What the owner lacks in the current step, even if it may sign no roll call because of it.
    pub(crate) fn lacks_of_others(&self) -> Vec<(Seat, Missing)> {
        if self.is_over() {
            return Vec::new();
        }
        let lacking = self.lacking(self.next_round().unwrap_or(0));
        lacking.into_iter().collect()
    }

    /// The number of roll calls that the owner has signed in the current step, and of those that were
    /// lost.
    pub(crate) fn own_roll_calls(&self) -> (usize, usize) {
        let calls = self.calls_at(self.step()).iter();
        let own = calls.filter(|call| call.seat == self.owner && !call.is_answer());
        let lost = own.clone().filter(|call| self.is_lost(call));
        (own.count(), lost.count())
    }

    /// The step and the number of a roll call that the owner has to answer. `None` if there is none. In a
    /// step that all other seats of this step have passed, nobody needs an answer: a seat that passes a
    /// step has no open roll call there. A seat that is gone may not have come to the step in which it was
    /// removed. Without this rule, a cheat could make the owner write answers for all steps that it knows.
    pub(crate) fn owes_answer(&self) -> Option<(u64, u8)> {
        let is_over = matches!(self.state.phase, Phase::Over(_));
        let end = self.step() + u64::from(!is_over);
        let steps = self.first_step().max(FIRST_STEP)..end;
        let unanswered = |step| {
            let calls = self.calls_at(step).iter().filter(|call| !call.is_answer());
            let mut open = calls.filter(|call| self.may_answer(step, call.round));
            open.next().map(|call| (step, call.round))
        };
        let mut unanswered = steps.rev().filter_map(unanswered).peekable();
        unanswered.peek().filter(|_| !self.is_removed())?;
        let seats = Seat::all(self.match_info().seats());
        let last: Vec<_> = seats.map(|seat| self.last_signed(seat)).collect();
        let is_needed = |(step, _): &(u64, u8)| {
            let mut others = self.live_at(*step).iter().filter(|s| *s != self.owner);
            others.any(|seat| last[seat.index()] <= Some(*step))
        };
        unanswered.find(is_needed)
    }

    /// Whether the owner has not signed anything with this number, and lacks nothing from any seat.
    fn may_answer(&self, step: u64, round: u8) -> bool {
        let lacks_nothing = || step < self.step() || self.lacking(round).is_empty();
        self.may_call_in(step) && !self.has_signed_round(step, round) && lacks_nothing()
    }

    /// Signs an [answer](Self::owes_answer), and adds it to the log. Returns it with its history. The
    /// caller must [write](crate::log::Journal::append) it before sending it.
    ///
    /// # Errors
    /// [`CannotSign::NoRollCall`] if the owner owes none.
    pub(crate) fn sign_answer(&mut self, identity: &Identity) -> Result<Statement, CannotSign> {
        let (step, round) = self.owes_answer().ok_or(CannotSign::NoRollCall)?;
        let call = self.signed_call(identity, step, round, SeatSet::default());
        let (before, call) = call.ok_or(CannotSign::NoRollCall)?;
        self.insert_call(call.clone());
        let signed = Signed::RollCall(Box::new(call));
        Ok(Statement { before, signed })
    }

    /// A roll call of the owner, and the hash of the steps before it.
    fn signed_call(
        &self,
        identity: &Identity,
        step: u64,
        round: u8,
        missing: SeatSet,
    ) -> Option<([u8; 32], SignedRollCall)> {
        let (of, before) = (self.match_info().id(), self.hash_before(step)?);
        let own = self.part(step, self.owner);
        let place = (step, self.owner);
        let call = SignedRollCall::sign(identity, &of, &before, place, (round, missing), own);
        Some((before, call))
    }

    /// Forbids the owner to sign roll calls and answers in this step and all earlier ones. A seat that
    /// was restored from an older file could have signed others there, and an answer depends on the
    /// time at which it was signed. Not stored in the match file.
    pub(crate) fn forbid_roll_calls_up_to(&mut self, step: u64) {
        self.no_roll_calls = self.no_roll_calls.max(Some(step));
    }
}
