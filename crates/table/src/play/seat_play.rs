//! One seat of a match as a state machine that processes events.

mod disputing;
mod ordering;
mod receiving;
mod resuming;
mod roll_calls;
mod rolling;
mod signing;
mod stealing;
mod verifiable;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use dealerless::deck::{self, Card};
use dealerless::shuffle::Randomness;
use dealerless_connection::identity::Identity;
use dealerless_connection::random::SystemRng;
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

pub use self::ordering::deck_name;
use self::roll_calls::Over;
use super::cost::{Prepared, Spent};
use super::deal_circuit::DealCircuit;
use super::error::PlayError;
use super::hand_cards::HandCards;
use super::news::{Command, News, NotNow};
use super::orders::{Done, Event, Order, Orders, Outbox};
use super::own_dice::OwnDice;
use super::verifiable_seat::VerifiableSeat;
use crate::log::{
    Claim, Early, Head, Inputs, Journal, LogMessage, MatchLog, PartKind, Phase, Resuming, Signed,
    Statement, StatementPlace,
};
use crate::rules::{Choice, Foul};
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
    setting: Setting<S, V, R>,
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
    /// The state of the engine on the connection. `None` with a verifiable deck.
    connected: Option<Connected>,
    /// This seat's secrets of a verifiable deck. `None` also after the match.
    own: Option<VerifiableSeat>,
    /// Received and signed parts and acks that are not written to the disk yet.
    unwritten: Vec<Signed>,
    /// Whether a part or an ack of this seat is in `unwritten`.
    owes_write: bool,
    /// The step of the last question to the player.
    asked: Option<u64>,
    /// The step of the last report about another seat's turn.
    reported_turn: Option<u64>,
    hand: HandState,
    /// The numbers of the hand and the try whose engine run was lost with its connection.
    lost_engine_run: Option<(u32, u32)>,
    /// The hand, and the number of its void tries, for which the player has sent
    /// [`Command::DealAgain`].
    deals_again: Option<(u32, u32)>,
    /// The number of tries that other seats have declared void and that were not counted yet.
    uncounted_voids: u32,
    /// Whether the vault holds a deck.
    vault_has_deck: bool,
    /// The preprocessing since the cost of a deal was last reported.
    prepared: Prepared,
    choice: Option<Choice>,
    rebuy: Option<bool>,
    leaving: bool,
    sits_out: bool,
    /// Whether this seat waits for [`Command::Next`] after each showdown.
    pauses: bool,
    /// Whether this seat is waiting after a showdown.
    paused: bool,
    /// Whether too few seats played in the last hand, because the others sat out.
    idle: bool,
    news: VecDeque<News>,
    /// Whether [`News::Over`] was reported.
    ended: bool,
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

/// The state of the engine of a sealed deck on its connection.
#[derive(Default)]
struct Connected {
    /// Orders that were not given to the engine yet.
    due: VecDeque<Order>,
    run: Run,
    /// The number of unfinished shuffles whose tries were declared void.
    stale: usize,
    /// The error with which the engine has ended.
    failed: Option<deck::Error>,
    /// The number of hands for which preprocessing was ordered, but no shuffle.
    pooled: u32,
}

/// The state of the engine in a try of a hand.
#[derive(Default)]
struct Run {
    /// The seeds that this seat has committed to.
    seeds: Option<Randomness>,
    /// Whether the shuffle was ordered.
    ordered: bool,
    /// Whether the engine of this connection has shuffled the deck of the try.
    live: bool,
    /// The step of the last choice for which the engine was told to reshuffle a hand.
    reshuffled: Option<u64>,
    /// Whether the next batch of preprocessing was ordered.
    prepared: bool,
}

/// The state of a seat that is specific to a try of a hand.
#[derive(Default)]
struct HandState {
    deck: Option<HandCards>,
    /// The cost of the shuffle, if this program has shuffled the deck and not reported the cost.
    shuffle: Option<Spent>,
    /// Whether the seal was reported to the player.
    reported_sealed: bool,
    /// The dice of the last roll that the seat has committed to.
    dice: Option<OwnDice>,
    failed_check: Option<FailedCheck>,
    /// The cards that this seat has seen, by position. Empty before the hand is dealt.
    known: Vec<Option<Card>>,
}

