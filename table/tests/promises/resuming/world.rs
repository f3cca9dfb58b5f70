//! Two seats with the real engine, their disks, and lines between them that can break anywhere.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use dealerless::net::memory_pair;
use dealerless_table::Seat;
use dealerless_table::log::{Clock, End, Header, Journal, Match, Phase, Player, Sitting};
use dealerless_table::play::{Done, Event, PlayError};

use super::disk::{Disk, Kill};
use super::games::Game;
use super::side::{Cut, EngineEvent, Mouth, Nobody, Side, identity, inputs};

/// Nothing takes so long.
const STUCK: Duration = Duration::from_secs(60);

/// What goes wrong in a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) game: Game,
    pub(crate) kills: [Vec<Kill>; 2],
    pub(crate) cuts: Vec<Cut>,
}

/// How a match went.
pub(crate) struct Went {
    pub(crate) ends: [End; 2],
    pub(crate) disks: [Disk; 2],
    /// The messages that each seat sent.
    pub(crate) sent: [usize; 2],
    pub(crate) lines: u64,
    /// The tries that were declared void.
    pub(crate) void: usize,
    /// A hand was sealed anew.
    pub(crate) stolen: bool,
}

/// Both seats, and what is between them.
pub(crate) struct World {
    sides: [Side; 2],
    plan: Plan,
    lines: u64,
    up: bool,
    engines: (Sender<EngineEvent>, Receiver<EngineEvent>),
    void: usize,
}

impl World {
    fn new(plan: Plan) -> Self {
        let (stakes, circuit) = plan.game.terms();
        let header = Header {
            log_version: Header::LOG_VERSION,
            engine_version: dealerless::net::VERSION,
            stakes: stakes.clone(),
            algorithm: circuit.algorithm(),
            circuit: circuit.circuit().digest(),
            validity: if circuit.checks_inputs() { 2 } else { 0 },
            clock: Clock {
                each_move: 0,
                bank: 0,
            },
        };
        let player = |seat: Seat| Player {
            identity: identity(seat).public().clone(),
            nonce: [7; 32],
        };
        let of = Match::new(header, Seat::all(2).map(player).collect()).unwrap();
        let side = |seat: Seat, kills: Vec<Kill>| {
            let sitting = Sitting {
                match_info: of.clone(),
                seat,
                names: Vec::new(),
            };
            // The files are there before the match begins.
            let disk = Disk::default();
            inputs(&disk, seat, of.id()).unwrap();
            Journal::create(disk.log(), identity(seat).file_key(), &sitting).unwrap();
            let disk = disk.then_with(kills);
            Side::new(seat, plan.game, disk)
        };
        let [of_host, of_guest] = plan.kills.clone();
        World {
            sides: [side(Seat::HOST, of_host), side(Seat::GUEST, of_guest)],
            plan,
            lines: 0,
            up: false,
            engines: mpsc::channel(),
            void: 0,
        }
    }

    /// The two meet, and their programs run.
    fn meet(&mut self) {
        for side in &mut self.sides {
            while side.program.is_none() {
                match side.start() {
                    Ok(()) => {}
                    Err(error) => assert!(side.disk.was_killed(), "{error:?}"),
                }
            }
        }
        let first = self.lines == 0;
        self.lines += 1;
        let (one, other) = memory_pair();
        for (side, engine) in self.sides.iter_mut().zip([one, other]) {
            side.engine = Some(engine);
            let program = side.program.as_mut().expect("it was started");
            if first {
                program.begin();
            } else if let Err(error) = program.resume() {
                assert!(side.disk.was_killed(), "{error:?}");
                side.program = None;
            }
        }
        self.up = self.sides.iter().all(|side| side.program.is_some());
        if !self.up {
            self.lose_connection();
        }
    }

    fn lose_connection(&mut self) {
        self.up = false;
        for side in &mut self.sides {
            side.lose_connection();
        }
    }

    /// A seat says what is due. Says whether the line still stands.
    fn advance(&mut self, seat: usize) -> bool {
        let [host, guest] = &mut self.sides;
        let (side, other) = match seat {
            0 => (host, guest),
            _ => (guest, host),
        };
        let program = side.program.as_mut().expect("it runs");
        side.disk.at_step(program.log().step());
        if program.is_synced() && !matches!(program.log().phase(), Phase::Over(_)) {
            side.start_engine(self.lines, &self.engines.0);
        }
        let mut mouth = Mouth {
            disk: &side.disk,
            sent: &mut side.sent,
            signed: &mut side.signed,
            connection: Vec::new(),
            seat,
            cuts: &self.plan.cuts,
            cut: false,
        };
        let program = side.program.as_mut().expect("it runs");
        let went = match &mut side.dealer {
            Some(dealer) => program.advance(&mut mouth, dealer),
            None => program.advance(&mut mouth, &mut Nobody),
        };
        let (connection, cut) = (mouth.connection, mouth.cut);
        other.inbox.extend(connection);
        self.came_of(seat, went, cut)
    }

