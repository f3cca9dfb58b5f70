//! A link with a given round trip and bandwidth between two ends in one process, for measurements.
//!
//! The bytes pass through the transports below immediately and then wait at the receiver. The
//! receiver sleeps until shortly before the bytes are due, and then polls the clock. [`Shape`]
//! defines the due time.

mod sending;

use std::collections::VecDeque;
use std::hint::spin_loop;
use std::io::{self, ErrorKind};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::net::Transport;
use zeroize::Zeroizing;

pub(super) use self::sending::shaped_sending;

/// The number of bytes for which a receiver wakes. At the end of a piece, it wakes for fewer bytes.
const PACKET: usize = 1500;

/// The delay with which a sleeping thread may wake. A thread therefore polls the clock, instead of
/// sleeping, in this last part of a wait. An idle virtual machine takes 0.1 to 0.3 ms to wake a
/// thread.
pub(super) const WAKING: Duration = Duration::from_micros(400);

/// The maximum number of bytes of one read from the transport below.
const HELD_BYTES: usize = 128 * 1024;

/// The round trip time and the bandwidth of a link. The following holds for each direction
/// independently:
///
/// - A piece of `b` bytes that is sent at time `t` begins to leave at `s`, the later of `t` and the
///   moment when the last byte before it has left. Its `k`-th byte has left at `s + 8 k /
///   bandwidth`.
/// - Each byte arrives half a round trip after it has left.
///
/// So `n` messages, each of which answers the one before it, take `n / 2` round trips plus the time
/// of their bytes. There are no packets, no headers, no loss, no handshake and no slow start: a
/// real TCP connection is slower at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The round trip time; each byte travels for half of it.
    pub(super) rtt: Duration,
    /// Bits per second in each direction; `None` if unlimited.
    pub(super) bandwidth: Option<NonZeroU64>,
}

impl Shape {
    /// The time that the given number of bytes takes to leave.
    pub(super) fn sending(&self, bytes: usize) -> Duration {
        let Some(bandwidth) = self.bandwidth else {
            return Duration::ZERO;
        };
        let nanos = (8 * NANOS * bytes as u128).div_ceil(u128::from(bandwidth.get()));
        Duration::from_nanos(nanos.try_into().unwrap_or(u64::MAX))
    }

    /// The number of bytes that leave within the given time.
    fn sent_within(&self, time: Duration) -> usize {
        let Some(bandwidth) = self.bandwidth else {
            return usize::MAX;
        };
        let bits = time.as_nanos().saturating_mul(bandwidth.get().into()) / NANOS;
        (bits / 8).try_into().unwrap_or(usize::MAX)
    }
}

const NANOS: u128 = 1_000_000_000;

/// Bytes that were sent with one call.
struct Piece {
    /// The time when the first byte begins to leave.
    begins: Duration,
    bytes: usize,
    delivered: usize,
}

/// The schedule of one direction of a link. Times count from an arbitrary fixed moment.
pub(super) struct Direction {
    shape: Shape,
    /// The time when the last byte sent so far has left.
    free: Duration,
    /// The pieces that are not yet fully delivered, in order.
    pieces: VecDeque<Piece>,
}

impl Direction {
    pub(super) fn new(shape: Shape) -> Self {
        Direction {
            shape,
            free: Duration::ZERO,
            pieces: VecDeque::new(),
        }
    }

    pub(super) fn send(&mut self, now: Duration, bytes: usize) {
        let begins = self.free.max(now);
        self.free = begins.saturating_add(self.shape.sending(bytes));
        self.pieces.push_back(Piece {
            begins,
            bytes,
            delivered: 0,
        });
    }

    /// The number of bytes of the first piece that have arrived and are not yet delivered.
    pub(super) fn arrived(&self, now: Duration) -> usize {
        let Some(first) = self.pieces.front() else {
            return 0;
        };
        let leaving = now.checked_sub(first.begins.saturating_add(self.shape.rtt / 2));
        let left = leaving.map_or(0, |time| self.shape.sent_within(time));
        left.min(first.bytes).saturating_sub(first.delivered)
    }

    /// The time when enough further bytes will have arrived to wake the receiver.
    pub(super) fn next_arrival(&self) -> Duration {
        let Some(first) = self.pieces.front() else {
            return Duration::ZERO;
        };
        let wanted = first.bytes.min(first.delivered.saturating_add(PACKET));
        (first.begins)
            .saturating_add(self.shape.sending(wanted))
            .saturating_add(self.shape.rtt / 2)
    }

    /// Whether bytes keep arriving, without a gap, until [`WAKING`] after `arrival`. If so, a
    /// receiver that wakes late for `arrival` loses no time.
    pub(super) fn continues_after(&self, arrival: Duration) -> bool {
        let late = arrival.saturating_add(WAKING);
        let mut leaving = None;
        for piece in &self.pieces {
            if leaving.is_some_and(|end| end != piece.begins) {
                return false;
            }
            let end = piece.begins.saturating_add(self.shape.sending(piece.bytes));
            if end.saturating_add(self.shape.rtt / 2) > late {
                return true;
            }
            leaving = Some(end);
        }
        false
    }

