//! A guest from the request for its seat until the match has stopped: the answer of the host, the files and the seat.

use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use dealerless_connection::{ConnectionError, PolledConnection, Stream};
use dealerless_table::log::Sitting;
use dealerless_table::play::{Control, Seating, Term};

use super::{Asking, Guest, HostSaid, Stage};
use crate::guest::{
    ANSWER, CHANGES, KEEPS_CHANGING, NOT_ACCEPTED_YET, SOON, may_have_agreed, refusal,
};
use crate::open_match::{WENT_ON, WENT_ON_WITH_YOU, not_begun, not_resumed, removes, went_on};
use crate::run::continued::settled;
use crate::run::errors::AnswerIsNo;
use crate::run::finding::{Caller, Finder, request};
use crate::run::gathered::{Complete, Gathered, HasOpen};
use crate::run::matches::{self, Kept, NewMatch};
use crate::run::other_guests::{self, tell_absent_host};
use crate::run::own::Own;
use crate::run::playing::SeatInPlay;
use crate::run::program::ended;
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

    /// The seat of a guest that resumes a match, still without a connection.
    ///
    /// # Errors
    /// If the match cannot be resumed here, or this side cannot listen for the other guests.
    pub(super) fn seat_again(
        &self,
        own: &Own<W>,
        kept: Kept<W::Files>,
        listen: &[String],
        now: Duration,
    ) -> anyhow::Result<SeatInPlay<W>> {
        let sitting = &kept.opened.sitting;
        let name = kept.name.clone();
        let finder = self.calling_host(Finder::of_guests(own, sitting), sitting);
        let (finder, at) = match self.requires.ways() {
            None => (finder, None),
            Some(ways) => {
                let relay = self.route.relay.as_ref();
                let (finder, at) =
                    other_guests::find_again(own, &*ways, finder, &kept, listen, relay, now)?;
                let finder = tell_absent_host(own, finder, |host| ways.route(host), now);
                (finder, at)
            }
        };
        let files = matches::resume(own, kept)?;
        if let Some((listeners, addresses)) = at {
            other_guests::keep(own, &name, &listeners, &addresses)?;
        }
        SeatInPlay::new(own, files, self.needs, finder, now)
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
        if kept.is_over() {
            let seat = matches::sending_end(own, kept, connection, now)?;
            self.stage = Stage::SendingEnd(Box::new(seat), now + LAST_CALL);
            return Ok(());
        }
        let mut seat = self.seat_again(own, kept, &[], now)?;
        seat.resume(connection, now)?;
        seat.look_for_guests(now);
        self.stage = Stage::Playing(Box::new(seat));
        Ok(())
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

    pub(super) fn wait_for_all(
        &mut self,
        own: &mut Own<W>,
        mut gathered: Box<Gathered<W>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match gathered.step(own, self.requires.asks(), now) {
            Ok(None) => self.stage = Stage::Gathered(gathered),
            Err(why) => match why.downcast_ref() {
                Some(&HasOpen(of)) => self.change(own, HostSaid::Open(of), now)?,
                // Otherwise the host would keep the seat, as that of a guest who has lost its connection.
                None => self.leave(gathered.connection, Some(Term::All), why, now),
            },
            Ok(Some(complete)) => {
                let Complete {
                    new,
                    finder,
                    addresses,
                } = complete;
                let Gathered {
                    connection,
                    ways,
                    instead_of,
                    ..
                } = *gathered;
                give_up(own, instead_of)?;
                let relay = self.route.relay.as_ref();
                let finder = self.calling_host(finder, &new.sitting);
                let finder = other_guests::find(finder, &new.sitting, &addresses, relay, now);
                let finder = tell_absent_host(own, finder, |host| ways.route(host), now);
                let files = new.begin(own, None)?;
                let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
                seat.begin(connection, now)?;
                seat.look_for_guests(now);
                self.stage = Stage::Playing(Box::new(seat));
            }
        }
        Ok(())
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
        self.changes += 1;
        ensure!(self.changes <= CHANGES, KEEPS_CHANGING);
        self.host_said = Some(said);
        self.stage = Stage::Settling;
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
        if let Control::WentOn(of, chips) = control {
            let settled = settled(&kept).ok();
            let absent = settled.as_ref().map(|settled| kept.names(&settled.absent));
            let text = went_on(&of, chips, absent.as_deref());
            own.notice(text);
            match (self.resumes, settled.is_some()) {
                (true, true) => bail!(AnswerIsNo(WENT_ON_WITH_YOU)),
                (false, remains) if remains || self.requires.asks() => {}
                _ => bail!(AnswerIsNo(WENT_ON)),
            }
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
