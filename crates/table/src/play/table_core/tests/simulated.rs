//! Two seats play through cut connections, slow players and late timers, in simulated time. There are no
//! threads, no sockets and no clock, so the number of a match determines everything that happens in it.
//! `DEALERLESS_SOAK=200 cargo test --release -p dealerless-table --lib simulated -- --nocapture` plays
//! 200 matches of 50 hands.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use dealerless::net;
use dealerless::shuffle::Algorithm;
use dealerless::testing::soak::soak;
use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::*;
use crate::log::End;
use crate::log::tests::test_match::{TestMatch, holdem, sealed_deck, setting};
use crate::play::cost::{Prepared, Spent};
use crate::play::deal_circuit::DealCircuit;
use crate::play::orders::{Done, Order};
use crate::record::Record;
use crate::rules::{Choice, Legal, Stakes};
use crate::testing::deck::TestDeck;

const HANDS: u32 = 50;

type SimulatedTable = TableCore<MemoryStorage, MemoryVault, StdRng>;

/// Something that happens to a seat at a moment.
enum Happening {
    /// The seat gets its end of a connection.
    Attached,
    /// An item arrives.
    Arrives(Incoming),
    /// The timer with this number expires. Only the seat's last timer counts.
    Timer(u64),
}

/// What one seat has given its connection.
#[derive(Default)]
struct Given {
    messages: Vec<Vec<u8>>,
    /// Whether messages can no longer be sent.
    is_cut: bool,
}

impl Outbox for Given {
    fn send(&mut self, _: Seat, message: Vec<u8>) -> io::Result<()> {
        if self.is_cut {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.messages.push(message);
        Ok(())
    }
}

/// Collects the orders of one seat.
#[derive(Default)]
struct TestEngine(Vec<Order>);

impl Orders for TestEngine {
    fn order(&mut self, order: Order) {
        self.0.push(order);
    }
}

struct Side {
    table: SimulatedTable,
    file: MemoryStorage,
    /// The number of the connection at this seat's end, if there is one.
    connection: Option<u64>,
    /// The orders that the engine of the connection has not executed.
    orders: Vec<Order>,
    /// The time of the last item on the connection to this seat.
    last_arrival: Duration,
    /// The number of timers that were set.
    timers: u64,
    end: Option<End>,
}

/// The number of times that something happened.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    cuts: usize,
    voided: usize,
    own_timeouts: usize,
    other_timeouts: usize,
    drained: usize,
}

struct World {
    stakes: Stakes,
    rng: StdRng,
    now: Duration,
    /// What will happen: when, in which order, on which connection, and to which seat.
    plan: BTreeMap<(Duration, u64), (Option<u64>, usize, Happening)>,
    planned: u64,
    sides: [Side; 2],
    /// The connection that is not cut.
    connection: Option<(u64, Duration)>,
    connections: u64,
    counts: Counts,
}

fn side(test: &TestMatch, seat: Seat, circuit: &Arc<DealCircuit>, seed: u64) -> Side {
    let file = MemoryStorage::default();
    test.journal(seat, file.clone());
    let place = (seat, test.match_info.id());
    let deck = sealed_deck(place, Default::default(), circuit).unwrap();
    let setting = setting(seat, file.clone(), deck, StdRng::seed_from_u64(seed));
    Side {
        table: TableCore::new(setting.unwrap(), Duration::ZERO).unwrap(),
        file,
        connection: None,
        orders: Vec::new(),
        last_arrival: Duration::ZERO,
        timers: 0,
        end: None,
    }
}

fn random_choice(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet { call, bet, raise } => match (rng.random_range(0..8), bet, raise) {
            (0, ..) if call.is_some() => Choice::Fold,
            (1, Some(bet), _) => Choice::Bet { to: bet.min },
            (2, _, Some(raise)) => Choice::Raise { to: raise.min },
            _ if call.is_some() => Choice::Call,
            _ => Choice::Check,
        },
        Legal::ShowOrMuck if rng.random() => Choice::Muck,
        _ => Choice::Show,
    }
}

impl World {
    fn new(test: &TestMatch, circuit: &Arc<DealCircuit>, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let sides = [Seat::HOST, Seat::GUEST];
        let sides = sides.map(|seat| side(test, seat, circuit, rng.random()));
        World {
            stakes: test.match_info.header().stakes.clone(),
            rng,
            now: Duration::ZERO,
            plan: BTreeMap::new(),
            planned: 0,
            sides,
            connection: None,
            connections: 0,
            counts: Counts::default(),
        }
    }

