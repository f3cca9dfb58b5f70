//! The statements in the steps of a log, and their order.

use super::ahead_chain::AheadChain;
use super::foul::PartFoul;
use super::judge::{self, Place};
use super::match_log::{MatchLog, Step};
use super::phase::Phase;
use super::roll_call::SignedVote;
use super::signed::{Signed, SignedAck, SignedPart, Statement};
use super::state::Standing;
use crate::seat::{Seat, SeatSet};

impl Step {
    /// The parts of the step, then those that a call has made void.
    fn all_parts(&self) -> impl Iterator<Item = &SignedPart> {
        let void = self.rolled.iter().flat_map(|rolled| &rolled.void);
        self.parts.iter().chain(void)
    }
}

impl MatchLog {
    /// The number of the current, incomplete step.
    pub fn step(&self) -> u64 {
        self.forgotten + self.steps.len() as u64
    }

    /// The hash of all complete steps. The signatures of the current step cover this hash.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The hash of all steps before the given one, if they are complete and not forgotten.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash_before(&self, step: u64) -> Option<[u8; 32]> {
        if step == self.step() {
            return Some(self.hash);
        }
        self.complete(step).map(|step| step.before)
    }

    /// Returns a complete step, unless it was forgotten.
    pub(super) fn complete(&self, step: u64) -> Option<&Step> {
        let place = step.checked_sub(self.forgotten)?;
        self.steps.get(usize::try_from(place).ok()?)
    }

    fn complete_mut(&mut self, step: u64) -> Option<&mut Step> {
        let place = step.checked_sub(self.forgotten)?;
        self.steps.get_mut(usize::try_from(place).ok()?)
    }

    /// Forgets all hands except the hand in play and the two hands before it, so that memory does
    /// not grow with the length of the match. The forgotten parts stay in the match file, but this
    /// log can no longer compare or resend them. The log needs two earlier hands because another
    /// seat may still be in the previous hand, and after a reconnection resends the hand before
    /// that as well.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn forget_older_hands(&mut self) {
        let older = self.hand_starts[0].saturating_sub(self.forgotten);
        self.steps.drain(..(older as usize).min(self.steps.len()));
        self.forgotten += older;
    }

    /// The ack that `seat` signed for `step`, if this log has it.
    pub(super) fn ack(&self, step: u64, seat: Seat) -> Option<&SignedAck> {
        let acks = match step == self.step() {
            true => &self.acks,
            false => &self.complete(step)?.acks,
        };
        acks.iter().find(|ack| ack.seat == seat)
    }

    /// Adds a verified ack for a step of this log.
    pub(super) fn add_ack(&mut self, ack: SignedAck) {
        let acks = match self.complete_mut(ack.step) {
            Some(step) => &mut step.acks,
            None => &mut self.acks,
        };
        let place = acks.partition_point(|other| other.seat < ack.seat);
        acks.insert(place, ack);
    }

    /// The seats that signed a part in a complete step.
    pub(super) fn signers_of(&self, step: u64) -> impl Iterator<Item = Seat> {
        let complete = self.complete(step);
        complete
            .into_iter()
            .flat_map(|step| step.parts.iter().map(|part| part.seat))
    }

    /// The state before a complete step of a match with more than two seats.
    pub(super) fn standing_before(&self, step: u64) -> Option<&Standing> {
        self.complete(step)?.standing.as_ref()
    }

    /// The votes for this step, in order of their calls and seats.
    pub(super) fn votes_at(&self, step: u64) -> &[SignedVote] {
        match step == self.step() {
            true => &self.votes,
            false => self.complete(step).map_or(&[], |step| &step.votes),
        }
    }

    /// Adds a verified vote for a step of this log.
    pub(super) fn add_vote(&mut self, vote: SignedVote) {
        let votes = match self.complete_mut(vote.step) {
            Some(step) => &mut step.votes,
            None => &mut self.votes,
        };
        let order = |vote: &SignedVote| (vote.call.id(), vote.seat);
        let place = votes.partition_point(|other| order(other) < order(&vote));
        votes.insert(place, vote);
    }

    /// The seats that sign a part in this step, and whether it is a release. Both follow from the history
    /// before the step, also after a conviction.
    pub(super) fn due_at(&self, step: u64) -> (SeatSet, bool) {
        match self.complete(step) {
            Some(step) => (step.due, step.is_release),
            None => {
                let is_release = matches!(self.state.phase, Phase::Open(_) | Phase::Key(_));
                (self.state.signers().into_iter().collect(), is_release)
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
        let rolled = self.complete(part.step)?.rolled.as_ref()?;
        let step = part.step;
        let judge = || judge::judge(&rolled.state, Place { step, before }, part.seat, &part.part);
        self.complete(step)?
            .due
            .contains(part.seat)
            .then(|| judge().map(drop))
    }

    /// Keeps a void part.
    pub(super) fn add_void(&mut self, part: SignedPart) {
        let step = self.complete_mut(part.step);
        if let Some(rolled) = step.and_then(|step| step.rolled.as_mut()) {
            let place = rolled.void.partition_point(|other| other.seat < part.seat);
            rolled.void.insert(place, part);
        }
    }

    /// Whether `seat` has signed a statement in this step, apart from a foul. A refusal does not count:
    /// it is no proof for another refusal.
    pub(crate) fn has_spoken(&self, step: u64, seat: Seat) -> bool {
        let mut votes = self.votes_at(step).iter();
        self.ack(step, seat).is_some()
            || self.part_in_log(step, seat).is_some()
            || votes.any(|vote| vote.seat == seat && !vote.refuses())
    }

    /// The last step in which `seat` has signed a statement or a refusal. Forgotten steps do not count. The
    /// seat has this log's history of all earlier steps.
    pub(crate) fn last_signed(&self, seat: Seat) -> Option<u64> {
        let mut steps = (self.first_step()..=self.step()).rev();
        let has_refused = |step| self.votes_at(step).iter().any(|vote| vote.seat == seat);
        steps.find(|step| self.has_spoken(*step, seat) || has_refused(*step))
    }

    /// The part that `seat` signed in `step`, if this log has it, including a foul that ended the
    /// match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn part(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let mut fouls = self.convictions.fouls().iter().map(|proof| &proof.part);
        self.part_in_log(step, seat)
            .or_else(|| fouls.find(|part| part.step == step && part.seat == seat))
    }

    /// The same without fouls.
    pub(super) fn part_in_log(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let of_seat = |part: &&SignedPart| part.seat == seat;
        if step == self.step() {
            self.current.iter().map(|(part, _)| part).find(of_seat)
        } else {
            self.complete(step)?.all_parts().find(of_seat)
        }
    }

    /// All parts from step `from` on that were not forgotten, in order of the steps and seats. The
    /// fouls that ended the match come last. After a reconnection each side sends these parts, and
    /// the other side adds them one by one with `accept`.
    pub fn history(&self, from: u64) -> impl Iterator<Item = &SignedPart> {
        let from = usize::try_from(from.saturating_sub(self.forgotten))
            .unwrap_or(usize::MAX)
            .min(self.steps.len());
        let complete = self.steps[from..].iter().flat_map(|step| &step.parts);
        let current = self.current.iter().map(|(part, _)| part);
        complete
            .chain(current)
            .chain(self.convictions.fouls().iter().map(|proof| &proof.part))
    }

    /// All statements from step `from` on that were not forgotten, in order of the steps: the
    /// shuffles of the ahead chain that the deals of a step name, then the acks of the step in order
    /// of the seats, then its votes in order of their calls, then its parts. The shuffles for the
    /// next hand belong to the current step. In a match of two seats, the foul that ended the match
    /// comes last.
    pub(crate) fn statements(&self, from: u64) -> Vec<Statement> {
        let from = from.max(self.forgotten);
        let mut statements = Vec::new();
        for step in from..=self.step() {
            let Some(before) = self.hash_before(step) else {
                continue;
            };
            let (acks, parts): (&[SignedAck], Vec<&SignedPart>) = match self.complete(step) {
                Some(step) => {
                    statements.extend_from_slice(&step.ahead);
                    let mut parts: Vec<_> = step.all_parts().collect();
                    parts.sort_by_key(|part| part.seat);
                    (&step.acks, parts)
                }
                None => {
                    statements.extend(self.ahead().into_iter().flat_map(AheadChain::all).cloned());
                    (
                        &self.acks,
                        self.current.iter().map(|(part, _)| part).collect(),
                    )
                }
            };
            let acks = acks.iter().cloned().map(Signed::Ack);
            let votes = self.votes_at(step).iter().cloned();
            let votes = votes.map(|vote| Signed::Vote(Box::new(vote)));
            let parts = parts.into_iter().cloned().map(Signed::Part);
            let all = acks.chain(votes).chain(parts);
            statements.extend(all.map(|signed| Statement { before, signed }));
        }
        let fouls = self.convictions.fouls().iter().filter_map(|proof| {
            let before = self.hash_before(proof.part.step)?;
            let signed = Signed::Part(proof.part.clone());
            Some(Statement { before, signed })
        });
        // A log of several seats can have steps after a foul.
        let several = self.match_info.seats() > 2;
        for foul in fouls {
            let is_later = |other: &Statement| {
                several && other.signed.head().is_none() && other.place() > foul.place()
            };
            let later = statements.iter().position(is_later);
            statements.insert(later.unwrap_or(statements.len()), foul);
        }
        statements
    }

    /// The first step that this log still has.
    pub(super) fn first_step(&self) -> u64 {
        self.forgotten
    }

    /// The first step of the hand before the one in play.
    pub(super) fn start_of_previous_hand(&self) -> u64 {
        self.hand_starts[1]
    }

    /// Whether this log still has all steps of the match.
    pub(crate) fn is_whole(&self) -> bool {
        self.forgotten == 0
    }
}
