//! The editions of the rules.
//!
//! No edition is released yet. [`Edition::Three`] is that of the first release, 0.1.0: until then a change of
//! the rules needs no new edition, and the first change after it adds `Four`. [`Edition::Two`] stays for
//! matches that were begun with earlier builds: they are resumed and verified, and no new match begins with it.
//!
//! A program refuses the header of an edition that it does not know, and a game whose number it does not know,
//! whatever the edition. An older edition allows the games, parts and choices of the newest: it refuses only
//! what its variant of [`Edition`] says.

/// The edition of the rules of a match: the version of its log. A match keeps the edition with which
/// it was begun, so that older files verify and resume as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Edition {
    /// A dispute may name any opening of the try. A seat that is all in may show or muck, like others, so hands
    /// are never turned up.
    Two = 2,
    /// A dispute is refused unless it names an opening since the seat's previous part. When a seat is all in and
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
