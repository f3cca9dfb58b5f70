//! Names that players choose.

use std::fmt;

use super::fingerprint::Fingerprint;
use crate::wire::Malformed;

/// A name that a player chose. It is shown but never trusted: only keys identify a player.
///
/// A name has 1 to 32 characters. Characters that could change how a screen or a file is displayed
/// (control characters, direction marks, zero-width characters) are removed, and any white space
/// becomes a single space.
///
/// [`Display`](fmt::Display) writes the name for use in a sentence: in quotation marks, unless it is one or
/// two plain words, shorter than a fingerprint and without a digit at its beginning. So the name
/// `Anna left the match. Bert` cannot be mistaken for sentences of the program, and a name in the form of a
/// fingerprint or a code cannot be mistaken for one. [`as_str`](Self::as_str) returns the name without
/// quotation marks, for files and programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(String);

impl Name {
    /// The maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 4 * Self::MAX_CHARS;
    const MAX_CHARS: usize = 32;
    /// The length of a fingerprint without separators.
    const FINGERPRINT_CHARS: usize = Fingerprint::LEN * 8 / 5;

    /// Makes a name from any text. The name is `nameless` if no character is left.
    pub fn clean(given: &str) -> Self {
        let short: String = visible(given).chars().take(Self::MAX_CHARS).collect();
        match short.trim_end() {
            "" => Name("nameless".into()),
            name => Name(name.into()),
        }
    }

    /// Parses the name by which the user refers to a player. `None` if the text has the form of a fingerprint
    /// or a code, or is longer than a name, as invites and links are. A player could otherwise choose the
    /// fingerprint of another player as its name, and be taken for that player.
    pub fn typed(text: &str) -> Option<Self> {
        let text = visible(text);
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let first = words.find(|word| !word.is_empty());
        let is_number = |word: &str| word.bytes().all(|c| c.is_ascii_digit());
        let is_code = first.is_some_and(is_number) && words.any(|word| !word.is_empty());
        let is_name = text.chars().count() <= Self::MAX_CHARS
            && Fingerprint::parse_unchecked(&text).is_none()
            && !is_code;
        is_name.then(|| Self::clean(&text))
    }

    /// Decodes a name in a message or a file. Each name has one encoding: itself, [clean](Self::clean).
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let name = Self::clean(str::from_utf8(bytes).map_err(|_| Malformed)?);
        match name.0.as_bytes() == bytes {
            true => Ok(name),
            false => Err(Malformed),
        }
    }

    /// The name without quotation marks.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name needs no quotation marks in a sentence.
    fn is_plain(&self) -> bool {
        self.0.split(' ').count() <= 2
            && self.0.split(' ').all(is_plain_word)
            && self.0.chars().count() < Self::FINGERPRINT_CHARS
            && !self.0.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// The visible characters of a text, with single spaces between its words. Ignores all but the start of
/// a very long text.
fn visible(text: &str) -> String {
    let text = text.chars().take(8 * Name::MAX_CHARS);
    let spaced: String = text
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|&c| !is_harmful(c))
        .collect();
    let words: Vec<&str> = spaced.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(&self.0);
        }
        let unquoted = |c| if is_quotation_mark(c) { '\'' } else { c };
        let inside: String = self.0.chars().map(unquoted).collect();
        write!(f, "\"{inside}\"")
    }
}

/// Whether the word has only letters and digits, with single hyphens, underscores, apostrophes or
/// full stops between them.
fn is_plain_word(word: &str) -> bool {
    let mut pieces = word.split(['-', '_', '\'', '.']);
    pieces.all(|piece| !piece.is_empty() && piece.chars().all(char::is_alphanumeric))
}

/// Whether a character could be mistaken for the closing quotation mark.
fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\u{ab}' | '\u{bb}' | '\u{2ba}' | '\u{2dd}' | '\u{2ee}' | '\u{2033}' | '\u{2036}'
        | '\u{201c}'..='\u{201f}' | '\u{275d}' | '\u{275e}' | '\u{301d}'..='\u{301f}' | '\u{ff02}')
}

