//! A long or narrow line to another process: each end holds back what it sends.
//!
//! A thread sends the bytes when they are due. [`Shape`] says when that is; the time that the transport below
//! takes comes on top.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless::net::{TcpTransport, Transport};

use super::{Shape, WAKING, Wait, Way, system_time, wait_until};

/// One end of a line of some [`Shape`] to another process. The other end shapes what it sends itself.
///
/// While a party streams, at most as many bytes are held back as [`drain`](Transport::drain) is given.
pub(in crate::bench) struct ShapedSending {
    below: TcpTransport,
    link: Arc<Link>,
}

struct Link {
    held: Mutex<Held>,
    changed: Condvar,
}

/// What is not yet due.
struct Held {
    way: Way,
    bytes: VecDeque<u8>,
    /// What the peer is given to take what was sent last.
    limit: Duration,
    /// Why no more can be sent. It happens in one thread and is reported in another.
    failure: Option<ErrorKind>,
}

/// Holds back what `below` sends as if the line had this shape. Nothing may have been sent yet.
///
/// # Errors
/// If the system gives no thread.
pub(in crate::bench) fn shaped_sending(
    shape: Shape,
    below: TcpTransport,
) -> io::Result<ShapedSending> {
    let link = Arc::new(Link {
        held: Mutex::new(Held {
            way: Way::new(shape),
            bytes: VecDeque::new(),
            limit: Duration::MAX,
            failure: None,
        }),
        changed: Condvar::new(),
    });
    let (sender, taker) = (below.handle(), Arc::clone(&link));
    thread::Builder::new()
        .name("dealerless-line".into())
        .spawn(move || taker.send_all(sender))?;
    Ok(ShapedSending { below, link })
}

impl Held {
    fn check(&self) -> io::Result<()> {
        self.failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// When the next bytes are due, and for how long before that the thread must be awake.
    fn next(&self) -> (Duration, Duration) {
        if self.bytes.is_empty() {
            return (Duration::MAX, Duration::ZERO);
        }
        let due = self.way.next_arrival();
        if self.way.goes_on_after(due) {
            (due, Duration::ZERO)
        } else {
            (due, WAKING)
        }
    }

    /// Sends what is due. The transport below does not wait for the peer, so the lock is held: whoever finds
    /// nothing held back knows that all bytes are with the transport below.
    fn send_next(&mut self, below: &mut TcpTransport, now: Duration) -> io::Result<()> {
        let due = self.way.arrived(now);
        self.way.deliver(due);
        below.send(self.bytes.drain(..due).collect(), self.limit)
    }
}

impl Link {
    /// Nothing panics while it holds the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, failure: ErrorKind) {
        let mut held = self.lock();
        held.failure.get_or_insert(failure);
        held.bytes.clear();
        self.changed.notify_all();
    }

    /// Waits until at most `max` bytes are held back, or sending fails, and no longer than `within`.
    fn wait(&self, max: usize, within: Duration) -> MutexGuard<'_, Held> {
        self.changed
            .wait_timeout_while(self.lock(), within, |held| {
                held.failure.is_none() && held.bytes.len() > max
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// The thread: sends what is due until sending fails or the line is closed.
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
                // Without a deadline it does not fail.
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
        let mut held = self.link.lock();
        held.check()?;
        held.way.send(system_time(), bytes.len());
        held.bytes.extend(bytes);
        held.limit = within;
        self.link.changed.notify_all();
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.below.recv(buf, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let deadline = system_time().saturating_add(within);
        let held = self.link.wait(max_unsent, within);
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
        drop(self.link.wait(0, within));
        // The thread ends.
        self.link.fail(ErrorKind::ConnectionAborted);
        self.below.close(deadline.saturating_sub(system_time()));
    }
}

impl Drop for ShapedSending {
    fn drop(&mut self) {
        self.link.fail(ErrorKind::ConnectionAborted);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::num::NonZeroU64;

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    /// An end that holds back what it sends, and a plain one.
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
    fn no_byte_arrives_before_it_is_due_and_all_arrive_in_order() {
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
    fn what_is_received_is_not_held_back() {
        let (mut near, mut far) = pair(LONG, None);
        far.send(vec![7], LONG).unwrap();
        assert_eq!(receive(&mut near, 1), [7]);
    }

    #[test]
    fn closing_waits_until_all_bytes_are_sent_but_no_longer_than_it_may() {
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
    fn draining_bounds_what_is_held_back() {
        let (mut near, mut far) = pair(100 * MS, None);
        near.send(vec![7; 1000], LONG).unwrap();
        near.drain(1000, MS).unwrap();
        near.drain(999, LONG).unwrap();
        assert!(near.link.lock().bytes.is_empty());
        assert_eq!(receive(&mut far, 1000), [7; 1000]);

        let (mut near, _far) = pair(2 * LONG, None);
        near.send(vec![7; 1000], LONG).unwrap();
        let late = near.drain(999, MS).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn a_sender_learns_that_the_peer_has_gone() {
        let (mut near, far) = pair(MS, None);
        drop(far);
        while near.send(vec![7], LONG).is_ok() {
            thread::sleep(MS);
        }
        assert!(near.drain(0, LONG).is_err());
    }

    #[test]
    fn the_thread_of_a_line_that_is_dropped_ends() {
        let (mut near, _far) = pair(2 * LONG, None);
        near.send(vec![7; 10], LONG).unwrap();
        let link = Arc::downgrade(&near.link);
        drop(near);
        while link.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
