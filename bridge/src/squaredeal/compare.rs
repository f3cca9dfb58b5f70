//! Published boards beside the sets of a tournament: which of them are whose.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::{Board, DealNumber, Order};
use super::{BoardRange, Session};

/// A file of boards that somebody published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The name of the file without its suffix. If a set has this name, the boards should be that set's.
    pub name: String,
    /// Its boards, in its order.
    pub boards: Vec<Board>,
    /// Whether the file says the numbers of its boards. If not, they are counted from the set's first
    /// board on.
    pub is_numbered: bool,
}

/// Files of boards, and where their deals were found until now. Only these boards are kept, however many
/// sets there are.
#[derive(Debug, Default)]
pub struct Comparison {
    files: Vec<File>,
    /// The files that hold a deal, each with the deal's place.
    by_deal: HashMap<DealNumber, Vec<(usize, usize)>>,
    /// The sets of which something was found, or whose name a file has.
    sets: Vec<(Rc<str>, BoardRange)>,
}

#[derive(Debug)]
struct File {
    published: Published,
    /// The set of its name.
    named: Option<usize>,
    /// For each board a set, and the number that the deal has there.
    origins: Vec<Option<(usize, u32)>>,
}

/// What the sets say about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The set that has the file's name, if one has.
    pub set: Option<Rc<str>>,
    /// The boards of the file, in its order.
    pub boards: Vec<ComparedBoard>,
    /// Boards of that set whose numbers the file does not have.
    pub missing: Vec<u32>,
}

/// What the sets say about a board of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedBoard {
    /// Its number.
    pub number: u32,
    /// The set that has its deal, and the deal's number there. None if no set has it.
    pub origin: Option<(Rc<str>, u32)>,
    /// Whether it has the same number there, and that is the set of the file's name, if one has it.
    pub agrees: bool,
}

impl Compared {
    /// Whether each board agrees.
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

    /// Looks for the boards of a set in all files.
    pub fn take(&mut self, session: &Session<'_>) {
        let (name, set) = (session.file_name(), self.sets.len());
        let mut is_met = false;
        for file in &mut self.files {
            if file.named.is_none() && file.published.name.eq_ignore_ascii_case(&name) {
                file.named = Some(set);
                is_met = true;
            }
        }
        for board in session.boards() {
            let number = DealNumber::of(&board.deal, Order::BigDeal);
            for &(file, place) in self.by_deal.get(&number).into_iter().flatten() {
                let file = &mut self.files[file];
                let origin = &mut file.origins[place];
                // The same key may stand for two sessions, which then have the same deals.
                if origin.is_none() || file.named == Some(set) {
                    *origin = Some((set, board.number));
                    is_met = true;
                }
            }
        }
        if is_met {
            self.sets.push((name.into(), session.range()));
        }
    }

    /// What was found, file by file as they were added.
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

    /// The numbers of the boards: those of the file, or in a row from the first of the set on.
    fn numbers(&self, sets: &[(Rc<str>, BoardRange)]) -> Vec<u32> {
        let said = self.published.boards.iter().map(|board| board.number);
        if self.published.is_numbered {
            return said.collect();
        }
        let found = (0..).zip(&self.origins);
        let mut found = found.filter_map(|(place, origin)| origin.map(|(_, there)| (place, there)));
        let first = match (self.named, found.next()) {
            (Some(set), _) => *sets[set].1.numbers().start(),
            (None, Some((place, there))) => there.saturating_sub(place).max(1),
            (None, None) => 1,
        };
        (first..).take(said.count()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Description, Keys, Set};
    use super::*;

    const FILES: [&str; 2] = [
        "SN 2:1-4,5-8:S##:Session #\n",
        "1,1:abcdefgh\r\n1,2:ijklmnop\r\n",
    ];

    /// The sets of two sessions, and the reserve set of the first.
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
    fn the_boards_of_the_set_of_the_name_agree_and_a_changed_one_does_not() {
        let [mut set, other] = with_sets(|sets| [boards(&sets[0]), boards(&sets[1])]);
        assert!(compared("s01", set.clone(), true).agrees());
        // A deal of no set.
        set[2].deal = DealNumber::new(0).unwrap().deal(Order::BigDeal);
        set[3].deal = other[0].deal;
        set.remove(0);
        let said = compared("S01", set, true);
        assert_eq!(said.set.as_deref(), Some("S01"));
        assert_eq!(agreeing(&said), [(2, true), (3, false), (4, false)]);
        assert_eq!(said.boards[1].origin, None);
        assert_eq!(said.boards[2].origin, Some(("S02".into(), 5)));
        assert_eq!(said.missing, [1]);
        assert!(!said.agrees());
    }

    #[test]
    fn a_file_with_another_name_may_hold_boards_of_several_sets_under_their_numbers() {
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
    fn a_reserve_set_under_the_name_of_the_original_does_not_agree() {
        let reserve = with_sets(|sets| boards(&sets[2]));
        let said = compared("S01", reserve.clone(), true);
        assert!(said.boards.iter().all(|board| !board.agrees));
        assert_eq!(said.boards[0].origin, Some(("S01reserve".into(), 1)));
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
            let said = compared(name, second.clone(), false);
            assert_eq!(agreeing(&said), [5, 6, 7, 8].map(|number| (number, true)));
        }
        // The name says the set, and so where the numbers begin, whatever the boards are.
        let last = [with_sets(|sets| boards(&sets[0])[1]), second[3]];
        let said = compared("S02", last.to_vec(), false);
        assert_eq!(agreeing(&said), [(5, false), (6, false)]);
        assert_eq!(said.missing, [7, 8]);
    }
}
