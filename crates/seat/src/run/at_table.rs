//! A player at a table: the match that it plays, the handover to the next one, and its connections, which move from match
//! to match. The same for the host and for a guest; a host also has a door and the guests whom it admits.
//!
//! A connection carries the log of one match at a time. Each side sends *Resume* with the id of the match that it is in
//! before it sends anything of that log, and ignores what comes from the other side until both are in the same match.

mod between;
mod lists;
mod messages;
mod newcomer;
mod next;

pub(super) use self::newcomer::HasOpen;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_connection::{
    Admits, DoorEvent, Happened, PolledConnection, PolledDoor, Stream, system_rng,
};
use dealerless_table::Seat;
use dealerless_table::log::{MatchId, Member, Past};
use dealerless_table::play::{Control, GuestAddresses, Proposal, TableTerms};
use rand::Rng;

use self::between::Between;
use self::newcomer::Newcomer;
use self::next::Next;
use super::door;
use super::finding::Route;
use super::gathering::Gathering;
use super::lobby::Lobby;
use super::matches;
use super::other_guests::Ways;
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Input, refuse};
use super::world::SeatWorld;
use crate::command::{Said, not_asked};
use crate::event::Event;
use crate::seat::{Other, PlayerNeeds, Stopped};
use crate::words::tables;

/// How other players reach this one.
pub(super) struct Reach<W: SeatWorld> {
    pub(super) ways: Option<Arc<dyn Ways<W>>>,
    /// The addresses of the listeners.
    pub(super) listeners: Vec<String>,
    /// The addresses at which the other players may reach this one.
    pub(super) addresses: GuestAddresses,
    /// The route to the host through which this player came to the table.
    pub(super) route: Option<Route>,
    /// Whether the host was reached on loopback.
    pub(super) is_local: bool,
    /// The door of a guest for the other players. A host has its own.
    pub(super) door: Option<PolledDoor<W::Sockets>>,
    /// The players who have come to the door.
    pub(super) lobby: Lobby<W::Sockets>,
}

/// A player at a table.
pub(super) struct AtTable<W: SeatWorld> {
    terms: TableTerms,
    needs: PlayerNeeds,
    reach: Reach<W>,
    /// The match that is played, or that is over until the next one begins.
    seat: Option<Box<SeatInPlay<W>>>,
    /// The handover from this match to the next one.
    between: Option<Between>,
    /// The wait for a seat.
    newcomer: Option<Newcomer<W>>,
    /// The next match, after this player has signed in it and before it begins.
    next: Option<Next<W>>,
    /// The match that each player is in, by its last statement.
    marks: BTreeMap<Fingerprint, MatchId>,
    /// The messages about the next match that arrived before the end of this one: of each player, the last one of each
    /// kind.
    early: Vec<(PublicIdentity, Control)>,
    /// The connections to players who ask for a seat, or have none in the next match. A host takes them.
    without_seat: Vec<(PolledConnection<W::Sockets>, Option<Control>)>,
    /// Whether the player has been in a match of the table. It may have no seat in the next one.
    has_played: bool,
    /// Whether the player has ended the program.
    has_broken_off: bool,
    /// Whether the player has left the table without the end of a match.
    has_left: bool,
    /// Whether the player leaves with the next match, or when it gives way.
    leaves: bool,
    /// Whether the program has been started again since the end of the match before.
    is_resumed: bool,
    /// Whether the player, who had no seat before this match, has started its program again in it.
    is_newcomer: bool,
    /// Since when a newcomer is connected to nobody in a match that has not begun.
    alone: Option<Duration>,
    /// The number of times that each player has entered a match of this side since the last one has begun.
    joins: BTreeMap<Fingerprint, u32>,
    /// The players that a log of this side has convicted.
    convicted: Vec<Fingerprint>,
    /// The players of the matches before, the last ones at the end. They may not know that the table has gone on.
    were_here: Vec<PublicIdentity>,
    /// The results of the matches whose hosts were left out.
    absent_hosts: Vec<Past>,
    /// The newcomers that were ready and did not sign. The host does not admit them again without a question.
    stalled: Vec<PublicIdentity>,
}

