//! Where somebody sits.

use std::fmt;

/// A place at the table. The host has number 0; the others follow in the order in which they sit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// Who invites.
    pub const HOST: Self = Seat(0);
    /// The first who is invited.
    pub const GUEST: Self = Seat(1);

    /// The seat with this number.
    pub const fn new(number: u8) -> Self {
        Seat(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its place in a list with an entry for each seat.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seats of a table for so many.
    pub fn all(seats: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..seats).map(|seat| Seat(seat as u8))
    }

    /// The seat to the left, which acts after it, at a table for so many.
    pub fn next(self, seats: usize) -> Self {
        Seat(((self.index() + 1) % seats) as u8)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}
