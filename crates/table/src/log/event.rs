//! The events of a match, which follow from its signed parts.

use dealerless::deck::Card;

use super::phase::Stop;
use crate::rules::{Choice, Learners, Outcome, Rolled, Stolen};
use crate::seat::Seat;

/// An event of a match. Events follow from the signed parts alone, so all seats have the same
/// events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogEvent {
    /// All seats have dealt: a try of a hand starts.
    Begun(Begun),
    /// The try is void. Nobody has seen a card of it.
    Void {
        /// The seat that declared the try void.
        seat: Seat,
    },
    /// The deck is final: nobody can change a card of it any more.
    Sealed {
        /// The hash of all steps up to the last seal.
        seal: [u8; 32],
    },
    /// Cards were opened to one seat only.
    Dealt {
        /// The seat.
        seat: Seat,
        /// The positions of the cards.
        positions: Vec<usize>,
    },
    /// Cards were opened on the board.
    Board(Vec<Face>),
    /// A seat has opened its hand.
    Shown {
        /// The seat.
        seat: Seat,
        /// The cards of the hand.
        cards: Vec<Face>,
    },
    /// In a deck without rules or a board game: a card or a good was opened.
    Opened {
        /// The position of the card.
        position: usize,
        /// The seats that see the card.
        to: Learners,
        /// The card, if all seats see it.
        card: Option<Card>,
    },
    /// A seat made a choice.
    Chose(Chosen),
    /// In a deck without rules: a steal failed because the hand could not be reshuffled. The hand
    /// keeps its cards.
    NotStolen {
        /// The seat that declared the steal void.
        seat: Seat,
    },
    /// In a deck without rules: both seats have resealed a reshuffled hand. Other cards now lie at
    /// its positions, and one of them was stolen.
    Reshuffled {
        /// The seat that held the hand.
        seat: Seat,
        /// The positions of the hand's cards.
        positions: Vec<usize>,
        /// The step of the choice to steal.
        since: u64,
    },
    /// In a deck without rules or a board game: dice were rolled.
    Rolled(Rolled),
    /// In a board game: a seat mixed its goods. From now on only this seat knows which is which.
    Mixed {
        /// The owner.
        seat: Seat,
        /// The positions of its goods.
        positions: Vec<usize>,
    },
    /// In a board game: a good was stolen. If it is hidden, its opening to the thief follows.
    Stolen(Stolen),
    /// Unmatched chips were returned.
    Returned {
        /// The seat that gets the chips.
        seat: Seat,
        /// The number of chips.
        chips: u64,
    },
    /// A hand is over and all seats have signed its result.
    HandOver {
        /// The number of the hand, counted from 1.
        hand: u32,
        /// The result.
        outcome: Outcome,
    },
    /// The other seats have removed these seats by a roll call. They are folded.
    Removed {
        /// The seats, in order.
        seats: Vec<Seat>,
    },
    /// A seat ended the match.
    Stopped {
        /// The seat.
        seat: Seat,
        /// Whether the seat left, forfeited or disputed.
        stop: Stop,
    },
}

/// The start of a try of a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The number of the hand, counted from 1.
    pub hand: u32,
    /// The number of the try, counted from 0.
    pub attempt: u32,
    /// The seat that has the button.
    pub button: Seat,
    /// The chips of each seat before any bet, including the rebuys.
    pub stacks: Vec<u64>,
    /// The seats that bought in again.
    pub rebuys: Vec<Seat>,
    /// The blinds or antes, in the order in which they are due.
    pub posts: Vec<Post>,
}

/// A blind or an ante.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The seat that posts the chips.
    pub seat: Seat,
    /// The kind of post.
    pub kind: PostKind,
    /// The number of chips; fewer than due if the seat has no more.
    pub chips: u64,
    /// Whether these are all chips of the seat.
    pub all_in: bool,
}

/// The kind of a [`Post`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostKind {
    /// An ante.
    Ante,
    /// The small blind.
    Small,
    /// The big blind.
    Big,
}

/// A card that all seats see, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// The position of the card.
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
    /// The largest bet of any seat in the betting round, before the choice.
    pub level: u64,
    /// The chips that the seat put into the pot.
    pub paid: u64,
    /// Whether the seat paid its last chips.
    pub all_in: bool,
    /// The positions of the cards that the seat held before the choice; empty in a game without
    /// chips.
    pub held: Vec<usize>,
}
