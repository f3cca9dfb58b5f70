//! Two seats of a match in one process, over an encrypted loopback connection. Nothing is written
//! to disk.

use std::net::{Ipv4Addr, SocketAddr};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless::mpc::Uncounted;
use dealerless::net::Deadlines;
use dealerless_connection::identity::{Home, Identity, Name};
use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use dealerless_connection::system_rng;
use dealerless_connection::{Connection, Door, DoorEvent, Guest, Timing};
use dealerless_table::Seat;
use dealerless_table::log::{End, Header, Inputs, Journal, LogEvent, MatchLog};
use dealerless_table::play::{
    Command, DealCost, DeckSetting, News, SealedSetting, Seating, Setting, Table, TableEvent,
};
use dealerless_table::rules::{Choice, Legal};

use super::hand::View;
use crate::progress::Progress;

/// The names of the host, who garbles, and of the guest.
pub(super) const NAMES: [&str; 2] = ["Alice", "Bob"];

/// Timeout for each step of the other seat, which plays without pauses.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of cards that a player of five-card draw exchanges.
const EXCHANGED: usize = 3;

/// View and cost of the match at one seat.
pub(super) struct Side {
    hands: Vec<View>,
    /// Time from the first connection to the first sealed deck, without the deal.
    pub(super) setup: Duration,
    /// The cost of each deal.
    pub(super) deals: Vec<DealCost>,
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
    let [host, guest] = meet(header)?;
    let (host, guest) = thread::scope(|scope| {
        let guest = scope.spawn(|| guest.play(header, begun, progress));
        let host = host.play(header, begun, progress);
        let guest = guest.join().unwrap_or_else(|panic| resume_unwind(panic));
        (host, guest)
    });
    Ok([host?, guest?])
}

/// A player connected to the other player.
struct Player {
    identity: Arc<Identity>,
    name: Name,
    connection: Connection,
}

/// Connects two new players: one opens a door, the other joins with its invite.
fn meet(header: &Header) -> anyhow::Result<[Player; 2]> {
    // The folders are removed at the end of this function. The match itself is in memory.
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let open = |folder: &tempfile::TempDir| Home::open(folder.path(), None, &mut system_rng());
    let [host, guest] = [Arc::new(open(&folders[0])?), Arc::new(open(&folders[1])?)];
    let [host_name, guest_name] = NAMES.map(Name::clean);
    let door = Door::open(
        Arc::clone(&host),
        host.known_peers()?,
        host_name.clone(),
        header.encode(),
        &[SocketAddr::from((Ipv4Addr::LOCALHOST, 0))],
        Timing::default(),
    )?;
    let address = door.addresses()[0].into();
    let invite = door.invite(vec![address], None)?;
    let at_guest = Guest {
        identity: guest.identity(),
        name: &guest_name,
        timing: Timing::default(),
    }
    .join(&invite)?;
    let Some(DoorEvent::Connection(at_host)) = door.next(TIMEOUT) else {
        bail!("the two players of this process did not connect");
    };
    Ok([
        Player {
            identity: Arc::clone(host.identity()),
            name: host_name,
            connection: *at_host,
        },
        Player {
            identity: Arc::clone(guest.identity()),
            name: guest_name,
            connection: at_guest,
        },
    ])
}

/// A table that writes nothing to disk.
type InMemory = Table<MemoryStorage, MemoryVault, ()>;

impl Player {
    fn play(self, header: &Header, begun: Instant, progress: &Progress) -> anyhow::Result<Side> {
        let own = (self.identity.public(), &self.name);
        let seating = Seating::of_meeting(&self.connection.met, header.clone(), own)?;
        let key = self.identity.file_key();
        let of = seating.sitting.match_info.clone();
        let mut table = InMemory::new(
            Setting {
                deck: DeckSetting::Sealed(SealedSetting {
                    inputs: Inputs::open(MemoryStorage::default(), key.clone(), of.id())?.file,
                    vault: MemoryVault::default(),
                    circuit: seating.circuit,
                }),
                journal: Journal::create(MemoryStorage::default(), key, &seating.sitting)?,
                identity: self.identity,
                seat: seating.sitting.seat,
                log: MatchLog::new(of, seating.sitting.seat),
                rng: system_rng(),
            },
            Deadlines::default(),
        )?;
        let peer = table.play().seat().next(2);
        // Both seats belong to this process, so neither cheats.
        table.begin(peer, self.connection, Some(Box::new(Uncounted)));
        let mut side = Side {
            hands: Vec::new(),
            setup: Duration::ZERO,
            deals: Vec::new(),
            sent: 0,
        };
        loop {
            match table.next(TIMEOUT)? {
                Some(TableEvent::News(News::Over(end))) => {
                    ensure!(end == End::Played, "the match ended early: this is a bug");
                    side.sent = table.connection(peer).map_or(0, Connection::bytes_sent);
                    table.close();
                    return Ok(side);
                }
                Some(TableEvent::News(news)) => side.handle(news, &mut table, begun, progress)?,
                Some(TableEvent::ConnectionLost(_, error)) => return Err(error.into()),
                Some(_) => {}
                None => bail!("the other seat of this process did not answer in time"),
            }
        }
    }
}

impl Side {
    fn handle(
        &mut self,
        news: News,
        table: &mut InMemory,
        begun: Instant,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let hand = self.hands.last_mut().context("no hand was dealt");
        match news {
            News::Log(LogEvent::Begun(_)) => {
                let variety = table.play().log().match_info().header().stakes.variety();
                let (kind, _) = variety.poker().context("a demo without chips")?;
                self.hands.push(View::new(kind));
            }
            News::Sealed { cost } => {
                let cost = cost.context("the cost of the deal is missing")?;
                if self.deals.is_empty() {
                    self.setup = begun.elapsed().saturating_sub(cost.shuffle.time);
                }
                self.deals.push(cost);
                progress.step();
            }
            News::Card { position, card } => {
                let play = table.play();
                let game = play.log().game().context("no hand is in play")?;
                let holds = |seat: &Seat| game.held(*seat).contains(&position);
                let holder = [Seat::HOST, Seat::GUEST].into_iter().find(holds);
                hand?.add(play.seat(), holder, position, card);
            }
            News::YourTurn { legal } => {
                let choice = choose(&legal, table);
                table.command(Command::Choose(choice))?;
            }
            News::AskRebuy { .. } => table.command(Command::Rebuy(true))?,
            News::Log(LogEvent::HandOver { outcome, .. }) => hand?.ends(outcome),
            _ => {}
        }
        Ok(())
    }
}

fn choose(legal: &Legal, table: &InMemory) -> Choice {
    match legal {
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        Legal::Exchange => Choice::Exchange(unpaired(table)),
        _ => Choice::Show,
    }
}

/// The places of the lowest unpaired cards in a seat's own hand, at most [`EXCHANGED`].
fn unpaired(table: &InMemory) -> Vec<u8> {
    let play = table.play();
    let held = (play.log().game()).map_or_else(Vec::new, |game| game.held(play.seat()));
    let ranks: Vec<_> = (held.iter())
        .map(|&position| play.card(position).and_then(|card| card.rank()))
        .collect();
    let is_single = |rank| ranks.iter().filter(|other| **other == rank).count() == 1;
    let mut places: Vec<u8> = (0..).take(ranks.len()).collect();
    places.retain(|&place| is_single(ranks[usize::from(place)]));
    places.sort_by_key(|&place| ranks[usize::from(place)]);
    places.truncate(EXCHANGED);
    places.sort_unstable();
    places
}
