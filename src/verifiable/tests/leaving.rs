//! A seat that leaves publishes its share of the secret, at any moment of a hand.

use super::*;

#[test]
fn a_seat_that_leaves_publishes_its_share_and_the_others_go_on_with_it() {
    let (fixture, decks) = Fixture::dealt(4, 4);
    let seats = fixture.roster.seats();
    let share = *fixture.secrets[3].share();
    let real = fixture.opens(&decks, &[0, 1, 2, 3], 0);
    assert!(fixture.roster.is_share(3, &share) && !fixture.roster.is_share(2, &share));
    let published =
        |slot: &Slot, share: &[u8; 32]| Partial::published(&fixture.roster, &decks, slot, 3, share);
    let mut wrong = share;
    wrong[0] ^= 1;
    assert_eq!(published(&to_all(0), &wrong), None);
    assert_eq!(published(&to_all(5), &share), None);

    let leaver = published(&to_all(0), &share).unwrap();
    let mut partials = fixture.gather(&decks, &[0, 1, 2], to_all(0));
    assert_eq!(
        decks.open(seats, 0, 0, &[&partials[..], &[leaver]].concat()),
        real
    );
    for out in 0..3 {
        let mut fewer = partials.clone();
        fewer.remove(out);
        fewer.push(leaver);
        assert_eq!(decks.open(seats, 0, 0, &fewer), None);
        // Nor with any Lagrange coefficients of those seats.
        let openers: Vec<usize> = fewer.iter().map(Partial::seat).collect();
        let terms = fewer
            .iter()
            .map(|it| (lagrange(&openers, it.seat), it.value.get()));
        let factor = vartime_sum(terms.collect::<Vec<_>>().into_iter());
        let point = decks.decks[0].places[0].b.get() - factor;
        assert_eq!(decks.decks[0].cards.card(&point), None);
    }
    // A card for one seat, and its show.
    partials = fixture.gather(&decks, &[1, 2], to_seat(0, 0));
    partials.push(published(&to_seat(0, 0), &share).unwrap());
    let own = decks.open_own(seats, 0, 0, &partials, &fixture.secrets[0]);
    assert_eq!(own, real);
    let shown = [Shown {
        deck: 0,
        position: 0,
        partials,
    }];
    let (context, mut rng) = (fixture.context(0, 60), StdRng::seed_from_u64(3));
    let key = &fixture.secrets[0];
    let part = Show::make(&context, &decks, Receiver::All, &shown, key, &mut rng).unwrap();
    let show = Show::verify(&context, &decks, Receiver::All, &shown, &part).unwrap();
    assert_eq!(show.card(&decks, 0, &shown[0]), real);
}

#[test]
fn a_wrong_share_of_a_leaver_opens_nothing_and_is_refused() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let slot = to_all(0);
    let share = Option::<Scalar>::from(Scalar::from_canonical_bytes(*fixture.secrets[2].share()));
    let wrong = share.unwrap() + Scalar::ONE;
    let bytes = wrong.to_bytes();
    assert!(!fixture.roster.is_share(2, &bytes));
    let published = Partial::published(&fixture.roster, &decks, &slot, 2, &bytes);
    assert_eq!(published, None);
    // Without the check the card cannot be opened, and no seat is to blame.
    let mut partials = fixture.gather(&decks, &[0, 1], slot);
    partials.push(Partial {
        seat: 2,
        slot,
        mask: None,
        value: Point::new(decks.decks[0].places[0].a.get() * wrong),
    });
    assert_eq!(decks.open(fixture.roster.seats(), 0, 0, &partials), None);
}

/// The shares that were published, by seat.
type Published = std::collections::BTreeMap<usize, [u8; 32]>;

/// All partials of a slot: those of these seats, and those from published shares of other seats.
fn partials(
    fixture: &Fixture,
    decks: &Decks,
    slot: Slot,
    own: &[usize],
    published: &Published,
) -> Vec<Partial> {
    let mut partials = fixture.gather(decks, own, slot);
    let others = published
        .iter()
        .filter(|(seat, _)| !own.contains(seat) && slot.receiver != Receiver::Seat(**seat));
    partials.extend(others.map(|(&seat, share)| {
        Partial::published(&fixture.roster, decks, &slot, seat, share).unwrap()
    }));
    partials
}

