//! The begin of a match at its host: the files, the finder of the players, and the seat.

use std::time::Duration;

use dealerless_connection::{PolledConnection, PolledDoor, Stream};
use dealerless_table::log::Sitting;
use dealerless_table::play::{Control, Proposal, Seating};

use super::Host;
use super::requests::Arrival;
use crate::run::finding::Finder;
use crate::run::gathering::{Agreed, Change, Gathering};
use crate::run::lobby::Lobby;
use crate::run::matches::{self, Kept, NewMatch};
use crate::run::other_guests::{Ways, keep_listeners, keys_of_guests, tell_absent_host};
use crate::run::own::Own;
use crate::run::playing::{SeatFiles, SeatInPlay};
use crate::run::program::{InPlay, Input};
use crate::run::world::SeatWorld;
use crate::seat::PlayerNeeds;

impl<W: SeatWorld> Host<W> {
    /// Seats a guest, unless its connection has ended. The match of two has its files before the guest knows that it
    /// begins.
    pub(super) fn seat(
        &mut self,
        own: &mut Own<W>,
        arrival: Arrival<W>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Arrival {
            mut connection,
            kept,
        } = arrival;
        if let Some(why) = connection.core.ended() {
            let why = why.clone().into();
            self.does_not_sit(own, connection, &why, now);
            return Ok(());
        }
        match kept {
            Some(kept) => {
                self.close_door(own, now);
                let gathered = self.gathering.take().map(Gathering::into_connections);
                for connection in gathered.into_iter().flatten() {
                    self.lobby.decline(connection, &Control::Taken, now);
                }
                keep_listeners(own, &kept.name, &self.hosted.listeners)?;
                let files = matches::resume(own, kept)?;
                self.play(own, files, |seat| seat.resume(connection, now), now)
            }
            None => {
                let header = match &self.hosted.proposal {
                    Proposal::Match(header) => (**header).clone(),
                    Proposal::Table(_) => return self.gather(own, connection, now),
                };
                let Seating { sitting, circuit } =
                    Seating::of_meeting(&connection.met, header, own.player())?;
                self.close_door(own, now);
                let new = NewMatch::create(own, sitting)?;
                keep_listeners(own, &new.name, &self.hosted.listeners)?;
                let files = new.begin(own, Some(circuit))?;
                // If the connection has ended, the seat looks for another one.
                let _ = connection
                    .core
                    .send(Stream::Control, &Control::Sit.encode());
                self.play(own, files, |seat| seat.begin(connection, now), now)
            }
        }
    }

    /// Turns away all who wait for an answer: the match begins.
    fn close_door(&mut self, own: &Own<W>, now: Duration) {
        (self.admission).close(own, &Control::Taken, &mut self.lobby, now);
    }

    /// An admitted guest takes a seat at the table, or waits for one. It is a known peer from now on, and is not asked
    /// about when it comes back.
    fn gather(
        &mut self,
        own: &mut Own<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(gathering) = &self.gathering else {
            return Ok(());
        };
        let (peer, name) = (&connection.met.peer, &connection.met.peer_name);
        if !gathering.has(peer) && (gathering.is_for_others(peer) || !gathering.has_place()) {
            self.lobby.decline(connection, &Control::Taken, now);
            return Ok(());
        }
        if !gathering.has_named(peer, name) && gathering.has_namesake(peer, name) {
            own.notice(crate::guest::namesake(name));
        }
        let by_link = connection.met.came_by(&self.hosted.invite);
        if let Err(error) = self.remember(own, &connection, by_link, now) {
            self.does_not_sit(own, connection, &error, now);
            return Ok(());
        }
        self.admission.expect(&connection.met.peer);
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        gathering.add(connection, now);
        self.show_table(own);
        Ok(())
    }

    /// Tells the player who has a seat at the table.
    pub(super) fn show_table(&self, own: &Own<W>) {
        if let Some(gathering) = &self.gathering {
            own.world.report(&gathering.table());
        }
    }

    /// Processes the answers of the guests who have come. Begins the match once they have agreed to it.
    pub(super) fn gathered(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        let mut may_propose = true;
        if let Some(absentees) = &mut self.hosted.absentees
            && gathering.may_begin()
        {
            absentees.must_be_absent()?;
            may_propose = now >= absentees.tried_at();
        }
        match gathering.step(may_propose, now) {
            None => {}
            Some(Change::Left) => self.show_table(own),
            Some(Change::CannotBegin(error)) => {
                let Some(connection) = gathering.remove_last(now) else {
                    return Err(error.into());
                };
                self.does_not_sit(own, connection, &error.into(), now);
                self.show_table(own);
            }
            Some(Change::Complete(mut agreed)) => {
                self.close_door(own, now);
                for connection in std::mem::take(&mut agreed.without_seat) {
                    self.lobby.decline(connection, &Control::Taken, now);
                }
                let new = NewMatch::create(own, agreed.sitting.clone())?;
                keep_listeners(own, &new.name, &self.hosted.listeners)?;
                let files = new.begin(own, None)?;
                agreed.begin();
                let Agreed { connections, .. } = *agreed;
                let begin = |seat: &mut SeatInPlay<W>| {
                    let mut connections = connections.into_iter();
                    connections.try_for_each(|connection| seat.begin(connection, now))
                };
                self.play(own, files, begin, now)?;
            }
        }
        Ok(())
    }

    /// Plays the match of these files. `begin` does something with the seat before anything else happens.
    fn play(
        &mut self,
        own: &mut Own<W>,
        files: SeatFiles<W>,
        begin: impl FnOnce(&mut SeatInPlay<W>) -> anyhow::Result<()>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let finder = self.finder(own, &files.sitting, now);
        self.hosted.absentees = None;
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        begin(&mut seat)?;
        if self.input_has_ended {
            seat.input(Input::Ended, now);
        }
        self.seat = Some(Box::new(seat));
        own.keep_hosting(None)
    }

    /// The finder of the match, with the door and all who are there.
    fn finder(&mut self, own: &Own<W>, sitting: &Sitting, now: Duration) -> Finder<W> {
        let mut finder = Finder::of_guests(own, sitting);
        if let Some(mut door) = self.door.take() {
            door.end_codes();
            finder = finder.waiting(door);
        }
        let lobby = std::mem::replace(&mut self.lobby, Lobby::new());
        let mut finder = finder.taking_over(lobby, now);
        for guest in keys_of_guests(sitting) {
            if let Some(relay) = &self.hosted.relay {
                finder.wait_at_relay(relay, &guest, now);
            }
        }
        let ways = self.hosted.ways.as_deref();
        tell_absent_host(own, finder, |host| ways?.route(host), now)
    }
}

/// A host that resumes a match, and waits for its guests at a door.
///
/// # Errors
/// If the match cannot be resumed here.
pub fn host_again<W: SeatWorld>(
    own: &Own<W>,
    door: PolledDoor<W::Sockets>,
    ways: Option<&dyn Ways<W>>,
    kept: Kept<W::Files>,
    needs: PlayerNeeds,
    now: Duration,
) -> anyhow::Result<InPlay<W>> {
    let files: SeatFiles<W> = matches::resume(own, kept)?;
    let finder = Finder::of_guests(own, &files.sitting).waiting(door);
    let finder = tell_absent_host(own, finder, |host| ways?.route(host), now);
    let mut seat = SeatInPlay::new(own, files, needs, finder, now)?;
    seat.reconnect(now)?;
    Ok(InPlay(seat))
}
