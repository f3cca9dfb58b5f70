//! The state of a match after its complete steps, and how the next complete step changes it.

use dealerless_connection::hash::Hash;

use super::ahead_chain::Head;
use super::deal::{Deal, DealInput};
use super::deck_log::{Attempt, Completed, DeckLog, VerifiableLog};
use super::foul::PartFoul;
use super::header::DeckTerms;
use super::part::{AfterHand, Part};
use super::phase::{End, Phase};
use super::players::{Match, MatchId};
use super::shape::Shape;
use crate::rules::{BadCards, BadFaces, Blinds, Hand, Learners, Next, Outcome, SettledBy, Stakes};
use crate::seat::{Seat, SeatSet};

/// The state of a match after its complete steps. It depends only on the header and the parts.
#[derive(Clone, Debug)]
pub(super) struct State {
    match_id: MatchId,
    pub(super) shape: Shape,
    pub(super) stakes: Stakes,
    pub(super) stakes_digest: [u8; 32],
    pub(super) phase: Phase,
    /// The number of the hand that is played now or dealt next, counted from 1.
    pub(super) hand: u32,
    pub(super) deck: DeckLog,
    /// The chips of each seat after the last result.
    pub(super) stacks: Vec<u64>,
    /// The chips that the player at each seat has bought this evening. With a verifiable deck they are the
    /// same during the whole match.
    bought: Vec<u64>,
    /// The blinds after the last hand with a result.
    blinds: Blinds,
    /// The try in play. `None` before all seats have dealt it.
    pub(super) dealt: Option<Dealt>,
    /// The seats that sat out in the last hand that was dealt.
    pub(super) sat_out: Vec<Seat>,
    /// The seats that have left after the last hand.
    left: Vec<Seat>,
    /// The chips that each seat has bought after the last hand, for the next match.
    buys: Vec<u64>,
    /// What seats have signed in earlier steps of this phase, which roll calls have ended.
    signed: Signed,
    /// The cards that were opened in the last step. Only with a verifiable deck.
    pub(super) opened: Vec<(usize, Learners)>,
}

/// The parts of steps that roll calls have ended before all seats had signed.
#[derive(Clone, Debug, Default)]
struct Signed {
    deals: Vec<(Seat, Deal)>,
    /// The seats that were gone when the seats began to deal the hand, if a seat is gone since.
    gone_before: Option<Vec<Seat>>,
    /// The seats that have signed the result, what each does next, and the chips that it buys.
    results: Vec<(Seat, AfterHand, u64)>,
}

/// A try of a hand that all seats have dealt.
#[derive(Clone, Debug)]
pub(super) struct Dealt {
    /// The first step after the deals.
    pub(super) since: u64,
    /// The chips of each seat before any bet, including the rebuys.
    pub(super) stacks: Vec<u64>,
    pub(super) game: Hand,
    /// The blinds after the hand.
    blinds: Blinds,
}

/// A state, as far as the chips of a hand that cannot go on depend on it.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// The chips if the hand in play does not count.
    stacks: Vec<u64>,
    pub(super) bought: Vec<u64>,
    pub(super) blinds: Blinds,
    game: Option<Hand>,
    /// Whether the deck is final.
    is_final: bool,
    /// The seats that have left in a hand, or were removed.
    pub(super) gone: Vec<Seat>,
    /// The seats that have left after the last hand.
    pub(super) left: Vec<Seat>,
    /// The chips that each seat has bought after the last hand, for the next match.
    pub(super) buys: Vec<u64>,
}

impl Standing {
    /// The chips if the hand in play ends without these seats, which are absent or have left, and the
    /// rule that decides them.
    pub(super) fn settled_without(&self, missing: &[Seat]) -> (Option<SettledBy>, Vec<u64>) {
        match &self.game {
            Some(game) => {
                let (rule, stacks) = game.settlement(&[], missing, self.is_final);
                (Some(rule), stacks)
            }
            None => (None, self.stacks.clone()),
        }
    }

