//! A hand in play.

use super::foul::{BadCards, CannotDeal, Foul};
use super::next::{Next, Outcome};
use super::{Choice, Stakes};
use crate::seat::Seat;
use dealerless::deck::Card;

/// A hand in play: what the rules ask for next, as it follows from what was said so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    stacks: Vec<u64>,
}

impl Hand {
    /// A new hand. `stacks` has the chips of each seat (in a game without chips it is empty).
    ///
    /// # Errors
    /// If no hand can be dealt so.
    pub fn new(stakes: &Stakes, stacks: &[u64], button: Seat) -> Result<Self, CannotDeal> {
        if button.index() >= stakes.seats() {
            return Err(CannotDeal::Button(button));
        }
        Ok(Hand {
            stacks: stacks.to_vec(),
        })
    }

    /// What is to be said next.
    pub fn next(&self) -> Next {
        Next::Over(Outcome {
            stacks: self.stacks.clone(),
            ..Outcome::default()
        })
    }

    /// A seat chooses.
    ///
    /// # Errors
    /// The rule that it breaks. The hand is then as it was.
    pub fn choose(&mut self, _seat: Seat, _choice: &Choice) -> Result<(), Foul> {
        Err(Foul::NotAsked)
    }

    /// The opening that is due is complete. `public` are the cards that it opens to everybody, in
    /// any order; it is empty if there are none.
    ///
    /// # Errors
    /// If they are not these cards. The hand is then as it was.
    pub fn opened(&mut self, _public: &[(usize, Card)]) -> Result<(), BadCards> {
        Err(BadCards::NotDue)
    }
}
