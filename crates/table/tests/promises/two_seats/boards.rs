//! A seat uses a dishonest input to shuffle a set of boards, with the real engine.

use std::sync::Arc;

use dealerless::circuit::Party;
use dealerless::shuffle::split::Entry;
use dealerless::shuffle::{Algorithm, Randomness};
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, PartKind, Phase};
use dealerless_table::play::{DealCircuit, News, PlayError, role};
use dealerless_table::rules::{Stakes, Variety};
use dealerless_table::testing::threads::{both, wirings};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::puppet::Puppet;
use super::watched::{Action, Finished, Watched};

const BOARDS: u32 = 5;

/// An input that is valid except for the last word. A word assigns each card to a hand, and this
/// word gives 14 cards to North and 12 to East.
fn unbalanced_word(circuit: &DealCircuit, party: Party) -> Randomness {
    let DealCircuit::Boards(split) = circuit else {
        panic!("not a circuit for boards");
    };
    let sample = split.sample(party, &mut UnwrapErr(SysRng));
    let mut entries = split.entered(party, sample.bits()).unwrap();
    let words = entries.iter_mut().filter_map(|entry| match entry {
        Entry::Hands(word) => Some(word),
        Entry::Places(_) => None,
    });
    let word = words.last().expect("a word");
    let east = word.iter().position(|&hand| hand == 1).unwrap();
    word[east] = 0;
    split.encode(party, &entries).unwrap()
}

/// Plays an honest seat against `cheat`. Returns how the match ended for the honest seat, whether
/// `News::Sealed` was reported to this seat, and the seat.
fn against(cheat: Seat) -> (Result<End, PlayError>, bool, Finished) {
    let stakes = Stakes::new(Variety::Boards { boards: BOARDS }, 2, 2).unwrap();
    let circuit = DealCircuit::of(&stakes, Algorithm::Waksman).unwrap();
    let (seats, info) = wirings(&stakes, &Arc::new(circuit));
    let ends = both(seats, |wiring| {
        let log = MatchLog::new(info.clone(), wiring.seat);
        if wiring.seat == cheat {
            let mut puppet = Puppet::new(wiring, log, |_| {});
            puppet.dishonest_input = Some(unbalanced_word);
            puppet.run();
            return None;
        }
        let (mut honest, mut sealed) = (Watched::new(wiring, &log), false);
        let end = honest.run(|_, news| {
            sealed |= matches!(news, News::Sealed { .. });
            None
        });
        // Drops the wiring, so that the cheat does not wait for this seat.
        let Watched { play, actions, .. } = honest;
        Some((end, sealed, Finished { play, actions }))
    });
    ends.into_iter().flatten().next().unwrap()
}

#[test]
fn unbalanced_word_voids_the_try_before_a_hand_is_opened() {
    for cheat in [Seat::HOST, Seat::GUEST] {
        let (end, sealed, honest) = against(cheat);
        let Err(PlayError::Seal(error)) = end else {
            panic!("{end:?}");
        };
        let named = error.to_string().contains(&role(cheat).to_string());
        assert!(named, "{error}");
        assert!(!sealed, "the player saw an invalid seal");
        let log = honest.play.log();
        assert_eq!((log.phase(), log.attempt().attempt), (Phase::Deal, 1));
        assert_eq!(log.seal_hash(), None);
        assert!(log.may_sign(honest.play.seat()).contains(&PartKind::Deal));
        assert!((0..4 * BOARDS as usize).all(|hand| honest.play.card(hand).is_none()));
        // This seat declared the try void, so the attempt does not count against the peer.
        assert!(!honest.actions.all().contains(&Action::Voided));
    }
}
