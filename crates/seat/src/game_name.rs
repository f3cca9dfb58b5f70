//! The names of the games.

use std::fmt;

use dealerless_table::rules::{Limit, PokerKind, Stakes, Variety};
use serde::{Deserialize, Serialize};

/// The name of a game, as used in command-line options and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameName {
    /// No-limit Texas hold'em.
    Holdem,
    /// Fixed-limit Texas hold'em.
    FixedHoldem,
    /// Five-card draw, no-limit or fixed-limit.
    Draw,
    /// A deck without rules.
    Deck,
    /// Boards of bridge.
    Bridge,
}

impl GameName {
    /// All games, in the order of lists and help texts.
    pub const ALL: [Self; 5] = [
        GameName::Holdem,
        GameName::FixedHoldem,
        GameName::Draw,
        GameName::Deck,
        GameName::Bridge,
    ];

    /// The game of poker with this name, and the limit that a host offers.
    pub fn poker(self) -> Option<(PokerKind, Limit)> {
        match self {
            GameName::Holdem => Some((PokerKind::Holdem, Limit::NoLimit)),
            GameName::FixedHoldem => Some((PokerKind::Holdem, Limit::Fixed)),
            GameName::Draw => Some((PokerKind::FiveCardDraw, Limit::NoLimit)),
            GameName::Deck | GameName::Bridge => None,
        }
    }

    /// Returns the name of the game that has these stakes. `dealerless` does not play board games, and
    /// reads the record of one like that of a deck without rules.
    pub fn of(stakes: &Stakes) -> Self {
        match stakes.variety() {
            Variety::Poker(kind, rules) => {
                let mut names = Self::ALL.into_iter();
                let exact = names.find(|name| name.poker() == Some((kind, rules.limit)));
                // A game that has no name for its limit has one name for all limits.
                let mut names = Self::ALL.into_iter();
                let of_kind = || names.find(|name| name.poker().is_some_and(|(of, _)| of == kind));
                exact.or_else(of_kind).expect("each game has a name")
            }
            Variety::Deck { .. } | Variety::Game { .. } => GameName::Deck,
            Variety::Boards { .. } => GameName::Bridge,
        }
    }

    /// Returns the name as a user types it.
    pub fn as_str(self) -> &'static str {
        match self {
            GameName::Holdem => "holdem",
            GameName::FixedHoldem => "fixed-holdem",
            GameName::Draw => "draw",
            GameName::Deck => "deck",
            GameName::Bridge => "bridge",
        }
    }

    /// Returns the title of the game within a sentence. With `fixed_limit`, the bets have fixed sizes;
    /// otherwise the limit is that of the name.
    pub fn title(self, fixed_limit: bool) -> String {
        match (self.poker(), self) {
            (Some((kind, limit)), _) => {
                let limit = if fixed_limit { Limit::Fixed } else { limit };
                format!("{} {}", limit.title(), kind.title())
            }
            (None, GameName::Bridge) => "bridge".to_owned(),
            (None, _) => "a deck without rules".to_owned(),
        }
    }

    /// Returns the title in short form, for the heading of a small screen.
    pub(crate) fn heading(self, fixed_limit: bool) -> &'static str {
        match self {
            GameName::Holdem => "No-limit hold'em",
            GameName::FixedHoldem => "Fixed-limit hold'em",
            GameName::Draw if fixed_limit => "Fixed-limit five-card draw",
            GameName::Draw => "Five-card draw",
            GameName::Deck => "A deck without rules",
            GameName::Bridge => "Boards of bridge",
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether the bets have fixed sizes.
pub(crate) fn has_fixed_limit(stakes: &Stakes) -> bool {
    (stakes.betting()).is_some_and(|rules| rules.limit == Limit::Fixed)
}

/// Returns the title, within a sentence, of the game that has these stakes.
pub fn title(stakes: &Stakes) -> String {
    if stakes.game().is_some() {
        return "a board game".to_owned();
    }
    GameName::of(stakes).title(has_fixed_limit(stakes))
}

#[cfg(test)]
mod tests {
    use dealerless_table::rules::{BettingRules, Posts};

    use super::*;

    #[test]
    fn every_game_is_listed_once_and_has_the_same_name_in_events() {
        for (place, name) in GameName::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
            assert_eq!(
                GameName::ALL.iter().position(|&one| one == name),
                Some(place)
            );
            // The compiler requires that a new variant is listed here. Add the variant to `ALL` as
            // well.
            match name {
                GameName::Holdem
                | GameName::FixedHoldem
                | GameName::Draw
                | GameName::Deck
                | GameName::Bridge => {}
            }
        }
    }

    #[test]
    fn every_game_of_poker_has_a_name_at_each_limit() {
        for (kind, limit) in PokerKind::ALL
            .into_iter()
            .flat_map(|kind| [Limit::NoLimit, Limit::Fixed].map(|limit| (kind, limit)))
        {
            let rules = BettingRules {
                stack: 100,
                limit,
                posts: Posts::Blinds { small: 1, big: 2 },
            };
            let stakes = Stakes::new(Variety::Poker(kind, rules), 2, 1).unwrap();
            let named = GameName::of(&stakes).poker().map(|(kind, _)| kind);
            assert_eq!(named, Some(kind));
            assert!(
                title(&stakes).ends_with(kind.title()) && title(&stakes).starts_with(limit.title())
            );
        }
    }
}
