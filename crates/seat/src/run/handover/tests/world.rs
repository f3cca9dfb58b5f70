//! Several programs that hand over, in simulated time: messages take up to the delay, clocks start at different
//! moments, a seat may crash at a write, two seats may be cut off from each other, and one player may cheat.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use dealerless_connection::identity::Fingerprint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::{Handover, TIME};
use super::{Duration, may_open, players, ready};

/// The delay of a message, and the difference between two clocks, in milliseconds at most.
const LATE: u64 = 3_000;
const NEVER: u64 = u64::MAX;

/// What a player states about the match of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// The first part.
    Consents,
    /// All first parts are there.
    Complete,
    /// The first cards are opened.
    Opens,
}

#[derive(Clone, Debug)]
enum Event {
    Starts,
    Timer,
    Ready {
        from: usize,
        number: u16,
        nonce: [u8; 32],
    },
    List(usize),
    Part {
        from: usize,
        list: usize,
        step: Step,
    },
    /// The match of this list has begun.
    WentOn(usize),
    /// The cheat states these to this program when the program is in this number.
    Cheats(u16),
}

/// A list of players. `nonces` is in the order of the players.
#[derive(Clone, Debug, PartialEq)]
struct List {
    number: u16,
    players: Vec<usize>,
    nonces: Vec<[u8; 32]>,
}

/// What a program has on its disk.
#[derive(Clone, Debug, Default, PartialEq)]
struct Disk {
    number: u16,
    nonce: [u8; 32],
    /// The list in whose match it has signed its first part with this number.
    signed: Option<usize>,
    complete: bool,
    opened: bool,
    is_resumed: bool,
}

struct Program {
    /// `None` while it does not run.
    handover: Option<Handover>,
    disk: Disk,
    lists: BTreeSet<usize>,
    parts: BTreeSet<(usize, usize, Step)>,
    /// Newcomers: what they have sent last. Members: what the newcomers have sent.
    newcomers: BTreeMap<usize, (u16, [u8; 32])>,
    dropped: BTreeSet<usize>,
    /// The number for which it has declared itself ready early, and the nonce; on the disk as well.
    early: Option<(u16, [u8; 32])>,
    timer: u64,
    /// The number of writes until it crashes.
    crashes_in: Option<u32>,
    has_crashed: bool,
    /// It was told that the others have gone on without it.
    went_on: Option<usize>,
}

/// What a cheat states to one program in each number, and how long after it has begun the number, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strategy {
    pub(super) ready: Option<u64>,
    /// With the other programs, or without those that are not newcomers.
    pub(super) list: Option<(u64, bool)>,
    pub(super) parts: Option<u64>,
}

/// What differs between two runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) members: usize,
    pub(super) newcomers: usize,
    pub(super) cheat: Option<usize>,
    /// Members that never answer.
    pub(super) away: Vec<usize>,
    pub(super) crashes: Vec<usize>,
    pub(super) cuts: Vec<(usize, usize)>,
    /// What the cheat states to each program, in place of random statements.
    pub(super) strategies: Vec<Strategy>,
    /// Without it, messages arrive at once and all clocks are the same.
    pub(super) has_delays: bool,
}

pub(super) struct World {
    plan: Plan,
    rng: StdRng,
    names: Vec<Fingerprint>,
    programs: Vec<Program>,
    lists: Vec<List>,
    queue: BTreeMap<(u64, u64), (usize, Event)>,
    /// The last arrival on each connection: messages keep their order.
    arrivals: BTreeMap<(usize, usize), u64>,
    nonces: BTreeMap<(usize, u16), [u8; 32]>,
    count: u64,
    now: u64,
    /// What the cheat withholds from each program during the whole run.
    starved: Vec<bool>,
    pub(super) log: Vec<String>,
    pub(super) begun_at: Option<u64>,
    pub(super) events: u64,
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct End {
    /// The number and the players of the match that has begun for all its honest players.
    pub(super) begun: Option<(u16, Vec<usize>)>,
    pub(super) broken: Option<String>,
    pub(super) is_stuck: bool,
}

impl World {
    pub(super) fn new(plan: Plan, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let all = plan.members + plan.newcomers;
        let programs = (0..all).map(|player| Program {
            handover: None,
            disk: Disk {
                number: 1,
                ..Disk::default()
            },
            lists: BTreeSet::new(),
            parts: BTreeSet::new(),
            newcomers: BTreeMap::new(),
            dropped: BTreeSet::new(),
            early: None,
            timer: NEVER,
            crashes_in: plan
                .crashes
                .contains(&player)
                .then(|| rng.random_range(1..8)),
            has_crashed: false,
            went_on: None,
        });
        let programs = programs.collect();
        let starved = (0..all).map(|_| rng.random_bool(0.3)).collect();
        let mut world = World {
            names: players(all as u8),
            programs,
            lists: Vec::new(),
            queue: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            nonces: BTreeMap::new(),
            count: 0,
            now: 0,
            starved,
            log: Vec::new(),
            begun_at: None,
            events: 0,
            plan,
            rng,
        };
        for player in 0..all {
            if world.is_honest(player) && !world.plan.away.contains(&player) {
                let at = world.delay();
                world.at(at, player, Event::Starts);
            }
        }
        world
    }

