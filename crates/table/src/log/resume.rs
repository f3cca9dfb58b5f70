//! How the two sides of a match reach the same log after a reconnection.
//!
//! Each side sends its history: a [`Resume`] message, which announces a number of signed parts, and
//! then these parts one by one. A side signs nothing on the new connection before it has received
//! the history of the other side. The receiver adds each part that it lacks, as if the part were
//! new. The receiver may also lack parts that it signed itself and lost.
//!
//! Each side first sends only the parts of the hand in play and of the hand before it. A side whose
//! match file is complete lacks no older parts. A side that lacks older parts requests the whole
//! history of the other side ([`LogMessage::RequestAll`]).

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::match_log::MatchLog;
use super::players::MatchId;
use super::signed::{Evidence, Signed, SignedPart, Statement, StatementPlace};

/// A message on the log stream of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogMessage {
    /// A signed part: a new part, or a part of the sender's history. Only in matches of two seats,
    /// which cannot have two histories.
    Part(SignedPart),
    /// A part or an ack with the history for which it was signed, in matches with more than two
    /// seats. It can be the statement of a third seat. With two seats, only a shuffle for the next
    /// hand.
    Statement(Statement),
    /// Evidence that convicts a seat, in matches with more than two seats.
    Evidence(Box<Evidence>),
    /// Announces the parts that the sender sends next.
    Resume(Resume),
    /// Requests the whole history of the other side, from step 0 on.
    RequestAll,
    /// Requests the statements from this step on that the other side has, in matches with more than
    /// two seats. A third seat can have sent them to the other side only.
    RequestFrom(u64),
}

/// Announces the section of the match's history that the sender sends next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The id of the match.
    pub match_id: MatchId,
    /// The first step of the section.
    pub from: u64,
    /// The hash of all steps before `from`.
    pub before: [u8; 32],
    /// The number of parts, acks and shuffles for the next hand in the section.
    pub parts: u32,
}

const PART: u8 = 0;
const RESUME: u8 = 1;
const REQUEST_ALL: u8 = 2;
const STATEMENT: u8 = 3;
const EVIDENCE: u8 = 4;
const EVIDENCE_OF_STATEMENTS: u8 = 5;
const REQUEST_FROM: u8 = 6;

impl LogMessage {
    /// Encodes the message.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            LogMessage::Part(part) => writer.u8(PART).raw(&part.encode()),
            LogMessage::Statement(statement) => writer.u8(STATEMENT).raw(&statement.encode()),
            LogMessage::Evidence(evidence) => {
                let kind = match evidence.is_of_parts() {
                    true => EVIDENCE,
                    false => EVIDENCE_OF_STATEMENTS,
                };
                writer.u8(kind).raw(&evidence.encode())
            }
            LogMessage::Resume(resume) => (writer.u8(RESUME))
                .raw(resume.match_id.as_bytes())
                .u64(resume.from)
                .raw(&resume.before)
                .u32(resume.parts),
            LogMessage::RequestAll => writer.u8(REQUEST_ALL),
            LogMessage::RequestFrom(step) => writer.u8(REQUEST_FROM).u64(*step),
        };
        writer.finish()
    }

    /// Decodes a message. Verifies no signature and no hash.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (kind, rest) = bytes.split_first().ok_or(Malformed)?;
        let mut reader = Reader::new(rest);
        let message = match *kind {
            // These take all remaining bytes.
            PART => return Ok(LogMessage::Part(SignedPart::decode(rest)?)),
            STATEMENT => return Ok(LogMessage::Statement(Statement::decode(rest)?)),
            EVIDENCE => {
                return Ok(LogMessage::Evidence(Box::new(Evidence::decode_parts(
                    rest,
                )?)));
            }
            EVIDENCE_OF_STATEMENTS => {
                let evidence = Evidence::decode_statements(rest)?;
                return Ok(LogMessage::Evidence(Box::new(evidence)));
            }
            RESUME => LogMessage::Resume(Resume {
                match_id: MatchId::new(reader.array()?),
                from: reader.u64()?,
                before: reader.array()?,
                parts: reader.u32()?,
            }),
            REQUEST_ALL => LogMessage::RequestAll,
            REQUEST_FROM => LogMessage::RequestFrom(reader.u64()?),
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(message)
    }
}

