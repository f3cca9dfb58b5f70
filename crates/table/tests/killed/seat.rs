//! One seat of a match in its own process. It calls and shows, and writes what it sees to the
//! standard error, one line for each report.

use std::collections::BTreeMap;
use std::env;
use std::io::{Read, Write, stderr, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use dealerless::mpc::Attempts;
use dealerless::net::Deadlines;
use dealerless_connection::identity::{Address, Home, Name, PublicIdentity, SharedPeers};
use dealerless_connection::storage::{DiskStorage, FileVault};
use dealerless_connection::{Connection, Door, DoorEvent, Guest, Timing};
use dealerless_connection::{SystemRng, system_rng};
use dealerless_table::Seat;
use dealerless_table::log::{
    End, Inputs, Journal, LogEvent, Match, MatchId, MatchLog, Phase, Sitting,
};
use dealerless_table::play::{
    Command, Control, DeckSetting, Mailbox, News, SealedSetting, Seating, Setting, Table,
    TableEvent,
};
use dealerless_table::testing::choices;

use crate::operations::{CountedAttempts, CountedStorage, CountedVault, Operations};
use crate::points::Kind;

/// The environment variable with the folder of the player.
pub(crate) const FOLDER: &str = "DEALERLESS_TEST_FOLDER";
/// The environment variable with the point at which the program is killed, if any.
pub(crate) const KILL: &str = "DEALERLESS_TEST_KILL";
/// The environment variable that is set at the first start of the program, when the match begins.
pub(crate) const FIRST: &str = "DEALERLESS_TEST_FIRST";
/// The environment variable with the addresses of all lower seats, in order.
pub(crate) const LOWER: &str = "DEALERLESS_TEST_LOWER";

/// The name of the match file in the folder of matches.
pub(crate) const LOG: &str = "played.log";
/// The endings of the files with the deck and with the secret of a match.
pub(crate) const SECRETS: [&str; 2] = ["deck", "keys"];

/// The name of the player in a seat.
pub(crate) fn name(seat: usize) -> Name {
    Name::clean(["Anna", "Bob", "Carl"][seat])
}

/// A report of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program listens at this address.
    Listens(String),
    /// The player sees this card of this try of a hand.
    Card {
        hand: u32,
        attempt: u32,
        position: usize,
        card: u64,
    },
    /// A try is void.
    Void,
    /// The match is over. True if all hands were played.
    Over(bool),
    /// A disk operation, and the step of the log.
    Operation(Kind, u64),
}

impl Report {
    fn send(&self) {
        let line = match self {
            Report::Listens(at) => format!("@ listens {at}\n"),
            Report::Card {
                hand,
                attempt,
                position,
                card,
            } => format!("@ card {hand} {attempt} {position} {card}\n"),
            Report::Void => "@ void\n".into(),
            Report::Over(played) => format!("@ over {played}\n"),
            Report::Operation(kind, step) => format!("@ operation {kind} {step}\n"),
        };
        // In one piece, without buffering.
        stderr()
            .write_all(line.as_bytes())
            .expect("the parent reads it");
    }

    /// Parses a line of output. `None` if it is incomplete or was written by the test harness.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("@ ")?.split(' ').collect();
        Some(match words[..] {
            ["listens", at] => Report::Listens(at.into()),
            ["card", hand, attempt, position, card] => Report::Card {
                hand: hand.parse().ok()?,
                attempt: attempt.parse().ok()?,
                position: position.parse().ok()?,
                card: card.parse().ok()?,
            },
            ["void"] => Report::Void,
            ["over", played] => Report::Over(played.parse().ok()?),
            ["operation", kind, step] => Report::Operation(kind.parse().ok()?, step.parse().ok()?),
            _ => return None,
        })
    }
}

/// An item posted to the table.
enum Post {
    /// A new connection. At the seat that has made it, also the control message that this seat has
    /// sent on it.
    Connection(Box<Connection>, Option<Control>),
    /// All seats are done.
    End,
}

type OnDisk = Table<CountedStorage, CountedVault, Post>;

struct Program {
    table: OnDisk,
    operations: Operations,
    peers: SharedPeers,
    /// Requests a new connection to a lower seat.
    dials: BTreeMap<Seat, Sender<()>>,
    /// The numbers of the current hand and try.
    dealt: (u32, u32),
}

