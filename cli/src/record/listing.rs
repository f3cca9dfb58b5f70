//! Hands of a deck without rules, and sets of boards, listed plainly.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless_bridge::Seat as Bridge;
use dealerless_events::cards::CardNames;
use dealerless_events::hands;
use dealerless_events::seated::Kind;
use dealerless_events::words::{kinds, rolled as dice};
use dealerless_table::Seat;
use dealerless_table::log::Stop;
use dealerless_table::record::{Chosen, HandEvent, Record, RecordedHand};
use dealerless_table::rules::{Choice, Learners};

use super::words::{self, Who};

/// Hands, one below the other.
pub(super) fn write(record: &Record, hands: &[&RecordedHand]) -> String {
    let pages: Vec<String> = hands.iter().map(|hand| page(record, hand)).collect();
    pages.join("\n\n")
}

fn page(record: &Record, hand: &RecordedHand) -> String {
    let who = Who::of(record);
    let stakes = &record.log.of().header().stakes;
    let mut lines = vec![title(record, hand)];
    let who = &Named {
        who: &who,
        boards: stakes.boards().is_some(),
    };
    let names = CardNames::of(stakes);
    // Of a card that is shuffled again later, the record keeps no face.
    let mut since = BTreeMap::new();
    let mut events = &hand.events[..];
    while let Some((event, rest)) = events.split_first() {
        if who.boards
            && let Some(board) = whole_board(events, hand, &names)
        {
            lines.push(board);
            events = &events[Bridge::ALL.len()..];
            continue;
        }
        events = rest;
        match event {
            HandEvent::Opened { position, to } => {
                let cards = match to {
                    Learners::All => &hand.public,
                    Learners::Seat(_) => &hand.seen,
                };
                let lies_there = since.get(position).unwrap_or(&0) == &hand.since(*position);
                let card = cards.get(position).filter(|_| lies_there);
                lines.push(opened(who, *position, *to, (card, &names)));
            }
            HandEvent::Reshuffled {
                seat,
                positions,
                since: step,
            } => {
                since.extend(positions.iter().map(|position| (*position, *step)));
                lines.push(reshuffled(who.who, *seat, positions));
            }
            HandEvent::Chose(chosen) => lines.push(chose(who, chosen)),
            HandEvent::NotStolen { .. } => {
                lines.push("The hand could not be shuffled again: nothing is stolen.".to_owned());
            }
            HandEvent::Rolled(rolled) => {
                let sum = rolled.faces.iter().copied().map(u64::from).sum();
                lines.push(dice(rolled.dice, &rolled.faces, sum));
            }
            HandEvent::Stopped { seat, stop } => lines.push(stopped(who.who, *seat, *stop)),
            _ => {}
        }
    }
    if hand.outcome.is_none() {
        lines.push(words::without_result(who.who, record));
    }
    lines.join("\n")
}

fn title(record: &Record, hand: &RecordedHand) -> String {
    let stakes = &record.log.of().header().stakes;
    let (cards, drawn) = stakes.deck();
    let of = words::short_id(&record.log.of().id());
    match stakes.boards() {
        Some(boards) => format!("Match {of}, set {}: {boards} boards.", hand.number),
        None => format!(
            "Match {of}, hand {}: {drawn} of {cards} cards are drawn{}.",
            hand.number,
            kinds(&Kind::of(stakes))
        ),
    }
}

/// A board in one line, if these events begin with its four hands, opened to all.
fn whole_board(events: &[HandEvent], hand: &RecordedHand, names: &CardNames) -> Option<String> {
    let HandEvent::Opened { position, .. } = *events.first()? else {
        return None;
    };
    let (board, Bridge::North) = hands::place(position) else {
        return None;
    };
    let opened = events.get(..Bridge::ALL.len())?.iter().zip(position..);
    let hands: Option<Vec<String>> = opened
        .map(|(event, expected)| match event {
            HandEvent::Opened {
                position,
                to: Learners::All,
            } if *position == expected => hand.public.get(position).map(|&card| names.name(card)),
            _ => None,
        })
        .collect();
    Some(hands::whole_board(board, &hands?))
}

/// What the players are called, and what lies at the positions.
struct Named<'a> {
    who: &'a Who,
    boards: bool,
}

impl Named<'_> {
    fn place(&self, position: usize) -> String {
        hands::name(self.boards, position)
    }

    fn to(&self, to: Learners) -> &str {
        match to {
            Learners::All => "all",
            Learners::Seat(seat) => self.who.name(seat),
        }
    }
}

fn opened(
    named: &Named<'_>,
    position: usize,
    to: Learners,
    (card, names): (Option<&Card>, &CardNames),
) -> String {
    let face = card.map_or("?".to_owned(), |&card| names.name(card));
    let place = named.place(position);
    let (first, rest) = place.split_at(1);
    let first = first.to_uppercase();
    format!("{first}{rest} is opened to {}: {face}", named.to(to))
}

fn reshuffled(who: &Who, seat: Seat, positions: &[usize]) -> String {
    let cards: Vec<String> = positions.iter().map(|at| (at + 1).to_string()).collect();
    format!(
        "The hand of {} is shuffled again, at the places of cards {}.",
        who.name(seat),
        cards.join(", ")
    )
}

fn chose(named: &Named<'_>, chosen: &Chosen) -> String {
    let who = named.who;
    let name = who.name(chosen.seat);
    match &chosen.choice {
        Choice::Propose(cards) => {
            let wide = |&(position, to): &(u16, Learners)| (usize::from(position), to);
            let cards: Vec<_> = cards.iter().map(wide).collect();
            let card = |&(position, to): &(usize, Learners)| {
                format!("{} to {}", named.place(position), named.to(to))
            };
            let cards = match named.boards {
                true => hands::proposed(&cards, |to| named.to(to).to_owned()),
                false => cards.iter().map(card).collect::<Vec<_>>().join(", "),
            };
            format!("{name} proposes to open {cards}.")
        }
        Choice::Agree(number) => format!("{name} agrees to proposal {number}."),
        Choice::Refuse(number) => format!("{name} refuses proposal {number}."),
        Choice::Roll(dice) => format!("{name} rolls {dice}."),
        Choice::Draw => format!("{name} draws a card."),
        Choice::Steal(seat) => {
            format!(
                "{name} steals a card out of the hand of {}.",
                who.name(*seat)
            )
        }
        &Choice::Reveal(position) => format!("{name} reveals {}.", named.place(position.into())),
        &Choice::ShowCard(position) => {
            format!(
                "{name} shows {}, and keeps it.",
                named.place(position.into())
            )
        }
        _ => format!("{name} passes."),
    }
}

fn stopped(who: &Who, seat: Seat, stop: Stop) -> String {
    let name = who.name(seat);
    match stop {
        Stop::Leave => format!("{name} leaves the match."),
        Stop::Forfeit => format!("{name} cannot go on."),
        Stop::Dispute { step } => format!("{name} disputes what was opened in step {step}."),
    }
}
