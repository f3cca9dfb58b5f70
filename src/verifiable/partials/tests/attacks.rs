//! Partials that pass if one check of their proof is left out, and what they then do.

use super::*;
use crate::verifiable::{Show, Shown};

/// What a verifier leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    /// The weights do not depend on `o`: they are known before the partials.
    Weights,
    /// `R` and `C` are not hashed into `o`.
    Values,
    /// `o` is not hashed into `z`.
    Statement,
    /// The first messages are not hashed into `z`.
    Firsts,
    /// The equation of `R`.
    MaskEquation,
}

struct Verifier<'a> {
    statement: &'a Statement<'a>,
    without: Without,
}

struct Proof {
    z: Scalar,
    response: Scalar,
    /// By receiver.
    responses: Vec<Scalar>,
}

impl Verifier<'_> {
    fn hash(&self, tag: &str) -> Transcript {
        self.statement.decks.hash(self.statement.context, tag)
    }

    fn sums(&self, partials: &[Partial]) -> Sums {
        let Statement { slots, cards, .. } = self.statement;
        let points: Vec<Point> = partials.iter().flat_map(Partial::points).copied().collect();
        let hash = Slot::hash(slots, self.hash("open"));
        let digest = match self.without {
            Without::Values => hash.digest(),
            _ => hash.points(points.iter()).digest(),
        };
        let hash = match self.without {
            Without::Weights => self.hash("open w"),
            _ => self.hash("open w").bytes(&digest),
        };
        let weights: Vec<Scalar> = hash.scalars().take(slots.len()).collect();
        let masks = self.statement.receivers.iter().map(|&receiver| {
            let own = partials.iter().zip(&weights);
            let own = own.filter(|(it, _)| it.slot.receiver == Receiver::Seat(receiver));
            own.map(|(it, weight)| it.mask.unwrap().get() * weight)
                .sum()
        });
        let weighted = weights.iter();
        Sums {
            digest,
            masks: masks.collect(),
            cards: weighted.clone().zip(cards).map(|(w, a)| a.get() * w).sum(),
            values: weighted
                .zip(partials)
                .map(|(w, it)| it.value.get() * w)
                .sum(),
            weights,
        }
    }

    fn challenge(&self, sums: &Sums, firsts: &[Point]) -> Scalar {
        let hash = match self.without {
            Without::Statement => self.hash("open c"),
            _ => self.hash("open c").bytes(&sums.digest),
        };
        match self.without {
            Without::Firsts => hash.scalar(),
            _ => hash.points(firsts.iter()).scalar(),
        }
    }

    /// The first messages of a proof: the random scalars are 3 for the share, and 4 for each receiver.
    fn firsts(&self, sums: &Sums) -> Vec<Point> {
        let [three, four] = [3_u8, 4].map(Scalar::from);
        let g = RistrettoPoint::mul_base;
        let mut firsts = vec![g(&three)];
        if self.without != Without::MaskEquation {
            firsts.extend(sums.masks.iter().map(|_| g(&four)));
        }
        let keys = self.statement.receivers.iter();
        let keys = keys.map(|&seat| self.encryption(seat) * four);
        firsts.push(sums.cards * three + keys.sum::<RistrettoPoint>());
        firsts.into_iter().map(Point::new).collect()
    }

    fn encryption(&self, seat: usize) -> &RistrettoPoint {
        self.statement.context.roster.encryption[seat].get()
    }

    /// A proof of these partials with these masks, whether they are right or not.
    fn prove(&self, partials: &[Partial], key: &SecretKey, masks: &[Scalar]) -> Proof {
        let sums = self.sums(partials);
        let z = self.challenge(&sums, &self.firsts(&sums));
        let sigma = |&receiver: &usize| -> Scalar {
            let own = self
                .statement
                .slots
                .iter()
                .zip(sums.weights.iter().zip(masks));
            let own = own.filter(|(slot, _)| slot.receiver == Receiver::Seat(receiver));
            own.map(|(_, (weight, mask))| weight * mask).sum()
        };
        let sigmas = self.statement.receivers.iter().map(sigma);
        Proof {
            z,
            response: Scalar::from(3_u8) + z * key.secret,
            responses: sigmas.map(|it| Scalar::from(4_u8) + z * it).collect(),
        }
    }

    fn accepts(&self, partials: &[Partial], proof: &Proof) -> bool {
        let sums = self.sums(partials);
        let Proof {
            z,
            response,
            responses,
        } = proof;
        let share = self.statement.context.roster.shares[self.statement.context.seat];
        let g = RistrettoPoint::mul_base;
        let mut firsts = vec![g(response) - share.get() * z];
        if self.without != Without::MaskEquation {
            let masks = sums.masks.iter().zip(responses);
            firsts.extend(masks.map(|(mask, response)| g(response) - mask * z));
        }
        let keys = self.statement.receivers.iter().zip(responses);
        let keys = keys.map(|(&seat, response)| self.encryption(seat) * response);
        firsts.push(sums.cards * response + keys.sum::<RistrettoPoint>() - sums.values * z);
        let firsts: Vec<Point> = firsts.into_iter().map(Point::new).collect();
        *z == self.challenge(&sums, &firsts)
    }
}

