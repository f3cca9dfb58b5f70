//! The file with a host's invites. A *one-time invite* belongs to the first guest that uses it. The
//! *link* of a table serves any number of guests: it admits nobody, and lets a program ask.

use std::collections::HashSet;
use std::io::{self, ErrorKind};

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::error::MeetingError;
use super::invite::{Invite, InviteId, InviteSecret};
use crate::hash::Hash;
use crate::identity::{Address, PublicIdentity, base32};
use crate::random::system_rng;
use crate::storage::Vault;

const FIRST_LINE: &str = "# dealerless invites 2";
/// The maximum number of invites. If a new invite exceeds this number, the oldest invite is
/// revoked.
const MAX_INVITES: usize = 64;
/// The maximum number of first handshake messages that the host answers for one invite. An honest
/// guest needs far fewer, and a table has few guests.
const MAX_SEEN: usize = 1 << 14;

/// The invites of a host, and the file that holds them.
pub struct Invites {
    file: Box<dyn Vault>,
    entries: Vec<Entry>,
}

struct Entry {
    secret: InviteSecret,
    id: InviteId,
    serves: Serves,
    /// The hashes of the first handshake messages that were answered. They are not in the file.
    seen: HashSet<[u8; 32]>,
}

/// Whom an invite serves.
#[derive(PartialEq, Eq)]
enum Serves {
    /// One guest. `None` if no guest has used the invite.
    Guest(Option<PublicIdentity>),
    /// All guests of the table with this id.
    Table([u8; 32]),
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

    /// Creates a one-time invite of the host `own`, with these addresses and relay. The invite is on the disk
    /// when this returns. The links of tables end.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn invite(
        &mut self,
        own: &PublicIdentity,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> io::Result<Invite> {
        self.end_tables();
        let secret = self.add(Serves::Guest(None), &mut system_rng())?;
        Ok(Invite::new(*own.x25519(), secret, addresses, relay))
    }

    /// Returns the link of the table with the id `table`, with these addresses and relay: the link that the
    /// table already has, or otherwise a new one, which is on the disk when this returns. The links of other
    /// tables end.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn table_link(
        &mut self,
        own: &PublicIdentity,
        addresses: Vec<Address>,
        relay: Option<Address>,
        table: [u8; 32],
    ) -> io::Result<Invite> {
        let serves = Serves::Table(table);
        let known = self.entries.iter().find(|entry| entry.serves == serves);
        let secret = match known {
            Some(entry) => entry.secret.clone(),
            None => {
                self.end_tables();
                self.add(serves, &mut system_rng())?
            }
        };
        Ok(Invite::new(*own.x25519(), secret, addresses, relay))
    }

    /// Forgets the links of earlier tables. Otherwise their holders could come to what this host opens now.
    fn end_tables(&mut self) {
        let is_link = |entry: &Entry| matches!(entry.serves, Serves::Table(_));
        self.entries.retain(|entry| !is_link(entry));
    }

    /// Creates an invite and writes it to the file.
    fn add(&mut self, serves: Serves, rng: &mut impl CryptoRng) -> io::Result<InviteSecret> {
        let secret = InviteSecret::new(rng);
        self.entries.push(Entry::new(secret.clone(), serves));
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

    /// Whether an invite is the link of a table.
    pub(super) fn is_table_link(&self, id: &InviteId) -> bool {
        let is_it = |entry: &Entry| entry.id == *id && matches!(entry.serves, Serves::Table(_));
        self.entries.iter().any(is_it)
    }

    /// Whether an invite serves another guest: the link of a table, or a one-time invite that is unused.
    pub(super) fn is_unused(&self, id: &InviteId) -> bool {
        let is_used = |entry: &Entry| matches!(entry.serves, Serves::Guest(Some(_)));
        let is_unused = |entry: &Entry| entry.id == *id && !is_used(entry);
        self.entries.iter().any(is_unused)
    }

    fn index(&self, id: &InviteId) -> Result<usize, MeetingError> {
        let index = self.entries.iter().position(|entry| entry.id == *id);
        index.ok_or(MeetingError::NotAnswered)
    }

    /// Records a first handshake message that was verified with the secret of the invite, and may be answered.
    ///
    /// # Errors
    /// [`MeetingError::NotAnswered`] if the invite is unknown, [`MeetingError::Broken`] if the message was
    /// answered before or is one too many, [`MeetingError::LinkUsedUp`] if it is one too many for the link of
    /// a table. The link is unknown then.
    pub(super) fn answer(&mut self, id: &InviteId, message: &[u8]) -> Result<(), MeetingError> {
        let index = self.index(id)?;
        let entry = &mut self.entries[index];
        let hash = Hash::new("first message").field(message).finish();
        if entry.seen.len() < MAX_SEEN {
            return match entry.seen.insert(hash) {
                true => Ok(()),
                false => Err(MeetingError::Broken("repeated first message")),
            };
        }
        if let Serves::Table(_) = entry.serves {
            self.entries.remove(index);
            return Err(MeetingError::LinkUsedUp(*id));
        }
        Err(MeetingError::Broken("too many first messages"))
    }

    /// Assigns an unused one-time invite to `guest`, whose identity was verified. The assignment is on disk
    /// before this method returns. Returns the guest that the invite belongs to, if that is another one.
    ///
    /// # Errors
    /// [`MeetingError::NotAnswered`] if the invite is unknown, [`MeetingError::Invites`] if the file cannot be
    /// written.
    pub(super) fn burn(
        &mut self,
        id: &InviteId,
        guest: &PublicIdentity,
    ) -> Result<Option<PublicIdentity>, MeetingError> {
        let index = self.index(id)?;
        if let Serves::Guest(holder) = &mut self.entries[index].serves {
            if let Some(holder) = &*holder {
                return Ok(Some(holder.clone()).filter(|holder| holder != guest));
            }
            *holder = Some(guest.clone());
            self.save().map_err(|error| {
                self.entries[index].serves = Serves::Guest(None);
                MeetingError::Invites(error)
            })?;
        }
        Ok(None)
    }

    /// Revokes an invite: from now on, its holders receive no answer, and doors do not wait for them.
    ///
    /// # Errors
    /// If the file cannot be written. The invite is valid again when it is read the next time.
    pub fn end(&mut self, invite: &Invite) -> io::Result<()> {
        let id = invite.secret.id();
        self.entries.retain(|entry| entry.id != id);
        self.save()
    }

    fn save(&mut self) -> io::Result<()> {
        let mut text = Zeroizing::new(String::from(FIRST_LINE));
        for entry in &self.entries {
            let (key, value) = match &entry.serves {
                Serves::Guest(None) => (" guest=", String::new()),
                Serves::Guest(Some(guest)) => (" guest=", base32::encode(&guest.encode())),
                Serves::Table(table) => (" table=", base32::encode(table)),
            };
            let secret = Zeroizing::new(base32::encode(&*entry.secret.0));
            for part in ["\nsecret=", &secret, key, &value] {
                text.push_str(part);
            }
        }
        text.push('\n');
        self.file.keep(text.as_bytes())
    }
}

