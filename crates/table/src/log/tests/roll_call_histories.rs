//! Random matches with roll calls, without clocks: seats that cheat, clocks that run out at wrong times, restarts and
//! restored files. The rules are those that a model of the protocol was enumerated with:
//!
//! - Agreement: no honest seat opens cards in a history that another honest seat contradicts.
//! - No split: no two honest seats open cards in two histories.
//! - Blame: where two honest logs part, a seat is convicted, or one of the owners is gone in the log of
//!   the other.
//! - No honest seat is convicted.
//! - Progress: once the cheats are silent, all honest seats reach an end.

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::super::roll_call::Answer;
use super::super::*;
use super::many_seats::{Table, threshold};
use super::settlement::any_choice;
use super::two_histories::{Game, agree, version};
use crate::seat::{Seat, SeatSet};

/// Random matches of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) seats: u8,
    pub(super) threshold: usize,
    pub(super) cheats: usize,
    /// Whether the time of any seat can be over at any moment. Otherwise only that of a seat which
    /// cheats.
    pub(super) any_clock: bool,
    /// How often a seat starts again in a match, from its file or an older copy.
    pub(super) starts: usize,
    pub(super) breaks: bool,
}

/// What broke in the matches.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) agreement: usize,
    pub(super) split: usize,
    pub(super) blame: usize,
    pub(super) progress: usize,
}

/// What happened in the matches.
#[derive(Debug, Default)]
pub(super) struct Happened {
    pub(super) calls: usize,
    pub(super) refusals: usize,
    pub(super) won: usize,
    pub(super) removed: usize,
    pub(super) crossed: usize,
    pub(super) convicted: usize,
    pub(super) starts: usize,
    pub(super) ends: usize,
    pub(super) releases: usize,
}

struct Rolls {
    game: Game,
    kind: Kind,
    /// The statements that a seat has heard since its start, before it has heard all.
    heard: Vec<Vec<Statement>>,
    starts: usize,
    /// How often the cheats still sign something.
    lies: usize,
}

impl Rolls {
    fn is_waiting(&self, seat: Seat) -> bool {
        !self.game.waits[seat.index()].is_empty()
    }

    fn log_mut(&mut self, seat: Seat) -> &mut MatchLog {
        &mut self.game.table.seats[seat.index()].log
    }

    /// The seat signs a call. The time of the seats in `late` is over.
    fn call(&mut self, seat: Seat, late: &[Seat]) -> bool {
        if self.is_waiting(seat) {
            return false;
        }
        let older = self.game.log(seat).clone();
        let Some(statement) = self.game.table.call(seat, late) else {
            return false;
        };
        self.game.note(statement);
        self.game.older[seat.index()] = Some(older);
        true
    }

    fn late(&self) -> Vec<Seat> {
        match self.kind.any_clock {
            true => self.game.table.of.seats().collect(),
            false => self.game.cheats.clone(),
        }
    }

