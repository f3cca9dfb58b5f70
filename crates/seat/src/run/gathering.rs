//! The guests whom a host has admitted to its table and who are in no match yet: the first ones have the free seats, the
//! others wait for one.

use std::time::Duration;

use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{PolledConnection, Sockets, Stream};
use dealerless_table::play::{Control, Ready};

use super::finding::request;
use crate::event::{Event, TablePlayer};

/// The time for which a guest that has lost its connection keeps its place.
const KEEPS_PLACE: Duration = Duration::from_secs(60);
/// The maximum number of guests who wait for a seat. Further ones are declined.
const MOST_WAITING: usize = 16;

/// The admitted guests, in order of arrival. The first ones have the free seats.
pub(super) struct Gathering<S: Sockets> {
    /// The number of seats of the table.
    seats: usize,
    /// The players who sit at the table already, the host first.
    seated: Vec<(PublicIdentity, Name)>,
    guests: Vec<Guest<S>>,
    /// The number of the next list of players. 0 while more players are awaited.
    number: u16,
    /// The state that was last sent to the guests who have a free seat: the number, their connections, and whether each
    /// is lost.
    sent: (u16, Vec<(u32, bool)>),
    /// Whether the host's player begins with the players who are here.
    has_started: bool,
}

struct Guest<S: Sockets> {
    connection: PolledConnection<S>,
    /// When the connection was lost.
    lost: Option<Duration>,
    ready: Option<Ready>,
}

impl<S: Sockets> Gathering<S> {
    pub(super) fn new(seats: usize, own: (PublicIdentity, Name)) -> Self {
        Gathering {
            seats,
            seated: vec![own],
            guests: Vec::new(),
            number: 0,
            sent: (0, Vec::new()),
            has_started: false,
        }
    }

    /// The number of guests who have a free seat.
    fn free(&self) -> usize {
        self.guests
            .len()
            .min(self.seats - self.seated.len().min(self.seats))
    }

    /// Whether a connected guest has a free seat.
    pub(super) fn has_newcomer(&self) -> bool {
        let mut guests = self.guests[..self.free()].iter();
        guests.any(|guest| guest.lost.is_none())
    }

    /// Whether the first match begins: all seats are taken by players who are connected, or the host's player begins with
    /// those who are here. A guest who is away keeps its seat, and is waited for, until then.
    pub(super) fn may_begin(&self) -> bool {
        let here = self.seated.len() + self.free();
        let mut guests = self.guests[..self.free()].iter();
        let are_connected = guests.all(|guest| guest.lost.is_none());
        here >= 2 && (self.has_started || here >= self.seats && are_connected)
    }

