//! Partial decryptions: what each opener of a card contributes.
//!
//! A partial for all seats is `C = xA`. One for seat `j` alone is encrypted to it: `R = mG`,
//! `C = xA + mE_j`. One proof covers all partials of a part, added with random weights (batched
//! DLEQ, RFC 9497, section 2.2). Each `R` is proven too: otherwise a seat could send the `R` of another card,
//! and what the receiver shows later would open that card.

use std::sync::Arc;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::context::Context;
use super::deck::{Cards, Ciphertext, Decks, Receiver, Slot};
use super::group::{ELEMENT, Point, Reader, Transcript, vartime_sum};
use super::keys::{Roster, Seats, SecretKey, lagrange};
use crate::crypto::random_scalar;
use crate::deck::Card;

/// The seats that open a slot, in order: from seat `position mod n` upwards, the first live seats
/// that have not given a partial for it, as many as are still missing. `live` and `gave` say which
/// seats are live and which have given one; a published share counts as given.
pub fn openers(
    seats: Seats,
    slot: &Slot,
    live: impl Fn(usize) -> bool,
    gave: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let count = seats.count();
    let first = slot.position % count;
    let in_order = (0..count).map(|i| (first + i) % count);
    let others = in_order.filter(|&seat| slot.receiver != Receiver::Seat(seat));
    let (given, missing): (Vec<usize>, Vec<usize>) = others.partition(|&seat| gave(seat));
    let needed = slot.needed(seats).saturating_sub(given.len());
    missing
        .into_iter()
        .filter(|&seat| live(seat))
        .take(needed)
        .collect()
}

impl Slot {
    /// The number of partials with which the card can be computed: the receiver of a card for one
    /// seat adds its own.
    fn needed(&self, seats: Seats) -> usize {
        match self.receiver {
            Receiver::All => seats.threshold(),
            Receiver::Seat(_) => seats.threshold() - 1,
        }
    }

    fn hash(slots: &[Slot], hash: Transcript) -> Transcript {
        slots
            .iter()
            .fold(hash.number(slots.len() as u64), |hash, slot| {
                let hash = hash.number(slot.deck as u64).number(slot.position as u64);
                hash.number(match slot.receiver {
                    Receiver::All => 0,
                    Receiver::Seat(seat) => 1 + seat as u64,
                })
            })
    }
}

/// One seat's part in opening a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    pub(super) seat: usize,
    pub(super) slot: Slot,
    /// `R`, if the partial is for one seat alone and was not computed from a published share.
    pub(super) mask: Option<Point>,
    /// `C`.
    pub(super) value: Point,
}

impl Partial {
    /// The seat whose partial this is.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// The partial of a seat that has published its share of the secret. `None` if the share is not
    /// that of the roster, or there is no such card.
    pub fn published(
        roster: &Roster,
        decks: &Decks,
        slot: &Slot,
        seat: usize,
        share: &[u8; 32],
    ) -> Option<Self> {
        let secret: Scalar = Option::from(Scalar::from_canonical_bytes(*share))?;
        let a = decks.base(slot)?;
        roster.is_share(seat, share).then(|| Partial {
            seat,
            slot: *slot,
            mask: None,
            value: Point::new(a.get() * secret),
        })
    }
}

/// Why a part with partials is a foul of its signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadPartials {
    /// Wrong length, or a point or scalar that is not canonical, or the identity.
    #[error("invalid encoding of partial decryptions")]
    Encoding,
    /// The proof does not hold.
    #[error("the proof of partial decryptions does not hold")]
    Proof,
    /// A slot names an unshuffled card, or a card or receiver that does not exist; slots are not in
    /// order; or the key is not that of the context's seat. This is a mistake of the caller, not a
    /// foul.
    #[error("a slot or the key does not fit the match")]
    Slot,
}

/// The partials of one part, verified.
#[derive(Clone, Debug)]
pub struct Partials(Vec<(Slot, Partial)>);

impl Partials {
    /// The length of a part for these slots, in bytes.
    pub fn part_len(slots: &[Slot]) -> usize {
        let values = slots.iter().map(|slot| match slot.receiver {
            Receiver::All => ELEMENT,
            Receiver::Seat(_) => 2 * ELEMENT,
        });
        values.sum::<usize>() + ELEMENT * (2 + receivers(slots).len())
    }

