//! The connections of a guest to the other guests of its match. The host forwards everything too, so
//! the match never waits for these connections, and the player is not told of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::Address;
use dealerless_connection::{Connection, Door, Side};
use dealerless_seat::seat::Other;
use dealerless_table::Seat;
use dealerless_table::log::Sitting;
use dealerless_table::play::GuestAddresses;

use super::dial::{Dialer, Route};
use super::door::{
    LISTEN_AS_GUEST, Watch, keep_addresses, keep_watch, kept_addresses, open_guest_door,
};
use super::open::{MatchFile, guests_file};
use super::own::{Own, keep_private};
use super::posts::Posts;
use super::waiting_room::WaitingRoom;
use crate::whole_file;

/// The longest pause between two tries to reach another guest. It is longer than the pause for the
/// host, because the host and the other guests choose the addresses.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The number of failed tries after whose pause, about three seconds, the lower of two seats begins to
/// dial. Usually the higher seat has connected by then.
const LATER: u32 = 4;
/// The size limit of the file with the addresses of the other guests, in bytes.
const MOST_KEPT: u64 = 16 << 10;

/// The connections of a guest to the other guests.
pub(crate) struct OtherGuests {
    own: Seat,
    dialers: BTreeMap<Seat, Dialer>,
    /// Where this side listens.
    listens_at: Vec<SocketAddr>,
    /// The thread that answers the other guests, while this side listens.
    watch: Option<Watch>,
}

/// The guests of a match but the one whose file this is.
pub(crate) fn guests_of(sitting: &Sitting) -> Vec<Other> {
    let others = Other::all_of(sitting).into_iter();
    others.filter(|other| other.seat != Seat::HOST).collect()
}

/// Drops the loopback addresses unless the host was reached on loopback. Otherwise a player on
/// another machine could make this side connect to its own programs.
pub(crate) fn reachable(all: Vec<GuestAddresses>, host: &Connection) -> Vec<GuestAddresses> {
    let is_local = host.at.is_some_and(|at| at.ip().is_loopback());
    let of_one = |addresses: GuestAddresses| {
        let addresses = addresses.as_slice().iter();
        let reachable = addresses.filter(|address| is_local || !address.is_loopback());
        GuestAddresses::new(reachable.cloned())
    };
    all.into_iter().map(of_one).collect()
}

