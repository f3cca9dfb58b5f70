//! The question before a person leaves a match.

use dealerless_events::leaving::costs;
use dealerless_events::words::sentence;
use dealerless_table::Seat;
use dealerless_table::log::MatchLog;
use dealerless_table::play::NotNow;

/// The question before a person leaves. `may_close`: the time of the other seat is out.
pub(crate) fn question(log: &MatchLog, seat: Seat, may_close: bool) -> String {
    let costs = costs(log, seat);
    let leave =
        format!("Leave the match for good? {costs} Say q once more; anything else goes on.");
    match may_close {
        true => format!("{} {leave}", sentence(&NotNow::MayClose.to_string())),
        false => leave,
    }
}
