//! The votes of one step, as the owner of a log counts them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::vote::{Call, CallId, Missing, SignedVote};
use crate::log::match_log::MatchLog;
use crate::seat::{Seat, SeatSet};

/// The maximum number of calls that refer to each other in a row.
const MAX_DEPTH: usize = 9;

/// A call that is possible in the step.
#[derive(Clone, Copy)]
pub(super) struct Counted<'a> {
    pub(super) call: &'a Call,
    /// The number of calls that refer to each other in a row, this one included.
    pub(super) depth: usize,
}

/// The votes of one step.
pub(super) struct Tally<'a> {
    log: &'a MatchLog,
    step: u64,
    /// The seats that are left before the step.
    pub(super) live: SeatSet,
    /// The possible calls, by their ids.
    pub(super) calls: BTreeMap<CallId, Counted<'a>>,
    /// The calls that the owner has signed, possible or not.
    own: BTreeMap<CallId, &'a Call>,
    /// The late calls that are won for the owner.
    pub(super) won_late: Vec<&'a Call>,
    /// The seats that a call of this step has to remove, because a late call of an earlier step is won
    /// for the owner.
    pub(super) to_remove: SeatSet,
    /// The seats that a call of this step can remove.
    removable: OnceCell<SeatSet>,
}

impl<'a> Tally<'a> {
    pub(super) fn of(log: &'a MatchLog, step: u64) -> Self {
        let to_remove = if step == log.step() {
            log.to_remove()
        } else {
            SeatSet::default()
        };
        Tally::new(log, step, to_remove, OnceCell::new())
    }

    /// The votes of a step without the calls that remove seats because of late calls. No late call refers
    /// to one of these.
    pub(super) fn without_removals(log: &'a MatchLog, step: u64) -> Self {
        Tally::new(log, step, SeatSet::default(), SeatSet::default().into())
    }

    fn new(log: &'a MatchLog, step: u64, to_remove: SeatSet, removable: OnceCell<SeatSet>) -> Self {
        let votes = log.steps().votes(step).iter();
        let own = votes.filter(|vote| vote.seat == log.owner() && !vote.refuses());
        let mut tally = Tally {
            log,
            step,
            live: log.live_at(step),
            calls: BTreeMap::new(),
            own: own.map(|vote| (vote.call.id(), &vote.call)).collect(),
            won_late: Vec::new(),
            to_remove,
            removable,
        };
        tally.find_possible();
        tally.won_late = tally.find_won_late();
        tally
    }

    /// Finds the possible calls. A call that refers to another one is possible only if the other one
    /// is, and is known. The owner has checked this before it signed a call, so its own calls are
    /// possible, even if the owner now receives the votes in another order.
    fn find_possible(&mut self) {
        let votes = self.log.steps().votes(self.step).iter();
        let all: BTreeMap<CallId, &Call> = votes.map(|vote| (vote.call.id(), &vote.call)).collect();
        for _ in 0..MAX_DEPTH {
            let found: Vec<_> = (all.iter())
                .filter(|(id, _)| !self.calls.contains_key(*id))
                .filter_map(|(id, call)| Some((*id, *call, self.depth(call)?)))
                .collect();
            if found.is_empty() {
                break;
            }
            for (id, call, depth) in found {
                self.calls.insert(id, Counted { call, depth });
            }
        }
        for (id, call) in &self.own {
            let depth = MAX_DEPTH;
            self.calls.entry(*id).or_insert(Counted { call, depth });
        }
    }

    /// The depth of a possible call. `None` if the call is not possible.
    pub(super) fn depth(&self, call: &Call) -> Option<usize> {
        if !self.log.may_call(self.step, call) {
            return None;
        }
        let mut depth = 1;
        for (seat, missing) in call.claims() {
            match missing {
                Missing::Statement | Missing::Part | Missing::Shuffle => {}
                Missing::Removed if self.can_remove(*seat) => {}
                Missing::Removed => return None,
                Missing::Foul if self.log.has_foul(*seat) => {}
                Missing::Foul => return None,
                Missing::Vote(id) => {
                    let on = self.calls.get(id)?;
                    if on.call.named().contains(*seat) {
                        return None;
                    }
                    depth = depth.max(on.depth + 1);
                }
            }
        }
        (depth <= MAX_DEPTH).then_some(depth)
    }

    pub(super) fn step(&self) -> u64 {
        self.step
    }

    /// The votes on a call, of the seats that it does not name.
    pub(super) fn on(&self, call: &Call) -> impl Iterator<Item = &'a SignedVote> + use<'a> {
        let (id, counts) = (call.id(), self.live.without(call.named()));
        let votes = self.log.steps().votes(self.step).iter();
        votes.filter(move |vote| vote.call.id() == id && counts.contains(vote.seat))
    }

