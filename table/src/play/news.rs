//! The news for a player and the commands of a player.

use dealerless::deck::Card;

use super::cost::DealCost;
use crate::log::{End, LogEvent};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// News for the player: an event of the log, or something that only this seat knows. The
/// [log](super::Play::log) has the rest: the board, the pot, the stacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// An event of the match. The event of the seals comes as [`Sealed`](Self::Sealed). The start
    /// of a sealed try is reported again when the match is resumed.
    Log(LogEvent),
    /// Other seats have declared tries of this hand void. This seat deals again only after
    /// [`Command::DealAgain`]: each try costs a run of the engine, and counts as one in which the
    /// peer could have tried to cheat.
    Voided {
        /// The number of tries.
        tries: u32,
    },
    /// The seats have reconnected and have the same log. Events of the time without a connection
    /// were reported before this.
    Resumed,
    /// The deck is final: nobody can change a card of it any more.
    Sealed {
        /// The cost of the deal. `None` if this program did not do it, because the match was
        /// resumed since.
        cost: Option<DealCost>,
    },
    /// This seat has seen a card.
    Card {
        /// Its position in the deck.
        position: usize,
        /// The card.
        card: Card,
    },
    /// It is this seat's turn.
    YourTurn {
        /// The choices that it has.
        legal: Legal,
    },
    /// It is another seat's turn. This is reported once in each step, and once more on each new
    /// connection.
    TheirTurn {
        /// The seat.
        seat: Seat,
    },
    /// This seat sits out: it deals no hand until it is told to [sit in](Command::SitOut).
    SitsOut,
    /// These seats have no chips. The player is asked whether they may buy in again.
    AskRebuy {
        /// The seats without chips.
        broke: Vec<Seat>,
    },
    /// A seat has run out of time. If it is this seat, it has checked or folded, and sits out from
    /// the next hand on. If it is another seat, this is a claim of this side, and the match may be
    /// [closed](Command::Close). In a match without a clock, the other seat has not responded for
    /// ten minutes.
    OutOfTime {
        /// The seat.
        seat: Seat,
    },
    /// This side is ready to continue, but a seat has not been connected for as long as it may take
    /// for a move, or for ten minutes in a match without a clock. This is a claim of this side too.
    Away {
        /// The seat.
        seat: Seat,
    },
    /// The player's command cannot be carried out. Nothing has changed.
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
    /// Takes back [`Leave`](Self::Leave), as long as it was not signed.
    Stay,
    /// Closes the match here if another seat has run out of time. The match can be resumed.
    Close,
    /// Allows another connection if the seat is not connected. Otherwise, [deals
    /// again](Self::DealAgain).
    Again,
}

/// A command that cannot be carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotNow {
    /// It is not this seat's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The command is for another turn.
    #[error("turn {0} is not the current turn")]
    OtherTurn(u64),
    /// The rules do not allow it.
    #[error("{0}")]
    Foul(#[source] crate::rules::Foul),
    /// The match was resumed in the middle of the hand, and the engine session of its deck has
    /// ended.
    #[error("this deck was restored after a break: its cards can only be opened")]
    OnlyOpens,
    /// The program has not asked for this.
    #[error("the program has not asked for this")]
    NobodyAsked,
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
