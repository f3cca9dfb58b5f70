//! The commands of a player: one JSON object on a line.

use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::play::Command;
use dealerless_table::rules::{Choice, Learners};
use serde::{Deserialize, Serialize};

use crate::event::{Refusal, Reveal};
use crate::json;

/// A command of a player. A `chose` event reports a choice of any seat in the same form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// The empty braces matter: `deny_unknown_fields` does not apply to unit variants.
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Said {
    Fold {},
    Check {},
    Call {},
    /// Bets. `to` is the seat's total bet in this round.
    Bet {
        to: u64,
    },
    Raise {
        to: u64,
    },
    /// Exchanges the cards at these places in the hand, 0 to 4.
    Exchange {
        places: Vec<u8>,
    },
    Show {},
    Muck {},
    Propose {
        cards: Vec<Reveal>,
    },
    Agree {
        proposal: u32,
    },
    Refuse {
        proposal: u32,
    },
    Pass {},
    /// Rolls these dice jointly: `2d6`.
    Roll {
        #[serde(with = "as_text")]
        dice: Dice,
    },
    /// Draws the next closed card of the deck.
    Draw {},
    /// Lays down a card of this seat's hand: every seat sees the card, and no seat holds it any
    /// more.
    Reveal {
        position: u16,
    },
    /// Shows a card of this seat's hand to every seat. The card stays in the hand.
    ShowCard {
        position: u16,
    },
    /// Takes a random card from the hand of a seat.
    Steal {
        from: u8,
    },
    /// A choice about goods or cards in a board game, in words. Only in records: no program of this
    /// project plays board games, so it cannot be sent as a command.
    Goods {
        what: String,
    },
    Rebuy {
        agree: bool,
    },
    /// Sits out, from the next hand on.
    SitOut {},
    /// Ends `sit-out`.
    Back {},
    /// Lets the program connect again, in answer to `ask-again`.
    Again {},
    /// Closes the match on this side, after the other seat has run out of time.
    Close {},
    /// Ends the pause after a showdown.
    Next {},
    /// Ends the match for good, at the next turn of this seat.
    Leave {
        /// Leaves even if the match can be closed instead.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        anyhow: bool,
    },
    /// Cancels `leave`.
    Stay {},
    /// The guest's answer to the host's terms. At a table, also from a player without a seat, who
    /// sits down again.
    Sit {
        agree: bool,
    },
    /// At a table: buys these chips after this hand. 0 cancels.
    TopUp {
        chips: u64,
    },
    /// The host lets the player with this fingerprint sit down, who waits at the door.
    Accept {
        fingerprint: String,
    },
    /// The host turns the player with this fingerprint away.
    Decline {
        fingerprint: String,
    },
    /// The host begins the match with those who have a seat.
    Start {},
    /// The host replaces the link of its table.
    LinkNew {},
}