/// Plays a seat as the environment variables specify. Does nothing without them.
pub(crate) fn play() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let kill_at = env::var(KILL)
        .ok()
        .map(|text| text.parse().expect("a kill point"));
    let operations = Operations::new(kill_at);
    let home = Arc::new(Home::open(&folder, None, &mut system_rng()).expect("a folder"));
    let peers = home.known_peers().expect("a list");
    let setting = setting(&home, &operations);
    let (of, own) = (setting.log.match_info().clone(), setting.seat);
    let table = Table::new(setting, Deadlines::default()).expect("a valid deck");
    let mailbox = table.mailbox();
    if own.index() + 1 < of.seats() {
        listen(&home, &peers, (&of, own), mailbox.clone());
    }
    let addresses = env::var(LOWER).unwrap_or_default();
    let addresses = addresses.split(',').filter(|address| !address.is_empty());
    // The program of the only guest begins the match. Several programs resume it from nothing.
    let begins = env::var_os(FIRST).is_some() && of.seats() == 2;
    let lower = Seat::all(of.seats()).zip(addresses);
    let dials = lower.map(|(peer, address)| {
        let address = address.parse().expect("an address");
        let dialling = Dialling {
            home: Arc::clone(&home),
            name: name(own.index()),
            peer: of.players()[peer.index()].identity.clone(),
            address,
            match_id: of.id(),
        };
        (peer, dialling.start(begins, mailbox.clone()))
    });
    let dials = dials.collect();
    thread::spawn(move || {
        stdin()
            .read_to_end(&mut Vec::new())
            .expect("the parent closes it");
        mailbox.post(Post::End);
    });
    let program = Program {
        table,
        operations,
        peers,
        dials,
        dealt: (0, 0),
    };
    program.run();
}

fn setting(
    home: &Home,
    operations: &Operations,
) -> Setting<CountedStorage, CountedVault, SystemRng> {
    let path = home.matches().join(LOG);
    let counted = |file| CountedStorage {
        file,
        operations: operations.clone(),
    };
    let identity = Arc::clone(home.identity());
    let log = DiskStorage::open(&path).expect("the file of the match");
    let opened = Journal::open(counted(log), identity.file_key()).expect("its own file");
    let Sitting {
        match_info, seat, ..
    } = opened.sitting.clone();
    let [deck, keys] = SECRETS.map(|ending| CountedVault {
        file: FileVault(path.with_extension(ending)),
        unfinished: path.with_file_name(".dealerless-unfinished-half"),
        operations: operations.clone(),
    });
    let deck = if match_info.header().sealed().is_some() {
        let seating = Seating::of_file(opened.sitting).expect("a known circuit");
        let path = path.with_extension("inputs");
        let inputs = match path.exists() {
            true => DiskStorage::open(&path),
            false => DiskStorage::create(&path),
        };
        let inputs = counted(inputs.expect("the file of the inputs"));
        let inputs = Inputs::open(inputs, identity.file_key(), match_info.id());
        DeckSetting::Sealed(SealedSetting {
            inputs: inputs.expect("its own inputs").file,
            vault: deck,
            circuit: seating.circuit,
        })
    } else {
        DeckSetting::Verifiable(keys)
    };
    Setting {
        deck,
        identity,
        seat,
        log: opened.log,
        journal: opened.journal,
        rng: system_rng(),
    }
}

/// Waits for connections of the higher seats.
fn listen(home: &Arc<Home>, peers: &SharedPeers, at: (&Match, Seat), mailbox: Mailbox<Post>) {
    let (of, own) = at;
    let (home, name) = (Arc::clone(home), name(own.index()));
    let listen = ["127.0.0.1:0".parse().expect("an address")];
    let door = match own {
        Seat::HOST => {
            let header = b"played".to_vec();
            Door::open(
                home,
                peers.clone(),
                name,
                header,
                &listen,
                Timing::default(),
            )
        }
        _ => {
            let players = of.players().iter().map(|player| player.identity.clone());
            Door::for_players(players.collect(), home, name, &listen, Timing::default())
        }
    };
    let door = door.expect("a free port");
    Report::Listens(door.addresses()[0].to_string()).send();
    thread::spawn(move || {
        loop {
            if let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_secs(1)) {
                mailbox.post(Post::Connection(connection, None));
            }
        }
    });
}

