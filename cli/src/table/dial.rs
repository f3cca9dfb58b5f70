//! How a guest gets another line to its host, when one is lost or a match is taken up again.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::ensure;
use dealerless_table::connection::{Connection, Guest, Invite, MeetingError, Timing};
use dealerless_table::identity::{Address, Identity, Name, Peer, PublicIdentity};
use dealerless_table::play::Control;
use rand::RngExt;

use super::posts::{Post, Posts};

/// Where the host is.
#[derive(Clone)]
pub(crate) struct Way {
    /// By which it was found first.
    pub(crate) invite: Option<Box<Invite>>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) relay: Option<Address>,
}

impl Way {
    /// To a known player: where it is said to be, or where it was.
    ///
    /// # Errors
    /// If nothing is known.
    pub(crate) fn to(peer: &Peer, at: &[Address], relay: Option<&Address>) -> anyhow::Result<Self> {
        let addresses = if at.is_empty() { &peer.addresses } else { at };
        let relay = relay.or(peer.relay.as_ref());
        ensure!(
            !addresses.is_empty() || relay.is_some(),
            "no address of {} is known: say where with --at HOST:PORT",
            peer.name
        );
        Ok(Way {
            invite: None,
            addresses: addresses.to_vec(),
            relay: relay.cloned(),
        })
    }
}

/// Dials until the host is there.
pub(crate) struct Dialer {
    pub(crate) identity: Arc<Identity>,
    pub(crate) name: Name,
    pub(crate) peer: PublicIdentity,
    pub(crate) of: [u8; 32],
    pub(crate) way: Way,
    pub(crate) posts: Posts,
    /// How often it has dialled since the match went on.
    tries: u32,
    /// Ends the dialling that is under way.
    ends: Option<Ends>,
}

/// Dropped, it ends a dialling.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Dialer {
    /// One for the host with these keys and a match with it.
    pub(crate) fn new(
        (identity, name): (Arc<Identity>, Name),
        (peer, of): (PublicIdentity, [u8; 32]),
        way: Way,
        posts: Posts,
    ) -> Self {
        Dialer {
            identity,
            name,
            peer,
            of,
            way,
            posts,
            tries: 0,
            ends: None,
        }
    }

    /// Dials in the background. The line is put where this side sits.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub(crate) fn dial(&mut self) -> io::Result<()> {
        let ended = Arc::new(AtomicBool::new(false));
        self.ends = Some(Ends(Arc::clone(&ended)));
        let call = Call {
            identity: Arc::clone(&self.identity),
            name: self.name.clone(),
            peer: self.peer.clone(),
            way: self.way.clone(),
        };
        let (of, posts, tries) = (self.of, self.posts.clone(), self.tries);
        self.tries += 1;
        let dial = move || {
            for number in tries.. {
                sleep(pause(number), &ended);
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let connection = call.once(number).ok();
                let says = |connection: &Connection| {
                    connection
                        .send_control(Control::Resume(of).encode())
                        .is_ok()
                };
                if let Some(connection) = connection.filter(says) {
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

    /// The match goes on: the next time it is dialled at once.
    pub(crate) fn succeeds(&mut self) {
        self.tries = 0;
        self.ends = None;
    }
}

/// A call to one host.
struct Call {
    identity: Arc<Identity>,
    name: Name,
    peer: PublicIdentity,
    way: Way,
}

impl Call {
    /// Tries all ways once: by turns the invite, which the host may know when it does not know the
    /// player, and the keys.
    fn once(&self, number: u32) -> Result<Connection, MeetingError> {
        let guest = Guest {
            identity: &self.identity,
            name: &self.name,
            timing: Timing::default(),
        };
        let Way {
            invite,
            addresses,
            relay,
        } = &self.way;
        let connection = match invite {
            Some(invite) if number.is_multiple_of(2) => guest.join(invite)?,
            _ => guest.join_again(&self.peer, addresses, relay.as_ref())?,
        };
        match connection.peer == self.peer {
            true => Ok(connection),
            false => Err(MeetingError::WrongHost),
        }
    }
}

/// Before so many tries: from 0.2 s, twice as long each time, to 15 s, with a fifth of it at random,
/// so that two who lost each other do not go on missing each other.
pub(crate) fn pause(tries: u32) -> Duration {
    let full = Duration::from_millis(200 << tries.min(7)).min(Duration::from_secs(15));
    full.mul_f64(rand::rng().random_range(0.8..=1.0))
}

fn sleep(time: Duration, ended: &AtomicBool) {
    const LOOK: Duration = Duration::from_millis(50);
    let mut left = time;
    while !left.is_zero() && !ended.load(Ordering::Relaxed) {
        let step = left.min(LOOK);
        thread::sleep(step);
        left -= step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_from_a_fifth_of_a_second_to_fifteen() {
        for (tries, most) in [
            (0, 200),
            (1, 400),
            (3, 1600),
            (6, 12_800),
            (7, 15_000),
            (99, 15_000),
        ] {
            let pause = pause(tries).as_millis();
            assert!((most * 4 / 5..=most).contains(&pause), "{tries}: {pause}");
        }
    }
}
