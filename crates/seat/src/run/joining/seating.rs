//! A guest from the request for its seat until the match has stopped: the answer of the host, the files and the seat.

use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use dealerless_connection::{ConnectionError, PolledConnection, Stream};
use dealerless_table::log::Sitting;
use dealerless_table::play::{Control, GuestAddresses, Seating, Term};

use super::returning::NotTheHost;
use super::{Asking, Guest, HostSaid, Stage};
use crate::guest::{
    ANSWER, CHANGES, KEEPS_CHANGING, NOT_ACCEPTED_YET, SOON, may_have_agreed, refusal,
};
use crate::open_match::{WENT_ON, not_begun, not_resumed, removes, went_on};
use crate::run::at_table::{AtTable, HasOpen, Reach};
use crate::run::continued::{before_unopened, give_up_unopened};
use crate::run::errors::AnswerIsNo;
use crate::run::finding::{Caller, Finder, request};
use crate::run::hosting::Host;
use crate::run::lobby::Lobby;
use crate::run::matches::{self, Kept, NewMatch};
use crate::run::other_guests::{self, tell_absent_host};
use crate::run::own::Own;
use crate::run::playing::SeatInPlay;
use crate::run::program::{Input, ended};
use crate::run::world::SeatWorld;
use crate::seat::{LAST_CALL, Stopped};

/// The error of a guest that the host of a match of several does not know.
const NO_SEAT: &str =
    "the host resumes a match in which you have no seat; ask the host when you can join";

impl<W: SeatWorld> Guest<W> {
    /// The finder of a guest, which calls the host after a lost connection.
    fn calling_host(&self, finder: Finder<W>, sitting: &Sitting) -> Finder<W> {
        let of = sitting.match_info.id();
        let host = sitting.match_info.players()[0].identity.clone();
        finder.calling(Caller::new(of, host, self.route.clone()))
    }

    /// Plays a match again. `connect` makes the first connection, or looks for one.
    ///
    /// # Errors
    /// If the match cannot be resumed here, or this side cannot listen for the other guests.
    pub(super) fn play_again(
        &mut self,
        own: &Own<W>,
        kept: Kept<W::Files>,
        listen: &[String],
        connect: impl FnOnce(&mut SeatInPlay<W>) -> anyhow::Result<()>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let kept = before_unopened(own, kept)?;
        if kept.has_table(own) {
            give_up_unopened(own, &kept)?;
        }
        let sitting = &kept.opened.sitting;
        let name = kept.name.clone();
        let mut finder = self.calling_host(Finder::of_guests(own, sitting), sitting);
        let mut found = None;
        if let Some(ways) = self.requires.ways() {
            let relay = self.route.relay.as_ref();
            let (with_guests, at) =
                other_guests::find_again(own, &*ways, finder, &kept, listen, relay, now)?;
            let past = sitting.match_info.header().past();
            finder = tell_absent_host(own, past, with_guests, |host| ways.route(host), now);
            found = Some((ways, at));
        }
        let table = matches::kept_table(own, &name).map(|table| table.terms);
        let door = table.as_ref().and_then(|_| finder.take_door());
        let files = matches::resume(own, kept)?;
        let mut reach = None;
        if let Some((ways, at)) = found {
            let (mut listeners, addresses) = at.unwrap_or_default();
            let own_place = addresses.get(files.sitting.seat.index()).cloned();
            let mut own_place = own_place.unwrap_or_default();
            let mut door = door;
            if table.is_some() && door.is_none() {
                // The next match of the table can have more players than this one.
                let open = other_guests::open_door(own, &*ways, Vec::new(), listen)?;
                listeners = open.listeners;
                own_place = GuestAddresses::new(open.addresses);
                door = Some(open.door);
            }
            other_guests::keep(own, &name, &listeners, &addresses)?;
            reach = Some(Reach {
                ways: Some(ways),
                listeners,
                addresses: own_place,
                is_local: true,
                route: Some(self.route.clone()),
                door,
                lobby: Lobby::new(),
            });
        }
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        connect(&mut seat)?;
        seat.look_for_guests(now);
        self.stage = match (table, reach) {
            (Some(terms), Some(reach)) => {
                let table = AtTable::resuming(terms, self.needs, reach, seat);
                Stage::AtTable(Box::new(table))
            }
            _ => Stage::Playing(Box::new(seat)),
        };
        Ok(())
    }

