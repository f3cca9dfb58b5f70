//! A seat's side of a sealed deck: its shares of the cards, its dice, and the state of its engine.

mod ordering;
mod signing;
mod stealing;

use std::collections::VecDeque;
use std::sync::Arc;

use dealerless::deck;
use dealerless::shuffle::Randomness;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

pub use self::ordering::deck_name;
use self::stealing::steal_name;
use super::super::cost::{DealCost, Prepared, Spent};
use super::super::deal_circuit::DealCircuit;
use super::super::deck::Shuffled;
use super::super::error::PlayError;
use super::super::hand_cards::HandCards;
use super::super::orders::{Done, Order, Orders};
use super::super::own_dice::{self, OwnDice};
use super::SealedSetting;
use super::own_deck::Stored;
use super::own_seat::OwnSeat;
use crate::log::{CardOpening, Inputs, LogEvent, MatchLog, Part, Phase, Seal};
use crate::rules::Learners;
use crate::seat::Seat;

pub(super) struct SealedSide<S, V> {
    inputs: Inputs<S>,
    circuit: Arc<DealCircuit>,
    /// Storage for the cards and the dice of the hand in play.
    stored: Stored<V>,
    /// The state of the engine on the connection.
    connected: Option<Connected>,
    hand: TryState,
    /// The numbers of the hand and the try whose engine run was lost with its connection.
    lost_engine_run: Option<(u32, u32)>,
    /// The number of tries that other seats have declared void and that were not counted yet.
    uncounted_voids: u32,
    /// The preprocessing since the cost of a deal was last reported.
    prepared: Prepared,
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

/// What the seat has for a try of a hand.
#[derive(Default)]
struct TryState {
    deck: Option<HandCards>,
    /// The cost of the shuffle, if this program has shuffled the deck and not reported the cost.
    shuffle: Option<Spent>,
    /// The dice of the last roll that the seat has committed to.
    dice: Option<OwnDice>,
    failed_check: Option<FailedCheck>,
}

/// A failed check that only this seat can see.
enum FailedCheck {
    /// Another seat's seal failed the check. Nobody has seen a card.
    Seal(deck::Error),
    /// The MACs of the cards opened in this step are invalid.
    Macs { step: u64, error: deck::Error },
}

impl<S: Storage, V: Vault> SealedSide<S, V> {
    pub(super) fn new(setting: SealedSetting<S, V>) -> Self {
        SealedSide {
            inputs: setting.inputs,
            circuit: setting.circuit,
            stored: Stored::new(setting.vault),
            connected: None,
            hand: TryState::default(),
            lost_engine_run: None,
            uncounted_voids: 0,
            prepared: Prepared::default(),
        }
    }

    pub(super) fn connect(&mut self) {
        self.connected = Some(Connected::default());
    }

    pub(super) fn lose_connection(&mut self) {
        self.connected = None;
    }

    /// Processes a result of the engine.
    pub(super) fn receive<R: CryptoRng>(
        &mut self,
        done: Done,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        match done {
            Done::Prepared(prepared) => self.prepared.add(prepared),
            Done::Shuffled { deck, spent } => self.keep_deck(deck, spent, own)?,
            Done::Reshuffled { step, hand } => self.keep_reshuffled(step, hand, own)?,
            Done::Failed(error) => {
                // The hand in play can continue without the engine once its deck is sealed.
                if let Some(connected) = &mut self.connected {
                    connected.failed = Some(error);
                }
            }
        }
        Ok(())
    }

    /// Stores the deck that the engine has shuffled.
    fn keep_deck<R: CryptoRng>(
        &mut self,
        shuffled: Box<dyn Shuffled>,
        spent: Spent,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        // The results come in the sequence of the orders, so the shuffles of void tries come first.
        let Some(connected) = &mut self.connected else {
            return Ok(());
        };
        if connected.stale > 0 {
            connected.stale -= 1;
            return Ok(());
        }
        if matches!(own.log.phase(), Phase::Over(_)) {
            return Ok(());
        }
        connected.run.live = true;
        let mut secret = Zeroizing::new([0; 32]);
        own.rng.fill_bytes(&mut *secret);
        let deck = shuffled.seated(own.log.attempt(), None, own.seat, secret);
        let deck = HandCards::new(deck);
        // The deck is stored before the seal is signed.
        self.keep_hand(&deck.to_bytes(), None)?;
        self.hand.deck = Some(deck);
        self.hand.shuffle = Some(spent);
        // The host's seal may have arrived before.
        if let Some(seal) = own.log.seals().first() {
            self.check_seal(seal);
        }
        Ok(())
    }

