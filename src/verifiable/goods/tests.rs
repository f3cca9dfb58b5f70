//! Only the owner knows its hidden goods, and nobody chooses which of them is stolen.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::partials::BadPartials;
use crate::verifiable::tests::{Fixture, contexts};
use crate::verifiable::{Coin, Decks, Partials, Receiver, Slot};

/// The number of the goods among the decks.
const GOODS: usize = 1;

/// Goods of these kinds, of four.
fn gained(kinds: &[u64]) -> Goods {
    let mut goods = Goods::new(&Cards::kinds(4, 8).unwrap());
    for &kind in kinds {
        goods.gain(Card(kind)).unwrap();
    }
    goods
}

fn context(fixture: &Fixture, seat: usize, step: u64) -> Context<'_> {
    Context {
        deck: GOODS as u64,
        ..fixture.context(seat, step)
    }
}

/// All that a hand is played with: a deck, the goods and the coins.
fn decks(fixture: &Fixture, goods: &Goods) -> Decks {
    let deck = fixture.deck(1, &mut StdRng::seed_from_u64(1));
    let decks = Decks::new(vec![deck]).with_goods(goods);
    decks.with_coins(&fixture.roster, 3)
}

fn slot(position: usize, receiver: Receiver) -> Slot {
    Slot {
        deck: GOODS,
        position,
        receiver,
    }
}

/// The kind of a hidden good, opened to all.
fn kind(fixture: &Fixture, goods: &Goods, position: usize) -> Option<Card> {
    let (decks, seats) = (decks(fixture, goods), fixture.roster.seats());
    let openers: Vec<usize> = (0..seats.threshold()).collect();
    let partials = fixture.gather(&decks, &openers, slot(position, Receiver::All));
    decks.open(seats, GOODS, position, &partials)
}

#[test]
fn a_mixed_hand_has_the_same_kinds_in_an_order_that_its_owner_knows() {
    let fixture = Fixture::new(3, 3);
    let goods = gained(&[0, 1, 1, 2, 3, 3]);
    // The goods of seat 1; the others keep theirs.
    let (hand, own) = ([1, 2, 3, 5], [1, 1, 2, 3].map(Card));
    let context = context(&fixture, 1, 9);
    let rng = || StdRng::seed_from_u64(4);
    let (part, mixed) = goods.mix(&context, &hand, &mut rng()).unwrap();
    assert_eq!(part.len(), Goods::mix_len(4));
    let verified = goods.verify_mix(&context, &hand, &part).unwrap();
    assert_eq!(verified.0.places, mixed.0.places);
    for position in [0, 4] {
        assert_eq!(mixed.0.places[position], goods.0.places[position]);
    }
    let unmixed = goods.unmixed(&hand).unwrap();
    let known = unmixed.follow(&context, &own, &mut rng()).unwrap();
    let opened = hand.map(|position| kind(&fixture, &mixed, position).unwrap());
    assert_eq!(opened[..], known);
    let mut sorted = known.clone();
    sorted.sort_unstable_by_key(|card| card.0);
    assert_eq!(sorted, own);

    // Once more, from what the owner knows.
    let next = Context {
        step: 11,
        ..context
    };
    let (part, again) = mixed.mix(&next, &hand[1..], &mut rng()).unwrap();
    assert!(mixed.verify_mix(&next, &hand[1..], &part).is_ok());
    let unmixed = mixed.unmixed(&hand[1..]).unwrap();
    let followed = unmixed.follow(&next, &known[1..], &mut rng());
    let opened = [2, 3, 5].map(|position| kind(&fixture, &again, position).unwrap());
    assert_eq!(opened[..], followed.unwrap());
}

