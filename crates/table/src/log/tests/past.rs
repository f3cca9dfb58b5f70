//! Matches that continue another one.

use dealerless_connection::identity::{Fingerprint, Identity};
use rand::rngs::StdRng;

use super::super::*;
use super::many_seats::{Table, passive, verifiable, verifiable_after, verifiable_with};
use super::test_match::{stakes_of, with_players};
use crate::play::{BuyTerms, TableTerms};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

fn player(number: u8) -> Fingerprint {
    Identity::from_seed([number; 32]).public().fingerprint()
}

/// A player who has these chips, and has bought 100.
pub(super) fn member(number: u8, chips: u64) -> Member {
    Member {
        player: player(number),
        chips,
        bought: 100,
    }
}

/// Raises if possible, so that chips change hands.
fn raising(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet {
            raise: Some(range), ..
        } => Choice::Raise { to: range.min },
        legal => passive(legal, rng),
    }
}

fn all_in(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet {
            raise: Some(range), ..
        } => Choice::Raise { to: range.max },
        Legal::Bet {
            bet: Some(range), ..
        } => Choice::Bet { to: range.max },
        legal => passive(legal, rng),
    }
}

/// A finished match of four seats, after three hands.
fn finished() -> Table {
    let mut table = Table::new(verifiable(4, 3), 5);
    table.seats[1].choose = raising;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Played));
    table
}

fn past(table: &Table) -> Past {
    let all: Vec<Past> = (table.seats.iter())
        .map(|seat| Past::of(&seat.log).unwrap())
        .collect();
    assert!(all.iter().all(|past| *past == all[0]));
    all[0].clone()
}

#[test]
fn players_keep_their_chips_and_the_big_blind_moves_on() {
    let table = finished();
    let stacks = table.seats[0].log.stacks().to_vec();
    assert_ne!(stacks, [100; 4]);
    let before = past(&table);
    // The big blinds were those of seats 2, 3 and 0.
    assert_eq!(before.blinds.last, Seat::HOST);
    // Player 0 is away, and players 8 and 9 are new: they sit where player 0 had the last big blind.
    let mut next = Table::new(verifiable_after(before, &[2, 3, 8, 9, 1], 1), 6);
    let first = [stacks[2], stacks[3], 100, 100, stacks[1]];
    assert_eq!(next.of.match_info.first_stacks(), first);
    let named = next.of.match_info.header().past().unwrap();
    assert_eq!(named.without, [Seat::HOST]);
    next.play_until(|log| log.game().is_some());
    // Player 8 has the big blind, player 3 the small one.
    let game = next.seats[0].log.game().unwrap();
    assert_eq!(game.button(), Seat::HOST);
    assert_eq!(game.posted(), [0, 1, 2, 0, 0]);
    next.play();
    let chips: u64 = next.seats[0].log.stacks().iter().sum();
    assert_eq!(chips, first.iter().sum());
    // Player 0 is still in the list, and can come back, to the left of player 8.
    let after = past(&next);
    assert_eq!(*after.players.last().unwrap(), member(0, stacks[0]));
    assert_eq!(after.blinds.last, Seat::new(2));
    let back = verifiable_after(after.clone(), &[8, 0, 9, 2], 1);
    let chips = |number| after.member(player(number)).unwrap().chips;
    let first = [8, 0, 9, 2].map(chips);
    assert_eq!(back.match_info.first_stacks(), first);
    assert_eq!(back.match_info.first_bought(), [100; 4]);
}

#[test]
fn every_buy_counts_and_nobody_sits_without_chips() {
    let before = past(&finished());
    let with = |buys: [u64; 3]| {
        let of = verifiable_after(before.clone(), &[0, 1, 2], 1).match_info;
        let mut header = of.header().clone();
        let table = header.table.as_mut().unwrap();
        table.past.as_mut().unwrap().players[2].chips = 0;
        table.past.as_mut().unwrap().players[3].chips += before.players[2].chips;
        table.buys = buys.to_vec();
        Match::new(header, of.players().to_vec())
    };
    let of = with([7, 0, 30]).unwrap();
    let had = [0, 1].map(|seat| before.players[seat].chips);
    assert_eq!(of.first_stacks(), [had[0] + 7, had[1], 30]);
    assert_eq!(of.first_bought(), [107, 100, 130]);
    assert_eq!(with([7, 0, 0]), Err(CannotSit::NoChips(Seat::new(2))));
}