/// How a program connects to a lower seat.
struct Dialling {
    home: Arc<Home>,
    name: Name,
    peer: PublicIdentity,
    address: Address,
    match_id: MatchId,
}

impl Dialling {
    /// Connects each time when the returned sender requests it. The first connection `begins` the
    /// match, or resumes it like all later ones.
    fn start(self, mut begins: bool, mailbox: Mailbox<Post>) -> Sender<()> {
        let (dial, dialled) = channel();
        thread::spawn(move || {
            while dialled.recv().is_ok() {
                let message = match std::mem::take(&mut begins) {
                    true => Control::Sit,
                    false => Control::Resume(self.match_id),
                };
                let connection = Box::new(self.connection(&message));
                mailbox.post(Post::Connection(connection, Some(message)));
            }
        });
        dial
    }

    /// Connects as soon as the peer is reachable.
    fn connection(&self, message: &Control) -> Connection {
        let guest = Guest {
            identity: self.home.identity(),
            name: &self.name,
            timing: Timing::default(),
        };
        loop {
            if let Ok(connection) =
                guest.join_again(&self.peer, std::slice::from_ref(&self.address), None)
                && connection.send_control(message.encode()).is_ok()
            {
                return connection;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Program {
    fn run(mut self) {
        if let Phase::Over(end) = self.table.play().log().phase() {
            Report::Over(end == End::Played).send();
        }
        for dial in self.dials.values() {
            let _ = dial.send(());
        }
        loop {
            self.operations.set_step(self.log().step());
            match self
                .table
                .next(Duration::from_secs(1))
                .expect("an honest match")
            {
                Some(TableEvent::News(news)) => self.handle_news(&news),
                Some(TableEvent::ConnectionLost(peer, _)) => {
                    // A lower seat waits for a new connection.
                    let _ = self.dials.get(&peer).map(|dial| dial.send(()));
                }
                Some(TableEvent::Posted(Post::Connection(connection, message))) => {
                    self.start_connection(*connection, message)
                }
                Some(TableEvent::Posted(Post::End)) => break,
                Some(TableEvent::Control(_) | TableEvent::Accepted(_)) | None => {}
            }
        }
        self.table.close();
        for (kind, step) in self.operations.done() {
            Report::Operation(kind, step).send();
        }
    }

    fn log(&self) -> &MatchLog {
        self.table.play().log()
    }

    fn start_connection(&mut self, connection: Connection, message: Option<Control>) {
        let message = message.or_else(|| {
            let received = connection.recv(Duration::from_secs(10)).ok()?;
            Control::decode(&received.bytes)
        });
        // A connection that ends before the first message is ignored.
        let Some(message) = message else { return };
        let players = self.log().match_info().players().iter();
        let seats = Seat::all(players.len()).zip(players);
        let mut peer = seats.filter(|(_, player)| player.identity == connection.met.peer);
        let (peer, _) = peer.next().expect("a player");
        let attempts = self.attempts(&connection.met.peer);
        match message {
            Control::Sit => self.table.begin(peer, connection, attempts),
            _ => self
                .table
                .resume(peer, connection, attempts)
                .expect("a file"),
        }
    }

    /// Counts the attempts of the engine of two seats.
    fn attempts(&self, peer: &PublicIdentity) -> Option<Box<dyn Attempts>> {
        self.log().match_info().header().sealed()?;
        Some(Box::new(CountedAttempts {
            counted: self.peers.counted(peer).expect("a known peer"),
            operations: self.operations.clone(),
        }))
    }

    fn handle_news(&mut self, news: &News) {
        match news {
            News::Log(LogEvent::Begun(begun)) => self.dealt = (begun.hand, begun.attempt),
            News::Log(LogEvent::Void { .. }) => Report::Void.send(),
            News::Card { position, card } => Report::Card {
                hand: self.dealt.0,
                attempt: self.dealt.1,
                position: *position,
                card: card.0,
            }
            .send(),
            News::YourTurn { legal } => {
                self.table
                    .command(Command::Choose(choices::passive(legal)))
                    .expect("its turn");
            }
            News::Voided { .. } => self
                .table
                .command(Command::DealAgain)
                .expect("the program has asked"),
            News::Over(end) => Report::Over(*end == End::Played).send(),
            _ => {}
        }
    }
}
