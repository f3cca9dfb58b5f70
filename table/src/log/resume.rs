//! How two sides of a match reach the same log after a reconnection.
//!
//! Before anything is signed on the new connection, each side sends what it has: a [`Resume`], and
//! then the parts that it announces, one by one. The receiver accepts the parts that it lacks one
//! by one, as if they were new. These can include its own parts that it lost, which carry its own
//! signature.
//!
//! A side sends the hand in play and the one before. A side that has written everything it sent and
//! received lacks nothing older. A side that lacks more asks the other for everything.

use super::match_log::MatchLog;
use super::signed::{BadSignedPart, SignedPart};
use crate::wire::{Malformed, Reader, Writer};

/// A message on the log stream of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogMessage {
    /// A signed part, new or old.
    Part(SignedPart),
    /// Announces the parts that this side has.
    Resume(Resume),
    /// Asks the other side for everything, from step 0 on.
    RequestAll,
}

/// Announces the section of a match's history that a side sends. The hash covers everything before
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The id of the match.
    pub match_id: [u8; 32],
    /// The first step that is sent.
    pub from: u64,
    /// The hash of all earlier steps.
    pub before: [u8; 32],
    /// The number of parts that follow.
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
const ASK_FOR_ALL: u8 = 2;

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
            LogMessage::RequestAll => writer.u8(ASK_FOR_ALL),
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
            ASK_FOR_ALL => LogMessage::RequestAll,
            _ => return Err(BadLogMessage),
        };
        reader.finish()?;
        Ok(message)
    }
}

/// Why the match cannot be resumed on this connection: the other side does not send its history as
/// the protocol requires, because it cheats or has a bug. The connection is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotResume {
    /// The other side means a different match.
    #[error("the other side resumes a different match")]
    OtherMatch,
    /// The other side's history does not match this one even from the first step on.
    #[error("the other side sends a history that does not begin where this one does")]
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
    /// Ask the other side for everything: the two histories diverge before the steps that were
    /// sent, or this one is far behind.
    RequestAll,
    /// Send everything that this side has.
    SendAll,
}

/// The progress of the other side's history on one connection. Each connection has its own.
#[derive(Debug)]
pub struct Resuming {
    received: Received,
    /// Whether this side has asked for everything.
    asked: bool,
    /// Whether the other side has asked for everything, or must not ask.
    has_asked: bool,
}

#[derive(Debug)]
enum Received {
    /// Nothing that can be compared was received yet.
    Nothing,
    /// This number of parts are still to come from a history that cannot be compared.
    Useless(u32),
    /// This number of parts are still to come. The next one comes after the given place.
    Parts(u32, Option<(u64, u8)>),
    /// Everything was received.
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

    /// The state at the start of the connection on which the match begins, where neither side has a
    /// history.
    pub(crate) fn first_connection() -> Self {
        Resuming {
            received: Received::All,
            asked: false,
            has_asked: true,
        }
    }

    /// Whether the other side has sent everything that it has. Nothing is signed before.
    pub fn is_complete(&self) -> bool {
        matches!(self.received, Received::All)
    }

    /// Tells what to do with a message of the other side. `log` is this side's log.
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
            // The other side continues because it has not received the request for everything yet.
            Received::Nothing if self.asked => Ok(ToDo::Nothing),
            Received::Nothing => Err(CannotResume::OutOfOrder),
            Received::Useless(left) => {
                self.received = Received::Useless(*left - 1).when_done();
                Ok(ToDo::Nothing)
            }
            Received::Parts(left, last) => {
                let place = (part.step, part.seat.number());
                // Each part comes once and in order. Only the foul that ended the match comes last
                // regardless of its step.
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
    /// The state to change to once no parts are left.
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

    /// The announcement of the history from a step on, without what was
    /// [forgotten](Self::forget_older_hands).
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
