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
    // Without the proof, the holder of card 0 has shown card 1.
    let held = |position| fixture.opens(&decks, &[0, 1, 2], position).unwrap();
    let position = (0..5).find(|&position| held(position) == Card(0)).unwrap();
    let first = [shown(position)];
    let another = lying_part(&fixture, &decks, Receiver::All, &first, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
    });
    refused(&first, &another);
    let unproven = Show {
        receiver: Receiver::All,
        values: vec![Value {
            mask: None,
            value: Reader::new(&another[..32], 32).unwrap().point().unwrap(),
        }],
    };
    assert_eq!(unproven.card(&decks, 0, &first[0]), Some(Card(1)));
    let two = [shown(1), shown(2)];
    let cancelling = lying_part(&fixture, &decks, Receiver::All, &two, |values| {
        values[0].value = Point::new(values[0].value.get() + difference);
        values[1].value = Point::new(values[1].value.get() - difference);
    });
    refused(&two, &cancelling);
    // Nor errors that cancel under weights that are known before `D`.
    let weights = decks.hash(&context, "show w").scalars();
    let weights: Vec<Scalar> = weights.take(2).collect();
    let known = lying_part(&fixture, &decks, Receiver::All, &two, |values| {
        values[0].value = Point::new(values[0].value.get() + difference * weights[1]);
        values[1].value = Point::new(values[1].value.get() - difference * weights[0]);
    });
    refused(&two, &known);
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

#[test]
fn a_show_names_a_receiver_that_exists_and_is_another_seat() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let (context, key) = (fixture.context(0, 60), &fixture.secrets[0]);
    let shown = [Shown {
        deck: 0,
        position: 1,
        partials: fixture.gather(&decks, &[1, 2], to_seat(1, 0)),
    }];
    for (seat, exists) in [(0, false), (1, true), (2, true), (3, false)] {
        let receiver = Receiver::Seat(seat);
        let mut rng = StdRng::seed_from_u64(8);
        let made = Show::make(&context, &decks, receiver, &shown, key, &mut rng);
        assert_eq!(made.is_ok(), exists, "{seat}");
        let part = made.unwrap_or(vec![0; Show::part_len(receiver, 1)]);
        let refused = Show::verify(&context, &decks, receiver, &shown, &part).err();
        assert_eq!(refused, (!exists).then_some(BadShow::Card), "{seat}");
    }
    // The key of another seat, and no cards.
    let make = |shown: &[Shown], seat: usize| {
        let (key, rng) = (&fixture.secrets[seat], &mut StdRng::seed_from_u64(8));
        Show::make(&context, &decks, Receiver::All, shown, key, rng).err()
    };
    assert_eq!(make(&shown, 0), None);
    assert_eq!(make(&shown, 1), Some(BadShow::Card));
    assert_eq!(make(&[], 0), Some(BadShow::Card));
    // One partial twice, or a partial of the seat itself.
    for number in [0, 1] {
        let [mut twice, mut own] = [shown.clone(), shown.clone()];
        twice[0].partials[number] = shown[0].partials[1 - number];
        own[0].partials[number].seat = 0;
        assert_eq!(make(&twice, 0), Some(BadShow::Card));
        assert_eq!(make(&own, 0), Some(BadShow::Card));
    }
}

/// A field of the hashes of a show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// `D`, in `o`.
    Values,
    /// `o`, in `z`.
    Statement,
    /// The first messages, in `z`.
    Firsts,
}

#[test]
fn a_seat_shows_no_card_or_another_one_if_a_field_of_the_hashes_is_left_out() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let (context, key) = (fixture.context(0, 60), &fixture.secrets[0]);
    let shown = [Shown {
        deck: 0,
        position: 1,
        partials: fixture.gather(&decks, &[1, 2], to_seat(1, 0)),
    }];
    let statement = Statement::new(&context, &decks, Receiver::All, &shown).unwrap();
    let seats = fixture.roster.seats();
    let factor = decks
        .own_factor(seats, 0, 1, &shown[0].partials, key)
        .unwrap();
    let difference = RistrettoPoint::mul_base(&Scalar::from(5_u8));
    let nonce = Scalar::from(3_u8);
    for without in [
        None,
        Some(Field::Values),
        Some(Field::Statement),
        Some(Field::Firsts),
    ] {
        // The hashes of a verifier who leaves out this field.
        let digest = |value: Point| match without {
            Some(Field::Values) => statement.hash("show").digest(),
            _ => statement.hash("show").points([value].iter()).digest(),
        };
        let weight = |value| {
            let hash = decks.hash(&context, "show w").bytes(&digest(value));
            hash.scalar()
        };
        let challenge = |value, firsts: &[Point]| {
            let hash = decks.hash(&context, "show c");
            let hash = match without {
                Some(Field::Statement) => hash,
                _ => hash.bytes(&digest(value)),
            };
            match without {
                Some(Field::Firsts) => hash.scalar(),
                _ => hash.points(firsts.iter()).scalar(),
            }
        };
        // `lambda A`, `sum lambda R` and `sum lambda C`.
        let openers = [1, 2, 0];
        let cards = decks.decks[0].places[1].a.get() * lagrange(&openers, 0);
        let sum = |point: &dyn Fn(&Partial) -> RistrettoPoint| -> RistrettoPoint {
            let partials = shown[0].partials.iter();
            partials
                .map(|it| point(it) * lagrange(&openers, it.seat))
                .sum()
        };
        let masks = sum(&|it| *it.mask.unwrap().get());
        let received = sum(&|it| *it.value.get());
        // The first message of the third equation: the right one, one that is off by a point, or the
        // identity, which is the same for every weight.
        let honest = Point::new(factor);
        let chosen = match without {
            Some(Field::Firsts) => Point::new(factor + difference),
            _ => honest,
        };
        let right = (cards - masks) * nonce;
        let last = match without {
            None | Some(Field::Firsts) => right * weight(honest),
            Some(Field::Values) => right * weight(honest) + difference,
            Some(Field::Statement) => RistrettoPoint::default(),
        };
        let base = RistrettoPoint::mul_base(&nonce);
        let firsts = [base, base, last].map(Point::new);
        let z = challenge(chosen, &firsts);
        let (share, own) = (nonce + z * key.secret, nonce + z * key.decryption);
        // `D` follows from the challenge, or is another card's.
        let value = match without {
            None | Some(Field::Firsts) => chosen,
            Some(Field::Values | Field::Statement) => {
                let rest = last * weight(honest).invert();
                let moved = (cards * share - masks * own - rest) * z.invert();
                Point::new(received + moved)
            }
        };
        assert_eq!(value == honest, without.is_none());
        let left = (cards * share - masks * own - (value.get() - received) * z) * weight(value);
        let (seat_share, seat_key) = (&fixture.roster.shares[0], &fixture.roster.encryption[0]);
        let firsts = [
            RistrettoPoint::mul_base(&share) - seat_share.get() * z,
            RistrettoPoint::mul_base(&own) - seat_key.get() * z,
            left,
        ];
        assert_eq!(challenge(value, &firsts.map(Point::new)), z);
        let part = [
            *value.bytes(),
            z.to_bytes(),
            share.to_bytes(),
            own.to_bytes(),
        ];
        let part = part.as_flattened();
        let verified = Show::verify(&context, &decks, Receiver::All, &shown, part);
        assert_eq!(verified.err(), without.map(|_| BadShow::Proof));
    }
}
