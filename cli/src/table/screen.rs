//! The screen of a person: what happens, line by line, and a prompt when it is one's turn.
//!
//! It is made of the events that a program gets, and of nothing else.

use std::collections::BTreeMap;
use std::io::{self, Write};

mod cards_seen;
mod reading;

use super::cards::Ink;
use super::event::{Event, Seated, YourTurn};
use super::prompt::Typed;
use super::turn;
use super::words::{self, Names, wrapped};
use crate::output::count;
use cards_seen::HandsSeen;

/// A screen.
pub(crate) struct Screen {
    output: Box<dyn Write + Send>,
    ink: Ink,
    /// It is a terminal: a line can be written over, and a prompt waits at its beginning.
    live: bool,
    /// A prompt, or who is waited for, stands on a line that has no end yet.
    unfinished: bool,
    names: Names,
    seated: Option<Seated>,
    hand: Hand,
    turn: Option<YourTurn>,
    rebuy: bool,
    /// The player was asked whether it means this.
    sure: Option<Typed>,
    leaving: bool,
}

/// What one has seen of a hand.
#[derive(Default)]
struct Hand {
    /// The cards of each seat, by position.
    held: BTreeMap<u8, BTreeMap<usize, String>>,
    board: usize,
    hands: HandsSeen,
}

impl Screen {
    pub(crate) fn new(output: Box<dyn Write + Send>, ink: Ink, live: bool) -> Self {
        Screen {
            output,
            ink,
            live,
            unfinished: false,
            names: Names::default(),
            seated: None,
            hand: Hand::default(),
            turn: None,
            rebuy: false,
            sure: None,
            leaving: false,
        }
    }

    /// Whether a line can be written over.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Shows what happened. `asks` says whether somebody is there to answer.
    pub(crate) fn tell(&mut self, event: &Event, asks: bool) -> io::Result<()> {
        if !matches!(event, Event::Card { .. })
            && let Some(line) = self.hand.hands.tell()
        {
            self.line(&line)?;
        }
        match event {
            Event::Waiting {
                seats,
                what,
                seconds,
            } => {
                let text = words::waiting(&self.names, seats, *what, *seconds);
                return self.status(&text);
            }
            Event::YourTurn(turn) => {
                self.turn = Some((**turn).clone());
                if !asks {
                    return Ok(());
                }
                let block = turn::block(&self.names, self.ink, turn);
                self.line(&block)?;
                return self.prompt();
            }
            Event::Invite { invite, .. } => {
                // In one piece, to be copied.
                return self.whole_line(&format!(
                    "Send this line to the other player, who runs it:\n\ndealerless join {invite}\n"
                ));
            }
            Event::Seated(seated) => {
                self.names = Names::of(seated);
                self.seated = Some((**seated).clone());
            }
            Event::Dealt { .. } => self.hand = Hand::default(),
            Event::Chose { seat, .. } if self.seated.as_ref().is_some_and(|s| s.seat == *seat) => {
                self.turn = None;
            }
            Event::AskRebuy { .. } => self.rebuy = true,
            _ => {}
        }
        for line in self.lines(event) {
            self.line(&line)?;
        }
        let asked = self.turn.is_some() || self.rebuy;
        match event {
            Event::AskRebuy { .. } if asks => self.prompt(),
            Event::Error {
                exit_code: None, ..
            } if asked && asks => self.prompt(),
            _ => Ok(()),
        }
    }

    /// The lines for what is not a matter of prompts.
    fn lines(&mut self, event: &Event) -> Vec<String> {
        let names = &self.names;
        let one = |text: String| vec![text];
        match event {
            Event::Listening { addresses } => {
                one(format!("Waiting for a player at {}.", addresses.join(", ")))
            }
            Event::Notice { text } => one(text.clone()),
            Event::Seated(seated) => {
                let mut lines = vec![words::table(names, seated), words::game(seated)];
                if seated.resumed {
                    lines.push("The match was begun before, and goes on.".into());
                }
                let log = seated.log.iter();
                lines.extend(log.map(|log| format!("The match is written to\n{log}")));
                lines
            }
            Event::Dealt {
                hand,
                attempt,
                button,
                stacks,
                bets,
                pot,
            } => self.dealt(*hand, *attempt, *button, (stacks, bets, *pot)),
            Event::Again { seat, .. } => one(format!(
                "{} that this deal is void. Nobody has seen a card; it is dealt again.",
                names.does(*seat, "say")
            )),
            Event::Sealed { seal, .. } if self.names.has_boards() => words::sealed_boards(seal),
            Event::Sealed { .. } => {
                one("The deck is sealed: nobody can change a card of it.".into())
            }
            Event::Card {
                position,
                card,
                holder,
                ..
            } => self.card(*position, card, *holder),
            Event::Board { cards, .. } => self.board(cards),
            Event::Chose { seat, choice, .. } => match words::chose(names, *seat, choice) {
                text if text.is_empty() => Vec::new(),
                text => one(text),
            },
            Event::NotStolen { .. } => one(
                "The hand could not be shuffled again: nothing is stolen, and it lies there as before."
                    .to_owned(),
            ),
            Event::Rolled {
                dice, faces, sum, ..
            } => one(words::rolled(*dice, faces, *sum)),
            Event::Result(result) => {
                let row = |cards: &[String]| self.ink.row(cards.iter().map(|c| Some(c.as_str())));
                words::result(names, result, row)
            }
            Event::AskRebuy { seats, chips } => one(format!(
                "{} no chips. Buy in again for {}? Both must agree: y or n",
                match names.list(seats).as_str() {
                    "You" => "You have".into(),
                    list => format!("{list} has"),
                },
                count(*chips)
            )),
            Event::Over {
                message,
                stacks,
                hands,
                log,
                ..
            } => self.over(message, stacks, *hands, log.as_deref()),
            Event::LineLost { message } => one(self.line_lost(message)),
            Event::Resumed {} => one("The line is back, and the match goes on.".into()),
            Event::AskAgain { message, .. } => one(format!(
                "{} Type `again` to connect once more.",
                words::sentence(message)
            )),
            Event::SitsOut {} => {
                one("You sit out: the next hand waits for you. Type `back` to sit in again.".into())
            }
            Event::OutOfTime { seat, .. } if *seat == self.own_seat() => {
                one("Your time is out. You sit out from the next hand on.".into())
            }
            Event::OutOfTime { seat, away } => {
                let name = names.name(*seat);
                let why = match away {
                    true => format!("{name} has been away for as long as it has for a move"),
                    false => format!("The time of {name} is out"),
                };
                one(format!(
                    "{why}. Wait, or type `close` to close the match here; that is written beside \
                     the record, and is no step of it."
                ))
            }
            Event::Closed { message, log } => {
                let mut lines = vec![String::new(), message.clone()];
                lines.extend(log.iter().map(|log| format!("Its record is\n{log}")));
                lines
            }
            Event::Error { message, .. } => one(words::sentence(message)),
            Event::Stopped { .. } | Event::Hello { .. } | Event::Waiting { .. } => Vec::new(),
            Event::YourTurn(_) | Event::TheirTurn(_) | Event::Invite { .. } => Vec::new(),
        }
    }

