//! Fouls in a match of three with a verifiable deck: the rule that each of them breaks, and what
//! the other seats conclude when only some of them have received it.

use std::collections::BTreeMap;

use dealerless::verifiable::BadKeys;

use super::super::*;
use super::cheats_of_several::{at_each_part, honest_part, signed_bytes};
use super::many_seats::{Table, verifiable};
use crate::rules::{Choice, Stakes};
use crate::seat::Seat;

/// Adds what the seat sends. Records a conviction.
fn receive(log: &mut MatchLog, statement: Statement) {
    match log.accept_statement(statement) {
        Err(Refused::Foul(proof)) => {
            log.record_foul(*proof);
        }
        Err(Refused::Fork(evidence)) => {
            log.record_fork(*evidence).unwrap();
        }
        _ => {}
    }
}

/// Each log receives everything that the other one has, and its seat confirms the end.
fn exchange(table: &Table, seats: [Seat; 2], logs: &mut [MatchLog; 2]) {
    for _ in 0..3 {
        for (to, from) in [(0, 1), (1, 0)] {
            for statement in logs[from].statements(0) {
                receive(&mut logs[to], statement);
            }
            for evidence in logs[from].evidence().to_vec() {
                logs[to].record_fork(evidence).unwrap();
            }
            if logs[to].owes_ack(seats[to]) {
                let identity = &table.of.identities[seats[to].index()];
                logs[to].sign_ack(identity, seats[to]).unwrap();
            }
        }
    }
    let chips: u64 = logs[0].final_stacks().iter().sum();
    assert_eq!(chips, 300);
    assert_eq!(logs[0].final_stacks(), logs[1].final_stacks());
    assert_eq!(logs[0].phase(), logs[1].phase());
}

/// Whether the foul is the right one.
type Expected = fn(&PartFoul) -> bool;
/// Changes of an honest part, each with its foul.
type Changes = Vec<(Vec<u8>, Expected)>;
type DealChange = (fn(&mut Deal), Expected);

