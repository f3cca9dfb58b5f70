//! The handover from one match to the next: its begin, its numbers, what this player sends, and its end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dealerless_connection::identity::Fingerprint;
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, Past};
use dealerless_table::play::{Control, Goes, GuestAddresses, Ready, ResultId, Roster, TableTerms};

use super::{AtTable, new_nonce};
use crate::run::errors::NotBegun;
use crate::run::gathering::Gathering;
use crate::run::handover::{Handover, Refusal};
use crate::run::matches;
use crate::run::own::Own;
use crate::run::world::SeatWorld;
use crate::words::tables;

/// A handover to the next match.
pub(super) struct Between {
    pub(super) handover: Handover,
    /// The result of the match before. `None` before the first match.
    pub(super) past: Option<Past>,
    /// The chips that each member buys for the next match.
    pub(super) buys: BTreeMap<Fingerprint, u64>,
    /// The last list of the proposer, in whose match this player has not signed. It may leave out a player who is not
    /// silent yet by this player's clock.
    pub(super) list: Option<Roster>,
    /// The connections on which this player's statements for the current number were sent.
    pub(super) greeted: BTreeSet<u32>,
    /// The statements of members that do not play on.
    pub(super) goes: Vec<Goes>,
    /// The members that have another list by the proposer of this number. Their silence does not count.
    pub(super) excused: BTreeSet<Fingerprint>,
    /// Whether no other player is here. The numbers then have no time.
    pub(super) is_idle: bool,
    /// The players without whom an open match is settled.
    pub(super) absent: Vec<Fingerprint>,
}

impl Between {
    pub(super) fn new(
        handover: Handover,
        past: Option<Past>,
        buys: BTreeMap<Fingerprint, u64>,
    ) -> Self {
        Between {
            handover,
            past,
            buys,
            list: None,
            greeted: BTreeSet::new(),
            goes: Vec::new(),
            excused: BTreeSet::new(),
            is_idle: false,
            absent: Vec::new(),
        }
    }

    /// Whether the match before was open, and is settled without absent seats.
    pub(super) fn is_open(&self) -> bool {
        self.past.as_ref().is_some_and(|past| past.is_open)
    }

    /// The *Ready* of this player for a number, with this nonce.
    pub(super) fn ready(&self, number: u16, nonce: [u8; 32], addresses: GuestAddresses) -> Control {
        Control::Ready(Box::new(Ready {
            past: self.past.as_ref().map(ResultId::from),
            number,
            nonce,
            buy: 0,
            addresses,
        }))
    }
}

impl<W: SeatWorld> AtTable<W> {
    /// Begins to arrange the first match.
    pub(in crate::run) fn begin_first(&mut self, own: &Own<W>, now: Duration) {
        if self.between.is_some() {
            return;
        }
        let this = own.identity.public().fingerprint();
        let handover = Handover::new(this, vec![this], None, (1, new_nonce()), now);
        let buys = BTreeMap::from([(this, self.terms.stakes.stack())]);
        self.between = Some(Between::new(handover, None, buys));
    }

    /// Ends the handover to a first match, because too few players are here. Returns whether there was one.
    pub(in crate::run) fn ends_first(&mut self) -> bool {
        let ends = self.waits() && self.next.is_none();
        ends && self.between.take().is_some()
    }

    /// Whether these players are enough to have continued this match without the others: more than half of those who
    /// decide about it (S4).
    pub(in crate::run) fn is_continued_by(&self, players: &[Fingerprint]) -> bool {
        let Some(seat) = &self.seat else {
            return false;
        };
        let log = seat.log();
        let electorate = match Past::of(log) {
            Some(past) => members_after(&self.terms, log, &past),
            None => {
                let seats = Seat::all(log.match_info().seats()).zip(log.members());
                let stay =
                    seats.filter(|(seat, member)| !log.gone().contains(seat) && member.chips > 0);
                stay.map(|(_, member)| member.player).collect()
            }
        };
        let continued = electorate.iter().filter(|one| players.contains(one));
        2 * continued.count() > electorate.len()
    }

    /// Reports the end of the match, and begins the handover to the next one if this player plays on.
    pub(super) fn hand_over(
        &mut self,
        own: &mut Own<W>,
        end: &End,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        let Some(past) = Past::of(seat.log()) else {
            seat.ends(now);
            return Ok(());
        };
        seat.settle(end)?;
        matches::over_between(&own.files, seat.record());
        let this = own.identity.public().fingerprint();
        let player = |seat: Seat| past.player(seat).map(|(player, _)| player);
        let members = members_after(&self.terms, seat.log(), &past);
        let bought = self.terms.buys(seat.log(), &past);
        let buys = Seat::all(past.seats).filter_map(player).zip(bought);
        let buys = buys.filter(|(player, _)| members.contains(player));
        let buys: Vec<(Fingerprint, u64)> = buys.collect();
        let names = self.list_of(own, &past);
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        let stack = self.terms.stakes.stack();
        let may_buy = self.terms.allows_buy(past.member(this), stack);
        let stack = Some(stack).filter(|_| may_buy);
        let changes = (&members[..], &buys[..]);
        let event = tables::ended(this, &names, &past, changes, stack);
        own.world.report(&event);
        seat.looks_only_for(&members);
        if let End::Foul { seat: convict, .. } | End::Fork { seat: convict } = end {
            self.convicted.extend(player(*convict));
        }
        if !members.contains(&this) {
            let chips = past.member(this).map_or(0, |member| member.chips);
            let host = members.first().copied();
            let may_return = chips == 0 && may_buy && !seat.leaves() && !self.needs.never_asked;
            match host.filter(|_| may_return) {
                Some(host) => self.stands_up(own, host, now)?,
                None => {
                    matches::forget_table(&own.files, seat.record());
                    seat.ends(now);
                }
            }
            return Ok(());
        }
        self.begin_handover(own, past, members, buys, None, now)
    }

