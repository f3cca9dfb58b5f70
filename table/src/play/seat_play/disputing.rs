//! What a seat does when an opening fails the check of its MACs, which only this seat can see.

use dealerless::deck;
use rand::CryptoRng;

use super::super::vault::Vault;
use super::{Play, Trouble};
use crate::log::{Part, Phase, Storage};

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Notes that the MACs of what was opened in this step do not fit. The first step counts.
    pub(super) fn note_bad_macs(&mut self, step: u64, error: deck::Error) {
        let noted = || Trouble::Macs { step, error };
        self.hand.trouble.get_or_insert_with(noted);
    }

    /// What this seat says of an opening whose MACs do not fit; nothing if it goes on. It goes on in
    /// the step of the opening, in which the other may have been the first to speak; and where it
    /// only has to sign that it wins. An opening that it may not dispute any more had passed this
    /// check before: then its own deck is not what it was.
    pub(super) fn disputes(&self) -> Option<Part> {
        let (log, seat) = (&self.set.log, self.set.seat);
        match self.hand.trouble {
            Some(Trouble::Macs { step, .. }) if step < log.step() && !self.wins() => {
                Some(match log.may_dispute(seat, step) {
                    true => Part::Dispute { step },
                    false => Part::Forfeit,
                })
            }
            _ => None,
        }
    }

    /// Whether nothing is left but to sign a result by which this seat has more than before the hand.
    fn wins(&self) -> bool {
        let (log, seat) = (&self.set.log, self.set.seat.index());
        match (log.phase(), log.dealt_stacks()) {
            (Phase::Result(outcome), Some(before)) => outcome.stacks[seat] > before[seat],
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dealerless::deck::Check;

    use super::*;
    use crate::log::tests::test_match::{TestMatch, holdem};
    use crate::log::{Inputs, Journal, MatchLog, MemoryStorage};
    use crate::play::deal_circuit::DealCircuit;
    use crate::play::error::PlayError;
    use crate::play::seat_play::Setting;
    use crate::play::vault::MemoryVault;
    use crate::random::{SystemRng, system_rng};
    use crate::rules::{Choice, Edition};
    use crate::seat::Seat;

    type Seated = Play<MemoryStorage, MemoryVault, SystemRng>;

    /// The host's hole cards and the flop were opened in these steps.
    const HOLE: u64 = 4;
    const FLOP: u64 = 7;

    /// The host, where the match stands so, after an opening of this step has failed its check.
    fn host(table: &TestMatch, log: &MatchLog, bad: u64) -> Seated {
        let (header, keys) = (table.match_info.header(), table.identities[0].file_key());
        let sitting = table.sitting(Seat::HOST);
        let inputs = Inputs::open(
            MemoryStorage::default(),
            keys.clone(),
            table.match_info.id(),
        );
        let mut play = Play::new(Setting {
            identity: Arc::new(crate::identity::Identity::from_seed([0; 32])),
            seat: Seat::HOST,
            log: log.clone(),
            journal: Journal::create(MemoryStorage::default(), keys, &sitting).unwrap(),
            inputs: inputs.unwrap().file,
            vault: MemoryVault::default(),
            circuit: Arc::new(DealCircuit::of(&header.stakes, header.algorithm).unwrap()),
            rng: system_rng(),
        })
        .unwrap();
        play.note_bad_macs(bad, deck::Error::Check(Check::KeptMacs));
        play
    }

    fn chooses(log: &MatchLog, seat: Seat) -> bool {
        matches!(log.phase(), Phase::Choose { seat: now, .. } if now == seat)
    }

    fn say(table: &TestMatch, log: &mut MatchLog, choice: Choice) {
        let seat = log.waits_for()[0];
        let identity = &table.identities[seat.index()];
        log.sign(identity, seat, &Part::Move(choice)).unwrap();
    }

    #[test]
    fn an_opening_is_disputed_once_and_a_deck_that_fails_an_older_check_is_forfeited() {
        for edition in [Edition::Two, Edition::Three] {
            let table = holdem(2, 2).of_edition(edition);
            let mut log = table.log();
            let says = |log: &MatchLog, bad| host(&table, log, bad).next_part().unwrap();
            table.play_until(&mut log, |log| chooses(log, Seat::HOST));
            assert_eq!(says(&log, HOLE), Some(Part::Dispute { step: HOLE }));
            table.sign_next(&mut log);
            table.play_until(&mut log, |log| chooses(log, Seat::HOST));
            assert_eq!(says(&log, FLOP), Some(Part::Dispute { step: FLOP }));
            let older = match edition {
                Edition::Two => Part::Dispute { step: HOLE },
                Edition::Three => Part::Forfeit,
            };
            assert_eq!(says(&log, HOLE), Some(older));
        }
    }

    #[test]
    fn a_seat_that_wins_signs_the_result_and_tells_of_the_failed_check_behind_the_hand() {
        let table = holdem(2, 2);
        let mut log = table.log();
        table.play_until(&mut log, |log| {
            log.step() > FLOP && chooses(log, Seat::GUEST)
        });
        let mut lost = log.clone();
        say(&table, &mut log, Choice::Fold);
        let Phase::Result(outcome) = log.phase() else {
            panic!("{:?}", log.phase());
        };
        let mut play = host(&table, &log, FLOP);
        let result = Part::Result(outcome.stacks);
        assert_eq!(play.next_part().unwrap(), Some(result));
        assert!(play.trouble_behind().is_none());
        table.play_until(&mut log, |log| log.phase() == Phase::Deal);
        play.set.log = log;
        assert_eq!(play.next_part().unwrap(), None);
        assert!(matches!(
            play.trouble_behind(),
            Some(PlayError::Opening(error)) if matches!(error, deck::Error::Check(_))
        ));

        // A seat that loses does not sign that.
        say(&table, &mut lost, Choice::Bet { to: 4 });
        say(&table, &mut lost, Choice::Fold);
        let forfeits = host(&table, &lost, FLOP).next_part().unwrap();
        assert_eq!(forfeits, Some(Part::Forfeit));
    }
}