    /// What came of what a seat did. Says whether the line still stands.
    fn came_of(&mut self, seat: usize, went: Result<(), PlayError>, cut: bool) -> bool {
        let killed = self.sides[seat].disk.was_killed();
        if !killed && !cut {
            went.expect("an honest seat goes on");
            return true;
        }
        // What has arrived is heard, and what comes of it is written.
        let other = 1 - seat;
        while let Some(message) = self.sides[other].inbox.pop_front() {
            let side = &mut self.sides[other];
            let program = side.program.as_mut().expect("it runs");
            let heard = program.receive(Event::Received(message));
            if side.disk.was_killed() {
                side.program = None;
                break;
            }
            heard.expect("what an honest seat says");
        }
        if killed {
            self.sides[seat].program = None;
        }
        self.lose_connection();
        false
    }

    /// A seat hears something. Says whether the line still stands.
    fn receive(&mut self, seat: usize, event: Event) -> bool {
        let side = &mut self.sides[seat];
        if let Event::Done(Done::Failed(error)) = &event {
            panic!("the engine of an honest seat fails: {error}");
        }
        let program = side.program.as_mut().expect("it runs");
        let went = program.receive(event);
        self.came_of(seat, went, false)
    }

    /// One turn of everything. Says whether anything has happened.
    fn turn(&mut self) -> bool {
        if !self.up {
            self.meet();
            return true;
        }
        let mut happened = false;
        for seat in [0, 1] {
            if !self.advance(seat) {
                return true;
            }
            let told = self.sides[seat].tell(&mut self.void);
            happened |= told;
            while let Some(message) = self.sides[seat].inbox.pop_front() {
                happened = true;
                if !self.receive(seat, Event::Received(message)) {
                    return true;
                }
            }
        }
        while let Ok((seat, connection, event)) = self.engines.1.try_recv() {
            happened = true;
            if connection == self.lines && !self.receive(seat, event) {
                return true;
            }
        }
        happened || self.sides.iter().any(|side| !side.inbox.is_empty())
    }

    fn is_over(&self) -> bool {
        let quiet = self.sides.iter().all(|side| side.inbox.is_empty());
        quiet && self.up && self.sides.iter().all(|side| side.end.is_some())
    }

    fn wait_for_engines(&mut self) {
        let heard = self.engines.1.recv_timeout(STUCK);
        let Ok((seat, connection, event)) = heard else {
            let phases = self.sides.each_ref().map(|side| {
                let program = side.program.as_ref().expect("it runs");
                (program.log().phase(), program.is_synced())
            });
            panic!("both wait: {phases:?} {:?}", self.plan);
        };
        if connection == self.lines {
            self.receive(seat, event);
        }
    }

    /// Plays a match in which this goes wrong.
    pub(crate) fn play(plan: &Plan) -> Went {
        let mut world = World::new(plan.clone());
        while !world.is_over() {
            if !world.turn() && !world.is_over() {
                world.wait_for_engines();
            }
        }
        world.check();
        let [host, guest] = world.sides;
        Went {
            stolen: host.seen.keys().any(|(_, _, (_, sealed))| sealed.is_some()),
            sent: [host.sent, guest.sent],
            ends: [host.end.expect("over"), guest.end.expect("over")],
            disks: [host.disk, guest.disk],
            lines: world.lines,
            void: world.void,
        }
    }

    /// What must be so however a match went.
    fn check(&self) {
        let [host, guest] = &self.sides;
        let mut logs = Vec::new();
        for side in [host, guest] {
            let program = side.program.as_ref().expect("it runs");
            let log = program.log();
            logs.push((log.hash(), log.history(0).cloned().collect::<Vec<_>>()));
            assert!(log.evidence().is_none() && log.foul().is_none());
            let chips = 2 * log.match_info().header().stakes.stack();
            assert_eq!(log.final_stacks().iter().sum::<u64>(), chips);
            assert!(!side.disk.has_deck(), "the deck outlives the match");
            side.check_inputs();
            let key = identity(side.seat).file_key();
            let file = Journal::open(side.disk.log(), key).unwrap().log;
            assert_eq!((file.hash(), file.phase()), (log.hash(), log.phase()));
        }
        assert_eq!(logs[0].0, logs[1].0);
        assert_eq!(host.end, guest.end);
        // No try is void of which anybody has seen a card.
        let cards = || host.seen.keys().chain(guest.seen.keys());
        for &(hand, attempt, position) in cards() {
            let later = cards().any(|&(h, a, _)| h == hand && a > attempt);
            assert!(!later, "hand {hand}, try {attempt}, card {position:?}");
        }
        // What both have seen is the same.
        for (at, card) in &host.seen {
            assert!(guest.seen.get(at).is_none_or(|other| other == card));
        }
    }
}
