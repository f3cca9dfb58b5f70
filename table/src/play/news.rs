//! What a player is told, and what a player says.

use dealerless::deck::Card;

use super::cost::DealCost;
use crate::log::{End, LogEvent};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// Something that a player is to know: an event of the log, or what only this seat knows. The
/// [log](super::Play::log) has the rest: the board, the pot, the stacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// An event of the match. That of the seals comes as [`Sealed`](Self::Sealed); a try that stands is
    /// told again when the match is resumed.
    Log(LogEvent),
    /// Other seats have declared tries of this hand void. This seat deals again only after
    /// [`Command::DealAgain`]: each try costs a run of the engine, and counts as one in which the
    /// other could have tried to cheat.
    Voided {
        /// How many.
        tries: u32,
    },
    /// The seats have met again, and have the same log. What was said while they were apart was
    /// told before.
    Resumed,
    /// The deck is sealed: nobody can change a card of it.
    Sealed {
        /// What the deal cost. None if this program has not seen it: the match was taken up again since.
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
        /// What it may say.
        legal: Legal,
    },
    /// It is another seat's turn. It is told once in each step, and once more on each new line.
    TheirTurn {
        /// Whose.
        seat: Seat,
    },
    /// This seat sits out: it deals no hand before it is told to [sit in](Command::SitOut).
    SitsOut,
    /// These seats have no chips. Shall they buy in again?
    AskRebuy {
        /// Who.
        broke: Vec<Seat>,
    },
    /// The time of a seat is out. If it is this one's, it has checked or folded, and sits out from
    /// the next hand on; if it is another's, that is a claim of this side, and the match may be
    /// [closed](super::Table::close_here). In a match without a clock the other seat has said nothing for ten minutes.
    OutOfTime {
        /// Who.
        seat: Seat,
    },
    /// There has been no connection to a seat for as long as it may take for a move, or for ten minutes
    /// in a match without a clock, and this side is ready to go on. That is a claim of this side too.
    Away {
        /// Who.
        seat: Seat,
    },
    /// The player's command cannot be carried out. Nothing has changed.
    NotNow(NotNow),
    /// The match is over.
    Over(End),
}

/// What a player says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// A choice, when it is one's turn.
    Choose(Choice),
    /// Whether seats without chips may buy in again.
    Rebuy(bool),
    /// Sits out from the next hand on, or sits in again.
    SitOut(bool),
    /// Deals again after [`News::Voided`].
    DealAgain,
    /// Ends the pause after a showdown.
    Next,
    /// Leaves the match for good, at the next turn of this seat.
    Leave,
    /// Takes back [`Leave`](Self::Leave), which was not signed yet.
    Stay,
}

/// A command that cannot be carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotNow {
    /// It is not this seat's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules do not allow it.
    #[error("{0}")]
    Foul(#[source] crate::rules::Foul),
    /// The match was taken up again in the midst of the hand: its engine is gone.
    #[error("this deck was taken up again after a break: its cards can only be opened")]
    OnlyOpens,
    /// Nobody asked.
    #[error("nobody has asked for that")]
    NobodyAsked,
    /// There is nothing to take back.
    #[error("you are not about to leave")]
    NotLeaving,
}
