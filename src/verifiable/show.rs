//! Showing a card that was opened to one seat alone: to all seats, or to one.
//!
//! The seat sends `D = xA`, where `x` is the secret of the deck's key, and proves that it follows
//! from the partials that it received and from its own keys. To seat `l` alone it sends `R = mG` and
//! `C = D + mE_l`. No other seat takes part.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::context::Context;
use super::deck::{Decks, Receiver, Slot};
use super::group::{ELEMENT, Point, Reader, Transcript, vartime_sum};
use super::keys::{SecretKey, lagrange};
use super::partials::{Partial, distinct, values};
use crate::crypto::random_scalar;
use crate::deck::Card;

/// Why a show is a foul of its signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadShow {
    /// Wrong length, or a point or scalar that is not canonical, or the identity.
    #[error("invalid encoding of a shown card")]
    Encoding,
    /// The proof does not hold.
    #[error("the proof of a shown card does not hold")]
    Proof,
    /// The card was not opened to the seat alone, there is no such card or receiver, or the key is not
    /// that of the context's seat. This is a mistake of the caller, not a foul.
    #[error("the card was not opened to this seat alone")]
    Card,
}

/// A card to show, with the partials that opened it to the seat.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The number of the deck in the hand.
    pub deck: usize,
    /// The position in the deck.
    pub position: usize,
    /// The first `threshold - 1` partials for the seat, by step and then by seat; those of published
    /// shares come last.
    pub partials: Vec<Partial>,
}

/// What a verified show sends of one card.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// `R`, if the card is shown to one seat.
    mask: Option<Point>,
    /// `D` or `C`.
    value: Point,
}

/// Cards that a seat has shown, verified.
#[derive(Clone, Debug)]
pub struct Show {
    receiver: Receiver,
    values: Vec<Value>,
}

impl Show {
    /// The length of a part that shows `count` cards, in bytes.
    pub fn part_len(receiver: Receiver, count: usize) -> usize {
        match receiver {
            Receiver::All => ELEMENT * (count + 3),
            Receiver::Seat(_) => ELEMENT * (2 * count + 4),
        }
    }

    /// Shows cards of the seat of `key`. Returns the part that it signs.
    ///
    /// # Errors
    /// [`BadShow::Card`].
    pub fn make(
        context: &Context<'_>,
        decks: &Decks,
        receiver: Receiver,
        shown: &[Shown],
        key: &SecretKey,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<u8>, BadShow> {
        let statement = Statement::new(context, decks, receiver, shown)?;
        if key.seat != context.seat {
            return Err(BadShow::Card);
        }
        let masks = statement.masks(key, rng);
        let to = statement.encryption();
        let value = |(card, mask): (&Shown, &Scalar)| {
            let Shown {
                deck,
                position,
                partials,
            } = card;
            let seats = context.roster.seats;
            let factor = decks.own_factor(seats, *deck, *position, partials, key)?;
            Some(match to {
                None => Value {
                    mask: None,
                    value: Point::new(factor),
                },
                Some(to) => Value {
                    mask: Some(Point::new(RistrettoPoint::mul_base(mask))),
                    value: Point::new(factor + to.get() * mask),
                },
            })
        };
        let values: Option<Vec<Value>> = shown.iter().zip(masks.iter()).map(value).collect();
        let values = values.ok_or(BadShow::Card)?;
        Ok(statement.sign(&values, key, &masks, rng))
    }

    /// The cards that the seat of the context has shown.
    ///
    /// # Errors
    /// [`BadShow`].
    pub fn verify(
        context: &Context<'_>,
        decks: &Decks,
        receiver: Receiver,
        shown: &[Shown],
        part: &[u8],
    ) -> Result<Self, BadShow> {
        let statement = Statement::new(context, decks, receiver, shown)?;
        let to = statement.encryption();
        let read = || {
            let mut reader = Reader::new(part, Self::part_len(receiver, shown.len()))?;
            let mut values = Vec::with_capacity(shown.len());
            for _ in shown {
                let mask = match to {
                    None => None,
                    Some(_) => Some(reader.point()?),
                };
                let value = reader.point()?;
                values.push(Value { mask, value });
            }
            let scalars = reader.scalars(if to.is_some() { 4 } else { 3 })?;
            Some((values, scalars))
        };
        let (values, scalars) = read().ok_or(BadShow::Encoding)?;
        let (z, share, key) = (scalars[0], scalars[1], scalars[2]);
        let sums = statement.sums(&values);
        let seat = context.seat;
        let base = RistrettoPoint::vartime_double_scalar_mul_basepoint;
        let difference = sums.values - sums.received;
        let mut terms = vec![(share, &sums.cards), (-key, &sums.masks), (-z, &difference)];
        if let Some(to) = to {
            terms.push((scalars[3], to.get()));
        }
        let mut firsts = vec![
            base(&-z, context.roster.shares[seat].get(), &share),
            base(&-z, context.roster.encryption[seat].get(), &key),
            vartime_sum(terms.iter().copied()),
        ];
        firsts.extend(to.map(|_| base(&-z, &sums.new_masks, &scalars[3])));
        let firsts: Vec<Point> = firsts.into_iter().map(Point::new).collect();
        if z != sums.challenge(&statement, &firsts) {
            return Err(BadShow::Proof);
        }
        Ok(Show { receiver, values })
    }

    /// The card that was shown to all as the `number`th. `None` if it was shown to one seat, or is not
    /// a card of the deck: a verified show of a verified deck always gives a card.
    pub fn card(&self, decks: &Decks, number: usize, shown: &Shown) -> Option<Card> {
        match self.receiver {
            Receiver::All => self.at(decks, number, shown, RistrettoPoint::default()),
            Receiver::Seat(_) => None,
        }
    }

    /// The same for a card that was shown to the seat of `key`.
    pub fn card_for(
        &self,
        decks: &Decks,
        number: usize,
        shown: &Shown,
        key: &SecretKey,
    ) -> Option<Card> {
        let mask = self.values.get(number)?.mask?;
        match self.receiver {
            Receiver::Seat(seat) if seat == key.seat => {
                self.at(decks, number, shown, mask.get() * key.decryption)
            }
            _ => None,
        }
    }

    fn at(
        &self,
        decks: &Decks,
        number: usize,
        shown: &Shown,
        mask: RistrettoPoint,
    ) -> Option<Card> {
        let place = decks.place(shown.deck, shown.position)?;
        let factor = self.values.get(number)?.value.get() - mask;
        let cards = &decks.decks[shown.deck].cards;
        cards.card(&(place.b.get() - factor))
    }
}

impl Value {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.mask.iter().chain([&self.value])
    }
}

