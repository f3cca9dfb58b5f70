//! A seat in play: a table over one connection, which is made again when it is lost.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::SharedPeers;
use dealerless_connection::storage::Storage as _;
use dealerless_connection::{
    ConnectionError, Happened, MeetingError, PolledConnection, Stream, SystemRng, system_rng,
};
use dealerless_table::Seat;
use dealerless_table::log::{MatchId, Sitting};
use dealerless_table::play::{
    Control, DealCircuit, Done, Event as Happens, Incoming, Moment, News, Order, Orders, PlayError,
    Setting, TableCore, TableEvent,
};

use super::finding::{Arrival, Finder, goodbye, request};
use super::matches;
use super::own::Own;
use super::program::refuse;
use super::world::World;
use crate::banks::Banks;
use crate::command::{Said, nobody_asked};
use crate::ending::Breach;
use crate::event::Event;
use crate::seat::{
    Accepted, ConnectionLost, LAST_CALL, PlayerNeeds, SeatStory, Stopped, stopped_after,
};
use crate::seated::Seated;

/// Timeout for the peer to receive the last messages on a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest time between two steps.
const HOUR: Duration = Duration::from_secs(3600);

pub(super) type SeatSetting<W> = Setting<<W as World>::File, <W as World>::Value, SystemRng>;

/// A seat of a match.
pub(super) struct SeatInPlay<W: World> {
    world: W,
    table: TableCore<W::File, W::Value, SystemRng, ()>,
    story: SeatStory,
    peers: SharedPeers,
    peer: Seat,
    of: MatchId,
    line: Option<PolledConnection<W>>,
    finder: Finder<W>,
    /// Whether the connection was lost, and a new one is to be made when the engine has ended.
    reconnects: bool,
    /// The time banks that were last kept, and their file.
    banks: (Banks, W::File),
    end: Option<Ending>,
}

/// A match that has stopped here. The peer may not know it yet.
struct Ending {
    stopped: anyhow::Result<Stopped>,
    /// The time until which this side waits.
    until: Duration,
    /// Whether this side waits for a new connection.
    is_last_call: bool,
}

/// The orders of a seat to the engine on its connection.
struct ToEngine<'a, W: World> {
    world: &'a W,
    line: &'a mut PolledConnection<W>,
}

impl<W: World> Orders for ToEngine<'_, W> {
    fn start(&mut self, seat: Seat, circuit: &Arc<DealCircuit>) -> io::Result<()> {
        self.world.start_engine(self.line, seat, circuit)
    }

    fn order(&mut self, order: Order) {
        self.world.order_engine(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.world.count_voided_run()
    }
}

impl<W: World> SeatInPlay<W> {
    /// A seat without a connection.
    ///
    /// # Errors
    /// If the files of the deck cannot be read.
    pub(super) fn new(
        own: &Own<W>,
        sitting: &Sitting,
        setting: SeatSetting<W>,
        resumed: bool,
        finder: Finder<W>,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let of = sitting.match_info.id();
        let seated = Seated::of(sitting, Some(matches::record_name(&of)), resumed);
        let needs = PlayerNeeds {
            pauses: true,
            each_second: false,
        };
        let peers = own.peers.clone();
        let story = SeatStory::new(sitting, &seated, &setting.log, peers, needs);
        let mut table = TableCore::new(setting, now)?;
        table.play_mut().pause_after_showdowns();
        let mut clock = own.world.open_or_create_file(&matches::clock_name(&of))?;
        // If they cannot be read, the time banks are full again on this side.
        let stored = String::from_utf8(clock.read()?).unwrap_or_default();
        let (left, own_turn) = Banks::stored(&stored).to_restore();
        table.restore_banks(&left, own_turn);
        let banks = (Banks::of(&table), clock);
        own.world.report(&Event::Seated(Box::new(seated)));
        Ok(SeatInPlay {
            world: own.world.clone(),
            table,
            story,
            peers: own.peers.clone(),
            peer: sitting.seat.next(2),
            of,
            line: None,
            finder,
            reconnects: false,
            banks,
            end: None,
        })
    }

