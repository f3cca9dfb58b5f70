//! Tables of 3 to 10 seats, from the link on: each player runs a program as `dealerless host`, `join` or `resume`
//! does, and starts it again until all players of the match know its end. Each seat calls and is called by all others.
//! At most tables, a guest more than seats may come, and the host may begin with fewer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use dealerless::verifiable::trust_own_shuffles;
use dealerless_connection::identity::{Address, Name, Peer, SharedPeers};
use dealerless_connection::{ConnectionError, Invites, Place, PolledConnection, PolledDoor};
use dealerless_table::Seat;
use dealerless_table::log::{Clock as Limits, MatchId, Phase};
use dealerless_table::play::{BuyTerms, CannotBegin, PlayError, Proposal, TableTerms};
use dealerless_table::testing::test_match;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use super::person::Act;
use super::simulation::{Code, Counts, Game, Program, Simulation};
use super::tables_checks::{self as checks, Checks, Ended, Entry, identity, seat_of};
use super::world::{Happening, OfSocket, Shared, Simulated, address, relay};
use crate::command;
use crate::guest::NOT_ACCEPTED_YET;
use crate::run::matches;
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
/// A player knows after this time for whom the program waits.
const TOLD: Duration = Duration::from_secs(30);
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
    /// Whether its program has a link that the host has replaced before.
    has_old_link: bool,
    /// Whether its program was told that it waits for the answer of the host's player.
    waits_for_answer: bool,
    /// What its program was told last about the table, and when.
    table: Option<(Entry, Duration)>,
    /// The number of records on its disk when the program that runs was started.
    records: usize,
}

/// A table, and what is checked.
pub(super) struct Tables {
    terms: TableTerms,
    reach: Reach,
    players: Vec<Player>,
    pub(super) checks: Checks,
    /// Whether more guests than seats may come, and the host may begin with fewer or replace the link.
    is_varied: bool,
    /// The link of the host's program that was started last.
    link: Option<String>,
    /// The links that this host has replaced.
    replaced: BTreeSet<String>,
    /// Whether some guest cannot come in before the host starts again.
    has_declined: bool,
    /// The match of the host, and the programs that play it.
    main: Option<(MatchId, BTreeSet<usize>)>,
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
    /// The time of the last look for programs in trouble.
    looked: Duration,
}

/// The table of a seed.
fn terms_of(shared: &mut Shared) -> TableTerms {
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
    let header = of.match_info.header();
    let mut clock = header.clock;
    let (each_move, bank) = *[(0, 0), (5, 10), (30, 60)].choose(rng).unwrap();
    if may_leave == 0 || each_move > 0 {
        clock = Limits { each_move, bank };
    }
    let is_open = rng.random_ratio(1, 4);
    let buys = BuyTerms::of_stack(header.stakes.stack());
    TableTerms::new(header.stakes.clone(), buys, may_leave, true, is_open, clock).unwrap()
}

