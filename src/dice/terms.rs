//! The terms of a roll: its purpose, its number and its dice.

use std::fmt;
use std::str::FromStr;

use super::roll::Reveal;

/// Some dice of one kind: `2d6` is two dice with six sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dice {
    count: u32,
    sides: u32,
}

impl Dice {
    /// The maximum number of dice in a roll.
    pub const MAX_COUNT: u32 = 1000;

    /// A roll of `count` dice (1 to [`MAX_COUNT`](Self::MAX_COUNT)) with `sides` sides (at least
    /// 1).
    ///
    /// # Errors
    /// [`DiceError::Bounds`] if a number is out of bounds.
    pub fn new(count: u32, sides: u32) -> Result<Self, DiceError> {
        if (1..=Self::MAX_COUNT).contains(&count) && sides >= 1 {
            Ok(Dice { count, sides })
        } else {
            Err(DiceError::Bounds)
        }
    }

    /// The number of dice.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The number of sides of each die.
    pub fn sides(self) -> u32 {
        self.sides
    }

    /// The faces, from 1: for each die, the sum of the values drawn by all parties, modulo the
    /// number of sides, plus 1. They are uniform if one party's values are uniform, and if all
    /// parties have committed to their values before any was revealed. `drawn` must have been
    /// [checked](Reveal::check).
    pub fn faces(self, drawn: &[&Reveal]) -> Vec<u32> {
        (0..self.count as usize)
            .map(|die| {
                let values = (drawn.iter()).map(|reveal| reveal.values.get(die).copied());
                let sum: u64 = values.map(|value| u64::from(value.unwrap_or(0))).sum();
                (sum % u64::from(self.sides)) as u32 + 1
            })
            .collect()
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d{}", self.count, self.sides)
    }
}

/// The reason why dice are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiceError {
    /// The text is not of the form `2d6`.
    #[error("expected dice such as 2d6: the number of dice, d, the number of sides")]
    Form,
    /// A number is out of bounds.
    #[error("a roll has 1 to {max} dice with 1 to {sides} sides", max = Dice::MAX_COUNT, sides = u32::MAX)]
    Bounds,
}

impl FromStr for Dice {
    type Err = DiceError;

    /// Reads `2d6`. A single die may be written `d6`.
    fn from_str(text: &str) -> Result<Self, DiceError> {
        let (count, sides) = text.split_once('d').ok_or(DiceError::Form)?;
        let count = if count.is_empty() { "1" } else { count };
        Self::new(number(count)?, number(sides)?)
    }
}

/// Parses a number that consists only of digits: `str::parse` would also accept a sign.
fn number(digits: &str) -> Result<u32, DiceError> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DiceError::Form);
    }
    digits.parse().map_err(|_| DiceError::Bounds)
}

/// The identification of a roll: if the parties' terms differ, neither reveal matches its
/// commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms<'a> {
    /// The purpose of the roll and the peer, such as the digest of a log or the id of a connection.
    /// Unless the channel authenticates the peer, nothing else ties the roll to the peer.
    pub context: &'a [u8],
    /// The number of the roll in this context. No two rolls may have the same number.
    pub number: u64,
    /// The dice.
    pub dice: Dice,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_parsed_as_they_are_printed() {
        for (text, count, sides) in [
            ("2d6", 2, 6),
            ("1d1", 1, 1),
            ("1000d4294967295", 1000, u32::MAX),
        ] {
            let dice: Dice = text.parse().unwrap();
            assert_eq!((dice.count(), dice.sides()), (count, sides));
            assert_eq!(dice.to_string(), text);
        }
        assert_eq!("d20".parse(), Dice::new(1, 20));
        for text in [
            "", "d", "2", "2d", "6d-1", "+2d6", "2d6d6", "2 d6", "2D6", "zd6",
        ] {
            assert_eq!(text.parse::<Dice>(), Err(DiceError::Form), "{text}");
        }
        for text in ["0d6", "2d0", "1001d6", "2d4294967296", "99999999999d6"] {
            assert_eq!(text.parse::<Dice>(), Err(DiceError::Bounds), "{text}");
        }
    }
}