    pub(super) fn deliver(&mut self, bytes: usize) {
        if let Some(first) = self.pieces.front_mut() {
            first.delivered += bytes;
            if first.delivered >= first.bytes {
                self.pieces.pop_front();
            }
        }
    }

    /// The first time when at most `max_unsent` bytes have not left yet.
    fn drained(&self, max_unsent: usize) -> Duration {
        self.free.saturating_sub(self.shape.sending(max_unsent))
    }
}

/// One end of a link with some [`Shape`], over another transport; [`shaped`] makes both ends.
pub(super) struct Shaped<T> {
    below: T,
    outgoing: Arc<Mutex<Direction>>,
    incoming: Arc<Mutex<Direction>>,
    /// Bytes received from the transport below that may not be due yet.
    held: Zeroizing<Vec<u8>>,
    /// The part of `held` that is not delivered yet.
    waiting: Range<usize>,
}

/// Shapes the link between two connected transports in this process.
///
/// Takes both ends, because the sender notes the due time of its bytes and the receiver waits until
/// this time. Nothing may have been sent over the transports before.
pub(super) fn shaped<A: Transport, B: Transport>(
    shape: Shape,
    left: A,
    right: B,
) -> (Shaped<A>, Shaped<B>) {
    let [there, back] = [(); 2].map(|()| Arc::new(Mutex::new(Direction::new(shape))));
    let right = Shaped::new(right, Arc::clone(&back), Arc::clone(&there));
    (Shaped::new(left, there, back), right)
}

impl<T> Shaped<T> {
    fn new(below: T, outgoing: Arc<Mutex<Direction>>, incoming: Arc<Mutex<Direction>>) -> Self {
        Shaped {
            below,
            outgoing,
            incoming,
            held: vec![0; HELD_BYTES].into(),
            waiting: 0..0,
        }
    }
}

/// Locks a mutex. No code panics while holding the lock, so poisoning can be ignored.
fn lock(direction: &Mutex<Direction>) -> MutexGuard<'_, Direction> {
    direction.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time since the first call of this function.
fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// The precision of the end of a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Exactly at the due time; the thread spins in the last part of the wait.
    Exact,
    /// When the system wakes the sleeping thread.
    Asleep,
}

/// Waits until `due`.
///
/// # Errors
/// [`ErrorKind::TimedOut`] at `deadline`, if `deadline` is before `due`.
pub(super) fn wait_until(due: Duration, deadline: Duration, wait: Wait) -> io::Result<()> {
    let end = due.min(deadline);
    let awake = match wait {
        Wait::Exact => WAKING,
        Wait::Asleep => Duration::ZERO,
    };
    thread::sleep(end.saturating_sub(awake).saturating_sub(system_time()));
    while system_time() < end {
        spin_loop();
    }
    if due > deadline {
        Err(ErrorKind::TimedOut.into())
    } else {
        Ok(())
    }
}

impl<T: Transport> Transport for Shaped<T> {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        // Note the piece before sending it: the receiver looks it up as soon as the bytes arrive.
        lock(&self.outgoing).send(system_time(), bytes.len());
        self.below.send(bytes, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let deadline = system_time().saturating_add(within);
        if self.waiting.is_empty() {
            let len = self.below.recv(&mut self.held, within)?;
            if len == 0 {
                return Ok(0);
            }
            self.waiting = 0..len;
        }
        let most = self.waiting.len().min(buf.len());
        loop {
            let mut direction = lock(&self.incoming);
            let len = direction.arrived(system_time()).min(most);
            if len > 0 {
                direction.deliver(len);
                let from = self.waiting.start;
                buf[..len].copy_from_slice(&self.held[from..from + len]);
                self.waiting.start += len;
                return Ok(len);
            }
            let due = direction.next_arrival();
            let wait = if direction.continues_after(due) {
                Wait::Asleep
            } else {
                Wait::Exact
            };
            drop(direction);
            wait_until(due, deadline, wait)?;
        }
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let deadline = system_time().saturating_add(within);
        self.below.drain(max_unsent, within)?;
        let due = lock(&self.outgoing).drained(max_unsent);
        wait_until(due, deadline, Wait::Asleep)
    }

    fn close(&mut self, within: Duration) {
        self.below.close(within);
    }
}

#[cfg(test)]
mod tests {
    mod real_time;

    use dealerless::net::memory_pair;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A schedule in which a byte takes 1 ms to leave and another 5 ms to arrive.
    fn slow() -> Direction {
        Direction::new(Shape {
            rtt: 10 * MS,
            bandwidth: NonZeroU64::new(8000),
        })
    }

