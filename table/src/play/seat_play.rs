//! What one seat does: a state machine over what it hears.

mod disputing;
mod ordering;
mod receiving;
mod resuming;
mod rolling;
mod signing;
mod stealing;

use std::collections::VecDeque;
use std::sync::Arc;

use dealerless::deck::{self, Card};
use dealerless::shuffle::Randomness;
use rand::CryptoRng;

pub use self::ordering::deck_name;
use super::cost::{Prepared, Spent};
use super::deal_circuit::DealCircuit;
use super::error::PlayError;
use super::hand_cards::HandCards;
use super::news::{Command, News, NotNow};
use super::orders::{Done, Event, Order, Orders, Outbox};
use super::own_dice::OwnDice;
use super::vault::Vault;
use crate::identity::Identity;
use crate::log::{
    Claim, Inputs, Journal, LogMessage, MatchLog, PartKind, Phase, Resuming, SignedPart, Storage,
};
use crate::random::SystemRng;
use crate::rules::{Choice, Foul};
use crate::seat::Seat;

/// How many hands a batch of preprocessing holds: enough for the buckets to be small.
const BATCH: u32 = 12;

/// What a seat plays with.
pub struct Setting<S, V, R = SystemRng> {
    /// Its keys.
    pub identity: Arc<Identity>,
    /// Where it sits.
    pub seat: Seat,
    /// The match.
    pub log: MatchLog,
    /// The file of the match.
    pub journal: Journal<S>,
    /// The file of what this seat enters into the shuffles.
    pub inputs: Inputs<S>,
    /// The place of the deck.
    pub vault: V,
    /// The circuit of the match.
    pub circuit: Arc<DealCircuit>,
    /// The operating system's generator.
    pub rng: R,
}

/// One seat of a match.
///
/// It begins without a connection: `begin` begins the match on one, and
/// `meet_again` resumes it there. After `lose_connection` the seat
/// sends nothing until the next one.
pub struct Play<S, V, R> {
    set: Setting<S, V, R>,
    /// The state that is lost with the connection.
    connected: Option<Connected>,
    /// What was heard or said and is not on the disk yet.
    unwritten: Vec<SignedPart>,
    hand: InHand,
    /// The try whose run of the engine belonged to a lost connection: its hand and its number.
    lost_run: Option<(u32, u32)>,
    /// The hand, and the number of its void tries, for which the player has said [`Command::DealAgain`].
    deals_again: Option<(u32, u32)>,
    /// Tries that other seats have declared void, and that were not counted yet.
    voided: u32,
    /// There is a deck in the vault.
    kept: bool,
    /// What was made ahead since the cost of a deal was told last.
    made_ahead: Prepared,
    choice: Option<Choice>,
    rebuy: Option<bool>,
    leaving: bool,
    sits_out: bool,
    /// This seat deals no hand after a showdown before it is told to.
    pauses: bool,
    /// The hand before this one was shown down, and the player looks at it.
    paused: bool,
    news: VecDeque<News>,
}

/// The state of a connection and of the engine on it.
struct Connected {
    /// What the other seat has told.
    told: Resuming,
    /// What is to be sent, once all that was said is on the disk.
    unsent: Vec<LogMessage>,
    /// Orders that the engine does not have yet.
    due: VecDeque<Order>,
    run: Run,
    /// Shuffles that were ordered for tries that are void by now, and are not done yet.
    stale: usize,
    /// Why there are no more shuffles.
    failed: Option<deck::Error>,
    /// The number of hands that preprocessing is left for, once the hand in play has its own.
    pooled: u32,
    /// The step for which the player was asked.
    asked: Option<u64>,
    /// The step in which the player was told that it is another's turn.
    told_turn: Option<u64>,
}

impl Connected {
    fn new(told: Resuming) -> Self {
        Connected {
            told,
            unsent: Vec::new(),
            due: VecDeque::new(),
            run: Run::default(),
            stale: 0,
            failed: None,
            pooled: 0,
            asked: None,
            told_turn: None,
        }
    }
}

