//! A coin is the same whoever opens it, and nobody chooses it.

use std::collections::BTreeSet;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::coin_point;
use crate::verifiable::keys::lagrange;
use crate::verifiable::partials::BadPartials;
use crate::verifiable::tests::{Fixture, contexts};
use crate::verifiable::{Context, Partials, VerifiedDeck};

/// The coins of the hand that the contexts of a fixture name, with one deck.
fn decks(fixture: &Fixture) -> Decks {
    let deck = fixture.deck(2, &mut StdRng::seed_from_u64(1));
    Decks::new(vec![deck]).with_coins(&fixture.roster, 3)
}

fn slot(decks: &Decks, number: usize) -> Slot {
    Slot {
        deck: decks.coins(),
        position: number,
        receiver: Receiver::All,
    }
}

fn opened(fixture: &Fixture, decks: &Decks, seats: &[usize], number: usize) -> Option<Coin> {
    let partials = fixture.gather(decks, seats, slot(decks, number));
    Coin::open(decks, fixture.roster.seats(), number, &partials)
}

#[test]
fn a_coin_is_the_same_whoever_opens_it_and_fewer_seats_open_nothing() {
    let fixture = Fixture::new(5, 3);
    let decks = decks(&fixture);
    let mut coins = Vec::new();
    for one in 0..5 {
        for two in one + 1..5 {
            assert_eq!(opened(&fixture, &decks, &[one, two], 0), None);
            for three in two + 1..5 {
                coins.push(opened(&fixture, &decks, &[one, two, three], 0).unwrap());
            }
        }
    }
    assert_eq!(coins.len(), 10);
    assert!(coins.iter().all(|coin| *coin == coins[0]));
    assert_eq!(opened(&fixture, &decks, &[0, 1, 2, 3], 0), None);
}

#[test]
fn a_share_published_by_a_seat_that_leaves_opens_the_same_coin() {
    let fixture = Fixture::new(3, 3);
    let decks = decks(&fixture);
    let share = fixture.secrets[2].share();
    let mut partials = fixture.gather(&decks, &[0, 1], slot(&decks, 4));
    let published = Partial::published(&fixture.roster, &decks, &slot(&decks, 4), 2, &share);
    partials.push(published.unwrap());
    let coin = Coin::open(&decks, fixture.roster.seats(), 4, &partials);
    assert_eq!(coin, opened(&fixture, &decks, &[0, 1, 2], 4));
    assert!(coin.is_some());
}

#[test]
fn coins_of_other_numbers_hands_and_keys_are_unrelated() {
    let (fixture, other) = (Fixture::new(2, 2), Fixture::new(3, 2));
    let point =
        |fixture: &Fixture, hand, number| *coin_point(&fixture.roster.digest, hand, number).bytes();
    let points = [
        point(&fixture, 3, 0),
        point(&fixture, 3, 1),
        point(&fixture, 4, 0),
        point(&other, 3, 0),
    ];
    assert_eq!(points.iter().collect::<BTreeSet<_>>().len(), 4);
    let decks = decks(&fixture);
    let coins = [0, 1].map(|number| opened(&fixture, &decks, &[0, 1], number).unwrap());
    assert_ne!(coins[0], coins[1]);
    // The partials of one coin open no other.
    let partials = fixture.gather(&decks, &[0, 1], slot(&decks, 0));
    assert_eq!(
        Coin::open(&decks, fixture.roster.seats(), 1, &partials),
        None
    );
}

/// The last seat sees the coin before it opens it, and tries other partials until it likes the number.
#[test]
fn the_last_opener_cannot_choose_a_coin() {
    let fixture = Fixture::new(3, 3);
    let decks = decks(&fixture);
    let of = slot(&decks, 0);
    let real = opened(&fixture, &decks, &[0, 1, 2], 0).unwrap();
    let (part, context) = (fixture.part(&decks, 2, &[of]), fixture.context(2, 50));
    let mut chosen = 0;
    for multiple in 1..40_u8 {
        let moved = RistrettoPoint::mul_base(&Scalar::from(multiple));
        let mut partials = fixture.gather(&decks, &[0, 1, 2], of);
        let value = Point::new(partials[2].value.get() + moved);
        partials[2].value = value;
        // Without the proof the attack works.
        let coin = Coin::open(&decks, fixture.roster.seats(), 0, &partials).unwrap();
        let shift = moved * lagrange(&[0, 1, 2], 2);
        assert_eq!(*coin.value.get(), real.value.get() + shift);
        chosen += usize::from(coin.numbers(6).next() == Some(5));
        let mut lie = part.clone();
        lie[..32].copy_from_slice(value.bytes());
        let refused = Partials::verify(&context, &decks, &[of], &lie).err();
        assert_eq!(refused, Some(BadPartials::Proof));
    }
    assert!(chosen > 0);
}

