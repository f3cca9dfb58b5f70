//! Tells the events of a match in sentences.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Names, Sentence, at_table, capitalized, chips, chose, chosen_for_you, count, counted, game,
    gone, result, roll_call, rolled, sealed, sentence, table, table_terms, terms, waiting,
};
use crate::command::Said;
use crate::event::{Ask, Event, Standing, YourTurn};
use crate::seated::Seated;

/// Tells the events of a match in sentences. The terminal and the page show these sentences; the
/// terminal adds what its player can type.
#[derive(Debug, Default)]
pub struct Narrator {
    names: Names,
    seated: Option<Seated>,
    /// The cards of each seat, by position.
    held: BTreeMap<u8, BTreeMap<usize, String>>,
    /// The number of cards on the board.
    board: usize,
    /// Whether this seat has run out of time and the program has not chosen for it yet.
    late: bool,
}

/// An event as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    event: &'a Event,
    #[serde(flatten)]
    shown: Option<Shown<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sentences: Vec<Sentence>,
}

/// The names of the players and the title of the game, as a page shows them.
#[derive(Serialize)]
struct Shown<'a> {
    /// The names in sentences, in order of the seats.
    called: &'a [String],
    title: &'static str,
}

impl Narrator {
    /// The names of the players.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The players and the game, after they have sat down.
    pub fn seated(&self) -> Option<&Seated> {
        self.seated.as_ref()
    }

    /// Returns the event as a line of JSON, with its sentences.
    ///
    /// # Errors
    /// If the event cannot be written as JSON.
    pub fn line(&mut self, event: &Event) -> serde_json::Result<String> {
        let sentences = self.tell(event);
        let seated = match event {
            Event::AskSit(seated) | Event::Seated(seated) => Some((seated, Names::of(seated))),
            _ => None,
        };
        let shown = seated.as_ref().map(|(seated, names)| Shown {
            called: names.all(),
            title: seated.game.heading(seated.has_fixed_limit()),
        });
        serde_json::to_string(&Line {
            event,
            shown,
            sentences,
        })
    }

    /// Returns the sentences for an event.
    pub fn tell(&mut self, event: &Event) -> Vec<Sentence> {
        // The link of a table may be new while its match is played.
        if matches!(
            event,
            Event::Hello { .. } | Event::Invite { seats: None, .. }
        ) {
            // The first event of a program.
            *self = Narrator::default();
        }
        let names = &self.names;
        let one = |text: &str| vec![Sentence::from(text)];
        match event {
            Event::Invite { .. } => one("The invite is ready."),
            Event::Listening { addresses } => one(&format!(
                "Waiting for a player at {}.",
                addresses.join(", ")
            )),
            Event::Notice { text } => one(text),
            Event::AskSit(seated) => terms(seated),
            Event::AskTable(offer) => table_terms(offer),
            // Each begins with a name, which keeps its letters.
            Event::AtDoor { players } => {
                let players = players.iter();
                let lines = players.map(|player| format!("{}.", player.message).into());
                lines.collect()
            }
            Event::Table {
                players,
                seats,
                place,
            } => vec![at_table(players, *seats, *place)],
            Event::Seated(seated) => {
                self.names = Names::of(seated);
                self.seated = Some((**seated).clone());
                let mut lines = table(&self.names, seated);
                lines.push(game(seated).into());
                if seated.resumed {
                    lines.push("This match is resumed.".into());
                }
                lines
            }
            Event::Dealt { hand, attempt, .. } => {
                self.held.clear();
                (self.board, self.late) = (0, false);
                one(&self.dealt(*hand, *attempt))
            }
            Event::Again { seat, .. } => vec![
                names
                    .does(*seat, "declare")
                    .and(" this deal void. Nobody has seen a card; it is dealt again."),
            ],
            Event::Sealed { seal, .. } => sealed(names, seal),
            Event::Card {
                position,
                card,
                holder,
                ..
            } => self.card(*position, card, *holder).into_iter().collect(),
            Event::Board { cards, .. } => self.board(cards),
            Event::YourTurn(turn) => self.proposals(turn),
            Event::Chose { seat, choice, .. }
                if names.is_own(*seat) && std::mem::take(&mut self.late) =>
            {
                chosen_for_you(choice).into()
            }
            Event::Chose {
                seat,
                choice,
                all_in,
                ..
            } => match chose(names, *seat, choice, *all_in) {
                nothing if nothing == Sentence::default() => Vec::new(),
                sentence => vec![sentence],
            },
            Event::NotStolen { .. } => one(
                "The hand could not be reshuffled: nothing was stolen, and the hand is unchanged.",
            ),
            Event::Rolled {
                dice, faces, sum, ..
            } => vec![rolled(*dice, faces, *sum).into()],
            Event::Waiting {
                seats,
                what,
                seconds,
                left,
            } => vec![waiting(names, seats, *what, *seconds, *left)],
            Event::LineLost { message } => one(&self.connection_lost(message)),
            Event::Resumed {} => one("The connection is back, and the match continues."),
            Event::SitsOut {} if names.are_several() => {
                one("You sit out, and too few players are left for a hand.")
            }
            Event::SitsOut {} => one("You sit out: the next hand waits for you."),
            Event::OutOfTime { seat, .. } if names.is_own(*seat) => {
                // The event about the choice that the program makes follows.
                self.late = true;
                Vec::new()
            }
            Event::OutOfTime { seat, away, asks } => vec![self.out_of_time(*seat, *away, *asks)],
            Event::RollCall { seat, missing } => vec![roll_call(names, *seat, missing)],
            Event::Gone { seat } => vec![gone(names, *seat)],
            Event::Stays {} => one("You stay."),
            Event::Buys { chips: 0 } => one("You buy no chips."),
            Event::Buys { chips } => one(&format!(
                "You buy {} after this hand, if the terms of the table allow it.",
                counted(*chips, "chip")
            )),
            Event::Result(of) => result(names, of),
            Event::AskRebuy { seats, chips } => {
                let have = match seats[..] {
                    [one] => names.does(one, "have"),
                    _ => names.list(seats).and(" have"),
                };
                let who = if names.are_several() { "All" } else { "Both" };
                let chips = count(*chips);
                vec![have.and(format!(
                    " no chips. Buy in again for {chips}? {who} must agree."
                ))]
            }
            Event::Stopped { seat, .. } if names.are_several() && !names.is_own(*seat) => {
                let leaves = names.does(*seat, "leave");
                vec![leaves.and(" the table and gives up this hand.")]
            }
            // The message of `Event::Over` or `Event::Leaving` includes this one.
            Event::Stopped { .. } => Vec::new(),
            Event::Over {
                message,
                stacks,
                hands,
                ..
            } => vec![message.as_str().into(), self.played(*hands, stacks)],
            Event::AskResume { message, .. }
            | Event::Between { message, .. }
            | Event::Leaving { message, .. }
            | Event::Closed { message, .. } => one(message),
            Event::AskAgain { message, .. } | Event::Error { message, .. } => {
                vec![sentence(message).into()]
            }
            Event::Pause { .. } | Event::Hello { .. } | Event::TheirTurn(_) => Vec::new(),
        }
    }

