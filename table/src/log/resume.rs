//! How two sides of a match reach the same log after a reconnection.
//!
//! Before anything is signed on the new connection, each side sends its history: a [`Resume`]
//! message, and then the announced parts one by one. The receiver adds each part that it lacks, as
//! if the part were new. Such a part can also be one of the receiver's own, which it signed and
//! lost.
//!
//! Each side first sends only the hand in play and the hand before it. A side whose match file is
//! complete lacks no older parts. A side that lacks older parts requests the whole history
//! ([`LogMessage::RequestAll`]).

use super::match_log::MatchLog;
use super::signed::{BadSignedPart, SignedPart};
use crate::wire::{Malformed, Reader, Writer};

/// A message on the log stream of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogMessage {
    /// A signed part, new or old.
    Part(SignedPart),
    /// Announces the parts that the sender sends next.
    Resume(Resume),
    /// Requests the whole history of the other side, from step 0 on.
    RequestAll,
}

/// Announces the section of the match's history that the sender sends next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The id of the match.
    pub match_id: [u8; 32],
    /// The first step of the section.
    pub from: u64,
    /// The hash of all steps before `from`.
    pub before: [u8; 32],
    /// The number of parts in the section.
    pub parts: u32,
}

/// The bytes are not a valid message of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a valid message of the log")]
pub struct BadLogMessage;

impl From<Malformed> for BadLogMessage {
    fn from(Malformed: Malformed) -> Self {
        BadLogMessage
    }
}

impl From<BadSignedPart> for BadLogMessage {
    fn from(BadSignedPart: BadSignedPart) -> Self {
        BadLogMessage
    }
}

const PART: u8 = 0;
const RESUME: u8 = 1;
const REQUEST_ALL: u8 = 2;

impl LogMessage {
    /// Encodes the message.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            LogMessage::Part(part) => writer.u8(PART).raw(&part.encode()),
            LogMessage::Resume(resume) => (writer.u8(RESUME))
                .raw(&resume.match_id)
                .u64(resume.from)
                .raw(&resume.before)
                .u32(resume.parts),
            LogMessage::RequestAll => writer.u8(REQUEST_ALL),
        };
        writer.finish()
    }

    /// Decodes a message. Nothing in it is verified.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadLogMessage> {
        let (kind, rest) = bytes.split_first().ok_or(BadLogMessage)?;
        let mut reader = Reader::new(rest);
        let message = match *kind {
            // The part takes all remaining bytes.
            PART => return Ok(LogMessage::Part(SignedPart::decode(rest)?)),
            RESUME => LogMessage::Resume(Resume {
                match_id: reader.array()?,
                from: reader.u64()?,
                before: reader.array()?,
                parts: reader.u32()?,
            }),
            REQUEST_ALL => LogMessage::RequestAll,
            _ => return Err(BadLogMessage),
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
    /// The other side sends its whole history, and it does not fit this side's history.
    #[error("the whole history that the other side sends does not fit the history of this side")]
    OtherBeginning,
    /// The other side sends a message out of order.
    #[error("the other side sends messages in an order that the protocol does not allow")]
    OutOfOrder,
}

/// The action that a received message requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToDo {
    /// Nothing.
    Nothing,
    /// [Accept](MatchLog::accept) the part.
    Accept(SignedPart),
    /// Request the whole history of the other side: the two histories differ before the announced
    /// section, or this side lacks steps before it.
    RequestAll,
    /// Send the whole history of this side.
    SendAll,
}

/// How much of the other side's history was received on a connection. Each connection has its own
/// `Resuming`.
#[derive(Debug)]
pub struct Resuming {
    received: Received,
    /// Whether this side has requested the whole history.
    asked: bool,
    /// Whether the other side has requested the whole history, or must not request it.
    has_asked: bool,
}

#[derive(Debug)]
enum Received {
    /// No [`Resume`] that fits this side's log was received yet.
    Nothing,
    /// The announced section does not fit this side's log. This number of its parts is still to
    /// come.
    Useless(u32),
    /// This number of parts is still to come. The pair is the step and the seat of the last part.
    Parts(u32, Option<(u64, u8)>),
    /// All announced parts were received.
    All,
}

impl Resuming {
    /// The state at the start of a connection that resumes a match.
    pub fn reconnection() -> Self {
        Resuming {
            received: Received::Nothing,
            asked: false,
            has_asked: false,
        }
    }

    /// The state at the start of the first connection of a match, where neither side has a history.
    pub(crate) fn first_connection() -> Self {
        Resuming {
            received: Received::All,
            asked: false,
            has_asked: true,
        }
    }

    /// Whether the other side has sent all parts that it announced. This side signs nothing before
    /// that.
    pub fn is_complete(&self) -> bool {
        matches!(self.received, Received::All)
    }

    /// Processes a message of the other side and returns the required action. `log` is this side's
    /// log.
    ///
    /// # Errors
    /// [`CannotResume`].
    pub fn receive(&mut self, log: &MatchLog, message: LogMessage) -> Result<ToDo, CannotResume> {
        match message {
            LogMessage::Resume(resume) => self.begin(log, &resume),
            LogMessage::Part(part) => self.part(part),
            LogMessage::RequestAll if self.has_asked => Err(CannotResume::OutOfOrder),
            LogMessage::RequestAll => {
                self.has_asked = true;
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
        let known = log.hash_before(resume.from) == Some(resume.before);
        match (known, self.asked) {
            (true, _) => {
                self.received = Received::Parts(resume.parts, None).when_done();
                Ok(ToDo::Nothing)
            }
            (false, false) => {
                self.received = Received::Useless(resume.parts).when_done();
                self.asked = true;
                Ok(ToDo::RequestAll)
            }
            (false, true) => Err(CannotResume::OtherBeginning),
        }
    }

    fn part(&mut self, part: SignedPart) -> Result<ToDo, CannotResume> {
        match &mut self.received {
            Received::All => Ok(ToDo::Accept(part)),
            // The other side sends new parts because it has not received the request yet.
            Received::Nothing if self.asked => Ok(ToDo::Nothing),
            Received::Nothing => Err(CannotResume::OutOfOrder),
            Received::Useless(left) => {
                self.received = Received::Useless(*left - 1).when_done();
                Ok(ToDo::Nothing)
            }
            Received::Parts(left, last) => {
                let place = (part.step, part.seat.number());
                // Each part comes once and in order, except the foul that ended the match: it comes
                // last, whatever its step.
                if *left > 1 && last.is_some_and(|last| last >= place) {
                    return Err(CannotResume::OutOfOrder);
                }
                self.received = Received::Parts(*left - 1, Some(place)).when_done();
                Ok(ToDo::Accept(part))
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
    /// The announcement that this side sends after a reconnection. The parts of its
    /// [history](Self::history) follow.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&self) -> Resume {
        self.resume_from(self.start_of_previous_hand())
    }

    /// The announcement of the history from step `from` on, without
    /// [forgotten](Self::forget_older_hands) steps.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume_from(&self, from: u64) -> Resume {
        let from = from.clamp(self.first_step(), self.step());
        Resume {
            match_id: self.match_info().id(),
            from,
            before: self.hash_before(from).unwrap_or_else(|| self.hash()),
            parts: self.history(from).count() as u32,
        }
    }
}
