//! Editions of the rules.
//!
//! No edition has been released yet. [`Edition::Three`] is the edition of the first release, 0.1.0.
//! Before that release, a change of the rules needs no new edition. The first change after the
//! release adds `Four`. [`Edition::Two`] is kept for matches that were started with earlier builds:
//! they can be resumed and verified, but no new match uses it.
//!
//! A program refuses a header with an unknown edition or an unknown game number. An older edition
//! allows the same games, parts and choices as the newest edition, except where its variant of
//! [`Edition`] says otherwise.

/// The edition of the rules of a match, which is the version of its log. A match keeps the edition
/// with which it was started, so that older files still verify and resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Edition {
    /// A seat may dispute any opening in the current try (the current attempt to deal the hand). A
    /// seat that is all in may show or muck like other seats: its hand is never turned up by rule.
    Two = 2,
    /// A seat may only dispute an opening that is later than its own previous part. When a seat is
    /// all in and no more bets are possible, all contesting hands are turned up.
    Three = 3,
    /// The rules of `Three`, with a verifiable deck for two or more seats. Its log has other parts.
    Four = 4,
}

impl Edition {
    /// The edition of new matches with a sealed deck.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const NEWEST: Edition = Edition::Three;

    /// The edition with this number, if this program supports it.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        let mut all = [Edition::Two, Edition::Three, Edition::Four].into_iter();
        all.find(|edition| edition.number() == number)
    }

    /// The number of the edition.
    pub(crate) fn number(self) -> u16 {
        self as u16
    }
}