/// Why the match cannot be resumed on this connection: the other side does not send its history as
/// the protocol requires, because it cheats or has a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotResume {
    /// The other side resumes a different match.
    #[error("the other side resumes a different match")]
    OtherMatch,
    /// This side has requested the whole history, and the announced section does not fit this
    /// side's log.
    #[error("the whole history that the other side sends does not fit the history of this side")]
    OtherBeginning,
    /// The other side sends parts in the form for another number of seats.
    #[error("the other side sends parts in the form for another number of seats")]
    OtherKind,
    /// The other side sends a message out of order.
    #[error("the other side sends messages in an order that the protocol does not allow")]
    OutOfOrder,
}

/// The action that a received message requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToDo {
    /// No action.
    Nothing,
    /// [Accept](MatchLog::accept_signed) the part.
    Accept(SignedPart),
    /// [Accept](MatchLog::accept_statement) the statement.
    AcceptStatement(Statement),
    /// [Record](MatchLog::record_fork) the evidence.
    Convict(Box<Evidence>),
    /// Request the whole history of the other side: the two histories differ before the announced
    /// section, or this side lacks steps before that section.
    RequestAll,
    /// Send the whole history of this side.
    SendAll,
    /// Send the statements from this step on.
    SendFrom(u64),
}

/// The state of receiving the other side's history on one connection.
#[derive(Debug)]
pub struct Resuming {
    received: Received,
    /// A step that the other side's log has reached, by what it has sent. `None` before its first announcement.
    reached: Option<u64>,
    /// Whether this side has requested the whole history of the other side.
    has_requested: bool,
    /// Whether the other side may still request the whole history of this side.
    peer_may_request: bool,
}

#[derive(Debug)]
enum Received {
    /// No [`Resume`] that fits this side's log was received yet.
    Nothing,
    /// The announced section does not fit this side's log. This number of its parts is still to
    /// come and will be ignored.
    Useless(u32),
    /// The announced section fits this side's log. This number of its parts and acks is still to
    /// come. The place is that of the last received one: its step, whether it is a part, and its
    /// seat.
    Parts(u32, Option<StatementPlace>),
    /// All parts of a section that fits this side's log were received.
    All,
}

impl Resuming {
    /// The state at the start of a connection that resumes a match.
    pub fn reconnection() -> Self {
        Resuming {
            received: Received::Nothing,
            reached: None,
            has_requested: false,
            peer_may_request: true,
        }
    }

    /// The state at the start of the first connection of a match: neither side has a history.
    pub(crate) fn first_connection() -> Self {
        Resuming {
            received: Received::All,
            reached: Some(0),
            has_requested: false,
            peer_may_request: false,
        }
    }

    /// Whether the other side has sent all parts of a section that fits this side's log. Until
    /// then, this side signs nothing.
    pub fn is_complete(&self) -> bool {
        matches!(self.received, Received::All)
    }

    /// Whether the other side may still request the whole history of this side, which has announced
    /// it from step `from` on.
    pub(crate) fn may_be_requested(&self, from: u64) -> bool {
        self.peer_may_request && self.reached.is_none_or(|reached| reached < from)
    }

    /// Processes a message of the other side and returns the required action. `log` is this side's
    /// log.
    ///
    /// # Errors
    /// [`CannotResume`] if the other side violates the protocol.
    pub fn receive(&mut self, log: &MatchLog, message: LogMessage) -> Result<ToDo, CannotResume> {
        let has_acks = log.match_info().seats() > 2;
        let has_shuffles = log.match_info().header().sealed().is_none();
        match message {
            LogMessage::Resume(resume) => self.begin(log, &resume),
            LogMessage::Part(part) if !has_acks => {
                let place = Statement::place_of_part(&part);
                self.signed(Some(place), ToDo::Accept(part))
            }
            LogMessage::Statement(statement)
                if matches!(statement.signed, Signed::Ahead(_)) && has_shuffles =>
            {
                self.signed(None, ToDo::AcceptStatement(statement))
            }
            LogMessage::Statement(statement) if has_acks => {
                self.signed(Some(statement.place()), ToDo::AcceptStatement(statement))
            }
            LogMessage::Evidence(evidence) if has_acks => Ok(ToDo::Convict(evidence)),
            LogMessage::RequestFrom(step) if has_acks => Ok(ToDo::SendFrom(step)),
            LogMessage::Part(_)
            | LogMessage::Statement(_)
            | LogMessage::Evidence(_)
            | LogMessage::RequestFrom(_) => Err(CannotResume::OtherKind),
            LogMessage::RequestAll if !self.peer_may_request => Err(CannotResume::OutOfOrder),
            LogMessage::RequestAll => {
                self.peer_may_request = false;
                Ok(ToDo::SendAll)
            }
        }
    }

