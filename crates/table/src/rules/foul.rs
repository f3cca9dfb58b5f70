//! Errors of the rules.

use crate::seat::Seat;
use dealerless::deck::Card;

/// A choice that the rules do not allow. The hand is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Foul {
    /// It is another seat's turn.
    #[error("it is {turn}'s turn, not {seat}'s")]
    OutOfTurn {
        /// The seat that chose.
        seat: Seat,
        /// The seat whose turn it is.
        turn: Seat,
    },
    /// No choice is due: cards are to be opened, or the hand is over.
    #[error("no choice is due now")]
    NotAsked,
    /// The seat may not make this kind of choice now.
    #[error("this kind of choice is not available now")]
    WrongKind,
    /// The seat has to pay to stay in.
    #[error("cannot check: there is {0} to call")]
    CannotCheck(u64),
    /// There is nothing to call.
    #[error("there is nothing to call")]
    NothingToCall,
    /// There has already been a bet in this round.
    #[error("there is already a bet: this would be a raise")]
    NoBet,
    /// There is no bet to raise.
    #[error("there is no bet to raise")]
    NothingToRaise,
    /// The seat may not bet more now: the last raise was not full, the limit is reached, or no
    /// other seat could pay.
    #[error("no raise is allowed here")]
    NoRaise,
    /// The amount is less than the smallest bet or raise.
    #[error("{to} is below the minimum of {min}")]
    TooLittle {
        /// The given amount.
        to: u64,
        /// The smallest allowed amount.
        min: u64,
    },
    /// The amount is more than the limit or than the chips of the seat.
    #[error("{to} is above the maximum of {max}")]
    TooMuch {
        /// The given amount.
        to: u64,
        /// The largest allowed amount.
        max: u64,
    },
    /// The places are not places of a hand, or not in ascending order.
    #[error("an exchange names places from 0 to 4, in ascending order")]
    BadExchange,
    /// A proposal has no cards, too many cards, or positions that are not in ascending order.
    #[error("a proposal names 1 to 64 cards, or any number of hands of bridge, in ascending order")]
    BadProposal,
    /// A proposal names a card or a seat that does not exist.
    #[error("card {0}, or the seat that should see it, does not exist")]
    NoSuchCard(u16),
    /// The card is already open. Either its proposed learners see it already, or one other seat
    /// sees it, so that it can only be shown to all seats.
    #[error("card {0} is already open")]
    AlreadyOpen(u16),
    /// The seat has too many open proposals.
    #[error("a seat can have at most 8 open proposals")]
    TooManyProposals,
    /// There is no open proposal with this number.
    #[error("there is no open proposal {0}")]
    NoSuchProposal(u32),
    /// The seat has made the proposal or already agreed to it.
    #[error("this seat already agrees to proposal {0}")]
    AlreadyAgreed(u32),
    /// The roll has too many dice, or the hand already has the maximum number of rolls.
    #[error("at most {most} dice can be rolled at once", most = super::Choice::MAX_DICE)]
    TooManyDice,
    /// Every card has been seen by at least one seat.
    #[error("no card is left to draw")]
    NothingToDraw,
    /// The seat does not exist, has no cards, or is the thief itself.
    #[error("there is nothing to steal from {0}")]
    NothingToSteal(Seat),
    /// The seat does not hold this card or good.
    #[error("this seat does not hold card {0}")]
    NotHeld(u16),
    /// A list of goods is empty, too long or not in ascending order, names a kind or a seat that does not
    /// exist, or does not fit the offer.
    #[error("this list of goods is not valid here")]
    BadGoods,
    /// Everybody knows that the good is of another kind.
    #[error("good {0} is of another kind")]
    OtherKind(u16),
    /// A hidden good is given although the seat has a public one of the same kind.
    #[error("a public good of the same kind must be given before good {0}, which is hidden")]
    PublicFirst(u16),
    /// A seat would have too many goods, or too many were gained in this hand.
    #[error("a seat has at most {most} goods", most = super::Game::MAX_HELD)]
    TooManyGoods,
    /// There is no open offer with this number.
    #[error("there is no open offer {0}")]
    NoSuchOffer(u32),
}

/// The faces do not match the dice of the roll that is due. The hand is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these faces do not match the dice to be rolled")]
pub struct BadFaces;

/// The cards do not complete the opening that is due. The hand is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCards {
    /// No opening is due, or the opening that is due shows other cards to everybody.
    #[error("these are not the cards to be opened")]
    NotDue,
    /// The card is not in the deck.
    #[error("card {0} is not in this deck")]
    NotInDeck(Card),
    /// The card was already opened at another position.
    #[error("card {0} was opened twice")]
    Twice(Card),
    /// This seat gave a hidden good, and it is not of the kind that the seat named.
    #[error("a good that {0} gave is of another kind")]
    OtherKind(Seat),
}

/// No hand can be dealt with these stacks or this button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotDeal {
    /// The number of stacks is not the number of seats.
    #[error("expected one stack per seat, not {0} stacks")]
    Stacks(usize),
    /// The button is not a seat of this table, or has no chips.
    #[error("{0} cannot have the button")]
    Button(Seat),
    /// Fewer than two seats have chips.
    #[error("fewer than two seats have chips")]
    NoOpponent,
    /// The sum of the stacks is too large.
    #[error("the table has too many chips")]
    TooManyChips,
}
