//! Tables of 3 to 10 seats, from the invites on: each player runs a program as `dealerless host`, `join` or
//! `resume` does, and starts it again until all know the end of the match. Each seat calls and is called by all others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use dealerless::verifiable::trust_own_shuffles;
use dealerless_connection::identity::{Address, Name, Peer, SharedPeers};
use dealerless_connection::{ConnectionError, Invites, Place, PolledConnection, PolledDoor};
use dealerless_table::Seat;
use dealerless_table::log::{Clock as Limits, Header, Phase};
use dealerless_table::play::{CannotBegin, PlayError};
use dealerless_table::testing::test_match;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use super::simulation::{Code, Counts, Game, Program, Simulation};
use super::tables_checks::{self as checks, Checks, Ended, identity, seat_of};
use super::world::{Happening, OfSocket, Shared, Simulated, address, relay};
use crate::command;
use crate::run::own::{Own, Stored, kept_peers};
use crate::run::{
    self, BrokenOff, Files as _, Guest, Host, Hosted, Input, Kept, Requirements, Route, SeatInPlay,
    Ways, door, host_again,
};
use crate::seat::{LAST_CALL, PlayerNeeds};

/// Two seats that can reach each other are not without a connection for this time.
const ALONE: Duration = Duration::from_secs(300);
/// Two programs are calm once nothing has kept them from playing for this time.
const CALM: Duration = Duration::from_secs(90);
/// A calm guest that knows that it has lost its host has a new connection after this time.
const AGAIN: Duration = Duration::from_secs(5);
/// The number of connections of two calm programs, also of those that were made and cut before they were calm.
const CONNECTIONS: usize = 8;
/// A player learns the end this time after the last fault, unless nobody is left who could tell.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// A player whose program has not begun a match for this time may start it again.
const PATIENCE: Duration = Duration::from_secs(300);
const NEEDS: PlayerNeeds = PlayerNeeds {
    pauses: true,
    each_second: false,
    never_asked: false,
    is_program: false,
    is_told_nothing: false,
};

type AnyProgram = Box<dyn run::Program<Simulated>>;

/// A program of a table.
pub(super) struct Table {
    own: Own<Simulated>,
    program: AnyProgram,
    ended: Option<anyhow::Result<()>>,
    /// The seats that have said goodbye to it.
    goodbyes: BTreeSet<Seat>,
}

impl Table {
    fn seat(&mut self) -> Option<&mut SeatInPlay<Simulated>> {
        self.program.seat()
    }
}

impl Code for Table {
    fn input(&mut self, input: Input<'_>, now: Duration) {
        if let Err(error) = self.program.input(&mut self.own, input, now) {
            self.ended.get_or_insert(Err(error));
        }
    }

    fn command(&mut self, line: &str, now: Duration) {
        let input = match command::parse(line) {
            Ok((said, turn)) => Input::Said(said, turn),
            Err(complaint) => Input::Refused(complaint),
        };
        self.input(input, now);
    }

    fn step(&mut self, now: Duration) -> Option<Duration> {
        if let Some(seat) = self.program.seat() {
            let lines = seat.connections.iter();
            let closed =
                lines.filter(|(_, line)| line.core.ended() == Some(&ConnectionError::Closed));
            self.goodbyes.extend(closed.map(|(peer, _)| *peer));
        }
        if self.ended.is_none() {
            let step = self.program.step(&mut self.own, now);
            self.ended = step.map(|ended| ended.then_some(())).transpose();
        }
        self.ended.is_none().then(|| self.program.timer(now))
    }

    fn has_ended_connection(&mut self) -> bool {
        let lines = self.program.seat().map(|seat| seat.connections.values());
        let is_over = self.ended.is_some();
        !is_over && lines.is_some_and(|mut lines| lines.any(|line| line.core.ended().is_some()))
    }

    fn uses(&mut self, socket: u32) -> bool {
        self.ended.is_some() || self.program.has(socket)
    }

    fn connection(&mut self, socket: u32) -> Option<&mut PolledConnection<Simulated>> {
        self.program.connection(socket)
    }
}

/// The ways by which the players of a table reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Directly,
    AtRelay,
    /// Directly, and at the relay if that takes too long.
    Both,
}

impl Reach {
    /// The addresses of a program that others know.
    fn addresses(self, program: usize) -> Vec<Address> {
        match self {
            Reach::AtRelay => Vec::new(),
            Reach::Directly | Reach::Both => vec![address(program)],
        }
    }

