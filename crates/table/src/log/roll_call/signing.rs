//! When the owner of a log signs or refuses a call.

use std::collections::{BTreeMap, BTreeSet};

use dealerless_connection::identity::Identity;

use super::vote::{Answer, Call, CallId, Missing, SignedVote};
use super::{FIRST_STEP, Tally};
use crate::log::event::LogEvent;
use crate::log::match_log::{CannotSign, MatchLog};
use crate::log::phase::Phase;
use crate::log::signed::{Signed, Statement};
use crate::seat::{Seat, SeatSet};

/// The calls in one step, as the owner of a log counts them.
pub(crate) struct Calls {
    /// The step.
    pub(crate) step: u64,
    /// Whether a player had to choose in this step, if it is complete.
    pub(crate) chooses: bool,
    /// For each possible call, the number of calls that refer to each other in a row, this one included.
    pub(crate) depths: BTreeMap<CallId, usize>,
    /// The seats with an open call.
    pub(crate) open: SeatSet,
}

/// A claim that the owner of a log can make.
pub(crate) type Claimable = (Seat, Missing);

impl MatchLog {
    /// What the owner has not received from other seats in the current step, and the votes that it lacks
    /// in earlier ones. It need not be allowed to sign a call about it.
    pub(crate) fn missing(&self) -> BTreeSet<Claimable> {
        if self.is_convicted() || self.is_removed() {
            return BTreeSet::new();
        }
        // After the end, other seats may still need the owner's vote on a late call.
        let mut missing = if self.is_over() {
            BTreeSet::new()
        } else {
            self.missing_now()
        };
        let steps = self.steps_with_votes();
        missing.extend(steps.flat_map(|step| self.missing_votes(step)));
        missing.retain(|(seat, _)| *seat != self.owner());
        missing
    }

    /// The claims about the current step that are true for the owner, except those about votes.
    fn missing_now(&self) -> BTreeSet<Claimable> {
        let (to_remove, (due, _)) = (self.to_remove(), self.due_at(self.step()));
        let mut missing = self.missing_of_step();
        missing.retain(|(seat, _)| !to_remove.contains(*seat));
        missing.extend(to_remove.iter().map(|seat| (seat, Missing::Removed)));
        let fouls = self.convictions().fouls().iter();
        let fouls = fouls.map(|proof| (proof.part.seat, Missing::Foul));
        missing.extend(fouls.filter(|(seat, _)| due.contains(*seat)));
        missing
    }

    /// The statements and parts that the owner lacks. In a release, it first needs a statement of each
    /// seat.
    fn missing_of_step(&self) -> BTreeSet<Claimable> {
        let (step, lacks) = (self.step(), self.lacks(self.owner()));
        if !lacks.is_empty() {
            let lacks = lacks.into_iter();
            return lacks.map(|seat| (seat, Missing::Statement)).collect();
        }
        let of = |seat: Seat, missing| match self.has_spoken(step, seat) {
            true => (seat, missing),
            false => (seat, Missing::Statement),
        };
        // A deal waits for the shuffles that were made ahead, and does not replace them.
        if let Some(seat) = self.deal_waits_for() {
            return BTreeSet::from([of(seat, Missing::Shuffle)]);
        }
        let signers = self.state().signers().into_iter();
        let silent = signers.filter(|seat| self.part(step, *seat).is_none());
        silent.map(|seat| of(seat, Missing::Part)).collect()
    }

    /// The votes of a step that the owner lacks: votes on its own last open calls, and votes on false calls
    /// that name the owner, of seats that have not signed a later call. What its last open calls say of
    /// other votes is kept while it is true.
    fn missing_votes(&self, step: u64) -> BTreeSet<Claimable> {
        let tally = self.tally(step);
        let open = tally.open(self.owner());
        let mut missing = BTreeSet::new();
        for counted in tally.calls.values() {
            let call = counted.call;
            if !tally.is_pending(call) {
                continue;
            }
            let is_own = open.iter().any(|own| own.id() == call.id());
            let is_last = is_own && !open.iter().any(|later| tally.supersedes(later, call));
            if is_last {
                let said = call.claims().iter().copied();
                let said = said.filter(|(_, missing)| matches!(missing, Missing::Vote(_)));
                missing.extend(said.filter(|claim| self.refuting(&tally, *claim).is_none()));
            }
            let is_false = || {
                let mut claims = call.claims().iter();
                claims.any(|claim| self.refuting(&tally, *claim).is_some())
            };
            let is_about_owner = call.named().contains(self.owner()) && is_false();
            let beyond = tally.beyond(call);
            let lacks = |seat: &Seat| is_last || is_about_owner && !beyond.contains(*seat);
            let silent = tally.silent(call).iter().filter(lacks);
            missing.extend(silent.map(|seat| (seat, Missing::Vote(call.id()))));
        }
        missing
    }