impl Tables {
    /// The program of the host.
    fn host(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let open = self.open_match(own)?;
        let (world, shared) = (&own.world, || own.world.shared.borrow_mut());
        let is_resumed = open.is_some() && (!shared().once_in(3) || self.resumes_all);
        let proposal = match &open {
            Some(kept) if is_resumed => {
                Proposal::from(kept.opened.sitting.match_info.header().clone())
            }
            _ => Proposal::from(self.terms.clone()),
        };
        let mut door = door(own, world, &proposal);
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
        let link = own.table_link(&self.terms, addresses.clone(), at_relay.clone())?;
        if let Some(relay) = self.reach.relay() {
            door.wait_for_invite(relay, &link, now);
        }
        self.has_declined = false;
        let expects = shared().once_in(2);
        let known = own.peers.lock().peers().to_vec().into_iter();
        let known = known.filter(|_| expects).map(|peer| peer.identity);
        let known: Vec<_> = known.collect();
        self.checks.door.opens(self.terms.is_open, &known);
        let hosted = Hosted {
            listeners: addresses.iter().map(Address::to_string).collect(),
            relay: at_relay.map(Place::from),
            ways: Some(Box::new(self.reach)),
            expected: known,
            ..Hosted::new(proposal, link)
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
        let resumes = !shared.once_in(3) || self.resumes_all || self.players[0].is_done;
        let (is_named, is_old) = (shared.once_in(4), shared.is_fault(8));
        drop(shared);
        if let Some(kept) = open.filter(|_| resumes) {
            return Ok(Box::new(Guest::resuming(
                own, requires, NEEDS, by_name, kept, now,
            )?));
        }
        let is_over = self.players[number].is_done || !self.plays(number);
        ensure!(!is_over || !self.players[0].is_done, "the match is over");
        let is_known = own.peers.lock().get(&host).is_some();
        let old = self.replaced.first().filter(|_| is_old);
        let link = old.or(self.link.as_ref());
        let link = link.filter(|_| !is_known || !is_named).cloned();
        self.players[number].has_old_link = link
            .as_ref()
            .is_some_and(|link| self.replaced.contains(link));
        let route = match &link {
            Some(link) => Route::to_host(link.parse()?),
            None if is_known => by_name,
            None => bail!("there is no link yet"),
        };
        Ok(Box::new(Guest::joining(own, requires, NEEDS, route, now)?))
    }

    /// Whether a program plays the match of the host, if there is one.
    fn plays(&self, number: usize) -> bool {
        let main = self.main.as_ref();
        main.is_none_or(|(_, members)| members.contains(&number))
    }

    /// The programs that play the match of the host.
    fn members(&self) -> impl Iterator<Item = (usize, &Player)> {
        let players = self.players.iter().enumerate();
        players.filter(|(number, _)| self.plays(*number))
    }

    /// Whether the players of the match have learned its end.
    fn is_over(&self) -> bool {
        self.main.is_some() && self.members().all(|(_, player)| player.is_done)
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
        if let Some(kept) = open.into_iter().next() {
            return Ok(Some(kept));
        }
        // A player that has closed the match resumes it by its name once the host has its end.
        let ended = self.main.as_ref().filter(|_| self.players[0].is_done);
        let kept = ended.map(|(of, _)| matches::find(own, of)).transpose()?;
        Ok(kept.flatten().filter(|kept| !kept.is_over()))
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
        Self::of(seed, given, true)
    }

    /// The table of a seed with as many players as seats, who all play.
    pub(super) fn full(seed: u64) -> Self {
        trust_own_shuffles();
        Self::of(seed, &[], false)
    }

    fn of(seed: u64, given: &[u8], is_varied: bool) -> Self {
        let game = |shared: &mut Shared| {
            let terms = terms_of(shared);
            let seats = terms.stakes.seats();
            let programs = seats + usize::from(is_varied && shared.once_in(3));
            let reach = [
                Reach::Directly,
                Reach::Directly,
                Reach::AtRelay,
                Reach::Both,
            ];
            let tables = Tables {
                terms,
                reach: *reach.choose(&mut shared.rng).unwrap(),
                players: vec![Player::default(); programs],
                checks: Checks::new(programs, 100),
                is_varied,
                link: None,
                replaced: BTreeSet::new(),
                has_declined: false,
                main: None,
                resumes_all: false,
                first_end: None,
                alone: BTreeMap::new(),
                had: BTreeMap::new(),
                cut: BTreeMap::new(),
                looked: Duration::ZERO,
            };
            (tables, programs)
        };
        let mut simulation = Self::with(seed, given, game);
        simulation.slowness = if seed % 8 >= 4 { 8 } else { 1 };
        simulation
    }

    /// Plays until the match is over for all its seats, or the others have stopped without those that do not know the
    /// end.
    pub(super) fn play(&mut self) {
        self.play_until(|this| {
            let is_late = this.now() > this.faults_end + FORGOTTEN;
            let has_ended = this.game.members().any(|(_, player)| player.is_done);
            let are_forgotten = is_late && has_ended && this.game.looked == this.now();
            this.game.is_over() || (are_forgotten && this.nobody_can_tell())
        });
        let lack = self.game.members().filter(|(_, player)| !player.is_done);
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
        let members = self.game.members().map(|(number, _)| number);
        let guests: Vec<usize> = members.filter(|number| *number > 0).collect();
        let is_here = |number: usize| self.programs[number].code.is_some();
        if guests
            .into_iter()
            .any(|guest| is_here(guest) && knows_end(guest))
        {
            return false;
        }
        let is_bound = |this: &mut Self, program: usize| {
            let log = this.seat(program).map(|seat| seat.log());
            log.is_some_and(|log| log.match_info().has_roll_calls() && log.waits_for().is_empty())
        };
        let open = self.game.members().filter(|(_, player)| !player.is_done);
        let open: Vec<usize> = open.map(|(number, _)| number).collect();
        let all_are_bound = open.into_iter().all(|program| is_bound(self, program));
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
            let (of, _) = this.game.main.as_ref().expect("a match");
            this.game.checks.ends(*of, &this.disks, &knows)
        });
        let Ended { how, gone, hands } = ended;
        let now = self.now();
        let members: Vec<usize> = self.game.members().map(|(number, _)| number).collect();
        let (seats, programs) = (members.len(), self.programs.len());
        if self.pause.is_none() {
            let took = now - self.game.first_end.unwrap_or_default();
            assert!(took < Duration::from_secs(3), "the end takes {took:?}");
            let pairs = self.shared().network.pairs;
            let is_direct = self.game.reach == Reach::Directly && seats == programs;
            let start_once = members
                .iter()
                .all(|number| self.programs[*number].starts == 1);
            assert!(start_once || !self.game.replaced.is_empty());
            assert!(!is_direct || !start_once || pairs == seats * (seats - 1) / 2);
        }
        if programs > self.game.terms.stakes.seats() {
            self.count("more guests than seats");
        }
        if seats < self.game.terms.stakes.seats() {
            self.count("begins with fewer");
        }
        if self.game.terms.is_open {
            self.count("open table");
        }
        self.count(&format!("ended: {how}"));
        self.count(&format!("{seats} seats"));
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
            let of = views[other].as_ref().map(|view| view.of);
            let view = views[one].as_ref().filter(|view| Some(view.of) == of);
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
        self.look_at_table();
    }

    /// Checks what the programs have told their players who wait for a match. Without faults, each guest whom the host
    /// shows at its table knows who has a seat, and each guest at its door knows that it waits for an answer.
    fn look_at_table(&mut self) {
        let (now, since) = (self.now(), self.faults_end + CALM);
        if self.pause.is_some() && now < since || self.seat(0).is_some() {
            return;
        }
        if self.programs[0].code.is_none() {
            return;
        }
        let is_told = |at: Duration| at + TOLD < now;
        for number in 1..self.programs.len() {
            let fingerprint = identity(number).public().fingerprint().to_string();
            let player = &self.game.players[number];
            let is_here = self.programs[number].code.is_some() && player.started + TOLD < now;
            let door = &self.game.checks.door;
            let at_door = door.waits_since(&fingerprint).is_some_and(is_told);
            assert!(
                !is_here || !at_door || player.waits_for_answer,
                "{number} does not know that it waits for an answer"
            );
            let at_table = door.table.as_ref().filter(|(_, at)| is_told(*at));
            let Some((shown, _)) = at_table.filter(|_| is_here && self.game.plays(number)) else {
                continue;
            };
            if shown.fingerprints.contains(&fingerprint) && !shown.away.contains(&fingerprint) {
                let told = player
                    .table
                    .as_ref()
                    .map(|(table, _)| (table.place, &table.names));
                assert_eq!(told, Some((0, &shown.names)), "{number} has a seat");
            }
        }
    }

    /// The host's player may begin with those who are here, or replace the link. A match with all seats, or with all
    /// guests of the table, is the only one of the table.
    fn acts_at_table(&mut self, event: &Value) {
        if !self.game.is_varied {
            return;
        }
        let has_guests = event["players"].as_array().unwrap().len() > 1;
        let all_fit = self.programs.len() == self.game.terms.stakes.seats();
        let has_record = !self.disks[0].names(".log").is_empty();
        if has_guests && all_fit && !has_record && self.shared().once_in(10) {
            self.plan_act(r#"{"do":"start"}"#);
        }
        if self.shared().once_in(10) {
            self.plan_act(r#"{"do":"link-new"}"#);
        }
    }

    /// The host's player says this soon.
    fn plan_act(&mut self, line: &str) {
        let starts = self.programs[0].starts;
        let acts = Happening::Acts(0, starts, Act::Says(line.to_owned()));
        self.shared().soon(10_000, acts);
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
            of: log.match_info().id(),
            is_playing: !matches!(log.phase(), Phase::Over(_)) && !log.is_removed(),
            gone: log.gone().iter().map(program).collect(),
        })
    }
}

