//! A player at a table without a seat: it waits for one at the host, and consents to a list of players.

use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless_connection::identity::{Fingerprint, Name};
use dealerless_connection::{ConnectionError, PolledConnection, Stream};
use dealerless_table::log::{Header, Match, MatchId, Player};
use dealerless_table::play::{CannotBegin, Control, FirstOpening, Ready, Roster, TableTerms};
use dealerless_table::{Seat, SeatSet};

use super::{AtTable, Reach, new_nonce};
use crate::event::{Event, TablePlayer};
use crate::guest::{NOT_ACCEPTED_YET, SOON, namesake, refusal};
use crate::run::continued::{must_agree, must_be_own};
use crate::run::errors::AnswerIsNo;
use crate::run::finding::request;
use crate::run::handover::TIME;
use crate::run::matches::{self, NO_SEAT};
use crate::run::own::Own;
use crate::run::world::SeatWorld;
use crate::seat::{PlayerNeeds, Stopped};
use crate::words::tables;

/// The host answers with an open match, but the guest has no open record of it: here the match is over or
/// closed.
#[derive(Debug, thiserror::Error)]
#[error("the host says that you have the open match {0} with it, which is over or unknown here")]
pub(in crate::run) struct HasOpen(pub(in crate::run) MatchId);

/// The time after which a newcomer that is connected to nobody gives up a match that has not begun.
pub(super) const AWAY: Duration = Duration::from_secs(60);
/// The maximum number of messages of a host before a match begins.
const MESSAGES: u32 = 1 << 16;

/// A player who waits for a seat.
pub(super) struct Newcomer<W: SeatWorld> {
    /// The connection to the host, while no match begins on it.
    pub(super) connection: Option<PolledConnection<W::Sockets>>,
    /// The number of the next list.
    number: u16,
    /// The nonce of this player for this number.
    pub(super) nonce: [u8; 32],
    /// Whether the host awaits this player for this number.
    is_asked: bool,
    /// When the number began here.
    began: Duration,
    /// Whether the player has asked for a seat.
    is_asking: bool,
    /// The place of this player and the players who have a seat, as they were last reported.
    shown: Option<(u8, Vec<Name>)>,
    /// When the player is told that the host has not answered yet.
    soon: Option<Duration>,
    /// The number of messages of the host.
    messages: u32,
}

/// The seats of the players of a match who have the numbers: its proposer, and the players of the match before.
pub(super) fn members_in(header: &Header, players: &[Player]) -> SeatSet {
    let past = header.past().into_iter();
    let seated = past.flat_map(|past| past.players.iter().take(past.seats));
    let seated: Vec<Fingerprint> = seated.map(|member| member.player).collect();
    let is_member = |(seat, player): &(Seat, &Player)| {
        *seat == Seat::HOST || seated.contains(&player.identity.fingerprint())
    };
    let all = Seat::all(players.len()).zip(players);
    all.filter(is_member).map(|(seat, _)| seat).collect()
}

/// When a newcomer that has started again opens its first cards: after one of the members.
pub(super) fn opening_again(of: &Match) -> FirstOpening {
    FirstOpening {
        until: Duration::MAX,
        each: TIME,
        seats: members_in(of.header(), of.players()),
        least: 1,
    }
}

impl<W: SeatWorld> Newcomer<W> {
    fn new(
        connection: PolledConnection<W::Sockets>,
        soon: Option<Duration>,
        now: Duration,
    ) -> Self {
        Newcomer {
            connection: Some(connection),
            number: 0,
            nonce: [0; 32],
            is_asked: false,
            began: now,
            is_asking: false,
            shown: None,
            soon,
            messages: 0,
        }
    }

    /// When this player opens its first cards: after one of the members, who have the numbers (S11).
    pub(super) fn opening(&self, seats: SeatSet) -> FirstOpening {
        FirstOpening {
            until: self.began + TIME,
            each: TIME,
            seats,
            least: 1,
        }
    }

    pub(super) fn timer(&self) -> Duration {
        let connection = self.connection.as_ref().map(PolledConnection::timer);
        let times = [connection, self.soon];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }

    fn send(&mut self, control: &Control, now: Duration) {
        if let Some(connection) = &mut self.connection {
            // A host whose table is full ends the connection at once. Its answer is read nevertheless.
            let _ = connection.core.send(Stream::Control, &control.encode());
            connection.flush(now);
        }
    }
}

