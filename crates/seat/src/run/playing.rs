//! A seat in play: a table over the connections to other players, which are made again when they are lost.

mod handing_over;
mod stopping;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use dealerless_connection::identity::{PublicIdentity, SharedPeers};
use dealerless_connection::storage::Storage as _;
use dealerless_connection::{
    ConnectionError, PolledConnection, Side, Stream, SystemRng, system_rng,
};
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, Phase, Sitting};
use dealerless_table::play::{
    Control, DealCircuit, Event as Happens, Incoming, Moment, News, Order, Orders, PlayError,
    Setting, TableCore, TableEvent, TimeLeft,
};

use self::stopping::Stopping;
use super::finding::Finder;
use super::own::Own;
use super::program::{Input, refuse};
use super::world::{Files, SeatWorld};
use crate::banks::Banks;
use crate::command::nobody_asked;
use crate::event::Event;
use crate::open_match::declined_by_host;
use crate::seat::{
    Accepted, ConnectionLost, PlayerNeeds, SeatStory, Stopped, connected_again, gone_after,
    is_own_turn, is_sealed, stopped_after,
};
use crate::seated::Seated;

/// The longest time between two steps.
const HOUR: Duration = Duration::from_secs(3600);
/// How long a guest that has come to ask its host follows the host's answer, even while it is connected to other
/// guests.
const ASKS_HOST: Duration = Duration::from_secs(10);

/// A file of a world.
pub type FileOf<W> = <<W as SeatWorld>::Files as Files>::File;
/// A value of a world.
pub type ValueOf<W> = <<W as SeatWorld>::Files as Files>::Value;
/// The log, the deck and the keys of a seat, in the files of a world.
pub type SeatSetting<W> = Setting<FileOf<W>, ValueOf<W>, SystemRng>;

/// The opened files of a match, and the player of this seat.
pub struct SeatFiles<W: SeatWorld> {
    /// The players, and who this one is.
    pub sitting: Sitting,
    /// The name of the record.
    pub record: String,
    /// The record, as it is named to the player.
    pub shown: String,
    /// Whether the match was begun by an earlier program.
    pub resumed: bool,
    /// The log and the deck.
    pub setting: SeatSetting<W>,
    /// The file of the time banks.
    pub clock: FileOf<W>,
}

/// A seat of a match of 2 to 10, played until the match stops here. The caller passes its [inputs](Self::input),
/// and calls [`step`](Self::step) after each and at the time of [`timer`](Self::timer).
pub struct SeatInPlay<W: SeatWorld> {
    world: W,
    pub(super) table: TableCore<FileOf<W>, ValueOf<W>, SystemRng>,
    story: SeatStory,
    needs: PlayerNeeds,
    peers: SharedPeers,
    /// The name of the record.
    record: String,
    pub(super) connections: BTreeMap<Seat, PolledConnection<W::Sockets>>,
    /// The connections on which the peer has said goodbye, until the answer is sent.
    answering: BTreeMap<Seat, PolledConnection<W::Sockets>>,
    finder: Finder<W>,
    /// The players who have closed their connections and made no new ones.
    closed: BTreeSet<Seat>,
    /// The host, if it does not play on after the match and may lack its end.
    dismissed_host: Option<PublicIdentity>,
    /// A new connection to the peer of a sealed deck. The match continues there when the engine of the last
    /// connection has ended, and its attempts are counted.
    pending: Option<PolledConnection<W::Sockets>>,
    /// Whether the connection was lost, and a new one is to be made when the engine has ended.
    reconnects: bool,
    /// Whether a step has left work for the next one.
    has_more: bool,
    /// The time of the next timer of the table and the player, by the last step.
    due: Duration,
    /// A guest that has come to ask the host: until when it follows the host's answer, although other
    /// guests may be connected. `None` once it may sign, or has lost the connection.
    asks_until: Option<Duration>,
    /// A guest: whether the player knows that the host does not resume the match.
    told_declined: bool,
    /// The time banks that were last kept, and their file.
    banks: (Banks, FileOf<W>),
    /// Whether the match was over already, so that its outcome was counted.
    was_over: bool,
    end: Option<Stopping>,
    /// At a table: the connected seats whose players are in another match of the table, as far as this side knows.
    apart: BTreeSet<Seat>,
    /// At a table: the messages about the next match that are not processed yet, in order of arrival.
    messages_between: VecDeque<(Seat, Control)>,
    /// At a table: whether a refusal of the host is only a lost connection, because the members decide about the next
    /// match.
    pub(super) ignores_refusals: bool,
    /// At a table: whether another match follows this one.
    pub(super) has_next: bool,
    /// At a table: the end of the match, which the next match continues.
    result: Option<End>,
    /// The events of this end. The player gets them only if no other match follows.
    last_words: Vec<Event>,
}

