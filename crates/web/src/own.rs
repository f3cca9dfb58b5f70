//! What a player keeps: the identity, the known peers and the settings.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

use anyhow::{Context, ensure};
use dealerless_connection::identity::{
    Identity, IdentityError, IdentityVaults, KnownPeers, Left, Name, PublicIdentity, SharedPeers,
};
use dealerless_connection::storage::Vault;
use dealerless_connection::{Invites, Met};
use dealerless_seat::event::Event;
use dealerless_seat::peers::{self, BLOCKED, MetPeer};
use serde::{Deserialize, Serialize};

use crate::files::{self, Value};
use crate::hosting::KeptHost;
use crate::{host, page};

/// The player of this page.
pub(crate) struct Own {
    identity: &'static Arc<Identity>,
    pub(crate) peers: SharedPeers,
    pub(crate) invites: &'static Mutex<Invites>,
    pub(crate) name: &'static Name,
    /// Whether the identity was moved away.
    is_moved: bool,
    settings: Settings,
    file: Value,
}

#[derive(Default, Serialize, Deserialize)]
struct Settings {
    name: String,
    /// The relay of each host, by its fingerprint: the URL of a WebSocket.
    relays: BTreeMap<String, String>,
    /// The host that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hosting: Option<KeptHost>,
}

impl Settings {
    /// Reads the settings. Damaged settings are reset: the player enters the name again, and links name the
    /// relays. An error would make the page useless, and its matches could not be resumed.
    fn read(file: &mut Value) -> io::Result<Self> {
        let settings = match file.kept() {
            Ok(None) => return Ok(Settings::default()),
            Ok(Some(bytes)) => {
                dealerless_seat::json::read(&bytes).map_err(|_| ErrorKind::InvalidData.into())
            }
            Err(error) => Err(error),
        };
        match settings {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                host::print("The settings were damaged. They are reset.");
                file.destroy()?;
                Ok(Settings::default())
            }
            settings => settings,
        }
    }
}

impl Own {
    /// Reads what the player has kept. At the first visit, makes an identity.
    ///
    /// # Errors
    /// If a file is damaged, or cannot be read or written.
    pub(crate) fn open() -> anyhow::Result<Self> {
        let rng = &mut dealerless_connection::system_rng();
        let kept = IdentityVaults {
            identity: &mut value("identity")?,
            succession: &mut value("succession")?,
            successor: &mut value("successor")?,
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
        let peers = SharedPeers::new(Self::kept_peers(&identity)?);
        let invites = Box::new(files::value("invites").context("cannot open the invites")?);
        let invites = Invites::open(invites).context("cannot read the invites")?;
        let mut file = files::value("settings").context("cannot open the settings")?;
        let settings = Settings::read(&mut file).context("cannot read the settings")?;
        Ok(Own {
            // Leaked, because a meeting borrows these. A page opens its player once, and after a succession.
            identity: Box::leak(Box::new(Arc::new(identity))),
            peers,
            invites: Box::leak(Box::new(Mutex::new(invites))),
            name: Box::leak(Box::new(Name::clean(&settings.name))),
            is_moved,
            settings,
            file,
        })
    }

    /// Reads the known peers of an identity.
    ///
    /// # Errors
    /// If they are damaged, or cannot be read.
    pub(crate) fn kept_peers(identity: &Identity) -> anyhow::Result<KnownPeers> {
        let peers = Box::new(files::value("peers").context("cannot open the known peers")?);
        let own = identity.succession().clone();
        let peers = KnownPeers::open(
            peers,
            std::path::Path::new("the file of known peers"),
            own,
            host::unix,
        );
        peers.context("cannot read the known peers")
    }

    /// Checks that the identity can be used to play.
    ///
    /// # Errors
    /// [`IdentityError::Moved`].
    pub(crate) fn can_play(&self) -> Result<(), IdentityError> {
        if self.is_moved {
            Err(IdentityError::Moved)
        } else {
            Ok(())
        }
    }

    /// The identity was moved away.
    pub(crate) fn has_moved(&mut self) {
        self.is_moved = true;
    }

    pub(crate) fn identity(&self) -> &'static Identity {
        self.identity
    }

    /// The identity, shared.
    pub(crate) fn shared_identity(&self) -> Arc<Identity> {
        Arc::clone(self.identity)
    }

    /// The name of the player, unless none was chosen yet.
    pub(crate) fn chosen_name(&self) -> Option<&Name> {
        (!self.settings.name.is_empty()).then_some(self.name)
    }

    /// Keeps the name of the player.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn rename(&mut self, name: &str) -> io::Result<()> {
        let name = Name::clean(name);
        if name == *self.name {
            return Ok(());
        }
        self.settings.name = name.to_string();
        self.name = Box::leak(Box::new(name));
        self.keep()
    }

    /// Looks up a peer that was met at a relay, and keeps the peer and the relay. Returns the question that
    /// the player must answer before they play, if there is one.
    ///
    /// # Errors
    /// If the player has blocked the peer, its keys are not accepted, no further session is allowed, or a
    /// file cannot be written.
    pub(crate) fn recognise(&mut self, met: &Met, relay: &str) -> anyhow::Result<Option<Event>> {
        let mut peers = self.peers.lock();
        let notice = peers::recognise(
            &mut peers,
            self.identity.public(),
            MetPeer {
                succession: &met.succession,
                name: &met.peer_name,
                addresses: &[],
                relay: None,
            },
        )?;
        if let Some(text) = notice {
            page::tell(&Event::Notice { text });
        }
        ensure!(!peers::is_blocked(&peers, &met.peer), BLOCKED);
        let question = peers::question(&peers, &met.peer, &met.peer_name)?;
        drop(peers);
        self.keep_relay(&met.peer, relay)?;
        Ok(question)
    }

    /// Keeps the relay of a host.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep_relay(&mut self, of: &PublicIdentity, url: &str) -> io::Result<()> {
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
    pub(crate) fn relay_of(&self, host: &PublicIdentity) -> Option<&str> {
        let relay = self.settings.relays.get(&host.fingerprint().to_string());
        relay.map(String::as_str)
    }

    /// The host that waits, if its page was closed meanwhile.
    pub(crate) fn hosting(&self) -> Option<&KeptHost> {
        self.settings.hosting.as_ref()
    }

    /// Keeps a host that waits, or forgets it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep_hosting(&mut self, hosting: Option<KeptHost>) -> anyhow::Result<()> {
        if hosting.is_none() && self.settings.hosting.is_none() {
            return Ok(());
        }
        self.settings.hosting = hosting;
        self.keep().context("cannot keep the settings")
    }

    fn keep(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.settings)?;
        self.file.keep(&text)
    }
}

/// The vault of a value of the identity.
///
/// # Errors
/// If its files cannot be opened.
pub(crate) fn value(name: &str) -> anyhow::Result<Value> {
    files::value(name).context("cannot open the identity")
}