/// The log of a match before the first step of such a phase.
fn log_until(table: &mut Table, until: fn(&Phase) -> bool) -> MatchLog {
    table.play();
    let mut log = table.of.log();
    let mut statements = table.seats[0].log.statements(0).into_iter();
    while !until(&log.phase()) {
        log.accept_statement(statements.next().unwrap()).unwrap();
    }
    log
}

/// The end of a match of three after a hand in which the seats choose like this, and then sign these
/// numbers, and the log after it.
fn ends(choose: fn(&Legal, &mut StdRng) -> Choice, signs: [(AfterHand, u64); 3]) -> MatchLog {
    let mut table = Table::new(verifiable(3, 3), 4);
    table.seats.iter_mut().for_each(|seat| seat.choose = choose);
    let mut log = log_until(&mut table, |phase| matches!(phase, Phase::Result(_)));
    let Phase::Result(outcome) = log.phase() else {
        panic!();
    };
    for (seat, (next, buy)) in table.of.seats().zip(signs) {
        let stacks = outcome.stacks.clone();
        let part = Part::Result { stacks, next, buy };
        let identity = &table.of.identities[seat.index()];
        log.sign(identity, seat, &part).unwrap();
    }
    log
}

const STAY: (AfterHand, u64) = (AfterHand::Stay, 0);
const LEAVE: (AfterHand, u64) = (AfterHand::Leave, 0);
const CHANGE: (AfterHand, u64) = (AfterHand::Change, 0);

#[test]
fn a_seat_that_leaves_buys_or_makes_room_ends_the_match_with_the_hand() {
    let ends = |signs| ends(passive, signs).phase();
    assert_eq!(ends([STAY, STAY, STAY]), Phase::Deal);
    // Only the first seat makes room.
    assert_eq!(ends([STAY, CHANGE, CHANGE]), Phase::Deal);
    let changed = Phase::Over(End::Changed);
    assert_eq!(ends([CHANGE, STAY, STAY]), changed);
    assert_eq!(ends([STAY, STAY, (AfterHand::Stay, 5)]), changed);
    let left = Phase::Over(End::Left(vec![Seat::GUEST]));
    assert_eq!(ends([STAY, LEAVE, STAY]), left);
}

#[test]
fn a_match_of_a_table_ends_when_fewer_than_two_seats_have_chips() {
    let ends = |signs| ends(all_in, signs);
    let log = ends([STAY, STAY, STAY]);
    assert_eq!(log.stacks().iter().filter(|stack| **stack > 0).count(), 1);
    assert_eq!(log.phase(), Phase::Over(End::NoChips));
    assert!(Seat::all(3).all(|seat| !log.may_rebuy(seat)));
    // A seat that leaves, buys or makes room ends it as in any other hand.
    let changed = Phase::Over(End::Changed);
    assert_eq!(ends([CHANGE, STAY, STAY]).phase(), changed);
    assert_eq!(ends([STAY, STAY, (AfterHand::Stay, 5)]).phase(), changed);
    let left = Phase::Over(End::Left(vec![Seat::GUEST]));
    assert_eq!(ends([CHANGE, LEAVE, STAY]).phase(), left);
}

