//! Roll calls: how the other seats go on without a silent one.
//!
//! In a match whose threshold is below the number of seats, a seat that lacks something signs a *roll
//! call*, which names the seats from which it lacks it. A roll call is *won* if all other seats have
//! signed the same one: then the named seats are gone, and the step ends with the parts that the roll
//! calls carry. It is *lost* if a seat that it does not name has signed something else with the same
//! number. Otherwise it is *open*, and binds the seat that signed it: this seat signs no part in the
//! step, and does not complete the step with the parts that arrive.
//!
//! # Whose log
//! The rules depend on the seat: a step with an open roll call can be complete for all other seats. So
//! each log has an owner, and only the owner's own roll calls end or hold a step in it. A reader of the
//! owner's file applies them for the same seat, so it computes the same steps as the owner did. Two
//! logs can part in a step with roll calls. Then the owner of one is gone in the other, or a seat
//! has signed two different roll calls with one number, or two parts.
//!
//! A step of a log is never undone. A seat that starts again from an older copy of its file gets its own
//! roll calls back from the others. It accepts nothing before enough of them have sent their histories,
//! and then its own roll calls first: otherwise a history without them could complete the step by parts.

mod signing;
mod statement;

pub(crate) use signing::Missing;
pub use statement::SignedRollCall;

use super::foul::Refused;
use super::match_log::{Accepted, MatchLog};
use super::phase::Phase;
use super::signed::{Evidence, Signed, Statement};
use crate::seat::{Seat, SeatSet};

/// The first step with roll calls. In the steps before, all seats make the keys, and the match cannot
/// go on without one of them.
pub(super) const FIRST_STEP: u64 = 3;

/// The number of roll calls and answers that a seat can sign in a step, so that a cheat cannot fill the
/// files of the others.
const MAX_ROUNDS: u8 = 32;

/// How the current step ends.
pub(super) enum Ending {
    /// With the parts of all seats that sign in it.
    Parts,
    /// With a won roll call.
    Won {
        /// The seats that are gone now.
        removed: SeatSet,
        /// The seats whose roll calls carry their parts.
        carried: SeatSet,
    },
}

impl Ending {
    pub(super) fn removed(&self) -> SeatSet {
        match self {
            Ending::Parts => SeatSet::default(),
            Ending::Won { removed, .. } => *removed,
        }
    }

    /// Whether the part of this seat in the step counts.
    pub(super) fn counts(&self, seat: Seat) -> bool {
        match self {
            Ending::Parts => true,
            Ending::Won { carried, .. } => carried.contains(seat),
        }
    }
}

impl MatchLog {
    /// The seats that are left in the match before this step.
    pub(super) fn live_at(&self, step: u64) -> SeatSet {
        let gone = match self.standing_before(step) {
            Some(standing) => &standing.gone[..],
            None => self.state.deck.gone(),
        };
        let seats = Seat::all(self.match_info().seats());
        seats.filter(|seat| !gone.contains(seat)).collect()
    }

    /// The number of seats that open a card.
    pub(super) fn threshold(&self) -> usize {
        let sizes = &self.shape().verifiable;
        sizes.map_or(0, |sizes| sizes.seats.threshold())
    }

    /// Whether too few of these seats would be left without the `missing` ones.
    fn are_too_few(&self, live: SeatSet, missing: SeatSet) -> bool {
        live.without(missing).len() < self.threshold()
    }

    /// Whether a seat that the roll call does not name has signed something else with its number.
    fn is_lost(&self, call: &SignedRollCall) -> bool {
        let mut others = self.calls_at(call.step).iter();
        others.any(|other| {
            let counts = other.seat != call.seat && !call.missing.contains(other.seat);
            counts && other.round == call.round && other.missing != call.missing
        })
    }

    /// Whether all other seats have signed this roll call.
    pub(super) fn is_called_by_all(&self, step: u64, round: u8, missing: SeatSet) -> bool {
        let calls = self.calls_at(step).iter();
        let same = calls.filter(|call| call.round == round && call.missing == missing);
        let callers: SeatSet = same.map(|call| call.seat).collect();
        self.live_at(step).without(missing) == callers
    }

    /// The open roll calls of a seat in the current step.
    fn open_calls(&self, seat: Seat) -> impl Iterator<Item = &SignedRollCall> {
        let of_seat = move |call: &&SignedRollCall| call.seat == seat && !call.is_answer();
        let calls = self.calls.iter().filter(of_seat);
        calls.filter(|call| !self.is_lost(call))
    }

    /// Whether the seat has an open roll call in the current step. Then it signs no part, and
    /// completes the step by no parts.
    pub fn is_bound(&self, seat: Seat) -> bool {
        self.open_calls(seat).next().is_some()
    }

    /// The seats that open roll calls of the owner name.
    pub(super) fn named_by_open_calls(&self) -> impl Iterator<Item = Seat> {
        let open = self.open_calls(self.owner);
        open.flat_map(|call| call.missing.iter())
    }