impl OtherGuests {
    /// Answers the other guests at `door`, and at `relay` if there is one. `addresses` has an entry
    /// for each seat.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(crate) fn new(
        own: &Own,
        sitting: &Sitting,
        door: Door,
        addresses: Vec<GuestAddresses>,
        relay: Option<&Address>,
        posts: &Posts,
    ) -> anyhow::Result<Self> {
        let of = sitting.match_info.id();
        let others = guests_of(sitting);
        let mut dialers = BTreeMap::new();
        for other in &others {
            let is_higher = sitting.seat > other.seat;
            // The lower seat waits at the relay. If both did both, the relay could join a player
            // with itself.
            let dialled = relay.filter(|_| is_higher);
            if let (Some(relay), None) = (relay, dialled) {
                door.wait_at_relay(relay, &other.identity);
            }
            let at = addresses.get(other.seat.index());
            let route = Route {
                invite: None,
                addresses: at.map_or_else(Vec::new, |at| at.as_slice().to_vec()),
                relay: dialled.cloned(),
            };
            let (identity, name) = (Arc::clone(own.home.identity()), own.name.clone());
            let peer = other.identity.clone();
            let dialer = Dialer::new(identity, name, peer, of, route, posts.clone());
            let tries = if is_higher { 0 } else { LATER };
            dialers.insert(other.seat, dialer.pausing(tries, LONGEST_PAUSE));
        }
        let listens_at = door.addresses().to_vec();
        let peers = others.into_iter().map(|other| other.identity).collect();
        Ok(OtherGuests {
            own: sitting.seat,
            dialers,
            listens_at,
            watch: Some(keep_watch(WaitingRoom::new(door), posts, peers, of, None)?),
        })
    }

    /// The connections of a match that is resumed, or `None` if this side is the only guest.
    /// Without addresses in `listen`, listens where this side listened before, or on a free port.
    ///
    /// # Errors
    /// If this side cannot listen on the given addresses, or a thread cannot be started.
    pub(crate) fn again(
        own: &Own,
        file: &MatchFile,
        listen: &[String],
        relay: Option<&Address>,
        posts: &Posts,
    ) -> anyhow::Result<Option<Self>> {
        let sitting = &file.opened.sitting;
        let others = guests_of(sitting);
        if others.is_empty() {
            return Ok(None);
        }
        let open = |listen: &[String]| {
            let identities = others.iter().map(|other| other.identity.clone());
            open_guest_door(own, identities.collect(), listen)
        };
        let kept = kept_addresses(&file.path).ok().flatten();
        let kept = kept.map(|kept| kept.iter().map(ToString::to_string).collect::<Vec<_>>());
        let door = match (listen, kept.and_then(|kept| open(&kept).ok())) {
            ([], Some(door)) => door,
            ([], None) => open(&[LISTEN_AS_GUEST.to_owned()])?,
            (listen, door) => {
                // The same addresses may be given.
                drop(door);
                open(listen)?
            }
        };
        let addresses = kept_guests(&file.path, sitting.match_info.seats());
        Self::new(own, sitting, door, addresses, relay, posts).map(Some)
    }

    /// Stores the addresses for [`again`](Self::again).
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn keep(&self, log: &Path) -> anyhow::Result<()> {
        keep_addresses(log, &self.listens_at)?;
        let mut lines = String::new();
        for (seat, dialer) in &self.dialers {
            for address in &dialer.route.addresses {
                writeln!(lines, "{} {address}", seat.number())?;
            }
        }
        keep_private(guests_file(log), &lines)
    }

    /// Closes the door for the other guests.
    pub(crate) fn stop_listening(&mut self) {
        self.watch = None;
    }

    /// Dials all other guests.
    pub(crate) fn dial_all(&mut self) {
        let seats: Vec<Seat> = self.dialers.keys().copied().collect();
        seats.into_iter().for_each(|seat| self.dial(seat));
    }

    /// Dials another guest in the background.
    pub(crate) fn dial(&mut self, guest: Seat) {
        if let Some(dialer) = self.dialers.get_mut(&guest) {
            // Without a thread, only the other side dials.
            let _ = dialer.dial();
        }
    }

    /// Stops dialling a guest that is gone.
    pub(crate) fn stop(&mut self, guest: Seat) {
        if let Some(dialer) = self.dialers.get_mut(&guest) {
            dialer.stop();
        }
    }

    /// Whether to use a new connection to another guest instead of the `old` one, if there is one.
    /// If so, stops dialling. Both sides decide alike when two connections cross: a connection that
    /// the higher seat has dialled is not replaced by one that the lower seat has dialled.
    pub(crate) fn accepts(
        &mut self,
        guest: Seat,
        new: &Connection,
        old: Option<&Connection>,
    ) -> bool {
        let has_dialled = |connection: &Connection| connection.met.side == Side::Guest;
        let is_by_higher = |connection| has_dialled(connection) == (self.own > guest);
        let old = old.filter(|old| old.ended().is_none());
        let accepts = old.is_none_or(|old| is_by_higher(new) || !is_by_higher(old));
        if accepts && let Some(dialer) = self.dialers.get_mut(&guest) {
            dialer.stop();
        }
        accepts
    }
}

/// The stored addresses of the guests of a match with this number of seats. Invalid lines are
/// skipped: without an address, the host forwards everything.
fn kept_guests(log: &Path, seats: usize) -> Vec<GuestAddresses> {
    let text = whole_file::read_text(&guests_file(log), MOST_KEPT);
    let text = text.ok().flatten().unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let (seat, address) = line.split_once(' ')?;
        Some((Seat::new(seat.parse().ok()?), address.parse().ok()?))
    });
    let lines: Vec<(Seat, Address)> = lines.collect();
    let of_seat = |seat| {
        let lines = lines.iter().filter(|(of, _)| *of == seat);
        GuestAddresses::new(lines.map(|(_, address)| address.clone()))
    };
    Seat::all(seats).map(of_seat).collect()
}

/// Removes the stored addresses of the other guests when the match is over.
pub(crate) fn forget(log: &Path) {
    // A file that remains does no harm.
    let _ = std::fs::remove_file(guests_file(log));
}
