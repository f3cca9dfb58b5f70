//! What a player keeps: the identity, the known peers, the files and the settings.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use dealerless_connection::identity::{
    Address, Identity, IdentityError, IdentityVaults, KnownPeers, Left, Name, PublicIdentity,
    Recognised, SharedPeers,
};
use dealerless_connection::storage::Vault;
use dealerless_connection::{
    Credentials, Invite, Invites, Place, PolledConnection, Side, system_rng,
};
use dealerless_table::play::TableTerms;
use serde::{Deserialize, Serialize};

use super::page::KeptHost;
use super::playing::ValueOf;
use super::world::{Files, SeatWorld, World};
use crate::event::Event;
use crate::json;
use crate::peers::{self, Leaks, MetPeer};

/// The identity, the known peers, the invites and the files of a player.
#[derive(Clone)]
pub struct Stored<F> {
    /// The files of the matches.
    pub files: F,
    /// The identity.
    pub identity: Arc<Identity>,
    /// The known peers.
    pub peers: SharedPeers,
    /// The invites.
    pub invites: Arc<Mutex<Invites>>,
    /// The name of the player.
    pub name: Name,
}

impl<F> Stored<F> {
    /// The public keys and the name of this player.
    pub fn player(&self) -> (&PublicIdentity, &Name) {
        (self.identity.public(), &self.name)
    }

    /// The identity and the name that this player sends in a meeting.
    pub fn credentials(&self) -> Credentials {
        Credentials {
            identity: Arc::clone(&self.identity),
            name: self.name.clone(),
        }
    }
}

/// The player of a program, and the world around it.
pub struct Own<W: SeatWorld> {
    /// The world.
    pub world: W,
    stored: Stored<W::Files>,
    pub(super) leaks: Arc<Mutex<Leaks>>,
    /// Whether the identity was moved away.
    is_moved: bool,
    settings: Settings,
    /// The value of the settings. `None` in a program that keeps relays with its known peers.
    file: Option<ValueOf<W>>,
}

impl<W: SeatWorld> Deref for Own<W> {
    type Target = Stored<W::Files>;

    fn deref(&self) -> &Stored<W::Files> {
        &self.stored
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Settings {
    name: String,
    /// The relay of each host, by its fingerprint: a URL.
    relays: BTreeMap<String, String>,
    /// The host that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hosting: Option<KeptHost>,
}

impl Settings {
    /// Reads the settings. Damaged settings are reset: the player enters the name again, and links name the
    /// relays. An error would stop the player from playing and from resuming matches.
    fn read<W: World>(world: &W, file: &mut ValueOf<W>) -> io::Result<Self> {
        let settings = match file.kept() {
            Ok(None) => return Ok(Settings::default()),
            Ok(Some(bytes)) => json::read(&bytes).map_err(|_| ErrorKind::InvalidData.into()),
            Err(error) => Err(error),
        };
        match settings {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                world.log("The settings were damaged. They are reset.");
                file.destroy()?;
                Ok(Settings::default())
            }
            settings => settings,
        }
    }
}

impl<W: World> Own<W> {
    /// Reads what the player of a page has kept. At the first visit, makes an identity.
    ///
    /// # Errors
    /// If a file is damaged, or cannot be read or written.
    pub(super) fn open(world: W) -> anyhow::Result<Self> {
        let rng = &mut system_rng();
        let files = world.files();
        let kept = IdentityVaults {
            identity: &mut value(&files, "identity")?,
            succession: &mut value(&files, "succession")?,
            successor: &mut value(&files, "successor")?,
        }
        .load_or_create(rng)
        .context("cannot read the identity")?;
        // Its player can still read and save the records.
        let is_moved = matches!(kept.left, Some(Left::Moved));
        let identity = if is_moved {
            kept.identity
        } else {
            kept.to_play()?
        };
        let peers = SharedPeers::new(kept_peers(&files, &identity)?);
        let leaks = Arc::new(Mutex::new(Leaks::new(peers.clone())));
        let invites = Box::new(
            files
                .open_value("invites")
                .context("cannot open the invites")?,
        );
        let invites = Invites::open(invites).context("cannot read the invites")?;
        let mut file = files
            .open_value("settings")
            .context("cannot open the settings")?;
        let settings = Settings::read(&world, &mut file).context("cannot read the settings")?;
        Ok(Own {
            world,
            stored: Stored {
                files,
                identity: Arc::new(identity),
                peers,
                invites: Arc::new(Mutex::new(invites)),
                name: Name::clean(&settings.name),
            },
            leaks,
            is_moved,
            settings,
            file: Some(file),
        })
    }
}

/// Reads the known peers of an identity.
///
/// # Errors
/// If they are damaged, or cannot be read.
pub(super) fn kept_peers<F: Files>(files: &F, identity: &Identity) -> anyhow::Result<KnownPeers> {
    let peers = Box::new(
        files
            .open_value("peers")
            .context("cannot open the known peers")?,
    );
    let own = identity.succession().clone();
    let peers = KnownPeers::open(
        peers,
        std::path::Path::new("the file of known peers"),
        own,
        F::unix,
    );
    peers.context("cannot read the known peers")
}

impl<W: SeatWorld> Own<W> {
    /// The player of a program that keeps relays with its known peers.
    pub fn new(world: W, stored: Stored<W::Files>) -> Self {
        let leaks = Arc::new(Mutex::new(Leaks::new(stored.peers.clone())));
        Own {
            world,
            stored,
            leaks,
            is_moved: false,
            settings: Settings::default(),
            file: None,
        }
    }

    /// Tells the player something.
    pub fn notice(&self, text: impl Into<String>) {
        self.world.report(&Event::notice(text));
    }

