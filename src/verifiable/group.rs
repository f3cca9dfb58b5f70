//! The group ristretto255 (RFC 9496): hashes to scalars and points, canonical encodings, and proofs
//! of knowledge of logarithms.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use std::convert::Infallible;

use rand::{CryptoRng, TryCryptoRng, TryRng};
use zeroize::{Zeroize, Zeroizing};

use crate::crypto::{decode_point, random_scalar};

/// The length of an encoded point or scalar, in bytes.
pub(super) const ELEMENT: usize = 32;

/// A hash in progress: BLAKE3 in key-derivation mode with one context for each purpose. Each field
/// is preceded by its length, so that no two sequences of fields have the same hash.
#[derive(Clone)]
pub(super) struct Transcript(blake3::Hasher);

impl Transcript {
    /// The hash for the purpose that `tag` names.
    pub(super) fn new(tag: &str) -> Self {
        let context = format!("dealerless-verifiable 2026-11 {tag} v1");
        Transcript(blake3::Hasher::new_derive_key(&context))
    }

    /// Adds a byte string.
    #[must_use]
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a number.
    #[must_use]
    pub(super) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// Adds one point.
    #[must_use]
    pub(super) fn point(self, point: &Point) -> Self {
        self.bytes(point.bytes())
    }

    /// Adds several points as one field.
    #[must_use]
    pub(super) fn points<'a>(mut self, points: impl ExactSizeIterator<Item = &'a Point>) -> Self {
        let length = points.len() * ELEMENT;
        self.0.update(&(length as u64).to_le_bytes());
        for point in points {
            self.0.update(point.bytes());
        }
        self
    }

    /// The first 256 bits of the output.
    pub(super) fn digest(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }

    /// A scalar: 64 bytes of the output modulo the order of the group.
    pub(super) fn scalar(self) -> Scalar {
        self.scalars().next().expect("the output has no end")
    }

    /// Endless scalars, from consecutive blocks of 64 bytes of the output.
    pub(super) fn scalars(self) -> impl Iterator<Item = Scalar> {
        let mut output = self.0.finalize_xof();
        std::iter::repeat_with(move || {
            let mut wide = [0; 64];
            output.fill(&mut wide);
            Scalar::from_bytes_mod_order_wide(&wide)
        })
    }

    /// Endless numbers of 32 bits, from consecutive blocks of 4 bytes of the output.
    pub(super) fn words(self) -> impl Iterator<Item = u32> {
        let mut output = self.0.finalize_xof();
        std::iter::repeat_with(move || {
            let mut word = [0; 4];
            output.fill(&mut word);
            u32::from_le_bytes(word)
        })
    }

    /// A generator for the random scalars of one proof or key: it depends on fresh bytes of `rng`, on
    /// the secrets and on the statement that was hashed before. The same bytes for the same statement
    /// give the same scalars. The same bytes for another statement, for example after a file was
    /// restored, give unrelated ones, so that no response reveals a secret.
    pub(super) fn derive(self, secrets: &[&Scalar], rng: &mut impl CryptoRng) -> Derived {
        let mut fresh = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *fresh);
        let hash = secrets.iter().fold(self.bytes(&*fresh), |hash, secret| {
            hash.bytes(secret.as_bytes())
        });
        Derived(hash.0.finalize_xof())
    }

    /// A point whose logarithms nobody knows: the one-way map of 64 bytes of the output.
    pub(super) fn hash_to_group(self) -> Point {
        let mut wide = [0; 64];
        self.0.finalize_xof().fill(&mut wide);
        Point::new(RistrettoPoint::from_uniform_bytes(&wide))
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The generator that [`Transcript::derive`] makes.
pub(super) struct Derived(blake3::OutputReader);

impl TryRng for Derived {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Derived {}

impl Drop for Derived {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A point with its encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    point: RistrettoPoint,
    encoded: CompressedRistretto,
}

impl Point {
    pub(super) fn new(point: RistrettoPoint) -> Self {
        Point {
            point,
            encoded: point.compress(),
        }
    }

    /// The identity. It is never sent.
    pub(super) fn identity() -> Self {
        Point::new(RistrettoPoint::default())
    }

    pub(super) fn is_identity(&self) -> bool {
        self.point.is_identity()
    }

    pub(super) fn get(&self) -> &RistrettoPoint {
        &self.point
    }

    pub(super) fn bytes(&self) -> &[u8; ELEMENT] {
        self.encoded.as_bytes()
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02x?}", &self.bytes()[..4])
    }
}

/// Reads points and scalars of a part whose length was checked.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// `None` if the part does not have exactly this length.
    pub(super) fn new(bytes: &'a [u8], length: usize) -> Option<Self> {
        (bytes.len() == length).then_some(Reader(bytes))
    }

    /// The next `N` bytes.
    ///
    /// # Panics
    /// If the length given to [`new`](Self::new) was too small for what is read.
    pub(super) fn array<const N: usize>(&mut self) -> [u8; N] {
        let (array, rest) = self.0.split_first_chunk().expect("the length was checked");
        self.0 = rest;
        *array
    }

    /// The next point. `None` if it is not canonical or is the identity.
    pub(super) fn point(&mut self) -> Option<Point> {
        let encoded = self.array();
        let point = decode_point(&encoded)?;
        Some(Point {
            point,
            encoded: CompressedRistretto(encoded),
        })
    }

    pub(super) fn points(&mut self, count: usize) -> Option<Vec<Point>> {
        (0..count).map(|_| self.point()).collect()
    }

    /// The next scalar. `None` if it is not canonical.
    pub(super) fn scalar(&mut self) -> Option<Scalar> {
        Scalar::from_canonical_bytes(self.array()).into()
    }

    pub(super) fn scalars(&mut self, count: usize) -> Option<Vec<Scalar>> {
        (0..count).map(|_| self.scalar()).collect()
    }
}

