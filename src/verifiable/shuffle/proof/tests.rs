//! Shuffles that are none. For each equation, a lie breaks it alone, and the batched check finds it. For
//! each field of the hashes that a prover could use, a lie passes if the field is left out.

use std::sync::Arc;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::{Cards, Ciphertext};
use crate::verifiable::keys::lagrange;
use crate::verifiable::tests::Fixture;

const COUNT: usize = 6;

/// The equations, in the order of their weights. The last one stands for (5) of any card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Equation {
    One,
    Two,
    Three,
    FourB,
    FourA,
    Five,
}

/// What a lying prover does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// None.
    Honest,
    /// Two cards are multiplied by 3 and 1/3, in the deck and in the commitments.
    Scale,
    /// The same, with commitments to a permutation.
    ScaleWithHonestCommitments,
    /// The same, with commitments chosen when the challenges are known.
    ScaleAfterChallenges,
    /// Card 5 in place of card 0, in a deck that is chosen when the challenges are known.
    DeckAfterChallenges,
    /// The output deck is changed when the responses are known.
    OutputAfterResponses,
    /// The input deck is changed when the challenges are known.
    InputAfterChallenges,
    /// Two cards are mixed: neither is a card any more.
    Mix,
    /// The same, with a chain that ends well.
    MixWithFreeChain,
    /// The same, with a link that is chosen when the challenge is known.
    LinkAfterChallenge,
    /// Card 5 in place of card 0.
    AnotherCard,
    /// The same, with a first message that is chosen when the challenge is known.
    FirstAfterChallenge,
    /// `G` is added to a card.
    KnownCard,
    /// A card that no key opens.
    AnotherKey,
    /// The same: `G` is added to the first component.
    KnownKey,
    /// Card 1 in place of card 0, encrypted again.
    CopiedCard,
}

type Matrix = Vec<Vec<Scalar>>;

fn identity() -> Matrix {
    let entry = |i, j| if i == j { Scalar::ONE } else { Scalar::ZERO };
    (0..COUNT)
        .map(|i| (0..COUNT).map(|j| entry(i, j)).collect())
        .collect()
}

fn times(matrix: &Matrix, vector: &[Scalar]) -> Vec<Scalar> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn combine(row: &[Scalar], points: &[&Point]) -> RistrettoPoint {
    row.iter()
        .zip(points)
        .map(|(scalar, point)| point.get() * scalar)
        .sum()
}

