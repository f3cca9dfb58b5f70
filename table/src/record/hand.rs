//! A hand, as a record tells it.

use std::collections::BTreeMap;

use dealerless::deck::Card;

use crate::log::Stop;
use crate::rules::{Choice, Learners, Outcome, Rolled};
use crate::seat::Seat;

/// A hand that was dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedHand {
    /// Its number, from 1.
    pub number: u32,
    /// The step in which it was dealt.
    pub step: u64,
    /// Who has the button.
    pub button: Seat,
    /// The chips of each seat before anything was bet, with the rebuys.
    pub stacks: Vec<u64>,
    /// Who bought in again.
    pub rebuys: Vec<Seat>,
    /// What was bet before the cards, in order.
    pub posts: Vec<Post>,
    /// Who declared a try of this hand void, one for each such try.
    pub voided: Vec<Seat>,
    /// The hash of all steps up to the seals, if the hand stands: who has published it before a card was
    /// opened shows with it that nothing was changed since.
    pub seal: Option<[u8; 32]>,
    /// What happened then, in order.
    pub events: Vec<HandEvent>,
    /// How it ended, if all seats have signed that.
    pub outcome: Option<Outcome>,
    /// The step in which they signed it.
    pub over_in: Option<u64>,
    /// The positions of the cards that each seat held last.
    pub held: Vec<Vec<usize>>,
    /// The cards that everybody can compute, by position.
    pub public: BTreeMap<usize, Card>,
    /// The cards that the owner alone was shown and has noted, by position, if the record was read
    /// with its key. That they were these, nothing proves, unless they are public now.
    pub seen: BTreeMap<usize, Card>,
}

/// Chips that are bet before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Whose.
    pub seat: Seat,
    /// For what.
    pub kind: PostKind,
    /// How many; fewer than are due if it has no more.
    pub chips: u64,
    /// It has no others.
    pub all_in: bool,
}

/// What is bet before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostKind {
    /// An ante.
    Ante,
    /// The small blind.
    Small,
    /// The big blind.
    Big,
}

/// What happens in a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandEvent {
    /// Cards were opened to one seat alone.
    Dealt {
        /// To whom.
        seat: Seat,
        /// Their positions.
        positions: Vec<usize>,
    },
    /// Cards were laid on the board.
    Board(Vec<Card>),
    /// A seat has opened its hand.
    Shown {
        /// Whose.
        seat: Seat,
        /// Its cards.
        cards: Vec<Card>,
    },
    /// In a deck without rules: a card was opened.
    Opened {
        /// Its position.
        position: usize,
        /// To whom.
        to: Learners,
    },
    /// A seat chose.
    Chose(Chosen),
    /// In a deck without rules: the hand from which a card was to be stolen could not be shuffled
    /// again.
    NotStolen {
        /// Who said so.
        seat: Seat,
    },
    /// In a deck without rules: both have shuffled a hand again. Other cards lie at these positions
    /// from now on, of which one was stolen.
    Reshuffled {
        /// Whose hand it was.
        seat: Seat,
        /// Its positions.
        positions: Vec<usize>,
        /// The step of the choice to steal.
        since: u64,
    },
    /// In a deck without rules: dice were rolled.
    Rolled(Rolled),
    /// What nobody has matched went back.
    Returned {
        /// To whom.
        seat: Seat,
        /// How many chips.
        chips: u64,
    },
    /// A seat ended the match.
    Stopped {
        /// Who.
        seat: Seat,
        /// How.
        stop: Stop,
    },
}

/// What a seat chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Who.
    pub seat: Seat,
    /// What.
    pub choice: Choice,
    /// What the largest bet of the round was before.
    pub level: u64,
    /// The chips that it put into the pot.
    pub paid: u64,
    /// It has no others.
    pub all_in: bool,
    /// The positions of the cards that it held then.
    pub held: Vec<usize>,
}

impl RecordedHand {
    /// The card at this position, if the reader can know it.
    pub fn card(&self, position: usize) -> Option<Card> {
        let public = self.public.get(&position);
        public.or_else(|| self.seen.get(&position)).copied()
    }

    /// Since which step the card lies at this position that lies there at the end: that of the last
    /// choice to steal for which it was shuffled again, or 0 if it is the one that was drawn.
    pub fn since(&self, position: usize) -> u64 {
        let shuffled = |event: &HandEvent| match event {
            HandEvent::Reshuffled {
                positions, since, ..
            } if positions.contains(&position) => Some(*since),
            _ => None,
        };
        self.events.iter().rev().find_map(shuffled).unwrap_or(0)
    }

    /// The board.
    #[cfg(test)]
    pub(crate) fn board(&self) -> Vec<Card> {
        let laid = |event: &HandEvent| match event {
            HandEvent::Board(cards) => cards.clone(),
            _ => Vec::new(),
        };
        self.events.iter().flat_map(laid).collect()
    }
}
