//! The programs of the seats of a match, whose messages the test passes by hand.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use dealerless_connection::random::{SystemRng, system_rng};
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Vault};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::log::tests::many_seats::{passive, verifiable};
use crate::log::tests::test_match::{TestMatch, setting};
use crate::log::{CallId, End, LogEvent, LogMessage, MatchLog, Phase, Signed, Statement};
use crate::play::error::PlayError;
use crate::play::news::{Command, News};
use crate::play::orders::{Event, NoEngine};
use crate::play::seat_play::{DeckSetting, Play};
use crate::seat::Seat;

/// A seat: its program, and the files that outlive the program.
pub(super) struct Side {
    pub(super) file: MemoryStorage,
    pub(super) vault: MemoryVault,
    pub(super) play: Play<MemoryStorage, MemoryVault, SystemRng>,
}

/// The sender and the receiver of messages.
pub(super) type Way = (Seat, Seat);

/// The place of a statement: its chain, which is that of a hand or the log, its seat, its step, its kind
/// (an ack, a part, or a vote), and the call of a vote.
pub(super) type Place = (Option<u32>, Seat, u64, u8, CallId);

pub(super) fn place(signed: &Signed) -> Place {
    let (kind, call) = match signed {
        Signed::Ack(_) => (0, [0; 32]),
        Signed::Part(_) | Signed::Ahead(_) => (1, [0; 32]),
        Signed::Vote(vote) => (2, vote.call.id()),
    };
    let hand = signed.head().map(|head| head.hand);
    (hand, signed.seat(), signed.step(), kind, call)
}

pub(super) struct World {
    pub(super) of: TestMatch,
    pub(super) sides: Vec<Side>,
    /// The messages on the connections. A way that is not connected is missing.
    pub(super) ways: BTreeMap<Way, VecDeque<Vec<u8>>>,
    /// All messages that were ever sent.
    pub(super) sent: Vec<(Way, LogMessage)>,
    /// The statements that were sent.
    pub(super) statements: HashMap<Place, Statement>,
    /// The statements of each seat that must be in its file.
    pub(super) written: BTreeSet<Place>,
    /// Whether programs connect again after a statement that does not fit.
    pub(super) reconnects: bool,
    /// Seats whose programs have ended for good.
    pub(super) dead: BTreeSet<Seat>,
    /// The seats that were removed, as far as programs have reported it.
    pub(super) gone: BTreeSet<Seat>,
    /// A seat whose player makes no choice.
    pub(super) thinks: Option<Seat>,
    /// A seat that does not shuffle for the next hand.
    pub(super) idles: Option<Seat>,
    /// The host does not forward to the first of these seats what the second one signs in the log, or
    /// in the ahead chain of this hand.
    pub(super) withheld: Option<(Seat, Seat, Option<u32>)>,
    /// Whether statements arrive in any order, and some of them more than once.
    pub(super) scrambles: bool,
    pub(super) rng: StdRng,
}

impl World {
    /// A match whose seats are connected and have signed nothing.
    pub(super) fn new(seats: u8, hands: u32, seed: u64) -> Self {
        World::of(verifiable(seats, hands), seed)
    }

    pub(super) fn of(of: TestMatch, seed: u64) -> Self {
        let side = |seat: Seat| {
            let (file, vault) = of.files(seat);
            Side {
                play: start(seat, &file, &vault),
                file,
                vault,
            }
        };
        let mut world = World {
            sides: of.seats().map(side).collect(),
            of,
            ways: BTreeMap::new(),
            sent: Vec::new(),
            statements: HashMap::new(),
            written: BTreeSet::new(),
            thinks: None,
            reconnects: false,
            dead: BTreeSet::new(),
            gone: BTreeSet::new(),
            idles: None,
            withheld: None,
            scrambles: false,
            rng: StdRng::seed_from_u64(seed),
        };
        for guest in world.guests() {
            world.connect(Seat::HOST, guest, |play, peer| play.begin(peer));
        }
        world
    }

    /// The same, and all guests are connected to each other.
    pub(super) fn mesh(seats: u8, hands: u32, seed: u64) -> Self {
        let mut world = World::new(seats, hands, seed);
        world.reconnect_all();
        world
    }

    /// All pairs of seats.
    pub(super) fn pairs(&self) -> Vec<(Seat, Seat)> {
        let pairs = self.of.seats().flat_map(|one| {
            let others = self.of.seats().skip(one.index() + 1);
            others.map(move |other| (one, other))
        });
        pairs.collect()
    }

    pub(super) fn guests(&self) -> Vec<Seat> {
        self.of.seats().skip(1).collect()
    }

    pub(super) fn log(&self, seat: Seat) -> &MatchLog {
        self.sides[seat.index()].play.log()
    }

    pub(super) fn connect(
        &mut self,
        one: Seat,
        other: Seat,
        start: impl Fn(&mut Play<MemoryStorage, MemoryVault, SystemRng>, Seat),
    ) {
        for (seat, peer) in [(one, other), (other, one)] {
            self.ways.insert((seat, peer), VecDeque::new());
            start(&mut self.sides[seat.index()].play, peer);
        }
    }

