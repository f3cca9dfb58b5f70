//! Round trips: written boards are read back unchanged.

use proptest::prelude::*;

use super::{read, readable, texts};
use crate::formats::Format;
use crate::{Board, Compass, Deal};

fn deal() -> impl Strategy<Value = Deal> {
    let owners: Vec<Compass> = Compass::ALL.into_iter().cycle().take(52).collect();
    let shuffled = Just(owners).prop_shuffle();
    shuffled.prop_map(|owners| Deal::new(owners.try_into().unwrap()).unwrap())
}

/// Up to 19 consecutive boards, numbered from `first`.
fn boards(first: impl Strategy<Value = u32>) -> impl Strategy<Value = Vec<Board>> {
    let deals = prop::collection::vec(deal(), 1..20);
    (first, deals).prop_map(|(first, deals)| {
        let boards = (first..).zip(deals);
        boards
            .map(|(number, deal)| Board { number, deal })
            .collect()
    })
}

/// The boards that the reader must return. If the file does not store the numbers of `boards`, the
/// reader numbers them from 1.
fn kept(format: Format, boards: &[Board]) -> Vec<Board> {
    let mut kept = boards.to_vec();
    if !format.says_numbers(boards) {
        for (number, board) in (1..).zip(&mut kept) {
            board.number = number;
        }
    }
    kept
}

proptest! {
    #[test]
    fn formats_keep_board_numbers_or_count_from_1(boards in boards(1..=u32::MAX - 20)) {
        for format in readable().filter(|format| !format.is_for_machines()) {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(read(format, &file), Ok(kept(format, &boards)), "{:?}", format);
        }
    }

    #[test]
    fn files_for_machines_keep_board_numbers_up_to_99_or_count_from_1(boards in boards(1..=80u32)) {
        for format in readable().filter(|format| format.is_for_machines()) {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(read(format, &file), Ok(kept(format, &boards)), "{:?}", format);
        }
    }

    #[test]
    fn every_readable_format_keeps_boards_that_are_numbered_from_1(boards in boards(Just(1))) {
        for format in readable() {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(read(format, &file), Ok(boards.clone()), "{:?}", format);
        }
    }

    #[test]
    fn lines_may_end_with_carriage_returns(boards in boards(1..=80u32)) {
        for format in texts() {
            let file = String::from_utf8(format.write(&boards).unwrap()).unwrap();
            let file = file.replace("\r\n", "\n");
            for end in ["\r\n", "\r", "\r\r\n"] {
                let other = file.replace('\n', end);
                let found = read(format, other.as_bytes());
                prop_assert_eq!(found, Ok(boards.clone()), "{:?} {:?}", format, end);
            }
        }
    }
}
