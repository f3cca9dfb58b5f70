//! The screen's text for a person's turn, and the help.

use dealerless_seat::event::{Ask, Range, YourTurn};
use dealerless_seat::game_name::GameName;
use dealerless_seat::seated::Seated;
use dealerless_seat::words::{self, Names};

use super::cards::Ink;
use crate::output::{MAX_WIDTH, count, wrapped};

/// The lines that a person sees before a choice: the visible cards, the pot and the allowed inputs.
pub(crate) fn block(names: &Names, ink: Ink, turn: &YourTurn) -> String {
    let mut lines = Vec::new();
    let own: Vec<Option<&str>> = turn.cards.iter().map(|card| card.as_deref()).collect();
    if !turn.board.is_empty() {
        let board = turn.board.iter().map(|card| Some(card.as_str()));
        lines.push(format!("  Board  {}", ink.row(board)));
    }
    let made = turn.made.iter().map(|made| format!("   {made}"));
    let made: String = made.collect();
    match &turn.ask {
        Ask::Exchange {} => lines.push(format!("  Yours  {}{made}", numbered(ink, &own))),
        Ask::Speak { proposals, .. } => {
            let own = turn.positions.iter().zip(own);
            let own =
                own.map(|(at, card)| format!("{}: {}", names.short_place(*at), ink.row([card])));
            lines.extend(placed(names, "  Yours", own));
            let open = turn.open.iter().map(|open| {
                let whose = open
                    .holder
                    .map(|seat| names.name(seat).to_string().replace("You", "yours"));
                let whose = whose.map_or_else(String::new, |whose| format!(" ({whose})"));
                let place = names.short_place(open.position);
                format!("{place}: {}{whose}", ink.card(&open.card))
            });
            lines.extend(placed(names, "  Open ", open));
            for standing in proposals {
                let cards = words::proposed(names, &standing.cards);
                let by = names.name(standing.by);
                lines.push(format!(
                    "  Proposal {}  {by}: open {cards}",
                    standing.proposal
                ));
            }
        }
        _ => lines.push(format!("  Yours  {}{made}", ink.row(own))),
    }
    if turn.pot > 0 {
        let chips = words::bets(names, &turn.stacks, &turn.bets, &turn.playing);
        lines.push(format!("  Pot    {}   ({chips})", count(turn.pot)));
    }
    let allowed = allowed(turn, names);
    lines.push(format!("{} {allowed}", ink.bold("Your turn:")));
    lines.join("\n")
}

/// Formats `cards`, each with its position, below a title. Returns `None` if there are no cards. If
/// there are more than four hands of boards, only states their number.
fn placed(names: &Names, title: &str, cards: impl Iterator<Item = String>) -> Option<String> {
    let cards: Vec<String> = cards.collect();
    (!cards.is_empty()).then(|| match (names.has_boards(), cards.len()) {
        (true, 5..) => format!("{title}  {} hands", cards.len()),
        (true, _) => format!("{title}  {}", cards.join("\n         ")),
        (false, _) => format!("{title}  {}", cards.join("   ")),
    })
}

fn numbered(ink: Ink, cards: &[Option<&str>]) -> String {
    let card =
        |(place, card): (usize, &Option<&str>)| format!("{} {}", place + 1, ink.row([*card]));
    let cards: Vec<String> = cards.iter().enumerate().map(card).collect();
    cards.join("   ")
}

/// The allowed inputs, with their amounts.
fn allowed(turn: &YourTurn, names: &Names) -> String {
    let boards = names.has_boards();
    let range = |what: &str, range: &Range| {
        if range.min == range.max {
            format!("{what} {}", range.min)
        } else {
            format!("{what} {}-{}", range.min, range.max)
        }
    };
    let parts = match &turn.ask {
        Ask::Bet { call, bet, raise } => {
            let mut parts = vec!["f fold".to_owned()];
            parts.push(match call {
                Some(call) => format!("c call {}", count(*call)),
                None => "c check".to_owned(),
            });
            parts.extend(bet.iter().map(|amounts| range("b bet", amounts)));
            parts.extend(raise.iter().map(|amounts| range("r raise to", amounts)));
            if bet
                .or(*raise)
                .is_some_and(|amounts| amounts.min < amounts.max)
            {
                parts.extend(["half".into(), "pot".into(), "a all in".into()]);
            }
            parts
        }
        Ask::Exchange {} => vec!["x 1 3 exchange these places".into(), "x keep all".into()],
        Ask::ShowOrMuck { .. } => vec!["s show".into(), "m muck".into()],
        Ask::Speak {
            proposals,
            may_propose,
            may_draw,
        } => {
            let mut parts = Vec::new();
            if *may_propose {
                parts.push(if boards {
                    "o all, o 1-4 ns me ew them propose".to_owned()
                } else {
                    "o 3 me, o 4 all propose".to_owned()
                });
            }
            let theirs = proposals
                .iter()
                .rfind(|standing| !names.is_own(standing.by));
            if let Some(theirs) = theirs {
                parts.push(format!("y {} agree", theirs.proposal));
            }
            if let Some(standing) = theirs.or(proposals.last()) {
                parts.push(format!("n {} refuse", standing.proposal));
            }
            if *may_draw {
                parts.push("d draw".into());
            }
            match (boards, turn.positions.is_empty()) {
                (true, true) => {}
                (true, false) => parts.push("s 3 n show".into()),
                (false, is_empty) => {
                    if !is_empty {
                        parts.push("s 3 show".into());
                        parts.push("v 3 reveal".into());
                    }
                    parts.push("2d6 roll".into());
                }
            }
            parts.push("- pass".into());
            parts
        }
    };
    format!("{}, ? help", parts.join(", "))
}

