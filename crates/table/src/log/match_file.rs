//! The entries of a match file.

use dealerless_connection::wire::Malformed;
use zeroize::Zeroizing;

use super::ahead_chain::SignedAhead;
use super::claim::Claim;
use super::entries::{Chain, Changed, Entries, Tags, claimed};
use super::part::Part;
use super::roll_call::SignedVote;
use super::seen::Note;
use super::signed::{Evidence, Signed, SignedAck, SignedPart};
use super::sitting::Sitting;

/// The hash contexts of a match file.
const TAGS: Tags = Tags {
    check: "file length",
    mac: "file record",
};

/// The kinds of entries. The first byte of an entry's content is its kind.
const SITTING: u8 = 0;
const PART: u8 = 1;
const EVIDENCE: u8 = 2;
const SEEN: u8 = 3;
const CLAIM: u8 = 4;
const ACK: u8 = 5;
const EVIDENCE_OF_STATEMENTS: u8 = 6;
const AHEAD: u8 = 7;
const VOTE: u8 = 9;

/// An entry after the first entry, which is a [`Sitting`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A signed statement.
    Signed(Signed),
    /// Evidence that convicts a seat.
    Evidence(Evidence),
    /// A card that only the owner has seen.
    Seen(Note),
    /// A claim of the owner.
    Claim(Claim),
}

/// Why the entries of a file are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadFile {
    /// The file has no complete entry.
    NeverBegun,
    /// The file was changed from this byte on, or belongs to another identity.
    Changed(usize),
    /// The entry at this byte is malformed, or its kind is not allowed there.
    Entry(usize),
}

/// The chain of an empty file.
pub(super) fn chain(key: Zeroizing<[u8; 32]>) -> Chain {
    Chain::new(TAGS, key)
}

/// The content of the first entry.
pub(super) fn first(sitting: &Sitting) -> Vec<u8> {
    content(SITTING, sitting.encode())
}

impl Entry {
    /// The content of the entry in the file.
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Entry::Signed(Signed::Part(part)) => content(PART, part.encode()),
            Entry::Signed(Signed::Ack(ack)) => content(ACK, ack.encode()),
            Entry::Signed(Signed::Ahead(ahead)) => content(AHEAD, ahead.encode()),
            Entry::Signed(Signed::Vote(vote)) => content(VOTE, vote.encode()),
            Entry::Evidence(evidence) => {
                let kind = match evidence.is_of_parts() {
                    true => EVIDENCE,
                    false => EVIDENCE_OF_STATEMENTS,
                };
                content(kind, evidence.encode())
            }
            Entry::Seen(note) => content(SEEN, note.encode()),
            Entry::Claim(claim) => content(CLAIM, claim.encode()),
        }
    }

    fn decode(content: &[u8]) -> Result<Self, Malformed> {
        let (kind, bytes) = content.split_first().ok_or(Malformed)?;
        Ok(match *kind {
            PART => Entry::Signed(SignedPart::decode(bytes)?.into()),
            ACK => Entry::Signed(Signed::Ack(SignedAck::decode(bytes)?)),
            AHEAD => {
                let ahead = SignedAhead::decode(bytes)?;
                Entry::Signed(Signed::Ahead(Box::new(ahead)))
            }
            VOTE => {
                let vote = SignedVote::decode(bytes, 0)?;
                Entry::Signed(Signed::Vote(Box::new(vote)))
            }
            EVIDENCE => Entry::Evidence(Evidence::decode_parts(bytes)?),
            EVIDENCE_OF_STATEMENTS => Entry::Evidence(Evidence::decode_statements(bytes)?),
            SEEN => Entry::Seen(Note::decode(bytes)?),
            CLAIM => Entry::Claim(Claim::decode(bytes)?),
            _ => return Err(Malformed),
        })
    }
}

pub(super) fn content(kind: u8, bytes: Vec<u8>) -> Vec<u8> {
    [&[kind], &bytes[..]].concat()
}

/// An iterator over the entries of a match file after the first entry.
pub(crate) struct MatchFile<'a> {
    entries: Entries<'a>,
}

impl<'a> MatchFile<'a> {
    /// Reads the first entry. With the owner's `key`, the MAC of every entry is verified. Without
    /// a key, MACs can have any value.
    pub(crate) fn read(
        bytes: &'a [u8],
        key: Option<Zeroizing<[u8; 32]>>,
    ) -> Result<(Sitting, Self), BadFile> {
        let mut entries = match key {
            Some(key) => Entries::of_owner(bytes, chain(key)),
            None => Entries::of_anybody(bytes),
        };
        let (at, first) = (entries.next().transpose()?).ok_or(BadFile::NeverBegun)?;
        let sitting = match first.split_first() {
            Some((&SITTING, sitting)) => Sitting::decode(sitting).ok(),
            _ => None,
        };
        let sitting = sitting.ok_or(BadFile::Entry(at))?;
        Ok((sitting, MatchFile { entries }))
    }

    /// The number of bytes after the complete entries.
    pub(crate) fn torn(&self) -> usize {
        self.entries.rest().len()
    }

    /// Whether the bytes after the complete entries can be the result of a crash, in a match whose
    /// parts have at most `longest_part` bytes.
    pub(crate) fn may_be_torn(&self, longest_part: usize) -> bool {
        let part = SignedPart::OVERHEAD + longest_part.min(Part::MAX_LEN);
        let Some((len, kind)) = claimed(self.entries.rest()) else {
            return true;
        };
        let max = match kind {
            PART => part,
            SEEN => Note::MAX_LEN,
            CLAIM => Claim::LEN,
            // This also covers zeros: space that was reserved but never written.
            _ => Evidence::max_len(longest_part.min(Part::MAX_LEN)),
        };
        len as usize <= 1 + max
    }

    /// The owner's chain after the entries read so far, if the key was given, and the length of
    /// these entries in bytes.
    pub(super) fn into_chain(self) -> (Option<Chain>, usize) {
        self.entries.into_chain()
    }
}

impl Iterator for MatchFile<'_> {
    /// An entry and its offset in the file.
    type Item = Result<(usize, Entry), BadFile>;

    fn next(&mut self) -> Option<Self::Item> {
        let (at, content) = match self.entries.next()? {
            Ok(entry) => entry,
            Err(changed) => return Some(Err(changed.into())),
        };
        let entry = Entry::decode(content).map_err(|Malformed| BadFile::Entry(at));
        Some(entry.map(|entry| (at, entry)))
    }
}

impl From<Changed> for BadFile {
    fn from(Changed { at }: Changed) -> Self {
        BadFile::Changed(at)
    }
}
