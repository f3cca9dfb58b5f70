//! Codes that can be spoken, such as `70213-crossbow-guitar`: the number of a room at a relay, and two or
//! four words of a list.
//!
//! The number is public. The words are the password of the exchange in [`spoken`](super::spoken): two of
//! 256 words, so one guess succeeds with probability 1/65 536, or four, with probability 1/2^32.

use std::fmt;
use std::str::FromStr;

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// 256 English words. No two of them are similar when they are spoken or mistyped.
const WORDS: &str = include_str!("words.txt");
/// The maximum length of the text of a code in bytes.
const MAX_LEN: usize = 100;
/// The largest number of a room.
const MAX_NUMBER: u32 = 999_999_999;

/// The number of words in a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeWords {
    /// Two words: a guess succeeds with probability 1/65 536.
    Two,
    /// Four words: a guess succeeds with probability 1/2^32.
    Four,
}

/// A code that can be spoken.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct SpokenCode {
    number: u32,
    /// The positions of the two or four words in the list.
    words: Vec<u8>,
}

/// The text is not a code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCode {
    /// The text is not a number and words.
    #[error(
        "this is not a code: a code is a number and two or four words, such as 70213-crossbow-guitar"
    )]
    NoCode,
    /// The number is 0 or too large.
    #[error("the number of a code is from 1 to {MAX_NUMBER}")]
    Number,
    /// The text starts like a code, but has another number of words.
    #[error(
        "a code is a number and two or four words, such as 70213-crossbow-guitar; this text has {0}"
    )]
    Count(usize),
    /// No code contains this word.
    #[error("no code contains the word `{0}`: check it with the host")]
    Word(String),
}

impl SpokenCode {
    /// Draws the words of a code for a room.
    pub(super) fn new(number: u32, words: CodeWords, rng: &mut impl CryptoRng) -> Self {
        let mut words = match words {
            CodeWords::Two => vec![0; 2],
            CodeWords::Four => vec![0; 4],
        };
        rng.fill_bytes(&mut words);
        SpokenCode { number, words }
    }

    /// The number of the room at the relay.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The password of the exchange: all words in small letters, with hyphens.
    pub(super) fn password(&self) -> Zeroizing<String> {
        // The capacity suffices, so that no copy remains.
        let mut password = Zeroizing::new(String::with_capacity(MAX_LEN));
        for (place, position) in self.words.iter().enumerate() {
            password.push_str(if place == 0 { "" } else { "-" });
            password.push_str(word(*position));
        }
        password
    }
}

/// Reads the number of a room, which has no sign and no leading zero.
pub(super) fn room_number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|c| c.is_ascii_digit());
    let number = text.parse().ok()?;
    (digits && !text.starts_with('0') && number <= MAX_NUMBER).then_some(number)
}

fn word(position: u8) -> &'static str {
    let word = WORDS.lines().nth(position.into());
    word.expect("the list has 256 words")
}

impl fmt::Display for SpokenCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.number, *self.password())
    }
}

/// Without the words.
impl fmt::Debug for SpokenCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpokenCode")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// Accepts capital letters, and spaces or other punctuation in place of hyphens.
impl FromStr for SpokenCode {
    type Err = BadCode;

