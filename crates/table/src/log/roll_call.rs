//! Roll calls: how the other seats go on without a silent one.
//!
//! In a match whose threshold is below the number of seats, a seat that waits for something until the
//! time limit signs a *call*: a set of claims. Each claim names a seat and what it has not sent. The
//! other seats vote on the call. A seat that lacks the same, and whose own time is over, signs it. A seat
//! that has what is said to be lacking refuses it, and sends it with the refusal. So nobody can refuse
//! falsely, and each lost call brings a missing statement to all. A seat that does not vote is named by
//! the next call.
//!
//! A call is *lost* if a seat that it does not name has refused it. It is *won* if all these seats have
//! signed it: then the named seats are gone, and the step ends with the parts that the votes carry.
//! Otherwise it is *open*, and binds a seat that has signed it: this seat signs no part in the step, and
//! does not complete the step with the parts that arrive. A later call must *supersede* all open calls of
//! its signer, and a call is not won for a seat as long as a later one of this seat is open.
//!
//! A [*late* call](late) says only that votes are lacking. It does not end its step.
//!
//! # Whose log
//! The rules depend on the seat: a step with an open call can be complete for all other seats. So each
//! log has an owner, and only the calls that the owner has signed end or hold a step in it. A reader of
//! the owner's file applies them for the same seat, so it computes the same steps as the owner did. Two
//! logs can part in a step with calls. Then the owner of one is gone in the other, or a seat has signed
//! two different votes on one call, or two parts.
//!
//! A step of a log is never undone. A seat that starts again from an older copy of its file gets its own
//! votes back from the others. It accepts nothing before enough of them have sent their histories, and
//! then its own votes first: otherwise a history without them could complete the step by parts.

mod late;
mod signing;
mod tally;
mod vote;

pub(crate) use signing::Claimable;
pub use vote::{Call, CallId, Missing, SignedVote};

use self::tally::Tally;
pub(in crate::log) use self::vote::Answer;
use super::ahead_chain::AheadChain;
use super::event::LogEvent;
use super::foul::Refused;
use super::match_log::{Accepted, MatchLog};
use super::phase::Phase;
use super::signed::{Evidence, Signed, Statement};
use crate::seat::{Seat, SeatSet};

/// The first step with roll calls. In the steps before, all seats make the keys, and the match cannot
/// go on without one of them.
pub(super) const FIRST_STEP: u64 = 3;

/// The number of calls that a seat can sign in a step, for each seat of the match, so that a cheat cannot
/// fill the files of the others. A seat can refuse as many as all others can sign. Further votes are
/// ignored, except those of the owner, on its calls, and those that show that a call is false.
const MAX_CALLS: usize = 2;

/// How the current step ends.
#[derive(Default)]
pub(super) struct Ending {
    /// The won call that ends the step, if the parts do not.
    pub(super) call: Option<CallId>,
    /// The seats that are gone now.
    pub(super) removed: SeatSet,
    /// The seats whose parts count. After a won call, these are the seats whose votes carry their parts.
    pub(super) counted: SeatSet,
}

impl MatchLog {
    /// The seats that are left in the match before this step.
    pub(super) fn live_at(&self, step: u64) -> SeatSet {
        let complete = self.steps().complete(step);
        let gone = match complete.and_then(|step| step.standing.as_ref()) {
            Some(standing) => &standing.gone[..],
            None => self.state().deck.gone(),
        };
        let seats = Seat::all(self.match_info().seats());
        seats.filter(|seat| !gone.contains(seat)).collect()
    }

    /// The number of seats that open a card.
    pub(crate) fn threshold(&self) -> usize {
        let sizes = &self.shape().verifiable;
        sizes.map_or(0, |sizes| sizes.seats.threshold())
    }

    /// Whether too few of these seats would be left without the `missing` ones.
    fn are_too_few(&self, live: SeatSet, missing: SeatSet) -> bool {
        live.without(missing).len() < self.threshold()
    }

