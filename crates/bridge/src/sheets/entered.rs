//! The sheet of a dealer for a jointly dealt board, made from the dealer's own input to the
//! [split](dealerless::shuffle::split).

use dealerless::shuffle::split::Entry;

use super::half_sheet::Work;
use super::scheme::passes_to;
use super::{FirstSheet, HalfSheet};
use crate::Suit;

impl HalfSheet {
    /// The sheet for board `number` of the dealer whose input to the split was `entry`. For
    /// [`Entry::Places`], the dealer moves each card to its place in the pack, in two passes. For
    /// [`Entry::Hands`], the dealer deals the card at each place to its hand. The sheets of both
    /// dealers together produce the deal of the split.
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
