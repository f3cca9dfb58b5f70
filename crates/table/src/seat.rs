//! Seats at the table.

use std::fmt;

use dealerless_connection::Side;

/// A seat at the table. The host has seat 0. The guests have seats 1, 2, ... in seating order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat of the host: the player who creates the invites.
    pub const HOST: Self = Seat(0);
    /// The seat of the first invited player.
    pub const GUEST: Self = Seat(1);

    /// The seat with this number.
    pub const fn new(number: u8) -> Self {
        Seat(number)
    }

    /// The number of the seat.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The index of the seat in a list with one entry per seat.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All seats of a table with the given number of seats.
    pub fn all(seats: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..seats).map(|seat| Seat(seat as u8))
    }

    /// All seats in order, starting with this one, at a table with the given number of seats.
    pub(crate) fn around(self, seats: usize) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), move |seat| Some(seat.next(seats))).take(seats)
    }

    /// The next seat to the left, which acts after this one, at a table with the given number of
    /// seats.
    pub fn next(self, seats: usize) -> Self {
        Seat(((self.index() + 1) % seats) as u8)
    }
}

/// The seat of a side in a match of two.
impl From<Side> for Seat {
    fn from(side: Side) -> Self {
        match side {
            Side::Host => Seat::HOST,
            Side::Guest => Seat::GUEST,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// A set of seats of one table with at most 16 seats: a mask, whose bit `i` stands for seat `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatSet(u16);

impl SeatSet {
    fn bit(seat: Seat) -> u16 {
        1u16.checked_shl(seat.0.into()).unwrap_or(0)
    }

    /// The seats whose bits are set in this mask.
    pub(crate) const fn of_mask(mask: u16) -> Self {
        SeatSet(mask)
    }

    /// The mask of the set.
    pub(crate) fn mask(self) -> u16 {
        self.0
    }

    /// Whether the set has no seat.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of seats in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the seat is in the set.
    pub fn contains(self, seat: Seat) -> bool {
        self.0 & Self::bit(seat) != 0
    }

    /// The seats in the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(u16::BITS as usize).filter(move |seat| self.contains(*seat))
    }

    /// The seats of this set that are not in the other one.
    pub(crate) fn without(self, other: Self) -> Self {
        SeatSet(self.0 & !other.0)
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        SeatSet(
            seats
                .into_iter()
                .fold(0, |mask, seat| mask | Self::bit(seat)),
        )
    }
}
