//! No copy of an opened hand stays in memory after the boards and the session are dropped.

#[path = "../../../tests/wiping/watcher.rs"]
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
    opened_hand_is_wiped_with_its_session,
}

/// The 52 bits of a hand's set of cards, one byte for each bit.
fn bits(Card(hand): Card) -> [u8; 52] {
    std::array::from_fn(|bit| (hand >> bit & 1) as u8)
}

/// Deals one board between two parties whose randomness comes from `seed`, and opens the hand of
/// North to the garbler. Returns this hand, which depends only on `seed`.
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
        // The caller of `open` must wipe the returned list.
        hands.zeroize();
        hand
    });
    hand.expect("the hand was opened to the garbler")
}

fn opened_hand_is_wiped_with_its_session<E: Engine>() {
    let mut seed = [0; 32];
    system_rng().fill_bytes(&mut seed);
    let hand = opened::<E>(seed);
    let number = hand.0.to_le_bytes();
    // The hand could be in memory in either of these forms.
    for sought in [&bits(hand)[..], &number] {
        watch_for(sought, || {
            opened::<E>(seed);
        });
    }
}
