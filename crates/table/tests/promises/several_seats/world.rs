//! Several seats around a host, their disks, and connections that can break at any message. The
//! statements of the guests reach each other through the host, and in a mesh also directly.

use std::collections::{BTreeMap, VecDeque};

use dealerless::Blame;
use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, Phase, Signed};
use dealerless_table::play::{Event, NoEngine, PlayError};
use dealerless_table::testing::disk::{Disk, Kill};
use dealerless_table::testing::network::{Cut, CutOutbox, Sent};
use dealerless_table::testing::test_match::verifiable;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::side::{Said, Side, Style, start};

/// A match and its faults.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seats: u8,
    pub(crate) hands: u32,
    pub(crate) style: Style,
    pub(crate) seed: u64,
    /// Whether the guests are connected to each other.
    pub(crate) mesh: bool,
    /// For each seat.
    pub(crate) kills: Vec<Vec<Kill>>,
    pub(crate) cuts: Vec<Cut>,
}

impl Plan {
    pub(crate) fn new(seats: u8, hands: u32, style: Style, seed: u64) -> Self {
        Plan {
            seats,
            hands,
            style,
            seed,
            mesh: false,
            kills: vec![Vec::new(); usize::from(seats)],
            cuts: Vec::new(),
        }
    }
}

/// What a cheat does to each message between two seats: the messages that arrive instead.
pub(crate) type Meddle = Box<dyn FnMut(Seat, Seat, Vec<u8>) -> Vec<Vec<u8>>>;

/// A connection between two seats.
#[derive(Default)]
struct Line {
    is_connected: bool,
    /// The number of connections so far.
    connections: u32,
    /// The messages to the first seat and to the second one.
    on_way: [VecDeque<Vec<u8>>; 2],
}

/// The seats of a line. The first one has the smaller number.
type Ends = (Seat, Seat);

/// Something that can happen next.
#[derive(Clone, Copy)]
enum Next {
    Start(Seat),
    Connect(Ends),
    /// A message arrives from the first seat at the second one.
    Deliver(Seat, Seat),
    Advance(Seat),
}

pub(crate) struct World {
    pub(crate) sides: Vec<Side>,
    lines: BTreeMap<Ends, Line>,
    pub(crate) plan: Plan,
    pub(crate) said: Said,
    pub(crate) sent: Sent,
    /// The messages with shuffles for the next hand that their own seats have sent: the sender, the
    /// receiver, and the number of the message.
    pub(crate) ahead: Vec<(Seat, Seat, usize)>,
    pub(crate) rng: StdRng,
    /// What a cheat does, if there is one.
    pub(crate) meddle: Option<Meddle>,
    /// The number of connections of each guest. A guest does not connect more often.
    pub(crate) most_connections: u32,
    /// Seats whose programs are not started.
    pub(crate) absent: Vec<Seat>,
    /// The errors with which a seat dropped a connection to another seat.
    pub(crate) errors: Vec<(Seat, Seat, PlayError)>,
}

/// Whether a seat sends its own shuffle for the next hand.
fn is_shuffle_of(message: &LogMessage, seat: Seat) -> bool {
    let LogMessage::Statement(statement) = message else {
        return false;
    };
    matches!(&statement.signed, Signed::Ahead(ahead) if ahead.part.seat == seat)
}

impl World {
    /// A match whose programs have started and whose connections are complete.
    pub(crate) fn new(plan: Plan) -> Self {
        let of = verifiable(plan.seats, plan.hands);
        let side = |seat: Seat| {
            // The files exist before the match begins.
            let disk = Disk::default();
            of.journal(seat, disk.log());
            Side::new(seat, disk.then_with(plan.kills[seat.index()].clone()))
        };
        let sides = of.seats().map(side).collect();
        let mut world = World::of(plan, sides);
        for seat in world.seats() {
            while world.side(seat).program.is_none() {
                world.start(seat);
            }
        }
        for (one, other) in world.ends() {
            if one == Seat::HOST {
                world.begin(other);
            }
        }
        world
    }

