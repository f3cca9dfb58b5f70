//! Bridge: deals, their numbers, and boards.
//!
//! Cards are numbered as Big Deal numbers them: the ace of spades is 0, the two of clubs 51; spades,
//! hearts, diamonds, clubs, and in each suit from the ace down.

pub mod big_deal;
mod board;
mod deal;
pub mod formats;
pub mod leakage;
mod number;
mod sealed;
pub mod sheets;
pub mod squaredeal;

pub use crate::deck::Suit;
pub use board::{Board, Vulnerability};
pub use deal::{Card, Deal, DealError, Hand, Seat};
pub use number::{DealNumber, NumberError, Order};
pub use sealed::SealedBoards;
