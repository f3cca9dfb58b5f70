//! Successions: signed statements that a new identity, for example on a new machine, belongs to the
//! same person as an old one and replaces it.
//!
//! A *link* is the old identity, the new identity, and a signature by each of them over both. The
//! signature by the old identity prevents others from taking over its name. The signature by the
//! new identity prevents others from naming it as the successor of their keys. Links form a chain,
//! from the oldest identity to the current one.

use std::fmt;
use std::str::FromStr;

use super::keys::Identity;
use super::pasted::{BadText, Kind};
use super::public::{BadIdentity, PublicIdentity};
use crate::wire::{Malformed, Reader, Writer};

const KIND: Kind = Kind {
    word: "dealerlesssuccession",
    shown: "dealerless-succession",
    version: '1',
    checksum: "succession checksum",
    max_len: 16 << 10,
};

/// The tags of the signatures by the old and by the new identity.
const BY_OLD: &str = "succeed";
const BY_NEW: &str = "successor";

/// An identity and the identities that it succeeded, if any.
///
/// A value of this type has been verified: all identities are valid, both signatures of each link
/// are valid, and no two of the identities share a key.
///
/// As text it is one line, `dealerless-succession1-...`, with a checksum. It contains no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Succession {
    /// The links, the oldest first.
    links: Vec<Link>,
    current: PublicIdentity,
}

/// A link of a chain. The new identity is `old` in the next link, or `current` after the last link.
#[derive(Clone, PartialEq, Eq)]
struct Link {
    old: PublicIdentity,
    by_old: [u8; 64],
    by_new: [u8; 64],
}

/// The succession is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSuccession {
    /// The text is not a succession statement.
    #[error("this is not a succession statement: it must start with dealerless-succession1-")]
    NoStatement,
    /// The statement was made by a program of another version.
    #[error("this statement was made by a program of another version")]
    OtherVersion,
    /// A character is wrong, or the end is missing.
    #[error("the statement is mistyped or truncated: copy it again")]
    Mistyped,
    /// The encoding is not valid, or there are too many links.
    #[error(
        "invalid encoding of a succession, or more than {} links",
        Succession::MAX_LINKS
    )]
    Form,
    /// One of the identities is not valid.
    #[error("invalid identity in the succession")]
    Identity(#[from] BadIdentity),
    /// Two of the identities share a key.
    #[error("an identity cannot succeed itself")]
    Circle,
    /// A signature is not valid.
    #[error("invalid signature in the succession")]
    Signature,
}

impl Succession {
    /// The maximum number of links in a chain. Older links are dropped.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const MAX_LINKS: usize = 8;
    /// The length of a link in bytes: the old identity and two signatures.
    const LINK: usize = PublicIdentity::LEN + 64 + 64;
    /// The length in bytes of every chain that is sent in a meeting. It does not reveal the number
    /// of links.
    pub(crate) const PADDED: usize = 1 + Self::MAX_LINKS * Self::LINK;

    /// Creates the succession of `old` by `new`.
    ///
    /// # Errors
    /// [`BadSuccession::Circle`] if `new` is already in the chain.
    pub(super) fn new(old: &Identity, new: &Identity) -> Result<Self, BadSuccession> {
        let both = [old.public().encode(), new.public().encode()];
        let fields = [&both[0][..], &both[1]];
        let mut links = old.succession().links.clone();
        links.push(Link {
            old: old.public().clone(),
            by_old: old.sign(BY_OLD, &fields),
            by_new: new.sign(BY_NEW, &fields),
        });
        links.drain(..links.len().saturating_sub(Self::MAX_LINKS));
        Self::verified(links, new.public().clone())
    }

    fn verified(links: Vec<Link>, current: PublicIdentity) -> Result<Self, BadSuccession> {
        let chain = Succession { links, current };
        let all: Vec<_> = chain.all().collect();
        for (at, one) in all.iter().enumerate() {
            if all[..at].iter().any(|other| one.shares_a_key_with(other)) {
                return Err(BadSuccession::Circle);
            }
        }
        for (link, (old, new)) in chain.links.iter().zip(chain.steps()) {
            let both = [old.encode(), new.encode()];
            let fields = [&both[0][..], &both[1]];
            if !old.has_signed(BY_OLD, &fields, &link.by_old)
                || !new.has_signed(BY_NEW, &fields, &link.by_new)
            {
                return Err(BadSuccession::Signature);
            }
        }
        Ok(chain)
    }

