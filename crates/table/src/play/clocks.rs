//! The clocks of a table, one for each seat, as this seat's program counts them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Clock, MatchLog, Phase};
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
const PROGRAM: Clock = Clock {
    each_move: 20,
    bank: 0,
};

/// The time of another seat to answer a roll call.
const ANSWER: Clock = Clock {
    each_move: 10,
    bank: 0,
};

/// What this side lacks of another seat, in a match whose seats can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lacks {
    /// A part for which its player has to decide something.
    Choice,
    /// A part that its program signs at once.
    Part,
    /// An ack, or another statement for a release. The part that follows has a time of its own.
    Statement,
    /// An answer to a roll call.
    Answer,
}

impl Lacks {
    /// The time of the seat, if this side does not measure it with the clock of the match.
    fn limit(self) -> Option<Clock> {
        match self {
            Lacks::Choice => None,
            Lacks::Part | Lacks::Statement => Some(PROGRAM),
            Lacks::Answer => Some(ANSWER),
        }
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
    /// A copy of the bank of each seat that is [measured](Wait::Measured), or the time that a seat has
    /// for something [else](Wait::Lacking).
    measured: Vec<Option<Measured>>,
    /// The last report that a seat is late, with its step, for each seat.
    reported: Vec<Option<(u64, Late)>>,
}

/// The time of a seat that does not come off its bank.
struct Measured {
    /// What the time is for, in a match whose seats can be removed.
    lacks: Option<Lacks>,
    bank: TimeBank,
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
    /// In a match whose seats can be removed, this side lacks something that the program of that seat
    /// signs at once.
    Lacking(Lacks),
}

impl Wait {
    fn late(self) -> Option<Late> {
        match self {
            Wait::No => None,
            Wait::Turn | Wait::Lacking(_) => Some(Late::AtItsTurn),
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
    /// What this side lacks of other seats. `None` in a match whose seats cannot be removed.
    pub(super) lacks: Option<BTreeMap<Seat, Lacks>>,
    /// The number of roll calls of this side that were lost in this step.
    pub(super) lost_roll_calls: usize,
}

impl View<'_> {
    /// Whether this side waits for another seat, and for what.
    fn waits_for(&self, seat: Seat) -> Wait {
        if let Some(lacks) = &self.lacks {
            return match lacks.get(&seat) {
                None => Wait::No,
                Some(Lacks::Choice) => Wait::Turn,
                Some(lacks) => Wait::Lacking(*lacks),
            };
        }
        let signers = self.log.waits_for();
        let mine = signers.contains(&self.own);
        let is_deal = self.log.phase() == Phase::Deal;
        let is_missing = self.connections.get(&seat) == Some(&ConnectionState::Missing);
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

    /// Whether any seat is connected to this side.
    fn is_connected(&self) -> bool {
        let mut states = self.connections.values();
        states.any(|state| *state == ConnectionState::Up)
    }

    /// Whether this side is one of several guests and does not learn what another seat has signed: it
    /// has a complete connection neither to the host nor to that seat.
    fn is_cut_off_from(&self, seat: Seat) -> bool {
        let is_guest_of_several = self.log.match_info().seats() > 2 && self.own != Seat::HOST;
        let is_up = |seat| self.connections.get(seat) == Some(&ConnectionState::Up);
        seat != self.own && is_guest_of_several && ![Seat::HOST, seat].iter().any(is_up)
    }

    /// The number of the turn that a wait for another seat belongs to. After a lost roll call, the seat
    /// has another turn in the same step. All shuffles of a hand with a sealed deck are one turn, so a
    /// peer that stalls in each shuffle gains no time from another try.
    fn turn(&self) -> u64 {
        match self.is_shuffled() {
            _ if self.lacks.is_some() => (self.log.step() << 8) | self.lost_roll_calls as u64,
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
        self.log.match_info().seats() > 2 && !is_up
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
        let bank = TimeBank::new(if limited { clock } else { SILENCE });
        Clocks {
            limited,
            banks: vec![bank; seats],
            measured: (0..seats).map(|_| None).collect(),
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
    pub(super) fn update(&mut self, view: &View<'_>, now: Duration) -> Option<Timeout> {
        let own = self.update_own(view, now);
        let mut others = Seat::all(self.banks.len()).filter(|seat| *seat != view.own);
        own.or_else(|| others.find_map(|seat| self.update_other(seat, view, now)))
    }

    fn update_own(&mut self, view: &View<'_>, now: Duration) -> Option<Timeout> {
        let legal = view.own_choice().filter(|_| self.limited);
        let bank = &mut self.banks[view.own.index()];
        let turn = legal.as_ref().map(|_| view.log.step());
        bank.update(turn, view.is_synced, now);
        let is_out = view.is_synced && bank.is_out();
        legal.filter(|_| is_out).map(Timeout::Own)
    }

    fn update_other(&mut self, seat: Seat, view: &View<'_>, now: Duration) -> Option<Timeout> {
        let step = match view.lacks {
            Some(_) => view.turn(),
            None => view.log.step(),
        };
        let wait = match view.waits_for(seat) {
            Wait::No if view.is_unreachable(seat) && self.has_late_seat(seat, step) => {
                Wait::Measured(Late::Unreachable)
            }
            wait => wait,
        };
        let bank = &mut self.banks[seat.index()];
        let turn = wait == Wait::Turn;
        bank.update(turn.then_some(step), true, now);
        let measured = &mut self.measured[seat.index()];
        match wait {
            Wait::Measured(_) => {
                let new = || Measured {
                    lacks: None,
                    bank: bank.clone(),
                };
                let measured = measured.get_or_insert_with(new);
                measured.bank.update(Some(view.turn()), true, now);
            }
            Wait::Lacking(lacks) => {
                let new = || Measured {
                    lacks: Some(lacks),
                    bank: TimeBank::new(lacks.limit().unwrap_or_default()),
                };
                let measured = match measured {
                    Some(measured) if measured.lacks == Some(lacks) => measured,
                    measured => measured.insert(new()),
                };
                let runs = view.is_connected();
                measured.bank.update(Some(view.turn()), runs, now);
            }
            // Before the next try of a hand this side waits for nobody, and the time spent so far
            // still counts.
            Wait::No if view.is_shuffled() && view.log.phase() == Phase::Deal => {
                let measured = measured.iter_mut().map(|measured| &mut measured.bank);
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
            if is_back && view.log.match_info().seats() > 2 {
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
                false => self.grace(seat).saturating_sub(bank.late()),
            };
            bank.runs().then(|| bank.left().total() + grace)
        };
        let left = Seat::all(self.banks.len()).filter_map(left);
        // Seats with no time left were already reported.
        let left = left.filter(|left| !left.is_zero());
        left.min().unwrap_or(Duration::MAX)
    }

    /// Whether this side waits for another seat, and that seat's time and the grace period are
    /// over.
    pub(super) fn is_out(&self, seat: Seat) -> bool {
        let bank = self.running(seat);
        bank.has_turn() && bank.left().total().is_zero() && bank.late() >= self.grace(seat)
    }

    /// What this side lacks of another seat whose time for it is over. Without roll calls, or if nothing is
    /// lacking, this has no meaning.
    pub(super) fn late(&self, seat: Seat) -> Option<Lacks> {
        let measured = self.measured[seat.index()].as_ref();
        let lacks = measured.and_then(|measured| measured.lacks);
        self.is_out(seat).then_some(lacks.unwrap_or(Lacks::Choice))
    }

    /// The grace period of another seat.
    fn grace(&self, seat: Seat) -> Duration {
        let measured = self.measured[seat.index()].as_ref();
        match measured.and_then(|measured| measured.lacks) {
            // The time includes it.
            Some(_) => Duration::ZERO,
            None => GRACE,
        }
    }

    /// The bank of a seat, or its copy while the seat is measured.
    fn running(&self, seat: Seat) -> &TimeBank {
        let measured = self.measured[seat.index()].as_ref();
        measured.map_or(&self.banks[seat.index()], |measured| &measured.bank)
    }

    /// The time that a seat has left. `None` in a match without a clock.
    pub(super) fn left(&self, seat: Seat) -> Option<TimeLeft> {
        let bank = self.banks.get(seat.index()).filter(|_| self.limited);
        bank.map(TimeBank::left)
    }

    pub(super) fn restore(&mut self, banks: &[Duration]) {
        for (bank, left) in self.banks.iter_mut().zip(banks) {
            bank.restore(*left);
        }
    }
}

#[cfg(test)]
mod tests;
