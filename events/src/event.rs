//! What a program is told of a match. The screen is made of the same.
//!
//! `docs/table-protocol.md` describes each of these for people who write such a program; whatever
//! changes here changes there.

use std::time::Duration;

use dealerless::dice::Dice;
use dealerless_table::play::{DealCost, STATISTICAL_SECURITY};
use serde::{Deserialize, Serialize};

use crate::command::{Said, To, as_text};
use crate::seated::{Seated, Time};

/// The version of this protocol. Events may gain fields and kinds without a new one.
pub const VERSION: u32 = 2;

/// Something that happened, on one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first event of a joiner.
    Hello { version: u32 },
    /// The first event of a host that invites.
    Invite { version: u32, invite: String },
    /// A host waits here.
    Listening { addresses: Vec<String> },
    /// Something that people should know, and programs need not.
    Notice { text: String },
    /// The terms of the host. Does this side sit down?
    AskSit(Box<Seated>),
    /// A peer whom the host has not invited wants to play. Does it?
    AskAdmit {
        name: String,
        fingerprint: String,
        /// The hands that were played with these keys.
        hands: u64,
        message: String,
    },
    /// The peer does not wait for an answer any more.
    AdmitLapsed {
        fingerprint: String,
        message: String,
    },
    /// Both sit at the table.
    Seated(Box<Seated>),
    /// The next hand is not dealt before that time or `next`: the showdown is to be seen.
    Pause { milliseconds: u64 },
    /// A try of a hand has begun; antes or blinds are in the pot. After a resume the chips are told as they stand.
    Dealt {
        hand: u32,
        #[serde(rename = "try")]
        attempt: u32,
        button: u8,
        /// The chips that are not bet.
        stacks: Vec<u64>,
        bets: Vec<u64>,
        pot: u64,
        /// What each seat has paid as a blind or an ante. It stays the same while bets come and go.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        posted: Vec<u64>,
    },
    /// The try is void, and the hand is dealt again. Nobody has seen a card.
    Again { hand: u32, seat: u8 },
    /// Nobody can change a card any more.
    Sealed {
        hand: u32,
        /// The hash of all that was said up to here.
        seal: String,
        /// What the deal cost; absent if this program has not dealt it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cost: Option<Cost>,
    },
    /// This side has seen a card.
    Card {
        hand: u32,
        position: usize,
        card: String,
        /// Whose it is; of the board and of nobody if absent.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        holder: Option<u8>,
    },
    /// The board, after cards were added to it.
    Board { hand: u32, cards: Vec<String> },
    /// A command is waited for.
    YourTurn(Box<YourTurn>),
    /// Another seat is to choose.
    TheirTurn(Box<TheirTurn>),
    /// A seat has chosen; one's own choices are told as well.
    Chose {
        hand: u32,
        seat: u8,
        /// It has bet its last chips with it.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        all_in: bool,
        #[serde(flatten)]
        choice: Said,
    },
    /// The hand from which a card was to be stolen could not be shuffled again, and lies there as
    /// before.
    NotStolen { hand: u32, seat: u8 },
    /// All have rolled the dice for which a seat has asked.
    Rolled {
        hand: u32,
        seat: u8,
        #[serde(with = "as_text")]
        dice: Dice,
        /// What each of them shows.
        faces: Vec<u32>,
        sum: u64,
    },
    /// Nothing has come for a while.
    Waiting {
        /// Who is waited for; nobody if it is the engine of this side.
        seats: Vec<u8>,
        #[serde(rename = "for")]
        what: Awaited,
        seconds: u64,
    },
    /// The line to the other seat is gone. The program tries to get another.
    LineLost { message: String },
    /// There is a line again, and both sides have the same log.
    Resumed {},
    /// So much went wrong with the other's keys that the program does not connect by itself. The
    /// command `again` lets it try once more.
    AskAgain {
        in_a_row: u32,
        failed_checks: u32,
        message: String,
    },
    /// This seat sits out, and the next hand waits for it.
    SitsOut {},
    /// The time of a seat is out. This one has checked or folded then. Another's is only claimed, and `close` is
    /// possible until the match goes on.
    OutOfTime {
        seat: u8,
        /// There is no connection to it, and it is not its turn.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        away: bool,
    },
    /// This seat leaves at its next turn. Until then `stay` takes it back.
    Leaving {
        /// Its own chips in the pot, which it loses.
        costs: u64,
        /// The pot, which the other seat gets.
        pot: u64,
        message: String,
    },
    /// This seat does not leave any more.
    Stays {},
    /// A hand is over.
    Result(Box<HandResult>),
    /// These seats have no chips. Shall they buy in again? Both must agree.
    AskRebuy { seats: Vec<u8>, chips: u64 },
    /// A seat has ended the match.
    Stopped {
        seat: u8,
        how: How,
        /// The step that is disputed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        step: Option<u64>,
    },
    /// The match is over.
    Over {
        how: Ended,
        /// The hands that have a result.
        hands: u32,
        stacks: Vec<u64>,
        /// The file of the match.
        log: Option<String>,
        exit_code: u8,
        message: String,
    },
    /// The match was closed here, and is not over.
    Closed {
        /// The file of the match.
        log: Option<String>,
        message: String,
    },
    /// A command could not be carried out, and nothing has changed; or, with an exit code, the
    /// program ends.
    Error {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        code: Option<Refusal>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exit_code: Option<u8>,
        message: String,
    },
}

