//! The player at a seat: a person at a screen, a program, or the bot.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless_seat::command::Said;
use dealerless_seat::event::Event;
use dealerless_seat::seat::PlayerNeeds;
use dealerless_seat::seated::Time;
use dealerless_seat::words::Narrator;
use rand::rngs::StdRng;

use dealerless_native::{Native, NativeProgram};
use dealerless_seat::run::{self, BrokenOff, NotBegun};

use super::bot::Bot;
use super::own::Own;
use super::posts::Posts;
use super::reader::Reader;
use super::screen::Screen;
use crate::output::{harmless, written};

/// The output of a player.
pub(crate) enum Face {
    /// One JSON object a line.
    Json(Box<dyn Write + Send>, Box<Narrator>),
    /// A screen for a person.
    Screen(Arc<Mutex<Screen>>),
}

/// The player at a seat.
pub(crate) struct Player {
    face: Face,
    bot: Option<Bot<StdRng>>,
    /// The input, until a thread reads it.
    input: Option<Box<dyn BufRead + Send>>,
    /// The destination of what is read.
    posts: Posts,
    /// Whether the input is read before there is a question.
    listens_at_once: bool,
    /// Whether the player is a person who gets time to look at a showdown.
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
            posts: Posts::default(),
            listens_at_once: false,
            bot,
            pauses: false,
        }
    }

    /// The same player, whose input goes there.
    pub(crate) fn writing_to(self, posts: &Posts) -> Self {
        let posts = posts.clone();
        Player { posts, ..self }
    }

    /// The same player, with or without time to look at a showdown. A bot never gets this time.
    pub(crate) fn pausing(self, pauses: bool) -> Self {
        let pauses = pauses && self.bot.is_none();
        Player { pauses, ..self }
    }

    /// Starts to read the player's input, unless the reading has started or the player is a bot.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(crate) fn listen(&mut self) -> io::Result<()> {
        match self.input.take() {
            Some(input) => self.reader().listen(input, self.posts.clone()),
            None => Ok(()),
        }
    }

    /// The same player. If it is a program, its input is read before the match, so that this process notices if the
    /// program ends.
    pub(crate) fn listening_at_once(self) -> Self {
        let listens_at_once = matches!(self.face, Face::Json(..));
        Player {
            listens_at_once,
            ..self
        }
    }

    /// Whether the player is a bot, which is never asked.
    pub(crate) fn is_bot(&self) -> bool {
        self.bot.is_some()
    }

    /// Whether the player is a person who reads text and types words.
    pub(crate) fn is_person(&self) -> bool {
        self.bot.is_none() && matches!(self.face, Face::Screen(_))
    }

    /// Reports an event to the player.
    ///
    /// # Errors
    /// If the output is closed.
    pub(crate) fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        let asks = self.bot.is_none();
        written(match &mut self.face {
            Face::Json(output, narrator) => {
                // A single write for the whole line.
                let line = narrator.line(event)? + "\n";
                (output.write_all(harmless(&line).as_bytes())).and_then(|()| output.flush())
            }
            Face::Screen(screen) => locked(screen).tell(event, asks),
        })
    }

    /// The parser of the player's lines, for any thread.
    fn reader(&self) -> Reader {
        match &self.face {
            Face::Json(..) => Reader::Json,
            Face::Screen(screen) => Reader::Screen(Arc::clone(screen)),
        }
    }

    /// Shows all pending output, each piece at its time.
    ///
    /// # Errors
    /// If the output is closed.
    fn show_rest(&mut self) -> anyhow::Result<()> {
        self.on_screen(Screen::show_rest)
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
            Face::Json(..) => None,
        }
    }

    /// Prepares the screen for the end of the program in the middle of a match.
    fn ends(&mut self) {
        if let Some(mut screen) = self.screen() {
            screen.ends();
        }
    }

    /// Runs a program for this player, until it has ended.
    ///
    /// # Errors
    /// That of `begin` or of the program, or if the output is closed.
    pub(crate) fn play(
        mut self,
        own: &Own,
        begin: impl FnOnce(&run::Own<Native>, Duration) -> anyhow::Result<NativeProgram>,
    ) -> anyhow::Result<()> {
        let each_second = self.needs().each_second;
        let playing = dealerless_native::begin(each_second, own.stored.clone(), begin)?;
        // The player has not seen an event yet: an answer to it belongs to the program.
        self.posts.go_to(playing.input());
        if self.listens_at_once {
            self.listen()?;
        }
        let ended = playing.play(&mut self);
        let is_ended = |error: &anyhow::Error| error.is::<BrokenOff>() || error.is::<NotBegun>();
        if ended.as_ref().is_err_and(is_ended) {
            // If the output is closed, the record still shows the state of the hand.
            self.ends();
            return ended;
        }
        let shown = self.show_rest();
        ended.and(shown)
    }

    /// What the player needs from the seat.
    pub(crate) fn needs(&self) -> PlayerNeeds {
        PlayerNeeds {
            pauses: self.pauses,
            each_second: self.screen().is_some_and(|screen| screen.is_live()),
            never_asked: self.is_bot(),
            is_program: !self.is_person(),
            is_told_nothing: false,
        }
    }
}

impl dealerless_native::Player for Player {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        Player::tell(self, event)?;
        if let Event::Seated(_)
        | Event::AskSit(_)
        | Event::AskTable(_)
        | Event::AtDoor { .. }
        | Event::Invite { seats: Some(_), .. }
        | Event::AskResume { .. }
        | Event::AskAgain { .. } = event
        {
            self.listen()?;
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        self.bot.as_mut()?.answer(event)
    }

    fn show_time(&mut self, time: Time) -> anyhow::Result<()> {
        self.on_screen(|screen| match screen.shows_time() {
            true => screen.show_time(Some(time)),
            false => Ok(()),
        })
    }

    fn due(&self) -> Option<Duration> {
        self.screen()?.due()
    }

    fn show_due(&mut self) -> anyhow::Result<()> {
        self.on_screen(Screen::show_due)
    }
}

/// Locks the screen, which the thread that reads input uses too.
fn locked(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
