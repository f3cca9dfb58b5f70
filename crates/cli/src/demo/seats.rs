//! Two seats of a match in one process, over an encrypted loopback connection. The match and the known players are
//! in memory.

use std::net::{Ipv4Addr, SocketAddr};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless_connection::identity::{Home, Identity, KnownPeers, Name, SharedPeers};
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::time::unix;
use dealerless_connection::{
    Connection, Credentials, Door, DoorEvent, Guest, Invites, Timing, network, system_rng,
};
use dealerless_native::{NativeFiles, Playing};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ask, Cost, Ended, Event, YourTurn};
use dealerless_seat::run::{Finder, InPlay, NewMatch, SeatInPlay, Stored};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::Seat;
use dealerless_table::log::Header;
use dealerless_table::play::Seating;
use dealerless_table::rules::PokerKind;

use super::hand::{View, named};
use crate::progress::Progress;

/// The names of the host, who garbles, and of the guest.
pub(super) const NAMES: [&str; 2] = ["Alice", "Bob"];

/// Timeout for each step of the other seat, which plays without pauses.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of cards that a player of five-card draw exchanges.
const EXCHANGED: usize = 3;

/// View and cost of the match at one seat.
#[derive(Default)]
pub(super) struct Side {
    hands: Vec<View>,
    /// Time from the first connection to the first sealed deck, without the deal.
    pub(super) setup: Duration,
    /// The cost of each deal.
    pub(super) deals: Vec<Cost>,
    /// Bytes that this seat sent over the encrypted connection.
    pub(super) sent: u64,
}

impl Side {
    /// This seat's view of each hand.
    pub(super) fn into_hands(self) -> Vec<View> {
        self.hands
    }
}

/// Plays a match. Returns the sides of the host and of the guest.
///
/// # Errors
/// If the seats cannot meet, or one of them fails.
pub(super) fn play(header: &Header, progress: &Progress) -> anyhow::Result<[Side; 2]> {
    let begun = Instant::now();
    let (kind, _) = (header.stakes.variety().poker()).context("a demo without chips")?;
    let seats = meet(header)?;
    let seats = seats.map(|(player, connection)| player.sit(header, connection));
    let play = |seat: anyhow::Result<(Playing, Sent)>, own| {
        let (playing, sent) = seat?;
        let mut watcher = Watcher {
            side: Side::default(),
            kind,
            own,
            begun,
            heard: begun,
            sent,
            progress,
        };
        playing.play(&mut watcher).map(|()| watcher.side)
    };
    let [host, guest] = seats;
    let (host, guest) = thread::scope(|scope| {
        let guest = scope.spawn(move || play(guest, Seat::GUEST));
        let host = play(host, Seat::HOST);
        let guest = guest.join().unwrap_or_else(|panic| resume_unwind(panic));
        (host, guest)
    });
    Ok([host?, guest?])
}

/// A player, and the players that it knows.
struct Person {
    own: Credentials,
    peers: SharedPeers,
}

/// Connects two new players: one opens a door, the other joins with its invite.
fn meet(header: &Header) -> anyhow::Result<[(Person, Connection); 2]> {
    // The folders are removed at the end of this function.
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let open = |folder: &tempfile::TempDir| Home::open(folder.path(), None, &mut system_rng());
    let host_home = Arc::new(open(&folders[0])?);
    let [host, guest] = [
        Person::new(host_home.identity(), NAMES[0])?,
        Person::new(open(&folders[1])?.identity(), NAMES[1])?,
    ];
    let door = Door::open(
        host_home,
        host.peers.clone(),
        host.own.name.clone(),
        header.encode(),
        &[SocketAddr::from((Ipv4Addr::LOCALHOST, 0))],
        Timing::default(),
    )?;
    let address = door.addresses()[0].into();
    let invite = door.invite(vec![address], None)?;
    let at_guest = Guest {
        identity: &guest.own.identity,
        name: &guest.own.name,
        timing: Timing::default(),
    }
    .join(&invite)?;
    let Some(DoorEvent::Connection(at_host)) = door.next(TIMEOUT) else {
        bail!("the two players of this process did not connect");
    };
    Ok([(host, *at_host), (guest, at_guest)])
}

/// The number of bytes that a seat has sent: before the match, and now.
struct Sent(u64, Arc<AtomicU64>);

impl Person {
    fn new(identity: &Arc<Identity>, name: &str) -> anyhow::Result<Self> {
        let (file, own) = (MemoryVault::default(), identity.succession().clone());
        let peers = KnownPeers::open(Box::new(file), Path::new("known_peers"), own, unix)?;
        Ok(Person {
            own: Credentials {
                identity: Arc::clone(identity),
                name: Name::clean(name),
            },
            peers: SharedPeers::new(peers),
        })
    }