    fn begin(&mut self, log: &MatchLog, resume: &Resume) -> Result<ToDo, CannotResume> {
        if !matches!(self.received, Received::Nothing) {
            return Err(CannotResume::OutOfOrder);
        }
        if resume.match_id != log.match_info().id() {
            return Err(CannotResume::OtherMatch);
        }
        self.reached.get_or_insert(resume.from);
        let fits = log.hash_before(resume.from) == Some(resume.before);
        match (fits, self.has_requested) {
            (true, _) => {
                self.received = Received::Parts(resume.parts, None).when_done();
                Ok(ToDo::Nothing)
            }
            (false, false) => {
                self.received = Received::Useless(resume.parts).when_done();
                self.has_requested = true;
                Ok(ToDo::RequestAll)
            }
            (false, true) => Err(CannotResume::OtherBeginning),
        }
    }

    /// Processes a part or an ack at a place, or a shuffle for the next hand, which has no place.
    /// `accept` is the action if it is new.
    fn signed(
        &mut self,
        place: Option<StatementPlace>,
        accept: ToDo,
    ) -> Result<ToDo, CannotResume> {
        if let (Some((step, ..)), Some(reached)) = (place, &mut self.reached) {
            *reached = step.max(*reached);
        }
        match &mut self.received {
            Received::All => Ok(accept),
            // The other side sent this new part before it received the request. The requested
            // history contains the part again.
            Received::Nothing if self.has_requested => Ok(ToDo::Nothing),
            Received::Nothing => Err(CannotResume::OutOfOrder),
            Received::Useless(left) => {
                self.received = Received::Useless(*left - 1).when_done();
                Ok(ToDo::Nothing)
            }
            Received::Parts(left, last) => {
                // Each comes once, in the order of steps: the acks of a step in order of the seats,
                // then its parts. Only the last one may be out of order, because it can be the foul
                // that ended the match.
                let is_early = |place| last.is_some_and(|last| last >= place);
                if *left > 1 && place.is_some_and(is_early) {
                    return Err(CannotResume::OutOfOrder);
                }
                self.received = Received::Parts(*left - 1, place.or(*last)).when_done();
                Ok(accept)
            }
        }
    }
}

impl Received {
    /// The next state if no parts are left; otherwise this state.
    fn when_done(self) -> Self {
        match self {
            Received::Parts(0, _) => Received::All,
            Received::Useless(0) => Received::Nothing,
            received => received,
        }
    }
}

impl MatchLog {
    /// The announcement that this side sends after a reconnection: the parts of its
    /// [history](Self::history) from the previous hand on.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&self) -> Resume {
        let start = self.steps().start_of_previous_hand();
        // A late call of an earlier step can remove seats in the first step of the hand.
        let since = self.steps_since_common(start);
        let called = since.filter(|step| !self.steps().votes(*step).is_empty());
        self.resume_from(called.min().unwrap_or(start))
    }

    /// The announcement of this side's history from step `from` on, without
    /// [forgotten](Self::forget_older_hands) steps.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume_from(&self, from: u64) -> Resume {
        let from = from.clamp(self.steps().first(), self.step());
        Resume {
            match_id: self.match_info().id(),
            from,
            before: self.hash_before(from).unwrap_or_else(|| self.hash()),
            parts: self.statements(from).len() as u32,
        }
    }
}
