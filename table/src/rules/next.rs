//! What the rules ask for next.

use super::choice::Choice;
use super::ranking::HandRank;
use crate::seat::Seat;
use dealerless::deck::Card;
use dealerless::dice::Dice;

/// What the rules ask for next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Cards are opened, in one step of all the openers. Then the rules want to
    /// hear which cards everybody sees now.
    Open(Vec<Opening>),
    /// All seats roll these dice: all commit, then all reveal. Then the rules want to
    /// hear the faces.
    Roll(Dice),
    /// This hand is shuffled again, and its cards are sealed anew. Then the rules want to
    /// hear whether that was done.
    Steal(Steal),
    /// A seat chooses.
    Choose {
        /// Whose turn it is.
        seat: Seat,
        /// What it may say.
        legal: Legal,
    },
    /// The hand is over.
    Over(Outcome),
}

/// What one seat opens in a step: its share of each of these cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Who says its shares.
    pub opener: Seat,
    /// The positions of the cards, in rising order, and who learns each of them.
    pub cards: Vec<(usize, Learners)>,
}

/// Who learns a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Learners {
    /// Everybody.
    All,
    /// One seat, whose own share keeps the card closed to all others.
    Seat(Seat),
}

/// What the seat whose turn it is may say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Legal {
    /// To bet. It may always fold.
    Bet {
        /// What a call costs, which is at most what the seat has. `None`: it may check.
        call: Option<u64>,
        /// It may bet.
        bet: Option<Amounts>,
        /// It may raise.
        raise: Option<Amounts>,
    },
    /// To exchange any of its five cards, or none.
    Exchange,
    /// To show its hand or to muck it.
    ShowOrMuck,
    /// In a deck without rules: to propose, to agree, to refuse or to pass; to roll dice; to draw a
    /// card; to reveal one that it [holds](super::Hand::held), or to show it if nobody else has seen
    /// it; and to steal one that another seat holds.
    Speak {
        /// The proposals that stand.
        proposals: Vec<Proposal>,
        /// It may make another.
        may_propose: bool,
        /// A card is left that it may draw.
        may_draw: bool,
    },
}

impl Legal {
    /// What a seat says whose time is out: nothing that costs it a chip. At a showdown that is to show,
    /// because a muck gives up what the hand may win.
    pub(crate) fn out_of_time(&self) -> Choice {
        match self {
            Legal::Bet { call: None, .. } => Choice::Check,
            Legal::Bet { call: Some(_), .. } => Choice::Fold,
            Legal::Exchange => Choice::Exchange(Vec::new()),
            Legal::ShowOrMuck => Choice::Show,
            Legal::Speak { .. } => Choice::Pass,
        }
    }
}

/// From which amount to which a seat may bet or raise: what it has then bet in this round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// The smallest amount.
    pub min: u64,
    /// The largest amount; with no limit, all that the seat has.
    pub max: u64,
}

/// Who is to see which cards of a deck without rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its number in this hand, from 0.
    pub number: u32,
    /// Who made it.
    pub by: Seat,
    /// The positions, in rising order, and who is to see each card.
    pub cards: Vec<(u16, Learners)>,
    /// The others who have agreed so far.
    pub agreed: Vec<Seat>,
}

/// A random card of a hand is taken: the one that lies at the first position, once the hand is
/// shuffled again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steal {
    /// Who takes it.
    pub thief: Seat,
    /// Whose hand it is.
    pub owner: Seat,
    /// The positions of the hand, in rising order.
    pub hand: Vec<usize>,
}

/// Dice that were rolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolled {
    /// Who asked for the roll.
    pub by: Seat,
    /// The dice.
    pub dice: Dice,
    /// What each of them shows, from 1.
    pub faces: Vec<u32>,
}

impl Rolled {
    /// The sum of all faces.
    pub fn sum(&self) -> u64 {
        self.faces.iter().copied().map(u64::from).sum()
    }
}

/// How a hand ended.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The chips of each seat after the hand; 0 in a game without chips.
    pub stacks: Vec<u64>,
    /// Who won what: the main pot first.
    pub pots: Vec<Pot>,
    /// Who showed what, in order.
    pub shown: Vec<Shown>,
}

/// A pot, and who won it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pot {
    /// Its chips.
    pub chips: u64,
    /// Who gets how many of them, in order of seats.
    pub winners: Vec<(Seat, u64)>,
}

/// A hand that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Whose.
    pub seat: Seat,
    /// Its own cards.
    pub cards: Vec<Card>,
    /// What they are worth, with the board.
    pub rank: HandRank,
    /// The five cards that count, of its own and of the board.
    pub best: Vec<Card>,
}
