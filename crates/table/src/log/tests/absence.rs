//! Matches that are settled without absent seats.

use dealerless_connection::identity::{Fingerprint, Identity};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::super::*;
use super::many_seats::{Table, threshold, verifiable, verifiable_after, verifiable_draw};
use super::past::member;
use super::settlement::any_choice;
use crate::rules::{Legal, SettledBy};
use crate::seat::Seat;

fn seat(number: u8) -> Seat {
    Seat::new(number)
}

fn player(number: u8) -> Fingerprint {
    Identity::from_seed([number; 32]).public().fingerprint()
}

fn claim(log: &MatchLog, seat: Seat, what: Claimed) -> Claim {
    Claim {
        step: log.step(),
        seat,
        time: 1,
        what,
    }
}

/// The claims that these seats are out of time.
fn late(log: &MatchLog, seats: &[Seat]) -> Vec<Claim> {
    let claim = |seat: &Seat| claim(log, *seat, Claimed::OutOfTime);
    seats.iter().map(claim).collect()
}

/// Goes on without the absent seats. Their statements on the way are lost at random.
fn without(table: &mut Table, absent: &[Seat]) {
    loop {
        let remaining: Vec<Seat> = table.of.seats().filter(|s| !absent.contains(s)).collect();
        let mut acted = false;
        for &to in &remaining {
            for from in table.of.seats() {
                let lost = absent.contains(&from) && table.rng.random_range(0..3) == 0;
                if lost {
                    table.ways[from.index()][to.index()].clear();
                }
                acted |= table.deliver(from, to);
            }
            if let Some(statement) = table.sign(to) {
                table.send(&statement);
                acted = true;
            }
        }
        if !acted {
            return;
        }
    }
}

/// Resumes the match among these seats: each sends the others all it has.
fn exchange(table: &mut Table, seats: &[Seat]) {
    for from in seats {
        for to in seats.iter().filter(|to| *to != from) {
            for statement in table.seats[from.index()].log.statements(0) {
                // What the receiver cannot use yet comes again.
                let _ = table.seats[to.index()].log.accept_statement(statement);
            }
        }
    }
}

/// A match in which these seats have gone away, after the given number of events.
fn stopped(of: super::test_match::TestMatch, seed: u64, events: usize, absent: &[Seat]) -> Table {
    let mut table = Table::new(of, seed);
    let choice = if seed.is_multiple_of(2) {
        any_choice
    } else {
        super::many_seats::passive
    };
    table.seats.iter_mut().for_each(|seat| seat.choose = choice);
    for _ in 0..events {
        if !table.advance() {
            break;
        }
    }
    let remaining: Vec<Seat> = table.of.seats().filter(|s| !absent.contains(s)).collect();
    let state = |table: &Table| -> Vec<usize> {
        let logs = table.seats.iter().map(|seat| &seat.log);
        logs.map(|log| log.statements(0).len()).collect()
    };
    loop {
        let before = state(&table);
        without(&mut table, absent);
        exchange(&mut table, &remaining);
        if state(&table) == before {
            return table;
        }
    }
}

/// The settlement that all remaining seats compute, or `None` if the match is over.
fn settled(table: &Table, absent: &[Seat]) -> Option<Settled> {
    let remaining: Vec<&MatchLog> = (table.of.seats().zip(&table.seats))
        .filter(|(seat, _)| !absent.contains(seat))
        .map(|(_, seat)| &seat.log)
        .collect();
    if matches!(remaining[0].phase(), Phase::Over(_)) {
        let open = |log: &&&MatchLog| log.settled_without(absent).is_some();
        assert_eq!(remaining.iter().filter(open).count(), 0);
        return None;
    }
    let all: Vec<Settled> = (remaining.iter())
        .map(|log| {
            assert_eq!(log.absent(&late(log, absent)), absent);
            log.settled_without(absent).unwrap()
        })
        .collect();
    assert!(all.iter().all(|settled| *settled == all[0]));
    Some(all[0].clone())
}

