//! The terms of a table, which its host sends to every player who comes by the table's link.

use dealerless_connection::identity::{Fingerprint, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};
use dealerless_connection::{MAX_HEADER, system_rng};
use rand::Rng;

use crate::log::{AtTable, Clock, Header, HeaderError, MatchLog, Member, Past, Player, TableId};
use crate::rules::Stakes;
use crate::seat::Seat;

/// What the players of a table agree on once. A match at the table has at most as many players as the stakes have
/// seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableTerms {
    /// The id of the table.
    pub id: TableId,
    /// The game and its stakes, for all seats.
    pub stakes: Stakes,
    /// The chips that a player may buy.
    pub buys: BuyTerms,
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

/// The chips that a player of a table may buy between two matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuyTerms {
    /// The minimum number of chips of a player who has bought some. 0 in a game without chips.
    pub least: u64,
    /// The maximum number of chips of a player who has bought some. 0 in a game without chips.
    pub most: u64,
    /// Whether a player who has chips may buy some.
    pub top_up: bool,
    /// The number of rebuys of a player. [`ANY`](Self::ANY) is no limit. The list of players counts chips, not
    /// buys, so the limit is one on their sum: a player buys at most `most * (rebuys + 1)` chips in an evening.
    pub rebuys: u8,
}

impl BuyTerms {
    /// The number of rebuys that stands for any number.
    pub const ANY: u8 = u8::MAX;

    /// The terms by which a player buys a stack, or tops up to one, at any time. 0 in a game without chips.
    pub const fn of_stack(stack: u64) -> Self {
        BuyTerms {
            least: stack,
            most: stack,
            top_up: true,
            rebuys: Self::ANY,
        }
    }

    fn is_valid(&self, stakes: &Stakes) -> bool {
        match stakes.betting() {
            Some(_) => 0 < self.least && self.least <= self.most && self.most <= Stakes::MAX_STACK,
            None => (self.least, self.most) == (0, 0),
        }
    }

