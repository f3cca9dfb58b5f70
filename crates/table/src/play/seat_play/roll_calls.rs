//! Roll calls: how a seat takes part in the removal of silent seats, and learns of it.

use std::collections::{BTreeMap, BTreeSet};

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::clocks::Due;
use super::super::error::PlayError;
use super::super::news::News;
use super::Play;
use crate::log::{CannotSign, Claimable, LogEvent, Missing, Phase, Signed, SignedVote, Statement};
use crate::seat::{Seat, SeatSet};

/// What this seat has lacked of other seats until the time for it was over.
#[derive(Default)]
pub(super) struct Over {
    step: u64,
    claims: BTreeSet<Claimable>,
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// What this seat lacks of other seats, even if too few would be left without them. After a start,
    /// their histories, if too few have sent them. `None` in a match whose seats cannot be removed.
    pub(in crate::play) fn missing(&self) -> Option<BTreeMap<Claimable, Due>> {
        let log = &self.own.log;
        if !log.match_info().has_roll_calls() {
            return None;
        }
        if self.is_merging() {
            let unheard = self.unheard();
            let claims = unheard
                .iter()
                .map(|seat| ((seat, Missing::Statement), Due::default()));
            return Some(claims.collect());
        }
        let (missing, calls) = (log.missing().into_iter(), log.calls());
        let due = |claim: Claimable| {
            let (seat, what) = claim;
            let mut seats = Seat::all(log.match_info().seats());
            let called = match what {
                Missing::Vote(id) => {
                    let mut calls = calls.iter();
                    calls.find_map(|calls| Some((calls, *calls.depths.get(&id)?)))
                }
                _ => None,
            };
            let chooses = match (what, called) {
                (Missing::Vote(_), Some((calls, _))) if calls.step < log.step() => calls.chooses,
                (Missing::Vote(_), _) => seats.any(|seat| self.asks_player(seat)),
                (Missing::Shuffle, _) => false,
                _ => self.asks_player(seat),
            };
            let place = called.map(|(calls, depth)| (calls.step, depth));
            let (step, depth) = place.unwrap_or((log.step() + 1, 0));
            let mut earlier = calls.iter().filter(|calls| calls.step < step);
            let due = Due {
                chooses,
                depth,
                is_bound: earlier.any(|calls| calls.open.contains(seat)),
            };
            (claim, due)
        };
        Some(missing.map(due).collect())
    }

    /// Whether the program of another seat may ask its player before it signs its part.
    fn asks_player(&self, seat: Seat) -> bool {
        match self.own.log.phase() {
            Phase::Choose { seat: now, .. } => now == seat,
            Phase::Deal => self.own.player.idle,
            _ => false,
        }
    }

    /// The seats that the next call of this seat names, once the time of all that it lacks is over.
    /// Empty if too few would be left.
    pub(in crate::play) fn may_name(&self) -> SeatSet {
        let log = &self.own.log;
        let all = log.missing();
        let call = log.next_call(&all).filter(|_| self.is_synced());
        call.map_or(SeatSet::default(), |(_, call)| call.named())
    }

    /// Sets what this seat has lacked for so long that the time is over. Returns whether this is new.
    pub(in crate::play) fn set_over(&mut self, claims: BTreeSet<Claimable>) -> bool {
        let step = self.own.log.step();
        let before = std::mem::replace(&mut self.over, Over { step, claims });
        before.step != step && !self.over.claims.is_empty() || before.claims != self.over.claims
    }

    /// Makes this seat show that it is there, if it has not in this step: its player has thought for some
    /// time. Returns whether this is new.
    pub(in crate::play) fn set_thinking(&mut self) -> bool {
        let step = Some(self.own.log.step());
        std::mem::replace(&mut self.thinks_in, step) != step
    }

    /// Signs an ack in the own turn. The others may have waited for this seat before its program could show
    /// the turn. From the ack on they allow the whole time again.
    pub(super) fn show_presence(&mut self) -> bool {
        let log = &mut self.own.log;
        let hash = log.hash();
        let is_due = self.thinks_in == Some(log.step());
        let ack = is_due.then(|| log.sign_presence(&self.own.identity));
        let Some(ack) = ack.flatten() else {
            return false;
        };
        self.send_own(hash, Signed::Ack(ack));
        true
    }

    /// Whether this seat has left, and the others play on. Then it needs its secret no more.
    pub(super) fn plays_no_more(&self) -> bool {
        let log = &self.own.log;
        log.match_info().has_roll_calls() && log.gone().contains(&self.own.seat)
    }

    /// Refuses a call, if this seat holds what the call says to be lacking.
    pub(super) fn refuse_call(&mut self) -> Result<bool, PlayError> {
        let signed = self.own.log.sign_refusal(&self.own.identity);
        self.after_own_vote(signed)
    }

    /// Signs a call, if this seat lacks the same and the time for it is over.
    pub(super) fn sign_call(&mut self) -> Result<bool, PlayError> {
        let log = &mut self.own.log;
        let none = BTreeSet::new();
        let over = match self.over.step == log.step() {
            true => &self.over.claims,
            false => &none,
        };
        let signed = log.sign_call(&self.own.identity, over);
        self.after_own_vote(signed)
    }

    fn after_own_vote(
        &mut self,
        signed: Result<(Statement, Vec<LogEvent>), CannotSign>,
    ) -> Result<bool, PlayError> {
        let (statement, events) = match signed {
            Err(CannotSign::NoVote) => return Ok(false),
            signed => signed?,
        };
        if let Signed::Vote(vote) = &statement.signed {
            self.report_call(vote);
        }
        self.send_own(statement.before, statement.signed);
        self.after_vote(events)?;
        Ok(true)
    }

    /// Reacts to a vote of another seat that was added to the log, and caused `events`.
    pub(super) fn after_their_vote(
        &mut self,
        vote: &SignedVote,
        events: Vec<LogEvent>,
    ) -> Result<(), PlayError> {
        self.report_call(vote);
        if !vote.refuses() {
            // The seat lacks something. Other seats may have sent it to this side only.
            self.answer(vote.seat, vote.step);
        }
        self.after_vote(events)
    }

    /// Processes the events of a vote. `events` is empty unless the vote has ended a step.
    fn after_vote(&mut self, events: Vec<LogEvent>) -> Result<(), PlayError> {
        let step = self.own.log.step().saturating_sub(1);
        for event in events {
            self.handle_event(step, event)?;
        }
        self.report_end();
        Ok(())
    }

    /// Reports a call of the current step, or of the one that it has just ended.
    fn report_call(&mut self, vote: &SignedVote) {
        if !vote.refuses() && vote.step + 1 >= self.own.log.step() {
            self.report(News::RollCall {
                seat: vote.seat,
                missing: vote.call.named().iter().collect(),
            });
        }
    }
}
