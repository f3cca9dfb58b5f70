//! The lines of the screen about the hands of boards that become visible.

use std::collections::BTreeMap;

use dealerless_seat::hands;

/// The hands of boards that the player has seen.
#[derive(Default)]
pub(super) struct HandsSeen {
    by_position: BTreeMap<usize, String>,
    /// Hands of one board, visible to the same players, that are not on the screen yet. Up to four
    /// share a line.
    pending: Vec<(usize, String)>,
    /// Whether only this player sees the pending hands.
    only_you: bool,
}

impl HandsSeen {
    /// Adds a hand that has become visible. Returns the line about the pending hands if this hand
    /// cannot share their line, and the line about this hand if its board is complete.
    pub(super) fn add(&mut self, position: usize, hand: &str, only_you: bool) -> Vec<String> {
        let (board, _) = hands::place(position);
        let same = |(last, _): &(usize, String)| hands::place(*last).0 == board;
        let same_line = self.only_you == only_you && self.pending.last().is_some_and(same);
        let mut lines = Vec::new();
        if !same_line {
            lines.extend(self.flush());
        }
        self.only_you = only_you;
        self.by_position.insert(position, hand.to_owned());
        self.pending.push((position, hand.to_owned()));
        if self.whole(board).is_some() {
            lines.extend(self.flush());
        }
        lines
    }

    /// The line about the pending hands, if there are any.
    pub(super) fn flush(&mut self) -> Option<String> {
        let pending = std::mem::take(&mut self.pending);
        let (board, _) = hands::place(pending.first()?.0);
        if let Some(whole) = self.whole(board).filter(|_| !self.only_you) {
            return Some(whole);
        }
        let hand = |(position, hand): &(usize, String)| {
            let (_, seat) = hands::place(*position);
            format!("{} {hand}", hands::seat_name(seat))
        };
        let all: Vec<String> = pending.iter().map(hand).collect();
        let whose = match (self.only_you, all.len()) {
            (false, _) => "",
            (true, 1) => " (only you see it)",
            (true, _) => " (only you see them)",
        };
        Some(format!("Board {board}: {}{whose}", all.join(", ")))
    }

    /// The board in PBN, clockwise from North, if all four hands are visible.
    fn whole(&self, board: usize) -> Option<String> {
        let hands: Option<Vec<&str>> = (4 * board - 4..4 * board)
            .map(|position| self.by_position.get(&position).map(String::as_str))
            .collect();
        Some(hands::whole_board(board, &hands?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDS: [&str; 4] = [
        "J2.AQ.A7652.J543",
        "QT87.T8.KJ843.A2",
        "6543.J42.Q9.QT76",
        "AK9.K97653.T.K98",
    ];

    fn lines_of(hands: &[(usize, bool)]) -> Vec<String> {
        let mut seen = HandsSeen::default();
        let mut lines = Vec::new();
        for &(position, only_you) in hands {
            lines.extend(seen.add(position, HANDS[position % 4], only_you));
        }
        lines.extend(seen.flush());
        assert_eq!(seen.flush(), None);
        lines
    }

    #[test]
    fn a_board_open_to_all_takes_one_line() {
        let last_of_100: Vec<(usize, bool)> = (396..400).map(|hand| (hand, false)).collect();
        let line = format!("Board 100 N:{}", HANDS.join(" "));
        assert_eq!(lines_of(&last_of_100), [line.as_str()]);
        assert!(line.len() <= crate::output::MAX_WIDTH);
        let two: Vec<(usize, bool)> = (0..8).map(|hand| (hand, false)).collect();
        let lines = [1, 2].map(|board| format!("Board {board}   N:{}", HANDS.join(" ")));
        assert_eq!(lines_of(&two), lines);
    }

    #[test]
    fn hands_of_one_board_with_the_same_viewers_share_a_line() {
        let north_and_south = "Board 1: North J2.AQ.A7652.J543, South 6543.J42.Q9.QT76";
        assert_eq!(
            lines_of(&[(0, true), (2, true), (5, true), (8, false)]),
            [
                &format!("{north_and_south} (only you see them)"),
                "Board 2: East QT87.T8.KJ843.A2 (only you see it)",
                "Board 3: North J2.AQ.A7652.J543",
            ]
        );
        let whole = format!("Board 1   N:{}", HANDS.join(" "));
        assert_eq!(
            lines_of(&[(0, true), (2, true), (1, false), (3, false)]),
            [format!("{north_and_south} (only you see them)"), whole]
        );
    }
}
