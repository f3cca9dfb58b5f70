//! The proofs that convict seats, and the complete steps that count after a conviction.
//!
//! Every honest log of a match with more than two seats must state the same chips once the seats have
//! sent each other everything, in any order. So a log keeps accepting statements and proofs after a
//! conviction, and the chips depend only on what the log has in the end.

use std::ops::RangeInclusive;

use super::foul::{Proof, Refused};
use super::match_log::{MatchLog, NoEvidence};
use super::phase::End;
use super::signed::Evidence;
use super::state::Standing;
use crate::seat::Seat;

/// The proofs against seats that ended the match.
#[derive(Clone, Debug, Default)]
pub(super) struct Convictions {
    /// The first evidence of each seat, and one of two parts or two votes for each step of this
    /// log.
    forks: Vec<Evidence>,
    /// The earliest foul of each seat.
    fouls: Vec<Proof>,
}

impl Convictions {
    pub(super) fn fouls(&self) -> &[Proof] {
        &self.fouls
    }

    /// How the match ends with conflicting statements. Of several seats, the first one is named.
    fn end_by_fork(&self) -> Option<End> {
        let fork = self.forks.iter().map(Evidence::seat).min();
        fork.map(|seat| End::Fork { seat })
    }

    /// How the match ends with a foul. Of several seats, the first one is named.
    fn end_by_foul(&self) -> Option<End> {
        let foul = self.fouls.iter().min_by_key(|proof| proof.part.seat);
        foul.map(|proof| End::Foul {
            seat: proof.part.seat,
            foul: proof.foul.clone(),
        })
    }

    /// The convicted seats, if only the steps before `steps` count. A foul in a later step does not
    /// convict: not all honest seats have the history that it breaks.
    pub(super) fn seats(&self, steps: u64) -> Vec<Seat> {
        let fouls = self.fouls.iter().map(|proof| &proof.part);
        let fouls = fouls.filter(|part| part.step <= steps);
        let forks = self.forks.iter().map(Evidence::seat);
        let mut seats: Vec<Seat> = forks.chain(fouls.map(|part| part.seat)).collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }
}

impl MatchLog {
    /// How a conviction ends the match, if one does. Conflicting statements come before fouls, because
    /// they convict a seat in all histories. With roll calls, the others go on without a seat that has
    /// committed a foul, as long as enough seats are left.
    pub(super) fn end_by_conviction(&self) -> Option<End> {
        let foul = || {
            let ends = !self.goes_on_without_fouls();
            self.convictions().end_by_foul().filter(|_| ends)
        };
        self.convictions().end_by_fork().or_else(foul)
    }

