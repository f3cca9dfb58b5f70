//! The screen of a person: the text of each event, and a prompt while typed lines are read.
//!
//! The screen is drawn only from the events that a program would receive.

use std::collections::BTreeMap;
use std::io::{self, Write};

mod asked;
mod cards_seen;
mod output;
mod reading;
mod run_out;

use dealerless_connection::Invite;
use dealerless_seat::command::Said;
use dealerless_seat::event::{Event, YourTurn};
use dealerless_seat::seated::{Chips, Posts, Seated, Time};
use dealerless_seat::words::{self, Names};

use super::cards::Ink;
use super::prompt::Typed;
use super::turn;
use crate::output::{MAX_WIDTH, count, wrapped};
use asked::Question;
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
    names: Names,
    seated: Option<Seated>,
    hand: Hand,
    run_out: RunOut,
    turn: Option<YourTurn>,
    /// Whether this seat has run out of time and the program has not chosen for it yet.
    late: bool,
    /// Whether the player is asked for a rebuy.
    rebuy: bool,
    /// Whether the next hand waits so that the player can look at a showdown.
    paused: bool,
    /// The open question before a match.
    question: Option<Question>,
    /// The input that waits for confirmation.
    sure: Option<Typed>,
}

/// The visible state of a hand.
#[derive(Default)]
struct Hand {
    /// The cards of each seat, by position.
    held: BTreeMap<u8, BTreeMap<usize, String>>,
    /// The number of cards on the board.
    board: usize,
    hands: HandsSeen,
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
            Event::Waiting {
                seats,
                what,
                seconds,
                left,
            } => {
                let text = words::waiting(&self.names, seats, *what, *seconds, *left);
                self.output.passing(&text)?;
            }
            Event::YourTurn(turn) if self.asks => {
                let block = turn::block(&self.names, self.ink, turn);
                self.line(&block)?;
                self.show_time(turn.time)?;
            }
            Event::Invite {
                invite,
                guests,
                link,
                code,
                ..
            } => {
                let whom = match guests {
                    None => "the other player",
                    Some(_) => "one of the other players",
                };
                // On one line, so that it can be copied.
                self.output.lines(&format!(
                    "Send this line to {whom}, who runs it:\n\ndealerless join {invite}\n"
                ))?;
                if let Some(code) = code {
                    let relay = invite.parse::<Invite>().ok();
                    let relay = relay.as_ref().and_then(Invite::relay);
                    let relay = relay.map_or(String::new(), |relay| format!(" --relay {relay}"));
                    self.output.lines(&format!(
                        "Or tell {whom} this code, which serves once within an hour. --relay can be left out \
                         if the relay is configured:\n\ndealerless join {code}{relay}\n"
                    ))?;
                }
                if let Some(link) = link {
                    self.output.lines(&format!(
                        "Or send this link instead, which {whom} opens in a browser:\n\n{link}\n"
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

    /// The lines that describe an event, apart from the prompt.
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
                let mut lines = words::table(names, seated);
                lines.push(words::game(seated));
                if seated.resumed {
                    lines.push("This match is resumed.".into());
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
                playing,
                ..
            } => {
                let mut lines = self.dealt(*hand, *attempt, *button, stacks, posted, *pot);
                lines.extend(self.not_in_the_hand(stacks, playing));
                lines
            }
            Event::Again { seat, .. } => one(format!(
                "{} this deal void. Nobody has seen a card; it is dealt again.",
                names.does(*seat, "declare")
            )),
            Event::Sealed { seal, .. } if self.names.has_boards() => words::sealed_boards(seal),
            Event::Sealed { .. } if names.are_several() => {
                one("All players have shuffled: nobody can change a card.".into())
            }
            Event::Sealed { .. } => one("The deck is sealed: nobody can change its cards.".into()),
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
                "The hand could not be reshuffled: nothing was stolen, and the hand is unchanged."
                    .to_owned(),
            ),
            Event::Rolled {
                dice, faces, sum, ..
            } => one(words::rolled(*dice, faces, *sum)),
            Event::Result(result) => {
                let row = |cards: &[String]| self.ink.row(cards.iter().map(|c| Some(c.as_str())));
                words::result(names, result, row)
            }
            Event::AskRebuy { seats, chips, time } => one(format!(
                "{} no chips. Buy in again for {}? {} must agree: y or n{}",
                match &seats[..] {
                    [one] => names.does(*one, "have"),
                    several => format!("{} have", names.list(several)),
                },
                count(*chips),
                if names.are_several() { "All" } else { "Both" },
                time.map_or(String::new(), |time| {
                    format!(", within {} s", time.each_move + time.bank)
                }),
            )),
            Event::Over {
                message,
                stacks,
                hands,
                log,
                ..
            } => self.over(message, stacks, *hands, log.as_deref()),
            Event::LineLost { message } => one(self.connection_lost(message)),
            Event::Resumed {} => one("The connection is back, and the match continues.".into()),
            Event::AskAgain { message, .. } => one(format!(
                "{} Type `again` to continue.",
                words::sentence(message)
            )),
            Event::SitsOut {} if names.are_several() => one(
                "You sit out, and too few players are left for a hand. Type `back` to sit in again."
                    .into(),
            ),
            Event::SitsOut {} => {
                one("You sit out: the next hand waits for you. Type `back` to sit in again.".into())
            }
            // The event about the choice that the program makes follows.
            Event::OutOfTime { seat, .. } if *seat == self.own_seat() => Vec::new(),
            Event::OutOfTime { seat, away, asks } => one(self.out_of_time(*seat, *away, *asks)),
            Event::RollCall { seat, missing } => one(words::roll_call(names, *seat, missing)),
            Event::Gone { seat } => one(words::gone(names, *seat)),
            Event::Leaving { message, .. } => one(message.clone()),
            Event::Stays {} => one("You stay.".into()),
            Event::Closed { message, log } => {
                let mut lines = vec![String::new(), message.clone()];
                lines.extend(log.iter().map(|log| format!("Its record is\n{log}")));
                lines
            }
            Event::Error { message, .. } => one(words::sentence(message)),
            // Handled by `show`.
            Event::Invite { .. } | Event::Waiting { .. } | Event::Pause { .. } => Vec::new(),
            // The player's own turn has the prompt; another player's turn is shown by its choice.
            Event::YourTurn(_) | Event::TheirTurn(_) => Vec::new(),
            Event::Stopped { seat, .. } if names.are_several() && !names.is_own(*seat) => {
                let then = match self.may_leave() {
                    true => "",
                    false => " The match ends after this hand.",
                };
                let leaves = names.does(*seat, "leave");
                one(format!("{leaves} the match and gives up this hand.{then}"))
            }
            // The message of `Event::Over` or `Event::Leaving` includes this one.
            Event::Stopped { .. } => Vec::new(),
            // Only for programs.
            Event::Hello { .. } => Vec::new(),
        }
    }

    /// The text when another seat has run out of time.
    fn out_of_time(&self, seat: u8, away: bool, asks: bool) -> String {
        let clock = self.seated.as_ref().and_then(|seated| seated.clock);
        let name = self.names.name(seat);
        let why = match (clock, away) {
            (Some(_), true) => format!("{name} has been away for longer than the clock allows"),
            (Some(_), false) => format!("{name} has run out of time"),
            (None, true) => format!("{name} has been away for ten minutes"),
            (None, false) => format!("{name} has sent nothing for ten minutes"),
        };
        if asks {
            return format!("{why}. Your program asks the others.");
        }
        let why = match self.may_leave() {
            true => format!("{why}, and too few players would be left without {name}"),
            false => why,
        };
        let without = match self.names.are_several() {
            true => format!(
                " If all others close it, one of them can continue without {name}: dealerless host --after \
                 MATCH."
            ),
            false => String::new(),
        };
        format!(
            "{why}. Wait, or type `close` to close the match here: no chips move, and it can be \
             resumed.{without}"
        )
    }

    /// Whether the others play on if a seat disappears or leaves.
    fn may_leave(&self) -> bool {
        let seated = self.seated.as_ref();
        seated.is_some_and(|seated| seated.may_leave() > 0)
    }

    fn connection_lost(&self, message: &str) -> String {
        if self.may_leave() {
            return format!(
                "The connection is lost ({message}). Your program reconnects. If that takes too long, the \
                 others play on without you. Ctrl-C ends the program; `dealerless resume` continues the \
                 match later."
            );
        }
        format!(
            "The connection is lost ({message}). The match stays open, and continues when the connection \
             is back. Ctrl-C ends the program; `dealerless resume` continues the match later."
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
        stacks: &[u64],
        posted: &[u64],
        pot: u64,
    ) -> Vec<String> {
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
        let title = format!(
            "{what} {} of {}{again}",
            count(hand.into()),
            count(hands.into())
        );
        let mut lines = vec![String::new(), self.ink.bold(&title)];
        if pot > 0 {
            let has_button = self.names.does(button, "have");
            let chips = words::chips(&self.names, stacks);
            lines.push(format!("{has_button} the button. {chips}."));
            lines.push(format!(
                "{}: {}.",
                self.posts(),
                words::posted(&self.names, posted, button)
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
        let (names, own) = (&self.names, self.own_seat());
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

    /// The name of the chips that are paid before the cards are dealt.
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

    /// Reads typed lines and shows the prompt, for a question that is answered by one word.
    pub(crate) fn asks_for_a_word(&mut self) -> io::Result<()> {
        self.listens = true;
        self.prompt()
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

#[cfg(test)]
mod tests;