    pub(super) fn reconnect(&mut self, one: Seat, other: Seat) {
        self.connect(one, other, |play, peer| play.resume(peer).unwrap());
    }

    /// Connects all seats that are not connected.
    pub(super) fn reconnect_all(&mut self) {
        for (one, other) in self.pairs() {
            let is_dead = [one, other].iter().any(|seat| self.dead.contains(seat));
            if !is_dead && !self.is_connected(one, other) {
                self.reconnect(one, other);
            }
        }
    }

    pub(super) fn is_connected(&self, one: Seat, other: Seat) -> bool {
        self.ways.contains_key(&(one, other))
    }

    /// Cuts the connection between two seats. The messages on their way are lost.
    pub(super) fn cut(&mut self, one: Seat, other: Seat) {
        for (seat, peer) in [(one, other), (other, one)] {
            self.ways.remove(&(seat, peer));
            self.sides[seat.index()].play.lose_connection(peer);
        }
    }

    /// The seats whose programs run.
    pub(super) fn alive(&self) -> Vec<Seat> {
        let seats = self.of.seats();
        seats.filter(|seat| !self.dead.contains(seat)).collect()
    }

    /// Ends the program of a seat for good. Its messages on the way are lost.
    pub(super) fn kill(&mut self, seat: Seat) {
        self.dead.insert(seat);
        for (one, other) in self.pairs() {
            if seat == one || seat == other {
                self.cut(one, other);
            }
        }
    }

    /// Lets the time of all seats that a running program lacks something of run out, once.
    pub(super) fn tick(&mut self) {
        self.expire();
        self.play();
    }

    fn expire(&mut self) {
        for seat in self.alive() {
            let others: Vec<Seat> = self.of.seats().collect();
            self.late(seat, &others);
        }
    }

    /// For a seat, the time of the others is over for all that it lacks of them now.
    pub(super) fn late(&mut self, seat: Seat, others: &[Seat]) {
        let play = &mut self.sides[seat.index()].play;
        let missing = play.missing().unwrap_or_default().into_keys();
        play.set_over(missing.filter(|(of, _)| others.contains(of)).collect());
    }

    /// Plays until the match is over for all running programs. Each time when nothing more happens,
    /// the time of all missing seats runs out, at most `ticks` times.
    pub(super) fn play_on(&mut self, ticks: usize) {
        self.play();
        for _ in 0..ticks {
            for seat in self.alive() {
                self.sides[seat.index()].play.request_missing();
            }
            self.play();
            let is_over = |seat: &Seat| matches!(self.log(*seat).phase(), Phase::Over(_));
            if self.alive().iter().all(is_over) {
                return;
            }
            self.tick();
        }
    }

    /// Plays until a log is in such a phase. When nothing more happens, the time of all missing seats
    /// runs out.
    pub(super) fn play_until(&mut self, mut is_it: impl FnMut(&MatchLog) -> bool) {
        let is_there = |world: &World, is_it: &mut dyn FnMut(&MatchLog) -> bool| {
            let alive = world.alive();
            alive.into_iter().any(|seat| is_it(world.log(seat)))
        };
        let mut ticks = 0;
        while !is_there(self, &mut is_it) {
            if !self.step() {
                assert!(ticks < 10, "the match does not come to this phase");
                self.expire();
                ticks += 1;
            }
        }
    }

    /// Ends the program of a seat, and starts it from its file, which has all that it has sent.
    pub(super) fn restart(&mut self, seat: Seat) {
        let bytes = self.sides[seat.index()].file.bytes();
        self.start_from(seat, bytes);
        let statements = self.log(seat).statements(0);
        let places: BTreeSet<Place> = statements.iter().map(|one| place(&one.signed)).collect();
        let mut own = self
            .written
            .iter()
            .filter(|(_, signer, ..)| *signer == seat);
        assert!(own.all(|place| places.contains(place)), "{seat}");
    }

    /// Ends the program of a seat, and starts it from an older copy of its file.
    pub(super) fn restore(&mut self, seat: Seat, bytes: Vec<u8>) {
        self.written.retain(|(_, signer, ..)| *signer != seat);
        self.start_from(seat, bytes);
    }

    pub(super) fn start_from(&mut self, seat: Seat, bytes: Vec<u8>) {
        for (one, other) in self.pairs() {
            if seat == one || seat == other {
                self.cut(one, other);
            }
        }
        let side = &mut self.sides[seat.index()];
        side.file = MemoryStorage::of(bytes);
        side.play = start(seat, &side.file, &side.vault);
    }

    /// Lets a seat sign and send what is due, and answer its questions.
    pub(super) fn advance(&mut self, seat: Seat) {
        loop {
            let play = &mut self.sides[seat.index()].play;
            let mut sent = Vec::new();
            play.advance(&mut sent, &mut NoEngine).unwrap();
            let mut answered = false;
            while let Some(news) = play.news() {
                if let News::Log(LogEvent::Removed { seats }) = news {
                    self.gone.extend(seats);
                }
            }
            if let Phase::Choose { seat: now, legal } = play.log().phase()
                && now == seat
                && self.thinks != Some(seat)
                && play.is_synced()
            {
                let choice = passive(&legal, &mut self.rng);
                play.command(Command::Choose(choice)).unwrap();
                answered = true;
            }
            for (to, bytes) in sent {
                self.send((seat, to), bytes);
            }
            let play = &mut self.sides[seat.index()].play;
            let idles = self.idles == Some(seat);
            if !answered && (idles || !play.shuffle_ahead().unwrap()) {
                return;
            }
        }
    }

