//! One seat of a match, played to its end: what comes over the line, from the engine and from the
//! player goes into one queue, and is worked off one after the other.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::Blame;
use dealerless_table::{
    Command, Done, End, LineError, News, NotNow, Orders, Outbox, Phase, Play, PlayError, Storage,
    Vault,
};
use rand::CryptoRng;

use super::command::Complaint;
use super::connection::{Connection, lost};
use super::event::{Event, Refusal};
use super::input::{self, Line};
use super::player::{Player, Wish};
use super::story::{Story, awaited};

/// So much may be heard and not worked off.
const QUEUE: usize = 64;
/// After the engine has lost the line, what else came over it is heard so soon.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Between two looks whether the engine waits for room.
const LOOK: Duration = Duration::from_millis(50);

/// Something for the seat.
pub(crate) enum Heard {
    /// A part of the other seat.
    Part(Vec<u8>),
    /// The line has ended. No part comes any more.
    Ended(LineError),
    /// From the engine.
    Engine(Done),
    /// From the player.
    Line(Line),
    /// Something for the player beside the match.
    Notice(String),
}

/// The queue of a seat.
pub(crate) struct Ears {
    sender: SyncSender<Heard>,
    heard: Receiver<Heard>,
    /// Closed when the engine's thread is gone.
    engine: Option<Receiver<()>>,
}

impl Ears {
    pub(crate) fn new() -> Self {
        let (sender, heard) = sync_channel(QUEUE);
        Ears {
            sender,
            heard,
            engine: None,
        }
    }

