//! The world of a simulated program: its disk, its sockets, its engine and its clock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless_connection::identity::Address;
use dealerless_connection::storage::{TwoSlots, Vault as _};
use dealerless_connection::{Happened, Place, PolledConnection, Sockets};
use dealerless_table::Seat;
use dealerless_table::play::{DealCircuit, Order};
use rand::RngExt;
use serde_json::Value;

use super::choices::Choices;
use super::disk::{Disk, SimulatedFile};
use super::engine::{Engines, Session};
use super::network::Network;
use super::person::Act;
use crate::event::Event;
use crate::run::{Files, SeatWorld, World};
use crate::words::Narrator;

thread_local! {
    /// The wall clock of the program that runs now, in seconds since 1970.
    static UNIX: Cell<u64> = const { Cell::new(0) };
}

/// Sets the wall clock of the program that runs next.
pub(super) fn set_unix(seconds: u64) {
    UNIX.set(seconds);
}

/// The IP address of a program.
fn ip(program: usize) -> IpAddr {
    Ipv4Addr::new(10, 0, 0, program as u8).into()
}

/// The relay over TCP.
pub(super) fn relay() -> Address {
    super::RELAY_OVER_TCP.parse().unwrap()
}

/// Where a program listens.
pub(super) fn address(program: usize) -> Address {
    format!("{}:4000", ip(program)).parse().unwrap()
}

fn program_at(wanted: &Address) -> usize {
    let mut programs = 0..=usize::from(u8::MAX);
    let program = programs.find(|program| address(*program) == *wanted);
    program.expect("the address of a program")
}

/// What happens to a socket.
pub(super) enum OfSocket {
    Opened,
    Received(Vec<u8>),
    Ready,
    /// Another socket is the end of a connection from this program.
    Accepted(u32, usize),
    Closed(io::ErrorKind),
}

impl OfSocket {
    pub(super) fn happened(&self) -> Happened<'_> {
        match self {
            OfSocket::Opened => Happened::Opened,
            OfSocket::Received(bytes) => Happened::Received(bytes),
            OfSocket::Ready => Happened::Ready,
            OfSocket::Accepted(socket, program) => Happened::Accepted {
                socket: *socket,
                from: ip(*program),
            },
            OfSocket::Closed(kind) => Happened::Closed((*kind).into()),
        }
    }
}

/// Something that happens at a moment.
pub(super) enum Happening {
    OfSocket(u32, OfSocket),
    /// The relay has received the request on this socket.
    AtRelay(u32),
    /// The request for a connection on this socket has arrived at a program.
    AtProgram(u32, usize),
    /// The connection over this socket is cut.
    Cut(u32),
    /// The timer with this number expires. Only the last timer of a program counts.
    Timer(usize, u64),
    /// The engine of a program begins its next job, if it has one.
    Engine(usize),
    /// The job of an engine is done on this side.
    EngineDone(usize, u32),
    /// The engine has noticed that its session has ended.
    EngineSettled(usize),
    /// The player of the program that was started as number `.1` acts.
    Acts(usize, u64, Act),
    Starts(usize),
    /// A fault from the seed.
    Fault(usize),
    FaultsEnd,
}

/// What the world keeps of a program while it runs.
#[derive(Default)]
pub(super) struct Outside {
    pub(super) disk: Disk,
    narrator: Narrator,
    pub(super) events: Vec<Value>,
    pub(super) answers: Vec<(u32, u16, Value)>,
    /// The exit codes of matches that have ended here.
    pub(super) ended: Vec<u8>,
    pub(super) engine: Option<Session>,
    /// Whether the engine works on a job, also one of a session that has ended.
    pub(super) is_engine_busy: bool,
}

/// Everything that the programs share.
pub(super) struct Shared {
    pub(super) now: Duration,
    pub(super) rng: Choices,
    plan: BTreeMap<(Duration, u64), Happening>,
    planned: u64,
    pub(super) network: Network,
    pub(super) engines: Engines,
    pub(super) outside: Vec<Outside>,
    /// Whether faults still happen.
    pub(super) is_faulty: bool,
    pub(super) trace: Vec<String>,
}

impl Shared {
    pub(super) fn new(rng: Choices) -> Self {
        Shared {
            now: Duration::ZERO,
            rng,
            plan: BTreeMap::new(),
            planned: 0,
            network: Network::default(),
            engines: Engines::default(),
            outside: Vec::new(),
            is_faulty: true,
            trace: Vec::new(),
        }
    }

    /// Whether something happens that happens once in `times` times.
    pub(super) fn once_in(&mut self, times: u32) -> bool {
        self.rng.random_ratio(1, times)
    }

    /// A fault that happens once in `times` times.
    pub(super) fn is_fault(&mut self, times: u32) -> bool {
        let happens = self.once_in(times);
        happens && self.is_faulty
    }

    /// A random time of at most this number of milliseconds.
    pub(super) fn millis(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.rng.random_range(0..=most))
    }

    pub(super) fn plan(&mut self, at: Duration, what: Happening) {
        self.planned += 1;
        self.plan.insert((at.max(self.now), self.planned), what);
    }

    /// Plans something in at most this number of milliseconds.
    pub(super) fn soon(&mut self, most: u64, what: Happening) {
        let at = self.now + self.millis(most);
        self.plan(at, what);
    }

    /// Goes forward to what happens next.
    pub(super) fn next(&mut self) -> Option<Happening> {
        let ((at, _), what) = self.plan.pop_first()?;
        self.now = at;
        Some(what)
    }

    /// Adds a line to the trace of the run.
    pub(super) fn note(&mut self, program: usize, text: &str) {
        let line = format!("{:>9.3} {program} {text}", self.now.as_secs_f64());
        self.trace.push(line);
    }
}

