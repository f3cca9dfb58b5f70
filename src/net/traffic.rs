//! Counters for the traffic of a channel.

/// The bytes and flights of a channel since it was opened.
///
/// The counters include the headers of the frames, but not the overhead of the transport
/// (encryption, TCP). Bytes that are still buffered do not count as sent.
///
/// A *flight* consists of all frames that this side sends without receiving a frame in between, or
/// receives without sending one. If the parties take turns, the flights sent by one party are the
/// flights received by the other, and a round trip is one flight in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of bytes handed to the transport.
    pub bytes_sent: u64,
    /// The number of bytes taken from the transport.
    pub bytes_received: u64,
    /// The number of times this side began to send, at the start or after receiving.
    pub flights_sent: u64,
    /// The number of times this side began to receive, at the start or after sending.
    pub flights_received: u64,
}

/// Counts the traffic and records the direction of the current flight.
#[derive(Debug, Default)]
pub(super) struct Meter {
    traffic: Traffic,
    direction: Option<Direction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
}

impl Meter {
    pub(super) fn sent(&mut self, bytes: usize) {
        self.traffic.bytes_sent += bytes as u64;
        if self.direction.replace(Direction::Out) != Some(Direction::Out) {
            self.traffic.flights_sent += 1;
        }
    }

    pub(super) fn received(&mut self, bytes: usize) {
        self.traffic.bytes_received += bytes as u64;
        if self.direction.replace(Direction::In) != Some(Direction::In) {
            self.traffic.flights_received += 1;
        }
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.traffic
    }
}