/// The visible state of a program.
struct View {
    /// The match.
    of: MatchId,
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
            // At large tables, several players have one name.
            name: Name::clean(
                ["Anna", "Bert", "Carla", "Bert"]
                    .get(number)
                    .unwrap_or(&"Dora"),
            ),
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
        if is_restored && program == 0 {
            // The link that it has replaced is valid again.
            this.game.replaced.clear();
        }
        let is_over = checks::ended_for(&this.disks[program], program).is_some();
        let player = &mut this.game.players[program];
        player.is_done |= is_over;
        (player.started, player.over) = (this.shared.borrow().now, None);
        player.goodbyes.clear();
        (player.waits_for_answer, player.table) = (false, None);
        player.has_old_link = false;
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
        if let Some(seat) = code.seat().filter(|_| number == 0) {
            let log = seat.log();
            let members = Seat::all(log.match_info().seats());
            let members = members.map(|seat| checks::program_of(log, seat));
            this.game.main = Some((log.match_info().id(), members.collect()));
        }
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
        if number == 0
            && let Some(code) = &this.programs[0].code
        {
            let known = code.own.peers.lock().peers().to_vec();
            this.game.checks.door.knows(&known);
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
        let now = this.now();
        let kind = event["event"].as_str().unwrap();
        if ["at-door", "ask-table", "ask-sit", "table", "resumed"].contains(&kind) {
            this.count(kind);
        }
        let player = &mut this.game.players[program];
        match kind {
            "over" => {
                player.over.get_or_insert(now);
            }
            "invite" => {
                let link = event["invite"].as_str().unwrap().to_owned();
                let old = this.game.link.replace(link);
                // Both are links of one table.
                let is_new = |old: &String| Some(old) != this.game.link.as_ref();
                this.game.replaced.extend(old.filter(is_new));
            }
            "at-door" => this.game.checks.door.shows_door(event, now),
            "table" | "ask-table" if program > 0 => {
                assert!(!player.has_old_link, "{program} has come in by an old link");
                if kind == "table" {
                    player.table = Some((Entry::of(event), now));
                }
            }
            "table" => {
                this.game.checks.door.shows_table(event, now);
                this.acts_at_table(event);
            }
            "notice" => {
                let text = event["text"].as_str().unwrap();
                player.waits_for_answer |= text == NOT_ACCEPTED_YET;
                if text.contains("is already here") {
                    this.count("namesakes");
                }
            }
            _ => {}
        }
    }

