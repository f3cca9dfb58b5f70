//! A kept deck opens card by card after its session has ended, and wrong shares open no card.

use std::sync::{Barrier, Mutex};

use dealerless::circuit::Party;
use dealerless::deck::{Card, Check, Error, KeptDeck, LiveDeck, Share};
use dealerless::mpc::{self, AuthenticatedBit, Malicious, TwoParty};
use dealerless::shuffle::{Algorithm, Randomness, ShuffleCircuit, Spec};
use dealerless::testing::session::{in_memory, sessions, system_rng};
use dealerless::testing::shuffles::evaluate;

type Session = Malicious;

fn circuit(cards: usize, draw: usize) -> ShuffleCircuit {
    ShuffleCircuit::build_checked(Spec::new(cards, draw, Algorithm::FisherYates).unwrap())
}

fn seeds(shuffle: &ShuffleCircuit) -> [Randomness; 2] {
    Party::BOTH.map(|party| shuffle.sample(party, &mut system_rng()))
}

/// Returns the decks that both parties keep after one shuffle with these seeds.
fn shuffled(shuffle: &ShuffleCircuit, seeds: &[Randomness; 2], name: &[u8]) -> [KeptDeck; 2] {
    sessions(in_memory(), |session: &mut Session| {
        let seeds = &seeds[session.role() as usize];
        KeptDeck::shuffle(session, shuffle, seeds, name).unwrap()
    })
}

/// Returns the decks of both parties after the check of their seeds.
fn kept(cards: usize, draw: usize) -> [KeptDeck; 2] {
    let shuffle = circuit(cards, draw);
    checked(shuffled(&shuffle, &seeds(&shuffle), b"hand 1"))
}

/// Lets each party show that its seeds are in range.
fn checked([mut garbler, mut evaluator]: [KeptDeck; 2]) -> [KeptDeck; 2] {
    garbler.check_seeds(&evaluator.validity()).unwrap();
    evaluator.check_seeds(&garbler.validity()).unwrap();
    [garbler, evaluator]
}