    /// Whether this call, apart from what it says of fouls and of other calls, can be made in this step
    /// of this log. What it says to be lacking is due there, and enough seats remain.
    fn may_call(&self, step: u64, call: &Call) -> bool {
        let (live, named) = (self.live_at(step), call.named());
        let (due, is_release) = self.due_at(step);
        let is_due = |(seat, missing): &(Seat, Missing)| match missing {
            Missing::Statement => is_release || due.contains(*seat),
            // Otherwise the step can end with its parts at a seat that does not know the foul yet.
            Missing::Part | Missing::Shuffle | Missing::Foul => due.contains(*seat),
            Missing::Removed => self.is_common(step),
            Missing::Vote(_) => true,
        };
        let lacks = |(seat, missing): &(Seat, Missing)| {
            let kinds = [Missing::Statement, Missing::Part, Missing::Shuffle];
            kinds.contains(missing).then_some(*seat)
        };
        let lacking: Vec<Seat> = call.claims().iter().filter_map(lacks).collect();
        step >= FIRST_STEP
            && call.claims().iter().all(|(seat, _)| live.contains(*seat))
            && !self.are_too_few(live, named)
            && call.claims().iter().all(is_due)
            && lacking.is_sorted_by(|one, next| one < next)
    }

    fn has_foul(&self, seat: Seat) -> bool {
        let mut fouls = self.convictions().fouls().iter();
        fouls.any(|proof| proof.part.seat == seat)
    }

