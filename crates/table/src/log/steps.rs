//! The steps of a log: the complete ones, and the statements that it has for the current one.

use super::roll_call::{CallId, SignedVote};
use super::signed::{Signed, SignedAck, SignedPart, Statement, step_hash};
use super::state::{Standing, State};
use crate::seat::{Seat, SeatSet};

/// The steps of a log, without the first ones if it has forgotten them.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    complete: Vec<Step>,
    forgotten: u64,
    /// The hash of all complete steps.
    hash: [u8; 32],
    /// The statements for the current, incomplete step.
    current: Received,
    /// The first steps of the last two complete hands and of the hand in play.
    hand_starts: [u64; 3],
}

#[derive(Clone, Debug)]
struct Step {
    /// The hash of all earlier steps.
    before: [u8; 32],
    received: Received,
    facts: Facts,
}

/// The verified statements for one step.
#[derive(Clone, Debug, Default)]
struct Received {
    /// The parts, in order of the seats. In a step that a call has ended, some of them are void.
    parts: Vec<SignedPart>,
    /// The acks, in order of the seats.
    acks: Vec<SignedAck>,
    /// The votes, in order of their calls and seats.
    votes: Vec<SignedVote>,
}

/// A complete step, apart from its statements.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// The seats whose parts were due.
    pub(super) due: SeatSet,
    /// Whether the step is a release.
    pub(super) is_release: bool,
    /// Whether a player had to choose.
    pub(super) is_choice: bool,
    /// The call that ended the step, if the step did not end by parts.
    pub(super) rolled: Option<Rolled>,
    /// The shuffles that were made before these deals, if the deals name them.
    pub(super) ahead: Vec<Statement>,
    /// The state before this step. `None` with a sealed deck.
    pub(super) standing: Option<Standing>,
}

/// A step that a call has ended.
#[derive(Clone, Debug)]
pub(super) struct Rolled {
    /// The call.
    pub(super) call: CallId,
    /// The seats whose parts count. All other parts are void.
    pub(super) counted: SeatSet,
    /// The state before the step, which judges parts that arrive later.
    pub(super) state: Box<State>,
}

impl Step {
    /// The parts that count, in order of the seats.
    fn parts(&self) -> impl Iterator<Item = &SignedPart> {
        let rolled = self.facts.rolled.as_ref();
        let counts = move |seat| rolled.is_none_or(|rolled| rolled.counted.contains(seat));
        let parts = self.received.parts.iter();
        parts.filter(move |part| counts(part.seat))
    }
}

impl Steps {
    /// No steps. `hash` starts the hashes of the steps.
    pub(super) fn new(hash: [u8; 32]) -> Self {
        Steps {
            complete: Vec::new(),
            forgotten: 0,
            hash,
            current: Received::default(),
            hand_starts: [0; 3],
        }
    }

    /// The number of the current step.
    pub(super) fn now(&self) -> u64 {
        self.forgotten + self.complete.len() as u64
    }

    /// The first step that was not forgotten.
    pub(super) fn first(&self) -> u64 {
        self.forgotten
    }

    /// The first step of the hand before the one in play.
    pub(super) fn start_of_previous_hand(&self) -> u64 {
        self.hand_starts[1]
    }

    /// The hash of all complete steps.
    pub(super) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The hash of all steps before the given one, if they are complete and not forgotten.
    pub(super) fn hash_before(&self, step: u64) -> Option<[u8; 32]> {
        match step == self.now() {
            true => Some(self.hash),
            false => self.step(step).map(|step| step.before),
        }
    }

    fn place(&self, step: u64) -> Option<usize> {
        usize::try_from(step.checked_sub(self.forgotten)?).ok()
    }

    fn step(&self, step: u64) -> Option<&Step> {
        self.complete.get(self.place(step)?)
    }

    /// Returns a complete step, unless it was forgotten.
    pub(super) fn complete(&self, step: u64) -> Option<&Facts> {
        self.step(step).map(|step| &step.facts)
    }

    /// The complete steps that were not forgotten.
    pub(super) fn all_complete(&self) -> impl Iterator<Item = &Facts> {
        self.complete.iter().map(|step| &step.facts)
    }

