//! One seat of a match, played until the match ends or its player breaks it off. Events of the
//! table go to the player, and commands of the player go to the table.

use std::io;
use std::time::{Duration, Instant};

use dealerless::mpc::Attempts;
use dealerless_events::event::{Awaited, Event};
use dealerless_events::leaving::leaves;
use dealerless_events::peers::{MOST_VOID, question_of_tries};
use dealerless_events::seated::Time;
use dealerless_events::story::{Story, awaited};
use dealerless_events::words::with_sources;
use dealerless_table::Seat;
use dealerless_table::connection::Connection;
use dealerless_table::identity::{Name, PeersError, PublicIdentity};
use dealerless_table::log::{End, LogEvent, Phase, Sitting};
use dealerless_table::play::{Command, Control, News, PlayError, Table, TableEvent};
use dealerless_table::storage::{Storage, Vault};

use super::banks::Banks;
use super::dial::{Dialer, HOST_PAUSE, pause};
use super::guests::OtherGuests;
use super::leaving;
use super::own::Own;
use super::player::Player;
use super::posts::Post;
use super::screen::STREET;
use super::session::Sessions;
use super::standing;

/// How long a person may look at a showdown before the next hand is dealt.
const SHOWDOWN: Duration = Duration::from_millis(2500);
/// The timeout when nothing is due.
const LONG: Duration = Duration::from_secs(3600);

/// The reason why a seat has stopped.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The match is over.
    Over(End),
    /// The player has closed the match on this side.
    Closed,
    /// The player has left the match, and the others play on.
    Left,
    /// The player has ended the program.
    BrokenOff,
    /// The host does not resume this match, for the reason in the message.
    Declined(Control),
}

/// Another player of the match.
pub(crate) struct Other {
    pub(crate) seat: Seat,
    pub(crate) identity: PublicIdentity,
    pub(crate) name: Name,
}

impl Other {
    /// All players of a match but the one whose file this is.
    pub(crate) fn all_of(sitting: &Sitting) -> Vec<Self> {
        let seats = Seat::all(sitting.match_info.seats());
        let players = seats.zip(sitting.match_info.players()).zip(&sitting.names);
        let others = players.filter(|((seat, _), _)| *seat != sitting.seat);
        others
            .map(|((seat, player), name)| Other {
                seat,
                identity: player.identity.clone(),
                name: name.clone(),
            })
            .collect()
    }
}

/// A seat, with its table, its player and the other players.
pub(crate) struct SeatRunner<'a, S, V> {
    pub(crate) own: &'a Own,
    pub(crate) table: Table<S, V, Post>,
    /// The other players, in order of their seats. With a sealed deck there is only one.
    pub(crate) others: Vec<Other>,
    pub(crate) story: Story,
    pub(crate) player: Player,
    /// The dialer of a guest. A host waits at its door instead.
    pub(crate) dialer: Option<Dialer>,
    /// The connections of a guest to the other guests.
    pub(crate) guests: Option<OtherGuests>,
    pub(crate) sessions: Sessions,
    pub(crate) banks: Option<Banks>,
    pub(crate) wait: Wait,
    /// The streets dealt to the board since the last choice of a seat.
    pub(crate) run_out: u32,
}