    /// Begins the handover after an open match that waits for absent seats only, or ends it because a seat is back.
    /// Returns whether one of both has happened.
    pub(super) fn settle_open(
        &mut self,
        own: &mut Own<W>,
        waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let Some(seat) = &mut self.seat else {
            return Ok(false);
        };
        let settled = seat.settled();
        match (&self.between, settled) {
            (None, Some(settled)) => {
                let past = &settled.past;
                let member = |seat: Seat| past.player(seat).map(|(player, _)| player);
                let members = members_after(&self.terms, seat.log(), past);
                if !members.contains(&own.identity.public().fingerprint()) {
                    // The others go on, and this player can buy in again.
                    return Ok(false);
                }
                own.notice(seat.in_words(&settled));
                let buys = members.iter().map(|member| (*member, 0)).collect();
                let absent = settled
                    .absent
                    .iter()
                    .filter_map(|seat| member(*seat))
                    .collect();
                let past = settled.past;
                self.begin_handover(own, past, members, buys, Some(absent), now)?;
                Ok(true)
            }
            (Some(between), settled) if between.is_open() && self.next.is_none() => {
                let is_same = settled.is_some_and(|settled| {
                    let steps = between.past.as_ref().map(|past| past.steps);
                    let player = |seat: &Seat| settled.past.player(*seat).map(|(player, _)| player);
                    let absent: Vec<Fingerprint> =
                        settled.absent.iter().filter_map(player).collect();
                    Some(settled.past.steps) == steps && absent == between.absent
                });
                if !is_same {
                    // A player is back, and the match goes on.
                    self.between = None;
                    self.give_up(own, waiting, now)?;
                }
                Ok(!is_same)
            }
            _ => Ok(false),
        }
    }

    /// Begins the handover after this result. `absent` are the players without whom an open match is settled.
    fn begin_handover(
        &mut self,
        own: &mut Own<W>,
        past: Past,
        members: Vec<Fingerprint>,
        buys: Vec<(Fingerprint, u64)>,
        absent: Option<Vec<Fingerprint>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(seat) = &self.seat else {
            return Ok(());
        };
        let this = own.identity.public().fingerprint();
        // This player may have signed with the last number already.
        let kept = matches::kept_table(own, seat.record());
        let number = kept.map_or(0, |kept| kept.number).saturating_add(1);
        let nonce = new_nonce();
        matches::keep_number(own, seat.record(), &self.terms, number)?;
        let here = seat
            .others()
            .iter()
            .map(|other| other.identity.fingerprint());
        self.marks = here.map(|player| (player, seat.of())).collect();
        let threshold = absent.as_ref().map(|_| seat.threshold());
        let mut handover = Handover::new(this, members, threshold, (number, nonce), now);
        for absent in absent.iter().flatten() {
            handover.is_absent(*absent);
        }
        if self.is_resumed {
            handover.has_returned();
        }
        let mut between = Between::new(handover, Some(past), buys.into_iter().collect());
        between.absent = absent.unwrap_or_default();
        self.between = Some(between);
        for (player, control) in std::mem::take(&mut self.early) {
            self.process(own, &player, control, now)?;
        }
        Ok(())
    }

