//! A guest whose table has gone on without it. It calls the other players of its last match: one of them hosts the table
//! now.

use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::{ConnectionError, MeetingError};
use dealerless_table::log::{Header, MatchId, TableId};
use dealerless_table::play::{Proposal, TableTerms};

use super::{Guest, HostSaid, Requirements, Stage};
use crate::guest::FULL;
use crate::peers::is_blocked;
use crate::run::errors::AnswerIsNo;
use crate::run::finding::Route;
use crate::run::matches::Kept;
use crate::run::other_guests::{Ways, kept_guests, route_to};
use crate::run::own::Own;
use crate::run::world::SeatWorld;
use crate::seat::{Other, PlayerNeeds};
use crate::words::tables;

/// The pause after all players were called.
const ROUND: Duration = Duration::from_secs(5);
/// How long the program looks for the host.
const RETURNS: Duration = Duration::from_secs(600);

/// The player who was called does not host the table.
#[derive(Debug, thiserror::Error)]
#[error("no player of your last match hosts the table now; ask for its new link")]
pub(super) struct NotTheHost;

/// The players who may host the table now.
pub(super) struct Candidates {
    /// The match that went on without this player.
    pub(super) of: MatchId,
    /// The proposal of the table.
    proposal: Vec<u8>,
    /// The routes to the players, in order of the seats.
    routes: Vec<Route>,
    /// The number of calls.
    calls: usize,
    until: Duration,
}

impl Candidates {
    /// The other players of a match at this table. `host` is the route to the first seat.
    fn new<W: SeatWorld>(
        own: &Own<W>,
        terms: TableTerms,
        kept: &Kept<W::Files>,
        host: &Route,
        ways: Option<&dyn Ways<W>>,
        now: Duration,
    ) -> Self {
        let sitting = &kept.opened.sitting;
        let addresses = kept_guests(own, &kept.name, sitting.match_info.seats());
        let relay = host.relay.clone().or_else(|| ways?.relay());
        let route = |other: Other| match host.peer.as_ref() == Some(&other.identity) {
            // The host may have ended its link.
            true => Route {
                invite: None,
                ..host.clone()
            },
            false => route_to(&other, &addresses, relay.clone()),
        };
        let others = Other::all_of(sitting).into_iter();
        let others = others.filter(|other| !is_blocked(&own.peers.lock(), &other.identity));
        Candidates {
            of: kept.id(),
            proposal: Proposal::from(terms).encode(),
            routes: others.map(route).collect(),
            calls: 0,
            until: now + RETURNS,
        }
    }

    /// Whether a proposal is that of the table.
    pub(super) fn propose(&self, proposal: &[u8]) -> bool {
        self.proposal == proposal
    }

    /// The route to the next player, and the time of the call. `None` if the time is over.
    fn next(&mut self, now: Duration) -> Option<(Route, Duration)> {
        let place = self.calls.checked_rem(self.routes.len())?;
        let is_next_round = place == 0 && self.calls > 0;
        let at = if is_next_round { now + ROUND } else { now };
        self.calls += 1;
        (at < self.until).then(|| (self.routes[place].clone(), at))
    }
}

/// Sits down again at one table without a question.
struct Returns<W: SeatWorld> {
    table: TableId,
    ways: Option<Arc<dyn Ways<W>>>,
}

impl<W: SeatWorld> Requirements<W> for Returns<W> {
    fn check(&self, _own: &Own<W>, header: &Header) -> anyhow::Result<()> {
        let table = header.table.as_ref().map(|table| table.id);
        anyhow::ensure!(table == Some(self.table), NotTheHost);
        Ok(())
    }

    fn ways(&self) -> Option<Arc<dyn Ways<W>>> {
        self.ways.clone()
    }
}

impl<W: SeatWorld> Guest<W> {
    /// A guest that was the host of the table in this match, until the table went on without it.
    ///
    /// # Errors
    /// If no other player can be called.
    pub(in crate::run) fn was_host(
        own: &Own<W>,
        terms: TableTerms,
        ways: Option<Arc<dyn Ways<W>>>,
        needs: PlayerNeeds,
        kept: &Kept<W::Files>,
        chips: u64,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let route = Route {
            invite: None,
            peer: None,
            addresses: Vec::new(),
            relay: None,
        };
        let table = terms.id;
        let requires = Box::new(Returns { table, ways });
        let mut guest = Guest::new(requires, needs, route, Stage::Changing);
        guest.went_on(own, terms, kept, chips, now)?;
        Ok(guest)
    }

    /// The input of the player ended before it became a guest.
    pub(in crate::run) fn input_has_ended(&mut self) {
        self.input_has_ended = true;
    }

    /// The table has gone on without this player, who has `chips` in its list. The player asks for a seat again without a
    /// question, unless it would have to buy chips.
    ///
    /// # Errors
    /// If no other player can be called.
    pub(super) fn went_on(
        &mut self,
        own: &Own<W>,
        terms: TableTerms,
        kept: &Kept<W::Files>,
        chips: u64,
        now: Duration,
    ) -> anyhow::Result<()> {
        self.is_broke = chips == 0;
        if !self.is_broke {
            own.notice(tables::went_on(chips));
        }
        self.resumes = false;
        self.left_out_of = Some(kept.id());
        self.agreed = Some(terms.clone());
        let ways = self.requires.ways();
        let candidates = Candidates::new(own, terms, kept, &self.route, ways.as_deref(), now);
        self.candidates = Some(candidates);
        self.calls_next(NotTheHost.into(), now)
    }

    /// Calls the next player who may host the table, if this is an error of the one that was called.
    ///
    /// # Errors
    /// The given error, if no other player is called.
    pub(super) fn calls_next(&mut self, why: anyhow::Error, now: Duration) -> anyhow::Result<()> {
        let is_unreached = why.chain().any(|cause| {
            cause.is::<MeetingError>() || cause.is::<ConnectionError>() || cause.is::<NotTheHost>()
        });
        let is_full = (why.downcast_ref()).is_some_and(|AnswerIsNo(text)| *text == FULL);
        let candidates = self.candidates.as_mut();
        let Some(candidates) = candidates.filter(|_| is_unreached || is_full) else {
            return Err(why);
        };
        let Some((route, at)) = candidates.next(now) else {
            self.candidates = None;
            return Err(why);
        };
        self.route = route;
        self.changes = 0;
        self.host_said = Some(HostSaid::Unknown(candidates.of));
        self.stage = Stage::Settling(at);
        Ok(())
    }
}
