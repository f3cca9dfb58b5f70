//! Cards as points, and decks of encrypted cards.

use std::sync::{Arc, OnceLock};

use curve25519_dalek::ristretto::RistrettoPoint;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::context::Context;
use super::group::{ELEMENT, Point, Reader, Transcript};
use super::keys::Roster;
use crate::deck::Card;

/// The most cards of a deck.
pub(super) const MAX_CARDS: usize = 1024;

/// The cards of a deck as points, and the generators of the proofs about it. The logarithms of these
/// points are unknown: all of them are hashes.
pub struct Cards {
    points: Vec<Point>,
    /// `h_i`.
    pub(super) generators: Vec<Point>,
    /// `h`.
    pub(super) generator: Point,
}

impl Cards {
    /// The cards of a deck: two decks of a match need different names. `None` unless there are 1 to
    /// 1024 cards.
    pub fn new(deck: &str, count: usize) -> Option<Arc<Self>> {
        Self::with_generators(deck, count, count)
    }

    /// The kinds of goods: kind `i` is card `i` of the deck `goods`. A hand of goods can hold several
    /// of one kind, and at most `most` goods are mixed at once. `None` unless both numbers are 1 to
    /// 1024.
    pub fn kinds(count: usize, most: usize) -> Option<Arc<Self>> {
        Self::with_generators("goods", count, most)
    }

    fn with_generators(deck: &str, count: usize, generators: usize) -> Option<Arc<Self>> {
        let fits = |number| (1..=MAX_CARDS).contains(&number);
        if !fits(count) || !fits(generators) {
            return None;
        }
        let card = |i| {
            Transcript::new("card")
                .bytes(deck.as_bytes())
                .number(i as u64)
        };
        let generator = |i| {
            Transcript::new("generator h_i")
                .number(i as u64)
                .hash_to_group()
        };
        Some(Arc::new(Cards {
            points: (0..count).map(|i| card(i).hash_to_group()).collect(),
            generators: (0..generators).map(generator).collect(),
            generator: chain_generator(),
        }))
    }

    /// The number of cards.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// The point of a card. `None` if it is not a card of the deck.
    pub(super) fn point(&self, card: Card) -> Option<Point> {
        self.points.get(usize::try_from(card.0).ok()?).copied()
    }

    /// The card at this point. `None` if it is not a card of the deck. The time does not depend on
    /// the card, which may be a secret of one seat.
    pub(super) fn card(&self, point: &RistrettoPoint) -> Option<Card> {
        let (mut card, mut found) = (0, Choice::from(0));
        for (number, other) in (0_u64..).zip(&self.points) {
            let same = other.get().ct_eq(point);
            card.conditional_assign(&number, same);
            found |= same;
        }
        bool::from(found).then_some(Card(card))
    }
}

/// `h`, the base of the chain in the proof of a shuffle.
pub(super) fn chain_generator() -> Point {
    Transcript::new("generator h").hash_to_group()
}

/// A card under the key of the deck (ElGamal): `(tG, M + tPK)` for the card `M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ciphertext {
    pub(super) a: Point,
    pub(super) b: Point,
}

/// The start deck of a hand, or a deck whose shuffles were all verified.
#[derive(Clone)]
pub struct VerifiedDeck {
    pub(super) cards: Arc<Cards>,
    pub(super) places: Vec<Ciphertext>,
}

impl VerifiedDeck {
    /// The deck before the first shuffle: each card at the place of its number, not encrypted.
    pub fn start(cards: &Arc<Cards>) -> Self {
        let place = |&b: &Point| Ciphertext {
            a: Point::identity(),
            b,
        };
        VerifiedDeck {
            places: cards.points.iter().map(place).collect(),
            cards: Arc::clone(cards),
        }
    }

    /// The number of cards.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// All points of the deck, in the order in which they are sent.
    pub(super) fn points(&self) -> impl ExactSizeIterator<Item = &Point> {
        let point = |i: usize| match i % 2 {
            0 => &self.places[i / 2].a,
            _ => &self.places[i / 2].b,
        };
        (0..2 * self.places.len()).map(point)
    }

