//! Whether the published keys are those that the organiser was bound to.

use super::{Description, Keys};

/// What the hash of the keys says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHash {
    /// They are those whose hash was published.
    Agrees,
    /// They are others.
    Differs,
    /// No hash was published.
    Unpublished,
}

/// What a description and the keys say about each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the keys are those whose hash was published.
    pub key_hash: KeyHash,
    /// Phases and sessions of the description that have no key. The session 0 stands for all of a phase
    /// whose sessions were not counted before.
    pub without_key: Vec<(u32, u32)>,
    /// Phases and sessions of keys that the description does not have.
    pub not_described: Vec<(u32, u32)>,
}

impl Verdict {
    /// Whether all agrees.
    pub fn agrees(&self) -> bool {
        let is_complete = self.without_key.is_empty() && self.not_described.is_empty();
        is_complete && self.key_hash == KeyHash::Agrees
    }
}

/// Compares the keys with the description.
pub fn verify(description: &Description, keys: &Keys) -> Verdict {
    let key_hash = match description.key_hash() {
        None => KeyHash::Unpublished,
        Some(published) if published == keys.hash() => KeyHash::Agrees,
        Some(_) => KeyHash::Differs,
    };
    let phases = (1..).zip(description.phases());
    let described = phases.flat_map(|(number, phase)| phase.keys().map(move |key| (number, key)));
    let is_described = |&(phase, session): &(u32, u32)| {
        let phase = description.phases().get(phase as usize - 1);
        phase.is_some_and(|phase| phase.keys().contains(&session))
    };
    Verdict {
        key_hash,
        without_key: described
            .filter(|&(phase, key)| keys.get(phase, key).is_none())
            .collect(),
        not_described: keys.sessions().filter(|of| !is_described(of)).collect(),
    }
}
