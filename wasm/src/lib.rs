//! One seat of a match in WebAssembly, without threads, clocks, files and sockets. `run.mjs` plays a
//! match of two such seats with the real engine.
//!
//! The host of the module passes messages and bytes of the engine from one seat to the other. One call
//! waits: `engine_recv`. Asyncify suspends it, so that the host can call [`receive`] and [`step`] while
//! [`engine`] waits. No borrow of a cell lives across a wait.

#![cfg(target_family = "wasm")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use dealerless::deck;
use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, Transport};
use dealerless::shuffle::Algorithm;
use dealerless_table::identity::{Identity, Name};
use dealerless_table::log::{
    Clock, DeckTerms, Header, Inputs, Journal, Match, MatchLog, Player, SealedTerms, Sitting,
};
use dealerless_table::play::{
    Binding, Command, DealCircuit, DeckSetting, Done, Engine, Event, Incoming, Moment, News, Order,
    Orders, Outbox, SealedSetting, Setting, TableCore, TableEvent,
};
use dealerless_table::rules::{BettingRules, Choice, Legal, Limit, Posts, Stakes, Variety};
use dealerless_table::storage::{MemoryStorage, MemoryVault};
use dealerless_table::{Seat, SystemRng, hex, system_rng};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Sends a message of the log to the other seat.
    fn message(at: *const u8, len: usize);
    /// Sends bytes of the engine to the other seat.
    fn engine_send(at: *const u8, len: usize);
    /// Waits for bytes of the engine. Returns their number, or -1 after `ms`.
    fn engine_recv(at: *mut u8, len: usize, ms: f64) -> i32;
    /// Milliseconds since a fixed moment.
    fn now() -> f64;
    fn random(at: *mut u8, len: usize);
    fn print(at: *const u8, len: usize);
}

#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    at: *mut u8,
    len: usize,
) -> Result<(), getrandom::Error> {
    unsafe { random(at, len) };
    Ok(())
}

fn output(text: &str) {
    unsafe { print(text.as_ptr(), text.len()) };
}

fn clock() -> Duration {
    Duration::from_secs_f64(unsafe { now() } / 1000.0)
}

struct Playing {
    table: TableCore<MemoryStorage, MemoryVault, SystemRng, ()>,
    seat: Seat,
    circuit: Arc<DealCircuit>,
    hands: u32,
}

thread_local! {
    static SEAT: RefCell<Option<Playing>> = const { RefCell::new(None) };
    static ORDERS: RefCell<VecDeque<Order>> = const { RefCell::new(VecDeque::new()) };
    static ENGINE: RefCell<Option<Engine<SystemRng>>> = const { RefCell::new(None) };
}

struct ToHost;

impl Outbox for ToHost {
    fn send(&mut self, _: Seat, bytes: Vec<u8>) -> io::Result<()> {
        unsafe { message(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// Keeps the orders until [`engine`] executes them.
struct Queue;

impl Orders for Queue {
    fn order(&mut self, order: Order) {
        ORDERS.with_borrow_mut(|orders| orders.push_back(order));
    }
}

struct EngineStream;

impl Transport for EngineStream {
    fn send(&mut self, bytes: Vec<u8>, _: Duration) -> io::Result<()> {
        unsafe { engine_send(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let ms = within.as_secs_f64() * 1000.0;
        let count = unsafe { engine_recv(buf.as_mut_ptr(), buf.len(), ms) };
        usize::try_from(count).map_err(|_| ErrorKind::TimedOut.into())
    }
}

struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

/// The match: `hands` of hold'em between two known players.
fn sitting(seat: Seat, hands: u32) -> (Sitting, Arc<DealCircuit>) {
    let variety = Variety::Holdem(BettingRules {
        stack: 100,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    });
    let stakes = Stakes::new(variety, 2, hands).expect("valid stakes");
    let circuit = DealCircuit::of(&stakes, Algorithm::Waksman).expect("a circuit");
    let header = Header {
        log_version: Header::LOG_VERSION,
        stakes,
        deck: DeckTerms::Sealed(SealedTerms {
            engine_version: 3,
            algorithm: circuit.algorithm(),
            circuit: circuit.circuit().digest(),
            validity: if circuit.checks_inputs() { 2 } else { 0 },
        }),
        clock: Clock::default(),
        past: None,
    };
    let player = |seat: Seat| Player {
        identity: Identity::from_seed([seat.number(); 32]).public().clone(),
        nonce: [7; 32],
    };
    let players = Seat::all(2).map(player).collect();
    let sitting = Sitting {
        match_info: Match::new(header, players).expect("a valid header"),
        seat,
        names: ["Anna", "Bob"].map(Name::clean).to_vec(),
    };
    (sitting, Arc::new(circuit))
}

/// Memory for `len` bytes, for [`receive`] or for Asyncify.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::leak(vec![0; len].into_boxed_slice()).as_mut_ptr()
}

/// Sits down to a match of `hands`.
#[unsafe(no_mangle)]
pub extern "C" fn sit(seat: u8, hands: u32) {
    std::panic::set_hook(Box::new(|info| output(&info.to_string())));
    let seat = Seat::new(seat);
    let (sitting, circuit) = sitting(seat, hands);
    let identity = Arc::new(Identity::from_seed([seat.number(); 32]));
    let key = identity.file_key();
    let inputs = Inputs::open(
        MemoryStorage::default(),
        key.clone(),
        sitting.match_info.id(),
    );
    let setting = Setting {
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: inputs.expect("an empty file").file,
            vault: MemoryVault::default(),
            circuit: Arc::clone(&circuit),
        }),
        seat,
        log: MatchLog::new(sitting.match_info.clone(), seat),
        journal: Journal::create(MemoryStorage::default(), key, &sitting).expect("an empty file"),
        identity,
        rng: system_rng(),
    };
    let mut table = TableCore::new(setting, clock()).expect("a new match");
    table.begin(seat.next(2), clock());
    let playing = Playing {
        table,
        seat,
        circuit,
        hands: 0,
    };
    SEAT.set(Some(playing));
}

/// Receives a message of the other seat: the memory of a call of [`alloc`] with this length.
///
/// # Safety
/// `at` is the result of `alloc(len)`, and is passed only once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn receive(at: *mut u8, len: usize) {
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len)) };
    playing(|playing| {
        let peer = playing.seat.next(2);
        let event = Event::Received(peer, bytes.into_vec());
        playing.table.receive(Some(peer), Incoming::Event(event));
    });
}

