//! The description of a tournament: the file `.sqd`.

use super::error::{lines, number};
use super::{BadLine, Boards, MAX_SESSIONS, MAX_TEXT, Problem};

/// What the organiser published before the tournament, and the value that was awaited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    name: String,
    awaited: String,
    value: Vec<u8>,
    key_hash: Option<String>,
    phases: Vec<Phase>,
    /// How many keys the phases have together.
    keys: u32,
}

/// A phase of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// None if their number is not known before.
    pub(super) sessions: Option<u32>,
    pub(super) boards: Boards,
    pub(super) prefix: String,
    pub(super) description: String,
}

impl Description {
    /// Reads a file `.sqd`.
    ///
    /// Each line begins with `#`, which is passed over, or with a tag: `TN` the tournament's name, `DI`
    /// what the awaited value is, `DV` the value, `SN` a phase, `KH` the hash of the keys.
    ///
    /// # Errors
    /// The first line that cannot be read.
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

    /// Takes what a line says.
    fn take(&mut self, line: &[u8], seen: &mut Vec<&'static str>) -> Result<(), Problem> {
        let (tag, said) = line.split_at(line.len().min(2));
        let known = ["TN", "DI", "DV", "SN", "KH"];
        let tag = known.into_iter().find(|known| known.as_bytes() == tag);
        let tag = tag
            .filter(|_| said.is_empty() || said.starts_with(b" "))
            .ok_or(Problem::Tag)?;
        let said = said.trim_ascii_start();
        if tag != "SN" && seen.contains(&tag) {
            return Err(Problem::Twice(tag));
        }
        seen.push(tag);
        match tag {
            "TN" => self.name = text(said),
            "DI" => self.awaited = text(said),
            "DV" => self.value = said.to_vec(),
            "KH" => self.key_hash = Some(key_hash(said)?),
            _ => self.add(phase(said)?)?,
        }
        Ok(())
    }

    fn add(&mut self, phase: Phase) -> Result<(), Problem> {
        // Each number is at most as large as the sum may be.
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

    /// What the awaited value is, in the organiser's words.
    pub fn awaited(&self) -> &str {
        &self.awaited
    }

    /// The value, as it stands in the file; empty if it was not known.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// The published hash of the keys, in hexadecimal; none before publication.
    pub fn key_hash(&self) -> Option<&str> {
        self.key_hash.as_deref()
    }

    /// The phases, in order. The first has the number 1.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }
}

impl Phase {
    /// How many sessions it has; none if that is not known before.
    pub fn sessions(&self) -> Option<u32> {
        self.sessions
    }

    /// The numbers of its keys: its sessions, or 0 for the only key of a phase without a known number.
    pub(super) fn keys(&self) -> std::ops::RangeInclusive<u32> {
        match self.sessions {
            Some(sessions) => 1..=sessions,
            None => 0..=0,
        }
    }
}

/// The awaited value as SquareDeal 2.7 takes it when it is typed: white space becomes one space, and
/// none at the ends, and a point or comma between two digits goes. A digit is looked at only once, so
/// `1,2,3` becomes `12,3`. A value that stands in a file is taken as it is.
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

/// What people read: neither the encoding nor control characters matter for what is computed.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn key_hash(said: &[u8]) -> Result<String, Problem> {
    if said.len() == 64
        && said
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        Ok(text(said))
    } else {
        Err(Problem::Hash)
    }
}

fn phase(said: &[u8]) -> Result<Phase, Problem> {
    let said = text(said);
    let parts: Vec<&str> = said.splitn(4, ':').collect();
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
