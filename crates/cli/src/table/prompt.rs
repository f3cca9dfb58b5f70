//! Parses the text that a person types.

mod hands;

use dealerless::dice::{Dice, DiceError};
use dealerless_seat::command::{Complaint, Said, To};
use dealerless_seat::event::{Ask, Range, Refusal, Reveal, YourTurn};
use dealerless_table::play::NotNow;

/// Parsed input of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Say(Said),
    Help,
    Leave,
    Close,
    Nothing,
}

/// The state that decides how typed words are read.
pub(crate) struct Asked<'a> {
    pub(crate) turn: Option<&'a YourTurn>,
    pub(crate) rebuy: bool,
    pub(crate) seat: u8,
    pub(crate) seats: usize,
    /// Whether the game is played for chips. Such a game has no proposals.
    pub(crate) has_chips: bool,
    /// The number of boards dealt together, in a game of boards.
    pub(crate) boards: Option<usize>,
}

/// Parses typed text.
///
/// # Errors
/// The complaint about invalid text, worded for people.
pub(crate) fn read(text: &str, asked: &Asked<'_>) -> Result<Typed, Complaint> {
    let lower = text.to_lowercase();
    let mut words = lower
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty());
    let Some(word) = words.next() else {
        return Ok(Typed::Nothing);
    };
    let rest: Vec<&str> = words.collect();
    let said = match word {
        "?" | "h" | "help" => return Ok(Typed::Help),
        "q" | "quit" | "leave" => return Ok(Typed::Leave),
        "y" | "yes" | "n" | "no" if asked.rebuy => Said::Rebuy {
            agree: word.starts_with('y'),
        },
        "stay" => Said::Stay {},
        "sit" => Said::Sit { agree: true },
        "top-up" | "buy" => Said::TopUp {
            chips: chips(&rest)?,
        },
        "close" => return Ok(Typed::Close),
        "again" => Said::Again {},
        "out" => Said::SitOut {},
        "back" => Said::Back {},
        "f" | "fold" => Said::Fold {},
        "k" | "check" => Said::Check {},
        "c" | "call" => call(asked.turn),
        "r" | "raise" => Said::Raise {
            to: amount(&rest, asked)?,
        },
        "b" | "bet" => Said::Bet {
            to: amount(&rest, asked)?,
        },
        "half" | "pot" => {
            let parts = if word == "half" { 2 } else { 1 };
            let to = of_the_pot(parts, asked)?;
            betting(asked).map(|(turn, ..)| bets(turn, to))?
        }
        "a" | "all" | "all-in" => all_in(asked)?,
        "x" | "exchange" => Said::Exchange {
            places: places(&rest)?,
        },
        "s" | "show" if rest.is_empty() => Said::Show {},
        "s" | "show" => Said::ShowCard {
            position: match asked.boards {
                Some(boards) => own_hand(&rest, asked, boards)?,
                None => position(&rest, "s 3")?,
            },
        },
        "m" | "muck" => Said::Muck {},
        "o" | "open" | "p" | "propose" => Said::Propose {
            cards: proposal(&rest, asked)?,
        },
        "y" | "agree" | "n" | "refuse" if asked.has_chips => {
            return Err(unknown(word, DiceError::Form));
        }
        "y" | "agree" => Said::Agree {
            proposal: number(&rest, "y 0")?,
        },
        "n" | "refuse" => Said::Refuse {
            proposal: number(&rest, "n 0")?,
        },
        "-" | "pass" => Said::Pass {},
        "roll" => Said::Roll { dice: dice(&rest)? },
        "d" | "draw" => Said::Draw {},
        "v" | "reveal" => Said::Reveal {
            position: position(&rest, "v 3")?,
        },
        "steal" if asked.seats == 2 => Said::Steal {
            from: 1 - asked.seat.min(1),
        },
        _ => Said::Roll {
            dice: word.parse().map_err(|error| unknown(word, error))?,
        },
    };
    if rest.is_empty() || takes_words(word, &said) {
        Ok(Typed::Say(said))
    } else {
        Err(complaint(format!("unexpected text after {word}")))
    }
}

fn complaint(text: impl Into<String>) -> Complaint {
    (Refusal::NoCommand, text.into())
}

/// The complaint about a word that is neither a command nor dice.
fn unknown(word: &str, error: DiceError) -> Complaint {
    complaint(match error {
        DiceError::Form => format!("unknown input {word:?}; type ? for help"),
        error => error.to_string(),
    })
}

fn takes_words(word: &str, said: &Said) -> bool {
    use Said::{Agree, Bet, Exchange, Propose, Raise, Refuse, Reveal, Roll, ShowCard, TopUp};
    match said {
        Bet { .. } | Raise { .. } => ["b", "bet", "r", "raise"].contains(&word),
        Exchange { .. } | Propose { .. } => true,
        Agree { .. } | Refuse { .. } | Reveal { .. } | ShowCard { .. } | TopUp { .. } => true,
        // Dice without `roll` take no arguments.
        Roll { .. } => word == "roll",
        _ => false,
    }
}

