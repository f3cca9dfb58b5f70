//! A seat in play at a table, whose match is followed by another one: its connections move from match to match.

use std::time::Duration;

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_connection::{PolledConnection, Stream};
use dealerless_table::Seat;
use dealerless_table::log::{DeckTerms, End, MatchId, Phase, Settled};
use dealerless_table::play::Control;

use super::SeatInPlay;
use crate::ending;
use crate::run::world::SeatWorld;
use crate::seat::{Other, Stopped};

impl<W: SeatWorld> SeatInPlay<W> {
    /// Whether the match is one of a table.
    pub(super) fn is_at_table(&self) -> bool {
        self.log().match_info().header().table.is_some()
    }

    /// Whether a match with this end is followed by another one.
    pub(super) fn hands_over(&self, end: &End) -> bool {
        self.is_at_table() && self.has_next && !matches!(end, End::Removed | End::Played)
    }

    /// The end of a match that another one follows.
    pub(in crate::run) fn result(&self) -> Option<&End> {
        self.result.as_ref().filter(|_| self.end.is_none())
    }

    /// The id of the match.
    pub(in crate::run) fn of(&self) -> MatchId {
        self.log().match_info().id()
    }

    /// The settlement without absent seats, if the match is open and waits only for such seats (R17, R18 of the roll
    /// calls).
    pub(in crate::run) fn settled(&self) -> Option<Settled> {
        let absent = match self.has_next && self.result.is_none() {
            true => self.table.play().absent(),
            false => Vec::new(),
        };
        self.settled_without(&absent)
    }

    /// The settlement of an open match without these seats.
    pub(in crate::run) fn settled_without(&self, absent: &[Seat]) -> Option<Settled> {
        (!absent.is_empty()).then(|| self.log().settled_without(absent))?
    }

    /// The settlement in words.
    pub(in crate::run) fn in_words(&self, settled: &Settled) -> String {
        let names = self.story.names();
        ending::settled(settled, |seat| match names.is_own(seat.number()) {
            true => "you".to_owned(),
            false => names.name(seat.number()).to_string(),
        })
    }

    /// Sets the time bank of each player to what was left in the match before, as this side counted it. Otherwise each change
    /// of the table would refill the banks.
    pub(in crate::run) fn copy_banks(&mut self, before: &Self) {
        let own = self.table.play().seat();
        let seat_before = |seat| match seat == own {
            true => Some(before.table.play().seat()),
            false => before.seat_of(&self.identity(seat)?),
        };
        let left = |seat| {
            let left = seat_before(seat).and_then(|seat| before.table.bank_to_store(seat));
            left.or_else(|| self.table.bank_to_store(seat))
        };
        let seats = Seat::all(self.log().match_info().seats());
        let left: Option<Vec<Duration>> = seats.map(left).collect();
        self.table.restore_banks(&left.unwrap_or_default(), None);
    }

    /// The number of seats that open a card together.
    pub(in crate::run) fn threshold(&self) -> usize {
        match &self.log().match_info().header().deck {
            DeckTerms::Verifiable(seats) => seats.threshold(),
            DeckTerms::Sealed(_) => 2,
        }
    }

    /// Another match follows this one. Also after a restart in a match that is over.
    pub(in crate::run) fn awaits_next(&mut self) {
        self.has_next = true;
        if let Phase::Over(end) = self.log().phase() {
            self.result = Some(end).filter(|end| self.hands_over(end));
        }
    }

    /// Counts the outcome of a match that is over. The seat then only serves the others until they have the end.
    ///
    /// # Errors
    /// If the list of known peers cannot be written.
    pub(in crate::run) fn settle(&mut self, end: &End) -> anyhow::Result<()> {
        if !std::mem::replace(&mut self.was_over, true) {
            let play = self.table.play();
            let stopped = Stopped::Over(end.clone());
            self.story.settle(play.log(), play.seat(), Ok(&stopped))?;
        }
        Ok(())
    }

    /// Stops, because another guest has continued the match without this player.
    pub(in crate::run) fn went_on(&mut self, control: Control, now: Duration) {
        self.stop(Ok(Stopped::Declined(control)), now);
    }

    /// Ends a match that is over: no other one follows for this player.
    pub(in crate::run) fn ends(&mut self, now: Duration) {
        if let Some(end) = self.result.take() {
            let words = std::mem::take(&mut self.last_words);
            words.iter().for_each(|event| self.report(event));
            self.stop(Ok(Stopped::Over(end)), now);
        }
    }

    /// Whether a connected seat is in another match of the table, as far as this side knows.
    pub(in crate::run) fn is_apart(&self, seat: Seat) -> bool {
        self.apart.contains(&seat)
    }

    /// Does not look any more for the players that are not among these: they do not play on. A host that has not closed
    /// its connection may lack the end, and waits for its guests to call.
    pub(in crate::run) fn looks_only_for(&mut self, members: &[Fingerprint]) {
        for other in self.story.others() {
            if members.contains(&other.identity.fingerprint()) {
                continue;
            }
            match other.seat == Seat::HOST && !self.has_closed(Seat::HOST) {
                true => self.dismissed_host = Some(other.identity.clone()),
                false => self.finder.has_left(&other.identity),
            }
        }
    }

    /// The players who have ended the match before it has begun, by leaving or by a foul.
    pub(in crate::run) fn culprits(&self) -> Vec<Fingerprint> {
        let seats = match self.log().phase() {
            Phase::Over(End::Left(seats) | End::TooFew(seats)) => seats,
            Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => vec![seat],
            Phase::Over(End::Stopped(stops)) => stops.iter().map(|(seat, _)| *seat).collect(),
            _ => Vec::new(),
        };
        let others = seats.into_iter().filter_map(|seat| self.identity(seat));
        others.map(|other| other.fingerprint()).collect()
    }

