//! What an enemy does between the layers: parts, and what the engine has done, in an order that no
//! honest seat brings about.

use std::sync::Mutex;
use std::time::Duration;

use dealerless_table::Seat;
use dealerless_table::log::{
    End, LogMessage, MatchLog, Part, PartFoul, PartKind, Phase, Resume, SignedPart, Stop,
};
use dealerless_table::play::{Command, Done, Event, News, PlayError, Prepared, Spent};
use dealerless_table::record::{MatchState, Record};

use super::puppet::{Puppet, Twist};
use super::seats::{both, wirings};
use super::watched::{Deed, Seen, Watched, calls};
use super::{holdem, shuffle_for};

/// How a guest ends a match of one hand with a puppet as its host, and the guest.
fn with_host(
    set: fn(&mut Puppet),
    twist: Twist,
    guest: impl Fn(&mut Watched) -> Result<End, PlayError> + Sync,
) -> (Result<End, PlayError>, Seen) {
    for_hands(1, set, twist, guest)
}

fn for_hands(
    hands: u32,
    set: impl Fn(&mut Puppet) + Sync,
    twist: Twist,
    guest: impl Fn(&mut Watched) -> Result<End, PlayError> + Sync,
) -> (Result<End, PlayError>, Seen) {
    let stakes = holdem(hands);
    let (seats, of) = wirings(&stakes, &shuffle_for(&stakes));
    let ends = both(seats, |wiring| {
        let log = MatchLog::new(of.clone());
        if wiring.seat == Seat::HOST {
            let mut puppet = Puppet::new(wiring, log, twist);
            set(&mut puppet);
            puppet.run();
            return None;
        }
        let mut watched = Watched::new(wiring, &log);
        let end = guest(&mut watched);
        // The host need not wait for it any more.
        let Watched { play, deeds, .. } = watched;
        Some((end, Seen { play, deeds }))
    });
    ends.into_iter().flatten().next().unwrap()
}

fn plays(guest: &mut Watched) -> Result<End, PlayError> {
    guest.run(|_, _| None)
}

#[test]
fn a_deck_that_comes_after_its_try_was_declared_void_is_no_deck_of_the_next_try() {
    let (end, guest) = with_host(|host| host.voids = true, |_| {}, plays);
    assert_eq!(end.unwrap(), End::Played);
    let deeds = guest.deeds.all();
    let kept = deeds.iter().filter(|deed| matches!(deed, Deed::Keep(_)));
    let voided = deeds.iter().filter(|deed| **deed == Deed::Voided);
    // It ran twice, and the first deck was never kept. The void try counts against the host.
    let shuffles = deeds
        .iter()
        .filter(|deed| matches!(deed, Deed::Shuffle(..)));
    assert_eq!(shuffles.count(), 2);
    assert_eq!((kept.count(), voided.count()), (1, 1));
}

#[test]
fn a_void_try_costs_nothing_and_what_was_made_ahead_before_it_is_told_with_the_next() {
    let ahead = |hands, seconds, bytes| Prepared {
        hands,
        spent: Spent {
            time: Duration::from_secs(seconds),
            bytes,
            flights: bytes,
        },
    };
    let costs = Mutex::new(Vec::new());
    let run = |guest: &mut Watched| {
        for ahead in [ahead(3, 1, 7), ahead(2, 4, 50)] {
            guest.play.receive(Event::Done(Done::Prepared(ahead)))?;
        }
        guest.run(|_, news| {
            if let News::Sealed { cost } = news {
                costs.lock().unwrap().push(*cost);
            }
            None
        })
    };
    let (end, _) = with_host(|host| host.voids = true, |_| {}, run);
    assert_eq!(end.unwrap(), End::Played);
    let costs = costs.into_inner().unwrap();
    let [Some(cost)] = costs[..] else {
        panic!("{costs:?}");
    };
    assert_eq!(cost.prepared, ahead(5, 5, 57));
    assert!(cost.shuffle.bytes > 0);
}

#[test]
fn nobody_is_told_whose_turn_it_is_while_there_is_no_line() {
    let run = |guest: &mut Watched| {
        let turns = |guest: &mut Watched| {
            let news: Vec<News> = std::iter::from_fn(|| guest.play.news()).collect();
            (news.iter()).any(|news| matches!(news, News::TheirTurn { .. }))
        };
        let at_the_hosts_choice = |guest: &Watched| {
            let phase = guest.play.log().phase();
            let host = Seat::HOST;
            matches!(phase, Phase::Choose { seat, .. } if seat == host)
        };
        guest.advance()?;
        while !at_the_hosts_choice(guest) {
            guest.receive()?;
            guest.advance()?;
        }
        // It is lost before the player has heard of it.
        guest.play.lose_connection();
        assert!(!turns(guest));
        guest.advance()?;
        assert!(!turns(guest));
        Ok(End::Played)
    };
    with_host(|_| {}, |_| {}, run).0.unwrap();
}

