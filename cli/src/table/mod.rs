//! One seat of a match, played by a person, a program or a bot.
//!
//! What happens at the table becomes [events](dealerless_events). A program reads them as JSON; a
//! person's screen is drawn from the same events. The player's input comes back as commands. The
//! driver of the match, its log and its rules are in the crate `dealerless-table`.

pub(crate) mod admit;
mod banks;
mod bot;
mod cards;
mod columns;
mod dial;
pub(crate) mod door;
mod headings;
mod input;
mod leaving;
mod meet_again;
pub(crate) mod open;
mod own;
mod player;
mod posts;
mod prompt;
mod reader;
mod screen;
mod seat;
mod session;
pub(crate) mod sit;
mod stakes;
pub(crate) mod standing;
pub(crate) mod stored_match;
mod turn;
pub(crate) mod waiting_room;

#[cfg(test)]
mod tests;

pub(crate) use dial::{Dialer, Route};
#[cfg(feature = "browser")]
pub(crate) use headings::SCREEN;
pub(crate) use headings::{CONNECTION, GAME};
#[cfg(feature = "browser")]
pub(crate) use input::LONGEST as LONGEST_LINE;
pub(crate) use meet_again::MeetAgainArgs;
pub(crate) use own::{FolderArgs, Own, OwnArgs, is_in_use};
pub(crate) use player::Player;
pub(crate) use posts::Posts;
pub use prompt::reads_typed;
pub(crate) use stakes::{Differs, GuestTerms, StakesArgs};
