//! A seat's side of a verifiable deck: the part that it signs next, and the cards that it learns.

use dealerless::verifiable::Decks;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::error::PlayError;
use super::super::news::News;
use super::super::verifiable_seat::VerifiableSeat;
use super::own_deck::Stored;
use super::own_seat::OwnSeat;
use crate::log::{DealInput, LogEvent, Part, Phase};
use crate::rules::{Game, Learners};

pub(super) struct VerifiableSide<V> {
    /// Storage for the secret of the match.
    stored: Stored<V>,
    /// The seat's secrets. `None` after the match.
    secrets: Option<VerifiableSeat>,
}

impl<V: Vault> VerifiableSide<V> {
    /// Reads the secret of the match, or draws and stores it before the seat signs its first part.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the secret is lost or damaged.
    pub(super) fn new<S: Storage, R: CryptoRng>(
        vault: V,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Self, PlayError> {
        let (log, seat) = (&own.log, own.seat);
        let mut stored = Stored::new(vault);
        let kept = stored.read()?;
        let is_gone = log.match_info().has_roll_calls() && log.gone().contains(&seat);
        if is_gone || matches!(log.phase(), Phase::Over(_)) {
            return Ok(VerifiableSide {
                stored,
                secrets: None,
            });
        }
        let secret = match kept {
            Some(kept) => {
                let kept = <[u8; 32]>::try_from(&kept[..]);
                Zeroizing::new(kept.map_err(|_| PlayError::NotOwnKeys)?)
            }
            None if log.step() > 0 || log.part(0, seat).is_some() => {
                return Err(PlayError::NotOwnKeys);
            }
            None => {
                let mut secret = Zeroizing::new([0; 32]);
                own.rng.fill_bytes(&mut *secret);
                stored.keep(&*secret)?;
                secret
            }
        };
        let secrets = VerifiableSeat::new(log, seat, secret);
        Ok(VerifiableSide { stored, secrets })
    }

    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        self.stored.destroy()
    }

    /// The part that this seat has to sign now, if any. The rules allow the seat to sign.
    pub(super) fn next_part<S: Storage, R: CryptoRng>(
        &mut self,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Option<Part>, PlayError> {
        let log = &own.log;
        if !log.lacks(own.seat).is_empty() {
            return Ok(None);
        }
        match log.phase() {
            Phase::Deal if own.player.paused => Ok(None),
            // The table waits for the seats that sit out, instead of dealing empty hands.
            Phase::Deal if own.player.sits_out && own.player.idle => {
                own.ask(News::SitsOut);
                Ok(None)
            }
            Phase::Deal => Ok(deal(own)),
            Phase::Choose { .. } if own.player.leaving => Ok(Some(Part::Leave)),
            Phase::Choose { legal, .. } => Ok(own.choose(legal)),
            Phase::Result(outcome) => Ok(Some(own.result(outcome))),
            _ => match &mut self.secrets {
                Some(secrets) => secrets.part(log),
                None => Ok(None),
            },
        }
    }

    /// This seat's shuffle for the next hand, if it is due.
    ///
    /// # Errors
    /// Those of [`VerifiableSeat::ahead`].
    pub(super) fn ahead<R>(
        &self,
        own: &OwnSeat<impl Storage, R>,
    ) -> Result<Option<(Vec<u8>, Decks)>, PlayError> {
        let secrets = self.secrets.as_ref();
        let due = secrets.filter(|_| own.log.owes_ahead(own.seat));
        due.map(|secrets| secrets.ahead(&own.log)).transpose()
    }

    /// Processes an event of the log: learns the cards that were opened.
    pub(super) fn handle_event<S: Storage, R>(
        &mut self,
        event: &LogEvent,
        own: &mut OwnSeat<S, R>,
    ) {
        match event {
            LogEvent::Sealed { .. } => own.report_sealed(|| None),
            LogEvent::Dealt { seat, positions } | LogEvent::Mixed { seat, positions }
                if *seat == own.seat =>
            {
                self.learn_own(positions, own);
            }
            LogEvent::Board(faces) | LogEvent::Shown { cards: faces, .. } => {
                for face in faces {
                    own.learn_new(face.position, face.card);
                }
            }
            &LogEvent::Opened {
                position,
                card: Some(card),
                ..
            } => own.learn_new(position, card),
            &LogEvent::Opened { position, to, .. } if to == Learners::Seat(own.seat) => {
                self.learn_own(&[position], own);
            }
            _ => {}
        }
    }

    /// Learns the cards at these positions, as far as they were opened to this seat alone.
    fn learn_own<S: Storage, R>(&mut self, positions: &[usize], own: &mut OwnSeat<S, R>) {
        for &position in positions {
            let secrets = self.secrets.as_mut();
            let card = secrets.and_then(|secrets| secrets.card(&own.log, position));
            if let Some(card) = card.filter(|_| own.hand.lacks(position)) {
                // A note has no place for a good: later, another kind lies at its position.
                if position < own.log.match_info().header().stakes.deck().1 {
                    own.note(position, card, Learners::Seat(own.seat));
                }
                own.learn_new(position, card);
            }
        }
    }

    /// Learns the cards of the hand in play again, after the program has started.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the keys in the log are not those of the secret.
    pub(super) fn restore<S: Storage, R>(
        &mut self,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        let log = &own.log;
        let secrets = self.secrets.as_ref();
        if secrets.is_some_and(|secrets| !secrets.is_own(log)) {
            return Err(PlayError::NotOwnKeys);
        }
        let held = log.game().map(|game| game.held(own.seat));
        let mut positions = held.unwrap_or_default();
        // Cards that another seat has shown to this one alone.
        let game = log.match_info().header().stakes.game();
        positions.extend(0..game.map_or(0, Game::first_good));
        self.learn_own(&positions, own);
        own.learn_public();
        own.report_sealed(|| None);
        Ok(())
    }
}

/// The deal of this seat. A player who sits out does not delay the others: the program deals,
/// without cards for the player.
fn deal<S: Storage, R>(own: &OwnSeat<S, R>) -> Option<Part> {
    if own.log.deal_waits_for().is_some() {
        return None;
    }
    let rebuys = vec![false; own.log.match_info().seats()];
    let input = DealInput::Verifiable {
        out: own.player.sits_out,
        end: own.log.ahead_end(),
    };
    Some(Part::Deal(own.log.deal(input, rebuys)))
}