    /// The chips if the hand in play ends because these seats are convicted.
    pub(super) fn settled(&self, convicted: &[Seat]) -> Vec<u64> {
        match &self.game {
            Some(game) => game.settled(convicted, &self.gone, self.is_final),
            None => self.stacks.clone(),
        }
    }
}

impl State {
    pub(super) fn new(of: &Match) -> Self {
        let header = of.header();
        let stakes = header.stakes.clone();
        let shape = header.shape();
        State {
            match_id: of.id(),
            shape,
            stakes_digest: Hash::new("stakes").field(&stakes.encode()).finish(),
            phase: match header.deck {
                DeckTerms::Sealed(_) => Phase::Deal,
                DeckTerms::Verifiable(_) => Phase::Keys,
            },
            hand: 1,
            deck: DeckLog::new(of),
            stacks: of.first_stacks(),
            bought: of.first_bought(),
            blinds: (header.past().and_then(|past| past.blinds_in(of)))
                .unwrap_or_else(|| Blinds::first(&stakes)),
            dealt: None,
            sat_out: Vec::new(),
            left: Vec::new(),
            buys: vec![0; of.seats()],
            signed: Signed::default(),
            opened: Vec::new(),
            stakes,
        }
    }

    /// The seats that sign in the current step.
    pub(super) fn signers(&self) -> Vec<Seat> {
        let mut signers = self.phase.signers(self.shape.seats);
        signers.retain(|seat| self.deck.is_live(*seat) && !self.has_signed(*seat));
        signers
    }

    /// Whether a seat has signed its part of this phase in an earlier step.
    fn has_signed(&self, seat: Seat) -> bool {
        match self.phase {
            Phase::Deal => self.signed.deals.iter().any(|(other, _)| *other == seat),
            Phase::Result(_) => self.signed.results.iter().any(|(other, ..)| *other == seat),
            _ => false,
        }
    }

    /// Whether a roll call has ended a step of the deals. The shuffles made ahead are void then.
    pub(super) fn deals_again(&self) -> bool {
        self.signed.gone_before.is_some()
    }

    /// Whether a seat that leaves ends the match. Otherwise the other seats play the hand to its
    /// end.
    pub(super) fn leaving_ends(&self) -> bool {
        self.shape.verifiable.is_none() || self.shape.seats == 2
    }

    /// The try that is dealt or played now.
    pub(super) fn attempt(&self) -> Attempt {
        Attempt {
            match_id: self.match_id,
            hand: self.hand,
            attempt: self.deck.attempt(),
        }
    }

    /// The chips at the start of the next hand, if the seats whose entry in `rebuys` is true buy in
    /// again.
    pub(super) fn stacks_with(&self, rebuys: &[bool]) -> Vec<u64> {
        let bought = |&rebuy: &bool| if rebuy { self.stakes.stack() } else { 0 };
        let pairs = self.stacks.iter().zip(rebuys);
        pairs
            .map(|(stack, rebuy)| stack.saturating_add(bought(rebuy)))
            .collect()
    }

    /// The seat that the deals of the next hand name for the button, if the hand starts with these
    /// chips and nobody sits out.
    pub(super) fn next_button(&self, stacks: &[u64]) -> Seat {
        let before = self.signed.gone_before.as_deref();
        let gone = before.unwrap_or_else(|| self.deck.gone());
        let can_play = self.stakes.can_play(stacks, gone);
        match self.blinds.next(&self.stakes, &can_play) {
            Some((button, _)) => button,
            None => can_play.first().copied().unwrap_or(Seat::HOST),
        }
    }

    /// Whether a seat may buy in again before the next deal. Never in a match of a table: there a seat buys
    /// chips for the next match.
    pub(super) fn may_rebuy(&self, seat: Seat) -> bool {
        let is_sealed = self.shape.verifiable.is_none();
        is_sealed && self.stakes.may_rebuy(&self.stacks, self.hand - 1, seat)
    }

    /// Whether at least two seats that are not gone have these chips. Always in a game without chips.
    fn has_two_with(&self, stacks: &[u64]) -> bool {
        let has_chips = |seat: &Seat| stacks[seat.index()] > 0 && self.deck.is_live(*seat);
        let with_chips = Seat::all(self.shape.seats).filter(has_chips).count();
        self.stakes.betting().is_none() || with_chips >= 2
    }

