//! The events of a match, for programs. The terminal screen is made from the same events.
//!
//! `docs/table-protocol.md` describes each event for authors of such programs. Update it with every
//! change here.

use std::time::Duration;

use dealerless::dice::Dice;
use dealerless_table::play::{DealCost, STATISTICAL_SECURITY};
use serde::{Deserialize, Serialize};

use crate::command::{Said, To, as_text};
use crate::seated::{Seated, TableOffer, Time};

/// Something that happened in a match, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first event of a guest.
    Hello { version: u32 },
    /// The first event of a host, and the new link of a table whose host has replaced it.
    Invite {
        version: u32,
        invite: String,
        /// The invite as a link to a page, for a guest who plays in a browser.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        link: Option<String>,
        /// A code that can be spoken, for guests who get the invite through the relay.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        code: Option<String>,
        /// The number of seats, if this is the link of a table, which serves all guests.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        seats: Option<u8>,
    },
    /// The host waits for a connection at these addresses.
    Listening { addresses: Vec<String> },
    /// A message for people. Programs can ignore it.
    Notice { text: String },
    /// Asks the guest whether it accepts these terms.
    AskSit(Box<Seated>),
    /// Asks the guest whether it accepts the terms of this table.
    AskTable(Box<TableOffer>),
    /// The players who wait for the host's answer, in order of arrival. It replaces the last such list.
    AtDoor { players: Vec<AtDoor> },
    /// The players who have a seat at the table before a match, the host first. It replaces the last such list.
    Table {
        players: Vec<TablePlayer>,
        seats: u8,
        /// The place of this player among those who wait for a seat; 0 if it has one.
        place: u8,
    },
    /// A match of the table has ended, and the next one is being arranged.
    #[serde(rename = "between-matches")]
    Between {
        message: String,
        /// All players of the table, with their chips.
        members: Vec<TableMember>,
    },
    /// Asks a person who hosts a new match whether to resume an open one instead. A program is not asked.
    #[serde(skip)]
    AskResume {
        fingerprint: String,
        message: String,
    },
    /// Both players have sat down.
    Seated(Box<Seated>),
    /// The next hand is dealt after this time or after `next`, so that a person can see the
    /// showdown.
    Pause { milliseconds: u64 },
    /// An attempt (`try`) to play a hand has begun. Antes or blinds are in the pot. After a resume,
    /// `stacks`, `bets` and `pot` have their current values.
    Dealt {
        hand: u32,
        #[serde(rename = "try")]
        attempt: u32,
        button: u8,
        /// The chips that each seat has not bet.
        stacks: Vec<u64>,
        bets: Vec<u64>,
        pot: u64,
        /// The blind or ante that each seat has paid. Later bets of the hand do not change it.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        posted: Vec<u64>,
        /// The seats that can still win a pot; empty with two seats.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        playing: Vec<u8>,
    },
    /// `seat` has declared the attempt void, and the hand is dealt again. No player has seen a
    /// card.
    Again { hand: u32, seat: u8 },
    /// The deck is sealed: nobody can change a card any more.
    Sealed {
        hand: u32,
        /// The hash of all messages up to the seal.
        seal: String,
        /// The cost of the deal; absent if this process has not run the deal.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cost: Option<Cost>,
    },
    /// This side has seen a card.
    Card {
        hand: u32,
        position: usize,
        card: String,
        /// The seat that holds the card; absent if no seat holds it, as on the board.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        holder: Option<u8>,
    },
    /// All cards of the board, after cards were added to it.
    Board { hand: u32, cards: Vec<String> },
    /// It is this seat's turn, and a command is expected.
    YourTurn(Box<YourTurn>),
    /// It is another seat's turn.
    TheirTurn(Box<TheirTurn>),
    /// A seat has made a choice. This seat's own choices are reported as well.
    Chose {
        hand: u32,
        seat: u8,
        /// Whether the seat has bet its last chips with this choice.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        all_in: bool,
        #[serde(flatten)]
        choice: Said,
    },
    /// A card could not be stolen, since the hand that holds it could not be reshuffled. That hand
    /// is unchanged.
    NotStolen { hand: u32, seat: u8 },
    /// The result of the dice that `seat` has asked for.
    Rolled {
        hand: u32,
        seat: u8,
        #[serde(with = "as_text")]
        dice: Dice,
        /// The number that each die shows.
        faces: Vec<u32>,
        sum: u64,
    },
    /// The match has been waiting for a while.
    Waiting {
        /// The seats that must act; empty while this side's engine works.
        seats: Vec<u8>,
        #[serde(rename = "for")]
        what: Awaited,
        /// For how many seconds the match has waited.
        seconds: u64,
        /// The number of seconds until the first of these seats is out of time. `None` if no such time runs.
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<u64>,
    },
    /// The connection to the other seat was lost. The program tries to reconnect.
    LineLost { message: String },
    /// The connection is back, and both sides have the same log.
    Resumed {},
    /// Too many attempts with the peer's keys have failed. The program reconnects only after the
    /// command `again`.
    AskAgain {
        in_a_row: u32,
        failed_checks: u32,
        message: String,
    },
    /// This seat sits out, and the next hand waits until this seat is back.
    SitsOut {},
    /// A seat has run out of time. For this seat, the program has made the choice. For another
    /// seat, the event is only a claim of this side, and `close` is possible until the match
    /// continues.
    OutOfTime {
        seat: u8,
        /// Whether the seat is late because it is not connected, although it need not make a
        /// choice.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        away: bool,
        /// Whether this seat signs a call that names the seat, because seats may disappear and enough
        /// would be left. Then the match cannot be closed.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        asks: bool,
    },
    /// A seat signs a call: it lacks something of the `missing` seats, and their time is over. If all
    /// other seats sign the same call, these seats are removed. Only if seats may disappear.
    RollCall { seat: u8, missing: Vec<u8> },
    /// A seat is gone, and its hand is folded: all others have signed a call that names it. The match
    /// goes on.
    Gone { seat: u8 },
    /// This seat leaves at its next turn. Until that turn, `stay` cancels `leave`.
    Leaving {
        /// The chips of this seat in the pot, which this seat loses.
        costs: u64,
        /// The pot, which the other seat gets. With more than two seats, the others play for it.
        pot: u64,
        message: String,
    },
    /// This seat has canceled `leave`.
    Stays {},
    /// This seat buys these chips after the hand, if the terms of the table allow it. 0 if it buys none after all.
    Buys { chips: u64 },
    /// A hand is over.
    Result(Box<HandResult>),
    /// Asks whether `seats`, which have no chips left, buy in again. All players must agree. Only in a match of two.
    AskRebuy { seats: Vec<u8>, chips: u64 },
    /// A seat has ended the match. With more than two seats, a seat that leaves does not end it at
    /// once: its hand is folded, and the others play the hand to its end.
    Stopped {
        seat: u8,
        how: How,
        /// The disputed step.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        step: Option<u64>,
    },
    /// The match is over.
    Over {
        how: Ended,
        /// The number of hands that have a result.
        hands: u32,
        stacks: Vec<u64>,
        /// The path of the match file.
        log: Option<String>,
        exit_code: u8,
        message: String,
    },
    /// The match was closed on this side. The match is not over, and can be resumed.
    Closed {
        /// The path of the match file.
        log: Option<String>,
        message: String,
    },
    /// Without an exit code: a command was refused, and nothing has changed. With an exit code: the
    /// program ends.
    Error {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        code: Option<Refusal>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exit_code: Option<u8>,
        message: String,
    },
}

