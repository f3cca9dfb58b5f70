//! The part that a seat with a sealed deck has to sign next: also its dice, and its reaction to an
//! opening with invalid MACs, which only this seat can verify.

use dealerless::deck;
use dealerless::dice::{Dice, Reveal, Terms};
use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::super::deal_circuit::DealCircuit;
use super::super::super::engine::role;
use super::super::super::error::PlayError;
use super::super::super::news::News;
use super::super::super::own_dice::OwnDice;
use super::super::own_seat::OwnSeat;
use super::{FailedCheck, SealedSide};
use crate::log::{AfterHand, CardOpening, Input, MatchLog, Opening, Part, PartKind, Phase};
use crate::rules::Hand;
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
                next: AfterHand::Stay,
                buy: 0,
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
        if own.asks_deal_again() || own.asks_rebuy() {
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

    /// Draws dice and commits to them. The dice are on the disk before the commitment is signed.
    fn commit_to_dice<R: CryptoRng>(
        &mut self,
        dice: Dice,
        own: &mut OwnSeat<S, R>,
    ) -> Result<Part, PlayError> {
        let reveal = Reveal::draw(dice, &mut own.rng);
        let commitment = with_terms(&own.log, dice, |terms| {
            reveal.commitment(terms, own.seat.number())
        });
        let roll = rolls(&own.log);
        let drawn = OwnDice { roll, reveal };
        let deck = self.hand.deck.as_ref().map(|deck| deck.to_bytes());
        self.keep_hand(&deck.unwrap_or_default(), Some(&drawn))?;
        self.hand.dice = Some(drawn);
        Ok(Part::Commit(commitment.0))
    }

    /// Reveals the dice. A seat that has lost the dice that it committed to forfeits, because
    /// revealing other dice would be a foul.
    fn reveal_dice(&self, dice: Dice, log: &MatchLog, seat: Seat) -> Part {
        let committed = log.dice_commitment(seat);
        let own = self.hand.dice.as_ref().filter(|own| {
            let fits = |terms: &Terms<'_>| {
                committed.is_some_and(|to| own.reveal.check(terms, seat.number(), &to).is_ok())
            };
            own.roll == rolls(log) && with_terms(log, dice, fits)
        });
        own.map_or(Part::Forfeit, |own| Part::Reveal(own.reveal.clone()))
    }

    /// The part that this seat signs because of an opening with invalid MACs. `None` if the seat
    /// continues normally: in the step of the opening itself, which the other seat may have signed
    /// first, and if this seat only has to sign a result by which it wins. If the opening can no
    /// longer be disputed, its MACs were valid before, so this seat's stored deck was changed. Then
    /// the seat forfeits.
    fn due_dispute(&self, log: &MatchLog, seat: Seat) -> Option<Part> {
        match self.hand.failed_check {
            Some(FailedCheck::Macs { step, .. }) if step < log.step() && !wins(log, seat) => {
                Some(match log.may_dispute(seat, step) {
                    true => Part::Dispute { step },
                    false => Part::Forfeit,
                })
            }
            _ => None,
        }
    }
}

/// Whether the hand has a result that gives this seat more chips than it had before the hand.
fn wins(log: &MatchLog, seat: Seat) -> bool {
    match (log.phase(), log.dealt_stacks()) {
        (Phase::Result(outcome), Some(before)) => {
            outcome.stacks[seat.index()] > before[seat.index()]
        }
        _ => false,
    }
}

fn rolls(log: &MatchLog) -> u32 {
    log.game().map_or(0, Hand::rolls)
}