/// `sum scalars_i points_i` of public values.
pub(super) fn vartime_sum<'a>(
    terms: impl ExactSizeIterator<Item = (Scalar, &'a RistrettoPoint)> + Clone,
) -> RistrettoPoint {
    let scalars = terms.clone().map(|(scalar, _)| scalar);
    RistrettoPoint::vartime_multiscalar_mul(scalars, terms.map(|(_, point)| point))
}

/// A proof of knowledge of a logarithm, and optionally of its equality with another one, made
/// non-interactive (Schnorr 1991; Chaum and Pedersen 1992; with the statement in the hash, as
/// Bernhard, Pereira and Warinschi 2012 require).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogProof {
    pub(super) challenge: Scalar,
    pub(super) response: Scalar,
}

/// What a [`LogProof`] shows: somebody knows `y` with `Y = yG`, and with `D = yB` if there is a
/// second pair.
pub(super) struct Logarithm<'a> {
    /// The purpose, the match and the seat of the prover.
    pub(super) context: Transcript,
    pub(super) image: &'a Point,
    /// `(B, D)`.
    pub(super) second: Option<(&'a Point, &'a Point)>,
}

impl Logarithm<'_> {
    /// Proves knowledge of `secret`, the logarithm of the image.
    pub(super) fn prove(&self, secret: &Scalar, rng: &mut impl CryptoRng) -> LogProof {
        let statement = self.context.clone().bytes(b"nonce").point(self.image);
        let statement = match self.second {
            Some((base, image)) => statement.point(base).point(image),
            None => statement,
        };
        let nonce = Zeroizing::new(random_scalar(&mut statement.derive(&[secret], rng)));
        let first = Point::new(RistrettoPoint::mul_base(&nonce));
        let second = (self.second).map(|(base, _)| Point::new(base.get() * *nonce));
        let challenge = self.challenge(&first, second.as_ref());
        let response = *nonce + challenge * secret;
        LogProof {
            challenge,
            response,
        }
    }

    /// Whether the proof holds.
    pub(super) fn check(&self, proof: &LogProof) -> bool {
        let LogProof {
            challenge,
            response,
        } = proof;
        let first = RistrettoPoint::vartime_double_scalar_mul_basepoint(
            &-challenge,
            self.image.get(),
            response,
        );
        let second = self.second.map(|(base, image)| {
            let terms = [(*response, base.get()), (-challenge, image.get())];
            Point::new(vartime_sum(terms.into_iter()))
        });
        *challenge == self.challenge(&Point::new(first), second.as_ref())
    }

    fn challenge(&self, first: &Point, second: Option<&Point>) -> Scalar {
        let hash = self.context.clone().point(self.image);
        match (self.second, second) {
            (Some((base, image)), Some(second)) => {
                let hash = hash.point(base).point(image);
                hash.point(first).point(second).scalar()
            }
            _ => hash.point(first).scalar(),
        }
    }
}

impl LogProof {
    /// The length of an encoded proof, in bytes.
    pub(super) const LEN: usize = 2 * ELEMENT;

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.challenge.as_bytes());
        out.extend_from_slice(self.response.as_bytes());
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(LogProof {
            challenge: reader.scalar()?,
            response: reader.scalar()?,
        })
    }
}