    /// Begins the match on this connection.
    fn sit(self, header: &Header, connection: Connection) -> anyhow::Result<(Playing, Sent)> {
        let met = Arc::clone(&connection.met);
        (self.peers.lock()).remember(&met.peer, &met.peer_name, &[], None)?;
        let Credentials { identity, name } = &self.own;
        let own = (identity.public(), name);
        let Seating { sitting, circuit } = Seating::of_meeting(&met, header.clone(), own)?;
        let stored = Stored {
            files: NativeFiles::Memory,
            identity: Arc::clone(identity),
            peers: self.peers,
            name: name.clone(),
        };
        let invites = Invites::open(Box::new(MemoryVault::default()))?;
        let keeps = (stored, Arc::new(Mutex::new(invites)));
        let mut sent = None;
        let playing = dealerless_native::begin(false, keeps, |own, now| {
            let of = sitting.match_info.id();
            let files = NewMatch::create(own, sitting)?.begin(own, Some(circuit))?;
            // A lost connection is not made again.
            let finder = Finder::new(&own.world, self.own, of, vec![met.peer.clone()]);
            let needs = PlayerNeeds {
                never_asked: true,
                ..PlayerNeeds::default()
            };
            let peers = own.peers.clone();
            let mut seat = SeatInPlay::new(&own.world, files, peers, needs, finder, now)?;
            let line = connection
                .into_polled()
                .context("the connection is in use")?;
            let counter = network()?.sent(line.number());
            sent = Some(Sent(counter.load(Ordering::Relaxed), counter));
            seat.begin(line, now)?;
            Ok(Box::new(InPlay(seat)))
        })?;
        Ok((playing, sent.context("the seat has begun")?))
    }
}

/// A player who checks, calls and shows, and keeps what it sees.
struct Watcher<'a> {
    side: Side,
    kind: PokerKind,
    own: Seat,
    begun: Instant,
    /// When something has happened last.
    heard: Instant,
    sent: Sent,
    progress: &'a Progress,
}

impl dealerless_native::Player for Watcher<'_> {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        self.heard = Instant::now();
        let side = &mut self.side;
        let hand = side.hands.last_mut().context("no hand was dealt");
        match event {
            Event::Dealt { .. } => side.hands.push(View::new(self.kind)),
            Event::Sealed { cost, .. } => {
                let cost = cost.context("the cost of the deal is missing")?;
                if side.deals.is_empty() {
                    let shuffle = Duration::from_secs_f64(cost.shuffle_ms / 1e3);
                    side.setup = self.begun.elapsed().saturating_sub(shuffle);
                }
                side.deals.push(cost);
                self.progress.step();
            }
            Event::Card {
                position,
                card,
                holder,
                ..
            } => {
                let card = named(card).context("an unknown card")?;
                hand?.add(self.own, holder.map(Seat::new), *position, card);
            }
            Event::Result(result) => hand?.ends(result.as_ref().clone()),
            Event::Over { how, .. } => {
                let is_played = *how == Ended::Played;
                ensure!(is_played, "the match ended early: this is a bug");
                let Sent(before, now) = &self.sent;
                side.sent = now.load(Ordering::Relaxed) - before;
            }
            Event::LineLost { message } => bail!("the connection was lost: {message}"),
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::YourTurn(turn) => Some(choose(turn)),
            Event::AskRebuy { .. } => Some(Said::Rebuy { agree: true }),
            _ => None,
        }
    }

    fn due(&self) -> Option<Duration> {
        Some(TIMEOUT.saturating_sub(self.heard.elapsed()))
    }

    fn show_due(&mut self) -> anyhow::Result<()> {
        let is_in_time = self.heard.elapsed() < TIMEOUT;
        ensure!(
            is_in_time,
            "the other seat of this process did not answer in time"
        );
        Ok(())
    }
}

fn choose(turn: &YourTurn) -> Said {
    match turn.ask {
        Ask::Bet { call: None, .. } => Said::Check {},
        Ask::Bet { .. } => Said::Call {},
        Ask::Exchange {} => Said::Exchange {
            places: unpaired(turn),
        },
        _ => Said::Show {},
    }
}

/// The places of the lowest unpaired cards in a seat's own hand, at most [`EXCHANGED`].
fn unpaired(turn: &YourTurn) -> Vec<u8> {
    let cards = turn.cards.iter();
    let ranks: Vec<_> = cards.map(|card| named(card.as_deref()?)?.rank()).collect();
    let is_single = |rank| ranks.iter().filter(|other| **other == rank).count() == 1;
    let mut places: Vec<u8> = (0..).take(ranks.len()).collect();
    places.retain(|&place| is_single(ranks[usize::from(place)]));
    places.sort_by_key(|&place| ranks[usize::from(place)]);
    places.truncate(EXCHANGED);
    places.sort_unstable();
    places
}
