//! A host's door: where it is opened, and who watches it while a match is played.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless_events::event::Event;
use dealerless_table::connection::{Door, Timing, own_addresses};
use dealerless_table::identity::{Address, Fingerprint, PublicIdentity};
use dealerless_table::log::Header;
use dealerless_table::play::Control;

use super::hearing::{Comes, Hearing};
use super::open::listen_file;
use super::own::Own;
use super::posts::{Post, Posts};
use crate::whole_file;

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

/// Where a host listens if nothing else is said.
pub(crate) const LISTEN: &str = "0.0.0.0:5252";
/// The most bytes that are read of the file with the addresses of a match.
const MOST_KEPT: u64 = 4 << 10;

/// Keeps the addresses at which a match is hosted, for [`kept_addresses`].
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn keep_addresses(log: &Path, addresses: &[SocketAddr]) -> anyhow::Result<()> {
    let lines: String = addresses.iter().map(|at| format!("{at}\n")).collect();
    whole_file::write(&listen_file(log), |file| file.write_all(lines.as_bytes()))
}

/// The addresses at which a match was hosted last. None if that was not kept.
///
/// # Errors
/// If the file cannot be read, or holds something else.
pub(crate) fn kept_addresses(log: &Path) -> anyhow::Result<Option<Vec<SocketAddr>>> {
    let path = listen_file(log);
    let cannot = || format!("cannot read {}: give --listen", path.display());
    let text = whole_file::read_text(&path, MOST_KEPT).with_context(cannot)?;
    let addresses = text.map(|text| text.lines().map(str::parse).collect::<Result<Vec<_>, _>>());
    let addresses = addresses.transpose().with_context(cannot)?;
    ensure!(
        addresses.as_ref().is_none_or(|kept| !kept.is_empty()),
        cannot()
    );
    Ok(addresses)
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

/// Notice to the host that a second guest came with its invite.
pub(crate) fn leaked(second: &Fingerprint) -> String {
    format!(
        "WARNING: THE INVITE HAS LEAKED. Somebody else came with it ({second}) and was turned away. \
         One of the two is not whom you have invited: compare fingerprints."
    )
}

/// Notice to the host that a guest was refused because the file of invites cannot be written.
pub(crate) fn cannot_burn(error: &io::Error) -> String {
    format!("a guest came with the invite, and the file of invites cannot be written: {error}")
}

/// Keeps the door open behind a guest: it may come again when its line is lost, a second holder of
/// the invite is told that it was used, and all others are told that the seat is taken.
///
/// # Errors
/// If there is no thread for it.
pub(crate) fn keep_watch(
    mut hearing: Hearing,
    posts: &Posts,
    (peer, of): (PublicIdentity, [u8; 32]),
) -> io::Result<()> {
    let posts = posts.clone();
    let watch = move || {
        hearing.decline_others(&peer, Control::Taken);
        loop {
            let wanted = match hearing.next(Duration::from_secs(3600)) {
                Some(Comes::Leaked(second)) => posts.put(notice(leaked(&second))),
                Some(Comes::CannotBurn(error)) => posts.put(notice(cannot_burn(&error))),
                Some(Comes::In(connection)) if connection.peer == peer => {
                    hearing.listen(connection, None);
                    true
                }
                Some(Comes::In(connection) | Comes::Says(connection, ..))
                    if connection.peer != peer =>
                {
                    hearing.decline(connection, Control::Taken);
                    true
                }
                Some(Comes::Says(connection, word, _)) => {
                    if word == Control::Resume(of) {
                        posts.put(Post::Connection(connection))
                    } else {
                        hearing.decline(connection, Control::Open(of));
                        true
                    }
                }
                Some(Comes::In(_) | Comes::Goes(..)) | None => true,
            };
            if !wanted {
                break;
            }
        }
    };
    let thread = thread::Builder::new().name("door-watch".into());
    thread.spawn(watch).map(|_| ())
}

fn notice(text: String) -> Post {
    Post::Tell(Event::Notice { text })
}

/// Where others may reach listeners at these places, the best first.
///
/// # Errors
/// If the system does not list the addresses of this machine.
pub(crate) fn addresses_of(listeners: &[SocketAddr]) -> anyhow::Result<Vec<Address>> {
    let mut all = Vec::new();
    for &at in listeners {
        match at.ip().is_unspecified() {
            false => all.push(at.into()),
            true => {
                let own = own_addresses(at.port()).context("cannot list the addresses")?;
                // Who listens by IPv4 is not reached by IPv6; the other way round is usual.
                let fits = |address: &SocketAddr| at.is_ipv6() || address.is_ipv4();
                all.extend(own.into_iter().filter(fits).map(Address::from));
            }
        }
    }
    Ok(all)
}

/// The places at which a door is to listen.
///
/// # Errors
/// If one of them is no address of this machine.
pub(crate) fn resolve(listen: &[String]) -> anyhow::Result<Vec<SocketAddr>> {
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