impl Entry {
    fn new(secret: InviteSecret, serves: Serves) -> Self {
        let id = secret.id();
        Entry {
            secret,
            id,
            serves,
            seen: HashSet::new(),
        }
    }

    fn of_line(line: &str) -> Option<Self> {
        let (secret, serves) = line.strip_prefix("secret=")?.split_once(' ')?;
        let secret = Zeroizing::new(base32::decode(secret)?);
        let secret = InviteSecret(Zeroizing::new(secret.as_slice().try_into().ok()?));
        let serves = match serves.split_once('=')? {
            ("guest", "") => Serves::Guest(None),
            ("guest", guest) => {
                let guest = PublicIdentity::decode(&base32::decode(guest)?);
                Serves::Guest(Some(guest.ok()?))
            }
            ("table", table) => Serves::Table(base32::decode(table)?.try_into().ok()?),
            _ => return None,
        };
        Some(Entry::new(secret, serves))
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

    fn identity(seed: u8) -> PublicIdentity {
        Identity::from_seed([seed; 32]).public().clone()
    }

    /// Creates a one-time invite.
    fn invite(invites: &mut Invites) -> Invite {
        invites.invite(&identity(1), Vec::new(), None).unwrap()
    }

    /// The link of a table.
    fn link(invites: &mut Invites, table: u8) -> Invite {
        let link = invites.table_link(&identity(1), Vec::new(), None, [table; 32]);
        link.unwrap()
    }

    #[test]
    fn an_invite_belongs_to_its_first_guest_even_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || in_file(folder.path().join("invites")).unwrap();
        let [a, b] = [2, 3].map(identity);
        let invite = invite(&mut open());
        let id = invite.secret.id();
        assert!(open().is_unused(&id) && !open().is_table_link(&id));
        assert_eq!(open().burn(&id, &a).unwrap(), None);
        assert_eq!(open().burn(&id, &a).unwrap(), None);
        assert_eq!(open().burn(&id, &b).unwrap(), Some(a.clone()));
        assert!(!open().is_unused(&id));
        open().end(&invite).unwrap();
        assert!(open().secret(&id).is_none());
        assert!(open().burn(&id, &a).is_err());
    }