/// A handle of a program to its world.
#[derive(Clone)]
pub(super) struct Simulated {
    pub(super) shared: Rc<RefCell<Shared>>,
    pub(super) program: usize,
    pub(super) disk: Disk,
}

impl Simulated {
    /// The socket on which the engine has a session.
    pub(super) fn connection_of_engine(&self) -> Option<u32> {
        self.outside(|outside| Some(outside.engine.as_ref()?.connection))
    }

    fn outside<T>(&self, work: impl FnOnce(&mut Outside) -> T) -> T {
        work(&mut self.shared.borrow_mut().outside[self.program])
    }
}

impl Sockets for Simulated {
    fn open(&self, place: &Place) -> u32 {
        let mut shared = self.shared.borrow_mut();
        match place {
            Place::Tcp(address) if *address == relay() => shared.open_socket(self.program),
            Place::Tcp(address) => shared.call_program(self.program, program_at(address)),
            Place::Url(url) => {
                assert_eq!(url, super::RELAY);
                shared.open_socket(self.program)
            }
        }
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        if self.disk.is_dead() {
            return true;
        }
        assert_eq!(self.disk.unsynced(), None, "sends before a sync");
        self.shared.borrow_mut().send(socket, bytes)
    }

    fn close(&self, socket: u32) {
        self.shared.borrow_mut().close_socket(socket, true);
    }
}

impl SeatWorld for Simulated {
    type Sockets = Self;
    type Files = Self;

    const IN_PAGE: bool = true;

    fn sockets(&self) -> &Self {
        self
    }

    fn report(&self, event: &Event) {
        self.outside(|outside| {
            let line = outside.narrator.line(event).unwrap();
            outside.events.push(serde_json::from_str(&line).unwrap());
        });
    }

    fn attach_engine(&self, connection: u32, attempts: Box<dyn Attempts>) {
        // The previous session may count an attempt when it is dropped.
        let previous = self.outside(|outside| {
            assert!(!outside.is_engine_busy, "two engine sessions at a time");
            outside.engine.replace(Session::new(connection, attempts))
        });
        drop(previous);
    }

    fn detach_engine(&self) {
        let previous = self.outside(|outside| outside.engine.take());
        if self.outside(|outside| outside.is_engine_busy) {
            let settled = Happening::EngineSettled(self.program);
            self.shared.borrow_mut().soon(1_000, settled);
        }
        drop(previous);
    }

    fn is_engine_settled(&self) -> bool {
        self.outside(|outside| outside.engine.is_none() && !outside.is_engine_busy)
    }

    fn start_engine(
        &self,
        connection: &mut PolledConnection<Self::Sockets>,
        _: Seat,
        circuit: &Arc<DealCircuit>,
    ) -> io::Result<()> {
        let starts = self.outside(|outside| {
            let session = outside.engine.as_mut();
            session.is_some_and(|session| session.start(circuit))
        });
        if starts {
            connection.core.begin_engine(1)?;
        }
        Ok(())
    }

    fn order_engine(&self, order: Order) {
        self.outside(|outside| {
            if let Some(session) = &mut outside.engine {
                session.order(order);
            }
        });
    }

    fn count_voided_run(&self) -> io::Result<()> {
        let Some(mut session) = self.outside(|outside| outside.engine.take()) else {
            return Ok(());
        };
        let counted = session.attempts.begins(Attempt::Run);
        self.outside(|outside| outside.engine = Some(session));
        counted
    }
}

impl World for Simulated {
    fn files(&self) -> Self {
        self.clone()
    }

    fn respond(&self, request: u32, status: u16, body: &str) {
        let body = serde_json::from_str(body).unwrap();
        self.outside(|outside| outside.answers.push((request, status, body)));
    }

    fn ended(&self, exit_code: u8) {
        self.outside(|outside| outside.ended.push(exit_code));
    }

    fn log(&self, text: &str) {
        self.shared.borrow_mut().note(self.program, text);
    }
}

impl Files for Simulated {
    type File = SimulatedFile;
    type Value = TwoSlots<SimulatedFile>;

    fn unix() -> u64 {
        UNIX.get()
    }

    fn open_file(&self, name: &str) -> io::Result<Option<SimulatedFile>> {
        Ok(self.disk.open(name))
    }

    fn open_or_create_file(&self, name: &str) -> io::Result<SimulatedFile> {
        self.disk.open_or_create(name, Self::unix())
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn file_names(&self, ending: &str) -> io::Result<Vec<(String, u64)>> {
        Ok(self.disk.names(ending))
    }

    fn check_free_files(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn open_value(&self, name: &str) -> io::Result<Self::Value> {
        let slot = |slot| self.open_or_create_file(&format!("{name}.{slot}"));
        Ok(TwoSlots::new([slot(0)?, slot(1)?]))
    }

    fn remove_value(&self, name: &str) -> io::Result<()> {
        let slots = [0, 1].map(|slot| format!("{name}.{slot}"));
        // With one of its two files, a value would be damaged.
        if let [Some(one), Some(other)] = slots.each_ref().map(|slot| self.disk.open(slot)) {
            TwoSlots::new([one, other]).destroy()?;
        }
        slots.iter().try_for_each(|slot| self.disk.remove(slot))
    }
}
