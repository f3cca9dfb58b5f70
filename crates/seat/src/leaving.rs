//! The cost of leaving a match.

use dealerless_table::Seat;
use dealerless_table::log::MatchLog;
use dealerless_table::play::NotNow;

use crate::event::Event;
use crate::seated::opens;
use crate::words::{Names, count, sentence, several_may_read};

/// Returns the event for a seat that leaves, `now` or at its next turn.
pub fn leaves(log: &MatchLog, seat: Seat, now: bool) -> Event {
    let costs = costs(log, seat);
    let message = if now {
        format!("You leave the match. {costs}")
    } else {
        format!(
            "You leave the match at your next turn. {costs} Until your next turn, `stay` cancels this."
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
    if log.match_info().seats() > 2 {
        return costs_of_several(log, own);
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

/// Returns the question to a person who wants to leave. `may_close` is whether the person may instead
/// close the match, because another player is out of time or away.
pub fn question(log: &MatchLog, seat: Seat, names: &Names, may_close: bool) -> String {
    let costs = costs(log, seat);
    let leave = format!(
        "Leave the match for good? {costs} Type q again to leave; any other input cancels."
    );
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

/// Same as [`costs`] in a match with more than two seats, in which the others play the hand to its end.
/// `own` are the chips of the seat that are in the pot.
fn costs_of_several(log: &MatchLog, own: u64) -> String {
    let chips = match own {
        0 => "It costs no chips".to_owned(),
        own => format!("Your {} chips in the pot stay there", count(own)),
    };
    let match_info = log.match_info();
    if !match_info.has_roll_calls() {
        let read = several_may_read();
        return format!("{chips}, and the match ends after this hand. {read}");
    }
    let left = match_info.seats() - log.gone().len() - 1;
    let opens = opens(match_info.header()).map_or(0, usize::from);
    match left >= opens {
        true => format!(
            "{chips}, and the others play on without you. If the hand ends before your turn, the match ends \
             with it. You can return with your other chips in the next match of this table."
        ),
        false => {
            format!("{chips}, and the match ends at once: too few players are left to open cards.")
        }
    }
}
