//! The cards of a kept deck while its session lives: on these something can still be computed.

use rand::CryptoRng;

use super::error::{Error, Result};
use super::faces::Pack;
use super::kept::KeptDeck;
use crate::mpc::{AuthenticatedBit, Input, Malicious, Run, TwoParty};
use crate::net::Transport;
use crate::shuffle::Reshuffle;

/// One party's shares of cards, in the session that has dealt them. A [`KeptDeck`] can be opened
/// without it; what was read from a file comes without it, and can only be opened.
pub struct LiveDeck {
    /// From what they were drawn.
    pub(super) pack: Pack,
    pub(super) words: Vec<Vec<AuthenticatedBit>>,
}

impl LiveDeck {
    /// A hand of cards that may come from several decks of the session: each is named by its deck
    /// and by its position there.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are none, if a position was not drawn, or if their decks have other
    /// cards.
    pub fn hand(cards: &[(&LiveDeck, usize)]) -> Result<Self> {
        let Some((first, _)) = cards.first() else {
            return Err(Error::usage("a hand has at least one card"));
        };
        let word = |&(deck, position): &(&LiveDeck, usize)| {
            let word = deck.words.get(position).cloned();
            let same = deck.pack == first.pack;
            word.filter(|_| same)
                .ok_or_else(|| Error::usage(format!("card {position} is not in the hand")))
        };
        Ok(LiveDeck {
            pack: first.pack,
            words: cards.iter().map(word).collect::<Result<_>>()?,
        })
    }

    /// How many cards there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none. (A deck or a hand has at least one.)
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Shuffles the cards again, by a permutation of each party, and keeps what opens them: for a
    /// [steal](super::SealedDeck::steal), of which the first card is the stolen one. Both parties
    /// call this with the same cards in the same order, and with the same `name`, which must be new
    /// each time: the run compares both. Nothing is opened, and no input can be out of range.
    ///
    /// # Errors
    /// Any [`Error`] of the session.
    pub fn reshuffle<T: Transport>(
        &self,
        session: &mut Malicious<T>,
        name: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<(KeptDeck, LiveDeck)> {
        let width = self.words.first().map_or(0, Vec::len);
        let reshuffle = Reshuffle::new(self.len().max(1), width);
        let setting = reshuffle.sample(rng);
        let cards = self.words.iter().map(|word| Input::Shared(word));
        let inputs: Vec<_> = Input::ONE_EACH.into_iter().chain(cards).collect();
        let run = Run::new(reshuffle.circuit(), &inputs, setting.bits());
        let words = session.run(run.in_context(name))?;
        KeptDeck::keep(session, self.pack, (&words, self.len()), None, name)
    }
}
