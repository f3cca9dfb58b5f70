//! The decks of a match, recomputed from the inputs that both players opened in an audit.

use std::fmt;

use dealerless_table::audit::{Audit, AuditError, AuditedTry};
use dealerless_table::play::DealCircuit;
use dealerless_table::record::Record;
use serde::Serialize;

use crate::cards::CardNames;

/// The result of an audit of a record.
pub struct Decks {
    names: CardNames,
    /// The number of tries in the record, including void tries.
    tries: usize,
    audited: Result<Vec<AuditedTry>, AuditError>,
}

/// A deck in the JSON output.
#[derive(Serialize)]
struct Deck {
    hand: u32,
    #[serde(rename = "try")]
    attempt: u32,
    void: bool,
    /// The cards in the order in which they were drawn.
    cards: Vec<String>,
    /// The positions of the cards that everybody has seen.
    seen: Vec<usize>,
}

impl Decks {
    /// Recomputes the decks with the circuit of the match.
    pub fn of(record: &Record, audit: &Audit, circuit: &DealCircuit) -> Self {
        Decks {
            names: CardNames::of(&record.log.match_info().header().stakes),
            tries: record.hands.iter().map(|hand| hand.voided.len() + 1).sum(),
            audited: audit.check(record, circuit),
        }
    }

    /// Whether the audit agrees with the record.
    pub fn agrees(&self) -> bool {
        self.audited.is_ok()
    }

    /// The decks in the JSON output.
    pub fn json(&self) -> serde_json::Value {
        let deck = |of_try: &AuditedTry| Deck {
            hand: of_try.hand,
            attempt: of_try.attempt,
            void: of_try.void,
            cards: self.names(of_try),
            seen: of_try.public.clone(),
        };
        match &self.audited {
            Ok(tries) => serde_json::json!({
                "good": true,
                "tries": self.tries,
                "decks": tries.iter().map(deck).collect::<Vec<_>>(),
            }),
            Err(error) => serde_json::json!({ "good": false, "error": error.to_string() }),
        }
    }

    /// The cards of a try on one line, or in bridge the hands of each board on one line.
    fn deck(&self, of_try: &AuditedTry) -> String {
        let void = if of_try.void { ", a void try" } else { "" };
        let names = self.names(of_try).into_iter().enumerate();
        let faces: Vec<String> = names
            .map(|(position, name)| {
                if of_try.public.contains(&position) {
                    name
                } else {
                    format!("[{name}]")
                }
            })
            .collect();
        if !self.names.are_hands() {
            return format!("Hand {}{void}: {}", of_try.hand, faces.join(" "));
        }
        let title = format!("Set {}{void}; each board from North on:", of_try.hand);
        let boards = (1..).zip(faces.chunks(4));
        let boards =
            boards.map(|(board, hands): (u32, _)| format!("{board:>3}: {}", hands.join(" ")));
        std::iter::once(title)
            .chain(boards)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn names(&self, of_try: &AuditedTry) -> Vec<String> {
        let cards = of_try.cards.iter();
        cards.map(|&card| self.names.name(card)).collect()
    }
}

/// The decks for people. Cards that were not opened to everybody are in brackets.
impl fmt::Display for Decks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tries = match &self.audited {
            Ok(tries) => tries,
            Err(error @ AuditError::OtherCard { .. }) => {
                return write!(
                    f,
                    "The audit fails: {error}.\nOne of the two players lied about their inputs, or both \
                     made up the cards. Nobody can tell which. The opened card \
                     counts."
                );
            }
            Err(error) => return write!(f, "The audit fails: {error}."),
        };
        for of_try in tries {
            writeln!(f, "{}", self.deck(of_try))?;
        }
        let boards = self.names.are_hands();
        let (card, cards) = if boards {
            ("hand", "Hands")
        } else {
            ("card", "Cards")
        };
        write!(
            f,
            "{} recomputed: each follows from the inputs of both players, and agrees with every opened {card}. \
             {cards} in brackets were not seen by everybody.",
            decks_were(boards, tries.len(), self.tries)
        )
    }
}

/// `5 decks were`, `4 of 5 decks were`; `1 set was` for boards.
fn decks_were(boards: bool, some: usize, all: usize) -> String {
    let what = if boards { "set" } else { "deck" };
    let decks = match all {
        1 => format!("{what} was"),
        _ => format!("{what}s were"),
    };
    if some == all {
        format!("{all} {decks}")
    } else {
        format!("{some} of {all} {decks}")
    }
}