impl Lie {
    /// The statement of a verifier who is deceived: one of the decks may be missing in the hash.
    fn statement<'a>(
        self,
        context: &'a Context<'a>,
        input: &'a VerifiedDeck,
        output: &'a VerifiedDeck,
    ) -> Statement<'a> {
        let statement = Statement::new(context, input, output);
        let hash = context.hash("shuffle").number(input.count() as u64);
        let hashed = match self {
            Lie::InputAfterChallenges => output,
            Lie::OutputAfterResponses => input,
            _ => return statement,
        };
        Statement {
            digest: hash.points(hashed.points()).digest(),
            ..statement
        }
    }

    /// The `u` of that verifier.
    fn challenges(self, statement: &Statement<'_>, commitments: &[Point]) -> Vec<Scalar> {
        match self {
            Lie::ScaleAfterChallenges => statement.challenges(&[]),
            Lie::DeckAfterChallenges => {
                let hash = statement.context.hash("shuffle u");
                let hash = hash.points(commitments.iter());
                hash.scalars().take(COUNT).collect()
            }
            _ => statement.challenges(commitments),
        }
    }

    /// The `z` of that verifier. The responses are not hashed.
    fn challenge(self, statement: &Statement<'_>, proof: &Proof) -> Scalar {
        let hash = statement.context.hash("shuffle c").bytes(&statement.digest);
        let hash = hash.points(proof.commitments.iter());
        let hash = hash.points(proof.chain.iter());
        let hash = match self {
            Lie::LinkAfterChallenge => hash,
            _ => hash.points(proof.links.iter()),
        };
        let hash = match self {
            Lie::FirstAfterChallenge => hash,
            _ => hash.points(proof.firsts.iter()),
        };
        hash.scalar()
    }

    /// The equations that do not hold for that verifier, each computed alone, with `left - right`.
    fn differences(
        self,
        statement: &Statement<'_>,
        proof: &Proof,
    ) -> Vec<(Equation, RistrettoPoint)> {
        let u = self.challenges(statement, &proof.commitments);
        let z = self.challenge(statement, proof);
        let g = RistrettoPoint::mul_base;
        let cards = &statement.input.cards;
        let [t1, t2, t3, t4b, t4a] = proof.firsts.each_ref().map(Point::get);
        let [s1, s2, s3, s4] = proof.responses;
        let s = &proof.challenge_responses;
        let (h, c): (Vec<&Point>, Vec<&Point>) =
            cards.generators.iter().zip(&proof.commitments).unzip();
        let ones = [Scalar::ONE; COUNT];
        let product: Scalar = u.iter().product();
        let part = |deck: &VerifiedDeck, scalars: &[Scalar], a: bool| {
            let points = deck.places.iter();
            let points: Vec<&Point> = points
                .map(|place| if a { &place.a } else { &place.b })
                .collect();
            combine(scalars, &points)
        };
        let (old, new) = (statement.input, statement.output);
        let last = proof.chain[COUNT - 1].get() - cards.generator.get() * product;
        let key = statement.key.get();
        let mut all = vec![
            (
                Equation::One,
                g(&s1) - t1 - (combine(&ones, &c) - combine(&ones, &h)) * z,
            ),
            (Equation::Two, g(&s2) - t2 - last * z),
            (
                Equation::Three,
                g(&s3) + combine(s, &h) - t3 - combine(&u, &c) * z,
            ),
            (
                Equation::FourB,
                part(new, s, false) - key * s4 - t4b - part(old, &u, false) * z,
            ),
            (
                Equation::FourA,
                part(new, s, true) - g(&s4) - t4a - part(old, &u, true) * z,
            ),
        ];
        let mut before = cards.generator;
        let links = proof.links.iter().zip(&proof.chain);
        for ((link, chain), (response, s)) in links.zip(proof.chain_responses.iter().zip(s)) {
            let left = g(response) + before.get() * s;
            all.push((Equation::Five, left - link.get() - chain.get() * z));
            before = *chain;
        }
        // A verifier who is not deceived computes the same points in the batch, each with weight 1.
        if self == Lie::Honest {
            for (i, (name, difference)) in all.iter().enumerate() {
                let mut weights = vec![Scalar::ZERO; 5 + COUNT];
                weights[i] = Scalar::ONE;
                let alone = statement.weighted_sum(proof, &weights);
                assert_eq!(alone, *difference, "{name:?}");
            }
        }
        all.retain(|(_, difference)| *difference != RistrettoPoint::default());
        all
    }
}