/// What a show claims.
struct Statement<'a> {
    context: &'a Context<'a>,
    decks: &'a Decks,
    receiver: Receiver,
    shown: &'a [Shown],
}

impl<'a> Statement<'a> {
    fn new(
        context: &'a Context<'a>,
        decks: &'a Decks,
        receiver: Receiver,
        shown: &'a [Shown],
    ) -> Result<Self, BadShow> {
        let seats = context.roster.seats;
        let opened = |card: &Shown| {
            let openers = distinct(&card.partials, Some(context.seat));
            let slot = Slot {
                deck: card.deck,
                position: card.position,
                receiver: Receiver::Seat(context.seat),
            };
            decks.place(card.deck, card.position).is_some()
                && card.partials.iter().all(|partial| partial.slot == slot)
                && openers.is_some_and(|openers| openers.len() == seats.threshold())
        };
        let exists = match receiver {
            Receiver::All => true,
            Receiver::Seat(seat) => seat < seats.count() && seat != context.seat,
        };
        let valid = exists && context.seat < seats.count() && !shown.is_empty();
        match valid && shown.iter().all(opened) {
            true => Ok(Statement {
                context,
                decks,
                receiver,
                shown,
            }),
            false => Err(BadShow::Card),
        }
    }

    /// The key of the seat to which the cards are shown alone.
    fn encryption(&self) -> Option<&'a Point> {
        match self.receiver {
            Receiver::All => None,
            Receiver::Seat(seat) => Some(&self.context.roster.encryption[seat]),
        }
    }

    /// A hash of what is shown to whom, with the partials that opened it to the seat.
    fn hash(&self, tag: &str) -> Transcript {
        let hash = self.decks.hash(self.context, tag);
        let hash = hash.number(match self.receiver {
            Receiver::All => 0,
            Receiver::Seat(seat) => 1 + seat as u64,
        });
        (self.shown.iter()).fold(hash.number(self.shown.len() as u64), |hash, card| {
            let hash = hash.number(card.deck as u64).number(card.position as u64);
            (card.partials.iter()).fold(hash.number(card.partials.len() as u64), |hash, partial| {
                let hash = hash.number(partial.seat as u64);
                let points: Vec<Point> = partial.mask.into_iter().chain([partial.value]).collect();
                hash.points(points.iter())
            })
        })
    }

    /// `m` of each card.
    fn masks(&self, key: &SecretKey, rng: &mut impl CryptoRng) -> Zeroizing<Vec<Scalar>> {
        let secrets = [&key.secret, &key.decryption];
        let mut derived = self.hash("show secrets").derive(&secrets, rng);
        let masks = self.shown.iter().map(|_| random_scalar(&mut derived));
        Zeroizing::new(masks.collect())
    }

    /// The part with these values and a proof with this key and these masks.
    fn sign(
        &self,
        values: &[Value],
        key: &SecretKey,
        masks: &[Scalar],
        rng: &mut impl CryptoRng,
    ) -> Vec<u8> {
        let (g, to) = (RistrettoPoint::mul_base, self.encryption());
        let sums = self.sums(values);
        let hash = self
            .decks
            .hash(self.context, "show nonces")
            .bytes(&sums.digest);
        let rng = &mut hash.derive(&[&key.secret, &key.decryption], rng);
        let nonces = Zeroizing::new([random_scalar(rng), random_scalar(rng), random_scalar(rng)]);
        let [for_share, for_key, for_mask] = &*nonces;
        let mut first = sums.cards * for_share - sums.masks * for_key;
        first += to.map_or_else(RistrettoPoint::default, |to| to.get() * for_mask);
        let firsts = [g(for_share), g(for_key), first].into_iter();
        let firsts = firsts.chain(to.map(|_| g(for_mask)));
        let firsts: Vec<Point> = firsts.map(Point::new).collect();
        let z = sums.challenge(self, &firsts);

        let weighted = sums.weights.iter().zip(masks);
        let sigma = Zeroizing::new(weighted.map(|(weight, mask)| weight * mask).sum::<Scalar>());
        let scalars = [z, for_share + z * key.secret, for_key + z * key.decryption].into_iter();
        let scalars = scalars.chain(to.map(|_| for_mask + z * *sigma));
        let points = values
            .iter()
            .flat_map(Value::points)
            .map(|point| *point.bytes());
        points
            .chain(scalars.map(|scalar| scalar.to_bytes()))
            .flatten()
            .collect()
    }

    fn sums(&self, sent: &[Value]) -> Sums {
        let hash = self.hash("show");
        let points: Vec<Point> = sent.iter().flat_map(Value::points).copied().collect();
        let digest = hash.points(points.iter()).digest();
        let weights = self
            .decks
            .hash(self.context, "show w")
            .bytes(&digest)
            .scalars();
        let weights: Vec<Scalar> = weights.take(self.shown.len()).collect();

        let (mut cards, mut masks, mut received) = (Vec::new(), Vec::new(), Vec::new());
        for (card, &weight) in self.shown.iter().zip(&weights) {
            let openers = distinct(&card.partials, Some(self.context.seat)).expect("checked");
            let place = self.decks.place(card.deck, card.position).expect("checked");
            cards.push((
                weight * lagrange(&openers, self.context.seat),
                *place.a.get(),
            ));
            let all = values(&card.partials, &openers).into_iter();
            received.extend(all.map(|(scalar, point)| (weight * scalar, point)));
            masks.extend(card.partials.iter().filter_map(|partial| {
                let scalar = weight * lagrange(&openers, partial.seat);
                Some((scalar, *partial.mask?.get()))
            }));
        }
        let own = sent.iter().zip(&weights);
        let sum = |terms: &[(Scalar, RistrettoPoint)]| {
            vartime_sum(terms.iter().map(|(scalar, point)| (*scalar, point)))
        };
        let new_masks: Vec<_> = (own.clone())
            .filter_map(|(value, &weight)| Some((weight, *value.mask?.get())))
            .collect();
        let new_values: Vec<_> = own
            .map(|(value, &weight)| (weight, *value.value.get()))
            .collect();
        Sums {
            digest,
            cards: sum(&cards),
            masks: sum(&masks),
            received: sum(&received),
            values: sum(&new_values),
            new_masks: sum(&new_masks),
            weights,
        }
    }
}

/// The sums over all cards, with weights.
struct Sums {
    /// `o`.
    digest: [u8; 32],
    weights: Vec<Scalar>,
    /// Of `lambda A`, with the Lagrange coefficient of the seat.
    cards: RistrettoPoint,
    /// Of `lambda R` of the partials.
    masks: RistrettoPoint,
    /// Of `lambda C` of the partials.
    received: RistrettoPoint,
    /// Of what is sent, `D` or `C`.
    values: RistrettoPoint,
    /// Of the `R` that are sent.
    new_masks: RistrettoPoint,
}

impl Sums {
    /// `z`, from the first messages of the proof.
    fn challenge(&self, statement: &Statement<'_>, firsts: &[Point]) -> Scalar {
        let hash = statement.decks.hash(statement.context, "show c");
        hash.bytes(&self.digest).points(firsts.iter()).scalar()
    }
}

#[cfg(test)]
mod tests;