#[test]
fn partials_of_a_coin_are_valid_at_their_place_only() {
    let fixture = Fixture::new(3, 2);
    let other = Fixture::new(3, 3);
    let decks = decks(&fixture);
    let slots = [slot(&decks, 7)];
    let (part, context) = (fixture.part(&decks, 1, &slots), fixture.context(1, 50));
    assert_eq!(part.len(), 96);
    let verify = |context: &Context<'_>, decks: &Decks, slots: &[Slot], part: &[u8]| {
        Partials::verify(context, decks, slots, part).err()
    };
    assert_eq!(verify(&context, &decks, &slots, &part), None);
    for elsewhere in contexts(context, &other.roster) {
        assert!(
            verify(&elsewhere, &decks, &slots, &part).is_some(),
            "{elsewhere:?}"
        );
    }
    for byte in 0..part.len() {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        assert!(
            verify(&context, &decks, &slots, &changed).is_some(),
            "{byte}"
        );
    }
    let next = [slot(&decks, 8)];
    assert_eq!(
        verify(&context, &decks, &next, &part),
        Some(BadPartials::Proof)
    );
    // A coin for one seat, the coins of another hand, and decks without coins.
    let to_seat = [Slot {
        receiver: Receiver::Seat(0),
        ..slots[0]
    }];
    let same = decks.decks.iter().map(|deck| VerifiedDeck::clone(deck));
    let without = Decks::new(same.collect());
    let elsewhere = without.clone().with_coins(&fixture.roster, 4);
    let theirs = without.clone().with_coins(&other.roster, 3);
    for (decks, slots) in [
        (&decks, &to_seat),
        (&elsewhere, &slots),
        (&theirs, &slots),
        (&without, &slots),
    ] {
        assert_eq!(
            verify(&context, decks, slots, &part),
            Some(BadPartials::Slot)
        );
    }
    assert_eq!(Coin::open(&without, fixture.roster.seats(), 7, &[]), None);
}

#[test]
fn numbers_are_exactly_uniform() {
    for below in [1, 2, 3, 6, 7, 1000, 1 << 31, (1 << 31) + 1, u32::MAX] {
        // The accepted words are those below this limit, a multiple of `below`.
        let limit = (1 << 32) - (1_u64 << 32) % u64::from(below);
        let below_64 = u64::from(below);
        assert!(limit.is_multiple_of(below_64) && (1 << 32) - limit < below_64);
        let edges = [0, limit - 1, limit, u64::from(u32::MAX)];
        let words = edges
            .into_iter()
            .filter_map(|word| u32::try_from(word).ok());
        let expected: Vec<u32> = (words.clone())
            .filter(|&word| u64::from(word) < limit)
            .map(|word| word % below)
            .collect();
        let numbers: Vec<u32> = uniform(words, below).collect();
        assert_eq!(numbers, expected, "{below}");
        assert_eq!(numbers[..2], [0, below - 1], "{below}");
    }
}

#[test]
fn the_faces_of_many_coins_are_equally_frequent() {
    let fixture = Fixture::new(2, 2);
    let mut counts = [0_u32; 36];
    for number in 0..7200 {
        let coin = Coin {
            value: Point::new(
                coin_point(&fixture.roster.digest, 0, number).get() * Scalar::from(9_u8),
            ),
        };
        let dice: Vec<u32> = coin.numbers(6).take(2).collect();
        counts[(dice[0] * 6 + dice[1]) as usize] += 1;
        assert_eq!(dice, coin.numbers(6).take(2).collect::<Vec<_>>());
    }
    // Chi-squared with 35 degrees of freedom: 80 is exceeded with probability 2e-5.
    let excess = counts.map(|count| (f64::from(count) - 200.0).powi(2) / 200.0);
    assert!(excess.iter().sum::<f64>() < 80.0, "{counts:?}");
}