/// A deal names no rebuy, even of a seat that has no chips.
#[test]
fn a_deal_of_a_table_has_no_rebuys() {
    let mut table = Table::new(verifiable(3, 2), 1);
    let mut log = log_until(&mut table, |phase| *phase == Phase::Deal);
    log.state_mut().stacks = vec![200, 100, 0];
    let sign = |rebuys: [bool; 3]| {
        let (out, end) = (false, log.ahead_end());
        let deal = log.deal(DealInput::Verifiable { out, end }, rebuys.to_vec());
        let part = table.of.sign(&log, Seat::HOST, &Part::Deal(deal));
        log.clone().accept(part)
    };
    assert!(sign([false; 3]).is_ok());
    let Err(Refused::Foul(proof)) = sign([false, false, true]) else {
        panic!("a rebuy");
    };
    assert_eq!(proof.foul, PartFoul::Rebuy);
}

/// The terms of a table of three who buy these numbers of chips.
fn terms(least: u64, most: u64, top_up: bool) -> TableTerms {
    let stakes = stakes_of(100, 3, 3);
    let buys = BuyTerms {
        least,
        most,
        top_up,
        rebuys: BuyTerms::ANY,
    };
    TableTerms::new(stakes, buys, 0, false, false, Clock::default()).unwrap()
}

/// The seats that decide about the next match after this log, and what each seat buys for it.
fn decides(terms: &TableTerms, log: &MatchLog) -> (Vec<Seat>, Vec<u64>) {
    let past = Past::of(log).unwrap();
    (terms.electorate(log, &past), terms.buys(log, &past))
}

#[test]
fn seats_that_have_left_decide_nothing_and_buys_count_if_the_terms_allow_them() {
    let all: Vec<Seat> = Seat::all(3).collect();
    let log = ends(passive, [LEAVE, STAY, (AfterHand::Stay, 5)]);
    let decided = decides(&terms(50, 200, true), &log);
    assert_eq!(decided, (all[1..].to_vec(), vec![0, 0, 5]));
    // A seat that has chips decides also if it may not buy.
    let log = ends(passive, [STAY, STAY, (AfterHand::Stay, 5)]);
    let decided = decides(&terms(50, 200, false), &log);
    assert_eq!(decided, (all.clone(), vec![0; 3]));
    let decided = decides(
        &terms(50, 100, true),
        &ends(passive, [CHANGE, STAY, (AfterHand::Stay, 90)]),
    );
    assert_eq!(decided, (all, vec![0; 3]));
}

#[test]
fn seats_without_chips_decide_nothing_unless_they_buy_some() {
    let log = ends(all_in, [STAY, STAY, STAY]);
    let winner = Seat::all(3)
        .find(|seat| log.stacks()[seat.index()] > 0)
        .unwrap();
    let [one, other] = [winner.next(3), winner.next(3).next(3)];
    let terms = terms(50, 100, true);
    assert_eq!(decides(&terms, &log), (vec![winner], vec![0; 3]));
    let mut signs = [STAY; 3];
    signs[one.index()].1 = 60;
    signs[other.index()].1 = 40;
    let log = ends(all_in, signs);
    let mut both = vec![winner, one];
    both.sort_unstable();
    let mut buys = vec![0; 3];
    buys[one.index()] = 60;
    assert_eq!(decides(&terms, &log), (both, buys));
}

#[test]
fn seats_without_which_an_open_match_is_settled_decide_about_the_next_one() {
    let mut table = Table::new(verifiable(3, 1), 5);
    table.play_until(|log| log.game().is_some());
    let log = &table.seats[0].log;
    let past = log.settled_without(&[Seat::new(2)]).unwrap().past;
    assert_eq!(past.without, [Seat::new(2)]);
    let terms = terms(100, 100, true);
    let all: Vec<Seat> = Seat::all(3).collect();
    assert_eq!(terms.electorate(log, &past), all);
    assert_eq!(terms.buys(log, &past), [0; 3]);
}

