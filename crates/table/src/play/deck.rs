//! A seat's deck in one try of a hand: its seal, its openings, and the cards that it learns.

use dealerless::deck::{Card, Check, Error, KeptDeck, Result, Share};
use zeroize::Zeroizing;

use crate::log::{Attempt, CardOpening, Masked, Seal};
use crate::seat::Seat;

/// A deck that an engine has just shuffled.
pub trait Shuffled: Send {
    /// This seat's shares of the deck, for one try of a hand. The nonces of the seat's commitments
    /// are derived from `secret`, which must be fresh. The shares are those of a hand if it was
    /// `reshuffled_for` the choice of a step; the positions of its cards are counted from 0.
    fn seated(
        self: Box<Self>,
        attempt: Attempt,
        reshuffled_for: Option<u64>,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck>;
}

/// A seat's shares of the deck of a try, with all methods that are needed to play the hand. The
/// log, which does not depend on an engine, can check the results: masked values, commitments and
/// shares.
///
/// [`Shuffled::seated`] makes one from a [`KeptDeck`] of the two-party engine. An engine for more
/// seats would implement this trait for another type.
pub trait HandDeck: Send {
    /// Makes this seat's seal. The seal of the seat that seals first includes the masked values.
    ///
    /// # Errors
    /// Those of the deck.
    fn seal(&self) -> Result<Seal>;

    /// Checks another seat's seal: the masked values are the same as this seat's, and the seeds
    /// were in range. No card is learned before this check.
    ///
    /// # Errors
    /// A failed [`Check`].
    fn check(&mut self, seal: &Seal) -> Result<()>;

    /// Makes this seat's opening of a card.
    ///
    /// # Errors
    /// If the card does not exist.
    fn open(&self, position: usize) -> Result<CardOpening>;

    /// Learns a card from another seat's opening.
    ///
    /// # Errors
    /// A failed [`Check`], if the opening does not match that seat's seal.
    fn learn(&mut self, opening: &CardOpening) -> Result<Card>;

    /// The bytes to keep until the hand is over. They contain secrets of this hand only.
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;
}

impl Shuffled for KeptDeck {
    fn seated(
        self: Box<Self>,
        attempt: Attempt,
        reshuffled_for: Option<u64>,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck> {
        Box::new(TryDeck {
            attempt,
            reshuffled_for,
            seat,
            kept: *self,
            secret,
        })
    }
}

/// Reads the deck of a try, or a reshuffled hand, from the output of [`HandDeck::to_bytes`]. `name` is
/// the name in the [order](super::orders::Order) to shuffle it. `None` if the bytes are anything else.
pub(super) fn deck_from_bytes(
    bytes: &[u8],
    attempt: Attempt,
    reshuffled_for: Option<u64>,
    seat: Seat,
    name: &[u8],
) -> Option<Box<dyn HandDeck>> {
    let (secret, deck) = bytes.split_first_chunk()?;
    let kept = Box::new(KeptDeck::from_bytes(deck, name)?);
    Some(kept.seated(attempt, reshuffled_for, seat, Zeroizing::new(*secret)))
}

/// A deck of the two-party engine.
struct TryDeck {
    attempt: Attempt,
    /// The step of the choice for which the hand was reshuffled. `None` for a whole deck.
    reshuffled_for: Option<u64>,
    seat: Seat,
    kept: KeptDeck,
    /// The secret from which the nonces of all commitments of this try are derived.
    secret: Zeroizing<[u8; 32]>,
}

impl TryDeck {
    fn masked(&self) -> Result<Masked> {
        let card = |position| Ok(number(&self.kept.masked(position)?));
        Ok(Masked {
            cards: (0..self.kept.len()).map(card).collect::<Result<_>>()?,
            validity: self.kept.masked_validity(),
        })
    }

    fn nonce(&self, position: usize) -> [u8; 32] {
        (self.attempt).share_nonce(self.seat, position, &self.secret)
    }
}

impl HandDeck for TryDeck {
    fn seal(&self) -> Result<Seal> {
        let commitments = (0..self.kept.len()).map(|position| {
            let share = number(&self.kept.share(position)?.bits);
            let nonce = self.nonce(position);
            let (attempt, seat) = (&self.attempt, self.seat);
            Ok(match self.reshuffled_for {
                Some(step) => attempt.reseal_commitment(seat, (step, position), share, &nonce),
                None => attempt.share_commitment(seat, position, share, &nonce),
            })
        });
        let validity = self.kept.validity();
        Ok(Seal {
            masked: (self.seat == Seat::HOST)
                .then(|| self.masked())
                .transpose()?,
            commitments: commitments.collect::<Result<_>>()?,
            validity: validity.bits.clone(),
            validity_macs: validity.macs,
        })
    }

    fn check(&mut self, seal: &Seal) -> Result<()> {
        let own = self.masked()?;
        if seal.masked.as_ref().is_some_and(|masked| *masked != own) {
            return Err(Error::Check(Check::KeptMacs));
        }
        self.kept.check_seeds(&Share {
            bits: seal.validity.clone(),
            macs: seal.validity_macs,
        })
    }

    fn open(&self, position: usize) -> Result<CardOpening> {
        let share = self.kept.share(position)?;
        Ok(CardOpening {
            position: position as u16,
            share: number(&share.bits),
            nonce: self.nonce(position),
            macs: share.macs,
        })
    }

    fn learn(&mut self, opening: &CardOpening) -> Result<Card> {
        let position = usize::from(opening.position);
        let width = self.kept.share(position)?.bits.len();
        let bits = (0..width).map(|bit| opening.share >> bit & 1 == 1);
        let share = Share {
            bits: bits.collect(),
            macs: opening.macs,
        };
        self.kept.open(position, &share)
    }

    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let deck = self.kept.to_bytes();
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.secret.len() + deck.len()));
        bytes.extend_from_slice(&*self.secret);
        bytes.extend_from_slice(&deck);
        bytes
    }
}

/// The number with these bits, the lowest bit first.
fn number(bits: &[bool]) -> u64 {
    (bits.iter().rev()).fold(0, |number, &bit| number << 1 | u64::from(bit))
}