#[test]
fn all_remaining_seats_compute_the_same_settlement_and_no_chip_is_lost() {
    let mut rng = StdRng::seed_from_u64(9);
    let (mut rules, mut open) = (Vec::new(), 0);
    for seed in 0..25 {
        let seats = *[3, 3, 4, 5].choose(&mut rng).unwrap();
        let of = match seed % 5 {
            0 => verifiable_draw(seats, 2),
            _ => verifiable(seats, 2),
        };
        let absent = seat(rng.random_range(0..seats));
        let events = rng.random_range(0..60 * usize::from(seats));
        let table = stopped(of, seed, events, &[absent]);
        let Some(Settled { past, rule, .. }) = settled(&table, &[absent]) else {
            continue;
        };
        open += 1;
        let chips: u64 = past.players.iter().map(|member| member.chips).sum();
        assert_eq!(chips, 100 * u64::from(seats));
        assert_eq!(past.without, [absent]);
        assert!(!past.remaining().any(|seat| seat == absent));
        rules.extend(rule);
        // The log of the absent seat can have more steps, or fewer.
        let own = &table.seats[absent.index()].log;
        match own.settled_like(&past) {
            Some(same) => assert_eq!(same.past, past),
            None => assert!(own.step() < past.steps),
        }
        // The header of the next match has one encoding.
        let others: Vec<u8> = (0..seats)
            .filter(|other| *other != absent.number())
            .collect();
        let next = verifiable_after(past, &others, 1);
        let header = next.match_info.header();
        assert_eq!(Header::decode(&header.encode()).as_ref(), Ok(header));
    }
    assert!(open > 15, "{open}");
    for rule in [SettledBy::NotFinal, SettledBy::Division] {
        assert!(rules.contains(&rule), "{rules:?}");
    }
    let one = |rule: &SettledBy| matches!(rule, SettledBy::OneLeft(_));
    assert!(rules.iter().any(one), "{rules:?}");
}

#[test]
fn absence_before_the_deck_is_final_gives_everything_back() {
    let absent = [seat(2)];
    let table = stopped(verifiable(3, 1), 1, 0, &absent);
    assert_eq!(table.seats[0].log.phase(), Phase::Keys);
    let keys = settled(&table, &absent).unwrap();
    assert_eq!(keys.rule, None);
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play_until(|log| matches!(log.phase(), Phase::Shuffle(_)));
    without(&mut table, &absent);
    let shuffle = settled(&table, &absent).unwrap();
    assert_eq!(shuffle.rule, Some(SettledBy::NotFinal));
    for settled in [keys, shuffle] {
        let all = [0, 1, 2].map(|number| member(number, 100));
        assert_eq!(settled.past.players, all);
        assert_eq!(settled.past.blinds.last, seat(1));
    }
}

#[test]
fn shown_hands_win_the_pot_if_only_the_absent_seat_has_not_shown() {
    let shows = |log: &MatchLog| {
        let legal = Legal::ShowOrMuck;
        matches!(log.phase(), Phase::Choose { legal: now, .. } if now == legal)
    };
    let mut table = Table::new(verifiable(3, 1), 3);
    let mut rules = Vec::new();
    while !matches!(table.seats[0].log.phase(), Phase::Result(_)) {
        let log = table.seats[0].log.clone();
        if shows(&log) {
            let due = log.waits_for();
            let rule = log.settled_without(&due).unwrap().rule;
            rules.push((log.step(), rule));
        }
        assert!(table.advance());
    }
    rules.dedup();
    let rules: Vec<_> = rules.into_iter().filter_map(|(_, rule)| rule).collect();
    let (division, showdown) = (SettledBy::Division, SettledBy::Showdown);
    assert_eq!(rules, [division, division, showdown]);
}

/// A match of these seats in the first choice of a hand, and the seat that has to choose.
fn at_a_choice(seats: u8) -> (Table, Seat) {
    at_a_choice_of(verifiable(seats, 1))
}

