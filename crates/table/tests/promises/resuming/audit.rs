//! After a match both players can open their shuffle inputs. An audit then recomputes the deck of
//! each try, void or played. A try is one attempt to deal a hand.

use dealerless_connection::storage::Storage;
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, AuditError, Auditing, CannotAudit};
use dealerless_table::log::{Input, MatchId, MatchLog};
use dealerless_table::record::{Record, RecordedHand};
use dealerless_table::testing::disk::When;
use dealerless_table::testing::test_match::identity;
use dealerless_table::testing::two_seats::games::Game;
use dealerless_table::testing::two_seats::side::inputs;
use dealerless_table::testing::two_seats::world::{MatchResult, Plan, World};
use zeroize::Zeroizing;

use super::kills;

/// The records and inputs of both sides, and the game.
struct FinishedMatch {
    records: [Record; 2],
    inputs: [Vec<Input>; 2],
    game: Game,
}

fn finished(result: &MatchResult, game: Game) -> FinishedMatch {
    let records = result.disks.each_ref().map(|disk| {
        let bytes = disk.log().read().unwrap();
        Record::read(&bytes, None).unwrap()
    });
    let inputs = [0, 1].map(|seat| {
        let id = records[seat].log.match_info().id();
        let opened = inputs(&result.disks[seat], Seat::new(seat as u8), id);
        opened.unwrap().inputs
    });
    FinishedMatch {
        records,
        inputs,
        game,
    }
}

/// A finished match with a void try.
fn with_a_void_try() -> FinishedMatch {
    let result = (8..).map(|action| World::play(&kills(0, action, When::After)));
    let mut result = result.take(20).filter(|result| result.void > 0);
    finished(&result.next().expect("a void try"), Game::Holdem)
}

impl FinishedMatch {
    fn log(&self) -> &MatchLog {
        &self.records[0].log
    }

    /// Both sides open all inputs to each other. `change` gets the number and the bytes of each
    /// message, and can change the bytes.
    fn exchange(
        &self,
        mut change: impl FnMut(usize, &mut Vec<u8>),
    ) -> Result<[Audit; 2], CannotAudit> {
        let mut sides = [Seat::HOST, Seat::GUEST].map(|seat| {
            Auditing::new(self.log(), seat, &self.inputs[seat.index()]).expect("the match is over")
        });
        let mut number = 0;
        loop {
            let mut quiet = true;
            for seat in [0, 1] {
                while let Some(mut message) = sides[seat].say() {
                    quiet = false;
                    change(number, &mut message);
                    number += 1;
                    sides[1 - seat].hear(&message)?;
                }
            }
            if quiet {
                let opened = sides.map(|side| side.opened());
                return Ok(opened.map(|audit| audit.expect("all inputs are open")));
            }
        }
    }
}

#[test]
fn recomputed_decks_agree_with_the_opened_cards() {
    let deck = Plan {
        game: Game::Deck,
        ..Plan::default()
    };
    let steal = Plan {
        game: Game::Steal,
        ..Plan::default()
    };
    let stolen = finished(&World::play(&steal), Game::Steal);
    let reshuffled = |hand: &RecordedHand| (0..6).any(|at| hand.since(at) > 0);
    assert!(stolen.records[0].hands.iter().any(reshuffled));
    let deck = finished(&World::play(&deck), Game::Deck);
    for over in [with_a_void_try(), deck, stolen] {
        let [one, other] = over.exchange(|_, _| {}).unwrap();
        assert!(one == other);
        assert!(Audit::decode(&one.encode()).is_ok_and(|read| read == one));
        for record in &over.records {
            let tries = one.check(record, over.game.circuit()).unwrap();
            let void = tries.iter().filter(|of_try| of_try.void).count();
            let voided: usize = record.hands.iter().map(|hand| hand.voided.len()).sum();
            assert_eq!((tries.len(), void), (record.hands.len() + voided, voided));
            for of_try in tries.iter().filter(|of_try| !of_try.void) {
                let hand = &record.hands[of_try.hand as usize - 1];
                assert!(of_try.public.len() >= 2 || reshuffled(hand));
                // An audit does not cover the cards that were reshuffled for a steal.
                assert!(of_try.public.iter().all(|&at| hand.since(at) == 0));
                for &position in &of_try.public {
                    assert_eq!(hand.public[&position], of_try.cards[position]);
                }
                // The audit also shows the cards that were never opened.
                assert!(of_try.public.len() <= of_try.cards.len());
            }
        }
    }
}

#[test]
fn recomputed_boards_agree_with_the_opened_hands() {
    let boards = Plan {
        game: Game::Boards,
        ..Plan::default()
    };
    let over = finished(&World::play(&boards), Game::Boards);
    let [audit, _] = over.exchange(|_, _| {}).unwrap();
    let tries = audit.check(&over.records[1], over.game.circuit()).unwrap();
    let set = &over.records[1].hands[0];
    let opened: Vec<_> = set.public.values().copied().collect();
    assert_eq!((tries.len(), opened.len()), (1, 8));
    assert_eq!(tries[0].cards, opened);
    assert!(opened.iter().all(|hand| hand.0.count_ones() == 13));
}

/// A steal reshuffles a hand. Its cards then differ from the drawn cards, which is no cheating.
#[test]
fn audit_excludes_cards_reshuffled_for_a_steal() {
    let game = Game::Steal;
    let result = World::play(&Plan {
        game,
        ..Plan::default()
    });
    assert!(result.stolen);
    let over = finished(&result, game);
    let [audit, _] = over.exchange(|_, _| {}).unwrap();
    let hand = &over.records[0].hands[0];
    let again = |position: &usize| hand.since(*position) > 0;
    assert!(hand.public.keys().any(again), "the stolen card is open");
    // The guest has noted the cards that are left in its hand.
    let bytes = result.disks[1].log().read().unwrap();
    let own = Record::read(&bytes, Some(&identity(Seat::GUEST))).unwrap();
    assert!(own.hands[0].seen.keys().any(again));
    let tries = audit.check(&over.records[0], game.circuit()).unwrap();
    assert!(!tries[0].public.iter().any(again));
}