/// The help for the game in play.
pub(crate) fn help(seated: Option<&Seated>) -> String {
    let bets = if seated.is_some_and(Seated::has_fixed_limit) {
        FIXED
    } else {
        NO_LIMIT
    };
    let game = seated.map_or(GameName::Holdem, |seated| seated.game);
    let moves: [&[(&str, &str)]; 4] = match (game.poker(), game) {
        (Some((kind, _)), _) if kind.exchanges() => [BETS, bets, EXCHANGE, SHOWDOWN],
        (Some(_), _) => [BETS, bets, &[], SHOWDOWN],
        (None, GameName::Bridge) => [BOARDS, &[], &[], &[]],
        (None, _) => [DECK, &[], &[], &[]],
    };
    let mut rows = moves.concat();
    rows.push(SIT_OUT);
    if seated.is_some_and(Seated::is_at_table) {
        rows.extend(TABLE);
    }
    let [close, break_off, leave] = words::ways_to_stop(seated);
    let other = match seated.map_or(2, |seated| seated.names.len()) {
        2 => "the other player",
        _ => "another player",
    };
    let [close, leave] = [
        format!("{close} Only while {other} is out of time or away."),
        format!("{leave} Before that turn, stay cancels this."),
    ];
    rows.extend([
        ("close", close.as_str()),
        ("Ctrl-C", &break_off),
        ("q, leave", &leave),
    ]);
    let row = |(keys, text): &(&str, &str)| match keys.len() {
        ..10 => wrapped(&format!("  {keys:<9} {text}"), MAX_WIDTH, INDENT),
        _ => wrapped(&format!("  {keys}\n{INDENT}{text}"), MAX_WIDTH, INDENT),
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("What you can type:\n{}", rows.join("\n"))
}

/// The indentation below a key.
const INDENT: &str = "            ";

const BETS: &[(&str, &str)] = &[
    ("f", "fold"),
    ("c", "call, or check if there is nothing to call"),
];

const NO_LIMIT: &[(&str, &str)] = &[
    ("b 20", "bet 20"),
    ("r 60", "raise to 60, your total bet in this round"),
    (
        "half, pot",
        "bet or raise by half or all of the pot, which includes your call, within the allowed amounts",
    ),
    ("a", "all in"),
];

const FIXED: &[(&str, &str)] = &[("b, r", "bet, raise; the amount is fixed")];

const EXCHANGE: &[(&str, &str)] = &[(
    "x 1 3 5",
    "exchange cards 1, 3 and 5; x alone keeps all five",
)];

const SHOWDOWN: &[(&str, &str)] = &[
    ("s, m", "show your cards, or muck them: they stay closed"),
    ("Enter", "after a showdown: deal the next hand at once"),
];

const DECK: &[(&str, &str)] = &[
    ("o 3 me", "propose that only you see card 3"),
    (
        "o 4 5 all",
        "propose that all see cards 4 and 5; o 6 them: only the other player",
    ),
    ("y 0, n 0", "agree to proposal 0, refuse it"),
    ("d", "draw the next closed card, which only you see"),
    (
        "s 3, v 3",
        "show your card 3 and keep it; reveal it and give it up",
    ),
    ("steal", "take a random card from the other player's hand"),
    (
        "2d6",
        "roll two six-sided dice together with the other player",
    ),
    ("-", "pass; when both have passed, the hand is over"),
];

const BOARDS: &[(&str, &str)] = &[
    ("o all", "propose that both see every hand"),
    ("o 1-4 all", "the same for boards 1 to 4"),
    (
        "o 1-4 ns me ew them",
        "propose that you see North and South, and the other player East and West",
    ),
    ("y 0, n 0", "agree to proposal 0, refuse it"),
    (
        "s 3 n",
        "show the North hand of board 3, which so far only you see",
    ),
    (
        "-",
        "pass; when both have passed, the set is over, and closed hands stay closed for good",
    ),
];

const TABLE: &[(&str, &str)] = &[
    (
        "buy 50",
        "buy 50 chips after this hand, if the terms allow it; also top-up 50. buy 0 cancels",
    ),
    ("sit", "sit down again, after you have lost your seat"),
    (
        "accept NAME, decline NAME, link",
        "at the host: admit a player or not, and make a new link",
    ),
];

const SIT_OUT: (&str, &str) = ("out, back", "sit out from the next hand on; sit in again");
