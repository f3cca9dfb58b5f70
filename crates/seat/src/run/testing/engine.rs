//! The engines of both programs. They execute the same orders in plaintext, with the inputs of both sides,
//! and share the cards as the real engine does. They protect nothing.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::Arc;

use dealerless::circuit::Party;
use dealerless::deck::{self, KeptDeck};
use dealerless::mpc::{
    self, Attempt, Attempts, Demand, Keep, KeptBit, Opened, Opening, Run, Security, TwoParty, Words,
};
use dealerless::net::{self, Traffic};
use dealerless_connection::hash::Hash;
use dealerless_connection::random::Derived;
use dealerless_table::Seat;
use dealerless_table::play::{DealCircuit, Done, Order, Prepared, Shuffled, Spent, role};
use rand::{Rng, RngExt};

use super::world::{Happening, Shared};

/// The engine session of a connection.
pub(super) struct Session {
    pub(super) connection: u32,
    pub(super) attempts: Box<dyn Attempts>,
    started: Option<Arc<DealCircuit>>,
    is_set_up: bool,
    orders: VecDeque<Order>,
    /// Whether the session has failed.
    has_failed: bool,
}

/// A piece of work of both engines.
enum Job {
    SetUp,
    Order(Order),
}

/// A job of a program that has begun.
struct Begun {
    connection: u32,
    job: Job,
    circuit: Arc<DealCircuit>,
    result: Option<Result<Option<Done>, deck::Error>>,
}

#[derive(Default)]
pub(super) struct Engines([Option<Begun>; 2]);

impl Session {
    pub(super) fn new(connection: u32, attempts: Box<dyn Attempts>) -> Self {
        Session {
            connection,
            attempts,
            started: None,
            is_set_up: false,
            orders: VecDeque::new(),
            has_failed: false,
        }
    }

    /// Starts the engine. Returns whether it was not started before.
    pub(super) fn start(&mut self, circuit: &Arc<DealCircuit>) -> bool {
        let starts = self.started.is_none();
        self.started.get_or_insert(Arc::clone(circuit));
        starts
    }

    pub(super) fn order(&mut self, order: Order) {
        self.orders.push_back(order);
    }

    /// Whether there is a job to begin.
    pub(super) fn has_job(&self) -> bool {
        let is_due = !self.is_set_up || !self.orders.is_empty();
        self.started.is_some() && !self.has_failed && is_due
    }

    fn next_job(&mut self) -> Option<Begun> {
        let circuit = self.started.clone().filter(|_| !self.has_failed)?;
        let job = match self.is_set_up {
            false => Job::SetUp,
            true => Job::Order(self.orders.pop_front()?),
        };
        Some(Begun {
            connection: self.connection,
            job,
            circuit,
            result: None,
        })
    }
}

impl Job {
    fn attempt(&self) -> Attempt {
        match self {
            Job::SetUp => Attempt::Setup,
            Job::Order(Order::Prepare(_)) => Attempt::Batch,
            Job::Order(_) => Attempt::Run,
        }
    }
}

fn lost() -> deck::Error {
    net::Error::Lost {
        during: "a simulated run",
        source: ErrorKind::ConnectionReset.into(),
    }
    .into()
}

/// Counts the attempt of the next job of a session, and begins it. `Err` if it cannot be counted.
pub(super) fn begin(session: &mut Session) -> Option<Begins> {
    let mut begun = session.next_job()?;
    if let Err(error) = session.attempts.begins(begun.job.attempt()) {
        begun.result = Some(Err(mpc::Error::NotCounted(error).into()));
    }
    Some(Begins(begun))
}

/// A job that has been counted.
pub(super) struct Begins(Begun);

/// Ends the job of a session. Returns the result for the seat.
pub(super) fn end(session: &mut Session, ended: Ended) -> Option<Done> {
    match ended.0.result {
        Some(Ok(done)) => {
            session.attempts.ends_well(ended.0.job.attempt());
            session.is_set_up = true;
            done
        }
        Some(Err(error)) => {
            session.has_failed = true;
            Some(Done::Failed(error))
        }
        None => None,
    }
}

/// A job that has ended.
pub(super) struct Ended(Begun);

impl Shared {
    /// The engine of a program has begun a job. When both have begun theirs, both get the result, each at its
    /// own time.
    pub(super) fn engine_begins(&mut self, program: usize, Begins(begun): Begins) {
        let connection = begun.connection;
        let has_failed = begun.result.is_some();
        self.engines.0[program] = Some(begun);
        let peer = self.network.peer(connection);
        let engines = &mut self.engines.0;
        if has_failed || peer.is_none() {
            return self.engine_loses(connection);
        }
        let [Some(host), Some(guest)] = engines else {
            return;
        };
        let connections = [host.connection, guest.connection];
        let is_other = |other: u32| connections.contains(&other);
        if !peer.is_some_and(is_other) || host.result.is_some() || guest.result.is_some() {
            return;
        }
        execute(host, guest);
        let longest = if self.once_in(4) { 6_000 } else { 400 };
        for (program, connection) in connections.into_iter().enumerate() {
            let done = Happening::EngineDone(program, connection);
            self.soon(longest, done);
        }
    }