    /// Stores the deck and the dice of the hand in play.
    fn keep_hand(&mut self, deck: &[u8], dice: Option<&OwnDice>) -> Result<(), PlayError> {
        self.stored.keep(&own_dice::to_bytes(deck, dice))
    }

    /// Processes an event of this step.
    pub(super) fn handle_event<R>(
        &mut self,
        step: u64,
        event: &LogEvent,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        match event {
            LogEvent::Sealed { .. } => self.report_sealed(own),
            LogEvent::Void { seat } => {
                self.uncounted_voids += u32::from(*seat != own.seat);
                if let Some(connected) = &mut self.connected {
                    let runs = connected.run.ordered && self.hand.deck.is_none();
                    connected.stale += usize::from(runs);
                }
                // A failed seal is reported once the peer was told that the try is void.
                self.end_try();
            }
            LogEvent::NotStolen { seat } => {
                // The choice was made one or two steps before. If the engines reshuffled for this
                // choice, their run counts as an attempt of the peer.
                let ran = |choice| step <= choice + 2;
                let reshuffled = self.connected.as_ref().and_then(|now| now.run.reshuffled);
                let counts = *seat != own.seat && reshuffled.is_some_and(ran);
                self.uncounted_voids += u32::from(counts);
                self.finish_steal(&own.log);
            }
            LogEvent::Reshuffled { .. } => self.finish_steal(&own.log),
            LogEvent::HandOver { .. } => {
                // If an old state was restored, the vault may hold the deck of a later hand.
                if self.hand.deck.is_some() {
                    self.destroy()?;
                }
                // A failed check is reported once all seats have signed the result.
                self.end_try();
            }
            _ => {}
        }
        Ok(())
    }

    /// Resets the state of a try that is void or whose hand is over. Keeps a failed check, which is
    /// reported later.
    fn end_try(&mut self) {
        self.hand = TryState {
            failed_check: self.hand.failed_check.take(),
            ..TryState::default()
        };
        if let Some(connected) = &mut self.connected {
            connected.run = Run::default();
        }
    }

    pub(super) fn destroy(&mut self) -> Result<(), PlayError> {
        self.hand.deck = None;
        self.stored.destroy()
    }

    /// Starts the engine, if it `starts` now, and counts the tries that other seats have declared void.
    pub(super) fn start_engine(
        &mut self,
        own: Seat,
        starts: bool,
        orders: &mut impl Orders,
    ) -> Result<(), PlayError> {
        if starts {
            let started = orders.start(own, &self.circuit);
            started.map_err(PlayError::Connection)?;
        }
        while self.uncounted_voids > 0 && self.connected.is_some() {
            orders.voided().map_err(PlayError::Uncounted)?;
            self.uncounted_voids -= 1;
        }
        Ok(())
    }

    fn report_sealed<R>(&mut self, own: &mut OwnSeat<S, R>) {
        own.report_sealed(|| {
            self.hand.shuffle.take().map(|shuffle| DealCost {
                shuffle,
                prepared: std::mem::take(&mut self.prepared),
                ands: self.circuit.joint_ands(),
            })
        });
    }