    /// Updates the state after a complete step. `parts` are in order of the seats. Each part was
    /// judged, and none ends the match. `after` is the hand after the last part, if the judge has
    /// computed it. A roll call has removed the seats in `removed`: then parts that were due can be
    /// missing, and are due again.
    pub(super) fn complete(
        &mut self,
        step: u64,
        parts: &[(Seat, Part)],
        removed: SeatSet,
        after: Option<Box<Hand>>,
    ) {
        if let Some(deck) = self.deck.sealed_mut() {
            deck.signed(step, parts.iter().map(|(seat, _)| *seat));
        }
        self.opened.clear();
        if let (Some(dealt), Some(after)) = (&mut self.dealt, after) {
            dealt.game = *after;
            if let Some(deck) = self.deck.verifiable_mut() {
                deck.gain(&dealt.game);
            }
        }
        if !removed.is_empty() && self.phase == Phase::Deal {
            let gone = self.deck.gone().to_vec();
            self.signed.gone_before.get_or_insert(gone);
        }
        for seat in removed.iter() {
            if let Some(deck) = self.deck.verifiable_mut() {
                deck.leave(seat);
            }
            if let Some(dealt) = &mut self.dealt {
                dealt.game.gone(seat);
            }
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Deal);
        self.phase = match phase {
            Phase::Deal => self.deal(step, parts),
            Phase::Choose { seat, .. } if parts.iter().any(|(_, part)| *part == Part::Leave) => {
                self.leave(step, seat)
            }
            Phase::Choose { .. } => self.play(step),
            Phase::Result(outcome) => self.result(outcome, parts),
            Phase::Over(end) => Phase::Over(end),
            deck_phase => match self.deck.complete(step, deck_phase, parts) {
                Completed::Next(phase) => phase,
                Completed::Void => {
                    self.dealt = None;
                    Phase::Deal
                }
                Completed::Ready => self.play(step),
                Completed::Opened(public) => self.report(step, |game| game.opened(&public)),
                Completed::Rolled(faces) => self.report(step, |game| {
                    game.rolled(&faces).map_err(|BadFaces| BadCards::NotDue)
                }),
                Completed::Mixed => {
                    self.report(step, |game| game.mixed().map_err(|_| BadCards::NotDue))
                }
            },
        };
    }

    fn deal(&mut self, step: u64, parts: &[(Seat, Part)]) -> Phase {
        let deals = parts
            .iter()
            .filter_map(|(s, part)| Some((*s, part.deal()?.clone())));
        self.signed.deals.extend(deals);
        if !self.signers().is_empty() {
            return Phase::Deal;
        }
        let mut signed = std::mem::take(&mut self.signed.deals);
        signed.retain(|(seat, _)| self.deck.is_live(*seat));
        signed.sort_by_key(|(seat, _)| *seat);
        let deals: Vec<&Deal> = signed.iter().map(|(_, deal)| deal).collect();
        let agreed = |seat: Seat| {
            self.deck.is_live(seat) && deals.iter().all(|deal| deal.rebuys[seat.index()])
        };
        let rebuys: Vec<bool> = Seat::all(self.shape.seats).map(agreed).collect();
        let stacks = self.stacks_with(&rebuys);
        self.signed.gone_before = None;
        let sits_out = |(seat, deal): &(Seat, Deal)| {
            let sits_out = matches!(deal.deck, DealInput::Verifiable { out: true, .. });
            sits_out.then_some(*seat)
        };
        self.sat_out = signed.iter().filter_map(sits_out).collect();
        let mut out = [&self.sat_out[..], self.deck.gone()].concat();
        let can_deal = self.stakes.can_play(&stacks, &out);
        let next = self.blinds.next(&self.stakes, &can_deal);
        let first = can_deal.first().copied().unwrap_or(Seat::HOST);
        let (button, blinds) = next.unwrap_or((first, self.blinds));
        if next.is_some() {
            out.extend(blinds.waits.iter());
        }
        let new = || Hand::new(&self.stakes, &stacks, &out, button).ok();
        let game = self.has_two_with(&stacks).then(new).flatten();
        let Some(game) = game else {
            return Phase::Over(End::NoChips);
        };
        self.dealt = Some(Dealt {
            since: step + 1,
            stacks,
            game,
            blinds,
        });
        let inputs: Vec<DealInput> = deals.iter().map(|deal| deal.deck).collect();
        let first = self.deck.deal(step, &inputs);
        match self.dealt.as_ref().map(|dealt| dealt.game.next()) {
            // Too few seats play, so no deck is needed.
            Some(Next::Over(outcome)) => Phase::Result(outcome),
            _ => first.unwrap_or_else(|| self.play(step)),
        }
    }

