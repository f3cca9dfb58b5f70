//! What passed through a channel.

/// Bytes and flights of a channel since it was opened.
///
/// Bytes are those of the frames, headers included; what a transport adds below (encryption, TCP)
/// is not. Bytes that are still buffered are not yet sent.
///
/// A *flight* is a maximal run of frames in one direction, as seen from this side. If the parties
/// take turns, one party's flights sent are the other's flights received, and a round trip is one
/// of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes handed to the transport.
    pub bytes_sent: u64,
    /// Bytes taken from the transport.
    pub bytes_received: u64,
    /// How often this side began to send, at the start or after it had received.
    pub flights_sent: u64,
    /// How often this side began to receive, at the start or after it had sent.
    pub flights_received: u64,
}

/// Counts the traffic, and remembers the direction of the flight in progress.
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
