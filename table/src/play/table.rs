//! A seat of a match over a line: what arrives there, what the engine has done and what the player
//! says come together in one place, in the order in which they happen.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::mpc::Attempts;
use dealerless::net::{Channel, Deadlines};

use super::dealer::{Binding, Dealer};
use super::error::PlayError;
use super::news::{Command, News};
use super::seat_play::{Event, Outbox, Play, Setting};
use super::vault::Vault;
use crate::line::{Line, LineError, Priority, Stream};
use crate::log::Storage;
use crate::random::{SystemRng, system_rng};

/// How long the thread that listens waits until it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// What the peer is given to take the last words.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Parts that came and were not taken in. More stay on the line, where the other has to wait.
const MAX_PARTS: usize = 16;
/// Between two looks at whether there is room for another.
const PAUSE: Duration = Duration::from_millis(1);

/// A match, at one of its seats.
pub struct Table<S, V> {
    play: Play<S, V, SystemRng>,
    line: Arc<Line>,
    dealer: Dealer,
    heard: Receiver<Heard>,
    commands: Commands,
    ears: Ears,
    listener: JoinHandle<()>,
}

/// What the table and its listener share. Dropped by the table, it ends the listener, which would
/// otherwise keep alive a line at which nobody plays.
struct Ears(Arc<Hearing>);

#[derive(Default)]
struct Hearing {
    closed: AtomicBool,
    /// Parts that were not taken in.
    parts: AtomicUsize,
}

impl Drop for Ears {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
    }
}

enum Heard {
    Event(Event),
    Command(Command),
    Lost(LineError),
}

/// Takes the player's commands, from any thread.
#[derive(Clone)]
pub struct Commands(Sender<Heard>);

impl Commands {
    /// Hands over a command. What cannot be done comes back as [`News::NotNow`].
    pub fn give(&self, command: Command) {
        // A table that is gone needs no commands.
        let _ = self.0.send(Heard::Command(command));
    }
}

impl Outbox for &Line {
    fn send(&mut self, part: Vec<u8>) -> io::Result<()> {
        self.send_log(part).map_err(io::Error::other)
    }
}

impl<S: Storage, V: Vault> Table<S, V> {
    /// Sits down to a match that begins on this line. The engine's session is bound to it.
    ///
    /// # Errors
    /// If the line has ended.
    pub fn sit_down(
        setting: Setting<S, V, SystemRng>,
        line: Line,
        attempts: Box<dyn Attempts>,
        deadlines: Deadlines,
    ) -> Result<Self, LineError> {
        let stream = line.engine(1)?;
        let line = Arc::new(line);
        let (sender, heard) = mpsc::channel();
        let binding = Binding {
            seat: setting.seat,
            handshake: line.handshake_hash,
            circuit: Arc::clone(&setting.circuit),
            attempts,
        };
        // An engine that waits for its peer does not keep the line.
        let urgency = Arc::downgrade(&line);
        let give_way = move |gives_way| {
            if let Some(line) = urgency.upgrade() {
                line.set_engine_priority(match gives_way {
                    true => Priority::Pool,
                    false => Priority::Run,
                });
            }
        };
        let done = sender.clone();
        let report = move |report| done.send(Heard::Event(Event::Done(report))).is_ok();
        let channel = Channel::new(stream, deadlines);
        let dealer = Dealer::start(channel, binding, system_rng(), give_way, report);
        let ears = Ears(Arc::default());
        let listener = {
            let (line, hearing, sender) = (Arc::clone(&line), Arc::clone(&ears.0), sender.clone());
            thread::spawn(move || listen(&line, &hearing, &sender))
        };
        Ok(Table {
            play: Play::new(setting),
            line,
            dealer,
            heard,
            commands: Commands(sender),
            ears,
            listener,
        })
    }

    /// Where the player's commands go.
    pub fn commands(&self) -> Commands {
        self.commands.clone()
    }

    /// The seat, with its log and the cards that it has seen.
    pub fn play(&self) -> &Play<S, V, SystemRng> {
        &self.play
    }

    /// The line.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Plays on until there is something that the player is to know, or for so long. After
    /// [`News::Over`] nothing comes any more.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    pub fn next(&mut self, within: Duration) -> Result<Option<News>, PlayError> {
        loop {
            self.play.go_on(&mut &*self.line, &mut self.dealer)?;
            if let Some(news) = self.play.news() {
                return Ok(Some(news));
            }
            match self.heard.recv_timeout(within) {
                Ok(Heard::Event(event)) => {
                    if let Event::Said(_) = event {
                        self.ears.0.parts.fetch_sub(1, Ordering::Relaxed);
                    }
                    self.play.hear(event)?;
                }
                Ok(Heard::Command(command)) => {
                    if let Err(refused) = self.play.command(command) {
                        return Ok(Some(News::NotNow(refused)));
                    }
                }
                Ok(Heard::Lost(error)) => return Err(PlayError::Line(io::Error::other(error))),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the table holds a sender of its own")
                }
            }
        }
    }

    /// Stands up: says the last words and closes the line.
    pub fn close(self) {
        drop(self.ears);
        // The engine ends when nobody orders any more, and lets go of the line.
        drop(self.dealer);
        if self.listener.join().is_ok()
            && let Some(line) = unshared(self.line)
        {
            line.close(LAST_WORDS);
        }
    }
}

/// The line, once the engine has let go of it.
fn unshared(mut line: Arc<Line>) -> Option<Line> {
    for _ in 0..LAST_WORDS.as_millis() / LOOK.as_millis() {
        line = match Arc::try_unwrap(line) {
            Ok(line) => return Some(line),
            Err(shared) => shared,
        };
        thread::sleep(LOOK);
    }
    None
}

fn listen(line: &Line, hearing: &Hearing, heard: &Sender<Heard>) {
    while !hearing.closed.load(Ordering::Relaxed) {
        if hearing.parts.load(Ordering::Relaxed) >= MAX_PARTS {
            thread::sleep(PAUSE);
            continue;
        }
        let event = match line.recv(LOOK) {
            Ok(message) if message.stream == Stream::Log => {
                hearing.parts.fetch_add(1, Ordering::Relaxed);
                Heard::Event(Event::Said(message.bytes))
            }
            // Nothing is said there yet.
            Ok(_) | Err(LineError::TimedOut) => continue,
            Err(error) => Heard::Lost(error),
        };
        let lost = matches!(event, Heard::Lost(_));
        if heard.send(event).is_err() || lost {
            return;
        }
    }
}
