//! What the records of the file of a match hold.

use zeroize::Zeroizing;

use super::claim::Claim;
use super::part::Part;
use super::records::{Chain, Changed, Records, Tags, claimed};
use super::seen::Note;
use super::signed::{Evidence, SignedPart};
use super::sitting::Sitting;
use crate::wire::Malformed;

/// The file of a match.
const TAGS: Tags = Tags {
    check: "file length",
    mac: "file record",
};

/// What a record holds: its first byte.
const SITTING: u8 = 0;
const PART: u8 = 1;
const EVIDENCE: u8 = 2;
const SEEN: u8 = 3;
const CLAIM: u8 = 4;

/// A record after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// What a seat said.
    Part(SignedPart),
    /// What convicts a seat.
    Evidence(Evidence),
    /// What the owner alone has seen.
    Seen(Note),
    /// What the owner claims beside the log.
    Claim(Claim),
}

/// What is wrong with a file, as far as its records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadFile {
    /// Not even the first record is complete.
    NeverBegun,
    /// It was changed from this byte on, or is another identity's.
    Changed(usize),
    /// The record at this byte does not belong there.
    Record(usize),
}

/// The chain of a file that was not begun.
pub(super) fn chain(key: Zeroizing<[u8; 32]>) -> Chain {
    Chain::new(TAGS, key)
}

/// The content of the first record.
pub(super) fn first(sitting: &Sitting) -> Vec<u8> {
    content(SITTING, sitting.encode())
}

impl Entry {
    /// The content of its record.
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Entry::Part(part) => content(PART, part.encode()),
            Entry::Evidence(evidence) => content(EVIDENCE, evidence.encode()),
            Entry::Seen(note) => content(SEEN, note.encode()),
            Entry::Claim(claim) => content(CLAIM, claim.encode()),
        }
    }

    fn decode(content: &[u8]) -> Result<Self, Malformed> {
        let (kind, bytes) = content.split_first().ok_or(Malformed)?;
        Ok(match *kind {
            PART => Entry::Part(SignedPart::decode(bytes).map_err(|_| Malformed)?),
            EVIDENCE => Entry::Evidence(Evidence::decode(bytes).map_err(|_| Malformed)?),
            SEEN => Entry::Seen(Note::decode(bytes)?),
            CLAIM => Entry::Claim(Claim::decode(bytes)?),
            _ => return Err(Malformed),
        })
    }
}

pub(super) fn content(kind: u8, bytes: Vec<u8>) -> Vec<u8> {
    [&[kind], &bytes[..]].concat()
}

/// The records of the file of a match: the first one has been read.
pub(crate) struct MatchFile<'a> {
    records: Records<'a>,
}

impl<'a> MatchFile<'a> {
    /// Reads how a match was begun: with the key as its owner, or as anybody.
    pub(crate) fn read(
        bytes: &'a [u8],
        key: Option<Zeroizing<[u8; 32]>>,
    ) -> Result<(Sitting, Self), BadFile> {
        let mut records = match key {
            Some(key) => Records::of_owner(bytes, chain(key)),
            None => Records::of_anybody(bytes),
        };
        let (at, first) = (records.next().transpose()?).ok_or(BadFile::NeverBegun)?;
        let sitting = match first.split_first() {
            Some((&SITTING, sitting)) => Sitting::decode(sitting).ok(),
            _ => None,
        };
        let sitting = sitting.ok_or(BadFile::Record(at))?;
        Ok((sitting, MatchFile { records }))
    }

    /// The bytes behind the complete records.
    pub(crate) fn torn(&self) -> usize {
        self.records.rest().len()
    }

    /// Whether a crash can have left what lies behind the complete records, in a match whose parts
    /// have at most so many bytes.
    pub(crate) fn may_be_torn(&self, longest_part: usize) -> bool {
        let part = SignedPart::REST + longest_part.min(Part::MAX_LEN);
        let Some((len, kind)) = claimed(self.records.rest()) else {
            return true;
        };
        let most = match kind {
            PART => part,
            SEEN => Note::MAX_LEN,
            CLAIM => Claim::LEN,
            // Also where only zeros stand: it was not written any more.
            _ => 32 + 32 + 4 + 2 * part,
        };
        len as usize <= 1 + most
    }

    /// The owner's chain behind the records that were read, and their bytes.
    pub(super) fn into_chain(self) -> (Option<Chain>, usize) {
        self.records.into_chain()
    }
}

impl Iterator for MatchFile<'_> {
    /// A record, and where it begins.
    type Item = Result<(usize, Entry), BadFile>;

    fn next(&mut self) -> Option<Self::Item> {
        let (at, content) = match self.records.next()? {
            Ok(record) => record,
            Err(changed) => return Some(Err(changed.into())),
        };
        let entry = Entry::decode(content).map_err(|Malformed| BadFile::Record(at));
        Some(entry.map(|entry| (at, entry)))
    }
}

impl From<Changed> for BadFile {
    fn from(Changed { at }: Changed) -> Self {
        BadFile::Changed(at)
    }
}
