//! Attacks on the keys of a match. Each is refused by one check. Without that check it succeeds: the
//! tests show how.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::tests::{Fixture, MATCH, Setup, to_all};
use crate::verifiable::{BadPartials, Cards, Decks, Partials, VerifiedDeck};

fn image(secret: &Scalar) -> Point {
    Point::new(RistrettoPoint::mul_base(secret))
}

impl Setup {
    /// The contribution of a seat with another polynomial.
    fn with_polynomial(&self, seat: usize, polynomial: Vec<Scalar>) -> Contribution {
        let rng = &mut StdRng::seed_from_u64(1);
        let coefficients: Vec<Point> = polynomial.iter().map(image).collect();
        let proof = possession("pop A", &MATCH, seat, &coefficients[0]).prove(&polynomial[0], rng);
        let mut keys = self.keys[seat].clone();
        keys.commitment = commit(&MATCH, seat, &coefficients, &proof);
        Contribution {
            match_id: MATCH,
            seats: self.seats,
            seat,
            decryption: self.contributions[seat].decryption,
            polynomial,
            keys,
            coefficients,
            proof,
        }
    }

    fn verify(&self, seat: usize, dealing: &Dealing) -> Result<Dealing, BadKeys> {
        Dealing::verify(&MATCH, self.seats, &self.keys, seat, &dealing.to_bytes())
    }

    /// These parts with another contribution of a seat, all of them verified.
    fn replaced(mut self, contribution: Contribution) -> Self {
        let seat = contribution.seat;
        let keys = contribution.keys().to_bytes();
        self.keys[seat] = Keys::verify(&MATCH, seat, &keys).unwrap();
        let dealing = contribution.dealing(&self.keys);
        self.dealings[seat] = self.verify(seat, &dealing).unwrap();
        self.contributions[seat] = contribution;
        self
    }

    fn roster(&self) -> Option<Roster> {
        Roster::new(&MATCH, self.seats, &self.keys, &self.dealings)
    }

    fn pad(&self, dealer: usize, receiver: usize) -> Pad<'static> {
        Pad {
            match_id: &MATCH,
            dealer,
            receiver,
        }
    }
}

#[test]
fn keys_that_add_up_to_the_identity_are_refused() {
    // Both seats have to know both polynomials for this, or be very lucky.
    let polynomials = || {
        let setup = Setup::new(2, 2);
        let [f, g] = [0, 1].map(|seat| setup.contributions[seat].polynomial.clone());
        (setup, f, g)
    };
    // The key of the deck, and the image of the share of each seat.
    for point in [Scalar::ZERO, at(0), at(1)] {
        let (setup, f, mut g) = polynomials();
        assert!(setup.roster().is_some());
        g[0] = -(f[0] + f[1] * point + g[1] * point);
        let contribution = setup.with_polynomial(1, g);
        let setup = setup.replaced(contribution);
        assert!((0..2).all(|seat| setup.receive(seat).is_ok()));
        assert!(setup.roster().is_none());
    }
}

#[test]
fn a_key_made_from_those_of_the_others_reads_every_card_without_its_proof() {
    let mut setup = Setup::new(3, 3);
    // Seat 2 chooses the secret of the deck's key, and shares for the others that fit.
    let [secret, half] = [Scalar::from(11_u8), Scalar::from(2_u8).invert()];
    let shares = [Scalar::from(5_u8), Scalar::from(6_u8)];
    let others = [0, 1].map(|seat| *setup.dealings[seat].coefficients[0].get());
    let constant = RistrettoPoint::mul_base(&secret) - others[0] - others[1];
    let [first, second] = shares.map(|share| RistrettoPoint::mul_base(&share));
    let linear = (first + first) - (second + constant + constant + constant) * half;
    let square = (constant + second) * half - first;
    let shared = |receiver: usize| {
        let mut pad = *setup
            .pad(2, receiver)
            .hash(&setup.contributions[2].shared(&setup.keys[receiver]));
        xor(&mut pad, shares[receiver].as_bytes());
        pad
    };
    let rogue = Dealing {
        coefficients: [constant, linear, square].map(Point::new).to_vec(),
        proof: LogProof {
            challenge: Scalar::ONE,
            response: Scalar::ONE,
        },
        pads: vec![shared(0), shared(1)],
    };
    setup.keys[2].commitment = commit(&MATCH, 2, &rogue.coefficients, &rogue.proof);
    assert_eq!(setup.verify(2, &rogue).err(), Some(BadKeys::Possession));

    setup.dealings[2] = rogue;
    assert!((0..2).all(|seat| setup.receive(seat).is_ok()));
    let fixture = Fixture {
        roster: setup.roster().unwrap(),
        secrets: Vec::new(),
    };
    let cards = Cards::new("deck", 5).unwrap();
    let mut rng = StdRng::seed_from_u64(2);
    let deck = (0..2).fold(VerifiedDeck::start(&cards), |deck, seat| {
        deck.shuffle(&fixture.context(seat, 9), &mut rng).1
    });
    let alone = deck.places.iter();
    let alone = alone.map(|place| cards.card(&(place.b.get() - place.a.get() * secret)));
    let read: Option<std::collections::BTreeSet<u64>> = alone.map(|card| Some(card?.0)).collect();
    assert_eq!(read.map(|cards| cards.len()), Some(5));
}

