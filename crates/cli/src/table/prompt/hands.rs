//! Parses hands of boards, such as `1-4 ns`, in a person's input.

use dealerless_bridge::Compass;
use dealerless_seat::hands::position;

/// Parses the hands in a proposal: `1-4 all`, `7 ns me ew them`, or `all` alone for every board.
/// `to` parses the learner. Returns the positions with their learners, in ascending order, or
/// `None` if the words name no hands.
pub(super) fn read<T: Copy>(
    words: &[&str],
    boards: usize,
    to: impl Fn(&str) -> Option<T>,
) -> Option<Vec<(u16, T)>> {
    let mut named = Vec::new();
    let (mut ranges, mut seats) = (Vec::new(), Compass::ALL.to_vec());
    // Whether the named boards have a learner, and whether the named seats still need a learner.
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
            seats = Compass::ALL.to_vec();
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

/// Parses `3` or `1-4`, within the existing boards.
fn range(word: &str, boards: usize) -> Option<(usize, usize)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last && last <= boards).then_some((first, last))
}

/// Parses the letters of different seats, such as `ns` or `e`.
fn read_seats(word: &str) -> Option<Vec<Compass>> {
    let seat = |letter: char| {
        let mut seats = Compass::ALL.into_iter();
        seats.find(|seat| seat.letter().eq_ignore_ascii_case(&letter))
    };
    let mut seats: Vec<Compass> = word.chars().map(seat).collect::<Option<_>>()?;
    seats.sort_by_key(|seat| *seat as usize);
    let rise = seats.windows(2).all(|pair| pair[0] != pair[1]);
    rise.then_some(seats)
}

#[cfg(test)]
mod tests {
    use dealerless_seat::hands::proposed;

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
        proposed(&read, |to| to.to_string().into()).to_string()
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
    fn words_that_name_no_hands_are_refused() {
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
    fn proposals_are_described_in_few_words() {
        let described = [
            ("all", "boards 1-3 to a"),
            ("2 me", "board 2 to m"),
            (
                "1-2 ns me ew them",
                "North and South of boards 1-2 to m, East and West of boards 1-2 to t",
            ),
            ("1 all 3 all", "board 1 to a, board 3 to a"),
            ("2 n me", "North of board 2 to m"),
        ];
        for (typed, words) in described {
            assert_eq!(in_words(typed), words);
        }
    }
}
