//! Seats that show each of the others another history, in random matches.
//!
//! In each state, a cheat can sign anything for the log of each honest seat. An honest seat can
//! receive each statement that another honest seat has, in any order. So the honest seats see every
//! order of messages that a network can cause.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::super::*;
use super::many_seats::{Table, is_release, verifiable, verifiable_draw};
use super::settlement::any_choice;
use crate::play::VerifiableSeat;
use crate::seat::Seat;
use dealerless::verifiable::{Partials, Show};

/// A release that an honest seat has signed.
pub(super) struct Release {
    pub(super) seat: Seat,
    pub(super) step: u64,
    pub(super) before: [u8; 32],
}

pub(super) struct Game {
    pub(super) table: Table,
    pub(super) cheats: Vec<Seat>,
    pub(super) honest: Vec<Seat>,
    pub(super) rng: StdRng,
    pub(super) releases: Vec<Release>,
    /// All statements that honest seats have signed. The cheats have them too.
    pub(super) signed: Vec<Statement>,
    /// The state of each honest seat before its last statement.
    pub(super) older: Vec<Option<MatchLog>>,
    /// The seats that each honest seat has to hear before it signs anything.
    pub(super) waits: Vec<Vec<Seat>>,
    /// Whether the cheats also commit fouls, and sign second parts for older steps.
    pub(super) breaks: bool,
}

/// What happened in a match.
#[derive(Default, Debug)]
pub(super) struct Tally {
    pub(super) lies: usize,
    pub(super) splits: usize,
    pub(super) convictions: usize,
    pub(super) releases: usize,
    pub(super) restored: usize,
    pub(super) whole: usize,
    /// How often steps of an honest log did not count.
    pub(super) undone: usize,
}

/// A number that follows from the history, so that a restored seat chooses the same again.
fn derived(log: &MatchLog, seat: Seat) -> u64 {
    let hash = log.hash();
    u64::from_le_bytes(*hash.first_chunk().unwrap()) ^ u64::from(seat.number())
}

/// The part that `seat` signs for this log, in one of several versions. `None` if there is no such
/// version.
pub(super) fn version(log: &MatchLog, seat: Seat, number: u64) -> Option<Part> {
    let secret = Zeroizing::new([seat.number() + 1; 32]);
    let mut own = VerifiableSeat::new(log, seat, secret)?;
    let deck = log.deck_now(seat)?;
    let mut rng = StdRng::seed_from_u64(number);
    Some(match log.phase() {
        Phase::Keys if number > 0 => {
            let other = VerifiableSeat::new(log, seat, Zeroizing::new([99; 32]));
            other?.part(log).ok()??
        }
        Phase::KeyDealing => match own.part(log).ok()?? {
            Part::KeyDealing(mut bytes) if number > 0 => {
                // A wrong share for the last seat, or the first one.
                let others = log.match_info().seats() - 1;
                let pad = if number == 1 { 1 } else { 32 * others };
                let at = bytes.len() - pad;
                bytes[at] ^= 1;
                Part::KeyDealing(bytes)
            }
            part => part,
        },
        Phase::Deal => Part::Deal(log.deal(
            DealInput::Verifiable {
                out: number > 0,
                end: log.ahead_end(),
            },
            vec![false; log.match_info().seats()],
        )),
        Phase::Choose { .. } if number == 3 => Part::Leave,
        Phase::Choose { legal, .. } => Part::Move(any_choice(&legal, &mut rng)),
        Phase::Result(outcome) => Part::Result {
            stacks: outcome.stacks,
            next: match number {
                0 => AfterHand::Stay,
                _ => AfterHand::Leave,
            },
            buy: 0,
        },
        Phase::Shuffle(_) => Part::Shuffle(deck.deck().shuffle(&deck.context()?, &mut rng).0),
        Phase::Open(_) => {
            let key = own.secret_key(&deck)?;
            let (context, decks) = (deck.context()?, deck.hand()?);
            match deck.opens()? {
                Opens::Slots(slots) => {
                    let made = Partials::make(&context, decks, &slots, &key, &mut rng);
                    Part::Partials(made.ok()?.0)
                }
                Opens::Shown(to, shown) => {
                    let made = Show::make(&context, decks, to, &shown, &key, &mut rng);
                    Part::Show(made.ok()?)
                }
            }
        }
        _ => own.part(log).ok()??,
    })
}

