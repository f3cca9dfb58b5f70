//! What is said of the keys, before the boards.

use dealerless_bridge::squaredeal::{Description, KeyHash, Keys, Verdict};
use serde::Serialize;

use crate::output::{lines, show, show_json};

/// The most sessions that are listed.
const LISTED: usize = 20;

/// A tournament, and what its keys and its description say about each other.
pub(super) struct Checked<'a> {
    pub(super) description: &'a Description,
    pub(super) keys: &'a Keys,
    pub(super) verdict: Verdict,
    /// The awaited value; empty if it is not known.
    pub(super) value: &'a [u8],
}

/// The first object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    tournament: &'a str,
    awaited: &'a str,
    /// None if it is not known.
    value: Option<String>,
    keys: usize,
    hash: &'a str,
    key_hash: &'static str,
    without_key: &'a [(u32, u32)],
    not_described: &'a [(u32, u32)],
    agrees: bool,
}

impl Checked<'_> {
    /// Whether there are boards to compute. Other keys give boards that nobody was bound to.
    pub(super) fn has_boards(&self) -> bool {
        self.verdict.key_hash == KeyHash::Agrees && !self.value.is_empty()
    }

    /// Tells it, to people or to a program.
    pub(super) fn tell(&self, command: &str, json: bool) -> anyhow::Result<()> {
        if !json {
            return show(&self.said());
        }
        let value = String::from_utf8_lossy(self.value).into_owned();
        let report = Report {
            tournament: self.description.name(),
            awaited: self.description.awaited(),
            value: (!self.value.is_empty()).then_some(value),
            keys: self.keys.count(),
            hash: self.keys.hash(),
            key_hash: match self.verdict.key_hash {
                KeyHash::Agrees => "agrees",
                KeyHash::Differs => "differs",
                KeyHash::Unpublished => "unpublished",
            },
            without_key: &self.verdict.without_key,
            not_described: &self.verdict.not_described,
            agrees: self.verdict.agrees(),
        };
        show_json(command, &report)
    }

    fn said(&self) -> String {
        let mut said = vec![self.description.name().to_owned()];
        let shown = match self.value.is_empty() {
            true => "not known, so there are no boards yet".to_owned(),
            false => String::from_utf8_lossy(self.value)
                .escape_debug()
                .to_string(),
        };
        let awaited = self.description.awaited();
        said.push(format!("Awaited value, {awaited}: {shown}"));
        let count = self.keys.count();
        said.push(match self.verdict.key_hash {
            KeyHash::Agrees => format!("The {count} keys have the published hash."),
            KeyHash::Differs => format!(
                "The {count} keys are not those that were published: their hash is {}.",
                self.keys.hash()
            ),
            KeyHash::Unpublished => {
                "No hash of the keys was published: there is no KH line.".to_owned()
            }
        });
        for (sessions, name) in [
            (&self.verdict.without_key, "No key (phase,session)"),
            (&self.verdict.not_described, "Keys of no session"),
        ] {
            if !sessions.is_empty() {
                said.push(format!("{name}: {}", list(sessions)));
            }
        }
        let said: Vec<String> = said.iter().map(|line| lines(line)).collect();
        said.join("\n")
    }
}

fn list(sessions: &[(u32, u32)]) -> String {
    let shown: Vec<String> = (sessions.iter().take(LISTED))
        .map(|(phase, session)| format!("{phase},{session}"))
        .collect();
    let more = sessions.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!(" and {more} more"));
    format!("{}{}", shown.join(" "), more.unwrap_or_default())
}