    /// The seats that a call does not name, and that have not voted on it.
    pub(super) fn silent(&self, call: &Call) -> SeatSet {
        let voters = self.on(call).map(|vote| vote.seat).collect();
        self.live.without(call.named()).without(voters)
    }

    /// Whether a seat that the call does not name has refused it.
    pub(super) fn is_lost(&self, call: &Call) -> bool {
        self.on(call).any(SignedVote::refuses)
    }

    /// Whether all seats that the call does not name have signed it.
    pub(super) fn is_signed_by_all(&self, call: &Call) -> bool {
        self.silent(call).is_empty() && !self.is_lost(call)
    }

    /// Whether the others can end the step without the owner, by another call that claims that the owner has
    /// not voted on this one. Somebody whom this call does not name has signed the other one, and `M` seats
    /// can still vote on it: of these, one is honest, and refuses it once it has the vote of the owner.
    pub(super) fn is_doubted(&self, call: &Call) -> bool {
        let says_silent = (self.log.owner(), Missing::Vote(call.id()));
        let calls = self.calls.values().map(|counted| counted.call);
        let mut doubts = calls.filter(|later| later.has(&says_silent) && !self.is_lost(later));
        doubts.any(|later| {
            let voters: SeatSet = self.on(later).map(|vote| vote.seat).collect();
            let silent = call.named().without(voters);
            let may_vote = self.live.without(later.named()).without(silent);
            let mut signers = voters.without(call.named()).iter();
            may_vote.len() >= self.log.threshold()
                && signers.any(|seat| !self.log.has_all_votes(self.step, seat, false))
        })
    }

    /// The possible calls that a seat has signed and that are not lost.
    fn signed(&self, seat: Seat) -> Vec<&'a Call> {
        let has_signed = |call: &Call| {
            let mut votes = self.on(call);
            votes.any(|vote| vote.seat == seat && !vote.refuses())
        };
        let calls = self.calls.values().map(|counted| counted.call);
        calls
            .filter(|call| has_signed(call) && !self.is_lost(call))
            .collect()
    }

    fn find_won_late(&self) -> Vec<&'a Call> {
        let own = self.signed(self.log.owner());
        let is_own = |call: &Call| own.iter().any(|own| own.id() == call.id());
        let is_last = |call: &Call| !own.iter().any(|later| self.supersedes(later, call));
        let late = self.late_signed_by_all();
        late.filter(|call| is_own(call) && is_last(call)).collect()
    }

    fn can_remove(&self, seat: Seat) -> bool {
        let removable = || self.log.can_remove(self.step);
        self.removable.get_or_init(removable).contains(seat)
    }

    /// The late calls that are signed by all seats that they do not name.
    pub(super) fn late_signed_by_all(&self) -> impl Iterator<Item = &'a Call> {
        let late = self.calls.values().map(|counted| counted.call);
        late.filter(|call| call.is_late() && self.is_signed_by_all(call))
    }

    /// The possible calls that a seat has signed and that are open.
    pub(super) fn open(&self, seat: Seat) -> Vec<&'a Call> {
        let mut calls = self.signed(seat);
        calls.retain(|call| self.is_pending(call));
        calls
    }

    /// Whether a call can still end the step or remove seats: nobody has refused it, it is not a won late
    /// call, and it is not void. It is void if a won late call supersedes it, or if it does not remove the
    /// seats that won late calls of earlier steps name.
    pub(super) fn is_pending(&self, call: &Call) -> bool {
        let mut won = self.won_late.iter();
        let is_over = won.any(|late| late.id() == call.id() || self.supersedes(late, call));
        !self.is_lost(call) && !is_over && self.to_remove.without(call.removed()).is_empty()
    }

    /// Whether a call supersedes another one: it contains all of its claims and more, or claims that a
    /// seat has not voted on it, or does so with an own call that supersedes the other one.
    pub(super) fn supersedes(&self, call: &Call, other: &Call) -> bool {
        let mut reached = BTreeSet::from([call.id()]);
        let mut pending = vec![call];
        while let Some(call) = pending.pop() {
            if is_above(call, other) {
                return true;
            }
            let below = self.own.values().filter(|own| is_above(call, own));
            pending.extend(below.filter(|own| reached.insert(own.id())));
        }
        false
    }

    /// The seats that have signed a call which supersedes this one directly, and which is not lost.
    pub(super) fn beyond(&self, call: &Call) -> SeatSet {
        let calls = self.calls.values().map(|counted| counted.call);
        let later = calls.filter(|later| is_above(later, call) && !self.is_lost(later));
        let votes = later.flat_map(|later| self.on(later));
        votes.map(|vote| vote.seat).collect()
    }
}

fn is_above(call: &Call, other: &Call) -> bool {
    let claims = call.claims();
    let contains = other.claims().iter().all(|claim| call.has(claim));
    let says_silent = |(_, missing): &(Seat, Missing)| *missing == Missing::Vote(other.id());
    contains && claims.len() > other.claims().len() || claims.iter().any(says_silent)
}
