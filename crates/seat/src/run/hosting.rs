//! A host that waits for its guests, decides who sits down, and plays.

mod requests;
mod seating;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use dealerless_connection::identity::{Fingerprint, PublicIdentity};
use dealerless_connection::{
    DoorEvent, Happened, Invite, Place, PolledConnection, PolledDoor, SpokenCode,
};
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, GuestAddresses, Proposal, TableTerms};

use self::requests::peer_of;
pub use self::seating::{HostedAt, host_again, host_table_again};
use super::admission::Admission;
use super::at_table::{AtTable, Reach};
use super::door;
use super::errors::NotBegun;
use super::gathering::Gathering;
use super::joining::Guest;
use super::lobby::Lobby;
use super::other_guests::Ways;
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Input, Program, ended, input_before_match, refuse};
use super::world::SeatWorld;
use crate::VERSION;
use crate::command::Said;
use crate::event::{Event, Refusal};
use crate::peers::{cannot_burn, is_blocked};
use crate::seat::{PlayerNeeds, Stopped};
use crate::words;

/// The time limit for the first code of an invite, with the look-up of the relay's name and the connection.
const FIRST_CODE: Duration = Duration::from_secs(30);

/// The settings of a host: its proposal, its invite, and the guests that it expects.
pub struct Hosted<W: SeatWorld> {
    /// The proposal: a match of two, or a table.
    pub proposal: Proposal,
    /// The addresses on which the door listens.
    pub listeners: Vec<String>,
    /// The invite of the guest, or the link of the table.
    pub invite: Invite,
    /// The relay at which this player waits for others.
    pub relay: Option<Place>,
    /// How this player reaches others at a table.
    pub ways: Option<Arc<dyn Ways<W>>>,
    /// The known peers that are seated without a question.
    pub expected: Vec<PublicIdentity>,
    /// The first events for the player, such as the invite. They are reported once the code is known.
    pub announced: Vec<Event>,
    /// Whether the door offers a code for the invite.
    pub offers_code: bool,
    /// Whether the player asks for a new match, although it may have an open one with a guest.
    pub wants_new: bool,
    /// When the host gives up if nobody has sat down.
    pub until: Duration,
}

impl<W: SeatWorld> Hosted<W> {
    /// A host that proposes this to those who come by its invite.
    pub fn new(proposal: Proposal, invite: Invite) -> Self {
        Hosted {
            announced: vec![invite_event(&invite, &proposal, None)],
            proposal,
            listeners: Vec::new(),
            invite,
            relay: None,
            ways: None,
            expected: Vec::new(),
            offers_code: false,
            wants_new: false,
            until: Duration::MAX,
        }
    }

    /// The terms of the table, if the host has opened one.
    fn table(&self) -> Option<&TableTerms> {
        match &self.proposal {
            Proposal::Match(_) => None,
            Proposal::Table(terms) => Some(terms),
        }
    }
}

/// The event that shows an invite to the host's player. `link` leads to a page.
pub fn invite_event(invite: &Invite, proposal: &Proposal, link: Option<String>) -> Event {
    Event::Invite {
        version: VERSION,
        invite: invite.to_string(),
        link,
        code: None,
        seats: match proposal {
            Proposal::Match(_) => None,
            Proposal::Table(terms) => Some(terms.stakes.seats() as u8),
        },
    }
}

/// A host, from the invite to the end of the match.
pub struct Host<W: SeatWorld> {
    needs: PlayerNeeds,
    hosted: Hosted<W>,
    /// The door, until a match of two begins.
    door: Option<PolledDoor<W::Sockets>>,
    admission: Admission<W>,
    /// The table, if the host has opened one.
    table: Option<Table<W>>,
    lobby: Lobby<W::Sockets>,
    farewells: Vec<Farewell<W>>,
    /// Until when the first events wait for a code.
    code_until: Option<Duration>,
    /// Whether the input of the player has ended, which the match must see.
    input_has_ended: bool,
    /// The match of two.
    seat: Option<Box<SeatInPlay<W>>>,
    /// The players of the match at the table who say that they have continued it without this one: which match, and the
    /// chips of this player.
    continued: BTreeMap<Fingerprint, (MatchId, u64)>,
    /// The guest that the host has become, because the table has gone on without it.
    guest: Option<Box<Guest<W>>>,
}

