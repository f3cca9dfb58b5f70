//! How two sides of a match that meet again come to one log.
//!
//! Each tells the other what it has, before anything is signed on the new line: a [`Resume`], and
//! the parts that it announces, one by one. What the one lacks it takes from the other, part by
//! part, as if it were said now; also what it said itself and forgot, which has its own signature.
//!
//! A side tells the hand in play and the one before. Who wrote what it said, and all that it had
//! heard, lacks nothing older; who does asks the other to tell all.

use super::match_log::MatchLog;
use super::signed::{BadSignedPart, SignedPart};
use crate::wire::{Malformed, Reader, Writer};

/// What travels on the stream of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogMessage {
    /// Something that was said, now or before.
    Part(SignedPart),
    /// What this side has of the match follows.
    Resume(Resume),
    /// The other side has to tell all, from step 0 on.
    RequestAll,
}

/// What a side has of a match, from a step on. The hash stands for all that was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The match.
    pub match_id: [u8; 32],
    /// The first step that is told.
    pub from: u64,
    /// The hash of all steps before.
    pub before: [u8; 32],
    /// So many parts follow.
    pub parts: u32,
}

/// The bytes are no message of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are no message of the log in the one encoding")]
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
    /// The bytes that stand for it.
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

    /// The message for which these bytes stand. Nothing in it is verified.
    ///
    /// # Errors
    /// If they are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadLogMessage> {
        let (kind, rest) = bytes.split_first().ok_or(BadLogMessage)?;
        let mut reader = Reader::new(rest);
        let message = match *kind {
            // The part is as long as what is left.
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

/// The other side does not tell what it has as it should. A cheat, or a fault of its program: the
/// line is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotResume {
    /// It means another match.
    #[error("the other side means another match")]
    OtherMatch,
    /// It tells no history that can be compared, also from the first step on.
    #[error("the other side tells a history that does not begin where this one does")]
    OtherBeginning,
    /// It says something out of order.
    #[error("the other side resumes the match in another order than the protocol")]
    OutOfOrder,
}

/// What is to be done with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToDo {
    /// Nothing.
    Nothing,
    /// [Take](MatchLog::take) the part.
    Accept(SignedPart),
    /// Ask for all: the two histories part before what was told, or this one is far behind.
    RequestAll,
    /// Tell all that this side has.
    SendAll,
}

/// What the other side has told on a line, as far as it has come. One for each line.
#[derive(Debug)]
pub struct Resuming {
    told: Told,
    /// It was asked for all.
    asked: bool,
    /// It has asked for all, or must not.
    has_asked: bool,
}

#[derive(Debug)]
enum Told {
    /// Nothing that can be compared.
    Nothing,
    /// So many parts are left of a history that cannot be compared.
    Useless(u32),
    /// So many parts are left. The next one comes after this place.
    Parts(u32, Option<(u64, u8)>),
    /// All that it has.
    All,
}

impl Resuming {
    /// On a line between two who meet again.
    pub fn reconnection() -> Self {
        Resuming {
            told: Told::Nothing,
            asked: false,
            has_asked: false,
        }
    }

    /// On the line on which the match begins: nobody has anything to tell.
    pub(crate) fn first_connection() -> Self {
        Resuming {
            told: Told::All,
            asked: false,
            has_asked: true,
        }
    }

    /// Whether the other side has told all that it has. Nothing is signed before.
    pub fn is_complete(&self) -> bool {
        matches!(self.told, Told::All)
    }

    /// What to do with a message of the other side, if `log` is this side's.
    ///
    /// # Errors
    /// [`CannotResume`].
    pub fn receive(&mut self, log: &MatchLog, message: LogMessage) -> Result<ToDo, CannotResume> {
        match message {
            LogMessage::Resume(resume) => self.begin(log, &resume),
            LogMessage::Part(part) => self.part(part),
            LogMessage::RequestAll => match std::mem::replace(&mut self.has_asked, true) {
                false => Ok(ToDo::SendAll),
                true => Err(CannotResume::OutOfOrder),
            },
        }
    }

    fn begin(&mut self, log: &MatchLog, resume: &Resume) -> Result<ToDo, CannotResume> {
        if !matches!(self.told, Told::Nothing) {
            return Err(CannotResume::OutOfOrder);
        }
        if resume.match_id != log.match_info().id() {
            return Err(CannotResume::OtherMatch);
        }
        let known = log.hash_before(resume.from) == Some(resume.before);
        match (known, self.asked) {
            (true, _) => {
                self.told = Told::Parts(resume.parts, None).or_all();
                Ok(ToDo::Nothing)
            }
            (false, false) => {
                self.told = Told::Useless(resume.parts).or_all();
                self.asked = true;
                Ok(ToDo::RequestAll)
            }
            (false, true) => Err(CannotResume::OtherBeginning),
        }
    }

    fn part(&mut self, part: SignedPart) -> Result<ToDo, CannotResume> {
        match &mut self.told {
            Told::All => Ok(ToDo::Accept(part)),
            // It has not heard yet that it is asked for all, and goes on.
            Told::Nothing if self.asked => Ok(ToDo::Nothing),
            Told::Nothing => Err(CannotResume::OutOfOrder),
            Told::Useless(left) => {
                self.told = Told::Useless(*left - 1).or_all();
                Ok(ToDo::Nothing)
            }
            Told::Parts(left, last) => {
                let place = (part.step, part.seat.number());
                // Each once, in order. Only a foul that ended the match comes behind its step, or later steps.
                if *left > 1 && last.is_some_and(|last| last >= place) {
                    return Err(CannotResume::OutOfOrder);
                }
                self.told = Told::Parts(*left - 1, Some(place)).or_all();
                Ok(ToDo::Accept(part))
            }
        }
    }
}

impl Told {
    /// What comes after this if nothing is left of it.
    fn or_all(self) -> Self {
        match self {
            Told::Parts(0, _) => Told::All,
            Told::Useless(0) => Told::Nothing,
            told => told,
        }
    }
}

impl MatchLog {
    /// What this side tells when it meets the other again. [These](Self::history) parts follow it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resume(&self) -> Resume {
        self.resume_from(self.last_hand_began())
    }

    /// What this side has from a step on, but for what it has [forgotten](Self::forget_older_hands).
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