#[test]
fn the_last_dealer_chooses_the_key_of_the_deck_without_the_commitments() {
    let mut setup = Setup::new(3, 3);
    let mut polynomial = setup.contributions[2].polynomial.clone();
    let others: RistrettoPoint = (setup.dealings[..2].iter())
        .map(|dealing| dealing.coefficients[0].get())
        .sum();
    let liked = |key: &Point| key.bytes()[0] & 0x1f == 0x0a;
    while !liked(&Point::new(
        others + RistrettoPoint::mul_base(&polynomial[0]),
    )) {
        polynomial[0] += Scalar::ONE;
    }
    let chosen = setup.with_polynomial(2, polynomial);
    let dealing = chosen.dealing(&setup.keys);
    assert_eq!(setup.verify(2, &dealing).err(), Some(BadKeys::Commitment));

    setup.keys[2].commitment = chosen.keys.commitment;
    setup.dealings[2] = setup.verify(2, &dealing).unwrap();
    assert!((0..2).all(|seat| setup.receive(seat).is_ok()));
    assert!(liked(&setup.roster().unwrap().deck));
}

#[test]
fn a_wrong_share_makes_its_receiver_a_cheat_if_it_does_not_complain() {
    let mut setup = Setup::new(4, 3);
    // A share of seat 1 for seat 0 with another bit.
    setup.dealings[1].pads[0][0] ^= 1;
    let complaint = setup.receive(0).err().unwrap();
    assert_eq!(setup.judge(0, &complaint.to_bytes()), Ok(1));

    let own = &setup.contributions[0];
    let mut secret = own.value(0);
    for dealer in 1..4 {
        let mut share = *setup.pad(dealer, 0).hash(&own.shared(&setup.keys[dealer]));
        xor(&mut share, &setup.dealings[dealer].pads[0]);
        secret += Scalar::from_bytes_mod_order(share);
    }
    let wrong = SecretKey {
        seat: 0,
        secret,
        decryption: own.decryption,
    };
    let others = (1..4).map(|seat| setup.receive(seat).ok().unwrap());
    let fixture = Fixture {
        roster: setup.roster().unwrap(),
        secrets: [wrong].into_iter().chain(others).collect(),
    };
    let mut rng = StdRng::seed_from_u64(2);
    let decks = Decks::new(vec![fixture.deck(3, &mut rng)]);
    let real = fixture.opens(&decks, &[1, 2, 3], 0);
    assert!(real.is_some());
    // The seat's partial convicts it. Without the proof, the card is closed to it and its openers.
    let slots = [to_all(0)];
    let (context, key) = (fixture.context(0, 50), &fixture.secrets[0]);
    let (part, own) = Partials::make(&context, &decks, &slots, key, &mut rng).unwrap();
    let refused = Partials::verify(&context, &decks, &slots, &part).err();
    assert_eq!(refused, Some(BadPartials::Proof));
    let mut partials = fixture.gather(&decks, &[1, 2], slots[0]);
    partials.extend(own.iter().map(|(_, partial)| *partial));
    assert_eq!(decks.open(setup.seats, 0, 0, &partials), None);
}

/// A field of the hash of a complaint's proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Image,
    Base,
    SecondImage,
    First,
    Second,
}