/// A player who waits for the host's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtDoor {
    pub name: String,
    pub fingerprint: String,
    /// The number of hands that this side has played with this peer's keys.
    pub hands: u64,
    pub message: String,
}

/// A player who has a seat at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePlayer {
    pub name: String,
    /// Only for the host: guests learn the keys of the others when the match begins.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fingerprint: Option<String>,
    /// Whether the host has lost the connection. The player keeps the seat for a minute.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub away: bool,
}

/// A player of a table, with its chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMember {
    pub name: String,
    pub fingerprint: String,
    pub chips: u64,
    /// All chips that the player has bought at this table.
    pub bought: u64,
}

/// The cost of a deal on this side, in milliseconds and in bytes (sent and received).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub shuffle_ms: f64,
    pub shuffle_bytes: u64,
    /// The flights of the shuffle in both directions, as this side counts them.
    pub shuffle_flights: u64,
    /// The preprocessing since the last reported cost.
    pub prepared_ms: f64,
    pub prepared_bytes: u64,
    /// The number of hands that this preprocessing serves.
    pub prepared_hands: u32,
    /// The AND gates that both sides compute together.
    pub ands: usize,
    pub statistical_security: u8,
}

impl Cost {
    pub fn of(cost: &DealCost) -> Self {
        let DealCost {
            shuffle,
            prepared,
            ands,
        } = cost;
        Cost {
            shuffle_ms: milliseconds(shuffle.time),
            shuffle_bytes: shuffle.bytes,
            shuffle_flights: shuffle.flights,
            prepared_ms: milliseconds(prepared.spent.time),
            prepared_bytes: prepared.spent.bytes,
            prepared_hands: prepared.hands,
            ands: *ands,
            statistical_security: STATISTICAL_SECURITY,
        }
    }
}