fn changes(log: &MatchLog, seat: Seat, bytes: &[u8]) -> Changes {
    let at = |place: usize, bit: u8| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= bit;
        bytes
    };
    let encoded = |part: &Part| part.encode(log.shape(), log.size(seat));
    let only_kind = |kind: u8| [&[kind], &vec![0; bytes.len() - 1][..]].concat();
    let part = Part::decode(bytes, log.shape()).unwrap();
    let mut changes: Changes = vec![
        (Vec::new(), |foul| *foul == PartFoul::Malformed),
        (only_kind(22), |foul| *foul == PartFoul::Kind(PartKind::Mix)),
        (only_kind(23), |foul| *foul == PartFoul::Malformed),
        (only_kind(255), |foul| *foul == PartFoul::Malformed),
        (only_kind(3), |foul| {
            *foul == PartFoul::Kind(PartKind::Again)
        }),
        (only_kind(8), |foul| {
            *foul == PartFoul::Kind(PartKind::Forfeit)
        }),
        (only_kind(9), |foul| {
            // In a short part, the step is missing.
            matches!(
                foul,
                PartFoul::Kind(PartKind::Dispute) | PartFoul::Malformed
            )
        }),
    ];
    if part.kind() != PartKind::Move {
        changes.push((only_kind(7), |foul| {
            *foul == PartFoul::Kind(PartKind::Leave)
        }));
    }
    let elements = (1..bytes.len()).step_by(32);
    match part {
        // The last element is the commitment to the dealing.
        Part::Keys(_) => changes.extend(elements.take(3).map(|place| -> (_, fn(&_) -> _) {
            (at(place, 2), |foul| {
                matches!(
                    foul,
                    PartFoul::Keys(BadKeys::Possession | BadKeys::Encoding)
                )
            })
        })),
        // The last elements are the shares of the other seats.
        Part::KeyDealing(_) => {
            let seats = log.match_info().seats();
            changes.extend(elements.take(seats + 2).map(|place| -> (_, fn(&_) -> _) {
                (at(place, 2), |foul| matches!(foul, PartFoul::Keys(_)))
            }));
        }
        Part::Fine => {
            let padding = (1..bytes.len()).step_by(19);
            changes.extend(padding.map(|place| -> (_, fn(&_) -> _) {
                (at(place, 1), |foul| *foul == PartFoul::Malformed)
            }));
            // A complaint without a valid proof.
            changes.push((only_kind(17), |foul| matches!(foul, PartFoul::Keys(_))));
        }
        Part::Shuffle(_) => changes.extend([0, 1, 50, 103, 104, 150, 160, 200].map(
            |element| -> (_, fn(&_) -> _) {
                let place = (1 + 32 * element).min(bytes.len() - 1);
                (at(place, 2), |foul| matches!(foul, PartFoul::Shuffle(_)))
            },
        )),
        Part::Partials(_) => changes.extend(elements.map(|place| -> (_, fn(&_) -> _) {
            (at(place, 2), |foul| matches!(foul, PartFoul::Partials(_)))
        })),
        Part::Show(_) => {
            changes.extend(elements.map(|place| -> (_, fn(&_) -> _) {
                (at(place, 2), |foul| matches!(foul, PartFoul::Show(_)))
            }));
            changes.push((only_kind(19), |foul| {
                *foul == PartFoul::Kind(PartKind::Partials)
            }));
        }
        Part::Deal(deal) => {
            let with = |change: fn(&mut Deal)| {
                let mut deal = deal.clone();
                change(&mut deal);
                encoded(&Part::Deal(deal))
            };
            let deals: [DealChange; 10] = [
                (|deal| deal.hand += 1, |foul| *foul == PartFoul::Number),
                (|deal| deal.hand = 0, |foul| *foul == PartFoul::Number),
                (|deal| deal.attempt = 1, |foul| *foul == PartFoul::Number),
                (|deal| deal.stacks[0] += 1, |foul| *foul == PartFoul::Stacks),
                (|deal| deal.stacks[2] = 0, |foul| *foul == PartFoul::Stacks),
                (
                    |deal| deal.stacks[1] = u64::MAX,
                    |foul| *foul == PartFoul::Stacks,
                ),
                (
                    |deal| deal.button = deal.button.next(3),
                    |foul| *foul == PartFoul::Button,
                ),
                (
                    |deal| deal.button = Seat::new(200),
                    |foul| *foul == PartFoul::Button,
                ),
                (|deal| deal.stakes[31] ^= 1, |foul| *foul == PartFoul::Terms),
                (
                    |deal| deal.rebuys[2] = true,
                    |foul| *foul == PartFoul::Rebuy,
                ),
            ];
            changes.extend(deals.map(|(change, right)| (with(change), right)));
            // Neither true nor false.
            let out = bytes.len() - 4 - 32;
            changes.push((at(out, 2), |foul| *foul == PartFoul::Malformed));
        }
        Part::Result { stacks, .. } => {
            for place in 0..stacks.len() {
                for by in [1, u64::MAX] {
                    let mut stacks = stacks.clone();
                    stacks[place] = stacks[place].wrapping_add(by);
                    let next = match place {
                        0 => AfterHand::Leave,
                        _ => AfterHand::Stay,
                    };
                    let result = Part::Result {
                        stacks,
                        next,
                        buy: 0,
                    };
                    changes.push((encoded(&result), |foul| *foul == PartFoul::Result));
                }
            }
            changes.push((at(25, 3), |foul| *foul == PartFoul::Malformed));
            for (next, buy) in [
                (AfterHand::Leave, 1),
                (AfterHand::Stay, Stakes::MAX_STACK + 1),
                (AfterHand::Change, u64::MAX),
            ] {
                let stacks = stacks.clone();
                let result = Part::Result { stacks, next, buy };
                changes.push((encoded(&result), |foul| *foul == PartFoul::Buy));
            }
        }
        Part::Move(_) => {
            for choice in [
                Choice::Raise { to: 101 },
                Choice::Raise { to: 0 },
                Choice::Bet { to: u64::MAX },
                Choice::Exchange(vec![9]),
            ] {
                changes.push((encoded(&Part::Move(choice)), |foul| {
                    matches!(foul, PartFoul::Choice(_) | PartFoul::Malformed)
                }));
            }
            changes.push((at(bytes.len() - 1, 1), |foul| *foul == PartFoul::Malformed));
        }
        part => panic!("{part:?}"),
    }
    changes
}

#[test]
fn each_foul_names_the_broken_rule_and_convicts_its_signer_in_all_logs() {
    let mut fouls = BTreeMap::new();
    at_each_part(|table, seat| {
        let honest = honest_part(table, seat);
        let others = [seat.next(3), seat.next(3).next(3)];
        let logs = others.map(|other| table.seats[other.index()].log.clone());
        let before = logs[0].hash();
        let kind = Part::decode(&honest.part, logs[0].shape()).unwrap().kind();
        let statement = |part: &SignedPart| Statement {
            before,
            signed: Signed::Part(part.clone()),
        };
        for (number, (bytes, right)) in changes(&logs[0], seat, &honest.part)
            .into_iter()
            .enumerate()
        {
            let foul = signed_bytes(table, seat, bytes);
            let refused = logs[0].clone().accept(foul.clone());
            let Err(Refused::Foul(proof)) = refused else {
                panic!("change {number} of {kind}: {refused:?}");
            };
            assert_eq!(proof.part, foul);
            assert!(
                right(&proof.foul),
                "change {number} of {kind}: {}",
                proof.foul
            );
            *fouls.entry(kind).or_insert(0) += 1;
            // A bad signature convicts nobody.
            let mut forged = foul.clone();
            forged.signature[5] ^= 1;
            let refused = logs[0].clone().accept(forged);
            assert_eq!(refused, Err(Refused::Signature(seat)));
            // One log or both receive the foul.
            let end = Phase::Over(End::Foul {
                seat,
                foul: proof.foul.clone(),
            });
            for receivers in [&[0][..], &[1], &[0, 1]] {
                let mut logs = logs.clone();
                for &receiver in receivers {
                    receive(&mut logs[receiver], statement(&foul));
                }
                exchange(table, others, &mut logs);
                assert_eq!(logs[0].phase(), end);
            }
            // One log receives the foul, and the other one the honest part.
            let mut logs = logs.clone();
            receive(&mut logs[0], statement(&foul));
            receive(&mut logs[1], statement(&honest));
            exchange(table, others, &mut logs);
            assert_eq!(logs[0].phase(), Phase::Over(End::Fork { seat }));
        }
    });
    use PartKind::*;
    for kind in [
        Keys, KeyDealing, Fine, Deal, Shuffle, Partials, Move, Show, Result,
    ] {
        assert!(fouls[&kind] > 0, "{fouls:?}");
    }
}

