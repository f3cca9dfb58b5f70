//! The log of a match: the signed parts, and the state that follows from them.

use dealerless_connection::identity::Identity;

use super::ahead::Verified;
use super::ahead_chain::AheadChain;
use super::convictions::Convictions;
use super::event::LogEvent;
use super::foul::{PartFoul, Proof, Refused};
use super::judge::{self, Judged, Place};
use super::part::{Part, PartKind};
use super::phase::{End, Phase, Stop};
use super::players::Match;
use super::roll_call::{Ending, SignedVote};
use super::shape::Shape;
use super::signed::{Evidence, SignedAck, SignedPart, Statement};
use super::state::State;
use super::step_events::Before;
use super::steps::{Facts, Rolled, Steps};
use crate::rules::Hand;
use crate::seat::{Seat, SeatSet};

/// The log of a match.
///
/// The header of the match and the sequence of parts determine the phase, so two programs with the
/// same parts are in the same phase. The log accepts a part only if its seat signed it for this
/// step of this history and the rules allow it.
///
/// Only this file changes the steps and the state. The other files of the log read them, and add their
/// statements by the methods of this one.
#[derive(Clone, Debug)]
pub struct MatchLog {
    match_info: Match,
    steps: Steps,
    /// The decoded parts of the current step, in order of the seats.
    decoded: Vec<(Seat, Part)>,
    /// The hand after the move in the current step, if the judge has computed it.
    after: Option<Box<Hand>>,
    state: State,
    /// The proofs against the seats that ended the match.
    convictions: Convictions,
    /// The seat whose log this is. Which calls end a step depends on it.
    owner: Seat,
    /// Whether the others have removed the owner.
    is_removed: bool,
}

