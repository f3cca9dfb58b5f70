//! Two seats of one match, each on its own thread, over connections in memory.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use dealerless::mpc::Uncounted;
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair, system_time};
use dealerless::testing::session::system_rng;
use dealerless_connection::identity::Identity;
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Storage};
use dealerless_table::Seat;
use dealerless_table::log::{
    Clock, DeckTerms, End, Header, Inputs, Journal, Match, MatchLog, Player, SealedTerms, Sitting,
};
use dealerless_table::play::{
    Binding, Command, DealCircuit, Dealer, DeckSetting, Event, News, Outbox, Play, PlayError,
    SealedSetting, Setting,
};
use dealerless_table::rules::Stakes;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

pub(crate) type Seated<S = MemoryStorage> = Play<S, MemoryVault, UnwrapErr<SysRng>>;

/// Sends the parts of a seat to the other seat.
pub(crate) struct Wire(Sender<Event>, Seat);

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
pub(crate) struct Wiring {
    pub(crate) seat: Seat,
    pub(crate) identity: Arc<Identity>,
    pub(crate) circuit: Arc<DealCircuit>,
    pub(crate) wire: Wire,
    pub(crate) dealer: Dealer,
    pub(crate) events: Receiver<Event>,
}

/// An honest seat.
pub(crate) struct Side<S = MemoryStorage> {
    pub(crate) play: Seated<S>,
    pub(crate) wiring: Wiring,
}

/// The wiring of both seats for a new match with these stakes, and the match.
pub(crate) fn wirings(stakes: &Stakes, circuit: &Arc<DealCircuit>) -> ([Wiring; 2], Match) {
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
        dealer: dealer(seat, circuit, connection, own),
        events,
    });
    (wirings, info)
}

fn dealer(
    seat: Seat,
    circuit: &Arc<DealCircuit>,
    connection: MemoryTransport,
    events: Sender<Event>,
) -> Dealer {
    let binding = Binding {
        seat,
        handshake: [1; 32],
        circuit: circuit.clone(),
        attempts: Box::new(Uncounted),
        now: system_time,
    };
    let channel = Channel::new(connection, Deadlines::default());
    let report = move |done| events.send(Event::Done(done)).is_ok();
    Dealer::start(channel, binding, system_rng(), |_| {}, report)
}

/// Creates the file for the shuffle inputs of the seat with these keys.
pub(crate) fn inputs<S: Storage>(storage: S, identity: &Identity, info: &Match) -> Inputs<S> {
    let opened = Inputs::open(storage, identity.file_key(), info.id());
    opened.expect("a new file").file
}

impl<S: Storage + Default> Side<S> {
    pub(crate) fn new(wiring: Wiring, info: &Match) -> Self {
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
    pub(crate) fn run(
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
pub(crate) fn both<T: Send, R: Send>(sides: [T; 2], act: impl Fn(T) -> R + Sync) -> [R; 2] {
    thread::scope(|scope| {
        let threads = sides.map(|side| scope.spawn(|| act(side)));
        threads.map(|thread| thread.join().unwrap())
    })
}