    fn from_str(text: &str) -> Result<Self, BadCode> {
        if text.len() > MAX_LEN {
            return Err(BadCode::NoCode);
        }
        let text = Zeroizing::new(text.to_lowercase());
        let separators = |c: char| !c.is_alphanumeric();
        let mut parts = text.split(separators).filter(|part| !part.is_empty());
        let number = parts.next().ok_or(BadCode::NoCode)?;
        let words: Vec<&str> = parts.collect();
        let is_word = |word: &&str| word.chars().all(char::is_alphabetic);
        if !number.bytes().all(|c| c.is_ascii_digit())
            || words.is_empty()
            || !words.iter().all(is_word)
        {
            return Err(BadCode::NoCode);
        }
        if ![2, 4].contains(&words.len()) {
            return Err(BadCode::Count(words.len()));
        }
        let number = room_number(number.trim_start_matches('0')).ok_or(BadCode::Number)?;
        let position = |word: &str| {
            let position = WORDS.lines().position(|listed| listed == word);
            let position = position.and_then(|position| u8::try_from(position).ok());
            position.ok_or_else(|| BadCode::Word(word.to_owned()))
        };
        // The capacity is known, so that no copy remains.
        let mut positions = Vec::with_capacity(words.len());
        for word in words {
            positions.push(position(word)?);
        }
        Ok(SpokenCode {
            number,
            words: positions,
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    /// The number of insertions, deletions and replacements between two words.
    fn distance(a: &str, b: &str) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.bytes().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.bytes().enumerate() {
                let replaced = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn the_words_are_short_and_differ_in_three_letters_and_in_their_first_four() {
        let words: Vec<&str> = WORDS.lines().collect();
        assert_eq!(words.len(), 256);
        assert!(words.is_sorted());
        for (i, a) in words.iter().enumerate() {
            assert!((5..=9).contains(&a.len()) && a.bytes().all(|c| c.is_ascii_lowercase()));
            for b in &words[..i] {
                assert!(distance(a, b) >= 3 && a[..4] != b[..4], "{a} {b}");
            }
        }
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code: SpokenCode = "7-crossbow-guitar".parse().unwrap();
        for text in [
            "7 crossbow guitar",
            " 7-Crossbow-Guitar\n",
            "7–CROSSBOW–GUITAR.",
            "“07, crossbow, guitar”",
        ] {
            assert_eq!(text.parse(), Ok(code.clone()), "{text}");
        }
        assert_eq!(code.to_string(), "7-crossbow-guitar");
        assert_ne!("7-guitar-crossbow".parse(), Ok(code.clone()));
        assert_ne!("8-crossbow-guitar".parse(), Ok(code.clone()));
        let four: SpokenCode = "70213 Crossbow, guitar guitar crossbow".parse().unwrap();
        assert_eq!(four.to_string(), "70213-crossbow-guitar-guitar-crossbow");
        assert_eq!(*four.password(), "crossbow-guitar-guitar-crossbow");
        assert_eq!(four.to_string().parse(), Ok(four));
        assert_eq!(*code.password(), "crossbow-guitar");
    }

    #[test]
    fn every_code_round_trips() {
        for position in 0..=255_u8 {
            let words =
                [0, 1, 2, 3].map(|place| position.wrapping_mul(7 - place).wrapping_add(place));
            for (number, count) in [(1, 2), (10_000, 4), (MAX_NUMBER, 2), (MAX_NUMBER, 4)] {
                let words = words[..count].to_vec();
                let code = SpokenCode { number, words };
                assert_eq!(code.to_string().parse(), Ok(code));
            }
        }
    }

    #[test]
    fn an_unknown_word_and_other_texts_are_named() {
        let error = |text: &str| text.parse::<SpokenCode>().unwrap_err();
        assert_eq!(error("7-crosbow-guitar"), BadCode::Word("crosbow".into()));
        assert_eq!(error("7-crossbow-gitarre"), BadCode::Word("gitarre".into()));
        assert_eq!(error("7-crossbow"), BadCode::Count(1));
        assert_eq!(error("7-crossbow-guitar-guitar"), BadCode::Count(3));
        let five = "7-crossbow-guitar-guitar-crossbow-guitar";
        assert_eq!(error(five), BadCode::Count(5));
        assert_eq!(error("0-crossbow-guitar"), BadCode::Number);
        assert_eq!(error("99999999999-crossbow-guitar"), BadCode::Number);
        for text in [
            "",
            "7",
            "crossbow-guitar",
            "192.168.0.7:4000",
            "2001:db8::7",
            "dealerless2-abc",
            "٣-crossbow-guitar",
            &"7 ".repeat(100),
        ] {
            assert_eq!(error(text), BadCode::NoCode, "{text}");
        }
    }

    #[test]
    fn the_words_are_drawn_uniformly_and_debug_output_does_not_show_them() {
        let mut counts = [[0; 256]; 6];
        let rng = &mut StdRng::seed_from_u64(1);
        for _ in 0..256 * 64 {
            let codes =
                [CodeWords::Two, CodeWords::Four].map(|words| SpokenCode::new(7, words, rng));
            let drawn = codes.iter().flat_map(|code| &code.words);
            for (counts, word) in counts.iter_mut().zip(drawn) {
                counts[usize::from(*word)] += 1;
            }
        }
        // 64 on average, with a standard deviation of 8. The seed is fixed.
        assert!(
            counts
                .as_flattened()
                .iter()
                .all(|count| (8..120).contains(count))
        );
        let code: SpokenCode = "7-crossbow-guitar".parse().unwrap();
        assert!(!format!("{code:?}").contains("crossbow"));
    }
}
