//! Partials are bound to their place, to each of their bytes, and to the share of their seat.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::{Cards, VerifiedDeck};
use crate::verifiable::tests::{Fixture, contexts, to_all, to_seat};

mod attacks;

#[test]
fn every_changed_byte_of_partials_is_refused_and_they_are_bound_to_their_place() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let other = Fixture::new(3, 2);
    let slots = [to_all(0), to_seat(1, 0), to_seat(2, 0), to_seat(2, 2)];
    let (part, context) = (fixture.part(&decks, 1, &slots), fixture.context(1, 50));
    assert_eq!(part.len(), 32 + 3 * 64 + 64 + 2 * 32);
    let verify =
        |context: &Context<'_>, part: &[u8]| Partials::verify(context, &decks, &slots, part).err();
    assert_eq!(verify(&context, &part), None);
    for byte in 0..part.len() {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        assert!(verify(&context, &changed).is_some(), "{byte}");
    }
    for elsewhere in contexts(context, &other.roster) {
        assert!(verify(&elsewhere, &part).is_some(), "{elsewhere:?}");
    }
    assert_eq!(verify(&context, &part[1..]), Some(BadPartials::Encoding));
    let other_decks = Decks::new(vec![fixture.deck(5, &mut StdRng::seed_from_u64(10))]);
    let refused = Partials::verify(&context, &other_decks, &slots, &part).err();
    assert_eq!(refused, Some(BadPartials::Proof));
    // The same deck with another second component, and the same keys under another digest.
    let mut changed = VerifiedDeck::clone(&decks.decks[0]);
    changed.places[4].b = changed.places[3].b;
    let refused = Partials::verify(&context, &Decks::new(vec![changed]), &slots, &part).err();
    assert_eq!(refused, Some(BadPartials::Proof));
    let mut roster = fixture.roster.clone();
    roster.digest[0] ^= 1;
    let elsewhere = Context {
        roster: &roster,
        ..context
    };
    assert_eq!(verify(&elsewhere, &part), Some(BadPartials::Proof));
    let moved = [to_all(3), slots[1], slots[2], slots[3]];
    assert!(Partials::verify(&context, &decks, &moved, &part).is_err());
}

#[test]
fn slots_that_name_no_card_or_no_seat_are_refused() {
    let (fixture, decks) = Fixture::dealt(2, 2);
    let mut rng = StdRng::seed_from_u64(6);
    let other_deck = Slot {
        deck: 1,
        ..to_all(0)
    };
    let wrong: [&[Slot]; 7] = [
        &[],
        &[to_all(5)],
        &[other_deck],
        &[to_seat(0, 2)],
        &[to_seat(0, 0)],
        &[to_all(1), to_all(0)],
        &[to_all(0), to_all(0)],
    ];
    for slots in wrong {
        let (context, key) = (fixture.context(0, 50), &fixture.secrets[0]);
        let made = Partials::make(&context, &decks, slots, key, &mut rng).err();
        assert_eq!(made, Some(BadPartials::Slot), "{slots:?}");
    }
}

/// A part of seat 2 whose partials are changed before the proof is made.
fn lying_part(
    fixture: &Fixture,
    decks: &Decks,
    slots: &[Slot],
    change: impl Fn(&mut [Partial]),
) -> Vec<u8> {
    let (context, key) = (fixture.context(2, 50), &fixture.secrets[2]);
    let mut rng = StdRng::seed_from_u64(8);
    let (_, Partials(honest)) = Partials::make(&context, decks, slots, key, &mut rng).unwrap();
    let mut partials: Vec<Partial> = honest.into_iter().map(|(_, partial)| partial).collect();
    let statement = Statement::new(&context, decks, slots).unwrap();
    let masks = statement.masks(key, &mut StdRng::seed_from_u64(8));
    let part = statement.sign(&partials, key, &masks, &mut rng);
    assert!(Partials::verify(&context, decks, slots, &part).is_ok());
    change(&mut partials);
    statement.sign(&partials, key, &masks, &mut rng)
}

