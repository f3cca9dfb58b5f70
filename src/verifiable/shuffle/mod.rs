//! A shuffle with a proof: a seat permutes and re-encrypts a deck, and proves that it did nothing
//! else.

mod permutation;
mod proof;
#[cfg(feature = "internals")]
mod trusted;

use std::sync::Arc;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use rand::CryptoRng;
use zeroize::Zeroizing;

use self::permutation::Permutation;
use self::proof::{Proof, Statement, Witness};
use super::context::Context;
use super::deck::{Ciphertext, Decks, VerifiedDeck};
use super::group::{Derived, Point, Reader, Transcript};
use crate::crypto::random_scalar;

#[cfg(feature = "internals")]
pub use self::trusted::trust_own_shuffles;

/// Why a shuffle is a foul of its signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadShuffle {
    /// Wrong length, or a point or scalar that is not canonical, or the identity.
    #[error("invalid encoding of a shuffle")]
    Encoding,
    /// The proof does not hold.
    #[error("the proof of a shuffle does not hold")]
    Proof,
    /// The context names a seat that does not exist. This is a mistake of the caller.
    #[error("there is no such seat")]
    Seat,
    /// The places of a mix are not places of different goods, in ascending order, or are too few or too
    /// many; or the goods of a hand are shuffled like a deck. This is a mistake of the caller.
    #[error("these goods cannot be mixed")]
    Places,
}

impl VerifiedDeck {
    /// The length of a shuffle of `count` cards with its proof, in bytes.
    pub fn shuffle_len(count: usize) -> usize {
        Self::encoded_len(count) + Proof::encoded_len(count)
    }

    /// Shuffles the deck. Returns the part that the seat of the context signs, and the new deck.
    ///
    /// The permutation and the randomness of the encryption are wiped. The same random bytes give the
    /// same part for the same deck in the same context, and an unrelated one for any other.
    pub fn shuffle(&self, context: &Context<'_>, rng: &mut impl CryptoRng) -> (Vec<u8>, Self) {
        let count = self.count();
        let secrets = secrets(context).points(self.points());
        let (permutation, mut derived) = draw(secrets, count, rng);
        let added: Vec<Scalar> = (0..count).map(|_| random_scalar(&mut derived)).collect();
        let added = Zeroizing::new(added);
        let key = RistrettoBasepointTable::create(context.roster.deck.get());
        let a: Vec<RistrettoPoint> = self.places.iter().map(|place| *place.a.get()).collect();
        let b: Vec<RistrettoPoint> = self.places.iter().map(|place| *place.b.get()).collect();
        let (a, b) = (permutation.gather(&a), permutation.gather(&b));
        let moved = a.iter().zip(b.iter());
        let places = added.iter().zip(moved).map(|(added, (a, b))| Ciphertext {
            a: Point::new(a + RistrettoPoint::mul_base(added)),
            b: Point::new(b + &key * added),
        });
        let output = VerifiedDeck {
            cards: self.cards.clone(),
            places: places.collect(),
        };
        #[cfg(feature = "internals")]
        if let Some(part) = trusted::part(context, self, &output) {
            return (part, output);
        }
        let statement = Statement::new(context, self, &output);
        let witness = Witness { permutation, added };
        let proof = statement.prove(&witness, rng);
        let mut part = Vec::with_capacity(Self::shuffle_len(count));
        output
            .points()
            .for_each(|point| part.extend_from_slice(point.bytes()));
        proof.write(&mut part);
        (part, output)
    }

    /// The deck after a shuffle of this one by the seat of the context.
    ///
    /// # Errors
    /// [`BadShuffle`].
    pub fn verify_shuffle(&self, context: &Context<'_>, part: &[u8]) -> Result<Self, BadShuffle> {
        if context.seat >= context.roster.seats.count() {
            return Err(BadShuffle::Seat);
        }
        #[cfg(feature = "internals")]
        if let Some(output) = trusted::verified(context, self, part) {
            return Ok(output);
        }
        let (output, proof) = self.read_shuffle(part).ok_or(BadShuffle::Encoding)?;
        let statement = Statement::new(context, self, &output);
        match statement.check(&proof) {
            true => Ok(output),
            false => Err(BadShuffle::Proof),
        }
    }