    /// A random time of up to this number of milliseconds.
    fn millis(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.rng.random_range(0..=most))
    }

    fn plan(&mut self, at: Duration, connection: Option<u64>, seat: usize, what: Happening) {
        self.planned += 1;
        self.plan
            .insert((at, self.planned), (connection, seat, what));
    }

    /// Plans an item on a connection. Items on a connection to a seat arrive in the order in which
    /// they were sent.
    fn arrives(&mut self, connection: u64, seat: usize, item: Incoming) {
        let at = self.now + self.millis(80);
        let at = at.max(self.sides[seat].last_arrival);
        self.sides[seat].last_arrival = at;
        self.plan(at, Some(connection), seat, Happening::Arrives(item));
    }

    fn command(&mut self, seat: usize, delay: Duration, command: Command, turn: Option<u64>) {
        let item = Incoming::Command(command, turn);
        self.plan(self.now + delay, None, seat, Happening::Arrives(item));
    }

    /// Makes a new connection, which will be cut at a random time.
    fn connect(&mut self) {
        self.connections += 1;
        let number = self.connections;
        let lasts = match self.rng.random_range(0..3) {
            0 => 200,
            1 => 5_000,
            _ => 600_000,
        };
        let begins = self.now + self.millis(3_000);
        let latest = begins + Duration::from_millis(100);
        self.connection = Some((number, latest + self.millis(lasts)));
        for seat in 0..2 {
            let at = begins + self.millis(100);
            self.sides[seat].last_arrival = at;
            self.plan(at, Some(number), seat, Happening::Attached);
        }
    }

    /// Cuts the connection. Each seat learns it in time; its engine may notice it first.
    fn cut(&mut self, number: u64) {
        self.connection = None;
        self.counts.cuts += 1;
        for seat in 0..2 {
            let lost = self.now + self.millis(100);
            // Later items on this connection are lost.
            self.plan.retain(|(at, _), (of, to, what)| {
                let is_item = matches!(what, Happening::Arrives(_));
                !(is_item && *of == Some(number) && *to == seat && *at > lost)
            });
            self.sides[seat].last_arrival = lost;
            if self.rng.random() {
                let source = ErrorKind::ConnectionReset.into();
                let during = "a simulated run";
                let failed = net::Error::Lost { during, source }.into();
                let item = Incoming::Event(Event::Done(Done::Failed(failed)));
                let at = self.now;
                self.plan(at, Some(number), seat, Happening::Arrives(item));
            }
            let item = Incoming::Lost(ConnectionError::Closed);
            self.plan(lost, Some(number), seat, Happening::Arrives(item));
        }
    }

    /// Executes the orders that both engines have. Each engine reports at its own time.
    fn execute(&mut self, number: u64) {
        while self.sides.iter().all(|side| !side.orders.is_empty()) {
            let orders = [0, 1].map(|seat: usize| self.sides[seat].orders.remove(0));
            let names = orders.each_ref().map(|order| match order {
                Order::Shuffle(_, name) => Some(name.clone()),
                _ => None,
            });
            assert_eq!(names[0], names[1], "the engines have different orders");
            for (seat, order) in orders.into_iter().enumerate() {
                let spent = Spent::default();
                let done = match order {
                    Order::Shuffle(..) => Done::Shuffled {
                        deck: Box::new(TestDeck(self.stakes.clone())),
                        spent,
                    },
                    Order::Prepare(hands) => Done::Prepared(Prepared { hands, spent }),
                    Order::Reshuffle(_) => unreachable!("nobody steals in hold'em"),
                };
                self.arrives(number, seat, Incoming::Event(Event::Done(done)));
            }
        }
    }

    /// Lets a seat do all that is due.
    fn run(&mut self, seat: usize) {
        let moment = Moment {
            running: self.now,
            unix: 1_800_000_000 + self.now.as_secs(),
        };
        loop {
            let side = &mut self.sides[seat];
            let is_live = |(number, _): &(u64, _)| side.connection == Some(*number);
            let live = self.connection.filter(is_live).map(|(number, _)| number);
            let mut given = Given {
                is_cut: live.is_none(),
                ..Given::default()
            };
            let mut engine = TestEngine::default();
            let engine_of = side.connection.map(|_| &mut engine);
            let event = side.table.next(moment, &mut given, engine_of).unwrap();
            side.orders.append(&mut engine.0);
            if let Some(number) = live {
                for message in given.messages {
                    let from = Seat::new(seat as u8);
                    let item = Incoming::Event(Event::Received(from, message));
                    self.arrives(number, 1 - seat, item);
                }
                self.execute(number);
            }
            let Some(event) = event else {
                break;
            };
            self.handle(seat, event);
        }
        let timer = self.sides[seat].table.until_next_timer(self.now);
        if timer < Duration::from_secs(1_000_000) {
            let late = match self.rng.random_range(0..40) {
                0 => self.millis(60_000),
                1..10 => self.millis(5_000),
                _ => Duration::ZERO,
            };
            let timers = &mut self.sides[seat].timers;
            *timers += 1;
            let expires = Happening::Timer(*timers);
            self.plan(self.now + timer + late, None, seat, expires);
        }
    }

    /// What the player, or the program around the table, does with an event.
    fn handle(&mut self, seat: usize, event: TableEvent) {
        let second = Duration::from_secs(1);
        match event {
            TableEvent::News(News::YourTurn { legal }) => {
                let step = self.sides[seat].table.play().log().step();
                let choice = random_choice(&legal, &mut self.rng);
                let time = match self.rng.random_range(0..60) {
                    0 => 200 * second,
                    _ => self.millis(8_000),
                };
                self.command(seat, time, Command::Choose(choice), Some(step));
            }
            TableEvent::News(News::AskRebuy { .. }) => {
                self.command(seat, second, Command::Rebuy(true), None);
            }
            TableEvent::News(News::Voided { .. }) => {
                self.counts.voided += 1;
                self.command(seat, second, Command::DealAgain, None);
            }
            TableEvent::News(News::SitsOut) => {
                self.command(seat, 5 * second, Command::SitOut(false), None);
            }
            TableEvent::News(News::OutOfTime { seat: late, .. }) if late.index() == seat => {
                self.counts.own_timeouts += 1;
            }
            TableEvent::News(News::OutOfTime { .. } | News::Away { .. }) => {
                self.counts.other_timeouts += 1;
            }
            TableEvent::News(News::Over(end)) => self.sides[seat].end = Some(end),
            TableEvent::ConnectionLost(_, error) => {
                self.counts.drained += usize::from(matches!(error, PlayError::Engine(_)));
                let side = &mut self.sides[seat];
                side.connection = None;
                side.orders.clear();
            }
            _ => {}
        }
    }

    /// Plays the match to its end.
    fn play(&mut self) {
        while self.sides.iter().any(|side| side.end.is_none()) {
            assert!(self.now < Duration::from_secs(1_000_000), "nobody ends it");
            if self.connection.is_none() && self.sides.iter().all(|side| side.connection.is_none())
            {
                self.connect();
            }
            let (&(at, number), _) = self.plan.first_key_value().expect("something is due");
            if let Some((connection, cut)) = self.connection.filter(|(_, cut)| *cut <= at) {
                self.now = cut;
                self.cut(connection);
                continue;
            }
            self.now = at;
            let (connection, seat, what) = self.plan.remove(&(at, number)).unwrap();
            let side = &mut self.sides[seat];
            match what {
                Happening::Attached => {
                    side.connection = connection;
                    let peer = Seat::new(seat as u8).next(2);
                    match connection {
                        Some(1) => side.table.begin(peer, at),
                        _ => side.table.resume(peer, at).unwrap(),
                    }
                }
                Happening::Arrives(item) if connection.is_none() => side.table.receive(None, item),
                Happening::Arrives(item) if connection == side.connection => {
                    let peer = Seat::new(seat as u8).next(2);
                    side.table.receive(Some(peer), item);
                }
                Happening::Timer(number) if number == side.timers => {}
                Happening::Arrives(_) | Happening::Timer(_) => continue,
            }
            self.run(seat);
        }
    }
}

