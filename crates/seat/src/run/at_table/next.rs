//! The next match, from the first signature of this player until it begins or is given up: its files, and the connections
//! that move to it and back.

use std::time::Duration;

use anyhow::ensure;
use dealerless_connection::identity::{Fingerprint, Name, Peer, PublicIdentity};
use dealerless_connection::{Place, PolledConnection, Stream};
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchId, Past, Phase, Sitting};
use dealerless_table::play::{Control, GuestAddresses, Roster};

use super::between::Between;
use super::newcomer::members_in;
use super::{AtTable, Reach, new_nonce};
use crate::peers::is_blocked;
use crate::run::finding::{Caller, Finder};
use crate::run::gathering::Gathering;
use crate::run::matches::{self, NewMatch};
use crate::run::other_guests::{self, caller_of, route_to, tell_absent_host};
use crate::run::own::Own;
use crate::run::playing::SeatInPlay;
use crate::run::world::SeatWorld;
use crate::seat::Other;
use crate::words::tables::{self, Change};

/// A match that this player has signed in and that has not begun yet.
pub(super) struct Next<W: SeatWorld> {
    pub(super) seat: Box<SeatInPlay<W>>,
    pub(super) of: MatchId,
    pub(super) list: Roster,
    /// Whether the match is given up before its time, so that nobody is late.
    pub(super) is_early: bool,
}

impl<W: SeatWorld> Next<W> {
    /// The members that owe a part of this match and can sign it: the list has the nonce that they sent last.
    pub(super) fn due(&self, between: &Between) -> Vec<Fingerprint> {
        let mut due = self.seat.due();
        due.extend(self.seat.culprits());
        due.retain(|member| {
            let sent = between.handover.ready_of(*member).map(|ready| ready.nonce);
            let mut players = self.list.players.iter();
            let listed = players.find(|player| player.identity.fingerprint() == *member);
            let could_sign = sent.is_none() || sent == listed.map(|player| player.nonce);
            could_sign && !between.excused.contains(member)
        });
        due
    }

    /// Whether others may have opened cards: the deck is complete, and they may have this player's signature below it.
    pub(super) fn may_be_opened(&self) -> bool {
        matches!(self.seat.log().phase(), Phase::Open(_))
    }

    /// Whether one of the players `due` has closed its connection.
    pub(super) fn has_lost(&self, due: &[Fingerprint]) -> bool {
        let others = self.seat.others().iter();
        let mut due = others.filter(|other| due.contains(&other.identity.fingerprint()));
        due.any(|other| self.seat.has_closed(other.seat))
    }

    /// Takes over a connection from another match: sends the list to the player at the other end, and that the connection
    /// carries the log of this match from now on.
    pub(super) fn take_over(
        &mut self,
        mut connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) {
        for control in [
            Control::Roster(Box::new(self.list.clone())),
            Control::Resume(self.of),
        ] {
            // If the connection has ended, its seat learns it from the next message.
            let _ = connection.core.send(Stream::Control, &control.encode());
        }
        connection.flush(now);
        self.seat.hold(connection);
    }
}

