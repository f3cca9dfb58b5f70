//! Sockets, and a relay that pairs them by token and side. Bytes arrive late and in pieces; connections are
//! cut, sometimes without a sign.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::time::Duration;

use rand::RngExt;

use super::world::{Happening, OfSocket, Shared};

/// The time after which a socket without an answer is closed.
const NO_ANSWER: Duration = Duration::from_secs(4);

struct Wire {
    program: usize,
    /// The bytes of the request to the relay, until it has them all.
    request: Option<Vec<u8>>,
    peer: Option<u32>,
    /// The time of the last arrival.
    last: Duration,
    /// The time at which it is open, if it was opened to a program.
    opens: Duration,
    /// Whether nothing arrives any more.
    is_silent: bool,
    /// Whether its program does not know yet that it was accepted.
    is_new: bool,
}

#[derive(Default)]
pub(super) struct Network {
    last: u32,
    wires: BTreeMap<u32, Wire>,
    /// The side and the socket that waits at each token.
    waiting: BTreeMap<String, (String, u32)>,
    /// The socket on which each program listens.
    listeners: BTreeMap<usize, u32>,
    /// Pairs of programs, the lower one first, that cannot reach each other before a time.
    apart: BTreeMap<(usize, usize), Duration>,
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

    /// Whether all that was sent to this socket arrives before a time.
    pub(super) fn is_prompt(&self, socket: u32, by: Duration) -> bool {
        let wire = self.wires.get(&socket);
        wire.is_some_and(|wire| wire.last <= by)
    }

    /// The program of an accepted socket learns of it.
    pub(super) fn accepts(&mut self, socket: u32) {
        if let Some(wire) = self.wires.get_mut(&socket) {
            wire.is_new = false;
        }
    }

    /// Whether something is still under way to this socket, or is lost, and its program does not know that.
    pub(super) fn is_delayed(&self, socket: u32, now: Duration) -> bool {
        let wire = self.wires.get(&socket);
        wire.is_some_and(|wire| wire.is_silent || wire.last > now)
    }

    /// The sockets that a program knows.
    pub(super) fn known_to(&self, program: usize) -> Vec<u32> {
        let mut sockets = self.of_program(program);
        sockets.retain(|socket| !self.wires[socket].is_new);
        sockets
    }

    pub(super) fn of_program(&self, program: usize) -> Vec<u32> {
        let wires = self.wires.iter();
        let own = wires.filter(|(_, wire)| wire.program == program);
        own.map(|(socket, _)| *socket).collect()
    }
}

impl Shared {
    fn new_socket(&mut self, program: usize) -> u32 {
        self.network.last += 1;
        let wire = Wire {
            program,
            request: None,
            peer: None,
            last: Duration::ZERO,
            opens: Duration::ZERO,
            is_silent: false,
            is_new: false,
        };
        self.network.wires.insert(self.network.last, wire);
        self.network.last
    }

    fn wire(&mut self, socket: u32) -> &mut Wire {
        self.network.wires.get_mut(&socket).unwrap()
    }

    /// Opens a socket on which a program listens.
    pub(super) fn listen(&mut self, program: usize) -> u32 {
        let socket = self.new_socket(program);
        self.network.listeners.insert(program, socket);
        socket
    }

    /// Opens a socket to a program that may listen.
    pub(super) fn call_program(&mut self, program: usize, other: usize) -> u32 {
        let socket = self.new_socket(program);
        self.soon(60, Happening::AtProgram(socket, other));
        socket
    }

