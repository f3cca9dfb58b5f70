//! What people type.

use super::command::{Complaint, Said, To};
use super::event::{Ask, Range, Refusal, Reveal, YourTurn};
use super::hands;
use dealerless::dice::{Dice, DiceError};

/// What somebody has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Say(Said),
    Help,
    Leave,
    Close,
    Nothing,
}

/// What typed words are an answer to.
pub(crate) struct Asked<'a> {
    pub(crate) turn: Option<&'a YourTurn>,
    pub(crate) rebuy: bool,
    pub(crate) seat: u8,
    pub(crate) seats: usize,
    /// How many boards are dealt together, if that is what is played.
    pub(crate) boards: Option<usize>,
}

/// Reads what was typed.
///
/// # Errors
/// What is wrong with it, in words.
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
        "close" => return Ok(Typed::Close),
        "again" => Said::Again {},
        "out" => Said::SitOut {},
        "back" => Said::Back {},
        "f" | "fold" => Said::Fold {},
        "k" | "check" => Said::Check {},
        "c" | "call" => call(asked.turn),
        "r" | "raise" => Said::Raise {
            to: amount(&rest, "r 60")?,
        },
        "b" | "bet" => Said::Bet {
            to: amount(&rest, "b 20")?,
        },
        "a" | "all" | "all-in" => all_in(asked.turn)?,
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
    match rest.is_empty() || takes_words(word, &said) {
        true => Ok(Typed::Say(said)),
        false => Err(complaint(format!("nothing comes after {word}"))),
    }
}

fn complaint(text: impl Into<String>) -> Complaint {
    (Refusal::NoCommand, text.into())
}

/// What is no word and stands for no dice either.
fn unknown(word: &str, error: DiceError) -> Complaint {
    complaint(match error {
        DiceError::Form => format!("{word:?} means nothing here; ? lists what does"),
        error => error.to_string(),
    })
}

fn takes_words(word: &str, said: &Said) -> bool {
    use Said::{Agree, Bet, Exchange, Propose, Raise, Refuse, Reveal, Roll, ShowCard};
    match said {
        Bet { .. } | Raise { .. } | Exchange { .. } | Propose { .. } => true,
        Agree { .. } | Refuse { .. } | Reveal { .. } | ShowCard { .. } => true,
        // The dice alone are the whole of it.
        Roll { .. } => word == "roll",
        _ => false,
    }
}

/// `c` is a check where there is nothing to call.
fn call(turn: Option<&YourTurn>) -> Said {
    match turn.map(|turn| &turn.ask) {
        Some(Ask::Bet { call: None, .. }) => Said::Check {},
        _ => Said::Call {},
    }
}

fn all_in(turn: Option<&YourTurn>) -> Result<Said, Complaint> {
    let Some((turn, Ask::Bet { call, bet, raise })) = turn.map(|turn| (turn, &turn.ask)) else {
        return Err(complaint("it is not the time to bet"));
    };
    let (said, most) = match (call, bet, raise) {
        (_, Some(Range { max, .. }), _) => (Said::Bet { to: *max }, *max),
        (_, _, Some(Range { max, .. })) => (Said::Raise { to: *max }, *max),
        (Some(call), ..) => (Said::Call {}, own_bet(turn, *call)),
        _ => return Err(complaint("nothing can be bet here")),
    };
    match is_all(turn, most) {
        true => Ok(said),
        false => Err(complaint(format!(
            "you cannot go all in here; the most is {most}"
        ))),
    }
}

/// Whether a seat that has then bet this has bet all that it has. Its own seat is not named in the
/// turn: it is the one whose stack and bet add up to what it may bet at most.
fn is_all(turn: &YourTurn, to: u64) -> bool {
    let pairs = turn.stacks.iter().zip(&turn.bets);
    pairs.into_iter().any(|(stack, bet)| stack + bet == to)
}

fn own_bet(turn: &YourTurn, call: u64) -> u64 {
    turn.bets.iter().copied().min().unwrap_or(0) + call
}

fn amount(rest: &[&str], example: &str) -> Result<u64, Complaint> {
    match rest {
        [number] | ["to", number] => number.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| complaint(format!("an amount is needed: {example}")))
}

fn number(rest: &[&str], example: &str) -> Result<u32, Complaint> {
    match rest {
        [number] => number.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| complaint(format!("the number of a proposal is needed: {example}")))
}

fn dice(rest: &[&str]) -> Result<Dice, Complaint> {
    match rest {
        [dice] => dice
            .parse()
            .map_err(|error: DiceError| complaint(error.to_string())),
        _ => Err(complaint("which dice are to be rolled: roll 2d6")),
    }
}

/// People count from 1.
fn position(rest: &[&str], example: &str) -> Result<u16, Complaint> {
    let number = match rest {
        [number] => number.parse::<u16>().ok(),
        _ => None,
    };
    let position = number.and_then(|number| number.checked_sub(1));
    position.ok_or_else(|| {
        complaint(format!(
            "the number of one of your cards is needed: {example}"
        ))
    })
}