    /// Begins with the players who are here.
    ///
    /// # Errors
    /// If nobody is here.
    pub(super) fn start(&mut self) -> Result<(), &'static str> {
        if self.free() == 0 {
            return Err("nobody is here to play with yet");
        }
        self.has_started = true;
        Ok(())
    }

    /// Sets the players who sit at the table, the host first. A member who has come by the link waits like a guest.
    pub(super) fn sit(&mut self, mut players: Vec<(PublicIdentity, Name)>, now: Duration) {
        let sits = |guest: &Guest<S>| {
            let peer = &guest.connection.met.peer;
            players.iter().any(|(player, _)| player == peer)
        };
        self.guests
            .retain(|guest| guest.lost.is_none() || !sits(guest));
        players.retain(|(player, _)| !self.has(player));
        if players != self.seated {
            self.seated = players;
            self.sent.1.clear();
            self.changed(now);
        }
    }

    /// Asks the guests with a free seat to be ready for the list of players with this number, or with 0 for none.
    pub(super) fn expect(&mut self, number: u16, now: Duration) {
        if number != self.number {
            self.number = number;
            self.changed(now);
        }
    }

    /// The guests with a free seat who are ready for the current number.
    pub(super) fn ready(&self) -> impl Iterator<Item = (&PolledConnection<S>, &Ready)> {
        let guests = self.guests[..self.free()].iter();
        let ready = guests
            .filter(|guest| guest.lost.is_none())
            .filter_map(|guest| {
                let ready = guest.ready.as_ref()?;
                Some((&guest.connection, ready))
            });
        ready.filter(|(_, ready)| ready.number == self.number)
    }

    /// Whether a guest with a free seat is not ready yet.
    pub(super) fn awaits(&self) -> bool {
        let here = self.guests[..self.free()].iter();
        let here = here.filter(|guest| guest.lost.is_none());
        here.count() > self.ready().count()
    }

    /// Takes the connections to these guests when their match begins. They lose their places here.
    pub(super) fn take(&mut self, players: &[PublicIdentity]) -> Vec<PolledConnection<S>> {
        let is_one = |guest: &mut Guest<S>| players.contains(&guest.connection.met.peer);
        let taken = self.guests.extract_if(.., is_one);
        taken.map(|guest| guest.connection).collect()
    }

    /// Gives a guest whose match has not begun the first place again.
    pub(super) fn put_back(&mut self, connection: PolledConnection<S>, now: Duration) {
        if self.has(&connection.met.peer) {
            return;
        }
        let guest = Guest {
            lost: connection.core.ended().map(|_| now),
            connection,
            ready: None,
        };
        self.guests.insert(0, guest);
    }

    /// Removes the guests with a free seat who are not ready for the current number.
    pub(super) fn drop_late(&mut self, now: Duration) {
        let (free, number) = (self.free(), self.number);
        let mut place = 0;
        self.guests.retain(|guest| {
            place += 1;
            let is_ready = guest
                .ready
                .as_ref()
                .is_some_and(|ready| ready.number == number);
            place > free || is_ready || guest.lost.is_some()
        });
        if place > self.guests.len() {
            self.changed(now);
        }
    }

    /// Whether this peer has a place.
    pub(super) fn has(&self, peer: &PublicIdentity) -> bool {
        let mut guests = self.guests.iter();
        guests.any(|guest| guest.connection.met.peer == *peer)
    }

    /// Whether another guest, or a player who sits at the table, has this name.
    pub(super) fn has_namesake(&self, peer: &PublicIdentity, name: &Name) -> bool {
        let guests = self.guests.iter().map(|guest| &*guest.connection.met);
        let guests = guests.map(|met| (&met.peer, &met.peer_name));
        let seated = self.seated.iter().map(|(player, name)| (player, name));
        let mut others = guests.chain(seated).filter(|(other, _)| *other != peer);
        others.any(|(_, other)| other.as_str().to_lowercase() == name.as_str().to_lowercase())
    }

    /// Whether this peer has a place under this name.
    pub(super) fn has_named(&self, peer: &PublicIdentity, name: &Name) -> bool {
        let mut guests = self.guests.iter().map(|guest| &*guest.connection.met);
        guests.any(|met| met.peer == *peer && met.peer_name == *name)
    }

    /// Whether one more guest may wait.
    pub(super) fn has_place(&self) -> bool {
        self.guests.len() < self.free() + MOST_WAITING
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        let mut connections = self.guests.iter_mut().map(|guest| &mut guest.connection);
        connections.find(|connection| connection.number() == number)
    }

    /// The players who have a seat, for the host's player.
    pub(super) fn table(&self) -> Event {
        let player = |player: &PublicIdentity, name: &Name, away| TablePlayer {
            name: name.to_string(),
            fingerprint: Some(player.fingerprint().to_string()),
            away,
        };
        let seated = self.seated.iter();
        let seated = seated.map(|(identity, name)| player(identity, name, false));
        let guests = self.guests[..self.free()].iter().map(|guest| {
            let met = &guest.connection.met;
            player(&met.peer, &met.peer_name, guest.lost.is_some())
        });
        Event::Table {
            players: seated.chain(guests).collect(),
            seats: self.seats as u8,
            place: 0,
        }
    }

    /// Adds a guest. A guest who lost its connection and returns in time keeps its place.
    pub(super) fn add(&mut self, connection: PolledConnection<S>, now: Duration) {
        let peer = connection.met.peer.clone();
        self.seated.retain(|(player, _)| *player != peer);
        let guest = Guest {
            connection,
            lost: None,
            ready: None,
        };
        let is_same = |other: &&mut Guest<S>| other.connection.met.peer == peer;
        match self.guests.iter_mut().find(is_same) {
            Some(same) => *same = guest,
            None => self.guests.push(guest),
        }
        self.changed(now);
    }

    /// Removes a guest who has asked for something else on another connection. Returns whether it had a place.
    pub(super) fn remove(&mut self, peer: &PublicIdentity, now: Duration) -> bool {
        let had_place = self.has(peer);
        if had_place {
            self.guests
                .retain(|guest| guest.connection.met.peer != *peer);
            self.changed(now);
        }
        had_place
    }

    /// Removes the guest with this fingerprint, whom the host's player turns away.
    pub(super) fn turn_away(
        &mut self,
        fingerprint: &str,
        now: Duration,
    ) -> Option<PolledConnection<S>> {
        let is_it =
            |guest: &Guest<S>| guest.connection.met.peer.fingerprint().to_string() == fingerprint;
        let place = self.guests.iter().position(is_it)?;
        let guest = self.guests.remove(place);
        self.changed(now);
        Some(guest.connection)
    }

    /// Sends the guests who has a seat, and whether they have to be ready, after a change.
    fn changed(&mut self, now: Duration) {
        let free = self.free();
        self.has_started &= self.seated.len() > 1 || free > 0;
        let guests = self.guests[..free].iter();
        let state = guests.map(|guest| (guest.connection.number(), guest.lost.is_some()));
        let state = (self.number, state.collect());
        // Guests with a seat need not know of a change in the queue.
        let first = if state == self.sent { free } else { 0 };
        self.sent = state;
        let guests = self.guests[..free].iter();
        let guests = guests.map(|guest| guest.connection.met.peer_name.clone());
        let seated = self.seated.iter().map(|(_, name)| name.clone());
        let players: Vec<Name> = seated.chain(guests).collect();
        for (index, guest) in self.guests.iter_mut().enumerate().skip(first) {
            let place = (index + 1).saturating_sub(free) as u8;
            let waits = Control::Waits {
                place,
                number: if place == 0 { self.number } else { 0 },
                players: players.clone(),
            };
            // The next step finds that the connection has ended.
            let _ = guest.connection.core.send(Stream::Control, &waits.encode());
            guest.connection.flush(now);
        }
    }

    /// Processes the messages of the guests. Returns whether a guest has left or has lost its connection.
    pub(super) fn step(&mut self, now: Duration) -> bool {
        let mut place = 0;
        let mut has_changed = false;
        while place < self.guests.len() {
            let guest = &mut self.guests[place];
            guest.connection.flush(now);
            let was_lost = guest.lost;
            let stays = match was_lost {
                Some(lost) => now < lost + KEEPS_PLACE,
                None => guest.receive(now),
            };
            has_changed |= !stays || was_lost != guest.lost;
            match stays {
                true => place += 1,
                false => drop(self.guests.remove(place)),
            }
        }
        if has_changed {
            self.changed(now);
        }
        has_changed
    }

    /// Closes the table: the connections to all guests.
    pub(super) fn close(&mut self) -> Vec<PolledConnection<S>> {
        let guests = std::mem::take(&mut self.guests).into_iter();
        guests.map(|guest| guest.connection).collect()
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let connections = self.guests.iter().map(|guest| match guest.lost {
            Some(lost) => lost + KEEPS_PLACE,
            None => guest.connection.timer(),
        });
        connections.min().unwrap_or(Duration::MAX)
    }
}

impl<S: Sockets> Guest<S> {
    /// Processes the messages of the guest. Returns whether it stays.
    fn receive(&mut self, now: Duration) -> bool {
        loop {
            match self.connection.core.next_message() {
                Ok(None) => return true,
                Ok(Some(message)) => match request(&message) {
                    Some(Control::Ready(ready)) => self.ready = Some(*ready),
                    // The guest did not know yet that its match does not begin.
                    Some(Control::Resume(_)) => {}
                    None if message.stream == Stream::Log => {}
                    _ => return false,
                },
                Err(_) => {
                    self.lost = Some(now);
                    return true;
                }
            }
        }
    }
}
