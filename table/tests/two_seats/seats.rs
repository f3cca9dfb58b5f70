//! Two seats of one match, each on a thread of its own, over lines in memory.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::shuffle::ShuffleCircuit;
use dealerless::testing::session::system_rng;
use dealerless_table::{
    Binding, Clock, Command, Dealer, End, Event, Header, Identity, Journal, Match, MatchLog,
    MemoryVault, News, Outbox, Play, PlayError, Player, Seat, Setting, Stakes, Storage, Versions,
};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct Memory(Vec<u8>);

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

pub(crate) type Seated = Play<Memory, MemoryVault, UnwrapErr<SysRng>>;

/// Counts nothing.
struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

/// Where the parts of a seat go: to the other.
pub(crate) struct Wire(Sender<Event>);

impl Outbox for Wire {
    fn send(&mut self, part: Vec<u8>) -> io::Result<()> {
        let sent = self.0.send(Event::Said(part));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// A seat, with all that it is connected to.
pub(crate) struct Side {
    pub(crate) play: Seated,
    pub(crate) wire: Wire,
    pub(crate) dealer: Dealer,
    pub(crate) events: Receiver<Event>,
}

/// Both sides of a match for these stakes.
pub(crate) fn sides(stakes: &Stakes, circuit: &Arc<ShuffleCircuit>) -> [Side; 2] {
    let mut rng = system_rng();
    let identities = [(); 2].map(|()| Arc::new(Identity::generate(&mut rng)));
    let header = Header {
        versions: Versions {
            log: Header::LOG_VERSION,
            engine: 3,
        },
        stakes: stakes.clone(),
        circuit: circuit.circuit().digest(),
        validity: if circuit.validity().is_some() { 2 } else { 0 },
        clock: Clock {
            each_move: 0,
            bank: 0,
        },
    };
    let player = |identity: &Arc<Identity>| Player {
        identity: identity.public().clone(),
        nonce: [7; 32],
    };
    let of = Match::new(header, identities.iter().map(player).collect()).unwrap();
    let (one, other) = memory_pair();
    let (to_host, at_host) = mpsc::channel();
    let (to_guest, at_guest) = mpsc::channel();
    let host = (Seat::HOST, one, to_host.clone(), to_guest.clone(), at_host);
    let guest = (Seat::GUEST, other, to_guest, to_host, at_guest);
    [host, guest].map(|(seat, line, own, theirs, events)| {
        let identity = identities[seat.index()].clone();
        side(seat, &of, identity, circuit, (line, own, theirs, events))
    })
}

fn side(
    seat: Seat,
    of: &Match,
    identity: Arc<Identity>,
    circuit: &Arc<ShuffleCircuit>,
    (line, own, theirs, events): (
        MemoryTransport,
        Sender<Event>,
        Sender<Event>,
        Receiver<Event>,
    ),
) -> Side {
    let sitting = dealerless_table::Sitting {
        of: of.clone(),
        seat,
        names: Vec::new(),
    };
    let journal = Journal::create(Memory::default(), identity.file_key(), &sitting).unwrap();
    let binding = Binding {
        seat,
        handshake: [1; 32],
        circuit: circuit.clone(),
        attempts: Box::new(Uncounted),
    };
    let channel = Channel::new(line, Deadlines::default());
    let report = move |done| own.send(Event::Done(done)).is_ok();
    let dealer = Dealer::start(channel, binding, system_rng(), |_| {}, report);
    let play = Play::new(Setting {
        identity,
        seat,
        log: MatchLog::new(of.clone()),
        journal,
        vault: MemoryVault::default(),
        circuit: circuit.clone(),
        rng: system_rng(),
    });
    Side {
        play,
        wire: Wire(theirs),
        dealer,
        events,
    }
}

impl Side {
    /// Plays until the match is over. `player` answers the news.
    pub(crate) fn run(
        &mut self,
        mut player: impl FnMut(&Seated, &News) -> Option<Command>,
    ) -> Result<End, PlayError> {
        loop {
            self.play.go_on(&mut self.wire, &mut self.dealer)?;
            let mut said = false;
            while let Some(news) = self.play.news() {
                if let Some(command) = player(&self.play, &news) {
                    self.play.command(command).expect("what it may say");
                    said = true;
                }
                if let News::Over(end) = news {
                    return Ok(end);
                }
            }
            if !said {
                let event = self.events.recv().expect("the engine or the peer");
                self.play.hear(event)?;
            }
        }
    }
}

/// Plays both sides, each on a thread.
pub(crate) fn both<R: Send>(sides: [Side; 2], act: impl Fn(Side) -> R + Sync) -> [R; 2] {
    thread::scope(|scope| {
        let threads = sides.map(|side| scope.spawn(|| act(side)));
        threads.map(|thread| thread.join().unwrap())
    })
}
