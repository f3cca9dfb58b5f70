//! Every part of every step of an honest hand, replaced by every other kind of part.

use strum::IntoEnumIterator;

use super::super::*;
use super::test_match::{TestMatch, boards, draw, free_deck, holdem};
use crate::seat::Seat;

fn tables() -> [TestMatch; 5] {
    [
        holdem(2, 1),
        draw(2, 1),
        free_deck(2),
        holdem(3, 1),
        boards(2),
    ]
}

/// Calls `check` before every part of an honest match, and at the end of the match.
fn at_each_part(table: &TestMatch, mut check: impl FnMut(&mut MatchLog)) {
    let mut log = table.log();
    while !matches!(log.phase(), Phase::Over(_)) {
        check(&mut log);
        table.sign_next(&mut log);
    }
    check(&mut log);
}

/// A part of each kind of a sealed deck, as valid as possible in the current state.
fn all_kinds(table: &TestMatch, log: &MatchLog, seat: Seat) -> Vec<Part> {
    let make = |kind| table.part(kind, log, seat);
    let sealed = PartKind::iter().filter(|kind| *kind <= PartKind::Dispute);
    sealed.map(make).collect()
}

#[test]
fn signed_part_of_a_disallowed_kind_is_a_foul_of_its_signer() {
    for table in tables() {
        at_each_part(&table, |log| {
            let hash = log.hash();
            for seat in table.seats() {
                let may = log.may_sign(seat);
                let has_signed = log.part(log.step(), seat).is_some();
                for part in all_kinds(&table, log, seat) {
                    if may.contains(&part.kind()) || has_signed {
                        continue;
                    }
                    match log.accept(table.sign(log, seat, &part)) {
                        Err(Refused::Foul(proof)) => assert_eq!(proof.part.seat, seat),
                        Err(Refused::Over) => assert!(matches!(log.phase(), Phase::Over(_))),
                        other => panic!("{part:?} {other:?}"),
                    }
                }
            }
            assert_eq!(log.hash(), hash);
        });
    }
}

#[test]
fn allowed_part_has_the_same_effect_for_signer_and_receiver() {
    for table in tables() {
        at_each_part(&table, |log| {
            for seat in table.seats() {
                for kind in log.may_sign(seat) {
                    let part = table.part(kind, log, seat);
                    let (mut receiver, mut signer) = (log.clone(), log.clone());
                    let signed = signer.sign(&table.identities[seat.index()], seat, &part);
                    let (signed, events) = signed.unwrap();
                    let accepted = receiver.accept(signed);
                    assert_eq!(accepted, Ok(Accepted::New(part, events)));
                    assert_eq!(
                        (receiver.hash(), receiver.phase()),
                        (signer.hash(), signer.phase())
                    );
                }
            }
        });
    }
}

#[test]
fn part_without_a_valid_signature_of_its_seat_for_its_step_is_refused() {
    for table in tables() {
        let mut old: Option<SignedPart> = None;
        at_each_part(&table, |log| {
            let Some(&seat) = log.waits_for().first() else {
                return;
            };
            let good = table.sign(log, seat, &table.honest(log, seat));
            let mut wrong = vec![
                SignedPart {
                    signature: [0; 64],
                    ..good.clone()
                },
                SignedPart {
                    signature: flipped(good.signature),
                    ..good.clone()
                },
            ];
            let other = seat.next(table.match_info.seats());
            let by_other = table.sign(log, other, &table.honest(log, seat));
            wrong.push(SignedPart { seat, ..by_other });
            if let Some(old) = &old {
                let (step, seat) = (log.step(), good.seat);
                wrong.push(SignedPart {
                    step,
                    seat,
                    ..old.clone()
                });
            }
            for part in wrong {
                assert_eq!(log.accept(part), Err(Refused::Signature(seat)));
            }
            let late = SignedPart {
                step: good.step + 1,
                ..good.clone()
            };
            let now = log.step();
            assert_eq!(
                log.accept(late),
                Err(Refused::TooEarly { step: now + 1, now })
            );
            let nobody = Seat::new(table.match_info.seats() as u8);
            let strange = SignedPart {
                seat: nobody,
                ..good.clone()
            };
            assert_eq!(log.accept(strange), Err(Refused::NoSuchSeat(nobody)));
            old = Some(good);
        });
    }
}

fn flipped(mut signature: [u8; 64]) -> [u8; 64] {
    signature[5] ^= 1;
    signature
}

#[test]
fn changed_bit_or_length_makes_a_foul_or_another_allowed_part() {
    for table in tables() {
        at_each_part(&table, |log| {
            let Some(&seat) = log.waits_for().first() else {
                return;
            };
            let honest = table.honest(log, seat);
            let bytes = honest.encode(log.shape(), log.size(seat));
            for length in [0, 1, bytes.len() - 1, bytes.len() + 1] {
                let mut other = bytes.clone();
                other.resize(length, 0);
                let signed = table.sign_bytes(log, seat, other);
                assert!(
                    matches!(log.accept(signed), Err(Refused::Foul(_))),
                    "{honest:?} {length}"
                );
            }
            // One bit of each byte of a short part, or of some bytes of a long one.
            for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
                let mut other = bytes.clone();
                other[at] ^= 1 << (at % 8);
                let signed = table.sign_bytes(log, seat, other.clone());
                if let Ok(Accepted::New(part, _)) = log.clone().accept(signed) {
                    assert_eq!(part.encode(log.shape(), bytes.len()), other);
                    assert_ne!(part, honest);
                }
            }
        });
    }
}

#[test]
fn all_parts_that_are_allowed_in_a_phase_have_the_same_size() {
    for table in tables() {
        at_each_part(&table, |log| {
            for seat in table.seats() {
                let size = log.size(seat);
                for kind in log.may_sign(seat) {
                    assert_eq!(
                        table.part(kind, log, seat).encode(log.shape(), size).len(),
                        size,
                        "{kind}"
                    );
                }
            }
        });
    }
}

#[test]
fn match_that_is_over_accepts_and_signs_nothing() {
    let table = holdem(2, 1);
    let mut log = table.played();
    assert_eq!(log.phase(), Phase::Over(End::Played));
    for seat in table.seats() {
        for part in all_kinds(&table, &log, seat) {
            let signed = table.sign(&log, seat, &part);
            assert_eq!(log.accept(signed), Err(Refused::Over));
            let result = log.sign(&table.identities[seat.index()], seat, &part);
            assert_eq!(result, Err(CannotSign::Over));
        }
    }
}

#[test]
fn seat_cannot_sign_twice_in_a_step() {
    let table = holdem(2, 1);
    let mut log = table.log();
    let first = table.sign_next(&mut log);
    let identity = &table.identities[0];
    let again = log.sign(identity, Seat::HOST, &Part::Leave);
    assert_eq!(again, Err(CannotSign::AlreadySigned));
    assert_eq!(log.accept(first), Ok(Accepted::Known));
}
