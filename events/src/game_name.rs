//! The names of the games.

use std::fmt;

use dealerless_table::rules::{Limit, Stakes, Variety};
use serde::{Deserialize, Serialize};

/// The name of a game, as options of the program and events have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameName {
    /// Texas hold'em with no limit.
    Holdem,
    /// Texas hold'em with a fixed limit.
    FixedHoldem,
    /// Five-card draw, whatever its limit.
    Draw,
    /// A deck without rules.
    Deck,
    /// Boards of bridge.
    Bridge,
}

impl GameName {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        GameName::Holdem,
        GameName::FixedHoldem,
        GameName::Draw,
        GameName::Deck,
        GameName::Bridge,
    ];

    /// The name of the game that is played for these stakes.
    pub fn of(stakes: &Stakes) -> Self {
        match stakes.variety() {
            Variety::Holdem(rules) => match rules.limit {
                Limit::NoLimit => GameName::Holdem,
                Limit::Fixed => GameName::FixedHoldem,
            },
            Variety::FiveCardDraw(_) => GameName::Draw,
            Variety::Deck { .. } => GameName::Deck,
            Variety::Boards { .. } => GameName::Bridge,
        }
    }

    /// The name as it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            GameName::Holdem => "holdem",
            GameName::FixedHoldem => "fixed-holdem",
            GameName::Draw => "draw",
            GameName::Deck => "deck",
            GameName::Bridge => "bridge",
        }
    }

    /// The title of the game within a sentence. Only draw has one title for each limit.
    pub(crate) fn title(self, fixed_limit: bool) -> &'static str {
        match self {
            GameName::Holdem => "no-limit Texas hold'em",
            GameName::FixedHoldem => "fixed-limit Texas hold'em",
            GameName::Draw if fixed_limit => "fixed-limit five-card draw",
            GameName::Draw => "no-limit five-card draw",
            GameName::Deck => "a deck without rules",
            GameName::Bridge => "bridge",
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether bets are of fixed sizes.
pub(crate) fn has_fixed_limit(stakes: &Stakes) -> bool {
    (stakes.betting()).is_some_and(|rules| rules.limit == Limit::Fixed)
}

/// The title of the game that is played for these stakes, within a sentence.
pub fn title(stakes: &Stakes) -> &'static str {
    GameName::of(stakes).title(has_fixed_limit(stakes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_listed_once_and_is_typed_as_it_is_written_in_events() {
        for (place, name) in GameName::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
            assert_eq!(
                GameName::ALL.iter().position(|&one| one == name),
                Some(place)
            );
            // A new name does not compile until it is here; it is also listed above.
            match name {
                GameName::Holdem
                | GameName::FixedHoldem
                | GameName::Draw
                | GameName::Deck
                | GameName::Bridge => {}
            }
        }
    }
}