impl<W: SeatWorld> AtTable<W> {
    /// Enters the match of a list, which begins once cards are opened: writes its file first, and then sends the list to all
    /// of its players (S13).
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn sign(
        &mut self,
        own: &Own<W>,
        list: Roster,
        waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let others = list.players.iter().map(|player| player.identity.clone());
        let others: Vec<PublicIdentity> = others
            .filter(|player| player != own.identity.public())
            .collect();
        let blocked = |player: &&PublicIdentity| is_blocked(&own.peers.lock(), player);
        if let Some(player) = others.iter().find(blocked) {
            let place = list.players.iter().position(|one| one.identity == *player);
            let text = tables::blocked(&list.names[place.unwrap_or(0)]);
            // A newcomer has no seat to leave, and its program ends.
            ensure!(self.between.is_some(), text);
            own.notice(text);
            return self.leave(own, now);
        }
        let (nonce, opens) = match (&mut self.between, &self.newcomer) {
            (Some(between), _) => {
                between.handover.signs();
                let members = list.players.iter().map(|player| &player.identity);
                let is_member =
                    |player: &PublicIdentity| between.handover.is_member(player.fingerprint());
                let seats = Seat::all(list.players.len()).zip(members);
                let seats = seats.filter(|(_, player)| is_member(player));
                let seats = seats.map(|(seat, _)| seat).collect();
                (between.handover.nonce(), between.handover.opening(seats))
            }
            (None, Some(newcomer)) => {
                let seats = members_in(&list.header, &list.players);
                (newcomer.nonce, newcomer.opening(seats))
            }
            (None, None) => return Ok(()),
        };
        if let Some(before) = &mut self.seat {
            // From now on, this player signs nothing in an open match before, unless the next match is given up.
            before.table.play_mut().set_frozen(true);
        }
        let sitting = list.sitting(own.identity.public(), &nonce)?;
        let of = sitting.match_info.id();
        self.note_earlier_players(own, &sitting);
        let new = NewMatch::create(own, sitting)?;
        let addresses = self.reachable(&list.addresses);
        other_guests::keep(own, &new.name, &self.reach.listeners, &addresses)?;
        matches::keep_number(own, &new.name, &self.terms, 0)?;
        let finder = self.finder(own, &new.sitting, &addresses, now);
        let files = new.begin(own, None)?;
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        seat.has_next = true;
        // A newcomer gives the match up if the proposer does not know it.
        seat.ignores_refusals = self.newcomer.is_none();
        seat.table.is_new();
        if let Some(before) = &self.seat {
            seat.copy_banks(before);
        }
        seat.table.set_opening(Some(opens));
        let next = Next {
            seat: Box::new(seat),
            of,
            list,
            is_early: false,
        };
        let mut connections: Vec<PolledConnection<W::Sockets>> = Vec::new();
        for player in &others {
            let before = self.seat.as_mut();
            let kept = before.and_then(|seat| seat.detach(seat.seat_of(player)?));
            connections.extend(kept);
        }
        let newcomer = self.newcomer.as_mut();
        connections.extend(newcomer.and_then(|newcomer| newcomer.connection.take()));
        self.admits(others.clone());
        if let Some(waiting) = waiting {
            connections.extend(waiting.take(&others));
        }
        let next = self.next.insert(next);
        for connection in connections {
            let player = connection.met.peer.clone();
            next.take_over(connection, now);
            if self.marks.get(&player.fingerprint()) == Some(&of)
                && let Some(place) = next.seat.seat_of(&player)
            {
                next.seat.joined(place, true, now)?;
            }
        }
        next.seat.look_for_all(now);
        if let (Some(before), Some(_)) = (&mut self.seat, &self.between) {
            // Members that are left out learn that the proposer has listed others.
            before.send_to_all(&Control::Roster(Box::new(next.list.clone())), now);
        }
        Ok(())
    }

    /// The finder of a match: a guest calls the host and the other guests.
    fn finder(
        &mut self,
        own: &Own<W>,
        sitting: &Sitting,
        addresses: &[GuestAddresses],
        now: Duration,
    ) -> Finder<W> {
        let of = sitting.match_info.id();
        let mut finder = Finder::of_guests(own, sitting);
        let (ways, relay) = (self.reach.ways.clone(), self.relay());
        let others = Other::all_of(sitting).into_iter();
        for other in others.filter(|_| sitting.seat != Seat::HOST) {
            if other.seat == Seat::HOST {
                let route = self.reach.route.clone();
                let route = route.filter(|route| route.peer.as_ref() == Some(&other.identity));
                let route = route.unwrap_or_else(|| route_to(&other, addresses, relay.clone()));
                finder = finder.calling(Caller::new(of, other.identity, route));
                continue;
            }
            let (caller, waits_at) = caller_of(sitting, &other, addresses, relay.as_ref());
            if let (Some(relay), Some(door)) = (waits_at, &mut self.reach.door) {
                door.wait_for_known(relay.clone(), &other.identity, now);
            }
            finder = finder.calling(caller);
        }
        self.note_absent_host(sitting);
        let route = |host: &Peer| ways.as_ref()?.route(host);
        let absent = self.absent_hosts.iter();
        absent.fold(finder, |finder, past| {
            tell_absent_host(own, Some(past), finder, route, now)
        })
    }

