//! The statements in the steps of a log, and their order.

use super::ahead_chain::AheadChain;
use super::foul::PartFoul;
use super::judge::{self, Place};
use super::match_log::MatchLog;
use super::phase::Phase;
use super::signed::{Signed, SignedPart, Statement};
use crate::seat::{Seat, SeatSet};

impl MatchLog {
    /// The number of the current, incomplete step.
    pub fn step(&self) -> u64 {
        self.steps().now()
    }

    /// The hash of all complete steps. The signatures of the current step cover this hash.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.steps().hash()
    }

    /// The hash of all steps before the given one, if they are complete and not forgotten.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash_before(&self, step: u64) -> Option<[u8; 32]> {
        self.steps().hash_before(step)
    }

    /// Whether this log still has all steps of the match.
    pub(crate) fn is_whole(&self) -> bool {
        self.steps().first() == 0
    }

    /// The seats that sign a part in this step, and whether it is a release. Both follow from the history
    /// before the step, also after a conviction.
    pub(super) fn due_at(&self, step: u64) -> (SeatSet, bool) {
        match self.steps().complete(step) {
            Some(step) => (step.due, step.is_release),
            None => {
                let is_release = matches!(self.state().phase, Phase::Open(_) | Phase::Key(_));
                (self.state().signers().into_iter().collect(), is_release)
            }
        }
    }

    /// Judges a part for a step that a call has ended without this part, though it was due. If the
    /// rules allow it, it is void, and no foul: its seat did not know. A foul is one in every log, also in
    /// those that the votes reached later. `None` for any other part.
    pub(super) fn judge_void(
        &self,
        part: &SignedPart,
        before: [u8; 32],
    ) -> Option<Result<(), PartFoul>> {
        let (step, seat) = (part.step, part.seat);
        let complete = self.steps().complete(step)?;
        let rolled = complete.rolled.as_ref()?;
        let judge = || judge::judge(&rolled.state, Place { step, before }, seat, &part.part);
        complete.due.contains(seat).then(|| judge().map(drop))
    }

    /// Whether `seat` has signed a statement in this step, apart from a foul. A refusal does not count:
    /// it is no proof for another refusal.
    pub(crate) fn has_spoken(&self, step: u64, seat: Seat) -> bool {
        let mut votes = self.steps().votes(step).iter();
        self.steps().ack(step, seat).is_some()
            || self.steps().part(step, seat).is_some()
            || votes.any(|vote| vote.seat == seat && !vote.refuses())
    }

    /// The last step in which `seat` has signed a statement or a refusal. Forgotten steps do not count. The
    /// seat has this log's history of all earlier steps.
    pub(crate) fn last_signed(&self, seat: Seat) -> Option<u64> {
        let mut steps = (self.steps().first()..=self.step()).rev();
        let votes = |step| self.steps().votes(step).iter();
        let has_refused = |step| votes(step).any(|vote| vote.seat == seat);
        steps.find(|step| self.has_spoken(*step, seat) || has_refused(*step))
    }

    /// The part that `seat` signed in `step`, if this log has it, including a foul that ended the
    /// match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn part(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let mut fouls = self.convictions().fouls().iter().map(|proof| &proof.part);
        self.steps()
            .part(step, seat)
            .or_else(|| fouls.find(|part| part.step == step && part.seat == seat))
    }

    /// All parts from step `from` on that were not forgotten, in order of the steps and seats. The
    /// fouls that ended the match come last. After a reconnection each side sends these parts, and
    /// the other side adds them one by one with `accept`.
    pub fn history(&self, from: u64) -> impl Iterator<Item = &SignedPart> {
        let fouls = self.convictions().fouls().iter();
        self.steps()
            .parts(from)
            .chain(fouls.map(|proof| &proof.part))
    }

    /// All statements from step `from` on that were not forgotten, in order of the steps: the
    /// shuffles of the ahead chain that the deals of a step name, then the acks of the step in order
    /// of the seats, then its votes in order of their calls, then its parts. The shuffles for the
    /// next hand belong to the current step. In a match of two seats, the foul that ended the match
    /// comes last.
    pub(crate) fn statements(&self, from: u64) -> Vec<Statement> {
        let mut statements = Vec::new();
        for step in from.max(self.steps().first())..=self.step() {
            match self.steps().complete(step) {
                Some(complete) => statements.extend_from_slice(&complete.ahead),
                None => {
                    statements.extend(self.ahead().into_iter().flat_map(AheadChain::all).cloned());
                }
            }
            statements.extend(self.steps().statements(step));
        }
        let fouls = self.convictions().fouls().iter().filter_map(|proof| {
            let before = self.hash_before(proof.part.step)?;
            let signed = Signed::Part(proof.part.clone());
            Some(Statement { before, signed })
        });
        // A log of several seats can have steps after a foul.
        let several = self.match_info().seats() > 2;
        for foul in fouls {
            let is_later = |other: &Statement| {
                several && other.signed.head().is_none() && other.place() > foul.place()
            };
            let later = statements.iter().position(is_later);
            statements.insert(later.unwrap_or(statements.len()), foul);
        }
        statements
    }
}