    /// The length of an encoded deck, in bytes.
    pub(super) fn encoded_len(count: usize) -> usize {
        2 * ELEMENT * count
    }

    pub(super) fn read(cards: &Arc<Cards>, count: usize, reader: &mut Reader<'_>) -> Option<Self> {
        let place = |_| {
            Some(Ciphertext {
                a: reader.point()?,
                b: reader.point()?,
            })
        };
        let places: Option<Vec<Ciphertext>> = (0..count).map(place).collect();
        Some(VerifiedDeck {
            cards: Arc::clone(cards),
            places: places?,
        })
    }
}

/// The seats that see an opened card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Receiver {
    /// All seats.
    All,
    /// This seat alone.
    Seat(usize),
}

/// A card to open, and its receiver. The slots of a part are in the order of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The number of the deck in the hand. The goods and the coins have numbers as well
    /// ([`Decks`]).
    pub deck: usize,
    /// The position in the deck, or the number of the coin.
    pub position: usize,
    /// The seats that see the card.
    pub receiver: Receiver,
}

/// The decks of a hand, in the order of their numbers. The goods, if there are any, are the last
/// deck. The coins of the hand, if there are any, have the number after it.
#[derive(Clone)]
pub struct Decks {
    /// Shared, so that a copy takes no memory.
    pub(super) decks: Vec<Arc<VerifiedDeck>>,
    /// Computed when a hash first needs it: the goods can change often before a card is opened.
    digest: OnceLock<[u8; 32]>,
    /// The digest of the public keys and the hand, if the hand has coins.
    coins: Option<([u8; 32], u64)>,
}

impl Decks {
    /// The decks that a hand is played with.
    pub fn new(decks: Vec<VerifiedDeck>) -> Self {
        Decks {
            decks: decks.into_iter().map(Arc::new).collect(),
            digest: OnceLock::new(),
            coins: None,
        }
    }

    /// Adds a deck.
    pub(super) fn push(&mut self, deck: Arc<VerifiedDeck>) {
        self.decks.push(deck);
        self.digest = OnceLock::new();
    }

    /// These decks and the coins of a hand.
    #[must_use]
    pub fn with_coins(mut self, roster: &Roster, hand: u64) -> Self {
        self.coins = Some((roster.digest, hand));
        self
    }

    /// The number that stands for the coins in a [`Slot`]. The position is then the number of the
    /// coin.
    pub fn coins(&self) -> usize {
        self.decks.len()
    }

    /// The digest of all points of the decks.
    pub(super) fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| {
            let hash = Transcript::new("decks").number(self.decks.len() as u64);
            let decks = self.decks.iter();
            let hash = decks.fold(hash, |hash, deck| hash.points(deck.points()));
            hash.digest()
        })
    }

    /// The ciphertext at a place.
    pub(super) fn place(&self, deck: usize, position: usize) -> Option<&Ciphertext> {
        self.decks.get(deck)?.places.get(position)
    }

    /// `A` of a slot: the first component of the ciphertext, or the point of the coin. A coin is for
    /// all seats.
    pub(super) fn base(&self, slot: &Slot) -> Option<Point> {
        match self.coins {
            Some((roster, hand)) if slot.deck == self.coins() && slot.receiver == Receiver::All => {
                Some(coin_point(&roster, hand, slot.position as u64))
            }
            _ => Some(self.place(slot.deck, slot.position)?.a),
        }
    }

    /// Whether the coins, if there are any, are those of this context.
    pub(super) fn fits(&self, context: &Context<'_>) -> bool {
        let coins = (context.roster.digest, context.hand);
        self.coins.is_none_or(|own| own == coins)
    }

    /// A hash that begins with a context and these decks.
    pub(super) fn hash(&self, context: &Context<'_>, tag: &str) -> Transcript {
        context.hash(tag).bytes(self.digest())
    }
}

/// `P` of a coin.
pub(super) fn coin_point(roster: &[u8; 32], hand: u64, number: u64) -> Point {
    let hash = Transcript::new("coin").bytes(roster).number(hand);
    hash.number(number).hash_to_group()
}