    /// Keeps the keys of the players of earlier matches: those of the match before, and the known peers in the list of the
    /// table.
    fn note_earlier_players(&mut self, own: &Own<W>, sitting: &Sitting) {
        let others = self.others().iter();
        let mut before: Vec<_> = others.map(|other| other.identity.clone()).collect();
        let past = sitting.match_info.header().past();
        let peers = own.peers.lock();
        let members = past.into_iter().flat_map(|past| &past.players);
        let known = members.filter_map(|member| peers.find(&member.player.to_string()).ok());
        let known: Vec<_> = known.map(|peer| peer.identity.clone()).collect();
        before.retain(|player| !known.contains(player));
        before.extend(known);
        self.were_here.retain(|player| !before.contains(player));
        self.were_here.extend(before);
        let surplus = self.were_here.len().saturating_sub(Past::MOST);
        self.were_here.drain(..surplus);
    }

    /// Keeps the result of the match before if its host is not in this one. While this program runs, the host is told in
    /// each later match that the table has gone on, until it has a seat again.
    fn note_absent_host(&mut self, sitting: &Sitting) {
        let host_of = |past: &Past| past.player(Seat::HOST).map(|(host, _)| host);
        let past = sitting.match_info.header().past();
        let new = past.filter(|past| past.without.contains(&Seat::HOST));
        let players = sitting.match_info.players().iter();
        let players: Vec<_> = players
            .map(|player| player.identity.fingerprint())
            .collect();
        self.absent_hosts.retain(|past| {
            let host = host_of(past);
            host != new.and_then(host_of) && host.is_some_and(|host| !players.contains(&host))
        });
        self.absent_hosts.extend(new.cloned());
    }

    /// The relay at which the players of the table meet.
    fn relay(&self) -> Option<Place> {
        let Reach { route, ways, .. } = &self.reach;
        let from_host = route.as_ref().and_then(|route| route.relay.clone());
        from_host.or_else(|| ways.as_ref()?.relay())
    }

    /// Drops the loopback addresses unless the host was reached on loopback. Otherwise a player on another machine could
    /// make this side connect to its own programs.
    pub(super) fn reachable(&self, all: &[GuestAddresses]) -> Vec<GuestAddresses> {
        let of_one = |addresses: &GuestAddresses| {
            let addresses = addresses.as_slice().iter();
            let reachable =
                addresses.filter(|address| self.reach.is_local || !address.is_loopback());
            GuestAddresses::new(reachable.cloned())
        };
        all.iter().map(of_one).collect()
    }

    /// The next match has begun for this player.
    pub(super) fn enter_next(
        &mut self,
        own: &mut Own<W>,
        waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(Next { mut seat, list, .. }) = self.next.take() else {
            return Ok(());
        };
        seat.table.set_opening(None);
        seat.ignores_refusals = false;
        self.is_resumed = false;
        self.leaves = false;
        self.joins.clear();
        if let Some(host) = seat.others().iter().find(|other| other.seat == Seat::HOST) {
            // This player can resume the match with a host whom it has not met at the link.
            let at = self.reachable(&list.addresses);
            let at = at.first().map_or(&[][..], GuestAddresses::as_slice);
            let mut peers = own.peers.lock();
            if peers.get(&host.identity).is_none() {
                // Without effect if these are old keys of a player who has new ones.
                let _ = peers.remember(&host.identity, &host.name, at, None);
            }
            drop(peers);
            if let Some(Place::Url(relay)) = self.relay()
                && own.relay_of(&host.identity).is_none()
            {
                // Without it, the player enters the relay to resume the match.
                let _ = own.keep_relay(&host.identity, &relay);
            }
        }
        self.has_played = true;
        self.tell_changes(own, &seat);
        if let Some(mut before) = self.seat.replace(seat) {
            matches::forget_table(&own.files, before.record());
            let rest = before.detach_all().into_iter();
            self.without_seat
                .extend(rest.map(|connection| (connection, None)));
        }
        self.between = None;
        self.newcomer = None;
        self.early.clear();
        if let Some(waiting) = waiting {
            let players = self.players(own).into_iter().map(|(player, _)| player);
            // A player who has also come by the link has a seat now.
            drop(waiting.take(&players.collect::<Vec<_>>()));
            waiting.expect(0, now);
        }
        own.keep_hosting(None)
    }