/// Whether both logs are beginnings of one history.
pub(super) fn agree(one: &MatchLog, other: &MatchLog) -> bool {
    let step = one.step().min(other.step());
    one.hash_before(step) == other.hash_before(step)
}

/// The first step before which both logs have the same complete steps.
fn common(one: &MatchLog, other: &MatchLog) -> u64 {
    let same = |step: &u64| one.hash_before(*step) == other.hash_before(*step);
    let steps = 0..=one.step().min(other.step());
    steps.rev().find(same).unwrap_or(0)
}

impl Game {
    /// A match in which these seats cheat from now on.
    pub(super) fn new(table: Table, cheats: Vec<Seat>, seed: u64) -> Self {
        let seats = table.of.seats();
        let honest = seats.filter(|seat| !cheats.contains(seat)).collect();
        Game {
            older: table.of.seats().map(|_| None).collect(),
            waits: table.of.seats().map(|_| Vec::new()).collect(),
            table,
            cheats,
            honest,
            rng: StdRng::seed_from_u64(seed),
            releases: Vec::new(),
            signed: Vec::new(),
            breaks: false,
        }
    }

    pub(super) fn log(&self, seat: Seat) -> &MatchLog {
        &self.table.seats[seat.index()].log
    }

    /// The seat receives a statement. It records what the statement proves.
    pub(super) fn receive(&mut self, seat: Seat, statement: Statement) -> bool {
        let log = &mut self.table.seats[seat.index()].log;
        let from = statement.signed.seat();
        match log.accept_statement(statement) {
            Ok(accepted) => accepted != Accepted::Known,
            Err(Refused::Fork(evidence)) => {
                assert_eq!(evidence.seat(), from);
                log.record_fork(*evidence).unwrap()
            }
            Err(Refused::Foul(proof)) => log.record_foul(*proof),
            Err(Refused::OtherHistory { .. } | Refused::Over) => false,
            Err(refused) => panic!("{refused:?}"),
        }
    }

    /// The seat signs what is due, if anything.
    pub(super) fn sign(&mut self, seat: Seat) -> bool {
        let log = self.log(seat);
        let owes = log.owes_ack(seat) || log.owes_refusal().is_some();
        let is_over = self.is_over(seat) && !owes;
        if !self.waits[seat.index()].is_empty() || is_over {
            return false;
        }
        let (older, choice) = (self.log(seat).clone(), derived(self.log(seat), seat));
        self.table.rng = StdRng::seed_from_u64(choice);
        self.table.seats[seat.index()].leaves = choice % 23 == 0;
        let Some(statement) = self.table.sign(seat) else {
            return false;
        };
        self.note(statement);
        self.older[seat.index()] = Some(older);
        true
    }

    /// Notes what an honest seat has signed. With its earlier statements it convicts nobody.
    pub(super) fn note(&mut self, statement: Statement) {
        let place = |one: &Statement| (one.signed.seat(), one.signed.step(), one.signed.head());
        let of = &self.table.of.match_info;
        for earlier in self
            .signed
            .iter()
            .filter(|one| place(one) == place(&statement))
        {
            let evidence = Evidence {
                match_id: of.id(),
                statements: [earlier.clone(), statement.clone()],
            };
            // A restored seat signs the same again.
            assert!(!evidence.holds(of), "{evidence:?}");
        }
        if let Signed::Part(part) = &statement.signed
            && is_release(part)
        {
            self.releases.push(Release {
                seat: part.seat,
                step: part.step,
                before: statement.before,
            });
        }
        self.signed.push(statement);
    }

    /// The seat receives one statement that another honest seat has.
    pub(super) fn relay(&mut self, from: Seat, to: Seat) -> bool {
        let seats = &self.table.seats;
        let (from, log) = (&seats[from.index()].log, &seats[to.index()].log);
        let since = common(from, log).saturating_sub(1);
        let known = log.statements(since);
        let mut news = from.statements(since);
        news.retain(|new| new.signed.step() <= log.step() && !known.contains(new));
        let Some(new) = news.choose(&mut self.rng).cloned() else {
            return false;
        };
        // The cheats may delay what would convict them.
        let delayed = self.rng.random_range(0..12) > 0;
        if delayed && log.clone().accept_statement(new.clone()).is_err() {
            return false;
        }
        self.receive(to, new)
    }

