//! The start barrier of the two parties of a measurement, and the exchange of their marks.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net;

use super::virtual_link::VirtualClock;

/// The time and traffic of a party at the end of a phase, counted from the common start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) time: Duration,
    /// Bytes sent by this party.
    pub(super) sent: u64,
    /// Flights in both directions, as counted by this party.
    pub(super) flights: u64,
    /// Flights in a row: the length of the longest chain in which each flight waited for the
    /// previous one.
    pub(super) in_a_row: u64,
    /// CPU time of this party.
    pub(super) cpu: Duration,
    /// The largest memory of this party's process so far, in bytes; 0 if it is unknown.
    pub(super) peak: u64,
}

/// A reading of a party's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) time: Duration,
    /// The length of the longest chain of flights up to this moment.
    pub(super) in_a_row: u64,
}

/// The start barrier of two parties.
pub(super) trait Barrier {
    /// Waits until the other party has also called this function. Both calls return at the same
    /// moment.
    ///
    /// # Errors
    /// If the other party has left.
    fn start(&mut self) -> anyhow::Result<()>;

    /// Sends the marks `mine` to the other party, and returns the marks of the other party. Both
    /// parties must send the same number of marks.
    ///
    /// # Errors
    /// If the other party has left.
    fn exchange(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Mark>>;

    /// The current moment.
    fn now(&self) -> Moment;
}

/// The clock of a measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Timing {
    /// The clock of the system.
    Real,
    /// The virtual clock of the link, on which computing takes no time.
    Simulated,
}

/// The time since the first call of this function.
pub(super) fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// One end of the barrier between two threads of this process. A party that ends drops its end, so
/// that the calls of the other party return an error.
pub(super) struct LocalBarrier {
    timing: Timing,
    clock: VirtualClock,
    other_clock: VirtualClock,
    to_other: Sender<Vec<Mark>>,
    from_other: Receiver<Vec<Mark>>,
    /// The number of arrivals of both parties at the barrier, over all starts.
    arrivals: Arc<AtomicU64>,
    starts: u64,
}

impl LocalBarrier {
    /// Makes both ends, each with its virtual clock.
    pub(super) fn pair(timing: Timing) -> [(Self, VirtualClock); 2] {
        let clocks = <[VirtualClock; 2]>::default();
        let arrivals = Arc::new(AtomicU64::new(0));
        let (to_second, from_first) = channel();
        let (to_first, from_second) = channel();
        let end = |mine: usize, to_other, from_other| {
            let end = LocalBarrier {
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

impl Barrier for LocalBarrier {
    /// A thread that sleeps in `exchange` wakes late. So the threads wait for each other a second
    /// time, by spinning.
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
        // The other party has ended, and reports the reason.
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
    fn both_start_at_the_later_of_their_virtual_moments() {
        let [(mut near, clock), (mut far, _)] = LocalBarrier::pair(Timing::Simulated);
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
    fn party_that_ends_releases_the_waiting_party() {
        let [(mut near, _), (far, _)] = LocalBarrier::pair(Timing::Real);
        let waiting = thread::spawn(move || near.start().is_err());
        drop(far);
        assert!(waiting.join().unwrap());
        let [(mut near, _), (far, _)] = LocalBarrier::pair(Timing::Real);
        let waiting = thread::spawn(move || near.exchange(&[Mark::default()]).is_err());
        drop(far);
        assert!(waiting.join().unwrap());
    }
}