    /// A cheat signs or refuses a call for the log of the seat.
    fn lie(&mut self, cheat: Seat, to: Seat) -> bool {
        let log = &self.game.table.seats[to.index()].log;
        if self.is_waiting(to) || log.is_removed() || matches!(log.phase(), Phase::Over(_)) {
            return false;
        }
        let rng = &mut self.game.rng;
        let mut step = log.step();
        if rng.random_range(0..6) == 0 {
            step = step.saturating_sub(rng.random_range(0..3)).max(3);
        }
        if step < 3 {
            return false;
        }
        let before = log.hash_before(step).unwrap();
        let live = log.live_at(step);
        if !live.contains(cheat) {
            return false;
        }
        let known: Vec<Call> = (log.steps().votes(step).iter())
            .map(|vote| vote.call.clone())
            .filter(|call| !call.named().contains(cheat))
            .collect();
        let claims = live.iter().filter(|seat| *seat != cheat).flat_map(|seat| {
            let votes = known.iter().map(|call| Missing::Vote(call.id()));
            let lacks = [Missing::Statement, Missing::Part].into_iter().chain(votes);
            lacks
                .map(move |missing| (seat, missing))
                .collect::<Vec<_>>()
        });
        let claims: Vec<_> = claims.collect();
        let count = rng.random_range(1..3);
        let new = Call::new(step, claims.sample(rng, count).copied());
        let call = match known.choose(rng).filter(|_| rng.random()) {
            Some(call) => call.clone(),
            None => new.unwrap(),
        };
        let identity = &self.game.table.of.identities[cheat.index()];
        let of = log.match_info().id();
        let number = rng.random_range(0..2);
        let is_due = step == log.step() && !log.may_sign(cheat).is_empty() && rng.random();
        let part = is_due.then(|| version(log, cheat, number)).flatten();
        let mut own = part.map(|part| {
            let bytes = part.encode(log.shape(), log.size(cheat));
            SignedPart::sign(identity, of.as_bytes(), step, &before, cheat, bytes)
        });
        if self.kind.breaks && rng.random_range(0..8) == 0 {
            own = Some(SignedPart::sign(
                identity,
                of.as_bytes(),
                step,
                &before,
                cheat,
                vec![9; 4],
            ));
        }
        let own = own.as_ref().or_else(|| log.part(step, cheat));
        let all = log.statements(step).into_iter();
        let proof = all.filter(|one| {
            let is_named = call.named().contains(one.signed.seat());
            one.signed.head().is_none() && one.signed.step() == step && is_named
        });
        let proofs: Vec<Statement> = proof.collect();
        let proof = proofs.choose(rng).filter(|_| rng.random());
        let answer = match proof {
            Some(proof) => Answer::Refuses(Box::new(proof.clone())),
            None => Answer::Signs(own.map(|part| (part.signature, part.part.clone()))),
        };
        let vote = SignedVote::sign(identity, &of, &before, (step, cheat), call, answer);
        let signed = Signed::Vote(Box::new(vote));
        let log = &self.game.table.seats[to.index()].log;
        match log.clone().accept_statement(Statement {
            before,
            signed: signed.clone(),
        }) {
            // No honest seat passes it on.
            Err(Refused::Vote(_)) => false,
            _ => self.game.receive(to, Statement { before, signed }),
        }
    }

    /// The seat starts again, from its file or from an older copy.
    fn start(&mut self, seat: Seat) -> bool {
        let is_older = self.game.rng.random_range(0..3) > 0;
        if is_older && !self.game.restore(seat) {
            return false;
        }
        let others = self
            .game
            .honest
            .iter()
            .copied()
            .filter(|other| *other != seat);
        self.game.waits[seat.index()] = others.collect();
        self.heard[seat.index()].clear();
        self.starts += 1;
        true
    }

    /// The seat receives all statements of another seat for which it waits. After the last one, it
    /// applies all of them, in order of their places, and its own roll calls in a step first.
    fn hear(&mut self, seat: Seat) {
        if let Some(from) = self.game.waits[seat.index()].pop() {
            let statements = self.game.log(from).statements(0);
            self.heard[seat.index()].extend(statements);
            for evidence in self.game.log(from).evidence().to_vec() {
                self.log_mut(seat).record_fork(evidence).unwrap();
            }
        }
        if self.is_waiting(seat) {
            return;
        }
        let mut heard = std::mem::take(&mut self.heard[seat.index()]);
        heard.sort_by_key(|statement| {
            let is_vote = matches!(statement.signed, Signed::Vote(_));
            let is_own_vote = is_vote && statement.signed.seat() == seat;
            (statement.signed.step(), !is_own_vote, statement.place())
        });
        for statement in heard {
            if statement.signed.step() <= self.game.log(seat).step() {
                self.game.receive(seat, statement);
            }
        }
    }

