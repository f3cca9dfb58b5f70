//! Two seats with the real engine, their disks, and connections that can break at any message.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use dealerless::net::memory_pair;

use super::games::Game;
use super::side::{EngineEvent, Side, inputs};
use crate::log::{End, Journal, LogMessage, Phase};
use crate::play::{Done, Event, NoEngine, PlayError};
use crate::seat::Seat;
use crate::testing::disk::{Disk, Kill};
use crate::testing::network::{Cut, CutOutbox, Sent};
use crate::testing::test_match::{TestMatch, identity};

/// The longest wait for an engine.
const STUCK: Duration = Duration::from_secs(300);

/// The faults in a match.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub game: Game,
    pub kills: [Vec<Kill>; 2],
    pub cuts: Vec<Cut>,
}

/// The result of a match.
pub struct MatchResult {
    pub ends: [End; 2],
    pub disks: [Disk; 2],
    /// The number of messages that each seat sent.
    pub sent: [usize; 2],
    /// The number of connections.
    pub connections: u64,
    /// The number of void tries, where each side counts each try.
    pub void: usize,
    /// Whether a steal resealed a hand.
    pub stolen: bool,
}

/// Both seats, and the connection between them.
pub struct World {
    sides: [Side; 2],
    plan: Plan,
    /// The number of connections so far.
    connections: u64,
    connected: bool,
    engines: (Sender<EngineEvent>, Receiver<EngineEvent>),
    void: usize,
    sent: Sent,
}

impl World {
    fn new(plan: Plan) -> Self {
        let (stakes, circuit) = plan.game.terms();
        let of = TestMatch::shuffled(stakes, circuit);
        let side = |seat: Seat, kills: Vec<Kill>| {
            // The files exist before the match begins.
            let disk = Disk::default();
            inputs(&disk, seat, of.match_info.id()).unwrap();
            of.journal(seat, disk.log());
            let disk = disk.then_with(kills);
            Side::new(seat, plan.game, disk)
        };
        let [of_host, of_guest] = plan.kills.clone();
        World {
            sides: [side(Seat::HOST, of_host), side(Seat::GUEST, of_guest)],
            plan,
            connections: 0,
            connected: false,
            engines: mpsc::channel(),
            void: 0,
            sent: Sent::new(),
        }
    }

    /// Starts the programs if necessary, and connects the seats.
    fn meet(&mut self) {
        for side in &mut self.sides {
            while side.program.is_none() {
                match side.start() {
                    Ok(()) => {}
                    Err(error) => assert!(side.disk.was_killed(), "{error:?}"),
                }
            }
        }
        let first = self.connections == 0;
        self.connections += 1;
        let (one, other) = memory_pair();
        for (side, engine) in self.sides.iter_mut().zip([one, other]) {
            side.engine = Some(engine);
            let program = side.program.as_mut().expect("a started program");
            let peer = program.seat().next(2);
            if first {
                program.begin(peer);
            } else if let Err(error) = program.resume(peer) {
                assert!(side.disk.was_killed(), "{error:?}");
                side.program = None;
            }
        }
        self.connected = self.sides.iter().all(|side| side.program.is_some());
        if !self.connected {
            self.lose_connection();
        }
    }

    fn lose_connection(&mut self) {
        self.connected = false;
        for side in &mut self.sides {
            side.lose_connection();
        }
    }

    /// Lets a seat sign and send what is due. Returns whether the seats are still connected.
    fn advance(&mut self, seat: usize) -> bool {
        let [host, guest] = &mut self.sides;
        let (side, other) = match seat {
            0 => (host, guest),
            _ => (guest, host),
        };
        let program = side.program.as_mut().expect("a running program");
        side.disk.at_step(program.log().step());
        if program.is_synced() && !matches!(program.log().phase(), Phase::Over(_)) {
            side.start_engine(self.connections, &self.engines.0);
        }
        let (own, signed) = (side.seat, &mut side.signed);
        let mut outbox = CutOutbox {
            seat: own,
            disk: &side.disk,
            sent: &mut self.sent,
            cuts: &self.plan.cuts,
            watch: |_, _, message| {
                if let LogMessage::Part(part) = message
                    && part.seat == own
                {
                    let before = signed.insert(part.step, part.clone());
                    assert!(
                        before.is_none_or(|before| before == part),
                        "two different parts for a step"
                    );
                }
            },
            arriving: Vec::new(),
            cut: Vec::new(),
        };
        let program = side.program.as_mut().expect("a running program");
        let result = match &mut side.dealer {
            Some(dealer) => program.advance(&mut outbox, dealer),
            None => program.advance(&mut outbox, &mut NoEngine),
        };
        let (arriving, cut) = (outbox.arriving, !outbox.cut.is_empty());
        other
            .inbox
            .extend(arriving.into_iter().map(|(_, message)| message));
        self.handle_result(seat, result, cut)
    }

