//! The screen of a person: what happens, line by line, and a prompt when it is one's turn.
//!
//! It is made of the events that a program gets, and of nothing else.

use std::collections::BTreeMap;
use std::io::{self, Write};

mod asked;
mod cards_seen;
mod output;
mod reading;
mod run_out;

use dealerless_events::command::Said;
use dealerless_events::event::{Event, YourTurn};
use dealerless_events::seated::{Chips, Posts, Seated, Time};
use dealerless_events::words::{self, Names};

use super::cards::Ink;
use super::columns::wrapped;
use super::prompt::Typed;
use super::turn;
use crate::output::count;
use asked::Question;
use cards_seen::HandsSeen;
use output::Output;
use run_out::RunOut;

pub(crate) use output::Columns;
pub(crate) use run_out::STREET;

/// A screen.
pub(crate) struct Screen {
    output: Output,
    ink: Ink,
    /// The player is asked once more before it gives chips away by one key.
    confirms: bool,
    /// Somebody is there to answer.
    asks: bool,
    /// What is typed is read.
    listens: bool,
    names: Names,
    seated: Option<Seated>,
    hand: Hand,
    run_out: RunOut,
    turn: Option<YourTurn>,
    /// The time of this seat is out, and the program has not chosen yet.
    late: bool,
    rebuy: bool,
    /// The next hand waits, so that a showdown can be seen.
    paused: bool,
    /// What is asked before a match.
    question: Option<Question>,
    /// The player was asked whether it means this.
    sure: Option<Typed>,
}

/// What one has seen of a hand.
#[derive(Default)]
struct Hand {
    /// The cards of each seat, by position.
    held: BTreeMap<u8, BTreeMap<usize, String>>,
    board: usize,
    hands: HandsSeen,
    /// A seat has chosen to show.
    showed: bool,
}

impl Screen {
    /// The screen of a person. `columns` are those of a terminal whose rows can be written over.
    pub(crate) fn new(to: Box<dyn Write + Send>, ink: Ink, columns: Option<Columns>) -> Self {
        Screen {
            output: Output::new(to, columns),
            ink,
            confirms: false,
            asks: false,
            listens: false,
            names: Names::default(),
            seated: None,
            hand: Hand::default(),
            run_out: RunOut::default(),
            turn: None,
            late: false,
            rebuy: false,
            paused: false,
            question: None,
            sure: None,
        }
    }

    /// The same screen, which asks once more before the player gives chips away by one key.
    pub(crate) fn confirming(self, confirms: bool) -> Self {
        Screen { confirms, ..self }
    }

    /// Whether a line can be written over.
    pub(crate) fn is_live(&self) -> bool {
        self.output.is_live()
    }