fn at_a_choice_of(of: super::test_match::TestMatch) -> (Table, Seat) {
    let mut table = Table::new(of, 4);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let Phase::Choose { seat, .. } = table.phase() else {
        panic!("nobody chooses");
    };
    (table, seat)
}

#[test]
fn a_seat_is_absent_only_by_a_claim_for_the_current_step_that_still_applies() {
    let (mut table, due) = at_a_choice(3);
    let other = due.next(3);
    let log = table.seats[other.next(3).index()].log.clone();
    let absent = |claims: &[(Seat, Claimed)]| {
        let claims = claims.iter().map(|(seat, what)| claim(&log, *seat, *what));
        log.absent(&claims.collect::<Vec<_>>())
    };
    use Claimed::{Away, Back, Closed, OutOfTime};
    assert_eq!(absent(&[]), []);
    assert_eq!(absent(&[(due, OutOfTime)]), [due]);
    assert_eq!(absent(&[(due, Away)]), [due]);
    assert_eq!(absent(&[(due, OutOfTime), (due, Closed)]), [due]);
    // Anybody can close a match at any time.
    assert_eq!(absent(&[(due, Closed)]), []);
    assert_eq!(absent(&[(due, Away), (due, Back)]), []);
    assert_eq!(absent(&[(due, Away), (due, Back), (due, Away)]), [due]);
    // The match waits for another seat, which has to act first.
    assert_eq!(absent(&[(other, Away)]), []);
    let both = absent(&[(due, OutOfTime), (other, Away)]);
    assert_eq!(both.len(), 2);
    // A seat whose part is not due cannot be out of time.
    assert_eq!(absent(&[(due, OutOfTime), (other, OutOfTime)]), [due]);
    let older = late(&log, &[due]);
    let statement = table.sign(due).unwrap();
    table.send(&statement);
    table.deliver_all();
    let log = &table.seats[0].log;
    assert_eq!(log.absent(&older), []);
    assert_eq!(log.absent(&late(log, &[due])), []);
}

#[test]
fn more_than_half_of_the_seats_have_to_remain() {
    for (seats, most) in [(3, 1), (4, 1), (5, 2)] {
        let (table, due) = at_a_choice(seats);
        let log = &table.seats[0].log;
        assert_eq!(log.settled_without(&[]), None);
        let mut absent = Vec::new();
        for number in 1..=usize::from(seats) {
            absent.push(due.around(usize::from(seats)).nth(number - 1).unwrap());
            let settles = log.settled_without(&absent).is_some();
            assert_eq!(settles, number <= most, "{seats}: {number}");
        }
        assert_eq!(log.settled_without(&[seat(seats)]), None);
    }
}

#[test]
fn seats_that_could_go_on_by_themselves_are_not_left_out() {
    // Two of five cannot open cards of three seats, but those of two.
    for (opens, settles) in [(4, true), (3, true), (2, false)] {
        let (table, due) = at_a_choice_of(threshold(5, opens, 1));
        let own = due.next(5).next(5);
        let log = &table.seats[own.index()].log;
        let mut absent = vec![due, due.next(5)];
        absent.sort_unstable();
        let away = |seat: &Seat| claim(log, *seat, Claimed::Away);
        let claims: Vec<Claim> = absent.iter().map(away).collect();
        assert_eq!(log.absent(&claims), absent);
        let settled = log.settled_without(&absent);
        assert_eq!(settled.is_some(), settles, "{opens}");
        if let Some(settled) = settled {
            assert_eq!(settled.past.without, absent);
            assert_eq!(log.agrees_to(&settled.past, own, &claims), Ok(settled));
        }
    }
}

