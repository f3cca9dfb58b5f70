//! A player's input: a thread reads each line once, and sends it to the table as a command.

use std::io::{self, BufRead};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use dealerless_native::{Input, ProgramInput};
use dealerless_seat::command::{self, Complaint, Said};
use dealerless_seat::event::Refusal;

use super::input::{self, LONGEST, TypedLine};
use super::posts::Posts;
use super::screen::Screen;
use crate::failure::BROKEN_OFF;

/// Parses the input of a player.
#[derive(Clone)]
pub(crate) enum Reader {
    /// A program that writes one JSON object a line.
    Json,
    /// A person who answers what the screen shows.
    Screen(Arc<Mutex<Screen>>),
}

impl Reader {
    /// Parses a line into a command, with the number of its turn if the line has one. Returns
    /// `None` if the line is empty, or if the screen has answered it.
    ///
    /// # Errors
    /// The complaint about an invalid line.
    pub(crate) fn read(&self, line: TypedLine) -> Result<Option<(Said, Option<u64>)>, Complaint> {
        match (line, self) {
            (TypedLine::TooLong, _) => Err((
                Refusal::LineTooLong,
                format!("line too long: the limit is {LONGEST} bytes"),
            )),
            (TypedLine::Text(text), Reader::Json) if text.trim().is_empty() => Ok(None),
            (TypedLine::Text(text), Reader::Json) => command::parse(&text).map(Some),
            (TypedLine::Text(text), Reader::Screen(screen)) => {
                let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
                let said = screen.read(&text)?;
                Ok(said.map(|said| (said, None)))
            }
        }
    }

    /// Passes a line to a seat as a command.
    fn send(&self, line: TypedLine, seat: &ProgramInput) {
        let input = match (self.read(line), self) {
            (Ok(None), _) => return,
            (Ok(Some((Said::Leave { anyhow: false }, _))), Reader::Screen(_)) => Input::AskLeave,
            (Ok(Some((said, turn))), _) => Input::Said(said, turn),
            (Err(complaint), _) => Input::Refused(complaint),
        };
        // A match that has stopped here ignores it. The player may be asked something next.
        seat.put(input);
    }

    /// Reads the input to its end, on a separate thread. If a program's input ends before a match, the
    /// process ends. A person's terminal may be closed then,
    /// because it is only needed when there is a question.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(crate) fn listen(
        self,
        mut input: impl BufRead + Send + 'static,
        posts: Posts,
    ) -> io::Result<()> {
        let read = move || {
            let mut is_first = true;
            while let Some(mut line) = input::next_line(&mut input) {
                if std::mem::take(&mut is_first) {
                    line = line.without_mark();
                }
                if let Some((line, seat)) = posts.typed(line) {
                    self.send(line, &seat);
                }
            }
            if matches!(self, Reader::Json) && posts.is_waiting() {
                // No match has begun, so there is nothing to break off.
                std::process::exit(BROKEN_OFF.into());
            }
            posts.put(Input::Ended);
        };
        let thread = thread::Builder::new().name("player-input".into());
        thread.spawn(read).map(|_| ())
    }
}
