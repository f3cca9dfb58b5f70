//! The part that a seat has to sign next.

use dealerless::deck::{self, Card};
use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::deal_circuit::DealCircuit;
use super::super::engine::role;
use super::super::error::PlayError;
use super::super::news::News;
use super::{FailedCheck, Play};
use crate::log::{CardOpening, Input, Opening, Part, PartKind, Phase};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// The part that this seat has to sign now, if any.
    pub(super) fn next_part(&mut self) -> Result<Option<Part>, PlayError> {
        let allowed = self.setting.log.may_sign(self.setting.seat);
        if allowed.is_empty() {
            return Ok(None);
        }
        if self.is_verifiable() {
            return self.next_of_verifiable();
        }
        match self.hand.failed_check {
            // The failed check is reported after this part.
            Some(FailedCheck::Seal(_)) => {
                return Ok(allowed.contains(&PartKind::Again).then_some(Part::Again));
            }
            Some(FailedCheck::Macs { .. }) if self.setting.log.game().is_none() => return Ok(None),
            _ => {}
        }
        if let Some(part) = self.due_dispute() {
            return Ok(Some(part));
        }
        if self.leaving && self.leaves_now() {
            return Ok(Some(Part::Leave));
        }
        let connected = self.connected.as_ref();
        let engine_failed = connected.is_some_and(|connected| connected.failed.is_some());
        match self.setting.log.phase() {
            // Without an engine, the deck of a deal could not be shuffled.
            Phase::Deal if engine_failed => Ok(None),
            Phase::Deal if self.sits_out => {
                self.ask(News::SitsOut);
                Ok(None)
            }
            Phase::Deal if self.paused => Ok(None),
            Phase::Deal => self.deal(),
            Phase::Seal(_) if self.has_lost_engine_run() => Ok(Some(Part::Again)),
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
            _ if self.hand.deck.is_none() => match allowed.contains(&PartKind::Again) {
                true => Ok(Some(Part::Again)),
                false => Ok(Some(Part::Forfeit)),
            },
            Phase::Open(openings) => self.open(&openings).map(Some),
            Phase::Reseal(seat, steal) => self.reseal(seat, &steal),
            Phase::Commit(dice) => self.commit_to_dice(dice).map(Some),
            Phase::Reveal(dice) => Ok(Some(self.reveal_dice(dice))),
            Phase::Choose { legal, .. } => Ok(self.choose(legal)),
        }
    }

    /// The choice of the player, who is asked for it.
    pub(super) fn choose(&mut self, legal: Legal) -> Option<Part> {
        let choice = self.choice.take();
        if choice.is_none() {
            self.ask(News::YourTurn { legal });
        }
        choice.map(Part::Move)
    }

    /// Whether a player who leaves now does so immediately: when this seat deals, seals, reseals or
    /// makes a choice. In other phases the program first signs the parts that need no player, so
    /// that the player does not lose a pot that is almost certainly won.
    pub fn leaves_now(&self) -> bool {
        let has_turn = !self.setting.log.may_sign(self.setting.seat).is_empty();
        let phase = self.setting.log.phase();
        let is_turn = matches!(
            phase,
            Phase::Deal | Phase::Seal(_) | Phase::Reseal(..) | Phase::Choose { .. }
        );
        has_turn && is_turn
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
    pub(in super::super) fn out_of_time(&self, legal: &Legal) -> Choice {
        match legal {
            Legal::ShowOrMuck if self.is_beaten() => Choice::Muck,
            _ => legal.out_of_time(),
        }
    }

    /// Asks the player a question, once in each step.
    pub(super) fn ask(&mut self, question: News) {
        let step = self.setting.log.step();
        if self.asked.replace(step) != Some(step) {
            self.news.push_back(question);
        }
    }

    /// Returns the news that it is another seat's turn, once in each step of a connection.
    pub(super) fn their_turn(&mut self) -> Option<News> {
        let step = self.setting.log.step();
        match self.setting.log.phase() {
            Phase::Choose { seat, .. } if seat != self.setting.seat && self.is_synced() => {
                let is_new = self.reported_turn.replace(step) != Some(step);
                is_new.then_some(News::TheirTurn { seat })
            }
            _ => None,
        }
    }

    /// Whether the game is played for chips.
    pub(super) fn has_chips(&self) -> bool {
        let header = self.setting.log.match_info().header();
        header.stakes.betting().is_some()
    }

    /// The seats that may buy in again before the deal. Empty in a game without chips.
    pub(super) fn broke(&self) -> Vec<Seat> {
        let log = &self.setting.log;
        let seats = Seat::all(log.match_info().seats());
        seats.filter(|seat| log.may_rebuy(*seat)).collect()
    }

    /// The number of the hand to deal, and the number of its tries that other seats have declared
    /// void. `None` if there are no such tries.
    pub(super) fn void_tries(&self) -> Option<(u32, u32)> {
        let log = &self.setting.log;
        let tries = log.voided_by_others(self.setting.seat);
        let is_due = log.phase() == Phase::Deal && tries > 0;
        is_due.then_some((log.attempt().hand, tries))
    }

    fn deal(&mut self) -> Result<Option<Part>, PlayError> {
        let void = self.void_tries();
        if let Some((_, tries)) = void.filter(|_| void != self.deals_again) {
            self.ask(News::Voided { tries });
            return Ok(None);
        }
        let broke = self.broke();
        if !broke.is_empty() && self.rebuy.is_none() {
            self.ask(News::AskRebuy { broke });
            return Ok(None);
        }
        let rebuy = self.rebuy.take().unwrap_or(false);
        let seats = Seat::all(self.setting.log.match_info().seats());
        let rebuys = seats.map(|seat| rebuy && broke.contains(&seat)).collect();
        let Some(circuit) = self.circuit() else {
            return Ok(None);
        };
        let seeds = circuit.sample(role(self.setting.seat), &mut self.setting.rng);
        let mut nonce = Zeroizing::new([0; 32]);
        self.setting.rng.fill_bytes(&mut *nonce);
        let attempt = self.setting.log.attempt();
        let commitment = attempt.input_commitment(self.setting.seat, seeds.bits(), &nonce);
        let input = Input {
            attempt,
            bits: Zeroizing::new(seeds.bits().to_vec()),
            nonce,
        };
        if let Some(deck) = self.sealed_mut() {
            deck.inputs.append(&input).map_err(PlayError::Inputs)?;
        }
        if let Some(connected) = &mut self.connected {
            connected.run.seeds = Some(seeds);
        }
        let batch = self.batch();
        let log = &self.setting.log;
        let input = log.sealed_input(commitment, batch);
        Ok(input.map(|input| Part::Deal(log.deal(input, rebuys))))
    }

    /// The number of hands in the next batch of preprocessing; 0 for no batch. All seats compute
    /// the same number.
    pub(super) fn batch(&self) -> u32 {
        let hands = self.setting.log.match_info().header().stakes.hands();
        let left = hands.saturating_sub(self.setting.log.attempt().hand);
        let pooled = self.connected.as_ref().map_or(0, |now| now.pooled);
        let pooled = pooled.saturating_sub(1);
        match pooled {
            0 | 1 => DealCircuit::BATCH.min(left.saturating_sub(pooled)),
            _ => 0,
        }
    }

    pub(super) fn seal(&mut self) -> Result<Option<Part>, PlayError> {
        // The engine is not done yet. (`finish_resume` handles a deck that was lost.)
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
            .filter(|opening| opening.opener == self.setting.seat);
        let cards = due.flat_map(|opening| &opening.cards);
        let shares = cards.map(|&(position, _)| deck.open(&self.setting.log, position));
        let shares: deck::Result<Vec<CardOpening>> = shares.collect();
        shares.map(Part::Open).map_err(PlayError::Engine)
    }
}
