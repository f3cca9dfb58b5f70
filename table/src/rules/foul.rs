//! What the rules do not allow.

use crate::seat::Seat;
use dealerless::deck::Card;

/// A choice that the rules do not allow. The hand stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Foul {
    /// It is another seat's turn.
    #[error("it is the turn of {turn}, not of {seat}")]
    OutOfTurn {
        /// Who spoke.
        seat: Seat,
        /// Whose turn it is.
        turn: Seat,
    },
    /// Nobody is asked now: cards are to be opened, or the hand is over.
    #[error("nobody is asked to choose now")]
    NotAsked,
    /// The seat is asked for something else.
    #[error("this choice does not answer what is asked now")]
    WrongKind,
    /// There is something to pay.
    #[error("no check here: {0} is to be paid")]
    CannotCheck(u64),
    /// There is nothing to pay.
    #[error("there is nothing to call")]
    NothingToCall,
    /// There has been a bet in this round.
    #[error("there is a bet already: this would be a raise")]
    NoBet,
    /// There is no bet to raise.
    #[error("there is no bet to raise")]
    NothingToRaise,
    /// The seat may not bet more now: the last raise was not full, the limit is reached, or nobody
    /// could pay.
    #[error("no raise is allowed here")]
    NoRaise,
    /// Less than the smallest bet or raise.
    #[error("{to} is less than the smallest amount here, {min}")]
    TooLittle {
        /// What was said.
        to: u64,
        /// The smallest.
        min: u64,
    },
    /// More than the limit, or than the seat has.
    #[error("{to} is more than the largest amount here, {max}")]
    TooMuch {
        /// What was said.
        to: u64,
        /// The largest.
        max: u64,
    },
    /// Not places of a hand, or not in rising order.
    #[error("an exchange names places from 0 to 4, in rising order")]
    BadExchange,
    /// A proposal without cards, with too many, or not in rising order.
    #[error("a proposal names 1 to 64 cards, or 1 to all hands of boards, in rising order")]
    BadProposal,
    /// A proposal with a card that is not there, or for a seat that is not there.
    #[error("there is no card {0} that this seat could see")]
    NoSuchCard(u16),
    /// A proposal with a card that its learners see already, or that cannot be shown to one more
    /// seat without being shown to all; or a card that is shown twice.
    #[error("card {0} has been opened")]
    AlreadyOpen(u16),
    /// The seat has too many proposals that stand.
    #[error("a seat has at most 8 proposals that stand")]
    TooManyProposals,
    /// No proposal with this number stands.
    #[error("no proposal {0} stands")]
    NoSuchProposal(u32),
    /// The seat has agreed to it, or made it.
    #[error("this seat is for proposal {0} already")]
    AlreadyAgreed(u32),
    /// More dice than a roll has at a table, or more rolls than a hand has.
    #[error("at most {most} dice are rolled at once", most = super::Choice::MAX_DICE)]
    TooManyDice,
    /// Every card has been seen by somebody.
    #[error("no card is left to be drawn")]
    NothingToDraw,
    /// There is no such seat, or it has no cards, or it is the seat's own hand.
    #[error("there is nothing to steal from {0}")]
    NothingToSteal(Seat),
    /// The seat does not hold this card.
    #[error("card {0} is not this seat's to show")]
    NotHeld(u16),
}

/// Faces that are not those of the roll that is due. The hand stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these are not the faces of dice that are to be rolled")]
pub struct BadFaces;

/// Cards that do not complete the opening that is due. The hand stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCards {
    /// No opening is due, or not of exactly these cards to everybody.
    #[error("these are not the cards that were to be opened")]
    NotDue,
    /// No card of this deck.
    #[error("there is no card {0} in this deck")]
    NotInDeck(Card),
    /// A card that was opened before.
    #[error("card {0} is in the deck once")]
    Twice(Card),
}

/// No hand can be dealt with these stacks or this button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotDeal {
    /// Not a stack for each seat.
    #[error("{0} stacks are not one for each seat")]
    Stacks(usize),
    /// The button is no seat of this table, or has no chips.
    #[error("{0} cannot have the button")]
    Button(Seat),
    /// Fewer than two seats have chips.
    #[error("fewer than two seats have chips")]
    NoOpponent,
    /// More chips than can be counted.
    #[error("the chips of the table are too many")]
    TooManyChips,
}
