//! Hands in the Poker Hand History format: TOML with one table for each hand.

use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::log::{Face, LogEvent, Stop};
use dealerless_table::record::{Record, RecordedHand};
use dealerless_table::rules::{Choice, Limit, PokerKind, Posts, Variety};

use super::playing;
use super::words::{Moment, Who};
use crate::cards::short;

/// The error if a game has no form in PHH.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotInPhh(&'static str);

/// Formats hands as a PHHS file, or if `alone` the single hand as a PHH file.
///
/// # Errors
/// [`NotInPhh`], if the game is not hold'em.
pub fn write(
    record: &Record,
    hands: &[&RecordedHand],
    alone: bool,
    date: Option<Moment>,
) -> Result<String, NotInPhh> {
    match record.log.match_info().header().stakes.variety() {
        Variety::Poker(PokerKind::Holdem, _) => {}
        Variety::Poker(PokerKind::FiveCardDraw, _) => {
            return Err(NotInPhh(
                "PHH does not support five-card draw (the draw games of PHH are lowball): use show without --phh",
            ));
        }
        Variety::Deck { .. } | Variety::Game { .. } => {
            return Err(NotInPhh(
                "PHH is for poker: for a deck without rules or a board game, omit --phh",
            ));
        }
        Variety::Boards { .. } => {
            return Err(NotInPhh(
                "PHH is for poker: `dealerless bridge boards` writes boards",
            ));
        }
    }
    let tables = hands.iter().map(|hand| {
        let mut fields = fields(record, hand);
        fields.extend(date.iter().flat_map(dated));
        let fields = fields.join("\n");
        if alone {
            fields
        } else {
            format!("[{}]\n{fields}", hand.begun.hand)
        }
    });
    Ok(tables.collect::<Vec<_>>().join("\n\n"))
}

/// The players dealt in, from the seat left of the button to the button.
fn players(hand: &RecordedHand) -> Vec<Seat> {
    let mut players = playing::players(hand);
    let after = players.iter().filter(|seat| **seat <= hand.begun.button);
    let after = after.count();
    players.rotate_left(after);
    players
}

fn fields(record: &Record, hand: &RecordedHand) -> Vec<String> {
    let players = players(hand);
    let Some(rules) = record.log.match_info().header().stakes.betting() else {
        return Vec::new();
    };
    let (ante, blinds) = match rules.posts {
        Posts::Blinds { small, big } => (0, [small, big]),
        Posts::Antes { ante, .. } => (ante, [0, 0]),
    };
    let blind = |place: usize| blinds.get(place).copied().unwrap_or(0);
    let smallest = rules.smallest_bet();
    let (variant, bets) = match rules.limit {
        Limit::NoLimit => ("NT", vec![format!("min_bet = {smallest}")]),
        Limit::Fixed => (
            "FT",
            vec![
                format!("small_bet = {smallest}"),
                format!("big_bet = {}", 2 * smallest),
            ],
        ),
    };
    let who = Who::of(record);
    let of = |chips: &[u64]| list(players.iter().map(|seat| chips[seat.index()].to_string()));
    let mut fields = vec![
        format!("variant = {}", quoted(variant)),
        format!("antes = {}", list(players.iter().map(|_| ante.to_string()))),
        format!(
            "blinds_or_straddles = {}",
            list((0..players.len()).map(|place| blind(place).to_string()))
        ),
    ];
    fields.extend(bets);
    fields.push(format!("starting_stacks = {}", of(&hand.begun.stacks)));
    let actions = actions(hand, &players);
    fields.push(format!(
        "actions = {}",
        list(actions.iter().map(|action| quoted(action)))
    ));
    fields.push(format!("hand = {}", hand.begun.hand));
    fields.push(format!(
        "table = {}",
        quoted(&record.log.match_info().id().to_string())
    ));
    fields.push(format!(
        "seats = {}",
        list(players.iter().map(|seat| (seat.index() + 1).to_string()))
    ));
    fields.push(format!("seat_count = {}", record.log.match_info().seats()));
    fields.push(format!(
        "players = {}",
        list(players.iter().map(|&seat| quoted(&who.name(seat))))
    ));
    match &hand.outcome {
        Some(outcome) => fields.push(format!("finishing_stacks = {}", of(&outcome.stacks))),
        None => fields.push("# The hand was not played to its end.".to_owned()),
    }
    fields
}

/// The time fields of a hand. A record has no times, so `date` is that of the file.
fn dated(date: &Moment) -> [String; 6] {
    [
        "# The time is that of the last change of the file. It is unproven.".to_owned(),
        format!(
            "time = {:02}:{:02}:{:02}",
            date.hour, date.minute, date.second
        ),
        "time_zone = \"UTC\"".to_owned(),
        format!("day = {}", date.day),
        format!("month = {}", date.month),
        format!("year = {}", date.year),
    ]
}

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fn faces(cards: impl Iterator<Item = Option<Card>>) -> String {
    let face = |card: Option<Card>| card.map_or("??".to_owned(), |card| short(card, 52));
    cards.map(face).collect()
}

fn known(face: &Face) -> Option<Card> {
    Some(face.card)
}

/// The betting rounds of hold'em.
const ROUNDS: usize = 4;

fn actions(hand: &RecordedHand, players: &[Seat]) -> Vec<String> {
    let number = |seat: Seat| {
        let place = players.iter().position(|&player| player == seat);
        format!("p{}", place.map_or(0, |place| place + 1))
    };
    let mut actions = Vec::new();
    // The hole cards of all players are dealt before anything else happens.
    for &seat in players.iter().filter(|_| hand.seal.is_some()) {
        let held = hand.held[seat.index()].iter();
        let cards = held.map(|&position| hand.card(position));
        actions.push(format!("d dh {} {}", number(seat), faces(cards)));
    }
    let mut folded = Vec::new();
    for (at, event) in hand.events.iter().enumerate() {
        match event {
            LogEvent::Chose(chosen) if chosen.choice == Choice::Fold => folded.push(chosen.seat),
            LogEvent::Removed { seats } => {
                let plays =
                    |seat: &&Seat| !hand.held[seat.index()].is_empty() && !folded.contains(*seat);
                let folds = seats.iter().filter(plays);
                actions.extend(folds.map(|seat| format!("{} f", number(*seat))));
            }
            _ => {}
        }
        let action = match event {
            LogEvent::Board(cards) => format!("d db {}", faces(cards.iter().map(known))),
            LogEvent::Shown { seat, cards } => {
                format!("{} sm {}", number(*seat), faces(cards.iter().map(known)))
            }
            LogEvent::Chose(chosen) => {
                let what = match &chosen.choice {
                    Choice::Fold => "f".to_owned(),
                    Choice::Check | Choice::Call => "cc".to_owned(),
                    Choice::Bet { to } | Choice::Raise { to } => format!("cbr {to}"),
                    Choice::Muck => "sm".to_owned(),
                    _ => continue,
                };
                format!("{} {what}", number(chosen.seat))
            }
            LogEvent::Stopped {
                seat,
                stop: Stop::Leave,
            } if players.len() > 2 => {
                let mucks = playing::mucks_when_leaving(&hand.events[..at], *seat, ROUNDS);
                format!("{} {}", number(*seat), if mucks { "sm" } else { "f" })
            }
            _ => continue,
        };
        actions.push(action);
    }
    actions
}
