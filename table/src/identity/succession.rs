//! A new machine: who had an old identity has a new one, and both say so.
//!
//! A *link* is the old identity, the new one, and a signature of each over both. With the old one's
//! signature nobody can take over the name of somebody else; with the new one's nobody can be made
//! the successor of keys that they never held. Links make a chain, from the oldest identity to the
//! current one.

use std::fmt;
use std::str::FromStr;

use super::keys::Identity;
use super::pasted::{Kind, Unread};
use super::public::{BadIdentity, BadSignature, PublicIdentity};
use crate::wire::{Malformed, Reader, Writer};

const KIND: Kind = Kind {
    word: "dealerlesssuccession",
    shown: "dealerless-succession",
    version: '1',
    checksum: "succession checksum",
    most: 16 << 10,
};

/// The uses of the two signatures.
const BY_OLD: &str = "succeed";
const BY_NEW: &str = "successor";

/// An identity and whom it has succeeded, if anybody.
///
/// A value of this type has been verified: all identities, both signatures of each link, and that no
/// two of the identities share a key.
///
/// As text it is one line, `dealerless-succession1-...`, with a checksum. It holds no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Succession {
    /// The oldest first.
    links: Vec<Link>,
    current: PublicIdentity,
}

/// One step of a chain, to the next identity in it.
#[derive(Clone, PartialEq, Eq)]
struct Link {
    old: PublicIdentity,
    by_old: [u8; 64],
    by_new: [u8; 64],
}

/// Something is no valid succession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSuccession {
    /// A text does not begin as one.
    #[error("this is no statement of a succession: it begins with dealerless-succession1-")]
    NoStatement,
    /// A newer program made it.
    #[error("a program of another version made this statement")]
    OtherVersion,
    /// A character is wrong, or the end is missing.
    #[error("the statement is mistyped or cut: copy it again")]
    Mistyped,
    /// The bytes have another form, or there are too many links.
    #[error(
        "a succession has another form, and at most {} links",
        Succession::MAX_LINKS
    )]
    Form,
    /// One of the identities is none.
    #[error("an identity in the succession is not valid")]
    Identity(#[from] BadIdentity),
    /// Two of the identities share a key.
    #[error("nobody can succeed themselves")]
    Circle,
    /// A signature does not fit.
    #[error("a succession that one of the two identities has not signed")]
    Signature,
}

impl Succession {
    /// The most links of a chain. An older link is left out.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const MAX_LINKS: usize = 8;
    /// The bytes of a link: the old identity, and two signatures.
    const LINK: usize = PublicIdentity::LEN + 64 + 64;
    /// What a chain takes in a meeting, however long it is: its length tells nothing.
    pub(crate) const PADDED: usize = 1 + Self::MAX_LINKS * Self::LINK;

    /// `old` is succeeded by `new`.
    ///
    /// # Errors
    /// [`BadSuccession::Circle`] if `new` was already there.
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
            let verify = || {
                old.verify(BY_OLD, &fields, &link.by_old)?;
                new.verify(BY_NEW, &fields, &link.by_new)
            };
            verify().map_err(|BadSignature| BadSuccession::Signature)?;
        }
        Ok(chain)
    }

    /// Who it is now.
    pub fn current(&self) -> &PublicIdentity {
        &self.current
    }

    /// Who it was, the oldest first. Nobody, for an identity that has succeeded none.
    pub fn past(&self) -> impl DoubleEndedIterator<Item = &PublicIdentity> + ExactSizeIterator {
        self.links.iter().map(|link| &link.old)
    }

    /// Who it was and who it is.
    pub(super) fn all(&self) -> impl Iterator<Item = &PublicIdentity> {
        self.past().chain([&self.current])
    }

    /// Each old identity with the one that has succeeded it.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&PublicIdentity, &PublicIdentity)> {
        self.past().zip(self.all().skip(1))
    }

    /// The one encoding: the current identity, the number of links, the links.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(&self.current.encode()).raw(&self.encode_links());
        writer.finish()
    }

    /// Reads a succession and verifies it.
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
        // There are at most eight.
        writer.u8(self.links.len() as u8);
        for link in &self.links {
            let old = link.old.encode();
            writer.raw(&old).raw(&link.by_old).raw(&link.by_new);
        }
        writer.finish()
    }

    /// The chain without its end, which the reader knows: the number of links, the links, and zeros
    /// up to [`PADDED`](Self::PADDED) bytes.
    pub(crate) fn padded(&self) -> Vec<u8> {
        let mut bytes = self.encode_links();
        bytes.resize(Self::PADDED, 0);
        bytes
    }

    /// The chain that [`padded`](Self::padded) has written, and that ends here.
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

/// Nothing is allocated for links that have not come.
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

/// An identity that has succeeded nobody.
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
        let contents = KIND.read(text).map_err(|unread| match unread {
            Unread::Another => BadSuccession::NoStatement,
            Unread::OtherVersion => BadSuccession::OtherVersion,
            Unread::Mistyped => BadSuccession::Mistyped,
        })?;
        Self::decode(&contents)
    }
}

impl fmt::Debug for Succession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}
