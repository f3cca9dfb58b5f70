//! The absent players of a match that is continued without them, whom each remaining player tries to reach until the
//! next match begins. If one of them answers, it is not absent.

use std::time::Duration;

use anyhow::bail;
use dealerless_connection::PolledDoor;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_table::Seat;
use dealerless_table::log::MatchId;

use super::finding::{Caller, Finder};
use super::matches::Kept;
use super::other_guests::{self, Ways};
use super::own::Own;
use super::world::SeatWorld;

/// Timeout for reaching the absent players, after which this side agrees.
const TRIES: Duration = Duration::from_secs(5);

/// The absent players, and the means to reach them.
pub struct Absentees<W: SeatWorld> {
    of: MatchId,
    players: Vec<(PublicIdentity, Name)>,
    since: Duration,
    pub(super) finder: Finder<W>,
    returned: Option<Name>,
}

impl<W: SeatWorld> Absentees<W> {
    fn new(kept: &Kept<W::Files>, absent: &[Seat], mut finder: Finder<W>, now: Duration) -> Self {
        let player = |&seat| (kept.identity(seat).clone(), kept.player_name(seat));
        let players: Vec<_> = absent.iter().map(player).collect();
        for (player, _) in &players {
            finder.look_for(player, now);
        }
        Absentees {
            of: kept.id(),
            players,
            since: now,
            finder,
            returned: None,
        }
    }

    /// A finder of these seats, still without means.
    fn finder(own: &Own<W>, kept: &Kept<W::Files>, absent: &[Seat]) -> Finder<W> {
        let keys = absent.iter().map(|&seat| kept.identity(seat).clone());
        Finder::new(own, kept.id(), keys.collect())
    }

    /// Tries to reach these seats as a guest: listens for the other guests, and calls all.
    ///
    /// # Errors
    /// If no port is free.
    pub(super) fn of_guest(
        own: &Own<W>,
        ways: &dyn Ways<W>,
        kept: &Kept<W::Files>,
        absent: &[Seat],
        now: Duration,
    ) -> anyhow::Result<Self> {
        let mut finder = Self::finder(own, kept, absent);
        let host = kept.peer();
        let known = own.peers.lock().get(host).cloned();
        let known = known.filter(|_| absent.contains(&Seat::HOST));
        if let Some(route) = known.and_then(|known| ways.route(&known)) {
            finder = finder.calling(Caller::new(kept.id(), host.clone(), route));
        }
        let relay = ways.relay();
        let relay = relay.as_ref();
        let (finder, _) = other_guests::find_again(own, ways, finder, kept, &[], relay, now)?;
        Ok(Self::new(kept, absent, finder, now))
    }

    /// Tries to reach these seats as the host, at the door of the match if it could be opened.
    pub fn of_host(
        own: &Own<W>,
        kept: &Kept<W::Files>,
        absent: &[Seat],
        door: Option<PolledDoor<W::Sockets>>,
        now: Duration,
    ) -> Self {
        let finder = Self::finder(own, kept, absent);
        let finder = match door {
            Some(door) => finder.waiting(door),
            None => finder,
        };
        Self::new(kept, absent, finder, now)
    }

    /// The match that is continued.
    pub(super) fn of(&self) -> MatchId {
        self.of
    }

    /// Notes that this side has a connection to a player.
    pub(super) fn is_here(&mut self, peer: &PublicIdentity) {
        let mut absent = self.players.iter();
        if let Some((_, name)) = absent.find(|(absent, _)| absent == peer) {
            self.returned = Some(name.clone());
        }
    }

    /// Checks that none of the absent players has answered so far.
    ///
    /// # Errors
    /// If one has.
    pub(super) fn must_be_absent(&mut self) -> anyhow::Result<()> {
        while let Some(found) = self.finder.take_found() {
            self.is_here(&found.met.peer);
        }
        if let Some(name) = &self.returned {
            bail!(
                "{name} is not absent: this side has a connection. Match {of} is not continued without \
                 {name}; to play on, run: dealerless resume {of}",
                of = self.of
            );
        }
        Ok(())
    }

    /// When this side has tried long enough.
    pub(super) fn tried_at(&self) -> Duration {
        self.since + TRIES
    }
}