    fn says(this: &mut Simulation<Self>, program: usize, line: &str) {
        if line.contains("leave") {
            this.game.checks.left.insert(program);
        }
        let said: Value = serde_json::from_str(line).unwrap_or_default();
        let what = said["do"].as_str().unwrap_or_default();
        let fingerprint = said["fingerprint"].as_str().unwrap_or_default();
        match what {
            "accept" => this.game.checks.door.accepts(fingerprint),
            "decline" => {
                this.game.has_declined |= this.game.checks.door.declines(fingerprint);
            }
            "link-new" => {
                this.game.checks.door.forgets_declined();
                this.game.has_declined = false;
            }
            _ => {}
        }
        if ["accept", "decline", "start", "link-new"].contains(&what) {
            this.count(what);
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
            this.game.has_declined || this.game.players.iter().any(|player| player.is_done);
        assert!(
            has_reason || waited < 2 * PATIENCE || this.shared().is_faulty,
            "the match does not begin"
        );
        if program == 0 && this.game.has_declined {
            match this.game.is_varied && this.shared().once_in(2) {
                true => this.plan_act(r#"{"do":"link-new"}"#),
                false => Self::asks(this, program, true, "/end", &Value::Null),
            }
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
        let done: Vec<bool> = self.players.iter().map(|player| player.is_done).collect();
        println!("match {:?}, over for {done:?}", self.main);
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