    /// The current identity.
    pub fn current(&self) -> &PublicIdentity {
        &self.current
    }

    /// The past identities, the oldest first. Empty for an identity that has succeeded no other.
    pub fn past(&self) -> impl DoubleEndedIterator<Item = &PublicIdentity> + ExactSizeIterator {
        self.links.iter().map(|link| &link.old)
    }

    /// The past identities, followed by the current one.
    pub(super) fn all(&self) -> impl Iterator<Item = &PublicIdentity> {
        self.past().chain([&self.current])
    }

    /// Each past identity with its successor.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&PublicIdentity, &PublicIdentity)> {
        self.past().zip(self.all().skip(1))
    }

    /// The canonical encoding: the current identity, the number of links, the links.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(&self.current.encode()).raw(&self.encode_links());
        writer.finish()
    }

    /// Decodes and verifies a succession.
    ///
    /// # Errors
    /// [`BadSuccession`].
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BadSuccession> {
        let mut reader = Reader::new(bytes);
        let current = identity(&mut reader)?;
        let links = links(&mut reader)?;
        reader.finish()?;
        Self::verified(links, current)
    }

    fn encode_links(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u8(self.links.len() as u8);
        for link in &self.links {
            let old = link.old.encode();
            writer.raw(&old).raw(&link.by_old).raw(&link.by_new);
        }
        writer.finish()
    }

    /// Encodes the chain without the current identity, which the receiver already knows: the number
    /// of links, the links, and zeros up to [`PADDED`](Self::PADDED) bytes.
    pub(crate) fn padded(&self) -> Vec<u8> {
        let mut bytes = self.encode_links();
        bytes.resize(Self::PADDED, 0);
        bytes
    }

    /// Decodes an output of [`padded`](Self::padded), for a chain that ends with `current`.
    pub(crate) fn of_padded(bytes: &[u8], current: PublicIdentity) -> Result<Self, BadSuccession> {
        let mut reader = Reader::new(bytes);
        let links = links(&mut reader)?;
        let padding = reader.raw((Self::MAX_LINKS - links.len()) * Self::LINK)?;
        reader.finish()?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(BadSuccession::Form);
        }
        Self::verified(links, current)
    }
}

fn identity(reader: &mut Reader) -> Result<PublicIdentity, BadSuccession> {
    Ok(PublicIdentity::decode(reader.raw(PublicIdentity::LEN)?)?)
}

/// Decodes links. Never allocates memory for a count that exceeds the input.
fn links(reader: &mut Reader) -> Result<Vec<Link>, BadSuccession> {
    let count = usize::from(reader.u8()?);
    if count > Succession::MAX_LINKS {
        return Err(BadSuccession::Form);
    }
    let mut links = Vec::new();
    for _ in 0..count {
        links.push(Link {
            old: identity(reader)?,
            by_old: reader.array()?,
            by_new: reader.array()?,
        });
    }
    Ok(links)
}

/// An identity that has succeeded no other.
impl From<PublicIdentity> for Succession {
    fn from(current: PublicIdentity) -> Self {
        Succession {
            links: Vec::new(),
            current,
        }
    }
}

impl From<Malformed> for BadSuccession {
    fn from(_: Malformed) -> Self {
        BadSuccession::Form
    }
}

impl fmt::Display for Succession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&KIND.write(&self.encode()))
    }
}

impl FromStr for Succession {
    type Err = BadSuccession;

    fn from_str(text: &str) -> Result<Self, BadSuccession> {
        let contents = KIND.read(text).map_err(|bad| match bad {
            BadText::NotThisKind => BadSuccession::NoStatement,
            BadText::OtherVersion => BadSuccession::OtherVersion,
            BadText::Mistyped => BadSuccession::Mistyped,
        })?;
        Self::decode(&contents)
    }
}

impl fmt::Debug for Succession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}
