//! The players and the game of a match.

use dealerless::deck::Choice;
use dealerless_connection::{Met, hex};
use dealerless_table::log::{Clock, DeckTerms, Header, Past, Player, Sitting};
use dealerless_table::play::{BuyTerms, DealCircuit, TableTerms, TimeLeft};
use dealerless_table::rules::{NamedKinds, Stakes};
use serde::{Deserialize, Serialize};

use crate::VERSION;
use crate::game_name::{GameName, has_fixed_limit};
use crate::words::risks;

/// The players at their seats, the game and its terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    pub version: u32,
    pub seat: u8,
    pub names: Vec<String>,
    pub fingerprints: Vec<String>,
    pub game: GameName,
    pub hands: u32,
    #[serde(flatten)]
    pub chips: Option<Chips>,
    pub cards: usize,
    pub drawn: usize,
    /// The kinds of cards; empty if the deck has no kinds.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub kinds: Vec<Kind>,
    #[serde(rename = "match")]
    pub of: String,
    pub log: Option<String>,
    /// The time limits, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<Time>,
    /// The shuffle algorithm, if it is not the one that `auto` chooses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shuffle: Option<String>,
    /// The number of seats that open a card together, if the deck is verifiable.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opens: Option<u8>,
    /// The match that this one continues, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continues: Option<Continues>,
    /// Whether the match is resumed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub resumed: bool,
}

/// The terms of a table that a host offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableOffer {
    pub version: u32,
    /// The name of the host.
    pub host: String,
    pub fingerprint: String,
    pub game: GameName,
    #[serde(flatten)]
    pub chips: Option<Chips>,
    /// The maximum number of players.
    pub seats: u8,
    /// The number of hands in a match.
    pub hands: u32,
    /// The number of players who may disappear in a hand if all seats are taken.
    pub may_leave: u8,
    /// How often a player may buy a full stack again; absent if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rebuys: Option<u8>,
    /// Whether everybody who has the link may take a free seat.
    pub open: bool,
    /// The time limits, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<Time>,
    /// What the others can do at the table, in detail.
    pub details: Vec<String>,
}

impl TableOffer {
    /// The terms of a table of this host.
    pub fn of(terms: &TableTerms, host: &Met) -> Self {
        let (stakes, clock) = (&terms.stakes, terms.clock);
        let seats = stakes.seats();
        let may_leave = terms.may_leave_of(seats);
        TableOffer {
            version: VERSION,
            host: host.peer_name.to_string(),
            fingerprint: host.peer.fingerprint().to_string(),
            game: GameName::of(stakes),
            chips: Chips::of(stakes),
            seats: seats as u8,
            hands: stakes.hands(),
            may_leave: may_leave as u8,
            rebuys: Some(terms.buys.rebuys).filter(|rebuys| *rebuys != BuyTerms::ANY),
            open: terms.is_open,
            details: risks(seats, seats - may_leave),
            clock: (clock != Clock::default()).then(|| Time::of(clock)),
        }
    }
}

/// The match before, whose players keep their chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continues {
    #[serde(rename = "match")]
    pub of: String,
    /// The chips of each seat at the start.
    pub stacks: Vec<u64>,
    /// The players without whom that match was settled, because they were absent or had left before.
    /// Empty if it was over.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub without: Vec<Missing>,
}

/// A player without whom a match was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub fingerprint: String,
    /// The chips with which the player can return.
    pub chips: u64,
}

impl Missing {
    /// Returns the players without whom the match before was settled, if it was open.
    pub fn all(past: &Past) -> Vec<Self> {
        let without = past.without.iter().filter(|_| past.is_open);
        let missing = without.filter_map(|seat| past.player(*seat));
        missing
            .map(|(player, chips)| Missing {
                fingerprint: player.to_string(),
                chips,
            })
            .collect()
    }
}

/// A kind of card and the number of cards of this kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    pub name: String,
    pub count: u32,
}

impl Kind {
    /// Returns the kinds of cards in the deck.
    pub fn of(stakes: &Stakes) -> Vec<Self> {
        let kinds = stakes.kinds().into_iter().flat_map(NamedKinds::iter);
        let kind = |(name, count): (&str, u32)| Kind {
            name: name.to_owned(),
            count,
        };
        kinds.map(kind).collect()
    }
}