fn refused(fixture: &Fixture, decks: &Decks, slots: &[Slot], part: &[u8]) {
    let context = fixture.context(2, 50);
    let refused = Partials::verify(&context, decks, slots, part).err();
    assert_eq!(refused, Some(BadPartials::Proof));
}

#[test]
fn the_last_opener_cannot_choose_the_card() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let start = VerifiedDeck::start(&Cards::new("deck", 5).unwrap());
    let card = |number: usize| *start.places[number].b.get();
    let real = fixture.opens(&decks, &[0, 1, 2], 0).unwrap().0 as usize;
    let wanted = (real + 1) % 5;
    let moved = (card(real) - card(wanted)) * lagrange(&[0, 1, 2], 2).invert();
    let slots = [to_all(0)];
    let part = lying_part(&fixture, &decks, &slots, |partials| {
        partials[0].value = Point::new(partials[0].value.get() + moved);
    });
    // Without the proof the attack works.
    let mut partials = fixture.gather(&decks, &[0, 1], slots[0]);
    partials.push(Partial {
        seat: 2,
        slot: slots[0],
        mask: None,
        value: Reader::new(&part[..32], 32).unwrap().point().unwrap(),
    });
    let opened = decks.open(fixture.roster.seats(), 0, 0, &partials);
    assert_eq!(opened, Some(Card(wanted as u64)));
    refused(&fixture, &decks, &slots, &part);
}

#[test]
fn errors_that_cancel_and_copied_parts_are_refused() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let difference = RistrettoPoint::mul_base(&Scalar::from(5_u8));
    // In two cards for all, in two for one seat, in cards for two seats, and in one card for both.
    for slots in [
        [to_all(0), to_all(1)],
        [to_seat(0, 1), to_seat(1, 1)],
        [to_seat(0, 1), to_seat(1, 0)],
        [to_all(0), to_seat(0, 0)],
    ] {
        let part = lying_part(&fixture, &decks, &slots, |partials| {
            partials[0].value = Point::new(partials[0].value.get() + difference);
            partials[1].value = Point::new(partials[1].value.get() - difference);
        });
        refused(&fixture, &decks, &slots, &part);
    }
    refused(
        &fixture,
        &decks,
        &[to_all(0)],
        &fixture.part(&decks, 0, &[to_all(0)]),
    );
}

#[test]
fn errors_in_masks_that_cancel_and_exchanged_masks_are_refused() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let difference = RistrettoPoint::mul_base(&Scalar::from(5_u8));
    for slots in [
        [to_seat(0, 1), to_seat(1, 1)],
        [to_seat(0, 1), to_seat(1, 0)],
    ] {
        let cancelling = lying_part(&fixture, &decks, &slots, |partials| {
            let [first, second] = [0, 1].map(|i| *partials[i].mask.unwrap().get());
            partials[0].mask = Some(Point::new(first + difference));
            partials[1].mask = Some(Point::new(second - difference));
        });
        refused(&fixture, &decks, &slots, &cancelling);
        let exchanged = lying_part(&fixture, &decks, &slots, |partials| {
            let first = partials[0].mask;
            partials[0].mask = partials[1].mask;
            partials[1].mask = first;
        });
        refused(&fixture, &decks, &slots, &exchanged);
    }
}

