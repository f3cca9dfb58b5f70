//! Base OT: 128 random OTs by the protocol of Canetti, Sarkar and Wang, "Blazing Fast OT for
//! Three-Round UC OT Extension" (PKC 2020), on ristretto255.
//!
//! The protocol is Chou and Orlandi's "Simplest OT" with fixes. The second base `T` is hashed from
//! a seed, so that nobody knows its discrete logarithm. The receiver must answer a challenge that
//! proves that it knows one pad of every instance, so that a simulator can extract its choices. The
//! protocol realises random OT with *selective failure*: a sender that guesses choice bits is
//! caught unless all its guesses are right. The OT extension built on this protocol tolerates
//! exactly this leakage.
//!
//! ```text
//! receiver (choices b_i)                            sender
//! T = H1(seed);  B_i = a_i*G + b_i*T
//!                     -- seed, B_i -->              z = r*G
//!                                                   p_i0 = H2(i, r*B_i),  p_i1 = H2(i, r*B_i - r*T)
//!                                                   chi_i = H3(p_i0) ^ H3(p_i1)
//!                                                   otans = H4(H3(p_10), ..., H3(p_l0))
//!                     <-- z, chi_i, H3'(otans) --
//! p_i = H2(i, a_i*z)
//! otans' = H4(H3(p_i) ^ b_i*chi_i), check H3'(otans')
//!                     -- otans' -->                 check otans' = otans
//! ```
//!
//! `H2` also absorbs `B_i` and `z`, as the published fixes for Chou-Orlandi require.
//!
//! Encoding a ristretto point takes an inverse square root, but the doubles of many points can be
//! encoded together with one field inversion. So each `B_i` is computed as the double of a point,
//! and `H2` absorbs the doubles of the shared points (`r*B_i`, `r*B_i - r*T`, `a_i*z`). In a group
//! of prime order, doubling loses no information.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_TABLE;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use rand::CryptoRng;
use serde::{Deserialize, Serialize};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use super::{Check, Direction, Error, Result, Tag, expect_length};
use crate::crypto::{Block, Oracle, SecretBit, SecretVec, Step, decode_point, random_scalar};
use crate::net::{self, Message};

/// The number of base OTs: one for each bit of Delta.
pub(super) const COUNT: usize = 128;

type Digest = [u8; 32];

/// The receiver's first message.
#[derive(Serialize, Deserialize)]
pub struct BaseOtPoints {
    seed: [u8; 32],
    points: Vec<[u8; 32]>,
}

impl Message for BaseOtPoints {
    const TAG: net::Tag = Tag::BaseOtPoints.tag();
    const MAX_BYTES: usize = 32 + 8 + 32 * COUNT;
}

/// The sender's message.
#[derive(Serialize, Deserialize)]
pub struct BaseOtPads {
    z: [u8; 32],
    challenges: Vec<Digest>,
    proof: Digest,
}

impl Message for BaseOtPads {
    const TAG: net::Tag = Tag::BaseOtPads.tag();
    const MAX_BYTES: usize = 32 + 8 + 32 * COUNT + 32;
}

/// The receiver's last message.
#[derive(Serialize, Deserialize)]
pub struct BaseOtAnswer {
    answer: Digest,
}

impl Message for BaseOtAnswer {
    const TAG: net::Tag = Tag::BaseOtAnswer.tag();
    const MAX_BYTES: usize = 32;
}

/// The hash functions of the paper.
#[derive(Clone, Copy)]
struct Hashes(Direction);

impl Hashes {
    fn oracle(&self, step: Step, index: usize) -> Oracle {
        self.0.oracle(step, index as u64)
    }

    /// Half of the second base: the double of this point is `T = H1(seed)`.
    fn half_second_base(&self, seed: &[u8; 32]) -> RistrettoPoint {
        let uniform: [u8; 64] = self.oracle(Step::BaseOtPoint, 0).absorb(seed).bytes();
        RistrettoPoint::from_uniform_bytes(&uniform)
    }

    /// `H2`: the pads of all instances, derived from their shared points.
    fn pads(
        &self,
        points: &[[u8; 32]],
        z: &[u8; 32],
        shared: &[RistrettoPoint],
    ) -> Zeroizing<Vec<Block>> {
        let shared = Zeroizing::new(encode_doubles(shared));
        let pads = points.iter().zip(shared.iter()).enumerate();
        Zeroizing::new(
            pads.map(|(index, (point, shared))| {
                self.oracle(Step::BaseOtPad, index)
                    .absorb(point)
                    .absorb(z)
                    .absorb(shared)
                    .block()
            })
            .collect(),
        )
    }