/// What a prover makes who lies so.
fn lie(
    context: &Context<'_>,
    input: &VerifiedDeck,
    lie: Lie,
    rng: &mut StdRng,
) -> (VerifiedDeck, Proof) {
    let (three, third) = (Scalar::from(3_u8), Scalar::from(3_u8).invert());
    let minus = -Scalar::ONE;
    // The new deck is `deck` times the old one, the commitments are to the rows of `committed`, and
    // `v` is `answered` times `u`.
    let (mut deck, mut committed, mut answered) = (identity(), identity(), identity());
    match lie {
        Lie::Scale | Lie::ScaleWithHonestCommitments | Lie::ScaleAfterChallenges => {
            (answered[0][0], answered[1][1]) = (three, third);
            (deck[0][0], deck[1][1]) = (third, three);
        }
        Lie::Mix | Lie::MixWithFreeChain | Lie::LinkAfterChallenge => {
            answered[0][..2].copy_from_slice(&[Scalar::from(2_u8), minus]);
            answered[1][..2].copy_from_slice(&[minus, Scalar::from(2_u8)]);
            let two_thirds = third + third;
            deck[0][..2].copy_from_slice(&[two_thirds, third]);
            deck[1][..2].copy_from_slice(&[third, two_thirds]);
        }
        Lie::CopiedCard => deck[0].swap(0, 1),
        _ => {}
    }
    let honest_commitments = matches!(
        lie,
        Lie::ScaleWithHonestCommitments | Lie::ScaleAfterChallenges
    );
    if !honest_commitments {
        committed = answered.clone();
    }
    let key = context.roster.deck.get();
    let added = draw(COUNT, rng);
    let a: Vec<&Point> = input.places.iter().map(|place| &place.a).collect();
    let b: Vec<&Point> = input.places.iter().map(|place| &place.b).collect();
    let mut output = input.clone();
    output.places = (deck.iter().zip(added.iter()))
        .map(|(row, added)| Ciphertext {
            a: Point::new(combine(row, &a) + RistrettoPoint::mul_base(added)),
            b: Point::new(combine(row, &b) + key * added),
        })
        .collect();
    let first = &mut output.places[0];
    let start = VerifiedDeck::start(&input.cards).places;
    let add = |point: &mut Point, other: &RistrettoPoint| *point = Point::new(point.get() + other);
    let better = start[5].b.get() - start[0].b.get();
    match lie {
        Lie::AnotherCard | Lie::FirstAfterChallenge => add(&mut first.b, &better),
        Lie::KnownCard => add(&mut first.b, &RISTRETTO_BASEPOINT_POINT),
        Lie::AnotherKey => add(&mut first.a, start[4].b.get()),
        Lie::KnownKey => add(&mut first.a, &RISTRETTO_BASEPOINT_POINT),
        _ => {}
    }

    let statement = lie.statement(context, input, &output);
    let cards = &input.cards;
    let r = draw(COUNT, rng);
    if lie == Lie::ScaleAfterChallenges {
        // Rows with sum 1 that take `u` to `v`, if `u` were known before the commitments.
        let u = statement.challenges(&[]);
        let v = times(&answered, &u);
        for (i, o) in [(0, 1), (1, 0)] {
            let y = (v[i] - u[i]) * (u[o] - u[i]).invert();
            (committed[i][i], committed[i][o]) = (Scalar::ONE - y, y);
        }
    }
    let generators: Vec<&Point> = cards.generators.iter().collect();
    let commitments: Vec<Point> = (0..COUNT)
        .map(|j| {
            let column: Vec<Scalar> = committed.iter().map(|row| row[j]).collect();
            Point::new(RistrettoPoint::mul_base(&r[j]) + combine(&column, &generators))
        })
        .collect();
    let u = lie.challenges(&statement, &commitments);
    let v = times(&answered, &u);
    if lie == Lie::DeckAfterChallenges {
        shift(&mut output, b_of, &v, better);
    }
    let statement = lie.statement(context, input, &output);
    let product: Scalar = u.iter().product();

    let (q, big_w, w) = (draw(COUNT, rng), draw(COUNT, rng), draw(COUNT, rng));
    let h = cards.generator.get();
    let (mut before, mut sum) = (*h, Scalar::ZERO);
    let (mut chain, mut links) = (Vec::new(), Vec::new());
    for i in 0..COUNT {
        links.push(Point::new(
            RistrettoPoint::mul_base(&big_w[i]) + before * w[i],
        ));
        sum = q[i] + v[i] * sum;
        before = RistrettoPoint::mul_base(&q[i]) + before * v[i];
        let free = matches!(lie, Lie::MixWithFreeChain | Lie::LinkAfterChallenge);
        if free && i == COUNT - 1 {
            before = RistrettoPoint::mul_base(&sum) + h * product;
        }
        chain.push(Point::new(before));
    }
    let nonces = draw(4, rng);
    let out_a: Vec<&Point> = output.places.iter().map(|place| &place.a).collect();
    let out_b: Vec<&Point> = output.places.iter().map(|place| &place.b).collect();
    let g = RistrettoPoint::mul_base;
    let firsts = [
        g(&nonces[0]),
        g(&nonces[1]),
        g(&nonces[2]) + combine(&w, &generators),
        key * -nonces[3] + combine(&w, &out_b),
        g(&-nonces[3]) + combine(&w, &out_a),
    ]
    .map(Point::new);
    let mut proof = Proof {
        responses: [Scalar::ZERO; 4],
        chain_responses: Vec::new(),
        challenge_responses: Vec::new(),
        commitments,
        chain,
        links,
        firsts,
    };
    let z = lie.challenge(&statement, &proof);
    let respond = |nonces: &[Scalar], secrets: &[Scalar]| {
        let pairs = nonces.iter().zip(secrets);
        pairs
            .map(|(nonce, secret)| nonce + z * secret)
            .collect::<Vec<_>>()
    };
    let known = [r.iter().sum(), sum, dot(&r, &u), dot(&added, &v)];
    proof.responses = respond(&nonces, &known).try_into().expect("four");
    proof.chain_responses = respond(&big_w, &q);
    proof.challenge_responses = respond(&w, &v);
    match (lie, &lie.differences(&statement, &proof)[..]) {
        (Lie::LinkAfterChallenge, [(Equation::Five, rest)]) => {
            add(&mut proof.links[COUNT - 1], rest);
        }
        (Lie::FirstAfterChallenge, [(Equation::FourB, rest)]) => add(&mut proof.firsts[3], rest),
        _ => {}
    }
    if lie == Lie::OutputAfterResponses {
        shift(&mut output, b_of, &proof.challenge_responses, better);
    }
    (output, proof)
}

