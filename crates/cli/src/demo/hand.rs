//! A hand of the demo, as each of the two players sees it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dealerless::deck::Card;
use dealerless_seat::cards::{RANKS, SUITS};
use dealerless_seat::event::HandResult;
use dealerless_table::Seat;
use dealerless_table::rules::PokerKind;
use serde::Serialize;

use super::seats::NAMES;
use crate::output::{self, count};

/// The cards that one player saw in a hand, in order.
pub(super) struct View {
    kind: PokerKind,
    seen: Vec<Seen>,
    result: Option<HandResult>,
}

/// A card that a player saw.
struct Seen {
    step: &'static str,
    position: usize,
    /// The seat that holds the card; `None` for a card of the board.
    holder: Option<Seat>,
    card: Card,
}

impl View {
    /// The view of a hand of this game, before any card.
    pub(super) fn new(kind: PokerKind) -> Self {
        View {
            kind,
            seen: Vec::new(),
            result: None,
        }
    }

    /// Adds a card that the player at `own` saw.
    pub(super) fn add(&mut self, own: Seat, holder: Option<Seat>, position: usize, card: Card) {
        let before = self.seen.iter().filter(|seen| seen.holder == holder);
        let step = match (holder, before.count()) {
            (Some(seat), _) if seat != own => "showdown",
            (Some(_), before) if before >= self.kind.hole_cards() => "exchange",
            (Some(_), _) => match self.kind.exchanges() {
                false => "hole cards",
                true => "deal",
            },
            (None, 0..3) => "flop",
            (None, 3) => "turn",
            (None, _) => "river",
        };
        self.seen.push(Seen {
            step,
            position,
            holder,
            card,
        });
    }

    /// Ends the hand with this result.
    pub(super) fn ends(&mut self, result: HandResult) {
        self.result = Some(result);
    }

    /// The cards by position.
    fn cards(&self) -> BTreeMap<usize, Card> {
        let seen = self.seen.iter();
        seen.map(|seen| (seen.position, seen.card)).collect()
    }
}

/// Order of the steps in the output.
const STEPS: [&str; 7] = [
    "hole cards",
    "deal",
    "exchange",
    "flop",
    "turn",
    "river",
    "showdown",
];

/// A hand as the host and the guest see it.
pub(super) struct Views([View; 2]);

impl Views {
    /// Pairs the views of both sides.
    pub(super) fn of([host, guest]: [Vec<View>; 2]) -> Vec<Self> {
        let both = host.into_iter().zip(guest);
        both.map(|(host, guest)| Views([host, guest])).collect()
    }

    /// Whether both players saw the same result, and the same card at each position at which both
    /// saw a card.
    pub(super) fn agree(&self) -> bool {
        let [host, guest] = &self.0;
        let (cards, others) = (host.cards(), guest.cards());
        host.result == guest.result
            && (cards.iter()).all(|(at, card)| others.get(at).is_none_or(|other| other == card))
    }

    /// The hand as a table, with its result. The rows are the steps, and the columns are what each
    /// player sees.
    pub(super) fn describe(&self, number: usize) -> String {
        let [a, b] = NAMES.map(|name| format!("{name} sees"));
        let mut grid = output::grid();
        grid.set_header([format!("Hand {number}"), String::new(), a, b]);
        for (count, step) in STEPS.iter().enumerate() {
            let mut name = *step;
            for holder in [None, Some(Seat::HOST), Some(Seat::GUEST)] {
                if let Some([a, b]) = self.row(&STEPS[..=count], holder) {
                    let holder = holder.map_or("", |seat| NAMES[seat.index()]);
                    grid.add_row([name, holder, &a, &b]);
                    name = "";
                }
            }
        }
        output::fit(&mut grid, &[]);
        let result = output::wrapped(&self.result(), output::width(), "    ");
        format!("{}\n\n{result}", grid.trim_fmt())
    }

    /// The holder's cards that were opened in the last of `steps`, as each player sees them after
    /// this step. `None` if no card was opened.
    fn row(&self, steps: &[&str], holder: Option<Seat>) -> Option<[String; 2]> {
        let opened = |seen: &&Seen| steps.last() == Some(&seen.step) && seen.holder == holder;
        let seen = self
            .0
            .iter()
            .flat_map(|view| view.seen.iter().filter(opened));
        let positions: BTreeSet<usize> = seen.map(|seen| seen.position).collect();
        let row = |view: &View| {
            let faces = positions.iter().map(|&position| {
                let known = |seen: &&Seen| seen.position == position && steps.contains(&seen.step);
                face(view.seen.iter().find(known).map(|seen| seen.card))
            });
            faces.collect::<Vec<_>>().join(" ")
        };
        (!positions.is_empty()).then(|| self.0.each_ref().map(row))
    }

