//! One seat of a match, played until the match ends or its player breaks it off. Events of the
//! table go to the player, and commands of the player go to the table.

use std::io;
use std::time::{Duration, Instant};

use dealerless::mpc::Attempts;
use dealerless::net::system_time;
use dealerless_connection::Connection;
use dealerless_connection::identity::PeersError;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_seat::event::Event;
use dealerless_seat::open_match::declined_by_host;
use dealerless_seat::seat::{
    Accepted, ConnectionLost, SeatStory, Stopped, connected_again, gone_after, is_own_turn,
    is_sealed, stopped_after,
};
use dealerless_table::Seat;
use dealerless_table::log::MatchLog;
use dealerless_table::play::{Command, Control, News, PlayError, Table, TableEvent};

use super::banks::Banks;
use super::dial::Dialer;
use super::guests::OtherGuests;
use super::own::Own;
use super::player::Player;
use super::posts::Post;
use super::session::Sessions;
use super::standing;

/// The timeout when nothing is due.
const LONG: Duration = Duration::from_secs(3600);
/// After `join`, the time limit within which a guest follows a host that does not resume the match.
const JUST: Duration = Duration::from_secs(10);

/// A seat, with its table and its player.
pub(crate) struct SeatRunner<'a, S, V> {
    pub(crate) own: &'a Own,
    pub(crate) table: Table<S, V, Post>,
    pub(crate) story: SeatStory,
    pub(crate) player: Player,
    /// The dialer of a guest. A host waits at its door instead.
    pub(crate) dialer: Option<Dialer>,
    /// The connections of a guest to the other guests.
    pub(crate) guests: Option<OtherGuests>,
    pub(crate) sessions: Sessions,
    pub(crate) banks: Option<Banks>,
    /// A guest that has come to ask the host: until when it follows the host's answer, although other
    /// guests may be connected. `None` once it may sign, or has lost the connection.
    pub(crate) asks_until: Option<Instant>,
    /// A guest: whether the player knows that the host does not resume the match.
    pub(crate) told_declined: bool,
}