    /// The statements for a complete step or the current one.
    fn received(&self, step: u64) -> Option<&Received> {
        match step == self.now() {
            true => Some(&self.current),
            false => self.step(step).map(|step| &step.received),
        }
    }

    /// The part that `seat` signed for this step. It can be void.
    pub(super) fn part(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let mut parts = self.received(step)?.parts.iter();
        parts.find(|part| part.seat == seat)
    }

    /// The ack that `seat` signed for this step.
    pub(super) fn ack(&self, step: u64, seat: Seat) -> Option<&SignedAck> {
        let mut acks = self.received(step)?.acks.iter();
        acks.find(|ack| ack.seat == seat)
    }

    /// The votes for this step, in order of their calls and seats.
    pub(super) fn votes(&self, step: u64) -> &[SignedVote] {
        self.received(step).map_or(&[], |received| &received.votes)
    }

    /// All statements for this step: the acks, then the votes, then the parts.
    pub(super) fn statements(&self, step: u64) -> impl Iterator<Item = Statement> {
        let received = self.hash_before(step).zip(self.received(step));
        received.into_iter().flat_map(|(before, received)| {
            let acks = received.acks.iter().cloned().map(Signed::Ack);
            let votes = received.votes.iter().cloned();
            let votes = votes.map(|vote| Signed::Vote(Box::new(vote)));
            let parts = received.parts.iter().cloned().map(Signed::Part);
            let all = acks.chain(votes).chain(parts);
            all.map(move |signed| Statement { before, signed })
        })
    }

    /// The seats whose parts count in a complete step.
    pub(super) fn signers(&self, step: u64) -> impl Iterator<Item = Seat> {
        let parts = self.step(step).into_iter().flat_map(Step::parts);
        parts.map(|part| part.seat)
    }

    /// The parts that count from a complete step on, and those of the current step.
    pub(super) fn parts(&self, from: u64) -> impl Iterator<Item = &SignedPart> {
        let from = self.place(from.max(self.forgotten)).unwrap_or(usize::MAX);
        let complete = self.complete.iter().skip(from).flat_map(Step::parts);
        complete.chain(&self.current.parts)
    }

    fn received_mut(&mut self, step: u64) -> &mut Received {
        let complete = self.place(step).and_then(|at| self.complete.get_mut(at));
        complete.map_or(&mut self.current, |step| &mut step.received)
    }

    /// Adds a part. In a complete step, it is void.
    pub(super) fn add_part(&mut self, part: SignedPart) {
        let parts = &mut self.received_mut(part.step).parts;
        let place = parts.partition_point(|other| other.seat < part.seat);
        parts.insert(place, part);
    }

    pub(super) fn add_ack(&mut self, ack: SignedAck) {
        let acks = &mut self.received_mut(ack.step).acks;
        let place = acks.partition_point(|other| other.seat < ack.seat);
        acks.insert(place, ack);
    }

    pub(super) fn add_vote(&mut self, vote: SignedVote) {
        let votes = &mut self.received_mut(vote.step).votes;
        let order = |vote: &SignedVote| (vote.call.id(), vote.seat);
        let place = votes.partition_point(|other| order(other) < order(&vote));
        votes.insert(place, vote);
    }

    /// Completes the current step. A call has removed the seats in `removed`. Returns the hash of all
    /// complete steps.
    pub(super) fn complete_now(&mut self, facts: Facts, removed: SeatSet) -> [u8; 32] {
        let step = Step {
            before: self.hash,
            received: std::mem::take(&mut self.current),
            facts,
        };
        self.hash = step_hash(self.now(), &step.before, step.parts(), removed);
        self.complete.push(step);
        self.hash
    }

    /// Begins a hand with the current step.
    pub(super) fn begin_hand(&mut self) {
        self.hand_starts = [self.hand_starts[1], self.hand_starts[2], self.now()];
    }

    /// Forgets all hands except the hand in play and the two hands before it.
    pub(super) fn forget_older_hands(&mut self) {
        let older = self.hand_starts[0].saturating_sub(self.forgotten);
        self.complete
            .drain(..(older as usize).min(self.complete.len()));
        self.forgotten += older;
    }
}
