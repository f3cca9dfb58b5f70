//! The time banks of a match as text, so that they survive a restart of the program. A player who edits
//! this text changes only the clocks of this side.

use std::time::Duration;

use dealerless_table::Seat;

use crate::seat::TableView;
use crate::story::SeatView;

/// The time banks of all seats, and the own turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banks {
    /// The time in each bank in milliseconds, by seat. Empty in a match without a clock.
    left: Vec<u64>,
    /// The step of the own turn, and the Unix time in seconds at which it was first shown.
    turn: Option<(u64, u64)>,
}

/// The smallest change that is stored, in milliseconds.
const MIN_CHANGE: u64 = 1000;

impl Banks {
    /// Returns the banks as this side counts them, and its own turn.
    pub fn of(table: &impl TableView) -> Self {
        let seats = Seat::all(table.play().log().match_info().seats());
        let left = seats.filter_map(|seat| table.bank_to_store(seat));
        Banks {
            left: left.map(|left| left.as_millis() as u64).collect(),
            turn: table.own_turn(),
        }
    }

    /// Returns the banks as this side counts them, if they have changed enough to be stored again.
    pub fn changed(&self, table: &impl TableView) -> Option<Self> {
        let now = Banks::of(table);
        let mut pairs = now.left.iter().zip(&self.left);
        let changed = pairs.any(|(now, kept)| kept.abs_diff(*now) >= MIN_CHANGE);
        (changed || now.turn != self.turn).then_some(now)
    }

    /// Formats the banks as text: a line with a number for each seat, and, in the own turn, a line with
    /// its step and its first second.
    pub fn text(&self) -> String {
        let left: Vec<String> = self.left.iter().map(u64::to_string).collect();
        let turn = self.turn.map(|(step, began)| format!("{step} {began}\n"));
        left.join(" ") + "\n" + &turn.unwrap_or_default()
    }

    /// Returns what [`text`](Self::text) has formatted. An invalid text has no banks and no turn.
    pub fn stored(text: &str) -> Self {
        let numbers = |line: &str| -> Option<Vec<u64>> {
            let words = line.split_whitespace();
            words.map(|word| word.parse().ok()).collect()
        };
        let lines: Option<Vec<Vec<u64>>> = text.lines().map(numbers).collect();
        let mut lines = lines.unwrap_or_default().into_iter();
        let left = lines.next().unwrap_or_default();
        let turn = lines.next().and_then(|turn| match turn[..] {
            [step, began] => Some((step, began)),
            _ => None,
        });
        Banks { left, turn }
    }

    /// Returns the banks in order of the seats, and the own turn, as a table restores them.
    pub fn to_restore(&self) -> (Vec<Duration>, Option<(u64, u64)>) {
        let left = self.left.iter().copied().map(Duration::from_millis);
        (left.collect(), self.turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_round_trip_as_text() {
        for turn in [None, Some((17, 1_800_000_000))] {
            let left = vec![60_000, 1];
            let banks = Banks { left, turn };
            assert_eq!(Banks::stored(&banks.text()), banks);
        }
        assert_eq!(Banks::stored("60000 x"), Banks::default());
        let (left, turn) = Banks::stored("60000 1").to_restore();
        assert_eq!(left, [60_000, 1].map(Duration::from_millis));
        assert_eq!(turn, None);
    }
}
