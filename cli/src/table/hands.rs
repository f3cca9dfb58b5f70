//! Hands of boards: where they lie, how they are called, and how one names them.

use dealerless_bridge::Seat;

use super::event::Seated;

impl Seated {
    /// How many boards are dealt together, if that is what is played.
    pub(crate) fn boards(&self) -> Option<usize> {
        (self.game == "bridge").then_some(self.drawn / 4)
    }
}

/// What lies at a position: `card 3`, as people count from 1, or of boards `the South hand of board 3`.
pub(crate) fn name(boards: bool, position: usize) -> String {
    if !boards {
        return format!("card {}", position + 1);
    }
    let (board, seat) = place(position);
    format!("the {} hand of board {board}", seat_name(seat))
}

/// The number of the board, from 1, and the seat.
pub(crate) fn place(position: usize) -> (usize, Seat) {
    (position / 4 + 1, Seat::ALL[position % 4])
}

/// Where the hand of a seat lies; the boards are counted from 1.
pub(crate) fn position(board: usize, seat: Seat) -> usize {
    4 * (board - 1) + seat as usize
}

pub(crate) fn seat_name(seat: Seat) -> &'static str {
    match seat {
        Seat::North => "North",
        Seat::East => "East",
        Seat::South => "South",
        Seat::West => "West",
    }
}

/// A board in one line of a screen, with its hands as PBN has them: from North on, clockwise.
pub(crate) fn whole_board<T: AsRef<str>>(board: usize, hands: &[T]) -> String {
    let hands: Vec<&str> = hands.iter().map(AsRef::as_ref).collect();
    let number = format!("Board {board}");
    format!("{number:<9} N:{}", hands.join(" "))
}

/// Hands and who is to see them, in few words: `boards 1-4 to all`, `North and South of board 7 to you`. The
/// positions rise.
pub(crate) fn proposed<T: PartialEq + Copy>(
    reveals: &[(usize, T)],
    to: impl Fn(T) -> String,
) -> String {
    // For whom, which seats, and the boards from one to another.
    let mut groups: Vec<(T, Vec<Seat>, (usize, usize))> = Vec::new();
    for learner in learners(reveals) {
        let mut boards: Vec<(usize, Vec<Seat>)> = Vec::new();
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
    let group = |(learner, seats, (first, last)): &(T, Vec<Seat>, (usize, usize))| {
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

/// What the words of a proposal name: `1-4 all`, `7 ns me ew them`, or `all` alone for every board. `to`
/// reads who is to see it. Gives the positions and who is to see each; in rising order.
///
/// `None` if the words name no hands.
pub(crate) fn read<T: Copy>(
    words: &[&str],
    boards: usize,
    to: impl Fn(&str) -> Option<T>,
) -> Option<Vec<(u16, T)>> {
    let mut named = Vec::new();
    let (mut ranges, mut seats) = (Vec::new(), Seat::ALL.to_vec());
    // Whether the boards that are named have been given to somebody, and whether seats have not.
    let (mut given, mut seats_wait) = (false, false);
    for &word in words {
        if word == "to" {
            continue;
        }
        if let Some(range) = range(word, boards).filter(|_| !seats_wait) {
            if std::mem::take(&mut given) {
                ranges.clear();
            }
            ranges.push(range);
        } else if let Some(learner) = to(word) {
            let whole = [(1, boards)];
            let ranges = if ranges.is_empty() {
                &whole[..]
            } else {
                &ranges
            };
            for &(first, last) in ranges {
                for board in first..=last {
                    let hands = seats.iter().map(|&seat| position(board, seat));
                    named.extend(hands.map(|hand| (hand, learner)));
                }
            }
            (given, seats_wait) = (true, false);
            seats = Seat::ALL.to_vec();
        } else {
            seats = read_seats(word).filter(|_| !seats_wait)?;
            (given, seats_wait) = (false, true);
        }
    }
    named.sort_by_key(|&(position, _)| position);
    let rise = named.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let narrow = |&(position, learner): &(usize, T)| {
        let position = u16::try_from(position).ok()?;
        Some((position, learner))
    };
    let named: Option<Vec<_>> = named.iter().map(narrow).collect();
    named.filter(|_| rise && given)
}

/// `3` or `1-4`, within the boards that there are.
fn range(word: &str, boards: usize) -> Option<(usize, usize)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last && last <= boards).then_some((first, last))
}

/// `ns` or `e`.
fn read_seats(word: &str) -> Option<Vec<Seat>> {
    let seat = |letter: char| {
        let mut seats = Seat::ALL.into_iter();
        seats.find(|seat| seat.letter().eq_ignore_ascii_case(&letter))
    };
    let mut seats: Vec<Seat> = word.chars().map(seat).collect::<Option<_>>()?;
    seats.sort_by_key(|seat| *seat as usize);
    let rise = seats.windows(2).all(|pair| pair[0] != pair[1]);
    rise.then_some(seats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<(u16, char)>> {
        let words: Vec<&str> = text.split(' ').collect();
        let to = |word: &str| match word {
            "all" => Some('a'),
            "me" => Some('m'),
            "them" => Some('t'),
            _ => None,
        };
        super::read(&words, 3, to)
    }

    fn in_words(text: &str) -> String {
        let read: Vec<(usize, char)> = (read(text).unwrap().iter())
            .map(|&(position, to)| (position.into(), to))
            .collect();
        proposed(&read, |to| to.to_string())
    }

    #[test]
    fn hands_are_named_by_boards_and_seats() {
        let board = |board: u16, to| (4 * board - 4..4 * board).map(move |hand| (hand, to));
        let every = (1..=3).flat_map(|number| board(number, 'a'));
        assert_eq!(read("all"), Some(every.collect()));
        assert_eq!(read("2 all"), Some(board(2, 'a').collect()));
        assert_eq!(read("3 s to me"), Some(vec![(10, 'm')]));
        let preset = [(4, 'm'), (5, 't'), (6, 'm'), (7, 't')];
        assert_eq!(read("2 ns me ew them"), Some(preset.to_vec()));
        let two: Vec<_> = board(1, 'a').chain([(8, 'm'), (9, 'm')]).collect();
        assert_eq!(read("1 all 3 en me"), Some(two));
    }

    #[test]
    fn what_names_no_hands_is_refused() {
        for text in [
            "",
            "1",
            "1-3",
            "ns",
            "0 all",
            "4 all",
            "3-2 all",
            "1-4 all",
            "1 x all",
            "1 all ns",
            "1 all 2",
            "1 all 1 me",
            "1 nn me",
            "1 s 2 n me",
            "1 s n me",
            "1- all",
            "all me",
            "-1 all",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_proposed_is_told_in_few_words() {
        let told = [
            ("all", "boards 1-3 to a"),
            ("2 me", "board 2 to m"),
            (
                "1-2 ns me ew them",
                "North and South of boards 1-2 to m, East and West of boards 1-2 to t",
            ),
            ("1 all 3 all", "board 1 to a, board 3 to a"),
            ("2 n me", "North of board 2 to m"),
        ];
        for (typed, words) in told {
            assert_eq!(in_words(typed), words);
        }
    }

    #[test]
    fn a_hand_has_a_name() {
        assert_eq!(name(true, 0), "the North hand of board 1");
        assert_eq!(name(true, 11), "the West hand of board 3");
        assert_eq!(name(false, 11), "card 12");
    }
}