    /// The calls in the current step and in those before it, up to the last common one. The steps are in
    /// reverse order.
    pub(crate) fn calls(&self) -> Vec<Calls> {
        let seats = Seat::all(self.match_info().seats());
        let calls = |step: u64| {
            let tally = self.tally(step);
            let depths = tally.calls.iter().map(|(id, counted)| (*id, counted.depth));
            let are_open = |seat: &Seat| !tally.open(*seat).is_empty();
            let complete = self.steps().complete(step);
            let chooses = complete.is_some_and(|step| step.is_choice);
            Calls {
                step,
                chooses,
                depths: depths.collect(),
                open: seats.clone().filter(are_open).collect(),
            }
        };
        self.steps_with_votes().map(calls).collect()
    }

    /// The statement of this log that shows that a claim is false. `None` if it is true for the owner.
    fn refuting(&self, tally: &Tally<'_>, (seat, missing): Claimable) -> Option<Statement> {
        let step = tally.step();
        let here = |signed: Signed| {
            Some(Statement {
                before: self.hash_before(step)?,
                signed,
            })
        };
        let part = || self.steps().part(step, seat).cloned().map(Signed::Part);
        match missing {
            Missing::Foul | Missing::Removed => None,
            Missing::Part => here(part()?),
            Missing::Shuffle => self.shuffle_before(step, seat).cloned(),
            Missing::Statement => {
                let ack = || self.steps().ack(step, seat).cloned().map(Signed::Ack);
                let mut votes = self.steps().votes(step).iter();
                // A refusal contains another statement, without end if it could prove this.
                let mut is_it = |vote: &&SignedVote| vote.seat == seat && !vote.refuses();
                let vote = || Some(signed(votes.find(&mut is_it)?));
                here(part().or_else(ack).or_else(vote)?)
            }
            Missing::Vote(id) => {
                let call = tally.calls.get(&id)?.call;
                let mut votes = tally.on(call);
                let vote = votes.find(|vote| vote.seat == seat || vote.refuses());
                here(signed(vote?))
            }
        }
    }

    /// The call that the owner may sign now, and its step: it lacks all that the call claims, the time for
    /// all of this is over, and the call supersedes its open ones. It is one that others have signed, if
    /// there is one, and otherwise a new one of all that is `over`. In a step that the owner has passed
    /// with its parts, it can be a late call only.
    pub(crate) fn next_call(&self, over: &BTreeSet<Claimable>) -> Option<(u64, Call)> {
        if !self.match_info().has_roll_calls() {
            return None;
        }
        let needs_no_time = |what: &Missing| matches!(what, Missing::Foul | Missing::Removed);
        let is_over = |claim: &Claimable| over.contains(claim) || needs_no_time(&claim.1);
        let over: BTreeSet<_> = self.missing().into_iter().filter(is_over).collect();
        if over.is_empty() {
            return None;
        }
        let now = self.step();
        let earlier = self.steps_with_votes().filter(|step| *step < now);
        let current = (!self.is_over()).then_some(now);
        let mut steps = current.into_iter().chain(earlier);
        steps.find_map(|step| Some((step, self.call_at(step, &over)?)))
    }

    /// The call that the owner may sign now in this step.
    fn call_at(&self, step: u64, over: &BTreeSet<Claimable>) -> Option<Call> {
        let (is_now, live) = (step == self.step(), self.live_at(step));
        if step < FIRST_STEP || !live.contains(self.owner()) {
            return None;
        }
        let to_remove = self.to_remove();
        let tally = self.tally(step);
        let won_late = || tally.won_late.iter().flat_map(|call| call.claims());
        let named_late: SeatSet = won_late().map(|(seat, _)| *seat).collect();
        // A claim about a seat that is gone is true: it does not answer any more.
        let stays = self
            .live_at(self.step())
            .without(to_remove)
            .without(named_late);
        let gone = live.without(stays);
        let open = tally.open(self.owner());
        let has_voted = |call: &Call| {
            let mut votes = tally.on(call);
            votes.any(|vote| vote.seat == self.owner())
        };
        let is_late = !is_now || to_remove.is_empty() && !self.lacks_parts(&tally, over);
        let fits = |call: &Call| {
            let supersedes = |open: &&Call| tally.supersedes(call, open);
            call.is_late() == is_late
                && (!is_now || to_remove.without(call.removed()).is_empty())
                && !call.named().contains(self.owner())
                && tally.depth(call).is_some()
                && !has_voted(call)
                && !tally.is_lost(call)
                && open.iter().all(supersedes)
        };
        let known = tally.calls.values().map(|counted| counted.call);
        let able = known.filter(|call| {
            let claims = call.claims();
            let is_true = |claim: &Claimable| over.contains(claim) || gone.contains(claim.0);
            let is_needed = claims.iter().any(|claim| over.contains(claim));
            fits(call) && claims.iter().all(is_true) && is_needed
        });
        if let Some(call) = able.max_by_key(|call| (tally.on(call).count(), call.id())) {
            return Some(call.clone());
        }
        let is_due = |claim: &Claimable| match claim.1 {
            Missing::Vote(id) => open.iter().any(|call| call.id() == id || call.has(claim)),
            _ => !is_late,
        };
        let due = || over.iter().copied().filter(is_due);
        let mut call = Call::new(step, due())?;
        if has_voted(&call) {
            // A late call has made it void. Its claims make another call.
            call = Call::new(step, due().chain(won_late().copied()))?;
        }
        fits(&call).then_some(call)
    }

