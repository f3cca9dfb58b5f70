//! The handover from one match of a table to the next: the numbers, who proposes a list of players with each number,
//! and who may be left out. A state machine without connections, files and clock.
//!
//! After a result, the seats agree on one next match by *numbers*. Each number has one proposer, who lists the players
//! of the next match, and a time. There is no other agreement: a seat consents to a list with its first part in the
//! match of the list, and the match has begun when its first cards are opened. If a number fails, the next one has
//! another proposer or fewer players. Silence is judged by each seat alone, from what was due on its own connections.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use dealerless_connection::identity::Fingerprint;
use dealerless_table::SeatSet;
use dealerless_table::play::{FirstOpening, Ready};

/// The time of a number. What was due until then and has not come counts as silence.
pub(super) const TIME: Duration = Duration::from_secs(30);
/// The time until each member has to be ready.
const READY: Duration = Duration::from_secs(10);
/// The longest delay of a message between two connected seats plus the largest difference between their clocks:
/// 3 s each. Seats begin a number at different moments, so both count for what one seat signs after another (S11).
pub(super) const DELAY: Duration = Duration::from_secs(6);

/// The maximum lead of a restarted program over the others, in numbers.
const AHEAD: u16 = 2;

/// How many numbers a player may be ahead.
const MOST_AHEAD: u16 = 64;
/// The largest number to which a player can lead others. The rest is left for numbers that pass by time, at least 10 s
/// each.
const MOST_LED: u16 = 1 << 14;

/// The number of messages that are kept of each player.
const KEPT: usize = 4;

/// The handover after one result, as one member sees it.
pub(super) struct Handover {
    own: Fingerprint,
    /// The members: the seats that decide about the next match, in their order in the match before.
    members: Vec<Fingerprint>,
    /// The number of members from which on the left-out ones could go on with an open match by themselves.
    threshold: Option<usize>,
    number: u16,
    nonce: [u8; 32],
    began: Duration,
    /// What the others have sent for this number and later ones, newcomers included.
    ready: HashMap<Fingerprint, BTreeMap<u16, Ready>>,
    /// The members that do not want to play on.
    gone: HashSet<Fingerprint>,
    /// The members that did not do in time what was due from them, in this number or an earlier one.
    silent: HashSet<Fingerprint>,
    /// The silent members that were ready, but did not sign what was due.
    stalled: HashSet<Fingerprint>,
    /// Whether this seat has signed its first part in a match with this number.
    has_signed: bool,
    has_proposed: bool,
    /// The nonce for the next number, if this seat has declared itself ready for it early.
    announced: Option<[u8; 32]>,
    /// Whether a list by the proposer of this number has arrived, valid or not.
    is_listed: bool,
    /// The members from which something was due at the end of the time.
    due: Option<HashSet<Fingerprint>>,
    /// The members from which something was due after the time of two more messages.
    due_later: Option<HashSet<Fingerprint>>,
    /// Whether the last valid list leaves out a member.
    leaves_out: bool,
    /// Whether this program was restarted since the result.
    has_returned: bool,
    /// The number of numbers that this program has begun since the result or the restart.
    begun: u32,
}

/// Why a member does not sign in the match of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("the list is for another number")]
    Number,
    #[error("the list is not by the player whose turn it is")]
    Proposer,
    #[error("this player has already signed in another match with this number")]
    Signed,
    #[error("the list leaves out a player who has done everything in time")]
    Present(Fingerprint),
    #[error("the list has too few of the players of the match before")]
    TooFew,
    #[error("the list has other chips or other terms")]
    Terms,
}

impl Handover {
    /// The handover after a result with these members, from number `number` on, with the nonce of this number.
    /// `threshold` is the number of seats that open a card together, if the match before is open.
    pub(super) fn new(
        own: Fingerprint,
        members: Vec<Fingerprint>,
        threshold: Option<usize>,
        (number, nonce): (u16, [u8; 32]),
        now: Duration,
    ) -> Self {
        Handover {
            own,
            members,
            threshold,
            number,
            nonce,
            began: now,
            ready: HashMap::new(),
            gone: HashSet::new(),
            silent: HashSet::new(),
            stalled: HashSet::new(),
            has_signed: false,
            has_proposed: false,
            announced: None,
            is_listed: false,
            due: None,
            due_later: None,
            leaves_out: false,
            has_returned: false,
            begun: 0,
        }
    }

    /// This program was restarted since the result. The others may be at a higher number.
    pub(super) fn has_returned(&mut self) {
        self.has_returned = true;
    }

    /// The current number.
    pub(super) fn number(&self) -> u16 {
        self.number
    }

