//! One seat of a match, played by a person, a program or a bot.
//!
//! The crate `dealerless-table` has the rules of a match and its log, and `dealerless-seat` the state machine of a
//! seat, which `dealerless-native` runs. This module reports its [events](dealerless_seat::event) to the player: to a program
//! as JSON, to a person on a screen. It turns the player's input into commands.

pub(crate) mod as_guest;
mod bot;
mod cards;
pub(crate) mod door;
mod guest_terms;
mod headings;
mod input;
mod meet_again;
pub(crate) mod open;
mod own;
mod player;
mod posts;
mod prompt;
mod reader;
mod relays;
pub(crate) mod route;
mod screen;
pub(crate) mod stakes;
mod turn;

#[cfg(test)]
mod tests;

pub(crate) use guest_terms::GuestTerms;
#[cfg(feature = "browser")]
pub(crate) use headings::SCREEN;
pub(crate) use headings::{CONNECTION, GAME};
#[cfg(feature = "browser")]
pub(crate) use input::LONGEST as LONGEST_LINE;
pub(crate) use meet_again::MeetAgainArgs;
pub(crate) use own::{FolderArgs, Own, OwnArgs, is_in_use, keep_private};
pub(crate) use posts::Posts;
pub use prompt::reads_typed;
pub(crate) use relays::{RelayArgs, RelayChoice, RelayName};
pub(crate) use stakes::StakesArgs;
