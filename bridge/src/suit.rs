//! The four suits.

/// A suit, from the highest to the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suit {
    /// Spades.
    Spades,
    /// Hearts.
    Hearts,
    /// Diamonds.
    Diamonds,
    /// Clubs.
    Clubs,
}

impl Suit {
    /// All four, spades first.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

    /// `S`, `H`, `D` or `C`.
    pub fn letter(self) -> char {
        ['S', 'H', 'D', 'C'][self as usize]
    }
}