    fn at_relay(self) -> Option<Address> {
        (self != Reach::Directly).then(relay)
    }

    /// Lets a door wait for others. Returns where it listens.
    fn open(self, own: &Own<Simulated>, door: &mut PolledDoor<Simulated>) -> Vec<Address> {
        let world = &own.world;
        let addresses = self.addresses(world.program);
        if !addresses.is_empty() {
            let listener = world.shared.borrow_mut().listen(world.program);
            door.listen(listener);
        }
        addresses
    }
}

impl Ways<Simulated> for Reach {
    fn listens_at(&self) -> &[String] {
        &[]
    }

    fn listen(
        &self,
        own: &Own<Simulated>,
        door: &mut PolledDoor<Simulated>,
        _: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Address>)> {
        let addresses = self.open(own, door);
        let listeners = addresses.iter().map(Address::to_string);
        Ok((listeners.collect(), addresses))
    }

    fn route(&self, _: &Peer) -> Option<Route> {
        None
    }

    fn relay(&self) -> Option<Place> {
        self.at_relay().map(Place::from)
    }
}

/// A guest, who is asked before sitting down or not.
struct Sits {
    asks: bool,
    reach: Reach,
}

impl Requirements<Simulated> for Sits {
    fn asks(&self) -> bool {
        self.asks
    }

    fn ways(&self) -> Option<Arc<dyn Ways<Simulated>>> {
        Some(Arc::new(self.reach))
    }
}

/// The state of a player.
#[derive(Clone, Default)]
struct Player {
    /// Whether its program has learned how the match has ended for it.
    is_done: bool,
    /// When the program that runs was started.
    started: Duration,
    /// When the program that runs has learned the end.
    over: Option<Duration>,
    /// Since when it runs, and nobody was kept from reaching it.
    fine: Option<Duration>,
    /// The seats that have said goodbye to the program.
    goodbyes: BTreeSet<Seat>,
    /// The invite that its program has used.
    invite: Option<String>,
    /// The number of records on its disk when the program that runs was started.
    records: usize,
}

/// A table, and what is checked.
pub(super) struct Tables {
    header: Header,
    reach: Reach,
    players: Vec<Player>,
    pub(super) checks: Checks,
    /// The invites of the host's program that was started last.
    invites: Vec<String>,
    /// Whether a guest cannot come in before the host makes new invites.
    needs_invites: bool,
    /// The fingerprint of the guest about which the host's player is asked now.
    asked: Option<String>,
    /// The fingerprints of the guests that the host's player has declined.
    declined: BTreeSet<String>,
    /// Whether a program resumes a match even if it is over.
    resumes_all: bool,
    /// The time at which the match ended for the first seat.
    first_end: Option<Duration>,
    /// Since when two programs, the lower one first, could be connected and are not.
    alone: BTreeMap<(usize, usize), Duration>,
    /// The connections that two calm programs, the lower one first, have had.
    had: BTreeMap<(usize, usize), BTreeSet<u32>>,
    /// The calm guests that were cut off from the host, and when.
    cut: BTreeMap<usize, Duration>,
    /// The guest that has come in by each invite.
    came_by: BTreeMap<String, usize>,
    /// The time of the last look for programs in trouble.
    looked: Duration,
}

/// The match of a seed.
fn header_of(shared: &mut Shared) -> Header {
    let rng = &mut shared.rng;
    // A match of ten takes as long as ten matches of three.
    let seats = match rng.random_range(0..30) {
        0..18 => 3,
        18..26 => 4,
        26..29 => rng.random_range(5..=6),
        _ => rng.random_range(7..=10),
    };
    let may_leave = rng.random_range(0..=2).min(seats - 2);
    let hands = 1 + u32::from(seats < 5 && rng.random_ratio(1, 3));
    let of = test_match::threshold(seats, usize::from(seats - may_leave), hands);
    let mut header = of.match_info.header().clone();
    let (each_move, bank) = *[(0, 0), (5, 10), (30, 60)].choose(rng).unwrap();
    if may_leave == 0 || each_move > 0 {
        header.clock = Limits { each_move, bank };
    }
    header
}

