//! A link that carries virtual time and the number of flights in a row along with the bytes.
//!
//! Each party has a virtual clock, on which computing takes no time. A *piece* is the bytes of one
//! call of `send`. [`Shape`] defines when a piece arrives, and the receiver advances its clock at
//! least to this time. No thread actually waits. So the clocks show the time that the link alone
//! would take, which is the same in every run.
//!
//! The clocks also count flights in a row, like Lamport's logical clocks: the count of a piece is
//! its sender's count plus one, and the receiver's count advances at least to the count of the
//! piece. Between two machines, the clocks count only flights in a row: a header before each piece
//! carries the count of the piece.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless::net::Transport;

use super::barrier::Moment;
use super::shaped::Shape;

/// The number of bytes that arrive together on a link of limited bandwidth.
const PACKET: usize = 1500;

/// The virtual clock of a party, shared by all its links.
#[derive(Clone, Default)]
pub(super) struct VirtualClock(Arc<Mutex<Moment>>);

/// Locks a mutex. No code in this file panics while holding a lock, so poisoning can be ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl VirtualClock {
    pub(super) fn now(&self) -> Moment {
        *lock(&self.0)
    }

    /// Advances the clock to `moment`, unless it is already later.
    pub(super) fn wait_until(&self, moment: Moment) {
        let mut now = lock(&self.0);
        now.time = now.time.max(moment.time);
        now.in_a_row = now.in_a_row.max(moment.in_a_row);
    }
}

/// Bytes that were sent with one call.
struct Piece {
    /// The time when the first byte begins to leave.
    begins: Duration,
    /// The length of the longest chain of flights that ends with this piece.
    in_a_row: u64,
    bytes: usize,
    delivered: usize,
}

impl Piece {
    /// The number of bytes that arrive together next.
    fn next(&self, shape: Shape) -> usize {
        let end = match shape.bandwidth {
            None => self.bytes,
            Some(_) => (self.delivered / PACKET + 1) * PACKET,
        };
        end.min(self.bytes) - self.delivered
    }

    /// The moment when the bytes counted by [`Self::next`] have all arrived.
    fn arrival(&self, shape: Shape) -> Moment {
        let leaving = shape.sending(self.delivered + self.next(shape));
        Moment {
            time: self.begins + leaving + shape.rtt / 2,
            in_a_row: self.in_a_row,
        }
    }
}

/// The pieces sent in one direction and not yet received, in order.
type Pieces = Arc<Mutex<VecDeque<Piece>>>;

/// The size of the header of a piece between two machines: `in_a_row` and the length of the piece
/// in bytes.
const HEADER_BYTES: usize = 8 + 4;

/// The shape of a link on which all bytes arrive at once.
pub(super) const AT_ONCE: Shape = Shape {
    rtt: Duration::ZERO,
    bandwidth: None,
};

/// One end of a link with virtual time, over another transport.
pub(super) struct VirtualLink<T> {
    below: T,
    shape: Shape,
    clock: VirtualClock,
    /// `None` if the other end is on another machine.
    outgoing: Option<Pieces>,
    incoming: Pieces,
    /// The part of the next header received so far.
    header: Vec<u8>,
    /// The time when the last byte sent so far has left.
    free: Duration,
    /// Bytes received from the transport below whose virtual arrival is later than the clock.
    held: VecDeque<u8>,
}

/// Makes both ends of a link, over two connected transports in this process.
pub(super) fn virtual_link<T: Transport>(
    shape: Shape,
    [left, right]: [(T, VirtualClock); 2],
) -> [VirtualLink<T>; 2] {
    let (there, back) = <(Pieces, Pieces)>::default();
    let end = |(below, clock), outgoing: &Pieces, incoming: &Pieces| VirtualLink {
        shape,
        outgoing: Some(Arc::clone(outgoing)),
        incoming: Arc::clone(incoming),
        ..VirtualLink::counting(below, clock)
    };
    [end(left, &there, &back), end(right, &back, &there)]
}

impl<T: Transport> VirtualLink<T> {
    /// Makes one end of a link to another machine. The link only counts flights in a row. The other
    /// end must also be made by this function.
    pub(super) fn counting(below: T, clock: VirtualClock) -> Self {
        VirtualLink {
            below,
            shape: AT_ONCE,
            clock,
            outgoing: None,
            incoming: Pieces::default(),
            header: Vec::new(),
            free: Duration::ZERO,
            held: VecDeque::new(),
        }
    }

