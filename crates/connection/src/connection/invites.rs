//! The file with a host's invites. Each invite belongs to the first guest that uses it.

use std::collections::HashSet;
use std::io::{self, ErrorKind};

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::invite::{Invite, InviteId, InviteSecret};
use crate::hash::Hash;
use crate::identity::{Address, PublicIdentity, base32};
use crate::random::system_rng;
use crate::storage::Vault;

const FIRST_LINE: &str = "# dealerless invites 1";
/// The maximum number of invites. If a new invite exceeds this number, the oldest invite is
/// revoked.
const MAX_INVITES: usize = 64;
/// The maximum number of first handshake messages that the host answers for one invite. An honest
/// guest needs far fewer.
const MAX_SEEN: usize = 1 << 14;

/// The invites of a host, and the file that holds them.
pub struct Invites {
    file: Box<dyn Vault>,
    entries: Vec<Entry>,
}

struct Entry {
    secret: InviteSecret,
    id: InviteId,
    /// The guest that the invite belongs to. `None` if the invite is unused.
    guest: Option<PublicIdentity>,
    /// The hashes of the first handshake messages that were answered. They are not in the file.
    seen: HashSet<[u8; 32]>,
}

/// The result of [`Invites::burn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Burned {
    /// The invite was unused and now belongs to the guest.
    Now,
    /// The invite already belonged to the guest.
    Before,
    /// The invite belongs to another guest.
    ByAnother,
}

impl Invites {
    /// Reads the invites in `file`.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn open(mut file: Box<dyn Vault>) -> io::Result<Self> {
        let damaged = || io::Error::new(ErrorKind::InvalidData, "the file of invites is damaged");
        let bytes = file.kept()?.unwrap_or_default();
        let text = str::from_utf8(&bytes).map_err(|_| damaged())?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entries: Option<Vec<Entry>> = lines.map(Entry::of_line).collect();
        Ok(Invites {
            file,
            entries: entries.ok_or_else(damaged)?,
        })
    }

    /// Creates an invite of the host `own`, with these addresses and relay. The invite is on the disk when
    /// this returns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn invite(
        &mut self,
        own: &PublicIdentity,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> io::Result<Invite> {
        let secret = self.add(&mut system_rng())?;
        Ok(Invite::new(*own.x25519(), secret, addresses, relay))
    }

    /// Creates an invite and writes it to the file.
    pub(super) fn add(&mut self, rng: &mut impl CryptoRng) -> io::Result<InviteSecret> {
        let secret = InviteSecret::new(rng);
        self.entries.push(Entry::new(secret.clone(), None));
        let excess = self.entries.len().saturating_sub(MAX_INVITES);
        let revoked: Vec<Entry> = self.entries.drain(..excess).collect();
        self.save().inspect_err(|_| {
            self.entries.pop();
            self.entries.splice(..0, revoked);
        })?;
        Ok(secret)
    }

    /// The secret of an invite. `None` if the invite is unknown or was revoked.
    pub(super) fn secret(&self, id: &InviteId) -> Option<InviteSecret> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        Some(entry.secret.clone())
    }

    /// Whether no guest has used an invite.
    pub(super) fn is_unused(&self, id: &InviteId) -> bool {
        let is_unused = |entry: &Entry| entry.id == *id && entry.guest.is_none();
        self.entries.iter().any(is_unused)
    }

    /// Records a first handshake message that was verified with the secret of the invite. Returns
    /// `true` if the message is new and may be answered.
    pub(super) fn is_fresh(&mut self, id: &InviteId, message: &[u8]) -> bool {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == *id) else {
            return false;
        };
        let hash = Hash::new("first message").field(message).finish();
        entry.seen.len() < MAX_SEEN && entry.seen.insert(hash)
    }

    /// Assigns an unused invite to `guest`, whose identity was verified. The assignment is on disk
    /// before this method returns. Fails with [`ErrorKind::NotFound`] if the invite is unknown.
    pub(super) fn burn(&mut self, id: &InviteId, guest: &PublicIdentity) -> io::Result<Burned> {
        let index = self.entries.iter().position(|entry| entry.id == *id);
        let index = index.ok_or(ErrorKind::NotFound)?;
        match &self.entries[index].guest {
            Some(holder) if holder == guest => Ok(Burned::Before),
            Some(_) => Ok(Burned::ByAnother),
            None => {
                self.entries[index].guest = Some(guest.clone());
                self.save()
                    .inspect_err(|_| self.entries[index].guest = None)?;
                Ok(Burned::Now)
            }
        }
    }

    /// Revokes an invite. A guest that uses the invite afterwards receives no answer.
    #[cfg(feature = "internals")]
    pub(crate) fn end(&mut self, id: &InviteId) -> io::Result<()> {
        self.entries.retain(|entry| entry.id != *id);
        self.save()
    }

    fn save(&mut self) -> io::Result<()> {
        let mut text = Zeroizing::new(String::from(FIRST_LINE));
        for entry in &self.entries {
            let guest = entry
                .guest
                .as_ref()
                .map(|guest| base32::encode(&guest.encode()));
            let secret = Zeroizing::new(base32::encode(&*entry.secret.0));
            for part in ["\nsecret=", &secret, " guest=", &guest.unwrap_or_default()] {
                text.push_str(part);
            }
        }
        text.push('\n');
        self.file.keep(text.as_bytes())
    }
}

