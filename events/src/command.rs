//! What a program says: one JSON object on a line.

use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::play::Command;
use dealerless_table::rules::{Choice, Learners};
use serde::{Deserialize, Serialize};

use crate::event::{Refusal, Reveal};

/// A command, and what a seat has chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// Variants without fields would take any.
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Said {
    Fold {},
    Check {},
    Call {},
    /// What one has then bet in this round.
    Bet {
        to: u64,
    },
    Raise {
        to: u64,
    },
    /// Places in the hand, 0 to 4.
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
    /// All roll these dice: `2d6`.
    Roll {
        #[serde(with = "as_text")]
        dice: Dice,
    },
    /// Draws the next closed card.
    Draw {},
    /// Lays a card of one's own down: all see it, and nobody holds it.
    Reveal {
        position: u16,
    },
    /// Shows a card of one's own to all, and keeps it.
    ShowCard {
        position: u16,
    },
    /// Takes a random card out of the hand of a seat.
    Steal {
        from: u8,
    },
    Rebuy {
        agree: bool,
    },
    /// Sits out from the next hand on.
    SitOut {},
    /// Sits in again.
    Back {},
    /// Connects once more, after the program has asked.
    Again {},
    /// Closes the match here, when the other's time is out.
    Close {},
    /// Ends the pause after a showdown.
    Next {},
    /// Ends the match for good, at the next turn of this seat.
    Leave {
        /// Also if the match may be closed instead.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        anyhow: bool,
    },
    /// Takes back `leave`.
    Stay {},
    /// A guest sits down on the host's terms, or does not.
    Sit {
        agree: bool,
    },
    /// A host plays with the peer of this fingerprint, who has asked, or does not.
    Admit {
        fingerprint: String,
        agree: bool,
    },
}

/// Dice as the text that stands for them.
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

/// Who is to see a card: the number of a seat, or `"all"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum To {
    Seat(u8),
    Everybody(Everybody),
}

/// The word for everybody.
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
        }
    }
}

/// Cards and who is to see them.
pub fn reveals(cards: &[(u16, Learners)]) -> Vec<Reveal> {
    let reveal = |&(position, learners): &(u16, Learners)| Reveal {
        position,
        to: learners.into(),
    };
    cards.iter().map(reveal).collect()
}

impl Said {
    /// The command of a match. None for an answer to a question that is asked before a match.
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
            Said::SitOut {} => return Some(Command::SitOut(true)),
            Said::Back {} => return Some(Command::SitOut(false)),
            Said::Next {} => return Some(Command::Next),
            Said::Leave { anyhow } => return Some(Command::Leave { anyhow }),
            Said::Stay {} => return Some(Command::Stay),
            Said::Again {} => return Some(Command::Again),
            Said::Close {} => return Some(Command::Close),
            Said::Sit { .. } | Said::Admit { .. } => return None,
        }))
    }
}

/// Why a line is no command, in words.
pub type Complaint = (Refusal, String);

/// Reads a command. With a `turn` it is for that turn and no other.
///
/// # Errors
/// If it is none.
pub fn parse(line: &str) -> Result<(Said, Option<u64>), Complaint> {
    let wrong = |error: serde_json::Error| (Refusal::NoCommand, error.to_string());
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(line).map_err(wrong)?;
    let turn = match object.remove("turn") {
        None => None,
        Some(turn) => Some(turn.as_u64().ok_or_else(|| {
            let message = "turn is the number of a turn".to_owned();
            (Refusal::NoCommand, message)
        })?),
    };
    let said = serde_json::from_value(object.into()).map_err(wrong)?;
    Ok((said, turn))
}