    /// Continues the handover: the numbers and their times, and the list of players. Returns whether something has
    /// changed.
    pub(super) fn step_handover(
        &mut self,
        own: &mut Own<W>,
        mut waiting: Option<&mut Gathering<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let Some(between) = &mut self.between else {
            return Ok(false);
        };
        let is_alone = between.handover.members().count() < 2 && self.next.is_none();
        let has_newcomer = waiting.as_deref().is_some_and(Gathering::has_newcomer);
        if is_alone && !has_newcomer {
            if self.needs.never_asked
                && let Some(seat) = &mut self.seat
            {
                // Nobody is there to wait for other players.
                self.between = None;
                seat.ends(now);
                return Ok(true);
            }
            between.is_idle = true;
            return Ok(false);
        }
        if std::mem::take(&mut between.is_idle) {
            let number = between.handover.number().saturating_add(1);
            self.begin_number(own, number, now)?;
            return Ok(true);
        }
        let is_first = between.handover.number() == 1 && between.handover.is_any_ready();
        let may_be_left_out = self.is_resumed || !is_first;
        if let Some(seat) = &mut self.seat {
            seat.ignores_refusals = !may_be_left_out;
        }
        let due = self
            .next
            .as_ref()
            .map_or_else(Vec::new, |next| next.due(between));
        let has_lost_newcomer = self.next.as_ref().is_some_and(|next| next.has_lost(&due));
        if between.handover.members().count() == 1 && has_lost_newcomer {
            // Nobody else has numbers, so this one need not wait for its time.
            if let Some(next) = &mut self.next {
                next.is_early = true;
            }
            let number = between.handover.number().saturating_add(1);
            self.give_up(own, waiting, now)?;
            self.begin_number(own, number, now)?;
            return Ok(true);
        }
        if let Some(number) = between.handover.announces(now) {
            self.announce(own, number, now)?;
            return Ok(true);
        }
        if let Some(number) = between.handover.next_number(&due, now) {
            if let Some(waiting) = waiting.as_deref_mut() {
                waiting.drop_late(now);
            }
            self.give_up(own, waiting, now)?;
            self.begin_number(own, number, now)?;
            return Ok(true);
        }
        self.greet(now);
        let Some(between) = &mut self.between else {
            return Ok(false);
        };
        if self.next.is_some() {
            return Ok(false);
        }
        if between.handover.proposes() {
            if let Some(waiting) = waiting.as_deref_mut() {
                waiting.expect(between.handover.number(), now);
                if waiting.awaits() && !between.handover.is_late(now) {
                    return Ok(false);
                }
            }
            let Some(members) = between.handover.proposal(now) else {
                return Ok(false);
            };
            let Some(list) = self.proposed_list(own, &members, waiting.as_deref()) else {
                return Ok(false);
            };
            if let Some(between) = &mut self.between {
                between.handover.has_proposed(&members);
            }
            return self.sign(own, list, waiting, now).map(|()| true);
        }
        let Some(list) = between.list.take() else {
            return Ok(false);
        };
        match self.check(own, &list) {
            Ok(()) => self.sign(own, list, waiting, now).map(|()| true),
            Err(refusal) => {
                if let (Refusal::Present(_) | Refusal::Number, Some(between)) =
                    (refusal, &mut self.between)
                {
                    between.list = Some(list);
                }
                Ok(false)
            }
        }
    }

    /// Begins a number with a fresh nonce.
    fn begin_number(&mut self, own: &Own<W>, number: u16, now: Duration) -> anyhow::Result<()> {
        let Some(between) = &mut self.between else {
            return Ok(());
        };
        let nonce = between.handover.announced(number).unwrap_or_else(new_nonce);
        if let Some(seat) = &self.seat {
            matches::keep_number(own, seat.record(), &self.terms, number)?;
        }
        between.handover.begin(number, nonce, now);
        between.greeted.clear();
        between.excused.clear();
        Ok(())
    }

    /// Declares this player ready for the next number before it begins there, because the proposer is not ready.
    fn announce(&mut self, own: &Own<W>, number: u16, now: Duration) -> anyhow::Result<()> {
        let nonce = new_nonce();
        if let (Some(seat), Some(between)) = (&mut self.seat, &mut self.between) {
            matches::keep_number(own, seat.record(), &self.terms, number)?;
            between.handover.has_announced(nonce);
            let ready = between.ready(number, nonce, self.reach.addresses.clone());
            seat.send_to_all(&ready, now);
        }
        Ok(())
    }

    /// Sends that this player is ready to the other members, once in each number on each connection.
    fn greet(&mut self, now: Duration) {
        let (Some(seat), Some(between)) = (&mut self.seat, &mut self.between) else {
            return;
        };
        let (number, nonce) = (between.handover.number(), between.handover.nonce());
        let ready = between.ready(number, nonce, self.reach.addresses.clone());
        for (to, number) in seat.connected_seats() {
            if between.greeted.insert(number) {
                for goes in &between.goes {
                    seat.send(to, &Control::Goes(Box::new(goes.clone())), now);
                }
                seat.send(to, &ready, now);
            }
        }
    }

    /// The player does not play on after this result.
    pub(super) fn leave(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        self.give_up(own, None, now)?;
        let (Some(seat), Some(between)) = (&mut self.seat, &mut self.between) else {
            if self.has_played {
                self.has_left = true;
                return Ok(());
            }
            return Err(NotBegun.into());
        };
        if let Some(past) = &between.past {
            let place = seat.table.play().seat();
            let goes = Goes::sign(&own.identity, past.into(), place);
            seat.send_to_all(&Control::Goes(Box::new(goes)), now);
        }
        self.between = None;
        matches::forget_table(&own.files, seat.record());
        // An open match has no end for this player.
        self.has_left = seat.result().is_none();
        seat.ends(now);
        Ok(())
    }
}

/// The members of the handover after this result of a log.
fn members_after(terms: &TableTerms, log: &MatchLog, past: &Past) -> Vec<Fingerprint> {
    let seats = terms.electorate(log, past).into_iter();
    let players = seats.filter_map(|seat| past.player(seat));
    players.map(|(player, _)| player).collect()
}
