//! A shuffle is bound to its place in the log, to its input, and to each of its bytes.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::keys::lagrange;
use crate::verifiable::tests::{Fixture, contexts};

#[test]
fn every_changed_byte_of_a_shuffle_is_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(1);
    let deck = fixture.deck(3, &mut rng);
    let context = fixture.context(0, 5);
    let (part, shuffled) = deck.shuffle(&context, &mut rng);
    assert_eq!(part.len(), 224 * 3 + 288);
    let read = deck.verify_shuffle(&context, &part).unwrap();
    assert_eq!(read.places, shuffled.places);
    for byte in 0..part.len() {
        for bit in [1, 0x80] {
            let mut changed = part.clone();
            changed[byte] ^= bit;
            assert!(deck.verify_shuffle(&context, &changed).is_err(), "{byte}");
        }
    }
    for wrong in [
        &part[1..],
        &part[..part.len() - 1],
        &[&part[..], &[0]].concat(),
    ] {
        let refused = deck.verify_shuffle(&context, wrong).err();
        assert_eq!(refused, Some(BadShuffle::Encoding));
    }
}

#[test]
fn a_shuffle_is_valid_at_its_place_and_for_its_deck_only() {
    let fixture = Fixture::new(3, 3);
    let other = Fixture::new(3, 2);
    let mut rng = StdRng::seed_from_u64(2);
    let deck = fixture.deck(4, &mut rng);
    let context = fixture.context(1, 5);
    let (part, shuffled) = deck.shuffle(&context, &mut rng);
    assert!(deck.verify_shuffle(&context, &part).is_ok());
    for elsewhere in contexts(context, &other.roster) {
        let refused = deck.verify_shuffle(&elsewhere, &part).err();
        assert_eq!(refused, Some(BadShuffle::Proof), "{elsewhere:?}");
    }
    assert!(shuffled.verify_shuffle(&context, &part).is_err());
}

#[test]
fn a_part_shuffles_each_deck_of_a_hand_and_is_bound_to_their_order() {
    let fixture = Fixture::new(3, 3);
    let rng = &mut StdRng::seed_from_u64(6);
    let counts = [3, 2, 4];
    let names = ["tiles", "numbers", "cards"];
    let starts = names.iter().zip(counts).map(|(name, count)| {
        VerifiedDeck::start(&crate::verifiable::Cards::new(name, count).unwrap())
    });
    let start = Decks::new(starts.collect());
    let context = fixture.context(1, 5);
    let (part, shuffled) = start.shuffle(&context, rng);
    assert_eq!(part.len(), Decks::shuffle_len(counts));
    let verified = start.verify_shuffle(&context, &part).unwrap();
    assert_eq!(verified.digest(), shuffled.digest());
    for (number, count) in counts.into_iter().enumerate() {
        let deck = VerifiedDeck::clone(&verified.decks[number]);
        let mut cards: Vec<u64> = fixture.open_all(deck).iter().map(|card| card.0).collect();
        cards.sort_unstable();
        assert_eq!(cards, (0..count as u64).collect::<Vec<_>>());
    }
    let refused = |decks: &Decks, part: &[u8]| decks.verify_shuffle(&context, part).err();
    let long = [&part[..], &[0]].concat();
    for wrong in [&part[1..], &part[..part.len() - 1], &long, &[]] {
        assert_eq!(refused(&start, wrong), Some(BadShuffle::Encoding));
    }
    // A byte in each of the three, and the shuffle of one deck for another deck of the same size.
    for byte in [40, Decks::shuffle_len([3]) + 40, part.len() - 40] {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        assert!(refused(&start, &changed).is_some(), "{byte}");
    }
    let twins = Decks::new(vec![VerifiedDeck::clone(&start.decks[0]); 2]);
    let (mut part, _) = twins.shuffle(&context, rng);
    part.rotate_left(Decks::shuffle_len([3]));
    assert_eq!(refused(&twins, &part), Some(BadShuffle::Proof));
}

#[test]
fn one_honest_shuffle_gives_every_order_equally_often() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(4);
    let cards = crate::verifiable::Cards::new("deck", 3).unwrap();
    let mut counts = BTreeMap::new();
    for round in 0..600 {
        let context = fixture.context(0, round);
        let (_, deck) = VerifiedDeck::start(&cards).shuffle(&context, &mut rng);
        let order: Vec<u64> = fixture.open_all(deck).iter().map(|card| card.0).collect();
        *counts.entry(order).or_insert(0_u32) += 1;
    }
    assert_uniform(&counts);
}

/// Fails unless the six orders of three cards are about equally frequent in 600 decks.
fn assert_uniform(counts: &BTreeMap<Vec<u64>, u32>) {
    assert_eq!(counts.len(), 6);
    // Chi-squared with 5 degrees of freedom: 30 is exceeded with probability 1.5e-5.
    let excess = counts
        .values()
        .map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0);
    assert!(excess.sum::<f64>() < 30.0, "{counts:?}");
}

/// Accomplices who shuffle before the honest seat leave the cards in order. Those who shuffle after
/// it sort what they see, by the bytes of the ciphertexts.
#[test]
fn all_other_seats_together_do_not_choose_an_order() {
    for (seats, honest) in [(3, 0), (3, 1), (3, 2), (6, 2)] {
        let fixture = Fixture::new(seats, seats);
        let mut rng = StdRng::seed_from_u64(5);
        let cards = crate::verifiable::Cards::new("deck", 3).unwrap();
        let all: Vec<usize> = (0..seats).collect();
        let secret = fixture.secrets.iter();
        let secret: Scalar = secret
            .map(|key| lagrange(&all, key.seat) * key.secret)
            .sum();
        let mut counts = BTreeMap::new();
        for round in 0..600 {
            let mut deck = VerifiedDeck::start(&cards);
            for seat in 0..seats {
                if seat == honest {
                    let context = fixture.context(seat, round);
                    let (part, _) = deck.shuffle(&context, &mut rng);
                    deck = deck.verify_shuffle(&context, &part).unwrap();
                } else if seat > honest {
                    deck.places.sort_by_key(|place| *place.a.bytes());
                }
            }
            let card = |place: &Ciphertext| cards.card(&(place.b.get() - secret * place.a.get()));
            let order = deck.places.iter().map(|place| card(place).unwrap().0);
            let order = order.collect();
            *counts.entry(order).or_insert(0_u32) += 1;
        }
        assert_uniform(&counts);
    }
}