    /// `H3` of one pad.
    fn response(&self, index: usize, pad: Block) -> Digest {
        self.oracle(Step::BaseOtResponse, index)
            .absorb(&pad.to_bytes())
            .digest()
    }

    /// `H4`: the aggregate of all responses.
    fn aggregate(&self, responses: &[Digest]) -> Digest {
        self.oracle(Step::BaseOtAggregate, 0)
            .absorb(responses.as_flattened())
            .digest()
    }

    /// `H3` of the aggregate.
    fn proof(&self, aggregate: &Digest) -> Digest {
        self.oracle(Step::BaseOtProof, 0).absorb(aggregate).digest()
    }
}

/// Encodes the double of each point.
fn encode_doubles(points: &[RistrettoPoint]) -> Vec<[u8; 32]> {
    Zeroizing::new(RistrettoPoint::double_and_compress_batch(points))
        .iter()
        .map(CompressedRistretto::to_bytes)
        .collect()
}

/// The state of the receiver between its two messages.
pub(super) struct Receiver {
    hashes: Hashes,
    choices: SecretVec<SecretBit>,
    scalars: Zeroizing<Vec<Scalar>>,
    points: Vec<[u8; 32]>,
}

impl Receiver {
    /// Step 1: creates the seed, and one point for each choice.
    pub(super) fn begin(
        direction: Direction,
        choices: SecretVec<SecretBit>,
        rng: &mut impl CryptoRng,
    ) -> (Self, BaseOtPoints) {
        debug_assert_eq!(choices.len(), COUNT);
        let hashes = Hashes(direction);
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let half_base = hashes.half_second_base(&seed);
        let mut scalars = Zeroizing::new(Vec::with_capacity(COUNT));
        let mut halves = Zeroizing::new(Vec::with_capacity(COUNT));
        for &choice in choices.iter() {
            let half = Zeroizing::new(random_scalar(rng));
            let chosen = RistrettoPoint::conditional_select(
                &RistrettoPoint::identity(),
                &half_base,
                choice.into(),
            );
            halves.push(&*half * RISTRETTO_BASEPOINT_TABLE + chosen);
            scalars.push(*half + *half);
        }
        let points = encode_doubles(&halves);
        let message = BaseOtPoints {
            seed,
            points: points.clone(),
        };
        let receiver = Receiver {
            hashes,
            choices,
            scalars,
            points,
        };
        (receiver, message)
    }

    /// Step 3: returns the chosen pads, and the answer to the challenge.
    ///
    /// # Errors
    /// [`Check::BaseOtSenderPoint`] if the point `z` is invalid; [`Check::BaseOtChallenge`] if the
    /// proof does not match, because the sender tried to guess choices.
    pub(super) fn finish(
        self,
        message: &BaseOtPads,
    ) -> Result<(Zeroizing<Vec<Block>>, BaseOtAnswer)> {
        expect_length("base OT challenges", message.challenges.len(), COUNT)?;
        let z = decode_point(&message.z).ok_or(Error::Check(Check::BaseOtSenderPoint))?;
        // A precomputed table pays off, because the same point is multiplied 128 times.
        let z = RistrettoBasepointTable::create(&z);
        let shared: Zeroizing<Vec<RistrettoPoint>> =
            Zeroizing::new(self.scalars.iter().map(|scalar| scalar * &z).collect());
        let pads = self.hashes.pads(&self.points, &message.z, &shared);
        let mut responses = Zeroizing::new(Vec::with_capacity(COUNT));
        for (i, &pad) in pads.iter().enumerate() {
            let mut response = self.hashes.response(i, pad);
            let [mask, ..] = Block::mask(self.choices[i]).to_bytes();
            for (r, c) in response.iter_mut().zip(&message.challenges[i]) {
                *r ^= c & mask;
            }
            responses.push(response);
        }
        let answer = self.hashes.aggregate(&responses);
        if !bool::from(self.hashes.proof(&answer).ct_eq(&message.proof)) {
            return Err(Error::Check(Check::BaseOtChallenge));
        }
        Ok((pads, BaseOtAnswer { answer }))
    }
}

/// The state of the sender between its message and the receiver's answer.
pub(super) struct Sender {
    pads: Zeroizing<Vec<[Block; 2]>>,
    answer: Digest,
}

