//! Texts of one line that people send to each other, such as invites: a word, a version, and bytes
//! in base32 with a checksum. Chat programs wrap and quote lines, so white space, quotation marks
//! and quote prefixes such as `>` are ignored.

use zeroize::Zeroizing;

use super::base32;
use crate::hash::Hash;

/// A kind of text, such as an invite.
pub(crate) struct Kind {
    /// The first word, in small letters and without hyphens. The word must contain an `l`, which is
    /// not in the base32 alphabet.
    pub(crate) word: &'static str,
    /// The first word as it is written.
    pub(crate) shown: &'static str,
    pub(crate) version: char,
    /// The tag of the checksum's hash.
    pub(crate) checksum: &'static str,
    /// The maximum length of a text in bytes, with room for a quote prefix on each line.
    pub(crate) max_len: usize,
}

/// The reason why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadText {
    /// The text does not contain the word of this kind.
    NotThisKind,
    /// The text was made by a program of another version.
    OtherVersion,
    /// A character is wrong, or the end of the text is missing.
    Mistyped,
}

impl Kind {
    /// Encodes the contents.
    pub(crate) fn write(&self, contents: &[u8]) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(contents.len() + 4));
        bytes.extend_from_slice(contents);
        bytes.extend_from_slice(&self.sum(contents));
        let text = Zeroizing::new(base32::encode(&bytes));
        Zeroizing::new(format!("{}{}-{}", self.shown, self.version, *text))
    }

    /// Decodes the contents of a text.
    pub(crate) fn read(&self, text: &str) -> Result<Zeroizing<Vec<u8>>, BadText> {
        if text.len() > self.max_len {
            return Err(BadText::NotThisKind);
        }
        let kept = text.chars().filter(|&c| !is_added_by_chats(c));
        let text = Zeroizing::new(kept.collect::<String>().to_ascii_lowercase());
        // Use the last occurrence of the word: a command with the same word may come first, and
        // base32 text cannot contain the word.
        let (_, rest) = text.rsplit_once(self.word).ok_or(BadText::NotThisKind)?;
        let rest = match rest.strip_prefix(self.version) {
            Some(rest) => rest,
            None if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(BadText::OtherVersion);
            }
            None => return Err(BadText::NotThisKind),
        };
        let mut bytes = Zeroizing::new(base32::decode(rest).ok_or(BadText::Mistyped)?);
        let (contents, sum) = bytes.split_last_chunk().ok_or(BadText::Mistyped)?;
        if self.sum(contents) != *sum {
            return Err(BadText::Mistyped);
        }
        let len = contents.len();
        bytes.truncate(len);
        Ok(bytes)
    }

    fn sum(&self, contents: &[u8]) -> [u8; 4] {
        let hash = Hash::new(self.checksum).field(contents).finish();
        *hash.first_chunk().expect("the hash has 32 bytes")
    }
}

/// Whether chat programs may add this character to a text.
fn is_added_by_chats(c: char) -> bool {
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
