//! A seat's side of a verifiable deck: the part that it signs next, and the cards that it learns.

use dealerless::verifiable::Decks;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::error::PlayError;
use super::super::news::News;
use super::super::verifiable_seat::VerifiableSeat;
use super::own_deck::Stored;
use super::player::{Player, broke};
use super::reports::Reports;
use super::{HandState, SeatSetting};
use crate::log::{DealInput, LogEvent, MatchLog, Part, Phase};
use crate::rules::{Game, Learners};
use crate::seat::Seat;

/// A seat's side of a verifiable deck.
pub(super) struct VerifiableSide<V> {
    /// Storage for the secret of the match.
    stored: Stored<V>,
    /// The seat's secrets. `None` after the match.
    own: Option<VerifiableSeat>,
}

impl<V: Vault> VerifiableSide<V> {
    /// Reads the secret of the match, or draws and stores it before the seat signs its first part.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the secret is lost or damaged.
    pub(super) fn new<S: Storage, R: CryptoRng>(
        vault: V,
        setting: &mut SeatSetting<S, R>,
    ) -> Result<Self, PlayError> {
        let (log, seat) = (&setting.log, setting.seat);
        let mut stored = Stored::new(vault);
        let kept = stored.read()?;
        let is_gone = log.match_info().has_roll_calls() && log.gone().contains(&seat);
        if is_gone || matches!(log.phase(), Phase::Over(_)) {
            return Ok(VerifiableSide { stored, own: None });
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
                setting.rng.fill_bytes(&mut *secret);
                stored.keep(&*secret)?;
                secret
            }
        };
        let own = VerifiableSeat::new(log, seat, secret);
        Ok(VerifiableSide { stored, own })
    }

    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        self.stored.destroy()
    }

    /// The part that this seat has to sign now, if any. The rules allow the seat to sign.
    pub(super) fn next_part<S: Storage, R: CryptoRng>(
        &mut self,
        setting: &SeatSetting<S, R>,
        player: &mut Player,
        reports: &mut Reports,
    ) -> Result<Option<Part>, PlayError> {
        let log = &setting.log;
        if !log.lacks(setting.seat).is_empty() {
            return Ok(None);
        }
        match log.phase() {
            Phase::Deal if player.is_paused() => Ok(None),
            // The table waits for the seats that sit out, instead of dealing empty hands.
            Phase::Deal if player.sits_out() && player.is_idle() => {
                reports.ask(log.step(), News::SitsOut);
                Ok(None)
            }
            Phase::Deal => Ok(deal(log, player, reports)),
            Phase::Choose { .. } if player.is_leaving() => Ok(Some(Part::Leave)),
            Phase::Choose { legal, .. } => Ok(player.choose(log.step(), legal, reports)),
            Phase::Result(outcome) => Ok(Some(Part::Result {
                stacks: outcome.stacks,
                last: player.is_leaving(),
            })),
            _ => match &mut self.own {
                Some(own) => own.part(log),
                None => Ok(None),
            },
        }
    }

    /// This seat's shuffle for the next hand, if it is due.
    ///
    /// # Errors
    /// Those of [`VerifiableSeat::ahead`].
    pub(super) fn ahead(
        &self,
        log: &MatchLog,
        seat: Seat,
    ) -> Result<Option<(Vec<u8>, Decks)>, PlayError> {
        let own = self.own.as_ref().filter(|_| log.owes_ahead(seat));
        own.map(|own| own.ahead(log)).transpose()
    }

    /// Learns the cards that were opened in an event of the log.
    pub(super) fn learn_opened<S: Storage, R>(
        &mut self,
        event: &LogEvent,
        setting: &mut SeatSetting<S, R>,
        hand: &mut HandState,
        reports: &mut Reports,
    ) {
        match event {
            LogEvent::Dealt { seat, positions } if *seat == setting.seat => {
                self.learn_own(positions, setting, hand, reports);
            }
            LogEvent::Board(faces) | LogEvent::Shown { cards: faces, .. } => {
                for face in faces {
                    hand.know(face.position, face.card, reports);
                }
            }
            &LogEvent::Opened {
                position,
                card: Some(card),
                ..
            } => hand.know(position, card, reports),
            &LogEvent::Opened { position, to, .. } if to == Learners::Seat(setting.seat) => {
                self.learn_own(&[position], setting, hand, reports);
            }
            LogEvent::Mixed { seat, positions } => {
                hand.forget(positions);
                if *seat == setting.seat {
                    self.learn_own(positions, setting, hand, reports);
                }
            }
            _ => {}
        }
    }

    /// Learns the cards at these positions, as far as they were opened to this seat alone.
    fn learn_own<S: Storage, R>(
        &mut self,
        positions: &[usize],
        setting: &mut SeatSetting<S, R>,
        hand: &mut HandState,
        reports: &mut Reports,
    ) {
        for &position in positions {
            let own = self.own.as_mut();
            let card = own.and_then(|own| own.card(&setting.log, position));
            if let Some(card) = card.filter(|_| hand.lacks(position)) {
                // A note has no place for a good: later, another kind lies at its position.
                if position < setting.log.match_info().header().stakes.deck().1 {
                    setting.note(position, card, Learners::Seat(setting.seat));
                }
                hand.know(position, card, reports);
            }
        }
    }

    /// Learns the cards of the hand in play again, after the program has started.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the keys in the log are not those of the secret.
    pub(super) fn restore<S: Storage, R>(
        &mut self,
        setting: &mut SeatSetting<S, R>,
        hand: &mut HandState,
        reports: &mut Reports,
    ) -> Result<(), PlayError> {
        let log = &setting.log;
        if self.own.as_ref().is_some_and(|own| !own.is_own(log)) {
            return Err(PlayError::NotOwnKeys);
        }
        let public = hand.public(log);
        let held = log.game().map(|game| game.held(setting.seat));
        let mut own = held.unwrap_or_default();
        // Cards that another seat has shown to this one alone.
        let game = log.match_info().header().stakes.game();
        own.extend(0..game.map_or(0, Game::first_good));
        self.learn_own(&own, setting, hand, reports);
        for (position, card) in public {
            hand.know(position, card, reports);
        }
        Ok(())
    }
}

/// The deal of this seat. A player who sits out does not delay the others: the program deals,
/// without cards for the player. The player is asked about rebuys only if no hand can be dealt without one.
fn deal(log: &MatchLog, player: &mut Player, reports: &mut Reports) -> Option<Part> {
    if needs_rebuy(log) && player.lacks_rebuy() {
        let broke = broke(log);
        reports.ask(log.step(), News::AskRebuy { broke });
        return None;
    }
    if log.deal_waits_for().is_some() {
        return None;
    }
    let input = DealInput::Verifiable {
        out: player.sits_out(),
        end: log.ahead_end(),
    };
    Some(Part::Deal(log.deal(input, player.take_rebuys(log))))
}

/// Whether no hand can be dealt without a rebuy.
pub(super) fn needs_rebuy(log: &MatchLog) -> bool {
    if log.match_info().header().stakes.betting().is_none() {
        return false;
    }
    let (stacks, gone) = (log.stacks(), log.gone());
    let plays = |seat: &Seat| stacks[seat.index()] > 0 && !gone.contains(seat);
    Seat::all(stacks.len()).filter(plays).count() < 2
}
