//! Two seats of one match, each on its own thread, over connections in memory.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use dealerless::net::memory_pair;
use dealerless_connection::identity::Identity;
use dealerless_connection::random::{SystemRng, system_rng};
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Storage, Vault};

use super::engine;
use super::test_match::{TestMatch, sealed_deck};
use crate::log::{End, Journal, Match, MatchLog, Sitting};
use crate::play::{Command, DealCircuit, Dealer, Event, News, Outbox, Play, PlayError, Setting};
use crate::rules::Stakes;
use crate::seat::Seat;

pub type Seated<S = MemoryStorage> = Play<S, MemoryVault, SystemRng>;

/// Sends the parts of a seat to the other seat.
pub struct Wire(Sender<Event>, Seat);

impl Outbox for Wire {
    fn send(&mut self, to: Seat, part: Vec<u8>) -> io::Result<()> {
        let sent = self.0.send(Event::Received(to.next(2), part));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for Wire {
    /// Sends an empty message, so that the other seat does not wait for this one.
    fn drop(&mut self) {
        let _ = self.0.send(Event::Received(self.1, Vec::new()));
    }
}

/// A seat's keys and connections.
pub struct Wiring {
    pub seat: Seat,
    pub identity: Arc<Identity>,
    pub circuit: Arc<DealCircuit>,
    pub wire: Wire,
    pub dealer: Dealer,
    pub events: Receiver<Event>,
}

/// An honest seat.
pub struct Side<S = MemoryStorage> {
    pub play: Seated<S>,
    pub wiring: Wiring,
}

/// The wiring of both seats for a new match with these stakes, and the match.
pub fn wirings(stakes: &Stakes, circuit: &Arc<DealCircuit>) -> ([Wiring; 2], Match) {
    let of = TestMatch::shuffled(stakes, circuit);
    let (one, other) = memory_pair();
    let (to_host, at_host) = mpsc::channel();
    let (to_guest, at_guest) = mpsc::channel();
    let host = (Seat::HOST, one, to_host.clone(), to_guest.clone(), at_host);
    let guest = (Seat::GUEST, other, to_guest, to_host, at_guest);
    let wirings = [host, guest].map(|(seat, connection, own, theirs, events)| Wiring {
        seat,
        identity: of.identities[seat.index()].clone(),
        circuit: circuit.clone(),
        wire: Wire(theirs, seat),
        dealer: engine::start((seat, [1; 32]), circuit, connection, move |done| {
            own.send(Event::Done(done)).is_ok()
        }),
        events,
    });
    (wirings, of.match_info)
}

impl Wiring {
    /// The program of this seat with this log and new files. It has begun on the connection.
    pub fn play<S: Storage, V: Vault>(
        &self,
        log: MatchLog,
        file: S,
        (inputs, vault): (S, V),
    ) -> Play<S, V, SystemRng> {
        let sitting = Sitting {
            match_info: log.match_info().clone(),
            seat: self.seat,
            names: Vec::new(),
        };
        let place = (self.seat, log.match_info().id());
        let mut play = Play::new(Setting {
            identity: self.identity.clone(),
            seat: self.seat,
            log,
            journal: Journal::create(file, self.identity.file_key(), &sitting).unwrap(),
            deck: sealed_deck(place, (inputs, vault), &self.circuit).unwrap(),
            rng: system_rng(),
        })
        .unwrap();
        play.begin(self.seat.next(2));
        play
    }
}

impl<S: Storage + Default> Side<S> {
    pub fn new(wiring: Wiring, info: &Match) -> Self {
        let log = MatchLog::new(info.clone(), wiring.seat);
        let play = wiring.play(log, S::default(), Default::default());
        Side { play, wiring }
    }

    /// Plays until the match is over. `player` answers the news.
    pub fn run(
        &mut self,
        mut player: impl FnMut(&Seated<S>, &News) -> Option<Command>,
    ) -> Result<End, PlayError> {
        let Side { play, wiring } = self;
        loop {
            play.advance(&mut wiring.wire, &mut wiring.dealer)?;
            let mut commanded = false;
            while let Some(news) = play.news() {
                if let Some(command) = player(play, &news) {
                    play.command(command).expect("an allowed command");
                    commanded = true;
                }
                if let News::Over(end) = news {
                    return Ok(end);
                }
            }
            if !commanded {
                let event = wiring
                    .events
                    .recv()
                    .expect("an event of the engine or the peer");
                play.receive(event)?;
            }
        }
    }
}

/// Plays matches with these plans, several at once.
pub fn play_all<P: Sync>(threads: usize, plans: &[P], play: impl Fn(&P) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play(plan);
                }
            });
        }
    });
}

/// Runs `act` on both sides, each on its own thread.
pub fn both<T: Send, R: Send>(sides: [T; 2], act: impl Fn(T) -> R + Sync) -> [R; 2] {
    thread::scope(|scope| {
        let threads = sides.map(|side| scope.spawn(|| act(side)));
        threads.map(|thread| thread.join().unwrap())
    })
}
