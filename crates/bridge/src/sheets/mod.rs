//! Two paper sheets with which two people deal a preset board without learning the deal.
//!
//! The first dealer sorts the pack and deals it to piles as the first sheet instructs, once or
//! several times. The second dealer deals the resulting pack to the four hands as the second sheet
//! instructs. Both sheets together determine the deal. How much one sheet alone reveals depends on
//! the [`Scheme`]; `docs/bridge.md` has the measurements and the proofs.
//!
//! The idea, the mechanics and the scheme `published` come from the program Pescetti 0.5.

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
