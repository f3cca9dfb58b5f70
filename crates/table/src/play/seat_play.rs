//! One seat of a match as a state machine that processes events.

mod hand_state;
mod own_deck;
mod player;
mod receiving;
mod reports;
mod resuming;
mod roll_calls;
mod sealed;
mod verifiable;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dealerless::deck::Card;
use dealerless_connection::identity::Identity;
use dealerless_connection::random::SystemRng;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use self::hand_state::HandState;
use self::own_deck::OwnDeck;
use self::player::Player;
use self::reports::Reports;
use self::roll_calls::Over;
pub use self::sealed::deck_name;
use super::deal_circuit::DealCircuit;
use super::error::PlayError;
use super::news::{Command, News, NotNow};
use super::orders::{Event, Orders, Outbox};
use crate::log::{
    Claim, Early, Head, Inputs, Journal, LogMessage, MatchLog, Part, Phase, Resuming, Seen, Signed,
    Statement, StatementPlace,
};
use crate::rules::{Choice, Learners, Legal};
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

/// What a seat needs for any kind of deck.
struct SeatSetting<S, R> {
    identity: Arc<Identity>,
    seat: Seat,
    log: MatchLog,
    journal: Journal<S>,
    rng: R,
}

impl<S: Storage, R> SeatSetting<S, R> {
    /// Notes in the match file a card that only this seat has seen, because the log alone does not
    /// determine this card.
    fn note(&mut self, position: usize, card: Card, learners: Learners) {
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
}

/// One seat of a match.
///
/// The host has a connection to each guest, and forwards what the others sign. A guest can also have
/// connections to other guests. A seat sends what it signs on all its connections. A seat starts
/// without connections. `begin` starts the match on the first connection to a seat, and `resume`
/// continues it on a new one. After `lose_connection`, nothing is sent to that seat until there is a
/// new connection.
pub struct Play<S, V, R> {
    setting: SeatSetting<S, R>,
    deck: OwnDeck<S, V>,
    /// The seats that this seat is connected to.
    peers: BTreeMap<Seat, Peer>,
    /// The seats that have sent their histories since the program has started.
    heard: BTreeSet<Seat>,
    /// Whether this seat no longer waits for histories: a guest for those of the other guests, and with
    /// roll calls any seat for those of all others. With roll calls, it has then accepted what it had
    /// kept in `early`.
    waived: bool,
    /// Whether the program has resumed the match from its file and may not sign yet.
    is_restarted: bool,
    /// The last step of a statement of this seat that another seat has sent back before its step.
    signed_in: Option<u64>,
    /// The seats without whose histories this seat cannot accept what it has kept since its start.
    unheard: SeatSet,
    /// What this seat has lacked for too long. Only with roll calls.
    over: Over,
    /// The step of this seat's turn, if its player thinks for so long that the seat shows that it is there.
    thinks_in: Option<u64>,
    /// What each seat has sent for later steps. It outlives the connection on which it arrived.
    early: BTreeMap<Seat, Early>,
    /// The seats whose connections were dropped because of an early statement.
    failed: BTreeMap<Seat, PlayError>,
    /// Received and signed parts and acks that are not written to the disk yet.
    unwritten: Vec<Signed>,
    /// Whether a part or an ack of this seat is in `unwritten`.
    owes_write: bool,
    hand: HandState,
    player: Player,
    reports: Reports,
}

/// The state of a connection to another seat.
struct Peer {
    /// The progress of the seat's history.
    history: Resuming,
    /// Whether this seat has queued its own history, or there is none.
    has_own: bool,
    /// The step up to which requests on this connection were answered, and the statements of this
    /// step and of the ahead chain that were sent: their chains, and their places.
    answered: (u64, BTreeSet<(Option<Head>, StatementPlace)>),
    /// Messages to send once all signed parts are on the disk.
    unsent: Vec<LogMessage>,
}

impl Peer {
    fn new(history: Resuming) -> Self {
        Peer {
            has_own: history.is_complete(),
            history,
            answered: (0, BTreeSet::new()),
            unsent: Vec::new(),
        }
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// A seat of a match that begins, or that is resumed from its file and its stored deck.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged,
    /// because a seat that continued without its deck would have to forfeit the hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(setting: Setting<S, V, R>) -> Result<Self, PlayError> {
        let deck = setting.deck;
        let mut setting = SeatSetting {
            identity: setting.identity,
            seat: setting.seat,
            log: setting.log,
            journal: setting.journal,
            rng: setting.rng,
        };
        let mut play = Play {
            deck: OwnDeck::new(deck, &mut setting)?,
            setting,
            peers: BTreeMap::new(),
            heard: BTreeSet::new(),
            waived: false,
            is_restarted: true,
            signed_in: None,
            unheard: SeatSet::default(),
            over: Over::default(),
            thinks_in: None,
            early: BTreeMap::new(),
            failed: BTreeMap::new(),
            unwritten: Vec::new(),
            owes_write: false,
            hand: HandState::default(),
            player: Player::default(),
            reports: Reports::default(),
        };
        play.restore()?;
        Ok(play)
    }

