//! What a seat says: the part that is due, if there is one.

use dealerless::deck;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::dealer::role;
use super::super::error::PlayError;
use super::super::news::News;
use super::super::vault::Vault;
use super::{BATCH, Play, Trouble};
use crate::log::{CardOpening, Input, Part, PartKind, Phase, Storage};
use crate::rules::Opening;
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// What this seat is to say now, if anything.
    pub(super) fn next_part(&mut self) -> Result<Option<Part>, PlayError> {
        let may = self.set.log.may_say(self.set.seat);
        if may.is_empty() {
            self.tell_whose_turn_it_is();
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
            Phase::Deal if self.sits_out => {
                self.ask(News::SitsOut);
                Ok(None)
            }
            Phase::Deal => self.deal(),
            Phase::Seal(_) if self.has_lost_its_run() => Ok(Some(Part::Again)),
            Phase::Seal(_) => self.seal(),
            Phase::Result(outcome) => Ok(Some(Part::Result(outcome.stacks))),
            Phase::Over(_) => Ok(None),
            // The hand stands, and this seat cannot go on with it; or nobody has seen a card yet.
            _ if self.hand.deck.is_none() => match may.contains(&PartKind::Again) {
                true => Ok(Some(Part::Again)),
                false => Ok(Some(Part::Forfeit)),
            },
            Phase::Open(openings) => self.open(&openings).map(Some),
            Phase::Reseal(seat, steal) => self.reseal(seat, &steal),
            Phase::Commit(dice) => self.commit_to_dice(dice).map(Some),
            Phase::Reveal(dice) => Ok(Some(self.reveal_dice(dice))),
            Phase::Choose { legal, .. } => {
                let choice = self.choice.take();
                if choice.is_none() {
                    self.ask(News::YourTurn { legal });
                }
                Ok(choice.map(Part::Move))
            }
        }
    }

    /// Asks the player, once in each step.
    pub(super) fn ask(&mut self, question: News) {
        let step = self.set.log.step();
        if self.asked != Some(step) {
            self.asked = Some(step);
            self.news.push_back(question);
        }
    }

    /// Tells once in each step that another seat is to choose.
    fn tell_whose_turn_it_is(&mut self) {
        let now = Some(self.set.log.step());
        if let Phase::Choose { seat, .. } = self.set.log.phase()
            && seat != self.set.seat
            && self.told_turn != now
        {
            self.told_turn = now;
            self.news.push_back(News::TheirTurn { seat });
        }
    }

    pub(super) fn broke(&self) -> Vec<Seat> {
        if self.set.log.of().header().stakes.betting().is_none() {
            return Vec::new();
        }
        let stacks = self.set.log.stacks();
        let seats = Seat::all(stacks.len());
        seats.filter(|seat| stacks[seat.index()] == 0).collect()
    }

    fn deal(&mut self) -> Result<Option<Part>, PlayError> {
        let broke = self.broke();
        if !broke.is_empty() && self.rebuy.is_none() {
            self.ask(News::AskRebuy { broke });
            return Ok(None);
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
        let commitment = attempt.input_commitment(self.set.seat, seeds.bits(), &nonce);
        let input = Input {
            of: attempt,
            bits: Zeroizing::new(seeds.bits().to_vec()),
            nonce,
        };
        self.set.inputs.append(&input).map_err(PlayError::Inputs)?;
        self.hand.seeds = Some(seeds);
        let batch = self.batch();
        let deal = self.set.log.deal(commitment, rebuys, batch);
        Ok(Some(Part::Deal(deal)))
    }

    /// How many hands the batch behind this hand holds. All seats come to the same number.
    pub(super) fn batch(&self) -> u32 {
        let hands = self.set.log.of().header().stakes.hands();
        let left = hands.saturating_sub(self.set.log.attempt().hand);
        let pooled = self.pooled.saturating_sub(1);
        match pooled {
            0 | 1 => BATCH.min(left.saturating_sub(pooled)),
            _ => 0,
        }
    }

    pub(super) fn seal(&mut self) -> Result<Option<Part>, PlayError> {
        // The engine is not done yet, or this seat has no deck and says so elsewhere.
        let Some(deck) = &self.hand.deck else {
            return Ok(None);
        };
        deck.seal()
            .map(Part::Seal)
            .map(Some)
            .map_err(PlayError::Engine)
    }

    pub(super) fn open(&mut self, openings: &[Opening]) -> Result<Part, PlayError> {
        let Some(deck) = &self.hand.deck else {
            return Ok(Part::Forfeit);
        };
        let due = openings
            .iter()
            .filter(|opening| opening.opener == self.set.seat);
        let cards = due.flat_map(|opening| &opening.cards);
        let shares = cards.map(|&(position, _)| deck.open(&self.set.log, position));
        let shares: deck::Result<Vec<CardOpening>> = shares.collect();
        shares.map(Part::Open).map_err(PlayError::Engine)
    }
}
