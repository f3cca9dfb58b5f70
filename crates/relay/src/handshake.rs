//! The first message of a client, and how two clients are joined.

use std::net::IpAddr;

use crate::clients::Clients;
use crate::connection::{Connection, Stage};
use crate::http::{self, Asks, Head};
use crate::networks::Network;
use crate::request::{Malformed, Request};
use crate::rooms::{Host, Place};
use crate::status::Limit;

/// The number of bytes from the host of a code by which its guest has succeeded. In the exchange of a code,
/// the host sends 49 bytes to a guest with a wrong code, and its invite, of more than 2 KiB, only to one with
/// the right code.
const PROOF: usize = 1 << 10;

/// The answer to a client that uses an unknown code, or opens one that is not held for it.
pub(crate) const NO_SUCH_CODE: &[u8] = b"no such code\n";

impl Clients {
    /// Reads what a client has sent so far.
    pub(crate) fn handshake(&mut self, slot: usize) {
        let Some(connection) = self.connections.get(slot) else {
            return;
        };
        let Stage::Handshake(bytes) = &connection.stage else {
            return;
        };
        // The methods of HTTP are in upper case.
        let is_http = bytes.first().is_some_and(u8::is_ascii_uppercase);
        if connection.frames.is_none() && is_http {
            match Head::read(bytes) {
                Ok(None) => {}
                Ok(Some(head)) => {
                    let rest = bytes[head.len..].to_vec();
                    self.http(slot, head, &rest);
                }
                Err(status) => self.refuse(slot, status),
            }
            return;
        }
        if connection.is_status {
            return self.refuse(slot, http::BAD_REQUEST);
        }
        let read = Request::read(bytes)
            .map(|read| read.map(|(request, len)| (request, bytes[len..].to_vec())));
        let peer = connection.peer();
        if self.came_from(slot, peer).is_err() {
            return self.lose(slot);
        }
        match read {
            Ok(None) => {}
            Ok(Some((request, rest))) => {
                self.request(slot, request);
                self.put_back(&rest);
                self.payload(slot, rest.len());
            }
            Err(Malformed) => self.close(slot, b"bad handshake\n"),
        }
    }

    fn refuse(&mut self, slot: usize, status: http::Refused) {
        self.close(slot, http::refusal(status).as_bytes());
    }

    fn http(&mut self, slot: usize, head: Head, rest: &[u8]) {
        if self.connections.get(slot).is_some_and(|it| it.is_status) {
            let counts = http::counts(&self.status());
            return self.close(slot, counts.as_bytes());
        }
        let came_from = self.came_from(slot, head.forwarded_for);
        let asks = came_from
            .and_then(|()| self.may_ask(&head.origins))
            .and(head.asks);
        match asks {
            Err(status) => self.refuse(slot, status),
            Ok(Asks::WebSocket { accept }) => {
                self.answer(slot, http::accepted(&accept).as_bytes());
                let deadline = self.now + self.limits.handshake;
                self.change(slot, |connection| {
                    connection.stage = Stage::Handshake(Vec::new());
                    connection.frames = Some(Box::default());
                    connection.deadline = Some(deadline);
                    Ok(())
                });
                self.put_back(rest);
                self.received(slot, rest.len());
            }
            Ok(Asks::File {
                path,
                head_only,
                gzip,
            }) => {
                let page = self.page.as_ref();
                let Some(answer) = page.and_then(|page| page.answer(&path, gzip)) else {
                    return self.refuse(slot, http::NOT_FOUND);
                };
                let len = if head_only {
                    answer.head
                } else {
                    answer.bytes.len()
                };
                let now = self.now;
                self.change(slot, |connection| {
                    connection.send_shared(answer.bytes, len, now)
                });
                self.set_closing(slot, now + self.limits.file);
            }
        }
    }

    /// Whether a page of these origins is answered.
    ///
    /// # Errors
    /// The answer to one that is refused.
    fn may_ask(&mut self, origins: &[Vec<u8>]) -> Result<(), http::Refused> {
        let pages = &self.allowed_pages;
        let is_allowed = |origin: &Vec<u8>| pages.iter().any(|page| page.as_bytes() == origin);
        if pages.is_empty() || origins.iter().all(is_allowed) {
            return Ok(());
        }
        self.counts.reached(Limit::Page);
        Err(http::FORBIDDEN)
    }