impl<W: SeatWorld> AtTable<W> {
    /// A guest that asks the host on this connection for a seat.
    pub(in crate::run) fn joining(
        terms: TableTerms,
        needs: PlayerNeeds,
        reach: Reach<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> Self {
        let mut table = AtTable::new(terms, needs, reach);
        table.newcomer = Some(Newcomer::new(connection, Some(now + SOON), now));
        table.sit(now);
        table
    }

    /// A player without chips who has come back to the host on this connection. It can buy again.
    pub(in crate::run) fn without_chips(
        own: &Own<W>,
        terms: TableTerms,
        needs: PlayerNeeds,
        reach: Reach<W>,
        connection: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> Self {
        let mut table = AtTable::new(terms, needs, reach);
        table.newcomer = Some(Newcomer::new(connection, None, now));
        table.has_played = true;
        own.notice(tables::stands_up(table.terms.stakes.stack()));
        table
    }

    /// Whether the player is in a match, or was told its place in the queue.
    pub(in crate::run) fn has_place(&self) -> bool {
        let newcomer = self.newcomer.as_ref();
        self.seat.is_some() || newcomer.is_some_and(|newcomer| newcomer.shown.is_some())
    }

    /// Asks for a seat.
    pub(super) fn sit(&mut self, now: Duration) {
        if let Some(newcomer) = &mut self.newcomer
            && !std::mem::replace(&mut newcomer.is_asking, true)
        {
            newcomer.send(&Control::Sit, now);
        }
    }

    /// Whether a newcomer gives up a match that has not begun, because it has been connected to nobody for long. Its
    /// proposer may not be the host any more.
    pub(super) fn gives_up_alone(&mut self, now: Duration) -> Option<Stopped> {
        let next = self.next.as_ref().map(|next| &*next.seat);
        let seat = match (next, &self.seat) {
            (Some(next), None) if self.newcomer.is_some() => next,
            (None, Some(seat)) if self.is_newcomer => seat,
            _ => {
                self.alone = None;
                return None;
            }
        };
        if seat.table.play().has_begun() || !seat.connected_seats().is_empty() {
            self.alone = None;
            return None;
        }
        let of = seat.of();
        let since = *self.alone.get_or_insert(now);
        (now >= since + AWAY).then_some(Stopped::Declined(Control::Unknown(of)))
    }

    /// The player has no chips left, and no seat in the next match. It can buy again at its host.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn stands_up(
        &mut self,
        own: &Own<W>,
        host: Fingerprint,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        matches::keep_number(own, seat.record(), &self.terms, NO_SEAT)?;
        let host = seat
            .others()
            .iter()
            .find(|other| other.identity.fingerprint() == host);
        let place = host.map(|host| host.seat);
        let Some(connection) = place.and_then(|place| seat.detach(place)) else {
            own.notice(tables::COME_BACK);
            seat.ends(now);
            return Ok(());
        };
        self.seat = None;
        self.newcomer = Some(Newcomer::new(connection, None, now));
        own.notice(tables::stands_up(self.terms.stakes.stack()));
        Ok(())
    }

    /// Processes the messages of the host to a player without a seat. Returns whether something has changed.
    ///
    /// # Errors
    /// If the host declines, or is lost.
    pub(super) fn step_newcomer(
        &mut self,
        own: &mut Own<W>,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let mut has_changed = false;
        loop {
            let Some(newcomer) = &mut self.newcomer else {
                return Ok(has_changed);
            };
            if newcomer.soon.is_some_and(|soon| now >= soon) {
                newcomer.soon = None;
                own.notice(NOT_ACCEPTED_YET);
            }
            let Some(connection) = &mut newcomer.connection else {
                return Ok(has_changed);
            };
            connection.flush(now);
            let message = match connection.core.next_message() {
                Ok(None) => return Ok(has_changed),
                Ok(Some(message)) => message,
                Err(why) => {
                    return Err(anyhow::Error::new(why).context("the host has disconnected"));
                }
            };
            has_changed = true;
            if message.stream == Stream::Log {
                // The log of a match that this player has left or given up.
                continue;
            }
            newcomer.messages += 1;
            let control = request(&message).filter(|_| newcomer.messages <= MESSAGES);
            let Some(control) = control else {
                bail!(ConnectionError::Broken("an unexpected answer"));
            };
            newcomer.soon = None;
            let host = connection.met.peer.clone();
            if let Some(text) = refusal(&control, true) {
                bail!(AnswerIsNo(text));
            }
            match control {
                Control::Waits {
                    place,
                    number,
                    players,
                } => self.process_waits(own, place, number, players, now)?,
                Control::Roster(list) => self.process_list(own, *list, now)?,
                Control::Resume(of) => {
                    self.marks.insert(host.fingerprint(), of);
                }
                // Messages about the match that this player has just played.
                Control::Ready(_) | Control::Goes(_) | Control::InPage => {}
                Control::Open(of) => bail!(HasOpen(of)),
                _ => bail!("the host sent an unexpected answer"),
            }
        }
    }

    /// The host has told who has a seat, and whether this player has to be ready.
    pub(super) fn process_waits(
        &mut self,
        own: &Own<W>,
        place: u8,
        number: u16,
        players: Vec<Name>,
        now: Duration,
    ) -> anyhow::Result<()> {
        self.show_waiting(own, place, players);
        let Some(newcomer) = &mut self.newcomer else {
            return Ok(());
        };
        if place > 0 || number == 0 {
            // The numbers of the next handover begin with 1 again, and the last match does not begin.
            self.give_up(own, None, now)?;
            let Some(newcomer) = &mut self.newcomer else {
                return Ok(());
            };
            newcomer.is_asked &= self.next.is_some();
            return Ok(());
        }
        if newcomer.is_asked && number <= newcomer.number {
            return Ok(());
        }
        // A match with a lower number has not begun, and does not any more (S8, S10).
        self.give_up(own, None, now)?;
        let Some(newcomer) = &mut self.newcomer else {
            return Ok(());
        };
        // The host may have listed this player already, if it asks again.
        if number != newcomer.number {
            newcomer.nonce = new_nonce();
        }
        (newcomer.number, newcomer.began, newcomer.is_asked) = (number, now, true);
        let ready = Ready {
            past: None,
            number,
            nonce: newcomer.nonce,
            buy: self.terms.stakes.stack(),
            addresses: self.reach.addresses.clone(),
        };
        newcomer.send(&Control::Ready(Box::new(ready)), now);
        Ok(())
    }

    /// Reports who has a seat, and a namesake of this player among them.
    fn show_waiting(&mut self, own: &Own<W>, place: u8, players: Vec<Name>) {
        let Some(newcomer) = &mut self.newcomer else {
            return;
        };
        if newcomer.shown.as_ref() == Some(&(place, players.clone())) {
            return;
        }
        let is_own =
            |name: &&Name| name.as_str().to_lowercase() == own.name.as_str().to_lowercase();
        let namesakes = |players: &[Name], place| {
            let all = players.iter().filter(is_own).count();
            all.saturating_sub(usize::from(place == 0))
        };
        let before = newcomer.shown.as_ref();
        let before = before.map_or(0, |(place, players)| namesakes(players, *place));
        if namesakes(&players, place) > before {
            own.notice(namesake(&own.name));
        }
        let player = |name: &Name| TablePlayer {
            name: name.to_string(),
            fingerprint: None,
            away: false,
        };
        own.world.report(&Event::Table {
            players: players.iter().map(player).collect(),
            seats: self.terms.stakes.seats() as u8,
            place,
        });
        newcomer.shown = Some((place, players));
    }

    /// The host has listed the players of the next match. This player checks the terms, the sums and its own entry.
    fn process_list(&mut self, own: &Own<W>, list: Roster, now: Duration) -> anyhow::Result<()> {
        let Some((newcomer, at)) = self.newcomer.as_ref().zip(list.header.table.as_ref()) else {
            return Ok(());
        };
        if at.number != newcomer.number || self.next.is_some() {
            return Ok(());
        }
        let host = newcomer
            .connection
            .as_ref()
            .map(|connection| &connection.met.peer);
        let first = list.players.first().map(|player| &player.identity);
        let sitting = match list.sitting(own.identity.public(), &newcomer.nonce) {
            // The host has listed this player before it was ready again.
            Err(CannotBegin::Roster) => return Ok(()),
            sitting => sitting?,
        };
        ensure!(
            first == host && list.is_signed() && self.terms.allow(&list.header, &list.players),
            "the host proposes a match with other terms than those of its table"
        );
        let buy = at.buys[sitting.seat.index()];
        must_be_own(own, at, buy, self.terms.stakes.stack())?;
        if let Some(past) = &at.past {
            must_agree(own, &list.header, past)?;
        }
        self.sign(own, list, None, now)
    }
}
