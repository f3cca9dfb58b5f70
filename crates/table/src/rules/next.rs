//! The next action in a hand.

use super::choice::Choice;
use super::goods::Offer;
use super::ranking::HandRank;
use crate::seat::Seat;
use dealerless::deck::Card;
use dealerless::dice::Dice;

/// The next action in a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The cards at these positions are to be opened to these seats. The positions are in ascending
    /// order and differ. Then call `Hand::opened` with the cards that everybody sees.
    Open(Vec<(usize, Learners)>),
    /// All seats roll these dice together. With a sealed deck, all commit, then all reveal. With a
    /// verifiable deck, they open the coin with the number `Hand::coin`. Then call `Hand::rolled` with
    /// the faces.
    Roll(Dice),
    /// A seat's cards are to be reshuffled and sealed again. Then call `Hand::reshuffled`.
    Steal(Steal),
    /// In a board game: this seat mixes its goods. Then call `Hand::mixed`.
    Mix {
        /// The owner of the goods.
        seat: Seat,
        /// The positions of all its goods, in ascending order.
        positions: Vec<usize>,
    },
    /// A seat has to choose.
    Choose {
        /// The seat whose turn it is.
        seat: Seat,
        /// The choices of the seat.
        legal: Legal,
    },
    /// The hand is over.
    Over(Outcome),
}

/// The seats that learn a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Learners {
    /// All seats.
    All,
    /// One seat. The card stays closed to all other seats.
    Seat(Seat),
}

/// The choices of the seat whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Legal {
    /// To fold, or to check, call, bet or raise as the fields allow.
    Bet {
        /// The price of a call, at most the chips of the seat. `None` if the seat may check.
        call: Option<u64>,
        /// The amounts of a bet, if the seat may bet.
        bet: Option<Amounts>,
        /// The amounts of a raise, if the seat may raise.
        raise: Option<Amounts>,
    },
    /// An exchange of any of the five cards, or of none.
    Exchange,
    /// Show or muck.
    ShowOrMuck,
    /// In a deck without rules: propose, agree, refuse or pass; roll dice; draw a card; reveal a
    /// card that the seat [holds](super::Hand::held), or show it if nobody else has seen it; steal
    /// a card that another seat holds.
    Speak {
        /// The open proposals.
        proposals: Vec<Proposal>,
        /// Whether the seat may make another proposal.
        may_propose: bool,
        /// Whether a card is left to draw.
        may_draw: bool,
    },
    /// In a board game: to answer the offer that is open, or any other choice if none is open. The
    /// rules of the game say which choices make sense.
    Goods {
        /// The open offer, with its number and the seat that made it.
        offer: Option<(u32, Seat, Offer)>,
    },
}

impl Legal {
    /// The choice made for a seat that runs out of time. It costs no chips. At a showdown the seat
    /// shows, because mucking would give up its claim to the pot.
    pub(crate) fn out_of_time(&self) -> Choice {
        match self {
            Legal::Bet { call: None, .. } => Choice::Check,
            Legal::Bet { call: Some(_), .. } => Choice::Fold,
            Legal::Exchange => Choice::Exchange(Vec::new()),
            Legal::ShowOrMuck => Choice::Show,
            Legal::Goods {
                offer: Some((number, ..)),
            } => Choice::Refuse(*number),
            Legal::Speak { .. } | Legal::Goods { .. } => Choice::Pass,
        }
    }
}

/// The allowed amounts of a bet or raise. An amount is the total bet of the seat in this round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// The smallest amount.
    pub min: u64,
    /// The largest amount. Without a limit, all chips of the seat.
    pub max: u64,
}

/// A proposal in a deck without rules: who should see which cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The number of the proposal in this hand, from 0.
    pub number: u32,
    /// The seat that made the proposal.
    pub by: Seat,
    /// The positions, in ascending order, and who should see each card.
    pub cards: Vec<(u16, Learners)>,
    /// The other seats that have agreed so far.
    pub agreed: Vec<Seat>,
}

/// A steal of a random card. The hand of the owner is reshuffled, and the thief takes the card that
/// is then at the first position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steal {
    /// The seat that takes the card.
    pub thief: Seat,
    /// The seat that holds the hand.
    pub owner: Seat,
    /// The positions of the hand, in ascending order.
    pub hand: Vec<usize>,
}

/// A good that was taken from another seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stolen {
    /// The seat that took the good.
    pub thief: Seat,
    /// The seat that had it.
    pub owner: Seat,
    /// The position of the good.
    pub position: usize,
}

/// A completed roll of dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolled {
    /// The seat that asked for the roll.
    pub by: Seat,
    /// The dice.
    pub dice: Dice,
    /// The face of each die, from 1.
    pub faces: Vec<u32>,
}

impl Rolled {
    /// The sum of all faces.
    pub fn sum(&self) -> u64 {
        self.faces.iter().copied().map(u64::from).sum()
    }
}

/// The outcome of a hand.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The chips of each seat after the hand. All 0 in a game without chips.
    pub stacks: Vec<u64>,
    /// The pots and their winners, the main pot first.
    pub pots: Vec<Pot>,
    /// The shown hands, in the order in which they were shown.
    pub shown: Vec<Shown>,
}

/// A pot and its winners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pot {
    /// The chips of the pot.
    pub chips: u64,
    /// The winning seats and their chips, in seat order.
    pub winners: Vec<(Seat, u64)>,
}

/// A hand that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The seat that showed the hand.
    pub seat: Seat,
    /// The seat's own cards.
    pub cards: Vec<Card>,
    /// The rank of these cards with the board.
    pub rank: HandRank,
    /// The best five of the seat's own cards and the board.
    pub best: Vec<Card>,
}