/// A table of this host.
struct Table<W: SeatWorld> {
    own: AtTable<W>,
    /// The admitted guests.
    gathering: Gathering<W::Sockets>,
    /// The players at the table, as the host's player was told.
    shown: Option<Event>,
}

/// A guest that is sent the end of a match.
struct Farewell<W: SeatWorld> {
    peer: PublicIdentity,
    seat: Box<SeatInPlay<W>>,
    until: Duration,
}

/// The notice to a player whose invite was used by a blocked player.
const BURNT: &str = "a blocked player has used your invite; run host again for a new one";

impl<W: SeatWorld> Host<W> {
    /// A host that waits at a door.
    pub fn new(
        own: &Own<W>,
        door: PolledDoor<W::Sockets>,
        mut hosted: Hosted<W>,
        needs: PlayerNeeds,
        now: Duration,
    ) -> Self {
        let terms = hosted.table().cloned();
        let is_open = terms.as_ref().is_some_and(|terms| terms.is_open);
        let table = terms.map(|terms| {
            let reach = Reach {
                ways: hosted.ways.clone(),
                listeners: hosted.listeners.clone(),
                addresses: GuestAddresses::new(hosted.invite.addresses().to_vec()),
                route: None,
                is_local: true,
                door: None,
                lobby: Lobby::new(),
            };
            Table::of(own, AtTable::hosting(terms, needs, reach))
        });
        let code_until = hosted.offers_code.then(|| now + FIRST_CODE);
        let admission = Admission::new(needs, is_open, std::mem::take(&mut hosted.expected));
        let mut host = Host {
            needs,
            hosted,
            door: Some(door),
            admission,
            table,
            lobby: Lobby::new(),
            farewells: Vec::new(),
            code_until,
            input_has_ended: false,
            seat: None,
            continued: BTreeMap::new(),
            guest: None,
        };
        if code_until.is_none() {
            host.announce(own, None);
        }
        host
    }

    /// Tells the player the first events, with the code of the invite if there is one.
    fn announce(&mut self, own: &Own<W>, first: Option<&SpokenCode>) {
        self.code_until = None;
        let mut events = std::mem::take(&mut self.hosted.announced);
        if let Some(Event::Invite { code, .. }) = events.first_mut() {
            *code = first.map(SpokenCode::to_string);
        }
        events.iter().for_each(|event| own.world.report(event));
        self.show_table(own);
    }

    /// Handles all events at the door.
    ///
    /// # Errors
    /// If the host cannot wait any more.
    fn take_events(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        while let Some(event) = self.door.as_mut().and_then(PolledDoor::next_event) {
            self.at_door(own, event, now)?;
        }
        Ok(())
    }

    /// Handles an event at the door.
    ///
    /// # Errors
    /// If the host cannot wait any more.
    fn at_door(
        &mut self,
        own: &mut Own<W>,
        event: DoorEvent<PolledConnection<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let is_first = self.code_until.is_some();
        match event {
            DoorEvent::Connection(connection) => {
                if is_first {
                    self.announce(own, None);
                }
                self.arrived(own, *connection, now);
            }
            DoorEvent::CannotBurn(error) => bail!(cannot_burn(&error)),
            DoorEvent::NewCode { code, .. } if is_first => self.announce(own, Some(&code)),
            DoorEvent::CodeVoid { .. } if is_first => self.announce(own, None),
            DoorEvent::NewCode { code, .. } => {
                own.notice(format!("The new code: dealerless join {code}"));
            }
            DoorEvent::CodeVoid { why, is_last, .. } => {
                let mut text = words::sentence(&why.to_string());
                if is_last {
                    text += " No new code is offered: send the invite.";
                }
                own.notice(text);
            }
            DoorEvent::LinkUsedUp(_) => {
                own.notice("The link was used too often. A new one replaces it.");
                self.replace_link(own, now)?;
            }
            event => door::report(&own.world, &own.leaks, event),
        }
        Ok(())
    }