    /// What the engine reports to.
    pub(crate) fn report(&mut self) -> impl Fn(Done) -> bool + Send + 'static {
        let sender = self.sender.clone();
        let (lives, engine) = channel::<()>();
        self.engine = Some(engine);
        move |done| {
            // Dropped with this, and this with the engine's thread.
            let _lives = &lives;
            sender.send(Heard::Engine(done)).is_ok()
        }
    }

    /// Waits until the engine, which has got its last order, is done and gone, but not longer than
    /// `within`. An attempt that is cut off counts against the peer.
    pub(crate) fn until_engine_gone(&self, within: Duration) {
        let deadline = Instant::now() + within;
        while let Some(engine) = &self.engine
            && Instant::now() < deadline
            && engine.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout)
        {
            // It could wait for room in the queue.
            self.heard.try_iter().for_each(drop);
        }
    }

    /// Listens to the line, until it ends.
    pub(crate) fn listen(&self, connection: Arc<impl Connection>) -> io::Result<()> {
        let sender = self.sender.clone();
        let listen = move || {
            loop {
                let heard = connection.receive().map_or_else(Heard::Ended, Heard::Part);
                let ended = matches!(heard, Heard::Ended(_));
                if sender.send(heard).is_err() || ended {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("match-line".into())
            .spawn(listen)
            .map(|_| ())
    }

    /// A way into the queue for what happens beside the match.
    pub(crate) fn notices(&self) -> impl Fn(String) -> bool + Send + 'static {
        let sender = self.sender.clone();
        move |text| sender.send(Heard::Notice(text)).is_ok()
    }

    /// Waits until the line has ended, but not longer than `within`.
    pub(crate) fn until_ended(&self, within: Duration) {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left) {
                Ok(Heard::Ended(_)) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }

    /// Reads what the player says, until nothing comes any more.
    pub(crate) fn read(&self, mut input: impl io::BufRead + Send + 'static) -> io::Result<()> {
        let sender = self.sender.clone();
        let read = move || {
            loop {
                let line = input::next_line(&mut input);
                let ended = line == Line::End;
                if sender.send(Heard::Line(line)).is_err() || ended {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("player-input".into())
            .spawn(read)
            .map(|_| ())
    }
}

/// Where the parts of this seat go.
struct Mouth<'a, C>(&'a C);

impl<C: Connection> Outbox for Mouth<'_, C> {
    fn send(&mut self, part: Vec<u8>) -> io::Result<()> {
        self.0.send(part).map_err(lost)
    }
}

/// Since when the same is waited for.
struct Wait {
    step: u64,
    since: Instant,
    told: Duration,
}

/// A seat, and all that it talks to.
pub(crate) struct Seat<S, V, R, C, O> {
    pub(crate) play: Play<S, V, R>,
    pub(crate) connection: Arc<C>,
    pub(crate) engine: O,
    pub(crate) ears: Ears,
    pub(crate) story: Story,
    pub(crate) player: Player,
}

impl<S, V, R, C, O> Seat<S, V, R, C, O>
where
    S: Storage,
    V: Vault,
    R: CryptoRng,
    C: Connection,
    O: Orders,
{
    /// Plays until the match is over.
    ///
    /// # Errors
    /// Why it cannot go on.
    pub(crate) fn play(&mut self) -> anyhow::Result<End> {
        match self.turns() {
            Err(error) if is_loss(&error) => self.last_words(error),
            outcome => outcome,
        }
    }

    fn turns(&mut self) -> anyhow::Result<End> {
        let mut wait = Wait {
            step: u64::MAX,
            since: Instant::now(),
            told: Duration::ZERO,
        };
        loop {
            self.play
                .go_on(&mut Mouth(&*self.connection), &mut self.engine)?;
            let (end, said) = self.tell()?;
            if let Some(end) = end {
                return Ok(end);
            }
            if !said {
                match self.next(&mut wait)? {
                    Heard::Part(part) => self.play.hear(dealerless_table::Event::Said(part))?,
                    Heard::Engine(done) => self.play.hear(dealerless_table::Event::Done(done))?,
                    Heard::Ended(error) => return Err(PlayError::Line(lost(error)).into()),
                    Heard::Line(line) => self.obey(line)?,
                    Heard::Notice(text) => self.player.tell(&Event::Notice { text })?,
                }
            }
        }
    }

    /// Tells the player all news. Says how the match ended, if it has, and whether the player has
    /// answered at once.
    fn tell(&mut self) -> anyhow::Result<(Option<End>, bool)> {
        let mut said = false;
        while let Some(news) = self.play.news() {
            for event in self.story.tell(&news, &self.play) {
                self.player.tell(&event)?;
                if let Some(answer) = self.player.answer(&event) {
                    self.play.command(answer.command())?;
                    said = true;
                }
            }
            if let News::Over(end) = news {
                return Ok((Some(end), false));
            }
        }
        Ok((None, said))
    }

    /// Waits for what comes next, and says now and then for whom.
    fn next(&mut self, wait: &mut Wait) -> anyhow::Result<Heard> {
        let log = self.play.log();
        if wait.step != log.step() {
            *wait = Wait {
                step: log.step(),
                since: Instant::now(),
                told: Duration::ZERO,
            };
        }
        let disconnected = |_| io::Error::other("all threads of the match have ended");
        loop {
            let Some((seats, what)) = awaited(self.play.log(), self.play.seat()) else {
                return Ok(self.ears.heard.recv().map_err(disconnected)?);
            };
            let due = self.player.tells_waiting_after(wait.told);
            let left = due.saturating_sub(wait.since.elapsed());
            match self.ears.heard.recv_timeout(left) {
                Ok(heard) => return Ok(heard),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("all threads of the match have ended").into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            wait.told = due;
            let seconds = due.as_secs();
            self.player.tell(&Event::Waiting {
                seats,
                what,
                seconds,
            })?;
        }
    }

    /// Does what the player says. What cannot be done is said, and changes nothing.
    fn obey(&mut self, line: Line) -> anyhow::Result<()> {
        let refused = match self.player.read(line) {
            Ok(Wish::Nothing) => return Ok(()),
            Ok(Wish::Say(said, turn)) => {
                match turn.filter(|turn| *turn != self.play.log().step()) {
                    Some(turn) => Some((Refusal::NotYourTurn, format!("turn {turn} is not now"))),
                    None => self.command(said.command()).err(),
                }
            }
            Err(complaint) => Some(complaint),
        };
        match refused {
            Some((code, message)) => self.player.tell(&Event::refused(code, message)),
            None => Ok(()),
        }
    }

    fn command(&mut self, command: Command) -> Result<(), Complaint> {
        let leaves = command == Command::Leave;
        self.play.command(command).map_err(|refused| {
            let code = match refused {
                NotNow::NotYourTurn => Refusal::NotYourTurn,
                NotNow::NobodyAsked => Refusal::NobodyAsked,
                NotNow::OnlyOpens => Refusal::OnlyOpens,
                _ => Refusal::NotAllowed,
            };
            (code, refused.to_string())
        })?;
        if leaves {
            self.player.leaves();
        }
        Ok(())
    }

    /// The line is lost. What the other said before may have ended the match: that comes in its own
    /// order, and the engine may have noticed first.
    fn last_words(&mut self, error: anyhow::Error) -> anyhow::Result<End> {
        let deadline = Instant::now() + LAST_WORDS;
        loop {
            if matches!(self.play.log().phase(), Phase::Over(_)) {
                // Nothing is said any more, but what was heard is written.
                self.play
                    .go_on(&mut Mouth(&*self.connection), &mut self.engine)?;
            }
            if let (Some(end), _) = self.tell()? {
                return Ok(end);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.ears.heard.recv_timeout(left) {
                Ok(Heard::Part(part)) => self.play.hear(dealerless_table::Event::Said(part))?,
                Ok(Heard::Ended(_)) | Err(_) => return Err(error),
                Ok(_) => {}
            }
        }
    }
}

/// Whether the line is gone, or the other has ended the engine's session.
fn is_loss(error: &anyhow::Error) -> bool {
    let blame = error.downcast_ref().map(PlayError::blame);
    matches!(blame, Some(Blame::Connection | Blame::Peer))
}
