//! The messages of two players on a new connection before their match begins or is resumed.

use dealerless_connection::identity::Name;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::guest_addresses::GuestAddresses;
use super::roster::Roster;
use crate::log::MatchId;

/// A message on the control stream. The guest begins with *Sit*, *Resume*, *Audit* or *Declines*.
/// The host always answers *Sit*, and answers the other messages only if it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// From the guest: it wants to play the match that the host proposes. From the host of one
    /// guest: the match begins.
    Sit,
    /// From the host of a table: the guest is admitted. `place` is 0 if it has a seat, and otherwise its place among
    /// those who wait for one. `players` have a seat, the host first.
    Waits {
        /// The place of the guest.
        place: u8,
        /// The names of the players who have a seat.
        players: Vec<Name>,
    },
    /// From the host of a table: the match begins when all players of this list have agreed. The guest answers with
    /// *Agrees* or *Declines*.
    Roster(Box<Roster>),
    /// From a guest: it agrees to the roster that gives the match this id. The other guests may reach
    /// it at these addresses.
    Agrees(MatchId, GuestAddresses),
    /// From the host of a table: the match begins. The addresses of all
    /// players, in order of their seats. Guests already know those of the host, which are left out.
    Begins(Vec<GuestAddresses>),
    /// The guest resumes the match with this id.
    Resume(MatchId),
    /// The guest [audits](crate::audit::Auditing) the match with this id, which is over. The inputs
    /// of both sides follow.
    Audit(MatchId),
    /// The two players have an unfinished match with this id, and must resume it instead of
    /// starting a new match.
    Open(MatchId),
    /// The host knows no match with this id against this guest.
    Unknown(MatchId),
    /// From the host, or from another player at whose door the guest rings: the match with this id,
    /// which the guest resumes, was settled without absent seats. The table goes on in another match,
    /// and the guest has this number of chips there. The guest cannot check this yet.
    WentOn(MatchId, u64),
    /// The guest declines the proposed match, because it insists on another value of this term.
    Declines(Term),
    /// The host plays with another guest, or is deciding whether to.
    Taken,
    /// The host does not want to play with this guest.
    Declined,
    /// In a match on this connection: the sender's player plays in a page in a browser. Nobody can check
    /// this.
    InPage,
}

/// A term of a match that a host proposes and a guest may insist on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::FromRepr)]
#[repr(u8)]
#[non_exhaustive]
pub enum Term {
    /// The game.
    #[strum(to_string = "another game")]
    Game,
    /// The number of cards in the deck.
    #[strum(to_string = "another number of cards")]
    Cards,
    /// The kinds of cards.
    #[strum(to_string = "other kinds of cards")]
    Kinds,
    /// The number of cards drawn.
    #[strum(to_string = "another number of cards drawn")]
    Draw,
    /// The shuffling algorithm.
    #[strum(to_string = "another shuffle")]
    Shuffle,
    /// The number of hands.
    #[strum(to_string = "another number of hands")]
    Hands,
    /// The chips of each player.
    #[strum(to_string = "other stacks")]
    Stack,
    /// The blinds.
    #[strum(to_string = "other blinds")]
    Blinds,
    /// The ante and the smallest bet.
    #[strum(to_string = "another ante")]
    Ante,
    /// The amount of memory that the match needs.
    #[strum(to_string = "what takes less memory")]
    Memory,
    /// The clock.
    #[strum(to_string = "another clock")]
    Clock,
    /// All terms: the guest's player has declined the match.
    #[strum(to_string = "other terms")]
    All,
    /// The number of seats that may disappear in a hand.
    #[strum(to_string = "another number of players who may disappear in a hand")]
    MayLeave,
}

const SIT: u8 = 0;
const RESUME: u8 = 1;
const OPEN: u8 = 2;
const UNKNOWN: u8 = 3;
const AUDIT: u8 = 4;
const DECLINES: u8 = 5;
const TAKEN: u8 = 6;
const DECLINED: u8 = 7;
const ROSTER: u8 = 9;
const AGREES: u8 = 10;
const BEGINS: u8 = 11;
const WENT_ON: u8 = 12;
const IN_PAGE: u8 = 13;
const WAITS: u8 = 15;