/// Whether a character is invisible or affects how text is displayed.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_letters_and_loses_control_characters() {
        let cases = [
            ("Anna", "Anna"),
            ("  Anna \t Berta\n", "Anna Berta"),
            ("\u{1b}[31mred", "[31mred"),
            ("abc\u{202e}fed\u{2066}", "abcfed"),
            ("a\u{200b}\u{feff}b", "ab"),
            ("Ωμέγα 王", "Ωμέγα 王"),
            ("", "nameless"),
            ("\u{7}\u{202e} ", "nameless"),
            ("\u{2800}\u{1d159}\u{17b4}\u{1bca0}", "nameless"),
            ("\u{1d173}A\u{13430}\u{110bd}", "A"),
        ];
        for (given, name) in cases {
            assert_eq!(Name::clean(given).as_str(), name);
        }
    }

    #[test]
    fn a_name_that_looks_like_a_sentence_is_quoted() {
        for plain in [
            "Anna",
            "Anna Berta",
            "Mary-Ann O'Neil",
            "bot_2",
            "j.smith",
            "王小明",
        ] {
            assert_eq!(Name::clean(plain).to_string(), plain);
        }
        let cases = [
            ("Anna left the match. Bert", "\"Anna left the match. Bert\""),
            ("Bert. Anna", "\"Bert. Anna\""),
            ("Anna wins 20", "\"Anna wins 20\""),
            ("Bert: folds", "\"Bert: folds\""),
            ("Bert\" left. \u{201c}Anna", "\"Bert' left. 'Anna\""),
            ("- -", "\"- -\""),
            ("a\u{301}", "\"a\u{301}\""),
            ("7-crossbow-guitar", "\"7-crossbow-guitar\""),
            (FINGERPRINT, "\"15b6-bd02-6a7y-t711-6453-knx7\""),
        ];
        for (given, shown) in cases {
            assert_eq!(Name::clean(given).to_string(), shown);
        }
    }

    const FINGERPRINT: &str = "15b6-bd02-6a7y-t711-6453-knx7";

    #[test]
    fn a_text_that_looks_like_a_fingerprint_a_code_an_invite_or_a_link_means_no_name() {
        let invite = format!("dealerless2-{}", "0".repeat(110));
        let shown = FINGERPRINT.to_uppercase();
        let texts = [
            FINGERPRINT.to_owned(),
            FINGERPRINT.replace('-', ""),
            FINGERPRINT.replace('-', " "),
            FINGERPRINT.replace('-', "\u{2013}"),
            format!("\"{shown}\""),
            format!("15b6\u{200b}{}", &FINGERPRINT[4..]),
            // Its checksum is wrong.
            FINGERPRINT.replace('7', "8"),
            "7-crossbow-guitar".into(),
            " 7 crossbow_guitar".into(),
            format!("https://cards.example.org/#{invite}"),
            invite,
        ];
        for text in texts {
            assert_eq!(Name::typed(&text), None, "{text}");
            // A player may have this name, in quotation marks.
            assert!(Name::clean(&text).to_string().starts_with('"'), "{text}");
        }
        for name in [
            "Anna",
            " Anna  Berta\n",
            "bot_2",
            "2Pac",
            "007",
            "4j8m-x2dk",
            "王小明",
            "",
        ] {
            assert_eq!(Name::typed(name), Some(Name::clean(name)));
        }
    }

    #[test]
    fn a_name_is_short_and_cleaning_is_idempotent() {
        let name = Name::clean(&"ab \u{10000}".repeat(1000));
        assert!(name.as_str().chars().count() <= 32);
        assert!(name.as_str().len() <= Name::MAX_BYTES);
        assert_eq!(Name::clean(name.as_str()), name);
        assert_eq!(Name::decode(name.as_str().as_bytes()), Ok(name));
        for given in ["", " A", "A  B", "A\n", "A\u{202e}"].map(str::as_bytes) {
            assert_eq!(Name::decode(given), Err(Malformed));
        }
        assert_eq!(Name::decode(b"\xff\xfeA"), Err(Malformed));
    }
}
