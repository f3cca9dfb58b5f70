//! The start barrier and the exchange of marks between two machines, over a control connection.
//!
//! The garbler reports that it is ready. The evaluator sends a ping and measures the round trip
//! until the answer. Then the evaluator sends the start signal, and starts itself half a round trip
//! later. The messages also carry the sender's number of flights in a row: after the first two,
//! both virtual clocks have the larger number.

use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::net::{Channel, Tag};

use super::barrier::{Barrier, Mark, Moment, system_time};
use super::virtual_link::VirtualClock;

const MARKS: Tag = Tag::new(128, "marks");
const READY: Tag = Tag::new(129, "ready");
const PING: Tag = Tag::new(130, "ping");
const PONG: Tag = Tag::new(131, "pong");
const GO: Tag = Tag::new(132, "go");

/// An upper bound on the delay with which a sleeping thread wakes.
const WAKING: Duration = Duration::from_micros(400);

/// The barrier with a party on another machine.
pub(super) struct RemoteBarrier {
    channel: Channel,
    party: Party,
    clock: VirtualClock,
}

impl RemoteBarrier {
    /// Makes the barrier. Nothing else may use `channel`.
    pub(super) fn new(channel: Channel, party: Party) -> Self {
        RemoteBarrier {
            channel,
            party,
            clock: VirtualClock::default(),
        }
    }

    /// The virtual clock of this party.
    pub(super) fn clock(&self) -> VirtualClock {
        self.clock.clone()
    }

    /// Sends a message with this party's current number of flights in a row.
    fn send(&mut self, tag: Tag) -> anyhow::Result<()> {
        let in_a_row = self.clock.now().in_a_row;
        self.channel.send_bytes(tag, &in_a_row.to_le_bytes())?;
        Ok(self.channel.flush()?)
    }

    /// Receives a message with the peer's number, and advances the clock to this number.
    fn recv(&mut self, tag: Tag) -> anyhow::Result<()> {
        let mut in_a_row = [0; 8];
        self.channel.recv_bytes(tag, &mut in_a_row)?;
        self.clock.wait_until(Moment {
            time: Duration::ZERO,
            in_a_row: u64::from_le_bytes(in_a_row),
        });
        Ok(())
    }
}

impl Barrier for RemoteBarrier {
    fn start(&mut self) -> anyhow::Result<()> {
        self.channel.begin_phase("starting together");
        match self.party {
            Party::Garbler => {
                self.send(READY)?;
                self.recv(PING)?;
                self.send(PONG)?;
                self.recv(GO)
            }
            Party::Evaluator => {
                self.recv(READY)?;
                let asked = Instant::now();
                self.send(PING)?;
                self.recv(PONG)?;
                let one_way = asked.elapsed() / 2;
                let started = Instant::now();
                self.send(GO)?;
                thread::sleep(one_way.saturating_sub(WAKING));
                while started.elapsed() < one_way {
                    thread::yield_now();
                }
                Ok(())
            }
        }
    }

    fn exchange(&mut self, mine: &[Mark]) -> anyhow::Result<Vec<Mark>> {
        self.channel.begin_phase("comparing the marks of a round");
        let bytes: Vec<u8> = mine.iter().flat_map(encode).collect();
        self.channel.send_bytes(MARKS, &bytes)?;
        let mut theirs = vec![0; bytes.len()];
        self.channel.recv_bytes(MARKS, &mut theirs)?;
        Ok(theirs.as_chunks().0.iter().map(decode).collect())
    }

    fn now(&self) -> Moment {
        Moment {
            time: system_time(),
            ..self.clock.now()
        }
    }
}

/// Tells a waiting peer that this party has ended, so that it does not report a lost connection.
impl Drop for RemoteBarrier {
    fn drop(&mut self) {
        self.channel.abort();
    }
}

const NUMBERS: usize = 6;

fn encode(mark: &Mark) -> [u8; 8 * NUMBERS] {
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let mut bytes = [0; 8 * NUMBERS];
    let numbers = [
        nanos(mark.time),
        mark.sent,
        mark.flights,
        mark.in_a_row,
        nanos(mark.cpu),
        mark.peak,
    ];
    for (place, number) in bytes.chunks_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

fn decode(bytes: &[u8; 8 * NUMBERS]) -> Mark {
    let (numbers, _) = bytes.as_chunks();
    let [nanos, sent, flights, in_a_row, cpu, peak]: [u64; NUMBERS] =
        std::array::from_fn(|place| u64::from_le_bytes(numbers[place]));
    Mark {
        time: Duration::from_nanos(nanos),
        sent,
        flights,
        in_a_row,
        cpu: Duration::from_nanos(cpu),
        peak,
    }
}

#[cfg(test)]
mod tests {
    use dealerless::net::{Deadlines, memory_pair};

    use super::*;

    fn pair() -> (RemoteBarrier, RemoteBarrier) {
        let (near, far) = memory_pair();
        let end = |transport, party| {
            RemoteBarrier::new(Channel::new(transport, Deadlines::default()), party)
        };
        (end(near, Party::Garbler), end(far, Party::Evaluator))
    }

    fn mark(nanos: u64) -> Mark {
        Mark {
            time: Duration::from_nanos(nanos),
            sent: u64::MAX,
            flights: 7,
            in_a_row: 3,
            cpu: Duration::from_nanos(nanos / 2),
            peak: 1 << 40,
        }
    }

    #[test]
    fn both_sides_exchange_marks_after_a_common_start() {
        let (mut garbler, mut evaluator) = pair();
        let later = Moment {
            time: Duration::ZERO,
            in_a_row: 9,
        };
        evaluator.clock().wait_until(later);
        let theirs = thread::spawn(move || {
            evaluator.start().unwrap();
            evaluator.exchange(&[mark(5), mark(6)]).unwrap()
        });
        garbler.start().unwrap();
        assert_eq!(garbler.now().in_a_row, 9);
        let ours = garbler.exchange(&[mark(1), mark(u64::MAX)]).unwrap();
        assert_eq!(ours, [mark(5), mark(6)]);
        assert_eq!(theirs.join().unwrap(), [mark(1), mark(u64::MAX)]);
    }

    #[test]
    fn party_that_leaves_releases_the_other() {
        let (mut garbler, evaluator) = pair();
        drop(evaluator);
        let error = garbler.start().unwrap_err();
        assert!(error.is::<dealerless::net::Error>(), "{error}");
    }
}
