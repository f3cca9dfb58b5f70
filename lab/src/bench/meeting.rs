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

/// The start barrier of two parties.
pub(super) trait Meeting {
    /// Waits for the other party. Both calls return at the same moment.
    ///
    /// # Errors
    /// If the other party has left.
    fn start(&mut self) -> anyhow::Result<()>;

    /// Sends this party's marks to the other party, and waits for the same number of marks.
    ///
    /// # Errors
    /// If the other party has left.
    fn exchange(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Mark>>;

    /// The current moment.
    fn now(&self) -> Moment;
}

/// The clock that measures the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Timing {
    /// The clock of the system.
    Real,
    /// The virtual clock of the link, on which computing takes no time.
    Simulated,
}

/// The time since the first call.
pub(super) fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// The meeting point of two threads of this process. A party that ends drops its end, which
/// releases the other party.
pub(super) struct Here {
    timing: Timing,
    clock: VirtualClock,
    other_clock: VirtualClock,
    to_other: Sender<Vec<Mark>>,
    from_other: Receiver<Vec<Mark>>,
    /// The number of arrivals of both parties at the barrier, over all starts.
    arrivals: Arc<AtomicU64>,
    starts: u64,
}

impl Here {
    /// Makes both ends, each with its virtual clock.
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
    /// A sleeping thread wakes late. So both threads meet a second time by spinning, when they are
    /// awake.
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
        // The other party reports the reason.
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
    fn party_that_ends_releases_the_waiting_party() {
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
