//! The players of a match and its id.

use std::fmt;

use dealerless_connection::hash::{Hash, hex};
use dealerless_connection::identity::{Fingerprint, PublicIdentity};

use super::header::{DeckTerms, Header};
use super::past::{Member, Past};
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
    /// This player of the match before does not take part, although the header does not leave it out.
    #[error("{0} played in the match before and was not absent, and has to take part")]
    Remaining(Fingerprint),
    /// The header leaves this player of the match before out.
    #[error("the match before was settled without {0}, who cannot take part in this one")]
    Absent(Fingerprint),
    /// The host did not play in the match before, or the other players do not sit in its order, or new
    /// players do not sit to the left of the last big blind.
    #[error("the players do not sit in the order of the match before")]
    Order,
    /// This seat has no chips.
    #[error("{0} has no chips and buys none")]
    NoChips(Seat),
    /// The table has had too many players.
    #[error("at most {max} players can play at a table in an evening", max = Past::MOST)]
    TooMany,
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
        let id = id(&header, &players);
        let of = Match {
            id,
            header,
            players,
        };
        of.check_settlement()?;
        Ok(of)
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

    /// The players, in order of the seats.
    pub(super) fn fingerprints(&self) -> impl Iterator<Item = Fingerprint> + Clone {
        let players = self.players.iter();
        players.map(|player| player.identity.fingerprint())
    }

    /// The chips of each seat at the start: those that its player brings from the match before, and
    /// those that it buys. With a sealed deck a full stack.
    pub fn first_stacks(&self) -> Vec<u64> {
        self.with_buys(|member| member.chips)
    }

    /// The chips that the player at each seat has bought this evening, including those that it buys for
    /// this match.
    pub fn first_bought(&self) -> Vec<u64> {
        self.with_buys(|member| member.bought)
    }

    /// What each seat buys for this match, and this number of its entry in the list.
    fn with_buys(&self, number: fn(&Member) -> u64) -> Vec<u64> {
        let Some(table) = &self.header.table else {
            return vec![self.header.stakes.stack(); self.seats()];
        };
        let before = |player| Some(number(table.past.as_ref()?.member(player)?));
        let before = self
            .fingerprints()
            .map(|player| before(player).unwrap_or(0));
        before
            .zip(&table.buys)
            .map(|(had, buy)| had + buy)
            .collect()
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

    /// Checks the players against the result of the match before: each of its seats takes part or is
    /// left out, and the seats have the order that follows from it (S1, B1). Each seat has chips.
    fn check_settlement(&self) -> Result<(), CannotSit> {
        let mut stacks = Seat::all(self.seats()).zip(self.first_stacks());
        let broke = stacks.find(|(_, chips)| *chips == 0);
        if let Some((seat, _)) = broke.filter(|_| self.header.stakes.betting().is_some()) {
            return Err(CannotSit::NoChips(seat));
        }
        let Some(past) = self.header.past() else {
            return Ok(());
        };
        let plays = |of| self.fingerprints().any(|player| player == of);
        let mut seated = past.players.iter().take(past.seats);
        for seat in Seat::all(past.seats) {
            let Some(Member { player, .. }) = seated.next() else {
                continue;
            };
            match (past.without.contains(&seat), plays(*player)) {
                (true, true) => return Err(CannotSit::Absent(*player)),
                (false, false) => return Err(CannotSit::Remaining(*player)),
                _ => {}
            }
        }
        let host = self.players[0].identity.fingerprint();
        let places = self
            .fingerprints()
            .map(|player| past.place_after(host, player));
        if !places.clone().is_sorted() || places.clone().next() != Some((0, false)) {
            return Err(CannotSit::Order);
        }
        match Past::list(self, std::iter::repeat((0, 0))).len() > Past::MOST {
            true => Err(CannotSit::TooMany),
            false => Ok(()),
        }
    }
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
