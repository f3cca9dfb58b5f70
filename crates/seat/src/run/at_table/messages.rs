//! The messages about the next match, and the matches that the connections carry.

use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, Goes, ResultId, Roster};

use super::{AtTable, seats_in};
use crate::run::own::Own;
use crate::run::world::SeatWorld;

/// The number of times that a player may enter the matches of this side between two matches that have begun.
const MOST_JOINS: u32 = 64;

impl<W: SeatWorld> AtTable<W> {
    /// Processes the messages about the next match. Returns whether there was one.
    pub(super) fn receive(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let mut has_received = false;
        loop {
            let message = seats_in(&mut self.next, &mut self.seat).find_map(|seat| {
                let (from, control) = seat.next_message_between()?;
                Some((seat.identity(from)?, control))
            });
            let Some((player, control)) = message else {
                return Ok(has_received);
            };
            has_received = true;
            self.process(own, &player, control, now)?;
        }
    }

    /// Processes a message about the next match.
    pub(super) fn process(
        &mut self,
        own: &mut Own<W>,
        player: &PublicIdentity,
        control: Control,
        now: Duration,
    ) -> anyhow::Result<()> {
        let from = player.fingerprint();
        match control {
            Control::Resume(of) => self.moves_to(player, of, now)?,
            Control::Sit => {
                let seat = self.seat.as_mut();
                let connection = seat.and_then(|seat| seat.detach(seat.seat_of(player)?));
                let request = Some(Control::Sit);
                (self.without_seat).extend(connection.map(|connection| (connection, request)));
            }
            Control::Waits {
                place,
                number,
                players,
            } => {
                let next = self.next.as_ref();
                let host = next.and_then(|next| next.list.players.first());
                if self.newcomer.is_some() && host.is_some_and(|host| host.identity == *player) {
                    self.process_waits(own, place, number, players, now)?;
                }
            }
            // To other players whom it is connected to, this player would look absent.
            Control::WentOn(of, _) => {
                let seat = self.seat.as_mut().filter(|seat| seat.of() == of);
                let seat = seat.filter(|seat| self.next.is_none() && !seat.ignores_refusals);
                if let Some(seat) = seat {
                    let sender = seat.seat_of(player);
                    let others = seat.connected_seats();
                    if others.iter().all(|(other, _)| Some(*other) == sender) {
                        seat.went_on(control, now);
                    }
                }
            }
            // This player has signed in the match of an earlier list.
            Control::Roster(_) if self.newcomer.is_some() => {}
            control => {
                let Some(between) = &mut self.between else {
                    self.keep_early(player, control);
                    return Ok(());
                };
                let result = between.past.as_ref().map(ResultId::from);
                match control {
                    Control::Ready(ready) if ready.past == result => {
                        let number = ready.number;
                        between.handover.is_ready(from, *ready);
                        if number == between.handover.number() {
                            self.give_list(player, now);
                        }
                    }
                    Control::Goes(goes) if Some(goes.past) == result => {
                        self.process_goes(player, *goes, now);
                    }
                    Control::Roster(list) => self.keep_list(player, *list),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn keep_early(&mut self, player: &PublicIdentity, control: Control) {
        let kind = std::mem::discriminant(&control);
        let is_same = |(of, other): &(PublicIdentity, Control)| {
            of == player && std::mem::discriminant(other) == kind
        };
        self.early.retain(|one| !is_same(one));
        self.early.push((player.clone(), control));
    }

    /// Processes a list that the proposer has sent, or that a member has forwarded. A member that is in the match of
    /// another list than this player is not silent: the proposer has signed two lists with one number.
    fn keep_list(&mut self, from: &PublicIdentity, list: Roster) {
        let Some(between) = &mut self.between else {
            return;
        };
        let number = list.header.table.as_ref().map_or(0, |table| table.number);
        let proposer = list
            .players
            .first()
            .map(|first| first.identity.fingerprint());
        let is_same = self.next.as_ref().is_some_and(|next| next.list == list);
        let is_due =
            number >= between.handover.number() && proposer == between.handover.proposer_of(number);
        if is_same || !is_due || !list.is_signed() {
            return;
        }
        match self.next {
            None => between.list = Some(list),
            Some(_) if number == between.handover.number() => {
                between.excused.insert(from.fingerprint());
            }
            Some(_) => {}
        }
    }

    /// The connection to a player carries the log of this match from now on.
    fn moves_to(
        &mut self,
        player: &PublicIdentity,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<()> {
        let before = self.marks.insert(player.fingerprint(), of);
        if let (Some(next), Some(seat)) = (&mut self.next, &mut self.seat)
            && next.of == of
            && let Some(place) = seat.seat_of(player)
            && let Some(connection) = seat.detach(place)
        {
            // The player has entered the next match before this side gave it the list.
            next.take_over(connection, now);
        }
        for (seat, is_new) in [
            (self.next.as_mut().map(|next| &mut *next.seat), true),
            (self.seat.as_deref_mut(), false),
        ] {
            let Some(seat) = seat else { continue };
            if let Some(place) = seat
                .seat_of(player)
                .filter(|place| seat.is_connected_to(*place))
            {
                let is_known = before == Some(of) && !seat.is_apart(place);
                return match seat.of() == of {
                    true if is_known => Ok(()),
                    true => {
                        let joins = self.joins.entry(player.fingerprint()).or_default();
                        *joins += 1;
                        if *joins > MOST_JOINS {
                            // Each time, the player is sent the log.
                            drop(seat.detach(place));
                            return Ok(());
                        }
                        seat.joined(place, is_new, now)
                    }
                    false => {
                        seat.parted(place);
                        Ok(())
                    }
                };
            }
        }
        Ok(())
    }

    /// A member has signed that it does not play on. Each program forwards this once.
    fn process_goes(&mut self, from: &PublicIdentity, goes: Goes, now: Duration) {
        let (Some(seat), Some(between)) = (&mut self.seat, &mut self.between) else {
            return;
        };
        if between.goes.iter().any(|other| other.seat == goes.seat) {
            return;
        }
        let signer = seat.identity(goes.seat);
        let Some(signer) = signer.filter(|signer| goes.is_signed(signer)) else {
            return;
        };
        between.handover.goes(signer.fingerprint());
        for (to, _) in seat.connected_seats() {
            if seat.seat_of(from) != Some(to) {
                seat.send(to, &Control::Goes(Box::new(goes.clone())), now);
            }
        }
        between.goes.push(goes);
    }

    /// Gives a player of the next match the list that this player has signed, and moves the connection to that match
    /// (S3).
    fn give_list(&mut self, player: &PublicIdentity, now: Duration) {
        let (Some(before), Some(next)) = (&mut self.seat, &mut self.next) else {
            return;
        };
        if next.seat.seat_of(player).is_none() {
            return;
        }
        if let Some(connection) = before.seat_of(player).and_then(|seat| before.detach(seat)) {
            next.take_over(connection, now);
        }
    }
}