impl<W: SeatWorld> AtTable<W> {
    fn new(terms: TableTerms, needs: PlayerNeeds, reach: Reach<W>) -> Self {
        AtTable {
            terms,
            needs,
            reach,
            seat: None,
            between: None,
            newcomer: None,
            next: None,
            marks: BTreeMap::new(),
            early: Vec::new(),
            without_seat: Vec::new(),
            has_played: false,
            has_broken_off: false,
            has_left: false,
            leaves: false,
            is_resumed: false,
            is_newcomer: false,
            alone: None,
            joins: BTreeMap::new(),
            convicted: Vec::new(),
            were_here: Vec::new(),
            absent_hosts: Vec::new(),
            stalled: Vec::new(),
        }
    }

    /// The player who has opened a table, before its first match.
    pub(super) fn hosting(terms: TableTerms, needs: PlayerNeeds, reach: Reach<W>) -> Self {
        AtTable::new(terms, needs, reach)
    }

    /// A player who resumes a match of the table.
    pub(super) fn resuming(
        terms: TableTerms,
        needs: PlayerNeeds,
        reach: Reach<W>,
        mut seat: SeatInPlay<W>,
    ) -> Self {
        seat.awaits_next();
        let opening = newcomer::opening_again(seat.log().match_info());
        let mut table = AtTable::new(terms, needs, reach);
        if !opening.seats.contains(seat.table.play().seat()) {
            seat.table.set_opening(Some(opening));
            table.is_newcomer = true;
        }
        table.is_resumed = seat.result().is_some();
        table.seat = Some(Box::new(seat));
        table.has_played = true;
        table
    }

