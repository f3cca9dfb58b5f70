//! The begin of a match at its host: the files, the finder of the players, and the seat.

use std::time::Duration;

use dealerless_connection::identity::Name;
use dealerless_connection::{PolledConnection, PolledDoor, Stream};
use dealerless_table::log::Sitting;
use dealerless_table::play::{Control, Seating};

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
                self.admission_lapses(own, "Another player has sat down.", now);
                let gathered = self.gathering.take().map(Gathering::into_connections);
                for connection in gathered.into_iter().flatten() {
                    self.lobby.decline(connection, &Control::Taken, now);
                }
                keep_listeners(own, &kept.name, &self.hosted.listeners)?;
                let files = matches::resume(own, kept)?;
                self.play(own, files, |seat| seat.resume(connection, now), now)
            }
            None if self.gathering.is_some() => {
                self.gather(own, connection, now);
                Ok(())
            }
            None => {
                let (met, header) = (&connection.met, self.hosted.header.clone());
                let Seating { sitting, circuit } = Seating::of_meeting(met, header, own.player())?;
                self.admission_lapses(own, "Another player has sat down.", now);
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

    fn admission_lapses(&mut self, own: &Own<W>, why: &str, now: Duration) {
        self.admission
            .lapse(own, &Control::Taken, why, &mut self.lobby, now);
    }

    /// A guest of a match of several takes a place.
    fn gather(&mut self, own: &Own<W>, connection: PolledConnection<W::Sockets>, now: Duration) {
        let Some(gathering) = &mut self.gathering else {
            return;
        };
        let peer = &connection.met.peer;
        if !gathering.has(peer) && gathering.is_for_others(peer) {
            return self.lobby.decline(connection, &Control::Taken, now);
        }
        let name = connection.met.peer_name.clone();
        gathering.add(connection, now);
        let (present, wanted) = (gathering.present(), gathering.wanted());
        own.notice(format!("{name} is here: {present} of {wanted} players."));
    }

    /// Tells the player that a guest of a match of several has left before it begins.
    pub(super) fn has_left(&self, own: &Own<W>, name: &Name) {
        if let Some(gathering) = &self.gathering {
            let (left, wanted) = (gathering.present(), gathering.wanted());
            let text = format!("{name} has left: {left} of {wanted} players are here.");
            own.notice(text);
        }
    }

    /// Processes the answers of the guests who have come. Begins the match once they have agreed to it.
    pub(super) fn gathered(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        let mut may_propose = true;
        if let Some(absentees) = &mut self.hosted.absentees
            && gathering.is_full()
        {
            absentees.must_be_absent()?;
            may_propose = now >= absentees.tried_at();
        }
        match gathering.step(may_propose, now) {
            None => {}
            Some(Change::Left(name)) => self.has_left(own, &name),
            Some(Change::CannotBegin(error)) => return Err(error.into()),
            Some(Change::Proposed) => own
                .notice("All players are here. Waiting for them to agree to the list of players."),
            Some(Change::Complete(mut agreed)) => {
                self.admission_lapses(own, "All seats are taken.", now);
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
