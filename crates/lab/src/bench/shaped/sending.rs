//! A shaped link to another process: each end holds back the bytes that it sends.
//!
//! A thread sends the bytes when they are due. [`Shape`] defines the due time. The transport below
//! adds its own delay.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless::net::{TcpTransport, Transport};

use super::{Direction, Shape, WAKING, Wait, system_time, wait_until};

/// One end of a link with some [`Shape`] to another process. Each end shapes only what it sends.
///
/// While a party streams, the `max_unsent` of [`drain`](Transport::drain) limits the bytes held
/// back.
pub(in crate::bench) struct ShapedSending {
    below: TcpTransport,
    shared: Arc<Shared>,
}

struct Shared {
    held: Mutex<Held>,
    changed: Condvar,
}

/// The bytes that are not yet due.
struct Held {
    direction: Direction,
    bytes: VecDeque<u8>,
    /// The timeout given with the most recent bytes.
    limit: Duration,
    /// The reason why no more bytes can be sent, for the next call in the other thread.
    failure: Option<ErrorKind>,
}

/// Holds back the bytes sent over `below` as if the link had the given shape. Nothing may have been
/// sent over `below` before.
///
/// # Errors
/// If the thread cannot be created.
pub(in crate::bench) fn shaped_sending(
    shape: Shape,
    below: TcpTransport,
) -> io::Result<ShapedSending> {
    let shared = Arc::new(Shared {
        held: Mutex::new(Held {
            direction: Direction::new(shape),
            bytes: VecDeque::new(),
            limit: Duration::MAX,
            failure: None,
        }),
        changed: Condvar::new(),
    });
    let (sender, thread_shared) = (below.handle(), Arc::clone(&shared));
    thread::Builder::new()
        .name("dealerless-link".into())
        .spawn(move || thread_shared.send_all(sender))?;
    Ok(ShapedSending { below, shared })
}

impl Held {
    fn check(&self) -> io::Result<()> {
        self.failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Returns the time when the next bytes are due, and how long before this time the thread must
    /// be awake.
    fn next(&self) -> (Duration, Duration) {
        if self.bytes.is_empty() {
            return (Duration::MAX, Duration::ZERO);
        }
        let due = self.direction.next_arrival();
        if self.direction.continues_after(due) {
            (due, Duration::ZERO)
        } else {
            (due, WAKING)
        }
    }

    /// Sends the bytes that are due. The caller holds the lock meanwhile, so whenever `bytes` is
    /// empty the transport below has all bytes. This takes little time, since the transport below
    /// does not wait for the peer.
    fn send_next(&mut self, below: &mut TcpTransport, now: Duration) -> io::Result<()> {
        let due = self.direction.arrived(now);
        self.direction.deliver(due);
        below.send(self.bytes.drain(..due).collect(), self.limit)
    }
}

impl Shared {
    /// Locks the held bytes. No code panics while holding the lock, so poisoning can be ignored.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, failure: ErrorKind) {
        let mut held = self.lock();
        held.failure.get_or_insert(failure);
        held.bytes.clear();
        self.changed.notify_all();
    }

