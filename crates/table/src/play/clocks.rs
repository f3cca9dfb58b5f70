//! The clocks of a table, one for each seat, as this seat's program counts them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dealerless_connection::time::Moment;

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Claimable, Clock, MatchLog, Missing, Phase};
use crate::rules::Legal;
use crate::seat::Seat;

/// Grace period after the clock of another seat has run out: its part may be under way.
const GRACE: Duration = Duration::from_secs(10);

/// The clock of other seats in a match without a clock. With the grace period, it allows ten
/// minutes without a response.
const SILENCE: Clock = Clock {
    each_move: 590,
    bank: 0,
};

/// The time of another seat for a step that its program signs without its player, acks included, in a
/// match whose seats can be removed.
const PROGRAM: Duration = Duration::from_secs(20);

/// The time after which a seat shows in its own turn that it is there. It is shorter than the grace period.
const PRESENCE: Duration = Duration::from_secs(5);

/// The time that counts at most between two updates: a program that was stopped has not waited.
const LONGEST_JUMP: Duration = Duration::from_secs(1);

/// How long this side waits for something that it lacks of another seat, in a match whose seats can be
/// removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    /// Whether the player of a seat has to decide something in this step.
    pub(super) chooses: bool,
    /// For a vote, the number of calls in a row to which the claim refers.
    pub(super) depth: usize,
    /// Whether an open call of the seat, in this step or an earlier one since the last common step, does
    /// not let it sign what is lacking. Then the time stands still.
    pub(super) is_bound: bool,
}

/// How long this side has lacked one thing.
#[derive(Clone, Copy)]
struct Lacked {
    time: Duration,
    limit: Duration,
    /// For how long the time has stood still.
    stood: Duration,
    /// For how long it may stand still now.
    may_stand: Duration,
}

impl Lacked {
    /// The time until the limit, if nothing changes.
    fn left(&self) -> Duration {
        let stands = self.may_stand.saturating_sub(self.stood);
        stands + self.limit.saturating_sub(self.time)
    }
}

/// How long this side has lacked what it lacks of other seats, in the current step.
#[derive(Default)]
struct Lacking {
    /// The step, and whether this side waits for histories: then it lacks something else.
    phase: (u64, bool),
    times: BTreeMap<Claimable, Lacked>,
    /// The time of the last update. `None` while the times stand still.
    since: Option<Duration>,
}

impl Lacking {
    /// Updates the times to `now`. `limits` is what this side lacks now, with the limit, and the longest
    /// time for which the time may stand still now. `runs` is whether the times run from now on.
    fn update(
        &mut self,
        phase: (u64, bool),
        limits: BTreeMap<Claimable, (Duration, Duration)>,
        runs: bool,
        now: Duration,
    ) {
        let passed = self.since.map(|since| now.saturating_sub(since));
        let passed = passed.map_or(Duration::ZERO, |passed| passed.min(LONGEST_JUMP));
        let before = std::mem::take(&mut self.times);
        let is_same_phase = std::mem::replace(&mut self.phase, phase) == phase;
        let lacked = |(claim, (limit, may_stand)): (Claimable, (Duration, Duration))| {
            let mut lacked = Lacked {
                time: Duration::ZERO,
                limit,
                stood: Duration::ZERO,
                may_stand,
            };
            // A claim about a vote names its call, and so its step: its time continues in later steps.
            let continues = is_same_phase || matches!(claim.1, Missing::Vote(_));
            if let Some(known) = before.get(&claim).filter(|_| continues) {
                let stands = known.stood < may_stand;
                lacked.time = known.time + if stands { Duration::ZERO } else { passed };
                lacked.stood = known.stood + if stands { passed } else { Duration::ZERO };
            }
            (claim, lacked)
        };
        self.times = limits.into_iter().map(lacked).collect();
        self.since = (runs && !self.times.is_empty()).then_some(now);
    }

    /// What this side has lacked for so long that the time is over.
    fn over(&self) -> impl Iterator<Item = Claimable> {
        let times = self.times.iter();
        times.filter_map(|(claim, lacked)| (lacked.time >= lacked.limit).then_some(*claim))
    }