    fn result(&self) -> String {
        let Some(result) = &self.0[0].result else {
            return String::new();
        };
        let winners = result.pots.iter().flat_map(|pot| &pot.winners);
        let name = |seat: u8| NAMES[usize::from(seat)];
        let mut lines: Vec<String> = winners
            .map(|winner| {
                let chips = count(winner.chips);
                format!("{} wins {chips} chips.", name(winner.seat))
            })
            .collect();
        lines.extend(result.shown.iter().map(|shown| {
            let mut best: Vec<Option<Card>> = shown.best.iter().map(|card| named(card)).collect();
            best.sort_by_key(|card| Reverse(card.and_then(Card::rank)));
            let best: Vec<String> = best.into_iter().map(face).collect();
            let (name, worth) = (name(shown.seat), &shown.worth);
            format!("  {name:<7} {worth:<32} {}", best.join(" "))
        }));
        lines.join("\n")
    }

    /// The hand in the JSON output.
    pub(super) fn report(&self) -> HandReport {
        let [garbler, evaluator] = &self.0;
        let others = evaluator.cards();
        let common = garbler.cards().into_iter();
        let common = common.filter(|(position, _)| others.contains_key(position));
        let result = garbler.result.as_ref();
        let pots = result.iter().flat_map(|result| &result.pots);
        let shown = result.iter().flat_map(|result| &result.shown);
        let role = |seat: u8| ROLES[usize::from(seat)];
        HandReport {
            cards: common.map(|(_, card)| number(card)).collect(),
            garbler: garbler.steps(),
            evaluator: evaluator.steps(),
            winners: pots
                .flat_map(|pot| &pot.winners)
                .map(|winner| Winner {
                    player: role(winner.seat),
                    chips: winner.chips,
                })
                .collect(),
            shown: shown
                .map(|shown| ShownReport {
                    player: role(shown.seat),
                    worth: shown.worth.clone(),
                })
                .collect(),
        }
    }
}

impl View {
    fn steps(&self) -> Vec<StepReport> {
        let steps = STEPS.into_iter().map(|step| {
            let seen = self.seen.iter().filter(|seen| seen.step == step);
            let cards = seen.map(|seen| number(seen.card)).collect();
            StepReport { step, cards }
        });
        steps.filter(|step| !step.cards.is_empty()).collect()
    }
}

/// The card with this short name.
pub(super) fn named(short: &str) -> Option<Card> {
    let &[rank, suit] = short.as_bytes() else {
        return None;
    };
    let rank = RANKS.iter().position(|other| *other == rank)?;
    let suit = SUITS.iter().position(|other| *other == suit)?;
    Some(Card((RANKS.len() * suit + rank) as u64))
}

/// The name of a card, or the symbol of a card that is face down.
fn face(card: Option<Card>) -> String {
    card.and_then(Card::of_52).unwrap_or_else(|| "▒▒".into())
}

fn number(card: Card) -> u32 {
    card.0 as u32
}

/// The roles of the two seats in the engine, as in the JSON output.
const ROLES: [&str; 2] = ["garbler", "evaluator"];

/// A hand in the JSON output.
#[derive(Serialize)]
pub(super) struct HandReport {
    /// The cards that both players saw, in the order of their positions in the deck.
    cards: Vec<u32>,
    /// The cards that the garbler learned in each step.
    garbler: Vec<StepReport>,
    /// The cards that the evaluator learned in each step.
    evaluator: Vec<StepReport>,
    winners: Vec<Winner>,
    shown: Vec<ShownReport>,
}

#[derive(Serialize)]
struct StepReport {
    step: &'static str,
    cards: Vec<u32>,
}

#[derive(Serialize)]
struct Winner {
    player: &'static str,
    chips: u64,
}

/// A hand shown at the showdown.
#[derive(Serialize)]
struct ShownReport {
    player: &'static str,
    /// The rank of the hand in words.
    worth: String,
}
