//! The guests of a host whose match has several guests, from their arrival until all players have
//! agreed to the list of players.

use std::time::{Duration, Instant};

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_connection::system_rng;
use dealerless_connection::{Connection, ConnectionError, Met, Stream};
use dealerless_seat::guest::ANSWER;
use dealerless_table::log::{Header, Sitting};
use dealerless_table::play::{CannotBegin, Control, GuestAddresses, Roster};
use rand::Rng;

use super::sit;

/// The poll interval for the guests' answers.
pub(crate) const POLL: Duration = Duration::from_millis(50);

/// The guests who have come so far.
pub(crate) struct Gathering {
    header: Header,
    own: (PublicIdentity, Name),
    /// The guests, in order of their seats once they are proposed.
    guests: Vec<Guest>,
    /// The match that was proposed to all guests, and the time until which they may answer.
    proposed: Option<(Sitting, Instant)>,
}

struct Guest {
    connection: Box<Connection>,
    /// Where the other guests may reach this guest, once it has agreed to the list of players.
    agreed: Option<GuestAddresses>,
}

/// What has happened since the last poll.
pub(crate) enum Gathered {
    /// A guest has left or declined.
    Left(Name),
    /// All guests are there, and each of them was asked to agree to the list of players.
    Proposed,
    /// These players cannot play the match.
    CannotBegin(CannotBegin),
    /// All guests have agreed.
    Complete(Box<Agreed>),
}

/// A match that all guests have agreed to.
pub(crate) struct Agreed {
    pub(crate) sitting: Sitting,
    pub(crate) connections: Vec<Connection>,
    /// The addresses of all players, in order of the seats.
    addresses: Vec<GuestAddresses>,
}

impl Agreed {
    /// Tells all guests that the match begins. Its file has to be on the disk.
    pub(crate) fn begin(&self) {
        for connection in &self.connections {
            // A guest whose connection is lost resumes the match, which it has agreed to.
            let _ = sit::send(connection, Control::Begins(self.addresses.clone()));
        }
    }
}

impl Gathering {
    pub(crate) fn new(header: Header, own: (PublicIdentity, Name)) -> Self {
        Gathering {
            header,
            own,
            guests: Vec::new(),
            proposed: None,
        }
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The number of players who are there, with the host.
    pub(crate) fn present(&self) -> usize {
        self.guests.len() + 1
    }

    /// The number of players in the match.
    pub(crate) fn wanted(&self) -> usize {
        self.header.stakes.seats()
    }

    /// Whether no seat is free. The guests may still have to agree.
    pub(crate) fn is_full(&self) -> bool {
        self.present() == self.wanted()
    }

    /// Whether the free seats are for other players: those who remained in a match that was settled
    /// without absent players all have to take part.
    pub(crate) fn is_for_others(&self, peer: &PublicIdentity) -> bool {
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
    pub(crate) fn has(&self, peer: &PublicIdentity) -> bool {
        self.guests
            .iter()
            .any(|guest| guest.connection.met.peer == *peer)
    }

    /// Adds a guest. A guest who has lost its connection and comes again takes the last place.
    pub(crate) fn add(&mut self, connection: Box<Connection>) {
        self.guests
            .retain(|guest| guest.connection.met.peer != connection.met.peer);
        self.guests.push(Guest {
            connection,
            agreed: None,
        });
        self.begin_anew();
    }

    /// Tells all guests how many players are there, after a guest has come or gone.
    fn begin_anew(&mut self) {
        self.proposed = None;
        let present = self.present() as u8;
        for guest in &mut self.guests {
            guest.agreed = None;
            // A lost connection is found by the next poll.
            let _ = sit::send(&guest.connection, Control::Present(present));
        }
    }

    /// Processes the answers of the guests.
    pub(crate) fn poll(&mut self) -> Option<Gathered> {
        let late = (self.proposed.as_ref()).is_some_and(|(_, until)| Instant::now() >= *until);
        for place in 0..self.guests.len() {
            let guest = &mut self.guests[place];
            let stays = match guest.connection.recv(Duration::ZERO) {
                Err(ConnectionError::TimedOut) => guest.agreed.is_some() || !late,
                Ok(message) if message.stream == Stream::Control => {
                    match Control::decode(&message.bytes) {
                        Some(Control::Agrees(of, addresses)) => {
                            let is_of =
                                |(sitting, _): &(Sitting, Instant)| sitting.match_info.id() == of;
                            // The guest may have answered a roster that is void now.
                            if self.proposed.as_ref().is_some_and(is_of) {
                                guest.agreed = Some(addresses);
                            }
                            true
                        }
                        _ => false,
                    }
                }
                _ => false,
            };
            if !stays {
                let gone = self.guests.remove(place);
                self.begin_anew();
                return Some(Gathered::Left(gone.connection.met.peer_name.clone()));
            }
        }
        if !self.is_full() {
            return None;
        }
        if self.proposed.is_none() {
            return self.propose();
        }
        // The host's own addresses are known.
        let mut addresses = vec![GuestAddresses::default()];
        for guest in &self.guests {
            addresses.push(guest.agreed.clone()?);
        }
        let (sitting, _) = self.proposed.take()?;
        let guests = std::mem::take(&mut self.guests).into_iter();
        let connections: Vec<Connection> = guests.map(|guest| *guest.connection).collect();
        Some(Gathered::Complete(Box::new(Agreed {
            sitting,
            connections,
            addresses,
        })))
    }

    /// Sends each guest the list of all players. Those of the match before keep their order.
    fn propose(&mut self) -> Option<Gathered> {
        if let Some(past) = &self.header.past {
            let host = self.own.0.fingerprint();
            let place =
                |guest: &Guest| past.place_after(host, guest.connection.met.peer.fingerprint());
            self.guests.sort_by_key(place);
        }
        let mut nonce = [0; 32];
        system_rng().fill_bytes(&mut nonce);
        let guests: Vec<&Met> = self
            .guests
            .iter()
            .map(|guest| &*guest.connection.met)
            .collect();
        let (identity, name) = &self.own;
        let mut rosters = Roster::of_guests((identity, name), nonce, &guests).into_iter();
        let sitting = match rosters.next()?.sitting(self.header.clone()) {
            Ok(sitting) => sitting,
            Err(error) => return Some(Gathered::CannotBegin(error)),
        };
        for (guest, roster) in self.guests.iter().zip(rosters) {
            let _ = sit::send(&guest.connection, Control::Roster(Box::new(roster)));
        }
        self.proposed = Some((sitting, Instant::now() + ANSWER));
        Some(Gathered::Proposed)
    }
}
