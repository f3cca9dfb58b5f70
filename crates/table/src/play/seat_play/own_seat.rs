//! The parts of a seat that depend neither on its deck nor on its connections: its log, file and player.

use std::sync::Arc;

use dealerless::deck::Card;
use dealerless_connection::identity::Identity;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::error::PlayError;
use super::player::Player;
use super::reports::{HandState, Reports};
use super::{DeckSetting, Play, Setting};
use crate::log::{Claim, Evidence, Journal, MatchLog, Seen, Signed};
use crate::rules::Learners;
use crate::seat::Seat;

/// A seat without its deck and its connections.
pub(super) struct OwnSeat<S, R> {
    pub(super) identity: Arc<Identity>,
    pub(super) seat: Seat,
    pub(super) log: MatchLog,
    pub(super) rng: R,
    pub(super) hand: HandState,
    pub(super) player: Player,
    pub(super) reports: Reports,
    /// Whether this seat has signed a part that opens cards of a verifiable deck.
    pub(super) has_opened: bool,
    journal: Journal<S>,
    /// The claims since the program has started, about the last step that has some.
    claims: Vec<Claim>,
    /// Received and signed parts and acks that are not written to the disk yet.
    unwritten: Vec<Signed>,
}

impl<S: Storage, R> OwnSeat<S, R> {
    pub(super) fn new<V>(setting: Setting<S, V, R>) -> (Self, DeckSetting<S, V>) {
        let own = OwnSeat {
            has_opened: setting.log.has_opening_of(setting.seat),
            identity: setting.identity,
            seat: setting.seat,
            log: setting.log,
            rng: setting.rng,
            hand: HandState::default(),
            player: Player::default(),
            reports: Reports::default(),
            journal: setting.journal,
            claims: Vec::new(),
            unwritten: Vec::new(),
        };
        (own, setting.deck)
    }

    /// Adds a received or signed part or ack to those that are not on the disk yet.
    pub(super) fn keep(&mut self, signed: Signed) {
        if let Signed::Part(part) = &signed {
            self.has_opened |= part.seat == self.seat && part.opens_cards();
        }
        self.unwritten.push(signed);
    }

    /// Whether a part or an ack of this seat is not on the disk yet. A restored file may not have had it,
    /// so it must be on the disk before it is sent.
    pub(super) fn owes_write(&self) -> bool {
        self.unwritten
            .iter()
            .any(|signed| signed.seat() == self.seat)
    }

    /// Writes all received and signed parts that are not on the disk yet.
    pub(super) fn write(&mut self) -> Result<(), PlayError> {
        self.journal.append(&self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    pub(super) fn write_evidence(&mut self, evidence: &Evidence) -> Result<(), PlayError> {
        self.write()?;
        Ok(self.journal.append_evidence(evidence)?)
    }

    /// Notes in the match file a card that only this seat has seen, because the log alone does not
    /// determine this card.
    pub(super) fn note(&mut self, position: usize, card: Card, learners: Learners) {
        if learners == Learners::Seat(self.seat) {
            let log = &self.log;
            self.journal.note(&Seen {
                attempt: log.attempt(),
                position: position as u16,
                since: log.resealed(position).map_or(0, |(step, _)| step),
                card,
                wide: log.match_info().header().stakes.word_bits() > u16::BITS,
            });
        }
    }

    /// Reloads forgotten parts of the log from the match file.
    pub(super) fn reload_log(&mut self) -> Result<(), PlayError> {
        if !self.log.is_whole() {
            self.write()?;
            self.log = self.journal.read_log()?;
        }
        Ok(())
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    pub(in crate::play) fn claim(&mut self, claim: &Claim) -> Result<(), PlayError> {
        self.own.write()?;
        // Claims about earlier steps do not count any more.
        let step = self.own.log.step();
        self.own.claims.retain(|claim| claim.step == step);
        self.own.claims.push(*claim);
        Ok(self.own.journal.append_claim(claim)?)
    }

    /// The seats that are absent by the claims of this seat in the current step, as
    /// [`MatchLog::absent`] counts them.
    pub fn absent(&self) -> Vec<Seat> {
        self.own.log.absent(&self.own.claims)
    }

    /// Lets this seat sign nothing more, or sign again.
    pub fn set_frozen(&mut self, frozen: bool) {
        self.own.player.frozen = frozen;
    }
}
