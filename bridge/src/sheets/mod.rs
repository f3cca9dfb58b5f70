//! Two sheets of paper by which two people deal a hand that was chosen before, and neither learns it.
//!
//! The first dealer sorts the pack and deals it to piles as the first sheet says, once or several
//! times. The second dealer deals the pack that comes of it to the four hands as the second sheet
//! says. Both sheets together give the deal. What one of them tells by itself depends on the
//! [`Scheme`]; `docs/bridge.md` has the measurements and the proofs.
//!
//! The idea, the mechanics and the scheme `published` are those of the program Pescetti 0.5.

mod board_sheets;
mod book;
#[cfg(feature = "joint")]
mod entered;
mod half_sheet;
mod pages;
mod pass;
mod scheme;

pub use board_sheets::{BoardSheets, FirstSheet, uniform_deal};
pub use book::{Dealer, Half, halves};
pub use half_sheet::HalfSheet;
pub use pages::{Page, curtain_cards, own_sheet, records, sheet};
pub use pass::Pass;
pub use scheme::Scheme;

#[cfg(test)]
mod tests;