    /// Whether the others play on if a seat disappears or leaves.
    fn may_leave(&self) -> bool {
        let seated = self.seated.as_ref();
        seated.is_some_and(|seated| seated.may_leave() > 0)
    }

    fn dealt(&self, hand: u32, attempt: u32) -> String {
        let hands = self.seated.as_ref().map_or(0, |seated| seated.hands);
        let again = match attempt {
            0 => String::new(),
            attempt => format!(", try {}", attempt + 1),
        };
        let what = if self.names.has_boards() {
            "Set"
        } else {
            "Hand"
        };
        let (hand, hands) = (count(hand.into()), count(hands.into()));
        // A table lasts until its players leave.
        let of = match self.seated.as_ref().is_some_and(Seated::is_at_table) {
            true => String::new(),
            false => format!(" of {hands}"),
        };
        format!("{what} {hand}{of}{again}")
    }

    fn card(&mut self, position: usize, card: &str, holder: Option<u8>) -> Option<Sentence> {
        let seated = self.seated.as_ref()?;
        let face = || Sentence::cards([card.to_owned()]);
        let Some((kind, _)) = seated.game.poker() else {
            let whose = match holder {
                Some(_) => " (only you see it)",
                None => "",
            };
            let place = capitalized(&self.names.place(position));
            let place = Sentence::from(format!("{place}: "));
            return Some(place.and(face()).and(whose));
        };
        let holder = holder?;
        let held = self.held.entry(holder).or_default();
        if held.insert(position, card.into()).is_some() || held.len() < kind.hole_cards() {
            return None;
        }
        let row = Sentence::cards(held.values().cloned());
        Some(
            match (holder == seated.seat, held.len() == kind.hole_cards()) {
                (true, true) => Sentence::from("Your cards: ").and(row),
                (true, false) => Sentence::from("Your new card: ").and(face()),
                (false, _) => self.names.does(holder, "show").and(" ").and(row).and("."),
            },
        )
    }

    fn board(&mut self, cards: &[String]) -> Vec<Sentence> {
        let before = std::mem::replace(&mut self.board, cards.len()).min(cards.len());
        let name = match cards.len() {
            3 => "Flop: ",
            4 => "Turn: ",
            _ => "River: ",
        };
        let row = |name: &str, cards: &[String]| {
            Sentence::from(name).and(Sentence::cards(cards.iter().cloned()))
        };
        let mut lines = vec![row(name, &cards[before..])];
        if before > 0 {
            lines.push(row("Board: ", cards));
        }
        lines
    }

    /// The pending proposals.
    fn proposals(&self, turn: &YourTurn) -> Vec<Sentence> {
        let Ask::Speak { proposals, .. } = &turn.ask else {
            return Vec::new();
        };
        let proposal = |standing: &Standing| {
            let cards = standing.cards.clone();
            chose(&self.names, standing.by, &Said::Propose { cards }, false)
        };
        proposals.iter().map(proposal).collect()
    }

