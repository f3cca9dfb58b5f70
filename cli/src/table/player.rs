//! Who plays at a seat: a person at a screen, a program, or the bot; and what each is told.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless_events::command::{Complaint, Said};
use dealerless_events::event::Event;
use dealerless_events::seated::Time;
use rand::rngs::StdRng;

use super::bot::Bot;
use super::input::TypedLine;
use super::posts::Posts;
use super::reader::Reader;
use super::screen::Screen;
use crate::output::written;

/// How a player is talked to.
pub(crate) enum Face {
    /// One JSON object a line.
    Json(Box<dyn Write + Send>),
    /// For people.
    Screen(Arc<Mutex<Screen>>),
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
            Some(input) => self.reader().listen(input, posts.clone()),
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
        let asks = self.bot.is_none();
        written(match &mut self.face {
            Face::Json(output) => {
                // In one piece.
                let line = serde_json::to_string(event)? + "\n";
                (output.write_all(line.as_bytes())).and_then(|()| output.flush())
            }
            Face::Screen(screen) => locked(screen).tell(event, asks),
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

    /// Reads its lines, on any thread.
    fn reader(&self) -> Reader {
        match &self.face {
            Face::Json(_) => Reader::Json,
            Face::Screen(screen) => Reader::Screen(Arc::clone(screen)),
        }
    }

    /// Reads a line that was typed while nobody sits at a table.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(&self, line: TypedLine) -> Result<Option<Said>, Complaint> {
        let read = self.reader().read(line)?;
        Ok(read.map(|(said, _)| said))
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
        if let Some(mut screen) = self.screen() {
            screen.typed();
        }
    }

    /// The time until something is shown that waits on the screen, if anything does.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.screen()?.due()
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
        self.screen().is_some_and(|screen| screen.shows_time())
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
        match self.screen() {
            Some(mut screen) => written(show(&mut screen)),
            None => Ok(()),
        }
    }

    fn screen(&self) -> Option<MutexGuard<'_, Screen>> {
        match &self.face {
            Face::Screen(screen) => Some(locked(screen)),
            Face::Json(_) => None,
        }
    }

    /// The program ends in the middle of something.
    pub(crate) fn ends(&mut self) {
        if let Some(mut screen) = self.screen() {
            screen.ends();
        }
    }

    /// After how long a wait is told again that was told after `told`.
    pub(crate) fn tells_waiting_after(&self, told: Duration) -> Duration {
        match self.screen() {
            Some(screen) if screen.is_live() => told + Duration::from_secs(1),
            _ => match told.as_secs() {
                0 => Duration::from_secs(5),
                5 => Duration::from_secs(15),
                15 => Duration::from_secs(60),
                _ => told + Duration::from_secs(60),
            },
        }
    }
}

/// A screen, which the thread that reads lines uses too.
fn locked(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
