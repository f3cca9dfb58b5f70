//! The rules of the games as pure state machines.
//!
//! This module does not depend on connections, files or ciphers. A [`Hand`] returns the next
//! action: cards to be opened, a seat that has to choose, or the outcome of the hand.

mod betting;
mod betting_rules;
mod between;
mod choice;
mod dealing;
mod foul;
mod free_deck;
mod game;
mod goods;
mod hand;
mod kinds;
mod next;
mod poker;
mod poker_kind;
mod pots;
mod ranking;
mod stakes;

pub use betting_rules::{BettingRules, Limit, Posts};
pub use between::Blinds;
pub use choice::Choice;
pub use foul::{BadCards, Foul};
pub use game::{BadGame, Game, GameDeck};
pub use goods::{Gain, Good, GoodsChoice, Offer};
pub use hand::{Hand, SettledBy};
pub use kinds::{BadKinds, NamedKinds};
pub use next::{Amounts, Learners, Legal, Outcome, Pot, Proposal, Rolled, Shown, Steal, Stolen};
pub use poker_kind::PokerKind;
pub use ranking::HandRank;
pub use stakes::{Stakes, StakesError, Variety};

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

/// Items that are public only for tests and fuzz targets.
mod with_internals {
    pub use super::foul::{BadFaces, CannotDeal};
    pub use super::next::Next;
}