/// A seat that was removed knows the list, and the chips that it had not bet.
#[test]
fn a_removed_seat_accepts_only_a_result_with_its_chips_and_the_same_list() {
    let mut before = past(&finished());
    let away = Member {
        bought: 0,
        ..member(7, 0)
    };
    before.players.push(away);
    let stakes = stakes_of(100, 4, 1);
    let mut table = Table::new(verifiable_with(stakes, &[0, 1, 2, 3], 2, Some(before)), 4);
    table.play_until(|log| log.phase() == Phase::Deal);
    let removed = Seat::new(3);
    table.play_without(&[removed]);
    let past = Past::of(&table.seats[0].log).unwrap();
    table.deliver_all();
    let log = &table.seats[3].log;
    assert!(log.is_removed());
    assert!(past.agrees_with(log));
    let refuses = |change: fn(&mut Past)| {
        let mut past = past.clone();
        change(&mut past);
        !past.agrees_with(log)
    };
    assert!(!refuses(|past| past.players[3].chips += 1));
    assert!(!refuses(|past| past.players[0].chips += 1));
    assert!(refuses(|past| past.players[3].chips -= 1));
    assert!(refuses(|past| past.players[3].bought += 1));
    assert!(refuses(|past| past.players[3].bought -= 1));
    assert!(refuses(|past| past.players[0].bought += 1));
    assert!(refuses(|past| past.players[4].chips += 1));
    assert!(refuses(|past| _ = past.players.pop()));
    assert!(refuses(|past| past.players.swap(0, 1)));
    assert!(refuses(|past| past.match_id = MatchId::new([1; 32])));
}

#[test]
fn a_player_without_chips_buys_in_and_stays_in_the_list() {
    let mut before = past(&finished());
    before.players[0].chips += before.players[1].chips;
    before.players[1].chips = 0;
    let broke = Member {
        bought: 0,
        ..member(7, 0)
    };
    before.players.push(broke);
    let mut next = Table::new(verifiable_after(before, &[0, 1, 2], 1), 1);
    assert_eq!(next.of.match_info.first_stacks()[1], 100);
    assert_eq!(next.of.match_info.first_bought()[1], 200);
    next.play();
    let after = past(&next);
    let players: Vec<Fingerprint> = after.players.iter().map(|member| member.player).collect();
    assert_eq!(players, [0, 1, 2, 3, 7].map(player));
    assert_eq!(after.players[4], broke);
}

#[test]
fn guests_sit_in_the_order_in_which_they_sat() {
    let before = past(&finished());
    let mut guests = [0, 8, 1, 3];
    guests.sort_by_key(|&guest| before.place_after(player(2), player(guest)));
    // Player 8 is new, and player 0 had the last big blind.
    assert_eq!(guests, [3, 0, 8, 1]);
    guests.sort_by_key(|&guest| before.place_after(player(1), player(guest)));
    assert_eq!(guests, [1, 3, 0, 8]);
}

#[test]
fn only_a_finished_match_has_a_result() {
    let mut table = Table::new(verifiable(3, 3), 1);
    assert_eq!(Past::of(&table.seats[0].log), None);
    table.play_until(|log| log.attempt().hand == 2);
    assert_eq!(Past::of(&table.seats[0].log), None);
    // A seat that leaves ends the match after the hand.
    table.seats[1].leaves = true;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Left(vec![Seat::new(1)])));
    assert_eq!(past(&table).players.len(), 3);
}

/// Changes to a header, each of which gives another header.
type Change = fn(&mut AtTable, &mut Past);

/// A header with this change.
fn changed(header: &Header, change: Change) -> Header {
    let mut changed = header.clone();
    let table = changed.table.as_mut().unwrap();
    let mut past = table.past.take().unwrap();
    change(table, &mut past);
    table.past = Some(past);
    assert_ne!(changed, *header);
    changed
}

