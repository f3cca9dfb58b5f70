//! The guests of a host whose match has several guests, from their arrival until all players have agreed to the list of
//! players.

use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_connection::{Met, PolledConnection, Sockets, Stream, system_rng};
use dealerless_table::log::{Header, Sitting};
use dealerless_table::play::{CannotBegin, Control, GuestAddresses, Roster};
use rand::Rng;

use super::finding::request;
use crate::guest::ANSWER;

/// The guests who have come so far.
pub(super) struct Gathering<S: Sockets> {
    header: Header,
    own: (PublicIdentity, Name),
    /// The guests, in order of their seats once they are proposed.
    guests: Vec<Guest<S>>,
    /// The match that was proposed to all guests, and the time until which they may answer.
    proposed: Option<(Sitting, Duration)>,
}

struct Guest<S: Sockets> {
    connection: PolledConnection<S>,
    /// Where the other guests may reach this guest, once it has agreed to the list of players.
    agreed: Option<GuestAddresses>,
}

/// A change in the gathering since the last step.
pub(super) enum Change<S: Sockets> {
    /// A guest has left or declined.
    Left(Name),
    /// All guests are there, and each of them was asked to agree to the list of players.
    Proposed,
    /// These players cannot play the match.
    CannotBegin(CannotBegin),
    Complete(Box<Agreed<S>>),
}

/// A match that all players have agreed to.
pub(super) struct Agreed<S: Sockets> {
    pub(super) sitting: Sitting,
    /// A connection to each guest.
    pub(super) connections: Vec<PolledConnection<S>>,
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
    pub(super) fn new(header: Header, own: (PublicIdentity, Name)) -> Self {
        Gathering {
            header,
            own,
            guests: Vec::new(),
            proposed: None,
        }
    }

    /// The number of players who are there, with the host.
    pub(super) fn present(&self) -> usize {
        self.guests.len() + 1
    }

    /// The number of players in the match.
    pub(super) fn wanted(&self) -> usize {
        self.header.stakes.seats()
    }

    /// Whether no seat is free. The guests may still have to agree.
    pub(super) fn is_full(&self) -> bool {
        self.present() == self.wanted()
    }

    /// Whether the free seats are for other players: those who remained in a match that was settled without absent
    /// players all have to take part.
    pub(super) fn is_for_others(&self, peer: &PublicIdentity) -> bool {
        let here = self.guests.iter().map(|guest| &guest.connection.met.peer);
        let here: Vec<Fingerprint> = (here.chain([&self.own.0]))
            .map(PublicIdentity::fingerprint)
            .collect();
        let past = self.header.past.iter();
        let missing = past
            .filter(|past| !past.without.is_empty())
            .flat_map(|past| {
                let players = past.remaining().filter_map(|seat| past.player(seat));
                players.map(|(player, _)| player)
            });
        let missing: Vec<Fingerprint> = missing.filter(|player| !here.contains(player)).collect();
        let free = self.wanted() - self.present();
        free <= missing.len() && !missing.contains(&peer.fingerprint())
    }

    /// Whether this peer has a seat.
    pub(super) fn has(&self, peer: &PublicIdentity) -> bool {
        let mut guests = self.guests.iter();
        guests.any(|guest| guest.connection.met.peer == *peer)
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<S>> {
        let mut connections = self.guests.iter_mut().map(|guest| &mut guest.connection);
        connections.find(|connection| connection.number() == number)
    }

    /// Adds a guest. A guest who has lost its connection and comes again takes the last place.
    pub(super) fn add(&mut self, connection: PolledConnection<S>, now: Duration) {
        self.guests
            .retain(|guest| guest.connection.met.peer != connection.met.peer);
        self.guests.push(Guest {
            connection,
            agreed: None,
        });
        self.begin_anew(now);
    }

    /// Removes a guest who has asked for something else on another connection. Returns whether it had a place.
    pub(super) fn remove(&mut self, peer: &PublicIdentity, now: Duration) -> bool {
        let had_place = self.has(peer);
        if had_place {
            self.guests
                .retain(|guest| guest.connection.met.peer != *peer);
            self.begin_anew(now);
        }
        had_place
    }

    /// Tells all guests how many players are there, after a guest has come or gone.
    fn begin_anew(&mut self, now: Duration) {
        self.proposed = None;
        let present = Control::Present(self.present() as u8).encode();
        for guest in &mut self.guests {
            guest.agreed = None;
            // The next step finds that the connection has ended.
            let _ = guest.connection.core.send(Stream::Control, &present);
            guest.connection.flush(now);
        }
    }

    /// Processes the answers of the guests. With `may_propose`, proposes the list of players once all are there.
    pub(super) fn step(&mut self, may_propose: bool, now: Duration) -> Option<Change<S>> {
        self.guests
            .iter_mut()
            .for_each(|guest| guest.connection.flush(now));
        let late = (self.proposed.as_ref()).is_some_and(|(_, until)| now >= *until);
        for place in 0..self.guests.len() {
            let guest = &mut self.guests[place];
            let stays = loop {
                match guest.connection.core.next_message() {
                    Ok(None) => break guest.agreed.is_some() || !late,
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
                    Err(_) => break false,
                }
            };
            if !stays {
                let gone = self.guests.remove(place);
                self.begin_anew(now);
                return Some(Change::Left(gone.connection.met.peer_name.clone()));
            }
        }
        if !self.is_full() {
            return None;
        }
        if self.proposed.is_none() {
            return may_propose.then(|| self.propose(now)).flatten();
        }
        // The host's own addresses are known.
        let mut addresses = vec![GuestAddresses::default()];
        for guest in &self.guests {
            addresses.push(guest.agreed.clone()?);
        }
        let (sitting, _) = self.proposed.take()?;
        let guests = std::mem::take(&mut self.guests).into_iter();
        Some(Change::Complete(Box::new(Agreed {
            sitting,
            connections: guests.map(|guest| guest.connection).collect(),
            addresses,
        })))
    }

    /// Sends each guest the list of all players. Those of the match before keep their order.
    fn propose(&mut self, now: Duration) -> Option<Change<S>> {
        if let Some(past) = &self.header.past {
            let host = self.own.0.fingerprint();
            let place =
                |guest: &Guest<S>| past.place_after(host, guest.connection.met.peer.fingerprint());
            self.guests.sort_by_key(place);
        }
        let mut nonce = [0; 32];
        system_rng().fill_bytes(&mut nonce);
        let guests = self.guests.iter().map(|guest| &*guest.connection.met);
        let guests: Vec<&Met> = guests.collect();
        let (identity, name) = &self.own;
        let mut rosters = Roster::of_guests((identity, name), nonce, &guests).into_iter();
        let sitting = match rosters.next()?.sitting(self.header.clone()) {
            Ok(sitting) => sitting,
            Err(error) => return Some(Change::CannotBegin(error)),
        };
        for (guest, roster) in self.guests.iter_mut().zip(rosters) {
            let roster = Control::Roster(Box::new(roster)).encode();
            let _ = guest.connection.core.send(Stream::Control, &roster);
            guest.connection.flush(now);
        }
        self.proposed = Some((sitting, now + ANSWER));
        Some(Change::Proposed)
    }

    /// The connections to all guests.
    pub(super) fn into_connections(self) -> impl Iterator<Item = PolledConnection<S>> {
        self.guests.into_iter().map(|guest| guest.connection)
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let connections = self.guests.iter().map(|guest| guest.connection.timer());
        let until = self.proposed.as_ref().map(|(_, until)| *until);
        connections.chain(until).min().unwrap_or(Duration::MAX)
    }
}
