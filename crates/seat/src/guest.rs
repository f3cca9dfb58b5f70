//! What a guest is told before its match begins, and the meaning of the host's answers.

use std::time::Duration;

use dealerless_connection::ConnectionError;
use dealerless_connection::identity::Name;
use dealerless_table::play::Control;

/// The time in which a host's program answers if it does not ask its player first.
pub const SOON: Duration = Duration::from_secs(2);
/// Timeout for the answer of a player who is asked.
pub const ANSWER: Duration = Duration::from_secs(600);
/// The maximum number of times that the host may change the match.
pub const CHANGES: usize = 2;

/// The notice to a guest whose host has not answered [`SOON`].
pub const NOT_ACCEPTED_YET: &str =
    "The host's program has your request, but the host has not accepted it yet.";

/// The error of a guest whose host is occupied.
pub const TAKEN: &str = "The seat is taken: another player has sat down, or too many players are waiting. No match with you has \
                         begun. Ask the host when you can join.";

/// The error of a guest whose host is occupied, at a table of several guests.
pub const FULL: &str =
    "The table is full, or its match has begun without you. Ask the host when you can join.";

/// The error of a guest whose host declines.
pub const DECLINED: &str = "The host declined to play with you now. A host plays with the guest of its invite, and accepts \
     or declines other players. Ask the host for an invite, or to run: dealerless host --for \
     YOUR-NAME";

/// The error of a guest whose host declines, at a table.
pub const DECLINED_AT_TABLE: &str = "The host declined to play with you now. If that was a mistake, ask the host for a \
     new link: with it you can ask for a seat again.";

/// The error of a guest whose player declines the terms.
pub const YOU_DECLINED: &str = "You declined, and the host was told. No match has begun.";

/// The error of a guest whose host names another match after [`CHANGES`].
pub const KEEPS_CHANGING: &str = "the host keeps naming other matches";

/// The notice to a guest whose last match is over here, and was open at the host until now.
pub const END_SENT: &str = "Your last match is over. The host did not know this, and was told now. To begin a new match, join \
                            again.";

/// The notice to a guest whose last match is over here, if the host has not said goodbye after the end was sent.
pub const END_UNCONFIRMED: &str =
    "Your last match is over here, but the host may not know yet. To tell the host, join again.";

/// Notice that two players at a table have the same name.
pub(crate) fn namesake(name: &Name) -> String {
    format!(
        "{name} is already here with another identity. If both are yours, use one of them; an identity can be \
         moved."
    )
}

/// Why the host does not let the guest sit down, if this is its answer. `is_table` means that the guest has asked for a
/// seat at a table.
pub fn refusal(answer: &Control, is_table: bool) -> Option<&'static str> {
    match answer {
        Control::Taken if is_table => Some(FULL),
        Control::Taken => Some(TAKEN),
        Control::Declined if is_table => Some(DECLINED_AT_TABLE),
        Control::Declined => Some(DECLINED),
        _ => None,
    }
}

/// Whether the host may have agreed although the connection on which the guest has sent
/// [`Control::Sit`] has ended without an answer. Then the guest begins the match. If the host has not
/// agreed, it will not know the match when the guest resumes, and the guest will remove the match.
pub fn may_have_agreed(ended: &ConnectionError) -> bool {
    !matches!(ended, ConnectionError::Forged | ConnectionError::Broken(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_that_has_sent_invalid_bytes_has_not_agreed() {
        let ended = [
            (ConnectionError::Forged, false),
            (ConnectionError::Broken("test"), false),
            (ConnectionError::TimedOut, true),
        ];
        for (ended, agreed) in ended {
            assert_eq!(may_have_agreed(&ended), agreed, "{ended}");
        }
        assert_eq!(refusal(&Control::Taken, false), Some(TAKEN));
        assert_eq!(refusal(&Control::Taken, true), Some(FULL));
        assert_eq!(refusal(&Control::Declined, false), Some(DECLINED));
        assert_eq!(refusal(&Control::Sit, false), None);
    }
}
