//! Two seats of one match, each with its own thread, files in memory, and the real engine.

use std::io::{self, PipeReader, PipeWriter, pipe};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use dealerless::deck::Choice;
use dealerless::mpc::{Attempt, Attempts, Security};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::shuffle::ShuffleCircuit;
use dealerless_table::{
    Binding, Clock, Dealer, End, Identity, Journal, LineError, Match, MatchLog, MemoryVault, Name,
    Play, Player as Sits, Seat, Seating, Setting, Sitting, Stakes, Storage,
};

use super::super::connection::Connection;
use super::super::player::{Face, Player};
use super::super::seat::{Ears, Seat as Place};
use super::super::story::Story;
use super::super::{event::Event, sit};
use crate::session::system_rng;

#[derive(Clone, Default)]
struct Memory(Vec<u8>);

impl Storage for Memory {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.truncate(len as usize);
        Ok(())
    }
}

struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

/// A line in memory.
pub(super) struct Wire {
    to_other: Mutex<Option<Sender<Vec<u8>>>>,
    from_other: Mutex<Receiver<Vec<u8>>>,
    engine: Mutex<Option<MemoryTransport>>,
}

impl Connection for Wire {
    type Engine = MemoryTransport;

    fn send(&self, part: Vec<u8>) -> Result<(), LineError> {
        let to_other = self.to_other.lock().unwrap();
        let sent = to_other.as_ref().map(|to_other| to_other.send(part));
        sent.and_then(Result::ok).ok_or(LineError::Closed)
    }

    fn receive(&self) -> Result<Vec<u8>, LineError> {
        let part = self.from_other.lock().unwrap().recv();
        part.map_err(|_| LineError::Closed)
    }

    fn engine(&self) -> Result<MemoryTransport, LineError> {
        self.engine
            .lock()
            .unwrap()
            .take()
            .ok_or(LineError::EngineInUse)
    }

    fn give_way(&self, _: bool) {}

    fn close(&self) {
        self.to_other.lock().unwrap().take();
    }
}

fn wires() -> [Arc<Wire>; 2] {
    let (a, b) = memory_pair();
    let (to_b, from_a) = channel();
    let (to_a, from_b) = channel();
    let wire = |to, from, engine| {
        Arc::new(Wire {
            to_other: Mutex::new(Some(to)),
            from_other: Mutex::new(from),
            engine: Mutex::new(Some(engine)),
        })
    };
    [wire(to_b, from_b, a), wire(to_a, from_a, b)]
}

/// The program at the other end of a seat's JSON.
pub(super) struct FrontEnd {
    pub(super) events: PipeReader,
    pub(super) commands: PipeWriter,
}

/// A seat that is ready to play.
pub(super) type Ready = Box<dyn FnOnce() -> anyhow::Result<End> + Send>;

/// Both seats of a match for these stakes, each with the program that plays there.
pub(super) fn both(stakes: &Stakes) -> [(Ready, FrontEnd); 2] {
    let (cards, drawn) = stakes.deck();
    let spec = Choice::Cheapest
        .spec(cards, drawn, Security::Malicious)
        .unwrap();
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let proposed = Seating::propose(stakes.clone(), spec.algorithm(), clock);
    let (header, circuit) = proposed.unwrap();
    let identities = [(); 2].map(|()| Arc::new(Identity::generate(&mut system_rng())));
    let player = |identity: &Arc<Identity>| Sits {
        identity: identity.public().clone(),
        nonce: [7; 32],
    };
    let players = identities.iter().map(player).collect();
    let of = Match::new(header, players).unwrap();
    let [a, b] = wires();
    let [host, guest] = identities;
    [
        side(Seat::HOST, host, &of, &circuit, a),
        side(Seat::GUEST, guest, &of, &circuit, b),
    ]
}

fn side(
    seat: Seat,
    identity: Arc<Identity>,
    of: &Match,
    circuit: &Arc<ShuffleCircuit>,
    wire: Arc<Wire>,
) -> (Ready, FrontEnd) {
    let (events, output) = pipe().unwrap();
    let (input, commands) = pipe().unwrap();
    let (of, circuit) = (of.clone(), Arc::clone(circuit));
    let ready = move || {
        let names: Vec<Name> = ["Anna", "Bert"].map(Name::clean).into();
        let sitting = Sitting {
            of: of.clone(),
            seat,
            names: names.clone(),
        };
        let journal = Journal::create(Memory::default(), identity.file_key(), &sitting)?;
        let mut player = Player::new(Face::Json(Box::new(output)), None);
        let seated: Event = sit::seated(&of, seat, &names, None);
        player.sit(&seated)?;
        let mut ears = Ears::new();
        let binding = Binding {
            seat,
            handshake: [1; 32],
            circuit: Arc::clone(&circuit),
            attempts: Box::new(Uncounted),
        };
        let channel = Channel::new(wire.engine()?, Deadlines::default());
        let engine = Dealer::start(channel, binding, system_rng(), |_| {}, ears.report());
        ears.listen(Arc::clone(&wire))?;
        ears.read(io::BufReader::new(input))?;
        let deck = of.header().stakes.deck();
        let play = Play::new(Setting {
            identity,
            seat,
            log: MatchLog::new(of),
            journal,
            vault: MemoryVault::default(),
            circuit,
            rng: system_rng(),
        });
        let mut place = Place {
            play,
            connection: Arc::clone(&wire),
            engine,
            ears,
            story: Story::new(seat, deck, None),
            player,
        };
        let end = place.play();
        wire.close();
        end
    };
    (Box::new(ready), FrontEnd { events, commands })
}
