//! The guests whom a host has admitted to its table, from their arrival until all players have agreed to the list of
//! players.

use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_connection::{Met, PolledConnection, Sockets, Stream, system_rng};
use dealerless_table::log::{Past, Sitting};
use dealerless_table::play::{CannotBegin, Control, GuestAddresses, Roster, TableTerms};
use rand::Rng;

use super::finding::request;
use crate::event::{Event, TablePlayer};
use crate::guest::ANSWER;

/// How long a guest that has lost its connection keeps its place.
const KEEPS_PLACE: Duration = Duration::from_secs(60);
/// The time limit for the programs of the guests to agree to the list of players.
const AGREES: Duration = Duration::from_secs(30);
/// The maximum number of guests who wait for a seat. A further one is declined.
const MOST_WAITING: usize = 16;

/// The guests who have been admitted so far.
pub(super) struct Gathering<S: Sockets> {
    terms: TableTerms,
    /// The match that the match at this table continues.
    past: Option<Past>,
    own: (PublicIdentity, Name),
    /// The guests: first those who have a seat, in order of their seats once they are proposed, then those who wait for
    /// one, in order of arrival.
    guests: Vec<Guest<S>>,
    /// The connections of the guests who have a seat, and whether each is lost, as all guests were told.
    told: Vec<(u32, bool)>,
    /// Whether the host's player begins with those who are here.
    has_started: bool,
    /// The match that was proposed to all seated guests, and the time until which they may answer.
    proposed: Option<(Sitting, Duration)>,
}

struct Guest<S: Sockets> {
    connection: PolledConnection<S>,
    /// When the connection was lost.
    lost: Option<Duration>,
    /// Where the other guests may reach this guest, once it has agreed to the list of players.
    agreed: Option<GuestAddresses>,
}

/// A change in the gathering since the last step.
pub(super) enum Change<S: Sockets> {
    /// A guest has left or declined, or its connection is lost.
    Left,
    /// These players cannot play the match.
    CannotBegin(CannotBegin),
    Complete(Box<Agreed<S>>),
}

/// A match that all players have agreed to.
pub(super) struct Agreed<S: Sockets> {
    pub(super) sitting: Sitting,
    /// A connection to each guest.
    pub(super) connections: Vec<PolledConnection<S>>,
    /// The connections of those who wait for a seat.
    pub(super) without_seat: Vec<PolledConnection<S>>,
    addresses: Vec<GuestAddresses>,
}

impl<S: Sockets> Agreed<S> {
    /// Tells all guests that the match begins. The host's file of the match is on the disk before.
    pub(super) fn begin(&mut self) {
        let begins = Control::Begins(self.addresses.clone()).encode();
        for connection in &mut self.connections {
            // If the connection has ended, the seat learns it from the next message.
            let _ = connection.core.send(Stream::Control, &begins);
        }
    }
}

impl<S: Sockets> Gathering<S> {
    pub(super) fn new(terms: TableTerms, past: Option<Past>, own: (PublicIdentity, Name)) -> Self {
        Gathering {
            terms,
            past,
            own,
            guests: Vec::new(),
            told: Vec::new(),
            has_started: false,
            proposed: None,
        }
    }

    /// The number of guests that have a seat.
    fn seated(&self) -> usize {
        self.guests.len().min(self.terms.stakes.seats() - 1)
    }

    /// The number of players who have a seat, with the host.
    pub(super) fn present(&self) -> usize {
        self.seated() + 1
    }

    /// Whether the match begins with those who are here. They may still have to agree, or to connect again.
    pub(super) fn may_begin(&self) -> bool {
        let wanted = match self.has_started {
            true => 2,
            false => self.terms.stakes.seats(),
        };
        self.present() >= wanted
    }

