//! The cards of a kept deck in the session that dealt them, in which they can be reshuffled.

use rand::CryptoRng;

use super::error::Result;
use super::faces::Pack;
use super::kept::{KeptDeck, Share, check_validity};
use super::steal::reshuffle;
use crate::mpc::{Keep, KeptBit};

/// One party's shares of the drawn cards, in the session that dealt them, before the seeds have
/// been checked. Nothing can be computed from these shares:
///
/// ```compile_fail,E0599
/// # use dealerless::{deck::UncheckedDeck, mpc::Keep};
/// fn before_the_check<S: Keep>(deck: &UncheckedDeck<S::Shared>, session: &mut S) {
///     deck.reshuffle(session, &[0], b"name", &mut rand::rng());
/// }
/// ```
pub struct UncheckedDeck<B> {
    pub(super) live: LiveDeck<B>,
    /// The validity bits: see [`KeptDeck::validity`].
    pub(super) validity: Vec<KeptBit>,
}

impl<B> UncheckedDeck<B> {
    /// Checks, with the peer's share of [`KeptDeck::validity`], that the seeds of both parties were
    /// in range.
    ///
    /// # Errors
    /// Those of [`KeptDeck::check_seeds`].
    pub fn check_seeds(self, theirs: &Share) -> Result<LiveDeck<B>> {
        check_validity(&self.validity, theirs)?;
        Ok(self.live)
    }
}

/// One party's shares of the drawn cards, after the seeds have been checked. The shares can be used
/// only in the session that dealt the cards. A [`KeptDeck`] can also be opened after the session. A
/// `KeptDeck` that was read from a file has no `LiveDeck`, so it can only be opened.
pub struct LiveDeck<B> {
    /// The pack that was dealt.
    pub(super) pack: Pack,
    /// The words, by position.
    pub(super) words: Vec<Vec<B>>,
}

impl<B: Clone> LiveDeck<B> {
    /// Reshuffles the cards at the positions of `hand`, with one permutation from each party, for a
    /// [steal](super::SealedDeck::steal): the first card is the stolen one. Returns the shuffled
    /// hand, whose cards are numbered from 0, and the deck with these cards at the positions of
    /// `hand`. `self` is unchanged, in case the steal does not take place.
    ///
    /// Both parties call this with the same positions in the same order, and with the same `name`.
    /// Otherwise, the run fails. The name must be new for each call. Nothing is opened. The hand
    /// needs no check of its own: the seeds of its deck were checked, and every setting of the
    /// network is valid.
    ///
    /// # Errors
    /// [`Error::Usage`](super::Error::Usage) if the hand is empty, or if a position was not drawn
    /// or appears twice; nothing has been sent in that case. Any error of the session.
    pub fn reshuffle<S: Keep<Shared = B>>(
        &self,
        session: &mut S,
        hand: &[usize],
        name: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<(KeptDeck, Self)> {
        let shuffled = reshuffle(session, &self.words, hand, name, rng)?;
        let kept = KeptDeck::keep(session, self.pack, &shuffled, hand.len(), None, name)?;
        let mut words = self.words.clone();
        for (&position, bits) in hand.iter().zip(shuffled.iter()) {
            words[position] = bits.to_vec();
        }
        let pack = self.pack;
        Ok((kept, LiveDeck { pack, words }))
    }
}