/// The state that a player needs to know to make a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct YourTurn {
    pub hand: u32,
    /// A command with this number is refused in any other turn.
    pub turn: u64,
    pub button: u8,
    pub pot: u64,
    pub stacks: Vec<u64>,
    pub bets: Vec<u64>,
    /// The seats that can still win a pot; empty with two seats.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub playing: Vec<u8>,
    /// The cards of this seat, in order of their places in the hand; null if not yet seen.
    pub cards: Vec<Option<String>>,
    /// The positions of `cards` in the deck.
    pub positions: Vec<usize>,
    /// The positions of the cards that each seat holds.
    pub held: Vec<Vec<usize>>,
    pub board: Vec<String>,
    /// The poker hand that this seat's cards make with the board, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub made: Option<String>,
    /// The cards that every seat sees, in a deck without rules.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub open: Vec<OpenCard>,
    /// The remaining time of this seat, if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<Time>,
    #[serde(flatten)]
    pub ask: Ask,
}

/// The public state while another seat is to make a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TheirTurn {
    pub hand: u32,
    pub turn: u64,
    /// The seat that is to make a choice.
    pub seat: u8,
    pub button: u8,
    pub pot: u64,
    pub stacks: Vec<u64>,
    pub bets: Vec<u64>,
    /// The seats that can still win a pot; empty with two seats.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub playing: Vec<u8>,
    /// The positions of the cards that each seat holds.
    pub held: Vec<Vec<usize>>,
    /// The remaining time of `seat`, if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<Time>,
}

/// A card that every seat sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCard {
    pub position: usize,
    pub card: String,
    /// The seat that holds the card and has shown or stolen it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<u8>,
}

/// The kind of choice that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// A betting decision. Folding is always allowed.
    Bet {
        /// The cost of a call; null if the seat can check.
        call: Option<u64>,
        bet: Option<Range>,
        raise: Option<Range>,
    },
    Exchange {},
    ShowOrMuck {
        /// Whether this seat's hand is still unbeaten in a pot that this seat contests. If so, a
        /// muck would give chips away.
        wins: bool,
    },
    Speak {
        proposals: Vec<Standing>,
        may_propose: bool,
        /// Whether the deck has a card left to draw.
        may_draw: bool,
    },
}

/// The allowed amounts, as the seat's total bet in this round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub min: u64,
    pub max: u64,
}

/// A pending proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub proposal: u32,
    pub by: u8,
    pub cards: Vec<Reveal>,
    pub agreed: Vec<u8>,
}

/// A card and the seats that are to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    pub position: u16,
    pub to: To,
}

/// The result of a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandResult {
    pub hand: u32,
    pub stacks: Vec<u64>,
    pub pots: Vec<Pot>,
    pub shown: Vec<Shown>,
}

/// A pot and its winners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pot {
    pub chips: u64,
    pub winners: Vec<Winner>,
}

/// A seat and the chips that it wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Winner {
    pub seat: u8,
    pub chips: u64,
}

/// A hand that was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub seat: u8,
    pub cards: Vec<String>,
    /// The five cards that count.
    pub best: Vec<String>,
    /// The rank of the hand, in words.
    pub worth: String,
}

/// The action that the match is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// A connection. Without seats, this seat may be the one that is cut off.
    Line,
    /// The history of a seat that is connected.
    History,
    /// The keys of a verifiable deck.
    Keys,
    Deal,
    Shuffle,
    Cards,
    Dice,
    Move,
    Result,
    /// Votes on a call.
    Vote,
    /// Players who sit out, and without whom too few play.
    Back,
}

/// The way a seat ended the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    Leave,
    Forfeit,
    Dispute,
}

/// The kinds of ends of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    Played,
    NoChips,
    Left,
    /// A player buys chips or sits down.
    Changed,
    /// The other seats have removed this seat, and go on.
    Removed,
    /// Seats have left, and too few remain to open cards.
    TooFew,
    Forfeited,
    Disputed,
    BadCards,
    NoKeys,
    Foul,
    Fork,
}

/// The reason why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The line is too long and was skipped.
    LineTooLong,
    /// The line is not a valid command.
    NoCommand,
    /// It is not this seat's turn, or not the turn that the command names.
    NotYourTurn,
    /// The rules do not allow the choice.
    NotAllowed,
    /// The deck was restored after an interruption, and its cards can only be opened.
    OnlyOpens,
    /// The command answers a question that was not asked.
    NobodyAsked,
    /// `leave` without `anyhow`, although the other seat has run out of time and `close` would move
    /// no chips.
    MayClose,
}

/// Returns a duration in milliseconds, with microsecond resolution.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

impl Event {
    /// A message for people.
    pub fn notice(text: impl Into<String>) -> Self {
        Event::Notice { text: text.into() }
    }

    /// Returns the event for a refused command.
    pub fn refused(code: Refusal, message: impl Into<String>) -> Self {
        Event::Error {
            code: Some(code),
            exit_code: None,
            message: message.into(),
        }
    }
}
