//! All connections: the order in which they are read, and the destination of their bytes.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use slab::Slab;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::connection::{Connection, Stage};
use crate::handshake::NO_SUCH_CODE;
use crate::networks::{Id, Network, Networks};
use crate::rooms::{Place, Rooms};
use crate::status::{Counts, Limit};
use crate::{Limits, Page, Settings, frames, http, sockets};

/// The room before the bytes that were read, for the head of a frame.
const ROOM: usize = frames::MAX_HEAD;
/// The maximum number of bytes that are read at once, and so the maximum that waits for a slow
/// reader.
const CHUNK: usize = 16 << 10;
/// The same for a client that sends small frames: decoding them takes long, and the others wait for
/// their turn.
const SMALL_CHUNK: usize = 1 << 10;
/// The length of a burst: a room may forward the bytes of this time at once.
const BURST: Duration = Duration::from_secs(1);
/// The maximum number of bytes of all incomplete handshakes.
const MAX_HANDSHAKES: usize = 4 << 20;
/// The number of bytes that are received and dropped at the end of a connection.
const MAX_DROPPED: usize = 1 << 20;

/// All connections, and what they share.
pub(crate) struct Clients {
    pub(crate) limits: Limits,
    pub(crate) page: Option<Page>,
    behind_proxy: bool,
    pub(crate) allowed_pages: Vec<String>,
    max_rate: Option<NonZeroU64>,
    pub(crate) networks: Networks,
    pub(crate) rooms: Rooms,
    pub(crate) connections: Slab<Connection>,
    /// The time of the last event.
    pub(crate) now: Instant,
    /// The slots of connections with work.
    ready: VecDeque<usize>,
    /// What was read, from `ROOM` on.
    bytes: Box<[u8]>,
    pub(crate) counts: Counts,
    /// The size of all incomplete handshakes, in bytes.
    handshakes: usize,
    /// The slots of the connections with unsent bytes, by the time since which they have some.
    pub(crate) blocked: BTreeSet<(Instant, usize)>,
}

impl Clients {
    pub(crate) fn new(settings: Settings) -> Self {
        let (limits, now) = (settings.limits, Instant::now());
        Clients {
            limits,
            page: settings.page,
            behind_proxy: settings.behind_proxy,
            allowed_pages: settings.allowed_pages,
            max_rate: settings.max_rate,
            networks: Networks::new(limits, now),
            rooms: Rooms::new(limits.code_hold, limits.code_rest),
            connections: Slab::new(),
            now,
            ready: VecDeque::new(),
            bytes: vec![0; ROOM + CHUNK].into(),
            counts: Counts::default(),
            handshakes: 0,
            blocked: BTreeSet::new(),
        }
    }

    /// The time between two calls of [`tick`](Self::tick): the precision of all deadlines.
    pub(crate) fn interval(&self) -> Duration {
        let limits = &self.limits;
        let times = [
            limits.handshake,
            limits.waiting,
            limits.code_hold,
            limits.code_wait,
            limits.code_rest,
            limits.unread,
            limits.ping,
            limits.closing,
        ];
        let rooms = self.max_rate.map(|_| BURST / 2);
        let shortest = times.into_iter().chain(rooms).min().unwrap_or_default();
        (shortest / 4).clamp(Duration::from_millis(1), Duration::from_secs(1))
    }

    pub(crate) fn set_time(&mut self, now: Instant) {
        self.now = now;
    }