    /// A peer has connected.
    fn arrived(
        &mut self,
        own: &mut Own<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) {
        let by_invite = connection.met.came_by(&self.hosted.invite);
        let is_table = self.hosted.table().is_some();
        let warning = match self.recognise(own, &connection, by_invite, now) {
            Ok(warning) => warning,
            Err(error) => return self.did_not_sit(own, peer_of(&connection), &error),
        };
        if by_invite && !is_table {
            let peer = &connection.met.peer;
            if !is_blocked(&own.peers.lock(), peer) {
                self.admission.expect(peer);
            } else if self.admission.is_news(peer) {
                own.notice(BURNT);
            }
        }
        self.lobby.admit(connection, warning, now);
    }

    /// Looks up a peer that has connected. Returns a notice that the player gets if the peer sits down. A player who comes
    /// to a table, by its link or by an older invite, is kept as a known peer when it is admitted.
    fn recognise(
        &mut self,
        own: &mut Own<W>,
        connection: &PolledConnection<W::Sockets>,
        by_invite: bool,
        now: Duration,
    ) -> anyhow::Result<Option<String>> {
        let is_known = own.peers.lock().get(&connection.met.peer).is_some();
        if self.hosted.table().is_some() && !is_known {
            return own.look_up(connection);
        }
        self.remember(own, connection, by_invite, now)
    }

    /// Keeps a peer, and waits for it at the relay from now on.
    pub(super) fn remember(
        &mut self,
        own: &mut Own<W>,
        connection: &PolledConnection<W::Sockets>,
        by_invite: bool,
        now: Duration,
    ) -> anyhow::Result<Option<String>> {
        let relay = self.hosted.relay.as_ref();
        let is_known = own.peers.lock().get(&connection.met.peer).is_some();
        let warning = own.recognise(connection, relay.filter(|_| by_invite))?;
        if let (Some(relay), Some(door), false) = (relay, &mut self.door, is_known) {
            door.wait_for_known(relay.clone(), &connection.met.peer, now);
        }
        Ok(warning)
    }

    /// Ends a question if the input of the player has ended.
    fn answer_for_nobody(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        if self.input_has_ended
            && let Some(answered) = self.admission.input_ended(own, &mut self.lobby, now)
        {
            self.answered(own, answered, now)?;
        }
        Ok(())
    }

    /// Does all that is due before the match.
    fn wait(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let waits = self.table.as_ref().is_none_or(|table| table.own.waits());
        ensure!(!waits || now < self.hosted.until, "nobody sat down in time");
        if self.code_until.is_some_and(|until| now >= until) {
            self.announce(own, None);
        }
        if let Some(door) = &mut self.door {
            door.step(now);
        }
        self.take_events(own, now)?;
        if let Some(connection) = self.admission.step(own, now) {
            let error = anyhow!("nobody answered in time");
            self.does_not_sit(own, connection, &error, now);
        }
        self.answer_for_nobody(own, now)?;
        // What others want depends on whether the player resumes a match.
        while self.seat.is_none()
            && !self.admission.decides()
            && let Some(arrived) = self.lobby.step(now)
        {
            self.asked(own, arrived, now)?;
            self.answer_for_nobody(own, now)?;
        }
        if self.admission.decides() {
            self.lobby.keep_waiting(now);
        }
        Ok(())
    }

