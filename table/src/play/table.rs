//! A seat of a match over lines that come and go: what arrives there, what the engine has done and
//! what the player says come together in one place, in the order in which they happen.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dealerless::Blame;
use dealerless::mpc::Attempts;
use dealerless::net::Deadlines;

use super::attached::{Attached, Heard, Nowhere};
use super::clock::TimeLeft;
use super::clocks::{Clocks, Out, PeerIs, View};
use super::control::Control;
use super::error::PlayError;
use super::news::{Command, News, NotNow};
use super::seat_play::{Play, Setting};
use super::vault::Vault;
use crate::connection::Connection;
use crate::log::{Claim, Claimed, Phase, Storage};
use crate::random::SystemRng;
use crate::seat::Seat;

/// After the engine has lost the line, what else came over it is heard so soon.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// What the peer is given to tell what it has of the match, on a line that lives.
const TELLING: Duration = Duration::from_secs(60);

/// A match, at one of its seats. Between two lines it goes on listening to its player.
pub struct Table<S, V, X> {
    play: Play<S, V, SystemRng>,
    deadlines: Deadlines,
    attached: Option<Attached>,
    /// How many lines there were: what comes from an older one is not heard any more.
    lines: u64,
    /// When the last one came.
    since: Instant,
    mailbox: Mailbox<X>,
    heard: Receiver<(u64, Heard<X>)>,
    /// What came from the player and from the mailbox while the last words of a line were heard.
    later: VecDeque<Heard<X>>,
    /// What the other said of the match as a whole among its last words.
    controls: VecDeque<Control>,
    /// The line has told that it has ended: nothing comes from it any more.
    silent: bool,
    clocks: Clocks,
    /// Whether this side itself does not look for a line now. Nobody else is away then. The next line
    /// ends it.
    pub on_hold: bool,
}

/// What a [`Table`] has to tell.
#[derive(Debug)]
pub enum TableEvent<X> {
    /// Something that the player is to know.
    News(News),
    /// The line is lost. The match goes on on the [next](Table::meet_again) one.
    ConnectionLost(PlayError),
    /// The other has said something of the match as a whole.
    Control(Control),
    /// The table has accepted a [command](Mailbox::command) of the player.
    Accepted(Command),
    /// Something that was [posted](Mailbox::post).
    Posted(X),
}

/// Wakes the table with an item, from any thread.
pub struct Mailbox<X>(Sender<(u64, Heard<X>)>);

impl<X> Clone for Mailbox<X> {
    fn clone(&self) -> Self {
        Mailbox(self.0.clone())
    }
}

impl<X> Mailbox<X> {
    /// Sends a command of the player, for this turn if one is named. It comes back as
    /// [`TableEvent::Accepted`] or as [`News::NotNow`]. Returns whether the table is there.
    pub fn command(&self, command: Command, turn: Option<u64>) -> bool {
        self.0.send((0, Heard::Command(command, turn))).is_ok()
    }

    /// Posts something that comes back as [`TableEvent::Posted`]. Says whether the table is there.
    pub fn post(&self, item: X) -> bool {
        self.0.send((0, Heard::Posted(item))).is_ok()
    }
}

