//! Compares published files of boards with the sets of a tournament.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::{Board, DealNumber, Order};
use super::{BoardRange, Session};

/// A published file of boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The name of the file without its extension. If a set has this name, the file should hold the
    /// boards of that set.
    pub name: String,
    /// The boards, in the order of the file.
    pub boards: Vec<Board>,
    /// Whether the file has board numbers. If not, its boards are numbered from the first board of
    /// the set.
    pub is_numbered: bool,
}

/// Published files, and the sets in which their deals have been found. The size in memory depends
/// only on the files, not on the number of sets.
#[derive(Debug, Default)]
pub struct Comparison {
    files: Vec<File>,
    /// For each deal, the index of each file that has it, and the index of its board in the file.
    by_deal: HashMap<DealNumber, Vec<(usize, usize)>>,
    /// The name and the board numbers of each set that has a deal of a file, or the name of a file.
    sets: Vec<(Rc<str>, BoardRange)>,
}

#[derive(Debug)]
struct File {
    published: Published,
    /// The index in `sets` of the set with the name of the file.
    named: Option<usize>,
    /// For each board, the index of the set that has its deal, and its board number in the set.
    origins: Vec<Option<(usize, u32)>>,
}

/// The result of the comparison for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The set with the name of the file, if any.
    pub set: Option<Rc<str>>,
    /// The results for the boards, in the order of the file.
    pub boards: Vec<ComparedBoard>,
    /// The board numbers of `set` that are missing from the file.
    pub missing: Vec<u32>,
}

/// The result of the comparison for a board of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedBoard {
    /// The board number in the file.
    pub number: u32,
    /// The set that has this deal, and its board number in the set; `None` if no set has the deal.
    pub origin: Option<(Rc<str>, u32)>,
    /// Whether a set has this deal under the same board number. If a set has the name of the file,
    /// only that set counts.
    pub agrees: bool,
}

impl Compared {
    /// Whether all boards agree.
    pub fn agrees(&self) -> bool {
        self.boards.iter().all(|board| board.agrees)
    }
}

impl Comparison {
    /// Adds a file.
    pub fn add(&mut self, published: Published) {
        for (place, board) in published.boards.iter().enumerate() {
            let number = DealNumber::of(&board.deal, Order::BigDeal);
            let places = self.by_deal.entry(number).or_default();
            places.push((self.files.len(), place));
        }
        self.files.push(File {
            named: None,
            origins: vec![None; published.boards.len()],
            published,
        });
    }

    /// Searches all files for the boards of a set.
    pub fn take(&mut self, session: &Session<'_>) {
        let (name, set) = (session.file_name(), self.sets.len());
        let mut is_relevant = false;
        for file in &mut self.files {
            if file.named.is_none() && file.published.name.eq_ignore_ascii_case(&name) {
                file.named = Some(set);
                is_relevant = true;
            }
        }
        for board in session.boards() {
            let number = DealNumber::of(&board.deal, Order::BigDeal);
            for &(file, place) in self.by_deal.get(&number).into_iter().flatten() {
                let file = &mut self.files[file];
                let origin = &mut file.origins[place];
                // Two sessions with the same key have the same deals. The set with the name of the
                // file takes precedence over the first set that has the deal.
                if origin.is_none() || file.named == Some(set) {
                    *origin = Some((set, board.number));
                    is_relevant = true;
                }
            }
        }
        if is_relevant {
            self.sets.push((name.into(), session.range()));
        }
    }

    /// Returns the results, in the order in which the files were added.
    pub fn finish(self) -> Vec<Compared> {
        let Comparison { files, sets, .. } = self;
        files.into_iter().map(|file| file.finish(&sets)).collect()
    }
}

impl File {
    fn finish(self, sets: &[(Rc<str>, BoardRange)]) -> Compared {
        let numbers = self.numbers(sets);
        let missing = match self.named {
            Some(set) => {
                let of_set = sets[set].1.numbers();
                of_set.filter(|number| !numbers.contains(number)).collect()
            }
            None => Vec::new(),
        };
        let boards = numbers.iter().zip(&self.origins);
        let boards = boards.map(|(&number, origin)| ComparedBoard {
            number,
            origin: origin.map(|(set, there)| (sets[set].0.clone(), there)),
            agrees: origin.is_some_and(|(set, there)| {
                there == number && self.named.is_none_or(|named| named == set)
            }),
        });
        Compared {
            set: self.named.map(|set| sets[set].0.clone()),
            boards: boards.collect(),
            missing,
        }
    }

