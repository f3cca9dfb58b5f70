//! The log of a match: the signed parts, and the state that follows from them.

use super::ahead::Verified;
use super::ahead_chain::AheadChain;
use super::convictions::Convictions;
use super::event::LogEvent;
use super::foul::{PartFoul, Proof, Refused};
use super::judge::{self, Judged, Place};
use super::part::{Part, PartKind};
use super::phase::{End, Phase, Stop};
use super::players::Match;
use super::shape::Shape;
use super::signed::{Evidence, Signed, SignedAck, SignedPart, Statement, step_hash};
use super::state::{Standing, State};
use super::step_events::Before;
use crate::identity::Identity;
use crate::seat::Seat;

/// The log of a match.
///
/// The header of the match and the sequence of parts determine the phase, so two programs with the
/// same parts are in the same phase. The log accepts a part only if its seat signed it for this
/// step of this history and the rules allow it.
#[derive(Clone, Debug)]
pub struct MatchLog {
    match_info: Match,
    /// The complete steps, without the first `forgotten` ones.
    steps: Vec<Step>,
    forgotten: u64,
    /// The parts of the current, incomplete step in order of the seats, each encoded and decoded.
    current: Vec<(SignedPart, Part)>,
    /// The acks for the current step, in order of the seats.
    acks: Vec<SignedAck>,
    /// The hash of all complete steps.
    hash: [u8; 32],
    pub(super) state: State,
    /// The first steps of the last two complete hands and of the hand in play.
    hand_starts: [u64; 3],
    /// The proofs against the seats that ended the match.
    pub(super) convictions: Convictions,
}

#[derive(Clone, Debug)]
struct Step {
    /// The hash of all earlier steps.
    before: [u8; 32],
    /// The parts, in order of the seats.
    parts: Vec<SignedPart>,
    /// The acks, in order of the seats.
    acks: Vec<SignedAck>,
    /// The shuffles that were made before these deals, if the deals name them.
    ahead: Vec<Statement>,
    /// The state before this step. `None` in a match of two seats.
    standing: Option<Standing>,
}

/// The result of accepting a part or an ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A part that is new to the log, with its events.
    New(Part, Vec<LogEvent>),
    /// An ack that is new to the log.
    Ack,
    /// A shuffle for the next hand that is new to the log.
    Ahead,
    /// The log already has this part or ack.
    Known,
}

/// The evidence convicts no seat of this match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these two statements convict nobody in this match")]
pub struct NoEvidence;

/// The reason why a seat cannot sign a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSign {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// The seat has already signed a part in this step.
    #[error("this seat has already signed a part in this step")]
    AlreadySigned,
    /// Before the seat opens cards, these seats have to sign the history.
    #[error("not all seats have confirmed the history")]
    Unconfirmed(Vec<Seat>),
    /// The seat owes no ack.
    #[error("this seat owes no ack")]
    NoAck,
    /// The seat owes no shuffle for the next hand.
    #[error("this seat owes no shuffle for the next hand")]
    Ahead,
    /// All other seats have dealt with an ahead chain that this log does not have.
    #[error("all other seats have dealt with a deck whose shuffles this log does not have")]
    UnknownDeck,
    /// The rules do not allow the part.
    #[error("the rules do not allow this part here")]
    Foul(#[from] super::foul::PartFoul),
}

impl MatchLog {
    /// An empty log for the match.
    pub fn new(match_info: Match) -> Self {
        let (hash, state) = (match_info.id(), State::new(&match_info));
        MatchLog {
            match_info,
            steps: Vec::new(),
            forgotten: 0,
            current: Vec::new(),
            acks: Vec::new(),
            hash,
            state,
            hand_starts: [0; 3],
            convictions: Convictions::default(),
        }
    }

