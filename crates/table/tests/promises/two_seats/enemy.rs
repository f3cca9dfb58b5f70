//! Attacks on the order of events: parts and engine reports arrive in an order that honest seats
//! never cause.

use std::sync::Mutex;
use std::time::Duration;

use dealerless_table::Seat;
use dealerless_table::log::{
    End, LogMessage, MatchLog, Part, PartFoul, PartKind, Phase, Resume, SignedPart, Stop,
};
use dealerless_table::play::{Command, Done, Event, News, PlayError, Prepared, Spent};
use dealerless_table::record::{MatchState, Record};
use dealerless_table::testing::threads::{both, wirings};

use super::puppet::{Puppet, Twist};
use super::watched::{Action, Finished, Watched, call_and_show};
use super::{holdem, shuffle_for};

/// Plays a match of one hand: a puppet, which `set` prepares, is the host, and `guest` plays the
/// honest guest. Returns the result of `guest`, and the guest's seat.
fn with_host(
    set: fn(&mut Puppet),
    twist: Twist,
    guest: impl Fn(&mut Watched) -> Result<End, PlayError> + Sync,
) -> (Result<End, PlayError>, Finished) {
    for_hands(1, set, twist, guest)
}

/// [`with_host`] for a match of `hands` hands.
fn for_hands(
    hands: u32,
    set: impl Fn(&mut Puppet) + Sync,
    twist: Twist,
    guest: impl Fn(&mut Watched) -> Result<End, PlayError> + Sync,
) -> (Result<End, PlayError>, Finished) {
    let stakes = holdem(hands);
    let (seats, info) = wirings(&stakes, &shuffle_for(&stakes));
    let ends = both(seats, |wiring| {
        let log = MatchLog::new(info.clone(), wiring.seat);
        if wiring.seat == Seat::HOST {
            let mut puppet = Puppet::new(wiring, log, twist);
            set(&mut puppet);
            puppet.run();
            return None;
        }
        let mut watched = Watched::new(wiring, &log);
        let end = guest(&mut watched);
        // Drops the wiring, so that the host does not wait for this seat.
        let Watched { play, actions, .. } = watched;
        Some((end, Finished { play, actions }))
    });
    ends.into_iter().flatten().next().unwrap()
}

fn play(guest: &mut Watched) -> Result<End, PlayError> {
    guest.run(|_, _| None)
}

#[test]
fn deck_of_a_void_try_is_not_used_for_the_next_try() {
    let (end, guest) = with_host(|host| host.voids = true, |_| {}, play);
    assert_eq!(end.unwrap(), End::Played);
    let actions = guest.actions.all();
    let kept = actions
        .iter()
        .filter(|action| matches!(action, Action::Keep(_)));
    let voided = actions.iter().filter(|action| **action == Action::Voided);
    // The engine ran twice, and the first deck was never kept. The void try counts against the
    // host.
    let shuffles = actions
        .iter()
        .filter(|action| matches!(action, Action::Shuffle(..)));
    assert_eq!(shuffles.count(), 2);
    assert_eq!((kept.count(), voided.count()), (1, 1));
}