    /// The board numbers of the file. If it has none, consecutive numbers that begin with the first
    /// board of the set, or fit the first deal that was found.
    fn numbers(&self, sets: &[(Rc<str>, BoardRange)]) -> Vec<u32> {
        let in_file = self.published.boards.iter().map(|board| board.number);
        if self.published.is_numbered {
            return in_file.collect();
        }
        let found = (0..).zip(&self.origins);
        let mut found = found.filter_map(|(place, origin)| origin.map(|(_, there)| (place, there)));
        let first = match (self.named, found.next()) {
            (Some(set), _) => *sets[set].1.numbers().start(),
            (None, Some((place, there))) => there.saturating_sub(place).max(1),
            (None, None) => 1,
        };
        (first..).take(in_file.count()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Description, Keys, Set};
    use super::*;

    /// A description and its keys.
    const FILES: [&str; 2] = [
        "SN 2:1-4,5-8:S##:Session #\n",
        "1,1:abcdefgh\r\n1,2:ijklmnop\r\n",
    ];

    /// Calls `look` with the original sets of two sessions and the reserve set of the first
    /// session.
    fn with_sets<T>(look: impl FnOnce(&[Session<'_>; 3]) -> T) -> T {
        let description = Description::read(FILES[0].as_bytes()).unwrap();
        let keys = Keys::read(FILES[1].as_bytes()).unwrap();
        let session = |number, set| description.session(&keys, [1, number], set, b"value", None);
        let sets = [(1, Set::Original), (2, Set::Original), (1, Set::Reserve)];
        look(&sets.map(|(number, set)| session(number, set).unwrap()))
    }

    fn boards(set: &Session<'_>) -> Vec<Board> {
        set.boards().collect()
    }

    fn compared(name: &str, boards: Vec<Board>, is_numbered: bool) -> Compared {
        let mut comparison = Comparison::default();
        comparison.add(Published {
            name: name.to_owned(),
            boards,
            is_numbered,
        });
        with_sets(|sets| sets.iter().for_each(|set| comparison.take(set)));
        comparison.finish().remove(0)
    }

    fn agreeing(compared: &Compared) -> Vec<(u32, bool)> {
        let boards = compared.boards.iter();
        boards.map(|board| (board.number, board.agrees)).collect()
    }

    #[test]
    fn boards_of_the_named_set_agree_and_a_changed_board_does_not() {
        let [mut set, other] = with_sets(|sets| [boards(&sets[0]), boards(&sets[1])]);
        assert!(compared("s01", set.clone(), true).agrees());
        // A deal that is not in any set.
        set[2].deal = DealNumber::new(0).unwrap().deal(Order::BigDeal);
        set[3].deal = other[0].deal;
        set.remove(0);
        let result = compared("S01", set, true);
        assert_eq!(result.set.as_deref(), Some("S01"));
        assert_eq!(agreeing(&result), [(2, true), (3, false), (4, false)]);
        assert_eq!(result.boards[1].origin, None);
        assert_eq!(result.boards[2].origin, Some(("S02".into(), 5)));
        assert_eq!(result.missing, [1]);
        assert!(!result.agrees());
    }

    #[test]
    fn file_without_a_set_name_may_mix_boards_of_several_sets() {
        let [first, second] = with_sets(|sets| [boards(&sets[0]), boards(&sets[1])]);
        let all = compared("all", [&first[..], &second].concat(), true);
        assert!(all.agrees() && all.set.is_none() && all.missing.is_empty());
        assert_eq!(all.boards[7].origin, Some(("S02".into(), 8)));
        let mut swapped = first.clone();
        swapped[0].number = 2;
        swapped[1].number = 1;
        let swapped = compared("all", swapped, true);
        assert_eq!(agreeing(&swapped)[..3], [(2, false), (1, false), (3, true)]);
    }

    #[test]
    fn reserve_set_under_the_original_name_does_not_agree() {
        let reserve = with_sets(|sets| boards(&sets[2]));
        let result = compared("S01", reserve.clone(), true);
        assert!(result.boards.iter().all(|board| !board.agrees));
        assert_eq!(result.boards[0].origin, Some(("S01reserve".into(), 1)));
        assert!(compared("S01reserve", reserve, true).agrees());
    }

    #[test]
    fn boards_without_numbers_are_counted_from_the_first_of_their_set() {
        let mut second = with_sets(|sets| boards(&sets[1]));
        for (number, board) in (1..).zip(&mut second) {
            board.number = number;
        }
        assert!(!compared("S02", second.clone(), true).agrees());
        for name in ["S02", "other"] {
            let result = compared(name, second.clone(), false);
            assert_eq!(agreeing(&result), [5, 6, 7, 8].map(|number| (number, true)));
        }
        // The file name determines the set and the first board number, even if the boards are
        // others.
        let last = [with_sets(|sets| boards(&sets[0])[1]), second[3]];
        let result = compared("S02", last.to_vec(), false);
        assert_eq!(agreeing(&result), [(5, false), (6, false)]);
        assert_eq!(result.missing, [7, 8]);
    }
}
