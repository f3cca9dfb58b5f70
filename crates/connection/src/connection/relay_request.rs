//! A relay for two players who can only make outgoing connections: the transit relay of Magic
//! Wormhole.
//!
//! Both players connect and send `please relay TOKEN for side SIDE\n`. When both are there, the
//! relay answers `ok\n` and then forwards bytes. Two properties of the relay need care. First, it
//! pairs any two connections with the same token and different sides, so a player that waits and
//! calls with one token could be paired *with itself*. Therefore the side is derived from the token
//! and the side of the meeting, and each of two known players waits with a token of its own. Second, the relay may pair a player with a connection that is dead.
//! Therefore a guest that gets no answer connects again, and a waiting host reconnects every
//! minute.

use std::io::{self, ErrorKind};

use super::meeting::Side;
use crate::hash::{Hash, hex};
use crate::identity::{PairSecret, PublicIdentity};

/// The token by which two players find each other at a relay.
pub(super) struct RelayToken(pub(super) [u8; 32]);

impl RelayToken {
    /// The token with which the player `waits` waits for the other one of two known players.
    pub(super) fn of_peers(secret: &PairSecret, waits: &PublicIdentity) -> Self {
        RelayToken(secret.hash("relay", &[waits.x25519()]))
    }

    /// The request to a relay. A side sends the same request at each attempt.
    pub(super) fn request(&self, side: Side) -> String {
        let side = Hash::new("relay side").field(&self.0).number(side as u64);
        let side = side.finish();
        format!(
            "please relay {} for side {}\n",
            hex(&self.0),
            hex(&side[..8])
        )
    }
}

/// The answer of a relay: one line. The bytes after it are from the other player.
#[derive(Default)]
pub(super) struct RelayAnswer(Vec<u8>);

impl RelayAnswer {
    /// The maximum length. Longer lines are not from a relay.
    const MAX_LEN: usize = 64;

    /// Whether the line is complete, or too long.
    pub(super) fn is_complete(&self) -> bool {
        self.0.last() == Some(&b'\n') || self.0.len() > Self::MAX_LEN
    }

    /// Removes the bytes of the answer from the front of `bytes`.
    pub(super) fn push(&mut self, bytes: &mut &[u8]) {
        while !self.is_complete()
            && let Some((first, rest)) = bytes.split_first()
        {
            self.0.push(*first);
            *bytes = rest;
        }
    }

    /// Checks that the complete answer reports the other player.
    ///
    /// # Errors
    /// `InvalidData`.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.0.as_slice() {
            b"ok\n" => Ok(()),
            b"impatient\n" => Err(refused("the relay answered: impatient")),
            b"bad handshake\n" => Err(refused("the relay answered: bad handshake")),
            _ => Err(not_a_relay()),
        }
    }

    /// Whether the relay has refused the request as malformed.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn is_bad_handshake(&self) -> bool {
        self.0 == b"bad handshake\n"
    }
}

pub(super) fn not_a_relay() -> io::Error {
    refused("the answer is not that of a transit relay")
}

pub(super) fn refused(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}
