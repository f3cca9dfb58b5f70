//! Files that consist of consecutive entries.
//!
//! An entry consists of the length of its content, a check of this length, the content, and a MAC.
//! The check and the MAC use a key that only the owner has. Both also cover the MAC of the previous
//! entry, so an entry is valid at only one place of one file. A crash during a write leaves an
//! incomplete entry at the end of the file. The owner detects any other change. Other readers have
//! no key: they can read the entries but not verify the checks and MACs.

use dealerless_connection::hash::Hash;
use zeroize::Zeroizing;

/// The length in bytes of an entry's head: the length of the content, and its check.
const HEAD: usize = 4 + CHECK;
const CHECK: usize = 16;
const MAC: usize = 32;

/// The hash contexts of one kind of file. Because of them, no entry is valid in a file of another
/// kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    /// The context of the check of a length.
    pub(super) check: &'static str,
    /// The context of the MAC of a content.
    pub(super) mac: &'static str,
}

/// Makes and checks the entries of a file with the owner's key.
pub(super) struct Chain {
    tags: Tags,
    key: Zeroizing<[u8; 32]>,
    /// The MAC of the last entry; zero in an empty file.
    last: [u8; 32],
}

/// The bytes of new entries, and the MAC of the last new entry.
pub(super) struct Batch {
    pub(super) bytes: Zeroizing<Vec<u8>>,
    last: [u8; 32],
}

impl Chain {
    /// The chain of an empty file.
    pub(super) fn new(tags: Tags, key: Zeroizing<[u8; 32]>) -> Self {
        Chain {
            tags,
            key,
            last: [0; 32],
        }
    }

    /// The owner's key of the file.
    pub(super) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Makes entries with the given contents, which follow the last entry of the chain. The chain
    /// is unchanged.
    pub(super) fn entries(&self, contents: impl IntoIterator<Item = Vec<u8>>) -> Batch {
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

    /// Advances the chain past entries that were written.
    pub(super) fn advance(&mut self, written: &Batch) {
        self.last = written.last;
    }

    /// The check of an entry's length. Without this check, an entry whose length was changed would
    /// look incomplete, and all later entries would be removed.
    fn check(&self, last: &[u8; 32], len: u32) -> [u8; CHECK] {
        let hash = Hash::new(self.tags.check).field(&*self.key).field(last);
        let hash = hash.number(u64::from(len)).finish();
        *hash.first_chunk().expect("a hash is longer than a check")
    }

    /// The MAC of an entry, as a type that compares in constant time.
    fn mac(&self, last: &[u8; 32], content: &[u8]) -> blake3::Hash {
        let hash = Hash::new(self.tags.mac).field(&*self.key).field(last);
        hash.field(content).finish().into()
    }
}

/// The file was changed from this byte on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) at: usize,
}

/// An iterator over the complete entries of a file and their offsets.
pub(super) struct Entries<'a> {
    bytes: &'a [u8],
    /// The offset of the next entry.
    at: usize,
    /// The owner's chain, which checks every entry; `None` for anybody else.
    chain: Option<Chain>,
}

impl<'a> Entries<'a> {
    /// Reads a file with the owner's key. `chain` is the chain of an empty file.
    pub(super) fn of_owner(bytes: &'a [u8], chain: Chain) -> Self {
        Entries {
            bytes,
            at: 0,
            chain: Some(chain),
        }
    }

    /// Reads a file without the key. Checks and MACs can have any value.
    pub(super) fn of_anybody(bytes: &'a [u8]) -> Self {
        Entries {
            bytes,
            at: 0,
            chain: None,
        }
    }

    /// The bytes after the complete entries read so far.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The owner's chain after the entries read so far, and the length of these entries in bytes.
    pub(super) fn into_chain(self) -> (Option<Chain>, usize) {
        (self.chain, self.at)
    }

    /// The next entry and its offset. `None` at the end of the file, or if only an incomplete
    /// entry is left.
    fn entry(&mut self) -> Result<Option<(usize, &'a [u8])>, Changed> {
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

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(usize, &'a [u8]), Changed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.entry().transpose()
    }
}

/// The bytes are neither a valid entry nor the start of an entry that a crash left incomplete.
struct Unfit;

/// The content and the MAC of an entry; `None` if the entry is incomplete.
type Found<'a> = Result<Option<(&'a [u8], &'a [u8; MAC])>, Unfit>;

/// Reads the first entry of `bytes`, and verifies its check and its MAC.
fn checked<'a>(chain: &Chain, bytes: &'a [u8]) -> Found<'a> {
    // A crash can leave zeros at the end of a file, where the file system reserved space.
    let incomplete_if_shorter_than = |end| {
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
    let expected = padded(&chain.check(&chain.last, len_in(head)));
    if expected != padded(&head[4..]) {
        return incomplete_if_shorter_than(HEAD);
    }
    let Some((content, mac)) = content_and_mac(head, rest) else {
        return Ok(None);
    };
    if chain.mac(&chain.last, content) != blake3::Hash::from(*mac) {
        return incomplete_if_shorter_than(HEAD + content.len() + MAC);
    }
    Ok(Some((content, mac)))
}

/// Reads the first entry of `bytes` without the key. A crash can leave an entry with an empty
/// content or a zero MAC; a complete entry has neither.
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

/// The content and the MAC after a head, if they are complete.
fn content_and_mac<'a>(head: &[u8; HEAD], rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8; MAC])> {
    let (content, rest) = rest.split_at_checked(len_in(head) as usize)?;
    Some((content, rest.first_chunk()?))
}

/// A check, padded to a type that compares in constant time.
fn padded(check: &[u8]) -> blake3::Hash {
    let mut padded = [0; 32];
    padded[..CHECK].copy_from_slice(check);
    padded.into()
}

/// The claimed length of an incomplete entry's content, and the first byte of the content. `None`
/// if the entry ends before that byte.
pub(super) fn claimed(torn: &[u8]) -> Option<(u32, u8)> {
    let (head, content) = torn.split_first_chunk::<HEAD>()?;
    Some((len_in(head), *content.first()?))
}
