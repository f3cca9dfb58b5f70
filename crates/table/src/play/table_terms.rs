//! The terms of a table, which its host sends to every player who comes by the table's link.

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::wire::{Malformed, Reader, Writer};
use dealerless_connection::{MAX_HEADER, system_rng};
use rand::Rng;

use crate::log::{Clock, Header, HeaderError, Past, Player, TableId};
use crate::rules::Stakes;

/// What the players of a table agree on once. A match at the table has at most as many players as the stakes have
/// seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableTerms {
    /// The id of the table.
    pub id: TableId,
    /// The game and its stakes, for all seats.
    pub stakes: Stakes,
    /// The number of seats that may disappear in a hand, if enough players have sat down
    /// ([`may_leave_of`](Self::may_leave_of)).
    pub may_leave: u8,
    /// Whether this number may be so large that one player who cuts the connections between others can play two
    /// tables with them.
    pub accepts_two_tables: bool,
    /// Whether everybody who has the link may take a free seat. Otherwise the host's player decides.
    pub is_open: bool,
    /// The time limits.
    pub clock: Clock,
}

/// What a host proposes in a meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// A match of two, or the match that the host resumes.
    Match(Box<Header>),
    /// A table.
    Table(Box<TableTerms>),
}

impl Proposal {
    /// The same proposal, at a new table that `host` opens if it is one.
    #[must_use]
    pub fn opened_by(self, host: &PublicIdentity) -> Self {
        match self {
            Proposal::Match(header) => Proposal::Match(header),
            Proposal::Table(terms) => terms.opened_by(host).into(),
        }
    }
}

impl From<Header> for Proposal {
    fn from(header: Header) -> Self {
        Proposal::Match(Box::new(header))
    }
}

impl From<TableTerms> for Proposal {
    fn from(terms: TableTerms) -> Self {
        Proposal::Table(Box::new(terms))
    }
}

/// The first number of encoded terms. Headers begin with the version of their log, which is smaller.
const TABLE: u16 = 256;

impl Proposal {
    /// Encodes the proposal.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Proposal::Match(header) => header.encode(),
            Proposal::Table(terms) => terms.encode(),
        }
    }

    /// Decodes what a host proposes.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        if Reader::new(bytes).u16()? == TABLE {
            return Ok(Proposal::Table(Box::new(TableTerms::decode(bytes)?)));
        }
        Ok(Proposal::Match(Box::new(Header::decode(bytes)?)))
    }
}

impl TableTerms {
    /// Terms that nobody has opened a table for yet.
    ///
    /// # Errors
    /// If the game has no verifiable deck for some number of players up to that of the stakes.
    pub fn new(
        stakes: Stakes,
        may_leave: u8,
        accepts_two_tables: bool,
        is_open: bool,
        clock: Clock,
    ) -> Result<Self, HeaderError> {
        let terms = TableTerms {
            id: TableId::NONE,
            stakes,
            may_leave,
            accepts_two_tables,
            is_open,
            clock,
        };
        terms.check()?;
        Ok(terms)
    }

    /// The same terms at a new table that `host` opens.
    #[must_use]
    pub fn opened_by(self, host: &PublicIdentity) -> Self {
        let mut random = [0; 32];
        system_rng().fill_bytes(&mut random);
        let id = TableId::new(host, &random, &self.encode());
        self.at(id)
    }

    /// The same terms at the table with this id.
    #[must_use]
    pub fn at(self, id: TableId) -> Self {
        TableTerms { id, ..self }
    }

    /// The number of seats that may disappear in a hand of `seats` players. Without
    /// [`accepts_two_tables`](Self::accepts_two_tables), at least two players are needed to play two tables with the
    /// others: two sets of those who open a card have at least two players in common.
    pub fn may_leave_of(&self, seats: usize) -> usize {
        let most = match self.accepts_two_tables {
            true => seats.saturating_sub(2),
            false => seats.saturating_sub(2) / 2,
        };
        most.min(self.may_leave.into())
    }

    /// The header of a match of this number of players, after the match `past`.
    ///
    /// # Errors
    /// If this number of players cannot play at the table.
    pub fn header(&self, seats: usize, past: Option<Past>) -> Result<Header, HeaderError> {
        let number = u8::try_from(seats).map_err(|_| Malformed)?;
        if seats > self.stakes.seats() {
            return Err(HeaderError::Malformed);
        }
        let stakes = self
            .stakes
            .with_seats(number)
            .map_err(HeaderError::Stakes)?;
        let opens = seats - self.may_leave_of(seats);
        let header = Header::at_table(self.id, stakes, opens, self.clock);
        let mut header = header.ok_or(HeaderError::NoSuchDeck)?;
        if let Some(table) = &mut header.table {
            table.past = past;
        }
        Ok(header)
    }

    /// The header of a match of these players, after the match `past`.
    ///
    /// # Errors
    /// If this number of players cannot play at the table.
    pub fn header_of(&self, players: &[Player], past: Option<Past>) -> Result<Header, HeaderError> {
        Ok(self.header(players.len(), past)?.with_players(players))
    }

