//! The keys of a tournament: the file `.sqk`.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::error::{lines, number};
use super::{BadLine, Problem};

/// The keys of the sessions, and the hash of all keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The keys by phase and session.
    keys: BTreeMap<(u32, u32), String>,
    hash: String,
}

impl Keys {
    /// Parses a `.sqk` file, which has a line `PHASE,SESSION:KEY` for each session. A phase whose
    /// number of sessions was not known in advance has a single key, with the session 0.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn read(bytes: &[u8]) -> Result<Keys, BadLine> {
        let mut keys = BTreeMap::new();
        // Hash the lines with the line ends that SquareDeal writes, whatever line ends the file
        // has.
        let mut hasher = Sha256::new();
        for (place, line) in lines(bytes)?.into_iter().enumerate() {
            let (of, key) = key(line).map_err(|problem| problem.at(place))?;
            if keys.insert(of, key).is_some() {
                return Err(Problem::TwoKeys(of.0, of.1).at(place));
            }
            hasher.update(line);
            hasher.update(b"\r\n");
        }
        let hash = hasher.finalize();
        Ok(Keys {
            keys,
            hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The key of a session of a phase.
    pub(super) fn get(&self, phase: u32, session: u32) -> Option<&str> {
        self.keys.get(&(phase, session)).map(String::as_str)
    }

    /// The phases and sessions that have keys, in order.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (u32, u32)> {
        self.keys.keys().copied()
    }

    /// The number of keys.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// The SHA-256 hash of the file with CR LF as the line end, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

fn key(line: &[u8]) -> Result<((u32, u32), String), Problem> {
    let line = str::from_utf8(line).map_err(|_| Problem::KeyLine)?;
    let (of, key) = line.split_once(':').ok_or(Problem::KeyLine)?;
    let (phase, session) = of.split_once(',').ok_or(Problem::KeyLine)?;
    let phase = number(phase).filter(|phase| *phase > 0);
    let of = phase.zip(number(session)).ok_or(Problem::KeyLine)?;
    if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        Ok((of, key.to_owned()))
    } else {
        Err(Problem::Key)
    }
}
