//! Lines of text that people send to each other: a word, a version, and bytes in base32 with a
//! checksum. Chats wrap and quote, so white space, quotes and signs of quoting are passed over.

use zeroize::Zeroizing;

use super::base32;
use crate::hash::Hash;

/// A kind of line.
pub(crate) struct Kind {
    /// Its word, in small letters and without signs. It has an `l`, which base32 has not.
    pub(crate) word: &'static str,
    /// The word as people see it.
    pub(crate) shown: &'static str,
    pub(crate) version: char,
    /// The use of the hash that is the checksum.
    pub(crate) checksum: &'static str,
    /// Longer than any such line, with a sign of quoting in each of its lines.
    pub(crate) most: usize,
}

/// What a text is that is no line of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It does not begin as one.
    Another,
    /// A program of another version made it.
    OtherVersion,
    /// A character is wrong, or the end is missing.
    Mistyped,
}

impl Kind {
    /// The line with these contents.
    pub(crate) fn write(&self, contents: &[u8]) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(contents.len() + 4));
        bytes.extend_from_slice(contents);
        bytes.extend_from_slice(&self.sum(contents));
        let text = Zeroizing::new(base32::encode(&bytes));
        Zeroizing::new(format!("{}{}-{}", self.shown, self.version, *text))
    }

    /// The contents of a line.
    pub(crate) fn read(&self, text: &str) -> Result<Zeroizing<Vec<u8>>, Unread> {
        if text.len() > self.most {
            return Err(Unread::Another);
        }
        let kept = text.chars().filter(|&c| !is_from_a_chat(c));
        let text = Zeroizing::new(kept.collect::<String>().to_ascii_lowercase());
        // The last place, since a command may stand before it, and base32 does not hold the word.
        let (_, rest) = text.rsplit_once(self.word).ok_or(Unread::Another)?;
        let rest = match rest.strip_prefix(self.version) {
            Some(rest) => rest,
            None if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(Unread::OtherVersion);
            }
            None => return Err(Unread::Another),
        };
        let mut bytes = Zeroizing::new(base32::decode(rest).ok_or(Unread::Mistyped)?);
        let (contents, sum) = bytes.split_last_chunk().ok_or(Unread::Mistyped)?;
        if self.sum(contents) != *sum {
            return Err(Unread::Mistyped);
        }
        let len = contents.len();
        bytes.truncate(len);
        Ok(bytes)
    }

    fn sum(&self, contents: &[u8]) -> [u8; 4] {
        let hash = Hash::new(self.checksum).field(contents).finish();
        *hash.first_chunk().expect("32 bytes")
    }
}

/// What chats put between and around the characters of a line.
fn is_from_a_chat(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '-' | '>' | '<' | '|' | '"' | '\'' | '`' | '*' | '_' | '.' | ','
        )
        || matches!(c, '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}')
        || matches!(
            c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
}