    /// A request for a connection has arrived at a program.
    pub(super) fn at_program(&mut self, socket: u32, program: usize) {
        let Some(wire) = self.network.wires.get(&socket) else {
            return;
        };
        let caller = wire.program;
        let listener = self.network.listeners.get(&program).copied();
        let listener = listener.filter(|socket| self.network.wires.contains_key(socket));
        let is_apart = self.are_apart(caller, program);
        if is_apart && self.once_in(2) {
            // Nobody answers.
            let what = OfSocket::Closed(ErrorKind::TimedOut);
            return self.plan(self.now + NO_ANSWER, Happening::OfSocket(socket, what));
        }
        match listener {
            Some(listener) if !is_apart && !self.is_fault(12) => {
                let accepted = self.new_socket(program);
                self.wire(accepted).peer = Some(socket);
                self.wire(accepted).is_new = true;
                self.wire(socket).peer = Some(accepted);
                let what = OfSocket::Accepted(accepted, caller);
                self.plan(self.now, Happening::OfSocket(listener, what));
                self.arrives(socket, OfSocket::Opened);
                let wire = self.wire(socket);
                wire.opens = wire.last;
                self.note(caller, &format!("{socket} calls {accepted} of {program}"));
                self.paired(socket);
            }
            _ => self.arrives(socket, OfSocket::Closed(ErrorKind::ConnectionRefused)),
        }
    }

    /// Whether two programs cannot reach each other.
    pub(super) fn are_apart(&self, one: usize, other: usize) -> bool {
        let pair = (one.min(other), one.max(other));
        let until = self.network.apart.get(&pair);
        until.is_some_and(|until| self.now < *until)
    }

    /// Two programs cannot reach each other before a time.
    pub(super) fn part(&mut self, one: usize, other: usize, until: Duration) {
        let pair = (one.min(other), one.max(other));
        self.network.apart.insert(pair, until);
        for socket in self.network.of_program(one) {
            let peer = self.network.peer(socket);
            let peer = peer.and_then(|peer| self.network.wires.get(&peer));
            if peer.is_some_and(|peer| peer.program == other) {
                self.cut(socket);
            }
        }
    }

    /// Two sockets are connected, perhaps for a while only.
    fn paired(&mut self, socket: u32) {
        self.network.pairs += 1;
        if self.is_faulty {
            let lasts = [300, 3_000, 60_000, 600_000][self.rng.random_range(0..4)];
            self.soon(lasts, Happening::Cut(socket));
        }
    }

    pub(super) fn open_socket(&mut self, program: usize) -> u32 {
        let socket = self.new_socket(program);
        self.wire(socket).request = Some(Vec::new());
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

    /// The other end of this socket is gone. If it is not open yet, its program learns that in any case.
    fn loses(&mut self, socket: u32, tells: bool) {
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return;
        };
        wire.peer = None;
        if tells || self.now < wire.opens {
            self.arrives(socket, OfSocket::Closed(ErrorKind::UnexpectedEof));
            self.engine_loses(socket);
        } else {
            wire.is_silent = true;
        }
    }

    /// All sockets of a program are closed.
    pub(super) fn close_all(&mut self, program: usize) {
        for socket in self.network.of_program(program) {
            let tells = !self.once_in(3);
            self.close_socket(socket, tells);
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

    /// Cuts a connection. Both ends learn it.
    pub(super) fn cut_openly(&mut self, socket: u32) {
        for end in self.network.peer(socket).into_iter().chain([socket]) {
            self.loses(end, true);
        }
    }

    /// Cuts all connections of a program without a sign. What is on the way is lost.
    pub(super) fn lose_all(&mut self, program: usize) {
        for socket in self.network.of_program(program) {
            let peer = self.network.peer(socket).into_iter();
            for end in peer.flat_map(|peer| [peer, socket]) {
                self.loses(end, false);
            }
        }
    }

    /// The relay has the request of a socket. It may not know yet that the other side has gone.
    pub(super) fn at_relay(&mut self, socket: u32) {
        let Some(wire) = self.network.wires.get_mut(&socket) else {
            return;
        };
        let program = wire.program;
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
                    self.wire(end).peer = Some(peer);
                    self.arrives(end, OfSocket::Received(b"ok\n".to_vec()));
                }
                let of = self.wire(other).program;
                self.note(
                    program,
                    &format!("{socket} meets {other} of {of} at the relay"),
                );
                self.paired(socket);
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
