//! Shuffles that are none: for each equation, one breaks it alone, and the batched check finds it.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::verifiable::deck::{Cards, Ciphertext};
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
    /// Two cards are mixed: neither is a card any more.
    Mix,
    /// The same, with a chain that ends well.
    MixWithFreeChain,
    /// Card 5 in place of card 0.
    AnotherCard,
    /// A card that no key opens.
    AnotherKey,
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
        Lie::Mix | Lie::MixWithFreeChain => {
            answered[0][..2].copy_from_slice(&[Scalar::from(2_u8), minus]);
            answered[1][..2].copy_from_slice(&[minus, Scalar::from(2_u8)]);
            let two_thirds = third + third;
            deck[0][..2].copy_from_slice(&[two_thirds, third]);
            deck[1][..2].copy_from_slice(&[third, two_thirds]);
        }
        Lie::CopiedCard => deck[0].swap(0, 1),
        _ => {}
    }
    if matches!(lie, Lie::Scale | Lie::Mix | Lie::MixWithFreeChain) {
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
    if lie == Lie::AnotherCard {
        first.b = Point::new(first.b.get() + start[5].b.get() - start[0].b.get());
    }
    if lie == Lie::AnotherKey {
        first.a = Point::new(first.a.get() + start[4].b.get());
    }

    let statement = Statement::new(context, input, &output);
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
    let u = match lie {
        Lie::ScaleAfterChallenges => statement.challenges(&[]),
        _ => statement.challenges(&commitments),
    };
    let v = times(&answered, &u);
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
        if lie == Lie::MixWithFreeChain && i == COUNT - 1 {
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
    let z = statement.challenge(&commitments, &chain, &links, &firsts);
    let respond = |nonces: &[Scalar], secrets: &[Scalar]| {
        let pairs = nonces.iter().zip(secrets);
        pairs
            .map(|(nonce, secret)| nonce + z * secret)
            .collect::<Vec<_>>()
    };
    let known = [r.iter().sum(), sum, dot(&r, &u), dot(&added, &v)];
    let proof = Proof {
        responses: respond(&nonces, &known).try_into().expect("four"),
        chain_responses: respond(&big_w, &q),
        challenge_responses: respond(&w, &v),
        commitments,
        chain,
        links,
        firsts,
    };
    (output, proof)
}

/// The equations that do not hold, each checked alone.
fn broken(statement: &Statement<'_>, proof: &Proof) -> Vec<Equation> {
    use Equation::*;
    let names = [One, Two, Three, FourB, FourA]
        .into_iter()
        .chain([Five; COUNT]);
    let alone = |i: usize| {
        let mut weights = vec![Scalar::ZERO; 5 + COUNT];
        weights[i] = Scalar::ONE;
        statement.weighted_sum(proof, &weights) != RistrettoPoint::default()
    };
    names
        .enumerate()
        .filter(|&(i, _)| alone(i))
        .map(|(_, name)| name)
        .collect()
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
fn commitments_chosen_when_the_challenges_are_known_are_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(2);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(1, 9);
    let (output, proof) = lie(&context, &input, Lie::ScaleAfterChallenges, &mut rng);
    let statement = Statement::new(&context, &input, &output);
    assert!(!statement.check(&proof));
    assert!(!broken(&statement, &proof).is_empty());
}

/// Adds `difference` to one place and takes a multiple of it from another, so that the sums of
/// equation (4) stay as they are for these factors.
fn shift(deck: &mut VerifiedDeck, factors: &[Scalar], difference: RistrettoPoint) {
    let (first, second) = (deck.places[0].b, deck.places[1].b);
    deck.places[0].b = Point::new(first.get() + difference);
    let ratio = factors[0] * factors[1].invert();
    deck.places[1].b = Point::new(second.get() - difference * ratio);
}

#[test]
fn a_deck_that_is_changed_after_its_proof_is_refused() {
    let fixture = Fixture::new(2, 2);
    let mut rng = StdRng::seed_from_u64(3);
    let input = fixture.deck(COUNT, &mut rng);
    let context = fixture.context(0, 9);
    let (output, proof) = lie(&context, &input, Lie::Honest, &mut rng);
    let difference = *input.cards.generators[0].get();

    // The output, once the responses are known.
    let mut other = output.clone();
    shift(&mut other, &proof.challenge_responses, difference);
    assert!(!Statement::new(&context, &input, &other).check(&proof));

    // The input, once the challenges are known.
    let u = Statement::new(&context, &input, &output).challenges(&proof.commitments);
    let mut other = input.clone();
    shift(&mut other, &u, difference);
    assert!(!Statement::new(&context, &other, &output).check(&proof));
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
