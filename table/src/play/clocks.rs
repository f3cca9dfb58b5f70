//! The clocks of a table: one for each seat, as this seat's program counts them.

use std::time::{Duration, Instant};

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Clock, MatchLog, Phase};
use crate::rules::Legal;
use crate::seat::Seat;

/// What another seat's part may take on its way, before it is claimed that its time is out.
const ON_ITS_WAY: Duration = Duration::from_secs(10);

/// The clocks of all seats; none where people may think as long as they like.
pub(super) struct Clocks {
    banks: Vec<TimeBank>,
    /// The step in which another seat's time was out, and that was told.
    told: Option<u64>,
}

/// Somebody's time is out.
pub(super) enum Out {
    /// This seat's, which may say this.
    Own(Legal),
    /// Another's.
    Other(Seat),
}

impl Clocks {
    pub(super) fn new(clock: Clock, seats: usize) -> Self {
        let banks = (0..seats).filter_map(|_| TimeBank::new(clock)).collect();
        Clocks { banks, told: None }
    }

    /// Looks at all clocks. One's own runs while one is to choose and is heard: `speaks` says whether
    /// there is a line for that. Another's runs while nobody else is waited for.
    pub(super) fn look(
        &mut self,
        (log, own): (&MatchLog, Seat),
        speaks: bool,
        now: Instant,
    ) -> Option<Out> {
        let step = log.step();
        let phase = log.phase();
        let waits_for = log.waits_for();
        let mut out = None;
        for (seat, bank) in Seat::all(self.banks.len()).zip(&mut self.banks) {
            if seat != own {
                let turn = waits_for.contains(&seat) && !waits_for.contains(&own);
                bank.look(turn.then_some(step), true, now);
                let late = bank.late();
                if turn && late >= ON_ITS_WAY && self.told != Some(step) {
                    self.told = Some(step);
                    out = Some(Out::Other(seat));
                }
                continue;
            }
            let legal = match &phase {
                Phase::Choose { seat, legal } if *seat == own => Some(legal),
                _ => None,
            };
            bank.look(legal.map(|_| step), speaks, now);
            if let Some(legal) = legal.filter(|_| speaks && bank.is_out()) {
                return Some(Out::Own(legal.clone()));
            }
        }
        out
    }

    /// How long nobody's time is out, if nothing changes.
    pub(super) fn quiet_for(&self, own: Seat) -> Duration {
        let turns = Seat::all(self.banks.len()).zip(&self.banks);
        let left = turns.filter(|(_, bank)| bank.has_turn());
        let left = left.map(|(seat, bank)| match seat == own {
            true => bank.left().total(),
            false => bank.left().total() + ON_ITS_WAY.saturating_sub(bank.late()),
        });
        // Those that were told are out, and a look costs nothing.
        left.filter(|left| !left.is_zero())
            .min()
            .unwrap_or(Duration::MAX)
    }

    pub(super) fn left(&self, seat: Seat) -> Option<TimeLeft> {
        self.banks.get(seat.index()).map(TimeBank::left)
    }

    pub(super) fn take_up(&mut self, banks: &[Duration]) {
        for (bank, left) in self.banks.iter_mut().zip(banks) {
            bank.take_up(*left);
        }
    }
}
