//! The connections of a guest to the other guests of its match. The host forwards everything too, so the match never
//! waits for these connections, and the player is not told of them.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless_connection::identity::{Address, Peer, PublicIdentity};
use dealerless_connection::storage::Vault as _;
use dealerless_connection::{Admits, Place, PolledDoor};
use dealerless_table::Seat;
use dealerless_table::log::{Past, Sitting};
use dealerless_table::play::GuestAddresses;

use super::door::door_for;
use super::finding::{Caller, Finder, Route};
use super::matches::{GUESTS, Kept, LISTEN, beside};
use super::own::{Own, Stored};
use super::world::{Files, SeatWorld};
use crate::open_match::answer_after;
use crate::seat::Other;

/// The longest pause between two tries to reach another guest. It is longer than the pause for the host, because the
/// host and the other guests choose the addresses.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The number of failed tries after whose pause, about three seconds, the lower of two seats begins to call. Usually
/// the higher seat has connected by then.
const LATER: u32 = 4;
/// The longest pause between two tries to tell an absent host that the table goes on.
const HOST_RETURNS: Duration = Duration::from_secs(60);
/// The size limit of a value with addresses, in bytes.
const MOST_KEPT: usize = 16 << 10;

/// How a guest reaches the other players of a match of several.
pub trait Ways<W: SeatWorld>: Send + Sync {
    /// The given addresses to listen on, numeric. Empty: the addresses used before, or a free port.
    fn listens_at(&self) -> &[String];

    /// Lets a door listen on these addresses; on a free port if there are none. Returns the addresses of its listeners,
    /// and those at which others may reach it.
    ///
    /// # Errors
    /// If an address is taken.
    fn listen(
        &self,
        own: &Own<W>,
        door: &mut PolledDoor<W::Sockets>,
        at: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Address>)>;

    /// The route to a known player. `None` if no address is known.
    fn route(&self, peer: &Peer) -> Option<Route>;

    /// The relay at which this player waits for others.
    fn relay(&self) -> Option<Place>;
}

/// The door of a guest.
pub(super) struct GuestDoor<W: SeatWorld> {
    pub(super) door: PolledDoor<W::Sockets>,
    /// The addresses of its listeners.
    pub(super) listeners: Vec<String>,
    /// The addresses at which others may reach it.
    pub(super) addresses: Vec<Address>,
}

/// Opens a door for these players.
///
/// # Errors
/// If an address is taken.
pub(super) fn open_door<W: SeatWorld>(
    own: &Own<W>,
    ways: &dyn Ways<W>,
    players: Vec<PublicIdentity>,
    at: &[String],
) -> anyhow::Result<GuestDoor<W>> {
    let admits = Admits::Only {
        invite: None,
        players,
    };
    let mut door = door_for(own, own.world.sockets(), admits, Vec::new());
    let (listeners, addresses) = ways.listen(own, &mut door, at)?;
    Ok(GuestDoor {
        door,
        listeners,
        addresses,
    })
}

/// The guests of a match, without this player.
pub(super) fn guests_of(sitting: &Sitting) -> Vec<Other> {
    let others = Other::all_of(sitting).into_iter();
    others.filter(|other| other.seat != Seat::HOST).collect()
}

/// The keys of these guests.
pub(super) fn keys_of_guests(sitting: &Sitting) -> Vec<PublicIdentity> {
    let guests = guests_of(sitting).into_iter();
    guests.map(|other| other.identity).collect()
}

/// Lets a finder call the other guests, and wait for them at `relay` if there is one. `addresses` has an entry for
/// each seat.
pub(super) fn find<W: SeatWorld>(
    mut finder: Finder<W>,
    sitting: &Sitting,
    addresses: &[GuestAddresses],
    relay: Option<&Place>,
    now: Duration,
) -> Finder<W> {
    for other in guests_of(sitting) {
        let (caller, waits_at) = caller_of(sitting, &other, addresses, relay);
        if let Some(relay) = waits_at {
            finder.wait_at_relay(relay, &other.identity, now);
        }
        finder = finder.calling(caller);
    }
    finder
}

/// The caller of a guest for another guest, and the relay at which this guest waits for the other one instead. The lower
/// seat waits at the relay. If both did both, the relay could join a player with itself.
pub(super) fn caller_of<'a, W: SeatWorld>(
    sitting: &Sitting,
    other: &Other,
    addresses: &[GuestAddresses],
    relay: Option<&'a Place>,
) -> (Caller<W>, Option<&'a Place>) {
    let (called, waits_at, tries) = match sitting.seat > other.seat {
        true => (relay.cloned(), None, 0),
        false => (None, relay, LATER),
    };
    let route = route_to(other, addresses, called);
    let caller = Caller::new(sitting.match_info.id(), other.identity.clone(), route);
    (caller.pausing(tries, LONGEST_PAUSE), waits_at)
}

/// The route to another player of a match. `addresses` has an entry for each seat.
pub(super) fn route_to(other: &Other, addresses: &[GuestAddresses], relay: Option<Place>) -> Route {
    let at = addresses.get(other.seat.index());
    Route {
        invite: None,
        peer: Some(other.identity.clone()),
        addresses: at.map_or_else(Vec::new, |at| at.as_slice().to_vec()),
        relay,
    }
}

/// Where this side listens, and where each seat may be reached.
type At = (Vec<String>, Vec<GuestAddresses>);