/// The current wait for a seat or for the connection.
pub(crate) struct Wait {
    /// The step of the log, and whether the play is synced with the peer.
    what: Option<(u64, bool)>,
    since: Instant,
    /// The length of the wait at its last report.
    reported: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Wait {
            what: None,
            since: Instant::now(),
            reported: Duration::ZERO,
        }
    }
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
                None => self.report_waiting()?,
                Some(TableEvent::News(news)) => self.news(&news)?,
                Some(TableEvent::ConnectionLost(peer, error)) => {
                    self.connection_lost(peer, &error)?
                }
                Some(TableEvent::Control(
                    control @ (Control::Open(_)
                    | Control::Unknown(_)
                    | Control::Declined
                    | Control::WentOn(..)),
                )) if self.dialer.is_some() => {
                    if self.plays_without_host() {
                        self.table.lose_connection(Seat::HOST);
                        let error = PlayError::Connection(io::ErrorKind::ConnectionAborted.into());
                        self.connection_lost(Seat::HOST, &error)?
                    } else {
                        Some(Stopped::Declined(control))
                    }
                }
                // A host ignores further control messages on the connection on which it plays.
                Some(TableEvent::Control(_)) => None,
                Some(TableEvent::Accepted(command)) => self.accepted(&command)?,
                Some(TableEvent::Posted(post)) => self.posted(post)?,
            };
            if let Some(stopped) = stopped {
                return Ok(stopped);
            }
        }
    }

    fn news(&mut self, news: &News) -> anyhow::Result<Option<Stopped>> {
        if *news == News::Resumed {
            // The connection may be lost again by now.
            if !self.table.play().is_synced() {
                return Ok(None);
            }
            // A guest that resumes with other guests still looks for its host.
            if self.table.is_connected() {
                self.dialer.iter_mut().for_each(Dialer::connected);
            }
        }
        if let News::Voided { tries } = news {
            self.voided(*tries)?;
        }
        for mut event in self.story.tell(news, self.table.play()) {
            match &mut event {
                Event::Chose { .. } => self.run_out = 0,
                Event::Board { .. } => self.run_out += 1,
                Event::YourTurn(turn) => turn.time = self.time_left(self.table.play().seat()),
                Event::TheirTurn(turn) => turn.time = self.time_left(Seat::new(turn.seat)),
                _ => {}
            }
            self.player.tell(&event)?;
            if let Some(answer) = self.player.answer(&event)
                && let Some(command) = answer.command()
            {
                self.table.command(command)?;
            }
        }
        if self.player.pauses()
            && let News::Log(LogEvent::HandOver { outcome, .. }) = news
            && !outcome.shown.is_empty()
            && self.table.play().log().phase() == Phase::Deal
        {
            self.shown_down()?;
        }
        match news {
            News::Log(LogEvent::Removed { seats }) => self.stop_looking_for(seats),
            News::Log(LogEvent::Stopped { seat, .. }) if self.is_gone(*seat) => {
                self.stop_looking_for(&[*seat]);
            }
            _ => {}
        }
        let play = self.table.play();
        let has_left = play.log().match_info().has_roll_calls() && self.is_gone(play.seat());
        Ok(match news {
            News::Over(end) => Some(Stopped::Over(end.clone())),
            // The others play on.
            News::Log(LogEvent::Stopped { seat, .. }) if has_left && *seat == play.seat() => {
                Some(Stopped::Left)
            }
            _ => None,
        })
    }

    /// Handles the news that the peer has declared `tries` tries of this hand void. The next try
    /// begins after a pause, which doubles each time. From [`MOST_VOID`] void tries on,
    /// the next try begins only when the player agrees.
    fn voided(&mut self, tries: u32) -> anyhow::Result<()> {
        if tries < MOST_VOID {
            let at = Instant::now() + pause(tries - 1, HOST_PAUSE);
            self.sessions.after_pause = Some((at, Command::DealAgain));
            return Ok(());
        }
        let (peer, name) = self.whom();
        let question = question_of_tries(&self.own.peers.lock(), peer, name, tries);
        standing::refuse_for_bots(&self.player, &question)?;
        self.player.tell(&question)
    }

    /// Pauses after a showdown before the next hand is dealt, so that a person can look at the
    /// cards. The pause includes the time to show each street that came after the last choice.
    fn shown_down(&mut self) -> anyhow::Result<()> {
        let pause = match self.run_out {
            0 => SHOWDOWN,
            streets => SHOWDOWN + STREET * (streets + 1),
        };
        self.sessions.after_pause = Some((Instant::now() + pause, Command::Next));
        self.player.tell(&Event::Pause {
            milliseconds: pause.as_millis() as u64,
        })
    }

    /// The remaining time of a pause before a deal. Deals the hand if no time remains.
    fn until_deal(&mut self) -> Duration {
        let Some((at, _)) = &self.sessions.after_pause else {
            return LONG;
        };
        let left = at.saturating_duration_since(Instant::now());
        if left.is_zero()
            && let Some((_, command)) = self.sessions.after_pause.take()
        {
            // The command fails if the match is over or the player has already dealt the hand.
            let _ = self.table.command(command);
        }
        left
    }

    fn time_left(&self, seat: Seat) -> Option<Time> {
        let left = self.table.time_left(seat)?;
        Some(Time {
            each_move: left.each_move.as_secs(),
            bank: left.bank.as_secs(),
        })
    }

    /// Whether the deck of the match is sealed. Then there is only one other player.
    fn is_sealed(&self) -> bool {
        let header = self.table.play().log().match_info().header();
        header.sealed().is_some()
    }

    /// The other player of a match with a sealed deck, or the first of several.
    fn whom(&self) -> (&PublicIdentity, &Name) {
        (&self.others[0].identity, &self.others[0].name)
    }

    /// The counter of the attempts in the next session of the engine, if there is an engine.
    ///
    /// # Errors
    /// If the peer is unknown.
    pub(crate) fn counted(&mut self) -> Result<Option<Box<dyn Attempts>>, PeersError> {
        if !self.is_sealed() {
            return Ok(None);
        }
        let peer = &self.others[0].identity;
        self.sessions.counted(self.own, peer).map(Some)
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
        let mut others = self.others.iter();
        let Some(other) = others.find(|other| other.identity == connection.met.peer) else {
            return Ok(());
        };
        let peer = other.seat;
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

    /// Whether this side is a guest that is connected to another guest of a match that has begun. Then
    /// a host who declines cannot make this side stop: to the others it would look absent.
    fn plays_without_host(&self) -> bool {
        let mut guests = self.others.iter().filter(|other| other.seat != Seat::HOST);
        let has_begun = self.table.play().log().step() > 0;
        has_begun && guests.any(|guest| self.table.connection(guest.seat).is_some())
    }

    fn connection_lost(
        &mut self,
        peer: Seat,
        error: &PlayError,
    ) -> anyhow::Result<Option<Stopped>> {
        let is_synced = self.table.play().is_synced();
        if self.is_gone(peer) {
            // Nobody waits for this seat.
            return Ok(None);
        }
        if peer != Seat::HOST
            && let Some(guests) = &mut self.guests
        {
            guests.dial(peer);
            // Otherwise the host is gone too, and is dialled already.
            if !is_synced && !self.table.is_connected() {
                self.tell_line_lost(error)?;
            }
            return Ok(None);
        }
        if is_synced {
            // With several seats, the others go on.
            let mut others = self.others.iter();
            if let Some(other) = others.find(|other| other.seat == peer) {
                let text = format!("{} is not connected ({}).", other.name, with_sources(error));
                self.player.tell(&Event::Notice { text })?;
            }
            if let Some(dialer) = &mut self.dialer {
                dialer.dial()?;
            }
            return Ok(None);
        }
        self.tell_line_lost(error)?;
        self.reconnect()?;
        Ok(None)
    }

    fn is_gone(&self, seat: Seat) -> bool {
        self.table.play().log().gone().contains(&seat)
    }

    /// Stops looking for seats that are gone.
    fn stop_looking_for(&mut self, seats: &[Seat]) {
        for seat in seats {
            match (*seat, &mut self.guests) {
                (Seat::HOST, _) => self.dialer.iter_mut().for_each(Dialer::stop),
                (seat, Some(guests)) => guests.stop(seat),
                (_, None) => {}
            }
        }
    }

    fn tell_line_lost(&mut self, error: &PlayError) -> anyhow::Result<()> {
        self.player.tell(&Event::LineLost {
            message: with_sources(error),
        })
    }

    /// Looks for a new connection, unless the player has to be asked first.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub(crate) fn reconnect(&mut self) -> anyhow::Result<()> {
        self.sessions.until_settled();
        let question = match self.is_sealed() {
            true => standing::question(self.own, self.whom())?,
            false => None,
        };
        if let Some(question) = question.filter(|_| !self.sessions.allowed) {
            standing::refuse_for_bots(&self.player, &question)?;
            self.table.hold(true);
            return self.player.tell(&question);
        }
        self.table.hold(false);
        if let Some(dialer) = &mut self.dialer {
            dialer.dial()?;
        }
        Ok(())
    }

    fn posted(&mut self, post: Post) -> anyhow::Result<Option<Stopped>> {
        match post {
            Post::Connection(connection) if !self.is_sealed() => {
                let name = connection.met.peer_name.clone();
                let host = &self.table.play().log().match_info().players()[0].identity;
                let is_of_star = self.guests.is_none() || connection.met.peer == *host;
                self.connected(*connection, false)?;
                if is_of_star && self.table.play().is_synced() {
                    let text = format!("{name} is connected again.");
                    self.player.tell(&Event::Notice { text })?;
                }
            }
            Post::Connection(connection) => {
                // The peer has lost the old connection, which this side may not have noticed.
                self.table.lose_connections();
                self.sessions.until_settled();
                let asks = standing::question(self.own, self.whom())?.is_some();
                // Otherwise the connection is dropped, which closes it. The player was asked when
                // the last connection was lost.
                if !asks || std::mem::take(&mut self.sessions.allowed) {
                    self.connected(*connection, false)?;
                }
            }
            Post::Tell(event) => self.player.tell(&event)?,
            Post::AskLeave => self.ask_leave()?,
            // A closed input or terminal is not a decision to leave for good.
            Post::InputEnded | Post::BreakOff => return Ok(Some(Stopped::BrokenOff)),
        }
        Ok(None)
    }

    /// Does what the seat has to do after the table accepted a command, and reports the effect to
    /// the player.
    fn accepted(&mut self, command: &Command) -> anyhow::Result<Option<Stopped>> {
        match command {
            Command::Close => return Ok(Some(Stopped::Closed)),
            Command::Stay => self.player.tell(&Event::Stays {})?,
            Command::Again if !self.table.is_connected() => {
                self.sessions.allowed = true;
                self.reconnect()?;
            }
            Command::Again => {}
            Command::Leave { .. } => {
                let (play, seat) = (self.table.play(), self.table.play().seat());
                let now = play.is_synced() && play.leaves_now();
                (self.player).tell(&leaves(play.log(), seat, now))?;
                self.tell_if_disconnected()?;
            }
            _ => self.tell_if_disconnected()?,
        }
        Ok(None)
    }

    /// Notifies a player whose command cannot be sent yet.
    fn tell_if_disconnected(&mut self) -> anyhow::Result<()> {
        if self.table.play().is_synced() {
            return Ok(());
        }
        let text = "There is no connection now. Your input is sent when the connection is back.";
        self.player.tell(&Event::Notice { text: text.into() })
    }

    /// Tells a person who wants to leave what leaving costs, and asks for confirmation.
    fn ask_leave(&mut self) -> anyhow::Result<()> {
        let may_close = self.table.may_close().is_some();
        let play = self.table.play();
        let text = leaving::question(play.log(), play.seat(), self.story.names(), may_close);
        self.player.tell(&Event::Notice { text })
    }

    /// The time until the next report of the current wait.
    fn due(&mut self) -> Duration {
        let log = self.table.play().log();
        let now = Some((log.step(), self.table.play().is_synced()));
        if self.wait.what != now {
            self.wait = Wait {
                what: now,
                ..Wait::default()
            };
        }
        match self.awaited() {
            None if self.player.shows_time() => Duration::from_secs(1),
            None => LONG,
            Some(_) => {
                let due = self.player.next_waiting_report(self.wait.reported);
                due.saturating_sub(self.wait.since.elapsed())
            }
        }
    }

    fn awaited(&self) -> Option<(Vec<u8>, Awaited)> {
        let play = self.table.play();
        if play.is_synced() {
            return awaited(play.log(), play.seat());
        }
        let seats = Seat::all(play.log().match_info().seats());
        let others = seats.filter(|seat| *seat != play.seat() && !self.is_gone(*seat));
        Some((others.map(Seat::number).collect(), Awaited::Line))
    }

    fn report_waiting(&mut self) -> anyhow::Result<Option<Stopped>> {
        let due = self.player.next_waiting_report(self.wait.reported);
        let Some((seats, what)) = self.awaited() else {
            let left = self.time_left(self.table.play().seat());
            self.player.show_time(left)?;
            return Ok(None);
        };
        if self.wait.since.elapsed() < due {
            return Ok(None);
        }
        self.wait.reported = due;
        let seconds = due.as_secs();
        self.player.tell(&Event::Waiting {
            seats,
            what,
            seconds,
        })?;
        Ok(None)
    }
}
