//! The schemes for drawing a first sheet.

use rand::Rng;

use super::{FirstSheet, Pass};
use crate::uniform;
use crate::{Compass, Suit};

/// A scheme for drawing a first sheet. The first sheet and the deal determine the second sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As [`Scheme::Published`], but with the suits always in the same order. Only for comparison.
    FixedSuits,
    /// One pass to four piles of r1, r2, 26 - r1 and 26 - r2 cards, with r1 and r2 random from 10
    /// to 16. The suits are in a random order. This is the scheme of the paper about Pescetti.
    Published,
    /// One pass to four piles of 13 cards.
    EqualPiles,
    /// One pass to four piles, with an independent random pile for each card.
    FreePiles,
    /// As [`Scheme::FreePiles`], followed by a cut of a random number of cards.
    Cut,
    /// As [`Scheme::Cut`], but only the first sheet names the seats of the hands.
    HiddenSeats,
    /// As [`Scheme::HiddenSeats`], with two passes to four piles.
    TwoPasses,
    /// A pass to 13 piles of four cards, then a pass to four piles of 13. Every order of the pack
    /// is equally likely, so neither sheet alone reveals anything.
    Thirteen,
}

impl Scheme {
    /// All schemes, from the one that reveals most to the one that reveals nothing.
    pub const ALL: [Scheme; 8] = [
        Scheme::FixedSuits,
        Scheme::Published,
        Scheme::EqualPiles,
        Scheme::FreePiles,
        Scheme::Cut,
        Scheme::HiddenSeats,
        Scheme::TwoPasses,
        Scheme::Thirteen,
    ];

    /// The name of the scheme on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::FixedSuits => "fixed-suits",
            Scheme::Published => "published",
            Scheme::EqualPiles => "equal-piles",
            Scheme::FreePiles => "free-piles",
            Scheme::Cut => "cut",
            Scheme::HiddenSeats => "hidden-seats",
            Scheme::TwoPasses => "two-passes",
            Scheme::Thirteen => "thirteen",
        }
    }

    /// How often the two dealers together put down a card to deal one board. A cut does not count.
    pub fn movements(self) -> usize {
        match self {
            Scheme::TwoPasses | Scheme::Thirteen => 156,
            _ => 104,
        }
    }

    /// Draws a first sheet, independently of any deal.
    pub fn first_sheet(self, rng: &mut impl Rng) -> FirstSheet {
        let mut word = || rng.next_u64();
        let mut first = FirstSheet {
            suits: Suit::ALL,
            passes: Vec::new(),
            cut: 0,
            hands: None,
        };
        if !matches!(self, Scheme::FixedSuits | Scheme::Thirteen) {
            uniform::shuffle(&mut first.suits, &mut word);
        }
        first.passes = match self {
            Scheme::FixedSuits | Scheme::Published => {
                let [r1, r2] = [(); 2].map(|()| 10 + uniform::below(7, &mut word) as usize);
                vec![of_sizes([r1, r2, 26 - r1, 26 - r2], &mut word)]
            }
            Scheme::EqualPiles => vec![of_sizes([13; 4], &mut word)],
            Scheme::FreePiles | Scheme::Cut | Scheme::HiddenSeats => vec![free(&mut word)],
            Scheme::TwoPasses => vec![free(&mut word), free(&mut word)],
            Scheme::Thirteen => {
                let mut target: [u32; 52] = std::array::from_fn(|place| place as u32);
                uniform::shuffle(&mut target, &mut word);
                passes_to(&target, 4, 13).into()
            }
        };
        if matches!(self, Scheme::Cut | Scheme::HiddenSeats | Scheme::TwoPasses) {
            first.cut = uniform::below(52, &mut word) as usize;
        }
        if matches!(self, Scheme::HiddenSeats | Scheme::TwoPasses) {
            let mut hands = Compass::ALL;
            uniform::shuffle(&mut hands, &mut word);
            first.hands = Some(hands);
        }
        first
    }
}

/// A uniformly random pass with the given pile sizes.
fn of_sizes(sizes: [usize; 4], word: impl FnMut() -> u64) -> Pass {
    let piles = (0..).zip(sizes);
    let mut places: Vec<u8> = piles.flat_map(|(pile, size)| vec![pile; size]).collect();
    uniform::shuffle(&mut places, word);
    Pass::of(4, places)
}

/// A pass that deals each card to an independent random pile out of four.
fn free(mut word: impl FnMut() -> u64) -> Pass {
    let places = (0..52).map(|_| uniform::below(4, &mut word) as u8);
    Pass::of(4, places.collect())
}

/// Two passes that move the card at position `k` of a pack to position `target[k]`. The first pass
/// deals to `size` piles of `piles` cards, the second pass to `piles` piles of `size` cards.
///
/// This is a radix sort with two digits. The second pass deals the card for position `t` to pile `t
/// / size`. For the card to end at position `t % size` of this pile, the cards with larger
/// remainders must be dealt before it. So the first pass sorts the pack by remainder, the largest
/// on top.
pub(super) fn passes_to(target: &[u32], piles: usize, size: usize) -> [Pass; 2] {
    let before = (target.iter()).map(|&place| size - 1 - place as usize % size);
    let before = Pass::of(size, before.map(|pile| pile as u8).collect());
    let between = before.restacked(target);
    let last = between.iter().map(|&place| place as usize / size);
    [
        before,
        Pass::of(piles, last.map(|pile| pile as u8).collect()),
    ]
}
