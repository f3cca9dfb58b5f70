//! The question before a person leaves a match.

use dealerless_events::leaving::{costs, refusal};
use dealerless_events::words::{Names, sentence};
use dealerless_table::Seat;
use dealerless_table::log::MatchLog;
use dealerless_table::play::NotNow;

/// The question to a person who wants to leave. `may_close` is whether the person may instead close
/// the match, because another player is out of time or away.
pub(crate) fn question(log: &MatchLog, seat: Seat, names: &Names, may_close: bool) -> String {
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
