//! A deck of one try of a hand: what its seat says when it seals and opens, and what it learns.

use dealerless::deck::{Card, KeptDeck, Result, Share};
use zeroize::Zeroizing;

use crate::log::{Attempt, CardOpening, Masked, Seal};
use crate::seat::Seat;

/// This seat's part of a sealed deck.
///
/// A [`KeptDeck`] is that of the engine for two parties. Another engine, for more seats, is another
/// type with these methods; the log knows neither.
pub(super) struct TryDeck {
    name: Attempt,
    seat: Seat,
    kept: KeptDeck,
    /// From which the nonces of all commitments of this try are made.
    secret: Zeroizing<[u8; 32]>,
}

impl TryDeck {
    /// The deck that was shuffled for this try; `secret` is fresh.
    pub(super) fn new(
        name: Attempt,
        seat: Seat,
        kept: KeptDeck,
        secret: Zeroizing<[u8; 32]>,
    ) -> Self {
        TryDeck {
            name,
            seat,
            kept,
            secret,
        }
    }

    /// What this seat says of its shares. The seat that seals first says the masked values too.
    pub(super) fn seal(&self) -> Result<Seal> {
        let commitments = (0..self.kept.len()).map(|position| {
            let share = number(&self.kept.share(position)?.bits);
            let nonce = self.nonce(position);
            Ok((self.name).share_commitment(self.seat, position, share, &nonce))
        });
        let validity = self.kept.validity();
        Ok(Seal {
            masked: (self.seat == Seat::HOST)
                .then(|| self.masked())
                .transpose()?,
            commitments: commitments.collect::<Result<_>>()?,
            validity: validity.bits,
            validity_macs: validity.macs,
        })
    }

    /// The masked values, which all seats hold alike.
    pub(super) fn masked(&self) -> Result<Masked> {
        let card = |position| Ok(number(&self.kept.masked(position)?));
        Ok(Masked {
            cards: (0..self.kept.len()).map(card).collect::<Result<_>>()?,
            validity: self.kept.masked_validity(),
        })
    }

    /// Takes in what another seat has sealed: whether the seeds were in range.
    ///
    /// # Errors
    /// Those of [`KeptDeck::check_seeds`].
    pub(super) fn take_seal(&mut self, seal: &Seal) -> Result<()> {
        self.kept.check_seeds(&Share {
            bits: seal.validity.clone(),
            macs: seal.validity_macs,
        })
    }

    /// This seat's share of a card, as it is said in the log.
    pub(super) fn open(&self, position: usize) -> Result<CardOpening> {
        let share = self.kept.share(position)?;
        Ok(CardOpening {
            position: position as u16,
            share: number(&share.bits),
            nonce: self.nonce(position),
            macs: share.macs,
        })
    }

    /// Learns a card from what another seat has opened.
    ///
    /// # Errors
    /// Those of [`KeptDeck::open`].
    pub(super) fn learn(&mut self, opening: &CardOpening) -> Result<Card> {
        let position = usize::from(opening.position);
        let width = self.kept.share(position)?.bits.len();
        let bits = (0..width).map(|bit| opening.share >> bit & 1 == 1);
        let share = Share {
            bits: bits.collect(),
            macs: opening.macs,
        };
        self.kept.open(position, &share)
    }

    fn nonce(&self, position: usize) -> [u8; 32] {
        (self.name).share_nonce(self.seat, position, &self.secret)
    }

    /// What the file of this deck holds: the secret of the nonces, and the kept deck.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let deck = self.kept.to_bytes();
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.secret.len() + deck.len()));
        bytes.extend_from_slice(&*self.secret);
        bytes.extend_from_slice(&deck);
        bytes
    }
}

/// Bits as a number, the lowest first.
fn number(bits: &[bool]) -> u16 {
    (bits.iter().rev()).fold(0, |number, &bit| number << 1 | u16::from(bit))
}
