//! The report about the keys, before the boards.

use dealerless_bridge::squaredeal::{Description, KeyHash, Keys, Verdict};
use serde::Serialize;

use crate::output::{lines, show, show_json};

/// The maximum number of sessions that are listed.
const LISTED: usize = 20;

/// A tournament, with the comparison of its keys and its description.
pub(super) struct Checked<'a> {
    pub(super) description: &'a Description,
    pub(super) keys: &'a Keys,
    pub(super) verdict: Verdict,
    /// The awaited value; empty if it is unknown.
    pub(super) value: &'a [u8],
}

/// The first object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    tournament: &'a str,
    awaited: &'a str,
    /// `None` if the value is unknown.
    value: Option<String>,
    keys: usize,
    hash: &'a str,
    key_hash: &'static str,
    without_key: &'a [(u32, u32)],
    not_described: &'a [(u32, u32)],
    agrees: bool,
}

impl Checked<'_> {
    /// Whether there are boards to compute. If the keys do not match the published hash, the
    /// organiser was not bound to the boards of these keys.
    pub(super) fn has_boards(&self) -> bool {
        self.verdict.key_hash == KeyHash::Agrees && !self.value.is_empty()
    }

    /// Reports the comparison, to people or to a program.
    pub(super) fn report(&self, command: &str, json: bool) -> anyhow::Result<()> {
        if !json {
            return show(&self.describe());
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

    fn describe(&self) -> String {
        let mut rows = vec![self.description.name().to_owned()];
        let shown = if self.value.is_empty() {
            "unknown, so there are no boards yet".to_owned()
        } else {
            String::from_utf8_lossy(self.value)
                .escape_debug()
                .to_string()
        };
        let awaited = self.description.awaited();
        rows.push(format!("Awaited value, {awaited}: {shown}"));
        let count = self.keys.count();
        rows.push(match self.verdict.key_hash {
            KeyHash::Agrees => format!("The {count} keys match the published hash."),
            KeyHash::Differs => format!(
                "The {count} keys do not match the published hash: their hash is {}.",
                self.keys.hash()
            ),
            KeyHash::Unpublished => {
                "No hash of the keys was published: there is no KH line.".to_owned()
            }
        });
        for (sessions, name) in [
            (&self.verdict.without_key, "No key (phase,session)"),
            (&self.verdict.not_described, "Keys without a session"),
        ] {
            if !sessions.is_empty() {
                rows.push(format!("{name}: {}", list(sessions)));
            }
        }
        let rows: Vec<String> = rows.iter().map(|line| lines(line)).collect();
        rows.join("\n")
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