    /// The number of bytes that can be received before the next header; 0 if the connection is
    /// closed. Receives a header first if no piece is left.
    fn readable(&mut self, within: Duration) -> io::Result<usize> {
        if self.outgoing.is_some() {
            return Ok(usize::MAX);
        }
        if let Some(piece) = lock(&self.incoming).front() {
            return Ok(piece.bytes - piece.delivered);
        }
        while self.header.len() < HEADER_BYTES {
            let mut part = [0; HEADER_BYTES];
            let missing = HEADER_BYTES - self.header.len();
            let len = self.below.recv(&mut part[..missing], within)?;
            if len == 0 {
                return Ok(0);
            }
            self.header.extend(&part[..len]);
        }
        let (in_a_row, bytes) = read_header(&std::mem::take(&mut self.header))?;
        lock(&self.incoming).push_back(Piece {
            begins: Duration::ZERO,
            in_a_row,
            bytes,
            delivered: 0,
        });
        Ok(bytes)
    }
}

fn write_header(in_a_row: u64, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    Ok([&in_a_row.to_le_bytes()[..], &len.to_le_bytes(), bytes].concat())
}

fn read_header(header: &[u8]) -> io::Result<(u64, usize)> {
    let (in_a_row, bytes) = header.split_at(8);
    let in_a_row = in_a_row.try_into().map(u64::from_le_bytes);
    let bytes = bytes.try_into().map(u32::from_le_bytes);
    match (in_a_row, bytes) {
        (Ok(in_a_row), Ok(bytes @ 1..)) => Ok((in_a_row, bytes as usize)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

impl<T: Transport> Transport for VirtualLink<T> {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let now = self.clock.now();
        let in_a_row = now.in_a_row.saturating_add(1);
        let Some(outgoing) = &self.outgoing else {
            return self.below.send(write_header(in_a_row, &bytes)?, within);
        };
        let begins = self.free.max(now.time);
        self.free = begins + self.shape.sending(bytes.len());
        // Note the piece before sending it: the receiver looks it up as soon as the bytes arrive.
        lock(outgoing).push_back(Piece {
            begins,
            in_a_row,
            bytes: bytes.len(),
            delivered: 0,
        });
        self.below.send(bytes, within)
    }

    /// Returns bytes that arrive at different virtual times by different calls, however the
    /// transport below splits them. So the clock advances only to the arrival of the bytes that the
    /// caller has received.
    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let fresh = if self.held.is_empty() {
            match self.readable(within)?.min(buf.len()) {
                0 => Some(0),
                most => Some(self.below.recv(&mut buf[..most], within)?),
            }
        } else {
            None
        };
        if fresh == Some(0) {
            return Ok(0);
        }
        let mut pieces = lock(&self.incoming);
        let piece = pieces
            .front_mut()
            .expect("a piece is noted before it is sent");
        let next = piece.next(self.shape);
        let len = match fresh {
            Some(len) => {
                self.held.extend(&buf[next.min(len)..len]);
                len.min(next)
            }
            None => {
                let most = next.min(buf.len());
                self.held.read(&mut buf[..most])?
            }
        };
        self.clock.wait_until(piece.arrival(self.shape));
        piece.delivered += len;
        if piece.delivered == piece.bytes {
            pieces.pop_front();
        }
        Ok(len)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.below.drain(max_unsent, within)?;
        let mut moment = self.clock.now();
        moment.time = (moment.time).max(self.free.saturating_sub(self.shape.sending(max_unsent)));
        self.clock.wait_until(moment);
        Ok(())
    }

    fn close(&mut self, within: Duration) {
        self.below.close(within);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use dealerless::net::{MemoryTransport, memory_pair};

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const SOON: Duration = Duration::from_secs(20);

    type End = (VirtualLink<MemoryTransport>, VirtualClock);

    /// Makes a link with half a round trip of 5 ms. With a bandwidth, a byte takes 1 ms to leave.
    fn ends(bandwidth: Option<u64>) -> [End; 2] {
        let shape = Shape {
            rtt: 10 * MS,
            bandwidth: bandwidth.and_then(NonZeroU64::new),
        };
        let (left, right) = memory_pair();
        let clocks = <[VirtualClock; 2]>::default();
        let [a, b] = clocks.clone();
        let [left, right] = virtual_link(shape, [(left, a), (right, b)]);
        let [a, b] = clocks;
        [(left, a), (right, b)]
    }

    fn receive((link, clock): &mut End, bytes: usize) -> (u128, u64) {
        let mut buf = vec![0; bytes];
        let mut received = 0;
        while received < bytes {
            received += link.recv(&mut buf[received..], SOON).unwrap();
        }
        let Moment { time, in_a_row } = clock.now();
        (time.as_millis(), in_a_row)
    }

    fn send((link, _): &mut End, bytes: usize) {
        link.send(vec![7; bytes], SOON).unwrap();
    }

    #[test]
    fn answer_arrives_after_a_round_trip_as_the_second_flight_in_a_row() {
        let [mut left, mut right] = ends(None);
        send(&mut left, 10);
        assert_eq!(receive(&mut right, 10), (5, 1));
        send(&mut right, 100_000);
        assert_eq!(receive(&mut left, 100_000), (10, 2));
    }

    #[test]
    fn simultaneous_messages_are_one_flight_in_a_row() {
        let [mut left, mut right] = ends(None);
        send(&mut left, 10);
        send(&mut left, 10);
        send(&mut right, 10);
        assert_eq!(receive(&mut right, 20), (5, 1));
        assert_eq!(receive(&mut left, 10), (5, 1));
    }

    #[test]
    fn clock_shows_the_arrival_of_the_received_bytes_only() {
        let [mut left, mut right] = ends(None);
        send(&mut left, 10);
        assert_eq!(receive(&mut right, 10), (5, 1));
        send(&mut right, 10);
        assert_eq!(receive(&mut left, 10), (10, 2));
        send(&mut left, 10);
        send(&mut left, 10);
        // Both pieces have arrived, but a read into a large buffer returns only one.
        let mut buf = [0; 1000];
        let [_, (link, clock)] = [&mut left, &mut right];
        assert_eq!(link.recv(&mut buf, SOON).unwrap(), 10);
        assert_eq!(clock.now().in_a_row, 3);
        assert_eq!(link.recv(&mut buf, SOON).unwrap(), 10);
    }

    #[test]
    fn bytes_arrive_in_packets_on_a_narrow_link() {
        for part in [1, 700, 1500, 1600, 4000] {
            let [mut left, mut right] = ends(Some(8000));
            send(&mut left, 2000);
            send(&mut left, 2000);
            let (link, clock) = &mut right;
            let mut received = 0;
            let mut buf = vec![0; part];
            while received < 4000 {
                received += link.recv(&mut buf, SOON).unwrap();
                let ends = [1500, 2000, 3500, 4000];
                let end = ends.into_iter().find(|&end| received <= end).unwrap();
                assert_eq!(
                    clock.now().time,
                    end as u32 * MS + 5 * MS,
                    "{part}: {received}"
                );
            }
        }
    }

    #[test]
    fn between_two_machines_headers_carry_the_flights_in_a_row() {
        let (left, right) = memory_pair();
        let clocks = <[VirtualClock; 2]>::default();
        let mut left = (
            VirtualLink::counting(left, clocks[0].clone()),
            clocks[0].clone(),
        );
        let mut right = (
            VirtualLink::counting(right, clocks[1].clone()),
            clocks[1].clone(),
        );
        send(&mut left, 10);
        send(&mut left, 10);
        assert_eq!(receive(&mut right, 15), (0, 1));
        send(&mut right, 100_000);
        assert_eq!(receive(&mut left, 100_000), (0, 2));
        send(&mut left, 1);
        assert_eq!(
            receive(&mut right, 5),
            (0, 1),
            "the rest of the second piece"
        );
        assert_eq!(receive(&mut right, 1), (0, 3));
        left.0.close(SOON);
        assert_eq!(right.0.recv(&mut [0; 9], SOON).unwrap(), 0);
    }

    #[test]
    fn empty_pieces_are_rejected_and_slow_headers_are_awaited() {
        let (mut stranger, right) = memory_pair();
        let mut right = VirtualLink::counting(right, VirtualClock::default());
        let moment = Duration::from_millis(1);
        stranger.send(vec![255; 8], SOON).unwrap();
        let early = right.recv(&mut [0; 9], moment).unwrap_err();
        assert_eq!(early.kind(), io::ErrorKind::TimedOut);
        stranger.send(vec![1, 0, 0, 0, 7], SOON).unwrap();
        assert_eq!(right.recv(&mut [0; 9], SOON).unwrap(), 1);
        // The length of the longest chain does not overflow.
        right.send(vec![7], SOON).unwrap();
        stranger.send(vec![0; HEADER_BYTES], SOON).unwrap();
        let empty = right.recv(&mut [0; 9], SOON).unwrap_err();
        assert_eq!(empty.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn draining_waits_until_the_bytes_have_left() {
        let [mut left, mut right] = ends(Some(8000));
        send(&mut left, 20);
        assert_eq!(receive(&mut right, 20), (25, 1));
        let (link, clock) = &mut left;
        link.drain(15, SOON).unwrap();
        assert_eq!(clock.now().time, 5 * MS);
        link.drain(0, SOON).unwrap();
        assert_eq!(clock.now().time, 20 * MS);
    }
}
