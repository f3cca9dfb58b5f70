//! Files of records, one behind the other.
//!
//! A record is its length, a check of the length, the content, and a MAC. Check and MAC are made
//! with a key that only the owner has, and go over the MAC of the record before: a record fits one
//! place of one file. A crash while a record is written leaves it incomplete at the end of the
//! file. The owner notices whatever else is changed. Anybody else can read the records, and has to
//! judge the contents by themselves.

use zeroize::Zeroizing;

use crate::hash::Hash;

/// The bytes of a record before its content.
const HEAD: usize = 4 + CHECK;
const CHECK: usize = 16;
const MAC: usize = 32;

/// The uses of the hash in one kind of file, so that no record of it fits another kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    /// Of the check of a length.
    pub(super) check: &'static str,
    /// Of the MAC of a content.
    pub(super) mac: &'static str,
}

/// Makes and checks the records of a file, with the owner's key.
pub(super) struct Chain {
    tags: Tags,
    key: Zeroizing<[u8; 32]>,
    /// The MAC of the last record.
    last: [u8; 32],
}

/// The bytes of new records, and the MAC of the last of them.
pub(super) struct Batch {
    pub(super) bytes: Zeroizing<Vec<u8>>,
    last: [u8; 32],
}

impl Chain {
    /// The chain of a file without any record.
    pub(super) fn new(tags: Tags, key: Zeroizing<[u8; 32]>) -> Self {
        Chain {
            tags,
            key,
            last: [0; 32],
        }
    }

    /// The key of the file.
    pub(super) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Records with these contents, to be written behind the last one.
    pub(super) fn records(&self, contents: impl IntoIterator<Item = Vec<u8>>) -> Batch {
        let (mut bytes, mut last) = (Zeroizing::new(Vec::new()), self.last);
        for content in contents {
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&self.check(&last, content.len() as u32));
            last = *self.mac(&last, &content).as_bytes();
            bytes.extend_from_slice(&content);
            bytes.extend_from_slice(&last);
        }
        Batch { bytes, last }
    }

    /// Goes on behind records that were written.
    pub(super) fn advance(&mut self, written: &Batch) {
        self.last = written.last;
    }

    /// The check of a record's length: without it a changed length would pass for a record that is
    /// not complete, and everything behind it would be dropped.
    fn check(&self, last: &[u8; 32], len: u32) -> [u8; CHECK] {
        let hash = Hash::new(self.tags.check).field(&*self.key).field(last);
        let hash = hash.number(u64::from(len)).finish();
        *hash.first_chunk().expect("a hash is longer than a check")
    }

    /// The MAC of a record, in the type that compares in constant time.
    fn mac(&self, last: &[u8; 32], content: &[u8]) -> blake3::Hash {
        let hash = Hash::new(self.tags.mac).field(&*self.key).field(last);
        hash.field(content).finish().into()
    }
}

/// The file was changed, from this byte on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) at: usize,
}

/// The complete records of a file, and where each begins.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    /// Where the next record begins.
    at: usize,
    /// With it every record is checked.
    chain: Option<Chain>,
}

impl<'a> Records<'a> {
    /// Reads as the owner, whose chain is that of a file without any record.
    pub(super) fn of_owner(bytes: &'a [u8], chain: Chain) -> Self {
        Records {
            bytes,
            at: 0,
            chain: Some(chain),
        }
    }

    /// Reads without the key: checks and MACs can hold anything.
    pub(super) fn of_anybody(bytes: &'a [u8]) -> Self {
        Records {
            bytes,
            at: 0,
            chain: None,
        }
    }

    /// What is left behind the complete records that were read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The chain behind the records that were read, and their bytes.
    pub(super) fn into_chain(self) -> (Option<Chain>, usize) {
        (self.chain, self.at)
    }

    /// The next record; none at the end, or if what is left was never complete.
    fn record(&mut self) -> Result<Option<(usize, &'a [u8])>, Changed> {
        let at = self.at;
        let found = match &self.chain {
            Some(chain) => checked(chain, self.rest()),
            None => unchecked(self.rest()),
        };
        let Some((content, mac)) = found.map_err(|Unfit| Changed { at })? else {
            return Ok(None);
        };
        self.at += HEAD + content.len() + MAC;
        if let Some(chain) = &mut self.chain {
            chain.last = *mac;
        }
        Ok(Some((at, content)))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<(usize, &'a [u8]), Changed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

/// No record, and none that a crash left incomplete.
struct Unfit;

/// A content and its MAC, if they are complete.
type Found<'a> = Result<Option<(&'a [u8], &'a [u8; MAC])>, Unfit>;

/// The first record, if it is the owner's.
fn checked<'a>(chain: &Chain, bytes: &'a [u8]) -> Found<'a> {
    // Where a file system made room before it wrote, zeros stand at the end.
    let torn_before = |end| {
        let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
        if bytes.len() - zeros < end {
            Ok(None)
        } else {
            Err(Unfit)
        }
    };
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let expected = widened(&chain.check(&chain.last, len_in(head)));
    if expected != widened(&head[4..]) {
        return torn_before(HEAD);
    }
    let Some((content, mac)) = content_and_mac(head, rest) else {
        return Ok(None);
    };
    if chain.mac(&chain.last, content) != blake3::Hash::from(*mac) {
        return torn_before(HEAD + content.len() + MAC);
    }
    Ok(Some((content, mac)))
}

/// The first record, whoever wrote it. Every record has a content, and no MAC is zero: those are
/// what a crash left.
fn unchecked(bytes: &[u8]) -> Found<'_> {
    let zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let Some((content, mac)) = content_and_mac(head, rest) else {
        return Ok(None);
    };
    if content.is_empty() || zeros(mac) {
        return if zeros(&rest[content.len()..]) {
            Ok(None)
        } else {
            Err(Unfit)
        };
    }
    Ok(Some((content, mac)))
}

fn len_in(head: &[u8; HEAD]) -> u32 {
    u32::from_le_bytes(*head.first_chunk().expect("a head begins with a length"))
}

/// Behind a head: the content and the MAC, if all of them is there.
fn content_and_mac<'a>(head: &[u8; HEAD], rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8; MAC])> {
    let (content, rest) = rest.split_at_checked(len_in(head) as usize)?;
    Some((content, rest.first_chunk()?))
}

/// A check in the type that compares in constant time.
fn widened(check: &[u8]) -> blake3::Hash {
    let mut wide = [0; 32];
    wide[..CHECK].copy_from_slice(check);
    wide.into()
}

/// What a record that is not complete claims: the bytes of its content, and the first of them. None
/// if it is cut before.
pub(super) fn claimed(torn: &[u8]) -> Option<(u32, u8)> {
    let (head, content) = torn.split_first_chunk::<HEAD>()?;
    Some((len_in(head), *content.first()?))
}
