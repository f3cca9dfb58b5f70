//! Parts of a verifiable deck with valid proofs that are not due: in another phase, of another seat, or
//! for other cards than those that the seat opens.

use dealerless::verifiable::{Partials, Receiver, Slot};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::super::*;
use super::cheats_of_several::{at_each_part, honest_part};
use super::many_seats::Table;
use crate::play::VerifiableSeat;
use crate::seat::Seat;

/// The part of a seat, signed for the current step of the log.
fn signed(table: &Table, log: &MatchLog, seat: Seat, bytes: Vec<u8>) -> SignedPart {
    table.of.sign_bytes(log, seat, bytes)
}

/// The log of a seat that has not signed yet.
fn other_log(table: &Table, seat: Seat) -> MatchLog {
    table.seats[seat.next(3).index()].log.clone()
}

fn kind(log: &MatchLog, bytes: &[u8]) -> PartKind {
    Part::decode(bytes, log.shape()).unwrap().kind()
}

/// Partial decryptions of these cards, for the current step. `None` if they cannot be made.
fn partials(log: &MatchLog, seat: Seat, slots: &[Slot]) -> Option<Vec<u8>> {
    let own = VerifiableSeat::new(log, seat, Zeroizing::new([seat.number() + 1; 32]))?;
    let deck = log.deck_now(seat)?;
    let (context, decks) = (deck.context()?, deck.hand()?);
    let mut rng = StdRng::seed_from_u64(1);
    let made = Partials::make(&context, decks, slots, &own.secret_key(&deck)?, &mut rng);
    let part = Part::Partials(made.ok()?.0);
    Some(part.encode(log.shape(), log.size(seat)))
}

fn to_all(position: usize) -> Slot {
    Slot {
        deck: 0,
        position,
        receiver: Receiver::All,
    }
}

/// All parts of an honest match, the share of the key of each seat, and complaints.
fn all_parts() -> Vec<(Seat, u64, Vec<u8>)> {
    let mut parts = Vec::new();
    at_each_part(|table, seat| {
        let part = honest_part(table, seat);
        parts.push((seat, part.step, part.part));
        let log = &table.seats[seat.index()].log;
        if matches!(log.phase(), Phase::Result(_)) {
            let secret = Zeroizing::new([seat.number() + 1; 32]);
            let own = VerifiableSeat::new(log, seat, secret).unwrap();
            let key = own.secret_key(&log.deck_now(seat).unwrap()).unwrap();
            let none = u64::MAX;
            parts.push((seat, none, Part::Key(*key.share()).encode(log.shape(), 0)));
            parts.push((
                seat,
                none,
                Part::Complain(vec![0; 97]).encode(log.shape(), 0),
            ));
        }
    });
    parts
}

#[test]
fn valid_part_of_another_phase_step_or_turn_is_a_foul_of_its_signer() {
    let parts = all_parts();
    let mut kinds = std::collections::BTreeSet::new();
    at_each_part(|table, due| {
        let log = other_log(table, due);
        for (seat, step, bytes) in &parts {
            let (seat, kind) = (*seat, kind(&log, bytes));
            let may = log.may_sign(seat);
            let mut bytes = bytes.clone();
            bytes.resize(bytes.len().max(log.size(seat)), 0);
            let result = log.clone().accept(signed(table, &log, seat, bytes.clone()));
            if let Some(known) = log.part(log.step(), seat) {
                match result {
                    Ok(accepted) => assert!(accepted == Accepted::Known && known.part == bytes),
                    Err(Refused::Fork(evidence)) => assert_eq!(evidence.seat(), seat),
                    refused => panic!("{kind}: {refused:?}"),
                }
                continue;
            }
            use PartKind::*;
            let is_bound = [KeyDealing, Shuffle, Partials, Show, Complain].contains(&kind);
            if !may.contains(&kind) || is_bound && *step != log.step() {
                let Err(Refused::Foul(proof)) = result else {
                    panic!("{kind} of step {step} in step {}: {result:?}", log.step());
                };
                assert_eq!(proof.part.seat, seat);
                assert_eq!(proof.foul == PartFoul::NotItsTurn, may.is_empty(), "{kind}");
                kinds.insert(kind);
            }
        }
    });
    use PartKind::*;
    let expected = [
        Deal, Move, Result, Keys, KeyDealing, Fine, Complain, Shuffle, Partials, Show, Key,
    ];
    assert_eq!(kinds, expected.into_iter().collect());
}

