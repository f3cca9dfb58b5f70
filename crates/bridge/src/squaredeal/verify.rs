//! Verifies that the published keys are those to which the organiser committed.

use super::{Description, Keys};

/// The comparison of the hash of the keys with the published hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHash {
    /// The keys match the published hash.
    Agrees,
    /// The keys do not match the published hash.
    Differs,
    /// No hash was published.
    Unpublished,
}

/// The comparison of a description with the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The comparison of the hashes.
    pub key_hash: KeyHash,
    /// The phases and sessions of the description that have no key. Session 0 stands for all
    /// sessions of a phase whose number of sessions was not known in advance.
    pub without_key: Vec<(u32, u32)>,
    /// The phases and sessions of keys that are not in the description.
    pub not_described: Vec<(u32, u32)>,
}

impl Verdict {
    /// Whether the hash matches, and exactly the sessions of the description have keys.
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