/// Whether the library accepts these partials.
fn verifies(statement: &Statement<'_>, partials: &[Partial], proof: &Proof) -> bool {
    let points = partials.iter().flat_map(Partial::points);
    let scalars = [proof.z, proof.response];
    let scalars = scalars.iter().chain(&proof.responses);
    let part: Vec<[u8; 32]> = points
        .map(|point| *point.bytes())
        .chain(scalars.map(Scalar::to_bytes))
        .collect();
    let (context, decks, slots) = (statement.context, statement.decks, statement.slots);
    Partials::verify(context, decks, slots, part.as_flattened()).is_ok()
}

/// The partials of a seat for these slots, with the same mask in each.
fn honest(
    fixture: &Fixture,
    decks: &Decks,
    seat: usize,
    slots: &[Slot],
    mask: Scalar,
) -> Vec<Partial> {
    let partial = |slot: &Slot| {
        let a = decks.place(slot.deck, slot.position).unwrap().a;
        let value = a.get() * fixture.secrets[seat].secret;
        let key = match slot.receiver {
            Receiver::All => None,
            Receiver::Seat(receiver) => Some(fixture.roster.encryption[receiver].get()),
        };
        Partial {
            seat,
            slot: *slot,
            mask: key.map(|_| Point::new(RistrettoPoint::mul_base(&mask))),
            value: Point::new(value + key.map(|key| key * mask).unwrap_or_default()),
        }
    };
    slots.iter().map(partial).collect()
}

/// Checks that the library refuses these partials, and that it is this check that refuses them.
fn passes_only(verifier: &Verifier<'_>, partials: &[Partial], proof: &Proof) {
    let all = Verifier {
        without: Without::Nothing,
        ..*verifier
    };
    assert!(!all.accepts(partials, proof), "{:?}", verifier.without);
    assert!(!verifies(verifier.statement, partials, proof));
    assert!(verifier.accepts(partials, proof), "{:?}", verifier.without);
}

#[test]
fn the_last_opener_spoils_or_chooses_a_card_if_a_field_of_the_hashes_is_left_out() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let (context, key) = (fixture.context(2, 50), &fixture.secrets[2]);
    let mask = Scalar::from(7_u8);
    let both = [to_all(0), to_seat(1, 0), to_seat(2, 1)];
    let statement = Statement::new(&context, &decks, &both).unwrap();
    let (statement, without) = (&statement, Without::Nothing);
    let verifier = Verifier { statement, without };
    let partials = honest(&fixture, &decks, 2, &both, mask);
    let proof = verifier.prove(&partials, key, &[mask; 3]);
    assert!(verifier.accepts(&partials, &proof) && verifies(statement, &partials, &proof));

    let start = VerifiedDeck::start(&Cards::new("deck", 5).unwrap());
    let real = fixture.opens(&decks, &[0, 1, 2], 0).unwrap().0 as usize;
    let wanted = (real + 1) % 5;
    let better = start.places[real].b.get() - start.places[wanted].b.get();
    let better = better * lagrange(&[0, 1, 2], 2).invert();
    let wanted = Some(Card(wanted as u64));
    for (without, slots, expected) in [
        (Without::Weights, &[to_all(0), to_all(1)][..], wanted),
        (Without::Values, &[to_all(0)], None),
        (Without::Statement, &[to_all(0)], None),
        (Without::Firsts, &[to_all(0)], wanted),
    ] {
        let statement = &Statement::new(&context, &decks, slots).unwrap();
        let verifier = Verifier { statement, without };
        let mut partials = honest(&fixture, &decks, 2, slots, mask);
        let a = statement.cards[0].get();
        let sums = verifier.sums(&partials);
        let proof = match without {
            // The errors cancel under weights that are known.
            Without::Weights => {
                let ratio = sums.weights[0] * sums.weights[1].invert();
                for (partial, error) in partials.iter_mut().zip([better, -better * ratio]) {
                    partial.value = Point::new(partial.value.get() + error);
                }
                verifier.prove(&partials, key, &[])
            }
            // The partial is computed from the challenge, for a first message that is not that of the
            // share. The identity is one that does not depend on the weight.
            Without::Values | Without::Statement => {
                let last = match without {
                    Without::Values => sums.cards + better,
                    _ => RistrettoPoint::default(),
                };
                let firsts = [RistrettoPoint::mul_base(&Scalar::from(3_u8)), last];
                let z = verifier.challenge(&sums, &firsts.map(Point::new));
                let response = Scalar::from(3_u8) + z * key.secret;
                let rest = last * sums.weights[0].invert();
                partials[0].value = Point::new((a * response - rest) * z.invert());
                Proof {
                    z,
                    response,
                    responses: Vec::new(),
                }
            }
            // Whatever the first messages are.
            _ => {
                partials[0].value = Point::new(partials[0].value.get() + better);
                verifier.prove(&partials, key, &[])
            }
        };
        passes_only(&verifier, &partials, &proof);
        let mut all = fixture.gather(&decks, &[0, 1], slots[0]);
        all.push(partials[0]);
        let opened = decks.open(fixture.roster.seats(), 0, 0, &all);
        assert_eq!(opened, expected, "{without:?}");
    }
}

