//! A seat in play: a table over one connection, which is made again when it is lost.

use std::io;
use std::time::Duration;

use dealerless_events::ending::Breach;
use dealerless_events::event::Event;
use dealerless_events::retry::{HOST_PAUSE, pause};
use dealerless_events::seat::{
    Accepted, ConnectionLost, LAST_CALL, PlayerNeeds, SeatStory, Stopped, stopped_after,
};
use dealerless_events::seated::Seated;
use dealerless_table::connection::{ConnectionError, MeetingError, PolledConnection, Stream};
use dealerless_table::identity::SharedPeers;
use dealerless_table::log::Sitting;
use dealerless_table::play::{
    Command, Control, Done, Event as Happens, Incoming, Moment, News, Outbox, PlayError, Setting,
    TableCore, TableEvent,
};
use dealerless_table::{Seat, SystemRng};

use crate::engine::{self, ToEngine};
use crate::files::{NamedFile, Value};
use crate::line::{Call, Happened, Line, Route};
use crate::own::Own;
use crate::{host, page};

/// Timeout for the peer to receive the last messages on a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest time between two steps.
const HOUR: Duration = Duration::from_secs(3600);

pub(crate) type SeatSetting = Setting<NamedFile, Value, SystemRng>;

/// A seat of a match.
pub(crate) struct SeatInPlay {
    table: TableCore<NamedFile, Value, SystemRng, ()>,
    story: SeatStory,
    peers: SharedPeers,
    peer: Seat,
    of: [u8; 32],
    line: Option<Line>,
    caller: Caller,
    /// Whether the connection was lost, and a new one is to be made when the engine has ended.
    reconnects: bool,
    end: Option<Ending>,
}

/// Calls the host again after the connection was lost.
struct Caller {
    route: Route,
    call: Option<Call>,
    /// The time of the next call.
    next: Option<Duration>,
    /// The number of calls since the match last continued.
    tries: u32,
}

/// A match that has stopped here. The peer may not know it yet.
struct Ending {
    stopped: anyhow::Result<Stopped>,
    /// The time at which this side waits no longer.
    until: Duration,
    /// Whether this side waits for a new connection.
    is_last_call: bool,
}

/// Collects the messages of the log.
struct Queue(Vec<Vec<u8>>);

impl Outbox for Queue {
    fn send(&mut self, _: Seat, message: Vec<u8>) -> io::Result<()> {
        self.0.push(message);
        Ok(())
    }
}

impl SeatInPlay {
    /// A seat without a connection.
    ///
    /// # Errors
    /// If the files of the deck cannot be read.
    pub(crate) fn new(
        own: &Own,
        sitting: &Sitting,
        setting: SeatSetting,
        resumed: bool,
        route: Route,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let of = sitting.match_info.id();
        let seated = Seated::of(sitting, Some(page::log_file(&of)), resumed);
        let needs = PlayerNeeds {
            pauses: true,
            each_second: false,
        };
        let peers = own.peers.clone();
        let story = SeatStory::new(sitting, &seated, &setting.log, peers, needs);
        let mut table = TableCore::new(setting, now)?;
        table.play_mut().pause_after_showdowns();
        page::tell(&Event::Seated(Box::new(seated)));
        Ok(SeatInPlay {
            table,
            story,
            peers: own.peers.clone(),
            peer: sitting.seat.next(2),
            of,
            line: None,
            caller: Caller {
                route,
                call: None,
                next: None,
                tries: 0,
            },
            reconnects: false,
            end: None,
        })
    }

    /// Starts the match on a connection.
    ///
    /// # Errors
    /// If the peer is unknown.
    pub(crate) fn begin(&mut self, line: Line, now: Duration) -> anyhow::Result<()> {
        self.attach(line)?;
        self.table.begin(self.peer, now);
        Ok(())
    }

