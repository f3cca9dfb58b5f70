//! The seat with a verifiable deck: the part that it signs next, and the cards that it learns.

use dealerless::deck::Card;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::error::PlayError;
use super::super::news::News;
use super::super::verifiable_seat::VerifiableSeat;
use super::{DeckSetting, Play};
use crate::log::{DealInput, LogEvent, Part, Phase};
use crate::rules::{Game, Learners};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Reads the secret of the match, or draws and stores it before the seat signs its first part.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the secret is lost or damaged.
    pub(super) fn open_secret(&mut self) -> Result<(), PlayError> {
        let (log, seat) = (&self.setting.log, self.setting.seat);
        let DeckSetting::Verifiable(vault) = &mut self.setting.deck else {
            return Ok(());
        };
        let kept = vault.kept().map_err(PlayError::Vault)?;
        self.vault_has_deck = kept.is_some();
        let is_gone = log.match_info().has_roll_calls() && log.gone().contains(&seat);
        if is_gone || matches!(log.phase(), Phase::Over(_)) {
            return Ok(());
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
                self.setting.rng.fill_bytes(&mut *secret);
                vault.keep(&*secret).map_err(PlayError::Vault)?;
                self.vault_has_deck = true;
                secret
            }
        };
        self.own = VerifiableSeat::new(log, seat, secret);
        Ok(())
    }

    /// The part that this seat has to sign now, if any. The rules allow the seat to sign.
    pub(super) fn next_of_verifiable(&mut self) -> Result<Option<Part>, PlayError> {
        if !self.setting.log.lacks(self.setting.seat).is_empty() {
            return Ok(None);
        }
        match self.setting.log.phase() {
            Phase::Deal if self.paused => Ok(None),
            // The table waits for the seats that sit out, instead of dealing empty hands.
            Phase::Deal if self.sits_out && self.idle => {
                self.ask(News::SitsOut);
                Ok(None)
            }
            Phase::Deal => Ok(self.deal_verifiable()),
            Phase::Choose { .. } if self.leaving => Ok(Some(Part::Leave)),
            Phase::Choose { legal, .. } => Ok(self.choose(legal)),
            Phase::Result(outcome) => Ok(Some(Part::Result {
                stacks: outcome.stacks,
                last: self.leaving,
            })),
            _ => match &mut self.own {
                Some(own) => own.part(&self.setting.log),
                None => Ok(None),
            },
        }
    }

    /// The deal of this seat. A player who sits out does not delay the others: the program deals,
    /// without cards for the player. The player is asked about rebuys only if no hand can be dealt without one.
    fn deal_verifiable(&mut self) -> Option<Part> {
        let broke = self.broke();
        if self.asks_about_rebuys() && self.rebuy.is_none() {
            self.ask(News::AskRebuy { broke });
            return None;
        }
        let log = &self.setting.log;
        let seats = log.match_info().seats();
        if log.deal_waits_for().is_some() {
            return None;
        }
        let rebuy = self.rebuy.take().unwrap_or(false);
        let rebuys = Seat::all(seats).map(|seat| rebuy && broke.contains(&seat));
        let input = DealInput::Verifiable {
            out: self.sits_out,
            end: log.ahead_end(),
        };
        Some(Part::Deal(log.deal(input, rebuys.collect())))
    }

    /// Whether no hand can be dealt without a rebuy.
    pub(super) fn asks_about_rebuys(&self) -> bool {
        if !self.has_chips() {
            return false;
        }
        let (stacks, gone) = (self.setting.log.stacks(), self.setting.log.gone());
        let plays = |seat: &Seat| stacks[seat.index()] > 0 && !gone.contains(seat);
        Seat::all(stacks.len()).filter(plays).count() < 2
    }

    /// Signs this seat's shuffle for the next hand, if it is due. A shuffle takes longer than any other
    /// part, so the caller does this only when nothing else is to be done. The caller then calls
    /// [`advance`](Self::advance), which sends it. Returns whether it was due.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn shuffle_ahead(&mut self) -> Result<bool, PlayError> {
        let (log, seat) = (&self.setting.log, self.setting.seat);
        let Some(own) = self.own.as_ref().filter(|_| log.owes_ahead(seat)) else {
            return Ok(false);
        };
        if !self.is_synced() {
            return Ok(false);
        }
        let (shuffle, deck) = own.ahead(&self.setting.log)?;
        let log = &mut self.setting.log;
        let statement = log.sign_ahead(&self.setting.identity, seat, shuffle, deck)?;
        self.send_own(statement.before, statement.signed);
        Ok(true)
    }

    /// Learns the cards that were opened in an event of the log.
    pub(super) fn learn_opened(&mut self, event: &LogEvent) {
        match event {
            LogEvent::Dealt { seat, positions } if *seat == self.setting.seat => {
                self.learn_own(positions);
            }
            LogEvent::Board(faces) | LogEvent::Shown { cards: faces, .. } => {
                for face in faces {
                    self.know(face.position, face.card);
                }
            }
            &LogEvent::Opened {
                position,
                card: Some(card),
                ..
            } => self.know(position, card),
            &LogEvent::Opened { position, to, .. } if to == Learners::Seat(self.setting.seat) => {
                self.learn_own(&[position]);
            }
            LogEvent::Mixed { seat, positions } => {
                for &position in positions {
                    self.hand.known[position] = None;
                }
                if *seat == self.setting.seat {
                    self.learn_own(positions);
                }
            }
            _ => {}
        }
    }

    /// Learns the cards at these positions, as far as they were opened to this seat alone.
    fn learn_own(&mut self, positions: &[usize]) {
        for &position in positions {
            let own = self.own.as_mut();
            let card = own.and_then(|own| own.card(&self.setting.log, position));
            if let Some(card) = card.filter(|_| self.hand.known.get(position) == Some(&None)) {
                // A note has no place for a good: later, another kind lies at its position.
                if position < self.setting.log.match_info().header().stakes.deck().1 {
                    self.note(position, card, Learners::Seat(self.setting.seat));
                }
                self.know(position, card);
            }
        }
    }

    fn know(&mut self, position: usize, card: Card) {
        if let Some(known) = self.hand.known.get_mut(position)
            && known.replace(card).is_none()
        {
            self.news.push_back(News::Card { position, card });
        }
    }

    /// Learns the cards of the hand in play again, after the program has started.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the keys in the log are not those of the secret.
    pub(super) fn restore_cards(&mut self) -> Result<(), PlayError> {
        let log = &self.setting.log;
        if self.own.as_ref().is_some_and(|own| !own.is_own(log)) {
            return Err(PlayError::NotOwnKeys);
        }
        if self.hand.known.is_empty()
            && let Some(begun) = log.begun()
        {
            self.handle_event(log.step(), LogEvent::Begun(begun))?;
        }
        let log = &self.setting.log;
        let public = (0..self.hand.known.len()).filter_map(|at| Some((at, log.public_card(at)?)));
        let public: Vec<_> = public.collect();
        let held = log.game().map(|game| game.held(self.setting.seat));
        let mut own = held.unwrap_or_default();
        // Cards that another seat has shown to this one alone.
        let game = log.match_info().header().stakes.game();
        own.extend(0..game.map_or(0, Game::first_good));
        self.learn_own(&own);
        for (position, card) in public {
            self.know(position, card);
        }
        self.report_sealed();
        Ok(())
    }
}
