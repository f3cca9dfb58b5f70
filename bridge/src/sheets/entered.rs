//! The sheet of a dealer who has entered their half of the work into a jointly dealt board.

use dealerless::shuffle::split::Entry;

use super::half_sheet::Work;
use super::scheme::passes_to;
use super::{FirstSheet, HalfSheet};
use crate::Suit;

impl HalfSheet {
    /// The work for board `number` of the dealer who entered `entry` into a split of the pack. A dealer
    /// who entered the place of each card brings the cards to their places, in two passes. A dealer who
    /// entered the hand of each place deals to these hands. Both together deal what the split does.
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