    /// Seats with their disks, whose programs do not run yet.
    pub(crate) fn of(plan: Plan, sides: Vec<Side>) -> Self {
        let seats = || Seat::all(sides.len());
        let ends = seats().flat_map(|one| seats().map(move |other| (one, other)));
        let ends = ends.filter(|(one, other)| one < other && (plan.mesh || *one == Seat::HOST));
        World {
            lines: ends.map(|ends| (ends, Line::default())).collect(),
            sides,
            rng: StdRng::seed_from_u64(plan.seed),
            plan,
            said: Said::default(),
            sent: Sent::new(),
            ahead: Vec::new(),
            meddle: None,
            most_connections: u32::MAX,
            absent: Vec::new(),
            errors: Vec::new(),
        }
    }

    pub(crate) fn seats(&self) -> Vec<Seat> {
        Seat::all(self.sides.len()).collect()
    }

    pub(crate) fn side(&mut self, seat: Seat) -> &mut Side {
        &mut self.sides[seat.index()]
    }

    fn ends(&self) -> Vec<Ends> {
        self.lines.keys().copied().collect()
    }

    fn line(&mut self, one: Seat, other: Seat) -> &mut Line {
        let ends = (one.min(other), one.max(other));
        self.lines.get_mut(&ends).expect("a line")
    }

    /// The messages on their way between two seats.
    fn on_way(&mut self, from: Seat, to: Seat) -> &mut VecDeque<Vec<u8>> {
        &mut self.line(from, to).on_way[usize::from(to > from)]
    }

    fn start(&mut self, seat: Seat) {
        let side = &mut self.sides[seat.index()];
        let seed = u64::from(seat.number()) + 10 * u64::from(side.draws_anew);
        match start(&side.disk, seat, seed) {
            Ok(program) => {
                side.program = Some(program);
                side.is_due = true;
                side.choose_early(self.plan.style, &mut self.rng);
                self.check_killed(seat);
            }
            Err(error) => assert!(side.disk.was_killed(), "{error:?}"),
        }
    }

    /// The first connection of a guest.
    fn begin(&mut self, guest: Seat) {
        let line = self.line(Seat::HOST, guest);
        line.is_connected = true;
        line.connections = 1;
        for (seat, peer) in [(Seat::HOST, guest), (guest, Seat::HOST)] {
            let side = self.side(seat);
            side.program
                .as_mut()
                .expect("a running program")
                .begin(peer);
            side.is_due = true;
        }
    }

    fn connect(&mut self, (one, other): Ends) {
        let line = self.line(one, other);
        line.is_connected = true;
        line.connections += 1;
        for (seat, peer) in [(one, other), (other, one)] {
            let side = self.side(seat);
            let Some(program) = &mut side.program else {
                continue;
            };
            side.is_due = true;
            let resumed = program.resume(peer);
            if !self.check_killed(seat) {
                resumed.expect("the disk works");
            }
        }
    }

    /// Stops the program of a seat if it was killed. Returns whether it was.
    fn check_killed(&mut self, seat: Seat) -> bool {
        let side = self.side(seat);
        if !side.disk.was_killed() {
            return false;
        }
        self.kill(seat);
        true
    }

    /// Kills the program of a seat. Its connections are lost.
    pub(crate) fn kill(&mut self, seat: Seat) {
        let side = self.side(seat);
        side.program = None;
        side.is_due = false;
        self.lose(seat);
    }

    /// Stops the program of a seat with an error that it cannot fix.
    fn stop(&mut self, seat: Seat, error: PlayError) {
        self.side(seat).stopped = Some(error);
        self.absent.push(seat);
        self.kill(seat);
    }

    /// Ends all connections of a seat.
    pub(crate) fn lose(&mut self, seat: Seat) {
        for (one, other) in self.ends() {
            if one == seat || other == seat {
                self.cut(one, other);
            }
        }
    }