#[test]
fn false_inputs_are_refused() {
    let over = with_a_void_try();
    let mut messages = 0;
    over.exchange(|_, _| messages += 1).unwrap();
    for at in 0..messages {
        // Bytes of the number, the nonce, the input and other fields.
        for byte in [0, 4, 8, 39, 40, 44, 60] {
            let answer = over.exchange(|number, message| {
                if number == at {
                    message[byte] ^= 1;
                }
            });
            assert!(answer.is_err(), "message {at}, byte {byte}");
        }
        let cut = over.exchange(|number, message| {
            if number == at {
                message.pop();
            }
        });
        assert!(cut.is_err());
    }
    // The input of another seat or another try does not open a commitment.
    let [audit, _] = over.exchange(|_, _| {}).unwrap();
    let check = |audit: &Audit| audit.check(&over.records[0], over.game.circuit());
    let changes: [fn(&mut Audit); 4] = [
        |audit| audit.tries[0].swap(0, 1),
        |audit| audit.tries[0][1] = audit.tries[1][1].clone(),
        |audit| audit.tries[1][1].bits[3] ^= true,
        |audit| audit.tries[1][1].nonce = Zeroizing::new([1; 32]),
    ];
    for change in changes {
        let mut audit = audit.clone();
        change(&mut audit);
        let error = check(&audit).unwrap_err();
        assert!(matches!(error, AuditError::Commitment { .. }), "{error:?}");
    }
    let mut other = audit.clone();
    other.of = MatchId::new([1; 32]);
    assert_eq!(check(&other), Err(AuditError::OtherMatch));
    let mut fewer = audit.clone();
    fewer.tries[0].pop();
    assert_eq!(check(&fewer), Err(AuditError::NoSuchTry { hand: 1 }));
}

/// If an audit contains one try twice, the copy must not count as the try that is missing.
#[test]
fn repeated_try_does_not_replace_another() {
    let over = with_a_void_try();
    let [audit, _] = over.exchange(|_, _| {}).unwrap();
    let check = |audit: &Audit| audit.check(&over.records[0], over.game.circuit());
    let mut twice = audit.clone();
    twice.tries[1] = twice.tries[0].clone();
    assert_eq!(check(&twice), Err(AuditError::Order));
    let mut swapped = audit.clone();
    swapped.tries.swap(0, 1);
    assert_eq!(check(&swapped), Err(AuditError::Order));
    let mut fewer = audit;
    fewer.tries.remove(0);
    assert!(check(&fewer).is_ok());
}

#[test]
fn no_side_opens_a_try_for_which_one_side_lost_its_input() {
    let mut over = with_a_void_try();
    let all = over.exchange(|_, _| {}).unwrap()[0].tries.len();
    let lost = over.inputs[1].remove(0);
    let [one, other] = over.exchange(|_, _| {}).unwrap();
    assert!(one == other);
    assert_eq!(one.tries.len(), all - 1);
    let missing = (lost.attempt.hand, lost.attempt.attempt);
    let opened = one.tries.iter().map(|inputs| &inputs[0].attempt);
    assert!(
        opened
            .map(|attempt| (attempt.hand, attempt.attempt))
            .all(|opened| opened != missing)
    );
}

#[test]
fn open_match_cannot_be_audited() {
    let over = with_a_void_try();
    let mut log = MatchLog::new(over.log().match_info().clone(), Seat::HOST);
    for part in over.log().history(0) {
        let auditing = Auditing::new(&log, Seat::HOST, &over.inputs[0]);
        assert_eq!(auditing.err(), Some(CannotAudit::NotOver));
        log.accept(part.clone()).unwrap();
    }
    assert!(Auditing::new(&log, Seat::HOST, &over.inputs[0]).is_ok());
}

#[test]
fn nothing_is_opened_to_a_peer_with_another_log_or_out_of_turn() {
    let over = with_a_void_try();
    let auditing =
        |seat: Seat| Auditing::new(over.log(), seat, &over.inputs[seat.index()]).unwrap();
    let (mut host, mut guest) = (auditing(Seat::HOST), auditing(Seat::GUEST));
    let first = guest.say().unwrap();
    // No side opens inputs before the peer has agreed to the log. The host opens its inputs first.
    let agreement = host.say().unwrap();
    assert!(host.say().is_none());
    guest.hear(&agreement).unwrap();
    assert!(guest.say().is_none());
    let mut other = first.clone();
    other[40] ^= 1;
    assert_eq!(host.hear(&other), Err(CannotAudit::OtherLog));
    host.hear(&first).unwrap();
    let opened = host.say().unwrap();
    assert!(host.say().is_none());
    guest.hear(&opened).unwrap();
    assert_eq!(guest.hear(&opened), Err(CannotAudit::Malformed));
    assert!(host.opened().is_none() && guest.opened().is_none());
}

#[test]
fn truncated_and_extended_audits_are_refused() {
    let over = with_a_void_try();
    let bytes = over.exchange(|_, _| {}).unwrap()[0].encode();
    for cut in (0..bytes.len()).step_by(7) {
        assert_eq!(
            Audit::decode(&bytes[..cut]).err(),
            Some(AuditError::Malformed)
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(Audit::decode(&longer).err(), Some(AuditError::Malformed));
}
