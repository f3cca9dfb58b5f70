//! A long or narrow line between two ends of one process, for measurements.
//!
//! The bytes go through the transports below at once, and wait at the receiver, which sleeps until shortly
//! before they are due, and then looks at the clock until they are. [`Shape`] says when that is.

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

/// Whoever waits for bytes is not woken for fewer than these, unless no more are on their way.
const PACKET: usize = 1500;

/// A sleeper may wake so much too late, and therefore does not sleep for the last part of a wait. An idle
/// virtual machine takes 0.1 to 0.3 ms to wake one.
pub(super) const WAKING: Duration = Duration::from_micros(400);

/// What one read of the transport below may bring.
const HELD_BYTES: usize = 128 * 1024;

/// How long and how wide a line is. For each direction by itself:
///
/// - A piece of `b` bytes that is sent at time `t` begins to leave at `s`, the later of `t` and the
///   moment when the last byte before it has left. Its `k`-th byte has left at `s + 8 k / bandwidth`.
/// - Each byte arrives half a round trip after it has left.
///
/// So `n` messages that answer each other take `n / 2` round trips and the time of their bytes. There
/// is no packet, no header, no loss, no handshake and no slow start: a real TCP connection is slower
/// while it is young.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// The time of a round trip: each byte is under way for half of it.
    pub(super) rtt: Duration,
    /// Bits a second in each direction; as many as come if there is no limit.
    pub(super) bandwidth: Option<NonZeroU64>,
}

impl Shape {
    /// How long the given number of bytes takes to leave.
    pub(super) fn sending(&self, bytes: usize) -> Duration {
        let Some(bandwidth) = self.bandwidth else {
            return Duration::ZERO;
        };
        let nanos = (8 * NANOS * bytes as u128).div_ceil(u128::from(bandwidth.get()));
        Duration::from_nanos(nanos.try_into().unwrap_or(u64::MAX))
    }

    /// How many bytes have left after this time.
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
    /// When its first byte begins to leave.
    begins: Duration,
    bytes: usize,
    delivered: usize,
}

/// One direction: when what was sent arrives. Times are since any fixed moment.
pub(super) struct Way {
    shape: Shape,
    /// When the last byte has left.
    free: Duration,
    /// What is not yet delivered, in order.
    pieces: VecDeque<Piece>,
}

