//! The log of a match: the signed parts, and the state that follows from them.

use dealerless_connection::identity::Identity;

use super::ahead::Verified;
use super::convictions::Convictions;
use super::event::LogEvent;
use super::foul::{PartFoul, Proof, Refused};
use super::judge::{self, Judged, Place};
use super::part::{Part, PartKind};
use super::phase::{End, Phase, Stop};
use super::players::Match;
use super::roll_call::{CallId, Ending, SignedVote};
use super::shape::Shape;
use super::signed::{Evidence, SignedAck, SignedPart, Statement, step_hash};
use super::state::{Standing, State};
use super::step_events::Before;
use crate::rules::Hand;
use crate::seat::{Seat, SeatSet};

/// The log of a match.
///
/// The header of the match and the sequence of parts determine the phase, so two programs with the
/// same parts are in the same phase. The log accepts a part only if its seat signed it for this
/// step of this history and the rules allow it.
#[derive(Clone, Debug)]
pub struct MatchLog {
    pub(super) match_info: Match,
    /// The complete steps, without the first `forgotten` ones.
    pub(super) steps: Vec<Step>,
    pub(super) forgotten: u64,
    /// The parts of the current, incomplete step in order of the seats, each encoded and decoded.
    pub(super) current: Vec<(SignedPart, Part)>,
    /// The acks for the current step, in order of the seats.
    pub(super) acks: Vec<SignedAck>,
    /// The votes for the current step, in order of their calls and seats.
    pub(super) votes: Vec<SignedVote>,
    /// The hand after the move in the current step, if the judge has computed it.
    after: Option<Box<Hand>>,
    /// The hash of all complete steps.
    pub(super) hash: [u8; 32],
    pub(super) state: State,
    /// The first steps of the last two complete hands and of the hand in play.
    pub(super) hand_starts: [u64; 3],
    /// The proofs against the seats that ended the match.
    pub(super) convictions: Convictions,
    /// The seat whose log this is. Which calls end a step depends on it.
    pub(super) owner: Seat,
    /// Whether the others have removed the owner.
    pub(super) is_removed: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The hash of all earlier steps.
    pub(super) before: [u8; 32],
    /// The parts, in order of the seats.
    pub(super) parts: Vec<SignedPart>,
    /// The acks, in order of the seats.
    pub(super) acks: Vec<SignedAck>,
    /// The votes, in order of their calls and seats.
    pub(super) votes: Vec<SignedVote>,
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
    /// The state before this step. `None` in a match of two seats.
    pub(super) standing: Option<Standing>,
}

/// A step that a call has ended.
#[derive(Clone, Debug)]
pub(super) struct Rolled {
    /// The call.
    pub(super) call: CallId,
    /// The parts that do not count, in order of the seats.
    pub(super) void: Vec<SignedPart>,
    /// The state before the step, which judges parts that arrive later.
    pub(super) state: Box<State>,
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
        let (hash, state) = (match_info.id(), State::new(&match_info));
        MatchLog {
            match_info,
            steps: Vec::new(),
            forgotten: 0,
            current: Vec::new(),
            acks: Vec::new(),
            votes: Vec::new(),
            after: None,
            hash,
            state,
            hand_starts: [0; 3],
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
        if !verified && !part.is_signed(&player.identity, &self.match_info.id(), &before) {
            return Err(Refused::Signature(part.seat));
        }
        if let Some(known) = known {
            let parts = [known.clone(), part];
            let evidence = Evidence::of_parts(self.match_info.id(), before, parts);
            return Err(Refused::Fork(Box::new(evidence)));
        }
        let is_late = part.step < self.step();
        let void = is_late.then(|| self.judge_void(&part, before)).flatten();
        if void == Some(Ok(())) {
            self.add_void(part);
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
        self.after = judged.after;
        let place = self
            .current
            .partition_point(|(other, _)| other.seat < part.seat);
        self.current.insert(place, (part, judged.part));
        let ends = !self.stops().is_empty() || self.complained_about().is_some();
        match self.ending().filter(|_| !ends) {
            Some(ending) => self.complete_step(ending),
            None => {
                let stopped = stop.map(|stop| LogEvent::Stopped { seat, stop });
                stopped.into_iter().collect()
            }
        }
    }

    /// Whether all parts of the current step are there.
    pub(super) fn has_all_parts(&self) -> bool {
        let signers = self.state.signers();
        let has_signed = |seat: &Seat| self.current.iter().any(|(part, _)| part.seat == *seat);
        !signers.is_empty() && signers.iter().all(has_signed)
    }

    /// Completes the current step. Returns its events.
    pub(super) fn complete_step(&mut self, ending: Ending) -> Vec<LogEvent> {
        let step = self.step();
        let (due, is_release) = self.due_at(step);
        let is_choice = matches!(self.state.phase, Phase::Choose { .. });
        let removed = ending.removed();
        let (counting, void) = std::mem::take(&mut self.current)
            .into_iter()
            .partition::<Vec<_>, _>(|(part, _)| ending.counts(part.seat));
        let void: Vec<_> = void.into_iter().map(|(part, _)| part).collect();
        let (parts, decoded): (Vec<_>, Vec<_>) = (counting.into_iter())
            .map(|(signed, part)| (signed.clone(), (signed.seat, part)))
            .unzip();
        // One seat alone signs a move.
        let after = self.after.take().filter(|_| !decoded.is_empty());
        let hash = step_hash(step, &self.hash, parts.iter(), removed);
        let before = std::mem::replace(&mut self.hash, hash);
        let acks = std::mem::take(&mut self.acks);
        let votes = std::mem::take(&mut self.votes);
        let (hand, state) = (self.state.hand, Before::of(&self.state));
        let (had_hand, gone) = (self.state.dealt.is_some(), self.state.deck.gone().len());
        let standing = (self.match_info.seats() > 2).then(|| self.state.standing());
        let ahead = self.used_by(&decoded);
        let rolled = ending.call().map(|call| Rolled {
            call,
            void,
            state: Box::new(self.state.clone()),
        });
        self.state.complete(step, &decoded, removed, after);
        if !had_hand || self.state.deck.gone().len() > gone {
            self.state.begin_ahead(hash);
        }
        self.steps.push(Step {
            before,
            parts,
            acks,
            votes,
            due,
            is_release,
            is_choice,
            rolled,
            ahead,
            standing,
        });
        if self.state.hand != hand {
            self.hand_starts = [self.hand_starts[1], self.hand_starts[2], step + 1];
        }
        state.events(self, &decoded, removed)
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
        let stop = |(signed, part): &(SignedPart, Part)| Some((signed.seat, self.stop(part)?));
        self.current.iter().filter_map(stop).collect()
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
        let mut parts = self.current.iter();
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
