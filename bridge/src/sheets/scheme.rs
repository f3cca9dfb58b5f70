//! The ways to draw a first sheet.

use rand::Rng;

use super::{FirstSheet, Pass};
use crate::uniform;
use crate::{Compass, Suit};

/// How a first sheet is drawn. The second one follows from it and from the deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As [`Scheme::Published`], with the suits always in the same order. To compare.
    FixedSuits,
    /// One pass to four piles of r1, r2, 26 - r1 and 26 - r2 cards, with r1 and r2 from 10 to 16. The
    /// suits are in a random order. This is what the paper about Pescetti describes.
    Published,
    /// One pass to four piles of 13 cards.
    EqualPiles,
    /// One pass to four piles; each card goes to any pile.
    FreePiles,
    /// As [`Scheme::FreePiles`], and then a cut of a random number of cards.
    Cut,
    /// As [`Scheme::Cut`], and the first sheet says which hand goes to which seat.
    HiddenSeats,
    /// As [`Scheme::HiddenSeats`], with two passes to four piles.
    TwoPasses,
    /// A pass to 13 piles of four cards, then a pass to four piles of 13. Every order of the pack is
    /// equally likely, so each sheet by itself says nothing.
    Thirteen,
}

impl Scheme {
    /// All, from the one that tells most to the one that tells nothing.
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

    /// Its name on the command line.
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

    /// How often the two dealers put down a card, for one board. A cut is not counted.
    pub fn movements(self) -> usize {
        match self {
            Scheme::TwoPasses | Scheme::Thirteen => 156,
            _ => 104,
        }
    }

    /// A first sheet, which is independent of every deal.
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

/// A uniform arrangement with these sizes of piles.
fn of_sizes(sizes: [usize; 4], word: impl FnMut() -> u64) -> Pass {
    let piles = (0..).zip(sizes);
    let mut places: Vec<u8> = piles.flat_map(|(pile, size)| vec![pile; size]).collect();
    uniform::shuffle(&mut places, word);
    Pass::of(4, places)
}

/// Each card goes to any of four piles.
fn free(mut word: impl FnMut() -> u64) -> Pass {
    let places = (0..52).map(|_| uniform::below(4, &mut word) as u8);
    Pass::of(4, places.collect())
}

/// Two passes that bring card `k` of a pack to place `target[k]`: one to `size` piles of `piles`
/// cards, then one to `piles` piles of `size` cards.
///
/// This is sorting by two digits. The last pass puts the card with place `t` into the pile
/// `t / size`; there it lies at `t % size` if those with a larger remainder come before it. So the
/// pass before puts the largest remainder on top.
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
