//! What is written is read again as the same.

use proptest::prelude::*;

use crate::formats::Format;
use crate::{Board, Deal, Seat};

fn deal() -> impl Strategy<Value = Deal> {
    let owners: Vec<Seat> = Seat::ALL.into_iter().cycle().take(52).collect();
    let shuffled = Just(owners).prop_shuffle();
    shuffled.prop_map(|owners| Deal::new(owners.try_into().unwrap()).unwrap())
}

/// Up to 20 boards in a row.
fn boards(first: impl Strategy<Value = u32>) -> impl Strategy<Value = Vec<Board>> {
    let deals = prop::collection::vec(deal(), 1..20);
    (first, deals).prop_map(|(first, deals)| {
        let boards = (first..).zip(deals);
        boards
            .map(|(number, deal)| Board { number, deal })
            .collect()
    })
}

proptest! {
    #[test]
    fn pbn_and_lin_keep_boards_of_any_number(boards in boards(1..=u32::MAX - 20)) {
        for format in [Format::Pbn, Format::Lin, Format::LinBbo] {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(format.read(&file), Ok(boards.clone()));
        }
    }

    #[test]
    fn dlm_keeps_boards_up_to_99(boards in boards(1..=80u32)) {
        for format in [Format::Dlm, Format::DlmBlind] {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(format.read(&file), Ok(boards.clone()));
        }
    }

    #[test]
    fn dup_and_bri_keep_boards_that_begin_with_1(boards in boards(Just(1))) {
        for format in [Format::Dup, Format::DupBlind, Format::Bri] {
            let file = format.write(&boards).unwrap();
            prop_assert_eq!(format.read(&file), Ok(boards.clone()));
        }
    }

    #[test]
    fn lines_may_end_with_carriage_returns(boards in boards(1..=80u32)) {
        for format in [Format::Pbn, Format::Lin, Format::Dlm] {
            let file = String::from_utf8(format.write(&boards).unwrap()).unwrap();
            for end in ["\r\n", "\r", "\r\r\n"] {
                let other = file.replace('\n', end);
                prop_assert_eq!(format.read(other.as_bytes()), Ok(boards.clone()));
            }
        }
    }
}
