//! The keys of a match: a distributed key generation in three steps of all seats.
//!
//! Each seat shares a random polynomial among all seats (Feldman 1987; Pedersen 1991). Its first
//! part commits to the coefficients, so that no seat can choose its part after it has seen those of
//! the others (Gennaro, Jarecki, Krawczyk and Rabin 1999). Shares are encrypted under a key that
//! both seats know, and a seat that receives a wrong share reveals that key with a proof (ETHDKG
//! 2019).
//!
//! | step | part of each seat | checked by |
//! |---|---|---|
//! | 1 | [`Keys`]: an encryption key with a proof, and a commitment to the dealing | [`Keys::verify`] |
//! | 2 | [`Dealing`]: the images of the coefficients with a proof, and the encrypted shares | [`Dealing::verify`], then [`Contribution::receive`] |
//! | 3 | nothing, or a [`Complaint`] | [`Complaint::verify`] |

mod complaint;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::group::{ELEMENT, LogProof, Logarithm, Point, Reader, Transcript, vartime_sum};
use crate::crypto::random_scalar;
pub use complaint::Complaint;

/// The most seats of a match.
pub const MAX_SEATS: usize = 10;

/// The number of seats, and how many of them open a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    count: usize,
    threshold: usize,
}

impl Seats {
    /// `count` seats, any `threshold` of which open a card. `None` unless
    /// `2 <= threshold <= count <= 10`.
    pub fn new(count: usize, threshold: usize) -> Option<Self> {
        let valid = (2..=count).contains(&threshold) && count <= MAX_SEATS;
        valid.then_some(Seats { count, threshold })
    }

    /// The number of seats.
    pub fn count(self) -> usize {
        self.count
    }

    /// The number of seats that open a card.
    pub fn threshold(self) -> usize {
        self.threshold
    }

    fn others(self, seat: usize) -> impl Iterator<Item = usize> {
        (0..self.count).filter(move |other| *other != seat)
    }
}

/// The point at which a seat's share is the value of each polynomial.
fn at(seat: usize) -> Scalar {
    Scalar::from(seat as u64 + 1)
}

/// The Lagrange coefficient of `seat` at 0, among `seats`.
pub(super) fn lagrange(seats: &[usize], seat: usize) -> Scalar {
    let others = seats.iter().filter(|&&other| other != seat);
    let (above, below) = others.fold((Scalar::ONE, Scalar::ONE), |(above, below), &other| {
        (above * at(other), below * (at(other) - at(seat)))
    });
    above * below.invert()
}

/// Why a part of the key generation is a foul of its signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadKeys {
    /// Wrong length, or a point or scalar that is not canonical, or the identity.
    #[error("invalid encoding")]
    Encoding,
    /// The proof of possession of a key does not hold.
    #[error("the proof of possession of a key does not hold")]
    Possession,
    /// The dealing is not the one of the commitment.
    #[error("the dealing does not match its commitment")]
    Commitment,
    /// There is no such seat, or not one part of each seat is given. This is a mistake of the caller.
    #[error("there is no such seat, or parts of seats are missing")]
    Seats,
    /// The proof of a complaint does not hold, or the complaint names its own seat or no seat.
    #[error("the proof of the complaint does not hold")]
    Complaint,
}

/// The first part of a seat: its encryption key, and a commitment to its [`Dealing`].
#[derive(Clone, Debug)]
pub struct Keys {
    /// `E = eG`.
    pub(super) encryption: Point,
    proof: LogProof,
    commitment: [u8; 32],
}

impl Keys {
    /// The length of the part, in bytes.
    pub const LEN: usize = ELEMENT + LogProof::LEN + 32;

    /// The part, verified.
    ///
    /// # Errors
    /// [`BadKeys`].
    pub fn verify(match_id: &[u8; 32], seat: usize, part: &[u8]) -> Result<Self, BadKeys> {
        let read = || {
            let mut reader = Reader::new(part, Self::LEN)?;
            Some(Keys {
                encryption: reader.point()?,
                proof: LogProof::read(&mut reader)?,
                commitment: reader.array(),
            })
        };
        let keys = read().ok_or(BadKeys::Encoding)?;
        if !possession("pop E", match_id, seat, &keys.encryption).check(&keys.proof) {
            return Err(BadKeys::Possession);
        }
        Ok(keys)
    }

    /// The part as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::LEN);
        out.extend_from_slice(self.encryption.bytes());
        self.proof.write(&mut out);
        out.extend_from_slice(&self.commitment);
        out
    }
}