    /// The connection of an engine is lost.
    pub(super) fn engine_loses(&mut self, connection: u32) {
        for program in 0..2 {
            let begun = self.engines.0[program].as_mut();
            let Some(begun) = begun.filter(|begun| begun.connection == connection) else {
                continue;
            };
            // One side may have ended its job before.
            if begun.result.is_none() || (matches!(begun.result, Some(Ok(_))) && self.rng.random())
            {
                begun.result = Some(Err(lost()));
            }
            self.soon(200, Happening::EngineDone(program, connection));
        }
    }

    /// The job of a program on this connection, if it has ended.
    pub(super) fn engine_ended(&mut self, program: usize, connection: u32) -> Option<Ended> {
        let is_ended = |begun: &mut Begun| begun.connection == connection && begun.result.is_some();
        self.engines.0[program].take_if(is_ended).map(Ended)
    }

    /// The program has no engine any more.
    pub(super) fn engine_stops(&mut self, program: usize) {
        if let Some(begun) = self.engines.0.get_mut(program) {
            *begun = None;
        }
    }

    /// The engine of a program has noticed that its session has ended. Returns whether it works for no other one.
    pub(super) fn engine_settles(&mut self, program: usize) -> bool {
        let outside = &mut self.outside[program];
        let settles = outside.engine.is_none() && outside.is_engine_busy;
        if settles {
            outside.is_engine_busy = false;
            self.engine_stops(program);
        }
        settles
    }
}

/// Executes the job of both engines.
fn execute(host: &mut Begun, guest: &mut Begun) {
    let [one, other] = match (&host.job, &guest.job) {
        (Job::SetUp, Job::SetUp) => [Ok(None), Ok(None)],
        (Job::Order(Order::Prepare(hands)), Job::Order(Order::Prepare(same))) if hands == same => {
            let done = || {
                let (hands, spent) = (*hands, Spent::default());
                Ok(Some(Done::Prepared(Prepared { hands, spent })))
            };
            [done(), done()]
        }
        (Job::Order(Order::Shuffle(a, name)), Job::Order(Order::Shuffle(b, same)))
            if name == same =>
        {
            let inputs = [a.bits().to_vec(), b.bits().to_vec()];
            let outputs = host.circuit.circuit().evaluate(&inputs).unwrap();
            let deal = |seat| {
                let mut session = Plaintext {
                    role: role(seat),
                    outputs: outputs.concat(),
                };
                let DealCircuit::Cards(shuffle) = &*host.circuit else {
                    unreachable!("no boards are dealt here");
                };
                let seeds = if seat == Seat::HOST { a } else { b };
                let deck = KeptDeck::shuffle(&mut session, shuffle, seeds, name)?;
                let (deck, spent) = (Box::new(deck) as Box<dyn Shuffled>, Spent::default());
                Ok(Some(Done::Shuffled { deck, spent }))
            };
            [Seat::HOST, Seat::GUEST].map(deal)
        }
        _ => panic!("the engines have different orders"),
    };
    (host.result, guest.result) = (Some(one), Some(other));
}

/// One side of a run whose outputs both sides know.
struct Plaintext {
    role: Party,
    outputs: Vec<bool>,
}

impl TwoParty for Plaintext {
    type Shared = bool;

    fn role(&self) -> Party {
        self.role
    }

    fn security(&self) -> Security {
        Security::Malicious
    }

    fn prepare(&mut self, _: Demand) -> mpc::Result<()> {
        Ok(())
    }

    fn run(&mut self, run: Run<'_, bool>) -> mpc::Result<Words<bool>> {
        Ok(Words::of_outputs(run.circuit(), self.outputs.clone()))
    }

    fn open(&mut self, _: &[Opening<'_, bool>]) -> mpc::Result<Opened> {
        unreachable!("a kept deck is opened without its session")
    }

    fn abort(&mut self) {}

    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}

impl Keep for Plaintext {
    /// The name, which both sides know, determines the shares and the tags.
    fn keep(&self, bits: &[bool], name: &[u8]) -> mpc::Result<Vec<KeptBit>> {
        let mut rng = Derived::new(Hash::new("simulated engine").field(name));
        let me = usize::from(self.role == Party::Evaluator);
        let keep = |value: &bool| {
            let shares: [bool; 2] = rng.random();
            let mut tags = [[[0; 32]; 2]; 2];
            tags.as_flattened_mut()
                .iter_mut()
                .for_each(|tag| rng.fill_bytes(tag));
            KeptBit {
                masked: value ^ shares[0] ^ shares[1],
                share: shares[me],
                tag: tags[me][usize::from(shares[me])],
                accepted: tags[1 - me],
            }
        };
        Ok(bits.iter().map(keep).collect())
    }
}
