//! The begin of a match at its host: the files, the finder of the players, and the seat.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dealerless_connection::identity::{Address, Name, PublicIdentity};
use dealerless_connection::{Admits, Place, PolledConnection, PolledDoor, Stream};
use dealerless_table::log::{MatchId, Sitting};
use dealerless_table::play::{Control, GuestAddresses, Proposal, Seating};

use super::requests::Arrival;
use super::{Host, Hosted, Table, invite_event};
use crate::run::at_table::{AtTable, Reach};
use crate::run::continued::{before_unopened, give_up_unopened};
use crate::run::finding::Finder;
use crate::run::joining::Guest;
use crate::run::lobby::{Arrived, Lobby};
use crate::run::matches::{self, Kept, NewMatch};
use crate::run::other_guests::{
    Ways, keep_listeners, kept_listeners, keys_of_guests, tell_absent_host,
};
use crate::run::own::Own;
use crate::run::playing::{SeatFiles, SeatInPlay};
use crate::run::program::{InPlay, Input};
use crate::run::world::SeatWorld;
use crate::seat::{PlayerNeeds, Stopped};
use crate::words::tables;

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
                self.turn_away_waiting(now);
                self.table = None;
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

    /// Turns away the guests who wait for a seat: this player gives them none any more.
    pub(super) fn turn_away_waiting(&mut self, now: Duration) {
        let waiting = self.table.as_mut().map(|table| table.gathering.close());
        for connection in waiting.into_iter().flatten() {
            self.lobby.decline(connection, &Control::Taken, now);
        }
    }

    /// An admitted guest takes a seat at the table, or waits for one. It is a known peer from now on, and is not asked
    /// about when it comes back.
    fn gather(
        &mut self,
        own: &mut Own<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(Table { gathering, .. }) = &self.table else {
            return Ok(());
        };
        let (peer, name) = (&connection.met.peer, &connection.met.peer_name);
        if !gathering.has(peer) && !gathering.has_place() {
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
        if let Some(Table { gathering, .. }) = &mut self.table {
            gathering.add(connection, now);
            self.show_table(own);
        }
        Ok(())
    }

    /// Tells the player who has a seat at the table.
    pub(super) fn show_table(&mut self, own: &Own<W>) {
        if let Some(table) = &mut self.table {
            let event = Some(table.gathering.table());
            if event != table.shown {
                event.iter().for_each(|event| own.world.report(event));
                table.shown = event;
            }
        }
    }

    /// Does all that is due at the table. Returns why the player has stopped, once it has.
    ///
    /// # Errors
    /// If the player cannot go on.
    pub(super) fn step_table(
        &mut self,
        own: &mut Own<W>,
        now: Duration,
    ) -> anyhow::Result<Option<Stopped>> {
        self.keep_role(own, now)?;
        let Some(table) = &mut self.table else {
            return Ok(None);
        };
        let has_changed = table.gathering.step(now);
        if table.own.waits() {
            match table.gathering.may_begin() {
                true => table.own.begin_first(own, now),
                false if table.own.ends_first() => table.gathering.expect(0, now),
                false => {}
            }
        }
        let has_newcomer = table.gathering.has_newcomer();
        table.own.wants_change(has_newcomer);
        let gathering = self.door.is_some().then_some(&mut table.gathering);
        let stopped = table.own.step(own, gathering, now)?;
        table.gathering.sit(table.own.players(own), now);
        let without_seat = table.own.take_without_seat();
        for peer in table.own.take_stalled() {
            self.admission.suspect(&peer);
        }
        let waits = self.table.as_ref().is_some_and(|table| table.own.waits());
        if (has_changed || waits) && self.code_until.is_none() {
            self.show_table(own);
        }
        for (connection, request) in without_seat {
            match request {
                None => self.lobby.admit(connection, None, now),
                Some(request) => {
                    let arrived = Arrived {
                        connection,
                        request: Ok(request),
                        warning: None,
                    };
                    self.asked(own, arrived, now)?;
                }
            }
        }
        Ok(stopped)
    }

    /// Ends the link if this player is no longer the host, and makes a new one if it is the host again.
    fn keep_role(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let Some(table) = &mut self.table else {
            return Ok(());
        };
        match (table.own.is_host(own), self.door.take()) {
            (false, Some(mut door)) => {
                own.end_link(&self.hosted.invite)?;
                door.end_codes();
                table.own.has_door(door);
                self.turn_away_waiting(now);
            }
            (true, None) => {
                if let Some(door) = table.own.reach_mut().door.take() {
                    self.reopen(own, door, now)?;
                }
            }
            (_, door) => self.door = door,
        }
        Ok(())
    }

    /// Makes a new link, and answers everybody who has it.
    fn reopen(
        &mut self,
        own: &Own<W>,
        mut door: PolledDoor<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(table) = &mut self.table else {
            return Ok(());
        };
        let old = &self.hosted.invite;
        let (addresses, relay) = (old.addresses().to_vec(), old.relay().cloned());
        let link = own.table_link(table.own.terms(), addresses, relay)?;
        door.admit(
            Admits::Invited(own.peers.clone()),
            self.hosted.proposal.encode(),
        );
        if let Some(relay) = &self.hosted.relay {
            door.wait_for_invite(relay.clone(), &link, now);
        }
        own.world
            .report(&invite_event(&link, &self.hosted.proposal, None));
        own.notice(tables::hosts(&link.to_string()));
        let relay = self.hosted.relay.as_ref();
        let players = waits_for_members(own, &mut door, &table.own, relay, now)?;
        table.gathering.sit(players, now);
        self.hosted.invite = link;
        self.door = Some(door);
        Ok(())
    }

    /// The match that the others have continued without this host, and its chips there. `None` unless they are more than
    /// half of the players. One of them alone must not be able to end the table of this host.
    pub(super) fn is_left_out(&self) -> Option<(MatchId, u64)> {
        let table = &self.table.as_ref()?.own;
        let of = table.of()?;
        let said = (self.continued.iter()).filter(|(_, (continued, _))| *continued == of);
        let (players, chips): (Vec<_>, Vec<u64>) =
            said.map(|(player, (_, chips))| (*player, *chips)).unzip();
        // Without chips, the player is asked before it buys any.
        let chips = chips.into_iter().min()?;
        table.is_continued_by(&players).then_some((of, chips))
    }

    /// Gives up the role of the host. Returns the guest that asks the new host for a seat.
    pub(super) fn becomes_guest(
        &mut self,
        own: &mut Own<W>,
        of: MatchId,
        chips: u64,
        now: Duration,
    ) -> anyhow::Result<Box<Guest<W>>> {
        self.close_door(own, now);
        self.turn_away_waiting(now);
        own.end_link(&self.hosted.invite)?;
        let mut table = self.table.take().context("there is no table")?.own;
        table.give_up(own, None, now)?;
        let terms = table.terms().clone();
        // Closes the record and all sockets.
        drop((table, self.door.take()));
        self.lobby = Lobby::new();
        self.farewells.clear();
        let kept = matches::find(own, &of)?.context("the record of the match is lost")?;
        let ways = self.hosted.ways.clone();
        let mut guest = Guest::was_host(own, terms, ways, self.needs, &kept, chips, now)?;
        if self.input_has_ended {
            guest.input_has_ended();
        }
        Ok(Box::new(guest))
    }

    /// Takes the guest that the host has become.
    pub(in crate::run) fn take_guest(&mut self) -> Option<Box<Guest<W>>> {
        self.guest.take()
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
        let (ways, past) = (
            self.hosted.ways.as_deref(),
            sitting.match_info.header().past(),
        );
        tell_absent_host(own, past, finder, |host| ways?.route(host), now)
    }
}