    /// Begins with those who are here.
    ///
    /// # Errors
    /// If nobody is here, or all remaining players of the match before have to take part.
    pub(super) fn start(&mut self) -> Result<(), &'static str> {
        if self.seated() == 0 {
            return Err("nobody is here to play with yet");
        }
        if !self.missing().is_empty() {
            return Err("all players who remained in the match before have to take part");
        }
        self.has_started = true;
        Ok(())
    }

    /// The players who remained in a match before that was settled, have to take part, and are not here.
    fn missing(&self) -> Vec<Fingerprint> {
        let here = self.guests.iter().map(|guest| &guest.connection.met.peer);
        let here: Vec<Fingerprint> = (here.chain([&self.own.0]))
            .map(PublicIdentity::fingerprint)
            .collect();
        let past = self.past.iter().filter(|past| past.is_open);
        let remaining = past.flat_map(|past| past.remaining().filter_map(|seat| past.player(seat)));
        let players = remaining.map(|(player, _)| player);
        players.filter(|player| !here.contains(player)).collect()
    }

    /// Whether the free seats are for other players: those who remained in a match that was settled without absent
    /// players all have to take part.
    pub(super) fn is_for_others(&self, peer: &PublicIdentity) -> bool {
        let missing = self.missing();
        let free = self.terms.stakes.seats() - self.present();
        !missing.is_empty() && free <= missing.len() && !missing.contains(&peer.fingerprint())
    }

    /// Whether this peer was admitted and is not forgotten.
    pub(super) fn has(&self, peer: &PublicIdentity) -> bool {
        let mut guests = self.guests.iter();
        guests.any(|guest| guest.connection.met.peer == *peer)
    }

    /// Whether another player who was admitted, or the host, has this name.
    pub(super) fn has_namesake(&self, peer: &PublicIdentity, name: &Name) -> bool {
        let others = self.guests.iter().map(|guest| &*guest.connection.met);
        let others = others.filter(|met| met.peer != *peer);
        let mut names = others.map(|met| &met.peer_name).chain([&self.own.1]);
        names.any(|other| other.as_str().to_lowercase() == name.as_str().to_lowercase())
    }

    /// Whether this peer was admitted under this name.
    pub(super) fn has_named(&self, peer: &PublicIdentity, name: &Name) -> bool {
        let mut guests = self.guests.iter().map(|guest| &*guest.connection.met);
        guests.any(|met| met.peer == *peer && met.peer_name == *name)
    }

    /// Whether one more guest may wait.
    pub(super) fn has_place(&self) -> bool {
        self.guests.len() < self.terms.stakes.seats() - 1 + MOST_WAITING
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        let mut connections = self.guests.iter_mut().map(|guest| &mut guest.connection);
        connections.find(|connection| connection.number() == number)
    }

    /// The players who have a seat, for the host's player.
    pub(super) fn table(&self) -> Event {
        let host = TablePlayer {
            name: self.own.1.to_string(),
            fingerprint: Some(self.own.0.fingerprint().to_string()),
            away: false,
        };
        let guest = |guest: &Guest<S>| TablePlayer {
            name: guest.connection.met.peer_name.to_string(),
            fingerprint: Some(guest.connection.met.peer.fingerprint().to_string()),
            away: guest.lost.is_some(),
        };
        let guests = self.guests[..self.seated()].iter().map(guest);
        Event::Table {
            players: std::iter::once(host).chain(guests).collect(),
            seats: self.terms.stakes.seats() as u8,
            place: 0,
        }
    }

    /// Adds a guest. A guest who has lost its connection and comes again in time keeps its place.
    pub(super) fn add(&mut self, connection: PolledConnection<S>, now: Duration) {
        let peer = connection.met.peer.clone();
        let guest = Guest {
            connection,
            lost: None,
            agreed: None,
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

    /// Voids the proposed list of players, and tells all guests who has a seat, after a guest has come or gone.
    fn changed(&mut self, now: Duration) {
        let seated = self.seated();
        self.has_started &= seated > 0 && self.missing().is_empty();
        let guests = self.guests[..seated].iter();
        let told = guests.map(|guest| (guest.connection.number(), guest.lost.is_some()));
        let told: Vec<_> = told.collect();
        // A change of the queue leaves the proposed list as it is. A guest that is told anything drops it.
        let first = match told == self.told {
            true => seated,
            false => 0,
        };
        self.told = told;
        if first == 0 {
            self.proposed = None;
        }
        let names = self.guests[..seated].iter();
        let names = names.map(|guest| guest.connection.met.peer_name.clone());
        let players: Vec<Name> = std::iter::once(self.own.1.clone()).chain(names).collect();
        for (index, guest) in self.guests.iter_mut().enumerate().skip(first) {
            guest.agreed = None;
            let waits = Control::Waits {
                place: (index + 1).saturating_sub(seated) as u8,
                players: players.clone(),
            };
            // The next step finds that the connection has ended.
            let _ = guest.connection.core.send(Stream::Control, &waits.encode());
            guest.connection.flush(now);
        }
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

    /// Removes the guest with a seat who has come last.
    pub(super) fn remove_last(&mut self, now: Duration) -> Option<PolledConnection<S>> {
        let place = self.seated().checked_sub(1)?;
        let guest = self.guests.remove(place);
        self.changed(now);
        Some(guest.connection)
    }

    /// Processes the answers of the guests. With `may_propose`, proposes the list of players once all are there.
    pub(super) fn step(&mut self, may_propose: bool, now: Duration) -> Option<Change<S>> {
        self.guests
            .iter_mut()
            .for_each(|guest| guest.connection.flush(now));
        let late = (self.proposed.as_ref()).is_some_and(|(_, until)| now >= *until);
        let seated = self.seated();
        for place in 0..self.guests.len() {
            let guest = &mut self.guests[place];
            if let Some(lost) = guest.lost {
                if now < lost + KEEPS_PLACE {
                    continue;
                }
                self.guests.remove(place);
                self.changed(now);
                return Some(Change::Left);
            }
            let stays = loop {
                match guest.connection.core.next_message() {
                    Ok(None) => break guest.agreed.is_some() || !late || place >= seated,
                    Ok(Some(message)) => match request(&message) {
                        Some(Control::Agrees(of, addresses)) => {
                            let is_of =
                                |(sitting, _): &(Sitting, Duration)| sitting.match_info.id() == of;
                            // The guest may have answered a roster that is void now.
                            if self.proposed.as_ref().is_some_and(is_of) {
                                guest.agreed = Some(addresses);
                            }
                        }
                        _ => break false,
                    },
                    Err(_) => {
                        guest.lost = Some(now);
                        break true;
                    }
                }
            };
            if !stays {
                self.guests.remove(place);
            }
            if !stays || self.guests[place].lost.is_some() {
                self.changed(now);
                return Some(Change::Left);
            }
        }
        let mut guests = self.guests[..seated].iter();
        if !self.may_begin() || guests.any(|guest| guest.lost.is_some()) {
            return None;
        }
        if self.proposed.is_none() {
            return may_propose.then(|| self.propose(now)).flatten();
        }
        // The host's own addresses are known.
        let mut addresses = vec![GuestAddresses::default()];
        for guest in &self.guests[..seated] {
            addresses.push(guest.agreed.clone()?);
        }
        let (sitting, _) = self.proposed.take()?;
        let guests = std::mem::take(&mut self.guests).into_iter();
        let mut connections: Vec<_> = guests.map(|guest| guest.connection).collect();
        let without_seat = connections.split_off(seated);
        Some(Change::Complete(Box::new(Agreed {
            sitting,
            connections,
            without_seat,
            addresses,
        })))
    }

    /// Sends each seated guest the list of all players. Those of the match before keep their order.
    fn propose(&mut self, now: Duration) -> Option<Change<S>> {
        let seated = self.seated();
        if let Some(past) = &self.past {
            let host = self.own.0.fingerprint();
            let place =
                |guest: &Guest<S>| past.place_after(host, guest.connection.met.peer.fingerprint());
            self.guests[..seated].sort_by_key(place);
        }
        let mut nonce = [0; 32];
        system_rng().fill_bytes(&mut nonce);
        let guests = self.guests[..seated].iter();
        let guests: Vec<&Met> = guests.map(|guest| &*guest.connection.met).collect();
        let (identity, name) = &self.own;
        let own = (identity, name);
        let rosters = Roster::of_guests(&self.terms, self.past.clone(), own, nonce, &guests);
        let mut rosters = match rosters {
            Ok(rosters) => rosters.into_iter(),
            Err(error) => return Some(Change::CannotBegin(error.into())),
        };
        let sitting = match rosters.next()?.sitting() {
            Ok(sitting) => sitting,
            Err(error) => return Some(Change::CannotBegin(error)),
        };
        for (guest, roster) in self.guests.iter_mut().zip(rosters) {
            let roster = Control::Roster(Box::new(roster)).encode();
            let _ = guest.connection.core.send(Stream::Control, &roster);
            guest.connection.flush(now);
        }
        // Players are asked only how the match before is continued.
        let limit = self.past.as_ref().map_or(AGREES, |_| ANSWER);
        self.proposed = Some((sitting, now + limit));
        None
    }

    /// The connections to all guests.
    pub(super) fn into_connections(self) -> impl Iterator<Item = PolledConnection<S>> {
        self.guests.into_iter().map(|guest| guest.connection)
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let connections = self.guests.iter().map(|guest| match guest.lost {
            Some(lost) => lost + KEEPS_PLACE,
            None => guest.connection.timer(),
        });
        let until = self.proposed.as_ref().map(|(_, until)| *until);
        connections.chain(until).min().unwrap_or(Duration::MAX)
    }
}