/// The orders of a seat to the engine on its connection.
struct ToEngine<'a, W: SeatWorld> {
    world: &'a W,
    connection: &'a mut PolledConnection<W::Sockets>,
}

impl<W: SeatWorld> Orders for ToEngine<'_, W> {
    fn start(&mut self, seat: Seat, circuit: &Arc<DealCircuit>) -> io::Result<()> {
        self.world.start_engine(self.connection, seat, circuit)
    }

    fn order(&mut self, order: Order) {
        self.world.order_engine(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.world.count_voided_run()
    }
}

impl<W: SeatWorld> SeatInPlay<W> {
    /// A seat without a connection.
    ///
    /// # Errors
    /// If the files of the deck cannot be read.
    pub fn new(
        own: &Own<W>,
        files: SeatFiles<W>,
        needs: PlayerNeeds,
        finder: Finder<W>,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let SeatFiles {
            sitting,
            record,
            shown,
            resumed,
            setting,
            mut clock,
        } = files;
        let seated = Seated::of(&sitting, Some(shown), resumed);
        let story = SeatStory::new(&sitting, &seated, &setting.log, own.peers.clone(), needs);
        let was_over = matches!(setting.log.phase(), Phase::Over(_));
        let mut table = TableCore::new(setting, now)?;
        if needs.pauses {
            table.play_mut().pause_after_showdowns();
        }
        // If they cannot be read, the time banks are full again on this side.
        let stored = String::from_utf8(clock.read()?).unwrap_or_default();
        let (left, own_turn) = Banks::stored(&stored).to_restore();
        table.restore_banks(&left, own_turn);
        let banks = (Banks::of(&table), clock);
        let seat = SeatInPlay {
            world: own.world.clone(),
            record,
            table,
            story,
            needs,
            peers: own.peers.clone(),
            connections: BTreeMap::new(),
            answering: BTreeMap::new(),
            finder,
            closed: BTreeSet::new(),
            dismissed_host: None,
            pending: None,
            reconnects: false,
            // The first step is due at once.
            has_more: true,
            due: Duration::MAX,
            asks_until: None,
            told_declined: false,
            banks,
            was_over,
            end: None,
            apart: BTreeSet::new(),
            messages_between: VecDeque::new(),
            ignores_refusals: false,
            has_next: false,
            result: None,
            last_words: Vec::new(),
        };
        seat.report(&Event::Seated(Box::new(seated)));
        Ok(seat)
    }

    /// Tells the player, unless the player is told nothing.
    fn report(&self, event: &Event) {
        if !self.needs.is_told_nothing {
            self.world.report(event);
        }
    }

    pub(super) fn log(&self) -> &MatchLog {
        self.table.play().log()
    }

    /// Whether the engine may have a session: the deck is sealed, and the match was not over already.
    fn uses_engine(&self) -> bool {
        is_sealed(self.log()) && !self.was_over
    }

    /// The other player in this seat. `None` if it is the own one.
    pub(super) fn identity(&self, seat: Seat) -> Option<PublicIdentity> {
        let mut others = self.story.others().iter();
        let other = others.find(|other| other.seat == seat)?;
        Some(other.identity.clone())
    }

    fn is_host(&self) -> bool {
        self.table.play().seat() == Seat::HOST
    }