    /// Ends the connection between two seats. Some of the messages on their way still arrive.
    fn cut(&mut self, one: Seat, other: Seat) {
        let line = self.line(one, other);
        if !std::mem::take(&mut line.is_connected) {
            return;
        }
        for (from, to) in [(other, one), (one, other)] {
            let messages = std::mem::take(self.on_way(from, to));
            let count = self.rng.random_range(0..=messages.len());
            for message in messages.into_iter().take(count) {
                if !self.receive(from, to, message) {
                    break;
                }
            }
            if let Some(program) = &mut self.side(to).program {
                program.lose_connection(from);
            }
        }
    }

    /// Delivers a message. Returns whether the receiver continues on this connection.
    fn receive(&mut self, from: Seat, to: Seat, message: Vec<u8>) -> bool {
        let Some(program) = &mut self.side(to).program else {
            return false;
        };
        let result = program.receive(Event::Received(from, message));
        if self.check_killed(to) {
            return false;
        }
        self.side(to).is_due = true;
        self.handle_news(to);
        let Err(error) = result else {
            return true;
        };
        if self.side(to).draws_anew {
            self.stop(to, error);
            return false;
        }
        assert!(error.blame() != Blame::ThisSide, "{error:?}");
        assert!(self.meddle.is_some(), "{to:?} refuses {from:?}: {error:?}");
        self.errors.push((to, from, error));
        self.cut(from, to);
        false
    }

    fn handle_news(&mut self, seat: Seat) {
        let side = &mut self.sides[seat.index()];
        side.handle_news(self.plan.style, &mut self.rng);
    }

    /// Lets a seat sign and send what is due.
    fn advance(&mut self, seat: Seat) {
        let side = &mut self.sides[seat.index()];
        side.is_due = false;
        let Some(program) = &mut side.program else {
            return;
        };
        side.disk.at_step(program.log().step());
        let mut outbox = CutOutbox {
            seat,
            disk: &side.disk,
            sent: &mut self.sent,
            cuts: &self.plan.cuts,
            watch: |to, number, message| {
                if is_shuffle_of(&message, seat) {
                    self.ahead.push((seat, to, number));
                }
                self.said.send(seat, &side.disk, message);
            },
            arriving: Vec::new(),
            cut: Vec::new(),
        };
        let shuffled = program.shuffle_ahead();
        let result = shuffled.and_then(|_| program.advance(&mut outbox, &mut NoEngine));
        let (arriving, cut) = (outbox.arriving, outbox.cut);
        for (to, message) in arriving {
            let messages = match &mut self.meddle {
                Some(meddle) => meddle(seat, to, message),
                None => vec![message],
            };
            self.send(seat, to, messages);
        }
        for peer in cut {
            self.cut(seat, peer);
        }
        self.drop_failed(seat);
        if self.check_killed(seat) {
            return;
        }
        match result {
            Err(error) if self.side(seat).draws_anew => self.stop(seat, error),
            result => {
                result.expect("an honest seat has no errors");
                self.handle_news(seat);
            }
        }
    }

    /// Cuts the connections that a program has dropped because of an early statement.
    fn drop_failed(&mut self, seat: Seat) {
        while let Some(program) = &mut self.side(seat).program
            && let Some((peer, error)) = program.failed()
        {
            assert!(
                self.meddle.is_some(),
                "{seat:?} refuses {peer:?}: {error:?}"
            );
            self.errors.push((seat, peer, error));
            self.cut(seat, peer);
        }
    }

    /// Puts messages on the connection between two seats.
    pub(crate) fn send(&mut self, from: Seat, to: Seat, messages: Vec<Vec<u8>>) {
        if self.line(from, to).is_connected {
            self.on_way(from, to).extend(messages);
        }
    }

