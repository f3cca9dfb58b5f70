//! Hands of boards: where they lie, how they are called, and how one names them.

use dealerless_bridge::Compass;

/// What lies at a position: `card 3`, as people count from 1, or of boards `the South hand of board 3`.
pub fn name(boards: bool, position: usize) -> String {
    if !boards {
        return format!("card {}", position + 1);
    }
    let (board, seat) = place(position);
    format!("the {} hand of board {board}", seat_name(seat))
}

/// The number of the board, from 1, and the seat.
pub fn place(position: usize) -> (usize, Compass) {
    (position / 4 + 1, Compass::ALL[position % 4])
}

/// Where the hand of a seat lies; the boards are counted from 1.
pub fn position(board: usize, seat: Compass) -> usize {
    4 * (board - 1) + seat as usize
}

/// The name of a seat of a board.
pub fn seat_name(seat: Compass) -> &'static str {
    match seat {
        Compass::North => "North",
        Compass::East => "East",
        Compass::South => "South",
        Compass::West => "West",
    }
}

/// A board in one line of a screen, with its hands as PBN has them: from North on, clockwise.
pub fn whole_board<T: AsRef<str>>(board: usize, hands: &[T]) -> String {
    let hands: Vec<&str> = hands.iter().map(AsRef::as_ref).collect();
    let number = format!("Board {board}");
    format!("{number:<9} N:{}", hands.join(" "))
}

/// Hands and who is to see them, in few words: `boards 1-4 to all`, `North and South of board 7 to you`. The
/// positions rise.
pub fn proposed<T: PartialEq + Copy>(reveals: &[(usize, T)], to: impl Fn(T) -> String) -> String {
    // For whom, which seats, and the boards from one to another.
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
        let boards = match first == last {
            true => format!("board {first}"),
            false => format!("boards {first}-{last}"),
        };
        let names: Vec<&str> = seats.iter().map(|&seat| seat_name(seat)).collect();
        let of = match names.len() {
            4 => boards,
            _ => format!("{} of {boards}", names.join(" and ")),
        };
        format!("{of} to {}", to(*learner))
    };
    groups.iter().map(group).collect::<Vec<_>>().join(", ")
}

/// Each learner once, in the order in which they come.
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
    fn a_hand_has_a_name() {
        assert_eq!(name(true, 0), "the North hand of board 1");
        assert_eq!(name(true, 11), "the West hand of board 3");
        assert_eq!(name(false, 11), "card 12");
    }
}