    /// Creates an invite of this player.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn invite(
        &self,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> anyhow::Result<Invite> {
        let mut invites = self.invites.lock().unwrap_or_else(PoisonError::into_inner);
        let invite = invites.invite(self.identity.public(), addresses, relay);
        invite.context("cannot use the file of invites")
    }

    /// Returns the link of a table of this player: the one that it has, or otherwise a new one.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn table_link(
        &self,
        table: &TableTerms,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> anyhow::Result<Invite> {
        let mut invites = self.invites.lock().unwrap_or_else(PoisonError::into_inner);
        let link = invites.table_link(
            self.identity.public(),
            addresses,
            relay,
            *table.id.as_bytes(),
        );
        link.context("cannot use the file of invites")
    }

    /// Revokes the link of a table.
    ///
    /// # Errors
    /// If the file of invites cannot be written.
    pub(super) fn end_link(&self, link: &Invite) -> anyhow::Result<()> {
        let mut invites = self.invites.lock().unwrap_or_else(PoisonError::into_inner);
        invites.end(link).context("cannot use the file of invites")
    }

    /// Checks that the identity can be used to play.
    ///
    /// # Errors
    /// [`IdentityError::Moved`].
    pub(super) fn can_play(&self) -> Result<(), IdentityError> {
        if self.is_moved {
            Err(IdentityError::Moved)
        } else {
            Ok(())
        }
    }

    /// The identity was moved away.
    pub(super) fn has_moved(&mut self) {
        self.is_moved = true;
    }

    /// The name of the player, unless none was chosen yet.
    pub(super) fn chosen_name(&self) -> Option<&Name> {
        (!self.settings.name.is_empty()).then_some(&self.stored.name)
    }

    /// Keeps the name of the player.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn rename(&mut self, name: &str) -> io::Result<()> {
        let name = Name::clean(name);
        if name == self.name {
            return Ok(());
        }
        self.settings.name = name.to_string();
        self.stored.name = name;
        self.keep()
    }

    /// Looks up a peer that was met, and keeps the peer and the relay at which to meet it again: that of the
    /// connection, or otherwise `in_invite`, the relay of the invite by which the players met. Returns a notice for the
    /// player if the keys are new.
    ///
    /// # Errors
    /// If the keys of the peer are not accepted, or a file cannot be written.
    pub(super) fn recognise(
        &mut self,
        connection: &PolledConnection<W::Sockets>,
        in_invite: Option<&Place>,
    ) -> anyhow::Result<Option<String>> {
        let met = &connection.met;
        let relay = connection.relay.as_ref().or(in_invite);
        let at: Vec<_> = connection.at().iter().map(|at| (*at).into()).collect();
        let notice = peers::recognise(
            &mut self.stored.peers.lock(),
            self.stored.identity.public(),
            MetPeer {
                succession: &met.succession,
                name: &met.peer_name,
                // The address of the connection is only useful if the peer is the host, which listens there.
                addresses: match met.side {
                    Side::Guest => &at,
                    Side::Host => &[],
                },
                relay: relay.and_then(Place::tcp),
            },
        )?;
        if let Some(Place::Url(url)) = relay {
            self.keep_relay(&met.peer, url)?;
        }
        Ok(notice)
    }

    /// Looks up a peer that has come by the link of a table and is not admitted yet. Keeps nothing about a player who is
    /// not known. Returns a notice if another player is known by the same name.
    ///
    /// # Errors
    /// If the keys of the peer are not accepted, or a file cannot be written.
    pub(super) fn look_up(
        &mut self,
        connection: &PolledConnection<W::Sockets>,
    ) -> anyhow::Result<Option<String>> {
        let met = &connection.met;
        let recognised = self
            .peers
            .lock()
            .recognise(&met.succession, &met.peer_name)?;
        match recognised {
            Recognised::New => Ok(None),
            Recognised::OtherKeys { known } => {
                let fingerprint = met.peer.fingerprint();
                Ok(Some(peers::other_keys(
                    &met.peer_name,
                    &known,
                    &fingerprint,
                )))
            }
            _ => self.recognise(connection, None),
        }
    }

    /// Keeps the relay of a host.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep_relay(&mut self, of: &PublicIdentity, url: &str) -> io::Result<()> {
        let of = of.fingerprint().to_string();
        if self
            .settings
            .relays
            .get(&of)
            .is_some_and(|kept| kept == url)
        {
            return Ok(());
        }
        self.settings.relays.insert(of, url.to_owned());
        self.keep()
    }

    /// The relay at which a host was met last.
    pub(super) fn relay_of(&self, host: &PublicIdentity) -> Option<&str> {
        let relay = self.settings.relays.get(&host.fingerprint().to_string());
        relay.map(String::as_str)
    }

    /// The host that waits, if its session was closed meanwhile.
    pub(super) fn hosting(&self) -> Option<&KeptHost> {
        self.settings.hosting.as_ref()
    }

    /// Keeps a host that waits, or forgets it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep_hosting(&mut self, hosting: Option<KeptHost>) -> anyhow::Result<()> {
        if hosting.is_none() && self.settings.hosting.is_none() {
            return Ok(());
        }
        self.settings.hosting = hosting;
        self.keep().context("cannot keep the settings")
    }

    fn keep(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.settings)?;
        self.file.iter_mut().try_for_each(|file| file.keep(&text))
    }
}

/// The vault of a value of the identity.
///
/// # Errors
/// If its files cannot be opened.
pub(super) fn value<F: Files>(files: &F, name: &str) -> anyhow::Result<F::Value> {
    files.open_value(name).context("cannot open the identity")
}
