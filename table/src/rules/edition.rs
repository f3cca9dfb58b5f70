//! The editions of the rules.

/// The edition of the rules of a match: the version of its log. A match keeps the edition with which
/// it was begun, so that older files verify and resume as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Edition {
    /// A dispute may name any opening of the try. A seat that is all in may show or muck, like others.
    Two = 2,
    /// A dispute may name only an opening since the seat's previous part. When a seat is all in and
    /// nobody can bet any more, all contesting hands are turned up.
    Three = 3,
}

impl Edition {
    /// The edition with which a new match begins.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const NEWEST: Edition = Edition::Three;

    /// The edition with this number, if this program knows it.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        let mut all = [Edition::Two, Edition::Three].into_iter();
        all.find(|edition| edition.number() == number)
    }

    /// Its number.
    pub(crate) fn number(self) -> u16 {
        self as u16
    }
}
