//! Two seats play whole matches with the real engine, and their logs are equal.

mod binding;
mod boards;
mod enemy;
mod free_deck;
mod news;
mod puppet;
mod stolen_from;
mod watched;

use std::sync::Arc;

use dealerless_table::Seat;
use dealerless_table::log::{Chosen, End, LogEvent, MatchLog, Part, Seal, Stop};
use dealerless_table::play::{Command, DealCircuit, News, PlayError};
use dealerless_table::rules::{Choice, Legal, Stakes};
use dealerless_table::testing::test_match::{proposal, stakes_of};
use dealerless_table::testing::threads::{Seated, Side, both, wirings};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use puppet::{Puppet, Twist};

fn holdem(hands: u32) -> Stakes {
    stakes_of(200, 2, hands)
}

fn shuffle_for(stakes: &Stakes) -> Arc<DealCircuit> {
    proposal(stakes.clone()).1
}

/// Both sides of a match between honest seats.
fn sides(stakes: &Stakes, circuit: &Arc<DealCircuit>) -> [Side; 2] {
    let (wirings, info) = wirings(stakes, circuit);
    wirings.map(|wiring| Side::new(wiring, &info))
}

/// A random legal choice.
fn random_choice(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet { call, bet, raise } => match (rng.random_range(0..10), bet, raise) {
            (0, ..) if call.is_some() => Choice::Fold,
            (1..4, Some(bet), _) => Choice::Bet {
                to: rng.random_range(bet.min..=bet.max),
            },
            (1..3, _, Some(raise)) => Choice::Raise {
                to: rng.random_range(raise.min..=raise.max),
            },
            _ if call.is_some() => Choice::Call,
            _ => Choice::Check,
        },
        Legal::Exchange => Choice::Exchange((0..5).filter(|_| rng.random()).collect()),
        Legal::ShowOrMuck if rng.random() => Choice::Muck,
        Legal::ShowOrMuck => Choice::Show,
        _ => Choice::Pass,
    }
}

fn random_player(seed: u64) -> impl FnMut(&Seated, &News) -> Option<Command> {
    let mut rng = StdRng::seed_from_u64(seed);
    move |_, news| match news {
        News::YourTurn { legal } => Some(Command::Choose(random_choice(legal, &mut rng))),
        News::AskRebuy { .. } => Some(Command::Rebuy(true)),
        _ => None,
    }
}

#[test]
fn match_of_holdem_ends_with_equal_logs() {
    let stakes = holdem(20);
    let ends = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let seed = u64::from(side.play.seat().number());
        let end = side.run(random_player(seed)).unwrap();
        (
            end,
            side.play.log().hash(),
            side.play.log().stacks().to_vec(),
        )
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0].0, End::Played);
}

/// Plays an honest seat against `cheat`, a puppet with this twist. Returns how the match ended for
/// the honest seat, and all its news.
fn against(cheat: Seat, twist: Twist) -> (Result<End, PlayError>, Vec<News>) {
    let stakes = holdem(1);
    let (wirings, info) = wirings(&stakes, &shuffle_for(&stakes));
    let outcomes = both(wirings, |wiring| {
        if wiring.seat == cheat {
            Puppet::new(wiring, MatchLog::new(info.clone(), cheat), twist).run();
            return None;
        }
        let mut seen = Vec::new();
        let mut side: Side = Side::new(wiring, &info);
        let end = side.run(|_, news| {
            seen.push(news.clone());
            match news {
                News::YourTurn {
                    legal: Legal::Bet { call: None, .. },
                } => Some(Command::Choose(Choice::Check)),
                News::YourTurn {
                    legal: Legal::Bet { .. },
                } => Some(Command::Choose(Choice::Call)),
                News::YourTurn { .. } => Some(Command::Choose(Choice::Show)),
                _ => None,
            }
        });
        Some((end, seen))
    });
    outcomes.into_iter().flatten().next().unwrap()
}

#[test]
fn puppet_without_a_twist_plays_a_hand() {
    for seat in [Seat::HOST, Seat::GUEST] {
        let (end, seen) = against(seat, |_| {});
        assert_eq!(end.unwrap(), End::Played);
        let cards = seen.iter().filter(|news| matches!(news, News::Card { .. }));
        // Two own cards, five cards of the board, and the other seat's cards if it showed them.
        assert!(cards.count() >= 7);
    }
}

#[test]
fn invalid_seal_voids_the_try_before_any_card_is_seen() {
    let twists: [(Twist, &[Seat]); 3] = [
        (
            |part| {
                if let Part::Seal(seal) = part {
                    seal.validity_macs[3] ^= 4;
                }
            },
            &[Seat::HOST, Seat::GUEST],
        ),
        (
            |part| {
                if let Part::Seal(seal) = part
                    && let Some(bit) = seal.validity.first_mut()
                {
                    *bit ^= true;
                }
            },
            &[Seat::HOST, Seat::GUEST],
        ),
        (
            |part| {
                if let Part::Seal(Seal {
                    masked: Some(masked),
                    ..
                }) = part
                {
                    masked.cards[5] ^= 1;
                }
            },
            &[Seat::HOST],
        ),
    ];
    for (number, (twist, cheats)) in twists.into_iter().enumerate() {
        for &cheat in cheats {
            let (end, seen) = against(cheat, twist);
            assert!(
                matches!(end, Err(PlayError::Seal(_))),
                "{number} {cheat}: {end:?}"
            );
            assert!(!seen.iter().any(|news| matches!(news, News::Card { .. })));
        }
    }
}

#[test]
fn opening_with_invalid_macs_is_disputed() {
    // The commitment is valid, so only the honest seat can detect the invalid MACs.
    let twists: [Twist; 1] = [|part| {
        if let Part::Open(cards) = part {
            cards[0].macs[31] ^= 0x80;
        }
    }];
    for twist in twists {
        for cheat in [Seat::HOST, Seat::GUEST] {
            let (end, _) = against(cheat, twist);
            match end.unwrap() {
                End::Stopped(stops) => {
                    let [(seat, Stop::Dispute { .. })] = stops[..] else {
                        panic!("{stops:?}");
                    };
                    assert_ne!(seat, cheat);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn leaving_after_an_all_in_still_finishes_the_hand() {
    let stakes = holdem(2);
    let ends = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let own = side.play.seat();
        let mut costs = None;
        let end = side.run(|play, news| match news {
            News::YourTurn { legal } => Some(Command::Choose(match legal {
                Legal::Bet {
                    raise: Some(raise), ..
                } => Choice::Raise { to: raise.max },
                _ => Choice::Call,
            })),
            News::Log(LogEvent::Chose(Chosen {
                seat,
                choice: Choice::Call,
                all_in: true,
                ..
            })) if *seat != own => {
                costs = Some(play.log().lost_by_leaving(own));
                Some(Command::Leave { anyhow: true })
            }
            _ => None,
        });
        // The host may be gone while the guest still sends its deal.
        let log = side.play.log();
        (end.ok(), log.attempt().hand, log.final_stacks(), costs)
    });
    let [(end, hand, stacks, costs), _] = ends;
    assert_eq!(end, Some(End::Stopped(vec![(Seat::HOST, Stop::Leave)])));
    assert_eq!((hand, costs), (2, Some(0)));
    assert_eq!(stacks.iter().sum::<u64>(), 400);
}
