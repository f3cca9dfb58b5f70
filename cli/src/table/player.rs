//! Who plays at a seat: a person at a screen, a program, or the bot; and what each is told.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use dealerless_events::command::{self, Complaint, Said};
use dealerless_events::event::{Event, Refusal};
use dealerless_events::seated::Time;
use rand::rngs::StdRng;

use super::bot::Bot;
use super::input::{LONGEST, Line};
use super::posts::Posts;
use super::screen::Screen;
use crate::output::written;

/// What a player wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// To say this, in this turn if one is named.
    Say(Said, Option<u64>),
    /// To know what it costs to leave, before it says so.
    AskLeave,
    /// To end the program. The match can be resumed.
    BreakOff,
    /// Nothing of the match: it was answered.
    Nothing,
}

/// How a player is talked to.
pub(crate) enum Face {
    /// One JSON object a line.
    Json(Box<dyn Write + Send>),
    /// For people.
    Screen(Box<Screen>),
}

/// A player.
pub(crate) struct Player {
    face: Face,
    bot: Option<Bot<StdRng>>,
    /// Where its lines come from, until somebody reads them.
    input: Option<Box<dyn BufRead + Send>>,
    /// It is a person, who is given time to see a showdown.
    pauses: bool,
}

impl Player {
    pub(crate) fn new(
        face: Face,
        bot: Option<Bot<StdRng>>,
        input: Box<dyn BufRead + Send>,
    ) -> Self {
        Player {
            face,
            input: bot.is_none().then_some(input),
            bot,
            pauses: false,
        }
    }

    /// The same player, who is given time to see a showdown, if it is no bot.
    pub(crate) fn pausing(self, pauses: bool) -> Self {
        let pauses = pauses && self.bot.is_none();
        Player { pauses, ..self }
    }

    /// Whether it is given time to see a showdown.
    pub(crate) fn pauses(&self) -> bool {
        self.pauses
    }

    /// Listens to what the player says from now on, if nobody does and it is no bot.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub(crate) fn listen(&mut self, posts: &Posts) -> io::Result<()> {
        match self.input.take() {
            // A person need not be there before it is asked something.
            Some(input) => posts.read(input, matches!(self.face, Face::Json(_))),
            None => Ok(()),
        }
    }

    /// Listens while nobody sits at a table yet, if a program plays: it may end before that.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub(crate) fn listen_before(&mut self, posts: &Posts) -> io::Result<()> {
        match self.face {
            Face::Json(_) => self.listen(posts),
            Face::Screen(_) => Ok(()),
        }
    }

    /// Whether nobody is to be asked.
    pub(crate) fn is_bot(&self) -> bool {
        self.bot.is_some()
    }

    /// Whether it is a person, who reads text and types words.
    pub(crate) fn is_person(&self) -> bool {
        self.bot.is_none() && matches!(self.face, Face::Screen(_))
    }

    /// Tells what happened.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        written(match &mut self.face {
            Face::Json(output) => {
                // In one piece.
                let line = serde_json::to_string(event)? + "\n";
                (output.write_all(line.as_bytes())).and_then(|()| output.flush())
            }
            Face::Screen(screen) => screen.tell(event, self.bot.is_none()),
        })
    }

    /// What the bot says to an event.
    pub(crate) fn answer(&mut self, event: &Event) -> Option<Said> {
        self.bot.as_mut()?.answer(event)
    }

    /// Tells the bot where it sits; everybody else knows by what it was told.
    pub(crate) fn sit(&mut self, seated: &Event) -> anyhow::Result<()> {
        self.tell(seated)?;
        // It says nothing to that.
        let _ = self.answer(seated);
        Ok(())
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(&mut self, line: Line) -> Result<Wish, Complaint> {
        match (line, &mut self.face) {
            // A program or a terminal that is gone has not left for good.
            (Line::End, _) => Ok(Wish::BreakOff),
            (Line::TooLong, _) => Err((
                Refusal::LineTooLong,
                format!("a line has at most {LONGEST} bytes"),
            )),
            (Line::Text(text), Face::Json(_)) if text.trim().is_empty() => Ok(Wish::Nothing),
            (Line::Text(text), Face::Json(_)) => {
                command::parse(&text).map(|(said, turn)| Wish::Say(said, turn))
            }
            (Line::Text(text), Face::Screen(screen)) => screen.read(&text),
        }
    }

    /// Shows a person that what is typed now answers a question for one word.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) fn asks_for_a_word(&mut self) -> anyhow::Result<()> {
        self.on_screen(Screen::asks_for_a_word)
    }

    /// A line was typed that [`read`](Self::read) does not get.
    pub(crate) fn typed(&mut self) {
        if let Face::Screen(screen) = &mut self.face {
            screen.typed();
        }
    }

    /// The time until something is shown that waits on the screen, if anything does.
    pub(crate) fn due(&self) -> Option<Duration> {
        match &self.face {
            Face::Screen(screen) => screen.due(),
            Face::Json(_) => None,
        }
    }

    /// Shows what waits on the screen and is due.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) fn show_due(&mut self) -> anyhow::Result<()> {
        self.on_screen(Screen::show_due)
    }

    /// Shows all that waits on the screen, each at its time.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) fn show_rest(&mut self) -> anyhow::Result<()> {
        self.on_screen(Screen::show_rest)
    }

    /// Whether the time that is left for this turn is shown every second.
    pub(crate) fn shows_time(&self) -> bool {
        matches!(&self.face, Face::Screen(screen) if screen.shows_time())
    }

    /// Shows the time that is left for this turn.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) fn show_time(&mut self, time: Option<Time>) -> anyhow::Result<()> {
        match self.shows_time() {
            true => self.on_screen(|screen| screen.show_time(time)),
            false => Ok(()),
        }
    }

    fn on_screen(
        &mut self,
        show: impl FnOnce(&mut Screen) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match &mut self.face {
            Face::Screen(screen) => written(show(screen)),
            Face::Json(_) => Ok(()),
        }
    }

    /// The program ends in the middle of something.
    pub(crate) fn ends(&mut self) {
        if let Face::Screen(screen) = &mut self.face {
            screen.ends();
        }
    }

    /// After how long a wait is told again that was told after `told`.
    pub(crate) fn tells_waiting_after(&self, told: Duration) -> Duration {
        match &self.face {
            Face::Screen(screen) if screen.is_live() => told + Duration::from_secs(1),
            _ => match told.as_secs() {
                0 => Duration::from_secs(5),
                5 => Duration::from_secs(15),
                15 => Duration::from_secs(60),
                _ => told + Duration::from_secs(60),
            },
        }
    }
}
