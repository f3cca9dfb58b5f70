//! One seat of a match: its log, deck and engine, driven by messages of the peer and commands of
//! the player.
//!
//! [`Play`] is a seat as a state machine. It receives events (`Event`) and commands of the player
//! ([`Command`]), sends the seat's signed parts, and reports [`News`] to the player. `Play` never
//! waits and has no clock, so a test can send events in any order. `Dealer` is the shuffling
//! engine, on its own thread. [`TableCore`] adds the rules for connections that come and go, for time and
//! for closing; it takes the time as an argument.

mod clock;
mod clocks;
mod control;
mod cost;
mod deal_circuit;
#[cfg(not(target_family = "wasm"))]
mod dealer;
mod deck;
mod engine;
mod error;
mod guest_addresses;
mod hand_cards;
mod news;
mod orders;
mod own_dice;
mod ready;
mod roster;
mod seat_play;
mod seating;
mod table_core;
mod table_terms;
mod verifiable_seat;

#[cfg(test)]
mod tests;

pub use clock::TimeLeft;
pub use control::{Control, Term};
pub use cost::{DealCost, Prepared, Spent};
pub use deal_circuit::{DealCircuit, NoCircuit};
#[cfg(not(target_family = "wasm"))]
pub use dealer::Dealer;
pub use dealerless_connection::time::Moment;
pub use engine::{Binding, Engine, STATISTICAL_SECURITY, SharedAttempts, role};
pub use error::PlayError;
pub use guest_addresses::GuestAddresses;
pub use news::{Command, News, NotNow};
pub use orders::{Done, Event, NoEngine, Order, Orders, Outbox, Reshuffling};
pub use ready::{Goes, Ready, ResultId};
pub use roster::Roster;
pub use seat_play::{DeckSetting, Play, SealedSetting, Setting};
pub use seating::{CannotBegin, Seating};
pub use table_core::{FirstOpening, Incoming, TableCore, TableEvent};
pub use table_terms::{BuyTerms, Proposal, TableTerms};

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

#[cfg(test)]
pub(crate) use verifiable_seat::VerifiableSeat;

/// Items that are public only for tests and fuzz targets.
mod with_internals {
    pub use super::deck::{HandDeck, Shuffled};
    pub use super::seat_play::deck_name;
}
