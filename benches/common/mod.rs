//! Two parties over loopback TCP, each in its own thread.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each benchmark uses a part of this module"
)]

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::deck::SealedDeck;
use dealerless::mpc::{self, EngineKind, Greeting, Offer, TwoParty};
use dealerless::net::{Channel, Deadlines, TcpTransport};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

pub type Session = mpc::Session;

const PATIENCE: Duration = Duration::from_secs(10);

/// Builds the circuit that draws `draw` of `cards` cards.
pub fn shuffle(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
    ShuffleCircuit::build(spec(cards, draw, algorithm))
}

/// Builds the same circuit as [`shuffle`], with the check that the seeds are in range.
pub fn checked_shuffle(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
    ShuffleCircuit::build_checked(spec(cards, draw, algorithm))
}

fn spec(cards: usize, draw: usize, algorithm: Algorithm) -> Spec {
    Spec::new(cards, draw, algorithm).expect("a deal within the bounds")
}

/// A socket that listens on this machine.
pub struct Loopback {
    listener: TcpListener,
    address: SocketAddr,
}

impl Loopback {
    pub fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a local address");
        Loopback { listener, address }
    }

    /// Connects the garbler and the evaluator, and sets up their sessions. Returns the sessions and
    /// the time until both were ready.
    pub fn set_up(&self, engine: EngineKind) -> ([Session; 2], Duration) {
        let address = self.address;
        let begun = Instant::now();
        let peer = thread::spawn(move || {
            let stream = TcpTransport::connect(address, PATIENCE).expect("connected");
            (session(Party::Evaluator, engine, stream), Instant::now())
        });
        let stream = TcpTransport::accept(&self.listener, PATIENCE).expect("accepted");
        let garbler = session(Party::Garbler, engine, stream);
        let mine = Instant::now();
        let (evaluator, theirs) = peer.join().expect("no panic of the evaluator");
        ([garbler, evaluator], mine.max(theirs) - begun)
    }
}

fn session(role: Party, engine: EngineKind, transport: TcpTransport) -> Session {
    let channel = Channel::new(transport, Deadlines::default());
    let rng = &mut UnwrapErr(SysRng);
    let offer = Offer::new(role, engine);
    let greeting = Greeting::exchange(channel, offer, rng).expect("hellos");
    Session::setup(greeting, rng).expect("a session")
}

/// The garbler's time in each phase.
#[derive(Clone, Copy, Default)]
pub struct Times {
    /// The preprocessing.
    pub pool: Duration,
    /// The time from fresh randomness to a sealed deck.
    pub online: Duration,
}

/// A session that shuffles decks.
pub struct Shuffler {
    garbler: Session,
    /// Sends the evaluator's thread a circuit to run, and the number of shuffles.
    tasks: mpsc::Sender<(Arc<ShuffleCircuit>, u64)>,
    /// Reports that the evaluator has done a task.
    done: mpsc::Receiver<()>,
}

impl Shuffler {
    pub fn new(engine: EngineKind) -> Self {
        let ([garbler, mut evaluator], _) = Loopback::listen().set_up(engine);
        let (tasks, todo) = mpsc::channel::<(Arc<ShuffleCircuit>, u64)>();
        let (finished, done) = mpsc::channel();
        thread::spawn(move || {
            while let Ok((circuit, count)) = todo.recv() {
                repeat(&mut evaluator, &circuit, count);
                if finished.send(()).is_err() {
                    break;
                }
            }
        });
        Shuffler {
            garbler,
            tasks,
            done,
        }
    }

    /// Shuffles `count` times and returns the total times.
    pub fn time(&mut self, circuit: &Arc<ShuffleCircuit>, count: u64) -> Times {
        let task = (Arc::clone(circuit), count);
        self.tasks.send(task).expect("no panic of the evaluator");
        let times = repeat(&mut self.garbler, circuit, count);
        self.done.recv().expect("no panic of the evaluator");
        times
    }

    /// Returns the bytes that the garbler has sent so far.
    pub fn bytes_sent(&self) -> u64 {
        self.garbler.traffic().bytes_sent
    }
}

fn repeat(party: &mut Session, circuit: &ShuffleCircuit, count: u64) -> Times {
    let mut times = Times::default();
    for _ in 0..count {
        let begun = Instant::now();
        SealedDeck::prepare(party, circuit, 1).expect("preprocessed");
        let filled = Instant::now();
        SealedDeck::shuffle(party, circuit, &mut UnwrapErr(SysRng)).expect("shuffled");
        times.pool += filled - begun;
        times.online += filled.elapsed();
    }
    times
}