impl<S: Storage, V: Vault, X: Send + 'static> Table<S, V, X> {
    /// A seat without a line, of a match that begins or that is taken up again.
    ///
    /// # Errors
    /// [`PlayError::Vault`] if the deck cannot be read; [`PlayError::Deck`] if it is damaged.
    pub fn new(setting: Setting<S, V, SystemRng>, deadlines: Deadlines) -> Result<Self, PlayError> {
        let (sender, heard) = mpsc::channel();
        let header = setting.log.match_info().header();
        let clocks = Clocks::new(header.clock, setting.log.match_info().seats());
        Ok(Table {
            play: Play::new(setting)?,
            clocks,
            on_hold: false,
            deadlines,
            attached: None,
            lines: 0,
            since: Instant::now(),
            mailbox: Mailbox(sender),
            heard,
            later: VecDeque::new(),
            controls: VecDeque::new(),
            silent: false,
        })
    }

    /// The match begins on this line. The engine's session is bound to it.
    pub fn begin(&mut self, connection: Connection, attempts: Box<dyn Attempts>) {
        self.attach(connection, attempts);
        self.play.begin();
    }

    /// The match goes on on this line, in place of the last one.
    ///
    /// # Errors
    /// If what was heard before cannot be written.
    pub fn resume(
        &mut self,
        connection: Connection,
        attempts: Box<dyn Attempts>,
    ) -> Result<(), PlayError> {
        self.attach(connection, attempts);
        self.play.resume()
    }

    fn attach(&mut self, connection: Connection, attempts: Box<dyn Attempts>) {
        self.lose_connection();
        self.lines += 1;
        self.since = Instant::now();
        self.silent = false;
        self.on_hold = false;
        let ears = (self.lines, self.mailbox.0.clone());
        self.attached = Some(Attached::new(connection, attempts, ears));
    }

    /// Drops the line, if there is one, and with it the engine.
    pub fn lose_connection(&mut self) {
        self.attached = None;
        self.play.lose_connection();
    }

    /// Writes what was heard since this side last spoke, so that the file of a match that is broken off
    /// says who is to speak.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_received(&mut self) -> Result<(), PlayError> {
        self.play.write()
    }

    /// Carries out a command of the player. [`Close`](Command::Close) is only checked.
    ///
    /// # Errors
    /// [`NotNow`]; nothing has changed then.
    pub fn command(&mut self, command: Command) -> Result<(), NotNow> {
        match command {
            Command::Leave { anyhow: false } if self.may_close().is_some() => Err(NotNow::MayClose),
            Command::Close if self.may_close().is_none() => Err(NotNow::NobodyLate),
            Command::Close => Ok(()),
            // Whoever has the table connects it.
            Command::Again if self.connection().is_none() => Ok(()),
            Command::Again => {
                let again = self.play.command(Command::DealAgain);
                again.map_err(|_| NotNow::Connected)
            }
            command => self.play.command(command),
        }
    }

    /// Carries out a command from the mailbox.
    fn obey(&mut self, command: Command, turn: Option<u64>) -> Result<TableEvent<X>, PlayError> {
        let obeyed = match turn.filter(|turn| *turn != self.play.log().step()) {
            Some(turn) => Err(NotNow::OtherTurn(turn)),
            None => self.command(command.clone()),
        };
        if let Err(refused) = obeyed {
            return Ok(TableEvent::News(News::NotNow(refused)));
        }
        if command == Command::Close {
            self.close_here()?;
        }
        Ok(TableEvent::Accepted(command))
    }

    /// Where the player's commands go.
    pub fn mailbox(&self) -> Mailbox<X> {
        self.mailbox.clone()
    }

    /// The seat, with its log and the cards that it has seen.
    pub fn play(&self) -> &Play<S, V, SystemRng> {
        &self.play
    }

    /// The line, if there is one.
    pub fn connection(&self) -> Option<&Connection> {
        self.attached.as_ref().map(|attached| &*attached.connection)
    }

    /// Plays on until there is something to tell, or for so long. After [`News::Over`] the match
    /// tells nothing more; but on a line that comes later it tells the other side how it ended.
    ///
    /// # Errors
    /// [`PlayError`]; the seat cannot go on then.
    pub fn next(&mut self, within: Duration) -> Result<Option<TableEvent<X>>, PlayError> {
        let deadline = Instant::now() + within;
        loop {
            if let Err(error) = self.go_on() {
                return self.loses_connection_by(error).map(Some);
            }
            if self.look_at_clocks(Instant::now())? {
                continue;
            }
            if let Some(news) = self.play.news() {
                return Ok(Some(TableEvent::News(news)));
            }
            if self.attached.is_some() && !self.play.is_synced() && self.since.elapsed() > TELLING {
                self.lose_connection();
                let error = io::ErrorKind::TimedOut.into();
                return Ok(Some(TableEvent::ConnectionLost(PlayError::Connection(
                    error,
                ))));
            }
            if let Some(control) = self.controls.pop_front() {
                return Ok(Some(TableEvent::Control(control)));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let quiet = self.clocks.quiet_for(self.play.seat());
            let heard = match self.later.pop_front() {
                Some(heard) => Ok((0, heard)),
                None => self.heard.recv_timeout(left.min(quiet)),
            };
            match heard {
                Ok((0, Heard::Command(command, turn))) => {
                    return self.obey(command, turn).map(Some);
                }
                Ok((0, Heard::Posted(item))) => return Ok(Some(TableEvent::Posted(item))),
                Ok((connection, Heard::Control(control))) if connection == self.lines => {
                    return Ok(Some(TableEvent::Control(control)));
                }
                Ok((connection, heard)) if connection == self.lines => {
                    if let Err(error) = self.hear(heard) {
                        return self.loses_connection_by(error).map(Some);
                    }
                }
                // Of a line that is gone.
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if quiet < left => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the table holds a sender of its own")
                }
            }
        }
    }

    fn go_on(&mut self) -> Result<(), PlayError> {
        let Some(attached) = &mut self.attached else {
            return self.play.advance(&mut Nowhere, &mut Nowhere);
        };
        // Both sides have the same log then, and start it both or neither.
        if self.play.is_synced() && !matches!(self.play.log().phase(), Phase::Over(_)) {
            let setting = (self.play.seat(), self.play.circuit());
            let ears = (self.lines, self.mailbox.0.clone());
            let started = attached.start_engine(setting, self.deadlines, ears);
            started.map_err(|error| PlayError::Connection(io::Error::other(error)))?;
        }
        let connection = Arc::clone(&attached.connection);
        self.play.advance(&mut &*connection, attached)
    }

    fn hear(&mut self, heard: Heard<X>) -> Result<(), PlayError> {
        let Some(attached) = &self.attached else {
            return Ok(());
        };
        match heard {
            Heard::Event(event) => {
                attached.taken(&event);
                self.play.receive(event)
            }
            Heard::Lost(error) => {
                self.silent = true;
                Err(PlayError::Connection(io::Error::other(error)))
            }
            Heard::Command(..) | Heard::Posted(_) | Heard::Control(_) => Ok(()),
        }
    }

    /// An error that a new line mends costs the line; any other is the end. What the other said
    /// before is heard in both cases: it may have ended the match, and the engine may have noticed
    /// first that the line is gone.
    fn loses_connection_by(&mut self, error: PlayError) -> Result<TableEvent<X>, PlayError> {
        if !matches!(error.blame(), Blame::Connection | Blame::Peer) {
            return Err(error);
        }
        if !self.silent {
            self.hear_last_words()?;
        }
        self.lose_connection();
        self.go_on()?;
        Ok(TableEvent::ConnectionLost(error))
    }

    fn hear_last_words(&mut self) -> Result<(), PlayError> {
        let deadline = Instant::now() + LAST_WORDS;
        while !matches!(self.play.log().phase(), Phase::Over(_)) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left) {
                Ok((0, heard)) => self.later.push_back(heard),
                Ok((connection, Heard::Lost(_))) if connection == self.lines => break,
                Ok((connection, Heard::Control(control))) if connection == self.lines => {
                    self.controls.push_back(control);
                }
                Ok((connection, heard)) if connection == self.lines => self.hear(heard)?,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Says the last words and closes the line. Says whether the other has taken them; if not, it
    /// may be met again for them.
    pub fn close(&mut self) -> bool {
        let attached = self.attached.take();
        self.play.lose_connection();
        attached.is_some_and(Attached::close)
    }

    /// What is left of a seat's time, as this side counts it; none if there is no clock.
    pub fn time_left(&self, seat: Seat) -> Option<TimeLeft> {
        self.clocks.left(seat)
    }

    /// The seat for which the match may be [closed](Command::Close): this side waits for it, and its time and a
    /// grace period are out. In a match without a clock it has ten minutes for each step.
    pub fn may_close(&self) -> Option<Seat> {
        self.others().find(|seat| self.clocks.is_out(*seat))
    }

    fn others(&self) -> impl Iterator<Item = Seat> + use<S, V, X> {
        let own = self.play.seat();
        Seat::all(self.play.log().match_info().seats()).filter(move |seat| *seat != own)
    }

    /// Deals no hand after a showdown before [`Command::Next`], so that a person can see it.
    pub fn pause_after_showdowns(&mut self) {
        self.play.pause_after_showdowns();
    }

    /// Takes up the banks of all seats as they were when a program ended, in order of the seats.
    pub fn restore_banks(&mut self, banks: &[Duration]) {
        self.clocks.restore(banks);
    }

    /// Closes the match here: a claim in its file says that this side does not mean to go on, and
    /// for whom it waited. Without a clock another says that there was no line, if there is none. They
    /// are no steps of the match.
    ///
    /// # Errors
    /// If it cannot be written.
    fn close_here(&mut self) -> Result<(), PlayError> {
        let waits_for = self.play.log().waits_for();
        if waits_for.is_empty() {
            return Ok(());
        }
        let is_waited_for = |seat: &Seat| waits_for.contains(seat);
        let seat = self.others().find(is_waited_for).or(self.others().next());
        let seat = seat.unwrap_or(self.play.seat());
        if !self.clocks.limited() && self.line_is() == PeerIs::Missing {
            self.claim(seat, Claimed::Away)?;
        }
        let log = self.play.log();
        let has_spoken = log.part(log.step(), seat).is_some();
        let seat = if has_spoken { self.play.seat() } else { seat };
        self.claim(seat, Claimed::Closed)
    }

    fn line_is(&self) -> PeerIs {
        match (self.play.is_synced(), self.on_hold) {
            (true, _) => PeerIs::Up,
            (false, true) => PeerIs::Unwanted,
            (false, false) => PeerIs::Missing,
        }
    }

    /// A claim that the time of a seat is out. In a match without a clock no time was agreed on.
    fn claim_late(&mut self, seat: Seat, what: Claimed) -> Result<(), PlayError> {
        match self.clocks.limited() {
            true => self.claim(seat, what),
            false => Ok(()),
        }
    }

    fn claim(&mut self, seat: Seat, what: Claimed) -> Result<(), PlayError> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        self.play.claim(&Claim {
            step: self.play.log().step(),
            seat,
            time: since.map_or(0, |since| since.as_secs()),
            what,
        })
    }

    /// Says whether something has changed. A seat whose own time is out says what costs it nothing
    /// more, and sits out from the next hand on.
    fn look_at_clocks(&mut self, now: Instant) -> Result<bool, PlayError> {
        let seat = self.play.seat();
        let view = View {
            log: self.play.log(),
            own: seat,
            connection: self.line_is(),
            needs_engine: self.play.needs_engine(),
        };
        let Some(out) = self.clocks.update(&view, now) else {
            return Ok(false);
        };
        let news = match out {
            Out::Own(legal) => {
                let choice = self.play.out_of_time(&legal);
                // The rules allow it.
                let _ = self.play.command(Command::Choose(choice));
                let _ = self.play.command(Command::SitOut(true));
                News::OutOfTime { seat }
            }
            Out::Other(seat) => {
                self.claim_late(seat, Claimed::OutOfTime)?;
                News::OutOfTime { seat }
            }
            Out::Away(seat) => {
                self.claim_late(seat, Claimed::Away)?;
                News::Away { seat }
            }
        };
        self.play.report(news);
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