    /// Adds an accepted connection, or closes it if a limit is reached. `is_status` says whether it is
    /// the operator's.
    pub(crate) fn add(
        &mut self,
        mut socket: TcpStream,
        peer: IpAddr,
        is_status: bool,
        registry: &Registry,
    ) {
        let is_local = is_status || (self.behind_proxy && peer.to_canonical().is_loopback());
        let network = if is_local {
            Network::LOCAL
        } else {
            Network::of(peer)
        };
        if !self.admits(network) {
            return;
        }
        let is_full = self.connections.len() >= self.limits.connections;
        if is_full {
            self.counts.reached(Limit::Connections);
            match self.networks.superfluous(network) {
                Some(other) => self.lose(other.slot),
                None => return,
            }
        }
        if sockets::prepare(&socket, self.limits.unread).is_err() {
            return;
        }
        let place = self.connections.vacant_entry();
        let slot = place.key();
        let interest = Interest::READABLE | Interest::WRITABLE;
        if registry
            .register(&mut socket, Token(slot), interest)
            .is_err()
        {
            return;
        }
        self.counts.connections += 1;
        let id = Id {
            number: self.counts.connections,
            slot,
        };
        let deadline = self.now + self.limits.handshake;
        let connection = place.insert(Connection::new(socket, id, network, self.now, deadline));
        connection.is_status = is_status;
        self.networks.add(network, id, self.now);
    }

    /// Whether another connection of this network is served. It may take the place of an older one
    /// of the same network.
    pub(crate) fn admits(&mut self, network: Network) -> bool {
        if !self.networks.may_arrive(network, self.now) {
            self.counts.reached(Limit::Arrivals);
            return false;
        }
        if self.networks.is_full(network) {
            self.counts.reached(Limit::ConnectionsPerAddress);
            if let Some(oldest) = self.networks.oldest_idle_of(network) {
                self.lose(oldest.slot);
            }
        }
        !self.networks.is_full(network)
    }

    /// Drops the connection that matters least. Returns false if all have completed a handshake.
    pub(crate) fn drop_one(&mut self, limit: Limit) -> bool {
        let oldest = self.networks.oldest_idle();
        if let Some(oldest) = oldest {
            self.counts.reached(limit);
            self.lose(oldest.slot);
        }
        oldest.is_some()
    }

    /// Notes an event of a connection.
    pub(crate) fn notice(&mut self, slot: usize, event: &Event) {
        if let Some(connection) = self.connections.get_mut(slot) {
            connection.notice(event);
            self.make_ready(slot);
        }
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.ready.is_empty()
    }

    fn make_ready(&mut self, slot: usize) {
        if let Some(connection) = self.connections.get_mut(slot)
            && !connection.is_ready
        {
            connection.is_ready = true;
            self.ready.push_back(slot);
        }
    }

    /// Gives each connection with work one turn.
    pub(crate) fn work(&mut self) {
        for _ in 0..self.ready.len() {
            if let Some(slot) = self.ready.pop_front() {
                self.turn(slot);
            }
        }
    }