fn with_terms<T>(log: &MatchLog, dice: Dice, act: impl FnOnce(&Terms<'_>) -> T) -> T {
    act(&Terms {
        context: &log.attempt().dice_context(),
        number: rolls(log).into(),
        dice,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dealerless::deck::Check;

    use super::*;
    use crate::log::tests::test_match::{TestMatch, holdem};
    use crate::log::{Inputs, Journal, MatchLog};
    use crate::play::deal_circuit::DealCircuit;
    use crate::play::error::PlayError;
    use crate::play::seat_play::own_deck::OwnDeck;
    use crate::play::seat_play::{DeckSetting, Play, SealedSetting, Setting};
    use crate::rules::Choice;
    use crate::seat::Seat;
    use dealerless_connection::random::{SystemRng, system_rng};
    use dealerless_connection::storage::{MemoryStorage, MemoryVault};

    type TestPlay = Play<MemoryStorage, MemoryVault, SystemRng>;

    /// The step in which the host's hole cards are opened, and the step of the flop.
    const HOLE: u64 = 4;
    const FLOP: u64 = 7;

    /// The host's seat with this log, after an opening in step `bad` has failed its check.
    fn host(table: &TestMatch, log: &MatchLog, bad: u64) -> TestPlay {
        let (header, keys) = (table.match_info.header(), table.identities[0].file_key());
        let sitting = table.sitting(Seat::HOST);
        let inputs = Inputs::open(
            MemoryStorage::default(),
            keys.clone(),
            table.match_info.id(),
        );
        let mut play = Play::new(Setting {
            identity: Arc::new(dealerless_connection::identity::Identity::from_seed(
                [0; 32],
            )),
            seat: Seat::HOST,
            log: log.clone(),
            journal: Journal::create(MemoryStorage::default(), keys, &sitting).unwrap(),
            deck: DeckSetting::Sealed(SealedSetting {
                inputs: inputs.unwrap().file,
                vault: MemoryVault::default(),
                circuit: Arc::new(
                    DealCircuit::of(&header.stakes, header.sealed().unwrap().algorithm).unwrap(),
                ),
            }),
            rng: system_rng(),
        })
        .unwrap();
        let error = deck::Error::Check(Check::KeptMacs);
        sealed(&mut play).hand.failed_check = Some(FailedCheck::Macs { step: bad, error });
        play
    }

    fn sealed(play: &mut TestPlay) -> &mut SealedSide<MemoryStorage, MemoryVault> {
        match &mut play.deck {
            OwnDeck::Sealed(deck) => deck,
            OwnDeck::Verifiable(_) => panic!("a verifiable deck"),
        }
    }

    fn failure(play: &mut TestPlay) -> Option<PlayError> {
        let log = play.own.log.clone();
        sealed(play).reportable_failure(&log)
    }

    fn chooses(log: &MatchLog, seat: Seat) -> bool {
        matches!(log.phase(), Phase::Choose { seat: now, .. } if now == seat)
    }

    fn sign_choice(table: &TestMatch, log: &mut MatchLog, choice: Choice) {
        let seat = log.waits_for()[0];
        let identity = &table.identities[seat.index()];
        log.sign(identity, seat, &Part::Move(choice)).unwrap();
    }

    #[test]
    fn last_opening_is_disputed_and_an_older_one_is_forfeited() {
        let table = holdem(2, 2);
        let mut log = table.log();
        let next_part = |log: &MatchLog, bad| host(&table, log, bad).next_part().unwrap();
        table.play_until(&mut log, |log| chooses(log, Seat::HOST));
        assert_eq!(next_part(&log, HOLE), Some(Part::Dispute { step: HOLE }));
        table.sign_next(&mut log);
        table.play_until(&mut log, |log| chooses(log, Seat::HOST));
        assert_eq!(next_part(&log, FLOP), Some(Part::Dispute { step: FLOP }));
        assert_eq!(next_part(&log, HOLE), Some(Part::Forfeit));
    }

    #[test]
    fn winning_seat_signs_the_result_and_reports_the_failed_check_after_the_hand() {
        let table = holdem(2, 2);
        let mut log = table.log();
        table.play_until(&mut log, |log| {
            log.step() > FLOP && chooses(log, Seat::GUEST)
        });
        let mut lost = log.clone();
        sign_choice(&table, &mut log, Choice::Fold);
        let Phase::Result(outcome) = log.phase() else {
            panic!("{:?}", log.phase());
        };
        let mut play = host(&table, &log, FLOP);
        let result = Part::Result {
            stacks: outcome.stacks,
            next: AfterHand::Stay,
            buy: 0,
        };
        assert_eq!(play.next_part().unwrap(), Some(result));
        assert!(failure(&mut play).is_none());
        table.play_until(&mut log, |log| log.phase() == Phase::Deal);
        play.own.log = log;
        assert_eq!(play.next_part().unwrap(), None);
        assert!(matches!(
            failure(&mut play),
            Some(PlayError::Opening(error)) if matches!(error, deck::Error::Check(_))
        ));

        // A losing seat forfeits instead of signing the result.
        sign_choice(&table, &mut lost, Choice::Bet { to: 4 });
        sign_choice(&table, &mut lost, Choice::Fold);
        let forfeits = host(&table, &lost, FLOP).next_part().unwrap();
        assert_eq!(forfeits, Some(Part::Forfeit));
    }
}