/// Lets a finder find the other guests of a match that is resumed, if there are any. Without addresses in `listen`,
/// listens where this side listened before, or on a free port. Returns what the caller [keeps](keep) if it plays.
///
/// # Errors
/// If this side cannot listen.
pub(super) fn find_again<W: SeatWorld>(
    own: &Own<W>,
    ways: &dyn Ways<W>,
    finder: Finder<W>,
    kept: &Kept<W::Files>,
    listen: &[String],
    relay: Option<&Place>,
    now: Duration,
) -> anyhow::Result<(Finder<W>, Option<At>)> {
    let sitting = &kept.opened.sitting;
    let others = keys_of_guests(sitting);
    if others.is_empty() {
        return Ok((finder, None));
    }
    let open = |at: &[String]| open_door(own, ways, others.clone(), at);
    let before = kept_listeners(own, &kept.name).ok().flatten();
    let before = before.filter(|_| listen.is_empty());
    let door = match before.and_then(|before| open(&before).ok()) {
        Some(door) => door,
        None => open(listen)?,
    };
    let addresses = kept_guests(own, &kept.name, sitting.match_info.seats());
    let finder = find(finder.waiting(door.door), sitting, &addresses, relay, now);
    Ok((finder, Some((door.listeners, addresses))))
}

/// If this player has continued the match with the result `past` without its host: lets a finder tell this host so. Nobody
/// else would: its guests do not resume the match any more.
pub(super) fn tell_absent_host<W: SeatWorld>(
    own: &Stored<W::Files>,
    past: Option<&Past>,
    mut finder: Finder<W>,
    route: impl FnOnce(&Peer) -> Option<Route>,
    now: Duration,
) -> Finder<W> {
    if let Some((host, caller)) = absent_host(own, past, route) {
        finder = finder.calling(caller);
        finder.look_for(&host, now);
    }
    finder
}

fn absent_host<W: SeatWorld>(
    own: &Stored<W::Files>,
    past: Option<&Past>,
    route: impl FnOnce(&Peer) -> Option<Route>,
) -> Option<(PublicIdentity, Caller<W>)> {
    let past = past.filter(|past| past.without.contains(&Seat::HOST))?;
    let mut players = past.remaining().filter_map(|seat| past.player(seat));
    let this = own.identity.public().fingerprint();
    players.find(|(player, _)| *player == this)?;
    let (host, _) = past.player(Seat::HOST)?;
    let host = own.peers.lock().find(&host.to_string()).ok()?.clone();
    let route = route(&host).filter(|_| !host.blocked)?;
    let told = answer_after(past, &host.identity)?;
    let caller = Caller::new(past.match_id, host.identity.clone(), route);
    let caller = caller.pausing(0, HOST_RETURNS).beginning_with(told);
    Some((host.identity, caller))
}

/// Keeps where this side listens, and where the other guests may be reached. `addresses` has an entry for each seat.
///
/// # Errors
/// If a value cannot be written.
pub(super) fn keep<F: Files>(
    own: &Stored<F>,
    record: &str,
    listeners: &[String],
    addresses: &[GuestAddresses],
) -> anyhow::Result<()> {
    let mut guests = String::new();
    for (seat, at) in addresses.iter().enumerate() {
        for address in at.as_slice() {
            writeln!(guests, "{seat} {address}")?;
        }
    }
    keep_listeners(own, record, listeners)?;
    if guests.is_empty() {
        return Ok(());
    }
    keep_text(own, &beside(record, GUESTS), &guests)
}

/// Keeps where this side listens, if it does.
///
/// # Errors
/// If a value cannot be written.
pub fn keep_listeners<F: Files>(
    own: &Stored<F>,
    record: &str,
    listeners: &[String],
) -> anyhow::Result<()> {
    if listeners.is_empty() {
        return Ok(());
    }
    let lines: String = listeners.iter().map(|at| format!("{at}\n")).collect();
    keep_text(own, &beside(record, LISTEN), &lines)
}

fn keep_text<F: Files>(own: &Stored<F>, name: &str, text: &str) -> anyhow::Result<()> {
    let kept = own.files.open_value(name);
    let kept = kept.and_then(|mut value| value.keep(text.as_bytes()));
    kept.with_context(|| format!("cannot write {}", own.files.shown(name)))
}

/// The text of a value, if there is one.
///
/// # Errors
/// If it cannot be read, is too long, or is no text.
fn text<F: Files>(own: &Stored<F>, name: &str) -> anyhow::Result<Option<String>> {
    let Some(bytes) = own.files.open_value(name)?.kept()? else {
        return Ok(None);
    };
    ensure!(bytes.len() <= MOST_KEPT, "it is too long");
    Ok(Some(String::from_utf8(bytes.to_vec())?))
}

/// The addresses on which this side listened in a match. `None` if they were not kept.
///
/// # Errors
/// If they cannot be read.
pub fn kept_listeners<F: Files>(
    own: &Stored<F>,
    record: &str,
) -> anyhow::Result<Option<Vec<String>>> {
    let name = beside(record, LISTEN);
    let cannot = || format!("cannot read {}: give --listen", own.files.shown(&name));
    let text = text(own, &name).with_context(cannot)?;
    let Some(text) = text else { return Ok(None) };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let are_valid = lines
        .iter()
        .all(|line| line.parse::<Address>().is_ok_and(|at| at.is_ip()));
    ensure!(are_valid && !lines.is_empty(), cannot());
    Ok(Some(lines))
}

/// The kept addresses of the guests of a match with this number of seats. Invalid lines are skipped: without an
/// address, the host forwards everything.
pub(super) fn kept_guests<F: Files>(
    own: &Stored<F>,
    record: &str,
    seats: usize,
) -> Vec<GuestAddresses> {
    let text = text(own, &beside(record, GUESTS)).ok().flatten();
    let text = text.unwrap_or_default();
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