    /// Ends the match with a foul that [`accept`](Self::accept) refused, and keeps the part as the
    /// proof. A foul in an earlier step also counts if the match is already over. Returns `false` if
    /// the part is not a foul in this log, or an earlier foul of the seat is known: then the log is
    /// unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn record_foul(&mut self, proof: Proof) -> bool {
        let Err(Refused::Foul(proof)) = self.accept(proof.part) else {
            return false;
        };
        let (seat, step) = (proof.part.seat, proof.part.step);
        let fouls = &mut self.convictions_mut().fouls;
        if fouls
            .iter()
            .any(|known| known.part.seat == seat && known.part.step <= step)
        {
            return false;
        }
        fouls.retain(|known| known.part.seat != seat);
        fouls.push(*proof);
        fouls.sort_by_key(|proof| (proof.part.step, proof.part.seat));
        true
    }

    /// Ends the match with two conflicting statements. Returns `false` if the log knows as much
    /// already: then the log is unchanged.
    ///
    /// # Errors
    /// If the evidence convicts no seat of this match. The log is unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn record_fork(&mut self, evidence: Evidence) -> Result<bool, NoEvidence> {
        if !evidence.holds(self.match_info()) {
            return Err(NoEvidence);
        }
        let forks = &self.convictions().forks;
        let is_known = forks.iter().any(|known| known.seat() == evidence.seat());
        let of_step = |known: &Evidence| known.step() == evidence.step() && self.parts_here(known);
        let is_new = !is_known || self.parts_here(&evidence) && !forks.iter().any(of_step);
        if is_new {
            self.convictions_mut().forks.push(evidence);
        }
        Ok(is_new)
    }

    /// Whether this is evidence of two parts or two votes for the history of this log.
    fn parts_here(&self, evidence: &Evidence) -> bool {
        let history = self.hash_before(evidence.step());
        history.is_some() && evidence.history() == history.as_ref()
    }

    /// The fouls that ended the match, in order of the steps.
    #[cfg(any(test, feature = "internals"))]
    pub fn fouls(&self) -> &[Proof] {
        &self.convictions().fouls
    }

    /// The conflicting statements that ended the match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn evidence(&self) -> &[Evidence] {
        &self.convictions().forks
    }

    /// Whether a foul or two conflicting statements have ended the match.
    pub(crate) fn is_convicted(&self) -> bool {
        self.end_by_conviction().is_some()
    }

    /// The number of steps that count. After a conviction in a match with more than two seats, this
    /// can be less than [`step`](Self::step).
    ///
    /// Two honest logs first differ at a step for which some seat has signed two parts, or two votes
    /// on one call. But a seat can sign a second one for an old step at any time, so this alone must
    /// not undo later steps. Such a step counts if each remaining seat has signed a statement for a later step of this
    /// log. If two honest logs differ at a step, neither can have such a statement of the other owner.
    pub fn counted_steps(&self) -> u64 {
        let mut counted = self.step();
        let parted = self.evidence().iter().filter(|fork| self.parts_here(fork));
        let mut parted: Vec<u64> = parted.map(Evidence::step).collect();
        parted.sort_unstable();
        for step in parted.into_iter().rev() {
            if step < counted && !self.unsigned(step + 1..=counted).is_empty() {
                counted = step;
            }
        }
        counted
    }

    /// The remaining seats that have signed nothing in these steps.
    fn unsigned(&self, steps: RangeInclusive<u64>) -> Vec<Seat> {
        let convicted = self.convictions().seats(*steps.end());
        let standing = self.standing(*steps.end());
        let gone = |seat: &Seat| (standing.as_ref()).is_some_and(|now| now.gone.contains(seat));
        let has_signed = |seat: Seat| steps.clone().any(|step| self.has_spoken(step, seat));
        Seat::all(self.match_info().seats())
            .filter(|seat| !convicted.contains(seat) && !gone(seat) && !has_signed(*seat))
            .collect()
    }

    /// The remaining seats that have not confirmed the end of this log, after a conviction in a match
    /// with more than two seats. Until they do, the final chips can change.
    pub fn unconfirmed(&self) -> Vec<Seat> {
        if !self.confirms_end() {
            return Vec::new();
        }
        // The seats that an open call of the owner names can have completed this step.
        let mut seats = self.unsigned_now();
        seats.extend(self.named_by_open_calls().iter());
        seats.sort_unstable();
        seats.dedup();
        seats
    }

    /// The remaining seats that have signed nothing in the current step.
    pub(super) fn unsigned_now(&self) -> Vec<Seat> {
        self.unsigned(self.step()..=self.step())
    }

    /// Whether each remaining seat has to confirm the end of its log with an ack.
    pub(super) fn confirms_end(&self) -> bool {
        self.is_convicted() && self.match_info().seats() > 2
    }

    /// The state before a step of a match with more than two seats.
    pub(super) fn standing(&self, step: u64) -> Option<Standing> {
        match step == self.step() {
            true => Some(self.state().standing()),
            false => self.steps().complete(step)?.standing.clone(),
        }
    }

    /// The chips after a conviction in a match with more than two seats.
    pub(super) fn settled(&self) -> Vec<u64> {
        let steps = self.counted_steps();
        let convicted = self.convictions().seats(steps);
        let standing = self.standing(steps);
        standing.map_or_else(|| self.stacks().to_vec(), |now| now.settled(&convicted))
    }
}