    /// The seat receives everything that another seat has.
    pub(super) fn merge(&mut self, from: Seat, to: Seat) {
        let statements = self.log(from).statements(0);
        for statement in statements {
            if statement.signed.step() > self.log(to).step() {
                break;
            }
            self.receive(to, statement);
        }
        for evidence in self.log(from).evidence().to_vec() {
            let log = &mut self.table.seats[to.index()].log;
            log.record_fork(evidence).unwrap();
        }
    }

    /// A cheat sends the seat what an honest seat has signed.
    pub(super) fn retell(&mut self, to: Seat) -> bool {
        let step = self.log(to).step();
        let Some(statement) = self.signed.choose(&mut self.rng) else {
            return false;
        };
        let statement = statement.clone();
        let can_hear = self.waits[to.index()].is_empty() && statement.signed.step() <= step;
        can_hear && self.receive(to, statement)
    }

    /// A cheat signs something for the log of the seat.
    pub(super) fn lie(&mut self, cheat: Seat, to: Seat) -> bool {
        let log = &self.table.seats[to.index()].log;
        if !self.waits[to.index()].is_empty() {
            return false;
        }
        let (of, step, before) = (log.match_info().id(), log.step(), log.hash());
        let identity = &self.table.of.identities[cheat.index()];
        if self.breaks && self.rng.random_range(0..12) == 0 {
            // A foul, or a second part for an older step.
            let step = step - self.rng.random_range(0..=step.min(6));
            let before = log.hash_before(step).unwrap();
            let bytes = vec![self.rng.random_range(0..3); 3];
            let part = SignedPart::sign(identity, of.as_bytes(), step, &before, cheat, bytes);
            let signed = Signed::Part(part);
            return self.receive(to, Statement { before, signed });
        }
        if matches!(log.phase(), Phase::Over(_)) {
            return false;
        }
        let acks = log.is_release() && log.steps().ack(step, cheat).is_none();
        let may_sign = !log.may_sign(cheat).is_empty();
        let signed = if acks && (!may_sign || self.rng.random()) {
            Signed::Ack(SignedAck::sign(identity, &of, step, &before, cheat))
        } else if may_sign {
            let number = match self.rng.random_range(0..4) {
                0 => self.rng.random_range(0..4),
                _ => to.index() as u64 % 2,
            };
            let Some(part) = version(log, cheat, number) else {
                return false;
            };
            let bytes = part.encode(log.shape(), log.size(cheat));
            Signed::Part(SignedPart::sign(
                identity,
                of.as_bytes(),
                step,
                &before,
                cheat,
                bytes,
            ))
        } else {
            return false;
        };
        self.receive(to, Statement { before, signed })
    }

    /// The seat continues from an older copy of its file, and first hears all others.
    pub(super) fn restore(&mut self, seat: Seat) -> bool {
        let Some(older) = self.older[seat.index()].take() else {
            return false;
        };
        self.table.seats[seat.index()].log = older;
        let others = self.honest.iter().filter(|other| **other != seat);
        self.waits[seat.index()] = others.copied().collect();
        true
    }

    fn hear(&mut self, seat: Seat) -> bool {
        let Some(from) = self.waits[seat.index()].pop() else {
            return false;
        };
        self.merge(from, seat);
        true
    }

