//! Who plays, and the name of what they play.

use super::header::Header;
use crate::hash::Hash;
use crate::identity::PublicIdentity;
use crate::seat::Seat;

/// What two or more identities play until one leaves for good: who sits where, and what was agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    id: [u8; 32],
    header: Header,
    players: Vec<Player>,
}

/// Who has a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Its keys.
    pub identity: PublicIdentity,
    /// What it chose at random for this match.
    pub nonce: [u8; 32],
}

/// These players cannot sit down to this match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSit {
    /// The stakes are for another number of players.
    #[error("the match is for {seats} players, not for {players}")]
    Players {
        /// The seats.
        seats: usize,
        /// Who wants to sit.
        players: usize,
    },
    /// Two of them have a key in common.
    #[error("{0} and another seat have the same key")]
    SameKey(Seat),
}

impl Match {
    /// A match of these players, in order of their seats; the host comes first.
    ///
    /// # Errors
    /// If they cannot sit down to it.
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
        let id = id(&header, &players);
        Ok(Match {
            id,
            header,
            players,
        })
    }

    /// The hash of all that makes this match.
    pub fn id(&self) -> [u8; 32] {
        self.id
    }

    /// What was agreed.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Who plays, in order of the seats.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The seats.
    pub fn seats(&self) -> usize {
        self.players.len()
    }
}

fn id(header: &Header, players: &[Player]) -> [u8; 32] {
    let mut hash = Hash::new("match").number(players.len() as u64);
    for (seat, player) in players.iter().enumerate() {
        hash = hash.number(seat as u64).field(&player.identity.encode());
    }
    for player in players {
        hash = hash.field(&player.nonce);
    }
    hash.field(&header.encode()).finish()
}
