//! The events of a match: what its signed parts bring about.

use dealerless::deck::Card;

use super::phase::Stop;
use crate::rules::{Choice, Learners, Outcome, Rolled};
use crate::seat::Seat;

/// An event of a match. It follows from the signed parts alone, so it is the same for each seat and in each record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogEvent {
    /// All seats have begun a try of a hand.
    Begun(Begun),
    /// The try is void: nobody has seen a card of it.
    Void {
        /// The seat that declared it.
        seat: Seat,
    },
    /// The deck is sealed: nobody can change a card of it.
    Sealed {
        /// The hash of all steps up to the seals.
        seal: [u8; 32],
    },
    /// Cards were opened to one seat alone.
    Dealt {
        /// The seat.
        seat: Seat,
        /// Their positions.
        positions: Vec<usize>,
    },
    /// Cards were laid on the board.
    Board(Vec<Face>),
    /// A seat has opened its hand.
    Shown {
        /// The seat.
        seat: Seat,
        /// Its cards.
        cards: Vec<Face>,
    },
    /// In a deck without rules: a card was opened.
    Opened {
        /// Its position.
        position: usize,
        /// The seats that see it.
        to: Learners,
        /// The card, if all see it.
        card: Option<Card>,
    },
    /// A seat chose.
    Chose(Chosen),
    /// In a deck without rules: the hand from which a card was to be stolen could not be shuffled
    /// again, and lies there as before.
    NotStolen {
        /// The seat that said so.
        seat: Seat,
    },
    /// In a deck without rules: both have shuffled a hand again. Other cards lie at these positions
    /// from now on. One of them was stolen.
    Reshuffled {
        /// The seat that held the hand.
        seat: Seat,
        /// Its positions.
        positions: Vec<usize>,
        /// The step of the choice to steal.
        since: u64,
    },
    /// In a deck without rules: dice were rolled.
    Rolled(Rolled),
    /// Chips that nobody has matched went back.
    Returned {
        /// The seat that gets them.
        seat: Seat,
        /// The number of chips.
        chips: u64,
    },
    /// A hand is over, and all seats have signed its result.
    HandOver {
        /// The hand, from 1.
        hand: u32,
        /// The result.
        outcome: Outcome,
    },
    /// A seat ended the match.
    Stopped {
        /// The seat.
        seat: Seat,
        /// How it ended the match.
        stop: Stop,
    },
}

/// A try of a hand that all seats have begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The hand, from 1.
    pub hand: u32,
    /// The try, from 0.
    pub attempt: u32,
    /// The seat that has the button.
    pub button: Seat,
    /// The chips of each seat before anything was bet, with the rebuys.
    pub stacks: Vec<u64>,
    /// The seats that bought in again.
    pub rebuys: Vec<Seat>,
    /// The blinds or antes, in order.
    pub posts: Vec<Post>,
}

/// Chips that are bet before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The seat that bets them.
    pub seat: Seat,
    /// What they are for.
    pub kind: PostKind,
    /// The number of chips; fewer than are due if the seat has no more.
    pub chips: u64,
    /// The seat has no others.
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

/// A card that all see, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Its position.
    pub position: usize,
    /// The card.
    pub card: Card,
}

/// A choice of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The seat.
    pub seat: Seat,
    /// The choice.
    pub choice: Choice,
    /// The largest bet of the round before it.
    pub level: u64,
    /// The chips that the seat put into the pot.
    pub paid: u64,
    /// The seat has no others.
    pub all_in: bool,
    /// The positions of the cards that the seat held then; none in a game without chips.
    pub held: Vec<usize>,
}