impl<S: Storage, V: Vault> SeatRunner<'_, S, V> {
    /// Plays until the match stops here.
    ///
    /// # Errors
    /// The reason why the match cannot continue.
    pub(crate) fn play(&mut self) -> anyhow::Result<Stopped> {
        loop {
            let within = self.due().min(self.until_deal());
            let within = self.player.due().map_or(within, |due| due.min(within));
            let happened = self.table.next(within)?;
            self.player.show_due()?;
            if let Some(banks) = &mut self.banks {
                // If this fails, a restart restores an earlier state of the banks.
                let _ = banks.keep(&self.table);
            }
            let stopped = match happened {
                None => {
                    self.report_waiting()?;
                    None
                }
                Some(TableEvent::News(news)) => self.news(&news)?,
                Some(TableEvent::ConnectionLost(peer, error)) => {
                    self.connection_lost(peer, &error)?;
                    None
                }
                Some(TableEvent::Control(control)) => {
                    if let Some(event) = self.story.says(&control) {
                        self.player.tell(&event)?;
                    }
                    match self.dialer {
                        Some(_) => self.answered(control)?,
                        // A host ignores further control messages on the connection on which it plays.
                        None => None,
                    }
                }
                Some(TableEvent::Accepted(command)) => self.accepted(&command)?,
                Some(TableEvent::Posted(post)) => self.posted(post)?,
            };
            if let Some(stopped) = stopped {
                return Ok(stopped);
            }
        }
    }

    /// Handles a message of the host to a guest. To the other guests, a guest that stops would look
    /// absent, unless it has come to ask the host less than [`JUST`] ago and has signed nothing since.
    fn answered(&mut self, control: Control) -> anyhow::Result<Option<Stopped>> {
        let stopped = Stopped::by_host(control);
        if stopped.is_some() && self.plays_without_host() {
            if !std::mem::replace(&mut self.told_declined, true) {
                let text = declined_by_host(&self.log().match_info().id());
                self.player.tell(&Event::Notice { text })?;
            }
            self.table.lose_connection(Seat::HOST);
            let error = PlayError::Connection(io::ErrorKind::ConnectionAborted.into());
            return self.connection_lost(Seat::HOST, &error).map(|()| None);
        }
        Ok(stopped)
    }

    fn news(&mut self, news: &News) -> anyhow::Result<Option<Stopped>> {
        // A guest that resumes with other guests still looks for its host. The connection may be lost
        // again by now.
        if *news == News::Resumed {
            // From here on, this side signs.
            self.asks_until = None;
            if self.table.play().is_synced() && self.table.is_connected() {
                self.told_declined = false;
                self.dialer.iter_mut().for_each(Dialer::connected);
            }
        }
        let (now, rng) = (system_time(), &mut rand::rng());
        for event in self.story.news(news, &self.table, now, rng) {
            standing::refuse_for_bots(&self.player, &event)?;
            self.player.tell(&event)?;
            if let Some(answer) = self.player.answer(&event)
                && let Some(command) = answer.command()
            {
                self.table.command(command)?;
            }
        }
        let gone = gone_after(news, self.log());
        self.stop_looking_for(&gone);
        Ok(stopped_after(news, self.log(), self.table.play().seat()))
    }

    /// The remaining time of a pause before a deal. Deals the hand if no time remains.
    fn until_deal(&mut self) -> Duration {
        let now = system_time();
        let left = self.story.until_deal(now).unwrap_or(LONG);
        if let Some(command) = self.story.deals(now) {
            // The command fails if the match is over or the player has already dealt the hand.
            let _ = self.table.command(command);
        }
        left
    }

    fn log(&self) -> &MatchLog {
        self.table.play().log()
    }

    /// The counter of the attempts in the next session of the engine, if there is an engine.
    ///
    /// # Errors
    /// If the peer is unknown.
    pub(crate) fn counted(&mut self) -> Result<Option<Box<dyn Attempts>>, PeersError> {
        let other = self.story.others().first();
        match other.filter(|_| is_sealed(self.log())) {
            Some(other) => self.sessions.counted(self.own, &other.identity).map(Some),
            None => Ok(None),
        }
    }

    /// Starts or resumes the match on a connection. A connection of somebody who does not play is
    /// dropped, and one of two connections to another guest.
    ///
    /// # Errors
    /// If the peer is unknown, or the file of the match cannot be written.
    pub(crate) fn connected(
        &mut self,
        connection: Connection,
        is_first: bool,
    ) -> anyhow::Result<()> {
        let Some(peer) = self.story.seat_of(&connection.met.peer) else {
            return Ok(());
        };
        if peer != Seat::HOST
            && let Some(guests) = &mut self.guests
        {
            let old = self.table.connection(peer);
            if !guests.accepts(peer, &connection, old) {
                return Ok(());
            }
        }
        let attempts = self.counted()?;
        match is_first {
            true => self.table.begin(peer, connection, attempts),
            false => self.table.resume(peer, connection, attempts)?,
        }
        Ok(())
    }

    /// Whether this side is a guest that is connected to another guest of a match that has begun, and has
    /// not just come to ask the host. Then a host who declines cannot make this side stop: to the others
    /// it would look absent.
    fn plays_without_host(&self) -> bool {
        let others = self.story.others().iter();
        let mut guests = others.filter(|other| other.seat != Seat::HOST);
        let has_begun = self.log().step() > 0;
        let is_host_gone = self.log().gone().contains(&Seat::HOST);
        let has_just_come = self.asks_until.is_some_and(|until| Instant::now() < until);
        has_begun
            && (is_host_gone || !has_just_come)
            && guests.any(|guest| self.table.connection(guest.seat).is_some())
    }

    /// Starts or resumes the match on the connection on which this side has just asked its host.
    ///
    /// # Errors
    /// The errors of [`connected`](Self::connected).
    pub(crate) fn has_asked(&mut self, connection: Connection) -> anyhow::Result<()> {
        self.asks_until = Some(Instant::now() + JUST);
        self.connected(connection, false)
    }

    fn connection_lost(&mut self, peer: Seat, error: &PlayError) -> anyhow::Result<()> {
        let lost = self.story.connection_lost(peer, error, self.table.play());
        if peer != Seat::HOST
            && let Some(guests) = &mut self.guests
        {
            match lost {
                ConnectionLost::Ignored => {}
                // Otherwise the host is gone too, and is dialled already.
                ConnectionLost::Waits(event) if !self.table.is_connected() => {
                    guests.dial(peer);
                    self.player.tell(&event)?;
                }
                _ => guests.dial(peer),
            }
            return Ok(());
        }
        self.asks_until = None;
        match lost {
            // A host that was removed cannot dial its guests: they tell it when it comes back.
            ConnectionLost::Ignored => self.dial(),
            ConnectionLost::GoesOn(event) => {
                self.player.tell(&event)?;
                self.dial()
            }
            ConnectionLost::Waits(event) => {
                self.player.tell(&event)?;
                self.reconnect()
            }
        }
    }

    fn dial(&mut self) -> anyhow::Result<()> {
        if let Some(dialer) = &mut self.dialer {
            dialer.dial()?;
        }
        Ok(())
    }

    /// Stops looking for seats that are gone.
    fn stop_looking_for(&mut self, seats: &[Seat]) {
        for seat in seats {
            match (*seat, &mut self.guests) {
                (Seat::HOST, _) => self.dialer.iter_mut().for_each(Dialer::left),
                (seat, Some(guests)) => guests.stop(seat),
                (_, None) => {}
            }
        }
    }

    /// Looks for a new connection, unless the player has to be asked first.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub(crate) fn reconnect(&mut self) -> anyhow::Result<()> {
        self.sessions.until_settled();
        let question = self.story.question(self.log())?;
        self.table.hold(question.is_some());
        let Some(question) = question else {
            return self.dial();
        };
        standing::refuse_for_bots(&self.player, &question)?;
        self.player.tell(&question)
    }

    fn posted(&mut self, post: Post) -> anyhow::Result<Option<Stopped>> {
        match post {
            Post::Connection(connection) if !is_sealed(self.log()) => {
                let name = connection.met.peer_name.clone();
                let peer = self.story.seat_of(&connection.met.peer);
                let host = &self.log().match_info().players()[0].identity;
                let is_of_star = self.guests.is_none() || connection.met.peer == *host;
                self.connected(*connection, false)?;
                let is_gone = |seat| self.log().gone().contains(&seat);
                let is_gone = peer.is_some_and(is_gone);
                if is_of_star && !is_gone && self.table.play().is_synced() {
                    self.player.tell(&connected_again(&name))?;
                }
            }
            Post::Connection(connection) => {
                // The peer has lost the old connection, which this side may not have noticed.
                self.table.lose_connections();
                self.sessions.until_settled();
                // Otherwise the connection is dropped, which closes it.
                if self.story.may_connect(self.table.play().log())? {
                    self.connected(*connection, false)?;
                }
            }
            Post::Tell(event) => self.player.tell(&event)?,
            Post::AskLeave => self.player.tell(&self.story.ask_leave(&self.table))?,
            // A closed input or terminal is not a decision to leave for good.
            Post::InputEnded | Post::BreakOff => return Ok(Some(Stopped::BrokenOff)),
        }
        Ok(None)
    }

    /// Does what the seat has to do after the table accepted a command, and reports the effect to
    /// the player.
    fn accepted(&mut self, command: &Command) -> anyhow::Result<Option<Stopped>> {
        match self.story.accepted(command, &self.table) {
            Accepted::Closes => return Ok(Some(Stopped::Closed)),
            Accepted::Reconnects => self.reconnect()?,
            Accepted::Tells(events) => {
                for event in events {
                    self.player.tell(&event)?;
                }
            }
        }
        Ok(None)
    }

    /// The time until the next report of the current wait.
    fn due(&mut self) -> Duration {
        let due = self.story.until_report(self.table.play(), system_time());
        match due {
            None if self.player.shows_time() => Duration::from_secs(1),
            None => LONG,
            Some(due) => due,
        }
    }

    fn report_waiting(&mut self) -> anyhow::Result<()> {
        let play = self.table.play();
        if is_own_turn(play) {
            let left = self.table.time_left(play.seat());
            return self.player.show_time(left.map(Into::into));
        }
        match self.story.report(&self.table, system_time()) {
            Some(event) => self.player.tell(&event),
            None => Ok(()),
        }
    }
}