/// People count from 1.
fn places(rest: &[&str]) -> Result<Vec<u8>, Complaint> {
    let place = |word: &&str| match word.parse() {
        Ok(place @ 1..=5_u8) => Some(place - 1),
        _ => None,
    };
    let places: Option<Vec<u8>> = rest.iter().map(place).collect();
    let mut places =
        places.ok_or_else(|| complaint("the places of your cards are 1 to 5: x 1 3 5"))?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// `3 me 4 5 all`: each word says who sees the cards before it.
fn proposal(rest: &[&str], asked: &Asked<'_>) -> Result<Vec<Reveal>, Complaint> {
    if let Some(boards) = asked.boards {
        return hands_to_open(rest, asked, boards);
    }
    let wrong =
        || complaint("say which cards, and who is to see them: o 3 me, o 4 5 all, o 6 them");
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

/// `1-4 all` or `1-4 ns me ew them`; `all` alone is every board to all. Hands that are open already are left
/// out.
fn hands_to_open(
    rest: &[&str],
    asked: &Asked<'_>,
    boards: usize,
) -> Result<Vec<Reveal>, Complaint> {
    let hands = hands::read(rest, boards, |word| learner(word, asked)).ok_or_else(|| {
        complaint(format!(
            "say which boards of 1 to {boards}, of which seats if not of all, and who is to see them: o all, \
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
    match hands.is_empty() {
        true => Err(complaint("these hands are open already")),
        false => Ok(hands),
    }
}

/// `3 s`: a hand that one sees.
fn own_hand(rest: &[&str], asked: &Asked<'_>, boards: usize) -> Result<u16, Complaint> {
    let words = [rest, &["me"]].concat();
    let hands = hands::read(&words, boards, |word| (word == "me").then_some(()));
    let Some(&[(position, ())]) = hands.as_deref() else {
        return Err(complaint(
            "the board and the seat of a hand are needed: s 3 n",
        ));
    };
    match asked.turn {
        Some(turn) if is_open(turn, position) => Err(complaint(format!(
            "{} is open already",
            hands::name(position.into())
        ))),
        Some(turn) if !is_own(turn, position) => Err(complaint(format!(
            "you have not been shown {}",
            hands::name(position.into())
        ))),
        _ => Ok(position),
    }
}

/// Whether all see what lies there.
fn is_open(turn: &YourTurn, position: u16) -> bool {
    let mut open = turn.open.iter();
    open.any(|open| open.position == usize::from(position))
}

/// Whether the player sees what lies there, and may show it.
fn is_own(turn: &YourTurn, position: u16) -> bool {
    turn.positions.contains(&usize::from(position))
}

/// Reads what somebody types when nothing is asked: whatever it is, it is read or refused.
pub fn reads_typed(text: &str) -> bool {
    let asked = Asked {
        turn: None,
        rebuy: false,
        seat: 0,
        seats: 2,
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
mod tests {
    use super::super::event::OpenCard;
    use super::*;

    fn turn(ask: Ask) -> YourTurn {
        YourTurn {
            hand: 1,
            turn: 9,
            button: 0,
            pot: 6,
            stacks: vec![196, 198],
            bets: vec![4, 2],
            cards: Vec::new(),
            positions: Vec::new(),
            board: Vec::new(),
            open: Vec::new(),
            time: None,
            ask,
        }
    }

    fn typed(text: &str, ask: Ask) -> Result<Typed, Complaint> {
        let turn = turn(ask);
        let asked = Asked {
            turn: Some(&turn),
            rebuy: false,
            seat: 1,
            seats: 2,
            boards: None,
        };
        read(text, &asked)
    }

    fn to_call() -> Ask {
        Ask::Bet {
            call: Some(2),
            bet: None,
            raise: Some(Range { min: 6, max: 200 }),
        }
    }

    #[test]
    fn a_letter_or_a_word_says_what_one_does() {
        let check = Ask::Bet {
            call: None,
            bet: None,
            raise: None,
        };
        let reveal = |position, to| Reveal { position, to };
        let dice = |count| Dice::new(count, 6).unwrap();
        let cases = [
            ("c", Said::Call {}),
            (" CALL ", Said::Call {}),
            ("f", Said::Fold {}),
            ("r 60", Said::Raise { to: 60 }),
            ("raise to 60", Said::Raise { to: 60 }),
            ("b 20", Said::Bet { to: 20 }),
            ("a", Said::Raise { to: 200 }),
            (
                "x 5 1,3",
                Said::Exchange {
                    places: vec![0, 2, 4],
                },
            ),
            ("x", Said::Exchange { places: vec![] }),
            ("s", Said::Show {}),
            ("m", Said::Muck {}),
            ("y 3", Said::Agree { proposal: 3 }),
            ("n 3", Said::Refuse { proposal: 3 }),
            ("pass", Said::Pass {}),
            ("out", Said::SitOut {}),
            ("back", Said::Back {}),
            ("again", Said::Again {}),
            ("roll 2d6", Said::Roll { dice: dice(2) }),
            ("2d6", Said::Roll { dice: dice(2) }),
            ("D6", Said::Roll { dice: dice(1) }),
            ("d", Said::Draw {}),
            ("v 3", Said::Reveal { position: 2 }),
            ("s 3", Said::ShowCard { position: 2 }),
            ("steal", Said::Steal { from: 0 }),
            (
                "o 3 me, 1 2 all 7 to them",
                Said::Propose {
                    cards: vec![
                        reveal(0, To::ALL),
                        reveal(1, To::ALL),
                        reveal(2, To::Seat(1)),
                        reveal(6, To::Seat(0)),
                    ],
                },
            ),
        ];
        for (text, said) in cases {
            assert_eq!(typed(text, to_call()), Ok(Typed::Say(said)), "{text}");
        }
        assert_eq!(typed("c", check), Ok(Typed::Say(Said::Check {})));
        assert_eq!(typed("?", to_call()), Ok(Typed::Help));
        assert_eq!(typed("", to_call()), Ok(Typed::Nothing));
        assert_eq!(typed("q", to_call()), Ok(Typed::Leave));
    }

    #[test]
    fn hands_of_boards_are_proposed_and_shown() {
        let of_boards = |text| {
            let asked = Asked {
                turn: None,
                rebuy: false,
                seat: 1,
                seats: 2,
                boards: Some(3),
            };
            read(text, &asked)
        };
        let reveal = |(position, to)| Reveal { position, to };
        let propose = |hands: &[(u16, To)]| {
            let cards = hands.iter().copied().map(reveal).collect();
            Ok(Typed::Say(Said::Propose { cards }))
        };
        let all: Vec<(u16, To)> = (0..12).map(|hand| (hand, To::ALL)).collect();
        assert_eq!(of_boards("o all"), propose(&all));
        let (me, them) = (To::Seat(1), To::Seat(0));
        let preset = [(4, them), (5, me), (6, them), (7, me)];
        assert_eq!(of_boards("O 2 EW me, NS them"), propose(&preset));
        let show = Typed::Say(Said::ShowCard { position: 10 });
        assert_eq!(of_boards("s 3 s"), Ok(show));
        for text in [
            "o", "o 4 all", "o 1", "s 3", "s 1-2 n", "s 3 ns", "s 3 n me",
        ] {
            assert!(of_boards(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hands_that_are_open_already_are_not_proposed_again() {
        let mut turn = turn(Ask::Exchange {});
        let open = |position| OpenCard {
            position,
            card: "J2.AQ.A7652.J543".into(),
            holder: None,
        };
        (turn.open, turn.positions) = ((0..4).map(open).collect(), vec![5]);
        let of_boards = |text| {
            let asked = Asked {
                turn: Some(&turn),
                rebuy: false,
                seat: 0,
                seats: 2,
                boards: Some(2),
            };
            read(text, &asked)
        };
        let propose = |hands: &[u16], to| {
            let cards = hands.iter().map(|&position| Reveal { position, to });
            let cards = cards.collect();
            Ok(Typed::Say(Said::Propose { cards }))
        };
        assert_eq!(of_boards("o all"), propose(&[4, 5, 6, 7], To::ALL));
        assert_eq!(of_boards("o 2 me"), propose(&[4, 6, 7], To::Seat(0)));
        assert_eq!(
            of_boards("s 2 e"),
            Ok(Typed::Say(Said::ShowCard { position: 5 }))
        );
        for (text, why) in [
            ("o 1 all", "these hands are open already"),
            ("o 2 e me", "these hands are open already"),
            ("s 1 n", "the North hand of board 1 is open already"),
            ("s 2 n", "you have not been shown the North hand of board 2"),
        ] {
            assert_eq!(of_boards(text), Err(complaint(why)), "{text}");
        }
    }

    #[test]
    fn what_means_nothing_is_told_and_said_by_nobody() {
        for text in [
            "zz",
            "r",
            "r x",
            "r -1",
            "r 1 2",
            "b 99999999999999999999",
            "f 3",
            "x 0",
            "x 6",
            "y",
            "o",
            "o me",
            "o 3",
            "o 0 me",
            "o 3 nobody",
            "roll",
            "roll 2",
            "roll 0d6",
            "2d6 2d6",
            "2d",
            "d 3",
            "v",
            "v 0",
            "s 0",
            "show 1 2",
            "\u{1b}[A",
        ] {
            assert!(typed(text, to_call()).is_err(), "{text}");
        }
        let exchange = typed("a", Ask::Exchange {});
        assert!(exchange.is_err());
    }

    #[test]
    fn with_a_fixed_limit_nobody_goes_all_in_by_mistake() {
        let fixed = Ask::Bet {
            call: Some(2),
            bet: None,
            raise: Some(Range { min: 6, max: 6 }),
        };
        assert!(typed("a", fixed).unwrap_err().1.contains("the most is 6"));
    }
}