impl<W: SeatWorld> Host<W> {
    /// A host of a table that is played already. The door answers everybody who has the link, and the players of the
    /// match: they are known peers from now on, also those whom another host has admitted.
    ///
    /// # Errors
    /// If the known peers cannot be kept.
    fn of_table(
        own: &Own<W>,
        mut door: PolledDoor<W::Sockets>,
        table: AtTable<W>,
        hosted: Hosted<W>,
        needs: PlayerNeeds,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let proposal = hosted.proposal.encode();
        door.admit(Admits::Invited(own.peers.clone()), proposal);
        let players = waits_for_members(own, &mut door, &table, hosted.relay.as_ref(), now)?;
        if let Some(relay) = &hosted.relay {
            door.wait_for_invite(relay.clone(), &hosted.invite, now);
        }
        let mut host = Host::new(own, door, hosted, needs, now);
        let mut table = Table::of(own, table);
        table.gathering.sit(players, now);
        host.table = Some(table);
        Ok(host)
    }

    /// The host of a table in which this player has the first seat now.
    ///
    /// # Errors
    /// If the link cannot be kept.
    pub(in crate::run) fn succeeding(
        own: &Own<W>,
        mut table: AtTable<W>,
        needs: PlayerNeeds,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let reach = table.reach_mut();
        let ways = reach.ways.clone();
        let (listeners, addresses) = (reach.listeners.clone(), reach.addresses.as_slice().to_vec());
        let door = reach.door.take().context("there is no door")?;
        let relay = ways.as_ref().and_then(|ways| ways.relay());
        let at_relay = relay.as_ref().and_then(Place::tcp).cloned();
        let link = own.table_link(table.terms(), addresses, at_relay)?;
        own.notice(tables::hosts(&link.to_string()));
        let hosted = Hosted {
            ways,
            listeners,
            relay,
            ..Hosted::new(table.proposal(), link)
        };
        Host::of_table(own, door, table, hosted, needs, now)
    }
}

