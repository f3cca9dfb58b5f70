//! What it costs to leave a match, and what may be done instead.

use dealerless_table::{MatchLog, Seat};

use super::event::Event;
use crate::output::count;

/// The answer to `leave` while the time of the other seat is out.
pub(crate) const MAY_CLOSE: &str = "the time of the other player is out: `close` closes the match here, \
     moves no chips, and the match can be resumed";

/// The seat leaves: at its next turn, or `now`.
pub(crate) fn leaves(log: &MatchLog, seat: Seat, now: bool) -> Event {
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

/// The question before a person leaves. `may_close`: the time of the other seat is out.
pub(crate) fn question(log: &MatchLog, seat: Seat, may_close: bool) -> String {
    let costs = costs(log, seat);
    let leave =
        format!("Leave the match for good? {costs} Say q once more; anything else goes on.");
    match may_close {
        true => format!("{} {leave}", super::words::sentence(MAY_CLOSE)),
        false => leave,
    }
}

/// The cost, as a sentence.
fn costs(log: &MatchLog, seat: Seat) -> String {
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