    /// The time until the next update is due.
    fn until_next(&self) -> Option<Duration> {
        let mut times = self.times.values();
        let is_waiting = self.since.is_some() && times.any(|lacked| lacked.time < lacked.limit);
        is_waiting.then_some(LONGEST_JUMP)
    }
}

/// The clocks of all seats.
///
/// All the time that this side waits for another seat counts against that seat. The time reduces
/// the seat's bank if the seat's own program counts it too, or responds without its player. If the
/// seat may have a good reason to be idle, its bank is not reduced; see [`Wait::Measured`].
pub(super) struct Clocks {
    /// Whether the match has a clock.
    limited: bool,
    banks: Vec<TimeBank>,
    /// A copy of the bank of each seat that is [measured](Wait::Measured).
    measured: Vec<Option<TimeBank>>,
    /// What this side lacks, in a match whose seats can be removed.
    lacking: Lacking,
    /// The time for a choice in such a match: the move, the whole bank, and the grace period.
    choice: Duration,
    /// The step of the own turn in such a match, and the seconds since 1970 at which it was first shown.
    own_turn: Option<(u64, u64)>,
    /// The last report that a seat is late, with its step, for each seat.
    reported: Vec<Option<(u64, Late)>>,
}

/// The way in which another seat is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    AtItsTurn,
    Away,
    /// Not connected to this side while another seat is late. The match does not wait for this seat
    /// now, but it may have to be settled without it.
    Unreachable,
}

/// Whether this side waits for another seat, and for what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// This side waits for nobody, or for its own player.
    No,
    /// This side waits for a part of that seat.
    Turn,
    /// This side waits for a connection, an engine, or a deal (which a player who sits out may
    /// delay). The seat has as much time as for a move, but its bank is not reduced, because its
    /// own program does not count this time.
    Measured(Late),
}

impl Wait {
    fn late(self) -> Option<Late> {
        match self {
            Wait::No => None,
            Wait::Turn => Some(Late::AtItsTurn),
            Wait::Measured(late) => Some(late),
        }
    }
}

/// The state of the connection to a seat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// There is a connection, and the other side has sent its history.
    Up,
    /// This side waits for a connection or for the history.
    Missing,
    /// This side does not look for a connection.
    Unwanted,
}

/// The state of the match that the clocks depend on.
pub(super) struct View<'a> {
    pub(super) log: &'a MatchLog,
    pub(super) own: Seat,
    /// The connections to the seats to which this side needs one, and all other complete ones.
    pub(super) connections: BTreeMap<Seat, ConnectionState>,
    /// Whether this side may sign.
    pub(super) is_synced: bool,
    /// Whether the match cannot continue without another run of the engines.
    pub(super) needs_engine: bool,
    /// Whether this side has started again and waits for histories.
    pub(super) is_merging: bool,
    /// What this side lacks of other seats. `None` in a match whose seats cannot be removed.
    pub(super) missing: Option<BTreeMap<Claimable, Due>>,
}