/// What a deal cost this side: milliseconds, and bytes both ways.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub shuffle_ms: f64,
    pub shuffle_bytes: u64,
    /// What was made ahead since the last cost was told.
    pub prepared_ms: f64,
    pub prepared_bytes: u64,
    /// For how many hands.
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
            prepared_ms: milliseconds(prepared.spent.time),
            prepared_bytes: prepared.spent.bytes,
            prepared_hands: prepared.hands,
            ands: *ands,
            statistical_security: STATISTICAL_SECURITY,
        }
    }
}

/// What one needs to know to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct YourTurn {
    pub hand: u32,
    /// A command that names this turn is refused in any other.
    pub turn: u64,
    pub button: u8,
    pub pot: u64,
    pub stacks: Vec<u64>,
    pub bets: Vec<u64>,
    /// One's own cards, in order of their places in the hand; null if not seen yet.
    pub cards: Vec<Option<String>>,
    /// Their positions in the deck.
    pub positions: Vec<usize>,
    /// The positions of the cards that each seat holds.
    pub held: Vec<Vec<usize>>,
    pub board: Vec<String>,
    /// The hand that one's own cards make with the board, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub made: Option<String>,
    /// In a deck without rules: the cards that everybody sees.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub open: Vec<OpenCard>,
    /// What is left of one's time, if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<Time>,
    #[serde(flatten)]
    pub ask: Ask,
}

/// What everybody sees while another seat chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TheirTurn {
    pub hand: u32,
    pub turn: u64,
    /// Who is to choose.
    pub seat: u8,
    pub button: u8,
    pub pot: u64,
    pub stacks: Vec<u64>,
    pub bets: Vec<u64>,
    /// The positions of the cards that each seat holds.
    pub held: Vec<Vec<usize>>,
    /// What is left of its time, if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<Time>,
}

/// A card that everybody sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCard {
    pub position: usize,
    pub card: String,
    /// Who has shown or stolen it, and holds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<u8>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// To bet; to fold is always allowed.
    Bet {
        /// What a call costs; null if one may check.
        call: Option<u64>,
        bet: Option<Range>,
        raise: Option<Range>,
    },
    Exchange {},
    ShowOrMuck {
        /// No hand that was shown beats this seat's hand in every pot that it contests: a muck gives chips away.
        wins: bool,
    },
    Speak {
        proposals: Vec<Standing>,
        may_propose: bool,
        /// A card is left to be drawn.
        may_draw: bool,
    },
}

/// From which amount to which; what one has then bet in this round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub min: u64,
    pub max: u64,
}

/// A proposal that stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub proposal: u32,
    pub by: u8,
    pub cards: Vec<Reveal>,
    pub agreed: Vec<u8>,
}

/// A card, and who is to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    pub position: u16,
    pub to: To,
}

/// How a hand ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandResult {
    pub hand: u32,
    pub stacks: Vec<u64>,
    pub pots: Vec<Pot>,
    pub shown: Vec<Shown>,
}

/// A pot, and who gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pot {
    pub chips: u64,
    pub winners: Vec<Winner>,
}

/// Who gets how much.
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
    #[serde(default)]
    pub best: Vec<String>,
    /// What it is worth, in words.
    pub worth: String,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    Line,
    Deal,
    Shuffle,
    Cards,
    Dice,
    Move,
    Result,
}

/// How a seat ended the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    Leave,
    Forfeit,
    Dispute,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    Played,
    NoChips,
    Left,
    Forfeited,
    Disputed,
    BadCards,
    Foul,
    Fork,
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The line is too long; all of it was skipped.
    LineTooLong,
    /// The line is no command.
    NoCommand,
    /// It is not this seat's turn, or another turn than the command names.
    NotYourTurn,
    /// The rules do not allow it.
    NotAllowed,
    /// The deck was taken up again after a break, and can only be opened.
    OnlyOpens,
    /// Nobody has asked that.
    NobodyAsked,
    /// `leave` while the time of the other seat is out: `close` moves no chips. With `anyhow` it leaves.
    MayClose,
}

/// A duration in milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

impl Event {
    /// A command that was not carried out.
    pub fn refused(code: Refusal, message: impl Into<String>) -> Self {
        Event::Error {
            code: Some(code),
            exit_code: None,
            message: message.into(),
        }
    }
}