    /// The log of the match, with everything that all seats know.
    pub fn log(&self) -> &MatchLog {
        &self.setting.log
    }

    /// The seat.
    pub fn seat(&self) -> Seat {
        self.setting.seat
    }

    /// The circuit of the match, if its deck is sealed.
    pub(super) fn circuit(&self) -> Option<Arc<DealCircuit>> {
        self.deck.circuit()
    }

    /// The card at this position, if this seat has seen it in the hand in play.
    pub fn card(&self, position: usize) -> Option<Card> {
        let own = self.hand.card(position);
        own.or_else(|| self.setting.log.public_card(position))
    }

    /// The next news for the player.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn news(&mut self) -> Option<News> {
        self.reports.next().or_else(|| self.their_turn())
    }

    /// Whether the end of the match was reported.
    pub(super) fn has_ended(&self) -> bool {
        self.reports.has_ended()
    }

    /// Makes the seat wait for [`Command::Next`] after each showdown, so that the player can look
    /// at the cards.
    pub fn pause_after_showdowns(&mut self) {
        self.player.pause_after_showdowns();
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
                OwnDeck::Sealed(deck) => deck.receive(done, &mut self.setting),
                OwnDeck::Verifiable(_) => Ok(()),
            },
        }
    }

    /// Processes a command of the player. The caller then calls [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`NotNow`]. The seat is unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn command(&mut self, command: Command) -> Result<(), NotNow> {
        let (deck, reports) = (&mut self.deck, &mut self.reports);
        self.player.command(command, &self.setting, deck, reports)
    }

    /// Whether a player who leaves now does so immediately: when this seat deals, seals, reseals or
    /// makes a choice. In other phases the program first signs the parts that need no player, so
    /// that the player does not lose a pot that is almost certainly won.
    pub fn leaves_now(&self) -> bool {
        let log = &self.setting.log;
        !log.may_sign(self.setting.seat).is_empty() && is_turn(&log.phase())
    }

    /// Whether a shown hand beats this seat's hand in every pot that the seat contests.
    pub fn is_beaten(&self) -> bool {
        self.setting.log.game().is_some_and(|game| {
            let held = game.held(self.setting.seat).into_iter();
            let cards: Option<Vec<Card>> = held.map(|position| self.card(position)).collect();
            cards.is_some_and(|cards| game.is_beaten(self.setting.seat, &cards))
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

    /// Returns the news that it is another seat's turn, once in each step of a connection.
    fn their_turn(&mut self) -> Option<News> {
        match self.setting.log.phase() {
            Phase::Choose { seat, .. } if seat != self.setting.seat && self.is_synced() => {
                self.reports.their_turn(self.setting.log.step(), seat)
            }
            _ => None,
        }
    }

    /// Whether the match cannot continue without another shuffle.
    pub(super) fn needs_engine(&self) -> bool {
        self.deck.needs_engine(&self.setting.log, self.setting.seat)
    }

    /// Whether the engine of this connection has shuffled the deck in play. Otherwise the cards of
    /// this deck can only be opened.
    #[cfg(feature = "internals")]
    pub fn can_steal(&self) -> bool {
        self.deck.can_steal()
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
        if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.count_voids(orders)?;
        }
        loop {
            if !self.is_merging() {
                self.accept_early(u64::MAX)?;
            }
            // Nothing is signed before the peer has sent its history.
            if !self.is_synced() || self.lacks_own_statement() || !self.sign_next()? {
                break;
            }
        }
        // The end of the match is written to the file even if nothing has to be sent.
        let over = matches!(self.setting.log.phase(), Phase::Over(_)) || self.plays_no_more();
        let is_unsent = self.peers.values().any(|peer| !peer.unsent.is_empty());
        let is_sealed = self.deck.is_sealed();
        if over || self.owes_write || is_unsent && is_sealed {
            self.write()?;
        }
        for (&seat, peer) in &mut self.peers {
            for message in peer.unsent.drain(..) {
                let sent = outbox.send(seat, message.encode());
                // With a verifiable deck, a lost connection does not stop the other seats, and the
                // reader of the connection reports it.
                if is_sealed {
                    sent.map_err(PlayError::Connection)?;
                }
            }
        }
        if over {
            self.deck.destroy()?;
        }
        let is_synced = self.is_synced();
        let OwnDeck::Sealed(deck) = &mut self.deck else {
            return Ok(());
        };
        let SeatSetting { log, seat, .. } = &self.setting;
        if let Some(error) = deck.reportable_failure(log) {
            return Err(error);
        }
        let due = match is_synced {
            true => deck.take_orders(log, *seat)?,
            false => Vec::new(),
        };
        if !due.is_empty() {
            self.write()?;
        }
        for order in due {
            orders.order(order);
        }
        Ok(())
    }

    /// Signs the vote, the ack or the part that is due now. Returns `false` if there is none.
    fn sign_next(&mut self) -> Result<bool, PlayError> {
        self.is_restarted = false;
        if self.refuse_call()? {
            return Ok(true);
        }
        let (identity, seat) = (&self.setting.identity, self.setting.seat);
        let (before, hash) = (self.setting.log.phase(), self.setting.log.hash());
        if self.setting.log.owes_ack(seat) {
            let ack = self.setting.log.sign_ack(identity, seat)?;
            self.send_own(hash, Signed::Ack(ack));
            self.report_confirmed_end();
            return Ok(true);
        }
        let Some(part) = self.next_part()? else {
            return Ok(self.show_presence() || self.sign_call()?);
        };
        let (signed, events) = (self.setting.log).sign(&self.setting.identity, seat, &part)?;
        let step = signed.step;
        self.send_own(hash, Signed::Part(signed));
        self.after_part(seat, step, &part, &before, events)?;
        Ok(true)
    }

    /// Queues a part or an ack of this seat for all connected seats. It was signed for the history
    /// with the hash `before`.
    fn send_own(&mut self, before: [u8; 32], signed: Signed) {
        self.unwritten.push(signed.clone());
        self.owes_write = true;
        let message = self.message(Statement { before, signed });
        for peer in self.peers.values_mut() {
            peer.unsent.push(message.clone());
        }
    }

    /// The message with a statement, in the form for the number of seats.
    fn message(&self, statement: Statement) -> LogMessage {
        match statement {
            Statement {
                signed: Signed::Part(part),
                ..
            } if self.setting.log.match_info().seats() == 2 => LogMessage::Part(part),
            statement => LogMessage::Statement(statement),
        }
    }

    /// The part that this seat has to sign now, if any.
    fn next_part(&mut self) -> Result<Option<Part>, PlayError> {
        let allowed = self.setting.log.may_sign(self.setting.seat);
        match allowed.is_empty() {
            true => Ok(None),
            false => (self.deck).next_part(&mut self.setting, &mut self.player, &mut self.reports),
        }
    }

    /// Signs this seat's shuffle for the next hand, if it is due. A shuffle takes longer than any other
    /// part, so the caller does this only when nothing else is to be done. The caller then calls
    /// [`advance`](Self::advance), which sends it. Returns whether it was due.
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn shuffle_ahead(&mut self) -> Result<bool, PlayError> {
        let is_synced = self.is_synced();
        let (log, seat) = (&mut self.setting.log, self.setting.seat);
        let OwnDeck::Verifiable(deck) = &self.deck else {
            return Ok(false);
        };
        if !is_synced {
            return Ok(false);
        }
        let Some((shuffle, decks)) = deck.ahead(log, seat)? else {
            return Ok(false);
        };
        let statement = log.sign_ahead(&self.setting.identity, seat, shuffle, decks)?;
        self.send_own(statement.before, statement.signed);
        Ok(true)
    }

    /// Writes a claim to the match file.
    pub(super) fn claim(&mut self, claim: &Claim) -> Result<(), PlayError> {
        self.write()?;
        Ok(self.setting.journal.append_claim(claim)?)
    }

    /// Adds news of the table for the player.
    pub(super) fn report(&mut self, news: News) {
        self.reports.push(news);
    }

    /// Writes all received and signed parts that are not on the disk yet.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self) -> Result<(), PlayError> {
        self.setting.journal.append(&self.unwritten)?;
        self.unwritten.clear();
        self.owes_write = false;
        Ok(())
    }
}

/// Whether a player who leaves in this phase does so immediately.
fn is_turn(phase: &Phase) -> bool {
    matches!(
        phase,
        Phase::Deal | Phase::Seal(_) | Phase::Reseal(..) | Phase::Choose { .. }
    )
}
