//! Evenings at tables of 3 to 6 seats, from the link on: each player runs a program as `dealerless host`, `join` or
//! `resume` does, and starts it again until the evening is over. Players come late, leave with a hand, buy chips and
//! return. At many tables, a guest more than seats may come, and the host may begin with fewer. At the end of the
//! evening, all players leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless::verifiable::trust_own_shuffles;
use dealerless_connection::identity::{Address, Name, Peer, SharedPeers};
use dealerless_connection::{ConnectionError, Invites, Place, PolledConnection, PolledDoor};
use dealerless_table::Seat;
use dealerless_table::log::{Clock as Limits, End, MatchId, MatchLog, Phase};
use dealerless_table::play::{BuyTerms, CannotBegin, PlayError, Proposal, TableTerms};
use dealerless_table::testing::test_match;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use super::person::Act;
use super::simulation::{Code, Counts, Game, Program, Simulation};
use super::tables_checks::{self as checks, Checks, Ended, Entry, identity, seat_of};
use super::world::{Happening, Shared, Simulated, address, relay};
use crate::command;
use crate::guest::NOT_ACCEPTED_YET;
use crate::run::matches;
use crate::run::own::{Own, Stored, kept_peers};
use crate::run::{
    self, Files as _, Guest, Host, Hosted, HostedAt, Input, Kept, Requirements, Route, SeatInPlay,
    Ways, door, host_table_again,
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
/// Calm programs that go on are in the same match after this time.
const TOGETHER: Duration = Duration::from_secs(60);
/// All players leave in this time at the end of the evening.
const LEAVING: Duration = Duration::from_secs(100);
/// The maximum number of programs.
const MOST: usize = 7;
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

    /// The route to a program whose keys are known.
    fn route_to(self, program: usize) -> Route {
        Route {
            invite: None,
            peer: Some(identity(program).public().clone()),
            addresses: self.addresses(program),
            relay: self.at_relay().map(Place::from),
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

    fn route(&self, peer: &Peer) -> Option<Route> {
        let program = (0..MOST).find(|program| *identity(*program).public() == peer.identity)?;
        Some(self.route_to(program))
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
    /// When the program that runs was started.
    started: Duration,
    /// When the program that runs has learned the end.
    over: Option<Duration>,
    /// Since when it runs, and nobody was kept from reaching it.
    fine: Option<Duration>,
    /// Whether the player has ended the program that runs, also in the last call.
    is_broken_off: bool,
    /// The seats that have said goodbye to the program.
    goodbyes: BTreeSet<Seat>,
    /// Whether its program has a link that the host has replaced before.
    has_old_link: bool,
    /// Whether its program was told that it waits for the answer of the host's player.
    waits_for_answer: bool,
    /// What its program was told last about the table, and when.
    table: Option<(Entry, Duration)>,
    /// When it comes, for the first time or after it has left.
    comes: Duration,
    /// The match in which its program is.
    of: Option<MatchId>,
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
    /// The last match in which a card was opened, and the programs that play it.
    main: Option<(MatchId, BTreeSet<usize>)>,
    /// The place of each match in the evening.
    places: BTreeMap<MatchId, usize>,
    /// The programs that have opened a card in each match.
    openers: BTreeMap<MatchId, BTreeSet<usize>>,
    /// The program that has shown a link last.
    hosts: usize,
    /// When all players leave.
    closing: Duration,
    /// Since when calm programs are in different matches, or in none.
    apart: Option<Duration>,
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
    let seats = match rng.random_range(0..30) {
        0..18 => 3,
        18..26 => 4,
        _ => rng.random_range(5..=6),
    };
    let may_leave = rng.random_range(0..=2).min(seats - 2);
    let hands = 2 + rng.random_range(0..3);
    let of = test_match::threshold(seats, usize::from(seats - may_leave), hands);
    let header = of.match_info.header();
    let mut clock = header.clock;
    let (each_move, bank) = *[(0, 0), (5, 10), (30, 60)].choose(rng).unwrap();
    if may_leave == 0 || each_move > 0 {
        clock = Limits { each_move, bank };
    }
    let is_open = rng.random_ratio(1, 4);
    let stack = header.stakes.stack();
    let buys = BuyTerms {
        least: stack / 2,
        most: 2 * stack,
        ..BuyTerms::of_stack(stack)
    };
    TableTerms::new(header.stakes.clone(), buys, may_leave, true, is_open, clock).unwrap()
}

impl Tables {
    /// The program of a player, as it is started now.
    ///
    /// # Errors
    /// If the player does not start it.
    fn program(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let number = own.world.program;
        let real = own.world.shared.borrow().now;
        let is_closing = real >= self.closing;
        let has_left = |kept: &Kept<_>| kept.opened.log.gone().contains(&kept.seat());
        let mut shared = own.world.shared.borrow_mut();
        let tells = !is_closing || shared.once_in(2);
        drop(shared);
        let kept = self.kept(own)?.filter(|kept| tells || !has_left(kept));
        if let Some(kept) = kept {
            let is_over = kept.is_over();
            let of = kept.id();
            let resumes = is_over || is_closing || !own.world.shared.borrow_mut().once_in(4);
            let is_host = kept.seat() == Seat::HOST;
            if is_host && resumes {
                return self.hosts_again(own, kept, now);
            }
            if resumes && !(is_closing && self.main_is_not(of)) {
                let host = checks::program_of(&kept.opened.log, Seat::HOST);
                let (requires, route) = (self.sits(number), self.reach.route_to(host));
                let guest = Guest::resuming(own, requires, NEEDS, route, kept, now)?;
                return Ok(Box::new(guest));
            }
        }
        ensure!(!is_closing, "the evening is over");
        ensure!(self.players[number].comes <= real, "the player is not here");
        match self.link.is_none() || number == self.hosts && self.main.is_none() {
            true if number == 0 => self.host(own, now),
            true => bail!("there is no link yet"),
            false => self.guest(own, now),
        }
    }

    /// Whether another match than this one is the last one.
    fn main_is_not(&self, of: MatchId) -> bool {
        self.main.as_ref().is_some_and(|(main, _)| *main != of)
    }

    /// A program has opened a card in this match. It counts from the second one on: the first one may have lost its
    /// connections, and the others can give the match up (S10, S11).
    fn opened(&mut self, program: usize, log: &MatchLog, now: Duration) {
        let of = log.match_info().id();
        let openers = self.openers.entry(of).or_default();
        openers.insert(program);
        if openers.len() < 2 || self.places.contains_key(&of) {
            return;
        }
        let past = log.match_info().header().past();
        let before = past.map(|past| self.places.get(&past.match_id).copied());
        let place = before.map_or(0, |before| before.expect("the match before") + 1);
        self.places.insert(of, place);
        let all: BTreeSet<usize> = self.places.values().copied().collect();
        assert!(all.len() == self.places.len(), "a match is continued twice");
        let members = Seat::all(log.match_info().seats());
        let members = members.map(|seat| checks::program_of(log, seat));
        self.main = Some((of, members.collect()));
        self.checks.begins(log, now);
    }

    fn sits(&self, program: usize) -> Box<Sits> {
        Box::new(Sits {
            asks: program.is_multiple_of(2),
            reach: self.reach,
        })
    }

    /// The program of a host that resumes a match.
    fn hosts_again(
        &mut self,
        own: &Own<Simulated>,
        kept: Kept<Simulated>,
        now: Duration,
    ) -> anyhow::Result<AnyProgram> {
        let proposal = Proposal::from(self.terms.clone());
        let mut door = door(own, &own.world, &proposal);
        let addresses = self.reach.open(own, &mut door);
        for peer in kept.peers() {
            if let Some(relay) = self.reach.relay() {
                door.wait_for_known(relay, &peer, now);
            }
        }
        let at = HostedAt {
            ways: Arc::new(self.reach),
            addresses,
            relay: self.reach.relay(),
        };
        self.checks.door.opens(self.terms.is_open, &[]);
        let host = host_table_again(own, door, at, kept, NEEDS, now)?;
        Ok(Box::new(host))
    }

    /// The program of a host that opens the table.
    fn host(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let (world, shared) = (&own.world, || own.world.shared.borrow_mut());
        let proposal = Proposal::from(self.terms.clone());
        let mut door = door(own, world, &proposal);
        let addresses = self.reach.open(own, &mut door);
        let at_relay = self.reach.at_relay();
        for peer in own.peers.lock().peers() {
            if let Some(relay) = self.reach.relay() {
                door.wait_for_known(relay, &peer.identity, now);
            }
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
            ways: Some(Arc::new(self.reach)),
            expected: known,
            ..Hosted::new(proposal, link)
        };
        Ok(Box::new(Host::new(own, door, hosted, NEEDS, now)))
    }

    /// The program of a guest that comes to the table.
    fn guest(&mut self, own: &Own<Simulated>, now: Duration) -> anyhow::Result<AnyProgram> {
        let number = own.world.program;
        let mut shared = own.world.shared.borrow_mut();
        let (is_named, is_old) = (shared.once_in(4), shared.is_fault(8));
        drop(shared);
        let host = identity(self.hosts);
        let is_known = own.peers.lock().get(host.public()).is_some();
        let old = self.replaced.first().filter(|_| is_old);
        let link = old.or(self.link.as_ref());
        let link = link.filter(|_| !is_known || !is_named).cloned();
        self.players[number].has_old_link = link
            .as_ref()
            .is_some_and(|link| self.replaced.contains(link));
        let route = match &link {
            Some(link) => Route::to_host(link.parse()?),
            None => self.reach.route_to(self.hosts),
        };
        let guest = Guest::joining(own, self.sits(number), NEEDS, route, now)?;
        Ok(Box::new(guest))
    }

    /// Whether a program plays the last match, if there is one.
    fn plays(&self, number: usize) -> bool {
        let main = self.main.as_ref();
        main.is_none_or(|(_, members)| members.contains(&number))
    }

    /// The match that a player resumes: an open one, or one that is over and that another match follows.
    fn kept(&self, own: &Own<Simulated>) -> anyhow::Result<Option<Kept<Simulated>>> {
        let (open, unread) = run::all_open(own)?;
        ensure!(unread.is_empty(), "a record cannot be read");
        if let Some(kept) = open.into_iter().next() {
            return Ok(Some(kept));
        }
        let (number, real) = (own.world.program, own.world.shared.borrow().now);
        let is_here = self.players[number].comes <= real && real < self.closing;
        if !is_here || self.checks.has_left.contains(&number) {
            return Ok(None);
        }
        let all = run::records(own)?.into_iter();
        let all = all.map(|(name, _)| Kept::open(own, name));
        let all: Vec<Kept<_>> = all.collect::<anyhow::Result<_>>()?;
        let last = all
            .into_iter()
            .max_by_key(|kept| self.places.get(&kept.id()).copied());
        let continues = |kept: &Kept<_>| {
            let table = matches::kept_table(own, &kept.name);
            table.is_some_and(|table| (1..matches::NO_SEAT).contains(&table.number))
        };
        Ok(last.filter(continues))
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
            let mut tables = Tables {
                terms,
                reach: *reach.choose(&mut shared.rng).unwrap(),
                players: vec![Player::default(); programs],
                checks: Checks::new(programs),
                is_varied,
                link: None,
                replaced: BTreeSet::new(),
                has_declined: false,
                main: None,
                places: BTreeMap::new(),
                openers: BTreeMap::new(),
                hosts: 0,
                closing: Duration::MAX,
                apart: None,
                alone: BTreeMap::new(),
                had: BTreeMap::new(),
                cut: BTreeMap::new(),
                looked: Duration::ZERO,
            };
            for player in tables.players.iter_mut().skip(2) {
                if is_varied && shared.once_in(3) {
                    player.comes = shared.millis(240_000);
                }
            }
            (tables, programs)
        };
        let mut simulation = Self::with(seed, given, game);
        simulation.slowness = if seed % 8 >= 4 { 8 } else { 1 };
        let more = simulation.shared().millis(200_000);
        simulation.game.closing = simulation.faults_end + CALM + more;
        simulation
    }

    /// Plays until the evening is over: all players have left, and know the end of the last match, or the others have
    /// stopped without those that do not know it.
    pub(super) fn play(&mut self) {
        self.play_until(|this| {
            let now = this.now();
            let is_late = now > this.game.closing.saturating_add(FORGOTTEN);
            now > this.game.closing.saturating_add(LEAVING)
                && this.game.looked == now
                && now.as_secs().is_multiple_of(15)
                && (this.lacks_end() == 0 || is_late && this.nobody_can_tell())
        });
        let lacks = self.lacks_end();
        self.count_all("never learns the end", lacks);
    }

    /// The number of players of the last match who do not know its end. One who has no record has given the match up.
    fn lacks_end(&mut self) -> usize {
        let Some((of, members)) = self.game.main.clone() else {
            return 0;
        };
        let lacks = |member: &usize| {
            let log = checks::log_of(&self.disks[*member], of);
            log.is_some_and(|log| !checks::is_over_for(&log, *member))
        };
        members.iter().filter(|member| lacks(member)).count()
    }

    /// Whether those that do not know the end cannot learn it any more, a known limit of the protocol. After the evening,
    /// no player starts a program again for a match that is over. So either no program that knows the end runs.
    /// [`stopped`](Self::stopped) checks that each one has waited long enough, or was ended by its player. Or only the host
    /// runs, and the others have removed it, or the end does not help: a program has all parts of its step, but is bound by
    /// its own call, which only a guest that has stopped can refuse.
    fn nobody_can_tell(&mut self) -> bool {
        let Some((of, members)) = self.game.main.clone() else {
            return false;
        };
        let mut tell = Vec::new();
        let mut open = Vec::new();
        for member in members {
            let log = checks::log_of(&self.disks[member], of);
            let is_over = |log: &MatchLog| matches!(log.phase(), Phase::Over(_));
            match log.filter(is_over) {
                None => open.push(member),
                Some(log) if self.programs[member].code.is_some() => tell.push((member, log)),
                Some(_) => {}
            }
        }
        let is_bound = |this: &mut Self, program: usize| {
            let log = this.seat(program).map(|seat| seat.log());
            log.is_some_and(|log| log.match_info().has_roll_calls() && log.waits_for().is_empty())
        };
        let are_bound = open.iter().all(|program| is_bound(self, *program));
        tell.iter().all(|(member, log)| {
            let is_gone = log.is_removed() || log.gone().contains(&Seat::HOST);
            seat_of(log, *member) == Seat::HOST && (are_bound || is_gone)
        })
    }

    fn seat(&mut self, program: usize) -> Option<&mut SeatInPlay<Simulated>> {
        self.programs[program].code.as_mut()?.seat()
    }

    /// The socket of the connection of a program to another one.
    fn line_to(&mut self, program: usize, other: usize) -> Option<u32> {
        self.view(program)?.lines.get(&other).copied()
    }

    /// Checks the records, and returns the trace of the run.
    pub(super) fn ends(mut self) -> (Vec<String>, Counts) {
        let ended = self.checked(|this| {
            let places = &this.game.places;
            // Without a match, the players have left before one could begin.
            if let Some((last, _)) = &this.game.main {
                this.game.checks.evening(&this.disks, *last);
            }
            let all = places.keys();
            let all = all.map(|of| this.game.checks.ends(*of, &this.disks));
            all.collect::<Vec<Ended>>()
        });
        let now = self.now();
        let programs = self.programs.len();
        if programs > self.game.terms.stakes.seats() {
            self.count("more guests than seats");
        }
        if self.game.terms.is_open {
            self.count("open table");
        }
        self.count(&format!("meets: {:?}", self.game.reach));
        let matches = ended.len();
        for Ended {
            how,
            gone,
            hands,
            seats,
        } in ended
        {
            self.count(&format!("ended: {how}"));
            self.count(&format!("{seats} seats"));
            self.count_all("gone", gone);
            self.count_all("hands", hands);
        }
        for (what, count) in [
            ("matches", matches),
            ("shuffles without proofs", self.game.checks.unproven),
            (
                "two parts for one step",
                self.game.checks.second_parts.len(),
            ),
        ] {
            self.count_all(what, count);
        }
        let text = format!(
            "{matches} matches at {now:?}, faults until {:?}",
            self.faults_end
        );
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
        let of = self.game.players[number].of;
        if let Err(error) = &ended {
            let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
            let is_restored = self.game.checks.restored.contains(&number);
            let has_reason = |error: &PlayError| match error {
                PlayError::OwnHistory { .. } => is_restored,
                _ => false,
            };
            let is_allowed = causes.all(has_reason) && !error.is::<CannotBegin>();
            let is_refused = error
                .chain()
                .any(|cause| cause.to_string().contains("Do not sit down"));
            let is_allowed = is_allowed && (!is_refused || is_restored);
            assert!(has_failed || is_allowed, "{number}: {error:#}");
        }
        self.ends_running(number, Duration::from_secs(5), 20_000);
        if self.game.checks.left.contains(&number) {
            let later = self.shared().millis(150_000);
            self.game.players[number].comes = now + later;
        }
        let log = of.and_then(|of| checks::log_of(&self.disks[number], of));
        let log = log.filter(|log| !has_failed && checks::is_over_for(log, number));
        let Some(log) = log else {
            return;
        };
        let over = self.game.players[number].over;
        let is_broken_off = self.game.players[number].is_broken_off;
        // In earlier matches, the others are in the next match, which has the end in its header.
        let is_last = of.is_some_and(|of| !self.game.main_is_not(of));
        if let Some(over) = over
            && is_last
            && now > self.game.closing
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
    fn cut_one(&mut self, host: usize, guest: usize) {
        let socket = self.line_to(guest, host);
        let now = self.now();
        if let Some(socket) = socket.filter(|_| !self.game.cut.contains_key(&guest)) {
            self.note(guest, "loses its host");
            self.shared().cut_openly(socket);
            self.game.cut.insert(guest, now);
            let pair = (host.min(guest), host.max(guest));
            self.game.had.remove(&pair);
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
            self.game.checks.sit_out.contains(&number)
                || !view.is_synced
                || others(number).any(is_alone)
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
        let host = views
            .iter()
            .position(|view| view.as_ref().is_some_and(|view| view.hosts));
        let are_calm = (0..views.len()).all(|number| views[number].is_none() || is_calm(number));
        let are_calm = are_calm && now < self.game.closing;
        let goes_on = |view: &&View| view.goes_on;
        let of: BTreeSet<MatchId> = views
            .iter()
            .flatten()
            .filter(goes_on)
            .map(|view| view.of)
            .collect();
        let waits = views
            .iter()
            .flatten()
            .filter(goes_on)
            .filter(|view| !view.is_playing);
        let are_apart = are_calm && (of.len() > 1 || waits.count() > 1);
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
                // While the match does not continue, the pauses between two calls are longer.
                let view = |number: usize| views[number].as_ref();
                let is_synced = |number: usize| view(number).is_some_and(|view| view.is_synced);
                if let Some(host) = host.filter(|host| [one, other].contains(host))
                    && is_synced(one)
                    && is_synced(other)
                {
                    calm.push((host, one + other - host));
                }
            }
            if !are_connected(one, other) {
                let since = self.game.alone.get(&pair).copied().unwrap_or(now);
                assert!(now < since + ALONE, "{pair:?} are not connected");
                alone.insert(pair, since);
                let guest = host.filter(|host| [one, other].contains(host));
                let guest = guest.map(|host| one + other - host);
                if let Some((guest, at)) =
                    guest.and_then(|guest| self.game.cut.get_key_value(&guest))
                {
                    assert!(now < *at + AGAIN, "{guest} is not connected again");
                    cut.insert(*guest, *at);
                }
            }
        }
        drop(shared);
        (self.game.alone, self.game.had, self.game.cut) = (alone, had, cut);
        let since = self.game.apart.unwrap_or(now);
        self.game.apart = are_apart.then_some(since);
        assert!(
            !are_apart || now < since + TOGETHER,
            "the next match does not begin"
        );
        for (host, guest) in calm {
            if self.shared().once_in(40) {
                self.cut_one(host, guest);
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
        if self.pause.is_some() && now < since || self.game.main.is_some() {
            return;
        }
        if self.programs[0].code.is_none() || self.seat(0).is_some() {
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
        let program = self.game.hosts;
        if has_guests && self.game.main.is_none() && self.shared().once_in(4) {
            self.plan_act(program, r#"{"do":"start"}"#);
        }
        if self.shared().once_in(10) {
            self.plan_act(program, r#"{"do":"link-new"}"#);
        }
    }

    /// A player says this soon.
    fn plan_act(&mut self, program: usize, line: &str) {
        let starts = self.programs[program].starts;
        let acts = Happening::Acts(program, starts, Act::Says(line.to_owned()));
        self.shared().soon(10_000, acts);
    }

    /// A player leaves with this hand, or buys chips after it.
    fn changes(&mut self, program: usize) {
        if self.now() > self.faults_end + CALM {
            return;
        }
        if self.shared().once_in(14) {
            self.plan_act(program, r#"{"do":"leave"}"#);
        } else if self.shared().once_in(8) {
            let chips = self.shared().rng.random_range(1..150);
            self.plan_act(program, &format!(r#"{{"do":"top-up","chips":{chips}}}"#));
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
            of: log.match_info().id(),
            is_playing: !matches!(log.phase(), Phase::Over(_)) && !log.is_removed(),
            goes_on: seat.has_next
                && (seat.result().is_some() || !matches!(log.phase(), Phase::Over(_))),
            hosts: seat.table.play().seat() == Seat::HOST,
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
    /// Whether another match follows for it.
    goes_on: bool,
    /// Whether it is the host of the match.
    hosts: bool,
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
        self.players[number].is_broken_off = false;
        let program = self.program(&own, now)?;
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
        let matches = this.disks[program].names(".log");
        let backup = this.programs[program].backup.as_ref();
        this.now() < this.game.closing
            && backup.is_some_and(|old| matches.iter().all(|(name, _)| old.has(name)))
    }

    fn starts(this: &mut Simulation<Self>, program: usize, is_restored: bool) {
        if is_restored {
            this.game.checks.restored.insert(program);
        }
        if is_restored && program == 0 {
            // The link that it has replaced is valid again.
            this.game.replaced.clear();
        }
        let player = &mut this.game.players[program];
        player.of = None;
        (player.started, player.over) = (this.shared.borrow().now, None);
        player.goodbyes.clear();
        (player.waits_for_answer, player.table) = (false, None);
        player.has_old_link = false;
        if player.comes <= player.started {
            this.game.checks.left.remove(&program);
        }
        this.game.checks.started(program);
    }

    fn died(_: &mut Simulation<Self>, _: usize) {}

    fn ran(this: &mut Simulation<Self>, number: usize) {
        let now = this.now();
        let has_failed = this.disks[number].has_failed();
        let Some(code) = &mut this.programs[number].code else {
            return;
        };
        let ended = code.ended.take();
        let goodbyes = std::mem::take(&mut code.goodbyes);
        this.game.players[number].goodbyes.extend(goodbyes);
        if let Some(seat) = code.seat() {
            let log = seat.log();
            let of = log.match_info().id();
            let is_new = this.game.players[number].of.replace(of) != Some(of);
            if is_new {
                this.game.checks.started(number);
                // The players of a match are known peers of its host from now on.
                let players = log.match_info().players().iter();
                let players = players.map(|player| player.identity.fingerprint().to_string());
                this.game.checks.door.admitted.extend(players);
            }
            if seat.table.play().has_begun() {
                this.game.opened(number, log, now);
            }
            if matches!(log.phase(), Phase::Over(End::Played)) {
                this.game.closing = this.game.closing.min(now);
            }
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
            && this.game.hosts == 0
            && this.game.main.is_none()
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
        let now = this.now();
        let kind = event["event"].as_str().unwrap();
        if [
            "at-door",
            "ask-table",
            "ask-sit",
            "table",
            "next-match",
            "resumed",
        ]
        .contains(&kind)
        {
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
                if this.game.hosts == program {
                    this.game.replaced.extend(old.filter(is_new));
                } else {
                    this.count("another host");
                    let before = identity(this.game.hosts);
                    this.game.checks.door.was_host(before.public());
                    this.game.hosts = program;
                    let is_open = this.game.terms.is_open;
                    this.game.checks.door.opens(is_open, &[]);
                }
            }
            "dealt" => this.changes(program),
            // A player who does not come back in time is removed, too.
            "sits-out" => {
                this.game.checks.sit_out.insert(program);
            }
            "at-door" if this.game.hosts == program => {
                this.game.checks.door.shows_door(event, now);
            }
            "at-door" => {}
            "table" | "ask-table" if event["players"][0]["fingerprint"].is_null() => {
                assert!(!player.has_old_link, "{program} has come in by an old link");
                if kind == "table" {
                    player.table = Some((Entry::of(event), now));
                }
            }
            "table" if this.game.hosts == program => {
                this.game.checks.door.shows_table(event, now);
                this.acts_at_table(event);
            }
            "table" => {}
            "notice" => {
                let text = event["text"].as_str().unwrap();
                player.waits_for_answer |= text == NOT_ACCEPTED_YET;
                if text.contains("match is settled without") {
                    this.game.checks.settled.extend(player.of);
                }
                if text.contains("asks for a seat again") {
                    this.count("went on");
                }
                if text.contains("is already here") {
                    this.count("namesakes");
                }
                if text.contains("`sit` sits down") {
                    this.count("broke");
                    let line = match this.shared().once_in(4) {
                        true => r#"{"do":"leave"}"#,
                        false => r#"{"do":"sit","agree":true}"#,
                    };
                    this.plan_act(program, line);
                }
            }
            _ => {}
        }
    }

    fn says(this: &mut Simulation<Self>, program: usize, line: &str) {
        if line.contains("top-up") {
            this.count("top-up");
        }
        if line.contains("back") {
            this.game.checks.sit_out.remove(&program);
        }
        if line.contains("leave") {
            this.game.checks.left.insert(program);
            this.game.checks.has_left.insert(program);
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
            this.game.players[program].is_broken_off = true;
            this.enter(program, |table, now| table.input(Input::BreakOff, now));
        }
    }

    /// A player whose program does not begin a match starts it again. At the end of the evening, all players leave.
    fn decides(this: &mut Simulation<Self>, program: usize) {
        let now = this.now();
        if now >= this.game.closing {
            let is_late = this.game.players[program].started + TOLD < now;
            let seat = this.seat(program);
            let log = seat.map(|seat| seat.log());
            if is_late && log.is_some_and(|log| checks::is_over_for(log, program)) {
                return Self::asks(this, program, true, "/end", &Value::Null);
            }
            return this.plan_act(program, r#"{"do":"leave","anyhow":true}"#);
        }
        let waited = now - this.game.players[program].started;
        if waited < PATIENCE || this.seat(program).is_some() || this.game.main.is_some() {
            return;
        }
        let comes = this.game.players.iter().map(|player| player.comes);
        let has_reason = this.game.has_declined || comes.max() > Some(now.saturating_sub(PATIENCE));
        assert!(
            has_reason || waited < 2 * PATIENCE || this.shared().is_faulty,
            "the match does not begin"
        );
        if program == 0 && this.game.has_declined {
            match this.game.is_varied && this.shared().once_in(2) {
                true => this.plan_act(0, r#"{"do":"link-new"}"#),
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
        println!("match {:?}", self.main);
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
