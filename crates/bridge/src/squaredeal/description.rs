//! The description of a tournament: the file `.sqd`.

use super::error::{lines, number};
use super::{BadLine, Boards, MAX_SESSIONS, MAX_TEXT, Problem};

/// The organiser's description of a tournament: the phases, the hash of the keys, and the awaited
/// value or, before this value is known, only a description of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    name: String,
    awaited: String,
    value: Vec<u8>,
    key_hash: Option<String>,
    phases: Vec<Phase>,
    /// The total number of keys of all phases.
    keys: u32,
}

/// A phase of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The number of sessions; `None` if it is not known in advance.
    pub(super) sessions: Option<u32>,
    pub(super) boards: Boards,
    pub(super) prefix: String,
    pub(super) description: String,
}

impl Description {
    /// Parses a `.sqd` file.
    ///
    /// Each line begins with `#`, which marks a comment, or with a tag: `TN` for the name of the
    /// tournament, `DI` for the description of the awaited value, `DV` for the value, `SN` for a
    /// phase, or `KH` for the hash of the keys.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn read(bytes: &[u8]) -> Result<Description, BadLine> {
        let mut description = Description::default();
        let mut seen = Vec::new();
        for (place, line) in lines(bytes)?.into_iter().enumerate() {
            let line = line.trim_ascii_end();
            if !line.is_empty() && !line.starts_with(b"#") {
                let taken = description.take(line, &mut seen);
                taken.map_err(|problem| problem.at(place))?;
            }
        }
        Ok(description)
    }

    /// Parses a line. `seen` are the tags of earlier lines.
    fn take(&mut self, line: &[u8], seen: &mut Vec<&'static str>) -> Result<(), Problem> {
        let (tag, value) = line.split_at(line.len().min(2));
        let known = ["TN", "DI", "DV", "SN", "KH"];
        let tag = known.into_iter().find(|known| known.as_bytes() == tag);
        let tag = tag
            .filter(|_| value.is_empty() || value.starts_with(b" "))
            .ok_or(Problem::Tag)?;
        let value = value.trim_ascii_start();
        if tag != "SN" && seen.contains(&tag) {
            return Err(Problem::Twice(tag));
        }
        seen.push(tag);
        match tag {
            "TN" => self.name = text(value),
            "DI" => self.awaited = text(value),
            "DV" => self.value = value.to_vec(),
            "KH" => self.key_hash = Some(key_hash(value)?),
            _ => self.add(phase(value)?)?,
        }
        Ok(())
    }

    fn add(&mut self, phase: Phase) -> Result<(), Problem> {
        // No overflow: both numbers are at most `MAX_SESSIONS`.
        self.keys += phase.sessions.unwrap_or(1);
        self.phases.push(phase);
        if self.keys <= MAX_SESSIONS {
            Ok(())
        } else {
            Err(Problem::TooManySessions)
        }
    }

    /// The name of the tournament.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The organiser's description of the awaited value.
    pub fn awaited(&self) -> &str {
        &self.awaited
    }

    /// The awaited value as given in the file; empty if the file does not have it.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// The published hash of the keys, in hexadecimal; `None` if the file does not have it.
    pub fn key_hash(&self) -> Option<&str> {
        self.key_hash.as_deref()
    }

    /// The phases, in order. The first phase has the number 1.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }
}

impl Phase {
    /// The number of sessions; `None` if it is not known in advance.
    pub fn sessions(&self) -> Option<u32> {
        self.sessions
    }

    /// The session numbers of the phase's keys. If the number of sessions is not known in advance,
    /// the phase has a single key, with the number 0.
    pub(super) fn keys(&self) -> std::ops::RangeInclusive<u32> {
        match self.sessions {
            Some(sessions) => 1..=sessions,
            None => 0..=0,
        }
    }
}

/// Normalises a typed value as SquareDeal 2.7 does: white space is collapsed to single spaces and
/// trimmed, and a point or comma between two digits is removed. A digit counts for only one point
/// or comma, so `1,2,3` becomes `12,3`. Values in files are not normalised.
pub fn canonical_value(typed: &str) -> String {
    let words: Vec<&str> = typed.split_ascii_whitespace().collect();
    let text: Vec<char> = words.join(" ").chars().collect();
    let (mut canonical, mut at) = (String::new(), 0);
    while at < text.len() {
        canonical.push(text[at]);
        at += match text[at..] {
            [before, '.' | ',', after, ..] if before.is_ascii_digit() && after.is_ascii_digit() => {
                canonical.push(after);
                3
            }
            _ => 1,
        };
    }
    canonical
}

/// Decodes a text, and replaces control characters so that it can be displayed. The awaited value
/// is never decoded, since its bytes are hashed.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn key_hash(value: &[u8]) -> Result<String, Problem> {
    if value.len() == 64
        && value
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        Ok(text(value))
    } else {
        Err(Problem::Hash)
    }
}

fn phase(value: &[u8]) -> Result<Phase, Problem> {
    let value = text(value);
    let parts: Vec<&str> = value.splitn(4, ':').collect();
    let [sessions, boards, prefix, description] = parts[..] else {
        return Err(Problem::Phase);
    };
    if prefix.len().max(description.len()) > MAX_TEXT {
        return Err(Problem::LongText);
    }
    let sessions = number(sessions).filter(|sessions| *sessions <= MAX_SESSIONS);
    let sessions = sessions.ok_or(Problem::Sessions)?;
    Ok(Phase {
        sessions: (sessions > 0).then_some(sessions),
        boards: boards.parse()?,
        prefix: prefix.to_owned(),
        description: description.to_owned(),
    })
}
