//! A match of two players who call every bet, and its cost.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::identity::{Home, Name, SharedPeers};
use dealerless_connection::storage::{Storage, Vault};
use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::{Credentials, DoorEvent, Timing, system_rng};
use dealerless_native::testing::{passive, stored};
use dealerless_native::{Native, NativeFiles, NativeProgram, RunningProgram};
use dealerless_seat::command::Said;
use dealerless_seat::event::Event;
use dealerless_seat::run::{FileOf, Finder, InPlay, Own, SeatFiles, SeatInPlay};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::log::{Header, Inputs, Journal, MatchId, MatchLog};
use dealerless_table::play::{DeckSetting, SealedSetting, Seating, Setting};
use dealerless_table::testing::test_match::{proposal, stakes_of};
use zeroize::Zeroizing;

use crate::proxy::{Link, Proxy};

/// The measurements of a match.
#[derive(Clone)]
pub(crate) struct Measured {
    /// The time from joining to the guest's hole cards.
    pub(crate) first: Duration,
    /// The time from the second player's deal to both players' hole cards: the median over the
    /// hands after the first.
    pub(crate) next: Duration,
    /// Like `next`, but from the first player's deal.
    pub(crate) next_from_first: Duration,
    /// The time from a player's choice until the other player receives it: the slowest of the
    /// match.
    pub(crate) slowest_move: Duration,
    /// The time of the whole match, divided by the number of hands.
    pub(crate) hand: Duration,
    /// The number of bytes of a hand in both directions with all overhead: the mean over all hands.
    pub(crate) bytes_of_a_hand: u64,
    /// The number of synced writes of a hand at the host and the guest: the mean over all hands.
    pub(crate) syncs: [u64; 2],
}

pub(crate) struct Player {
    // The folder is removed when this is dropped.
    _folder: tempfile::TempDir,
    pub(crate) home: Arc<Home>,
    peers: SharedPeers,
    pub(crate) name: Name,
}

impl Player {
    fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::open(folder.path(), None, &mut system_rng()).expect("a home");
        let peers = home.known_peers().expect("no peers yet");
        Player {
            _folder: folder,
            home: Arc::new(home),
            peers,
            name: Name::clean(name),
        }
    }
}

/// A file in memory that counts its syncs and takes some time for each.
pub(crate) struct Counted {
    bytes: Vec<u8>,
    syncs: Syncs,
}

#[derive(Clone, Default)]
pub(crate) struct Syncs {
    count: Arc<AtomicU64>,
    takes: Duration,
}

impl Syncs {
    fn add(&self, count: u32) {
        self.count.fetch_add(count.into(), Ordering::Relaxed);
        thread::sleep(self.takes * count);
    }
}

impl Storage for Counted {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.syncs.add(1);
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.bytes.truncate(len as usize);
        Ok(())
    }
}

/// Storage for a deck. It counts two syncs for each deck, as a file does: one of the file and one
/// of the folder.
pub(crate) struct CountedVault(Syncs);

impl Vault for CountedVault {
    fn keep(&mut self, _: &[u8]) -> io::Result<()> {
        self.0.add(2);
        Ok(())
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(None)
    }