    /// Counts a connection of a proxy for this address from now on, if that may have another one.
    /// All other connections stay where they are.
    ///
    /// # Errors
    /// The answer to a client that is refused.
    fn came_from(&mut self, slot: usize, address: Option<IpAddr>) -> Result<(), http::Refused> {
        let proxied = |connection: &&mut Connection| connection.network == Network::LOCAL;
        let Some(connection) = self.connections.get_mut(slot).filter(proxied) else {
            return Ok(());
        };
        let id = connection.id;
        let Some(address) = address else {
            self.counts.reached(Limit::ForwardedFor);
            return Err(http::BAD_REQUEST);
        };
        let network = Network::of(address);
        if !self.admits(network) {
            return Err(http::TOO_MANY);
        }
        self.networks.remove(Network::LOCAL, id);
        self.networks.add(network, id, self.now);
        if let Some(connection) = self.connections.get_mut(slot) {
            connection.network = network;
        }
        Ok(())
    }

    fn request(&mut self, slot: usize, request: Request) {
        let Some(connection) = self.connections.get(slot) else {
            return;
        };
        let (id, network) = (connection.id, connection.network);
        match request {
            Request::Relay { token, side } => match self.rooms.meet(&token, side) {
                Some(peer) => {
                    self.stop_waiting(peer.slot);
                    self.join(slot, peer.slot);
                    while let Some(superfluous) = self.rooms.waits(&token) {
                        self.lose(superfluous.slot);
                    }
                }
                None if self.wait(slot, Place::Token(token)) => self.rooms.wait(token, side, id),
                None => {}
            },
            Request::OpenCode(key) => {
                let may = self.networks.may_open_code(network, self.now);
                let mut open = |()| self.rooms.open_code(key, id, network);
                match may.and_then(|may| open(may).ok_or(Limit::AllCodes)) {
                    Ok(number) if self.wait(slot, Place::Code(number)) => {
                        self.answer(slot, format!("code {number}\n").as_bytes());
                    }
                    Ok(number) => self.rooms.end_code(number, self.now),
                    Err(limit) => {
                        self.counts.reached(limit);
                        self.lose(slot);
                    }
                }
            }
            Request::OpenAgain(number, key) => {
                // The connection before may be dead.
                if let Some(before) = self.rooms.host(number, &key) {
                    self.lose(before.slot);
                }
                let Some(counted) = self.rooms.open_again(number, &key, id, network) else {
                    return self.close(slot, NO_SUCH_CODE);
                };
                self.networks.waited(counted);
                if !self.wait(slot, Place::Code(number)) {
                    return self.rooms.end_code(number, self.now);
                }
                self.answer(slot, format!("code {number}\n").as_bytes());
                if let Some(guest) = self.rooms.next_guest(number) {
                    self.rooms.use_code(number, self.now);
                    self.stop_waiting(guest.slot);
                    self.join(slot, guest.slot);
                }
            }
            Request::UseCode(number) => {
                if let Err(limit) = self.networks.may_use_code(network, self.now) {
                    self.counts.reached(limit);
                    return self.close(slot, b"too many codes\n");
                }
                if let Some(guest) = self.connections.get_mut(slot) {
                    guest.unproven = Some((PROOF, self.now));
                }
                match self.rooms.use_code(number, self.now) {
                    // The code counts for the address of its host as before.
                    Some(Host::Waits(host)) => self.join(slot, host.slot),
                    Some(Host::IsAway(_)) if self.wait(slot, Place::Guest(number)) => {
                        self.rooms.wait_for_host(number, id);
                    }
                    Some(Host::IsAway(_)) => {}
                    None => self.close(slot, NO_SUCH_CODE),
                }
            }
        }
    }

    /// Makes a connection wait. Ends it if too many of its network wait, and returns false.
    fn wait(&mut self, slot: usize, place: Place) -> bool {
        let Some(connection) = self.connections.get(slot) else {
            return false;
        };
        let (id, network) = (connection.id, connection.network);
        if !self.networks.may_wait(network, self.now) {
            self.counts.reached(Limit::Waiting);
            self.lose(slot);
            return false;
        }
        self.networks.set_idle(network, id, false);
        let deadline = self.now
            + match place {
                Place::Guest(_) => self.limits.code_wait,
                Place::Token(_) | Place::Code(_) => self.limits.waiting,
            };
        self.change(slot, |connection| {
            connection.stage = Stage::Waiting(place);
            connection.deadline = Some(deadline);
            Ok(())
        });
        true
    }

    /// Counts a connection that waits no longer.
    fn stop_waiting(&mut self, slot: usize) {
        if let Some(connection) = self.connections.get(slot) {
            self.networks.waited(connection.network);
        }
    }

    /// Joins two connections. `host` was waiting, and is in no room any more.
    fn join(&mut self, slot: usize, host: usize) {
        if let Some(connection) = self.connections.get(slot) {
            self.networks
                .set_idle(connection.network, connection.id, false);
        }
        for (one, other) in [(host, slot), (slot, host)] {
            self.change(one, |connection| {
                connection.stage = Stage::Joined(other);
                connection.deadline = None;
                Ok(())
            });
        }
        self.counts.rooms += 1;
        for one in [host, slot] {
            self.answer(one, b"ok\n");
        }
    }
}
