//! The time for the first opening of cards of a match.

use std::time::Duration;

/// The time in which a seat opens its first cards of a match. After it, the seats go on to another proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstOpening {
    /// The time in the running clock of a [`Moment`](super::Moment), without the parts of other seats.
    pub until: Duration,
    /// The time that each part of another seat for the same opening adds.
    pub each: Duration,
}

impl FirstOpening {
    /// The number of other seats whose parts a seat needs to open its first cards now.
    pub(super) fn needed_at(&self, now: Duration) -> usize {
        match now.checked_sub(self.until) {
            None => 0,
            Some(_) if self.each.is_zero() => usize::MAX,
            Some(late) => (late.as_nanos() / self.each.as_nanos()) as usize + 1,
        }
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
        };
        let needed = [0, 29, 30, 32, 33, 35, 36].map(|now| opening.needed_at(seconds(now)));
        assert_eq!(needed, [0, 0, 1, 1, 2, 2, 3]);
        let each = Duration::ZERO;
        let needed = [29, 30].map(|now| FirstOpening { each, ..opening }.needed_at(seconds(now)));
        assert_eq!(needed, [0, usize::MAX]);
    }
}