impl Tables {
    /// The program of the host.
    fn host(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let open = self.open_match(own)?;
        let (world, shared) = (&own.world, || own.world.shared.borrow_mut());
        let is_resumed = open.is_some() && (!shared().once_in(3) || self.resumes_all);
        let header = match &open {
            Some(kept) if is_resumed => kept.opened.sitting.match_info.header(),
            _ => &self.header,
        };
        let mut door = door(own, world, header);
        let addresses = self.reach.open(own, &mut door);
        let at_relay = self.reach.at_relay();
        for peer in own.peers.lock().peers() {
            if let Some(relay) = self.reach.relay() {
                door.wait_for_known(relay, &peer.identity, now);
            }
        }
        if let Some(kept) = open.filter(|_| is_resumed) {
            return Ok(Box::new(host_again(
                own,
                door,
                Some(&self.reach),
                kept,
                NEEDS,
                now,
            )?));
        }
        let guests = 1..self.players.len();
        let invites = guests.map(|_| own.invite(addresses.clone(), at_relay.clone()));
        let invites = invites.collect::<Result<Vec<_>, _>>()?;
        for invite in &invites {
            if let Some(relay) = self.reach.relay() {
                door.wait_for_invite(relay, invite, now);
            }
        }
        self.invites = invites.iter().map(ToString::to_string).collect();
        self.asked = None;
        self.declined.clear();
        self.needs_invites = false;
        let expects = shared().once_in(2);
        let known = own.peers.lock().peers().to_vec().into_iter();
        let known = known.filter(|_| expects).map(|peer| peer.identity);
        let hosted = Hosted {
            listeners: addresses.iter().map(Address::to_string).collect(),
            relay: at_relay.map(Place::from),
            ways: Some(Box::new(self.reach)),
            expected: known.collect(),
            ..Hosted::new(self.header.clone(), invites)
        };
        Ok(Box::new(Host::new(own, door, hosted, NEEDS, now)))
    }

    /// The program of a guest.
    fn guest(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let open = self.open_match(own)?;
        let mut shared = own.world.shared.borrow_mut();
        let number = own.world.program;
        let requires = Box::new(Sits {
            asks: number.is_multiple_of(2),
            reach: self.reach,
        });
        let host = identity(0).public().clone();
        let by_name = Route {
            invite: None,
            peer: Some(host.clone()),
            addresses: self.reach.addresses(0),
            relay: self.reach.relay(),
        };
        let resumes = !shared.once_in(3) || self.resumes_all;
        let (is_named, is_leaked) = (shared.once_in(4), shared.is_fault(8));
        drop(shared);
        self.needs_invites |= is_leaked;
        if let Some(kept) = open.filter(|_| resumes) {
            return Ok(Box::new(Guest::resuming(
                own, requires, NEEDS, by_name, kept, now,
            )?));
        }
        ensure!(
            !self.players[number].is_done || !self.players[0].is_done,
            "the match is over"
        );
        let is_known = own.peers.lock().get(&host).is_some();
        // A guest may use the invite of another one.
        let first = number - usize::from(!is_leaked);
        let mut invites = self
            .invites
            .iter()
            .cycle()
            .skip(first)
            .take(self.players.len());
        let is_free = |invite: &&String| {
            is_leaked || self.came_by.get(*invite).is_none_or(|by| *by == number)
        };
        let invite = invites
            .find(is_free)
            .filter(|_| !is_known || !is_named)
            .cloned();
        let route = match &invite {
            Some(invite) => Route::to_host(invite.parse()?),
            None if is_known => by_name,
            None => bail!("there is no invite yet"),
        };
        self.players[number].invite = invite;
        Ok(Box::new(Guest::joining(own, requires, NEEDS, route, now)?))
    }

    /// The host has given a guest a place.
    fn came_in(&mut self, number: usize) {
        let invite = self.players[number].invite.as_ref();
        let fingerprint = identity(number).public().fingerprint().to_string();
        let is_invited = invite.is_some_and(|invite| self.invites.contains(invite));
        assert!(
            is_invited || !self.declined.contains(&fingerprint),
            "{number} was declined, and has a place"
        );
        if let Some(invite) = invite {
            let first = self.came_by.entry(invite.clone()).or_insert(number);
            assert_eq!(*first, number, "two guests came by one invite");
        }
    }

    /// The match to resume.
    fn open_match(&self, own: &Own<Simulated>) -> anyhow::Result<Option<Kept<Simulated>>> {
        if self.resumes_all {
            let names = run::records(own)?;
            let (name, _) = names.into_iter().next().context("no match is kept")?;
            return Kept::open(own, name).map(Some);
        }
        let (open, unread) = run::all_open(own)?;
        ensure!(unread.is_empty(), "a record cannot be read");
        Ok(open.into_iter().next())
    }
}

