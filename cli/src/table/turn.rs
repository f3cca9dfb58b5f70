//! What a person looks at when it is their turn.

use super::cards::Ink;
use super::event::{Ask, Range, Time, YourTurn};
use super::words::{self, Names};
use crate::output::count;

/// What one looks at before one chooses.
pub(crate) fn block(names: &Names, ink: Ink, turn: &YourTurn) -> String {
    let mut lines = Vec::new();
    let own: Vec<Option<&str>> = turn.cards.iter().map(|card| card.as_deref()).collect();
    if !turn.board.is_empty() {
        let board = turn.board.iter().map(|card| Some(card.as_str()));
        lines.push(format!("  Board  {}", ink.row(board)));
    }
    match &turn.ask {
        Ask::Exchange {} => lines.push(format!("  Yours  {}", numbered(ink, &own))),
        Ask::Speak { proposals, .. } => {
            let own = turn.positions.iter().zip(own);
            let own =
                own.map(|(at, card)| format!("{}: {}", names.short_place(*at), ink.row([card])));
            lines.extend(placed(names, "  Yours", own));
            let open = turn.open.iter().map(|open| {
                let whose = open
                    .holder
                    .map(|seat| names.name(seat).replace("You", "yours"));
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
        _ => lines.push(format!("  Yours  {}", ink.row(own))),
    }
    if turn.pot > 0 {
        let chips = words::bets(names, &turn.stacks, &turn.bets);
        lines.push(format!("  Pot    {}   ({chips})", count(turn.pot)));
    }
    if let Some(Time { each_move, bank }) = turn.time {
        lines.push(format!("  Time   {each_move} s, and {bank} s in the bank"));
    }
    let allowed = allowed(turn, names);
    lines.push(format!("{} {allowed}", ink.bold("Your turn:")));
    lines.join("\n")
}

/// Cards with their positions, which people count from 1; nothing if there are none. Of hands only how
/// many there are.
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

/// What may be typed, with the amounts.
fn allowed(turn: &YourTurn, names: &Names) -> String {
    let boards = names.has_boards();
    let range = |what: &str, range: &Range| match range.min == range.max {
        true => format!("{what} {}", range.min),
        false => format!("{what} {}-{}", range.min, range.max),
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
                parts.push("a all in".into());
            }
            parts
        }
        Ask::Exchange {} => vec!["x 1 3 exchange these places".into(), "x keep all".into()],
        Ask::ShowOrMuck {} => vec!["s show".into(), "m muck".into()],
        Ask::Speak {
            proposals,
            may_propose,
            may_draw,
        } => {
            let mut parts = Vec::new();
            if *may_propose {
                parts.push(match boards {
                    true => "o all, o 1-4 ns me ew them propose".to_owned(),
                    false => "o 3 me, o 4 all propose".to_owned(),
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

/// What can be typed.
pub(crate) const HELP: &str = "\
What you can type:
  f         fold
  c         call, or check where there is nothing to call
  b 20      bet 20
  r 60      raise to 60: what you have then bet in this round
  a         all in
  x 1 3 5   exchange these cards of five; x alone keeps all
  s, m      show, or muck: your cards stay closed
  o 3 me    in a deck without rules: propose that only you see card 3
  o 4 5 all the same: that all see cards 4 and 5; o 6 them: only the other
  y 0, n 0  agree to proposal 0, refuse it
  d         draw the next closed card, which only you see
  s 3, v 3  show card 3, which you hold, and keep it; reveal it and give it up
  steal     take a random card out of the other's hand
  2d6       roll two dice of six sides, together with the other
  -         pass
  out, back sit out from the next hand on; sit in again
  close     close the match here, when the other is out of time or away
  q         leave the match for good; Ctrl-C only ends the program
Words do as well as letters: raise 60.";

/// The same for boards.
pub(crate) const HELP_WITH_BOARDS: &str = "\
What you can type:
  o all            propose that both see every hand
  o 1-4 all        the same of boards 1 to 4
  o 1-4 ns me ew them
                   propose who sees which hands: North and South you, East and
                   West the other
  y 0, n 0         agree to proposal 0, refuse it
  s 3 n            show the North hand of board 3, which only you see
  -                pass; when both have passed, the set is over, and what is
                   closed then stays closed for ever
  close            close the match here, when the other is out of time or away
  q                leave the match for good; Ctrl-C only ends the program, and
                   `dealerless resume` goes on with the sealed boards later";
