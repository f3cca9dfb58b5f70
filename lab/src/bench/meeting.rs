//! Start barrier of the two parties of a measurement, and exchange of their marks.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net;

use super::virtual_link::VirtualClock;

/// Time and traffic of a party at the end of a phase, counted from the common start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) time: Duration,
    /// Bytes that this party has sent.
    pub(super) sent: u64,
    /// Flights in both directions, as this party counts them.
    pub(super) flights: u64,
    /// Flights in a row: the longest chain of flights that waited for each other.
    pub(super) in_a_row: u64,
}

/// A moment on the clocks of a party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) time: Duration,
    /// The length of the longest chain of flights that ends here.
    pub(super) in_a_row: u64,
}

/// Start barrier of two parties.
pub(super) trait Meeting {
    /// Waits for the other party. Both return at the same moment.
    ///
    /// # Errors
    /// When the other party has left.
    fn start(&mut self) -> anyhow::Result<()>;

    /// Gives the other party this party's marks, and waits for as many of its own.
    ///
    /// # Errors
    /// When the other party has left.
    fn exchange(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Mark>>;

    /// The present moment.
    fn now(&self) -> Moment;
}

/// Which clock measures the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Timing {
    /// The system's.
    Real,
    /// The virtual clock of the line, on which computing takes no time.
    Simulated,
}

/// The time since the program first asked for it.
pub(super) fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// The meeting of two threads of this process. A party that ends drops its end, which releases the
/// other party.
pub(super) struct Here {
    timing: Timing,
    clock: VirtualClock,
    other_clock: VirtualClock,
    to_other: Sender<Vec<Mark>>,
    from_other: Receiver<Vec<Mark>>,
    /// Arrivals of both parties at the barrier, over all starts.
    arrivals: Arc<AtomicU64>,
    starts: u64,
}

impl Here {
    /// Both ends, and the virtual clock of each.
    pub(super) fn pair(timing: Timing) -> [(Self, VirtualClock); 2] {
        let clocks = <[VirtualClock; 2]>::default();
        let arrivals = Arc::new(AtomicU64::new(0));
        let (to_second, from_first) = channel();
        let (to_first, from_second) = channel();
        let end = |mine: usize, to_other, from_other| {
            let end = Here {
                timing,
                clock: clocks[mine].clone(),
                other_clock: clocks[1 - mine].clone(),
                to_other,
                from_other,
                arrivals: Arc::clone(&arrivals),
                starts: 0,
            };
            (end, clocks[mine].clone())
        };
        [end(0, to_second, from_second), end(1, to_first, from_first)]
    }
}

impl Meeting for Here {
    /// A thread that is woken starts late. So both threads meet a second time, when they are awake.
    fn start(&mut self) -> anyhow::Result<()> {
        self.exchange(&[])?;
        self.clock.wait_until(self.other_clock.now());
        self.starts += 1;
        self.arrivals.fetch_add(1, Ordering::SeqCst);
        while self.arrivals.load(Ordering::SeqCst) < 2 * self.starts {
            // The other thread may need this core.
            thread::yield_now();
            spin_loop();
        }
        Ok(())
    }

    fn exchange(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Mark>> {
        let sent = self.to_other.send(mine.to_vec());
        let theirs = sent.ok().and_then(|()| self.from_other.recv().ok());
        // The other party reports why it has ended.
        theirs.ok_or_else(|| net::Error::Aborted.into())
    }

    fn now(&self) -> Moment {
        let simulated = self.clock.now();
        match self.timing {
            Timing::Simulated => simulated,
            Timing::Real => Moment {
                time: system_time(),
                ..simulated
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_start_at_the_later_one_of_their_virtual_moments() {
        let [(mut near, clock), (mut far, _)] = Here::pair(Timing::Simulated);
        let later = Moment {
            time: Duration::from_secs(7),
            in_a_row: 3,
        };
        clock.wait_until(later);
        let other = thread::spawn(move || {
            far.start().unwrap();
            let now = far.now();
            far.exchange(&[]).unwrap();
            now
        });
        near.start().unwrap();
        assert_eq!(near.now(), later);
        near.exchange(&[]).unwrap();
        assert_eq!(other.join().unwrap(), later);
    }

    #[test]
    fn a_party_that_ends_releases_the_one_that_waits_for_it() {
        let [(mut near, _), (far, _)] = Here::pair(Timing::Real);
        let waiting = thread::spawn(move || near.start().is_err());
        drop(far);
        assert!(waiting.join().unwrap());
        let [(mut near, _), (far, _)] = Here::pair(Timing::Real);
        let waiting = thread::spawn(move || near.exchange(&[Mark::default()]).is_err());
        drop(far);
        assert!(waiting.join().unwrap());
    }
}