/// The equations that do not hold.
fn broken(statement: &Statement<'_>, proof: &Proof) -> Vec<Equation> {
    let differences = Lie::Honest.differences(statement, proof);
    differences.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn each_lie_breaks_its_equations_alone_and_is_refused() {
    let fixture = Fixture::new(3, 3);
    let mut rng = StdRng::seed_from_u64(1);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(2, 9);
    for (kind, expected) in [
        (Lie::Honest, vec![]),
        (Lie::Scale, vec![Equation::One]),
        (Lie::Mix, vec![Equation::Two]),
        (Lie::ScaleWithHonestCommitments, vec![Equation::Three]),
        (Lie::AnotherCard, vec![Equation::FourB]),
        (Lie::AnotherKey, vec![Equation::FourA]),
        (Lie::MixWithFreeChain, vec![Equation::Five]),
        (Lie::CopiedCard, vec![Equation::FourB, Equation::FourA]),
    ] {
        let (output, proof) = lie(&context, &input, kind, &mut rng);
        let statement = Statement::new(&context, &input, &output);
        assert_eq!(broken(&statement, &proof), expected, "{kind:?}");
        assert_eq!(statement.check(&proof), kind == Lie::Honest, "{kind:?}");
    }
}

#[test]
fn each_lie_that_a_field_of_the_hashes_prevents_passes_without_that_field() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(2);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(1, 9);
    for kind in [
        Lie::ScaleAfterChallenges,
        Lie::DeckAfterChallenges,
        Lie::OutputAfterResponses,
        Lie::InputAfterChallenges,
        Lie::LinkAfterChallenge,
        Lie::FirstAfterChallenge,
    ] {
        let (output, proof) = lie(&context, &input, kind, &mut rng);
        let mut input = input.clone();
        if kind == Lie::InputAfterChallenges {
            let statement = kind.statement(&context, &input, &output);
            let u = kind.challenges(&statement, &proof.commitments);
            let start = VerifiedDeck::start(&input.cards).places;
            shift(&mut input, b_of, &u, *start[5].b.get());
        }
        let deceived = kind.statement(&context, &input, &output);
        assert_eq!(kind.differences(&deceived, &proof), [], "{kind:?}");
        let statement = Statement::new(&context, &input, &output);
        assert!(!broken(&statement, &proof).is_empty(), "{kind:?}");
        assert!(!statement.check(&proof), "{kind:?}");
    }
}

#[test]
fn errors_that_cancel_under_weights_without_the_proof_are_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(6);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(1, 9);
    // `a` of the first card is wrong by `G`, so that equation (4) with `a` is wrong by a known multiple
    // of `G`. The first response moves equation (1) by the opposite.
    let (output, mut proof) = lie(&context, &input, Lie::KnownKey, &mut rng);
    let statement = Statement::new(&context, &input, &output);
    assert_eq!(broken(&statement, &proof), [Equation::FourA]);
    let wrong =
        Lie::Honest.challenge(&statement, &proof) * statement.challenges(&proof.commitments)[0];
    let weights = context.hash("shuffle batch").bytes(&statement.digest);
    let weights: Vec<Scalar> = weights.scalars().take(5 + COUNT).collect();
    proof.responses[0] -= weights[4] * wrong * weights[0].invert();
    assert_eq!(broken(&statement, &proof), [Equation::One, Equation::FourA]);
    let sum = statement.weighted_sum(&proof, &weights);
    assert_eq!(sum, RistrettoPoint::default());
    assert!(!statement.check(&proof));
}

fn a_of(place: &mut Ciphertext) -> &mut Point {
    &mut place.a
}

fn b_of(place: &mut Ciphertext) -> &mut Point {
    &mut place.b
}

/// Adds `difference` to a component of one place and takes a multiple of it from that of another, so
/// that the sums of equation (4) stay as they are for these factors.
fn shift(
    deck: &mut VerifiedDeck,
    component: fn(&mut Ciphertext) -> &mut Point,
    factors: &[Scalar],
    difference: RistrettoPoint,
) {
    let ratio = factors[0] * factors[1].invert();
    for (place, moved) in [(0, difference), (1, -difference * ratio)] {
        let point = component(&mut deck.places[place]);
        *point = Point::new(point.get() + moved);
    }
}

#[test]
fn a_deck_that_is_changed_after_its_proof_is_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(3);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(0, 9);
    let (output, proof) = lie(&context, &input, Lie::Honest, &mut rng);
    let difference = *input.cards.generators[0].get();
    let u = Statement::new(&context, &input, &output).challenges(&proof.commitments);
    for component in [a_of, b_of] {
        // The output, once the responses are known.
        let mut other = output.clone();
        shift(
            &mut other,
            component,
            &proof.challenge_responses,
            difference,
        );
        assert!(!Statement::new(&context, &input, &other).check(&proof));

        // The input, once the challenges are known.
        let mut other = input.clone();
        shift(&mut other, component, &u, difference);
        assert!(!Statement::new(&context, &other, &output).check(&proof));
    }
}

