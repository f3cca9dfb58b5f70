//! The screen of a person: the text of each event, and a prompt while typed lines are read.
//!
//! The screen is drawn only from the events that a program would receive.

use std::io::{self, Write};

mod asked;
mod cards_seen;
mod output;
mod reading;
mod run_out;

use dealerless_connection::Invite;
use dealerless_seat::command::Said;
use dealerless_seat::event::{Event, YourTurn};
use dealerless_seat::game_name::GameName;
use dealerless_seat::seated::{Chips, Posts, Seated, Time};
use dealerless_seat::words::{self, Narrator, Sentence};

use super::cards::Ink;
use super::prompt::Typed;
use super::turn;
use crate::output::{MAX_WIDTH, count, wrapped};
use asked::{Door, Question};
use cards_seen::HandsSeen;
use output::Output;
use run_out::RunOut;

pub(crate) use output::Columns;

/// A screen.
pub(crate) struct Screen {
    output: Output,
    ink: Ink,
    /// Whether to ask for confirmation before the player gives chips away with one key.
    confirms: bool,
    /// Whether the player can answer questions.
    asks: bool,
    /// Whether typed lines are read.
    listens: bool,
    narrator: Narrator,
    hand: Hand,
    run_out: RunOut,
    turn: Option<YourTurn>,
    /// Whether the player is asked for a rebuy.
    rebuy: bool,
    /// Whether the next hand waits so that the player can look at a showdown.
    paused: bool,
    /// The open question before a match.
    question: Option<Question>,
    /// The players at the door, at a host before the match.
    door: Option<Door>,
    /// The input that waits for confirmation.
    sure: Option<Typed>,
}

/// The visible state of a hand.
#[derive(Default)]
struct Hand {
    hands: HandsSeen,
    /// Whether another seat's cards are face up.
    turned_up: bool,
    /// Whether a seat has chosen to show its cards.
    showed: bool,
}

impl Screen {
    /// Creates a screen. If the rows of a terminal can be overwritten, `columns` returns its width.
    pub(crate) fn new(to: Box<dyn Write + Send>, ink: Ink, columns: Option<Columns>) -> Self {
        Screen {
            output: Output::new(to, columns),
            ink,
            confirms: false,
            asks: false,
            listens: false,
            narrator: Narrator::default(),
            hand: Hand::default(),
            run_out: RunOut::default(),
            turn: None,
            rebuy: false,
            paused: false,
            question: None,
            door: None,
            sure: None,
        }
    }

    /// The same screen, with or without confirmation before the player gives chips away with one
    /// key.
    pub(crate) fn confirming(self, confirms: bool) -> Self {
        Screen { confirms, ..self }
    }

    /// Whether rows can be overwritten.
    pub(crate) fn is_live(&self) -> bool {
        self.output.is_live()
    }

    /// Shows an event and the prompt.
    fn show(&mut self, event: &Event) -> io::Result<()> {
        if !matches!(event, Event::Card { .. })
            && let Some(line) = self.hand.hands.flush()
        {
            self.line(&line)?;
        }
        let listened = self.listens;
        self.note(event);
        if listened && !self.listens {
            self.output.end()?;
        }
        match event {
            Event::Waiting { .. } => {
                for line in self.told(event) {
                    self.output.passing(&line)?;
                }
            }
            Event::YourTurn(turn) if self.asks => {
                let block = turn::block(self.narrator.names(), self.ink, turn);
                self.line(&block)?;
                self.show_time(turn.time)?;
            }
            Event::Invite {
                invite,
                seats,
                link,
                code,
                ..
            } => {
                let (send, tell, serves) = match seats {
                    None => (
                        "the other player, who runs it",
                        "the other player",
                        "once within an hour",
                    ),
                    Some(_) => ("your friends, who run it", "them", "all of them"),
                };
                // On one line, so that it can be copied.
                self.output.lines(&format!(
                    "Send this line to {send}:\n\ndealerless join {invite}\n"
                ))?;
                if let Some(code) = code {
                    let relay = invite.parse::<Invite>().ok();
                    let relay = relay.as_ref().and_then(Invite::relay);
                    let relay = relay.map_or(String::new(), |relay| format!(" --relay {relay}"));
                    self.output.lines(&format!(
                        "Or tell {tell} this code, which serves {serves}. --relay can be left out \
                         if the relay is configured:\n\ndealerless join {code}{relay}\n"
                    ))?;
                }
                if let Some(link) = link {
                    self.output.lines(&format!(
                        "Or send this link instead, which opens in a browser:\n\n{link}\n"
                    ))?;
                }
                if let Some(seats) = seats {
                    self.line(&format!(
                        "The first match begins when {seats} players are here; `start` begins it with fewer. Others \
                         can come later."
                    ))?;
                }
            }
            Event::Pause { .. } => {
                let text = "The next hand comes in a moment; Enter deals it now.";
                self.output.passing(text)?;
            }
            event => {
                for line in self.lines(event) {
                    self.line(&line)?;
                }
            }
        }
        self.prompt()
    }

