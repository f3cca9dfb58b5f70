//! The log of a match: all that was said, and what it comes to.

use super::ahead::Verified;
use super::event::LogEvent;
use super::foul::{PartFoul, Proof, Refused};
use super::judge::{self, Judged};
use super::part::{Part, PartKind};
use super::phase::{End, Phase, Stop};
use super::players::Match;
use super::shape::Shape;
use super::signed::{Evidence, SignedPart, step_hash};
use super::state::State;
use super::step_events::Before;
use crate::identity::Identity;
use crate::seat::Seat;

/// The log of a match.
///
/// Everything follows from the header and the parts, one after the other: two logs with the same
/// parts are in the same phase, and so are two programs that read them. Nothing is taken that the
/// seat did not sign for this step of this history, and nothing that the rules do not allow.
#[derive(Clone, Debug)]
pub struct MatchLog {
    match_info: Match,
    /// The complete steps, but for the first ones, which were forgotten.
    steps: Vec<Step>,
    forgotten: u64,
    /// What was said so far in the step that is not complete, in order of the seats.
    now: Vec<(SignedPart, Part)>,
    /// The hash of all complete steps.
    hash: [u8; 32],
    pub(super) state: State,
    /// The first steps of the last two complete hands and of the hand in play.
    began: [u64; 3],
    /// What convicts a seat, and ended the match.
    conviction: Option<Conviction>,
}

#[derive(Clone, Debug)]
enum Conviction {
    Foul(Proof),
    Fork(Evidence),
}

#[derive(Clone, Debug)]
struct Step {
    /// The hash of all steps before.
    before: [u8; 32],
    /// In order of the seats.
    parts: Vec<SignedPart>,
}

/// What was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A part that was not in the log, and its events.
    New(Part, Vec<LogEvent>),
    /// The same part is in the log.
    Known,
}

/// Two parts convict nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these two parts convict nobody in this match")]
pub struct NoEvidence;

/// What a seat wants to say and may not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSign {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// It has spoken in this step.
    #[error("this seat has spoken in this step")]
    AlreadySigned,
    /// The rules do not allow it.
    #[error("the rules do not allow it here")]
    Foul(#[from] super::foul::PartFoul),
}

impl MatchLog {
    /// The log of a match in which nothing was said.
    pub fn new(match_info: Match) -> Self {
        let (hash, state) = (match_info.id(), State::new(&match_info));
        MatchLog {
            match_info,
            steps: Vec::new(),
            forgotten: 0,
            now: Vec::new(),
            hash,
            state,
            began: [0; 3],
            conviction: None,
        }
    }