    pub(super) fn send(&mut self, way: Way, bytes: Vec<u8>) {
        let message = LogMessage::decode(&bytes).unwrap();
        if let LogMessage::Statement(statement) = &message {
            let place = place(&statement.signed);
            let before = self.statements.insert(place, statement.clone());
            let is_of_another_chain =
                |before: &Statement| before.signed.head() != statement.signed.head();
            assert!(
                before.is_none_or(|before| before == *statement || is_of_another_chain(&before)),
                "{place:?}"
            );
            if place.1 == way.0 {
                self.written.insert(place);
            }
            if way.0 == Seat::HOST && self.withheld == Some((way.1, place.1, place.0)) {
                return;
            }
        }
        self.sent.push((way, message));
        self.ways.get_mut(&way).unwrap().push_back(bytes);
    }

    /// Another seat receives a foul that the seat has signed in its current step.
    pub(super) fn send_foul(&mut self, from: Seat, to: Seat) {
        let log = self.log(from);
        let before = log.hash();
        let foul = self.of.sign_bytes(log, from, vec![0xff; 7]);
        let signed = Signed::Part(foul);
        let message = LogMessage::Statement(Statement { before, signed }).encode();
        let play = &mut self.sides[to.index()].play;
        play.receive(Event::Received(from, message)).unwrap();
    }

    /// Lets all seats advance, and delivers a message. Returns `false` if there is none.
    pub(super) fn step(&mut self) -> bool {
        for seat in self.alive() {
            self.advance(seat);
        }
        let ways = self.ways.iter().filter(|(_, way)| !way.is_empty());
        let ways: Vec<Way> = ways.map(|(way, _)| *way).collect();
        let Some(&(from, to)) = ways.choose(&mut self.rng) else {
            return false;
        };
        let message = self.next_message((from, to));
        let play = &mut self.sides[to.index()].play;
        match play.receive(Event::Received(from, message)) {
            // The two programs exchange their histories.
            Err(PlayError::Refused(_)) if self.reconnects => self.reconnect(from, to),
            received => received.unwrap(),
        }
        true
    }

    /// The message that arrives next on this way.
    pub(super) fn next_message(&mut self, way: Way) -> Vec<u8> {
        let way = self.ways.get_mut(&way).unwrap();
        let is_statement =
            |bytes: &Vec<u8>| matches!(LogMessage::decode(bytes), Ok(LogMessage::Statement(_)));
        if !self.scrambles || !way.iter().all(is_statement) {
            return way.pop_front().unwrap();
        }
        let at = self.rng.random_range(0..way.len());
        match self.rng.random_range(0..4) {
            0 => way[at].clone(),
            _ => way.remove(at).unwrap(),
        }
    }

    /// Lets the guests stop waiting for each other. Returns whether a guest has waited.
    pub(super) fn time_out(&mut self) -> bool {
        let mut has_waited = false;
        for side in &mut self.sides {
            let was_synced = side.play.is_synced();
            side.play.stop_waiting().unwrap();
            has_waited |= side.play.is_synced() != was_synced;
        }
        has_waited
    }

    /// Plays until nothing more is possible.
    pub(super) fn play(&mut self) {
        while self.step() || self.time_out() {}
        let mut sides = self.sides.iter_mut();
        assert!(sides.all(|side| side.play.failed().is_none()));
    }

    /// Plays until it is the turn of this seat, whose player does not choose yet.
    pub(super) fn play_to_the_choice_of(&mut self, seat: Seat) {
        self.thinks = Some(seat);
        self.play();
        for of in self.alive() {
            let phase = self.log(of).phase();
            assert!(matches!(phase, Phase::Choose { seat: now, .. } if now == seat));
        }
    }

    /// Checks that all seats have the same log, of a match that was played to its end.
    pub(super) fn check(&self) {
        let alive = self.alive();
        for seat in alive.iter().copied() {
            assert_eq!(self.log(seat).phase(), Phase::Over(End::Played), "{seat}");
            assert_eq!(self.log(seat).hash(), self.log(alive[0]).hash());
            assert!(
                self.sides[seat.index()]
                    .vault
                    .clone()
                    .kept()
                    .unwrap()
                    .is_none()
            );
        }
    }
}

/// The program of a seat, started from its files.
pub(super) fn start(
    seat: Seat,
    file: &MemoryStorage,
    vault: &MemoryVault,
) -> Play<MemoryStorage, MemoryVault, SystemRng> {
    let deck = DeckSetting::Verifiable(vault.clone());
    Play::new(setting(seat, file.clone(), deck, system_rng()).unwrap()).unwrap()
}