    /// The next match if this player has signed in it, otherwise the match that is played or over.
    pub(super) fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        let next = self.next.as_mut().map(|next| &mut *next.seat);
        next.or(self.seat.as_deref_mut())
    }

    /// Whether the player waits for its first match of the table.
    pub(super) fn waits(&self) -> bool {
        self.seat.is_none() && !self.has_played
    }

    /// Whether the player has a seat, in the next match at least, or has lost it and may ask for one.
    pub(super) fn takes_commands(&self) -> bool {
        self.seat.is_some() || self.newcomer.is_some() || self.next.is_some()
    }

    /// The players who sit at the table, the host first.
    pub(super) fn players(&self, own: &Own<W>) -> Vec<(PublicIdentity, Name)> {
        let this = (own.identity.public().clone(), own.name.clone());
        let seat = self.next.as_ref().map(|next| &*next.seat);
        let Some(seat) = seat.or(self.seat.as_deref()) else {
            return vec![this];
        };
        let all = seat.players(this);
        let Some(between) = self.between.as_ref().filter(|_| self.next.is_none()) else {
            return all;
        };
        let members: Vec<Fingerprint> = between.handover.members().collect();
        let stays = |(player, _): &(PublicIdentity, Name)| members.contains(&player.fingerprint());
        all.into_iter().filter(stays).collect()
    }

    /// The players in the list of the table.
    pub(super) fn members(&self) -> Vec<Fingerprint> {
        let members = self.seat.as_ref().map(|seat| seat.log().members());
        let members = members.unwrap_or_default().into_iter();
        members.map(|member| member.player).collect()
    }

    /// The other players of the match that is played or over, also those who are not in the next one.
    pub(super) fn others(&self) -> &[Other] {
        self.seat.as_ref().map_or(&[], |seat| seat.others())
    }

    /// The match that is played, or that is over until the next one begins.
    pub(super) fn of(&self) -> Option<MatchId> {
        self.seat.as_ref().map(|seat| seat.of())
    }

    /// Whether a player is in the list of the table.
    pub(super) fn lists(&self, player: &PublicIdentity) -> bool {
        let player = player.fingerprint();
        self.members().contains(&player) && !self.convicted.contains(&player)
    }

    /// Takes the newcomers that were ready and did not sign.
    pub(super) fn take_stalled(&mut self) -> Vec<PublicIdentity> {
        std::mem::take(&mut self.stalled)
    }

    /// Whether a player is in the next match already.
    pub(super) fn enters_with(&self, player: &PublicIdentity) -> bool {
        let next = self.next.as_ref();
        next.is_some_and(|next| next.seat.seat_of(player).is_some())
    }

    /// The answer to a player that resumes an older match of the table. It is sent before all else, because a player whose
    /// match is not known here is kept for the next match. For the match that this player is in, no record is read: on some
    /// systems, a record that is in use cannot be read.
    pub(super) fn went_on(
        &self,
        own: &Own<W>,
        of: &MatchId,
        peer: &PublicIdentity,
    ) -> Option<Control> {
        let next = self.next.as_ref().map(|next| &*next.seat);
        let mut seats = next.into_iter().chain(self.seat.as_deref());
        match seats.any(|seat| seat.of() == *of) {
            true => None,
            false => super::continued::went_on(own, of, peer).ok().flatten(),
        }
    }

    /// The match that is played with this player, who has not left it.
    pub(super) fn plays_with(&self, player: &PublicIdentity) -> Option<MatchId> {
        let seat = self.seat.as_ref().filter(|_| self.between.is_none())?;
        let place = seat.seat_of(player)?;
        (!seat.log().gone().contains(&place)).then(|| seat.of())
    }

    /// Takes the connections to players without a seat, with their requests if they have sent one.
    pub(super) fn take_without_seat(
        &mut self,
    ) -> Vec<(PolledConnection<W::Sockets>, Option<Control>)> {
        std::mem::take(&mut self.without_seat)
    }

    /// Sets whether the match is to end with the hand in play, because a player waits for a free seat.
    pub(super) fn wants_change(&mut self, wants: bool) {
        if let Some(seat) = self.seat.as_mut().filter(|_| self.between.is_none()) {
            seat.table.play_mut().set_change(wants);
        }
    }

    /// Does all that is due. `waiting` are the guests whom the host has admitted. Returns why this player has stopped,
    /// once it has.
    ///
    /// # Errors
    /// If the player cannot go on.
    pub(super) fn step(
        &mut self,
        own: &mut Own<W>,
        mut waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<Option<Stopped>> {
        self.step_door(own, now)?;
        loop {
            if self.has_left {
                return Ok(Some(Stopped::Left));
            }
            let is_between = self.between.is_some() || self.newcomer.is_some();
            if self.leaves && is_between && self.next.is_none() {
                self.leaves = false;
                self.leave(own, now)?;
                continue;
            }
            if let Some(stopped) = self.gives_up_alone(now) {
                return Ok(Some(stopped));
            }
            if let Some(seat) = &mut self.seat
                && let Some(stopped) = seat.step(now)
            {
                let past = Past::of(seat.log());
                if let (Ok(Stopped::Over(_)), Some(past)) = (&stopped, past) {
                    own.notice(tables::closed(&self.list_of(own, &past)));
                }
                return stopped.map(Some);
            }
            if self.settle_open(own, waiting.as_deref_mut(), now)? {
                continue;
            }
            let end = self.seat.as_ref().and_then(|seat| seat.result());
            if let Some(end) = end.filter(|_| self.between.is_none()).cloned() {
                self.hand_over(own, &end, now)?;
                continue;
            }
            if let Some(next) = &mut self.next
                && let Some(stopped) = next.seat.step(now)
            {
                // A newcomer is told if the host does not know the match.
                let is_declined = matches!(stopped, Ok(Stopped::Declined(_)));
                if self.has_broken_off || is_declined && self.newcomer.is_some() {
                    return stopped.map(Some);
                }
                self.give_up(own, waiting.as_deref_mut(), now)?;
                continue;
            }
            if self.has_begun() {
                self.forget_matches_before(own)?;
                self.enter_next(own, waiting.as_deref_mut(), now)?;
                continue;
            }
            let received = self.receive(own, now)?;
            let advanced = self.step_handover(own, waiting.as_deref_mut(), now)?;
            let asked = self.step_newcomer(own, now)?;
            if !received && !advanced && !asked {
                return Ok(None);
            }
        }
    }

    /// A player without chips has sat down again or leaves: it does not resume the match any more in which it had some.
    fn forget_matches_before(&mut self, own: &Own<W>) -> anyhow::Result<()> {
        if self.newcomer.is_some() {
            let next = self.next.as_ref().map(|next| next.seat.record());
            matches::forget_tables(own, self.terms.id, next)?;
        }
        Ok(())
    }

    /// Whether the next match has begun for this player: it has opened its first cards there (S9).
    fn has_begun(&self) -> bool {
        let next = self.next.as_ref();
        next.is_some_and(|next| next.seat.table.play().has_begun())
    }

    /// The list of a result with names.
    fn list_of(&self, own: &Own<W>, past: &Past) -> Vec<(Name, Member)> {
        let this = (own.identity.public().clone(), own.name.clone());
        let seat = self.seat.as_ref();
        let seated = seat.map(|seat| seat.players(this)).unwrap_or_default();
        let names: Vec<Name> = seated.into_iter().map(|(_, name)| name).collect();
        let peers = own.peers.lock();
        let known = |player: Fingerprint| {
            let peer = peers.find(&player.to_string()).ok()?;
            Some(peer.name.clone())
        };
        tables::named(&names, past, known)
    }

    /// A player has come to resume the match `of`. Returns the connection if it does not belong to this table.
    ///
    /// # Errors
    /// If the file of the match cannot be written.
    pub(super) fn resumed(
        &mut self,
        mut connection: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<Option<PolledConnection<W::Sockets>>> {
        let player = connection.met.peer.clone();
        for seat in seats_in(&mut self.next, &mut self.seat) {
            if seat.of() == of && seat.seat_of(&player).is_some() {
                self.marks.insert(player.fingerprint(), of);
                return seat.arrived(connection, now).map(|()| None);
            }
        }
        let before = self.seat.as_mut().filter(|_| self.between.is_some());
        let Some(seat) = before.filter(|seat| seat.seat_of(&player).is_some()) else {
            return Ok(Some(connection));
        };
        // The player is in a next match that this side does not know yet, or has given up.
        self.marks.insert(player.fingerprint(), of);
        let resumes = Control::Resume(seat.of()).encode();
        let _ = connection.core.send(Stream::Control, &resumes);
        connection.flush(now);
        seat.hold(connection);
        Ok(None)
    }

    /// Serves the players who have come to a guest's door.
    fn step_door(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        if let Some(door) = &mut self.reach.door {
            door.step(now);
        }
        self.take_events(own, now);
        while let Some(arrived) = self.reach.lobby.step(now) {
            let Ok(Control::Resume(of)) = arrived.request else {
                if arrived.request.is_ok() {
                    (self.reach.lobby).decline(arrived.connection, &Control::Taken, now);
                }
                continue;
            };
            let went_on = self.went_on(own, &of, &arrived.connection.met.peer);
            let (answer, left) = match went_on {
                Some(answer) => (answer, Some(arrived.connection)),
                None => {
                    let left = self.resumed(arrived.connection, of, now)?;
                    (Control::Unknown(of), left)
                }
            };
            if let Some(connection) = left {
                self.reach.lobby.decline(connection, &answer, now);
            }
        }
        Ok(())
    }

    fn take_events(&mut self, own: &Own<W>, now: Duration) {
        while let Some(event) = self.reach.door.as_mut().and_then(PolledDoor::next_event) {
            match event {
                DoorEvent::Connection(connection) => {
                    self.reach.lobby.admit(*connection, None, now);
                }
                event => door::report(&own.world, &own.leaks, event),
            }
        }
    }

    /// Lets the door answer these players, and those of the matches before, who learn there that the table has gone on.
    fn admits(&mut self, mut players: Vec<PublicIdentity>) {
        let before = self.were_here.iter();
        let before: Vec<_> = before
            .filter(|one| !players.contains(one))
            .cloned()
            .collect();
        players.extend(before);
        if let Some(door) = &mut self.reach.door {
            let invite = None;
            door.admit(Admits::Only { invite, players }, Vec::new());
        }
    }

    /// A command of the player between two matches, or while it waits for a seat.
    ///
    /// # Errors
    /// If the player leaves before it has played.
    fn said(&mut self, own: &Own<W>, said: &Said, now: Duration) -> anyhow::Result<()> {
        match said {
            Said::Leave { .. } => {
                self.forget_matches_before(own)?;
                self.leave(own, now)?;
            }
            Said::Sit { agree: true } | Said::TopUp { .. } if self.newcomer.is_some() => {
                self.sit(now);
            }
            _ => refuse(&own.world, not_asked()),
        }
        Ok(())
    }

    /// Processes an input.
    ///
    /// # Errors
    /// The input ends the program.
    pub(super) fn input(
        &mut self,
        own: &mut Own<W>,
        input: Input<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match input {
            Input::Socket(number, what) => self.happened(own, number, what, now),
            Input::Said(said, turn) => match (&mut self.next, &mut self.seat) {
                // The player sees the next match already. What it asks for counts there. Once the others have all that
                // they need of this player to open cards, it cannot leave before the match.
                (Some(next), _) if !matches!(said, Said::Leave { .. }) || next.may_be_opened() => {
                    match said {
                        Said::Leave { .. } => self.leaves = true,
                        Said::Stay {} => self.leaves = false,
                        _ => {}
                    }
                    next.seat.input(Input::Said(said, turn), now);
                }
                (None, Some(seat)) if self.between.is_none() && self.newcomer.is_none() => {
                    seat.input(Input::Said(said, turn), now);
                }
                _ => self.said(own, &said, now)?,
            },
            Input::AskLeave if self.between.is_some() || self.newcomer.is_some() => {
                own.world.report(&Event::notice(tables::ASK_LEAVE_BETWEEN));
            }
            Input::Ended | Input::BreakOff | Input::Failed(_) => {
                self.has_broken_off = true;
                match (&mut self.seat, &mut self.next) {
                    (None, Some(next)) => next.seat.input(input, now),
                    (Some(seat), _) => seat.input(input, now),
                    (None, None) => super::program::input_before_match(&own.world, input)?,
                }
            }
            input => {
                if let Some(seat) = self.seat() {
                    seat.input(input, now);
                }
            }
        }
        Ok(())
    }

    /// Something has happened to a socket.
    fn happened(&mut self, own: &Own<W>, number: u32, what: Happened<'_>, now: Duration) {
        if let Some(connection) = self.connection(number) {
            connection.happened(what, now);
            return;
        }
        let seats = seats_in(&mut self.next, &mut self.seat);
        if let Some(seat) = { seats }.find_map(|seat| seat.has(number).then_some(seat)) {
            seat.input(Input::Socket(number, what), now);
        } else if let Some(door) = &mut self.reach.door {
            door.happened(number, what, now);
            self.take_events(own, now);
        }
    }

    /// Whether a socket belongs to the player.
    pub(super) fn has(&mut self, number: u32) -> bool {
        seats_in(&mut self.next, &mut self.seat).any(|seat| seat.has(number))
            || self.connection(number).is_some()
            || self
                .reach
                .door
                .as_ref()
                .is_some_and(|door| door.has(number))
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let mut seats = seats_in(&mut self.next, &mut self.seat);
        let played = seats.find_map(|seat| seat.connection(number));
        if played.is_some() {
            return played;
        }
        let newcomer = self.newcomer.iter_mut();
        let own = newcomer.filter_map(|newcomer| newcomer.connection.as_mut());
        let waiting = self
            .without_seat
            .iter_mut()
            .map(|(connection, _)| connection);
        let mut held = own.chain(waiting);
        let held = held.find(|connection| connection.number() == number);
        held.or_else(|| self.reach.lobby.connection(number))
    }

    /// The time of the next timer.
    pub(super) fn timer(&mut self, now: Duration) -> Duration {
        let next = self.next.as_ref().map(|next| &*next.seat);
        let seats = next.into_iter().chain(self.seat.as_deref());
        let seats = seats.map(|seat| seat.timer(now)).min();
        let between = self.between.as_ref().filter(|between| !between.is_idle);
        let between = between.map(|between| between.handover.timer(now));
        let newcomer = self.newcomer.as_ref().map(Newcomer::timer);
        let alone = self.alone.map(|alone| alone + newcomer::AWAY);
        let door = self.reach.door.as_ref().map(PolledDoor::timer);
        let lobby = Some(self.reach.lobby.timer());
        let times = [seats, between, newcomer, alone, door, lobby];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }

    /// Whether this player is the host: it has the first seat of the match, is the first member of the handover, or has
    /// opened the table.
    pub(super) fn is_host(&self, own: &Own<W>) -> bool {
        let this = own.identity.public().fingerprint();
        match (&self.seat, &self.between) {
            (Some(_), Some(between)) => between.handover.members().next() == Some(this),
            (Some(seat), None) => seat.table.play().seat() == Seat::HOST,
            (None, _) => self.newcomer.is_none(),
        }
    }

    /// The terms of the table.
    pub(super) fn terms(&self) -> &TableTerms {
        &self.terms
    }

    /// The terms, as the door sends them.
    pub(super) fn proposal(&self) -> Proposal {
        self.terms.clone().into()
    }

    /// How other players reach this one.
    pub(super) fn reach_mut(&mut self) -> &mut Reach<W> {
        &mut self.reach
    }

    /// This player has a door for the players of its match, and is not the host any more.
    pub(super) fn has_door(&mut self, door: PolledDoor<W::Sockets>) {
        let next = self.next.as_ref().map(|next| &*next.seat);
        let others = next.or(self.seat.as_deref()).map(|seat| seat.others());
        let others = others.unwrap_or_default().iter();
        let others: Vec<PublicIdentity> = others.map(|other| other.identity.clone()).collect();
        self.reach.door = Some(door);
        self.admits(others);
    }

    /// Takes the connection of a player who waits for a seat.
    pub(super) fn take_connection(&mut self) -> Option<PolledConnection<W::Sockets>> {
        self.newcomer.as_mut()?.connection.take()
    }

    /// The match that has stopped here.
    pub(super) fn into_seat(self) -> Option<Box<SeatInPlay<W>>> {
        self.seat.or(self.next.map(|next| next.seat))
    }
}

/// The seats of this player: the one in the next match, then the one in the match before.
fn seats_in<'a, W: SeatWorld>(
    next: &'a mut Option<Next<W>>,
    seat: &'a mut Option<Box<SeatInPlay<W>>>,
) -> impl Iterator<Item = &'a mut SeatInPlay<W>> {
    let next = next.as_mut().map(|next| &mut *next.seat);
    next.into_iter().chain(seat.as_deref_mut())
}

/// A fresh nonce of a player for a number.
pub(super) fn new_nonce() -> [u8; 32] {
    let mut nonce = [0; 32];
    system_rng().fill_bytes(&mut nonce);
    nonce
}