    /// Waits at most `within` until at most `max` bytes are held back or sending fails.
    fn wait(&self, max: usize, within: Duration) -> MutexGuard<'_, Held> {
        self.changed
            .wait_timeout_while(self.lock(), within, |held| {
                held.failure.is_none() && held.bytes.len() > max
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// The body of the thread: sends bytes when they are due, until sending fails or the link is
    /// closed.
    fn send_all(&self, mut below: TcpTransport) {
        loop {
            let mut held = self.lock();
            if held.failure.is_some() {
                return;
            }
            let (due, awake) = held.next();
            let now = system_time();
            let sleep = due.saturating_sub(awake).saturating_sub(now);
            if !sleep.is_zero() {
                let woken = self.changed.wait_timeout(held, sleep);
                drop(woken.unwrap_or_else(PoisonError::into_inner));
            } else if now < due {
                drop(held);
                // The wait cannot fail without a deadline.
                let _ = wait_until(due, Duration::MAX, Wait::Exact);
            } else {
                let sent = held.send_next(&mut below, now);
                self.changed.notify_all();
                drop(held);
                if let Err(error) = sent {
                    return self.fail(error.kind());
                }
            }
        }
    }
}

impl Transport for ShapedSending {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let mut held = self.shared.lock();
        held.check()?;
        held.direction.send(system_time(), bytes.len());
        held.bytes.extend(bytes);
        held.limit = within;
        self.shared.changed.notify_all();
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.below.recv(buf, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let deadline = system_time().saturating_add(within);
        let held = self.shared.wait(max_unsent, within);
        held.check()?;
        if held.bytes.len() > max_unsent {
            return Err(ErrorKind::TimedOut.into());
        }
        drop(held);
        let left = deadline.saturating_sub(system_time());
        self.below.drain(max_unsent, left)
    }

    fn close(&mut self, within: Duration) {
        let deadline = system_time().saturating_add(within);
        drop(self.shared.wait(0, within));
        self.shared.fail(ErrorKind::ConnectionAborted);
        self.below.close(deadline.saturating_sub(system_time()));
    }
}

impl Drop for ShapedSending {
    fn drop(&mut self) {
        self.shared.fail(ErrorKind::ConnectionAborted);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::num::NonZeroU64;

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    /// An end that holds back what it sends, connected to a plain transport.
    fn pair(rtt: Duration, bandwidth: Option<u64>) -> (ShapedSending, TcpTransport) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpTransport::connect(listener.local_addr().unwrap(), LONG).unwrap();
        let far = TcpTransport::accept(&listener, LONG).unwrap();
        let bandwidth = bandwidth.and_then(NonZeroU64::new);
        (shaped_sending(Shape { rtt, bandwidth }, near).unwrap(), far)
    }

    fn receive(transport: &mut impl Transport, bytes: usize) -> Vec<u8> {
        let mut received = vec![0; bytes];
        let mut len = 0;
        while len < bytes {
            let part = transport.recv(&mut received[len..], LONG).unwrap();
            assert_ne!(part, 0, "the connection is closed");
            len += part;
        }
        received
    }

    fn numbered(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|byte| byte as u8).collect()
    }

    #[test]
    fn bytes_arrive_in_order_and_not_before_they_are_due() {
        // A byte takes 0.01 ms to leave.
        let (mut near, mut far) = pair(40 * MS, Some(800_000));
        let begun = system_time();
        near.send(numbered(3000), LONG).unwrap();
        near.send(numbered(3000), LONG).unwrap();
        assert_eq!(receive(&mut far, 3000), numbered(3000));
        assert!(system_time() - begun >= 50 * MS);
        assert_eq!(receive(&mut far, 3000), numbered(3000));
        assert!(system_time() - begun >= 80 * MS);
    }

    #[test]
    fn received_bytes_are_not_held_back() {
        let (mut near, mut far) = pair(LONG, None);
        far.send(vec![7], LONG).unwrap();
        assert_eq!(receive(&mut near, 1), [7]);
    }

    #[test]
    fn closing_waits_for_all_bytes_up_to_its_timeout() {
        let (mut near, mut far) = pair(100 * MS, None);
        near.send(vec![7; 10], LONG).unwrap();
        near.close(LONG);
        assert_eq!(receive(&mut far, 10), [7; 10]);
        assert_eq!(far.recv(&mut [0], LONG).unwrap(), 0);
        assert!(near.send(vec![7], LONG).is_err());

        let (mut near, mut far) = pair(2 * LONG, None);
        near.send(vec![7; 10], LONG).unwrap();
        near.close(MS);
        assert_eq!(far.recv(&mut [0], LONG).unwrap(), 0);
    }

    #[test]
    fn draining_limits_the_bytes_held_back() {
        let (mut near, mut far) = pair(100 * MS, None);
        near.send(vec![7; 1000], LONG).unwrap();
        near.drain(1000, MS).unwrap();
        near.drain(999, LONG).unwrap();
        assert!(near.shared.lock().bytes.is_empty());
        assert_eq!(receive(&mut far, 1000), [7; 1000]);

        let (mut near, _far) = pair(2 * LONG, None);
        near.send(vec![7; 1000], LONG).unwrap();
        let late = near.drain(999, MS).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn sender_gets_an_error_after_the_peer_left() {
        let (mut near, far) = pair(MS, None);
        drop(far);
        while near.send(vec![7], LONG).is_ok() {
            thread::sleep(MS);
        }
        assert!(near.drain(0, LONG).is_err());
    }

    #[test]
    fn thread_ends_when_its_link_is_dropped() {
        let (mut near, _far) = pair(2 * LONG, None);
        near.send(vec![7; 10], LONG).unwrap();
        let shared = Arc::downgrade(&near.shared);
        drop(near);
        while shared.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
