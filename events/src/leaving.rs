//! The cost of leaving a match.

use dealerless_table::Seat;
use dealerless_table::log::MatchLog;

use crate::event::Event;
use crate::words::count;

/// The seat leaves: at its next turn, or `now`.
pub fn leaves(log: &MatchLog, seat: Seat, now: bool) -> Event {
    let costs = costs(log, seat);
    let message = match now {
        true => format!("You leave the match. {costs}"),
        false => format!(
            "You leave the match at your next turn. {costs} Until then `stay` takes it back."
        ),
    };
    Event::Leaving {
        costs: log.lost_by_leaving(seat),
        pot: log.game().map_or(0, |game| game.pot()),
        message,
    }
}

/// The cost of leaving, as a sentence.
pub fn costs(log: &MatchLog, seat: Seat) -> String {
    let (own, game) = (log.lost_by_leaving(seat), log.game());
    let has_chips = log.of().header().stakes.betting().is_some();
    match game {
        Some(game) if own > 0 => format!(
            "The pot of {} goes to the other player; {} of it are your chips.",
            count(game.pot()),
            count(own)
        ),
        Some(_) if !has_chips => "What is still closed stays closed for ever.".to_owned(),
        _ => "It costs no chips.".to_owned(),
    }
}