    fn tally(&self, step: u64) -> Tally<'_> {
        Tally::of(self, step)
    }

    /// Whether the seat may not sign a part in the current step. It has an open call in this step. Or the
    /// step is common, and a late call of the seat is open, or the seats that a late call names have to be
    /// removed first.
    pub(super) fn is_bound(&self, seat: Seat) -> bool {
        let is_bound_now = || {
            let tally = self.tally(self.step());
            !tally.to_remove.is_empty() || !tally.open(seat).is_empty()
        };
        let has_roll_calls = self.match_info().has_roll_calls();
        has_roll_calls && (is_bound_now() || self.awaits_late_call(seat))
    }

    /// The seats that open calls of the owner name.
    pub(super) fn named_by_open_calls(&self) -> SeatSet {
        let open = self.tally(self.step()).open(self.owner()).into_iter();
        open.flat_map(|call| call.named().iter()).collect()
    }

    /// The seats whose votes on open calls are lacking, if the match waits for votes: a call binds the
    /// owner, or all seats that would sign a part.
    pub fn waits_for_votes(&self) -> SeatSet {
        let is_idle = || self.is_bound(self.owner()) || self.waits_for().is_empty();
        if self.is_over() || !is_idle() {
            return SeatSet::default();
        }
        let silent = |step: u64| {
            let tally = self.tally(step);
            let calls = tally.calls.values().map(|counted| counted.call);
            let pending = calls.filter(|call| tally.is_pending(call));
            let silent = pending.flat_map(|call| tally.silent(call).iter());
            silent.collect::<Vec<_>>()
        };
        self.steps_with_votes().flat_map(silent).collect()
    }

    /// Whether a possible call names a seat in the current step.
    pub(super) fn is_named(&self, seat: Seat) -> bool {
        let is_it = |tally: Tally<'_>| {
            let mut calls = tally.calls.values();
            calls.any(|counted| counted.call.named().contains(seat))
        };
        !self.steps().votes(self.step()).is_empty() && is_it(self.tally(self.step()))
    }

    /// Whether the match goes on although seats have committed fouls, because enough other seats are
    /// left.
    pub(super) fn goes_on_without_fouls(&self) -> bool {
        let fouls = self.convictions().fouls().iter();
        let fouls = fouls.map(|proof| proof.part.seat).collect();
        self.goes_on_without(fouls)
    }

    /// Whether the other seats can remove these seats and go on.
    pub(crate) fn goes_on_without(&self, seats: SeatSet) -> bool {
        let step = self.step();
        let can_remove = self.match_info().has_roll_calls() && step >= FIRST_STEP;
        can_remove && !self.are_too_few(self.live_at(step), seats)
    }

    /// The seats that are gone: they have left, or the others have removed them.
    pub fn gone(&self) -> &[Seat] {
        self.state().deck.gone()
    }

    /// How the current step ends now. `None` if it does not.
    pub(super) fn ending(&self) -> Option<Ending> {
        if !self.match_info().has_roll_calls() {
            return self.ending_by_parts();
        }
        if self.is_removed() || self.awaits_late_call(self.owner()) {
            return None;
        }
        let tally = self.tally(self.step());
        let open = tally.open(self.owner());
        if open.is_empty() {
            let by_parts = self.ending_by_parts();
            return by_parts.filter(|_| tally.to_remove.is_empty());
        }
        let is_last = |call: &Call| !open.iter().any(|later| tally.supersedes(later, call));
        let mut won = open.iter().filter(|call| is_last(call));
        let won = won.find(|call| tally.is_signed_by_all(call) && !tally.is_doubted(call))?;
        let carrying = tally.on(won).filter(|vote| vote.own_part().is_some());
        Some(Ending {
            call: Some(won.id()),
            removed: won.named(),
            counted: carrying.map(|vote| vote.seat).collect(),
        })
    }

    /// Whether the log has as many votes of a seat in a step as it counts: refusals or others.
    fn has_all_votes(&self, step: u64, seat: Seat, refusals: bool) -> bool {
        let seats = self.match_info().seats();
        let limit = MAX_CALLS * seats * if refusals { seats } else { 1 };
        let votes = self.steps().votes(step).iter();
        let votes = votes.filter(|vote| vote.seat == seat && vote.refuses() == refusals);
        votes.count() >= limit
    }

    /// Adds a vote for a history that this log has. `before` is the hash of this history.
    ///
    /// A refusal whose proof shows nothing false, and a vote on one call too many, are ignored: whether
    /// they are can depend on what else a log has, so a seat that passes one on need not be a cheat.
    pub(super) fn accept_vote(
        &mut self,
        vote: SignedVote,
        before: [u8; 32],
    ) -> Result<Accepted, Refused> {
        self.accept_vote_in(vote, before, false)
    }

    /// The same for a vote that another vote can carry.
    fn accept_vote_in(
        &mut self,
        vote: SignedVote,
        before: [u8; 32],
        is_carried: bool,
    ) -> Result<Accepted, Refused> {
        let (step, seat) = (vote.step, vote.seat);
        if !self.match_info().has_roll_calls() {
            return Err(Refused::Vote(seat));
        }
        let known = self.steps().votes(step).iter();
        let known = known.filter(|one| one.seat == seat);
        let same = known.clone().find(|one| one.is_on_the_call_of(&vote));
        if same.is_some_and(|known| known.says_the_same(&vote)) {
            return Ok(Accepted::Known);
        }
        let player = &self.match_info().players()[seat.index()];
        if !vote.is_signed(&player.identity, &self.match_info().id(), &before) {
            return Err(Refused::Signature(seat));
        }
        if let Some(known) = same {
            let statements = [known.clone(), vote].map(|vote| Statement {
                before,
                signed: Signed::Vote(Box::new(vote)),
            });
            return Err(Refused::Fork(Box::new(Evidence {
                match_id: self.match_info().id(),
                statements,
            })));
        }
        let live = self.live_at(step);
        let may_vote = live.contains(seat) && !vote.call.named().contains(seat);
        if !may_vote || !self.may_call(step, &vote.call) {
            return Err(Refused::Vote(seat));
        }
        let is_over_limit = self.has_all_votes(step, seat, vote.refuses());
        let is_exempt = is_carried || seat == self.owner() || self.has_signed(step, &vote.call);
        if is_over_limit && !is_exempt {
            return Ok(Accepted::Known);
        }
        if let Some(proof) = vote.proof() {
            if !proof.is_valid(self.match_info()) {
                return Err(Refused::Signature(proof.signed.seat()));
            }
            if !self.is_refuted(&vote, &before) {
                return Ok(Accepted::Known);
            }
        }
        let is_over = matches!(self.state().phase, Phase::Over(_));
        if step == self.step() && is_over {
            return Err(Refused::Over);
        }
        let mut events = match &vote.answer {
            Answer::Refuses(proof) => self.accept_carried((**proof).clone())?,
            Answer::Signs(_) => match vote.own_part() {
                Some(part) => self.accept_carried(Statement {
                    before,
                    signed: Signed::Part(part),
                })?,
                None => Vec::new(),
            },
        };
        // A proof that the log cannot add proves nothing here.
        let is_proven = (vote.proof()).is_none_or(|proof| self.has_proof(step, &proof.signed));
        if !is_proven && !self.is_over() {
            return Ok(Accepted::Known);
        }
        events.extend(self.add_vote(vote));
        Ok(Accepted::Vote(events))
    }

    /// Adds a statement that a vote carries, or what it proves. Returns its events.
    fn accept_carried(&mut self, statement: Statement) -> Result<Vec<LogEvent>, Refused> {
        let is_ahead = statement.signed.head().is_some();
        let accepted = match statement.signed {
            Signed::Vote(vote) => self.accept_vote_in(*vote, statement.before, true),
            _ => self.accept_statement(statement),
        };
        match accepted {
            Ok(Accepted::New(_, events) | Accepted::Vote(events)) => return Ok(events),
            Ok(_) | Err(Refused::Over) => {}
            Err(Refused::Foul(proof)) => {
                self.record_foul(*proof);
            }
            // The evidence contains a statement of this log, so it is valid.
            Err(Refused::Fork(evidence)) => {
                let _known = self.record_fork(*evidence);
            }
            // A shuffle that the next hand cannot use.
            Err(_) if is_ahead => {}
            Err(refused) => return Err(refused),
        }
        Ok(Vec::new())
    }

    /// Whether the proof of a refusal shows that one of the claims is false. `before` is the history of
    /// the vote.
    fn is_refuted(&self, refusal: &SignedVote, before: &[u8; 32]) -> bool {
        let Some(Statement {
            before: of,
            signed: proof,
        }) = refusal.proof()
        else {
            return false;
        };
        let step = refusal.step;
        let is_here = proof.head().is_none() && proof.step() == step && of == before;
        // Once for all claims: a proof can be a refusal with a proof.
        let is_vote = match proof {
            Signed::Vote(vote) if is_here => !vote.refuses() || self.is_refuted(vote, before),
            _ => false,
        };
        let is_false = |(seat, missing): &(Seat, Missing)| match (missing, proof) {
            (Missing::Statement, Signed::Part(_) | Signed::Ack(_)) => {
                is_here && proof.seat() == *seat
            }
            (Missing::Statement, Signed::Vote(vote)) => {
                is_vote && vote.seat == *seat && !vote.refuses()
            }
            (Missing::Part, Signed::Part(part)) => is_here && part.seat == *seat,
            (Missing::Shuffle, Signed::Ahead(ahead)) => {
                ahead.part.seat == *seat && self.deals_after(step, ahead.head)
            }
            (Missing::Vote(id), Signed::Vote(vote)) => {
                let is_refused = vote.refuses() && !vote.call.named().contains(vote.seat);
                is_vote && vote.call.id() == *id && (vote.seat == *seat || is_refused)
            }
            _ => false,
        };
        refusal.call.claims().iter().any(is_false)
    }

    /// Whether the log has what a refusal proves. An ahead chain that has ended needs no more shuffles.
    fn has_proof(&self, step: u64, proof: &Signed) -> bool {
        match proof {
            Signed::Ack(ack) => self.steps().ack(ack.step, ack.seat).is_some(),
            Signed::Part(part) => self.part(part.step, part.seat).is_some(),
            Signed::Vote(vote) => {
                let mut votes = self.steps().votes(vote.step).iter();
                votes.any(|known| known.seat == vote.seat && known.is_on_the_call_of(vote))
            }
            Signed::Ahead(ahead) => {
                let has_ended = self.ahead().is_some_and(AheadChain::has_ended);
                has_ended || self.shuffle_before(step, ahead.part.seat).is_some()
            }
        }
    }

    /// Whether the owner has signed this call.
    fn has_signed(&self, step: u64, call: &Call) -> bool {
        let votes = self.steps().votes(step).iter();
        let mut own = votes.filter(|vote| vote.seat == self.owner());
        own.any(|vote| vote.call.id() == call.id() && !vote.refuses())
    }

    /// Whether a call that names the owner removes it: all seats that the call does not name have
    /// signed it, and no open or late call of the owner supersedes it. In a step that a call has ended, the
    /// owner has this one. A late call removes the owner [later](Self::is_removed_later).
    pub(super) fn is_named_by_all(&self, step: u64) -> bool {
        let tally = self.tally(step);
        let complete = self.steps().complete(step);
        let rolled = complete.and_then(|step| step.rolled.as_ref());
        let own: Vec<&Call> = match rolled {
            None => {
                let open = tally.open(self.owner()).into_iter();
                open.chain(tally.won_late.iter().copied()).collect()
            }
            Some(rolled) => {
                let call = tally.calls.get(&rolled.call);
                call.map(|counted| counted.call).into_iter().collect()
            }
        };
        let is_later = self.is_removed_later(&tally);
        let mut calls = tally.calls.values().map(|counted| counted.call);
        calls.any(|call| {
            call.named().contains(self.owner())
                && !(is_later && call.is_late())
                && tally.is_signed_by_all(call)
                && !own.iter().any(|own| tally.supersedes(own, call))
        })
    }
}