/// Does all that is due. Returns whether the match is over.
#[unsafe(no_mangle)]
pub extern "C" fn step() -> bool {
    playing(Playing::step)
}

/// Starts the engine, or executes its orders. Waits. Returns whether the engine lives.
#[unsafe(no_mangle)]
pub extern "C" fn engine() -> bool {
    match execute() {
        Ok(()) => true,
        Err(error) => {
            report(Done::Failed(error));
            false
        }
    }
}

fn execute() -> deck::Result<()> {
    let mut engine = match ENGINE.take() {
        Some(engine) => engine,
        None => start()?,
    };
    while let Some(order) = ORDERS.with_borrow_mut(VecDeque::pop_front) {
        report(engine.execute(order)?);
    }
    ENGINE.set(Some(engine));
    Ok(())
}

fn start() -> deck::Result<Engine<SystemRng>> {
    let binding = playing(|playing| Binding {
        seat: playing.seat,
        handshake: [0; 32],
        circuit: Arc::clone(&playing.circuit),
        attempts: Box::new(Uncounted),
        now: clock,
    });
    let channel = Channel::with_clock(EngineStream, Deadlines::default(), clock);
    Engine::start(channel, binding, system_rng())
}

fn report(done: Done) {
    playing(|playing| {
        let peer = playing.seat.next(2);
        let event = Event::Done(done);
        playing.table.receive(Some(peer), Incoming::Event(event));
    });
}

/// Whether the engine has orders.
#[unsafe(no_mangle)]
pub extern "C" fn has_orders() -> bool {
    ORDERS.with_borrow(|orders| !orders.is_empty())
}

fn playing<R>(work: impl FnOnce(&mut Playing) -> R) -> R {
    SEAT.with_borrow_mut(|playing| work(playing.as_mut().expect("`sit` was called")))
}

impl Playing {
    fn step(&mut self) -> bool {
        let moment = Moment {
            running: clock(),
            unix: 0,
        };
        loop {
            let next = self.table.next(moment, &mut ToHost, Some(&mut Queue));
            let command = match next.expect("the other seat is honest") {
                None => return false,
                Some(TableEvent::News(News::YourTurn { legal })) => {
                    Command::Choose(passive(&legal))
                }
                Some(TableEvent::News(News::AskRebuy { .. })) => Command::Rebuy(true),
                Some(TableEvent::News(News::Sealed { .. })) => {
                    self.hands += 1;
                    continue;
                }
                Some(TableEvent::News(News::Over(end))) => {
                    let hash = hex(&self.table.play().log().hash());
                    output(&format!("{} hands, {end:?}, log {hash}", self.hands));
                    return true;
                }
                Some(TableEvent::ConnectionLost(_, error)) => panic!("{error}"),
                Some(_) => continue,
            };
            self.table.command(command).expect("the rules allow it");
        }
    }
}

fn passive(legal: &Legal) -> Choice {
    match legal {
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        _ => Choice::Show,
    }
}