    fn allow(&self, chips: u64, bought: u64, buy: u64) -> bool {
        let limit = match self.rebuys {
            Self::ANY => u64::MAX,
            rebuys => self.most * (u64::from(rebuys) + 1),
        };
        let sum = |had: u64| had.checked_add(buy);
        let fits = sum(chips).is_some_and(|chips| (self.least..=self.most).contains(&chips));
        let is_left = sum(bought).is_some_and(|bought| bought <= limit);
        match (chips > 0, buy > 0) {
            (has_chips, false) => has_chips,
            (has_chips, true) => (self.top_up || !has_chips) && fits && is_left,
        }
    }
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
    /// If the game has no verifiable deck for some number of players up to that of the stakes, or if `buys`
    /// are out of bounds.
    pub fn new(
        stakes: Stakes,
        buys: BuyTerms,
        may_leave: u8,
        accepts_two_tables: bool,
        is_open: bool,
        clock: Clock,
    ) -> Result<Self, HeaderError> {
        let terms = TableTerms {
            id: TableId::NONE,
            stakes,
            buys,
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
    pub(super) fn at(self, id: TableId) -> Self {
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

    /// The header of a first match of this number of players, who buy a stack each.
    ///
    /// # Errors
    /// If this number of players cannot play at the table.
    pub fn header(&self, seats: usize) -> Result<Header, HeaderError> {
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
        header.ok_or(HeaderError::NoSuchDeck)
    }

    /// The header of the match of these players after the result `past`, with this number of the handover, counted
    /// from 1. Each seat buys the number of chips in `buys`. The seats of `past` whose players are not among
    /// these are left out.
    ///
    /// # Errors
    /// If this number of players cannot play at the table, or [`HeaderError::Malformed`] if `number` is 0 or
    /// the chips are out of bounds.
    pub fn header_of(
        &self,
        players: &[Player],
        past: Option<Past>,
        number: u16,
        buys: Vec<u64>,
    ) -> Result<Header, HeaderError> {
        let mut header = self.header(players.len())?;
        let table = AtTable {
            id: self.id,
            number,
            past: past.map(|past| past.before(&fingerprints(players))),
            buys,
        };
        let is_valid = table.is_valid(&header.stakes);
        header.table = is_valid.then_some(table);
        is_valid.then_some(header).ok_or(HeaderError::Malformed)
    }

    /// Whether these players can play a match with this header at the table: it has the terms of the table,
    /// and each buy is [allowed](Self::allows_buy). The result of the match before and the number are not
    /// checked.
    pub fn allow(&self, header: &Header, players: &[Player]) -> bool {
        let Some(AtTable {
            number, past, buys, ..
        }) = &header.table
        else {
            return false;
        };
        let expected = self.header_of(players, past.clone(), *number, buys.clone());
        let member = |player| past.as_ref()?.member(player);
        let mut all = fingerprints(players).into_iter().zip(buys);
        expected.is_ok_and(|expected| expected == *header)
            && all.all(|(player, buy)| self.allows_buy(member(player), *buy))
    }

    /// Whether a player may begin a match with this buy. `member` is the player's entry in the list, if there
    /// is one. A player without chips has to buy some. In a game without chips nobody buys any.
    pub fn allows_buy(&self, member: Option<&Member>, buy: u64) -> bool {
        let (chips, bought) = member.map_or((0, 0), |member| (member.chips, member.bought));
        match self.stakes.betting() {
            Some(_) => self.buys.allow(chips, bought, buy),
            None => buy == 0,
        }
    }

    /// The chips that each seat of the match of this log buys for the next match after the result `past`. A
    /// buy that the terms do not allow counts as 0, and so does one of a seat that is gone.
    pub fn buys(&self, log: &MatchLog, past: &Past) -> Vec<u64> {
        let (gone, signed) = (log.gone_after(past), log.signed_buys(past));
        let seats = Seat::all(past.seats).zip(signed);
        let counts = |(seat, buy): (Seat, u64)| {
            let member = past.players.get(seat.index());
            let is_allowed = !gone.contains(&seat) && self.allows_buy(member, buy);
            if is_allowed { buy } else { 0 }
        };
        seats.map(counts).collect()
    }

    /// The seats that decide about the next match after this result of the log, in order: all that have
    /// not left, were not removed or convicted, and have chips or [buy](Self::buys) some. After an open match
    /// they include the seats without which it was settled.
    pub fn electorate(&self, log: &MatchLog, past: &Past) -> Vec<Seat> {
        let (gone, buys) = (log.gone_after(past), self.buys(log, past));
        let has_chips = |seat: &Seat| {
            let chips = past.player(*seat).map_or(0, |(_, chips)| chips);
            chips > 0 || buys[seat.index()] > 0
        };
        let seats = Seat::all(past.seats);
        seats
            .filter(|seat| !gone.contains(seat) && has_chips(seat))
            .collect()
    }

    fn check(&self) -> Result<(), HeaderError> {
        if !self.buys.is_valid(&self.stakes) {
            return Err(HeaderError::Malformed);
        }
        (2..=self.stakes.seats()).try_for_each(|seats| self.header(seats).map(drop))
    }

    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer
            .u16(TABLE)
            .raw(self.id.as_bytes())
            .string(&self.stakes.encode())
            .u64(self.buys.least)
            .u64(self.buys.most)
            .u8(self.buys.top_up.into())
            .u8(self.buys.rebuys)
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
            buys: BuyTerms {
                least: reader.u64()?,
                most: reader.u64()?,
                top_up: reader.bool()?,
                rebuys: reader.u8()?,
            },
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

fn fingerprints(players: &[Player]) -> Vec<Fingerprint> {
    let players = players.iter();
    players
        .map(|player| player.identity.fingerprint())
        .collect()
}

// The longest terms fit the limit of a meeting.
const _: () = assert!(2 + 32 + 2 + Stakes::MAX_LEN + 18 + 1 + 1 + 1 + 8 <= MAX_HEADER);

#[cfg(test)]
pub(super) mod tests {
    use dealerless_connection::identity::Identity;

    use super::*;
    use crate::log::DeckTerms;
    use crate::rules::{
        BettingRules, Game, GameDeck, Limit, NamedKinds, PokerKind, Posts, Variety,
    };

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
        let buys = BuyTerms::of_stack(200);
        let terms = TableTerms::new(stakes, buys, may_leave, accepts_two_tables, false, clock);
        terms.unwrap().at(TableId::of_bytes([7; 32]))
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
            let buys = vec![200; players.len()];
            let header = terms.header_of(&players, None, 3, buys).unwrap();
            assert_eq!(header.table.as_ref().unwrap().number, 3);
            assert!(terms.allow(&header, &players), "{count}");
            let mut others = [(); 6].map(|()| header.clone());
            others[0].clock = Clock::default();
            others[1].deck = DeckTerms::verifiable(&header.stakes, 2).unwrap();
            others[2].table.as_mut().unwrap().buys[1] += 1;
            others[3].table.as_mut().unwrap().id = TableId::NONE;
            others[4].table = None;
            others[5].table.as_mut().unwrap().buys[0] = 0;
            for other in others.iter().filter(|other| **other != header) {
                assert!(!terms.allow(other, &players), "{count}");
            }
        }
        let wrong = |count: u8, number, buys| {
            let header = terms.header_of(&players(count), None, number, buys);
            assert!(header.is_err(), "{count} {number}");
        };
        wrong(7, 1, vec![200; 7]);
        wrong(1, 1, vec![200]);
        wrong(3, 0, vec![200; 3]);
        wrong(3, 1, vec![200; 2]);
        wrong(2, 1, vec![200, Stakes::MAX_STACK + 1]);
        assert!(terms.header(1).is_err());
    }

    fn member(chips: u64, bought: u64) -> Member {
        Member {
            player: players(1)[0].identity.fingerprint(),
            chips,
            bought,
        }
    }

    #[test]
    fn each_buy_fits_the_terms() {
        let with = |buys: BuyTerms| TableTerms {
            buys,
            ..terms(6, 0, false)
        };
        let buys = BuyTerms {
            least: 50,
            most: 200,
            top_up: true,
            rebuys: 1,
        };
        let table = with(buys);
        let allows = |chips, bought, buy| table.allows_buy(Some(&member(chips, bought)), buy);
        let fits = |buy| table.allows_buy(None, buy);
        assert_eq!(
            [0, 49, 50, 200, 201].map(fits),
            [false, false, true, true, false]
        );
        assert_eq!(
            [0, 49, 50, 200, 201].map(|buy| allows(0, 200, buy)),
            [false, false, true, true, false]
        );
        // A player with chips need not buy.
        assert!(allows(1, 200, 0) && allows(1, 1000, 0) && allows(900, 200, 0));
        assert!(!allows(1, 200, 48) && allows(1, 200, 49));
        assert!(allows(100, 200, 100) && !allows(100, 200, 101) && !allows(300, 200, 1));
        // All buys together are at most two stacks.
        assert!(allows(0, 350, 50) && !allows(0, 351, 50));
        assert!(allows(100, 300, 100) && !allows(100, 301, 100));
        assert!(!allows(5, 200, u64::MAX) && !allows(0, u64::MAX, 50));
        let any = with(BuyTerms {
            rebuys: BuyTerms::ANY,
            ..buys
        });
        assert!(any.allows_buy(Some(&member(0, 351)), 50));
        let no_top_up = with(BuyTerms {
            top_up: false,
            ..buys
        });
        assert!(!no_top_up.allows_buy(Some(&member(1, 200)), 60));
        assert!(no_top_up.allows_buy(Some(&member(1, 200)), 0));
        assert!(no_top_up.allows_buy(Some(&member(0, 200)), 60));
    }

    #[test]
    fn terms_of_buying_have_bounds() {
        let of = terms(3, 0, false);
        let new = |least, most| {
            let buys = BuyTerms {
                least,
                most,
                ..BuyTerms::of_stack(1)
            };
            let terms = TableTerms { buys, ..of.clone() };
            let decoded = Proposal::decode(&Proposal::from(terms).encode());
            let new = TableTerms::new(of.stakes.clone(), buys, 0, false, false, of.clock);
            assert_eq!(new.is_ok(), decoded.is_ok());
            new.is_ok()
        };
        assert!(new(1, 1) && new(1, Stakes::MAX_STACK));
        assert!(!new(0, 1) && !new(2, 1) && !new(1, Stakes::MAX_STACK + 1));
    }

    #[test]
    fn a_board_game_has_no_chips_to_buy() {
        let deck = GameDeck {
            name: "cards".into(),
            kinds: NamedKinds::new(&[("card", 5)]).unwrap(),
            is_board: false,
        };
        let game = Game::new(vec![deck], Vec::new()).unwrap();
        let stakes = Stakes::of_game(game, 3, 1).unwrap();
        let new = |stack| {
            let buys = BuyTerms::of_stack(stack);
            TableTerms::new(stakes.clone(), buys, 0, false, false, Clock::default())
        };
        assert!(new(1).is_err());
        let terms = new(0).unwrap();
        let players = players(3);
        let none = vec![0; players.len()];
        let header = terms.header_of(&players, None, 1, none).unwrap();
        assert!(terms.allow(&header, &players));
        assert!(terms.allows_buy(None, 0) && !terms.allows_buy(None, 1));
    }

    #[test]
    fn a_proposal_has_one_encoding_and_is_read_as_what_it_is() {
        let table = Proposal::from(terms(6, 2, true));
        let header = terms(3, 0, false).header(3).unwrap();
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
