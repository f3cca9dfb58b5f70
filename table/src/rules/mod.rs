//! The rules of the games: what follows from what was said, and nothing else.
//!
//! Nothing here knows of lines, files or ciphers. A [`Hand`] says what comes [`Next`]: cards that
//! are to be opened, a seat that is to choose, or how the hand ended.

mod betting;
mod betting_rules;
mod between;
mod choice;
mod dealing;
mod edition;
mod foul;
mod free_deck;
mod hand;
mod kinds;
mod next;
mod poker;
mod poker_kind;
mod pots;
mod ranking;
mod stakes;

pub use betting_rules::{BettingRules, Limit, Posts};
pub use choice::{Choice, ChoiceError};
pub use edition::Edition;
pub use foul::{BadCards, BadFaces, CannotDeal, Foul};
pub use hand::Hand;
pub use kinds::{BadKinds, NamedKinds};
pub use next::{
    Amounts, Learners, Legal, Next, Opening, Outcome, Pot, Proposal, Rolled, Shown, Steal,
};
pub use poker_kind::PokerKind;
pub use ranking::HandRank;
pub use stakes::{Stakes, StakesError, Variety};
