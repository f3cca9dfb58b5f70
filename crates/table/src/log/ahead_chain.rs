//! The ahead chain: during a hand, the seats shuffle the deck of the next hand, so that between two
//! hands nobody waits for a shuffle.
//!
//! The shuffles are the steps of a chain of their own, and one seat signs each step, in order of the
//! seats. The chain is part of the match only once the deals of all seats name its end: then its
//! deck is the deck of the hand. Otherwise it is dropped, and the shuffles are steps of the hand.
//!
//! Two conflicting statements in one chain convict their seat, because they prove this to anybody.
//! An invalid shuffle only ends the chain: the other seats can have dropped it already, so they
//! could not agree on a conviction. The seat gains nothing, because the hand is shuffled anyway.

use dealerless_connection::hash::Hash;
use dealerless_connection::identity::{Identity, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::foul::{PartFoul, Refused, require};
use super::match_log::{Accepted, CannotSign, MatchLog};
use super::part::Part;
use super::phase::Phase;
use super::players::MatchId;
use super::signed::{Evidence, Signed, SignedPart, Statement, step_hash};
use crate::seat::{Seat, SeatSet};
use dealerless::verifiable::Decks;

/// The head of an ahead chain. It names the chain, and its hash starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    /// The hand that the deck is for.
    pub hand: u32,
    /// The hash of all steps up to the deals of the hand before.
    pub after: [u8; 32],
}

impl Head {
    /// The hash of the head, in the match with the id `of`.
    pub(super) fn hash(&self, of: &MatchId) -> [u8; 32] {
        let hash = Hash::new("ahead").field(of.as_bytes());
        hash.number(self.hand.into()).field(&self.after).finish()
    }
}

/// A seat's shuffle for the next hand, as sent and stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAhead {
    /// The head of the chain.
    pub head: Head,
    /// The shuffle, signed for a step of the chain, counted from 0.
    pub part: SignedPart,
}

impl SignedAhead {
    /// Whether `by` signed this shuffle in the match with the id `of`, after steps of the chain with
    /// the hash `before`.
    #[must_use]
    pub(super) fn is_signed(&self, by: &PublicIdentity, of: &MatchId, before: &[u8; 32]) -> bool {
        self.part.is_signed(by, &self.head.hash(of), before)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u32(self.head.hand).raw(&self.head.after);
        writer.raw(&self.part.encode()).finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        Ok(SignedAhead {
            head: Head {
                hand: reader.u32()?,
                after: reader.array()?,
            },
            part: SignedPart::decode(reader.rest())?,
        })
    }
}

/// The verified shuffles of an ahead chain.
#[derive(Clone)]
pub(super) struct AheadChain {
    pub(super) head: Head,
    /// The seats that shuffle, in order.
    seats: Vec<Seat>,
    /// The shuffles so far, in order of the seats.
    pub(super) statements: Vec<Statement>,
    /// The hash of the head and of all shuffles so far.
    pub(super) hash: [u8; 32],
    /// The decks after the shuffles so far.
    pub(super) deck: Decks,
    /// An invalid shuffle, or one that no chain with these shuffles can contain. It ends the chain.
    broken_by: Option<Statement>,
}

impl AheadChain {
    pub(super) fn new(of: &MatchId, head: Head, seats: Vec<Seat>, deck: Decks) -> Self {
        AheadChain {
            hash: head.hash(of),
            head,
            seats,
            statements: Vec::new(),
            deck,
            broken_by: None,
        }
    }

    /// The current, incomplete step.
    pub(super) fn step(&self) -> u64 {
        self.statements.len() as u64
    }

    /// Whether all seats have shuffled.
    pub(super) fn is_whole(&self) -> bool {
        self.statements.len() == self.seats.len()
    }

    /// Whether no more shuffles can be added to the chain.
    pub(super) fn has_ended(&self) -> bool {
        self.broken_by.is_some() || self.is_whole()
    }

    /// The seat that shuffles in the current step.
    fn next(&self) -> Option<Seat> {
        self.seats.get(self.statements.len()).copied()
    }

    /// All statements of the chain: the shuffles, and the statement that has ended it.
    pub(super) fn all(&self) -> impl Iterator<Item = &Statement> {
        self.statements.iter().chain(&self.broken_by)
    }

    fn add(&mut self, ahead: SignedAhead, deck: Decks) {
        let before = self.hash;
        self.hash = step_hash(
            ahead.part.step,
            &before,
            std::iter::once(&ahead.part),
            SeatSet::default(),
        );
        self.deck = deck;
        let signed = Signed::Ahead(Box::new(ahead));
        self.statements.push(Statement { before, signed });
    }
}

impl MatchLog {
    /// The ahead chain of the next hand, if the log uses one.
    pub(super) fn ahead(&self) -> Option<&AheadChain> {
        self.state().deck.verifiable()?.ahead.as_deref()
    }