    /// Checks what must be true in every state.
    fn check(&self) {
        for release in &self.releases {
            let log = self.log(release.seat);
            for &seat in &self.honest {
                if !self.waits[seat.index()].is_empty()
                    || !self.waits[release.seat.index()].is_empty()
                {
                    continue;
                }
                // Nobody asks a seat that has left for its history.
                if !log.state().deck.is_live(seat) {
                    continue;
                }
                let other = self.log(seat);
                let shared = match other.hash_before(release.step) {
                    Some(before) => before == release.before,
                    None => agree(log, other),
                };
                assert!(
                    shared,
                    "{} opened cards in step {} of a log that {seat} contradicts",
                    release.seat, release.step
                );
            }
        }
        for &seat in &self.honest {
            let log = self.log(seat);
            let fouls = log.fouls().iter().map(|proof| proof.part.seat);
            let forks = log.evidence().iter().map(Evidence::seat);
            for convicted in self.convicted(seat).into_iter().chain(fouls).chain(forks) {
                assert!(
                    self.cheats.contains(&convicted),
                    "{seat} convicts {convicted}"
                );
            }
            let chips: u64 = log.final_stacks().iter().sum();
            assert_eq!(chips, 100 * log.match_info().seats() as u64);
        }
    }

    /// After the honest seats have sent each other everything, their logs state the same chips, in
    /// the same steps.
    fn check_chips(&self, tally: &mut Tally) {
        // A seat that has left has no chips in the pot, and nobody asks for its history.
        let remaining = |seat: &&Seat| self.log(**seat).state().deck.is_live(**seat);
        let logs: Vec<&MatchLog> = (self.honest.iter().filter(remaining))
            .map(|seat| self.log(*seat))
            .collect();
        for pair in logs.windows(2) {
            let [one, other] = [pair[0], pair[1]];
            if one.is_convicted() {
                let counted = one.counted_steps();
                assert_eq!(counted, other.counted_steps());
                assert_eq!(one.hash_before(counted), other.hash_before(counted));
                let blinds =
                    |log: &MatchLog| log.standing(log.counted_steps()).map(|now| now.blinds);
                assert_eq!(blinds(one), blinds(other));
                tally.undone += usize::from(counted < one.step());
            }
            assert_eq!(one.final_stacks(), other.final_stacks());
        }
    }

    pub(super) fn is_over(&self, seat: Seat) -> bool {
        matches!(self.log(seat).phase(), Phase::Over(_))
    }

    fn convicted(&self, seat: Seat) -> Option<Seat> {
        match self.log(seat).phase() {
            Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => Some(seat),
            _ => None,
        }
    }

    /// Does something at random. Returns whether anything changed.
    fn act(&mut self, tally: &mut Tally, backs: usize) -> bool {
        let seat = *self.honest.choose(&mut self.rng).unwrap();
        if !self.waits[seat.index()].is_empty() {
            return self.hear(seat);
        }
        match self.rng.random_range(0..100) {
            0..40 => {
                let signed = self.sign(seat);
                // Perhaps before anybody has received the statement.
                if signed && tally.restored < backs && self.rng.random_range(0..12) == 0 {
                    tally.restored += 1;
                    self.restore(seat);
                }
                signed
            }
            40..75 => {
                let others: Vec<Seat> = (self.honest.iter().copied())
                    .filter(|other| *other != seat)
                    .collect();
                match others.choose(&mut self.rng) {
                    Some(&from) => self.relay(from, seat),
                    None => false,
                }
            }
            75..80 if !self.cheats.is_empty() => self.retell(seat),
            75..98 => match self.cheats.choose(&mut self.rng) {
                Some(&cheat) => {
                    let told = self.lie(cheat, seat);
                    tally.lies += usize::from(told);
                    told
                }
                None => false,
            },
            _ if tally.restored < backs => {
                let restored = self.restore(seat);
                tally.restored += usize::from(restored);
                restored
            }
            _ => false,
        }
    }

    /// Plays until nothing changes any more, and then lets all honest seats hear each other.
    fn play(&mut self, tally: &mut Tally, backs: usize) {
        let mut idle = 0;
        let backs = tally.restored + backs;
        while idle < 150 {
            match self.act(tally, backs) {
                true => {
                    idle = 0;
                    self.check();
                }
                false => idle += 1,
            }
        }
        tally.releases += self.releases.len();
        let logs: Vec<MatchLog> = self
            .honest
            .iter()
            .map(|seat| self.log(*seat).clone())
            .collect();
        let parted = logs
            .iter()
            .any(|one| logs.iter().any(|other| !agree(one, other)));
        for _ in 0..4 {
            for to in self.honest.clone() {
                self.waits[to.index()].clear();
                for from in self.honest.clone() {
                    if from != to {
                        self.merge(from, to);
                    }
                }
            }
            for seat in self.honest.clone() {
                if self.log(seat).owes_ack(seat) {
                    assert!(self.sign(seat));
                }
            }
            self.check();
        }
        self.check_chips(tally);
        let convicted: Vec<_> = self
            .honest
            .iter()
            .map(|seat| self.convicted(*seat))
            .collect();
        let first = convicted[0];
        assert!(
            convicted
                .iter()
                .all(|other| other.is_some() == first.is_some()),
            "{convicted:?}"
        );
        assert!(convicted.iter().all(|other| *other == first));
        assert!(
            !parted || first.is_some(),
            "the histories part and nobody is convicted"
        );
        tally.splits += usize::from(parted);
        tally.convictions += usize::from(first.is_some());
        tally.whole +=
            usize::from(first.is_none() && self.honest.iter().all(|seat| self.is_over(*seat)));
    }
}