/// The engine's part in a try of a hand.
#[derive(Default)]
struct Run {
    /// The seeds that this seat has committed itself to.
    seeds: Option<Randomness>,
    /// The shuffle is ordered.
    ordered: bool,
    /// The engine has dealt the try.
    live: bool,
    /// The step of the choice for which the engine was last told to shuffle a hand again.
    reshuffled: Option<u64>,
    /// The batch behind this hand has been ordered.
    prepared: bool,
}

/// What a seat holds in a try of a hand, and nowhere else.
#[derive(Default)]
struct InHand {
    deck: Option<HandCards>,
    /// What its shuffle took, if this program has seen it and has not told it.
    shuffle: Option<Spent>,
    /// The player knows that it is sealed.
    told_sealed: bool,
    /// What it has drawn for the last roll to which it has committed.
    dice: Option<OwnDice>,
    trouble: Option<Trouble>,
    known: Vec<Option<Card>>,
}

/// What only this seat can see.
enum Trouble {
    /// Another seat's seal fails a check. Nobody has seen a card.
    Seal(deck::Error),
    /// The MACs of what was opened in this step do not fit.
    Macs { step: u64, error: deck::Error },
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// A seat of a match that begins, or that is taken up again as its file and its deck say.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged: a seat
    /// that went on would have to forfeit the hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(set: Setting<S, V, R>) -> Result<Self, PlayError> {
        let mut play = Self::without_deck(set);
        play.restore()?;
        Ok(play)
    }

    fn without_deck(set: Setting<S, V, R>) -> Self {
        Play {
            set,
            connected: None,
            unwritten: Vec::new(),
            hand: InHand::default(),
            lost_run: None,
            deals_again: None,
            voided: 0,
            kept: false,
            made_ahead: Prepared::default(),
            choice: None,
            rebuy: None,
            leaving: false,
            sits_out: false,
            pauses: false,
            paused: false,
            news: VecDeque::new(),
        }
    }

    /// The log, from which everything follows that all seats know.
    pub fn log(&self) -> &MatchLog {
        &self.set.log
    }

    /// Where this seat sits.
    pub fn seat(&self) -> Seat {
        self.set.seat
    }

    /// The circuit of the match.
    pub(super) fn circuit(&self) -> Arc<DealCircuit> {
        Arc::clone(&self.set.circuit)
    }

    /// The card at this position, if this seat has seen it in the hand in play.
    pub fn card(&self, position: usize) -> Option<Card> {
        let own = self.hand.known.get(position).copied().flatten();
        own.or_else(|| self.set.log.public_card(position))
    }

    /// What the player is to know next.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn news(&mut self) -> Option<News> {
        self.news.pop_front().or_else(|| self.their_turn())
    }

    /// Pauses after each showdown from now on, until [`Command::Next`]: the player is to see it.
    pub(super) fn pause_after_showdowns(&mut self) {
        self.pauses = true;
    }

    /// Takes in what was heard. [`go_on`](Self::go_on) then says what is due.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn receive(&mut self, event: Event) -> Result<(), PlayError> {
        match event {
            Event::Received(bytes) => self.hear_message(&bytes),
            Event::Done(Done::Prepared(prepared)) => {
                self.made_ahead.add(prepared);
                Ok(())
            }
            Event::Done(Done::Shuffled { deck, spent }) => self.keep(deck, spent),
            Event::Done(Done::Reshuffled { step, hand }) => self.keep_reshuffled(step, hand),
            Event::Done(Done::Failed(error)) => {
                // A deck that is sealed needs no engine any more.
                if let Some(connected) = &mut self.connected {
                    connected.failed = Some(error);
                }
                Ok(())
            }
        }
    }

    /// Takes in what the player says. [`go_on`](Self::go_on) then says what is due.
    ///
    /// # Errors
    /// [`NotNow`]; nothing has changed then.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn command(&mut self, command: Command) -> Result<(), NotNow> {
        match command {
            Command::Choose(choice) => {
                let allowed = self.set.log.may_choose(self.set.seat, &choice);
                if let Err(Foul::OutOfTurn { .. } | Foul::NotAsked) = allowed {
                    return Err(NotNow::NotYourTurn);
                }
                if matches!(choice, Choice::Steal(_)) && !self.runs_live() {
                    return Err(NotNow::OnlyOpens);
                }
                allowed.map_err(NotNow::Foul)?;
                self.choice = Some(choice);
            }
            Command::Rebuy(agreed) => {
                if self.set.log.phase() != Phase::Deal || self.broke().is_empty() {
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
            // A seat alone neither connects nor closes: its table does.
            Command::Close | Command::Again => return Err(NotNow::NobodyAsked),
        }
        Ok(())
    }

    /// Says all that this seat has to say now, and orders what the engine is to do. What is said is
    /// on the disk, behind all that was heard before, when it is sent.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn advance(
        &mut self,
        outbox: &mut impl Outbox,
        orders: &mut impl Orders,
    ) -> Result<(), PlayError> {
        while self.voided > 0 && self.connected.is_some() {
            orders.voided().map_err(PlayError::Uncounted)?;
            self.voided -= 1;
        }
        // Nothing is signed before it is known what the other seat has.
        while self.is_synced()
            && let Some(part) = self.next_part()?
        {
            let before = self.set.log.phase();
            let (signed, events) = (self.set.log).sign(&self.set.identity, self.set.seat, &part)?;
            let step = signed.step;
            self.unwritten.push(signed.clone());
            if let Some(connected) = &mut self.connected {
                connected.unsent.push(LogMessage::Part(signed));
            }
            self.added(self.set.seat, step, &part, &before, events)?;
        }
        // What ended the match belongs into the file, also if nothing is to be said any more.
        let over = matches!(self.set.log.phase(), Phase::Over(_));
        let connected = self.connected.as_mut();
        let unsent = connected.map_or_else(Vec::new, |now| std::mem::take(&mut now.unsent));
        if !unsent.is_empty() || over {
            self.write()?;
        }
        for message in unsent {
            outbox
                .send(message.encode())
                .map_err(PlayError::Connection)?;
        }
        if over {
            self.destroy_deck()?;
        }
        if let Some(error) = self.trouble_behind() {
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
        self.order(orders)
    }

    /// What failed a check in a try that is void by now, or in a hand that is over.
    fn trouble_behind(&mut self) -> Option<PlayError> {
        let phase = self.set.log.phase();
        let is_behind = match self.hand.trouble.as_ref()? {
            Trouble::Seal(_) => !matches!(phase, Phase::Seal(_) | Phase::Open(_)),
            Trouble::Macs { .. } => self.set.log.game().is_none(),
        };
        let trouble = self.hand.trouble.take_if(|_| is_behind)?;
        Some(match trouble {
            Trouble::Seal(error) => PlayError::Seal(error),
            Trouble::Macs { error, .. } => PlayError::Opening(error),
        })
    }

    /// Whether the engine of this connection has dealt the try in play.
    fn runs_live(&self) -> bool {
        let connected = self.connected.as_ref();
        connected.is_some_and(|connected| connected.run.live)
    }

    /// Asks the player once more what is asked in this step.
    fn ask_again(&mut self) {
        if let Some(connected) = &mut self.connected {
            connected.asked = None;
        }
    }

    /// The try is void, or its hand is over. What failed a check in it is told later.
    fn end_try(&mut self) {
        self.hand = InHand {
            trouble: self.hand.trouble.take(),
            ..InHand::default()
        };
        if let Some(connected) = &mut self.connected {
            connected.run = Run::default();
        }
    }

    /// Destroys the deck, of which no card is to be opened any more.
    fn destroy_deck(&mut self) -> Result<(), PlayError> {
        self.hand.deck = None;
        if std::mem::take(&mut self.kept) {
            self.set.vault.destroy().map_err(PlayError::Vault)?;
        }
        Ok(())
    }

    /// Writes what this side claims of a seat that says nothing, beside the log.
    pub(super) fn claim(&mut self, claim: &Claim) -> Result<(), PlayError> {
        self.write()?;
        Ok(self.set.journal.append_claim(claim)?)
    }

    /// Tells the player something that the seat itself does not know of.
    pub(super) fn report(&mut self, news: News) {
        self.news.push_back(news);
    }

    /// Writes what was heard or said and is not on the disk yet.
    pub(super) fn write(&mut self) -> Result<(), PlayError> {
        self.set.journal.append(&self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Whether a card of the try has been opened.
    fn stands(&self) -> bool {
        let log = &self.set.log;
        log.phase().is_sealed() && !log.may_sign(Seat::HOST).contains(&PartKind::Again)
    }
}
