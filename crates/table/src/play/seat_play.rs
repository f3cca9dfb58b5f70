//! One seat of a match as a state machine that processes events.

mod exchange;
mod opening;
mod own_deck;
mod own_seat;
mod player;
mod receiving;
mod reports;
mod roll_calls;
mod sealed;
mod verifiable;

use std::sync::Arc;

use dealerless::deck::Card;
use dealerless_connection::identity::Identity;
use dealerless_connection::random::SystemRng;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use self::exchange::Exchange;
use self::own_deck::OwnDeck;
use self::own_seat::OwnSeat;
use self::roll_calls::Over;
pub use self::sealed::deck_name;
use super::deal_circuit::DealCircuit;
use super::error::PlayError;
use super::orders::{Event, Orders, Outbox};
use crate::log::{Inputs, Journal, MatchLog, Phase, Signed};
use crate::rules::{Choice, Legal};
use crate::seat::{Seat, SeatSet};

/// Everything that a seat needs to play.
pub struct Setting<S, V, R = SystemRng> {
    /// The identity of the player.
    pub identity: Arc<Identity>,
    /// The seat in the match.
    pub seat: Seat,
    /// The log of the match.
    pub log: MatchLog,
    /// The file of the match.
    pub journal: Journal<S>,
    /// What the seat needs for its deck.
    pub deck: DeckSetting<S, V>,
    /// The random number generator of the operating system.
    pub rng: R,
}

/// What a seat needs for its deck, by the kind of deck.
pub enum DeckSetting<S, V> {
    /// For a sealed deck.
    Sealed(SealedSetting<S, V>),
    /// For a verifiable deck: storage for the secret of the match. It is drawn and stored before
    /// the seat signs its first part, and destroyed after the match.
    Verifiable(V),
}

/// What a seat needs for a sealed deck.
pub struct SealedSetting<S, V> {
    /// The file of this seat's inputs to the shuffles.
    pub inputs: Inputs<S>,
    /// Storage for the deck of the current hand.
    pub vault: V,
    /// The circuit of the match.
    pub circuit: Arc<DealCircuit>,
}

