//! The players of a match with several guests, as the host lists them for each guest before the
//! match begins.

use dealerless_connection::Met;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::seating::CannotBegin;
use super::table_terms::TableTerms;
use crate::log::{Header, HeaderError, Match, Past, Player, Sitting};
use crate::seat::Seat;

/// The players in order of their seats, for the player at one of the seats. All players must get
/// the same list: it is part of the match's id, so players with different lists are in different
/// matches, in which no signature of the others is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The seat of the player who gets this roster.
    pub seat: Seat,
    /// The terms of the match.
    pub header: Header,
    /// The players, in order of their seats. The first one is the host.
    pub players: Vec<Player>,
    /// The names that the players chose. Nobody has verified them.
    pub names: Vec<Name>,
}

impl Roster {
    /// The rosters of all players, in order of their seats: the host, then the guests in the order
    /// of the meetings. `nonce` is the host's nonce for this match, `past` the match that it continues. Players
    /// without chips buy a stack.
    ///
    /// # Errors
    /// If this number of players cannot play at the table.
    pub fn of_guests(
        terms: &TableTerms,
        past: Option<Past>,
        (identity, name): (&PublicIdentity, &Name),
        nonce: [u8; 32],
        guests: &[&Met],
    ) -> Result<Vec<Self>, HeaderError> {
        let host = Player {
            identity: identity.clone(),
            nonce,
        };
        let guest = |met: &&Met| Player {
            identity: met.peer.clone(),
            nonce: met.nonces[1],
        };
        let players: Vec<Player> = [host].into_iter().chain(guests.iter().map(guest)).collect();
        let others = guests.iter().map(|met| met.peer_name.clone());
        let names: Vec<Name> = [name.clone()].into_iter().chain(others).collect();
        let buys = terms.least_buys(&players, past.as_ref());
        let header = terms.header_of(&players, past, 1, buys)?;
        let roster = |seat| Roster {
            seat,
            header: header.clone(),
            players: players.clone(),
            names: names.clone(),
        };
        Ok(Seat::all(players.len()).map(roster).collect())
    }

    /// The match of these players.
    ///
    /// # Errors
    /// If these players cannot play this match.
    pub fn sitting(self) -> Result<Sitting, CannotBegin> {
        Ok(Sitting {
            match_info: Match::new(self.header, self.players)?,
            seat: self.seat,
            names: self.names,
        })
    }

    /// Checks that the roster is for the guest `own` of this meeting, and names the host of this
    /// meeting as the host.
    ///
    /// # Errors
    /// [`CannotBegin::Roster`].
    pub fn check(&self, met: &Met, own: &PublicIdentity) -> Result<(), CannotBegin> {
        let guest = self.players.get(self.seat.index());
        let is_own = |player: &Player| {
            self.seat != Seat::HOST && player.identity == *own && player.nonce == met.nonces[1]
        };
        let host = self.players.first();
        let is_host = host.is_some_and(|host| host.identity == met.peer);
        match guest.is_some_and(is_own) && is_host {
            true => Ok(()),
            false => Err(CannotBegin::Roster),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer
            .u8(self.seat.number())
            .string(&self.header.encode())
            .u8(self.players.len() as u8);
        for (player, name) in self.players.iter().zip(&self.names) {
            writer.raw(&player.identity.encode()).raw(&player.nonce);
            writer.string(name.as_str().as_bytes());
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let seat = Seat::new(reader.u8()?);
        let header = Header::decode(reader.string(Header::MAX_LEN)?).map_err(|_| Malformed)?;
        let count = reader.u8()?;
        let (mut players, mut names) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let identity = reader.raw(PublicIdentity::LEN)?;
            players.push(Player {
                identity: PublicIdentity::decode(identity).map_err(|_| Malformed)?,
                nonce: reader.array()?,
            });
            names.push(Name::decode(reader.string(Name::MAX_BYTES)?)?);
        }
        Ok(Roster {
            seat,
            header,
            players,
            names,
        })
    }
}