impl Simulation<Tables> {
    /// The table of a seed. This thread trusts the shuffles of the seats from now on, without proofs.
    pub(super) fn new(seed: u64, given: &[u8]) -> Self {
        trust_own_shuffles();
        Self::with_proofs(seed, given)
    }

    /// The table of a seed. The seats prove their shuffles if the thread has never called [`new`](Self::new).
    pub(super) fn with_proofs(seed: u64, given: &[u8]) -> Self {
        let game = |shared: &mut Shared| {
            let header = header_of(shared);
            let players = header.stakes.seats();
            let reach = [
                Reach::Directly,
                Reach::Directly,
                Reach::AtRelay,
                Reach::Both,
            ];
            let tables = Tables {
                header,
                reach: *reach.choose(&mut shared.rng).unwrap(),
                players: vec![Player::default(); players],
                checks: Checks::new(players, 100),
                invites: Vec::new(),
                needs_invites: false,
                asked: None,
                declined: BTreeSet::new(),
                resumes_all: false,
                first_end: None,
                alone: BTreeMap::new(),
                had: BTreeMap::new(),
                cut: BTreeMap::new(),
                came_by: BTreeMap::new(),
                looked: Duration::ZERO,
            };
            (tables, players)
        };
        let mut simulation = Self::with(seed, given, game);
        simulation.slowness = if seed % 8 >= 4 { 8 } else { 1 };
        simulation
    }

    /// Plays until the match is over for all seats, or the others have stopped without those that do not know the end.
    pub(super) fn play(&mut self) {
        self.play_until(|this| {
            let players = || this.game.players.iter();
            let is_late = this.now() > this.faults_end + FORGOTTEN;
            let are_forgotten = is_late && players().any(|player| player.is_done);
            players().all(|player| player.is_done) || (are_forgotten && this.nobody_can_tell())
        });
        let lack = self.game.players.iter().filter(|player| !player.is_done);
        let lack = lack.count();
        self.count_all("never learns the end", lack);
    }

    /// Whether those that do not know the end cannot learn it any more, a known limit of the protocol. All guests that
    /// know it have stopped. Either the host, who would send it, was removed or has left. Or the end does not help: a
    /// program has all parts of its step, but is bound by its own call, which only a guest that has stopped can refuse.
    fn nobody_can_tell(&mut self) -> bool {
        // A guest that has left waits for the end like the others.
        let knows_end = |program: usize| {
            let ended = checks::ended_for(&self.disks[program], program);
            ended.is_some_and(|log| matches!(log.phase(), Phase::Over(_)))
        };
        let mut guests = self.programs.iter().enumerate().skip(1);
        if guests.any(|(number, program)| program.code.is_some() && knows_end(number)) {
            return false;
        }
        let is_bound = |this: &mut Self, program: usize| {
            let log = this.seat(program).map(|seat| seat.log());
            log.is_some_and(|log| log.match_info().has_roll_calls() && log.waits_for().is_empty())
        };
        let all_are_bound = (0..self.programs.len())
            .all(|program| self.game.players[program].is_done || is_bound(self, program));
        let has_gone = || {
            let host = checks::ended_for(&self.disks[0], 0);
            host.is_some_and(|log| log.is_removed() || log.gone().contains(&Seat::HOST))
        };
        all_are_bound || has_gone()
    }

    fn seat(&mut self, program: usize) -> Option<&mut SeatInPlay<Simulated>> {
        self.programs[program].code.as_mut()?.seat()
    }

    /// The socket of the connection of a guest to the host.
    fn line_to_host(&mut self, program: usize) -> Option<u32> {
        let lines = &self.seat(program)?.connections;
        lines.get(&Seat::HOST).map(PolledConnection::number)
    }