/// Plays a match. Returns the hash of its log, the time it took, and what happened.
fn played(seed: u64) -> ([u8; 32], Duration, Counts) {
    let test = holdem(2, HANDS);
    let stakes = &test.match_info.header().stakes;
    let circuit = Arc::new(DealCircuit::of(stakes, Algorithm::Waksman).unwrap());
    let mut world = World::new(&test, &circuit, seed);
    world.play();
    let logs = world.sides.each_ref().map(|side| {
        let record = Record::read(&side.file.bytes(), None).unwrap();
        assert_eq!(record.log.phase(), Phase::Over(End::Played), "match {seed}");
        assert_eq!(record.hands.len(), HANDS as usize);
        record.log
    });
    assert_eq!(logs[0].hash(), logs[1].hash(), "match {seed}");
    (logs[0].hash(), world.now, world.counts)
}

#[test]
fn matches_are_played_through_cuts_slow_players_and_late_timers() {
    let matches = soak().unwrap_or(10) as u64;
    let mut total = Counts::default();
    for seed in 0..matches {
        let (_, _, counts) = played(seed);
        total.cuts += counts.cuts;
        total.voided += counts.voided;
        total.own_timeouts += counts.own_timeouts;
        total.other_timeouts += counts.other_timeouts;
        total.drained += counts.drained;
    }
    println!("{} hands: {total:?}", matches * u64::from(HANDS));
    let Counts {
        cuts,
        voided,
        own_timeouts,
        other_timeouts,
        drained,
    } = total;
    for count in [cuts, voided, own_timeouts, other_timeouts, drained] {
        assert!(count > 0, "{total:?}");
    }
}

#[test]
fn simulated_match_is_determined_by_its_seed() {
    assert_eq!(played(1_000), played(1_000));
    assert_ne!(played(1_000).0, played(1_001).0);
}