#[test]
fn seat_that_owes_a_vote_can_be_absent() {
    let (mut table, due) = at_a_choice_of(threshold(5, 4, 1));
    let silent = due.next(5);
    let callers = [2, 3, 4].map(|number| due.around(5).nth(number).unwrap());
    let calls = callers.map(|caller| table.call(caller, &[due]).unwrap());
    for caller in callers {
        for call in &calls {
            let _known = table.seats[caller.index()]
                .log
                .accept_statement(call.clone());
        }
    }
    // The call stays open, because too few seats would be left without both.
    let log = &table.seats[callers[0].index()].log;
    assert!(log.is_bound(callers[0]) && log.next_call(&log.missing()).is_none());
    let of = |seats: &[Seat]| log.absent(&late(log, seats));
    assert_eq!((of(&[due]), of(&[silent])), (vec![], vec![]));
    let mut both = vec![due, silent];
    both.sort_unstable();
    assert_eq!(of(&both), both);
    assert_eq!(log.settled_without(&both).unwrap().past.without, both);
}

#[test]
fn claim_about_a_vote_applies_although_the_seat_has_signed() {
    let mut table = Table::new(threshold(5, 4, 1), 2);
    table.play_until(|log| log.phase() == Phase::Deal);
    table.deliver_all();
    let (late, silent) = (seat(0), seat(1));
    let deal = table.sign(silent).unwrap();
    table.send(&deal);
    table.deliver_all();
    for caller in [2, 3, 4].map(seat) {
        while let Some(statement) = table.sign(caller) {
            table.send(&statement);
        }
    }
    table.deliver_all();
    let claim = |log: &MatchLog| Claim {
        step: log.step(),
        seat: silent,
        time: 1,
        what: Claimed::OutOfTime,
    };
    let log = &table.seats[2].log;
    assert!(log.part(log.step(), silent).is_some() && !claim(log).is_valid(log));
    for caller in [2, 3, 4].map(seat) {
        let call = table.call(caller, &[late]).unwrap();
        table.send(&call);
    }
    for to in [2, 3, 4].map(seat) {
        for from in [2, 3, 4].map(seat) {
            table.deliver(from, to);
        }
    }
    let log = &table.seats[2].log;
    assert!(claim(log).is_valid(log));
    // Its own vote voids the claim, because the step is over.
    let out_of_time = claim(log);
    table.deliver_all();
    let call = table.call(silent, &[late]).unwrap();
    table.send(&call);
    table.deliver_all();
    let log = &table.seats[2].log;
    assert!(log.gone().contains(&late) && !out_of_time.is_valid(log));
}

#[test]
fn two_seats_and_finished_matches_are_not_settled() {
    let (table, due) = at_a_choice(2);
    assert_eq!(table.seats[0].log.settled_without(&[due]), None);
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play();
    assert_eq!(table.seats[0].log.settled_without(&[due]), None);
}

#[test]
fn seat_that_leaves_without_its_share_of_the_key_is_absent() {
    let mut table = Table::new(verifiable(3, 2), 1);
    let leaver = seat(1);
    table.seats[1].leaves = true;
    table.play_until(|log| log.phase() == Phase::Key(leaver));
    without(&mut table, &[leaver]);
    let Settled { past, rule, .. } = settled(&table, &[leaver]).unwrap();
    assert_eq!(rule, Some(SettledBy::Division));
    assert!(past.players[1].chips <= 100);
}

#[test]
fn a_seat_that_has_left_is_not_asked_to_sign_and_loses_its_bets() {
    let mut table = Table::new(verifiable(5, 2), 1);
    let leaver = seat(1);
    table.seats[1].leaves = true;
    table.play_until(|log| log.state().deck.gone().contains(&leaver));
    let due = table.seats[0].log.waits_for()[0];
    without(&mut table, &[due]);
    let log = &table.seats[if due == seat(0) { 2 } else { 0 }].log;
    let late = log.absent(&late(log, &log.waits_for()));
    let Settled { past, absent, .. } = log.settled_without(&late).unwrap();
    assert_eq!(absent, late);
    assert!(past.without.contains(&leaver) && past.without.len() == 2);
    assert_eq!(log.settled_without(&[leaver]), None);
    assert_eq!(log.settled_like(&past).unwrap().past, past);
}

