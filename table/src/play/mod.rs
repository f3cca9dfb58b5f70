//! One seat of a match, played: the log, the deck and the engine, driven by what arrives on the
//! line and by what the player says.
//!
//! [`Play`] is the seat's program as a state machine: it is told what happened (`Event`), and
//! says what it sends and what the player is to know ([`News`]). It waits for nothing and has no
//! clock, so a test can bring events in any order. `Dealer` is the engine beside it, and [`Table`] is
//! both, on lines that come and go.

mod attached;
mod clock;
mod clocks;
mod control;
mod cost;
mod deal_circuit;
mod dealer;
mod deck;
mod error;
mod hand_cards;
mod news;
mod orders;
mod own_dice;
mod seat_play;
mod seating;
mod table;
mod vault;

pub use clock::TimeLeft;
pub use control::{Control, Term};
pub use cost::{DealCost, Prepared, Spent};
pub use deal_circuit::{DealCircuit, NoCircuit};
pub use dealer::{STATISTICAL_SECURITY, role};
pub use error::PlayError;
pub use news::{Command, News, NotNow};
pub use seat_play::{Play, Setting};
pub use seating::{CannotBegin, Seating};
pub use table::{Mailbox, Table, TableEvent};
pub use vault::{FileVault, MemoryVault, Vault};

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

/// Names that tests and fuzz targets need.
mod with_internals {
    pub use super::dealer::{Binding, Dealer};
    pub use super::deck::{HandDeck, Shuffled};
    pub use super::orders::{Done, Event, Order, Orders, Outbox, Reshuffling};
    pub use super::seat_play::deck_name;
}
