//! A seat that shows the other seats two histories, for each part that it can sign.

use std::collections::BTreeSet;

use dealerless::verifiable::{Partials, Show};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::super::signed::SignedPart;
use super::super::*;
use super::cheats_of_several::{at_each_part, at_each_part_of, honest_part, signed_bytes};
use super::many_seats::{Table, is_release, verifiable, verifiable_draw};
use crate::play::VerifiableSeat;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// Another part that the seat could have signed instead.
fn other_part(table: &Table, seat: Seat, honest: &SignedPart) -> Option<SignedPart> {
    let log = &table.seats[seat.index()].log;
    let deck = log.deck_now(seat)?;
    let mut rng = StdRng::seed_from_u64(77);
    let key = |deck: &DeckNow<'_>| {
        let secret = Zeroizing::new([seat.number() + 1; 32]);
        let own = VerifiableSeat::new(log, seat, secret)?;
        own.secret_key(deck)
    };
    let part = match Part::decode(&honest.part, log.shape()).ok()? {
        Part::Keys(_) => VerifiableSeat::new(log, seat, Zeroizing::new([99; 32]))?
            .part(log)
            .ok()??,
        // A wrong share for the last receiver, who complains.
        Part::KeyDealing(mut bytes) => {
            *bytes.last_mut()? ^= 1;
            Part::KeyDealing(bytes)
        }
        Part::Deal(deal) => Part::Deal(Deal {
            deck: DealInput::Verifiable {
                out: true,
                end: [0; 32],
            },
            ..deal
        }),
        Part::Shuffle(_) => Part::Shuffle(deck.deck().shuffle(&deck.context()?, &mut rng).0),
        Part::Partials(_) => match deck.opens()? {
            Opens::Slots(slots) => {
                let (context, decks) = (deck.context()?, deck.hand()?);
                let made = Partials::make(&context, decks, &slots, &key(&deck)?, &mut rng);
                Part::Partials(made.ok()?.0)
            }
            Opens::Shown(..) => return None,
        },
        Part::Show(_) => match deck.opens()? {
            Opens::Shown(to, shown) => {
                let (context, decks) = (deck.context()?, deck.hand()?);
                Part::Show(Show::make(&context, decks, to, &shown, &key(&deck)?, &mut rng).ok()?)
            }
            Opens::Slots(_) => return None,
        },
        Part::Move(Choice::Fold) => return None,
        Part::Move(Choice::Show) => Part::Move(Choice::Muck),
        Part::Move(Choice::Exchange(_)) => Part::Move(Choice::Exchange(vec![1])),
        Part::Move(_) => Part::Leave,
        Part::Result { stacks, .. } => Part::Result {
            stacks,
            next: AfterHand::Leave,
            buy: 0,
        },
        _ => return None,
    };
    let bytes = part.encode(log.shape(), log.size(seat));
    (bytes != honest.part).then(|| signed_bytes(table, seat, bytes))
}

