//! The players of a match and its id.

use std::fmt;

use dealerless_connection::hash::{Hash, hex};
use dealerless_connection::identity::{Fingerprint, PublicIdentity};

use super::header::{DeckTerms, Header};
use crate::seat::Seat;

/// A match between two or more identities: the player at each seat, and the agreed terms. A match
/// can continue over several connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    id: MatchId,
    header: Header,
    players: Vec<Player>,
}

/// The id of a match: a hash of the players, their nonces and the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId([u8; 32]);

impl MatchId {
    /// The id with these bytes, as a file or a message names it.
    pub const fn new(bytes: [u8; 32]) -> Self {
        MatchId(bytes)
    }

    /// The bytes of the id.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Writes the first 16 hexadecimal digits. Players name a match by them.
impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0[..8]))
    }
}

/// The player at a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The public keys of the player.
    pub identity: PublicIdentity,
    /// The nonce that the player chose at random for this match.
    pub nonce: [u8; 32],
}

/// Why these players cannot play this match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSit {
    /// The stakes are for a different number of players.
    #[error("the match is for {seats} players, not {players}")]
    Players {
        /// The number of seats.
        seats: usize,
        /// The number of players.
        players: usize,
    },
    /// This seat has the same key as another seat.
    #[error("{0} and another seat have the same key")]
    SameKey(Seat),
    /// The match before was settled without absent seats, and this remaining player of it is missing.
    #[error("{0} played in the match before and was not absent, and has to take part")]
    Remaining(Fingerprint),
    /// The match before was settled without this player, who cannot take part in the next one.
    #[error("the match before was settled without {0}, who cannot take part in this one")]
    Absent(Fingerprint),
}

impl Match {
    /// A match of `players` in order of their seats. The first player is the host.
    ///
    /// # Errors
    /// If the number of players is wrong, or two of them share a key.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(header: Header, players: Vec<Player>) -> Result<Self, CannotSit> {
        let seats = header.stakes.seats();
        if players.len() != seats {
            return Err(CannotSit::Players {
                seats,
                players: players.len(),
            });
        }
        for (seat, player) in Seat::all(seats).zip(&players) {
            let key = &player.identity;
            let before = &players[..seat.index()];
            if before
                .iter()
                .any(|other| other.identity.shares_a_key_with(key))
            {
                return Err(CannotSit::SameKey(seat));
            }
        }
        check_settlement(&header, &players)?;
        let id = id(&header, &players);
        Ok(Match {
            id,
            header,
            players,
        })
    }

    /// The id of the match.
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// The agreed terms.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The players, in order of the seats.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The chips of each seat at the start: those that its player brings from the match before, or
    /// a full stack.
    pub fn first_stacks(&self) -> Vec<u64> {
        let stack = self.header.stakes.stack();
        let past = self.header.past.as_ref();
        let chips = |player: &Player| past?.chips_of(player.identity.fingerprint());
        let stacks = self.players.iter().map(chips);
        stacks.map(|chips| chips.unwrap_or(stack)).collect()
    }

    /// Whether the seats can remove a silent seat by a roll call: the threshold of the deck is below
    /// the number of seats.
    pub fn has_roll_calls(&self) -> bool {
        match &self.header.deck {
            DeckTerms::Sealed(_) => false,
            DeckTerms::Verifiable(seats) => seats.threshold() < seats.count(),
        }
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.players.len()
    }
}

/// Checks the players of a match whose match before was settled without absent seats: all remaining
/// players of that match take part, so that each of them signs the header, and none of the others.
fn check_settlement(header: &Header, players: &[Player]) -> Result<(), CannotSit> {
    let Some(past) = header.past.as_ref().filter(|past| !past.without.is_empty()) else {
        return Ok(());
    };
    for seat in Seat::all(past.seats) {
        let Some((of, _)) = past.player(seat) else {
            continue;
        };
        let plays = players
            .iter()
            .any(|player| player.identity.fingerprint() == of);
        match (past.without.contains(&seat), plays) {
            (true, true) => return Err(CannotSit::Absent(of)),
            (false, false) => return Err(CannotSit::Remaining(of)),
            _ => {}
        }
    }
    Ok(())
}

fn id(header: &Header, players: &[Player]) -> MatchId {
    let mut hash = Hash::new("match").number(players.len() as u64);
    for (seat, player) in players.iter().enumerate() {
        hash = hash.number(seat as u64).field(&player.identity.encode());
    }
    for player in players {
        hash = hash.field(&player.nonce);
    }
    MatchId(hash.field(&header.encode()).finish())
}