impl View<'_> {
    /// Whether this side waits for another seat, and for what.
    fn waits_for(&self, seat: Seat) -> Wait {
        let signers = self.log.waits_for();
        let mine = signers.contains(&self.own);
        let is_deal = self.log.phase() == Phase::Deal;
        let is_missing = self.is_missing(seat);
        let waits_for_history = mine && !self.is_synced;
        let is_cut_off = !mine && signers.iter().any(|signer| self.is_cut_off_from(*signer));
        if is_missing && (waits_for_history || is_cut_off) {
            Wait::Measured(Late::Away)
        } else if self.is_cut_off_from(seat) {
            Wait::No
        } else if mine && self.is_synced && self.needs_engine && !is_deal {
            Wait::Measured(Late::AtItsTurn)
        } else if mine || !signers.contains(&seat) {
            Wait::No
        } else if self.needs_engine {
            Wait::Measured(Late::AtItsTurn)
        } else {
            Wait::Turn
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.log.phase(), Phase::Over(_))
    }

    fn has_several(&self) -> bool {
        self.log.match_info().seats() > 2
    }

    /// Whether the connection to a seat, or its history, is missing.
    fn is_missing(&self, seat: Seat) -> bool {
        self.connections.get(&seat) == Some(&ConnectionState::Missing)
    }

    /// Whether any seat is connected to this side.
    fn is_connected(&self) -> bool {
        let mut states = self.connections.values();
        states.any(|state| *state == ConnectionState::Up)
    }

    /// Whether this side is one of several guests and does not learn what another seat has signed: it
    /// has a complete connection neither to the host nor to that seat.
    fn is_cut_off_from(&self, seat: Seat) -> bool {
        let is_guest_of_several = self.has_several() && self.own != Seat::HOST;
        let is_up = |seat| self.connections.get(seat) == Some(&ConnectionState::Up);
        seat != self.own && is_guest_of_several && ![Seat::HOST, seat].iter().any(is_up)
    }

    /// The number of the turn that a wait for another seat belongs to. All shuffles of a hand with a
    /// sealed deck are one turn, so a peer that stalls in each shuffle gains no time from another try.
    fn turn(&self) -> u64 {
        match self.is_shuffled() {
            true => u64::MAX - u64::from(self.log.attempt().hand),
            false => self.log.step(),
        }
    }

    /// Whether the hand is being shuffled, or has to be shuffled again after a void try.
    fn is_shuffled(&self) -> bool {
        match self.log.phase() {
            Phase::Seal(_) => true,
            Phase::Deal => self.log.attempt().attempt > 0,
            _ => false,
        }
    }

    /// Whether this side has no complete connection to a seat of a match with several seats.
    fn is_unreachable(&self, seat: Seat) -> bool {
        let is_up = self.connections.get(&seat) == Some(&ConnectionState::Up);
        self.has_several() && !is_up
    }

    /// Whether the player of another seat has to choose.
    fn is_choice_of(&self, seat: Seat) -> bool {
        matches!(self.log.phase(), Phase::Choose { seat: now, .. } if now == seat)
    }

    /// The choices of this side's player, if it has to choose.
    fn own_choice(&self) -> Option<Legal> {
        match self.log.phase() {
            Phase::Choose { seat, legal } if seat == self.own => Some(legal),
            _ => None,
        }
    }
}

/// The seat that has run out of time.
pub(super) enum Timeout {
    /// This seat, with the choices that the rules allow.
    Own(Legal),
    /// Another seat, whose turn it is.
    Other(Seat),
    /// Another seat, which is away.
    Away(Seat),
    /// Another seat, which is not connected while a third one is late.
    Unreachable(Seat),
    /// Another seat, which was away or unreachable in this step, is connected again.
    Back(Seat),
}

impl Clocks {
    pub(super) fn new(clock: Clock, seats: usize) -> Self {
        let limited = clock != Clock::default();
        let clock = if limited { clock } else { SILENCE };
        let seconds = u64::from(clock.each_move) + u64::from(clock.bank);
        Clocks {
            limited,
            banks: vec![TimeBank::new(clock); seats],
            measured: (0..seats).map(|_| None).collect(),
            lacking: Lacking::default(),
            choice: Duration::from_secs(seconds) + GRACE,
            own_turn: None,
            reported: vec![None; seats],
        }
    }

    /// Whether the match has a clock.
    pub(super) fn is_limited(&self) -> bool {
        self.limited
    }

    /// Updates the clocks, up to the first seat that has run out of time. The caller repeats this
    /// until no further seat has. This seat's own clock runs while its player has to choose and
    /// this side may sign. Another seat's clock runs while this side [waits](Wait) for it.
    ///
    /// In a match whose seats can be removed, the own clock runs from the moment at which the turn was
    /// first shown, also without a connection and while the program does not run.
    pub(super) fn update(&mut self, view: &View<'_>, now: Moment) -> Option<Timeout> {
        let own = self.update_own(view, now);
        let now = now.running;
        if let Some(missing) = &view.missing {
            let more = self.banks.len() - view.log.threshold();
            let limit = |due: &Due| {
                let limit = if due.chooses { self.choice } else { PROGRAM };
                let may_stand = (limit + GRACE) * if due.is_bound { more as u32 + 1 } else { 0 };
                (limit + GRACE * due.depth as u32, may_stand)
            };
            let limits = missing.iter().map(|(claim, due)| (*claim, limit(due)));
            let runs = view.is_connected();
            self.lacking.update(
                (view.log.step(), view.is_merging),
                limits.collect(),
                runs,
                now,
            );
        }
        let mut others = Seat::all(self.banks.len()).filter(|seat| *seat != view.own);
        own.or_else(|| others.find_map(|seat| self.update_other(seat, view, now)))
    }