    /// Whether this is a guest with connections to other guests. They are optional: the host forwards
    /// everything.
    fn has_other_guests(&self) -> bool {
        !self.is_host() && self.story.others().len() > 1
    }

    /// Starts the match on a connection. A host of several guests starts it on all connections before the first
    /// [`step`](Self::step).
    ///
    /// # Errors
    /// If the peer is unknown.
    pub fn begin(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(peer) = self.attach(connection)? {
            self.table.begin(peer, now);
        }
        Ok(())
    }

    /// Resumes the match on a connection on which the guest has just asked for it.
    ///
    /// # Errors
    /// If the peer is unknown, or the file of the match cannot be written.
    pub fn resume(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        self.asks_until = Some(now + ASKS_HOST);
        self.connected(connection, now)
    }

    /// Resumes the match on a connection. One of somebody who does not play is dropped, and one of two
    /// connections to another guest.
    fn connected(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(peer) = self.story.seat_of(&connection.met.peer) else {
            return Ok(());
        };
        if peer != Seat::HOST && self.has_other_guests() {
            if !self.accepts(peer, &connection) {
                return Ok(());
            }
            self.finder.stop_calling(&connection.met.peer);
        }
        self.attach(connection)?;
        Ok(self.table.resume(peer, now)?)
    }

    /// Whether to use a new connection to another guest instead of the current one, if there is one. Both
    /// sides decide alike when two connections cross: a connection that the higher seat has made is not
    /// replaced by one that the lower seat has made.
    fn accepts(&self, guest: Seat, new: &PolledConnection<W::Sockets>) -> bool {
        let own = self.table.play().seat();
        let is_by_higher = |connection: &PolledConnection<W::Sockets>| {
            (connection.met.side == Side::Guest) == (own > guest)
        };
        let old = self.connections.get(&guest);
        let old = old.filter(|old| old.core.ended().is_none());
        old.is_none_or(|old| is_by_higher(new) || !is_by_higher(old))
    }

    fn attach(
        &mut self,
        mut connection: PolledConnection<W::Sockets>,
    ) -> anyhow::Result<Option<Seat>> {
        let Some(peer) = self.story.seat_of(&connection.met.peer) else {
            return Ok(None);
        };
        if W::IN_PAGE {
            // If the connection has ended, the table learns it from the next message.
            let _ = connection
                .core
                .send(Stream::Control, &Control::InPage.encode());
        }
        if self.uses_engine() {
            let attempts = self.peers.counted(&connection.met.peer)?;
            self.world.attach_engine(connection.number(), attempts);
        }
        self.closed.remove(&peer);
        self.connections.insert(peer, connection);
        Ok(Some(peer))
    }

    /// Looks for a connection.
    ///
    /// # Errors
    /// If no further session is allowed, or a bot would have to be asked.
    pub fn reconnect(&mut self, now: Duration) -> anyhow::Result<()> {
        let question = self.story.question(self.log())?;
        self.table.on_hold = question.is_some();
        match question {
            Some(question) => self.tell(&question)?,
            None => self.look(now),
        }
        Ok(())
    }

    /// Looks for the host, or waits for the guests.
    fn look(&mut self, now: Duration) {
        match self.identity(Seat::HOST) {
            Some(host) => self.finder.look_for(&host, now),
            None => self.finder.begin_waiting(now),
        }
    }

    /// Looks for the other guests of a match of several.
    pub fn look_for_guests(&mut self, now: Duration) {
        let others = self.story.others().iter();
        for guest in others.filter(|other| other.seat != Seat::HOST) {
            self.finder.look_for(&guest.identity, now);
        }
    }