fn possession<'a>(tag: &str, match_id: &[u8; 32], seat: usize, key: &'a Point) -> Logarithm<'a> {
    Logarithm {
        context: Transcript::new(tag).bytes(match_id).number(seat as u64),
        image: key,
        second: None,
    }
}

/// The second part of a seat: its polynomial in the exponent, and an encrypted share for each other
/// seat.
#[derive(Clone, Debug)]
pub struct Dealing {
    /// `A_k = f_k G`, by rising power.
    coefficients: Vec<Point>,
    proof: LogProof,
    /// By receiver, without the dealer's own.
    pads: Vec<[u8; 32]>,
}

impl Dealing {
    /// The length of the part, in bytes.
    pub fn part_len(seats: Seats) -> usize {
        ELEMENT * (seats.threshold + seats.count + 1)
    }

    /// The part, verified against the commitment in the seat's [`Keys`]. The shares can be checked by
    /// their receivers only.
    ///
    /// # Errors
    /// [`BadKeys`].
    pub fn verify(
        match_id: &[u8; 32],
        seats: Seats,
        keys: &[Keys],
        seat: usize,
        part: &[u8],
    ) -> Result<Self, BadKeys> {
        if seat >= seats.count || keys.len() != seats.count {
            return Err(BadKeys::Seats);
        }
        let read = || {
            let mut reader = Reader::new(part, Self::part_len(seats))?;
            Some(Dealing {
                coefficients: reader.points(seats.threshold)?,
                proof: LogProof::read(&mut reader)?,
                pads: seats.others(seat).map(|_| reader.array()).collect(),
            })
        };
        let dealing = read().ok_or(BadKeys::Encoding)?;
        if !possession("pop A", match_id, seat, &dealing.coefficients[0]).check(&dealing.proof) {
            return Err(BadKeys::Possession);
        }
        let commitment = commit(match_id, seat, &dealing.coefficients, &dealing.proof);
        if commitment != keys[seat].commitment {
            return Err(BadKeys::Commitment);
        }
        Ok(dealing)
    }

    /// The part as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for coefficient in &self.coefficients {
            out.extend_from_slice(coefficient.bytes());
        }
        self.proof.write(&mut out);
        self.pads.iter().for_each(|pad| out.extend_from_slice(pad));
        out
    }

    /// The share of `receiver`, if `key` is the key of its pad. `None` if it is not a canonical
    /// scalar, or does not fit the coefficients.
    fn share(&self, pad: &Pad<'_>, key: &Point) -> Option<Scalar> {
        let Pad {
            dealer, receiver, ..
        } = *pad;
        let mut bytes = pad.hash(key);
        let sent = &self.pads[receiver - usize::from(receiver > dealer)];
        xor(&mut bytes, sent);
        let share: Option<Scalar> = Scalar::from_canonical_bytes(*bytes).into();
        let image = image_at(&[self], receiver);
        share.filter(|share| RistrettoPoint::mul_base(share) == image)
    }
}

fn xor(bytes: &mut [u8; 32], other: &[u8; 32]) {
    bytes.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
}

/// `sum A_k at(seat)^k` over the coefficients of these dealings.
fn image_at(dealings: &[&Dealing], seat: usize) -> RistrettoPoint {
    let powers = std::iter::successors(Some(Scalar::ONE), |power| Some(power * at(seat)));
    let powers: Vec<Scalar> = powers.take(dealings[0].coefficients.len()).collect();
    let terms = dealings.iter().flat_map(|dealing| {
        let coefficients = dealing.coefficients.iter().map(Point::get);
        powers.iter().copied().zip(coefficients)
    });
    let terms: Vec<_> = terms.collect();
    vartime_sum(terms.iter().map(|&(power, point)| (power, point)))
}

fn commit(match_id: &[u8; 32], seat: usize, coefficients: &[Point], proof: &LogProof) -> [u8; 32] {
    let mut bytes = Vec::with_capacity(LogProof::LEN);
    proof.write(&mut bytes);
    let hash = Transcript::new("dkg commit")
        .bytes(match_id)
        .number(seat as u64);
    hash.points(coefficients.iter()).bytes(&bytes).digest()
}

/// The encryption of the share that one seat deals to another.
struct Pad<'a> {
    match_id: &'a [u8; 32],
    dealer: usize,
    receiver: usize,
}

