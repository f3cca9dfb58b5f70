//! The sets of boards of a session.

use super::super::big_deal::{Generator, SEED_BYTES, hash};
use super::super::{Board, Order};
use super::{BoardRange, Description, Keys, Phase};

/// One of the two sets of boards of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The boards for regular play.
    Original,
    /// The boards for play if the original set cannot be used.
    Reserve,
}

/// One of the two sets of boards of a session, whose key and board numbers are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session<'a> {
    phase: &'a Phase,
    number: u32,
    set: Set,
    boards: BoardRange,
    /// The first half of the key, which is the owner for Big Deal's generator.
    owner: &'a str,
    seed: [u8; SEED_BYTES],
}

impl Description {
    /// The `set` of a session. The numbers of the phase and of the session count from 1. `value` is
    /// the awaited value. `asked` are the board numbers of the session, if the description does not
    /// state them.
    ///
    /// `None` if the session does not exist, or if its key or its board numbers are unknown.
    pub fn session<'a>(
        &'a self,
        keys: &'a Keys,
        [phase, number]: [u32; 2],
        set: Set,
        value: &[u8],
        asked: Option<BoardRange>,
    ) -> Option<Session<'a>> {
        let phase_number = phase;
        let phase = self.phases().get(phase.checked_sub(1)? as usize)?;
        let exists = number >= 1 && phase.sessions.is_none_or(|sessions| number <= sessions);
        let boards = exists.then(|| phase.boards.of(number, asked)).flatten()?;
        let key = keys.get(phase_number, phase.sessions.map_or(0, |_| number))?;
        // Keys are ASCII, so each index is a character boundary.
        let (owner, rest) = key.split_at(key.len() / 2);
        let mut hashed = format!("{rest}{}", base64(value));
        hashed += match set {
            Set::Original => "original",
            Set::Reserve => "reserve",
        };
        if phase.sessions.is_none() {
            hashed += &format!("ses{number}");
        }
        let seed = hash(hashed.as_bytes());
        Some(Session {
            phase,
            number,
            set,
            boards,
            owner,
            seed,
        })
    }
}

impl Session<'_> {
    /// The name of the session's file, without an extension.
    pub fn file_name(&self) -> String {
        let name = filled(&self.phase.prefix, self.number);
        match self.set {
            Set::Original => name,
            Set::Reserve => name + "reserve",
        }
    }

    /// The organiser's description of the session.
    pub fn description(&self) -> String {
        filled(&self.phase.description, self.number)
    }

    /// The owner for Big Deal's generator: the first half of the key.
    pub fn owner(&self) -> &str {
        self.owner
    }

    /// The seed for Big Deal's generator.
    pub fn seed(&self) -> [u8; SEED_BYTES] {
        self.seed
    }

    /// The range of the board numbers.
    pub(super) fn range(&self) -> BoardRange {
        self.boards
    }

    /// The boards, as dealt by Big Deal's generator.
    pub fn boards(&self) -> impl Iterator<Item = Board> {
        let numbers = Generator::new(self.seed, self.owner.as_bytes());
        let boards = self.boards.numbers().zip(numbers);
        boards.map(|(number, of_deal)| Board {
            number,
            deal: of_deal.deal(Order::BigDeal),
        })
    }
}

/// Replaces the first run of `#` in `text` with `number`, padded with zeros to the length of the
/// run.
fn filled(text: &str, number: u32) -> String {
    let Some(begin) = text.find('#') else {
        return text.to_owned();
    };
    let (before, row) = text.split_at(begin);
    let after = row.trim_start_matches('#');
    let width = row.len() - after.len();
    format!("{before}{number:0>width$}{after}")
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut padded = [0; 3];
        padded[..group.len()].copy_from_slice(group);
        let bits = padded
            .iter()
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        for digit in 0..4 {
            text.push(if digit <= group.len() {
                char::from(DIGITS[bits >> (18 - 6 * digit) & 63])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_matches_the_standard() {
        let known = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        for (length, text) in known.into_iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn run_of_number_signs_becomes_a_padded_number() {
        assert_eq!(filled("A##B#", 7), "A07B#");
        assert_eq!(filled("#", 123), "123");
        assert_eq!(filled("none", 1), "none");
    }
}