    /// Tells the player.
    ///
    /// # Errors
    /// If it is a question to a bot, which is never asked.
    fn tell(&self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::AskAgain { message, .. } if self.needs.never_asked => bail!("{message}"),
            event => self.report(event),
        }
        Ok(())
    }

    /// The time left for the player's own turn, in a match with a clock.
    pub fn own_time(&self) -> Option<TimeLeft> {
        let play = self.table.play();
        let is_playing = self.end.is_none() && is_own_turn(play);
        is_playing.then(|| self.table.time_left(play.seat()))?
    }

    /// The connection with this number.
    pub fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let mut connections = self
            .connections_mut()
            .filter(|connection| connection.number() == number);
        connections.next()
    }

    fn connections_mut(&mut self) -> impl Iterator<Item = &mut PolledConnection<W::Sockets>> {
        let connections = self
            .connections
            .values_mut()
            .chain(self.answering.values_mut());
        connections.chain(&mut self.pending)
    }

    /// Whether a socket belongs to the seat.
    pub fn has(&mut self, number: u32) -> bool {
        self.connection(number).is_some() || self.finder.has(number)
    }

    /// Processes an input. The caller calls [`step`](Self::step) afterwards.
    pub fn input(&mut self, input: Input<'_>, now: Duration) {
        match input {
            Input::Socket(number, what) => match self.connection(number) {
                Some(connection) => connection.happened(what, now),
                None => self.finder.happened(number, what, now),
            },
            Input::Said(said, turn) => match said.command() {
                Some(command) => self.table.receive(None, Incoming::Command(command, turn)),
                None => refuse(&self.world, nobody_asked()),
            },
            Input::Refused(complaint) => refuse(&self.world, complaint),
            Input::AskLeave => self.report(&self.story.ask_leave(&self.table)),
            Input::EngineDone(number, done) => {
                let mut connections = self.connections.iter();
                if let Some((peer, _)) =
                    connections.find(|(_, connection)| connection.number() == number)
                {
                    let event = Incoming::Event(Happens::Done(done));
                    self.table.receive(Some(*peer), event);
                }
            }
            Input::Ended | Input::BreakOff | Input::Failed(_) => self.must_stop(input, now),
            Input::EngineSettled => {}
        }
    }

    /// Does all that is due. Returns why the match has stopped, once it has.
    pub fn step(&mut self, now: Duration) -> Option<anyhow::Result<Stopped>> {
        self.has_more = false;
        if self.end.is_none() {
            match self.play(now) {
                Ok(None) => {}
                Ok(Some(Stopped::Over(end))) if self.hands_over(&end) => {
                    self.result = Some(end);
                    self.has_more = true;
                }
                Ok(Some(stopped)) => self.stop(Ok(stopped), now),
                Err(error) => self.stop(Err(error), now),
            }
        }
        let has_ended = self.stops(now);
        self.flush(now);
        self.due = self.next_due(now);
        self.end.take_if(|_| has_ended).map(|end| end.stopped)
    }

    /// The time of the next timer of the table and the player. They stop when the match has stopped here.
    fn next_due(&mut self, now: Duration) -> Duration {
        if self.end.is_some() {
            return Duration::MAX;
        }
        let until = [
            Some(self.table.until_next_timer(now)),
            self.story.until_deal(now),
            self.story.until_report(self.table.play(), now),
        ];
        let until = until.into_iter().flatten().min();
        now.saturating_add(until.unwrap_or(Duration::MAX))
    }

    fn flush(&mut self, now: Duration) {
        self.connections_mut()
            .for_each(|connection| connection.flush(now));
        self.answering
            .retain(|_, connection| connection.is_answering());
    }

    fn play(&mut self, now: Duration) -> anyhow::Result<Option<Stopped>> {
        if let Some(command) = self.story.deals(now) {
            // The table refuses it if the match is over or the player has already dealt the hand.
            let _ = self.table.command(command);
        }
        loop {
            if let Some(event) = self.next(now)? {
                if let ControlFlow::Break(stopped) = self.handle(event, now)? {
                    return Ok(Some(stopped));
                }
                continue;
            }
            if !self.receive_message(now) {
                // Sends the signed parts before long work.
                self.flush(now);
                if !self.table.work_ahead()? {
                    break;
                }
            }
            if !is_sealed(self.log()) {
                // A proof takes long. Meanwhile, the connections must not look dead.
                self.has_more = true;
                break;
            }
        }
        let (banks, clock) = &mut self.banks;
        if let Some(changed) = banks.changed(&self.table) {
            // If this fails, a restart restores an earlier state of the banks.
            let _ = clock
                .truncate(0)
                .and_then(|()| clock.append(changed.text().as_bytes()));
            *banks = changed;
        }
        let report = self.story.report(&self.table, now);
        if let Some(event) = report.filter(|_| self.result.is_none()) {
            self.tell(&event)?;
        }
        let before: Vec<u32> = self
            .connections
            .values()
            .map(PolledConnection::number)
            .collect();
        self.look_for_connection(now)?;
        if self
            .connections
            .values()
            .any(|connection| !before.contains(&connection.number()))
        {
            // The first messages may have arrived already.
            return self.play(now);
        }
        Ok(None)
    }

    /// The next event of the table.
    fn next(&mut self, now: Duration) -> Result<Option<TableEvent>, PlayError> {
        let moment = Moment {
            running: now,
            unix: W::Files::unix(),
        };
        let mut sent = Vec::new();
        let world = &self.world;
        // Only a sealed deck, which has one connection, uses the engine.
        let connection = self.connections.values_mut().next();
        let mut orders = connection.map(|connection| ToEngine { world, connection });
        let event = self.table.next(moment, &mut sent, orders.as_mut());
        for (to, message) in sent {
            if let Some(connection) = self.connections.get_mut(&to) {
                // If the connection has ended, the table learns it from the next message.
                let _ = connection.core.send(Stream::Log, &message);
            }
        }
        event
    }

    /// Passes a message to the table. Returns whether there was one.
    fn receive_message(&mut self, now: Duration) -> bool {
        // What follows a message about the next match may be the log of another match.
        let between = &self.messages_between;
        let is_next = |peer: &Seat| between.iter().all(|(from, _)| from != peer);
        let connections = self.connections.iter_mut();
        let mut connections = connections.filter(|(peer, _)| is_next(peer));
        let received = connections.find_map(|(peer, connection)| {
            let received = connection.core.next_message().transpose()?;
            Some((*peer, received))
        });
        let Some((peer, received)) = received else {
            return false;
        };
        let is_apart = self.apart.contains(&peer);
        let is_of_guest = peer != Seat::HOST && !self.is_host();
        let item = match received {
            // The log of another match.
            Ok(message) if message.stream == Stream::Log && is_apart => return true,
            Ok(message) if message.stream == Stream::Log => {
                Incoming::Event(Happens::Received(peer, message.bytes))
            }
            Ok(message) => match Control::decode(&message.bytes) {
                Some(control)
                    if self.is_at_table()
                        && (control.is_between_matches()
                            || is_of_guest && matches!(control, Control::WentOn(..))) =>
                {
                    if self.has_next {
                        self.messages_between.push_back((peer, control));
                    }
                    return true;
                }
                Some(control) => Incoming::Control(control),
                // A newer program may send messages that this program does not know.
                None => return true,
            },
            Err(error) => {
                if error == ConnectionError::Closed {
                    self.answer_goodbye(peer);
                }
                self.drop_connection(peer);
                if self.apart.remove(&peer) {
                    // The table does not know the connection.
                    self.look_again(peer, now);
                }
                Incoming::Lost(error)
            }
        };
        self.table.receive(Some(peer), item);
        true
    }

    /// Looks for a connection to a player in place of a lost one.
    fn look_again(&mut self, peer: Seat, now: Duration) {
        match self.identity(peer) {
            Some(guest) if peer != Seat::HOST && self.has_other_guests() => {
                self.finder.look_for(&guest, now);
            }
            _ => self.look(now),
        }
    }

    /// Answers the goodbye of a peer whose messages are processed, once they are on the disk.
    fn answer_goodbye(&mut self, peer: Seat) {
        let is_kept = if self.end.is_some() {
            self.table.finish(peer);
            true
        } else {
            self.closed.insert(peer);
            if peer == Seat::HOST
                && let Some(host) = self.dismissed_host.take()
            {
                self.finder.has_left(&host);
            }
            // A seat that waits for histories has not processed all messages.
            self.table.play().is_synced() && self.table.play_mut().write().is_ok()
        };
        if let Some(connection) = self.connections.get_mut(&peer).filter(|_| is_kept) {
            connection.core.close();
        }
    }

    fn drop_connection(&mut self, peer: Seat) {
        let connection = self.connections.remove(&peer);
        if let Some(connection) = connection.filter(PolledConnection::is_answering) {
            self.answering.insert(peer, connection);
        }
        if self.uses_engine() {
            self.world.detach_engine();
        }
    }

    fn handle(&mut self, event: TableEvent, now: Duration) -> anyhow::Result<ControlFlow<Stopped>> {
        match event {
            TableEvent::News(news) => return self.news(&news, now),
            TableEvent::ConnectionLost(peer, error) => {
                self.drop_connection(peer);
                self.connection_lost(peer, &error, now)?;
            }
            TableEvent::Control(control) => {
                if let Some(event) = self.story.says(&control) {
                    self.tell(&event)?;
                }
                // A host ignores further control messages on the connection on which it plays.
                if !self.is_host() {
                    return self.answered(control, now);
                }
            }
            TableEvent::Accepted(command) => match self.story.accepted(&command, &self.table) {
                Accepted::Closes => return Ok(ControlFlow::Break(Stopped::Closed)),
                Accepted::Reconnects => self.reconnects = true,
                Accepted::Tells(events) => {
                    events.iter().try_for_each(|event| self.tell(event))?;
                }
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    fn news(&mut self, news: &News, now: Duration) -> anyhow::Result<ControlFlow<Stopped>> {
        // A guest that resumes with other guests still looks for its host. The connection may be lost
        // again by now.
        if *news == News::Resumed {
            // From here on, this side signs.
            self.asks_until = None;
            if self.table.play().is_synced() && self.table.is_connected() {
                self.told_declined = false;
                if let Some(host) = self.identity(Seat::HOST) {
                    self.finder.has_found(&host);
                }
            }
        }
        let events = self.story.news(news, &self.table, now, &mut system_rng());
        match news {
            // The player is told if no other match follows for it.
            News::Over(end) if self.hands_over(end) => self.last_words = events,
            _ => events.iter().try_for_each(|event| self.tell(event))?,
        }
        for gone in gone_after(news, self.log()) {
            match self.identity(gone) {
                Some(host) if gone == Seat::HOST => self.finder.has_left(&host),
                Some(guest) => self.finder.stop_calling(&guest),
                None => {}
            }
        }
        let stopped = stopped_after(news, self.log(), self.table.play().seat());
        Ok(stopped.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }

    /// Handles a message of the host to a guest. To the other guests, a guest that stops would look
    /// absent, unless it has come to ask the host less than [`ASKS_HOST`] ago and has signed nothing since.
    fn answered(
        &mut self,
        control: Control,
        now: Duration,
    ) -> anyhow::Result<ControlFlow<Stopped>> {
        let Some(stopped) = Stopped::by_host(control) else {
            return Ok(ControlFlow::Continue(()));
        };
        if self.ignores_refusals {
            // Otherwise one message of the host would exclude this player from the next match.
            self.table.lose_connection(Seat::HOST);
            self.drop_connection(Seat::HOST);
            self.look_again(Seat::HOST, now);
            return Ok(ControlFlow::Continue(()));
        }
        if !self.plays_without_host(now) {
            return Ok(ControlFlow::Break(stopped));
        }
        if !std::mem::replace(&mut self.told_declined, true) {
            let text = declined_by_host(&self.log().match_info().id());
            self.tell(&Event::notice(text))?;
        }
        self.table.lose_connection(Seat::HOST);
        self.drop_connection(Seat::HOST);
        let error = PlayError::Connection(ErrorKind::ConnectionAborted.into());
        self.connection_lost(Seat::HOST, &error, now)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Whether this side is a guest that is connected to another guest of a match that has begun, and has
    /// not just come to ask the host. Then a host who declines cannot make this side stop: to the others
    /// it would look absent. A match of a table has begun once cards were opened.
    fn plays_without_host(&self, now: Duration) -> bool {
        let has_begun = match self.is_at_table() {
            true => self.table.play().has_begun(),
            false => self.log().step() > 0,
        };
        let is_host_gone = self.log().gone().contains(&Seat::HOST);
        let has_just_come = self.asks_until.is_some_and(|until| now < until);
        let mut connected = self.connections.keys();
        has_begun && (is_host_gone || !has_just_come) && connected.any(|seat| *seat != Seat::HOST)
    }

    fn connection_lost(
        &mut self,
        peer: Seat,
        error: &PlayError,
        now: Duration,
    ) -> anyhow::Result<()> {
        if self.result.is_some() {
            self.look_again(peer, now);
            return Ok(());
        }
        let lost = self.story.connection_lost(peer, error, self.table.play());
        if peer != Seat::HOST && self.has_other_guests() {
            let event = match lost {
                ConnectionLost::Ignored => return Ok(()),
                // Otherwise the host is gone too, and is called already.
                ConnectionLost::Waits(event) if !self.table.is_connected() => Some(event),
                _ => None,
            };
            if let Some(guest) = self.identity(peer) {
                self.finder.look_for(&guest, now);
            }
            return event.map_or(Ok(()), |event| self.tell(&event));
        }
        self.asks_until = None;
        match lost {
            // A host that was removed cannot call its guests: they tell it when it comes back.
            ConnectionLost::Ignored => self.look(now),
            ConnectionLost::GoesOn(event) => {
                self.tell(&event)?;
                self.look(now);
            }
            ConnectionLost::Waits(event) => {
                self.tell(&event)?;
                self.reconnects = true;
            }
        }
        Ok(())
    }

    /// Makes a new connection when the engine of the last one has ended, and its attempts are counted.
    fn look_for_connection(&mut self, now: Duration) -> anyhow::Result<()> {
        if self.reconnects && self.is_settled() {
            self.reconnects = false;
            self.reconnect(now)?;
        }
        self.finder.step(now);
        while let Some(connection) = self.finder.take_found() {
            self.found(connection, now)?;
        }
        if let Some(connection) = self.pending.take_if(|_| self.world.is_engine_settled()) {
            self.reconnects = false;
            // After the end, the peer only learns of it.
            if self.end.is_some() || self.story.may_connect(self.table.play().log())? {
                self.connected(connection, now)?;
            } else if !self.table.on_hold {
                // The connection is dropped, which closes it, and the player is asked.
                self.reconnects = true;
            }
        }
        Ok(())
    }

    fn is_settled(&self) -> bool {
        !self.uses_engine() || self.world.is_engine_settled()
    }

    /// A player has come to resume the match, or was called.
    fn found(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(peer) = self.story.seat_of(&connection.met.peer) else {
            return Ok(());
        };
        if self.uses_engine() {
            // The peer has lost the old connection, which this side may not have noticed.
            self.table.lose_connection(peer);
            self.drop_connection(peer);
            self.pending = Some(connection);
            return Ok(());
        }
        let name = connection.met.peer_name.clone();
        self.connected(connection, now)?;
        let is_awaited = !self.has_other_guests() || peer == Seat::HOST;
        let is_gone = self.log().gone().contains(&peer);
        let is_over = self.result.is_some();
        if is_awaited && !is_gone && !is_over && self.table.play().is_synced() {
            self.tell(&connected_again(&name))?;
        }
        Ok(())
    }

    /// The time of the next timer.
    pub fn timer(&self, now: Duration) -> Duration {
        let mut timer = now + HOUR;
        // The table does not know yet that the connection has ended.
        let mut connections = self.connections.values();
        if self.has_more || connections.any(|connection| connection.core.ended().is_some()) {
            timer = now;
        }
        let connections = self.connections.values().chain(self.answering.values());
        let connections = connections.chain(&self.pending);
        let times = connections
            .map(PolledConnection::timer)
            .chain([self.finder.timer(), self.due])
            .chain(self.end.as_ref().map(|end| end.until));
        times.fold(timer, Duration::min)
    }

    /// The name of the record.
    pub(super) fn record(&self) -> &str {
        &self.record
    }
}