    fn act(&mut self, happened: &mut Happened) -> bool {
        let game = &mut self.game;
        let seat = *game.honest.choose(&mut game.rng).unwrap();
        if self.is_waiting(seat) {
            self.hear(seat);
            return true;
        }
        let game = &mut self.game;
        match game.rng.random_range(0..100) {
            0..35 => self.game.sign(seat),
            35..68 => {
                let others: Vec<_> = (game.honest.iter().copied())
                    .filter(|other| *other != seat)
                    .collect();
                let from = others.choose(&mut game.rng).copied();
                from.is_some_and(|from| game.relay(from, seat))
            }
            68..71 if !game.cheats.is_empty() => game.retell(seat),
            71..84 if self.lies > 0 => {
                let cheat = game.cheats.choose(&mut game.rng).copied();
                let lied = match cheat {
                    Some(cheat) if game.rng.random() => game.lie(cheat, seat),
                    Some(cheat) => self.lie(cheat, seat),
                    None => false,
                };
                self.lies -= usize::from(lied);
                lied
            }
            84..90 => {
                let late = self.late();
                let called = self.call(seat, &late);
                happened.calls += usize::from(called);
                called
            }
            90..92 if self.starts < self.kind.starts => self.start(seat),
            _ => false,
        }
    }

    /// The step up to which the log of a seat is the history of its owner.
    fn end_of(&self, seat: Seat) -> u64 {
        let log = self.game.log(seat);
        let removed = |step: &u64| log.is_removed() && log.is_named_by_all(*step);
        (0..log.step()).find(removed).unwrap_or(log.step())
    }

    fn check(&self, broken: &mut Broken) {
        for release in &self.game.releases {
            let log = self.game.log(release.seat);
            if self.is_waiting(release.seat) || release.step > log.step() {
                continue;
            }
            let live = log.live_at(release.step);
            for &seat in &self.game.honest {
                if self.is_waiting(seat) || !live.contains(seat) {
                    continue;
                }
                let other = self.game.log(seat);
                let step = release.step.min(self.end_of(seat));
                let shared = match step == release.step {
                    true => other.hash_before(step) == Some(release.before),
                    false => other.hash_before(step) == log.hash_before(step),
                };
                broken.agreement += usize::from(!shared);
            }
            for other in &self.game.releases {
                let [early, late] = match release.step < other.step {
                    true => [release, other],
                    false => [other, release],
                };
                let log = self.game.log(late.seat);
                if !self.is_waiting(late.seat) && log.hash_before(late.step) == Some(late.before) {
                    let apart = log.hash_before(early.step) != Some(early.before);
                    broken.split += usize::from(apart);
                }
            }
        }
        for &seat in &self.game.honest {
            let log = self.game.log(seat);
            let fouls = log.fouls().iter().map(|proof| proof.part.seat);
            for convicted in fouls.chain(log.evidence().iter().map(Evidence::seat)) {
                assert!(
                    self.game.cheats.contains(&convicted),
                    "{seat} convicts {convicted}"
                );
            }
            let chips: u64 = log.final_stacks().iter().sum();
            assert_eq!(chips, 100 * log.match_info().seats() as u64);
        }
    }

    fn is_forked(&self, seat: Seat) -> bool {
        !self.game.log(seat).evidence().is_empty()
    }

    /// Lets all honest seats hear each other until nothing changes. The cheats are silent.
    fn settle(&mut self, happened: &mut Happened) {
        for seat in self.game.honest.clone() {
            while self.is_waiting(seat) {
                self.hear(seat);
            }
        }
        for _ in 0..400 {
            let before = self.game.signed.len();
            let steps = |game: &Game| -> Vec<_> {
                let logs = game.honest.iter().map(|seat| game.log(*seat));
                logs.map(|log| (log.statements(0).len(), log.evidence().len()))
                    .collect()
            };
            let had = steps(&self.game);
            for to in self.game.honest.clone() {
                for from in self.game.honest.clone() {
                    if from != to {
                        self.game.merge(from, to);
                    }
                }
                while self.game.sign(to) {}
            }
            if before != self.game.signed.len() || had != steps(&self.game) {
                continue;
            }
            let late = self.late();
            let mut called = false;
            for seat in self.game.honest.clone() {
                called |= self.call(seat, &late);
            }
            happened.calls += usize::from(called);
            if !called {
                return;
            }
        }
        panic!("no end");
    }