/// A call, or a check if there is nothing to call.
fn call(turn: Option<&YourTurn>) -> Said {
    match turn.map(|turn| &turn.ask) {
        Some(Ask::Bet { call: None, .. }) => Said::Check {},
        _ => Said::Call {},
    }
}

/// The current betting turn, with the price of a call and the amounts of a bet or a raise.
fn betting<'a>(asked: &Asked<'a>) -> Result<(&'a YourTurn, u64, Option<Range>), Complaint> {
    match asked.turn.map(|turn| (turn, &turn.ask)) {
        Some((turn, Ask::Bet { call, bet, raise })) => {
            Ok((turn, call.unwrap_or(0), bet.or(*raise)))
        }
        _ => Err(complaint("you cannot bet now")),
    }
}

/// A bet, or a raise if there is a bet already.
fn bets(turn: &YourTurn, to: u64) -> Said {
    match turn.ask {
        Ask::Bet { bet: Some(_), .. } => Said::Bet { to },
        _ => Said::Raise { to },
    }
}

/// This seat's entry in `chips`.
fn own(chips: &[u64], asked: &Asked<'_>) -> u64 {
    chips.get(usize::from(asked.seat)).copied().unwrap_or(0)
}

fn all_in(asked: &Asked<'_>) -> Result<Said, Complaint> {
    let (turn, call, range) = betting(asked)?;
    let bet = own(&turn.bets, asked);
    let (said, most) = match range {
        Some(range) => (bets(turn, range.max), range.max),
        None if call > 0 => (Said::Call {}, bet + call),
        None => return Err(complaint("you cannot bet or raise now")),
    };
    if most == bet + own(&turn.stacks, asked) {
        Ok(said)
    } else {
        Err(complaint(format!(
            "you cannot go all in now; the most is {most}"
        )))
    }
}

/// This seat's total bet in the round after it calls and then bets or raises by `pot / parts`,
/// where the pot includes the call. Clamped to the allowed amounts.
fn of_the_pot(parts: u64, asked: &Asked<'_>) -> Result<u64, Complaint> {
    let (turn, call, range) = betting(asked)?;
    let range = range.ok_or_else(|| complaint("you cannot bet or raise now"))?;
    let to = own(&turn.bets, asked) + call + (turn.pot + call) / parts;
    Ok(to.clamp(range.min, range.max))
}

/// The amount of a bet or raise. It may be omitted if only one amount is allowed.
fn amount(rest: &[&str], asked: &Asked<'_>) -> Result<u64, Complaint> {
    let only = || {
        let (_, _, range) = betting(asked).ok()?;
        Some(range.filter(|range| range.min == range.max)?.min)
    };
    match rest {
        ["half"] => return of_the_pot(2, asked),
        ["pot"] => return of_the_pot(1, asked),
        [] => only(),
        [number] | ["to", number] => number.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| no_amount(asked))
}

/// The complaint about a missing amount, with the allowed amounts.
fn no_amount(asked: &Asked<'_>) -> Complaint {
    let (turn, range) = match (asked.turn, betting(asked)) {
        (None, _) => return (Refusal::NotYourTurn, NotNow::NotYourTurn.to_string()),
        (_, Ok((turn, _, Some(range)))) => (turn, range),
        (_, Ok((_, _, None))) => return complaint("you cannot bet or raise now"),
        (_, Err(complaint)) => return complaint,
    };
    let Range { min, max } = range;
    let key = match bets(turn, min) {
        Said::Bet { .. } => "b",
        _ => "r",
    };
    complaint(if min == max {
        format!("the only amount is {min}: {key} {min}")
    } else {
        format!("give an amount from {min} to {max}, such as {key} {min}")
    })
}

fn number(rest: &[&str], example: &str) -> Result<u32, Complaint> {
    match rest {
        [number] => number.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| complaint(format!("give the number of a proposal, such as {example}")))
}

/// Parses a number of chips to buy. 0 cancels.
fn chips(rest: &[&str]) -> Result<u64, Complaint> {
    let number = match rest {
        [number] => number.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        complaint("give the number of chips to buy, such as top-up 50; top-up 0 cancels")
    })
}

fn dice(rest: &[&str]) -> Result<Dice, Complaint> {
    match rest {
        [dice] => dice
            .parse()
            .map_err(|error: DiceError| complaint(error.to_string())),
        _ => Err(complaint("give the dice to roll, such as roll 2d6")),
    }
}

/// Parses the number of a card, counted from 1.
fn position(rest: &[&str], example: &str) -> Result<u16, Complaint> {
    let number = match rest {
        [number] => number.parse::<u16>().ok(),
        _ => None,
    };
    let position = number.and_then(|number| number.checked_sub(1));
    position.ok_or_else(|| {
        complaint(format!(
            "give the number of one of your cards, such as {example}"
        ))
    })
}

