//! The connections of a guest to the other guests of its match. The host forwards everything too, so
//! the match never waits for these connections, and the player is not told of them.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use dealerless_connection::identity::Address;
use dealerless_connection::{Connection, Door};
use dealerless_native::Native;
use dealerless_seat::run::{Caller, Finder, Route};
use dealerless_seat::seat::Other;
use dealerless_table::Seat;
use dealerless_table::log::Sitting;
use dealerless_table::play::GuestAddresses;

use super::door::{LISTEN_AS_GUEST, keep_addresses, kept_addresses, open_guest_door};
use super::open::{MatchFile, guests_file};
use super::own::{Own, keep_private};
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

/// The door and the callers of a guest, for the other guests.
pub(crate) struct OtherGuests {
    door: Door,
    callers: Vec<Caller<Native>>,
    /// The addresses of each other guest.
    addresses: Vec<(Seat, Vec<Address>)>,
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
    pub(crate) fn new(
        sitting: &Sitting,
        door: Door,
        addresses: &[GuestAddresses],
        relay: Option<&Address>,
    ) -> Self {
        let of = sitting.match_info.id();
        let mut guests = OtherGuests {
            door,
            callers: Vec::new(),
            addresses: Vec::new(),
        };
        for other in guests_of(sitting) {
            let is_higher = sitting.seat > other.seat;
            // The lower seat waits at the relay. If both did both, the relay could join a player
            // with itself.
            let dialled = relay.filter(|_| is_higher);
            if let (Some(relay), None) = (relay, dialled) {
                guests.door.wait_at_relay(relay, &other.identity);
            }
            let at = addresses.get(other.seat.index());
            let at = at.map_or_else(Vec::new, |at| at.as_slice().to_vec());
            guests.addresses.push((other.seat, at.clone()));
            let route = Route {
                invite: None,
                peer: Some(other.identity.clone()),
                addresses: at,
                relay: dialled.cloned().map(Into::into),
            };
            let tries = if is_higher { 0 } else { LATER };
            let caller = Caller::new(of, other.identity, route);
            guests.callers.push(caller.pausing(tries, LONGEST_PAUSE));
        }
        guests
    }

    /// Lets a finder answer at the door and call.
    pub(crate) fn into_finder(self, world: &Native, finder: Finder<Native>) -> Finder<Native> {
        let finder = WaitingRoom::new(self.door).into_finder(world, finder);
        self.callers.into_iter().fold(finder, Finder::calling)
    }

    /// Those of a match that is resumed, or `None` if this side is the only guest.
    /// Without addresses in `listen`, listens where this side listened before, or on a free port.
    ///
    /// # Errors
    /// If this side cannot listen on the given addresses.
    pub(crate) fn again(
        own: &Own,
        file: &MatchFile,
        listen: &[String],
        relay: Option<&Address>,
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
        Ok(Some(Self::new(sitting, door, &addresses, relay)))
    }

    /// Stores the addresses for [`again`](Self::again).
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn keep(&self, log: &Path) -> anyhow::Result<()> {
        keep_addresses(log, self.door.addresses())?;
        let mut lines = String::new();
        for (seat, addresses) in &self.addresses {
            for address in addresses {
                writeln!(lines, "{} {address}", seat.number())?;
            }
        }
        keep_private(guests_file(log), &lines)
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