    /// Opens these slots with the share of `key`. Returns the part that its seat signs.
    ///
    /// # Errors
    /// [`BadPartials::Slot`].
    pub fn make(
        context: &Context<'_>,
        decks: &Decks,
        slots: &[Slot],
        key: &SecretKey,
        rng: &mut impl CryptoRng,
    ) -> Result<(Vec<u8>, Self), BadPartials> {
        let roster = context.roster;
        let statement = Statement::new(context, decks, slots)?;
        if key.seat != context.seat {
            return Err(BadPartials::Slot);
        }
        let masks = statement.masks(key, rng);
        let partial = |((slot, a), mask): ((&Slot, &Point), &Scalar)| {
            let value = a.get() * key.secret;
            let seat = key.seat;
            match slot.receiver {
                Receiver::All => Partial {
                    seat,
                    slot: *slot,
                    mask: None,
                    value: Point::new(value),
                },
                Receiver::Seat(receiver) => Partial {
                    seat,
                    slot: *slot,
                    mask: Some(Point::new(RistrettoPoint::mul_base(mask))),
                    value: Point::new(value + roster.encryption[receiver].get() * mask),
                },
            }
        };
        let partials = slots
            .iter()
            .zip(&statement.cards)
            .zip(masks.iter())
            .map(partial);
        let partials: Vec<Partial> = partials.collect();

        let part = statement.sign(&partials, key, &masks, rng);
        Ok((
            part,
            Partials(slots.iter().copied().zip(partials).collect()),
        ))
    }

    /// The partials of a part that the seat of the context has signed. The rules name the slots.
    ///
    /// # Errors
    /// [`BadPartials`].
    pub fn verify(
        context: &Context<'_>,
        decks: &Decks,
        slots: &[Slot],
        part: &[u8],
    ) -> Result<Self, BadPartials> {
        let statement = Statement::new(context, decks, slots)?;
        let roster = context.roster;
        let read = || {
            let mut reader = Reader::new(part, Self::part_len(slots))?;
            let partials: Option<Vec<Partial>> = slots
                .iter()
                .map(|slot| {
                    let mask = match slot.receiver {
                        Receiver::All => None,
                        Receiver::Seat(_) => Some(reader.point()?),
                    };
                    Some(Partial {
                        seat: context.seat,
                        slot: *slot,
                        mask,
                        value: reader.point()?,
                    })
                })
                .collect();
            let (z, response) = (reader.scalar()?, reader.scalar()?);
            let responses = reader.scalars(statement.receivers.len())?;
            Some((partials?, z, response, responses))
        };
        let (partials, z, response, responses) = read().ok_or(BadPartials::Encoding)?;
        let sums = statement.sums(&partials);
        let share = &roster.shares[context.seat];
        let base = RistrettoPoint::vartime_double_scalar_mul_basepoint;
        let mut firsts = vec![Point::new(base(&-z, share.get(), &response))];
        let masks = sums.masks.iter().zip(&responses);
        firsts.extend(masks.map(|(mask, response)| Point::new(base(&-z, mask, response))));
        let mut terms = vec![(response, &sums.cards), (-z, &sums.values)];
        let encrypted = statement.receivers.iter().zip(&responses);
        terms.extend(encrypted.map(|(&seat, &s)| (s, roster.encryption[seat].get())));
        firsts.push(Point::new(vartime_sum(terms.iter().copied())));
        if z != sums.challenge(&statement, &firsts) {
            return Err(BadPartials::Proof);
        }
        Ok(Partials(slots.iter().copied().zip(partials).collect()))
    }

    /// The partials by slot.
    pub fn iter(&self) -> impl Iterator<Item = &(Slot, Partial)> {
        self.0.iter()
    }
}

impl Partial {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.mask.iter().chain([&self.value])
    }
}

/// The seats that see a card of these slots alone, in order.
fn receivers(slots: &[Slot]) -> Vec<usize> {
    let receivers = slots.iter().filter_map(|slot| match slot.receiver {
        Receiver::All => None,
        Receiver::Seat(seat) => Some(seat),
    });
    let receivers: std::collections::BTreeSet<usize> = receivers.collect();
    receivers.into_iter().collect()
}

/// What a part of partials claims.
struct Statement<'a> {
    context: &'a Context<'a>,
    decks: &'a Decks,
    slots: &'a [Slot],
    /// `A` of each slot.
    cards: Vec<Point>,
    receivers: Vec<usize>,
}

impl<'a> Statement<'a> {
    fn new(
        context: &'a Context<'a>,
        decks: &'a Decks,
        slots: &'a [Slot],
    ) -> Result<Self, BadPartials> {
        let receivers = receivers(slots);
        let seats = context.roster.seats.count();
        let cards: Option<Vec<Point>> = slots.iter().map(|slot| decks.base(slot)).collect();
        let shuffled = |cards: &Vec<Point>| !cards.iter().any(Point::is_identity);
        let valid = slots.is_sorted_by(|a, b| a < b)
            && cards.as_ref().is_some_and(shuffled)
            && context.seat < seats
            && decks.fits(context)
            && receivers
                .iter()
                .all(|&seat| seat < seats && seat != context.seat);
        match cards {
            Some(cards) if valid && !slots.is_empty() => Ok(Statement {
                context,
                decks,
                slots,
                cards,
                receivers,
            }),
            _ => Err(BadPartials::Slot),
        }
    }