    /// Plays until this time after the match has begun for all. Then program 2 loses its connections, and program 1
    /// says goodbye to the host in the middle of the match, perhaps after a restart of the host. Returns whether the
    /// host answers. Checks that it has stored all parts of program 1 if it does.
    pub(super) fn play_with_goodbye(&mut self, after: Duration, restarts: bool) -> bool {
        self.game.reach = Reach::Directly;
        let seats = self.programs.len();
        self.play_until(|this| (0..seats).all(|program| this.seat(program).is_some()));
        self.play_for(after);
        let one = seat_of(self.seat(1).unwrap().log(), 1);
        for other in [0, 1] {
            self.shared().part(other, 2, Duration::MAX);
        }
        self.play_for(Duration::from_secs(1));
        if restarts {
            self.dies(0, "by its player");
            self.game.resumes_all = true;
            self.starts(0);
        }
        self.play_until(|this| {
            let host = this.seat(0);
            let has_heard = host.is_some_and(|host| host.table.play().has_heard(one));
            has_heard && this.line_to_host(1).is_some()
        });
        let closed = self.line_to_host(1);
        let last = checks::last_part(self.seat(1).unwrap().log(), one);
        self.game.players[1].goodbyes.clear();
        self.enter(1, |table, _| {
            let lines = &mut table.seat().unwrap().connections;
            lines.get_mut(&Seat::HOST).unwrap().core.close();
        });
        self.play_until(|this| this.line_to_host(1) != closed);
        let is_answered = self.game.players[1].goodbyes.contains(&Seat::HOST);
        assert!(!is_answered || checks::stored(&self.disks[0], one) >= last);
        is_answered
    }

    /// Plays to the end. Then programs 1 and 2 start again with the addresses of each other, and program 1 makes its
    /// last call. The host starts again. Its history and its goodbye arrive at program 1 at once. Returns whether the
    /// host gets an answer. `None` if the host has not waited for one.
    pub(super) fn play_with_goodbye_in_the_last_call(&mut self) -> Option<bool> {
        self.game.reach = Reach::Directly;
        let files = [1, 2].map(|program| {
            self.play_until(|this| this.game.players[program].over.is_some());
            self.disks[program].files()
        });
        self.play();
        self.game.resumes_all = true;
        self.shared().plan_no_starts();
        for (program, files) in [1, 2].into_iter().zip(files) {
            self.disks[program].restore(files);
            self.starts(program);
        }
        let one = seat_of(self.seat(1).unwrap().log(), 1);
        let calls = |line: &String| line.contains(" 1 ") && line.contains("may not know yet");
        self.play_until(|this| this.shared().trace.last().is_some_and(calls));
        self.starts(0);
        self.play_until(|this| this.line_to_host(1).is_some());
        let socket = self.line_to_host(1).unwrap();
        let until = self.now() + Duration::from_secs(2);
        let mut at_once = Vec::new();
        while self.now() < until {
            match self.next() {
                Happening::OfSocket(to, OfSocket::Received(bytes)) if to == socket => {
                    at_once.extend(bytes);
                }
                what => self.happens(what),
            }
        }
        self.seat(0)?.connections.get(&one)?;
        self.happens(Happening::OfSocket(socket, OfSocket::Received(at_once)));
        self.play_until(|this| {
            let host = this.seat(0);
            host.is_none_or(|host| !host.connections.contains_key(&one))
        });
        Some(self.game.players[0].goodbyes.contains(&one))
    }

    /// Checks the records, and returns the trace of the run.
    pub(super) fn ends(mut self) -> (Vec<String>, Counts) {
        let ended = self.checked(|this| {
            let knows: Vec<bool> = (this.game.players.iter())
                .map(|player| player.is_done)
                .collect();
            this.game.checks.ends(&this.disks, &knows)
        });
        let Ended { how, gone, hands } = ended;
        let now = self.now();
        if self.pause.is_none() {
            let took = now - self.game.first_end.unwrap_or_default();
            assert!(took < Duration::from_secs(3), "the end takes {took:?}");
            let seats = self.programs.len();
            let pairs = self.shared().network.pairs;
            let is_direct = self.game.reach == Reach::Directly;
            assert!(!is_direct || pairs == seats * (seats - 1) / 2);
            assert!(self.programs.iter().all(|program| program.starts == 1));
        }
        self.count(&format!("ended: {how}"));
        self.count(&format!("{} seats", self.disks.len()));
        self.count(&format!("meets: {:?}", self.game.reach));
        for (what, count) in [
            ("gone", gone),
            ("hands", hands),
            ("shuffles without proofs", self.game.checks.unproven),
            (
                "two parts for one step",
                self.game.checks.second_parts.len(),
            ),
        ] {
            self.count_all(what, count);
        }
        let text = format!("{how} at {now:?}, faults until {:?}", self.faults_end);
        self.shared().trace.push(text);
        self.into_trace()
    }