/// Keeps the players of the match as known peers. Lets the door wait at the relay for them, and for each known player in
/// the list of the table, also without a seat. Returns the players who sit at the table.
///
/// # Errors
/// If the known peers cannot be kept.
fn waits_for_members<W: SeatWorld>(
    own: &Own<W>,
    door: &mut PolledDoor<W::Sockets>,
    table: &AtTable<W>,
    relay: Option<&Place>,
    now: Duration,
) -> anyhow::Result<Vec<(PublicIdentity, Name)>> {
    let players = table.players(own);
    let absent = table.others().iter();
    let absent = absent.map(|other| (other.identity.clone(), other.name.clone()));
    let mut peers = own.peers.lock();
    for (player, name) in players.iter().cloned().chain(absent) {
        if player != *own.identity.public() {
            peers.remember(&player, &name, &[], None)?;
        }
    }
    let members = table.members().into_iter();
    let members = members.filter_map(|member| peers.find(&member.to_string()).ok());
    let members = members.filter(|peer| !peer.blocked);
    let members = members.map(|peer| &peer.identity);
    if let Some(relay) = relay {
        for player in members.chain(players.iter().map(|(player, _)| player)) {
            if player != own.identity.public() {
                door.wait_for_known(relay.clone(), player, now);
            }
        }
    }
    drop(peers);
    Ok(players)
}

/// The addresses at which others reach a host that resumes a match of a table, and how it reaches them.
pub struct HostedAt<W: SeatWorld> {
    /// How this player reaches others.
    pub ways: Arc<dyn Ways<W>>,
    /// The addresses in the link of the table.
    pub addresses: Vec<Address>,
    /// The relay at which this player waits for others.
    pub relay: Option<Place>,
}

/// A host that resumes a match of a table, whose terms are kept with it.
///
/// # Errors
/// If the match cannot be resumed here.
pub fn host_table_again<W: SeatWorld>(
    own: &Own<W>,
    door: PolledDoor<W::Sockets>,
    at: HostedAt<W>,
    kept: Kept<W::Files>,
    needs: PlayerNeeds,
    now: Duration,
) -> anyhow::Result<Host<W>> {
    let HostedAt {
        ways,
        addresses,
        relay,
    } = at;
    let kept = before_unopened(own, kept)?;
    give_up_unopened(own, &kept)?;
    let terms = matches::kept_table(own, &kept.name).map(|table| table.terms);
    let terms = terms.context("the terms of the table are lost")?;
    let listeners = kept_listeners(own, &kept.name)?.unwrap_or_default();
    let files: SeatFiles<W> = matches::resume(own, kept)?;
    let finder = Finder::of_guests(own, &files.sitting);
    let finder = tell_absent_host(
        own,
        files.sitting.match_info.header().past(),
        finder,
        |host| ways.route(host),
        now,
    );
    let mut seat = SeatInPlay::new(own, files, needs, finder, now)?;
    seat.reconnect(now)?;
    let reach = Reach {
        ways: Some(Arc::clone(&ways)),
        listeners: listeners.clone(),
        addresses: GuestAddresses::new(addresses.clone()),
        is_local: true,
        route: None,
        door: None,
        lobby: Lobby::new(),
    };
    let table = AtTable::resuming(terms.clone(), needs, reach, seat);
    let at_relay = relay.as_ref().and_then(Place::tcp).cloned();
    let link = own.table_link(&terms, addresses, at_relay)?;
    let hosted = Hosted {
        ways: Some(ways),
        listeners,
        relay,
        ..Hosted::new(terms.into(), link)
    };
    Host::of_table(own, door, table, hosted, needs, now)
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
    let finder = tell_absent_host(
        own,
        files.sitting.match_info.header().past(),
        finder,
        |host| ways?.route(host),
        now,
    );
    let mut seat = SeatInPlay::new(own, files, needs, finder, now)?;
    seat.reconnect(now)?;
    Ok(InPlay(seat))
}