    #[test]
    fn a_link_serves_all_guests_of_its_table_until_it_is_replaced_even_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invites");
        let open = || in_file(path.clone()).unwrap();
        let other = link(&mut open(), 7);
        let old = link(&mut open(), 8);
        // A host has one table.
        assert!(open().secret(&other.secret.id()).is_none());
        let written = std::fs::read(&path).unwrap();
        for guest in [2, 3, 4].map(identity) {
            assert_eq!(open().burn(&old.secret.id(), &guest).unwrap(), None);
        }
        assert!(open().is_unused(&old.secret.id()) && open().is_table_link(&old.secret.id()));
        assert_eq!(std::fs::read(&path).unwrap(), written);
        assert_eq!(link(&mut open(), 8).to_string(), old.to_string());
        open().end(&old).unwrap();
        let new = link(&mut open(), 8);
        assert_ne!(new.to_string(), old.to_string());
        assert!(!open().is_unused(&old.secret.id()));
        assert!(matches!(
            open().burn(&old.secret.id(), &identity(2)),
            Err(MeetingError::NotAnswered)
        ));
        // A match of two ends the table.
        let one_time = invite(&mut open());
        assert!(open().secret(&new.secret.id()).is_none());
        assert!(open().secret(&one_time.secret.id()).is_some());
    }

    #[test]
    fn a_first_message_is_answered_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut invites = in_file(folder.path().join("invites")).unwrap();
        for id in [invite(&mut invites), link(&mut invites, 7)].map(|invite| invite.secret.id()) {
            assert!(invites.answer(&id, b"one").is_ok());
            let again = invites.answer(&id, b"one");
            assert!(matches!(again, Err(MeetingError::Broken(_))));
            assert!(invites.answer(&id, b"two").is_ok());
        }
        let unknown = invites.answer(&[0; 8], b"one");
        assert!(matches!(unknown, Err(MeetingError::NotAnswered)));
    }

    #[test]
    fn a_link_ends_after_the_maximum_number_of_first_messages_and_its_table_gets_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut invites = in_file(folder.path().join("invites")).unwrap();
        let (once, old) = (invite(&mut invites), link(&mut invites, 7));
        for number in 0..MAX_SEEN {
            for invite in [&once, &old] {
                let id = invite.secret.id();
                invites.answer(&id, &number.to_le_bytes()).unwrap();
            }
        }
        let mut last = |invite: &Invite| invites.answer(&invite.secret.id(), b"last").unwrap_err();
        assert!(matches!(last(&once), MeetingError::Broken(_)));
        assert!(matches!(last(&old), MeetingError::LinkUsedUp(id) if id == old.secret.id()));
        assert!(matches!(last(&old), MeetingError::NotAnswered));
        let new = link(&mut invites, 7);
        assert!(invites.answer(&new.secret.id(), b"one").is_ok());
        assert!(invites.secret(&once.secret.id()).is_some());
        let again = in_file(folder.path().join("invites")).unwrap();
        assert!(again.secret(&old.secret.id()).is_none());
    }

    #[test]
    fn oldest_invite_over_the_maximum_stays_revoked_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invites");
        let mut invites = in_file(path.clone()).unwrap();
        let oldest = invite(&mut invites).secret.id();
        for _ in 0..MAX_INVITES {
            invite(&mut invites);
        }
        assert!(invites.secret(&oldest).is_none());
        let again = in_file(path).unwrap();
        assert_eq!(again.entries.len(), MAX_INVITES);
        assert!(again.secret(&oldest).is_none());
        // If the file cannot be written, the new invite is dropped and no old invite is revoked.
        invites.file = Box::new(FileVault(folder.path().join("nowhere/invites")));
        let before: Vec<InviteId> = invites.entries.iter().map(|entry| entry.id).collect();
        assert!(invites.invite(&identity(1), Vec::new(), None).is_err());
        assert!(invites.entries.iter().map(|entry| entry.id).eq(before));
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("invites");
        let mut invites = in_file(path.clone()).unwrap();
        invite(&mut invites);
        link(&mut invites, 7);
        let text = std::fs::read_to_string(&path).unwrap();
        for (written, damaged) in [
            ("guest=", "guest=0"),
            ("guest=", "host="),
            ("table=", "table=aa"),
            ("secret=", "secret=0"),
        ] {
            std::fs::write(&path, text.replace(written, damaged)).unwrap();
            assert!(in_file(path.clone()).is_err(), "{damaged}");
        }
    }
}
