//! Hands of a deck without rules, listed plainly.

use dealerless::deck::Card;
use dealerless_table::{Choice, Chosen, HandEvent, Learners, Record, RecordedHand, Seat, Stop};

use super::show::deck;
use super::words::{self, Who};
use crate::table::{dice, short};

/// Hands, one below the other.
pub(super) fn write(record: &Record, hands: &[&RecordedHand]) -> String {
    let pages: Vec<String> = hands.iter().map(|hand| page(record, hand)).collect();
    pages.join("\n\n")
}

fn page(record: &Record, hand: &RecordedHand) -> String {
    let who = Who::of(record);
    let (cards, drawn) = record.of().header().stakes.deck();
    let mut lines = vec![format!(
        "Match {}, hand {}: {drawn} of {cards} cards are drawn.",
        words::short_id(&record.of().id()),
        hand.number
    )];
    let of = deck(record);
    for event in &hand.events {
        match event {
            HandEvent::Opened { position, to } => {
                lines.push(opened(&who, hand, *position, *to, of));
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
fn opened(who: &Who, hand: &RecordedHand, position: usize, to: Learners, of: usize) -> String {
    let face = |card: Option<&Card>| card.map_or("?".to_owned(), |&card| short(card, of));
    match to {
        Learners::All => format!(
            "Card {} is opened to all: {}",
            position + 1,
            face(hand.public.get(&position))
        ),
        Learners::Seat(seat) => format!(
            "Card {} is opened to {}: {}",
            position + 1,
            who.name(seat),
            face(hand.seen.get(&position))
        ),
    }
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
