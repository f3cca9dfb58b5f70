//! Dice, draws and reveals of a deck without rules, with the real engine.

use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::log::{End, LogEvent};
use dealerless_table::play::{Command, News};
use dealerless_table::rules::{Choice, Learners, Legal, Rolled, Stakes, Variety};
use dealerless_table::testing::threads::{Seated, both};

use super::shuffle_for;
use super::sides;

fn stakes(hands: u32) -> Stakes {
    let variety = Variety::Deck {
        cards: 25,
        drawn: 8,
    };
    Stakes::new(variety, 2, hands).unwrap()
}

fn dice() -> Dice {
    Dice::new(2, 6).unwrap()
}

/// Rolls, draws two cards, reveals one of them, and passes.
fn player() -> impl FnMut(&Seated, &News) -> Option<Command> {
    let mut turns = 0;
    move |play, news| {
        let News::YourTurn { .. } = news else {
            if let News::Log(LogEvent::HandOver { .. }) = news {
                turns = 0;
            }
            return None;
        };
        let held = play.log().game()?.held(play.seat());
        turns += 1;
        Some(Command::Choose(match turns {
            1 => Choice::Roll(dice()),
            2 | 3 => Choice::Draw,
            4 => Choice::Reveal(held[0] as u16),
            _ => Choice::Pass,
        }))
    }
}

/// The dice and cards that a seat has seen.
type Seen = (Vec<Rolled>, Vec<(usize, u64)>);

fn seen(news: &News, seen: &mut Seen) {
    match news {
        News::Log(LogEvent::Rolled(rolled)) => seen.0.push(rolled.clone()),
        News::Card { position, card } => seen.1.push((*position, card.0)),
        _ => {}
    }
}

#[test]
fn rolls_draws_and_reveals_lead_to_equal_logs() {
    let stakes = stakes(3);
    let outcomes = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let (mut all, mut player) = (Seen::default(), player());
        let end = side.run(|play, news| {
            seen(news, &mut all);
            player(play, news)
        });
        (end.unwrap(), side.play.log().hash(), all)
    });
    let [
        (end, hash, (rolls, host)),
        (same, other, (guest_rolls, guest)),
    ] = outcomes;
    assert_eq!((&end, hash), (&End::Played, other));
    assert_eq!(end, same);
    assert_eq!(rolls, guest_rolls);
    assert_eq!(rolls.len(), 6);
    for rolled in rolls {
        assert_eq!(rolled.faces.len(), 2);
        assert!(rolled.faces.iter().all(|face| (1..=6).contains(face)));
    }
    // In each hand both seats draw two cards, and see one card of the other seat.
    for cards in [&host, &guest] {
        assert_eq!(cards.len(), 3 * 3);
        assert!(cards.iter().all(|(position, _)| *position < 4));
    }
}

#[test]
fn drawn_card_can_be_shown_by_a_proposal() {
    let stakes = stakes(1);
    let outcomes = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let mut turns = 0;
        let end = side.run(|play, news| {
            let News::YourTurn { legal } = news else {
                return None;
            };
            let Legal::Speak { proposals, .. } = legal else {
                panic!("{legal:?}");
            };
            turns += 1;
            let choice = match (play.seat(), turns, proposals.first()) {
                (Seat::HOST, 1, _) => Choice::Draw,
                (Seat::HOST, 2, _) => Choice::Propose(vec![(0, Learners::All)]),
                (Seat::GUEST, _, Some(proposal)) => Choice::Agree(proposal.number),
                _ => Choice::Pass,
            };
            Some(Command::Choose(choice))
        });
        (end.unwrap(), side.play.log().hash())
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0].0, End::Played);
}

/// Both seats draw three cards, steal twice from each other in turn, and reveal the cards that they
/// hold. From the third steal on, some cards were last resealed by the first steal and others by
/// the second.
#[test]
fn both_seats_see_the_same_stolen_cards() {
    let stakes = stakes(2);
    let outcomes = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let (mut turns, mut all, mut void) = (0, Seen::default(), 0);
        let end = side.run(|play, news| {
            seen(news, &mut all);
            let not_stolen = matches!(news, News::Log(LogEvent::NotStolen { .. }));
            void += usize::from(not_stolen);
            match news {
                News::Log(LogEvent::Begun(_)) => {
                    turns = 0;
                    all.1.clear();
                }
                News::YourTurn { .. } => {
                    let game = play.log().game()?;
                    let held = game.held(play.seat());
                    let closed = held.iter().find(|&&at| game.public(at).is_none());
                    turns += 1;
                    return Some(Command::Choose(match turns {
                        1..=3 => Choice::Draw,
                        4..=5 => Choice::Steal(play.seat().next(2)),
                        _ => closed.map_or(Choice::Pass, |&at| Choice::Reveal(at as u16)),
                    }));
                }
                _ => {}
            }
            None
        });
        assert_eq!(void, 0);
        (end.unwrap(), side.play.log().hash(), all.1)
    });
    let [(end, hash, host), (same, other, guest)] = outcomes;
    assert_eq!((&end, hash), (&End::Played, other));
    assert_eq!(end, same);
    // Both have seen the same card last at each position.
    let last = |cards: &[(usize, u64)]| -> std::collections::BTreeMap<usize, u64> {
        cards.iter().copied().collect()
    };
    let (host, guest) = (last(&host), last(&guest));
    assert_eq!(host, guest);
    let mut cards: Vec<u64> = host.into_values().collect();
    cards.sort_unstable();
    cards.dedup();
    assert_eq!(cards.len(), 6, "a card is lost or repeated");
}
