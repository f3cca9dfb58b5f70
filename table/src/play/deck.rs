//! A deck of one try of a hand: what its seat says when it seals and opens, and what it learns.

use dealerless::deck::{Card, Check, Error, KeptDeck, Result, Share};
use zeroize::Zeroizing;

use crate::log::{Attempt, CardOpening, Masked, Seal};
use crate::seat::Seat;

/// A deck as an engine has shuffled it.
pub trait Shuffled: Send {
    /// This seat's part of it, for one try of a hand. `secret` is fresh: the nonces of the seat's
    /// commitments are made from it.
    fn seated(
        self: Box<Self>,
        of: Attempt,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck>;

    /// The same, if it is a hand that was shuffled again for the choice of this step. Its cards are
    /// counted from 0.
    fn seated_again(
        self: Box<Self>,
        of: Attempt,
        step: u64,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck>;
}

/// A seat's part of the deck of a try: all that the play of a hand needs of it. What it says can be
/// checked by the log alone, which knows no engine: masked values, commitments and shares.
///
/// A [`KeptDeck`] of the engine for two parties becomes one. An engine for more seats is another type
/// with these methods.
pub trait HandDeck: Send {
    /// What this seat says of its shares. The seat that seals first says the masked values too.
    ///
    /// # Errors
    /// Those of the deck.
    fn seal(&self) -> Result<Seal>;

    /// Checks what another seat has sealed: masked values that all seats hold alike, and seeds that
    /// were in range. No card is learned before.
    ///
    /// # Errors
    /// A failed [`Check`].
    fn check(&mut self, seal: &Seal) -> Result<()>;

    /// This seat's share of a card, as it is said in the log.
    ///
    /// # Errors
    /// If there is no such card.
    fn open(&self, position: usize) -> Result<CardOpening>;

    /// Learns a card from what another seat has opened.
    ///
    /// # Errors
    /// A failed [`Check`], if it is not what that seat has sealed.
    fn learn(&mut self, opening: &CardOpening) -> Result<Card>;

    /// What is kept of the deck until the hand is over. It holds secrets of this hand and no other.
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;
}

impl Shuffled for KeptDeck {
    fn seated(
        self: Box<Self>,
        of: Attempt,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck> {
        Box::new(TryDeck {
            name: of,
            again: None,
            seat,
            kept: *self,
            secret,
        })
    }

    fn seated_again(
        self: Box<Self>,
        of: Attempt,
        step: u64,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck> {
        Box::new(TryDeck {
            name: of,
            again: Some(step),
            seat,
            kept: *self,
            secret,
        })
    }
}

/// The deck that [`HandDeck::to_bytes`] has written of this try. `name` is that under which it was
/// [shuffled](super::orders::Order::Shuffle). `None` if it is anything else.
pub(super) fn read_back(
    bytes: &[u8],
    of: Attempt,
    seat: Seat,
    name: &[u8],
) -> Option<Box<dyn HandDeck>> {
    let (secret, deck) = bytes.split_first_chunk()?;
    let kept = KeptDeck::from_bytes(deck, name)?;
    Some(Box::new(kept).seated(of, seat, Zeroizing::new(*secret)))
}

/// The same for a hand that was shuffled again for the choice of a step.
pub(super) fn read_back_again(
    bytes: &[u8],
    (of, step): (Attempt, u64),
    seat: Seat,
    name: &[u8],
) -> Option<Box<dyn HandDeck>> {
    let (secret, deck) = bytes.split_first_chunk()?;
    let kept = Box::new(KeptDeck::from_bytes(deck, name)?);
    Some(kept.seated_again(of, step, seat, Zeroizing::new(*secret)))
}

/// The deck of the engine for two parties.
struct TryDeck {
    name: Attempt,
    /// The step of the choice for which it was shuffled, if it is a hand that was shuffled again.
    again: Option<u64>,
    seat: Seat,
    kept: KeptDeck,
    /// From which the nonces of all commitments of this try are made.
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
        (self.name).share_nonce(self.seat, position, &self.secret)
    }
}

impl HandDeck for TryDeck {
    fn seal(&self) -> Result<Seal> {
        let commitments = (0..self.kept.len()).map(|position| {
            let share = number(&self.kept.share(position)?.bits);
            let nonce = self.nonce(position);
            let (of, seat) = (&self.name, self.seat);
            Ok(match self.again {
                Some(step) => of.reseal_commitment(seat, (step, position), share, &nonce),
                None => of.share_commitment(seat, position, share, &nonce),
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

/// Bits as a number, the lowest first.
fn number(bits: &[bool]) -> u64 {
    (bits.iter().rev()).fold(0, |number, &bit| number << 1 | u64::from(bit))
}
