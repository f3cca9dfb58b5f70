//! The requests of the guests who have come to a host, and the decision who sits down.

use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{ConnectionError, PolledConnection, Sockets};
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, Term};

use super::{Farewell, Host};
use crate::game_name::GameName;
use crate::open_match::went_on_without_host;
use crate::peers::is_blocked;
use crate::run::admission::{Answered, Wants};
use crate::run::continued::went_on;
use crate::run::lobby::Arrived;
use crate::run::matches::{self, Kept};
use crate::run::own::Own;
use crate::run::world::SeatWorld;
use crate::seat::LAST_CALL;
use crate::words::tables;

/// The maximum number of guests at a time who are sent the end of a match.
const FAREWELLS: usize = 16;

/// A guest that takes the seat.
pub(super) struct Arrival<W: SeatWorld> {
    pub(super) connection: PolledConnection<W::Sockets>,
    /// The open match that the guest resumes. `None` if it begins a new one.
    pub(super) kept: Option<Kept<W::Files>>,
}

/// The keys and the name of the peer on a connection.
pub(super) fn peer_of<S: Sockets>(connection: &PolledConnection<S>) -> (PublicIdentity, Name) {
    (
        connection.met.peer.clone(),
        connection.met.peer_name.clone(),
    )
}

impl<W: SeatWorld> Host<W> {
    pub(super) fn did_not_sit(
        &mut self,
        own: &Own<W>,
        (peer, name): (PublicIdentity, Name),
        error: &anyhow::Error,
    ) {
        if self.admission.is_news(&peer) {
            own.notice(format!(
                "{name} did not sit down ({error:#}). Still waiting."
            ));
        }
    }

    /// Returns the guest, if any. Reports an error as a guest that did not sit down.
    fn or_report(
        &mut self,
        own: &Own<W>,
        who: (PublicIdentity, Name),
        served: anyhow::Result<Option<Arrival<W>>>,
    ) -> Option<Arrival<W>> {
        served.unwrap_or_else(|error| {
            self.did_not_sit(own, who, &error);
            None
        })
    }

    /// Declines a guest and continues to wait.
    pub(super) fn does_not_sit(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        error: &anyhow::Error,
        now: Duration,
    ) {
        self.did_not_sit(own, peer_of(&connection), error);
        self.lobby.decline(connection, &Control::Declined, now);
    }

    /// A peer in the lobby has sent its request, or has left.
    ///
    /// # Errors
    /// If the host cannot play.
    pub(super) fn asked(
        &mut self,
        own: &mut Own<W>,
        Arrived {
            connection,
            request,
            warning,
        }: Arrived<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let who = peer_of(&connection);
        let served = match request {
            Ok(request) => self.serve(own, connection, request, now),
            Err(why) => Err(why.into()),
        };
        match self.or_report(own, who, served) {
            Some(arrival) => self.ask_or_seat(own, arrival, warning, now),
            None => Ok(()),
        }
    }

    /// Serves the request of a guest. Returns the guest if it can be seated.
    fn serve(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        request: Control,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        if is_blocked(&own.peers.lock(), &connection.met.peer) {
            self.lobby.decline(connection, &Control::Declined, now);
            return Ok(None);
        }
        match request {
            Control::Sit => self.new_match(own, connection, now),
            Control::Resume(of) => self.resumed(own, connection, of, now),
            Control::Audit(of) => {
                self.lobby.decline(connection, &Control::Unknown(of), now);
                Ok(None)
            }
            Control::WentOn(of, chips) => {
                self.went_on_without_host(own, connection, of, chips, now)?;
                Ok(None)
            }
            Control::Declines(Term::All) => bail!("the guest declined the terms"),
            Control::Declines(term) => bail!("the guest requires {term}"),
            _ => bail!(ConnectionError::Broken(
                "a first message that is not a request"
            )),
        }
    }

