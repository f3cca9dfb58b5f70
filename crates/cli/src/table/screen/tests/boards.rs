//! Tests of the screen with boards of bridge.

use super::*;

const SEAL: &str = "5ea1";

fn table(boards: usize) -> Event {
    match seated("bridge") {
        Event::Seated(seated) => Event::Seated(Box::new(Seated {
            chips: None,
            drawn: 4 * boards,
            hands: 1,
            ..*seated
        })),
        _ => unreachable!(),
    }
}

/// A turn in which only this side sees these hands.
fn turn_with(positions: std::ops::Range<usize>) -> Event {
    let speak = Ask::Speak {
        proposals: Vec::new(),
        may_propose: true,
        may_draw: false,
    };
    match turn(speak, &[]) {
        Event::YourTurn(turn) => Event::YourTurn(Box::new(YourTurn {
            cards: positions.clone().map(|_| Some("AK.QJ".into())).collect(),
            positions: positions.collect(),
            ..*turn
        })),
        _ => unreachable!(),
    }
}

#[test]
fn the_seal_of_boards_is_shown_for_publication() {
    let sealed = Event::Sealed {
        hand: 1,
        seal: SEAL.to_owned(),
        cost: None,
    };
    let events = [table(2), sealed.clone()];
    let text = shown(Style::Letters, &events);
    assert!(text.contains("Bridge: 2 boards dealt together"), "{text}");
    assert!(text.contains("The boards are sealed"), "{text}");
    assert!(text.lines().any(|line| line.trim() == SEAL), "{text}");
    let of_cards = [seated("holdem"), sealed];
    let text = shown(Style::Letters, &of_cards);
    assert!(text.contains("The deck is sealed"), "{text}");
    assert!(!text.contains(SEAL), "{text}");
}

#[test]
fn a_turn_shows_up_to_four_hands_and_counts_more() {
    let text = shown(Style::Letters, &[table(2), turn_with(1..5)]);
    for place in ["1E: ", "1S: ", "1W: ", "2N: "] {
        assert!(text.contains(place), "{place}: {text}");
    }
    assert!(
        text.contains("o all, o 1-4 ns me ew them propose"),
        "{text}"
    );
    assert!(text.contains("s 3 n show"), "{text}");
    assert!(!text.contains("roll"), "{text}");
    let text = shown(Style::Letters, &[table(2), turn_with(0..5)]);
    assert!(text.contains("Yours  5 hands"), "{text}");
    assert!(!text.contains("1E: "), "{text}");
}

#[test]
fn an_opened_hand_is_named_by_its_board_and_seat() {
    // The line appears at the next event, because no other hand of the board follows.
    let events = [table(2), card(6, "AK.QJ", None), turn_with(0..1)];
    let text = shown(Style::Letters, &events);
    assert!(text.contains("Board 2: South AK.QJ"), "{text}");
}