#[track_caller]
fn assert_refused(outcome: Result<Card, Error>, check: Check) {
    match outcome {
        Err(Error::Check(found)) => assert_eq!(found, check),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cards_open_as_shuffled_to_the_party_that_gets_the_share() {
    for algorithm in [Algorithm::FisherYates, Algorithm::Waksman] {
        let shuffle = ShuffleCircuit::build_checked(Spec::new(52, 9, algorithm).unwrap());
        let seeds = seeds(&shuffle);
        // Write and read the decks, and open them without the sessions.
        let decks = shuffled(&shuffle, &seeds, b"hand 1")
            .map(|deck| KeptDeck::from_bytes(&deck.to_bytes(), b"hand 1").unwrap());
        let [mut garbler, mut evaluator] = checked(decks);
        assert_eq!(garbler.len(), 9);
        let expected = evaluate(&shuffle, &[seeds]).remove(0);
        for (position, card) in expected.into_iter().map(u64::from).enumerate() {
            let (a, b) = (garbler.share(position), evaluator.share(position));
            assert_eq!(garbler.open(position, &b.unwrap()).unwrap().0, card);
            assert_eq!(garbler.seen(position).map(|card| card.0), Some(card));
            assert_eq!(evaluator.seen(position), None);
            assert_eq!(evaluator.open(position, &a.unwrap()).unwrap().0, card);
        }
    }
}

#[test]
fn card_is_the_sum_of_its_masked_value_and_both_shares() {
    let [garbler, mut evaluator] = kept(52, 3);
    for position in 0..3 {
        let masked = garbler.masked(position).unwrap();
        assert_eq!(evaluator.masked(position).unwrap(), masked);
        let [a, b] = [&garbler, &evaluator].map(|deck| deck.share(position).unwrap());
        let bits = masked.iter().zip(&a.bits).zip(&b.bits);
        let value = bits.rev().fold(0, |value, ((masked, a), b)| {
            value << 1 | u64::from(masked ^ a ^ b)
        });
        assert_eq!(evaluator.open(position, &a).unwrap().0, value);
    }
}

#[test]
fn no_card_opens_before_the_seeds_are_checked() {
    let shuffle = circuit(16, 4);
    let [garbler, mut evaluator] = shuffled(&shuffle, &seeds(&shuffle), b"hand 1");
    let share = garbler.share(0).unwrap();
    let mut reread = KeptDeck::from_bytes(&evaluator.to_bytes(), b"hand 1").unwrap();
    for deck in [&mut evaluator, &mut reread] {
        assert!(matches!(deck.open(0, &share), Err(Error::Usage(_))));
        assert_eq!(deck.seen(0), None);
        let mut other = garbler.validity();
        other.bits[1] ^= true;
        let refused = deck.check_seeds(&other);
        assert!(matches!(refused, Err(Error::Check(Check::KeptMacs))));
        assert!(matches!(deck.open(0, &share), Err(Error::Usage(_))));
        deck.check_seeds(&garbler.validity()).unwrap();
        assert!(deck.open(0, &share).is_ok());
    }
}

/// Returns seeds of both parties. The seeds of the cheater are in range only for a larger deck with
/// the same word width.
fn out_of_range(shuffle: &ShuffleCircuit, cheater: Party) -> [Randomness; 2] {
    let larger = circuit(64, 1);
    let mut seeds = seeds(shuffle);
    let value = [63, 0][cheater as usize];
    let seed = Randomness::from_values(&larger, cheater, &[value]).unwrap();
    assert_eq!(seed.bits().len(), seeds[cheater as usize].bits().len());
    seeds[cheater as usize] = seed;
    seeds
}

#[track_caller]
fn assert_out_of_range<R>(checked: Result<R, Error>, cheater: Party) {
    match checked {
        Err(Error::Check(Check::SeedsOutOfRange(owner))) => assert_eq!(owner, cheater),
        other => panic!("{:?}", other.err()),
    }
}

#[test]
fn seeds_out_of_range_are_found_by_both_and_open_no_card() {
    let shuffle = circuit(52, 1);
    for cheater in Party::BOTH {
        let seeds = out_of_range(&shuffle, cheater);
        let [mut garbler, mut evaluator] = shuffled(&shuffle, &seeds, b"hand 1");
        let (of_garbler, of_evaluator) = (garbler.validity(), evaluator.validity());
        for (deck, theirs) in [(&mut garbler, of_evaluator), (&mut evaluator, of_garbler)] {
            assert_out_of_range(deck.check_seeds(&theirs), cheater);
            assert!(matches!(deck.open(0, &theirs), Err(Error::Usage(_))));
        }
    }
}

#[test]
fn seeds_out_of_range_give_no_live_deck() {
    let shuffle = circuit(52, 1);
    for cheater in Party::BOTH {
        let seeds = out_of_range(&shuffle, cheater);
        let swap = Swap::default();
        sessions(in_memory(), |session: &mut Session| {
            let seeds = &seeds[session.role() as usize];
            let live = live(session, &shuffle, seeds, b"hand 1", &swap);
            assert_out_of_range(live, cheater);
        });
    }
}

#[test]
fn live_deck_refuses_its_own_share_of_the_validity() {
    let shuffle = circuit(16, 4);
    let seeds = seeds(&shuffle);
    let dealt = sessions(in_memory(), |session: &mut Session| {
        let seeds = &seeds[session.role() as usize];
        KeptDeck::shuffle_live(session, &shuffle, seeds, b"hand 1").unwrap()
    });
    let [_, (evaluator, unchecked)] = dealt;
    let refused = unchecked.check_seeds(&evaluator.validity());
    assert!(matches!(refused, Err(Error::Check(Check::KeptMacs))));
}

#[test]
fn different_deck_names_end_the_shuffle() {
    let shuffle = circuit(16, 4);
    let seeds = seeds(&shuffle);
    sessions(in_memory(), |session: &mut Session| {
        let me = session.role() as usize;
        let name: [&[u8]; 2] = [b"hand 1", b"hand 2"];
        assert!(KeptDeck::shuffle(session, &shuffle, &seeds[me], name[me]).is_err());
    });
}

#[test]
fn unchecked_circuit_is_refused_before_anything_is_sent() {
    let spec = Spec::new(16, 4, Algorithm::FisherYates).unwrap();
    let shuffle = ShuffleCircuit::build(spec);
    sessions(in_memory(), |session: &mut Session| {
        let before = session.traffic();
        let seeds = shuffle.sample(session.role(), &mut system_rng());
        let refused = KeptDeck::shuffle(session, &shuffle, &seeds, b"hand 1").err();
        assert!(matches!(refused, Some(Error::Usage(_))));
        assert_eq!(session.traffic(), before);
    });
}

#[test]
fn no_other_share_opens_a_card() {
    let [garbler, mut evaluator] = kept(16, 4);
    let honest = garbler.share(2).unwrap();
    let mut wrong = vec![
        garbler.share(1).unwrap(),
        evaluator.share(2).unwrap(),
        Share {
            bits: honest.bits[1..].to_vec(),
            ..honest.clone()
        },
        Share {
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
fn share_opens_no_deck_of_another_name_or_session() {
    let shuffle = circuit(16, 4);
    let seeds = seeds(&shuffle);
    // Two decks in one session, with the same seeds.
    let decks = sessions(in_memory(), |session: &mut Session| {
        let seeds = &seeds[session.role() as usize];
        [b"hand 1", b"hand 2"]
            .map(|name| KeptDeck::shuffle(session, &shuffle, seeds, name).unwrap())
    });
    let [[first, _], [_, mut second]] = decks;
    let refused = second.check_seeds(&first.validity());
    assert!(matches!(refused, Err(Error::Check(Check::KeptMacs))));
    let [garbler, _] = kept(16, 4);
    let [_, mut other] = kept(16, 4);
    assert_refused(other.open(0, &garbler.share(0).unwrap()), Check::KeptMacs);
}

#[test]
fn ended_session_keeps_no_deck() {
    let shuffle = circuit(8, 2);
    let seeds = seeds(&shuffle);
    sessions(in_memory(), |session: &mut Session| {
        session.abort();
        let seeds = &seeds[session.role() as usize];
        let refused = KeptDeck::shuffle(session, &shuffle, seeds, b"").err();
        assert!(matches!(refused, Some(Error::Session(mpc::Error::Ended))));
    });
}

#[test]
fn damaged_deck_is_not_read() {
    let [deck, _] = kept(16, 4);
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
    let huge = [&bytes[..16], &[0xff; 16]].concat();
    assert!(KeptDeck::from_bytes(&huge, b"hand 1").is_none());
}

#[test]
fn position_that_was_not_drawn_is_a_usage_error() {
    let [garbler, mut evaluator] = kept(16, 4);
    assert!(matches!(garbler.share(4), Err(Error::Usage(_))));
    let share = garbler.share(0).unwrap();
    assert!(matches!(evaluator.open(4, &share), Err(Error::Usage(_))));
}

/// Opens all cards of a deck to both parties.
fn opened([mut garbler, mut evaluator]: [KeptDeck; 2]) -> Vec<u64> {
    garbler.check_seeds(&evaluator.validity()).unwrap();
    evaluator.check_seeds(&garbler.validity()).unwrap();
    let count = garbler.len();
    let open = |position| {
        let theirs = evaluator.share(position).unwrap();
        let card = garbler.open(position, &theirs).unwrap();
        let mine = garbler.share(position).unwrap();
        assert_eq!(evaluator.open(position, &mine).unwrap(), card);
        card.0
    };
    (0..count).map(open).collect()
}

/// A place where two parties exchange values.
struct Swap<T> {
    /// The value that each party has left for its peer.
    left: [Mutex<Option<T>>; 2],
    both: Barrier,
}

impl<T> Default for Swap<T> {
    fn default() -> Self {
        Swap {
            left: [Mutex::new(None), Mutex::new(None)],
            both: Barrier::new(2),
        }
    }
}

impl<T> Swap<T> {
    fn with(&self, me: Party, mine: T) -> T {
        *self.left[me as usize].lock().unwrap() = Some(mine);
        self.both.wait();
        let theirs = &self.left[me.other() as usize];
        theirs.lock().unwrap().take().expect("the peer's value")
    }
}

/// Returns a live deck after each party has shown that its seeds are in range.
fn live(
    session: &mut Session,
    shuffle: &ShuffleCircuit,
    seeds: &Randomness,
    name: &[u8],
    swap: &Swap<Share>,
) -> Result<LiveDeck<AuthenticatedBit>, Error> {
    let (kept, unchecked) = KeptDeck::shuffle_live(session, shuffle, seeds, name)?;
    unchecked.check_seeds(&swap.with(session.role(), kept.validity()))
}

#[test]
fn hand_of_kept_cards_can_be_reshuffled_during_the_session() {
    let shuffle = circuit(52, 6);
    let seeds = seeds(&shuffle);
    let expected = cards_of(&shuffle, &seeds);
    let swap = Swap::default();
    let decks = sessions(in_memory(), |session: &mut Session| {
        let (me, rng) = (session.role() as usize, &mut system_rng());
        let deck = live(session, &shuffle, &seeds[me], b"hand 1", &swap).unwrap();
        // The deck after the second reshuffle is discarded. The third reshuffle starts from the
        // deck after the first, like the second.
        let (first, deck) = deck
            .reshuffle(session, &[4, 1, 5], b"steal 1", rng)
            .unwrap();
        let undone = deck.reshuffle(session, &[4, 0, 5], b"steal 2", rng);
        let (undone, _) = undone.unwrap();
        let third = deck.reshuffle(session, &[1, 0, 5], b"steal 3", rng);
        let (third, _) = third.unwrap();
        let reread = |kept: KeptDeck, name: &[u8]| {
            KeptDeck::from_bytes(&kept.to_bytes(), name).expect("a kept deck")
        };
        [
            reread(first, b"steal 1"),
            reread(undone, b"steal 2"),
            reread(third, b"steal 3"),
        ]
    });
    let [[first, undone, third], [of_first, of_undone, of_third]] = decks;
    let opened = [[first, of_first], [undone, of_undone], [third, of_third]].map(opened);
    let [first, undone, third] = opened;
    let sorted = |mut cards: Vec<u64>| {
        cards.sort_unstable();
        cards
    };
    let of = |positions: [usize; 3]| sorted(positions.map(|position| expected[position]).into());
    assert_eq!(sorted(first.clone()), of([4, 1, 5]));
    assert_eq!(
        sorted(undone),
        sorted(vec![first[0], expected[0], first[2]])
    );
    assert_eq!(sorted(third), sorted(vec![first[1], expected[0], first[2]]));
}

/// Returns the cards that the seeds draw.
fn cards_of(shuffle: &ShuffleCircuit, seeds: &[Randomness; 2]) -> Vec<u64> {
    let bits = seeds.each_ref().map(|seeds| seeds.bits().to_vec());
    let outputs = shuffle.circuit().evaluate(&bits).unwrap();
    shuffle
        .decode(&outputs)
        .into_iter()
        .map(u64::from)
        .collect()
}

#[test]
fn invalid_hand_is_refused_before_anything_is_sent() {
    let shuffle = circuit(16, 4);
    let seeds = seeds(&shuffle);
    let swap = Swap::default();
    sessions(in_memory(), |session: &mut Session| {
        let seeds = &seeds[session.role() as usize];
        let deck = live(session, &shuffle, seeds, b"hand 1", &swap).unwrap();
        let before = session.traffic();
        for hand in [&[][..], &[4], &[1, 1], &[0, 3, 0]] {
            let refused = deck.reshuffle(session, hand, b"steal", &mut system_rng());
            assert!(matches!(refused, Err(Error::Usage(_))), "{hand:?}");
        }
        assert_eq!(session.traffic(), before);
    });
}
