//! A seat's side of the deck, of either kind.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::error::PlayError;
use super::DeckSetting;
use super::own_seat::OwnSeat;
use super::sealed::SealedSide;
use super::verifiable::VerifiableSide;
use crate::log::{MatchLog, Part, Phase};
use crate::seat::Seat;

/// A seat's side of the deck.
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

    pub(super) fn is_sealed(&self) -> bool {
        matches!(self, OwnDeck::Sealed(_))
    }

    /// The part that the seat has to sign now, if any. The rules allow the seat to sign.
    pub(super) fn next_part<R: CryptoRng>(
        &mut self,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Option<Part>, PlayError> {
        match self {
            OwnDeck::Sealed(deck) => deck.next_part(own),
            OwnDeck::Verifiable(deck) => deck.next_part(own),
        }
    }

    /// Whether the match cannot continue without another shuffle.
    pub(super) fn needs_engine(&self, log: &MatchLog, seat: Seat) -> bool {
        match self {
            OwnDeck::Sealed(deck) => deck.needs_engine(log, seat),
            OwnDeck::Verifiable(_) => log.phase() == Phase::Deal,
        }
    }

    /// Whether a card can be stolen from the hand in play, if the rules allow it.
    pub(super) fn can_steal(&self) -> bool {
        match self {
            OwnDeck::Sealed(deck) => deck.runs_live(),
            OwnDeck::Verifiable(_) => true,
        }
    }

    /// Destroys the deck, or the secret of a verifiable deck, once no more cards will be opened.
    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        match self {
            OwnDeck::Sealed(deck) => deck.destroy(),
            OwnDeck::Verifiable(deck) => deck.destroy(),
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