#[test]
fn a_host_that_seals_a_try_with_the_deck_of_one_before_fails_the_check() {
    let set = |host: &mut Puppet| (host.voids, host.seals_old) = (true, true);
    let (end, guest) = with_host(set, |_| {}, plays);
    assert!(matches!(end, Err(PlayError::Seal(_))), "{end:?}");
    assert!((0..9).all(|position| guest.play.card(position).is_none()));
}

#[test]
fn after_a_failed_check_no_deal_is_signed_before_the_user_is_asked() {
    let twist = |part: &mut Part| {
        if let Part::Seal(seal) = part {
            seal.validity_macs[0] ^= 1;
        }
    };
    let (end, guest) = with_host(|_| {}, twist, plays);
    assert!(matches!(end, Err(PlayError::Seal(_))), "{end:?}");
    let log = guest.play.log();
    assert_eq!((log.phase(), log.attempt().attempt), (Phase::Deal, 1));
    assert!(log.may_sign(Seat::GUEST).contains(&PartKind::Deal));
}

#[test]
fn bad_macs_that_come_before_ones_own_part_of_the_step_are_disputed_after_it() {
    // The host checks and opens the turn at once, before the guest can.
    let twist = |part: &mut Part| {
        if let Part::Open(cards) = part
            && cards[0].position == 7
        {
            cards[0].macs[0] ^= 1;
        }
    };
    let lazy = |guest: &mut Watched| {
        guest.lazy = true;
        plays(guest)
    };
    let (end, _) = with_host(|_| {}, twist, lazy);
    match end.unwrap() {
        End::Stopped(stops) => {
            assert!(
                matches!(stops[..], [(Seat::GUEST, Stop::Dispute { .. })]),
                "{stops:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

fn is_in(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// What every order of deeds must show: nothing leaves and no engine runs before all that was heard
/// and said is on the disk; no seal is written before its deck is kept; the deck is destroyed once,
/// when the hand or the match is over, and nothing is written then that was not before.
fn in_order(guest: &Seen) {
    let (mut written, mut synced, mut kept) = (Vec::new(), 0, false);
    let mut destroyed = 0;
    for deed in guest.deeds.all() {
        match deed {
            Deed::Append(bytes) => written.extend(bytes),
            Deed::Sync => synced = written.len(),
            Deed::Keep(_) => kept = true,
            Deed::Destroy => {
                kept = false;
                destroyed += 1;
                // All parts of the hand are on the disk.
                for part in guest.play.log().history(0) {
                    let there = is_in(&written[..synced], &part.encode());
                    assert!(there, "step {} of {}", part.step, part.seat);
                }
            }
            Deed::Send(message) => {
                let Ok(LogMessage::Part(signed)) = LogMessage::decode(&message) else {
                    panic!("nothing else is sent on a first line");
                };
                let there = is_in(&written[..synced], &signed.encode());
                assert!(there, "step {} was sent first", signed.step);
                // The code of a seal of a seat that does not say the masked values.
                assert!(signed.part[0] != 2 || kept);
            }
            Deed::Shuffle(..) => {
                let log = guest.play.log();
                let deals: Vec<_> = log.history(0).filter(|part| part.step == 0).collect();
                assert_eq!(deals.len(), 2);
                assert!(
                    deals
                        .iter()
                        .all(|deal| is_in(&written[..synced], &deal.encode()))
                );
            }
            Deed::Voided => {}
        }
    }
    assert_eq!((kept, destroyed), (false, 1));
}

#[test]
fn what_is_said_is_on_the_disk_first_and_the_deck_until_the_hand_is_over() {
    for lazy in [false, true] {
        let run = |guest: &mut Watched| {
            guest.lazy = lazy;
            plays(guest)
        };
        let (end, guest) = with_host(|_| {}, |_| {}, run);
        assert_eq!(end.unwrap(), End::Played);
        in_order(&guest);
    }
}

#[test]
fn the_deck_is_destroyed_however_the_match_ends() {
    let leaves = |guest: &mut Watched| {
        guest.run(|_, news| {
            matches!(news, News::Sealed { .. }).then_some(Command::Leave { anyhow: true })
        })
    };
    let (end, guest) = with_host(|_| {}, |_| {}, leaves);
    assert!(matches!(end, Ok(End::Stopped(_))), "{end:?}");
    in_order(&guest);
    let cheats: [Twist; 2] = [
        |part| {
            if let Part::Open(cards) = part {
                cards[0].macs[0] ^= 1;
            }
        },
        |part| {
            if let Part::Move(_) = part {
                *part = Part::Leave;
            }
        },
    ];
    for twist in cheats {
        let (end, guest) = with_host(|_| {}, twist, plays);
        assert!(matches!(end, Ok(End::Stopped(_))), "{end:?}");
        in_order(&guest);
    }
}

#[test]
fn a_hand_that_stands_is_played_to_its_end_also_when_the_engine_has_failed() {
    let run = |guest: &mut Watched| {
        let failed = || deck_error();
        let mut told = false;
        loop {
            guest.advance()?;
            let mut said = false;
            while let Some(news) = guest.play.news() {
                if let News::Over(end) = news {
                    return Ok(end);
                }
                if let News::Sealed { .. } = news
                    && !std::mem::replace(&mut told, true)
                {
                    guest.play.receive(Event::Done(Done::Failed(failed())))?;
                }
                if let Some(command) = calls(&news) {
                    guest.play.command(command).unwrap();
                    said = true;
                }
            }
            if !said {
                guest.receive()?;
            }
        }
    };
    let (end, _) = with_host(|_| {}, |_| {}, run);
    assert_eq!(end.unwrap(), End::Played);
}

fn deck_error() -> dealerless::deck::Error {
    dealerless::deck::Error::Usage("the engine is gone".into())
}

#[test]
fn nothing_that_hides_a_card_is_used_twice() {
    // A try that was void, and the next one.
    let (end, guest) = with_host(|host| host.voids = true, |_| {}, plays);
    end.unwrap();
    let (again, other) = with_host(|_| {}, |_| {}, plays);
    again.unwrap();
    let (mut secrets, mut inputs, mut names) = (vec![vec![0; 32]], Vec::new(), Vec::new());
    for deed in guest.deeds.all().into_iter().chain(other.deeds.all()) {
        match deed {
            Deed::Keep(deck) => secrets.push(deck[..32].to_vec()),
            Deed::Shuffle(bits, name) => {
                inputs.push(bits);
                names.push(name);
            }
            _ => {}
        }
    }
    for mut list in [secrets, names] {
        let len = list.len();
        list.sort();
        list.dedup();
        assert_eq!((list.len(), len), (3, 3));
    }
    assert!(inputs[0] != inputs[1] && inputs[1] != inputs[2]);
    // The nonce of what it enters is no constant: behind numbers, stacks, button and two digests.
    let log = guest.play.log();
    let mut deals = log.history(0).filter(|part| part.part[0] == 0);
    let deal = deals.find(|part| part.seat == Seat::GUEST).unwrap();
    let at = 1 + 4 + 4 + 2 * 8 + 1 + 2 * 32;
    let attempt = dealerless_table::log::Attempt {
        match_id: log.match_info().id(),
        hand: 1,
        attempt: 0,
    };
    let constant = attempt.input_commitment(Seat::GUEST, &inputs[0], &[0; 32]);
    assert_ne!(deal.part[at..at + 32], constant);
}

#[test]
fn who_tells_its_fork_again_on_another_line_does_not_spoil_the_record_that_convicts_it() {
    let stakes = holdem(1);
    let ([host, guest], of) = wirings(&stakes, &shuffle_for(&stakes));
    let mut guest = Watched::new(guest, &MatchLog::new(of.clone()));
    let forks = [[1; 32], [2; 32], [3; 32]].map(|input| {
        let mut log = MatchLog::new(of.clone());
        let deal = Part::Deal(log.deal(input, vec![false; 2], 0));
        log.sign(&host.identity, Seat::HOST, &deal).unwrap().0
    });
    let said = |part: &SignedPart| Event::Received(LogMessage::Part(part.clone()).encode());
    for fork in &forks[..2] {
        guest.play.receive(said(fork)).unwrap();
    }
    let is_over = |guest: &Watched| guest.play.log().phase() == over_by_fork();
    assert!(is_over(&guest));
    for fork in &forks[1..] {
        guest.play.resume().unwrap();
        let told = LogMessage::Resume(Resume {
            match_id: of.id(),
            from: 0,
            before: of.id(),
            parts: 1,
        });
        guest.play.receive(Event::Received(told.encode())).unwrap();
        guest.play.receive(said(fork)).unwrap();
        assert!(guest.play.is_synced() && is_over(&guest));
    }
    let record = Record::read(&guest.deeds.written(), None).unwrap();
    assert_eq!(
        record.state(),
        MatchState::Over(End::Fork { seat: Seat::HOST })
    );
}

fn over_by_fork() -> Phase {
    Phase::Over(End::Fork { seat: Seat::HOST })
}

#[test]
fn a_part_for_a_step_that_was_complete_without_it_convicts_also_when_the_step_is_forgotten() {
    for hands in [1, 4] {
        let last =
            |host: &mut Puppet| host.late_in = Some(host.log.match_info().header().stakes.hands());
        let (end, guest) = for_hands(hands, last, |_| {}, plays);
        let foul = End::Foul {
            seat: Seat::HOST,
            foul: PartFoul::NotItsTurn,
        };
        assert_eq!(end.unwrap(), foul);
        let record = Record::read(&guest.deeds.written(), None).unwrap();
        assert_eq!(record.state(), MatchState::Over(foul));
        let proof = record.log.foul().unwrap();
        assert_eq!((proof.part.step, record.played()), (2, hands as usize - 1));
    }
}
