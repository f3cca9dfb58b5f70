//! The cost of leaving a match.

use dealerless_table::Seat;
use dealerless_table::log::MatchLog;

use crate::event::Event;
use crate::words::count;

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
pub fn costs(log: &MatchLog, seat: Seat) -> String {
    let (own, game) = (log.lost_by_leaving(seat), log.game());
    let has_chips = log.match_info().header().stakes.betting().is_some();
    if log.match_info().seats() > 2 {
        let chips = match own {
            0 => "It costs no chips.".to_owned(),
            own => format!("Your {} chips in the pot stay in it.", count(own)),
        };
        return format!(
            "{chips} The others play the hand to its end. From then on, all of them together can read \
             your cards of this match."
        );
    }
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
