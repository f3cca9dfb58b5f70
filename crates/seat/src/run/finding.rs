//! Connections between a seat and the other players of its match: the seat calls some of them, and answers others at
//! its door.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless_connection::identity::{Address, PublicIdentity};
use dealerless_connection::{
    Credentials, Dial, DoorEvent, Happened, Invite, MeetingError, Message, Place, PolledConnection,
    PolledDoor, Sockets, Stream, Timing, system_rng,
};
use dealerless_table::log::{MatchId, Sitting};
use dealerless_table::play::Control;

use super::door;
use super::lobby::Lobby;
use super::other_guests::keys_of_guests;
use super::own::Own;
use super::world::SeatWorld;
use crate::peers::Leaks;
use crate::retry::{HOST_PAUSE, pause};

/// The addresses, the relay and the keys or invite by which another player is called.
#[derive(Clone)]
pub struct Route {
    /// The invite of a host, if there is one.
    pub invite: Option<Box<Invite>>,
    /// The keys of the player, if they are known.
    pub peer: Option<PublicIdentity>,
    /// The addresses of the player.
    pub addresses: Vec<Address>,
    /// The relay of the player.
    pub relay: Option<Place>,
}

impl Route {
    /// The route to the host of an invite.
    pub fn to_host(invite: Invite) -> Self {
        Route {
            peer: None,
            addresses: invite.addresses().to_vec(),
            relay: invite.relay().cloned().map(Place::from),
            invite: Some(Box::new(invite)),
        }
    }

    /// Call number `number` on this route. Calls alternate between the invite and the host's keys: the
    /// host may know the invite without knowing the guest yet.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`]; [`MeetingError::NoAddress`] if there is no way to the player.
    pub(super) fn call<S: Sockets>(
        &self,
        sockets: &S,
        own: Credentials,
        number: u32,
        now: Duration,
    ) -> Result<Dial<S>, MeetingError> {
        let (timing, at, relay) = (Timing::default(), &self.addresses, self.relay.clone());
        match (&self.invite, &self.peer) {
            (Some(invite), peer) if number.is_multiple_of(2) || peer.is_none() => {
                Dial::by_invite(sockets, own, invite, at, relay, timing, now)
            }
            (_, Some(peer)) => Dial::with_known(sockets, own, peer, at, relay, timing, now),
            _ => Err(MeetingError::NoAddress),
        }
    }
}

/// Calls another player until it answers.
pub struct Caller<W: SeatWorld> {
    peer: PublicIdentity,
    route: Route,
    /// The first message on a connection.
    first: Control,
    /// The longest pause between two calls.
    longest: Duration,
    call: Option<Box<Dial<W::Sockets>>>,
    /// The time of the next call.
    next: Option<Duration>,
    /// The number of calls since the match last continued.
    tries: u32,
    /// Whether the player is not called any more.
    has_left: bool,
}

impl<W: SeatWorld> Caller<W> {
    /// Calls this player, to resume the match.
    pub fn new(of: MatchId, peer: PublicIdentity, route: Route) -> Self {
        Caller {
            peer,
            route,
            first: Control::Resume(of),
            longest: HOST_PAUSE,
            call: None,
            next: None,
            tries: 0,
            has_left: false,
        }
    }

    /// Calls with the pause after `tries` failed calls at first, and with pauses of up to `longest`.
    #[must_use]
    pub fn pausing(self, tries: u32, longest: Duration) -> Self {
        Caller {
            tries,
            longest,
            ..self
        }
    }

    /// Sends this message first on a connection, in place of the request to resume the match. The connection
    /// has no other use, and is kept until the other side closes it.
    #[must_use]
    pub fn beginning_with(self, first: Control) -> Self {
        Caller { first, ..self }
    }

    /// Calls the player after a pause, unless this is the first call.
    fn look(&mut self, now: Duration) {
        if self.has_left {
            return;
        }
        let pause = match self.tries {
            0 => Duration::ZERO,
            tries => pause(tries, self.longest, &mut system_rng()),
        };
        self.tries = self.tries.saturating_add(1);
        self.next = Some(now + pause);
        self.call = None;
    }

    /// Stops calling. The next call continues with longer pauses.
    fn stop(&mut self) {
        self.call = None;
        self.next = None;
    }

    /// Continues after a step of the call. Returns the connection to the player, on which the first message
    /// was sent.
    fn met(
        &mut self,
        met: Result<Option<PolledConnection<W::Sockets>>, MeetingError>,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        let met = match met {
            Ok(None) => return None,
            met => met.ok().flatten(),
        };
        self.call = None;
        let is_peer = |connection: &PolledConnection<W::Sockets>| connection.met.peer == self.peer;
        let Some(mut connection) = met.filter(is_peer) else {
            self.look(now);
            return None;
        };
        // If the connection has ended, its user learns it from the next message.
        let _ = connection.core.send(Stream::Control, &self.first.encode());
        connection.flush(now);
        Some(connection)
    }

