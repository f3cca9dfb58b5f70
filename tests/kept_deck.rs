//! A deck that was kept opens card by card without its session, and opens nothing else.

use std::sync::Mutex;

use dealerless::deck::{Card, CardShare, Check, Error, KeptDeck, SealedDeck};
use dealerless::mpc::{self, Audience, Malicious, TwoParty};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::line::End;
use dealerless::testing::session::{in_memory, sessions, system_rng};

type Session = Malicious<End>;

fn circuit(cards: usize, draw: usize) -> ShuffleCircuit {
    ShuffleCircuit::build_checked(Spec::new(cards, draw, Algorithm::FisherYates).unwrap())
}

/// The decks of both parties, kept under these names.
fn kept(cards: usize, draw: usize, names: [&[u8]; 2]) -> [KeptDeck; 2] {
    let shuffle = circuit(cards, draw);
    sessions(in_memory(), |session: &mut Session| {
        let deck = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        let name = names[session.role() as usize];
        deck.keep(session, name).unwrap()
    })
}

#[track_caller]
fn assert_refused(outcome: Result<Card, Error>, check: Check) {
    match outcome {
        Err(Error::Check(found)) => assert_eq!(found, check),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_kept_deck_opens_the_cards_that_were_sealed_and_to_whom_the_shares_are_shown() {
    let shuffle = circuit(52, 9);
    let sides = sessions(in_memory(), |session: &mut Session| {
        let mut deck = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        let kept = deck.keep(session, b"hand 1").unwrap();
        let all: Vec<_> = (0..9).map(|position| (position, Audience::Both)).collect();
        let cards = deck.open(session, &all).unwrap();
        (kept, cards)
    });
    let [(garbler, cards), (evaluator, _)] = sides;
    // Through a file, and without the sessions.
    let [mut garbler, mut evaluator] =
        [garbler, evaluator].map(|deck| KeptDeck::from_bytes(&deck.to_bytes(), b"hand 1").unwrap());
    assert_eq!(garbler.len(), 9);
    for (position, card) in cards.into_iter().enumerate() {
        let (a, b) = (garbler.share(position), evaluator.share(position));
        assert_eq!(garbler.open(position, &b.unwrap()).unwrap(), card.unwrap());
        assert_eq!(garbler.seen(position), card);
        assert_eq!(evaluator.seen(position), None);
        assert_eq!(
            evaluator.open(position, &a.unwrap()).unwrap(),
            card.unwrap()
        );
    }
}

#[test]
fn no_other_share_opens_a_card() {
    let [garbler, mut evaluator] = kept(16, 4, [b"hand 1"; 2]);
    let honest = garbler.share(2).unwrap();
    let mut wrong = vec![
        garbler.share(1).unwrap(),
        evaluator.share(2).unwrap(),
        CardShare {
            bits: honest.bits[1..].to_vec(),
            ..honest.clone()
        },
        CardShare {
            bits: [&honest.bits[..], &[false]].concat(),
            ..honest.clone()
        },
    ];
    for bit in 0..honest.bits.len() {
        let mut share = honest.clone();
        share.bits[bit] ^= true;
        wrong.push(share);
    }
    for bit in 0..256 {
        let mut share = honest.clone();
        share.macs[bit / 8] ^= 1 << (bit % 8);
        wrong.push(share);
    }
    for (number, share) in wrong.iter().enumerate() {
        assert_refused(evaluator.open(2, share), Check::KeptMacs);
        assert_eq!(evaluator.seen(2), None, "{number}");
    }
    assert!(evaluator.open(2, &honest).is_ok());
}

#[test]
fn a_share_opens_no_deck_of_another_name_or_session() {
    let [garbler, mut evaluator] = kept(16, 4, [b"hand 1", b"hand 2"]);
    let share = garbler.share(0).unwrap();
    assert_refused(evaluator.open(0, &share), Check::KeptMacs);
    let [_, mut other] = kept(16, 4, [b"hand 1"; 2]);
    assert_refused(other.open(0, &share), Check::KeptMacs);
}

#[test]
fn a_deck_of_another_session_or_of_one_that_has_ended_is_not_kept() {
    let shuffle = circuit(8, 2);
    let shuffled =
        |session: &mut Session| SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
    let foreign = sessions(in_memory(), shuffled).map(Mutex::new);
    sessions(in_memory(), |session: &mut Session| {
        let foreign = foreign[session.role() as usize].lock().unwrap();
        let refused = foreign.keep(session, b"").err();
        assert!(matches!(
            refused,
            Some(Error::Session(mpc::Error::Usage(_)))
        ));
        let own = shuffled(session);
        assert!(own.keep(session, b"").is_ok());
        session.abort();
        let refused = own.keep(session, b"").err();
        assert!(matches!(refused, Some(Error::Session(mpc::Error::Ended))));
    });
}

#[test]
fn what_is_not_a_kept_deck_is_not_read() {
    let [deck, _] = kept(16, 4, [b"hand 1"; 2]);
    let bytes = deck.to_bytes();
    assert!(KeptDeck::from_bytes(&bytes, b"hand 1").is_some());
    for length in 0..bytes.len() {
        assert!(KeptDeck::from_bytes(&bytes[..length], b"hand 1").is_none());
    }
    assert!(KeptDeck::from_bytes(&[&bytes[..], &[0]].concat(), b"hand 1").is_none());
    assert!(KeptDeck::from_bytes(&bytes, b"hand 2").is_none());
    for at in 0..bytes.len() {
        let mut other = bytes.to_vec();
        other[at] ^= 1 << (at % 8);
        assert!(KeptDeck::from_bytes(&other, b"hand 1").is_none(), "{at}");
    }
    let huge = [&bytes[..16], &[0xff; 12]].concat();
    assert!(KeptDeck::from_bytes(&huge, b"hand 1").is_none());
}

#[test]
fn a_position_that_was_not_drawn_is_a_misuse() {
    let [garbler, mut evaluator] = kept(16, 4, [b"hand 1"; 2]);
    assert!(matches!(garbler.share(4), Err(Error::Usage(_))));
    let share = garbler.share(0).unwrap();
    assert!(matches!(evaluator.open(4, &share), Err(Error::Usage(_))));
}