#[test]
fn a_copied_partial_opens_nothing_without_its_proof() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let mut partials = fixture.gather(&decks, &[0, 1, 0], to_all(0));
    partials[2].seat = 2;
    assert_eq!(decks.open(fixture.roster.seats(), 0, 0, &partials), None);
}

#[test]
fn a_receiver_cannot_read_its_card_without_the_equation_of_the_mask() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let (context, mask) = (fixture.context(2, 50), Scalar::from(7_u8));
    let slots = [to_seat(0, 0)];
    let verifier = Verifier {
        statement: &Statement::new(&context, &decks, &slots).unwrap(),
        without: Without::MaskEquation,
    };
    let mut partials = honest(&fixture, &decks, 2, &slots, mask);
    partials[0].mask = Some(Point::new(RistrettoPoint::mul_base(&Scalar::from(9_u8))));
    let proof = verifier.prove(&partials, &fixture.secrets[2], &[mask]);
    passes_only(&verifier, &partials, &proof);
    partials.extend(fixture.gather(&decks, &[1], slots[0]));
    let key = &fixture.secrets[0];
    let own = decks.open_own(fixture.roster.seats(), 0, 0, &partials, key);
    assert_eq!(own, None);
}

#[test]
fn one_seat_reads_a_closed_card_of_another_without_the_equation_of_the_mask() {
    // Two of three seats open a card. Seat 0 holds two cards: seat 2 has opened the first one to it, and
    // seat 1 the second one. Seat 2 has used the `R` of seat 1.
    let (fixture, decks) = Fixture::dealt(3, 2);
    let (context, mask) = (fixture.context(2, 50), Scalar::from(7_u8));
    let secret = fixture.gather(&decks, &[1], to_seat(1, 0))[0];
    let slots = [to_seat(0, 0)];
    let verifier = Verifier {
        statement: &Statement::new(&context, &decks, &slots).unwrap(),
        without: Without::MaskEquation,
    };
    let mut partials = honest(&fixture, &decks, 2, &slots, mask);
    partials[0].mask = secret.mask;
    let proof = verifier.prove(&partials, &fixture.secrets[2], &[mask]);
    passes_only(&verifier, &partials, &proof);

    // Seat 0 shows the first card.
    let shown = [Shown {
        deck: 0,
        position: 0,
        partials,
    }];
    let (shower, rng) = (fixture.context(0, 60), &mut StdRng::seed_from_u64(3));
    let key = &fixture.secrets[0];
    let part = Show::make(&shower, &decks, Receiver::All, &shown, key, rng).unwrap();
    let factor = Reader::new(&part[..32], 32).unwrap().point().unwrap();
    // Seat 2 tries each card that it can be. The right one gives `e R`, the mask of the second card.
    let places = &decks.decks[0].places;
    let weight = lagrange(&[2, 0], 2);
    let encryption = fixture.roster.encryption[0].get() * mask;
    let start = VerifiedDeck::start(&Cards::new("deck", 5).unwrap());
    let read = start.places.iter().filter_map(|card| {
        let difference = places[0].b.get() - card.b.get() - factor.get();
        let hidden = difference * weight.invert() + encryption;
        let [one, two] = [
            secret.value.get() - hidden,
            places[1].a.get() * fixture.secrets[2].secret,
        ];
        let opened = one * lagrange(&[1, 2], 1) + two * lagrange(&[1, 2], 2);
        start.cards.card(&(places[1].b.get() - opened))
    });
    let read: Vec<Card> = read.collect();
    let real = fixture.opens(&decks, &[0, 1], 1).unwrap();
    assert!(read.contains(&real) && read.len() == 1, "{read:?} {real:?}");
}