/// The cheat signs two versions of a part, and shows one to each group. It then plays on with each group,
/// and the groups also talk to each other. Nobody honest opens a card in two histories, and what two
/// seats of different groups have convicts the cheat.
fn show_two_histories(table: &Table, cheat: Seat, parts: [SignedPart; 2], groups: [&[Seat]; 2]) {
    let log = &table.seats[cheat.index()].log;
    let split = log.step();
    // Two copies of the table: in each of them the cheat and one group play on.
    let mut worlds = parts.map(|part| {
        let mut world = table.copy();
        for seat in world.of.seats() {
            let accepted = world.seats[seat.index()].log.accept(part.clone());
            accepted.expect("both versions are allowed");
        }
        world
    });
    if log.phase() == Phase::Keys {
        let secret = Zeroizing::new([99; 32]);
        worlds[1].seats[cheat.index()].own = VerifiableSeat::new(log, cheat, secret).unwrap();
    }
    // A group hears the cheat, its own seats, and what the other group signs for another history.
    for _ in 0..30 {
        for place in [0, 1] {
            for seat in [&[cheat], groups[place]].concat() {
                let Some(statement) = worlds[place].sign(seat) else {
                    continue;
                };
                let own = groups[place].iter().chain([&cheat]).map(|to| (place, *to));
                let others = groups[1 - place].iter().map(|to| (1 - place, *to));
                for (other, to) in own.chain(others).filter(|(_, to)| *to != seat) {
                    let log = &mut worlds[other].seats[to.index()].log;
                    let _ = log.accept_statement(statement.clone());
                }
            }
        }
    }
    for (world, group) in worlds.iter().zip(groups) {
        for &victim in group {
            let log = &world.seats[victim.index()].log;
            let released = log
                .history(split + 1)
                .any(|part| part.seat == victim && part.step > split && is_release(part));
            assert!(!released, "{victim} opened cards in its own log");
        }
    }
    // Two seats of different groups send each other what they have.
    let [one, two] = [0, 1].map(|place| {
        let victim = groups[place][0];
        worlds[place].seats[victim.index()].log.clone()
    });
    for (log, from) in [(&one, &two), (&two, &one)] {
        let mut log = log.clone();
        let mut evidence = None;
        for statement in from.statements(0) {
            match log.accept_statement(statement) {
                Ok(_) => {}
                Err(Refused::Fork(found)) => {
                    evidence = Some(found);
                    break;
                }
                refused => panic!("{refused:?}"),
            }
        }
        let evidence = evidence.expect("the two logs conflict");
        assert_eq!((evidence.seat(), evidence.step()), (cheat, split));
        assert!(evidence.holds(&table.of.match_info));
        log.record_fork(*evidence).unwrap();
        assert_eq!(log.phase(), Phase::Over(End::Fork { seat: cheat }));
    }
}

const KINDS: [PartKind; 8] = [
    PartKind::Keys,
    PartKind::KeyDealing,
    PartKind::Deal,
    PartKind::Shuffle,
    PartKind::Partials,
    PartKind::Move,
    PartKind::Show,
    PartKind::Result,
];

/// Two versions of the part that the seat signs next, and their kind.
fn versions(table: &mut Table, seat: Seat) -> Option<([SignedPart; 2], PartKind)> {
    let honest = honest_part(table, seat);
    let other = other_part(table, seat, &honest)?;
    let log = &table.seats[seat.index()].log;
    let kind = Part::decode(&honest.part, log.shape()).unwrap().kind();
    Some(([honest, other], kind))
}