    #[test]
    fn byte_arrives_half_a_round_trip_after_it_leaves() {
        let mut direction = slow();
        direction.send(100 * MS, 20);
        for (ms, arrived) in [(0, 0), (105, 0), (106, 1), (110, 5), (124, 19), (125, 20)] {
            assert_eq!(direction.arrived(ms * MS), arrived, "at {ms} ms");
        }
        assert_eq!(direction.arrived(106 * MS - Duration::from_nanos(1)), 0);
        assert_eq!(direction.arrived(1000 * MS), 20);
    }

    #[test]
    fn pieces_leave_one_after_the_other_and_in_order() {
        let mut direction = slow();
        direction.send(Duration::ZERO, 10);
        direction.send(2 * MS, 10);
        direction.send(50 * MS, 10);
        assert_eq!(direction.next_arrival(), 15 * MS);
        assert_eq!(direction.arrived(1000 * MS), 10, "only the first piece");
        direction.deliver(4);
        assert_eq!(direction.arrived(1000 * MS), 6);
        direction.deliver(6);
        // The second piece leaves from 10 ms on, not from 2 ms.
        assert_eq!(direction.next_arrival(), 25 * MS);
        assert_eq!(direction.arrived(16 * MS), 1);
        direction.deliver(10);
        // The link was idle before the third piece.
        assert_eq!(direction.next_arrival(), 65 * MS);
        direction.deliver(10);
        assert_eq!(direction.arrived(1000 * MS), 0);
    }

    #[test]
    fn with_unlimited_bandwidth_a_piece_arrives_after_half_a_round_trip() {
        let mut direction = Direction::new(Shape {
            rtt: 50 * MS,
            bandwidth: None,
        });
        direction.send(7 * MS, 1 << 30);
        assert_eq!(direction.next_arrival(), 32 * MS);
        assert_eq!(direction.arrived(31 * MS), 0);
        assert_eq!(direction.arrived(32 * MS), 1 << 30);
        assert_eq!(direction.drained(0), 7 * MS);
    }

    #[test]
    fn receiver_is_woken_when_a_whole_packet_has_arrived() {
        let shape = Shape {
            rtt: 10 * MS,
            bandwidth: NonZeroU64::new(19_999_999),
        };
        let mut direction = Direction::new(shape);
        direction.send(3 * MS, 10_000);
        let mut delivered = 0;
        while delivered < 10_000 {
            let arrived = direction.arrived(direction.next_arrival());
            assert_eq!(arrived, PACKET.min(10_000 - delivered));
            direction.deliver(arrived);
            delivered += arrived;
        }
        assert_eq!(shape.sending(10_000).as_micros(), 4000);
    }

    #[test]
    fn receiver_is_woken_exactly_only_for_the_last_bytes_without_a_gap() {
        // A byte takes 1 ms to leave.
        let mut direction = slow();
        direction.send(Duration::ZERO, 10);
        direction.send(Duration::ZERO, 10);
        let continues = |direction: &Direction, ms| direction.continues_after(ms * MS);
        assert!(
            continues(&direction, 15),
            "the second piece follows at once"
        );
        assert!(continues(&direction, 24), "1 ms before the end");
        assert!(!continues(&direction, 25));
        direction.send(21 * MS, 10);
        assert!(
            !continues(&direction, 25),
            "the third piece comes after a gap"
        );
        assert!(!slow().continues_after(Duration::ZERO));
        let mut at_once = Direction::new(Shape {
            rtt: 10 * MS,
            bandwidth: None,
        });
        at_once.send(Duration::ZERO, 1 << 20);
        assert!(!continues(&at_once, 5));
    }

    #[test]
    fn draining_waits_for_the_bandwidth_but_not_for_the_round_trip() {
        let mut direction = slow();
        direction.send(100 * MS, 20);
        assert_eq!(direction.drained(0), 120 * MS);
        assert_eq!(direction.drained(15), 105 * MS);
        assert_eq!(direction.drained(usize::MAX), Duration::ZERO);
    }

    #[test]
    fn bytes_that_are_not_due_before_the_timeout_are_kept() {
        let shape = Shape {
            rtt: 40 * MS,
            bandwidth: None,
        };
        let (left, right) = memory_pair();
        let (mut left, mut right) = shaped(shape, left, right);
        left.send(b"ab".to_vec(), MS).unwrap();
        let mut buf = [0; 1];
        let early = right.recv(&mut buf, MS).unwrap_err();
        assert_eq!(early.kind(), ErrorKind::TimedOut);
        for byte in b"ab" {
            assert_eq!(right.recv(&mut buf, 10_000 * MS).unwrap(), 1);
            assert_eq!(buf, [*byte]);
        }
        left.close(MS);
        assert_eq!(right.recv(&mut buf, 10_000 * MS).unwrap(), 0);
    }
}
