//! The reaction to an opening with invalid MACs. Only this seat can verify the MACs.

use dealerless::deck;
use dealerless_connection::storage::{Storage, Vault};

use super::{FailedCheck, SealedSide};
use crate::log::{MatchLog, Part, Phase};
use crate::seat::Seat;

impl<S: Storage, V: Vault> SealedSide<S, V> {
    /// Records that the MACs of an opening in this step are invalid. Only the first such step
    /// counts.
    pub(super) fn note_bad_macs(&mut self, step: u64, error: deck::Error) {
        let failed = || FailedCheck::Macs { step, error };
        self.hand.failed_check.get_or_insert_with(failed);
    }

    /// The part that this seat signs because of an opening with invalid MACs. `None` if the seat
    /// continues normally: in the step of the opening itself, which the other seat may have signed
    /// first, and if this seat only has to sign a result by which it wins. If the opening can no
    /// longer be disputed, its MACs were valid before, so this seat's stored deck was changed. Then
    /// the seat forfeits.
    pub(super) fn due_dispute(&self, log: &MatchLog, seat: Seat) -> Option<Part> {
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
        sealed(&mut play).note_bad_macs(bad, deck::Error::Check(Check::KeptMacs));
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
            last: false,
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
