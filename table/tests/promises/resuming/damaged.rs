//! Files that were damaged, or belong elsewhere, are refused and left as they are.

use dealerless_table::Seat;
use dealerless_table::log::JournalError;
use dealerless_table::play::PlayError;

use super::disk::{Disk, Files};
use super::games::Game;
use super::side::start;
use super::undisturbed;

/// The disk of a seat at a moment in which it needs its deck.
fn in_the_midst_of_a_hand() -> (Files, Files) {
    let went = undisturbed(Game::Holdem);
    let moments = went.disks[0].before_each_deed();
    let of_hand = |hand: usize| {
        let runs = moments.chunk_by(|one, next| one.deck.is_some() == next.deck.is_some());
        let with_deck = runs.filter(|run| run[0].deck.is_some());
        let run = with_deck.clone().nth(hand).unwrap();
        run[run.len() / 2].clone()
    };
    (of_hand(0), of_hand(1))
}

fn starts(files: &Files) -> Result<(), PlayError> {
    let disk = Disk::of(files.clone());
    let started = start(&disk, Seat::HOST, Game::Holdem).map(|_| ());
    if started.is_err() {
        assert_eq!(disk.files(), *files, "it was changed");
    }
    started
}

#[test]
fn a_deck_that_is_cut_changed_or_of_another_hand_is_refused_and_nothing_is_done() {
    let (one, other) = in_the_midst_of_a_hand();
    starts(&one).unwrap();
    let deck = one.deck.clone().unwrap();
    let refused = |deck: Option<Vec<u8>>| {
        let files = Files {
            deck,
            ..one.clone()
        };
        assert!(matches!(starts(&files), Err(PlayError::Deck)));
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
    // Without one it goes on, and will forfeit.
    let files = Files {
        deck: None,
        ..one.clone()
    };
    starts(&files).unwrap();
}

#[test]
fn the_files_of_another_match_or_seat_are_refused() {
    let (one, _) = in_the_midst_of_a_hand();
    let went = undisturbed(Game::Deck);
    let other = went.disks[0].files();
    let guest = went.disks[1].files();
    let files = Files {
        inputs: other.inputs.clone(),
        ..one.clone()
    };
    assert!(matches!(starts(&files), Err(PlayError::Inputs(_))));
    // Another identity's.
    let files = Files {
        log: guest.log,
        ..one.clone()
    };
    let changed = starts(&files);
    assert!(matches!(
        changed,
        Err(PlayError::Journal(JournalError::Changed { at: 0 }))
    ));
}