#[test]
fn a_mix_is_valid_for_its_goods_and_its_place_only() {
    let fixture = Fixture::new(2, 2);
    let other = Fixture::new(3, 2);
    let mut rng = StdRng::seed_from_u64(2);
    let goods = gained(&[0, 1, 1, 2]);
    let (context, hand) = (context(&fixture, 1, 9), [0, 1, 3]);
    let (part, mixed) = goods.mix(&context, &hand, &mut rng).unwrap();
    let verify = |goods: &Goods, context: &Context<'_>, hand: &[usize], part: &[u8]| {
        goods.verify_mix(context, hand, part).err()
    };
    assert_eq!(verify(&goods, &context, &hand, &part), None);
    for elsewhere in contexts(context, &other.roster) {
        let refused = verify(&goods, &elsewhere, &hand, &part);
        assert_eq!(refused, Some(BadShuffle::Proof), "{elsewhere:?}");
    }
    for byte in 0..part.len() {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        assert!(
            verify(&goods, &context, &hand, &changed).is_some(),
            "{byte}"
        );
    }
    // Goods of another kind at one place; a mix again; the goods of another seat in the hand.
    let others = gained(&[0, 1, 1, 3]);
    for (goods, hand) in [
        (&others, [0, 1, 3]),
        (&mixed, [0, 1, 3]),
        (&goods, [1, 2, 3]),
    ] {
        let refused = verify(goods, &context, &hand, &part);
        assert_eq!(refused, Some(BadShuffle::Proof));
    }
    assert_eq!(
        verify(&goods, &context, &hand, &part[1..]),
        Some(BadShuffle::Encoding)
    );
    assert_eq!(
        verify(&goods, &context, &[0, 1], &part),
        Some(BadShuffle::Encoding)
    );
    // The shuffle of a deck with the same places.
    let same = VerifiedDeck {
        cards: Arc::clone(&goods.0.cards),
        places: hand.map(|position| goods.0.places[position]).to_vec(),
    };
    let (part, _) = same.shuffle(&Context { deck: 0, ..context }, &mut rng);
    assert_eq!(
        verify(&goods, &context, &hand, &part),
        Some(BadShuffle::Proof)
    );
}

#[test]
fn positions_that_are_no_hand_of_goods_are_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(3);
    let (goods, context) = (gained(&[0; 10]), context(&fixture, 0, 9));
    let too_many: Vec<usize> = (0..9).collect();
    for hand in [&[][..], &[10], &[1, 0], &[1, 1], &too_many] {
        let refused = goods.mix(&context, hand, &mut rng).err();
        assert_eq!(refused, Some(BadShuffle::Places), "{hand:?}");
        let refused = goods.verify_mix(&context, hand, &[]).err();
        assert_eq!(refused, Some(BadShuffle::Places), "{hand:?}");
        let refused = goods.unmixed(hand).err();
        assert_eq!(refused, Some(BadShuffle::Places), "{hand:?}");
    }
    let unmixed = goods.unmixed(&[0, 1]).unwrap();
    let followed = unmixed.follow(&context, &[Card(0)], &mut rng);
    assert_eq!(followed.err(), Some(BadShuffle::Places));
    assert_eq!(gained(&[]).gain(Card(4)), None);
    assert!(Cards::kinds(0, 8).is_none() && Cards::kinds(4, 0).is_none());
}

#[test]
fn partials_of_a_good_are_bound_to_the_goods_as_they_are_now() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(5);
    let goods = gained(&[0, 1, 2]);
    let (_, mixed) = goods
        .mix(&context(&fixture, 0, 9), &[0, 1], &mut rng)
        .unwrap();
    let now = decks(&fixture, &mixed);
    let (slots, at) = ([slot(0, Receiver::All)], fixture.context(1, 50));
    let part = fixture.part(&now, 1, &slots);
    assert!(Partials::verify(&at, &now, &slots, &part).is_ok());
    let (_, later) = mixed
        .mix(&context(&fixture, 0, 10), &[0, 1], &mut rng)
        .unwrap();
    let mut more = mixed.clone();
    more.gain(Card(3)).unwrap();
    for goods in [&later, &more] {
        let refused = Partials::verify(&at, &decks(&fixture, goods), &slots, &part).err();
        assert_eq!(refused, Some(BadPartials::Proof));
    }
    // Everybody knows a good that was not mixed, so there is nothing to open.
    let public = [slot(2, Receiver::All)];
    let refused = Partials::verify(&at, &now, &public, &part).err();
    assert_eq!(refused, Some(BadPartials::Slot));
}

