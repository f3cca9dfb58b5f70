//! The questions to a person before a match: whether to sit down, or whom to admit.

use std::time::{Duration, Instant};

use dealerless_seat::command::{Complaint, Said};
use dealerless_seat::event::{Event, Refusal};

/// The minimum delay before an empty line counts as an answer. An earlier empty line was probably
/// typed before the question was shown, for example at the end of a pasted invite.
const MIN_DELAY: Duration = Duration::from_millis(500);

/// A question to the player.
pub(super) enum Question {
    /// Whether to sit down on the terms that have been shown since this instant.
    Sit(Instant),
    /// Whether to admit the peer with this fingerprint.
    Admit(String),
    /// Whether to resume the open match with the peer with this fingerprint, in place of a new one.
    Resume(String),
}

impl Question {
    /// The open question after an event, if `before` was open before it.
    pub(super) fn after(event: &Event, before: Option<Self>) -> Option<Self> {
        match event {
            Event::AskSit(_) => Some(Question::Sit(Instant::now())),
            Event::AskAdmit { fingerprint, .. } => Some(Question::Admit(fingerprint.clone())),
            Event::AskResume { fingerprint, .. } => Some(Question::Resume(fingerprint.clone())),
            Event::AdmitLapsed { .. } | Event::Seated(_) => None,
            _ => before,
        }
    }

    /// Parses the answer. Returns `None` if the line is empty and counts as no answer.
    pub(super) fn answer(&self, text: &str) -> Result<Option<Said>, Complaint> {
        let agree = match (text.trim().to_lowercase().as_str(), self) {
            ("resume", Question::Resume(_)) => true,
            ("new", Question::Resume(_)) => false,
            (_, Question::Resume(_)) => {
                let message = "type `resume` or `new`".to_owned();
                return Err((Refusal::NoCommand, message));
            }
            ("y" | "yes", _) => true,
            ("n" | "no" | "q" | "quit", _) => false,
            ("", Question::Sit(since)) if since.elapsed() >= MIN_DELAY => true,
            ("", _) => return Ok(None),
            _ => return Err((Refusal::NoCommand, "type y or n".to_owned())),
        };
        Ok(Some(match self {
            Question::Sit(_) => Said::Sit { agree },
            Question::Admit(fingerprint) | Question::Resume(fingerprint) => Said::Admit {
                fingerprint: fingerprint.clone(),
                agree,
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_line_accepts_only_a_seat_and_only_after_a_delay() {
        let sits = Some(Said::Sit { agree: true });
        let now = Instant::now();
        assert_eq!(Question::Sit(now).answer(""), Ok(None));
        let before = now.checked_sub(MIN_DELAY).unwrap();
        assert_eq!(Question::Sit(before).answer(" "), Ok(sits));
        assert_eq!(Question::Admit("x".into()).answer(""), Ok(None));
        assert!(Question::Sit(before).answer("fold").is_err());
    }
}
