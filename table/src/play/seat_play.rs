//! What one seat does: a state machine over what it hears.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use dealerless::deck::{self, Card, KeptDeck};
use dealerless::shuffle::{Randomness, ShuffleCircuit};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::dealer::{Done, role};
use super::deck::TryDeck;
use super::error::PlayError;
use super::news::{Command, News, NotNow};
use super::vault::Vault;
use crate::hash::Hash;
use crate::identity::Identity;
use crate::log::{
    CardOpening, Journal, MatchLog, Part, PartKind, Phase, Refused, Seal, SignedPart, Storage,
    Taken,
};
use crate::rules::{Choice, Learners, Opening};
use crate::seat::Seat;

/// How many hands a batch of preprocessing holds: enough for the buckets to be small.
const BATCH: u32 = 12;

/// Where the parts go that this seat says.
pub trait Outbox {
    /// Sends a part to the other seats.
    ///
    /// # Errors
    /// When the line is lost.
    fn send(&mut self, part: Vec<u8>) -> io::Result<()>;
}

/// The engine, as a seat sees it. What it has done comes back as [`Event::Done`].
pub trait Orders {
    /// Shuffles with these seeds a deck of this name.
    fn shuffle(&mut self, seeds: Randomness, name: Vec<u8>);
    /// Makes ahead what so many hands take.
    fn prepare(&mut self, hands: u32);
    /// Counts a try that another seat has declared void on this line: as an attempt of the peer
    /// that did not end well.
    ///
    /// # Errors
    /// If it cannot be counted, or there were too many.
    fn voided(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a seat hears.
pub enum Event {
    /// Another seat has said something: an encoded [`SignedPart`].
    Said(Vec<u8>),
    /// The engine has done something.
    Done(Done),
}

/// What a seat plays with.
pub struct Setting<S, V, R> {
    /// Its keys.
    pub identity: Arc<Identity>,
    /// Where it sits.
    pub seat: Seat,
    /// The match.
    pub log: MatchLog,
    /// The file of the match.
    pub journal: Journal<S>,
    /// The place of the deck.
    pub vault: V,
    /// The circuit of the match.
    pub circuit: Arc<ShuffleCircuit>,
    /// The operating system's generator.
    pub rng: R,
}

/// One seat of a match.
pub struct Play<S, V, R> {
    set: Setting<S, V, R>,
    /// What was heard or said and is not on the disk yet.
    unwritten: Vec<SignedPart>,
    /// What was said and is not sent yet.
    unsent: Vec<SignedPart>,
    hand: InHand,
    /// Shuffles that were ordered for tries that are void by now, and are not done yet.
    stale: usize,
    /// Tries that other seats have declared void, and that were not counted yet.
    voided: u32,
    /// There is a deck in the vault.
    kept: bool,
    /// Why there are no more shuffles.
    failed: Option<deck::Error>,
    /// For how many hands preprocessing is left, once the hand in play has its own.
    pooled: u32,
    choice: Option<Choice>,
    rebuy: Option<bool>,
    leaving: bool,
    /// The step for which the player was asked.
    asked: Option<u64>,
    news: VecDeque<News>,
}

/// What a seat holds in a try of a hand, and nowhere else.
#[derive(Default)]
struct InHand {
    /// The seeds that it has committed itself to.
    seeds: Option<Randomness>,
    /// The engine has its order.
    ordered: bool,
    deck: Option<TryDeck>,
    /// The batch behind this hand has been ordered.
    prepared: bool,
    trouble: Option<Trouble>,
    known: Vec<Option<Card>>,
}

/// What only this seat can see.
enum Trouble {
    /// Another seat's seal fails a check. Nobody has seen a card.
    Seal(deck::Error),
    /// The MACs of what was opened in this step do not fit.
    Macs(u64),
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// A seat of a match in which nothing was said.
    pub fn new(set: Setting<S, V, R>) -> Self {
        Play {
            set,
            unwritten: Vec::new(),
            unsent: Vec::new(),
            hand: InHand::default(),
            stale: 0,
            voided: 0,
            kept: false,
            failed: None,
            pooled: 0,
            choice: None,
            rebuy: None,
            leaving: false,
            asked: None,
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

    /// The card at this position, if this seat has seen it in the hand in play.
    pub fn card(&self, position: usize) -> Option<Card> {
        let own = self.hand.known.get(position).copied().flatten();
        own.or_else(|| self.set.log.public_card(position))
    }

    /// What the player is to know next.
    pub fn news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Takes in what was heard. [`go_on`](Self::go_on) then says what is due.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    pub fn hear(&mut self, event: Event) -> Result<(), PlayError> {
        match event {
            Event::Said(bytes) => self.take(&bytes),
            Event::Done(Done::Prepared) => Ok(()),
            Event::Done(Done::Shuffled(deck)) => self.keep(*deck),
            Event::Done(Done::Failed(error)) => {
                // A deck that is sealed needs no engine any more.
                self.failed = Some(error);
                Ok(())
            }
        }
    }

    /// Takes in what the player says. [`go_on`](Self::go_on) then says what is due.
    ///
    /// # Errors
    /// [`NotNow`]; nothing has changed then.
    pub fn command(&mut self, command: Command) -> Result<(), NotNow> {
        match command {
            Command::Choose(choice) => {
                let game = match self.set.log.phase() {
                    Phase::Choose { seat, .. } if seat == self.set.seat => self.set.log.game(),
                    _ => None,
                };
                let mut after = game.ok_or(NotNow::NotYourTurn)?.clone();
                after.choose(self.set.seat, &choice).map_err(NotNow::Foul)?;
                self.choice = Some(choice);
            }
            Command::Rebuy(agreed) => {
                if self.set.log.phase() != Phase::Deal || self.broke().is_empty() {
                    return Err(NotNow::NobodyAsked);
                }
                self.rebuy = Some(agreed);
            }
            Command::Leave => self.leaving = true,
        }
        Ok(())
    }

    /// Says all that this seat has to say now, and orders what the engine is to do. What is said is
    /// on the disk, behind all that was heard before, when it is sent.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    pub fn go_on(
        &mut self,
        outbox: &mut impl Outbox,
        orders: &mut impl Orders,
    ) -> Result<(), PlayError> {
        while self.voided > 0 {
            orders.voided().map_err(PlayError::Uncounted)?;
            self.voided -= 1;
        }
        while let Some(part) = self.next_part()? {
            let before = self.set.log.phase();
            let signed = (self.set.log).say(&self.set.identity, self.set.seat, &part)?;
            let step = signed.step;
            self.unwritten.push(signed.clone());
            self.unsent.push(signed);
            self.added(self.set.seat, step, &part, before)?;
        }
        // What ended the match belongs into the file, also if nothing is to be said any more.
        let over = matches!(self.set.log.phase(), Phase::Over(_));
        if !self.unsent.is_empty() || over {
            self.write()?;
        }
        for part in self.unsent.drain(..) {
            outbox.send(part.encode()).map_err(PlayError::Line)?;
        }
        if over {
            self.destroy_deck()?;
        }
        if let Some(Trouble::Seal(_)) = self.hand.trouble
            && !matches!(self.set.log.phase(), Phase::Seal(_) | Phase::Open(_))
            && let Some(Trouble::Seal(error)) = self.hand.trouble.take()
        {
            // It has been said that the try is void.
            return Err(PlayError::Seal(error));
        }
        if self.needs_engine()
            && let Some(error) = self.failed.take()
        {
            return Err(PlayError::Engine(error));
        }
        self.order(orders)
    }

    /// Whether the match cannot go on without another shuffle.
    fn needs_engine(&self) -> bool {
        match self.set.log.phase() {
            Phase::Deal => true,
            Phase::Seal(_) => self.hand.deck.is_none(),
            _ => false,
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

    fn write(&mut self) -> Result<(), PlayError> {
        self.set.journal.append(&self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Orders the shuffle of a try that all seats have begun, and the batch behind a hand that
    /// stands.
    fn order(&mut self, orders: &mut impl Orders) -> Result<(), PlayError> {
        if self.set.log.phase() == Phase::Seal(Seat::HOST)
            && !self.hand.ordered
            && let Some(seeds) = self.hand.seeds.take()
        {
            // The deals of all seats are on the disk before the engine runs.
            self.write()?;
            self.hand.ordered = true;
            orders.shuffle(seeds, deck_name(&self.set.log));
            self.pooled = self.pooled.saturating_sub(1);
        }
        let batch = self.set.log.batch();
        if batch > 0 && self.stands() && !self.hand.prepared {
            self.hand.prepared = true;
            orders.prepare(batch);
            self.pooled += batch;
        }
        Ok(())
    }

    /// Whether a card of the try has been opened.
    fn stands(&self) -> bool {
        let log = &self.set.log;
        log.phase().stands() && !log.may_say(Seat::HOST).contains(&PartKind::Again)
    }

    /// What this seat is to say now, if anything.
    fn next_part(&mut self) -> Result<Option<Part>, PlayError> {
        let may = self.set.log.may_say(self.set.seat);
        if may.is_empty() {
            return Ok(None);
        }
        match self.hand.trouble {
            // Once that is said, the user is asked before there is another deal.
            Some(Trouble::Seal(_)) => {
                return Ok(may.contains(&PartKind::Again).then_some(Part::Again));
            }
            // Not in the same step, which the other may have been the first to speak in.
            Some(Trouble::Macs(step))
                if step < self.set.log.step() && may.contains(&PartKind::Dispute) =>
            {
                return Ok(Some(Part::Dispute { step }));
            }
            _ if self.leaving => return Ok(Some(Part::Leave)),
            _ => {}
        }
        match self.set.log.phase() {
            // No more can be shuffled.
            Phase::Deal if self.failed.is_some() => Ok(None),
            Phase::Deal => Ok(self.deal()),
            Phase::Seal(_) => self.seal(),
            Phase::Open(openings) => self.open(&openings).map(Some),
            Phase::Choose { legal, .. } => {
                let choice = self.choice.take();
                if choice.is_none() {
                    self.ask(News::YourTurn { legal });
                }
                Ok(choice.map(Part::Move))
            }
            Phase::Result(outcome) => Ok(Some(Part::Result(outcome.stacks))),
            Phase::Over(_) => Ok(None),
        }
    }

    /// Asks the player, once in each step.
    fn ask(&mut self, question: News) {
        let step = self.set.log.step();
        if self.asked != Some(step) {
            self.asked = Some(step);
            self.news.push_back(question);
        }
    }

    fn broke(&self) -> Vec<Seat> {
        if self.set.log.of().header().stakes.betting().is_none() {
            return Vec::new();
        }
        let stacks = self.set.log.stacks();
        let seats = Seat::all(stacks.len());
        seats.filter(|seat| stacks[seat.index()] == 0).collect()
    }

    fn deal(&mut self) -> Option<Part> {
        let broke = self.broke();
        if !broke.is_empty() && self.rebuy.is_none() {
            self.ask(News::AskRebuy { broke });
            return None;
        }
        let rebuy = self.rebuy.take().unwrap_or(false);
        let seats = Seat::all(self.set.log.of().seats());
        let rebuys = seats.map(|seat| rebuy && broke.contains(&seat)).collect();
        let seeds = self
            .set
            .circuit
            .sample(role(self.set.seat), &mut self.set.rng);
        let mut nonce = Zeroizing::new([0; 32]);
        self.set.rng.fill_bytes(&mut *nonce);
        let attempt = self.set.log.attempt();
        let input = attempt.input_commitment(self.set.seat, seeds.bits(), &nonce);
        self.hand.seeds = Some(seeds);
        let batch = self.batch();
        Some(Part::Deal(self.set.log.deal(input, rebuys, batch)))
    }

    /// How many hands the batch behind this hand holds. All seats come to the same number.
    fn batch(&self) -> u32 {
        let hands = self.set.log.of().header().stakes.hands();
        let left = hands.saturating_sub(self.set.log.attempt().hand);
        let pooled = self.pooled.saturating_sub(1);
        match pooled {
            0 | 1 => BATCH.min(left.saturating_sub(pooled)),
            _ => 0,
        }
    }

    fn seal(&mut self) -> Result<Option<Part>, PlayError> {
        // The engine is not done yet, or this seat has no deck and says so elsewhere.
        let Some(deck) = &self.hand.deck else {
            return Ok(None);
        };
        deck.seal()
            .map(Part::Seal)
            .map(Some)
            .map_err(PlayError::Engine)
    }

    fn open(&mut self, openings: &[Opening]) -> Result<Part, PlayError> {
        let Some(deck) = &self.hand.deck else {
            return Ok(Part::Forfeit);
        };
        let due = openings
            .iter()
            .filter(|opening| opening.opener == self.set.seat);
        let cards = due.flat_map(|opening| &opening.cards);
        let shares = cards.map(|&(position, _)| deck.open(position));
        let shares: deck::Result<Vec<CardOpening>> = shares.collect();
        shares.map(Part::Open).map_err(PlayError::Engine)
    }

    /// The engine has shuffled.
    fn keep(&mut self, kept: KeptDeck) -> Result<(), PlayError> {
        // The engine does what it is told in that order, and so it is told what it has done.
        if self.stale > 0 {
            self.stale -= 1;
            return Ok(());
        }
        if matches!(self.set.log.phase(), Phase::Over(_)) {
            return Ok(());
        }
        let mut secret = Zeroizing::new([0; 32]);
        self.set.rng.fill_bytes(&mut *secret);
        let deck = TryDeck::new(self.set.log.attempt(), self.set.seat, kept, secret);
        // Before the seal is said.
        self.set
            .vault
            .keep(&deck.to_bytes())
            .map_err(PlayError::Vault)?;
        self.kept = true;
        self.hand.deck = Some(deck);
        // The host's seal may have been faster.
        if let Some(seal) = self.set.log.seals().first().cloned() {
            self.check_seal(&seal)?;
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), PlayError> {
        let signed = SignedPart::decode(bytes).map_err(|_| PlayError::NoPart)?;
        let seat = signed.seat;
        let before = self.set.log.phase();
        match self.set.log.take(signed.clone()) {
            Ok(Taken::Known) => Ok(()),
            Ok(Taken::New(part)) => {
                let step = signed.step;
                self.unwritten.push(signed);
                self.added(seat, step, &part, before)
            }
            Err(Refused::Foul(proof)) => {
                self.unwritten.push(proof.part.clone());
                self.set.log.close(*proof);
                self.write()?;
                self.over();
                Ok(())
            }
            Err(Refused::Fork(evidence)) => {
                self.write()?;
                self.set.journal.append_evidence(&evidence)?;
                // It was made of this log's own part.
                let _ = self.set.log.convict(*evidence);
                self.over();
                Ok(())
            }
            Err(refused) => Err(PlayError::Refused(refused)),
        }
    }

    /// A part has been added to a step of the log that was in the phase `before`.
    fn added(
        &mut self,
        seat: Seat,
        step: u64,
        part: &Part,
        before: Phase,
    ) -> Result<(), PlayError> {
        let theirs = seat != self.set.seat;
        let complete = self.set.log.phase() != before;
        match (part, before) {
            // Where too few have chips nothing is dealt.
            (Part::Deal(_), _) if complete && self.set.log.game().is_some() => self.dealt(),
            (Part::Seal(seal), _) => {
                if theirs {
                    self.check_seal(seal)?;
                }
                if self.set.log.phase().stands() {
                    self.news.push_back(News::Sealed);
                }
            }
            (Part::Again, _) => {
                // What is wrong with a seal is told once all have heard that the try is void.
                let trouble = self.hand.trouble.take();
                self.voided += u32::from(theirs);
                self.stale += usize::from(self.hand.ordered && self.hand.deck.is_none());
                self.hand = InHand {
                    trouble,
                    ..InHand::default()
                };
                self.news.push_back(News::Again { seat });
            }
            (Part::Open(cards), Phase::Open(openings)) if theirs => {
                self.learn(cards, &openings, (step, seat))?;
            }
            (Part::Move(choice), _) => {
                let choice = choice.clone();
                self.news.push_back(News::Chose { seat, choice });
            }
            (Part::Result(_), Phase::Result(outcome)) if complete => {
                let hand = self.set.log.attempt().hand - 1;
                // What was said of its cards is not to be taken back after a crash.
                self.write()?;
                self.destroy_deck()?;
                self.hand = InHand::default();
                self.set.log.forget_older_hands();
                self.news.push_back(News::HandOver { hand, outcome });
            }
            _ => {}
        }
        if let Some(stop) = part.stop() {
            self.news.push_back(News::Stopped { seat, stop });
        }
        self.over();
        Ok(())
    }

    fn dealt(&mut self) {
        let attempt = self.set.log.attempt();
        let (_, drawn) = self.set.log.of().header().stakes.deck();
        self.hand.known = vec![None; drawn];
        self.news.push_back(News::Dealt {
            hand: attempt.hand,
            attempt: attempt.attempt,
        });
    }

    /// Tells once that the match is over.
    fn over(&mut self) {
        if let Phase::Over(end) = self.set.log.phase()
            && !self.news.iter().any(|news| matches!(news, News::Over(_)))
        {
            self.news.push_back(News::Over(end));
        }
    }

    /// Checks what another seat has sealed: the masked values, and that its seeds are in range.
    fn check_seal(&mut self, seal: &Seal) -> Result<(), PlayError> {
        let Some(deck) = &mut self.hand.deck else {
            return Ok(());
        };
        let own = deck.masked().map_err(PlayError::Engine)?;
        let checked = match &seal.masked {
            Some(masked) if *masked != own => Err(deck::Error::Check(deck::Check::KeptMacs)),
            _ => deck.take_seal(seal),
        };
        if let Err(error) = checked {
            self.hand.trouble = Some(Trouble::Seal(error));
        }
        Ok(())
    }

    /// Learns what another seat has opened to this one. A share that opens its commitment but whose
    /// MACs do not fit is no proof for others: this seat disputes it.
    fn learn(
        &mut self,
        cards: &[CardOpening],
        openings: &[Opening],
        (step, opener): (u64, Seat),
    ) -> Result<(), PlayError> {
        let due = openings.iter().filter(|opening| opening.opener == opener);
        let learners = due.flat_map(|opening| &opening.cards);
        for (card, &(position, learners)) in cards.iter().zip(learners) {
            let mine =
                matches!(learners, Learners::All) || learners == Learners::Seat(self.set.seat);
            let Some(deck) = self.hand.deck.as_mut().filter(|_| mine) else {
                continue;
            };
            match deck.learn(card) {
                Ok(card) => {
                    self.hand.known[position] = Some(card);
                    self.news.push_back(News::Card { position, card });
                }
                Err(deck::Error::Check(_)) => {
                    self.hand.trouble = Some(Trouble::Macs(step));
                }
                Err(error) => return Err(PlayError::Engine(error)),
            }
        }
        Ok(())
    }
}

/// What the engines of both sides call the deck of the try that all seats have begun. It takes in
/// all that was said before.
pub fn deck_name(log: &MatchLog) -> Vec<u8> {
    let attempt = log.attempt();
    let hash = Hash::new("deck").field(&attempt.of).field(&log.hash());
    let numbers = [attempt.hand, attempt.attempt].map(u64::from);
    let hash = numbers.into_iter().fold(hash, Hash::number);
    hash.finish().to_vec()
}