    /// Updates the state that decides what the player may type.
    fn note(&mut self, event: &Event) {
        match event {
            Event::YourTurn(turn) => (self.turn, self.sure) = (Some((**turn).clone()), None),
            Event::Pause { .. } => self.paused = true,
            Event::Dealt { .. } => {
                self.hand = Hand::default();
                (self.turn, self.paused) = (None, false);
            }
            Event::Card {
                holder: Some(holder),
                ..
            } => self.hand.turned_up |= *holder != self.own_seat(),
            Event::Chose { seat, choice, .. } => {
                self.hand.showed |= matches!(choice, Said::Show {});
                if *seat == self.own_seat() {
                    (self.turn, self.sure) = (None, None);
                }
            }
            Event::AskRebuy { .. } => (self.rebuy, self.sure) = (true, None),
            _ => {}
        }
        self.question = Question::after(event, self.question.take());
        self.door = Door::after(event, self.door.take());
        match event {
            Event::Seated(_)
            | Event::AskSit(_)
            | Event::AskTable(_)
            | Event::AtDoor { .. }
            | Event::Invite { seats: Some(_), .. }
            | Event::AskResume { .. }
            | Event::AskAgain { .. } => {
                self.listens = true;
            }
            Event::Over { .. } | Event::Closed { .. } => self.listens = false,
            _ => {}
        }
    }

    /// Shows the time left for this turn, in a row that is overwritten on a terminal.
    pub(crate) fn show_time(&mut self, time: Option<Time>) -> io::Result<()> {
        match (&self.turn, time) {
            (Some(turn), Some(time)) if self.asks => {
                let text = words::time_left(turn, time);
                self.output.passing(&text)
            }
            _ => Ok(()),
        }
    }

    /// Whether the remaining time is shown every second.
    pub(crate) fn shows_time(&self) -> bool {
        let timed = |turn: &YourTurn| turn.time.is_some();
        self.is_live() && self.asks && self.turn.as_ref().is_some_and(timed)
    }

    /// The sentences for an event.
    fn told(&mut self, event: &Event) -> Vec<String> {
        let row = |cards: &[String]| self.ink.row(cards.iter().map(|card| Some(card.as_str())));
        let text = |sentence: Sentence| sentence.with_cards(row);
        self.narrator.tell(event).into_iter().map(text).collect()
    }