    fn destroy(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a host and a guest, and the host's door for a match of this number of hands.
pub(crate) fn door(hands: u32) -> ([Player; 2], Door) {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (header, _) = proposal(stakes_of(1000, 2, hands));
    let listen: [SocketAddr; 1] = ["127.0.0.1:0".parse().expect("an address")];
    let door = Door::open(
        Arc::clone(&host.home),
        host.peers.clone(),
        host.name.clone(),
        header.encode(),
        &listen,
        Timing::default(),
    );
    ([host, guest], door.expect("a door"))
}

/// Plays a match and measures it.
pub(crate) fn measure(link: Link, sync: Duration, hands: u32) -> Measured {
    let ([host, guest], door) = door(hands);
    let proxy = Proxy::new(door.addresses()[0], link);
    let invite = door
        .invite(vec![proxy.address.into()], None)
        .expect("an invite");
    thread::scope(|scope| {
        let host = &host;
        let at_host = scope.spawn(move || {
            let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_secs(60)) else {
                panic!("the guest did not connect");
            };
            play(host, *connection, Instant::now(), sync)
        });
        let begun = Instant::now();
        let seat = Guest {
            identity: guest.home.identity(),
            name: &guest.name,
            timing: Timing::default(),
        };
        let connection = seat.join(&invite).expect("the host");
        let at_guest = play(&guest, connection, begun, sync);
        let at_host = at_host.join().expect("the host");
        let ended = begun.elapsed();
        let hands_of_both = || at_host.cards.iter().zip(&at_guest.cards).skip(1);
        let median = |from: fn(Instant, Instant) -> Instant| {
            let mut all: Vec<Duration> = hands_of_both()
                .map(|(host, guest)| host.seen.max(guest.seen) - from(host.dealt, guest.dealt))
                .collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        let slowest = |chosen: &[Instant], received: &[Instant]| {
            let moves = chosen.iter().zip(received);
            moves.map(|(chosen, received)| *received - *chosen).max()
        };
        let to_guest = slowest(&at_host.chosen, &at_guest.received);
        let to_host = slowest(&at_guest.chosen, &at_host.received);
        Measured {
            first: at_guest.cards[0].seen - begun,
            next: median(Instant::max),
            next_from_first: median(Instant::min),
            slowest_move: to_guest.max(to_host).expect("moves"),
            hand: ended / hands,
            bytes_of_a_hand: proxy.bytes.load(Ordering::Relaxed) / u64::from(hands),
            syncs: [at_host.syncs, at_guest.syncs].map(|syncs| syncs / u64::from(hands)),
        }
    })
}

/// The times at which a hand was dealt and this seat had seen its cards.
struct Hole {
    dealt: Instant,
    seen: Instant,
}

struct Played {
    cards: Vec<Hole>,
    /// The times of this seat's choices, and the times at which it received the other seat's
    /// choices.
    chosen: Vec<Instant>,
    received: Vec<Instant>,
    syncs: u64,
}

/// A seat of the match that begins on this connection. `finds` says how the seat makes a lost connection again.
pub(crate) fn seat(
    player: &Player,
    connection: Connection,
    syncs: &Syncs,
    finds: impl FnOnce(&Own<Native>, Finder<Native>, MatchId) -> Finder<Native>,
) -> RunningProgram {
    let met = Arc::clone(&connection.met);
    (player.peers.lock())
        .remember(&met.peer, &met.peer_name, &[], None)
        .expect("a new peer");
    let own = Credentials {
        identity: Arc::clone(player.home.identity()),
        name: player.name.clone(),
    };
    let header = Header::decode(&met.header).expect("what the host proposed");
    let file = || -> FileOf<Native> {
        Box::new(Counted {
            bytes: Vec::new(),
            syncs: syncs.clone(),
        })
    };
    let seating = Seating::of_meeting(&met, header, (own.identity.public(), &own.name));
    let Seating { sitting, circuit } = seating.expect("a match");
    let (key, of) = (own.identity.file_key(), sitting.match_info.clone());
    let inputs = Inputs::open(file(), key.clone(), of.id()).expect("a new file");
    let setting = Setting {
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: inputs.file,
            vault: Box::new(CountedVault(syncs.clone())) as _,
            circuit,
        }),
        identity: Arc::clone(&own.identity),
        seat: sitting.seat,
        log: MatchLog::new(of.clone(), sitting.seat),
        journal: Journal::create(file(), key, &sitting).expect("a file"),
        rng: system_rng(),
    };
    let files = SeatFiles {
        sitting,
        record: String::new(),
        shown: String::new(),
        resumed: false,
        setting,
        clock: file(),
    };
    let kept = stored(NativeFiles::Memory, own, player.peers.clone());
    let playing = dealerless_native::begin(false, kept, |run_own, now| {
        let finder = Finder::new(run_own, of.id(), vec![met.peer.clone()]);
        let finder = finds(run_own, finder, of.id());
        let needs = PlayerNeeds::default();
        let mut seat = SeatInPlay::new(run_own, files, needs, finder, now)?;
        let polled = connection.into_polled().expect("nobody has taken it");
        seat.begin(polled, now)?;
        Ok(Box::new(InPlay(seat)) as NativeProgram)
    });
    playing.expect("no old deck")
}

/// A player who calls and shows.
struct Caller {
    own: u8,
    /// When the last hand was over.
    dealt: Instant,
    /// The hole cards seen in this hand.
    hole: usize,
    cards: Vec<Hole>,
    chosen: Vec<Instant>,
    received: Vec<Instant>,
}

impl dealerless_native::Player for Caller {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Seated(seated) => self.own = seated.seat,
            Event::Dealt { .. } => self.hole = 0,
            Event::Card { position, .. } if *position < 4 => {
                self.hole += 1;
                // The two hole cards of this seat, not the cards that are shown later.
                if self.hole == 2 {
                    let (dealt, seen) = (self.dealt, Instant::now());
                    self.cards.push(Hole { dealt, seen });
                }
            }
            Event::YourTurn(_) => self.chosen.push(Instant::now()),
            Event::Chose { seat, .. } if *seat != self.own => self.received.push(Instant::now()),
            Event::Result(_) => self.dealt = Instant::now(),
            Event::LineLost { message } => panic!("{message}"),
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        passive(event)
    }
}

fn play(player: &Player, connection: Connection, begun: Instant, sync: Duration) -> Played {
    let syncs = Syncs {
        count: Arc::default(),
        takes: sync,
    };
    let playing = seat(player, connection, &syncs, |_, finder, _| finder);
    let mut caller = Caller {
        own: 0,
        dealt: begun,
        hole: 0,
        cards: Vec::new(),
        chosen: Vec::new(),
        received: Vec::new(),
    };
    playing.play(&mut caller).expect("an honest match");
    Played {
        cards: caller.cards,
        chosen: caller.chosen,
        received: caller.received,
        syncs: syncs.count.load(Ordering::Relaxed),
    }
}
