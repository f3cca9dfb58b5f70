//! The proof of a shuffle: Terelius and Wikström 2010, in the form of Haenni, Locher, Koenig and
//! Dubuis 2017 (`GenShuffleProof`, `CheckShuffleProof`), with the commitments sent instead of
//! recomputed. The equations can then be added with random weights into one product.
//!
//! Names: `p` is the permutation, `t` the randomness of the encryption, `r` that of the commitments
//! `c`, `q` that of the chain `C`; `u` are the challenges, and `v_i = u_p(i)`.

use std::sync::OnceLock;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{MultiscalarMul, VartimeMultiscalarMul};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::permutation::Permutation;
use crate::crypto::random_scalar;
use crate::verifiable::context::Context;
use crate::verifiable::deck::{VerifiedDeck, chain_generator};
use crate::verifiable::group::{ELEMENT, Point, Reader};

/// The commitments and responses of a proof about `N` cards.
#[derive(Clone)]
pub(super) struct Proof {
    /// `c`: commitments to the permutation, `N` of them.
    commitments: Vec<Point>,
    /// `C`: the chain that shows that the commitments are a permutation, `N` points.
    chain: Vec<Point>,
    /// `T`: the first message for each link of the chain, `N` points.
    links: Vec<Point>,
    /// `t1`, `t2`, `t3`, `t4b`, `t4a`.
    firsts: [Point; 5],
    /// `s1` to `s4`.
    responses: [Scalar; 4],
    /// `S`: responses for the randomness of the chain, `N` scalars.
    chain_responses: Vec<Scalar>,
    /// `s'`: responses for `v`, `N` scalars.
    challenge_responses: Vec<Scalar>,
}

impl Proof {
    /// The length of an encoded proof, in bytes.
    pub(super) fn encoded_len(count: usize) -> usize {
        (5 * count + 9) * ELEMENT
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        let parts = self
            .commitments
            .iter()
            .chain(&self.chain)
            .chain(&self.links);
        parts.chain(&self.firsts)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.points()
            .for_each(|point| out.extend_from_slice(point.bytes()));
        let scalars = self.responses.iter().chain(&self.chain_responses);
        let scalars = scalars.chain(&self.challenge_responses);
        scalars.for_each(|scalar| out.extend_from_slice(scalar.as_bytes()));
    }

    pub(super) fn read(count: usize, reader: &mut Reader<'_>) -> Option<Self> {
        Some(Proof {
            commitments: reader.points(count)?,
            chain: reader.points(count)?,
            links: reader.points(count)?,
            firsts: reader.points(5)?.try_into().ok()?,
            responses: reader.scalars(4)?.try_into().ok()?,
            chain_responses: reader.scalars(count)?,
            challenge_responses: reader.scalars(count)?,
        })
    }
}

/// What the seat that shuffles knows.
pub(super) struct Witness {
    pub(super) permutation: Permutation,
    /// `t`.
    pub(super) added: Zeroizing<Vec<Scalar>>,
}

/// The claim: `output` is a permutation of `input`, encrypted again.
pub(super) struct Statement<'a> {
    key: &'a Point,
    input: &'a VerifiedDeck,
    output: &'a VerifiedDeck,
    /// `d`: the hash of context and both decks.
    digest: [u8; 32],
    context: &'a Context<'a>,
}

/// Scalars that are wiped when dropped.
type Secrets = Zeroizing<Vec<Scalar>>;

fn draw(count: usize, rng: &mut impl CryptoRng) -> Secrets {
    Zeroizing::new((0..count).map(|_| random_scalar(rng)).collect())
}

/// The table of `h`, the generator of the chain.
fn chain_table() -> &'static RistrettoBasepointTable {
    static TABLE: OnceLock<RistrettoBasepointTable> = OnceLock::new();
    TABLE.get_or_init(|| RistrettoBasepointTable::create(chain_generator().get()))
}