    /// Serves a guest that wants to begin a match, which is allowed if the two players have no open match.
    fn new_match(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        let table = self.table.as_mut().filter(|table| !table.own.waits());
        if let Some(table) = table {
            if table.own.enters_with(&connection.met.peer) {
                self.lobby.decline(connection, &Control::Taken, now);
                return Ok(None);
            }
            let Some(of) = table.own.plays_with(&connection.met.peer) else {
                let kept = None;
                return Ok(Some(Arrival { connection, kept }));
            };
            self.lobby.decline(connection, &Control::Open(of), now);
            return Ok(None);
        }
        match matches::open_with(own, &connection.met.peer)? {
            // Also a first match in which no card was opened, after this program has opened the table anew.
            Some(kept) if kept.has_peer_parts() && !kept.gives_way(own)? => {
                let fits = kept.must_be_with(&connection.met.peer);
                self.lobby
                    .decline(connection, &Control::Open(kept.id()), now);
                return fits.map(|()| None);
            }
            // The guest has signed no part of this match and does not know it.
            Some(kept) => kept.forget(own)?,
            None => {}
        }
        let kept = None;
        Ok(Some(Arrival { connection, kept }))
    }

    /// Finds the match `of`, if this side connects to `peer` in it.
    fn found(
        own: &Own<W>,
        of: &MatchId,
        peer: &PublicIdentity,
    ) -> anyhow::Result<Option<Kept<W::Files>>> {
        let kept = matches::find(own, of)?;
        Ok(kept.filter(|kept| kept.connects_to(peer)))
    }

    /// Serves a guest that wants to resume a match. A match that was closed here can only be resumed with `resume` on
    /// this side.
    fn resumed(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        let answer = match &self.table {
            Some(table) => table.own.went_on(own, &of, &connection.met.peer),
            None => went_on(own, &of, &connection.met.peer).ok().flatten(),
        };
        if let Some(answer) = answer {
            self.lobby.decline(connection, &answer, now);
            return Ok(None);
        }
        let left = match &mut self.table {
            None => Some(connection),
            Some(table) => table.own.resumed(connection, of, now)?,
        };
        let Some(connection) = left else {
            return Ok(None);
        };
        let peer = &connection.met.peer;
        match Self::found(own, &of, peer)? {
            Some(kept) if kept.is_over() => self.send_end(own, connection, kept, now)?,
            Some(kept) if self.table.is_some() && kept.gives_way(own)? => {
                kept.forget(own)?;
                self.lobby.decline(connection, &Control::Unknown(of), now);
            }
            Some(kept) if !kept.opened.is_closed() => {
                let kept = Some(kept);
                return Ok(Some(Arrival { connection, kept }));
            }
            _ => {
                // The guest forgets a match to which it has agreed, so it cannot begin on the guest's old connection.
                let table = self.table.as_mut();
                if table.is_some_and(|table| table.gathering.remove(peer, now)) {
                    self.show_table(own);
                }
                self.lobby.decline(connection, &Control::Unknown(of), now);
            }
        }
        Ok(None)
    }

    /// Sends the end of a match to a guest that does not know it. One that does not receive it connects again.
    fn send_end(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = connection.met.peer.clone();
        let is_sending = self.farewells.iter().any(|other| other.peer == peer);
        ensure!(
            !is_sending && self.farewells.len() < FAREWELLS,
            "the end of the last match is already being sent"
        );
        let seat = matches::sending_end(own, kept, connection, now)?;
        self.farewells.push(Farewell {
            peer,
            seat: Box::new(seat),
            until: now + LAST_CALL,
        });
        Ok(())
    }

    /// Notes that a player has continued a match of this host without it. In another match than that of the table, only
    /// tells this host's player.
    fn went_on_without_host(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        of: MatchId,
        chips: u64,
        now: Duration,
    ) -> anyhow::Result<()> {
        let (peer, name) = (&connection.met.peer, &connection.met.peer_name);
        let table = self.table.as_ref().map(|table| &table.own);
        if let Some(table) = table.filter(|table| table.of() == Some(of)) {
            if table.others().iter().any(|other| other.identity == *peer) {
                self.continued.insert(peer.fingerprint(), (of, chips));
                if self.admission.is_news(peer) {
                    own.notice(tables::says_went_on(name));
                }
            }
        } else {
            let kept = Self::found(own, &of, peer)?;
            let is_open = kept.is_some_and(|kept| !kept.is_over());
            if is_open && self.admission.is_news(peer) {
                own.notice(went_on_without_host(name, &of, chips));
            }
        }
        self.lobby.decline(connection, &Control::Taken, now);
        Ok(())
    }

