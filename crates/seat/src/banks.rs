//! The time banks of a match as text, so that they survive a restart of the program. A player who edits
//! this text changes only the clocks of this side.

use std::time::Duration;

use dealerless_table::Seat;

use crate::seat::TableView;
use crate::story::SeatView;

/// The time banks of all seats, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banks(Vec<u64>);

/// The smallest change that is stored, in milliseconds.
const MIN_CHANGE: u64 = 1000;

impl Banks {
    /// Returns the banks as this side counts them. There are none in a match without a clock.
    pub fn of(table: &impl TableView) -> Self {
        let seats = Seat::all(table.play().log().match_info().seats());
        let left = seats.filter_map(|seat| table.time_left(seat));
        Banks(left.map(|left| left.bank.as_millis() as u64).collect())
    }

    /// Returns the banks as this side counts them, if they have changed enough to be stored again.
    pub fn changed(&self, table: &impl TableView) -> Option<Self> {
        let now = Banks::of(table);
        let mut pairs = now.0.iter().zip(&self.0);
        let changed = pairs.any(|(now, kept)| kept.abs_diff(*now) >= MIN_CHANGE);
        changed.then_some(now)
    }

    /// Formats the banks as text: a number for each seat.
    pub fn text(&self) -> String {
        let text: Vec<String> = self.0.iter().map(u64::to_string).collect();
        text.join(" ") + "\n"
    }

    /// Returns the banks of a stored text, in order of the seats. There are none in an invalid text.
    pub fn stored(text: &str) -> Vec<Duration> {
        let banks: Option<Vec<u64>> = text
            .split_whitespace()
            .map(|word| word.parse().ok())
            .collect();
        let banks = banks.unwrap_or_default().into_iter();
        banks.map(Duration::from_millis).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_round_trip_as_text() {
        let stored = Banks::stored(&Banks(vec![60_000, 1]).text());
        assert_eq!(stored, [60_000, 1].map(Duration::from_millis));
        assert_eq!(Banks::stored("60000 x"), []);
    }
}