#[test]
fn preprocessing_before_a_void_try_is_reported_with_the_next_try() {
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
fn no_turn_is_reported_without_a_connection() {
    let run = |guest: &mut Watched| {
        let turns = |guest: &mut Watched| {
            let news: Vec<News> = std::iter::from_fn(|| guest.play.news()).collect();
            (news.iter()).any(|news| matches!(news, News::TheirTurn { .. }))
        };
        let is_host_turn = |guest: &Watched| {
            let phase = guest.play.log().phase();
            let host = Seat::HOST;
            matches!(phase, Phase::Choose { seat, .. } if seat == host)
        };
        guest.advance()?;
        while !is_host_turn(guest) {
            guest.receive()?;
            guest.advance()?;
        }
        // The connection is lost before the player has seen the turn.
        guest.play.lose_connection(Seat::HOST);
        assert!(!turns(guest));
        guest.advance()?;
        assert!(!turns(guest));
        Ok(End::Played)
    };
    with_host(|_| {}, |_| {}, run).0.unwrap();
}

#[test]
fn seal_of_the_previous_deck_fails_the_check() {
    let set = |host: &mut Puppet| (host.voids, host.seals_old) = (true, true);
    let (end, guest) = with_host(set, |_| {}, play);
    assert!(matches!(end, Err(PlayError::Seal(_))), "{end:?}");
    assert!((0..9).all(|position| guest.play.card(position).is_none()));
}

#[test]
fn program_signs_no_new_deal_after_a_failed_check() {
    let twist = |part: &mut Part| {
        if let Part::Seal(seal) = part {
            seal.validity_macs[0] ^= 1;
        }
    };
    let (end, guest) = with_host(|_| {}, twist, play);
    assert!(matches!(end, Err(PlayError::Seal(_))), "{end:?}");
    let log = guest.play.log();
    assert_eq!((log.phase(), log.attempt().attempt), (Phase::Deal, 1));
    assert!(log.may_sign(Seat::GUEST).contains(&PartKind::Deal));
}

#[test]
fn seat_opens_its_own_cards_before_it_disputes_invalid_macs() {
    // The host checks and opens the turn card at once, before the guest does.
    let twist = |part: &mut Part| {
        if let Part::Open(cards) = part
            && cards[0].position == 7
        {
            cards[0].macs[0] ^= 1;
        }
    };
    let lazy = |guest: &mut Watched| {
        guest.lazy = true;
        play(guest)
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

/// Checks the order of the actions. Nothing is sent and no engine runs before all parts are synced.
/// No seal is sent before its deck is kept. The deck is destroyed once, when the hand or the match
/// is over and all its parts are synced.
fn assert_order(guest: &Finished) {
    let (mut written, mut synced, mut kept) = (Vec::new(), 0, false);
    let mut destroyed = 0;
    for action in guest.actions.all() {
        match action {
            Action::Append(bytes) => written.extend(bytes),
            Action::Sync => synced = written.len(),
            Action::Keep(_) => kept = true,
            Action::Destroy => {
                kept = false;
                destroyed += 1;
                // All parts of the hand are synced.
                for part in guest.play.log().history(0) {
                    let synced_first = is_in(&written[..synced], &part.encode());
                    assert!(synced_first, "step {} of {}", part.step, part.seat);
                }
            }
            Action::Send(message) => {
                let Ok(LogMessage::Part(signed)) = LogMessage::decode(&message) else {
                    panic!("only parts are sent on a first connection");
                };
                let synced_first = is_in(&written[..synced], &signed.encode());
                assert!(
                    synced_first,
                    "step {} was sent before it was synced",
                    signed.step
                );
                // 2 is the code of a seal without masked values.
                assert!(signed.part[0] != 2 || kept);
            }
            Action::Shuffle(..) => {
                let log = guest.play.log();
                let deals: Vec<_> = log.history(0).filter(|part| part.step == 0).collect();
                assert_eq!(deals.len(), 2);
                assert!(
                    deals
                        .iter()
                        .all(|deal| is_in(&written[..synced], &deal.encode()))
                );
            }
            Action::Voided => {}
        }
    }
    assert_eq!((kept, destroyed), (false, 1));
}

#[test]
fn parts_are_synced_before_they_are_sent() {
    for lazy in [false, true] {
        let run = |guest: &mut Watched| {
            guest.lazy = lazy;
            play(guest)
        };
        let (end, guest) = with_host(|_| {}, |_| {}, run);
        assert_eq!(end.unwrap(), End::Played);
        assert_order(&guest);
    }
}

#[test]
fn deck_is_destroyed_at_every_end_of_the_match() {
    let leaves = |guest: &mut Watched| {
        guest.run(|_, news| {
            matches!(news, News::Sealed { .. }).then_some(Command::Leave { anyhow: true })
        })
    };
    let (end, guest) = with_host(|_| {}, |_| {}, leaves);
    assert!(matches!(end, Ok(End::Stopped(_))), "{end:?}");
    assert_order(&guest);
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
        let (end, guest) = with_host(|_| {}, twist, play);
        assert!(matches!(end, Ok(End::Stopped(_))), "{end:?}");
        assert_order(&guest);
    }
}

#[test]
fn sealed_hand_is_played_to_its_end_after_the_engine_failed() {
    let run = |guest: &mut Watched| {
        let mut failed = false;
        loop {
            guest.advance()?;
            let mut commanded = false;
            while let Some(news) = guest.play.news() {
                if let News::Over(end) = news {
                    return Ok(end);
                }
                if let News::Sealed { .. } = news
                    && !std::mem::replace(&mut failed, true)
                {
                    guest
                        .play
                        .receive(Event::Done(Done::Failed(deck_error())))?;
                }
                if let Some(command) = call_and_show(&news) {
                    guest.play.command(command).unwrap();
                    commanded = true;
                }
            }
            if !commanded {
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
fn secrets_that_hide_cards_are_used_once() {
    // This match has a void try and a second try of the same hand.
    let (end, guest) = with_host(|host| host.voids = true, |_| {}, play);
    end.unwrap();
    let (again, other) = with_host(|_| {}, |_| {}, play);
    again.unwrap();
    let (mut secrets, mut inputs, mut names) = (vec![vec![0; 32]], Vec::new(), Vec::new());
    for action in guest.actions.all().into_iter().chain(other.actions.all()) {
        match action {
            Action::Keep(deck) => secrets.push(deck[..32].to_vec()),
            Action::Shuffle(bits, name) => {
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
    // The nonce of the guest's input commitment is not all zeros. In the encoded part the
    // commitment follows two numbers, the stacks, the button and two digests.
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
fn fork_repeated_on_a_new_connection_does_not_spoil_the_evidence() {
    let stakes = holdem(1);
    let ([host, guest], info) = wirings(&stakes, &shuffle_for(&stakes));
    let mut guest = Watched::new(guest, &MatchLog::new(info.clone(), Seat::GUEST));
    let forks = [[1; 32], [2; 32], [3; 32]].map(|input| {
        let mut log = MatchLog::new(info.clone(), Seat::HOST);
        let deal = Part::Deal(log.deal(log.sealed_input(input, 0).unwrap(), vec![false; 2]));
        log.sign(&host.identity, Seat::HOST, &deal).unwrap().0
    });
    let message =
        |part: &SignedPart| Event::Received(Seat::HOST, LogMessage::Part(part.clone()).encode());
    for fork in &forks[..2] {
        guest.play.receive(message(fork)).unwrap();
    }
    let is_over = |guest: &Watched| guest.play.log().phase() == over_by_fork();
    assert!(is_over(&guest));
    for fork in &forks[1..] {
        guest.play.resume(Seat::HOST).unwrap();
        let resume = LogMessage::Resume(Resume {
            match_id: info.id(),
            from: 0,
            before: *info.id().as_bytes(),
            parts: 1,
        });
        guest
            .play
            .receive(Event::Received(Seat::HOST, resume.encode()))
            .unwrap();
        guest.play.receive(message(fork)).unwrap();
        assert!(guest.play.is_synced() && is_over(&guest));
    }
    let record = Record::read(&guest.actions.written(), None).unwrap();
    assert_eq!(
        record.state(),
        MatchState::Over(End::Fork { seat: Seat::HOST })
    );
}

fn over_by_fork() -> Phase {
    Phase::Over(End::Fork { seat: Seat::HOST })
}

#[test]
fn part_signed_for_a_completed_step_is_a_foul_even_hands_later() {
    for hands in [1, 4] {
        let last =
            |host: &mut Puppet| host.late_in = Some(host.log.match_info().header().stakes.hands());
        let (end, guest) = for_hands(hands, last, |_| {}, play);
        let foul = End::Foul {
            seat: Seat::HOST,
            foul: PartFoul::NotItsTurn,
        };
        assert_eq!(end.unwrap(), foul);
        let record = Record::read(&guest.actions.written(), None).unwrap();
        assert_eq!(record.state(), MatchState::Over(foul));
        let proof = &record.log.fouls()[0];
        assert_eq!((proof.part.step, record.played()), (2, hands as usize - 1));
    }
}
