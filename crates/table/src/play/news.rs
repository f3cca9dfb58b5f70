//! The news for a player and the commands of a player.

use dealerless::deck::Card;

use super::cost::DealCost;
use crate::log::{End, LogEvent};
use crate::rules::{Choice, Legal, Stakes};
use crate::seat::Seat;

/// News for the player: an event of the log, or something that only this seat knows. The
/// [log](super::Play::log) has everything else, such as the board, the pot and the stacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// An event of the match. [`LogEvent::Sealed`] is reported as [`Sealed`](Self::Sealed) instead.
    /// If a program resumes a match in the middle of a hand, it reports [`LogEvent::Begun`] of this
    /// hand again.
    Log(LogEvent),
    /// Other seats have declared tries of this hand void. This seat deals again only after
    /// [`Command::DealAgain`]: each try costs a run of the engine, and counts as an attempt in
    /// which the peer could have cheated.
    Voided {
        /// The number of void tries.
        tries: u32,
    },
    /// The seats have reconnected and have the same log. Events that this side had missed were
    /// reported before this.
    Resumed,
    /// The deck is final: nobody can change a card of it any more.
    Sealed {
        /// The cost of the deal. `None` if an earlier run of the program shuffled the deck.
        cost: Option<DealCost>,
    },
    /// This seat has seen a card.
    Card {
        /// The position of the card in the deck.
        position: usize,
        /// The card.
        card: Card,
    },
    /// It is this seat's turn.
    YourTurn {
        /// The choices that the rules allow.
        legal: Legal,
    },
    /// It is another seat's turn. This is reported once in each step, and again on each new
    /// connection.
    TheirTurn {
        /// The seat.
        seat: Seat,
    },
    /// This seat sits out: it deals no hand until the player [sits in](Command::SitOut) again.
    SitsOut,
    /// These seats have no chips. The player is asked whether they may buy in again. Only with a sealed deck.
    AskRebuy {
        /// The seats without chips.
        broke: Vec<Seat>,
    },
    /// A seat has run out of time. If this seat has, it checks or folds, and sits out from the next
    /// hand on. If another seat has, this is only a claim of this side, and the player may
    /// [close](Command::Close) the match. In a match without a clock, another seat runs out of time
    /// after ten minutes without a response.
    OutOfTime {
        /// The seat.
        seat: Seat,
        /// Whether this side can call the roll because of another seat, so that the match goes on without
        /// that seat if nobody has heard more. Then the match cannot be closed.
        asks: bool,
    },
    /// This side is ready to continue, but a seat has not been connected for as long as it may take
    /// for a move, or for ten minutes in a match without a clock. This is only a claim of this
    /// side.
    Away {
        /// The seat.
        seat: Seat,
    },
    /// A seat has called the roll: it lacks something of the missing seats, whose time is out. Only with
    /// roll calls.
    RollCall {
        /// The seat.
        seat: Seat,
        /// The missing seats.
        missing: Vec<Seat>,
    },
    /// The player's command cannot be executed. The match is unchanged.
    NotNow(NotNow),
    /// The match is over.
    Over(End),
}

/// A command of the player.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// Makes a choice, if it is this seat's turn.
    Choose(Choice),
    /// States whether seats without chips may buy in again.
    Rebuy(bool),
    /// Buys this number of chips after this hand; 0 buys none. The seat signs it with the result of the
    /// hand, which ends the match, unless the player leaves with this hand. Only at a table.
    Buy(u64),
    /// Sits out from the next hand on, or sits in again.
    SitOut(bool),
    /// Deals again after [`News::Voided`].
    DealAgain,
    /// Ends the pause after a showdown.
    Next,
    /// Leaves the match for good at the next turn of this seat.
    Leave {
        /// Leaves even if the match may be closed instead.
        anyhow: bool,
    },
    /// Cancels [`Leave`](Self::Leave), if this seat has not left yet.
    Stay,
    /// Closes the match on this side if another seat has run out of time. The match can be resumed.
    Close,
    /// Allows a new connection if the seat is not connected. Otherwise, [deals
    /// again](Self::DealAgain).
    Again,
}

/// Why a command cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotNow {
    /// It is not this seat's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The command is for another turn.
    #[error("turn {0} is not the current turn")]
    OtherTurn(u64),
    /// The rules do not allow the choice.
    #[error("{0}")]
    Foul(#[source] crate::rules::Foul),
    /// The match was resumed in the middle of the hand, so the engine session of its deck has
    /// ended. Only cards can be opened.
    #[error("this deck was restored after a break: its cards can only be opened")]
    OnlyOpens,
    /// The command answers a question that the program has not asked.
    #[error("the program has not asked for this")]
    NobodyAsked,
    /// The match is not one of a table, or its game has no chips, or these are too many.
    #[error(
        "chips can be bought only at a table whose game has chips, and at most {max} at once",
        max = Stakes::MAX_STACK
    )]
    CannotBuy,
    /// The player is not about to leave.
    #[error("you are not about to leave")]
    NotLeaving,
    /// The match may be closed instead of left.
    #[error(
        "the other player has run out of time: `close` closes the match here, moves no chips, and the \
         match can be resumed"
    )]
    MayClose,
    /// The match may not be closed.
    #[error("no other player has run out of time; `leave` ends the match for good")]
    NobodyLate,
    /// There is a connection, and no deal is waiting for the player.
    #[error("there is already a connection")]
    Connected,
}
