//! Matches of several seats, whose messages the test passes by hand. Connections are lost, and
//! programs start anew from their files.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use super::news::{Command, News};
use super::orders::{Event, Order, Orders, Outbox};
use super::seat_play::{DeckSetting, Play, Setting};
use super::vault::{MemoryVault, Vault};
use super::verifiable_seat::VerifiableSeat;
use crate::identity::Identity;
use crate::log::tests::many_seats::{passive, verifiable};
use crate::log::tests::test_match::TestMatch;
use crate::log::{
    DealInput, End, Journal, LogMessage, MatchLog, MemoryStorage, Part, Phase, Signed, Statement,
};
use crate::random::{SystemRng, system_rng};
use crate::rules::Choice;
use crate::seat::Seat;

const ONE: Seat = Seat::new(1);
const TWO: Seat = Seat::new(2);

/// A vault that outlives the program.
#[derive(Clone, Default)]
struct KeptVault(Arc<Mutex<MemoryVault>>);

impl Vault for KeptVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().keep(deck)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        self.0.lock().unwrap().kept()
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().destroy()
    }
}

struct NoEngine;

impl Orders for NoEngine {
    fn order(&mut self, _: Order) {
        unreachable!("a verifiable deck needs no engine");
    }
}

/// Collects the messages of a seat.
#[derive(Default)]
struct Sent(Vec<(Seat, Vec<u8>)>);

impl Outbox for Sent {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        self.0.push((to, message));
        Ok(())
    }
}

/// A seat: its program, and the files that outlive the program.
struct Side {
    identity: Arc<Identity>,
    file: MemoryStorage,
    vault: KeptVault,
    play: Play<MemoryStorage, KeptVault, SystemRng>,
}

/// The sender and the receiver of messages.
type Way = (Seat, Seat);

/// The place of a statement: its chain, which is that of a hand or the log, its seat, its step, and
/// whether it is a part.
type Place = (Option<u32>, Seat, u64, bool);

fn place(signed: &Signed) -> Place {
    let is_part = matches!(signed, Signed::Part(_));
    let hand = signed.head().map(|head| head.hand);
    (hand, signed.seat(), signed.step(), is_part)
}

struct World {
    of: TestMatch,
    sides: Vec<Side>,
    /// The messages on the connections. A way that is not connected is missing.
    ways: BTreeMap<Way, VecDeque<Vec<u8>>>,
    /// All messages that were ever sent.
    sent: Vec<(Way, LogMessage)>,
    /// The statements that were sent.
    statements: HashMap<Place, Statement>,
    /// The statements of each seat that must be in its file.
    written: BTreeSet<Place>,
    /// A seat whose player makes no choice.
    thinks: Option<Seat>,
    /// A seat that does not shuffle for the next hand.
    idles: Option<Seat>,
    rng: StdRng,
}