    /// The current step of the chain with this head, if the log has not reached `step` of it yet.
    /// This is 0 if the log has not reached the deals before the chain.
    pub(super) fn early_ahead(&self, head: Head, step: u64) -> Option<u64> {
        match self.ahead().filter(|chain| chain.head == head) {
            Some(chain) => Some(chain.step()).filter(|now| step > *now && !chain.has_ended()),
            None => {
                // A chain begins with the deals of a hand, or when a seat is gone in the hand.
                let may_begin = self.game().is_none()
                    || self.match_info().has_roll_calls() && !self.was_dropped(head);
                let is_next = head.hand == self.attempt().hand + 1;
                (is_next && may_begin).then_some(0)
            }
        }
    }

    /// Whether the log used this chain for the next hand until a seat was gone.
    fn was_dropped(&self, head: Head) -> bool {
        let deck = self.state().deck.verifiable();
        deck.is_some_and(|deck| deck.dropped.contains(&head))
    }

    /// The end of the chain that a seat names in its deal: the hash of the whole chain, or zeros.
    pub(crate) fn ahead_end(&self) -> [u8; 32] {
        let whole = self.ahead().filter(|chain| chain.is_whole());
        whole.map_or([0; 32], |chain| chain.hash)
    }

    /// The shuffles of the ahead chain before the deals of a step.
    fn shuffles_before(&self, step: u64) -> impl Iterator<Item = &Statement> {
        let complete = self.steps().complete(step);
        let used = complete.into_iter().flat_map(|step| &step.ahead);
        let deals_now = step == self.step() && self.phase() == Phase::Deal;
        let current = self.ahead().filter(|_| deals_now);
        used.chain(current.into_iter().flat_map(AheadChain::all))
    }

    /// The shuffle of a seat in the ahead chain before the deals of a step.
    pub(super) fn shuffle_before(&self, step: u64, seat: Seat) -> Option<&Statement> {
        let mut shuffles = self.shuffles_before(step);
        shuffles.find(|shuffle| shuffle.signed.seat() == seat)
    }

    /// Whether the deals of a step can come after the ahead chain with this head.
    pub(super) fn deals_after(&self, step: u64, head: Head) -> bool {
        let deals_now = step == self.step() && self.phase() == Phase::Deal;
        let is_current = self.ahead().is_some_and(|chain| chain.head == head);
        let mut shuffles = self.shuffles_before(step);
        deals_now && is_current || shuffles.any(|shuffle| shuffle.signed.head() == Some(head))
    }

    /// The last shuffle of the ahead chain of the next hand.
    pub(crate) fn last_ahead(&self) -> Option<&Statement> {
        self.ahead()?.statements.last()
    }

    /// The seat whose shuffle for the next hand is due. `None` without a chain, or if the chain is
    /// complete or has ended.
    pub(super) fn next_ahead(&self) -> Option<Seat> {
        let chain = self.ahead()?;
        let is_done = chain.has_ended() || self.is_convicted();
        chain.next().filter(|_| !is_done)
    }

    /// The seat whose shuffle has to come before the next deals. The deal of a seat must not depend
    /// on when the shuffles arrive: a seat that is restored from an older file would sign another
    /// deal.
    pub(crate) fn deal_waits_for(&self) -> Option<Seat> {
        self.next_ahead().filter(|_| self.phase() == Phase::Deal)
    }

    /// Whether `seat` can shuffle for the next hand now: it is its turn, and the shuffles of the hand
    /// in play are done.
    pub(crate) fn owes_ahead(&self, seat: Seat) -> bool {
        let is_free = !matches!(self.phase(), Phase::Shuffle(_) | Phase::Over(_));
        is_free && self.next_ahead() == Some(seat)
    }

    /// Signs a seat's shuffle for the next hand, after which the deck is `deck`, and adds it to the
    /// chain. It is not verified again: nobody could use an invalid one. The caller must
    /// [write](super::Journal::append) it before sending it.
    ///
    /// # Errors
    /// [`CannotSign::Ahead`] if the seat owes none.
    pub(crate) fn sign_ahead(
        &mut self,
        identity: &Identity,
        seat: Seat,
        shuffle: Vec<u8>,
        deck: Decks,
    ) -> Result<Statement, CannotSign> {
        let chain = self.ahead().filter(|_| self.owes_ahead(seat));
        let chain = chain.ok_or(CannotSign::Ahead)?;
        let (head, step, before) = (chain.head, chain.step(), chain.hash);
        let bytes = Part::Shuffle(shuffle).encode(self.shape(), 0);
        let of = head.hash(&self.match_info().id());
        let part = SignedPart::sign(identity, &of, step, &before, seat, bytes);
        let ahead = SignedAhead { head, part };
        if let Some(chain) = self.ahead_mut() {
            chain.add(ahead.clone(), deck);
        }
        let signed = Signed::Ahead(Box::new(ahead));
        Ok(Statement { before, signed })
    }