/// Plays matches in which the first of these seats cheat.
fn play_many(cheats: usize, seats: u8, backs: usize, seeds: std::ops::Range<u64>) -> Tally {
    play_with(cheats, seats, backs, false, seeds)
}

/// Like [`play_many`]. If `breaks` is set, the cheats also commit fouls.
fn play_with(
    cheats: usize,
    seats: u8,
    backs: usize,
    breaks: bool,
    seeds: std::ops::Range<u64>,
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let of = match seed % 3 {
            2 => verifiable_draw(seats, 1),
            _ => verifiable(seats, 1),
        };
        let mut table = Table::new(of, seed);
        for seat in &mut table.seats {
            seat.choose = any_choice;
        }
        match seed % 4 {
            0 => {}
            1 => table.play_until(|log| log.phase() == Phase::Deal),
            _ => table.play_until(|log| log.is_release()),
        }
        table.deliver_all();
        let mut all: Vec<Seat> = table.of.seats().collect();
        all.rotate_left(seed as usize % usize::from(seats));
        all.truncate(cheats);
        let mut game = Game::new(table, all, seed);
        game.breaks = breaks;
        game.play(&mut tally, backs);
    }
    tally
}

#[test]
fn no_honest_seat_opens_a_card_in_a_log_that_another_one_does_not_share() {
    let one_of_three = play_many(1, 3, 0, 0..16);
    let one_of_four = play_many(1, 4, 0, 100..106);
    let two_of_four = play_many(2, 4, 0, 200..208);
    for tally in [one_of_three, one_of_four, two_of_four] {
        assert!(tally.splits > 2 && tally.convictions > 2, "{tally:?}");
        assert!(tally.releases > 0, "{tally:?}");
    }
}

#[test]
fn chips_after_convictions_are_the_same_in_all_honest_logs() {
    let one_of_three = play_with(1, 3, 0, true, 0..20);
    let one_of_four = play_with(1, 4, 0, true, 100..108);
    let two_of_four = play_with(2, 4, 0, true, 200..210);
    let two_of_five = play_with(2, 5, 0, true, 300..306);
    for tally in [one_of_three, one_of_four, two_of_four, two_of_five] {
        assert!(tally.convictions > 4, "{tally:?}");
        assert!(tally.undone > 0, "{tally:?}");
    }
}

#[test]
fn restored_seat_convicts_nobody_honest() {
    let tally = play_many(0, 3, 2, 0..4);
    assert!(tally.restored > 3 && tally.whole == 4, "{tally:?}");
    let tally = play_many(1, 3, 2, 10..16);
    assert!(tally.restored > 3 && tally.convictions > 1, "{tally:?}");
}

#[test]
#[ignore = "takes minutes"]
fn no_honest_seat_opens_a_card_in_a_log_that_another_one_does_not_share_in_many_matches() {
    for (cheats, seats, backs) in [
        (1, 3, 0),
        (1, 3, 2),
        (2, 3, 0),
        (1, 4, 0),
        (2, 4, 1),
        (3, 4, 0),
        (2, 5, 0),
    ] {
        println!(
            "{cheats} of {seats}: {:?}",
            play_many(cheats, seats, backs, 1000..1100)
        );
        println!(
            "with fouls: {:?}",
            play_with(cheats, seats, backs, true, 2000..2100)
        );
    }
}