#[test]
fn each_field_of_the_table_has_one_encoding() {
    let of = verifiable_after(past(&finished()), &[0, 1, 2], 1);
    let header = of.match_info.header();
    let changes: [Change; 17] = [
        |table, _| table.id = TableId::of_bytes([1; 32]),
        |table, _| table.number = u16::MAX,
        |table, _| table.buys[2] = 1_000_000_000,
        |_, past| past.match_id = MatchId::new([1; 32]),
        |_, past| past.steps += 1,
        |_, past| past.hash[0] ^= 1,
        |_, past| past.is_open = true,
        |_, past| past.without = vec![],
        |_, past| past.without = vec![Seat::new(0), Seat::new(1), Seat::new(2)],
        |_, past| past.blinds.last = Seat::new(3),
        |_, past| past.blinds.waits = [Seat::new(3)].into_iter().collect(),
        |_, past| past.seats = 3,
        |_, past| past.players.swap(0, 1),
        |_, past| past.players[3].player = player(9),
        |_, past| {
            past.players[3].chips += 1;
            past.players[0].chips -= 1;
        },
        |_, past| {
            past.players[3].bought += 1;
            past.players[0].bought -= 1;
        },
        |_, past| {
            past.players.push(Member {
                bought: 0,
                ..member(40, 0)
            })
        },
    ];
    for (place, change) in changes.into_iter().enumerate() {
        let header = changed(header, change);
        let decoded = Header::decode(&header.encode());
        // Player 3 is left out, so no match of three seats has it.
        match place {
            11 => assert_eq!(decoded, Err(HeaderError::Malformed)),
            _ => assert_eq!(decoded, Ok(header), "{place}"),
        }
    }
}

#[test]
fn header_has_bounds() {
    let of = verifiable_after(past(&finished()), &[0, 1, 2], 1);
    let header = of.match_info.header().clone();
    assert!(header.encode().len() <= Header::MAX_LEN);
    let changes: [Change; 14] = [
        |table, _| table.number = 0,
        |table, _| table.buys[0] = 1_000_000_001,
        |table, _| _ = table.buys.pop(),
        |table, _| table.buys.push(1),
        |_, past| past.players.clear(),
        |_, past| past.players[1] = past.players[0],
        |_, past| past.blinds.last = Seat::new(4),
        |_, past| past.blinds.waits = [Seat::new(4)].into_iter().collect(),
        |_, past| past.without = Seat::all(4).collect(),
        // The chips are not those that were bought.
        |_, past| past.players[0].chips += 1,
        |_, past| past.players[0].bought += 1,
        |_, past| past.players[0].chips = u64::MAX,
        |_, past| {
            let players = &mut past.players[0];
            (players.chips, players.bought) = (players.chips + (1 << 60), 100 + (1 << 60));
        },
        |_, past| {
            let others = 40..69;
            past.players.extend(others.map(|number| Member {
                bought: 1,
                ..member(number, 1)
            }));
        },
    ];
    for (place, change) in changes.into_iter().enumerate() {
        let decoded = Header::decode(&changed(&header, change).encode());
        assert_eq!(decoded, Err(HeaderError::Malformed), "{place}");
    }
    let bytes = header.encode();
    assert!(Header::decode(&bytes[..bytes.len() - 1]).is_err());
    // The checksum of the last fingerprint.
    let mut wrong = bytes.clone();
    wrong[bytes.len() - 3 * 8 - 2 * 8 - 1] ^= 1;
    assert_eq!(Header::decode(&wrong), Err(HeaderError::Malformed));
}

#[test]
fn no_more_than_32_players_sit_at_a_table_in_an_evening() {
    let mut before = past(&finished());
    let others = (40..68).map(|number| Member {
        bought: 0,
        ..member(number, 0)
    });
    before.players.extend(others);
    let header = verifiable_after(before, &[0, 1, 2], 1)
        .match_info
        .header()
        .clone();
    let sit = |numbers: [u8; 3]| {
        let player = |number| Player {
            identity: Identity::from_seed([number; 32]).public().clone(),
            nonce: [number; 32],
        };
        let players = numbers.map(player).to_vec();
        Match::new(with_players(header.clone(), &players), players).map(drop)
    };
    assert_eq!(sit([0, 40, 2]), Ok(()));
    assert_eq!(sit([0, 68, 2]), Err(CannotSit::TooMany));
}