    /// Sends what is unsent, and reads once.
    fn turn(&mut self, slot: usize) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        connection.is_ready = false;
        if connection.can_send() {
            self.flush(slot);
        }
        if self.may_read(slot) {
            self.read(slot);
        }
        let has_more = self.connections.get(slot).is_some_and(Connection::can_send);
        if has_more || self.may_read(slot) {
            self.make_ready(slot);
        }
        while self.blocked.len() > self.limits.blocked
            && let Some(slot) = self.longest_blocked()
        {
            self.counts.reached(Limit::Blocked);
            self.end_room(slot);
        }
    }

    /// Of the network with the most connections with unsent bytes, the connection that has some for the
    /// longest time.
    fn longest_blocked(&self) -> Option<usize> {
        let network = |slot: &usize| self.connections.get(*slot).map(|it| it.network);
        let mut counts: HashMap<Option<Network>, usize> = HashMap::new();
        for (_, slot) in &self.blocked {
            *counts.entry(network(slot)).or_default() += 1;
        }
        let most = counts.values().max()?;
        let slots = self.blocked.iter().map(|(_, slot)| slot);
        slots.copied().find(|slot| counts[&network(slot)] == *most)
    }

    /// Whether this connection is read: not while its peer has not taken what was read before.
    fn may_read(&self, slot: usize) -> bool {
        let Some(connection) = self.connections.get(slot) else {
            return false;
        };
        let peer = |slot: usize| self.connections.get(slot);
        connection.is_readable()
            && match connection.stage {
                Stage::Joined(slot) => {
                    let is_within_rate = connection.paid_until <= self.now + BURST;
                    is_within_rate && !peer(slot).is_some_and(Connection::has_unsent)
                }
                Stage::Closing(dropped) => dropped <= MAX_DROPPED,
                Stage::Handshake(_) | Stage::Waiting(_) => true,
            }
    }

    fn flush(&mut self, slot: usize) {
        let now = self.now;
        self.change(slot, |connection| connection.flush(now));
        match self.connections.get(slot) {
            Some(connection) if connection.has_unsent() => {}
            Some(connection) => match connection.stage {
                Stage::Joined(peer) => self.make_ready(peer),
                Stage::Closing(_) => self.end_sending(slot),
                Stage::Handshake(_) | Stage::Waiting(_) => {}
            },
            None => {}
        }
    }

    fn end_sending(&mut self, slot: usize) {
        if let Some(connection) = self.connections.get_mut(slot)
            && !connection.has_unsent()
        {
            connection.end_sending();
        }
    }

    /// Changes a connection, and counts its buffers. It ends if it is broken.
    pub(crate) fn change(
        &mut self,
        slot: usize,
        change: impl FnOnce(&mut Connection) -> std::io::Result<()>,
    ) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        let (handshake, blocked) = (connection.handshake_len(), connection.blocked);
        let changed = change(connection);
        self.handshakes += connection.handshake_len();
        self.handshakes -= handshake;
        if connection.blocked != blocked {
            if let Some(since) = blocked {
                self.blocked.remove(&(since, slot));
            }
            if let Some(since) = connection.blocked {
                self.blocked.insert((since, slot));
            }
        }
        if changed.is_err() {
            self.lose(slot);
        }
    }

    fn read(&mut self, slot: usize) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        let frames = connection.frames.as_ref();
        let has_small_frames = frames.is_some_and(|frames| frames.are_small());
        let most = match &connection.stage {
            Stage::Handshake(bytes) if connection.frames.is_none() => http::MAX_HEAD - bytes.len(),
            _ if has_small_frames => SMALL_CHUNK,
            _ => CHUNK,
        };
        match connection.read(&mut self.bytes[ROOM..ROOM + most]) {
            Ok(None) => {}
            Ok(Some(0)) | Err(_) => self.lose(slot),
            Ok(Some(len)) => {
                connection.heard = self.now;
                connection.pinged = false;
                self.received(slot, len);
            }
        }
    }

    /// Copies bytes to the place of what was read.
    pub(crate) fn put_back(&mut self, bytes: &[u8]) {
        self.bytes[ROOM..ROOM + bytes.len()].copy_from_slice(bytes);
    }

    /// Takes `len` bytes that were read.
    pub(crate) fn received(&mut self, slot: usize, len: usize) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        if let Stage::Closing(dropped) = &mut connection.stage {
            *dropped += len;
            return;
        }
        let Some(frames) = &mut connection.frames else {
            return self.payload(slot, len);
        };
        let decoded = frames.decode(&mut self.bytes[ROOM..ROOM + len]);
        self.payload(slot, decoded.len);
        let now = self.now;
        if let Some(pong) = decoded.pong {
            self.change(slot, |connection| match connection.stage {
                Stage::Closing(_) => Ok(()),
                _ => connection.send_pong(pong, now),
            });
        }
        if let Some(close) = decoded.close {
            self.finish(slot, &close);
        }
    }

    /// Takes `len` bytes of the transit relay's protocol.
    pub(crate) fn payload(&mut self, slot: usize, len: usize) {
        let Some(connection) = self.connections.get(slot).filter(|_| len > 0) else {
            return;
        };
        match connection.stage {
            Stage::Handshake(_) => {
                let bytes = std::mem::take(&mut self.bytes);
                self.change(slot, |connection| {
                    if let Stage::Handshake(before) = &mut connection.stage {
                        before.reserve_exact(len);
                        before.extend_from_slice(&bytes[ROOM..ROOM + len]);
                    }
                    Ok(())
                });
                self.bytes = bytes;
                self.handshake(slot);
                while self.handshakes > MAX_HANDSHAKES && self.drop_one(Limit::Handshakes) {}
            }
            Stage::Waiting(_) => self.close(slot, b"impatient\n"),
            Stage::Joined(peer) => {
                self.counts.bytes += len as u64;
                self.pay([slot, peer], len);
                self.prove_code(peer, len);
                self.forward(peer, len);
            }
            Stage::Closing(_) => {}
        }
    }

    /// Notes that a client gets `len` bytes. A guest of a code that gets the host's invite has not failed.
    fn prove_code(&mut self, slot: usize, len: usize) {
        if let Some(connection) = self.connections.get_mut(slot)
            && let Some((missing, used)) = connection.unproven
        {
            let missing = missing.saturating_sub(len);
            connection.unproven = (missing > 0).then_some((missing, used));
            if missing == 0 {
                self.networks
                    .code_has_succeeded(connection.network, used, self.now);
            }
        }
    }

    /// Counts `len` bytes of a room towards its rate.
    fn pay(&mut self, room: [usize; 2], len: usize) {
        let Some(rate) = self.max_rate else {
            return;
        };
        let time = Duration::from_secs_f64(len as f64 / rate.get() as f64);
        for slot in room {
            if let Some(connection) = self.connections.get_mut(slot) {
                connection.paid_until = connection.paid_until.max(self.now) + time;
            }
        }
    }

    /// Sends `len` bytes that were read to this connection.
    fn forward(&mut self, slot: usize, len: usize) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let now = self.now;
        self.change(slot, |connection| {
            if matches!(connection.stage, Stage::Closing(_)) {
                return Ok(());
            }
            let head = match (&connection.frames, bytes.first_chunk_mut()) {
                (Some(_), Some(room)) => frames::binary_head(len, room),
                _ => 0,
            };
            connection.send(&bytes[ROOM - head..ROOM + len], now)
        });
        self.bytes = bytes;
    }

    /// Sends an answer of the relay itself.
    pub(crate) fn answer(&mut self, slot: usize, answer: &[u8]) {
        self.put_back(answer);
        self.forward(slot, answer.len());
    }

    /// Sends an answer and ends the connection.
    pub(crate) fn close(&mut self, slot: usize, answer: &[u8]) {
        if !answer.is_empty() {
            self.answer(slot, answer);
        }
        let is_websocket = |connection: &Connection| connection.frames.is_some();
        let last = if self.connections.get(slot).is_some_and(is_websocket) {
            frames::close(CloseCode::Normal)
        } else {
            Vec::new()
        };
        self.finish(slot, &last);
    }

    /// Ends a connection after its unsent bytes and `last`. The client ends it, too, so that the
    /// system does not drop what the client has not read; otherwise a deadline does.
    pub(crate) fn finish(&mut self, slot: usize, last: &[u8]) {
        let Some(connection) = self.connections.get(slot) else {
            return;
        };
        let limit = match connection.stage {
            Stage::Closing(_) => return,
            // It may be slow to read what its peer has sent.
            Stage::Joined(_) => self.limits.unread,
            Stage::Handshake(_) | Stage::Waiting(_) => self.limits.closing,
        };
        let now = self.now;
        self.change(slot, |connection| connection.send(last, now));
        self.set_closing(slot, now + limit);
    }

    /// The connection gets only its unsent bytes, until `deadline`.
    pub(crate) fn set_closing(&mut self, slot: usize, deadline: Instant) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        let (id, network) = (connection.id, connection.network);
        connection.deadline = Some(deadline);
        let mut stage = Stage::Closing(0);
        self.change(slot, |connection| {
            std::mem::swap(&mut stage, &mut connection.stage);
            Ok(())
        });
        self.networks.set_idle(network, id, true);
        self.leave(stage, network, id);
        self.end_sending(slot);
    }

    /// Removes a connection. Its peer gets what was sent before. If it has unsent bytes, the client
    /// sees that they are lost.
    pub(crate) fn lose(&mut self, slot: usize) {
        let Some(connection) = self.connections.try_remove(slot) else {
            return;
        };
        self.handshakes -= connection.handshake_len();
        if let Some(since) = connection.blocked {
            self.blocked.remove(&(since, slot));
            connection.reset();
        }
        self.networks.remove(connection.network, connection.id);
        self.leave(connection.stage, connection.network, connection.id);
    }

    /// Removes a connection that does not read, and its peer, whose bytes would fill the system's
    /// buffers until it noticed the end.
    fn end_room(&mut self, slot: usize) {
        let stage = self.connections.get(slot).map(|it| &it.stage);
        let peer = match stage {
            Some(Stage::Joined(peer)) => Some(*peer),
            _ => None,
        };
        for slot in peer.into_iter().chain([slot]) {
            self.lose(slot);
        }
    }

    /// A connection is not in this stage any more.
    fn leave(&mut self, stage: Stage, network: Network, id: Id) {
        match stage {
            Stage::Waiting(place) => {
                if !self.rooms.leave(&place, id, self.now) {
                    self.networks.waited(network);
                }
            }
            Stage::Joined(peer) => self.close(peer, b""),
            Stage::Handshake(_) | Stage::Closing(_) => {}
        }
    }

    /// Ends all connections that are in no room yet.
    pub(crate) fn end_waiting(&mut self) {
        let is_waiting = |stage: &Stage| matches!(stage, Stage::Handshake(_) | Stage::Waiting(_));
        let connections = self.connections.iter();
        let waiting = connections.filter(|(_, connection)| is_waiting(&connection.stage));
        let slots: Vec<usize> = waiting.map(|(slot, _)| slot).collect();
        slots.into_iter().for_each(|slot| self.lose(slot));
    }

    /// Ends connections whose time is over, and sends pings.
    pub(crate) fn tick(&mut self) {
        let slots: Vec<usize> = self.connections.iter().map(|(slot, _)| slot).collect();
        for slot in slots {
            self.check_time(slot);
            // The rate of its room may permit more.
            if self.max_rate.is_some() && self.may_read(slot) {
                self.make_ready(slot);
            }
        }
        for network in self.rooms.tick(self.now) {
            self.networks.waited(network);
        }
        self.networks.forget(self.now);
    }

    fn check_time(&mut self, slot: usize) {
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        let (now, limits) = (self.now, &self.limits);
        let since = |time: Instant| now.saturating_duration_since(time);
        let is_open = !matches!(connection.stage, Stage::Closing(_));
        // A closing client still sends, and reads all that it gets.
        let sends_too_much = matches!(connection.stage, Stage::Closing(dropped) if dropped > MAX_DROPPED)
            && !connection.has_unsent();
        let is_websocket = connection.frames.is_some() && is_open;
        let is_over = connection.deadline.is_some_and(|deadline| now >= deadline);
        let is_slow =
            is_open && (connection.blocked).is_some_and(|blocked| since(blocked) >= limits.unread);
        let is_dead = is_websocket && since(connection.heard) >= 3 * limits.ping;
        if is_over && let Stage::Waiting(place) = connection.stage {
            let is_guest = matches!(place, Place::Guest(_));
            self.close(slot, if is_guest { NO_SUCH_CODE } else { b"" });
        } else if is_over || is_dead || sends_too_much || is_slow {
            if is_slow {
                self.counts.reached(Limit::Unread);
                return self.end_room(slot);
            }
            if is_over && is_open {
                self.counts.reached(Limit::Handshake);
            }
            self.lose(slot);
        } else if is_websocket && !connection.pinged && since(connection.heard) >= limits.ping {
            connection.pinged = true;
            // A peer that does not take what was sent to it needs no ping.
            if !connection.has_unsent() {
                self.change(slot, |connection| connection.send(&frames::ping(), now));
            }
        }
    }
}