    /// Takes a part, of any seat: one that was just said, or one of a history that is told again.
    ///
    /// # Errors
    /// [`Refused`]. The log is as it was; see [`close`](Self::close) for what proves a foul.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn accept(&mut self, part: SignedPart) -> Result<Accepted, Refused> {
        self.accept_verified(part.into())
    }

    /// The same, with a signature that may have been verified before.
    pub(crate) fn accept_verified(&mut self, verified: Verified) -> Result<Accepted, Refused> {
        let Verified { part, after } = verified;
        let before = self.before(&part)?;
        let known = self.part(part.step, part.seat);
        if known.is_some_and(|known| known.part == part.part) {
            return Ok(Accepted::Known);
        }
        let player = &self.match_info.players()[part.seat.index()];
        let verified = after == Some(before);
        if !verified && !part.is_signed(&player.identity, &self.match_info.id(), &before) {
            return Err(Refused::Signature(part.seat));
        }
        if let Some(known) = known {
            let parts = [known.clone(), part];
            let of = self.match_info.id();
            return Err(Refused::Fork(Box::new(Evidence {
                match_id: of,
                before,
                parts,
            })));
        }
        let is_late = part.step < self.step();
        if self.is_convicted() || (!is_late && self.is_over()) {
            return Err(Refused::Over);
        }
        let judged = match is_late {
            // In a complete step every seat has spoken that had to: any other part is a foul.
            true => Err(PartFoul::NotItsTurn),
            false => judge::judge(&self.state, part.seat, &part.part),
        };
        match judged {
            Err(foul) => Err(Refused::Foul(Box::new(Proof { part, foul }))),
            Ok(judged) => {
                let said = judged.part.clone();
                let events = self.add(part, judged);
                Ok(Accepted::New(said, events))
            }
        }
    }

    /// The hash of the steps before a part that can be compared with this log.
    fn before(&self, part: &SignedPart) -> Result<[u8; 32], Refused> {
        if part.seat.index() >= self.match_info.seats() {
            return Err(Refused::NoSuchSeat(part.seat));
        }
        let (step, now) = (part.step, self.step());
        self.hash_before(step).ok_or(match step < now {
            true => Refused::Forgotten { step },
            false => Refused::TooEarly { step, now },
        })
    }

    /// Whether nothing new can be said.
    fn is_over(&self) -> bool {
        self.is_convicted() || matches!(self.state.phase, Phase::Over(_))
    }

    /// Says a part: judges, signs and adds it. It must be [written](super::Journal::append) before
    /// it is sent. Returns it with its events.
    ///
    /// # Errors
    /// If the rules do not allow it: nothing is signed then.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn sign(
        &mut self,
        identity: &Identity,
        seat: Seat,
        part: &Part,
    ) -> Result<(SignedPart, Vec<LogEvent>), CannotSign> {
        let step = self.step();
        if self.is_over() {
            return Err(CannotSign::Over);
        }
        if self.part(step, seat).is_some() {
            return Err(CannotSign::AlreadySigned);
        }
        let bytes = part.encode(self.shape(), self.size(seat));
        let judged = judge::judge(&self.state, seat, &bytes)?;
        let signed = SignedPart::sign(
            identity,
            &self.match_info.id(),
            step,
            &self.hash,
            seat,
            bytes,
        );
        let events = self.add(signed.clone(), judged);
        Ok((signed, events))
    }

    /// The sizes of all that is said in the match.
    pub(super) fn shape(&self) -> &Shape {
        &self.state.shape
    }

    /// The bytes of whatever this seat says now.
    pub(super) fn size(&self, seat: Seat) -> usize {
        self.state.size(seat)
    }

    /// Adds a part that was judged, and returns its events.
    fn add(&mut self, part: SignedPart, judged: Judged) -> Vec<LogEvent> {
        let (seat, stop) = (part.seat, judged.part.stop());
        let place = self
            .now
            .partition_point(|(other, _)| other.seat < part.seat);
        self.now.insert(place, (part, judged.part));
        let speakers = self.state.phase.signers(self.match_info.seats());
        if self.now.len() < speakers.len() || !self.stops().is_empty() {
            let stopped = stop.map(|stop| LogEvent::Stopped { seat, stop });
            return stopped.into_iter().collect();
        }
        let step = self.step();
        let (parts, said): (Vec<_>, Vec<_>) = (self.now.drain(..))
            .map(|(part, said)| (part.clone(), (part.seat, said)))
            .unzip();
        let hash = step_hash(step, &self.hash, parts.iter());
        let before = std::mem::replace(&mut self.hash, hash);
        self.steps.push(Step { before, parts });
        let (hand, state) = (self.state.hand, Before::of(&self.state));
        self.state.complete(step, &said, judged.after);
        if self.state.hand != hand {
            self.began = [self.began[1], self.began[2], step + 1];
        }
        state.events(self, &said)
    }

    /// Ends the match with a foul that [`take`](Self::take) refused, so that the log proves it. The foul
    /// may belong to an earlier step, if it came late, and counts also when the match is over.
    /// A foul that is none in this log changes nothing.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn record_foul(&mut self, proof: Proof) {
        let again = self.accept(proof.part);
        if let Err(Refused::Foul(proof)) = again {
            self.conviction = Some(Conviction::Foul(*proof));
        }
    }

    /// Ends the match with two parts that no log can hold.
    ///
    /// # Errors
    /// If they convict nobody in this match: nothing is changed then.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn record_fork(&mut self, evidence: Evidence) -> Result<(), NoEvidence> {
        if !evidence.holds(&self.match_info) {
            return Err(NoEvidence);
        }
        self.conviction = Some(Conviction::Fork(evidence));
        Ok(())
    }

    /// The foul that ended the match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn foul(&self) -> Option<&Proof> {
        match &self.conviction {
            Some(Conviction::Foul(proof)) => Some(proof),
            _ => None,
        }
    }

    /// The two parts that ended the match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn evidence(&self) -> Option<&Evidence> {
        match &self.conviction {
            Some(Conviction::Fork(evidence)) => Some(evidence),
            _ => None,
        }
    }

    /// Whether a foul or two parts that no log can hold have ended the match.
    pub(crate) fn is_convicted(&self) -> bool {
        self.conviction.is_some()
    }

    /// The match.
    pub fn match_info(&self) -> &Match {
        &self.match_info
    }

    /// The number of the step in which something can be said now.
    pub fn step(&self) -> u64 {
        self.forgotten + self.steps.len() as u64
    }

    /// The hash of all complete steps: what is signed now comes after it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The hash of all steps before this one, if they are complete.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn hash_before(&self, step: u64) -> Option<[u8; 32]> {
        if step == self.step() {
            return Some(self.hash);
        }
        self.complete(step).map(|step| step.before)
    }

    /// A complete step that was not forgotten.
    fn complete(&self, step: u64) -> Option<&Step> {
        let place = step.checked_sub(self.forgotten)?;
        self.steps.get(usize::try_from(place).ok()?)
    }

    /// Forgets all hands but the one in play and two before, so that a long match takes no more
    /// memory than a short one. Their parts stay in the file of the match; here they can be neither
    /// compared nor told any more. (Another seat may still be in the hand before, and then tells
    /// the one before that.)
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn forget_older_hands(&mut self) {
        let older = self.began[0].saturating_sub(self.forgotten);
        self.steps.drain(..(older as usize).min(self.steps.len()));
        self.forgotten += older;
    }

    /// What the log asks for now.
    pub fn phase(&self) -> Phase {
        match &self.conviction {
            Some(Conviction::Foul(proof)) => {
                let (seat, foul) = (proof.part.seat, proof.foul.clone());
                return Phase::Over(End::Foul { seat, foul });
            }
            Some(Conviction::Fork(evidence)) => {
                let seat = evidence.seat();
                return Phase::Over(End::Fork { seat });
            }
            None => {}
        }
        match self.stops() {
            stops if stops.is_empty() => self.state.phase.clone(),
            stops => Phase::Over(End::Stopped(stops)),
        }
    }

    fn stops(&self) -> Vec<(Seat, Stop)> {
        let stop = |(part, said): &(SignedPart, Part)| Some((part.seat, said.stop()?));
        self.now.iter().filter_map(stop).collect()
    }

    /// The kinds of parts that this seat may say now, the one that goes on first: none if it is not its turn, or if it has
    /// spoken. When others have ended the match in this step, a seat that has not spoken may still
    /// do so; it need not.
    pub fn may_sign(&self, seat: Seat) -> Vec<PartKind> {
        match self.is_over() || self.part(self.step(), seat).is_some() {
            true => Vec::new(),
            false => judge::kinds(&self.state, seat),
        }
    }

    /// The seats that are waited for.
    pub fn waits_for(&self) -> Vec<Seat> {
        let speakers = match self.phase() {
            Phase::Over(_) => Vec::new(),
            phase => phase.signers(self.match_info.seats()),
        };
        let silent = |seat: &Seat| self.part(self.step(), *seat).is_none();
        speakers.into_iter().filter(silent).collect()
    }

    /// What a seat said in a step.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn part(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let of_seat = |part: &&SignedPart| part.step == step && part.seat == seat;
        let said = match step == self.step() {
            true => self.now.iter().map(|(part, _)| part).find(of_seat),
            false => self.complete(step)?.parts.iter().find(of_seat),
        };
        said.or_else(|| self.foul().map(|proof| &proof.part).filter(of_seat))
    }

    /// Everything that was said from this step on and was not forgotten, in order of the steps and seats: what a side
    /// tells the other when they meet again, to be taken part after part. The foul
    /// that ended the match comes last.
    pub fn history(&self, from: u64) -> impl Iterator<Item = &SignedPart> {
        let from = usize::try_from(from.saturating_sub(self.forgotten))
            .unwrap_or(usize::MAX)
            .min(self.steps.len());
        let complete = self.steps[from..].iter().flat_map(|step| &step.parts);
        let now = self.now.iter().map(|(part, _)| part);
        complete
            .chain(now)
            .chain(self.foul().map(|proof| &proof.part))
    }

    /// The first step that was not forgotten.
    pub(super) fn first_step(&self) -> u64 {
        self.forgotten
    }

    /// The first step of the hand before the one in play.
    pub(super) fn last_hand_began(&self) -> u64 {
        self.began[1]
    }

    /// Whether nothing was forgotten.
    pub(crate) fn is_whole(&self) -> bool {
        self.forgotten == 0
    }
}
