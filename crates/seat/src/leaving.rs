//! The cost of leaving a match.

use dealerless_table::Seat;
use dealerless_table::log::MatchLog;
use dealerless_table::play::NotNow;

use crate::event::Event;
use crate::seated::opens;
use crate::words::{Names, count, counted, others_play_on, sentence, several_may_read};

/// Returns the event for a seat that leaves, `now` or at its next turn.
pub fn leaves(log: &MatchLog, seat: Seat, now: bool) -> Event {
    let costs = costs(log, seat);
    let what = left_by(log);
    let message = if now {
        format!("You leave the {what}. {costs}")
    } else {
        format!(
            "You leave the {what} at your next turn. {costs} Until your next turn, `stay` cancels this."
        )
    };
    Event::Leaving {
        costs: log.lost_by_leaving(seat),
        pot: log.game().map_or(0, |game| game.pot()),
        message,
    }
}

/// Describes the cost of leaving in a sentence.
fn costs(log: &MatchLog, seat: Seat) -> String {
    let (own, game) = (log.lost_by_leaving(seat), log.game());
    if is_at_table(log) {
        return costs_at_table(log, seat, own);
    }
    let has_chips = log.match_info().header().stakes.betting().is_some();
    match game {
        Some(game) if own > 0 => format!(
            "The pot of {} goes to the other player; {} of these chips are yours.",
            count(game.pot()),
            count(own)
        ),
        Some(_) if !has_chips => "All closed cards stay closed forever.".to_owned(),
        _ => "It costs no chips.".to_owned(),
    }
}

/// Whether the match is one of a table, whose players come and go.
fn is_at_table(log: &MatchLog) -> bool {
    opens(log.match_info().header()).is_some()
}

/// The noun for what a player leaves.
fn left_by(log: &MatchLog) -> &'static str {
    match is_at_table(log) {
        true => "table",
        false => "match",
    }
}

/// Returns the question to a person who wants to leave. `may_close` is whether the person may instead
/// close the match, because another player is out of time or away.
pub fn question(log: &MatchLog, seat: Seat, names: &Names, may_close: bool) -> String {
    let costs = costs(log, seat);
    let what = match is_at_table(log) {
        true => "Leave the table?",
        false => "Leave the match for good?",
    };
    let leave = format!("{what} {costs} Type q again to leave; any other input cancels.");
    if may_close {
        format!("{} {leave}", sentence(&refusal(&NotNow::MayClose, names)))
    } else {
        leave
    }
}

/// Describes why a command was refused.
pub(crate) fn refusal(refused: &NotNow, names: &Names) -> String {
    match refused {
        NotNow::MayClose if names.are_several() => {
            "another player has run out of time: `close` closes the match here, moves no chips, and \
             the match can be resumed"
                .to_owned()
        }
        refused => refused.to_string(),
    }
}

/// Same as [`costs`] at a table, where the others play the hand to its end and then the next match. `own` are the
/// chips of the seat that are in the pot.
fn costs_at_table(log: &MatchLog, seat: Seat, own: u64) -> String {
    let pot = match own {
        0 => "It costs no chips.".to_owned(),
        own => format!("Your {} in the pot stay there.", counted(own, "chip")),
    };
    let chips = match log.game() {
        Some(game) => game.stacks().get(seat.index()).copied(),
        None => log.members().get(seat.index()).map(|member| member.chips),
    };
    let others = others_play_on(chips);
    let match_info = log.match_info();
    let read = match match_info.has_roll_calls() {
        true => String::new(),
        false => format!(" {}", several_may_read()),
    };
    format!("{pot} {others}{read}")
}
