//! Plain listings of hands of a deck without rules and of sets of boards.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless_bridge::Compass;
use dealerless_table::Seat;
use dealerless_table::log::{LogEvent, Stop};
use dealerless_table::record::{Record, RecordedHand};
use dealerless_table::rules::Learners;

use super::words::{self, Who};
use crate::cards::CardNames;
use crate::command::Said;
use crate::hands;
use crate::seated::Kind;
use crate::words::{chose, kinds, rolled as dice};

/// Lists hands, with an empty line in between.
pub(super) fn write(record: &Record, hands: &[&RecordedHand]) -> String {
    let pages: Vec<String> = hands.iter().map(|hand| page(record, hand)).collect();
    pages.join("\n\n")
}

fn page(record: &Record, hand: &RecordedHand) -> String {
    let who = Who::of(record);
    let stakes = &record.log.match_info().header().stakes;
    let mut lines = vec![title(record, hand)];
    let names = CardNames::of(stakes);
    // The record has only the last card at each position. `since` has the step of the last
    // reshuffle of a position before the current event.
    let mut since = BTreeMap::new();
    let mut events = &hand.events[..];
    while let Some((event, rest)) = events.split_first() {
        if who.names().has_boards()
            && let Some(board) = whole_board(events, hand, &names)
        {
            lines.push(board);
            events = &events[Compass::ALL.len()..];
            continue;
        }
        events = rest;
        match event {
            LogEvent::Opened { position, to, card } => {
                let cards = match to {
                    Learners::All => &hand.public,
                    Learners::Seat(_) => &hand.seen,
                };
                let is_current = since.get(position).unwrap_or(&0) == &hand.since(*position);
                let known = cards.get(position).filter(|_| is_current);
                lines.push(opened(
                    &who,
                    *position,
                    *to,
                    card.as_ref().or(known),
                    &names,
                ));
            }
            LogEvent::Reshuffled {
                seat,
                positions,
                since: step,
            } => {
                since.extend(positions.iter().map(|position| (*position, *step)));
                lines.push(reshuffled(&who, *seat, positions));
            }
            LogEvent::Chose(chosen) => {
                let seat = chosen.seat.number();
                let said = Said::from(&chosen.choice);
                lines.push(chose(who.names(), seat, &said, false).to_string());
            }
            LogEvent::NotStolen { .. } => {
                lines.push("The hand could not be reshuffled: nothing was stolen.".to_owned());
            }
            LogEvent::Rolled(rolled) => {
                lines.push(dice(rolled.dice, &rolled.faces, rolled.sum()));
            }
            LogEvent::Mixed { seat, positions } => {
                lines.push(format!(
                    "{} mixes {} goods.",
                    who.name(*seat),
                    positions.len()
                ));
            }
            LogEvent::Stolen(stolen) => lines.push(format!(
                "{} takes good {} from {}.",
                who.name(stolen.thief),
                stolen.position,
                who.name(stolen.owner)
            )),
            LogEvent::Stopped { seat, stop } => lines.push(stopped(&who, *seat, *stop)),
            _ => {}
        }
    }
    if hand.outcome.is_none() {
        lines.push(words::without_result(&who, record));
    }
    lines.join("\n")
}

fn title(record: &Record, hand: &RecordedHand) -> String {
    let stakes = &record.log.match_info().header().stakes;
    let (cards, drawn) = stakes.deck();
    let of = record.log.match_info().id();
    match stakes.boards() {
        Some(boards) => format!("Match {of}, set {}: {boards} boards.", hand.begun.hand),
        None if stakes.game().is_some() => {
            format!("Match {of}, hand {}: {cards} cards.", hand.begun.hand)
        }
        None => format!(
            "Match {of}, hand {}: {drawn} of {cards} cards are drawn{}.",
            hand.begun.hand,
            kinds(&Kind::of(stakes))
        ),
    }
}

/// A whole board on one line, if the first four events open its hands to all.
fn whole_board(events: &[LogEvent], hand: &RecordedHand, names: &CardNames) -> Option<String> {
    let LogEvent::Opened { position, .. } = *events.first()? else {
        return None;
    };
    let (board, Compass::North) = hands::place(position) else {
        return None;
    };
    let opened = events.get(..Compass::ALL.len())?.iter().zip(position..);
    let hands: Option<Vec<String>> = opened
        .map(|(event, expected)| match event {
            LogEvent::Opened {
                position,
                to: Learners::All,
                ..
            } if *position == expected => hand.public.get(position).map(|&card| names.name(card)),
            _ => None,
        })
        .collect();
    Some(hands::whole_board(board, &hands?))
}

fn opened(
    who: &Who,
    position: usize,
    to: Learners,
    card: Option<&Card>,
    names: &CardNames,
) -> String {
    let face = card.map_or("?".to_owned(), |&card| names.at(position, card));
    let place = match names.is_good(position) {
        true => format!("good {position}"),
        false => who.names().place(position),
    };
    let to = match to {
        Learners::All => "all".to_owned(),
        Learners::Seat(seat) => who.name(seat),
    };
    let (first, rest) = place.split_at(1);
    let first = first.to_uppercase();
    format!("{first}{rest} is opened to {to}: {face}")
}

fn reshuffled(who: &Who, seat: Seat, positions: &[usize]) -> String {
    let cards: Vec<String> = positions.iter().map(|at| (at + 1).to_string()).collect();
    format!(
        "The hand of {} is reshuffled, at the positions of cards {}.",
        who.name(seat),
        cards.join(", ")
    )
}

fn stopped(who: &Who, seat: Seat, stop: Stop) -> String {
    let name = who.name(seat);
    match stop {
        Stop::Leave => format!("{name} leaves the match."),
        Stop::Forfeit => format!("{name} cannot continue."),
        Stop::Dispute { step } => format!("{name} disputes what was opened in step {step}."),
    }
}
