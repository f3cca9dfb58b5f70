//! Two seats of one match, each on its own thread, over connections in memory.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::Seat;
use crate::log::{
    Clock, DeckTerms, End, Header, Inputs, Journal, Match, MatchLog, Player, SealedTerms, Sitting,
};
use crate::play::{
    Command, DealCircuit, Dealer, DeckSetting, Event, News, Outbox, Play, PlayError, SealedSetting,
    Setting,
};
use crate::rules::Stakes;
use dealerless::net::memory_pair;
use dealerless_connection::identity::Identity;
use dealerless_connection::random::{SystemRng, system_rng};
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Storage};

use super::engine;

pub type Seated<S = MemoryStorage> = Play<S, MemoryVault, SystemRng>;

/// Sends the parts of a seat to the other seat.
pub struct Wire(Sender<Event>, Seat);

impl Outbox for Wire {
    fn send(&mut self, to: Seat, part: Vec<u8>) -> io::Result<()> {
        let sent = self.0.send(Event::Received(to.next(2), part));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for Wire {
    /// Sends an empty message, so that the other seat does not wait for this one.
    fn drop(&mut self) {
        let _ = self.0.send(Event::Received(self.1, Vec::new()));
    }
}

/// A seat's keys and connections.
pub struct Wiring {
    pub seat: Seat,
    pub identity: Arc<Identity>,
    pub circuit: Arc<DealCircuit>,
    pub wire: Wire,
    pub dealer: Dealer,
    pub events: Receiver<Event>,
}

/// An honest seat.
pub struct Side<S = MemoryStorage> {
    pub play: Seated<S>,
    pub wiring: Wiring,
}

/// The wiring of both seats for a new match with these stakes, and the match.
pub fn wirings(stakes: &Stakes, circuit: &Arc<DealCircuit>) -> ([Wiring; 2], Match) {
    let mut rng = system_rng();
    let identities = [(); 2].map(|()| Arc::new(Identity::generate(&mut rng)));
    let header = Header {
        stakes: stakes.clone(),
        deck: DeckTerms::Sealed(SealedTerms {
            engine_version: 3,
            algorithm: circuit.algorithm(),
            circuit: circuit.circuit().digest(),
            validity: if circuit.checks_inputs() { 2 } else { 0 },
        }),
        clock: Clock {
            each_move: 0,
            bank: 0,
        },
        past: None,
    };
    let player = |identity: &Arc<Identity>| Player {
        identity: identity.public().clone(),
        nonce: [7; 32],
    };
    let info = Match::new(header, identities.iter().map(player).collect()).unwrap();
    let (one, other) = memory_pair();
    let (to_host, at_host) = mpsc::channel();
    let (to_guest, at_guest) = mpsc::channel();
    let host = (Seat::HOST, one, to_host.clone(), to_guest.clone(), at_host);
    let guest = (Seat::GUEST, other, to_guest, to_host, at_guest);
    let wirings = [host, guest].map(|(seat, connection, own, theirs, events)| Wiring {
        seat,
        identity: identities[seat.index()].clone(),
        circuit: circuit.clone(),
        wire: Wire(theirs, seat),
        dealer: engine::start((seat, [1; 32]), circuit, connection, move |done| {
            own.send(Event::Done(done)).is_ok()
        }),
        events,
    });
    (wirings, info)
}

/// Creates the file for the shuffle inputs of the seat with these keys.
pub fn inputs<S: Storage>(storage: S, identity: &Identity, info: &Match) -> Inputs<S> {
    let opened = Inputs::open(storage, identity.file_key(), info.id());
    opened.expect("a new file").file
}

impl<S: Storage + Default> Side<S> {
    pub fn new(wiring: Wiring, info: &Match) -> Self {
        let sitting = Sitting {
            match_info: info.clone(),
            seat: wiring.seat,
            names: Vec::new(),
        };
        let key = wiring.identity.file_key();
        let mut play = Play::new(Setting {
            identity: wiring.identity.clone(),
            seat: wiring.seat,
            log: MatchLog::new(info.clone(), wiring.seat),
            journal: Journal::create(S::default(), key, &sitting).unwrap(),
            deck: DeckSetting::Sealed(SealedSetting {
                inputs: inputs(S::default(), &wiring.identity, info),
                vault: MemoryVault::default(),
                circuit: wiring.circuit.clone(),
            }),
            rng: system_rng(),
        })
        .unwrap();
        play.begin(wiring.seat.next(2));
        Side { play, wiring }
    }

    /// Plays until the match is over. `player` answers the news.
    pub fn run(
        &mut self,
        mut player: impl FnMut(&Seated<S>, &News) -> Option<Command>,
    ) -> Result<End, PlayError> {
        let Side { play, wiring } = self;
        loop {
            play.advance(&mut wiring.wire, &mut wiring.dealer)?;
            let mut commanded = false;
            while let Some(news) = play.news() {
                if let Some(command) = player(play, &news) {
                    play.command(command).expect("an allowed command");
                    commanded = true;
                }
                if let News::Over(end) = news {
                    return Ok(end);
                }
            }
            if !commanded {
                let event = wiring
                    .events
                    .recv()
                    .expect("an event of the engine or the peer");
                play.receive(event)?;
            }
        }
    }
}

/// Runs `act` on both sides, each on its own thread.
pub fn both<T: Send, R: Send>(sides: [T; 2], act: impl Fn(T) -> R + Sync) -> [R; 2] {
    thread::scope(|scope| {
        let threads = sides.map(|side| scope.spawn(|| act(side)));
        threads.map(|thread| thread.join().unwrap())
    })
}