    /// Whether these players can play a match with this header at the table.
    pub fn allow(&self, header: &Header, players: &[Player]) -> bool {
        let expected = self.header_of(players, header.past().cloned());
        expected.is_ok_and(|expected| expected == *header)
    }

    fn check(&self) -> Result<(), HeaderError> {
        (2..=self.stakes.seats()).try_for_each(|seats| self.header(seats, None).map(drop))
    }

    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer
            .u16(TABLE)
            .raw(self.id.as_bytes())
            .string(&self.stakes.encode())
            .u8(self.may_leave)
            .u8(self.accepts_two_tables.into())
            .u8(self.is_open.into())
            .u32(self.clock.each_move)
            .u32(self.clock.bank);
        writer.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let mut reader = Reader::new(bytes);
        reader.u16()?;
        let terms = TableTerms {
            id: TableId::of_bytes(reader.array()?),
            stakes: Stakes::decode(reader.string(Stakes::MAX_LEN)?).map_err(HeaderError::Stakes)?,
            may_leave: reader.u8()?,
            accepts_two_tables: reader.bool()?,
            is_open: reader.bool()?,
            clock: Clock {
                each_move: reader.u32()?,
                bank: reader.u32()?,
            },
        };
        reader.finish()?;
        terms.check()?;
        Ok(terms)
    }
}

// The longest terms fit the limit of a meeting.
const _: () = assert!(2 + 32 + 2 + Stakes::MAX_LEN + 1 + 1 + 1 + 8 <= MAX_HEADER);

#[cfg(test)]
pub(super) mod tests {
    use dealerless_connection::identity::Identity;

    use super::*;
    use crate::log::DeckTerms;
    use crate::rules::{BettingRules, Limit, PokerKind, Posts, Variety};

    /// The terms of a table of hold'em.
    pub(in crate::play) fn terms(seats: u8, may_leave: u8, accepts_two_tables: bool) -> TableTerms {
        let rules = BettingRules {
            stack: 200,
            limit: Limit::NoLimit,
            posts: Posts::Blinds { small: 1, big: 2 },
        };
        let stakes = Stakes::new(Variety::Poker(PokerKind::Holdem, rules), seats, 1000).unwrap();
        let clock = Clock {
            each_move: 30,
            bank: 120,
        };
        let terms = TableTerms::new(stakes, may_leave, accepts_two_tables, false, clock).unwrap();
        terms.at(TableId::of_bytes([7; 32]))
    }

    #[test]
    fn as_few_players_open_a_card_as_no_single_player_can_play_two_tables() {
        let most = |accepts: bool| {
            let terms = terms(10, 9, accepts);
            let all = (2..=10).map(|seats| terms.may_leave_of(seats));
            all.collect::<Vec<_>>()
        };
        assert_eq!(most(false), [0, 0, 1, 1, 2, 2, 3, 3, 4]);
        assert_eq!(most(true), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        for seats in 2..=10 {
            let opens = seats - terms(10, 9, false).may_leave_of(seats);
            assert!(2 * opens >= seats + 2, "{opens} of {seats}");
        }
        assert_eq!(terms(10, 1, false).may_leave_of(10), 1);
    }

    fn players(count: u8) -> Vec<Player> {
        let player = |seed| Player {
            identity: Identity::from_seed([seed; 32]).public().clone(),
            nonce: [seed; 32],
        };
        (1..=count).map(player).collect()
    }

    #[test]
    fn terms_allow_their_headers_and_no_others() {
        let terms = terms(6, 1, false);
        for count in 2..=6 {
            let players = players(count);
            let header = terms.header_of(&players, None).unwrap();
            assert!(terms.allow(&header, &players), "{count}");
            let mut others = [(); 4].map(|()| header.clone());
            others[0].clock = Clock::default();
            others[1].deck = DeckTerms::verifiable(&header.stakes, 2).unwrap();
            others[2].table.as_mut().unwrap().buys[1] += 1;
            others[3].table.as_mut().unwrap().id = TableId::NONE;
            for other in others.iter().filter(|other| **other != header) {
                assert!(!terms.allow(other, &players), "{count}");
            }
        }
        assert!(terms.header_of(&players(7), None).is_err());
        assert!(terms.header(1, None).is_err());
    }

    #[test]
    fn a_proposal_has_one_encoding_and_is_read_as_what_it_is() {
        let table = Proposal::from(terms(6, 2, true));
        let header = terms(3, 0, false).header(3, None).unwrap();
        for proposal in [table, Proposal::from(header)] {
            let bytes = proposal.encode();
            assert_eq!(Proposal::decode(&bytes), Ok(proposal));
            assert!(Proposal::decode(&bytes[..bytes.len() - 1]).is_err());
            assert!(Proposal::decode(&[&bytes[..], &[0]].concat()).is_err());
        }
        let mut bytes = Proposal::from(terms(6, 2, true)).encode();
        let flag = bytes.len() - 9;
        bytes[flag] = 2;
        assert!(Proposal::decode(&bytes).is_err());
        assert!(Proposal::decode(&[]).is_err());
    }
}
