//! Cheating in a deck without rules: with dice, and with a hand from which a card is stolen.

use super::super::*;
use super::cheats::{foul, in_phase};
use super::test_match::{TestMatch, free_deck};
use crate::rules::{Choice, Learners};
use crate::seat::Seat;
use dealerless::dice::{self, Reveal, Terms};

/// A log in which the host has to reveal dice, and the honest reveal of the host.
fn to_reveal(table: &TestMatch) -> (MatchLog, Reveal) {
    let log = in_phase(table, |phase| matches!(phase, Phase::Reveal(_)));
    match table.part(PartKind::Reveal, &log, Seat::HOST) {
        Part::Reveal(reveal) => (log, reveal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn dice_that_do_not_match_the_commitment_are_a_foul() {
    let table = free_deck(2);
    let (log, honest) = to_reveal(&table);
    let lie = |change: &dyn Fn(&mut Reveal)| {
        let mut reveal = honest.clone();
        change(&mut reveal);
        let found = foul(&table, &log, Seat::HOST, &Part::Reveal(reveal));
        let fouls = [
            PartFoul::Dice(dice::Check::NotCommitted),
            // A different number of dice has a different length.
            PartFoul::Malformed,
        ];
        assert!(fouls.contains(&found), "{found}");
    };
    for bit in 0..256 {
        lie(&|reveal| reveal.nonce[bit / 8] ^= 1 << (bit % 8));
    }
    for bit in 0..64 {
        lie(&|reveal| reveal.values[bit / 32] ^= 1 << (bit % 32));
    }
    lie(&|reveal| reveal.values.truncate(1));
    lie(&|reveal| reveal.values.push(0));
    // The dice of the other seat, although they match the commitment of that seat.
    let Part::Reveal(of_guest) = table.part(PartKind::Reveal, &log, Seat::GUEST) else {
        panic!("not a reveal");
    };
    lie(&|reveal| *reveal = of_guest.clone());
}

#[test]
fn commitment_of_the_other_seat_or_of_another_roll_cannot_be_opened() {
    let table = free_deck(2);
    let honest = in_phase(&table, |phase| matches!(phase, Phase::Commit(_)));
    let game = honest.game().expect("a hand in play");
    let reveal = |seat| match table.part(PartKind::Reveal, &honest, seat) {
        Part::Reveal(reveal) => reveal,
        other => panic!("{other:?}"),
    };
    let dice = "2d6".parse().unwrap();
    let context = honest.attempt().dice_context();
    let other_try = Attempt {
        attempt: 1,
        ..honest.attempt()
    };
    let other_context = other_try.dice_context();
    let terms = |context, number| Terms {
        context,
        number,
        dice,
    };
    let number = u64::from(game.rolls());
    let mine = reveal(Seat::HOST);
    for commitment in [
        reveal(Seat::GUEST).commitment(&terms(&context, number), 1),
        mine.commitment(&terms(&context, number), 1),
        mine.commitment(&terms(&context, number + 1), 0),
        mine.commitment(&terms(&other_context, number), 0),
    ] {
        let mut log = honest.clone();
        let parts = [
            (Seat::HOST, Part::Commit(commitment.0)),
            (Seat::GUEST, table.part(PartKind::Commit, &log, Seat::GUEST)),
        ];
        for (seat, part) in parts {
            log.accept(table.sign(&log, seat, &part)).unwrap();
        }
        for other in [mine.clone(), reveal(Seat::GUEST)] {
            let found = foul(&table, &log, Seat::HOST, &Part::Reveal(other));
            assert_eq!(found, PartFoul::Dice(dice::Check::NotCommitted));
        }
    }
}

#[test]
fn committed_value_that_no_die_has_is_a_foul() {
    let table = free_deck(2);
    let mut log = in_phase(&table, |phase| matches!(phase, Phase::Commit(_)));
    let lie = Reveal {
        values: vec![0, 6],
        nonce: [1; 32],
    };
    let context = log.attempt().dice_context();
    let terms = Terms {
        context: &context,
        number: 0,
        dice: "2d6".parse().unwrap(),
    };
    let commitment = Part::Commit(lie.commitment(&terms, 0).0);
    log.accept(table.sign(&log, Seat::HOST, &commitment))
        .unwrap();
    let of_guest = table.part(PartKind::Commit, &log, Seat::GUEST);
    log.accept(table.sign(&log, Seat::GUEST, &of_guest))
        .unwrap();
    let found = foul(&table, &log, Seat::HOST, &Part::Reveal(lie));
    let out_of_range = dice::Check::OutOfRange { die: 1 };
    assert_eq!(found, PartFoul::Dice(out_of_range));
}

#[test]
fn withheld_reveal_leaves_the_log_waiting_and_no_dice_are_rolled_again() {
    let table = free_deck(2);
    let (mut log, honest) = to_reveal(&table);
    log.accept(table.sign(&log, Seat::HOST, &Part::Reveal(honest)))
        .unwrap();
    assert_eq!(log.waits_for(), [Seat::GUEST]);
    let may = log.may_sign(Seat::GUEST);
    assert_eq!(may[0], PartKind::Reveal);
    for kind in [
        PartKind::Commit,
        PartKind::Again,
        PartKind::Deal,
        PartKind::Move,
    ] {
        assert!(!may.contains(&kind), "{kind}");
    }
    log.accept(table.sign(&log, Seat::GUEST, &Part::Forfeit))
        .unwrap();
    let stops = vec![(Seat::GUEST, Stop::Forfeit)];
    assert_eq!(log.phase(), Phase::Over(End::Stopped(stops)));
}

#[test]
fn faces_are_the_sums_of_the_values_of_all_seats() {
    for seats in [2, 3] {
        let table = free_deck(seats);
        let log = in_phase(&table, |phase| matches!(phase, Phase::Reveal(_)));
        let mut after = log.clone();
        table.play_until(&mut after, |log| !matches!(log.phase(), Phase::Reveal(_)));
        let mut sums = [0; 2];
        for seat in table.seats() {
            let Part::Reveal(reveal) = table.part(PartKind::Reveal, &log, seat) else {
                panic!("not a reveal");
            };
            for (sum, value) in sums.iter_mut().zip(&reveal.values) {
                *sum += value;
            }
        }
        let rolled = after.game().unwrap().last_roll().unwrap();
        assert_eq!(rolled.faces, sums.map(|sum| sum % 6 + 1));
    }
}

fn to_reseal(table: &TestMatch, seat: Seat) -> MatchLog {
    in_phase(
        table,
        |phase| matches!(phase, Phase::Reseal(of, _) if *of == seat),
    )
}

#[test]
fn reseal_with_missing_or_extra_values_is_a_foul() {
    let table = free_deck(2);
    for seat in [Seat::HOST, Seat::GUEST] {
        let log = to_reseal(&table, seat);
        let Part::Reseal(honest) = table.part(PartKind::Reseal, &log, seat) else {
            panic!("not a reseal");
        };
        let changes: [fn(&mut Reseal); 5] = [
            |reseal| reseal.masked.push(0),
            |reseal| reseal.masked.truncate(1),
            |reseal| reseal.commitments.truncate(1),
            |reseal| reseal.commitments.push([0; 32]),
            |reseal| reseal.commitments.clear(),
        ];
        for change in changes {
            let mut reseal = honest.clone();
            change(&mut reseal);
            if reseal == honest {
                continue;
            }
            let found = foul(&table, &log, seat, &Part::Reseal(reseal));
            let fouls = [PartFoul::Seal, PartFoul::Malformed];
            assert!(fouls.contains(&found), "{found}");
        }
        let again = foul(&table, &log, seat, &Part::Again);
        assert_eq!(again, PartFoul::Kind(PartKind::Again));
    }
}

#[test]
fn resealed_card_opens_its_new_commitment_only() {
    let table = free_deck(2);
    let before = to_reseal(&table, Seat::HOST);
    let log = in_phase(&table, |phase| match phase {
        Phase::Open(openings) => openings.iter().any(|opening| {
            let owners = (opening.opener == Seat::GUEST) && opening.cards.len() == 2;
            owners && opening.cards[0].1 == Learners::All
        }),
        _ => false,
    });
    let Phase::Open(openings) = log.phase() else {
        panic!("not an opening");
    };
    for opening in openings {
        let positions: Vec<usize> = opening.cards.iter().map(|card| card.0).collect();
        assert!(positions.iter().all(|&at| log.resealed(at).is_some()));
        // The shares and nonces of the cards at these positions before the reshuffle.
        let old = table.opening(&before, opening.opener, &positions);
        let found = foul(&table, &log, opening.opener, &old);
        assert_eq!(found, PartFoul::Commitment(positions[0]));
    }
}

#[test]
fn hand_that_not_all_seats_reseal_is_unchanged() {
    let table = free_deck(2);
    for seat in [Seat::HOST, Seat::GUEST] {
        let mut log = to_reseal(&table, seat);
        let held = log.game().unwrap().held(Seat::HOST);
        log.accept(table.sign(&log, seat, &Part::Void)).unwrap();
        assert!(matches!(log.phase(), Phase::Choose { .. }));
        assert_eq!(log.game().unwrap().held(Seat::HOST), held);
        assert!(
            held.iter()
                .all(|&position| log.resealed(position).is_none())
        );
    }
}

/// The deck is final before the first choice, because an opening without cards comes first.
/// Otherwise the host could undo all dice at the guest's first draw.
#[test]
fn host_cannot_declare_the_try_void_after_a_roll() {
    let table = free_deck(2);
    let chooses = |log: &MatchLog| matches!(log.phase(), Phase::Choose { .. });
    let mut log = in_phase(&table, |phase| matches!(phase, Phase::Choose { .. }));
    let mut rolled = false;
    loop {
        let Phase::Choose { seat, .. } = log.phase() else {
            panic!("{:?}", log.phase());
        };
        let draws = seat == Seat::GUEST && rolled;
        let choice = match seat {
            Seat::HOST => Choice::Roll("2d6".parse().unwrap()),
            _ if draws => Choice::Draw,
            _ => Choice::Pass,
        };
        rolled |= seat == Seat::HOST;
        let part = table.sign(&log, seat, &Part::Move(choice));
        log.accept(part).unwrap();
        if draws {
            break;
        }
        table.play_until(&mut log, chooses);
    }
    assert!(matches!(log.phase(), Phase::Open(_)));
    assert!(log.game().is_some_and(|game| game.rolls() > 0));
    assert!(!log.may_sign(Seat::HOST).contains(&PartKind::Again));
    let found = foul(&table, &log, Seat::HOST, &Part::Again);
    assert_eq!(found, PartFoul::Kind(PartKind::Again));
}