/// A failed check that only this seat can see.
enum FailedCheck {
    /// Another seat's seal failed the check. Nobody has seen a card.
    Seal(deck::Error),
    /// The MACs of the cards opened in this step are invalid.
    Macs { step: u64, error: deck::Error },
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// A seat of a match that begins, or that is resumed from its file and its stored deck.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged,
    /// because a seat that continued without its deck would have to forfeit the hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(setting: Setting<S, V, R>) -> Result<Self, PlayError> {
        let mut play = Self::without_deck(setting);
        play.open_secret()?;
        play.restore()?;
        Ok(play)
    }

    fn without_deck(setting: Setting<S, V, R>) -> Self {
        Play {
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
            connected: None,
            own: None,
            unwritten: Vec::new(),
            owes_write: false,
            asked: None,
            reported_turn: None,
            hand: HandState::default(),
            lost_engine_run: None,
            deals_again: None,
            uncounted_voids: 0,
            vault_has_deck: false,
            prepared: Prepared::default(),
            choice: None,
            rebuy: None,
            leaving: false,
            sits_out: false,
            pauses: false,
            paused: false,
            idle: false,
            news: VecDeque::new(),
            ended: false,
        }
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
        self.sealed().map(|deck| Arc::clone(&deck.circuit))
    }

    /// What this seat needs for a sealed deck, if the deck is sealed.
    fn sealed(&self) -> Option<&SealedSetting<S, V>> {
        match &self.setting.deck {
            DeckSetting::Sealed(deck) => Some(deck),
            DeckSetting::Verifiable(_) => None,
        }
    }

    fn is_verifiable(&self) -> bool {
        matches!(self.setting.deck, DeckSetting::Verifiable(_))
    }

    fn sealed_mut(&mut self) -> Option<&mut SealedSetting<S, V>> {
        match &mut self.setting.deck {
            DeckSetting::Sealed(deck) => Some(deck),
            DeckSetting::Verifiable(_) => None,
        }
    }

    /// The card at this position, if this seat has seen it in the hand in play.
    pub fn card(&self, position: usize) -> Option<Card> {
        let own = self.hand.known.get(position).copied().flatten();
        own.or_else(|| self.setting.log.public_card(position))
    }

    /// The next news for the player.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn news(&mut self) -> Option<News> {
        self.news.pop_front().or_else(|| self.their_turn())
    }

    /// Whether the end of the match was reported.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Makes the seat wait for [`Command::Next`] after each showdown, so that the player can look
    /// at the cards.
    pub fn pause_after_showdowns(&mut self) {
        self.pauses = true;
    }

    /// Processes an event. The caller then calls [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`PlayError`], after which the seat cannot continue.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn receive(&mut self, event: Event) -> Result<(), PlayError> {
        match event {
            Event::Received(from, bytes) => self.receive_message(from, &bytes),
            Event::Done(Done::Prepared(prepared)) => {
                self.prepared.add(prepared);
                Ok(())
            }
            Event::Done(Done::Shuffled { deck, spent }) => self.keep_deck(deck, spent),
            Event::Done(Done::Reshuffled { step, hand }) => self.keep_reshuffled(step, hand),
            Event::Done(Done::Failed(error)) => {
                // The hand in play can continue without the engine once its deck is sealed.
                if let Some(connected) = &mut self.connected {
                    connected.failed = Some(error);
                }
                Ok(())
            }
        }
    }

    /// Processes a command of the player. The caller then calls [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`NotNow`]. The seat is unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn command(&mut self, command: Command) -> Result<(), NotNow> {
        match command {
            Command::Choose(choice) => {
                let allowed = self.setting.log.may_choose(self.setting.seat, &choice);
                if let Err(Foul::OutOfTurn { .. } | Foul::NotAsked) = allowed {
                    return Err(NotNow::NotYourTurn);
                }
                let reshuffles = matches!(choice, Choice::Steal(_)) && !self.is_verifiable();
                if reshuffles && !self.runs_live() {
                    return Err(NotNow::OnlyOpens);
                }
                allowed.map_err(NotNow::Foul)?;
                self.choice = Some(choice);
            }
            Command::Rebuy(agreed) => {
                if self.setting.log.phase() != Phase::Deal || self.broke().is_empty() {
                    return Err(NotNow::NobodyAsked);
                }
                self.rebuy = Some(agreed);
            }
            Command::DealAgain => {
                let now = self.void_tries().ok_or(NotNow::NobodyAsked)?;
                self.deals_again = Some(now);
                self.ask_again();
            }
            Command::Next => match std::mem::take(&mut self.paused) {
                true => {}
                false => return Err(NotNow::NobodyAsked),
            },
            Command::SitOut(out) => {
                self.sits_out = out;
                self.ask_again();
            }
            Command::Leave { .. } => self.leaving = true,
            Command::Stay => match std::mem::take(&mut self.leaving) {
                true => {}
                false => return Err(NotNow::NotLeaving),
            },
            // The table, not the seat, connects and closes.
            Command::Close | Command::Again => return Err(NotNow::NobodyAsked),
        }
        Ok(())
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
        while self.uncounted_voids > 0 && self.connected.is_some() {
            orders.voided().map_err(PlayError::Uncounted)?;
            self.uncounted_voids -= 1;
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
        if over || self.owes_write || is_unsent && !self.is_verifiable() {
            self.write()?;
        }
        let is_verifiable = self.is_verifiable();
        for (&seat, peer) in &mut self.peers {
            for message in peer.unsent.drain(..) {
                let sent = outbox.send(seat, message.encode());
                // With a verifiable deck, a lost connection does not stop the other seats, and the
                // reader of the connection reports it.
                if !is_verifiable {
                    sent.map_err(PlayError::Connection)?;
                }
            }
        }
        if over {
            self.destroy_deck()?;
        }
        if let Some(error) = self.reportable_failure() {
            return Err(error);
        }
        if !self.is_synced() {
            return Ok(());
        }
        if self.needs_engine()
            && let Some(connected) = &mut self.connected
            && let Some(error) = connected.failed.take()
        {
            return Err(PlayError::Engine(error));
        }
        self.send_orders(orders)
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

    /// Takes the error of a failed check, once its try is void or its hand is over.
    fn reportable_failure(&mut self) -> Option<PlayError> {
        let phase = self.setting.log.phase();
        let is_reportable = match self.hand.failed_check.as_ref()? {
            FailedCheck::Seal(_) => !matches!(phase, Phase::Seal(_) | Phase::Open(_)),
            FailedCheck::Macs { .. } => self.setting.log.game().is_none(),
        };
        let failed = self.hand.failed_check.take_if(|_| is_reportable)?;
        Some(match failed {
            FailedCheck::Seal(error) => PlayError::Seal(error),
            FailedCheck::Macs { error, .. } => PlayError::Opening(error),
        })
    }

    /// Whether the engine of this connection has shuffled the deck of the try in play.
    fn runs_live(&self) -> bool {
        let connected = self.connected.as_ref();
        connected.is_some_and(|connected| connected.run.live)
    }

    /// Allows the question of this step to be asked again.
    fn ask_again(&mut self) {
        self.asked = None;
    }

    /// Resets the state of a try that is void or whose hand is over. Keeps a failed check, which is
    /// reported later.
    fn end_try(&mut self) {
        self.hand = HandState {
            failed_check: self.hand.failed_check.take(),
            ..HandState::default()
        };
        if let Some(connected) = &mut self.connected {
            connected.run = Run::default();
        }
    }

    /// Destroys the deck, or the secret of a verifiable deck, once no more cards will be opened.
    fn destroy_deck(&mut self) -> Result<(), PlayError> {
        self.hand.deck = None;
        if std::mem::take(&mut self.vault_has_deck) {
            let vault = match &mut self.setting.deck {
                DeckSetting::Sealed(deck) => &mut deck.vault,
                DeckSetting::Verifiable(vault) => vault,
            };
            vault.destroy().map_err(PlayError::Vault)?;
        }
        Ok(())
    }

    /// Writes a claim to the match file.
    pub(super) fn claim(&mut self, claim: &Claim) -> Result<(), PlayError> {
        self.write()?;
        Ok(self.setting.journal.append_claim(claim)?)
    }

    /// Adds news of the table for the player.
    pub(super) fn report(&mut self, news: News) {
        self.news.push_back(news);
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

    /// Whether the deck of the try is final, because a card was opened.
    fn deck_is_final(&self) -> bool {
        let log = &self.setting.log;
        log.phase().is_sealed() && !log.may_sign(Seat::HOST).contains(&PartKind::Again)
    }
}