/// A match of four at its first choice, settled without the seat that has to choose.
fn past_of_four() -> (Past, u8) {
    let (table, due) = at_a_choice(4);
    let settled = table.seats[0].log.settled_without(&[due]).unwrap();
    (settled.past, due.number())
}

#[test]
fn the_next_match_has_all_remaining_players_and_nobody_else_of_the_match_before() {
    let (past, absent) = past_of_four();
    let others: Vec<u8> = (0..4).filter(|number| *number != absent).collect();
    let header = |seats: usize| {
        let mut header = verifiable(seats as u8, 1).match_info.header().clone();
        header.table.as_mut().unwrap().past = Some(past.clone());
        header
    };
    let sit = |numbers: &[u8]| {
        let players = numbers.iter().map(|&number| Player {
            identity: Identity::from_seed([number; 32]).public().clone(),
            nonce: [number; 32],
        });
        let players: Vec<Player> = players.collect();
        Match::new(header(players.len()), players).map(drop)
    };
    assert_eq!(sit(&others), Ok(()));
    // A new player sits to the left of the last big blind, which counts as one of seat 1.
    assert_eq!(others, [0, 1, 2]);
    for order in [[2, 0, 1, 9], [0, 1, 9, 2], [1, 9, 2, 0]] {
        assert_eq!(sit(&order), Ok(()));
    }
    for order in [
        [2, 0, 9, 1],
        [0, 1, 2, 9],
        [1, 2, 9, 0],
        [2, 1, 9, 0],
        [9, 2, 0, 1],
    ] {
        assert_eq!(sit(&order), Err(CannotSit::Order));
    }
    for missing in 0..3 {
        let mut some = others.clone();
        some[missing] = 9;
        let missing = player(others[missing]);
        assert_eq!(sit(&some), Err(CannotSit::Remaining(missing)));
    }
    let back = player(absent);
    assert_eq!(sit(&[0, 1, 2, 3]), Err(CannotSit::Absent(back)));
}

#[test]
fn a_settlement_in_a_header_has_one_encoding_and_bounds() {
    let (past, absent) = past_of_four();
    let others: Vec<u8> = (0..4).filter(|number| *number != absent).collect();
    let header = verifiable_after(past.clone(), &others, 1)
        .match_info
        .header()
        .clone();
    let with = |change: fn(&mut Past)| {
        let mut changed = header.clone();
        change(changed.table.as_mut().unwrap().past.as_mut().unwrap());
        assert_ne!(changed, header);
        Header::decode(&changed.encode())
    };
    assert!(with(|past| past.is_open = false).is_ok());
    assert!(with(|past| past.without = vec![seat(0), seat(3)]).is_ok());
    assert!(with(|past| past.without = vec![seat(0), seat(1), seat(2)]).is_ok());
    let invalid: [fn(&mut Past); 6] = [
        |past| past.without = vec![],
        |past| past.without = Seat::all(4).collect(),
        |past| past.without = vec![seat(4)],
        |past| past.without = vec![seat(15)],
        |past| past.seats = 1,
        |past| past.seats = 5,
    ];
    for (place, change) in invalid.into_iter().enumerate() {
        assert_eq!(with(change), Err(HeaderError::Malformed), "{place}");
    }
    // Two seats settle nothing.
    let two = |past: &mut Past| (past.seats, past.without) = (2, vec![seat(0)]);
    assert_eq!(with(two), Err(HeaderError::Malformed));
}