/// The challenge without one field, or with all.
fn challenge(statement: &Logarithm<'_>, firsts: [&Point; 2], without: Option<Field>) -> Scalar {
    let (base, image) = statement.second.unwrap();
    let fields = [
        (Field::Image, statement.image),
        (Field::Base, base),
        (Field::SecondImage, image),
        (Field::First, firsts[0]),
        (Field::Second, firsts[1]),
    ];
    let hashed = fields
        .into_iter()
        .filter(|(field, _)| Some(*field) != without);
    let hash = statement.context.clone();
    hashed
        .fold(hash, |hash, (_, point)| hash.point(point))
        .scalar()
}

/// What seat 1 claims in a complaint about seat 0.
fn statement<'a>(keys: &'a [Keys], key: &'a Point) -> Logarithm<'a> {
    Complaint::statement(&MATCH, 1, keys, 0, key)
}

/// Whether a proof holds if one field is not hashed.
fn holds(statement: &Logarithm<'_>, proof: &LogProof, without: Option<Field>) -> bool {
    let (base, image) = statement.second.unwrap();
    let (z, s) = (proof.challenge, proof.response);
    let first = Point::new(RistrettoPoint::mul_base(&s) - statement.image.get() * z);
    let second = Point::new(base.get() * s - image.get() * z);
    z == challenge(statement, [&first, &second], without)
}

#[test]
fn a_false_complaint_convicts_an_honest_dealer_without_its_proof_or_a_field_of_its_hash() {
    let setup = Setup::new(3, 3);
    let (keys, dealing) = (&setup.keys, &setup.dealings[0]);
    // Seat 1 complains about seat 0 with a key that decrypts the share to another one.
    let convicts = |key: &Point| dealing.share(&setup.pad(0, 1), key).is_none();
    let secret = setup.contributions[1].decryption;
    let honest = setup.contributions[1].shared(&keys[0]);
    assert!(!convicts(&honest));
    let base = *keys[0].encryption.get();
    let (w, other) = (Scalar::from(3_u8), Scalar::from(4_u8));
    let (first, second) = (image(&w), Point::new(base * w));
    let wrong = Point::new(base * other);

    // Without the key in the hash, the key follows from the challenge.
    let apart = Point::new(base * other);
    let z = challenge(
        &statement(keys, &wrong),
        [&first, &apart],
        Some(Field::SecondImage),
    );
    let response = w + z * secret;
    let derived = Point::new((base * response - apart.get()) * z.invert());
    let mut forgeries = vec![(
        Field::SecondImage,
        derived,
        LogProof {
            challenge: z,
            response,
        },
    )];
    // Without a first message in the hash, its equation holds for every response.
    for (field, known) in [(Field::First, other), (Field::Second, secret)] {
        let challenge = challenge(&statement(keys, &wrong), [&first, &second], Some(field));
        let response = w + challenge * known;
        forgeries.push((
            field,
            wrong,
            LogProof {
                challenge,
                response,
            },
        ));
    }
    for (field, key, proof) in forgeries {
        assert!(convicts(&key), "{field:?}");
        let statement = statement(keys, &key);
        assert!(holds(&statement, &proof, Some(field)), "{field:?}");
        assert!(!holds(&statement, &proof, None) && !statement.check(&proof));
        let part = Complaint {
            dealer: 0,
            key,
            proof,
        };
        let judged = setup.judge(1, &part.to_bytes());
        assert_eq!(judged, Err(BadKeys::Complaint), "{field:?}");
    }
    // This verifier and that of the library agree on an honest proof.
    let statement = statement(keys, &honest);
    let proof = statement.prove(&secret, &mut StdRng::seed_from_u64(1));
    assert!(holds(&statement, &proof, None) && statement.check(&proof));
}

#[test]
fn no_two_shares_are_encrypted_with_the_same_bytes() {
    // The key is the same in both directions. If the pads were, their difference would be that of the
    // two shares.
    let key = image(&Scalar::from(3_u8));
    let pads = [
        (MATCH, 0, 1),
        (MATCH, 1, 0),
        (MATCH, 0, 2),
        (MATCH, 2, 1),
        ([8; 32], 0, 1),
    ];
    let pads = pads.map(|(match_id, dealer, receiver)| {
        *Pad {
            match_id: &match_id,
            dealer,
            receiver,
        }
        .hash(&key)
    });
    assert_eq!(std::collections::BTreeSet::from(pads).len(), pads.len());
}
