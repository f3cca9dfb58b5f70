//! Records: the file of one side of a match, which anybody can read and verify.
//!
//! [`Record::read`] replays the bytes of a file and verifies every signature, opened commitment,
//! choice and result. It needs no key, so a third person can settle a dispute. With its key, the
//! owner of the file also verifies that the file was not modified, and reads its own cards.
//! [`compare()`] compares the files of two sides.
//!
//! A record proves who signed what in which order, that each opened card is the card that all seats
//! sealed, and that the chips are computed correctly. It does not prove that a shuffle took place:
//! players who collude can sign anything. Nor does it prove who lied when an opening is disputed,
//! or who abandoned an unfinished match: the other side may have signed more parts than the file
//! contains.

mod compare;
mod error;
mod hand;
mod replay;
mod tables;

#[cfg(test)]
mod tests;

pub use compare::{Compared, compare};
pub use error::{BadRecord, Place};
pub use hand::RecordedHand;
pub use tables::{Payment, RecordedTable, payments, tables};

use dealerless_connection::identity::{Identity, Name};

use crate::log::{
    BadFile, Claim, End, Entry, MatchFile, MatchLog, Phase, Signed, SignedPart, Statement,
    Verified, verify_ahead,
};
use crate::seat::Seat;
use replay::Replay;

/// The contents of the file of one side of a match, replayed and found valid.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record {
    /// The seat that wrote the file. Proven only if the file was read with the owner's key.
    pub owner: Seat,
    /// Whether the file was read with the owner's key, which proves that nobody has modified it.
    /// Otherwise the owner, the names, the notes and the claims are unproven: anybody with access
    /// to the file may have written them.
    pub read_by_owner: bool,
    /// The names that the players chose, in seat order. Names are not trustworthy.
    pub names: Vec<Name>,
    /// The log at the end of the file, with its whole history.
    pub log: MatchLog,
    /// The hands that were dealt, in order. If a try (an attempt to deal a hand) was declared void
    /// and the hand not dealt again, the hand is missing.
    pub hands: Vec<RecordedHand>,
    /// The number of notes by the owner about cards that only the owner has seen.
    pub notes: usize,
    /// The owner's claims. They are not part of the log, and no other seat has signed them.
    pub claims: Vec<Claim>,
    /// The number of bytes of an incomplete entry at the end of the file. If a crash left them, the
    /// entry was never sent.
    pub torn: usize,
    /// The shuffles for hands whose deals do not name them. They are not part of the log.
    unused_ahead: Vec<Statement>,
}

/// The state of a match at the end of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchState {
    /// The match is over.
    Over(End),
    /// The match is not over. A record cannot show whether it was abandoned, or by whom.
    Open {
        /// The last complete step, if there is one.
        after: Option<u64>,
        /// The number of the hand that is being played or is dealt next, from 1.
        hand: u32,
        /// The seats whose parts are due.
        waits_for: Vec<Seat>,
    },
}

impl Record {
    /// Reads a record, with the keys of its `owner` or without a key. With the owner's key, also
    /// verifies that nothing was modified, and decrypts the notes of the owner's cards. Without a
    /// key, everything that only the owner's key protects is not verified: the seat and the names
    /// in the first record, the notes of the owner's cards, the checksums and MACs.
    ///
    /// # Errors
    /// The [`BadRecord`] for the first invalid entry. With the owner's key, also if any byte was
    /// modified or the file belongs to another identity. A foul or a fork in the record is not an
    /// error: it is how the match ended.
    pub fn read(bytes: &[u8], owner: Option<&Identity>) -> Result<Self, BadRecord> {
        let key = owner.map(Identity::file_key);
        let (sitting, mut file) =
            MatchFile::read(bytes, key.clone()).map_err(|bad| match (bad, owner) {
                (BadFile::NeverBegun, _) => BadRecord::NeverBegun,
                (BadFile::Changed(_), Some(owner)) if names_as_owner(bytes, owner) => {
                    BadRecord::Start
                }
                (BadFile::Changed(_), Some(_)) => BadRecord::NotYours,
                _ => BadRecord::NoMatch,
            })?;
        let mut replay = Replay::new(sitting.match_info.clone(), sitting.seat, key);
        let (entries, wrong) = entries(&mut file);
        let mut verified = verify_ahead(&sitting.match_info, &parts(&entries)).into_iter();
        let mut notes = 0;
        let mut claims = Vec::new();
        for (at, entry) in entries {
            match entry {
                Entry::Signed(Signed::Part(part)) => {
                    let after = verified.next().flatten();
                    replay.part(at, Verified { part, after })?;
                }
                Entry::Signed(signed) => replay.signed(at, signed)?,
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
        let (log, hands, unused_ahead) = replay.finish();
        Ok(Record {
            owner: sitting.seat,
            read_by_owner: owner.is_some(),
            names: sitting.names,
            log,
            hands,
            notes,
            claims,
            torn,
            unused_ahead,
        })
    }

    /// The number of hands with a result that all seats have signed.
    pub fn played(&self) -> usize {
        let over = |hand: &&RecordedHand| hand.outcome.is_some();
        self.hands.iter().filter(over).count()
    }

    /// The state of the match.
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

    /// The chips that each seat has brought: its chips at the start and all rebuys.
    pub fn bought(&self) -> Vec<u64> {
        let stack = self.log.match_info().header().stakes.stack();
        let mut bought = self.log.match_info().first_stacks();
        for seat in self.hands.iter().flat_map(|hand| &hand.begun.rebuys) {
            bought[seat.index()] += stack;
        }
        bought
    }
}

/// Whether the first entry of the file, which may be modified, names this identity as the owner.
fn names_as_owner(bytes: &[u8], identity: &Identity) -> bool {
    MatchFile::read(bytes, None).is_ok_and(|(sitting, _)| {
        let owner = &sitting.match_info.players()[sitting.seat.index()];
        owner.identity == *identity.public()
    })
}

fn parts(entries: &[(usize, Entry)]) -> Vec<&SignedPart> {
    let parts = entries.iter().filter_map(|(_, entry)| match entry {
        Entry::Signed(Signed::Part(part)) => Some(part),
        _ => None,
    });
    parts.collect()
}

/// The entries after the first one, each with its offset in the file. Stops at the first invalid
/// entry.
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
