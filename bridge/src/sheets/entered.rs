//! The sheet of a dealer for a jointly dealt board, made from the dealer's own entry.

use dealerless::shuffle::split::Entry;

use super::half_sheet::Work;
use super::scheme::passes_to;
use super::{FirstSheet, HalfSheet};
use crate::Suit;

impl HalfSheet {
    /// The sheet for board `number` of the dealer who entered `entry` into a split of the pack. A
    /// dealer who entered the place of each card moves the cards to these places, in two passes. A
    /// dealer who entered the hand for each place deals to these hands. Both sheets together
    /// produce the deal of the split.
    ///
    /// `None` if the entry is not for 52 cards.
    pub fn entered(number: u32, entry: &Entry) -> Option<HalfSheet> {
        let work = match entry {
            Entry::Places(places) => Work::First(FirstSheet {
                suits: Suit::ALL,
                passes: (places.len() == 52).then(|| passes_to(places, 4, 13).into())?,
                cut: 0,
                hands: None,
            }),
            Entry::Hands(hands) => Work::Second {
                hands: hands[..].try_into().ok()?,
                named: true,
            },
        };
        Some(HalfSheet { number, work })
    }
}