impl Pad<'_> {
    /// The pad, from the key that dealer and receiver share.
    fn hash(&self, key: &Point) -> Zeroizing<[u8; 32]> {
        let hash = Transcript::new("dkg pad").bytes(self.match_id);
        let hash = hash.number(self.dealer as u64).number(self.receiver as u64);
        Zeroizing::new(hash.point(key).digest())
    }
}

/// The secrets that a seat contributes to the keys of a match.
///
/// They are wiped when dropped. `generate` with the same random bytes returns the same contribution,
/// so a program that restarts sends the same parts.
pub struct Contribution {
    match_id: [u8; 32],
    seats: Seats,
    seat: usize,
    /// `e`, the logarithm of the encryption key.
    decryption: Scalar,
    /// `f`, by rising power.
    polynomial: Vec<Scalar>,
    keys: Keys,
    coefficients: Vec<Point>,
    proof: LogProof,
}

impl Drop for Contribution {
    fn drop(&mut self) {
        self.decryption.zeroize();
        self.polynomial.zeroize();
    }
}

impl Contribution {
    /// Draws the secrets of a seat. The same random bytes give the same secrets for the same match and
    /// seat, and unrelated ones for any other.
    ///
    /// # Panics
    /// If there is no such seat.
    pub fn generate(
        match_id: [u8; 32],
        seats: Seats,
        seat: usize,
        rng: &mut impl CryptoRng,
    ) -> Self {
        assert!(seat < seats.count, "there is no seat {seat}");
        let hash = Transcript::new("dkg secrets").bytes(&match_id);
        let hash = hash
            .number(seats.count as u64)
            .number(seats.threshold as u64);
        let rng = &mut hash.number(seat as u64).derive(&[], rng);
        let decryption = random_scalar(rng);
        let polynomial: Vec<Scalar> = (0..seats.threshold).map(|_| random_scalar(rng)).collect();
        let image = |secret: &Scalar| Point::new(RistrettoPoint::mul_base(secret));
        let coefficients: Vec<Point> = polynomial.iter().map(image).collect();
        let proof =
            possession("pop A", &match_id, seat, &coefficients[0]).prove(&polynomial[0], rng);
        let encryption = image(&decryption);
        let keys = Keys {
            proof: possession("pop E", &match_id, seat, &encryption).prove(&decryption, rng),
            encryption,
            commitment: commit(&match_id, seat, &coefficients, &proof),
        };
        Contribution {
            match_id,
            seats,
            seat,
            decryption,
            polynomial,
            keys,
            coefficients,
            proof,
        }
    }

    /// The seat's first part.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The seat's second part. `keys` are the verified first parts of all seats, in order.
    pub fn dealing(&self, keys: &[Keys]) -> Dealing {
        let pads = self.seats.others(self.seat).map(|receiver| {
            let share = Zeroizing::new(self.value(receiver));
            let pad = self.pad(self.seat, receiver);
            let mut bytes = pad.hash(&self.shared(&keys[receiver]));
            xor(&mut bytes, share.as_bytes());
            *bytes
        });
        Dealing {
            coefficients: self.coefficients.clone(),
            proof: self.proof,
            pads: pads.collect(),
        }
    }

    /// The value of the polynomial for a seat.
    fn value(&self, seat: usize) -> Scalar {
        let from_highest = self.polynomial.iter().rev();
        from_highest.fold(Scalar::ZERO, |value, coefficient| {
            value * at(seat) + coefficient
        })
    }

    fn pad(&self, dealer: usize, receiver: usize) -> Pad<'_> {
        Pad {
            match_id: &self.match_id,
            dealer,
            receiver,
        }
    }

    /// `e E`: the key that only this seat and the owner of these keys know.
    pub(super) fn shared(&self, theirs: &Keys) -> Point {
        Point::new(theirs.encryption.get() * self.decryption)
    }

    /// Takes the verified second parts of all seats, in order. Returns the seat's secret key.
    ///
    /// # Errors
    /// A complaint about the first share that does not fit, or [`NoKey::NotOwn`].
    pub fn receive(
        &self,
        keys: &[Keys],
        dealings: &[Dealing],
        rng: &mut impl CryptoRng,
    ) -> Result<SecretKey, NoKey> {
        let (own, dealt) = (keys.get(self.seat), dealings.get(self.seat));
        let is_own = own.is_some_and(|own| own.encryption == self.keys.encryption)
            && dealt.is_some_and(|dealt| dealt.coefficients == self.coefficients)
            && [keys.len(), dealings.len()] == [self.seats.count; 2];
        if !is_own {
            return Err(NoKey::NotOwn);
        }
        let mut secret = Zeroizing::new(self.value(self.seat));
        for dealer in self.seats.others(self.seat) {
            let key = self.shared(&keys[dealer]);
            let Some(share) = dealings[dealer].share(&self.pad(dealer, self.seat), &key) else {
                let complaint = self.complain(keys, dealer, key, rng);
                return Err(NoKey::Complaint(Box::new(complaint)));
            };
            *secret += *Zeroizing::new(share);
        }
        Ok(SecretKey {
            seat: self.seat,
            secret: *secret,
            decryption: self.decryption,
        })
    }
}

