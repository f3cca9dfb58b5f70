//! The part that a seat with a sealed deck has to sign next.

use dealerless::deck;
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::super::deal_circuit::DealCircuit;
use super::super::super::engine::role;
use super::super::super::error::PlayError;
use super::super::super::news::News;
use super::super::own_seat::OwnSeat;
use super::{FailedCheck, SealedSide};
use crate::log::{CardOpening, Input, MatchLog, Opening, Part, PartKind, Phase};
use crate::seat::Seat;

impl<S: Storage, V: Vault> SealedSide<S, V> {
    /// The part that this seat has to sign now, if any. The rules allow the seat to sign.
    pub(in super::super) fn next_part<R: CryptoRng>(
        &mut self,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Option<Part>, PlayError> {
        let (log, seat) = (&own.log, own.seat);
        let may_declare_void = log.may_sign(seat).contains(&PartKind::Again);
        match self.hand.failed_check {
            // The failed check is reported after this part.
            Some(FailedCheck::Seal(_)) => return Ok(may_declare_void.then_some(Part::Again)),
            Some(FailedCheck::Macs { .. }) if log.game().is_none() => return Ok(None),
            _ => {}
        }
        if let Some(part) = self.due_dispute(log, seat) {
            return Ok(Some(part));
        }
        if own.player.leaving && own.leaves_now() {
            return Ok(Some(Part::Leave));
        }
        let connected = self.connected.as_ref();
        let engine_failed = connected.is_some_and(|connected| connected.failed.is_some());
        match log.phase() {
            // Without an engine, the deck of a deal could not be shuffled.
            Phase::Deal if engine_failed => Ok(None),
            Phase::Deal if own.player.sits_out => {
                own.ask(News::SitsOut);
                Ok(None)
            }
            Phase::Deal if own.player.paused => Ok(None),
            Phase::Deal => self.deal(own),
            Phase::Seal(_) if self.has_lost_engine_run(log) => Ok(Some(Part::Again)),
            Phase::Seal(_) => self.seal(),
            Phase::Result(outcome) => Ok(Some(Part::Result {
                stacks: outcome.stacks,
                last: false,
            })),
            // The phases of a verifiable deck are not those of this deck.
            Phase::Over(_)
            | Phase::Keys
            | Phase::KeyDealing
            | Phase::Complaints
            | Phase::Shuffle(_)
            | Phase::Mix { .. }
            | Phase::Key(_) => Ok(None),
            // Without its deck, this seat declares the try void while that is allowed, and forfeits
            // otherwise.
            _ if self.hand.deck.is_none() => match may_declare_void {
                true => Ok(Some(Part::Again)),
                false => Ok(Some(Part::Forfeit)),
            },
            Phase::Open(openings) => self.open(&openings, log, seat).map(Some),
            Phase::Reseal(by, steal) => self.reseal(by, &steal, log),
            Phase::Commit(dice) => self.commit_to_dice(dice, own).map(Some),
            Phase::Reveal(dice) => Ok(Some(self.reveal_dice(dice, log, seat))),
            Phase::Choose { legal, .. } => Ok(own.choose(legal)),
        }
    }

    fn deal<R: CryptoRng>(&mut self, own: &mut OwnSeat<S, R>) -> Result<Option<Part>, PlayError> {
        if own.asks_deal_again() || own.asks_rebuy(own.has_broke()) {
            return Ok(None);
        }
        let rebuys = own.take_rebuys();
        let (log, seat) = (&own.log, own.seat);
        let seeds = self.circuit.sample(role(seat), &mut own.rng);
        let mut nonce = Zeroizing::new([0; 32]);
        own.rng.fill_bytes(&mut *nonce);
        let attempt = log.attempt();
        let commitment = attempt.input_commitment(seat, seeds.bits(), &nonce);
        let input = Input {
            attempt,
            bits: Zeroizing::new(seeds.bits().to_vec()),
            nonce,
        };
        self.inputs.append(&input).map_err(PlayError::Inputs)?;
        if let Some(connected) = &mut self.connected {
            connected.run.seeds = Some(seeds);
        }
        let input = log.sealed_input(commitment, self.batch(log));
        Ok(input.map(|input| Part::Deal(log.deal(input, rebuys))))
    }

    /// The number of hands in the next batch of preprocessing; 0 for no batch. All seats compute
    /// the same number.
    fn batch(&self, log: &MatchLog) -> u32 {
        let hands = log.match_info().header().stakes.hands();
        let left = hands.saturating_sub(log.attempt().hand);
        let pooled = self.connected.as_ref().map_or(0, |now| now.pooled);
        let pooled = pooled.saturating_sub(1);
        match pooled {
            0 | 1 => DealCircuit::BATCH.min(left.saturating_sub(pooled)),
            _ => 0,
        }
    }

    fn seal(&self) -> Result<Option<Part>, PlayError> {
        // Without a deck, the engine is not done yet. (`resume` handles a deck that was lost.)
        let seal = self.hand.deck.as_ref().map(|deck| deck.seal());
        let seal = seal.transpose().map_err(PlayError::Engine)?;
        Ok(seal.map(Part::Seal))
    }

    fn open(&self, openings: &[Opening], log: &MatchLog, seat: Seat) -> Result<Part, PlayError> {
        let Some(deck) = &self.hand.deck else {
            return Ok(Part::Forfeit);
        };
        let due = openings.iter().filter(|opening| opening.opener == seat);
        let cards = due.flat_map(|opening| &opening.cards);
        let shares = cards.map(|&(position, _)| deck.open(log, position));
        let shares: deck::Result<Vec<CardOpening>> = shares.collect();
        shares.map(Part::Open).map_err(PlayError::Engine)
    }
}
