//! A shuffle is bound to its place in the log, to its input, and to each of its bytes.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
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
fn one_honest_shuffle_gives_every_order_equally_often() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(4);
    let cards = crate::verifiable::Cards::new("deck", 3).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for round in 0..600 {
        let context = fixture.context(0, round);
        let (_, deck) = VerifiedDeck::start(&cards).shuffle(&context, &mut rng);
        let order: Vec<u64> = fixture.open_all(deck).iter().map(|card| card.0).collect();
        *counts.entry(order).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 6);
    // Chi-squared with 5 degrees of freedom: 30 is exceeded with probability 1.5e-5.
    let excess = counts
        .values()
        .map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0);
    assert!(excess.sum::<f64>() < 30.0, "{counts:?}");
}
