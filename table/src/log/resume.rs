//! How two sides of a match that meet again come to one log.
//!
//! Each tells the other what it has, before anything is signed on the new line. What the one lacks
//! it takes from the other, part by part, as if it were said now; also what it said itself and
//! forgot, which has its own signature.

use super::foul::Refused;
use super::match_log::MatchLog;
use super::signed::{BadSignedPart, SignedPart};
use crate::wire::{Malformed, Reader, Writer};

/// What a side has of a match, from a step on. The hash stands for all that was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The match.
    pub of: [u8; 32],
    /// The first step that is told.
    pub from: u64,
    /// The hash of all steps before.
    pub before: [u8; 32],
    /// All parts from there on.
    pub parts: Vec<SignedPart>,
}

/// What came of a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// This log has all that the other side has.
    Together,
    /// The two histories part before what was told, or this one is far behind: the other side has
    /// to tell [all](MatchLog::resume_from) from step 0 on.
    AskForAll,
}

/// The two sides cannot come to one log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotResume {
    /// It is another match.
    #[error("the other side means another match")]
    OtherMatch,
    /// A part was refused: it may convict a seat.
    #[error("what the other side has cannot be taken")]
    Refused(#[from] Refused),
}

/// The bytes are not what [`Resume::encode`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes do not tell what a side has of a match")]
pub struct BadResume;

impl From<Malformed> for BadResume {
    fn from(Malformed: Malformed) -> Self {
        BadResume
    }
}

impl From<BadSignedPart> for BadResume {
    fn from(BadSignedPart: BadSignedPart) -> Self {
        BadResume
    }
}

impl Resume {
    /// The bytes that stand for it.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(&self.of).u64(self.from).raw(&self.before);
        writer.u32(self.parts.len() as u32);
        for part in &self.parts {
            let part = part.encode();
            writer.u32(part.len() as u32).raw(&part);
        }
        writer.finish()
    }

    /// What these bytes tell. Nothing in it is verified.
    ///
    /// # Errors
    /// If they are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadResume> {
        let mut reader = Reader::new(bytes);
        let (of, from, before) = (reader.array()?, reader.u64()?, reader.array()?);
        // Grows as the parts turn up: the count alone allocates nothing.
        let mut parts = Vec::new();
        for _ in 0..reader.u32()? {
            let len = reader.u32()? as usize;
            parts.push(SignedPart::decode(reader.raw(len)?)?);
        }
        reader.finish()?;
        Ok(Resume {
            of,
            from,
            before,
            parts,
        })
    }
}

impl MatchLog {
    /// What this side tells when it meets the other again: the hand in play and the one before. Who
    /// wrote what it said, and all that it had heard, lacks nothing older.
    pub fn resume(&self) -> Resume {
        self.resume_from(self.last_hand_began())
    }

    /// What this side has from a step on, but for what it has forgotten; if it has not come so far,
    /// from its last step on.
    pub fn resume_from(&self, from: u64) -> Resume {
        let from = from.clamp(self.first_step(), self.step());
        Resume {
            of: self.of().id(),
            from,
            before: self.hash_before(from).unwrap_or_else(|| self.hash()),
            parts: self.history(from).cloned().collect(),
        }
    }

    /// Takes what the other side has. Gives what was new in order, which must be
    /// [written](super::Journal::append) before anything more is said.
    ///
    /// # Errors
    /// [`CannotResume`], and the match cannot go on with this side: [close](Self::close) or
    /// [convict](Self::convict) if a part was refused as a foul or a fork. What came before the part
    /// that was refused is in the log.
    pub fn meet(&mut self, theirs: &Resume) -> Result<(Met, Vec<SignedPart>), CannotResume> {
        if theirs.of != self.of().id() {
            return Err(CannotResume::OtherMatch);
        }
        if self.hash_before(theirs.from) != Some(theirs.before) {
            return Ok((Met::AskForAll, Vec::new()));
        }
        let mut new = Vec::new();
        for part in &theirs.parts {
            match self.take(part.clone())? {
                super::Taken::New(_) => new.push(part.clone()),
                super::Taken::Known => {}
            }
        }
        Ok((Met::Together, new))
    }
}