    /// Describes another seat that has run out of time.
    fn out_of_time(&self, seat: u8, away: bool, asks: bool) -> Sentence {
        let clock = self.seated.as_ref().and_then(|seated| seated.clock);
        let name = || self.names.name(seat);
        let why = name().and(match (clock, away) {
            (Some(_), true) => " has been away for longer than the clock allows",
            (Some(_), false) => " has run out of time",
            (None, true) => " has been away for ten minutes",
            (None, false) => " has sent nothing for ten minutes",
        });
        match (asks, self.may_leave()) {
            (true, _) => why.and(". Your program asks the others."),
            (false, true) => why
                .and(", and too few players would be left without ")
                .and(name())
                .and("."),
            (false, false) => why.and("."),
        }
    }

    fn connection_lost(&self, message: &str) -> String {
        let then = if self.may_leave() {
            "Your program reconnects. If that takes too long, the others play on without you."
        } else {
            "The match stays open, and continues when the connection is back."
        };
        format!("The connection is lost ({message}). {then}")
    }

    /// Describes the length of a match, and its chips at the end.
    fn played(&self, hands: u32, stacks: &[u64]) -> Sentence {
        let played = match (hands, self.names.has_boards()) {
            (1, false) => "1 hand was played.".to_owned(),
            (hands, false) => format!("{} hands were played.", count(hands.into())),
            (1, true) => "1 set is over.".to_owned(),
            (sets, true) => format!("{} sets are over.", count(sets.into())),
        };
        let seated = self.seated.as_ref();
        let has_chips = seated.is_none_or(|seated| seated.chips.is_some());
        let played = Sentence::from(played);
        match stacks.is_empty() || !has_chips {
            true => played,
            false => played.and(" ").and(chips(&self.names, stacks)).and("."),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The fields of the line for an event that is given as JSON.
    fn line(narrator: &mut Narrator, event: serde_json::Value) -> serde_json::Value {
        let event: Event = serde_json::from_value(event).unwrap();
        serde_json::from_str(&narrator.line(&event).unwrap()).unwrap()
    }

    fn seated(name: &str) -> serde_json::Value {
        json!({
            "event": "seated", "version": 2, "seat": 0, "names": ["Anna", name],
            "fingerprints": ["aaaa-bbbb", "cccc-dddd"], "game": "holdem", "hands": 1, "stack": 200,
            "blinds": [1, 2], "cards": 52, "drawn": 9, "match": "00", "log": null
        })
    }

    #[test]
    fn a_name_is_a_piece_of_its_own_whatever_it_contains() {
        let chose = json!({ "event": "chose", "hand": 1, "seat": 1, "do": "raise", "to": 6 });
        for (name, shown) in [
            ("Bert", "Bert"),
            ("<b>Bert</b>", "\"<b>Bert</b>\""),
            ("Bert folds. Anna", "\"Bert folds. Anna\""),
            ("\u{24e8}\u{24de}\u{24e4}", "Seat 1"),
        ] {
            let mut narrator = Narrator::default();
            let first = line(&mut narrator, seated(name));
            assert_eq!(first["called"], json!(["Anna", shown]));
            assert_eq!(first["title"], "No-limit hold'em");
            let told = line(&mut narrator, chose.clone());
            assert_eq!(
                told["sentences"],
                json!([[{ "name": shown }, " raises to 6."]])
            );
            assert_eq!((&told["event"], &told["to"]), (&json!("chose"), &json!(6)));
        }
    }

    #[test]
    fn cards_are_pieces_and_appear_when_the_hand_is_complete() {
        let mut narrator = Narrator::default();
        line(&mut narrator, seated("Bert"));
        let mut seen = |position, card, holder: Option<u8>| {
            let event = json!({
                "event": "card", "hand": 1, "position": position, "card": card, "holder": holder
            });
            line(&mut narrator, event)["sentences"].clone()
        };
        assert_eq!(seen(0, "As", Some(0)), json!(null));
        let own = json!([["Your cards: ", { "cards": ["As", "Kd"] }]]);
        assert_eq!(seen(2, "Kd", Some(0)), own);
        assert_eq!(seen(4, "2c", None), json!(null));
        let board = json!({ "event": "board", "hand": 1, "cards": ["2c", "7d", "Jh"] });
        let flop = json!([["Flop: ", { "cards": ["2c", "7d", "Jh"] }]]);
        assert_eq!(line(&mut narrator, board)["sentences"], flop);
    }

    #[test]
    fn a_line_begins_with_its_event_and_needs_no_sentences() {
        let pause = Event::Pause { milliseconds: 5 };
        let text = Narrator::default().line(&pause).unwrap();
        assert_eq!(text, r#"{"event":"pause","milliseconds":5}"#);
        let seated: Event = serde_json::from_value(seated("Bert")).unwrap();
        let text = Narrator::default().line(&seated).unwrap();
        assert!(text.starts_with(r#"{"event":"seated","#), "{text}");
    }

    #[test]
    fn a_program_begins_without_the_names_of_the_one_before() {
        let mut narrator = Narrator::default();
        line(&mut narrator, seated("Bert"));
        line(&mut narrator, json!({ "event": "hello", "version": 2 }));
        assert!(narrator.seated().is_none());
    }
}