    /// Judges a seat's shuffle in the current step of the chain. Returns the deck after it.
    fn judge_ahead(&self, chain: &AheadChain, seat: Seat, bytes: &[u8]) -> Result<Decks, PartFoul> {
        require(chain.next() == Some(seat), PartFoul::NotItsTurn)?;
        let part = Part::decode(bytes, self.shape()).map_err(|_| PartFoul::Malformed)?;
        let Part::Shuffle(shuffle) = &part else {
            return Err(PartFoul::Kind(part.kind()));
        };
        let is_canonical = part.encode(self.shape(), 0) == bytes;
        require(is_canonical, PartFoul::Malformed)?;
        let deck = self.deck_now(seat).ok_or(PartFoul::NotItsTurn)?;
        let context = deck.ahead_context().ok_or(PartFoul::NotItsTurn)?;
        let shuffled = chain.deck.verify_shuffle(&context, shuffle);
        shuffled.map_err(PartFoul::Shuffle)
    }

    /// Adds a shuffle for the next hand. `before` is the hash of all earlier steps of the chain, if
    /// the statement names it.
    pub(super) fn accept_ahead(
        &mut self,
        ahead: SignedAhead,
        before: Option<[u8; 32]>,
    ) -> Result<Accepted, Refused> {
        let (step, seat, of) = (ahead.part.step, ahead.part.seat, self.match_info().id());
        let player = self.match_info().players().get(seat.index());
        let identity = player.ok_or(Refused::NoSuchSeat(seat))?.identity.clone();
        if let Some(known) = self.known_ahead(&ahead).cloned() {
            let signed = Signed::Ahead(Box::new(ahead));
            let before = before.unwrap_or(known.before);
            return self.accept_again(known, Statement { before, signed });
        }
        let early = self.early_ahead(ahead.head, step);
        let early = early.map(|now| Refused::TooEarly { step, now });
        let current = self.ahead().filter(|chain| chain.head == ahead.head);
        let Some(chain) = current else {
            return Err(early.unwrap_or(Refused::OtherChain(seat)));
        };
        let before = before.unwrap_or(chain.hash);
        if !ahead.is_signed(&identity, &of, &before) {
            return Err(Refused::Signature(seat));
        }
        // After a conviction, deals that name the chain can still arrive.
        if matches!(self.phase(), Phase::Over(_)) && !self.confirms_end() {
            return Err(Refused::Over);
        }
        if chain.has_ended() {
            return Err(Refused::OtherChain(seat));
        }
        if let Some(early) = early {
            return Err(early);
        }
        let judged = match before == chain.hash && step == chain.step() {
            true => (self.judge_ahead(chain, seat, &ahead.part.part))
                .map_err(|foul| Refused::Ahead { seat, foul }),
            false => Err(Refused::OtherHistory { seat, step }),
        };
        let Some(chain) = self.ahead_mut() else {
            return Err(Refused::OtherChain(seat));
        };
        match judged {
            Ok(deck) => {
                chain.add(ahead, deck);
                Ok(Accepted::Ahead)
            }
            Err(refused) => {
                let signed = Signed::Ahead(Box::new(ahead));
                chain.broken_by = Some(Statement { before, signed });
                Err(refused)
            }
        }
    }

    /// The statement of the same seat for the same step of the same chain, if this log has it.
    fn known_ahead(&self, ahead: &SignedAhead) -> Option<&Statement> {
        let current = self.ahead().into_iter().flat_map(AheadChain::all);
        let mut all = current.chain(self.used_ahead());
        let place = (Some(ahead.head), ahead.part.step, ahead.part.seat);
        all.find(|known| {
            let signed = &known.signed;
            (signed.head(), signed.step(), signed.seat()) == place
        })
    }

    /// Judges a statement of a seat whose statement for the same step is known.
    fn accept_again(&self, known: Statement, statement: Statement) -> Result<Accepted, Refused> {
        let (seat, step) = (statement.signed.seat(), statement.signed.step());
        let part = |statement: &Statement| match &statement.signed {
            Signed::Ahead(ahead) => ahead.part.part.clone(),
            _ => Vec::new(),
        };
        if known.before == statement.before && part(&known) == part(&statement) {
            return Ok(Accepted::Known);
        }
        if !statement.is_valid(self.match_info()) {
            return Err(Refused::Signature(seat));
        }
        let evidence = Evidence {
            match_id: self.match_info().id(),
            statements: [known, statement],
        };
        match evidence.holds(self.match_info()) {
            true => Err(Refused::Fork(Box::new(evidence))),
            false => Err(Refused::OtherHistory { seat, step }),
        }
    }
}