    fn step(
        &mut self,
        world: &W,
        own: &Credentials,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        if self.next.is_some_and(|next| now >= next) {
            self.next = None;
            match self
                .route
                .call(world.sockets(), own.clone(), self.tries, now)
            {
                Ok(call) => self.call = Some(Box::new(call)),
                // Only the other side can call.
                Err(_) => self.has_left = true,
            }
        }
        let met = self.call.as_mut()?.step(now);
        self.met(met, now)
    }

    fn timer(&self) -> Duration {
        let call = self.call.as_ref().map(|call| call.timer());
        let times = [call, self.next];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }
}

/// Finds the players of a match: calls them, and answers at the door.
pub struct Finder<W: SeatWorld> {
    world: W,
    own: Credentials,
    of: MatchId,
    /// The other players of the match.
    players: Vec<PublicIdentity>,
    callers: Vec<Caller<W>>,
    door: Option<PolledDoor<W::Sockets>>,
    leaks: Arc<Mutex<Leaks>>,
    lobby: Lobby<W::Sockets>,
    found: VecDeque<PolledConnection<W::Sockets>>,
}

impl<W: SeatWorld> Finder<W> {
    /// Finds these players of a match.
    pub fn new(own: &Own<W>, of: MatchId, players: Vec<PublicIdentity>) -> Self {
        Finder {
            world: own.world.clone(),
            own: own.credentials(),
            of,
            players,
            callers: Vec::new(),
            door: None,
            leaks: Arc::clone(&own.leaks),
            lobby: Lobby::new(),
            found: VecDeque::new(),
        }
    }

    /// Finds the guests of a match, without this player.
    pub(super) fn of_guests(own: &Own<W>, sitting: &Sitting) -> Self {
        Finder::new(own, sitting.match_info.id(), keys_of_guests(sitting))
    }

    /// Answers at this door.
    #[must_use]
    pub fn waiting(self, door: PolledDoor<W::Sockets>) -> Self {
        let door = Some(door);
        Finder { door, ..self }
    }

    /// Calls with this caller when it [looks](Self::look_for) for its player.
    #[must_use]
    pub fn calling(mut self, caller: Caller<W>) -> Self {
        self.callers.push(caller);
        self
    }

    /// Also waits for a player at a relay, if there is a door.
    pub(super) fn wait_at_relay(&mut self, relay: &Place, peer: &PublicIdentity, now: Duration) {
        if let Some(door) = &mut self.door {
            door.wait_for_known(relay.clone(), peer, now);
        }
    }

    /// Takes the door, whose owner then passes on the connections.
    pub(super) fn take_door(&mut self) -> Option<PolledDoor<W::Sockets>> {
        self.door.take()
    }

    /// Stops looking for everybody.
    pub(super) fn stop(&mut self) {
        self.callers.iter_mut().for_each(Caller::stop);
        self.door.iter_mut().for_each(PolledDoor::stop);
        self.lobby.clear();
        self.found.clear();
    }

    /// Waits at the door again after [`stop`](Self::stop).
    pub(super) fn begin_waiting(&mut self, now: Duration) {
        self.door.iter_mut().for_each(|door| door.begin(now));
    }

    /// Looks for a player: calls it, if this side has a caller for it, and waits for it at the door.
    pub fn look_for(&mut self, peer: &PublicIdentity, now: Duration) {
        self.begin_waiting(now);
        self.of_peer(peer, |caller| caller.look(now));
    }

    /// The match has continued with this player: the next call is made at once.
    pub(super) fn has_found(&mut self, peer: &PublicIdentity) {
        self.of_peer(peer, |caller| {
            caller.tries = 0;
            caller.stop();
        });
    }

    /// Stops calling a player. The next call comes after a longer pause.
    pub(super) fn stop_calling(&mut self, peer: &PublicIdentity) {
        self.of_peer(peer, Caller::stop);
    }

    /// Does not call a player any more.
    pub(super) fn has_left(&mut self, peer: &PublicIdentity) {
        self.of_peer(peer, |caller| {
            caller.has_left = true;
            caller.stop();
        });
    }

    fn of_peer(&mut self, peer: &PublicIdentity, work: impl Fn(&mut Caller<W>)) {
        let mut callers = self.callers.iter_mut();
        if let Some(caller) = callers.find(|caller| caller.peer == *peer) {
            work(caller);
        }
    }

    /// The next connection to a player of the match, who is to resume it there.
    pub fn take_found(&mut self) -> Option<PolledConnection<W::Sockets>> {
        self.found.pop_front()
    }

