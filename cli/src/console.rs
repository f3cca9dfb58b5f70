//! What a player of a session between two machines gets to see: lines for people, or JSON Lines.

use std::net::SocketAddr;

use dealerless::circuit::Party;
use dealerless::deck::Card;
use dealerless::mpc::{Audience, Security};
use dealerless_table::{Game, Owner, Step};
use serde::Serialize;

use crate::cost::DealCost;
use crate::faces::Faces;
use crate::output::{count, say, show, show_event};
use crate::play::{Moment, Table};

/// One line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    Listening {
        address: &'a str,
    },
    Connected,
    Terms {
        game: &'static str,
        cards: usize,
        draw: usize,
        algorithm: &'static str,
        hands: u32,
        security: String,
    },
    Sealed {
        hand: u32,
        cards: usize,
    },
    Opened {
        hand: u32,
        step: &'static str,
        cards: Vec<OpenedCard>,
    },
    Done {
        cost: &'a DealCost,
    },
}

/// A card of an opening.
#[derive(Serialize)]
struct OpenedCard {
    position: usize,
    /// Absent if this side does not know it.
    card: Option<u32>,
    /// Who learned it now: `me`, `peer` or `both`.
    to: &'static str,
}

/// The screen of one player.
pub(crate) struct Console {
    me: Party,
    json: bool,
}

impl Console {
    /// The screen of `me`, on which JSON Lines replace the text if `json` is set.
    pub(crate) fn new(me: Party, json: bool) -> Self {
        Console { me, json }
    }

    /// Something that only people read.
    pub(crate) fn notice(&self, text: &str) -> anyhow::Result<()> {
        if self.json {
            say(text);
            Ok(())
        } else {
            show(text)
        }
    }

    /// The door is open at `address`.
    pub(crate) fn listening(&self, address: SocketAddr) -> anyhow::Result<()> {
        let event = Event::Listening {
            address: &address.to_string(),
        };
        self.tell(event, || {
            let reached = if address.ip().is_unspecified() {
                // All addresses of this machine, of which the other player needs one.
                format!("THIS-MACHINE:{}", address.port())
            } else {
                address.to_string()
            };
            format!(
                "Listening on {address}. The other player runs:\n\n  \
                 dealerless join {reached}\n"
            )
        })
    }

    /// Somebody is on the line.
    pub(crate) fn connected(&self) -> anyhow::Result<()> {
        self.tell(Event::Connected, || "Connected.".into())
    }

    /// What will be played.
    pub(crate) fn terms(&self, table: &Table, security: Security) -> anyhow::Result<()> {
        let (terms, spec) = (table.terms, table.terms.spec());
        let event = Event::Terms {
            game: terms.game().name(),
            cards: spec.cards(),
            draw: spec.draw(),
            algorithm: spec.algorithm().name(),
            hands: terms.hands(),
            security: security.to_string(),
        };
        self.tell(event, || describe_terms(table))
    }

    /// Something happened in a hand.
    pub(crate) fn moment(&self, table: &Table, moment: &Moment<'_>) -> anyhow::Result<()> {
        match *moment {
            Moment::Sealed { hand } => {
                let cards = table.terms.spec().draw();
                self.tell(Event::Sealed { hand, cards }, || {
                    format!("\nHand {hand}: the deck is sealed, and neither of you knows a card.")
                })
            }
            Moment::Opened { hand, step, known } => {
                let event = Event::Opened {
                    hand,
                    step: step.name,
                    cards: self.opened(step, known),
                };
                self.tell(event, || self.rows(table, step, known))
            }
        }
    }

    /// All hands are played.
    pub(crate) fn done(&self, cost: &DealCost) -> anyhow::Result<()> {
        self.tell(Event::Done { cost }, || {
            let (garbler, evaluator) = match self.me {
                Party::Garbler => ("you", "the peer"),
                Party::Evaluator => ("the peer", "you"),
            };
            format!("\nWhat it cost:\n{}", cost.describe(garbler, evaluator))
        })
    }

    fn tell(&self, event: Event<'_>, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        if self.json {
            show_event(&event)
        } else {
            show(&text())
        }
    }

    fn opened(&self, step: &Step, known: &[Vec<Option<Card>>]) -> Vec<OpenedCard> {
        let mut cards = Vec::new();
        for (reveal, known) in step.reveals.iter().zip(known) {
            let to = match reveal.to {
                Audience::Both => "both",
                Audience::Only(party) if party == self.me => "me",
                Audience::Only(_) => "peer",
            };
            for (&position, card) in reveal.positions.iter().zip(known) {
                cards.push(OpenedCard {
                    position,
                    card: card.map(|card| card.0 as u32),
                    to,
                });
            }
        }
        cards
    }

    fn rows(&self, table: &Table, step: &Step, known: &[Vec<Option<Card>>]) -> String {
        let faces = Faces::of_deck(table.terms.spec().cards());
        let mut name = step.name;
        let mut lines = Vec::new();
        for (reveal, known) in step.reveals.iter().zip(known) {
            let owner = match reveal.owner {
                Owner::Hand(party) if party == self.me => "yours",
                Owner::Hand(_) => "theirs",
                Owner::Board => "",
            };
            let mut owner = owner;
            for row in faces.row(known).lines() {
                lines.push(format!("  {name:<12}{owner:<8}{row}"));
                (name, owner) = ("", "");
            }
        }
        lines.join("\n")
    }
}

/// What is played and how it is shuffled, in two lines.
pub(crate) fn describe_terms(table: &Table) -> String {
    let (terms, spec) = (table.terms, table.terms.spec());
    let game = match terms.game() {
        Game::Holdem => "Heads-up Texas hold'em",
        Game::Draw => "Five-card draw",
        Game::Deck => "A deck",
    };
    let hands = match terms.hands() {
        1 => "1 hand".to_owned(),
        hands => format!("{} hands", count(hands.into())),
    };
    format!(
        "{game}: {} of {} cards, {hands}.\nShuffle: {}, {} AND gates.",
        count(spec.draw() as u64),
        count(spec.cards() as u64),
        spec.algorithm(),
        count(table.shuffle.circuit().ands() as u64),
    )
}
