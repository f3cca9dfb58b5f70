//! Bridge: deals, their numbers, and boards.
//!
//! Cards are numbered as Big Deal numbers them: the ace of spades is 0, the two of clubs 51; spades,
//! hearts, diamonds, clubs, and in each suit from the ace down.

mod board;
mod deal;
pub mod leakage;
pub mod sheets;

pub use board::{Board, Vulnerability};
pub use deal::{Card, Deal, DealError, Hand, Seat, Suit};
