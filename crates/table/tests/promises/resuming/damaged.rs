//! Damaged files, and files of another match or seat, are refused and left unchanged.

use dealerless_table::Seat;
use dealerless_table::log::JournalError;
use dealerless_table::play::PlayError;
use dealerless_table::testing::disk::{Disk, Files};
use dealerless_table::testing::two_seats::games::Game;
use dealerless_table::testing::two_seats::side::start;

use super::undisturbed;

/// The files of the host in the middle of the first hand and in the middle of the second hand.
fn files_in_two_hands() -> (Files, Files) {
    let result = undisturbed(Game::Holdem);
    let moments = result.disks[0].before_each_action();
    let of_hand = |hand: usize| {
        let runs = moments.chunk_by(|one, next| one.deck.is_some() == next.deck.is_some());
        let with_deck = runs.filter(|run| run[0].deck.is_some());
        let run = with_deck.clone().nth(hand).unwrap();
        run[run.len() / 2].clone()
    };
    (of_hand(0), of_hand(1))
}

/// Starts the host's program with `files`. Checks that a refusal leaves the files unchanged.
fn start_with(files: &Files) -> Result<(), PlayError> {
    let disk = Disk::of(files.clone());
    let started = start(&disk, Seat::HOST, Game::Holdem).map(|_| ());
    if started.is_err() {
        assert_eq!(disk.files(), *files, "the files were changed");
    }
    started
}

#[test]
fn damaged_deck_or_deck_of_another_hand_is_refused() {
    let (one, other) = files_in_two_hands();
    start_with(&one).unwrap();
    let deck = one.deck.clone().unwrap();
    let refused = |deck: Option<Vec<u8>>| {
        let files = Files {
            deck,
            ..one.clone()
        };
        assert!(matches!(start_with(&files), Err(PlayError::Deck)));
    };
    for cut in [0, 1, 35, deck.len() / 2, deck.len() - 1] {
        refused(Some(deck[..cut].to_vec()));
    }
    for at in (0..deck.len()).step_by(7) {
        let mut changed = deck.clone();
        changed[at] ^= 4;
        refused(Some(changed));
    }
    refused(other.deck);
    // Without a deck the program starts, and will forfeit the hand.
    let files = Files {
        deck: None,
        ..one.clone()
    };
    start_with(&files).unwrap();
}

#[test]
fn files_of_another_match_or_seat_are_refused() {
    let (one, _) = files_in_two_hands();
    let result = undisturbed(Game::Deck);
    let other = result.disks[0].files();
    let guest = result.disks[1].files();
    let files = Files {
        inputs: other.inputs.clone(),
        ..one.clone()
    };
    assert!(matches!(start_with(&files), Err(PlayError::Inputs(_))));
    // The log of the guest, who has other keys.
    let files = Files {
        log: guest.log,
        ..one.clone()
    };
    let changed = start_with(&files);
    assert!(matches!(
        changed,
        Err(PlayError::Journal(JournalError::Changed { at: 0 }))
    ));
}
