//! What a person is asked before a match: whether it sits down, or whom it lets sit down.

use std::time::{Duration, Instant};

use dealerless_events::command::{Complaint, Said};
use dealerless_events::event::{Event, Refusal};

/// An empty line that comes sooner was typed before the question was there: behind a pasted invite, for
/// example.
const SURPRISE: Duration = Duration::from_millis(500);

/// What is asked.
pub(super) enum Question {
    /// Whether the player sits down on the terms that it has seen since then.
    Sit(Instant),
    /// Whether the peer with this fingerprint sits down.
    Admit(String),
}

impl Question {
    /// What is asked after an event, if this was asked before.
    pub(super) fn after(event: &Event, before: Option<Self>) -> Option<Self> {
        match event {
            Event::AskSit(_) => Some(Question::Sit(Instant::now())),
            Event::AskAdmit { fingerprint, .. } => Some(Question::Admit(fingerprint.clone())),
            Event::AdmitLapsed { .. } | Event::Seated(_) => None,
            _ => before,
        }
    }

    /// Reads the answer.
    pub(super) fn answer(&self, text: &str) -> Result<Option<Said>, Complaint> {
        let agree = match (text.trim().to_lowercase().as_str(), self) {
            ("y" | "yes", _) => true,
            ("n" | "no" | "q" | "quit", _) => false,
            ("", Question::Sit(since)) if since.elapsed() >= SURPRISE => true,
            ("", _) => return Ok(None),
            _ => return Err((Refusal::NoCommand, "type y or n".to_owned())),
        };
        Ok(Some(match self {
            Question::Sit(_) => Said::Sit { agree },
            Question::Admit(fingerprint) => Said::Admit {
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
    fn an_empty_line_sits_down_only_if_the_question_was_there_before_it_and_admits_nobody() {
        let sits = Some(Said::Sit { agree: true });
        let now = Instant::now();
        assert_eq!(Question::Sit(now).answer(""), Ok(None));
        let before = now.checked_sub(SURPRISE).unwrap();
        assert_eq!(Question::Sit(before).answer(" "), Ok(sits));
        assert_eq!(Question::Admit("x".into()).answer(""), Ok(None));
        assert!(Question::Sit(before).answer("fold").is_err());
    }
}
