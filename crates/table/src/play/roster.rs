//! The players of a match of a table, as its proposer lists them.

use dealerless::verifiable::MAX_SEATS;
use dealerless_connection::identity::{Identity, Name, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::guest_addresses::GuestAddresses;
use super::seating::CannotBegin;
use crate::log::{Header, Match, Player, Sitting};
use crate::seat::Seat;

const CONTEXT: &str = "list";

/// The players in order of their seats. All players must get the same list: it is part of the match's id, so players
/// with different lists are in different matches, in which no signature of the others is valid. Others forward the list,
/// so the proposer signs all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The terms of the match.
    pub header: Header,
    /// The players, in order of their seats. The first one is the proposer.
    pub players: Vec<Player>,
    /// The names that the players chose. Nobody has verified them.
    pub names: Vec<Name>,
    /// The addresses of the players, in order of their seats.
    pub addresses: Vec<GuestAddresses>,
    /// The signature of the proposer over all other fields.
    signature: [u8; 64],
}

impl Roster {
    /// The list of these players, signed by the proposer: the first one.
    pub fn sign(
        identity: &Identity,
        header: Header,
        players: Vec<Player>,
        names: Vec<Name>,
        addresses: Vec<GuestAddresses>,
    ) -> Self {
        let mut roster = Roster {
            header,
            players,
            names,
            addresses,
            signature: [0; 64],
        };
        roster.signature = identity.sign(CONTEXT, &[&roster.encode()]);
        roster
    }

    /// Whether the first player has signed this list.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        let proposer = self.players.first();
        proposer.is_some_and(|proposer| {
            let fields = [&self.encode()[..]];
            proposer
                .identity
                .has_signed(CONTEXT, &fields, &self.signature)
        })
    }

    /// The list without its signature.
    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write_list(&mut writer);
        writer.finish()
    }

    /// The match of these players, for the player `own` with this nonce (S14).
    ///
    /// # Errors
    /// [`CannotBegin::Roster`] if the player has no seat or another nonce there; otherwise if these players cannot play
    /// this match.
    pub fn sitting(&self, own: &PublicIdentity, nonce: &[u8; 32]) -> Result<Sitting, CannotBegin> {
        let is_own = |player: &Player| player.identity == *own && player.nonce == *nonce;
        let seat = self.players.iter().position(is_own);
        Ok(Sitting {
            seat: Seat::new(seat.ok_or(CannotBegin::Roster)? as u8),
            match_info: Match::new(self.header.clone(), self.players.clone())?,
            names: self.names.clone(),
        })
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        self.write_list(writer);
        writer.raw(&self.signature);
    }

    fn write_list(&self, writer: &mut Writer) {
        writer
            .string(&self.header.encode())
            .u8(self.players.len() as u8);
        let details = self.names.iter().zip(&self.addresses);
        for (player, (name, addresses)) in self.players.iter().zip(details) {
            writer.raw(&player.identity.encode()).raw(&player.nonce);
            writer.string(name.as_str().as_bytes());
            addresses.write(writer);
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let header = Header::decode(reader.string(Header::MAX_LEN)?).map_err(|_| Malformed)?;
        let mut roster = Roster {
            header,
            players: Vec::new(),
            names: Vec::new(),
            addresses: Vec::new(),
            signature: [0; 64],
        };
        let count = reader.u8()?;
        if usize::from(count) > MAX_SEATS {
            return Err(Malformed);
        }
        for _ in 0..count {
            let identity = reader.raw(PublicIdentity::LEN)?;
            roster.players.push(Player {
                identity: PublicIdentity::decode(identity).map_err(|_| Malformed)?,
                nonce: reader.array()?,
            });
            let name = Name::decode(reader.string(Name::MAX_BYTES)?)?;
            roster.names.push(name);
            roster.addresses.push(GuestAddresses::read(reader)?);
        }
        roster.signature = reader.array()?;
        Ok(roster)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table_terms::tests::terms;
    use super::*;

    #[test]
    fn a_list_is_that_of_its_first_player_in_every_field() {
        let identities = [1, 2].map(|seed| Identity::from_seed([seed; 32]));
        let player = |identity: &Identity| Player {
            identity: identity.public().clone(),
            nonce: [3; 32],
        };
        let address = "192.0.2.1:5252".parse().unwrap();
        let list = |by: &Identity| {
            Roster::sign(
                by,
                terms(3, 0, false).header(2).unwrap(),
                identities.iter().map(player).collect(),
                ["Anna", "Bert"].map(Name::clean).to_vec(),
                vec![GuestAddresses::default(); 2],
            )
        };
        assert!(!list(&identities[1]).is_signed());
        let good = list(&identities[0]);
        assert!(good.is_signed());
        let mut others = [(); 6].map(|()| good.clone());
        others[0].header.table.as_mut().unwrap().number += 1;
        others[1].players[1].nonce = [4; 32];
        others[2].players.swap(0, 1);
        others[3].names[1] = Name::clean("Cleo");
        others[4].addresses[0] = GuestAddresses::new([address]);
        others[5].signature[0] ^= 1;
        assert!(others.iter().all(|other| !other.is_signed()));
    }
}
