//! The messages of two players on a connection outside the log of a match: before it begins or is resumed, and between
//! two matches of a table.

use dealerless_connection::identity::Name;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::ready::{Goes, Ready};
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
    /// those who wait for one. `players` have a seat, the host first. With a `number`, the guest answers *Ready*.
    Waits {
        /// The place of the guest.
        place: u8,
        /// The number of the next list of players. 0 while more players are awaited.
        number: u16,
        /// The names of the players who have a seat.
        players: Vec<Name>,
    },
    /// At a table: the list of the players of the next match, by the proposer of its number. A player consents by signing
    /// a part in that match.
    Roster(Box<Roster>),
    /// At a table: the sender is ready for the next match with this number.
    Ready(Box<Ready>),
    /// At a table: a seat does not play on after the result of a match.
    Goes(Box<Goes>),
    /// The guest resumes the match with this id. At a table, from each side: the following messages on the log stream
    /// belong to the match with this id.
    Resume(MatchId),
    /// The guest [audits](crate::audit::Auditing) the match with this id, which is over. The inputs
    /// of both sides follow.
    Audit(MatchId),
    /// The two players have an unfinished match with this id, and must resume it instead of
    /// starting a new match.
    Open(MatchId),
    /// The host knows no match with this id against this guest.
    Unknown(MatchId),
    /// From the host, or from another player whom the guest calls: the table goes on in a match after the one
    /// with this id, which the guest resumes. The guest has this number of chips in its list. The guest
    /// cannot check this yet.
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
const WENT_ON: u8 = 12;
const IN_PAGE: u8 = 13;
const READY: u8 = 14;
const WAITS: u8 = 15;
const GOES: u8 = 16;

impl Control {
    /// Whether the message is about the next match of a table, or about its seats.
    pub fn is_between_matches(&self) -> bool {
        matches!(
            self,
            Control::Sit
                | Control::Waits { .. }
                | Control::Roster(_)
                | Control::Ready(_)
                | Control::Goes(_)
                | Control::Resume(_)
        )
    }

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
            Control::Waits {
                place,
                number,
                players,
            } => {
                let count = players.len() as u8;
                writer.u8(WAITS).u8(*place).u16(*number).u8(count);
                for name in players {
                    writer.string(name.as_str().as_bytes());
                }
                &mut writer
            }
            Control::Roster(roster) => {
                roster.write(writer.u8(ROSTER));
                &mut writer
            }
            Control::Ready(ready) => {
                ready.write(writer.u8(READY));
                &mut writer
            }
            Control::Goes(goes) => {
                goes.write(writer.u8(GOES));
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
                let (place, number, count) = (reader.u8()?, reader.u16()?, reader.u8()?);
                let name = |_| Name::decode(reader.string(Name::MAX_BYTES)?);
                Control::Waits {
                    place,
                    number,
                    players: (0..count).map(name).collect::<Result<_, _>>()?,
                }
            }
            ROSTER => Control::Roster(Box::new(Roster::read(&mut reader)?)),
            READY => Control::Ready(Box::new(Ready::read(&mut reader)?)),
            GOES => Control::Goes(Box::new(Goes::read(&mut reader)?)),
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(control)
    }
}

#[cfg(test)]
mod tests {
    use super::super::guest_addresses::GuestAddresses;
    use super::super::ready::ResultId;
    use super::super::table_terms::tests::terms;
    use super::*;
    use crate::log::Player;
    use crate::seat::Seat;
    use dealerless_connection::identity::Identity;

    fn addresses(count: usize) -> GuestAddresses {
        let all = (0..count).map(|last| format!("192.0.2.{last}:5252").parse().unwrap());
        GuestAddresses::new(all)
    }

    /// A list of this number of players.
    fn roster(count: u8) -> Roster {
        let player = |number| Player {
            identity: Identity::from_seed([number; 32]).public().clone(),
            nonce: [number; 32],
        };
        Roster::sign(
            &Identity::from_seed([0; 32]),
            terms(10, 1, false).header(count.into()).unwrap(),
            (0..count).map(player).collect(),
            (0..count)
                .map(|seat| Name::clean(&seat.to_string()))
                .collect(),
            (0..count.into()).map(addresses).collect(),
        )
    }

    fn ready(past: Option<ResultId>) -> Ready {
        Ready {
            past,
            number: 3,
            nonce: [4; 32],
            buy: 200,
            addresses: addresses(2),
        }
    }

    #[test]
    fn a_guest_lists_few_addresses_and_no_names() {
        assert_eq!(addresses(100).as_slice().len(), GuestAddresses::MAX);
        let written = |count: u8, address: &str| {
            let mut writer = Writer::default();
            writer.u8(READY).u8(0).u16(3).raw(&[4; 32]).u64(200);
            writer.u8(count);
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
        let result = ResultId {
            of,
            steps: 99,
            hash: [8; 32],
        };
        let identity = Identity::from_seed([1; 32]);
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
                number: 258,
                players: vec![Name::clean("Anna"), Name::clean("Bert")],
            },
            Control::Waits {
                place: 2,
                number: 0,
                players: Vec::new(),
            },
            Control::Ready(Box::new(ready(None))),
            Control::Ready(Box::new(ready(Some(result)))),
            Control::Goes(Box::new(Goes::sign(&identity, result, Seat::new(2)))),
            Control::Roster(Box::new(roster(2))),
            Control::Roster(Box::new(roster(10))),
        ] {
            let bytes = control.encode();
            assert_eq!(Control::decode(&bytes), Some(control));
            let more = [&bytes[..], &[0]].concat();
            assert_eq!(Control::decode(&more), None);
            assert_eq!(Control::decode(&bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(Control::decode(&[10]), None);
        for number in 0..13 {
            let declines = Control::decode(&[DECLINES, number]).unwrap();
            assert_eq!(declines.encode(), [DECLINES, number]);
        }
        assert_eq!(Control::decode(&[DECLINES, 13]), None);
    }
}