    /// `m` of each slot.
    fn masks(&self, key: &SecretKey, rng: &mut impl CryptoRng) -> Zeroizing<Vec<Scalar>> {
        let hash = Slot::hash(self.slots, self.decks.hash(self.context, "open secrets"));
        let mut derived = hash.derive(&[&key.secret], rng);
        let masks = self.slots.iter().map(|_| random_scalar(&mut derived));
        Zeroizing::new(masks.collect())
    }

    /// The part with these partials and a proof with this key and these masks.
    fn sign(
        &self,
        partials: &[Partial],
        key: &SecretKey,
        masks: &[Scalar],
        rng: &mut impl CryptoRng,
    ) -> Vec<u8> {
        let g = RistrettoPoint::mul_base;
        let sums = self.sums(partials);
        let sigmas = self.receivers.iter().map(|&receiver| {
            let own = self.slots.iter().zip(sums.weights.iter().zip(masks));
            let own = own.filter(|(slot, _)| slot.receiver == Receiver::Seat(receiver));
            own.map(|(_, (weight, mask))| weight * mask).sum()
        });
        let sigmas = Zeroizing::new(sigmas.collect::<Vec<Scalar>>());
        let hash = self.decks.hash(self.context, "open nonces");
        let rng = &mut hash.bytes(&sums.digest).derive(&[&key.secret], rng);
        let nonce = Zeroizing::new(random_scalar(rng));
        let nonces: Vec<Scalar> = sigmas.iter().map(|_| random_scalar(rng)).collect();
        let nonces = Zeroizing::new(nonces);
        let encrypted = self.receivers.iter().zip(nonces.iter());
        let encrypted =
            encrypted.map(|(&seat, nonce)| self.context.roster.encryption[seat].get() * nonce);
        let last = sums.cards * *nonce + encrypted.sum::<RistrettoPoint>();
        let firsts = [g(&nonce)]
            .into_iter()
            .chain(nonces.iter().map(g))
            .chain([last]);
        let firsts: Vec<Point> = firsts.map(Point::new).collect();
        let z = sums.challenge(self, &firsts);

        let responses = nonces.iter().zip(sigmas.iter());
        let responses = responses.map(|(nonce, sigma)| nonce + z * sigma);
        let scalars = [z, *nonce + z * key.secret].into_iter().chain(responses);
        let points = partials
            .iter()
            .flat_map(Partial::points)
            .map(|point| *point.bytes());
        points
            .chain(scalars.map(|scalar| scalar.to_bytes()))
            .flatten()
            .collect()
    }

    /// The weighted sums that the proof is about.
    fn sums(&self, partials: &[Partial]) -> Sums {
        let hash = Slot::hash(self.slots, self.decks.hash(self.context, "open"));
        let points: Vec<Point> = (partials.iter())
            .flat_map(Partial::points)
            .copied()
            .collect();
        let digest = hash.points(points.iter()).digest();
        let weights = self
            .decks
            .hash(self.context, "open w")
            .bytes(&digest)
            .scalars();
        let weights: Vec<Scalar> = weights.take(partials.len()).collect();
        let sum = |points: &mut dyn Iterator<Item = (Scalar, &RistrettoPoint)>| {
            let terms: Vec<_> = points.collect();
            vartime_sum(terms.iter().copied())
        };
        let with_weights = || weights.iter().copied();
        let mask = |&receiver: &usize| {
            let own = self.slots.iter().zip(partials).zip(with_weights());
            let own = own.filter(|((slot, _), _)| slot.receiver == Receiver::Seat(receiver));
            sum(&mut own
                .filter_map(|((_, partial), weight)| Some((weight, partial.mask.as_ref()?.get()))))
        };
        Sums {
            digest,
            cards: sum(&mut with_weights().zip(self.cards.iter().map(Point::get))),
            values: sum(&mut with_weights().zip(partials.iter().map(|it| it.value.get()))),
            masks: self.receivers.iter().map(mask).collect(),
            weights,
        }
    }
}

struct Sums {
    /// `o`.
    digest: [u8; 32],
    /// `w`.
    weights: Vec<Scalar>,
    /// `A*`.
    cards: RistrettoPoint,
    /// `C*`.
    values: RistrettoPoint,
    /// `R_j`, by receiver.
    masks: Vec<RistrettoPoint>,
}

impl Sums {
    /// `z`, from the first messages of the proof.
    fn challenge(&self, statement: &Statement<'_>, firsts: &[Point]) -> Scalar {
        let hash = statement.decks.hash(statement.context, "open c");
        hash.bytes(&self.digest).points(firsts.iter()).scalar()
    }
}

