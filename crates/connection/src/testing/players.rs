//! Players, each with its own folder.

use std::sync::Arc;
use std::time::Duration;

use super::{Connection, Door, Guest};
use crate::identity::{Address, Home, Name, OldIdentity, SharedPeers};
use crate::{DoorEvent, Invite, MeetingError, Timing};

/// The limit for everything that must happen, even on a busy machine.
pub const SOON: Duration = Duration::from_secs(60);

pub const QUICK: Timing = Timing {
    ping: Duration::from_millis(50),
    dead: Duration::from_millis(400),
    meeting: Duration::from_secs(5),
};

pub struct Player {
    pub folder: tempfile::TempDir,
    pub home: Arc<Home>,
    pub peers: SharedPeers,
    pub name: Name,
}

impl Player {
    pub fn new(name: &str) -> Self {
        // The folder is in memory if possible, because each write to a disk would wait for a sync.
        let memory = tempfile::tempdir_in("/dev/shm");
        let folder = memory.or_else(|_| tempfile::tempdir()).unwrap();
        let home = Arc::new(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        let peers = home.known_peers().unwrap();
        Player {
            folder,
            home,
            peers,
            name: Name::clean(name),
        }
    }

    /// The same player on a new machine, with a new identity that succeeds this one.
    pub fn moves(self) -> Self {
        let Player {
            folder: old,
            home,
            peers,
            name,
        } = self;
        drop((home, peers));
        let new = Player::new(name.as_str());
        let Player {
            folder,
            home,
            peers,
            ..
        } = new;
        drop(peers);
        let home = Arc::into_inner(home).expect("no other reference to the home");
        let done = OldIdentity::open(old.path()).unwrap().be_succeeded(home);
        done.unwrap();
        let home = Arc::new(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        let peers = home.known_peers().unwrap();
        Player {
            folder,
            home,
            peers,
            name,
        }
    }

    /// Opens a door at a free port on loopback.
    pub fn door(&self) -> Door {
        self.door_with(Timing::default())
    }

    pub fn door_with(&self, timing: Timing) -> Door {
        let listen = ["127.0.0.1:0".parse().unwrap()];
        let (home, peers) = (Arc::clone(&self.home), self.peers.clone());
        Door::open(
            home,
            peers,
            self.name.clone(),
            b"header".to_vec(),
            &listen,
            timing,
        )
        .unwrap()
    }

    pub fn guest(&self) -> Guest<'_> {
        let identity = self.home.identity();
        Guest {
            identity,
            name: &self.name,
            timing: Timing::default(),
        }
    }

    pub fn join(&self, invite: &Invite) -> Result<Connection, MeetingError> {
        self.guest().join(invite)
    }

    pub fn remember(&self, other: &Player) {
        let public = other.home.identity().public();
        self.peers
            .lock()
            .remember(public, &other.name, &[], None)
            .unwrap();
    }
}

pub fn address(door: &Door) -> Address {
    door.addresses()[0].into()
}

pub fn invite(door: &Door) -> Invite {
    door.invite(vec![address(door)], None).unwrap()
}

/// Waits for the next connection at a door.
pub fn connection(door: &Door) -> Connection {
    match door.next(SOON) {
        Some(DoorEvent::Connection(connection)) => *connection,
        Some(_) => panic!("an event other than a connection"),
        None => panic!("no connection in time"),
    }
}

/// The connections of a host and a guest who have met.
pub fn met(timing: Timing) -> (Connection, Connection) {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door_with(timing);
    let invite = invite(&door);
    let joined = Guest {
        timing,
        ..guest.guest()
    }
    .join(&invite)
    .unwrap();
    (connection(&door), joined)
}