    /// Shows an event, and the prompt.
    fn show(&mut self, event: &Event) -> io::Result<()> {
        if !matches!(event, Event::Card { .. })
            && let Some(line) = self.hand.hands.tell()
        {
            self.line(&line)?;
        }
        let listened = self.listens;
        self.note(event);
        if listened && !self.listens {
            self.output.end()?;
        }
        match event {
            Event::Waiting {
                seats,
                what,
                seconds,
            } => {
                let text = words::waiting(&self.names, seats, *what, *seconds);
                self.output.passing(&text)?;
            }
            Event::YourTurn(turn) if self.asks => {
                let block = turn::block(&self.names, self.ink, turn);
                self.line(&block)?;
                self.show_time(turn.time)?;
            }
            Event::Invite { invite, .. } => {
                // In one piece, to be copied.
                self.output.lines(&format!(
                    "Send this line to the other player, who runs it:\n\ndealerless join {invite}\n"
                ))?;
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

    /// Notes what an event means for what may be typed.
    fn note(&mut self, event: &Event) {
        match event {
            Event::YourTurn(turn) => (self.turn, self.sure) = (Some((**turn).clone()), None),
            Event::Seated(seated) => {
                self.names = Names::of(seated);
                self.seated = Some((**seated).clone());
            }
            Event::Pause { .. } => self.paused = true,
            Event::Dealt { .. } => {
                self.hand = Hand::default();
                (self.turn, self.paused, self.late) = (None, false, false);
            }
            Event::Chose { seat, choice, .. } => {
                self.hand.showed |= matches!(choice, Said::Show {});
                if *seat == self.own_seat() {
                    (self.turn, self.sure) = (None, None);
                }
            }
            Event::OutOfTime { seat, .. } => self.late |= *seat == self.own_seat(),
            Event::AskRebuy { .. } => (self.rebuy, self.sure) = (true, None),
            _ => {}
        }
        self.question = Question::after(event, self.question.take());
        match event {
            Event::Seated(_)
            | Event::AskSit(_)
            | Event::AskAdmit { .. }
            | Event::AskAgain { .. } => {
                self.listens = true;
            }
            Event::Over { .. } | Event::Closed { .. } => self.listens = false,
            _ => {}
        }
    }

    /// Shows the time that is left for this turn: on a terminal it passes.
    pub(crate) fn show_time(&mut self, time: Option<Time>) -> io::Result<()> {
        match (&self.turn, time) {
            (Some(turn), Some(time)) if self.asks => {
                let text = words::time_left(turn, time);
                self.output.passing(&text)
            }
            _ => Ok(()),
        }
    }

    /// Whether the time that is left is to be shown every second.
    pub(crate) fn shows_time(&self) -> bool {
        let timed = |turn: &YourTurn| turn.time.is_some();
        self.is_live() && self.asks && self.turn.as_ref().is_some_and(timed)
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
            Event::AskSit(terms) => {
                let mut lines = words::terms(terms);
                lines.push("Sit down? Enter or y sits down, n declines.".into());
                lines
            }
            Event::AskAdmit { message, .. } => one(format!("{message}. Accept? y or n")),
            Event::AdmitLapsed { message, .. } => one(message.clone()),
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
                pot,
                posted,
                ..
            } => self.dealt(*hand, *attempt, *button, (stacks, posted, *pot)),
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
            Event::Chose { seat, choice, .. }
                if names.is_own(*seat) && std::mem::take(&mut self.late) =>
            {
                words::chosen_for_you(choice)
            }
            Event::Chose {
                seat,
                choice,
                all_in,
                ..
            } => match words::chose(names, *seat, choice, *all_in) {
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
                "{} Type `again` to go on.",
                words::sentence(message)
            )),
            Event::SitsOut {} => {
                one("You sit out: the next hand waits for you. Type `back` to sit in again.".into())
            }
            // The program chooses next.
            Event::OutOfTime { seat, .. } if *seat == self.own_seat() => Vec::new(),
            Event::OutOfTime { seat, away } => one(self.out_of_time(*seat, *away)),
            Event::Leaving { message, .. } => one(message.clone()),
            Event::Stays {} => one("You stay.".into()),
            Event::Closed { message, log } => {
                let mut lines = vec![String::new(), message.clone()];
                lines.extend(log.iter().map(|log| format!("Its record is\n{log}")));
                lines
            }
            Event::Error { message, .. } => one(words::sentence(message)),
            // `show` has them.
            Event::Invite { .. } | Event::Waiting { .. } | Event::Pause { .. } => Vec::new(),
            // The prompt is for the own turn; the line of a choice tells that of another.
            Event::YourTurn(_) | Event::TheirTurn(_) => Vec::new(),
            // The message of `Over` says it.
            Event::Stopped { .. } => Vec::new(),
            // For programs.
            Event::Hello { .. } => Vec::new(),
        }
    }

    /// The time of another seat is out.
    fn out_of_time(&self, seat: u8, away: bool) -> String {
        let clock = self.seated.as_ref().and_then(|seated| seated.clock);
        let name = self.names.name(seat);
        let why = match (clock, away) {
            (Some(_), true) => format!("{name} has been away for longer than the clock allows"),
            (Some(_), false) => format!("The time of {name} is out"),
            (None, true) => format!("{name} has been away for ten minutes"),
            (None, false) => format!("Nothing has come from {name} for ten minutes"),
        };
        format!(
            "{why}. Wait, or type `close` to close the match here: no chips move, and it can be resumed."
        )
    }

    fn line_lost(&self, message: &str) -> String {
        format!(
            "The line is lost ({message}). The match stays; it goes on by itself when there is a line \
             again. Ctrl-C ends the program, and `dealerless resume` goes on later."
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
        (stacks, posted, pot): (&[u64], &[u64], u64),
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
            lines.push(format!(
                "{}: {}.",
                self.posts(),
                words::posted(&self.names, posted)
            ));
            if pot > posted.iter().sum() {
                lines.push(format!("In the pot: {}.", count(pot)));
            }
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

    /// What is paid before the cards.
    fn posts(&self) -> &'static str {
        let chips = self
            .seated
            .as_ref()
            .and_then(|seated| seated.chips.as_ref());
        match chips {
            Some(Chips {
                posts: Posts::Ante(_),
                ..
            }) => "Antes",
            _ => "Blinds",
        }
    }

    /// Shows the prompt from now on: what is typed answers a question for one word.
    pub(crate) fn asks_for_a_word(&mut self) -> io::Result<()> {
        self.listens = true;
        self.prompt()
    }

    /// Shows the prompt while what is typed is read.
    fn prompt(&mut self) -> io::Result<()> {
        match self.asks && self.listens {
            true => self.output.prompt(),
            false => Ok(()),
        }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.output.lines(&wrapped(text, "    "))
    }
}

#[cfg(test)]
mod tests;
