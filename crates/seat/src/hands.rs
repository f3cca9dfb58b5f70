//! The hands of bridge boards: their positions and their names.

use dealerless_bridge::Compass;

use crate::words::Sentence;

/// Returns the name of a position: `card 3`, counted from 1, or `the South hand of board 3`.
pub fn name(boards: bool, position: usize) -> String {
    if !boards {
        return format!("card {}", position + 1);
    }
    let (board, seat) = place(position);
    format!("the {} hand of board {board}", seat_name(seat))
}

/// Returns the number of the board, counted from 1, and the seat.
pub fn place(position: usize) -> (usize, Compass) {
    (position / 4 + 1, Compass::ALL[position % 4])
}

/// Returns the position of a seat's hand. Boards are counted from 1.
pub fn position(board: usize, seat: Compass) -> usize {
    4 * (board - 1) + seat as usize
}

/// Returns the name of a seat of a board.
pub fn seat_name(seat: Compass) -> &'static str {
    match seat {
        Compass::North => "North",
        Compass::East => "East",
        Compass::South => "South",
        Compass::West => "West",
    }
}

/// Formats a board as one line of text, with its hands as in PBN: clockwise, starting with North.
pub fn whole_board<T: AsRef<str>>(board: usize, hands: &[T]) -> String {
    let hands: Vec<&str> = hands.iter().map(AsRef::as_ref).collect();
    let number = format!("Board {board}");
    format!("{number:<9} N:{}", hands.join(" "))
}

/// Describes hands and their learners, the seats that are to see them: `boards 1-4 to all`,
/// `North and South of board 7 to you`. `reveals` has the position and the learner of each hand, in
/// ascending order of the positions. `to` names a learner.
pub fn proposed<T: PartialEq + Copy>(
    reveals: &[(usize, T)],
    to: impl Fn(T) -> Sentence,
) -> Sentence {
    // For each group of similar boards: the learner, the seats of the hands, the first and last
    // board.
    let mut groups: Vec<(T, Vec<Compass>, (usize, usize))> = Vec::new();
    for learner in learners(reveals) {
        let mut boards: Vec<(usize, Vec<Compass>)> = Vec::new();
        for &(position, _) in reveals.iter().filter(|(_, to)| *to == learner) {
            let (board, seat) = place(position);
            match boards.last_mut() {
                Some((last, seats)) if *last == board => seats.push(seat),
                _ => boards.push((board, vec![seat])),
            }
        }
        for (board, seats) in boards {
            match groups.last_mut() {
                Some((of, same, (_, last)))
                    if *of == learner && *same == seats && *last + 1 == board =>
                {
                    *last = board;
                }
                _ => groups.push((learner, seats, (board, board))),
            }
        }
    }
    let group = |(learner, seats, (first, last)): &(T, Vec<Compass>, (usize, usize))| {
        let boards = if first == last {
            format!("board {first}")
        } else {
            format!("boards {first}-{last}")
        };
        let names: Vec<&str> = seats.iter().map(|&seat| seat_name(seat)).collect();
        let of = match names.len() {
            4 => boards,
            _ => format!("{} of {boards}", names.join(" and ")),
        };
        Sentence::from(format!("{of} to ")).and(to(*learner))
    };
    Sentence::joined(groups.iter().map(group), ", ")
}

/// The distinct learners, in order of their first appearance.
fn learners<T: PartialEq + Copy>(reveals: &[(usize, T)]) -> Vec<T> {
    let mut learners = Vec::new();
    for &(_, learner) in reveals {
        if !learners.contains(&learner) {
            learners.push(learner);
        }
    }
    learners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hands_and_cards_count_from_one() {
        assert_eq!(name(true, 0), "the North hand of board 1");
        assert_eq!(name(true, 11), "the West hand of board 3");
        assert_eq!(name(false, 11), "card 12");
    }
}