/// The result of accepting a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A part that is new to the log, with its events.
    New(Part, Vec<LogEvent>),
    /// A part that is new to the log, for a step that a call has ended without this part.
    Void,
    /// A vote that is new to the log, with the events of the statement that it carries and of the step
    /// that it has ended. If the statement proves that a seat has cheated, the log has recorded that, too.
    Vote(Vec<LogEvent>),
    /// An ack that is new to the log.
    Ack,
    /// A shuffle for the next hand that is new to the log.
    Ahead,
    /// The log already has this statement.
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
    /// The seat has an open call in this step, and signs no part before the call is lost.
    #[error("this seat has an open call in this step")]
    Bound,
    /// There is no call that the seat may sign or has to refuse.
    #[error("there is no call on which this seat may vote now")]
    NoVote,
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
    /// An empty log of a seat, the `owner`. In a match with roll calls, the steps of a log depend on
    /// which calls its owner has signed, so every reader of the owner's file has to name the
    /// owner.
    pub fn new(match_info: Match, owner: Seat) -> Self {
        MatchLog {
            steps: Steps::new(*match_info.id().as_bytes()),
            state: State::new(&match_info),
            match_info,
            decoded: Vec::new(),
            after: None,
            convictions: Convictions::default(),
            owner,
            is_removed: false,
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
        let of = self.match_info.id();
        if !verified && !part.is_signed(&player.identity, of.as_bytes(), &before) {
            return Err(Refused::Signature(part.seat));
        }
        if let Some(known) = known {
            let parts = [known.clone(), part];
            let evidence = Evidence::of_parts(of, before, parts);
            return Err(Refused::Fork(Box::new(evidence)));
        }
        let is_late = part.step < self.step();
        let void = is_late.then(|| self.judge_void(&part, before)).flatten();
        if void == Some(Ok(())) {
            self.steps.add_part(part);
            return Ok(Accepted::Void);
        }
        // With more than two seats, the chips depend on what the seats signed before they knew.
        let accepts_nothing = self.is_removed() || self.is_convicted() && !self.confirms_end();
        let over = matches!(self.state.phase, Phase::Over(_));
        if accepts_nothing || (!is_late && over) {
            return Err(Refused::Over);
        }
        let judged = if let Some(Err(foul)) = void {
            Err(foul)
        } else if is_late {
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

    /// Whether the match is over for the owner, so that no new part can be signed.
    pub(super) fn is_over(&self) -> bool {
        self.is_convicted() || self.is_removed() || matches!(self.state.phase, Phase::Over(_))
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
        if self.is_bound(seat) {
            return Err(CannotSign::Bound);
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
        let (of, before) = (self.match_info.id(), self.hash());
        let signed = SignedPart::sign(identity, of.as_bytes(), step, &before, seat, bytes);
        let events = self.add(signed.clone(), judged);
        Ok((signed, events))
    }

    /// Whether the deal completes the deals of all seats, and all name the end of an ahead chain that
    /// this log does not have.
    fn lacks_deck(&self, part: &Part) -> bool {
        let others = self.decoded.iter().map(|(_, part)| part);
        let is_last = self.decoded.len() + 1 == self.state.signers().len();
        let end = named_end(others.chain([part]));
        let counts = is_last && !self.state.deals_again();
        counts && end.is_some_and(|end| end != self.ahead_end())
    }

    /// The shuffles of the ahead chain that these deals of all seats name.
    fn used_by(&self, deals: &[(Seat, Part)]) -> Vec<Statement> {
        let end = named_end(deals.iter().map(|(_, part)| part));
        let chain = self.ahead().filter(|_| end == Some(self.ahead_end()));
        chain.map_or_else(Vec::new, |chain| chain.statements.clone())
    }

    /// The shuffles of the ahead chains that complete deals name.
    pub(crate) fn used_ahead(&self) -> impl Iterator<Item = &Statement> {
        self.steps.all_complete().flat_map(|step| &step.ahead)
    }

    fn place(&self) -> Place {
        Place {
            step: self.step(),
            before: self.hash(),
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
        let deck = self.state.deck.verifiable_mut();
        if let Some((deck, checked)) = deck.zip(judged.checked) {
            deck.keep(seat, checked);
        }
        self.after = judged.after;
        let place = self.decoded.partition_point(|(other, _)| *other < seat);
        self.decoded.insert(place, (seat, judged.part));
        self.steps.add_part(part);
        let ends = !self.stops().is_empty() || self.complained_about().is_some();
        match self.ending().filter(|_| !ends) {
            Some(ending) => self.complete_step(ending),
            None => {
                let stopped = stop.map(|stop| LogEvent::Stopped { seat, stop });
                stopped.into_iter().collect()
            }
        }
    }

    /// Adds a verified ack for a step of this log.
    pub(super) fn add_ack(&mut self, ack: SignedAck) {
        self.steps.add_ack(ack);
    }

    /// Adds a verified vote, and completes the current step if it ends now. Returns the events.
    pub(super) fn add_vote(&mut self, vote: SignedVote) -> Vec<LogEvent> {
        let step = vote.step;
        self.steps.add_vote(vote);
        self.is_removed |= self.is_named_by_all(step);
        // The current step can have waited for a late call of an earlier one.
        let can_end = !matches!(self.state.phase, Phase::Over(_));
        match self.ending().filter(|_| can_end) {
            Some(ending) => self.complete_step(ending),
            None => Vec::new(),
        }
    }

    /// The ending of the current step by its parts. `None` if a part is missing.
    pub(super) fn ending_by_parts(&self) -> Option<Ending> {
        let signers: SeatSet = self.state.signers().into_iter().collect();
        let signed = self.decoded.iter().map(|(seat, _)| *seat).collect();
        let is_complete = !signers.is_empty() && signers.without(signed).is_empty();
        is_complete.then(|| Ending {
            counted: signers,
            ..Ending::default()
        })
    }

    /// Completes the current step. Returns its events.
    fn complete_step(&mut self, ending: Ending) -> Vec<LogEvent> {
        let step = self.step();
        let (due, is_release) = self.due_at(step);
        let removed = ending.removed;
        let mut parts = std::mem::take(&mut self.decoded);
        parts.retain(|(seat, _)| ending.counted.contains(*seat));
        // One seat alone signs a move.
        let after = self.after.take().filter(|_| !parts.is_empty());
        let (hand, state) = (self.state.hand, Before::of(&self.state));
        let (had_hand, gone) = (self.state.dealt.is_some(), self.state.deck.gone().len());
        let rolled = ending.call.map(|call| Rolled {
            call,
            counted: parts.iter().map(|(seat, _)| *seat).collect(),
            state: Box::new(self.state.clone()),
        });
        let facts = Facts {
            due,
            is_release,
            is_choice: matches!(self.state.phase, Phase::Choose { .. }),
            rolled,
            ahead: self.used_by(&parts),
            standing: (self.state.shape.verifiable.is_some()).then(|| self.state.standing()),
        };
        self.state.complete(step, &parts, removed, after);
        let hash = self.steps.complete_now(facts, removed);
        if !had_hand || self.state.deck.gone().len() > gone {
            self.state.begin_ahead(hash);
        }
        if self.state.hand != hand {
            self.steps.begin_hand();
        }
        self.is_removed |= self.is_removed_here();
        state.events(self, &parts, removed)
    }

    /// Forgets all hands except the hand in play and the two hands before it, so that memory does
    /// not grow with the length of the match. The forgotten parts stay in the match file, but this
    /// log can no longer compare or resend them. The log needs two earlier hands because another
    /// seat may still be in the previous hand, and after a reconnection resends the hand before
    /// that as well.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn forget_older_hands(&mut self) {
        self.steps.forget_older_hands();
    }

    /// The complete steps, and the statements for the current one.
    pub(super) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The state after the complete steps.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The ahead chain of the next hand, if the log uses one, so that shuffles can be added to it.
    pub(super) fn ahead_mut(&mut self) -> Option<&mut AheadChain> {
        self.state.deck.verifiable_mut()?.ahead.as_deref_mut()
    }

    pub(super) fn convictions(&self) -> &Convictions {
        &self.convictions
    }

    pub(super) fn convictions_mut(&mut self) -> &mut Convictions {
        &mut self.convictions
    }

    /// The seat whose log this is.
    pub(super) fn owner(&self) -> Seat {
        self.owner
    }

    /// Makes this the log of another seat, for tests that start in the middle of a match.
    #[cfg(test)]
    pub(super) fn set_owner(&mut self, owner: Seat) {
        self.owner = owner;
    }

    #[cfg(test)]
    pub(super) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Whether the other seats have removed the owner of this log. The owner signs nothing more, and
    /// the log does not contain how the match goes on.
    pub fn is_removed(&self) -> bool {
        self.is_removed
    }

    /// The match, with its players and terms.
    pub fn match_info(&self) -> &Match {
        &self.match_info
    }

    /// The current phase, which determines who signs next.
    pub fn phase(&self) -> Phase {
        if let Some(end) = self.end_by_conviction() {
            return Phase::Over(end);
        }
        if self.is_removed() {
            return Phase::Over(End::Removed);
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
        let stop = |(seat, part): &(Seat, Part)| Some((*seat, self.stop(part)?));
        self.decoded.iter().filter_map(stop).collect()
    }

    /// The kinds of parts that this seat may sign now. The first kind continues the match. Empty if
    /// it is not the seat's turn or the seat has already signed in this step. If another seat ends
    /// the match in this step, a seat that has not signed yet may still sign, but need not.
    pub fn may_sign(&self, seat: Seat) -> Vec<PartKind> {
        if self.is_over() || self.part(self.step(), seat).is_some() || self.is_bound(seat) {
            Vec::new()
        } else {
            judge::kinds(&self.state, seat)
        }
    }

    /// The seat whose wrong share of the keys another seat has proved in this step. If several seats
    /// complain, the complaint of the first one counts, in order of the seats.
    fn complained_about(&self) -> Option<Seat> {
        let mut parts = self.decoded.iter();
        parts.find_map(|(_, part)| part.complains_about())
    }

    /// How a part ends the match, if it does.
    fn stop(&self, part: &Part) -> Option<Stop> {
        part.stop()
            .filter(|stop| *stop != Stop::Leave || self.state.leaving_ends())
    }

    /// The seats that sat out in the last hand that was dealt. Empty with a sealed deck.
    pub fn sat_out(&self) -> &[Seat] {
        &self.state.sat_out
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
                && !self.is_bound(*seat)
                && self.lacks(*seat).is_empty();
            signs || self.owes_ack(*seat)
        };
        Seat::all(self.match_info.seats()).filter(pending).collect()
    }
}

/// The end of an ahead chain that all these parts name, if all are deals that name the same one.
fn named_end<'a>(mut parts: impl Iterator<Item = &'a Part>) -> Option<[u8; 32]> {
    let end = |part: &Part| part.deal()?.deck.end();
    let first = end(parts.next()?)?;
    parts.all(|part| end(part) == Some(first)).then_some(first)
}