impl Sender {
    /// Step 2: computes both pads of each instance, and the challenge.
    ///
    /// # Errors
    /// [`Check::BaseOtReceiverPoint`] if a point is invalid.
    pub(super) fn reply(
        direction: Direction,
        message: &BaseOtPoints,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, BaseOtPads)> {
        expect_length("base OT points", message.points.len(), COUNT)?;
        let hashes = Hashes(direction);
        let scalar = Zeroizing::new(random_scalar(rng));
        let z = RistrettoPoint::mul_base(&scalar).compress().to_bytes();
        let half_base = hashes.half_second_base(&message.seed);
        let second = *scalar * (half_base + half_base);
        let mut shared = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(COUNT)));
        for bytes in &message.points {
            let point = decode_point(bytes).ok_or(Error::Check(Check::BaseOtReceiverPoint))?;
            let point = *scalar * point;
            shared[0].push(point);
            shared[1].push(point - second);
        }
        let [zeros, ones] = shared.map(|shared| hashes.pads(&message.points, &z, &shared));
        let mut pads = Zeroizing::new(Vec::with_capacity(COUNT));
        let mut challenges = Vec::with_capacity(COUNT);
        let mut responses = Zeroizing::new(Vec::with_capacity(COUNT));
        for (i, (&zero, &one)) in zeros.iter().zip(ones.iter()).enumerate() {
            let pair = [zero, one];
            let [zero, one] = pair.map(|pad| hashes.response(i, pad));
            challenges.push(std::array::from_fn(|byte| zero[byte] ^ one[byte]));
            responses.push(zero);
            pads.push(pair);
        }
        let answer = hashes.aggregate(&responses);
        let message = BaseOtPads {
            z,
            challenges,
            proof: hashes.proof(&answer),
        };
        Ok((Sender { pads, answer }, message))
    }

    /// Step 4: returns both pads of each instance, after checking that the receiver knows its pads.
    ///
    /// # Errors
    /// [`Check::BaseOtAnswer`] if the receiver's answer is wrong.
    pub(super) fn finish(self, message: &BaseOtAnswer) -> Result<Zeroizing<Vec<[Block; 2]>>> {
        if bool::from(self.answer.ct_eq(&message.answer)) {
            Ok(self.pads)
        } else {
            Err(Error::Check(Check::BaseOtAnswer))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Party;
    use crate::crypto::SessionId;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    const DIRECTION: Direction = Direction {
        session: SessionId([5; 32]),
        sender: Party::Garbler,
    };

    /// A direction of a different session, and a direction with the other party as sender.
    fn others() -> [Direction; 2] {
        [
            Direction::of(&SessionId([6; 32]), Party::Garbler),
            Direction::of(&DIRECTION.session, Party::Evaluator),
        ]
    }

    fn choices() -> SecretVec<SecretBit> {
        (0..COUNT).map(|i| SecretBit::from(i % 3 == 1)).collect()
    }

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::from_seed([11; 32])
    }

    #[test]
    fn receiver_gets_only_the_pad_of_its_choice() {
        let (receiver, points) = Receiver::begin(DIRECTION, choices(), &mut rng());
        let (sender, pads) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
        let (chosen, answer) = receiver.finish(&pads).unwrap();
        let both = sender.finish(&answer).unwrap();
        for (i, choice) in choices().iter().enumerate() {
            assert!(bool::from(
                chosen[i].ct_eq(&both[i][usize::from(choice.reveal())])
            ));
            assert!(!bool::from(
                chosen[i].ct_eq(&both[i][usize::from((!*choice).reveal())])
            ));
        }
    }

    #[test]
    fn guessing_sender_is_caught_exactly_if_the_guess_is_wrong() {
        for (index, guess) in [(0, false), (0, true), (1, false), (1, true)] {
            let (receiver, points) = Receiver::begin(DIRECTION, choices(), &mut rng());
            let (_, mut pads) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
            // A wrong challenge affects only a receiver whose choice is 1. If the aggregate
            // contains the same flip (`guess`), it affects only a receiver whose choice is 0.
            pads.challenges[index][0] ^= 1;
            if guess {
                let hashes = Hashes(DIRECTION);
                let (sender, _) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
                let mut responses: Vec<Digest> = sender
                    .pads
                    .iter()
                    .enumerate()
                    .map(|(i, pair)| hashes.response(i, pair[0]))
                    .collect();
                responses[index][0] ^= 1;
                pads.proof = hashes.proof(&hashes.aggregate(&responses));
            }
            assert_eq!(
                receiver.finish(&pads).is_ok(),
                choices()[index].reveal() == guess
            );
        }
    }

    #[test]
    fn receiver_that_does_not_know_its_pads_is_caught() {
        let (receiver, points) = Receiver::begin(DIRECTION, choices(), &mut rng());
        let (sender, pads) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
        let (_, mut answer) = receiver.finish(&pads).unwrap();
        answer.answer[31] ^= 0x80;
        assert!(sender.finish(&answer).is_err());
    }

    #[test]
    fn non_canonical_points_and_the_identity_are_rejected() {
        let (receiver, points) = Receiver::begin(DIRECTION, choices(), &mut rng());
        for bad in [[0; 32], [0xff; 32]] {
            let mut points = BaseOtPoints {
                seed: points.seed,
                points: points.points.clone(),
            };
            points.points[77] = bad;
            assert!(Sender::reply(DIRECTION, &points, &mut rng()).is_err());
        }
        let (_, mut pads) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
        pads.z = [0; 32];
        assert!(receiver.finish(&pads).is_err());
    }

    #[test]
    fn lists_of_the_wrong_length_are_rejected() {
        let (receiver, mut points) = Receiver::begin(DIRECTION, choices(), &mut rng());
        let (_, mut pads) = Sender::reply(DIRECTION, &points, &mut rng()).unwrap();
        points.points.pop();
        assert!(Sender::reply(DIRECTION, &points, &mut rng()).is_err());
        pads.challenges.pop();
        assert!(receiver.finish(&pads).is_err());
    }

    #[test]
    fn second_base_is_bound_to_session_direction_and_seed() {
        let base = |direction, seed| {
            let base = Hashes(direction).half_second_base(&[seed; 32]);
            base.compress().to_bytes()
        };
        let [session, sender] = others();
        let bases = [
            base(DIRECTION, 1),
            base(session, 1),
            base(sender, 1),
            base(DIRECTION, 2),
        ];
        for (i, base) in bases.iter().enumerate() {
            assert!(!bases[..i].contains(base), "{i}");
        }
    }

    #[test]
    fn pad_is_bound_to_session_direction_instance_and_all_three_points() {
        let pads = |direction, point, z, shared: u8| {
            let shared = [RistrettoPoint::mul_base(&Scalar::from(shared)); 2];
            let hashes = Hashes(direction);
            let pads = hashes.pads(&[[point; 32]; 2], &[z; 32], &shared);
            [pads[0], pads[1]].map(Block::to_bytes)
        };
        let [session, sender] = others();
        let pads = [
            pads(DIRECTION, 1, 1, 1),
            pads(session, 1, 1, 1),
            pads(sender, 1, 1, 1),
            pads(DIRECTION, 2, 1, 1),
            pads(DIRECTION, 1, 2, 1),
            pads(DIRECTION, 1, 1, 2),
        ];
        let pads = pads.as_flattened();
        for (i, pad) in pads.iter().enumerate() {
            assert!(!pads[..i].contains(pad), "{i}");
        }
    }

    #[test]
    fn mismatched_session_direction_or_seed_fails_the_challenge() {
        let [session, sender] = others();
        for (direction, flip) in [(session, 0), (sender, 0), (DIRECTION, 1)] {
            let (receiver, mut points) = Receiver::begin(DIRECTION, choices(), &mut rng());
            points.seed[7] ^= flip;
            let (_, pads) = Sender::reply(direction, &points, &mut rng()).unwrap();
            let outcome = receiver.finish(&pads).map(drop);
            assert!(matches!(outcome, Err(Error::Check(Check::BaseOtChallenge))));
        }
    }

    #[test]
    fn known_answers() {
        let [_, direction] = others();
        let (receiver, points) = Receiver::begin(direction, choices(), &mut rng());
        let (_, pads) = Sender::reply(direction, &points, &mut rng()).unwrap();
        let (chosen, answer) = receiver.finish(&pads).unwrap();
        let digest = |parts: &[&[u8]]| {
            let mut hasher = blake3::Hasher::new();
            parts.iter().for_each(|part| {
                hasher.update(part);
            });
            hasher.finalize().to_hex()[..16].to_string()
        };
        assert_eq!(
            [
                digest(&[&points.seed, points.points.as_flattened()]),
                digest(&[&pads.z, pads.challenges.as_flattened(), &pads.proof]),
                digest(&[&answer.answer]),
                digest(&[bytemuck::cast_slice(&chosen)]),
            ],
            [
                "1b6d5ff799bf48a0",
                "77a008fd89e039b1",
                "c9dcfd97bf3a3f41",
                "5bae8b8d883ae69a"
            ]
        );
    }
}
