//! A seat's side of the deck, of either kind.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::error::PlayError;
use super::own_seat::OwnSeat;
use super::sealed::SealedSide;
use super::verifiable::VerifiableSide;
use super::{DeckSetting, Play};
use crate::log::{Part, Phase};

pub(super) enum OwnDeck<S, V> {
    Sealed(SealedSide<S, V>),
    Verifiable(VerifiableSide<V>),
}

impl<S: Storage, V: Vault> OwnDeck<S, V> {
    pub(super) fn new<R: CryptoRng>(
        deck: DeckSetting<S, V>,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Self, PlayError> {
        Ok(match deck {
            DeckSetting::Sealed(deck) => OwnDeck::Sealed(SealedSide::new(deck)),
            DeckSetting::Verifiable(vault) => OwnDeck::Verifiable(VerifiableSide::new(vault, own)?),
        })
    }

    /// Destroys the deck, or the secret of a verifiable deck, once no more cards will be opened.
    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        match self {
            OwnDeck::Sealed(deck) => deck.destroy(),
            OwnDeck::Verifiable(deck) => deck.destroy(),
        }
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether the deck of the match is sealed.
    pub(in crate::play) fn is_sealed(&self) -> bool {
        matches!(self.deck, OwnDeck::Sealed(_))
    }

    /// Whether the match cannot continue without another shuffle.
    pub(in crate::play) fn needs_engine(&self) -> bool {
        match &self.deck {
            OwnDeck::Sealed(deck) => deck.needs_engine(&self.own.log, self.own.seat),
            OwnDeck::Verifiable(_) => self.own.log.phase() == Phase::Deal,
        }
    }

    /// Whether a card can be stolen from the hand in play, if the rules allow it. Without the engine that
    /// has shuffled this hand, its cards can only be opened.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn can_steal(&self) -> bool {
        match &self.deck {
            OwnDeck::Sealed(deck) => deck.runs_live(),
            OwnDeck::Verifiable(_) => true,
        }
    }

    /// The part that this seat has to sign now, if any.
    pub(super) fn next_part(&mut self) -> Result<Option<Part>, PlayError> {
        if self.own.log.may_sign(self.own.seat).is_empty() || self.opens_too_late() {
            return Ok(None);
        }
        match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.next_part(&mut self.own),
            OwnDeck::Verifiable(deck) => deck.next_part(&mut self.own),
        }
    }

    /// Queues the orders that the engine of a sealed deck is due, once this seat may sign.
    pub(super) fn queue_orders(&mut self) {
        let is_synced = self.is_synced();
        if let OwnDeck::Sealed(deck) = &mut self.deck
            && is_synced
        {
            deck.queue_orders(&self.own.log, self.own.seat);
        }
    }

    /// Restores what this seat had of the try in play, and learns the cards that were opened to it.
    pub(super) fn restore(&mut self) -> Result<(), PlayError> {
        self.own.restore_hand();
        match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.restore(&mut self.own),
            OwnDeck::Verifiable(deck) => deck.restore(&mut self.own),
        }
    }
}

/// A vault that is destroyed only if it holds something.
pub(super) struct Stored<V> {
    vault: V,
    is_full: bool,
}

impl<V: Vault> Stored<V> {
    pub(super) fn new(vault: V) -> Self {
        let is_full = false;
        Stored { vault, is_full }
    }

    pub(super) fn read(&mut self) -> Result<Option<Zeroizing<Vec<u8>>>, PlayError> {
        let kept = self.vault.kept().map_err(PlayError::Vault)?;
        self.is_full |= kept.is_some();
        Ok(kept)
    }

    pub(super) fn keep(&mut self, bytes: &[u8]) -> Result<(), PlayError> {
        self.vault.keep(bytes).map_err(PlayError::Vault)?;
        self.is_full = true;
        Ok(())
    }

    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        match std::mem::take(&mut self.is_full) {
            true => self.vault.destroy().map_err(PlayError::Vault),
            false => Ok(()),
        }
    }
}
