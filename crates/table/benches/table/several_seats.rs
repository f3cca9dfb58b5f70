//! A match of several seats with a verifiable deck, in this process: each seat runs on its own
//! thread. The host passes what the guests sign to the other guests, which may also be connected to
//! each other. All files are in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use dealerless_connection::system_rng;
use dealerless_table::Seat;
use dealerless_table::log::{LogEvent, LogMessage};
use dealerless_table::play::{Command, DeckSetting, Event, News, NoEngine, Outbox, Play};
use dealerless_table::testing::choices::passive;
use dealerless_table::testing::test_match::{TestMatch, setting, stakes_of};

/// The cost of a match. All seats call and show.
pub(crate) struct Hand {
    /// The time of the keys, once a match.
    pub(crate) keys: Duration,
    /// The time of the first hand from the first deal to the last result. The deck is shuffled in the
    /// hand.
    pub(crate) first: Duration,
    /// The time from the first deal of the first hand until the deck is shuffled.
    pub(crate) shuffles: Duration,
    /// The time of a later hand, whose deck was shuffled during the hand before: the median. Zero in
    /// a match of one hand.
    pub(crate) hand: Duration,
    /// The time from the deals of a hand to the deals of the next one: the median. All seats play
    /// without a pause, so the shuffles of the next hand are not done when a hand is over.
    pub(crate) turn: Duration,
    /// The time from the last move before the flop until all seats see the flop: the median over
    /// all hands.
    pub(crate) flop: Duration,
    /// The same time, but each seat counts from its own receipt of that move.
    pub(crate) flop_from_receipt: Duration,
    /// The bytes of the statements that one seat sends to one other seat in a hand: the mean over
    /// all hands and seats.
    pub(crate) bytes: u64,
}

/// The connections between seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each guest is connected to the host only.
    Star,
    /// All seats are connected to each other.
    Mesh,
}

/// Sends the messages of a seat to the others after a delay of the line.
struct Wires {
    from: Seat,
    to: BTreeMap<Seat, Sender<(Instant, Event)>>,
    delay: Duration,
    /// The bytes of the seat's own statements to one other seat.
    bytes: Arc<Mutex<u64>>,
}

impl Outbox for Wires {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        let signer = match LogMessage::decode(&message) {
            Ok(LogMessage::Statement(statement)) => Some(statement.signed.seat()),
            Ok(LogMessage::Part(part)) => Some(part.seat),
            _ => None,
        };
        if self.to.keys().next() == Some(&to) && signer == Some(self.from) {
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            *bytes += message.len() as u64;
        }
        let due = Instant::now() + self.delay;
        let sent = self.to[&to].send((due, Event::Received(self.from, message)));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The times at which a seat saw the events of the match.
#[derive(Default)]
struct Times {
    begun: Vec<Instant>,
    sealed: Vec<Instant>,
    over: Vec<Instant>,
    /// The last move before each flop, and the flop.
    flops: Vec<[Instant; 2]>,
}

/// The median of these times, or zero without times.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Plays a match of `seats`, `opens` of which open a card. Each statement takes `delay` on each
/// connection.
pub(crate) fn measure(
    (seats, opens): (u8, usize),
    hands: u32,
    delay: Duration,
    shape: Shape,
) -> Hand {
    let of = TestMatch::verifiable(stakes_of(1000, seats, hands), opens);
    let count = usize::from(seats);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
    let (bytes, started) = (Arc::new(Mutex::new(0)), Instant::now());
    let threads: Vec<_> = Seat::all(count)
        .zip(receivers)
        .map(|(seat, events)| {
            let peers = Seat::all(count).filter(|peer| {
                let has_host = (*peer == Seat::HOST) != (seat == Seat::HOST);
                has_host || shape == Shape::Mesh && *peer != seat
            });
            let wires = Wires {
                from: seat,
                to: peers
                    .map(|peer| (peer, senders[peer.index()].clone()))
                    .collect(),
                delay,
                bytes: Arc::clone(&bytes),
            };
            let file = MemoryStorage::default();
            of.journal(seat, file.clone());
            thread::spawn(move || play(seat, file, wires, &events))
        })
        .collect();
    drop(senders);
    let times = threads
        .into_iter()
        .map(|thread| thread.join().expect("an honest seat"));
    let times: Vec<Times> = times.collect();
    let bytes = *bytes.lock().unwrap_or_else(PoisonError::into_inner);
    let host = &times[0];
    let between = |from: &[Instant], to: &[Instant]| {
        median(from.iter().zip(to).map(|(a, b)| *b - *a).collect())
    };
    // For each flop, the times of all seats.
    let flops = (0..host.flops.len()).map(|at| times.iter().map(move |times| times.flops[at]));
    let last = flops.clone().map(|flop| {
        let moved = flop.clone().map(|[moved, _]| moved).min();
        let seen = flop.map(|[_, seen]| seen).max();
        seen.zip(moved)
            .map_or(Duration::ZERO, |(seen, moved)| seen - moved)
    });
    // The seat that moved has the longest time, and has received nothing.
    let received = flops.map(|flop| {
        let mut times: Vec<Duration> = flop.map(|[moved, seen]| seen - moved).collect();
        times.sort_unstable();
        times[times.len() - 2]
    });
    Hand {
        flop: median(last.collect()),
        flop_from_receipt: median(received.collect()),
        keys: host.begun[0] - started,
        first: host.over[0] - host.begun[0],
        shuffles: host.sealed[0] - host.begun[0],
        hand: between(&host.begun[1..], &host.over[1..]),
        turn: between(&host.begun, &host.begun[1..]),
        bytes: bytes / u64::from(seats) / u64::from(hands),
    }
}

fn play(
    seat: Seat,
    file: MemoryStorage,
    mut wires: Wires,
    events: &Receiver<(Instant, Event)>,
) -> Times {
    let deck = DeckSetting::Verifiable(MemoryVault::default());
    let setting = setting(seat, file, deck, system_rng()).expect("a new file");
    let mut play = Play::new(setting).expect("a new seat");
    let peers: Vec<Seat> = wires.to.keys().copied().collect();
    peers.into_iter().for_each(|peer| play.begin(peer));
    let (mut times, mut moved) = (Times::default(), Instant::now());
    loop {
        play.advance(&mut wires, &mut NoEngine)
            .expect("honest seats");
        let mut asked = None;
        while let Some(news) = play.news() {
            match news {
                News::YourTurn { legal } => asked = Some(Command::Choose(passive(&legal))),
                News::Log(LogEvent::Begun(_)) => times.begun.push(Instant::now()),
                News::Sealed { .. } => times.sealed.push(Instant::now()),
                News::Log(LogEvent::Chose(_)) => moved = Instant::now(),
                News::Log(LogEvent::Board(faces)) if faces.len() == 3 => {
                    times.flops.push([moved, Instant::now()]);
                }
                News::Log(LogEvent::HandOver { .. }) => times.over.push(Instant::now()),
                News::Over(_) => return times,
                _ => {}
            }
        }
        if let Some(command) = asked {
            play.command(command).expect("its turn");
            continue;
        }
        let waiting = match events.try_recv() {
            Ok(event) => Some(event),
            Err(_) if play.shuffle_ahead().expect("an honest seat") => continue,
            Err(_) => events.recv().ok(),
        };
        let Some((due, event)) = waiting else {
            return times;
        };
        thread::sleep(due.saturating_duration_since(Instant::now()));
        play.receive(event).expect("an honest seat");
    }
}
