//! A guest until it asks its host for a seat: the call, the question to its player, and the check of the proposal.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use dealerless_connection::{Invite, MeetingError, Place, PolledConnection, SpokenError, Stream};
use dealerless_table::play::{
    CannotBegin, Control, GuestAddresses, Proposal, Seating, TableTerms, Term,
};

use super::returning::NotTheHost;
use super::{Asking, Guest, HostSaid, Offer, Question, Stage};
use crate::event::Event;
use crate::open_match::{elsewhere, instead_of};
use crate::peers::{BLOCKED, all_keys, is_blocked, question};
use crate::run::at_table::{AtTable, Reach};
use crate::run::continued::{before_unopened, has_played_at};
use crate::run::errors::{AnswerIsNo, Differs};
use crate::run::lobby::Lobby;
use crate::run::matches::{self, Kept};
use crate::run::other_guests::{self, Ways};
use crate::run::own::Own;
use crate::run::world::SeatWorld;
use crate::seated::{Seated, TableOffer};

/// Timeout for the host to receive the last message of a guest that does not sit down.
const GOODBYE: Duration = Duration::from_secs(2);

impl<W: SeatWorld> Guest<W> {
    /// Calls the host.
    pub(super) fn call(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        let (sockets, keys) = (own.world.sockets(), own.credentials());
        let call = self.route.call(sockets, keys, 0, now);
        let call = call.map_err(|error| self.failed(error))?;
        self.stage = Stage::Calling(Box::new(call));
        Ok(())
    }

    /// The host has given its invite for the code.
    pub(super) fn got_invite(
        &mut self,
        own: &Own<W>,
        invite: Invite,
        now: Duration,
    ) -> anyhow::Result<()> {
        if !W::IN_PAGE {
            self.route.addresses = invite.addresses().to_vec();
            let relay = invite.relay().cloned().map(Place::from);
            self.route.relay = relay.or(self.route.relay.take());
        }
        self.route.invite = Some(Box::new(invite));
        self.by_code = true;
        self.call(own, now)
    }

    /// The error of a guest that has not met its host.
    fn failed(&self, error: MeetingError) -> anyhow::Error {
        let again = if W::IN_PAGE {
            "join with"
        } else {
            "run `dealerless join"
        };
        let end = if W::IN_PAGE { "" } else { "`" };
        match &self.route.invite {
            Some(invite) if self.by_code => anyhow::Error::new(error)
                .context(format!("to retry without the code, {again} {invite}{end}")),
            _ => error.into(),
        }
    }

    /// Names the relay, unless it has paired this guest with the host: then it is the right one.
    pub(super) fn failed_code(&self, why: SpokenError) -> anyhow::Error {
        let is_paired = matches!(
            why,
            SpokenError::Wrong | SpokenError::WrongHost | SpokenError::Invite
        );
        match &self.route.relay {
            Some(relay) if !is_paired => {
                anyhow::Error::new(why).context(format!("at the relay {relay}"))
            }
            _ => why.into(),
        }
    }

    /// The host has answered, or cannot be reached.
    pub(super) fn called(
        &mut self,
        own: &mut Own<W>,
        met: Result<Option<PolledConnection<W::Sockets>>, MeetingError>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(connection) = met.map_err(|error| self.failed(error))? else {
            return Ok(());
        };
        let candidates = self.candidates.as_ref();
        if candidates.is_some_and(|table| !table.propose(&connection.met.header)) {
            bail!(NotTheHost);
        }
        let in_invite = self.route.invite.as_ref().and_then(|invite| invite.relay());
        let in_invite = in_invite.cloned().map(Place::from);
        if let Some(text) = own.recognise(&connection, in_invite.as_ref())? {
            own.notice(text);
        }
        let question = {
            let (peers, met) = (own.peers.lock(), &connection.met);
            ensure!(!is_blocked(&peers, &met.peer), BLOCKED);
            question(&peers, &met.peer, &met.peer_name)?
        };
        self.route.peer = Some(connection.met.peer.clone());
        match question {
            Some(Event::AskAgain { message, .. }) if self.needs.never_asked => bail!(message),
            Some(question) => {
                own.world.report(&question);
                self.stage = Stage::Asked(Box::new(connection), Question::Again);
                Ok(())
            }
            None => self.sit(own, connection, now),
        }
    }

    /// Resumes the open match with this host, or asks the player about the one that it proposes.
    pub(super) fn sit(
        &mut self,
        own: &mut Own<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = &connection.met.peer;
        let mut kept = match self.host_said {
            Some(HostSaid::Open(of)) => {
                let keys = all_keys(&own.peers.lock(), peer);
                let is_with_host = |kept: &Kept<_>| keys.iter().any(|keys| kept.connects_to(keys));
                let kept = matches::find(own, &of)?.filter(is_with_host);
                Some(kept.with_context(|| elsewhere(&of))?)
            }
            _ => matches::open_with(own, peer)?,
        };
        if let Some(kept) = &kept {
            kept.must_be_with(peer)?;
        }
        let mut given_up = kept.take_if(|kept| {
            let is_unknown =
                matches!(self.host_said, Some(HostSaid::Unknown(of)) if of == kept.id());
            is_unknown || self.left_out_of == Some(kept.id())
        });
        if let Some(kept) = kept {
            let kept = before_unopened(own, kept)?;
            return self.resume(own, connection, kept, now);
        }
        if let (None, Some(of)) = (&given_up, self.left_out_of) {
            // The host was another guest in this match.
            given_up =
                matches::find(own, &of)?.filter(|kept| !kept.is_over() && !kept.opened.is_closed());
        }
        match self.offered(own, &connection) {
            Err(why) => self.decline(connection, why, now),
            Ok(offered) => {
                // The record is closed, because the host may continue this match.
                let given_up = given_up.map(|kept| {
                    if self.left_out_of != Some(kept.id()) {
                        own.notice(instead_of(&kept.opened));
                    }
                    kept.name
                });
                self.consider(own, connection, offered, given_up, now)?;
            }
        }
        Ok(())
    }

