//! Which boards the sessions of a phase have.

use std::fmt;
use std::str::FromStr;

use super::Problem;
use super::error::number;

/// The most boards of a set: Big Deal makes no more at a time.
const MAX_BOARDS: u32 = 100;

/// The highest number of a board.
const MAX_NUMBER: u32 = 9999;

/// The boards of a set: at most 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardRange {
    low: u32,
    high: u32,
}

impl BoardRange {
    /// The numbers of the boards.
    pub fn numbers(self) -> std::ops::RangeInclusive<u32> {
        self.low..=self.high
    }
}

/// As `LOW-HIGH`.
impl fmt::Display for BoardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.low, self.high)
    }
}

/// `LOW-HIGH`, or a number, which means all boards from 1 on.
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

/// The boards of the sessions of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boards {
    /// The organiser says it when a session is made.
    AskedLater,
    /// Those of the first session, of the second, and so on, and then again from the first.
    InTurn(Vec<BoardRange>),
}

impl Boards {
    /// Those of a session, from 1 on; `asked` if the organiser has said them later.
    pub(super) fn of(&self, session: u32, asked: Option<BoardRange>) -> Option<BoardRange> {
        match self {
            Boards::AskedLater => asked,
            // There is at least one.
            Boards::InTurn(ranges) => Some(ranges[(session as usize - 1) % ranges.len()]),
        }
    }
}

/// `?`, a number, or ranges with commas between them.
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
    fn the_sessions_of_a_phase_take_the_ranges_in_turn() {
        assert_eq!(of("20", 1..3), ["1-20", "1-20"]);
        assert_eq!(of("1-7,8-14,15-21", 1..5), ["1-7", "8-14", "15-21", "1-7"]);
    }

    #[test]
    fn boards_that_are_asked_later_are_those_that_were_said() {
        let boards: Boards = "?".parse().unwrap();
        let said: BoardRange = "17-32".parse().unwrap();
        assert_eq!(boards.of(1, Some(said)), Some(said));
        assert_eq!(boards.of(1, None), None);
    }

    #[test]
    fn what_are_no_boards_is_refused() {
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