    fn is_honest(&self, player: usize) -> bool {
        self.plan.cheat != Some(player)
    }

    fn is_member(&self, player: usize) -> bool {
        player < self.plan.members
    }

    fn delay(&mut self) -> u64 {
        match self.plan.has_delays {
            true if self.rng.random_bool(0.2) => LATE,
            true => self.rng.random_range(0..=LATE),
            false => 0,
        }
    }

    fn are_cut(&self, a: usize, b: usize) -> bool {
        let cuts = &self.plan.cuts;
        cuts.contains(&(a, b)) || cuts.contains(&(b, a))
    }

    fn at(&mut self, at: u64, player: usize, event: Event) {
        self.count += 1;
        self.queue.insert((at, self.count), (player, event));
    }

    fn send(&mut self, from: usize, to: usize, event: Event) {
        if from == to || !self.is_honest(to) || self.are_cut(from, to) {
            return;
        }
        let arrives = self.now + self.delay();
        let last = self.arrivals.entry((from, to)).or_default();
        *last = arrives.max(*last);
        let at = *last;
        self.at(at, to, event);
    }

    fn clock(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    /// Runs until a match has begun for all its honest players and all others had time to follow, or to the end.
    pub(super) fn run(mut self, end: u64) -> (End, Self) {
        let mut until = end;
        while let Some(((at, _), (player, event))) = self.queue.pop_first() {
            if at > until {
                break;
            }
            self.now = at;
            self.events += 1;
            self.event(player, event);
            if until == end && self.begun().next().is_some() {
                until = at + 120_000;
                self.begun_at = Some(at);
            }
            if let Some(broken) = self.broken() {
                let begun = None;
                return (
                    End {
                        begun,
                        broken: Some(broken),
                        is_stuck: false,
                    },
                    self,
                );
            }
        }
        let begun = self.begun().next();
        let all = 0..self.plan.members;
        let opened: BTreeSet<usize> = all.filter_map(|player| self.opened(player)).collect();
        let is_stuck = opened.len() != usize::from(begun.is_some());
        let begun = begun.map(|list| {
            let list = &self.lists[list];
            (list.number, list.players.clone())
        });
        (
            End {
                begun,
                broken: None,
                is_stuck,
            },
            self,
        )
    }

    fn opened(&self, player: usize) -> Option<usize> {
        let disk = &self.programs[player].disk;
        disk.signed
            .filter(|_| disk.opened && self.is_honest(player))
    }

    /// The lists whose match has begun for all honest players.
    fn begun(&self) -> impl Iterator<Item = usize> {
        (0..self.lists.len()).filter(|list| {
            let mut honest = self.lists[*list]
                .players
                .iter()
                .filter(|player| self.is_honest(**player));
            honest.all(|player| self.opened(*player) == Some(*list))
                && self.lists[*list]
                    .players
                    .iter()
                    .any(|player| self.is_honest(*player))
        })
    }

    fn broken(&self) -> Option<String> {
        let begun: Vec<usize> = self.begun().collect();
        if begun.len() > 1 {
            return Some("two honest players in two matches of one result".into());
        }
        for list in begun {
            let List { players, .. } = &self.lists[list];
            let members = players
                .iter()
                .filter(|player| self.is_member(**player))
                .count();
            if 2 * members <= self.plan.members {
                return Some("half of the members are enough".into());
            }
            for member in 0..self.plan.members {
                let was_there = self.is_honest(member)
                    && !self.plan.away.contains(&member)
                    && !self.programs[member].has_crashed
                    && !self
                        .plan
                        .cuts
                        .iter()
                        .any(|cut| cut.0 == member || cut.1 == member);
                if was_there && !players.contains(&member) {
                    return Some(format!(
                        "{member} was there, and is left out of {:?}",
                        self.lists[list]
                    ));
                }
            }
        }
        None
    }

    /// Writes what a program has on its disk. `None` if it crashes before or after.
    fn write(&mut self, player: usize, disk: Disk) -> Option<()> {
        let after = self.rng.random_bool(0.5);
        let program = &mut self.programs[player];
        let crashes = program.crashes_in == Some(1);
        program.crashes_in = program.crashes_in.map(|writes| writes.saturating_sub(1));
        if !crashes || after {
            let before = &program.disk;
            let is_same = before.number == disk.number && before.nonce != [0; 32];
            assert!(
                !is_same || before.nonce == disk.nonce,
                "one nonce for a number"
            );
            assert!(
                before.signed.is_none()
                    || before.number < disk.number
                    || before.signed == disk.signed
            );
            assert!(*before != disk, "it writes what is there");
            assert!(before.number <= disk.number);
            program.disk = disk;
        }
        if crashes {
            program.handover = None;
            program.has_crashed = true;
            program.crashes_in = None;
            self.log.push(format!("{:6} {player} crashes", self.now));
            let at = self.now + self.rng.random_range(500..60_000);
            self.at(at, player, Event::Starts);
            return None;
        }
        Some(())
    }

    fn event(&mut self, player: usize, event: Event) {
        if !matches!(event, Event::Starts)
            && self.programs[player].handover.is_none()
            && self.is_member(player)
        {
            // What arrives while a program does not run is sent again when it is back; the log of a match is kept.
            let program = &mut self.programs[player];
            match event {
                Event::List(list) => drop(program.lists.insert(list)),
                Event::Part { from, list, step } => drop(program.parts.insert((from, list, step))),
                _ => (),
            }
            return;
        }
        match event {
            Event::Starts => return self.starts(player),
            Event::Timer => (),
            Event::WentOn(list) => {
                self.programs[player].went_on = Some(list);
            }
            Event::Ready {
                from,
                number,
                nonce,
            } if self.is_member(player) => {
                let name = self.names[from];
                if self.is_member(from) {
                    let handover = self.programs[player].handover.as_mut();
                    handover.unwrap().is_ready(name, ready(number, nonce));
                } else {
                    self.programs[player]
                        .newcomers
                        .insert(from, (number, nonce));
                }
            }
            Event::Ready { number, .. } => return self.newcomer_is_told(player, number),
            Event::List(list) => drop(self.programs[player].lists.insert(list)),
            Event::Part { from, list, step } => self.part(player, (from, list, step)),
            Event::Cheats(number) => return self.cheats(player, number),
        }
        match self.is_member(player) {
            true => _ = self.step(player),
            false => self.newcomer_steps(player),
        }
    }

    /// A statement is new: it is passed on to all players of the list.
    fn part(&mut self, player: usize, part: (usize, usize, Step)) {
        if self.programs[player].parts.insert(part) {
            let (from, list, step) = part;
            let newcomers = self.lists[list]
                .players
                .iter()
                .copied()
                .filter(|player| *player >= self.plan.members);
            let newcomers: Vec<usize> = newcomers.collect();
            for to in (0..self.plan.members).chain(newcomers) {
                self.send(player, to, Event::List(list));
                self.send(player, to, Event::Part { from, list, step });
            }
        }
    }

    fn starts(&mut self, player: usize) {
        if !self.is_member(player) {
            return;
        }
        let mut disk = self.programs[player].disk.clone();
        if let Some((number, nonce)) = self.programs[player]
            .early
            .filter(|early| early.0 > disk.number)
        {
            disk = Disk {
                number,
                nonce,
                ..Disk::default()
            };
            self.programs[player].disk = disk.clone();
        }
        if disk.nonce == [0; 32] {
            disk.nonce = self.rng.random();
            if self.write(player, disk.clone()).is_none() {
                return;
            }
        }
        let members = self.names[..self.plan.members].to_vec();
        let (own, clock) = (self.names[player], self.clock());
        let mut handover = Handover::new(own, members, None, (disk.number, disk.nonce), clock);
        if self.programs[player].has_crashed {
            handover.has_returned();
        }
        if disk.signed.is_some() {
            self.programs[player].disk.is_resumed = true;
            handover.signs();
        }
        self.programs[player].handover = Some(handover);
        self.announces(player);
        for step in [Step::Consents, Step::Complete, Step::Opens] {
            let is_signed = match step {
                Step::Consents => true,
                Step::Complete => disk.complete,
                Step::Opens => disk.opened,
            };
            if let Some(list) = disk.signed.filter(|_| is_signed) {
                self.programs[player].parts.remove(&(player, list, step));
                self.part(player, (player, list, step));
            }
        }
        // The others send again what this program needs.
        for from in 0..self.plan.members {
            if self.programs[from].handover.is_some() && self.is_honest(from) {
                let Disk { number, nonce, .. } = self.programs[from].disk;
                self.sends_ready(from, player..player + 1, number, nonce);
                self.tells(from, player);
            }
        }
        self.step(player);
    }

    fn announces(&mut self, player: usize) {
        let Disk { number, nonce, .. } = self.programs[player].disk;
        self.announce(player, number, nonce);
        if self.plan.cheat.is_some() {
            self.at(self.now, player, Event::Cheats(number));
        }
    }

    fn announce(&mut self, player: usize, number: u16, nonce: [u8; 32]) {
        self.nonces.insert((player, number), nonce);
        self.log
            .push(format!("{:6} {player} is ready for {number}", self.now));
        let is_begun = self.programs[player].disk.number == number;
        let all = match is_begun {
            true => self.programs.len(),
            false => self.plan.members,
        };
        self.sends_ready(player, 0..all, number, nonce);
    }

    fn sends_ready(&mut self, from: usize, to: Range<usize>, number: u16, nonce: [u8; 32]) {
        for to in to {
            let ready = Event::Ready {
                from,
                number,
                nonce,
            };
            self.send(from, to, ready);
        }
    }

    fn missing(&self, player: usize) -> Vec<usize> {
        let Program { disk, parts, .. } = &self.programs[player];
        let Some(list) = disk.signed else {
            return Vec::new();
        };
        let step = match (disk.complete, disk.opened) {
            (false, _) => Step::Consents,
            (_, false) => Step::Complete,
            _ => Step::Opens,
        };
        let players = self.lists[list].players.iter().copied();
        players
            .filter(|player| !parts.contains(&(*player, list, step)))
            .collect()
    }

    /// Whether a player could sign in the list in which another one has signed, as far as that one knows.
    fn could_sign(&self, player: usize, of: usize) -> bool {
        let Program {
            disk,
            parts,
            handover,
            ..
        } = &self.programs[player];
        let list = &self.lists[disk.signed.unwrap()];
        let sent = handover
            .as_ref()
            .and_then(|handover| handover.ready_of(self.names[of]));
        let place = list
            .players
            .iter()
            .position(|player| *player == of)
            .unwrap();
        let signs_other = parts.iter().any(|(from, other, _)| {
            let other_list = &self.lists[*other];
            let is_other = Some(*other) != disk.signed && other_list.number == list.number;
            let is_by_same = other_list.players[0] == list.players[0];
            *from == of
                && is_other
                && is_by_same
                && parts.contains(&(list.players[0], *other, Step::Consents))
        });
        !signs_other && sent.is_none_or(|sent| sent.nonce == list.nonces[place])
    }

    /// Does all that a member's program can do now.
    fn step(&mut self, player: usize) -> Option<()> {
        loop {
            if self.programs[player].disk.opened {
                return None;
            }
            if self.signs_next(player)? {
                continue;
            }
            if self.programs[player].went_on.is_some() {
                return None;
            }
            let missing = self.missing(player);
            let due = missing.iter().filter(|of| self.could_sign(player, **of));
            let due: Vec<Fingerprint> = due.map(|player| self.names[*player]).collect();
            let clock = self.clock();
            let handover = self.programs[player].handover.as_mut()?;
            let is_over = clock >= handover.time();
            let next = handover.next_number(&due, clock);
            let announced = next.and_then(|number| handover.announced(number));
            let early = handover.announces(clock);
            if is_over {
                let late = missing
                    .iter()
                    .filter(|player| **player >= self.plan.members);
                self.programs[player].dropped.extend(late);
            }
            if let Some(number) = next {
                let nonce = announced.unwrap_or_else(|| self.rng.random());
                self.write(
                    player,
                    Disk {
                        number,
                        nonce,
                        ..Disk::default()
                    },
                )?;
                let handover = self.programs[player].handover.as_mut()?;
                handover.begin(number, nonce, clock);
                self.announces(player);
                continue;
            }
            if let Some(number) = early {
                let nonce: [u8; 32] = self.rng.random();
                let handover = self.programs[player].handover.as_mut()?;
                handover.has_announced(nonce);
                self.programs[player].early = Some((number, nonce));
                self.announce(player, number, nonce);
            }
            if self.consents(player)? || self.proposes(player) {
                continue;
            }
            let timer = self.programs[player].handover.as_ref()?.timer(clock);
            let timer = timer.as_millis().min(u128::from(NEVER)) as u64;
            let known = self.programs[player].timer;
            if timer != NEVER && (timer < known || known <= self.now) {
                self.programs[player].timer = timer;
                self.at(timer, player, Event::Timer);
            }
            return None;
        }
    }

    /// Signs the next part in the match of its list. Returns whether it did.
    fn signs_next(&mut self, player: usize) -> Option<bool> {
        let clock = self.clock();
        let Program {
            disk,
            parts,
            handover,
            ..
        } = &self.programs[player];
        let Some(list) = disk.signed.filter(|_| self.missing(player).is_empty()) else {
            return Some(false);
        };
        let mut disk = disk.clone();
        let step = match disk.complete {
            false => {
                disk.complete = true;
                Step::Complete
            }
            true => {
                let is_member = |of: &&usize| **of < self.plan.members && **of != player;
                let others = self.lists[list].players.iter().filter(is_member);
                let holds = others
                    .clone()
                    .filter(|of| parts.contains(&(**of, list, Step::Opens)));
                let (holds, others) = (holds.count(), others.count());
                let may_open = may_open(handover.as_ref()?, holds, others, clock);
                let is_told = disk.is_resumed && self.programs[player].went_on == Some(list);
                if !may_open && !is_told {
                    return Some(false);
                }
                disk.opened = true;
                Step::Opens
            }
        };
        self.write(player, disk)?;
        self.log.push(format!(
            "{:6} {player} signs {step:?} of list {list}",
            self.now
        ));
        self.part(player, (player, list, step));
        for to in 0..self.plan.members {
            self.tells(player, to);
        }
        Some(true)
    }

    /// Tells a member that is left out that a match has begun, and gives the others what there is.
    fn tells(&mut self, from: usize, to: usize) {
        let Disk {
            signed: Some(list),
            opened,
            ..
        } = self.programs[from].disk
        else {
            return;
        };
        if self.lists[list].players.contains(&to) {
            self.send(from, to, Event::List(list));
            for (from, list, step) in self.programs[from].parts.clone() {
                self.send(from, to, Event::Part { from, list, step });
            }
        }
        if opened {
            self.send(from, to, Event::WentOn(list));
        }
    }

    /// Signs its first part in a list that it has. Returns whether it did.
    fn consents(&mut self, player: usize) -> Option<bool> {
        let Program {
            handover,
            lists,
            disk,
            parts,
            ..
        } = &mut self.programs[player];
        let handover = handover.as_mut()?;
        let fits = lists.iter().copied().find(|list| {
            let List {
                number,
                players,
                nonces,
            } = &self.lists[*list];
            let place = players.iter().position(|of| *of == player);
            let names: Vec<Fingerprint> =
                players.iter().map(|player| self.names[*player]).collect();
            let has_nonces = players.iter().zip(nonces).all(|(of, nonce)| {
                handover
                    .ready_of(self.names[*of])
                    .is_none_or(|ready| ready.nonce == *nonce)
            });
            let has_part =
                players[0] == player || parts.contains(&(players[0], *list, Step::Consents));
            let is_valid = handover.check(*number, &names).is_ok();
            is_valid
                && has_nonces
                && has_part
                && place.is_some_and(|place| nonces[place] == disk.nonce)
        });
        let Some(list) = fits else { return Some(false) };
        let disk = Disk {
            signed: Some(list),
            ..disk.clone()
        };
        self.write(player, disk)?;
        self.log.push(format!(
            "{:6} {player} signs Consents of {list} {:?}",
            self.now, self.lists[list].players
        ));
        self.programs[player].handover.as_mut()?.signs();
        self.part(player, (player, list, Step::Consents));
        self.cheat_signs(list);
        Some(true)
    }

    fn proposes(&mut self, player: usize) -> bool {
        let clock = self.clock();
        let Program {
            handover: Some(handover),
            newcomers,
            dropped,
            disk,
            ..
        } = &mut self.programs[player]
        else {
            return false;
        };
        let Some(listed) = handover.proposal(clock) else {
            return false;
        };
        handover.has_proposed(&listed);
        let place = |name: &Fingerprint| self.names.iter().position(|other| other == name).unwrap();
        let mut players: Vec<usize> = listed.iter().map(place).collect();
        let own = players.iter().position(|other| *other == player).unwrap();
        players.rotate_left(own);
        let nonce = |of: &usize| match *of == player {
            true => disk.nonce,
            false => handover.ready_of(self.names[*of]).unwrap().nonce,
        };
        let mut nonces: Vec<[u8; 32]> = players.iter().map(nonce).collect();
        for (newcomer, (number, nonce)) in newcomers {
            if *number == disk.number && !dropped.contains(newcomer) {
                players.push(*newcomer);
                nonces.push(*nonce);
            }
        }
        let number = disk.number;
        let list = self.list(List {
            number,
            players,
            nonces,
        });
        self.log.push(format!(
            "{:6} {player} proposes {list} {:?} with {number}",
            self.now, self.lists[list].players
        ));
        self.programs[player].lists.insert(list);
        for to in 0..self.programs.len() {
            self.send(player, to, Event::List(list));
        }
        true
    }

    fn list(&mut self, list: List) -> usize {
        let known = self.lists.iter().position(|known| *known == list);
        known.unwrap_or_else(|| {
            self.lists.push(list);
            self.lists.len() - 1
        })
    }

    fn newcomer_is_told(&mut self, player: usize, number: u16) {
        let is_honest = self.is_honest(player);
        let disk = &mut self.programs[player].disk;
        if disk.opened || !is_honest {
            return;
        }
        if disk.number < number || disk.nonce == [0; 32] {
            let nonce = self.rng.random();
            *disk = Disk {
                number: number.max(disk.number),
                nonce,
                ..Disk::default()
            };
            let number = disk.number;
            self.nonces.insert((player, number), nonce);
            self.sends_ready(player, 0..self.plan.members, number, nonce);
            self.newcomer_steps(player);
        }
    }

    /// A newcomer signs whatever has its nonce, and all that follows.
    fn newcomer_steps(&mut self, player: usize) {
        let Program { disk, lists, .. } = &self.programs[player];
        if disk.signed.is_none() {
            let fits = lists.iter().copied().find(|list| {
                let List {
                    players, nonces, ..
                } = &self.lists[*list];
                let place = players.iter().position(|of| *of == player);
                place.is_some_and(|place| nonces[place] == disk.nonce)
            });
            let Some(list) = fits else { return };
            self.programs[player].disk.signed = Some(list);
            self.part(player, (player, list, Step::Consents));
            self.cheat_signs(list);
        }
        while !self.programs[player].disk.opened && self.missing(player).is_empty() {
            let disk = &mut self.programs[player].disk;
            let step = match disk.complete {
                false => Step::Complete,
                true => Step::Opens,
            };
            let is_first = !self.programs[player]
                .parts
                .iter()
                .any(|part| part.2 == Step::Opens);
            if step == Step::Opens && is_first {
                return;
            }
            let disk = &mut self.programs[player].disk;
            disk.opened = disk.complete;
            disk.complete = true;
            let list = disk.signed.unwrap();
            self.part(player, (player, list, step));
        }
    }

    /// A time within a number from now on, or never.
    fn some_time(&mut self) -> Option<u64> {
        Some(
            self.now
                + match self.rng.random_range(0..10) {
                    0..3 => 0,
                    3 => self.rng.random_range(0..10_000),
                    4 => self.rng.random_range(8_000..13_000),
                    5 => self.rng.random_range(0..50_000),
                    6 => TIME.as_millis() as u64 - self.rng.random_range(0..200),
                    7 => TIME.as_millis() as u64 - self.rng.random_range(0..4_000),
                    _ => return None,
                },
        )
    }

    /// What the cheat states to a program that has begun a number.
    fn cheats(&mut self, to: usize, number: u16) {
        let cheat = self.plan.cheat.unwrap();
        let all = self.programs.len();
        if let Some(strategy) = self.plan.strategies.get(to).copied() {
            return self.states(strategy, to, number);
        }
        let is_told = !self.starved[to] || self.rng.random_bool(0.1);
        if let Some(at) = self.some_time().filter(|_| is_told) {
            let number = match self.rng.random_range(0..20) {
                0 => u16::MAX,
                1 => number.saturating_add(1),
                _ => number,
            };
            let ready = Event::Ready {
                from: cheat,
                number,
                nonce: [7; 32],
            };
            self.at(at, to, ready);
        }
        if !self.is_member(cheat) {
            return;
        }
        // A list of some of the players, with the cheat as the first one.
        for _ in 0..2 {
            let Some(at) = self.some_time() else { continue };
            let chance = *[1.0, 0.7, 0.7].get(self.rng.random_range(0..3)).unwrap();
            let others = (1..self.plan.members).map(|turn| (cheat + turn) % self.plan.members);
            let others: Vec<usize> = others.chain(self.plan.members..all).collect();
            let mut players = vec![cheat];
            players.extend(
                others
                    .into_iter()
                    .filter(|other| *other == to || self.rng.random_bool(chance)),
            );
            let nonce = |player: &usize| {
                self.nonces
                    .get(&(*player, number))
                    .copied()
                    .unwrap_or([7; 32])
            };
            let nonces = players.iter().map(nonce).collect();
            let list = self.list(List {
                number,
                players,
                nonces,
            });
            for other in 0..self.plan.members {
                if other == to || !self.starved[other] && self.rng.random_bool(0.5) {
                    self.at(at, other, Event::List(list));
                }
            }
            self.cheat_signs(list);
        }
    }

    /// The statements of a cheat with a strategy.
    fn states(&mut self, strategy: Strategy, to: usize, number: u16) {
        let cheat = self.plan.cheat.unwrap();
        if let Some(after) = strategy.ready {
            let nonce = [7; 32];
            let from = cheat;
            self.at(
                self.now + after,
                to,
                Event::Ready {
                    from,
                    number,
                    nonce,
                },
            );
        }
        if let Some((after, is_whole)) = strategy.list.filter(|_| self.is_member(cheat)) {
            let others = (1..self.plan.members).map(|turn| (cheat + turn) % self.plan.members);
            let others = others.filter(|other| is_whole || *other == to);
            let players: Vec<usize> = std::iter::once(cheat).chain(others).collect();
            let nonce = |player: &usize| self.nonces.get(&(*player, number)).copied();
            let nonces = players
                .iter()
                .map(|player| nonce(player).unwrap_or([7; 32]))
                .collect();
            let list = self.list(List {
                number,
                players,
                nonces,
            });
            self.at(self.now + after, to, Event::List(list));
            self.cheat_signs(list);
        }
    }

    /// The statements of the cheat in the match of a list.
    fn cheat_signs(&mut self, list: usize) {
        let Some(cheat) = self
            .plan
            .cheat
            .filter(|cheat| self.lists[list].players.contains(cheat))
        else {
            return;
        };
        for to in self.lists[list].players.clone() {
            for step in [Step::Consents, Step::Complete, Step::Opens] {
                if !self.is_honest(to) {
                    continue;
                }
                let at = match self.plan.strategies.get(to) {
                    Some(strategy) => strategy.parts.map(|after| self.now + after),
                    None => self.some_time(),
                };
                if let Some(at) = at {
                    self.at(
                        at,
                        to,
                        Event::Part {
                            from: cheat,
                            list,
                            step,
                        },
                    );
                }
            }
        }
    }
}