    /// The next message about the next match, and its sender.
    pub(in crate::run) fn next_message_between(&mut self) -> Option<(Seat, Control)> {
        self.messages_between.pop_front()
    }

    /// The connected seats, and the numbers of their connections.
    pub(in crate::run) fn connected_seats(&self) -> Vec<(Seat, u32)> {
        let connections = self.connections.iter();
        let open = connections.filter(|(_, connection)| connection.core.ended().is_none());
        open.map(|(seat, connection)| (*seat, connection.number()))
            .collect()
    }

    /// Sends a message to a seat, if it is connected.
    pub(in crate::run) fn send(&mut self, to: Seat, control: &Control, now: Duration) {
        if let Some(connection) = self.connections.get_mut(&to) {
            // If the connection has ended, the table learns it from the next message.
            let _ = connection.core.send(Stream::Control, &control.encode());
            connection.flush(now);
        }
    }

    /// Sends a message to all connected seats.
    pub(in crate::run) fn send_to_all(&mut self, control: &Control, now: Duration) {
        for (to, _) in self.connected_seats() {
            self.send(to, control, now);
        }
    }

    /// Whether a seat has closed its connection, and has made no new one.
    pub(in crate::run) fn has_closed(&self, seat: Seat) -> bool {
        self.closed.contains(&seat)
    }

    /// Whether a seat is connected.
    pub(in crate::run) fn is_connected_to(&self, seat: Seat) -> bool {
        self.connections.contains_key(&seat)
    }

    /// The other players of the match.
    pub(in crate::run) fn others(&self) -> &[Other] {
        self.story.others()
    }

    /// All players of the match, in order of the seats. `this` is the own one.
    pub(in crate::run) fn players(
        &self,
        this: (PublicIdentity, Name),
    ) -> Vec<(PublicIdentity, Name)> {
        let others = self.others().iter();
        let others = others.map(|other| (other.identity.clone(), other.name.clone()));
        let mut all: Vec<_> = others.collect();
        all.insert(self.table.play().seat().index().min(all.len()), this);
        all
    }

    /// The other players for whose parts the match waits.
    pub(in crate::run) fn due(&self) -> Vec<Fingerprint> {
        let seats = self.log().waits_for();
        let others = seats.into_iter().filter_map(|seat| self.identity(seat));
        others.map(|other| other.fingerprint()).collect()
    }

    /// Whether this player has left with the end of the match.
    pub(in crate::run) fn leaves(&self) -> bool {
        let own = self.table.play().seat();
        matches!(&self.result, Some(End::Left(seats) | End::TooFew(seats)) if seats.contains(&own))
    }

    /// The seat of a player of the match, other than this one.
    pub(in crate::run) fn seat_of(&self, player: &PublicIdentity) -> Option<Seat> {
        self.story.seat_of(player)
    }

    /// A player has come to resume this match.
    ///
    /// # Errors
    /// If the file of the match cannot be written.
    pub(in crate::run) fn arrived(
        &mut self,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(seat) = self.seat_of(&connection.met.peer) {
            self.apart.remove(&seat);
        }
        self.found(connection, now)
    }

    /// Takes the connection to a seat, to use it for another match.
    pub(in crate::run) fn detach(&mut self, peer: Seat) -> Option<PolledConnection<W::Sockets>> {
        self.table.lose_connection(peer);
        self.apart.remove(&peer);
        let connection = self.connections.remove(&peer)?;
        self.finder.stop_calling(&connection.met.peer);
        Some(connection)
    }

    /// Takes all connections.
    pub(in crate::run) fn detach_all(&mut self) -> Vec<PolledConnection<W::Sockets>> {
        let seats: Vec<Seat> = self.connections.keys().copied().collect();
        let connections = seats.into_iter().filter_map(|seat| self.detach(seat));
        connections.collect()
    }

    /// Keeps a connection to a player who is in another match of the table, as far as this side knows.
    pub(in crate::run) fn hold(&mut self, connection: PolledConnection<W::Sockets>) {
        let Some(seat) = self.seat_of(&connection.met.peer) else {
            return;
        };
        self.table.lose_connection(seat);
        self.finder.has_found(&connection.met.peer);
        self.apart.insert(seat);
        self.connections.insert(seat, connection);
    }

    /// The player at a seat is in this match from now on. `is_new` is whether the match has no history yet.
    ///
    /// # Errors
    /// If the file of the match cannot be written.
    pub(in crate::run) fn joined(
        &mut self,
        peer: Seat,
        is_new: bool,
        now: Duration,
    ) -> anyhow::Result<()> {
        if self.connections.contains_key(&peer) {
            self.apart.remove(&peer);
            match is_new {
                true => self.table.join(peer, now),
                false => self.table.resume(peer, now)?,
            }
        }
        Ok(())
    }

    /// The player at a seat is in another match of the table from now on. The connection stays.
    pub(in crate::run) fn parted(&mut self, peer: Seat) {
        if self.connections.contains_key(&peer) {
            self.table.lose_connection(peer);
            self.apart.insert(peer);
        }
    }

    /// Looks for the players of the match that are not connected: as a guest for the host and the other guests.
    pub(in crate::run) fn look_for_all(&mut self, now: Duration) {
        let others = self.story.others().iter();
        let missing = others.filter(|other| !self.connections.contains_key(&other.seat));
        let missing: Vec<PublicIdentity> = missing.map(|other| other.identity.clone()).collect();
        for player in missing {
            self.finder.look_for(&player, now);
        }
    }
}
