//! Sockets in memory that all lead to one listener.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use dealerless_connection::{Happened, Place, Sockets};

/// The number of the listener.
pub(super) const LISTENER: u32 = 0;

/// Sockets that all lead to one listener.
#[derive(Clone, Default)]
pub(super) struct Wires(pub(super) Rc<RefCell<State>>);

#[derive(Default)]
pub(super) struct State {
    pub(super) last: u32,
    peers: BTreeMap<u32, u32>,
    happens: VecDeque<(u32, What)>,
    /// Whether nobody listens.
    pub(super) refuses: bool,
}

pub(super) enum What {
    Accepted(u32),
    Opened,
    Received(Vec<u8>),
    Closed(ErrorKind),
}

impl Sockets for Wires {
    fn open(&self, _: &Place) -> u32 {
        let mut state = self.0.borrow_mut();
        let [own, peer] = [state.last + 1, state.last + 2];
        state.last = peer;
        if state.refuses {
            let refused = What::Closed(ErrorKind::ConnectionRefused);
            state.happens.push_back((own, refused));
            return own;
        }
        state.peers.extend([(own, peer), (peer, own)]);
        state.happens.push_back((LISTENER, What::Accepted(peer)));
        state.happens.push_back((own, What::Opened));
        own
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        let mut state = self.0.borrow_mut();
        if let Some(&peer) = state.peers.get(&socket) {
            let received = What::Received(bytes.to_vec());
            state.happens.push_back((peer, received));
        }
        true
    }

    fn close(&self, socket: u32) {
        let mut state = self.0.borrow_mut();
        if let Some(peer) = state.peers.remove(&socket) {
            state.peers.remove(&peer);
            let closed = What::Closed(ErrorKind::UnexpectedEof);
            state.happens.push_back((peer, closed));
        }
    }
}

impl What {
    pub(super) fn happened(&self) -> Happened<'_> {
        match self {
            What::Accepted(socket) => Happened::Accepted {
                socket: *socket,
                from: IpAddr::V4(Ipv4Addr::LOCALHOST),
            },
            What::Opened => Happened::Opened,
            What::Received(bytes) => Happened::Received(bytes),
            What::Closed(kind) => Happened::Closed((*kind).into()),
        }
    }
}

impl Wires {
    /// What happens next, and the socket to which it happens.
    pub(super) fn next(&self) -> Option<(u32, What)> {
        self.0.borrow_mut().happens.pop_front()
    }
}
