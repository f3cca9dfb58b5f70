//! The first entry of a match file: the match and the owner's seat.

use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::header::Header;
use super::players::{Match, Player};
use crate::seat::Seat;

/// The match of a match file, and the seat of the file's owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitting {
    /// The match.
    pub match_info: Match,
    /// The seat of the owner of the file.
    pub seat: Seat,
    /// The names that the players gave themselves, in order of the seats. Nobody has verified them.
    pub names: Vec<Name>,
}

/// The first bytes of the first entry.
const MAGIC: &[u8; 16] = b"dealerless log 1";

impl Sitting {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer
            .raw(MAGIC)
            .raw(self.match_info.id().as_bytes())
            .u8(self.seat.number());
        writer.string(&self.match_info.header().encode());
        for (seat, player) in self.match_info.players().iter().enumerate() {
            writer.raw(&player.identity.encode()).raw(&player.nonce);
            let name = self.names.get(seat).map_or("nameless", Name::as_str);
            writer.string(name.as_bytes());
        }
        writer.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let (magic, id) = (reader.array()?, reader.array()?);
        let seat = Seat::new(reader.u8()?);
        let header = Header::decode(reader.string(Header::MAX_LEN)?).map_err(|_| Malformed)?;
        let (mut players, mut names) = (Vec::new(), Vec::new());
        for _ in 0..header.stakes.seats() {
            let identity = reader.raw(PublicIdentity::LEN)?;
            players.push(Player {
                identity: PublicIdentity::decode(identity).map_err(|_| Malformed)?,
                nonce: reader.array()?,
            });
            names.push(Name::decode(reader.string(Name::MAX_BYTES)?)?);
        }
        reader.finish()?;
        let of = Match::new(header, players).map_err(|_| Malformed)?;
        if magic != *MAGIC || id != *of.id().as_bytes() || seat.index() >= of.seats() {
            return Err(Malformed);
        }
        Ok(Sitting {
            match_info: of,
            seat,
            names,
        })
    }
}
