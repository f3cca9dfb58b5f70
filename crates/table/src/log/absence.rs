//! The settlement of an open match whose hand cannot go on because seats are absent.
//!
//! A seat is absent for the owner of a file if the owner's program has claimed that it is out of time
//! or away. Absence cannot be proved: the settlement counts only if every remaining seat signs the
//! first part of the next match, whose header names it ([`Past::without`]).

use super::claim::{Claim, Claimed};
use super::header::DeckTerms;
use super::match_log::MatchLog;
use super::past::Past;
use super::phase::Phase;
use super::roll_call::{FIRST_STEP, Missing};
use super::state::Standing;
use crate::rules::SettledBy;
use crate::seat::{Seat, SeatSet};

/// A match that was settled without absent seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The match, as the header of the next match names it.
    pub past: Past,
    /// The absent seats, in order. The other seats that are [left out](Past::without) had left before.
    pub absent: Vec<Seat>,
    /// The rule that decided the chips of the hand in play. `None` if no hand was in play.
    pub rule: Option<SettledBy>,
}

/// Why a seat does not agree to the settlement in the header of the next match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The seat itself is to be left out.
    Own,
    /// The logs have different numbers of steps.
    Steps {
        /// The number of steps in the log of this seat.
        own: u64,
    },
    /// By the claims of this seat, these seats are absent. Empty if the match can go on.
    Absent(Vec<Seat>),
    /// The seats are absent, but too few remain.
    TooFew,
    /// The log leads to other chips, other blinds or another history.
    Other,
}

impl MatchLog {
    /// Checks the settlement in the header of the next match, by the log and the claims of the seat
    /// `own`. The seat must not sign in the next match without this check, and not while it has a
    /// connection to one of the absent seats.
    ///
    /// Each seat that is left out must be absent by the claims of this seat, and the match must wait only
    /// for seats that are left out. A seat that these claims count as absent can remain: guests need no
    /// connection to each other. Every remaining seat signs the first part of the next match.
    ///
    /// # Errors
    /// If the log and the claims of this seat do not allow the settlement.
    pub fn agrees_to(
        &self,
        past: &Past,
        own: Seat,
        claims: &[Claim],
    ) -> Result<Settled, Disagreement> {
        if past.without.contains(&own) {
            return Err(Disagreement::Own);
        }
        if past.steps != self.step() {
            return Err(Disagreement::Steps { own: self.step() });
        }
        let gone = self.state().standing().gone;
        let named = past.without.iter().filter(|seat| !gone.contains(seat));
        let named: Vec<Seat> = named.copied().collect();
        let claimed = self.claimed_absent(claims);
        if !named.iter().all(|seat| claimed.contains(seat)) || !self.waits_only_for(&named) {
            return Err(Disagreement::Absent(self.absent(claims)));
        }
        let settled = self.settled_without(&named).ok_or(Disagreement::TooFew)?;
        match settled.past == *past {
            true => Ok(settled),
            false => Err(Disagreement::Other),
        }
    }

    /// The seats that are absent by these claims of the file's owner, in order. Empty unless the match
    /// waits for absent seats only: while it waits for another seat, it can go on.
    pub fn absent(&self, claims: &[Claim]) -> Vec<Seat> {
        let absent = self.claimed_absent(claims);
        if self.waits_only_for(&absent) {
            absent
        } else {
            Vec::new()
        }
    }

    /// Whether the match waits for seats, and only for some of these.
    fn waits_only_for(&self, seats: &[Seat]) -> bool {
        let mut waits_for = self.waits_for();
        waits_for.extend(self.unanswered().iter());
        !waits_for.is_empty() && waits_for.iter().all(|seat| seats.contains(seat))
    }

    /// The seats that are away or out of time by these claims, in order.
    fn claimed_absent(&self, claims: &[Claim]) -> Vec<Seat> {
        let due = self.waits_for();
        let unanswered = self.unanswered();
        let gone = self.state().standing().gone;
        let is_absent = |seat: &Seat| {
            let mut claims = claims.iter().rev();
            let of_seat = |claim: &&Claim| claim.seat == *seat && claim.is_valid(self);
            let last = claims.find(|claim| of_seat(claim) && claim.what != Claimed::Closed);
            match last.map(|claim| claim.what) {
                Some(Claimed::OutOfTime) => due.contains(seat) || unanswered.contains(*seat),
                Some(Claimed::Away) => !gone.contains(seat),
                _ => false,
            }
        };
        let seats = Seat::all(self.match_info().seats());
        seats.filter(is_absent).collect()
    }

    /// The open match without these absent seats: the chips follow from the complete steps of this
    /// log. `None` if the match is over, if enough of these seats are left out to go on by themselves, or if they
    /// may not be left out. More than half of the seats that have not left must remain, so that two groups of players
    /// cannot both continue the match.
    pub fn settled_without(&self, absent: &[Seat]) -> Option<Settled> {
        match self.phase() {
            Phase::Over(_) => None,
            _ => self.settled_at(self.step(), absent),
        }
    }

    /// The same settlement as in `past`, as far as this log knows the steps that it counts. It is
    /// valid if the result has the same [`Settled::past`].
    pub fn settled_like(&self, past: &Past) -> Option<Settled> {
        let gone = self.standing(past.steps)?.gone;
        let absent = past.without.iter().filter(|seat| !gone.contains(seat));
        let absent: Vec<Seat> = absent.copied().collect();
        self.settled_at(past.steps, &absent)
    }

    fn settled_at(&self, steps: u64, absent: &[Seat]) -> Option<Settled> {
        let standing = self.standing(steps)?;
        if !self.is_stopped_without(absent, steps, &standing) {
            return None;
        }
        let mut without: Vec<Seat> = absent.iter().chain(&standing.gone).copied().collect();
        without.sort_unstable();
        without.dedup();
        let (rule, stacks) = standing.settled_without(&without);
        let past = Past::ended(self, Some(without), steps, stacks)?;
        let absent = absent.to_vec();
        Some(Settled { past, absent, rule })
    }

    /// Whether the match may be settled without the absent seats before this step: they cannot go on
    /// by themselves, and more than half of the seats remain.
    fn is_stopped_without(&self, absent: &[Seat], steps: u64, standing: &Standing) -> bool {
        let seats = self.match_info().seats();
        let DeckTerms::Verifiable(deck) = self.match_info().header().deck else {
            return false;
        };
        let live = seats - standing.gone.len();
        let is_live = |seat: &Seat| seat.index() < seats && !standing.gone.contains(seat);
        let Some(left) = live.checked_sub(absent.len()).filter(|&left| left < live) else {
            return false;
        };
        let is_majority = 2 * left > live;
        // Before all seats have made the keys, no threshold of them can open a card.
        let cannot_go_on = live - left < deck.threshold() || steps < FIRST_STEP;
        seats > 2 && absent.iter().all(is_live) && cannot_go_on && is_majority
    }

    /// The seats whose votes the owner lacks, and those that a late call names.
    pub(super) fn unanswered(&self) -> SeatSet {
        let missing = self.missing().into_iter();
        let votes = missing.filter(|(_, what)| matches!(what, Missing::Vote(_) | Missing::Removed));
        votes.map(|(seat, _)| seat).collect()
    }
}