    /// Whether the seat has reached an end, or too few seats are left.
    fn is_done(&self, seat: Seat) -> bool {
        let log = self.game.log(seat);
        if matches!(log.phase(), Phase::Over(_)) {
            return true;
        }
        let live = log.live_at(log.step());
        let silent: SeatSet = self.game.cheats.iter().copied().collect();
        let missing = log.missing().into_iter().map(|(seat, _)| seat).collect();
        // Calls at wrong times can leave too few seats. Then the players may close the match.
        let may_close = self.kind.any_clock && !log.goes_on_without(missing);
        may_close || live.without(silent).len() < self.kind.threshold
    }

    fn finish(&mut self, broken: &mut Broken, happened: &mut Happened) {
        self.settle(happened);
        self.check(broken);
        let honest = self.game.honest.clone();
        for (number, &one) in honest.iter().enumerate() {
            broken.progress += usize::from(!self.is_forked(one) && !self.is_done(one));
            let log = self.game.log(one);
            happened.removed += usize::from(log.is_removed());
            happened.ends += usize::from(matches!(log.phase(), Phase::Over(End::Played)));
            for &other in &honest[number + 1..] {
                let is_out = |seat| self.game.log(seat).is_removed() || self.is_forked(seat);
                let parted = !agree(log, self.game.log(other)) && !is_out(one) && !is_out(other);
                broken.blame += usize::from(parted);
            }
        }
        happened.convicted += usize::from(honest.iter().any(|seat| self.is_forked(*seat)));
        let logs = honest.iter().map(|seat| self.game.log(*seat));
        happened.won += usize::from(logs.clone().any(|log| !log.gone().is_empty()));
        happened.releases += self.game.releases.len();
        happened.starts += self.starts;
        self.check_chips();
        let signed = self.game.signed.iter();
        let votes = signed.filter_map(|statement| match &statement.signed {
            Signed::Vote(vote) => Some(&**vote),
            _ => None,
        });
        happened.refusals += votes.clone().filter(|vote| vote.refuses()).count();
        let crosses = |one: &SignedVote| {
            let mut others = votes.clone();
            others.any(|other| other.step == one.step && other.call != one.call)
        };
        happened.crossed += usize::from(votes.clone().any(crosses));
    }

    /// The logs of the remaining honest seats state the same chips, once all have confirmed the end.
    fn check_chips(&self) {
        let logs = self.game.honest.iter().map(|seat| self.game.log(*seat));
        let over = |log: &&MatchLog| matches!(log.phase(), Phase::Over(_)) && !log.is_removed();
        let logs: Vec<_> = logs
            .filter(over)
            .filter(|log| log.unconfirmed().is_empty())
            .collect();
        for pair in logs.windows(2) {
            let [one, other] = [pair[0], pair[1]];
            if one.live_at(one.step()).contains(other.owner()) {
                assert_eq!(one.final_stacks(), other.final_stacks());
                assert_eq!(one.counted_steps(), other.counted_steps());
            }
        }
    }
}

/// Plays matches of this kind, from several moments of one match.
pub(super) fn play(kind: Kind, seeds: std::ops::Range<u64>) -> (Broken, Happened) {
    let (mut broken, mut happened) = (Broken::default(), Happened::default());
    let mut table = Table::new(threshold(kind.seats, kind.threshold, 1), seeds.start);
    for seat in &mut table.seats {
        seat.choose = any_choice;
    }
    table.play_until(|log| log.phase() == Phase::Deal);
    table.deliver_all();
    let deal = table.copy();
    table.play_until(|log| log.is_release());
    table.deliver_all();
    for seed in seeds {
        let mut table = match seed % 5 {
            0 => deal.copy(),
            _ => table.copy(),
        };
        for seat in &mut table.seats {
            seat.choose = any_choice;
        }
        let mut all: Vec<Seat> = table.of.seats().collect();
        all.rotate_left(seed as usize % usize::from(kind.seats));
        all.truncate(kind.cheats);
        let mut rolls = Rolls {
            heard: vec![Vec::new(); table.seats.len()],
            game: Game::new(table, all, seed),
            kind,
            starts: 0,
            lies: 2 + seed as usize % 7,
        };
        rolls.game.breaks = kind.breaks;
        let mut idle = 0;
        let mut acts = 0;
        while idle < 120 && acts < 600 {
            acts += 1;
            match rolls.act(&mut happened) {
                true => {
                    idle = 0;
                    rolls.check(&mut broken);
                }
                false => idle += 1,
            }
        }
        rolls.finish(&mut broken, &mut happened);
    }
    (broken, happened)
}