#[test]
fn single_checks_and_the_batch_agree_on_every_changed_point_and_scalar() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(4);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(0, 9);
    let (output, proof) = lie(&context, &input, Lie::Honest, &mut rng);
    let statement = Statement::new(&context, &input, &output);
    let other = input.cards.generator;
    let mut changed = Vec::new();
    let mut change = |act: &dyn Fn(&mut Proof)| {
        let mut proof = proof.clone();
        act(&mut proof);
        changed.push(proof);
    };
    for i in 0..COUNT {
        change(&|proof| proof.commitments[i] = other);
        change(&|proof| proof.chain[i] = other);
        change(&|proof| proof.links[i] = other);
        change(&|proof| proof.chain_responses[i] += Scalar::ONE);
        change(&|proof| proof.challenge_responses[i] += Scalar::ONE);
    }
    (0..5).for_each(|i| change(&|proof| proof.firsts[i] = other));
    (0..4).for_each(|i| change(&|proof| proof.responses[i] += Scalar::ONE));
    assert_eq!(changed.len(), 5 * COUNT + 9);
    for proof in changed {
        assert!(!broken(&statement, &proof).is_empty());
        assert!(!statement.check(&proof));
    }
}

#[test]
fn a_prover_who_knows_the_logarithms_of_the_generators_forges() {
    // `h_i = 2iG + G` and `h = 9G`. Real generators are hashes, so that nobody knows a logarithm.
    let logarithms: Vec<Scalar> = (0..COUNT as u64).map(|i| Scalar::from(2 * i + 1)).collect();
    let image = |scalar: &Scalar| Point::new(RistrettoPoint::mul_base(scalar));
    let of_h = Scalar::from(9_u8);
    let mut cards = Cards::new("deck", COUNT).unwrap();
    let known = Arc::get_mut(&mut cards).expect("one owner");
    known.generators = logarithms.iter().map(image).collect();
    known.generator = image(&of_h);

    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(5);
    let context = fixture.context(0, 9);
    for kind in [Lie::ScaleWithHonestCommitments, Lie::Mix] {
        let input = VerifiedDeck::start(&cards);
        let (output, mut proof) = lie(&context, &input, kind, &mut rng);
        let statement = Statement::new(&context, &input, &output);
        assert!(!statement.check(&proof));
        let (c, chain) = (&proof.commitments, &proof.chain);
        let z = statement.challenge(c, chain, &proof.links, &proof.firsts);
        let u = statement.challenges(c);
        if kind == Lie::Mix {
            // The chain ends with the product of `v`, and not with that of `u`.
            let v = [u[0] + u[0] - u[1], u[1] + u[1] - u[0]];
            let rest: Scalar = u[2..].iter().product();
            proof.responses[1] += z * of_h * rest * (v[0] * v[1] - u[0] * u[1]);
        } else {
            // The commitments answer for `u`, and not for `v`.
            let third = Scalar::from(3_u8).invert();
            let v = [u[0] * Scalar::from(3_u8), u[1] * third];
            proof.responses[2] += z * dot(&logarithms, &[u[0] - v[0], u[1] - v[1]]);
        }
        assert_eq!(broken(&statement, &proof), []);
        assert!(statement.check(&proof), "{kind:?}");
    }
}

#[test]
fn a_prover_who_knows_the_logarithms_of_the_cards_does_not_forge() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(7);
    let context = fixture.context(0, 9);
    let mut input = VerifiedDeck::start(&Cards::new("deck", COUNT).unwrap());
    for (number, place) in (1_u64..).zip(&mut input.places) {
        place.b = Point::new(RistrettoPoint::mul_base(&Scalar::from(number)));
    }
    // Card 1 in place of card 0. Even with the secret of the deck's key, the responses cannot answer for
    // it: what repairs the equation of `b` breaks that of `a`.
    let (output, mut proof) = lie(&context, &input, Lie::KnownCard, &mut rng);
    let statement = Statement::new(&context, &input, &output);
    assert_eq!(broken(&statement, &proof), [Equation::FourB]);
    let wrong =
        Lie::Honest.challenge(&statement, &proof) * statement.challenges(&proof.commitments)[0];
    let secrets = fixture.secrets.iter();
    let secret: Scalar = secrets
        .map(|key| lagrange(&[0, 1], key.seat) * key.secret)
        .sum();
    proof.responses[3] += wrong * secret.invert();
    assert_eq!(broken(&statement, &proof), [Equation::FourA]);
    assert!(!statement.check(&proof));
}
