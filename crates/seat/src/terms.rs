//! The terms of a match that a host proposes, as a player gives them.

use std::fmt;
use std::str::FromStr;

use dealerless::verifiable::MAX_SEATS;
use dealerless_table::log::Clock;
use dealerless_table::play::{BuyTerms, TableTerms};
use dealerless_table::rules::{
    BettingRules, Limit, NamedKinds, Posts, Stakes, StakesError, Variety,
};

use crate::game_name::GameName;
use crate::words;

/// Two amounts, such as `1/2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair(pub u64, pub u64);

impl FromStr for Pair {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let pair = text.split_once('/');
        let pair = pair.and_then(|(a, b)| Some(Pair(a.parse().ok()?, b.parse().ok()?)));
        pair.ok_or("expected two amounts, such as 1/2")
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// A clock: `30+120` for 30 s for each move and 120 s in the time bank, `30` for an empty time
/// bank, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Clock);

impl Time {
    /// The default clock of a game. Games without rules have none: a player who runs out of time
    /// passes, and two passes end the hand with its sealed cards closed for good.
    pub fn default_of(game: GameName) -> Self {
        Time(match game.poker() {
            Some(_) => Clock {
                each_move: 30,
                bank: 120,
            },
            None => Clock::default(),
        })
    }
}

impl FromStr for Time {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Time(Clock::default()));
        }
        let (each_move, bank) = text.split_once('+').unwrap_or((text, "0"));
        let clock = match (each_move.parse(), bank.parse()) {
            (Ok(each_move), Ok(bank)) => Clock { each_move, bank },
            _ => return Err("expected two numbers of seconds, such as 30+120, or `none`"),
        };
        if clock == Clock::default() {
            Err("the clock must not be zero; `none` means no limit")
        } else {
            Ok(Time(clock))
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Clock {
                each_move: 0,
                bank: 0,
            } => f.write_str("none"),
            Clock { each_move, bank } => write!(f, "{each_move}+{bank}"),
        }
    }
}

/// The game of a match, its chips and its deck. Terms that are not given have their defaults.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The game.
    pub game: GameName,
    /// The number of players; 2 by default.
    pub seats: Option<u8>,
    /// The number of hands; 10 by default, 1 in bridge, and 1 000 at a table of more than two.
    pub hands: Option<u32>,
    /// The chips of each player at the start; 200 by default.
    pub stack: Option<u64>,
    /// The blinds; 1/2 by default.
    pub blinds: Option<Pair>,
    /// The ante and the smallest bet, in place of blinds.
    pub ante: Option<Pair>,
    /// The number of cards of a deck without rules; 52 by default.
    pub cards: Option<usize>,
    /// The kinds of cards of a deck without rules.
    pub kinds: Option<NamedKinds>,
    /// The number of cards drawn from a deck without rules; all by default.
    pub draw: Option<usize>,
    /// The number of boards of bridge; 24 by default.
    pub boards: Option<u32>,
}

/// The terms of a table beside its game, as its host gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The number of seats that may disappear in a hand.
    pub may_leave: u8,
    /// Whether the host accepts that one player could then play two tables at once.
    pub accepts_two_tables: bool,
    /// Whether everybody who has the link may take a free seat.
    pub is_open: bool,
    /// The number of rebuys of a player; any number by default.
    pub rebuys: Option<u8>,
}

/// The terms contradict each other, or the rules do not allow them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadTerms {
    /// Only bridge has boards.
    #[error("--boards requires --game bridge")]
    Boards,
    /// Only a deck without rules has these terms.
    #[error("--cards, --kinds and --draw require --game deck")]
    Deck,
    /// The game is for fewer or more players.
    #[error("{game} is for {}, not {seats}", players(*most))]
    Seats {
        /// The game.
        game: GameName,
        /// The number of players that was given.
        seats: u8,
        /// The maximum number of players of the game.
        most: u8,
    },
    /// The deck has too many cards.
    #[error("the deck is too large")]
    TooLarge,
    /// Fewer than two players would open a card.
    #[error("at most {most} of {seats} players may leave: at least two players open a card")]
    FewOpeners {
        /// The number of seats.
        seats: usize,
        /// The number of players who may leave.
        most: usize,
    },
    /// Nothing decides when a silent player has disappeared.
    #[error("--may-leave requires a clock: it decides when a silent player has disappeared")]
    NoClock,
    /// One player could play two tables at once.
    #[error(
        "with --seats {seats} --may-leave {may_leave}, {TWO_TABLES}. Use a smaller --may-leave, or accept this with \
         --accept-two-tables"
    )]
    TwoTables {
        /// The number of seats.
        seats: usize,
        /// The number of players who may leave.
        may_leave: u8,
    },
    /// Only poker has a deck for several players.
    #[error("{0} is for two players: only poker has a verifiable deck")]
    NoVerifiableDeck(GameName),
    /// The rules do not allow them.
    #[error(transparent)]
    Stakes(#[from] StakesError),
}