    /// The program of a table has ended.
    fn stopped(&mut self, number: usize, ended: anyhow::Result<()>) {
        let text = match &ended {
            Ok(()) => "stops".to_owned(),
            Err(error) => format!("stops: {error:#}"),
        };
        self.note(number, &text);
        let now = self.now();
        let has_failed = self.disks[number].has_failed();
        let stopped = checks::ended_for(&self.disks[number], number);
        if let Err(error) = &ended {
            let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
            let is_restored = self.game.checks.restored.contains(&number);
            let has_reason = |error: &PlayError| match error {
                PlayError::OwnHistory { .. } => is_restored,
                _ => false,
            };
            let is_allowed = causes.all(has_reason) && !error.is::<CannotBegin>();
            assert!(has_failed || is_allowed, "{error:#}");
        }
        self.ends_running(number, Duration::from_secs(5), 20_000);
        let Some(log) = stopped.filter(|_| !has_failed) else {
            return;
        };
        let over = self.game.players[number].over;
        self.game.players[number].is_done = true;
        self.game.first_end.get_or_insert(now);
        let is_broken_off = ended.is_err_and(|error| error.is::<BrokenOff>());
        if let Some(over) = over
            && !log.is_removed()
            && !is_broken_off
        {
            // A peer without faults had the time to learn the end. The clock of the program can be fast.
            let waited = now - over + Duration::from_millis(50) >= LAST_CALL;
            let lacks = checks::uninformed(number, &log, &self.disks);
            for peer in lacks {
                let fine = self.game.players[peer].fine;
                let is_fine = fine.is_some_and(|fine| fine + LAST_CALL <= now);
                assert!(
                    waited && !is_fine,
                    "{number} has ended, and {peer} does not know the end"
                );
            }
        }
    }

    /// Whether a program has just learned the end of the match, and loses its last messages.
    fn is_last_lost(&mut self, number: usize) -> bool {
        let now = self.now();
        let has_faults = self.pause.is_some();
        has_faults && self.game.players[number].over == Some(now) && self.shared().once_in(3)
    }

    /// Cuts the connection of a guest to the host, if both are calm. Then the guest has a new one soon.
    fn cut_one(&mut self, guest: usize) {
        let socket = self.line_to_host(guest);
        let now = self.now();
        if let Some(socket) = socket.filter(|_| !self.game.cut.contains_key(&guest)) {
            self.note(guest, "loses its host");
            self.shared().cut_openly(socket);
            self.game.cut.insert(guest, now);
            self.game.had.remove(&(0, guest));
        }
    }

    /// Notes which programs do not run, or are not connected to another one that runs.
    fn look_for_trouble(&mut self) {
        let now = self.now();
        let late = now + Duration::from_secs(2);
        let views: Vec<Option<View>> = (0..self.programs.len())
            .map(|number| self.view(number))
            .collect();
        let shared = self.shared.borrow();
        let network = &shared.network;
        let line = |one: usize, other: usize| {
            let number = *views[one].as_ref()?.lines.get(&other)?;
            network.is_prompt(number, late).then_some(number)
        };
        let are_connected = |one, other| {
            let (line, back) = (line(one, other), line(other, one));
            line.is_some_and(|line| back.is_some() && network.peer(line) == back)
        };
        let others = |number: usize| (0..views.len()).filter(move |other| *other != number);
        let has_begun = views.iter().flatten().next().is_some();
        let is_in_trouble = |number: usize| {
            let Some(view) = &views[number] else {
                return has_begun;
            };
            let is_alone = |other: usize| views[other].is_some() && !are_connected(number, other);
            !view.is_synced || others(number).any(is_alone)
        };
        let troubles: Vec<bool> = (0..views.len()).map(is_in_trouble).collect();
        let is_fine = |number: usize| {
            let is_apart = |other| shared.are_apart(number, other);
            views[number].is_some() && !shared.is_faulty && !others(number).any(is_apart)
        };
        let fine: Vec<bool> = (0..views.len()).map(is_fine).collect();
        let plays = |one: usize, other: usize| {
            let view = views[one].as_ref();
            view.is_some_and(|view| view.is_playing && !view.gone.contains(&other))
        };
        let players = &self.game.players;
        let has_faults = self.pause.is_some();
        let is_calm = |number: usize| {
            let since = players[number].fine.filter(|_| fine[number]);
            has_faults && since.is_some_and(|since| since + CALM <= now)
        };
        let (mut alone, mut had, mut cut) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut calm = Vec::new();
        for pair in (0..views.len()).flat_map(|other| (0..other).map(move |one| (one, other))) {
            let (one, other) = pair;
            if !plays(one, other) || !plays(other, one) || shared.are_apart(one, other) {
                continue;
            }
            if is_calm(one) && is_calm(other) {
                let mut lines = self.game.had.remove(&pair).unwrap_or_default();
                lines.extend(line(one, other));
                assert!(
                    lines.len() <= CONNECTIONS,
                    "{pair:?} connect again and again"
                );
                had.insert(pair, lines);
                calm.extend((one == 0).then_some(other));
            }
            if !are_connected(one, other) {
                let since = self.game.alone.get(&pair).copied().unwrap_or(now);
                assert!(now < since + ALONE, "{pair:?} are not connected");
                alone.insert(pair, since);
                if let Some(at) = self.game.cut.get(&other).filter(|_| one == 0) {
                    assert!(now < *at + AGAIN, "{other} is not connected again");
                    cut.insert(other, *at);
                }
            }
        }
        drop(shared);
        (self.game.alone, self.game.had, self.game.cut) = (alone, had, cut);
        for guest in calm {
            if self.shared().once_in(40) {
                self.cut_one(guest);
            }
        }
        for (number, is_in_trouble) in troubles.into_iter().enumerate() {
            self.game.checks.trouble(number, is_in_trouble, now);
        }
        for (player, is_fine) in self.game.players.iter_mut().zip(fine) {
            player.fine = is_fine.then(|| player.fine.unwrap_or(now));
        }
    }