    /// Handles the result of a seat's action. Returns whether the seats are still connected.
    fn handle_result(&mut self, seat: usize, result: Result<(), PlayError>, cut: bool) -> bool {
        let killed = self.sides[seat].disk.was_killed();
        if !killed && !cut {
            result.expect("an honest seat has no errors");
            return true;
        }
        // The peer still processes the messages that have arrived.
        let other = 1 - seat;
        while let Some(message) = self.sides[other].inbox.pop_front() {
            let side = &mut self.sides[other];
            let program = side.program.as_mut().expect("a running program");
            let received = program.receive(Event::Received(Seat::new(seat as u8), message));
            if side.disk.was_killed() {
                side.program = None;
                break;
            }
            received.expect("the messages of an honest seat are valid");
        }
        if killed {
            self.sides[seat].program = None;
        }
        self.lose_connection();
        false
    }

    /// Lets a seat process an event. Returns whether the seats are still connected.
    fn receive(&mut self, seat: usize, event: Event) -> bool {
        let side = &mut self.sides[seat];
        if let Event::Done(Done::Failed(error)) = &event {
            panic!("the engine of an honest seat failed: {error}");
        }
        let program = side.program.as_mut().expect("a running program");
        let result = program.receive(event);
        self.handle_result(seat, result, false)
    }

    /// Lets both seats advance once and process all pending events. Returns whether anything
    /// happened.
    fn step(&mut self) -> bool {
        if !self.connected {
            self.meet();
            return true;
        }
        let mut happened = false;
        for seat in [0, 1] {
            if !self.advance(seat) {
                return true;
            }
            happened |= self.sides[seat].handle_news(&mut self.void);
            while let Some(message) = self.sides[seat].inbox.pop_front() {
                happened = true;
                if !self.receive(seat, Event::Received(Seat::new(1 - seat as u8), message)) {
                    return true;
                }
            }
        }
        while let Ok((seat, connection, event)) = self.engines.1.try_recv() {
            happened = true;
            if connection == self.connections && !self.receive(seat, event) {
                return true;
            }
        }
        happened || self.sides.iter().any(|side| !side.inbox.is_empty())
    }

    fn is_over(&self) -> bool {
        let quiet = self.sides.iter().all(|side| side.inbox.is_empty());
        quiet && self.connected && self.sides.iter().all(|side| side.end.is_some())
    }

    fn wait_for_engines(&mut self) {
        let report = self.engines.1.recv_timeout(STUCK);
        let Ok((seat, connection, event)) = report else {
            let phases = self.sides.each_ref().map(|side| {
                let program = side.program.as_ref().expect("a running program");
                (program.log().phase(), program.is_synced())
            });
            panic!("both sides wait forever: {phases:?} {:?}", self.plan);
        };
        if connection == self.connections {
            self.receive(seat, event);
        }
    }

    /// Plays a match with these faults.
    pub fn play(plan: &Plan) -> MatchResult {
        let mut world = World::new(plan.clone());
        while !world.is_over() {
            if !world.step() && !world.is_over() {
                world.wait_for_engines();
            }
        }
        world.check();
        let [host, guest] = world.sides;
        MatchResult {
            stolen: host.seen.keys().any(|(_, _, (_, sealed))| sealed.is_some()),
            sent: [(Seat::HOST, Seat::GUEST), (Seat::GUEST, Seat::HOST)]
                .map(|way| world.sent[&way]),
            ends: [
                host.end.expect("the match is over"),
                guest.end.expect("the match is over"),
            ],
            disks: [host.disk, guest.disk],
            connections: world.connections,
            void: world.void,
        }
    }

    /// Checks that must hold after every match.
    fn check(&self) {
        let [host, guest] = &self.sides;
        let mut logs = Vec::new();
        for side in [host, guest] {
            let program = side.program.as_ref().expect("a running program");
            let log = program.log();
            logs.push((log.hash(), log.history(0).cloned().collect::<Vec<_>>()));
            assert!(log.evidence().is_empty() && log.fouls().is_empty());
            let chips = 2 * log.match_info().header().stakes.stack();
            assert_eq!(log.final_stacks().iter().sum::<u64>(), chips);
            assert!(!side.disk.has_deck(), "the deck is still on the disk");
            side.check_inputs();
            let key = identity(side.seat).file_key();
            let file = Journal::open(side.disk.log(), key).unwrap().log;
            assert_eq!((file.hash(), file.phase()), (log.hash(), log.phase()));
        }
        assert_eq!(logs[0].0, logs[1].0);
        assert_eq!(host.end, guest.end);
        // A try is never void after a seat has seen one of its cards.
        let cards = || host.seen.keys().chain(guest.seen.keys());
        for &(hand, attempt, position) in cards() {
            let later = cards().any(|&(h, a, _)| h == hand && a > attempt);
            assert!(!later, "hand {hand}, try {attempt}, card {position:?}");
        }
        // Both have seen the same cards.
        for (at, card) in &host.seen {
            assert!(guest.seen.get(at).is_none_or(|other| other == card));
        }
    }
}
