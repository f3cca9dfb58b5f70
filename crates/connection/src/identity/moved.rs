//! An identity that was moved away: the text that is carried to another place, where a new identity
//! succeeds it.
//!
//! ```text
//! dealerless-moved-1 CHECKSUM
//! the identity, as it is kept (one line)
//! the statement of the identities that it has succeeded, or "-" (one line)
//! the known peers, as they are kept
//! ```
//!
//! The text is not an identity that a program loads to play. The open matches of the identity do not
//! move with it.

use std::path::Path;

use zeroize::Zeroizing;

use super::kept_identity::{self, IdentityError, KeptIdentity};
use super::keys::Identity;
use super::known_peers::{self, KnownPeers, PeersError};
use crate::hash::Hash;
use crate::hex;
use crate::storage::{MemoryVault, Vault};

const FIRST_WORD: &str = "dealerless-moved-1";
/// The maximum length of the text in bytes.
const MAX_TEXT: usize = known_peers::MAX_FILE + (32 << 10);

/// The text is not a moved identity.
#[derive(Debug, thiserror::Error)]
#[error("this is not a moved identity, or a part of it is missing or changed")]
pub struct NotMoved;

/// An identity that was moved away, as a text.
pub struct MovedIdentity {
    /// The identity. It can only be succeeded.
    pub kept: KeptIdentity,
    /// The known peers, as they are kept.
    known: String,
}

impl MovedIdentity {
    /// The maximum length of the text in bytes.
    pub const MAX_TEXT: usize = MAX_TEXT;

    /// Moves the identity away: from now on, it cannot be used to play where it is kept. Returns the
    /// text with the secret keys, for a program in which a new identity succeeds it. Another call
    /// returns the text again. The vault `successor` belongs to the identity.
    ///
    /// # Errors
    /// [`IdentityError::Succeeded`], or if the vault cannot be read or written.
    pub fn move_away(
        identity: &Identity,
        known: &KnownPeers,
        successor: &mut dyn Vault,
    ) -> Result<Zeroizing<String>, IdentityError> {
        kept_identity::leave(successor, identity.public())?;
        let own = identity.succession();
        let succession = match own.past().len() {
            0 => "-".to_owned(),
            _ => own.to_string(),
        };
        let known = known.text();
        // With this capacity, no copy of the secret is left behind.
        let mut text = Zeroizing::new(String::with_capacity(known.len() + (32 << 10)));
        text.push_str(&kept_identity::encode(identity));
        text.push_str(&succession);
        text.push('\n');
        text.push_str(&known);
        let mut whole = Zeroizing::new(String::with_capacity(text.len() + 64));
        whole.push_str(&format!("{FIRST_WORD} {}\n", checksum(&text)));
        whole.push_str(&text);
        Ok(whole)
    }

    #[cfg(not(target_family = "wasm"))]
    /// Whether a text begins as a moved identity does.
    pub(super) fn is_begun_by(text: &[u8]) -> bool {
        text.starts_with(FIRST_WORD.as_bytes())
    }

    /// Reads an output of [`move_away`](Self::move_away).
    ///
    /// # Errors
    /// If it is another text.
    pub fn parse(text: &str) -> Result<Self, NotMoved> {
        Self::read(text).ok_or(NotMoved)
    }

    fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let (first, rest) = text.split_once('\n')?;
        let sum = first.strip_prefix(FIRST_WORD)?.strip_prefix(' ')?;
        if checksum(rest) != sum {
            return None;
        }
        let (identity, rest) = rest.split_at(rest.find('\n')? + 1);
        let (succession, known) = rest.split_once('\n')?;
        let identity = kept_identity::decode(identity)?;
        let identity = match succession {
            "-" => identity,
            statement => identity.having_succeeded(statement.parse().ok()?)?,
        };
        Some(MovedIdentity {
            kept: KeptIdentity {
                identity,
                left: None,
            },
            known: known.to_owned(),
        })
    }

    /// The identity with what its place knows about its successor.
    ///
    /// # Errors
    /// If the vault cannot be read, or has another statement.
    pub fn with_successor(mut self, successor: &mut dyn Vault) -> Result<Self, IdentityError> {
        self.kept.left = kept_identity::left(successor, self.kept.identity.public())?;
        Ok(self)
    }

    /// The known peers of the identity.
    ///
    /// # Errors
    /// If a line is not valid.
    pub fn known_peers(&self) -> Result<KnownPeers, PeersError> {
        let mut vault = MemoryVault::default();
        let path = Path::new("the moved known peers");
        let kept = vault.keep(self.known.as_bytes());
        kept.map_err(|source| PeersError::Io {
            path: path.to_owned(),
            source,
        })?;
        let own = self.kept.identity.succession().clone();
        KnownPeers::open(Box::new(vault), path, own, || 0)
    }
}

fn checksum(text: &str) -> String {
    hex(&Hash::new("moved identity").field(text.as_bytes()).finish()[..8])
}