impl Control {
    /// Encodes the message.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Control::Sit => writer.u8(SIT),
            Control::Resume(of) => writer.u8(RESUME).raw(of.as_bytes()),
            Control::Audit(of) => writer.u8(AUDIT).raw(of.as_bytes()),
            Control::Open(of) => writer.u8(OPEN).raw(of.as_bytes()),
            Control::Unknown(of) => writer.u8(UNKNOWN).raw(of.as_bytes()),
            Control::WentOn(of, chips) => writer.u8(WENT_ON).raw(of.as_bytes()).u64(*chips),
            Control::Declines(term) => writer.u8(DECLINES).u8(*term as u8),
            Control::Taken => writer.u8(TAKEN),
            Control::Declined => writer.u8(DECLINED),
            Control::InPage => writer.u8(IN_PAGE),
            Control::Waits { place, players } => {
                writer.u8(WAITS).u8(*place).u8(players.len() as u8);
                for name in players {
                    writer.string(name.as_str().as_bytes());
                }
                &mut writer
            }
            Control::Roster(roster) => {
                roster.write(writer.u8(ROSTER));
                &mut writer
            }
            Control::Agrees(of, addresses) => {
                addresses.write(writer.u8(AGREES).raw(of.as_bytes()));
                &mut writer
            }
            Control::Begins(all) => {
                writer.u8(BEGINS).u8(all.len() as u8);
                all.iter()
                    .for_each(|addresses| addresses.write(&mut writer));
                &mut writer
            }
        };
        writer.finish()
    }

    /// Decodes a message. `None` if the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        Self::read(bytes).ok()
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let control = match reader.u8()? {
            SIT => Control::Sit,
            RESUME => Control::Resume(MatchId::new(reader.array()?)),
            OPEN => Control::Open(MatchId::new(reader.array()?)),
            UNKNOWN => Control::Unknown(MatchId::new(reader.array()?)),
            AUDIT => Control::Audit(MatchId::new(reader.array()?)),
            WENT_ON => Control::WentOn(MatchId::new(reader.array()?), reader.u64()?),
            DECLINES => {
                let term = Term::from_repr(reader.u8()?);
                Control::Declines(term.ok_or(Malformed)?)
            }
            TAKEN => Control::Taken,
            DECLINED => Control::Declined,
            IN_PAGE => Control::InPage,
            WAITS => {
                let (place, count) = (reader.u8()?, reader.u8()?);
                let name = |_| Name::decode(reader.string(Name::MAX_BYTES)?);
                Control::Waits {
                    place,
                    players: (0..count).map(name).collect::<Result<_, _>>()?,
                }
            }
            ROSTER => Control::Roster(Box::new(Roster::read(&mut reader)?)),
            AGREES => Control::Agrees(
                MatchId::new(reader.array()?),
                GuestAddresses::read(&mut reader)?,
            ),
            BEGINS => {
                let count = reader.u8()?;
                let all = (0..count).map(|_| GuestAddresses::read(&mut reader));
                Control::Begins(all.collect::<Result<_, _>>()?)
            }
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(control)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table_terms::tests::terms;
    use super::*;
    use crate::log::Player;
    use crate::seat::Seat;
    use dealerless_connection::identity::Identity;

    fn addresses(count: usize) -> GuestAddresses {
        let all = (0..count).map(|last| format!("192.0.2.{last}:5252").parse().unwrap());
        GuestAddresses::new(all)
    }

    /// A list of this number of players, for the player at this seat.
    fn roster(seat: u8, count: u8) -> Roster {
        let player = |number| Player {
            identity: Identity::from_seed([number; 32]).public().clone(),
            nonce: [number; 32],
        };
        Roster {
            seat: Seat::new(seat),
            header: terms(10, 1, false).header(count.into(), None).unwrap(),
            players: (0..count).map(player).collect(),
            names: (0..count)
                .map(|seat| Name::clean(&seat.to_string()))
                .collect(),
        }
    }

    #[test]
    fn a_guest_lists_few_addresses_and_no_names() {
        assert_eq!(addresses(100).as_slice().len(), GuestAddresses::MAX);
        let written = |count: u8, address: &str| {
            let mut writer = Writer::default();
            writer.u8(AGREES).raw(&[5; 32]).u8(count);
            for _ in 0..count {
                writer.string(address.as_bytes());
            }
            writer.finish()
        };
        let read = |count, address| Control::decode(&written(count, address));
        let most = GuestAddresses::MAX as u8;
        assert!(read(most, "192.0.2.1:5252").is_some());
        assert_eq!(read(most + 1, "192.0.2.1:5252"), None);
        assert_eq!(read(100, "192.0.2.1:5252"), None);
        for address in ["example.org:5252", "192.0.2.1", "192.0.2.1:05252", ""] {
            assert_eq!(read(1, address), None, "{address}");
        }
        let name = "example.org:5252".parse().unwrap();
        assert_eq!(GuestAddresses::new([name]), GuestAddresses::default());
    }

    #[test]
    fn messages_have_one_encoding_and_nothing_else_is_accepted() {
        let of = MatchId::new([7; 32]);
        for control in [
            Control::Sit,
            Control::Resume(of),
            Control::Open(of),
            Control::Unknown(of),
            Control::Audit(of),
            Control::WentOn(of, 75),
            Control::Declines(Term::Game),
            Control::Declines(Term::All),
            Control::Taken,
            Control::Declined,
            Control::InPage,
            Control::Waits {
                place: 0,
                players: vec![Name::clean("Anna"), Name::clean("Bert")],
            },
            Control::Waits {
                place: 2,
                players: Vec::new(),
            },
            Control::Agrees(MatchId::new([5; 32]), addresses(GuestAddresses::MAX)),
            Control::Begins(vec![addresses(0), addresses(2), addresses(1)]),
            Control::Roster(Box::new(roster(0, 2))),
            Control::Roster(Box::new(roster(9, 10))),
        ] {
            let bytes = control.encode();
            assert_eq!(Control::decode(&bytes), Some(control));
            let more = [&bytes[..], &[0]].concat();
            assert_eq!(Control::decode(&more), None);
            assert_eq!(Control::decode(&bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(Control::decode(&[14]), None);
        for number in 0..13 {
            let declines = Control::decode(&[DECLINES, number]).unwrap();
            assert_eq!(declines.encode(), [DECLINES, number]);
        }
        assert_eq!(Control::decode(&[DECLINES, 13]), None);
    }
}