    fn read_shuffle(&self, part: &[u8]) -> Option<(Self, Proof)> {
        let mut reader = Reader::new(part, Self::shuffle_len(self.count()))?;
        let output = VerifiedDeck::read(&self.cards, self.count(), &mut reader)?;
        let proof = Proof::read(self.count(), &mut reader)?;
        Some((output, proof))
    }
}

/// The hash of the secrets of a shuffle in this context, before the points of the deck.
fn secrets(context: &Context<'_>) -> Transcript {
    context.hash("shuffle secrets")
}

/// The permutation of a shuffle of `count` cards, and the generator of its other random values.
fn draw(secrets: Transcript, count: usize, rng: &mut impl CryptoRng) -> (Permutation, Derived) {
    let mut derived = secrets.derive(&[], rng);
    let permutation = Permutation::draw(count, &mut derived);
    (permutation, derived)
}

/// The values that belong to the places of a deck after [`VerifiedDeck::shuffle`] with the same random
/// bytes, from those before it. `points` are all points of the deck before it, encoded.
pub(super) fn follow(
    context: &Context<'_>,
    points: &[u8],
    values: &[u64],
    rng: &mut impl CryptoRng,
) -> Zeroizing<Vec<u64>> {
    let (permutation, _) = draw(secrets(context).bytes(points), values.len(), rng);
    permutation.gather(values)
}

impl Decks {
    /// The length of a part that shuffles decks with these numbers of cards, in bytes.
    pub fn shuffle_len(counts: impl IntoIterator<Item = usize>) -> usize {
        counts.into_iter().map(VerifiedDeck::shuffle_len).sum()
    }

    /// Shuffles all decks of a hand that has no goods yet. Returns the part that the seat of the context
    /// signs, with a shuffle of each deck in order, and the new decks.
    pub fn shuffle(&self, context: &Context<'_>, rng: &mut impl CryptoRng) -> (Vec<u8>, Self) {
        let shuffle = |(number, deck): (usize, &Arc<VerifiedDeck>)| {
            deck.shuffle(&of_deck(context, number), rng)
        };
        let (parts, decks): (Vec<_>, Vec<_>) = self.decks.iter().enumerate().map(shuffle).unzip();
        (parts.concat(), Decks::new(decks))
    }

    /// The decks after a shuffle of these by the seat of the context.
    ///
    /// # Errors
    /// [`BadShuffle`].
    pub fn verify_shuffle(
        &self,
        context: &Context<'_>,
        mut part: &[u8],
    ) -> Result<Self, BadShuffle> {
        let fits =
            |deck: &Arc<VerifiedDeck>| (1..=deck.cards.generators.len()).contains(&deck.count());
        if !self.decks.iter().all(fits) {
            return Err(BadShuffle::Places);
        }
        let mut shuffles = Vec::new();
        for deck in &self.decks {
            let shuffle = part.split_off(..VerifiedDeck::shuffle_len(deck.count()));
            shuffles.push(shuffle.ok_or(BadShuffle::Encoding)?);
        }
        if !part.is_empty() {
            return Err(BadShuffle::Encoding);
        }
        let verify = |(number, shuffle): (usize, &[u8])| {
            self.decks[number].verify_shuffle(&of_deck(context, number), shuffle)
        };
        let decks: Result<Vec<_>, _> = shuffles.into_iter().enumerate().map(verify).collect();
        Ok(Decks::new(decks?))
    }
}

/// The context of the deck with this number.
fn of_deck<'a>(context: &Context<'a>, number: usize) -> Context<'a> {
    Context {
        deck: number as u64,
        ..*context
    }
}

#[cfg(test)]
mod tests;