/// The reason why a seat has no secret key.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoKey {
    /// A share does not fit. The seat signs this complaint.
    #[error("a share of the key does not fit")]
    Complaint(Box<Complaint>),
    /// The parts are not one of each seat, or those of this seat are not its own, for example because
    /// its secrets were lost and drawn again.
    #[error("the parts are not those of this match, or not those that this seat has sent")]
    NotOwn,
}

/// A seat's secret key. It is wiped when dropped.
pub struct SecretKey {
    pub(super) seat: usize,
    /// `x`, the sum of all shares of the seat.
    pub(super) secret: Scalar,
    /// `e`, the logarithm of the encryption key.
    pub(super) decryption: Scalar,
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.secret.zeroize();
        self.decryption.zeroize();
    }
}

impl SecretKey {
    /// The seat's share of the secret of the deck's key. A seat that publishes it gives up the secrecy
    /// of all its cards of this match: the other seats together can then read them.
    pub fn share(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.secret.to_bytes())
    }
}

/// The public keys of a match.
#[derive(Clone, Debug)]
pub struct Roster {
    pub(super) seats: Seats,
    /// The key under which the deck is encrypted.
    pub(super) deck: Point,
    /// `Y`, by seat: the image of its share of the secret of the deck's key.
    pub(super) shares: Vec<Point>,
    /// `E`, by seat.
    pub(super) encryption: Vec<Point>,
    /// The hash of match, seats and all public keys.
    pub(super) digest: [u8; 32],
}

impl Roster {
    /// The public keys, if nobody complained. `None` if one of them is the identity, which happens by
    /// chance only: the match is then begun again. Also `None` if the parts are not one of each seat,
    /// or are of another number of seats.
    pub fn new(
        match_id: &[u8; 32],
        seats: Seats,
        keys: &[Keys],
        dealings: &[Dealing],
    ) -> Option<Self> {
        let complete = [keys.len(), dealings.len()] == [seats.count; 2];
        let fits = |dealing: &Dealing| {
            let pads = dealing.pads.len() + 1;
            [dealing.coefficients.len(), pads] == [seats.threshold, seats.count]
        };
        if !complete || !dealings.iter().all(fits) {
            return None;
        }
        let dealings: Vec<&Dealing> = dealings.iter().collect();
        let deck: RistrettoPoint = (dealings.iter())
            .map(|dealing| dealing.coefficients[0].get())
            .sum();
        let deck = Point::new(deck);
        let shares = (0..seats.count).map(|seat| Point::new(image_at(&dealings, seat)));
        let shares: Vec<Point> = shares.collect();
        let encryption: Vec<Point> = keys.iter().map(|keys| keys.encryption).collect();
        if shares.iter().chain([&deck]).any(Point::is_identity) {
            return None;
        }
        let hash = Transcript::new("roster").bytes(match_id);
        let hash = hash
            .number(seats.count as u64)
            .number(seats.threshold as u64);
        let hash = hash.point(&deck).points(shares.iter());
        let digest = hash.points(encryption.iter()).digest();
        Some(Roster {
            seats,
            deck,
            shares,
            encryption,
            digest,
        })
    }

    /// The number of seats and the threshold.
    pub fn seats(&self) -> Seats {
        self.seats
    }

    /// Whether this is the secret share of a seat. A seat that leaves publishes it
    /// ([`SecretKey::share`]).
    pub fn is_share(&self, seat: usize, secret: &[u8; 32]) -> bool {
        let secret: Option<Scalar> = Scalar::from_canonical_bytes(*secret).into();
        match (secret, self.shares.get(seat)) {
            (Some(secret), Some(share)) => RistrettoPoint::mul_base(&secret) == *share.get(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