    /// Resumes the match on a connection.
    ///
    /// # Errors
    /// If the peer is unknown, or the file of the match cannot be written.
    pub(crate) fn resume(&mut self, mut line: Line, now: Duration) -> anyhow::Result<()> {
        let request = Control::Resume(self.of).encode();
        // If the connection has ended, the table learns it from the next message.
        let _ = line.connection.core.send(Stream::Control, &request);
        self.attach(line)?;
        Ok(self.table.resume(self.peer, now)?)
    }

    fn attach(&mut self, line: Line) -> anyhow::Result<()> {
        let attempts = self.peers.counted(&line.connection.met.peer)?;
        engine::attach(line.number(), attempts);
        self.line = Some(line);
        Ok(())
    }

    /// Looks for a connection.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub(crate) fn reconnect(&mut self, now: Duration) -> anyhow::Result<()> {
        let question = self.story.question(self.table.play().log())?;
        self.table.on_hold = question.is_some();
        match question {
            Some(question) => page::tell(&question),
            None => self.call_later(now),
        }
        Ok(())
    }

    fn call_later(&mut self, now: Duration) {
        let pause = pause(self.caller.tries, HOST_PAUSE, &mut rand::rng());
        // The first call is made at once.
        let pause = if self.caller.tries == 0 { Duration::ZERO } else { pause };
        self.caller.tries = self.caller.tries.saturating_add(1);
        self.caller.next = Some(now + pause);
    }

    /// A command of the player.
    pub(crate) fn command(&mut self, command: Command, turn: Option<u64>) {
        self.table.receive(None, Incoming::Command(command, turn));
    }

    /// The connection with this socket.
    pub(crate) fn line(&mut self, socket: u32) -> Option<&mut Line> {
        self.line.as_mut().filter(|line| line.has(socket))
    }

    /// Something has happened to a socket.
    ///
    /// # Errors
    /// If the match cannot continue.
    pub(crate) fn happened(
        &mut self,
        own: &Own,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(line) = self.line(socket) {
            line.happened(what, now);
        } else if let Some(call) = self.caller.call.as_mut().filter(|call| call.has(socket)) {
            let met = call.happened(what, now);
            self.called(own, met, now)?;
        }
        Ok(())
    }

    /// Continues after a step of a call.
    fn called(
        &mut self,
        own: &Own,
        met: Result<Option<PolledConnection>, MeetingError>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match met {
            Ok(None) => {}
            Err(_) => {
                self.caller.call = None;
                self.call_later(now);
            }
            Ok(Some(connection)) => {
                let Some(call) = self.caller.call.take() else {
                    return Ok(());
                };
                let is_peer = self.story.seat_of(&connection.met.peer) == Some(self.peer);
                if !is_peer {
                    self.call_later(now);
                    return Ok(());
                }
                own.peers.lock().remember(
                    &connection.met.peer,
                    &connection.met.peer_name,
                    &[],
                    None,
                )?;
                // Otherwise the connection is dropped, which closes it.
                if self.story.may_connect(self.table.play().log())? {
                    self.resume(call.connected(connection), now)?;
                }
            }
        }
        Ok(())
    }

    /// A result of the engine on the connection with this socket.
    pub(crate) fn engine_done(&mut self, socket: u32, done: Done) {
        if self.line(socket).is_some() {
            let event = Incoming::Event(Happens::Done(done));
            self.table.receive(Some(self.peer), event);
        }
    }

    /// Does all that is due. Returns why the match has stopped, once it has.
    pub(crate) fn step(&mut self, own: &Own, now: Duration) -> Option<anyhow::Result<Stopped>> {
        if self.end.is_none() {
            match self.play(own, now) {
                Ok(None) => {}
                Ok(Some(stopped)) => self.stop(Ok(stopped), now),
                Err(error) => self.stop(Err(error), now),
            }
        }
        let ended = self.ending(own, now);
        if let Some(line) = &mut self.line {
            line.flush(now);
        }
        ended.then(|| self.end.take().map(|end| end.stopped)).flatten()
    }

    fn play(&mut self, own: &Own, now: Duration) -> anyhow::Result<Option<Stopped>> {
        if let Some(command) = self.story.deals(now) {
            // The table refuses it if the match is over or the player has already dealt the hand.
            let _ = self.table.command(command);
        }
        loop {
            if let Some(event) = self.next(now)? {
                if let Some(stopped) = self.handle(event, now)? {
                    return Ok(Some(stopped));
                }
                continue;
            }
            if self.table.work_ahead()? || self.receive_message() {
                continue;
            }
            break;
        }
        if let Some(event) = self.story.report(self.table.play(), now) {
            page::tell(&event);
        }
        self.look_for_connection(own, now)?;
        Ok(None)
    }

    /// The next event of the table.
    fn next(&mut self, now: Duration) -> Result<Option<TableEvent<()>>, PlayError> {
        let moment = Moment {
            running: now,
            unix: host::unix(),
        };
        let mut queue = Queue(Vec::new());
        let mut orders = self.line.as_mut().map(ToEngine);
        let event = self.table.next(moment, &mut queue, orders.as_mut());
        for message in queue.0 {
            if let Some(line) = &mut self.line {
                // If the connection has ended, the table learns it from the next message.
                let _ = line.connection.core.send(Stream::Log, &message);
            }
        }
        event
    }

    fn receive_message(&mut self) -> bool {
        let Some(line) = &mut self.line else {
            return false;
        };
        let item = match line.connection.core.next_message() {
            Ok(None) => return false,
            Ok(Some(message)) if message.stream == Stream::Log => {
                Incoming::Event(Happens::Received(self.peer, message.bytes))
            }
            Ok(Some(message)) => match Control::decode(&message.bytes) {
                Some(control) => Incoming::Control(control),
                // A newer program may send messages that this program does not know.
                None => return true,
            },
            Err(error) => {
                self.drop_line();
                Incoming::Lost(error)
            }
        };
        self.table.receive(Some(self.peer), item);
        true
    }

    fn drop_line(&mut self) {
        self.line = None;
        engine::detach();
    }

    fn handle(
        &mut self,
        event: TableEvent<()>,
        now: Duration,
    ) -> anyhow::Result<Option<Stopped>> {
        match event {
            TableEvent::News(news) => {
                if news == News::Resumed && self.table.play().is_synced() {
                    self.caller.tries = 0;
                }
                let events = self.story.news(&news, &self.table, now, &mut rand::rng());
                events.iter().for_each(page::tell);
                let play = self.table.play();
                return Ok(stopped_after(&news, play.log(), play.seat()));
            }
            TableEvent::ConnectionLost(peer, error) => {
                self.drop_line();
                match self.story.connection_lost(peer, &error, self.table.play()) {
                    ConnectionLost::Ignored => {}
                    ConnectionLost::GoesOn(event) | ConnectionLost::Waits(event) => {
                        page::tell(&event);
                        self.reconnects = true;
                    }
                }
            }
            TableEvent::Control(control) => return Ok(Stopped::by_host(control)),
            TableEvent::Accepted(command) => match self.story.accepted(&command, &self.table) {
                Accepted::Closes => return Ok(Some(Stopped::Closed)),
                Accepted::Reconnects => self.reconnects = true,
                Accepted::Tells(events) => events.iter().for_each(page::tell),
            },
            TableEvent::Posted(()) => {}
        }
        Ok(None)
    }

    /// Makes a new connection when the engine of the last one has ended, and its attempts are counted.
    fn look_for_connection(&mut self, own: &Own, now: Duration) -> anyhow::Result<()> {
        if self.reconnects && engine::is_settled() {
            self.reconnects = false;
            self.reconnect(now)?;
        }
        let is_due = self.caller.next.is_some_and(|next| now >= next);
        if is_due && engine::is_settled() {
            self.caller.next = None;
            self.caller.call = Some(Call::new(own, &self.caller.route, self.caller.tries, now)?);
        }
        if let Some(call) = &mut self.caller.call {
            let met = call.tick(now).map(|()| None);
            self.called(own, met, now)?;
        }
        Ok(())
    }

    /// Stops the match on this side, and starts to close the connection.
    fn stop(&mut self, mut stopped: anyhow::Result<Stopped>, now: Duration) {
        self.caller.call = None;
        self.caller.next = None;
        if matches!(stopped, Ok(Stopped::BrokenOff)) {
            // The match stays open even if this fails, and the peer resends its parts.
            let _ = self.table.play_mut().write();
            self.drop_line();
        }
        if let Some(line) = &mut self.line {
            line.connection.core.close();
        }
        let play = self.table.play();
        let outcome = stopped.as_ref().map_err(|error| error.downcast_ref());
        if let Err(error) = self.story.settle(play.log(), play.seat(), outcome) {
            stopped = stopped.and(Err(error.into()));
        }
        self.end = Some(Ending {
            stopped,
            until: now + CLOSE_TIMEOUT,
            is_last_call: false,
        });
    }

    /// Continues to close the connection. Returns whether nothing else is to be done.
    fn ending(&mut self, own: &Own, now: Duration) -> bool {
        let Some(end) = &self.end else {
            return false;
        };
        let (until, is_last_call) = (end.until, end.is_last_call);
        let calls = matches!(&end.stopped, Ok(Stopped::Over(_)));
        if is_last_call {
            // Errors change nothing: the match is over here.
            while let Ok(Some(_)) = self.next(now) {}
            while self.receive_message() {
                let _ = self.next(now);
            }
            let _ = self.look_for_connection(own, now);
            let has_heard = self.table.play().has_heard(self.peer);
            if let Some(line) = self.line.as_mut().filter(|_| has_heard) {
                line.connection.core.close();
            }
        }
        if let Some(line) = &self.line {
            let has_received = line.connection.core.ended() == Some(&ConnectionError::Closed);
            if has_received {
                self.table.finish(self.peer);
            } else if line.connection.core.ended().is_none() && now < until {
                return false;
            }
            self.drop_line();
        }
        if !calls || self.table.is_finished() || (is_last_call && now >= until) {
            return true;
        }
        if !is_last_call && let Some(end) = &mut self.end {
            end.is_last_call = true;
            end.until = now + LAST_CALL;
            page::tell(&self.story.last_call());
            self.call_later(now);
        }
        false
    }

    /// The time of the next timer.
    pub(crate) fn timer(&mut self, now: Duration) -> Duration {
        let mut timer = now + HOUR;
        // Nothing of this is done after the match has stopped here.
        if self.end.is_none() {
            let until = [
                Some(self.table.until_next_timer(now)),
                self.story.until_deal(now),
                self.story.until_report(self.table.play(), now),
            ];
            for until in until.into_iter().flatten() {
                timer = timer.min(now.saturating_add(until));
            }
        }
        let times = [
            self.line.as_ref().map(Line::timer),
            self.caller.call.as_ref().map(Call::timer),
            self.caller.next,
            self.end.as_ref().map(|end| end.until),
        ];
        times.into_iter().flatten().fold(timer, Duration::min)
    }

    /// The player ends the program. A match that has not stopped here stays open.
    pub(crate) fn break_off(&mut self, now: Duration) {
        match &mut self.end {
            None => self.stop(Ok(Stopped::BrokenOff), now),
            // The peer may not know how the match has stopped. It learns it when it resumes the match.
            Some(end) => {
                end.until = now;
                end.is_last_call = true;
            }
        }
    }

    /// Tells the player how the match has stopped.
    ///
    /// # Errors
    /// If a player has broken the match.
    pub(crate) fn tell_end(&self, stopped: &Stopped) -> anyhow::Result<()> {
        let play = self.table.play();
        if let Some(event) = self.story.last_event(stopped, play.log(), play.seat()) {
            page::tell(&event);
        }
        if let Stopped::Over(end) = stopped {
            Breach::check(end, play.seat(), self.story.names())?;
        }
        Ok(())
    }

    pub(crate) fn of(&self) -> [u8; 32] {
        self.of
    }
}