#[test]
fn a_remaining_seat_agrees_only_to_the_settlement_of_its_own_log_and_claims() {
    let (mut table, due) = at_a_choice(5);
    let [own, other] = [due.next(5), due.next(5).next(5)];
    let log = table.seats[own.index()].log.clone();
    let claims = late(&log, &[due]);
    let Settled { past, .. } = log.settled_without(&[due]).unwrap();
    let agrees = |past: &Past| {
        log.agrees_to(past, own, &claims)
            .map(|settled| settled.past)
    };
    assert_eq!(agrees(&past), Ok(past.clone()));
    let error = |change: &dyn Fn(&mut Past)| {
        let mut changed = past.clone();
        change(&mut changed);
        agrees(&changed).unwrap_err()
    };
    // Another set of absent seats.
    let absent = Disagreement::Absent(vec![due]);
    let mut two = vec![due, other];
    two.sort_unstable();
    assert_eq!(error(&|past| past.without = vec![own]), Disagreement::Own);
    assert_eq!(error(&|past| past.without = vec![other]), absent);
    assert_eq!(error(&|past| past.without.clone_from(&two)), absent);
    assert_eq!(error(&|past| past.without.clear()), absent);
    // Without an own claim, or with one that the seat has answered.
    let none = Err(Disagreement::Absent(vec![]));
    assert_eq!(log.agrees_to(&past, own, &[]), none);
    assert_eq!(log.agrees_to(&past, due, &claims), Err(Disagreement::Own));
    // Hidden or invented steps.
    let steps = Disagreement::Steps { own: log.step() };
    assert_eq!(error(&|past| past.steps += 1), steps);
    assert_eq!(error(&|past| past.steps -= 1), steps);
    // Other chips, other blinds, another history or match.
    let other = Disagreement::Other;
    assert_eq!(error(&|past| past.hash[0] ^= 1), other);
    assert_eq!(error(&|past| past.match_id = MatchId::new([1; 32])), other);
    assert_eq!(error(&|past| past.blinds.last = seat(4)), other);
    assert_eq!(error(&|past| past.seats = 4), other);
    for place in 0..5 {
        assert_eq!(error(&|past| past.players[place].chips += 1), other);
        assert_eq!(error(&|past| past.players[place].player = player(9)), other);
    }
    assert_eq!(error(&|past| past.players.push(member(9, 5))), other);
    // The header of an earlier moment does not fit after the match has gone on.
    let statement = table.sign(due).unwrap();
    table.send(&statement);
    table.deliver_all();
    let later = &table.seats[own.index()].log;
    let refused = later.agrees_to(&past, own, &claims);
    assert_eq!(refused, Err(Disagreement::Steps { own: later.step() }));
}

#[test]
fn a_seat_that_is_away_only_for_some_can_remain() {
    let (table, due) = at_a_choice(5);
    let [own, away] = [due.next(5), due.next(5).next(5)];
    let log = &table.seats[own.index()].log;
    let mut claims = late(log, &[due]);
    claims.push(claim(log, away, Claimed::Away));
    assert_eq!(log.absent(&claims).len(), 2);
    let one = log.settled_without(&[due]).unwrap();
    assert_eq!(log.agrees_to(&one.past, own, &claims), Ok(one));
    let both = log.settled_without(&log.absent(&claims)).unwrap();
    assert_eq!(log.agrees_to(&both.past, own, &claims), Ok(both.clone()));
    // The match waits for the seat that has to choose.
    let mut other = both.past;
    other.without = vec![away];
    let refused = log.agrees_to(&other, own, &claims);
    assert_eq!(refused, Err(Disagreement::Absent(both.absent)));
}

#[test]
fn too_few_remaining_seats_agree_to_nothing() {
    let (table, due) = at_a_choice(4);
    let [own, other] = [due.next(4), due.next(4).next(4)];
    let log = &table.seats[own.index()].log;
    let mut past = log.settled_without(&[due]).unwrap().past;
    past.without.push(other);
    past.without.sort_unstable();
    let mut claims = late(log, &[due]);
    claims.push(claim(log, other, Claimed::Away));
    assert_eq!(
        log.agrees_to(&past, own, &claims),
        Err(Disagreement::TooFew)
    );
}
