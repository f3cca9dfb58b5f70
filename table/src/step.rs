//! One step of a game: cards that are opened together.

use dealerless::circuit::Party;
use dealerless::deck::{Card, Result, SealedDeck};
use dealerless::mpc::{Audience, TwoParty};

/// Whose cards they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// One player's own.
    Hand(Party),
    /// Everybody's: they lie on the table.
    Board,
}

/// Cards of one owner that are opened to the same audience.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reveal {
    /// Whose cards they are.
    pub owner: Owner,
    /// Which of the drawn cards, from 0 in the order in which they were drawn.
    pub positions: Vec<usize>,
    /// Who learns them.
    pub to: Audience,
}

/// One step of a game. All its cards are opened in one exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What players call it, in lower case.
    pub name: &'static str,
    /// The cards that it opens, group by group.
    pub reveals: Vec<Reveal>,
}

impl Step {
    /// Opens the cards of this step. Both parties call this with the same step.
    ///
    /// Gives for each of [`reveals`](Self::reveals), card by card, what this party knows
    /// afterwards: also a card of its own that it has only just shown.
    ///
    /// # Errors
    /// Those of [`SealedDeck::open`].
    pub fn open<P: TwoParty>(
        &self,
        deck: &mut SealedDeck<P::Shared>,
        session: &mut P,
    ) -> Result<Vec<Vec<Option<Card>>>> {
        let cards = |reveal: &Reveal| {
            let to = reveal.to;
            let positions = reveal.positions.iter();
            positions
                .map(|&position| (position, to))
                .collect::<Vec<_>>()
        };
        let openings: Vec<(usize, Audience)> = self.reveals.iter().flat_map(cards).collect();
        deck.open(session, &openings)?;
        let known = |reveal: &Reveal| reveal.positions.iter().map(|&p| deck.seen(p)).collect();
        Ok(self.reveals.iter().map(known).collect())
    }
}