/// Parses places of cards, counted from 1.
fn places(rest: &[&str]) -> Result<Vec<u8>, Complaint> {
    let place = |word: &&str| match word.parse() {
        Ok(place @ 1..=5_u8) => Some(place - 1),
        _ => None,
    };
    let places: Option<Vec<u8>> = rest.iter().map(place).collect();
    let mut places =
        places.ok_or_else(|| complaint("give places of cards from 1 to 5, such as x 1 3 5"))?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Parses a proposal such as `3 me 4 5 all`: numbers of cards, followed by who may see them.
fn proposal(rest: &[&str], asked: &Asked<'_>) -> Result<Vec<Reveal>, Complaint> {
    if let Some(boards) = asked.boards {
        return hands_to_open(rest, asked, boards);
    }
    let wrong = || complaint("name the cards and who may see them: o 3 me, o 4 5 all, o 6 them");
    let (mut cards, mut waiting) = (Vec::new(), Vec::new());
    for &word in rest {
        if word == "to" {
            continue;
        }
        let Some(to) = learner(word, asked) else {
            let number: u16 = word.parse().map_err(|_| wrong())?;
            waiting.push(number.checked_sub(1).ok_or_else(wrong)?);
            continue;
        };
        if waiting.is_empty() {
            return Err(wrong());
        }
        let reveal = |position| Reveal { position, to };
        cards.extend(waiting.drain(..).map(reveal));
    }
    if cards.is_empty() || !waiting.is_empty() {
        return Err(wrong());
    }
    cards.sort_by_key(|card| card.position);
    Ok(cards)
}

fn learner(word: &str, asked: &Asked<'_>) -> Option<To> {
    match word {
        "me" => Some(To::Seat(asked.seat)),
        "them" | "other" if asked.seats == 2 => Some(To::Seat(1 - asked.seat.min(1))),
        "all" | "both" => Some(To::ALL),
        _ => None,
    }
}

/// Parses `1-4 all` or `1-4 ns me ew them`; `all` alone opens every board to all. Hands that are
/// already open are skipped.
fn hands_to_open(
    rest: &[&str],
    asked: &Asked<'_>,
    boards: usize,
) -> Result<Vec<Reveal>, Complaint> {
    let hands = hands::read(rest, boards, |word| learner(word, asked)).ok_or_else(|| {
        complaint(format!(
            "name the boards (1 to {boards}), optionally the seats, and who may see the hands: o all, \
              o 1-4 all, o 1-4 ns me ew them"
        ))
    })?;
    let reveal = |(position, to)| Reveal { position, to };
    let closed = |reveal: &Reveal| {
        asked.turn.is_none_or(|turn| match reveal.to {
            To::Everybody(_) => !is_open(turn, reveal.position),
            To::Seat(_) => !is_open(turn, reveal.position) && !is_own(turn, reveal.position),
        })
    };
    let hands: Vec<Reveal> = hands.into_iter().map(reveal).filter(closed).collect();
    if hands.is_empty() {
        Err(complaint("these hands are already open"))
    } else {
        Ok(hands)
    }
}

/// Parses a hand that the player sees, such as `3 s`.
fn own_hand(rest: &[&str], asked: &Asked<'_>, boards: usize) -> Result<u16, Complaint> {
    let words = [rest, &["me"]].concat();
    let hands = hands::read(&words, boards, |word| (word == "me").then_some(()));
    let Some(&[(position, ())]) = hands.as_deref() else {
        return Err(complaint(
            "give the board and the seat of a hand, such as s 3 n",
        ));
    };
    match asked.turn {
        Some(turn) if is_open(turn, position) => Err(complaint(format!(
            "{} is already open",
            dealerless_seat::hands::name(true, position.into())
        ))),
        Some(turn) if !is_own(turn, position) => Err(complaint(format!(
            "you cannot see {}",
            dealerless_seat::hands::name(true, position.into())
        ))),
        _ => Ok(position),
    }
}

/// Whether the card at this position is open to all.
fn is_open(turn: &YourTurn, position: u16) -> bool {
    let mut open = turn.open.iter();
    open.any(|open| open.position == usize::from(position))
}

/// Whether the player sees the card at this position and may show it.
fn is_own(turn: &YourTurn, position: u16) -> bool {
    turn.positions.contains(&usize::from(position))
}

/// Returns whether the parser accepts `text` while there is no question. For the fuzz targets.
pub fn reads_typed(text: &str) -> bool {
    let asked = Asked {
        turn: None,
        rebuy: false,
        seat: 0,
        seats: 2,
        has_chips: false,
        boards: None,
    };
    let of_boards = Asked {
        boards: Some(36),
        ..asked
    };
    [asked, of_boards]
        .iter()
        .any(|asked| read(text, asked).is_ok())
}

#[cfg(test)]
mod tests;