    /// Starts the match on a connection.
    ///
    /// # Errors
    /// If the peer is unknown.
    pub(super) fn begin(&mut self, line: PolledConnection<W>, now: Duration) -> anyhow::Result<()> {
        self.attach(line)?;
        self.table.begin(self.peer, now);
        Ok(())
    }

    /// Resumes the match on a connection. A guest asks its host for it.
    ///
    /// # Errors
    /// If the peer is unknown, or the file of the match cannot be written.
    pub(super) fn resume(
        &mut self,
        mut line: PolledConnection<W>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if matches!(self.finder, Finder::Calls(_)) {
            let request = Control::Resume(self.of).encode();
            // If the connection has ended, the table learns it from the next message.
            let _ = line.core.send(Stream::Control, &request);
        }
        self.attach(line)?;
        Ok(self.table.resume(self.peer, now)?)
    }

    fn attach(&mut self, mut line: PolledConnection<W>) -> anyhow::Result<()> {
        // If the connection has ended, the table learns it from the next message.
        let _ = line.core.send(Stream::Control, &Control::InPage.encode());
        let attempts = self.peers.counted(&line.met.peer)?;
        self.world.attach_engine(line.number(), attempts);
        self.line = Some(line);
        Ok(())
    }

    /// Looks for a connection.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub(super) fn reconnect(&mut self, now: Duration) -> anyhow::Result<()> {
        let question = self.story.question(self.table.play().log())?;
        self.table.on_hold = question.is_some();
        match question {
            Some(question) => self.world.report(&question),
            None => self.finder.look(now),
        }
        Ok(())
    }

    /// A command of the player.
    pub(super) fn said(&mut self, said: Said, turn: Option<u64>) {
        match said.command() {
            Some(command) => self.table.receive(None, Incoming::Command(command, turn)),
            None => refuse(&self.world, nobody_asked()),
        }
    }

    /// The connection with this number.
    pub(super) fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W>> {
        self.line.as_mut().filter(|line| line.number() == number)
    }

    /// Something has happened to a connection.
    ///
    /// # Errors
    /// If the match cannot continue.
    pub(super) fn happened(
        &mut self,
        own: &Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(line) = self.line(number) {
            line.happened(what, now);
            return Ok(());
        }
        match &mut self.finder {
            Finder::Calls(caller) => {
                if let Some(call) = &mut caller.call {
                    let met = call.happened(number, what, now);
                    self.called(own, met, now)?;
                }
            }
            Finder::Waits(_, Some(arrival)) if arrival.line.number() == number => {
                arrival.line.happened(what, now);
            }
            Finder::Waits(reception, arrival) => {
                if let Some(line) = reception.happened(number, what, now) {
                    *arrival = Some(Arrival::new(line));
                }
            }
        }
        Ok(())
    }

    /// Continues after a step of a call.
    fn called(
        &mut self,
        own: &Own<W>,
        met: Result<Option<PolledConnection<W>>, MeetingError>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Finder::Calls(caller) = &mut self.finder else {
            return Ok(());
        };
        let met = match met {
            Ok(None) => return Ok(()),
            met => met.ok().flatten(),
        };
        caller.call = None;
        let is_peer =
            |line: &PolledConnection<W>| self.story.seat_of(&line.met.peer) == Some(self.peer);
        let Some(line) = met.filter(is_peer) else {
            self.finder.look(now);
            return Ok(());
        };
        self.connected(own, line, now)
    }

    /// Handles a new connection to the peer. The player was asked before, unlike on the first connection.
    fn connected(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let met = &line.met;
        let mut peers = own.peers.lock();
        peers.remember(&met.peer, &met.peer_name, &[], None)?;
        drop(peers);
        // Otherwise the connection is dropped, which closes it.
        if self.story.may_connect(self.table.play().log())? {
            self.resume(line, now)?;
        }
        Ok(())
    }

    /// Reads the request of the guest on a new connection.
    fn receive_arrival(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        let Finder::Waits(_, waiting) = &mut self.finder else {
            return Ok(());
        };
        let Some(mut arrival) = waiting.take() else {
            return Ok(());
        };
        let is_peer = self.story.seat_of(&arrival.line.met.peer) == Some(self.peer);
        if !arrival.resumes {
            let control = match arrival.line.core.next_message() {
                Ok(None) if is_peer => {
                    arrival.line.flush(now);
                    *waiting = Some(arrival);
                    return Ok(());
                }
                Ok(Some(message)) if is_peer => request(&message),
                // The connection has ended, or is of somebody else.
                _ => return Ok(()),
            };
            match control {
                Some(Control::Resume(of)) if of == self.of => arrival.resumes = true,
                Some(Control::Resume(of)) => {
                    return goodbye(arrival.line, &Control::Unknown(of), now);
                }
                _ => return goodbye(arrival.line, &Control::Open(self.of), now),
            }
            // The peer has lost the old connection, which this side may not have noticed.
            self.table.lose_connection(self.peer);
            self.line = None;
            self.world.detach_engine();
        }
        if self.world.is_engine_settled() {
            self.reconnects = false;
            return self.connected(own, arrival.line, now);
        }
        if let Finder::Waits(_, waiting) = &mut self.finder {
            *waiting = Some(arrival);
        }
        Ok(())
    }

    /// A result of the engine on the connection with this number.
    pub(super) fn engine_done(&mut self, number: u32, done: Done) {
        if self.line(number).is_some() {
            let event = Incoming::Event(Happens::Done(done));
            self.table.receive(Some(self.peer), event);
        }
    }

    /// Does all that is due. Returns why the match has stopped, once it has.
    pub(super) fn step(&mut self, own: &Own<W>, now: Duration) -> Option<anyhow::Result<Stopped>> {
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
        ended
            .then(|| self.end.take().map(|end| end.stopped))
            .flatten()
    }

    fn play(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<Option<Stopped>> {
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
        let (banks, clock) = &mut self.banks;
        if let Some(changed) = banks.changed(&self.table) {
            // If this fails, a restart restores an earlier state of the banks.
            let _ = clock
                .truncate(0)
                .and_then(|()| clock.append(changed.text().as_bytes()));
            *banks = changed;
        }
        if let Some(event) = self.story.report(&self.table, now) {
            self.world.report(&event);
        }
        let had_line = self.line.is_some();
        self.look_for_connection(own, now)?;
        if !had_line && self.line.is_some() {
            // The first messages may have arrived already.
            return self.play(own, now);
        }
        Ok(None)
    }

    /// The next event of the table.
    fn next(&mut self, now: Duration) -> Result<Option<TableEvent<()>>, PlayError> {
        let moment = Moment {
            running: now,
            unix: W::unix(),
        };
        let mut sent = Vec::new();
        let world = &self.world;
        let mut orders = self.line.as_mut().map(|line| ToEngine { world, line });
        let event = self.table.next(moment, &mut sent, orders.as_mut());
        for (_, message) in sent {
            if let Some(line) = &mut self.line {
                // If the connection has ended, the table learns it from the next message.
                let _ = line.core.send(Stream::Log, &message);
            }
        }
        event
    }

    fn receive_message(&mut self) -> bool {
        let Some(line) = &mut self.line else {
            return false;
        };
        let item = match line.core.next_message() {
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
        self.world.detach_engine();
    }

    fn handle(&mut self, event: TableEvent<()>, now: Duration) -> anyhow::Result<Option<Stopped>> {
        match event {
            TableEvent::News(news) => {
                if news == News::Resumed && self.table.play().is_synced() {
                    self.finder.found();
                }
                let events = self.story.news(&news, &self.table, now, &mut system_rng());
                events.iter().for_each(|event| self.world.report(event));
                let play = self.table.play();
                return Ok(stopped_after(&news, play.log(), play.seat()));
            }
            TableEvent::ConnectionLost(peer, error) => {
                self.drop_line();
                match self.story.connection_lost(peer, &error, self.table.play()) {
                    ConnectionLost::Ignored => {}
                    ConnectionLost::GoesOn(event) | ConnectionLost::Waits(event) => {
                        self.world.report(&event);
                        self.reconnects = true;
                    }
                }
            }
            TableEvent::Control(control) => {
                self.story
                    .says(&control)
                    .iter()
                    .for_each(|event| self.world.report(event));
                // A host ignores further control messages on the connection on which it plays.
                return Ok(match self.finder {
                    Finder::Calls(_) => Stopped::by_host(control),
                    Finder::Waits(..) => None,
                });
            }
            TableEvent::Accepted(command) => match self.story.accepted(&command, &self.table) {
                Accepted::Closes => return Ok(Some(Stopped::Closed)),
                Accepted::Reconnects => self.reconnects = true,
                Accepted::Tells(events) => events.iter().for_each(|event| self.world.report(event)),
            },
            TableEvent::Posted(()) => {}
        }
        Ok(None)
    }

    /// Makes a new connection when the engine of the last one has ended, and its attempts are counted.
    fn look_for_connection(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        if self.reconnects && self.world.is_engine_settled() {
            self.reconnects = false;
            self.reconnect(now)?;
        }
        match &mut self.finder {
            Finder::Calls(caller) => {
                if caller.next.is_some_and(|next| now >= next) && self.world.is_engine_settled() {
                    caller.next = None;
                    let call = caller.route.call(own, caller.tries, now)?;
                    caller.call = Some(Box::new(call));
                }
                if let Some(call) = &mut caller.call {
                    let met = call.step(now);
                    self.called(own, met, now)?;
                }
            }
            Finder::Waits(reception, arrival) => {
                if let Some(line) = reception.step(now) {
                    *arrival = Some(Arrival::new(line));
                }
                self.receive_arrival(own, now)?;
            }
        }
        Ok(())
    }

    /// Stops the match on this side, and starts to close the connection.
    fn stop(&mut self, mut stopped: anyhow::Result<Stopped>, now: Duration) {
        self.finder.stop();
        if matches!(stopped, Ok(Stopped::BrokenOff)) {
            // The match stays open even if this fails, and the peer resends its parts.
            let _ = self.table.play_mut().write();
            self.drop_line();
        }
        if let Some(line) = &mut self.line {
            line.core.close();
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

    /// Continues to close the connection. Returns whether everything is done.
    fn ending(&mut self, own: &Own<W>, now: Duration) -> bool {
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
                line.core.close();
            }
        }
        if let Some(line) = &self.line {
            let core = &line.core;
            if core.ended().is_none() && now < until {
                return false;
            }
            // A peer that has closed its side after the last message has read everything.
            if core.ended() == Some(&ConnectionError::Closed) || core.is_flushed() {
                self.table.finish(self.peer);
            }
            self.drop_line();
        }
        if !calls || self.table.is_finished() || (is_last_call && now >= until) {
            return true;
        }
        if !is_last_call && let Some(end) = &mut self.end {
            end.is_last_call = true;
            end.until = now + LAST_CALL;
            self.world.report(&self.story.last_call());
            self.finder.look(now);
        }
        false
    }

    /// The time of the next timer.
    pub(super) fn timer(&mut self, now: Duration) -> Duration {
        let mut timer = now + HOUR;
        // The table does not know yet that the connection has ended.
        if self
            .line
            .as_ref()
            .is_some_and(|line| line.core.ended().is_some())
        {
            timer = now;
        }
        // These timers stop when the match has stopped here.
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
            self.line.as_ref().map(PolledConnection::timer),
            Some(self.finder.timer()),
            self.end.as_ref().map(|end| end.until),
        ];
        times.into_iter().flatten().fold(timer, Duration::min)
    }

    /// The player ends the program. A match that has not stopped here stays open.
    pub(super) fn break_off(&mut self, now: Duration) {
        match &mut self.end {
            None => self.stop(Ok(Stopped::BrokenOff), now),
            // The peer may not know how the match has stopped. It learns it when it resumes the match.
            Some(end) => {
                end.until = now;
                end.is_last_call = true;
            }
        }
    }

    /// Reports to the player how the match has stopped.
    ///
    /// # Errors
    /// If a player has broken the match.
    pub(super) fn tell_end(&self, stopped: &Stopped) -> anyhow::Result<()> {
        let play = self.table.play();
        if let Some(event) = self.story.last_event(stopped, play.log(), play.seat()) {
            self.world.report(&event);
        }
        if let Stopped::Over(end) = stopped {
            Breach::check(end, play.seat(), self.story.names())?;
        }
        Ok(())
    }

    pub(super) fn of(&self) -> MatchId {
        self.of
    }
}