    /// Reacts to a part of another seat that was added to the log, which was in the phase `before`.
    pub(super) fn receive_part<R>(
        &mut self,
        seat: Seat,
        step: u64,
        part: &Part,
        before: &Phase,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        match (part, before) {
            (Part::Seal(seal), _) => self.check_seal(seal),
            (Part::Open(cards), Phase::Open(openings)) => {
                let due = openings.iter().filter(|opening| opening.opener == seat);
                let learners = due.flat_map(|opening| &opening.cards);
                for (card, (_, learners)) in cards.iter().zip(learners) {
                    self.learn(step, card, *learners, own)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks another seat's seal: its masked values, and that its seeds are in range.
    fn check_seal(&mut self, seal: &Seal) {
        let checked = self.hand.deck.as_mut().map(|deck| deck.check(seal));
        if let Some(Err(error)) = checked {
            self.hand.failed_check = Some(FailedCheck::Seal(error));
        }
    }

    /// Learns a card that another seat has opened to these learners. A share that matches its
    /// commitment but has invalid MACs proves nothing to others, so this seat disputes it.
    fn learn<R>(
        &mut self,
        step: u64,
        card: &CardOpening,
        learners: Learners,
        own: &mut OwnSeat<S, R>,
    ) -> Result<(), PlayError> {
        let to_this_seat = [Learners::All, Learners::Seat(own.seat)].contains(&learners);
        let Some(deck) = self.hand.deck.as_mut().filter(|_| to_this_seat) else {
            return Ok(());
        };
        match deck.learn(&own.log, card) {
            Ok(face) => {
                own.note(card.position.into(), face, learners);
                own.learn(card.position.into(), face);
            }
            // Only the first such step counts.
            Err(error @ deck::Error::Check(_)) => {
                let failed = FailedCheck::Macs { step, error };
                self.hand.failed_check.get_or_insert(failed);
            }
            Err(error) => return Err(PlayError::Engine(error)),
        }
        Ok(())
    }

    /// Takes the error of a failed check, once its try is void or its hand is over.
    pub(super) fn reportable_failure(&mut self, log: &MatchLog) -> Option<PlayError> {
        let is_reportable = match self.hand.failed_check.as_ref()? {
            FailedCheck::Seal(_) => !matches!(log.phase(), Phase::Seal(_) | Phase::Open(_)),
            FailedCheck::Macs { .. } => log.game().is_none(),
        };
        let failed = self.hand.failed_check.take_if(|_| is_reportable)?;
        Some(match failed {
            FailedCheck::Seal(error) => PlayError::Seal(error),
            FailedCheck::Macs { error, .. } => PlayError::Opening(error),
        })
    }

    /// Restores the deck of the try in play, if the vault has this deck. Then checks the seals of
    /// the other seats, and learns the cards that they have opened.
    pub(super) fn restore<R>(&mut self, own: &mut OwnSeat<S, R>) -> Result<(), PlayError> {
        let kept = self.stored.read()?;
        let log = &own.log;
        let (None, Some(name), Some(kept)) = (&self.hand.deck, deck_name(log), kept) else {
            return Ok(());
        };
        let read = own_dice::from_bytes(&kept).and_then(|(cards, dice)| {
            let hand_name = |step| steal_name(log, step);
            let cards = HandCards::from_bytes(cards, (log.attempt(), own.seat), &name, hand_name)?;
            cards.has_all(log).then_some((cards, dice))
        });
        match read {
            Some((deck, dice)) => {
                self.hand.deck = Some(deck);
                self.hand.dice = dice;
            }
            // The user may have another copy of the file. Once connected, the seat has to continue
            // without the deck.
            None if log.phase().is_sealed() && self.connected.is_none() => {
                return Err(PlayError::Deck);
            }
            // The deck belongs to an earlier try.
            None => return Ok(()),
        }
        for (other, seal) in Seat::all(log.seals().len()).zip(log.seals()) {
            if other != own.seat {
                self.check_seal(seal);
            }
        }
        self.report_sealed(own);
        let mut opened = own.log.opened();
        opened.retain(|opened| opened.opener != own.seat);
        for opened in opened {
            for (card, learners) in &opened.cards {
                self.learn(opened.step, card, *learners, own)?;
            }
        }
        Ok(())
    }

    /// Completes the resumption on a new connection: destroys the deck of a hand that is over, and
    /// finds out whether the engine run of the try was lost.
    pub(super) fn resume(&mut self, log: &MatchLog) -> Result<(), PlayError> {
        if log.game().is_none() {
            self.destroy()?;
        }
        let lacks_deck = matches!(log.phase(), Phase::Seal(_)) && self.hand.deck.is_none();
        if log.lost_engine_run() || lacks_deck {
            self.lost_engine_run = Some((log.attempt().hand, log.attempt().attempt));
        }
        Ok(())
    }

    /// Whether the engine run of this try was lost with its connection. This seat declares such a
    /// try void instead of sealing it.
    fn has_lost_engine_run(&self, log: &MatchLog) -> bool {
        self.lost_engine_run == Some((log.attempt().hand, log.attempt().attempt))
    }

    /// Whether the engine of this connection has shuffled the deck of the try in play. Otherwise the
    /// cards of this deck can only be opened.
    pub(super) fn runs_live(&self) -> bool {
        let connected = self.connected.as_ref();
        connected.is_some_and(|connected| connected.run.live)
    }
}
