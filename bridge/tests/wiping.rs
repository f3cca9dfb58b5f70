//! A hand that was opened in a session is gone from memory when the boards are dropped.

#[path = "../../tests/wiping/watcher.rs"]
mod watcher;

use dealerless::circuit::Party;
use dealerless::deck::Card;
use dealerless::mpc::Audience;
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::testing::session::{self, Engine, sessions, system_rng};
use dealerless_bridge::{Compass, Hand, SealedBoards};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use watcher::watch_for;
use zeroize::Zeroize;

dealerless::with_both_engines! {
    a_hand_that_was_opened_in_a_session_is_wiped_with_it,
}

/// The bits of a hand as they stand in a list of bits.
fn bits(Card(hand): Card) -> [u8; 52] {
    std::array::from_fn(|bit| (hand >> bit & 1) as u8)
}

/// The hand of North on a board that two parties deal from these seeds, and open to the garbler.
fn opened<E: Engine>(seed: [u8; 32]) -> Card {
    let circuit = SplitCircuit::build(Split::new(13, 1).unwrap());
    let [hand, _] = sessions(session::in_memory(), |session: &mut E| {
        let mut seed = seed;
        seed[0] = session.role() as u8;
        let rng = &mut ChaCha20Rng::from_seed(seed);
        let mut boards = SealedBoards::deal(session, &circuit, b"", rng).unwrap();
        let openings = [(0, Compass::North, Audience::Only(Party::Garbler))];
        let mut hands = boards.open(session, &openings).unwrap();
        let hand = hands[0].map(Hand::as_set);
        // This list is the caller's.
        hands.zeroize();
        hand
    });
    hand.expect("it was opened to the garbler")
}

fn a_hand_that_was_opened_in_a_session_is_wiped_with_it<E: Engine>() {
    let mut seed = [0; 32];
    system_rng().fill_bytes(&mut seed);
    let hand = opened::<E>(seed);
    let number = hand.0.to_le_bytes();
    for sought in [&bits(hand)[..], &number] {
        watch_for(sought, || {
            opened::<E>(seed);
        });
    }
}