    /// The view of a program. `None` unless it plays and is not suspended.
    fn view(&mut self, number: usize) -> Option<View> {
        let now = self.now();
        if self.programs[number].suspended_until > now {
            return None;
        }
        let seat = self.seat(number)?;
        let log = seat.log();
        let program = |seat: &Seat| checks::program_of(log, *seat);
        let lines = seat.connections.iter();
        Some(View {
            lines: lines
                .map(|(seat, line)| (program(seat), line.number()))
                .collect(),
            is_synced: seat.table.play().is_synced(),
            is_playing: !matches!(log.phase(), Phase::Over(_)) && !log.is_removed(),
            gone: log.gone().iter().map(program).collect(),
        })
    }
}

/// The visible state of a program.
struct View {
    /// The programs to which it is connected, and the sockets.
    lines: BTreeMap<usize, u32>,
    is_synced: bool,
    is_playing: bool,
    /// The programs that are gone for it.
    gone: Vec<usize>,
}

impl Game for Tables {
    type Code = Table;

    const PAUSES: [u64; 3] = [200_000, 90_000, 40_000];

    fn open(&mut self, world: Simulated, now: Duration) -> anyhow::Result<Table> {
        let number = world.program;
        let identity = identity(number);
        let invites = Invites::open(Box::new(world.open_value("invites")?))?;
        let stored = Stored {
            files: world.clone(),
            peers: SharedPeers::new(kept_peers(&world, &identity)?),
            identity,
            name: Name::clean(["Anna", "Bert", "Carla"].get(number).unwrap_or(&"Dora")),
            invites: Arc::new(Mutex::new(invites)),
        };
        let own = Own::new(world, stored);
        let program = match number {
            0 => self.host(&own, now)?,
            _ => self.guest(&own, now)?,
        };
        Ok(Table {
            own,
            program,
            ended: None,
            goodbyes: BTreeSet::new(),
        })
    }

    /// A player without the file of its match could not come back, and a table with all of its seats would wait for it.
    /// Once a program knows the end, others do not wait for it as long as an older one would need.
    fn may_restore(this: &mut Simulation<Self>, program: usize) -> bool {
        let is_open = this.game.players.iter().all(|player| !player.is_done);
        let matches = this.disks[program].names(".log");
        let backup = this.programs[program].backup.as_ref();
        is_open && backup.is_some_and(|old| matches.iter().all(|(name, _)| old.has(name)))
    }

    fn starts(this: &mut Simulation<Self>, program: usize, is_restored: bool) {
        if is_restored {
            this.game.checks.restored.insert(program);
        }
        let is_over = checks::ended_for(&this.disks[program], program).is_some();
        let player = &mut this.game.players[program];
        player.is_done |= is_over;
        (player.started, player.over) = (this.shared.borrow().now, None);
        player.goodbyes.clear();
        player.records = this.disks[program].names(".log").len();
        this.game.checks.started(program);
    }

    fn died(_: &mut Simulation<Self>, _: usize) {}

