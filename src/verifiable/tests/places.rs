//! A proof is valid under the public keys of its match only, with all that their digest covers.

use super::*;

/// The roster of the same keys, for another match or with another digest of its fields.
fn rosters(fixture: &Fixture) -> Vec<(&'static str, Roster)> {
    let Roster {
        seats,
        deck,
        shares,
        encryption,
        ..
    } = &fixture.roster;
    let digest = |match_id: &[u8; 32],
                  numbers: [usize; 2],
                  deck: &Point,
                  shares: &[Point],
                  encryption: &[Point]| {
        let hash = Transcript::new("roster").bytes(match_id);
        let hash = hash.number(numbers[0] as u64).number(numbers[1] as u64);
        let hash = hash.point(deck).points(shares.iter());
        hash.points(encryption.iter()).digest()
    };
    let numbers = [seats.count(), seats.threshold()];
    let own = digest(&MATCH, numbers, deck, shares, encryption);
    assert_eq!(own, fixture.roster.digest);
    let other = Point::new(RistrettoPoint::mul_base(&Scalar::from(5_u8)));
    let last = |points: &[Point]| {
        let mut points = points.to_vec();
        *points.last_mut().unwrap() = other;
        points
    };
    let [fewer, more] = [[numbers[0], numbers[1] - 1], [numbers[0] + 1, numbers[1]]];
    let others = [
        ("match", digest(&[8; 32], numbers, deck, shares, encryption)),
        ("M", digest(&MATCH, fewer, deck, shares, encryption)),
        ("n", digest(&MATCH, more, deck, shares, encryption)),
        ("PK", digest(&MATCH, numbers, &other, shares, encryption)),
        (
            "Y",
            digest(&MATCH, numbers, deck, &last(shares), encryption),
        ),
        (
            "E",
            digest(&MATCH, numbers, deck, shares, &last(encryption)),
        ),
    ];
    let roster = |digest| Roster {
        digest,
        ..fixture.roster.clone()
    };
    others.map(|(name, digest)| (name, roster(digest))).into()
}

#[test]
fn proofs_are_refused_for_the_same_keys_in_another_match_or_with_another_threshold() {
    let fixture = Fixture::new(3, 3);
    let mut rng = StdRng::seed_from_u64(2);
    let deck = fixture.deck(3, &mut rng);
    let decks = Decks::new(vec![deck.clone()]);
    let (context, key) = (fixture.context(0, 50), &fixture.secrets[0]);
    let (shuffle, _) = deck.shuffle(&context, &mut rng);
    let slots = [to_all(0)];
    let (open, _) = Partials::make(&context, &decks, &slots, key, &mut rng).unwrap();
    let shown = [Shown {
        deck: 0,
        position: 1,
        partials: fixture.gather(&decks, &[1, 2], to_seat(1, 0)),
    }];
    let to = Receiver::Seat(1);
    let show = Show::make(&context, &decks, to, &shown, key, &mut rng).unwrap();
    let refused = |roster: &Roster| {
        let context = Context { roster, ..context };
        (
            deck.verify_shuffle(&context, &shuffle).err(),
            Partials::verify(&context, &decks, &slots, &open).err(),
            Show::verify(&context, &decks, to, &shown, &show).err(),
        )
    };
    assert_eq!(refused(&fixture.roster), (None, None, None));
    let proof = (
        Some(BadShuffle::Proof),
        Some(BadPartials::Proof),
        Some(BadShow::Proof),
    );
    for (name, roster) in rosters(&fixture) {
        assert_eq!(refused(&roster), proof, "{name}");
    }
    // The same parts in a match that has one more seat, or in which fewer seats open a card.
    for (count, threshold) in [(4, 3), (3, 2)] {
        let other = Fixture::new(count, threshold);
        assert!(
            deck.verify_shuffle(&other.context(0, 50), &shuffle)
                .is_err()
        );
    }
}