    fn update_own(&mut self, view: &View<'_>, now: Moment) -> Option<Timeout> {
        let legal = view.own_choice().filter(|_| self.limited);
        let bank = &mut self.banks[view.own.index()];
        let turn = legal.is_some().then(|| view.log.step());
        match (turn, &view.missing) {
            (Some(step), Some(_)) => {
                let began = self.own_turn.filter(|(of, _)| *of == step);
                let has_begun = began.is_some() || view.is_synced;
                let began = began.map_or(now.unix, |(_, began)| began);
                if has_begun {
                    self.own_turn = Some((step, began));
                    bank.update(turn, true, now.running);
                    // The first second was not a whole one.
                    let passed = now.unix.saturating_sub(began + 1);
                    bank.has_spent(Duration::from_secs(passed));
                }
            }
            (_, Some(_)) => {
                self.own_turn = None;
                bank.update(turn, true, now.running);
            }
            (_, None) => bank.update(turn, view.is_synced, now.running),
        }
        let is_out = view.is_synced && bank.is_out();
        legal.filter(|_| is_out).map(Timeout::Own)
    }

    fn update_other(&mut self, seat: Seat, view: &View<'_>, now: Duration) -> Option<Timeout> {
        let step = view.log.step();
        let lacks = |missing: &BTreeMap<Claimable, Due>| missing.keys().any(|(of, _)| *of == seat);
        let wait = match (view.waits_for(seat), &view.missing) {
            // After the end, other seats may still need this side's votes, but it waits for nobody.
            (_, Some(_)) if view.is_over() => Wait::No,
            // The times of what is lacking stand still.
            (_, Some(_)) if !view.is_connected() && view.is_missing(seat) => {
                Wait::Measured(Late::Away)
            }
            (_, Some(missing)) if view.is_connected() && lacks(missing) => Wait::Turn,
            (wait, None) if wait != Wait::No => wait,
            _ if view.is_unreachable(seat) && self.has_late_seat(seat, step) => {
                Wait::Measured(Late::Unreachable)
            }
            _ => Wait::No,
        };
        let bank = &mut self.banks[seat.index()];
        // What is shown of the bank of a seat that can be removed is an estimate.
        let turn = wait == Wait::Turn && view.missing.is_none() || view.is_choice_of(seat);
        bank.update(turn.then_some(step), true, now);
        let measured = &mut self.measured[seat.index()];
        match wait {
            Wait::Measured(_) => {
                let measured = measured.get_or_insert_with(|| bank.clone());
                measured.update(Some(view.turn()), true, now);
            }
            // Before the next try of a hand this side waits for nobody, and the time spent so far
            // still counts.
            Wait::No if view.is_shuffled() && view.log.phase() == Phase::Deal => {
                let measured = measured.iter_mut();
                measured.for_each(|bank| bank.update(Some(view.turn()), false, now));
            }
            _ => *measured = None,
        }
        let reported = self.reported[seat.index()];
        let was_away = |how: &Late| matches!(how, Late::Away | Late::Unreachable);
        if !wait.late().is_some_and(|how| was_away(&how)) {
            // The seat may be away again in the same step.
            self.reported[seat.index()] = reported.filter(|(_, how)| !was_away(how));
            let is_back = reported.is_some_and(|(of, how)| of == step && was_away(&how));
            // Two seats have no use for this news.
            if is_back && view.has_several() {
                return Some(Timeout::Back(seat));
            }
        }
        let how = wait.late()?;
        if !self.is_out(seat) || reported == Some((step, how)) {
            return None;
        }
        self.reported[seat.index()] = Some((step, how));
        Some(match how {
            Late::Away => Timeout::Away(seat),
            Late::AtItsTurn => Timeout::Other(seat),
            Late::Unreachable => Timeout::Unreachable(seat),
        })
    }

    /// Whether a third seat was reported as late in this step.
    fn has_late_seat(&self, seat: Seat, step: u64) -> bool {
        let mut others = Seat::all(self.reported.len()).zip(&self.reported);
        others.any(|(other, reported)| {
            let is_late = reported.is_some_and(|(of, how)| of == step && how != Late::Unreachable);
            other != seat && is_late
        })
    }