impl Decks {
    /// The card at a position, from the partials for all seats. `None` if these are not the partials
    /// of a threshold of different seats for this position. Verified partials of verified decks always
    /// give a card.
    pub fn open(
        &self,
        seats: Seats,
        deck: usize,
        position: usize,
        partials: &[Partial],
    ) -> Option<Card> {
        let place = self.place(deck, position)?;
        let slot = Slot {
            deck,
            position,
            receiver: Receiver::All,
        };
        let card = place.b.get() - factor(seats, &slot, partials)?;
        self.decks[deck].cards.card(&card)
    }

    /// The same for a card that is opened to the seat of `key` alone.
    pub fn open_own(
        &self,
        seats: Seats,
        deck: usize,
        position: usize,
        partials: &[Partial],
        key: &SecretKey,
    ) -> Option<Card> {
        let opened = self.opened_to(deck, position, partials.to_vec())?;
        opened.card(seats, key)
    }

    /// The card at a position, for [`open_own`](Self::open_own) at a time when the decks have changed.
    /// `None` if there is no such card.
    pub fn opened_to(
        &self,
        deck: usize,
        position: usize,
        partials: Vec<Partial>,
    ) -> Option<OpenedTo> {
        Some(OpenedTo {
            cards: Arc::clone(&self.decks.get(deck)?.cards),
            place: *self.place(deck, position)?,
            deck,
            position,
            partials,
        })
    }

    /// `D = xA`, where `x` is the secret of the deck's key, for a card that is opened to the seat of `key`.
    pub(super) fn own_factor(
        &self,
        seats: Seats,
        deck: usize,
        position: usize,
        partials: &[Partial],
        key: &SecretKey,
    ) -> Option<RistrettoPoint> {
        let opened = self.opened_to(deck, position, partials.to_vec())?;
        opened.factor(seats, key)
    }
}

/// A card that was opened to one seat alone: what this seat needs to compute it, with its partials.
#[derive(Clone)]
pub struct OpenedTo {
    cards: Arc<Cards>,
    place: Ciphertext,
    deck: usize,
    position: usize,
    partials: Vec<Partial>,
}

impl OpenedTo {
    /// The card. `None` if the seat of `key` and the partials are not those of a threshold of different
    /// seats for this card and this seat.
    pub fn card(&self, seats: Seats, key: &SecretKey) -> Option<Card> {
        let factor = self.factor(seats, key)?;
        self.cards.card(&(self.place.b.get() - factor))
    }

    /// `D = xA`.
    fn factor(&self, seats: Seats, key: &SecretKey) -> Option<RistrettoPoint> {
        let openers = distinct(&self.partials, Some(key.seat))?;
        let slot = Slot {
            deck: self.deck,
            position: self.position,
            receiver: Receiver::Seat(key.seat),
        };
        let for_it = self.partials.iter().all(|partial| partial.slot == slot);
        if openers.len() != seats.threshold() || !for_it {
            return None;
        }
        let own = self.place.a.get() * (key.secret * lagrange(&openers, key.seat));
        let others = self.partials.iter().map(|partial| {
            let mask = partial.mask.map(|mask| mask.get() * key.decryption);
            let value = partial.value.get() - mask.unwrap_or_default();
            value * lagrange(&openers, partial.seat)
        });
        Some(own + others.sum::<RistrettoPoint>())
    }
}

/// `xA` of a slot for all seats, where `x` is the secret of the deck's key. `None` if these are not the
/// partials of a threshold of different seats for this slot.
pub(super) fn factor(seats: Seats, slot: &Slot, partials: &[Partial]) -> Option<RistrettoPoint> {
    let openers = distinct(partials, None).filter(|openers| openers.len() == seats.threshold())?;
    let for_it = partials.iter().all(|partial| partial.slot == *slot);
    let terms = values(partials, &openers);
    for_it.then(|| vartime_sum(terms.iter().map(|(scalar, point)| (*scalar, point))))
}

/// The seats of these partials, and `own`. `None` if a seat appears twice.
pub(super) fn distinct(partials: &[Partial], own: Option<usize>) -> Option<Vec<usize>> {
    let seats: Vec<usize> = partials
        .iter()
        .map(|partial| partial.seat)
        .chain(own)
        .collect();
    let twice = (1..seats.len()).any(|i| seats[..i].contains(&seats[i]));
    (!twice).then_some(seats)
}

/// The values of these partials, each with its Lagrange coefficient.
pub(super) fn values(partials: &[Partial], openers: &[usize]) -> Vec<(Scalar, RistrettoPoint)> {
    let value = |partial: &Partial| (lagrange(openers, partial.seat), *partial.value.get());
    partials.iter().map(value).collect()
}

#[cfg(test)]
mod tests;