    fn line_lost(&self, message: &str) -> String {
        let clock = self
            .seated
            .as_ref()
            .and_then(|seated| seated.clock.as_ref());
        let close = match clock {
            // Who is away has as long as for a move, and then this is said.
            Some(_) => "",
            None => " Type `close` to close the match here.",
        };
        format!(
            "The line is lost ({message}). The match stays; it goes on by itself when there is a line \
             again. Ctrl-C ends the program, and `dealerless resume` goes on later.{close}"
        )
    }

    fn own_seat(&self) -> u8 {
        self.seated.as_ref().map_or(0, |seated| seated.seat)
    }

    fn dealt(
        &self,
        hand: u32,
        attempt: u32,
        button: u8,
        (stacks, bets, pot): (&[u64], &[u64], u64),
    ) -> Vec<String> {
        let hands = self.seated.as_ref().map_or(0, |seated| seated.hands);
        let again = match attempt {
            0 => String::new(),
            attempt => format!(", try {}", attempt + 1),
        };
        let what = match self.names.has_boards() {
            true => "Set",
            false => "Hand",
        };
        let title = format!(
            "{what} {} of {}{again}",
            count(hand.into()),
            count(hands.into())
        );
        let mut lines = vec![String::new(), self.ink.bold(&title)];
        if pot > 0 {
            let button = self.names.does(button, "have");
            let chips = words::chips(&self.names, stacks);
            lines.push(format!("{button} the button. {chips}."));
            let posted = |(seat, &bet): (usize, &u64)| {
                (bet > 0).then(|| format!("{} {bet}", self.names.name(seat as u8)))
            };
            let posted: Vec<String> = bets.iter().enumerate().filter_map(posted).collect();
            lines.push(match posted.is_empty() {
                true => format!("In the pot: {pot}."),
                false => format!("Blinds: {}.", posted.join(", ")),
            });
        }
        lines
    }

    fn over(&self, message: &str, stacks: &[u64], hands: u32, log: Option<&str>) -> Vec<String> {
        let played = match (hands, self.names.has_boards()) {
            (1, false) => "1 hand was played".to_owned(),
            (hands, false) => format!("{} hands were played", count(hands.into())),
            (1, true) => "1 set is over".to_owned(),
            (sets, true) => format!("{} sets are over", count(sets.into())),
        };
        let seated = self.seated.as_ref();
        let has_chips = seated.is_none_or(|seated| seated.chips.is_some());
        let chips = match stacks {
            stacks if !stacks.is_empty() && has_chips => {
                format!(" {}.", words::chips(&self.names, stacks))
            }
            _ => String::new(),
        };
        let mut lines = vec![
            String::new(),
            self.ink.bold("The match is over"),
            message.to_owned(),
            format!("{played}.{chips}"),
        ];
        lines.extend(log.map(|log| format!("Its record is\n{log}")));
        lines
    }

    fn prompt(&mut self) -> io::Result<()> {
        // In a pipe it would only be in the way.
        if self.live {
            self.finish_line()?;
            self.output.write_all(b"> ")?;
            self.unfinished = true;
        }
        self.output.flush()
    }

    /// What passes: written over on a terminal.
    fn status(&mut self, text: &str) -> io::Result<()> {
        if !self.live {
            return self.line(text);
        }
        let text: String = text.chars().take(words::WIDTH - 1).collect();
        write!(self.output, "\r\x1b[K{text}")?;
        self.unfinished = true;
        self.output.flush()
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.whole_line(&wrapped(text, "    "))
    }

    /// A line that may be longer than the screen is wide.
    fn whole_line(&mut self, text: &str) -> io::Result<()> {
        self.finish_line()?;
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    fn finish_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.unfinished) {
            self.output.write_all(b"\r\x1b[K")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