    /// Checks the host's proposal before anything has begun.
    fn offered(
        &self,
        own: &Own<W>,
        connection: &PolledConnection<W::Sockets>,
    ) -> anyhow::Result<Offer<W>> {
        match Proposal::decode(&connection.met.header).map_err(CannotBegin::from)? {
            Proposal::Match(header) if header.sealed().is_none() => Ok(Offer::Resumed),
            Proposal::Match(header) => {
                self.requires.check(own, &header)?;
                let seating = Seating::of_meeting(&connection.met, *header, own.player())?;
                Ok(Offer::Match(Box::new(seating)))
            }
            Proposal::Table(terms) => {
                let ways = self.requires.ways();
                let ways = ways.context("this program plays matches of two")?;
                let header = terms.header(terms.stakes.seats());
                let header = header.map_err(CannotBegin::from)?;
                self.requires.check(own, &header)?;
                Ok(Offer::Table(terms, ways))
            }
        }
    }

    /// Asks the player about the host's proposal, or the host for a seat.
    fn consider(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        offer: Offer<W>,
        instead_of: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let question = match &offer {
            Offer::Match(seating) => {
                Event::AskSit(Box::new(Seated::of(&seating.sitting, None, false)))
            }
            Offer::Table(terms, _) => {
                Event::AskTable(Box::new(TableOffer::of(terms, &connection.met)))
            }
            Offer::Resumed => return self.ask_host(own, connection, offer, instead_of, now),
        };
        // A player is asked once about the terms of a table.
        let is_member = match &offer {
            Offer::Table(terms, _) => {
                let agreed = self.agreed.as_ref() == Some(&**terms);
                // At another table, the player has lost no chips.
                self.is_broke &= agreed;
                agreed || has_played_at(own, terms)?
            }
            _ => false,
        };
        if is_member || !self.requires.asks() {
            return self.ask_host(own, connection, offer, instead_of, now);
        }
        own.world.report(&question);
        self.stage = Stage::Asked(Box::new(connection), Question::Sit(offer, instead_of));
        Ok(())
    }

    pub(super) fn ask_host(
        &mut self,
        own: &Own<W>,
        mut connection: PolledConnection<W::Sockets>,
        offer: Offer<W>,
        instead_of: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let seating = match offer {
            Offer::Match(seating) => Some(*seating),
            Offer::Resumed => None,
            Offer::Table(terms, ways) => {
                return self.sit_at_table(own, connection, *terms, ways, instead_of, now);
            }
        };
        let request = Control::Sit.encode();
        let sent = connection.core.send(Stream::Control, &request);
        self.stage = Stage::Asking(Box::new(Asking {
            connection,
            seating,
            instead_of,
            since: now,
            // If the connection has ended, an answer that came before is still read.
            is_sent: sent.is_ok(),
            is_told: false,
        }));
        Ok(())
    }

    /// Asks the host of a table for a seat.
    fn sit_at_table(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        terms: TableTerms,
        ways: Arc<dyn Ways<W>>,
        instead_of: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        self.given_up = instead_of;
        let door = other_guests::open_door(own, &*ways, Vec::new(), ways.listens_at())?;
        let reach = Reach {
            ways: Some(ways),
            listeners: door.listeners,
            addresses: GuestAddresses::new(door.addresses),
            is_local: connection.at().is_some_and(|at| at.ip().is_loopback()),
            route: Some(self.route.clone()),
            door: Some(door.door),
            lobby: Lobby::new(),
        };
        let needs = self.needs;
        let table = match self.is_broke {
            true => AtTable::without_chips(own, terms, needs, reach, connection, now),
            false => AtTable::joining(terms, needs, reach, connection, now),
        };
        self.stage = Stage::AtTable(Box::new(table));
        Ok(())
    }

    /// Tells the host which term this guest does not accept, and ends.
    pub(super) fn decline(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        why: anyhow::Error,
        now: Duration,
    ) {
        let differs = why.downcast_ref().map(|differs: &Differs| differs.term);
        let declines = why.is::<AnswerIsNo>() || W::IN_PAGE;
        let term = differs.or(declines.then_some(Term::All));
        self.leave(connection, term, why, now);
    }

    /// Ends for this reason. Tells the host the term that this guest does not accept.
    pub(super) fn leave(
        &mut self,
        mut connection: PolledConnection<W::Sockets>,
        term: Option<Term>,
        why: anyhow::Error,
        now: Duration,
    ) {
        if let Some(term) = term {
            // The reason matters more than whether the host receives it.
            let declines = Control::Declines(term).encode();
            let _ = connection.core.send(Stream::Control, &declines);
        }
        connection.core.close();
        connection.flush(now);
        self.stage = Stage::Leaving {
            connection: Box::new(connection),
            until: now + GOODBYE,
            why,
        };
    }
}