    /// Does one thing that is possible, chosen at random. Returns `false` if nothing is possible.
    pub(crate) fn step(&mut self) -> bool {
        let mut next = Vec::new();
        for seat in self.seats() {
            let is_absent = self.absent.contains(&seat);
            let side = self.side(seat);
            match side.program {
                None if !is_absent => next.push(Next::Start(seat)),
                Some(_) if side.is_due => next.push(Next::Advance(seat)),
                _ => {}
            }
        }
        let most_connections = self.most_connections;
        for (one, other) in self.ends() {
            let run = [one, other].map(|seat| self.side(seat).program.is_some());
            let line = self.line(one, other);
            if !line.is_connected && run == [true; 2] && line.connections < most_connections {
                next.push(Next::Connect((one, other)));
            }
            for (from, to) in [(one, other), (other, one)] {
                if !self.on_way(from, to).is_empty() {
                    next.push(Next::Deliver(from, to));
                }
            }
        }
        let Some(&next) = next.choose(&mut self.rng) else {
            return self.time_out();
        };
        match next {
            Next::Start(seat) => self.start(seat),
            Next::Connect(ends) => self.connect(ends),
            Next::Advance(seat) => self.advance(seat),
            Next::Deliver(from, to) => {
                let message = self.on_way(from, to).pop_front().expect("a message");
                self.receive(from, to, message);
            }
        }
        true
    }

    /// Lets the guests stop waiting for each other. Returns whether a guest has waited.
    fn time_out(&mut self) -> bool {
        let mut has_waited = false;
        for seat in self.seats() {
            let side = self.side(seat);
            let Some(program) = &mut side.program else {
                continue;
            };
            let was_synced = program.is_synced();
            let stopped = program.stop_waiting();
            side.is_due |= program.is_synced() != was_synced;
            has_waited |= side.is_due;
            match stopped {
                Err(error) if side.draws_anew => self.stop(seat, error),
                stopped => stopped.expect("the seat has its secret"),
            }
        }
        has_waited
    }

    /// Plays until nothing more is possible.
    pub(crate) fn play(&mut self) {
        while self.step() {}
    }

    /// Plays until nothing more is possible, although a seat waits for something that the cheat does
    /// not send. Then the connections of this guest, or of all guests, are lost.
    pub(crate) fn play_with_timeouts(&mut self, guests: &[Seat]) {
        for _ in 0..10 {
            self.play();
            let mut programs = self.sides.iter().filter_map(|side| side.program.as_ref());
            if programs.all(|program| matches!(program.log().phase(), Phase::Over(_))) {
                return;
            }
            for guest in guests {
                self.lose(*guest);
            }
        }
        self.play();
    }

    /// Delivers all messages on their way, without letting a guest sign.
    pub(crate) fn deliver_all(&mut self) {
        let (to_host, others): (Vec<_>, Vec<_>) = (self.ends().into_iter())
            .flat_map(|(one, other)| [(one, other), (other, one)])
            .partition(|(_, to)| *to == Seat::HOST);
        for (ways, advances) in [(to_host, true), (others, false)] {
            for (from, to) in ways {
                while let Some(message) = self.on_way(from, to).pop_front() {
                    self.receive(from, to, message);
                }
            }
            if advances {
                self.advance(Seat::HOST);
            }
        }
    }

    /// Plays a match with these faults to its end, and checks what must hold after every match.
    pub(crate) fn played(plan: &Plan) -> Self {
        let mut world = World::new(plan.clone());
        world.play();
        world.check();
        world
    }

    /// The number of connections between a guest and the host.
    pub(crate) fn connections_of(&self, guest: Seat) -> u32 {
        self.lines[&(Seat::HOST, guest)].connections
    }

    /// The number of connections that were lost.
    pub(crate) fn lost_connections(&self) -> u32 {
        let lines = self.lines.values();
        lines.map(|line| line.connections.saturating_sub(1)).sum()
    }

    /// The number of actions of a seat, and of messages that it has sent.
    pub(crate) fn actions(&self, seat: Seat) -> usize {
        self.sides[seat.index()].disk.kinds().len()
    }
}