    /// Begins the ahead chain of the next hand after a step in which a hand was dealt or a seat became
    /// gone, if another hand can follow. `hash` is the hash of all steps up to it.
    pub(super) fn begin_ahead(&mut self, hash: [u8; 32]) {
        let may_follow = self.dealt.is_some() && self.hand < self.stakes.hands();
        let deck = self.deck.verifiable_mut();
        if let Some(deck) = deck.filter(|deck| may_follow && !deck.is_last_hand()) {
            deck.begin_ahead(Head {
                hand: self.hand + 1,
                after: hash,
            });
        }
    }

    /// Lets `to` pass opened cards or rolled dice to the rules. If the rules reject them, the match
    /// is over.
    fn report(&mut self, step: u64, to: impl FnOnce(&mut Hand) -> Result<(), BadCards>) -> Phase {
        match self.dealt.as_mut().map(|dealt| to(&mut dealt.game)) {
            Some(Err(bad)) => Phase::Over(end_by(bad)),
            _ => self.play(step),
        }
    }

    /// The phase that the rules of the game ask for after this step.
    fn play(&mut self, step: u64) -> Phase {
        loop {
            let Some(dealt) = &mut self.dealt else {
                return Phase::Deal;
            };
            let next = dealt.game.next();
            let sealed = self.deck.sealed();
            if let Some(first) = sealed.and_then(|deck| deck.first_opening(&next)) {
                return first;
            }
            let verifiable = self.deck.verifiable_mut();
            return match next {
                Next::Open(cards) => match verifiable.and_then(|deck| deck.opened(&cards)) {
                    None => self.deck.open(&cards),
                    Some(public) => {
                        self.opened.extend(&cards);
                        match dealt.game.opened(&public) {
                            Ok(()) => continue,
                            Err(bad) => Phase::Over(end_by(bad)),
                        }
                    }
                },
                Next::Roll(dice) => {
                    let coin = dealt.game.coin();
                    match verifiable.and_then(|deck| deck.rolled(dice, coin)) {
                        None => self.deck.roll(dice, coin),
                        Some(faces) => match dealt.game.rolled(&faces) {
                            Ok(()) => continue,
                            Err(BadFaces) => Phase::Over(End::Cards(BadCards::NotDue)),
                        },
                    }
                }
                Next::Mix { seat, positions } => self.deck.mix(seat, positions),
                Next::Steal(steal) => self.deck.steal(step, steal),
                Next::Choose { seat, legal } => Phase::Choose { seat, legal },
                Next::Over(outcome) => Phase::Result(outcome),
            };
        }
    }

    /// A seat leaves in the middle of the hand. If the others need it to open cards, it publishes its
    /// share of the deck's key. With roll calls it does not: then fewer seats together could read
    /// everything.
    fn leave(&mut self, step: u64, seat: Seat) -> Phase {
        let (Some(dealt), Some(deck)) = (&mut self.dealt, self.deck.verifiable_mut()) else {
            return Phase::Deal;
        };
        dealt.game.gone(seat);
        // A deck for the next hand is void.
        deck.drop_ahead();
        if deck.may_publish() && dealt.game.may_open_more() {
            return Phase::Key(seat);
        }
        deck.leave(seat);
        match deck.may_publish() || deck.can_open() {
            true => self.play(step),
            false => Phase::Over(End::TooFew(vec![seat])),
        }
    }