    /// Whether the match goes on although seats have committed fouls, because enough other seats are
    /// left.
    pub(super) fn goes_on_without_fouls(&self) -> bool {
        let fouls = self.convictions.fouls().iter();
        let fouls = fouls.map(|proof| proof.part.seat).collect();
        let can_remove = self.match_info().has_roll_calls() && self.step() >= FIRST_STEP;
        can_remove && !self.are_too_few(self.live_at(self.step()), fouls)
    }

    /// Whether the other seats have removed the owner of this log. The owner signs nothing more, and
    /// the log does not contain how the match goes on.
    pub fn is_removed(&self) -> bool {
        self.is_removed
    }

    /// The seats that are gone: they have left, or the others have removed them.
    pub fn gone(&self) -> &[Seat] {
        self.state.deck.gone()
    }

    /// How the current step ends now. `None` if it does not.
    pub(super) fn ending(&self) -> Option<Ending> {
        if self.is_removed() {
            return None;
        }
        let open: Vec<_> = self.open_calls(self.owner).collect();
        match open[..] {
            [] => self.has_all_parts().then_some(Ending::Parts),
            // An earlier one is not won as long as a later one is open.
            [.., last] => {
                let won = self.is_called_by_all(last.step, last.round, last.missing);
                won.then(|| self.won(last.round, last.missing))
            }
        }
    }

    fn won(&self, round: u8, removed: SeatSet) -> Ending {
        let callers = self.calls.iter().filter(|call| call.round == round);
        let carrying = callers.filter(|call| call.own.is_some() && !removed.contains(call.seat));
        Ending::Won {
            removed,
            carried: carrying.map(|call| call.seat).collect(),
        }
    }

    /// Whether a seat can sign this roll call at all, in the steps of this log.
    fn is_possible(&self, call: &SignedRollCall) -> bool {
        let live = self.live_at(call.step);
        call.step >= FIRST_STEP
            && call.round < MAX_ROUNDS
            && live.contains(call.seat)
            && !call.missing.contains(call.seat)
            && call.missing.without(live).is_empty()
            && !self.are_too_few(live, call.missing)
    }

    /// Adds a roll call or an answer for a history that this log has. `before` is the hash of this
    /// history.
    pub(super) fn accept_roll_call(
        &mut self,
        call: SignedRollCall,
        before: [u8; 32],
    ) -> Result<Accepted, Refused> {
        let (step, seat) = (call.step, call.seat);
        if !self.match_info().has_roll_calls() {
            return Err(Refused::RollCall(seat));
        }
        let is_same = |known: &&SignedRollCall| known.seat == seat && known.round == call.round;
        let known = self.calls_at(step).iter().find(is_same).cloned();
        if known
            .as_ref()
            .is_some_and(|known| known.says_the_same(&call))
        {
            return Ok(Accepted::Known);
        }
        let player = &self.match_info().players()[seat.index()];
        if !call.is_signed(&player.identity, &self.match_info().id(), &before) {
            return Err(Refused::Signature(seat));
        }
        if let Some(known) = known {
            let statements = [known, call].map(|call| Statement {
                before,
                signed: Signed::RollCall(Box::new(call)),
            });
            return Err(Refused::Fork(Box::new(Evidence {
                match_id: self.match_info().id(),
                statements,
            })));
        }
        if !self.is_possible(&call) {
            return Err(Refused::RollCall(seat));
        }
        let is_over = matches!(self.state.phase, Phase::Over(_));
        if step == self.step() && is_over {
            return Err(Refused::Over);
        }
        let mut events = Vec::new();
        if let Some(part) = call.own_part() {
            match self.accept(part) {
                Ok(Accepted::New(_, new)) => events = new,
                Ok(_) | Err(Refused::Over) => {}
                Err(Refused::Foul(proof)) => {
                    self.record_foul(*proof);
                }
                // The evidence contains a part of this log, so it is valid.
                Err(Refused::Fork(evidence)) => {
                    let _known = self.record_fork(*evidence);
                }
                Err(refused) => return Err(refused),
            }
        }
        events.extend(self.insert_call(call));
        Ok(Accepted::RollCall(events))
    }

    /// Adds a verified roll call, and completes the current step if it ends now. Returns the events.
    fn insert_call(&mut self, call: SignedRollCall) -> Vec<crate::log::LogEvent> {
        let (step, round, missing) = (call.step, call.round, call.missing);
        self.add_call(call);
        if missing.contains(self.owner) && self.is_called_by_all(step, round, missing) {
            self.is_removed = true;
        }
        let ends = step == self.step() && !matches!(self.state.phase, Phase::Over(_));
        match self.ending().filter(|_| ends) {
            Some(ending) => self.complete_step(ending),
            None => Vec::new(),
        }
    }
}