#[test]
fn a_stolen_good_is_seen_by_the_thief_alone() {
    let fixture = Fixture::new(4, 3);
    let (owner, thief, rng) = (2, 0, || StdRng::seed_from_u64(6));
    let goods = gained(&[3, 2, 1, 0]);
    let (hand, kinds) = ([0, 1, 2, 3], [3, 2, 1, 0].map(Card));
    let at = context(&fixture, owner, 9);
    let (_, mixed) = goods.mix(&at, &hand, &mut rng()).unwrap();
    let unmixed = goods.unmixed(&hand).unwrap();
    let known = unmixed.follow(&at, &kinds, &mut rng()).unwrap();
    let (decks, seats) = (decks(&fixture, &mixed), fixture.roster.seats());
    let of_coin = Slot {
        deck: decks.coins(),
        position: 0,
        receiver: Receiver::All,
    };
    let partials = fixture.gather(&decks, &[0, 1, 3], of_coin);
    let coin = Coin::open(&decks, seats, 0, &partials).unwrap();
    let pick = coin.numbers(4).next().unwrap() as usize;
    let partials = fixture.gather(&decks, &[1, 3], slot(pick, Receiver::Seat(thief)));
    let see = |seat: usize| decks.open_own(seats, GOODS, pick, &partials, &fixture.secrets[seat]);
    assert_eq!(see(thief), Some(known[pick]));
    assert!([1, 2, 3].iter().all(|&seat| see(seat).is_none()));
    // The others are still closed to the thief.
    for other in (0..4).filter(|&other| other != pick) {
        let key = &fixture.secrets[thief];
        assert_eq!(decks.open_own(seats, GOODS, other, &partials, key), None);
    }
}

/// Fails unless the numbers below 4 are about equally frequent.
fn assert_uniform(picks: impl Iterator<Item = usize>) {
    let mut counts = [0_u32; 4];
    picks.for_each(|pick| counts[pick] += 1);
    let expected = f64::from(counts.iter().sum::<u32>()) / 4.0;
    // Chi-squared with 3 degrees of freedom: 25 is exceeded with probability 1.5e-5.
    let excess = counts.map(|count| (f64::from(count) - expected).powi(2) / expected);
    assert!(excess.iter().sum::<f64>() < 25.0, "{counts:?}");
}

/// The coins of a hand of three seats, two of which open them.
fn picks(fixture: &Fixture, count: usize) -> Vec<usize> {
    let decks = decks(fixture, &gained(&[]));
    let pick = |number| {
        let slot = Slot {
            deck: decks.coins(),
            position: number,
            receiver: Receiver::All,
        };
        let partials = fixture.gather(&decks, &[0, 1], slot);
        let coin = Coin::open(&decks, fixture.roster.seats(), number, &partials).unwrap();
        coin.numbers(4).next().unwrap() as usize
    };
    (0..count).map(pick).collect()
}

/// The owner of the goods and the thief are accomplices. They choose any order, and the coin comes
/// after it. Alone or with a coin that they could foresee, they would choose the good.
#[test]
fn owner_and_thief_together_do_not_choose_the_stolen_good() {
    let fixture = Fixture::new(3, 2);
    let goods = gained(&[0, 1, 2, 3]);
    let (hand, kinds) = ([0, 1, 2, 3], [0, 1, 2, 3].map(Card));
    let picks = picks(&fixture, 400);
    let unmixed = goods.unmixed(&hand).unwrap();
    let mix = |round: usize, rng: &mut StdRng| {
        let at = context(&fixture, 0, round as u64);
        unmixed.follow(&at, &kinds, rng).unwrap()
    };
    let mut rng = StdRng::seed_from_u64(7);
    // A fixed order, one that depends on the last pick, and the one of several mixes in which good 0
    // comes first.
    let fixed = picks.iter().copied();
    assert_uniform(fixed);
    let after = picks.windows(2).map(|pair| (pair[0] + pair[1]) % 4);
    assert_uniform(after);
    let first = picks.iter().enumerate().map(|(round, &pick)| {
        let mut mixed = mix(round, &mut rng);
        while mixed[0] != Card(0) {
            mixed = mix(round, &mut rng);
        }
        mixed[pick].0 as usize
    });
    assert_uniform(first);
    // An honest owner, and a thief who chooses the place.
    let honest = (0..400).map(|round| mix(round, &mut rng)[1].0 as usize);
    assert_uniform(honest);
    // If the coin came before the mix, the owner would choose: good 0 goes every time.
    let early = picks.iter().enumerate().take(50).map(|(round, &pick)| {
        let mut mixed = mix(round, &mut rng);
        while mixed[pick] != Card(0) {
            mixed = mix(round, &mut rng);
        }
        mixed[pick].0
    });
    assert!(early.into_iter().all(|stolen| stolen == 0));
}