    /// Something has happened to a connection before the match.
    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(connection) = self.waiting(number) {
            connection.happened(what, now);
        } else if let Some(table) = &mut self.table
            && table.own.has(number)
        {
            table.own.input(own, Input::Socket(number, what), now)?;
        } else if let Some(door) = &mut self.door {
            door.happened(number, what, now);
            self.take_events(own, now)?;
        }
        Ok(())
    }

    /// A command of the player before the match.
    fn said(
        &mut self,
        own: &mut Own<W>,
        said: &Said,
        turn: Option<u64>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let plays = (self.table.as_ref()).is_some_and(|table| table.own.takes_commands());
        match said {
            Said::Leave { .. } if W::IN_PAGE && !plays => return Err(NotBegun.into()),
            Said::Start {} => {
                if let Err(why) = self.start() {
                    refuse(&own.world, (Refusal::NotAllowed, why.to_owned()));
                }
                return Ok(());
            }
            Said::LinkNew {} => return self.replace_link(own, now),
            Said::Decline { fingerprint } => {
                let table = self.table.as_mut();
                let guest = table.and_then(|table| table.gathering.turn_away(fingerprint, now));
                if let Some(connection) = guest {
                    self.admission.declines(&connection.met.peer);
                    self.lobby.decline(connection, &Control::Declined, now);
                    self.show_table(own);
                    return Ok(());
                }
            }
            Said::Accept { .. } => {}
            said => {
                let table = self.table.as_mut();
                if let Some(table) = table.filter(|table| table.own.takes_commands()) {
                    return table.own.input(own, Input::Said(said.clone(), turn), now);
                }
            }
        }
        match (self.admission).answer(own, said, &mut self.lobby, now) {
            Ok(Some(answered)) => self.answered(own, answered, now)?,
            Ok(None) => {}
            Err(complaint) => refuse(&own.world, complaint),
        }
        Ok(())
    }
}

impl<W: SeatWorld> Table<W> {
    fn of(own: &Own<W>, table: AtTable<W>) -> Self {
        let (keys, name) = own.player();
        let seats = table.terms().stakes.seats();
        Table {
            own: table,
            gathering: Gathering::new(seats, (keys.clone(), name.clone())),
            shown: None,
        }
    }
}

impl<W: SeatWorld> Host<W> {
    /// The connection with this number of a player who has no part in a match.
    fn waiting(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let table = self.table.as_mut();
        let gathered = table.and_then(|table| table.gathering.connection(number));
        let asked = gathered.or_else(|| self.admission.connection(number));
        asked.or_else(|| self.lobby.connection(number))
    }

    /// Begins the match with those who have a seat.
    fn start(&mut self) -> Result<(), &'static str> {
        match &mut self.table {
            None => Err("the match begins when the other player sits down"),
            Some(table) if !table.own.waits() => Err("the table plays already"),
            Some(table) => table.gathering.start(),
        }
    }

    /// Replaces the link of the table. The holders of the old link get no answer any more. Declined players may ask again
    /// with the new one.
    fn replace_link(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        if self.code_until.is_some() {
            // Otherwise the old link would be shown later.
            self.announce(own, None);
        }
        let (Some(terms), Some(door)) = (self.hosted.table(), &mut self.door) else {
            let why = "only the link of a table can be replaced";
            refuse(&own.world, (Refusal::NotAllowed, why.to_owned()));
            return Ok(());
        };
        let old = self.hosted.invite.clone();
        let came_by_old = |connection: &PolledConnection<W::Sockets>| connection.met.came_by(&old);
        self.lobby.drop_silent(came_by_old);
        self.admission.drop_waiting(own, came_by_old);
        own.end_link(&old)?;
        let new = own.table_link(terms, old.addresses().to_vec(), old.relay().cloned())?;
        door.end_codes();
        if let Some(relay) = &self.hosted.relay {
            door.wait_for_invite(relay.clone(), &new, now);
            if self.hosted.offers_code {
                door.offer_code(relay.clone(), &new, now);
            }
        }
        own.world
            .report(&invite_event(&new, &self.hosted.proposal, None));
        self.hosted.invite = new;
        self.admission.forget_declined();
        Ok(())
    }
}

/// The seat that sends the end of a match on the socket with this number.
fn farewell<W: SeatWorld>(
    farewells: &mut [Farewell<W>],
    number: u32,
) -> Option<&mut SeatInPlay<W>> {
    let mut seats = farewells.iter_mut().map(|farewell| &mut *farewell.seat);
    seats.find_map(|seat| seat.has(number).then_some(seat))
}

impl<W: SeatWorld> Program<W> for Host<W> {
    fn has(&mut self, number: u32) -> bool {
        if let Some(guest) = &mut self.guest {
            return guest.has(number);
        }
        if farewell(&mut self.farewells, number).is_some() {
            return true;
        }
        if let Some(seat) = &mut self.seat {
            return seat.has(number);
        }
        self.door.as_ref().is_some_and(|door| door.has(number))
            || self.waiting(number).is_some()
            || (self.table.as_mut()).is_some_and(|table| table.own.has(number))
    }

    fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        if self.guest.is_some() {
            return self.guest.as_mut()?.connection(number);
        }
        if self.seat.is_some() {
            return self.seat.as_mut()?.connection(number);
        }
        if (self.table.as_mut()).is_some_and(|table| table.own.connection(number).is_some()) {
            return self.table.as_mut()?.own.connection(number);
        }
        self.waiting(number)
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        if let Some(guest) = &mut self.guest {
            return guest.seat();
        }
        let table = self.table.as_mut();
        let seat = table.and_then(|table| table.own.seat());
        seat.or(self.seat.as_deref_mut())
    }

    fn input(&mut self, own: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()> {
        if let Some(guest) = &mut self.guest {
            return guest.input(own, input, now);
        }
        let farewell = match &input {
            Input::Socket(number, _) => farewell(&mut self.farewells, *number),
            _ => None,
        };
        if let Some(seat) = farewell.or(self.seat.as_deref_mut()) {
            seat.input(input, now);
            return Ok(());
        }
        let table = self.table.as_mut();
        let plays = table.filter(|table| table.own.takes_commands());
        match input {
            Input::Socket(number, what) => self.happened(own, number, what, now),
            Input::Said(said, turn) => self.said(own, &said, turn, now),
            input if let Some(table) = plays => table.own.input(own, input, now),
            Input::AskLeave => self.said(own, &Said::Leave { anyhow: false }, None, now),
            Input::Ended if !self.needs.is_program => {
                // The match must see the end of the input, too.
                self.input_has_ended = true;
                self.answer_for_nobody(own, now)
            }
            input => input_before_match(&own.world, input),
        }
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        if let Some(guest) = &mut self.guest {
            return guest.step(own, now);
        }
        // Errors change nothing: the match is over here.
        (self.farewells).retain_mut(|one| one.seat.step(now).is_none() && now < one.until);
        if self.seat.is_none() {
            self.wait(own, now)?;
        }
        let mut left_out = self.is_left_out();
        if left_out.is_none()
            && let Some(stopped) = self.step_table(own, now)?
        {
            let table = self.table.as_ref();
            left_out = match (&stopped, table.and_then(|table| table.own.of())) {
                // This player was not the host any more.
                (Stopped::Declined(Control::WentOn(_, chips)), Some(of)) => Some((of, *chips)),
                _ => None,
            };
            if left_out.is_none() {
                self.turn_away_waiting(now);
                let seat = self.table.as_mut().and_then(|table| table.own.seat());
                return seat.map_or(Ok(true), |seat| ended(own, seat, &stopped).map(|()| true));
            }
        }
        if let Some((of, chips)) = left_out {
            let mut guest = self.becomes_guest(own, of, chips, now)?;
            let has_ended = guest.step(own, now);
            self.guest = Some(guest);
            return has_ended;
        }
        let Some(seat) = &mut self.seat else {
            return Ok(false);
        };
        let Some(stopped) = seat.step(now).transpose()? else {
            return Ok(false);
        };
        ended(own, seat, &stopped).map(|()| true)
    }

    fn timer(&mut self, now: Duration) -> Duration {
        if let Some(guest) = &mut self.guest {
            return guest.timer(now);
        }
        let farewells = self.farewells.iter();
        let farewells = farewells.map(|one| one.seat.timer(now).min(one.until));
        let farewells = farewells.min().unwrap_or(Duration::MAX);
        if let Some(seat) = &self.seat {
            return seat.timer(now).min(farewells);
        }
        let table = self.table.as_mut();
        let waits = table.as_ref().is_none_or(|table| table.own.waits());
        let gathering = table.as_ref().map(|table| table.gathering.timer());
        let at_table = table.map(|table| table.own.timer(now));
        let times = [
            Some(farewells),
            Some(self.hosted.until).filter(|_| waits),
            self.door.as_ref().map(PolledDoor::timer),
            Some(self.lobby.timer()),
            Some(self.admission.timer()),
            gathering,
            at_table,
            self.code_until,
        ];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }
}
