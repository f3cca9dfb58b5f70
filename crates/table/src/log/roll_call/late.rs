//! Late calls, which say only that votes are lacking, but no part.
//!
//! A late call does not end its step. Seats that have passed the step with its parts sign it, too. A won
//! late call voids the calls that it supersedes. Another call removes its seats in the next *common* step,
//! which needs the signatures of all seats. A seat does not complete a common step while it has an open
//! late call.

use super::FIRST_STEP;
use super::tally::Tally;
use super::vote::Call;
use crate::log::match_log::MatchLog;
use crate::seat::{Seat, SeatSet};

impl MatchLog {
    /// Whether the current step is common, and the seat has an open late call in an earlier one.
    pub(super) fn awaits_late_call(&self, seat: Seat) -> bool {
        let now = self.step();
        let mut steps = self.steps_with_votes().filter(|step| *step < now);
        let has_late_call = |step: u64| {
            let open = self.tally(step).open(seat);
            open.iter().any(|call| call.is_late())
        };
        self.is_common(now) && steps.any(has_late_call)
    }

    /// Whether late calls of this step that name the owner do not remove it yet. They remove their seats in the next
    /// common step, and the match can end before it. A seat that an own call holds in the step cannot come to the
    /// common step, nor can one that has ended the step by another call.
    pub(super) fn is_removed_later(&self, tally: &Tally<'_>) -> bool {
        let (step, now) = (tally.step(), self.step());
        let complete = self.steps().complete(step);
        let is_rolled = complete.is_some_and(|step| step.rolled.is_some());
        let is_held = step == now && !tally.open(self.owner()).is_empty();
        let has_come = (step + 1..=now).any(|later| self.is_common(later));
        !(is_rolled || is_held || has_come)
    }

    /// Whether the owner has come to a common step, and a late call of an earlier step names it.
    pub(in crate::log) fn is_removed_here(&self) -> bool {
        let now = self.step();
        let has_votes = |step: &u64| !self.steps().votes(*step).is_empty();
        let mut steps = self.steps_since_common(now).filter(has_votes);
        steps.any(|step| step < now && self.is_common(now) && self.is_named_by_all(step))
    }

    /// The seats that a call of the current step has to remove, because the step is common and late calls
    /// of earlier steps are won.
    pub(super) fn to_remove(&self) -> SeatSet {
        self.named_late(self.step(), |tally| tally.won_late.clone())
    }

    /// The seats that a call of a step can remove, because the step is common and all others have signed a
    /// late call of an earlier step. The owner need not have signed it: each log that has the votes has to
    /// find the call possible, because nobody can refuse it.
    pub(super) fn can_remove(&self, step: u64) -> SeatSet {
        self.named_late(step, |tally| tally.late_signed_by_all().collect())
    }

    /// The seats that these late calls name, of the steps before a common one. Empty for any other step.
    fn named_late<'a>(&'a self, step: u64, late: impl Fn(&Tally<'a>) -> Vec<&'a Call>) -> SeatSet {
        let has_votes = |earlier: &u64| *earlier < step && !self.steps().votes(*earlier).is_empty();
        let mut steps = self.steps_since_common(step).filter(has_votes).peekable();
        if steps.peek().is_none() || !self.is_common(step) {
            return SeatSet::default();
        }
        let calls = steps.flat_map(|step| late(&Tally::without_removals(self, step)));
        let named: SeatSet = calls.flat_map(|call| call.named().iter()).collect();
        let live = self.live_at(step);
        named.iter().filter(|seat| live.contains(*seat)).collect()
    }

    /// Whether a step is common. A release is common, and so is a step that needs a part of each live seat.
    pub(super) fn is_common(&self, step: u64) -> bool {
        let (due, is_release) = self.due_at(step);
        is_release || self.live_at(step).without(due).is_empty()
    }

    /// The steps from this one back to the last common step before it, which is included. Empty in a match
    /// without roll calls.
    pub(in crate::log) fn steps_since_common(
        &self,
        step: u64,
    ) -> impl Iterator<Item = u64> + use<> {
        let first = self.steps().first().max(FIRST_STEP);
        let common = (first..step).rev().find(|earlier| self.is_common(*earlier));
        let first = if self.match_info().has_roll_calls() {
            common.unwrap_or(first)
        } else {
            step + 1
        };
        (first..=step).rev()
    }

    /// The steps with votes, from the current one back to the last common step before it. Without a step
    /// that a call has ended, and those before it: no call is open there.
    pub(super) fn steps_with_votes(&self) -> impl Iterator<Item = u64> {
        let is_rolled = |step: &u64| {
            let complete = self.steps().complete(*step);
            complete.is_some_and(|step| step.rolled.is_some())
        };
        let steps = self.steps_since_common(self.step());
        let steps = steps.take_while(move |step| !is_rolled(step));
        steps.filter(|step| !self.steps().votes(*step).is_empty())
    }
}