/// Serialization of dice as text, such as `2d6`.
pub(crate) mod as_text {
    use dealerless::dice::Dice;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(dice: &Dice, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(dice)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Dice, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The seats that are to see a card: one seat number, or `"all"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum To {
    Seat(u8),
    Everybody(Everybody),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Everybody {
    All,
}

impl To {
    pub const ALL: Self = To::Everybody(Everybody::All);
}

impl From<Learners> for To {
    fn from(learners: Learners) -> Self {
        match learners {
            Learners::All => To::ALL,
            Learners::Seat(seat) => To::Seat(seat.number()),
        }
    }
}

impl From<To> for Learners {
    fn from(to: To) -> Self {
        match to {
            To::Everybody(Everybody::All) => Learners::All,
            To::Seat(number) => Learners::Seat(Seat::new(number)),
        }
    }
}

impl From<&Choice> for Said {
    fn from(choice: &Choice) -> Self {
        match choice {
            Choice::Fold => Said::Fold {},
            Choice::Check => Said::Check {},
            Choice::Call => Said::Call {},
            &Choice::Bet { to } => Said::Bet { to },
            &Choice::Raise { to } => Said::Raise { to },
            Choice::Exchange(places) => Said::Exchange {
                places: places.clone(),
            },
            Choice::Show => Said::Show {},
            Choice::Muck => Said::Muck {},
            Choice::Propose(cards) => Said::Propose {
                cards: reveals(cards),
            },
            &Choice::Agree(proposal) => Said::Agree { proposal },
            &Choice::Refuse(proposal) => Said::Refuse { proposal },
            Choice::Pass => Said::Pass {},
            &Choice::Roll(dice) => Said::Roll { dice },
            Choice::Draw => Said::Draw {},
            &Choice::Reveal(position) => Said::Reveal { position },
            &Choice::ShowCard(position) => Said::ShowCard { position },
            Choice::Steal(seat) => Said::Steal {
                from: seat.number(),
            },
            Choice::Goods(choice) => Said::Goods {
                what: choice.to_string(),
            },
        }
    }
}

/// Converts a list of positions, each with the seats that are to see its card.
pub fn reveals(cards: &[(u16, Learners)]) -> Vec<Reveal> {
    let reveal = |&(position, learners): &(u16, Learners)| Reveal {
        position,
        to: learners.into(),
    };
    cards.iter().map(reveal).collect()
}

impl Said {
    /// Returns the command for the match; `None` for those before the match, and for `goods`, which is only in
    /// records.
    pub fn command(self) -> Option<Command> {
        Some(Command::Choose(match self {
            Said::Fold {} => Choice::Fold,
            Said::Check {} => Choice::Check,
            Said::Call {} => Choice::Call,
            Said::Bet { to } => Choice::Bet { to },
            Said::Raise { to } => Choice::Raise { to },
            Said::Exchange { places } => Choice::Exchange(places),
            Said::Show {} => Choice::Show,
            Said::Muck {} => Choice::Muck,
            Said::Propose { cards } => {
                let cards = cards.iter().map(|card| (card.position, card.to.into()));
                Choice::Propose(cards.collect())
            }
            Said::Agree { proposal } => Choice::Agree(proposal),
            Said::Refuse { proposal } => Choice::Refuse(proposal),
            Said::Pass {} => Choice::Pass,
            Said::Roll { dice } => Choice::Roll(dice),
            Said::Draw {} => Choice::Draw,
            Said::Reveal { position } => Choice::Reveal(position),
            Said::ShowCard { position } => Choice::ShowCard(position),
            Said::Steal { from } => Choice::Steal(Seat::new(from)),
            Said::Rebuy { agree } => return Some(Command::Rebuy(agree)),
            Said::TopUp { chips } => return Some(Command::Buy(chips)),
            Said::SitOut {} => return Some(Command::SitOut(true)),
            Said::Back {} => return Some(Command::SitOut(false)),
            Said::Next {} => return Some(Command::Next),
            Said::Leave { anyhow } => return Some(Command::Leave { anyhow }),
            Said::Stay {} => return Some(Command::Stay),
            Said::Again {} => return Some(Command::Again),
            Said::Close {} => return Some(Command::Close),
            Said::Sit { .. }
            | Said::Accept { .. }
            | Said::Decline { .. }
            | Said::Start {}
            | Said::LinkNew {}
            | Said::Goods { .. } => return None,
        }))
    }
}

/// The reason why a line is not a valid command, as a code and as text.
pub type Complaint = (Refusal, String);

/// The complaint about a command that does not answer the question before a match.
pub fn not_asked() -> Complaint {
    let message = "no match has begun; only an answer to the question is accepted";
    (Refusal::NotAllowed, message.to_owned())
}

/// The complaint about an answer in a match in which nobody has asked this question.
pub fn nobody_asked() -> Complaint {
    let message = "there is no such question to answer now";
    (Refusal::NobodyAsked, message.to_owned())
}

/// Parses a command and its optional `turn`. A command with a `turn` is valid only in that turn.
///
/// # Errors
/// If the line is not a valid command.
pub fn parse(line: &str) -> Result<(Said, Option<u64>), Complaint> {
    let wrong = |error: serde_json::Error| (Refusal::NoCommand, error.to_string());
    let mut object: serde_json::Map<String, serde_json::Value> =
        json::read(line.as_bytes()).map_err(wrong)?;
    let turn = match object.remove("turn") {
        None => None,
        Some(turn) => Some(turn.as_u64().ok_or_else(|| {
            let message =
                "`turn` is not a number; send the `turn` of the `your-turn` event".to_owned();
            (Refusal::NoCommand, message)
        })?),
    };
    let said = serde_json::from_value(object.into()).map_err(wrong)?;
    Ok((said, turn))
}