    fn ran(this: &mut Simulation<Self>, number: usize) {
        let now = this.now();
        let has_failed = this.disks[number].has_failed();
        let Some(code) = &mut this.programs[number].code else {
            return;
        };
        let records = this.disks[number].names(".log").len();
        let made = records.saturating_sub(this.game.players[number].records);
        assert!(
            made <= 1 || has_failed,
            "{number} keeps several new records"
        );
        let ended = code.ended.take();
        let goodbyes = std::mem::take(&mut code.goodbyes);
        this.game.players[number].goodbyes.extend(goodbyes);
        // After a failed write, the log has parts that were not sent.
        if let Some(seat) = code.seat().filter(|_| !has_failed) {
            let log = seat.log();
            let gone = this.game.checks.log(number, log, now);
            for gone in gone {
                this.note(number, &format!("sees that {gone} is gone"));
                if !this.game.checks.left.contains(&gone) {
                    this.count("removed");
                }
            }
        }
        if this.is_last_lost(number) {
            this.shared().lose_all(number);
        }
        if let Some(ended) = ended {
            this.stopped(number, ended);
        }
    }

    fn event(this: &mut Simulation<Self>, program: usize, event: &Value) {
        this.game.checks.event(event);
        let kind = event["event"].as_str().unwrap();
        if ["ask-admit", "ask-sit", "resumed"].contains(&kind) {
            this.count(kind);
        }
        if kind == "ask-admit" || kind == "admit-lapsed" {
            let asked = event["fingerprint"]
                .as_str()
                .filter(|_| kind == "ask-admit");
            this.game.asked = asked.map(str::to_owned);
        }
        // The program of the host asks about a guest once.
        this.game.needs_invites |= kind == "admit-lapsed";
        if kind == "over" {
            let now = this.now();
            this.game.players[program].over.get_or_insert(now);
        }
        let text = event["text"].as_str().unwrap_or_default();
        if program > 0 && text.ends_with("players are here.") {
            this.game.came_in(program);
        }
    }

    fn says(this: &mut Simulation<Self>, program: usize, line: &str) {
        if line.contains("leave") {
            this.game.checks.left.insert(program);
        }
        let said: Value = serde_json::from_str(line).unwrap_or_default();
        if said["do"] == "admit" && said["agree"] == false {
            // The program refuses an answer to a question that has lapsed.
            let asked = this.game.asked.take();
            let asked = asked.filter(|asked| said["fingerprint"].as_str() == Some(asked));
            this.game.declined.extend(asked);
            this.game.needs_invites = true;
        }
    }

    fn asks(this: &mut Simulation<Self>, program: usize, _: bool, path: &str, _: &Value) {
        if path == "/end" {
            this.note(program, "is ended by its player");
            this.enter(program, |table, now| table.input(Input::BreakOff, now));
        }
    }

    /// A player whose program does not begin a match starts it again.
    fn decides(this: &mut Simulation<Self>, program: usize) {
        let waited = this.now() - this.game.players[program].started;
        if waited < PATIENCE || this.seat(program).is_some() {
            return;
        }
        let has_reason =
            this.game.needs_invites || this.game.players.iter().any(|player| player.is_done);
        assert!(
            has_reason || waited < 2 * PATIENCE || this.shared().is_faulty,
            "the match does not begin"
        );
        if program == 0 && this.game.needs_invites {
            Self::asks(this, program, true, "/end", &Value::Null);
        }
    }

    fn happened(this: &mut Simulation<Self>) {
        let now = this.now();
        if now >= this.game.looked + Duration::from_secs(1) {
            this.game.looked = now;
            this.look_for_trouble();
        }
    }

    fn show(&mut self, programs: &mut [Program<Table>]) {
        for (number, program) in programs.iter_mut().enumerate() {
            let Some(seat) = program.code.as_mut().and_then(Table::seat) else {
                println!("program {number}: no seat");
                continue;
            };
            let play = seat.table.play();
            let lines = seat.connections.iter();
            let lines = lines.map(|(peer, line)| (peer, line.number(), play.has_heard(*peer)));
            println!(
                "program {number}, {}: step {}, {:?}, waits for {:?}, synced {}, gone {:?}, connections {:?}",
                play.seat(),
                play.log().step(),
                play.log().may_sign(play.seat()),
                play.log().waits_for(),
                play.is_synced(),
                play.log().gone(),
                lines.collect::<Vec<_>>(),
            );
        }
    }
}