    /// Adds a signed part of any seat, either a new one or one that the peer sends again after a
    /// reconnection.
    ///
    /// # Errors
    /// [`Refused`]. The log is unchanged; [`record_foul`](Self::record_foul) records a proven foul.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn accept(&mut self, part: SignedPart) -> Result<Accepted, Refused> {
        self.accept_verified(part.into())
    }

    /// Like [`accept`](Self::accept), but does not verify a signature that was already verified for
    /// the history of this log.
    pub(crate) fn accept_verified(&mut self, verified: Verified) -> Result<Accepted, Refused> {
        let Verified { part, after } = verified;
        let before = self.before(part.step, part.seat)?;
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
            let evidence = Evidence::of_parts(self.match_info.id(), before, parts);
            return Err(Refused::Fork(Box::new(evidence)));
        }
        let is_late = part.step < self.step();
        // With more than two seats, the chips depend on what the seats signed before they knew.
        let accepts_nothing = self.is_convicted() && !self.confirms_end();
        let over = matches!(self.state.phase, Phase::Over(_));
        if accepts_nothing || (!is_late && over) {
            return Err(Refused::Over);
        }
        let judged = if is_late {
            // All signers of a complete step have signed. A part of any other seat is a foul.
            Err(PartFoul::NotItsTurn)
        } else {
            judge::judge(&self.state, self.place(), part.seat, &part.part)
        };
        match judged {
            Err(foul) => Err(Refused::Foul(Box::new(Proof { part, foul }))),
            Ok(judged) if self.lacks_deck(&judged.part) => Err(Refused::UnknownDeck),
            Ok(judged) => {
                let accepted = judged.part.clone();
                let events = self.add(part, judged);
                Ok(Accepted::New(accepted, events))
            }
        }
    }

    /// Returns the hash of all steps before a step in which `seat` signed. An error if the seat does
    /// not exist, or if this log does not have that step yet or any more.
    pub(super) fn before(&self, step: u64, seat: Seat) -> Result<[u8; 32], Refused> {
        if seat.index() >= self.match_info.seats() {
            return Err(Refused::NoSuchSeat(seat));
        }
        let now = self.step();
        self.hash_before(step).ok_or(match step < now {
            true => Refused::Forgotten { step },
            false => Refused::TooEarly { step, now },
        })
    }

    /// Whether the match is over, so that no new part can be signed.
    fn is_over(&self) -> bool {
        self.is_convicted() || matches!(self.state.phase, Phase::Over(_))
    }

    /// Signs a part that the rules allow, adds it to the log, and returns it with its events. The
    /// caller must [write](super::Journal::append) the signed part before sending it.
    ///
    /// # Errors
    /// If the match is over, the seat has already signed in this step, or the rules do not allow
    /// the part. In these cases nothing is signed.
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
        let lacks = self.lacks(seat);
        if !lacks.is_empty() {
            return Err(CannotSign::Unconfirmed(lacks));
        }
        let bytes = part.encode(self.shape(), self.size(seat));
        let judged = judge::judge(&self.state, self.place(), seat, &bytes)?;
        if self.lacks_deck(&judged.part) {
            return Err(CannotSign::UnknownDeck);
        }
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

    /// Whether the deal completes the deals of all seats, and all name the end of an ahead chain that
    /// this log does not have.
    fn lacks_deck(&self, part: &Part) -> bool {
        let others = self.current.iter().map(|(_, part)| part);
        let is_last = self.current.len() + 1 == self.state.signers().len();
        let end = named_end(others.chain([part]));
        is_last && end.is_some_and(|end| end != self.ahead_end())
    }

    /// The shuffles of the ahead chain that these deals of all seats name.
    fn used_by(&self, deals: &[(Seat, Part)]) -> Vec<Statement> {
        let end = named_end(deals.iter().map(|(_, part)| part));
        let chain = self.ahead().filter(|_| end == Some(self.ahead_end()));
        chain.map_or_else(Vec::new, |chain| chain.statements.clone())
    }

    /// The shuffles of the ahead chains that complete deals name.
    pub(crate) fn used_ahead(&self) -> impl Iterator<Item = &Statement> {
        self.steps.iter().flat_map(|step| &step.ahead)
    }

    fn place(&self) -> Place {
        Place {
            step: self.step(),
            before: self.hash,
        }
    }

    /// The sizes of all parts of the match.
    pub(super) fn shape(&self) -> &Shape {
        &self.state.shape
    }

    /// The length in bytes of each part that this seat may sign now.
    pub(super) fn size(&self, seat: Seat) -> usize {
        self.state.size(seat)
    }

    /// Adds a judged part. Completes the step if this is its last part. Returns the events.
    fn add(&mut self, part: SignedPart, judged: Judged) -> Vec<LogEvent> {
        let (seat, stop) = (part.seat, self.stop(&judged.part));
        self.state.deck.keep(seat, judged.checked);
        let place = self
            .current
            .partition_point(|(other, _)| other.seat < part.seat);
        self.current.insert(place, (part, judged.part));
        let signers = self.state.signers();
        let ends = !self.stops().is_empty() || self.complained_about().is_some();
        if self.current.len() < signers.len() || ends {
            let stopped = stop.map(|stop| LogEvent::Stopped { seat, stop });
            return stopped.into_iter().collect();
        }
        let step = self.step();
        let (parts, decoded): (Vec<_>, Vec<_>) = (self.current.drain(..))
            .map(|(signed, part)| (signed.clone(), (signed.seat, part)))
            .unzip();
        let hash = step_hash(step, &self.hash, parts.iter());
        let before = std::mem::replace(&mut self.hash, hash);
        let acks = std::mem::take(&mut self.acks);
        let (hand, state) = (self.state.hand, Before::of(&self.state));
        let standing = (self.match_info.seats() > 2).then(|| self.state.standing());
        let ahead = self.used_by(&decoded);
        self.state.complete(step, &decoded, judged.after);
        if matches!(decoded.first(), Some((_, Part::Deal(_)))) {
            self.state.begin_ahead(hash);
        }
        self.steps.push(Step {
            before,
            parts,
            acks,
            ahead,
            standing,
        });
        if self.state.hand != hand {
            self.hand_starts = [self.hand_starts[1], self.hand_starts[2], step + 1];
        }
        state.events(self, &decoded)
    }

    /// The match, with its players and terms.
    pub fn match_info(&self) -> &Match {
        &self.match_info
    }

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
    fn complete(&self, step: u64) -> Option<&Step> {
        let place = step.checked_sub(self.forgotten)?;
        self.steps.get(usize::try_from(place).ok()?)
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

    /// The current phase, which determines who signs next.
    pub fn phase(&self) -> Phase {
        if let Some(end) = self.convictions.end() {
            return Phase::Over(end);
        }
        if let Some(seat) = self.complained_about() {
            let foul = PartFoul::WrongShare;
            return Phase::Over(End::Foul { seat, foul });
        }
        match self.stops() {
            stops if stops.is_empty() => self.state.phase.clone(),
            stops => Phase::Over(End::Stopped(stops)),
        }
    }

    fn stops(&self) -> Vec<(Seat, Stop)> {
        let stop = |(signed, part): &(SignedPart, Part)| Some((signed.seat, self.stop(part)?));
        self.current.iter().filter_map(stop).collect()
    }

    /// The kinds of parts that this seat may sign now. The first kind continues the match. Empty if
    /// it is not the seat's turn or the seat has already signed in this step. If another seat ends
    /// the match in this step, a seat that has not signed yet may still sign, but need not.
    pub fn may_sign(&self, seat: Seat) -> Vec<PartKind> {
        if self.is_over() || self.part(self.step(), seat).is_some() {
            Vec::new()
        } else {
            judge::kinds(&self.state, seat)
        }
    }

    /// The seat whose wrong share of the keys another seat has proved in this step. If several seats
    /// complain, the complaint of the first one counts, in order of the seats.
    fn complained_about(&self) -> Option<Seat> {
        let mut parts = self.current.iter();
        parts.find_map(|(_, part)| part.complains_about())
    }

    /// How a part ends the match, if it does.
    fn stop(&self, part: &Part) -> Option<Stop> {
        part.stop()
            .filter(|stop| *stop != Stop::Leave || self.state.leaving_ends())
    }

    /// The seats that the log waits for. Before the deals, this is the seat whose shuffle for the next
    /// hand is due. In a release, these are the seats that owe an ack and the seats that owe a part and
    /// lack nothing for it.
    pub fn waits_for(&self) -> Vec<Seat> {
        if matches!(self.phase(), Phase::Over(_)) {
            return Vec::new();
        }
        if let Some(seat) = self.deal_waits_for() {
            return vec![seat];
        }
        let signers = self.state.signers();
        let pending = |seat: &Seat| {
            let signs = signers.contains(seat)
                && self.part(self.step(), *seat).is_none()
                && self.lacks(*seat).is_empty();
            signs || self.owes_ack(*seat)
        };
        Seat::all(self.match_info.seats()).filter(pending).collect()
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
        let place = ack.step.checked_sub(self.forgotten);
        let complete = place.and_then(|place| self.steps.get_mut(usize::try_from(place).ok()?));
        let acks = complete.map_or(&mut self.acks, |step| &mut step.acks);
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

    /// Whether `seat` has signed a part or an ack in this step, apart from a foul.
    pub(super) fn has_spoken(&self, step: u64, seat: Seat) -> bool {
        self.ack(step, seat).is_some() || self.part_in_log(step, seat).is_some()
    }

    /// The part that `seat` signed in `step`, if this log has it, including a foul that ended the
    /// match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn part(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let mut fouls = self.convictions.fouls().iter().map(|proof| &proof.part);
        self.part_in_log(step, seat)
            .or_else(|| fouls.find(|part| part.step == step && part.seat == seat))
    }

    fn part_in_log(&self, step: u64, seat: Seat) -> Option<&SignedPart> {
        let of_seat = |part: &&SignedPart| part.seat == seat;
        if step == self.step() {
            self.current.iter().map(|(part, _)| part).find(of_seat)
        } else {
            self.complete(step)?.parts.iter().find(of_seat)
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
    /// of the seats, then its parts. The shuffles for the next hand belong to the current step. In a
    /// match of two seats, the foul that ended the match comes last.
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
                    (&step.acks, step.parts.iter().collect())
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
            let parts = parts.into_iter().cloned().map(Signed::Part);
            statements.extend(acks.chain(parts).map(|signed| Statement { before, signed }));
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

/// The end of an ahead chain that all these parts name, if all are deals that name the same one.
fn named_end<'a>(mut parts: impl Iterator<Item = &'a Part>) -> Option<[u8; 32]> {
    let end = |part: &Part| part.deal()?.deck.end();
    let first = end(parts.next()?)?;
    parts.all(|part| end(part) == Some(first)).then_some(first)
}