impl Way {
    pub(super) fn new(shape: Shape) -> Self {
        Way {
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

    /// How many bytes of the first piece have arrived and are not yet delivered.
    pub(super) fn arrived(&self, now: Duration) -> usize {
        let Some(first) = self.pieces.front() else {
            return 0;
        };
        let leaving = now.checked_sub(first.begins.saturating_add(self.shape.rtt / 2));
        let left = leaving.map_or(0, |time| self.shape.sent_within(time));
        left.min(first.bytes).saturating_sub(first.delivered)
    }

    /// When so many bytes more that waking is worth it will have arrived.
    pub(super) fn next_arrival(&self) -> Duration {
        let Some(first) = self.pieces.front() else {
            return Duration::ZERO;
        };
        let wanted = first.bytes.min(first.delivered.saturating_add(PACKET));
        (first.begins)
            .saturating_add(self.shape.sending(wanted))
            .saturating_add(self.shape.rtt / 2)
    }

    /// Whether it costs nothing to be woken a little after `arrival`: more bytes arrive without a break
    /// for longer than that.
    pub(super) fn goes_on_after(&self, arrival: Duration) -> bool {
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

    /// When at most so many bytes will not have left.
    fn drained(&self, max_unsent: usize) -> Duration {
        self.free.saturating_sub(self.shape.sending(max_unsent))
    }
}

/// One end of a line of some [`Shape`], over another transport; [`shaped`] makes both ends.
pub(super) struct Shaped<T> {
    below: T,
    outgoing: Arc<Mutex<Way>>,
    incoming: Arc<Mutex<Way>>,
    /// Bytes that came from below, and may not be due yet.
    held: Zeroizing<Vec<u8>>,
    waiting: Range<usize>,
}

/// Shapes the line between two transports of this process that are connected to each other.
///
/// Both ends are needed, because what is sent is noted by one and waited for by the other. Nothing
/// may have been sent yet.
pub(super) fn shaped<A: Transport, B: Transport>(
    shape: Shape,
    left: A,
    right: B,
) -> (Shaped<A>, Shaped<B>) {
    let [there, back] = [(); 2].map(|()| Arc::new(Mutex::new(Way::new(shape))));
    let right = Shaped::new(right, Arc::clone(&back), Arc::clone(&there));
    (Shaped::new(left, there, back), right)
}

impl<T> Shaped<T> {
    fn new(below: T, outgoing: Arc<Mutex<Way>>, incoming: Arc<Mutex<Way>>) -> Self {
        Shaped {
            below,
            outgoing,
            incoming,
            held: vec![0; HELD_BYTES].into(),
            waiting: 0..0,
        }
    }
}

/// Nothing panics while it holds the lock, so a poisoned one is as good as any.
fn lock(way: &Mutex<Way>) -> MutexGuard<'_, Way> {
    way.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time since the first call.
fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// How closely a wait ends when it should.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// At once, for which a core works for the last part of it.
    Exact,
    /// When the system wakes a sleeper.
    Asleep,
}

/// Waits until `due`.
///
/// # Errors
/// [`ErrorKind::TimedOut`] at the deadline, if that is earlier.
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
        // Noted first: the other end looks it up as soon as the bytes are there.
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
            let mut way = lock(&self.incoming);
            let len = way.arrived(system_time()).min(most);
            if len > 0 {
                way.deliver(len);
                let from = self.waiting.start;
                buf[..len].copy_from_slice(&self.held[from..from + len]);
                self.waiting.start += len;
                return Ok(len);
            }
            let due = way.next_arrival();
            let wait = if way.goes_on_after(due) {
                Wait::Asleep
            } else {
                Wait::Exact
            };
            drop(way);
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

    /// A byte takes 1 ms to leave, and 5 ms to arrive.
    fn slow() -> Way {
        Way::new(Shape {
            rtt: 10 * MS,
            bandwidth: NonZeroU64::new(8000),
        })
    }

    #[test]
    fn a_byte_arrives_half_a_round_trip_after_the_bandwidth_lets_it_leave() {
        let mut way = slow();
        way.send(100 * MS, 20);
        for (ms, arrived) in [(0, 0), (105, 0), (106, 1), (110, 5), (124, 19), (125, 20)] {
            assert_eq!(way.arrived(ms * MS), arrived, "at {ms} ms");
        }
        assert_eq!(way.arrived(106 * MS - Duration::from_nanos(1)), 0);
        assert_eq!(way.arrived(1000 * MS), 20);
    }

    #[test]
    fn what_is_sent_too_early_leaves_after_what_was_sent_before_and_in_order() {
        let mut way = slow();
        way.send(Duration::ZERO, 10);
        way.send(2 * MS, 10);
        way.send(50 * MS, 10);
        assert_eq!(way.next_arrival(), 15 * MS);
        assert_eq!(way.arrived(1000 * MS), 10, "of the first piece alone");
        way.deliver(4);
        assert_eq!(way.arrived(1000 * MS), 6);
        way.deliver(6);
        // It leaves from 10 ms on, not from 2 ms.
        assert_eq!(way.next_arrival(), 25 * MS);
        assert_eq!(way.arrived(16 * MS), 1);
        way.deliver(10);
        // The line was free.
        assert_eq!(way.next_arrival(), 65 * MS);
        way.deliver(10);
        assert_eq!(way.arrived(1000 * MS), 0);
    }

    #[test]
    fn without_a_limit_of_bandwidth_a_piece_arrives_at_once_after_half_a_round_trip() {
        let mut way = Way::new(Shape {
            rtt: 50 * MS,
            bandwidth: None,
        });
        way.send(7 * MS, 1 << 30);
        assert_eq!(way.next_arrival(), 32 * MS);
        assert_eq!(way.arrived(31 * MS), 0);
        assert_eq!(way.arrived(32 * MS), 1 << 30);
        assert_eq!(way.drained(0), 7 * MS);
    }

    #[test]
    fn whoever_waits_is_woken_for_a_packet_that_then_is_there() {
        let shape = Shape {
            rtt: 10 * MS,
            bandwidth: NonZeroU64::new(19_999_999),
        };
        let mut way = Way::new(shape);
        way.send(3 * MS, 10_000);
        let mut delivered = 0;
        while delivered < 10_000 {
            let arrived = way.arrived(way.next_arrival());
            assert_eq!(arrived, PACKET.min(10_000 - delivered));
            way.deliver(arrived);
            delivered += arrived;
        }
        assert_eq!(shape.sending(10_000).as_micros(), 4000);
    }

    #[test]
    fn whoever_waits_for_the_last_bytes_of_a_row_is_woken_exactly_and_within_it_need_not_be() {
        // A byte takes 1 ms to leave.
        let mut way = slow();
        way.send(Duration::ZERO, 10);
        way.send(Duration::ZERO, 10);
        let goes_on = |way: &Way, ms| way.goes_on_after(ms * MS);
        assert!(goes_on(&way, 15), "the second piece follows at once");
        assert!(goes_on(&way, 24), "1 ms before the end");
        assert!(!goes_on(&way, 25));
        way.send(21 * MS, 10);
        assert!(!goes_on(&way, 25), "the third piece comes after a break");
        assert!(!slow().goes_on_after(Duration::ZERO));
        let mut at_once = Way::new(Shape {
            rtt: 10 * MS,
            bandwidth: None,
        });
        at_once.send(Duration::ZERO, 1 << 20);
        assert!(!goes_on(&at_once, 5));
    }

    #[test]
    fn a_sender_that_drains_waits_for_the_bandwidth_and_not_for_the_round_trip() {
        let mut way = slow();
        way.send(100 * MS, 20);
        assert_eq!(way.drained(0), 120 * MS);
        assert_eq!(way.drained(15), 105 * MS);
        assert_eq!(way.drained(usize::MAX), Duration::ZERO);
    }

    #[test]
    fn what_is_not_due_within_the_time_is_kept_for_the_next_call() {
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