/// The seconds for each move, and the seconds in the bank for moves that take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    #[serde(rename = "move")]
    pub each_move: u64,
    pub bank: u64,
}

impl Time {
    fn of(clock: Clock) -> Self {
        Time {
            each_move: clock.each_move.into(),
            bank: clock.bank.into(),
        }
    }
}

impl From<TimeLeft> for Time {
    fn from(left: TimeLeft) -> Self {
        Time {
            each_move: left.each_move.as_secs(),
            bank: left.bank.as_secs(),
        }
    }
}

/// The chips of a game with betting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chips {
    pub stack: u64,
    /// Whether the bets have fixed sizes.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub fixed_limit: bool,
    #[serde(flatten)]
    pub posts: Posts,
}

/// The bets before the deal: `[small, big]`, or `[ante, smallest bet]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Posts {
    Blinds([u64; 2]),
    Ante([u64; 2]),
}

impl Seated {
    /// Returns the terms of a match for the player who sits there. `log` is the path of the match
    /// file.
    pub fn of(sitting: &Sitting, log: Option<String>, resumed: bool) -> Self {
        let Sitting {
            match_info: of,
            seat,
            names,
        } = sitting;
        let stakes = &of.header().stakes;
        let (cards, drawn) = stakes.deck();
        let fingerprint = |player: &Player| player.identity.fingerprint().to_string();
        let clock = of.header().clock;
        Seated {
            version: VERSION,
            seat: seat.number(),
            names: names.iter().map(|name| name.as_str().to_owned()).collect(),
            fingerprints: of.players().iter().map(fingerprint).collect(),
            game: GameName::of(stakes),
            hands: stakes.hands(),
            chips: Chips::of(stakes),
            cards,
            drawn,
            kinds: Kind::of(stakes),
            of: hex(of.id().as_bytes()),
            log,
            clock: (clock != Clock::default()).then(|| Time::of(clock)),
            shuffle: unusual_shuffle(of.header()),
            opens: opens(of.header()),
            continues: of.header().past().map(|past| Continues {
                of: hex(past.match_id.as_bytes()),
                stacks: of.first_stacks(),
                without: Missing::all(past),
            }),
            resumed,
        }
    }

    /// Whether the bets have fixed sizes.
    pub fn has_fixed_limit(&self) -> bool {
        (self.chips.as_ref()).is_some_and(|chips| chips.fixed_limit)
    }

    /// Whether the match is one of a table, whose players come and go.
    pub fn is_at_table(&self) -> bool {
        self.opens.is_some()
    }

    /// Returns the number of seats that may disappear in a hand.
    pub fn may_leave(&self) -> usize {
        let opens = self.opens.map_or(self.names.len(), usize::from);
        self.names.len().saturating_sub(opens)
    }

    /// Returns the number of boards that are dealt together; `None` in a card game.
    pub fn boards(&self) -> Option<usize> {
        (self.game == GameName::Bridge).then_some(self.drawn / 4)
    }
}

impl Chips {
    fn of(stakes: &Stakes) -> Option<Self> {
        let rules = stakes.betting()?;
        Some(Chips {
            stack: rules.stack,
            fixed_limit: has_fixed_limit(stakes),
            posts: match rules.posts {
                dealerless_table::rules::Posts::Blinds { small, big } => {
                    Posts::Blinds([small, big])
                }
                dealerless_table::rules::Posts::Antes { ante, bet } => Posts::Ante([ante, bet]),
            },
        })
    }
}

/// Returns the number of seats that open a card of a verifiable deck together.
pub fn opens(header: &Header) -> Option<u8> {
    match header.deck {
        DeckTerms::Sealed(_) => None,
        DeckTerms::Verifiable(seats) => u8::try_from(seats.threshold()).ok(),
    }
}

/// Returns the name of the shuffle algorithm, unless `auto` chooses the same one.
fn unusual_shuffle(header: &Header) -> Option<String> {
    let algorithm = header.sealed()?.algorithm;
    let usual = DealCircuit::algorithm_for(Choice::Cheapest, &header.stakes).ok();
    (usual != Some(algorithm)).then(|| algorithm.to_string())
}