#[test]
fn part_for_another_step_convicts_nobody() {
    at_each_part(|table, seat| {
        let honest = honest_part(table, seat);
        let log = &table.seats[seat.next(3).index()].log;
        for step in [0, log.step() + 1, log.step() + 2, u64::MAX] {
            if step == log.step() {
                continue;
            }
            let moved = SignedPart {
                step,
                ..honest.clone()
            };
            let refused = log.clone().accept(moved).unwrap_err();
            let early = matches!(refused, Refused::TooEarly { .. });
            assert!(early || refused == Refused::Signature(seat), "{refused:?}");
        }
        let unknown = SignedPart {
            seat: Seat::new(3),
            ..honest
        };
        let refused = log.clone().accept(unknown).unwrap_err();
        assert_eq!(refused, Refused::NoSuchSeat(Seat::new(3)));
    });
}

/// The commitment in the keys is opened by the dealing.
#[test]
fn dealing_that_is_not_the_committed_one_is_a_foul() {
    let mut table = Table::new(verifiable(3, 1), 1);
    let seat = Seat::new(2);
    let keys = Seat::all(3).map(|of| honest_part(&mut table, of));
    let keys: Vec<_> = keys.collect();
    let mut changed = keys.clone();
    let mut bytes = keys[2].part.clone();
    *bytes.last_mut().unwrap() ^= 1;
    changed[2] = signed_bytes(&table, seat, bytes);
    let [honest, mut log] = [keys, changed].map(|keys| {
        let mut log = table.of.log();
        for keys in keys {
            log.accept(keys).unwrap();
        }
        log
    });
    assert_eq!(log.phase(), Phase::KeyDealing);
    table.seats[2].log = honest;
    let dealing = honest_part(&mut table, seat).part;
    table.seats[2].log = log.clone();
    let dealing = signed_bytes(&table, seat, dealing);
    let Err(Refused::Foul(proof)) = log.accept(dealing) else {
        panic!("another dealing");
    };
    assert_eq!(proof.foul, PartFoul::Keys(BadKeys::Commitment));
}

/// The match ends with a foul that one log receives when the others are further on.
#[test]
fn chips_after_a_late_foul_are_the_same_in_all_logs() {
    let mut table = Table::new(verifiable(3, 1), 9);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let Phase::Choose { seat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    let (other, cheat) = (seat.next(3), seat.next(3).next(3));
    let foul = signed_bytes(&table, cheat, vec![0; 9]);
    let (before, step) = (table.seats[0].log.hash(), table.seats[0].log.step());
    let statement = Statement {
        before,
        signed: Signed::Part(foul),
    };
    // One honest seat folds before it receives the foul. The other one receives the foul first.
    let honest = [seat, other];
    let mut logs = honest.map(|seat| table.seats[seat.index()].log.clone());
    let identity = &table.of.identities[seat.index()];
    let fold = Part::Move(Choice::Fold);
    logs[0].sign(identity, seat, &fold).unwrap();
    receive(&mut logs[1], statement.clone());
    receive(&mut logs[0], statement);
    exchange(&table, honest, &mut logs);
    // The move counts, because it is in the log of an honest seat.
    assert_eq!(logs[0].counted_steps(), logs[0].step());
    assert_eq!(logs[0].step(), step + 1);
}

/// A seat shows one of the others another move, and that one plays on.
#[test]
fn chips_after_two_moves_for_one_step_are_the_same_in_all_logs() {
    let mut table = Table::new(verifiable(3, 1), 9);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let Phase::Choose { seat: cheat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    let honest = [cheat.next(3), cheat.next(3).next(3)];
    let before = table.seats[0].log.hash();
    let mut logs = honest.map(|seat| table.seats[seat.index()].log.clone());
    for (log, choice) in logs
        .iter_mut()
        .zip([Choice::Call, Choice::Raise { to: 50 }])
    {
        let bytes = Part::Move(choice).encode(log.shape(), log.size(cheat));
        let signed = Signed::Part(signed_bytes(&table, cheat, bytes));
        receive(log, Statement { before, signed });
    }
    exchange(&table, honest, &mut logs);
    assert_eq!(logs[0].counted_steps(), logs[0].step() - 1);
}
