//! The time for the first opening of cards of a match.

use std::time::Duration;

use crate::seat::SeatSet;

/// The time limit for the first cards that a seat opens in a match. After it, the seats go on to another proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstOpening {
    /// The limit without parts of other seats, in the running clock of a [`Moment`](super::Moment).
    pub until: Duration,
    /// The time that each part of another seat for the same opening adds to the limit.
    pub each: Duration,
    /// The seats whose parts add time.
    pub seats: SeatSet,
    /// The number of these parts that are needed even before the limit.
    pub least: usize,
}

impl FirstOpening {
    /// The number of other seats whose parts a seat needs to open its first cards now.
    pub fn needed_at(&self, now: Duration) -> usize {
        let in_time = match now.checked_sub(self.until) {
            None => 0,
            Some(_) if self.each.is_zero() => usize::MAX,
            Some(late) => (late.as_nanos() / self.each.as_nanos()) as usize + 1,
        };
        in_time.max(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_another_seat_adds_time() {
        let seconds = Duration::from_secs;
        let opening = FirstOpening {
            until: seconds(30),
            each: seconds(3),
            seats: SeatSet::default(),
            least: 0,
        };
        let needed = [0, 29, 30, 32, 33, 35, 36].map(|now| opening.needed_at(seconds(now)));
        assert_eq!(needed, [0, 0, 1, 1, 2, 2, 3]);
        let each = Duration::ZERO;
        let needed = [29, 30].map(|now| FirstOpening { each, ..opening }.needed_at(seconds(now)));
        assert_eq!(needed, [0, usize::MAX]);
        let least = 2;
        let needed =
            [0, 30, 36].map(|now| FirstOpening { least, ..opening }.needed_at(seconds(now)));
        assert_eq!(needed, [2, 2, 3]);
    }
}