impl World {
    /// A match whose seats are connected and have signed nothing.
    fn new(seats: u8, hands: u32, seed: u64) -> Self {
        let of = verifiable(seats, hands);
        let side = |seat: Seat| {
            let identity = Arc::new(Identity::from_seed([seat.number(); 32]));
            let (file, vault) = (MemoryStorage::default(), KeptVault::default());
            Journal::create(file.clone(), identity.file_key(), &of.sitting(seat)).unwrap();
            Side {
                play: start(seat, &identity, &file, &vault),
                identity,
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
            idles: None,
            rng: StdRng::seed_from_u64(seed),
        };
        for guest in world.guests() {
            world.connect(guest, |play, peer| play.begin(peer));
        }
        world
    }

    fn guests(&self) -> Vec<Seat> {
        self.of.seats().skip(1).collect()
    }

    fn log(&self, seat: Seat) -> &MatchLog {
        self.sides[seat.index()].play.log()
    }

    fn connect(
        &mut self,
        guest: Seat,
        start: impl Fn(&mut Play<MemoryStorage, KeptVault, SystemRng>, Seat),
    ) {
        for (seat, peer) in [(Seat::HOST, guest), (guest, Seat::HOST)] {
            self.ways.insert((seat, peer), VecDeque::new());
            start(&mut self.sides[seat.index()].play, peer);
        }
    }

    fn reconnect(&mut self, guest: Seat) {
        self.connect(guest, |play, peer| play.resume(peer).unwrap());
    }

    fn is_connected(&self, guest: Seat) -> bool {
        self.ways.contains_key(&(Seat::HOST, guest))
    }

    /// Cuts the connection to a guest. The messages on their way are lost.
    fn cut(&mut self, guest: Seat) {
        for (seat, peer) in [(Seat::HOST, guest), (guest, Seat::HOST)] {
            self.ways.remove(&(seat, peer));
            self.sides[seat.index()].play.lose_connection(peer);
        }
    }

    /// Ends the program of a seat, and starts it from its file, which has all that it has sent.
    fn restart(&mut self, seat: Seat) {
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
    fn restore(&mut self, seat: Seat, bytes: Vec<u8>) {
        self.written.retain(|(_, signer, ..)| *signer != seat);
        self.start_from(seat, bytes);
    }

    fn start_from(&mut self, seat: Seat, bytes: Vec<u8>) {
        for guest in self.guests() {
            if seat == Seat::HOST || seat == guest {
                self.cut(guest);
            }
        }
        let side = &mut self.sides[seat.index()];
        side.file = MemoryStorage::of(bytes);
        side.play = start(seat, &side.identity, &side.file, &side.vault);
    }

    /// Lets a seat sign and send what is due, and answer its questions.
    fn advance(&mut self, seat: Seat) {
        loop {
            let play = &mut self.sides[seat.index()].play;
            let mut sent = Sent::default();
            play.advance(&mut sent, &mut NoEngine).unwrap();
            let mut answered = false;
            while let Some(news) = play.news() {
                if let News::AskRebuy { .. } = news {
                    play.command(Command::Rebuy(false)).unwrap();
                    answered = true;
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
            for (to, bytes) in sent.0 {
                self.send((seat, to), bytes);
            }
            let play = &mut self.sides[seat.index()].play;
            let idles = self.idles == Some(seat);
            if !answered && (idles || !play.shuffle_ahead().unwrap()) {
                return;
            }
        }
    }

    fn send(&mut self, way: Way, bytes: Vec<u8>) {
        let message = LogMessage::decode(&bytes).unwrap();
        if let LogMessage::Statement(statement) = &message {
            let place = place(&statement.signed);
            let before = self.statements.insert(place, statement.clone());
            assert!(
                before.is_none_or(|before| before == *statement),
                "{place:?}"
            );
            if place.1 == way.0 {
                self.written.insert(place);
            }
        }
        self.sent.push((way, message));
        self.ways.get_mut(&way).unwrap().push_back(bytes);
    }

    /// Lets all seats advance, and delivers a message. Returns `false` if there is none.
    fn step(&mut self) -> bool {
        for seat in self.of.seats() {
            self.advance(seat);
        }
        let ways = self.ways.iter().filter(|(_, way)| !way.is_empty());
        let ways: Vec<Way> = ways.map(|(way, _)| *way).collect();
        let Some(&(from, to)) = ways.choose(&mut self.rng) else {
            return false;
        };
        let message = self.ways.get_mut(&(from, to)).unwrap().pop_front().unwrap();
        let play = &mut self.sides[to.index()].play;
        play.receive(Event::Received(from, message)).unwrap();
        true
    }

    /// Plays until nothing more is possible.
    fn play(&mut self) {
        while self.step() {}
    }

    /// Plays until it is the turn of this seat, whose player does not choose yet.
    fn play_to_the_choice_of(&mut self, seat: Seat) {
        self.thinks = Some(seat);
        self.play();
        for of in self.of.seats() {
            let phase = self.log(of).phase();
            assert!(matches!(phase, Phase::Choose { seat: now, .. } if now == seat));
        }
    }

    /// Checks that all seats have the same log, of a match that was played to its end.
    fn check(&self) {
        for seat in self.of.seats() {
            assert_eq!(self.log(seat).phase(), Phase::Over(End::Played), "{seat}");
            assert_eq!(self.log(seat).hash(), self.log(Seat::HOST).hash());
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
fn start(
    seat: Seat,
    identity: &Arc<Identity>,
    file: &MemoryStorage,
    vault: &KeptVault,
) -> Play<MemoryStorage, KeptVault, SystemRng> {
    let opened = Journal::open(file.clone(), identity.file_key()).unwrap();
    Play::new(Setting {
        identity: Arc::clone(identity),
        seat,
        log: opened.log,
        journal: opened.journal,
        deck: DeckSetting::Verifiable(vault.clone()),
        rng: system_rng(),
    })
    .unwrap()
}

#[test]
fn host_forwards_each_statement_once_to_each_seat_that_has_not_signed_it() {
    for (seats, seed) in [(2, 1), (3, 2), (4, 3)] {
        let mut world = World::new(seats, 1, seed);
        world.play();
        world.check();
        let mut arrived = BTreeSet::new();
        for ((from, to), message) in &world.sent {
            let signed = match message {
                LogMessage::Statement(statement) => statement.signed.clone(),
                LogMessage::Part(part) => Signed::Part(part.clone()),
                other => panic!("{other:?}"),
            };
            let signer = signed.seat();
            assert!(signer != *to && (*from == Seat::HOST || *from == signer));
            assert!(arrived.insert((*to, place(&signed))));
        }
        let statements: BTreeSet<_> = arrived.iter().map(|(_, place)| place).collect();
        assert_eq!(arrived.len(), statements.len() * usize::from(seats - 1));
    }
}

#[test]
fn lost_connection_stops_no_other_seat_and_only_its_seat_gets_the_history_again() {
    let mut world = World::new(3, 2, 1);
    world.play_to_the_choice_of(Seat::HOST);
    let step = world.log(Seat::HOST).step();
    world.cut(ONE);
    world.thinks = None;
    world.play();
    assert!(world.log(TWO).part(step, Seat::HOST).is_some());
    assert_eq!(world.log(ONE).step(), step);
    let before = world.sent.len();
    world.reconnect(ONE);
    world.play();
    let resumed = |(way, message): &(Way, LogMessage)| {
        matches!(message, LogMessage::Resume(_)).then_some(*way)
    };
    let resumed: BTreeSet<Way> = world.sent[before..].iter().filter_map(resumed).collect();
    assert_eq!(
        resumed,
        BTreeSet::from([(Seat::HOST, ONE), (ONE, Seat::HOST)])
    );
    world.check();
}

#[test]
fn host_signs_nothing_after_its_start_before_all_guests_have_sent_their_histories() {
    let mut world = World::new(3, 2, 1);
    world.play_to_the_choice_of(Seat::HOST);
    world.thinks = None;
    let signed = |world: &World| {
        let signers = world.statements.keys().map(|(_, signer, ..)| *signer);
        signers.filter(|signer| *signer == Seat::HOST).count()
    };
    let before = signed(&world);
    world.restart(Seat::HOST);
    for guest in [ONE, TWO] {
        assert!(!world.sides[0].play.is_synced() && signed(&world) == before);
        world.reconnect(guest);
        world.play();
    }
    assert!(signed(&world) > before);
    world.check();
}

#[test]
fn evidence_reaches_all_seats_also_after_a_lost_connection() {
    let mut world = World::new(4, 1, 1);
    world.play_to_the_choice_of(ONE);
    world.thinks = None;
    let mut other = world.log(ONE).clone();
    let before = other.hash();
    let identity = Arc::clone(&world.sides[1].identity);
    let fold = other
        .sign(&identity, ONE, &Part::Move(Choice::Fold))
        .unwrap()
        .0;
    let fold = Statement {
        before,
        signed: Signed::Part(fold),
    };
    world.cut(TWO);
    world.advance(ONE);
    let way = world.ways.get_mut(&(ONE, Seat::HOST)).unwrap();
    way.push_back(LogMessage::Statement(fold).encode());
    world.play();
    let end = Phase::Over(End::Fork { seat: ONE });
    let phase = |world: &World, seat| world.log(Seat::new(seat)).phase();
    assert!([0, 1, 3].iter().all(|seat| phase(&world, *seat) == end));
    assert_ne!(phase(&world, 2), end);
    world.reconnect(TWO);
    world.play();
    assert_eq!(phase(&world, 2), end);
    world.restart(TWO);
    assert_eq!(phase(&world, 2), end);
}

#[test]
fn table_waits_between_two_hands_for_a_seat_that_does_not_shuffle() {
    for silent in [Seat::HOST, ONE, TWO] {
        let mut world = World::new(3, 2, 1);
        world.idles = Some(silent);
        world.play();
        for seat in world.of.seats() {
            let log = world.log(seat);
            assert_eq!((log.phase(), log.waits_for()), (Phase::Deal, vec![silent]));
            assert_eq!(log.attempt().hand, 2);
        }
        // The program is started again, and the others as well.
        for seat in world.of.seats().collect::<Vec<_>>() {
            world.restart(seat);
        }
        world.idles = None;
        world.reconnect(ONE);
        world.reconnect(TWO);
        world.play();
        world.check();
    }
}

#[test]
fn invalid_shuffle_for_the_next_hand_reaches_all_seats_and_stops_nobody() {
    for loses_connection in [false, true] {
        let mut world = World::new(3, 3, 1);
        world.idles = Some(ONE);
        world.play_to_the_choice_of(Seat::HOST);
        let mut log = world.log(ONE).clone();
        let secret = world.sides[1].vault.kept().unwrap().unwrap();
        let secret = Zeroizing::new(<[u8; 32]>::try_from(&secret[..]).unwrap());
        let own = VerifiableSeat::new(&log, ONE, secret).unwrap();
        let (mut shuffle, deck) = own.ahead(&log).unwrap();
        shuffle[5000] ^= 1;
        let identity = Arc::clone(&world.sides[1].identity);
        let invalid = log.sign_ahead(&identity, ONE, shuffle, deck).unwrap();
        if loses_connection {
            world.cut(TWO);
        }
        let way = world.ways.get_mut(&(ONE, Seat::HOST)).unwrap();
        way.push_back(LogMessage::Statement(invalid.clone()).encode());
        // The cheat knows it, too.
        let message = LogMessage::Statement(invalid).encode();
        let event = Event::Received(Seat::HOST, message);
        world.sides[1].play.receive(event).unwrap();
        world.thinks = None;
        world.play();
        if loses_connection {
            world.reconnect(TWO);
            world.play();
        }
        world.idles = None;
        world.play();
        world.check();
        let log = world.log(Seat::HOST);
        let ends = log.deals(TWO).into_iter().map(|deal| deal.deck);
        let named: Vec<bool> = ends
            .map(|deck| matches!(deck, DealInput::Verifiable { end, .. } if end != [0; 32]))
            .collect();
        assert!(named.ends_with(&[false, true]), "{named:?}");
    }
}

#[test]
fn match_survives_lost_connections_restarts_and_restored_files() {
    for seed in 0..4 {
        let mut world = World::new(3, 2, seed);
        // A copy of each seat's file.
        let mut copies: Vec<_> = world.sides.iter().map(|side| side.file.bytes()).collect();
        for _ in 0..40 {
            for _ in 0..world.rng.random_range(0..150) {
                world.step();
            }
            let seat = Seat::new(world.rng.random_range(0..3));
            let side = &world.sides[seat.index()];
            match world.rng.random_range(0..6) {
                0 if world.is_connected(ONE) => world.cut(ONE),
                1 if world.is_connected(TWO) => world.cut(TWO),
                2 => world.restart(seat),
                3 => copies[seat.index()] = side.file.bytes(),
                // The secret of a match that is over is destroyed.
                4 if !matches!(side.play.log().phase(), Phase::Over(_)) => {
                    world.restore(seat, copies[seat.index()].clone());
                }
                _ => {
                    for guest in [ONE, TWO] {
                        if !world.is_connected(guest) {
                            world.reconnect(guest);
                        }
                    }
                }
            }
        }
        for guest in [ONE, TWO] {
            world.cut(guest);
            world.reconnect(guest);
        }
        world.play();
        world.check();
    }
}