    /// Waits for the request of somebody who has come, if it is a player.
    pub fn admit(&mut self, connection: PolledConnection<W::Sockets>, now: Duration) {
        let peer = &connection.met.peer;
        if !self.players.contains(peer) {
            return self.lobby.decline(connection, &Control::Taken, now);
        }
        self.lobby.admit(connection, None, now);
    }

    /// Takes over the players who have come to the door.
    pub(super) fn taking_over(mut self, mut lobby: Lobby<W::Sockets>, now: Duration) -> Self {
        let silent = lobby.take_silent();
        self.lobby = lobby;
        silent
            .into_iter()
            .for_each(|connection| self.admit(connection, now));
        self
    }

    /// Answers the request of a player.
    fn asked(&mut self, connection: PolledConnection<W::Sockets>, request: Control, now: Duration) {
        match request {
            Control::Resume(of) if of == self.of => self.keep_found(connection),
            _ => self.lobby.decline(connection, &Control::Open(self.of), now),
        }
    }

    /// Keeps a connection on which the match is to be resumed. Of a player who makes more before they are taken,
    /// the last two stay: calls in both directions may cross.
    fn keep_found(&mut self, connection: PolledConnection<W::Sockets>) {
        let is_same = |other: &PolledConnection<W::Sockets>| other.met.peer == connection.met.peer;
        if self.found.iter().filter(|other| is_same(other)).count() > 1
            && let Some(oldest) = self.found.iter().position(is_same)
        {
            self.found.remove(oldest);
        }
        self.found.push_back(connection);
    }

    /// A caller has met its player.
    fn called(&mut self, index: usize, connection: PolledConnection<W::Sockets>) {
        let caller = &mut self.callers[index];
        match &caller.first {
            Control::Resume(_) => self.keep_found(connection),
            _ => {
                caller.has_left = true;
                self.lobby.leave(connection);
            }
        }
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let mut found = self.found.iter_mut();
        let found = found.find(|connection| connection.number() == number);
        found.or_else(|| self.lobby.connection(number))
    }

    /// Whether a socket is used to find somebody.
    pub fn has(&mut self, number: u32) -> bool {
        let mut calls = self
            .callers
            .iter()
            .filter_map(|caller| caller.call.as_ref());
        calls.any(|call| call.has(number))
            || self.door.as_ref().is_some_and(|door| door.has(number))
            || self.connection(number).is_some()
    }

    /// Something has happened to a connection.
    pub fn happened(&mut self, number: u32, what: Happened<'_>, now: Duration) {
        if let Some(connection) = self.connection(number) {
            return connection.happened(what, now);
        }
        for index in 0..self.callers.len() {
            let caller = &mut self.callers[index];
            if let Some(call) = caller.call.as_mut().filter(|call| call.has(number)) {
                let met = call.happened(number, what, now);
                if let Some(connection) = caller.met(met, now) {
                    self.called(index, connection);
                }
                return;
            }
        }
        if let Some(door) = &mut self.door {
            door.happened(number, what, now);
            self.take_events(now);
        }
    }

    /// Handles all events at the door.
    fn take_events(&mut self, now: Duration) {
        while let Some(event) = self.door.as_mut().and_then(PolledDoor::next_event) {
            match event {
                DoorEvent::Connection(connection) => self.admit(*connection, now),
                event => door::report(&self.world, &self.leaks, event),
            }
        }
    }

    /// Does all that is due.
    pub fn step(&mut self, now: Duration) {
        self.found
            .iter_mut()
            .for_each(|connection| connection.flush(now));
        for index in 0..self.callers.len() {
            let met = self.callers[index].step(&self.world, &self.own, now);
            if let Some(connection) = met {
                self.called(index, connection);
            }
        }
        self.door.iter_mut().for_each(|door| door.step(now));
        self.take_events(now);
        while let Some(arrived) = self.lobby.step(now) {
            if let Ok(request) = arrived.request {
                self.asked(arrived.connection, request, now);
            }
        }
    }

    /// The time of the next timer.
    pub fn timer(&self) -> Duration {
        let callers = self.callers.iter().map(Caller::timer);
        let door = self.door.as_ref().map(PolledDoor::timer);
        let found = self.found.iter().map(PolledConnection::timer);
        let times = callers.chain(door).chain(found);
        let times = times.chain([self.lobby.timer()]);
        times.min().unwrap_or(Duration::MAX)
    }
}

/// The request of a player in its first message, if it is one.
pub(super) fn request(message: &Message) -> Option<Control> {
    match message.stream {
        Stream::Control => Control::decode(&message.bytes),
        Stream::Log => None,
    }
}
