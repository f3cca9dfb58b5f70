//! A seat that enters what no honest one does into a set of boards, with the real engine.

use std::sync::Arc;

use dealerless::circuit::Party;
use dealerless::shuffle::split::Entry;
use dealerless::shuffle::{Algorithm, Randomness};
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, PartKind, Phase};
use dealerless_table::play::{DealCircuit, News, PlayError, role};
use dealerless_table::rules::{Stakes, Variety};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::puppet::Puppet;
use super::seats::{both, wirings};
use super::watched::{Deed, Seen, Watched};

const BOARDS: u32 = 5;

/// In the last word of this party North has 14 cards and East 12. All else is as it should be.
fn one_word_is_not_balanced(circuit: &DealCircuit, party: Party) -> Randomness {
    let DealCircuit::Boards(split) = circuit else {
        panic!("boards are dealt");
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

/// What the honest seat is left with: how its match ended, whether it was told that the boards are sealed.
fn against(cheat: Seat) -> (Result<End, PlayError>, bool, Seen) {
    let stakes = Stakes::new(Variety::Boards { boards: BOARDS }, 2, 2).unwrap();
    let circuit = DealCircuit::of(&stakes, Algorithm::Waksman).unwrap();
    let (seats, of) = wirings(&stakes, &Arc::new(circuit));
    let ends = both(seats, |wiring| {
        let log = MatchLog::new(of.clone());
        if wiring.seat == cheat {
            let mut puppet = Puppet::new(wiring, log, |_| {});
            puppet.enters = Some(one_word_is_not_balanced);
            puppet.run();
            return None;
        }
        let (mut honest, mut sealed) = (Watched::new(wiring, &log), false);
        let end = honest.run(|_, news| {
            sealed |= matches!(news, News::Sealed { .. });
            None
        });
        // The cheat need not wait for it any more.
        let Watched { play, deeds, .. } = honest;
        Some((end, sealed, Seen { play, deeds }))
    });
    ends.into_iter().flatten().next().unwrap()
}

#[test]
fn a_word_that_is_not_balanced_in_one_of_many_boards_voids_the_try_before_a_hand_is_opened() {
    for cheat in [Seat::HOST, Seat::GUEST] {
        let (end, sealed, honest) = against(cheat);
        let Err(PlayError::Seal(error)) = end else {
            panic!("{end:?}");
        };
        let named = error.to_string().contains(&role(cheat).to_string());
        assert!(named, "{error}");
        assert!(!sealed, "the player was told of a seal that fits nothing");
        let log = honest.play.log();
        assert_eq!((log.phase(), log.attempt().attempt), (Phase::Deal, 1));
        assert_eq!(log.seal_hash(), None);
        assert!(log.may_sign(honest.play.seat()).contains(&PartKind::Deal));
        assert!((0..4 * BOARDS as usize).all(|hand| honest.play.card(hand).is_none()));
        // It was this seat that declared the try void, so nothing counts as the other's.
        assert!(!honest.deeds.all().contains(&Deed::Voided));
    }
}