    /// The lines that describe an event, apart from the prompt.
    fn lines(&mut self, event: &Event) -> Vec<String> {
        let mut lines = self.told(event);
        match event {
            Event::AskSit(_) => lines.push("Sit down? Enter or y sits down, n declines.".into()),
            Event::AskTable(_) => lines.push(
                "Sit down? Enter or y sits down, n declines, ? shows more about the risks.".into(),
            ),
            Event::AtDoor { .. } => lines.extend(self.door.as_ref().and_then(Door::hint)),
            Event::Seated(seated) => {
                let log = seated.log.iter();
                lines.extend(log.map(|log| format!("The match is written to\n{log}")));
            }
            Event::Dealt {
                button,
                stacks,
                pot,
                posted,
                playing,
                ..
            } => {
                let title: Vec<String> = lines.iter().map(|title| self.ink.bold(title)).collect();
                lines = vec![String::new()];
                lines.extend(title);
                lines.extend(self.dealt(*button, stacks, posted, *pot));
                lines.extend(self.not_in_the_hand(stacks, playing));
            }
            Event::Card {
                position,
                card,
                holder,
                ..
            } if self.plays_boards() => {
                return self.hand.hands.add(*position, card, holder.is_some());
            }
            Event::Board { .. } => return vec![lines.join("   ")],
            // The choice that the program has made for this seat.
            Event::Chose { .. } if lines.len() > 1 => {
                append(&mut lines, " Type `back` to sit in again.")
            }
            Event::AskRebuy { .. } => {
                let question = lines.concat();
                let question = question.trim_end_matches('.');
                return vec![format!("{question}: y or n")];
            }
            Event::Over { log, .. } => {
                let title = self.ink.bold("The match is over");
                lines.splice(0..0, [String::new(), title]);
                lines.extend(log.iter().map(|log| format!("Its record is\n{log}")));
            }
            Event::Closed { log, .. } => {
                lines.insert(0, String::new());
                lines.extend(log.iter().map(|log| format!("Its record is\n{log}")));
            }
            Event::LineLost { .. } => append(
                &mut lines,
                " Ctrl-C ends the program; `dealerless resume` continues the match later.",
            ),
            Event::AskAgain { .. } => append(&mut lines, " Type `again` to continue."),
            Event::SitsOut {} => append(&mut lines, " Type `back` to sit in again."),
            Event::OutOfTime { seat, asks, .. } if !asks => {
                let name = self.narrator.names().name(*seat);
                append(
                    &mut lines,
                    " Wait, or type `close` to close the match here: no chips move, and it can be \
                     resumed.",
                );
                let seated = self.narrator.seated();
                if seated.is_some_and(Seated::is_at_table) {
                    append(
                        &mut lines,
                        &format!(
                            " When {name} is out of time for the others too, the table goes on without {name}."
                        ),
                    );
                }
            }
            // The person has these in the block of the turn.
            Event::YourTurn(_) => return Vec::new(),
            _ => {}
        }
        lines
    }

    /// Whether each position holds a bridge hand.
    fn plays_boards(&self) -> bool {
        let seated = self.narrator.seated();
        seated.is_some_and(|seated| seated.game == GameName::Bridge)
    }

    fn own_seat(&self) -> u8 {
        self.narrator.seated().map_or(0, |seated| seated.seat)
    }

    /// The button and the chips at the start of a hand.
    fn dealt(&self, button: u8, stacks: &[u64], posted: &[u64], pot: u64) -> Vec<String> {
        let names = self.narrator.names();
        let mut lines = Vec::new();
        if pot > 0 {
            let has_button = names.does(button, "have");
            let chips = words::chips(names, stacks);
            lines.push(format!("{has_button} the button. {chips}."));
            lines.push(format!(
                "{}: {}.",
                self.posts(),
                words::posted(names, posted, button)
            ));
            if pot > posted.iter().sum() {
                lines.push(format!("In the pot: {}.", count(pot)));
            }
        }
        lines
    }

    /// The seats with chips that are not in the hand, because they sit out. `playing` is empty if all
    /// seats play.
    fn not_in_the_hand(&self, stacks: &[u64], playing: &[u8]) -> Option<String> {
        let has_chips = (0..).zip(stacks).filter(|(_, chips)| **chips > 0);
        let out = has_chips.filter(|(seat, _)| !playing.is_empty() && !playing.contains(seat));
        let out: Vec<u8> = out.map(|(seat, _)| seat).collect();
        let (names, own) = (self.narrator.names(), self.own_seat());
        let are = match out[..] {
            [] => return None,
            [one] if one != own => "is",
            _ => "are",
        };
        let back = match out.contains(&own) {
            true => " Type `back` to sit in again.",
            false => "",
        };
        Some(format!(
            "{} {are} not in this hand.{back}",
            names.list(&out)
        ))
    }

    /// The name of the chips that are paid before the cards are dealt.
    fn posts(&self) -> &'static str {
        let seated = self.narrator.seated();
        let chips = seated.and_then(|seated| seated.chips.as_ref());
        match chips {
            Some(Chips {
                posts: Posts::Ante(_),
                ..
            }) => "Antes",
            _ => "Blinds",
        }
    }

    /// Shows the prompt if typed lines are read.
    fn prompt(&mut self) -> io::Result<()> {
        if self.asks && self.listens {
            self.output.prompt()
        } else {
            Ok(())
        }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.output.lines(&wrapped(text, MAX_WIDTH, "    "))
    }
}

/// Appends words to the last line.
fn append(lines: &mut [String], words: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(words);
    }
}

#[cfg(test)]
mod tests;
