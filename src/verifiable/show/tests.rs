//! A seat shows the card that it holds, and no other.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::{Cards, VerifiedDeck};
use crate::verifiable::tests::{Fixture, to_seat};

/// A part of seat 0 whose values are changed before the proof is made.
fn lying_part(
    fixture: &Fixture,
    decks: &Decks,
    shown: &[Shown],
    change: impl Fn(&mut [Value]),
) -> Vec<u8> {
    let (context, key) = (fixture.context(0, 60), &fixture.secrets[0]);
    let statement = Statement::new(&context, decks, Receiver::All, shown).unwrap();
    let value = |card: &Shown| Value {
        mask: None,
        value: Point::new(
            decks
                .own_factor(
                    fixture.roster.seats(),
                    card.deck,
                    card.position,
                    &card.partials,
                    key,
                )
                .unwrap(),
        ),
    };
    let mut values: Vec<Value> = shown.iter().map(value).collect();
    let mut rng = StdRng::seed_from_u64(8);
    let masks = vec![Scalar::ZERO; shown.len()];
    let part = statement.sign(&values, key, &masks, &mut rng);
    assert!(Show::verify(&context, decks, Receiver::All, shown, &part).is_ok());
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
    let another = lying_part(&fixture, &decks, &one, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
    });
    refused(&one, &another);
    let two = [shown(1), shown(2)];
    let cancelling = lying_part(&fixture, &decks, &two, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
        values[1].value = Point::new(values[1].value.get() - difference);
    });
    refused(&two, &cancelling);
    // The partials of another card.
    let swapped = Shown {
        partials: two[1].partials.clone(),
        ..two[0].clone()
    };
    let part = lying_part(&fixture, &decks, &[swapped], |_| {});
    refused(&two[..1], &part);
}