    fn result(&mut self, outcome: Outcome, parts: &[(Seat, Part)]) -> Phase {
        let after = |(seat, part): &(Seat, Part)| match part {
            Part::Result { next, buy, .. } => Some((*seat, *next, *buy)),
            _ => None,
        };
        self.signed.results.extend(parts.iter().filter_map(after));
        self.phase = Phase::Result(outcome.clone());
        if !self.signers().is_empty() {
            return Phase::Result(outcome);
        }
        let results = std::mem::take(&mut self.signed.results);
        let first = Seat::all(self.shape.seats).find(|seat| self.deck.is_live(*seat));
        let mut changes = false;
        for (seat, next, buy) in results {
            self.buys[seat.index()] = buy;
            changes |= buy > 0 || next == AfterHand::Change && Some(seat) == first;
            if next == AfterHand::Leave {
                self.left.push(seat);
            }
        }
        let mut left = self.left.clone();
        let deck = self.deck.verifiable();
        if deck.is_some_and(VerifiableLog::is_last_hand) {
            left.extend(self.deck.gone());
        }
        left.sort_unstable();
        self.stacks = outcome.stacks;
        if let Some(dealt) = self.dealt.take() {
            self.blinds = dealt.blinds;
        }
        self.deck.hand_over();
        self.hand += 1;
        let is_table = self.shape.verifiable.is_some();
        match self.hand > self.stakes.hands() {
            true => Phase::Over(End::Played),
            false if !left.is_empty() => Phase::Over(End::Left(left)),
            false if changes => Phase::Over(End::Changed),
            false if is_table && !self.has_two_with(&self.stacks) => Phase::Over(End::NoChips),
            false => Phase::Deal,
        }
    }

    /// The chips if the hand in play ends here because the given seats give it up. If exactly one
    /// other seat has not folded, that seat wins the pot. Otherwise the hand is undecided and does
    /// not count.
    pub(super) fn given_up_by(&self, seats: &[Seat]) -> Vec<u64> {
        if let Phase::Result(outcome) = &self.phase {
            return outcome.stacks.clone();
        }
        let Some(dealt) = self.dealt.as_ref().filter(|_| self.phase.is_sealed()) else {
            return self.undecided();
        };
        let plays = |seat: &Seat| dealt.game.is_live(*seat) && !seats.contains(seat);
        let left: Vec<Seat> = Seat::all(self.shape.seats).filter(plays).collect();
        match left[..] {
            [winner] => {
                let mut stacks = dealt.game.stacks();
                stacks[winner.index()] += dealt.game.pot();
                stacks
            }
            _ => dealt.stacks.clone(),
        }
    }

    /// The data that decide the chips if the hand in play cannot go on, with more than two seats.
    pub(super) fn standing(&self) -> Standing {
        // Without chips, nothing depends on the hand.
        let dealt = self
            .dealt
            .as_ref()
            .filter(|_| self.stakes.betting().is_some());
        Standing {
            stacks: self.undecided(),
            bought: self.bought.clone(),
            blinds: self.blinds,
            game: dealt.map(|dealt| dealt.game.clone()),
            is_final: self.deck.final_since().is_some(),
            gone: self.deck.gone().to_vec(),
            left: self.left.clone(),
            buys: self.buys.clone(),
        }
    }

    /// The chips if the hand in play does not count.
    pub(super) fn undecided(&self) -> Vec<u64> {
        let dealt = self.dealt.as_ref();
        dealt.map_or(&self.stacks, |dealt| &dealt.stacks).clone()
    }

    /// The length in bytes of each part that this seat may sign now.
    pub(super) fn size(&self, seat: Seat) -> usize {
        match &self.phase {
            Phase::Deal | Phase::Over(_) => self.shape.deal(),
            Phase::Choose { .. } => self.shape.choose(),
            Phase::Result(_) => self.shape.result(),
            deck_phase => self.deck.size(deck_phase, seat),
        }
    }
}

/// The end of a match whose rules do not accept opened cards.
fn end_by(bad: BadCards) -> End {
    match bad {
        BadCards::OtherKind(seat) => End::Foul {
            seat,
            foul: PartFoul::OtherKind,
        },
        bad => End::Cards(bad),
    }
}