    /// The nonce of this player for the current number.
    pub(super) fn nonce(&self) -> [u8; 32] {
        self.nonce
    }

    /// The members that have not said that they go, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = Fingerprint> {
        let members = self.members.iter().copied();
        members.filter(|member| !self.gone.contains(member))
    }

    /// The member that proposes with the current number: the first one with the numbers 1 and 2, then each of the next
    /// ones with one number, in a circle (S6).
    pub(super) fn proposer(&self) -> Option<Fingerprint> {
        self.proposer_of(self.number)
    }

    /// The member that proposes with a number.
    pub(super) fn proposer_of(&self, number: u16) -> Option<Fingerprint> {
        let members: Vec<Fingerprint> = self.members().collect();
        let turn = usize::from(number.saturating_sub(2));
        members.get(turn % members.len().max(1)).copied()
    }

    /// Whether this player proposes with the current number.
    pub(super) fn proposes(&self) -> bool {
        self.proposer() == Some(self.own)
    }

    /// A player is ready. Returns whether this is new.
    pub(super) fn is_ready(&mut self, from: Fingerprint, ready: Ready) -> bool {
        let last = self.last(from);
        let is_new = last.is_none_or(|last| last < ready.number)
            && ready.number <= self.number.saturating_add(MOST_AHEAD)
            && ready.number <= self.number.saturating_add(1).max(MOST_LED);
        if is_new {
            let sent = self.ready.entry(from).or_default();
            sent.insert(ready.number, ready);
            if sent.len() > KEPT {
                let before = sent.keys().rev().nth(1).copied();
                before.map(|number| sent.remove(&number));
            }
        }
        is_new
    }

    /// What a player has sent for the current number.
    pub(super) fn ready_of(&self, player: Fingerprint) -> Option<&Ready> {
        self.ready.get(&player)?.get(&self.number)
    }

    /// Whether another member is ready for the current number.
    pub(super) fn is_any_ready(&self) -> bool {
        self.others().any(|member| self.ready_of(member).is_some())
    }

    /// The highest number for which a player is ready.
    fn last(&self, player: Fingerprint) -> Option<u16> {
        self.ready.get(&player)?.keys().next_back().copied()
    }

    /// Whether a player is a member that has not gone.
    pub(super) fn is_member(&self, player: Fingerprint) -> bool {
        self.members().any(|member| member == player)
    }

    /// Whether a member has signed that it does not play on.
    pub(super) fn has_gone(&self, member: Fingerprint) -> bool {
        self.gone.contains(&member)
    }

    /// Whether all members have had the time to be ready.
    pub(super) fn is_late(&self, now: Duration) -> bool {
        now >= self.began + READY
    }

    /// A member has signed that it does not play on.
    pub(super) fn goes(&mut self, member: Fingerprint) {
        self.gone.insert(member);
    }

    /// Whether a member may be left out by this player's clock (S2).
    pub(super) fn may_be_left_out(&self, member: Fingerprint) -> bool {
        self.gone.contains(&member) || self.silent.contains(&member)
    }

    /// A member was absent in the open match before, by the claims of this player's program.
    pub(super) fn is_absent(&mut self, member: Fingerprint) {
        self.silent.insert(member);
    }

    /// The members of the list that this player proposes now. `None` if it is not its turn, it has proposed already,
    /// or others may still become ready.
    pub(super) fn proposal(&self, now: Duration) -> Option<Vec<Fingerprint>> {
        if !self.proposes() || self.has_proposed || self.has_signed {
            return None;
        }
        let plays = |member: &Fingerprint| {
            let is_here = self.ready_of(*member).is_some() && !self.stalled.contains(member);
            *member == self.own || is_here
        };
        let awaits = |member: &Fingerprint| {
            !plays(member) && !self.silent.contains(member) && now < self.began + READY
        };
        if self.members().any(|member| awaits(&member)) {
            return None;
        }
        let listed: Vec<Fingerprint> = self.members().filter(plays).collect();
        if self.are_enough(&listed) {
            return Some(listed);
        }
        // Too few without the stalled ones: they get another chance.
        let is_here =
            |member: &Fingerprint| *member == self.own || self.ready_of(*member).is_some();
        let listed: Vec<Fingerprint> = self.members().filter(is_here).collect();
        self.are_enough(&listed).then_some(listed)
    }

    /// This player has proposed a list with these members and the current number.
    pub(super) fn has_proposed(&mut self, listed: &[Fingerprint]) {
        self.has_proposed = true;
        self.is_listed = true;
        let leaves_out = self.members().any(|member| !listed.contains(&member));
        self.leaves_out = leaves_out;
    }

    /// Whether these members can play the next match without the others (S4). Members that go do not decide, but they
    /// could go on with an open match.
    fn are_enough(&self, listed: &[Fingerprint]) -> bool {
        let count = self
            .members()
            .filter(|member| listed.contains(member))
            .count();
        let left_out = self
            .members
            .iter()
            .filter(|member| !listed.contains(member))
            .count();
        2 * count > self.members().count() && self.threshold.is_none_or(|most| left_out < most)
    }

    /// Checks a list of players with this number, in order of the seats (S1, S2, S4, S5, S8). Its caller checks the
    /// header, the chips and the own nonce.
    ///
    /// # Errors
    /// If this player must not sign in the match of the list.
    pub(super) fn check(&mut self, number: u16, players: &[Fingerprint]) -> Result<(), Refusal> {
        if number != self.number {
            return Err(Refusal::Number);
        }
        if players.first().copied() != self.proposer() {
            return Err(Refusal::Proposer);
        }
        self.is_listed = true;
        if self.has_signed {
            return Err(Refusal::Signed);
        }
        let mut left_out = self.members.iter();
        let wrong =
            left_out.find(|&member| !players.contains(member) && !self.may_be_left_out(*member));
        if let Some(member) = wrong {
            return Err(Refusal::Present(*member));
        }
        if players.len() < 2 || !self.are_enough(players) {
            return Err(Refusal::TooFew);
        }
        let leaves_out = self.members().any(|member| !players.contains(&member));
        self.leaves_out = leaves_out;
        Ok(())
    }

    /// This player signs its first part in a match.
    pub(super) fn signs(&mut self) {
        self.has_signed = true;
    }

    /// The end of the current number's time.
    pub(super) fn time(&self) -> Duration {
        self.began + TIME
    }

    /// Notes who was silent, and returns the next number if its time has come. `due` are the members for which the
    /// match of the signed list waits, and that could sign: the list has the nonce that they sent for this number, and
    /// they have signed in no other list of the same proposer with this number.
    pub(super) fn next_number(&mut self, due: &[Fingerprint], now: Duration) -> Option<u16> {
        let others: Vec<Fingerprint> = self.others().collect();
        if now >= self.began + READY {
            // After a restart, this player may be ahead of members that do everything in time.
            let least = match self.has_returned {
                false => self.number,
                true => self.number.saturating_sub(AHEAD),
            };
            let is_late = |member: &Fingerprint| self.last(*member).is_none_or(|last| last < least);
            let late: Vec<Fingerprint> = others.iter().copied().filter(is_late).collect();
            self.silent.extend(late);
        }
        if now >= self.time() {
            self.judge(due, now);
        }
        let ahead = self.followed();
        let next = self.number.checked_add(1)?;
        if now >= self.until() {
            return Some(next.max(ahead));
        }
        if ahead > self.number {
            return Some(ahead);
        }
        (self.announced.is_some() && self.is_hopeless()).then_some(next)
    }

    /// The members without this player.
    fn others(&self) -> impl Iterator<Item = Fingerprint> {
        self.members().filter(|member| *member != self.own)
    }

    /// Counts the members as silent that have not done what was due at the end of the time. A member gets the time of
    /// two messages for what this player has given it last.
    fn judge(&mut self, due: &[Fingerprint], now: Duration) {
        let others: Vec<Fingerprint> = self.others().collect();
        if !self.has_returned {
            let never = others
                .iter()
                .filter(|member| self.ready_of(**member).is_none());
            let never: Vec<Fingerprint> = never.copied().collect();
            self.silent.extend(never);
        }
        // A proposer without a list is not silent: it may lack others that this player has. Its turn ends.
        let due: HashSet<Fingerprint> = due.iter().copied().collect();
        let end = if self.has_returned {
            self.until()
        } else {
            self.time() + 2 * DELAY
        };
        let was_due = self.due.get_or_insert_with(|| due.clone()).clone();
        // In the first circle, a member may have seen somebody in time whom the list leaves out. It gets the chance to
        // propose a list itself before its refusal counts.
        let is_first_circle = usize::from(self.number) <= self.members.len() + 1;
        if now < end || is_first_circle && self.leaves_out {
            return;
        }
        // A member that becomes due later has the time until the number ends, if this is longer than for a message.
        let mut late: Vec<Fingerprint> = was_due.intersection(&due).copied().collect();
        let is_last_delay = now >= end + DELAY && now + DELAY > self.until();
        let later = self.due_later.get_or_insert_with(|| due.clone());
        if is_last_delay {
            late.extend(later.intersection(&due));
        }
        // A program that was restarted does not know whether those at a higher number or the others do what is due.
        let is_ahead = |member: &Fingerprint| {
            self.has_returned && self.last(*member).is_some_and(|last| last > self.number)
        };
        let late = late
            .into_iter()
            .filter(|member| others.contains(member) && !is_ahead(member));
        let late: Vec<Fingerprint> = late.collect();
        self.stalled.extend(late.iter().copied());
        self.silent.extend(late);
    }

    /// The number to which this player follows others at once: more than half of the members have reached it, without
    /// this player. If this program was restarted, all that are not silent suffice. Of two members, the other one suffices, also
    /// if it was silent.
    fn followed(&self) -> u16 {
        let mut numbers: Vec<u16> = self
            .others()
            .filter_map(|member| self.last(member))
            .collect();
        numbers.sort_unstable();
        let count = self.members().count();
        let place = numbers.len().checked_sub(count / 2 + 1);
        let most = place.map_or(0, |place| numbers[place]);
        let is_present = |member: &Fingerprint| count == 2 || !self.silent.contains(member);
        let present = self.others().filter(is_present);
        let all = present.map(|member| self.last(member).unwrap_or(0)).min();
        match self.has_returned || count == 2 {
            true => most.max(all.unwrap_or(0)),
            false => most,
        }
    }

    /// Whether more than half of the members, with this player and without the proposer, are ready for a higher number.
    fn is_hopeless(&self) -> bool {
        let others = self
            .others()
            .filter(|member| Some(*member) != self.proposer());
        let ahead =
            others.filter(|member| self.last(*member).is_some_and(|last| last > self.number));
        2 * (ahead.count() + 1) > self.members().count()
    }

    /// The next number, if this player declares itself ready for it early: the proposer is not ready. It stays in the
    /// current number until more than half of the members do the same, so that nobody goes on alone.
    pub(super) fn announces(&self, now: Duration) -> Option<u16> {
        let is_due = now >= self.began + READY && !self.has_signed && self.announced.is_none();
        let is_away = self
            .proposer()
            .is_some_and(|of| of != self.own && self.ready_of(of).is_none());
        // Two members play together or not at all (S4). A program that was restarted does not hurry: it could run away
        // from the others.
        let can_do_without = self.members().count() > 2 && !self.has_returned;
        self.number
            .checked_add(1)
            .filter(|_| is_due && is_away && can_do_without && !self.is_listed)
    }

    /// This player has sent that it is ready for the next number, with this nonce.
    pub(super) fn has_announced(&mut self, nonce: [u8; 32]) {
        self.announced = Some(nonce);
    }

    /// The nonce that this player has sent for this next number already.
    pub(super) fn announced(&self, number: u16) -> Option<[u8; 32]> {
        self.announced
            .filter(|_| self.number.checked_add(1) == Some(number))
    }

    /// When this player opens its first cards of a match in which these seats are members (S11). Newcomers do not count:
    /// they have no number that they could leave. A program that was restarted does not know the time of its first
    /// number, nor that of the number to which it follows the others then.
    pub(super) fn opening(&self, seats: SeatSet) -> FirstOpening {
        let is_new = self.has_returned && self.begun < 2;
        FirstOpening {
            until: if is_new { Duration::MAX } else { self.time() },
            each: DELAY,
            least: if is_new {
                seats.len().saturating_sub(1)
            } else {
                0
            },
            seats,
        }
    }

    /// When this player goes on to the next number (S11), unless others do. It is the same time for all.
    fn until(&self) -> Duration {
        self.time() + DELAY * self.members.len() as u32
    }

    /// Begins a number with a fresh nonce, which is on the disk already (S13).
    pub(super) fn begin(&mut self, number: u16, nonce: [u8; 32], now: Duration) {
        (self.number, self.nonce, self.began) = (number, nonce, now);
        self.has_signed = false;
        self.has_proposed = false;
        self.announced = None;
        self.is_listed = false;
        self.leaves_out = false;
        self.due = None;
        self.due_later = None;
        self.begun += 1;
        for sent in self.ready.values_mut() {
            let last = sent.keys().next_back().copied().unwrap_or(number);
            sent.retain(|of, _| *of >= number.min(last));
        }
    }

    /// The time of the next timer.
    pub(super) fn timer(&self, now: Duration) -> Duration {
        let times = [
            self.began + READY,
            self.time(),
            self.time() + 2 * DELAY,
            self.until(),
        ];
        times
            .into_iter()
            .filter(|at| *at > now)
            .min()
            .unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests;