    /// Whether a part is lacking in the current step, or a statement before it, whose time is over or whose
    /// seat is not bound by an open call. Then a call has to say so: a late call, once it is won, makes
    /// others void, and ends no step.
    fn lacks_parts(&self, tally: &Tally<'_>, over: &BTreeSet<Claimable>) -> bool {
        let is_bound = |seat: Seat| !tally.open(seat).is_empty();
        let mut missing = self.missing_now().into_iter();
        missing.any(|claim| over.contains(&claim) || !is_bound(claim.0))
    }

    /// Signs the [next call](Self::next_call), and adds the vote to the log. Returns the vote with its
    /// history, and the events of the step if the vote ends it. The caller must
    /// [write](crate::log::Journal::append) it before sending it.
    ///
    /// # Errors
    /// [`CannotSign::NoVote`] if there is no such call.
    pub(crate) fn sign_call(
        &mut self,
        identity: &Identity,
        over: &BTreeSet<Claimable>,
    ) -> Result<(Statement, Vec<LogEvent>), CannotSign> {
        let (step, call) = self.next_call(over).ok_or(CannotSign::NoVote)?;
        let own = self.part(step, self.owner());
        let own = own.map(|part| (part.signature, part.part.clone()));
        self.sign_vote(identity, step, call, Answer::Signs(own))
    }

    /// A call that the owner must refuse, with its step and the proof. A step is skipped if all other seats
    /// have passed the next common step: then no seat has an open call in it. This includes the seats that
    /// were removed later, which may not know it yet. Without this rule, a cheat could make the owner sign
    /// a refusal in every step.
    pub(in crate::log) fn owes_refusal(&self) -> Option<(u64, Call, Statement)> {
        if !self.match_info().has_roll_calls() || self.is_convicted() {
            return None;
        }
        let is_over = matches!(self.state().phase, Phase::Over(_));
        let end = self.step() + u64::from(!is_over);
        let steps = self.steps().first().max(FIRST_STEP)..end;
        let has_votes = |step: &u64| !self.steps().votes(*step).is_empty();
        let mut steps = steps.rev().filter(has_votes).peekable();
        steps.peek()?;
        let seats = Seat::all(self.match_info().seats());
        let last: Vec<_> = seats.map(|seat| self.last_signed(seat)).collect();
        let is_needed = |step: &u64| {
            let mut others = self.live_at(*step).iter().filter(|s| *s != self.owner());
            let common = (step + 1..self.step()).find(|later| self.is_common(*later));
            others.any(|seat| last[seat.index()] <= Some(common.unwrap_or(self.step())))
        };
        steps
            .filter(is_needed)
            .find_map(|step| self.refusal_at(step))
    }

    /// A call of a step that the owner can refuse, with the proof.
    fn refusal_at(&self, step: u64) -> Option<(u64, Call, Statement)> {
        let tally = self.tally(step);
        if !tally.live.contains(self.owner()) {
            return None;
        }
        tally.calls.values().find_map(|counted| {
            let call = counted.call;
            let has_vote = tally.silent(call).contains(self.owner()) && !tally.is_lost(call);
            let mut claims = call.claims().iter().filter(|_| has_vote);
            let proof = claims.find_map(|claim| self.refuting(&tally, *claim))?;
            Some((step, call.clone(), proof))
        })
    }

    /// Refuses a call, if the owner holds a statement that shows that the call is false. Adds the vote to
    /// the log, and returns it with its history. The caller must [write](crate::log::Journal::append) it
    /// before sending it.
    ///
    /// # Errors
    /// [`CannotSign::NoVote`] if there is no such call.
    pub(crate) fn sign_refusal(
        &mut self,
        identity: &Identity,
    ) -> Result<(Statement, Vec<LogEvent>), CannotSign> {
        let (step, call, proof) = self.owes_refusal().ok_or(CannotSign::NoVote)?;
        self.sign_vote(identity, step, call, Answer::Refuses(Box::new(proof)))
    }

    fn sign_vote(
        &mut self,
        identity: &Identity,
        step: u64,
        call: Call,
        answer: Answer,
    ) -> Result<(Statement, Vec<LogEvent>), CannotSign> {
        let (of, before) = (self.match_info().id(), self.hash_before(step));
        let before = before.ok_or(CannotSign::NoVote)?;
        let vote = SignedVote::sign(identity, &of, &before, (step, self.owner()), call, answer);
        let statement = Statement {
            before,
            signed: signed(&vote),
        };
        let events = self.add_vote(vote);
        Ok((statement, events))
    }
}

fn signed(vote: &SignedVote) -> Signed {
    Signed::Vote(Box::new(vote.clone()))
}