    /// Tells the player who sits down in the match that has begun, who was left out, and who hosts the table now.
    fn tell_changes(&self, own: &Own<W>, seat: &SeatInPlay<W>) {
        let (Some(before), Some(between)) = (&self.seat, &self.between) else {
            return;
        };
        let this = (own.identity.public().clone(), own.name.clone());
        let players = seat.players(this.clone());
        let was_there = before.players(this);
        let match_info = seat.log().match_info();
        let stacks = match_info.first_stacks();
        let mut changes = Vec::new();
        for ((player, name), chips) in players.iter().zip(stacks) {
            let is_new = was_there.iter().all(|(other, _)| other != player);
            let is_member = between.handover.is_member(player.fingerprint());
            if (is_new || !is_member) && player != own.identity.public() {
                changes.push((name, Change::SitsDown(chips)));
            }
        }
        for (player, name) in &was_there {
            let past = match_info.header().past();
            let entry = past.and_then(|past| past.member(player.fingerprint()));
            let chips = entry.map_or(0, |entry| entry.chips);
            let is_out = players.iter().all(|(other, _)| other != player);
            if is_out && between.handover.has_gone(player.fingerprint()) {
                changes.push((name, Change::Leaves(chips)));
            } else if is_out && between.handover.is_member(player.fingerprint()) {
                changes.push((name, Change::LeftOut(chips)));
            }
        }
        let host = |all: &[(PublicIdentity, Name)]| all.first().map(|(host, _)| host.clone());
        if host(&players) != host(&was_there)
            && let Some((player, name)) = players.first()
            && player != own.identity.public()
        {
            changes.push((name, Change::Hosts(None)));
        }
        if !changes.is_empty() {
            let named = changes
                .iter()
                .map(|(name, change)| (Some(name.as_str()), *change));
            let named: Vec<_> = named.collect();
            own.notice(tables::changes(&named));
        }
    }

    /// Gives up the next match, which has not begun: nothing of it counts, and its keys are destroyed (S10).
    pub(in crate::run) fn give_up(
        &mut self,
        own: &Own<W>,
        waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(Next {
            mut seat,
            list,
            is_early,
            ..
        }) = self.next.take()
        else {
            return Ok(());
        };
        if let Some(before) = &mut self.seat {
            before.table.play_mut().set_frozen(false);
        }
        let due = match is_early {
            true => seat.culprits(),
            false => [seat.due(), seat.culprits()].concat(),
        };
        let connections = seat.detach_all();
        let record = seat.record().to_owned();
        // The record of a foul convicts its player.
        let is_evidence = matches!(
            seat.log().phase(),
            Phase::Over(End::Foul { .. } | End::Fork { .. })
        );
        drop(seat);
        match is_evidence {
            true => matches::forget_table(&own.files, &record),
            false => matches::forget(&own.files, &record)?,
        }
        let host = list.players.first().map(|host| host.identity.clone());
        let mut newcomers = Vec::new();
        for mut connection in connections {
            let player = connection.met.peer.clone();
            let before = self.seat.as_mut();
            let before = before.and_then(|seat| Some((seat.seat_of(&player)?, seat)));
            if let Some((place, seat)) = before {
                let of = seat.of();
                let resumes = Control::Resume(of).encode();
                let _ = connection.core.send(Stream::Control, &resumes);
                connection.flush(now);
                seat.hold(connection);
                if self.marks.get(&player.fingerprint()) == Some(&of) {
                    seat.joined(place, false, now)?;
                }
            } else if let Some(newcomer) = &mut self.newcomer {
                // The other guests have nothing to do with a player without a seat.
                if host.as_ref() == Some(&player) {
                    newcomer.connection = Some(connection);
                    newcomer.nonce = new_nonce();
                }
            } else {
                newcomers.push(connection);
            }
        }
        if let Some(before) = &mut self.seat {
            // Nobody else looks for those who are not connected (S3).
            before.look_for_all(now);
        }
        if let Some(waiting) = waiting {
            for connection in newcomers.into_iter().rev() {
                // A newcomer that did not sign is dropped from the next list.
                let peer = connection.met.peer.clone();
                match due.contains(&peer.fingerprint()) {
                    true => self.stalled.push(peer),
                    false => waiting.put_back(connection, now),
                }
            }
        }
        Ok(())
    }
}