fn dot(a: &[Scalar], b: &[Scalar]) -> Scalar {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl<'a> Statement<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        input: &'a VerifiedDeck,
        output: &'a VerifiedDeck,
    ) -> Self {
        let hash = context.hash("shuffle").number(input.count() as u64);
        let hash = hash.points(input.points()).points(output.points());
        Statement {
            key: &context.roster.deck,
            input,
            output,
            digest: hash.digest(),
            context,
        }
    }

    fn count(&self) -> usize {
        self.input.count()
    }

    /// `u`, from the statement and the commitments.
    fn challenges(&self, commitments: &[Point]) -> Vec<Scalar> {
        let hash = self.context.hash("shuffle u").bytes(&self.digest);
        let hash = hash.points(commitments.iter());
        hash.scalars().take(self.count()).collect()
    }

    /// `z`, from everything that was sent before the responses.
    fn challenge(
        &self,
        commitments: &[Point],
        chain: &[Point],
        links: &[Point],
        firsts: &[Point; 5],
    ) -> Scalar {
        let hash = self.context.hash("shuffle c").bytes(&self.digest);
        let hash = hash.points(commitments.iter()).points(chain.iter());
        hash.points(links.iter()).points(firsts.iter()).scalar()
    }

    /// Proves the statement.
    pub(super) fn prove(&self, witness: &Witness, rng: &mut impl CryptoRng) -> Proof {
        let count = self.count();
        let Witness { permutation, added } = witness;
        let cards = &self.input.cards;
        let h = chain_table();
        let g = RistrettoPoint::mul_base;

        // Commitments to the permutation.
        let generators = cards.generators.iter().take(count);
        let generators: Vec<RistrettoPoint> = generators.map(|h| *h.get()).collect();
        let statement = self.context.hash("shuffle nonces").bytes(&self.digest);
        let rng = &mut statement.derive(&[], rng);
        let r = draw(count, rng);
        let scattered = permutation.scatter(&generators);
        let committed = r.iter().zip(scattered.iter());
        let commitments: Vec<Point> = committed.map(|(r, h)| Point::new(g(r) + h)).collect();
        let u = self.challenges(&commitments);
        let v: Secrets = permutation.gather(&u);

        // The chain, with the logarithms of its points to the bases G and h.
        let (q, big_w, w) = (draw(count, rng), draw(count, rng), draw(count, rng));
        let (mut to_g, mut to_h) = (Zeroizing::new(Scalar::ZERO), Zeroizing::new(Scalar::ONE));
        let (mut chain, mut links) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for i in 0..count {
            links.push(Point::new(
                g(&(big_w[i] + w[i] * *to_g)) + h * &(w[i] * *to_h),
            ));
            *to_g = q[i] + v[i] * *to_g;
            *to_h *= v[i];
            chain.push(Point::new(g(&to_g) + h * &*to_h));
        }

        let nonces = draw(4, rng);
        let [w1, w2, w3, w4] = [&nonces[0], &nonces[1], &nonces[2], &nonces[3]];
        let output = &self.output.places;
        let sum = |points: &mut dyn Iterator<Item = RistrettoPoint>| {
            let points: Vec<RistrettoPoint> = points.collect();
            RistrettoPoint::multiscalar_mul(w.iter(), &points)
        };
        let firsts = [
            g(w1),
            g(w2),
            g(w3) + sum(&mut generators.iter().copied()),
            self.key.get() * -w4 + sum(&mut output.iter().map(|place| *place.b.get())),
            g(&-w4) + sum(&mut output.iter().map(|place| *place.a.get())),
        ]
        .map(Point::new);

        let z = self.challenge(&commitments, &chain, &links, &firsts);
        let responses = [
            w1 + z * r.iter().sum::<Scalar>(),
            w2 + z * *to_g,
            w3 + z * dot(&r, &u),
            w4 + z * dot(added, &v),
        ];
        let respond = |nonces: &Secrets, secrets: &Secrets| {
            let pairs = nonces.iter().zip(secrets.iter());
            pairs.map(|(nonce, secret)| nonce + z * secret).collect()
        };
        Proof {
            responses,
            chain_responses: respond(&big_w, &q),
            challenge_responses: respond(&w, &v),
            commitments,
            chain,
            links,
            firsts,
        }
    }

    /// Whether all equations hold: their sum with random weights is the identity.
    pub(super) fn check(&self, proof: &Proof) -> bool {
        let mut bytes = Vec::with_capacity(Proof::encoded_len(self.count()));
        proof.write(&mut bytes);
        let hash = self.context.hash("shuffle batch").bytes(&self.digest);
        let weights: Vec<Scalar> = hash
            .bytes(&bytes)
            .scalars()
            .take(5 + self.count())
            .collect();
        self.weighted_sum(proof, &weights) == RistrettoPoint::default()
    }

    /// The sum of `left - right` over all equations, each times its weight. The equations are (1),
    /// (2), (3), (4) with `b`, (4) with `a`, and (5) for each card.
    fn weighted_sum(&self, proof: &Proof, weights: &[Scalar]) -> RistrettoPoint {
        let count = self.count();
        let u = self.challenges(&proof.commitments);
        let z = self.challenge(
            &proof.commitments,
            &proof.chain,
            &proof.links,
            &proof.firsts,
        );
        let (&[e1, e2, e3, e4b, e4a], e5) = weights.split_first_chunk().expect("a weight for each");
        let [s1, s2, s3, s4] = proof.responses;
        let (big_s, s) = (&proof.chain_responses, &proof.challenge_responses);

        let product: Scalar = u.iter().product();
        let cards = &self.input.cards;
        let firsts = [e1, e2, e3, e4b, e4a].map(|weight| -weight);
        let mut scalars = vec![
            e1 * s1 + e2 * s2 + e3 * s3 - e4a * s4 + dot(e5, big_s),
            e2 * z * product + e5[0] * s[0],
            -e4b * s4,
        ];
        let mut points = vec![
            &curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT,
            cards.generator.get(),
            self.key.get(),
        ];
        scalars.extend(firsts);
        points.extend(proof.firsts.iter().map(Point::get));
        for i in 0..count {
            let (input, output) = (&self.input.places[i], &self.output.places[i]);
            let next = e5.get(i + 1).map_or(-e2 * z, |weight| weight * s[i + 1]);
            scalars.extend([
                e1 * z + e3 * s[i],
                -(e1 + e3 * u[i]) * z,
                e4b * s[i],
                -e4b * z * u[i],
                e4a * s[i],
                -e4a * z * u[i],
                next - e5[i] * z,
                -e5[i],
            ]);
            points.extend(
                [
                    &cards.generators[i],
                    &proof.commitments[i],
                    &output.b,
                    &input.b,
                    &output.a,
                    &input.a,
                    &proof.chain[i],
                    &proof.links[i],
                ]
                .map(Point::get),
            );
        }
        RistrettoPoint::vartime_multiscalar_mul(&scalars, points)
    }
}

#[cfg(test)]
mod tests;