#[test]
fn seat_that_shows_two_logs_is_convicted_and_nobody_honest_opens_a_card_in_two_logs() {
    let mut kinds = BTreeSet::new();
    at_each_part(|table, cheat| {
        let Some((parts, kind)) = versions(table, cheat) else {
            return;
        };
        kinds.insert(kind);
        let victims = [cheat.next(3), cheat.next(3).next(3)];
        show_two_histories(table, cheat, parts, [&victims[..1], &victims[1..]]);
    });
    assert!(KINDS.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}

#[test]
fn seat_that_exchanges_other_cards_in_another_log_is_convicted() {
    let mut count = 0;
    at_each_part_of(verifiable_draw(3, 1), |table, cheat| {
        let log = &table.seats[cheat.index()].log;
        let legal = match log.phase() {
            Phase::Choose { legal, .. } => legal,
            _ => return,
        };
        if legal == Legal::Exchange {
            count += 1;
            let (parts, _) = versions(table, cheat).unwrap();
            let victims = [cheat.next(3), cheat.next(3).next(3)];
            show_two_histories(table, cheat, parts, [&victims[..1], &victims[1..]]);
        }
    });
    assert_eq!(count, 3);
}

#[test]
fn seat_that_shows_another_log_to_half_of_the_others_is_convicted() {
    let mut kinds = BTreeSet::new();
    at_each_part_of(verifiable(5, 1), |table, cheat| {
        let is_new = |of: &(_, PartKind)| !kinds.contains(&of.1);
        let Some((parts, kind)) = versions(table, cheat).filter(is_new) else {
            return;
        };
        kinds.insert(kind);
        let victims: Vec<Seat> = table.of.seats().filter(|seat| *seat != cheat).collect();
        show_two_histories(table, cheat, parts, [&victims[..2], &victims[2..]]);
    });
    assert!(KINDS.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}

/// The last pad of a dealing is wrong, and its receiver complains to one seat only.
#[test]
fn seat_that_complains_to_one_seat_only_is_convicted() {
    let mut table = Table::new(verifiable(3, 1), 1);
    let [dealer, cheat] = [1, 2].map(Seat::new);
    for seat in table.of.seats() {
        let keys = table.sign(seat).unwrap();
        table.send(&keys);
    }
    table.deliver_all();
    let mut bytes = honest_part(&mut table, dealer).part;
    *bytes.last_mut().unwrap() ^= 1;
    let wrong = signed_bytes(&table, dealer, bytes);
    let mut parts = [Seat::HOST, cheat]
        .map(|seat| honest_part(&mut table, seat))
        .to_vec();
    parts.push(wrong);
    for seat in &mut table.seats {
        for part in &parts {
            seat.log.accept(part.clone()).unwrap();
        }
        assert_eq!(seat.log.phase(), Phase::Complaints);
    }
    let complaint = honest_part(&mut table, cheat);
    let log = &table.seats[cheat.index()].log;
    let fine = Part::Fine.encode(log.shape(), log.size(cheat));
    assert_ne!(complaint.part, fine);
    let parts = [complaint, signed_bytes(&table, cheat, fine)];
    show_two_histories(&table, cheat, parts, [&[Seat::HOST], &[dealer]]);
}

/// A seat leaves in one history, and publishes its share of the key there. In the other one it plays on.
#[test]
fn share_of_the_key_and_an_ack_for_two_histories_convict_the_seat() {
    let mut table = Table::new(verifiable(3, 1), 3);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let log = table.seats[0].log.clone();
    let cheat = log.waits_for()[0];
    let step = log.step() + 1;
    let [mut left, mut stays] = [Part::Leave, Part::Move(Choice::Fold)].map(|part| {
        let mut log = log.clone();
        log.accept(table.of.sign(&log, cheat, &part)).unwrap();
        log
    });
    assert_eq!(left.phase(), Phase::Key(cheat));
    let secret = Zeroizing::new([cheat.number() + 1; 32]);
    let mut own = VerifiableSeat::new(&left, cheat, secret).unwrap();
    let key = own.part(&left).unwrap().unwrap();
    let key = Statement {
        before: left.hash(),
        signed: Signed::Part(table.of.sign(&left, cheat, &key)),
    };
    let identity = &table.of.identities[cheat.index()];
    let (of, before) = (table.of.match_info.id(), stays.hash());
    let ack = SignedAck::sign(identity, &of, step, &before, cheat);
    let ack = Statement {
        before,
        signed: Signed::Ack(ack),
    };
    for (log, statements) in [(&mut left, [&key, &ack]), (&mut stays, [&ack, &key])] {
        log.accept_statement(statements[0].clone()).unwrap();
        let Err(Refused::Fork(evidence)) = log.accept_statement(statements[1].clone()) else {
            panic!("two histories");
        };
        assert_eq!((evidence.seat(), evidence.step()), (cheat, step));
        assert!(evidence.holds(&table.of.match_info));
    }
}

/// In each step of a hand, a seat confirms the history, and also signs an ack for another history.
#[test]
fn ack_for_another_history_convicts_its_seat_together_with_any_statement_for_the_step() {
    at_each_part(|table, cheat| {
        let part = honest_part(table, cheat);
        let log = table.seats[cheat.next(3).index()].log.clone();
        let identity = &table.of.identities[cheat.index()];
        let (of, step) = (table.of.match_info.id(), log.step());
        let ack = |before: [u8; 32]| Statement {
            before,
            signed: Signed::Ack(SignedAck::sign(identity, &of, step, &before, cheat)),
        };
        let (own, other) = (ack(log.hash()), ack([8; 32]));
        let part = Statement {
            before: log.hash(),
            signed: Signed::Part(part),
        };
        let has_spoken = log.has_spoken(step, cheat);
        for first in [own, part] {
            let mut log = log.clone();
            if !has_spoken {
                // Nobody is convicted before both statements are there.
                let refused = log.accept_statement(other.clone());
                assert_eq!(refused, Err(Refused::OtherHistory { seat: cheat, step }));
            }
            log.accept_statement(first).unwrap();
            let Err(Refused::Fork(evidence)) = log.accept_statement(other.clone()) else {
                panic!("two histories in step {step}");
            };
            assert_eq!((evidence.seat(), evidence.step()), (cheat, step));
            assert!(evidence.holds(&table.of.match_info));
        }
    });
}
