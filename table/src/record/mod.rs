//! The record of a match: the file of one side, read by anybody.
//!
//! [`Record::read`] replays a file by the rules, from its bytes alone: every signature, every
//! commitment that was opened, every choice, every result. It needs no key, so that a third person
//! can settle an argument; with the key the owner also knows that nobody has touched the file, and
//! reads its own cards ([`Record::read_own`]). [`compare()`] lays the files of two sides beside each
//! other.
//!
//! A record proves who signed what in which order, that each opened card is the one that all had
//! sealed, and that the chips follow. It does not prove that a shuffle took place: players who act
//! together can sign what they like. Nor does it prove who lied when an opening is disputed, or who
//! broke off a match that is open: the last word of a file is only the last that this side wrote.

mod compare;
mod error;
mod hand;
mod replay;

#[cfg(test)]
mod tests;

pub use compare::{Compared, compare};
pub use error::{BadRecord, Place};
pub use hand::RecordedHand;

use crate::identity::{Identity, Name};
use crate::log::{
    BadFile, Claim, End, Entry, MatchFile, MatchLog, Phase, SignedPart, Verified, verify_ahead,
};
use crate::seat::Seat;
use replay::Replay;

/// The file of one side of a match, replayed and found good.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record {
    /// Whose file it is. Only the owner's key shows that this is so.
    pub owner: Seat,
    /// Whether it was read with the owner's key, which shows that nobody has changed it. If not, the
    /// owner, the names, the notes and the claims are unproven: anybody who had the file can have
    /// written them.
    pub read_by_owner: bool,
    /// What the players called themselves, in order of the seats. No name is to be trusted.
    pub names: Vec<Name>,
    /// The log at its end, with all that was said.
    pub log: MatchLog,
    /// The hands that were dealt, in order. A try that was declared void is none.
    pub hands: Vec<RecordedHand>,
    /// How many cards the owner has noted that only it has seen.
    pub notes: usize,
    /// What the owner claims beside the log. Nobody else has signed it.
    pub claims: Vec<Claim>,
    /// How many bytes at the end are no complete record. If a crash has left them, they were never
    /// sent.
    pub torn: usize,
}

/// Where a match stands at the end of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchState {
    /// It is over.
    Over(End),
    /// It is open. Who broke it off, if anybody did, the record cannot tell.
    Open {
        /// The last step that is complete, if there is one.
        after: Option<u64>,
        /// The hand that is played or dealt next.
        hand: u32,
        /// Who is to speak.
        waits_for: Vec<Seat>,
    },
}

impl Record {
    /// Reads a record without any key. What only the owner's key protects is taken as it is: the
    /// seat and the names in the first record, the notes of the owner's cards, the checks and MACs.
    ///
    /// # Errors
    /// [`BadRecord`], at the first thing that does not fit. A foul or a fork that the record holds
    /// is no error: it is how the match ended.
    pub fn read(bytes: &[u8]) -> Result<Self, BadRecord> {
        Self::replay(bytes, None)
    }

    /// Reads a record as its owner: nothing in it was changed, and the owner's own cards can be
    /// read.
    ///
    /// # Errors
    /// As [`read`](Self::read); also if any byte was changed, or if the file is another identity's.
    pub fn read_own(bytes: &[u8], owner: &Identity) -> Result<Self, BadRecord> {
        Self::replay(bytes, Some(owner))
    }

    fn replay(bytes: &[u8], owner: Option<&Identity>) -> Result<Self, BadRecord> {
        let key = owner.map(Identity::file_key);
        let (sitting, mut file) = MatchFile::read(bytes, key.clone()).map_err(|bad| match bad {
            BadFile::NeverBegun => BadRecord::NeverBegun,
            BadFile::Changed(_) if owner.is_some() => BadRecord::NotYours,
            _ => BadRecord::NoMatch,
        })?;
        let mut replay = Replay::new(sitting.of.clone(), key);
        let (entries, wrong) = entries(&mut file);
        let mut verified = verify_ahead(&sitting.of, &parts(&entries)).into_iter();
        let mut notes = 0;
        let mut claims = Vec::new();
        for (at, entry) in entries {
            match entry {
                Entry::Part(part) => {
                    let after = verified.next().flatten();
                    replay.part(at, Verified { part, after })?;
                }
                Entry::Evidence(evidence) => replay.evidence(at, evidence)?,
                Entry::Seen(note) => {
                    replay.note(at, &note)?;
                    notes += 1;
                }
                Entry::Claim(claim) => claims.push(claim),
            }
        }
        if let Some(bad) = wrong {
            return Err(replay.bad_file(bad));
        }
        let torn = file.torn();
        if !file.may_be_torn(replay.log.longest_part()) {
            return Err(replay.bad_file(BadFile::Changed(bytes.len() - torn)));
        }
        let (log, hands) = replay.finish();
        Ok(Record {
            owner: sitting.seat,
            read_by_owner: owner.is_some(),
            names: sitting.names,
            log,
            hands,
            notes,
            claims,
            torn,
        })
    }

    /// How many hands were played to a result that all signed.
    pub fn played(&self) -> usize {
        let over = |hand: &&RecordedHand| hand.outcome.is_some();
        self.hands.iter().filter(over).count()
    }

    /// Where the match stands.
    pub fn state(&self) -> MatchState {
        match self.log.phase() {
            Phase::Over(end) => MatchState::Over(end),
            _ => MatchState::Open {
                after: self.log.step().checked_sub(1),
                hand: self.log.attempt().hand,
                waits_for: self.log.waits_for(),
            },
        }
    }

    /// The chips of each seat that were bought: the first stacks and all rebuys.
    pub fn bought(&self) -> Vec<u64> {
        let stack = self.log.of().header().stakes.stack();
        let mut bought = vec![stack; self.log.of().seats()];
        for seat in self.hands.iter().flat_map(|hand| &hand.begun.rebuys) {
            bought[seat.index()] += stack;
        }
        bought
    }
}

fn parts(entries: &[(usize, Entry)]) -> Vec<&SignedPart> {
    let parts = entries.iter().filter_map(|(_, entry)| match entry {
        Entry::Part(part) => Some(part),
        _ => None,
    });
    parts.collect()
}

/// The records behind the first one, and where each begins. What comes behind something that is none
/// is not looked at.
fn entries(file: &mut MatchFile<'_>) -> (Vec<(usize, Entry)>, Option<BadFile>) {
    let mut entries = Vec::new();
    for entry in file {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(bad) => return (entries, Some(bad)),
        }
    }
    (entries, None)
}