/// One seat of a match.
///
/// The host has a connection to each guest, and forwards what the others sign. A guest can also have
/// connections to other guests. A seat sends what it signs on all its connections. A seat starts
/// without connections. `begin` starts the match on the first connection to a seat, and `resume`
/// continues it on a new one. After `lose_connection`, nothing is sent to that seat until there is a
/// new connection.
pub struct Play<S, V, R> {
    own: OwnSeat<S, R>,
    deck: OwnDeck<S, V>,
    exchange: Exchange,
    /// What this seat has lacked for too long. Only with roll calls.
    over: Over,
    /// The step of this seat's turn, if its player thinks for so long that the seat shows that it is there.
    thinks_in: Option<u64>,
    /// The number of other seats whose parts of the step this seat needs before it opens its first cards.
    /// `None` if it needs none, and may call the roll.
    opens_after: Option<(usize, SeatSet)>,
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// A seat of a match that begins, or that is resumed from its file and its stored deck.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged,
    /// because a seat that continued without its deck would have to forfeit the hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(setting: Setting<S, V, R>) -> Result<Self, PlayError> {
        let (mut own, deck) = OwnSeat::new(setting);
        let mut play = Play {
            deck: OwnDeck::new(deck, &mut own)?,
            own,
            exchange: Exchange::default(),
            over: Over::default(),
            thinks_in: None,
            opens_after: None,
        };
        play.restore()?;
        Ok(play)
    }

    /// The log of the match, with everything that all seats know.
    pub fn log(&self) -> &MatchLog {
        &self.own.log
    }

    /// The seat.
    pub fn seat(&self) -> Seat {
        self.own.seat
    }

    /// Processes an event. The caller then calls [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn receive(&mut self, event: Event) -> Result<(), PlayError> {
        match event {
            Event::Received(from, bytes) => self.receive_message(from, &bytes),
            Event::Done(done) => match &mut self.deck {
                OwnDeck::Sealed(deck) => deck.receive(done, &mut self.own),
                OwnDeck::Verifiable(_) => Ok(()),
            },
        }
    }

    /// Whether a shown hand beats this seat's hand in every pot that the seat contests.
    pub fn is_beaten(&self) -> bool {
        self.own.log.game().is_some_and(|game| {
            let held = game.held(self.own.seat).into_iter();
            let cards: Option<Vec<Card>> = held.map(|position| self.card(position)).collect();
            cards.is_some_and(|cards| game.is_beaten(self.own.seat, &cards))
        })
    }

    /// The choice of this seat when it runs out of time. The seat mucks only a hand that cannot win
    /// any pot.
    pub(super) fn out_of_time(&self, legal: &Legal) -> Choice {
        match legal {
            Legal::ShowOrMuck if self.is_beaten() => Choice::Muck,
            _ => legal.out_of_time(),
        }
    }

    /// Signs and sends all parts that are due, and gives the engine its orders. A part is written
    /// to the disk before it is sent, after all parts that were received before.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn advance(
        &mut self,
        outbox: &mut impl Outbox,
        orders: &mut impl Orders,
    ) -> Result<(), PlayError> {
        // Both sides have the same log at this point, so either both start the engine or neither does.
        let starts = self.is_synced() && !matches!(self.own.log.phase(), Phase::Over(_));
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.start_engine(self.own.seat, starts, orders)?;
        }
        loop {
            if !self.is_merging() {
                self.accept_early(u64::MAX)?;
            }
            // Nothing is signed before the peer has sent its history.
            if self.own.player.frozen || !self.start_signing() || !self.sign_next()? {
                break;
            }
        }
        // The end of the match is written to the file even if nothing has to be sent.
        let over = matches!(self.own.log.phase(), Phase::Over(_)) || self.plays_no_more();
        let is_sealed = self.is_sealed();
        if over || self.own.owes_write() || is_sealed && self.exchange.has_unsent() {
            self.write()?;
        }
        // With a verifiable deck, a lost connection does not stop the other seats, and the reader of
        // the connection reports it.
        self.exchange.send_queued(outbox, is_sealed)?;
        if over {
            self.deck.destroy()?;
        }
        let is_synced = self.is_synced();
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            if let Some(error) = deck.reportable_failure(&self.own.log) {
                return Err(error);
            }
            if is_synced {
                deck.send_orders(&mut self.own, orders)?;
            }
        }
        Ok(())
    }

    /// Signs the vote, the ack or the part that is due now. Returns `false` if there is none.
    fn sign_next(&mut self) -> Result<bool, PlayError> {
        if self.refuse_call()? {
            return Ok(true);
        }
        let (identity, seat) = (&self.own.identity, self.own.seat);
        let (before, hash) = (self.own.log.phase(), self.own.log.hash());
        if self.own.log.owes_ack(seat) {
            let ack = self.own.log.sign_ack(identity, seat)?;
            self.send_own(hash, Signed::Ack(ack));
            self.report_confirmed_end();
            return Ok(true);
        }
        let Some(part) = self.next_part()? else {
            return Ok(self.show_presence() || !self.awaits_opening() && self.sign_call()?);
        };
        let (signed, events) = (self.own.log).sign(&self.own.identity, seat, &part)?;
        let step = signed.step;
        self.send_own(hash, Signed::Part(signed));
        self.after_part(seat, step, &part, &before, events)?;
        Ok(true)
    }

    /// Signs this seat's shuffle for the next hand, if it is due. A shuffle takes longer than any other
    /// part, so the caller does this only when nothing else is to be done. The caller then calls
    /// [`advance`](Self::advance), which sends it. Returns whether it was due.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn shuffle_ahead(&mut self) -> Result<bool, PlayError> {
        let ahead = match &self.deck {
            OwnDeck::Verifiable(deck) if self.is_synced() && !self.own.player.frozen => {
                deck.ahead(&self.own)?
            }
            _ => None,
        };
        let Some((shuffle, decks)) = ahead else {
            return Ok(false);
        };
        let own = &mut self.own;
        let statement = (own.log).sign_ahead(&own.identity, own.seat, shuffle, decks)?;
        self.send_own(statement.before, statement.signed);
        Ok(true)
    }

    /// Writes all received and signed parts that are not on the disk yet.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self) -> Result<(), PlayError> {
        self.own.write()
    }
}
