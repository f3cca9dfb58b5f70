//! Tests of the texts about boards of bridge.

use dealerless_table::Seat;
use dealerless_table::log::Part;
use dealerless_table::rules::{Choice, Learners, Variety};

use super::super::verify::{Read, report};
use super::super::words::boards_warning;
use super::made::Made;

/// A match of four boards, with hands opened to all, one proposal after another.
fn opened(proposals: &[&[u16]]) -> Made {
    let mut made = Made::new(Variety::Boards { boards: 4 }, 2, 1, [0, 0]);
    let mut choices = Vec::new();
    for (number, hands) in (0..).zip(proposals) {
        let all = |&hand: &u16| (hand, Learners::All);
        choices.push(Choice::Propose(hands.iter().map(all).collect()));
        choices.push(Choice::Agree(number));
    }
    let mut choices = choices.into_iter();
    made.play(|_, _| choices.next());
    made
}

fn verified(made: &Made) -> String {
    let read = Read::of("a".into(), &made.file(Seat::HOST), None);
    report(&[read], &[], false)
}

#[test]
fn verify_counts_a_board_as_open_if_all_its_hands_are_open() {
    let north: &[u16] = &[0, 4, 8, 12];
    for (proposals, words) in [
        (&[][..], "; 0 boards are open to all."),
        (&[north], "; 0 boards are open to all."),
        (&[north, &[5, 6, 7]], "; 1 board is open to all."),
        (
            &[&[0, 1, 2, 3, 8, 9, 10, 11]],
            "; 2 boards are open to all.",
        ),
    ] {
        let text = verified(&opened(proposals));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn boards_of_a_disputed_set_come_with_a_warning() {
    let mut made = opened(&[&[0, 1, 2, 3]]);
    let of = |made: &Made| {
        let record = made.record(Seat::HOST);
        boards_warning(&record, &record.hands[0])
    };
    assert_eq!(of(&made), None);
    let seat = made.log.waits_for()[0];
    let step = made.log.step() - 1;
    made.sign(seat, &Part::Dispute { step });
    let text = of(&made).expect("a warning");
    assert!(text.starts_with("These may not be the boards"), "{text}");
}
