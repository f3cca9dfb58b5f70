//! A host's door: where it is opened, and who watches it while a match is played.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use dealerless_table::{Address, Control, Door, Fingerprint, Header, PublicIdentity, Timing};

use super::event::Event;
use super::hearing::{Comes, Hearing};
use super::own::Own;
use super::posts::{Post, Posts};

/// A door for a match with this header.
///
/// # Errors
/// If it cannot be opened there.
pub(crate) fn open_door(own: &Own, header: &Header, listen: &[String]) -> anyhow::Result<Door> {
    Ok(Door::open(
        Arc::clone(&own.home),
        own.peers.clone(),
        own.name.clone(),
        header.encode(),
        &resolve(listen)?,
        Timing::default(),
    )?)
}

/// Where somebody can come to.
pub(crate) fn listening(door: &Door) -> Event {
    let addresses = door.addresses().iter().map(SocketAddr::to_string);
    Event::Listening {
        addresses: addresses.collect(),
    }
}

/// Known peers that were met over a relay are waited for there.
///
/// # Errors
/// If there are no threads for it.
pub(crate) fn wait_at_relays(
    own: &Own,
    door: &Door,
    relay: Option<&Address>,
) -> anyhow::Result<()> {
    let peers = own.peers.lock();
    for peer in peers.peers() {
        if let Some(relay) = relay.or(peer.relay.as_ref()) {
            door.wait_at_relay(relay, &peer.identity)?;
        }
    }
    Ok(())
}

/// What the host must know when a second guest has come with its invite.
pub(crate) fn leaked(second: &Fingerprint) -> String {
    format!(
        "WARNING: THE INVITE HAS LEAKED. Somebody else came with it ({second}) and was turned away. \
         One of the two is not whom you have invited: compare fingerprints."
    )
}

/// Keeps the door open behind a guest: it may come again when its line is lost, a second holder of
/// the invite is told that it was used, and whoever else comes finds the seat taken.
///
/// # Errors
/// If there is no thread for it.
pub(crate) fn keep_watch(
    mut hearing: Hearing,
    posts: &Posts,
    (peer, of): (PublicIdentity, [u8; 32]),
) -> std::io::Result<()> {
    let posts = posts.clone();
    let watch = move || {
        loop {
            let wanted = match hearing.next(Duration::from_secs(3600)) {
                Some(Comes::Leaked(second)) => posts.put(Post::Notice(leaked(&second))),
                Some(Comes::In(line)) if line.peer == peer => {
                    hearing.listen(line, None);
                    true
                }
                Some(Comes::Says(line, word, _)) if line.peer == peer => {
                    if word == Control::Resume(of) {
                        posts.put(Post::Line(line))
                    } else {
                        hearing.decline(line, Control::Open(of));
                        true
                    }
                }
                // Dropped, the line is closed.
                _ => true,
            };
            if !wanted {
                break;
            }
        }
    };
    let thread = thread::Builder::new().name("door-watch".into());
    thread.spawn(watch).map(|_| ())
}

fn resolve(listen: &[String]) -> anyhow::Result<Vec<SocketAddr>> {
    let mut all = Vec::new();
    for text in listen {
        let mut found = text
            .to_socket_addrs()
            .with_context(|| format!("{text} is no address of this machine"))?;
        all.push(
            found
                .next()
                .with_context(|| format!("{text} is no address"))?,
        );
    }
    Ok(all)
}