/// The reason why a match may have to be accepted explicitly.
pub const TWO_TABLES: &str = "one player who can also cut the connections between the others can play two tables at \
                              once with them; only the records of both tables convict that player";

/// The players of a game that has at most `most` seats.
fn players(most: u8) -> String {
    match most {
        2 => "2 players".to_owned(),
        most => format!("2 to {most} players"),
    }
}

/// The maximum number of players of a game: the smaller of what its rules and its deck allow.
fn most_seats(game: GameName) -> u8 {
    // A sealed deck has 2 seats. Only poker has a verifiable deck at a table.
    let poker = game.poker();
    poker.map_or(2, |(kind, _)| kind.most_seats().min(MAX_SEATS as u8))
}

impl Terms {
    /// The default terms of a game.
    pub fn of(game: GameName) -> Self {
        Terms {
            game,
            seats: None,
            hands: None,
            stack: None,
            blinds: None,
            ante: None,
            cards: None,
            kinds: None,
            draw: None,
            boards: None,
        }
    }

    /// The stakes of these terms.
    ///
    /// # Errors
    /// [`BadTerms`].
    pub fn stakes(&self) -> Result<Stakes, BadTerms> {
        let bridge = self.game == GameName::Bridge;
        let seats = self.seats.unwrap_or(2);
        let hands = self.hands.unwrap_or(match (bridge, seats) {
            (true, _) => 1,
            (false, ..=2) => 10,
            // A table lasts until its players leave.
            (false, _) => 1_000,
        });
        let (game, most) = (self.game, most_seats(self.game));
        if !(2..=most).contains(&seats) {
            return Err(BadTerms::Seats { game, seats, most });
        }
        if self.boards.is_some() && !bridge {
            return Err(BadTerms::Boards);
        }
        let variety = match (self.game.poker(), self.game) {
            (None, GameName::Deck) => {
                let all = |kinds: &NamedKinds| kinds.iter().map(|(_, count)| count as usize).sum();
                let of_kinds = self.kinds.as_ref().map(all);
                let cards = self.cards.or(of_kinds).unwrap_or(52);
                let drawn = self.draw.unwrap_or(cards);
                let number = |number| u32::try_from(number).map_err(|_| BadTerms::TooLarge);
                let (cards, drawn) = (number(cards)?, number(drawn)?);
                if let Some(kinds) = &self.kinds {
                    return Ok(Stakes::of_kinds(kinds.clone(), drawn, seats, hands)?);
                }
                Variety::Deck { cards, drawn }
            }
            _ if self.cards.is_some() || self.draw.is_some() || self.kinds.is_some() => {
                return Err(BadTerms::Deck);
            }
            (Some((kind, limit)), _) => Variety::Poker(kind, self.betting(limit)),
            (None, _) => Variety::Boards {
                boards: self.boards.unwrap_or(24),
            },
        };
        Ok(Stakes::new(variety, seats, hands)?)
    }

    /// The terms of a table at which each player buys a stack.
    ///
    /// # Errors
    /// [`BadTerms`].
    pub fn table(&self, options: TableOptions, time: Option<Time>) -> Result<TableTerms, BadTerms> {
        let stakes = self.stakes()?;
        let clock = time.unwrap_or_else(|| Time::default_of(self.game)).0;
        let TableOptions {
            may_leave,
            accepts_two_tables,
            is_open,
            rebuys,
        } = options;
        let seats = stakes.seats();
        let opens = seats.saturating_sub(may_leave.into());
        if opens < 2 {
            let most = seats.saturating_sub(2);
            return Err(BadTerms::FewOpeners { seats, most });
        }
        if may_leave > 0 && clock == Clock::default() {
            return Err(BadTerms::NoClock);
        }
        if may_leave > 0 && words::two_tables(seats, opens) == 1 && !accepts_two_tables {
            return Err(BadTerms::TwoTables { seats, may_leave });
        }
        let any = BuyTerms::of_stack(stakes.stack());
        let buys = BuyTerms {
            rebuys: rebuys.unwrap_or(any.rebuys),
            ..any
        };
        let terms = TableTerms::new(stakes, buys, may_leave, accepts_two_tables, is_open, clock);
        terms.map_err(|_| BadTerms::NoVerifiableDeck(self.game))
    }

    fn betting(&self, limit: Limit) -> BettingRules {
        let posts = match (self.ante, self.blinds.unwrap_or(Pair(1, 2))) {
            (Some(Pair(ante, bet)), _) => Posts::Antes { ante, bet },
            (None, Pair(small, big)) => Posts::Blinds { small, big },
        };
        BettingRules {
            stack: self.stack.unwrap_or(200),
            limit,
            posts,
        }
    }
}
