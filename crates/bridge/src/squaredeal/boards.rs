//! The board numbers of the sessions of a phase.

use std::fmt;
use std::str::FromStr;

use super::Problem;
use super::error::number;

/// The maximum number of boards in a set, a limit of Big Deal.
const MAX_BOARDS: u32 = 100;

/// The highest board number.
const MAX_NUMBER: u32 = 9999;

/// The range of the board numbers of a set, which has at most 100 boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardRange {
    low: u32,
    high: u32,
}

impl BoardRange {
    /// The board numbers.
    pub fn numbers(self) -> std::ops::RangeInclusive<u32> {
        self.low..=self.high
    }
}

/// Formats the range as `LOW-HIGH`.
impl fmt::Display for BoardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.low, self.high)
    }
}

/// Parses `LOW-HIGH`, or a number `HIGH`, which means `1-HIGH`.
impl FromStr for BoardRange {
    type Err = Problem;

    fn from_str(text: &str) -> Result<BoardRange, Problem> {
        let (low, high) = text.split_once('-').unwrap_or(("1", text));
        let read = |text: &str| number(text).ok_or(Problem::Boards);
        let (low, high) = (read(low)?, read(high)?);
        if low == 0 || high < low {
            return Err(Problem::Boards);
        }
        if high <= MAX_NUMBER && high - low < MAX_BOARDS {
            Ok(BoardRange { low, high })
        } else {
            Err(Problem::TooManyBoards)
        }
    }
}

/// The board numbers of the sessions of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boards {
    /// The organiser specifies the boards when a session is created.
    AskedLater,
    /// The sessions use the ranges in turn, and start again with the first range after the last.
    InTurn(Vec<BoardRange>),
}

impl Boards {
    /// The board numbers of the session with the given number, counted from 1. `asked` are the
    /// boards that the organiser specified later, if any.
    pub(super) fn of(&self, session: u32, asked: Option<BoardRange>) -> Option<BoardRange> {
        match self {
            Boards::AskedLater => asked,
            // There is at least one range.
            Boards::InTurn(ranges) => Some(ranges[(session as usize - 1) % ranges.len()]),
        }
    }
}

/// Parses `?`, a number, or ranges separated by commas.
impl FromStr for Boards {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Boards, Problem> {
        if text == "?" {
            return Ok(Boards::AskedLater);
        }
        let ranges: Result<_, _> = text.split(',').map(str::parse).collect();
        Ok(Boards::InTurn(ranges?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, sessions: std::ops::Range<u32>) -> Vec<String> {
        let boards: Boards = text.parse().unwrap();
        let ranges = sessions.map(|session| boards.of(session, None).unwrap().to_string());
        ranges.collect()
    }

    #[test]
    fn sessions_use_the_ranges_in_turn() {
        assert_eq!(of("20", 1..3), ["1-20", "1-20"]);
        assert_eq!(of("1-7,8-14,15-21", 1..5), ["1-7", "8-14", "15-21", "1-7"]);
    }

    #[test]
    fn boards_asked_later_come_from_the_organiser() {
        let boards: Boards = "?".parse().unwrap();
        let given: BoardRange = "17-32".parse().unwrap();
        assert_eq!(boards.of(1, Some(given)), Some(given));
        assert_eq!(boards.of(1, None), None);
    }

    #[test]
    fn invalid_boards_are_rejected() {
        for text in [
            "",
            "0",
            "-",
            "1-",
            "-7",
            "7-1",
            "1-7,",
            "x",
            "1-7-9",
            "+7",
            "07",
            "3x7",
            "1,?",
            "99999999999",
        ] {
            assert_eq!(text.parse::<Boards>(), Err(Problem::Boards), "{text}");
        }
        for text in ["101", "1-101", "9999-10000"] {
            assert_eq!(
                text.parse::<Boards>(),
                Err(Problem::TooManyBoards),
                "{text}"
            );
        }
        assert!("1-100,9900-9999".parse::<Boards>().is_ok());
    }
}