    /// Asks the player about a guest if necessary, otherwise seats the guest.
    fn ask_or_seat(
        &mut self,
        own: &mut Own<W>,
        arrival: Arrival<W>,
        warning: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = &arrival.connection.met.peer;
        let is_listed = self
            .table
            .as_ref()
            .is_some_and(|table| table.own.lists(peer));
        if is_listed && !self.admission.is_suspected(peer) {
            // A player of the table comes back without a question.
            self.admission.expect(peer);
        }
        match self.admission.asks_about(own, &arrival.connection) {
            Ok(false) => self.sits(own, arrival, warning, now)?,
            Ok(true) => {
                // The record is closed while the player is asked, so that another program can resume the match.
                let Arrival { connection, kept } = arrival;
                let wants = kept.map_or(Wants::Play, |kept| Wants::Resume(kept.id()));
                (self.admission).ask(own, connection, wants, warning, &mut self.lobby, now);
            }
            Err(error) => self.does_not_sit(own, arrival.connection, &error, now),
        }
        Ok(())
    }

    /// The player has answered about a peer.
    pub(super) fn answered(
        &mut self,
        own: &mut Own<W>,
        Answered {
            connection,
            wants,
            agrees,
        }: Answered<W>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let who = peer_of(&connection);
        let served = match wants {
            Wants::Play => Ok(Some(Arrival {
                connection,
                kept: None,
            })),
            Wants::ResumeInstead(of) if !agrees => {
                let closed = self.close(own, connection, of, now);
                closed.map(|()| None)
            }
            Wants::Resume(of) | Wants::ResumeInstead(of) => self.resumed(own, connection, of, now),
        };
        match (self.or_report(own, who, served), wants) {
            (None, _) => Ok(()),
            (Some(arrival), Wants::ResumeInstead(_)) => self.seat(own, arrival, now),
            (Some(arrival), _) => self.sits(own, arrival, None, now),
        }
    }

    /// Seats a guest, unless the player must decide whether to resume its open match.
    fn sits(
        &mut self,
        own: &mut Own<W>,
        arrival: Arrival<W>,
        warning: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(text) = warning {
            own.notice(text);
        }
        let is_used =
            |table: &super::Table<W>| !table.own.waits() || table.gathering.has_newcomer();
        if arrival.kept.is_some() && self.table.as_ref().is_some_and(is_used) {
            // One guest must not send the others away.
            self.lobby.decline(arrival.connection, &Control::Taken, now);
            return Ok(());
        }
        let Some(kept) = arrival.kept.as_ref().filter(|_| self.hosted.wants_new) else {
            return self.seat(own, arrival, now);
        };
        let game = GameName::of(&kept.opened.sitting.match_info.header().stakes);
        let (of, state, peer) = (kept.id(), kept.state(), &arrival.connection.met.peer_name);
        let open = format!("{peer} wants to resume your open match {of} ({game}, {state})");
        if self.needs.is_program {
            own.notice(format!(
                "{open}. It is resumed, and the terms of this command are ignored. To begin a \
                 new match instead, end this program and close the open one: dealerless resume \
                 --close {of}"
            ));
            return self.seat(own, arrival, now);
        }
        let text = format!(
            "{open}. This command asks for a new match. Type `resume` to continue the open match, or \
             `new` to close it here and begin the new one."
        );
        (self.admission).ask_instead(own, arrival.connection, of, text, now);
        Ok(())
    }

    /// Closes an open match here, so that the guest can begin another one.
    fn close(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<()> {
        let kept = Self::found(own, &of, &connection.met.peer)?;
        if let Some(kept) = kept.filter(|kept| !kept.is_over() && !kept.opened.is_closed()) {
            let peer = kept.peer_names();
            kept.close()?;
            own.notice(format!(
                "The open match is closed here; `dealerless resume {of}` continues it. Waiting \
                 for {peer} to sit down to the new match."
            ));
        }
        self.admission.expect(&connection.met.peer);
        self.lobby.decline(connection, &Control::Unknown(of), now);
        Ok(())
    }
}