    /// The time until the next seat runs out of time, if nothing changes.
    pub(super) fn until_next_timeout(&self, own: Seat) -> Duration {
        let left = |seat: Seat| {
            let bank = self.running(seat);
            let grace = match seat == own {
                true => Duration::ZERO,
                false => GRACE.saturating_sub(bank.late()),
            };
            bank.runs().then(|| bank.left().total() + grace)
        };
        let left = Seat::all(self.banks.len()).filter_map(left);
        // Seats with no time left were already reported.
        let presence = self.own_turn.map(|_| self.until_presence(own));
        let left = left
            .chain(presence)
            .chain(self.lacking.until_next())
            .filter(|left| !left.is_zero());
        left.min().unwrap_or(Duration::MAX)
    }

    /// Whether this side waits for another seat, and that seat's time and the grace period are
    /// over.
    pub(super) fn is_out(&self, seat: Seat) -> bool {
        let bank = self.running(seat);
        let is_late = bank.has_turn() && bank.left().total().is_zero() && bank.late() >= GRACE;
        self.bank_counts(seat) && is_late || self.lacking.over().any(|(of, _)| of == seat)
    }

    /// The time until another seat is [out of time](Self::is_out), if nothing changes. `None` if this side
    /// waits for nothing of that seat.
    pub(super) fn until_out(&self, seat: Seat) -> Option<Duration> {
        let times = self.lacking.times.iter().filter(|((of, _), _)| *of == seat);
        let times = times.filter(|_| self.lacking.since.is_some());
        let lacked = times.map(|(_, lacked)| lacked.left());
        let bank = self.running(seat);
        let by_bank = (bank.left().total() + GRACE).saturating_sub(bank.late());
        let by_bank = Some(by_bank).filter(|_| bank.runs() && self.bank_counts(seat));
        lacked.chain(by_bank).min()
    }

    /// Whether the bank of a seat decides that it is out of time. In a match whose seats can be removed, it
    /// does so only for a seat that is [measured](Wait::Measured): otherwise it is an estimate.
    fn bank_counts(&self, seat: Seat) -> bool {
        self.lacking.times.is_empty() || self.measured[seat.index()].is_some()
    }

    /// What this side has lacked of other seats for so long that the time is over. Empty in a match
    /// whose seats cannot be removed.
    pub(super) fn over(&self) -> BTreeSet<Claimable> {
        self.lacking.over().collect()
    }

    /// The bank of a seat, or its copy while the seat is measured.
    fn running(&self, seat: Seat) -> &TimeBank {
        let measured = self.measured[seat.index()].as_ref();
        measured.unwrap_or(&self.banks[seat.index()])
    }

    /// The time that a seat has left. `None` in a match without a clock.
    pub(super) fn left(&self, seat: Seat) -> Option<TimeLeft> {
        let bank = self.banks.get(seat.index()).filter(|_| self.limited);
        bank.map(TimeBank::left)
    }

    /// Whether the own turn has lasted for so long that this seat shows that it is there.
    pub(super) fn is_long_turn(&self, own: Seat) -> bool {
        self.own_turn.is_some() && self.until_presence(own).is_zero()
    }

    fn until_presence(&self, own: Seat) -> Duration {
        PRESENCE.saturating_sub(self.banks[own.index()].spent())
    }

    /// The bank of a seat to store. In the own turn, whose beginning is stored as well, it is the bank at
    /// this beginning: the time since then is counted after a restart.
    pub(super) fn bank_to_store(&self, seat: Seat, own: Seat) -> Option<Duration> {
        let bank = self.banks.get(seat.index()).filter(|_| self.limited)?;
        let continues = seat == own && self.own_turn.is_some();
        Some(if continues {
            bank.at_start()
        } else {
            bank.left().bank
        })
    }

    /// The step of the own turn, and the seconds since 1970 at which it was first shown, if the clock
    /// must not begin again after a restart.
    pub(super) fn own_turn(&self) -> Option<(u64, u64)> {
        self.own_turn
    }

    pub(super) fn restore(&mut self, banks: &[Duration], own_turn: Option<(u64, u64)>) {
        for (bank, left) in self.banks.iter_mut().zip(banks) {
            bank.restore(*left);
        }
        self.own_turn = own_turn;
    }
}

#[cfg(test)]
mod tests;