impl Entry {
    fn new(secret: InviteSecret, guest: Option<PublicIdentity>) -> Self {
        let id = secret.id();
        Entry {
            secret,
            id,
            guest,
            seen: HashSet::new(),
        }
    }

    fn of_line(line: &str) -> Option<Self> {
        let (secret, guest) = line.strip_prefix("secret=")?.split_once(" guest=")?;
        let secret = Zeroizing::new(base32::decode(secret)?);
        let secret = InviteSecret(Zeroizing::new(secret.as_slice().try_into().ok()?));
        let guest = match guest {
            "" => None,
            text => Some(PublicIdentity::decode(&base32::decode(text)?).ok()?),
        };
        Some(Entry::new(secret, guest))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::identity::Identity;
    use crate::storage::FileVault;

    fn in_file(path: PathBuf) -> io::Result<Invites> {
        Invites::open(Box::new(FileVault(path)))
    }

    #[test]
    fn an_invite_belongs_to_its_first_guest_even_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || in_file(folder.path().join("invites")).unwrap();
        let [a, b] = [1, 2].map(|seed| Identity::from_seed([seed; 32]).public().clone());
        let id = open().add(&mut rand::rng()).unwrap().id();
        assert!(open().secret(&id).is_some());
        assert_eq!(open().burn(&id, &a).unwrap(), Burned::Now);
        assert_eq!(open().burn(&id, &a).unwrap(), Burned::Before);
        assert_eq!(open().burn(&id, &b).unwrap(), Burned::ByAnother);
        open().end(&id).unwrap();
        assert!(open().secret(&id).is_none());
        assert!(open().burn(&id, &a).is_err());
    }

    #[test]
    fn a_first_message_is_answered_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut invites = in_file(folder.path().join("invites")).unwrap();
        let id = invites.add(&mut rand::rng()).unwrap().id();
        assert!(invites.is_fresh(&id, b"one"));
        assert!(!invites.is_fresh(&id, b"one"));
        assert!(invites.is_fresh(&id, b"two"));
        assert!(!invites.is_fresh(&[0; 8], b"one"));
    }

    #[test]
    fn oldest_invite_over_the_maximum_stays_revoked_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invites");
        let mut invites = in_file(path.clone()).unwrap();
        let oldest = invites.add(&mut rand::rng()).unwrap().id();
        for _ in 0..MAX_INVITES {
            invites.add(&mut rand::rng()).unwrap();
        }
        assert!(invites.secret(&oldest).is_none());
        let again = in_file(path).unwrap();
        assert_eq!(again.entries.len(), MAX_INVITES);
        assert!(again.secret(&oldest).is_none());
        // If the file cannot be written, the new invite is dropped and no old invite is revoked.
        invites.file = Box::new(FileVault(folder.path().join("nowhere/invites")));
        let before: Vec<InviteId> = invites.entries.iter().map(|entry| entry.id).collect();
        assert!(invites.add(&mut rand::rng()).is_err());
        assert!(invites.entries.iter().map(|entry| entry.id).eq(before));
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invites");
        in_file(path.clone())
            .unwrap()
            .add(&mut rand::rng())
            .unwrap();
        let text = std::fs::read_to_string(&path)
            .unwrap()
            .replace("guest=", "guest=0");
        std::fs::write(&path, text).unwrap();
        assert!(in_file(path).is_err());
    }
}