    /// Resumes an open match on a connection. One that is over here is only sent to the host, who does not know its
    /// end.
    pub(super) fn resume(
        &mut self,
        own: &Own<W>,
        mut connection: PolledConnection<W::Sockets>,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<()> {
        // If the connection has ended, the seat notices it and calls again.
        let _ = connection
            .core
            .send(Stream::Control, &Control::Resume(kept.id()).encode());
        if kept.is_over() && !kept.has_table(own) {
            let seat = matches::sending_end(own, kept, connection, now)?;
            self.stage = Stage::SendingEnd(Box::new(seat), now + LAST_CALL);
            return Ok(());
        }
        self.play_again(own, kept, &[], |seat| seat.resume(connection, now), now)
    }

    pub(super) fn wait_for_host(
        &mut self,
        own: &mut Own<W>,
        mut asking: Box<Asking<W>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let connection = &mut asking.connection;
        connection.flush(now);
        match connection.core.next_message() {
            Ok(None) if now >= asking.since + ANSWER => {
                return Err(anyhow::Error::new(ConnectionError::TimedOut)
                    .context("the host has not answered"));
            }
            Ok(None) => {
                if !asking.is_told && now >= asking.since + SOON {
                    asking.is_told = true;
                    own.notice(NOT_ACCEPTED_YET);
                }
                self.stage = Stage::Asking(asking);
            }
            Ok(Some(message)) => match request(&message) {
                Some(Control::Sit) if asking.seating.is_some() => {
                    self.begin(own, *asking, now)?;
                }
                Some(Control::Open(of)) => self.change(own, HostSaid::Open(of), now)?,
                Some(Control::Taken) if asking.seating.is_none() => bail!(AnswerIsNo(NO_SEAT)),
                Some(control) => match refusal(&control, false) {
                    Some(text) => bail!(AnswerIsNo(text)),
                    None => bail!(ConnectionError::Broken("an unexpected answer")),
                },
                None => bail!(ConnectionError::Broken("an unexpected answer")),
            },
            Err(why) if asking.is_sent && asking.seating.is_some() && may_have_agreed(&why) => {
                self.begin(own, *asking, now)?;
            }
            Err(why) => return Err(anyhow::Error::new(why).context("the host has not answered")),
        }
        Ok(())
    }

    /// Does all that is due at the table.
    ///
    /// # Errors
    /// If the guest cannot go on.
    pub(super) fn step_table(
        &mut self,
        own: &mut Own<W>,
        mut table: Box<AtTable<W>>,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let waited = table.waits();
        let stepped = table.step(own, None, now);
        if waited && !table.waits() && self.input_has_ended {
            table.input(own, Input::Ended, now)?;
        }
        let stopped = match stepped {
            Ok(stopped) => stopped,
            Err(why) => {
                match (why.downcast_ref(), table.take_connection()) {
                    (Some(&HasOpen(of)), _) => self.change(own, HostSaid::Open(of), now)?,
                    // Otherwise the host would keep the seat, as that of a guest who has lost its connection.
                    (None, Some(connection)) => self.leave(connection, Some(Term::All), why, now),
                    (None, None) => return Err(why),
                }
                return Ok(false);
            }
        };
        // Players who have no seat any more: they call the host.
        drop(table.take_without_seat());
        if let Some(stopped) = stopped {
            let Some(seat) = table.into_seat() else {
                return Ok(true);
            };
            return self.stopped(own, *seat, stopped, now);
        }
        if table.has_place() {
            self.candidates = None;
        }
        if !table.waits() {
            give_up(own, self.given_up.take())?;
            self.left_out_of = None;
        }
        self.stage = match table.is_host(own) {
            true => Stage::Hosting(Box::new(Host::succeeding(own, *table, self.needs, now)?)),
            false => Stage::AtTable(table),
        };
        Ok(false)
    }

    fn begin(&mut self, own: &mut Own<W>, asking: Asking<W>, now: Duration) -> anyhow::Result<()> {
        let Asking {
            connection,
            seating,
            instead_of,
            ..
        } = asking;
        let Some(Seating { sitting, circuit }) = seating else {
            return Ok(());
        };
        give_up(own, instead_of)?;
        let finder = self.calling_host(Finder::of_guests(own, &sitting), &sitting);
        let files = NewMatch::create(own, sitting)?.begin(own, Some(circuit))?;
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        seat.begin(connection, now)?;
        self.stage = Stage::Playing(Box::new(seat));
        Ok(())
    }

    /// The host has named another match. Calls it again.
    fn change(&mut self, own: &mut Own<W>, said: HostSaid, now: Duration) -> anyhow::Result<()> {
        if let (HostSaid::Open(of), Some(candidates)) = (said, &self.candidates) {
            // This player has not gone on either.
            ensure!(candidates.of != of, NotTheHost);
        }
        self.changes += 1;
        ensure!(self.changes <= CHANGES, KEEPS_CHANGING);
        self.host_said = Some(said);
        self.stage = Stage::Settling(now);
        self.next(own, now).map(drop)
    }

    /// The match has stopped here.
    pub(super) fn stopped(
        &mut self,
        own: &mut Own<W>,
        seat: SeatInPlay<W>,
        stopped: Stopped,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let Stopped::Declined(control) = stopped else {
            return ended(own, &seat, &stopped).map(|()| true);
        };
        seat.tell_end(&Stopped::Declined(control.clone()))?;
        let match_info = seat.log().match_info();
        let (of, seats) = (match_info.id(), match_info.seats());
        // Closes the record.
        drop(seat);
        if let Some(text) = refusal(&control, seats > 2) {
            bail!(AnswerIsNo(text));
        }
        let Some(kept) = matches::find(own, &of)? else {
            bail!(not_begun(&of));
        };
        if let Control::Unknown(of) = control
            && kept.gives_way(own)?
        {
            // The player asks for a seat again, without a question.
            self.resumes = false;
            self.agreed = matches::kept_table(own, &kept.name).map(|table| table.terms);
            kept.forget(own)?;
            self.change(own, HostSaid::Unknown(of), now)?;
            return Ok(false);
        }
        if let Control::WentOn(_, chips) = control
            && let Some(table) = matches::kept_table(own, &kept.name)
            && kept.has_table(own)
        {
            self.went_on(own, table.terms, &kept, chips, now)?;
            drop(kept);
            return self.next(own, now);
        }
        if let Control::WentOn(of, chips) = control {
            // The terms of the table are lost here.
            own.notice(went_on(&of, chips));
            ensure!(!self.resumes && self.requires.asks(), AnswerIsNo(WENT_ON));
        } else if self.resumes {
            if kept.is_begun() {
                bail!(not_resumed(&of));
            }
            kept.forget(own)?;
            bail!(not_begun(&of));
        } else if removes(
            &kept.opened.log,
            kept.seat(),
            &control,
            self.requires.asks(),
        )? {
            kept.forget(own)?;
        }
        let said = match control {
            Control::Open(of) => HostSaid::Open(of),
            Control::Unknown(of) | Control::WentOn(of, _) => HostSaid::Unknown(of),
            _ => return Err(anyhow!("the host sent an unexpected answer")),
        };
        self.change(own, said, now)?;
        Ok(false)
    }
}

/// Closes the open match that this player gives up for another one.
fn give_up<W: SeatWorld>(own: &Own<W>, record: Option<String>) -> anyhow::Result<()> {
    let kept = record.map(|name| Kept::open(own, name)).transpose()?;
    kept.map_or(Ok(()), |kept| kept.close().map(drop))
}