#[test]
fn the_others_open_all_cards_whenever_a_seat_leaves() {
    let (fixture, decks) = Fixture::dealt(4, 4);
    let seats = fixture.roster.seats();
    let real = |position| fixture.opens(&decks, &[0, 1, 2, 3], position);
    let published: Published = [(3, *fixture.secrets[3].share())].into();
    let due = |slot: &Slot, gave: &[usize]| {
        let mut due = openers(
            seats,
            slot,
            |seat| !published.contains_key(&seat),
            |seat| published.contains_key(&seat) || gave.contains(&seat),
        );
        due.sort_unstable();
        due
    };
    // Before any partial of a card, after those of some seats, and after its own: for all seats and for
    // one.
    for gave in [&[][..], &[0], &[3], &[1, 3], &[0, 1, 2], &[1, 2, 3]] {
        for slot in [to_all(1), to_seat(1, 0)] {
            let opening = |seat: &&usize| slot.receiver != Receiver::Seat(**seat);
            let gave: Vec<usize> = gave.iter().filter(opening).copied().collect();
            let more = due(&slot, &gave);
            let expected = [0, 1, 2].iter().filter(opening);
            let expected = expected.filter(|seat| !gave.contains(seat));
            assert_eq!(more, expected.copied().collect::<Vec<_>>());
            let own = [gave, more].concat();
            let partials = partials(&fixture, &decks, slot, &own, &published);
            let opened = match slot.receiver {
                Receiver::All => decks.open(seats, 0, 1, &partials),
                Receiver::Seat(seat) => {
                    decks.open_own(seats, 0, 1, &partials, &fixture.secrets[seat])
                }
            };
            assert_eq!(opened, real(1), "{own:?}");
            // A seat that opened the card to another one and has left: the other one shows it.
            if slot.receiver == Receiver::Seat(0) {
                let shown = [Shown {
                    deck: 0,
                    position: 1,
                    partials,
                }];
                let (context, rng) = (fixture.context(0, 60), &mut StdRng::seed_from_u64(3));
                let (to, key) = (Receiver::All, &fixture.secrets[0]);
                let part = Show::make(&context, &decks, to, &shown, key, rng).unwrap();
                let show = Show::verify(&context, &decks, to, &shown, &part).unwrap();
                assert_eq!(show.card(&decks, 0, &shown[0]), real(1));
            }
        }
    }
}

#[test]
fn the_cards_of_a_leaver_are_open_to_all_others_together_and_those_of_others_stay_closed() {
    let (fixture, decks) = Fixture::dealt(4, 4);
    let real = fixture.opens(&decks, &[0, 1, 2, 3], 2);
    let place = decks.decks[0].places[2];
    // What a set of seats computes with its own shares and the published ones.
    let read = |seats: &[usize]| {
        let terms = seats.iter();
        let secret: Scalar = terms
            .map(|&seat| lagrange(seats, seat) * fixture.secrets[seat].secret)
            .sum();
        let deck = &decks.decks[0];
        deck.cards.card(&(place.b.get() - place.a.get() * secret))
    };
    // Seat 3 has left. The others together read each card for which they give their partials: those of
    // the leaver, also mucked ones, and those that were never dealt. Without seat 0 they do not read its
    // card: its partial is missing.
    assert_eq!(read(&[0, 1, 2, 3]), real);
    for seats in [&[1, 2, 3][..], &[0, 2, 3], &[0, 1, 3], &[0, 3], &[3]] {
        assert_eq!(read(seats), None, "{seats:?}");
    }
    // After seats 2 and 3 have left, one of the two others reads nothing without the other one; after
    // seat 1 has left as well, seat 0 reads all their cards alone.
    let seats = fixture.roster.seats();
    let published: Published = (1..4)
        .map(|seat| (seat, *fixture.secrets[seat].share()))
        .collect();
    let slot = to_all(2);
    let two: Published = published.clone().into_iter().skip(1).collect();
    for own in [[0], [1]] {
        let partials = partials(&fixture, &decks, slot, &own, &two);
        assert_eq!(decks.open(seats, 0, 2, &partials), None);
    }
    let alone = partials(&fixture, &decks, slot, &[0], &published);
    assert_eq!(decks.open(seats, 0, 2, &alone), real);
}
