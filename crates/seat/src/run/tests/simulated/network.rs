//! Sockets, and a relay that pairs them by token and side. Bytes arrive late and in pieces; connections are
//! cut, sometimes without a sign.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::time::Duration;

use rand::RngExt;

use super::world::{Happening, OfSocket, Shared};

struct Wire {
    program: usize,
    /// The bytes of the request to the relay, until it has them all.
    request: Option<Vec<u8>>,
    peer: Option<u32>,
    /// The time of the last arrival.
    last: Duration,
    /// Whether nothing arrives any more.
    is_silent: bool,
}

#[derive(Default)]
pub(super) struct Network {
    last: u32,
    wires: BTreeMap<u32, Wire>,
    /// The side and the socket that waits at each token.
    waiting: BTreeMap<String, (String, u32)>,
    /// The number of pairs.
    pub(super) pairs: usize,
    pub(super) cuts: usize,
}

impl Network {
    /// The socket at the other end.
    pub(super) fn peer(&self, socket: u32) -> Option<u32> {
        self.wires.get(&socket)?.peer
    }

    /// The program with this socket, unless nothing may happen to it.
    pub(super) fn receiver(&self, socket: u32) -> Option<usize> {
        let wire = self.wires.get(&socket).filter(|wire| !wire.is_silent)?;
        Some(wire.program)
    }

    pub(super) fn of_program(&self, program: usize) -> Vec<u32> {
        let wires = self.wires.iter();
        let own = wires.filter(|(_, wire)| wire.program == program);
        own.map(|(socket, _)| *socket).collect()
    }
}

impl Shared {
    pub(super) fn open_socket(&mut self, program: usize) -> u32 {
        self.network.last += 1;
        let socket = self.network.last;
        let wire = Wire {
            program,
            request: Some(Vec::new()),
            peer: None,
            last: Duration::ZERO,
            is_silent: false,
        };
        self.network.wires.insert(socket, wire);
        let what = match self.is_fault(12) {
            true => OfSocket::Closed(ErrorKind::ConnectionRefused),
            false => OfSocket::Opened,
        };
        self.arrives(socket, what);
        socket
    }

    /// Plans an arrival at a socket, after all earlier ones.
    fn arrives(&mut self, socket: u32, what: OfSocket) {
        let delay = match self.is_fault(60) {
            true => self.millis(25_000),
            false => self.millis(120),
        };
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return;
        };
        wire.last = wire.last.max(self.now + delay);
        let at = wire.last;
        self.plan(at, Happening::OfSocket(socket, what));
    }

    pub(super) fn send(&mut self, socket: u32, bytes: &[u8]) -> bool {
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return true;
        };
        if wire.is_silent {
            return true;
        }
        if let Some(request) = &mut wire.request {
            request.extend_from_slice(bytes);
            if request.ends_with(b"\n") {
                self.soon(60, Happening::AtRelay(socket));
            }
            return true;
        }
        let Some(peer) = wire.peer else {
            return true;
        };
        let mut bytes = bytes.to_vec();
        while !bytes.is_empty() {
            let rest = match self.once_in(4) {
                true => bytes.split_off(self.rng.random_range(1..=bytes.len())),
                false => Vec::new(),
            };
            if self.is_fault(600) {
                let at = self.rng.random_range(0..bytes.len());
                bytes[at] ^= 1 << self.rng.random_range(0..8);
            }
            self.arrives(
                peer,
                OfSocket::Received(std::mem::replace(&mut bytes, rest)),
            );
        }
        let is_ready = !self.once_in(20);
        if !is_ready {
            self.soon(300, Happening::OfSocket(socket, OfSocket::Ready));
        }
        is_ready
    }

    /// Closes a socket. `tells` says whether the peer learns it.
    pub(super) fn close_socket(&mut self, socket: u32, tells: bool) {
        let Some(wire) = self.network.wires.remove(&socket) else {
            return;
        };
        if let Some(peer) = wire.peer {
            self.loses(peer, tells);
        }
    }

    /// The other end of this socket is gone.
    fn loses(&mut self, socket: u32, tells: bool) {
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return;
        };
        wire.peer = None;
        if tells {
            self.arrives(socket, OfSocket::Closed(ErrorKind::UnexpectedEof));
            self.engine_loses(socket);
        } else {
            wire.is_silent = true;
        }
    }

    pub(super) fn cut(&mut self, socket: u32) {
        let Some(peer) = self.network.peer(socket) else {
            return;
        };
        self.network.cuts += 1;
        for end in [socket, peer] {
            let tells = !self.once_in(4);
            self.loses(end, tells);
        }
    }

    /// The relay has the request of a socket. It may not know yet that the other side has gone.
    pub(super) fn at_relay(&mut self, socket: u32) {
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return;
        };
        let line = String::from_utf8(wire.request.take().unwrap()).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["please", "relay", token, "for", "side", side] = words[..] else {
            panic!("the request of a program: {line}");
        };
        let waits = self.network.waiting.remove(token);
        let other = waits.filter(|(waits, _)| waits != side);
        let is_there = |other: &u32| self.network.wires.contains_key(other);
        match other.map(|(_, other)| other) {
            Some(other) if is_there(&other) => {
                for (end, peer) in [(socket, other), (other, socket)] {
                    let wire = self.network.wires.get_mut(&end).unwrap();
                    wire.peer = Some(peer);
                    self.arrives(end, OfSocket::Received(b"ok\n".to_vec()));
                }
                self.network.pairs += 1;
                if self.is_faulty {
                    let lasts = [300, 3_000, 60_000, 600_000][self.rng.random_range(0..4)];
                    self.soon(lasts, Happening::Cut(socket));
                }
            }
            Some(_) if self.is_fault(2) => {
                self.arrives(socket, OfSocket::Received(b"ok\n".to_vec()));
            }
            _ => {
                let waits = (side.to_owned(), socket);
                self.network.waiting.insert(token.to_owned(), waits);
            }
        }
    }
}