#[test]
fn card_that_is_opened_early_or_twice_is_a_foul_although_its_proof_is_valid() {
    let mut opened = [0; 2];
    at_each_part(|table, due| {
        let log = other_log(table, due);
        let Some(game) = log
            .game()
            .filter(|_| log.deck_now(due).unwrap().hand().is_some())
        else {
            return;
        };
        let held = game.held(due)[0];
        // A hole card, and the five board cards.
        for position in [held, 6, 7, 8, 9, 10] {
            for seat in table.of.seats() {
                if log.part(log.step(), seat).is_some() {
                    continue;
                }
                let bytes = partials(&log, seat, &[to_all(position)]).unwrap();
                let honest = match log.may_sign(seat)[..] {
                    [PartKind::Partials] => honest_part(table, due).part,
                    _ => Vec::new(),
                };
                // The only card that is due.
                if seat == due && honest.len() == bytes.len() && is_due(&log, position) {
                    continue;
                }
                if is_due(&log, position) && !log.may_sign(seat).is_empty() {
                    continue;
                }
                let part = signed(table, &log, seat, bytes);
                let Err(Refused::Foul(proof)) = log.clone().accept(part) else {
                    panic!("{seat} opens card {position} in step {}", log.step());
                };
                assert_eq!(proof.part.seat, seat);
                opened[usize::from(log.public_card(position).is_some())] += 1;
            }
        }
    });
    assert!(opened.iter().all(|count| *count > 30), "{opened:?}");
}

/// Whether the seats open only this card, to all.
fn is_due(log: &MatchLog, position: usize) -> bool {
    let Phase::Open(openings) = log.phase() else {
        return false;
    };
    openings.iter().all(|opening| {
        let cards: Vec<usize> = opening.cards.iter().map(|(card, _)| *card).collect();
        cards == [position]
    })
}

#[test]
fn partials_for_other_cards_or_receivers_than_those_that_are_due_are_a_foul_of_their_signer() {
    let (mut changes, mut honest) = (0, 0);
    at_each_part(|table, seat| {
        let log = other_log(table, seat);
        let opens = log.deck_now(seat).unwrap().opens();
        let Some(Opens::Slots(due)) = opens else {
            return;
        };
        let mut others: Vec<Vec<Slot>> = Vec::new();
        for at in 0..due.len() {
            let with = |change: &dyn Fn(&mut Slot)| {
                let mut slots = due.clone();
                change(&mut slots[at]);
                slots.sort();
                slots
            };
            let mut less = due.clone();
            less.remove(at);
            others.push(less);
            for position in 0..11 {
                others.push(with(&|slot| slot.position = position));
                let mut more = due.clone();
                more.push(to_all(position));
                more.sort();
                others.push(more);
            }
            for receiver in [Receiver::All, Receiver::Seat(0), Receiver::Seat(1)] {
                others.push(with(&|slot| slot.receiver = receiver));
            }
        }
        for slots in others {
            // Some of them nobody can make.
            let Some(bytes) = partials(&log, seat, &slots).filter(|_| slots != due) else {
                continue;
            };
            let refused = log.clone().accept(signed(table, &log, seat, bytes));
            let Err(Refused::Foul(proof)) = refused else {
                panic!("{slots:?} instead of {due:?}: {refused:?}");
            };
            assert_eq!(proof.part.seat, seat);
            let is_right = matches!(proof.foul, PartFoul::Partials(_) | PartFoul::Malformed);
            assert!(is_right, "{:?}", proof.foul);
            changes += 1;
        }
        let bytes = partials(&log, seat, &due).unwrap();
        let accepted = log.clone().accept(signed(table, &log, seat, bytes));
        assert!(matches!(accepted, Ok(Accepted::New(..))));
        honest += 1;
    });
    assert!(changes > 300 && honest == 12, "{changes} {honest}");
}
