//! Hands of a deck without rules, listed plainly.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless_table::{Choice, Chosen, HandEvent, Learners, Record, RecordedHand, Seat, Stop};

use super::words::{self, Who};
use crate::table::{CardNames, Kind, dice, kinds_of_cards};

/// Hands, one below the other.
pub(super) fn write(record: &Record, hands: &[&RecordedHand]) -> String {
    let pages: Vec<String> = hands.iter().map(|hand| page(record, hand)).collect();
    pages.join("\n\n")
}

fn page(record: &Record, hand: &RecordedHand) -> String {
    let who = Who::of(record);
    let stakes = &record.of().header().stakes;
    let (cards, drawn) = stakes.deck();
    let mut lines = vec![format!(
        "Match {}, hand {}: {drawn} of {cards} cards are drawn{}.",
        words::short_id(&record.of().id()),
        hand.number,
        kinds_of_cards(&Kind::of(stakes))
    )];
    let names = CardNames::of(stakes);
    // Of a card that is shuffled again later, the record keeps no face.
    let mut since = BTreeMap::new();
    for event in &hand.events {
        match event {
            HandEvent::Opened { position, to } => {
                let cards = match to {
                    Learners::All => &hand.public,
                    Learners::Seat(_) => &hand.seen,
                };
                let lies_there = since.get(position).unwrap_or(&0) == &hand.since(*position);
                let card = cards.get(position).filter(|_| lies_there);
                lines.push(opened(&who, *position, *to, (card, &names)));
            }
            HandEvent::Reshuffled {
                seat,
                positions,
                since: step,
            } => {
                since.extend(positions.iter().map(|position| (*position, *step)));
                lines.push(reshuffled(&who, *seat, positions));
            }
            HandEvent::Chose(chosen) => lines.push(chose(&who, chosen)),
            HandEvent::NotStolen { .. } => {
                lines.push("The hand could not be shuffled again: nothing is stolen.".to_owned());
            }
            HandEvent::Rolled(rolled) => {
                let sum = rolled.faces.iter().copied().map(u64::from).sum();
                lines.push(dice(rolled.dice, &rolled.faces, sum));
            }
            HandEvent::Stopped { seat, stop } => lines.push(stopped(&who, *seat, *stop)),
            _ => {}
        }
    }
    if hand.outcome.is_none() {
        let state = words::state(&who, &record.state());
        lines.push(format!("The hand was not played to its end. {state}"));
    }
    lines.join("\n")
}

/// People count cards from 1.
fn opened(
    who: &Who,
    position: usize,
    to: Learners,
    (card, names): (Option<&Card>, &CardNames),
) -> String {
    let to = match to {
        Learners::All => "all",
        Learners::Seat(seat) => who.name(seat),
    };
    let face = card.map_or("?".to_owned(), |&card| names.name(card));
    format!("Card {} is opened to {to}: {face}", position + 1)
}

fn reshuffled(who: &Who, seat: Seat, positions: &[usize]) -> String {
    let cards: Vec<String> = positions.iter().map(|at| (at + 1).to_string()).collect();
    format!(
        "The hand of {} is shuffled again, at the places of cards {}.",
        who.name(seat),
        cards.join(", ")
    )
}

fn chose(who: &Who, chosen: &Chosen) -> String {
    let name = who.name(chosen.seat);
    match &chosen.choice {
        Choice::Propose(cards) => {
            let card = |(position, to): &(u16, Learners)| {
                let to = match to {
                    Learners::All => "all",
                    Learners::Seat(seat) => who.name(*seat),
                };
                format!("card {} to {to}", position + 1)
            };
            let cards: Vec<String> = cards.iter().map(card).collect();
            format!("{name} proposes to open {}.", cards.join(", "))
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
        Choice::Reveal(position) => format!("{name} reveals card {}.", position + 1),
        Choice::ShowCard(position) => format!("{name} shows card {}, and keeps it.", position + 1),
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
