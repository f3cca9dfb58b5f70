//! A seat shows the card that it holds, and no other.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::{Cards, VerifiedDeck};
use crate::verifiable::tests::{Fixture, to_all, to_seat};

/// A part of seat 0 whose values are changed before the proof is made.
fn lying_part(
    fixture: &Fixture,
    decks: &Decks,
    receiver: Receiver,
    shown: &[Shown],
    change: impl Fn(&mut [Value]),
) -> Vec<u8> {
    let (context, key) = (fixture.context(0, 60), &fixture.secrets[0]);
    let statement = Statement::new(&context, decks, receiver, shown).unwrap();
    let masks = vec![Scalar::from(7_u8); shown.len()];
    let to = statement.encryption();
    let value = |card: &Shown| {
        let seats = fixture.roster.seats();
        let factor = decks.own_factor(seats, card.deck, card.position, &card.partials, key);
        let hidden = to.map_or_else(RistrettoPoint::default, |to| to.get() * masks[0]);
        Value {
            mask: to.map(|_| Point::new(RistrettoPoint::mul_base(&masks[0]))),
            value: Point::new(factor.unwrap() + hidden),
        }
    };
    let mut values: Vec<Value> = shown.iter().map(value).collect();
    let mut rng = StdRng::seed_from_u64(8);
    let part = statement.sign(&values, key, &masks, &mut rng);
    assert!(Show::verify(&context, decks, receiver, shown, &part).is_ok());
    change(&mut values);
    statement.sign(&values, key, &masks, &mut rng)
}

#[test]
fn a_seat_cannot_show_another_card_than_it_holds() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let context = fixture.context(0, 60);
    let shown = |position| Shown {
        deck: 0,
        position,
        partials: fixture.gather(&decks, &[1, 2], to_seat(position, 0)),
    };
    let refused = |shown: &[Shown], part: &[u8]| {
        let refused = Show::verify(&context, &decks, Receiver::All, shown, part).err();
        assert_eq!(refused, Some(BadShow::Proof));
    };
    let start = VerifiedDeck::start(&Cards::new("deck", 5).unwrap());
    let difference = start.places[0].b.get() - start.places[1].b.get();
    let one = [shown(2)];
    let another = lying_part(&fixture, &decks, Receiver::All, &one, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
    });
    refused(&one, &another);
    let two = [shown(1), shown(2)];
    let cancelling = lying_part(&fixture, &decks, Receiver::All, &two, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
        values[1].value = Point::new(values[1].value.get() - difference);
    });
    refused(&two, &cancelling);
    // The partials of another card, and partials for all seats.
    for partials in [
        two[1].partials.clone(),
        fixture.gather(&decks, &[1, 2], to_all(1)),
    ] {
        let wrong = [Shown {
            partials,
            ..two[0].clone()
        }];
        let verified = Show::verify(&context, &decks, Receiver::All, &wrong, &cancelling);
        assert_eq!(verified.err(), Some(BadShow::Card));
    }
}

#[test]
fn a_mask_that_is_not_that_of_the_shown_card_is_refused() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let (context, receiver) = (fixture.context(0, 60), Receiver::Seat(2));
    let shown = [1, 2].map(|position| Shown {
        deck: 0,
        position,
        partials: fixture.gather(&decks, &[1, 2], to_seat(position, 0)),
    });
    let difference = RistrettoPoint::mul_base(&Scalar::from(5_u8));
    for cancels in [false, true] {
        let part = lying_part(&fixture, &decks, receiver, &shown, |values| {
            let mask = |value: &Value| *value.mask.unwrap().get();
            values[0].mask = Some(Point::new(mask(&values[0]) + difference));
            if cancels {
                values[1].mask = Some(Point::new(mask(&values[1]) - difference));
            }
        });
        let refused = Show::verify(&context, &decks, receiver, &shown, &part).err();
        assert_eq!(refused, Some(BadShow::Proof));
    }
}