#[test]
fn a_part_opens_cards_of_two_decks_and_is_bound_to_both() {
    let fixture = Fixture::new(3, 3);
    let mut rng = StdRng::seed_from_u64(11);
    let decks = [(); 2].map(|()| fixture.deck(3, &mut rng));
    let [one, two] = decks.clone();
    let both = Decks::new(decks.to_vec());
    let of_second = |slot: Slot| Slot { deck: 1, ..slot };
    let slots = [to_all(0), of_second(to_all(0)), of_second(to_seat(1, 0))];
    let context = fixture.context(2, 50);
    let part = fixture.part(&both, 2, &slots);
    assert!(Partials::verify(&context, &both, &slots, &part).is_ok());
    for position in 0..3 {
        let slot = of_second(to_all(position));
        let partials = fixture.gather(&both, &[0, 1, 2], slot);
        let opened = both.open(fixture.roster.seats(), 1, position, &partials);
        let alone = Decks::new(vec![two.clone()]);
        assert_eq!(opened, fixture.opens(&alone, &[0, 1, 2], position));
        // Partials of one deck open nothing in the other one.
        assert_eq!(
            both.open(fixture.roster.seats(), 0, position, &partials),
            None
        );
    }
    // The decks exchanged, one of them shuffled again, or one more.
    let (_, again) = two.shuffle(&context, &mut rng);
    for other in [
        vec![two.clone(), one.clone()],
        vec![one.clone(), again],
        vec![one, two.clone(), two],
    ] {
        let refused = Partials::verify(&context, &Decks::new(other), &slots, &part).err();
        assert_eq!(refused, Some(BadPartials::Proof));
    }
    // The slots of the other deck.
    let moved = [to_all(0), to_all(1), of_second(to_seat(1, 0))];
    refused(&fixture, &both, &moved, &part);
}

#[test]
fn a_mask_that_is_not_that_of_the_partial_is_refused() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let slots = [to_seat(0, 0)];
    // One of its own, and one of another card's partial, which a later show would open.
    let borrowed = fixture.gather(&decks, &[1], to_seat(1, 0))[0].mask.unwrap();
    for mask in [
        Point::new(RistrettoPoint::mul_base(&Scalar::from(9_u8))),
        borrowed,
    ] {
        let part = lying_part(&fixture, &decks, &slots, |partials| {
            partials[0].mask = Some(mask);
        });
        refused(&fixture, &decks, &slots, &part);
    }
}

#[test]
fn partials_for_one_seat_open_nothing_to_a_seat_that_has_not_given_one() {
    let (fixture, decks) = Fixture::dealt(4, 3);
    let slot = to_seat(0, 0);
    let mut partials = fixture.gather(&decks, &[1, 2], slot);
    for partial in &mut partials {
        (partial.mask, partial.slot) = (None, to_all(0));
    }
    partials.extend(fixture.gather(&decks, &[3], to_all(0)));
    assert_eq!(decks.open(fixture.roster.seats(), 0, 0, &partials), None);
    assert!(fixture.opens(&decks, &[1, 2, 3], 0).is_some());
}

#[test]
fn partials_of_another_slot_open_nothing() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let seats = fixture.roster.seats();
    let all = fixture.gather(&decks, &[0, 1, 2], to_all(0));
    let own = fixture.gather(&decks, &[1, 2], to_seat(0, 0));
    let key = &fixture.secrets[0];
    assert!(decks.open(seats, 0, 0, &all).is_some());
    assert!(decks.open_own(seats, 0, 0, &own, key).is_some());
    let moved = |partials: &[Partial], slot: Slot| {
        let mut partials = partials.to_vec();
        partials[1].slot = slot;
        partials
    };
    for slot in [to_all(1), to_seat(0, 1), to_seat(1, 0)] {
        assert_eq!(decks.open(seats, 0, 0, &moved(&all, slot)), None);
        let opened = decks.open_own(seats, 0, 0, &moved(&own, slot), key);
        assert_eq!(opened, None);
    }
}

#[test]
fn openers_are_the_first_live_seats_from_the_position_on() {
    let seats = Seats::new(5, 3).unwrap();
    let open = |slot: Slot, gone: &[usize], gave: &[usize]| {
        openers(
            seats,
            &slot,
            |seat| !gone.contains(&seat),
            |seat| gave.contains(&seat),
        )
    };
    assert_eq!(open(to_all(0), &[], &[]), [0, 1, 2]);
    assert_eq!(open(to_all(9), &[], &[]), [4, 0, 1]);
    assert_eq!(open(to_all(0), &[1], &[]), [0, 2, 3]);
    assert_eq!(open(to_all(0), &[1], &[1, 0]), [2]);
    assert_eq!(open(to_seat(0, 1), &[], &[]), [0, 2]);
    assert_eq!(open(to_seat(0, 1), &[0], &[2]), [3]);
    assert_eq!(open(to_all(0), &[], &[0, 1, 2, 3]), [0; 0]);
}
