//! How a guest connects to another player of its match in the background: to the host after a lost
//! connection or to resume the match, and to the other guests.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::ensure;
use dealerless_connection::identity::{Address, Identity, Name, Peer, PublicIdentity};
use dealerless_connection::{Connection, Guest, Invite, MeetingError, Timing};
use dealerless_seat::retry::{HOST_PAUSE, pause};
use dealerless_table::log::MatchId;
use dealerless_table::play::Control;

use super::own::Own;
use super::posts::{Post, Posts};

/// The addresses and the relay of a player, and the invite if there is one.
#[derive(Clone)]
pub(crate) struct Route {
    /// The invite by which the guest first joined.
    pub(crate) invite: Option<Box<Invite>>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) relay: Option<Address>,
}

impl Route {
    /// Returns the route to a known player: `at`, or without it the addresses of the last meeting, and a
    /// relay.
    ///
    /// # Errors
    /// If no address is known.
    pub(crate) fn to(own: &Own, peer: &Peer, at: &[Address]) -> anyhow::Result<Self> {
        let addresses = if at.is_empty() { &peer.addresses } else { at };
        let relay = own
            .relays
            .with_known(peer.relay.as_ref())
            .into_iter()
            .next();
        ensure!(
            !addresses.is_empty() || relay.is_some(),
            "no address of {} is known; give it with --at HOST:PORT, or a relay with --relay RELAY",
            peer.name
        );
        Ok(Route {
            invite: None,
            addresses: addresses.to_vec(),
            relay,
        })
    }
}

/// Connects a guest to another player of its match.
pub(crate) struct Dialer {
    pub(crate) identity: Arc<Identity>,
    pub(crate) name: Name,
    pub(crate) peer: PublicIdentity,
    /// The first message on a connection.
    first: Control,
    pub(crate) route: Route,
    pub(crate) posts: Posts,
    /// The number of dials since the match last continued.
    tries: u32,
    /// The longest pause between two tries.
    longest: Duration,
    /// The thread that is dialling. Dropping this value stops the thread.
    dialling: Option<StopOnDrop>,
    /// Whether the player has left the match and is not dialled any more.
    has_left: bool,
}

/// Stops a dialling thread when dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Dialer {
    /// A dialer for the match `of`, which connects to `peer`, the host.
    pub(crate) fn new(
        identity: Arc<Identity>,
        name: Name,
        peer: PublicIdentity,
        of: MatchId,
        route: Route,
        posts: Posts,
    ) -> Self {
        Dialer {
            identity,
            name,
            peer,
            first: Control::Resume(of),
            route,
            posts,
            tries: 0,
            longest: HOST_PAUSE,
            dialling: None,
            has_left: false,
        }
    }

    /// Dials with the pause after `tries` failed tries at first, and with pauses of up to `longest`.
    pub(crate) fn pausing(self, tries: u32, longest: Duration) -> Self {
        Dialer {
            tries,
            longest,
            ..self
        }
    }

    /// Sends this message first on a connection, in place of the request to resume the match.
    pub(crate) fn beginning_with(self, first: Control) -> Self {
        Dialer { first, ..self }
    }

    /// Dials in the background until the player answers. Asks the player to resume the match, and
    /// sends the connection to `posts`.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(crate) fn dial(&mut self) -> io::Result<()> {
        if self.has_left {
            return Ok(());
        }
        let ended = Arc::new(AtomicBool::new(false));
        self.dialling = Some(StopOnDrop(Arc::clone(&ended)));
        let call = Call {
            identity: Arc::clone(&self.identity),
            name: self.name.clone(),
            peer: self.peer.clone(),
            route: self.route.clone(),
        };
        let (first, posts) = (self.first.encode(), self.posts.clone());
        let (tries, longest) = (self.tries, self.longest);
        self.tries = self.tries.saturating_add(1);
        let dial = move || {
            for number in tries.. {
                sleep(pause(number, longest, &mut rand::rng()), &ended);
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let connection = call.once(number).ok();
                let sends_first =
                    |connection: &Connection| connection.send_control(first.clone()).is_ok();
                if let Some(connection) = connection.filter(sends_first) {
                    if !ended.load(Ordering::Relaxed) {
                        posts.put(Post::Connection(Box::new(connection)));
                    }
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("dial".into());
        thread.spawn(dial).map(|_| ())
    }

    /// Stops dialling because the match continues. The next dial starts without a delay.
    pub(crate) fn connected(&mut self) {
        self.tries = 0;
        self.stop();
    }

    /// Stops dialling a player who has left the match.
    pub(crate) fn left(&mut self) {
        self.has_left = true;
        self.stop();
    }

    /// Stops dialling. The next dial continues with longer pauses.
    pub(crate) fn stop(&mut self) {
        self.dialling = None;
    }
}

/// The parameters of calls to a player.
struct Call {
    identity: Arc<Identity>,
    name: Name,
    peer: PublicIdentity,
    route: Route,
}

impl Call {
    /// Dials once. Calls alternate between the invite and the host's keys: the host may know the
    /// invite without knowing the guest yet.
    fn once(&self, number: u32) -> Result<Connection, MeetingError> {
        let guest = Guest {
            identity: &self.identity,
            name: &self.name,
            timing: Timing::default(),
        };
        let Route {
            invite,
            addresses,
            relay,
        } = &self.route;
        let connection = match invite {
            Some(invite) if number.is_multiple_of(2) => guest.join(invite)?,
            _ => guest.join_again(&self.peer, addresses, relay.as_ref())?,
        };
        if connection.met.peer == self.peer {
            Ok(connection)
        } else {
            Err(MeetingError::WrongHost)
        }
    }
}

fn sleep(time: Duration, ended: &AtomicBool) {
    const POLL: Duration = Duration::from_millis(50);
    let mut left = time;
    while !left.is_zero() && !ended.load(Ordering::Relaxed) {
        let step = left.min(POLL);
        thread::sleep(step);
        left -= step;
    }
}