const fn kind(seats: u8, threshold: usize, cheats: usize) -> Kind {
    Kind {
        seats,
        threshold,
        cheats,
        any_clock: false,
        starts: 0,
        breaks: false,
    }
}

/// Plays matches in which nothing may break.
fn check(kind: Kind, seeds: std::ops::Range<u64>) -> Happened {
    let (broken, happened) = play(kind, seeds);
    assert_eq!(broken, Broken::default(), "{kind:?} {happened:?}");
    happened
}

/// The time of any seat can be over at any moment.
const fn any_clock(kind: Kind) -> Kind {
    Kind {
        any_clock: true,
        ..kind
    }
}

const fn starting(kind: Kind) -> Kind {
    Kind { starts: 2, ..kind }
}

const fn breaking(kind: Kind) -> Kind {
    Kind {
        breaks: true,
        ..kind
    }
}

#[test]
fn honest_seats_reach_an_end_whatever_their_clocks_do() {
    for kind in [kind(3, 2, 0), kind(4, 3, 0), kind(5, 3, 0)] {
        let happened = check(any_clock(kind), 0..10);
        assert!(happened.calls > 10 && happened.refusals > 5, "{happened:?}");
        assert!(happened.removed > 0 && happened.ends > 5, "{happened:?}");
    }
}

#[test]
fn cheats_that_lie_in_votes_convict_nobody_honest_and_split_no_table() {
    for kind in [
        kind(4, 3, 1),
        any_clock(kind(4, 3, 1)),
        breaking(kind(4, 3, 1)),
        kind(5, 3, 2),
        any_clock(kind(5, 4, 2)),
        kind(3, 2, 1),
    ] {
        let happened = check(kind, 100..110);
        assert!(
            happened.refusals > 5 && happened.releases > 5,
            "{happened:?}"
        );
    }
}

#[test]
fn seats_that_start_again_or_are_restored_convict_nobody_honest() {
    for kind in [
        starting(kind(4, 3, 0)),
        starting(kind(4, 3, 1)),
        starting(any_clock(kind(4, 3, 1))),
        starting(any_clock(kind(3, 2, 0))),
    ] {
        let happened = check(kind, 200..208);
        assert!(happened.starts > 5, "{happened:?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn random_matches_with_roll_calls() {
    for kind in [
        any_clock(kind(3, 2, 0)),
        any_clock(kind(4, 3, 0)),
        any_clock(kind(5, 3, 0)),
        kind(4, 3, 1),
        kind(3, 2, 1),
        any_clock(kind(4, 3, 1)),
        breaking(kind(4, 3, 1)),
        breaking(any_clock(kind(5, 4, 2))),
        kind(5, 3, 2),
        kind(6, 4, 1),
        any_clock(kind(5, 4, 2)),
        starting(kind(4, 3, 0)),
        starting(any_clock(kind(4, 3, 0))),
        starting(kind(4, 3, 1)),
        starting(any_clock(kind(4, 3, 1))),
        starting(breaking(any_clock(kind(4, 3, 1)))),
        starting(any_clock(kind(3, 2, 0))),
    ] {
        let from = std::env::var("FROM").map_or(1000, |from| from.parse().unwrap());
        let count = std::env::var("COUNT").map_or(100, |from| from.parse().unwrap());
        let (broken, happened) = play(kind, from..from + count);
        println!("{kind:?}\n   {broken:?}\n   {happened:?}");
    }
}
